//! The record beside a model's files: its configuration, determined and tried when the model was added.
//!
//! The record is written last and read first. So a folder without one is not a model, and loading a model does not
//! interpret the model's own configuration again.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::embed::{EmbeddingConfig, Model, ModelFiles, Source};
use crate::error::{Error, NextStep, Result, plain_io};

/// The record's name in a model's folder.
pub(super) const RECORD: &str = "kb-model.json";

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelKind {
    /// Text to a vector.
    #[default]
    Text,
    /// Question and chunk to a number.
    Rerank,
}

impl ModelKind {
    pub fn name(self) -> &'static str {
        match self {
            ModelKind::Text => "embedding",
            ModelKind::Rerank => "reranking",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelFile {
    /// Relative to the model's folder.
    pub path: String,
    pub bytes: u64,
}

/// An installed model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    pub format: u32,
    pub name: String,
    pub kind: ModelKind,
    /// `None` for a reranking model.
    pub embedding_config: Option<EmbeddingConfig>,
    /// For people.
    pub languages: Option<String>,
    pub licence: Option<String>,
    /// Files with weights beside the ONNX file, by the names that the graph uses.
    pub external: Vec<String>,
    pub files: Vec<ModelFile>,
    /// The hash of everything that vectors depend on; `None` for a reranking model.
    pub fingerprint: Option<String>,
    /// The cosine of unrelated texts; `None` for a reranking model.
    pub unrelated: Option<f32>,
    /// A folder, or an address on a hub.
    pub from: String,
}

impl Record {
    pub const FORMAT: u32 = 1;

    /// The record of the model in a folder.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(RECORD);
        let unusable = |reason: String| {
            Error::failed(format!("the model in {} cannot be used: {reason}", folder.display()))
                .hint(format!("remove it with `{}` and add it again", NextStep::RemoveModel("NAME")))
        };
        let unreadable = |error: std::io::Error| unusable(format!("{RECORD}: {}", plain_io(&error))).caused_by(error);
        let bytes = std::fs::read(&path).map_err(unreadable)?;
        let damaged = |error: serde_json::Error| unusable(format!("{RECORD} is damaged: {error}"));
        let json: Value = serde_json::from_slice(&bytes).map_err(damaged)?;
        if let Some(format) = json["format"].as_u64().filter(|format| *format > u64::from(Record::FORMAT)) {
            return Err(unusable(format!("a newer version of kb added it (format {format})")).hint("update kb"));
        }
        let record: Record = serde_json::from_value(json).map_err(damaged)?;
        for ModelFile { path, bytes } in &record.files {
            match std::fs::metadata(folder.join(path)).map(|about| about.len()) {
                Ok(length) if length == *bytes => {}
                Ok(length) => {
                    return Err(unusable(format!("{path} has {length} bytes, and had {bytes} when it was added")));
                }
                Err(error) => return Err(unusable(format!("{path}: {}", plain_io(&error))).caused_by(error)),
            }
        }
        Ok(record)
    }

    pub fn write(&self, folder: &Path) -> Result<()> {
        let path = folder.join(RECORD);
        let text = serde_json::to_string_pretty(self).expect("a record has text keys only");
        std::fs::write(&path, text + "\n").map_err(cannot("write", &path))
    }

    /// The size of all files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    /// Its repository on a hub, `OWNER/NAME`; `None` if it came from a folder.
    pub fn repository(&self) -> Option<&str> {
        let address = ["https://", "http://"].into_iter().find_map(|scheme| self.from.strip_prefix(scheme))?;
        let (place, _revision) = address.rsplit_once('@')?;
        let (owner, _) = place.rmatch_indices('/').nth(1)?;
        place.get(owner + 1..)
    }

    /// The embedding model in `folder`; `None` for a reranking model.
    pub fn model(&self, folder: &Path) -> Option<Model> {
        Some(Model {
            name: self.name.clone(),
            embedding_config: self.embedding_config.clone()?,
            fingerprint: self.fingerprint.clone()?,
            source: Source::Folder(ModelFiles { folder: folder.to_owned(), external: self.external.clone() }),
            unrelated: self.unrelated?,
        })
    }
}

/// The error about a file or folder, for `map_err`.
pub(super) fn cannot<'p>(doing: &'static str, path: &'p Path) -> impl Fn(std::io::Error) -> Error + 'p {
    move |error| Error::io(doing, path, &error)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn record(name: &str) -> Record {
        Record {
            format: Record::FORMAT,
            name: name.to_owned(),
            kind: ModelKind::Text,
            embedding_config: Some(EmbeddingConfig { dimension: 4, ..Model::embedded().embedding_config.clone() }),
            languages: None,
            licence: None,
            external: Vec::new(),
            files: vec![ModelFile { path: "model.onnx".to_owned(), bytes: 3 }],
            fingerprint: Some("f".to_owned()),
            unrelated: Some(0.0),
            from: "somewhere".to_owned(),
        }
    }

    #[test]
    fn only_a_model_from_a_hub_has_a_repository() {
        let repository = |from: &str| Record { from: from.to_owned(), ..record("x") }.repository().map(str::to_owned);
        let ours = Some("ours/tiny".to_owned());
        assert_eq!(repository("https://hub.example.org/ours/tiny@main"), ours);
        assert_eq!(repository("http://127.0.0.1:80/hub/ours/tiny@0123"), ours);
        for folder in ["/home/x/ours/tiny@main", "C:\\ours\\tiny", "https://tiny@main", "https://a/tiny@main"] {
            assert_eq!(repository(folder), None, "{folder}");
        }
    }

    #[test]
    fn damaged_records_and_changed_files_are_reported() {
        let folder = tempfile::tempdir().unwrap();
        let message = || Record::read(folder.path()).unwrap_err().to_line();
        assert!(message().contains("no such file"), "{}", message());
        record("x").write(folder.path()).unwrap();
        assert!(message().contains("model.onnx: no such file"), "{}", message());
        std::fs::write(folder.path().join("model.onnx"), "abcd").unwrap();
        assert!(message().contains("has 4 bytes, and had 3") && message().contains("add it again"), "{}", message());
        std::fs::write(folder.path().join(RECORD), "{\"format\": 9}").unwrap();
        assert!(message().contains("a newer version"), "{}", message());
        for broken in ["", "[]", "{\"format\": 1}", "{"] {
            std::fs::write(folder.path().join(RECORD), broken).unwrap();
            assert!(message().contains(RECORD), "{broken}: {}", message());
        }
    }
}
