//! The places of the entries of a corrected table of contents.
//!
//! Entries with a page are found on it like those of an outline. Entries without one are looked for in the whole
//! text, each after the one before.

use std::borrow::Cow;

use super::outline::{self, first_on, heading};
use super::title_match::{MatchBudget, heading_lines, normalise_title};
use super::tree::{Heading, Provenance};
use crate::load::{Block, BlockKind, Document, OutlineEntry};

/// The document with its blocks cut into lines, so that any line may become a heading; documents with pages have lines
/// already. Joined again, they are the same text.
pub(super) fn in_lines(document: &Document) -> Cow<'_, Document> {
    if document.pages.is_some() {
        return Cow::Borrowed(document);
    }
    let lines = |block: &Block| -> Vec<Block> {
        let kinds = std::iter::once(block.kind).chain(std::iter::repeat(BlockKind::Line));
        let texts = block.text.split('\n');
        kinds.zip(texts).map(|(kind, text)| Block { kind, page: block.page, ..Block::paragraph(text) }).collect()
    };
    let blocks = document.blocks.iter().flat_map(lines).collect();
    Cow::Owned(Document { blocks, ..document.clone() })
}

/// The entries as headings of a document that went through [`in_lines`].
pub(super) fn headings(entries: &[OutlineEntry], document: &Document) -> Vec<Heading> {
    let at = |(entry, place): (&OutlineEntry, Option<Place>)| {
        place.map(|place| Heading { page: None, ..heading(entry, place.start, place.lines) })
    };
    let mut headings: Vec<Heading> = match document.pages {
        Some(_) => outline::headings(&with_pages(entries, &document.blocks), &document.blocks),
        None => entries.iter().zip(places(entries, &document.blocks)).filter_map(at).collect(),
    };
    headings.iter_mut().for_each(|heading| heading.provenance = Provenance::Edited);
    headings
}

/// The indices of the entries that the document lacks: entries with a page after its last one, and entries without a
/// page whose title no line after the previous entry has.
pub fn not_found(document: &Document, entries: &[OutlineEntry]) -> Vec<usize> {
    if let Some(pages) = document.pages {
        let entries = with_pages(entries, &document.blocks);
        let has = |entry: &OutlineEntry| entry.page.is_some_and(|page| (1..=pages).contains(&page));
        return (0..entries.len()).filter(|&i| !has(&entries[i])).collect();
    }
    let found = places(entries, &in_lines(document).blocks);
    (0..entries.len()).filter(|&i| found[i].is_none()).collect()
}

/// Gives entries without a page the page of the first matching line after the previous entry.
fn with_pages(entries: &[OutlineEntry], blocks: &[Block]) -> Vec<OutlineEntry> {
    let mut entries = entries.to_vec();
    if entries.iter().all(|entry| entry.page.is_some()) {
        return entries;
    }
    let normalised: Vec<String> = blocks.iter().map(|block| normalise_title(block.words())).collect();
    let budget = MatchBudget::unlimited();
    let mut after = 0;
    for entry in &mut entries {
        if let Some(page) = entry.page {
            after = after.max(first_on(page, blocks));
            continue;
        }
        let wanted = normalise_title(&entry.title);
        let says =
            |&i: &usize| !normalised[i].is_empty() && heading_lines(&normalised[i..], &wanted, &budget).is_some();
        if let Some(found) = (after..blocks.len()).find(says) {
            entry.page = blocks[found].page;
            after = found + 1;
        }
    }
    entries
}

#[derive(Clone, Copy)]
struct Place {
    /// The first block of the text below the heading.
    start: usize,
    /// The blocks before `start` that are the heading.
    lines: usize,
}

