//! Gives headings with the same kind of number the same level in the whole document.

use std::collections::HashMap;

use super::numbering::{self, Kind};
use super::tree::Heading;

/// Headings of one class share a level if at least this share of them agrees.
const AGREE: f32 = 0.5;

/// The levels of headings in order, by a rule that says whether one is below another.
pub fn nested<T: Copy>(headings: impl Iterator<Item = T>, is_below: impl Fn(T, T) -> bool) -> Vec<u32> {
    let mut open: Vec<T> = Vec::new();
    let level = |heading| {
        while open.last().is_some_and(|above| !is_below(heading, *above)) {
            open.pop();
        }
        open.push(heading);
        open.len() as u32
    };
    headings.map(level).collect()
}

type Class = (Kind, usize);

/// Gives headings with numbers of one kind and depth the level of most of them. A heading before anything that could be
/// above it keeps its level: chapter 1 may come before part I.
pub fn make_consistent(headings: &mut [Heading]) {
    let class = |heading: &Heading| numbering::parse(&heading.title).map(|number| (number.kind, number.depth()));
    let classes: Vec<Option<Class>> = headings.iter().map(class).collect();
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
            let most = counts.iter().max_by_key(|(level, count)| (**count, **level));
            let (&level, &count) = most.expect("the heading itself counts");
            let has_something_above = level == 1 || highest < level;
            if count as f32 >= AGREE * all as f32 && (has_something_above || level < heading.level) {
                heading.level = level;
            }
        }
        highest = highest.min(heading.level);
    }
    put_below_parents(headings);
}

/// Puts `3.15.1` below `3.15`, whatever its type.
fn put_below_parents(headings: &mut [Heading]) {
    // The levels of possible parents, by the parts of their numbers.
    let mut open: HashMap<Vec<u32>, u32> = HashMap::new();
    for heading in headings {
        let own_tree = [Kind::Decimal, Kind::Letter, Kind::Chapter, Kind::Appendix];
        let number = numbering::parse(&heading.title).filter(|number| own_tree.contains(&number.kind));
        let Some(number) = number else { continue };
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
    use crate::structure::tests::heading_at;

    /// The resulting levels.
    fn consistent(headings: &[(u32, &str)]) -> Vec<u32> {
        let heading = |&(level, title): &(u32, &str)| heading_at(level, title, 1, Provenance::Numbering);
        let mut headings: Vec<Heading> = headings.iter().map(heading).collect();
        make_consistent(&mut headings);
        headings.iter().map(|heading| heading.level).collect()
    }

    #[test]
    fn equal_numbers_share_a_level() {
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
    fn a_longer_number_is_below_its_prefix() {
        assert_eq!(consistent(&[(1, "3 A"), (2, "3.15 B"), (2, "3.15.1 C"), (2, "3.16 D")]), [1, 2, 3, 2]);
        assert_eq!(consistent(&[(3, "A. Lists"), (3, "A.1 Tests"), (3, "B. More")]), [3, 4, 3]);
    }
}
