//! A crash or a power loss at any step: what was not synced may be lost, and one generation is left, whole.
//!
//! The process stops at the step. Where the power fails, it puts in the store's place what was synced by then
//! (`src/store/power_loss.rs`): with the new names and empty files, with the old names, or with a random mixture of
//! both.

use kb::internals::store::{REWRITE_STEPS, STEPS};

use crate::common::{Sandbox, of_hits};
use crate::versions::{INGEST, assert_sound, ingest_version, version_of, write_version};
use crate::{a_fault_at_each, is_decided, run_until, with_two_versions};

/// Losses of power, in which the contents of files are lost, or their names too.
const LOSSES: [&str; 2] = ["power-contents", "power-names"];
/// The same, and a crash, in which nothing is lost.
const FAULTS: [&str; 3] = ["abort", LOSSES[0], LOSSES[1]];

#[test]
fn a_power_loss_at_any_step_of_an_ingest_leaves_one_generation() {
    a_fault_at_each(STEPS, &LOSSES, with_two_versions, &INGEST, |sandbox, is_new| {
        version_of(sandbox, &[1, 2]) == 1 + usize::from(is_new)
    });
}

#[test]
fn the_first_publication_survives_a_power_loss_whole_or_not_at_all() {
    let written = |new: fn() -> Sandbox| {
        move || {
            let sandbox = new();
            write_version(&sandbox, 1);
            sandbox
        }
    };
    let holds = |sandbox: &Sandbox, is_new: bool| !is_new || version_of(sandbox, &[1]) == 1;
    a_fault_at_each(STEPS, &["abort"], written(Sandbox::indexed), &INGEST, holds);
    a_fault_at_each(STEPS, &LOSSES, written(Sandbox::new), &INGEST, holds);
}

/// Whether the changed document has its old text, and then its new one.
fn says(text: [&'static str; 2]) -> impl Fn(&Sandbox, bool) -> bool {
    move |sandbox, is_new| sandbox.kb(&["section", "docs/1.md", "1"]).out.contains(text[usize::from(is_new)])
}

fn one_version() -> Sandbox {
    Sandbox::prepared("power::one_version", |sandbox| ingest_version(sandbox, 1))
}

#[test]
fn an_edit_survives_a_power_loss_whole_or_not_at_all() {
    let id = format!("{}:0", one_version().id("docs/1.md"));
    let edit = ["chunk-edit", &id, "--content", "Written by hand."];
    a_fault_at_each(STEPS, &FAULTS, one_version, &edit, says(["version1x", "Written by hand"]));
}

fn two_versions() -> Sandbox {
    Sandbox::prepared("power::two_versions", |sandbox| {
        [1, 2].into_iter().for_each(|version| ingest_version(sandbox, version));
    })
}

/// The steps of a publication from one on.
fn steps_from(first: &str) -> &'static [&'static str] {
    &STEPS[STEPS.iter().position(|step| *step == first).unwrap()..]
}

#[test]
fn a_restore_survives_a_power_loss_whole_or_not_at_all() {
    let steps = [&["begun", "tables restored", "keyword moved aside"][..], steps_from("keyword written")].concat();
    a_fault_at_each(&steps, &FAULTS, two_versions, &["restore", "1"], says(["version2x", "version1x"]));
}

/// Many documents, of which one has changed.
fn one_changed() -> Sandbox {
    Sandbox::prepared("power::one_changed", |sandbox| {
        write_version(sandbox, 1);
        (0..8).for_each(|number| drop(sandbox.write(&format!("docs/more{number}.md"), "# Same\n\nIt stays.\n")));
        sandbox.json(&INGEST);
        let text = std::fs::read_to_string(sandbox.path("docs/1.md")).unwrap();
        sandbox.write("docs/1.md", text.replace("version1x", "version2x"));
        sandbox.json(&INGEST);
    })
}

