//! Weights in files beside an ONNX file, and dynamic quantisation.
//!
//! Any tensor in a model may keep its weights in another file, by name, offset and length: in graphs, in attributes of
//! their nodes, in functions, in training data, dense or sparse. When kb adds a model below two gigabytes, it moves
//! these weights into the ONNX file: then both engines load it from memory or disk, and names in the model no longer
//! become paths. All other fields are copied unchanged.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Component, Path};

use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, encode_key, encode_varint, skip_field};
use prost::{DecodeError, Message as _};

use crate::error::plain_io;
use crate::text::truncate;

/// The most levels of nested parts.
const DEEPEST: usize = 32;
/// In bytes, of a file's name.
const LONGEST_NAME: usize = 1000;
/// Characters of an invalid name or number in an error.
const SHOWN: usize = 100;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct GraphFacts {
    /// Files with weights, by the names that the graph uses.
    pub external: BTreeSet<String>,
    /// Whether the model quantises by ranges that depend on its inputs.
    pub is_dynamic: bool,
}

/// The Protobuf messages that contain tensors or operations.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Model,
    Training,
    Graph,
    Function,
    Node,
    Attribute,
    /// Two tensors: values and their places.
    Sparse,
    Tensor,
}

impl Part {
    /// The part in a field of this one, by `onnx.proto` of ONNX 1.23.
    fn within(self, field: u32) -> Option<Part> {
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

/// Inspects an ONNX file.
pub(super) fn inspect(model: &[u8]) -> Result<GraphFacts, String> {
    let mut found = GraphFacts::default();
    inspect_part(Part::Model, model, 0, &mut found)?;
    Ok(found)
}

/// The model with the weights from files in `folder`, of at most `most` bytes.
pub(super) fn with_all_weights(model: &[u8], folder: &Path, most: u64) -> Result<Vec<u8>, String> {
    let mut left = most.checked_sub(model.len() as u64).ok_or("it is too large for one file")?;
    rewrite(Part::Model, model, 0, folder, &mut left)
}

fn inspect_part(part: Part, message: &[u8], depth: usize, found: &mut GraphFacts) -> Result<(), String> {
    check_depth(depth)?;
    for field in fields(message) {
        let field = field?;
        let Some(bytes) = field.bytes else { continue };
        match part.within(field.number) {
            Some(Part::Tensor) => {
                if let Some(weights) = Weights::of(bytes)? {
                    found.external.insert(weights.file);
                }
            }
            Some(inner) => inspect_part(inner, bytes, depth + 1, found)?,
            None if part == Part::Node && field.number == 4 => {
                found.is_dynamic |= bytes.starts_with(b"DynamicQuantize")
            }
            None => {}
        }
    }
    Ok(())
}

/// Moves the weights from files into a part of the model; `left` counts the bytes that still fit.
fn rewrite(part: Part, message: &[u8], depth: usize, folder: &Path, left: &mut u64) -> Result<Vec<u8>, String> {
    check_depth(depth)?;
    let mut out = Vec::with_capacity(message.len());
    for field in fields(message) {
        let field = field?;
        match (field.bytes, part.within(field.number)) {
            (Some(bytes), Some(Part::Tensor)) => match Weights::of(bytes)? {
                Some(weights) => put(&mut out, field.number, &with_weights(bytes, &weights.read(folder, left)?)?),
                None => out.extend_from_slice(field.whole),
            },
            (Some(bytes), Some(inner)) => {
                put(&mut out, field.number, &rewrite(inner, bytes, depth + 1, folder, left)?);
            }
            _ => out.extend_from_slice(field.whole),
        }
    }
    Ok(out)
}

fn with_weights(tensor: &[u8], weights: &[u8]) -> Result<Vec<u8>, String> {
    let mut out = Vec::with_capacity(tensor.len() + weights.len());
    for field in fields(tensor) {
        let field = field?;
        if !matches!(field.number, EXTERNAL | LOCATION | RAW) {
            out.extend_from_slice(field.whole);
        }
    }
    put(&mut out, RAW, weights);
    Ok(out)
}

fn damaged(error: DecodeError) -> String {
    error.to_string()
}

fn check_depth(depth: usize) -> Result<(), String> {
    if depth > DEEPEST { Err("its graphs are nested too deeply".to_owned()) } else { Ok(()) }
}

/// Fields of a tensor: its weights, their place in a file, and whether they are in a file.
const RAW: u32 = 9;
const EXTERNAL: u32 = 13;
const LOCATION: u32 = 14;

/// The fields of a tensor that name a file with its weights.
#[derive(prost::Message)]
struct Tensor {
    #[prost(message, repeated, tag = "13")]
    external: Vec<Entry>,
    /// 1 if the weights are in a file.
    #[prost(int32, tag = "14")]
    location: i32,
}

#[derive(prost::Message)]
struct Entry {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(string, tag = "2")]
    value: String,
}

/// The place of a tensor's weights in a file.
struct Weights {
    file: String,
    offset: u64,
    length: Option<u64>,
}

impl Weights {
    /// The place of a tensor's weights, if they are in a file.
    fn of(tensor: &[u8]) -> Result<Option<Self>, String> {
        let tensor = Tensor::decode(tensor).map_err(damaged)?;
        let mut weights = Weights { file: String::new(), offset: 0, length: None };
        for Entry { key, value } in tensor.external {
            let number =
                || value.parse().map_err(|_| format!("invalid {key} of weights {:?}", truncate(&value, SHOWN)));
            match key.as_str() {
                "offset" => weights.offset = number()?,
                "length" => weights.length = Some(number()?),
                "location" => weights.file = value,
                _ => {}
            }
        }
        let is_outside = tensor.location == 1;
        // Protobuf readers merge repeated messages, so one half of a tensor may name the file and another half set the
        // flag.
        if is_outside || !weights.file.is_empty() {
            check_name(&weights.file)?;
        }
        Ok(Some(weights).filter(|_| is_outside))
    }

