//! What each arm recalls from all namespaces that are searched, as if they were one.
//!
//! Every namespace recalls as many as are wanted of all together, and of those the best are kept. A passage that is
//! in several namespaces takes one place among them, so that it crowds out nothing else.

use std::collections::{HashMap, HashSet};

use futures::future::try_join_all;

use super::fuse::{Candidate, Scores};
use super::searched::{PassageKey, on_each};
use super::vector_models::QuestionVectors;
use crate::error::Result;
use crate::store::{
    KeywordField, KeywordHit, KeywordStatistics, LoadedVectors, Scope, Snapshot, VectorHit, WordPlaces,
};

/// Chunks per wanted parent that the vector search recalls: a good parent often has several good children.
const CHUNKS_PER_PARENT: usize = 4;
/// The share of a parent's own vector, the mean of its children's, beside its best child.
const WHOLE_PASSAGE_WEIGHT: f32 = 0.4;

/// The weighted terms of a question.
pub(super) type Terms = Vec<(KeywordField, String, f32)>;

/// The keyword arm on the namespaces that are searched.
pub(super) struct KeywordArm<'a> {
    snapshots: &'a [&'a Snapshot],
    terms: Terms,
    /// `None` for one namespace, which has its own.
    statistics: Option<KeywordStatistics>,
}

impl<'a> KeywordArm<'a> {
    /// Without terms, nothing is found.
    pub(super) fn new(snapshots: &'a [&'a Snapshot], terms: Terms) -> Result<Self> {
        let statistics = match snapshots {
            [_] => None,
            several => {
                let each = on_each(several, |_, snapshot| snapshot.keyword_statistics(&terms))?;
                Some(KeywordStatistics::joint(each))
            }
        };
        Ok(KeywordArm { snapshots, terms, statistics })
    }

    /// The scores of the best `pool` in the scopes, one of each namespace.
    pub(super) fn recall(&self, scopes: &[Scope], pool: usize) -> Result<Scores> {
        let hits = on_each(self.snapshots, |namespace, snapshot| {
            snapshot.keyword(&self.terms, self.statistics.as_ref(), &scopes[namespace], pool)
        })?;
        Ok(best_of(keyed(hits), pool).into_iter().collect())
    }

    /// Adds the passages of scopes that consist of passages and have no telling word of the question: they have its
    /// phrases. No more than there is room for in the pool.
    pub(super) fn add_without_words(&self, scopes: &[Scope], pool: usize, scores: &mut Scores) {
        for (namespace, scope) in scopes.iter().enumerate() {
            let Scope::Passages(ids) = scope else { continue };
            let mut ids: Vec<&String> = ids.iter().collect();
            ids.sort_unstable();
            for id in ids {
                if scores.len() < pool {
                    scores.entry(PassageKey { chunk_id: id.clone(), namespace }).or_insert(0.0);
                }
            }
        }
    }

    /// The scores of those passages that have a word of the question.
    pub(super) fn score<'p>(&self, passages: impl Iterator<Item = &'p PassageKey>) -> Result<Scores> {
        let ids = by_namespace(passages, self.snapshots.len());
        let hits = on_each(&ids, |namespace, ids| {
            self.snapshots[namespace].keyword_scores(&self.terms, self.statistics.as_ref(), ids)
        })?;
        Ok(keyed(hits).collect())
    }

    /// The question's words and their weights in it.
    fn words(&self) -> impl Iterator<Item = (&String, f32)> {
        let content = self.terms.iter().filter(|(field, ..)| *field == KeywordField::Content);
        content.map(|(_, text, weight)| (text, *weight))
    }

    /// How much each of the question's words says: its weight in the question times its rarity.
    pub(super) fn weights(&self) -> Result<Vec<f32>> {
        let own = match (&self.statistics, self.snapshots) {
            (None, [only]) => Some(only.keyword_statistics(&self.terms)?),
            _ => None,
        };
        let statistics = self.statistics.as_ref().or(own.as_ref());
        Ok(self.words().map(|(text, weight)| weight * statistics.map_or(1.0, |all| all.rarity(text))).collect())
    }

    /// Where the question's words are in the given candidates.
    pub(super) fn places(&self, candidates: &[Candidate]) -> Result<HashMap<PassageKey, WordPlaces>> {
        let words: Vec<String> = self.words().map(|(text, _)| text.clone()).collect();
        let keys: Vec<PassageKey> = candidates.iter().map(Candidate::key).collect();
        let ids = by_namespace(keys.iter(), self.snapshots.len());
        let places = on_each(&ids, |namespace, ids| self.snapshots[namespace].word_places(&words, ids))?;
        let by_key = |(namespace, places): (usize, Vec<WordPlaces>)| {
            places.into_iter().map(move |places| (PassageKey { chunk_id: places.chunk_id.clone(), namespace }, places))
        };
        Ok(places.into_iter().enumerate().flat_map(by_key).collect())
    }
}

