//! Lines that may be headings: they stand alone, differ in type or begin with a number.

use std::collections::{HashMap, HashSet};

use super::rows;
use super::titles::{could_be_title, ends_like_a_sentence, is_index_letter};
use crate::load::{Block, BlockKind, LineStyle, most_common};
use crate::structure::numbering::{self, Kind, Numbering};
use crate::structure::printed::covered;
use crate::structure::tree::{Heading, Provenance};
use crate::text::{join_title, width};

/// The most characters of a heading, ideographs counted twice.
const LONGEST: usize = 180;
/// The most lines of a heading.
const MOST_LINES: usize = 4;
/// A line stands out below a step of this many usual ones.
const SET_OFF: f32 = 1.25;

/// Lines larger than the body by this factor need no number and no others of their style to be headings.
pub(super) const MUCH_LARGER: f32 = 1.25;
/// Lines larger than the body by this factor stand out.
pub(super) const LARGER: f32 = 1.07;

/// The size and the font of most of a document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Body {
    pub size: f32,
    pub font: u16,
    pub bold: bool,
}

/// The style of most characters; listings count only if there is little else.
pub fn body(blocks: &[Block]) -> Option<Body> {
    let mut counts: HashMap<(i32, u16, bool), usize> = HashMap::new();
    for block in blocks {
        if let Some(style) = &block.style {
            let weight = block.text.chars().count();
            let weight = if style.fixed { weight / 4 } else { weight };
            *counts.entry(((style.size * 2.0).round() as i32, style.font, style.bold)).or_default() += weight;
        }
    }
    // First the size over all fonts, then the font of that size: a document in two scripts has two body fonts.
    let mut sizes: HashMap<i32, usize> = HashMap::new();
    counts.iter().for_each(|((size, ..), count)| *sizes.entry(*size).or_default() += count);
    let size = sizes.into_iter().max_by_key(|&(size, count)| (count, -size))?.0;
    let ((_, font, bold), _) = counts
        .into_iter()
        .filter(|((other, ..), _)| *other == size)
        .max_by_key(|&((_, font, bold), count)| (count, font, bold))?;
    Some(Body { size: size as f32 / 2.0, font, bold })
}

/// Whether a line differs from the body in size or weight.
pub fn is_distinct(style: &LineStyle, body: &Body) -> bool {
    style.size >= body.size * LARGER || (style.bold && !body.bold)
}

/// The common type of headings of one level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub(super) struct Style {
    /// In half points.
    pub(super) size: i32,
    pub(super) bold: bool,
    pub(super) italic: bool,
    pub(super) font: u16,
}

impl Style {
    /// The size in points, and a little more if bold.
    pub(super) fn weight(self) -> f32 {
        self.size as f32 / 2.0 + if self.bold { 0.25 } else { 0.0 }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) start: usize,
    pub(super) lines: usize,
    pub(super) text: String,
    pub(super) number: Option<Numbering>,
    pub(super) style: Style,
    /// It differs from the body in type.
    pub(super) distinct: bool,
    /// No line of its style follows directly.
    pub(super) alone: bool,
    /// More than the usual space is above it; `None` at the top of a page or column.
    pub(super) set_off: Option<bool>,
    /// The letter of an index group.
    pub(super) is_index_letter: bool,
    pub(super) page: Option<u32>,
}

impl Candidate {
    pub(super) fn heading(&self, level: u32, confidence: f32) -> Heading {
        Heading {
            level,
            title: self.text.clone(),
            page: self.page,
            start: self.start + self.lines,
            heading_blocks: self.lines,
            provenance: if self.number.is_some() { Provenance::Numbering } else { Provenance::Typography },
            confidence,
        }
    }

    /// The features of one level: size, weight, and the kind and depth of numbers.
    pub(super) fn class(&self) -> (i32, bool, Option<(Kind, usize)>) {
        (self.style.size, self.style.bold, self.number.as_ref().map(|number| (number.kind, number.depth())))
    }
}

pub(super) fn heading_style(style: &LineStyle) -> Style {
    Style { size: (style.size * 2.0).round() as i32, bold: style.bold, italic: style.italic, font: style.font }
}

pub(super) fn candidates(blocks: &[Block], body: Option<&Body>, skip: &[(usize, usize)]) -> Vec<Candidate> {
    let step = usual_step(blocks);
    let skipped = covered(skip, blocks.len());
    let mut candidates = Vec::new();
    let mut i = 0;
    while i < blocks.len() {
        let lines = match (skipped[i], body) {
            (true, _) => 0,
            (false, Some(body)) => candidate_lines(blocks, i, body),
            // An article may begin in any line, because its text continues in it.
            (false, None) => usize::from(blocks[i].kind == BlockKind::Paragraph || blocks[i].words().starts_with('第')),
        };
        if lines > 0 {
            candidates.extend(candidate(blocks, i, lines, body, step));
        }
        i += lines.max(1);
    }
    let mut candidates = join_bare_numbers(drop_lone_numbers(candidates));
    mark_lists(&mut candidates);
    candidates
}

