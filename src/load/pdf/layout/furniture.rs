//! Running headers, footers and page numbers, recognised by what they do from page to page.

use std::collections::HashMap;

use super::lines::Line;
use crate::text::roman;

/// Headers and footers stand in this share of the page's height at either end.
const EDGE: f32 = 0.16;
/// Baselines that differ by less than this, in points, are at the same place of the page.
const SAME_PLACE: f32 = 3.0;
/// How many rows of furniture a page has at most at each end.
const MOST_ROWS: usize = 3;
/// Fewer pages than this cannot show that something repeats.
const FEWEST_PAGES: usize = 3;
/// What is at its place on this share of the pages is furniture, even where its words change.
const MOST_OF_THE_PAGES: f32 = 0.5;

/// The lines of a page and the place of its edges, in the frame of its lines.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    pub lines: Vec<Line>,
    pub top: f32,
    pub bottom: f32,
}

/// What furniture said about a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Furniture {
    /// Indices of the lines that are furniture.
    pub lines: Vec<usize>,
    /// The page number printed on it: `12`, `xiv`.
    pub number: Option<String>,
}

/// Finds the furniture of each page.
pub fn recognise(pages: &[Page]) -> Vec<Furniture> {
    let mut found = vec![Furniture::default(); pages.len()];
    for end in [End::Top, End::Bottom] {
        let mut open: Vec<usize> = (0..pages.len()).collect();
        for _ in 0..MOST_ROWS {
            let rows: Vec<(usize, Outer)> = open
                .iter()
                .filter_map(|&page| Some((page, outermost(&pages[page], end, &found[page].lines)?)))
                .collect();
            open = mark(pages, &rows, &mut found);
            if open.is_empty() {
                break;
            }
        }
    }
    number_pages(pages, &mut found);
    found
}

#[derive(Clone, Copy, PartialEq)]
enum End {
    Top,
    Bottom,
}

/// The row nearest to an end of a page that was not yet taken.
struct Outer {
    /// Its distance from the end, in points.
    place: f32,
    lines: Vec<usize>,
    text: String,
}

fn outermost(page: &Page, end: End, taken: &[usize]) -> Option<Outer> {
    let place = |line: &Line| match end {
        End::Top => line.look.baseline - page.top,
        End::Bottom => page.bottom - line.look.baseline,
    };
    let left: Vec<usize> =
        (0..page.lines.len()).filter(|i| page.lines[*i].look.upright && !taken.contains(i)).collect();
    let nearest = left.iter().map(|&i| place(&page.lines[i])).min_by(f32::total_cmp)?;
    if nearest > EDGE * (page.bottom - page.top) {
        return None;
    }
    let mut lines: Vec<usize> = left.into_iter().filter(|&i| place(&page.lines[i]) - nearest < SAME_PLACE).collect();
    lines.sort_by(|&a, &b| page.lines[a].look.left.total_cmp(&page.lines[b].look.left));
    let text = lines.iter().map(|&i| page.lines[i].text.as_str()).collect::<Vec<_>>().join(" ");
    Some(Outer { place: nearest, lines, text })
}

/// Marks the rows that are furniture and gives the pages on which one was.
fn mark(pages: &[Page], rows: &[(usize, Outer)], found: &mut [Furniture]) -> Vec<usize> {
    let mut marked = Vec::new();
    for group in places(rows) {
        let repeats = repeated(&group);
        let offset = common_offset(&group);
        let is_sure = |(page, row): &&(usize, Outer)| {
            repeats.contains_key(&skeleton(&row.text)) || offset.is_some_and(|offset| says(&row.text, *page, offset))
        };
        let sure = group.iter().filter(|row| is_sure(row)).count();
        let settled = group.len() >= FEWEST_PAGES
            && group.len() as f32 >= MOST_OF_THE_PAGES * pages.len() as f32
            && sure as f32 >= 0.6 * group.len() as f32;
        for row in group.iter().copied() {
            if is_sure(&row) || (settled && row.1.text.chars().count() < 120) {
                found[row.0].lines.extend(&row.1.lines);
                marked.push(row.0);
            }
        }
    }
    marked
}

