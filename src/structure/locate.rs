//! Where on its page an outline entry's heading stands.
//!
//! An outline names a page; the section starts at the line on that page that says the title. Where no line does, it
//! starts at the top of the page, or behind the heading before it on the same page.

use unicode_normalization::UnicodeNormalization;

use super::{Heading, Provenance};
use crate::load::{Block, OutlineEntry};

/// A heading may be broken over this many lines.
const MOST_HEADING_LINES: usize = 4;
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
    let normalised: Vec<String> = blocks.iter().map(|block| normalise_title(&block.text)).collect();
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
        let found = (from..end).find_map(|i| heading_lines(&normalised[i..end], &wanted).map(|lines| (i, lines)));
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
    line == title || numbered(line, title) || numbered(title, line)
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

/// A title reduced to what must agree: compatibility forms folded, lower case, letters and digits only.
pub fn normalise_title(title: &str) -> String {
    title.nfkc().flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric()).collect()
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
}
