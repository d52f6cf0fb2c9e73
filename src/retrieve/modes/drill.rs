//! From documents to passages to pieces, with a beam.

use std::collections::HashMap;

use crate::retrieve::Beam;
use crate::retrieve::expand::evidence::joined;
use crate::retrieve::fuse::Candidate;

/// The passages that lie on the paths of the beam, best first: those of the best documents by the [joint](joined) score of
/// their passages, and of each of those the best passages. Documents that score alike are in the order of the ranking.
pub(in crate::retrieve) fn paths(candidates: &[Candidate], beam: Beam) -> Vec<Candidate> {
    let mut scores: HashMap<(usize, &str), Vec<f32>> = HashMap::new();
    let mut documents: Vec<(usize, &str)> = Vec::new();
    for candidate in candidates {
        let key = document(candidate);
        if !scores.contains_key(&key) {
            documents.push(key);
        }
        scores.entry(key).or_default().push(candidate.score);
    }
    let mut documents: Vec<(f32, (usize, &str))> =
        documents.into_iter().map(|key| (joined(scores.remove(&key).unwrap_or_default()), key)).collect();
    documents.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut room: HashMap<(usize, &str), usize> =
        documents.into_iter().take(beam.documents).map(|(_, key)| (key, beam.parents)).collect();
    let mut on_paths = Vec::new();
    for candidate in candidates {
        if let Some(room) = room.get_mut(&document(candidate)).filter(|room| **room > 0) {
            *room -= 1;
            on_paths.push(candidate.clone());
        }
    }
    on_paths
}

/// The document that a passage is of: its namespace and id.
fn document(candidate: &Candidate) -> (usize, &str) {
    (candidate.namespace, candidate.chunk_id.split(':').next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(chunk_id: &str, score: f32) -> Candidate {
        Candidate { chunk_id: chunk_id.to_owned(), namespace: 0, score, keyword: None, semantic: None }
    }

    fn followed(beam: &str) -> Vec<String> {
        let candidates = [("a:0", 0.8), ("b:0", 0.78), ("b:1", 0.7), ("b:2", 0.6), ("c:0", 0.5), ("a:1", 0.1)];
        let candidates = candidates.map(|(id, score)| candidate(id, score));
        paths(&candidates, beam.parse().unwrap()).into_iter().map(|candidate| candidate.chunk_id).collect()
    }

    #[test]
    fn the_best_documents_are_those_with_most_evidence() {
        assert_eq!(followed("1,1,3"), ["b:0"], "a single path, to the document with more that speaks for it");
        assert_eq!(followed("1,2,3"), ["b:0", "b:1"]);
        assert_eq!(followed("2,2,3"), ["a:0", "b:0", "b:1", "a:1"]);
        assert_eq!(followed("3,1,3"), ["a:0", "b:0", "c:0"]);
        assert_eq!(paths(&[], Beam::default()), []);
    }
}
