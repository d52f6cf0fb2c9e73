//! Chunks: the list, and what a deletion took out.

use std::io::{Result, Write};

use serde_json::{Value, json};

use super::style::{DIM, PLACE, paint};
use super::{Screen, View, pages, value};
use crate::edit::DocumentDeletion;
use crate::retrieve::{ChunkList, ListedChunk};
use crate::text::{char_count, count, is_wide, squeeze};

/// What `kb chunks-list` shows.
pub struct ChunkListView<'a>(pub &'a ChunkList);

/// Less of a text than this says nothing.
pub(super) const LEAST_TEXT: usize = 20;

impl View for ChunkListView<'_> {
    fn table(&self, screen: Screen, out: &mut dyn Write) -> Result<()> {
        let chunks = &self.0.chunks;
        let widest = |of: fn(&ListedChunk) -> &str| chunks.iter().map(|row| char_count(of(row))).max().unwrap_or(0);
        let id = widest(|row| &row.chunk_id);
        let section = widest(|row| &row.section_id);
        let left = screen.width.saturating_sub(id + section + 12).max(LEAST_TEXT);
        for row in chunks {
            let kind = format!("{:<6}", row.chunk_type.name());
            let place = format!("{:<section$}", row.section_id);
            let text = cut(&format!("{}{}", mark(row), squeeze(&row.content)), left);
            writeln!(out, "{:<id$}  {}  {}  {text}", row.chunk_id, paint(DIM, kind), paint(PLACE, place))?;
        }
        Ok(())
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        for (i, row) in self.0.chunks.iter().enumerate() {
            if i > 0 {
                writeln!(out)?;
            }
            let page = pages(row.metadata.page_start, row.metadata.page_end);
            let page = if page.is_empty() { String::new() } else { format!(" · {page}") };
            let title = if row.section_title.is_empty() { String::new() } else { format!(" {}", row.section_title) };
            writeln!(out, "## {} ({})\n", row.chunk_id, row.chunk_type.name())?;
            let edited = if row.edited { " · edited" } else { "" };
            let notes: String = row.metadata.notes.iter().map(|(name, value)| format!(" · {name}={value}")).collect();
            writeln!(out, "`{}` · section `{}`{title}{page}{edited}{notes}\n", row.source_id, row.section_id)?;
            // Quoted, so that headings in a passage are not taken for those of the list.
            for line in row.content.trim_end().lines() {
                writeln!(out, "{}", format!("> {line}").trim_end())?;
            }
        }
        Ok(())
    }

    fn json(&self) -> Value {
        value(&self.0.chunks)
    }

    fn paths(&self) -> Vec<String> {
        self.0.chunks.iter().map(|row| row.chunk_id.clone()).collect()
    }
}

/// In front of a chunk that somebody changed.
fn mark(row: &ListedChunk) -> &'static str {
    if row.edited { "✎ " } else { "" }
}

/// What `kb chunk-delete` shows.
pub struct DeletedChunksView<'a> {
    /// What is taken out of each document.
    pub documents: &'a [DocumentDeletion],
    /// The generation without it; `None` where it was only asked.
    pub generation: Option<u64>,
}

impl DeletedChunksView<'_> {
    fn dry_run(&self) -> bool {
        self.generation.is_none()
    }
}

impl View for DeletedChunksView<'_> {
    fn table(&self, _screen: Screen, out: &mut dyn Write) -> Result<()> {
        self.markdown(out)
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        let verb = if self.dry_run() { "would delete" } else { "deleted" };
        for row in self.documents {
            let ids = row.deleted.join(", ");
            let rest = match row.emptied {
                true => "nothing is left of it, and an ingest of the same file brings nothing back".to_owned(),
                false => format!(
                    "{} (in {}) left",
                    count(row.parents as usize, "passage"),
                    count(row.children as usize, "piece")
                ),
            };
            writeln!(out, "{verb} {ids} of {}; {rest}", row.source)?;
        }
        Ok(())
    }

    fn json(&self) -> Value {
        json!({
            "dry_run": self.dry_run(),
            "generation": self.generation,
            "documents": value(&self.documents),
        })
    }

    fn lines(&self) -> Vec<Value> {
        self.documents.iter().map(value).collect()
    }

    fn paths(&self) -> Vec<String> {
        self.documents.iter().flat_map(|row| row.deleted.iter().cloned()).collect()
    }
}

/// As much of a text as fits into so many columns, with an ellipsis where it does not end there.
pub(super) fn cut(text: &str, columns: usize) -> String {
    let wide = |c: char| 1 + usize::from(is_wide(c));
    if text.chars().map(wide).sum::<usize>() <= columns {
        return text.to_owned();
    }
    let mut used = 1;
    let mut out: String = text
        .chars()
        .take_while(|&c| {
            used += wide(c);
            used <= columns
        })
        .collect();
    out.truncate(out.trim_end().len());
    out.push('…');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_to_columns_and_not_to_characters() {
        assert_eq!(cut("pump house", 10), "pump house");
        assert_eq!(cut("pump house", 6), "pump…");
        assert_eq!(cut("启动水泵", 8), "启动水泵");
        assert_eq!(cut("启动水泵", 6), "启动…");
    }
}
