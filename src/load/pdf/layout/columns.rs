//! The order in which rows are read: columns one after the other, what spans them in between.

use super::rows::Row;
use crate::text::is_wide;

/// Fewer rows on either side are no column.
const FEWEST_ROWS: usize = 4;
/// A gutter is at least this wide, as a share of the size of the text.
const GUTTER: f32 = 0.7;
/// A column takes at least this share of the width of what it is part of.
const NARROWEST_COLUMN: f32 = 0.18;
/// Half of a column's rows fill at least this share of its width; cells of a table do not.
const FILLED: f32 = 0.55;
/// And have at least this many characters on average, ideographs counted twice.
const CHARACTERS_PER_ROW: f32 = 14.0;
/// And this share of them has words in it; leaders with page numbers have none.
const WORDED: f32 = 0.7;
/// Columns inside columns inside columns: deeper is no layout.
const DEEPEST: usize = 4;
/// Gutters are looked for at places this far apart, in points.
const STEP: f32 = 1.0;

/// Puts rows, which come from top to bottom, into reading order. Each part (a column, what lies between columns) has
/// a number of its own.
pub fn reading_order(rows: Vec<Row>) -> Vec<(u32, Row)> {
    let mut parts = Vec::new();
    read(rows, 0, &mut parts);
    (0u32..).zip(parts).flat_map(|(part, rows)| rows.into_iter().map(move |row| (part, row))).collect()
}

fn read(rows: Vec<Row>, depth: usize, parts: &mut Vec<Vec<Row>>) {
    let found = if depth < DEEPEST && rows.len() >= FEWEST_ROWS { find_columns(&rows) } else { None };
    let Some(Columns { first, last, x }) = found else {
        if !rows.is_empty() {
            parts.push(rows);
        }
        return;
    };
    let mut rows = rows;
    let below = rows.split_off(last + 1);
    let band = rows.split_off(first);
    let (left, right) = split(band, x);
    read(rows, depth, parts);
    read(left, depth + 1, parts);
    read(right, depth + 1, parts);
    read(below, depth, parts);
}

/// Rows `first` to `last` stand in two columns, parted at `x`.
struct Columns {
    first: usize,
    last: usize,
    x: f32,
}

fn find_columns(rows: &[Row]) -> Option<Columns> {
    let left = rows.iter().map(Row::left).fold(f32::MAX, f32::min);
    let right = rows.iter().map(Row::right).fold(f32::MIN, f32::max);
    let width = right - left;
    if !(width > 0.0 && width < 20_000.0) {
        return None;
    }
    let steps = (width / STEP) as usize;
    let mut best: Option<(f32, Columns)> = None;
    // Neighbouring places that part the same rows are one gutter, of which the middle is taken.
    let mut gutter: Option<(usize, usize, (usize, usize))> = None;
    for step in 0..=steps {
        let x = left + step as f32 * STEP;
        let wide_enough = x - left >= NARROWEST_COLUMN * width && right - x >= NARROWEST_COLUMN * width;
        let band = if wide_enough { longest_band(rows, x) } else { None };
        match (&mut gutter, band) {
            (Some((_, to, known)), Some(band)) if *known == band => *to = step,
            (_, band) => {
                if let Some((from, to, (first, last))) = gutter.take() {
                    let x = left + (from + to) as f32 / 2.0 * STEP;
                    let score = (last - first + 1) as f32 * balance(&rows[first..=last], x);
                    if best.as_ref().is_none_or(|(known, _)| score > *known) {
                        best = Some((score, Columns { first, last, x }));
                    }
                }
                gutter = band.map(|band| (step, step, band));
            }
        }
    }
    best.map(|(_, columns)| columns)
}

