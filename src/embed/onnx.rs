//! ONNX files, read without loading them into an engine.
//!
//! An engine names what it does not like in its own words, after reading gigabytes, and sometimes by panicking. So the few
//! names that decide whether a model is of the right kind are read first. ONNX is protobuf: a tree of numbered fields, each
//! with its length, so gigabytes are skipped. A length counts only after it was compared with the bytes that are there.

use std::io::{Error, ErrorKind, Read, Result, Seek, SeekFrom};

/// Names and types are shorter.
const LONGEST_NAME: u64 = 64 * 1024;
/// Text models have fewer inputs and outputs.
const MOST_PORTS: usize = 10_000;
/// The number of `float` among ONNX's types.
pub(super) const FLOAT: u64 = 1;

/// Inputs and outputs of a model.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Outline {
    pub inputs: Vec<String>,
    pub outputs: Vec<Output>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Output {
    pub name: String,
    /// The number of its type, if it is a tensor.
    pub kind: Option<u64>,
    /// Its dimensions, if the file lists them; `None` for a variable one.
    pub shape: Option<Vec<Option<u64>>>,
}

/// Reads the outline of an ONNX file.
pub(super) fn outline(file: &mut (impl Read + Seek)) -> Result<Outline> {
    let end = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(0))?;
    let mut outline = None;
    Message { from: file, at: 0, end }.each(|number, field| {
        if let (7, Field::Part(part)) = (number, field) {
            outline = Some(graph(part)?);
        }
        Ok(())
    })?;
    outline.ok_or_else(|| broken("no graph in it"))
}

fn graph<R: Read + Seek>(graph: &mut Message<'_, R>) -> Result<Outline> {
    let (mut outline, mut constants) = (Outline::default(), Vec::new());
    graph.each(|number, field| {
        match (number, field) {
            (5, Field::Part(part)) => {
                part.each(|number, field| match (number, field) {
                    (8, Field::Part(part)) => part.text().map(|name| constants.push(name)),
                    _ => Ok(()),
                })?;
            }
            (11, Field::Part(part)) => outline.inputs.push(port(part)?.name),
            (12, Field::Part(part)) => outline.outputs.push(port(part)?),
            _ => {}
        }
        if outline.inputs.len() + outline.outputs.len() > MOST_PORTS {
            return Err(broken("too many inputs and outputs"));
        }
        Ok(())
    })?;
    // Older files list constants among the inputs.
    let constants: std::collections::HashSet<String> = constants.into_iter().collect();
    outline.inputs.retain(|name| !constants.contains(name));
    Ok(outline)
}

/// An input or an output: its name, and in its type a tensor.
fn port<R: Read + Seek>(port: &mut Message<'_, R>) -> Result<Output> {
    let mut output = Output::default();
    port.each(|number, field| match (number, field) {
        (1, Field::Part(part)) => part.text().map(|name| output.name = name),
        (2, Field::Part(part)) => part.each(|number, field| match (number, field) {
            (1, Field::Part(part)) => tensor(part, &mut output),
            _ => Ok(()),
        }),
        _ => Ok(()),
    })?;
    Ok(output)
}

fn tensor<R: Read + Seek>(tensor: &mut Message<'_, R>, output: &mut Output) -> Result<()> {
    tensor.each(|number, field| {
        match (number, field) {
            (1, Field::Number(kind)) => output.kind = Some(kind),
            (2, Field::Part(part)) => {
                let mut shape = Vec::new();
                part.each(|number, field| {
                    if let (1, Field::Part(part)) = (number, field) {
                        let mut size = None;
                        part.each(|number, field| {
                            if let (1, Field::Number(number)) = (number, field) {
                                size = Some(number);
                            }
                            Ok(())
                        })?;
                        shape.push(size);
                    }
                    Ok(())
                })?;
                output.shape = Some(shape);
            }
            _ => {}
        }
        Ok(())
    })
}

/// A protobuf message in a file.
struct Message<'r, R> {
    from: &'r mut R,
    at: u64,
    end: u64,
}

/// What a field holds.
enum Field<'m, 'r, R> {
    Number(u64),
    Part(&'m mut Message<'r, R>),
    Fixed,
}

impl<R: Read + Seek> Message<'_, R> {
    /// Visits every field. Parts that `visit` does not read are skipped.
    fn each(&mut self, mut visit: impl FnMut(u64, Field<'_, '_, R>) -> Result<()>) -> Result<()> {
        while self.at < self.end {
            let left = self.end - self.at;
            let mut within = self.from.take(left);
            let (number, value) = field(&mut within)?;
            self.at += left - within.limit();
            let length = match value {
                Value::Number(value) => {
                    visit(number, Field::Number(value))?;
                    continue;
                }
                Value::Part(length) | Value::Fixed(length) => length,
            };
            if length > self.end - self.at {
                return Err(broken("a part is longer than the whole"));
            }
            let end = self.at + length;
            let mut part = Message { from: &mut *self.from, at: self.at, end };
            match value {
                Value::Fixed(_) => visit(number, Field::Fixed)?,
                _ => visit(number, Field::Part(&mut part))?,
            }
            let unread = i64::try_from(end - part.at).map_err(|_| broken("a part is too long"))?;
            self.from.seek_relative(unread)?;
            self.at = end;
        }
        Ok(())
    }

    fn text(&mut self) -> Result<String> {
        let length = self.end - self.at;
        if length > LONGEST_NAME {
            return Err(broken("a name is too long"));
        }
        let mut bytes = vec![0; length as usize];
        self.from.read_exact(&mut bytes)?;
        self.at = self.end;
        String::from_utf8(bytes).map_err(|_| broken("a name is not text"))
    }
}

