//! Reads inputs, outputs and constants of ONNX files.
//!
//! Engines reject a model with errors of their own, and sometimes panic. So kb first reads the few names that show
//! whether a model is of the right kind. The field numbers are those of `onnx.proto`.

use std::collections::HashSet;

use bytes::Bytes;
use prost::Message;

/// The number of `float` among ONNX's types.
pub(super) const FLOAT: i32 = 1;

/// Inputs and outputs of a model.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct GraphSignature {
    pub inputs: Vec<String>,
    pub outputs: Vec<Output>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Output {
    pub name: String,
    /// The number of its type, if it is a tensor.
    pub kind: Option<i32>,
    /// Its dimensions, if the file lists them; `None` for a variable one.
    pub shape: Option<Vec<Option<u64>>>,
}

#[derive(Message)]
struct Model {
    #[prost(message, optional, tag = "7")]
    graph: Option<Graph>,
}

#[derive(Message)]
pub(super) struct Graph {
    #[prost(message, repeated, tag = "5")]
    pub constants: Vec<Constant>,
    #[prost(message, repeated, tag = "11")]
    inputs: Vec<Port>,
    #[prost(message, repeated, tag = "12")]
    outputs: Vec<Port>,
}

#[derive(Message)]
pub(super) struct Constant {
    #[prost(string, tag = "8")]
    pub name: String,
    /// The numbers in little-endian bytes: a slice of the file, not a copy.
    #[prost(bytes = "bytes", tag = "9")]
    pub raw: Bytes,
}

#[derive(Message)]
struct Port {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(message, optional, tag = "2")]
    kind: Option<Kind>,
}

#[derive(Message)]
struct Kind {
    #[prost(message, optional, tag = "1")]
    tensor: Option<Tensor>,
}

#[derive(Message)]
struct Tensor {
    #[prost(int32, optional, tag = "1")]
    kind: Option<i32>,
    #[prost(message, optional, tag = "2")]
    shape: Option<Shape>,
}

#[derive(Message)]
struct Shape {
    #[prost(message, repeated, tag = "1")]
    dimensions: Vec<Dimension>,
}

#[derive(Message)]
struct Dimension {
    #[prost(uint64, optional, tag = "1")]
    size: Option<u64>,
}

pub(super) fn graph(file: Bytes) -> Result<Graph, String> {
    Model::decode(file).map_err(|error| error.to_string())?.graph.ok_or_else(|| "no graph in it".to_owned())
}

/// Reads the signature of an ONNX file.
pub(super) fn signature(file: Vec<u8>) -> Result<GraphSignature, String> {
    let graph = graph(file.into())?;
    // Older files list constants among the inputs.
    let constants: HashSet<String> = graph.constants.into_iter().map(|constant| constant.name).collect();
    let inputs = graph.inputs.into_iter().map(|port| port.name).filter(|name| !constants.contains(name)).collect();
    let output = |port: Port| {
        let tensor = port.kind.and_then(|kind| kind.tensor).unwrap_or_default();
        let shape = tensor.shape.map(|shape| shape.dimensions.into_iter().map(|dimension| dimension.size).collect());
        Output { name: port.name, kind: tensor.kind, shape }
    };
    Ok(GraphSignature { inputs, outputs: graph.outputs.into_iter().map(output).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::in_repository;

    fn fixture(name: &str) -> Vec<u8> {
        std::fs::read(in_repository("fixtures/rerank").join(name)).unwrap()
    }

    #[test]
    fn inputs_and_outputs_are_read() {
        let found = signature(fixture("model.onnx")).unwrap();
        assert_eq!(found.inputs, ["input_ids", "attention_mask", "token_type_ids"]);
        let logits = Output { name: "logits".to_owned(), kind: Some(FLOAT), shape: Some(vec![None, Some(1)]) };
        assert_eq!(found.outputs, [logits]);
        assert_eq!(signature(fixture("broken/wants-positions.onnx")).unwrap().inputs.len(), 4);
    }

    #[test]
    fn a_damaged_file_never_panics() {
        let whole = fixture("model.onnx");
        for length in 0..whole.len() {
            // A cut file may still be a valid model that lacks its last part.
            let read = signature(whole[..length].to_vec());
            assert!(length > 64 || read.is_err(), "{length}");
        }
        for at in 0..whole.len() {
            let mut bent = whole.clone();
            bent[at] ^= 0xff;
            signature(bent).map_or_else(|error| assert!(!error.is_empty()), drop);
        }
        assert!(signature(b"PK\x03\x04 no model at all".to_vec()).is_err());
    }
}
