//! Finds the places and the pages of the entries of a contents page.

use std::collections::{BTreeSet, HashMap};

use super::entries::{Entry, value};
use crate::load::{Block, BlockKind, most_votes};
use crate::structure::numbering;
use crate::structure::outline::{MOST_LINES_OF_A_PAGE, lines_of};
use crate::structure::title_match::{MatchBudget, heading_lines, nearly_heading_lines, normalise_title};

/// A title that is longer in the text has at least this many characters, and is longer by at most this factor.
const SHORTEST_CUT: usize = 30;
const LONGEST_CUT: f32 = 1.5;
/// The fewest letters of the first word that titles of one number have in common.
const SHORTEST_WORD: usize = 2;
/// Longer lines are text, in characters.
const LONGEST_TITLE: usize = 120;

/// Only titles of at least this many letters are searched far from their page.
const LONG_ENOUGH: usize = 10;

/// The first line of a title in the text, and the number of its lines.
type Match = (usize, usize);

/// Finds titles in the text.
pub(super) struct Places<'a> {
    pub(super) blocks: &'a [Block],
    normalised: &'a [String],
    /// The blocks of contents pages.
    contents: Vec<bool>,
    /// The pages of the lines outside of contents.
    pub(super) pages_of: HashMap<&'a str, Vec<u32>>,
    budget: MatchBudget,
}

impl<'a> Places<'a> {
    pub(super) fn new(blocks: &'a [Block], normalised: &'a [String], contents: Vec<bool>) -> Self {
        let mut pages_of: HashMap<&str, Vec<u32>> = HashMap::new();
        for ((block, line), listed) in blocks.iter().zip(normalised).zip(&contents) {
            if !listed && !line.is_empty() {
                pages_of.entry(line).or_default().extend(block.page);
            }
        }
        Self { blocks, normalised, contents, pages_of, budget: MatchBudget::default() }
    }

    /// The lines on a page outside of contents, and where the page ends.
    fn lines_of(&self, page: u32) -> (impl Iterator<Item = usize>, usize) {
        let lines = lines_of(page, self.blocks);
        let end = lines.end;
        (lines.filter(move |i| !self.contents[*i]), end)
    }

    /// The first line of an entry on its page or the ones beside it, and the number of lines that are its title: none
    /// if they have other words too, for which they stay in the text.
    pub(super) fn find_near(&self, entry: &Entry, page: u32, after: usize) -> Option<Match> {
        let title = entry.normalised.as_str();
        let nearby = [page, page + 1, page.saturating_sub(1)];
        let exact = |&page: &u32| {
            let numbered = self.find_with_number(entry, page, after);
            numbered.or_else(|| self.find(title, page, after)).or_else(|| self.find(title, page, 0))
        };
        let nearly = || {
            let found = self.first_match(page, 0, |lines| nearly_heading_lines(lines, title, &self.budget));
            found.or_else(|| self.find_longer(title, page))
        };
        let in_text =
            |find: &dyn Fn(u32) -> Option<usize>| nearby.iter().find_map(|&page| find(page)).map(|at| (at, 0));
        let described = || in_text(&|page| self.find_described(&entry.title, page));
        let renamed = || in_text(&|page| self.find_by_number(&entry.title, page));
        nearby.iter().find_map(exact).or_else(described).or_else(nearly).or_else(renamed)
    }

    /// The first lines that are a long title, at most `farthest` pages away and from block `after` on.
    pub(super) fn find_far(&self, title: &str, page: u32, farthest: u32, after: usize) -> Option<Match> {
        let is_long = farthest > 0 && title.chars().count() >= LONG_ENOUGH;
        let mut pages = page.saturating_sub(farthest)..=page.saturating_add(farthest);
        is_long.then(|| pages.find_map(|page| self.find(title, page, after))).flatten()
    }

    /// The first line on a page, from block `after` on, with this title, and its number of lines.
    fn find(&self, title: &str, page: u32, after: usize) -> Option<Match> {
        self.first_match(page, after, |lines| heading_lines(lines, title, &self.budget))
    }

    /// The same for lines that begin with the number of the entry. An item of a list above may have the same words.
    fn find_with_number(&self, entry: &Entry, page: u32, after: usize) -> Option<Match> {
        let number = numbering::parse(&entry.title)?;
        let has_it = |line: usize| {
            let text = self.blocks[line].words();
            text.chars().nth(LONGEST_TITLE).is_none()
                && self.budget.spend(text.len())
                && numbering::parse(text)
                    .is_some_and(|other| (other.kind, &other.parts) == (number.kind, &number.parts))
        };
        let (lines, end) = self.lines_of(page);
        let mut numbered = lines.filter(|line| *line >= after && has_it(*line));
        let count = |i: usize| heading_lines(&self.normalised[i..end], &entry.normalised, &self.budget);
        numbered.find_map(|i| count(i).map(|lines| (i, lines)))
    }

    /// The last lines between two blocks that match a title.
    pub(super) fn last_before(&self, title: &str, from: usize, end: usize) -> Option<Match> {
        let from = from.max(end.saturating_sub(MOST_LINES_OF_A_PAGE));
        let mut lines = (from..end).rev().filter(|i| !self.contents[*i]);
        lines.find_map(|i| heading_lines(&self.normalised[i..end], title, &self.budget).map(|lines| (i, lines)))
    }