/// Lone numbers do not count: `A guide to pumps` has none, as no `B` follows, and `21 April` is not a heading.
fn drop_lone_numbers(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let numbers = candidates.iter().filter_map(|candidate| candidate.number.as_ref());
    let known: HashSet<(Kind, bool, u32)> =
        numbers.map(|number| (number.kind, number.depth() > 1, number.parts[0])).collect();
    let is_lone = |number: &Numbering| {
        let first = number.parts[0];
        let near = [(false, first.wrapping_sub(1)), (false, first.saturating_add(1)), (true, first)];
        matches!(number.kind, Kind::Decimal | Kind::Letter | Kind::Roman)
            && number.depth() == 1
            && !near.iter().any(|&(deeper, other)| known.contains(&(number.kind, deeper, other)))
    };
    let with_its_number = |mut candidate: Candidate| match &candidate.number {
        Some(number) if is_lone(number) && number.kind == Kind::Decimal => None,
        Some(number) if is_lone(number) => {
            candidate.number = None;
            candidate.distinct.then_some(candidate)
        }
        _ => Some(candidate),
    };
    candidates.into_iter().filter_map(with_its_number).collect()
}

/// Adjacent candidates with numbers of one kind and depth are list items. A heading with its first subheading still
/// stands alone.
fn mark_lists(candidates: &mut [Candidate]) {
    for i in 1..candidates.len() {
        let (before, this) = (&candidates[i - 1], &candidates[i]);
        let adjacent = before.start + before.lines == this.start && before.style == this.style && this.lines > 0;
        let (true, Some(a), Some(b)) = (adjacent, &before.number, &this.number) else { continue };
        if a.kind == b.kind && a.depth() == b.depth() {
            (candidates[i - 1].alone, candidates[i].alone) = (false, false);
        } else {
            candidates[i - 1].alone = true;
        }
    }
}

/// Joins `Chapter 3` on its own line with the title below it.
fn join_bare_numbers(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut joined: Vec<Candidate> = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        let is_title = candidate.number.is_none() && candidate.distinct && !candidate.is_index_letter;
        match joined.last_mut() {
            Some(last)
                if is_title
                    && last.distinct
                    && last.start + last.lines == candidate.start
                    && last.page == candidate.page
                    && last.number.as_ref().is_some_and(|number| {
                        number.kind <= Kind::Appendix && last.text[number.length..].trim().is_empty()
                    }) =>
            {
                last.text = format!("{} {}", last.text.trim_end(), candidate.text);
                last.number = numbering::parse(&last.text);
                last.lines += candidate.lines;
                last.style.size = last.style.size.max(candidate.style.size);
                last.alone = candidate.alone;
            }
            _ => joined.push(candidate),
        }
    }
    joined
}

/// The commonest step between lines, in sizes.
fn usual_step(blocks: &[Block]) -> f32 {
    let steps = blocks.windows(2).filter_map(|pair| Some((distance(&pair[0], &pair[1])? * 20.0).round() as i32));
    most_common(steps.filter(|&step| step > 16 && step < 50)).map_or(1.2, |step| step as f32 / 20.0)
}

/// The distance of two lines in the same part of the page, in sizes of the larger.
fn distance(above: &Block, below: &Block) -> Option<f32> {
    let (a, b) = (above.style.as_ref()?, below.style.as_ref()?);
    let near = above.page == below.page && a.part == b.part && b.baseline > a.baseline;
    near.then(|| (b.baseline - a.baseline) / a.size.max(b.size).max(1.0))
}

/// The number of lines from `first` on that have the same type and belong together; 0 if none can be a heading.
fn candidate_lines(blocks: &[Block], first: usize, body: &Body) -> usize {
    let Some(style) = &blocks[first].style else { return 0 };
    let is_listing = style.fixed && !is_numbered_name(blocks[first].words(), style, body);
    if !style.upright || is_listing || style.table || style.size < body.size * 0.85 {
        return 0;
    }
    let distinct = is_distinct(style, body);
    let begins = blocks[first].kind == BlockKind::Paragraph
        || (distinct
            && first.checked_sub(1).and_then(|i| blocks[i].style.as_ref()).is_none_or(|before| !before.is_like(style)))
        || numbering::parse(blocks[first].words()).is_some();
    if !begins {
        return 0;
    }
    let mut lines = 1;
    while let Some(next) = blocks.get(first + lines) {
        let goes_on = next.page == blocks[first].page
            && next.style.as_ref().is_some_and(|other| style.is_like(other) && other.part == style.part)
            && match next.kind {
                BlockKind::Wrapped | BlockKind::Glued => true,
                BlockKind::Line => distinct && numbering::parse(next.words()).is_none(),
                // Centred lines of a large title come as paragraphs, because each starts elsewhere; so do those that
                // are indented after a number.
                BlockKind::Paragraph => {
                    (style.size >= body.size * MUCH_LARGER
                        || (style.size >= body.size * LARGER && numbering::parse(blocks[first].words()).is_some()))
                        && numbering::parse(next.words()).is_none()
                        && is_close(&blocks[first + lines - 1], next)
                }
                BlockKind::Heading(_) => false,
            };
        if !goes_on {
            break;
        }
        lines += 1;
    }
    lines
}

