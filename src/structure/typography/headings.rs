//! Which candidates are headings, and on which level: by type, numbers and context.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::FEWEST_NUMBERED;
use super::candidates::{Body, Candidate, LARGER, MUCH_LARGER, Style, heading_style};
use super::titles::ends_like_a_sentence;
use crate::load::Block;
use crate::structure::levels::nested;
use crate::structure::numbering::{Kind, Numbering};

/// A heading style has at least this share of lines that stand alone.
const ALONE: f32 = 0.6;
/// The least number of bold lines of the body's size, without numbers, that make a heading style.
const FEWEST_BOLD: usize = 3;
/// The least share of a style's lines that are candidates, for a heading style.
const OF_HEADINGS: f32 = 0.3;
/// The largest share of headings among the lines.
const MOST_OF_THE_LINES: f32 = 0.25;
/// The least confidence of a heading.
const SURE_ENOUGH: f32 = 0.5;
/// Sections this many lines apart have much text between them.
const FAR: usize = 20;
/// The least share of bold headings of the body's size with space above.
const MOSTLY: f32 = 0.7;
/// The least share of steps in which a run of numbers continues.
const CONTINUITY: f32 = 0.6;
/// Types whose weights differ by at most this many points weigh the same. Of these, one that is rarer by this factor is
/// above the other.
const SAME_WEIGHT: f32 = 0.2;
const RARER: usize = 2;
/// Styles with this score are headings without numbers too.
const SURE_STYLE: f32 = 0.85;

/// A heading and its confidence.
pub(super) type Accepted<'a> = (&'a Candidate, f32);

/// The headings among the candidates.
pub(super) fn accept<'a>(candidates: &'a [Candidate], body: Option<&Body>, blocks: &[Block]) -> Vec<Accepted<'a>> {
    let styles = body.map(|body| judge_styles(candidates, body, blocks)).unwrap_or_default();
    let runs = judge_numbers(candidates);
    let with_below = with_below(candidates);
    let has_notes = count_notes(candidates);
    let spread = are_spread(candidates) || count_sections(candidates, &with_below);
    // In a document with numbered headings, bold lines without a number are labels more often than headings.
    let unnumbered = if are_numbered(candidates, &runs, blocks.len()) { 0.8 } else { 1.0 };
    candidates
        .iter()
        .enumerate()
        .filter_map(|(i, candidate)| {
            let by_style = styles.get(&candidate.style).copied().unwrap_or(0.0);
            let numbers = runs[i];
            let confidence = match (&candidate.number, candidate.distinct) {
                (Some(number), true) if number.kind == Kind::Note && !has_notes => 0.0,
                (Some(_), true) => (0.35 + by_style * 0.35 + numbers * 0.3).min(0.97),
                (Some(number), false) => {
                    // The type shows nothing, so the number decides: chapters and articles are headings, lists are not.
                    let strong = match number.kind {
                        Kind::Part | Kind::Chapter | Kind::Item | Kind::Article => 0.8,
                        Kind::Section if !number.lettered => 0.7,
                        Kind::Han => 0.6,
                        Kind::HanInBrackets => 0.45,
                        Kind::Decimal if number.depth() > 1 || with_below[i] || spread => 0.55,
                        _ => 0.0,
                    };
                    strong * numbers
                }
                (None, true) if by_style < SURE_STYLE => by_style * 0.8 * unnumbered,
                (None, true) => by_style * 0.8,
                (None, false) => 0.0,
            };
            let confidence = if ends_like_a_sentence(&candidate.text) { confidence * 0.75 } else { confidence };
            let confidence = if candidate.alone || candidate.lines == 0 { confidence } else { confidence * 0.6 };
            (confidence >= SURE_ENOUGH && !candidate.is_index_letter).then_some((candidate, confidence))
        })
        .collect()
}

/// Whether the sections of a document of so many lines have numbers. Below the parts and items of a report they have
/// none, and numbers that begin in its last half are those of a list.
fn are_numbered(candidates: &[Candidate], runs: &[f32], lines: usize) -> bool {
    let numbers_a_section = |(candidate, run): &(&Candidate, &f32)| {
        let kind = candidate.number.as_ref().map(|number| number.kind);
        candidate.distinct && **run >= 0.8 && !matches!(kind, None | Some(Kind::Part | Kind::Item | Kind::Note))
    };
    let mut numbered = candidates.iter().zip(runs).filter(numbers_a_section);
    let begins_early = numbered.next().is_some_and(|(first, _)| first.start < lines / 2);
    begins_early && numbered.count() + 1 >= FEWEST_NUMBERED
}

