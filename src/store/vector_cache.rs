//! Keeps the vectors of a new model until they are published.
//!
//! Embedding a large namespace takes hours, and an interruption loses only the last moments: vectors are appended to a
//! file as they are made, each with a checksum, so half a vector at the end after a crash is recognised and
//! overwritten. The file is named after the model's fingerprint, so vectors of two models never mix, and is removed
//! after the publication.

use std::collections::{HashMap, HashSet};
use std::fs::{File, TryLockError};
use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::files::{paths_in, remove_file, sync_folder};
use super::layout::Namespace;
use super::manifest::ModelRecord;
use super::untrusted::open_in_place;
use crate::error::{Error, Result, or_none};

/// The folder of the files, in the namespace.
const FOLDER: &str = "revector";
/// The length of a key, in bytes.
const KEY: usize = 32;
/// The length of a checksum, in bytes: the beginning of the hash of key and vector.
const CHECKSUM: usize = 8;

/// The key of a vector: the hash of the embedded text.
pub type VectorKey = [u8; KEY];

/// The vectors made so far.
pub struct VectorCache {
    path: PathBuf,
    /// Locked, so that only one process appends to it.
    file: File,
    dimension: usize,
    /// The offset of each vector.
    places: HashMap<VectorKey, u64>,
    end: u64,
}

pub fn unpublished_vectors(namespace: &Namespace, model: &ModelRecord) -> Result<HashSet<VectorKey>> {
    let path = path_of(namespace, model);
    match or_none(File::open(&path)).map_err(|error| Error::io("read", &path, &error))? {
        Some(mut file) => Ok(read(&path, &mut file, model.dimension)?.0.into_keys().collect()),
        None => Ok(HashSet::new()),
    }
}

impl VectorCache {
    pub fn open(namespace: &Namespace, model: &ModelRecord) -> Result<Self> {
        let path = path_of(namespace, model);
        let folder = namespace.root().join(FOLDER);
        std::fs::create_dir_all(&folder).map_err(|error| Error::io("create the folder", &folder, &error))?;
        let mut file = open_in_place(&path).map_err(|error| Error::io("open", &path, &error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::failed(format!(
                    "another process is making vectors of {} for the namespace {:?}",
                    model.name,
                    namespace.name()
                ))
                .hint("wait until it is done"));
            }
            Err(TryLockError::Error(error)) => return Err(Error::io("lock", &path, &error)),
        }
        let (places, end) = read(&path, &mut file, model.dimension)?;
        file.set_len(end).map_err(|error| Error::io("write", &path, &error))?;
        Ok(VectorCache { path, file, dimension: model.dimension, places, end })
    }

    pub fn has(&self, key: &VectorKey) -> bool {
        self.places.contains_key(key)
    }

    pub fn get(&mut self, key: &VectorKey) -> Result<Vec<f32>> {
        let Some(place) = self.places.get(key) else {
            return Err(Error::failed(format!("a vector is missing in {}", self.path.display()))
                .hint("run the command again: it makes the missing vectors"));
        };
        let mut bytes = vec![0; self.dimension * size_of::<f32>()];
        let read = self.file.seek(SeekFrom::Start(*place)).and_then(|_| self.file.read_exact(&mut bytes));
        read.map_err(|error| Error::io("read", &self.path, &error))?;
        let numbers = bytes.as_chunks::<4>().0.iter();
        Ok(numbers.map(|bytes| f32::from_le_bytes(*bytes)).collect())
    }

    pub fn put(&mut self, vectors: &[(VectorKey, Vec<f32>)]) -> Result<()> {
        let mut bytes = Vec::with_capacity(vectors.len() * length_of(self.dimension));
        let mut places = Vec::with_capacity(vectors.len());
        for (key, vector) in vectors {
            if vector.len() != self.dimension {
                let (is, wanted) = (vector.len(), self.dimension);
                return Err(Error::failed(format!("a vector has {is} numbers instead of {wanted}")));
            }
            let start = bytes.len();
            bytes.extend_from_slice(key);
            places.push((*key, self.end + bytes.len() as u64));
            bytes.extend(vector.iter().flat_map(|number| number.to_le_bytes()));
            let checksum = checksum(&bytes[start..]);
            bytes.extend_from_slice(&checksum);
        }
        let written = self.file.seek(SeekFrom::Start(self.end)).and_then(|_| self.file.write_all(&bytes));
        written.map_err(|error| Error::io("write", &self.path, &error))?;
        self.end += bytes.len() as u64;
        self.places.extend(places);
        Ok(())
    }

    /// Removes the vectors of all models, now that those of one are published, except files that another process
    /// writes.
    pub fn clear(self, namespace: &Namespace) -> Result<()> {
        // On other systems, an open file cannot be removed.
        drop(self);
        let folder = namespace.root().join(FOLDER);
        for path in paths_in(&folder)? {
            let is_held = |file: File| matches!(file.try_lock(), Err(TryLockError::WouldBlock));
            if !File::open(&path).is_ok_and(is_held) {
                remove_file(&path)?;
            }
        }
        match or_none(std::fs::remove_dir(&folder)) {
            // Another process still uses it.
            Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => {}
            removed => drop(removed.map_err(|error| Error::io("remove", &folder, &error))?),
        }
        sync_folder(namespace.root())
    }
}

