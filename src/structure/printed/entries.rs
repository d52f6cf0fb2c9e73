//! The lines of a contents page: titles, then a page number after leaders or a wide gap; and lines over groups of them,
//! such as `PART II`, which often have no page number of their own.

use crate::load::{Block, LineStyle};
use crate::structure::numbering::{self, Kind};
use crate::structure::title_match::normalise_title;
use crate::text::{is_wide, join_title, lists, roman};

/// The fewest entries of a contents page.
const FEWEST_ENTRIES: usize = 3;
/// The most entries of a contents page.
const MOST_ENTRIES: usize = 5000;
/// This many lines without a page number end the contents.
const LONGEST_GAP: usize = 4;
/// Left edges this close have the same indent, in points.
pub(super) const SAME_INDENT: f32 = 3.0;
/// The most lines of a title.
pub(super) const MOST_LINES: usize = 3;
/// This many entries need no heading.
const ENOUGH_ENTRIES: usize = 8;
/// Contents without a heading are at the front: on one of the first pages, or in the first part of a long document. An
/// index looks much the same but comes last.
const FRONT_PAGES: u32 = 20;
const FRONT_SHARE: u32 = 8;
/// The largest rise of page numbers between entries that nothing but their page number identifies.
const LARGEST_RISE: i64 = 40;
/// The most characters of such an entry.
const LONGEST_LOOSE: usize = 60;
/// The fewest letters of a word that tells a title from a label in a drawing: `v7 B`, `CC`.
const SHORTEST_WORD: usize = 3;
const CONTENTS: &str = "contents 目录 目次 inhalt inhaltsverzeichnis sommaire tabledesmatières índice toc";
/// Headings over other lists that look like contents.
const OTHER_LISTS: &str = "listoffigures listoftables listofequations listofalgorithms listoflistings listofexamples \
    figures tables abbildungsverzeichnis tabellenverzeichnis listedesfigures listedestableaux tabledesfigures 插图索引 \
    插图目录 插图 图目录 图索引 图录 表格索引 表格目录 表格 表目录 表索引 公式索引 插图清单 表格清单 附表清单 index 索引 关键词索引 bibliography references 参考文献";

/// The label of a line without a page number that is the title of a group of entries.
const LABEL_OF_GROUPS: &str = "";
/// Longer lines are no titles of groups, in characters.
const LONGEST_OF_GROUPS: usize = 80;
/// The width of the column of page numbers, in points.
const WIDTH_OF_NUMBERS: f32 = 40.0;
const FEWEST_CAPITALS: usize = 3;

#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) title: String,
    /// The title as it is compared with lines of the text.
    pub(super) normalised: String,
    pub(super) label: String,
    pub(super) page: u32,
    /// Of its first line.
    pub(super) style: LineStyle,
    pub(super) blocks: (usize, usize),
}

impl Entry {
    /// Whether it is a line over a group of entries, without a page number.
    pub(super) fn is_group(&self) -> bool {
        self.label == LABEL_OF_GROUPS
    }
}

/// Runs of entries with rising page numbers.
pub(super) fn regions(blocks: &[Block]) -> Vec<Vec<Entry>> {
    let strict: Vec<Option<(String, String)>> = blocks.iter().map(strict_entry).collect();
    let mut regions = Vec::new();
    let mut from = 0;
    while let Some(first) = (from..blocks.len()).find(|&at| strict[at].is_some()) {
        let (entries, next) = region(blocks, &strict, first);
        if is_contents(&entries) && is_introduced(&entries, blocks) {
            regions.push(entries);
        }
        from = next.max(first + 1);
    }
    regions
}

