//! Running headers, footers and page numbers, recognised by their repetition from page to page.

use std::collections::{BTreeSet, HashSet};

use super::lines::Line;
use crate::load::most_votes;
use crate::text::{lists, roman};

/// Headers and footers stand in this share of the page height at either end.
const EDGE: f32 = 0.16;
/// Baselines this close, in points, are at the same place of the page.
const SAME_PLACE: f32 = 3.0;
/// The most rows of furniture at each end.
const MOST_ROWS: usize = 3;
/// Fewer pages cannot show repetition.
const FEWEST_PAGES: usize = 3;
/// Rows at one place on this share of the pages are furniture, even if their words change.
const MOST_OF_THE_PAGES: f32 = 0.5;
/// Rows with words and rising page numbers are furniture on this share of the pages.
const MANY_OF_THE_PAGES: f32 = 0.2;
/// Longer rows are text, in characters.
const LONGEST: usize = 120;
/// Words around a page number.
const BESIDE_NUMBERS: &str = "page of p pg seite von 第 页 頁 共 第页 共页";

/// The lines of a page, and its edges in the frame of their text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Page {
    pub lines: Vec<Line>,
    pub top: f32,
    pub bottom: f32,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Furniture {
    /// Indices of the lines that are furniture.
    pub lines: Vec<usize>,
    /// The printed page number: `12`, `xiv`.
    pub number: Option<String>,
}

pub fn recognise(pages: &[Page]) -> Vec<Furniture> {
    let mut found = vec![Furniture::default(); pages.len()];
    let has_bare = |page| rows_at(pages, page, &[]).any(|row| is_bare(&row.text));
    let numbered: Vec<bool> = (0..pages.len()).map(has_bare).collect();
    for end in ENDS {
        let mut open: Vec<usize> = (0..pages.len()).collect();
        for _ in 0..MOST_ROWS {
            let outermost = |&page: &usize| outermost(pages, page, end, &found[page].lines);
            let rows: Vec<Row> = open.iter().filter_map(outermost).collect();
            open = mark(&numbered, &rows, &mut found);
            if open.is_empty() {
                break;
            }
        }
    }
    mark_bare_numbers(pages, &mut found);
    number_pages(pages, &mut found);
    found
}

/// The distance of a line from an end of its page.
type End = fn(&Page, &Line) -> f32;

/// The top and the bottom.
const ENDS: [End; 2] = [|page, line| line.style.baseline - page.top, |page, line| page.bottom - line.style.baseline];

/// A row at an end of a page.
struct Row {
    /// The page's place in the file, from 0.
    page: usize,
    /// The distance from the end, in points.
    place: f32,
    lines: Vec<usize>,
    text: String,
}

/// The outermost rows at both ends of a page, without lines that are taken.
fn rows_at<'a>(pages: &'a [Page], page: usize, taken: &'a [usize]) -> impl Iterator<Item = Row> + 'a {
    ENDS.into_iter().filter_map(move |end| outermost(pages, page, end, taken))
}

fn outermost(pages: &[Page], number: usize, end: End, taken: &[usize]) -> Option<Row> {
    let page = &pages[number];
    let place = |i: usize| end(page, &page.lines[i]);
    let left = || (0..page.lines.len()).filter(|i| page.lines[*i].style.upright && !taken.contains(i));
    let nearest = left().map(place).min_by(f32::total_cmp)?;
    if nearest > EDGE * (page.bottom - page.top) {
        return None;
    }
    let mut lines: Vec<usize> = left().filter(|&i| place(i) - nearest < SAME_PLACE).collect();
    lines.sort_by(|&a, &b| page.lines[a].style.left.total_cmp(&page.lines[b].style.left));
    let text = lines.iter().map(|&i| page.lines[i].text.as_str()).collect::<Vec<_>>().join(" ");
    Some(Row { page: number, place: nearest, lines, text })
}

