//! The few styles the tables use, and the frame of grids.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};
use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};

use super::Screen;

/// A title.
pub(super) const TITLE: Style = Style::new().bold();
/// What is said in passing: paths, ids.
pub(super) const DIM: Style = Style::new().dimmed();
/// Words that match.
pub(super) const MATCH: Style = AnsiColor::Yellow.on_default().bold();
/// Something went wrong.
pub(super) const BAD: Style = AnsiColor::Red.on_default();
/// A place: page, section.
pub(super) const PLACE: Style = AnsiColor::Cyan.on_default();

/// `text` in a style.
pub(super) fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// A grid with a header; columns in `right` hold numbers.
pub(super) fn grid(screen: Screen, header: &[&str], right: &[usize], rows: Vec<Vec<String>>) -> Table {
    let mut table = Table::new();
    table.load_style(TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─')));
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(u16::try_from(screen.width).unwrap_or(u16::MAX));
    table.set_header(header);
    table.add_rows(rows);
    for &column in right {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// A Markdown table.
pub(super) fn markdown_grid(header: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut text = line(header.iter().map(|cell| (*cell).to_owned()).collect());
    text.push_str(&format!("|{}\n", " --- |".repeat(header.len())));
    for row in rows {
        text.push_str(&line(row.iter().map(|cell| cell.replace('|', "\\|").replace('\n', " ")).collect()));
    }
    text
}
