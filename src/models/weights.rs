//! What an ONNX file has in it besides names: which weights lie beside it, and how it was quantised.
//!
//! Weights may lie in other files, by name, offset and length, of any tensor anywhere in the model: in graphs, in
//! attributes of their nodes, in functions, in what it was trained with, dense or sparse. Those of a model below two
//! gigabytes are put into the ONNX file when it is added: then both engines load it, from memory or disk, and nothing that a
//! model says is taken for a path any more. ONNX is [`protobuf`]; everything that is not looked for is copied as it stands.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Component, Path};

use prost::encoding::{WireType, encode_varint};

use crate::embed::protobuf::{self, Value};
use crate::error::plain_io;
use crate::text::truncate;

/// Graphs within graphs, at most.
const DEEPEST: usize = 32;
/// Longer names of files are none.
const LONGEST_NAME: usize = 1000;
/// Characters that are told of a name or a number that is none.
const SHOWN: usize = 100;

/// What is found in an ONNX file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Survey {
    /// The files that hold weights, by the names that the graph calls them by.
    pub external: BTreeSet<String>,
    /// Whether it rounds by ranges that depend on what it is given.
    pub is_dynamic: bool,
}

/// What is wrong with a file.
pub(super) type Wrong = String;

/// What a message holds, as far as it matters here.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Model,
    /// Graphs that a model was trained with.
    Training,
    Graph,
    /// An operation that is made of others.
    Function,
    Node,
    Attribute,
    /// Two tensors: values, and where they are.
    Sparse,
    Tensor,
}

impl Part {
    /// The part in a field of this one, by `onnx.proto` of ONNX 1.23: all in which there are tensors or operations.
    fn within(self, field: u64) -> Option<Part> {
        match (self, field) {
            (Part::Model, 20) => Some(Part::Training),
            (Part::Model, 7) | (Part::Training, 1 | 2) | (Part::Attribute, 6 | 11) => Some(Part::Graph),
            (Part::Model, 25) => Some(Part::Function),
            (Part::Graph, 1) | (Part::Function, 7) => Some(Part::Node),
            (Part::Node, 5) | (Part::Function, 11) => Some(Part::Attribute),
            (Part::Graph, 15) | (Part::Attribute, 22 | 23) => Some(Part::Sparse),
            (Part::Graph, 5) | (Part::Attribute, 5 | 10) | (Part::Sparse, 1 | 2) => Some(Part::Tensor),
            _ => None,
        }
    }
}

/// Looks an ONNX file through.
pub(super) fn survey(model: &[u8]) -> Result<Survey, Wrong> {
    let mut found = Survey::default();
    look(Part::Model, model, 0, &mut found)?;
    Ok(found)
}

/// The same model with the weights in it, but for those in the files to `keep`. `folder` is where they lie beside it; no
/// more than `most` bytes are made.
pub(super) fn whole(model: &[u8], folder: &Path, keep: &BTreeSet<String>, most: u64) -> Result<Vec<u8>, Wrong> {
    let left = most.checked_sub(model.len() as u64).ok_or("it is too large to be one file")?;
    rewrite(Part::Model, model, 0, &mut Inlining { folder, keep, left })
}

/// How weights are put into a model.
struct Inlining<'a> {
    /// Where they lie.
    folder: &'a Path,
    /// The files whose weights stay where they are.
    keep: &'a BTreeSet<String>,
    /// Bytes that may still be put in.
    left: u64,
}

fn look(part: Part, message: &[u8], depth: usize, found: &mut Survey) -> Result<(), Wrong> {
    check_depth(depth)?;
    let mut fields = Fields { rest: message };
    while let Some(field) = fields.next()? {
        let Some(bytes) = field.bytes else { continue };
        match part.within(field.number) {
            Some(Part::Tensor) => {
                if let Some(weights) = Weights::of(bytes)? {
                    found.external.insert(weights.file);
                }
            }
            Some(inner) => look(inner, bytes, depth + 1, found)?,
            None if part == Part::Node && field.number == 4 => {
                found.is_dynamic |= bytes.starts_with(b"DynamicQuantize")
            }
            None => {}
        }
    }
    Ok(())
}

