//! What BM25 weighs words by, counted over several keyword indexes as if they were one.
//!
//! A word's weight is its rarity, and a passage's length is compared with the average. Counted index by index, the
//! same passage would score differently beside rarer words, and scores of two indexes could not be compared.

use std::collections::HashMap;

use tantivy::Term;
use tantivy::query::Bm25StatisticsProvider;
use tantivy::schema::Field;

use super::keyword::content_term;

/// The counts that BM25 needs for the words of one question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeywordStatistics {
    /// How many passages there are.
    pub(super) passages: u64,
    /// How many words each field has in all of them.
    pub(super) words: HashMap<Field, u64>,
    /// How many passages have each word of the question.
    pub(super) passages_with: HashMap<Term, u64>,
}

impl KeywordStatistics {
    /// The counts of all together.
    pub fn joint(several: impl IntoIterator<Item = KeywordStatistics>) -> Self {
        let mut joint = KeywordStatistics::default();
        for one in several {
            joint.passages += one.passages;
            one.words.into_iter().for_each(|(field, count)| *joint.words.entry(field).or_default() += count);
            for (term, count) in one.passages_with {
                *joint.passages_with.entry(term).or_default() += count;
            }
        }
        joint
    }

    /// How rare a word is in the text of passages: the inverse document frequency of BM25, at least 0.
    pub fn rarity(&self, word: &str) -> f32 {
        let with = self.passages_with.get(&content_term(word)).copied().unwrap_or_default() as f32;
        let all = self.passages as f32;
        ((all - with + 0.5) / (with + 0.5)).ln_1p().max(0.0)
    }
}

/// What was not counted is not in the question, and tantivy does not ask for it.
impl Bm25StatisticsProvider for KeywordStatistics {
    fn total_num_tokens(&self, field: Field) -> tantivy::Result<u64> {
        Ok(self.words.get(&field).copied().unwrap_or_default())
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        Ok(self.passages)
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        Ok(self.passages_with.get(term).copied().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::keyword::{KeywordField, KeywordHit, KeywordReader, KeywordWriter};
    use crate::store::{ChunkRow, Scope, Store};
    use crate::text::tokens::tokenize;

    const QUESTION: [(KeywordField, &str, f32); 4] = [
        (KeywordField::Content, "pump", 1.0),
        (KeywordField::Content, "valve", 1.0),
        (KeywordField::Context, "pump", 0.3),
        (KeywordField::Content, "nowhere", 1.0),
    ];

    fn terms() -> Vec<(KeywordField, String, f32)> {
        QUESTION.iter().map(|(field, text, weight)| (*field, tokenize(text)[0].text.clone(), *weight)).collect()
    }

    fn passage(chunk_id: &str, content: &str, context: &str) -> ChunkRow {
        ChunkRow { context: context.into(), ..ChunkRow::sample(chunk_id, content) }
    }

    /// An index of these passages alone, in a namespace of its own.
    fn index(store: &Store, name: &str, passages: &[ChunkRow]) -> KeywordReader {
        let namespace = store.namespace(name).unwrap();
        let (mut writer, _) = KeywordWriter::open(&namespace).unwrap();
        writer.add(passages).unwrap();
        writer.commit(1).unwrap();
        drop(writer);
        KeywordReader::open(&namespace).unwrap().0
    }

    fn sorted(mut hits: Vec<KeywordHit>) -> Vec<(String, f32)> {
        hits.sort_by(|a, b| a.chunk_id.cmp(&b.chunk_id));
        hits.into_iter().map(|hit| (hit.chunk_id, hit.score)).collect()
    }

    #[test]
    fn two_indexes_with_joint_statistics_score_as_one_that_holds_both() {
        let folder = tempfile::tempdir().unwrap();
        let (store, _) = Store::open_or_create(None, folder.path()).unwrap();
        // In the first every passage is about pumps, in the second hardly any: alone, the word weighs little or much.
        let left = [
            passage("a:0", "Prime the pump before the pump is started.", "Pumps"),
            passage("a:1", "The pump has a valve.", "Pumps"),
            passage("a:2", "A pump that runs dry is a broken pump.", "Pumps"),
        ];
        let right = [
            passage("b:0", "Close the valve slowly, and look at the gauge while you do.", "Valves"),
            passage("b:1", "One pump.", "Spare parts"),
            passage("b:2", "The gauge shows the pressure in bar.", "Gauges"),
            passage("b:3", "Grease the bearing every month.", "Bearings"),
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

        let ids: Vec<String> = ["a:1", "b:0", "b:2"].map(str::to_owned).to_vec();
        let scores = apart.iter().flat_map(|reader| reader.scores(&terms, Some(&joint), &ids).unwrap()).collect();
        assert_eq!(sorted(scores), sorted(both.scores(&terms, None, &ids).unwrap()));
    }

    #[test]
    fn the_statistics_of_one_index_change_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (store, _) = Store::open_or_create(None, folder.path()).unwrap();
        let rows = [passage("a:0", "Prime the pump.", "Pumps"), passage("a:1", "The pump has a valve.", "Valves")];
        let reader = index(&store, "one", &rows);
        let (terms, own) = (terms(), reader.statistics(&terms()).unwrap());
        assert_eq!(
            reader.search(&terms, Some(&own), &Scope::Everything, 10).unwrap(),
            reader.search(&terms, None, &Scope::Everything, 10).unwrap()
        );
    }
}
