//! What the documents of a namespace are about: their titles, topics and summaries, and the vectors of those.

use std::collections::{HashMap, HashSet};

use super::titles::{AskedTitle, Exactness, SectionIndex};
use crate::error::Result;
use crate::store::{DocumentRow, Scope, Snapshot};
use crate::text::stopwords::is_stopword;
use crate::text::tokens::tokenize;

/// The documents of a namespace.
pub(in crate::retrieve) struct DocumentIndex {
    /// The words of title, topics and summary, by id.
    words: HashMap<String, HashSet<String>>,
    /// In how many documents a word is.
    frequencies: HashMap<String, usize>,
    vectors: HashMap<String, Vec<f32>>,
}

/// What a question asks of documents.
pub(super) struct AskedDocument<'a> {
    title: AskedTitle,
    words: Vec<String>,
    vector: Option<&'a [f32]>,
}

impl<'a> AskedDocument<'a> {
    pub(super) fn of(query: &str, vector: Option<&'a [f32]>) -> Self {
        AskedDocument { title: AskedTitle::of(query), words: telling(query).into_iter().collect(), vector }
    }
}

/// How near a document is to a question, by all but its passages; each from 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(in crate::retrieve) struct Nearness {
    /// How far the question is a title of its sections.
    pub titles: f32,
    /// How much of the question is in its title, topics and summary.
    pub words: f32,
    /// The cosine of the question and its summary.
    pub summary: f32,
}

impl DocumentIndex {
    /// Reads the documents of a snapshot.
    ///
    /// # Errors
    /// Where they cannot be read.
    pub(in crate::retrieve) async fn read(snapshot: &Snapshot) -> Result<Self> {
        Ok(DocumentIndex::new(&snapshot.documents_kept().await?, snapshot.document_vectors().await?))
    }

    fn new(rows: &[DocumentRow], vectors: HashMap<String, Vec<f32>>) -> Self {
        let mut words: HashMap<String, HashSet<String>> = HashMap::new();
        let mut frequencies: HashMap<String, usize> = HashMap::new();
        for row in rows {
            let topics = row.profile.iter().flat_map(|profile| &profile.topics);
            let own: HashSet<String> =
                std::iter::once(&row.title).chain(topics).flat_map(|text| telling(text)).collect();
            own.iter().for_each(|word| *frequencies.entry(word.clone()).or_default() += 1);
            words.insert(row.doc_id.clone(), own);
        }
        DocumentIndex { words, frequencies, vectors }
    }

    /// The documents of a scope that are nearest to a question, nearest first, with how near `by` says they are; at most
    /// `most`, and none that is not near at all.
    pub(super) fn nearest(
        &self,
        sections: &SectionIndex,
        asked: &AskedDocument,
        scope: &Scope,
        most: usize,
        by: impl Fn(Nearness) -> f32,
    ) -> Vec<(String, f32)> {
        let admitted = scope.documents();
        let is_admitted = |doc_id: &str| admitted.as_ref().is_none_or(|admitted| admitted.contains(doc_id));
        let within = self.words.keys().filter(|doc_id| is_admitted(doc_id));
        let mut near: Vec<(String, f32)> =
            within.map(|doc_id| (doc_id.clone(), by(self.nearness(doc_id, sections, asked)))).collect();
        near.retain(|(_, score)| *score > 0.0);
        near.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        near.truncate(most);
        near
    }

    /// How near a document is to a question.
    pub(super) fn nearness(&self, doc_id: &str, sections: &SectionIndex, asked: &AskedDocument) -> Nearness {
        let titles = sections.of_document(doc_id).map(|at| match sections.exactness(at, &asked.title) {
            Exactness::No => sections.likeness(at, &asked.title),
            _ => 1.0,
        });
        let cosine = |vector: &[f32]| {
            let own = self.vectors.get(doc_id)?;
            Some(own.iter().zip(vector).map(|(a, b)| a * b).sum::<f32>().clamp(0.0, 1.0))
        };
        Nearness {
            titles: titles.fold(0.0, f32::max),
            words: self.share_of(&asked.words, self.words.get(doc_id)),
            summary: asked.vector.and_then(cosine).unwrap_or(0.0),
        }
    }

    /// The share of a question's words that a document has, rare ones counting more.
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

fn telling(text: &str) -> HashSet<String> {
    tokenize(text).into_iter().map(|token| token.text).filter(|word| !is_stopword(word)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::titles::tests::index;
    use super::*;
    use crate::profile::{PassageText, TitleText, profile};

    fn document(doc_id: &str, topic: &str) -> DocumentRow {
        let titles = [TitleText { title: topic, level: 1, bytes: 4 }];
        let profile = profile("", "en", &titles, &[PassageText { title: topic, text: "text" }]);
        DocumentRow { profile, ..DocumentRow::sample(doc_id) }
    }

    #[test]
    fn documents_are_near_by_titles_topics_and_vectors() {
        let rows = [document("d", "valves"), document("e", "pumps")];
        let vectors = HashMap::from([("e".to_owned(), vec![0.6, 0.8])]);
        let documents = DocumentIndex::new(&rows, vectors);
        let sections = index(&[("1", "Priming")]);
        let near = |id: &'static str, query: &str| {
            let asked = AskedDocument::of(query, Some(&[0.0, 1.0]));
            documents.nearness(id, &sections, &asked)
        };
        assert_eq!(near("d", "priming"), Nearness { titles: 1.0, words: 0.0, summary: 0.0 });
        assert_eq!(near("d", "the valve"), Nearness { titles: 0.0, words: 1.0, summary: 0.0 });
        assert_eq!(near("e", "nothing"), Nearness { titles: 0.0, words: 0.0, summary: 0.8 });
        assert_eq!(near("f", "valve"), Nearness::default(), "what is not there is near to nothing");
    }

    #[test]
    fn the_nearest_documents_of_a_scope_come_first() {
        let rows = [document("d", "valves"), document("e", "pumps"), document("f", "seals")];
        let vectors = HashMap::from([("e".to_owned(), vec![0.6, 0.8]), ("f".to_owned(), vec![0.8, 0.6])]);
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
        let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
        assert_eq!(nearest(asked, &Scope::Documents(ids(&["e", "f"])), 1), ["e"]);
        assert_eq!(nearest(asked, &Scope::Passages(ids(&["f:3"])), 9), ["f"]);
    }
}
