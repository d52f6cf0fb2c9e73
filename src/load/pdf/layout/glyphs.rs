//! Glyphs with their places on the page, rotated so that their text runs from left to right.

use std::collections::HashMap;

use pdf_oxide::layout::{FontWeight, TextChar};
use unicode_normalization::UnicodeNormalization;

use crate::load::most_common;

/// Parts of the names of bold fonts. `CMBX`, `SFBX` and `BX` are TeX's; `Hei` is the Chinese sans-serif, which headings
/// use without a bold Song.
const BOLD_NAMES: &[&str] = &["bold", "black", "heavy", "demi", "cmbx", "sfbx", "ecbx", "simhei", "fandolhei", "heiti"];
/// Parts of the names of fonts of fixed pitch.
const FIXED_NAMES: &[&str] =
    &["mono", "courier", "cmtt", "cmsltt", "ectt", "sftt", "consol", "typewriter", "menlo", "fixed", "terminal"];
/// Parts of the names of fonts with pictures instead of letters.
const PICTURE_NAMES: &[&str] = &["dingbat", "wingding", "webding", "msam"];
const ITALIC_NAMES: &[&str] = &["italic", "oblique", "cmti", "cmsl", "ecti", "sfti"];

/// Letters smaller or larger than this are unreadable, in points.
const SMALLEST: f32 = 0.5;
const LARGEST: f32 = 2000.0;

/// The assumed width of an unknown letter, as a share of its size.
const USUAL_WIDTH: f32 = 0.5;
/// Steps in this range show the width of a letter, as shares of its size; and how far the baselines of a row differ.
const NARROWEST: f32 = 0.1;
const WIDEST: f32 = 1.2;
const SAME_BASELINE: f32 = 0.1;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Font {
    pub bold: bool,
    pub italic: bool,
    pub fixed: bool,
    /// Its letters and digits are pictures.
    pub pictures: bool,
}

/// The fonts seen so far; glyphs refer to them by index.
#[derive(Debug, Default)]
pub struct Fonts {
    known: Vec<Font>,
    by_name: HashMap<String, u16>,
}

impl Fonts {
    pub fn get(&self, index: u16) -> Option<&Font> {
        self.known.get(usize::from(index))
    }

    fn index(&mut self, full_name: &str, is_bold: bool, is_italic: bool) -> u16 {
        if let Some(&index) = self.by_name.get(full_name) {
            return index;
        }
        // A subset has a prefix before its name.
        let name = match full_name.split_once('+') {
            Some((prefix, rest)) if prefix.len() == 6 => rest,
            _ => full_name,
        };
        let lower = name.to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        let font = Font {
            bold: is_bold || says(BOLD_NAMES),
            italic: is_italic || says(ITALIC_NAMES),
            fixed: says(FIXED_NAMES),
            pictures: says(PICTURE_NAMES),
        };
        let index = u16::try_from(self.known.len()).unwrap_or(u16::MAX);
        self.known.push(font);
        self.by_name.insert(full_name.to_owned(), index);
        index
    }
}

/// One character in the frame of its text: `x` runs along the line, `y` downwards, both in points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Glyph {
    pub char: char,
    pub left: f32,
    pub right: f32,
    pub baseline: f32,
    pub size: f32,
    pub font: u16,
    /// The marked content in tagged documents.
    pub mark: Option<u32>,
}

/// The commonest size in points, rounded to a tenth; 0 without any.
pub fn commonest_size(sizes: impl Iterator<Item = f32>) -> f32 {
    most_common(sizes.map(|size| (size * 10.0).round() as i32)).map_or(0.0, |tenths| tenths as f32 / 10.0)
}

#[derive(Debug, Default)]
pub struct Run {
    /// Degrees, counter-clockwise; 0 for ordinary text.
    pub angle: i32,
    pub glyphs: Vec<Glyph>,
}