/// Whether numbers of one part in body type count the sections of the document: 1, 2, 3 and so on through all of it,
/// with space above and much text between them. Lists begin again at 1.
fn are_spread(candidates: &[Candidate]) -> bool {
    let counting = |candidate: &&Candidate| {
        !candidate.distinct
            && candidate.number.as_ref().is_some_and(|number| number.kind == Kind::Decimal && number.depth() == 1)
    };
    let single: Vec<&Candidate> = candidates.iter().filter(counting).collect();
    let in_order =
        single.iter().zip(1..).all(|(candidate, n)| candidate.number.as_ref().is_some_and(|it| it.parts == [n]));
    let set_off = single.iter().filter(|candidate| candidate.set_off == Some(true)).count();
    let far = single.windows(2).filter(|pair| pair[1].start - pair[0].start >= FAR).count();
    in_order
        && set_off >= FEWEST_NUMBERED
        && single.iter().all(|it| it.set_off != Some(false))
        && 2 * far >= single.len()
}

/// Whether the notes count through the document, as those to the accounts of a report do. Notes below tables begin
/// again at 1 all the time; a report may have a second set, and the title of a long note may return with the next page.
fn count_notes(candidates: &[Candidate]) -> bool {
    let notes = candidates.iter().filter(|it| it.distinct).filter_map(|it| it.number.as_ref());
    let mut numbers: Vec<&[u32]> = notes.filter(|it| it.kind == Kind::Note).map(|it| &it.parts[..]).collect();
    numbers.dedup();
    let sets = 1 + numbers.windows(2).filter(|pair| pair[1] < pair[0]).count();
    numbers.len() >= FEWEST_NUMBERED * sets
}

/// Whether the numbers of one part that stand alone in body type are 1, 2, 3 and so on, each once, and one of them has
/// numbers below it: then all are headings, those without subsections too. Where the type of headings differs from
/// text, such numbers count something else.
fn count_sections(candidates: &[Candidate], with_below: &[bool]) -> bool {
    fn decimal(candidate: &Candidate) -> Option<&Numbering> {
        candidate.number.as_ref().filter(|number| number.kind == Kind::Decimal)
    }
    if candidates.iter().any(|candidate| candidate.distinct && decimal(candidate).is_some()) {
        return false;
    }
    let single = |candidate: &Candidate| {
        decimal(candidate).filter(|number| candidate.alone && number.depth() == 1).map(|number| number.parts[0])
    };
    let numbers: Vec<u32> = candidates.iter().filter_map(single).collect();
    let has_below = candidates.iter().zip(with_below).any(|(candidate, below)| *below && single(candidate).is_some());
    has_below && numbers.iter().zip(1..).all(|(number, place)| *number == place)
}

/// For each candidate, whether `1.1` follows the candidate `1` before `2` does: lists have no such items.
fn with_below(candidates: &[Candidate]) -> Vec<bool> {
    // For each kind, the next number, and the next one after it that differs.
    let mut behind: HashMap<Kind, (&Numbering, Option<&Numbering>)> = HashMap::new();
    let mut all = vec![false; candidates.len()];
    for (i, candidate) in candidates.iter().enumerate().rev() {
        let Some(number) = &candidate.number else { continue };
        let same = |other: &Numbering| other.depth() == number.depth() && other.parts == number.parts;
        let other = match behind.get(&number.kind) {
            Some((next, other)) if same(next) => *other,
            Some((next, _)) => Some(*next),
            None => None,
        };
        // `2.5` behind `2` is a quantity.
        let begins = |other: &Numbering| other.parts.last().is_some_and(|&part| part <= 1);
        all[i] = other.is_some_and(|other| {
            other.depth() == number.depth() + 1 && other.parts.starts_with(&number.parts) && begins(other)
        });
        behind.insert(number.kind, (number, other));
    }
    all
}

