//! A crash or a full disk at any moment leaves the last generation or the next one, in both indexes alike.

// A failing helper ends the test, as it should.
#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;
#[cfg(unix)]
mod disk;
mod entities;
mod model;
#[cfg(unix)]
mod power;
mod versions;

use std::time::Duration;

use common::{Sandbox, files_below};
use entities::{MENTIONED, entities};
use kb::internals::store::STEPS;
use versions::{INGEST, assert_sound, ingest_version, version_of, write_version};

/// From this step on the next generation stands.
const DECIDED: &str = "keyword committed";

/// Whether the next generation stands where a process ended at this step.
fn is_decided(step: &str) -> bool {
    let place = |wanted: &str| STEPS.iter().position(|step| *step == wanted);
    place(step) >= place(DECIDED)
}

/// With version 1 published, indexes, and version 2 in the folder.
fn with_two_versions() -> Sandbox {
    Sandbox::indexed().filled("two versions", publish_one_of_two)
}

/// Publishes version 1, and writes version 2 into the folder.
fn publish_one_of_two(sandbox: &Sandbox) {
    ingest_version(sandbox, 1);
    write_version(sandbox, 2);
}

/// With version 1 and entities published, and version 2 in the folder.
fn with_entities() -> Sandbox {
    let sandbox = entities::sandbox();
    write_version(&sandbox, 2);
    sandbox
}

/// Runs the program until a fault at a step: a crash (`abort`) or a loss of power.
fn run_until(fault: &str, step: &str, sandbox: &Sandbox, args: &[&str]) {
    let fault = format!("{fault}:{step}");
    let struck = sandbox.command(args).env("KB_TEST_FAULT", &fault).output().unwrap();
    assert!(struck.status.code().is_none(), "{fault}: {struck:?}");
    for entry in std::fs::read_dir(sandbox.path("")).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap().to_str().unwrap().starts_with("links-") {
            std::fs::remove_dir_all(path).unwrap();
        }
    }
}

/// Stops a command at each of its steps by each fault. `holds` says whether a store is as before the command (`false`)
/// or as after it (`true`).
fn a_fault_at_each(
    steps: &[&str],
    faults: &[&str],
    prepare: impl Fn() -> Sandbox,
    args: &[&str],
    holds: impl Fn(&Sandbox, bool) -> bool,
) {
    assert!(holds(&prepare(), false));
    for step in steps {
        for fault in faults {
            let sandbox = prepare();
            run_until(fault, step, &sandbox, args);
            assert!(holds(&sandbox, is_decided(step)), "after {fault} at {step:?}");
            sandbox.json(args);
            assert!(holds(&sandbox, true), "the next run after {fault} at {step:?}");
            assert_sound(&sandbox);
        }
    }
}

#[test]
fn a_crash_at_any_step_leaves_one_generation() {
    a_fault_at_each(STEPS, &["abort"], with_entities, &INGEST, |sandbox, is_new| {
        let held = version_of(sandbox, &[1, 2]);
        // Mentions are of the documents.
        held == 1 + usize::from(is_new) && entities(sandbox) == MENTIONED[held - 1]
    });
}

#[test]
fn an_error_of_the_disk_at_any_step_leaves_one_generation() {
    for name in STEPS {
        let sandbox = with_two_versions();
        let failed = sandbox.kb_with(&[("KB_TEST_FAULT", format!("fail:{name}"))], &INGEST);
        // A failure while tidying up does not undo a publication.
        let tidying = *name == "history pruned";
        assert_eq!(failed.code, if tidying { 0 } else { 3 }, "{}", failed.err);
        assert!(failed.err.contains("no space left"), "{}", failed.err);
        assert_eq!(failed.err.contains("generation 2 is published, but"), tidying, "{}", failed.err);
        version_of(&sandbox, &[1, 2]);
        sandbox.json(&INGEST);
        assert_eq!(version_of(&sandbox, &[1, 2]), 2, "the next run after an error at {name:?}");
    }
}

/// All files of the namespace that readers do not make themselves, with their contents.
fn files_of(sandbox: &Sandbox) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let files = files_below(&sandbox.path(".kb/namespaces/default")).into_iter();
    let files = files.filter(|path| !path.components().any(|part| part.as_os_str() == "read-cache"));
    files.map(|path| (path.clone(), std::fs::read(&path).unwrap())).collect()
}

#[test]
fn recovering_again_changes_nothing() {
    for name in STEPS {
        let sandbox = with_entities();
        run_until("abort", name, &sandbox, &INGEST);
        let recover = || {
            let repair = sandbox.kb(&["check", "--repair"]);
            assert_eq!(repair.code, 0, "after a crash at {name:?}: {}{}", repair.out, repair.err);
            files_of(&sandbox)
        };
        let once = recover();
        let twice = recover();
        let names = |files: &[(std::path::PathBuf, _)]| files.iter().map(|file| file.0.clone()).collect::<Vec<_>>();
        assert_eq!(names(&twice), names(&once), "after a crash at {name:?}");
        assert!(twice == once, "after a crash at {name:?} a second recovery changes files");
    }
}

/// Kills at random moments. `KB_TEST_KILLS=1000` makes a longer run of it.
#[test]
#[cfg(unix)]
fn a_kill_at_any_moment_leaves_one_generation() {
    let kills: usize = std::env::var("KB_TEST_KILLS").map_or(100, |kills| kills.parse().unwrap());
    let sandbox = Sandbox::new();
    ingest_version(&sandbox, 0);
    // The time of a whole run, so that the kills are spread over it.
    write_version(&sandbox, 1);
    let start = std::time::Instant::now();
    sandbox.json(&INGEST);
    let mut whole = start.elapsed().as_micros() as usize;
    let mut random = fastrand::Rng::with_seed(1);
    let mut held = 1;
    let mut killed = 0;
    for version in 2..kills + 2 {
        write_version(&sandbox, version);
        let time = random.usize(..whole + whole / 4);
        if common::kill_after(Duration::from_micros(time as u64), &mut sandbox.command(&INGEST)) {
            // It ended before: the first run was slower, as beside other work.
            whole = whole.min(time);
        } else {
            killed += 1;
        }
        held = version_of(&sandbox, &[held, version]);
    }
    assert!(killed * 2 > kills, "only {killed} of {kills} runs were still going when they were killed");
    ingest_version(&sandbox, kills + 2);
    assert_eq!(version_of(&sandbox, &[held, kills + 2]), kills + 2);
    assert_sound(&sandbox);
}

#[test]
#[cfg(unix)]
fn readers_have_the_old_keyword_index_while_one_is_made_anew() {
    let sandbox = Sandbox::new();
    for version in [1, 2] {
        ingest_version(&sandbox, version);
    }
    for step in ["keyword written", "pending written"] {
        let run = disk::paused(&sandbox, &["restore", "1"], step, || {
            let found = sandbox.kb(&["search", "valves", "--method", "keyword"]);
            assert_eq!((found.code, found.err.as_str()), (0, ""), "at {step:?}");
            assert_eq!(version_of(&sandbox, &[1, 2]), 2, "at {step:?}");
        });
        assert_eq!(run.code, 0, "{}", run.err);
        assert_eq!(version_of(&sandbox, &[1, 2]), 1);
        sandbox.json(&["restore", "2"]);
    }
    let left = common::names_in(&sandbox.path(".kb/namespaces/default"));
    assert_eq!(left.iter().filter(|name| name.starts_with("keyword")).count(), 1, "{left:?}");
}
