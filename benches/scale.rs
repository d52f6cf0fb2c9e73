//! What stores of 10,000 to ten million chunks cost: making them, their size, and searches in fresh processes.
//!
//! ```sh
//! cargo bench --bench measure -- scale --chunks 10000,100000,1000000 --keep DIR
//! ```
//!
//! Documents and vectors are made up (`synthetic`); only the questions are embedded. A store is made in runs of 10,000
//! chunks; with `--keep` an unfinished one is continued, so that a large one can be made in pieces. At the end `kb
//! status` shows what share of the nearest chunks the binary codes find, compared with all vectors.

use std::path::Path;

use crate::synthetic::stores::{CHILDREN, CHUNKS, Options, fail, kb, make, report, report_head, source};
use crate::synthetic::{Random, document};

pub fn run(options: &Options) {
    for &chunks in &options.chunks {
        let folder = options.folder(chunks);
        println!("\n## {chunks} chunks");
        if let Some(made) = make(&folder, chunks / CHUNKS).unwrap_or_else(|error| fail(&error.to_line())) {
            println!("{:<40} {:>9.1} s", "cutting", made.cutting.as_secs_f64());
            println!("{:<40} {:>9.1} s", "publishing, with its indexes", made.publishing.as_secs_f64());
            println!("{:<40} {:>9.1} s", "  the slowest publication", made.slowest.as_secs_f64());
            println!("{:<40} {:>9} MB", "memory at most", peak_memory());
        }
        measure(&folder, options.runs(15));
    }
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
    println!("{:<40} {}", "binary codes of the vectors", status["vector_index"]);
    report_head();
    // New questions in each run: a store keeps the vectors of those that were asked.
    let mut random = Random::of(std::time::UNIX_EPOCH.elapsed().map_or(7, |since| since.as_secs()));
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
        report(name, runs, || {
            let question = format!("how does {} work", random.words(4));
            let asked: Vec<&str> = match args[0] {
                "search" => args.iter().copied().chain([question.as_str()]).collect(),
                _ => args.to_vec(),
            };
            kb(folder, &asked)
        });
    }
}
