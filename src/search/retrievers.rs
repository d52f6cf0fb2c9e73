//! The two retrievers, keyword and semantic search, over all namespaces as if they were one.
//!
//! Each namespace recalls as many as are wanted in total, and the best of all are kept. A parent chunk that is in
//! several namespaces takes one place, so that it crowds out nothing else.

use std::collections::{BTreeSet, HashMap};

use futures::future::try_join_all;
use rayon::prelude::*;

use super::candidate::{Candidate, ChunkKey, Scores, by_namespace, first_different};
use super::shape::DEFAULT_POOL;
use super::understand::KeywordTerms;
use crate::error::Result;
use crate::ids::ChunkId;
use crate::store::{KeywordField, KeywordStatistics, Scope, ScoredChunk, Snapshot, WordsFound};

/// Chunks per wanted parent that the vector search recalls: a good parent often has several good children.
const CHUNKS_PER_PARENT: usize = 4;
/// The weight of a parent's own vector beside its best child's.
const WHOLE_PARENT_CHUNK_WEIGHT: f32 = 0.4;

/// A word of the question, or one that is searched for in addition.
#[derive(Debug, Clone)]
pub(super) struct QuestionWord {
    pub text: String,
    /// How distinctive it is: its weight in the question times its rarity in the searched documents …
    pub weight: f32,
    /// … and times its rarity in all documents, so that a confidence does not depend on a filter.
    pub weight_in_all: f32,
}

pub(super) struct KeywordRetriever<'a> {
    snapshots: &'a [&'a Snapshot],
    terms: KeywordTerms,
    words: Vec<QuestionWord>,
    /// `None` for all documents of one namespace, which has its own.
    statistics: Option<KeywordStatistics>,
}

impl<'a> KeywordRetriever<'a> {
    /// Words are weighed by their rarity in the scopes, which are by namespace. Without terms, it finds nothing.
    pub(super) fn new(snapshots: &'a [&'a Snapshot], terms: KeywordTerms, scopes: &[Scope]) -> Result<Self> {
        let count = |scopes: &[Scope]| -> Result<KeywordStatistics> {
            let of = |place: usize, snapshot: &&Snapshot| snapshot.keyword().statistics(&terms, &scopes[place]);
            Ok(KeywordStatistics::joint(on_each(snapshots, of)?))
        };
        let in_all = count(&vec![Scope::Everything; snapshots.len()])?;
        let is_restricted = scopes.iter().any(|scope| *scope != Scope::Everything);
        let searched = if is_restricted { Some(count(scopes)?) } else { None };
        let searched = searched.filter(|statistics| !statistics.is_empty());
        let weighing = searched.as_ref().unwrap_or(&in_all);
        let content = terms.iter().filter(|(field, ..)| *field == KeywordField::Content);
        let word = |(_, text, weight): &(KeywordField, String, f32)| QuestionWord {
            text: text.clone(),
            weight: weight * weighing.rarity(text),
            weight_in_all: weight * in_all.rarity(text),
        };
        let words = content.map(word).collect();
        let statistics = searched.or_else(|| (snapshots.len() != 1).then_some(in_all));
        Ok(KeywordRetriever { snapshots, terms, words, statistics })
    }

    /// The words that are searched for, in the order of [`words_found`](Self::words_found).
    pub(super) fn question_words(&self) -> &[QuestionWord] {
        &self.words
    }

    /// The scores of the best `pool` parent chunks; `scopes` are by namespace.
    pub(super) fn recall(&self, scopes: &[Scope], pool: usize) -> Result<Scores> {
        let hits = on_each(self.snapshots, |namespace, snapshot| {
            snapshot.keyword().search(&self.terms, self.statistics.as_ref(), &scopes[namespace], pool)
        })?;
        Ok(best_of(keyed(hits), pool).into_iter().collect())
    }

    /// Adds chunks that have the phrases of the question and none of its other words, as far as the pool has room.
    pub(super) fn add_without_words(&self, scopes: &[Scope], pool: usize, scores: &mut Scores) {
        for (namespace, scope) in scopes.iter().enumerate() {
            let Scope::ParentChunks(ids) = scope else { continue };
            let mut ids: Vec<&ChunkId> = ids.iter().collect();
            ids.sort_unstable();
            for id in ids {
                if scores.len() < pool {
                    scores.entry(ChunkKey { chunk_id: id.clone(), namespace }).or_insert(0.0);
                }
            }
        }
    }

    /// The scores of the parent chunks that have a word of the question.
    pub(super) fn score<'p>(&self, parent_chunks: impl Iterator<Item = &'p ChunkKey>) -> Result<Scores> {
        let ids = by_namespace(parent_chunks.cloned(), self.snapshots.len());
        let hits = on_each(&ids, |namespace, ids| {
            self.snapshots[namespace].keyword().scores(&self.terms, self.statistics.as_ref(), ids)
        })?;
        Ok(keyed(hits).collect())
    }

    /// Which of the question's words the given candidates have.
    pub(super) fn words_found(&self, candidates: &[Candidate]) -> Result<HashMap<ChunkKey, WordsFound>> {
        let words: Vec<String> = self.words.iter().map(|word| word.text.clone()).collect();
        let ids = by_namespace(candidates.iter().map(Candidate::key), self.snapshots.len());
        let places = on_each(&ids, |namespace, ids| self.snapshots[namespace].keyword().words_found(&words, ids))?;
        let by_key = |(namespace, places): (usize, Vec<WordsFound>)| {
            places.into_iter().map(move |places| (ChunkKey { chunk_id: places.chunk_id.clone(), namespace }, places))
        };
        Ok(places.into_iter().enumerate().flat_map(by_key).collect())
    }
}

