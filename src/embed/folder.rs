//! A folder with a model in the layout of Hugging Face: reading its files, for embedding models and cross-encoders
//! alike.
//!
//! Nothing in a folder is trusted. Every file is checked before an engine sees it, its size first. So an error names
//! the file and the next step, and tells a folder of another kind from a broken one.

use std::path::{Path, PathBuf};

use fastembed::TokenizerFiles;
use serde_json::{Value, json};

use super::onnx::{self, GraphSignature};
use crate::error::{Error, Result, plain_io};
use crate::text::{printable, squeeze, truncate};

/// Paths of the graph, best first.
pub(crate) const GRAPHS: [&str; 8] = [
    "model.onnx",
    "onnx/model.onnx",
    "model_optimized.onnx",
    "onnx/model_optimized.onnx",
    "model_quantized.onnx",
    "onnx/model_quantized.onnx",
    "model_int8.onnx",
    "onnx/model_int8.onnx",
];
/// The limit of Protobuf; larger models keep their weights in files beside the graph.
const LARGEST_MODEL: u64 = 2 << 30;
/// Multilingual tokenizers have 17 MB.
const LARGEST_JSON: u64 = 64 << 20;
/// In characters: a name in a graph may be as long as the file.
const LONGEST_REASON: usize = 400;
/// The inputs that fastembed passes to a model.
const INPUTS: [&str; 3] = ["input_ids", "attention_mask", "token_type_ids"];
/// A model that takes fewer tokens cannot read a chunk.
pub(super) const FEWEST_TOKENS: u64 = 16;
pub(crate) const DOWNLOAD: &str = "download the folder again, with all its files";

#[derive(Debug, Clone)]
pub(crate) struct ModelFolder {
    pub folder: PathBuf,
    /// Its name in errors, such as `the reranking model`.
    kind: &'static str,
}

impl ModelFolder {
    pub fn new(folder: &Path, kind: &'static str) -> Self {
        ModelFolder { folder: folder.to_owned(), kind }
    }

    /// The error about a file that makes the model unusable.
    pub fn unusable(&self, file: &str, reason: &str) -> Error {
        // A reason may quote untrusted text of any length with any characters.
        let reason = truncate(&squeeze(&printable(reason)), LONGEST_REASON);
        Error::failed(format!("{} in {} cannot be used: {file}: {reason}", self.kind, self.folder.display()))
    }

    fn unreadable(&self, file: &str, error: &std::io::Error) -> Error {
        self.unusable(file, &format!("cannot read it: {}", plain_io(error)))
    }

