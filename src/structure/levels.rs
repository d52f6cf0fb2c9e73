//! Levels that are the same for what is numbered the same, all through a document.

use std::collections::HashMap;

use super::Heading;
use super::numbering::{self, Kind};

/// Headings of one class are on one level where at least this share of them agrees.
const AGREE: f32 = 0.5;

type Class = (Kind, usize);

/// Puts headings whose numbers are of one kind and depth on the level that most of them have. A heading that comes
/// before anything that could stand above it keeps its own: chapter 1 may come before part I.
pub fn make_consistent(headings: &mut [Heading]) {
    let classes: Vec<Option<Class>> = headings
        .iter()
        .map(|heading| numbering::parse(&heading.title).map(|number| (number.kind, number.depth())))
        .collect();
    let mut levels: HashMap<Class, HashMap<u32, usize>> = HashMap::new();
    for (heading, class) in headings.iter().zip(&classes) {
        if let Some(class) = class {
            *levels.entry(*class).or_default().entry(heading.level).or_default() += 1;
        }
    }
    let mut highest = u32::MAX;
    for (heading, class) in headings.iter_mut().zip(&classes) {
        if let Some(counts) = class.and_then(|class| levels.get(&class)) {
            let all: usize = counts.values().sum();
            let (level, count) = counts
                .iter()
                .map(|(&level, &count)| (level, count))
                .max_by_key(|&(level, count)| (count, level))
                .unwrap_or((heading.level, 0));
            let has_something_above = level == 1 || highest < level;
            if count as f32 >= AGREE * all as f32 && (has_something_above || level < heading.level) {
                heading.level = level;
            }
        }
        highest = highest.min(heading.level);
    }
    put_below_parents(headings);
}

/// Puts `3.15.1` below `3.15`, whatever it looks like.
fn put_below_parents(headings: &mut [Heading]) {
    // The levels of the headings that may be parents, by the parts of their numbers.
    let mut open: HashMap<Vec<u32>, u32> = HashMap::new();
    for heading in headings {
        let Some(number) = numbering::parse(&heading.title) else { continue };
        let own_tree = matches!(number.kind, Kind::Decimal | Kind::Letter | Kind::Chapter | Kind::Appendix);
        if !own_tree {
            continue;
        }
        if let Some((_, above)) = number.parts.split_last()
            && let Some(&level) = open.get(above)
            && heading.level <= level
        {
            heading.level = level + 1;
        }
        if number.depth() == 1 {
            open.clear();
        }
        open.insert(number.parts, heading.level);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structure::Provenance;

    /// The levels that headings have in the end.
    fn consistent(headings: &[(u32, &str)]) -> Vec<u32> {
        let heading = |&(level, title): &(u32, &str)| Heading {
            level,
            title: title.into(),
            page: None,
            start: 0,
            heading_blocks: 0,
            provenance: Provenance::Numbering,
            confidence: 1.0,
        };
        let mut headings: Vec<Heading> = headings.iter().map(heading).collect();
        make_consistent(&mut headings);
        headings.iter().map(|heading| heading.level).collect()
    }

    #[test]
    fn what_is_numbered_alike_is_on_one_level() {
        let headings = [(1, "1 A"), (2, "1.1 B"), (2, "1.2 C"), (1, "2 D"), (3, "2.1 E"), (2, "2.2 F")];
        assert_eq!(consistent(&headings), [1, 2, 2, 1, 2, 2]);
    }

    #[test]
    fn a_chapter_before_the_first_part_keeps_its_level() {
        let headings = [(1, "Chapter 1 A"), (1, "Part I"), (2, "Chapter 2 B"), (2, "Chapter 3 C"), (1, "Part II")];
        assert_eq!(consistent(&headings), [1, 1, 2, 2, 1]);
    }

    #[test]
    fn without_numbers_nothing_changes() {
        assert_eq!(consistent(&[(1, "A"), (3, "B"), (2, "C")]), [1, 3, 2]);
        assert_eq!(consistent(&[]), [0u32; 0]);
    }

    #[test]
    fn a_part_of_a_number_is_below_the_whole_number() {
        assert_eq!(consistent(&[(1, "3 A"), (2, "3.15 B"), (2, "3.15.1 C"), (2, "3.16 D")]), [1, 2, 3, 2]);
        assert_eq!(consistent(&[(3, "A. Lists"), (3, "A.1 Tests"), (3, "B. More")]), [3, 4, 3]);
    }
}