fn path_of(namespace: &Namespace, model: &ModelRecord) -> PathBuf {
    // The fingerprint may come from a file of the store, so it may be anything, even a path.
    let name = blake3::hash(model.fingerprint.as_bytes()).to_hex();
    namespace.root().join(FOLDER).join(format!("{}.vectors", &name[..32]))
}

fn length_of(dimension: usize) -> usize {
    KEY + dimension * size_of::<f32>() + CHECKSUM
}

fn checksum(bytes: &[u8]) -> [u8; CHECKSUM] {
    *blake3::hash(bytes).as_bytes().first_chunk().expect("a hash is longer than a checksum")
}

/// The offsets of all vectors up to the first damaged one, and the offset of that.
fn read(path: &Path, file: &mut File, dimension: usize) -> Result<(HashMap<VectorKey, u64>, u64)> {
    let length = length_of(dimension);
    let fail = |error: std::io::Error| Error::io("read", path, &error);
    let whole = file.metadata().map_err(fail)?.len() / length as u64;
    let mut from = BufReader::with_capacity(1 << 20, file);
    let (mut places, mut end) = (HashMap::new(), 0u64);
    let mut bytes = vec![0; length];
    for _ in 0..whole {
        from.read_exact(&mut bytes).map_err(fail)?;
        let (said, sum) = bytes.split_at(length - CHECKSUM);
        let Some(key) = said.first_chunk::<KEY>().filter(|_| checksum(said) == *sum) else { break };
        places.insert(*key, end + KEY as u64);
        end += length as u64;
    }
    Ok((places, end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::samples::namespace;

    fn model(name: &str) -> ModelRecord {
        ModelRecord { name: name.to_owned(), dimension: 2, fingerprint: format!("{name}{}", "0".repeat(63)) }
    }

    fn key(of: &str) -> VectorKey {
        *blake3::hash(of.as_bytes()).as_bytes()
    }

    #[test]
    fn vectors_survive_a_crash_and_belong_to_one_model() {
        let (_folder, namespace) = namespace();
        let mut cache = VectorCache::open(&namespace, &model("a")).unwrap();
        cache.put(&[(key("x"), vec![1.0, 2.0]), (key("y"), vec![3.0, 4.0])]).unwrap();
        assert_eq!(cache.get(&key("y")).unwrap(), [3.0, 4.0]);
        assert!(VectorCache::open(&namespace, &model("a")).is_err(), "somebody else adds to it");
        let path = cache.path.clone();
        drop(cache);
        assert_eq!(unpublished_vectors(&namespace, &model("a")).unwrap().len(), 2);
        assert_eq!(unpublished_vectors(&namespace, &model("b")).unwrap().len(), 0);

        // Half a vector after a crash, and content that the disk has lost.
        let whole = std::fs::read(&path).unwrap();
        for (broken, left) in [(whole[..whole.len() - 1].to_vec(), 1), (vec![0; whole.len()], 0), (Vec::new(), 0)] {
            std::fs::write(&path, &broken).unwrap();
            let mut cache = VectorCache::open(&namespace, &model("a")).unwrap();
            assert_eq!(cache.places.len(), left);
            assert!(cache.get(&key("y")).is_err() && !cache.has(&key("y")));
            cache.put(&[(key("y"), vec![5.0, 6.0])]).unwrap();
            assert_eq!(cache.get(&key("y")).unwrap(), [5.0, 6.0]);
        }
        VectorCache::open(&namespace, &model("b")).unwrap().clear(&namespace).unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn files_of_another_process_are_kept() {
        let (_folder, namespace) = namespace();
        let mut held = VectorCache::open(&namespace, &model("a")).unwrap();
        held.put(&[(key("x"), vec![1.0, 2.0])]).unwrap();
        drop(VectorCache::open(&namespace, &model("c")).unwrap());
        VectorCache::open(&namespace, &model("b")).unwrap().clear(&namespace).unwrap();
        assert_eq!(std::fs::read_dir(namespace.root().join(FOLDER)).unwrap().count(), 1, "the held one");
        assert_eq!(unpublished_vectors(&namespace, &model("a")).unwrap().len(), 1);
        held.clear(&namespace).unwrap();
        assert!(!namespace.root().join(FOLDER).exists());
    }

    #[test]
    fn a_fingerprint_that_is_a_path_leads_nowhere() {
        let (folder, namespace) = namespace();
        let model = ModelRecord { fingerprint: "../../../../outside".to_owned(), ..model("a") };
        VectorCache::open(&namespace, &model).unwrap().put(&[(key("x"), vec![1.0, 2.0])]).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "the store alone");
        assert_eq!(std::fs::read_dir(namespace.root().join(FOLDER)).unwrap().count(), 1);
    }

    #[test]
    fn a_vector_of_another_length_is_refused() {
        let (_folder, namespace) = namespace();
        let mut cache = VectorCache::open(&namespace, &model("a")).unwrap();
        assert!(cache.put(&[(key("x"), vec![1.0])]).is_err());
        assert_eq!(cache.end, 0);
    }
}