fn keyed(hits: Vec<Vec<ScoredChunk>>) -> impl Iterator<Item = (ChunkKey, f32)> {
    hits.into_iter().enumerate().flat_map(|(namespace, hits)| {
        hits.into_iter().map(move |hit| (ChunkKey { chunk_id: hit.chunk_id, namespace }, hit.score))
    })
}

pub(super) struct SemanticRecall {
    /// The scores of the best by this retriever, and of keyword candidates that have vectors.
    pub scores: Scores,
    /// Whether no searched chunk has a vector.
    pub no_vectors: bool,
}

/// Recalls by vectors. The nearest chunks name the parent chunks, which are then compared as a whole, with all their
/// children, together with the candidates of `keyword` search.
pub(super) async fn semantic(
    snapshots: &[&Snapshot],
    question: &[f32],
    scopes: &[Scope],
    keyword: &Scores,
    pool: usize,
) -> Result<SemanticRecall> {
    // The nearest chunks order their parents only roughly, so more than a small pool is compared.
    let compared = pool.max(DEFAULT_POOL);
    let near = snapshots.iter().zip(scopes);
    let near = near.map(|(snapshot, scope)| snapshot.nearest(question, scope, compared * CHUNKS_PER_PARENT));
    let near = try_join_all(near).await?;
    let recalled: Vec<HashMap<&str, f32>> = near.iter().map(|hits| parent_scores(hits)).collect();
    let no_vectors = recalled.iter().all(HashMap::is_empty);
    let wanted = pooled(keyword, &recalled, compared);
    let ids = by_namespace(wanted.into_iter(), snapshots.len());
    let measured = snapshots.iter().zip(&ids).map(|(snapshot, ids)| snapshot.similarities(question, ids));
    let measured = try_join_all(measured).await?;
    let measured: Vec<HashMap<&str, f32>> = measured.iter().map(|hits| parent_scores(hits)).collect();
    let scored = |key: ChunkKey| {
        let score = *measured[key.namespace].get(key.chunk_id.as_str())?;
        Some((key, score))
    };
    let scores = pooled(keyword, &measured, pool).into_iter().filter_map(scored).collect();
    Ok(SemanticRecall { scores, no_vectors })
}

/// The parent chunks that both retrievers score, in order: the best `pool` of keyword search and of
/// semantic search, whose scores are by namespace.
fn pooled(keyword: &Scores, semantic: &[HashMap<&str, f32>], pool: usize) -> BTreeSet<ChunkKey> {
    let nearest = semantic.iter().enumerate().flat_map(|(namespace, scores)| {
        scores.iter().map(move |(id, score)| (ChunkKey { chunk_id: (*id).into(), namespace }, *score))
    });
    let nearest = best_of(nearest, pool).into_iter().map(|(key, _)| key);
    keyword.keys().cloned().chain(nearest).collect()
}

/// The best `limit` parent chunks, best first; one that is in several namespaces counts once.
fn best_of(scores: impl Iterator<Item = (ChunkKey, f32)>, limit: usize) -> Vec<(ChunkKey, f32)> {
    let mut scores: Vec<(ChunkKey, f32)> = scores.collect();
    scores.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    first_different(&mut scores, limit, |(key, _)| &key.chunk_id);
    scores
}

/// How many parent chunks have a word in their text or titles.
pub(super) fn parent_chunks_with(snapshots: &[&Snapshot], word: &str) -> Result<u64> {
    snapshots.iter().try_fold(0, |sum, snapshot| Ok(sum + snapshot.keyword().parent_chunks_with(word)?))
}