/// Whether a line in a fixed font is a heading that names what is typed, such as `5.2 compat` or `8.1 run(self, time)`:
/// listings are set like text, and their lines have no numbers of several parts.
fn is_numbered_name(text: &str, style: &LineStyle, body: &Body) -> bool {
    let is_large = style.size >= body.size * MUCH_LARGER;
    is_distinct(style, body)
        && numbering::parse(text).is_some_and(|number| number.kind == Kind::Decimal && (is_large || number.depth() > 1))
}

fn is_close(before: &Block, next: &Block) -> bool {
    match (&before.style, &next.style) {
        (Some(a), Some(b)) => b.baseline - a.baseline < 1.7 * a.size && b.baseline > a.baseline,
        _ => false,
    }
}

/// Whether a line is the first of a paragraph and far below the line above.
fn is_apart(above: &Block, next: &Block, step: f32) -> bool {
    next.kind == BlockKind::Paragraph && distance(above, next).is_some_and(|far| far > SET_OFF * step)
}

fn candidate(blocks: &[Block], start: usize, lines: usize, body: Option<&Body>, step: f32) -> Option<Candidate> {
    let mut text = String::new();
    for block in &blocks[start..start + lines] {
        join_title(&mut text, block.words(), block.kind == BlockKind::Glued);
    }
    let style = blocks[start].style.as_ref();
    let distinct = style.zip(body).is_some_and(|(style, body)| is_distinct(style, body));
    let is_index_letter = distinct && is_index_letter(&text);
    let number = numbering::parse(&text).filter(|_| !is_index_letter);
    let width = width(&text);
    let next = blocks.get(start + lines);
    let set_off =
        start.checked_sub(1).and_then(|above| distance(&blocks[above], &blocks[start])).map(|far| far > SET_OFF * step);
    // A title and the one below it may be in one type, with space around both; a chapter without a number may be above
    // its first section, which has one.
    let is_title_above = |next: &Block| {
        let of_the_body = style.zip(body).is_some_and(|(style, body)| style.bold && style.size < body.size * LARGER);
        set_off != Some(false)
            && is_apart(&blocks[start + lines - 1], next, step)
            && ((of_the_body && !ends_like_a_sentence(&text))
                || (number.is_none() && numbering::parse(next.words()).is_some()))
    };
    let alone = match (style, next.and_then(|next| Some((next, next.style.as_ref()?)))) {
        (Some(style), Some((next, other))) => !style.is_like(other) || !distinct || is_title_above(next),
        _ => next.is_none_or(|next| next.kind == BlockKind::Paragraph),
    };
    let candidate = Candidate {
        start,
        lines,
        style: style.map_or(Style::default(), heading_style),
        distinct,
        alone,
        set_off,
        is_index_letter,
        page: blocks[start].page,
        number,
        text,
    };
    if is_index_letter {
        return Some(candidate);
    }
    let article = article(&candidate, &blocks[start], width);
    article.or_else(|| could_be_heading(&candidate, blocks, width).then_some(candidate))
}

/// Whether a candidate of this width could be a heading by its text and by what is around it.
fn could_be_heading(candidate: &Candidate, blocks: &[Block], width: usize) -> bool {
    let Candidate { start, lines, distinct, .. } = *candidate;
    let number = candidate.number.as_ref();
    if width > LONGEST
        || lines > MOST_LINES
        || !could_be_title(&candidate.text, number)
        || (!distinct && number.is_none())
    {
        return false;
    }
    let of_table = |block: &Block| rows::is_row(block) || (number.is_none() && rows::has_columns(block));
    if blocks[start..start + lines].iter().any(of_table) || rows::is_between_rows(blocks, start, start + lines) {
        return false;
    }
    // In body type, only a short numbered line that stands alone can be a heading.
    let cells = blocks[start].style.as_ref().map_or(1, |style| style.cells);
    let is_short = lines == 1 && cells <= 2 && width <= 90;
    distinct || (is_short && candidate.alone && !ends_like_a_sentence(&candidate.text))
}

/// An article whose text begins in the line of its number: the number is the heading, and the line stays text.
fn article(candidate: &Candidate, block: &Block, width: usize) -> Option<Candidate> {
    let number = candidate.number.as_ref()?;
    let runs_on = width > 60 || candidate.lines > 1 || ends_like_a_sentence(&candidate.text);
    if number.kind != Kind::Article || !runs_on || !block.words().starts_with('第') {
        return None;
    }
    let title = candidate.text[..number.length].trim_end_matches([' ', '：', ':', '　']).to_owned();
    let number = Numbering { length: title.len(), ..number.clone() };
    Some(Candidate { text: title, number: Some(number), lines: 0, ..candidate.clone() })
}
