//! Data of a store and input for it: tables of contents, batches of edits, manifests and records.

use super::documents::NOW;
use super::{parts, text};
use crate::chunk::ChunkConfig;
use crate::edits::{ChunkEditRequest, edit_chunks, parse_toc, read_batch, rebase};
use crate::ingest::{SourceFacts, prepare};
use crate::load::markdown;
use crate::store::{Manifest, NewDocument, Store, record_is_readable};

const SOURCE: &str =
    "# Pumps\n\nPrime the pump. Open the vent.\n\nThen start it.\n\n## Valves\n\nClose the valve slowly. 关闭阀门。\n";

/// The text of a corrected table of contents, for a document with nine pages and one without any.
pub fn toc(bytes: &[u8]) {
    let text = text(bytes);
    for pages in [None, Some(9)] {
        let Ok(lines) = parse_toc(&text, pages) else { continue };
        let entries: Vec<_> = lines.into_iter().map(|line| line.entry).collect();
        let mut above = 0;
        for entry in &entries {
            assert!(entry.level >= 1 && entry.level <= above + 1, "{entry:?}");
            assert!(!entry.title.is_empty() && !entry.title.contains('\n'), "{entry:?}");
            above = entry.level;
        }
        let facts = SourceFacts { corrected_toc: Some(entries), ..SourceFacts::sample() };
        whole(&prepare(&markdown::parse(SOURCE), &facts, &ChunkConfig::default(), NOW).new);
    }
}

/// Lines of edits, and the text of the source when it is read next.
pub fn batch(bytes: &[u8]) {
    let [lines, source] = parts(bytes).map(text);
    let config = ChunkConfig { parent_chars: 60, child_chars: 20, ..ChunkConfig::default() };
    let new = |source: &str| prepare(&markdown::parse(source), &SourceFacts::sample(), &config, NOW).new;
    let stored = vec![new(SOURCE)];
    if ChunkEditRequest::ids_of_batch(&lines).is_err() {
        return;
    }
    let Ok(requests) = read_batch(&lines, &stored) else { return };
    let Ok(edits) = edit_chunks(stored, &requests, NOW) else { return };
    for changed in &edits.changed {
        whole(&changed.after);
        let mut fresh = new(&source);
        rebase(&changed.after, &mut fresh, NOW);
        whole(&fresh);
    }
}

/// The child chunks of a parent, joined, are the parent.
fn whole(new: &NewDocument) {
    for parent in &new.parents {
        let joined: String = parent.children.iter().map(|child| child.content.as_str()).collect();
        assert_eq!(joined, parent.content, "the child chunks of {}", parent.chunk_id);
    }
}

/// `kb.json`, a manifest and the record of a generation.
pub fn manifest(bytes: &[u8]) {
    let [format, manifest, record] = parts(bytes);
    let root = std::env::temp_dir().join(format!("kb-fuzz-{}/.kb", std::process::id()));
    let namespace = root.join("namespaces/default");
    std::fs::create_dir_all(namespace.join("history")).expect("a folder");
    let write = |path: &str, bytes: &[u8]| std::fs::write(root.join(path), bytes).expect("a file");
    let own: &[u8] = br#"{"min_reader": 2, "min_writer": 3, "created_by": "0.1.0"}"#;
    write("kb.json", if format.is_empty() { own } else { format });
    write("namespaces/default/MANIFEST.json", manifest);
    write("namespaces/default/history/0000001.json", record);
    let store = Store::open(Some(&root), &root);
    assert!(store.is_ok() || !format.is_empty(), "this program reads its own format");
    let Ok(store) = store else { return };
    let Ok(namespace) = store.namespace("default") else { return };
    if let Ok(Some(manifest)) = Manifest::read(&namespace) {
        record_is_readable(&namespace, manifest.generation);
    }
    record_is_readable(&namespace, 1);
}
