//! The two hashes that a hub gives: SHA-256 of large files, git's of small ones.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use sha2::Digest as _;

/// A hash of a file, in small letters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Digest {
    /// Of its bytes.
    Sha256(String),
    /// SHA-1 of its length and its bytes, as git names blobs. Nobody could rely on it against somebody who tries hard,
    /// and nobody has to: it tells a damaged file.
    Git(String),
}

impl Digest {
    /// From what a hub says; `None` where that is none.
    pub fn sha256(text: &str) -> Option<Self> {
        hex(text, 64).map(Digest::Sha256)
    }

    /// From what a hub says; `None` where that is none.
    pub fn git(text: &str) -> Option<Self> {
        hex(text, 40).map(Digest::Git)
    }

    /// Whether a file has it.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn is_of(&self, path: &Path) -> std::io::Result<bool> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        let mut file = BufReader::with_capacity(1 << 20, file);
        Ok(match self {
            Digest::Sha256(wanted) => {
                let mut hasher = sha2::Sha256::new();
                each_part(&mut file, |part| hasher.update(part))?;
                let found: String = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
                found == *wanted
            }
            Digest::Git(wanted) => {
                let mut hasher = sha1_smol::Sha1::new();
                hasher.update(format!("blob {length}\0").as_bytes());
                each_part(&mut file, |part| hasher.update(part))?;
                hasher.digest().to_string() == *wanted
            }
        })
    }
}

fn each_part(file: &mut impl Read, mut take: impl FnMut(&[u8])) -> std::io::Result<()> {
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(read) => take(&buffer[..read]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn hex(text: &str, length: usize) -> Option<String> {
    let text = text.trim().to_ascii_lowercase();
    (text.len() == length && text.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_sha256sum_and_git() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        std::fs::write(&path, "hello\n").unwrap();
        let sha256 = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03";
        let git = "ce013625030ba8dba906f756967f9e9ca394464a";
        let of = |digest: Option<Digest>| digest.unwrap().is_of(&path).unwrap();
        assert!(of(Digest::sha256(sha256)) && of(Digest::git(git)));
        std::fs::write(&path, "hello").unwrap();
        assert!(!of(Digest::sha256(sha256)) && !of(Digest::git(git)));
        assert_eq!((Digest::sha256(git), Digest::git("zz")), (None, None));
    }
}
