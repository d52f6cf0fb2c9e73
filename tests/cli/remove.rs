//! `kb remove`: removed documents are gone; only a whole name removes one.

use crate::common::Sandbox;

#[test]
fn removed_documents_are_gone_from_both_indexes() {
    let sandbox = Sandbox::of_two_documents();
    sandbox.kb(&["remove", "a.md", "--dry-run"]).ok();
    assert_eq!(sandbox.status()["documents"], 2);
    sandbox.kb(&["remove", "a.md"]).ok();
    let status = sandbox.status();
    assert_eq!((status["documents"].as_u64(), status["keyword_chunks"].as_u64()), (Some(1), Some(1)));
    assert_eq!(sandbox.kb(&["search", "valve slowly", "--method", "keyword"]).code, 1);
    let semantic = sandbox.json(&["search", "close the valve", "--method", "semantic"]);
    assert!(!semantic.to_string().contains("valve slowly"));
    assert!(sandbox.path("a.md").exists(), "the file stays");
}

#[test]
fn a_part_of_a_title_shows_a_document_and_never_changes_it() {
    let sandbox = Sandbox::of_document("a.md", "# Valves of 1994\n\nClose the valve slowly.", &["--no-embed"]);
    let id = sandbox.id("a.md");
    for name in ["9", "99", "v", "Valves"] {
        assert_ne!(sandbox.kb(&["remove", name]).code, 0, "{name}");
        assert_ne!(sandbox.kb(&["remove", name, "--dry-run"]).code, 0, "{name}");
    }
    for change in [&["remove", "valves"][..], &["toc", "valves", "--reset"], &["toc", "valves", "--set", "a.md"]] {
        sandbox.kb(change).refuses(2, "part of the name of").tells(2, &id);
    }
    assert_eq!(sandbox.status()["documents"], 1);
    for read in
        [&["toc", "valves"][..], &["docs", "valves"], &["section", "valves", "1"], &["toc", "valves", "--editable"]]
    {
        sandbox.kb(read).tells(0, &format!("using {id} (Valves of 1994)"));
    }
    sandbox.kb(&["search", "close slowly", "--method", "keyword", "--doc", "valves"]).tells(0, "; using ");
    assert_eq!(sandbox.kb(&["remove", "valves of 1994"]).code, 0, "the whole title is enough");
}
