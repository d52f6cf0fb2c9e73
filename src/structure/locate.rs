//! Outlines: whether to trust one, and the place of each entry's heading on its page.
//!
//! A section starts at the line on the entry's page that has its title; otherwise at the top of the page, or after the
//! heading before it on the same page.

use std::cell::Cell;
use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

use super::tree::{Heading, Provenance};
use crate::load::{Block, OutlineEntry};
use crate::text::han::{is_han_digit, number_value, simplified};

const MOST_HEADING_LINES: usize = 4;
/// Titles and lines with this share of equal letters match; shorter ones must be equal.
const NEARLY: f64 = 0.85;
const SHORTEST_NEARLY: usize = 6;
/// More lines of a page are ignored: no real page has them, and a hostile one would take forever.
pub(super) const MOST_LINES_OF_A_PAGE: usize = 2000;
/// Longer titles must match a line exactly.
const LONGEST_NEARLY: usize = 300;
/// The longest number before a title: `Chapter 12`, `第十二章`, `A.1.2`, in normalised characters.
const LONGEST_NUMBERING: usize = 12;

/// A word that begins with another one stands before it.
const WORDS_BEFORE_NUMBERS: &[&str] = &[
    "chapter",
    "partie",
    "part",
    "section",
    "appendix",
    "article",
    "item",
    "kapitel",
    "teil",
    "abschnitt",
    "artikel",
    "anhang",
    "chapitre",
    "annexe",
    "附录",
];

/// What a number counts, in simplified characters, as in normalised titles.
const UNITS: [&str; 11] = ["部分", "章", "节", "部", "篇", "编", "条", "卷", "回", "讲", "课"];

/// A budget for finding titles: bytes compared exactly, plus letters times letters for near matches. A book with an
/// outline of 5,000 entries needs a tenth of it. Once it is spent, titles are not found, and their sections begin at
/// the top of their pages.
pub(super) struct Effort(Cell<u64>);

impl Default for Effort {
    fn default() -> Self {
        Effort(Cell::new(500_000_000))
    }
}

impl Effort {
    /// For titles that a person wrote.
    pub(super) fn unlimited() -> Self {
        Effort(Cell::new(u64::MAX))
    }

    /// Spends this much. Returns whether it was left.
    pub(super) fn spend(&self, cost: usize) -> bool {
        let left = self.0.get().checked_sub(cost as u64);
        self.0.set(left.unwrap_or(0));
        left.is_some()
    }
}

/// Finds the place of each entry in a paged document.
pub(super) fn from_outline(outline: &[OutlineEntry], blocks: &[Block]) -> Vec<Heading> {
    let page_of = |i: usize| blocks[i].page.unwrap_or(0);
    let normalised: Vec<String> = blocks.iter().map(|block| normalise_title(block.words())).collect();
    let effort = Effort::default();
    let mut headings: Vec<Heading> = Vec::with_capacity(outline.len());
    let mut after = 0;
    for entry in outline {
        let Some(page) = entry.page else {
            headings.push(heading(entry, after, 0));
            continue;
        };
        let Range { start: top, end } = lines_of(page, blocks);
        // Entries on one page keep the order of the outline.
        let from = if after > top && after <= end && after > 0 && page_of(after - 1) == page { after } else { top };
        let wanted = normalise_title(&entry.title);
        let exact = |i: usize| heading_lines(&normalised[i..end], &wanted, &effort).map(|lines| (i, lines));
        let near = |i: usize| nearly_heading_lines(&normalised[i..end], &wanted, &effort).map(|lines| (i, lines));
        let found = (from..end).find_map(exact).or_else(|| (from..end).find_map(near));
        let (start, lines) = found.map_or((from, 0), |(i, lines)| (i + lines, lines));
        headings.push(heading(entry, start, lines));
        after = start;
    }
    headings
}

/// The first block on a page, or where it would be.
pub(super) fn first_on(page: u32, blocks: &[Block]) -> usize {
    blocks.partition_point(|block| block.page.unwrap_or(0) < page)
}

