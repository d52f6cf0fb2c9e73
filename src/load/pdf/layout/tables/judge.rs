//! Whether rows in columns are a table, or prose, a list, a contents page, a formula.

use std::ops::Range;

use super::grid::{Cell, Grid, GridRow};
use super::words::{
    in_brackets, is_empty_value, is_equation_number, is_figure, is_formula, is_index_entry, is_marker, is_symbol,
};
use crate::text::width;

/// The fewest rows with several cells, and their least share of all lines.
const FEWEST_ROWS: usize = 3;
const FULL_ROWS: f32 = 0.4;
/// Edges this close are aligned, in sizes. Closing brackets hang over the right edge.
const ALIGNED: f32 = 0.6;
/// The least share of a column's cells that align.
const IN_LINE: f32 = 0.7;
/// The least share of figures in a column of figures.
const FIGURES: f32 = 0.6;
/// A table without figures has at least this many rows and columns, this share of its cells filled, and cells of at
/// most this average length in characters, ideographs counted twice.
const TEXT_ROWS: usize = 4;
const TEXT_COLUMNS: usize = 3;
const FILLED: f32 = 0.6;
const LONGEST_TEXT: f32 = 30.0;
/// Labels longer than this on average are prose beside numbers.
const LONGEST_LABEL: f32 = 90.0;
/// A usual step needs more rows than this.
const SHOWS_STEP: usize = 5;
/// A row is set apart by a step larger than this many usual steps.
const APART: f32 = 1.6;
/// If this share of the lines looks like something else (a list, a contents page, a formula), it is not a table.
const MOSTLY: f32 = 0.6;

pub fn is_table(grid: &Grid) -> bool {
    let full: Vec<&GridRow> = grid.rows.iter().filter(|row| row.cells.len() > 1).collect();
    if full.len() < FEWEST_ROWS || (full.len() as f32) < FULL_ROWS * grid.rows.len() as f32 {
        return false;
    }
    let columns: Vec<Column<'_>> = (0..grid.columns.len()).map(|i| Column::of(&full, i)).collect();
    if looks_otherwise(grid, &full, &columns) {
        return false;
    }
    let aligned = columns.iter().filter(|column| column.aligned >= IN_LINE).count();
    // The first column may be indented by rank.
    if aligned + 1 < columns.len() || columns.iter().skip(1).any(|column| column.aligned < IN_LINE * 0.7) {
        return false;
    }
    let of_figures = |column: &Column<'_>| column.figures >= FIGURES && column.cells.len() > 1 && !is_numbering(column);
    if columns.iter().skip(1).any(of_figures) {
        return columns[0].width() < LONGEST_LABEL;
    }
    let cells: usize = full.iter().map(|row| row.cells.len()).sum();
    columns.len() >= TEXT_COLUMNS
        && full.len() >= TEXT_ROWS
        && cells as f32 >= FILLED * (full.len() * columns.len()) as f32
        && full.len() * 4 >= grid.rows.len() * 3
        && columns.iter().all(|column| column.width() < LONGEST_TEXT && column.aligned >= IN_LINE)
}

/// The rows of a grid without the headings and labels above and below: rows with nothing but a label, and rows without
/// figures that stand apart from rows with figures.
pub fn extent(grid: &Grid) -> Range<usize> {
    let rows = &grid.rows;
    let step = |at: usize| rows[at + 1].baseline - rows[at].baseline;
    let usual = usual_step(rows);
    let figures = |row: &GridRow| row.cells.iter().skip(1).any(|cell| is_figure(&cell.text));
    let any = rows.len() > SHOWS_STEP && rows.iter().any(figures);
    let apart = |row: &GridRow, step: f32| any && row.has(0) && !figures(row) && step > APART * usual;
    let is_heading = |row: &GridRow| row.is_label() && !row.cells.iter().all(|cell| in_brackets(&cell.text));
    let (mut from, mut to) = (0, rows.len());
    while from + 1 < to && (is_heading(&rows[from]) || apart(&rows[from], step(from))) {
        from += 1;
    }
    while from + 1 < to && (rows[to - 1].is_label() || apart(&rows[to - 1], step(to - 2))) {
        to -= 1;
    }
    from..to
}

/// The median step from row to row, in points; 0 for a single row.
pub fn usual_step(rows: &[GridRow]) -> f32 {
    let mut steps: Vec<f32> = rows.windows(2).map(|pair| pair[1].baseline - pair[0].baseline).collect();
    steps.sort_by(f32::total_cmp);
    steps.get(steps.len() / 2).copied().unwrap_or(0.0)
}

/// The cells of a column, in rows with several cells.
struct Column<'a> {
    cells: Vec<&'a Cell>,
    /// The share of cells that align at the left, in the middle or at the right, whichever is most.
    aligned: f32,
    /// The share of figures.
    figures: f32,
}

