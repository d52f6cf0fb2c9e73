//! Headings below the entries of outlines and contents pages: those found between an entry and the next, if the entry
//! has no entries below it and spans several pages.

use std::collections::{HashMap, HashSet};

use super::numbering;
use super::title_match::{normalise_title, number_before};
use super::tree::{Heading, ends};
use crate::load::Block;

/// An entry on fewer pages is left as it is.
const FEWEST_PAGES: u32 = 3;
/// Deeper entries are left as they are.
const DEEPEST: u32 = 2;
/// The least number of entries with numbers that make numbers the rule on their level.
const FEWEST_NUMBERED: usize = 3;
/// Fewer headings below an entry are ignored.
const FEWEST_BELOW: usize = 3;

/// Adds `found` headings, which are in text order, below long entries that have no entries below them.
pub(super) fn add(entries: Vec<Heading>, found: &[Heading], blocks: &[Block]) -> Vec<Heading> {
    add_where(entries, found, blocks, |entry| entry.level <= DEEPEST)
}

/// The same for those entries that `may` get subheadings.
pub(super) fn add_where(
    entries: Vec<Heading>,
    found: &[Heading],
    blocks: &[Block],
    may: impl Fn(&Heading) -> bool,
) -> Vec<Heading> {
    let ends = ends(&entries, blocks.len());
    let numbered = numbered_levels(&entries);
    let page = |block: usize| blocks.get(block).and_then(|block| block.page).unwrap_or(0);
    let mut all = Vec::with_capacity(entries.len());
    let mut entries = entries.into_iter().zip(ends).peekable();
    while let Some((entry, end)) = entries.next() {
        let is_leaf = entries.peek().is_none_or(|(next, _)| next.level <= entry.level);
        let is_long = end > entry.start && page(end - 1) + 1 >= page(entry.start) + FEWEST_PAGES;
        let below = if is_leaf && is_long && may(&entry) {
            // The headings below 2.1 are numbered, such as 2.1.1.
            let is_deep = numbering::parse(&entry.title).is_some_and(|number| number.depth() > 1);
            below(&entry, end, found, is_deep || numbered.contains(&(entry.level + 1)))
        } else {
            Vec::new()
        };
        all.push(entry);
        all.extend(below);
    }
    all
}

/// The headings found in the text of an entry, which ends at block `end`; empty if there are too few.
fn below(entry: &Heading, end: usize, found: &[Heading], only_numbered: bool) -> Vec<Heading> {
    let title = normalise_title(&entry.title);
    let first = found.partition_point(|heading| heading.start <= entry.start);
    let inside = found[first..].iter().take_while(|heading| heading.start < end).filter(|heading| {
        heading.start - heading.heading_blocks >= entry.start
            && (!only_numbered || numbering::parse(&heading.title).is_some())
            && normalise_title(&heading.title) != title
            // The line of the entry itself may have more than its title.
            && (heading.start - heading.heading_blocks != entry.start || number_before(&heading.title, &title).is_none())
    });
    let inside: Vec<&Heading> = inside.collect();
    let Some(highest) = inside.iter().map(|heading| heading.level).min() else { return Vec::new() };
    if inside.len() < FEWEST_BELOW {
        return Vec::new();
    }
    let below = |heading: &Heading| Heading { level: entry.level + 1 + heading.level - highest, ..heading.clone() };
    inside.into_iter().map(below).collect()
}

/// The levels on which most entries have numbers: only headings with a number are added there.
fn numbered_levels(entries: &[Heading]) -> HashSet<u32> {
    let mut counts: HashMap<u32, (usize, usize)> = HashMap::new();
    for entry in entries {
        let (numbered, all) = counts.entry(entry.level).or_default();
        *numbered += usize::from(numbering::parse(&entry.title).is_some());
        *all += 1;
    }
    let mostly = counts.into_iter().filter(|(_, (numbered, all))| *numbered >= FEWEST_NUMBERED && numbered * 2 > *all);
    mostly.map(|(level, _)| level).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structure::Provenance;
    use crate::structure::tests::{body, heading, heading_at, page};

    /// A chapter with a page for each topic, each under a heading, from page `first` on.
    fn chapter(title: &str, first: u32, topics: &[&str]) -> Vec<Block> {
        let below = topics.iter().zip(first..).flat_map(|(topic, number)| {
            let above = if number == first { vec![heading(title, 16.0)] } else { Vec::new() };
            page(number, [above, vec![heading(topic, 12.0)], body(topic)])
        });
        below.collect()
    }

    fn headings(blocks: &[Block], at: impl Fn(&Block) -> Option<u32>, provenance: Provenance) -> Vec<Heading> {
        let heading =
            |(i, block): (usize, &Block)| at(block).map(|level| heading_at(level, &block.text, i + 1, provenance));
        blocks.iter().enumerate().filter_map(heading).collect()
    }

    /// The level and the title of each heading: `2 Pumps`.
    fn with_subheadings(blocks: &[Block], entries: &[(&str, u32)]) -> Vec<String> {
        let listed = |block: &Block| entries.iter().find(|(title, _)| *title == block.text).map(|(_, level)| *level);
        let looks = |block: &Block| match block.style.as_ref().filter(|style| style.bold)?.size {
            size if size > 14.0 => Some(1),
            _ => Some(2),
        };
        let entries = headings(blocks, listed, Provenance::Outline);
        let found = headings(blocks, looks, Provenance::Typography);
        let all = add(entries, &found, blocks).into_iter();
        all.map(|heading| format!("{} {}", heading.level, heading.title)).collect()
    }

    #[test]
    fn a_long_entry_gets_the_headings_found_in_it() {
        let blocks = [
            chapter("Plant", 1, &["Pumps", "Motors", "Screens"]),
            chapter("Fees", 4, &["Rates", "Meters"]),
            chapter("Repairs", 6, &["Seals", "Lamps", "Valves"]),
        ]
        .concat();
        let entries = [("Plant", 1), ("Fees", 1), ("Repairs", 1), ("Seals", 2), ("Lamps", 2)];
        let found = with_subheadings(&blocks, &entries).join(", ");
        // Short entries and those with entries stay as they are.
        assert_eq!(found, "1 Plant, 2 Pumps, 2 Motors, 2 Screens, 1 Fees, 1 Repairs, 2 Seals, 2 Lamps");
    }

    #[test]
    fn where_sections_have_numbers_only_numbered_ones_are_added() {
        let first = chapter("Plant", 1, &["1.1 Pumps", "1.2 Motors", "1.3 Screens"]);
        let second = chapter("Repairs", 4, &["2.1 Seals", "2.2 Lamps", "2.3 Valves", "Attention"]);
        let entries = [("Plant", 1), ("1.1 Pumps", 2), ("1.2 Motors", 2), ("1.3 Screens", 2), ("Repairs", 1)];
        let found = with_subheadings(&[first, second].concat(), &entries);
        assert_eq!(found[5..], ["2 2.1 Seals", "2 2.2 Lamps", "2 2.3 Valves"]);
    }

    #[test]
    fn two_headings_below_an_entry_are_too_few() {
        let two = [chapter("Plant", 1, &["Pumps", "Motors"]), page(3, [body("b")])].concat();
        assert_eq!(with_subheadings(&two, &[("Plant", 1)]), ["1 Plant"]);
        assert_eq!(with_subheadings(&[], &[]), [""; 0]);
    }
}