/// Rows that stand at the same place of their pages.
fn places(rows: &[(usize, Outer)]) -> Vec<Vec<&(usize, Outer)>> {
    let mut sorted: Vec<&(usize, Outer)> = rows.iter().collect();
    sorted.sort_by(|a, b| a.1.place.total_cmp(&b.1.place));
    let mut groups: Vec<Vec<&(usize, Outer)>> = Vec::new();
    for row in sorted {
        match groups.last_mut() {
            Some(group) if group.last().is_some_and(|last| row.1.place - last.1.place < SAME_PLACE) => group.push(row),
            _ => groups.push(vec![row]),
        }
    }
    groups
}

/// Texts, without their numbers, that stand at this place on several pages.
fn repeated(group: &[&(usize, Outer)]) -> HashMap<String, usize> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for (_, row) in group {
        let skeleton = skeleton(&row.text);
        if skeleton.chars().any(char::is_alphabetic) {
            *counts.entry(skeleton).or_default() += 1;
        }
    }
    let needed = if group.len() >= FEWEST_PAGES { 2 } else { usize::MAX };
    counts.retain(|_, count| *count >= needed);
    counts
}

/// A text without its numbers: what stays the same from page to page.
fn skeleton(text: &str) -> String {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    if words.last().is_some_and(|word| roman(word).is_some()) && words.len() > 1 {
        words.pop();
    }
    if words.first().is_some_and(|word| roman(word).is_some()) && words.len() > 1 {
        words.remove(0);
    }
    words.join(" ").chars().filter(|c| !c.is_numeric()).collect()
}

/// What must be added to a page's place in the file to get the number printed on it, where most rows agree.
fn common_offset(group: &[&(usize, Outer)]) -> Option<i64> {
    let mut counts: HashMap<i64, usize> = HashMap::new();
    for (page, row) in group {
        let mut offsets: Vec<i64> = outer_numbers(&row.text).iter().map(|number| number - *page as i64).collect();
        offsets.sort_unstable();
        offsets.dedup();
        for offset in offsets {
            *counts.entry(offset).or_default() += 1;
        }
    }
    let (offset, count) = counts.into_iter().max_by_key(|&(offset, count)| (count, -offset.abs()))?;
    (count >= 2 && count * 3 >= group.len()).then_some(offset)
}

fn says(text: &str, page: usize, offset: i64) -> bool {
    // Roman pages at the front have an offset of their own; alone on its row, a Roman number is a page number.
    outer_numbers(text).contains(&(page as i64 + offset)) || roman(text.trim()).is_some()
}

/// The numbers at either end of a row: `12`, `- 12 -`, `Page 3 of 10`, `第3页`.
fn outer_numbers(text: &str) -> Vec<i64> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let edges = words.iter().take(2).chain(words.iter().rev().take(3));
    let mut numbers: Vec<i64> = edges
        .filter_map(|word| {
            let core = word.trim_matches(|c: char| !c.is_ascii_digit());
            let few_others = word.chars().filter(|c| !c.is_ascii_digit()).count() <= 4;
            (few_others && core.len() <= 5).then(|| core.parse().ok()).flatten()
        })
        .collect();
    numbers.dedup();
    numbers
}

/// Reads the number printed on each page out of its furniture.
fn number_pages(pages: &[Page], found: &mut [Furniture]) {
    let text = |page: usize, furniture: &Furniture| {
        furniture.lines.iter().map(|&i| pages[page].lines[i].text.clone()).collect::<Vec<_>>()
    };
    let mut counts: HashMap<i64, usize> = HashMap::new();
    for (page, furniture) in found.iter().enumerate() {
        for line in text(page, furniture) {
            outer_numbers(&line).iter().for_each(|number| *counts.entry(number - page as i64).or_default() += 1);
        }
    }
    let offset =
        counts.into_iter().filter(|&(_, count)| count >= 2).max_by_key(|&(offset, count)| (count, -offset.abs()));
    for page in 0..found.len() {
        let lines = text(page, &found[page]);
        let arabic = offset.and_then(|(offset, _)| {
            let number = page as i64 + offset;
            lines.iter().any(|line| outer_numbers(line).contains(&number)).then(|| number.to_string())
        });
        let small = || {
            lines.iter().find_map(|line| {
                let words: Vec<&str> = line.split_whitespace().collect();
                let edge = [words.first(), words.last()];
                edge.into_iter().flatten().find(|word| roman(word).is_some()).map(|word| word.to_lowercase())
            })
        };
        found[page].number = arabic.or_else(small);
    }
}
