//! Lines of cells to rows of a table: heads over several lines, labels and cells over two.

use super::super::lines::Line;
use super::grid::{Cell, Grid, GridRow, pieces, push};
use super::words::{in_brackets, is_caption, is_figure};
use crate::text::is_wide;
use crate::text::tables::Row;

const MOST_HEADS: usize = 6;
/// Heads above a table are no further from it than this, in sizes.
const NEAR: f32 = 2.2;
/// A label that ends this near the edge of its column, in sizes, may go on in the next line.
const FULL: f32 = 2.5;
/// Chinese labels of fewer characters are not broken.
const SHORT: usize = 9;
/// A longer label that fills its column goes on, whatever follows.
const LONG: usize = 50;
/// Baselines this close are one row, in sizes: figures may be level with the middle of a label over two lines.
const LEVEL: f32 = 0.75;
/// The widest step inside a cell, in sizes.
const STEP: f32 = 1.7;

/// The lines above a grid that stand over its columns: heads that span several.
pub fn heads_above<'l>(lines: &'l [Line], grid: &Grid) -> &'l [Line] {
    let mut below = (grid.rows[0].baseline, grid.rows[0].size);
    let mut start = lines.len();
    while let Some(line) = start.checked_sub(1).map(|at| &lines[at]) {
        let (labels, figures) = (grid.columns[0].1, grid.columns[1].0);
        let over = line.style.left > (grid.left() + figures) / 2.0
            // A head may be wider than the figures below it, but then it begins behind the labels.
            && (line.style.left + line.style.right > 2.0 * figures || line.style.left > labels && line.style.right > figures)
            && line.style.right < grid.right() + 2.0 * grid.rows[0].size;
        let near = below.0 - line.style.baseline < NEAR * below.1 && line.style.baseline < below.0;
        let is_head = over && near && !line.style.fixed && !is_caption(&line.text);
        if !is_head || lines.len() - start >= MOST_HEADS {
            break;
        }
        below = (line.style.baseline, line.style.size);
        start -= 1;
    }
    &lines[start..]
}

/// The number of lines below a table that belong to its last row, printed a little lower.
pub fn level_with(table: &[Line], below: &[Line]) -> usize {
    let Some(last) = table.last() else { return 0 };
    let level = |line: &&Line| line.style.baseline - last.style.baseline < LEVEL * last.style.size;
    below.iter().take_while(level).count()
}

/// The rows of a table with the heads as the first.
pub fn rows(above: &[Line], grid: Grid) -> Vec<Row> {
    let columns = grid.columns.len();
    let mut lines: Vec<GridRow> = above.iter().map(|line| row_above(line, &grid)).collect();
    let edge = grid.columns[0].1;
    lines.extend(grid.rows);
    let heads = heads(&lines).max(above.len());
    let head = lines[..heads].iter().map(|line| line.texts(columns)).reduce(joined_row);
    let mut rows: Vec<Row> = head.into_iter().collect();
    // Whether the next line belongs to the last row.
    let mut open = false;
    for (i, line) in lines.iter().enumerate().skip(heads) {
        let texts = line.texts(columns);
        let above = (i > heads).then(|| &lines[i - 1]);
        let level = above.is_some_and(|above| is_level(above, line));
        let begins = !level && line.is_label() && lines.get(i + 1).is_some_and(|next| goes_on(line, next, edge));
        let continues = !begins && above.is_some_and(|above| continues(above, line, edge));
        match rows.pop_if(|_| open || level || continues) {
            Some(row) => rows.push(joined_row(row, texts)),
            None => rows.push(texts),
        }
        open = begins;
    }
    rows
}

