//! The columns of a band, and the words of its lines in their cells.

use std::ops::Range;

use super::super::lines::{Line, Placed, TABLE_GAP};
use super::words::{is_caption, is_empty_value, is_figure, is_head_like, is_note, is_sign, is_tail, is_year};
use crate::text::join_words;
use crate::text::tables::Row;

/// The narrowest alley between columns, in sizes.
const ALLEY: f32 = 0.3;
/// One row in this many may cross an alley: a long label, a number too wide for its column.
const MAY_CROSS: usize = 10;
/// A line without cells is a label if it ends within this share of the width.
const LABEL: f32 = 0.75;
/// Labels are indented by at most this many sizes.
const DEEPEST_INDENT: f32 = 8.0;
/// More columns are a drawing.
const MOST_COLUMNS: usize = 30;

/// The words of a cell with their edges.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    pub column: usize,
    pub left: f32,
    pub right: f32,
    pub text: String,
}

/// The cells of one line.
#[derive(Debug, Clone, PartialEq)]
pub struct GridRow {
    pub cells: Vec<Cell>,
    pub baseline: f32,
    pub size: f32,
    pub fixed: bool,
}

impl GridRow {
    pub fn has(&self, column: usize) -> bool {
        self.cells.iter().any(|cell| cell.column == column)
    }

    /// Whether it has no cell beside the label.
    pub fn is_label(&self) -> bool {
        self.cells.iter().all(|cell| cell.column == 0)
    }

    /// Whether it has figures beside its label, and more than years, dates and numbers of notes.
    pub fn starts_body(&self) -> bool {
        let is_value = |text: &str| is_figure(text) && !is_year(text) && !is_note(text);
        self.cells.iter().any(|cell| cell.column > 0 && is_value(&cell.text))
            && !self.cells.iter().all(|cell| cell.column == 0 || is_head_like(&cell.text))
    }

    pub fn texts(&self, columns: usize) -> Row {
        let mut row = vec![String::new(); columns];
        for cell in &self.cells {
            if let Some(text) = row.get_mut(cell.column) {
                push(text, &cell.text);
            }
        }
        row
    }
}

/// Adds words to a cell: no space separates a currency sign, bracket or percent sign from its number.
pub fn push(cell: &mut String, more: &str) {
    let close =
        is_tail(more) || (is_sign(cell) && more.starts_with(|c: char| c.is_ascii_digit() || "(—–-".contains(c)));
    if close { cell.push_str(more) } else { join_words(cell, more) }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// The left and the right edge of each column.
    pub columns: Vec<(f32, f32)>,
    pub rows: Vec<GridRow>,
}

impl Grid {
    /// `None` unless the lines have at least two columns and not too many.
    pub fn of(lines: &[Line]) -> Option<Self> {
        let pieces: Vec<Vec<Piece>> = lines.iter().map(pieces).collect();
        let mut columns = columns(lines, &pieces)?;
        split_labels(&mut columns, &pieces);
        if columns.len() > MOST_COLUMNS {
            return None;
        }
        let mut rows = rows(lines, &pieces, &columns);
        // A head in the middle of a wide column stands beside the column's short cells, as if in its own column.
        let of_heads = |column: usize| rows.iter().skip(1).all(|row| !row.has(column));
        let kept: Vec<(f32, f32)> = (0..columns.len()).filter(|&i| !of_heads(i)).map(|i| columns[i]).collect();
        if kept.len() < columns.len() {
            columns = kept;
            rows = self::rows(lines, &pieces, &columns);
        }
        (columns.len() > 1).then_some(Grid { columns, rows })
    }

    pub fn left(&self) -> f32 {
        self.columns[0].0
    }

    pub fn right(&self) -> f32 {
        self.columns[self.columns.len() - 1].1
    }

