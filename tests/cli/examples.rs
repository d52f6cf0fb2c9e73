//! The scripts in `examples/` do what they say.

use std::path::Path;

use crate::common::repository::in_repository;
use crate::common::{Run, Sandbox, run};

/// Runs a script of `examples/` with `kb` in the path.
fn script(sandbox: &Sandbox, name: &str, arguments: &str) -> Run {
    let programs = Path::new(env!("CARGO_BIN_EXE_kb")).parent().unwrap().display().to_string();
    let script = in_repository("examples").join(name).display().to_string();
    let line = format!("PATH={programs}:$PATH sh {script} {arguments}; exit $?");
    run(&mut sandbox.command_behind(&line, &[]))
}

#[test]
fn a_night_reports_what_changed_and_only_that() {
    let sandbox = Sandbox::new();
    for number in 0..6 {
        sandbox.write(&format!("docs/{number}.md"), format!("# Part {number}\n\nThe part number {number} is green."));
    }
    script(&sandbox, "nightly.sh", "docs").shows(0, "6 added");
    let quiet = script(&sandbox, "nightly.sh", "docs");
    assert_eq!((quiet.code, quiet.out.as_str()), (0, ""), "{}", quiet.err);
    sandbox.write("docs/1.md", "# Part 1\n\nThe part number 1 is red.");
    let changed = script(&sandbox, "nightly.sh", "docs");
    assert!(changed.code == 0 && changed.out.contains("1.md") && !changed.out.contains("2.md"), "{}", changed.out);
    sandbox.write("docs/broken.pdf", "%PDF-1.4 nothing");
    let broken = script(&sandbox, "nightly.sh", "docs").shows(4, "broken.pdf");
    assert_eq!(broken.out.matches("broken.pdf").count(), 1, "{}", broken.out);
    assert_eq!(script(&sandbox, "nightly.sh", "docs").code, 0, "it failed before");
    // As if a disk were not mounted.
    for number in 0..6 {
        std::fs::remove_file(sandbox.path(&format!("docs/{number}.md"))).unwrap();
    }
    script(&sandbox, "nightly.sh", "docs").shows(3, "not confirmed");
    assert_eq!(sandbox.count(&["docs"]), 6, "nothing was removed");
}

#[test]
fn a_pull_request_is_held_to_its_questions() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/valves.md", "# Valves\n\nClose the valve slowly.");
    sandbox.write("docs/pumps.md", "# Pumps\n\nPrime the pump before it starts.");
    let question = |query: &str, source: &str| format!("{{\"question\": {query:?}, \"source\": {source:?}}}\n");
    let questions = question("close the valve", "docs/valves.md") + &question("prime the pump", "docs/pumps.md");
    sandbox.write("questions.jsonl", questions);
    let good = script(&sandbox, "pull-request.sh", "docs questions.jsonl");
    assert_eq!(good.code, 0, "{}{}", good.out, good.err);
    script(&sandbox, "pull-request.sh", "docs questions.jsonl").shows(0, "hit@5");
    sandbox.write("baseline.json", sandbox.kb(&["eval", "--questions", "questions.jsonl", "--format", "json"]).out);
    sandbox.write("docs/pumps.md", "# Compressors\n\nNothing of the kind.");
    script(&sandbox, "pull-request.sh", "docs questions.jsonl baseline.json").shows(1, "pumps.md");
}
