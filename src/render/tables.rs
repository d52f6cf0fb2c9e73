//! The tables of documents: their rows for scripts, aligned columns for a terminal. Markdown shows them as they are.

use std::borrow::Cow;

use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use crate::text::tables::{Row, find};

/// Between columns.
const GAP: &str = "  ";

/// Adds the tables in `text`, if any, to a JSON object. Each is a list of rows of cells.
pub(super) fn with_tables(mut of: Value, text: &str) -> Value {
    let tables: Vec<Vec<Row>> = find(text).iter().map(|table| table.cells(text)).collect();
    if !tables.is_empty() {
        of["tables"] = json!(tables);
    }
    of
}

/// The text with the columns of its tables aligned, as far as they fit into `width` columns of the screen.
pub(super) fn aligned(text: &str, width: usize) -> Cow<'_, str> {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for table in find(text) {
        let Some(shown) = in_columns(&table.cells(text), !table.heads.is_empty(), width) else { continue };
        out.push_str(&text[done..table.range.start]);
        out.push_str(&shown);
        done = table.range.end;
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

fn in_columns(rows: &[Row], has_heads: bool, width: usize) -> Option<String> {
    let count = rows.iter().map(Vec::len).max()?;
    let cells = |column: usize| rows.iter().filter_map(move |row| row.get(column));
    let widths: Vec<usize> =
        (0..count).map(|column| cells(column).map(|cell| cell.width()).max().unwrap_or(0)).collect();
    if widths.iter().sum::<usize>() + GAP.len() * (count - 1) > width {
        return None;
    }
    // Columns of numbers are aligned to the right.
    let right: Vec<bool> = (0..count)
        .map(|column| {
            let body = || cells(column).skip(usize::from(has_heads)).filter(|cell| !cell.is_empty());
            body().next().is_some() && body().all(|cell| !cell.chars().any(char::is_alphabetic))
        })
        .collect();
    let line = |row: &Row| {
        let cell = |(column, &width): (usize, &usize)| {
            let text = row.get(column).map_or("", String::as_str);
            let space = " ".repeat(width - text.width());
            if right[column] { format!("{space}{text}") } else { format!("{text}{space}") }
        };
        widths.iter().enumerate().map(cell).collect::<Vec<_>>().join(GAP).trim_end().to_owned()
    };
    let mut lines: Vec<String> = rows.iter().map(line).collect();
    if has_heads {
        lines.insert(1, widths.iter().map(|width| "─".repeat(*width)).collect::<Vec<_>>().join(GAP));
    }
    Some(lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Turns\n\n| Season | Turns |\n| --- | --- |\n| 春季 | 42 |\n| Winter \\| ice | 7 |\n\nBelow.";

    #[test]
    fn columns_are_aligned_where_they_fit() {
        let shown =
            "Turns\n\nSeason        Turns\n────────────  ─────\n春季             42\nWinter | ice      7\n\nBelow.";
        assert_eq!(aligned(TEXT, 40), shown);
        assert_eq!(aligned(TEXT, 12), TEXT, "too narrow");
        assert_eq!(aligned("no table", 40), "no table");
    }
}