fn region(blocks: &[Block], strict: &[Option<(String, String)>], first: usize) -> (Vec<Entry>, usize) {
    let mut entries: Vec<Entry> = Vec::new();
    let mut pending: Vec<usize> = Vec::new();
    // A title may begin above the first line with a page number.
    if let Some(above) = first.checked_sub(1)
        && numbering::parse(&blocks[above].text).is_some()
        && numbering::parse(&blocks[first].text).is_none()
        && blocks[above].page == blocks[first].page
        && blocks[above].text.chars().count() < 120
    {
        pending.push(above);
    }
    let mut above: Vec<usize> = (1..=LONGEST_GAP).rev().filter_map(|back| first.checked_sub(back)).collect();
    for i in first..blocks.len() {
        if entries.len() >= MOST_ENTRIES {
            return (entries, i);
        }
        match strict[i].clone().or_else(|| loose_entry(&blocks[i], &entries, blocks)) {
            Some((_, label)) if falls(&entries, &label) => return (entries, i),
            Some((title, label)) => {
                let entry = entry(&pending, i, &title, label, blocks);
                let lines = if entries.is_empty() { std::mem::take(&mut above) } else { std::mem::take(&mut pending) };
                entries.extend(group(&lines, &entry, blocks).filter(|group| group.blocks.0 < entry.blocks.0));
                entries.push(entry);
                pending.clear();
            }
            None => {
                pending.push(i);
                if pending.len() >= LONGEST_GAP {
                    return (entries, i);
                }
            }
        }
    }
    (entries, blocks.len())
}

/// The entry whose last line is block `at`, with this title and label on that line. The lines above it without a page
/// number may be the beginning of its title.
fn entry(above: &[usize], at: usize, title: &str, label: String, blocks: &[Block]) -> Entry {
    let joins = !above.is_empty()
        && above.len() < MOST_LINES
        && !above.iter().any(|&line| blocks[line].text.ends_with("N/A"))
        && numbering::parse(title).is_none()
        && are_alike(&blocks[above[0]], &blocks[at]);
    let above = if joins { above } else { &[] };
    let start = above.first().copied().unwrap_or(at);
    let mut whole = String::new();
    above.iter().for_each(|&line| join_title(&mut whole, blocks[line].words(), false));
    join_title(&mut whole, title, false);
    let title = spaced(whole);
    let (page, style) = (blocks[start].page.unwrap_or(0), blocks[start].style.clone().unwrap_or_default());
    Entry { normalised: normalise_title(&title), title, label, page, style, blocks: (start, at + 1) }
}

/// Adds the space after a number that narrow contents pages leave out.
fn spaced(title: String) -> String {
    let Some(number) = numbering::parse(&title) else { return title };
    let (before, rest) = title.split_at(number.length);
    let glued = before.ends_with(|c: char| c.is_ascii_digit()) && rest.starts_with(|c: char| c.is_ascii_uppercase())
        || before.ends_with(['章', '节', '節', '条', '條', '编', '篇', '部', '卷', '分']) && rest.starts_with(is_wide);
    if glued { format!("{before} {rest}") } else { title }
}

fn are_alike(a: &Block, b: &Block) -> bool {
    a.style.as_ref().zip(b.style.as_ref()).is_none_or(|(a, b)| a.is_like(b))
}

/// A title and a page number separated by leaders or a wide gap.
fn strict_entry(block: &Block) -> Option<(String, String)> {
    let (title, label, leaders) = split_label(block.words())?;
    let cells = block.style.as_ref().map_or(1, |style| style.cells);
    (leaders || cells >= 2).then_some((title, label))
}

/// After other entries, a page number at the same right edge is enough, or one that rises a little.
fn loose_entry(block: &Block, entries: &[Entry], blocks: &[Block]) -> Option<(String, String)> {
    let (title, label, _) = split_label(block.words())?;
    let right = block.style.as_ref()?.right;
    let rises = match (value(&label), entries.iter().rev().find_map(|entry| value(&entry.label))) {
        (Some(new), Some(last)) => (0..=LARGEST_RISE).contains(&(new - last)),
        _ => false,
    };
    if entries.len() >= FEWEST_ENTRIES && rises && title.chars().count() <= LONGEST_LOOSE {
        return Some((title, label));
    }
    let last = entries.iter().rev().filter(|entry| !entry.is_group()).take(3);
    let mut styles = last.filter_map(|entry| blocks[entry.blocks.1 - 1].style.as_ref());
    styles.any(|style| (style.right - right).abs() < SAME_INDENT).then_some((title, label))
}