fn rewrite(part: Part, message: &[u8], depth: usize, how: &mut Inlining<'_>) -> Result<Vec<u8>, Wrong> {
    check_depth(depth)?;
    let mut out = Vec::with_capacity(message.len());
    let mut fields = Fields { rest: message };
    while let Some(field) = fields.next()? {
        match (field.bytes, part.within(field.number)) {
            (Some(bytes), Some(Part::Tensor)) => match Weights::of(bytes)? {
                Some(weights) if !how.keep.contains(&weights.file) => {
                    put(&mut out, field.number, &with_weights(bytes, &weights.read(how.folder, &mut how.left)?)?);
                }
                _ => out.extend_from_slice(field.whole),
            },
            (Some(bytes), Some(inner)) => {
                put(&mut out, field.number, &rewrite(inner, bytes, depth + 1, how)?);
            }
            _ => out.extend_from_slice(field.whole),
        }
    }
    Ok(out)
}

/// A tensor with its weights in it instead of where they were.
fn with_weights(tensor: &[u8], weights: &[u8]) -> Result<Vec<u8>, Wrong> {
    let mut out = Vec::with_capacity(tensor.len() + weights.len());
    let mut fields = Fields { rest: tensor };
    while let Some(field) = fields.next()? {
        if !matches!(field.number, EXTERNAL | LOCATION | RAW) {
            out.extend_from_slice(field.whole);
        }
    }
    put(&mut out, RAW, weights);
    Ok(out)
}

fn check_depth(depth: usize) -> Result<(), Wrong> {
    if depth > DEEPEST { Err("it has graphs within graphs without an end".to_owned()) } else { Ok(()) }
}

/// The fields of a tensor: its weights, where they are, and whether they are outside.
const RAW: u64 = 9;
const EXTERNAL: u64 = 13;
const LOCATION: u64 = 14;

/// Where the weights of a tensor lie.
struct Weights {
    file: String,
    offset: u64,
    length: Option<u64>,
}

impl Weights {
    /// Those of a tensor that has them outside.
    fn of(tensor: &[u8]) -> Result<Option<Self>, Wrong> {
        let mut weights = Weights { file: String::new(), offset: 0, length: None };
        let mut is_outside = false;
        let mut fields = Fields { rest: tensor };
        while let Some(field) = fields.next()? {
            match (field.number, field.bytes) {
                // Readers of protobuf look at the lower half.
                (LOCATION, None) => is_outside = field.value as u32 == 1,
                (EXTERNAL, Some(entry)) => weights.take(entry)?,
                _ => {}
            }
        }
        // One that is said twice is one to readers: what names a file may not be in the part that says that there is one.
        if is_outside || !weights.file.is_empty() {
            check_name(&weights.file)?;
        }
        Ok(Some(weights).filter(|_| is_outside))
    }

    fn take(&mut self, entry: &[u8]) -> Result<(), Wrong> {
        let (mut key, mut value) = ("", "");
        let mut fields = Fields { rest: entry };
        while let Some(field) = fields.next()? {
            let text = field.bytes.and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default();
            match field.number {
                1 => key = text,
                2 => value = text,
                _ => {}
            }
        }
        let number = || value.parse().map_err(|_| format!("the {key} of weights is {:?}", truncate(value, SHOWN)));
        match key {
            "location" => value.clone_into(&mut self.file),
            "offset" => self.offset = number()?,
            "length" => self.length = Some(number()?),
            _ => {}
        }
        Ok(())
    }

    /// Reads them, if there is so much `left`.
    fn read(&self, folder: &Path, left: &mut u64) -> Result<Vec<u8>, Wrong> {
        let name = &self.file;
        let unreadable = |error: &std::io::Error| format!("its weights are in {name}: {}", plain_io(error));
        let path = folder.join(name);
        // Before it is opened: opening a pipe waits for somebody to write to it.
        let about = std::fs::metadata(&path).map_err(|error| unreadable(&error))?;
        if !about.is_file() {
            return Err(format!("its weights are in {name}, which is no file"));
        }
        let rest = about.len().checked_sub(self.offset);
        let rest = rest.ok_or_else(|| format!("its weights begin behind the end of {name}"))?;
        let length = self.length.unwrap_or(rest);
        if length > rest {
            return Err(format!("{name} is too short for its weights: it has {} bytes", about.len()));
        }
        *left = left.checked_sub(length).ok_or("it is too large to be one file")?;
        let mut file = File::open(&path).map_err(|error| unreadable(&error))?;
        file.seek(SeekFrom::Start(self.offset)).map_err(|error| unreadable(&error))?;
        let mut weights = Vec::new();
        file.take(length).read_to_end(&mut weights).map_err(|error| unreadable(&error))?;
        if weights.len() as u64 == length { Ok(weights) } else { Err(format!("{name} became shorter meanwhile")) }
    }
}

