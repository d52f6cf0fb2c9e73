//! Titles at the tops of pages: titles of statements and slides, which stand alone above a table, and titles that look
//! like running heads because other pages have titles in the same place.
//!
//! A company's name that repeats above such titles is not a title. A title that repeats on the pages after it, as
//! "(continued)" pages do, begins its section on the first of them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::numbering::{self, Kind};
use super::outline::first_on;
use super::title_match::normalise_title;
use super::tree::{Heading, Provenance};
use super::typography::{Body, could_be_title, ends_like_a_sentence, figures, is_distinct, is_row};
use crate::load::{Block, BlockKind, LineStyle};
use crate::text::tables;

/// The confidence of a title above a table, and of one that was taken for a running head.
const ABOVE_TABLE: f32 = 0.7;
const IN_HEAD: f32 = 0.6;
/// A page's title is among this many lines at its top.
const MOST_LINES: usize = 5;
/// A table begins among this many lines below its title, and has at least this many rows there.
const LINES_TO_TABLE: usize = 25;
const FEWEST_ROWS: usize = 3;
/// The largest share of the width of a page's text that a title takes.
const WIDEST: f32 = 0.8;
/// The largest distance of a title from the left edge, as a share of that width; twice that from the middle.
const EDGE: f32 = 0.05;
/// Longer lines are text, in characters.
const LONGEST: usize = 100;
/// A head on more runs of pages names the document, or something that every part has.
const MOST_RUNS: usize = 2;
/// Up to this many pages without a head do not end its run.
const LARGEST_GAP: u32 = 1;

/// The level of page titles until [`add`] puts them among the other headings.
const OF_PAGES: u32 = 0;

/// A line at the top of a page.
#[derive(Clone, Copy)]
struct Top<'a> {
    block: &'a Block,
    style: &'a LineStyle,
    /// Its place among the blocks; `None` for a line that is left out of the text.
    at: Option<usize>,
}

/// The lines at the top of each page, from top to bottom.
type Pages<'a> = BTreeMap<u32, Vec<Top<'a>>>;

/// The titles of pages, for [`add`].
pub(super) fn find(blocks: &[Block], heads: &[Block], body: &Body, is_skipped: impl Fn(usize) -> bool) -> Vec<Heading> {
    let pages = tops(blocks, heads);
    let mut names = names_above_titles(&pages);
    names.extend(names_beside_titles(&pages, &names, blocks, body));
    let mut pages_of: HashMap<String, BTreeSet<u32>> = HashMap::new();
    for (page, lines) in &pages {
        for line in lines.iter().filter(|line| line.at.is_none()) {
            pages_of.entry(key(line.block.words())).or_default().insert(*page);
        }
    }
    // A head that continues from the page before names what began there.
    let goes_on = |text: &str, page: u32| {
        let Some(pages) = pages_of.get(text) else { return false };
        pages.range(page.saturating_sub(1 + LARGEST_GAP)..page).next().is_some() || runs(pages) > MOST_RUNS
    };
    let mut found = Vec::new();
    let mut before: HashSet<String> = HashSet::new();
    // The first page has the title of the document.
    for (&page, lines) in pages.range(2..) {
        let (from, end) = (first_on(page, blocks), first_on(page + 1, blocks));
        let here = keys(&blocks[from..end]);
        let place = lines.iter().position(|line| !names.contains(&key(line.block.words())));
        if let Some(place) = place
            && let line = lines[place]
            && looks_like_a_title(line, body)
            && !line.at.is_some_and(&is_skipped)
        {
            let text = key(line.block.words());
            let below_name = place > 0 && lines[..place].iter().all(|name| stands_out(*name, body));
            let is_new = found.last().is_none_or(|last: &Heading| key(&last.title) != text);
            let is_title = match line.at {
                Some(at) => {
                    is_new
                        && !runs_on(blocks, at, below_name)
                        && is_in_place(&blocks[from..end], line.style)
                        && (below_name || is_above_table(&blocks[from..end], line.style))
                }
                None => !goes_on(&text, page) && !here.contains(&text) && !before.contains(&text),
            };
            if is_title {
                let (start, heading_blocks) = line.at.map_or((from, 0), |at| (at + 1, 1));
                found.push(heading(line, start, heading_blocks));
            }
        }
        before = here;
    }
    found
}

