//! A folder with a cross-encoder as Hugging Face lays it out: what must be there, and what is wrong where it is not.
//!
//! How its files are looked at stands in [`folder`](super::folder).

use std::path::{Path, PathBuf};

use fastembed::TokenizerFiles;
use serde_json::{Value, json};

use super::folder::{DOWNLOAD, ModelFolder, check_pad_id, pad_token};
use super::outline::{FLOAT, Outline};
use crate::error::{Error, Result};

/// Where the model may be, the best first.
const MODELS: [&str; 4] = ["model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx"];
/// What fastembed gives to a model.
const INPUTS: [&str; 3] = ["input_ids", "attention_mask", "token_type_ids"];
/// What it takes from it.
const OUTPUT: &str = "logits";
/// Pairs of question and passage are cut to so many tokens where the model takes more.
const MOST_TOKENS: u64 = 512;
/// A model that takes fewer cannot read a passage.
const FEWEST_TOKENS: u64 = 16;

const EXPORT: &str = "`optimum-cli export onnx --task text-classification` writes a reranker as ONNX";

/// The files of a cross-encoder, found and looked at, but not loaded.
pub(super) struct CrossEncoderFolder {
    files: ModelFolder,
    /// The ONNX file.
    pub model: PathBuf,
    /// What it and the weights beside it have in bytes.
    pub bytes: u64,
}

impl CrossEncoderFolder {
    /// Looks at a folder.
    ///
    /// # Errors
    /// Where it is none, or does not have a cross-encoder in it.
    pub fn open(folder: &Path) -> Result<Self> {
        match std::fs::metadata(folder) {
            Ok(about) if about.is_dir() => {}
            Ok(_) => {
                return Err(Error::usage(format!("{} is a file; a reranking model is a folder", folder.display()))
                    .hint("name the folder that has model.onnx and tokenizer.json in it"));
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let told = format!("there is no folder {} to rerank with", folder.display());
                return Err(Error::usage(told).hint(
                    "name a folder with model.onnx and tokenizer.json as Hugging Face lays it out, a model that `kb models` \
                     lists, or light or off",
                ));
            }
            Err(error) => return Err(Error::io("read", folder, &error)),
        }
        let files = ModelFolder::new(folder, "the reranking model");
        let name = files.first_of(&MODELS).ok_or_else(|| without_model(folder))?;
        check_outline(&files.outline(name)?).map_err(|told| files.wrong(name, &told).hint(EXPORT))?;
        files.required("tokenizer.json")?;
        files.required("config.json")?;
        files.required("tokenizer_config.json")?;
        let model = folder.join(name);
        Ok(CrossEncoderFolder { files, bytes: weight(&model), model })
    }

    /// Reads what tells words from each other, and what stands around them.
    ///
    /// # Errors
    /// Where a file is missing or broken; whether the tokenizer itself is, only loading it tells.
    pub fn tokenizer(&self) -> Result<TokenizerFiles> {
        let (special_tokens_map_file, config_file, tokenizer_config_file) = self.settings()?;
        let tokenizer_file = self.files.bytes_of("tokenizer.json")?;
        Ok(TokenizerFiles { tokenizer_file, config_file, special_tokens_map_file, tokenizer_config_file })
    }

    /// The small files, as fastembed wants them: the special tokens, the configurations of model and tokenizer.
    pub fn settings(&self) -> Result<(Vec<u8>, Vec<u8>, Vec<u8>)> {
        let files = &self.files;
        let config = files.json("config.json")?;
        let tokenizer_config = files.json("tokenizer_config.json")?;
        // Newer folders say what is in here in tokenizer_config.json.
        let special = files.json_if_there("special_tokens_map.json")?.unwrap_or_else(|| json!({}));
        check_labels(&config).map_err(|told| self.wrong("config.json", &told).hint(EXPORT))?;
        check_pad_id(files, &config)?;
        let pad_id = &config["pad_token_id"];
        let pad = pad_token(files, &tokenizer_config, &special)?;
        let most = [&tokenizer_config["model_max_length"], &config["max_position_embeddings"]]
            .into_iter()
            .filter_map(Value::as_f64)
            .map(|most| most as u64)
            .fold(MOST_TOKENS, u64::min);
        if most < FEWEST_TOKENS {
            let told = format!("it says that the model takes {most} tokens, too few for a passage");
            return Err(self.wrong("tokenizer_config.json", &told).hint(DOWNLOAD));
        }
        // fastembed reads nothing else of these two, and wants all of it.
        let (config, tokenizer) =
            (json!({ "pad_token_id": pad_id }), json!({ "model_max_length": most, "pad_token": pad }));
        let bytes = |value: Value| value.to_string().into_bytes();
        Ok((bytes(special), bytes(config), bytes(tokenizer)))
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        self.files.path()
    }

