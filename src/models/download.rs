//! From the hub to the folder of models.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::add::{Added, Adding, Take};
use super::catalogue::KnownModel;
use super::hub::{Hub, Listing, RemoteFile};
use super::lock::Hold;
use super::offer::Wish;
use super::record::Record;
use super::remove::remove_folder;
use super::weights::survey;
use super::{Models, known};
use crate::embed::{EmbeddingFolder, Engine};
use crate::error::{Error, Result};

/// What the names of folders begin with into which models are downloaded.
pub(super) const DOWNLOADING: &str = ".downloading-";
/// Weights as they are published, where there is no graph.
const WEIGHTS: &str = "model.safetensors";
/// What tells words from each other, without which there is no model …
const NEEDED: [&str; 2] = ["tokenizer.json", "config.json"];
/// … and what says more of it, where it is there.
const WELCOME: [&str; 7] = [
    "tokenizer_config.json",
    "special_tokens_map.json",
    "modules.json",
    "1_Pooling/config.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
    "README.md",
];

/// How a download is going. Told from the thread that downloads.
pub trait DownloadProgress: Sync {
    /// It begins, and will have so many bytes, where that is known.
    fn begin(&self, model: &str, bytes: Option<u64>);
    /// So many bytes are there; the last ones are of this file.
    fn at(&self, file: &str, bytes: u64);
    /// All is there, and is being tried.
    fn trying(&self);
    /// It is over.
    fn end(&self);
}

/// A model on the hub.
#[derive(Debug, Clone)]
pub enum Wanted {
    /// One of the catalogue.
    Known(&'static KnownModel),
    /// Any other, by `OWNER/NAME`.
    Repository(String),
}

impl Wanted {
    /// What a name stands for; `None` where it is no name of a model.
    ///
    /// # Errors
    /// Where the catalogue cannot be read.
    pub fn named(name: &str) -> Result<Option<Self>> {
        if let Some(known) = known(name)? {
            return Ok(Some(Wanted::Known(known)));
        }
        let plain = |part: &str| {
            !part.is_empty()
                && part.starts_with(|c: char| c.is_ascii_alphanumeric())
                && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
        };
        let repository = name.split_once('/').filter(|(owner, name)| plain(owner) && plain(name));
        Ok(repository.map(|_| Wanted::Repository(name.to_owned())))
    }

    /// What it is called here where nothing else is wished.
    pub fn name(&self) -> &str {
        match self {
            Wanted::Known(known) => &known.name,
            Wanted::Repository(repository) => repository.rsplit('/').next().unwrap_or(repository),
        }
    }

    fn repository(&self) -> &str {
        match self {
            Wanted::Known(known) => &known.repository,
            Wanted::Repository(repository) => repository,
        }
    }
}

impl Models {
    /// The record of a model that is wanted, where that very one is here, and not another of its name.
    ///
    /// # Errors
    /// Where the model of that name is damaged, or the folder cannot be read.
    pub fn has(&self, wanted: &Wanted) -> Result<Option<Record>> {
        let Some(found) = self.installed(wanted.name())? else { return Ok(None) };
        let record = found.record?;
        let is_it = match (wanted, record.repository()) {
            (_, Some(repository)) => repository.eq_ignore_ascii_case(wanted.repository()),
            // From a folder: then it is the one of the catalogue by its name, and nobody knows whose another one is.
            (Wanted::Known(_), None) => true,
            (Wanted::Repository(_), None) => false,
        };
        Ok(Some(record).filter(|_| is_it))
    }

    /// Downloads a model and adds it. What was downloaded before it broke off is kept for the next time.
    ///
    /// # Errors
    /// Where the hub cannot be reached, does not have it or gives something else, or where the engine cannot run it.
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
        let listing = hub.listing(wanted.repository()).await?;
        let place = Place::new(self.folder(), name, &listing.revision)?;
        let fetched = self.fetch(hub, wanted, &listing, &place.folder, progress).await;
        let added = fetched.and_then(|()| {
            progress.trying();
            let from = format!("{}/{}@{}", hub.name(), wanted.repository(), listing.revision);
            let chosen = match wanted {
                Wanted::Known(known) => Some(*known),
                Wanted::Repository(_) => None,
            };
            // By its name on the hub, not by that of the folder it lies in meanwhile.
            let wish =
                Wish { name: Some(wish.name.clone().unwrap_or_else(|| wanted.name().to_owned())), ..wish.clone() };
            let adding = Adding { folder: &place.folder, name, chosen, wish: &wish, from, take: Take::Link };
            self.add(&adding, engine)
        });
        progress.end();
        let added = added?;
        place.clear(self.folder())?;
        Ok(added)
    }

