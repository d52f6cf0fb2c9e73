//! Tables as Markdown, for formats that have tables of cells.

/// Short rows are filled up to the width of the longest, but no further than this: one row of a million cells must not
/// make a million rows as long.
const FILLED_WIDTH: usize = 100;

/// The rows as a Markdown table, the first as its head; `None` where no cell has text.
pub fn to_markdown(mut rows: Vec<Vec<String>>) -> Option<String> {
    rows.retain(|row| row.iter().any(|cell| !cell.is_empty()));
    let width = rows.iter().map(Vec::len).max()?.min(FILLED_WIDTH);
    let mut lines = Vec::with_capacity(rows.len() + 1);
    for (i, mut row) in rows.into_iter().enumerate() {
        row.resize(row.len().max(width), String::new());
        let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
        lines.push(format!("| {} |", cells.join(" | ")));
        if i == 0 {
            lines.push(format!("|{}", " --- |".repeat(cells.len())));
        }
    }
    Some(lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_filled_up_and_empty_ones_left_out() {
        let rows = |rows: &[&[&str]]| rows.iter().map(|row| row.iter().map(|c| c.to_string()).collect()).collect();
        let table = to_markdown(rows(&[&["a", "b"], &["", ""], &["1|2"]]));
        assert_eq!(table.as_deref(), Some("| a | b |\n| --- | --- |\n| 1\\|2 |  |"));
        assert_eq!(to_markdown(rows(&[&[""]])), None);
    }
}
