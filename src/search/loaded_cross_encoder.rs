//! The cross-encoder, which loads while the store opens and the retrievers recall, and stays for the next question.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Instant, SystemTime};

use tokio::task::JoinHandle;

use super::encoder::{Encoder, locked};
use super::request::{Rerank, SearchRequest};
use super::trace::milliseconds;
use crate::embed::{CrossEncoder, select};
use crate::error::Result;
use crate::paths::real;
use crate::threads::cores;

/// A model that is being loaded, and the milliseconds that took.
pub(super) type LoadingCrossEncoder = JoinHandle<Result<(Arc<CrossEncoder>, f64)>>;

/// The last used model.
#[derive(Clone, Default)]
pub(super) struct LoadedCrossEncoder(Arc<Mutex<Option<LastUsed>>>);

struct LastUsed {
    /// What it was loaded from.
    files: Files,
    model: Arc<CrossEncoder>,
}

/// Files with their lengths and times, which change with their content.
type Files = Vec<(PathBuf, u64, Option<SystemTime>)>;

/// The files in a folder and the folders in it. A relative path means another folder in another current folder.
fn files_in(folder: &Path) -> Files {
    let entries = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let all = entries(&real(folder)).flat_map(|path| entries(&path).chain([path]).collect::<Vec<_>>());
    let with_facts = |path: PathBuf| {
        let facts = std::fs::metadata(&path).ok()?;
        Some((path, facts.len(), facts.modified().ok()))
    };
    let mut files: Files = all.filter_map(with_facts).collect();
    files.sort();
    files
}

impl LoadedCrossEncoder {
    /// Begins to load the model that a request names, on another thread.
    pub fn begin(&self, request: &SearchRequest, encoder: &Encoder) -> Option<LoadingCrossEncoder> {
        let Rerank::Model { folder, .. } = &request.rerank else { return None };
        let (loaded, encoder, folder) = (self.clone(), encoder.clone(), folder.clone());
        Some(tokio::task::spawn_blocking(move || {
            let start = Instant::now();
            Ok((loaded.get(&encoder, &folder)?, milliseconds(start)))
        }))
    }

    fn get(&self, encoder: &Encoder, folder: &Path) -> Result<Arc<CrossEncoder>> {
        // Held while it loads, so that two questions do not load it twice.
        // A model is kept once it is whole, so a crash while one was loaded leaves the lock sound.
        let mut loaded = locked(&self.0);
        let files = files_in(folder);
        if let Some(last) = loaded.as_ref().filter(|known| known.files == files) {
            return Ok(last.model.clone());
        }
        let model = Arc::new(CrossEncoder::load(&select(&encoder.choice)?, folder, cores())?);
        *loaded = Some(LastUsed { files, model: model.clone() });
        Ok(model)
    }
}
