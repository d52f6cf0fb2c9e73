//! What is embedded for each piece. The end of the text in front of a piece is part of it, so that a change reaches
//! the neighbour behind.

use crate::chunk::{ChunkConfig, context, overlap};
use crate::store::{ChunkRow, ChunkType};

/// The text that is embedded for each child, in the order of the children in `chunks`: each parent by its place,
/// followed by its children in theirs.
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

/// Makes the hashes of the children those of their embedded texts, except where `keep` says that the one it has still
/// names its vector: a vector may have been made from a text with other titles.
pub fn renew_hashes(chunks: &mut [ChunkRow], texts: &[String], keep: impl Fn(&ChunkRow, &str) -> bool) {
    let children = chunks.iter_mut().filter(|row| row.chunk_type == ChunkType::Child);
    for (row, text) in children.zip(texts) {
        if !keep(row, text) {
            row.content_hash = blake3::hash(text.as_bytes()).to_hex().to_string();
        }
    }
}
