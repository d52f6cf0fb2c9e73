//! A disk that really is full, and a store that really becomes read-only, from any step of a publication on.
//!
//! Full: the system refuses every byte to any file, so that LanceDB, tantivy and our own files meet the error
//! where they write. Read-only: the process waits at the step while the test takes the permission to write from all
//! folders and files of the store.

use kb::internals::store::STEPS;

use crate::common::{Run, Sandbox, end, run, start, texts, wait_until};
use crate::publish_one_of_two;
use crate::versions::{INGEST, assert_sound, ingest_version, version_of, write_version};

const FULL: &str = "ulimit -f 0";
const SEARCH: [&str; 5] = ["search", "valves", "--method", "keyword", "--quiet"];
/// From this step on, publishing writes no more bytes to files; only a renaming is left.
const LAST_BYTE: &str = "pending written";

/// What goes wrong with the disk.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Trouble {
    /// No file may grow.
    Full,
    /// No permission.
    ReadOnly,
}

const BOTH: [Trouble; 2] = [Trouble::Full, Trouble::ReadOnly];

impl Trouble {
    /// A sandbox that `prepare` has filled. Only a user that may write everywhere can have a copy of a filled one.
    fn sandbox(self, name: &str, prepare: fn(&Sandbox)) -> Sandbox {
        match self {
            Trouble::Full => Sandbox::prepared(name, prepare),
            Trouble::ReadOnly => {
                let sandbox = Sandbox::without_privileges();
                prepare(&sandbox);
                sandbox
            }
        }
    }

    /// Runs the program, which meets the trouble at `step`. The store stays read-only, the disk full.
    fn strike(self, sandbox: &Sandbox, args: &[&str], step: &str) -> Run {
        match self {
            Trouble::Full => run(sandbox.command(args).env("KB_TEST_FAULT", format!("full:{step}"))),
            Trouble::ReadOnly => paused(sandbox, args, step, || sandbox.set_store_writable(false)),
        }
    }

    /// Runs the program while the trouble lasts.
    fn during(self, sandbox: &Sandbox, args: &[&str]) -> Run {
        match self {
            Trouble::Full => run(&mut sandbox.command_behind(FULL, args)),
            Trouble::ReadOnly => sandbox.kb(args),
        }
    }

    /// Ends it. The store is sound; in one that became read-only, the announcement of an abandoned publication could
    /// not be taken back, and the check says so.
    fn end(self, sandbox: &Sandbox) {
        match self {
            Trouble::Full => assert_sound(sandbox),
            Trouble::ReadOnly => {
                sandbox.set_store_writable(true);
                let check = sandbox.kb(&["check"]);
                let interrupted = check.out.contains("generation 2 was interrupted; kb check --repair")
                    && check.out.contains(" 1 fault found");
                assert!(check.code == 0 || interrupted, "{}{}", check.out, check.err);
            }
        }
    }

    /// Whether it prevents a publication that has reached `step` from finishing.
    fn hinders(self, step: &str) -> bool {
        let place = |step: &str| STEPS.iter().position(|known| *known == step).unwrap();
        let last = match self {
            Trouble::Full => LAST_BYTE,
            Trouble::ReadOnly => "keyword committed",
        };
        place(step) <= place(last)
    }

    /// One line that says what failed, where, and what to do.
    fn assert_reported(self, run: &Run, when: &str) {
        assert_eq!(run.code, 3, "{self:?}, {when}: {}{}", run.out, run.err);
        assert_eq!(run.err.lines().count(), 1, "{self:?}, {when}: {}", run.err);
        let (what, next) = match self {
            Trouble::Full => ("file too large", "free some space"),
            Trouble::ReadOnly => ("permission denied", "check the permissions"),
        };
        for part in [what, next, ".kb/"] {
            assert!(run.err.contains(part), "{self:?}, {when}: {part:?} is missing: {}", run.err);
        }
    }
}

/// Runs the program, which waits at `step` for what `meanwhile` does.
pub fn paused(sandbox: &Sandbox, args: &[&str], step: &str, meanwhile: impl FnOnce()) -> Run {
    let mark = sandbox.path("paused");
    let mut command = sandbox.command(args);
    command.env("KB_TEST_FAULT", format!("pause:{step}")).env("KB_TEST_PAUSE", &mark);
    let mut child = start(&mut command);
    wait_until(&format!("{args:?} at {step:?}"), || {
        assert!(child.try_wait().unwrap().is_none(), "{args:?} ended before {step:?}");
        mark.exists()
    });
    meanwhile();
    std::fs::remove_file(&mark).unwrap();
    end(child)
}

#[test]
fn a_full_disk_at_any_step_leaves_one_generation() {
    every_step_of_an_ingest(Trouble::Full);
}

#[test]
fn a_store_that_becomes_read_only_at_any_step_holds_one_generation() {
    every_step_of_an_ingest(Trouble::ReadOnly);
}

