//! Sections with their whole text, or as much of it as fits.

use serde::Serialize;

use crate::embed::TokenCounter;
use crate::error::{Error, Result};
use crate::store::{ChunkRow, DocumentRow, SectionRow, Snapshot};

/// How much of sections is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Their subsections too.
    pub children: bool,
    /// At most so many tokens, titles counted; everything, where `None`.
    pub max_tokens: Option<usize>,
}

/// Sections of one document with their text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SectionContent {
    /// The document's id.
    pub doc_id: String,
    /// The document's source.
    pub source: String,
    /// The document's title.
    pub title: String,
    /// The name of the document's format.
    #[serde(skip)]
    pub format: String,
    /// The sections in the order in which they were asked for, each followed by its subsections, each with its own
    /// text.
    pub parts: Vec<SectionPart>,
    /// What did not fit into the tokens that were asked for; empty where all of it did.
    pub left_out: Vec<LeftOut>,
}

/// A section's own text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SectionPart {
    /// The section.
    #[serde(flatten)]
    pub section: SectionRow,
    /// How deep it lies below the section that was asked for; 0 for that one.
    #[serde(skip)]
    pub depth: u32,
    /// Its text, edits included, without its subsections'.
    pub text: String,
}

/// What of a section's own text was left out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LeftOut {
    /// The section.
    pub section_id: String,
    /// Its title.
    pub title: String,
    /// How many of its parent chunks, from the end; 0 where it has only a title.
    pub chunks: usize,
    /// How many tokens those have.
    pub tokens: usize,
}

impl SectionContent {
    /// Reads sections of a document. One that is contained in another is given once.
    ///
    /// # Errors
    /// Where the store cannot be read, or not even the first passage fits into the tokens.
    pub async fn read(
        snapshot: &Snapshot,
        document: &DocumentRow,
        sections: &[SectionRow],
        wanted: &[&SectionRow],
        extent: Extent,
    ) -> Result<Self> {
        let mut parts = Vec::new();
        for root in outermost(wanted, extent.children) {
            let span: Vec<&SectionRow> = sections
                .iter()
                .filter(|section| section.path == root.path || (extent.children && is_below(section, root)))
                .collect();
            let start = span.iter().filter(|s| s.chunk_end > s.chunk_start).map(|s| s.chunk_start).min().unwrap_or(0);
            let end = span.iter().map(|s| s.chunk_end).max().unwrap_or(0);
            let chunks = snapshot.parents_between(&document.doc_id, start, end).await?;
            parts.extend(span.into_iter().map(|section| {
                let own = chunks.iter().filter(|chunk| chunk.section_id == section.section_id).cloned().collect();
                (section.clone(), section.level.saturating_sub(root.level), own)
            }));
        }
        let mut content = SectionContent {
            doc_id: document.doc_id.clone(),
            source: document.source.clone(),
            title: document.title.clone(),
            format: document.format.clone(),
            parts: Vec::with_capacity(parts.len()),
            left_out: Vec::new(),
        };
        content.fill(parts, extent.max_tokens)?;
        Ok(content)
    }

    /// Takes the parts over until the tokens are used up: whole passages, and none behind the first that is left out.
    fn fill(&mut self, parts: Vec<(SectionRow, u32, Vec<ChunkRow>)>, max_tokens: Option<usize>) -> Result<()> {
        let counter = max_tokens.map(|most| TokenCounter::shared().map(|counter| (counter, most))).transpose()?;
        let mut used = 0;
        let mut first_cost = None;
        for (section, depth, chunks) in parts {
            let mut fitting = chunks.len();
            let mut shown = true;
            if let Some((counter, most)) = &counter {
                let full = !self.left_out.is_empty();
                let title = counter.count(&section.title)?;
                let mut costs = Vec::with_capacity(chunks.len());
                for chunk in &chunks {
                    costs.push(counter.count(&chunk.content)?);
                }
                let least = title + costs.first().copied().unwrap_or(0);
                first_cost.get_or_insert(least);
                shown = !full && used + least <= *most;
                fitting = 0;
                if shown {
                    used += title;
                    while fitting < costs.len() && used + costs[fitting] <= *most {
                        used += costs[fitting];
                        fitting += 1;
                    }
                }
                if !shown || fitting < chunks.len() {
                    self.left_out.push(LeftOut {
                        section_id: section.section_id.clone(),
                        title: section.title.clone(),
                        chunks: chunks.len() - fitting,
                        tokens: costs[fitting..].iter().sum(),
                    });
                }
            }
            if shown {
                let text: String = chunks[..fitting].iter().map(|chunk| chunk.content.as_str()).collect();
                self.parts.push(SectionPart { section, depth, text: text.trim_end().to_owned() });
            }
        }
        if let (Some((_, most)), Some(least), true) = (&counter, first_cost, self.parts.is_empty()) {
            return Err(Error::not_found(format!("not even the first passage fits into {most} tokens"))
                .hint(format!("it has {least}; ask for more with --max-tokens")));
        }
        Ok(())
    }
}

/// The sections that are in no other of them, each once. Where subsections are not wanted, none is in another.
fn outermost<'a>(wanted: &[&'a SectionRow], children: bool) -> Vec<&'a SectionRow> {
    let mut out: Vec<&SectionRow> = Vec::with_capacity(wanted.len());
    for section in wanted {
        let contained = children && wanted.iter().any(|other| is_below(section, other));
        if !contained && !out.iter().any(|known| known.path == section.path) {
            out.push(section);
        }
    }
    out
}

/// A section and all below it, in order.
pub fn with_subsections<'a>(sections: &'a [SectionRow], root: &SectionRow) -> Vec<&'a SectionRow> {
    sections.iter().filter(|section| section.path == root.path || is_below(section, root)).collect()
}

fn is_below(section: &SectionRow, above: &SectionRow) -> bool {
    section.path.strip_prefix(&above.path).is_some_and(|rest| rest.starts_with('.'))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::retrieve) fn row(path: &str, title: &str) -> SectionRow {
        SectionRow {
            section_id: format!("d#{path}"),
            doc_id: "d".into(),
            position: 0,
            parent_id: None,
            level: path.split('.').count() as u32,
            path: path.into(),
            title: title.into(),
            page_start: None,
            page_end: None,
            chunk_start: 0,
            chunk_end: 0,
            provenance: "markup".into(),
            confidence: 1.0,
        }
    }

    #[test]
    fn what_is_contained_in_another_is_given_once() {
        let [a, b, c, d] = ["2", "2.1", "21", "2"].map(|path| row(path, "t"));
        let paths =
            |children| outermost(&[&b, &a, &c, &d], children).iter().map(|s| s.path.clone()).collect::<Vec<_>>();
        assert_eq!(paths(true), ["2", "21"]);
        assert_eq!(paths(false), ["2.1", "2", "21"]);
    }
}