/// Marks the rows that are furniture and returns their pages. `numbered` says which pages have a row that is only a
/// number.
fn mark(numbered: &[bool], rows: &[Row], found: &mut [Furniture]) -> Vec<usize> {
    let mut marked = Vec::new();
    for group in rows_by_place(rows) {
        let offset = common_offset(&group);
        let repeats = repeated(&group, offset);
        // A heading at the top may happen to have the number of its page. Several in a row do not, unless each chapter
        // has one page; then the pages have their numbers elsewhere.
        let counts = |row: &Row| has_number(row, offset) && (!numbered[row.page] || is_bare(&row.text));
        let counted = group.iter().filter(|row| counts(row)).count();
        let runs = counted >= FEWEST_PAGES
            && counted * 2 >= group.len()
            && group.len() as f32 >= MANY_OF_THE_PAGES * numbered.len() as f32;
        let is_sure = |row: &Row| {
            repeats.contains(&without_page_number(row, offset)) || (counts(row) && (runs || is_bare(&row.text)))
        };
        let sure = group.iter().filter(|row| is_sure(row)).count();
        let settled = group.len() >= FEWEST_PAGES
            && group.len() as f32 >= MOST_OF_THE_PAGES * numbered.len() as f32
            && sure as f32 >= 0.6 * group.len() as f32;
        for row in group.iter().copied() {
            if is_sure(row) || (settled && row.text.chars().count() < LONGEST) {
                found[row.page].lines.extend(&row.lines);
                marked.push(row.page);
            }
        }
    }
    marked
}

/// Marks numbers that stand alone at an end of their page and count with the pages, however high or low they are there.
fn mark_bare_numbers(pages: &[Page], found: &mut [Furniture]) {
    let rows = found.iter().enumerate().flat_map(|(page, furniture)| rows_at(pages, page, &furniture.lines));
    let rows: Vec<Row> = rows.filter(|row| is_bare(&row.text)).collect();
    let of_page = |(page, furniture): (usize, &Furniture)| -> Vec<i64> {
        let lines = furniture.lines.iter().map(|&i| &pages[page].lines[i].text).filter(|text| is_bare(text));
        lines.flat_map(|text| offsets(text, page)).collect()
    };
    let own: Vec<Vec<i64>> = found.iter().enumerate().map(of_page).collect();
    let left = rows.iter().flat_map(|row| offsets(&row.text, row.page));
    let Some((offset, count)) = most_votes(own.iter().flatten().copied().chain(left)) else { return };
    // A few of many figures at the ends of pages happen to count with them.
    let voting = rows.len() + own.iter().filter(|numbers| !numbers.is_empty()).count();
    if count < FEWEST_PAGES || 2 * count < voting {
        return;
    }
    for row in rows {
        if !own[row.page].contains(&offset) && offsets(&row.text, row.page).contains(&offset) {
            found[row.page].lines.extend(row.lines);
        }
    }
}

/// Whether a row is only a page number: `Page 3 of 10`, `第 3 页`.
fn is_bare(text: &str) -> bool {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.into_iter().all(|word| {
        let letters: String = word.chars().filter(|c| !c.is_ascii_digit()).collect();
        letters.is_empty() || roman(&letters).is_some() || lists(BESIDE_NUMBERS, &letters)
    })
}

fn rows_by_place(rows: &[Row]) -> Vec<Vec<&Row>> {
    let mut sorted: Vec<&Row> = rows.iter().collect();
    sorted.sort_by(|a, b| a.place.total_cmp(&b.place));
    sorted.chunk_by(|a, b| b.place - a.place < SAME_PLACE).map(<[&Row]>::to_vec).collect()
}

/// Texts without page number that occur at this place on several pages.
fn repeated(group: &[&Row], offset: Option<i64>) -> HashSet<String> {
    if group.len() < FEWEST_PAGES {
        return HashSet::new();
    }
    let mut known: HashSet<String> = HashSet::new();
    let texts = group.iter().map(|row| without_page_number(row, offset));
    texts.filter(|text| text.chars().any(char::is_alphabetic) && !known.insert(text.clone())).collect()
}

/// The text without its page number; the rest is the same on each page.
fn without_page_number(row: &Row, offset: Option<i64>) -> String {
    let is_number = |word: &str| {
        let core = word.trim_matches(|c: char| !c.is_ascii_digit());
        roman(word).is_some() || offset.is_some_and(|offset| core.parse() == Ok(row.page as i64 + offset))
    };
    let mut words: Vec<&str> = row.text.split_whitespace().collect();
    if words.len() > 1 && words.last().is_some_and(|word| is_number(word)) {
        words.pop();
    }
    if words.len() > 1 && words.first().is_some_and(|word| is_number(word)) {
        words.remove(0);
    }
    words.join(" ")
}