fn keyed(hits: Vec<Vec<KeywordHit>>) -> impl Iterator<Item = (PassageKey, f32)> {
    hits.into_iter().enumerate().flat_map(|(namespace, hits)| {
        hits.into_iter().map(move |hit| (PassageKey { chunk_id: hit.chunk_id, namespace }, hit.score))
    })
}

/// What the semantic arm found.
pub(super) struct SemanticRecall {
    /// Of the best of this arm, and of those of the keyword arm that have vectors.
    pub scores: Scores,
    /// Whether nothing that was searched has a vector.
    pub no_vectors: bool,
}

/// Recalls by vectors, in memory where they are held there. `keyword` is what the keyword arm recalled, which gets its
/// true scores too.
pub(super) async fn semantic(
    snapshots: &[&Snapshot],
    vectors: &[Option<LoadedVectors>],
    question: &QuestionVectors,
    scopes: &[Scope],
    keyword: &Scores,
    pool: usize,
) -> Result<SemanticRecall> {
    // Of vectors in memory all are scored, and exactly; of those in a table the nearest are, and the wanted ones anew.
    let mut recalled = on_each(vectors, |namespace, vectors| match (vectors, question.of(namespace)) {
        (Some(vectors), Some(question)) => {
            let mut scores = ParentScores::default();
            let add = |chunk_id, parent_id, score| scores.add(chunk_id, parent_id, score);
            vectors.each(question, &scopes[namespace], add)?;
            Ok(scores.joined())
        }
        _ => Ok(HashMap::new()),
    })?;
    let is_asked = |namespace: usize| vectors[namespace].is_none().then(|| question.of(namespace)).flatten();
    let in_tables: Vec<(usize, &[f32])> =
        (0..vectors.len()).filter_map(|namespace| Some((namespace, is_asked(namespace)?))).collect();
    let near = in_tables.iter().map(|(i, own)| snapshots[*i].nearest(own, &scopes[*i], pool * CHUNKS_PER_PARENT));
    let near = try_join_all(near).await?;
    for (&(namespace, _), near) in in_tables.iter().zip(&near) {
        recalled[namespace] = parent_scores(near);
    }
    let no_vectors = recalled.iter().all(HashMap::is_empty);
    let wanted = pooled(keyword, &recalled, &question.models(), pool);
    let exact = |key: &PassageKey| {
        let score = vectors[key.namespace].as_ref().and(recalled[key.namespace].get(key.chunk_id.as_str()))?;
        Some((key.clone(), *score))
    };
    let mut scores: Scores = wanted.iter().filter_map(exact).collect();
    let ids = by_namespace(wanted.iter(), snapshots.len());
    let anew = in_tables.iter().map(|(namespace, own)| snapshots[*namespace].similarities(own, &ids[*namespace]));
    for (&(namespace, _), hits) in in_tables.iter().zip(try_join_all(anew).await?) {
        let anew = parent_scores(&hits);
        scores.extend(anew.into_iter().map(|(id, score)| (PassageKey { chunk_id: id.to_owned(), namespace }, score)));
    }
    Ok(SemanticRecall { scores, no_vectors })
}

