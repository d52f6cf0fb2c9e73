//! Where the titles of a contents page stand in the text, and on which page.

use std::collections::HashMap;
use std::ops::Range;

use super::entries::{Entry, value};
use crate::load::Block;
use crate::structure::locate::{MOST_LINES_OF_A_PAGE, heading_lines, nearly_heading_lines};

/// Where titles stand.
pub(super) struct Places<'a> {
    pub(super) blocks: &'a [Block],
    pub(super) normalised: &'a [String],
    pub(super) spans: &'a [(usize, usize)],
}

impl Places<'_> {
    pub(super) fn first_on(&self, page: u32) -> usize {
        self.blocks.partition_point(|block| block.page.unwrap_or(0) < page)
    }

    fn on(&self, page: u32) -> Range<usize> {
        let first = self.first_on(page);
        first..self.first_on(page + 1).min(first + MOST_LINES_OF_A_PAGE)
    }

    /// The first line on a page, from block `after` on, that says a title, and over how many lines it does.
    pub(super) fn find(&self, title: &str, page: u32, after: usize) -> Option<(usize, usize)> {
        let range = self.on(page);
        let range = range.start.max(after)..range.end;
        range
            .clone()
            .filter(|i| !self.is_contents(*i))
            .find_map(|i| heading_lines(&self.normalised[i..range.end], title).map(|lines| (i, lines)))
    }

    /// The lines on a page that say a title nearly.
    pub(super) fn find_nearly(&self, title: &str, page: u32) -> Option<(usize, usize)> {
        let range = self.on(page);
        range
            .clone()
            .filter(|i| !self.is_contents(*i))
            .find_map(|i| nearly_heading_lines(&self.normalised[i..range.end], title).map(|lines| (i, lines)))
    }

    fn is_contents(&self, block: usize) -> bool {
        self.spans.iter().any(|&(start, end)| (start..end).contains(&block))
    }
}

/// The page of each entry: by the numbers printed on the pages, or by the offset with which most titles are found.
pub(super) fn lead(
    entries: &[Entry],
    titles: &[String],
    places: &Places<'_>,
    labels: &[Option<String>],
) -> Vec<Option<u32>> {
    let mut by_label: HashMap<&str, u32> = HashMap::new();
    for (page, label) in (1u32..).zip(labels) {
        if let Some(label) = label {
            by_label.entry(label.as_str()).or_insert(page);
        }
    }
    let printed: Vec<Option<u32>> =
        entries.iter().map(|entry| by_label.get(entry.label.to_lowercase().as_str()).copied()).collect();
    let offset = best_offset(entries, titles, places);
    let counted: Vec<Option<u32>> = entries
        .iter()
        .map(|entry| u32::try_from(value(&entry.label)? + offset?).ok().filter(|&page| page > 0))
        .collect();
    let hits = |pages: &[Option<u32>]| {
        pages
            .iter()
            .zip(titles)
            .filter(|(page, title)| page.is_some_and(|page| places.find(title, page, 0).is_some()))
            .count()
    };
    let (better, other) = if hits(&printed) >= hits(&counted) { (printed, counted) } else { (counted, printed) };
    better.into_iter().zip(other).map(|(page, other)| page.or(other)).collect()
}

fn best_offset(entries: &[Entry], titles: &[String], places: &Places<'_>) -> Option<i64> {
    let mut pages_of: HashMap<&str, Vec<u32>> = HashMap::new();
    for (i, text) in places.normalised.iter().enumerate() {
        if !text.is_empty() && !places.is_contents(i) {
            pages_of.entry(text).or_default().extend(places.blocks[i].page);
        }
    }
    let mut votes: HashMap<i64, usize> = HashMap::new();
    for (entry, title) in entries.iter().zip(titles) {
        let Some(label) = value(&entry.label) else { continue };
        let mut offsets: Vec<i64> =
            pages_of.get(title.as_str()).into_iter().flatten().map(|&page| i64::from(page) - label).collect();
        offsets.sort_unstable();
        offsets.dedup();
        offsets.into_iter().for_each(|offset| *votes.entry(offset).or_default() += 1);
    }
    votes.into_iter().max_by_key(|&(offset, count)| (count, -offset.abs())).map(|(offset, _)| offset)
}
