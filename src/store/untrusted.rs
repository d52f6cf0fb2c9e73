//! Keeps a store that a stranger made from reaching files outside of it through links, pipes or names. kb opens a
//! namespace only if it contains nothing but folders and plain files, and if its lists of files contain only plain
//! names.
//!
//! This lists each folder and opens no file: 0.3 ms for 500 files.

use std::fs::{File, FileType, OpenOptions};
use std::io;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::{Error, Result, or_none};
use crate::paths::read_bytes;

/// tantivy's list of the files that it may delete.
const MANAGED: &str = ".managed.json";
/// tantivy's list of segments, which names endings of files too.
const META: &str = "meta.json";
const ENDINGS: &str = "persisted_custom_extensions";
/// The files that tantivy empties to lock them.
const LOCKS: [&str; 2] = [".tantivy-writer.lock", ".tantivy-meta.lock"];

/// Checks that a folder contains only folders and plain files, down to `levels` levels. A missing folder passes. The
/// error names the first entry that is neither.
pub(super) fn check_folder(folder: &Path, levels: usize) -> Result<()> {
    let failed = |error: io::Error| Error::io("read", folder, &error);
    let Some(facts) = or_none(folder.symlink_metadata()).map_err(failed)? else { return Ok(()) };
    if !facts.is_dir() {
        return Err(refused(folder, facts.file_type(), "a folder"));
    }
    check_below(folder, levels)
}

fn check_below(folder: &Path, levels: usize) -> Result<()> {
    let failed = |error: io::Error| Error::io("read", folder, &error);
    // A writer may remove folders meanwhile.
    let Some(entries) = or_none(std::fs::read_dir(folder)).map_err(failed)? else { return Ok(()) };
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let Some(kind) = or_none(entry.file_type()).map_err(failed)? else { continue };
        if kind.is_dir() {
            if levels > 1 {
                check_below(&entry.path(), levels - 1)?;
            }
        } else if !kind.is_file() {
            return Err(refused(&entry.path(), kind, "a file or a folder"));
        }
    }
    Ok(())
}

fn refused(path: &Path, kind: FileType, wanted: &str) -> Error {
    let path = path.display();
    let error = match kind.is_symlink() {
        true => Error::failed(format!("{path} is a symbolic link, and kb follows none inside a store")),
        false => Error::failed(format!("{path} is not {wanted}")),
    };
    error.hint("remove it; if you did not make this store, do not trust it")
}

/// Checks the files that tantivy would delete, read and empty in the folder of a keyword index. A missing or damaged
/// index passes, because tantivy does not open it.
pub(super) fn check_keyword(folder: &Path) -> Result<()> {
    let refused = |file: &str, what: String| {
        let error = Error::failed(format!("{} {what}", folder.join(file).display()));
        Err(error.hint("if you did not make this store, do not trust it; otherwise delete the folder `keyword` there"))
    };
    if let Some(managed) = as_tantivy_reads::<Vec<String>>(&folder.join(MANAGED))?
        && let Some(name) = managed.iter().find(|name| !is_plain(name))
    {
        return refused(MANAGED, format!("names {name:?}, which is not the name of a file in that folder"));
    }
    if let Some(meta) = as_tantivy_reads::<Value>(&folder.join(META))?
        && meta.get(ENDINGS).is_some_and(|endings| *endings != Value::Array(Vec::new()))
    {
        return refused(META, "names files that kb does not make".to_owned());
    }
    match LOCKS.iter().find(|lock| folder.join(lock).symlink_metadata().is_ok_and(|facts| has_other_names(&facts))) {
        Some(lock) => refused(lock, "is a hard link to another file".to_owned()),
        None => Ok(()),
    }
}

