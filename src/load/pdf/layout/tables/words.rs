//! Tells what the text of a cell is: a figure, a sign, a head, or a part of something other than a table.

use crate::text::han::ONE_TO_TEN;
use crate::text::is_wide;

/// Usually a unit: `(in millions)`.
pub fn in_brackets(text: &str) -> bool {
    text.starts_with(['(', '（', '[']) && text.ends_with([')', '）', ']'])
}

/// Whether a line names a table or a figure: `Table 3`, `续表 3.6`, `图 2`.
pub fn is_caption(text: &str) -> bool {
    let words = ["Table ", "TABLE ", "Figure ", "FIGURE ", "Fig. ", "表", "续表", "图", "附表"];
    let rest = words.iter().find_map(|word| text.strip_prefix(word));
    rest.is_some_and(|rest| rest.trim_start().starts_with(|c: char| c.is_ascii_digit() || ONE_TO_TEN.contains(c)))
}

/// A number with its signs or its unit: `$ 8,978`, `(1.5)%`, `12 kW`, `7 years`, `2026-03-01`.
pub fn is_figure(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).map(|c| if is_wide(c) { 2 } else { 1 }).sum::<usize>();
    digits > 0
        && !text.ends_with(',')
        && ((letters <= digits && letters < 5 && text.split_whitespace().count() < 5) || has_unit(text))
}

fn has_unit(text: &str) -> bool {
    let Some((number, unit)) = text.split_once(' ') else { return false };
    number.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '–'))
        && unit.chars().all(char::is_lowercase)
        && unit.len() < 8
}

/// An empty value: `—`, `N/A`.
pub fn is_empty_value(text: &str) -> bool {
    let dash = |c: char| matches!(c, '-' | '–' | '—' | '―' | '－' | '$' | '€' | '£' | '¥' | ' ' | '%');
    text.chars().all(dash)
        || matches!(text.to_ascii_lowercase().as_str(), "n/a" | "na" | "nm" | "n.m." | "无" | "不适用")
}

/// `2022`, `2022年`, `FY2022`
pub fn is_year(text: &str) -> bool {
    let core = text.trim_end_matches(['年', '*', 'E', 'A']).trim_start_matches("FY").trim();
    core.len() == 4 && core.parse().is_ok_and(|year: u32| (1900..2100).contains(&year))
}

/// The number of a note, such as `(1)` after a head.
pub fn is_note(text: &str) -> bool {
    let inner = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    inner.is_some_and(|inner| inner.len() < 3 && inner.chars().all(|c| c.is_ascii_digit()))
}

/// Whether a text may be a head: words, dates and years.
pub fn is_head_like(text: &str) -> bool {
    let dated = text.contains(['年', '月']) || text.split([',', ' ', '.', '/', '-']).any(is_year);
    !is_figure(text) || is_year(text) || dated
}

/// A currency sign, or an opening bracket, that stands apart.
pub fn is_sign(text: &str) -> bool {
    matches!(text, "$" | "€" | "£" | "¥" | "￥" | "US$" | "HK$" | "C$" | "A$" | "RMB" | "(" | "$(" | "-$" | "（")
}

/// A bracket or percent sign after a number.
pub fn is_tail(text: &str) -> bool {
    matches!(text, ")" | "%" | ")%" | "%)" | "）" | "）%")
}

/// The beginning of a list item: `1.`, `(a)`, `•`, `第一条`.
pub fn is_marker(text: &str) -> bool {
    let core = text.trim_matches(|c: char| !c.is_alphanumeric());
    let numbered = core.chars().all(|c| c.is_ascii_digit() || c == '.') || core.chars().count() <= 3;
    numbered && (core.is_empty() || core.len() < text.len()) || (text.starts_with('第') && core.chars().count() <= 6)
}

pub fn is_formula(text: &str) -> bool {
    text.chars().any(|c| {
        matches!(c, '=' | '∑' | '∫' | '√' | '≤' | '≥' | '∈' | '→' | '⇒' | '∂' | '\\' | '{' | '}' | '^' | '≈' | '∞')
    })
}

/// A single sign or letter.
pub fn is_symbol(text: &str) -> bool {
    text.chars().count() == 1 && !text.starts_with(|c: char| c.is_ascii_digit() || is_wide(c))
}

/// `(3.2)`
pub fn is_equation_number(text: &str) -> bool {
    let inner = text.strip_prefix(['(', '（']).and_then(|rest| rest.strip_suffix([')', '）']));
    inner.is_some_and(|inner| {
        inner.len() < 7 && inner.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-')) && !inner.contains("00")
    })
}

/// `pump, 12, 34`, `泵 12`
pub fn is_index_entry(text: &str) -> bool {
    let letters = text.starts_with(|c: char| c.is_alphabetic() || c == '\\');
    let behind = text.rsplit_once([',', '，']).map(|(_, last)| last.trim());
    letters
        && behind
            .is_some_and(|last| !last.is_empty() && last.chars().all(|c| c.is_ascii_digit() || matches!(c, '–' | '-')))
}
