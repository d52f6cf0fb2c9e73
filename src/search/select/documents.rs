//! Ranks whole documents by titles, topics and summaries, and drills into the best of them with a beam.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Instant;

use super::section_index::{Exactness, SectionIndex};
use crate::error::Result;
use crate::ids::DocId;
use crate::knowledge::profile::Kind;
use crate::search::candidate::{Candidate, first_different, groups, joint_score};
use crate::search::request::SearchRequest;
use crate::search::result::Ranking;
use crate::search::shape::Beam;
use crate::search::trace::Trace;
use crate::store::{DocumentRow, Scope};
use crate::text::stopwords::informative;
use crate::text::tokens::tokenize;
use crate::vectors::dot;

/// The weights of a document's score: the joint score of its parent chunks …
const PARENT_CHUNKS: f32 = 0.5;
/// … the similarity of the question to a title of its sections …
const TITLES: f32 = 0.35;
/// … the share of the question's words in its title and topics …
const WORDS: f32 = 0.1;
/// … the cosine of the question and its summary …
const SUMMARY: f32 = 0.05;
/// … and, on top, the share of its text that is of the kind that the question asks for.
const KIND: f32 = 0.1;

/// Some documents of a namespace.
pub struct DocumentIndex {
    /// Each after the words of its title and topics.
    documents: HashMap<DocId, (BTreeSet<String>, DocumentRow)>,
    /// The question's words with their weights.
    question_words: BTreeMap<String, f32>,
}

/// What ranks documents besides the words of the question.
#[derive(Clone, Copy)]
pub struct DocumentQuery<'a> {
    /// The kind of text that answers it.
    pub kind: Option<Kind>,
    pub vector: Option<&'a [f32]>,
}

/// How near a document is to a question apart from its parent chunks; each part from 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Nearness {
    /// The greatest similarity of the question to a title of its sections.
    titles: f32,
    /// The share of the question's words in its title and topics.
    words: f32,
    /// The cosine of the question and its summary.
    summary: f32,
    /// The share of its text that is of the kind that the question asks for.
    kind: f32,
}

impl DocumentIndex {
    /// `rarity` is the weight of a word: the fewer chunks have it, the more.
    pub fn new(rows: Vec<DocumentRow>, query: &str, rarity: impl Fn(&str) -> Result<f32>) -> Result<Self> {
        let words_of = |row: &DocumentRow| {
            let topics = row.profile.iter().flat_map(|profile| &profile.topics);
            std::iter::once(&row.title).chain(topics).flat_map(|text| informative_words(text)).collect()
        };
        let documents = rows.into_iter().map(|row| (row.doc_id.clone(), (words_of(&row), row))).collect();
        let weigh = |word: String| rarity(&word).map(|rarity| (word, rarity));
        let question_words = informative_words(query).into_iter().map(weigh).collect::<Result<_>>()?;
        Ok(DocumentIndex { documents, question_words })
    }

    fn nearness(&self, doc_id: &str, sections: &SectionIndex, query: DocumentQuery<'_>) -> Nearness {
        let Some((words, row)) = self.documents.get(doc_id) else { return Nearness::default() };
        let titles = sections.of_document(doc_id).map(|at| match sections.exactness(at) {
            Exactness::No => sections.similarity(at),
            _ => 1.0,
        });
        let vector = query.vector.filter(|_| !row.vector.is_empty());
        let mut kinds = row.profile.iter().flat_map(|profile| &profile.kinds);
        Nearness {
            titles: titles.fold(0.0, f32::max),
            words: self.share_of_words(words),
            summary: vector.map_or(0.0, |vector| dot(&row.vector, vector).clamp(0.0, 1.0)),
            kind: kinds.find(|share| Some(share.kind) == query.kind).map_or(0.0, |one| one.share),
        }
    }

    /// The share of the question's words that a document has; rare words count more.
    fn share_of_words(&self, own: &BTreeSet<String>) -> f32 {
        let all: f32 = self.question_words.values().sum();
        let had = self.question_words.iter().filter(|(word, _)| own.contains(*word));
        if all > 0.0 { had.map(|(_, rarity)| rarity).sum::<f32>() / all } else { 0.0 }
    }
}

fn informative_words(text: &str) -> BTreeSet<String> {
    informative(tokenize(text).into_iter().map(|token| token.text).collect())
}

