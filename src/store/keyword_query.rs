//! Phrases, and the statistics that BM25 weighs words by.
//!
//! A phrase is words in adjacent places, in the text of a parent chunk or in its titles. Tokens carry positions: a word has
//! one, an identifier one for each of its parts, a character of a script without spaces one, with the pair that it begins.
//!
//! Searching several namespaces needs joint statistics: BM25 weighs a word by its rarity and compares the length of a parent
//! chunk with the average, so scores of two indexes are comparable only where both count over all parent chunks.

use std::collections::{HashMap, HashSet};

use tantivy::Term;
use tantivy::query::{Bm25StatisticsProvider, BooleanQuery, ConstScoreQuery, Occur, PhraseQuery, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption};

use super::keyword::{KeywordField, KeywordReader, content_term};
use super::scope::Scope;
use crate::error::Result;
use crate::ids::ChunkId;
use crate::text::tokens::{TokenKind, tokenize};

/// Of more parent chunks than this that have a phrase, the best by their words are taken: it tells too little to be worth
/// reading them all.
pub const MOST_WITH_PHRASE: usize = 5_000;

/// Words with their places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase {
    words: Vec<(usize, String)>,
}

impl Phrase {
    /// The phrase that a text is; `None` where it has no word.
    pub fn of(text: &str) -> Option<Self> {
        let tokens = tokenize(text);
        // A character has its say only where it is in no pair.
        let pairs = tokens.iter().filter(|token| token.kind == TokenKind::Bigram);
        let paired: HashSet<usize> = pairs.flat_map(|token| [token.position, token.position + 1]).collect();
        let first = tokens.first()?.position;
        let words = tokens
            .iter()
            .filter(|token| token.kind != TokenKind::Single || !paired.contains(&token.position))
            .map(|token| (token.position - first, token.text.clone()))
            .collect();
        Some(Phrase { words })
    }

    fn query(&self, field: Field) -> Box<dyn Query> {
        let mut terms: Vec<(usize, Term)> =
            self.words.iter().map(|(place, text)| (*place, Term::from_field_text(field, text))).collect();
        if terms.len() == 1 {
            return Box::new(TermQuery::new(terms.remove(0).1, IndexRecordOption::Basic));
        }
        Box::new(PhraseQuery::new_with_offset(terms))
    }
}

impl KeywordReader {
    /// The parent chunks that have all the phrases, each in their text or in their titles, of those in a scope. The
    /// best by `terms` come first.
    pub(super) fn with_phrases(
        &self,
        phrases: &[Phrase],
        terms: &[(KeywordField, String, f32)],
        scope: &Scope,
    ) -> Result<Vec<ChunkId>> {
        let fields = [KeywordField::Content, KeywordField::Titles].map(|field| self.field(field));
        let has = |phrase: &Phrase| -> Box<dyn Query> {
            let somewhere = fields.iter().map(|field| (Occur::Should, phrase.query(*field))).collect();
            // It only says which parent chunks: their scores are those of the words.
            Box::new(ConstScoreQuery::new(Box::new(BooleanQuery::new(somewhere)), 0.0))
        };
        let mut clauses: Vec<(Occur, Box<dyn Query>)> =
            phrases.iter().map(|phrase| (Occur::Must, has(phrase))).collect();
        clauses.push((Occur::Should, Box::new(self.query(terms, &Scope::Everything))));
        clauses.extend(self.among(scope).map(|among| (Occur::Must, among)));
        let hits = self.top(&BooleanQuery::new(clauses), None, MOST_WITH_PHRASE)?;
        Ok(hits.into_iter().map(|hit| hit.chunk_id).collect())
    }
}

/// The counts that BM25 needs for the words of one question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeywordStatistics {
    /// How many parent chunks there are.
    pub(super) parent_chunks: u64,
    /// How many words each field has in all of them.
    pub(super) words: HashMap<Field, u64>,
    /// How many parent chunks have each word of the question.
    pub(super) parent_chunks_with: HashMap<Term, u64>,
}

impl KeywordStatistics {
    /// The counts of all together.
    pub fn joint(several: impl IntoIterator<Item = KeywordStatistics>) -> Self {
        let mut joint = KeywordStatistics::default();
        for one in several {
            joint.parent_chunks += one.parent_chunks;
            one.words.into_iter().for_each(|(field, count)| *joint.words.entry(field).or_default() += count);
            for (term, count) in one.parent_chunks_with {
                *joint.parent_chunks_with.entry(term).or_default() += count;
            }
        }
        joint
    }

    /// How rare a word is in the text of parent chunks: the inverse document frequency of BM25, at least 0.
    pub fn rarity(&self, word: &str) -> f32 {
        let with = self.parent_chunks_with.get(&content_term(word)).copied().unwrap_or_default() as f32;
        let all = self.parent_chunks as f32;
        ((all - with + 0.5) / (with + 0.5)).ln_1p().max(0.0)
    }
}

/// What was not counted is not in the question, and tantivy does not ask for it.
impl Bm25StatisticsProvider for KeywordStatistics {
    fn total_num_tokens(&self, field: Field) -> tantivy::Result<u64> {
        Ok(self.words.get(&field).copied().unwrap_or_default())
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        Ok(self.parent_chunks)
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        Ok(self.parent_chunks_with.get(term).copied().unwrap_or_default())
    }
}

#[cfg(test)]
mod phrase_tests {
    use super::*;

