//! The stored data of parent chunks in the keyword index: text and child chunks, which are shown without reading the
//! tables, and which words a parent chunk has, by which a search reranks.
//!
//! Reading either takes microseconds per parent chunk. The index is published with the tables and rebuilt from them, so
//! both always agree.

use std::collections::HashMap;

use rayon::prelude::*;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::schema::Value;
use tantivy::{DocAddress, TantivyDocument};

use super::index::KeywordReader;
use crate::error::Result;
use crate::ids::{ChunkId, DocId, SectionId};
use crate::store::rows::{Chunk, ChunkRow, ParentChunk};
use crate::text::tokens::tokenize;

/// The number of stored blocks that stay unpacked while a segment is read.
const STORE_BLOCKS: usize = 8;
/// The number of words of a parent chunk that a check looks up.
const SAMPLED_TOKENS: usize = 8;

/// The place of a child chunk in the text of its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChildSpan {
    /// Its number among the child chunks; deleted ones leave gaps.
    pub index: u32,
    /// The length of its text, in bytes.
    pub bytes: usize,
}

impl ChildSpan {
    /// The children of a parent chunk, in order, as one line: `0:240 1:198 3:77`.
    pub(super) fn record(children: &[Chunk]) -> String {
        let each = children.iter().map(|child| format!("{}:{}", child.chunk_index, child.content.len()));
        each.collect::<Vec<String>>().join(" ")
    }

    /// Reads such a line; unusable lines become `None`.
    pub(super) fn read(record: &str) -> Option<Vec<ChildSpan>> {
        record
            .split_whitespace()
            .map(|child_chunk| {
                let (index, bytes) = child_chunk.split_once(':')?;
                Some(ChildSpan { index: index.parse().ok()?, bytes: bytes.parse().ok()? })
            })
            .collect()
    }
}

/// Cuts a text into its child chunks with their numbers; `None` if they do not add up to the text.
pub(super) fn cut<'t>(text: &'t str, child_chunks: &[ChildSpan]) -> Option<Vec<(u32, &'t str)>> {
    let mut rest = text;
    let mut cut = Vec::with_capacity(child_chunks.len());
    for child_chunk in child_chunks {
        let (own, behind) = rest.split_at_checked(child_chunk.bytes)?;
        cut.push((child_chunk.index, own));
        rest = behind;
    }
    rest.is_empty().then_some(cut)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedParentChunk {
    pub chunk_id: ChunkId,
    pub doc_id: DocId,
    pub section_id: SectionId,
    /// Its place in the document.
    pub chunk_index: u32,
    pub content: String,
    pub titles: String,
    pub page_start: Option<u32>,
    pub page_end: Option<u32>,
    pub child_chunks: Vec<ChildSpan>,
}

impl IndexedParentChunk {
    /// The number and the text of each child chunk, in order; empty if they do not add up to the text.
    pub fn children(&self) -> Vec<(u32, &str)> {
        cut(&self.content, &self.child_chunks).unwrap_or_default()
    }
}

/// The facts of a parent chunk that filters need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParentChunkFacts {
    pub chunk_id: ChunkId,
    pub section_id: SectionId,
    pub page_start: Option<u32>,
    pub page_end: Option<u32>,
}

/// Which of the given words a parent chunk has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordsFound {
    pub chunk_id: ChunkId,
    /// For each word, whether it is in the text or the situating sentence.
    pub content: Vec<bool>,
    /// For each word, whether it is in the titles.
    pub titles: Vec<bool>,
}

impl KeywordReader {
    /// The parent chunks with the given ids, in any order. Unknown ids are left out.
    pub fn parent_chunks(&self, chunk_ids: &[ChunkId]) -> Result<Vec<IndexedParentChunk>> {
        self.addresses(chunk_ids)?.concat().into_iter().map(|(_, address)| self.at(address)).collect()
    }

    fn at(&self, address: DocAddress) -> Result<IndexedParentChunk> {
        let document: TantivyDocument = self.reader.searcher().doc(address).map_err(|error| self.failed(error))?;
        Ok(self.parent_chunk(&document))
    }

    /// Which words, as returned by [`tokenize`], are in the given parent chunks.
    pub fn words_found(&self, words: &[String], chunk_ids: &[ChunkId]) -> Result<Vec<WordsFound>> {
        let searcher = self.reader.searcher();
        let mut found = Vec::with_capacity(chunk_ids.len());
        for (reader, wanted) in searcher.segment_readers().iter().zip(self.addresses(chunk_ids)?) {
            let none = |(chunk_id, _): &(ChunkId, DocAddress)| WordsFound {
                chunk_id: chunk_id.clone(),
                content: vec![false; words.len()],
                titles: vec![false; words.len()],
            };
            let mut places: Vec<WordsFound> = wanted.iter().map(none).collect();
            for field in [self.fields.content, self.fields.situating, self.fields.titles_in_front] {
                for (i, word) in words.iter().enumerate() {
                    let entries = wanted.iter().map(|(_, address)| address.doc_id);
                    self.each_with(reader, field, word, entries, |at| match field == self.fields.titles_in_front {
                        true => places[at].titles[i] = true,
                        false => places[at].content[i] = true,
                    })?;
                }
            }
            found.extend(places);
        }
        Ok(found)
    }

