//! Laws of the whole program on real files: they hold for any files, in any order.

use serde_json::Value;

use crate::common::{Sandbox, copy_files, fixtures};

/// The files of `fixtures/docs` and of the other formats, with an order to name them in.
fn files(sandbox: &Sandbox) -> Vec<String> {
    let mut files = Vec::new();
    for folder in ["docs", "formats"] {
        copy_files(&fixtures().join(folder), &sandbox.path(folder));
        let entries = std::fs::read_dir(sandbox.path(folder)).unwrap().flatten();
        files.extend(entries.map(|entry| format!("{folder}/{}", entry.file_name().to_str().unwrap())));
    }
    files.sort_unstable();
    // Documents that state no time have that of their file.
    let then = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_767_225_600);
    for file in &files {
        std::fs::File::options().write(true).open(sandbox.path(file)).unwrap().set_modified(then).unwrap();
    }
    files
}

/// All rows of all tables as the program shows them, without the times at which they were written, and what two
/// searches find.
fn everything(sandbox: &Sandbox) -> Vec<Value> {
    let mut all =
        vec![sandbox.items(&["docs"]), sandbox.items(&["toc"]), sandbox.items(&["chunks-list", "--limit", "10000"])];
    for query in ["how is the pump primed?", "水泵"] {
        let mut found = sandbox.json(&["search", query, "--method", "keyword", "--limit", "20"]);
        // The number of runs.
        found["generation"].take();
        all.push(found);
    }
    all.iter_mut().for_each(without_times);
    all
}

fn without_times(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for name in ["updated_at", "ingested_at", "mtime_ns", "published_at", "timings_ms"] {
                fields.remove(name);
            }
            fields.values_mut().for_each(without_times);
        }
        Value::Array(values) => values.iter_mut().for_each(without_times),
        _ => {}
    }
}

#[test]
fn an_ingest_depends_neither_on_the_order_of_the_files_nor_on_the_number_of_jobs() {
    let first = Sandbox::new();
    let mut files = files(&first);
    let ingest = |sandbox: &Sandbox, files: &[String], jobs: &str| {
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        sandbox.json(&[&["ingest"], &files[..], &["--no-embed", "--jobs", jobs]].concat())
    };
    ingest(&first, &files, "1");
    let expected = everything(&first);
    for (turn, jobs) in ["2", "5"].into_iter().enumerate() {
        let sandbox = Sandbox::new();
        self::files(&sandbox);
        files.rotate_left(5);
        files.reverse();
        if turn > 0 {
            // In two runs.
            ingest(&sandbox, &files[..4], jobs);
        }
        ingest(&sandbox, &files, jobs);
        for (one, other) in everything(&sandbox).iter().zip(&expected) {
            assert_eq!(one, other, "{jobs} jobs, files {files:?}");
        }
        let again = ingest(&sandbox, &files, jobs);
        assert_eq!(again["generation"], Value::Null, "an ingest of what is there changes nothing: {again}");
    }
}

#[test]
fn every_entry_of_a_table_of_contents_is_a_section() {
    let sandbox = Sandbox::with_keyword_fixtures();
    for document in sandbox.items(&["docs"]).as_array().unwrap() {
        let id = document["doc_id"].as_str().unwrap();
        if document["sections"] == 0 {
            continue;
        }
        let contents = sandbox.sections(id);
        let listed: Vec<(&str, &str)> = sections(&contents);
        let paths: Vec<&str> = listed.iter().map(|(path, _)| *path).collect();
        let read = sandbox.json(&[&["section", id, "--no-children"], &paths[..]].concat());
        assert_eq!(sections(read["items"].as_array().unwrap()), listed, "{}", document["source"]);
    }
}

/// The path and the title of each section in a table of contents.
fn sections(contents: &[Value]) -> Vec<(&str, &str)> {
    contents.iter().map(|row| (row["path"].as_str().unwrap(), row["title"].as_str().unwrap())).collect()
}
