//! The list of chunks.

use super::page::{Page, quoted};
use super::style::{DIM, PLACE, around, cut, pages, paint};
use crate::search::{ChunkList, ListedChunk};
use crate::text::{char_count, squeeze};

/// Columns that a text keeps, however narrow the screen.
pub(super) const LEAST_TEXT: usize = 20;

/// What `kb chunks-list` shows.
pub fn chunk_list(list: &ChunkList, width: usize) -> Page {
    let chunks = &list.chunks;
    let widest = |of: fn(&ListedChunk) -> &str| chunks.iter().map(|row| char_count(of(row))).max().unwrap_or(0);
    let id = widest(|row| &row.chunk_id);
    let section = widest(|row| &row.section_id);
    let left = width.saturating_sub(id + section + 12).max(LEAST_TEXT);
    let mut page = Page::new(chunks).with_paths(chunks.iter().map(|row| &row.chunk_id));
    for (i, row) in chunks.iter().enumerate() {
        let ListedChunk { chunk_id, section_id, source_id, metadata, .. } = row;
        let name = row.chunk_type.name();
        let kind = paint(DIM, format!("{name:<6}"));
        let place = paint(PLACE, format!("{section_id:<section$}"));
        let mark = if row.edited { "✎ " } else { "" };
        let text = format!("{mark}{}", squeeze(&row.content));
        let gap = if i > 0 { "\n" } else { "" };
        let title = around(" ", &row.section_title, "");
        let pages = around(" · ", &pages(metadata.page_start, metadata.page_end), "");
        let edited = if row.edited { " · edited" } else { "" };
        let notes: String = metadata.notes.iter().map(|(name, value)| format!(" · {name}={value}")).collect();
        let origin = format!("`{source_id}` · section `{section_id}`{title}{pages}{edited}{notes}");
        page.both(
            format!("{chunk_id:<id$}  {kind}  {place}  {}", cut(&text, left)),
            format!("{gap}## {chunk_id} ({name})\n\n{origin}\n\n{}", quoted(row.content.trim_end())),
        );
    }
    page
}
