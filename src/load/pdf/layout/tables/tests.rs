//! Small pages as they would be printed, and the tables read from them.

use proptest::prelude::*;

use super::super::glyphs::Fonts;
use super::super::lines::{Line, line};
use super::super::tests::{end, printed};
use super::join;
use crate::text::tables;

/// The lines of a page on which each row is printed this step below the one before: label at the left, figures ending
/// at these places. An empty row is a space.
fn page(rows: &[&[&str]], ends: &[f32], step: f32) -> Vec<Line> {
    let mut pieces: Vec<(&str, f32, f32)> = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        let baseline = 100.0 + step * i as f32;
        pieces.extend(row.first().filter(|label| !label.is_empty()).map(|label| (*label, 72.0, baseline)));
        for (text, right) in row.iter().skip(1).zip(ends).filter(|(text, _)| !text.is_empty()) {
            pieces.push((text, right - end(text, 0.0, 10.0), baseline));
        }
    }
    lines(&pieces)
}

fn lines(pieces: &[(&str, f32, f32)]) -> Vec<Line> {
    printed(pieces).iter().map(|row| line(row, 1, 0, true, false, &Fonts::default())).collect()
}

fn read(lines: Vec<Line>) -> Vec<String> {
    join(lines).into_iter().map(|line| line.text).collect()
}

#[test]
fn the_name_of_a_group_does_not_continue_a_long_label() {
    let rows: &[&[&str]] = &[
        &["", "2025", "2024"],
        &["Net income", "$ 8,978", "$ 7,679"],
        &["Other divestitures, sales of investments and other assets", "85", "5"],
        &["Short-term investments, by original maturity:"],
        &["More than three months", "100", "—"],
        &["Three months or less", "19", "22"],
    ];
    let wanted = "|  | 2025 | 2024 |\n| --- | --- | --- |\n| Net income | $8,978 | $7,679 |\n\
                  | Other divestitures, sales of investments and other assets | 85 | 5 |\n\
                  | Short-term investments, by original maturity: |  |  |\n| More than three months | 100 | — |\n\
                  | Three months or less | 19 | 22 |";
    assert_eq!(read(page(rows, &[480.0, 560.0], 13.0)), [wanted]);
}

#[test]
fn groups_with_a_blank_row_between_them_share_the_heads_of_the_first() {
    let assets: &[&[&str]] = &[
        &["", "2020", "2019"],
        &["Cash", "9,465", "7,722"],
        &["Inventories", "44,435", "44,269"],
        &["Total current assets", "61,806", "61,897"],
        &[],
        &["Property and equipment, net", "105,208", "104,317"],
        &["Goodwill", "31,073", "31,181"],
        &[],
        &["Liabilities and equity"],
        &["Accounts payable", "46,973", "47,060"],
        &["Accrued liabilities", "22,296", "22,159"],
    ];
    let wanted = "|  | 2020 | 2019 |\n| --- | --- | --- |\n| Cash | 9,465 | 7,722 |\n\
                  | Inventories | 44,435 | 44,269 |\n| Total current assets | 61,806 | 61,897 |\n\
                  | Property and equipment, net | 105,208 | 104,317 |\n| Goodwill | 31,073 | 31,181 |\n\
                  | Liabilities and equity |  |  |\n\
                  | Accounts payable | 46,973 | 47,060 |\n| Accrued liabilities | 22,296 | 22,159 |";
    // Rows are set so far apart that a blank one is further than rows of a table usually are.
    assert_eq!(read(page(assets, &[380.0, 480.0], 18.0)), [wanted]);
    let other: &[&[&str]] = &[
        &[],
        &["", "2018", "2017"],
        &["Cash", "6,756", "6,867"],
        &["Inventories", "43,783", "43,046"],
        &["Total current assets", "59,664", "57,689"],
    ];
    let two = [&assets[..4], other].concat();
    assert_eq!(read(page(&two, &[380.0, 480.0], 18.0)).len(), 2, "heads begin another table");
}

#[test]
fn a_head_may_be_wider_than_its_figures() {
    let rows: &[&[&str]] = &[
        &["", "Fiscal 2025 and 2024"],
        &["", "In percent"],
        &["Contributions from growth", "4.1"],
        &["Net price", "16.2"],
        &["Net sales", "12.0"],
    ];
    let wanted = "|  | Fiscal 2025 and 2024 In percent |\n| --- | --- |\n| Contributions from growth | 4.1 |\n\
                  | Net price | 16.2 |\n| Net sales | 12.0 |";
    assert_eq!(read(page(rows, &[380.0], 13.0)), [wanted]);
}

#[test]
fn contents_lists_and_labels_stay_lines() {
    let not_tables: [&[&[&str]]; 4] = [
        &[&["Introduction", "1"], &["Plant description", "4"], &["Starting", "9"], &["Care", "17"]],
        &[&["Pumps ..........", "1"], &["Valves ..........", "7"], &["Screens ..........", "4"]],
        &[&["Name:", "Ann 1"], &["Date:", "2026-03-01"], &["Number:", "17"]],
        &[&["x =", "12"], &["y =", "17"], &["z =", "3"]],
    ];
    for rows in not_tables {
        let lines = page(rows, &[400.0], 13.0);
        assert_eq!(read(lines.clone()).len(), lines.len(), "{rows:?}");
    }
}

#[test]
fn text_above_and_below_a_table_stays_outside() {
    let rows: &[&[&str]] = &[
        &["The turns of the crank are counted in each season, as it is shown here for the lamp."],
        &["Season", "Turns", "Hours"],
        &["Winter", "42", "15"],
        &["Spring", "15", "9"],
        &["Summer", "7", "4"],
        &["Nobody could say who had first marked the shelf with chalk, but everybody kept to it."],
    ];
    let read = read(page(rows, &[300.0, 380.0], 13.0));
    assert_eq!(read.len(), 3, "{read:?}");
    assert!(read[1].starts_with("| Season | Turns | Hours |"), "{read:?}");
}

proptest! {
    #[test]
    fn no_letter_is_lost(
        rows in prop::collection::vec(prop::collection::vec(("[a-z]{0,5}|[0-9,]{0,6}|\\$|\\)|[启泵站]{0,3}", 0.0f32..40.0), 0..6), 0..14),
        steps in prop::collection::vec(0.0f32..30.0, 14),
    ) {
        let mut baseline = 100.0;
        let mut pieces: Vec<(String, f32, f32)> = Vec::new();
        for (row, step) in rows.into_iter().zip(steps) {
            baseline += step;
            let place = |(i, (text, shift)): (usize, (String, f32))| (text, 60.0 + 90.0 * i as f32 + shift, baseline);
            pieces.extend(row.into_iter().enumerate().map(place));
        }
        let pieces: Vec<(&str, f32, f32)> = pieces.iter().map(|(text, x, y)| (text.as_str(), *x, *y)).collect();
        let lines = lines(&pieces);
        let letters = |texts: &[String]| {
            let mut all: Vec<char> = texts.iter().flat_map(|text| text.chars()).filter(|c| c.is_alphanumeric()).collect();
            all.sort_unstable();
            all
        };
        let before: Vec<String> = lines.iter().map(|line| line.text.clone()).collect();
        let after = read(lines);
        prop_assert_eq!(letters(&before), letters(&after));
        for table in after.iter().filter(|text| text.starts_with('|')) {
            prop_assert_eq!(tables::find(table).len(), 1);
        }
    }
}
