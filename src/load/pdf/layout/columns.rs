//! The reading order of rows: columns one after the other, with rows that span them in between.

use super::rows::Row;
use super::sides::{FEWEST_ROWS, is_column, side};

/// Pages with more rows are not read in columns.
const MOST_ROWS: usize = 3000;
/// The least width of a gutter, as a share of the text size.
const GUTTER: f32 = 0.7;
/// The least width of a column, as a share of the region.
const NARROWEST_COLUMN: f32 = 0.18;
/// The deepest nesting of columns.
const DEEPEST: usize = 4;
/// Wider pages are drawings, in points.
const WIDEST: f32 = 5000.0;
/// The step between possible gutters, in points.
const STEP: f32 = 1.0;

/// Puts rows from top to bottom into reading order. Each part (a column, the text between columns) has its own number.
pub fn reading_order(rows: Vec<Row>) -> Vec<(u32, Row)> {
    let mut parts = Vec::new();
    read(rows, 0, &mut parts);
    (0u32..).zip(parts).flat_map(|(part, rows)| rows.into_iter().map(move |row| (part, row))).collect()
}

fn read(mut rows: Vec<Row>, depth: usize, parts: &mut Vec<Vec<Row>>) {
    let found =
        if depth < DEEPEST && (FEWEST_ROWS..MOST_ROWS).contains(&rows.len()) { find_columns(&rows) } else { None };
    let Some(Columns { first, last, x }) = found else {
        if !rows.is_empty() {
            parts.push(rows);
        }
        return;
    };
    let below = rows.split_off(last + 1);
    let band = rows.split_off(first);
    let (left, right) = split(band, x);
    read(rows, depth, parts);
    read(left, depth + 1, parts);
    read(right, depth + 1, parts);
    read(below, depth, parts);
}

/// Rows `first` to `last` are in two columns with the gutter at `x`.
struct Columns {
    first: usize,
    last: usize,
    x: f32,
}

fn find_columns(rows: &[Row]) -> Option<Columns> {
    let (left, right) = edges(rows);
    let width = right - left;
    if !(width > 0.0 && width < WIDEST) {
        return None;
    }
    let steps = (width / STEP) as usize;
    let band = |step: usize| {
        let x = left + step as f32 * STEP;
        let wide_enough = x - left >= NARROWEST_COLUMN * width && right - x >= NARROWEST_COLUMN * width;
        (step, if wide_enough { longest_band(rows, x) } else { None })
    };
    let bands: Vec<(usize, Option<(usize, usize)>)> = (0..=steps).map(band).collect();
    // Neighbouring places that separate the same rows are one gutter, at their middle.
    let gutters = bands.chunk_by(|(_, a), (_, b)| a == b).filter_map(|gutter| {
        let (first, last) = gutter[0].1?;
        let x = left + (gutter[0].0 + gutter[gutter.len() - 1].0) as f32 / 2.0 * STEP;
        let score = (last - first + 1) as f32 * balance(&rows[first..=last], x);
        Some((score, Columns { first, last, x }))
    });
    gutters.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, columns)| columns)
}

/// The left and the right edge of rows.
fn edges(rows: &[Row]) -> (f32, f32) {
    let left = rows.iter().map(Row::left).fold(f32::MAX, f32::min);
    (left, rows.iter().map(Row::right).fold(f32::MIN, f32::max))
}

/// Equally wide columns score 1, others down to one half, so that a gutter before the page numbers of a contents page
/// loses against the one between its columns.
fn balance(rows: &[Row], x: f32) -> f32 {
    let (left, right) = edges(rows);
    let (a, b) = (x - left, right - x);
    0.5 + 0.5 * a.min(b) / a.max(b).max(1.0)
}

/// The longest run of rows that `x` does not cross and that has two columns of text.
fn longest_band(rows: &[Row], x: f32) -> Option<(usize, usize)> {
    let mut best: Option<(usize, usize)> = None;
    let mut start = 0;
    for end in 0..=rows.len() {
        if end < rows.len() && !crosses(&rows[end], x) {
            continue;
        }
        if end - start >= FEWEST_ROWS
            && best.is_none_or(|(first, last)| end - start > last - first + 1)
            && let Some(band) = two_columns(&rows[start..end], x)
        {
            best = Some((start + band.0, start + band.1));
        }
        start = end + 1;
    }
    best
}

fn crosses(row: &Row, x: f32) -> bool {
    let half = GUTTER * row.size / 2.0;
    // Words are sorted and overlap little, so only the last ones before the place can cross it.
    row.words[..row.words_before(x + half)].iter().rev().take(3).any(|word| word.right > x - half)
}

