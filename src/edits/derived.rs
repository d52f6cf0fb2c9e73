//! What follows from the chunks of a document: counts, situating sentences, embedded texts and their hashes.

use std::collections::HashMap;

use crate::chunk::context::{self, ContextKind};
use crate::chunk::{ChunkConfig, overlap};
use crate::ids::{ChunkId, SectionId};
use crate::store::{ChunkRow, ChunkType, NewDocument};

/// Sets the counts of the document and the ranges of its sections from its chunks.
pub fn mend_counts(new: &mut NewDocument) {
    let of = |kind: ChunkType| new.chunks.iter().filter(move |row| row.chunk_type == kind);
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    new.document.parents = number(of(ChunkType::Parent).count());
    new.document.children = number(of(ChunkType::Child).count());
    for section in &mut new.sections {
        let own = || of(ChunkType::Parent).filter(|row| row.section_id == section.section_id);
        let start = own().map(|row| row.chunk_index).min().unwrap_or(0);
        let end = own().map(|row| row.chunk_index.saturating_add(1)).max().unwrap_or(0);
        (section.chunk_start, section.chunk_end) = (start, end);
    }
}

/// Sets the situating sentences of a document's chunks by the rule of `config`. The chunks are in the order of
/// [`embedded_texts`]. Sentences of a language model stay.
pub fn set_situating(chunks: &mut [ChunkRow], config: &ChunkConfig) {
    let mut section = SectionId::default();
    let mut before = String::new();
    for row in chunks {
        if row.section_id != section {
            section.clone_from(&row.section_id);
            before.clear();
        }
        let is_child = row.chunk_type == ChunkType::Child;
        let embedded_anyway = if is_child { overlap(&before, config) } else { "" };
        if config.context != ContextKind::Llm || row.situating.is_none() {
            row.situating = config.context.situating(&row.content, &before, embedded_anyway);
        }
        if is_child {
            before.push_str(&row.content);
        }
    }
}

/// Sets the situating sentences of parent chunks and their children to those of a language model, by the id of the parent
/// chunk. A parent chunk without one keeps what it has.
pub fn set_written_situating(chunks: &mut [ChunkRow], written: &HashMap<ChunkId, String>) {
    for row in chunks {
        let parent_chunk = row.parent_id.as_ref().unwrap_or(&row.chunk_id);
        if let Some(text) = written.get(parent_chunk) {
            row.situating = Some(text.clone());
        }
    }
}

/// The embedded text of each child, in the order of `chunks`: each parent is followed by its children. The end of the text
/// before a child is part of it, so a change reaches the next child.
pub fn embedded_texts(chunks: &[ChunkRow], config: &ChunkConfig) -> Vec<String> {
    let mut texts = Vec::new();
    let mut section = "";
    let mut before = String::new();
    for row in chunks.iter().filter(|row| row.chunk_type == ChunkType::Child) {
        if row.section_id != section {
            section = &row.section_id;
            before.clear();
        }
        texts.push(context::embedded_text(&row.context_line(), overlap(&before, config), &row.content));
        before.push_str(&row.content);
    }
    texts
}

/// Sets the hashes of the children from their embedded texts, except where `keep` says that a hash still names its vector:
/// that can be of a text with other titles.
pub fn renew_hashes(chunks: &mut [ChunkRow], texts: &[String], keep: impl Fn(&ChunkRow, &str) -> bool) {
    let children = chunks.iter_mut().filter(|row| row.chunk_type == ChunkType::Child);
    for (row, text) in children.zip(texts) {
        if !keep(row, text) {
            row.embedding_hash = blake3::hash(text.as_bytes()).to_hex().to_string();
        }
    }
}