/// The sections and documents of a namespace.
type Indexes = (SectionIndex, DocumentIndex);

/// The `most` documents of the scopes that are nearest to a question apart from their parent chunks, nearest first: the
/// places of their namespaces, their ids and scores above 0.
pub fn nearest(
    indexes: &[Indexes],
    query: DocumentQuery<'_>,
    scopes: &[Scope],
    most: usize,
) -> Vec<(usize, DocId, f32)> {
    let mut all: Vec<(usize, DocId, f32)> = Vec::new();
    for (namespace, ((sections, documents), scope)) in indexes.iter().zip(scopes).enumerate() {
        let admitted = scope.documents();
        let is_admitted = |doc_id: &&DocId| admitted.as_ref().is_none_or(|ids| ids.contains(doc_id.as_str()));
        let within = documents.documents.keys().filter(is_admitted);
        all.extend(within.map(|id| (namespace, id.clone(), score(0.0, documents.nearness(id, sections, query)))));
    }
    all.retain(|(.., score)| *score > 0.0);
    all.sort_by(|a, b| b.2.total_cmp(&a.2).then_with(|| (&a.1, a.0).cmp(&(&b.1, b.0))));
    // The same document in several namespaces takes one place.
    first_different(&mut all, most, |(_, doc_id, _)| doc_id);
    all
}

/// Keeps the candidates that the beam reaches through the best documents.
pub fn drill_down(indexes: &[Indexes], request: &SearchRequest, ranking: &mut Ranking, trace: &mut Trace) {
    let (start, all, beam) = (Instant::now(), ranking.candidates.len(), request.shape.beam);
    let query = DocumentQuery { kind: ranking.understood.answered_by(), vector: ranking.vector.as_deref() };
    let near = |(namespace, doc_id): DocumentKey<'_>| {
        let (sections, documents) = &indexes[namespace];
        documents.nearness(doc_id, sections, query)
    };
    let (kept, scores) = drill(&ranking.candidates, near, beam);
    ranking.candidates = kept;
    let stage = trace.stage("drill", start, all, ranking.candidates.len()).note(format!("beam {beam}"));
    stage.notes(scores).ranking(&ranking.candidates);
}

/// A document among all namespaces: the place of its namespace and its id.
type DocumentKey<'a> = (usize, &'a str);

fn key(candidate: &Candidate) -> DocumentKey<'_> {
    (candidate.namespace, candidate.chunk_id.doc_id())
}

