//! Glyphs to rows on one baseline, cut into words.

use super::accents::set_accents;
use super::glyphs::{Glyph, commonest_size};
use crate::text::is_wide;

/// The most that baselines of one row differ, as a share of the size.
const SAME_BASELINE: f32 = 0.2;
/// The most that a raised or lowered run is away from its row, as a share of the row's size.
const SCRIPT_SHIFT: f32 = 0.6;
/// Superscripts and subscripts are smaller than this share of the row's size.
const SCRIPT_SIZE: f32 = 0.88;
/// The most that a superscript or subscript extends beyond the end of its row, in sizes of the row.
const OVERHANG: f32 = 2.0;
/// The most shift of a run that is as large as its row.
const SAME_SIZE_SHIFT: f32 = 0.3;
/// More runs on one baseline are a row of their own: figures of a table, not scripts.
const MOST_SCRIPTS: usize = 40;
/// Longer runs are not scripts.
const LONGEST_SCRIPT: usize = 200;
/// A gap between words, as a share of the size.
const WORD_GAP: f32 = 0.15;
/// A gap between words with a space character in it, as a share of the size.
const SPACED_WORD_GAP: f32 = 0.02;
/// The gaps between ideographs that are spaces, with and without a space character.
const SPACE_AMONG_IDEOGRAPHS: f32 = 0.22;
const GAP_AMONG_IDEOGRAPHS: f32 = 0.8;
/// The same glyph within this share of the size is printed twice to look bold.
const REPRINT: f32 = 0.12;

/// Glyphs without a gap between them.
#[derive(Debug, Clone, PartialEq)]
pub struct Word {
    pub left: f32,
    pub right: f32,
    pub glyphs: Vec<Glyph>,
    /// A gap stands before it. Never for the first word of a row, nor for Han characters inside a text.
    pub spaced: bool,
}

/// The words on one baseline, from left to right.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub baseline: f32,
    /// Of most of its glyphs.
    pub size: f32,
    pub words: Vec<Word>,
}

impl Row {
    pub fn left(&self) -> f32 {
        self.words.first().map_or(0.0, |word| word.left)
    }

    pub fn right(&self) -> f32 {
        self.words.iter().map(|word| word.right).fold(f32::MIN, f32::max)
    }

    /// The number of words that begin left of `x`.
    pub fn words_before(&self, x: f32) -> usize {
        self.words.partition_point(|word| word.left < x)
    }

    /// Moves the words from `at` on into a row of their own; `None` if there are none.
    pub fn split_off(&mut self, at: usize) -> Option<Row> {
        let mut words = self.words.split_off(at);
        words.first_mut()?.spaced = false;
        Some(Row { baseline: self.baseline, size: self.size, words })
    }
}

/// Groups the glyphs of one direction into rows, from top to bottom.
pub fn rows(glyphs: &[Glyph]) -> Vec<Row> {
    let mut strands = strands(glyphs);
    attach_scripts(&mut strands);
    strands.sort_by(|a, b| a.baseline.total_cmp(&b.baseline));
    strands.into_iter().filter_map(Strand::into_row).collect()
}

/// Glyphs on one baseline, spaces included.
struct Strand {
    baseline: f32,
    size: f32,
    glyphs: Vec<Glyph>,
}

impl Strand {
    fn new(mut glyphs: Vec<Glyph>) -> Self {
        glyphs.sort_by(|a, b| a.left.total_cmp(&b.left));
        let printed = glyphs.iter().filter(|glyph| !glyph.char.is_whitespace());
        let size = commonest_size(printed.map(|glyph| glyph.size));
        let baseline = glyphs.iter().map(|glyph| glyph.baseline).sum::<f32>() / glyphs.len().max(1) as f32;
        Strand { baseline, size, glyphs }
    }

    fn left(&self) -> f32 {
        self.glyphs.first().map_or(0.0, |glyph| glyph.left)
    }

    fn right(&self) -> f32 {
        self.glyphs.iter().map(|glyph| glyph.right).fold(f32::MIN, f32::max)
    }

    fn into_row(mut self) -> Option<Row> {
        set_accents(&mut self.glyphs);
        self.glyphs.sort_by(|a, b| a.left.total_cmp(&b.left));
        let words = words(&self.glyphs);
        (!words.is_empty()).then_some(Row { baseline: self.baseline, size: self.size, words })
    }
}