/// Splits a line into title and page number; true if leaders separate them.
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
    // The number of a part is not a page number.
    let is_reference = title.split_whitespace().next_back().is_some_and(|word| word.eq_ignore_ascii_case("part"));
    (has_letters && !is_reference && title.chars().count() <= 200)
        .then(|| (title.trim().to_owned(), label.to_owned(), leaders))
}

pub(super) fn value(label: &str) -> Option<i64> {
    label.parse().ok()
}

/// Whether the label falls, which means that another list begins.
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
    let labels = entries.iter().filter(|entry| !has_word(&entry.title)).count();
    figures * 2 < entries.len() && commas * 3 < entries.len() && labels * 2 < entries.len()
}

fn has_word(title: &str) -> bool {
    let is_word = |word: &str| word.contains(is_wide) || word.chars().count() >= SHORTEST_WORD;
    title.split(|c: char| !c.is_alphabetic()).any(is_word)
}

/// Whether a heading is only the title of a contents page.
pub fn is_contents_title(title: &str) -> bool {
    let title = normalise_title(title);
    lists(CONTENTS, &title) || title == "tableofcontents"
}

/// Whether a line is the title of contents or of another list, on its first page or a later one.
fn is_title_of_list(text: &str) -> bool {
    let title = normalise_title(text);
    is_contents_title(text) || title.starts_with("contents") || lists(OTHER_LISTS, &title)
}

/// Whether a heading announces contents, or there are enough entries without one; and none announces another list.
fn is_introduced(entries: &[Entry], blocks: &[Block]) -> bool {
    let first = entries[0].blocks.0;
    let above: Vec<String> = blocks[..first].iter().rev().take(3).map(|block| normalise_title(&block.text)).collect();
    if above.iter().take(2).any(|title| lists(OTHER_LISTS, title)) {
        return false;
    }
    let headed = above.iter().any(|title| {
        CONTENTS.split_whitespace().any(|word| title == word || (title.ends_with(word) && title.chars().count() < 24))
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

/// The title of a group of entries: the last of `lines` that could be one. They stand above the first entry and have no
/// page number.
fn group(lines: &[usize], entry: &Entry, blocks: &[Block]) -> Option<Entry> {
    let first = &blocks[entry.blocks.0];
    let right = blocks[entry.blocks.1 - 1].style.as_ref()?.right;
    lines.iter().rev().find_map(|&i| {
        let block = &blocks[i];
        let style = block.style.as_ref()?;
        let text = block.words();
        let number = numbering::parse(text);
        let is_part = number.as_ref().is_some_and(|number| number.kind == Kind::Part);
        // A line that ends at the right edge is the head of the column of page numbers.
        let fits = block.page == first.page
            && (style.right < right - WIDTH_OF_NUMBERS || style.cells > 1)
            && text.chars().count() <= LONGEST_OF_GROUPS
            && text.chars().filter(|c| c.is_alphabetic()).count() > 1
            && !is_title_of_list(text);
        let differs = || style.cells == 1 && number.is_none() && stands_out(block, style, entry);
        if !(fits && (is_part || differs())) {
            return None;
        }
        let title = without_column_head(text, style);
        Some(Entry {
            normalised: normalise_title(&title),
            title,
            label: LABEL_OF_GROUPS.to_owned(),
            page: entry.page,
            style: LineStyle { left: entry.style.left, part: entry.style.part, ..style.clone() },
            blocks: (i, i + 1),
        })
    })
}

/// Whether a line differs in weight, size or capitals from the entry below it.
fn stands_out(block: &Block, style: &LineStyle, entry: &Entry) -> bool {
    let in_capitals = |text: &str| {
        text.chars().filter(|c| c.is_uppercase()).count() >= FEWEST_CAPITALS && !text.contains(char::is_lowercase)
    };
    (style.bold && !entry.style.bold)
        || style.size > entry.style.size + 0.6
        || (in_capitals(block.words()) && !in_capitals(&entry.title))
}

/// `PART I. FINANCIAL INFORMATION Page`: the last cell is the head of the column of page numbers.
fn without_column_head(text: &str, style: &LineStyle) -> String {
    let head = ["Page", "page", "PAGE", "页码", "页"].iter().find_map(|head| text.strip_suffix(head));
    head.filter(|_| style.cells > 1).unwrap_or(text).trim().to_owned()
}
