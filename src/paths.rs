//! Paths as the system sees them.

use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::path::{Component, Path, PathBuf};

use tempfile::NamedTempFile;

/// The longest file that kb reads whole, in bytes.
const LONGEST_TEXT: u64 = 64 << 20;

/// The text of a file, without a byte-order mark.
///
/// # Errors
/// As for [`read_bytes`], and if the text is not UTF-8.
pub fn read_text(path: &Path) -> Result<String> {
    let text = String::from_utf8(read_bytes(path)?);
    text.map(without_mark).map_err(|error| Error::new(ErrorKind::InvalidData, error.utf8_error()))
}

/// Removes the byte-order mark that PowerShell and some editors write in front of a text.
pub fn without_mark(mut text: String) -> String {
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    text
}

/// The bytes of a file.
///
/// # Errors
/// If it cannot be read, is too long, or is not a file: a pipe may block for ever, a device may never end.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    let too_long = || Error::other(format!("it is longer than {}", crate::text::size(LONGEST_TEXT)));
    read_at_most(LONGEST_TEXT, open_file(path)?)?.ok_or_else(too_long)
}

/// The bytes of an input; `None` if it is longer than `most` bytes: then the rest is not read.
///
/// # Errors
/// If it cannot be read.
pub fn read_at_most(most: u64, input: impl Read) -> Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    input.take(most + 1).read_to_end(&mut bytes)?;
    Ok(Some(bytes).filter(|bytes| bytes.len() as u64 <= most))
}

/// Opens a file for reading, and waits for no pipe.
///
/// # Errors
/// If it cannot be opened, or is not a file.
pub fn open_file(path: &Path) -> Result<File> {
    opened(path, true)
}

/// As [`open_file`], and on Unix an error too if the path ends in a link.
pub fn open_file_itself(path: &Path) -> Result<File> {
    opened(path, false)
}

#[cfg_attr(not(unix), allow(unused_variables, reason = "links are refused on Unix only"))]
fn opened(path: &Path, follows_link: bool) -> Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let refused = if follows_link { OFlags::empty() } else { OFlags::NOFOLLOW };
        let flags = (OFlags::NONBLOCK | refused).bits().cast_signed();
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags);
    }
    let file = options.open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(Error::other("it is not a file")) }
}

/// Whether an open file lies in one of the folders, wherever links on its path lead by now. The folders are
/// [`real`] paths.
///
/// # Errors
/// If the path leads nowhere any more.
pub fn lies_in(file: &File, path: &Path, folders: &[PathBuf]) -> Result<bool> {
    let now = path.canonicalize()?;
    Ok(is_inside(&now, folders) && is_same(&file.metadata()?, &now.symlink_metadata()?))
}

/// Whether a path is one of the folders or below one.
pub fn is_inside(path: &Path, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| path.starts_with(folder))
}

/// Whether two files are one.
#[cfg(unix)]
pub fn is_same(one: &std::fs::Metadata, other: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Files have no identity here that can be compared.
#[cfg(not(unix))]
pub fn is_same(_one: &std::fs::Metadata, other: &std::fs::Metadata) -> bool {
    other.is_file()
}

/// A file in the system's folder for temporary files, whose name begins and ends like this; dropping it removes it.
pub fn temporary_file(beginning: &str, ending: &str, bytes: &[u8]) -> Result<NamedTempFile> {
    let mut file = tempfile::Builder::new().prefix(beginning).suffix(ending).tempfile()?;
    file.write_all(bytes)?;
    file.flush()?;
    Ok(file)
}

/// Writes a file that only its owner can read, and the folders above it. It appears whole or not at all.
pub fn write_private(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut new = NamedTempFile::new_in(folder)?;
    new.write_all(bytes)?;
    new.as_file().sync_all()?;
    new.persist(path)?;
    Ok(())
}

/// Whether something is named by an address and not by a path.
pub fn is_address(named: &Path) -> bool {
    named.to_string_lossy().contains("://")
}

/// The absolute path without links and dots, so that a place has one name. The path need not exist yet.
pub fn real(path: &Path) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    let mut real = PathBuf::new();
    for part in std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).components() {
        match part {
            // The path so far has no links, so its last part is the true parent.
            Component::ParentDir => drop(real.pop()),
            Component::CurDir => {}
            part => {
                real.push(part);
                real = real.canonicalize().unwrap_or(real);
            }
        }
    }
    real
}

/// Whether another user owns a file or folder, or the link that leads to it.
#[cfg(unix)]
pub fn is_of_another_user(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let own = rustix::process::geteuid().as_raw();
    [std::fs::metadata(path), path.symlink_metadata()].iter().flatten().any(|facts| facts.uid() != own)
}

/// Owners are checked on Unix only.
#[cfg(not(unix))]
pub fn is_of_another_user(_path: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_the_same_before_and_after_it_exists() {
        let folder = tempfile::tempdir().unwrap();
        let real_folder = folder.path().canonicalize().unwrap();
        let ways = ["new/.kb", "./new/.kb", "new/../new/./.kb", "none/../new/.kb"];
        for way in ways {
            assert_eq!(real(&folder.path().join(way)), real_folder.join("new/.kb"), "{way}");
        }
        std::fs::create_dir_all(folder.path().join("new/.kb")).unwrap();
        for way in ways {
            assert_eq!(real(&folder.path().join(way)), real_folder.join("new/.kb"), "{way}");
        }
    }

    #[test]
    fn a_byte_order_mark_is_not_a_part_of_a_text() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.txt");
        for (bytes, text) in [("\u{feff}{}\n", "{}\n"), ("{}\u{feff}", "{}\u{feff}"), ("\u{feff}", "")] {
            std::fs::write(&file, bytes).unwrap();
            assert_eq!(read_text(&file).unwrap(), text);
        }
    }

    #[test]
    fn an_address_is_no_path() {
        assert!(is_address(Path::new("s3://x")) && !is_address(Path::new("/srv/x")));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_a_link_leads_to_lies_where_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let (root, outside) = (real(folder.path()).join("root"), real(folder.path()).join("outside"));
        for folder in [&root, &outside] {
            std::fs::create_dir(folder).unwrap();
            std::fs::write(folder.join("a"), "text").unwrap();
        }
        std::os::unix::fs::symlink(&outside, root.join("link")).unwrap();
        let lies = |path: &str| {
            let path = root.join(path);
            lies_in(&open_file(&path).unwrap(), &path, std::slice::from_ref(&root)).unwrap()
        };
        assert!(lies("a") && !lies("link/a") && !lies("../outside/a"));
        // Replaced after it was opened.
        let opened = open_file(&outside.join("a")).unwrap();
        assert!(!lies_in(&opened, &root.join("a"), std::slice::from_ref(&root)).unwrap());
        assert!(open_file(&root).is_err(), "a folder");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_becomes_the_folder_that_it_points_to() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("project")).unwrap();
        std::os::unix::fs::symlink("project", folder.path().join("link")).unwrap();
        let store = folder.path().canonicalize().unwrap().join("project/.kb");
        assert_eq!(real(&folder.path().join("link/.kb")), store);
        assert_eq!(real(&folder.path().join("link/../project/.kb")), store);
    }
}
