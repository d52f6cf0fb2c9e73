//! Finds the files to ingest, and decides which must be read.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Display;
use std::fs::FileType;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::WalkBuilder;
use ignore::gitignore::GitignoreBuilder;
use ignore::overrides::OverrideBuilder;

use super::metadata::is_metadata_file;
use super::request::{IngestRequest, SourceReport, SuspiciousRemoval};
use super::source::{check_permissions, mtime_ns, raise_limit};
use super::web::is_file;
use crate::error::{Error, Result, Setting};
use crate::globs::{self, SHOWN};
use crate::load::Format;
use crate::paths::{is_inside, read_bytes, read_text, real};
use crate::store::{DocumentRow, Store};
use crate::text::truncate;

/// A file in the syntax of .gitignore that only kb reads.
const IGNORE_FILE: &str = ".kbignore";
/// The largest share of the documents that kb removes without asking.
const LARGEST_UNCONFIRMED_SHARE: f64 = 0.2;
/// Files up to this size in bytes hold no more than a line break.
const EMPTY: u64 = 2;
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

#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Files to read.
    pub todo: Vec<Candidate>,
    /// The bytes of all of them, when the plan was made.
    pub bytes: u64,
    /// Sources whose outcome is known without reading them.
    pub settled: Vec<SourceReport>,
    /// Documents whose files are gone.
    pub vanished: Vec<DocumentRow>,
    /// The sources of documents whose files exist but are excluded by a glob or an ignore file.
    pub left_out: Vec<String>,
}

/// The documents of the namespace by source.
pub(super) type Existing = HashMap<String, DocumentRow>;

/// Whether a document's file certainly does not exist; a folder may have its name now. A file that cannot be checked can
/// still exist.
pub(super) fn is_gone(row: &DocumentRow, store: &Store) -> bool {
    let gone = || match std::fs::metadata(store.source_path(&row.source)) {
        Ok(facts) => facts.is_dir(),
        Err(error) => matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
    };
    is_file(&row.source) && gone()
}

/// Compares the files with the store. A file with the same size and modification time counts as unchanged.
pub(super) fn plan(candidates: Vec<Candidate>, existing: &Existing, request: &IngestRequest, store: &Store) -> Plan {
    let mut plan = Plan::default();
    let found: HashSet<String> = candidates.iter().map(|candidate| candidate.source.clone()).collect();
    for candidate in candidates {
        let facts = match std::fs::metadata(&candidate.path) {
            Ok(facts) => facts,
            Err(error) => {
                let reason = crate::error::plain_io(&error);
                plan.settled.push(SourceReport::failed(&candidate.source, format!("cannot be read: {reason}"), None));
                continue;
            }
        };
        let known = existing.get(&candidate.source);
        // Python packages have an empty file in each folder.
        let is_named = || request.paths.contains(&candidate.path);
        if facts.len() <= EMPTY && candidate.format.is_some_and(Format::is_code) && known.is_none() && !is_named() {
            continue;
        }
        let largest = request.largest(candidate.format);
        if facts.len() > largest {
            let reason = format!("is {} MB, more than {} MB", facts.len().div_ceil(1 << 20), largest >> 20);
            let hint = format!("split it, or {}", raise_limit());
            plan.settled.push(SourceReport::failed(&candidate.source, reason, Some(hint)));
            continue;
        }
        let same = known.filter(|row| row.size == facts.len() && row.mtime_ns == mtime_ns(&facts));
        let stays = |row: &&DocumentRow| {
            !request.must_read(row) && !request.changes_date(row) && !request.changes_metadata(row, store)
        };
        match same.filter(stays) {
            Some(row) => plan.settled.push(SourceReport::of(&candidate.source, request.action_if_unchanged(row), row)),
            None => {
                plan.bytes += facts.len();
                plan.todo.push(candidate);
            }
        }
    }
    let named = request.named_sources(store);
    // A file that was ingested with a format of its own (`--as`) is never found in a folder.
    let is_walked = |source: &str| is_file(source) && Format::from_path(Path::new(source)).is_some();
    let may_be_gone = |row: &&DocumentRow| !found.contains(&row.source) && is_below_one(&row.source, &named);
    for row in existing.values().filter(may_be_gone) {
        if is_gone(row, store) {
            plan.vanished.push(row.clone());
        } else if is_walked(&row.source) && store.source_path(&row.source).is_file() {
            plan.left_out.push(row.source.clone());
        }
    }
    plan
}

/// A removal that may be a mistake, such as an unmounted disk; `None` if only a few files are missing.
pub(super) fn suspicious_removal(vanished: &[DocumentRow], existing: &Existing, folders: &[PathBuf], store: &Store) -> Option<SuspiciousRemoval> {
    let whole = |folder: &&PathBuf| {
        let name = store.source_name(folder);
        let below = |row: &&DocumentRow| is_below(&row.source, &name);
        let vanished = vanished.iter().filter(below).count();
        vanished > 0 && vanished == existing.values().filter(below).count()
    };
    let emptied = folders.iter().find(whole).map(|folder| folder.display().to_string());
    // In a small store, one file is more than that share.
    let is_much = vanished.len() > 1 && vanished.len() as f64 > existing.len() as f64 * LARGEST_UNCONFIRMED_SHARE;
    let is_doubtful = emptied.is_some() || is_much;
    is_doubtful.then_some(SuspiciousRemoval { documents: vanished.len(), of: existing.len(), emptied })
}

/// Whether a source is in a folder, or is the file of that name; pages and standard input are in none.
pub(super) fn is_below(source: &str, folder: &str) -> bool {
    is_file(source) && (folder.is_empty() || source == folder || Path::new(source).starts_with(folder))
}

pub(super) fn is_below_one(source: &str, folders: &[String]) -> bool {
    folders.iter().any(|folder| is_below(source, folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_below_a_folder_only_if_it_is_inside() {
        assert!(is_below("docs/a.md", "docs") && is_below("docs", "docs") && is_below("x", ""));
        assert!(!is_below("docs2/a.md", "docs"));
        assert!(!is_below("https://example.org/a", "") && !is_below("stdin:a.md", ""));
    }
}
