//! Tables, recognised from the places of words alone: rows whose cells stand in the same columns become one line, whose
//! text is the whole table.
//!
//! A missed table stays readable lines; a false one ruins prose. So [`judge`] asks for at least three rows of several
//! cells that align, and rejects what only looks like a table: contents pages, lists, formulas, listings, columns of
//! prose. [`bands`] finds the rows that may belong together, [`grid`] their columns and cells, [`rows`] joins heads and
//! wrapped labels, [`words`] tells figures from words. Ruled lines are not read: pdf_oxide would parse each page a
//! second time for them.

mod bands;
mod grid;
mod judge;
mod rows;
#[cfg(test)]
mod tests;
mod words;

use std::ops::Range;

use super::glyphs::commonest_size;
use super::lines::Line;
use crate::load::{LineStyle, most_common};
use crate::text::tables::{self, Row};

/// Joins the lines of each table into one line. The lines come in reading order without furniture.
pub fn join(lines: Vec<Line>) -> Vec<Line> {
    let mut joined = Vec::with_capacity(lines.len());
    for part in lines.chunk_by(|a, b| a.page == b.page && a.style.part == b.style.part) {
        let mut done = 0;
        for Table { lines, rows } in tables_of(part) {
            let Some(text) = tables::write(rows) else { continue };
            joined.extend_from_slice(&part[done..lines.start]);
            joined.push(one_line(&part[lines.clone()], text));
            done = lines.end;
        }
        joined.extend_from_slice(&part[done..]);
    }
    joined
}

/// The lines of a table, and its cells.
struct Table {
    lines: Range<usize>,
    rows: Vec<Row>,
}

fn tables_of(part: &[Line]) -> Vec<Table> {
    let mut found: Vec<Table> = Vec::new();
    let mut waiting = bands::with_groups(part, bands::bands(part));
    waiting.reverse();
    while let Some(band) = waiting.pop() {
        let free = found.last().map_or(0, |last| last.lines.end);
        if band.start < free {
            // The last row of the table before reaches into it.
            waiting.extend((free < band.end).then_some(free..band.end));
            continue;
        }
        let Some(grid) = grid::Grid::of(&part[band.clone()]) else { continue };
        // Lines between two tables, which their rows would span.
        let breaks = grid.breaks(&part[band.clone()]);
        if !breaks.is_empty() {
            waiting.extend(bands::without(part, &band, &breaks).into_iter().rev());
            continue;
        }
        let extent = judge::extent(&grid);
        if extent.len() < grid.rows.len() {
            waiting.push(band.start + extent.start..band.start + extent.end);
            continue;
        }
        if !judge::is_table(&grid) {
            continue;
        }
        let above = rows::heads_above(&part[free..band.start], &grid);
        let end = band.end + rows::level_with(&part[band.clone()], &part[band.end..]);
        let grid = if end > band.end { grid::Grid::of(&part[band.start..end]).unwrap_or(grid) } else { grid };
        let lines = band.start - above.len()..end;
        found.push(Table { rows: rows::rows(above, grid), lines });
    }
    found
}

/// One line for the lines of a table. Its baseline is that of the last line, because what is below is placed by that.
fn one_line(lines: &[Line], text: String) -> Line {
    let (first, last) = (&lines[0], &lines[lines.len() - 1]);
    let style = LineStyle {
        left: lines.iter().map(|line| line.style.left).fold(f32::MAX, f32::min),
        right: lines.iter().map(|line| line.style.right).fold(f32::MIN, f32::max),
        size: commonest_size(lines.iter().map(|line| line.style.size)),
        font: most_common(lines.iter().map(|line| line.style.font)).unwrap_or(0),
        cells: lines.iter().map(|line| line.style.cells).max().unwrap_or(1),
        baseline: last.style.baseline,
        part: last.style.part,
        upright: last.style.upright,
        table: true,
        ..LineStyle::default()
    };
    Line { page: first.page, mark: None, text, style, words: Vec::new() }
}