/// The value that tantivy reads from a file; `None` if tantivy cannot parse it. Tantivy accepts bytes that are not
/// UTF-8, so this must accept them too.
fn as_tantivy_reads<T: DeserializeOwned>(path: &Path) -> Result<Option<T>> {
    let bytes = or_none(read_bytes(path)).map_err(|error| Error::io("read", path, &error))?;
    Ok(bytes.and_then(|bytes| serde_json::from_str(&String::from_utf8_lossy(&bytes)).ok()))
}

/// Whether a name means a file in the folder where it is used, on every system.
pub(super) fn is_plain(name: &str) -> bool {
    !matches!(name, "" | "." | "..") && !name.contains(['/', '\\', ':', '\0'])
}

/// Opens or creates a file that is written in place. Accepts only a plain file without a second name.
pub(super) fn open_in_place(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, unfollowed());
    let file = options.open(path).map_err(|error| match path.is_symlink() {
        true => io::Error::other("it is a symbolic link"),
        false => error,
    })?;
    let facts = file.metadata()?;
    if !facts.is_file() {
        return Err(io::Error::other("it is not a plain file"));
    }
    if has_other_names(&facts) {
        return Err(io::Error::other("it is a hard link to another file; remove it"));
    }
    Ok(file)
}

#[cfg(unix)]
fn unfollowed() -> i32 {
    use rustix::fs::OFlags;
    (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed()
}

#[cfg(unix)]
fn has_other_names(facts: &std::fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(facts) > 1
}

/// Other systems do not report the number of links.
#[cfg(not(unix))]
fn has_other_names(_facts: &std::fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_files_in_the_folder_are_plain() {
        for name in ["meta.json", "0123abcd.term", ".managed.json", "..a"] {
            assert!(is_plain(name), "{name}");
        }
        for name in ["", ".", "..", "../../x", "/etc/passwd", "a/b", "..\\x", "C:x", "a\0b"] {
            assert!(!is_plain(name), "{name:?}");
        }
    }

    #[test]
    fn an_index_that_deletes_files_elsewhere_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert!(check_keyword(folder.path()).is_ok(), "no index");
        std::fs::write(folder.path().join(MANAGED), r#"["meta.json","a.term"]"#).unwrap();
        std::fs::write(folder.path().join(META), r#"{"segments": [], "persisted_custom_extensions": []}"#).unwrap();
        assert!(check_keyword(folder.path()).is_ok());
        std::fs::write(folder.path().join(META), r#"{"persisted_custom_extensions": ["/../../x"]}"#).unwrap();
        assert!(check_keyword(folder.path()).unwrap_err().message().contains(META));
        std::fs::write(folder.path().join(MANAGED), r#"["meta.json","../../x"]"#).unwrap();
        assert!(check_keyword(folder.path()).unwrap_err().message().contains("\"../../x\""));
        std::fs::write(folder.path().join(MANAGED), b"[\"\xff\",\"../../x\"]").unwrap();
        assert!(check_keyword(folder.path()).unwrap_err().message().contains("\"../../x\""), "tantivy reads this too");
    }

    #[cfg(unix)]
    #[test]
    fn links_and_pipes_are_found_at_every_level() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a/b/c");
        assert!(check_folder(&deep, usize::MAX).is_ok(), "it is not there yet");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::write(deep.join("file"), "").unwrap();
        assert!(check_folder(folder.path(), usize::MAX).is_ok());
        std::os::unix::fs::symlink("file", deep.join("link")).unwrap();
        let error = check_folder(folder.path(), usize::MAX).unwrap_err();
        assert!(error.message().contains("a/b/c/link is a symbolic link"), "{error}");
        assert!(check_folder(folder.path(), 3).is_ok(), "that is the fourth level");
        assert!(check_folder(&deep.join("link"), 1).unwrap_err().message().contains("symbolic link"));
        std::fs::remove_file(deep.join("link")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(deep.join("socket")).unwrap();
        assert!(check_folder(folder.path(), usize::MAX).unwrap_err().message().contains("not a file or a folder"));
    }
}