/// Groups a page's characters by direction, the commonest direction first. Drops characters that are outside of the
/// page or unreadably small or large.
pub fn runs(chars: &[TextChar], visible: (f32, f32, f32, f32), fonts: &mut Fonts) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let (left, bottom, right, top) = visible;
    for c in chars {
        let placed = [c.origin_x, c.origin_y, c.font_size, c.advance_width].iter().all(|number| number.is_finite());
        let inside =
            (left - 1.0..=right + 1.0).contains(&c.origin_x) && (bottom - 1.0..=top + 1.0).contains(&c.origin_y);
        let size = size(c);
        if !placed || !inside || !(SMALLEST..LARGEST).contains(&size) {
            continue;
        }
        let (angle, mirrored) = direction(c);
        let (sin, cos) = (angle as f32).to_radians().sin_cos();
        let along = c.origin_x * cos + c.origin_y * sin;
        let up = c.origin_y * cos - c.origin_x * sin;
        let width = if angle % 180 == 0 { c.advance_width.max(0.0) } else { size * USUAL_WIDTH };
        let font = fonts.index(&c.font_name, c.font_weight >= FontWeight::SemiBold, c.is_italic);
        // The file does not say which picture it is.
        let is_picture = c.char.is_ascii_alphanumeric() && fonts.get(font).is_some_and(|font| font.pictures);
        let char = if is_picture { '▪' } else { c.char };
        let left = if mirrored { along - width } else { along };
        let glyph = Glyph { char, left, right: left + width, baseline: -up, size, font, mark: c.mcid };
        match runs.iter_mut().find(|run| run.angle == angle) {
            Some(run) => run.glyphs.push(glyph),
            None => runs.push(Run { angle, glyphs: vec![glyph] }),
        }
    }
    runs.iter_mut().filter(|run| run.angle % 180 != 0).for_each(|run| measure(&mut run.glyphs));
    runs.sort_by_key(|run| std::cmp::Reverse(run.glyphs.len()));
    runs
}

/// The angle at which a character's text runs, in degrees, and whether it is mirrored along the line.
fn direction(c: &TextChar) -> (i32, bool) {
    // A negative size turns letters upside down.
    let sign = if c.font_size < 0.0 { -1.0 } else { 1.0 };
    let [a, b, x, y] = c.matrix.map_or([1.0, 0.0, 0.0, 1.0], |m| [m[0], m[1], m[2], m[3]].map(|part| part * sign));
    // A letter that is mirrored along the line (the E of XeTeX) points where its upward axis points, not its writing
    // axis. A letter that is mirrored across the line is upright, because the font mirrors it back, as Type 3 fonts do.
    let mirrored = a * y - b * x < 0.0 && a < 0.0 && b.abs() < -a;
    let degrees = if mirrored { (-x).atan2(y) } else { b.atan2(a) }.to_degrees();
    // Steps of five degrees keep a slightly rotated scan in one run.
    let angle = (degrees / 5.0).round() as i32 * 5;
    let angle = if angle <= -180 { angle + 360 } else { angle };
    (angle, mirrored)
}

/// pdf_oxide measures widths along the page's x axis, so rotated letters have none. The width of a letter is its
/// smallest step to the next letter in the same font and size.
fn measure(glyphs: &mut [Glyph]) {
    let kind = |glyph: &Glyph| (glyph.char, glyph.font, (glyph.size * 10.0).round() as i32);
    let mut widths: HashMap<(char, u16, i32), f32> = HashMap::new();
    glyphs.sort_by(|a, b| a.baseline.total_cmp(&b.baseline));
    for row in glyphs.chunk_by_mut(|a, b| b.baseline - a.baseline < SAME_BASELINE * a.size) {
        row.sort_by(|a, b| a.left.total_cmp(&b.left));
        for pair in row.windows(2) {
            let (size, width) = (pair[0].size, pair[1].left - pair[0].left);
            if (NARROWEST * size..WIDEST * size).contains(&width) {
                widths.entry(kind(&pair[0])).and_modify(|known| *known = known.min(width)).or_insert(width);
            }
        }
    }
    for glyph in glyphs {
        glyph.right = widths.get(&kind(glyph)).map_or(glyph.right, |width| glyph.left + width);
    }
}

/// The size of a character in points. Some files scale letters along the line only, or write from right to left; then
/// the width is more reliable.
fn size(c: &TextChar) -> f32 {
    let size = c.font_size.abs();
    if size * 2.0 < c.advance_width { c.advance_width * 1.6 } else { size }
}

