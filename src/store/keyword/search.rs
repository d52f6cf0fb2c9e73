//! BM25 over parent chunks: search by weighted words and by phrases.
//!
//! A phrase is a sequence of words in the text of a parent chunk or in its titles. Tokens carry positions: a word has
//! one, an identifier one for each of its parts, a character of a script without spaces one, shared with the pair that
//! it begins.

use std::collections::HashSet;

use rayon::prelude::*;
use tantivy::collector::{Collector, TopDocs};
use tantivy::query::{
    Bm25StatisticsProvider, BooleanQuery, BoostQuery, ConstScoreQuery, EnableScoring, Occur, PhraseQuery, Query,
    TermQuery, TermSetQuery, Weight,
};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocAddress, Searcher, SegmentReader, Term};

use super::index::{KeywordField, KeywordReader, WeightedTerm};
use super::statistics::KeywordStatistics;
use crate::error::Result;
use crate::ids::{ChunkId, DocId};
use crate::store::scope::Scope;
use crate::text::stopwords::informative;
use crate::text::tokens::{TokenKind, tokenize};

/// If more parent chunks than this have a phrase, only the best by their words are taken, because such a common phrase
/// tells little.
const MOST_WITH_PHRASE: usize = 5_000;

/// The score of a title that contains the whole question: larger than any sum of BM25.
const WHOLE_TITLE: f32 = 1000.0;
/// The number of parent chunks read for each wanted document: a section has several, with the same titles.
const CHUNKS_PER_DOCUMENT: usize = 20;
/// One document with thousands of sections can fill a round, so the next round excludes the documents found.
const ROUNDS: usize = 4;

#[derive(Debug, Clone, PartialEq)]
pub struct ScoredChunk {
    /// Found by words, a parent chunk; found by its vector, a parent or a child.
    pub chunk_id: ChunkId,
    /// BM25, comparable only within one search, and between indexes only with joint statistics; or the cosine.
    pub score: f32,
}

impl KeywordReader {
    /// The best `limit` parent chunks of a scope by BM25 for weighted terms. For a search over several indexes,
    /// `statistics` must be their joint ones.
    pub fn search(
        &self,
        terms: &[WeightedTerm],
        statistics: Option<&KeywordStatistics>,
        scope: &Scope,
        limit: usize,
    ) -> Result<Vec<ScoredChunk>> {
        if terms.is_empty() || limit == 0 || scope.is_empty() {
            return Ok(Vec::new());
        }
        let mut clauses = vec![(Occur::Must, self.query(terms))];
        clauses.extend(self.scope_query(scope));
        self.top(clauses, statistics, limit)
    }

    /// The BM25 scores of the given parent chunks, with statistics as for [`search`](Self::search). Parent chunks
    /// without any of the terms are left out.
    pub fn scores(
        &self,
        terms: &[WeightedTerm],
        statistics: Option<&KeywordStatistics>,
        chunk_ids: &[ChunkId],
    ) -> Result<Vec<ScoredChunk>> {
        let (searcher, addresses) = (self.reader.searcher(), self.addresses(chunk_ids)?);
        let score = || -> tantivy::Result<Vec<ScoredChunk>> {
            let scoring = scoring(statistics, &searcher);
            let weights = terms.iter().map(|term| self.term_query(term).weight(scoring));
            let weights: Vec<Box<dyn Weight>> = weights.collect::<tantivy::Result<_>>()?;
            let of_segment = |(segment, wanted): (&SegmentReader, Vec<(ChunkId, DocAddress)>)| {
                let mut scores: Vec<Option<f32>> = vec![None; wanted.len()];
                for weight in &weights {
                    let mut postings = weight.scorer(segment, 1.0)?;
                    for (score, (_, DocAddress { doc_id: entry, .. })) in scores.iter_mut().zip(&wanted) {
                        if postings.doc() < *entry {
                            postings.seek(*entry);
                        }
                        if postings.doc() == *entry {
                            *score.get_or_insert(0.0) += postings.score();
                        }
                    }
                }
                let scored = wanted.into_iter().zip(scores);
                let scored = scored.filter_map(|((chunk_id, _), score)| Some(ScoredChunk { chunk_id, score: score? }));
                Ok(scored.collect::<Vec<ScoredChunk>>())
            };
            let segments = searcher.segment_readers().par_iter().zip(addresses);
            let each = segments.filter(|(_, wanted)| !wanted.is_empty()).map(of_segment);
            Ok(each.collect::<tantivy::Result<Vec<_>>>()?.concat())
        };
        score().map_err(|error| self.failed(error))
    }

