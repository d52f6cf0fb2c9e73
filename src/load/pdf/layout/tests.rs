//! Builders for the tests of this room: text as a page would print it.

use super::furniture::Page;
use super::glyphs::{Fonts, Glyph};
use super::lines::{Line, line};
use super::rows::{Row, rows};
use crate::load::LineStyle;
use crate::text::is_wide;

/// The glyphs of `text` from `left` on: letters half as wide as they are high, ideographs square, spaces a quarter.
pub fn print(text: &str, left: f32, baseline: f32, size: f32) -> Vec<Glyph> {
    let mut x = left;
    let glyph = |char: char| {
        let letter = if is_wide(char) { size } else { size / 2.0 };
        let width = if char == ' ' { size / 4.0 } else { letter };
        x += width;
        Glyph { char, left: x - width, right: x, baseline, size, font: 0, mark: None }
    };
    text.chars().map(glyph).collect()
}

/// The right edge of `text` printed from `left` on.
pub fn end(text: &str, left: f32, size: f32) -> f32 {
    print(text, left, 0.0, size).last().map_or(left, |glyph| glyph.right)
}

/// The rows of a page on which each `(text, left, baseline)` is printed in ten points.
pub fn printed(pieces: &[(&str, f32, f32)]) -> Vec<Row> {
    let glyphs: Vec<Glyph> =
        pieces.iter().flat_map(|&(text, left, baseline)| print(text, left, baseline, 10.0)).collect();
    rows(&glyphs)
}

pub fn text(row: &Row) -> String {
    line(row, 1, 0, true, false, &Fonts::default()).text
}

/// A line of ten points at the left edge of page 1.
pub fn sample(text: &str) -> Line {
    let style = LineStyle {
        left: 72.0,
        right: end(text, 72.0, 10.0),
        baseline: 100.0,
        size: 10.0,
        cells: 1,
        upright: true,
        ..LineStyle::default()
    };
    Line { page: 1, mark: None, text: text.to_owned(), style, words: Vec::new() }
}

impl Line {
    pub fn at(mut self, left: f32, baseline: f32) -> Self {
        self.style.right += left - self.style.left;
        self.style.left = left;
        self.style.baseline = baseline;
        self
    }

    pub fn on_page(mut self, page: u32) -> Self {
        self.page = page;
        self
    }

    pub fn in_part(mut self, part: u32) -> Self {
        self.style.part = part;
        self
    }

    pub fn bold(mut self) -> Self {
        self.style.bold = true;
        self
    }
}

/// Lines one below the other, twelve points apart, from `top` on.
pub fn stacked(lines: impl IntoIterator<Item = Line>, top: f32) -> Vec<Line> {
    let place = |(i, mut line): (usize, Line)| {
        line.style.baseline = top + 12.0 * i as f32;
        line
    };
    lines.into_iter().enumerate().map(place).collect()
}

/// A page of the size of A4.
pub fn page(lines: Vec<Line>) -> Page {
    Page { lines, top: 0.0, bottom: 842.0 }
}
