//! Rows in reading order to lines of text with their type.

use super::glyphs::{Fonts, Glyph, commonest_size, normalise};
use super::rows::{Row, Word};
use crate::load::{LineStyle, most_common};

/// A gap this wide, as a share of the size, separates two table cells or a number from its title.
const CELL_GAP: f32 = 1.6;
/// A gap this wide, as a share of the size, may separate the cells of a table.
pub const TABLE_GAP: f32 = 0.7;

#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// From 1.
    pub page: u32,
    /// The marked content of most of its letters.
    pub mark: Option<u32>,
    pub text: String,
    pub style: LineStyle,
    /// The words with their places; empty unless a gap between two is as wide as between table cells.
    pub words: Vec<Placed>,
}

/// A word with its edges, in points.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    pub left: f32,
    pub right: f32,
    pub text: String,
}

impl Line {
    /// A line outside the page's content: the value of a form field.
    pub fn without_place(text: String, page: u32) -> Self {
        let style = LineStyle { part: u32::MAX, cells: 1, ..LineStyle::default() };
        Line { page, mark: None, text, style, words: Vec::new() }
    }
}

/// Makes a line of a row in this part of the page. `upright`: it runs as most of the page does. `numbered`: its first
/// word is a line number in the margin.
pub fn line(row: &Row, page: u32, part: u32, upright: bool, numbered: bool, fonts: &Fonts) -> Line {
    let mut text = String::new();
    for word in &row.words {
        if word.spaced {
            text.push(' ');
        }
        text.extend(word.glyphs.iter().map(|glyph| glyph.char));
    }
    let is_apart = |pair: &&[Word]| pair[1].spaced && pair[1].left - pair[0].right > CELL_GAP * row.size;
    let cells = 1 + row.words.windows(2).filter(is_apart).count() as u32;
    let glyphs: Vec<&Glyph> = row.words.iter().flat_map(|word| &word.glyphs).collect();
    let significant: Vec<&Glyph> = glyphs.iter().copied().filter(|glyph| glyph.char.is_alphanumeric()).collect();
    let significant = if significant.is_empty() { glyphs } else { significant };
    let share = |is: &dyn Fn(&super::glyphs::Font) -> bool| {
        let yes = significant.iter().filter(|glyph| fonts.get(glyph.font).is_some_and(is)).count();
        yes * 5 >= significant.len() * 4
    };
    let text = normalise(text.trim());
    let margin = if numbered { text.find(|c: char| !c.is_ascii_digit()).unwrap_or(0) } else { 0 };
    let style = LineStyle {
        left: row.left(),
        right: row.right(),
        baseline: row.baseline,
        size: commonest_size(significant.iter().map(|glyph| glyph.size)),
        font: most_common(significant.iter().map(|glyph| glyph.font)).unwrap_or(0),
        bold: share(&|font| font.bold),
        italic: share(&|font| font.italic),
        fixed: share(&|font| font.fixed),
        cells,
        part,
        upright,
        margin: u32::try_from(margin).unwrap_or(0),
        ..LineStyle::default()
    };
    let mark = most_common(significant.iter().map(|glyph| glyph.mark)).flatten();
    Line { page, mark, text, style, words: placed(row) }
}

/// The words of a row that may belong to a table.
fn placed(row: &Row) -> Vec<Placed> {
    let wide = |pair: &[Word]| pair[1].left - pair[0].right > TABLE_GAP * row.size;
    if !row.words.windows(2).any(wide) {
        return Vec::new();
    }
    let text = |word: &Word| normalise(&word.glyphs.iter().map(|glyph| glyph.char).collect::<String>());
    row.words.iter().map(|word| Placed { left: word.left, right: word.right, text: text(word) }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::glyphs::Fonts;
    use super::super::rows::rows;
    use super::super::tests::{end, print, printed};
    use super::*;

    #[test]
    fn wide_gaps_separate_cells() {
        let row = &printed(&[("P1 duty", 72.0, 100.0), ("320", 200.0, 100.0), ("55", 300.0, 100.0)])[0];
        let line = line(row, 3, 0, true, false, &Fonts::default());
        assert_eq!((line.text.as_str(), line.style.cells, line.page), ("P1 duty 320 55", 3, 3));
        assert_eq!((line.style.left, line.style.right, line.style.baseline), (72.0, end("55", 300.0, 10.0), 100.0));
    }

    #[test]
    fn most_letters_decide_the_type_of_a_line() {
        let mut glyphs = print("A long heading in large type", 72.0, 100.0, 14.0);
        glyphs.extend(print("12", end("A long heading in large type", 72.0, 14.0), 96.0, 7.0));
        let read = line(&rows(&glyphs)[0], 1, 0, true, false, &Fonts::default());
        assert_eq!((read.style.size, read.text.as_str()), (14.0, "A long heading in large type12"));
    }

    #[test]
    fn margin_numbers_are_not_text() {
        let row = &printed(&[("12", 60.0, 100.0), ("Text of the draft", 90.0, 100.0)])[0];
        let numbered = line(row, 1, 0, true, true, &Fonts::default());
        assert_eq!((numbered.style.margin, numbered.text.as_str()), (2, "12 Text of the draft"));
        assert_eq!(line(row, 1, 0, true, false, &Fonts::default()).style.margin, 0);
    }
}
