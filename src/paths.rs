//! Paths as the system sees them.

use std::fs::OpenOptions;
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::path::{Component, Path, PathBuf};

/// The longest file that kb reads whole, in bytes.
const LONGEST_TEXT: u64 = 64 << 20;

/// The text of a file.
///
/// # Errors
/// As for [`read_bytes`], and if the text is not UTF-8.
pub fn read_text(path: &Path) -> Result<String> {
    String::from_utf8(read_bytes(path)?).map_err(|error| Error::new(ErrorKind::InvalidData, error.utf8_error()))
}

/// The bytes of a file.
///
/// # Errors
/// If it cannot be read, is too long, or is not a file: a pipe may block for ever, a device may never end.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    let file = options.open(path)?;
    let facts = file.metadata()?;
    if !facts.is_file() {
        return Err(Error::other("it is not a file"));
    }
    if facts.len() > LONGEST_TEXT {
        return Err(Error::other(format!("it is longer than {}", crate::text::size(LONGEST_TEXT))));
    }
    let mut bytes = Vec::new();
    file.take(LONGEST_TEXT).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes a file that only its owner can read, and the folders above it. It appears whole or not at all.
pub fn write_private(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
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
    fn an_address_is_no_path() {
        assert!(is_address(Path::new("s3://x")) && !is_address(Path::new("/srv/x")));
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