/// The first and the last row with text on either side, if both sides are columns of text.
fn two_columns(rows: &[Row], x: f32) -> Option<(usize, usize)> {
    let sides = |row: &Row| {
        let (left, right) = row.words.split_at(row.words_before(x));
        (side(left), side(right))
    };
    let (left, right): (Vec<_>, Vec<_>) = rows.iter().map(sides).unzip();
    if !is_column(&left) || !is_column(&right) {
        return None;
    }
    let both = |i: &usize| left[*i].is_some() || right[*i].is_some();
    let first = (0..rows.len()).find(both)?;
    let last = (0..rows.len()).rev().find(both)?;
    Some((first, last))
}

fn split(mut left: Vec<Row>, x: f32) -> (Vec<Row>, Vec<Row>) {
    let right = left.iter_mut().filter_map(|row| row.split_off(row.words_before(x))).collect();
    left.retain(|row| !row.words.is_empty());
    (left, right)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::{printed, text};
    use super::*;

    const LEFT: f32 = 60.0;
    const RIGHT: f32 = 320.0;

    fn read(pieces: &[(&str, f32, f32)]) -> Vec<(u32, String)> {
        reading_order(printed(pieces)).iter().map(|(part, row)| (*part, text(row))).collect()
    }

    fn texts(pieces: &[(&str, f32, f32)]) -> Vec<String> {
        read(pieces).into_iter().map(|(_, text)| text).collect()
    }

    /// Rows with a piece on either side of a gutter.
    fn beside<'t>(left: &[&'t str], right: &[&'t str]) -> Vec<(&'t str, f32, f32)> {
        let baselines = (0u16..).map(|row| 112.0 + 12.0 * f32::from(row));
        let rows = left.iter().zip(right).zip(baselines);
        rows.flat_map(|((left, right), y)| [(*left, LEFT, y), (*right, RIGHT, y)]).collect()
    }

    const FIRST: [&str; 6] = [
        "The first column begins with this line and",
        "goes on with another that is nearly full,",
        "for text in columns fills its column well",
        "until the last line of a paragraph.",
        "Then the next paragraph begins, which has",
        "as many words as it needs and no more.",
    ];
    const SECOND: [&str; 6] = [
        "The second column stands beside the first",
        "and is read after it, never across the two,",
        "however near they stand to one another in",
        "the file or on the paper of the page.",
        "Its lines stand on the same baselines as",
        "those of the first, as they mostly do.",
    ];

    #[test]
    fn spanning_rows_come_before_or_after_the_columns() {
        let mut page = beside(&FIRST, &SECOND);
        page.insert(0, ("A title that spans both columns of the paper and is read first", 120.0, 80.0));
        page.push(("A note below both of the columns, across the whole width of the page", 80.0, 220.0));
        let read = read(&page);
        assert!(read[0].1.starts_with("A title"), "{read:?}");
        assert!(read[1].1.starts_with("The first column") && read[7].1.starts_with("The second"), "{read:?}");
        assert!(read[13].1.starts_with("A note"), "{read:?}");
        let parts: Vec<u32> = read.iter().map(|(part, _)| *part).collect();
        assert_eq!(parts, [0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3]);
    }

    #[test]
    fn a_table_is_read_row_by_row() {
        let cells = [
            ["Pump", "Flow", "Motor"],
            ["P1 duty", "320", "55"],
            ["P2 duty", "320", "55"],
            ["P3 jockey", "90", "15"],
            ["P4 spare", "90", "15"],
            ["P5 spare", "90", "15"],
        ];
        let page: Vec<(&str, f32, f32)> = (0..cells.len())
            .flat_map(|i| (0..3).map(move |j| (cells[i][j], 60.0 + 160.0 * j as f32, 100.0 + 12.0 * i as f32)))
            .collect();
        let texts = texts(&page);
        assert_eq!(texts[1], "P1 duty 320 55");
        assert_eq!(texts.len(), cells.len());
    }

    /// Whether six rows with these cells read as two columns.
    fn are_columns(left: [&str; 6], right: [&str; 6]) -> bool {
        read(&beside(&left, &right)).len() == 12
    }

    #[test]
    fn columns_are_full_of_words_and_tables_are_not() {
        let text = ["The water enters by gravity through screens"; 6];
        assert!(are_columns(text, text));
        assert!(!are_columns(text, ["1,204,332 1,118,440 902,170 740,016 55,300"; 6]), "figures beside text");
        assert!(!are_columns(["P1 duty pump"; 6], ["P2 duty pump"; 6]), "short cells, all equally long");
        let mut ragged = ["Wet well, north"; 6];
        ragged[0] = "What stands in this cell is longer than all";
        assert!(!are_columns(ragged, ragged), "most cells fill a small part of their column");
        assert!(!are_columns(["battery.charge.approx"; 6], text), "names that are explained");
        assert!(are_columns(["泵站的供电来自线路"; 6], ["值班人员按路线检查"; 6]), "ideographs say more in less room");
    }

    #[test]
    fn the_columns_of_an_index_are_read_one_after_the_other() {
        let left = ["abs, 37", "    zero of, 3", "all, 12", "    vectors, 33, 48", "azimuth, 28"];
        let right = ["besj0, 38", "bezier, 113–115", "bgnd, 50, 51", "boxes, 9", "by, 71"];
        let wanted: Vec<&str> = [left, right].concat().into_iter().map(str::trim).collect();
        assert_eq!(texts(&beside(&left, &right)), wanted);
    }

    #[test]
    fn dates_and_figures_behind_a_comma_are_no_index() {
        let records =
            ["January 5, 2024", "April 5, 2024", "July 5, 2024", "October 4, 2024", "January 3, 2025", "April 4, 2025"];
        let payments = [
            "February 9, 2024",
            "May 10, 2024",
            "August 9, 2024",
            "November 8, 2024",
            "February 7, 2025",
            "May 9, 2025",
        ];
        assert!(!are_columns(records, payments), "dates that belong together");
        let extensions = ["Adams, 4512", "Baker, 4513", "Clark, 4520", "Davis, 4531", "Evans, 4533", "Frost, 4540"];
        assert!(!are_columns(extensions, extensions));
        let prices = ["Water pump, 320", "Motor, 55", "Screen, 41", "Gauge, 7", "Lamp, 12", "Seal, 3"];
        assert!(!are_columns(prices, prices));
        let scores = ["Norwick, 3–1", "Tallow, 2–2", "Brook, 0–1", "Ashford, 4–0", "Mill, 1–1", "Dale, 2–0"];
        assert!(!are_columns(scores, scores));
    }

    #[test]
    fn page_numbers_of_a_contents_page_stay_with_their_titles() {
        let titles = [
            "1 Introduction to the work of the station . . . . . . . . . . . . . . . . . . . . . .",
            "1.1 Scope of the manual and its readers . . . . . . . . . . . . . . . . . . . . . . .",
            "2 Description of the plant . . . . . . . . . . . . . . . . . . . . . . . . . . . . .",
            "2.1 Pumps, motors and other machinery . . . . . . . . . . . . . . . . . . . . . . . .",
            "3 Operation in all kinds of weather . . . . . . . . . . . . . . . . . . . . . . . . .",
            "4 Maintenance . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .",
        ];
        let mut page = beside(&titles, &["1", "2", "4", "6", "11", "19"]);
        page.iter_mut().filter(|(_, x, _)| *x == RIGHT).for_each(|(_, x, _)| *x = 520.0);
        let read = read(&page);
        assert_eq!(read.len(), titles.len());
        assert!(read[0].1.starts_with("1 Introduction") && read[0].1.ends_with(". 1"), "{read:?}");
        assert!(read[4].1.ends_with(". 11"), "{read:?}");
    }

    proptest! {
        #[test]
        fn no_letter_is_lost_or_read_twice(
            rows in prop::collection::vec(prop::collection::vec((0.0f32..90.0, 1usize..12), 1..6), 0..30),
        ) {
            // Each word repeats a letter of its own, as wide as it is high.
            let mut pieces: Vec<(String, f32, f32)> = Vec::new();
            for (i, row) in rows.into_iter().enumerate() {
                let mut x = 0.0;
                for (gap, letters) in row {
                    let letter = char::from_u32('一' as u32 + pieces.len() as u32).unwrap();
                    pieces.push((letter.to_string().repeat(letters), x + gap, 12.0 * i as f32));
                    x += gap + 10.0 * letters as f32;
                }
            }
            let pieces: Vec<(&str, f32, f32)> = pieces.iter().map(|(text, x, y)| (text.as_str(), *x, *y)).collect();
            let rows = printed(&pieces);
            let letters = |rows: &[Row]| {
                let glyphs = rows.iter().flat_map(|row| &row.words).flat_map(|word| &word.glyphs);
                let mut letters: Vec<char> = glyphs.map(|glyph| glyph.char).collect();
                letters.sort_unstable();
                letters
            };
            let before = letters(&rows);
            let (parts, after): (Vec<u32>, Vec<Row>) = reading_order(rows).into_iter().unzip();
            prop_assert_eq!(before, letters(&after));
            prop_assert!(parts.is_sorted(), "{:?}", parts);
        }
    }
}
