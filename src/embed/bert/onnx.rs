//! ONNX's messages, as far as a text model needs them, and how they are written.
//!
//! A file is one protobuf message with all weights inside, which would have to be in memory three times over to be
//! written by a library: as read, in the message, and as bytes. Only the small parts are encoded so; the weights are put
//! between them by hand and stream from one file to the other.

use std::io::{self, Write};

use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint};

const OPSET: i64 = 17;
/// What opset 17 was released with; engines refuse files that are newer than they are.
const IR_VERSION: i64 = 8;
const FLOAT: i32 = 1;
const INT64: i32 = 7;
/// The number of the graph within a model.
const GRAPH: u32 = 7;
/// The number of a constant within a graph.
const INITIALIZER: u32 = 5;
/// The number of the values within a constant.
const RAW_DATA: u32 = 9;
const EXTERNAL: i32 = 1;
/// Values beside the file begin at a page, so that engines can map them.
const PAGE: u64 = 4096;
/// Smaller constants are in the file itself: engines look at the values of some before they read beside it.
const SMALL: u64 = 1024;

/// An operation.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Node {
    #[prost(string, repeated, tag = "1")]
    pub input: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    pub output: Vec<String>,
    #[prost(string, tag = "3")]
    pub name: String,
    #[prost(string, tag = "4")]
    pub op_type: String,
    #[prost(message, repeated, tag = "5")]
    pub attribute: Vec<Attribute>,
}

/// A setting of an operation.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Attribute {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(int64, optional, tag = "3")]
    value: Option<i64>,
    #[prost(int64, repeated, packed = "false", tag = "8")]
    values: Vec<i64>,
    #[prost(int32, tag = "20")]
    kind: i32,
}

impl Attribute {
    pub fn number(name: &str, number: i64) -> Self {
        Attribute { name: name.to_owned(), value: Some(number), values: Vec::new(), kind: 2 }
    }

    pub fn numbers(name: &str, numbers: &[i64]) -> Self {
        Attribute { name: name.to_owned(), value: None, values: numbers.to_vec(), kind: 7 }
    }
}

#[derive(Clone, PartialEq, Message)]
struct Model {
    #[prost(int64, tag = "1")]
    ir_version: i64,
    #[prost(string, tag = "2")]
    producer_name: String,
    #[prost(message, repeated, tag = "8")]
    opset_import: Vec<OperatorSet>,
}

#[derive(Clone, PartialEq, Message)]
struct OperatorSet {
    #[prost(string, tag = "1")]
    domain: String,
    #[prost(int64, tag = "2")]
    version: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Graph {
    #[prost(message, repeated, tag = "1")]
    node: Vec<Node>,
    #[prost(string, tag = "2")]
    name: String,
    #[prost(message, repeated, tag = "11")]
    input: Vec<Port>,
    #[prost(message, repeated, tag = "12")]
    output: Vec<Port>,
}

/// A constant but for its values.
#[derive(Clone, PartialEq, Message)]
struct Constant {
    #[prost(int64, repeated, packed = "false", tag = "1")]
    dims: Vec<i64>,
    #[prost(int32, tag = "2")]
    data_type: i32,
    #[prost(string, tag = "8")]
    name: String,
    #[prost(message, repeated, tag = "13")]
    external_data: Vec<Entry>,
    #[prost(int32, tag = "14")]
    data_location: i32,
}

#[derive(Clone, PartialEq, Message)]
struct Entry {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(string, tag = "2")]
    value: String,
}

/// An input or output.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Port {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(message, optional, tag = "2")]
    of_type: Option<Type>,
}

#[derive(Clone, PartialEq, Message)]
struct Type {
    #[prost(message, optional, tag = "1")]
    tensor: Option<TensorType>,
}

#[derive(Clone, PartialEq, Message)]
struct TensorType {
    #[prost(int32, tag = "1")]
    element: i32,
    #[prost(message, optional, tag = "2")]
    shape: Option<Shape>,
}

#[derive(Clone, PartialEq, Message)]
struct Shape {
    #[prost(message, repeated, tag = "1")]
    dimension: Vec<Dimension>,
}

/// How many there are, or what it is called where that differs from run to run.
#[derive(Clone, PartialEq, Message)]
struct Dimension {
    #[prost(int64, optional, tag = "1")]
    size: Option<i64>,
    #[prost(string, optional, tag = "2")]
    name: Option<String>,
}

/// A dimension of an input or output.
pub(super) enum Axis {
    Free(&'static str),
    Fixed(usize),
}

impl Port {
    pub fn integers(name: &str, axes: &[Axis]) -> Self {
        Port::new(name, INT64, axes)
    }

    pub fn floats(name: &str, axes: &[Axis]) -> Self {
        Port::new(name, FLOAT, axes)
    }

    fn new(name: &str, element: i32, axes: &[Axis]) -> Self {
        let dimension = axes.iter().map(|axis| match axis {
            Axis::Free(name) => Dimension { size: None, name: Some((*name).to_owned()) },
            Axis::Fixed(size) => Dimension { size: Some(*size as i64), name: None },
        });
        let shape = Some(Shape { dimension: dimension.collect() });
        let of_type = Some(Type { tensor: Some(TensorType { element, shape }) });
        Port { name: name.to_owned(), of_type }
    }
}

/// A graph whose weights are still where they were read from: `W` says where, and is asked for them when it is written.
pub(super) struct Network<W> {
    pub name: &'static str,
    pub nodes: Vec<Node>,
    pub tensors: Vec<Tensor<W>>,
    pub inputs: Vec<Port>,
    pub outputs: Vec<Port>,
}

/// A constant of the graph.
pub(super) struct Tensor<W> {
    pub name: String,
    pub shape: Vec<usize>,
    pub values: Values<W>,
}

/// The values of a constant.
pub(super) enum Values<W> {
    Floats(Vec<f32>),
    Integers(Vec<i64>),
    /// 32-bit floats that are kept elsewhere.
    Kept(W),
}

impl<W> Tensor<W> {
    fn bytes(&self) -> u64 {
        let each = if matches!(self.values, Values::Integers(_)) { 8 } else { 4 };
        self.shape.iter().fold(each, |bytes: u64, size| bytes.saturating_mul(*size as u64))
    }

