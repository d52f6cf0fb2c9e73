//! Matches titles with the lines of a text, in any form of their numbers and with small differences.

use std::cell::Cell;
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;

use super::numbering::{self, Numbering};
use crate::text::han::{is_han_digit, number_value, simplified};

const MOST_HEADING_LINES: usize = 4;
/// Titles and lines with this share of equal letters match; shorter ones must be equal.
const NEARLY: f64 = 0.85;
const SHORTEST_NEARLY: usize = 6;
/// Longer titles must match a line exactly.
const LONGEST_NEARLY: usize = 300;
/// The longest number before a title: `Chapter 12`, `第十二章`, `A.1.2`, in normalised characters.
const LONGEST_NUMBERING: usize = 12;

/// A word that begins with another one stands before it.
static WORDS_BEFORE_NUMBERS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let words = "chapter partie part section appendix article item kapitel teil abschnitt artikel anhang chapitre \
        annexe 附录";
    words.split_whitespace().collect()
});

/// What a number counts, in simplified characters, as in normalised titles.
const UNITS: [&str; 11] = ["部分", "章", "节", "部", "篇", "编", "条", "卷", "回", "讲", "课"];

/// A budget for finding titles: bytes compared exactly, plus letters times letters for near matches. A book with an
/// outline of 5,000 entries needs a tenth of it. Once it is spent, titles are not found, and their sections begin at
/// the top of their pages.
pub(super) struct MatchBudget(Cell<u64>);

impl Default for MatchBudget {
    fn default() -> Self {
        MatchBudget(Cell::new(500_000_000))
    }
}

impl MatchBudget {
    /// For titles that a person wrote.
    pub(super) fn unlimited() -> Self {
        MatchBudget(Cell::new(u64::MAX))
    }

    /// Spends this much. Returns whether it was left.
    pub(super) fn spend(&self, cost: usize) -> bool {
        let left = self.0.get().checked_sub(cost as u64);
        self.0.set(left.unwrap_or(0));
        left.is_some()
    }
}

/// The number of leading `lines` that make up `wanted`, both normalised; `None` if they do not.
pub(super) fn heading_lines(lines: &[String], wanted: &str, budget: &MatchBudget) -> Option<usize> {
    if wanted.is_empty() {
        return None;
    }
    // Room for a number, of at most four bytes a character, in two ways of writing it.
    let longest = wanted.len() + LONGEST_NUMBERING * 8;
    let mut joined = String::new();
    for (count, line) in (1..=MOST_HEADING_LINES).zip(lines) {
        if joined.len() + line.len() > longest || !budget.spend(joined.len() + line.len() + 1) {
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

/// The number at the start of a line, if a normalised title follows it. More may follow after a space, such as a note in
/// the margin.
pub(super) fn number_before<'l>(line: &'l str, title: &str) -> Option<(Numbering, &'l str)> {
    let number = numbering::parse(line)?;
    let (written, rest) = line.split_at(number.length);
    let mut left = title;
    for word in rest.split_whitespace() {
        left = left.strip_prefix(normalise_title(word).as_str())?;
        if left.is_empty() {
            return Some((number, written.trim()));
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

/// The text without the word before its number.
fn without_word(text: &str) -> &str {
    WORDS_BEFORE_NUMBERS.iter().find_map(|word| text.strip_prefix(word)).unwrap_or(text)
}

/// The number at the beginning of a normalised text in any form, and the rest: 1 and `简介` for both `第一章简介` and `1简介`.
fn split_number(text: &str) -> Option<(u32, &str)> {
    let rest = without_word(text);
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
pub(super) fn nearly_heading_lines(lines: &[String], wanted: &str, budget: &MatchBudget) -> Option<usize> {
    let length = wanted.chars().count();
    if !(SHORTEST_NEARLY..=LONGEST_NEARLY).contains(&length) {
        return None;
    }
    let mut joined = String::new();
    for (count, line) in (1..=MOST_HEADING_LINES).zip(lines) {
        joined.push_str(line);
        if joined.len() > LONGEST_NEARLY * 8 || !budget.spend(joined.len() + 1) {
            return None;
        }
        let letters = joined.chars().count();
        let near_in_length = (letters as f64 / length as f64 - 1.0).abs() < 1.0 - NEARLY;
        if near_in_length && !budget.spend(letters * length) {
            return None;
        }
        if near_in_length && strsim::normalized_levenshtein(&joined, wanted) >= NEARLY {
            return Some(count);
        }
    }
    None
}

/// Whether a normalised text is only a number: `12`, `a1`, `xiv`, `chapter12`, `第十二章`.
fn is_numbering(text: &str) -> bool {
    if text.chars().count() > LONGEST_NUMBERING {
        return false;
    }
    let number = without_word(text).trim_start_matches('第');
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

/// A title for comparison: compatibility forms folded, lower case, simplified characters, letters and digits only. The
/// read cache has names in this form, so a change needs a new `LAYOUT` of it.
pub fn normalise_title(title: &str) -> String {
    title.nfkc().flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric()).map(simplified).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn the_number_before_a_title_may_have_more_behind_the_title() {
        let before = |line, title| number_before(line, &normalise_title(title)).map(|(_, written)| written);
        assert_eq!(before("3.2  Character protrusion pdfTeX 0.14f", "Character protrusion"), Some("3.2"));
        assert_eq!(before("第一章 概述", "概述"), Some("第一章"));
        for line in ["Character protrusion is on", "3.2 Character protrusions", "3.2 Character"] {
            assert_eq!(before(line, "Character protrusion"), None, "{line}");
        }
    }

    #[test]
    fn a_heading_may_continue_in_the_next_line() {
        let lines = ["alongtitle".to_owned(), "goeson".to_owned(), "text".to_owned()];
        assert_eq!(heading_lines(&lines, "alongtitlegoeson", &MatchBudget::default()), Some(2));
        assert_eq!(heading_lines(&lines, "other", &MatchBudget::default()), None);
        let count =
            |lines: [&str; 2], wanted| heading_lines(&lines.map(str::to_owned), wanted, &MatchBudget::default());
        assert_eq!(count(["第一编", "总则"], "第一编总则"), Some(2), "a part over two lines");
        assert_eq!(count(["第一编", "第一章概述"], "第一章概述"), None, "a part above a chapter");
    }

    #[test]
    fn slightly_different_titles_match() {
        let lines = [normalise_title("10.2.4 gure 环境与浮动体的位置"), "text".to_owned()];
        let nearly = |title: &str| nearly_heading_lines(&lines, &normalise_title(title), &MatchBudget::default());
        assert_eq!(nearly("10.2.4 figure环境与浮动体的位置"), Some(1));
        assert_eq!(nearly("10.2.4 table环境"), None);
    }
}
