//! `kb models`: the list, models from folders and from a hub on this machine, good and bad, and their removal.

mod download;
mod folders;
mod hub;
mod list;

use std::path::Path;

use crate::common::{Sandbox, copy_files, fixtures, names_in};

/// A copy of the fixture's embedding model.
fn copy_model(to: &Path) {
    let from = fixtures().join("embedding");
    copy_files(&from, to);
    copy_files(&from.join("1_Pooling"), &to.join("1_Pooling"));
}

/// The names of the installed models, without the embedded one.
fn here(sandbox: &Sandbox) -> Vec<String> {
    let list = sandbox.json(&["models"]);
    let models = list["items"].as_array().unwrap().iter().filter(|model| model["here"] == true);
    models.map(|model| model["name"].as_str().unwrap().to_owned()).skip(1).collect()
}

/// Everything in the folder of models, hidden or not, except its lock file, which stays.
fn everything(sandbox: &Sandbox) -> Vec<String> {
    let mut names = names_in(&sandbox.path("models"));
    names.retain(|name| name != ".lock");
    names
}