/// Whether a name that a graph calls its weights by stays in the folder.
fn check_name(name: &str) -> Result<(), Wrong> {
    let plain = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    let odd = name.is_empty()
        || name.len() > LONGEST_NAME
        || name.contains(|c: char| c.is_control() || matches!(c, '\\' | ':'));
    if plain && !odd {
        return Ok(());
    }
    Err(format!("it wants weights from {:?}, which is no file beside it", truncate(name, SHOWN)))
}

/// A field of a message.
struct Field<'m> {
    number: u64,
    /// Its number, where it is one.
    value: u64,
    /// What is in it, where it has a length.
    bytes: Option<&'m [u8]>,
    /// All of it, with number and length.
    whole: &'m [u8],
}

/// The fields of a message, one after the other.
struct Fields<'m> {
    rest: &'m [u8],
}

impl<'m> Fields<'m> {
    fn next(&mut self) -> Result<Option<Field<'m>>, Wrong> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let all = self.rest;
        let (number, value) = protobuf::field(&mut self.rest).map_err(|error| error.to_string())?;
        let (value, bytes) = match value {
            Value::Number(value) => (value, None),
            Value::Part(length) => (0, Some(self.take(length)?)),
            Value::Fixed(length) => (0, self.take(length).map(|_| None)?),
        };
        Ok(Some(Field { number, value, bytes, whole: &all[..all.len() - self.rest.len()] }))
    }

    fn take(&mut self, length: u64) -> Result<&'m [u8], Wrong> {
        let split = usize::try_from(length).ok().and_then(|length| self.rest.split_at_checked(length));
        let (bytes, rest) = split.ok_or("a part is longer than the whole")?;
        self.rest = rest;
        Ok(bytes)
    }
}