/// The probability of each style being a heading style, from 0 to 1.
fn judge_styles(candidates: &[Candidate], body: &Body, blocks: &[Block]) -> HashMap<Style, f32> {
    let mut lines: HashMap<Style, usize> = HashMap::new();
    for style in blocks.iter().filter_map(|block| block.style.as_ref()) {
        *lines.entry(heading_style(style)).or_default() += 1;
    }
    let mut groups: HashMap<Style, Vec<&Candidate>> = HashMap::new();
    candidates.iter().filter(|candidate| candidate.distinct).for_each(|candidate| {
        groups.entry(candidate.style).or_default().push(candidate);
    });
    let judged = |(style, members): (Style, Vec<&Candidate>)| {
        let mut score = score(style, &members, body);
        if members.len() as f32 > MOST_OF_THE_LINES * blocks.len() as f32 {
            score *= 0.3;
        }
        // One script may be set larger than the other: then most of its lines are text.
        let in_candidates: usize = members.iter().map(|candidate| candidate.lines).sum();
        if (in_candidates as f32) < OF_HEADINGS * lines.get(&style).copied().unwrap_or(0) as f32 {
            score *= 0.3;
        }
        (style, score)
    };
    groups.into_iter().map(judged).collect()
}

/// How much a style looks like one of headings, from 0 to 1, by itself and by its candidates.
fn score(style: Style, members: &[&Candidate], body: &Body) -> f32 {
    let count = |is: &dyn Fn(&Candidate) -> bool| members.iter().filter(|candidate| is(candidate)).count() as f32;
    let all = members.len() as f32;
    let judged = count(&|candidate| candidate.set_off.is_some()).max(1.0);
    let spaced = count(&|candidate| candidate.set_off == Some(true)) / judged;
    let ratio = style.size as f32 / 2.0 / body.size;
    let mut score: f32 = if ratio >= MUCH_LARGER {
        0.95
    } else if ratio >= LARGER {
        if style.bold { 0.9 } else { 0.7 }
    } else if members.len() >= FEWEST_BOLD && spaced >= MOSTLY {
        0.7
    } else {
        0.4
    };
    if count(&|candidate| candidate.alone) / all < ALONE {
        score *= 0.5;
    }
    if count(&|candidate| ends_like_a_sentence(&candidate.text)) / all > 0.4 {
        score *= 0.6;
    }
    score
}

/// For each candidate, how well its number continues the one before of its kind: 1 if the run holds.
fn judge_numbers(candidates: &[Candidate]) -> Vec<f32> {
    let mut runs: HashMap<(Kind, bool), Vec<(usize, &Numbering)>> = HashMap::new();
    for (i, candidate) in candidates.iter().enumerate() {
        if let Some(number) = &candidate.number {
            runs.entry((number.kind, candidate.distinct)).or_default().push((i, number));
        }
    }
    let goes_on = go_on_across_types(candidates);
    let mut scores = vec![0.0f32; candidates.len()];
    for members in runs.values() {
        let fits = |place: usize| {
            let (i, number) = members[place];
            let continues = match place.checked_sub(1).map(|before| members[before].1) {
                None => number.parts.iter().all(|&part| part <= 1) || number.parts.len() == 1,
                Some(before) => {
                    number.follows(before)
                        || opens_chapter(number, before)
                        || (number.parts == [1] && number.kind >= Kind::Section)
                }
            };
            continues || goes_on[i]
        };
        let fitting: Vec<bool> = (0..members.len()).map(fits).collect();
        let holds = fitting.iter().filter(|fits| **fits).count() as f32 >= CONTINUITY * members.len() as f32;
        for ((i, _), fits) in members.iter().zip(fitting) {
            let score: f32 = if fits { 1.0 } else { 0.3 };
            scores[*i] = if holds { score.max(0.8) } else { score * 0.5 };
        }
    }
    scores
}