    /// Reads the weights, at most `left` bytes, and subtracts their length from `left`.
    fn read(&self, folder: &Path, left: &mut u64) -> Result<Vec<u8>, String> {
        let name = &self.file;
        let unreadable = |error: &std::io::Error| format!("its weights are in {name}: {}", plain_io(error));
        let path = folder.join(name);
        // Checked before opening: opening a pipe would wait for a writer.
        let about = std::fs::metadata(&path).map_err(|error| unreadable(&error))?;
        if !about.is_file() {
            return Err(format!("its weights are in {name}, which is not a regular file"));
        }
        let rest = about.len().checked_sub(self.offset);
        let rest = rest.ok_or_else(|| format!("its weights begin after the end of {name}"))?;
        let length = self.length.unwrap_or(rest);
        if length > rest {
            return Err(format!("{name} is too short for its weights: it has {} bytes", about.len()));
        }
        *left = left.checked_sub(length).ok_or("it is too large for one file")?;
        let mut file = File::open(&path).map_err(|error| unreadable(&error))?;
        file.seek(SeekFrom::Start(self.offset)).map_err(|error| unreadable(&error))?;
        let mut weights = Vec::new();
        file.take(length).read_to_end(&mut weights).map_err(|error| unreadable(&error))?;
        if weights.len() as u64 == length { Ok(weights) } else { Err(format!("{name} has just become shorter")) }
    }
}

/// Checks that a name of a file with weights stays in the folder.
fn check_name(name: &str) -> Result<(), String> {
    let plain = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    let odd = name.is_empty()
        || name.len() > LONGEST_NAME
        || name.contains(|c: char| c.is_control() || matches!(c, '\\' | ':'));
    if plain && !odd {
        return Ok(());
    }
    Err(format!("it names weights in {:?}, which is not a file beside it", truncate(name, SHOWN)))
}

struct Field<'m> {
    number: u32,
    /// The contents, for a field with a length.
    bytes: Option<&'m [u8]>,
    /// The whole field, with number and length.
    whole: &'m [u8],
}

