//! The printed contents page: titles with dotted leaders or aligned page numbers, over one or more pages.

use std::collections::HashMap;

use super::locate::{heading_lines, normalise_title};
use super::numbering::{self, Kind};
use super::{Heading, Provenance};
use crate::load::Block;
use crate::text::{join_line, roman};

/// Fewer entries are no contents page.
const FEWEST_ENTRIES: usize = 3;
/// So many lines without a page number end the contents.
const LONGEST_GAP: usize = 4;
/// This share of the entries must be found where they say.
const FEWEST_CONFIRMED: f32 = 0.6;
/// Entries whose left edges differ by less than this, in points, are equally indented.
const SAME_INDENT: f32 = 3.0;
/// What begins so much further right, in points, is another column.
const COLUMN: f32 = 120.0;
/// A title goes over at most this many lines.
const MOST_LINES: usize = 3;
/// Titles and lines that agree in this share of their letters are the same; short ones must agree wholly.
const NEARLY: f64 = 0.85;
const SHORTEST_NEARLY: usize = 6;
/// How sure an entry is that was found on its page, and one that was only counted out.
const CONFIRMED: f32 = 0.95;
const COUNTED: f32 = 0.6;

/// So many entries need no heading that says what they are.
const ENOUGH_ENTRIES: usize = 8;
/// Where no heading says so, contents stand in front: on one of the first pages, or in the first part of a long
/// document. An index looks much the same, and stands behind.
const FRONT_PAGES: u32 = 20;
const FRONT_SHARE: u32 = 8;
/// From one entry to the next, page numbers rise by at most this where nothing else tells an entry.
const LARGEST_RISE: i64 = 40;
/// A line that only its number makes an entry has at most so many characters.
const LONGEST_LOOSE: usize = 60;

/// Headings over a table of contents.
const CONTENTS: &[&str] =
    &["contents", "目录", "目錄", "目次", "inhalt", "inhaltsverzeichnis", "sommaire", "índice", "toc"];

/// Headings over lists that look like a table of contents and are none.
const OTHER_LISTS: &[&str] = &[
    "listoffigures",
    "listoftables",
    "listofequations",
    "listofalgorithms",
    "listoflistings",
    "listofexamples",
    "figures",
    "tables",
    "插图索引",
    "插图目录",
    "插图",
    "图目录",
    "图索引",
    "图录",
    "表格索引",
    "表格目录",
    "表格",
    "表目录",
    "表索引",
    "公式索引",
    "插图清单",
    "表格清单",
    "附表清单",
    "index",
    "索引",
    "关键词索引",
    "bibliography",
    "references",
    "参考文献",
];

/// One line of the contents.
#[derive(Debug, Clone)]
struct Entry {
    title: String,
    label: String,
    left: f32,
    bold: bool,
    size: f32,
    /// Page and part of the page.
    part: (u32, u32),
    /// Blocks it takes.
    blocks: (usize, usize),
}

/// A table of contents as printed, and the blocks that it takes.
pub struct Contents {
    pub headings: Vec<Heading>,
    /// Index of the first block and the one behind the last.
    pub span: (usize, usize),
}

/// Finds the printed tables of contents that lead where they say. `labels` are the numbers printed on the pages.
pub fn find(blocks: &[Block], labels: &[Option<String>]) -> Vec<Contents> {
    let normalised: Vec<String> = blocks.iter().map(|block| normalise_title(&block.text)).collect();
    let regions = regions(blocks);
    let spans: Vec<(usize, usize)> =
        regions.iter().map(|entries| (entries[0].blocks.0, entries[entries.len() - 1].blocks.1)).collect();
    let mut found: Vec<Contents> = Vec::new();
    for (entries, &span) in regions.iter().zip(&spans) {
        let Some(headings) = resolve(entries, blocks, &normalised, labels, &spans) else { continue };
        let first = |contents: &Contents| contents.headings.first().map(|heading| heading.start);
        let contents = Contents { headings, span };
        // The same contents again in another language leads to the same places.
        if found.iter().any(|known| first(known) == first(&contents)) {
            found.push(Contents { headings: Vec::new(), span });
        } else {
            found.push(contents);
        }
    }
    found
}