    /// The line on a page that begins with a title and goes on.
    fn find_longer(&self, title: &str, page: u32) -> Option<Match> {
        let (mut lines, _) = self.lines_of(page);
        lines.find(|&i| self.budget.spend(title.len()) && self.goes_on(i, title)).map(|i| (i, 1))
    }

    /// The line on a page that begins with a title and has a description behind it: `agrep   Fuzzy matching` on the
    /// pages of a reference.
    fn find_described(&self, title: &str, page: u32) -> Option<usize> {
        let is_numbered = numbering::parse(title).is_some();
        let is_described = |block: &Block| {
            let rest = block.words().strip_prefix(title).unwrap_or_default();
            rest.starts_with(char::is_whitespace)
                && rest.trim_start().starts_with(char::is_alphabetic)
                && block.style.as_ref().is_some_and(|style| style.cells > 1 + u32::from(is_numbered))
        };
        self.line_on(page, is_described)
    }

    /// The line on a page with the number of a title and its first word, which goes on otherwise: a paragraph of its
    /// own, not an item of a list.
    fn find_by_number(&self, title: &str, page: u32) -> Option<usize> {
        let number = numbering::parse(title)?;
        let first_word = |text: &str, from: usize| {
            let word = text[from..].split_whitespace().next().unwrap_or_default();
            normalise_title(word.trim_end_matches(['s', ',']))
        };
        let wanted = first_word(title, number.length);
        let has_it = |block: &Block| {
            let text = block.words();
            block.kind == BlockKind::Paragraph
                && text.chars().count() < LONGEST_TITLE
                && numbering::parse(text).is_some_and(|other| {
                    (other.kind, &other.parts) == (number.kind, &number.parts)
                        && first_word(text, other.length) == wanted
                })
        };
        let goes_on_alone = |at: usize| {
            let next = self.blocks.get(at + 1).and_then(|next| numbering::parse(next.words()));
            // A list goes on with the next number of its kind.
            next.is_none_or(|next| next.kind != number.kind || next.depth() != number.depth())
        };
        (wanted.chars().count() >= SHORTEST_WORD)
            .then(|| self.line_on(page, has_it))
            .flatten()
            .filter(|at| goes_on_alone(*at))
    }

    fn line_on(&self, page: u32, is_it: impl Fn(&Block) -> bool) -> Option<usize> {
        let (mut lines, _) = self.lines_of(page);
        let costs = |i: usize| self.budget.spend(self.blocks[i].text.len().min(LONGEST_TITLE));
        lines.find(|&i| costs(i) && is_it(&self.blocks[i]))
    }

    /// Whether a line has more words after a title: the contents cut them off or print them on a line of their own.
    pub(super) fn goes_on(&self, line: usize, title: &str) -> bool {
        let line = &self.normalised[line];
        let letters = title.chars().count();
        letters >= SHORTEST_CUT
            && line.len() > title.len()
            && line.starts_with(title)
            && line.chars().count() as f32 <= LONGEST_CUT * letters as f32
    }

    fn first_match(&self, page: u32, after: usize, count: impl Fn(&[String]) -> Option<usize>) -> Option<Match> {
        let (lines, end) = self.lines_of(page);
        lines.filter(|i| *i >= after).find_map(|i| count(&self.normalised[i..end]).map(|lines| (i, lines)))
    }
}

/// The page of each entry: by the printed page numbers, or by the offset that finds most titles.
pub(super) fn pages(entries: &[Entry], places: &Places<'_>, labels: &[Option<String>]) -> Vec<Option<u32>> {
    let mut by_label: HashMap<&str, u32> = HashMap::new();
    for (page, label) in (1u32..).zip(labels) {
        if let Some(label) = label {
            by_label.entry(label.as_str()).or_insert(page);
        }
    }
    let printed: Vec<Option<u32>> =
        entries.iter().map(|entry| by_label.get(entry.label.to_lowercase().as_str()).copied()).collect();
    let offset = best_offset(entries, places);
    let count = |entry: &Entry| u32::try_from(value(&entry.label)? + offset?).ok().filter(|&page| page > 0);
    let counted: Vec<Option<u32>> = entries.iter().map(count).collect();
    let is_on = |entry: &Entry, page: u32| places.find(&entry.normalised, page, 0).is_some();
    let hits = |pages: &[Option<u32>]| {
        entries.iter().zip(pages).filter(|(entry, page)| page.is_some_and(|page| is_on(entry, page))).count()
    };
    let (better, other) = if hits(&printed) >= hits(&counted) { (printed, counted) } else { (counted, printed) };
    better.into_iter().zip(other).map(|(page, other)| page.or(other)).collect()
}

fn best_offset(entries: &[Entry], places: &Places<'_>) -> Option<i64> {
    let offsets = entries.iter().flat_map(|entry| {
        let pages = places.pages_of.get(entry.normalised.as_str()).into_iter().flatten();
        let offsets =
            value(&entry.label).into_iter().flat_map(|label| pages.clone().map(move |&page| i64::from(page) - label));
        offsets.collect::<BTreeSet<i64>>()
    });
    most_votes(offsets).map(|(offset, _)| offset)
}
