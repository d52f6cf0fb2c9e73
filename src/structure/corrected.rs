//! A table of contents that a person corrected: where its entries stand in the text.
//!
//! Entries with a page are found on it as those of an outline are. Entries without one are looked for in the whole
//! text, each behind the one before it.

use std::borrow::Cow;

use super::locate::{from_outline, heading_lines, normalise_title};
use super::{Heading, Provenance};
use crate::load::{Block, BlockKind, Document, OutlineEntry};

/// The document with its blocks cut into lines, so that a heading may be any line of it; documents with pages come in
/// lines already. Joined again they are the same text.
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

/// The places of the entries in a document that went through [`in_lines`].
pub(super) fn headings(entries: &[OutlineEntry], document: &Document) -> Vec<Heading> {
    if document.pages.is_some() {
        let mut headings = from_outline(&with_pages(entries, &document.blocks), &document.blocks);
        headings.iter_mut().for_each(|heading| {
            heading.provenance = Provenance::Edited;
            heading.confidence = 1.0;
        });
        return headings;
    }
    let found = places(entries, &document.blocks);
    let heading = |(entry, place): (&OutlineEntry, Option<Place>)| {
        place.map(|place| Heading {
            level: entry.level,
            title: entry.title.clone(),
            page: None,
            start: place.start,
            heading_blocks: place.lines,
            provenance: Provenance::Edited,
            confidence: 1.0,
        })
    };
    entries.iter().zip(found).filter_map(heading).collect()
}

/// The indexes of the entries that the document does not have: on a page behind its last one; or without a page and
/// with a title that no line says behind the entry before.
pub fn not_found(document: &Document, entries: &[OutlineEntry]) -> Vec<usize> {
    if let Some(pages) = document.pages {
        let entries = with_pages(entries, &document.blocks);
        let has = |entry: &OutlineEntry| entry.page.is_some_and(|page| (1..=pages).contains(&page));
        return (0..entries.len()).filter(|&i| !has(&entries[i])).collect();
    }
    let found = places(entries, &in_lines(document).blocks);
    (0..entries.len()).filter(|&i| found[i].is_none()).collect()
}

/// Entries without a page get that of the first line behind the entry before that says their title.
fn with_pages(entries: &[OutlineEntry], blocks: &[Block]) -> Vec<OutlineEntry> {
    let mut entries = entries.to_vec();
    if entries.iter().all(|entry| entry.page.is_some()) {
        return entries;
    }
    let normalised: Vec<String> = blocks.iter().map(|block| normalise_title(block.words())).collect();
    let mut after = 0;
    for entry in &mut entries {
        if let Some(page) = entry.page {
            after = after.max(blocks.partition_point(|block| block.page.unwrap_or(0) < page));
            continue;
        }
        let wanted = normalise_title(&entry.title);
        let says = |&i: &usize| !normalised[i].is_empty() && heading_lines(&normalised[i..], &wanted).is_some();
        if let Some(found) = (after..blocks.len()).find(says) {
            entry.page = blocks[found].page;
            after = found + 1;
        }
    }
    entries
}

#[derive(Clone, Copy)]
struct Place {
    /// Index of the first block of its text.
    start: usize,
    /// How many blocks before that are the heading.
    lines: usize,
}

/// Headings of the markup are preferred to other lines that say the same, unless something is lost by that: then a
/// line that comes first is meant.
fn places(entries: &[OutlineEntry], blocks: &[Block]) -> Vec<Option<Place>> {
    let normalised: Vec<String> = blocks.iter().map(|block| normalise_title(block.words())).collect();
    let search = |prefer_headings: bool| -> Vec<Option<Place>> {
        let mut after = 0;
        let find = |entry: &OutlineEntry| {
            let wanted = normalise_title(&entry.title);
            // A line of signs alone normalises to nothing, and belongs to no heading behind it.
            let mut said = (after..blocks.len()).filter(|&i| !normalised[i].is_empty()).filter_map(|i| {
                let lines = heading_lines(&normalised[i..], &wanted)?;
                Some((i, Place { start: i + lines, lines }))
            });
            let is_heading = |&(i, _): &(usize, Place)| matches!(blocks[i].kind, BlockKind::Heading(_));
            let found = if prefer_headings {
                let all: Vec<(usize, Place)> = said.collect();
                all.iter().copied().find(is_heading).or(all.first().copied())
            } else {
                said.next()
            };
            let place = found.map(|(_, place)| place);
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
    use super::*;
    use crate::load::{markdown, plain};

    fn entry(level: u32, title: &str, page: Option<u32>) -> OutlineEntry {
        OutlineEntry { level, title: title.into(), page }
    }

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
    fn headings_are_preferred_to_lines_and_titles_that_nobody_says_are_named() {
        let document = markdown::parse("Scope\n\n# Start\n\na\n\n# Scope\n\nb");
        let entries = [entry(1, "Scope", None), entry(1, "Nowhere", None)];
        assert_eq!(not_found(&document, &entries), [1]);
        let found = sections(&document, "d", Some(&entries));
        assert_eq!(found.last().map(|section| section.text.text.as_str()), Some("b"));
        // In order: here the line is meant, as there is no `Start` behind the heading.
        assert_eq!(not_found(&document, &[entry(1, "Scope", None), entry(1, "Start", None)]), [0usize; 0]);
    }

    #[test]
    fn with_pages_the_entries_are_placed_as_those_of_an_outline() {
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
        // Without a page the title is looked for.
        let entries = [entry(1, "First", None), entry(1, "Beta", None), entry(1, "gone", None)];
        assert_eq!(not_found(&document, &entries), [2]);
        let pages: Vec<_> = sections(&document, "d", Some(&entries)).iter().map(|s| s.page_start).collect();
        assert_eq!(pages, [Some(1), Some(1), Some(2), None]);
    }
}