/// Adds page titles, unless a heading on the same page or the page before has the same title. Where the contents are
/// printed, they are below the headings of those and one level deeper: before the first is the cover.
pub(super) fn add(headings: &mut Vec<Heading>, titles: Vec<Heading>) {
    let is_listed = |heading: &Heading| heading.provenance == Provenance::PrintedContents;
    let first = match headings.iter().any(is_listed) {
        true => headings.iter().map(|heading| heading.start).min().unwrap_or(0),
        false => 0,
    };
    let mut known: HashSet<(u32, String)> = HashSet::new();
    let mut owner: HashMap<usize, usize> = HashMap::new();
    for (i, heading) in headings.iter().enumerate() {
        if let Some(page) = heading.page {
            known.extend([page, page + 1].map(|page| (page, key(&heading.title))));
        }
        owner.extend((heading.start - heading.heading_blocks..heading.start).map(|block| (block, i)));
    }
    let mut replaced: HashSet<usize> = HashSet::new();
    let mut is_new = |title: &Heading| {
        if title.start < first || title.page.is_some_and(|page| known.contains(&(page, key(&title.title)))) {
            return false;
        }
        let Some(&i) = owner.get(&(title.start.wrapping_sub(1))).filter(|_| title.heading_blocks > 0) else {
            return true;
        };
        // A heading may be a title and a remark below it in brackets, about the numbers of the table; the title
        // replaces it.
        let rest = headings[i].title.strip_prefix(title.title.as_str()).unwrap_or("").trim_start();
        let is_longer = headings[i].provenance != Provenance::PrintedContents && rest.starts_with(['(', '（']);
        is_longer && replaced.insert(i)
    };
    let titles: Vec<Heading> = titles.into_iter().filter(|title| is_new(title)).collect();
    let mut places = 0..;
    headings.retain(|_| places.next().is_none_or(|place| !replaced.contains(&place)));
    headings.extend(titles);
    headings.sort_by_key(|heading| heading.start);
    let mut above = 0;
    for heading in headings {
        match heading.provenance {
            Provenance::PrintedContents => above = heading.level,
            _ if heading.level == OF_PAGES => heading.level = above + 1,
            _ => {}
        }
    }
}

fn heading(line: Top<'_>, start: usize, heading_blocks: usize) -> Heading {
    Heading {
        level: OF_PAGES,
        title: line.block.words().to_owned(),
        page: line.block.page,
        start,
        heading_blocks,
        provenance: Provenance::Typography,
        confidence: if heading_blocks > 0 { ABOVE_TABLE } else { IN_HEAD },
    }
}

/// A title for comparison: without its numbers and without words such as "(continued)".
fn key(title: &str) -> String {
    let title = title.trim_end_matches(|c: char| c.is_ascii_digit() || c.is_whitespace());
    let rest = numbering::parse(title).map_or(title, |number| &title[number.length..]);
    let mut ends = ["(continued)", "(cont.)", "(Continued)", "(CONTINUED)", "（续）"].into_iter();
    normalise_title(ends.find_map(|end| rest.trim_end().strip_suffix(end)).unwrap_or(rest))
}

/// The number of runs of pages. Gaps of up to [`LARGEST_GAP`] pages do not end a run.
fn runs(pages: &BTreeSet<u32>) -> usize {
    let later = pages.iter().zip(pages.iter().skip(1));
    1 + later.filter(|(a, b)| *b - *a > 1 + LARGEST_GAP).count()
}

/// The keys of a page's lines, and of every two lines together.
fn keys(page: &[Block]) -> HashSet<String> {
    let one = page.iter().map(|block| key(block.words()));
    let two = page.windows(2).map(|pair| key(&format!("{} {}", pair[0].words(), pair[1].words())));
    one.chain(two).collect()
}

fn tops<'a>(blocks: &'a [Block], heads: &'a [Block]) -> Pages<'a> {
    let mut pages = Pages::new();
    let lines = blocks.iter().enumerate().map(|(i, block)| (Some(i), block));
    for (at, block) in heads.iter().map(|block| (None, block)).chain(lines) {
        if let (Some(page), Some(style)) = (block.page, &block.style)
            && style.upright
        {
            pages.entry(page).or_default().push(Top { block, style, at });
        }
    }
    for lines in pages.values_mut() {
        lines.sort_by(|a, b| a.style.baseline.total_cmp(&b.style.baseline));
        lines.truncate(MOST_LINES);
    }
    pages
}

