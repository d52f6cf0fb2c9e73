//! A folder with a model as Hugging Face lays it out: how its files are looked at, whatever the model is for.
//!
//! A folder is somebody else's work. Everything is looked at before an engine sees it, sizes first, so that a wrong file
//! is named with what to do about it, and a folder of another kind is told from one that is broken.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::outline::{Outline, outline};
use crate::error::{Error, Result, plain_io};
use crate::text::{printable, squeeze, truncate};

/// Protobuf has no larger files: weights beyond are kept beside.
pub(crate) const LARGEST_MODEL: u64 = 2 << 30;
/// The tokenizers of many languages take 17 MB.
const LARGEST_JSON: u64 = 64 << 20;
/// Characters of what is wrong with a file: names in a graph may be as long as it is.
const LONGEST_TOLD: usize = 400;
/// What to do about a folder that lacks something.
pub(super) const DOWNLOAD: &str = "download the folder again, with all its files";

/// The files of a model.
#[derive(Debug, Clone)]
pub(crate) struct ModelFolder {
    folder: PathBuf,
    /// `the reranking model`, in errors.
    called: &'static str,
}

impl ModelFolder {
    pub fn new(folder: &Path, called: &'static str) -> Self {
        ModelFolder { folder: folder.to_owned(), called }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// How it is called in errors.
    pub fn named(&self) -> String {
        format!("{} in {}", self.called, self.folder.display())
    }

    /// An error about one of the files.
    pub fn wrong(&self, file: &str, told: &str) -> Error {
        // Some of it may be a stranger's words, in whatever characters and of whatever length.
        let told = truncate(&squeeze(&printable(told)), LONGEST_TOLD);
        Error::failed(format!("{} cannot be used: {file}: {told}", self.named()))
    }

    fn unreadable(&self, file: &str, error: &std::io::Error) -> Error {
        self.wrong(file, &format!("cannot read it: {}", plain_io(error)))
    }

    /// The first of some files that is there.
    pub fn first_of(&self, names: &[&'static str]) -> Option<&'static str> {
        names.iter().find(|name| self.folder.join(name).is_file()).copied()
    }

    /// The names of inputs and outputs of an ONNX file, read without loading it.
    pub(super) fn outline(&self, name: &str) -> Result<Outline> {
        let path = self.folder.join(name);
        // Before it is opened: opening a pipe waits for somebody to write to it.
        let about = std::fs::metadata(&path).map_err(|error| self.unreadable(name, &error))?;
        if !about.is_file() {
            return Err(self.wrong(name, "it is no file").hint(DOWNLOAD));
        }
        let mut file = File::open(&path).map_err(|error| self.unreadable(name, &error))?;
        let size = about.len();
        if size > LARGEST_MODEL {
            let told = format!("it has {} MB, and ONNX files end at 2048", size >> 20);
            return Err(self.wrong(name, &told).hint("keep its weights beside it, as external data"));
        }
        if size < 1024 {
            let mut start = Vec::new();
            (&mut file).take(1024).read_to_end(&mut start).map_err(|error| self.unreadable(name, &error))?;
            if start.starts_with(b"version https://git-lfs") {
                let told = "it only stands for the model, as git leaves it without LFS";
                return Err(self.wrong(name, told).hint("fetch it with `git lfs pull`"));
            }
        }
        outline(&mut BufReader::new(&mut file)).map_err(|error| {
            self.wrong(name, &format!("it is no ONNX model, or not the whole of one ({error})")).hint(DOWNLOAD)
        })
    }

    /// Looks whether a file is there and no larger than it may be.
    pub fn required(&self, name: &str) -> Result<()> {
        let about = std::fs::metadata(self.folder.join(name)).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => self.wrong(name, "it is not there").hint(DOWNLOAD),
            _ => self.unreadable(name, &error),
        })?;
        if !about.is_file() {
            return Err(self.wrong(name, "it is no file").hint(DOWNLOAD));
        }
        if about.len() > LARGEST_JSON {
            let told = format!("it has {} MB, more than any tokenizer", about.len() >> 20);
            return Err(self.wrong(name, &told).hint(DOWNLOAD));
        }
        Ok(())
    }

    /// What a file has in it.
    pub fn bytes_of(&self, name: &str) -> Result<Vec<u8>> {
        self.required(name)?;
        std::fs::read(self.folder.join(name)).map_err(|error| self.unreadable(name, &error))
    }

    /// A file of JSON, whatever is in it.
    pub fn any_json(&self, name: &str) -> Result<Value> {
        serde_json::from_slice(&self.bytes_of(name)?)
            .map_err(|error| self.wrong(name, &format!("it is no JSON: {error}")).hint(DOWNLOAD))
    }

    /// A file with a JSON object.
    pub fn json(&self, name: &str) -> Result<Value> {
        let value = self.any_json(name)?;
        if value.is_object() { Ok(value) } else { Err(self.wrong(name, "it is no JSON object").hint(DOWNLOAD)) }
    }

    /// A file with a JSON object, where it is there.
    pub fn json_if_there(&self, name: &str) -> Result<Option<Value>> {
        if self.folder.join(name).exists() { self.json(name).map(Some) } else { Ok(None) }
    }
}

/// The token that fills texts up to the same length: what the tokenizer's configuration names, or the special tokens do,
/// or the tokenizer itself has.
pub(super) fn pad_token(folder: &ModelFolder, tokenizer_config: &Value, special: &Value) -> Result<String> {
    let name = |from: &Value| from.as_str().or_else(|| from["content"].as_str()).map(str::to_owned);
    if let Some(pad) = name(&tokenizer_config["pad_token"]).or_else(|| name(&special["pad_token"])) {
        return Ok(pad);
    }
    name(&folder.json("tokenizer.json")?["padding"]["pad_token"])
        .ok_or_else(|| folder.wrong("tokenizer_config.json", "it names no pad_token").hint(DOWNLOAD))
}

/// Looks whether the configuration's token for filling up can be one.
pub(super) fn check_pad_id(folder: &ModelFolder, config: &Value) -> Result<()> {
    if config["pad_token_id"].as_u64().is_some_and(|id| u32::try_from(id).is_err()) {
        return Err(folder.wrong("config.json", "pad_token_id is no token").hint(DOWNLOAD));
    }
    Ok(())
}
