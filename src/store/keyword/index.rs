//! The keyword index: its schema and opening it for reading.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use tantivy::postings::SegmentPostings;
use tantivy::schema::{FAST, Field, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{Token as TantivyToken, TokenStream, Tokenizer};
use tantivy::{DocSet, Index, IndexReader, ReloadPolicy, SegmentReader, TERMINATED, TantivyError, Term};

use super::directory::KeywordDirectory;
use crate::crash;
use crate::error::{Error, NextStep, Result};
use crate::store::layout::Namespace;
use crate::store::library_error::{io_cause, store_error};
use crate::store::tables::is_damage;
use crate::text::tokens::{Token, tokenize};

/// Change this name with every change of tokenization: an index with another name is rebuilt.
const TOKENIZER: &str = "kb-years";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeywordField {
    /// The text of the parent chunk.
    Content,
    /// The titles of its document and sections.
    Titles,
    /// The situating sentence.
    Situating,
}

/// A word, the field it is searched in, and its weight.
pub(super) type WeightedTerm = (KeywordField, String, f32);

pub(in crate::store) struct Fields {
    pub(super) chunk_id: Field,
    pub(super) doc_id: Field,
    pub(super) content: Field,
    pub(super) titles_in_front: Field,
    pub(super) situating: Field,
    // Titles of chunks that have none in front: documents are found by them, chunks are not.
    pub(super) titles_apart: Field,
    // Stored to be shown, not searched.
    pub(super) section_id: Field,
    pub(super) chunk_index: Field,
    pub(super) page_start: Field,
    pub(super) page_end: Field,
    pub(super) titles: Field,
    // Names are searched by whole terms.
    pub(super) names: Field,
    pub(super) child_chunks: Field,
}

pub(in crate::store) fn schema() -> (Schema, Fields) {
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
        situating: builder.add_text_field("situating", searched.clone()),
        titles_apart: builder.add_text_field("titles apart", searched),
        section_id: builder.add_text_field("section_id", STORED),
        chunk_index: builder.add_u64_field("chunk_index", STORED),
        page_start: builder.add_u64_field("page_start", STORED),
        page_end: builder.add_u64_field("page_end", STORED),
        titles: builder.add_text_field("titles", STORED),
        // Rename this field with every change of the rules that find names, so that existing indexes are rebuilt.
        names: builder.add_text_field("names_2", STRING),
        child_chunks: builder.add_text_field("child chunks", STORED),
    };
    (builder.build(), fields)
}

/// The keyword index of one generation, open for reading.
pub struct KeywordReader {
    pub(super) reader: IndexReader,
    pub(super) fields: Fields,
    folder: PathBuf,
}

impl KeywordReader {
    /// Opens the index and returns its generation; `None` if it is missing, damaged or outdated. An error is a refusal
    /// of the system, which says nothing about the index.
    pub(in crate::store) fn open(namespace: &Namespace) -> Result<Option<(Self, u64)>> {
        let folder = namespace.keyword();
        let open = || {
            let Some(index) = usable(Index::open(KeywordDirectory::open(&folder, false)?)?) else {
                return Ok(None);
            };
            let Some(before) = generation(&index)? else { return Ok(None) };
            let reader = KeywordReader::of(&index, folder.clone())?;
            // A commit in between would make the reader newer than this number.
            Ok((generation(&index)? == Some(before)).then_some((reader, before)))
        };
        unless_damaged(&folder, open)
    }

    /// A reader of the last commit.
    pub(super) fn of(index: &Index, folder: PathBuf) -> tantivy::Result<Self> {
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(KeywordReader { reader, fields: schema().1, folder })
    }

    /// Whether the index on the disk still has the segments that are read. A merge changes them, and the counts behind
    /// the scores, without a new generation.
    pub(in crate::store) fn is_current(&self) -> bool {
        let searcher = self.reader.searcher();
        let Ok(now) = searcher.index().searchable_segment_metas() else { return false };
        let now: HashSet<_> = now.iter().map(|meta| (meta.id(), meta.num_deleted_docs())).collect();
        let read = searcher.segment_readers().iter().map(|segment| (segment.segment_id(), segment.num_deleted_docs()));
        now == read.collect::<HashSet<_>>()
    }