/// The parent chunks that the beam reaches, document by document, and how each document scored: the best documents,
/// best first, and of each the best parent chunks, best first. A document scores by the [joint score](joint_score) of
/// its parent chunks and by its own nearness to the question. Equals keep the order of the ranking.
fn drill(
    candidates: &[Candidate],
    near: impl Fn(DocumentKey<'_>) -> Nearness,
    beam: Beam,
) -> (Vec<Candidate>, Vec<String>) {
    let documents = groups(candidates, |a, b| key(a) == key(b));
    let rated = documents.into_iter().map(|own| {
        let key = key(own[0]);
        let (parent_chunks, near) = (joint_score(own.iter().map(|candidate| candidate.score)), near(key));
        let (score, Nearness { titles, words, summary, kind }) = (score(parent_chunks, near), near);
        let in_words = format!(
            "{}: {score:.3} by parent chunks {parent_chunks:.2}, titles {titles:.2}, topics {words:.2}, summary {summary:.2}, kind {kind:.2}",
            key.1
        );
        (score, in_words, own)
    });
    let mut rated: Vec<(f32, String, Vec<&Candidate>)> = rated.collect();
    rated.sort_by(|a, b| b.0.total_cmp(&a.0));
    rated.truncate(beam.documents);
    let kept = rated.iter().flat_map(|(.., own)| own.iter().take(beam.parents).copied().cloned()).collect();
    (kept, rated.into_iter().map(|(_, in_words, _)| in_words).collect())
}

fn score(parent_chunks: f32, near: Nearness) -> f32 {
    PARENT_CHUNKS * parent_chunks
        + TITLES * near.titles
        + WORDS * near.words
        + SUMMARY * near.summary
        + KIND * near.kind
}

#[cfg(test)]
mod tests {
    use super::super::section_index::tests::index;
    use super::*;
    use crate::knowledge::profile::{ParentChunkText, TitleText, profile};
    use crate::search::hit::sample::candidate;

    fn document(doc_id: &str, topic: &str) -> DocumentRow {
        let titles = [TitleText { title: topic, level: 1, bytes: 4 }];
        let profile = profile("", "en", &titles, &[ParentChunkText { title: topic, text: "text" }]);
        let vector = match doc_id {
            "e" => vec![0.6, 0.8],
            "f" => vec![0.8, 0.6],
            _ => Vec::new(),
        };
        DocumentRow { profile, vector, ..DocumentRow::sample(doc_id) }
    }

    /// Some documents, and the one section of document d, with all words of equal weight.
    fn indexes(rows: &[DocumentRow], query: &str) -> Indexes {
        (index(&[("1", "Priming")], query), DocumentIndex::new(rows.to_vec(), query, |_| Ok(1.0)).unwrap())
    }

    #[test]
    fn documents_are_near_by_titles_topics_and_vectors() {
        let rows = [document("d", "valves"), document("e", "pumps")];
        let near = |id: &'static str, query: &str| {
            let (sections, documents) = indexes(&rows, query);
            documents.nearness(id, &sections, DocumentQuery { kind: None, vector: Some(&[0.0, 1.0]) })
        };
        assert_eq!(near("d", "priming"), Nearness { titles: 1.0, ..Nearness::default() });
        assert_eq!(near("d", "the valve"), Nearness { words: 1.0, ..Nearness::default() });
        assert_eq!(near("e", "nothing"), Nearness { summary: 0.8, ..Nearness::default() });
        assert_eq!(near("f", "valve"), Nearness::default(), "an unknown document is not near");
    }

    #[test]
    fn the_nearest_documents_of_a_scope_come_first() {
        let rows = [document("d", "valves"), document("e", "pumps"), document("f", "seals")];
        let indexes = [indexes(&rows, "valve")];
        let nearest = |vector: Option<&[f32]>, scope: &Scope, most| {
            let query = DocumentQuery { kind: None, vector };
            let near = super::nearest(&indexes, query, std::slice::from_ref(scope), most);
            near.into_iter().map(|(_, doc_id, _)| doc_id).collect::<Vec<_>>()
        };
        let asked: Option<&[f32]> = Some(&[0.0, 1.0]);
        assert_eq!(nearest(asked, &Scope::Everything, 9), ["d", "e", "f"]);
        assert_eq!(nearest(asked, &Scope::Everything, 2), ["d", "e"]);
        assert_eq!(nearest(None, &Scope::Everything, 9), ["d"], "the others are not near at all");
        assert_eq!(nearest(asked, &Scope::Documents(["e".into(), "f".into()].into()), 1), ["e"]);
        assert_eq!(nearest(asked, &Scope::ParentChunks(["f:3".into()].into()), 9), ["f"]);
    }

    fn followed(beam: &str) -> Vec<String> {
        let candidates = [("a:0", 0.8), ("b:0", 0.78), ("b:1", 0.7), ("b:2", 0.6), ("c:0", 0.5), ("a:1", 0.1)];
        let candidates = candidates.map(|(id, score)| candidate(id, score));
        let (kept, _) = drill(&candidates, |_| Nearness::default(), beam.parse().unwrap());
        kept.into_iter().map(|candidate| candidate.chunk_id.into()).collect()
    }

    #[test]
    fn the_best_documents_have_the_best_joint_scores() {
        assert_eq!(followed("1,1,3"), ["b:0"], "one document, the one with the better joint score");
        assert_eq!(followed("1,2,3"), ["b:0", "b:1"]);
        assert_eq!(followed("2,2,3"), ["b:0", "b:1", "a:0", "a:1"], "the best document first");
        assert_eq!(followed("3,1,3"), ["b:0", "a:0", "c:0"]);
        assert_eq!(drill(&[], |_| Nearness::default(), Beam::default()), (vec![], vec![]));
    }

    #[test]
    fn a_document_is_nearer_with_more_text_of_the_kind_that_is_asked_for() {
        let (sections, documents) = indexes(&[document("d", "valves")], "seal");
        let share = |kind| documents.nearness("d", &sections, DocumentQuery { kind: Some(kind), vector: None }).kind;
        assert_eq!((share(Kind::Theory), share(Kind::Procedure)), (1.0, 0.0));
        assert!(score(0.5, Nearness { kind: 1.0, ..Nearness::default() }) > score(0.6, Nearness::default()));
    }
}
