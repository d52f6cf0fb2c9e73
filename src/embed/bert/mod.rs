//! Weights as they are published, made into an ONNX graph: a folder with `model.safetensors` and `config.json` is a
//! model without any other program's help.
//!
//! Taken are the encoders that most text models are: BERT, RoBERTa with XLM-RoBERTa and CamemBERT, DistilBERT; with the
//! head of a classifier, which a reranking model is, where the configuration says that there is one. Weights of 16 bits
//! are widened: the graph is in float32.
//!
//! A folder is somebody else's work. What is read of it is bounded before it is read, every tensor is looked at by name,
//! shape and type before a byte is written, and the weights stream from file to file, so that memory does not grow with
//! the model. [`weights`] says where tensors are, [`config`] of which network they are, [`names`] what they are called,
//! [`network`] makes the graph and [`onnx`] writes it.

mod config;
mod names;
mod network;
mod onnx;
mod weights;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

pub use config::Task;

use config::{Config, Unfit};
use network::{Kept, network};
use onnx::Network;
use weights::{DOWNLOAD, Weights};

use crate::error::{Error, Result};

/// What is written, and where the weights are that do not go into it.
pub const MODEL: &str = "model.onnx";
/// See [`MODEL`].
pub const DATA: &str = "model.onnx_data";

const CONFIG: &str = "config.json";
const EXPORT: &str = "take the model as ONNX: `optimum-cli export onnx --model FOLDER OUT` writes one";
/// Protobuf ends at 2 GB, names and operations included; larger models keep their weights beside.
const LARGEST_WHOLE: u64 = (2 << 30) - (16 << 20);
/// The largest model of these families has 3.5 billion weights, and none that is used for search a fifth of that.
const LARGEST: u64 = 16 << 30;

/// A folder with weights that can be made into ONNX.
pub struct Checkpoint {
    config: Config,
    weights: Weights,
    network: Network<Kept>,
}

impl Checkpoint {
    /// Looks at a folder, without reading its weights.
    ///
    /// # Errors
    /// Where there are none, they are broken, or they are of another network than kb knows: with the file or the tensor
    /// that is wrong.
    pub fn open(folder: &Path) -> Result<Self> {
        let weights = Weights::open(folder)?;
        let config = Config::read(&weights.folder.bytes(CONFIG)?).map_err(|unfit| {
            let hint = if matches!(unfit, Unfit::Unknown(_)) { EXPORT } else { DOWNLOAD };
            weights.folder.wrong(CONFIG, unfit.told()).hint(hint)
        })?;
        let network = network(&config, &weights)?;
        if network.bytes() > LARGEST {
            return Err(weights.wrong(&format!("it has {} GB of weights, and kb takes 16", network.bytes() >> 30)));
        }
        Ok(Checkpoint { config, weights, network })
    }

    /// What the network gives.
    pub fn task(&self) -> Task {
        self.config.task
    }

    /// How many numbers each token's vector has.
    pub fn dimension(&self) -> usize {
        self.config.hidden
    }

    /// How many tokens the network takes, those around the text included.
    pub fn max_tokens(&self) -> usize {
        self.config.tokens()
    }

    /// Writes [`MODEL`] into a folder, and [`DATA`] where there are more weights than fit into it.
    ///
    /// # Errors
    /// Where the weights cannot be read, or the folder not be written.
    pub fn write(&self, into: &Path) -> Result<()> {
        self.write_split(into, LARGEST_WHOLE)
    }

    fn write_split(&self, into: &Path, largest_whole: u64) -> Result<()> {
        let written = if self.network.bytes() <= largest_whole {
            self.write_whole(&into.join(MODEL))
        } else {
            self.write_with_data(&into.join(MODEL), &into.join(DATA))
        };
        written.map_err(|fault| match fault {
            Fault::Read(error) => error,
            Fault::Write(error) => Error::io("write a model into", into, &error),
        })
    }

    fn write_whole(&self, model: &Path) -> Result<(), Fault> {
        let mut out = BufWriter::new(File::create(model)?);
        self.network.write(&mut out, None, &mut |kept, out| self.copy(kept, out))?;
        Ok(out.flush()?)
    }

    fn write_with_data(&self, model: &Path, data: &Path) -> Result<(), Fault> {
        let (mut out, mut beside) = (BufWriter::new(File::create(model)?), BufWriter::new(File::create(data)?));
        self.network.write(&mut out, Some((DATA, &mut beside)), &mut |kept, out| self.copy(kept, out))?;
        out.flush()?;
        Ok(beside.flush()?)
    }

    fn copy(&self, kept: &Kept, out: &mut dyn Write) -> Result<(), Fault> {
        let mut take = |floats: &[f32]| -> Result<(), Fault> {
            Ok(out.write_all(&floats.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>())?)
        };
        match kept {
            Kept::From(stored, first_row) => self.weights.each_piece(stored, *first_row, &mut take),
            Kept::Turned(stored) => self.weights.each_column(stored, &mut take),
        }
    }
}

/// Why a graph could not be written.
enum Fault {
    Read(Error),
    Write(io::Error),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Fault::Read(error)
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Fault::Write(error)
    }
}

#[cfg(test)]
mod tests;
