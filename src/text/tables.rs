//! The stored form of tables from all formats: GitHub Markdown tables. This module writes them, reads them back, and
//! turns them into the plain words that are embedded.
//!
//! A table in a text is a run of lines between pipes. Its second line is the delimiter under the heads. A run at the
//! beginning of a text needs no delimiter, because chunks are cut between the rows of a table.

use std::borrow::Cow;
use std::ops::Range;

use super::{first_chars, join_filled, squeeze};

pub type Row = Vec<String>;

/// Short rows are padded to the number of cells of the longest row, but to at most this many: one row of a million
/// cells must not pad a million rows.
const FILLED_WIDTH: usize = 100;

/// The most cells of a filled table for each that it has, and those that any table may have. A file of short rows below
/// a long one would become a hundred times as long.
const MOST_FILLED: usize = 10;
const ALWAYS_FILLED: usize = 1_000;

/// Whether a table of so many cells may be filled up to this width.
pub fn may_fill(cells: usize, rows: usize, width: usize) -> bool {
    rows.saturating_mul(width) <= cells.saturating_mul(MOST_FILLED).max(ALWAYS_FILLED)
}

/// The most columns that a cell spans. Word allows as many; a document states the number, so it must not cost more.
const WIDEST_CELL: usize = 63;

/// The empty cells behind one that spans so many columns.
pub fn behind_wide(columns: usize) -> impl Iterator<Item = String> {
    std::iter::repeat_n(String::new(), columns.clamp(1, WIDEST_CELL) - 1)
}

/// The rows as a table, the first as its heads; `None` if no cell has text. Rows without text are left out.
pub fn write(mut rows: Vec<Row>) -> Option<String> {
    rows.retain(|row| row.iter().any(|cell| !cell.trim().is_empty()));
    let width = rows.iter().map(Vec::len).max()?.min(FILLED_WIDTH);
    let cells = rows.iter().map(Vec::len).sum();
    let width = if may_fill(cells, rows.len(), width) { width } else { 0 };
    let mut lines = Vec::with_capacity(rows.len() + 1);
    for (i, mut row) in rows.into_iter().enumerate() {
        row.resize(row.len().max(width), String::new());
        let cells: Vec<String> = row.iter().map(|cell| squeeze(cell).replace('|', "\\|")).collect();
        lines.push(format!("| {} |", cells.join(" | ")));
        if i == 0 {
            lines.push(format!("|{}", " --- |".repeat(cells.len())));
        }
    }
    Some(lines.join("\n"))
}

/// A table in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its bytes, without the line feed after its last row.
    pub range: Range<usize>,
    /// The bytes of its heads with the delimiter; empty for the rest of a table that begins in another text.
    pub heads: Range<usize>,
    /// The bytes of each other row.
    pub rows: Vec<Range<usize>>,
}

impl Found {
    /// The cells, heads first.
    pub fn cells(&self, text: &str) -> Vec<Row> {
        let heads = text[self.heads.clone()].lines().next();
        heads.into_iter().chain(self.rows.iter().map(|row| &text[row.clone()])).map(cells).collect()
    }
}

/// The tables in a text, in order.
pub fn find(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut run: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let range = at..at + line.trim_end_matches('\n').len();
        at += line.len();
        if is_row(&text[range.clone()]) {
            run.push(range);
        } else {
            found.extend(table_of(text, &std::mem::take(&mut run)));
        }
    }
    found.extend(table_of(text, &run));
    found
}

fn table_of(text: &str, lines: &[Range<usize>]) -> Option<Found> {
    let (first, last) = (lines.first()?, lines.last()?);
    let has_heads = lines.get(1).is_some_and(|line| is_delimiter(&text[line.clone()]));
    if !has_heads && first.start > 0 {
        return None;
    }
    let heads = if has_heads { first.start..lines[1].end } else { first.start..first.start };
    let rows = lines[if has_heads { 2 } else { 0 }..].to_vec();
    Some(Found { range: first.start..last.end, heads, rows })
}

