//! Paths as the system sees them.

use std::fs::OpenOptions;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::{Component, Path, PathBuf};

/// No text that kb reads whole is longer, in bytes.
const LONGEST_TEXT: u64 = 64 << 20;

/// The text of a file.
///
/// # Errors
/// As for [`read_bytes`], and where it is not UTF-8.
pub fn read_text(path: &Path) -> Result<String> {
    String::from_utf8(read_bytes(path)?).map_err(|error| Error::new(ErrorKind::InvalidData, error.utf8_error()))
}

/// The bytes of a file.
///
/// # Errors
/// Where it cannot be read, is too long, or is no file: a pipe would wait for ever, a device may never end.
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

/// The absolute path without links and dots of what exists or is still to be made, so that one place has one name.
pub fn real(path: &Path) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    let mut real = PathBuf::new();
    for part in std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).components() {
        match part {
            // What comes before has no links left, so that the folder above is the one in front.
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

/// Elsewhere the owner is not looked at.
#[cfg(not(unix))]
pub fn is_of_another_user(_path: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_one_name_before_and_after_it_is_made() {
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

    #[cfg(unix)]
    #[test]
    fn a_link_is_the_folder_that_it_names() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("project")).unwrap();
        std::os::unix::fs::symlink("project", folder.path().join("link")).unwrap();
        let store = folder.path().canonicalize().unwrap().join("project/.kb");
        assert_eq!(real(&folder.path().join("link/.kb")), store);
        assert_eq!(real(&folder.path().join("link/../project/.kb")), store);
    }
}