/// The first lines of pages with different second lines: names above titles.
fn names_above_titles(pages: &Pages<'_>) -> HashSet<String> {
    let mut below: HashMap<String, HashSet<String>> = HashMap::new();
    for lines in pages.values() {
        if let [first, second, ..] = lines.as_slice()
            && second.block.words().starts_with(char::is_alphabetic)
            && !second.block.words().ends_with(|c: char| c.is_ascii_digit())
            && second.style.cells == 1
            && second.block.words().chars().count() < LONGEST
        {
            below.entry(key(first.block.words())).or_default().insert(key(second.block.words()));
        }
    }
    below.into_iter().filter(|(_, below)| below.len() > 1).map(|(name, _)| name).collect()
}

/// The lines below such names that have titles of different tables below or above them: a company's name between a
/// running head and a title, or below a title.
fn names_beside_titles(pages: &Pages<'_>, names: &HashSet<String>, blocks: &[Block], body: &Body) -> HashSet<String> {
    let mut beside: HashMap<String, HashSet<String>> = HashMap::new();
    for (&page, lines) in pages {
        let of_page = &blocks[first_on(page, blocks)..first_on(page + 1, blocks)];
        let mut others = lines.iter().skip_while(|line| names.contains(&key(line.block.words())));
        let (Some(upper), Some(lower)) = (others.next(), others.next()) else { continue };
        for (name, title) in [(upper, lower), (lower, upper)] {
            if looks_like_a_title(*title, body) && is_above_table(of_page, title.style) {
                beside.entry(key(name.block.words())).or_default().insert(key(title.block.words()));
            }
        }
    }
    beside.into_iter().filter(|(_, titles)| titles.len() > 1).map(|(name, _)| name).collect()
}

/// Whether a line differs from text in type or by capitals, and has no page number.
fn stands_out(line: Top<'_>, body: &Body) -> bool {
    let text = line.block.words();
    let letters = || text.chars().filter(|c| c.is_alphabetic());
    let in_capitals = letters().count() > 3 && letters().all(char::is_uppercase);
    (is_distinct(line.style, body) || in_capitals)
        && letters().count() > 1
        && !text.ends_with(|c: char| c.is_ascii_digit())
        && !text.starts_with(|c: char| c.is_ascii_digit())
}

fn looks_like_a_title(line: Top<'_>, body: &Body) -> bool {
    let text = line.block.words();
    let number = numbering::parse(text);
    stands_out(line, body)
        && line.style.cells == 1
        && !line.style.fixed
        && !text.starts_with(['(', '（'])
        && text.chars().count() <= LONGEST
        && could_be_title(text, number.as_ref())
        // A note below the table that begins the page.
        && number.is_none_or(|number| number.kind != Kind::Note)
        && !ends_like_a_sentence(text)
}

/// Whether a line is in the middle or at the beginning of a paragraph. Centred lines below a name look joined to it.
fn runs_on(blocks: &[Block], at: usize, below_name: bool) -> bool {
    let wrapped = |block: &Block| matches!(block.kind, BlockKind::Wrapped | BlockKind::Glued);
    let below = blocks.get(at + 1).is_some_and(|next| wrapped(next) && !next.words().starts_with(['(', '（']));
    below || (wrapped(&blocks[at]) && !below_name)
}

/// Whether a line begins at the left edge of its page's text or is centred, and leaves part of the width empty, unlike
/// lines of a paragraph. Heads of columns stand elsewhere.
fn is_in_place(page: &[Block], line: &LineStyle) -> bool {
    let styles = || page.iter().filter_map(|block| block.style.as_ref()).filter(|style| style.upright);
    let left = styles().map(|style| style.left).fold(f32::MAX, f32::min);
    let right = styles().map(|style| style.right).fold(0.0, f32::max);
    let (before, behind, width) = (line.left - left, right - line.right, right - left);
    line.right - line.left <= WIDEST * width && (before < EDGE * width || (before - behind).abs() < 2.0 * EDGE * width)
}

