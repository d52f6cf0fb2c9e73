//! Stores in object storage: many readers, one writer, and a network that fails. Each sandbox is a machine.

mod storage;

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::common::{Run, Sandbox, end, kill_after, run, start, wait_until};
use storage::{Mishap, Storage};

const ADDRESS: &str = "s3://bucket/team/kb";

/// A machine that uses a storage.
struct Machine<'s> {
    sandbox: Sandbox,
    storage: &'s Storage,
}

impl<'s> Machine<'s> {
    fn new(storage: &'s Storage) -> Self {
        Machine { sandbox: Sandbox::new(), storage }
    }

    /// A machine that has published two documents.
    fn writer(storage: &'s Storage) -> Self {
        let machine = Machine::new(storage);
        machine.sandbox.write("docs/valves.md", "# Valves\n\nClose the valve slowly.");
        machine.sandbox.write("docs/pumps.md", "# 水泵\n\n启动前先给水泵灌水。");
        machine.json(&["ingest", "docs", "--no-embed"]);
        machine
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.sandbox.command(args);
        command.envs(self.storage.environment()).env("KB_DIR", ADDRESS);
        command
    }

    fn kb(&self, args: &[&str]) -> Run {
        run(&mut self.command(args))
    }

    fn json(&self, args: &[&str]) -> Value {
        let run = self.kb(&[args, &["--format", "json"]].concat());
        assert_eq!(run.code, 0, "{args:?}: {}", run.err);
        serde_json::from_str(&run.out).unwrap()
    }

    /// The source of the best hit; empty if there is none.
    fn best(&self, query: &str) -> String {
        let run = self.kb(&["search", query, "--format", "paths"]);
        assert!(run.code <= 1, "{}", run.err);
        run.out.lines().next().unwrap_or_default().to_owned()
    }

    fn change(&self, text: &str) -> Run {
        self.sandbox.write("docs/valves.md", text);
        self.kb(&["ingest", "docs", "--no-embed"])
    }
}

#[test]
fn what_one_machine_publishes_the_others_find() {
    let storage = Storage::start();
    let (writer, reader) = (Machine::writer(&storage), Machine::new(&storage));
    assert!(reader.best("close the valve").ends_with("valves.md"));
    assert!(reader.best("水泵 灌水").ends_with("pumps.md"));
    let before = storage.requests().len();
    reader.best("close the valve");
    assert_eq!(storage.requests().len() - before, 1, "an up-to-date copy costs one request");
    assert_eq!(writer.change("# Valves\n\nOpen the gate first.").code, 0);
    assert!(reader.best("gate").ends_with("valves.md"), "the next generation has arrived");
    assert_eq!(reader.best("slowly"), "", "and the old text is gone");
    assert_eq!(reader.json(&["check"])["sound"], true);
    assert_eq!(reader.json(&["log"])["items"].as_array().unwrap().len(), 2, "history comes along");
}

#[test]
fn a_dry_run_only_reads() {
    let storage = Storage::start();
    let machine = Machine::new(&storage);
    machine.sandbox.write("docs/valves.md", "# Valves\n\nClose the valve slowly.");
    let dry = || machine.json(&["ingest", "docs", "--no-embed", "--dry-run"])["counts"].take();
    assert_eq!(dry()["added"], 1, "into a store that does not exist yet");
    assert!(storage.state().objects.is_empty());
    assert_eq!(machine.change("# Valves\n\nClose the valve at once.").code, 0);
    let before = storage.state().objects.clone();
    machine.sandbox.write("docs/valves.md", "# Valves\n\nOpen the gate first.");
    assert_eq!(dry()["updated"], 1);
    machine.json(&["remove", "valves.md", "--dry-run"]);
    assert!(storage.state().objects == before, "neither a lease nor a generation");
}

