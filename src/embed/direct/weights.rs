//! The numbers in an ONNX file, found by their names and left where they are.

use std::collections::HashMap;

use bytes::Bytes;
use prost::Message;

/// ONNX's numbers for the types of tensors.
const FLOAT: i32 = 1;
const INT8: i32 = 3;

/// What is read of an ONNX file: of its graph the constants alone. The field numbers are those of `onnx.proto`.
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
    /// Finds them in a file that is part of the program; their bytes are not copied.
    pub(super) fn read(file: &'static [u8]) -> Result<Self, String> {
        let file = File::decode(Bytes::from_static(file)).map_err(|error| error.to_string())?;
        let constants = file.graph.unwrap_or_default().constants;
        Ok(Weights { by_name: constants.into_iter().map(|tensor| (tensor.name.clone(), tensor)).collect() })
    }

    /// A table of int8, by rows: its bytes, and how many rows it has where each is `columns` wide.
    pub(super) fn int8(&mut self, name: &str, columns: usize) -> Result<(Bytes, usize), String> {
        let (raw, rows) = self.take(name, INT8, 1, columns)?;
        Ok((raw, rows))
    }

    /// A table of numbers, by rows of `columns`.
    pub(super) fn floats(&mut self, name: &str, columns: usize) -> Result<Vec<f32>, String> {
        let (raw, _) = self.take(name, FLOAT, 4, columns)?;
        Ok(raw.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
    }

    fn take(&mut self, name: &str, kind: i32, size: usize, columns: usize) -> Result<(Bytes, usize), String> {
        let tensor = self.by_name.remove(name).ok_or_else(|| format!("it has no {name}"))?;
        let numbers: i64 = tensor.dimensions.iter().product();
        let fits = usize::try_from(numbers).is_ok_and(|numbers| tensor.raw.len() == numbers * size);
        if tensor.kind != kind || !fits || columns == 0 || !tensor.raw.len().is_multiple_of(columns * size) {
            return Err(format!("{name} is not what was expected"));
        }
        let rows = tensor.raw.len() / (columns * size);
        Ok((tensor.raw, rows))
    }
}