fn fields(mut rest: &[u8]) -> impl Iterator<Item = Result<Field<'_>, String>> {
    std::iter::from_fn(move || (!rest.is_empty()).then(|| first_field(&mut rest).map_err(damaged)))
}

/// Takes the first field off a message.
fn first_field<'m>(rest: &mut &'m [u8]) -> Result<Field<'m>, DecodeError> {
    let all = *rest;
    let (number, kind) = decode_key(rest)?;
    let mut value = *rest;
    skip_field(kind, number, rest, DecodeContext::default())?;
    let bytes = match kind {
        WireType::LengthDelimited => {
            let length = decode_varint(&mut value)? as usize;
            Some(&value[..length])
        }
        _ => None,
    };
    Ok(Field { number, bytes, whole: &all[..all.len() - rest.len()] })
}

/// Writes a field with a length.
fn put(out: &mut Vec<u8>, number: u32, bytes: &[u8]) {
    encode_key(number, WireType::LengthDelimited, out);
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

    fn message(fields: &[(u32, &[u8])]) -> Vec<u8> {
        let mut out = Vec::new();
        fields.iter().for_each(|(number, bytes)| put(&mut out, *number, bytes));
        out
    }

    /// A tensor with weights in a file.
    fn tensor(file: &str, offset: &str, length: &str) -> Vec<u8> {
        let entry = |key: &str, value: &str| message(&[(1, key.as_bytes()), (2, value.as_bytes())]);
        let (location, offset, length) = (entry("location", file), entry("offset", offset), entry("length", length));
        let mut tensor = message(&[(8, b"weights"), (EXTERNAL, &location), (EXTERNAL, &offset), (EXTERNAL, &length)]);
        encode_varint(u64::from(LOCATION << 3), &mut tensor);
        encode_varint(1, &mut tensor);
        tensor
    }

    /// A model whose only tensor has weights in a file.
    fn outside(file: &str, offset: &str, length: &str) -> Vec<u8> {
        message(&[(7, &message(&[(5, &tensor(file, offset, length))]))])
    }

    #[test]
    fn weights_in_a_file_move_into_the_model() {
        let folder = fixture().join("external");
        let model = std::fs::read(folder.join("model.onnx")).unwrap();
        let found = inspect(&model).unwrap();
        assert_eq!(found.external.iter().map(String::as_str).collect::<Vec<_>>(), ["model.onnx_data"]);
        let made = with_all_weights(&model, &folder, 1 << 20).unwrap();
        assert_eq!(inspect(&made).unwrap(), GraphFacts::default());
        // The generator wrote both from the same weights.
        let weights = std::fs::read(folder.join("model.onnx_data")).unwrap();
        let contained = |model: &[u8]| memchr::memmem::find(model, &weights[..32]).is_some();
        assert!(contained(&made) && !contained(&model));
        let inside = std::fs::read(fixture().join("model.onnx")).unwrap();
        assert_eq!(with_all_weights(&inside, &folder, 1 << 20).unwrap(), inside, "nothing else is changed");
        assert!(with_all_weights(&model, &folder, model.len() as u64).unwrap_err().contains("too large"));
    }

    #[test]
    fn weights_are_found_anywhere_in_a_model() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("w"), "0123").unwrap();
        // Numbers of the fields from the outermost inwards.
        let paths = "7 5, 7 15 1, 7 15 2, 7 1 5 5, 7 1 5 10, 7 1 5 22 1, 7 1 5 23 2, 7 1 5 6 5, 7 1 5 11 15 1, \
                     25 7 5 5, 25 7 5 6 1 5 10, 25 11 5, 20 1 5, 20 2 15 1";
        for path in paths.split(", ") {
            let within = |inner: Vec<u8>, number: &str| message(&[(number.parse().unwrap(), &inner)]);
            let model = path.split(' ').rev().fold(tensor("w", "0", "4"), within);
            let found: Vec<String> = inspect(&model).unwrap().external.into_iter().collect();
            assert_eq!(found, ["w"], "{path:?}");
            let made = with_all_weights(&model, folder.path(), 1 << 20).unwrap();
            assert_eq!(inspect(&made).unwrap(), GraphFacts::default(), "{path:?}");
            assert!(made.ends_with(b"0123"), "{path:?}");
        }
    }

    #[test]
    fn dynamic_quantisation_is_found_in_functions_too() {
        let node = message(&[(4, b"DynamicQuantizeLinear")]);
        for model in [message(&[(7, &message(&[(1, &node)]))]), message(&[(25, &message(&[(7, &node)]))])] {
            assert!(inspect(&model).unwrap().is_dynamic);
        }
        assert!(!inspect(&message(&[(25, &message(&[(7, &message(&[(4, b"QuantizeLinear")]))]))])).unwrap().is_dynamic);
    }

    #[test]
    fn an_oddly_written_tensor_names_no_file_elsewhere() {
        // Protobuf readers merge both: the second half names the file, the first has the flag.
        let entry = message(&[(1, b"location"), (2, b"../w")]);
        let halves = message(&[(5, &tensor("w", "0", "4")), (5, &message(&[(EXTERNAL, &entry)]))]);
        let model = [1, 5].iter().rev().fold(halves, |inner, number| message(&[(*number, &inner)]));
        assert!(inspect(&message(&[(7, &model)])).unwrap_err().contains("not a file beside it"));
        // Protobuf readers take the lower half of this number.
        let mut wide = message(&[(EXTERNAL, &message(&[(1, b"location"), (2, b"w")]))]);
        encode_varint(u64::from(LOCATION << 3), &mut wide);
        encode_varint(1 << 32 | 1, &mut wide);
        assert!(inspect(&message(&[(7, &message(&[(5, &wide)]))])).unwrap().external.contains("w"));
    }

    #[test]
    fn weights_outside_the_folder_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("w"), [7; 16]).unwrap();
        std::fs::create_dir(folder.path().join("d")).unwrap();
        assert!(with_all_weights(&outside("w", "4", "12"), folder.path(), 1 << 20).is_ok());
        let refusal = |file: &str, offset, length| {
            with_all_weights(&outside(file, offset, length), folder.path(), 1 << 20).unwrap_err()
        };
        let long = "w".repeat(1 << 16);
        for name in ["../w", "/etc/passwd", "d/../../w", "", "c:\\w", ".", "\u{1b}[2Jw", "w\n", &long] {
            let message = refusal(name, "0", "1");
            assert!(
                message.contains("not a file beside it") && message.len() < 200 && !message.contains(char::is_control),
                "{message:?}"
            );
        }
        assert!(refusal("w", &long, "1").len() < 200);
        assert!(refusal("none", "0", "1").contains("no such file"));
        assert!(refusal("d", "0", "1").contains("not a regular file"));
        assert!(refusal("w", "17", "1").contains("after the end"));
        assert!(refusal("w", "4", "13").contains("too short"));
        assert!(refusal("w", "-1", "1").contains("\"-1\""));
        assert!(refusal("w", "0", "18446744073709551615").contains("too short"));
    }

    #[test]
    fn a_cut_or_bent_file_is_an_error_or_another_model() {
        let model = std::fs::read(fixture().join("external/model.onnx")).unwrap();
        let folder = fixture().join("external");
        for at in 0..model.len() {
            let mut bent = model.clone();
            bent[at] ^= 0xff;
            for damaged in [&model[..at], &bent] {
                assert!(with_all_weights(damaged, &folder, 1 << 20).ok().is_none_or(|made| made.len() < 1 << 20));
            }
        }
        // A graph in an attribute of a node of a graph, and so on.
        let deep = (0..200).fold(Vec::new(), |graph: Vec<u8>, _| {
            let attribute = message(&[(6, &graph)]);
            let node = message(&[(5, &attribute)]);
            message(&[(1, &node)])
        });
        assert!(inspect(&message(&[(7, &deep)])).unwrap_err().contains("too deeply"));
    }
}
