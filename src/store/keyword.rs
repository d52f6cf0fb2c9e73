//! The keyword index: BM25 over parent chunks with our own tokens, in tantivy.

use std::path::Path;

use tantivy::collector::TopDocs;
use tantivy::columnar::StrColumn;
use tantivy::directory::error::{LockError, OpenDirectoryError, OpenReadError, OpenWriteError};
use tantivy::fieldnorm::FieldNormReader;
use tantivy::indexer::{LogMergePolicy, MergeCandidate, MergePolicy, NoMergePolicy};
use tantivy::query::{Bm25StatisticsProvider, BooleanQuery, BoostQuery, Occur, Query, TermQuery, TermSetQuery};
use tantivy::schema::{FAST, Field, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions, Value};
use tantivy::tokenizer::{Token as TantivyToken, TokenStream, Tokenizer};
use tantivy::{
    DocAddress, DocSet, Index, IndexReader, IndexWriter, ReloadPolicy, Searcher, TantivyDocument, TantivyError, Term,
};

use super::child_spans::ChildSpan;
use super::keyword_query::KeywordStatistics;
use super::layout::Namespace;
use super::read_only::ReadOnlyDirectory;
use super::rows::ParentChunk;
use super::scope::Scope;
use super::store_error;
use super::words::name_entries;
use crate::error::{Error, Result, root_io};
use crate::ids::{ChunkId, DocId};
use crate::text::tokens::{Token, tokenize};

/// Another name for each way of making tokens: an index of another one is rebuilt.
const TOKENIZER: &str = "kb-simplified";
/// How many words of a parent chunk a check looks up.
const SAMPLED_TOKENS: usize = 8;
const WRITER_MEMORY_BYTES: usize = 64 << 20;

/// What is searched in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeywordField {
    /// The text of the parent chunk.
    Content,
    /// The titles of document and sections above it.
    Titles,
    /// The situating sentence.
    Situating,
}

/// A parent chunk found by its words.
#[derive(Debug, Clone, PartialEq)]
pub struct KeywordHit {
    /// The parent chunk.
    pub chunk_id: ChunkId,
    /// BM25; comparable only within one search, and over several indexes only with their joint statistics.
    pub score: f32,
}

pub(super) struct Fields {
    pub(super) chunk_id: Field,
    pub(super) doc_id: Field,
    pub(super) content: Field,
    pub(super) titles_in_front: Field,
    pub(super) situating: Field,
    // Not searched; kept to be shown.
    pub(super) section_id: Field,
    pub(super) chunk_index: Field,
    pub(super) page_start: Field,
    pub(super) page_end: Field,
    pub(super) titles: Field,
    // Searched by its terms alone.
    pub(super) names: Field,
    pub(super) child_chunks: Field,
}

fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(TOKENIZER)
        .set_index_option(IndexRecordOption::WithFreqsAndPositions);
    let searched = TextOptions::default().set_indexing_options(indexing);
    let fields = Fields {
        chunk_id: builder.add_text_field("chunk_id", STRING | STORED | FAST),
        doc_id: builder.add_text_field("doc_id", STRING | STORED),
        content: builder.add_text_field("content", searched.clone() | STORED),
        titles_in_front: builder.add_text_field("titles in front", searched.clone()),
        situating: builder.add_text_field("situating", searched),
        section_id: builder.add_text_field("section_id", STORED),
        chunk_index: builder.add_u64_field("chunk_index", STORED),
        page_start: builder.add_u64_field("page_start", STORED),
        page_end: builder.add_u64_field("page_end", STORED),
        titles: builder.add_text_field("titles", STORED),
        // A change of the rules that find names renames this field, so that existing indexes are rebuilt.
        names: builder.add_text_field("names_1", STRING),
        child_chunks: builder.add_text_field("child chunks", STORED),
    };
    (builder.build(), fields)
}

/// A word in the text of parent chunks.
pub(super) fn content_term(word: &str) -> Term {
    Term::from_field_text(schema().1.content, word)
}