/// The blocks of a page in which titles are searched.
pub(super) fn lines_of(page: u32, blocks: &[Block]) -> Range<usize> {
    let first = first_on(page, blocks);
    first..first_on(page + 1, blocks).min(first + MOST_LINES_OF_A_PAGE)
}

pub(super) fn heading(entry: &OutlineEntry, start: usize, heading_blocks: usize) -> Heading {
    Heading {
        level: entry.level,
        title: entry.title.clone(),
        page: entry.page,
        start,
        heading_blocks,
        provenance: Provenance::Outline,
        confidence: 1.0,
    }
}

/// The number of leading `lines` that make up `wanted`, both normalised; `None` if they do not.
pub(super) fn heading_lines(lines: &[String], wanted: &str, effort: &Effort) -> Option<usize> {
    if wanted.is_empty() {
        return None;
    }
    // Room for a number, of at most four bytes a character, in two ways of writing it.
    let longest = wanted.len() + LONGEST_NUMBERING * 8;
    let mut joined = String::new();
    for (count, line) in (1..=MOST_HEADING_LINES).zip(lines) {
        if joined.len() + line.len() > longest || !effort.spend(joined.len() + line.len() + 1) {
            return None;
        }
        joined.push_str(line);
        // `Part II` above `Item 5` is another heading.
        if count == 1 && !wanted.starts_with(line.as_str()) && is_part(line) && split_number(wanted).is_some() {
            return None;
        }
        if is_title(&joined, wanted) {
            return Some(count);
        }
    }
    None
}

/// Whether a line is the title, apart from a number before either.
fn is_title(line: &str, title: &str) -> bool {
    let numbered = |longer: &str, shorter: &str| {
        shorter.chars().count() >= 2 && longer.strip_suffix(shorter).is_some_and(is_numbering)
    };
    let same_number = || {
        let ((a, line), (b, title)) = (split_number(line)?, split_number(title)?);
        Some(a == b && line == title && line.chars().count() >= 2)
    };
    line == title || numbered(line, title) || numbered(title, line) || same_number() == Some(true)
}

/// The number at the beginning of a normalised text in any form, and the rest: 1 and `简介` for both `第一章简介` and `1简介`.
fn split_number(text: &str) -> Option<(u32, &str)> {
    let rest = WORDS_BEFORE_NUMBERS.iter().find_map(|word| text.strip_prefix(word)).unwrap_or(text);
    let ordinal = rest.strip_prefix('第');
    let rest = ordinal.unwrap_or(rest);
    let is_digit = |c: char| c.is_ascii_digit() || (ordinal.is_some() && is_han_digit(c));
    let end = rest.find(|c| !is_digit(c)).unwrap_or(rest.len());
    let value = number_value(&rest[..end])?;
    let rest = &rest[end..];
    match ordinal {
        Some(_) => UNITS.iter().find_map(|unit| rest.strip_prefix(unit)).map(|rest| (value, rest)),
        None => Some((value, rest)),
    }
}

/// The number of leading `lines` that nearly make up `wanted`, both normalised: fonts hide letters, and words may be
/// printed differently.
pub(super) fn nearly_heading_lines(lines: &[String], wanted: &str, effort: &Effort) -> Option<usize> {
    let length = wanted.chars().count();
    if !(SHORTEST_NEARLY..=LONGEST_NEARLY).contains(&length) {
        return None;
    }
    let mut joined = String::new();
    for (count, line) in (1..=MOST_HEADING_LINES).zip(lines) {
        joined.push_str(line);
        if joined.len() > LONGEST_NEARLY * 8 || !effort.spend(joined.len() + 1) {
            return None;
        }
        let letters = joined.chars().count();
        let near_in_length = (letters as f64 / length as f64 - 1.0).abs() < 1.0 - NEARLY;
        if near_in_length {
            if !effort.spend(letters * length) {
                return None;
            }
            if strsim::normalized_levenshtein(&joined, wanted) >= NEARLY {
                return Some(count);
            }
        }
    }
    None
}