/// Folds what fonts change (ligatures, full-width letters and digits, radicals that stand for ideographs) and keeps
/// what writers mean: wide Chinese punctuation, superscripts.
pub fn normalise(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let folded = |c: char| {
        matches!(c,
            '\u{FB00}'..='\u{FB06}' | '\u{FB13}'..='\u{FB17}' // Latin and Armenian ligatures
            | '\u{FF10}'..='\u{FF19}' | '\u{FF21}'..='\u{FF3A}' | '\u{FF41}'..='\u{FF5A}' // full-width
            | '\u{2E80}'..='\u{2FDF}' // radicals
            | '\u{F900}'..='\u{FAFF}' // compatibility ideographs
            | '\u{FB50}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}' // Arabic presentation forms
            | '\u{3000}' | '\u{A0}')
    };
    let mut result = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{AD}' | '\u{200B}' | '\u{FEFF}' => {}
            c if folded(c) => result.extend(std::iter::once(c).nfkc()),
            c => result.push(c),
        }
    }
    result.nfc().collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn font_forms_are_folded() {
        assert_eq!(normalise("ﬁeld, eﬀect, ﬄoor"), "field, effect, ffloor");
        assert_eq!(normalise("ＡＢＣ１２３"), "ABC123");
        assert_eq!(normalise("⼀⽔"), "一水", "radicals that stand for ideographs");
        assert_eq!(normalise("a\u{A0}b\u{3000}c"), "a b c");
        assert_eq!(normalise("hy\u{AD}phen\u{200B}"), "hyphen");
        assert_eq!(normalise("e\u{301}"), "é");
    }

    #[test]
    fn meaningful_forms_stay() {
        for text in ["x² + y³", "第一章：概述，（见下文）", "½ ™ № Ⅳ", "naïve café", "plain"] {
            assert_eq!(normalise(text), text);
        }
    }

    #[test]
    fn font_names_show_the_style() {
        let mut fonts = Fonts::default();
        let mut look = |name: &str| {
            let index = fonts.index(name, false, false);
            let font = fonts.get(index).unwrap();
            (font.bold, font.italic, font.fixed)
        };
        assert_eq!(look("ABCDEF+Helvetica-Bold"), (true, false, false));
        assert_eq!(look("CMBX12"), (true, false, false));
        assert_eq!(look("SimHei"), (true, false, false));
        assert_eq!(look("CMTI10"), (false, true, false));
        assert_eq!(look("Courier-BoldOblique"), (true, true, true));
        assert_eq!(look("Times-Roman"), (false, false, false));
        assert_eq!(fonts.index("CMBX12", false, false), fonts.index("CMBX12", false, false));
    }

    proptest! {
        #[test]
        fn normalising_again_changes_nothing(text in "[\\PC\u{F900}-\u{FAFF}\u{FB00}-\u{FDFF}\u{FE70}-\u{FEFC}\u{2E80}-\u{2FDF}\u{FF00}-\u{FFEF}\u{300}-\u{36F}a-e\u{AD}]{0,12}") {
            let once = normalise(&text);
            prop_assert_eq!(normalise(&once), once);
        }
    }

    /// Three letters printed with this matrix and size.
    fn printed(matrix: [f32; 4], size: f32) -> (i32, String) {
        let [a, b, c, d] = matrix;
        let letter = |i: u8| {
            let step = f32::from(i) * 6.0 * size.signum();
            let (origin_x, origin_y) = (300.0 + step * a, 300.0 + step * b);
            TextChar {
                char: char::from(b'a' + i),
                origin_x,
                origin_y,
                font_size: size,
                advance_width: 6.0,
                rotation_degrees: b.atan2(a).to_degrees(),
                matrix: Some([a, b, c, d, origin_x, origin_y]),
                ..TextChar::default()
            }
        };
        let chars: Vec<TextChar> = (0..3).map(letter).collect();
        let runs = runs(&chars, (0.0, 0.0, 600.0, 600.0), &mut Fonts::default());
        let mut glyphs = runs[0].glyphs.clone();
        glyphs.sort_by(|a, b| a.left.total_cmp(&b.left));
        (runs[0].angle, glyphs.iter().map(|glyph| glyph.char).collect())
    }

    #[test]
    fn letters_run_forward_whatever_the_matrix_mirrors() {
        assert_eq!(printed([1.0, 0.0, 0.0, 1.0], 10.0), (0, "abc".into()));
        // Picture fonts are often drawn upside down and turned by the matrix.
        assert_eq!(printed([1.0, 0.0, 0.0, -1.0], 10.0), (0, "abc".into()));
        assert_eq!(printed([-1.0, 0.0, 0.0, -1.0], 10.0), (180, "abc".into()));
        assert_eq!(printed([-1.0, 0.0, 0.0, -1.0], -10.0), (0, "abc".into()));
    }
}
