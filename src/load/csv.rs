//! Comma- and tab-separated values, through `csv`: one table, whose first row is its heads.

use csv::{ReaderBuilder, StringRecord};

use super::{Block, Document, Format};
use crate::text::tables;

/// Possible separators, the commonest first.
const SEPARATORS: [u8; 4] = [b',', b'\t', b';', b'|'];

/// Reads a table. The separator is the one that the first row has most of outside quotation marks.
pub fn parse(text: &str) -> Document {
    let mut document = Document::new(Format::Csv, "csv");
    let separator = separator(first_record(text));
    let mut reader =
        ReaderBuilder::new().delimiter(separator).has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut rows: Vec<tables::Row> = Vec::new();
    // One record for all rows: an iterator over records allocates the space of the longest row for each.
    let mut record = StringRecord::new();
    // Text in memory has no rows that cannot be read.
    while reader.read_record(&mut record).is_ok_and(|is_row| is_row) {
        rows.push(record.iter().map(str::to_owned).collect());
    }
    if text.bytes().filter(|byte| *byte == b'"').count() % 2 == 1 {
        let warning = "a quotation mark is never closed, so the rows after it may have become one cell";
        document.warnings.push(warning.to_owned());
    }
    document.blocks.extend(tables::write(rows).map(Block::paragraph));
    document
}

/// The first row that is not blank; a line break in quotation marks does not end it.
fn first_record(text: &str) -> &str {
    let text = text.trim_start_matches(['\n', '\r']);
    let mut quoted = false;
    let end = text.find(|c| {
        quoted ^= c == '"';
        c == '\n' && !quoted
    });
    &text[..end.unwrap_or(text.len())]
}

fn separator(line: &str) -> u8 {
    let outside: String = line.split('"').step_by(2).collect();
    let count = |separator: &u8| outside.bytes().filter(|byte| byte == separator).count();
    // On a tie, the first wins.
    SEPARATORS.into_iter().rev().max_by_key(count).unwrap_or(SEPARATORS[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_separator_gives_a_table() {
        for (text, table) in [
            ("name,bar\n\"P-1, old\",3\n", "| name | bar |\n| --- | --- |\n| P-1, old | 3 |"),
            ("名称;压力\n泵;3,5\n", "| 名称 | 压力 |\n| --- | --- |\n| 泵 | 3,5 |"),
            ("a\tb\n1\t2\t3\n", "| a | b |  |\n| --- | --- | --- |\n| 1 | 2 | 3 |"),
            ("\nname;p\nx;3,5\n", "| name | p |\n| --- | --- |\n| x | 3,5 |"),
            ("\"a, b, c, d\nline\";p\nx;1\n", "| a, b, c, d line | p |\n| --- | --- |\n| x | 1 |"),
            ("alone\nx\n", "| alone |\n| --- |\n| x |"),
        ] {
            assert_eq!(parse(text).blocks, [Block::paragraph(table)], "{text}");
        }
        assert!(parse("\n\n").blocks.is_empty());
    }

    #[test]
    fn rows_after_a_long_one_cost_no_more_than_their_length() {
        let text = format!("a,b\n{}\n{}", "1,".repeat(200_000), "2\n".repeat(100_000));
        assert_eq!(parse(&text).blocks[0].text.lines().count(), 100_003);
    }

    #[test]
    fn an_unpaired_quotation_mark_gives_a_warning() {
        assert_eq!(parse("a,b\n\"x,1\ny,2\n").warnings.len(), 1);
        assert!(parse("a,b\n\"x \"\"y\"\"\",1\n").warnings.is_empty());
    }
}
