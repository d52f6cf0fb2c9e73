//! From documents to passages to pieces, with a beam.

use std::collections::{HashMap, HashSet};

use super::about::Nearness;
use crate::retrieve::Beam;
use crate::retrieve::expand::evidence::joined;
use crate::retrieve::fuse::Candidate;
use crate::store::doc_id_of;

/// What the passages of a document count …
const PASSAGES: f32 = 0.5;
/// … how far the question is a title of its sections …
const TITLES: f32 = 0.35;
/// … how much of the question is in its title and topics …
const WORDS: f32 = 0.1;
/// … and the likeness of the question and its summary.
const SUMMARY: f32 = 0.05;

/// A document among those of all namespaces: the place of its namespace and its id.
type DocumentKey<'a> = (usize, &'a str);

/// How near documents are to a question, by namespace and id; what is not named is not near.
pub(in crate::retrieve) type Near = Vec<HashMap<String, Nearness>>;

/// Paths, and why they lead where they do.
#[derive(Debug, Default, PartialEq)]
pub(in crate::retrieve) struct Paths {
    /// The passages on them, document by document.
    pub passages: Vec<Candidate>,
    /// What was decisive for each document, in words.
    pub told: Vec<String>,
}

/// The passages that lie on the paths of the beam: those of the best documents, the best document first, and of each of
/// those the best passages, best first. A document scores by the [joint](joined) score of its passages and by how near it is to the question itself.
/// Documents that score alike are in the order of the ranking.
pub(in crate::retrieve) fn paths(candidates: &[Candidate], near: &Near, beam: Beam) -> Paths {
    let mut scores: HashMap<DocumentKey, Vec<f32>> = HashMap::new();
    let mut documents: Vec<DocumentKey> = Vec::new();
    for candidate in candidates {
        let key = document(candidate);
        if !scores.contains_key(&key) {
            documents.push(key);
        }
        scores.entry(key).or_default().push(candidate.score);
    }
    let mut documents: Vec<(f32, f32, Nearness, DocumentKey)> = documents
        .into_iter()
        .map(|key| {
            let passages = joined(scores.remove(&key).unwrap_or_default());
            let near = near.get(key.0).and_then(|of| of.get(key.1)).copied().unwrap_or_default();
            (score(passages, near), passages, near, key)
        })
        .collect();
    documents.sort_by(|a, b| b.0.total_cmp(&a.0));
    documents.truncate(beam.documents);
    let told = documents.iter().map(|(score, passages, near, (_, id))| {
        let Nearness { titles, words, summary } = near;
        format!(
            "{id}: {score:.3} by passages {passages:.2}, titles {titles:.2}, topics {words:.2}, summary {summary:.2}"
        )
    });
    let told = told.collect();
    let mut of_document: HashMap<DocumentKey, Vec<&Candidate>> = HashMap::new();
    for candidate in candidates {
        of_document.entry(document(candidate)).or_default().push(candidate);
    }
    let passages = documents.iter().flat_map(|(.., key)| of_document.get(key).into_iter().flatten().take(beam.parents));
    let passages = passages.map(|candidate| (*candidate).clone()).collect();
    Paths { passages, told }
}

/// What a document scores before any of its passages is known.
pub(super) fn score_of_itself(near: Nearness) -> f32 {
    score(0.0, near)
}

fn score(passages: f32, near: Nearness) -> f32 {
    PASSAGES * passages + TITLES * near.titles + WORDS * near.words + SUMMARY * near.summary
}

/// The ids of the documents of candidates in a namespace.
pub(super) fn documents(candidates: &[Candidate], namespace: usize) -> HashSet<String> {
    let documents = candidates.iter().map(document).filter(|(own, _)| *own == namespace);
    documents.map(|(_, id)| id.to_owned()).collect()
}

/// The document that a passage is of: its namespace and id.
fn document(candidate: &Candidate) -> DocumentKey<'_> {
    (candidate.namespace, doc_id_of(&candidate.chunk_id))
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
        let paths = paths(&candidates, &Near::new(), beam.parse().unwrap());
        paths.passages.into_iter().map(|candidate| candidate.chunk_id).collect()
    }

    #[test]
    fn the_best_documents_are_those_with_most_evidence() {
        assert_eq!(followed("1,1,3"), ["b:0"], "a single path, to the document with more that speaks for it");
        assert_eq!(followed("1,2,3"), ["b:0", "b:1"]);
        assert_eq!(followed("2,2,3"), ["b:0", "b:1", "a:0", "a:1"], "the best document first");
        assert_eq!(followed("3,1,3"), ["b:0", "a:0", "c:0"]);
        assert_eq!(paths(&[], &Near::new(), Beam::default()), Paths::default());
    }

    #[test]
    fn a_document_whose_title_is_asked_for_comes_before_one_with_better_passages() {
        let candidates = [candidate("a:0", 1.0), candidate("b:0", 0.6)];
        let near = vec![HashMap::from([("b".to_owned(), Nearness { titles: 1.0, ..Nearness::default() })])];
        let paths = paths(&candidates, &near, "1,1,3".parse().unwrap());
        assert_eq!(paths.passages, [candidates[1].clone()]);
        assert_eq!(paths.told, ["b: 0.650 by passages 0.60, titles 1.00, topics 0.00, summary 0.00"]);
    }
}
