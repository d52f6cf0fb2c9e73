//! What BM25 weighs words by, counted over several keyword indexes as if they were one.
//!
//! A word's weight is its rarity, and a passage's length is compared with the average. Counted index by index, the
//! same passage would score differently beside rarer words, and scores of two indexes could not be compared.

use std::collections::HashMap;

use tantivy::Term;
use tantivy::query::Bm25StatisticsProvider;
use tantivy::schema::Field;

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