/// For each candidate, whether its number of several parts continues the one before of its kind, whatever its type:
/// `3.1.1` in the type of text below `3.1` in bold. Lines of a paragraph that begin with a number have no space above.
fn go_on_across_types(candidates: &[Candidate]) -> Vec<bool> {
    let mut last: HashMap<Kind, &Numbering> = HashMap::new();
    let mut goes_on = vec![false; candidates.len()];
    for (i, candidate) in candidates.iter().enumerate() {
        let Some(number) = &candidate.number else { continue };
        let has_parts = number.depth() > 1;
        if candidate.distinct || (has_parts && candidate.set_off != Some(false)) {
            let before = last.insert(number.kind, number);
            goes_on[i] = has_parts && before.is_some_and(|before| number.follows(before));
        }
    }
    goes_on
}

/// Whether a number is the first below the chapter that follows the one of `before`, as `2.1` after `1.3`: the chapter
/// itself may have a number of another kind, as 第2章.
fn opens_chapter(number: &Numbering, before: &Numbering) -> bool {
    let below = |number: &Numbering| number.kind == Kind::Decimal && number.depth() > 1;
    below(number)
        && below(before)
        && number.parts[0] == before.parts[0] + 1
        && number.parts[1..].iter().all(|&part| part <= 1)
}

/// The type of the headings of a class.
struct Weight {
    /// The middle of their weights, in points.
    middle: f32,
    /// Which of all headings they are.
    places: Vec<usize>,
}

impl Weight {
    /// Whether one of its headings stands between the first and the last of the other.
    fn stands_within(&self, other: &Weight) -> bool {
        let (Some(first), Some(last)) = (other.places.first(), other.places.last()) else { return false };
        let behind = self.places.partition_point(|place| place < first);
        self.places.get(behind).is_some_and(|place| place < last)
    }
}

/// The features that decide a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Class {
    Numbered(Kind, usize),
    Unnumbered(Style),
}

pub(super) fn levels(accepted: &[Accepted<'_>]) -> Vec<u32> {
    let class = |candidate: &Candidate| match &candidate.number {
        Some(number) => Class::Numbered(number.kind, number.depth()),
        // Makers name the same font differently from one part of a document to the next.
        None => Class::Unnumbered(Style { font: 0, ..candidate.style }),
    };
    let mut members: HashMap<Class, Vec<usize>> = HashMap::new();
    for (place, (candidate, _)) in accepted.iter().enumerate() {
        members.entry(class(candidate)).or_default().push(place);
    }
    let weight = |places: Vec<usize>| {
        let sizes: Vec<f32> = places.iter().map(|&place| accepted[place].0.style.weight()).collect();
        Weight { middle: middle(&sizes, f32::total_cmp), places }
    };
    let weights: HashMap<Class, Weight> = members.into_iter().map(|(class, places)| (class, weight(places))).collect();
    nested(accepted.iter().map(|(candidate, _)| class(candidate)), |class, above| is_below(class, above, &weights))
}

/// Whether headings of one class are below those of another.
fn is_below(class: Class, above: Class, weights: &HashMap<Class, Weight>) -> bool {
    let (Some(own), Some(other)) = (weights.get(&class), weights.get(&above)) else { return false };
    if class == above {
        return false;
    }
    let heavier = other.middle - own.middle;
    match (class, above) {
        (Class::Numbered(kind, depth), Class::Numbered(kind_above, depth_above)) => {
            if kind == kind_above {
                return depth > depth_above;
            }
            // A.1 is below Appendix A, 1.1 below Chapter 1.
            if kind == Kind::Decimal && depth > 1 && kind_above <= Kind::Roman {
                return true;
            }
            if kind_above == Kind::Decimal && depth_above > 1 && kind <= Kind::Appendix {
                return false;
            }
            if heavier.abs() > 0.6 { heavier > 0.0 } else { kind > kind_above }
        }
        // The chapters behind "Abstract" or "References" are not below it.
        (Class::Numbered(..), _) if heavier.abs() <= SAME_WEIGHT && !other.stands_within(own) => false,
        _ if heavier.abs() <= SAME_WEIGHT => other.places.len() * RARER <= own.places.len(),
        _ => heavier > 0.0,
    }
}

/// The middle of values in this order; the upper one of two.
pub(super) fn middle<T: Copy>(values: &[T], order: impl Fn(&T, &T) -> Ordering) -> T {
    let mut sorted = values.to_vec();
    sorted.sort_by(order);
    sorted[sorted.len() / 2]
}
