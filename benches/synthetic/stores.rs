//! Stores of several sizes, made in pieces, and the program run in them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::{Command, exit};
use std::time::{Duration, Instant};

use kb::Result;
use kb::internals::config::KnownStores;
use kb::internals::embed::Model;
use kb::internals::ids::DocId;
use kb::internals::models::record_of;
use kb::internals::store::{Change, NewDocument, Snapshot, Store, Writer};

use tempfile::TempDir;

use super::{document, rows};

/// The child chunks of a document, and all its chunks, parents included.
pub const CHILDREN: usize = 8;
pub const CHUNKS: usize = 10;
/// Documents that are published at once.
const BATCH: usize = 1000;

/// What the benches of stores can be told.
#[derive(clap::Args)]
pub struct Options {
    /// The sizes of the stores.
    #[arg(long, value_delimiter = ',', default_values_t = [10_000usize, 100_000])]
    pub chunks: Vec<usize>,
    #[arg(long)]
    runs: Option<usize>,
    /// For the bench of many namespaces.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(40..))]
    pub namespaces: u64,
    /// The folder where the stores stay for the next bench.
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Removed at the end.
    #[arg(skip = scratch())]
    scratch: TempDir,
}

impl Options {
    /// How often each thing is measured; `usual` is the bench's own number.
    pub fn runs(&self, usual: usize) -> usize {
        self.runs.unwrap_or(usual).max(1)
    }

    /// The folder of the store with so many chunks.
    pub fn folder(&self, chunks: usize) -> PathBuf {
        self.keep.as_deref().unwrap_or_else(|| self.scratch.path()).join(chunks.to_string())
    }
}

/// A folder that is removed at the end.
pub fn scratch() -> TempDir {
    tempfile::tempdir().unwrap_or_else(|error| fail(&format!("no scratch folder: {error}")))
}

/// How long the steps of making a store took.
#[derive(Default)]
pub struct Made {
    pub cutting: Duration,
    pub publishing: Duration,
    pub slowest: Duration,
}

/// Makes the missing part of a store without files; `None` if nothing is missing.
pub fn make(folder: &Path, documents: usize) -> Result<Option<Made>> {
    std::fs::create_dir_all(folder)?;
    let runtime = tokio::runtime::Runtime::new()?;
    let (store, _) = Store::open_or_create(None, folder)?;
    // Searches keep caches in stores of their user only.
    KnownStores::of_user().add(store.root())?;
    let namespace = store.namespace("default")?;
    let there = match namespace.exists() {
        true => runtime.block_on(async { Snapshot::open(&namespace).await?.counts().await })?[0],
        false => 0,
    };
    if there >= documents {
        return Ok(None);
    }
    let mut taken: HashSet<DocId> = HashSet::new();
    let ids: Vec<DocId> = (0..documents).map(|number| free_id(&source(number), &mut taken)).collect();
    let mut made = Made::default();
    runtime.block_on(async {
        let mut writer = Writer::open(&namespace, &record_of(&Model::embedded())).await?;
        for first in (there..documents).step_by(BATCH) {
            let start = Instant::now();
            let numbers = first..documents.min(first + BATCH);
            let of = |number: usize| rows(ids[number].clone(), source(number), document(number, CHILDREN).as_bytes());
            let add: Vec<NewDocument> = numbers.map(of).collect::<Result<_>>()?;
            made.cutting += start.elapsed();
            let start = Instant::now();
            writer.publish(&Change { add, ..Change::default() }).await?;
            made.publishing += start.elapsed();
            made.slowest = made.slowest.max(start.elapsed());
        }
        Ok::<(), kb::Error>(())
    })?;
    Ok(Some(made))
}

/// The source of a document.
pub fn source(number: usize) -> String {
    format!("docs/{:03}/{number:05}.md", number / 1000)
}

/// The id of a source, as an ingest gives it.
fn free_id(source: &str, taken: &mut HashSet<DocId>) -> DocId {
    let mut ids = (0..).map(|attempt| DocId::of_source(source, attempt));
    ids.find(|id| taken.insert(id.clone())).unwrap_or_else(|| fail("no id is free"))
}

/// Runs the program; a command that finds nothing, or cannot read some files, has an answer too.
pub fn kb(folder: &Path, args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_kb"))
        .args(args)
        .current_dir(folder)
        .env_remove("KB_DIR")
        .env("KB_ONNXRUNTIME", "off")
        .output()
        .unwrap_or_else(|error| fail(&format!("kb does not start: {error}")));
    if !matches!(output.status.code(), Some(0 | 1 | 4)) {
        fail(&format!("kb {}: {}", args.join(" "), String::from_utf8_lossy(&output.stderr)));
    }
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The milliseconds of a call.
pub fn timed<T>(call: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    call();
    start.elapsed().as_secs_f64() * 1000.0
}

/// The middle of these times.
pub fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(0.0)
}

/// The head of the lines that [`report`] prints.
pub fn report_head() {
    println!("{:<48} {:>9} {:>9} {:>9}", "milliseconds", "best", "median", "worst");
}

/// Prints the times of `runs` calls.
pub fn report<T>(what: &str, runs: usize, mut call: impl FnMut() -> T) {
    let mut times: Vec<f64> = (0..runs).map(|_| timed(&mut call)).collect();
    times.sort_by(f64::total_cmp);
    println!("{what:<48} {:>9.0} {:>9.0} {:>9.0}", times[0], times[runs / 2], times[runs - 1]);
}

pub fn fail(message: &str) -> ! {
    eprintln!("{}", message.trim());
    exit(1)
}
