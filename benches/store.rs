//! What corrections and checks cost in large stores, each in fresh processes of the real binary.
//!
//! ```sh
//! cargo bench --bench measure -- store --chunks 100000 --runs 15 --keep DIR
//! ```
//!
//! Documents and stores are made up (`synthetic`). The runs change one store, as corrections do, so the slowest one is a
//! run that compacts tables. At the end `kb check` says whether the store is still sound.

use std::path::Path;

use crate::synthetic::stores::{CHILDREN, CHUNKS, Options, fail, kb, make, report, report_head};
use crate::synthetic::write_documents;

pub fn run(options: &Options) {
    for &chunks in &options.chunks {
        // Other benchmarks have stores without files in the folders of these names.
        let folder = options.folder(chunks).with_extension("files");
        if !folder.join("docs").exists() {
            write_documents(&folder.join("docs"), chunks / CHUNKS, CHILDREN)
                .unwrap_or_else(|error| fail(&error.to_line()));
        }
        make(&folder, chunks / CHUNKS).unwrap_or_else(|error| fail(&error.to_line()));
        println!("\n## {chunks} chunks");
        measure(&folder, options.runs(15));
    }
}

fn measure(folder: &Path, runs: usize) {
    report_head();
    report("kb --version", runs, |_| kb(folder, &["--version"]));
    report("kb docs", runs, |_| kb(folder, &["docs"]));
    report("kb chunks-list --limit 20", runs, |_| kb(folder, &["chunks-list", "--limit", "20"]));
    report("kb ingest docs, nothing changed", runs, |_| kb(folder, &["ingest", "docs"]));
    report("kb check", runs.min(5), |_| kb(folder, &["check"]));
    let ids = some_children(folder, runs * 2);
    let (to_delete, to_edit) = ids.split_at(runs);
    report("kb chunk-delete ID --yes", runs, |run| kb(folder, &["chunk-delete", &to_delete[run], "--yes"]));
    report("kb chunk-edit ID --content TEXT", runs, |run| {
        kb(folder, &["chunk-edit", &to_edit[run], "--content", &format!("The valve was closed again, {run}.")])
    });
    report("kb check, after these", 1, |_| kb(folder, &["check"]));
}

/// Ids of children, spread over the store and each of another document.
fn some_children(folder: &Path, wanted: usize) -> Vec<String> {
    let list = kb(folder, &["chunks-list", "--limit", "10000000", "--format", "paths"]);
    let mut ids: Vec<&str> = list.lines().filter(|id| id.contains('.')).collect();
    ids.dedup_by_key(|id| id.split(':').next());
    if ids.len() < wanted {
        fail("too few documents for so many runs");
    }
    ids.iter().step_by(ids.len() / wanted).take(wanted).map(|id| (*id).to_owned()).collect()
}