/// Runs `work` on each of `items` with its place: a single item on this thread, several on all cores. The results are
/// in the order of the items.
pub(super) fn on_each<'i, T: Sync, R: Send>(
    items: &'i [T],
    work: impl Fn(usize, &'i T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    if let [only] = items {
        return Ok(vec![work(0, only)?]);
    }
    items.par_iter().enumerate().map(|(place, item)| work(place, item)).collect()
}

/// The semantic score of each parent: its best child, and with less weight the parent chunk as a whole.
fn parent_scores(hits: &[ScoredChunk]) -> HashMap<&str, f32> {
    // The best cosine of a parent's children, and its own.
    let mut known: HashMap<&str, (Option<f32>, Option<f32>)> = HashMap::new();
    for hit in hits {
        let parent_id = hit.chunk_id.parent_id();
        let (child, whole) = known.entry(parent_id).or_default();
        let side = if hit.chunk_id.as_str() == parent_id { whole } else { child };
        *side = Some(side.map_or(hit.score, |known| known.max(hit.score)));
    }
    let joined = |(child, whole): (Option<f32>, Option<f32>)| {
        let (child, whole) = (child.or(whole)?, whole.or(child)?);
        Some((1.0 - WHOLE_PARENT_CHUNK_WEIGHT) * child + WHOLE_PARENT_CHUNK_WEIGHT * whole)
    };
    known.into_iter().filter_map(|(id, cosines)| Some((id, joined(cosines)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{NewDocument, Store, samples};

    #[test]
    fn a_parent_chunk_in_several_namespaces_takes_one_place() {
        let key = |chunk_id: &str, namespace| ChunkKey { chunk_id: chunk_id.into(), namespace };
        let scores =
            [(key("a", 1), 0.9), (key("b", 0), 0.8), (key("c", 0), 0.7), (key("a", 0), 0.6), (key("d", 1), 0.5)];
        let best = |limit| {
            let best = best_of(scores.iter().cloned(), limit);
            best.into_iter().map(|(key, _)| format!("{}{}", key.chunk_id, key.namespace)).collect::<Vec<_>>()
        };
        assert_eq!(best(1), ["a1", "a0"]);
        assert_eq!(best(2), ["a1", "b0", "a0"]);
        assert_eq!(best(3), ["a1", "b0", "c0", "a0"]);
        assert_eq!(best(9).len(), 5);
    }

    /// A namespace of documents of one parent chunk, whose vectors have the given angles to the question's.
    async fn namespace(store: &Store, name: &str, angles: &[(&str, f32)]) -> Snapshot {
        let document = |(id, angle): &(&str, f32)| {
            let mut new = NewDocument::sample(id, &["A parent chunk."]);
            new.parents[0].vector = vec![angle.cos(), angle.sin(), 0.0, 0.0];
            new
        };
        let namespace = store.namespace(name).unwrap();
        samples::publish(&namespace, angles.iter().map(document).collect::<Vec<_>>()).await;
        Snapshot::open(&namespace).await.unwrap()
    }

    #[tokio::test]
    async fn the_best_by_vectors_and_the_candidates_of_keyword_search_get_their_cosines() {
        let (_folder, store) = samples::store();
        // `t` is in both.
        let left = namespace(&store, "left", &[("a", 0.3), ("b", 1.2), ("c", 0.9), ("t", 0.1)]).await;
        let right = namespace(&store, "right", &[("d", 0.2), ("e", 1.4), ("f", 0.5), ("t", 0.1)]).await;
        let snapshots = [&left, &right];
        let keyword = Scores::from([(ChunkKey { chunk_id: "e:0".into(), namespace: 1 }, 7.0)]);
        let recall = async |documents: Option<&[crate::ids::DocId]>, pool| {
            let scopes = [Scope::of_documents(documents), Scope::of_documents(documents)];
            let found = semantic(&snapshots, &[1.0, 0.0, 0.0, 0.0], &scopes, &keyword, pool).await.unwrap();
            assert!(!found.no_vectors);
            let found = found.scores.iter();
            let mut found: Vec<String> = found
                .map(|(key, score)| format!("{} {} {score:.2}", key.chunk_id, ["left", "right"][key.namespace]))
                .collect();
            found.sort();
            found
        };
        let (c, e, f) = ("c:0 left 0.62", "e:0 right 0.17", "f:0 right 0.88");
        let all = ["a:0 left 0.96", "b:0 left 0.36", c, "d:0 right 0.98", e, f, "t:0 left 1.00", "t:0 right 1.00"];
        assert_eq!(recall(None, 9).await, all);
        let only = ["c".into(), "f".into()];
        assert_eq!(recall(Some(&only), 3).await, [c, e, f], "those of the scope and of keyword search");
    }
}
