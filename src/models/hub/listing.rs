//! What a hub says that a model has.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::Hub;
use super::digest::Digest;
use crate::error::{Error, Result};

/// Bytes of a listing at most.
const LARGEST: usize = 8 << 20;

/// The files of a model at one revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// The revision, a commit; `main` where the hub does not say.
    pub revision: String,
    files: BTreeMap<String, RemoteFile>,
}

/// A file that a hub has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RemoteFile {
    /// Its path there.
    pub path: String,
    /// Its length, where the hub says it.
    pub bytes: Option<u64>,
    /// A hash of it, where the hub says one.
    pub(super) digest: Option<Digest>,
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

impl Listing {
    fn of(answer: Answer) -> Self {
        let file = |sibling: Sibling| {
            let (large, sha256) = sibling.lfs.map_or((None, None), |lfs| (lfs.size, lfs.sha256));
            // The blob of a large file is the pointer to it.
            let digest = match sha256 {
                Some(sha256) => Digest::sha256(&sha256),
                None => sibling.blob.as_deref().and_then(Digest::git),
            };
            let path = sibling.rfilename;
            (path.clone(), RemoteFile { path, bytes: large.or(sibling.size), digest })
        };
        let is_commit = |sha: &String| sha.len() == 40 && sha.bytes().all(|byte| byte.is_ascii_hexdigit());
        Listing {
            revision: answer.sha.filter(is_commit).unwrap_or_else(|| "main".to_owned()),
            files: answer.siblings.into_iter().map(file).collect(),
        }
    }

    /// A file by its path, where there is one.
    pub fn file(&self, path: &str) -> Option<&RemoteFile> {
        self.files.get(path)
    }
}

impl Hub {
    /// What a model on the hub has.
    ///
    /// # Errors
    /// Where the hub cannot be reached, or does not have it, or answers something else.
    pub async fn listing(&self, repository: &str) -> Result<Listing> {
        let mut url = self.url(&format!("api/models/{repository}/revision/main"))?;
        url.set_query(Some("blobs=true"));
        let mut response = self.http.get(url).send().await.map_err(|error| self.unreachable(&error))?;
        if !response.status().is_success() {
            return Err(self.refusal(response, &format!("model {repository}")).await);
        }
        let strange = |why: &str| {
            Error::failed(format!("{} answers something else than a hub does: {why}", self.name()))
                .hint("look at HF_ENDPOINT, and whether a proxy wants a login")
        };
        let mut body = Vec::new();
        while let Some(part) = response.chunk().await.map_err(|error| self.unreachable(&error))? {
            if body.len() + part.len() > LARGEST {
                return Err(strange("it does not end"));
            }
            body.extend_from_slice(&part);
        }
        let answer: Answer = serde_json::from_slice(&body).map_err(|error| strange(&error.to_string()))?;
        Ok(Listing::of(answer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(answer: &serde_json::Value) -> Listing {
        Listing::of(serde_json::from_value(answer.clone()).unwrap())
    }

    #[test]
    fn lengths_and_hashes_are_those_of_the_files_and_not_of_pointers_to_them() {
        let (commit, sha256, blob) = ("a".repeat(40), "b".repeat(64), "c".repeat(40));
        let found = listing(&serde_json::json!({ "sha": commit, "siblings": [
            { "rfilename": "config.json", "size": 7, "blobId": blob },
            { "rfilename": "model.onnx", "size": 134, "blobId": blob, "lfs": { "sha256": sha256, "size": 900, "pointerSize": 134 } },
            { "rfilename": "bare" },
        ]}));
        assert_eq!(found.revision, commit);
        let small = found.file("config.json").unwrap();
        assert_eq!((small.bytes, small.digest.clone()), (Some(7), Digest::git(&blob)));
        let large = found.file("model.onnx").unwrap();
        assert_eq!((large.bytes, large.digest.clone()), (Some(900), Digest::sha256(&sha256)));
        assert_eq!(found.file("bare").unwrap().bytes, None);
        assert_eq!(found.file("other"), None);
    }

    #[test]
    fn a_revision_that_is_no_commit_is_not_believed() {
        for sha in ["../../x", "", "main", "zz"] {
            assert_eq!(listing(&serde_json::json!({ "sha": sha })).revision, "main");
        }
        assert_eq!(listing(&serde_json::json!({})).revision, "main");
    }
}
