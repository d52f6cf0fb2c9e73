//! Models that people choose: which there are, the folder they lie in, and how one gets there.
//!
//! Promise: what is in the folder of models under its name was looked at and tried, whole; nothing else gets there. A
//! model is put together in a folder of another name and gets its own by being renamed, so a crash, a full disk or a
//! broken download leave no half of one.

mod add;
mod catalogue;
mod download;
mod hub;
mod languages;
mod lock;
mod offer;
mod place;
mod record;
mod recorded;
mod remove;
mod suggest;
mod weights;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use add::Added;
pub use catalogue::{KnownModel, catalogue, known, nearest};
pub use download::{DownloadProgress, Wanted};
pub use hub::Hub;
pub use offer::Wish;
pub use place::VARIABLE;
pub use record::{GRAPH, ModelFile, ModelKind, RECORD, Record};
pub use recorded::{ModelChoice, record_of};
pub use suggest::model_that_reads;

use crate::embed::{EMBEDDED, Model};
use crate::error::{Error, Result};

/// What the names of folders begin with that are no models: downloads that go on, models that are being put together.
const HIDDEN: char = '.';

/// The folder of models.
#[derive(Debug, Clone)]
pub struct Models {
    folder: PathBuf,
}

/// A model in the folder of models.
#[derive(Debug)]
pub struct Installed {
    /// Its name, which is that of its folder.
    pub name: String,
    /// Where its files are.
    pub folder: PathBuf,
    /// What is known of it; an error where it cannot be used.
    pub record: Result<Record>,
}

impl Models {
    /// The user's.
    ///
    /// # Errors
    /// Where nothing says where that is.
    pub fn of_user() -> Result<Self> {
        Ok(Models { folder: place::folder()? })
    }

    /// Those in a folder, which need not be there yet.
    pub fn open(folder: impl Into<PathBuf>) -> Self {
        Models { folder: folder.into() }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The models that are here, by name. One that is damaged does not hide the others.
    ///
    /// # Errors
    /// Where the folder is there and cannot be read.
    pub fn here(&self) -> Result<Vec<Installed>> {
        let unreadable = |error: &std::io::Error| {
            Error::io("read", &self.folder, error).hint(format!("name another folder with {VARIABLE}"))
        };
        let entries = match std::fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(unreadable(&error)),
        };
        let mut here = Vec::new();
        for entry in entries {
            let folder = entry.map_err(|error| unreadable(&error))?.path();
            let Some(name) = folder.file_name().and_then(|name| name.to_str()).map(str::to_owned) else { continue };
            if name.starts_with(HIDDEN) || !folder.is_dir() {
                continue;
            }
            here.push(Installed { record: Record::read(&folder), name, folder });
        }
        here.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(here)
    }

    /// The model of a name that is here: ours, or any that the catalogue has for the same.
    ///
    /// # Errors
    /// As for [`here`](Self::here).
    pub fn installed(&self, name: &str) -> Result<Option<Installed>> {
        let official = known(name)?.map(|model| model.name.as_str());
        let here = self.here()?;
        let same = |other: &Installed, name: &str| other.name.eq_ignore_ascii_case(name);
        let found = here.iter().position(|one| same(one, name));
        let found = found.or_else(|| here.iter().position(|one| official.is_some_and(|name| same(one, name))));
        Ok(found.and_then(|place| here.into_iter().nth(place)))
    }

    /// The embedding model of a name.
    ///
    /// # Errors
    /// As for [`must_have`](Self::must_have).
    pub fn find(&self, name: &str) -> Result<Arc<Model>> {
        if name.eq_ignore_ascii_case(EMBEDDED) {
            return Ok(Model::embedded());
        }
        let (folder, record) = self.must_have(name, ModelKind::Text)?;
        let lacks = || Error::failed(format!("the model {name} has a record without habits")).hint("add it again");
        record.model(&folder).map(Arc::new).ok_or_else(lacks)
    }

