//! Where on its page an outline entry's heading stands.
//!
//! An outline names a page; the section starts at the line on that page that says the title. Where no line does, it
//! starts at the top of the page, or behind the heading before it on the same page.

use unicode_normalization::UnicodeNormalization;

use super::numbering::{is_han_digit, number_value};
use super::{Heading, Provenance};
use crate::load::{Block, OutlineEntry};
use crate::text::han::simplified;

/// A heading may be broken over this many lines.
const MOST_HEADING_LINES: usize = 4;
/// Titles and lines that agree in this share of their letters are the same; short ones must agree wholly.
const NEARLY: f64 = 0.85;
const SHORTEST_NEARLY: usize = 6;
/// More lines of a page are not looked at: no page has them, and a hostile one would take forever.
pub(super) const MOST_LINES_OF_A_PAGE: usize = 2000;
/// What a line may say before the title: `Chapter 12`, `第十二章`, `A.1.2`, in normalised characters.
const LONGEST_NUMBERING: usize = 12;

/// What may stand in front of a number.
const WORDS_BEFORE_NUMBERS: &[&str] = &["chapter", "part", "section", "appendix", "article", "item", "附录"];

/// Finds each entry's place among the blocks of a paged document.
pub(super) fn from_outline(outline: &[OutlineEntry], blocks: &[Block]) -> Vec<Heading> {
    let page_of = |i: usize| blocks[i].page.unwrap_or(0);
    let first_on = |page: u32| blocks.partition_point(|block| block.page.unwrap_or(0) < page);
    let normalised: Vec<String> = blocks.iter().map(|block| normalise_title(block.words())).collect();
    let mut headings: Vec<Heading> = Vec::with_capacity(outline.len());
    let mut after = 0;
    for entry in outline {
        let Some(page) = entry.page else {
            headings.push(heading(entry, after, 0));
            continue;
        };
        let top = first_on(page);
        let end = first_on(page + 1).min(top + MOST_LINES_OF_A_PAGE);
        // Several entries on one page come in the order of the outline.
        let from = if after > top && after <= end && after > 0 && page_of(after - 1) == page { after } else { top };
        let wanted = normalise_title(&entry.title);
        let exact = |i: usize| heading_lines(&normalised[i..end], &wanted).map(|lines| (i, lines));
        let near = |i: usize| nearly_heading_lines(&normalised[i..end], &wanted).map(|lines| (i, lines));
        let found = (from..end).find_map(exact).or_else(|| (from..end).find_map(near));
        let (start, lines) = match found {
            Some((i, lines)) => (i + lines, lines),
            None => (from, 0),
        };
        headings.push(heading(entry, start, lines));
        after = start;
    }
    headings
}