/// The passages whose exact scores are wanted from both arms, in order: the best `pool` of the keyword arm and of each
/// model. The semantic arm's scores are by namespace, as `models` are.
fn pooled(keyword: &Scores, semantic: &[HashMap<&str, f32>], models: &[usize], pool: usize) -> Vec<PassageKey> {
    let mut keys: Vec<PassageKey> = keyword.keys().cloned().collect();
    for model in models.iter().copied().collect::<HashSet<usize>>() {
        let each = semantic.iter().enumerate().filter(|(namespace, _)| models.get(*namespace) == Some(&model));
        let mut nearest: Vec<(&str, usize, f32)> = each
            .flat_map(|(namespace, scores)| scores.iter().map(move |(id, score)| (*id, namespace, *score)))
            .collect();
        nearest.sort_unstable_by(|a, b| b.2.total_cmp(&a.2).then_with(|| (a.0, a.1).cmp(&(b.0, b.1))));
        first_different(&mut nearest, pool, |(chunk_id, ..)| chunk_id);
        let key = |(id, namespace, _): (&str, usize, f32)| PassageKey { chunk_id: id.to_owned(), namespace };
        keys.extend(nearest.into_iter().map(key));
    }
    keys.sort();
    keys.dedup();
    keys
}

/// The best `limit` passages, best first; one that is in several namespaces counts once.
fn best_of(scores: impl Iterator<Item = (PassageKey, f32)>, limit: usize) -> Vec<(PassageKey, f32)> {
    let mut scores: Vec<(PassageKey, f32)> = scores.collect();
    scores.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    first_different(&mut scores, limit, |(key, _)| &key.chunk_id);
    scores
}

/// Cuts a ranking behind its first `limit` passages, where those with the same id, from several namespaces, count
/// once. Each that is left is left in all its namespaces.
pub(super) fn first_different<T>(ranking: &mut Vec<T>, limit: usize, chunk_id: impl Fn(&T) -> &str) {
    if ranking.len() <= limit {
        return;
    }
    let mut known: HashSet<String> = HashSet::with_capacity(limit);
    ranking.retain(|entry| {
        let id = chunk_id(entry);
        known.contains(id) || (known.len() < limit && known.insert(id.to_owned()))
    });
}

/// The ids of passages by the place of their namespace.
fn by_namespace<'p>(passages: impl Iterator<Item = &'p PassageKey>, namespaces: usize) -> Vec<Vec<String>> {
    let mut ids = vec![Vec::new(); namespaces];
    for key in passages {
        ids[key.namespace].push(key.chunk_id.clone());
    }
    ids
}

/// The semantic score of each parent: its best child, and with less weight the passage as a whole.
fn parent_scores(hits: &[VectorHit]) -> HashMap<&str, f32> {
    let mut scores = ParentScores::default();
    hits.iter().for_each(|hit| scores.add(&hit.chunk_id, &hit.parent_id, hit.score));
    scores.joined()
}

/// The best cosine of each parent's children, and its own.
#[derive(Default)]
struct ParentScores<'v>(HashMap<&'v str, (Option<f32>, Option<f32>)>);

impl<'v> ParentScores<'v> {
    fn add(&mut self, chunk_id: &str, parent_id: &'v str, score: f32) {
        let (child, whole) = self.0.entry(parent_id).or_default();
        let side = if chunk_id == parent_id { whole } else { child };
        *side = Some(side.map_or(score, |known| known.max(score)));
    }

    fn joined(self) -> HashMap<&'v str, f32> {
        let join = |(id, (child, whole)): (&'v str, (Option<f32>, Option<f32>))| {
            let (child, whole) = (child.or(whole)?, whole.or(child)?);
            Some((id, (1.0 - WHOLE_PASSAGE_WEIGHT) * child + WHOLE_PASSAGE_WEIGHT * whole))
        };
        self.0.into_iter().filter_map(join).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::ChunkConfig;
    use crate::ingest::{SourceFacts, prepare};
    use crate::load::plain;
    use crate::store::{Change, ModelRecord, Store, Writer};

