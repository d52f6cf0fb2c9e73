//! Glyphs to rows: what stands on one baseline, cut into words.

use super::glyphs::Glyph;
use crate::text::is_wide;

/// Baselines that differ by less than this share of the size are one.
const SAME_BASELINE: f32 = 0.2;
/// A raised or lowered run belongs to the row whose baseline is at most this share of the row's size away.
const SCRIPT_SHIFT: f32 = 0.6;
/// Smaller than this share of the row's size, a run can be a superscript or subscript.
const SCRIPT_SIZE: f32 = 0.88;
/// What is as large as the row must be nearer than this.
const SAME_SIZE_SHIFT: f32 = 0.3;
/// More pieces than this on one baseline are a row of their own: figures of a table, not scripts.
const MOST_SCRIPTS: usize = 40;
/// So many characters are no script.
const LONGEST_SCRIPT: usize = 200;
/// A gap of this share of the size parts two words.
const WORD_GAP: f32 = 0.15;
/// With a space character in it, a gap of this share does.
const SPACED_WORD_GAP: f32 = 0.02;
/// Between ideographs, gaps of these shares are spaces: with a space character in them, and without.
const SPACE_AMONG_IDEOGRAPHS: f32 = 0.22;
const GAP_AMONG_IDEOGRAPHS: f32 = 0.8;
/// The same glyph again within this share of the size is the same glyph, printed twice to look bold.
const REPRINT: f32 = 0.12;

/// A word: glyphs without a gap between them.
#[derive(Debug, Clone, PartialEq)]
pub struct Word {
    pub left: f32,
    pub right: f32,
    pub glyphs: Vec<Glyph>,
    /// Whether a gap stands before it; the first word of a row has none, nor have Han characters inside a text.
    pub spaced: bool,
}

/// What stands on one baseline, from left to right.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub baseline: f32,
    /// The size that most of its glyphs have.
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
}

/// Groups the glyphs of one run into rows, from top to bottom.
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
        let size = common_size(&glyphs);
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

/// The size of most glyphs, in points, weighted by number.
fn common_size(glyphs: &[Glyph]) -> f32 {
    let mut counts: Vec<(i32, usize)> = Vec::new();
    for glyph in glyphs.iter().filter(|glyph| !glyph.char.is_whitespace()) {
        let key = (glyph.size * 10.0).round() as i32;
        match counts.iter_mut().find(|(size, _)| *size == key) {
            Some((_, count)) => *count += 1,
            None => counts.push((key, 1)),
        }
    }
    counts.into_iter().max_by_key(|&(size, count)| (count, size)).map_or(0.0, |(size, _)| size as f32 / 10.0)
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
    strands
        .into_iter()
        .filter(|glyphs| glyphs.iter().any(|glyph| !glyph.char.is_whitespace()))
        .map(Strand::new)
        .collect()
}

