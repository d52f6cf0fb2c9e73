//! What is kept beside a model's files: its habits, found out and tried when it was added.
//!
//! The record is written last and read first, so a folder without one is no model, and nothing of the model's own
//! configuration has to be understood again when it is loaded.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::embed::{Habits, Model, ModelFiles, Source};
use crate::error::{Error, Result, plain_io};

/// The record's name in a model's folder.
pub const RECORD: &str = "kb-model.json";
/// The ONNX file's name there.
pub const GRAPH: &str = "model.onnx";
/// The format of the record.
const FORMAT: u32 = 1;
/// A record takes a kilobyte.
const LARGEST: u64 = 1 << 20;

/// What a model is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelKind {
    /// Text to a vector.
    Text,
    /// Question and passage to a number.
    Rerank,
}

impl ModelKind {
    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            ModelKind::Text => "embedding",
            ModelKind::Rerank => "reranking",
        }
    }
}

/// A file of a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelFile {
    /// Its path within the folder.
    pub path: String,
    /// Its length.
    pub bytes: u64,
}

/// A model that is here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The format of this record.
    pub format: u32,
    /// What the model is called.
    pub name: String,
    /// What it is for.
    pub kind: ModelKind,
    /// How it wants to be used; a reranking model says that itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub habits: Option<Habits>,
    /// Its languages, in words, where they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub languages: Option<String>,
    /// Its licence, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub licence: Option<String>,
    /// The files beside the ONNX file that hold its weights, by the names that it calls them by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub external: Vec<String>,
    /// All files.
    pub files: Vec<ModelFile>,
    /// A hash of everything that decides what a vector is.
    pub fingerprint: String,
    /// Where it came from: a folder, or a place on the hub.
    pub from: String,
    /// When it was added, RFC 3339.
    pub added_at: String,
}

impl Record {
    /// The format that is written now.
    pub fn format() -> u32 {
        FORMAT
    }

    /// The record of the model in a folder.
    ///
    /// # Errors
    /// Where there is none, or it is not one that we wrote, or the files it tells of are not as they were.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(RECORD);
        let broken = |told: String| {
            Error::failed(format!("the model in {} cannot be used: {told}", folder.display()))
                .hint("take it away with `kb models remove NAME --yes` and add it again")
        };
        let about = std::fs::metadata(&path).map_err(|error| broken(format!("{RECORD}: {}", plain_io(&error))))?;
        if about.len() > LARGEST {
            return Err(broken(format!("{RECORD} is too long")));
        }
        let bytes = std::fs::read(&path).map_err(|error| broken(format!("{RECORD}: {}", plain_io(&error))))?;
        let format: Format =
            serde_json::from_slice(&bytes).map_err(|error| broken(format!("{RECORD} is no record of kb: {error}")))?;
        if format.format > FORMAT {
            return Err(broken(format!("a newer version of kb added it (format {})", format.format)).hint("update kb"));
        }
        let record: Record =
            serde_json::from_slice(&bytes).map_err(|error| broken(format!("{RECORD} is damaged: {error}")))?;
        for file in &record.files {
            let length = std::fs::metadata(folder.join(&file.path)).map(|about| about.len());
            match length {
                Ok(bytes) if bytes == file.bytes => {}
                Ok(bytes) => {
                    let told = format!("{} has {bytes} bytes, and had {} when it was added", file.path, file.bytes);
                    return Err(broken(told));
                }
                Err(error) => return Err(broken(format!("{}: {}", file.path, plain_io(&error)))),
            }
        }
        Ok(record)
    }

    /// Writes the record into a folder.
    ///
    /// # Errors
    /// Where that cannot be written.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let path = folder.join(RECORD);
        let mut text = serde_json::to_vec_pretty(self)
            .map_err(|error| Error::failed(format!("cannot write {}: {error}", path.display())))?;
        text.push(b'\n');
        // Or it could be written and not be read.
        if text.len() as u64 > LARGEST {
            return Err(Error::failed(format!("cannot write {}: it would be too long", path.display()))
                .hint("make --query-prefix and --passage-prefix shorter"));
        }
        std::fs::write(&path, text).map_err(|error| Error::io("write", &path, &error))
    }

    /// What all files have.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    /// The place on a hub that it came from, `OWNER/NAME`; `None` where it came from a folder.
    pub fn repository(&self) -> Option<&str> {
        let address = ["https://", "http://"].into_iter().find_map(|scheme| self.from.strip_prefix(scheme))?;
        let (place, _revision) = address.rsplit_once('@')?;
        let (owner, _) = place.rmatch_indices('/').nth(1)?;
        place.get(owner + 1..)
    }

    /// The model, where it lies in `folder` and is one for embedding.
    pub fn model(&self, folder: &Path) -> Option<Model> {
        let habits = self.habits.clone()?;
        let files = ModelFiles { folder: folder.to_owned(), graph: GRAPH.to_owned(), external: self.external.clone() };
        let (name, fingerprint) = (self.name.clone(), self.fingerprint.clone());
        Some(Model { name, habits, fingerprint, source: Source::Folder(files) })
    }
}

