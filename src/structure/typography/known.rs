//! Headings that the printed contents leave out: lines of the same type as listed ones.

use std::collections::{HashMap, HashSet};

use super::candidates::{Body, Candidate, LARGER};
use super::headings::middle;
use crate::structure::numbering::{self, Kind, Numbering};
use crate::structure::title_match::normalise_title;
use crate::structure::tree::Heading;

/// The largest step from a number to the next that is found.
const FARTHEST: u32 = 3;
/// The confidence of headings of a listed type.
const LEARNED: f32 = 0.75;
/// The least number of listed headings of one type before others of that type count.
const FEWEST_EXAMPLES: usize = 2;
/// The last page of a possible cover, whose type may be that of chapters.
const COVER: u32 = 2;
/// Titles of indexes, whose groups have letters as headings.
const INDEX_TITLES: &[&str] = &["index", "索引"];
/// The fewest letters of an index.
const FEWEST_LETTERS: usize = 3;

/// The blocks of known headings.
fn blocks_of(known: &[Heading]) -> HashSet<usize> {
    let lines = |heading: &Heading| {
        // A title that was found and stays in the text is in the first line of its section.
        let stays = usize::from(heading.heading_blocks == 0 && heading.confidence >= LEARNED);
        heading.start - heading.heading_blocks..heading.start + stays
    };
    known.iter().flat_map(lines).collect()
}

/// Whether one of the lines of a candidate, or the one that it begins in, is among these blocks.
fn is_in(blocks: &HashSet<usize>, candidate: &Candidate) -> bool {
    (candidate.start..candidate.start + candidate.lines.max(1)).any(|block| blocks.contains(&block))
}

/// Candidates of the type of listed headings, on the level of those. Without a number, they are below a numbered
/// heading of this type on a deeper level: `Acquisitions` below `Note 4`.
pub(super) fn learned(candidates: &[Candidate], known: &[Heading]) -> Vec<Heading> {
    let printed = known.iter().filter(|heading| heading.heading_blocks > 0);
    let levels_of: HashMap<usize, u32> = printed.map(|heading| (heading.start, heading.level)).collect();
    type Class = (i32, bool, Option<(Kind, usize)>);
    let mut classes: HashMap<Class, Vec<u32>> = HashMap::new();
    let mut class_at: HashMap<usize, Class> = HashMap::new();
    for candidate in candidates {
        let start = candidate.start + candidate.lines;
        if let Some(&level) = levels_of.get(&start) {
            classes.entry(candidate.class()).or_default().push(level);
            class_at.insert(start, candidate.class());
        }
    }
    // The level of the listed heading above, if that has the candidate's type and a number.
    let above = |candidate: &Candidate| {
        let last = known[..known.partition_point(|heading| heading.start <= candidate.start)].last()?;
        let (size, bold, number) = class_at.get(&last.start)?;
        (number.is_some() && candidate.class() == (*size, *bold, None)).then_some(last.level)
    };
    let taken = blocks_of(known);
    let classes: HashMap<Class, (usize, u32)> =
        classes.into_iter().map(|(class, levels)| (class, (levels.len(), middle(&levels, u32::cmp)))).collect();
    // Chapters of one type may have numbers of several kinds: the commonest counts.
    let mut chapter: HashMap<(i32, bool), (usize, u32)> = HashMap::new();
    for (&(size, bold, _), &found) in classes.iter().filter(|(_, (_, level))| *level == 1) {
        let commonest = chapter.entry((size, bold)).or_insert(found);
        *commonest = found.max(*commonest);
    }
    candidates
        .iter()
        .filter(|candidate| candidate.distinct && candidate.alone && !is_in(&taken, candidate))
        // The cover has the type of headings.
        .filter(|candidate| candidate.number.is_some() || candidate.page != candidates[0].page)
        .filter_map(|candidate| {
            let (size, bold, number) = candidate.class();
            // `References` looks like the chapters, without their number.
            let chapters = || (number.is_none() && candidate.page > Some(COVER)).then(|| chapter.get(&(size, bold)))?;
            let own = classes.get(&candidate.class());
            let &(examples, level) = own.or_else(chapters)?;
            // One example does not define an unnumbered type.
            let needed = if candidate.number.is_some() { 1 } else { FEWEST_EXAMPLES };
            let level = match above(candidate) {
                Some(numbered) if own.is_some() && numbered > level => numbered + 1,
                _ => level,
            };
            (examples >= needed).then(|| candidate.heading(level, LEARNED))
        })
        .collect()
}

/// Candidates whose numbers go on below those of listed headings: `2.1.1` in bold after `2.1`, then `2.1.2`.
pub(super) fn numbered_below(candidates: &[Candidate], known: &[Heading]) -> Vec<Heading> {
    let taken = blocks_of(known);
    let mut known = known.iter().peekable();
    // The numbers and levels of the headings around the text, the outermost first.
    let mut above: Vec<(Numbering, u32)> = Vec::new();
    let mut added = Vec::new();
    // A section may have no text of its own before its subsections; a list has no space between its items.
    let stands_out =
        |candidate: &&Candidate| candidate.distinct && (candidate.alone || candidate.set_off == Some(true));
    for candidate in candidates.iter().filter(stands_out) {
        while let Some(heading) = known.next_if(|heading| heading.start <= candidate.start) {
            if let Some(number) = numbering::parse(&heading.title) {
                above.truncate(above.iter().take_while(|(_, level)| *level < heading.level).count());
                above.push((number, heading.level));
            }
        }
        let Some(number) = candidate.number.as_ref().filter(|number| number.depth() > 1) else { continue };
        let outer = &number.parts[..number.depth() - 1];
        let parent = above.iter().rposition(|(other, _)| other.kind == number.kind && other.parts == outer);
        let (Some(parent), false) = (parent, is_in(&taken, candidate)) else { continue };
        let before = above.get(parent + 1).map_or(0, |(other, _)| other.parts.last().copied().unwrap_or(0));
        // Numbers in between may have been taken for a list.
        if (before + 1..=before + FARTHEST).contains(&number.parts[outer.len()]) {
            let level = above[parent].1 + 1;
            above.truncate(parent + 1);
            above.push((number.clone(), level));
            added.push(candidate.heading(level, LEARNED));
        }
    }
    added
}

/// Adds the letters of index groups one level below the index, if they have the size of the body: documents that set
/// them larger leave them out of their outlines.
pub(super) fn add_index_letters(headings: &mut Vec<Heading>, candidates: &[Candidate], body: Option<&Body>) {
    let Some(body) = body else { return };
    let is_letter =
        |candidate: &&Candidate| candidate.is_index_letter && (candidate.style.size as f32) < 2.0 * LARGER * body.size;
    let mut added = Vec::new();
    for (i, heading) in headings.iter().enumerate() {
        let title = normalise_title(&heading.title);
        if !INDEX_TITLES.iter().any(|word| title.ends_with(word)) {
            continue;
        }
        let end = headings.get(i + 1).map_or(usize::MAX, |next| next.start - next.heading_blocks);
        let from = candidates.partition_point(|candidate| candidate.start < heading.start);
        let below = candidates[from..].iter().take_while(|candidate| candidate.start < end);
        let letters: Vec<&Candidate> = below.filter(is_letter).collect();
        if letters.len() >= FEWEST_LETTERS {
            added.extend(letters.into_iter().map(|candidate| candidate.heading(heading.level + 1, LEARNED)));
        }
    }
    headings.extend(added);
    headings.sort_by_key(|heading| heading.start);
}