/// Puts superscripts, subscripts and marks into the rows they hang on. What stands on one baseline may be the scripts
/// of several rows (of two columns, say), so each piece finds its own.
fn attach_scripts(strands: &mut Vec<Strand>) {
    for i in 0..strands.len() {
        let mut rest = Vec::new();
        for piece in pieces(&strands[i]) {
            let host = [i.checked_sub(1), Some(i + 1)]
                .into_iter()
                .flatten()
                .filter(|&j| j < strands.len() && is_host(&strands[j], &piece))
                .min_by(|&a, &b| {
                    let far = |j: usize| (strands[j].baseline - piece.baseline).abs();
                    far(a).total_cmp(&far(b))
                });
            match host {
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

/// A strand, cut where nothing stands for more than a letter's width.
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
    if pieces.len() > MOST_SCRIPTS {
        return vec![Strand::new(strand.glyphs.clone())];
    }
    if pieces.len() == 1 {
        return vec![Strand::new(strand.glyphs.clone())];
    }
    pieces.into_iter().map(Strand::new).collect()
}

fn is_host(host: &Strand, script: &Strand) -> bool {
    let shift = (host.baseline - script.baseline).abs();
    if shift > SCRIPT_SHIFT * host.size {
        return false;
    }
    if script.glyphs.len() > LONGEST_SCRIPT {
        return false;
    }
    let reach = host.size * 0.6;
    let inside = script.left() >= host.left() - reach && script.right() <= host.right() + reach;
    if !inside || script.glyphs.len() > host.glyphs.len() * 2 {
        return false;
    }
    let printed = |glyph: &&Glyph| !glyph.char.is_whitespace();
    let touches = script.glyphs.iter().filter(printed).any(|glyph| {
        host.glyphs
            .iter()
            .filter(printed)
            .any(|other| glyph.left - other.right < reach && other.left - glyph.right < reach)
    });
    // Smaller ones may stand above or below others, as the A of LaTeX does. Of the same size: only what fills a hole.
    let is_script = script.size < host.size * SCRIPT_SIZE;
    let free = || {
        script.glyphs.iter().filter(printed).all(|glyph| {
            let middle = (glyph.left + glyph.right) / 2.0;
            host.glyphs.iter().filter(printed).all(|other| middle <= other.left || middle >= other.right)
        })
    };
    touches && (is_script || (shift < SAME_SIZE_SHIFT * host.size && free()))
}

/// Accents that old fonts print over a letter as a glyph of their own, with the character that combines.
const ACCENTS: &[(char, char)] = &[
    ('`', '\u{300}'),
    ('´', '\u{301}'),
    ('ˆ', '\u{302}'),
    ('˜', '\u{303}'),
    ('¯', '\u{304}'),
    ('˘', '\u{306}'),
    ('˙', '\u{307}'),
    ('¨', '\u{308}'),
    ('˚', '\u{30A}'),
    ('˝', '\u{30B}'),
    ('ˇ', '\u{30C}'),
    ('¸', '\u{327}'),
];

/// Moves each accent that stands over or under a letter behind that letter, as a combining character.
fn set_accents(glyphs: &mut [Glyph]) {
    // Some accents are letters to Unicode, and none is one that bears an accent.
    let bears = |c: char| c.is_alphabetic() && !ACCENTS.iter().any(|(accent, _)| *accent == c);
    for i in 0..glyphs.len() {
        let c = glyphs[i].char;
        let combining = match ACCENTS.iter().find(|(accent, combining)| *accent == c || *combining == c) {
            Some(&(_, combining)) => combining,
            None if matches!(c, '\u{300}'..='\u{36F}') => c,
            None => continue,
        };
        let middle = (glyphs[i].left + glyphs[i].right) / 2.0;
        let reach = glyphs[i].size * 0.12;
        let base = glyphs
            .iter()
            .filter(|base| bears(base.char) && base.left - reach <= middle && middle <= base.right + reach)
            .min_by(|a, b| {
                let far = |base: &Glyph| ((base.left + base.right) / 2.0 - middle).abs();
                far(a).total_cmp(&far(b))
            });
        if let Some(base) = base {
            // Just behind the left edge of its letter, so that it sorts there.
            (glyphs[i].left, glyphs[i].right) = (base.left + 0.001, base.right);
            glyphs[i].char = combining;
        }
    }
}

fn words(glyphs: &[Glyph]) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut space_before = false;
    let tracking = tracking(glyphs);
    for glyph in glyphs {
        if glyph.char.is_whitespace() {
            space_before = true;
            continue;
        }
        let Some(word) = words.last_mut() else {
            words.push(Word { left: glyph.left, right: glyph.right, glyphs: vec![*glyph], spaced: false });
            space_before = false;
            continue;
        };
        let reprinted = word
            .glyphs
            .iter()
            .rev()
            .take(3)
            .any(|last| last.char == glyph.char && (glyph.left - last.left).abs() < REPRINT * glyph.size);
        if reprinted {
            continue;
        }
        let last = word.glyphs.last().copied().unwrap_or(*glyph);
        let gap = glyph.left - word.right;
        let size = last.size.min(glyph.size);
        let needed = if space_before { SPACED_WORD_GAP } else { WORD_GAP } * size + tracking;
        // Between ideographs a gap is a space only where it is wide, or where the file says that it is one.
        let wide_gap = if space_before { SPACE_AMONG_IDEOGRAPHS } else { GAP_AMONG_IDEOGRAPHS } * size;
        let apart = gap > needed && !(is_unspaced(last.char) && is_unspaced(glyph.char) && gap < wide_gap);
        if apart {
            words.push(Word { left: glyph.left, right: glyph.right, glyphs: vec![*glyph], spaced: true });
        } else {
            word.right = word.right.max(glyph.right);
            word.glyphs.push(*glyph);
        }
        space_before = false;
    }
    words
}

/// How far letters of a row stand apart that is set with letter spacing, in points; 0 for ordinary text.
fn tracking(glyphs: &[Glyph]) -> f32 {
    let mut gaps: Vec<f32> = glyphs
        .windows(2)
        .filter(|pair| pair.iter().all(|glyph| glyph.char.is_alphabetic() && !is_unspaced(glyph.char)))
        .map(|pair| pair[1].left - pair[0].right)
        .collect();
    if gaps.len() < 4 {
        return 0.0;
    }
    gaps.sort_by(f32::total_cmp);
    let quarter = gaps[gaps.len() / 4];
    let size = glyphs.first().map_or(0.0, |glyph| glyph.size);
    if quarter > WORD_GAP * 0.7 * size { quarter } else { 0.0 }
}

/// Ideographs, and the punctuation that they share with other scripts: between two of these a gap is no space.
fn is_unspaced(c: char) -> bool {
    is_wide(c) || matches!(c, '“' | '”' | '‘' | '’' | '…' | '—')
}

#[cfg(test)]
mod tests {
    use super::super::sample::{end, print, text};
    use super::*;

    fn read(glyphs: &[Glyph]) -> Vec<String> {
        rows(glyphs).iter().map(text).collect()
    }

    #[test]
    fn words_are_what_gaps_part_with_and_without_a_space_between() {
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
    fn rows_come_from_top_to_bottom_whatever_order_the_file_has() {
        let glyphs =
            [print("third", 72.0, 124.0, 10.0), print("first", 72.0, 100.0, 10.0), print("second", 72.0, 112.0, 10.0)];
        assert_eq!(read(&glyphs.concat()), ["first", "second", "third"]);
    }

    #[test]
    fn superscripts_and_subscripts_stay_in_their_row() {
        let mut glyphs = print("E = mc", 72.0, 100.0, 10.0);
        glyphs.extend(print("2", end("E = mc", 72.0, 10.0), 96.0, 7.0));
        glyphs.extend(print("water, H", 72.0, 112.0, 10.0));
        glyphs.extend(print("2", end("water, H", 72.0, 10.0), 114.0, 7.0));
        assert_eq!(read(&glyphs), ["E = mc2", "water, H2"]);
    }

    #[test]
    fn a_small_line_of_its_own_is_no_superscript() {
        let mut glyphs = print("Body text of a page", 72.0, 100.0, 10.0);
        glyphs.extend(print("a footnote below", 72.0, 112.0, 7.0));
        assert_eq!(read(&glyphs), ["Body text of a page", "a footnote below"]);
    }

    #[test]
    fn an_accent_printed_over_its_letter_becomes_part_of_it() {
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
    fn letters_printed_twice_to_look_bold_are_there_once() {
        let mut glyphs = print("Hello, balloon", 72.0, 100.0, 10.0);
        glyphs.extend(print("Hello, balloon", 72.3, 100.0, 10.0));
        assert_eq!(read(&glyphs), ["Hello, balloon"]);
    }

    #[test]
    fn ideographs_have_no_spaces_that_the_writer_did_not_set() {
        let spread: Vec<Glyph> = print("泵站维护", 72.0, 100.0, 10.0)
            .into_iter()
            .enumerate()
            .map(|(i, g)| Glyph { left: g.left + 4.0 * i as f32, right: g.right + 4.0 * i as f32, ..g })
            .collect();
        assert_eq!(read(&spread), ["泵站维护"], "justified lines are stretched");
        let mut spaced = print("第一章", 72.0, 100.0, 10.0);
        spaced.extend(print("概述", 112.0, 100.0, 10.0));
        assert_eq!(read(&spaced), ["第一章 概述"]);
    }

    #[test]
    fn letter_spaced_headings_are_words() {
        let spread = |text: &str| -> Vec<Glyph> {
            let mut x = 72.0;
            let place = |glyph: Glyph| {
                let width = glyph.right - glyph.left;
                x += width + 2.0;
                Glyph { left: x - width, right: x, ..glyph }
            };
            print(text, 0.0, 100.0, 10.0).into_iter().map(place).collect()
        };
        assert_eq!(read(&spread("CONTENTS OF THIS BOOK")), ["CONTENTS OF THIS BOOK"]);
    }

    #[test]
    fn nothing_but_spaces_is_no_row() {
        assert!(rows(&print("   ", 72.0, 100.0, 10.0)).is_empty());
        assert!(rows(&[]).is_empty());
    }
}
