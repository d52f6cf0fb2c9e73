//! `kb reindex --structure`: rebuilds sections in place and keeps the vectors.

use crate::common::{Sandbox, rewrite, row, text};
use kb::internals::store::NewDocument;
use serde_json::Value;

const GUIDE: &str = "intro\n\n# Start\n\nUnpack it.\n\n```sh\n# no heading\n\n\nrun --it\n```\n\n## Use\n\nTurn it.\n";
const PDF: &str = "docs/pump-station-manual.pdf";

fn outdated(new: &mut NewDocument) {
    new.document.structure_version = 0;
}

fn guide() -> Sandbox {
    Sandbox::prepared("reindex_structure::guide", |sandbox| {
        sandbox.write("guide.md", GUIDE);
        sandbox.json(&["ingest", "guide.md"]);
    })
}

/// Every section of a document with its text, the preamble first.
fn everything(sandbox: &Sandbox, document: &str) -> (String, Value) {
    let before = sandbox.kb(&["section", document, "0"]).out;
    let toc = sandbox.sections(document);
    let paths: Vec<&str> = toc.iter().map(|e| e["path"].as_str().unwrap()).collect();
    if paths.is_empty() {
        assert_ne!(before, "", "{document} has neither sections nor text");
        return (before, Value::Null);
    }
    (before, sandbox.items(&[&["section", document, "--no-children"], &paths[..]].concat()))
}

#[test]
fn reindex_needs_a_part_and_skips_current_documents() {
    let sandbox = guide();
    sandbox.kb(&["reindex"]).tells(2, "`--structure` rebuilds sections");
    let report = sandbox.json(&["reindex", "--structure"]);
    assert_eq!((report["current"].as_u64(), &report["items"]), (Some(1), &Value::Array(Vec::new())));
    assert_eq!(report["generation"], Value::Null);
    assert_eq!(sandbox.kb(&["reindex", "--structure", "nobody.md"]).code, 1);
}

#[test]
fn rebuilt_sections_keep_their_vectors() {
    let sandbox = guide();
    let good = everything(&sandbox, "guide.md");
    // As an older kb left it: another section title, so that other texts were embedded, and a parent chunk is missing.
    rewrite(&sandbox, "guide.md", |new| {
        outdated(new);
        new.sections.iter_mut().filter(|s| s.path == "1").for_each(|s| s.title = "Old".into());
        new.parents.iter_mut().for_each(|parent| parent.titles = "guide › Old".into());
        for chunk in new.chunks_mut() {
            chunk.embedding_hash = format!("another hash of {}", chunk.content);
            if chunk.content.contains("Turn it.") {
                chunk.content = "Something else.".into();
            }
        }
    });
    assert_ne!(everything(&sandbox, "guide.md"), good);
    let dry = sandbox.json(&["reindex", "--structure", "--dry-run"]);
    assert_eq!((dry["items"][0]["from"].as_str(), &dry["generation"]), (Some("source"), &Value::Null));
    assert_ne!(everything(&sandbox, "guide.md"), good);
    let report = sandbox.json(&["reindex", "--structure"]);
    // Three child chunks: two as they were under other titles, one with a text that has no vector yet.
    assert_eq!((report["reused"].as_u64(), report["embedded"].as_u64()), (Some(2), Some(1)), "{report}");
    assert_eq!(everything(&sandbox, "guide.md"), good);
    assert_eq!(sandbox.json(&["reindex", "--structure"])["current"], 1);
    let forced = sandbox.json(&["reindex", "--structure", "guide.md", "--force"]);
    assert_eq!((forced["reused"].as_u64(), forced["embedded"].as_u64()), (Some(3), Some(0)));
    // The file is as ingested, so an ingest finds nothing to do.
    assert_eq!(sandbox.json(&["ingest", "guide.md"])["counts"]["unchanged"], 1);
}

#[test]
fn without_the_source_the_stored_text_gives_the_same_sections() {
    let sandbox = Sandbox::with_fixtures();
    sandbox.write("guide.md", GUIDE);
    sandbox.json(&["ingest", "guide.md"]);
    let names = [PDF, "guide.md", "docs/泵站维护手册.pdf", "docs/network-guide.md", "docs/field-notes.txt"];
    let all = || names.map(|name| everything(&sandbox, name));
    let before = all();
    for gone in names.iter().filter(|name| **name != "guide.md") {
        std::fs::remove_file(sandbox.path(gone)).unwrap();
    }
    sandbox.write("guide.md", "# Changed\n\nmeanwhile");
    let report = sandbox.json(&["reindex", "--structure", "--force"]);
    let from = |source: &str| text(row(&report["items"], "source", source), "from");
    assert!(names.iter().all(|name| from(name) == "store"), "{report}");
    assert_eq!(from("docs/release-notes.html"), "source");
    assert_eq!(report["embedded"], 0, "no text is new");
    assert_eq!(all(), before);
    // The changed file is still seen as changed.
    assert_eq!(sandbox.json(&["ingest", "guide.md"])["counts"]["updated"], 1);
}