/// The difference between the printed number and the page's place in the file, if most rows agree.
fn common_offset(group: &[&Row]) -> Option<i64> {
    let offsets = group.iter().flat_map(|row| offsets(&row.text, row.page).into_iter().collect::<BTreeSet<i64>>());
    let (offset, count) = most_votes(offsets)?;
    (count >= 2 && count * 3 >= group.len()).then_some(offset)
}

fn has_number(row: &Row, offset: Option<i64>) -> bool {
    // Roman pages at the front have their own offset; a Roman number alone on its row is a page number.
    offset.is_some_and(|offset| offsets(&row.text, row.page).contains(&offset)) || roman(row.text.trim()).is_some()
}

/// The numbers at both ends of a row (`12`, `- 12 -`, `Page 3 of 10`, `第3页`), less the page's place in the file.
fn offsets(text: &str, page: usize) -> Vec<i64> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let edges = words.iter().take(2).chain(words.iter().rev().take(3));
    let mut offsets: Vec<i64> = edges
        .filter_map(|word| {
            let core = word.trim_matches(|c: char| !c.is_ascii_digit());
            let few_others = word.chars().filter(|c| !c.is_ascii_digit()).count() <= 4;
            let number: i64 = (few_others && core.len() <= 5).then(|| core.parse().ok()).flatten()?;
            Some(number - page as i64)
        })
        .collect();
    offsets.dedup();
    offsets
}