fn every_step_of_an_ingest(trouble: Trouble) {
    for step in STEPS {
        let sandbox = trouble.sandbox("disk::one_of_two", publish_one_of_two);
        let struck = trouble.strike(&sandbox, &INGEST, step);
        if trouble.hinders(step) {
            trouble.assert_reported(&struck, step);
            trouble.assert_reported(&trouble.during(&sandbox, &INGEST), "the next run");
        } else {
            assert_eq!((struck.code, struck.err.as_str()), (0, ""), "nothing is left to write at {step:?}");
        }
        let found = trouble.during(&sandbox, &SEARCH);
        assert_eq!((found.code, found.err.as_str()), (0, ""), "{trouble:?}: a search after {step:?}");
        trouble.end(&sandbox);
        let held = version_of(&sandbox, &[1, 2]);
        // What was reported as ingested is there.
        assert!(held == 2 || struck.code != 0, "{trouble:?} at {step:?}");
        sandbox.json(&INGEST);
        assert_eq!(version_of(&sandbox, &[1, 2]), 2, "the next run after {trouble:?} at {step:?}");
        assert_sound(&sandbox);
    }
}

/// The ids of all chunks.
fn chunks(sandbox: &Sandbox) -> Vec<String> {
    let list = sandbox.items(&["chunks-list", "--limit", "100"]);
    texts(&list, "/chunk_id").into_iter().map(str::to_owned).collect()
}

fn version_1(trouble: Trouble) -> Sandbox {
    trouble.sandbox("disk::version_1", |sandbox| ingest_version(sandbox, 1))
}

/// Lets a command meet each trouble at some steps: it changes nothing of `state`, and the next run does it all.
fn is_made_whole_or_not_at_all<S: PartialEq + std::fmt::Debug>(
    command: &[&str],
    steps: &[&str],
    state: impl Fn(&Sandbox) -> S,
    is_made: impl Fn(&S) -> bool,
) {
    for trouble in BOTH {
        for step in steps {
            let sandbox = version_1(trouble);
            let before = state(&sandbox);
            let struck = trouble.strike(&sandbox, command, step);
            trouble.assert_reported(&struck, step);
            assert_eq!(trouble.during(&sandbox, &SEARCH).code, 0, "{trouble:?}: a search after {step:?}");
            trouble.end(&sandbox);
            assert_eq!(state(&sandbox), before, "{trouble:?} at {step:?}");
            sandbox.json(command);
            assert!(is_made(&state(&sandbox)), "the next run after {trouble:?} at {step:?}");
            assert_sound(&sandbox);
        }
    }
}

#[test]
fn a_deletion_is_made_whole_or_not_at_all() {
    let id = chunks(&version_1(Trouble::Full)).remove(0);
    let steps = ["begun", "chunks deleted", "chunks written", LAST_BYTE];
    is_made_whole_or_not_at_all(&["chunk-delete", &id, "--yes"], &steps, chunks, |left| !left.contains(&id));
}

#[test]
fn an_entity_is_set_whole_or_not_at_all() {
    let steps = ["begun", "chunks written", "entities written", LAST_BYTE];
    let listed = |sandbox: &Sandbox| sandbox.kb(&["entities", "--quiet", "--format", "jsonl"]).out;
    is_made_whole_or_not_at_all(&["entity-set", "valves", "--state", "shut"], &steps, listed, |listed| {
        let first = listed.lines().next().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        first.is_some_and(|entity| entity["documents"] == 3)
    });
}

#[test]
fn a_failed_compaction_leaves_the_tables_alone() {
    for trouble in BOTH {
        let sandbox = version_1(trouble);
        // Each adds a file to the tables; the last one makes so many that they are compacted.
        let add = ["ingest", "more", "--no-embed"];
        for part in 0..12 {
            sandbox.write(&format!("more/{part}.md"), format!("# More {part}\n\nMore of the seals, {part}."));
            if part < 11 {
                sandbox.json(&add);
            }
        }
        let struck = trouble.strike(&sandbox, &add, "chunks written");
        trouble.assert_reported(&struck, "chunks written");
        assert!(struck.err.contains("compact"), "{}", struck.err);
        trouble.end(&sandbox);
        assert_eq!(sandbox.status()["documents"], 15, "{trouble:?}");
        sandbox.json(&add);
        assert_sound(&sandbox);
        assert_eq!(sandbox.status()["documents"], 16, "{trouble:?}");
    }
}

#[test]
fn an_ingest_works_after_one_on_a_full_disk() {
    let quietly = [&INGEST[..], &["--quiet"]].concat();
    for step in STEPS.iter().filter(|step| Trouble::Full.hinders(step)) {
        let sandbox = Sandbox::new();
        write_version(&sandbox, 1);
        Trouble::Full.assert_reported(&Trouble::Full.strike(&sandbox, &quietly, step), step);
        sandbox.json(&INGEST);
        assert_eq!(version_of(&sandbox, &[1]), 1, "after a full disk at {step:?}");
        assert_sound(&sandbox);
    }
    let sandbox = Sandbox::new();
    write_version(&sandbox, 1);
    Trouble::Full.assert_reported(&Trouble::Full.during(&sandbox, &INGEST), "from the start");
    sandbox.json(&INGEST);
    assert_eq!(version_of(&sandbox, &[1]), 1);
}
