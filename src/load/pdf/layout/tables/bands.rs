//! Rows that may be a table: lines with wide gaps, and the few lines without gaps between them.

use std::ops::Range;

use super::super::lines::Line;

/// A row of cells has one gap this wide, in sizes, or two of [`NARROW`]. Gaps in justified prose are narrower.
const WIDE: f32 = 1.5;
const NARROW: f32 = 0.9;
/// The most lines without cells between two rows: a group's name, a label over two lines.
const MOST_BETWEEN: usize = 3;
/// The widest step from row to row, in sizes.
const WIDEST_STEP: f32 = 3.4;
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
    let (small, large) = (above.style.size.min(below.style.size), above.style.size.max(below.style.size));
    let step = below.style.baseline - above.style.baseline;
    (0.0..WIDEST_STEP * large).contains(&step) && large <= OTHER_SIZE * small && !below.style.fixed
}
