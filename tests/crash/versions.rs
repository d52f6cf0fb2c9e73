//! Versions of a folder, each different from the others in every table and in the keyword index.

pub use crate::common::assert_sound;
use crate::common::{Sandbox, of_hits, texts};

/// How many documents a version of the folder has.
const DOCUMENTS: usize = 4;

/// Writes version `version` of the folder: each file says which one it is of, and one file changes its name.
pub fn write_version(sandbox: &Sandbox, version: usize) {
    let folder = sandbox.path("docs");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).unwrap();
    }
    for i in 1..DOCUMENTS {
        sandbox.write(&format!("docs/{i}.md"), format!("# Part {i}\n\nAbout version{version}x of the valves, {i}."));
    }
    sandbox.write(&format!("docs/only-{version}.md"), format!("# Only here\n\nThe pumps of version{version}x."));
}

/// Ingests the current version of the folder.
pub const INGEST: [&str; 4] = ["ingest", "docs", "--prune", "--no-embed"];

/// Writes a version of the folder, and ingests it.
pub fn ingest_version(sandbox: &Sandbox, version: usize) {
    write_version(sandbox, version);
    sandbox.json(&INGEST);
}

/// Which version the store holds; panics where it holds parts of two, or its indexes disagree.
pub fn version_of(sandbox: &Sandbox, candidates: &[usize]) -> usize {
    let documents = sandbox.items(&["docs"]);
    let sources = texts(&documents, "/source");
    let held: Vec<usize> =
        candidates.iter().copied().filter(|version| sources.contains(&&*format!("docs/only-{version}.md"))).collect();
    assert_eq!(held.len(), 1, "of one version: {sources:?}");
    assert_eq!(sources.len(), DOCUMENTS, "{sources:?}");
    let word = |version: &usize| format!("version{version}x");
    let words: Vec<String> = candidates.iter().map(word).collect();
    let found = sandbox.json(&["search", &words.join(" "), "--method", "keyword", "-k", "20"]);
    let found = of_hits(&found, "content").concat();
    for (version, word) in candidates.iter().zip(&words) {
        assert_eq!(found.contains(word), *version == held[0], "the keyword index knows {word} and not {held:?}");
    }
    let chunks = sandbox.items(&["chunks-list", "--type", "parent"]);
    assert_eq!(texts(&chunks, "/section/title"), ["Part 1", "Part 2", "Part 3", "Only here"]);
    let text = texts(&chunks, "/content").concat();
    assert_eq!(text.matches(&word(&held[0])).count(), DOCUMENTS, "{text}");
    let status = sandbox.status();
    assert_eq!(status["keyword_chunks"].as_u64(), Some(DOCUMENTS as u64), "{status}");
    held[0]
}