    /// The parent chunks of a scope that have all the phrases, each in the text or in the titles, sorted by `terms`, at
    /// most `MOST_WITH_PHRASE`.
    pub fn with_phrases(&self, phrases: &[Phrase], terms: &[WeightedTerm], scope: &Scope) -> Result<Vec<ChunkId>> {
        let mut clauses: Clauses = phrases.iter().map(|phrase| (Occur::Must, self.phrase_query(phrase))).collect();
        clauses.push((Occur::Should, self.query(terms)));
        clauses.extend(self.scope_query(scope));
        let hits = self.top(clauses, None, MOST_WITH_PHRASE)?;
        Ok(hits.into_iter().map(|hit| hit.chunk_id).collect())
    }

    /// Whether any parent chunk has a phrase, in its text or in the titles in front of it.
    pub fn has_phrase(&self, phrase: &Phrase) -> Result<bool> {
        Ok(!self.top(vec![(Occur::Must, self.phrase_query(phrase))], None, 1)?.is_empty())
    }

    /// Matches a phrase. It selects the parent chunks, words score them.
    fn phrase_query(&self, phrase: &Phrase) -> Box<dyn Query> {
        let fields = [self.fields.content, self.fields.titles_in_front];
        let each = fields.iter().map(|field| (Occur::Should, phrase.query(*field))).collect();
        Box::new(ConstScoreQuery::new(Box::new(BooleanQuery::new(each)), 0.0))
    }