    #[test]
    fn a_passage_in_several_namespaces_takes_one_place() {
        let key = |chunk_id: &str, namespace| PassageKey { chunk_id: chunk_id.to_owned(), namespace };
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

    /// A namespace of documents of one passage, whose vectors have the given angles to the question's.
    async fn namespace(store: &Store, name: &str, angles: &[(&str, f32)]) -> Snapshot {
        let add = angles
            .iter()
            .map(|(id, angle)| {
                let facts = SourceFacts {
                    source: format!("{id}.txt"),
                    doc_id: (*id).to_owned(),
                    content_hash: String::new(),
                    size: 1,
                    mtime_ns: 0,
                    corrected_toc: None,
                    time: None,
                };
                let mut new = prepare(&plain::parse("A passage."), &facts, &ChunkConfig::default(), "now").new;
                new.chunks.iter_mut().for_each(|chunk| chunk.vector = vec![angle.cos(), angle.sin()]);
                new
            })
            .collect();
        let namespace = store.namespace(name).unwrap();
        let model = ModelRecord { name: "m".into(), dimension: 2, fingerprint: None };
        let mut writer = Writer::open(&namespace, &model).await.unwrap();
        writer.publish(&Change { add, ..Change::default() }).await.unwrap();
        Snapshot::open(&namespace).await.unwrap()
    }

    #[tokio::test]
    async fn vectors_in_memory_and_in_tables_recall_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let (store, _) = Store::open_or_create(None, folder.path()).unwrap();
        // `t` is in both.
        let left = namespace(&store, "left", &[("a", 0.3), ("b", 1.2), ("c", 0.9), ("t", 0.1)]).await;
        let right = namespace(&store, "right", &[("d", 0.2), ("e", 1.4), ("f", 0.5), ("t", 0.1)]).await;
        let snapshots = [&left, &right];
        let keyword = Scores::from([(PassageKey { chunk_id: "e:0".into(), namespace: 1 }, 7.0)]);
        let recall = async |held: [bool; 2], documents: Option<&[String]>| {
            let scopes = [Scope::of_documents(documents), Scope::of_documents(documents)];
            let mut vectors = Vec::new();
            for (snapshot, held) in snapshots.iter().zip(held) {
                vectors.push(if held { Some(snapshot.load_vectors(None).await.unwrap()) } else { None });
            }
            let found = semantic(&snapshots, &vectors, &vec![1.0, 0.0].into(), &scopes, &keyword, 3).await.unwrap();
            assert!(!found.no_vectors);
            let mut found: Vec<(String, usize, i32)> = found
                .scores
                .into_iter()
                .map(|(key, score)| (key.chunk_id, key.namespace, (score * 1e4).round() as i32))
                .collect();
            found.sort();
            found
        };
        let cosine = |angle: f32| (angle.cos() * 1e4).round() as i32;
        let expected = [("a:0", 0, 0.3), ("d:0", 1, 0.2), ("e:0", 1, 1.4), ("t:0", 0, 0.1), ("t:0", 1, 0.1)]
            .map(|(id, namespace, angle)| (id.to_owned(), namespace, cosine(angle)));
        for held in [[true, true], [false, false], [true, false], [false, true]] {
            assert_eq!(recall(held, None).await, expected, "the best three and what the words found; held: {held:?}");
            let only = ["c".to_owned(), "f".to_owned()];
            let some: Vec<String> = recall(held, Some(&only)).await.into_iter().map(|(id, ..)| id).collect();
            assert!(some.starts_with(&["c:0".to_owned()]) && some.contains(&"f:0".to_owned()), "{held:?}: {some:?}");
        }
    }
}