/// Whether a table and not text follows a title on its page.
fn is_above_table(page: &[Block], title: &LineStyle) -> bool {
    let placed = page.iter().filter_map(|block| Some((block, block.style.as_ref()?.baseline)));
    let mut below: Vec<(&Block, f32)> = placed.filter(|(_, baseline)| *baseline > title.baseline).collect();
    below.sort_by(|a, b| a.1.total_cmp(&b.1));
    // A recognised table is one block.
    let has_figures = |row: &tables::Row| figures(&row.join(" ")) > 1;
    let table = |block: &Block| {
        let found = tables::find(&block.text);
        found.first().map_or(0, |table| table.cells(&block.text).iter().filter(|row| has_figures(row)).count())
    };
    let rows = |block: &Block| match is_row(block) {
        true => usize::from(figures(block.words()) > 1),
        false => table(block),
    };
    let is_short = |block: &Block| block.words().chars().count() < LONGEST;
    let lines = below.into_iter().take(LINES_TO_TABLE).map(|(block, _)| (rows(block), block));
    let rows = lines.take_while(|(rows, block)| *rows > 0 || is_row(block) || is_short(block)).map(|(rows, _)| rows);
    rows.sum::<usize>() >= FEWEST_ROWS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structure::tests::{body, heading_at, line, page};
    use crate::structure::typography;

    /// The page and the title of each: `2 Balance Sheets`; behind it how many blocks are the title.
    fn titles(blocks: &[Block], heads: &[Block]) -> Vec<String> {
        let looks = typography::body(blocks).expect("lines with looks");
        let shown = |it: Heading| format!("{} {}: {}", it.page.unwrap_or(0), it.title, it.heading_blocks);
        find(blocks, heads, &looks, |_| false).into_iter().map(shown).collect()
    }

    fn rows() -> Vec<Block> {
        let row = |name: &str| line(&format!("{name} 4,132 5,719")).cells(3).below();
        ["Net revenue", "Cost of sales", "Gross profit", "Taxes"].map(row).into()
    }

    /// A page with a statement: these lines, and a table.
    fn statement(number: u32, lines: &[&str]) -> Vec<Block> {
        let middle = |text: &&str| {
            let half = 2.5 * text.len() as f32;
            line(text).indented(115.0 - half).ending_at(187.0 + half)
        };
        let above: Vec<Block> = lines.iter().map(middle).collect();
        page(number, [above, rows(), body("it")])
    }

    #[test]
    fn the_name_below_a_title_is_none_where_it_stands_above_one() {
        let below = |number: u32, title: &str| statement(number, &[title, "NORWICK WATER COMPANY", "(in millions)"]);
        let above = statement(4, &["NORWICK WATER COMPANY", "SCHEDULE OF RESERVES"]);
        let blocks = [page(1, [body("the year")]), below(2, "BALANCE SHEETS"), below(3, "CASH FLOWS"), above].concat();
        let wanted = ["2 BALANCE SHEETS: 1", "3 CASH FLOWS: 1", "4 SCHEDULE OF RESERVES: 1"];
        assert_eq!(titles(&blocks, &[]), wanted);
    }

    #[test]
    fn a_recognised_table_is_below_a_title_too() {
        let table =
            line("| | 2023 | 2022 |\n| --- | --- | --- |\n| Sales | 4,132 | 5,719 |\n| Taxes | 41 | 57 |").below();
        let name = line("Norwick Water Company");
        let pages = page(2, [vec![line("Balance Sheets").bold(), name, table], body("more")]);
        let found = titles(&[page(1, [body("the year")]), pages].concat(), &[]);
        assert_eq!(found, ["2 Balance Sheets: 1"]);
    }

    /// A line left out at the top of a page.
    fn head(number: u32, text: &str) -> Block {
        let block = page(number, [vec![line(text).indented(100.0).bold()]]).remove(0);
        Block { style: block.style.map(|style| LineStyle { baseline: 40.0, ..style }), ..block }
    }

    #[test]
    fn the_title_of_a_statement_is_below_the_name_of_the_company() {
        let first = page(1, [body("the year")]);
        let balance = statement(2, &["NORWICK WATER COMPANY", "BALANCE SHEETS", "(in millions)"]);
        let income = statement(3, &["NORWICK WATER COMPANY", "STATEMENTS OF INCOME", "(in millions)"]);
        let notes = page(4, [vec![line("NORWICK WATER COMPANY"), line("NOTES TO THE TABLES")], body("pumps")]);
        let wanted = ["2 BALANCE SHEETS: 1", "3 STATEMENTS OF INCOME: 1", "4 NOTES TO THE TABLES: 1"];
        assert_eq!(titles(&[first, balance, income, notes].concat(), &[]), wanted);
    }

    #[test]
    fn the_name_of_the_company_may_be_below_a_running_head() {
        let first = page(1, [body("the year")]);
        let at = |number: u32, title: &str| {
            statement(number, &["Contents", "NORWICK WATER COMPANY", title, "(in millions)"])
        };
        let text = page(5, [vec![line("Contents"), line("what is said of motors")], body("pumps")]);
        let blocks =
            [first, at(2, "BALANCE SHEETS"), at(3, "BALANCE SHEETS"), at(4, "STATEMENTS OF INCOME"), text].concat();
        assert_eq!(titles(&blocks, &[]), ["2 BALANCE SHEETS: 1", "4 STATEMENTS OF INCOME: 1"]);
    }

    #[test]
    fn only_a_line_that_stands_out_above_a_table_is_a_title() {
        let first = || page(1, [body("the year")]);
        let under = |title: Block, below: Vec<Block>| [first(), page(2, [vec![title], below, body("more")])].concat();
        assert_eq!(titles(&under(line("Balance Sheets").bold(), rows()), &[]), ["2 Balance Sheets: 1"]);
        assert_eq!(titles(&under(line("Balance Sheets"), rows()), &[]), [""; 0], "type of the text");
        assert_eq!(titles(&under(line("Balance Sheets").bold(), body("pumps")), &[]), [""; 0], "text below");
        assert_eq!(titles(&under(line("2023 2022").bold(), rows()), &[]), [""; 0], "the head of the columns");
        assert_eq!(titles(&page(1, [vec![line("Report").bold()], rows(), body("it")]), &[]), [""; 0], "the cover");
    }

    #[test]
    fn a_title_in_the_place_of_running_heads_begins_its_pages() {
        let blocks: Vec<Block> = (1..=12).flat_map(|number| page(number, [body("pumps")])).collect();
        let heads = [(6, "Details"), (7, "Details (continued)"), (8, "Cautionary Statement")];
        let heads = heads.map(|(number, text)| head(number, text));
        assert_eq!(titles(&blocks, &heads), ["6 Details: 0", "8 Cautionary Statement: 0"]);
        let parts = [2, 5, 8, 11].map(|number| head(number, "References"));
        assert_eq!(titles(&blocks, &parts), [""; 0], "what every part has");
        let mut said = blocks.clone();
        said.push(Block { page: Some(12), ..line("2 Pumps") });
        assert_eq!(titles(&said, &[head(12, "Pumps")]), [""; 0], "the heading is in the text");
        assert_eq!(titles(&blocks, &[head(8, "Pumps 8")]), [""; 0], "running heads have page numbers");
    }

    #[test]
    fn titles_of_pages_are_below_the_listed_heading_before_them() {
        let listed = |title: &str, start| heading_at(2, title, start, Provenance::PrintedContents);
        let title = |title: &str, start| heading_at(OF_PAGES, title, start, Provenance::Typography);
        let mut headings = vec![listed("Statements", 1), listed("Exhibits", 40)];
        add(&mut headings, vec![title("Cover", 0), title("Balance Sheets", 9), title("Exhibits", 40)]);
        let found: Vec<(u32, &str)> = headings.iter().map(|heading| (heading.level, heading.title.as_str())).collect();
        assert_eq!(found, [(2, "Statements"), (3, "Balance Sheets"), (2, "Exhibits")]);
        let mut headings = vec![heading_at(1, "Outlook", 40, Provenance::Typography)];
        add(&mut headings, vec![title("Summary", 9)]);
        assert_eq!(headings.len(), 2, "nothing tells that the text before the first heading is a cover");
    }
}
