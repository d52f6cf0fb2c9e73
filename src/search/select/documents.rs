//! Documents as such: their titles, topics and summaries, and the documents that drilling follows, with a beam.

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use super::titles::{AskedTitle, Exactness, SectionIndex};
use crate::error::Result;
use crate::ids::DocId;
use crate::search::Ranking;
use crate::search::candidate::Candidate;
use crate::search::candidate::first_different;
use crate::search::expand::merge::joint_score;
use crate::search::searcher::Searched;
use crate::search::{Beam, SearchRequest};
use crate::store::{DocumentRow, Scope, Snapshot};
use crate::text::stopwords::is_stopword;
use crate::text::tokens::tokenize;

/// The weights of a document's score: the joint score of its parent chunks …
const PARENT_CHUNKS: f32 = 0.5;
/// … the likeness of the question to a title of its sections …
const TITLES: f32 = 0.35;
/// … the share of the question's words in its title, topics and summary …
const WORDS: f32 = 0.1;
/// … and the cosine of the question and its summary.
const SUMMARY: f32 = 0.05;

/// The documents of a namespace.
pub struct DocumentIndex {
    /// The words of title, topics and summary, by document.
    words: HashMap<DocId, HashSet<String>>,
    /// How many documents have a word.
    frequencies: HashMap<String, usize>,
    vectors: HashMap<DocId, Vec<f32>>,
}

/// A question as documents are compared with it.
struct AskedDocument<'a> {
    title: AskedTitle,
    words: Vec<String>,
    vector: Option<&'a [f32]>,
}

impl<'a> AskedDocument<'a> {
    fn of(query: &str, vector: Option<&'a [f32]>) -> Self {
        AskedDocument { title: AskedTitle::of(query), words: informative(query).into_iter().collect(), vector }
    }
}

/// How near a document is to a question apart from its parent chunks; each part from 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Nearness {
    /// The greatest likeness of the question to a title of its sections.
    pub titles: f32,
    /// The share of the question's words in its title, topics and summary.
    pub words: f32,
    /// The cosine of the question and its summary.
    pub summary: f32,
}

impl DocumentIndex {
    pub async fn read(snapshot: &Snapshot) -> Result<Self> {
        Ok(DocumentIndex::new(&snapshot.documents_kept().await?, snapshot.document_vectors().await?))
    }

    fn new(rows: &[DocumentRow], vectors: HashMap<DocId, Vec<f32>>) -> Self {
        let mut words: HashMap<DocId, HashSet<String>> = HashMap::new();
        let mut frequencies: HashMap<String, usize> = HashMap::new();
        for row in rows {
            let topics = row.profile.iter().flat_map(|profile| &profile.topics);
            let own: HashSet<String> =
                std::iter::once(&row.title).chain(topics).flat_map(|text| informative(text)).collect();
            own.iter().for_each(|word| *frequencies.entry(word.clone()).or_default() += 1);
            words.insert(row.doc_id.clone(), own);
        }
        DocumentIndex { words, frequencies, vectors }
    }

    /// The documents of a scope with a score above 0, best first, at most `most`.
    fn nearest(
        &self,
        sections: &SectionIndex,
        asked: &AskedDocument,
        scope: &Scope,
        most: usize,
        score: impl Fn(Nearness) -> f32,
    ) -> Vec<(DocId, f32)> {
        let admitted = scope.documents();
        let is_admitted = |doc_id: &&DocId| admitted.as_ref().is_none_or(|ids| ids.contains(doc_id.as_str()));
        let within = self.words.keys().filter(is_admitted);
        let mut near: Vec<(DocId, f32)> =
            within.map(|doc_id| (doc_id.clone(), score(self.nearness(doc_id, sections, asked)))).collect();
        near.retain(|(_, score)| *score > 0.0);
        near.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        near.truncate(most);
        near
    }

    fn nearness(&self, doc_id: &str, sections: &SectionIndex, asked: &AskedDocument) -> Nearness {
        let titles = sections.of_document(doc_id).map(|at| match sections.exactness(at, &asked.title) {
            Exactness::No => sections.likeness(at, &asked.title),
            _ => 1.0,
        });
        let own = self.vectors.get(doc_id);
        let cosine = |(own, vector): (&Vec<f32>, &[f32])| own.iter().zip(vector).map(|(a, b)| a * b).sum::<f32>();
        Nearness {
            titles: titles.fold(0.0, f32::max),
            words: self.share_of(&asked.words, self.words.get(doc_id)),
            summary: own.zip(asked.vector).map_or(0.0, |pair| cosine(pair).clamp(0.0, 1.0)),
        }
    }

    /// The share of a question's words that a document has; rare words count more.
    fn share_of(&self, asked: &[String], own: Option<&HashSet<String>>) -> f32 {
        let rarity = |word: &String| {
            let with = self.frequencies.get(word).copied().unwrap_or(0);
            ((1 + self.words.len()) as f32 / (1 + with) as f32).ln() + 1.0
        };
        let all: f32 = asked.iter().map(rarity).sum();
        let has: f32 = asked.iter().filter(|word| own.is_some_and(|own| own.contains(*word))).map(rarity).sum();
        if all > 0.0 { has / all } else { 0.0 }
    }
}