    async fn fetch(
        &self,
        hub: &Hub,
        wanted: &Wanted,
        listing: &Listing,
        to: &Path,
        progress: &dyn DownloadProgress,
    ) -> Result<()> {
        let repository = wanted.repository();
        let mut files = wanted_files(wanted, listing).map_err(|told| {
            Error::failed(format!("{} cannot be used: {told}", repository))
                .hint("`kb models` lists models that can be downloaded; others need an ONNX file, or weights of the family of BERT")
        })?;
        let mut done = 0;
        let mut next = 0;
        progress.begin(wanted.name(), total(&files));
        while let Some(file) = files.get(next) {
            let (path, before) = (to.join(&file.path), done);
            let at = |bytes| progress.at(&file.path, before + bytes);
            hub.fetch(repository, &listing.revision, file, &path, &at).await?;
            done += std::fs::metadata(&path).map_or(0, |about| about.len());
            // The graph is the first file: what it wants beside it is known when it is here.
            if next == 0 && matches!(wanted, Wanted::Repository(_)) && file.path != WEIGHTS {
                let beside = beside(listing, &file.path, &path)?;
                files.extend(beside);
                progress.begin(wanted.name(), total(&files));
            }
            next += 1;
        }
        Ok(())
    }
}

/// The files of a model, the graph first.
fn wanted_files(wanted: &Wanted, listing: &Listing) -> Result<Vec<RemoteFile>, String> {
    let has = |path: &str| listing.file(path).cloned();
    let needed = |path: &str| has(path).ok_or_else(|| format!("it has no {path}"));
    let mut files = Vec::new();
    match wanted {
        Wanted::Known(known) => {
            files.push(needed(&known.model_file)?);
            for path in &known.additional_files {
                files.push(needed(path)?);
            }
        }
        Wanted::Repository(_) => {
            let graph = EmbeddingFolder::graphs().iter().chain([&WEIGHTS]).find_map(|path| has(path));
            files.push(graph.ok_or("it has neither model.safetensors nor an ONNX file such as onnx/model.onnx")?);
        }
    }
    for path in NEEDED {
        files.push(needed(path)?);
    }
    files.extend(WELCOME.iter().filter_map(|path| has(path)));
    Ok(files)
}

/// The files that a graph wants beside it.
fn beside(listing: &Listing, graph: &str, path: &Path) -> Result<Vec<RemoteFile>> {
    let wrong = |told: String| Error::failed(format!("{graph} cannot be used: {told}"));
    let bytes = std::fs::read(path).map_err(|error| Error::io("read", path, &error))?;
    let found = survey(&bytes).map_err(wrong)?;
    let folder = graph.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    let file = |name: &String| {
        let path = format!("{folder}{name}");
        listing.file(&path).cloned().ok_or_else(|| wrong(format!("it wants {path}, which the hub does not have")))
    };
    found.external.iter().map(file).collect()
}

fn total(files: &[RemoteFile]) -> Option<u64> {
    files.iter().map(|file| file.bytes).sum()
}

/// The folder of a download, by the model's name and the revision: what is left of another revision is of no use.
struct Place {
    all: PathBuf,
    folder: PathBuf,
    /// Closing it lets the next process know that nobody works here.
    lock: File,
}

impl Place {
    fn new(models: &Path, name: &str, revision: &str) -> Result<Self> {
        let all = models.join(format!("{DOWNLOADING}{name}"));
        let folder = all.join(revision);
        let hold = Hold::of(models)?;
        std::fs::create_dir_all(&folder).map_err(|error| Error::io("make", &folder, &error))?;
        let lock = hold.claim(&all)?.ok_or_else(|| is_downloaded_by_another(name))?;
        let unreadable = |error: &std::io::Error| Error::io("read", &all, error);
        for entry in std::fs::read_dir(&all).map_err(|error| unreadable(&error))? {
            let other = entry.map_err(|error| unreadable(&error))?.path();
            if other != folder && other.is_dir() {
                remove_folder(&other)?;
            }
        }
        Ok(Place { all, folder, lock })
    }

    /// Takes what is left of it away.
    fn clear(self, models: &Path) -> Result<()> {
        let _hold = Hold::of(models)?;
        // Some systems remove no folder that has an open file in it.
        drop(self.lock);
        remove_folder(&self.all)
    }
}

/// The error about a download that another process is at.
pub(super) fn is_downloaded_by_another(name: &str) -> Error {
    Error::failed(format!("another kb is downloading {name}")).hint("wait until it is done")
}