/// Runs of entries whose page numbers do not fall.
fn regions(blocks: &[Block]) -> Vec<Vec<Entry>> {
    let strict: Vec<Option<(String, String)>> = blocks.iter().map(strict_entry).collect();
    let mut regions = Vec::new();
    let mut i = 0;
    while i < blocks.len() {
        if strict[i].is_none() {
            i += 1;
            continue;
        }
        let (entries, next) = region(blocks, &strict, i);
        let is_other = (1..=2).any(|back| {
            entries.first().and_then(|entry| entry.blocks.0.checked_sub(back)).is_some_and(|heading| {
                let title = normalise_title(&blocks[heading].text);
                OTHER_LISTS.contains(&title.as_str())
            })
        });
        if !is_other && is_contents(&entries) && is_introduced(&entries, blocks) {
            regions.push(entries);
        }
        i = next.max(i + 1);
    }
    regions
}

fn region(blocks: &[Block], strict: &[Option<(String, String)>], first: usize) -> (Vec<Entry>, usize) {
    let mut entries: Vec<Entry> = Vec::new();
    let mut pending: Vec<usize> = Vec::new();
    // A title that begins above the first line with a page number.
    if let Some(above) = first.checked_sub(1)
        && numbering::parse(&blocks[above].text).is_some()
        && numbering::parse(&blocks[first].text).is_none()
        && blocks[above].page == blocks[first].page
        && blocks[above].text.chars().count() < 120
    {
        pending.push(above);
    }
    let mut i = first;
    while i < blocks.len() {
        let entry = strict[i].clone().or_else(|| loose_entry(&blocks[i], &entries, blocks));
        match entry {
            Some((title, label)) => {
                if falls(&entries, &label) {
                    break;
                }
                let joins = !pending.is_empty()
                    && pending.len() < MOST_LINES
                    && numbering::parse(&title).is_none()
                    && same_looks(&blocks[pending[0]], &blocks[i]);
                let start = if joins { pending[0] } else { i };
                let mut whole = String::new();
                if joins {
                    for &line in &pending {
                        join_line(&mut whole, &blocks[line].text);
                    }
                }
                join_line(&mut whole, &title);
                let look = blocks[start].look.as_ref();
                entries.push(Entry {
                    title: spaced(whole),
                    label,
                    left: look.map_or(0.0, |look| look.left),
                    bold: look.is_some_and(|look| look.bold),
                    size: look.map_or(0.0, |look| look.size),
                    part: (blocks[start].page.unwrap_or(0), look.map_or(0, |look| look.part)),
                    blocks: (start, i + 1),
                });
                pending.clear();
            }
            None => {
                pending.push(i);
                if pending.len() >= LONGEST_GAP {
                    break;
                }
            }
        }
        i += 1;
    }
    (entries, i)
}

/// A title with a space behind its number, which narrow contents pages leave out.
fn spaced(title: String) -> String {
    match numbering::parse(&title) {
        Some(number)
            if title[..number.length].ends_with(|c: char| c.is_ascii_digit())
                && title[number.length..].starts_with(|c: char| c.is_ascii_uppercase()) =>
        {
            format!("{} {}", &title[..number.length], &title[number.length..])
        }
        _ => title,
    }
}

fn same_looks(a: &Block, b: &Block) -> bool {
    match (&a.look, &b.look) {
        (Some(a), Some(b)) => (a.size - b.size).abs() < 0.6 && a.bold == b.bold,
        _ => true,
    }
}

/// A title and a page number that leaders or a wide gap part.
fn strict_entry(block: &Block) -> Option<(String, String)> {
    let (title, label, leaders) = split_label(&block.text)?;
    let cells = block.look.as_ref().map_or(1, |look| look.cells);
    (leaders || cells >= 2).then_some((title, label))
}

/// Among entries, a page number at the same right edge is enough.
fn loose_entry(block: &Block, entries: &[Entry], blocks: &[Block]) -> Option<(String, String)> {
    let (title, label, _) = split_label(&block.text)?;
    let right = block.look.as_ref()?.right;
    let rises = match (value(&label), entries.iter().rev().find_map(|entry| value(&entry.label))) {
        (Some(new), Some(last)) => (0..=LARGEST_RISE).contains(&(new - last)),
        _ => false,
    };
    if entries.len() >= FEWEST_ENTRIES && rises && title.chars().count() <= LONGEST_LOOSE {
        return Some((title, label));
    }
    let known = entries.iter().rev().take(3).filter_map(|entry| blocks[entry.blocks.1 - 1].look.as_ref());
    known.into_iter().any(|look| (look.right - right).abs() < SAME_INDENT).then_some((title, label))
}

