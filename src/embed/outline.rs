//! What an ONNX file says of its inputs and outputs, without loading it.
//!
//! An engine tells in its own words what it does not like, after reading gigabytes, and some of it by panicking. So the
//! few names that decide whether a model is of the right kind are read first. ONNX is [`protobuf`](super::protobuf), of
//! which everything that is not asked for is passed over.

use std::io::{Read, Result, Seek, SeekFrom};

use super::protobuf::{self, Value, broken};

/// Longer names and types are none.
const LONGEST_PART: u64 = 64 * 1024;
/// More inputs and outputs have only models that are no text models.
const MOST_PORTS: usize = 10_000;
/// The number of `float` among ONNX's types.
pub(super) const FLOAT: u64 = 1;

/// Inputs and outputs of a model.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Outline {
    /// The names of what must be given to it.
    pub inputs: Vec<String>,
    /// What it gives.
    pub outputs: Vec<Output>,
}

/// What a model gives.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Output {
    pub name: String,
    /// The number of its type, where it is a tensor.
    pub kind: Option<u64>,
    /// Its dimensions, where it says how many; `None` for one that differs.
    pub shape: Option<Vec<Option<u64>>>,
}

/// Reads the outline of an ONNX file.
pub(super) fn outline(file: &mut (impl Read + Seek)) -> Result<Outline> {
    let end = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(0))?;
    let mut model = Message { from: file, at: 0, end };
    let mut outline = None;
    while let Some((number, value)) = model.field()? {
        match (number, value) {
            (7, Value::Part(length)) => outline = Some(graph(&mut model.part(length)?)?),
            (_, value) => model.pass_over(value)?,
        }
    }
    outline.ok_or_else(|| broken("no graph in it"))
}

fn graph<R: Read + Seek>(graph: &mut Message<'_, R>) -> Result<Outline> {
    let (mut outline, mut constants) = (Outline::default(), Vec::new());
    while let Some((number, value)) = graph.field()? {
        match (number, value) {
            (5, Value::Part(length)) => constants.push(text_of(&mut graph.part(length)?, 8)?),
            (11, Value::Part(length)) => outline.inputs.push(port(&mut graph.part(length)?)?.name),
            (12, Value::Part(length)) => outline.outputs.push(port(&mut graph.part(length)?)?),
            (_, value) => graph.pass_over(value)?,
        }
        if outline.inputs.len() + outline.outputs.len() > MOST_PORTS {
            return Err(broken("too many inputs and outputs"));
        }
    }
    // Older files list constants among the inputs.
    let constants: std::collections::HashSet<String> = constants.into_iter().collect();
    outline.inputs.retain(|name| !constants.contains(name));
    Ok(outline)
}

/// An input or an output.
fn port<R: Read + Seek>(port: &mut Message<'_, R>) -> Result<Output> {
    let mut output = Output::default();
    while let Some((number, value)) = port.field()? {
        match (number, value) {
            (1, Value::Part(length)) => output.name = port.text(length)?,
            (2, Value::Part(length)) => {
                let mut of_type = port.part(length)?;
                while let Some((number, value)) = of_type.field()? {
                    match (number, value) {
                        (1, Value::Part(length)) => tensor(&mut of_type.part(length)?, &mut output)?,
                        (_, value) => of_type.pass_over(value)?,
                    }
                }
            }
            (_, value) => port.pass_over(value)?,
        }
    }
    Ok(output)
}

fn tensor<R: Read + Seek>(tensor: &mut Message<'_, R>, output: &mut Output) -> Result<()> {
    while let Some((number, value)) = tensor.field()? {
        match (number, value) {
            (1, Value::Number(kind)) => output.kind = Some(kind),
            (2, Value::Part(length)) => {
                let mut dimensions = tensor.part(length)?;
                let mut shape = Vec::new();
                while let Some((number, value)) = dimensions.field()? {
                    match (number, value) {
                        (1, Value::Part(length)) => shape.push(dimension(&mut dimensions.part(length)?)?),
                        (_, value) => dimensions.pass_over(value)?,
                    }
                }
                output.shape = Some(shape);
            }
            (_, value) => tensor.pass_over(value)?,
        }
    }
    Ok(())
}

fn dimension<R: Read + Seek>(dimension: &mut Message<'_, R>) -> Result<Option<u64>> {
    let mut size = None;
    while let Some((number, value)) = dimension.field()? {
        match (number, value) {
            (1, Value::Number(number)) => size = Some(number),
            (_, value) => dimension.pass_over(value)?,
        }
    }
    Ok(size)
}

/// The text in one field of a message; empty where it has none.
fn text_of<R: Read + Seek>(message: &mut Message<'_, R>, wanted: u64) -> Result<String> {
    let mut text = String::new();
    while let Some((number, value)) = message.field()? {
        match value {
            Value::Part(length) if number == wanted => text = message.text(length)?,
            value => message.pass_over(value)?,
        }
    }
    Ok(text)
}

/// A message, read field by field.
struct Message<'r, R> {
    from: &'r mut R,
    at: u64,
    end: u64,
}

impl<R: Read + Seek> Message<'_, R> {
    /// The next field; `None` at the end.
    fn field(&mut self) -> Result<Option<(u64, Value)>> {
        if self.at >= self.end {
            return Ok(None);
        }
        let left = self.end - self.at;
        let mut within = self.from.take(left);
        let (number, value) = protobuf::field(&mut within)?;
        self.at += left - within.limit();
        match value {
            Value::Part(length) | Value::Fixed(length) if length > self.end - self.at => {
                Err(broken("a part is longer than the whole"))
            }
            value => Ok(Some((number, value))),
        }
    }

    /// A message within this one, which is read before anything else is.
    fn part(&mut self, length: u64) -> Result<Message<'_, R>> {
        let at = self.at;
        self.at += length;
        Ok(Message { from: self.from, at, end: at + length })
    }

    fn text(&mut self, length: u64) -> Result<String> {
        if length > LONGEST_PART {
            return Err(broken("a name that is too long"));
        }
        let mut bytes = vec![0; length as usize];
        self.from.read_exact(&mut bytes)?;
        self.at += length;
        String::from_utf8(bytes).map_err(|_| broken("a name that is no text"))
    }

    fn pass_over(&mut self, value: Value) -> Result<()> {
        let length = match value {
            Value::Number(_) => 0,
            Value::Part(length) | Value::Fixed(length) => length,
        };
        let distance = i64::try_from(length).map_err(|_| broken("a part that is too long"))?;
        self.from.seek_relative(distance)?;
        self.at += length;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

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
    fn a_broken_file_is_an_error_wherever_it_is_cut_or_bent() {
        let whole = fixture("model.onnx");
        for length in 0..whole.len() {
            // What remains may still be a model without its last part, but reading it ends.
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
}
