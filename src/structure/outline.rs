//! Outlines: whether to trust one, and the place of each entry's heading on its page.
//!
//! A section starts at the line on the entry's page that has its title, or begins with its number and its title;
//! otherwise at the top of the page, or after the heading before it on the same page.

use std::ops::Range;

use super::numbering::{Kind, Numbering, printed_number, without_printed_number};
use super::title_match::{MatchBudget, heading_lines, nearly_heading_lines, normalise_title, number_before};
use super::tree::{Heading, Provenance};
use crate::load::{Block, OutlineEntry};

/// More lines of a page are ignored: no real page has them, and a hostile one would take forever.
pub(super) const MOST_LINES_OF_A_PAGE: usize = 2000;

/// Finds the place of each entry in a paged document.
pub(super) fn headings(outline: &[OutlineEntry], blocks: &[Block]) -> Vec<Heading> {
    let page_of = |i: usize| blocks[i].page.unwrap_or(0);
    let normalised: Vec<String> = blocks.iter().map(|block| normalise_title(block.words())).collect();
    let budget = MatchBudget::default();
    let mut headings: Vec<Heading> = Vec::with_capacity(outline.len());
    let mut after = 0;
    for entry in outline {
        let Some(page) = entry.page else {
            headings.push(heading(entry, after, 0));
            continue;
        };
        let Range { start: top, end } = lines_of(page, blocks);
        // Entries on one page keep the order of the outline.
        let from = if after > top && after <= end && after > 0 && page_of(after - 1) == page { after } else { top };
        let wanted = normalise_title(&entry.title);
        let exact = |i: usize| heading_lines(&normalised[i..end], &wanted, &budget).map(|lines| (i, lines));
        let near = |i: usize| nearly_heading_lines(&normalised[i..end], &wanted, &budget).map(|lines| (i, lines));
        // A note in the margin may stand on the line of a heading; it belongs to the text.
        let begins = |i: usize| {
            let line = blocks[i].words();
            (budget.spend(line.len()) && begins_with(line, &entry.title)).then_some((i, 0))
        };
        let mut lines = from..end;
        let found = lines.clone().find_map(exact).or_else(|| lines.clone().find_map(near));
        let found = found.or_else(|| lines.find_map(begins));
        let (start, lines) = found.map_or((from, 0), |(i, lines)| (i + lines, lines));
        headings.push(heading(entry, start, lines));
        after = start;
    }
    headings
}

/// Whether a line begins with a title behind its number; if the title has a number too, with that one. `3 steps` begin a
/// sentence, so the number is that of a chapter, or has several parts.
fn begins_with(line: &str, title: &str) -> bool {
    let Some((number, written)) = number_before(line, &normalise_title(without_printed_number(title))) else {
        return false;
    };
    let is_sure = number.depth() > 1 || number.kind <= Kind::Appendix;
    is_sure && printed_number(title).is_none_or(|own| normalise_title(own) == normalise_title(written))
}

/// Puts the numbers that are printed before the headings in front of their titles: many outlines leave them out. Numbers
/// count only if one follows another: a line may begin with the number of a page, a date or a list.
pub(super) fn with_printed_numbers(mut headings: Vec<Heading>, blocks: &[Block]) -> Vec<Heading> {
    let printed = |heading: &Heading| {
        let first = heading.start - heading.heading_blocks;
        let line: Vec<&str> = blocks[first..].iter().take(heading.heading_blocks.max(1)).map(Block::words).collect();
        let line = line.join(" ");
        let (number, written) = number_before(&line, &normalise_title(&heading.title))?;
        (!matches!(number.kind, Kind::Listed | Kind::InBrackets)).then(|| (number, written.to_owned()))
    };
    let without = headings.iter().enumerate().filter(|(_, heading)| printed_number(&heading.title).is_none());
    let found: Vec<(usize, (Numbering, String))> = without.filter_map(|(i, it)| Some((i, printed(it)?))).collect();
    let is_next = |a: &Numbering, b: &Numbering| a.kind == b.kind && b.follows(a);
    for (place, (i, (number, written))) in found.iter().enumerate() {
        let before = place.checked_sub(1).and_then(|before| found.get(before));
        let is_in_order = before.is_some_and(|(_, (before, _))| is_next(before, number))
            || found.get(place + 1).is_some_and(|(_, (next, _))| is_next(number, next));
        if is_in_order {
            headings[*i].title = format!("{written} {}", headings[*i].title);
        }
    }
    headings
}

/// The first block on a page, or where it would be.
pub(super) fn first_on(page: u32, blocks: &[Block]) -> usize {
    blocks.partition_point(|block| block.page.unwrap_or(0) < page)
}

/// The blocks of a page in which titles are looked for.
pub(super) fn lines_of(page: u32, blocks: &[Block]) -> Range<usize> {
    let first = first_on(page, blocks);
    first..first_on(page + 1, blocks).min(first + MOST_LINES_OF_A_PAGE)
}

pub(super) fn heading(entry: &OutlineEntry, start: usize, heading_blocks: usize) -> Heading {
    Heading {
        level: entry.level,
        title: entry.title.clone(),
        page: entry.page,
        start,
        heading_blocks,
        provenance: Provenance::Outline,
        confidence: 1.0,
    }
}

/// A single entry is not a table of contents for more pages.
const PAGES_FOR_ONE: u32 = 4;
/// An outline with this share of meaningless entries is junk.
const MOSTLY: f32 = 0.6;
const FILE_ENDINGS: &str = ".pdf .doc .docx .tex .indd .qxd .p65 .fm .ps .eps .dvi .ppt .pptx .xls .xlsx";

