//! Chunks in a list, and the text of sections.

use serde_json::json;

use super::format::values;
use super::page::{Page, quoted};
use super::search::omitted;
use super::style::{DIM, PLACE, TITLE, around, as_markdown, cut, pages, paint};
use crate::search::{ChunkList, ListedChunk, SectionContent};
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

/// What `kb section` shows.
pub fn sections(content: &SectionContent) -> Page {
    let rest = (!content.left_out.is_empty()).then(|| json!({ "left_out": content.left_out }));
    let mut page = Page::new(content)
        .with_lines(values(&content.parts).into_iter().chain(rest))
        .with_paths(content.parts.iter().map(|part| &part.section.section_id));
    for part in &content.parts {
        let section = &part.section;
        let place = pages(section.page_start, section.page_end);
        let level = "#".repeat((part.depth as usize + 1).min(6));
        let origin = match part.depth {
            0 => format!("\n\n`{}` · section `{}`{}", content.source, section.section_id, around(" · ", &place, "")),
            _ => String::new(),
        };
        let text = as_markdown(&part.text, &content.format);
        page.gap();
        page.both(
            format!(
                "{} {}  {}{}",
                paint(DIM, &section.path),
                paint(TITLE, &section.title),
                paint(PLACE, place),
                around("\n\n", &part.text, "")
            ),
            format!("{level} {}{origin}{}", section.title, around("\n\n", &text, "")),
        );
    }
    page.left_out(omitted(&content.left_out));
    page.both(format!("\n{}", paint(DIM, format!("{}  {}", content.title, content.source))), "");
    page
}