    /// An error about one of the files.
    pub fn wrong(&self, file: &str, told: &str) -> Error {
        self.files.wrong(file, told)
    }

    /// The name of the model's file within the folder.
    pub fn model_name(&self) -> String {
        self.model.strip_prefix(self.folder()).unwrap_or(&self.model).display().to_string()
    }
}

/// The error about a folder that has no ONNX file where one is looked for.
fn without_model(folder: &Path) -> Error {
    let has = |name: &str| folder.join(name).exists();
    let missing =
        Error::failed(format!("the reranking model in {} cannot be used: there is no model.onnx", folder.display()));
    if has("model.safetensors") || has("pytorch_model.bin") {
        return missing.hint(format!("its weights are there, but not as ONNX; {EXPORT}"));
    }
    missing.hint(format!("one of these is looked for: {}", MODELS.join(", ")))
}

/// The bytes of a model with the weights beside it, which have its name and more.
fn weight(model: &Path) -> u64 {
    let own = std::fs::metadata(model).map_or(0, |about| about.len());
    let (Some(folder), Some(name)) = (model.parent(), model.file_name()) else { return own };
    // A folder that cannot be listed may still have a model that can be read: then its own size must do.
    let Ok(entries) = std::fs::read_dir(folder) else { return own };
    let beside = entries.flatten().filter(|entry| {
        let other = entry.file_name();
        other != name && other.to_string_lossy().starts_with(&*name.to_string_lossy())
    });
    own + beside.filter_map(|entry| std::fs::metadata(entry.path()).ok()).map(|about| about.len()).sum::<u64>()
}

/// What tells a cross-encoder from other models: what it takes, and that it gives one number for a pair.
fn check_outline(outline: &Outline) -> std::result::Result<(), String> {
    let list = |names: Vec<&str>| if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
    let asked: Vec<&str> = outline.inputs.iter().map(String::as_str).collect();
    if let Some(unknown) = asked.iter().find(|name| !INPUTS.contains(name)) {
        return Err(format!(
            "it is no cross-encoder that kb can run: it wants {unknown}, and gets {}",
            INPUTS.join(", ")
        ));
    }
    if let Some(missing) = INPUTS[..2].iter().find(|name| !asked.contains(name)) {
        return Err(format!("it is no cross-encoder: it does not take {missing}, only {}", list(asked)));
    }
    let Some(logits) = outline.outputs.iter().find(|output| output.name == OUTPUT) else {
        let given = list(outline.outputs.iter().map(|output| output.name.as_str()).collect());
        return Err(format!("it is no cross-encoder: it gives {given}, not {OUTPUT}"));
    };
    if logits.kind != Some(FLOAT) {
        return Err("its logits are no 32-bit numbers".to_owned());
    }
    match logits.shape.as_deref() {
        None | Some([_, None | Some(1)]) => Ok(()),
        Some([_, Some(labels)]) => {
            Err(format!("it is no reranker: it gives {labels} numbers for a pair, and one is wanted"))
        }
        Some(shape) => Err(format!("its logits have {} dimensions, and two are wanted", shape.len())),
    }
}