    /// The best of [`GRAPHS`] that is in the folder.
    ///
    /// # Errors
    /// The path is not a folder, or the folder has none of them.
    pub fn graph(&self) -> Result<&'static str> {
        let folder = self.folder.display();
        if !std::fs::metadata(&self.folder).map_err(|error| Error::io("read", &self.folder, &error))?.is_dir() {
            return Err(Error::usage(format!("{folder} is a file; a model is a folder"))
                .hint("name the folder with model.onnx and tokenizer.json"));
        }
        if let Some(name) = GRAPHS.into_iter().find(|name| self.folder.join(name).is_file()) {
            return Ok(name);
        }
        let has = |name: &str| self.folder.join(name).exists();
        let export = format!("`optimum-cli export onnx --model {folder} OUT` writes an ONNX model into OUT");
        let (reason, hint) = if has("model.safetensors") || has("model.safetensors.index.json") {
            ("it has weights (model.safetensors) and no ONNX graph", export)
        } else if has("pytorch_model.bin") {
            ("its weights are a pickle (pytorch_model.bin); kb never reads one, because that can run any code", export)
        } else {
            ("there is no model.onnx", format!("kb looks for {}", GRAPHS.join(", ")))
        };
        Err(Error::failed(format!("{} in {folder} cannot be used: {reason}", self.kind)).hint(hint))
    }

    /// The inputs and outputs of an ONNX file.
    pub(super) fn signature(&self, name: &str) -> Result<GraphSignature> {
        let size = self.size_of_file(name)?;
        if size > LARGEST_MODEL {
            let reason = format!("it has {} MB, more than the 2048 of an ONNX file", size >> 20);
            return Err(self.unusable(name, &reason).hint("keep its weights beside it, as external data"));
        }
        let file = std::fs::read(self.folder.join(name)).map_err(|error| self.unreadable(name, &error))?;
        if file.starts_with(b"version https://git-lfs") {
            let reason = "it is a placeholder of git without LFS";
            return Err(self.unusable(name, reason).hint("fetch the file with `git lfs pull`"));
        }
        onnx::signature(file)
            .map_err(|error| self.unusable(name, &format!("not a complete ONNX model ({error})")).hint(DOWNLOAD))
    }

    /// The size of a regular file. Call it before opening the file: opening a pipe would wait for a writer.
    fn size_of_file(&self, name: &str) -> Result<u64> {
        let about = std::fs::metadata(self.folder.join(name)).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => self.unusable(name, "the file is missing").hint(DOWNLOAD),
            _ => self.unreadable(name, &error),
        })?;
        if about.is_file() { Ok(about.len()) } else { Err(self.unusable(name, "not a regular file").hint(DOWNLOAD)) }
    }

    /// Checks that a file exists and is not too large.
    pub fn required(&self, name: &str) -> Result<()> {
        let size = self.size_of_file(name)?;
        if size > LARGEST_JSON {
            let reason = format!("it has {} MB, more than any tokenizer", size >> 20);
            return Err(self.unusable(name, &reason).hint(DOWNLOAD));
        }
        Ok(())
    }

    pub fn bytes_of(&self, name: &str) -> Result<Vec<u8>> {
        self.required(name)?;
        std::fs::read(self.folder.join(name)).map_err(|error| self.unreadable(name, &error))
    }

    pub fn any_json(&self, name: &str) -> Result<Value> {
        serde_json::from_slice(&self.bytes_of(name)?)
            .map_err(|error| self.unusable(name, &format!("invalid JSON: {error}")).hint(DOWNLOAD))
    }

    /// A file with a JSON object.
    pub fn json(&self, name: &str) -> Result<Value> {
        let value = self.any_json(name)?;
        if value.is_object() { Ok(value) } else { Err(self.unusable(name, "not a JSON object").hint(DOWNLOAD)) }
    }

    /// A file with a JSON object; `None` if the file is missing.
    pub fn json_if_there(&self, name: &str) -> Result<Option<Value>> {
        if self.folder.join(name).exists() { self.json(name).map(Some) } else { Ok(None) }
    }

    /// The small files, reduced to what fastembed reads.
    ///
    /// # Errors
    /// A file is missing or broken. Whether the tokenizer is valid shows only when it is loaded.
    pub(super) fn tokenizer_files(&self, max_tokens: u64) -> Result<TokenizerFiles> {
        let config = self.json("config.json")?;
        let settings = self.json_if_there("tokenizer_config.json")?.unwrap_or_else(|| json!({}));
        // Newer folders have its contents in tokenizer_config.json.
        let special = self.json_if_there("special_tokens_map.json")?.unwrap_or_else(|| json!({}));
        if config["pad_token_id"].as_u64().is_some_and(|id| u32::try_from(id).is_err()) {
            return Err(self.unusable("config.json", "pad_token_id is too large for a token").hint(DOWNLOAD));
        }
        let name = |from: &Value| from.as_str().or_else(|| from["content"].as_str()).map(str::to_owned);
        let pad = match name(&settings["pad_token"]).or_else(|| name(&special["pad_token"])) {
            Some(pad) => pad,
            None => name(&self.json("tokenizer.json")?["padding"]["pad_token"])
                .ok_or_else(|| self.unusable("tokenizer_config.json", "it names no pad_token").hint(DOWNLOAD))?,
        };
        let bytes = |value: Value| value.to_string().into_bytes();
        Ok(TokenizerFiles {
            tokenizer_file: self.bytes_of("tokenizer.json")?,
            config_file: bytes(json!({ "pad_token_id": config["pad_token_id"] })),
            special_tokens_map_file: bytes(special),
            tokenizer_config_file: bytes(json!({ "model_max_length": max_tokens, "pad_token": pad })),
        })
    }
}

/// Checks that a graph takes tokens as fastembed passes them. `kind` names the wanted model.
pub(super) fn check_inputs(signature: &GraphSignature, kind: &str) -> Result<(), String> {
    let inputs = &signature.inputs;
    if let Some(unknown) = inputs.iter().find(|name| !INPUTS.contains(&name.as_str())) {
        return Err(format!("not {kind} that kb can run: it wants {unknown}, and kb passes {}", INPUTS.join(", ")));
    }
    match INPUTS[..2].iter().find(|name| !inputs.iter().any(|input| input == *name)) {
        Some(missing) => Err(format!("not {kind}: it does not take {missing}, only {}", listed(inputs))),
        None => Ok(()),
    }
}

/// Names in an error; `nothing` if there are none.
pub(super) fn listed(names: &[impl AsRef<str>]) -> String {
    match names {
        [] => "nothing".to_owned(),
        names => names.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", "),
    }
}
