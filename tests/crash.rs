//! A crash or a full disk at any moment leaves the last generation or the next one, in both indexes alike.

// What goes wrong in the helpers ends the test, as it should.
#![allow(clippy::unwrap_used)]

mod common;

use std::time::Duration;

use common::Sandbox;

/// Every step of a publication, in order.
const STEPS: [&str; 14] = [
    "begun",
    "documents deleted",
    "sections deleted",
    "chunks deleted",
    "documents written",
    "sections written",
    "chunks written",
    "tables compacted",
    "keyword written",
    "history written",
    "pending written",
    "keyword committed",
    "published",
    "history pruned",
];
/// From this step on the next generation stands.
const DECIDED: &str = "keyword committed";

/// How many documents a version of the folder has.
const DOCUMENTS: usize = 4;

/// Writes version `version` of the folder: each file says which one it is of, and one file changes its name.
fn write_version(sandbox: &Sandbox, version: usize) {
    let folder = sandbox.path("docs");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).unwrap();
    }
    for i in 1..DOCUMENTS {
        sandbox.write(&format!("docs/{i}.md"), format!("# Part {i}\n\nAbout version{version}x of the valves, {i}."));
    }
    sandbox.write(&format!("docs/only-{version}.md"), format!("# Only here\n\nThe pumps of version{version}x."));
}

const INGEST: [&str; 4] = ["ingest", "docs", "--prune", "--no-embed"];

/// Which version the store holds; panics where it holds parts of two, or its indexes disagree.
fn version_of(sandbox: &Sandbox, candidates: &[usize]) -> usize {
    let documents = sandbox.json(&["docs"]);
    let sources: Vec<&str> = documents.as_array().unwrap().iter().map(|row| row["source"].as_str().unwrap()).collect();
    let held: Vec<usize> =
        candidates.iter().copied().filter(|version| sources.contains(&&*format!("docs/only-{version}.md"))).collect();
    assert_eq!(held.len(), 1, "of one version: {sources:?}");
    assert_eq!(sources.len(), DOCUMENTS, "{sources:?}");
    for &version in candidates {
        let word = format!("version{version}x");
        let found = sandbox.kb(&["search", &word, "--method", "keyword", "-k", "20", "--format", "json"]);
        let hits = if found.code == 1 { 0 } else { found.out.matches(&word).count() };
        assert_eq!(hits > 0, version == held[0], "the keyword index knows version {version} and not {held:?}");
    }
    let text: String = sources.iter().map(|source| sandbox.kb(&["section", source, "1"]).out).collect();
    assert_eq!(text.matches(&format!("version{}x", held[0])).count(), DOCUMENTS, "{text}");
    let status = sandbox.json(&["status"]);
    assert_eq!(status["keyword_chunks"].as_u64(), Some(DOCUMENTS as u64), "{status}");
    held[0]
}

/// What `kb check` says of the store, which is sound.
fn assert_sound(sandbox: &Sandbox) {
    let check = sandbox.kb(&["check"]);
    assert_eq!(check.code, 0, "{}{}", check.out, check.err);
}

#[test]
fn a_crash_at_any_step_leaves_one_generation() {
    for (place, name) in STEPS.iter().enumerate() {
        let sandbox = Sandbox::new();
        write_version(&sandbox, 1);
        sandbox.json(&INGEST);
        write_version(&sandbox, 2);
        let crashed = sandbox.command(&INGEST).env("KB_TEST_FAULT", format!("abort:{name}")).output().unwrap();
        assert!(crashed.status.code().is_none(), "the process dies at {name:?}");
        let decided = place >= STEPS.iter().position(|step| *step == DECIDED).unwrap();
        assert_eq!(version_of(&sandbox, &[1, 2]), if decided { 2 } else { 1 }, "after a crash at {name:?}");
        sandbox.json(&INGEST);
        assert_eq!(version_of(&sandbox, &[1, 2]), 2, "the next run after a crash at {name:?}");
        assert_sound(&sandbox);
    }
}

#[test]
fn an_error_of_the_disk_at_any_step_leaves_one_generation() {
    for name in STEPS {
        let sandbox = Sandbox::new();
        write_version(&sandbox, 1);
        sandbox.json(&INGEST);
        write_version(&sandbox, 2);
        let failed = sandbox.command(&INGEST).env("KB_TEST_FAULT", format!("fail:{name}")).output().unwrap();
        let failed = common::Run::of(failed);
        assert_eq!(failed.code, 3, "{}", failed.err);
        assert!(failed.err.contains("no space left"), "{}", failed.err);
        version_of(&sandbox, &[1, 2]);
        sandbox.json(&INGEST);
        assert_eq!(version_of(&sandbox, &[1, 2]), 2, "the next run after an error at {name:?}");
    }
}

#[test]
fn the_first_publication_may_crash_too() {
    for name in STEPS {
        let sandbox = Sandbox::new();
        write_version(&sandbox, 1);
        let crashed = sandbox.command(&INGEST).env("KB_TEST_FAULT", format!("abort:{name}")).output().unwrap();
        assert!(crashed.status.code().is_none(), "the process dies at {name:?}");
        sandbox.json(&INGEST);
        assert_eq!(version_of(&sandbox, &[1]), 1, "after a crash at {name:?}");
        assert_sound(&sandbox);
    }
}

/// Kills at random moments. `KB_TEST_KILLS=1000` makes a longer run of it.
#[test]
#[cfg(unix)]
fn a_process_may_be_killed_at_any_moment() {
    let kills: usize = std::env::var("KB_TEST_KILLS").map_or(100, |kills| kills.parse().unwrap());
    let sandbox = Sandbox::new();
    write_version(&sandbox, 0);
    sandbox.json(&INGEST);
    // How long a run takes from start to end, so that the kills fall all over it.
    write_version(&sandbox, 1);
    let start = std::time::Instant::now();
    sandbox.json(&INGEST);
    let whole = start.elapsed().as_micros() as u64;
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    let mut held = 1;
    let mut killed = 0;
    for version in 2..kills + 2 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        write_version(&sandbox, version);
        let mut child = sandbox.command(&INGEST);
        let mut child = child.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_micros(random % (whole + whole / 4)));
        killed += usize::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
        held = version_of(&sandbox, &[held, version]);
    }
    assert!(killed * 2 > kills, "only {killed} of {kills} runs were still going when they were killed");
    write_version(&sandbox, kills + 2);
    sandbox.json(&INGEST);
    assert_eq!(version_of(&sandbox, &[held, kills + 2]), kills + 2);
    assert_sound(&sandbox);
}
