//! Weights in safetensors files: where each tensor is, and its numbers as 32-bit floats.
//!
//! The format is a length, a JSON header and the numbers. The crate `safetensors` reads the header and verifies that
//! tensors neither overlap nor leave holes and have as many bytes as their shapes say; this room bounds the header before
//! it is read and holds what it says against the length of the file. Nothing is read of the numbers before they are
//! written elsewhere, and then a piece at a time.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use half::{bf16, f16};
use safetensors::Dtype;
use safetensors::tensor::{Metadata, TensorInfo};
use serde_json::Value;

use crate::embed::ModelFolder;
use crate::error::{Error, Result, plain_io};

/// The file that has all weights, and the one that says in which files they are.
const WHOLE: &str = "model.safetensors";
const INDEX: &str = "model.safetensors.index.json";
/// A model of 48 layers has 100 kB; read into memory, hostile JSON takes ten times its length.
const LARGEST_JSON: u64 = 4 << 20;
/// Models that come in more files are none of those that are taken.
const MOST_FILES: usize = 100;
/// So many numbers are in memory at once.
const PIECE: usize = 1 << 18;

pub(super) const DOWNLOAD: &str = "download the folder again, with all its files";
/// What to do where files contradict each other.
pub(super) const MIXED: &str = "files of different models are mixed up: download the folder again";

/// A folder with a model in it.
#[derive(Debug, Clone)]
pub(super) struct Folder(pub PathBuf);

impl Folder {
    /// An error about one of its files.
    pub fn wrong(&self, file: &str, told: &str) -> Error {
        ModelFolder::new(&self.0, "the model").wrong(file, told)
    }

    pub fn unreadable(&self, file: &str, error: &io::Error) -> Error {
        if error.kind() == io::ErrorKind::NotFound {
            return self.wrong(file, "it is not there").hint(DOWNLOAD);
        }
        self.wrong(file, &format!("cannot read it: {}", plain_io(error)))
    }

    /// Opens a file that is one, and its length.
    fn open(&self, name: &str) -> Result<(File, u64)> {
        let path = self.0.join(name);
        // Before it is opened: opening a pipe waits for somebody to write to it.
        let about = std::fs::metadata(&path).map_err(|error| self.unreadable(name, &error))?;
        if !about.is_file() {
            return Err(self.wrong(name, "it is no file").hint(DOWNLOAD));
        }
        let file = File::open(&path).map_err(|error| self.unreadable(name, &error))?;
        Ok((file, about.len()))
    }

    /// The bytes of a small file.
    pub fn bytes(&self, name: &str) -> Result<Vec<u8>> {
        let (file, length) = self.open(name)?;
        if length > LARGEST_JSON {
            let told = format!("it has {} MB, more than such a file needs", length >> 20);
            return Err(self.wrong(name, &told).hint(DOWNLOAD));
        }
        let mut bytes = Vec::new();
        file.take(LARGEST_JSON).read_to_end(&mut bytes).map_err(|error| self.unreadable(name, &error))?;
        Ok(bytes)
    }
}

/// Where a tensor is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stored {
    pub name: String,
    pub shape: Vec<usize>,
    /// Which of the files.
    file: usize,
    /// Where in it.
    at: u64,
    kind: Kind,
}

/// How numbers are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    F32,
    F16,
    Bf16,
}

/// A tensor as the header has it.
#[derive(Debug)]
struct Entry {
    shape: Vec<usize>,
    kind: Dtype,
    file: usize,
    at: u64,
}

/// All tensors of a model, and the files that they are in.
#[derive(Debug)]
pub(super) struct Weights {
    pub folder: Folder,
    files: Vec<(String, File)>,
    tensors: HashMap<String, Entry>,
}

impl Weights {
    /// Finds the tensors in a folder.
    pub fn open(folder: &Path) -> Result<Self> {
        let folder = Folder(folder.to_owned());
        let mut weights = Weights { folder, files: Vec::new(), tensors: HashMap::new() };
        if weights.folder.0.join(WHOLE).exists() {
            weights.tensors = weights.add(WHOLE)?;
        } else if weights.folder.0.join(INDEX).exists() {
            weights.add_all()?;
        } else {
            return Err(without_weights(&weights.folder));
        }
        Ok(weights)
    }

