//! What a hub states about the files of a model: names, sizes and hashes.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use serde::Deserialize;
use sha2::Digest as _;

/// The files of a model at one revision.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "Answer")]
pub(super) struct Listing {
    /// A commit, or `main` if the hub names none.
    pub revision: String,
    files: BTreeMap<String, RemoteFile>,
}

/// A file on a hub.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RemoteFile {
    pub path: String,
    pub bytes: Option<u64>,
    pub digest: Option<Digest>,
}

/// A hash of a file, in lower-case hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Digest {
    Sha256(String),
    /// SHA-1 of length and bytes, as git names blobs. It detects damaged files, not forged ones.
    Git(String),
}

#[derive(Deserialize)]
struct Answer {
    sha: Option<String>,
    #[serde(default)]
    siblings: Vec<Sibling>,
}

#[derive(Deserialize)]
struct Sibling {
    rfilename: String,
    size: Option<u64>,
    #[serde(rename = "blobId")]
    blob: Option<String>,
    lfs: Option<Lfs>,
}

#[derive(Deserialize)]
struct Lfs {
    size: Option<u64>,
    sha256: Option<String>,
}

impl From<Answer> for Listing {
    fn from(answer: Answer) -> Self {
        let file = |sibling: Sibling| {
            let (large, sha256) = sibling.lfs.map_or((None, None), |lfs| (lfs.size, lfs.sha256));
            // The blob of a large file is the pointer to it.
            let digest = match sha256 {
                Some(sha256) => hex(&sha256, 64).map(Digest::Sha256),
                None => sibling.blob.and_then(|blob| hex(&blob, 40)).map(Digest::Git),
            };
            let path = sibling.rfilename;
            (path.clone(), RemoteFile { path, bytes: large.or(sibling.size), digest })
        };
        Listing {
            revision: answer.sha.and_then(|sha| hex(&sha, 40)).unwrap_or_else(|| "main".to_owned()),
            files: answer.siblings.into_iter().map(file).collect(),
        }
    }
}

impl Listing {
    pub fn file(&self, path: &str) -> Option<&RemoteFile> {
        self.files.get(path)
    }
}

impl Digest {
    /// Whether a file has this hash.
    ///
    /// # Errors
    /// The file cannot be read.
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

/// A hexadecimal number of this length, or `None` for any other text.
fn hex(text: &str, length: usize) -> Option<String> {
    let text = text.trim().to_ascii_lowercase();
    (text.len() == length && text.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(answer: serde_json::Value) -> Listing {
        serde_json::from_value(answer).unwrap()
    }

    #[test]
    fn sizes_and_hashes_are_those_of_the_files_and_not_of_pointers_to_them() {
        let (commit, sha256, blob) = ("a".repeat(40), "b".repeat(64), "c".repeat(40));
        let found = listing(serde_json::json!({ "sha": commit, "siblings": [
            { "rfilename": "config.json", "size": 7, "blobId": blob },
            { "rfilename": "model.onnx", "size": 134, "blobId": blob, "lfs": { "sha256": sha256, "size": 900, "pointerSize": 134 } },
            { "rfilename": "bare" },
        ]}));
        assert_eq!(found.revision, commit);
        let small = found.file("config.json").unwrap();
        assert_eq!((small.bytes, small.digest.clone()), (Some(7), Some(Digest::Git(blob))));
        let large = found.file("model.onnx").unwrap();
        assert_eq!((large.bytes, large.digest.clone()), (Some(900), Some(Digest::Sha256(sha256))));
        assert_eq!(found.file("bare").unwrap().bytes, None);
        assert_eq!(found.file("other"), None);
    }

    #[test]
    fn only_a_commit_is_a_revision() {
        for sha in ["../../x", "", "main", "zz"] {
            assert_eq!(listing(serde_json::json!({ "sha": sha })).revision, "main");
        }
        assert_eq!(listing(serde_json::json!({})).revision, "main");
    }

    #[test]
    fn hashes_equal_those_of_sha256sum_and_git() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        std::fs::write(&path, "hello\n").unwrap();
        let sha256 = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03";
        let git = "ce013625030ba8dba906f756967f9e9ca394464a";
        let digests = [Digest::Sha256(sha256.to_owned()), Digest::Git(git.to_owned())];
        assert!(digests.iter().all(|digest| digest.is_of(&path).unwrap()));
        std::fs::write(&path, "hello").unwrap();
        assert!(!digests.iter().any(|digest| digest.is_of(&path).unwrap()));
        assert_eq!((hex(git, 64), hex("zz", 40)), (None, None));
    }
}
