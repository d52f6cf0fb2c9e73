//! `kb watch`: what is saved is found, however it is saved.

use std::process::Stdio;
use std::time::Duration;

use crate::common::{Process, Sandbox, wait_until};

fn watch(sandbox: &Sandbox, arguments: &[&str]) -> Process {
    let mut command = sandbox.command(&[&["watch"], arguments].concat());
    Process(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
}

/// Waits until a search finds a text, or does not.
fn wait_for(sandbox: &Sandbox, query: &str, found: bool) {
    let is_found = || sandbox.kb(&["search", query, "--method", "keyword"]).out.contains(query);
    wait_until(&format!("{query:?} found: {found}"), || is_found() == found);
}

#[test]
fn whatever_is_saved_is_found() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/a.md", "# Valves\n\nfirstword");
    let mut watch = watch(&sandbox, &["docs", "--", "--no-embed", "--prune", "--yes"]);
    wait_for(&sandbox, "firstword", true);
    sandbox.write("docs/b.md", "# Pumps\n\nsecondword");
    wait_for(&sandbox, "secondword", true);
    // As editors save: a new file takes the place of the old one.
    sandbox.write("docs/.a.md.tmp", "# Valves\n\nthirdword");
    std::fs::rename(sandbox.path("docs/.a.md.tmp"), sandbox.path("docs/a.md")).unwrap();
    wait_for(&sandbox, "thirdword", true);
    wait_for(&sandbox, "firstword", false);
    std::fs::create_dir(sandbox.path("docs/new")).unwrap();
    for number in 0..300 {
        sandbox.write(&format!("docs/new/{number}.md"), format!("# Part {number}\n\nburst{number}"));
    }
    wait_for(&sandbox, "burst299", true);
    std::fs::remove_dir_all(sandbox.path("docs/new")).unwrap();
    wait_for(&sandbox, "burst299", false);
    // The folder itself goes and comes back.
    std::fs::rename(sandbox.path("docs"), sandbox.path("away")).unwrap();
    std::thread::sleep(Duration::from_secs(6));
    std::fs::rename(sandbox.path("away"), sandbox.path("docs")).unwrap();
    std::thread::sleep(Duration::from_secs(6));
    sandbox.write("docs/c.md", "# Tanks\n\nlastword");
    wait_for(&sandbox, "lastword", true);
    assert!(watch.0.try_wait().unwrap().is_none(), "it goes on");
}

#[cfg(target_os = "linux")]
#[test]
fn folders_behind_links_are_not_watched() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/a.md", "# Valves\n\nfirstword");
    for number in 0..50 {
        std::fs::create_dir_all(sandbox.path(&format!("elsewhere/{number}"))).unwrap();
    }
    std::os::unix::fs::symlink("../elsewhere", sandbox.path("docs/link")).unwrap();
    let watch = watch(&sandbox, &["docs", "--", "--no-embed"]);
    wait_for(&sandbox, "firstword", true);
    let open = std::fs::read_dir(format!("/proc/{}/fdinfo", watch.0.id())).unwrap();
    let facts = open.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap_or_default());
    let watched: usize = facts.map(|facts| facts.matches("inotify wd").count()).sum();
    assert!((1..50).contains(&watched), "{watched} folders");
}

#[test]
fn files_and_folders_are_watched_again_after_each_replacement() {
    let sandbox = Sandbox::new();
    sandbox.write("one.md", "# Valves\n\nword0");
    sandbox.write("docs/a.md", "# Pumps\n\npump0");
    let _watch = watch(&sandbox, &["one.md", "docs", "--", "--no-embed"]);
    wait_for(&sandbox, "pump0", true);
    for round in 1..4 {
        sandbox.write(".one.tmp", format!("# Valves\n\nword{round}"));
        std::fs::rename(sandbox.path(".one.tmp"), sandbox.path("one.md")).unwrap();
        wait_for(&sandbox, &format!("word{round}"), true);
        std::fs::remove_dir_all(sandbox.path("docs")).unwrap();
        sandbox.write("docs/a.md", format!("# Pumps\n\npump{round}"));
        wait_for(&sandbox, &format!("pump{round}"), true);
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_the_folder_does_not_end_it() {
    let sandbox = Sandbox::of_document("docs/a.md", "# Valves\n\nfirstword", &["--no-embed"]);
    let mut watch = watch(&sandbox, &["docs", "--", "--no-embed"]);
    std::thread::sleep(Duration::from_secs(2));
    std::fs::rename(sandbox.path("docs"), sandbox.path("away")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(sandbox.path("docs")).status().unwrap().success());
    std::thread::sleep(Duration::from_secs(7));
    assert!(watch.0.try_wait().unwrap().is_none(), "it goes on");
    std::fs::remove_file(sandbox.path("docs")).unwrap();
    std::fs::rename(sandbox.path("away"), sandbox.path("docs")).unwrap();
    sandbox.write("docs/b.md", "# Pumps\n\nsecondword");
    wait_for(&sandbox, "secondword", true);
    std::fs::rename(sandbox.path("docs"), sandbox.path("away")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(sandbox.path("docs")).status().unwrap().success());
    sandbox.kb(&["watch", "docs"]).tells(2, "neither a file nor a folder");
}

#[test]
fn a_busy_store_is_tried_again_and_a_mistake_ends_it() {
    let sandbox = Sandbox::of_document("docs/a.md", "# Valves\n\nfirstword", &["--no-embed"]);
    let lock = sandbox.locked("default");
    let _watch = watch(&sandbox, &["docs", "--", "--no-embed"]);
    sandbox.write("docs/b.md", "# Pumps\n\nsecondword");
    std::thread::sleep(Duration::from_secs(2));
    wait_for(&sandbox, "secondword", false);
    drop(lock);
    wait_for(&sandbox, "secondword", true);
    sandbox.kb(&["watch", "docs", "--", "--no-such-option"]).tells(2, "refuses these options");
    assert_eq!(sandbox.kb(&["watch", "nowhere"]).code, 2);
}
