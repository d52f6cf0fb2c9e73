//! The namespaces of a store: which there are, and what is near a name that is none.

use super::layout::{Namespace, Store, check_namespace_name};
use crate::error::{Error, Result};

/// How many near names an error gives.
const MOST_NAMED: usize = 5;
/// Names at least as alike as this (Jaro-Winkler) are suggested.
const NEAR: f64 = 0.75;

impl Store {
    /// The namespaces in which something was published, by name.
    ///
    /// # Errors
    /// Where the folder cannot be read.
    pub fn namespaces(&self) -> Result<Vec<Namespace>> {
        let folder = self.root().join(super::layout::NAMESPACES);
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(Error::io("read", &folder, &error)),
        };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut found: Vec<Namespace> =
            names.filter_map(|name| self.namespace(&name).ok()).filter(Namespace::exists).collect();
        found.sort_by(|a, b| a.name().cmp(b.name()));
        Ok(found)
    }
}

/// The error of commands on a namespace that is not there, with what is.
pub(super) fn nothing_ingested(namespace: &Namespace) -> Error {
    let error = Error::failed(format!("nothing was ingested into the namespace {:?} yet", namespace.name()));
    let others = others(namespace);
    let near = near(namespace.name(), &others);
    match (near.as_slice(), others.as_slice()) {
        ([], []) => error.hint("ingest some documents with `kb ingest PATH…`"),
        ([], some) => {
            let more = if some.len() > MOST_NAMED { ", …" } else { "" };
            let some: Vec<&str> = some.iter().take(MOST_NAMED).map(String::as_str).collect();
            error.hint(format!("name one that is there with -n NAME: {}{more}", some.join(", ")))
        }
        (near, _) => error.hint(format!("did you mean {}?", near.join(" or "))),
    }
}

/// The other namespaces of its store, by name.
fn others(namespace: &Namespace) -> Vec<String> {
    let entries = namespace.root().parent().and_then(|folder| std::fs::read_dir(folder).ok());
    let mut names: Vec<String> = entries
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.path().join(super::manifest::PUBLISHED).exists())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name != namespace.name() && check_namespace_name(name).is_ok())
        .collect();
    names.sort();
    names
}

/// Those of `names` that may have been meant, the likeliest first.
fn near(name: &str, names: &[String]) -> Vec<String> {
    let name = name.to_lowercase();
    let mut alike: Vec<(f64, &String)> = names
        .iter()
        .map(|other| (strsim::jaro_winkler(&name, &other.to_lowercase()), other))
        .filter(|(likeness, _)| *likeness >= NEAR)
        .collect();
    alike.sort_by(|a, b| b.0.total_cmp(&a.0));
    alike.into_iter().take(MOST_NAMED).map(|(_, other)| other.clone()).collect()
}