/// The same by what the configuration says, where the model does not say it.
fn check_labels(config: &Value) -> std::result::Result<(), String> {
    match config["id2label"].as_object().map_or(1, serde_json::Map::len) {
        0 | 1 => Ok(()),
        labels => Err(format!("the model is no reranker: it tells {labels} labels apart, and one is wanted")),
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

    /// What is said of a folder in which one file is other than it should be; gone, where there is nothing in it.
    fn told(file: &str, content: Option<&[u8]>) -> String {
        let folder = good();
        let path = folder.path().join(file);
        match content {
            Some(content) => std::fs::write(&path, content).unwrap(),
            None => std::fs::remove_file(&path).unwrap(),
        }
        let read = CrossEncoderFolder::open(folder.path()).and_then(|opened| opened.tokenizer());
        read.map_or_else(|error| error.to_line(), |_| String::new())
    }

    fn broken(name: &str) -> Vec<u8> {
        let folder = in_repository("fixtures/rerank/broken");
        std::fs::read(folder.join(name)).unwrap()
    }

    #[test]
    fn a_good_folder_is_taken_with_and_without_what_newer_ones_leave_out() {
        assert_eq!(told("special_tokens_map.json", None), "");
        assert_eq!(told("tokenizer_config.json", Some(b"{}")), "", "its special tokens name the padding");
        let folder = good();
        std::fs::create_dir(folder.path().join("onnx")).unwrap();
        std::fs::rename(folder.path().join("model.onnx"), folder.path().join("onnx/model_quantized.onnx")).unwrap();
        assert_eq!(CrossEncoderFolder::open(folder.path()).unwrap().model_name(), "onnx/model_quantized.onnx");
    }

    #[test]
    fn each_file_that_is_missing_or_broken_is_named_with_what_to_do() {
        for (file, content, says) in [
            ("model.onnx", None, "there is no model.onnx; one of these is looked for: model.onnx, onnx/model.onnx"),
            ("model.onnx", Some(&b"junk"[..]), "model.onnx: it is no ONNX model"),
            ("model.onnx", Some(b""), "model.onnx: it is no ONNX model"),
            ("model.onnx", Some(b"version https://git-lfs.github.com/spec/v1\n"), "git lfs pull"),
            ("model.onnx", Some(&broken("other-output.onnx")), "it gives last_hidden_state, not logits"),
            ("model.onnx", Some(&broken("three-labels.onnx")), "it gives 3 numbers for a pair"),
            ("model.onnx", Some(&broken("wants-positions.onnx")), "it wants position_ids"),
            ("tokenizer.json", None, "tokenizer.json: it is not there; download"),
            ("config.json", None, "config.json: it is not there"),
            ("config.json", Some(b"[]"), "config.json: it is no JSON object"),
            ("config.json", Some(br#"{"id2label": {"0": "a", "1": "b"}}"#), "it tells 2 labels apart"),
            ("config.json", Some(br#"{"pad_token_id": 5000000000}"#), "pad_token_id is no token"),
            ("tokenizer_config.json", None, "tokenizer_config.json: it is not there"),
            ("tokenizer_config.json", Some(br#"{"model_max_length": 3}"#), "takes 3 tokens"),
            ("special_tokens_map.json", Some(b"\xff\xfe"), "special_tokens_map.json: it is no JSON"),
        ] {
            let found = told(file, content);
            assert!(found.contains(says), "{file}: {found:?} does not say {says:?}");
        }
        let deep = "[".repeat(100_000);
        assert!(told("config.json", Some(deep.as_bytes())).contains("no JSON"));
    }

    #[test]
    fn names_files_and_weights_of_another_kind_are_told_from_folders() {
        let open = |path: &Path| CrossEncoderFolder::open(path).map_or_else(|error| error.to_line(), |_| String::new());
        assert!(open(Path::new("/no/such/model")).contains("a model that `kb models` lists"));
        let folder = good();
        assert!(open(&folder.path().join("model.onnx")).contains("is a file"));
        std::fs::rename(folder.path().join("model.onnx"), folder.path().join("model.safetensors")).unwrap();
        assert!(open(folder.path()).contains("optimum-cli"));
    }

    #[test]
    fn files_that_are_too_large_are_not_read() {
        let folder = good();
        for (name, says) in [("tokenizer.json", "more than any tokenizer"), ("model.onnx", "external data")] {
            let file = File::options().write(true).open(folder.path().join(name)).unwrap();
            // A hole: it takes no room on the disk.
            file.set_len(3 << 30).unwrap();
            let error = CrossEncoderFolder::open(folder.path()).err().unwrap();
            assert!(error.to_line().contains(says), "{error}");
        }
    }

    #[test]
    fn the_weights_beside_a_model_count() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("model.onnx"), [0; 10]).unwrap();
        std::fs::write(folder.path().join("model.onnx_data"), [0; 90]).unwrap();
        std::fs::write(folder.path().join("model_quantized.onnx"), [0; 50]).unwrap();
        assert_eq!(weight(&folder.path().join("model.onnx")), 100);
    }
}