/// Columns of a page are about equally wide: 1 where they are, towards one half where they are not. A gutter between
/// titles and the page numbers of a contents page loses against the one between its two columns.
fn balance(rows: &[Row], x: f32) -> f32 {
    let left = rows.iter().map(Row::left).fold(f32::MAX, f32::min);
    let right = rows.iter().map(Row::right).fold(f32::MIN, f32::max);
    let (a, b) = (x - left, right - x);
    0.5 + 0.5 * a.min(b) / a.max(b).max(1.0)
}

/// The longest run of rows that `x` does not cross and that is two columns of text there.
fn longest_band(rows: &[Row], x: f32) -> Option<(usize, usize)> {
    let mut best: Option<(usize, usize)> = None;
    let mut start = 0;
    for end in 0..=rows.len() {
        if end < rows.len() && !crosses(&rows[end], x) {
            continue;
        }
        if end > start && best.is_none_or(|(first, last)| end - start > last - first + 1) {
            if let Some(band) = two_columns(&rows[start..end], x) {
                best = Some((start + band.0, start + band.1));
            }
        }
        start = end + 1;
    }
    best
}

fn crosses(row: &Row, x: f32) -> bool {
    let half = GUTTER * row.size / 2.0;
    row.words.iter().any(|word| word.left < x + half && word.right > x - half)
}

/// The rows of a band from the first to the last that have text on both sides or continue such rows, if both sides
/// are columns of text.
fn two_columns(rows: &[Row], x: f32) -> Option<(usize, usize)> {
    let (left, right): (Vec<_>, Vec<_>) = rows
        .iter()
        .map(|row| {
            let cut = row.words.partition_point(|word| word.left < x);
            (side(&row.words[..cut]), side(&row.words[cut..]))
        })
        .unzip();
    let is_column = |sides: &[Option<Side>]| {
        let pieces: Vec<Side> = sides.iter().flatten().copied().collect();
        if pieces.len() < FEWEST_ROWS {
            return false;
        }
        let from = pieces.iter().map(|side| side.left).fold(f32::MAX, f32::min);
        let to = pieces.iter().map(|side| side.right).fold(f32::MIN, f32::max);
        let filled = pieces.iter().filter(|side| side.right - side.left >= FILLED * (to - from)).count();
        let characters: f32 = pieces.iter().map(|side| side.characters).sum();
        let worded = pieces.iter().filter(|side| side.worded).count();
        worded as f32 >= WORDED * pieces.len() as f32
            && filled * 2 >= pieces.len()
            && characters / pieces.len() as f32 >= CHARACTERS_PER_ROW
    };
    if !is_column(&left) || !is_column(&right) {
        return None;
    }
    let both = |i: &usize| left[*i].is_some() || right[*i].is_some();
    let first = (0..rows.len()).find(both)?;
    let last = (0..rows.len()).rev().find(both)?;
    Some((first, last))
}

/// The part of a row on one side of a gutter.
#[derive(Clone, Copy)]
struct Side {
    left: f32,
    right: f32,
    characters: f32,
    worded: bool,
}

fn side(words: &[super::rows::Word]) -> Option<Side> {
    let left = words.first()?.left;
    let right = words.last()?.right;
    let characters =
        words.iter().flat_map(|word| &word.glyphs).map(|glyph| if is_wide(glyph.char) { 2.0 } else { 1.0 }).sum();
    let worded = words.iter().flat_map(|word| &word.glyphs).any(|glyph| glyph.char.is_alphabetic());
    Some(Side { left, right, characters, worded })
}

fn split(rows: Vec<Row>, x: f32) -> (Vec<Row>, Vec<Row>) {
    let mut left = Vec::new();
    let mut right = Vec::new();
    for mut row in rows {
        let cut = row.words.partition_point(|word| word.left < x);
        let mut rest = row.words.split_off(cut);
        if let Some(word) = rest.first_mut() {
            word.spaced = false;
            right.push(Row { baseline: row.baseline, size: row.size, words: rest });
        }
        if !row.words.is_empty() {
            left.push(row);
        }
    }
    (left, right)
}