/// The number of lines that are heads: those before the first with figures other than years.
fn heads(lines: &[GridRow]) -> usize {
    let figures = lines.iter().position(GridRow::starts_body);
    let Some(body) = figures else {
        // Without figures: the first line, and the lines that continue it.
        return 1 + lines.iter().skip(1).take_while(|line| !line.has(0)).take(MOST_HEADS).count();
    };
    // The name of a row group stands between the heads and the figures.
    let first_heads = lines.iter().position(|line| line.cells.iter().any(|cell| cell.column > 0)).unwrap_or(0);
    // A unit in brackets belongs to the heads.
    let is_group = |line: &GridRow| line.is_label() && !line.cells.iter().all(|cell| in_brackets(&cell.text));
    let end = (first_heads + 1..body).find(|&at| is_group(&lines[at])).unwrap_or(body);
    if first_heads >= end {
        // The lines before the figures are labels.
        return 0;
    }
    if end > MOST_HEADS { 1 } else { end }
}

/// Whether a label without figures continues in the line below, which has figures.
fn goes_on(label: &GridRow, next: &GridRow, edge: f32) -> bool {
    let (Some(own), Some(below)) = (label.cells.first(), next.cells.first()) else { return false };
    let near = next.baseline - label.baseline < STEP * label.size;
    let figures = next.cells.len() > 1 && below.column == 0;
    near && figures && !own.text.ends_with([':', '：']) && is_broken(own, below, edge, label.size)
}

/// Whether a line belongs to the row above, printed a little lower.
fn is_level(above: &GridRow, line: &GridRow) -> bool {
    line.baseline - above.baseline < LEVEL * above.size && line.cells.iter().all(|cell| !above.has(cell.column))
}

/// Whether a line without figures continues the cells of the one above.
fn continues(above: &GridRow, line: &GridRow, edge: f32) -> bool {
    if line.baseline - above.baseline > STEP * above.size {
        return false;
    }
    let (Some(own), Some(below)) = (above.cells.first(), line.cells.first()) else { return false };
    if line.is_label() {
        // A line with a colon at its end names the rows below it, however long the label above it is.
        let is_group = below.text.ends_with([':', '：']) && !below.text.starts_with(char::is_lowercase);
        return !is_group && above.cells.len() > 1 && own.column == 0 && is_broken(own, below, edge, above.size);
    }
    // Cells of text under cells of text, without a label of their own.
    !line.has(0) && line.cells.iter().all(|cell| !is_figure(&cell.text) && above.has(cell.column))
}

/// Whether a label looks cut off: it fills its column, ends in a comma or hyphen, or the next word is in lower case.
fn is_broken(own: &Cell, below: &Cell, edge: f32, size: f32) -> bool {
    let full = own.right > edge - FULL * size;
    let overfull = own.right > edge - size && own.text.chars().count() > LONG;
    let next = below.text.chars().next();
    next.is_some_and(char::is_lowercase)
        || overfull
        || full && own.text.chars().count() > SHORT && next.is_some_and(is_wide) && own.text.ends_with(is_wide)
        || own.text.ends_with([',', '、', '，', '-', '–', '('])
}

fn joined_row(mut above: Row, below: Row) -> Row {
    for (cell, more) in above.iter_mut().zip(below) {
        if cell.ends_with(is_wide) && more.starts_with(is_wide) {
            cell.push_str(&more);
        } else {
            push(cell, &more);
        }
    }
    above
}

/// A head that spans columns stands in the first of them.
fn row_above(line: &Line, grid: &Grid) -> GridRow {
    let column = |left: f32, right: f32| {
        let over = |&(from, to): &(f32, f32)| right > from && left < to;
        let behind = grid.columns.iter().skip(1).position(over).map(|at| at + 1);
        behind.unwrap_or_else(|| grid.columns.iter().skip(1).rposition(|&(from, _)| from < left).map_or(1, |at| at + 1))
    };
    let cell = |left: f32, right: f32, text: String| Cell { column: column(left, right), left, right, text };
    let pieces = pieces(line);
    let cells = match pieces.as_slice() {
        [] => vec![cell(line.style.left, line.style.right, line.text.clone())],
        pieces => pieces.iter().map(|piece| cell(piece.left, piece.right, piece.text())).collect(),
    };
    GridRow { cells, baseline: line.style.baseline, size: line.style.size, fixed: false }
}