#[test]
fn two_machines_write_in_turns() {
    let storage = Storage::start();
    let (one, other) = (Machine::writer(&storage), Machine::new(&storage));
    other.sandbox.write("more/tanks.md", "# Tanks\n\nDrain the tank.");
    other.kb(&["ingest", "more", "--no-embed"]).ok();
    assert_eq!(one.change("# Valves\n\nOpen the gate first.").code, 0);
    for machine in [&one, &other] {
        assert!(machine.best("drain").ends_with("tanks.md") && machine.best("gate").ends_with("valves.md"));
        assert_eq!(machine.json(&["check"])["sound"], true);
    }
    one.kb(&["undo"]).ok();
    assert!(other.best("slowly").ends_with("valves.md"));
}

#[test]
fn a_writer_waits_for_the_lease_of_another_and_takes_over_one_that_ran_out() {
    let storage = Storage::start();
    let machine = Machine::writer(&storage);
    let lease = |until: &str| format!(r#"{{"token": "other", "holder": "process 7 on build-3", "until": "{until}"}}"#);
    let put =
        |until: &str| storage.state().objects.insert("/bucket/team/kb/lease.json".to_owned(), lease(until).into());
    put(&(jiff::Timestamp::now() + jiff::SignedDuration::from_secs(50)).to_string());
    machine.change("# Valves\n\nOpen the gate first.").tells(5, "process 7 on build-3");
    assert!(machine.best("slowly").ends_with("valves.md"), "readers need no lease");
    for (round, over) in ["2026-01-01T00:00:00Z", "9999-12-30T22:00:00Z", "no time"].iter().enumerate() {
        put(over);
        machine.change(&format!("# Valves\n\nOpen gate {round} first.")).ok();
    }
    assert!(machine.best("gate 2").ends_with("valves.md"));
}

#[test]
fn of_two_writers_who_both_believe_to_hold_the_lease_one_publishes() {
    let storage = Storage::start();
    let (one, other) = (Machine::writer(&storage), Machine::new(&storage));
    // While the one waits for the names of its files, the other publishes, as if the lease of the one had run out.
    let path = one.sandbox.write("docs/slow.md", "# Slow\n\nSlow text.");
    let before = storage.requests().len();
    let mut slow = start(one.command(&["ingest", "--no-embed", "--files-from", "-"]).stdin(Stdio::piped()));
    wait_until("it has pulled", || {
        storage.requests()[before..].iter().any(|request| request.target.ends_with("head.json"))
    });
    storage.state().objects.remove("/bucket/team/kb/lease.json");
    other.sandbox.write("more/tanks.md", "# Tanks\n\nDrain the tank.");
    other.kb(&["ingest", "more", "--no-embed"]).ok();
    slow.stdin.take().unwrap().write_all(path.as_os_str().as_encoded_bytes()).unwrap();
    end(slow).tells(5, "another writer has published");
    assert!(one.best("drain").ends_with("tanks.md"), "its copy is that of the other now");
    assert_eq!(one.best("slow text"), "");
    one.kb(&["ingest", "docs", "--no-embed"]).ok();
    assert!(other.best("slow text").ends_with("slow.md"));
}

#[test]
fn lost_replies_and_busy_storage_lose_nothing() {
    let storage = Storage::start();
    let machine = Machine::writer(&storage);
    storage.state().mishaps = vec![
        ("PUT", "head.json", Mishap::LostReply, 1),
        ("PUT", "lease.json", Mishap::LostReply, 1),
        ("PUT", "/files/", Mishap::LostReply, 2),
        ("PUT", "/files/", Mishap::Unavailable, 2),
        ("GET", "head.json", Mishap::Unavailable, 1),
    ];
    machine.change("# Valves\n\nOpen the gate first.").ok();
    let reader = Machine::new(&storage);
    assert!(reader.best("gate").ends_with("valves.md"));
    assert_eq!(reader.json(&["check"])["sound"], true);
}

#[test]
fn a_killed_writer_publishes_nothing_and_the_next_one_does() {
    let storage = Storage::start();
    let machine = Machine::writer(&storage);
    let reader = Machine::new(&storage);
    storage.state().mishaps = vec![("PUT", "/files/", Mishap::Forbidden, 1)];
    machine.change("# Valves\n\nOpen the gate first.").tells(3, "does not allow kb to");
    assert!(reader.best("slowly").ends_with("valves.md"), "the old generation is whole");
    // The copy here has the change; the next command that writes publishes it.
    machine.kb(&["ingest", "docs", "--no-embed"]).ok();
    assert!(reader.best("gate").ends_with("valves.md"));
}

#[test]
fn readers_and_writers_that_are_killed_leave_a_whole_generation() {
    let storage = Storage::start();
    let (writer, reader) = (Machine::writer(&storage), Machine::new(&storage));
    for round in 0..8 {
        writer.sandbox.write("docs/valves.md", format!("# Valves\n\nVersion {round}."));
        kill_after(Duration::from_millis(60 * round), &mut writer.command(&["ingest", "docs", "--no-embed"]));
        // The dead writer's lease would hold for a minute.
        storage.state().objects.remove("/bucket/team/kb/lease.json");
        writer.kb(&["ingest", "docs", "--no-embed"]).ok();
        kill_after(Duration::from_millis(25 * round), &mut reader.command(&["search", "version"]));
        assert!(reader.kb(&["search", "version"]).out.contains(&format!("Version {round}.")));
        assert!([&writer, &reader].iter().all(|machine| machine.json(&["check"])["sound"] == true));
    }
}

#[test]
fn without_the_storage_a_copy_answers_and_says_so() {
    let storage = Storage::start();
    let machine = Machine::writer(&storage);
    storage.state().mishaps = vec![("GET", "head.json", Mishap::Unavailable, 100)];
    machine
        .kb(&["search", "close the valve"])
        .shows(0, "Close the valve slowly")
        .tells(0, "from the copy on this machine");
    Machine::new(&storage).kb(&["search", "close the valve"]).tells(3, "cannot read");
    assert_eq!(machine.change("# Valves\n\nOpen the gate first.").code, 3, "but nobody writes");
    storage.state().mishaps = vec![("GET", "head.json", Mishap::Forbidden, 1)];
    machine.kb(&["search", "close the valve"]).tells(3, "does not allow kb to");
}

#[test]
fn a_file_that_is_not_what_is_listed_is_refused() {
    let storage = Storage::start();
    let machine = Machine::writer(&storage);
    let damage = |change: &dyn Fn(&str) -> bool, content: &[u8]| {
        let mut state = storage.state();
        state.objects.iter_mut().filter(|(name, _)| change(name)).for_each(|(_, object)| *object = content.to_vec());
    };
    damage(&|name| name.contains("/files/"), b"something else");
    let run = Machine::new(&storage).kb(&["search", "valve"]);
    assert!(run.code == 3 && (run.err.contains("is not the file") || run.err.contains("shorter")), "{}", run.err);
    let head =
        String::from_utf8(storage.state().objects["/bucket/team/kb/namespaces/default/head.json"].clone()).unwrap();
    damage(&|name| name.ends_with("head.json"), head.replace("keyword/meta.json", "../../../escaped").as_bytes());
    Machine::new(&storage).kb(&["search", "valve"]).tells(3, "is not a file of a namespace");
    damage(&|name| name.ends_with("head.json"), b"{}");
    assert_eq!(Machine::new(&storage).kb(&["search", "valve"]).code, 3);
    assert!(machine.kb(&["docs"]).code == 3, "a copy does not hide it");
}

#[test]
fn a_storage_that_redirects_is_not_followed() {
    let storage = Storage::start();
    let machine = Machine::writer(&storage);
    storage.state().mishaps = vec![("GET", "head.json", Mishap::Redirected, 100)];
    Machine::new(&storage).kb(&["search", "valve"]).tells(3, "cannot read");
    assert!(machine.kb(&["search", "valve"]).err.contains("from the copy on this machine"));
    assert!(storage.requests().iter().all(|request| request.target != "/elsewhere"));
}

#[test]
fn namespaces_come_go_and_are_searched_together() {
    let storage = Storage::start();
    let (writer, reader) = (Machine::writer(&storage), Machine::new(&storage));
    writer.sandbox.write("more/tanks.md", "# Tanks\n\nDrain the tank.");
    writer.kb(&["ingest", "more", "--no-embed", "-n", "acme/tanks"]).ok();
    assert_eq!(reader.json(&["search", "drain", "-n", "all"])["hits"][0]["namespace"], "acme/tanks");
    assert!(reader.kb(&["search", "drain", "-n", "acme/*"]).out.contains("Drain"));
    let both = Machine::new(&storage);
    assert_eq!(both.json(&["search", "drain", "-n", "default,acme/*"])["hits"][0]["namespace"], "acme/tanks");
    assert!(both.best("close the valve").ends_with("valves.md"), "both were copied");
    assert_eq!(reader.json(&["namespaces"])["items"].as_array().unwrap().len(), 2);
    writer.kb(&["namespaces", "rename", "acme/tanks", "vessels"]).ok();
    let names = |machine: &Machine<'_>| machine.kb(&["namespaces", "--format", "paths"]).out;
    assert_eq!(names(&reader), "default\nvessels\n");
    assert_eq!(reader.kb(&["namespaces", "remove", "vessels", "--yes"]).code, 0, "any machine may write");
    assert_eq!(names(&writer), "default\n");
    assert!(!storage.state().objects.keys().any(|name| name.contains("vessels")), "nothing stays behind");
}

#[test]
fn an_unknown_namespace_is_an_error_with_the_names_there() {
    let storage = Storage::start();
    let (writer, reader) = (Machine::writer(&storage), Machine::new(&storage));
    writer.kb(&["ingest", "docs", "--no-embed", "-n", "acme/manuals"]).ok();
    for copied in [false, true] {
        assert!(!copied || reader.best("close the valve").ends_with("valves.md"));
        reader.kb(&["search", "valve", "-n", "acme/manual"]).tells(2, "did you mean acme/manuals?");
        reader.kb(&["search", "valve", "-n", "other/*"]).tells(2, "kb namespaces");
        reader.kb(&["remove", "valves.md", "-n", "xyz"]).tells(2, "acme/manuals, default");
    }
}

#[test]
fn files_that_are_no_longer_listed_are_deleted_after_an_hour() {
    let storage = Storage::start();
    let machine = Machine::writer(&storage);
    let head = "/bucket/team/kb/namespaces/default/head.json";
    let read = || serde_json::from_slice::<Value>(&storage.state().objects[head]).unwrap();
    let is_there = |hash: &str| storage.state().objects.keys().any(|name| name.ends_with(hash));
    assert_eq!(machine.change("# Valves\n\nVersion 1.").code, 0);
    let mut value = read();
    let dropped: Vec<String> = value["dropped"].as_object().unwrap().keys().cloned().collect();
    assert!(!dropped.is_empty() && dropped.iter().all(|hash| is_there(hash)), "a reader may still need them");
    for since in value["dropped"].as_object_mut().unwrap().values_mut() {
        *since = "2026-01-01T00:00:00Z".into();
    }
    storage.state().objects.insert(head.to_owned(), value.to_string().into_bytes());
    assert_eq!(machine.change("# Valves\n\nVersion 2.").code, 0);
    let listed = read()["files"].to_string();
    assert!(dropped.iter().all(|hash| is_there(hash) == listed.contains(hash)), "{dropped:?}");
    assert!(dropped.iter().any(|hash| !is_there(hash)));
    assert!(Machine::new(&storage).best("version 2").ends_with("valves.md"));
}

#[test]
fn an_address_that_cannot_be_used_is_an_error() {
    let storage = Storage::start();
    let machine = Machine::new(&storage);
    for (address, tells) in [
        ("s3://", "no bucket"),
        ("s3:///x", "no bucket"),
        ("ftp://x/y", "unknown kind"),
        ("db://x", "LanceDB's service"),
        ("s3://key:secret@bucket/x", "cannot contain a key"),
        ("s3://bucket/x?key=secret", "cannot contain a key"),
        ("s3://localhost:9000/bucket/x", "cannot have a port"),
    ] {
        run(machine.command(&["search", "x"]).env("KB_DIR", address)).tells(2, tells);
    }
    machine.kb(&["search", "x"]).tells(3, "there is no knowledge base at s3://bucket/team/kb");
}

#[test]
fn what_was_not_published_is_never_dropped_in_silence() {
    let (storage, wrong) = (Storage::start(), Storage::start());
    let (one, other) = (Machine::new(&storage), Machine::new(&storage));
    let forbid = || storage.state().mishaps = vec![("PUT", "default/head.json", Mishap::Forbidden, 1)];
    other.sandbox.write("more/tanks.md", "# Tanks\n\nDrain the tank.");
    forbid();
    assert_eq!(one.change("# Valves\n\nClose the valve.").code, 3);
    // A server that has nothing at all is not one where the namespace was removed.
    let elsewhere = run(one.command(&["search", "close the valve"]).envs(wrong.environment()));
    elsewhere.tells(0, "from the copy on this machine");
    assert!(one.best("close the valve").ends_with("valves.md"), "it is still here");
    other.kb(&["ingest", "more", "--no-embed"]).ok();
    let dropped = one.kb(&["search", "drain"]).shows(0, "Drain");
    dropped.tells(0, "unpublished changes in this copy are dropped");
    // A conflict in one namespace does not stop writing to the others.
    forbid();
    assert_eq!(one.change("# Valves\n\nOpen the valve.").code, 3);
    other.sandbox.write("more/tanks.md", "# Tanks\n\nFill the tank.");
    other.kb(&["ingest", "more", "--no-embed"]).ok();
    one.kb(&["ingest", "docs", "--no-embed", "-n", "third"]).tells(0, "another writer has published into \"default\"");
    assert!(other.kb(&["search", "valve", "-n", "third"]).out.contains("Open the valve"));
}

#[test]
fn a_cache_that_somebody_empties_removes_nothing_there() {
    let storage = Storage::start();
    let (machine, other) = (Machine::writer(&storage), Machine::new(&storage));
    let copies = std::fs::read_dir(machine.sandbox.path(".cache/kb/remote")).unwrap();
    let copy = copies.flatten().next().unwrap().path();
    std::fs::remove_dir_all(copy.join("namespaces/default")).unwrap();
    machine.kb(&["ingest", "docs", "--no-embed", "-n", "third"]).ok();
    assert!(other.best("slowly").ends_with("valves.md"), "it is still there");
    assert!(machine.best("slowly").ends_with("valves.md"), "and is copied again");
    std::fs::remove_dir_all(machine.sandbox.path(".cache/kb")).unwrap();
    assert!(machine.best("slowly").ends_with("valves.md"));
}

#[test]
fn a_rename_that_cannot_be_published_keeps_the_old_name() {
    let storage = Storage::start();
    let (machine, other) = (Machine::writer(&storage), Machine::new(&storage));
    storage.state().mishaps = vec![("PUT", "renamed/head.json", Mishap::Forbidden, 1)];
    assert_eq!(machine.kb(&["namespaces", "rename", "default", "renamed"]).code, 3);
    assert!(other.best("slowly").ends_with("valves.md"));
}

#[test]
fn an_import_under_a_name_that_another_machine_has_published_is_an_error() {
    let storage = Storage::start();
    let (machine, other) = (Machine::writer(&storage), Machine::new(&storage));
    machine.kb(&["ingest", "docs", "--no-embed", "-n", "acme/x"]).ok();
    machine.kb(&["export", "backup.kb", "-n", "acme/x"]).ok();
    std::fs::copy(machine.sandbox.path("backup.kb"), other.sandbox.path("backup.kb")).unwrap();
    // The name stands in the archive, so the machine has not copied it before.
    other.kb(&["import", "backup.kb"]).tells(5, "another writer has published");
    assert!(machine.kb(&["search", "slowly", "-n", "acme/x"]).out.contains("slowly"));
}
