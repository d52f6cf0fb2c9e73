//! Headings by type and numbers: size and weight against the body, lines that stand alone, numbers that continue.

mod candidates;
mod headings;
mod known;
mod rows;
#[cfg(test)]
mod tests;
mod titles;

use std::collections::{HashMap, HashSet};

pub(super) use candidates::{Body, body, is_distinct};
use candidates::{Candidate, candidates};
use headings::Accepted;
pub(super) use rows::{figures, is_row};
use titles::is_front_matter;
pub(super) use titles::{could_be_title, ends_like_a_sentence};

use super::tree::Heading;
use crate::load::Block;

/// For a style on the first page only: the fewest headings that have text below, and the fewest lines of that text.
const FEWEST_ON_ONE_PAGE: usize = 2;
const LINES_BELOW: usize = 2;
/// The least headings with numbers in a document that numbers its headings.
const FEWEST_NUMBERED: usize = 3;

/// The headings with their confidence. `skip` holds blocks that cannot be headings, such as printed contents. `known`
/// are headings that the contents name: if there are any, only lines of the same type and numbers below theirs are
/// added.
pub fn find(blocks: &[Block], skip: &[(usize, usize)], known: &[Heading]) -> Vec<Heading> {
    let body = body(blocks);
    let candidates = candidates(blocks, body.as_ref(), skip);
    let mut headings = if known.is_empty() {
        let accepted = headings::accept(&candidates, body.as_ref(), blocks);
        let accepted = without_title(accepted, blocks.len());
        let levels = headings::levels(&accepted);
        let heading = |((candidate, sure), level): (&Accepted<'_>, u32)| candidate.heading(level, *sure);
        accepted.iter().zip(levels).map(heading).collect()
    } else {
        let mut all: Vec<Heading> = known.to_vec();
        all.extend(known::learned(&candidates, known));
        all.sort_by_key(|heading| heading.start);
        all.extend(known::numbered_below(&candidates, &all));
        all.sort_by_key(|heading| heading.start);
        all
    };
    known::add_index_letters(&mut headings, &candidates, body.as_ref());
    headings
}

/// Removes what is large on the first page and nowhere else: the document's title and what belongs to it.
fn without_title(accepted: Vec<Accepted<'_>>, lines: usize) -> Vec<Accepted<'_>> {
    let Some(first) = accepted.first().and_then(|(candidate, _)| candidate.page) else { return accepted };
    let looks = |candidate: &Candidate| (candidate.style.size, candidate.style.bold);
    let later = accepted.iter().map(|(candidate, _)| candidate).filter(|candidate| candidate.page != Some(first));
    let later: HashSet<(i32, bool)> = later.map(|candidate| looks(candidate)).collect();
    // A document of one page has its headings there; text follows each of them, unlike on a cover.
    let mut followed: HashMap<(i32, bool), usize> = HashMap::new();
    let ends = accepted.iter().skip(1).map(|(next, _)| next.start).chain(std::iter::once(lines));
    for ((candidate, _), end) in accepted.iter().zip(ends) {
        if end - candidate.start - candidate.lines >= LINES_BELOW {
            *followed.entry(looks(candidate)).or_default() += 1;
        }
    }
    let heads_text = |looks| followed.get(&looks).is_some_and(|count| *count >= FEWEST_ON_ONE_PAGE);
    // The title and the authors stand before the first number.
    let is_numbered = accepted.iter().filter(|(candidate, _)| candidate.number.is_some()).count() >= FEWEST_NUMBERED;
    let leads = |(candidate, _): &Accepted<'_>| {
        candidate.page == Some(first)
            && candidate.number.is_none()
            && ((is_numbered && !is_front_matter(&candidate.text))
                || (!later.contains(&looks(candidate)) && !heads_text(looks(candidate))))
    };
    accepted.into_iter().skip_while(leads).collect()
}