fn informative(text: &str) -> HashSet<String> {
    tokenize(text).into_iter().map(|token| token.text).filter(|word| !is_stopword(word)).collect()
}

/// The `most` documents of the scopes that are nearest to a question apart from their parent chunks, nearest first: the
/// places of their namespaces, their ids and scores.
pub async fn nearest(
    searched: &[Searched],
    query: &str,
    vector: Option<&[f32]>,
    scopes: &[Scope],
    most: usize,
) -> Result<Vec<(usize, DocId, f32)>> {
    let mut all: Vec<(usize, DocId, f32)> = Vec::new();
    for (namespace, (searched, scope)) in searched.iter().zip(scopes).enumerate() {
        let (sections, documents) = (searched.sections().await?, searched.documents().await?);
        let asked = AskedDocument::of(query, vector);
        let near = documents.nearest(sections, &asked, scope, most, |near| score(0.0, near));
        all.extend(near.into_iter().map(|(doc_id, score)| (namespace, doc_id, score)));
    }
    all.sort_by(|a, b| b.2.total_cmp(&a.2).then_with(|| (&a.1, a.0).cmp(&(&b.1, b.0))));
    // The same document in several namespaces takes one place.
    first_different(&mut all, most, |(_, doc_id, _)| doc_id);
    Ok(all)
}

/// Keeps the candidates that the beam reaches through the best documents.
pub async fn drill_down(searched: &[Searched], request: &SearchRequest, ranking: &mut Ranking) -> Result<()> {
    let start = Instant::now();
    let near = near(searched, &request.query, ranking.vector.as_deref(), &ranking.candidates).await?;
    let drilled = drill(&ranking.candidates, &near, request.shape.beam);
    let all = std::mem::replace(&mut ranking.candidates, drilled.parent_chunks).len();
    let stage = ranking.trace.stage("drill", start, all, ranking.candidates.len());
    let stage = stage.note(format!("beam {}", request.shape.beam));
    drilled.scores.into_iter().fold(stage, |stage, score| stage.note(score)).ranking(&ranking.candidates);
    Ok(())
}

/// A document among all namespaces: the place of its namespace and its id.
type DocumentKey<'a> = (usize, &'a str);

/// The nearness of documents by namespace and id; a document that is missing is not near.
type Near = Vec<HashMap<DocId, Nearness>>;

/// The nearness of the documents of candidates.
async fn near(searched: &[Searched], query: &str, vector: Option<&[f32]>, candidates: &[Candidate]) -> Result<Near> {
    let mut all = Near::new();
    for (namespace, searched) in searched.iter().enumerate() {
        let (sections, documents) = (searched.sections().await?, searched.documents().await?);
        let asked = AskedDocument::of(query, vector);
        let own = candidates.iter().map(document).filter(|(own, _)| *own == namespace);
        let own: HashSet<&str> = own.map(|(_, id)| id).collect();
        all.push(own.into_iter().map(|id| (id.into(), documents.nearness(id, sections, &asked))).collect());
    }
    Ok(all)
}

/// The parent chunks that drilling reaches, document by document, and how each document scored.
#[derive(Debug, Default, PartialEq)]
struct Drilled {
    parent_chunks: Vec<Candidate>,
    scores: Vec<String>,
}

/// The best documents of the beam, best first, and of each the best parent chunks, best first. A document scores by the
/// [joint score](joint_score) of its parent chunks and by its own nearness to the question. Equals keep the order of the
/// ranking.
fn drill(candidates: &[Candidate], near: &Near, beam: Beam) -> Drilled {
    let mut order: Vec<DocumentKey> = Vec::new();
    let mut chunks: HashMap<DocumentKey, Vec<&Candidate>> = HashMap::new();
    for candidate in candidates {
        let key = document(candidate);
        let own = chunks.entry(key).or_default();
        if own.is_empty() {
            order.push(key);
        }
        own.push(candidate);
    }
    let rated = order.into_iter().map(|key| {
        let parent_chunks = joint_score(chunks[&key].iter().map(|candidate| candidate.score));
        let near = near.get(key.0).and_then(|of| of.get(key.1)).copied().unwrap_or_default();
        (score(parent_chunks, near), parent_chunks, near, key)
    });
    let mut documents: Vec<(f32, f32, Nearness, DocumentKey)> = rated.collect();
    documents.sort_by(|a, b| b.0.total_cmp(&a.0));
    documents.truncate(beam.documents);
    let in_words = |(score, parent_chunks, near, (_, id)): &(f32, f32, Nearness, DocumentKey)| {
        let Nearness { titles, words, summary } = near;
        format!(
            "{id}: {score:.3} by parent chunks {parent_chunks:.2}, titles {titles:.2}, topics {words:.2}, summary {summary:.2}"
        )
    };
    let scores = documents.iter().map(in_words).collect();
    let kept = documents.iter().flat_map(|(.., key)| chunks[key].iter().take(beam.parents));
    Drilled { parent_chunks: kept.map(|candidate| (*candidate).clone()).collect(), scores }
}

