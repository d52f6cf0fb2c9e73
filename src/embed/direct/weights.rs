//! The constants of an ONNX file, found by name and not copied.

use std::collections::HashMap;

use bytes::Bytes;
use prost::Message;

/// ONNX's numbers of tensor types.
const FLOAT: i32 = 1;
const INT8: i32 = 3;

/// The part of an ONNX file that is read: the constants of its graph. The field numbers are those of `onnx.proto`.
#[derive(Message)]
struct File {
    #[prost(message, optional, tag = "7")]
    graph: Option<Graph>,
}

#[derive(Message)]
struct Graph {
    #[prost(message, repeated, tag = "5")]
    constants: Vec<Tensor>,
}

#[derive(Message)]
struct Tensor {
    #[prost(int64, repeated, tag = "1")]
    dimensions: Vec<i64>,
    #[prost(int32, tag = "2")]
    kind: i32,
    #[prost(string, tag = "8")]
    name: String,
    /// The numbers, little-endian.
    #[prost(bytes = "bytes", tag = "9")]
    raw: Bytes,
}

/// The constants of a graph, by name.
pub(super) struct Weights {
    by_name: HashMap<String, Tensor>,
}

impl Weights {
    /// Finds them in a file in the program, without copying their bytes.
    pub(super) fn read(file: &'static [u8]) -> Result<Self, String> {
        let file = File::decode(Bytes::from_static(file)).map_err(|error| error.to_string())?;
        let constants = file.graph.unwrap_or_default().constants;
        Ok(Weights { by_name: constants.into_iter().map(|tensor| (tensor.name.clone(), tensor)).collect() })
    }

    /// A table of int8 with rows of `columns`: its bytes and its number of rows.
    pub(super) fn int8(&mut self, name: &str, columns: usize) -> Result<(Bytes, usize), String> {
        self.take(name, INT8, 1, columns)
    }

    /// A table of floats with rows of `columns`.
    pub(super) fn floats(&mut self, name: &str, columns: usize) -> Result<Vec<f32>, String> {
        let (raw, _) = self.take(name, FLOAT, 4, columns)?;
        Ok(raw.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
    }

    fn take(&mut self, name: &str, kind: i32, size: usize, columns: usize) -> Result<(Bytes, usize), String> {
        let tensor = self.by_name.remove(name).ok_or_else(|| format!("{name} is missing"))?;
        let numbers: i64 = tensor.dimensions.iter().product();
        let fits = usize::try_from(numbers).is_ok_and(|numbers| tensor.raw.len() == numbers * size);
        if tensor.kind != kind || !fits || columns == 0 || !tensor.raw.len().is_multiple_of(columns * size) {
            return Err(format!("{name} has an unexpected type or shape"));
        }
        let rows = tensor.raw.len() / (columns * size);
        Ok((tensor.raw, rows))
    }
}
