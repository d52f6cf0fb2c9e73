//! What the keyword index keeps of each parent chunk beside its words: its text and its child chunks, so that what was found is shown without a
//! read of the tables, and the places of its words, by which a search reranks.
//!
//! Both take microseconds a parent chunk. The index is published with the tables and rebuilt from them, so that it never
//! disagrees with them.

use std::collections::HashMap;

use tantivy::postings::Postings;
use tantivy::schema::{IndexRecordOption, Value};
use tantivy::{DocAddress, DocSet, TantivyDocument, Term};

use super::child_spans::{ChildSpan, cut};
use super::facts::ParentChunkFacts;
use super::keyword::KeywordReader;
use super::rows::{ChunkRow, ParentChunk};
use super::store_error;
use crate::error::Result;
use crate::ids::{ChunkId, DocId, SectionId};

/// So many blocks of the stored parent chunks stay unpacked while a segment is read.
const STORE_BLOCKS: usize = 8;

/// A parent chunk as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedParentChunk {
    /// The parent chunk.
    pub chunk_id: ChunkId,
    /// Its document.
    pub doc_id: DocId,
    /// Its section.
    pub section_id: SectionId,
    /// Its place in the document.
    pub chunk_index: u32,
    /// Its text.
    pub content: String,
    /// The titles above it.
    pub titles: String,
    /// First page.
    pub page_start: Option<u32>,
    /// Last page.
    pub page_end: Option<u32>,
    /// What its text is made of.
    pub child_chunks: Vec<ChildSpan>,
}

impl IndexedParentChunk {
    /// Its child chunks: the number and the text of each, in order; none where its text is not of them.
    pub fn children(&self) -> Vec<(u32, &str)> {
        cut(&self.content, &self.child_chunks).unwrap_or_default()
    }
}

/// Where some words are in a parent chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordPlaces {
    /// The parent chunk.
    pub chunk_id: ChunkId,
    /// For each of the words, its places in the text, counted in words from 0, in order.
    pub content: Vec<Vec<u32>>,
    /// For each of the words, whether it is in the titles above.
    pub titles: Vec<bool>,
}

impl KeywordReader {
    /// The parent chunks with the given ids, in any order; those that are not indexed are left out.
    pub(super) fn parent_chunks(&self, chunk_ids: &[ChunkId]) -> Result<Vec<IndexedParentChunk>> {
        let searcher = self.reader.searcher();
        let mut parent_chunks = Vec::with_capacity(chunk_ids.len());
        for address in self.addresses(chunk_ids)?.into_values() {
            let document: TantivyDocument = searcher.doc(address).map_err(|error| self.fail(&error))?;
            parent_chunks.push(self.parent_chunk(&document));
        }
        Ok(parent_chunks)
    }

    /// Where the given words are in the parent chunks with the given ids.
    pub(super) fn word_places(&self, words: &[String], chunk_ids: &[ChunkId]) -> Result<Vec<WordPlaces>> {
        let searcher = self.reader.searcher();
        let mut by_segment: HashMap<u32, Vec<(u32, &ChunkId)>> = HashMap::new();
        let addresses = self.addresses(chunk_ids)?;
        for (chunk_id, address) in &addresses {
            by_segment.entry(address.segment_ord).or_default().push((address.doc_id, chunk_id));
        }
        let mut found = Vec::with_capacity(addresses.len());
        for (segment, mut wanted) in by_segment {
            // Postings are read in one direction.
            wanted.sort_unstable();
            let reader = searcher.segment_reader(segment);
            let content = reader.inverted_index(self.fields.content).map_err(|error| self.fail(&error))?;
            let context = reader.inverted_index(self.fields.titles_in_front).map_err(|error| self.fail(&error))?;
            let mut places: Vec<WordPlaces> = wanted
                .iter()
                .map(|(_, chunk_id)| WordPlaces {
                    chunk_id: (*chunk_id).clone(),
                    content: vec![Vec::new(); words.len()],
                    titles: vec![false; words.len()],
                })
                .collect();
            for (i, word) in words.iter().enumerate() {
                let term = Term::from_field_text(self.fields.content, word);
                let postings = content.read_postings(&term, IndexRecordOption::WithFreqsAndPositions);
                if let Some(mut postings) = postings.map_err(|error| self.fail(&error.into()))? {
                    each_in(&mut postings, &wanted, |at, postings| postings.positions(&mut places[at].content[i]));
                }
                let term = Term::from_field_text(self.fields.titles_in_front, word);
                let postings = context.read_postings(&term, IndexRecordOption::Basic);
                if let Some(mut postings) = postings.map_err(|error| self.fail(&error.into()))? {
                    each_in(&mut postings, &wanted, |at, _| places[at].titles[i] = true);
                }
            }
            found.extend(places);
        }
        Ok(found)
    }

    /// What is known of all parent chunks, or of those of some documents, without their text; in any order.
    pub(super) fn parent_chunk_facts(&self, doc_ids: Option<&[DocId]>) -> Result<Vec<ParentChunkFacts>> {
        let mut facts = Vec::new();
        self.each_parent_chunk(doc_ids, &mut |parent_chunk| {
            let IndexedParentChunk { chunk_id, section_id, page_start, page_end, .. } = parent_chunk;
            facts.push(ParentChunkFacts { chunk_id, section_id, page_start, page_end });
        })?;
        Ok(facts)
    }

