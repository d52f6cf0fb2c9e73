//! A folder with a cross-encoder in the layout of Hugging Face: checks its files and names what is wrong.

use std::path::Path;

use fastembed::TokenizerFiles;
use serde_json::Value;

use super::folder::{DOWNLOAD, FEWEST_TOKENS, ModelFolder, check_inputs, listed};
use super::onnx::{FLOAT, GraphSignature};
use crate::error::{Error, NextStep, Result, Setting};

/// Pairs of question and chunk are truncated to this many tokens, even if the model takes more.
const MOST_TOKENS: u64 = 512;

const EXPORT: &str =
    "`optimum-cli export onnx --task text-classification --model FOLDER OUT` writes a reranker as ONNX";

/// The files of a cross-encoder, checked but not loaded.
pub(super) struct CrossEncoderFolder {
    pub files: ModelFolder,
    /// The path of the ONNX file in the folder.
    pub graph: &'static str,
    /// The size of the graph and the weights beside it.
    pub bytes: u64,
}

impl CrossEncoderFolder {
    /// Checks a folder.
    ///
    /// # Errors
    /// It is not a folder, or holds no cross-encoder.
    pub fn open(folder: &Path) -> Result<Self> {
        if !folder.exists() {
            let (list, rerank) = (NextStep::ListModels, Setting("rerank"));
            let others = format!("a model that `{list}` lists, or light or off as {rerank}");
            return Err(Error::usage(format!("no such folder {}", folder.display()))
                .hint(format!("name a folder with model.onnx and tokenizer.json, {others}")));
        }
        let files = ModelFolder::new(folder, "the reranking model");
        let graph = files.graph()?;
        check_signature(&files.signature(graph)?).map_err(|reason| files.unusable(graph, &reason).hint(EXPORT))?;
        for name in ["tokenizer.json", "config.json", "tokenizer_config.json"] {
            files.required(name)?;
        }
        Ok(CrossEncoderFolder { files, bytes: size_with_weights(&folder.join(graph)), graph })
    }

    /// The small files as fastembed wants them.
    ///
    /// # Errors
    /// A file is missing or broken. Whether the tokenizer is valid shows only when it is loaded.
    pub fn tokenizer(&self) -> Result<TokenizerFiles> {
        let config = self.files.json("config.json")?;
        let settings = self.files.json("tokenizer_config.json")?;
        check_labels(&config).map_err(|reason| self.files.unusable("config.json", &reason).hint(EXPORT))?;
        let limits = [&settings["model_max_length"], &config["max_position_embeddings"]].map(Value::as_f64);
        let most = limits.into_iter().flatten().map(|most| most as u64).fold(MOST_TOKENS, u64::min);
        if most < FEWEST_TOKENS {
            let reason = format!("the model takes {most} tokens, too few for a chunk");
            return Err(self.files.unusable("tokenizer_config.json", &reason).hint(DOWNLOAD));
        }
        self.files.tokenizer_files(most)
    }
}

/// The bytes of a graph and of the weights beside it, whose names begin with the graph's.
fn size_with_weights(model: &Path) -> u64 {
    let own = std::fs::metadata(model).map_or(0, |about| about.len());
    let (Some(folder), Some(name)) = (model.parent(), model.file_name()) else { return own };
    // A folder that cannot be listed may still hold a readable model; then the size of the graph alone counts.
    let Ok(entries) = std::fs::read_dir(folder) else { return own };
    let beside = entries.flatten().filter(|entry| {
        let other = entry.file_name();
        other != name && other.to_string_lossy().starts_with(&*name.to_string_lossy())
    });
    own + beside.filter_map(|entry| std::fs::metadata(entry.path()).ok()).map(|about| about.len()).sum::<u64>()
}