fn heading(entry: &OutlineEntry, start: usize, heading_blocks: usize) -> Heading {
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

/// How many of the first `lines` say `wanted`, both normalised; `None` where they do not.
pub(super) fn heading_lines(lines: &[String], wanted: &str) -> Option<usize> {
    if wanted.is_empty() {
        return None;
    }
    let mut said = String::new();
    for (count, line) in (1..=MOST_HEADING_LINES).zip(lines) {
        said.push_str(line);
        if says(&said, wanted) {
            return Some(count);
        }
        if said.len() > wanted.len() + LONGEST_NUMBERING * 4 {
            return None;
        }
    }
    None
}

/// Whether a line says the title, give or take the number in front of either.
fn says(line: &str, title: &str) -> bool {
    let numbered = |longer: &str, shorter: &str| {
        shorter.chars().count() >= 2 && longer.strip_suffix(shorter).is_some_and(is_numbering)
    };
    let same_number = || {
        let ((a, line), (b, title)) = (split_number(line)?, split_number(title)?);
        Some(a == b && line == title && line.chars().count() >= 2)
    };
    line == title || numbered(line, title) || numbered(title, line) || same_number() == Some(true)
}

/// The number at the beginning of a normalised text, however it is written, and what follows it: 1 and `简介` for
/// both `第一章简介` and `1简介`.
fn split_number(text: &str) -> Option<(u32, &str)> {
    let rest = WORDS_BEFORE_NUMBERS.iter().find_map(|word| text.strip_prefix(word)).unwrap_or(text);
    let ordinal = rest.strip_prefix('第');
    let rest = ordinal.unwrap_or(rest);
    let is_digit = |c: char| c.is_ascii_digit() || (ordinal.is_some() && is_han_digit(c));
    let end = rest.find(|c| !is_digit(c)).unwrap_or(rest.len());
    let value = number_value(&rest[..end])?;
    let rest = &rest[end..];
    match ordinal {
        Some(_) => rest.strip_prefix(['章', '节', '節', '部', '篇', '条', '卷', '回']).map(|rest| (value, rest)),
        None => Some((value, rest)),
    }
}

/// How many of the first `lines` say `wanted` nearly, both normalised: letters that fonts hide, words that are printed
/// otherwise.
pub(super) fn nearly_heading_lines(lines: &[String], wanted: &str) -> Option<usize> {
    let length = wanted.chars().count();
    if length < SHORTEST_NEARLY {
        return None;
    }
    let mut said = String::new();
    (1..=MOST_HEADING_LINES).zip(lines).find_map(|(count, line)| {
        said.push_str(line);
        let near_in_length = (said.chars().count() as f64 / length as f64 - 1.0).abs() < 1.0 - NEARLY;
        (near_in_length && strsim::normalized_levenshtein(&said, wanted) >= NEARLY).then_some(count)
    })
}

/// Whether a normalised text is a number and nothing more: `12`, `a1`, `xiv`, `chapter12`, `第十二章`.
fn is_numbering(text: &str) -> bool {
    if text.chars().count() > LONGEST_NUMBERING {
        return false;
    }
    let number = WORDS_BEFORE_NUMBERS.iter().find_map(|word| text.strip_prefix(word)).unwrap_or(text);
    let number = number.trim_start_matches('第').trim_end_matches(['章', '节', '節', '部', '篇', '条', '卷', '回']);
    let is_roman = |c: char| matches!(c, 'i' | 'v' | 'x' | 'l' | 'c');
    let digits = number.trim_start_matches(|c: char| c.is_ascii_lowercase() || is_roman(c));
    let letters = &number[..number.len() - digits.len()];
    let letters_fit = letters.len() <= 1 || letters.chars().all(is_roman);
    letters_fit && digits.chars().all(|c| c.is_numeric() || "〇零一二三四五六七八九十百".contains(c))
}

/// A title reduced to what must agree: compatibility forms folded, lower case, simplified characters, letters and digits
/// only.
pub fn normalise_title(title: &str) -> String {
    title.nfkc().flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric()).map(simplified).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_recognised_with_and_without_its_number() {
        assert!(says(&normalise_title("1.2  Ｓcope"), &normalise_title("Scope")));
        assert!(says(&normalise_title("Scope"), &normalise_title("1.2 Scope")));
        assert!(says(&normalise_title("第一章 概述"), &normalise_title("概述")));
        assert!(says(&normalise_title("Appendix B Tools"), &normalise_title("Tools")));
        assert!(!says(&normalise_title("The scope of this manual is wide"), &normalise_title("Scope")));
        assert!(!says(&normalise_title("Cover words 1 First"), &normalise_title("First")));
    }

    #[test]
    fn a_heading_may_go_on_in_the_next_line() {
        let lines = ["alongtitle".to_owned(), "goeson".to_owned(), "text".to_owned()];
        assert_eq!(heading_lines(&lines, "alongtitlegoeson"), Some(2));
        assert_eq!(heading_lines(&lines, "other"), None);
    }

    #[test]
    fn a_number_may_be_written_in_two_ways() {
        assert!(says(&normalise_title("第一章 简介"), &normalise_title("1 简介")));
        assert!(says(&normalise_title("Chapter 3 Scope"), &normalise_title("3. Scope")));
        assert!(!says(&normalise_title("第二章 简介"), &normalise_title("1 简介")));
    }

    #[test]
    fn a_title_that_is_printed_a_little_otherwise_is_found() {
        let lines = [normalise_title("10.2.4 gure 环境与浮动体的位置"), "text".to_owned()];
        assert_eq!(nearly_heading_lines(&lines, &normalise_title("10.2.4 figure环境与浮动体的位置")), Some(1));
        assert_eq!(nearly_heading_lines(&lines, &normalise_title("10.2.4 table环境")), None);
    }
}
