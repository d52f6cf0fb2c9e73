//! Vectors of questions that were asked before, on disk: `.kb/cache/questions/ab/abcd….f32`.
//!
//! Scripts and people ask the same again, in another process each time. A file has no question in it, only the hash of
//! the model and the question as its name, and the numbers, little-endian: the vector, and how well the model could read it.

use std::path::Path;

use super::encoder::AsRead;
use crate::embed::Model;
use crate::store::CacheFolder;

/// Each takes a block of the disk: 8 MB.
const MOST_QUESTIONS: usize = 2000;
/// How far the length of a vector may be from 1: rounding.
const ROUNDING: f32 = 1e-3;

/// The questions of a store.
#[derive(Debug)]
pub(super) struct QuestionCache {
    folder: CacheFolder,
}

impl QuestionCache {
    /// The cache in the folder of a store. Nothing is made before there is a question.
    pub(super) fn of_store(store: &Path) -> Self {
        QuestionCache { folder: CacheFolder::of_store(store, "questions", "f32", MOST_QUESTIONS) }
    }

    /// A question as a model has read it; `None` where that is not kept, or damaged.
    pub(super) fn get(&self, model: &Model, question: &str) -> Option<AsRead> {
        let bytes = self.folder.get(&key(model, question))?;
        let (numbers, rest) = bytes.as_chunks::<4>();
        let mut vector: Vec<f32> = numbers.iter().map(|number| f32::from_le_bytes(*number)).collect();
        let share = vector.pop()?;
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        let is_one = vector.len() == model.habits.dimension && (length - 1.0).abs() < ROUNDING;
        (rest.is_empty() && is_one && (0.0..=1.0).contains(&share)).then_some(AsRead { vector, share })
    }

    /// Keeps it.
    pub(super) fn put(&self, model: &Model, question: &str, read: &AsRead) -> std::io::Result<()> {
        let numbers = read.vector.iter().chain([&read.share]);
        let bytes: Vec<u8> = numbers.flat_map(|x| x.to_le_bytes()).collect();
        self.folder.put(&key(model, question), &bytes)
    }
}

fn key(model: &Model, question: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    // A fingerprint has no such byte in it.
    hasher.update(model.fingerprint.as_bytes()).update(&[0]).update(question.as_bytes());
    hasher.finalize().to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_comes_back_for_its_model_alone_and_a_damaged_one_is_none() {
        let store = tempfile::tempdir().unwrap();
        let (cache, model) = (QuestionCache::of_store(store.path()), Model::embedded());
        let other = Model { fingerprint: "other".into(), ..(*model).clone() };
        let mut vector = vec![0.0; 384];
        vector[7] = 1.0;
        let read = AsRead { vector, share: 0.75 };
        assert_eq!(cache.get(&model, "pump?"), None);
        cache.put(&model, "pump?", &read).unwrap();
        assert_eq!(cache.get(&model, "pump?"), Some(read.clone()));
        assert_eq!((cache.get(&other, "pump?"), cache.get(&model, "pump")), (None, None));
        let with = |vector: &[f32], share| AsRead { vector: vector.to_vec(), share };
        let longer = [read.vector.as_slice(), &[0.0]].concat();
        for damaged in [&read.vector[..383], &longer, &[0.0; 384], &[f32::NAN; 384]].map(|vector| with(vector, 0.75)) {
            cache.put(&model, "pump?", &damaged).unwrap();
            assert_eq!(cache.get(&model, "pump?"), None);
        }
        cache.put(&model, "pump?", &with(&read.vector, 1.5)).unwrap();
        assert_eq!(cache.get(&model, "pump?"), None);
    }
}