fn score(parent_chunks: f32, near: Nearness) -> f32 {
    PARENT_CHUNKS * parent_chunks + TITLES * near.titles + WORDS * near.words + SUMMARY * near.summary
}

/// The document of a parent chunk.
fn document(candidate: &Candidate) -> DocumentKey<'_> {
    (candidate.namespace, candidate.chunk_id.doc_id())
}

#[cfg(test)]
mod tests {
    use super::super::titles::tests::index;
    use super::*;
    use crate::knowledge::profile::{ParentChunkText, TitleText, profile};

    fn document(doc_id: &str, topic: &str) -> DocumentRow {
        let titles = [TitleText { title: topic, level: 1, bytes: 4 }];
        let profile = profile("", "en", &titles, &[ParentChunkText { title: topic, text: "text" }]);
        DocumentRow { profile, ..DocumentRow::sample(doc_id) }
    }

    #[test]
    fn documents_are_near_by_titles_topics_and_vectors() {
        let rows = [document("d", "valves"), document("e", "pumps")];
        let vectors = HashMap::from([("e".into(), vec![0.6, 0.8])]);
        let documents = DocumentIndex::new(&rows, vectors);
        let sections = index(&[("1", "Priming")]);
        let near = |id: &'static str, query: &str| {
            let asked = AskedDocument::of(query, Some(&[0.0, 1.0]));
            documents.nearness(id, &sections, &asked)
        };
        assert_eq!(near("d", "priming"), Nearness { titles: 1.0, words: 0.0, summary: 0.0 });
        assert_eq!(near("d", "the valve"), Nearness { titles: 0.0, words: 1.0, summary: 0.0 });
        assert_eq!(near("e", "nothing"), Nearness { titles: 0.0, words: 0.0, summary: 0.8 });
        assert_eq!(near("f", "valve"), Nearness::default(), "an unknown document is not near");
    }

    #[test]
    fn the_nearest_documents_of_a_scope_come_first() {
        let rows = [document("d", "valves"), document("e", "pumps"), document("f", "seals")];
        let vectors = HashMap::from([("e".into(), vec![0.6, 0.8]), ("f".into(), vec![0.8, 0.6])]);
        let documents = DocumentIndex::new(&rows, vectors);
        let sections = index(&[("1", "Priming")]);
        let nearest = |vector: Option<&[f32]>, scope: &Scope, most| {
            let asked = AskedDocument::of("valve", vector);
            let near = documents.nearest(&sections, &asked, scope, most, |near| near.words + near.summary);
            near.into_iter().map(|(doc_id, _)| doc_id).collect::<Vec<_>>()
        };
        let asked: Option<&[f32]> = Some(&[0.0, 1.0]);
        assert_eq!(nearest(asked, &Scope::Everything, 9), ["d", "e", "f"]);
        assert_eq!(nearest(asked, &Scope::Everything, 2), ["d", "e"]);
        assert_eq!(nearest(None, &Scope::Everything, 9), ["d"], "the others are not near at all");
        assert_eq!(nearest(asked, &Scope::Documents(["e".into(), "f".into()].into()), 1), ["e"]);
        assert_eq!(nearest(asked, &Scope::ParentChunks(["f:3".into()].into()), 9), ["f"]);
    }

    fn candidate(chunk_id: &str, score: f32) -> Candidate {
        Candidate { chunk_id: chunk_id.into(), namespace: 0, score, keyword: None, semantic: None }
    }

    fn followed(beam: &str) -> Vec<String> {
        let candidates = [("a:0", 0.8), ("b:0", 0.78), ("b:1", 0.7), ("b:2", 0.6), ("c:0", 0.5), ("a:1", 0.1)];
        let candidates = candidates.map(|(id, score)| candidate(id, score));
        let drilled = drill(&candidates, &Near::new(), beam.parse().unwrap());
        drilled.parent_chunks.into_iter().map(|candidate| candidate.chunk_id.into()).collect()
    }

    #[test]
    fn the_best_documents_have_the_best_joint_scores() {
        assert_eq!(followed("1,1,3"), ["b:0"], "one document, the one with the better joint score");
        assert_eq!(followed("1,2,3"), ["b:0", "b:1"]);
        assert_eq!(followed("2,2,3"), ["b:0", "b:1", "a:0", "a:1"], "the best document first");
        assert_eq!(followed("3,1,3"), ["b:0", "a:0", "c:0"]);
        assert_eq!(drill(&[], &Near::new(), Beam::default()), Drilled::default());
    }

    #[test]
    fn a_title_match_beats_better_parent_chunks() {
        let candidates = [candidate("a:0", 1.0), candidate("b:0", 0.6)];
        let near = vec![HashMap::from([("b".into(), Nearness { titles: 1.0, ..Nearness::default() })])];
        let drilled = drill(&candidates, &near, "1,1,3".parse().unwrap());
        assert_eq!(drilled.parent_chunks, [candidates[1].clone()]);
        assert_eq!(drilled.scores, ["b: 0.650 by parent chunks 0.60, titles 1.00, topics 0.00, summary 0.00"]);
    }
}
