//! The counts that weigh the words of a question, in one keyword index or in several.
//!
//! Searching several namespaces needs joint statistics: BM25 weighs a word by its rarity and compares the length of a
//! parent chunk with the average, so scores of two indexes are comparable only if both use counts over all parent
//! chunks.

use std::collections::{HashMap, HashSet};

use tantivy::Term;
use tantivy::query::Bm25StatisticsProvider;
use tantivy::schema::Field;

use super::index::{KeywordField, KeywordReader, WeightedTerm, schema};
use crate::error::Result;
use crate::ids::DocId;
use crate::store::scope::Scope;

/// Words are counted in a scope of at most this many documents. A larger part of a store has about the counts of the
/// whole, and counting in it would take longer than the search.
const MOST_COUNTED_DOCUMENTS: usize = 1_000;

/// The counts that BM25 needs for the words of one question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeywordStatistics {
    parent_chunks: u64,
    /// The total number of words in each field.
    words: HashMap<Field, u64>,
    /// The number of parent chunks with each word of the question.
    parent_chunks_with: HashMap<Term, u64>,
}

impl KeywordStatistics {
    /// The sums of several statistics.
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

    /// Whether no parent chunk was counted.
    pub fn is_empty(&self) -> bool {
        self.parent_chunks == 0
    }

    /// The rarity of a word in the text of parent chunks, or in their titles if no text has it: the inverse document
    /// frequency of BM25, at least 0.
    pub fn rarity(&self, word: &str) -> f32 {
        let (_, fields) = schema();
        let count =
            |field| self.parent_chunks_with.get(&Term::from_field_text(field, word)).filter(|count| **count > 0);
        let with = count(fields.content).or_else(|| count(fields.titles_in_front)).map_or(0.0, |count| *count as f32);
        let all = self.parent_chunks as f32;
        ((all - with + 0.5) / (with + 0.5)).ln_1p().max(0.0)
    }
}

/// tantivy asks only for words of the question, which are all counted.
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

impl KeywordReader {
    /// The share of this index in the joint statistics of several. Words are counted in the documents of the scope if
    /// these are few: a search in one report must not weigh its words by other reports.
    pub fn statistics(&self, terms: &[WeightedTerm], scope: &Scope) -> Result<KeywordStatistics> {
        match scope {
            Scope::Documents(ids) if ids.len() <= MOST_COUNTED_DOCUMENTS => self.statistics_of(terms, ids),
            _ => self.statistics_of_all(terms),
        }
    }

    fn statistics_of(&self, terms: &[WeightedTerm], doc_ids: &HashSet<DocId>) -> Result<KeywordStatistics> {
        let terms: HashSet<(KeywordField, &str)> =
            terms.iter().map(|(field, text, _)| (*field, text.as_str())).collect();
        let mut statistics = KeywordStatistics::default();
        for segment in self.reader.searcher().segment_readers() {
            let mut entries: Vec<u32> = Vec::new();
            for doc_id in doc_ids {
                entries.extend(self.entries_with(segment, self.fields.doc_id, doc_id)?);
            }
            if entries.is_empty() {
                continue;
            }
            entries.sort_unstable();
            statistics.parent_chunks += entries.len() as u64;
            for field in [self.fields.content, self.fields.titles_in_front, self.fields.situating] {
                let lengths = segment.get_fieldnorms_reader(field).map_err(|error| self.failed(error))?;
                let words: u64 = entries.iter().map(|entry| u64::from(lengths.fieldnorm(*entry))).sum();
                *statistics.words.entry(field).or_default() += words;
            }
            for (field, text) in &terms {
                let field = self.field(*field);
                let mut with = 0;
                self.each_with(segment, field, text, entries.iter().copied(), |_| with += 1)?;
                *statistics.parent_chunks_with.entry(Term::from_field_text(field, text)).or_default() += with;
            }
        }
        Ok(statistics)
    }

    fn statistics_of_all(&self, terms: &[WeightedTerm]) -> Result<KeywordStatistics> {
        let searcher = self.reader.searcher();
        let parent_chunks = searcher.total_num_docs().map_err(|error| self.failed(error))?;
        let mut statistics = KeywordStatistics { parent_chunks, ..Default::default() };
        for field in [self.fields.content, self.fields.titles_in_front, self.fields.situating] {
            let words = searcher.total_num_tokens(field).map_err(|error| self.failed(error))?;
            statistics.words.insert(field, words);
        }
        for (field, text, _) in terms {
            let term = Term::from_field_text(self.field(*field), text);
            let count = searcher.doc_freq(&term).map_err(|error| self.failed(error))?;
            statistics.parent_chunks_with.insert(term, count);
        }
        Ok(statistics)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::ParentChunk;
    use crate::store::keyword::writer::KeywordWriter;
    use crate::store::samples::namespace;

    #[test]
    fn a_word_that_only_titles_have_is_as_rare_as_there() {
        let (_folder, namespace) = namespace();
        let texts = [("a:0", "late", "Work"), ("a:1", "disk", "Repair"), ("a:2", "cable", "Repair")];
        let chunks = texts.map(|(chunk_id, content, titles)| ParentChunk::titled(chunk_id, content, titles));
        let reader = KeywordWriter::index_of(&namespace, &chunks);
        let terms = ["late", "repair", "nowhere"]
            .map(|word| [KeywordField::Content, KeywordField::Titles].map(|field| (field, word.to_owned(), 1.0)));
        let statistics = reader.statistics(terms.as_flattened(), &Scope::Everything).unwrap();
        let [late, repair, nowhere] = ["late", "repair", "nowhere"].map(|word| statistics.rarity(word));
        assert!(repair < late && late < nowhere, "{repair} {late} {nowhere}");
    }

    #[test]
    fn a_search_in_some_documents_scores_as_if_there_were_no_others() {
        let (_other_folder, other) = namespace();
        let (_folder, namespace) = namespace();
        // `a` is about Walmart, so the name is common in the store and rare in `b`. `c` was deleted.
        let texts = ["walmart sells pumps", "walmart buys pumps", "walmart", "pumps for walmart"];
        let own = ["net profit", "net profit of walmart", "profit by country", "pumps"];
        let chunk = |doc_id: &'static str| {
            move |(at, text): (usize, &&str)| ParentChunk::titled(&format!("{doc_id}:{at}"), text, "Report")
        };
        let own: Vec<ParentChunk> = own.iter().enumerate().map(chunk("b")).collect();
        let others = texts.iter().enumerate().map(chunk("a")).chain(texts.iter().enumerate().map(chunk("c")));
        let all: Vec<ParentChunk> = others.chain(own.clone()).collect();
        let terms = ["profit", "walmart"].map(|word| (KeywordField::Content, word.to_owned(), 1.0));
        let scope = Scope::of_documents(Some(&["b".into()]));
        let together = KeywordWriter::index_without(&namespace, &all, &["c".into()]);
        let statistics = together.statistics(&terms, &scope).unwrap();
        let found = together.search(&terms, Some(&statistics), &scope, 9).unwrap();
        assert!(statistics.rarity("walmart") > statistics.rarity("profit"));
        let in_all = together.statistics(&terms, &Scope::Everything).unwrap();
        assert!(in_all.rarity("walmart") < in_all.rarity("profit"));
        let nowhere = together.statistics(&terms, &Scope::of_documents(Some(&["d".into()]))).unwrap();
        assert!(nowhere.is_empty() && !statistics.is_empty());
        let alone = KeywordWriter::index_of(&other, &own);
        assert_eq!(found, alone.search(&terms, None, &Scope::Everything, 9).unwrap());
        assert_eq!(found.len(), 3);
    }
}
