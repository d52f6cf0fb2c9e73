//! The printed contents page: titles with dotted leaders or aligned page numbers, on one or more pages.

mod entries;
mod levels;
mod places;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

pub use entries::is_contents_title;
use entries::{Entry, regions};
use levels::levels;
use places::{Places, pages};

use super::numbering::{self, Kind};
use super::outline::first_on;
use super::title_match::normalise_title;
use super::tree::{Heading, Provenance};
use crate::load::Block;

/// The least share of entries found on their pages. Contents with a title need fewer, if most entries whose title is a
/// line anywhere are found: manual pages begin `def-type — Defines a type` where contents say `def-type`.
const FEWEST_CONFIRMED: f32 = 0.6;
const FEWEST_UNDER_TITLE: f32 = 0.3;
const FEWEST_IN_PLACE: f32 = 0.8;
/// The lines above contents that may belong to them: their title, and the word over the page numbers.
pub(super) const LINES_ABOVE: usize = 4;
/// Titles are searched this many pages away from the expected one.
const FARTHEST: u32 = 8;
/// The confidence of an entry that was found on its page, and of one placed by its page number alone.
const CONFIRMED: f32 = 0.95;
const COUNTED: f32 = 0.6;

/// A printed table of contents and its blocks.
pub struct Contents {
    pub headings: Vec<Heading>,
    /// The first block and the one after the last.
    pub span: (usize, usize),
}

/// Finds the printed tables of contents whose entries are where they say. `heads` are the lines at the tops of pages
/// that were left out of the text, `labels` the numbers printed on the pages.
pub fn find(blocks: &[Block], heads: &[Block], labels: &[Option<String>]) -> Vec<Contents> {
    let normalised: Vec<String> = blocks.iter().map(|block| normalise_title(block.words())).collect();
    let regions = regions(blocks);
    let spans: Vec<(usize, usize)> =
        regions.iter().map(|entries| (entries[0].blocks.0, entries[entries.len() - 1].blocks.1)).collect();
    let places = Places::new(blocks, &normalised, covered(&spans, blocks.len()));
    let mut firsts: HashSet<Option<usize>> = HashSet::new();
    let mut found: Vec<Contents> = Vec::new();
    for (entries, &span) in regions.iter().zip(&spans) {
        let above = &blocks[span.0.saturating_sub(LINES_ABOVE)..span.0];
        // A title that repeats on each page of the contents was taken for a running head.
        let in_head = heads.iter().filter(|head| head.page == blocks[span.0].page);
        let named = above.iter().chain(in_head).any(|line| is_contents_title(line.words()));
        let resolve = |farthest| resolve(entries, &places, labels, farthest, named);
        let Some(headings) = resolve(0).or_else(|| resolve(FARTHEST)) else { continue };
        // Contents repeated in another language lead to the same places.
        let is_new = firsts.insert(headings.first().map(|heading| heading.start));
        // An index stands after what it lists.
        let behind = headings.iter().filter(|heading| heading.start <= span.0).count();
        let is_contents = is_new && (named || 2 * behind <= headings.len());
        found.push(Contents { headings: if is_contents { headings } else { Vec::new() }, span });
    }
    found
}

/// For each block, whether one of the half-open spans covers it.
pub(super) fn covered(spans: &[(usize, usize)], blocks: usize) -> Vec<bool> {
    let mut covered = vec![false; blocks];
    for &(start, end) in spans {
        covered[start..end].fill(true);
    }
    covered
}

/// Finds the page and the line of each entry, at most `farthest` pages away. The pages of a document printed from a web
/// page drift away from those in its contents; where the contents are right, searching farther only finds wrong lines.
/// `None` if too few entries are found; contents with a title need fewer.
fn resolve(
    entries: &[Entry],
    places: &Places<'_>,
    labels: &[Option<String>],
    farthest: u32,
    has_title: bool,
) -> Option<Vec<Heading>> {
    let blocks = places.blocks;
    let pages = pages(entries, places, labels);
    let levels = levels(entries);
    let mut headings = Vec::new();
    let (mut confirmed, mut elsewhere) = (0, 0);
    let mut after = entries.last()?.blocks.1;
    let last_page = blocks.last()?.page?;
    let mut shift = 0;
    // The group whose first entry has not been placed yet.
    let mut group = None;
    for (i, entry) in entries.iter().enumerate() {
        if entry.is_group() {
            group = Some(i);
            continue;
        }
        let Some(page) = pages[i] else { continue };
        let far = || places.find_far(&entry.normalised, page.saturating_add_signed(shift), farthest, after);
        let found = places.find_near(entry, page, after).or_else(far);
        if let Some((at, _)) = found {
            shift = blocks[at].page.unwrap_or(page) as i32 - page as i32;
        }
        let mut title = entry.title.clone();
        let (start, lines, page) = match found {
            Some((at, lines)) => {
                confirmed += 1;
                if lines > 0 && places.goes_on(at, &entry.normalised) {
                    title = blocks[at].words().to_owned();
                }
                (at + lines, lines, blocks[at].page.unwrap_or(page))
            }
            // An entry whose title is a line on another page does not begin on this one.
            None if places.pages_of.contains_key(entry.normalised.as_str()) => {
                elsewhere += 1;
                continue;
            }
            None if page == 0 || page > last_page => continue,
            None => (first_on(page, blocks).max(after), 0, page),
        };
        if let Some(i) = group.take() {
            let behind = headings.last().map_or(0, |above: &Heading| above.start);
            headings.extend(group_heading(&entries[i], levels[i], behind, start - lines, places));
        }
        after = start;
        let confidence = if found.is_some() { CONFIRMED } else { COUNTED };
        headings.push(heading(title, levels[i], Some(page), start, lines, confidence));
    }
    let counted = entries.iter().filter(|entry| !entry.is_group()).count();
    let are_confirmed = |share: f32, of: usize| confirmed as f32 >= share * of as f32;
    let is_right = are_confirmed(FEWEST_CONFIRMED, counted)
        || (has_title
            && are_confirmed(FEWEST_IN_PLACE, confirmed + elsewhere)
            && are_confirmed(FEWEST_UNDER_TITLE, counted));
    is_right.then_some(headings)
}

fn heading(title: String, level: u32, page: Option<u32>, start: usize, lines: usize, confidence: f32) -> Heading {
    let provenance = Provenance::PrintedContents;
    Heading { level, title, page, start, heading_blocks: lines, provenance, confidence }
}

/// The title of a group: the line between the previous entry and the group's first one at block `first`, on the same
/// page or the one before. A numbered part without such a line begins with its first entry.
fn group_heading(entry: &Entry, level: u32, behind: usize, first: usize, places: &Places<'_>) -> Option<Heading> {
    let page = places.blocks.get(first)?.page?;
    let from = behind.max(first_on(page.saturating_sub(1), places.blocks));
    let found = places.last_before(&entry.normalised, from, first);
    if let Some((at, lines)) = found {
        return Some(heading(entry.title.clone(), level, places.blocks[at].page, at + lines, lines, CONFIRMED));
    }
    let is_part = numbering::parse(&entry.title).is_some_and(|number| number.kind == Kind::Part);
    is_part.then(|| heading(entry.title.clone(), level, Some(page), first, 0, COUNTED))
}