#[test]
fn sections_survive_a_missing_source() {
    let sandbox = guide();
    // As if fonts or tags had shown these sections: no line has their titles, and the outline is of another kind.
    sandbox.write("tide.pdf", std::fs::read(crate::common::fixtures().join("pdf/no-outline.pdf")).unwrap());
    sandbox.json(&["ingest", "tide.pdf"]);
    rewrite(&sandbox, "tide.pdf", |new| {
        outdated(new);
        new.document.profile.as_mut().unwrap().version = 0;
        let titled = new.sections.iter_mut().filter(|section| section.path != "0");
        titled.for_each(|section| (section.title, section.provenance) = ("a big word".into(), "typography".into()));
    });
    let before = everything(&sandbox, "tide.pdf");
    assert_eq!(before.1.as_array().unwrap().len(), 4);
    std::fs::remove_file(sandbox.path("tide.pdf")).unwrap();
    let report = sandbox.json(&["reindex", "--structure"]);
    assert_eq!((report["items"][0]["kept"].as_bool(), report["embedded"].as_u64()), (Some(true), Some(0)));
    assert_eq!(everything(&sandbox, "tide.pdf"), before);
    assert_eq!(sandbox.json(&["reindex", "--structure"])["current"], 2, "its profile is new too");
}

#[test]
fn a_failing_document_stays_and_the_others_are_rebuilt() {
    let sandbox = guide();
    sandbox.write("b.md", "# B\n\nText of b.");
    sandbox.json(&["ingest", "b.md"]);
    let before = everything(&sandbox, "b.md");
    rewrite(&sandbox, "guide.md", outdated);
    rewrite(&sandbox, "b.md", |new| {
        outdated(new);
        new.document.corrected_toc = Some("{damaged".into());
    });
    let run = sandbox
        .kb(&["reindex", "--structure", "--format", "json"])
        .tells(4, "failed: b.md: the corrected table of contents");
    let report = run.json();
    assert_eq!((report["failed"].as_u64(), report["items"].as_array().unwrap().len()), (Some(1), 2));
    assert!(report["items"][0]["hint"].as_str().unwrap().contains("--reset"));
    assert_eq!(everything(&sandbox, "b.md"), before);
    assert_eq!(sandbox.json(&["reindex", "--structure", "guide.md"])["current"], 1);
}

#[test]
fn corrections_survive_and_documents_without_vectors_stay_without() {
    let sandbox = guide();
    sandbox.write("t.txt", "Start\nUse\n");
    sandbox.json(&["toc", "guide.md", "--set", "t.txt"]);
    let corrected = sandbox.sections("guide.md");
    sandbox.write("b.md", "# B\n\nText of b.");
    sandbox.json(&["ingest", "b.md", "--no-embed"]);
    let report = sandbox.json(&["reindex", "--structure", "--force"]);
    assert_eq!((report["embedded"].as_u64(), report["reused"].as_u64()), (Some(0), Some(3)), "{report}");
    assert_eq!(sandbox.sections("guide.md"), corrected);
    assert_eq!(sandbox.status()["without_vectors"], 1);
    assert_eq!(sandbox.json(&["ingest", "b.md"])["counts"]["embedded"], 1);
}

#[cfg(unix)]
#[test]
fn a_scan_is_read_again_with_the_ocr_command() {
    let sandbox = Sandbox::with_scan("echo The landing stage was repaired.");
    let ocr = ["--ocr-command", "sh ocr.sh"];
    sandbox.json(&[&["ingest", "scan.pdf", "--no-embed"], &ocr[..]].concat());
    let again = ["reindex", "--structure", "--force", "scan.pdf"];
    sandbox.kb(&again).shows(4, "--ocr-command");
    let report = sandbox.json(&[&again[..], &ocr, &["--page-timeout", "60", "--file-timeout", "90"]].concat());
    assert_eq!((report["items"][0]["from"].as_str(), &report["failed"]), (Some("source"), &Value::from(0)));
    // Flags override the settings of `kb.toml`.
    sandbox.configure("[ingest]\nocr_command = \"sh ocr.sh\"\n");
    sandbox.kb(&again).ok();
    let hangs = [&again[..], &["--ocr-command", "sh -c 'sleep 30' {}", "--page-timeout", "1"]].concat();
    sandbox.kb(&hangs).shows(4, "too long");
    sandbox.kb(&[&again[..], &["--worker-memory", "0"]].concat()).tells(2, "--worker-memory");
}

#[cfg(unix)]
#[test]
fn a_correction_reads_a_scan_with_the_ocr_command() {
    let sandbox = Sandbox::with_scan("echo Repairs; echo; echo The landing stage was repaired.");
    sandbox.write("toc.txt", "Repairs  [p. 1]\nMore repairs  [p. 2]\n");
    let ocr = ["--ocr-command", "sh ocr.sh"];
    sandbox.json(&[&["ingest", "scan.pdf", "--no-embed"], &ocr[..]].concat());
    let titles = || -> Vec<String> {
        sandbox.sections("scan.pdf").iter().map(|entry| text(entry, "title").to_owned()).collect()
    };
    let found = titles();
    let set = ["toc", "scan.pdf", "--set", "toc.txt"];
    let without = sandbox.kb(&set);
    assert!(without.code != 0 && without.err.contains("--ocr-command"), "{}{}", without.out, without.err);
    assert_eq!(titles(), found, "nothing was changed");
    sandbox.json(&[&set[..], &ocr].concat());
    assert_eq!(titles(), ["Repairs", "More repairs"]);
    assert!(sandbox.kb(&["section", "scan.pdf", "2"]).out.contains("The landing stage was repaired"));
    let reset = sandbox.json(&[&["toc", "scan.pdf", "--reset"], &ocr[..]].concat());
    assert_eq!((reset["outcome"].as_str(), titles()), (Some("reset"), found));
    // Commands that only show something read no source.
    for args in [&["toc", "scan.pdf"][..], &["toc", "scan.pdf", "--editable"], &["toc"]] {
        sandbox.kb(&[args, &ocr].concat()).tells(2, "--ocr-command is for corrections");
    }
}
