//! Finds the files to ingest.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs::FileType;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::WalkBuilder;
use ignore::gitignore::GitignoreBuilder;
use ignore::overrides::OverrideBuilder;

use super::metadata::is_metadata_file;
use super::request::{IngestRequest, SourceReport};
use super::source::check_permissions;
use crate::error::{Error, Result, Setting};
use crate::globs::{self, SHOWN};
use crate::load::Format;
use crate::paths::{is_inside, read_bytes, read_text, real};
use crate::store::Store;
use crate::text::truncate;

/// A file in the syntax of .gitignore that only kb reads.
const IGNORE_FILE: &str = ".kbignore";
/// The largest ignore file, in bytes: a hundred thousand globs take a gigabyte of memory.
const LARGEST_IGNORE_FILE: u64 = 256 << 10;

/// A file to ingest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    pub path: PathBuf,
    /// Its name in the store.
    pub source: String,
    /// By its name; `None` if its first bytes decide.
    pub format: Option<Format>,
    /// It is read only if it still lies in one of these folders, because a link may have replaced it; empty for any.
    pub within: Vec<PathBuf>,
}

#[derive(Debug, Default)]
pub(super) struct Scan {
    /// In order of their sources, each once.
    pub candidates: Vec<Candidate>,
    /// Files in folders of formats that kb does not read.
    pub skipped: Vec<SourceReport>,
    /// Folders and files in them that cannot be read.
    pub unreadable: Vec<SourceReport>,
    /// Named paths that do not exist: an error unless documents below them are to be removed.
    pub gone: Vec<PathBuf>,
}

/// Finds the files below the request's paths. Takes a named file whatever its name, and files in folders by their
/// extensions, without hidden and ignored ones.
pub(super) fn scan(request: &IngestRequest, store: &Store) -> Result<Scan> {
    let mut found: BTreeMap<String, Candidate> = BTreeMap::new();
    let mut scan = Scan::default();
    for path in &request.paths {
        let facts = match std::fs::metadata(path) {
            Ok(facts) => facts,
            Err(error) if error.kind() == ErrorKind::NotFound && request.prune => {
                scan.gone.push(path.clone());
                continue;
            }
            Err(error) if error.kind() == ErrorKind::NotFound => return Err(does_not_exist(path)),
            Err(error) => return Err(Error::reading(path, &error)),
        };
        if !facts.is_dir() && !facts.is_file() {
            // Reading a pipe or a device could wait forever.
            return Err(Error::usage(format!("{} is neither a file nor a folder", path.display()))
                .hint(format!("pipe its content into the path `-`, with {} NAME", Setting("name"))));
        }
        let place = real(path);
        if !request.within.is_empty() && !is_inside(&place, &request.within) {
            let message = format!("{} lies outside of the folders that may be read", path.display());
            return Err(Error::usage(message).hint("name one inside"));
        }
        let within = if facts.is_dir() { vec![place.clone()] } else { request.within.clone() };
        let mut take = |path: &Path, format: Option<Format>| {
            let source = store.source_name(path);
            let candidate = Candidate { path: path.to_owned(), source, format, within: within.clone() };
            found.entry(candidate.source.clone()).or_insert(candidate);
        };
        if facts.is_dir() {
            scan_folder(path, &place, request, store, &mut scan, take)?;
        } else if !is_metadata_file(path) {
            take(path, request.format.or_else(|| Format::from_path(path)));
        }
    }
    scan.candidates = found.into_values().collect();
    Ok(scan)
}

/// Takes the files of a folder, whose real path is `place`. Other files, and what cannot be read, go into `scan`.
fn scan_folder(
    path: &Path,
    place: &Path,
    request: &IngestRequest,
    store: &Store,
    scan: &mut Scan,
    mut take: impl FnMut(&Path, Option<Format>),
) -> Result<()> {
    let included = included(path, request)?;
    // The walker reads the ignore files of the folders above too.
    if let Some(unusable) = place.ancestors().find_map(unusable_ignore_file) {
        scan.unreadable.push(unusable_ignore_report(&unusable, store));
        return Ok(());
    }
    let unusable = Arc::new(Mutex::new(Vec::new()));
    for entry in walk(path, request, store, &unusable)? {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                scan.unreadable.push(unreadable(path, &error, store));
                continue;
            }
        };
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        if !is_file || !included(entry.path()) || is_metadata_file(entry.path()) {
            continue;
        }
        match request.format.or_else(|| Format::from_path(entry.path())) {
            Some(format) => take(entry.path(), Some(format)),
            None => scan.skipped.push(SourceReport::skipped(store.source_name(entry.path()))),
        }
    }
    let unusable = std::mem::take(&mut *unusable.lock().unwrap_or_else(PoisonError::into_inner));
    scan.unreadable.extend(unusable.iter().map(|file| unusable_ignore_report(file, store)));
    Ok(())
}

pub(super) fn does_not_exist(path: &Path) -> Error {
    Error::usage(format!("{} does not exist", path.display())).hint("check the path")
}

/// The report of a place in a folder that cannot be read.
fn unreadable(folder: &Path, error: &ignore::Error, store: &Store) -> SourceReport {
    let place = match error {
        ignore::Error::WithPath { path, .. } => path,
        ignore::Error::WithDepth { err, .. } => match &**err {
            ignore::Error::WithPath { path, .. } => path,
            _ => folder,
        },
        _ => folder,
    };
    let reason = error.io_error().map_or_else(|| error.to_string(), crate::error::plain_io);
    SourceReport::failed(&store.source_name(place), format!("cannot be read: {reason}"), Some(check_permissions()))
}

