//! Damaged or unreachable stores: what is shown, and what mends them.

use std::path::{Path, PathBuf};

use crate::common::{Run, Sandbox, run};

const INGEST: [&str; 4] = ["ingest", "docs", "--prune", "--no-embed"];

/// A store with three generations, each with other words.
fn three_generations() -> Sandbox {
    Sandbox::prepared("recovery::three_generations", |sandbox| {
        for version in 1..=3 {
            sandbox.write("docs/a.md", format!("# Valves\n\nClose the valve of version{version}x slowly."));
            sandbox.json(&INGEST);
        }
    })
}

/// The newest file of a folder of a table.
fn newest(sandbox: &Sandbox, table: &str, folder: &str) -> PathBuf {
    let folder = sandbox.path(&format!(".kb/namespaces/default/tables/{table}.lance/{folder}"));
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files =
        files.filter(|path| ["manifest", "lance", "arrow"].iter().any(|end| path.extension() == Some(end.as_ref())));
    files.max_by_key(|path| path.metadata().unwrap().modified().unwrap()).unwrap()
}

fn search(sandbox: &Sandbox, word: &str) -> Run {
    sandbox.kb(&["search", word, "--method", "keyword"])
}

fn cut(path: &Path) {
    let bytes = std::fs::read(path).unwrap();
    std::fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
}

/// Puts other bytes in the place of the first ones that are equal.
fn change(path: &Path, old: &[u8], new: &[u8]) {
    let mut bytes = std::fs::read(path).unwrap();
    let at = bytes.windows(old.len()).position(|some| some == old).unwrap();
    bytes[at..at + old.len()].copy_from_slice(new);
    std::fs::write(path, bytes).unwrap();
}

type Damage = fn(&Sandbox);

/// Damage to the versions of tables.
const OF_VERSIONS: [Damage; 6] = [
    |sandbox| std::fs::remove_file(newest(sandbox, "chunks", "_versions")).unwrap(),
    |sandbox| cut(&newest(sandbox, "documents", "_versions")),
    |sandbox| std::fs::write(newest(sandbox, "chunks", "_versions"), "").unwrap(),
    |sandbox| change(&newest(sandbox, "chunks", "_versions"), b"doc_id", b"doc_i\xff"),
    // Types that Lance does not know make it crash.
    |sandbox| change(&newest(sandbox, "documents", "_versions"), b"string", b"strjng"),
    |sandbox| change(&newest(sandbox, "chunks", "_versions"), b"fixed", b"fixEd"),
];

/// Damage to the files that versions name.
const OF_DATA: [Damage; 2] = [
    |sandbox| std::fs::remove_file(newest(sandbox, "sections", "data")).unwrap(),
    |sandbox| cut(&newest(sandbox, "chunks", "data")),
];

#[test]
fn a_generation_that_cannot_be_read_gives_way_to_the_newest_that_can() {
    for damage in OF_VERSIONS.iter().chain(&OF_DATA) {
        let sandbox = three_generations();
        damage(&sandbox);
        let parts = ["generation 3 of ", "cannot be read", "showing generation 2, published", "kb check --repair"];
        let found = search(&sandbox, "version2x").shows(0, "version2x").tells_all(0, &parts);
        assert_eq!(found.err.matches("cannot be read").count(), 1, "said once: {}", found.err);
        assert!(!found.err.contains("panicked"), "{}", found.err);
        assert_eq!(search(&sandbox, "version3x").code, 1, "both indexes are of one generation");
        sandbox.kb(&["check"]).shows(3, "generation 3 cannot be read");
        sandbox.kb(&["check", "--repair"]).ok();
        let found = search(&sandbox, "version2x");
        assert_eq!((found.code, found.err.as_str()), (0, ""), "{}", found.out);
        sandbox.kb(&["log"]).shows(0, "recovery of generation 2");
        assert_eq!(sandbox.status()["generation"], 4, "the number of the lost one is not used again");
        sandbox.kb(&["check"]).ok();
    }
}

#[test]
fn a_cut_list_of_deleted_rows_is_noticed_too() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/b.md", "# Pumps\n\nPrime the pump.");
    for version in 1..=2 {
        sandbox.write("docs/a.md", format!("# Valves\n\nClose the valve of version{version}x slowly."));
        sandbox.json(&INGEST);
    }
    cut(&newest(&sandbox, "documents", "_deletions"));
    search(&sandbox, "version1x").shows(0, "version1x").tells(0, "showing generation 1, published");
    sandbox.kb(&["check", "--repair"]).ok();
    sandbox.kb(&["check"]).ok();
}

