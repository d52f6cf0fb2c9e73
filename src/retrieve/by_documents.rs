//! Documents first: what the nearest documents have to say is recalled too, whether or not it is among the best of all
//! passages. A document may be what a question is about, by its titles and its summary, and say it nowhere in a few words.

use super::fuse::{ArmScores, Scores};
use super::modes::nearest;
use super::recall::{KeywordArm, semantic};
use super::searched::{PassageKey, Searched};
use super::shape::Beam;
use super::vector_models::QuestionVectors;
use crate::error::Result;
use crate::store::{LoadedVectors, Scope, Snapshot, doc_id_of};

/// What is searched, and by what.
pub(super) struct ByDocuments<'a> {
    pub searched: &'a [Searched],
    pub snapshots: &'a [&'a Snapshot],
    pub scopes: &'a [Scope],
    /// Empty where no vectors are asked.
    pub vectors: &'a [Option<LoadedVectors>],
    pub keyword: &'a KeywordArm<'a>,
    pub question: Option<&'a QuestionVectors>,
    pub query: &'a str,
    pub beam: Beam,
}

/// A document that is near to the question.
pub(super) struct NearDocument {
    /// The place of its namespace.
    pub namespace: usize,
    pub doc_id: String,
    /// How near it is, by all but its passages.
    pub score: f32,
    /// How many of its passages were recalled because of that.
    pub recalled: usize,
}

impl ByDocuments<'_> {
    /// The nearest documents of the scopes, as many as the beam follows. Of those that have fewer passages in `scores` than
    /// it follows, the best by each arm are put there.
    ///
    /// # Errors
    /// Where the store fails.
    pub(super) async fn recall(&self, scores: &mut ArmScores) -> Result<(Vec<NearDocument>, Scores)> {
        let (mut documents, mut added) = (Vec::new(), Scores::new());
        let near = nearest(self.searched, self.query, self.question, self.scopes, self.beam.documents).await?;
        for (namespace, doc_id, score) in near {
            let keys = scores.keyword.keys().chain(scores.semantic.keys());
            let known = keys.filter(|key| key.namespace == namespace && doc_id_of(&key.chunk_id) == doc_id);
            let before = added.len();
            if known.take(self.beam.parents).count() < self.beam.parents {
                added.extend(self.recall_from(namespace, &doc_id, scores).await?);
            }
            documents.push(NearDocument { namespace, doc_id, score, recalled: added.len() - before });
        }
        Ok((documents, added))
    }

    /// Puts the best passages of a document into `scores`; those that were not there before, by either arm.
    async fn recall_from(&self, namespace: usize, doc_id: &str, scores: &mut ArmScores) -> Result<Scores> {
        let mut scopes = vec![Scope::of_documents(Some(&[])); self.scopes.len()];
        scopes[namespace] = self.scopes[namespace].within(doc_id);
        let by_words = self.keyword.recall(&scopes, self.beam.parents)?;
        let by_vectors = match self.question {
            Some(question) => {
                semantic(self.snapshots, self.vectors, question, &scopes, &by_words, self.beam.parents).await?.scores
            }
            None => Scores::new(),
        };
        let is_new = |key: &PassageKey| !scores.keyword.contains_key(key) && !scores.semantic.contains_key(key);
        let new: Scores = by_vectors.iter().chain(&by_words).filter(|(key, _)| is_new(key)).map(cloned).collect();
        scores.keyword.extend(by_words);
        scores.semantic.extend(by_vectors);
        Ok(new)
    }
}

fn cloned((key, score): (&PassageKey, &f32)) -> (PassageKey, f32) {
    (key.clone(), *score)
}