    fn words(text: &str) -> Vec<(usize, String)> {
        Phrase::of(text).map_or_else(Vec::new, |phrase| phrase.words)
    }

    #[test]
    fn a_phrase_is_words_with_their_places() {
        let expected =
            |list: &[(usize, &str)]| list.iter().map(|(at, text)| (*at, (*text).to_owned())).collect::<Vec<_>>();
        assert_eq!(words("prime the Pump"), expected(&[(0, "prime"), (1, "the"), (2, "pump")]));
        assert_eq!(words("启动水泵"), expected(&[(0, "启动"), (1, "动水"), (2, "水泵")]));
        assert_eq!(words("泵"), expected(&[(0, "泵")]));
        assert_eq!(words("用LaTeX排版"), expected(&[(0, "用"), (1, "latex"), (2, "排版")]));
        assert_eq!(words("error E-417"), expected(&[(0, "error"), (1, "e-417"), (1, "e"), (2, "417")]));
        assert_eq!(Phrase::of("…"), None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::keyword::{KeywordField, KeywordHit, KeywordReader, KeywordWriter};
    use crate::store::{ParentChunk, Scope, Store};
    use crate::text::tokens::tokenize;

    const QUESTION: [(KeywordField, &str, f32); 4] = [
        (KeywordField::Content, "pump", 1.0),
        (KeywordField::Content, "valve", 1.0),
        (KeywordField::Titles, "pump", 0.3),
        (KeywordField::Content, "nowhere", 1.0),
    ];

    fn terms() -> Vec<(KeywordField, String, f32)> {
        QUESTION.iter().map(|(field, text, weight)| (*field, tokenize(text)[0].text.clone(), *weight)).collect()
    }

    fn parent_chunk(chunk_id: &str, content: &str, context: &str) -> ParentChunk {
        ParentChunk { titles: context.into(), ..ParentChunk::sample(chunk_id, content) }
    }

    /// An index of these parent chunks alone, in a namespace of its own.
    fn index(store: &Store, name: &str, parent_chunks: &[ParentChunk]) -> KeywordReader {
        let namespace = store.namespace(name).unwrap();
        let (mut writer, _) = KeywordWriter::open(&namespace).unwrap();
        writer.add(parent_chunks).unwrap();
        writer.commit(1).unwrap();
        drop(writer);
        KeywordReader::open(&namespace).unwrap().0
    }

    fn sorted(mut hits: Vec<KeywordHit>) -> Vec<(String, f32)> {
        hits.sort_by(|a, b| a.chunk_id.cmp(&b.chunk_id));
        hits.into_iter().map(|hit| (hit.chunk_id.into(), hit.score)).collect()
    }

    #[test]
    fn two_indexes_with_joint_statistics_score_as_one_that_holds_both() {
        let folder = tempfile::tempdir().unwrap();
        let (store, _) = Store::open_or_create(None, folder.path()).unwrap();
        // In the first every parent chunk is about pumps, in the second hardly any: alone, the word weighs little or much.
        let left = [
            parent_chunk("a:0", "Prime the pump before the pump is started.", "Pumps"),
            parent_chunk("a:1", "The pump has a valve.", "Pumps"),
            parent_chunk("a:2", "A pump that runs dry is a broken pump.", "Pumps"),
        ];
        let right = [
            parent_chunk("b:0", "Close the valve slowly, and look at the gauge while you do.", "Valves"),
            parent_chunk("b:1", "One pump.", "Spare parts"),
            parent_chunk("b:2", "The gauge shows the pressure in bar.", "Gauges"),
            parent_chunk("b:3", "Grease the bearing every month.", "Bearings"),
        ];
        let both = index(&store, "both", &[&left[..], &right].concat());
        let apart = [index(&store, "left", &left), index(&store, "right", &right)];
        let terms = terms();
        let joint = KeywordStatistics::joint(apart.iter().map(|reader| reader.statistics(&terms).unwrap()));
        assert_eq!(joint, both.statistics(&terms).unwrap());

        let expected = sorted(both.search(&terms, None, &Scope::Everything, 10).unwrap());
        assert_eq!(expected.len(), 5);
        let search = |statistics| {
            sorted(
                apart
                    .iter()
                    .flat_map(|reader| reader.search(&terms, statistics, &Scope::Everything, 10).unwrap())
                    .collect(),
            )
        };
        assert_eq!(search(Some(&joint)), expected);
        assert_ne!(search(None), expected, "without them the scores are those of each index alone");

        let ids = ["a:1", "b:0", "b:2"].map(ChunkId::from);
        let scores = apart.iter().flat_map(|reader| reader.scores(&terms, Some(&joint), &ids).unwrap()).collect();
        assert_eq!(sorted(scores), sorted(both.scores(&terms, None, &ids).unwrap()));
    }

    #[test]
    fn the_statistics_of_one_index_change_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (store, _) = Store::open_or_create(None, folder.path()).unwrap();
        let rows =
            [parent_chunk("a:0", "Prime the pump.", "Pumps"), parent_chunk("a:1", "The pump has a valve.", "Valves")];
        let reader = index(&store, "one", &rows);
        let (terms, own) = (terms(), reader.statistics(&terms()).unwrap());
        assert_eq!(
            reader.search(&terms, Some(&own), &Scope::Everything, 10).unwrap(),
            reader.search(&terms, None, &Scope::Everything, 10).unwrap()
        );
    }
}