/// The value of a protobuf field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Value {
    Number(u64),
    /// The length of a message, a text or an array that follows.
    Part(u64),
    /// The length of a number that follows.
    Fixed(u64),
}

/// Reads the number of the next field, and its value or length.
///
/// # Errors
/// The field has no complete beginning.
pub(crate) fn field(from: &mut impl Read) -> Result<(u64, Value)> {
    let key = number(from)?;
    let value = match key & 7 {
        0 => Value::Number(number(from)?),
        1 => Value::Fixed(8),
        2 => Value::Part(number(from)?),
        5 => Value::Fixed(4),
        _ => return Err(broken("it is not protobuf")),
    };
    Ok((key >> 3, value))
}

/// A number of up to ten bytes of seven bits.
fn number(from: &mut impl Read) -> Result<u64> {
    let mut number = 0;
    for shift in (0..70).step_by(7) {
        let mut byte = [0];
        from.read_exact(&mut byte).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => broken("a number is cut off"),
            _ => error,
        })?;
        number |= u64::from(byte[0] & 0x7f) << shift;
        if byte[0] < 0x80 {
            return Ok(number);
        }
    }
    Err(broken("a number has no end"))
}

fn broken(what: &str) -> Error {
    Error::new(ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use prost::encoding::{WireType, encode_key, encode_varint};

    use super::*;
    use crate::repository::in_repository;

    fn fixture(name: &str) -> Vec<u8> {
        std::fs::read(in_repository("fixtures/rerank").join(name)).unwrap()
    }

    #[test]
    fn inputs_and_outputs_are_read() {
        let found = outline(&mut Cursor::new(fixture("model.onnx"))).unwrap();
        assert_eq!(found.inputs, ["input_ids", "attention_mask", "token_type_ids"]);
        let logits = Output { name: "logits".to_owned(), kind: Some(FLOAT), shape: Some(vec![None, Some(1)]) };
        assert_eq!(found.outputs, [logits]);
        assert_eq!(outline(&mut Cursor::new(fixture("broken/wants-positions.onnx"))).unwrap().inputs.len(), 4);
    }

    #[test]
    fn a_file_that_is_cut_or_bent_anywhere_never_panics() {
        let whole = fixture("model.onnx");
        for length in 0..whole.len() {
            // The rest may still be a model without its last part.
            let read = outline(&mut Cursor::new(&whole[..length]));
            assert!(length > 64 || read.is_err(), "{length}");
        }
        for at in 0..whole.len() {
            let mut bent = whole.clone();
            bent[at] ^= 0xff;
            outline(&mut Cursor::new(bent)).map_or_else(|error| assert!(!error.to_string().is_empty()), drop);
        }
        assert!(outline(&mut Cursor::new(b"PK\x03\x04 no model at all".to_vec())).is_err());
    }

    #[test]
    fn fields_are_read_as_written_and_no_further() {
        let mut written = Vec::new();
        for (number, kind, value) in [
            (1, WireType::Varint, Some(0)),
            (16, WireType::Varint, Some(u64::MAX)),
            (536_870_911, WireType::LengthDelimited, Some(300)),
            (2, WireType::SixtyFourBit, None),
            (3, WireType::ThirtyTwoBit, None),
        ] {
            encode_key(number, kind, &mut written);
            value.iter().for_each(|value| encode_varint(*value, &mut written));
        }
        let mut rest = written.as_slice();
        let mut next = || field(&mut rest).unwrap();
        assert_eq!([next(), next()], [(1, Value::Number(0)), (16, Value::Number(u64::MAX))]);
        assert_eq!([next(), next()], [(536_870_911, Value::Part(300)), (2, Value::Fixed(8))]);
        assert_eq!((next(), rest.len()), ((3, Value::Fixed(4)), 0));
    }

    #[test]
    fn invalid_fields_are_errors() {
        let message = |bytes: &[u8]| field(&mut &*bytes).unwrap_err().to_string();
        for cut in [&[][..], &[0x80], &[8], &[8, 0xff], &[18], &[18, 0x80]] {
            assert!(message(cut).contains("cut off"), "{cut:?}");
        }
        assert!(message(&[0xff; 11]).contains("no end"));
        assert!([3, 4, 6, 7].into_iter().all(|kind| message(&[8 | kind, 0]).contains("not protobuf")));
    }
}
