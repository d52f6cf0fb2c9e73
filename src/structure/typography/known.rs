//! Headings that the printed contents leave out: lines of the same type as listed ones.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::candidates::{Body, Candidate, Style};
use super::judge::{SURE_STYLE, judge_styles, middle};
use crate::load::Block;
use crate::structure::locate::normalise_title;
use crate::structure::numbering::{self, Kind, Numbering};
use crate::structure::tree::Heading;

/// The confidence of headings in an unlisted style, and their least number.
const UNLISTED: f32 = 0.6;
const FEWEST_UNLISTED: usize = 8;
/// The confidence of headings of a listed type.
const LEARNED: f32 = 0.75;
/// The least number of listed headings of one type before others of that type count.
const FEWEST_EXAMPLES: usize = 2;
/// The last page of what may be a cover, which has the type of chapters.
const COVER: u32 = 2;
/// Titles of indexes, whose groups have letters as headings.
const INDEX_TITLES: &[&str] = &["index", "索引"];
/// The least letters of an index.
const FEWEST_LETTERS: usize = 3;

/// The blocks of known headings.
struct Taken(HashSet<usize>);

impl Taken {
    fn by(known: &[Heading]) -> Self {
        Taken(known.iter().flat_map(|heading| heading.start - heading.heading_blocks..heading.start).collect())
    }

    /// Whether one of `count` blocks from `start` on, or `start` itself, belongs to a known heading.
    fn any(&self, start: usize, count: usize) -> bool {
        (start..start + count.max(1)).any(|block| self.0.contains(&block))
    }
}

/// The levels of the headings that stand in the text, by the first block behind each.
fn levels_by_start(known: &[Heading]) -> HashMap<usize, u32> {
    let printed = known.iter().filter(|heading| heading.heading_blocks > 0);
    printed.map(|heading| (heading.start, heading.level)).collect()
}

/// Candidates of the type of listed headings, on the level of those.
pub(super) fn learned(candidates: &[Candidate], known: &[Heading]) -> Vec<Heading> {
    let levels_of = levels_by_start(known);
    type Class = (i32, bool, Option<(Kind, usize)>);
    let mut classes: HashMap<Class, Vec<u32>> = HashMap::new();
    for candidate in candidates {
        if let Some(&level) = levels_of.get(&(candidate.start + candidate.lines)) {
            classes.entry(candidate.class()).or_default().push(level);
        }
    }
    let taken = Taken::by(known);
    let classes: HashMap<Class, (usize, u32)> =
        classes.into_iter().map(|(class, levels)| (class, (levels.len(), middle(&levels, u32::cmp)))).collect();
    let of_chapters = classes.iter().filter(|(_, (_, level))| *level == 1);
    let chapter: HashMap<(i32, bool), (usize, u32)> =
        of_chapters.map(|((size, bold, _), found)| ((*size, *bold), *found)).collect();
    candidates
        .iter()
        .filter(|candidate| candidate.distinct && candidate.alone && !taken.any(candidate.start, candidate.lines))
        // The cover has the type of headings.
        .filter(|candidate| candidate.number.is_some() || candidate.page != candidates[0].page)
        .filter_map(|candidate| {
            let (size, bold, number) = candidate.class();
            // `References` looks like the chapters, without their number.
            let chapters = || (number.is_none() && candidate.page > Some(COVER)).then(|| chapter.get(&(size, bold)))?;
            let &(examples, level) = classes.get(&candidate.class()).or_else(chapters)?;
            // One example does not define an unnumbered type.
            let needed = if candidate.number.is_some() { 1 } else { FEWEST_EXAMPLES };
            (examples >= needed).then(|| candidate.heading(level, LEARNED))
        })
        .collect()
}

/// Candidates whose numbers go on below those of listed headings: `2.1.1` in bold behind `2.1`, then `2.1.2`.
pub(super) fn numbered_below(candidates: &[Candidate], known: &[Heading]) -> Vec<Heading> {
    let taken = Taken::by(known);
    let mut known = known.iter().peekable();
    // The numbers of the headings that the text is below, from the outside in, with their levels.
    let mut above: Vec<(Numbering, u32)> = Vec::new();
    let mut added = Vec::new();
    // A section may have no text but those below it, and a list has no space between its items.
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
        let (Some(parent), false) = (parent, taken.any(candidate.start, candidate.lines)) else { continue };
        let before = above.get(parent + 1).map(|(other, _)| other).unwrap_or(&above[parent].0);
        if number.follows(before) {
            let level = above[parent].1 + 1;
            above.truncate(parent + 1);
            above.push((number.clone(), level));
            added.push(candidate.heading(level, LEARNED));
        }
    }
    added
}

/// Headings in a style that the contents leave out completely, as many do below the second level: large, or bold and
/// large, alone, and frequent.
pub(super) fn unlisted(
    candidates: &[Candidate],
    body: Option<&Body>,
    blocks: &[Block],
    known: &[Heading],
) -> Vec<Heading> {
    let Some(body) = body else { return Vec::new() };
    let taken = Taken::by(known);
    let levels_of = levels_by_start(known);
    let first = known.iter().map(|heading| heading.start).min().unwrap_or(usize::MAX);
    let styles = judge_styles(candidates, body, blocks);
    // The weights of the listed headings of each level.
    let mut listed: BTreeMap<u32, Vec<f32>> = BTreeMap::new();
    for candidate in candidates {
        if let Some(&level) = levels_of.get(&(candidate.start + candidate.lines)) {
            listed.entry(level).or_default().push(candidate.style.weight());
        }
    }
    let weights: Vec<f32> = listed.values().map(|weights| middle(weights, f32::total_cmp)).collect();
    let level = |style: Style| 1 + weights.iter().filter(|weight| **weight > style.weight() + 0.2).count() as u32;
    let fits = |candidate: &&Candidate| {
        candidate.distinct
            && candidate.alone
            && !candidate.is_index_letter
            && candidate.start > first
            && styles.get(&candidate.style).is_some_and(|&score| score >= SURE_STYLE)
            && !taken.any(candidate.start, candidate.lines)
    };
    let mut counts: HashMap<Style, usize> = HashMap::new();
    candidates.iter().filter(fits).for_each(|candidate| *counts.entry(candidate.style).or_default() += 1);
    candidates
        .iter()
        .filter(fits)
        .filter(|candidate| counts[&candidate.style] >= FEWEST_UNLISTED)
        .map(|candidate| candidate.heading(level(candidate.style), UNLISTED))
        .collect()
}

/// Adds the letters of index groups, one level below the index.
pub(super) fn add_index_letters(headings: &mut Vec<Heading>, candidates: &[Candidate]) {
    let mut added = Vec::new();
    for (i, heading) in headings.iter().enumerate() {
        let title = normalise_title(&heading.title);
        if !INDEX_TITLES.iter().any(|word| title.ends_with(word)) {
            continue;
        }
        let end = headings.get(i + 1).map_or(usize::MAX, |next| next.start - next.heading_blocks);
        let from = candidates.partition_point(|candidate| candidate.start < heading.start);
        let below = candidates[from..].iter().take_while(|candidate| candidate.start < end);
        let letters: Vec<&Candidate> = below.filter(|candidate| candidate.is_index_letter).collect();
        if letters.len() >= FEWEST_LETTERS {
            added.extend(letters.into_iter().map(|candidate| candidate.heading(heading.level + 1, LEARNED)));
        }
    }
    headings.extend(added);
    headings.sort_by_key(|heading| heading.start);
}
