//! Chunks in a list, and the text of sections.

use serde_json::{Value, json};

use super::json::value;
use super::page::{Page, quoted};
use super::search::omitted;
use super::style::{DIM, LEAST_TEXT, PLACE, TITLE, around, cut, edited, markdown_of, pages, paint, wrapped};
use super::tables::{aligned, with_tables};
use super::toc::json_entry;
use crate::error::Setting;
use crate::search::{ChunkList, ListedChunk, SectionContent, SectionNames, SectionPart};
use crate::text::{char_count, squeeze, tables};

/// The titles of a chunk are among its notes, where `kb chunk-edit --batch` reads them back.
fn json(listed: &ListedChunk) -> Value {
    let row = &listed.row;
    let mut metadata = value(&row.metadata);
    metadata["titles"] = json!(row.titles);
    metadata["language"] = json!(row.language);
    metadata["page_start"] = json!(row.page_start);
    metadata["page_end"] = json!(row.page_end);
    let json = json!({
        "chunk_id": row.chunk_id,
        "doc_id": row.doc_id,
        "source": listed.source,
        "section": listed.section,
        "chunk_type": row.chunk_type(),
        "parent_id": row.parent_id,
        "chunk_index": row.chunk_index,
        "content": row.content,
        "metadata": metadata,
        "updated_at": row.updated_at,
        "edited": row.edited,
    });
    with_tables(json, &row.content)
}

/// What `kb chunks-list` shows.
pub fn chunk_list(list: &ChunkList, width: usize) -> Page {
    let chunks = &list.chunks;
    let widest = |of: fn(&ListedChunk) -> &str| chunks.iter().map(|row| char_count(of(row))).max().unwrap_or(0);
    let id = widest(|listed| &listed.row.chunk_id);
    let section = widest(|listed| &listed.row.section_id);
    let left = width.saturating_sub(id + section + 12).max(LEAST_TEXT);
    let mut page = Page::list("chunks", "chunk", chunks.iter().map(json))
        .with_paths(chunks.iter().map(|listed| &listed.row.chunk_id));
    for (i, listed) in chunks.iter().enumerate() {
        let row = &listed.row;
        let (chunk_id, section_id) = (&row.chunk_id, &row.section_id);
        let name = row.chunk_type().name();
        let kind = paint(DIM, format!("{name:<6}"));
        let place = paint(PLACE, format!("{section_id:<section$}"));
        let mark = if row.edited { "✎ " } else { "" };
        let text = format!("{mark}{}", squeeze(&tables::plain(&row.content)));
        let gap = if i > 0 { "\n" } else { "" };
        page.both(
            format!("{chunk_id:<id$}  {kind}  {place}  {}", cut(&text, left)),
            format!("{gap}## {chunk_id} ({name})\n\n{}\n\n{}", origin(listed), quoted(row.content.trim_end())),
        );
    }
    page
}

/// Where a chunk is from, in Markdown.
fn origin(listed @ ListedChunk { row, source, .. }: &ListedChunk) -> String {
    let title = around(" ", listed.section.title(), "");
    let pages = around(" · ", &pages(row.page_start, row.page_end), "");
    let edited = around(" · ", edited(row.edited), "");
    let notes: String = row.metadata.iter().map(|(name, value)| format!(" · {name}={value}")).collect();
    format!("`{source}` · section `{}`{title}{pages}{edited}{notes}", row.section_id)
}

/// What `kb show` shows of a chunk: its whole text.
pub fn chunk(listed: &ListedChunk, width: usize) -> Page {
    let row = &listed.row;
    let mut page = Page::new("chunk", &json(listed)).with_paths([&row.chunk_id]);
    let title = paint(TITLE, around("", &row.titles, "  "));
    let place = paint(PLACE, pages(row.page_start, row.page_end));
    let edited = around("  ", edited(row.edited), "");
    let about = format!("{}  {}  {}{edited}", listed.source, row.section_id, row.chunk_type().name());
    let table = format!("{title}  {place}\n\n{}\n\n{}", aligned(&row.content, width), paint(DIM, about));
    let table = page.linked(&table, &place, &listed.source, row.page_start);
    page.both(
        table,
        format!("# {}\n\n{}\n\n{}", row.titles, origin(listed), markdown_of(&listed.source, &row.content)),
    );
    page
}

fn json_part(part: &SectionPart) -> Value {
    let mut json = json_entry(&part.section);
    json["content"] = json!(part.content);
    json["edited"] = json!(part.edited);
    json
}

/// What `kb section` shows.
pub fn sections(content: &SectionContent, names: &SectionNames, width: usize) -> Page {
    let SectionContent { doc_id, source, title, left_out, .. } = content;
    let json = json!({ "doc_id": doc_id, "source": source, "title": title, "left_out": left_out });
    let mut page = Page::new("section", &json)
        .with_items("section", content.parts.iter().map(|part| with_tables(json_part(part), &part.content)))
        .with_paths(content.parts.iter().map(|part| &part.section.section_id));
    for part in &content.parts {
        let section = &part.section;
        let place = pages(section.page_start, section.page_end);
        let level = "#".repeat((part.depth as usize + 1).min(6));
        let facts: Vec<&str> =
            [place.as_str(), edited(part.edited)].into_iter().filter(|fact| !fact.is_empty()).collect();
        let behind: String = facts.iter().map(|fact| format!(" · {fact}")).collect();
        let origin = match part.depth {
            0 => format!("\n\n`{}` · section `{}`{behind}", content.source, section.section_id),
            _ if part.edited => format!("\n\nsection `{}`{behind}", section.section_id),
            _ => String::new(),
        };
        let text = markdown_of(&content.source, &part.content);
        let place = paint(PLACE, facts.join("  "));
        let path = names.shown(section).map_or_else(String::new, |path| format!("{} ", paint(DIM, path)));
        let title = format!("{path}{}  {place}", paint(TITLE, &section.title));
        let shown = wrapped(&content.source, &aligned(&part.content, width), width.max(LEAST_TEXT));
        let table = format!("{title}{}", around("\n\n", &shown, ""));
        let table = page.linked(&table, &place, &content.source, section.page_start);
        page.gap();
        page.both(table, format!("{level} {}{origin}{}", section.title, around("\n\n", &text, "")));
    }
    let next = content.left_out.iter().find_map(|part| part.chunk_ids.first());
    let more = next.map_or_else(String::new, |next| format!("; {} {next} reads on", Setting("from")));
    page.left_out(omitted(&content.left_out).map(|line| line + &more));
    page.both(format!("\n{}", paint(DIM, format!("{}  {}", content.title, content.source))), "");
    page
}