/// Whether an outline is junk: a single entry, file names, page numbers, or entries that lead nowhere.
pub(super) fn is_junk(outline: &[OutlineEntry], pages: u32) -> bool {
    let share = |is_meaningless: &dyn Fn(&OutlineEntry) -> bool| {
        outline.iter().filter(|entry| is_meaningless(entry)).count() as f32 / outline.len() as f32
    };
    if outline.len() == 1 && pages > PAGES_FOR_ONE {
        return true;
    }
    let first = outline.iter().find_map(|entry| entry.page);
    let all_on_one_page = outline.len() > 3
        && pages > PAGES_FOR_ONE
        && outline.iter().all(|entry| entry.page.is_none() || entry.page == first);
    all_on_one_page
        || share(&|entry| entry.title.is_empty()) >= MOSTLY
        || share(&|entry| is_file_name(&entry.title)) >= MOSTLY
        || share(&|entry| is_page_name(&entry.title, entry.page)) >= MOSTLY
}

fn is_file_name(title: &str) -> bool {
    let lower = title.to_lowercase();
    !lower.contains(' ') && FILE_ENDINGS.split_whitespace().any(|ending| lower.ends_with(ending))
}

/// Only the name of a page: `Page 12`, `Slide 3`, `12`, `第 4 页`.
fn is_page_name(title: &str, page: Option<u32>) -> bool {
    let lower = title.to_lowercase();
    let core = ["page", "slide", "seite", "folie", "p.", "第"].iter().find_map(|word| lower.strip_prefix(word));
    let number: &str = core.unwrap_or(&lower).trim_matches(|c: char| !c.is_ascii_digit());
    let rest: String = core.unwrap_or(&lower).chars().filter(|c| !c.is_ascii_digit() && !c.is_whitespace()).collect();
    let is_number = !number.is_empty() && matches!(rest.as_str(), "" | "页" | "頁");
    is_number && (core.is_some() || page.is_none() || number.parse().ok() == page)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::BlockKind;
    use crate::structure::tests::entry;

    fn outline(titles: &[&str]) -> Vec<OutlineEntry> {
        (1u32..).zip(titles).map(|(page, title)| entry(1, title, Some(page))).collect()
    }

    #[test]
    fn a_heading_with_a_note_in_the_margin_is_found_and_printed_numbers_are_added() {
        let line = |text: &str| Block::new(BlockKind::Line, text, Some(1));
        let blocks =
            ["the end of the section before", "3.2 Pumps since 2.1", "Text.", "3.3 Valves", "Text.", "Seals"].map(line);
        let entries = ["Pumps", "Valves", "Seals"].map(|title| entry(1, title, Some(1)));
        let found = with_printed_numbers(headings(&entries, &blocks), &blocks);
        let found: Vec<(&str, usize, usize)> =
            found.iter().map(|heading| (heading.title.as_str(), heading.start, heading.heading_blocks)).collect();
        // The line with the note stays in the text.
        assert_eq!(found, [("3.2 Pumps", 1, 0), ("3.3 Valves", 4, 1), ("Seals", 6, 1)]);
        // A person who corrects the table of contents leaves the number there.
        let corrected = headings(&[entry(1, "3.2 Pumps", Some(1))], &blocks);
        assert_eq!(corrected[0].start, 1);
    }

    #[test]
    fn numbers_that_follow_no_other_are_not_added() {
        let line = |text: &str| Block::new(BlockKind::Line, text, Some(1));
        let blocks = ["5 May", "10", "Results", "1) Pumps", "2) Valves", "3 steps follow"].map(line);
        let entries = ["May", "Results", "Pumps", "Valves", "Steps"].map(|title| entry(1, title, Some(1)));
        let found = with_printed_numbers(headings(&entries, &blocks), &blocks);
        let titles: Vec<&str> = found.iter().map(|heading| heading.title.as_str()).collect();
        assert_eq!(titles, ["May", "Results", "Pumps", "Valves", "Steps"]);
        assert_eq!(found[4].heading_blocks, 0, "it is placed by its page");
        assert_eq!(found[4].start, found[3].start);
    }

    #[test]
    fn meaningless_outlines_are_junk() {
        assert!(is_junk(&outline(&["Document1"]), 20));
        assert!(is_junk(&outline(&["ch01.doc", "ch02.doc", "ch03.doc"]), 20));
        assert!(is_junk(&outline(&["Page 1", "Page 2", "Page 3", "Page 4"]), 4));
        assert!(is_junk(&outline(&["第1页", "第 2 页", "第3页"]), 3));
        assert!(!is_junk(&outline(&["Introduction", "Methods", "Results"]), 20));
        assert!(!is_junk(&outline(&["Only chapter"]), 2));
        assert!(!is_junk(&outline(&["1984", "2001", "1066"]), 30));
    }

    #[test]
    fn entries_on_a_single_page_are_junk() {
        let mut entries = outline(&["A", "B", "C", "D"]);
        entries.iter_mut().for_each(|entry| entry.page = Some(1));
        assert!(is_junk(&entries, 30));
        assert!(!is_junk(&entries, 2));
    }

    #[test]
    fn the_search_for_titles_is_bounded() {
        let entries: Vec<OutlineEntry> =
            (0..20_000).map(|i| entry(1, &format!("{} {i}", "pumps and valves ".repeat(15)), Some(1))).collect();
        let line = |i| Block::new(BlockKind::Paragraph, format!("{} {i}", "valves and pumps ".repeat(15)), Some(1));
        let blocks: Vec<Block> = (0..2000).map(line).collect();
        let headings = super::headings(&entries, &blocks);
        assert_eq!(headings.len(), entries.len());
        assert!(headings.iter().all(|heading| heading.heading_blocks == 0));
    }
}
