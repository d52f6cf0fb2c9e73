//! Downloads a model from the hub and adds it.

use std::path::Path;

use super::add::{Added, Transfer};
use super::candidate::{AddOptions, Candidate};
use super::catalogue::{KnownModel, known};
use super::fetch::FileDownload;
use super::hub::{Hub, Listing, RemoteFile};
use super::installed::Models;
use super::record::{Record, cannot};
use super::weights::inspect;
use super::work_folders::{downloads, lock_folder, new_download, remove_folder};
use crate::embed::{Engine, GRAPHS};
use crate::error::{Error, NextStep, Result};

/// Files that every model needs …
const NEEDED: [&str; 2] = ["tokenizer.json", "config.json"];
/// … and files that describe it.
const OPTIONAL: &str = "tokenizer_config.json special_tokens_map.json modules.json 1_Pooling/config.json \
    sentence_bert_config.json config_sentence_transformers.json README.md";

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

#[derive(Debug, Clone)]
pub struct HubModel {
    /// `OWNER/NAME`.
    repository: String,
    /// Its entry in the catalogue.
    known: Option<&'static KnownModel>,
}

impl HubModel {
    /// The model with a name; `None` for a text that is not a model's name.
    pub fn named(name: &str) -> Option<Self> {
        if let Some(known) = known(name) {
            return Some(HubModel { repository: known.repository.clone(), known: Some(known) });
        }
        let plain = |part: &str| {
            part.starts_with(|c: char| c.is_ascii_alphanumeric())
                && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
        };
        let (owner, last) = name.split_once('/')?;
        (plain(owner) && plain(last)).then(|| HubModel { repository: name.to_owned(), known: None })
    }

    /// The model's name unless the user chooses another.
    pub fn name(&self) -> &str {
        let last = || self.repository.rsplit('/').next().unwrap_or(&self.repository);
        self.known.map_or_else(last, |known| &known.name)
    }
}

impl Models {
    /// The record of a model on the hub, if it is installed and not another model of that name.
    pub fn has(&self, hub_model: &HubModel) -> Result<Option<Record>> {
        let Some(found) = self.installed(hub_model.name())? else { return Ok(None) };
        let record = found.record?;
        let is_it = match record.repository() {
            Some(repository) => repository.eq_ignore_ascii_case(&hub_model.repository),
            // Added from a folder, so its repository is unknown: the name identifies models of the catalogue only.
            None => hub_model.known.is_some(),
        };
        Ok(Some(record).filter(|_| is_it))
    }

    /// Downloads a model and adds it. The next attempt continues an interrupted download.
    pub async fn download(
        &self,
        hub: &Hub,
        hub_model: &HubModel,
        engine: &Engine,
        options: &AddOptions,
        progress: &dyn DownloadProgress,
    ) -> Result<Added> {
        let name = options.name.as_deref().unwrap_or(hub_model.name());
        self.check_is_free(name)?;
        let _lock = lock_folder(self.folder())?;
        let listing = hub.listing(&hub_model.repository).await?;
        let folder = new_download(self.folder(), name, &listing.revision)?;
        let fetched = fetch(hub, hub_model, &listing, &folder, progress).await;
        let added = fetched.and_then(|()| {
            progress.trying();
            let from = format!("{}/{}@{}", hub.name(), hub_model.repository, listing.revision);
            // The settings follow from the model's name, not from the name of the download folder.
            let options = AddOptions { name: Some(name.to_owned()), ..options.clone() };
            self.add(name, Candidate::of(&folder, hub_model.known, &options)?, from, Transfer::Link, engine)
        });
        progress.end();
        let added = added?;
        remove_folder(&downloads(self.folder(), name))?;
        Ok(added)
    }
}

async fn fetch(
    hub: &Hub,
    hub_model: &HubModel,
    listing: &Listing,
    to: &Path,
    progress: &dyn DownloadProgress,
) -> Result<()> {
    let repository = &hub_model.repository;
    let mut files = wanted_files(hub_model, listing).map_err(|reason| {
        Error::failed(format!("{repository} cannot be used: {reason}")).hint(format!(
            "`{}` lists models that can be downloaded; `optimum-cli export onnx --model {repository} OUT` writes an ONNX \
             model to add",
            NextStep::ListModels
        ))
    })?;
    let (mut done, mut next) = (0, 0);
    progress.begin(hub_model.name(), total(&files));
    while let Some(file) = files.get(next) {
        let (to, before) = (to.join(&file.path), done);
        let report = |bytes| progress.at(&file.path, before + bytes);
        FileDownload { hub, repository, revision: &listing.revision, file, to: &to, progress: &report }.run().await?;
        done += std::fs::metadata(&to).map_or(0, |about| about.len());
        // The graph is the first file, because it names the files with weights beside it.
        if next == 0 && hub_model.known.is_none() {
            let beside = files_beside(listing, &file.path, &to)?;
            files.extend(beside);
            progress.begin(hub_model.name(), total(&files));
        }
        next += 1;
    }
    Ok(())
}

/// The files of a model, the graph first.
fn wanted_files(hub_model: &HubModel, listing: &Listing) -> Result<Vec<RemoteFile>, String> {
    let needed = |path: &str| listing.file(path).cloned().ok_or_else(|| format!("it has no {path}"));
    let paths: Vec<&str> = match hub_model.known {
        Some(known) => [&known.model_file].into_iter().chain(&known.additional_files).map(String::as_str).collect(),
        None => {
            let graph = GRAPHS.into_iter().find(|path| listing.file(path).is_some());
            vec![graph.ok_or("it has no ONNX file such as onnx/model.onnx")?]
        }
    };
    let mut files = paths.into_iter().chain(NEEDED).map(needed).collect::<Result<Vec<_>, _>>()?;
    files.extend(OPTIONAL.split_whitespace().filter_map(|path| listing.file(path).cloned()));
    Ok(files)
}

fn files_beside(listing: &Listing, graph: &str, path: &Path) -> Result<Vec<RemoteFile>> {
    let unusable = |reason: String| Error::failed(format!("{graph} cannot be used: {reason}"));
    let found = inspect(&std::fs::read(path).map_err(cannot("read", path))?).map_err(unusable)?;
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
