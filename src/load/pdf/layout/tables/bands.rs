//! Rows that may be a table: lines with wide gaps, and the few lines without gaps between them.

use std::ops::Range;

use super::super::lines::Line;
use super::grid::Grid;
use super::judge;

/// A row of cells has one gap this wide, in sizes, or two of [`NARROW`]. Gaps in justified prose are narrower.
const WIDE: f32 = 1.5;
const NARROW: f32 = 0.9;
/// The most lines without cells between two rows: a group's name, a label over two lines.
const MOST_BETWEEN: usize = 3;
/// The widest step from row to row, in sizes.
const WIDEST_STEP: f32 = 3.4;
/// The widest step over a blank row between two groups of rows, in usual steps.
const BLANK_ROW: f32 = 2.2;
/// The most that sizes of rows differ, as a share.
const OTHER_SIZE: f32 = 1.3;
/// The longest table, in lines. A page has fewer.
const MOST_LINES: usize = 400;

/// The ranges of lines in a part of a page that may be tables.
pub fn bands(lines: &[Line]) -> Vec<Range<usize>> {
    let mut bands: Vec<Range<usize>> = Vec::new();
    let mut last: Option<usize> = None;
    for i in (0..lines.len()).filter(|&i| is_row(&lines[i])) {
        let joins = last.is_some_and(|last| {
            i - last <= MOST_BETWEEN + 1 && (last..i).all(|at| is_near(&lines[at], &lines[at + 1]))
        });
        match bands.last_mut() {
            Some(band) if joins && band.len() < MOST_LINES => band.end = i + 1,
            _ => bands.push(i..i + 1),
        }
        last = Some(i);
    }
    bands
}

/// Joins bands that are groups of rows of one table. A loosely set balance sheet has blank rows between them, and only
/// the first group has heads.
pub fn with_groups(lines: &[Line], bands: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for band in bands {
        match joined.last_mut() {
            Some(last) if is_next_group(lines, last, &band) => last.end = band.end,
            _ => joined.push(band),
        }
    }
    joined
}

fn is_next_group(lines: &[Line], band: &Range<usize>, next: &Range<usize>) -> bool {
    if next.start - band.end > MOST_BETWEEN || next.end - band.start > MOST_LINES {
        return false;
    }
    let Some(own) = Grid::of(&lines[band.clone()]).filter(judge::is_table) else { return false };
    let widest = BLANK_ROW * judge::usual_step(&own.rows);
    if !lines[band.end - 1..=next.start].windows(2).all(|pair| follows(&pair[0], &pair[1], widest)) {
        return false;
    }
    let whole = &lines[band.start..next.end];
    let Some(both) = Grid::of(whole) else { return false };
    // With heads of its own it is another table.
    let first = &both.rows[next.start - band.start];
    first.has(0)
        && first.starts_body()
        && both.columns.len() == own.columns.len()
        && judge::is_table(&both)
        && both.breaks(whole).is_empty()
}

/// The parts of a band between the lines that break it.
pub fn without(lines: &[Line], band: &Range<usize>, breaks: &[usize]) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = band.start;
    for end in breaks.iter().map(|at| band.start + at).chain([band.end]) {
        let rows: Vec<usize> = (start..end).filter(|&i| is_row(&lines[i])).collect();
        if let (Some(&first), Some(&last)) = (rows.first(), rows.last()) {
            parts.push(first..last + 1);
        }
        start = end + 1;
    }
    parts
}

/// Whether a line has the gaps of a row of cells.
fn is_row(line: &Line) -> bool {
    if line.style.fixed || line.style.margin > 0 {
        return false;
    }
    let gaps = line.words.windows(2).map(|pair| pair[1].left - pair[0].right);
    let wider = |than: f32| gaps.clone().filter(|gap| *gap > than * line.style.size).count();
    wider(WIDE) > 0 || wider(NARROW) > 1
}

fn is_near(above: &Line, below: &Line) -> bool {
    follows(above, below, WIDEST_STEP * above.style.size.max(below.style.size))
}

/// Whether a line of about the same size is less than `widest` points below another.
fn follows(above: &Line, below: &Line, widest: f32) -> bool {
    let (small, large) = (above.style.size.min(below.style.size), above.style.size.max(below.style.size));
    let step = below.style.baseline - above.style.baseline;
    (0.0..widest).contains(&step) && large <= OTHER_SIZE * small && !below.style.fixed
}
