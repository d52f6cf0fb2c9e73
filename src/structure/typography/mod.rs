//! Headings by their looks and numbers: size and weight against the body, what stands alone, numbers that go on.

mod body;
mod candidates;
mod judge;
mod known;
mod levels;
mod titles;

use candidates::{Candidate, Style, candidates};

use super::Heading;
use crate::load::Block;

/// The headings, each with the confidence that it is one. `skip` holds the blocks that cannot be headings: the
/// printed contents. `known` are headings that the contents name: where there are any, only what looks as they do is
/// added to them.
pub fn find(blocks: &[Block], skip: &[(usize, usize)], known: &[Heading]) -> Vec<Heading> {
    let body = body::body(blocks);
    let candidates = candidates(blocks, body.as_ref(), skip);
    let mut headings = if known.is_empty() || known::is_coarse(known, blocks) {
        let accepted = judge::accept(&candidates, body.as_ref(), blocks.len());
        let accepted = without_title(accepted);
        let levels = levels::levels(&accepted);
        let found: Vec<Heading> = accepted
            .iter()
            .zip(levels)
            .map(|((candidate, confidence), level)| candidate.heading(level, *confidence))
            .collect();
        known::overlay(found, known)
    } else {
        let mut all: Vec<Heading> = known.to_vec();
        all.extend(known::learned(&candidates, known));
        let unlisted = known::unlisted(&candidates, body.as_ref(), blocks.len(), &all);
        all.extend(unlisted);
        all.sort_by_key(|heading| heading.start);
        all
    };
    known::add_index_letters(&mut headings, &candidates);
    headings
}

/// Leaves out what stands large on the first page and nowhere else: the title of the document and what goes with it.
fn without_title(accepted: Vec<(&Candidate, f32)>) -> Vec<(&Candidate, f32)> {
    let Some(first) = accepted.first().and_then(|(candidate, _)| candidate.page) else { return accepted };
    let later = |style: Style| {
        accepted.iter().any(|(candidate, _)| {
            candidate.page != Some(first) && candidate.style.size == style.size && candidate.style.bold == style.bold
        })
    };
    let leading = accepted
        .iter()
        .take_while(|(candidate, _)| {
            candidate.page == Some(first) && candidate.number.is_none() && !later(candidate.style)
        })
        .count();
    accepted.into_iter().skip(leading).collect()
}
