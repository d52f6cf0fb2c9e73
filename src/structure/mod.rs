//! Blocks to a table of contents: the sections of a document, where each came from, and its text.
//!
//! Promise: every line of the document's text belongs to exactly one section or is its heading. Text before the first
//! heading belongs to the section with path `0`, the preamble.

mod corrected;
mod levels;
mod numbering;
mod outline;
mod page_titles;
mod paragraphs;
mod printed;
mod repeats;
mod subheadings;
mod tagged;
#[cfg(test)]
mod tests;
mod title_match;
mod tree;
mod typography;

use std::collections::HashSet;

use crate::load::{Block, BlockKind, Document, Format, OutlineEntry};
use crate::text::visible;

pub use corrected::not_found;
pub(crate) use numbering::{
    Kind as NumberKind, item_number, parse as parse_number, printed_number, without_printed_number,
};
pub(crate) use printed::is_contents_title;
pub use title_match::normalise_title;
pub use tree::{PREAMBLE, Provenance, Section, SectionText};

use tree::Heading;

/// Raised with each change that gives documents other sections or cuts them otherwise. It is stored with each document,
/// so that `kb reindex --structure` finds documents of older versions.
pub const STRUCTURE_VERSION: u32 = 17;

/// The sections of a document in the order of its table of contents, after a preamble if there is text for one.
///
/// A table of contents that a person corrected overrides all others; its entries that are not found are left
/// out. A PDF's sections come from its outline, unless that is junk; without one, from its printed contents page,
/// then from its tags, then from type and numbers. Those of other formats come from their headings, in plain text from
/// numbers, and in a Word document without heading styles from type and numbers. A document with none of these is all
/// preamble.
pub fn sections(document: &Document, title: &str, corrected: Option<&[OutlineEntry]>) -> Vec<Section> {
    if let Some(entries) = corrected {
        let document = corrected::in_lines(document);
        let headings = corrected::headings(entries, &document);
        return tree::build(&document, title, headings);
    }
    let mut headings = headings(document);
    // An outline may have entries without a title; such a section could not be named.
    headings.retain(|heading| !visible(&heading.title).trim().is_empty());
    tree::build(document, title, headings)
}

fn headings(document: &Document) -> Vec<Heading> {
    let trusted = !document.outline.is_empty() && !outline::is_junk(&document.outline, document.pages.unwrap_or(0));
    if trusted {
        let entries = outline::headings(&document.outline, &document.blocks);
        let entries = match document.format {
            Format::Pdf => subheadings::add(entries, &found_on_pages(document), &document.blocks),
            _ => entries,
        };
        return outline::with_printed_numbers(entries, &document.blocks);
    }
    let found = match document.format {
        Format::Pdf => found_on_pages(document),
        _ => from_markup(document),
    };
    if !found.is_empty() || document.format == Format::Markdown {
        return found;
    }
    let found = match document.format {
        Format::Text => typography::find(&document.blocks, &[], &[]),
        Format::Docx => paragraphs::find(&document.blocks),
        _ => Vec::new(),
    };
    if !found.is_empty() || document.outline.is_empty() {
        return found;
    }
    // A bad outline is better than none.
    let mut headings = outline::headings(&document.outline, &document.blocks);
    headings.iter_mut().for_each(|heading| heading.confidence = JUNK);
    headings
}

fn found_on_pages(document: &Document) -> Vec<Heading> {
    let blocks = &document.blocks;
    let printed = printed::find(blocks, &document.page_heads, &document.page_labels);
    let contents: Vec<(usize, usize)> = printed.iter().map(|contents| contents.span).collect();
    let known: Vec<Heading> = printed.into_iter().flat_map(|contents| contents.headings).collect();
    let tagged = if known.is_empty() { tagged::find(blocks) } else { Vec::new() };
    if !tagged.is_empty() {
        return tagged;
    }
    let by_type = if known.is_empty() { Vec::new() } else { typography::find(blocks, &contents, &[]) };
    let mut headings = subheadings::add(typography::find(blocks, &contents, &known), &by_type, blocks);
    if let Some(body) = typography::body(blocks) {
        let listed = printed::covered(&contents, blocks.len());
        let is_listed = |at: usize| listed[at..listed.len().min(at + printed::LINES_ABOVE)].contains(&true);
        let titles = page_titles::find(blocks, &document.page_heads, &body, is_listed);
        let starts: HashSet<usize> = titles.iter().map(|title| title.start).collect();
        page_titles::add(&mut headings, titles);
        // The notes to the accounts of a report are below such a title.
        headings = subheadings::add_where(headings, &by_type, blocks, |entry| starts.contains(&entry.start));
    }
    repeats::merge(&mut headings);
    // The contents page itself is not a section: it would shift the paths of all others.
    headings.retain(|heading| !is_contents_title(&heading.title));
    levels::make_consistent(&mut headings);
    headings
}

/// The confidence of entries of an untrusted outline.
const JUNK: f32 = 0.3;

fn from_markup(document: &Document) -> Vec<Heading> {
    let heading = |(i, block): (usize, &Block)| match block.kind {
        // Some headings are there only for their looks or their anchor.
        BlockKind::Heading(_) if visible(&block.text).trim().is_empty() => None,
        BlockKind::Heading(level) if !tree::is_too_long(&block.text) => Some(Heading {
            level: u32::from(level),
            title: block.text.clone(),
            page: block.page,
            start: i + 1,
            heading_blocks: 1,
            provenance: Provenance::Markup,
            confidence: 1.0,
        }),
        _ => None,
    };
    document.blocks.iter().enumerate().filter_map(heading).collect()
}