#[test]
fn a_writer_goes_on_from_the_newest_generation_that_can_be_read() {
    for (place, damage) in OF_VERSIONS.iter().chain(&OF_DATA).enumerate() {
        let sandbox = three_generations();
        damage(&sandbox);
        sandbox.write("docs/a.md", "# Valves\n\nClose the valve of version4x slowly.");
        sandbox.kb(&INGEST).tells(0, "generation 2, published").tells(0, "as generation 4");
        let found = search(&sandbox, "version4x");
        assert_eq!((found.code, found.err.as_str()), (0, ""), "{}", found.out);
        assert_eq!(sandbox.status()["generation"], 5);
        assert_eq!(search(&sandbox, "version2x").code, 1);
        if place < OF_VERSIONS.len() {
            // The new generation has the same versions as the lost one, and is not taken for it.
            let log = sandbox.items(&["log"]);
            assert!(log.as_array().unwrap().iter().all(|entry| entry["generation"] != 3), "{log}");
            sandbox.kb(&["restore", "3"]).tells(2, "is no longer kept");
            sandbox.kb(&["check"]).ok();
        }
        sandbox.kb(&["check", "--repair"]).ok();
        sandbox.kb(&["check"]).ok();
    }
}

#[test]
fn damage_inside_a_file_is_an_error_that_names_the_repair() {
    let sandbox = three_generations();
    let data = newest(&sandbox, "chunks", "data");
    let mut bytes = std::fs::read(&data).unwrap();
    let half = bytes.len() / 2;
    bytes[..half].fill(0xff);
    std::fs::write(&data, bytes).unwrap();
    sandbox.kb(&["chunks-list"]).tells(3, "kb check --repair");
    sandbox.kb(&["check"]).shows(3, "generation 3 cannot be read");
    sandbox.kb(&["check", "--repair"]).ok();
    assert!(sandbox.kb(&["chunks-list"]).out.contains("version2x"));
    sandbox.kb(&["check"]).ok();
}

#[test]
fn a_store_without_a_readable_generation_says_so() {
    let sandbox = three_generations();
    let versions = sandbox.path(".kb/namespaces/default/tables/chunks.lance/_versions");
    std::fs::read_dir(&versions).unwrap().for_each(|entry| std::fs::write(entry.unwrap().path(), "").unwrap());
    for command in [&["search", "valve"][..], &INGEST, &["check"], &["check", "--repair"]] {
        let run = sandbox.kb(command).tells(3, "from a copy");
        assert!(run.err.contains("can be read") || run.err.contains("no older one can"), "{}", run.err);
    }
}

#[cfg(unix)]
mod refused {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    use super::*;

    fn keyword(sandbox: &Sandbox) -> PathBuf {
        sandbox.path(".kb/namespaces/default/keyword")
    }

    #[test]
    fn an_index_without_permission_is_not_made_anew() {
        let sandbox = Sandbox::without_privileges();
        sandbox.write("docs/a.md", "# Valves\n\nClose the valve slowly.");
        sandbox.json(&INGEST);
        let (folder, meta) = (keyword(&sandbox), keyword(&sandbox).join("meta.json"));
        let before = folder.metadata().unwrap().ino();
        let set = |mode| std::fs::set_permissions(&meta, std::fs::Permissions::from_mode(mode)).unwrap();
        set(0o000);
        sandbox.write("docs/b.md", "# Pumps\n\nPrime the pump.");
        for command in [&["search", "valve"][..], &INGEST, &["check"], &["check", "--repair"]] {
            sandbox.kb(command).tells(3, "permission denied").tells(3, "keyword");
        }
        set(0o644);
        assert_eq!(folder.metadata().unwrap().ino(), before, "it is the same folder");
        assert_eq!(search(&sandbox, "valve").code, 0);
        assert_eq!(sandbox.status()["generation"], 1);
    }

    #[test]
    fn too_many_open_files_cost_no_index_and_no_generation() {
        let sandbox = three_generations();
        let before = keyword(&sandbox).metadata().unwrap().ino();
        let mut refused = 0;
        for most in 6..60 {
            let limit = format!("ulimit -n {most}");
            for command in [&["search", "version3x", "--method", "keyword"][..], &INGEST] {
                let run = run(&mut sandbox.command_behind(&limit, command));
                assert!(!run.err.contains("cannot be read ("), "with {most} files: {}", run.err);
                if run.code == 3 && run.err.contains("too many open files") {
                    assert!(run.err.contains("ulimit"), "{}", run.err);
                    refused += 1;
                }
            }
        }
        assert!(refused > 0, "none met the limit");
        let found = search(&sandbox, "version3x");
        assert_eq!((found.code, found.err.as_str()), (0, ""));
        assert_eq!(keyword(&sandbox).metadata().unwrap().ino(), before, "it is the same folder");
        assert_eq!(sandbox.status()["generation"], 3);
        sandbox.kb(&["check"]).ok();
    }

    #[test]
    fn a_store_that_cannot_be_mended_is_searched_all_the_same() {
        let sandbox = Sandbox::without_privileges();
        sandbox.write("docs/a.md", "# Valves\n\nClose the valve slowly.");
        sandbox.json(&INGEST);
        std::fs::remove_file(keyword(&sandbox).join("meta.json")).unwrap();
        sandbox.set_store_writable(false);
        search(&sandbox, "valve").shows(0, "slowly").tells(0, "was not repaired").tells(0, "kb check --repair");
        sandbox.set_store_writable(true);
        let found = search(&sandbox, "valve");
        assert_eq!((found.code, found.err.as_str()), (0, ""));
    }
}