/// The index as a reader sees it, of one generation.
pub(super) struct KeywordReader {
    pub(super) reader: IndexReader,
    pub(super) fields: Fields,
    pub(super) folder: std::path::PathBuf,
}

impl KeywordReader {
    /// Opens the index and returns its generation; `None` where it is missing or damaged.
    pub(super) fn open(namespace: &Namespace) -> Option<(Self, u64)> {
        let folder = namespace.keyword();
        let index = usable(Index::open(ReadOnlyDirectory::open(&folder)?).ok()?)?;
        let before = generation(&index)?;
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into().ok()?;
        // A commit in between would make the reader newer than the number read.
        (generation(&index)? == before).then(|| (KeywordReader { reader, fields: schema().1, folder }, before))
    }

    /// The best `limit` parent chunks of a scope for weighted terms, by this index's own
    /// statistics or those given.
    pub(super) fn search(
        &self,
        terms: &[(KeywordField, String, f32)],
        statistics: Option<&KeywordStatistics>,
        scope: &Scope,
        limit: usize,
    ) -> Result<Vec<KeywordHit>> {
        if terms.is_empty() || limit == 0 || scope.is_empty() {
            return Ok(Vec::new());
        }
        let query = self.query(terms, scope);
        self.top(&query, statistics, limit)
    }

    /// The scores of the given parent chunks for the same terms; those that match nothing are left out.
    pub(super) fn scores(
        &self,
        terms: &[(KeywordField, String, f32)],
        statistics: Option<&KeywordStatistics>,
        chunk_ids: &[ChunkId],
    ) -> Result<Vec<KeywordHit>> {
        if terms.is_empty() || chunk_ids.is_empty() {
            return Ok(Vec::new());
        }
        let among = chunk_ids.iter().map(|id| Term::from_field_text(self.fields.chunk_id, id));
        let query = BooleanQuery::new(vec![
            (Occur::Must, Box::new(self.query(terms, &Scope::Everything)) as Box<dyn Query>),
            (Occur::Must, Box::new(BoostQuery::new(Box::new(TermSetQuery::new(among)), 0.0))),
        ]);
        self.top(&query, statistics, chunk_ids.len())
    }

    /// The share of this index in the joint statistics of several.
    pub(super) fn statistics(&self, terms: &[(KeywordField, String, f32)]) -> Result<KeywordStatistics> {
        let fail = |error: TantivyError| store_error("search", &self.folder, &error);
        let searcher = self.reader.searcher();
        let mut statistics =
            KeywordStatistics { parent_chunks: searcher.total_num_docs().map_err(fail)?, ..Default::default() };
        for field in [self.fields.content, self.fields.titles_in_front, self.fields.situating] {
            statistics.words.insert(field, searcher.total_num_tokens(field).map_err(fail)?);
        }
        for (field, text, _) in terms {
            let term = Term::from_field_text(self.field(*field), text);
            let count = searcher.doc_freq(&term).map_err(fail)?;
            statistics.parent_chunks_with.insert(term, count);
        }
        Ok(statistics)
    }

    pub(super) fn top(
        &self,
        query: &BooleanQuery,
        statistics: Option<&KeywordStatistics>,
        limit: usize,
    ) -> Result<Vec<KeywordHit>> {
        let fail = |error: TantivyError| store_error("search", &self.folder, &error);
        let searcher = self.reader.searcher();
        let best = TopDocs::with_limit(limit).order_by_score();
        let top = match statistics {
            Some(statistics) => searcher.search_with_statistics_provider(query, &best, statistics),
            None => searcher.search(query, &best),
        }
        .map_err(fail)?;
        let ids = ChunkIds::of(&searcher).map_err(fail)?;
        top.into_iter()
            .map(|(score, address)| Ok(KeywordHit { chunk_id: ids.get(address).map_err(fail)?.into(), score }))
            .collect()
    }

    /// How many parent chunks are indexed.
    pub(super) fn count(&self) -> u64 {
        self.reader.searcher().num_docs()
    }