/// Headings of the markup win over other lines of the same words, unless that loses entries: then the first line wins.
fn places(entries: &[OutlineEntry], blocks: &[Block]) -> Vec<Option<Place>> {
    let normalised: Vec<String> = blocks.iter().map(|block| normalise_title(block.words())).collect();
    let budget = MatchBudget::unlimited();
    let search = |prefer_headings: bool| -> Vec<Option<Place>> {
        let mut after = 0;
        let find = |entry: &OutlineEntry| {
            let wanted = normalise_title(&entry.title);
            // A line of signs normalises to nothing and belongs to no heading after it.
            let mut said = (after..blocks.len()).filter(|&i| !normalised[i].is_empty()).filter_map(|i| {
                let lines = heading_lines(&normalised[i..], &wanted, &budget)?;
                Some(Place { start: i + lines, lines })
            });
            let is_heading = |at: &Place| matches!(blocks[at.start - at.lines].kind, BlockKind::Heading(_));
            let heading = if prefer_headings { said.clone().find(is_heading) } else { None };
            let place = heading.or_else(|| said.next());
            after = place.map_or(after, |place| place.start);
            place
        };
        entries.iter().map(find).collect()
    };
    let lost = |found: &[Option<Place>]| found.iter().filter(|place| place.is_none()).count();
    let by_headings = search(true);
    if lost(&by_headings) == 0 {
        return by_headings;
    }
    let by_lines = search(false);
    if lost(&by_lines) < lost(&by_headings) { by_lines } else { by_headings }
}

#[cfg(test)]
mod tests {
    use super::super::sections;
    use super::super::tests::entry;
    use super::*;
    use crate::load::{markdown, plain};

    #[test]
    fn a_line_of_a_paragraph_becomes_a_heading_and_no_line_is_lost() {
        let document = markdown::parse("# One\n\nalpha\n**Two**\nbeta\n\n- x\n\n- y\n\n# Three\n\ngamma");
        let entries = [entry(1, "One", None), entry(2, "Two", None)];
        let found = sections(&document, "d", Some(&entries));
        let toc: Vec<(&str, &str)> = found.iter().map(|s| (s.path.as_str(), s.text.text.as_str())).collect();
        assert_eq!(toc, [("1", "alpha"), ("1.1", "beta\n\n- x\n\n- y\n\nThree\n\ngamma")]);
        assert!(found.iter().all(|section| section.provenance == Provenance::Edited && section.confidence == 1.0));
    }

    #[test]
    fn headings_are_preferred_to_lines_and_unknown_titles_are_reported() {
        let document = markdown::parse("Scope\n\n# Start\n\na\n\n# Scope\n\nb");
        let entries = [entry(1, "Scope", None), entry(1, "Nowhere", None)];
        assert_eq!(not_found(&document, &entries), [1]);
        let found = sections(&document, "d", Some(&entries));
        assert_eq!(found.last().map(|section| section.text.text.as_str()), Some("b"));
        // Order decides: no `Start` follows the heading, so the line is meant.
        assert_eq!(not_found(&document, &[entry(1, "Scope", None), entry(1, "Start", None)]), [0usize; 0]);
    }

    #[test]
    fn entries_with_pages_are_placed_like_an_outline() {
        let mut document = plain::parse("");
        document.pages = Some(2);
        document.blocks = plain::lines_to_blocks("Cover\nFirst\nalpha", Some(1));
        document.blocks.extend(plain::lines_to_blocks("beta", Some(2)));
        let entries = [entry(1, "First", Some(1)), entry(1, "Second", Some(2))];
        let found = sections(&document, "d", Some(&entries));
        let toc: Vec<(&str, &str)> = found.iter().map(|s| (s.path.as_str(), s.text.text.as_str())).collect();
        assert_eq!(toc, [("0", "Cover"), ("1", "alpha"), ("2", "beta")]);
        assert_eq!(found[2].provenance, Provenance::Edited);
        assert_eq!(not_found(&document, &[entry(1, "x", Some(3))]), [0]);
        // Without a page the title is searched.
        let entries = [entry(1, "First", None), entry(1, "Beta", None), entry(1, "gone", None)];
        assert_eq!(not_found(&document, &entries), [2]);
        let pages: Vec<_> = sections(&document, "d", Some(&entries)).iter().map(|s| s.page_start).collect();
        assert_eq!(pages, [Some(1), Some(1), Some(2), None]);
    }
}