    /// The documents of a scope with words of a question in their titles or in those of their sections, at most `most`:
    /// first those with the whole question as a phrase, then by BM25.
    pub fn documents_by_titles(&self, query: &str, scope: &Scope, most: usize) -> Result<Vec<DocId>> {
        let Some(phrase) = Phrase::of(query).filter(|_| !scope.is_empty()) else { return Ok(Vec::new()) };
        let words = informative(tokenize(query).into_iter().map(|token| token.text).collect());
        let fields = [self.fields.titles_in_front, self.fields.titles_apart];
        let term = |field: Field, word: &str| -> (Occur, Box<dyn Query>) {
            let term = Term::from_field_text(field, word);
            (Occur::Should, Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs)))
        };
        let limit = most * CHUNKS_PER_DOCUMENT;
        let mut documents: Vec<DocId> = Vec::new();
        for _ in 0..ROUNDS {
            let each = words.iter().flat_map(|word| fields.map(|field| term(field, word)));
            let mut clauses: Clauses = vec![(Occur::Must, Box::new(BooleanQuery::new(each.collect())))];
            clauses.extend(fields.map(|field| -> (Occur, Box<dyn Query>) {
                (Occur::Should, Box::new(ConstScoreQuery::new(phrase.query(field), WHOLE_TITLE)))
            }));
            clauses.extend(self.scope_query(scope));
            let known = documents.iter().map(|id| Term::from_field_text(self.fields.doc_id, id));
            clauses.push((Occur::MustNot, Box::new(TermSetQuery::new(known))));
            let hits = self.top(clauses, None, limit)?;
            let is_last = hits.len() < limit;
            let mut known: HashSet<DocId> = documents.iter().cloned().collect();
            let found = hits.iter().map(|hit| DocId::from(hit.chunk_id.doc_id()));
            documents.extend(found.filter(|doc_id| known.insert(doc_id.clone())));
            if is_last || documents.len() >= most {
                break;
            }
        }
        documents.truncate(most);
        Ok(documents)
    }

    /// The weight of a word: the fewer parent chunks have it in a field, the more.
    pub fn rarity(&self, field: KeywordField, word: &str) -> Result<f32> {
        let (searcher, term) = (self.reader.searcher(), Term::from_field_text(self.field(field), word));
        // Both count deleted entries, which stay in a segment until it is merged.
        let with = searcher.doc_freq(&term).map_err(|error| self.failed(error))?;
        let all = searcher.total_num_docs().map_err(|error| self.failed(error))?;
        Ok(((1 + all) as f32 / (1 + with) as f32).ln() + 1.0)
    }

    fn top(&self, clauses: Clauses, statistics: Option<&KeywordStatistics>, limit: usize) -> Result<Vec<ScoredChunk>> {
        let (searcher, query) = (self.reader.searcher(), BooleanQuery::new(clauses));
        let best = TopDocs::with_limit(limit).order_by_score();
        let find = || -> tantivy::Result<Vec<ScoredChunk>> {
            let weight = query.weight(scoring(statistics, &searcher))?;
            let each = searcher.segment_readers().par_iter().enumerate();
            let each = each.map(|(place, segment)| best.collect_segment(&*weight, place as u32, segment));
            let top = best.merge_fruits(each.collect::<tantivy::Result<_>>()?)?;
            // Ids are read from their own column: reading them with the texts would take longer than the search.
            let segments = searcher.segment_readers().iter();
            let ids: Vec<_> =
                segments.map(|segment| segment.fast_fields().str("chunk_id")).collect::<tantivy::Result<_>>()?;
            top.into_iter()
                .map(|(score, place)| {
                    let mut id = String::new();
                    if let Some(column) = &ids[place.segment_ord as usize]
                        && let Some(ordinal) = column.term_ords(place.doc_id).next()
                    {
                        column.ord_to_str(ordinal, &mut id)?;
                    }
                    Ok(ScoredChunk { chunk_id: id.into(), score })
                })
                .collect()
        };
        find().map_err(|error| self.failed(error))
    }

    /// Matches any of the terms.
    fn query(&self, terms: &[WeightedTerm]) -> Box<dyn Query> {
        let each = terms.iter().map(|term| (Occur::Should, self.term_query(term)));
        Box::new(BooleanQuery::new(each.collect()))
    }

    fn term_query(&self, (field, text, weight): &WeightedTerm) -> Box<dyn Query> {
        let term = Term::from_field_text(self.field(*field), text);
        Box::new(BoostQuery::new(Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs)), *weight))
    }

    /// Matches the scope without changing the score; `None` for everything.
    fn scope_query(&self, scope: &Scope) -> Option<(Occur, Box<dyn Query>)> {
        let terms: Vec<Term> = match scope {
            Scope::Everything => return None,
            Scope::Documents(ids) => ids.iter().map(|id| Term::from_field_text(self.fields.doc_id, id)).collect(),
            Scope::ParentChunks(ids) => ids.iter().map(|id| Term::from_field_text(self.fields.chunk_id, id)).collect(),
        };
        Some((Occur::Must, Box::new(BoostQuery::new(Box::new(TermSetQuery::new(terms)), 0.0))))
    }
}

type Clauses = Vec<(Occur, Box<dyn Query>)>;

fn scoring<'s>(statistics: Option<&'s KeywordStatistics>, searcher: &'s Searcher) -> EnableScoring<'s> {
    match statistics {
        Some(statistics) => EnableScoring::enabled_from_statistics_provider(statistics, searcher),
        None => EnableScoring::enabled_from_searcher(searcher),
    }
}

/// Words with their positions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase {
    words: Vec<(usize, String)>,
}