    fn head(&self, beside: Option<(&str, u64)>) -> Constant {
        let entry = |key: &str, value: String| Entry { key: key.to_owned(), value };
        let external_data = beside.map_or_else(Vec::new, |(file, offset)| {
            vec![
                entry("location", file.to_owned()),
                entry("offset", offset.to_string()),
                entry("length", self.bytes().to_string()),
            ]
        });
        Constant {
            dims: self.shape.iter().map(|size| *size as i64).collect(),
            data_type: if matches!(self.values, Values::Integers(_)) { INT64 } else { FLOAT },
            name: self.name.clone(),
            data_location: if beside.is_some() { EXTERNAL } else { 0 },
            external_data,
        }
    }
}

/// Writes the values of one kept tensor.
pub(super) type Copy<'c, W, E> = &'c mut dyn FnMut(&W, &mut dyn Write) -> Result<(), E>;

impl<W> Network<W> {
    /// How many bytes all constants have together.
    pub fn bytes(&self) -> u64 {
        self.tensors.iter().fold(0, |sum: u64, tensor| sum.saturating_add(tensor.bytes()))
    }

    /// Writes the graph; its larger weights to `beside` where that is given, the file of that name in the same folder.
    pub fn write<E: From<io::Error>>(
        &self,
        out: &mut dyn Write,
        mut beside: Option<(&str, &mut dyn Write)>,
        copy: Copy<'_, W, E>,
    ) -> Result<(), E> {
        let file = beside.as_ref().map(|(name, _)| *name);
        let heads = self.heads(file);
        let before = Graph { node: self.nodes.clone(), name: self.name.to_owned(), ..Graph::default() }.encode_to_vec();
        let behind =
            Graph { input: self.inputs.clone(), output: self.outputs.clone(), ..Graph::default() }.encode_to_vec();
        let constants: u64 = self.tensors.iter().zip(&heads).map(|(tensor, head)| head.size(tensor)).sum();

        let model = Model { ir_version: IR_VERSION, producer_name: "kb".to_owned(), opset_import: Vec::new() };
        out.write_all(&model.encode_to_vec())?;
        out.write_all(&key(GRAPH, before.len() as u64 + constants + behind.len() as u64))?;
        out.write_all(&before)?;
        let mut at = 0;
        for (tensor, head) in self.tensors.iter().zip(&heads) {
            out.write_all(&head.bytes)?;
            match (&mut beside, head.offset) {
                (Some((_, beside)), Some(offset)) => {
                    io::copy(&mut io::Read::take(io::repeat(0), offset - at), beside)?;
                    tensor.write_values(beside, copy)?;
                    at = offset + tensor.bytes();
                }
                _ => tensor.write_values(out, copy)?,
            }
        }
        out.write_all(&behind)?;
        let sets = vec![OperatorSet { domain: String::new(), version: OPSET }];
        out.write_all(&Model { opset_import: sets, ..Model::default() }.encode_to_vec())?;
        Ok(())
    }

    /// What stands in front of the values of each constant, in the graph.
    fn heads(&self, file: Option<&str>) -> Vec<Head> {
        let mut end = 0u64;
        let heads = self.tensors.iter().map(|tensor| {
            let offset = file.filter(|_| tensor.bytes() > SMALL).map(|file| (file, end.next_multiple_of(PAGE)));
            if let Some((_, offset)) = offset {
                end = offset + tensor.bytes();
            }
            let head = tensor.head(offset).encode_to_vec();
            let raw = if offset.is_none() { key(RAW_DATA, tensor.bytes()) } else { Vec::new() };
            let inside = if offset.is_none() { tensor.bytes() } else { 0 };
            let length = (head.len() + raw.len()) as u64 + inside;
            let bytes = [key(INITIALIZER, length), head, raw].concat();
            Head { bytes, offset: offset.map(|(_, offset)| offset) }
        });
        heads.collect()
    }
}

/// What stands in front of the values of a constant.
struct Head {
    bytes: Vec<u8>,
    /// Where the values are in the file beside; they follow where they are in none.
    offset: Option<u64>,
}

impl Head {
    fn size<W>(&self, tensor: &Tensor<W>) -> u64 {
        self.bytes.len() as u64 + if self.offset.is_none() { tensor.bytes() } else { 0 }
    }
}

impl<W> Tensor<W> {
    fn write_values<E: From<io::Error>>(&self, out: &mut dyn Write, copy: Copy<'_, W, E>) -> Result<(), E> {
        let bytes: Vec<u8> = match &self.values {
            Values::Floats(values) => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
            Values::Integers(values) => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
            Values::Kept(place) => return copy(place, out),
        };
        Ok(out.write_all(&bytes)?)
    }
}

/// The number of a field and the length of what is in it.
fn key(field: u32, length: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode_key(field, WireType::LengthDelimited, &mut bytes);
    encode_varint(length, &mut bytes);
    bytes
}