/// Cuts a line into title and page number, and says whether leaders part them.
fn split_label(text: &str) -> Option<(String, String, bool)> {
    let text = text.trim_end();
    let at = text.rfind(|c: char| c.is_whitespace() || matches!(c, '.' | '·' | '…' | '⋯' | '．' | '-'))?;
    let part = text[at..].chars().next()?.len_utf8();
    let label = text[at + part..].trim_matches(['(', ')', '（', '）']);
    let is_label = (label.len() <= 4 && !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_digit()))
        || roman(label).is_some();
    if !is_label {
        return None;
    }
    let before = text[..at + part].trim_end();
    let is_leader = |c: char| matches!(c, '.' | '·' | '…' | '⋯' | '．' | ' ' | '_' | '-');
    let title = before.trim_end_matches(is_leader);
    let leaders = before[title.len()..].chars().filter(|c| !c.is_whitespace()).count();
    let leaders = leaders >= 3 || before[title.len()..].contains(['…', '⋯']);
    let has_letters = title.chars().any(char::is_alphabetic);
    (has_letters && title.chars().count() <= 200).then(|| (title.trim().to_owned(), label.to_owned(), leaders))
}

fn value(label: &str) -> Option<i64> {
    label.parse().ok()
}

/// Whether the label is lower than those before it: another list begins.
fn falls(entries: &[Entry], label: &str) -> bool {
    let Some(new) = value(label) else { return false };
    let last = entries.iter().rev().filter_map(|entry| value(&entry.label)).take(3).max();
    last.is_some_and(|last| new + 1 < last)
}

fn is_contents(entries: &[Entry]) -> bool {
    if entries.len() < FEWEST_ENTRIES {
        return false;
    }
    let figures = entries.iter().filter(|entry| is_caption(&entry.title)).count();
    let commas = entries.iter().filter(|entry| entry.title.ends_with(',')).count();
    figures * 2 < entries.len() && commas * 3 < entries.len()
}

/// Whether a heading says that contents follow, or there are enough entries to need none.
fn is_introduced(entries: &[Entry], blocks: &[Block]) -> bool {
    let first = entries[0].blocks.0;
    let headed = (1..=3).filter_map(|back| first.checked_sub(back)).any(|i| {
        let title = normalise_title(&blocks[i].text);
        CONTENTS.iter().any(|word| title == *word || (title.ends_with(word) && title.chars().count() < 24))
    });
    let last_page = blocks.last().and_then(|block| block.page).unwrap_or(0);
    let in_front = blocks[first].page.unwrap_or(0) <= FRONT_PAGES.max(last_page / FRONT_SHARE);
    headed || (entries.len() >= ENOUGH_ENTRIES && in_front)
}

fn is_caption(title: &str) -> bool {
    let lower = title.to_lowercase();
    ["figure ", "fig. ", "table ", "图", "表", "listing ", "algorithm "].iter().any(|word| {
        lower.strip_prefix(word).is_some_and(|rest| rest.trim_start().starts_with(|c: char| c.is_ascii_digit()))
    })
}