    /// The lines that are neither a row nor a label: prose, a caption between two tables.
    pub fn breaks(&self, lines: &[Line]) -> Vec<usize> {
        let width = self.right() - self.left();
        let second = self.columns[1].0;
        let is_break = |at: usize| {
            let style = &lines[at].style;
            if self.rows[at].cells.len() > 1 || style.left > second - style.size {
                return false;
            }
            // A line between the rows of one table and the heads of the next.
            let heads_below =
                self.rows.get(at + 1).is_some_and(|row| !row.is_label() && !row.has(0) && !row.starts_body());
            if heads_below || is_caption(&lines[at].text) || is_sentence(&lines[at].text) {
                return true;
            }
            let narrow = style.right < (self.left() + LABEL * width).max(self.columns[0].1 + style.size);
            // A long label over two lines, the second with figures.
            let next = self.rows.get(at + 1).filter(|row| row.has(0) && row.starts_body());
            let goes_on = next.is_some() && !lines[at].text.ends_with(['.', '。', ':', '：']);
            style.left > self.left() + DEEPEST_INDENT * style.size || !(narrow || goes_on)
        };
        (0..lines.len()).filter(|&at| is_break(at)).collect()
    }
}

/// A note or prose, but not a label with an abbreviation.
fn is_sentence(text: &str) -> bool {
    text.ends_with('。') || (text.ends_with('.') && text.split_whitespace().count() > 7)
}

/// Words of a line without a wide gap between them.
#[derive(Debug, Clone)]
pub struct Piece<'a> {
    words: &'a [Placed],
    pub left: f32,
    pub right: f32,
}

impl Piece<'_> {
    pub fn text(&self) -> String {
        text_of(self.words)
    }
}

fn text_of(words: &[Placed]) -> String {
    let mut text = String::new();
    words.iter().for_each(|word| push(&mut text, &word.text));
    text
}

/// Cuts a line at wide gaps. A currency sign or bracket that stands apart stays with its number.
pub fn pieces(line: &Line) -> Vec<Piece<'_>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    let joined = |a: &Placed, b: &Placed| {
        // Two figures are two cells, however close they are.
        let figures = stands_at_sign(&a.text) && (is_figure(&b.text) || is_sign(&b.text));
        b.left - a.right <= TABLE_GAP * line.style.size && !figures
    };
    for words in line.words.chunk_by(joined) {
        let end = start + words.len();
        let after_sign = start > 0 && is_sign(&line.words[start - 1].text) && stands_at_sign(&words[0].text);
        match ranges.last_mut() {
            Some(last) if after_sign || (words.len() == 1 && is_tail(&words[0].text)) => last.end = end,
            _ => ranges.push(start..end),
        }
        start = end;
    }
    let piece = |range: Range<usize>| {
        let words = &line.words[range];
        Piece { words, left: words[0].left, right: words[words.len() - 1].right }
    };
    ranges.into_iter().map(piece).collect()
}

fn stands_at_sign(text: &str) -> bool {
    is_figure(text) || is_empty_value(text)
}

