//! The same heading twice in a row: a contents entry that was placed by its page number alone, with the line that was
//! found there by its type; or a title that is printed twice.

use std::collections::HashSet;

use super::numbering;
use super::title_match::normalise_title;
use super::tree::{Heading, Provenance};

/// The most lines between a title and its repetition.
const MOST_BETWEEN: usize = 3;
/// A title that is the beginning of another has at least this many letters.
const SHORTEST_BEGINNING: usize = 12;

/// Merges headings that follow each other in the text and have the same title on the same page.
pub(super) fn merge(headings: &mut Vec<Heading>) {
    drop_renamed(headings);
    drop_running_heads(headings);
    let mut merged: Vec<Heading> = Vec::with_capacity(headings.len());
    for heading in headings.drain(..) {
        match merged.last_mut() {
            Some(before) if repeats(before, &heading) => {
                if before.heading_blocks == 0 {
                    (before.start, before.heading_blocks) = (heading.start, heading.heading_blocks);
                }
                before.confidence = before.confidence.max(heading.confidence);
            }
            _ => merged.push(heading),
        }
    }
    *headings = merged;
}

/// Removes contents entries placed by their page number alone if a heading on that page has their number: the text has
/// another title than the contents. Numbers of one part may be those of a list.
fn drop_renamed(headings: &mut Vec<Heading>) {
    let place = |heading: &Heading| {
        let number = numbering::parse(&heading.title).filter(|number| number.depth() > 1)?;
        Some((heading.page, number.kind, number.parts))
    };
    let printed: HashSet<_> = headings.iter().filter(|heading| heading.heading_blocks > 0).filter_map(place).collect();
    headings.retain(|heading| {
        let is_counted = heading.provenance == Provenance::PrintedContents && heading.heading_blocks == 0;
        !is_counted || place(heading).is_none_or(|place| !printed.contains(&place))
    });
}

/// Removes headings with the number and the title of one whose section has not ended: running heads that stayed in the
/// text. Chapters of different books may have the same number and title.
fn drop_running_heads(headings: &mut Vec<Heading>) {
    // The headings around the text, the outermost first: level, page and normalised title.
    let mut open: Vec<(u32, Option<u32>, String)> = Vec::new();
    headings.retain(|heading| {
        let title = normalise_title(&heading.title);
        let is_numbered = numbering::printed_number(&heading.title).is_some();
        if is_numbered && open.iter().any(|(_, page, other)| *page != heading.page && *other == title) {
            return false;
        }
        open.retain(|(level, ..)| *level < heading.level);
        open.push((heading.level, heading.page, title));
        true
    });
}

fn repeats(before: &Heading, heading: &Heading) -> bool {
    let key = |heading: &Heading| {
        let number = numbering::parse(&heading.title).map_or(0, |number| number.length);
        normalise_title(&heading.title[number..])
    };
    let (a, b) = (key(before), key(heading));
    // A section may have the title of its first subsection; then each has its number, or the contents list both.
    let number = |heading: &Heading| numbering::parse(&heading.title).map(|number| number.parts);
    let both = number(before).zip(number(heading)).is_some_and(|(a, b)| a != b)
        || (before.provenance == heading.provenance && before.provenance == Provenance::PrintedContents);
    let is_counted = before.heading_blocks == 0 && heading.heading_blocks > 0;
    let is_near = heading.start.saturating_sub(heading.heading_blocks + before.start) <= MOST_BETWEEN;
    let begins = || is_counted && b.chars().count() >= SHORTEST_BEGINNING && a.starts_with(&b);
    !both && before.page == heading.page && (is_counted || is_near) && !b.is_empty() && (a == b || begins())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heading(title: &str, start: usize, heading_blocks: usize) -> Heading {
        let provenance = if heading_blocks == 0 { Provenance::PrintedContents } else { Provenance::Typography };
        Heading { level: 1, title: title.into(), page: Some(3), start, heading_blocks, provenance, confidence: 0.6 }
    }

    fn merged(mut headings: Vec<Heading>) -> Vec<(String, usize)> {
        merge(&mut headings);
        headings.into_iter().map(|heading| (heading.title, heading.start)).collect()
    }

    #[test]
    fn an_entry_takes_the_place_of_the_line_with_its_title() {
        let found = merged(vec![heading("Item 5 Market", 10, 0), heading("ITEM 5 - Market", 30, 1)]);
        assert_eq!(found, [("Item 5 Market".to_owned(), 30)]);
        let longer = vec![
            heading("Collaboration and Promotion Agreements", 10, 0),
            heading("COLLABORATION AND PROMOTION", 30, 1),
        ];
        assert_eq!(merged(longer).len(), 1);
    }

    #[test]
    fn an_entry_with_another_title_than_the_heading_of_its_number_is_dropped() {
        let headings = vec![
            heading("2.5 Hooks of documents", 10, 0),
            heading("2.3 Protection", 20, 1),
            heading("2.5 More hooks", 40, 1),
            heading("2.6 Tests", 50, 0),
        ];
        let wanted = [("2.3 Protection", 20), ("2.5 More hooks", 40), ("2.6 Tests", 50)];
        assert_eq!(merged(headings), wanted.map(|(title, start)| (title.to_owned(), start)));
    }

    #[test]
    fn a_running_head_with_the_number_of_its_chapter_is_dropped() {
        let at = |page: u32, level: u32, title: &str| Heading {
            level,
            page: Some(page),
            ..heading(title, 100 * page as usize, 1)
        };
        let headings =
            vec![at(1, 1, "第三章 水泵"), at(1, 2, "3.1 启动"), at(2, 1, "第三章 水泵"), at(3, 2, "3.2 停止")];
        let titles: Vec<String> = merged(headings).into_iter().map(|(title, _)| title).collect();
        assert_eq!(titles, ["第三章 水泵", "3.1 启动", "3.2 停止"]);
        let mut books = vec![at(1, 1, "1 Pumps"), at(2, 1, "2 Motors"), at(3, 1, "1 Pumps")];
        books.extend([at(4, 2, "Use"), at(5, 2, "Use"), at(6, 1, "A guide"), at(7, 2, "A guide")]);
        assert_eq!(merged(books).len(), 7, "another book, and titles without a number");
    }

    #[test]
    fn titles_printed_twice_merge_and_sections_with_equal_titles_do_not() {
        assert_eq!(merged(vec![heading("License", 10, 1), heading("1 License", 12, 1)]), [("License".to_owned(), 10)]);
        assert_eq!(merged(vec![heading("Syntax", 10, 1), heading("Syntax", 30, 1)]).len(), 2);
        assert_eq!(merged(vec![heading("Syntax", 10, 1), heading("Options", 11, 1)]).len(), 2);
        assert_eq!(merged(vec![heading("1 Syntax", 10, 1), heading("1.1 Syntax", 11, 1)]).len(), 2);
    }
}