    /// Shows all parent chunks, or those of some documents, in any order.
    pub(super) fn each_parent_chunk(
        &self,
        doc_ids: Option<&[DocId]>,
        show: &mut dyn FnMut(IndexedParentChunk),
    ) -> Result<()> {
        let mut take = |document: &TantivyDocument| show(self.parent_chunk(document));
        for segment in self.reader.searcher().segment_readers() {
            let store = segment.get_store_reader(STORE_BLOCKS).map_err(|error| self.fail(&error.into()))?;
            let Some(doc_ids) = doc_ids else {
                for document in store.iter(segment.alive_bitset()) {
                    take(&document.map_err(|error| self.fail(&error))?);
                }
                continue;
            };
            let index = segment.inverted_index(self.fields.doc_id).map_err(|error| self.fail(&error))?;
            for doc_id in doc_ids {
                let term = Term::from_field_text(self.fields.doc_id, doc_id);
                let postings = index.read_postings(&term, IndexRecordOption::Basic);
                let Some(mut postings) = postings.map_err(|error| self.fail(&error.into()))? else { continue };
                while postings.doc() != tantivy::TERMINATED {
                    if !segment.is_deleted(postings.doc()) {
                        take(&store.get(postings.doc()).map_err(|error| self.fail(&error))?);
                    }
                    postings.advance();
                }
            }
        }
        Ok(())
    }

    /// Where parent chunks are in the index.
    fn addresses(&self, chunk_ids: &[ChunkId]) -> Result<HashMap<ChunkId, DocAddress>> {
        let searcher = self.reader.searcher();
        let mut addresses = HashMap::with_capacity(chunk_ids.len());
        for (segment, ordinal) in searcher.segment_readers().iter().zip(0u32..) {
            let index = segment.inverted_index(self.fields.chunk_id).map_err(|error| self.fail(&error))?;
            for chunk_id in chunk_ids {
                let term = Term::from_field_text(self.fields.chunk_id, chunk_id);
                let postings = index.read_postings(&term, IndexRecordOption::Basic);
                let Some(mut postings) = postings.map_err(|error| self.fail(&error.into()))? else { continue };
                // What was deleted stays in the segment until it is merged.
                while postings.doc() != tantivy::TERMINATED {
                    if !segment.is_deleted(postings.doc()) {
                        addresses.insert(chunk_id.clone(), DocAddress::new(ordinal, postings.doc()));
                    }
                    postings.advance();
                }
            }
        }
        Ok(addresses)
    }

    /// A parent chunk from what the index keeps.
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

    /// Whether an entry agrees with the table.
    pub(super) fn shows(&self, place: DocAddress, row: &ChunkRow) -> Result<bool> {
        let document: TantivyDocument = self.reader.searcher().doc(place).map_err(|error| self.fail(&error))?;
        let shown = self.parent_chunk(&document);
        Ok(shown.content == row.content
            && shown.titles == row.titles
            && shown.section_id == row.section_id
            && shown.chunk_index == row.chunk_index
            && (shown.page_start, shown.page_end) == (row.page_start, row.page_end))
    }

    /// The ids of parent chunks that are in the index with their text but with other child chunks.
    pub(super) fn with_other_child_chunks(&self, parents: &[ParentChunk]) -> Result<Vec<ChunkId>> {
        let ids: Vec<ChunkId> = parents.iter().map(|parent| parent.chunk_id.clone()).collect();
        let indexed: HashMap<ChunkId, IndexedParentChunk> = self
            .parent_chunks(&ids)?
            .into_iter()
            .map(|parent_chunk| (parent_chunk.chunk_id.clone(), parent_chunk))
            .collect();
        let differs = |parent: &&ParentChunk| {
            let own = parent.children.iter().map(|child| (child.chunk_index, child.content.as_str()));
            // Parent chunks that are not their child chunks joined are found without the index.
            let sound = own.clone().map(|(_, text)| text).collect::<String>() == parent.content;
            let indexed = indexed.get(&parent.chunk_id).filter(|indexed| sound && indexed.content == parent.content);
            indexed.is_some_and(|indexed| !own.eq(indexed.children()))
        };
        Ok(parents.iter().filter(differs).map(|parent| parent.chunk_id.clone()).collect())
    }

    fn fail(&self, error: &tantivy::TantivyError) -> crate::error::Error {
        store_error("read", &self.folder, error)
    }
}

/// Stops at each of the wanted entries that is among the postings.
fn each_in<P: Postings>(postings: &mut P, wanted: &[(u32, &ChunkId)], mut stop: impl FnMut(usize, &mut P)) {
    for (at, (entry, _)) in wanted.iter().enumerate() {
        if postings.doc() < *entry {
            postings.seek(*entry);
        }
        if postings.doc() == *entry {
            stop(at, postings);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::keyword::KeywordWriter;
    use crate::store::{Chunk, Store};

    #[test]
    fn a_parent_chunk_comes_with_its_child_chunks_and_other_ones_are_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let (store, _) = Store::open_or_create(None, folder.path()).unwrap();
        let namespace = store.namespace("default").unwrap();
        let mut parent = ParentChunk::sample("d:0", "Prime the pump. 打开阀门。");
        parent.children = vec![Chunk::sample("d:0.0", "Prime the pump. "), Chunk::sample("d:0.2", "打开阀门。")];
        let (mut writer, _) = KeywordWriter::open(&namespace).unwrap();
        writer.add(std::slice::from_ref(&parent)).unwrap();
        writer.commit(1).unwrap();
        drop(writer);
        let (reader, _) = KeywordReader::open(&namespace).unwrap();
        let parent_chunks = reader.parent_chunks(&["d:0".into()]).unwrap();
        assert_eq!(parent_chunks[0].children(), [(0, "Prime the pump. "), (2, "打开阀门。")]);
        assert_eq!(reader.with_other_child_chunks(std::slice::from_ref(&parent)).unwrap(), [""; 0]);
        parent.children = vec![Chunk::sample("d:0.0", &parent.content)];
        assert_eq!(reader.with_other_child_chunks(&[parent]).unwrap(), ["d:0"]);
    }
}
