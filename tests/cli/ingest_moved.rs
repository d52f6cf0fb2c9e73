//! `kb ingest`: files that were moved, renamed, or get another format.

use crate::common::{Sandbox, row, text};

fn rename(sandbox: &Sandbox, from: &str, to: &str) {
    std::fs::create_dir_all(sandbox.path(to).parent().unwrap()).unwrap();
    std::fs::rename(sandbox.path(from), sandbox.path(to)).unwrap();
}

#[test]
fn a_renamed_file_gets_the_format_and_the_title_of_its_new_name() {
    let sandbox = Sandbox::new();
    sandbox.write("notes.txt", "# Pump guide\n\nFill it.\n\n## Venting\n\nOpen the vent.\n");
    sandbox.write("old-name.txt", "Figures for the coming year are listed here.");
    sandbox.json(&["ingest", ".", "--no-embed"]);
    let ids = |sandbox: &Sandbox| {
        let mut ids: Vec<String> =
            sandbox.items(&["docs"]).as_array().unwrap().iter().map(|one| text(one, "doc_id").to_owned()).collect();
        ids.sort();
        ids
    };
    let before = ids(&sandbox);
    rename(&sandbox, "notes.txt", "notes.md");
    rename(&sandbox, "old-name.txt", "budget.txt");
    assert_eq!(sandbox.json(&["ingest", ".", "--no-embed"])["counts"]["moved"], 2);
    assert_eq!(ids(&sandbox), before, "they are the same documents");
    let documents = sandbox.items(&["docs"]);
    let notes = row(&documents, "source", "notes.md");
    assert_eq!((text(notes, "format"), text(notes, "title")), ("markdown", "Pump guide"));
    assert_eq!(text(row(&documents, "source", "budget.txt"), "title"), "budget");
    sandbox.kb(&["toc", "notes.md"]).shows(0, "Venting");
    sandbox.kb(&["search", "budget"]).shows(0, "budget.txt");
}

#[test]
fn a_renamed_file_that_cannot_be_read_hides_no_missing_document() {
    let sandbox = Sandbox::new();
    sandbox.write("notes.txt", "Fill the pump.");
    sandbox.write("other.txt", "Open the vent.");
    sandbox.json(&["ingest", ".", "--no-embed"]);
    rename(&sandbox, "notes.txt", "notes.pdf");
    sandbox.kb(&["ingest", ".", "--no-embed", "--prune"]).shows(4, "notes.pdf");
    assert_eq!(sandbox.kb(&["docs", "--format", "paths"]).out, "other.txt\n");
}

#[test]
fn equal_files_that_move_together_are_told_apart_by_their_names() {
    let sandbox = Sandbox::new();
    for file in ["p/z.txt", "q/a.txt"] {
        sandbox.write(file, "Same content.");
    }
    sandbox.json(&["ingest", ".", "--no-embed"]);
    sandbox.kb(&["doc-set", "p/z.txt", "--meta", "owner=Zed"]).ok();
    rename(&sandbox, "p/z.txt", "r/z.txt");
    rename(&sandbox, "q/a.txt", "r/a.txt");
    sandbox.json(&["ingest", ".", "--no-embed"]);
    assert_eq!(sandbox.kb(&["docs", "--filter", "owner = Zed", "--format", "paths"]).out, "r/z.txt\n");
}

#[test]
fn another_format_is_a_reason_to_read_a_file_again() {
    let sandbox = Sandbox::new();
    sandbox.write("notes.txt", "# Pumps\n\n## Priming\n\nFill it.\n");
    sandbox.json(&["ingest", ".", "--no-embed"]);
    let as_markdown = ["ingest", "notes.txt", "--as", "markdown", "--no-embed"];
    assert_eq!(sandbox.json(&as_markdown)["counts"]["updated"], 1);
    assert_eq!(text(&sandbox.items(&["docs"])[0], "format"), "markdown");
    assert_eq!(sandbox.json(&as_markdown)["counts"]["unchanged"], 1);
}

#[test]
fn a_change_is_seen_in_a_file_from_before_1970() {
    let sandbox = Sandbox::new();
    let write = |content: &str, days: u64| {
        sandbox.write("old.txt", content);
        let time = std::time::UNIX_EPOCH - std::time::Duration::from_secs(days * 24 * 3600);
        std::fs::File::options().append(true).open(sandbox.path("old.txt")).unwrap().set_modified(time).unwrap();
    };
    write("aaaa herons", 900);
    sandbox.json(&["ingest", ".", "--no-embed"]);
    write("bbbb herons", 300);
    assert_eq!(sandbox.json(&["ingest", ".", "--no-embed"])["counts"]["updated"], 1);
    assert!(text(&sandbox.items(&["docs"])[0]["time"], "at").starts_with("1969-"));
}
