//! What stores of 10,000 to ten million chunks cost: making them, their size, and searches in fresh processes.
//!
//! ```sh
//! cargo bench --bench scale -- --chunks 10000,100000,1000000 --keep DIR
//! ```
//!
//! Documents and vectors are made up (`synthetic`); only the questions are embedded. A store is made in runs of 10,000
//! chunks; with `--keep` an unfinished one is continued, so that a large one can be made in pieces. At the end `kb
//! status` shows what share of the nearest chunks the vector index finds, compared with a full scan.

mod synthetic;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::{Command, exit};
use std::time::{Duration, Instant};

use kb::Result;
use kb::internals::embed::Model;
use kb::internals::ids::DocId;
use kb::internals::models::record_of;
use kb::internals::store::{Change, NewDocument, Snapshot, Store, Writer};
use synthetic::{Random, document, rows};

/// The child chunks of a document, and all its chunks, parents included.
const CHILDREN: usize = 8;
const CHUNKS: usize = 10;
/// Documents that are published at once.
const BATCH: usize = 1000;

struct Options {
    chunks: Vec<usize>,
    runs: usize,
    keep: Option<PathBuf>,
}

fn main() {
    let options = options().unwrap_or_else(|reason| fail(&reason));
    let scratch = tempfile::tempdir().unwrap_or_else(|error| fail(&format!("no scratch folder: {error}")));
    let folder = options.keep.clone().unwrap_or_else(|| scratch.path().to_owned());
    for &chunks in &options.chunks {
        let folder = folder.join(chunks.to_string());
        println!("\n## {chunks} chunks");
        make(&folder, chunks / CHUNKS).unwrap_or_else(|error| fail(&error.to_line()));
        measure(&folder, options.runs);
    }
}

/// Makes the missing part of a store, and prints how long each step took.
fn make(folder: &Path, documents: usize) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let runtime = tokio::runtime::Runtime::new()?;
    let (store, _) = Store::open_or_create(None, folder)?;
    let namespace = store.namespace("default")?;
    let there = match namespace.exists() {
        true => runtime.block_on(async { Snapshot::open(&namespace).await?.counts().await })?[0],
        false => 0,
    };
    if there >= documents {
        return Ok(());
    }
    let mut taken: HashSet<DocId> = HashSet::new();
    let ids: Vec<DocId> = (0..documents).map(|number| free_id(&source(number), &mut taken)).collect();
    let (mut cutting, mut publishing, mut slowest) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
    runtime.block_on(async {
        let mut writer = Writer::open(&namespace, &record_of(&Model::embedded())).await?;
        for first in (there..documents).step_by(BATCH) {
            let start = Instant::now();
            let numbers = first..documents.min(first + BATCH);
            let of =
                |number: usize| rows(ids[number].clone(), source(number), document(number, CHILDREN).as_bytes(), 1);
            let add: Vec<NewDocument> = numbers.map(of).collect::<Result<_>>()?;
            cutting += start.elapsed();
            let start = Instant::now();
            writer.publish(&Change { add, ..Change::default() }).await?;
            publishing += start.elapsed();
            slowest = slowest.max(start.elapsed());
        }
        Ok::<(), kb::Error>(())
    })?;
    println!("{:<40} {:>9.1} s", "cutting", cutting.as_secs_f64());
    println!("{:<40} {:>9.1} s", "publishing, with its indexes", publishing.as_secs_f64());
    println!("{:<40} {:>9.1} s", "  the slowest publication", slowest.as_secs_f64());
    println!("{:<40} {:>9} MB", "memory at most", peak_memory());
    Ok(())
}

fn source(number: usize) -> String {
    format!("docs/{:03}/{number:05}.md", number / 1000)
}

/// The id of a source, as an ingest gives it.
fn free_id(source: &str, taken: &mut HashSet<DocId>) -> DocId {
    let mut ids = (0..).map(|attempt| DocId::of_source(source, attempt));
    ids.find(|id| taken.insert(id.clone())).unwrap_or_else(|| fail("no id is free"))
}

/// The peak memory of this process, in megabytes; 0 if the system does not tell it.
fn peak_memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap_or_default() / 1024
}