    /// Shows the parent chunk and the place of every entry.
    pub(super) fn each_entry(&self, mut show: impl FnMut(String, DocAddress)) -> Result<()> {
        let fail = |error: TantivyError| store_error("read", &self.folder, &error);
        for (segment, ordinal) in self.reader.searcher().segment_readers().iter().zip(0u32..) {
            let store = segment.get_store_reader(1).map_err(|error| fail(error.into()))?;
            for id in segment.doc_ids_alive() {
                let document: TantivyDocument = store.get(id).map_err(fail)?;
                let chunk_id = document.get_first(self.fields.chunk_id).and_then(|value| value.as_str());
                show(chunk_id.unwrap_or_default().to_owned(), DocAddress::new(ordinal, id));
            }
        }
        Ok(())
    }

    /// Whether an entry is that of a text: of so many words, as near as the index keeps that number, and found by a
    /// sample of them.
    pub(super) fn holds(&self, place: DocAddress, content: &str) -> Result<bool> {
        let fail = |error: TantivyError| store_error("read", &self.folder, &error);
        let searcher = self.reader.searcher();
        let segment = searcher.segment_reader(place.segment_ord);
        let tokens = tokenize(content);
        let lengths = segment.get_fieldnorms_reader(self.fields.content).map_err(fail)?;
        let length = u32::try_from(tokens.len()).unwrap_or(u32::MAX);
        if lengths.fieldnorm_id(place.doc_id) != FieldNormReader::fieldnorm_to_id(length) {
            return Ok(false);
        }
        let index = segment.inverted_index(self.fields.content).map_err(fail)?;
        for token in tokens.iter().step_by(tokens.len().div_ceil(SAMPLED_TOKENS).max(1)) {
            let term = Term::from_field_text(self.fields.content, &token.text);
            let postings = index.read_postings(&term, IndexRecordOption::Basic).map_err(|error| fail(error.into()))?;
            let found = postings.is_some_and(|mut postings| {
                postings.doc() == place.doc_id
                    || (postings.doc() < place.doc_id && postings.seek(place.doc_id) == place.doc_id)
            });
            if !found {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(super) fn field(&self, field: KeywordField) -> Field {
        match field {
            KeywordField::Content => self.fields.content,
            KeywordField::Titles => self.fields.titles_in_front,
            KeywordField::Situating => self.fields.situating,
        }
    }

    pub(super) fn query(&self, terms: &[(KeywordField, String, f32)], scope: &Scope) -> BooleanQuery {
        let mut clauses: Vec<(Occur, Box<dyn Query>)> = Vec::with_capacity(terms.len() + 1);
        let should: Vec<(Occur, Box<dyn Query>)> = terms
            .iter()
            .map(|(field, text, weight)| {
                let term = Term::from_field_text(self.field(*field), text);
                let term = TermQuery::new(term, IndexRecordOption::WithFreqs);
                (Occur::Should, Box::new(BoostQuery::new(Box::new(term), *weight)) as Box<dyn Query>)
            })
            .collect();
        clauses.push((Occur::Must, Box::new(BooleanQuery::new(should))));
        clauses.extend(self.among(scope).map(|among| (Occur::Must, among)));
        BooleanQuery::new(clauses)
    }

    /// Matches what a scope admits, without a share in the score; `None` for everything.
    pub(super) fn among(&self, scope: &Scope) -> Option<Box<dyn Query>> {
        let terms: Vec<Term> = match scope {
            Scope::Everything => return None,
            Scope::Documents(ids) => ids.iter().map(|id| Term::from_field_text(self.fields.doc_id, id)).collect(),
            Scope::ParentChunks(ids) => ids.iter().map(|id| Term::from_field_text(self.fields.chunk_id, id)).collect(),
        };
        Some(Box::new(BoostQuery::new(Box::new(TermSetQuery::new(terms)), 0.0)))
    }
}

/// The ids of entries, from a column of their own: reading them with the texts would take longer than the search.
struct ChunkIds {
    segments: Vec<Option<StrColumn>>,
}

impl ChunkIds {
    fn of(searcher: &Searcher) -> tantivy::Result<Self> {
        let segments = searcher.segment_readers().iter();
        let segments = segments.map(|segment| segment.fast_fields().str("chunk_id")).collect::<tantivy::Result<_>>()?;
        Ok(ChunkIds { segments })
    }

    fn get(&self, address: DocAddress) -> tantivy::Result<String> {
        let mut id = String::new();
        if let Some(Some(column)) = self.segments.get(address.segment_ord as usize)
            && let Some(ordinal) = column.term_ords(address.doc_id).next()
        {
            column.ord_to_str(ordinal, &mut id)?;
        }
        Ok(id)
    }
}

/// The index as the one writer sees it.
pub(super) struct KeywordWriter {
    writer: IndexWriter,
    fields: Fields,
    folder: std::path::PathBuf,
}

impl KeywordWriter {
    /// Opens the index for writing and says of which generation it is; makes an empty one, of no generation, where
    /// it is missing or damaged.
    pub(super) fn open(namespace: &Namespace) -> Result<(Self, Option<u64>)> {
        let folder = namespace.keyword();
        let (index, generation) = match Index::open_in_dir(&folder).ok().and_then(usable) {
            Some(index) => {
                let generation = generation(&index);
                (index, generation)
            }
            None => (create_index(&folder)?, None),
        };
        let writer = index
            .writer_with_num_threads(1, WRITER_MEMORY_BYTES)
            .map_err(|error| store_error("write to", &folder, &error))?;
        // A commit that was cut off leaves files behind whose names the next one will use again, and tantivy does not
        // write over a file.
        writer.set_merge_policy(Box::new(NoMergePolicy));
        writer.garbage_collect_files().wait().map_err(|error| store_error("tidy", &folder, &error))?;
        Ok((KeywordWriter { writer, fields: schema().1, folder }, generation))
    }

    /// Takes all chunks out.
    pub(super) fn clear(&mut self) -> Result<()> {
        self.writer.delete_all_documents().map(drop).map_err(|error| store_error("write to", &self.folder, &error))
    }

    /// Takes the chunks of documents out.
    pub(super) fn delete_documents(&mut self, doc_ids: &[DocId]) {
        for id in doc_ids {
            self.writer.delete_term(Term::from_field_text(self.fields.doc_id, id));
        }
    }

    /// Puts parent chunks in, which know of their children where these begin and end. All children of a parent are to be
    /// among the chunks.
    pub(super) fn add(&mut self, parents: &[ParentChunk]) -> Result<()> {
        for chunk in parents {
            let mut document = TantivyDocument::default();
            document.add_text(self.fields.chunk_id, &chunk.chunk_id);
            document.add_text(self.fields.doc_id, &chunk.doc_id);
            document.add_text(self.fields.content, &chunk.content);
            document.add_text(self.fields.titles_in_front, chunk.titles_in_front_of(chunk));
            document.add_text(self.fields.situating, chunk.situating.as_deref().unwrap_or_default());
            document.add_text(self.fields.titles, &chunk.titles);
            for entry in name_entries(chunk) {
                document.add_text(self.fields.names, &entry);
            }
            document.add_text(self.fields.section_id, &chunk.section_id);
            document.add_u64(self.fields.chunk_index, u64::from(chunk.chunk_index));
            for (field, page) in [(self.fields.page_start, chunk.page_start), (self.fields.page_end, chunk.page_end)] {
                if let Some(page) = page {
                    document.add_u64(field, u64::from(page));
                }
            }
            document.add_text(self.fields.child_chunks, ChildSpan::record(&chunk.children));
            if let Err(error) = self.writer.add_document(document) {
                let cause = self.cause(error);
                return Err(store_error("write to", &self.folder, &cause));
            }
        }
        Ok(())
    }

    /// The cause of an error that only reports that a thread of the writer has ended.
    fn cause(&mut self, error: TantivyError) -> TantivyError {
        match error {
            // Preparing a commit waits for the threads and passes on what they ended with.
            TantivyError::ErrorInThread(_) => match self.writer.prepare_commit() {
                Err(cause) => cause,
                Ok(_) => error,
            },
            error => error,
        }
    }

    /// Makes what was changed durable, as the given generation.
    pub(super) fn commit(&mut self, generation: u64) -> Result<()> {
        let fail = |error: TantivyError| store_error("write to", &self.folder, &error);
        let mut commit = self.writer.prepare_commit().map_err(fail)?;
        commit.set_payload(&generation.to_string());
        commit.commit().map(drop).map_err(fail)
    }

    /// Merges the index's parts where there are many small ones, which leaves its content and generation as they are.
    ///
    /// tantivy would do so behind a commit by itself, in a thread of its own. A process that publishes once and ends
    /// takes that thread along, so a store that is corrected now and then would fall into ever more parts.
    pub(super) fn merge(&mut self) -> Result<()> {
        let fail = |error: TantivyError| store_error("write to", &self.folder, &error);
        let parts = self.writer.index().searchable_segment_metas().map_err(fail)?;
        for MergeCandidate(ids) in LogMergePolicy::default().compute_merge_candidates(&parts) {
            self.writer.merge(&ids).wait().map_err(fail)?;
        }
        Ok(())
    }

    /// The generation that was committed last.
    pub(super) fn committed(&self) -> Option<u64> {
        generation(self.writer.index())
    }

    /// Forgets what was changed since the last commit, and gives the error that was the reason. A disk that refused the
    /// one may refuse the other; then nothing was committed either, and the next writer begins at the last commit.
    pub(super) fn given_up(&mut self, reason: Error) -> Error {
        drop(self.writer.rollback());
        reason
    }
}

/// The index with our tokens, unless its schema is another version's: then it is as good as none, and is rebuilt from
/// the tables.
fn usable(index: Index) -> Option<Index> {
    (index.schema() == schema().0).then(|| with_tokenizer(index))
}

/// The I/O error in one of tantivy's, which names it in its text alone and not as its source.
pub(super) fn io_cause(error: &TantivyError) -> Option<&std::io::Error> {
    let io = match error {
        TantivyError::IoError(io)
        | TantivyError::LockFailure(LockError::IoError(io), _)
        | TantivyError::OpenDirectoryError(
            OpenDirectoryError::FailedToCreateTempDir(io) | OpenDirectoryError::IoError { io_error: io, .. },
        )
        | TantivyError::OpenReadError(OpenReadError::IoError { io_error: io, .. })
        | TantivyError::OpenWriteError(OpenWriteError::IoError { io_error: io, .. }) => io,
        _ => return None,
    };
    root_io(&**io)
}

fn create_index(folder: &Path) -> Result<Index> {
    let create = || -> std::io::Result<()> {
        if folder.exists() {
            std::fs::remove_dir_all(folder)?;
        }
        std::fs::create_dir_all(folder)
    };
    create().map_err(|error| Error::io("create the keyword index", folder, &error))?;
    Index::create_in_dir(folder, schema().0)
        .map(with_tokenizer)
        .map_err(|error| store_error("create the keyword index in", folder, &error))
}

fn with_tokenizer(index: Index) -> Index {
    index.tokenizers().register(TOKENIZER, KbTokenizer);
    index
}

fn generation(index: &Index) -> Option<u64> {
    index.load_metas().ok()?.payload?.parse().ok()
}

/// Our tokens, for tantivy.
#[derive(Clone)]
struct KbTokenizer;

struct KbTokenStream {
    tokens: std::vec::IntoIter<Token>,
    current: TantivyToken,
}

impl Tokenizer for KbTokenizer {
    type TokenStream<'a> = KbTokenStream;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> KbTokenStream {
        KbTokenStream { tokens: tokenize(text).into_iter(), current: TantivyToken::default() }
    }
}

impl TokenStream for KbTokenStream {
    fn advance(&mut self) -> bool {
        let Some(token) = self.tokens.next() else { return false };
        self.current.offset_from = token.start;
        self.current.offset_to = token.end;
        self.current.position = token.position;
        self.current.position_length = 1;
        self.current.text = token.text;
        true
    }

    fn token(&self) -> &TantivyToken {
        &self.current
    }

    fn token_mut(&mut self) -> &mut TantivyToken {
        &mut self.current
    }
}