    /// Calls `show` for all parent chunks, or for those of some documents, in any order.
    pub fn each_parent_chunk(&self, doc_ids: Option<&[DocId]>, show: &mut dyn FnMut(IndexedParentChunk)) -> Result<()> {
        for segment in self.reader.searcher().segment_readers() {
            let store = segment.get_store_reader(STORE_BLOCKS).map_err(|error| self.failed(error))?;
            let Some(doc_ids) = doc_ids else {
                for document in store.iter(segment.alive_bitset()) {
                    show(self.parent_chunk(&document.map_err(|error| self.failed(error))?));
                }
                continue;
            };
            for doc_id in doc_ids {
                for entry in self.entries_with(segment, self.fields.doc_id, doc_id)? {
                    show(self.parent_chunk(&store.get(entry).map_err(|error| self.failed(error))?));
                }
            }
        }
        Ok(())
    }

    /// The addresses of the given parent chunks in each segment of the index, in order, because postings can only be
    /// read forwards.
    pub(super) fn addresses(&self, chunk_ids: &[ChunkId]) -> Result<Vec<Vec<(ChunkId, DocAddress)>>> {
        let searcher = self.reader.searcher();
        let of_segment = |(ordinal, segment)| -> Result<Vec<(ChunkId, DocAddress)>> {
            let mut addresses = Vec::new();
            for chunk_id in chunk_ids {
                let entries = self.entries_with(segment, self.fields.chunk_id, chunk_id)?;
                addresses
                    .extend(entries.iter().map(|entry| (chunk_id.clone(), DocAddress::new(ordinal as u32, *entry))));
            }
            addresses.sort_unstable_by_key(|(_, address)| *address);
            Ok(addresses)
        };
        searcher.segment_readers().par_iter().enumerate().map(of_segment).collect()
    }

    fn parent_chunk(&self, document: &TantivyDocument) -> IndexedParentChunk {
        let fields = &self.fields;
        let text = |field| document.get_first(field).and_then(|value| value.as_str()).unwrap_or_default().to_owned();
        let number =
            |field| document.get_first(field).and_then(|value| value.as_u64()).and_then(|n| u32::try_from(n).ok());
        IndexedParentChunk {
            chunk_id: text(fields.chunk_id).into(),
            doc_id: text(fields.doc_id).into(),
            section_id: text(fields.section_id).into(),
            chunk_index: number(fields.chunk_index).unwrap_or_default(),
            content: text(fields.content),
            titles: text(fields.titles),
            page_start: number(fields.page_start),
            page_end: number(fields.page_end),
            child_chunks: ChildSpan::read(&text(fields.child_chunks)).unwrap_or_default(),
        }
    }

    /// Calls `show` with the parent chunk and the address of every entry.
    pub(in crate::store) fn each_entry(&self, mut show: impl FnMut(ChunkId, DocAddress)) -> Result<()> {
        for (segment, ordinal) in self.reader.searcher().segment_readers().iter().zip(0..) {
            let store = segment.get_store_reader(1).map_err(|error| self.failed(error))?;
            for entry in segment.doc_ids_alive() {
                let document = store.get(entry).map_err(|error| self.failed(error))?;
                show(self.parent_chunk(&document).chunk_id, DocAddress::new(ordinal, entry));
            }
        }
        Ok(())
    }

