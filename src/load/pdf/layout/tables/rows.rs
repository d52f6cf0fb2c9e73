//! Lines of cells to rows of a table: heads over several lines, labels and cells over two.

use super::super::lines::Line;
use super::grid::{Cell, Grid, GridRow, pieces, push};
use crate::text::is_wide;
use crate::text::tables::Row;

/// The most lines of heads.
const MOST_HEADS: usize = 6;
/// Heads above a table are no further from it than this, in sizes.
const NEAR: f32 = 2.2;
/// A label that ends this near the edge of its column, in sizes, may go on in the next line.
const FULL: f32 = 6.0;
/// A label of so many characters that fills its column goes on whatever follows.
const LONG: usize = 50;
/// Baselines this close are one row, in sizes: figures stand in the middle of a label over two lines.
const LEVEL: f32 = 0.75;
/// The widest step inside a cell, in sizes.
const STEP: f32 = 1.7;

/// The lines above a grid that stand over its columns: heads that span several.
pub fn heads_above<'l>(lines: &'l [Line], grid: &Grid) -> &'l [Line] {
    let mut below = (grid.rows[0].baseline, grid.rows[0].size);
    let mut start = lines.len();
    while let Some(line) = start.checked_sub(1).map(|at| &lines[at]) {
        let label = (grid.left() + grid.columns[1].0) / 2.0;
        let over = line.style.left > label
            && line.style.left + line.style.right > 2.0 * grid.columns[1].0
            && line.style.right < grid.right() + 2.0 * grid.rows[0].size;
        let near = below.0 - line.style.baseline < NEAR * below.1 && line.style.baseline < below.0;
        if !(over && near && !line.style.fixed && !is_caption(&line.text)) || lines.len() - start >= MOST_HEADS {
            break;
        }
        below = (line.style.baseline, line.style.size);
        start -= 1;
    }
    &lines[start..]
}

/// How many lines below a table stand in its last row, printed a little lower.
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
    let mut rows: Vec<Row> = Vec::new();
    if heads > 0 {
        rows.push(joined(&lines[..heads], columns));
    }
    let mut waiting: Option<usize> = None;
    for (i, line) in lines.iter().enumerate().skip(heads) {
        let label = waiting.take();
        let begins = |row: Row| match label {
            Some(label) => vec![joined_row(lines[label].texts(columns), row)],
            None => vec![row],
        };
        let texts = line.texts(columns);
        let level = i > heads && is_level(&lines[i - 1], line);
        if !level && line.is_label() && i + 1 < lines.len() && goes_on(line, &lines[i + 1], edge) {
            // The label so far, in front of the line with the figures.
            match label {
                Some(label) => {
                    let cells = joined_row(lines[label].texts(columns), texts);
                    rows.push(cells);
                }
                None => waiting = Some(i),
            }
        } else if (level || i > heads && continues(&lines[i - 1], line, edge)) && !rows.is_empty() && label.is_none() {
            if let Some(row) = rows.pop() {
                rows.push(joined_row(row, texts));
            }
        } else {
            rows.extend(begins(texts));
        }
    }
    rows
}

/// The number of lines that are heads: those before the first with figures other than years.
fn heads(lines: &[GridRow]) -> usize {
    let figures = lines.iter().position(starts_body);
    let Some(mut end) = figures else {
        // Without figures: the first line, and those that go on below it.
        return 1 + lines.iter().skip(1).take_while(|line| !line.has(0)).take(MOST_HEADS).count();
    };
    // The name of a row group stands between the heads and the figures.
    let first_heads = lines.iter().position(|line| line.cells.iter().any(|cell| cell.column > 0)).unwrap_or(0);
    // A unit in brackets belongs to the heads.
    let is_group = |line: &GridRow| line.is_label() && !line.cells.iter().all(|cell| in_brackets(&cell.text));
    if let Some(group) = (first_heads + 1..end).find(|&at| is_group(&lines[at])) {
        end = group;
    }
    if first_heads >= end {
        // The lines before the figures are labels.
        return 0;
    }
    if end > MOST_HEADS { 1 } else { end }
}

fn in_brackets(text: &str) -> bool {
    text.starts_with(['(', '（', '[']) && text.ends_with([')', '）', ']'])
}

/// A row with a label and figures that are not years.
pub fn starts_body(line: &GridRow) -> bool {
    line.cells
        .iter()
        .any(|cell| cell.column > 0 && is_figure(&cell.text) && !is_year(&cell.text) && !is_note(&cell.text))
        && !line.cells.iter().all(|cell| cell.column == 0 || is_head_like(&cell.text))
}

