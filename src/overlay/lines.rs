//! What is embedded and indexed in front of each chunk, by rule.

use std::collections::HashMap;

use crate::chunk::ChunkConfig;
use crate::chunk::context::ContextKind;
use crate::chunk::overlap;
use crate::store::{ChunkRow, ChunkType};

/// Sets the leads of a document's chunks by the rule that `config` names. The chunks are in the order of
/// [`embedded_texts`](super::embedded_texts). Of a document whose leads a model says, those that are there are left as
/// they are, because no rule can say them.
pub fn set_leads(chunks: &mut [ChunkRow], config: &ChunkConfig) {
    let mut section = String::new();
    let mut before = String::new();
    for row in chunks {
        if row.section_id != section {
            section.clone_from(&row.section_id);
            before.clear();
        }
        let is_child = row.chunk_type == ChunkType::Child;
        let embedded_anyway = if is_child { overlap(&before, config) } else { "" };
        if config.context != ContextKind::Llm || row.lead.is_none() {
            row.lead = config.context.lead(&row.content, &before, embedded_anyway);
        }
        if is_child {
            before.push_str(&row.content);
        }
    }
}

/// Sets the leads of passages and their pieces to what was said of each passage, by its id: this is where lines from a
/// language model take the place of those by rule. A passage of which nothing was said keeps what it has.
pub fn set_said(chunks: &mut [ChunkRow], said: &HashMap<String, String>) {
    for row in chunks {
        let passage = row.parent_id.as_ref().unwrap_or(&row.chunk_id);
        if let Some(text) = said.get(passage) {
            row.lead = Some(text.clone());
        }
    }
}