/// Writes a field with a length.
fn put(out: &mut Vec<u8>, number: u64, bytes: &[u8]) {
    encode_varint(number << 3 | WireType::LengthDelimited as u64, out);
    encode_varint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::repository::in_repository;

    fn fixture() -> PathBuf {
        in_repository("fixtures/rerank")
    }

    fn message(fields: &[(u64, &[u8])]) -> Vec<u8> {
        let mut out = Vec::new();
        fields.iter().for_each(|(number, bytes)| put(&mut out, *number, bytes));
        out
    }

    /// A tensor that has its weights outside.
    fn tensor(file: &str, offset: &str, length: &str) -> Vec<u8> {
        let entry = |key: &str, value: &str| message(&[(1, key.as_bytes()), (2, value.as_bytes())]);
        let (location, offset, length) = (entry("location", file), entry("offset", offset), entry("length", length));
        let mut tensor = message(&[(8, b"weights"), (EXTERNAL, &location), (EXTERNAL, &offset), (EXTERNAL, &length)]);
        encode_varint(LOCATION << 3, &mut tensor);
        encode_varint(1, &mut tensor);
        tensor
    }

    /// A model whose only tensor has its weights outside.
    fn outside(file: &str, offset: &str, length: &str) -> Vec<u8> {
        message(&[(7, &message(&[(5, &tensor(file, offset, length))]))])
    }

    #[test]
    fn a_model_with_weights_beside_it_becomes_the_one_that_has_them_in_it() {
        let folder = fixture().join("external");
        let model = std::fs::read(folder.join("model.onnx")).unwrap();
        let found = survey(&model).unwrap();
        assert_eq!(found.external.iter().map(String::as_str).collect::<Vec<_>>(), ["model.onnx_data"]);
        let none = BTreeSet::new();
        let made = whole(&model, &folder, &none, 1 << 20).unwrap();
        assert_eq!(whole(&model, &folder, &found.external, 1 << 20).unwrap(), model, "what is kept stays");
        assert_eq!(survey(&made).unwrap(), Survey::default());
        // The generator wrote both from the same weights.
        let weights = std::fs::read(folder.join("model.onnx_data")).unwrap();
        let contained = |model: &[u8]| memchr::memmem::find(model, &weights[..32]).is_some();
        assert!(contained(&made) && !contained(&model));
        let inside = std::fs::read(fixture().join("model.onnx")).unwrap();
        assert_eq!(whole(&inside, &folder, &none, 1 << 20).unwrap(), inside, "nothing else is changed");
        assert!(whole(&model, &folder, &none, model.len() as u64).unwrap_err().contains("too large"));
    }

    #[test]
    fn weights_are_found_wherever_a_model_may_have_them() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("w"), "0123").unwrap();
        // By the numbers of the fields from the outermost inwards.
        for path in [
            &[7, 5][..],
            &[7, 15, 1],
            &[7, 15, 2],
            &[7, 1, 5, 5],
            &[7, 1, 5, 10],
            &[7, 1, 5, 22, 1],
            &[7, 1, 5, 23, 2],
            &[7, 1, 5, 6, 5],
            &[7, 1, 5, 11, 15, 1],
            &[25, 7, 5, 5],
            &[25, 7, 5, 6, 1, 5, 10],
            &[25, 11, 5],
            &[20, 1, 5],
            &[20, 2, 15, 1],
        ] {
            let within = |inner: Vec<u8>, number: &u64| message(&[(*number, &inner)]);
            let model = path.iter().rev().fold(tensor("w", "0", "4"), within);
            let found: Vec<String> = survey(&model).unwrap().external.into_iter().collect();
            assert_eq!(found, ["w"], "{path:?}");
            let made = whole(&model, folder.path(), &BTreeSet::new(), 1 << 20).unwrap();
            assert_eq!(survey(&made).unwrap(), Survey::default(), "{path:?}");
            assert!(made.ends_with(b"0123"), "{path:?}");
        }
    }

    #[test]
    fn rounding_by_what_is_given_is_seen_in_functions_too() {
        let node = message(&[(4, b"DynamicQuantizeLinear")]);
        for model in [message(&[(7, &message(&[(1, &node)]))]), message(&[(25, &message(&[(7, &node)]))])] {
            assert!(survey(&model).unwrap().is_dynamic);
        }
        assert!(!survey(&message(&[(25, &message(&[(7, &message(&[(4, b"QuantizeLinear")]))]))])).unwrap().is_dynamic);
    }

    #[test]
    fn a_tensor_that_is_written_oddly_names_no_file_elsewhere() {
        // Readers of protobuf make one tensor of both: the second half says where, the first that it is outside.
        let entry = message(&[(1, b"location"), (2, b"../w")]);
        let halves = message(&[(5, &tensor("w", "0", "4")), (5, &message(&[(EXTERNAL, &entry)]))]);
        let model = [1, 5].iter().rev().fold(halves, |inner, number| message(&[(*number, &inner)]));
        assert!(survey(&message(&[(7, &model)])).unwrap_err().contains("no file beside it"));
        // The same of a number of which they take the lower half.
        let mut wide = message(&[(EXTERNAL, &message(&[(1, b"location"), (2, b"w")]))]);
        encode_varint(LOCATION << 3, &mut wide);
        encode_varint(1 << 32 | 1, &mut wide);
        assert!(survey(&message(&[(7, &message(&[(5, &wide)]))])).unwrap().external.contains("w"));
    }

    #[test]
    fn weights_from_elsewhere_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("w"), [7; 16]).unwrap();
        std::fs::create_dir(folder.path().join("d")).unwrap();
        let none = BTreeSet::new();
        assert!(whole(&outside("w", "4", "12"), folder.path(), &none, 1 << 20).is_ok());
        let told = |file: &str, offset, length| {
            whole(&outside(file, offset, length), folder.path(), &none, 1 << 20).unwrap_err()
        };
        let long = "w".repeat(1 << 16);
        for name in ["../w", "/etc/passwd", "d/../../w", "", "c:\\w", ".", "\u{1b}[2Jw", "w\n", &long] {
            let told = told(name, "0", "1");
            assert!(
                told.contains("no file beside it") && told.len() < 200 && !told.contains(char::is_control),
                "{told:?}"
            );
        }
        assert!(told("w", &long, "1").len() < 200);
        assert!(told("none", "0", "1").contains("no such file"));
        assert!(told("d", "0", "1").contains("no file"));
        assert!(told("w", "17", "1").contains("behind the end"));
        assert!(told("w", "4", "13").contains("too short"));
        assert!(told("w", "-1", "1").contains("\"-1\""));
        assert!(told("w", "0", "18446744073709551615").contains("too short"));
    }

    #[test]
    fn a_file_that_is_cut_or_bent_is_an_error_or_another_model_and_never_more() {
        let model = std::fs::read(fixture().join("external/model.onnx")).unwrap();
        for at in 0..model.len() {
            for bent in [model[..at].to_vec(), {
                let mut bent = model.clone();
                bent[at] ^= 0xff;
                bent
            }] {
                if let Ok(made) = whole(&bent, &fixture().join("external"), &BTreeSet::new(), 1 << 20) {
                    assert!(made.len() < 1 << 20);
                }
            }
        }
        let mut deep = Vec::new();
        for _ in 0..200 {
            let mut outer = Vec::new();
            put(&mut outer, 6, &deep);
            let mut node = Vec::new();
            put(&mut node, 5, &outer);
            deep.clear();
            put(&mut deep, 1, &node);
        }
        let mut model = Vec::new();
        put(&mut model, 7, &deep);
        assert!(survey(&model).unwrap_err().contains("without an end"));
    }
}
