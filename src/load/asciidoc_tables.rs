//! The tables of AsciiDoc: cells behind separators (`|a |b`), comma-separated values, and lines with colons.
//!
//! We read them ourselves, because the parser takes quadratic time for them and drops rows that are not full.

use std::collections::VecDeque;

use super::csv;
use crate::text::squeeze;
use crate::text::tables::{Row, WIDEST_CELL};

/// The longest text that is copied, in bytes, all copies together.
const LONGEST_COPIES: usize = 10_000;

/// Whether a line begins or ends a table: `|===`, `!===` for one in a cell, `,===` and `:===` for other separators.
pub fn is_delimiter(line: &str) -> bool {
    line.strip_prefix(['|', '!', ',', ':']).is_some_and(|rest| rest.len() > 2 && rest.bytes().all(|byte| byte == b'='))
}

/// The rows of a table between two such lines. `attributes` is what stands in brackets above it.
pub fn rows(delimiter: &str, attributes: &str, inside: &str) -> Vec<Row> {
    let own = delimiter.chars().next().unwrap_or('|');
    let separator = named(attributes, "separator")
        .map(|text| if text == "\\t" { '\t' } else { text.chars().next().unwrap_or(own) });
    match (named(attributes, "format"), own) {
        (Some("csv"), _) | (None, ',') => csv::rows(inside, byte(separator, b',')),
        (Some("tsv"), _) => csv::rows(inside, byte(separator, b'\t')),
        (Some("dsv"), _) | (None, ':') => {
            let separator = separator.unwrap_or(':');
            inside.lines().map(|line| line.split(separator).map(squeeze).collect()).collect()
        }
        _ => of_cells(inside, separator.unwrap_or(own), named(attributes, "cols").and_then(columns)),
    }
}

fn byte(separator: Option<char>, usual: u8) -> u8 {
    separator.and_then(|separator| u8::try_from(separator).ok()).filter(u8::is_ascii).unwrap_or(usual)
}

/// The value of an attribute, with or without quotation marks.
fn named<'a>(attributes: &'a str, name: &str) -> Option<&'a str> {
    let value = attributes.split(name).skip(1).find_map(|behind| behind.trim_start().strip_prefix('='))?.trim_start();
    match value.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => value.split([',', ']']).next().map(str::trim),
    }
}

/// The number of columns that `cols` names: `3`, `1,2,1`, `2*,1`.
fn columns(value: &str) -> Option<usize> {
    let value = value.trim();
    if value.is_empty() {
        return None;
    }
    if let Ok(count) = value.parse() {
        return Some(count);
    }
    let separator = if value.contains(',') { ',' } else { ';' };
    let count = |part: &str| part.split_once('*').and_then(|(times, _)| times.trim().parse().ok()).unwrap_or(1usize);
    Some(value.split(separator).map(count).fold(0, usize::saturating_add))
}

/// A cell of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cell<'t> {
    text: &'t str,
    across: usize,
    down: usize,
    copies: usize,
}

/// Cells in rows of so many columns; without a number, of as many as the first line has.
fn of_cells(inside: &str, separator: char, columns: Option<usize>) -> Vec<Row> {
    let slots = |line: &str| cells(line, separator).iter().map(|cell| cell.across * cell.copies).sum();
    let first = inside.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let columns = columns.unwrap_or_else(|| slots(first)).max(1);
    let mut rows = Vec::new();
    let mut row = Row::new();
    // The places that cells of earlier rows take in this row and the next ones.
    let mut taken: VecDeque<usize> = VecDeque::new();
    for cell in cells(inside, separator) {
        let text = squeeze(cell.text);
        for _ in 0..cell.copies {
            row.push(text.replace(&format!("\\{separator}"), &separator.to_string()));
            row.extend(std::iter::repeat_n(String::new(), cell.across - 1));
            taken.resize(taken.len().max(cell.down), 0);
            taken.iter_mut().take(cell.down).skip(1).for_each(|places| *places += cell.across);
            if row.len() + taken.front().copied().unwrap_or(0) >= columns {
                rows.push(std::mem::take(&mut row));
                taken.pop_front();
            }
        }
    }
    rows.extend(Some(row).filter(|row| !row.is_empty()));
    rows
}