/// Whether a line names a table or a figure: `Table 3`, `续表 3.6`, `图 2`.
pub fn is_caption(text: &str) -> bool {
    let words = ["Table ", "TABLE ", "Figure ", "FIGURE ", "Fig. ", "表", "续表", "图", "附表"];
    let rest = words.iter().find_map(|word| text.strip_prefix(word));
    rest.is_some_and(|rest| {
        rest.trim_start().starts_with(|c: char| c.is_ascii_digit() || "一二三四五六七八九十".contains(c))
    })
}

/// Whether a label without figures goes on in the line below, which has them.
fn goes_on(label: &GridRow, next: &GridRow, edge: f32) -> bool {
    let (Some(own), Some(below)) = (label.cells.first(), next.cells.first()) else { return false };
    let near = next.baseline - label.baseline < STEP * label.size;
    let figures = next.cells.len() > 1 && below.column == 0;
    near && figures && !own.text.ends_with([':', '：']) && is_broken(own, below, edge, label.size)
}

/// Whether a line stands in the row above, printed a little lower.
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
        return above.cells.len() > 1 && own.column == 0 && is_broken(own, below, edge, above.size);
    }
    // Cells of text under cells of text, without a label of their own.
    !line.has(0) && line.cells.iter().all(|cell| !is_figure(&cell.text) && above.has(cell.column))
}

/// Whether a label ends as one does that goes on: at the edge of its column, or before a word in lower case.
fn is_broken(own: &Cell, below: &Cell, edge: f32, size: f32) -> bool {
    let full = own.right > edge - FULL * size;
    let overfull = own.right > edge - size && own.text.chars().count() > LONG;
    let next = below.text.chars().next();
    next.is_some_and(char::is_lowercase)
        || overfull
        || full && next.is_some_and(is_wide) && own.text.ends_with(is_wide)
        || own.text.ends_with([',', '、', '，', '-', '–', '('])
}

fn joined(lines: &[GridRow], columns: usize) -> Row {
    lines.iter().fold(vec![String::new(); columns], |row, line| joined_row(row, line.texts(columns)))
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

/// A number with its signs or its unit: `$ 8,978`, `(1.5)%`, `12 kW`, `7 years`, `2026-03-01`.
pub fn is_figure(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).map(|c| if is_wide(c) { 2 } else { 1 }).sum::<usize>();
    digits > 0
        && !text.ends_with(',')
        && ((letters <= digits && letters < 5 && text.split_whitespace().count() < 5) || has_unit(text))
}

fn has_unit(text: &str) -> bool {
    let Some((number, unit)) = text.split_once(' ') else { return false };
    number.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '–'))
        && unit.chars().all(char::is_lowercase)
        && unit.len() < 8
}

/// `—`, `N/A`: the value of a cell without one.
pub fn is_empty_value(text: &str) -> bool {
    let dash = |c: char| matches!(c, '-' | '–' | '—' | '―' | '－' | '$' | '€' | '£' | '¥' | ' ' | '%');
    text.chars().all(dash)
        || matches!(text.to_ascii_lowercase().as_str(), "n/a" | "na" | "nm" | "n.m." | "无" | "不适用")
}

/// `2022`, `2022年`, `FY2022`
fn is_year(text: &str) -> bool {
    let core = text.trim_end_matches(['年', '*', 'E', 'A']).trim_start_matches("FY").trim();
    core.len() == 4 && core.parse().is_ok_and(|year: u32| (1900..2100).contains(&year))
}

/// `(1)` behind a head; a row of the body has other figures too.
fn is_note(text: &str) -> bool {
    let inner = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    inner.is_some_and(|inner| inner.len() < 3 && inner.chars().all(|c| c.is_ascii_digit()))
}

/// Dates and years are heads; so are words.
fn is_head_like(text: &str) -> bool {
    let dated = text.contains(['年', '月']) || text.split([',', ' ', '.', '/', '-']).any(is_year);
    !is_figure(text) || is_year(text) || dated
}

/// A currency sign, or an opening bracket, that stands apart.
pub fn is_sign(text: &str) -> bool {
    matches!(text, "$" | "€" | "£" | "¥" | "￥" | "US$" | "HK$" | "C$" | "A$" | "RMB" | "(" | "$(" | "-$" | "（")
}

/// What stands behind a number.
pub fn is_tail(text: &str) -> bool {
    matches!(text, ")" | "%" | ")%" | "%)" | "）" | "）%")
}
