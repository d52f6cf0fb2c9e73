//! Headings below the entries of outlines and contents pages: those found between an entry and the next, if the entry
//! has none of its own below it and goes on over several pages.

use super::locate::normalise_title;
use super::tree::Heading;
use crate::load::Block;

/// An entry on fewer pages is left as it is.
const FEWEST_PAGES: u32 = 3;
/// Fewer headings below an entry are no structure.
const FEWEST_BELOW: usize = 2;

/// Adds those of the `found` headings, in the order of the text, that are below an entry without entries below it.
pub(super) fn deepen(entries: Vec<Heading>, found: &[Heading], blocks: &[Block]) -> Vec<Heading> {
    let ends = ends(&entries, blocks.len());
    let page = |block: usize| blocks.get(block).and_then(|block| block.page).unwrap_or(0);
    let mut all = Vec::with_capacity(entries.len());
    let mut entries = entries.into_iter().zip(ends).peekable();
    while let Some((entry, end)) = entries.next() {
        let is_leaf = entries.peek().is_none_or(|(next, _)| next.level <= entry.level);
        let from = entry.start;
        let below = if is_leaf && end > from && page(end - 1) + 1 >= page(from) + FEWEST_PAGES {
            let first = found.partition_point(|heading| heading.start <= from);
            let title = normalise_title(&entry.title);
            let inside = found[first..].iter().take_while(|heading| heading.start < end);
            inside
                .filter(|heading| {
                    heading.start - heading.heading_blocks >= from && normalise_title(&heading.title) != title
                })
                .collect()
        } else {
            Vec::new()
        };
        let above = entry.level;
        all.push(entry);
        if below.len() >= FEWEST_BELOW {
            let highest = below.iter().map(|heading| heading.level).min().unwrap_or(1);
            all.extend(
                below
                    .into_iter()
                    .map(|heading| Heading { level: above + 1 + heading.level - highest, ..heading.clone() }),
            );
        }
    }
    all
}

/// The first block behind the text of each entry; outlines may jump back.
fn ends(entries: &[Heading], blocks: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|&i| entries[i].start);
    let mut ends = vec![blocks; entries.len()];
    for pair in order.windows(2) {
        let next = &entries[pair[1]];
        ends[pair[0]] = (next.start - next.heading_blocks).max(entries[pair[0]].start);
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structure::Provenance;
    use crate::structure::tests::{body, heading, page};

    /// A chapter of so many pages with a heading on each, from page `first` on.
    fn chapter(title: &str, first: u32, topics: &[&str]) -> Vec<Block> {
        let below = topics.iter().zip(first..).flat_map(|(topic, number)| {
            let above = if number == first { vec![heading(title, 16.0)] } else { Vec::new() };
            page(number, [above, vec![heading(topic, 12.0)], body(topic)])
        });
        below.collect()
    }

    /// The headings at these blocks.
    fn headings(blocks: &[Block], at: impl Fn(&Block) -> Option<u32>, provenance: Provenance) -> Vec<Heading> {
        let heading = |(i, block): (usize, &Block)| {
            at(block).map(|level| Heading {
                level,
                title: block.text.clone(),
                page: block.page,
                start: i + 1,
                heading_blocks: 1,
                provenance,
                confidence: 0.6,
            })
        };
        blocks.iter().enumerate().filter_map(heading).collect()
    }

    fn deepened(blocks: &[Block], entries: &[(&str, u32)]) -> Vec<(u32, String)> {
        let listed = |block: &Block| entries.iter().find(|(title, _)| *title == block.text).map(|(_, level)| *level);
        let looks = |block: &Block| match block.style.as_ref().filter(|style| style.bold)?.size {
            size if size > 14.0 => Some(1),
            _ => Some(2),
        };
        let entries = headings(blocks, listed, Provenance::Outline);
        let found = headings(blocks, looks, Provenance::Typography);
        deepen(entries, &found, blocks).into_iter().map(|heading| (heading.level, heading.title)).collect()
    }

    #[test]
    fn a_long_entry_gets_the_headings_found_in_it() {
        let blocks = [
            chapter("Plant", 1, &["Pumps", "Motors", "Screens"]),
            chapter("Fees", 4, &["Rates", "Meters"]),
            chapter("Repairs", 6, &["Seals", "Lamps", "Valves"]),
        ]
        .concat();
        let names =
            |level, titles: &[&str]| titles.iter().map(|title| (level, (*title).to_owned())).collect::<Vec<_>>();
        let entries = [("Plant", 1), ("Fees", 1), ("Repairs", 1), ("Seals", 2), ("Lamps", 2)];
        let wanted = [
            names(1, &["Plant"]),
            names(2, &["Pumps", "Motors", "Screens"]),
            names(1, &["Fees", "Repairs"]),
            names(2, &["Seals", "Lamps"]),
        ];
        assert_eq!(
            deepened(&blocks, &entries),
            wanted.concat(),
            "short entries and those with entries stay as they are"
        );
    }

    #[test]
    fn a_single_heading_below_an_entry_is_left_out() {
        let one = [chapter("Plant", 1, &["Pumps"]), page(2, [body("a")]), page(3, [body("b")])].concat();
        assert_eq!(deepened(&one, &[("Plant", 1)]), [(1, "Plant".to_owned())]);
        assert_eq!(deepened(&[], &[]), []);
    }
}