/// Whether a normalised text is only a number: `12`, `a1`, `xiv`, `chapter12`, `第十二章`.
fn is_numbering(text: &str) -> bool {
    if text.chars().count() > LONGEST_NUMBERING {
        return false;
    }
    let number = WORDS_BEFORE_NUMBERS.iter().find_map(|word| text.strip_prefix(word)).unwrap_or(text);
    let number = number.trim_start_matches('第');
    let number = UNITS.iter().find_map(|unit| number.strip_suffix(unit)).unwrap_or(number);
    let is_roman = |c: char| matches!(c, 'i' | 'v' | 'x' | 'l' | 'c');
    let digits = number.trim_start_matches(|c: char| c.is_ascii_lowercase());
    let letters = &number[..number.len() - digits.len()];
    let letters_fit = letters.len() <= 1 || letters.chars().all(is_roman);
    letters_fit && digits.chars().all(|c| c.is_numeric() || is_han_digit(c))
}

/// Whether a normalised text is only the number of a part: `partii`, `第一篇`.
fn is_part(text: &str) -> bool {
    let of_parts = || ["编", "篇", "卷", "部", "部分"].iter().any(|unit| text.ends_with(unit));
    (text.starts_with("part") || (text.starts_with('第') && of_parts())) && is_numbering(text)
}

/// A title for comparison: compatibility forms folded, lower case, simplified characters, letters and digits only.
pub fn normalise_title(title: &str) -> String {
    title.nfkc().flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric()).map(simplified).collect()
}

/// A single entry is not a table of contents for more pages.
const PAGES_FOR_ONE: u32 = 4;
/// An outline with this share of meaningless entries is junk.
const MOSTLY: f32 = 0.6;
const FILE_ENDINGS: &str = ".pdf .doc .docx .tex .indd .qxd .p65 .fm .ps .eps .dvi .ppt .pptx .xls .xlsx";

/// Whether an outline is junk: a single entry, file names, page numbers, or entries that lead nowhere.
pub(super) fn is_junk(outline: &[OutlineEntry], pages: u32) -> bool {
    let share = |is_empty_talk: &dyn Fn(&OutlineEntry) -> bool| {
        outline.iter().filter(|entry| is_empty_talk(entry)).count() as f32 / outline.len() as f32
    };
    if outline.len() == 1 && pages > PAGES_FOR_ONE {
        return true;
    }
    let first = outline.iter().find_map(|entry| entry.page);
    let all_on_one_page = outline.len() > 3
        && pages > PAGES_FOR_ONE
        && outline.iter().all(|entry| entry.page.is_none() || entry.page == first);
    all_on_one_page
        || share(&|entry| entry.title.is_empty()) >= MOSTLY
        || share(&|entry| is_file_name(&entry.title)) >= MOSTLY
        || share(&|entry| is_page_name(&entry.title, entry.page)) >= MOSTLY
}

fn is_file_name(title: &str) -> bool {
    let lower = title.to_lowercase();
    !lower.contains(' ') && FILE_ENDINGS.split_whitespace().any(|ending| lower.ends_with(ending))
}

