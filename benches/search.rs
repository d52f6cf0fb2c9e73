//! How long a search takes in a fresh process, by stage, beside the start of a process that does nothing.
//!
//! ```sh
//! cargo bench --bench measure -- search --documents fixtures --runs 21
//! ```
//!
//! `--store DIR` searches an existing store instead of ingesting `--documents` first. The engine is tract, unless
//! `--onnxruntime PATH` names a library.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::synthetic::stores::{kb, median, scratch, timed};

const QUERIES: [&str; 3] =
    ["how is the page layout changed?", "line numbers in the margin", "E-417 low suction pressure"];

#[derive(clap::Args)]
pub struct Options {
    #[arg(long, default_value = "fixtures")]
    documents: PathBuf,
    #[arg(long)]
    store: Option<PathBuf>,
    /// `off`: tract.
    #[arg(long, default_value = "off")]
    onnxruntime: String,
    #[arg(long, default_value_t = 21)]
    runs: usize,
}

pub fn run(options: &Options) {
    let scratch = scratch();
    let store = match &options.store {
        Some(store) => store.clone(),
        None => {
            let store = scratch.path().join("store");
            let start = Instant::now();
            ask(options, &store, &["ingest", &options.documents.to_string_lossy(), "-q"]);
            println!("ingest of {}: {:.1} s", options.documents.display(), start.elapsed().as_secs_f64());
            store
        }
    };
    let status: serde_json::Value =
        serde_json::from_str(&ask(options, &store, &["status", "--format", "json"])).unwrap_or_default();
    println!(
        "{} documents, {} chunks, {}; medians of {} fresh processes, milliseconds\n",
        status["items"][0]["documents"], status["items"][0]["chunks"], status["items"][0]["engine"], options.runs
    );
    let start_only = median_time(options.runs, || drop(ask(options, &store, &["--version"])));
    println!("{:<44} {:>8.1}", "bare process start (kb --version)", start_only);
    for query in QUERIES {
        for (how, method, is_new) in ASKED {
            let mut stages: BTreeMap<String, Vec<f64>> = BTreeMap::new();
            let mut number = 0;
            let wall = median_time(options.runs, || {
                number += 1;
                let query = if is_new { format!("{query} {number}") } else { query.to_owned() };
                let out = ask(options, &store, &["search", &query, "--method", method, "--format", "json"]);
                let result: serde_json::Value = serde_json::from_str(&out).unwrap_or_default();
                if let Some(timings) = result["timings_ms"].as_object() {
                    for (stage, ms) in timings {
                        stages.entry(stage.clone()).or_default().push(ms.as_f64().unwrap_or(0.0));
                    }
                }
            });
            println!("\n{:<44} {wall:>8.1}", format!("{query:?}, {how}"));
            for (stage, times) in stages {
                println!("    {stage:<40} {:>8.1}", median(times));
            }
        }
    }
}

/// How a question is asked, by which method, and whether its vector is not in the cache of past questions yet.
const ASKED: [(&str, &str, bool); 3] =
    [("a new question", "auto", true), ("asked before", "auto", false), ("by words alone", "keyword", false)];

/// Runs the program on the store.
fn ask(options: &Options, store: &Path, args: &[&str]) -> String {
    kb(Path::new("."), &[&["--kb", &*store.to_string_lossy(), "--onnxruntime", &options.onnxruntime], args].concat())
}

/// The median wall time of `runs` calls, in milliseconds, after one that warms the page cache.
fn median_time(runs: usize, mut call: impl FnMut()) -> f64 {
    call();
    median((0..runs).map(|_| timed(&mut call)).collect())
}