/// Leads each entry to its page and its line.
fn resolve(
    entries: &[Entry],
    blocks: &[Block],
    normalised: &[String],
    labels: &[Option<String>],
    spans: &[(usize, usize)],
) -> Option<Vec<Heading>> {
    let places = Places { blocks, normalised, spans };
    let titles: Vec<String> = entries.iter().map(|entry| normalise_title(&entry.title)).collect();
    let pages = lead(entries, &titles, &places, labels);
    let levels = levels(entries);
    let mut headings = Vec::new();
    let mut confirmed = 0;
    let mut after = entries.last()?.blocks.1;
    let last_page = blocks.last()?.page?;
    for (i, entry) in entries.iter().enumerate() {
        let Some(page) = pages[i] else { continue };
        let nearby = [page, page + 1, page.saturating_sub(1)];
        let exact = |&page: &u32| places.find(&titles[i], page, after).or_else(|| places.find(&titles[i], page, 0));
        let found = nearby.iter().find_map(exact).or_else(|| places.find_nearly(&titles[i], page));
        let (start, lines, page) = match found {
            Some((at, lines)) => {
                confirmed += 1;
                (at + lines, lines, blocks[at].page.unwrap_or(page))
            }
            None if page == 0 || page > last_page => continue,
            None => (places.first_on(page).max(after), 0, page),
        };
        after = start;
        headings.push(Heading {
            level: levels[i],
            title: entry.title.clone(),
            page: Some(page),
            start,
            heading_blocks: lines,
            provenance: Provenance::PrintedContents,
            confidence: if lines > 0 { CONFIRMED } else { COUNTED },
        });
    }
    (confirmed as f32 >= FEWEST_CONFIRMED * entries.len() as f32).then_some(headings)
}

/// Where titles stand.
struct Places<'a> {
    blocks: &'a [Block],
    normalised: &'a [String],
    spans: &'a [(usize, usize)],
}

impl Places<'_> {
    fn first_on(&self, page: u32) -> usize {
        self.blocks.partition_point(|block| block.page.unwrap_or(0) < page)
    }

    /// The first line on a page, from block `after` on, that says a title, and over how many lines it does.
    fn find(&self, title: &str, page: u32, after: usize) -> Option<(usize, usize)> {
        let range = self.first_on(page).max(after)..self.first_on(page + 1);
        range
            .clone()
            .filter(|i| !self.is_contents(*i))
            .find_map(|i| heading_lines(&self.normalised[i..range.end], title).map(|lines| (i, lines)))
    }
}

impl Places<'_> {
    /// The lines on a page that say a title nearly: letters that fonts hide, words that are printed otherwise.
    fn find_nearly(&self, title: &str, page: u32) -> Option<(usize, usize)> {
        let range = self.first_on(page)..self.first_on(page + 1);
        let length = title.chars().count() as f64;
        if title.chars().count() < SHORTEST_NEARLY {
            return None;
        }
        range.clone().filter(|i| !self.is_contents(*i)).find_map(|i| {
            let mut said = String::new();
            (1..=MOST_LINES.min(range.end - i)).find_map(|lines| {
                said.push_str(&self.normalised[i + lines - 1]);
                let near_in_length = (said.chars().count() as f64 / length - 1.0).abs() < 1.0 - NEARLY;
                (near_in_length && strsim::normalized_levenshtein(&said, title) >= NEARLY).then_some((i, lines))
            })
        })
    }

    fn is_contents(&self, block: usize) -> bool {
        self.spans.iter().any(|&(start, end)| (start..end).contains(&block))
    }
}

/// The page of each entry: by the numbers printed on the pages, or by the offset with which most titles are found.
fn lead(entries: &[Entry], titles: &[String], places: &Places<'_>, labels: &[Option<String>]) -> Vec<Option<u32>> {
    let mut by_label: HashMap<&str, u32> = HashMap::new();
    for (page, label) in (1u32..).zip(labels) {
        if let Some(label) = label {
            by_label.entry(label.as_str()).or_insert(page);
        }
    }
    let printed: Vec<Option<u32>> =
        entries.iter().map(|entry| by_label.get(entry.label.to_lowercase().as_str()).copied()).collect();
    let offset = best_offset(entries, titles, places);
    let counted: Vec<Option<u32>> = entries
        .iter()
        .map(|entry| u32::try_from(value(&entry.label)? + offset?).ok().filter(|&page| page > 0))
        .collect();
    let hits = |pages: &[Option<u32>]| {
        pages
            .iter()
            .zip(titles)
            .filter(|(page, title)| page.is_some_and(|page| places.find(title, page, 0).is_some()))
            .count()
    };
    let (better, other) = if hits(&printed) >= hits(&counted) { (printed, counted) } else { (counted, printed) };
    better.into_iter().zip(other).map(|(page, other)| page.or(other)).collect()
}