/// The columns, separated by the alleys that nearly all rows leave free.
fn columns(lines: &[Line], pieces: &[Vec<Piece<'_>>]) -> Option<Vec<(f32, f32)>> {
    let with_figures: Vec<&Vec<Piece<'_>>> =
        pieces.iter().filter(|row| row.len() > 1 && row.iter().skip(1).any(|piece| is_figure(&piece.text()))).collect();
    // Heads span columns, so rows with figures are better evidence.
    let rows = if with_figures.len() > 2 { with_figures } else { pieces.iter().filter(|row| row.len() > 1).collect() };
    let size = lines.iter().map(|line| line.style.size).fold(f32::MAX, f32::min).max(1.0);
    let may_cross = rows.len() / MAY_CROSS;
    let mut edges: Vec<(f32, i32)> =
        rows.iter().flat_map(|row| row.iter()).flat_map(|piece| [(piece.left, 1), (piece.right, -1)]).collect();
    edges.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
    let mut columns: Vec<(f32, f32)> = Vec::new();
    let (mut depth, mut start) = (0i32, None);
    for (x, step) in edges {
        depth += step;
        let inside = depth > i32::try_from(may_cross).unwrap_or(i32::MAX);
        match (inside, start) {
            (true, None) => start = Some(x),
            (false, Some(from)) => {
                match columns.last_mut() {
                    Some(last) if from - last.1 < ALLEY * size => last.1 = x,
                    _ => columns.push((from, x)),
                }
                start = None;
            }
            _ => {}
        }
    }
    (columns.len() > 1).then_some(columns)
}

/// Separates a column of figures that stands as close after the labels as a word does. Its figures end at one edge.
fn split_labels(columns: &mut Vec<(f32, f32)>, pieces: &[Vec<Piece<'_>>]) {
    let edge = columns[0].1;
    let of_labels = pieces.iter().filter(|row| row.len() > 1).filter_map(|row| row.first());
    let mut labels = 0;
    let mut figures: Vec<(f32, f32)> = Vec::new();
    for piece in of_labels {
        labels += 1;
        let last = piece.words.iter().rposition(|word| !stands_at_sign(&word.text) && !is_sign(&word.text));
        let begin = last.map_or(0, |last| last + 1);
        let number = piece.words.get(begin);
        if let Some(word) = number.filter(|_| begin > 0 && (edge - piece.right).abs() < edge_of(piece)) {
            figures.push((word.left, piece.right));
        }
    }
    if figures.len() > 2 && figures.len() * 10 > labels * 6 {
        let left = figures.iter().map(|figure| figure.0).fold(f32::MAX, f32::min);
        let before = pieces.iter().filter_map(|row| row.first()).flat_map(|piece| piece.words);
        let right = before.map(|word| word.right).filter(|right| *right < left).fold(columns[0].0, f32::max);
        columns[0].1 = right;
        columns.insert(1, (left, edge));
    }
}

/// How far the right edges of figures may differ: a closing bracket hangs over.
fn edge_of(piece: &Piece<'_>) -> f32 {
    piece.words.last().map_or(0.0, |word| (word.right - word.left) / word.text.chars().count().max(1) as f32)
}

fn rows(lines: &[Line], pieces: &[Vec<Piece<'_>>], columns: &[(f32, f32)]) -> Vec<GridRow> {
    let row = |(line, pieces): (&Line, &Vec<Piece<'_>>)| {
        let cells = match pieces.as_slice() {
            // It has no wide gaps, so its words were not kept.
            [] => vec![Cell {
                column: column_of(columns, line.style.left, line.style.right),
                left: line.style.left,
                right: line.style.right,
                text: line.text.clone(),
            }],
            pieces => cells(pieces, columns),
        };
        GridRow { cells, baseline: line.style.baseline, size: line.style.size, fixed: line.style.fixed }
    };
    lines.iter().zip(pieces).map(row).collect()
}

fn cells(pieces: &[Piece<'_>], columns: &[(f32, f32)]) -> Vec<Cell> {
    let mut cells: Vec<Cell> = Vec::new();
    let mut add = |column: usize, left: f32, right: f32, text: &str| match cells.last_mut() {
        Some(last) if last.column >= column => {
            push(&mut last.text, text);
            last.right = right;
        }
        _ => cells.push(Cell { column, left, right, text: text.to_owned() }),
    };
    for piece in pieces {
        let column = column_of(columns, piece.left, piece.right);
        // Figures at the end of a piece that belong to columns further right.
        let own = |word: &Placed| {
            columns.iter().skip(column + 1).any(|&(left, right)| {
                is_figure(&word.text) && (word.left + word.right) / 2.0 > left && (word.left + word.right) / 2.0 < right
            })
        };
        let cut = piece.words.iter().rposition(|word| !own(word)).map_or(0, |last| last + 1);
        let (head, figures) = piece.words.split_at(if cut == 0 { 1 } else { cut });
        add(column, piece.left, head.last().map_or(piece.right, |word| word.right), &text_of(head));
        for word in figures {
            add(column_of(columns, word.left, word.right), word.left, word.right, &word.text);
        }
    }
    cells
}

/// The column that a piece stands in, the first if it spans several.
fn column_of(columns: &[(f32, f32)], left: f32, right: f32) -> usize {
    let overlap = |&(from, to): &(f32, f32)| right.min(to) - left.max(from);
    if let Some(first) = columns.iter().position(|column| overlap(column) > 0.0) {
        // It only touches the first column, and stands in the next.
        let behind = columns.get(first + 1).map_or(0.0, overlap);
        return if behind > 4.0 * overlap(&columns[first]) && left > columns[first].0 { first + 1 } else { first };
    }
    let far = |&(from, to): &(f32, f32)| (left - to).max(from - right);
    let nearest = columns.iter().enumerate().min_by(|a, b| far(a.1).total_cmp(&far(b.1)));
    nearest.map_or(0, |(i, _)| i)
}
