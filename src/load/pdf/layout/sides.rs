//! Whether the text on a side of a gutter is a column of prose or of an index, and not the cells of a table.

use super::rows::Word;
use crate::text::is_wide;

/// A column has at least this many rows.
pub const FEWEST_ROWS: usize = 4;
/// Half of a column's rows fill at least this share of its width; table cells do not.
const FILLED: f32 = 0.55;
/// The least average characters of a column's rows, ideographs counted twice.
const CHARACTERS_PER_ROW: f32 = 14.0;
/// The least share of rows with words; leaders with page numbers have none.
const WORDED: f32 = 0.7;
/// The largest share of rows of one word, which are names that a table explains; ideographs need no spaces.
const SINGLE: f32 = 0.5;
/// Left edges this close are one, in points.
const SAME_EDGE: f32 = 1.5;
/// The least share of entries in a column of an index, which is narrow and ragged.
const ENTRIES: f32 = 0.6;
/// The most digits of a page in an index; years and telephone numbers have more.
const PAGE_DIGITS: usize = 3;
/// The least share of steps from one main entry of an index to the next that keep the order of the alphabet.
const IN_ORDER: f32 = 0.8;

/// Whether the text on one side of a gutter is a column. `None` stands for rows without text there.
pub fn is_column(sides: &[Option<Side>]) -> bool {
    let pieces: Vec<Side> = sides.iter().flatten().copied().collect();
    if pieces.len() < FEWEST_ROWS {
        return false;
    }
    let from = pieces.iter().map(|side| side.left).fold(f32::MAX, f32::min);
    let entries = pieces.iter().filter(|side| side.letter.is_some() && side.is_entry).count();
    if entries as f32 >= ENTRIES * pieces.len() as f32 && in_order(&pieces, from) {
        return true;
    }
    let to = pieces.iter().map(|side| side.right).fold(f32::MIN, f32::max);
    let filled = pieces.iter().filter(|side| side.right - side.left >= FILLED * (to - from)).count();
    let characters: f32 = pieces.iter().map(|side| side.characters).sum();
    let worded = pieces.iter().filter(|side| side.letter.is_some()).count();
    let single = pieces.iter().filter(|side| side.single).count();
    worded as f32 >= WORDED * pieces.len() as f32
        && single as f32 <= SINGLE * pieces.len() as f32
        && filled * 2 >= pieces.len()
        && characters / pieces.len() as f32 >= CHARACTERS_PER_ROW
}

/// Whether the first letters of the rows at the left edge rise, as in an index, whose main entries begin there.
fn in_order(pieces: &[Side], from: f32) -> bool {
    let main = pieces.iter().filter(|side| side.left - from < SAME_EDGE);
    let letters: Vec<char> = main.filter_map(|side| side.letter).collect();
    let rising = letters.windows(2).filter(|pair| pair[0] <= pair[1]).count();
    letters.len() > 1 && rising as f32 >= IN_ORDER * (letters.len() - 1) as f32
}

/// The part of a row on one side of a gutter.
#[derive(Clone, Copy)]
pub struct Side {
    left: f32,
    right: f32,
    characters: f32,
    /// The first letter, in lower case.
    letter: Option<char>,
    /// One word without ideographs.
    single: bool,
    /// It ends like an entry of an index: `pump, 12, 34`.
    is_entry: bool,
}

pub fn side(words: &[Word]) -> Option<Side> {
    let left = words.first()?.left;
    let right = words.last()?.right;
    let glyphs = || words.iter().flat_map(|word| &word.glyphs);
    let characters = glyphs().map(|glyph| if is_wide(glyph.char) { 2.0 } else { 1.0 }).sum();
    let letter = glyphs().map(|glyph| glyph.char.to_ascii_lowercase()).find(|c| c.is_alphabetic());
    let single = words.len() == 1 && !glyphs().any(|glyph| is_wide(glyph.char));
    Some(Side { left, right, characters, letter, single, is_entry: is_entry(words) })
}

fn is_entry(words: &[Word]) -> bool {
    let [.., before, last] = words else { return false };
    let is_page = |c: char| c.is_ascii_digit() || matches!(c, ',' | '-' | '–');
    let mut pages = last.glyphs.split(|glyph| !glyph.char.is_ascii_digit());
    before.glyphs.last().is_some_and(|glyph| glyph.char == ',')
        && last.glyphs.iter().all(|glyph| is_page(glyph.char))
        && pages.all(|digits| digits.len() <= PAGE_DIGITS)
}