/// The cells in a text. What stands directly before a separator may say how large the cell behind it is: `2+|`, `.3+^|`.
fn cells(text: &str, separator: char) -> Vec<Cell<'_>> {
    let mut cells: Vec<Cell<'_>> = Vec::new();
    let mut size = None;
    let mut start = 0;
    let marks = text.match_indices(separator).filter(|(at, _)| !text[..*at].ends_with('\\'));
    for at in marks.map(|(at, _)| at).chain(std::iter::once(text.len())) {
        let before = &text[start..at];
        // Directly behind another separator, it is the text of a cell.
        let token = match before.rfind([' ', '\t', '\n']) {
            Some(space) => Some(&before[space + 1..]),
            None => Some(before).filter(|_| start == 0),
        };
        let next = token.filter(|_| at < text.len()).and_then(|token| Some((token.len(), size_of(token)?)));
        let end = next.map_or(at, |(length, _)| at - length);
        // Text before the first separator is a cell too.
        if let Some((across, down, copies)) =
            size.or_else(|| (!text[start..end].trim().is_empty()).then_some((1, 1, 1)))
        {
            let text = &text[start..end];
            let copies = if text.len() * copies > LONGEST_COPIES { copies.min(1) } else { copies };
            cells.push(Cell { text, across, down, copies });
        }
        size = Some(next.map_or((1, 1, 1), |(_, size)| size));
        start = text.len().min(at + separator.len_utf8());
    }
    cells
}

/// The columns, rows and copies that the mark of a cell states; `None` for a word that is no mark.
fn size_of(token: &str) -> Option<(usize, usize, usize)> {
    let number = |digits: &str| digits.parse().unwrap_or(1usize).clamp(1, WIDEST_CELL);
    let (factor, rest) = match token.find(['+', '*']) {
        Some(at) => (&token[..=at], &token[at + 1..]),
        None => ("", token),
    };
    let rest = rest.strip_prefix(['<', '^', '>']).unwrap_or(rest);
    let rest = rest.strip_prefix('.').and_then(|rest| rest.strip_prefix(['<', '^', '>'])).unwrap_or(rest);
    let rest = rest.strip_prefix(['a', 'd', 'e', 'h', 'l', 'm', 's', 'v']).unwrap_or(rest);
    let digits = factor.trim_end_matches(['+', '*']);
    let is_number = digits.len() < 10 && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if !rest.is_empty() || !is_number || factor.len() == 1 {
        return None;
    }
    let (across, down) = digits.split_once('.').unwrap_or((digits, ""));
    Some(match factor.ends_with('*') {
        true => (1, 1, if across == "0" { 0 } else { number(across) }),
        false => (number(across), number(down), 1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(attributes: &str, inside: &str) -> Vec<String> {
        rows("|===", attributes, inside).into_iter().map(|row| row.join("/")).collect()
    }

    #[test]
    fn cells_fill_rows_of_as_many_columns_as_are_named_or_the_first_line_has() {
        assert_eq!(of("", "|a |b\n\n|1\n|2 3\n"), ["a/b", "1/2 3"]);
        assert_eq!(of("[cols=\"1,2*\"]", "|a\n|b\n|c\n|1\n|2"), ["a/b/c", "1/2"]);
        assert_eq!(of("[cols=2,options=header]", "|a|b|c\\|d|e"), ["a/b", "c|d/e"]);
        assert_eq!(of("[%header,cols=3*]", "|泵 |b |c\n"), ["泵/b/c"]);
    }

    #[test]
    fn cells_state_their_size_and_their_copies() {
        assert_eq!(
            of("[cols=3]", "2+|wide |b\n.2+^|tall |c |d\n|e |f\n3*s|x\n"),
            ["wide//b", "tall/c/d", "e/f", "x/x/x"]
        );
        assert_eq!(of("[cols=2]", "a|one a|two\n"), ["one/two"]);
        assert_eq!(of("[cols=2]", "|the area|+|\n"), ["the area/+", ""]);
        assert_eq!(
            of("[cols=1]", &format!("99999999*|a\n|{}\n", "b ".repeat(9)))[..WIDEST_CELL],
            vec!["a"; WIDEST_CELL]
        );
    }

    #[test]
    fn other_separators_are_read() {
        assert_eq!(rows(",===", "", "a,\"b, c\"\n"), [["a", "b, c"]]);
        assert_eq!(rows(":===", "", "a:b\n"), [["a", "b"]]);
        assert_eq!(of("[format=csv,separator=;]", "a;b\n"), ["a/b"]);
        assert!(is_delimiter("|===") && is_delimiter("!=====") && !is_delimiter("|==") && !is_delimiter("===="));
    }

    #[test]
    fn a_table_of_many_cells_costs_no_more_than_its_length() {
        let cells = "|x ".repeat(1_000_000);
        assert_eq!(rows("|===", "", &cells)[0].len(), 1_000_000);
        assert_eq!(rows("|===", "[cols=99999999]", &"63.63+|x\n".repeat(10_000)).len(), 1);
    }
}