    /// Whether an entry has as many words as a text, within the precision of the index, and is found by a sample of
    /// them.
    pub(in crate::store) fn holds(&self, place: DocAddress, content: &str) -> Result<bool> {
        let searcher = self.reader.searcher();
        let segment = searcher.segment_reader(place.segment_ord);
        let tokens = tokenize(content);
        let lengths = segment.get_fieldnorms_reader(self.fields.content).map_err(|error| self.failed(error))?;
        let length = u32::try_from(tokens.len()).unwrap_or(u32::MAX);
        if lengths.fieldnorm_id(place.doc_id) != FieldNormReader::fieldnorm_to_id(length) {
            return Ok(false);
        }
        for token in tokens.iter().step_by(tokens.len().div_ceil(SAMPLED_TOKENS).max(1)) {
            let mut found = false;
            self.each_with(segment, self.fields.content, &token.text, [place.doc_id], |_| found = true)?;
            if !found {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether an entry agrees with the table.
    pub(in crate::store) fn shows(&self, place: DocAddress, row: &ChunkRow) -> Result<bool> {
        let shown = self.at(place)?;
        Ok(shown.content == row.content
            && shown.titles == row.titles
            && shown.section_id == row.section_id
            && shown.chunk_index == row.chunk_index
            && (shown.page_start, shown.page_end) == (row.page_start, row.page_end))
    }

    /// The ids of parent chunks that the index has with the same text but other child chunks.
    pub(in crate::store) fn with_other_child_chunks(&self, parents: &[ParentChunk]) -> Result<Vec<ChunkId>> {
        let ids: Vec<ChunkId> = parents.iter().map(|parent| parent.chunk_id.clone()).collect();
        let indexed: HashMap<ChunkId, IndexedParentChunk> =
            self.parent_chunks(&ids)?.into_iter().map(|indexed| (indexed.chunk_id.clone(), indexed)).collect();
        let differs = |parent: &&ParentChunk| {
            let own = parent.children.iter().map(|child| (child.chunk_index, child.content.as_str()));
            // Another check reports parent chunks whose child chunks do not add up to their text.
            let sound = own.clone().map(|(_, text)| text).collect::<String>() == parent.content;
            let indexed = indexed.get(&parent.chunk_id).filter(|indexed| sound && indexed.content == parent.content);
            indexed.is_some_and(|indexed| !own.eq(indexed.children()))
        };
        Ok(parents.iter().filter(differs).map(|parent| parent.chunk_id.clone()).collect())
    }

    /// The facts of all parent chunks, or of those of some documents, that filters need, in any order.
    pub fn parent_chunk_facts(&self, doc_ids: Option<&[DocId]>) -> Result<Vec<ParentChunkFacts>> {
        let mut facts = Vec::new();
        self.each_parent_chunk(doc_ids, &mut |parent_chunk| {
            let IndexedParentChunk { chunk_id, section_id, page_start, page_end, .. } = parent_chunk;
            facts.push(ParentChunkFacts { chunk_id, section_id, page_start, page_end });
        })?;
        Ok(facts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::keyword::writer::KeywordWriter;
    use crate::store::samples::namespace;
    use proptest::prelude::*;

    #[test]
    fn a_parent_chunk_is_indexed_with_its_child_chunks() {
        let (_folder, namespace) = namespace();
        let mut parent = ParentChunk::sample("d:0", "Prime the pump. 打开阀门。");
        parent.children = vec![Chunk::sample("d:0.0", "Prime the pump. "), Chunk::sample("d:0.2", "打开阀门。")];
        let reader = KeywordWriter::index_of(&namespace, std::slice::from_ref(&parent));
        let parent_chunks = reader.parent_chunks(&["d:0".into()]).unwrap();
        assert_eq!(parent_chunks[0].children(), [(0, "Prime the pump. "), (2, "打开阀门。")]);
        assert_eq!(reader.with_other_child_chunks(std::slice::from_ref(&parent)).unwrap(), [""; 0]);
        parent.children = vec![Chunk::sample("d:0.0", &parent.content)];
        assert_eq!(reader.with_other_child_chunks(&[parent]).unwrap(), ["d:0"]);
    }

    fn children(texts: &[&str]) -> Vec<Chunk> {
        texts.iter().enumerate().map(|(i, text)| Chunk::sample(&format!("d:1.{}", 2 * i), text)).collect()
    }

    #[test]
    fn an_unusable_record_is_refused() {
        assert_eq!(ChildSpan::read("0:3 x"), None);
        assert_eq!(ChildSpan::read(""), Some(Vec::new()));
        let child_chunks = ChildSpan::read("0:2 1:4").unwrap();
        assert_eq!(cut("灌水", &child_chunks), None, "inside a character");
        assert_eq!((cut("abcde", &child_chunks), cut("abcdefg", &child_chunks)), (None, None));
    }

    proptest! {
        #[test]
        fn a_text_is_cut_into_its_child_chunks(texts in prop::collection::vec("[a-z灌水\\n ]{0,9}", 0..6)) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let rows = children(&texts);
            let child_chunks = ChildSpan::read(&ChildSpan::record(&rows)).unwrap();
            let joined = texts.concat();
            let found = cut(&joined, &child_chunks).unwrap();
            prop_assert_eq!(found.iter().map(|(_, text)| *text).collect::<Vec<_>>(), texts);
            prop_assert!(found.iter().zip(&rows).all(|((index, _), row)| *index == row.chunk_index));
        }
    }
}