fn strands(glyphs: &[Glyph]) -> Vec<Strand> {
    let mut sorted: Vec<Glyph> = glyphs.to_vec();
    sorted.sort_by(|a, b| a.baseline.total_cmp(&b.baseline));
    let mut strands = Vec::new();
    let mut current: Vec<Glyph> = Vec::new();
    let mut sum = 0.0;
    for glyph in sorted {
        let mean = if current.is_empty() { glyph.baseline } else { sum / current.len() as f32 };
        let smaller = current.last().map_or(glyph.size, |last| last.size.min(glyph.size));
        if glyph.baseline - mean > SAME_BASELINE * smaller {
            strands.push(std::mem::take(&mut current));
            sum = 0.0;
        }
        sum += glyph.baseline;
        current.push(glyph);
    }
    strands.push(current);
    strands.retain(|glyphs| glyphs.iter().any(|glyph| !glyph.char.is_whitespace()));
    strands.into_iter().map(Strand::new).collect()
}

/// Puts superscripts, subscripts and marks into their rows. One baseline may hold scripts of several rows (of two
/// columns, say), so each run finds its own.
fn attach_scripts(strands: &mut Vec<Strand>) {
    for i in 0..strands.len() {
        let mut rest = Vec::new();
        for piece in pieces(&strands[i]) {
            let beside = [i.checked_sub(1), Some(i + 1)].into_iter().flatten();
            let hosts = beside.filter(|&j| j < strands.len() && is_host(&strands[j], &piece));
            let far = |j: usize| (strands[j].baseline - piece.baseline).abs();
            match hosts.min_by(|&a, &b| far(a).total_cmp(&far(b))) {
                Some(j) => {
                    strands[j].glyphs.extend(piece.glyphs);
                    strands[j].glyphs.sort_by(|a, b| a.left.total_cmp(&b.left));
                }
                None => rest.extend(piece.glyphs),
            }
        }
        strands[i].glyphs = rest;
    }
    strands.retain(|strand| !strand.glyphs.is_empty());
}

/// A strand, cut at gaps of more than a letter's width.
fn pieces(strand: &Strand) -> Vec<Strand> {
    let mut pieces: Vec<Vec<Glyph>> = Vec::new();
    let mut right = f32::MIN;
    for glyph in strand.glyphs.iter().filter(|glyph| !glyph.char.is_whitespace()) {
        match pieces.last_mut() {
            Some(piece) if glyph.left - right < glyph.size => piece.push(*glyph),
            _ => pieces.push(vec![*glyph]),
        }
        right = right.max(glyph.right);
    }
    if pieces.len() > MOST_SCRIPTS || pieces.len() == 1 {
        return vec![Strand::new(strand.glyphs.clone())];
    }
    pieces.into_iter().map(Strand::new).collect()
}

fn is_host(host: &Strand, script: &Strand) -> bool {
    let shift = (host.baseline - script.baseline).abs();
    if shift > SCRIPT_SHIFT * host.size || script.glyphs.len() > LONGEST_SCRIPT {
        return false;
    }
    let reach = host.size * 0.6;
    let is_script = script.size < host.size * SCRIPT_SIZE;
    let overhang = if is_script { OVERHANG * host.size } else { reach };
    let inside = script.left() >= host.left() - reach && script.right() <= host.right() + overhang;
    if !inside || script.glyphs.len() > host.glyphs.len() * 2 {
        return false;
    }
    let printed = |glyph: &&Glyph| !glyph.char.is_whitespace();
    let touches = script.glyphs.iter().filter(printed).any(|glyph| {
        let is_near = |other: &Glyph| glyph.left - other.right < reach && other.left - glyph.right < reach;
        host.glyphs.iter().filter(printed).any(is_near)
    });
    // Smaller runs may stand above or below letters, as the A of LaTeX does. Runs of the same size may only fill a gap.
    let free = || {
        script.glyphs.iter().filter(printed).all(|glyph| {
            let middle = (glyph.left + glyph.right) / 2.0;
            host.glyphs.iter().filter(printed).all(|other| middle <= other.left || middle >= other.right)
        })
    };
    touches && (is_script || (shift < SAME_SIZE_SHIFT * host.size && free()))
}

