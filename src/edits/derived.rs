//! Derives counts, situating sentences, embedded texts and their hashes from the chunks of a document.

use std::collections::HashMap;

use crate::chunk::context::ContextKind;
use crate::chunk::{EmbeddedText, overlap};
use crate::ids::{ChunkId, SectionId};
use crate::store::{NewDocument, ParentChunk};
use crate::text::tables::Heads;

/// Sets the counts of the document and the ranges of its sections from its chunks.
pub fn update_counts(new: &mut NewDocument) {
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    new.document.parents = number(new.parents.len());
    new.document.children = number(new.children().count());
    let mut ranges: HashMap<&SectionId, (u32, u32)> = HashMap::new();
    for row in &new.parents {
        ranges.entry(&row.section_id).or_insert((row.chunk_index, 0)).1 = row.chunk_index.saturating_add(1);
    }
    for section in &mut new.sections {
        (section.chunk_start, section.chunk_end) = ranges.get(&section.section_id).copied().unwrap_or_default();
    }
}

/// Sets the situating sentences of a document's chunks by its kind of context. Sentences of a language model stay.
pub fn set_situating(new: &mut NewDocument) {
    let context = new.document.chunking.context;
    if context != ContextKind::Llm {
        new.chunks_mut().for_each(|chunk| chunk.situating = context.situating());
    }
}

/// Sets the situating sentences of parent chunks and their children to those of a language model, by the id of the
/// parent chunk. A parent chunk without one keeps what it has.
pub fn set_model_situating(parents: &mut [ParentChunk], sentences: &HashMap<ChunkId, String>) {
    for parent in parents {
        if let Some(sentence) = sentences.get(&parent.chunk_id) {
            parent.situating = Some(sentence.clone());
            parent.children.iter_mut().for_each(|child| child.situating = Some(sentence.clone()));
        }
    }
}

/// The embedded text of each parent chunk, made when it is asked for, because those of a long document are as long as
/// the document. The end of the text before it is part of it, so a change reaches the next parent chunk; a later part
/// of a table has the caption and the column heads instead.
pub fn embedded_texts(new: &NewDocument) -> impl Iterator<Item = EmbeddedText> {
    let config = &new.document.chunking;
    new.parents.chunk_by(|a, b| a.section_id == b.section_id).flat_map(move |section| {
        let (mut before, mut heads) = ("", Heads::default());
        section.iter().map(move |parent| {
            let heads = heads.take(&parent.content);
            let in_front = heads.as_deref().unwrap_or_else(|| overlap(before, config));
            let children = parent.children.iter().map(|child| child.content.as_str());
            let text = EmbeddedText::new(&parent.context_line(), in_front, children, config);
            before = &parent.content;
            text
        })
    })
}

/// Gives each chunk the hash of its embedded text.
pub fn renew_hashes(new: &mut NewDocument) {
    let hashes: Vec<Vec<String>> = embedded_texts(new).map(|text| text.hashes()).collect();
    for (parent, hashes) in new.parents.iter_mut().zip(hashes) {
        parent.chunks_mut().zip(hashes).for_each(|(chunk, hash)| chunk.embedding_hash = hash);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edits::chunks::tests::stored;
    use crate::store::SectionRow;

    #[test]
    fn many_sections_cost_no_more_than_their_number() {
        let mut new = stored("# One\n\nFirst sentence here.\n");
        let (section, parent) = (new.sections.remove(0), new.parents.remove(0));
        // A look at all parent chunks for each section would take minutes.
        for i in 0..60_000 {
            let id = SectionId::new(&new.document.doc_id, &(i + 1).to_string());
            let mut row = parent.clone();
            (row.chunk_index, row.section_id) = (i, id.clone());
            new.parents.push(row);
            new.sections.push(SectionRow { section_id: id, ..section.clone() });
        }
        update_counts(&mut new);
        let last = new.sections.last().unwrap();
        assert_eq!((last.chunk_start, last.chunk_end), (59_999, 60_000));
    }
}
