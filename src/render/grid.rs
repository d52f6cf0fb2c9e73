//! Rows of cells: as a table, as lines where a table would be too wide, and as Markdown.

use anstyle::Style;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle};
use unicode_width::UnicodeWidthStr;

use super::style::TITLE;
use super::wrap::beside;

/// A longer word may be divided in a cell of a table.
const LONGEST_WORD: usize = 20;

/// The columns that a table takes beside each cell.
const BETWEEN_CELLS: usize = 3;

/// Rows of cells under a header.
#[derive(Debug, Default)]
pub(super) struct Grid {
    pub header: Vec<&'static str>,
    pub rows: Vec<Vec<String>>,
    /// Columns that hold numbers.
    pub right: Vec<usize>,
    /// Columns that are never wrapped, because people copy their values.
    pub whole: Vec<usize>,
}

/// The head of a column, and its cell in the row of an item.
pub(super) type Column<'c, T> = (&'static str, &'c dyn Fn(&T) -> String);

impl Grid {
    /// A row for each item.
    pub fn of<T>(items: &[T], right: &[usize], columns: &[Column<'_, T>]) -> Self {
        let header: Vec<&'static str> = columns.iter().map(|(head, _)| *head).collect();
        Grid::new(&header, right, items.iter().map(|item| columns.iter().map(|(_, cell)| cell(item)).collect()))
    }

    pub fn new(header: &[&'static str], right: &[usize], rows: impl IntoIterator<Item = Vec<String>>) -> Self {
        Grid { header: header.to_vec(), rows: rows.into_iter().collect(), right: right.to_vec(), ..Grid::default() }
    }

    /// Whether a table in so many columns would divide words, because other columns stay whole.
    pub fn divides_words(&self, columns: usize) -> bool {
        let least = |column: usize| {
            let words = |cell: &str| {
                let longest = cell.split_whitespace().map(UnicodeWidthStr::width).max().unwrap_or(0);
                if self.whole.contains(&column) { cell.width() } else { longest.min(LONGEST_WORD) }
            };
            let cells = self.rows.iter().filter_map(|row| row.get(column)).map(String::as_str);
            cells.chain([self.header[column]]).map(words).max().unwrap_or(0) + BETWEEN_CELLS
        };
        !self.whole.is_empty() && (0..self.header.len()).map(least).sum::<usize>() > columns
    }

    /// Each row as a line, further lines of it indented: its first cell, then the others with their names.
    pub fn lines(&self, columns: usize) -> String {
        const NEXT: &str = "\n    ";
        let line = |row: &Vec<String>| {
            let named = self.header.iter().zip(row).skip(1).filter(|(_, cell)| !cell.is_empty());
            let named: Vec<String> = named.map(|(name, cell)| format!("{name} {cell}")).collect();
            let first = row.iter().take(1).map(|cell| (TITLE, cell.as_str()));
            let parts: Vec<(Style, &str)> =
                first.chain(named.iter().map(|part| (Style::new(), part.as_str()))).collect();
            beside(&parts, Some(columns.saturating_sub(NEXT.len()))).join(NEXT) + "\n"
        };
        self.rows.iter().map(line).collect()
    }

    pub fn table(&self, width: usize) -> Table {
        let mut table = Table::new();
        table.load_style(TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─')));
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(u16::try_from(width).unwrap_or(u16::MAX));
        table.set_header(&self.header);
        table.add_rows(&self.rows);
        for (index, column) in table.column_iter_mut().enumerate() {
            if self.right.contains(&index) {
                column.set_cell_alignment(CellAlignment::Right);
            }
            if self.whole.contains(&index) {
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
        }
        table
    }

    pub fn markdown(&self) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|").replace('\n', " ")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let header: Vec<String> = self.header.iter().map(|cell| (*cell).to_owned()).collect();
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        format!("{}|{}\n{rows}", line(&header), " --- |".repeat(self.header.len()))
    }
}