    /// Opens the files that the index names. What it says of a tensor decides, where several files have it.
    fn add_all(&mut self) -> Result<()> {
        let wrong = |told: &str| self.folder.wrong(INDEX, told).hint(DOWNLOAD);
        let index: Value = serde_json::from_slice(&self.folder.bytes(INDEX)?)
            .map_err(|error| wrong(&format!("it is no JSON: {error}")))?;
        let map = index["weight_map"].as_object().ok_or_else(|| wrong("it has no weight_map"))?;
        let mut by_file: HashMap<&str, Vec<&str>> = HashMap::new();
        for (tensor, file) in map {
            let file = file.as_str().filter(|name| is_plain(name));
            let file = file.ok_or_else(|| wrong(&format!("{tensor:?} is in no safetensors file of this folder")))?;
            by_file.entry(file).or_default().push(tensor);
        }
        if by_file.len() > MOST_FILES {
            return Err(wrong(&format!("it names {} files", by_file.len())));
        }
        let mut files: Vec<_> = by_file.into_iter().collect();
        files.sort_unstable();
        for (file, tensors) in files {
            let mut here = self.add(file)?;
            for tensor in tensors {
                let entry = here.remove(tensor).ok_or_else(|| {
                    self.folder.wrong(file, &format!("{tensor:?} should be in it, and is not")).hint(DOWNLOAD)
                })?;
                self.tensors.insert(tensor.to_owned(), entry);
            }
        }
        Ok(())
    }

    /// Opens one file and gives its tensors.
    fn add(&mut self, name: &str) -> Result<HashMap<String, Entry>> {
        let (mut file, length) = self.folder.open(name)?;
        let (header, start) = header(&mut file, length)
            .map_err(|error| self.folder.unreadable(name, &error))?
            .map_err(|fault| self.folder.wrong(name, &fault.told).hint(fault.hint))?;
        let number = self.files.len();
        self.files.push((name.to_owned(), file));
        let entry = |info: &TensorInfo| Entry {
            shape: info.shape.clone(),
            kind: info.dtype,
            file: number,
            at: start + info.data_offsets.0 as u64,
        };
        Ok(header.tensors().into_iter().map(|(name, info)| (name, entry(info))).collect())
    }

    /// The names of all tensors.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tensors.keys().map(String::as_str)
    }

    /// A tensor of this name and shape.
    pub fn find(&self, name: &str, shape: &[usize]) -> Result<Stored> {
        let stored = self.named(name)?;
        if stored.shape == shape {
            return Ok(stored);
        }
        let told = format!("{name} has the shape {:?}, and by config.json it would be {shape:?}", stored.shape);
        Err(self.folder.wrong(&self.files[stored.file].0, &told).hint(MIXED))
    }

    /// A tensor of this name, whatever its shape, of numbers that can be read.
    pub fn named(&self, name: &str) -> Result<Stored> {
        let Some(entry) = self.tensors.get(name) else {
            return Err(self.wrong(&format!("{name} is missing")).hint(DOWNLOAD));
        };
        let kind = match entry.kind {
            Dtype::F32 => Kind::F32,
            Dtype::F16 => Kind::F16,
            Dtype::BF16 => Kind::Bf16,
            other => {
                let told = format!("{name} is of the type {other}, and kb reads F32, F16 and BF16");
                let hint = "take the model's weights as they were before they were quantized";
                return Err(self.folder.wrong(&self.files[entry.file].0, &told).hint(hint));
            }
        };
        Ok(Stored { name: name.to_owned(), shape: entry.shape.clone(), file: entry.file, at: entry.at, kind })
    }

    /// Whether there is a tensor of this name.
    pub fn has(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }

    /// The file that tells where tensors are.
    fn source(&self) -> &str {
        if self.files.len() == 1 { &self.files[0].0 } else { INDEX }
    }

    /// An error about the weights as a whole.
    pub fn wrong(&self, told: &str) -> Error {
        self.folder.wrong(self.source(), told)
    }

    /// Gives the numbers of a tensor from a row on, a piece at a time.
    pub fn each_piece<E: From<Error>>(
        &self,
        stored: &Stored,
        first_row: usize,
        take: &mut dyn FnMut(&[f32]) -> Result<(), E>,
    ) -> Result<(), E> {
        let row: usize = stored.shape.iter().skip(1).product();
        let all: usize = stored.shape.iter().product();
        let mut next = first_row * row;
        while next < all {
            let count = PIECE.min(all - next);
            take(&self.read(stored, next, count)?)?;
            next += count;
        }
        Ok(())
    }

    /// Gives the numbers of a matrix column by column.
    pub fn each_column<E: From<Error>>(
        &self,
        stored: &Stored,
        take: &mut dyn FnMut(&[f32]) -> Result<(), E>,
    ) -> Result<(), E> {
        let all: usize = stored.shape.iter().product();
        let columns = stored.shape.last().copied().unwrap_or(1);
        let floats = self.read(stored, 0, all)?;
        let mut column = Vec::new();
        for number in 0..columns {
            column.clear();
            column.extend(floats.iter().skip(number).step_by(columns));
            take(&column)?;
        }
        Ok(())
    }

    fn read(&self, stored: &Stored, first: usize, count: usize) -> Result<Vec<f32>> {
        let (name, mut file) = (&self.files[stored.file].0, &self.files[stored.file].1);
        let each = if stored.kind == Kind::F32 { 4 } else { 2 };
        let mut bytes = vec![0; count * each];
        file.seek(SeekFrom::Start(stored.at + (first * each) as u64))
            .and_then(|_| file.read_exact(&mut bytes))
            .map_err(|error| self.folder.unreadable(name, &error))?;
        let pairs = || bytes.chunks_exact(2).map(|two| [two[0], two[1]]);
        let fours = || bytes.chunks_exact(4).map(|four| [four[0], four[1], four[2], four[3]]);
        let floats: Vec<f32> = match stored.kind {
            Kind::F16 => pairs().map(|two| f16::from_le_bytes(two).to_f32()).collect(),
            Kind::Bf16 => pairs().map(|two| bf16::from_le_bytes(two).to_f32()).collect(),
            Kind::F32 => fours().map(f32::from_le_bytes).collect(),
        };
        if floats.iter().all(|value| value.is_finite()) {
            return Ok(floats);
        }
        Err(self.folder.wrong(name, &format!("{} has values that are no numbers", stored.name)).hint(DOWNLOAD))
    }
}

