//! The tables of reStructuredText, drawn with characters: grids (`+---+---+`) and simple ones (`=== ===`).

use std::ops::Range;

use unicode_width::UnicodeWidthChar;

use crate::text::tables::Row;
use crate::text::{join_words, squeeze};

/// The rows of a block that is entirely a table; `None` for anything else.
pub fn rows(block: &[&str]) -> Option<Vec<Row>> {
    let (first, last) = (block.first()?, block.last()?);
    if is_border(first) && is_border(last) && first.starts_with('+') {
        grid_rows(block)
    } else if is_rule(first) && first == last && block.len() > 2 {
        simple_rows(block)
    } else {
        None
    }
}

/// `+----+-----+`, or with `=` under the heads.
fn is_border(line: &str) -> bool {
    line.len() > 2 && line.ends_with('+') && line.chars().all(|c| matches!(c, '+' | '-' | '='))
}

/// `====  =====`
fn is_rule(line: &str) -> bool {
    line.starts_with("==") && line.contains(" =") && line.chars().all(|c| matches!(c, '=' | ' '))
}

/// Cuts each line at its `|`. A block with cells that span columns stays text.
fn grid_rows(block: &[&str]) -> Option<Vec<Row>> {
    let columns = block[0].matches('+').count() - 1;
    let mut rows: Vec<Row> = Vec::new();
    let mut open = false;
    for line in &block[1..] {
        if is_border(line) {
            open = false;
            continue;
        }
        let inner = line.strip_prefix('|')?.strip_suffix('|')?;
        let cells: Row = inner.split('|').map(squeeze).collect();
        if cells.len() != columns {
            return None;
        }
        match rows.last_mut().filter(|_| open) {
            Some(row) => extend(row, cells),
            None => rows.push(cells),
        }
        open = true;
    }
    Some(rows)
}

/// Stands in the second column of a wide character; texts have no NUL.
const FILLER: char = '\0';

/// Columns stand under the runs of `=`. A row without text in its first column continues the row above.
fn simple_rows(block: &[&str]) -> Option<Vec<Row>> {
    let columns = runs_of_equal_signs(block[0]);
    let mut rows: Vec<Row> = Vec::new();
    for line in &block[1..] {
        if is_rule(line) || line.is_empty() || line.chars().all(|c| matches!(c, '-' | ' ')) {
            continue;
        }
        let filled = |c: char| [Some(c), (c.width() == Some(2)).then_some(FILLER)];
        let chars: Vec<char> = line.chars().flat_map(filled).flatten().collect();
        let cut = |(i, column): (usize, &Range<usize>)| {
            // The last column has no right edge.
            let end = if i + 1 == columns.len() { chars.len() } else { columns[i + 1].start };
            let cell = chars.get(column.start..end.min(chars.len())).unwrap_or_default();
            squeeze(&cell.iter().filter(|c| **c != FILLER).collect::<String>())
        };
        // A line costs no more than its length, however many columns stand above it.
        let within = columns.iter().enumerate().take_while(|(_, column)| column.start < chars.len());
        let cells: Row = within.map(cut).collect();
        match rows.last_mut() {
            Some(row) if cells.first().is_some_and(String::is_empty) => extend(row, cells),
            _ => rows.push(cells),
        }
    }
    Some(rows)
}

fn extend(row: &mut Row, more: Row) {
    row.resize(row.len().max(more.len()), String::new());
    row.iter_mut().zip(more).for_each(|(cell, more)| join_words(cell, &more));
}

fn runs_of_equal_signs(rule: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, _) in rule.char_indices().filter(|(_, c)| *c == '=') {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end = at + 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_and_simple_tables_are_read() {
        let wanted: Vec<Row> = [["Season", "Turns"], ["Winter and spring", "42"], ["夏", ""]]
            .map(|row| row.map(str::to_owned).to_vec())
            .into();
        let grid = [
            "+--------+-------+",
            "| Season | Turns |",
            "+========+=======+",
            "| Winter | 42    |",
            "| and    |       |",
            "| spring |       |",
            "+--------+-------+",
            "| 夏     |       |",
            "+--------+-------+",
        ];
        assert_eq!(rows(&grid), Some(wanted.clone()));
        let simple = ["======  =====", "Season  Turns", "======  =====", "Winter and spring", "夏", "======  ====="];
        assert_eq!(rows(&simple).unwrap()[2], ["夏"]);
        let simple = [
            "=================  =====",
            "Season             Turns",
            "=================  =====",
            "Winter and spring  42",
            "=================  =====",
        ];
        assert_eq!(rows(&simple).unwrap(), wanted[..2]);
    }

    #[test]
    fn wide_characters_stand_in_two_columns() {
        let table = ["====  ====", "名称  压力", "====  ====", "水泵  3.5", "阀    12", "====  ===="];
        let wanted = [["名称", "压力"], ["水泵", "3.5"], ["阀", "12"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(rows(&table).unwrap(), wanted);
    }

    #[test]
    fn other_blocks_are_text() {
        assert_eq!(rows(&["=====", "Title", "====="]), None);
        assert_eq!(rows(&["text", "more"]), None);
        assert_eq!(rows(&[]), None);
    }
}