    /// A model of a kind that must be here.
    ///
    /// # Errors
    /// Where it is not, with what is, or with how it is added; where it is of the other kind, or damaged.
    pub fn must_have(&self, name: &str, kind: ModelKind) -> Result<(PathBuf, Record)> {
        let Some(found) = self.installed(name)? else { return Err(self.missing(name, kind)?) };
        let record = found.record?;
        if record.kind == kind {
            return Ok((found.folder, record));
        }
        let (is, wanted) = (record.kind.name(), kind.name());
        Err(Error::usage(format!("{name} is {} model, and {} one is wanted", with_article(is), with_article(wanted)))
            .hint("`kb models` lists them by kind"))
    }

    /// The error about a model that is not here.
    fn missing(&self, name: &str, kind: ModelKind) -> Result<Error> {
        let can_be_had = known(name)?.filter(|model| model.kind == kind);
        let hint = match (can_be_had, nearest(name)?) {
            (Some(model), _) => format!("download it with `kb models add {}`", model.name),
            (None, Some(near)) => format!("did you mean {near}? `kb models` lists all"),
            (None, None) => "add one with `kb models add NAME|FOLDER`; `kb models` lists them".to_owned(),
        };
        let usable = |one: &Installed| one.record.as_ref().is_ok_and(|record| record.kind == kind);
        let here: Vec<String> = self.here()?.into_iter().filter(usable).map(|one| one.name).collect();
        let (wanted, kind) = (kind, kind.name());
        let there =
            if here.is_empty() { "there is none yet".to_owned() } else { format!("there is {}", here.join(", ")) };
        let folder = self.folder.display();
        let missing = match wanted {
            // What is reranked with may be named by its folder too.
            ModelKind::Rerank => format!("there is no folder {name}, and no {kind} model of that name in {folder}"),
            ModelKind::Text => format!("there is no {kind} model {name:?} in {folder}"),
        };
        Ok(Error::usage(format!("{missing}, where {there}")).hint(hint))
    }
}

fn with_article(kind: &str) -> String {
    let article = if kind.starts_with('e') { "an" } else { "a" };
    format!("{article} {kind}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(models: &Models, name: &str, kind: ModelKind) {
        let folder = models.folder().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("model.onnx"), "abc").unwrap();
        Record { kind, ..record::tests::record(name) }.write(&folder).unwrap();
    }

    #[test]
    fn what_is_here_is_listed_by_name_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Models::open(folder.path().join("none")).here().unwrap().is_empty());
        let models = Models::open(folder.path());
        put(&models, "b", ModelKind::Text);
        put(&models, "a", ModelKind::Rerank);
        put(&models, ".adding-x", ModelKind::Text);
        std::fs::write(folder.path().join("README"), "").unwrap();
        std::fs::create_dir(folder.path().join("damaged")).unwrap();
        let here = models.here().unwrap();
        let names: Vec<(&str, bool)> = here.iter().map(|one| (one.name.as_str(), one.record.is_ok())).collect();
        assert_eq!(names, [("a", true), ("b", true), ("damaged", false)]);
    }

    #[test]
    fn a_model_is_found_by_its_names_and_a_missing_one_says_what_there_is() {
        let folder = tempfile::tempdir().unwrap();
        let models = Models::open(folder.path());
        let told =
            |name, kind| models.must_have(name, kind).map_or_else(|error| error.to_line(), |(_, found)| found.name);
        assert!(
            told("bge-m3", ModelKind::Text)
                .contains("where there is none yet; download it with `kb models add bge-m3`")
        );
        put(&models, "bge-m3", ModelKind::Text);
        put(&models, "mine", ModelKind::Rerank);
        assert_eq!(told("BAAI/BGE-M3", ModelKind::Text), "bge-m3");
        assert_eq!(told("mine", ModelKind::Rerank), "mine");
        assert!(told("bge-m3", ModelKind::Rerank).contains("is an embedding model, and a reranking one is wanted"));
        assert!(told("bge-m4", ModelKind::Text).contains("where there is bge-m3; did you mean bge-m3?"));
        assert!(told("bge-reranker-bose", ModelKind::Rerank).contains("did you mean bge-reranker-base"));
    }
}
