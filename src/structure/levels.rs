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
}