/// Asks the store in fresh processes.
fn measure(folder: &Path, runs: usize) {
    let status: serde_json::Value =
        serde_json::from_str(&kb(folder, &["status", "--format", "json"])).unwrap_or_default();
    let status = &status["items"][0];
    let text: u64 = (0..100).map(|number| document(number, CHILDREN).len() as u64).sum::<u64>()
        * status["documents"].as_u64().unwrap_or_default()
        / 100;
    let vectors = status["chunks"].as_u64().unwrap_or_default() * status["dimension"].as_u64().unwrap_or_default() * 4;
    println!("{:<40} {:>9} MB", "text", text >> 20);
    println!("{:<40} {:>9} MB", "vectors", vectors >> 20);
    for part in ["bytes", "tables_bytes", "keyword_bytes", "history_bytes"] {
        println!("{part:<40} {:>9} MB", status[part].as_u64().unwrap_or_default() >> 20);
    }
    println!("{:<40} {}", "index of the vectors", status["vector_index"]);
    println!("{:<40} {:>9} {:>9} {:>9}", "milliseconds", "best", "median", "worst");
    let mut random = Random::of(7);
    let some = source(status["documents"].as_u64().unwrap_or(1) as usize / 2);
    for (name, args) in [
        ("kb --version", &["--version"][..]),
        ("search, keyword", &["search", "--method", "keyword"]),
        ("search, semantic", &["search", "--method", "semantic", "--expand", "off"]),
        ("search, hybrid", &["search"]),
        ("search --doc", &["search", "--doc", &some]),
        ("search --mode drill", &["search", "--mode", "drill"]),
        ("toc DOC", &["toc", &some]),
        ("chunks-list --limit 20", &["chunks-list", "--limit", "20"]),
        ("chunks-list --doc DOC", &["chunks-list", "--doc", &some]),
    ] {
        let times = (0..runs).map(|_| {
            let question = format!("how does {} work", random.words(4));
            let asked: Vec<&str> = match args[0] {
                "search" => args.iter().copied().chain([question.as_str()]).collect(),
                _ => args.to_vec(),
            };
            let start = Instant::now();
            kb(folder, &asked);
            start.elapsed().as_secs_f64() * 1000.0
        });
        let mut times: Vec<f64> = times.collect();
        times.sort_by(f64::total_cmp);
        let at = |place: usize| times.get(place).copied().unwrap_or_default();
        println!("{name:<40} {:>9.0} {:>9.0} {:>9.0}", at(0), at(runs / 2), at(runs - 1));
    }
}

/// Runs the program; a search that finds nothing is an answer too.
fn kb(folder: &Path, args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_kb"))
        .args(args)
        .current_dir(folder)
        .env_remove("KB_DIR")
        .env("KB_ONNXRUNTIME", "off")
        .output()
        .unwrap_or_else(|error| fail(&format!("kb does not start: {error}")));
    if !matches!(output.status.code(), Some(0 | 1)) {
        fail(&format!("kb {}: {}", args.join(" "), String::from_utf8_lossy(&output.stderr)));
    }
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn options() -> std::result::Result<Options, String> {
    let mut options = Options { chunks: vec![10_000, 100_000], runs: 15, keep: None };
    let mut args = std::env::args().skip(1);
    while let Some(flag) = args.next() {
        // `cargo bench` adds this one.
        if flag == "--bench" {
            continue;
        }
        let value = args.next().ok_or_else(|| format!("{flag} needs a value"))?;
        let number = |text: &str| text.trim().parse().map_err(|_| format!("{flag} needs numbers, not {text:?}"));
        match flag.as_str() {
            "--chunks" => options.chunks = value.split(',').map(number).collect::<std::result::Result<_, _>>()?,
            "--runs" => options.runs = number(&value)?.max(1),
            "--keep" => options.keep = Some(PathBuf::from(&value)),
            _ => return Err(format!("unknown flag {flag}")),
        }
    }
    Ok(options)
}

fn fail(message: &str) -> ! {
    eprintln!("{}", message.trim());
    exit(1)
}