/// A name of a file in the same folder.
fn is_plain(name: &str) -> bool {
    name.ends_with(".safetensors") && !name.contains(['/', '\\', ':', '\0'])
}

/// What is wrong with a file, and the next step.
struct Fault {
    told: String,
    hint: &'static str,
}

/// Reads the header of a file, and where the numbers begin.
fn header(file: &mut File, length: u64) -> io::Result<Result<(Metadata, u64), Fault>> {
    let fault = |told: &str| Ok(Err(Fault { told: told.to_owned(), hint: DOWNLOAD }));
    let mut start = [0; 8];
    if length < 8 {
        return fault("it ends before it has begun");
    }
    file.read_exact(&mut start)?;
    if &start == b"version " {
        let told = "it only stands for the weights, as git leaves them without LFS".to_owned();
        return Ok(Err(Fault { told, hint: "fetch them with `git lfs pull`" }));
    }
    let size = u64::from_le_bytes(start);
    if size > length - 8 {
        return fault("it is no safetensors file, or not the whole of one: its header is longer than the file");
    }
    if size > LARGEST_JSON {
        return fault(&format!("its header has {} MB, more than that of any model", size >> 20));
    }
    let mut header = vec![0; size as usize];
    file.read_exact(&mut header)?;
    // What safetensors verifies is written in its `Metadata::validate`: reading it as JSON does so too.
    let metadata: Metadata = match serde_json::from_slice(&header) {
        Ok(metadata) => metadata,
        Err(error) => return fault(&format!("its header is broken: {error}")),
    };
    let (has, says) = (length - 8 - size, metadata.data_len() as u64);
    if has != says {
        return fault(&format!("it is not whole: by its header it has {says} bytes of weights, and there are {has}"));
    }
    Ok(Ok((metadata, 8 + size)))
}

fn without_weights(folder: &Folder) -> Error {
    let has = |name: &str| folder.0.join(name).exists();
    let missing = folder.wrong(WHOLE, "it is not there");
    if ["pytorch_model.bin", "pytorch_model.bin.index.json"].into_iter().any(has) {
        return missing.hint(
            "its weights are there as pytorch_model.bin, which can run any program while it is read: take the model as \
             model.safetensors or as ONNX",
        );
    }
    missing.hint(DOWNLOAD)
}