impl<'a> Column<'a> {
    fn of(rows: &[&'a GridRow], column: usize) -> Self {
        let body = rows.iter().position(|row| row.starts_body()).unwrap_or(0);
        let size = rows.first().map_or(1.0, |row| row.size);
        let cells: Vec<&Cell> =
            rows[body..].iter().flat_map(|row| &row.cells).filter(|cell| cell.column == column).collect();
        let share = |edge: fn(&Cell) -> f32| {
            let mut edges: Vec<f32> = cells.iter().map(|cell| edge(cell)).collect();
            edges.sort_by(f32::total_cmp);
            let mut first = 0;
            let near = (0..edges.len()).map(|last| {
                while edges[last] - edges[first] > ALIGNED * size {
                    first += 1;
                }
                last - first + 1
            });
            near.max().unwrap_or(0) as f32 / cells.len().max(1) as f32
        };
        let edges: [fn(&Cell) -> f32; 3] = [|cell| cell.left, |cell| cell.right, |cell| (cell.left + cell.right) / 2.0];
        let aligned = edges.into_iter().map(share).fold(0.0, f32::max);
        let figures = share_of(&cells, |cell| is_figure(&cell.text) || is_empty_value(&cell.text));
        // A column of dashes and "n/a" is a column of figures only if a figure stands among them.
        let figures = if cells.iter().any(|cell| is_figure(&cell.text)) { figures } else { 0.0 };
        Column { cells, aligned, figures }
    }

    /// The average length.
    fn width(&self) -> f32 {
        self.cells.iter().map(|cell| width(&cell.text)).sum::<usize>() as f32 / self.cells.len().max(1) as f32
    }

    fn share(&self, is: impl Fn(&str) -> bool) -> f32 {
        share_of(&self.cells, |cell| is(&cell.text))
    }
}

fn share_of(cells: &[&Cell], is: impl Fn(&Cell) -> bool) -> f32 {
    cells.iter().filter(|cell| is(cell)).count() as f32 / cells.len().max(1) as f32
}

fn looks_otherwise(grid: &Grid, full: &[&GridRow], columns: &[Column<'_>]) -> bool {
    let all: Vec<&Cell> = full.iter().flat_map(|row| &row.cells).collect();
    let fixed = grid.rows.iter().filter(|row| row.fixed).count();
    let worded = all.iter().any(|cell| cell.text.chars().filter(|c| c.is_alphabetic()).count() > 1);
    let last = &columns[columns.len() - 1];
    let two = columns.len() == 2;
    !worded
        || fixed * 2 > grid.rows.len()
        || leaders(&all) > 1
        || share_of(&all, |cell| is_formula(&cell.text)) > 0.25
        || (columns.len() < 4 && is_contents(last) && columns[1..columns.len() - 1].iter().all(|c| c.figures < FIGURES))
        || (two && columns[0].share(is_marker) >= MOSTLY)
        || (two && columns[0].share(|text| text.ends_with([':', '：'])) >= MOSTLY)
        || (two && columns[0].share(is_formula) + columns[0].share(is_symbol) >= 0.3)
        || last.share(is_equation_number) >= MOSTLY
        || columns.iter().filter(|column| column.share(is_index_entry) > 0.5).count() * 2 >= columns.len()
        || columns.iter().all(is_sorted)
}

/// The number of cells with leaders, the dots before a page number.
fn leaders(cells: &[&Cell]) -> usize {
    let leads = |text: &str| {
        let dots = text.chars().filter(|c| matches!(c, '.' | '…' | '·' | '。' | '．' | '_')).count();
        ["....", "…", "····", ". . ."].iter().any(|leader| text.contains(leader)) || dots * 2 > text.len()
    };
    cells.iter().filter(|cell| leads(&cell.text)).count()
}

/// Page numbers: whole numbers that do not fall.
fn is_contents(column: &Column<'_>) -> bool {
    let pages: Vec<Option<u32>> = column.cells.iter().map(|cell| cell.text.parse().ok()).collect();
    let known: Vec<u32> = pages.iter().flatten().copied().collect();
    let rising = known.windows(2).filter(|pair| pair[0] <= pair[1]).count();
    known.len() * 10 >= pages.len() * 7 && known.len() > 2 && rising * 10 >= (known.len() - 1) * 8
}

/// `8.7`, `8.8`, `8.9`: the numbers of paragraphs beside their text.
fn is_numbering(column: &Column<'_>) -> bool {
    let last =
        |cell: &&Cell| cell.text.trim_end_matches('.').rsplit('.').next().and_then(|part| part.parse::<u32>().ok());
    let parts: Vec<Option<u32>> = column.cells.iter().map(last).collect();
    let next = parts.windows(2).filter(|pair| pair[0].is_some_and(|number| pair[1] == number.checked_add(1))).count();
    parts.len() > 2 && next * 10 >= (parts.len() - 1) * 8
}

/// Names that run down a column in their order: a list in columns.
fn is_sorted(column: &Column<'_>) -> bool {
    let first = |cell: &&Cell| cell.text.chars().find(|c| c.is_alphabetic()).map(|c| c.to_ascii_lowercase());
    let letters: Vec<char> = column.cells.iter().filter_map(first).collect();
    let rising = letters.windows(2).filter(|pair| pair[0] <= pair[1]).count();
    letters.len() > 4 && letters.len() * 10 >= column.cells.len() * 9 && rising * 10 >= (letters.len() - 1) * 8
}