    /// Whether the checksums of all files are right. Reads all files.
    pub fn is_whole(&self) -> bool {
        self.reader.searcher().index().validate_checksum().is_ok_and(|damaged| damaged.is_empty())
    }

    /// The number of indexed parent chunks.
    pub fn count(&self) -> u64 {
        self.reader.searcher().num_docs()
    }

    pub(super) fn field(&self, field: KeywordField) -> Field {
        match field {
            KeywordField::Content => self.fields.content,
            KeywordField::Titles => self.fields.titles_in_front,
            KeywordField::Situating => self.fields.situating,
        }
    }

    pub(super) fn failed(&self, error: impl Into<TantivyError>) -> Error {
        let error = store_error("read", &self.folder, &error.into());
        if is_damage(&error) { error.hint(format!("`{}` rebuilds it", NextStep::Repair)) } else { error }
    }

    /// The entries of a segment that have a term in a field, deleted ones included; `None` if it has no such term.
    fn postings(&self, segment: &SegmentReader, field: Field, text: &str) -> Result<Option<SegmentPostings>> {
        let index = segment.inverted_index(field).map_err(|error| self.failed(error))?;
        let postings = index.read_postings(&Term::from_field_text(field, text), IndexRecordOption::Basic);
        postings.map_err(|error| self.failed(error))
    }

    /// The entries of a segment that have a term in a field.
    pub(super) fn entries_with(&self, segment: &SegmentReader, field: Field, text: &str) -> Result<Vec<u32>> {
        let postings = self.postings(segment, field, text)?;
        Ok(postings.map_or_else(Vec::new, |postings| alive(segment, postings).collect()))
    }

    /// Calls `show` with the place in `among` of each entry that has a word. The entries of a segment must be given in
    /// rising order, and those between them are skipped: a common word has millions.
    pub(super) fn each_with(
        &self,
        segment: &SegmentReader,
        field: Field,
        text: &str,
        among: impl IntoIterator<Item = u32>,
        mut show: impl FnMut(usize),
    ) -> Result<()> {
        let Some(mut postings) = self.postings(segment, field, text)? else { return Ok(()) };
        for (at, entry) in among.into_iter().enumerate() {
            if postings.doc() < entry {
                postings.seek(entry);
            }
            if postings.doc() == entry {
                show(at);
            }
        }
        Ok(())
    }
}

/// The entries of some postings without deleted ones, which stay in a segment until it is merged.
pub(super) fn alive(segment: &SegmentReader, mut postings: impl DocSet) -> impl Iterator<Item = u32> {
    let next = move || {
        let entry = postings.doc();
        postings.advance();
        (entry != TERMINATED).then_some(entry)
    };
    std::iter::from_fn(next).filter(|entry| !segment.is_deleted(*entry))
}

/// Opens an index; `None` if it is damaged, on which tantivy panics if the damage is in the tables of its files.
/// Returns errors of the system: an index that cannot be read because of permissions or too many open files must not be
/// rebuilt.
pub(super) fn unless_damaged<T>(folder: &Path, open: impl FnOnce() -> tantivy::Result<Option<T>>) -> Result<Option<T>> {
    let is_refused = |io: &io::Error| {
        io.raw_os_error().is_some() && !matches!(io.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
    };
    match crash::catch_crash(open) {
        Some(Err(error)) if io_cause(&error).is_some_and(is_refused) => {
            Err(store_error("read the keyword index in", folder, &error))
        }
        Some(opened) => Ok(opened.ok().flatten()),
        None => Ok(None),
    }
}

/// The index with our tokenizer; `None` if its schema is of another version, so that it is rebuilt from the tables.
pub(super) fn usable(index: Index) -> Option<Index> {
    (index.schema() == schema().0).then(|| with_tokenizer(index))
}

pub(super) fn with_tokenizer(index: Index) -> Index {
    index.tokenizers().register(TOKENIZER, KbTokenizer);
    index
}

pub(super) fn generation(index: &Index) -> tantivy::Result<Option<u64>> {
    Ok(index.load_metas()?.payload.and_then(|payload| payload.parse().ok()))
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
