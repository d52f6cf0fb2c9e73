//! The text of sections.

use serde_json::json;

use super::page::Page;
use super::style::{DIM, PLACE, TITLE, around, as_markdown, first_of, pages, paint};
use super::values;
use crate::search::SectionContent;
use crate::text::count;

/// What did not fit, in one line.
fn omitted_sections(content: &SectionContent) -> Option<String> {
    let left_out = &content.left_out;
    let chunks: usize = left_out.iter().map(|part| part.chunks).sum();
    let tokens: usize = left_out.iter().map(|part| part.tokens).sum();
    let name = |chunks, id, title| format!("{id} ({title}, {})", count(chunks, "parent chunk"));
    let named = first_of(left_out.iter().map(|part| name(part.chunks, &part.section_id, &part.title)));
    let chunks = count(chunks, "parent chunk");
    (!left_out.is_empty()).then(|| format!("left out: {chunks} ({tokens} tokens) of {named}"))
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
    page.left_out(omitted_sections(content));
    page.both(format!("\n{}", paint(DIM, format!("{}  {}", content.title, content.source))), "");
    page
}