impl Phrase {
    /// `None` if the text has no words.
    pub fn of(text: &str) -> Option<Self> {
        let tokens = tokenize(text);
        // A single character counts only if it is in no pair.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::ParentChunk;
    use crate::store::keyword::writer::KeywordWriter;
    use crate::store::samples::namespace;

    fn words(text: &str) -> Vec<(usize, String)> {
        Phrase::of(text).map_or_else(Vec::new, |phrase| phrase.words)
    }

    #[test]
    fn a_phrase_has_words_with_positions() {
        let expected =
            |list: &[(usize, &str)]| list.iter().map(|(at, text)| (*at, (*text).to_owned())).collect::<Vec<_>>();
        assert_eq!(words("prime the Pump"), expected(&[(0, "prime"), (1, "the"), (2, "pump")]));
        assert_eq!(words("启动水泵"), expected(&[(0, "启动"), (1, "动水"), (2, "水泵")]));
        assert_eq!(words("泵"), expected(&[(0, "泵")]));
        assert_eq!(words("用LaTeX排版"), expected(&[(0, "用"), (1, "latex"), (2, "排版")]));
        assert_eq!(words("error E-417"), expected(&[(0, "error"), (1, "e-417"), (1, "e"), (2, "417")]));
        assert_eq!(Phrase::of("…"), None);
    }

    #[test]
    fn documents_are_found_by_titles_beside_one_with_thousands_of_chunks() {
        let (_folder, namespace) = namespace();
        let large = (0..50).map(|number| ParentChunk::titled(&format!("a:{number}"), "text", "Care"));
        let mut apart = ParentChunk::titled("c:0", "text", "Manual › Care of the pump");
        apart.situating = Some(String::new());
        let (valve, of) = ("Manual › Care of a valve", "Of");
        let others = [ParentChunk::titled("b:0", "text", valve), apart, ParentChunk::titled("d:0", "care", of)];
        let reader = KeywordWriter::index_of(&namespace, &large.chain(others).collect::<Vec<_>>());
        let found = |query: &str, scope: &Scope, most| {
            let mut found = reader.documents_by_titles(query, scope, most).unwrap();
            found.sort();
            found.iter().map(|id| id.to_string()).collect::<String>()
        };
        assert_eq!(found("the care of", &Scope::Everything, 3), "abc");
        assert_eq!(found("the care of", &Scope::Everything, 2).len(), 2);
        assert_eq!(found("care", &Scope::of_documents(Some(&["b".into(), "d".into()])), 2), "b");
        assert_eq!(found("…", &Scope::Everything, 2), "");
    }

    #[test]
    fn given_parent_chunks_have_the_scores_of_a_search() {
        let (_folder, namespace) = namespace();
        let texts = ["pump valve pump", "valve", "pump seal", "seal ring", "pump valve"];
        let chunks =
            texts.iter().zip(0..).map(|(text, number)| ParentChunk::titled(&format!("d:{number}"), text, "Pump"));
        let all: Vec<ParentChunk> = chunks.chain([ParentChunk::titled("x:0", "pump", "Pump")]).collect();
        let reader = KeywordWriter::index_without(&namespace, &all, &["x".into()]);
        let terms =
            [("pump", 1.0), ("seal", 0.7)].map(|(word, weight)| (KeywordField::Content, word.to_owned(), weight));
        let mut found = reader.search(&terms, None, &Scope::Everything, 10).unwrap();
        found.sort_by(|a, b| a.chunk_id.cmp(&b.chunk_id));
        assert_eq!(found.len(), 4);
        let ids: Vec<ChunkId> = all.iter().rev().map(|parent| parent.chunk.chunk_id.clone()).collect();
        let mut scored = reader.scores(&terms, None, &ids).unwrap();
        scored.sort_by(|a, b| a.chunk_id.cmp(&b.chunk_id));
        assert_eq!(scored, found);
        assert_eq!(reader.scores(&terms, None, &ids[4..5]).unwrap(), [] as [ScoredChunk; 0], "without a word of them");
        assert!(reader.scores(&[], None, &ids).unwrap().is_empty());
    }

    #[test]
    fn words_of_deleted_parent_chunks_keep_a_positive_weight() {
        let (_folder, namespace) = namespace();
        let deleted = (0..20).map(|number| ParentChunk::titled(&format!("a:{number}"), "pump", "Pumps"));
        let all: Vec<ParentChunk> = deleted.chain([ParentChunk::titled("b:0", "pump", "Pumps")]).collect();
        let reader = KeywordWriter::index_without(&namespace, &all, &["a".into()]);
        assert_eq!(reader.count(), 1);
        assert!(reader.rarity(KeywordField::Content, "pump").unwrap() > 0.0);
    }
}
