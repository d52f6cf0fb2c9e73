//! Sections with their whole text, or as much of it as fits.

use std::collections::HashSet;

use serde::Serialize;

use super::hit::{Omitted, nothing_fits};
use super::section_name::SectionName;
use crate::embed::TokenCounter;
use crate::error::Result;
use crate::ids::DocId;
use crate::store::{ChunkRow, DocumentRow, Edit, SectionRow, Snapshot};

/// Sections of one document with their text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SectionContent {
    pub doc_id: DocId,
    pub source: String,
    pub title: String,
    /// The sections in the requested order, each followed by its subsections; each part has its own text only.
    pub parts: Vec<SectionPart>,
    /// What did not fit into the token limit.
    pub left_out: Vec<Omitted>,
}

/// A section's own text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SectionPart {
    #[serde(flatten)]
    pub section: SectionRow,
    /// Its depth below the requested section, which has 0.
    #[serde(skip)]
    pub depth: u32,
    /// Its text with edits, without that of its subsections.
    pub content: String,
    /// Whether a person changed or deleted any of its chunks.
    pub edited: bool,
}

impl SectionContent {
    /// Reads sections of a document, with their subsections if `children`, in at most `max_tokens` tokens, titles
    /// included. A section inside another is read once. `from` is the index of the first parent chunk to read.
    ///
    /// # Errors
    /// If the store cannot be read, or not even the first parent chunk fits into the token limit.
    pub async fn read(
        snapshot: &Snapshot,
        document: &DocumentRow,
        sections: &[SectionRow],
        wanted: &[&SectionRow],
        children: bool,
        from: u32,
        max_tokens: Option<usize>,
    ) -> Result<Self> {
        let mut read = Vec::new();
        for root in outermost(wanted, children) {
            let span = if children { with_subsections(sections, root) } else { vec![root] };
            let start = span.iter().filter(|s| s.chunk_end > s.chunk_start).map(|s| s.chunk_start).min().unwrap_or(0);
            let end = span.iter().map(|s| s.chunk_end).max().unwrap_or(0);
            let chunks = snapshot.parents_between(&document.doc_id, start.max(from), end.max(from)).await?;
            let is_left = |section: &&SectionRow| from == 0 || section.chunk_end > from;
            read.extend(span.into_iter().filter(is_left).map(|section| {
                let own = chunks.iter().filter(|chunk| chunk.section_id == section.section_id).cloned().collect();
                (section.clone(), section.level.saturating_sub(root.level), own)
            }));
        }
        let (parts, left_out) = fitting(read, document, from, max_tokens)?;
        let (doc_id, source, title) = (document.doc_id.clone(), document.source.clone(), document.title.clone());
        Ok(SectionContent { doc_id, source, title, parts, left_out })
    }
}

/// As much of the sections as fits, in order: whole parent chunks, and none after the first that is left out. Each
/// section comes with its depth and its parent chunks, the first of which has at least the index `from`.
fn fitting(
    sections: Vec<(SectionRow, u32, Vec<ChunkRow>)>,
    document: &DocumentRow,
    from: u32,
    max_tokens: Option<usize>,
) -> Result<(Vec<SectionPart>, Vec<Omitted>)> {
    let (most, counter) = (max_tokens.unwrap_or(usize::MAX), max_tokens.map(|_| TokenCounter::shared()));
    let count = |text: &str| counter.as_ref().map_or(Ok(0), |counter| counter.count(text));
    let (mut parts, mut left_out, mut used, mut first_cost) = (Vec::new(), Vec::new(), 0, None);
    for (section, depth, chunks) in sections {
        // Nothing is shown after what is left out, so nothing more is counted.
        let (mut taken, mut shown) = (0, left_out.is_empty());
        if shown {
            let costs: Vec<usize> = chunks.iter().map(|chunk| count(&chunk.content)).collect::<Result<_>>()?;
            let title = count(&section.title)?;
            let least = title + costs.first().copied().unwrap_or(0);
            first_cost.get_or_insert(least);
            shown = used + least <= most;
            used += title;
            while shown && taken < costs.len() && used + costs[taken] <= most {
                used += costs[taken];
                taken += 1;
            }
        }
        if !shown || taken < chunks.len() {
            left_out.push(Omitted {
                chunk_ids: chunks[taken..].iter().map(|row| row.chunk.chunk_id.clone()).collect(),
                source: document.source.clone(),
                section: SectionName::new(section.section_id.clone(), section.title.clone()),
            });
        }
        if shown {
            let text: String = chunks[..taken].iter().map(|chunk| chunk.content.as_str()).collect();
            let end = chunks.get(taken).map_or(u32::MAX, |chunk| chunk.chunk_index);
            let is_gap = |edit: &Edit| {
                let is_shown = edit.parent_chunk.is_some_and(|index| (from..end).contains(&index));
                is_shown && edit.content.is_none() && edit.section_id == section.section_id
            };
            let edited = chunks[..taken].iter().any(|chunk| chunk.edited) || document.edits.iter().any(is_gap);
            parts.push(SectionPart { section, depth, content: text.trim_end().to_owned(), edited });
        }
    }
    match first_cost {
        Some(least) if parts.is_empty() => Err(nothing_fits(least, most)),
        _ => Ok((parts, left_out)),
    }
}

/// The sections that none of the others contains, each once. If subsections are not read, no section contains another.
fn outermost<'a>(wanted: &[&'a SectionRow], children: bool) -> Vec<&'a SectionRow> {
    let paths: HashSet<&str> = wanted.iter().map(|section| section.path.as_str()).collect();
    let mut known = HashSet::new();
    let mut out = wanted.to_vec();
    out.retain(|section| {
        let mut above = section.path.rmatch_indices('.').map(|(end, _)| &section.path[..end]);
        let is_contained = children && above.any(|path| paths.contains(path));
        !is_contained && known.insert(section.path.as_str())
    });
    out
}

/// A section and all below it, in order.
pub fn with_subsections<'a>(sections: &'a [SectionRow], root: &SectionRow) -> Vec<&'a SectionRow> {
    let is_in = |rest: &str| rest.is_empty() || rest.starts_with('.');
    sections.iter().filter(|section| section.path.strip_prefix(&root.path).is_some_and(is_in)).collect()
}
