//! What costs itself and not the run: files that balloon, pages that hang.

mod common;

use common::Sandbox;

#[test]
fn a_file_that_takes_too_much_memory_fails_alone() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "# Valves\n\nClose them slowly.");
    sandbox.write("b.pdf", std::fs::read(common::fixtures().join("docs/pump-station-manual.pdf")).unwrap());
    let run = sandbox.kb(&["ingest", ".", "--no-embed", "--worker-memory", "1", "--format", "json"]);
    assert_eq!(run.code, 4, "{}{}", run.out, run.err);
    let report: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!((report["counts"]["added"].as_u64(), report["counts"]["failed"].as_u64()), (Some(1), Some(1)));
    let failed = report["sources"].as_array().unwrap().iter().find(|row| row["action"] == "failed").unwrap();
    assert!(failed["error"].as_str().unwrap().contains("memory"), "{failed}");
    assert!(failed["hint"].as_str().unwrap().contains("--worker-memory"), "{failed}");
    // The same file is read where it may take what it needs.
    assert_eq!(sandbox.json(&["ingest", ".", "--no-embed"])["counts"]["added"], 1);
}

#[test]
#[cfg(unix)]
fn a_page_that_hangs_is_left_out() {
    let sandbox = Sandbox::new();
    sandbox.write("scan.pdf", std::fs::read(common::fixtures().join("hostile/scanned.pdf")).unwrap());
    sandbox.write("a.md", "# Valves\n\nClose them slowly.");
    let hangs = "sh -c 'sleep 600' {}";
    let run = sandbox.kb(&["ingest", ".", "--no-embed", "--ocr-command", hangs, "--page-timeout", "1"]);
    assert_eq!(run.code, 4, "{}{}", run.out, run.err);
    assert!(run.out.contains("took too long") && run.out.contains("--page-timeout"), "{}", run.out);
    assert_eq!(sandbox.json(&["docs"]).as_array().unwrap().len(), 1, "the other file is in");
}