/// Whether a line is between pipes.
pub fn is_row(line: &str) -> bool {
    let line = line.trim();
    line.len() > 1 && line.starts_with('|') && line.ends_with('|') && !line.ends_with("\\|")
}

/// Whether a row is the line under the heads: `| --- | :-: |`. Single dashes are a row without values.
fn is_delimiter(line: &str) -> bool {
    is_row(line) && cells(line).iter().all(|cell| cell.len() > 2 && cell.trim_matches(':').bytes().all(|b| b == b'-'))
}

pub fn cells(line: &str) -> Row {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let line = line.strip_suffix('|').unwrap_or(line);
    let mut cells = vec![String::new()];
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, cells.last_mut()) {
            ('\\', Some(cell)) if chars.next_if_eq(&'|').is_some() => cell.push('|'),
            ('|', _) => cells.push(String::new()),
            (c, Some(cell)) => cell.push(c),
            (_, None) => {}
        }
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

/// The text with tables as plain words, without pipes and delimiters.
pub fn plain(text: &str) -> Cow<'_, str> {
    let found = find(text);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for table in found {
        out.push_str(&text[done..table.range.start]);
        let rows: Vec<String> = table.cells(text).iter().map(|row| words(row)).collect();
        out.push_str(&rows.join("\n"));
        done = table.range.end;
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

fn words(row: &[String]) -> String {
    join_filled(row.iter().map(String::as_str), " ")
}

/// The most paragraphs of a caption (title, period, unit), its most characters, and the most characters of heads.
const MOST_CAPTIONS: usize = 4;
const LONGEST_CAPTION: usize = 240;
const LONGEST_HEADS: usize = 300;

/// The short lines before the table at byte `table` that name it: a caption, a unit. The range ends at the table.
pub fn caption(text: &str, table: usize) -> Range<usize> {
    let far = text[..table].trim_end().char_indices().rev().nth(LONGEST_CAPTION).map_or(0, |(at, _)| at);
    let mut start = table;
    for _ in 0..MOST_CAPTIONS {
        let near = text[far..start].trim_end();
        let paragraph = match near.rfind("\n\n") {
            Some(blank) => far + blank + 2..far + near.len(),
            None if far == 0 => 0..near.len(),
            None => break,
        };
        let caption = &text[paragraph.clone()];
        let is_prose = caption.ends_with(['.', '。', ';', '；', '!', '?', '！', '？']) || caption.lines().any(is_row);
        if caption.is_empty() || is_prose {
            break;
        }
        start = paragraph.start;
    }
    start..table
}

/// Finds the caption and heads that later parts of a table need before them. It takes the text of a section part by
/// part.
#[derive(Debug, Default)]
pub struct Heads {
    /// The end of the text so far, long enough for a caption.
    last: String,
    /// The caption and the heads of the table that the text so far ends in.
    open: Option<String>,
}

impl Heads {
    /// Takes the next part of the text. Returns the caption and the column heads of a table that begins in an earlier
    /// part and continues in this one.
    pub fn take(&mut self, part: &str) -> Option<String> {
        let goes_on = part.lines().next().is_some_and(is_row);
        let front = self.open.take().filter(|_| goes_on);
        let tables = find(part);
        // A blank line ends a table.
        let ends_in = tables.last().filter(|table| matches!(&part[table.range.end..], "" | "\n"));
        self.open = match ends_in {
            Some(table) if table.heads.is_empty() => front.clone(),
            Some(table) => Some(self.heads(part, table)),
            None => None,
        };
        self.last.push_str(part);
        let keep = self.last.char_indices().rev().nth(LONGEST_CAPTION + 2).map_or(0, |(at, _)| at);
        self.last.drain(..keep);
        front
    }

    fn heads(&self, part: &str, table: &Found) -> String {
        let both = format!("{}{}", self.last, &part[..table.range.start]);
        let caption = both[caption(&both, both.len())].trim();
        let heads = words(&cells(part[table.heads.clone()].lines().next().unwrap_or_default()));
        join_filled([caption, first_chars(&heads, LONGEST_HEADS)], "\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows(rows: &[&[&str]]) -> Vec<Row> {
        rows.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect()
    }

    #[test]
    fn rows_are_filled_up_and_empty_ones_left_out() {
        let table = write(rows(&[&["a", "b"], &["", ""], &["1|2"]]));
        assert_eq!(table.as_deref(), Some("| a | b |\n| --- | --- |\n| 1\\|2 |  |"));
        assert_eq!(write(rows(&[&[""]])), None);
    }

    #[test]
    fn a_long_row_does_not_make_many_short_ones_long() {
        let long: Row = vec!["a".to_owned(); FILLED_WIDTH];
        let table = |rows: usize| {
            let short = std::iter::repeat_n(vec!["b".to_owned()], rows);
            write(std::iter::once(long.clone()).chain(short).collect()).unwrap()
        };
        let last = |table: String| table.lines().last().map(str::len);
        assert!(last(table(5)) > Some(FILLED_WIDTH));
        assert_eq!(last(table(100_000)), Some("| b |".len()));
    }

    #[test]
    fn tables_are_found_in_text_and_pipes_elsewhere_are_not() {
        let text = "Rates\n\n| a | b |\n|---|:--:|\n| 1 | 2 |\n\n| no table |\n\nls | wc";
        let found = find(text);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].cells(text), rows(&[&["a", "b"], &["1", "2"]]));
        assert_eq!(&text[found[0].heads.clone()], "| a | b |\n|---|:--:|");
        assert_eq!(plain(text), "Rates\n\na b\n1 2\n\n| no table |\n\nls | wc");
    }

    #[test]
    fn the_rest_of_a_table_is_one_too() {
        let text = "| Winter | 42 |\n| Summer |  |\n";
        assert_eq!(find(text)[0].cells(text), rows(&[&["Winter", "42"], &["Summer", ""]]));
        assert_eq!(plain(text), "Winter 42\nSummer\n");
    }

    #[test]
    fn later_parts_get_the_caption_and_the_heads() {
        let mut heads = Heads::default();
        assert_eq!(heads.take("Text before it.\n\nTurns of the crank (in rounds)\n\n"), None);
        assert_eq!(heads.take("| Season | Turns |\n| --- | --- |\n| Winter | 42 |\n"), None);
        let wanted = Some("Turns of the crank (in rounds)\nSeason Turns".to_owned());
        assert_eq!(heads.take("| Spring | 15 |\n"), wanted);
        assert_eq!(heads.take("| Summer | 7 |\n\n"), wanted);
        assert_eq!(heads.take("| no table |\n"), None);
    }

    #[test]
    fn a_sentence_is_not_a_caption() {
        let text = "It is shown below.\n\n| a |";
        assert_eq!(caption(text, text.len() - 5), text.len() - 5..text.len() - 5);
        let text = "Below.\n\n资产负债表\n\n单位：万元\n\n| a |";
        assert_eq!(&text[caption(text, text.len() - 5)], "资产负债表\n\n单位：万元\n\n");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(table in prop::collection::vec(prop::collection::vec("[a-z|\\\\启$ 1-]{0,6}", 3), 1..6)) {
            let wanted: Vec<Row> = table
                .iter()
                .map(|row| row.iter().map(|cell| squeeze(cell)).collect::<Row>())
                .filter(|row| row.iter().any(|cell| !cell.is_empty()))
                .collect();
            // A backslash at the end of a cell would escape the pipe after it.
            prop_assume!(wanted.iter().flatten().all(|cell| !cell.ends_with('\\')));
            match write(table) {
                None => prop_assert!(wanted.is_empty()),
                Some(text) => prop_assert_eq!(find(&text)[0].cells(&text), wanted),
            }
        }

        #[test]
        fn no_text_is_lost(text in "(\\PC|\n|\\||-| ){0,80}") {
            let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
            prop_assert_eq!(letters(&plain(&text)), letters(&text));
            let mut heads = Heads::default();
            for part in text.split_inclusive('\n') {
                heads.take(part);
            }
        }
    }
}