fn best_offset(entries: &[Entry], titles: &[String], places: &Places<'_>) -> Option<i64> {
    let mut pages_of: HashMap<&str, Vec<u32>> = HashMap::new();
    for (i, text) in places.normalised.iter().enumerate() {
        if !text.is_empty() && !places.is_contents(i) {
            pages_of.entry(text).or_default().extend(places.blocks[i].page);
        }
    }
    let mut votes: HashMap<i64, usize> = HashMap::new();
    for (entry, title) in entries.iter().zip(titles) {
        let Some(label) = value(&entry.label) else { continue };
        let mut offsets: Vec<i64> =
            pages_of.get(title.as_str()).into_iter().flatten().map(|&page| i64::from(page) - label).collect();
        offsets.sort_unstable();
        offsets.dedup();
        offsets.into_iter().for_each(|offset| *votes.entry(offset).or_default() += 1);
    }
    votes.into_iter().max_by_key(|&(offset, count)| (count, -offset.abs())).map(|(offset, _)| offset)
}

/// Levels by what the entries look like: their indent, their size and weight, and the depth of their numbers.
fn levels(entries: &[Entry]) -> Vec<u32> {
    let numbers: Vec<Option<numbering::Numbering>> =
        entries.iter().map(|entry| numbering::parse(&entry.title)).collect();
    let lefts = indentation(entries);
    let mut indents: Vec<f32> = Vec::new();
    for &left in &lefts {
        if !indents.iter().any(|indent| (indent - left).abs() < SAME_INDENT) {
            indents.push(left);
        }
    }
    indents.sort_by(f32::total_cmp);
    // What looks alike is alike: kind and depth of number, indent, weight and size.
    let looks: Vec<EntryLook> = entries
        .iter()
        .zip(&numbers)
        .zip(&lefts)
        .map(|((entry, number), left)| {
            let indent = indents.iter().position(|indent| (indent - left).abs() < SAME_INDENT).unwrap_or(0);
            let number = number.as_ref().map(|number| (number.kind, number.depth()));
            (number, indent, entry.bold, (entry.size * 2.0).round() as i32)
        })
        .collect();
    let mut open: Vec<EntryLook> = Vec::new();
    let mut levels = Vec::with_capacity(entries.len());
    for look in &looks {
        while open.last().is_some_and(|above| !is_below(look, above)) {
            open.pop();
        }
        open.push(*look);
        levels.push(open.len() as u32);
    }
    levels
}

/// How far each entry stands from the left edge of the contents, in points; a second column has an edge of its own.
fn indentation(entries: &[Entry]) -> Vec<f32> {
    let left = entries.iter().map(|entry| entry.left).fold(f32::MAX, f32::min);
    let mut edges: HashMap<(u32, u32), f32> = HashMap::new();
    for entry in entries {
        let edge = edges.entry(entry.part).or_insert(entry.left);
        *edge = edge.min(entry.left);
    }
    entries
        .iter()
        .map(|entry| {
            let edge = edges.get(&entry.part).copied().unwrap_or(left);
            entry.left - if edge - left > COLUMN { edge } else { left }
        })
        .collect()
}

type EntryLook = (Option<(Kind, usize)>, usize, bool, i32);

/// Whether an entry that looks like `look` stands below one that looks like `above`.
fn is_below(look: &EntryLook, above: &EntryLook) -> bool {
    let ((number, indent, bold, size), (number_above, indent_above, bold_above, size_above)) = (*look, *above);
    if let (Some((kind, depth)), Some((kind_above, depth_above))) = (number, number_above) {
        if kind == kind_above {
            return depth > depth_above;
        }
        let ordered = |kind: Kind| matches!(kind, Kind::Part | Kind::Chapter | Kind::Section | Kind::Article);
        if ordered(kind) && ordered(kind_above) {
            return kind > kind_above;
        }
        if kind_above == Kind::Decimal && depth_above > 1 && depth == 1 {
            return indent > indent_above;
        }
    }
    if indent != indent_above {
        return indent > indent_above;
    }
    if size != size_above {
        return size < size_above;
    }
    if bold != bold_above {
        return bold_above;
    }
    let rank = |number: Option<(Kind, usize)>| number.map_or(0, |(kind, _)| i32::from(kind == Kind::Decimal));
    rank(number) > rank(number_above)
        && number_above.is_some_and(|(kind, _)| kind < Kind::Decimal && kind != Kind::Appendix)
}
