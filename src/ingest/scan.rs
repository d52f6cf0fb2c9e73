//! Which files there are to ingest.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use ignore::gitignore::GitignoreBuilder;
use ignore::overrides::OverrideBuilder;

use super::IngestRequest;
use crate::error::{Error, Result};
use crate::load::Format;
use crate::store::Store;

/// The file, in the syntax of .gitignore, that keeps documents out of kb alone.
const IGNORE_FILE: &str = ".kbignore";

/// A file to ingest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    /// Where it is.
    pub path: PathBuf,
    /// How the store names it.
    pub source: String,
    /// What it is by its name; `None` where that is for its first bytes to say.
    pub format: Option<Format>,
}

/// The files found and those passed over.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// By source, each once.
    pub candidates: Vec<Candidate>,
    /// How many files in folders are of no format we read.
    pub skipped: usize,
}

/// Finds the files below the request's paths. Files that are named are taken whatever they are called; those in
/// folders by their endings, except hidden and ignored ones.
///
/// # Errors
/// Where a path does not exist or a glob is none. Then nothing was done.
pub(super) fn scan(request: &IngestRequest, store: &Store) -> Result<Scan> {
    let mut found: BTreeMap<String, Candidate> = BTreeMap::new();
    let mut skipped = 0;
    for path in &request.paths {
        let facts = std::fs::metadata(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                Error::usage(format!("{} does not exist", path.display())).hint("check the path")
            }
            _ => Error::io("read", path, &error),
        })?;
        let mut take = |path: &Path, format: Option<Format>| {
            let source = store.source_name(path);
            found.entry(source.clone()).or_insert(Candidate { path: path.to_owned(), source, format });
        };
        if !facts.is_dir() {
            take(path, request.format.or_else(|| Format::from_path(path)));
            continue;
        }
        let included = included(path, request)?;
        for entry in walk(path, request, store)? {
            let entry = entry.map_err(|error| {
                Error::failed(format!("cannot read the folder {}: {error}", path.display()))
                    .hint("check its permissions, or leave the place out with --exclude")
            })?;
            if !entry.file_type().is_some_and(|kind| kind.is_file()) || !included(entry.path()) {
                continue;
            }
            match request.format.or_else(|| Format::from_path(entry.path())) {
                Some(format) => take(entry.path(), Some(format)),
                None => skipped += 1,
            }
        }
    }
    Ok(Scan { candidates: found.into_values().collect(), skipped })
}

/// Whether a file below `folder` matches one of the request's `--include` globs, itself or by a folder above it. Not
/// the walker's own globs: those would bring ignored files back, as they do in ripgrep.
fn included(folder: &Path, request: &IngestRequest) -> Result<impl Fn(&Path) -> bool> {
    let mut globs = GitignoreBuilder::new(folder);
    for glob in &request.include {
        globs.add_line(None, glob).map_err(|error| bad_glob("--include", glob, &error))?;
    }
    let none = request.include.is_empty();
    let globs = globs.build().map_err(|error| bad_glob("--include", &request.include.join(" "), &error))?;
    Ok(move |path: &Path| none || globs.matched_path_or_any_parents(path, false).is_ignore())
}

fn bad_glob(flag: &str, glob: &str, error: &ignore::Error) -> Error {
    Error::usage(format!("{flag} {glob:?} is not a glob: {error}")).hint("for example '*.pdf' or 'drafts/**'")
}

fn walk(folder: &Path, request: &IngestRequest, store: &Store) -> Result<ignore::Walk> {
    let mut excluded = OverrideBuilder::new(folder);
    for glob in &request.exclude {
        excluded.add(&format!("!{glob}")).map_err(|error| bad_glob("--exclude", glob, &error))?;
    }
    let excluded = excluded.build().map_err(|error| bad_glob("--exclude", &request.exclude.join(" "), &error))?;
    let own = store.root().canonicalize().ok();
    Ok(WalkBuilder::new(folder)
        .add_custom_ignore_filename(IGNORE_FILE)
        .require_git(false)
        .overrides(excluded)
        .filter_entry(move |entry| own.is_none() || entry.path().canonicalize().ok() != own)
        .sort_by_file_path(Path::cmp)
        .build())
}
