//! Rows in reading order to lines of text with their looks.

use super::glyphs::{Fonts, Glyph, normalise};
use super::rows::Row;
use crate::load::Look;

/// A gap this wide, as a share of the size, parts two cells of a table or a number from its title.
const CELL_GAP: f32 = 1.6;

/// A line of a page as a reader sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// From 1.
    pub page: u32,
    /// The marked content that most of it belongs to.
    pub mark: Option<u32>,
    pub text: String,
    pub look: Look,
}

impl Line {
    /// A line that is on the page without belonging to its content: what a form field shows.
    pub fn without_place(text: String, page: u32) -> Self {
        Line { page, mark: None, text, look: Look { part: u32::MAX, cells: 1, ..Look::default() } }
    }
}

/// Makes a line of a row. `part` is the part of the page that it belongs to, `upright` whether it runs as most of the
/// page does, `numbered` whether its first word is a line number in the margin.
pub fn line(row: &Row, page: u32, part: u32, upright: bool, numbered: bool, fonts: &Fonts) -> Line {
    let mut text = String::new();
    let mut cells = 1;
    for (i, word) in row.words.iter().enumerate() {
        if word.spaced && !text.is_empty() {
            text.push(' ');
            if word.left - row.words[i - 1].right > CELL_GAP * row.size {
                cells += 1;
            }
        }
        text.extend(word.glyphs.iter().map(|glyph| glyph.char));
    }
    let glyphs: Vec<&Glyph> = row.words.iter().flat_map(|word| &word.glyphs).collect();
    let telling: Vec<&Glyph> = glyphs.iter().copied().filter(|glyph| glyph.char.is_alphanumeric()).collect();
    let telling = if telling.is_empty() { glyphs } else { telling };
    let share = |is: &dyn Fn(&super::glyphs::Font) -> bool| {
        let yes = telling.iter().filter(|glyph| fonts.get(glyph.font).is_some_and(is)).count();
        yes * 5 >= telling.len() * 4
    };
    let text = normalise(text.trim());
    let margin = if numbered { text.find(|c: char| !c.is_ascii_digit()).unwrap_or(0) } else { 0 };
    let size = most_common(telling.iter().map(|glyph| (glyph.size * 10.0).round() as i32)).unwrap_or(0);
    let look = Look {
        left: row.left(),
        right: row.right(),
        baseline: row.baseline,
        size: size as f32 / 10.0,
        font: most_common(telling.iter().map(|glyph| glyph.font)).unwrap_or(0),
        bold: share(&|font| font.bold),
        italic: share(&|font| font.italic),
        fixed: share(&|font| font.fixed),
        cells,
        part,
        upright,
        margin: u32::try_from(margin).unwrap_or(0),
        tag: None,
    };
    Line { page, mark: most_common(telling.iter().map(|glyph| glyph.mark)).flatten(), text, look }
}

fn most_common<T: Ord + Copy>(values: impl Iterator<Item = T>) -> Option<T> {
    let mut sorted: Vec<T> = values.collect();
    sorted.sort_unstable();
    sorted.chunk_by(|a, b| a == b).max_by_key(|group| group.len()).and_then(|group| group.first().copied())
}

#[cfg(test)]
mod tests {
    use super::super::glyphs::Fonts;
    use super::super::rows::rows;
    use super::super::sample::{end, print, printed};
    use super::*;

    #[test]
    fn wide_gaps_part_the_cells_of_a_row() {
        let row = &printed(&[("P1 duty", 72.0, 100.0), ("320", 200.0, 100.0), ("55", 300.0, 100.0)])[0];
        let line = line(row, 3, 0, true, false, &Fonts::default());
        assert_eq!((line.text.as_str(), line.look.cells, line.page), ("P1 duty 320 55", 3, 3));
        assert_eq!((line.look.left, line.look.right, line.look.baseline), (72.0, end("55", 300.0, 10.0), 100.0));
    }

    #[test]
    fn a_line_looks_as_most_of_its_letters_do() {
        let mut glyphs = print("A long heading in large type", 72.0, 100.0, 14.0);
        glyphs.extend(print("12", end("A long heading in large type", 72.0, 14.0), 96.0, 7.0));
        let read = line(&rows(&glyphs)[0], 1, 0, true, false, &Fonts::default());
        assert_eq!((read.look.size, read.text.as_str()), (14.0, "A long heading in large type12"));
    }

    #[test]
    fn the_number_in_the_margin_is_told_from_the_text() {
        let row = &printed(&[("12", 60.0, 100.0), ("Text of the draft", 90.0, 100.0)])[0];
        let numbered = line(row, 1, 0, true, true, &Fonts::default());
        assert_eq!((numbered.look.margin, numbered.text.as_str()), (2, "12 Text of the draft"));
        assert_eq!(line(row, 1, 0, true, false, &Fonts::default()).look.margin, 0);
    }
}