#[derive(Deserialize)]
struct Format {
    format: u32,
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn record(name: &str) -> Record {
        Record {
            format: FORMAT,
            name: name.to_owned(),
            kind: ModelKind::Text,
            habits: Some(Habits { dimension: 4, ..Model::embedded().habits.clone() }),
            languages: None,
            licence: None,
            external: Vec::new(),
            files: vec![ModelFile { path: "model.onnx".to_owned(), bytes: 3 }],
            fingerprint: "f".to_owned(),
            from: "somewhere".to_owned(),
            added_at: "2026-11-21T00:00:00Z".to_owned(),
        }
    }

    #[test]
    fn a_record_comes_back_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("model.onnx"), "abc").unwrap();
        record("x").write(folder.path()).unwrap();
        assert_eq!(Record::read(folder.path()).unwrap(), record("x"));
    }

    #[test]
    fn a_record_names_the_repository_and_not_the_folder_it_came_from() {
        let repository = |from: &str| Record { from: from.to_owned(), ..record("x") }.repository().map(str::to_owned);
        let ours = Some("ours/tiny".to_owned());
        assert_eq!(repository("https://hub.example.org/ours/tiny@main"), ours);
        assert_eq!(repository("http://127.0.0.1:80/hub/ours/tiny@0123"), ours);
        for folder in ["/home/x/ours/tiny@main", "C:\\ours\\tiny", "https://tiny@main", "https://a/tiny@main"] {
            assert_eq!(repository(folder), None, "{folder}");
        }
    }

    #[test]
    fn a_record_that_could_not_be_read_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let long = Record { from: "x".repeat(2 << 20), ..record("x") };
        assert!(long.write(folder.path()).unwrap_err().to_line().contains("too long"));
        assert!(!folder.path().join(RECORD).exists());
    }

    #[test]
    fn what_is_no_record_or_not_as_it_was_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let told = || Record::read(folder.path()).unwrap_err().to_line();
        assert!(told().contains("no such file"), "{}", told());
        record("x").write(folder.path()).unwrap();
        assert!(told().contains("model.onnx: no such file"), "{}", told());
        std::fs::write(folder.path().join("model.onnx"), "abcd").unwrap();
        assert!(told().contains("has 4 bytes, and had 3") && told().contains("add it again"), "{}", told());
        std::fs::write(folder.path().join(RECORD), "{\"format\": 9}").unwrap();
        assert!(told().contains("a newer version"), "{}", told());
        for broken in ["", "[]", "{\"format\": 1}", "{"] {
            std::fs::write(folder.path().join(RECORD), broken).unwrap();
            assert!(told().contains(RECORD), "{broken}: {}", told());
        }
    }
}