fn words(glyphs: &[Glyph]) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut space_before = false;
    let (tracking, stretch) = (tracking(glyphs), stretch(glyphs));
    for glyph in glyphs {
        if glyph.char.is_whitespace() {
            space_before = true;
            continue;
        }
        let new = |spaced| Word { left: glyph.left, right: glyph.right, glyphs: vec![*glyph], spaced };
        let Some(word) = words.last_mut() else {
            words.push(new(false));
            space_before = false;
            continue;
        };
        let is_same = |last: &Glyph| last.char == glyph.char && (glyph.left - last.left).abs() < REPRINT * glyph.size;
        if word.glyphs.iter().rev().take(3).any(is_same) {
            continue;
        }
        let last = word.glyphs[word.glyphs.len() - 1];
        let gap = glyph.left - word.right;
        let size = last.size.min(glyph.size);
        let needed = if space_before { SPACED_WORD_GAP } else { WORD_GAP } * size + tracking;
        // Between ideographs only a wide gap, or one with a space character, is a space.
        let wide_gap = if space_before { SPACE_AMONG_IDEOGRAPHS * size + stretch } else { GAP_AMONG_IDEOGRAPHS * size };
        let apart = gap > needed && !(is_unspaced(last.char) && is_unspaced(glyph.char) && gap < wide_gap);
        if apart {
            words.push(new(true));
        } else {
            word.right = word.right.max(glyph.right);
            word.glyphs.push(*glyph);
        }
        space_before = false;
    }
    words
}

/// The letter spacing of a row, in points; 0 for ordinary text.
fn tracking(glyphs: &[Glyph]) -> f32 {
    let letters = |glyph: &Glyph| glyph.char.is_alphabetic() && !is_unspaced(glyph.char);
    let quarter = lower_quartile(gaps(glyphs, letters));
    let size = glyphs.first().map_or(0.0, |glyph| glyph.size);
    if quarter > WORD_GAP * 0.7 * size { quarter } else { 0.0 }
}

/// The gap that justification adds between ideographs, in points; 0 for ordinary text. The PDF may have a space for
/// each.
fn stretch(glyphs: &[Glyph]) -> f32 {
    let printed: Vec<Glyph> = glyphs.iter().filter(|glyph| !glyph.char.is_whitespace()).copied().collect();
    let quarter = lower_quartile(gaps(&printed, |glyph| is_unspaced(glyph.char)));
    let size = glyphs.first().map_or(0.0, |glyph| glyph.size);
    if quarter < GAP_AMONG_IDEOGRAPHS * size { quarter.max(0.0) } else { 0.0 }
}

/// The gaps between neighbours of one kind.
fn gaps(glyphs: &[Glyph], of_kind: impl Fn(&Glyph) -> bool) -> Vec<f32> {
    let pairs = glyphs.windows(2).filter(|pair| pair.iter().all(&of_kind));
    pairs.map(|pair| pair[1].left - pair[0].right).collect()
}

/// The lower quartile; 0 if there are few values.
fn lower_quartile(mut values: Vec<f32>) -> f32 {
    values.sort_by(f32::total_cmp);
    if values.len() < 4 { 0.0 } else { values[values.len() / 4] }
}

/// Ideographs and the punctuation that they share with other scripts, between which a gap is not a space.
fn is_unspaced(c: char) -> bool {
    is_wide(c) || matches!(c, '“' | '”' | '‘' | '’' | '…' | '—')
}

#[cfg(test)]
mod tests {
    use super::super::tests::{end, print, text};
    use super::*;

    fn read(glyphs: &[Glyph]) -> Vec<String> {
        rows(glyphs).iter().map(text).collect()
    }

    #[test]
    fn gaps_separate_words_with_and_without_spaces() {
        let spaced = print("two words", 72.0, 100.0, 10.0);
        assert_eq!(read(&spaced), ["two words"]);
        let unspaced: Vec<Glyph> = spaced.into_iter().filter(|glyph| glyph.char != ' ').collect();
        assert_eq!(read(&unspaced), ["two words"], "many producers write no space characters");
        let narrow: Vec<Glyph> =
            [print("two", 72.0, 100.0, 10.0), print(" ", 87.0, 100.0, 10.0), print("words", 88.0, 100.0, 10.0)]
                .concat();
        assert_eq!(read(&narrow), ["two words"], "squeezed lines have spaces narrower than the gaps between letters");
        let kerned: Vec<Glyph> =
            print("Tower", 72.0, 100.0, 10.0).into_iter().map(|g| Glyph { right: g.right - 0.8, ..g }).collect();
        assert_eq!(read(&kerned), ["Tower"], "letters need not touch");
    }

