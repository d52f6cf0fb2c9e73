//! Files of the repository and of sandboxes: copied, listed.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::repository::in_repository;

/// Copies a folder with all folders in it. Files keep their times, by which an ingest knows what is unchanged.
pub fn copy_tree(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy_tree(&from, &to);
        } else {
            std::fs::copy(&from, &to).expect("a copy");
            let time = entry.metadata().and_then(|data| data.modified()).expect("a time");
            std::fs::File::options().write(true).open(&to).and_then(|file| file.set_modified(time)).expect("a time");
        }
    }
}

pub fn fixtures() -> PathBuf {
    in_repository("fixtures")
}

/// What must be read from the files of a folder of the fixtures, by their names.
pub fn expected_of(folder: &str) -> Map<String, Value> {
    let file = fixtures().join(folder).join("expected.json");
    serde_json::from_str(&std::fs::read_to_string(file).expect("a file")).expect("JSON")
}

/// Copies the files of a folder, but not its subfolders.
pub fn copy_files(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        if entry.path().is_file() {
            std::fs::copy(entry.path(), to.join(entry.file_name())).expect("a copy");
        }
    }
}

/// The names in a folder, sorted; none if it does not exist.
pub fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// All files below a folder, sorted; none if it does not exist.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}