/// Only the name of a page: `Page 12`, `Slide 3`, `12`, `第 4 页`.
fn is_page_name(title: &str, page: Option<u32>) -> bool {
    let lower = title.to_lowercase();
    let core = ["page", "slide", "seite", "folie", "p.", "第"].iter().find_map(|word| lower.strip_prefix(word));
    let number: &str = core.unwrap_or(&lower).trim_matches(|c: char| !c.is_ascii_digit());
    let rest: String = core.unwrap_or(&lower).chars().filter(|c| !c.is_ascii_digit() && !c.is_whitespace()).collect();
    let is_number = !number.is_empty() && matches!(rest.as_str(), "" | "页" | "頁");
    is_number && (core.is_some() || page.is_none() || number.parse().ok() == page)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::BlockKind;
    use crate::structure::tests::entry;

    #[test]
    fn a_title_is_recognised_with_another_number_form_and_without_its_number() {
        for (line, title) in [
            ("1.2  Ｓcope", "Scope"),
            ("Scope", "1.2 Scope"),
            ("第一章 概述", "概述"),
            ("Appendix B Tools", "Tools"),
            ("第一章 简介", "1 简介"),
            ("Chapter 3 Scope", "3. Scope"),
            ("第一编 总则", "总则"),
            ("第一編 總則", "1 总则"),
            ("第二部分 附则", "附则"),
            ("第三讲 概论", "3 概论"),
            ("第四课 问路", "问路"),
            ("Kapitel 3 Umfang", "3. Umfang"),
            ("Partie 2 : Eau", "Eau"),
            ("Annexe B Outils", "Outils"),
        ] {
            assert!(is_title(&normalise_title(line), &normalise_title(title)), "{line}");
        }
        for (line, title) in
            [("The scope of this manual is wide", "Scope"), ("Cover words 1 First", "First"), ("第二章 简介", "1 简介")]
        {
            assert!(!is_title(&normalise_title(line), &normalise_title(title)), "{line}");
        }
    }

    #[test]
    fn a_heading_may_continue_in_the_next_line() {
        let lines = ["alongtitle".to_owned(), "goeson".to_owned(), "text".to_owned()];
        assert_eq!(heading_lines(&lines, "alongtitlegoeson", &Effort::default()), Some(2));
        assert_eq!(heading_lines(&lines, "other", &Effort::default()), None);
        let count = |lines: [&str; 2], wanted| heading_lines(&lines.map(str::to_owned), wanted, &Effort::default());
        assert_eq!(count(["第一编", "总则"], "第一编总则"), Some(2), "a part over two lines");
        assert_eq!(count(["第一编", "第一章概述"], "第一章概述"), None, "a part above a chapter");
    }

    #[test]
    fn slightly_different_titles_match() {
        let lines = [normalise_title("10.2.4 gure 环境与浮动体的位置"), "text".to_owned()];
        let nearly = |title: &str| nearly_heading_lines(&lines, &normalise_title(title), &Effort::default());
        assert_eq!(nearly("10.2.4 figure环境与浮动体的位置"), Some(1));
        assert_eq!(nearly("10.2.4 table环境"), None);
    }

    fn outline(titles: &[&str]) -> Vec<OutlineEntry> {
        (1u32..).zip(titles).map(|(page, title)| entry(1, title, Some(page))).collect()
    }

    #[test]
    fn meaningless_outlines_are_junk() {
        assert!(is_junk(&outline(&["Document1"]), 20));
        assert!(is_junk(&outline(&["ch01.doc", "ch02.doc", "ch03.doc"]), 20));
        assert!(is_junk(&outline(&["Page 1", "Page 2", "Page 3", "Page 4"]), 4));
        assert!(is_junk(&outline(&["第1页", "第 2 页", "第3页"]), 3));
        assert!(!is_junk(&outline(&["Introduction", "Methods", "Results"]), 20));
        assert!(!is_junk(&outline(&["Only chapter"]), 2));
        assert!(!is_junk(&outline(&["1984", "2001", "1066"]), 30));
    }

    #[test]
    fn entries_on_a_single_page_are_junk() {
        let mut entries = outline(&["A", "B", "C", "D"]);
        entries.iter_mut().for_each(|entry| entry.page = Some(1));
        assert!(is_junk(&entries, 30));
        assert!(!is_junk(&entries, 2));
    }

    #[test]
    fn the_search_for_titles_is_bounded() {
        let entries: Vec<OutlineEntry> =
            (0..20_000).map(|i| entry(1, &format!("{} {i}", "pumps and valves ".repeat(15)), Some(1))).collect();
        let line = |i| Block::new(BlockKind::Paragraph, format!("{} {i}", "valves and pumps ".repeat(15)), Some(1));
        let blocks: Vec<Block> = (0..2000).map(line).collect();
        let headings = from_outline(&entries, &blocks);
        assert_eq!(headings.len(), entries.len());
        assert!(headings.iter().all(|heading| heading.heading_blocks == 0));
    }
}