/// The entries of the document in the keyword index are replaced; the others stay.
#[test]
fn a_restore_of_one_document_survives_a_power_loss_whole_or_not_at_all() {
    let steps = [&["begun", "tables restored"][..], steps_from("keyword written")].concat();
    a_fault_at_each(&steps, &FAULTS, one_changed, &["restore", "1"], says(["version2x", "version1x"]));
}

#[test]
fn an_optimized_store_survives_a_power_loss() {
    // Scores may change: what was deleted counts in them until segments are merged.
    let hits = |sandbox: &Sandbox| -> Vec<String> {
        of_hits(&sandbox.json(&["search", "it stays", "--method", "keyword", "--keep-duplicates"]), "chunk_id")
    };
    let before = hits(&one_changed());
    assert!(!before.is_empty());
    let steps = steps_from("tables compacted");
    a_fault_at_each(steps, &FAULTS, one_changed, &["optimize"], |sandbox, _| {
        hits(sandbox) == before && says(["version2x"; 2])(sandbox, true)
    });
}

#[test]
fn other_vectors_survive_a_power_loss_whole_or_not_at_all() {
    let found = |sandbox: &Sandbox| sandbox.hits(&["valves", "--method", "semantic"]).len();
    let with_vectors = || {
        Sandbox::prepared("power::with_vectors", |sandbox| {
            sandbox.add_model("tiny", |_| ());
            write_version(sandbox, 1);
            sandbox.json(&["ingest", "docs"]);
            // A store in use has the caches of a search.
            found(sandbox);
        })
    };
    let before = found(&with_vectors());
    let model = |sandbox: &Sandbox| sandbox.status()["model"].to_string();
    let reindex = ["reindex", "--vectors", "--model", "tiny"];
    let first = STEPS.iter().position(|step| *step == "tables compacted").unwrap();
    for (place, step) in REWRITE_STEPS.iter().chain(&STEPS[first..]).enumerate() {
        for fault in ["abort", LOSSES[place % LOSSES.len()]] {
            let sandbox = with_vectors();
            let holds = || {
                assert_eq!(model(&sandbox).contains("tiny"), is_decided(step), "after {fault} at {step:?}");
                assert_eq!(found(&sandbox), before, "after {fault} at {step:?}");
            };
            run_until(fault, step, &sandbox, &reindex);
            holds();
            if fault == "abort" {
                sandbox.kb(&["check", "--repair"]).ok();
                holds();
            }
            sandbox.json(&reindex);
            assert!(model(&sandbox).contains("tiny"));
            // If that command had nothing to do, the publication is still unfinished.
            sandbox.kb(&["check", "--repair"]).ok();
            assert_sound(&sandbox);
        }
    }
}

/// Lets the power fail again and again, at random steps and with random losses. `KB_TEST_POWER_LOSSES=200` makes a
/// longer run of it.
#[test]
fn power_losses_by_chance_leave_one_generation() {
    let losses: usize = std::env::var("KB_TEST_POWER_LOSSES").map_or(12, |losses| losses.parse().unwrap());
    let sandbox = Sandbox::new();
    ingest_version(&sandbox, 0);
    let mut random = fastrand::Rng::with_seed(1);
    let mut held = 0;
    for version in 1..=losses {
        write_version(&sandbox, version);
        let step = STEPS[random.usize(..STEPS.len())];
        let loss = format!("power-{}", random.usize(..1 << 32));
        run_until(&loss, step, &sandbox, &INGEST);
        let expected = if is_decided(step) { version } else { held };
        assert_eq!(version_of(&sandbox, &[held, version]), expected, "loss {version}, {loss}:{step}");
        held = expected;
    }
    // The last loss may have left a publication that only a writer finishes.
    sandbox.kb(&["check", "--repair"]).ok();
    assert_sound(&sandbox);
    ingest_version(&sandbox, losses + 1);
    assert_eq!(version_of(&sandbox, &[held, losses + 1]), losses + 1);
    assert_sound(&sandbox);
}