/// Checks that a graph takes tokens and gives one number for a pair.
fn check_signature(signature: &GraphSignature) -> Result<(), String> {
    check_inputs(signature, "a cross-encoder")?;
    let Some(logits) = signature.outputs.iter().find(|output| output.name == "logits") else {
        let names: Vec<&str> = signature.outputs.iter().map(|output| output.name.as_str()).collect();
        return Err(format!("not a cross-encoder: it gives {}, not logits", listed(&names)));
    };
    if logits.kind != Some(FLOAT) {
        return Err("its logits are not 32-bit numbers".to_owned());
    }
    match logits.shape.as_deref() {
        None | Some([_, None | Some(1)]) => Ok(()),
        Some([_, Some(labels)]) => Err(format!("not a reranker: it gives {labels} numbers for a pair instead of one")),
        Some(shape) => Err(format!("its logits have {} dimensions instead of two", shape.len())),
    }
}

/// Checks the number of labels in the configuration, for graphs without a fixed shape.
fn check_labels(config: &Value) -> Result<(), String> {
    match config["id2label"].as_object().map_or(1, serde_json::Map::len) {
        0 | 1 => Ok(()),
        labels => Err(format!("the model is not a reranker: it has {labels} labels instead of one")),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;
    use crate::repository::in_repository;

    /// A folder with the fixture in it.
    fn good() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let from = in_repository("fixtures/rerank");
        for entry in std::fs::read_dir(from).unwrap().flatten().filter(|entry| entry.path().is_file()) {
            std::fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
        }
        folder
    }

    /// The error about a folder in which one file is replaced or missing.
    fn error_with(file: &str, content: Option<&[u8]>) -> String {
        let folder = good();
        let path = folder.path().join(file);
        match content {
            Some(content) => std::fs::write(&path, content).unwrap(),
            None => std::fs::remove_file(&path).unwrap(),
        }
        let read = CrossEncoderFolder::open(folder.path()).and_then(|opened| opened.tokenizer());
        read.map_or_else(|error| error.to_line(), |_| String::new())
    }

    #[test]
    fn files_that_newer_folders_leave_out_are_optional() {
        assert_eq!(error_with("special_tokens_map.json", None), "");
        assert_eq!(error_with("tokenizer_config.json", Some(b"{}")), "", "its special tokens name the padding");
        let folder = good();
        std::fs::create_dir(folder.path().join("onnx")).unwrap();
        std::fs::rename(folder.path().join("model.onnx"), folder.path().join("onnx/model_quantized.onnx")).unwrap();
        assert_eq!(CrossEncoderFolder::open(folder.path()).unwrap().graph, "onnx/model_quantized.onnx");
    }

    #[test]
    fn an_error_names_the_missing_or_broken_file_and_the_next_step() {
        for (file, content, says) in [
            ("config.json", None, "config.json: the file is missing"),
            ("config.json", Some(&br#"{"id2label": {"0": "a", "1": "b"}}"#[..]), "it has 2 labels"),
            ("tokenizer_config.json", None, "tokenizer_config.json: the file is missing"),
            ("tokenizer_config.json", Some(br#"{"model_max_length": 3}"#), "takes 3 tokens"),
            ("special_tokens_map.json", Some(b"\xff\xfe"), "special_tokens_map.json: invalid JSON"),
        ] {
            let found = error_with(file, content);
            assert!(found.contains(says), "{file}: {found:?} lacks {says:?}");
        }
    }

    #[test]
    fn an_oversized_graph_is_refused() {
        let folder = good();
        let file = File::options().write(true).open(folder.path().join("model.onnx")).unwrap();
        // A sparse file takes no space on the disk.
        file.set_len(3 << 30).unwrap();
        let error = CrossEncoderFolder::open(folder.path()).err().unwrap();
        assert!(error.to_line().contains("external data"), "{error}");
    }

    #[test]
    fn weights_beside_a_model_count() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("model.onnx"), [0; 10]).unwrap();
        std::fs::write(folder.path().join("model.onnx_data"), [0; 90]).unwrap();
        std::fs::write(folder.path().join("model_quantized.onnx"), [0; 50]).unwrap();
        assert_eq!(size_with_weights(&folder.path().join("model.onnx")), 100);
    }
}