/// Finds the printed number of each page in its furniture.
fn number_pages(pages: &[Page], found: &mut [Furniture]) {
    let text = |page: usize, i: &usize| pages[page].lines[*i].text.as_str();
    let of_page = |(page, furniture): (usize, &Furniture)| -> Vec<i64> {
        furniture.lines.iter().flat_map(|i| offsets(text(page, i), page)).collect()
    };
    let printed: Vec<Vec<i64>> = found.iter().enumerate().map(of_page).collect();
    let offset = most_votes(printed.iter().flatten().copied()).filter(|&(_, count)| count >= 2);
    for (page, furniture) in found.iter_mut().enumerate() {
        let arabic = offset.filter(|(offset, _)| printed[page].contains(offset));
        let is_roman = |word: &&str| roman(word).is_some();
        let small = |i: &usize| {
            let mut words = text(page, i).split_whitespace();
            [words.next(), words.next_back()].into_iter().flatten().find(is_roman)
        };
        furniture.number = match arabic {
            Some((offset, _)) => Some((page as i64 + offset).to_string()),
            None => furniture.lines.iter().find_map(small).map(str::to_lowercase),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{page, sample, stacked};
    use super::*;

    const HEAD: f32 = 40.0;
    const FOOT: f32 = 810.0;

    /// A page with these lines at the head and the foot, and different text between them on each page.
    fn leaf(number: u32, head: Option<&str>, foot: Option<&str>) -> Page {
        let topics = ["valves", "pumps", "screens", "motors", "gauges", "lamps", "seals", "grates", "rails", "doors"];
        let topic = topics[number as usize % topics.len()];
        let mut lines: Vec<Line> = head.iter().map(|text| sample(text).at(72.0, HEAD)).collect();
        let body = (0..20).map(|i| sample(&format!("what is said about {topic} in line {i} of the text")));
        lines.extend(stacked(body, 160.0));
        lines.extend(foot.iter().map(|text| sample(text).at(290.0, FOOT)));
        page(lines.into_iter().map(|line| line.on_page(number)).collect())
    }

    /// The furniture and the number of each page.
    fn taken(pages: &[Page]) -> Vec<(Vec<&str>, Option<String>)> {
        let mut taken = Vec::new();
        for (mut furniture, page) in recognise(pages).into_iter().zip(pages) {
            furniture.lines.sort_unstable();
            taken.push((furniture.lines.iter().map(|&i| page.lines[i].text.as_str()).collect(), furniture.number));
        }
        taken
    }

    /// Checks that each page has this furniture and its number.
    fn assert_taken(pages: &[Page], furniture: &[String]) {
        for (i, (lines, number)) in taken(pages).into_iter().enumerate() {
            assert_eq!((lines, number), (vec![furniture[i].as_str()], Some((i + 1).to_string())));
        }
    }

    #[test]
    fn left_and_right_heads_may_differ() {
        let head = |i: u32| if i.is_multiple_of(2) { format!("{i} Operating Manual") } else { format!("Pumps {i}") };
        let heads: Vec<String> = (1..=8).map(head).collect();
        let pages: Vec<Page> = (1..).zip(&heads).map(|(i, head)| leaf(i, Some(head), None)).collect();
        assert_taken(&pages, &heads);
    }

    #[test]
    fn roman_pages_have_their_own_numbers() {
        let labels = ["i", "ii", "iii", "iv", "1", "2", "3", "4", "5", "6"];
        let pages: Vec<Page> = labels.iter().zip(1u32..).map(|(label, i)| leaf(i, None, Some(label))).collect();
        for (label, (lines, number)) in labels.iter().zip(taken(&pages)) {
            assert_eq!(lines, [*label]);
            assert_eq!(number.as_deref(), Some(*label));
        }
    }

    #[test]
    fn words_around_the_number_do_not_matter() {
        for foot in [|i: u32| format!("Page {i} of 7"), |i| format!("- {i} -"), |i| format!("第 {i} 页")] {
            let feet: Vec<String> = (1..=7).map(foot).collect();
            let pages: Vec<Page> = (1..).zip(&feet).map(|(i, foot)| leaf(i, None, Some(foot))).collect();
            assert_taken(&pages, &feet);
        }
    }

    #[test]
    fn page_numbers_alone_may_stand_at_any_height() {
        let at = |number: u32, text: &str| {
            let mut page = leaf(number, None, None);
            page.lines.push(sample(text).at(290.0, FOOT - 8.0 * number as f32).on_page(number));
            page
        };
        let labels: Vec<String> = (1..=6).map(|number: u32| number.to_string()).collect();
        let pages: Vec<Page> = (1..).zip(&labels).map(|(number, label)| at(number, label)).collect();
        assert_taken(&pages, &labels);
        let figures = [12, 7, 40, 3, 3, 99].into_iter().zip(1u32..);
        let others: Vec<Page> = figures.map(|(figure, number)| at(number, &figure.to_string())).collect();
        assert!(taken(&others).iter().all(|(lines, _)| lines.is_empty()), "figures do not count the pages");
    }

    #[test]
    fn a_numbered_heading_at_the_top_stays() {
        let heads = ["1 Introduction", "2 Plant description", "Words that run on", "over a page", "as text does"];
        let mut pages: Vec<Page> = (1..=5).map(|i| leaf(i, None, Some("Norwick"))).collect();
        for (page, (head, number)) in pages.iter_mut().zip(heads.iter().zip(1u32..)) {
            page.lines.insert(0, sample(head).at(72.0, 60.0 + 2.0 * number as f32).on_page(number));
        }
        assert!(taken(&pages).iter().all(|(lines, _)| lines == &["Norwick"]), "{:?}", taken(&pages));
    }

    #[test]
    fn chapters_of_one_page_keep_their_titles() {
        let titles = ["Introduction", "Plant", "Operation", "Repairs", "Stores", "Staff"];
        let heads: Vec<String> = titles.iter().zip(1..).map(|(title, number)| format!("{number} {title}")).collect();
        let feet: Vec<String> = (1..=6).map(|number: u32| number.to_string()).collect();
        let both = (1..).zip(heads.iter().zip(&feet));
        let pages: Vec<Page> = both.map(|(i, (head, foot))| leaf(i, Some(head), Some(foot))).collect();
        assert_taken(&pages, &feet);
    }

    #[test]
    fn two_pages_and_different_texts_have_no_furniture() {
        let two: Vec<Page> = (1..=2).map(|i| leaf(i, Some("Operating Manual"), None)).collect();
        assert!(taken(&two).iter().all(|(lines, _)| lines.is_empty()));
        let bare: Vec<Page> = (1..=8).map(|i| leaf(i, None, None)).collect();
        assert!(taken(&bare).iter().all(|(lines, number)| lines.is_empty() && number.is_none()));
        assert!(recognise(&[]).is_empty());
    }

    #[test]
    fn a_head_of_two_rows_is_furniture() {
        let wanted = ["Tallow Valley Drainage Board", "Operating Manual, revision 6"];
        let mut pages: Vec<Page> = (1..=6).map(|i| leaf(i, Some(wanted[0]), None)).collect();
        for (page, number) in pages.iter_mut().zip(1..) {
            page.lines.push(sample(wanted[1]).at(72.0, HEAD + 12.0).on_page(number));
        }
        assert!(taken(&pages).iter().all(|(lines, _)| lines == &wanted), "{:?}", taken(&pages));
    }
}