/// Whether a file below `folder` matches one of the request's `include` globs, itself or by a folder above it. The
/// walker's own globs would bring ignored files back, as they do in ripgrep.
fn included(folder: &Path, request: &IngestRequest) -> Result<impl Fn(&Path) -> bool> {
    let mut included = GitignoreBuilder::new(folder);
    // In a .gitignore, `[*` stands for itself.
    included.allow_unclosed_class(false);
    for glob in &request.include {
        globs::check(glob.as_bytes()).map_err(|reason| bad_glob("include", glob, &reason))?;
        included.add_line(None, glob).map_err(|error| bad_glob("include", glob, &error))?;
    }
    let none = request.include.is_empty();
    let included = included.build().map_err(|error| bad_glob("include", &request.include.join(" "), &error))?;
    Ok(move |path: &Path| none || included.matched_path_or_any_parents(path, false).is_ignore())
}

fn bad_glob(setting: &'static str, glob: &str, error: &impl Display) -> Error {
    let (glob, error) = (truncate(glob, SHOWN), truncate(&error.to_string(), 2 * SHOWN));
    Error::usage(format!("{} {glob:?} is not a glob: {error}", Setting(setting)))
        .hint("for example '*.pdf' or 'drafts/**'")
}

/// The first ignore file in a folder that must not be read: the walker would wait for a pipe, read a device without end
/// or crash on some globs, in this process.
fn unusable_ignore_file(folder: &Path) -> Option<PathBuf> {
    // Folders of these names are not read, and `/dev/null` is empty.
    let is_unusable = |file: &PathBuf| {
        let is_other = |kind: FileType| !kind.is_file() && !kind.is_dir() && real(file) != Path::new("/dev/null");
        let facts = std::fs::metadata(file);
        facts.is_ok_and(|facts| {
            let is_unread = is_other(facts.file_type()) || facts.len() > LARGEST_IGNORE_FILE;
            is_unread || (facts.is_file() && has_unusable_glob(file))
        })
    };
    let own = [".gitignore", ".ignore", IGNORE_FILE].map(|name| folder.join(name));
    let git = folder.join(".git");
    let git_files = match std::fs::metadata(&git) {
        Err(_) => Vec::new(),
        Ok(facts) if facts.is_dir() => vec![git.join("info/exclude")],
        // In a work tree, it names the folder that has the files.
        Ok(_) if is_unusable(&git) => vec![git],
        Ok(_) => {
            let text = read_text(&git).unwrap_or_default();
            let elsewhere = text.lines().next().and_then(|line| line.strip_prefix("gitdir: ")).unwrap_or_default();
            let elsewhere = folder.join(elsewhere);
            let common = elsewhere.join("commondir");
            if is_unusable(&common) {
                return Some(common);
            }
            let shared = read_text(&common).unwrap_or_default();
            vec![elsewhere.join(shared.trim_end()).join("info/exclude")]
        }
    };
    own.into_iter().chain(git_files).find(is_unusable)
}

fn has_unusable_glob(file: &Path) -> bool {
    let bytes = read_bytes(file).unwrap_or_default();
    bytes.split(|byte| *byte == b'\n').any(|line| !line.starts_with(b"#") && globs::check(line).is_err())
}

/// The report of a folder that was left out because its ignore file cannot be used.
fn unusable_ignore_report(file: &Path, store: &Store) -> SourceReport {
    let folder = file.parent().unwrap_or(file);
    let (limit, longest, braces) = (LARGEST_IGNORE_FILE >> 10, globs::LONGEST, globs::MOST_BRACES);
    let whose = format!("whose globs have at most {longest} bytes and {braces} braces");
    let reason = format!("left out, because {} is no file of at most {limit} KB {whose}", file.display());
    SourceReport::failed(&store.source_name(folder), reason, Some("remove it or make it shorter".to_owned()))
}

/// Walks a folder. Leaves out folders whose ignore file cannot be used, and adds these files to `unusable`.
fn walk(
    folder: &Path,
    request: &IngestRequest,
    store: &Store,
    unusable: &Arc<Mutex<Vec<PathBuf>>>,
) -> Result<ignore::Walk> {
    let mut excluded = OverrideBuilder::new(folder);
    for glob in &request.exclude {
        globs::check(glob.as_bytes()).map_err(|reason| bad_glob("exclude", glob, &reason))?;
        excluded.add(&format!("!{glob}")).map_err(|error| bad_glob("exclude", glob, &error))?;
    }
    let excluded = excluded.build().map_err(|error| bad_glob("exclude", &request.exclude.join(" "), &error))?;
    let own = store.root().canonicalize().ok();
    let unusable = unusable.clone();
    Ok(WalkBuilder::new(folder)
        .add_custom_ignore_filename(IGNORE_FILE)
        .require_git(false)
        .overrides(excluded)
        .filter_entry(move |entry| {
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            let found = if is_folder && entry.depth() > 0 { unusable_ignore_file(entry.path()) } else { None };
            let is_usable = found.is_none();
            unusable.lock().unwrap_or_else(PoisonError::into_inner).extend(found);
            is_usable && (own.is_none() || entry.path().canonicalize().ok() != own)
        })
        .sort_by_file_path(Path::cmp)
        .build())
}