    #[test]
    fn superscripts_and_subscripts_stay_in_their_row() {
        let mut glyphs = print("E = mc", 72.0, 100.0, 10.0);
        glyphs.extend(print("2", end("E = mc", 72.0, 10.0), 96.0, 7.0));
        glyphs.extend(print("water, H", 72.0, 112.0, 10.0));
        glyphs.extend(print("2", end("water, H", 72.0, 10.0), 114.0, 7.0));
        glyphs.extend(print("1 pF is 10", 72.0, 124.0, 10.0));
        glyphs.extend(print("−12", end("1 pF is 10", 72.0, 10.0), 120.0, 7.0));
        assert_eq!(read(&glyphs), ["E = mc2", "water, H2", "1 pF is 10−12"]);
    }

    #[test]
    fn a_small_line_is_not_a_superscript() {
        let mut glyphs = print("Body text of a page", 72.0, 100.0, 10.0);
        glyphs.extend(print("a footnote below", 72.0, 112.0, 7.0));
        assert_eq!(read(&glyphs), ["Body text of a page", "a footnote below"]);
    }

    #[test]
    fn overprinted_accents_join_their_letters() {
        let mut glyphs = print("naif", 72.0, 100.0, 10.0);
        let i = glyphs[2];
        glyphs.push(Glyph { char: '¨', ..i });
        glyphs.extend(print("cafe", 110.0, 100.0, 10.0));
        let e = glyphs[glyphs.len() - 1];
        glyphs.push(Glyph { char: '´', baseline: 99.0, ..e });
        assert_eq!(read(&glyphs), ["naïf café"]);
        let mut wide = print("ile", 72.0, 100.0, 10.0);
        let i = wide[0];
        wide.push(Glyph { char: 'ˆ', left: i.left - 0.5, right: i.right + 0.5, ..i });
        assert_eq!(read(&wide), ["île"], "an accent may be wider than its letter");
        assert_eq!(read(&print("5 ˆ 3", 72.0, 100.0, 10.0)), ["5 ˆ 3"], "over nothing, it stays");
    }

    #[test]
    fn a_row_of_accents_costs_no_more_than_its_length() {
        let accents = print(&"ˆ ".repeat(100_000), 72.0, 100.0, 10.0);
        assert_eq!(rows(&accents).len(), 1);
    }

    #[test]
    fn letters_printed_twice_count_once() {
        let mut glyphs = print("Hello, balloon", 72.0, 100.0, 10.0);
        glyphs.extend(print("Hello, balloon", 72.3, 100.0, 10.0));
        assert_eq!(read(&glyphs), ["Hello, balloon"]);
    }

    /// The letters of a text, with so much space behind each.
    fn spread(text: &str, space: f32) -> Vec<Glyph> {
        let moved = |(i, glyph): (usize, Glyph)| {
            let shift = space * i as f32;
            Glyph { left: glyph.left + shift, right: glyph.right + shift, ..glyph }
        };
        print(text, 72.0, 100.0, 10.0).into_iter().enumerate().map(moved).collect()
    }

    #[test]
    fn stretched_ideographs_get_no_spaces() {
        assert_eq!(read(&spread("泵站维护", 4.0)), ["泵站维护"], "justified lines are stretched");
        let with_spaces = |gap: f32, text: &str| {
            let spaces: String = text.chars().flat_map(|c| [c, ' ']).collect();
            let mut x = 72.0;
            let place = |glyph: Glyph| {
                let width = if glyph.char == ' ' { gap } else { glyph.right - glyph.left };
                x += width;
                Glyph { left: x - width, right: x, ..glyph }
            };
            print(&spaces, 0.0, 100.0, 10.0).into_iter().map(place).collect::<Vec<Glyph>>()
        };
        assert_eq!(read(&with_spaces(2.9, "对于一个支持多架构的软件包")), ["对于一个支持多架构的软件包"]);
        assert_eq!(read(&with_spaces(10.0, "甲乙丙丁戊己")), ["甲 乙 丙 丁 戊 己"], "cells of a table");
        let mut spaced = print("第一章", 72.0, 100.0, 10.0);
        spaced.extend(print("概述", 112.0, 100.0, 10.0));
        assert_eq!(read(&spaced), ["第一章 概述"]);
    }

    #[test]
    fn letter_spaced_headings_are_words() {
        assert_eq!(read(&spread("CONTENTS OF THIS BOOK", 2.0)), ["CONTENTS OF THIS BOOK"]);
    }

    #[test]
    fn spaces_alone_make_no_row() {
        assert!(rows(&print("   ", 72.0, 100.0, 10.0)).is_empty());
        assert!(rows(&[]).is_empty());
    }
}
