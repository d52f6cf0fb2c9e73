//! The files of a namespace that an export and a copy in object storage consist of.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::files::{WRITING, name_of, sync_folder, walk};
use super::format::Format;
use super::layout::{Namespace, PUBLISHED, SYNONYMS};
use super::namespaces::{FAILURES, PAGES};
use super::untrusted::is_plain;
use crate::error::{Error, Result};

/// The files and folders of a namespace that belong to it. All others are caches and locks.
const PARTS: [&str; 7] = [PUBLISHED, FAILURES, PAGES, SYNONYMS, "tables", "keyword", "history"];

/// The files of a published generation and of the history before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileList {
    pub namespace: String,
    pub generation: u64,
    pub format: Format,
    /// By their paths in the namespace, with `/`.
    pub files: BTreeMap<String, ListedFile>,
}

impl FileList {
    /// Refuses names that an export does not write, because a list may come from a stranger. The error names the first.
    pub(super) fn check_names(&self) -> Result<(), String> {
        if let Some(name) = self.files.keys().find(|name| !is_exported(name)) {
            return Err(format!("{name:?} is not a file of a namespace"));
        }
        match self.files.iter().find(|(_, file)| blake3::Hash::from_hex(&file.blake3).is_err()) {
            Some((name, _)) => Err(format!("{name:?} has no hash")),
            None => Ok(()),
        }
    }

    pub fn must_be_writable(&self, namespace: &Namespace) -> Result<()> {
        self.format.must_be_writable(namespace.store())
    }

    /// The sum of the lengths. `None` if it overflows.
    pub fn bytes(&self) -> Option<u64> {
        self.files.values().try_fold(0u64, |sum, file| sum.checked_add(file.bytes))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedFile {
    pub bytes: u64,
    /// The hash of its content, in hex.
    pub blake3: String,
}

/// All parts of a namespace, by their names in it.
pub(super) fn files_of(root: &Path) -> Result<BTreeMap<String, PathBuf>> {
    let mut parts = BTreeMap::new();
    for part in PARTS {
        for (path, facts) in walk(&root.join(part))? {
            let name = name_of(&path);
            if facts.is_file() && !name.starts_with(WRITING) && !name.ends_with(".lock") {
                parts.insert(path_inside(&path, root)?, path);
            }
        }
    }
    Ok(parts)
}

/// The path of a file in a namespace, with `/` on every system.
fn path_inside(path: &Path, root: &Path) -> Result<String> {
    let inner = path.strip_prefix(root).expect("it lies in the namespace");
    let parts: Option<Vec<&str>> = inner.components().map(|part| part.as_os_str().to_str()).collect();
    parts.map(|parts| parts.join("/")).ok_or_else(|| Error::failed(format!("{} has no name in UTF-8", path.display())))
}

/// Copies all bytes, and returns their number and hash.
pub(super) fn copy_and_hash(from: &mut impl Read, to: &mut impl Write) -> std::io::Result<ListedFile> {
    let (mut hasher, mut buffer, mut bytes) = (blake3::Hasher::new(), vec![0; 1 << 16], 0);
    loop {
        let read = from.read(&mut buffer)?;
        if read == 0 {
            return Ok(ListedFile { bytes, blake3: hasher.finalize().to_hex().to_string() });
        }
        hasher.update(&buffer[..read]);
        to.write_all(&buffer[..read])?;
        bytes += read as u64;
    }
}

/// Whether a name is one that an export writes.
fn is_exported(name: &str) -> bool {
    name.split('/').all(is_plain) && name.split('/').next().is_some_and(|first| PARTS.contains(&first))
}

/// Syncs a folder and all folders below it.
pub(super) fn sync_folders(folder: &Path) -> Result<()> {
    let all = walk(folder)?;
    all.iter().filter(|(_, facts)| facts.is_dir()).try_for_each(|(path, _)| sync_folder(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_an_export_writes_are_taken() {
        for good in ["MANIFEST.json", "tables/chunks.lance/data/x.lance", "keyword/meta.json", "history/0000001.json"] {
            assert!(is_exported(good), "{good}");
        }
        let others = "|/etc/passwd|../x|tables/../../x|tables//x|tables/./x|lock|kb.toml|tables\\..\\x|C:/x|tables/c:x";
        for bad in others.split('|') {
            assert!(!is_exported(bad), "{bad}");
        }
    }
}
