//! Downloads a model from the hub and adds it.

use std::path::Path;

use super::add::{Added, Take};
use super::catalogue::{KnownModel, known};
use super::fetch::Fetch;
use super::hub::{Hub, Listing, RemoteFile};
use super::installed::Models;
use super::offer::{Offer, Wish};
use super::record::{Record, cannot};
use super::weights::survey;
use super::workplace::{Hold, downloads, new_download, remove_folder};
use crate::embed::{Engine, GRAPHS};
use crate::error::{Error, NextStep, Result};

/// Files that every model needs …
const NEEDED: [&str; 2] = ["tokenizer.json", "config.json"];
/// … and files that describe it.
const OPTIONAL: [&str; 7] = [
    "tokenizer_config.json",
    "special_tokens_map.json",
    "modules.json",
    "1_Pooling/config.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
    "README.md",
];

/// The progress of a download, reported from its thread.
pub trait DownloadProgress: Sync {
    /// The download begins, with this size if it is known.
    fn begin(&self, model: &str, bytes: Option<u64>);
    /// This many bytes are downloaded; the last ones are of this file.
    fn at(&self, file: &str, bytes: u64);
    /// All files are downloaded; the trial of the model begins.
    fn trying(&self);
    fn end(&self);
}

/// A model on the hub.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// `OWNER/NAME`.
    repository: String,
    /// Its entry in the catalogue.
    known: Option<&'static KnownModel>,
}

impl Wanted {
    /// The model with a name; `None` for a text that is not a model's name.
    pub fn named(name: &str) -> Option<Self> {
        if let Some(known) = known(name) {
            return Some(Wanted { repository: known.repository.clone(), known: Some(known) });
        }
        let plain = |part: &str| {
            part.starts_with(|c: char| c.is_ascii_alphanumeric())
                && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
        };
        let (owner, last) = name.split_once('/')?;
        (plain(owner) && plain(last)).then(|| Wanted { repository: name.to_owned(), known: None })
    }

    /// The model's name unless the user wishes another.
    pub fn name(&self) -> &str {
        let last = || self.repository.rsplit('/').next().unwrap_or(&self.repository);
        self.known.map_or_else(last, |known| &known.name)
    }
}

impl Models {
    /// The record of a wanted model, if it is installed and not another model of that name.
    pub fn has(&self, wanted: &Wanted) -> Result<Option<Record>> {
        let Some(found) = self.installed(wanted.name())? else { return Ok(None) };
        let record = found.record?;
        let is_it = match record.repository() {
            Some(repository) => repository.eq_ignore_ascii_case(&wanted.repository),
            // Added from a folder, so its repository is unknown: the name identifies models of the catalogue only.
            None => wanted.known.is_some(),
        };
        Ok(Some(record).filter(|_| is_it))
    }

    /// Downloads a model and adds it. The next attempt continues an interrupted download.
    pub async fn download(
        &self,
        hub: &Hub,
        wanted: &Wanted,
        engine: &Engine,
        wish: &Wish,
        progress: &dyn DownloadProgress,
    ) -> Result<Added> {
        let name = wish.name.as_deref().unwrap_or(wanted.name());
        self.must_be_free(name)?;
        let _hold = Hold::of(self.folder())?;
        let listing = hub.listing(&wanted.repository).await?;
        let folder = new_download(self.folder(), name, &listing.revision)?;
        let fetched = fetch(hub, wanted, &listing, &folder, progress).await;
        let added = fetched.and_then(|()| {
            progress.trying();
            let from = format!("{}/{}@{}", hub.name(), wanted.repository, listing.revision);
            // The settings follow from the model's name, not from the name of the download folder.
            let wish = Wish { name: Some(name.to_owned()), ..wish.clone() };
            self.add(name, Offer::of(&folder, wanted.known, &wish)?, from, Take::Link, engine)
        });
        progress.end();
        let added = added?;
        remove_folder(&downloads(self.folder(), name))?;
        Ok(added)
    }
}

async fn fetch(
    hub: &Hub,
    wanted: &Wanted,
    listing: &Listing,
    to: &Path,
    progress: &dyn DownloadProgress,
) -> Result<()> {
    let repository = &wanted.repository;
    let mut files = wanted_files(wanted, listing).map_err(|reason| {
        Error::failed(format!("{repository} cannot be used: {reason}")).hint(format!(
            "`{}` lists models that can be downloaded; `optimum-cli export onnx --model {repository} OUT` writes an ONNX \
             model to add",
            NextStep::ListModels
        ))
    })?;
    let (mut done, mut next) = (0, 0);
    progress.begin(wanted.name(), total(&files));
    while let Some(file) = files.get(next) {
        let (to, before) = (to.join(&file.path), done);
        let report = |bytes| progress.at(&file.path, before + bytes);
        Fetch { hub, repository, revision: &listing.revision, file, to: &to, progress: &report }.run().await?;
        done += std::fs::metadata(&to).map_or(0, |about| about.len());
        // The graph is the first file, because it names the files with weights beside it.
        if next == 0 && wanted.known.is_none() {
            let beside = files_beside(listing, &file.path, &to)?;
            files.extend(beside);
            progress.begin(wanted.name(), total(&files));
        }
        next += 1;
    }
    Ok(())
}

/// The files of a model, the graph first.
fn wanted_files(wanted: &Wanted, listing: &Listing) -> Result<Vec<RemoteFile>, String> {
    let needed = |path: &str| listing.file(path).cloned().ok_or_else(|| format!("it has no {path}"));
    let paths: Vec<&str> = match wanted.known {
        Some(known) => [&known.model_file].into_iter().chain(&known.additional_files).map(String::as_str).collect(),
        None => {
            let graph = GRAPHS.into_iter().find(|path| listing.file(path).is_some());
            vec![graph.ok_or("it has no ONNX file such as onnx/model.onnx")?]
        }
    };
    let mut files = paths.into_iter().chain(NEEDED).map(needed).collect::<Result<Vec<_>, _>>()?;
    files.extend(OPTIONAL.iter().filter_map(|path| listing.file(path).cloned()));
    Ok(files)
}

fn files_beside(listing: &Listing, graph: &str, path: &Path) -> Result<Vec<RemoteFile>> {
    let unusable = |reason: String| Error::failed(format!("{graph} cannot be used: {reason}"));
    let bytes = std::fs::read(path).map_err(cannot("read", path))?;
    let found = survey(&bytes).map_err(unusable)?;
    let folder = graph.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    let file = |name: &String| {
        let path = format!("{folder}{name}");
        listing.file(&path).cloned().ok_or_else(|| unusable(format!("it needs {path}, which the hub lacks")))
    };
    found.external.iter().map(file).collect()
}

fn total(files: &[RemoteFile]) -> Option<u64> {
    files.iter().map(|file| file.bytes).sum()
}
