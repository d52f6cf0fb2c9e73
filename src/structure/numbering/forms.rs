//! The forms in which headings write their numbers.

use super::{Kind, item_number};
use crate::text::han::{is_han_digit, number_value};
use crate::text::roman;

/// The kinds that English, German and French words before a number give it.
const WORDS: &[(Kind, &[&str])] = &[
    (Kind::Part, &["part", "book", "teil", "partie"]),
    (Kind::Chapter, &["chapter", "kapitel", "chapitre"]),
    (Kind::Item, &["item"]),
    (Kind::Note, &["note"]),
    (Kind::Section, &["section", "abschnitt"]),
    (Kind::Article, &["article", "artikel"]),
    (Kind::Appendix, &["appendix", "annex", "schedule", "anhang", "annexe"]),
];

/// The kind and the parts of a number, and the text after it.
pub(super) type Found<'t> = (Kind, Vec<u32>, &'t str);

/// The number at the beginning of a text, in the first form that fits.
pub(super) fn find(text: &str) -> Option<Found<'_>> {
    let forms = [word, ordinal, appendix_in_chinese, sign, brackets, han, decimal, letters];
    forms.iter().find_map(|form| form(text))
}

/// The place of a letter in the alphabet, from 1.
fn place(letter: u8) -> u32 {
    u32::from(letter.to_ascii_uppercase() - b'A') + 1
}

/// `Chapter 3`, `PART II`, `Item 7A.`
fn word(text: &str) -> Option<Found<'_>> {
    let (name, rest) = text.split_at(text.find(|c: char| !c.is_ascii_alphabetic())?);
    let &(kind, _) = WORDS.iter().find(|(_, words)| words.iter().any(|word| name.eq_ignore_ascii_case(word)))?;
    if !rest.starts_with(char::is_whitespace) || !text.starts_with(|c: char| c.is_ascii_uppercase()) {
        return None;
    }
    let rest = rest.trim_start();
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).unwrap_or(rest.len());
    let (number, after) = rest.split_at(end);
    if !(after.is_empty() || after.starts_with([' ', ':', '-', '–', '—', '.', ')', ','])) {
        return None;
    }
    // The letters of lettered notes could be Roman numbers.
    if kind == Kind::Note && !number.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let mut parts = parts_of(number.trim_end_matches('.'))?;
    if kind == Kind::Item {
        parts = vec![item_number(parts[0], parts.get(1).copied().unwrap_or(0))?];
    }
    Some((kind, parts, after.trim_start_matches([' ', ':', '-', '–', '—', '.'])))
}

/// The parts of `3`, `II`, `B`, `7A`, `2.1`.
fn parts_of(number: &str) -> Option<Vec<u32>> {
    if number.is_empty() || number.len() > 9 {
        return None;
    }
    if let Some(value) = roman(number) {
        return Some(vec![value]);
    }
    let mut parts = Vec::new();
    for piece in number.split('.') {
        let rest = piece.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = &piece[..piece.len() - rest.len()];
        if !digits.is_empty() {
            parts.push(digits.parse().ok()?);
        }
        match rest.as_bytes() {
            [] => {}
            [letter] if letter.is_ascii_alphabetic() => parts.push(place(*letter)),
            _ => return None,
        }
    }
    (!parts.is_empty()).then_some(parts)
}

/// `第三章`, `第 2 节`, `第十二条`.
fn ordinal(text: &str) -> Option<Found<'_>> {
    let rest = text.strip_prefix('第')?;
    let (digits, rest) = rest.split_at(rest.find(|c: char| !(is_han_digit(c) || c.is_ascii_digit() || c == ' '))?);
    let value = number_value(digits.trim())?;
    let mut rest = rest.chars();
    let unit = rest.next()?;
    let kind = match unit {
        '编' | '編' | '篇' | '卷' | '部' => Kind::Part,
        '章' | '回' | '讲' | '课' | '講' | '課' => Kind::Chapter,
        '节' | '節' => Kind::Section,
        '条' | '條' => Kind::Article,
        _ => return None,
    };
    let after = rest.as_str();
    let after = after.strip_prefix('分').filter(|_| unit == '部').unwrap_or(after);
    // `第一章的` only mentions a chapter.
    if after.starts_with(['的', '中', '里', '，', '。', '、', '和', '与', '所', '至', '到', '介', '讲', '规', '第'])
    {
        return None;
    }
    Some((kind, vec![value], after.trim_start_matches([' ', '：', ':', '　', '.', '．'])))
}

/// `附录 A`, `附件一`.
fn appendix_in_chinese(text: &str) -> Option<Found<'_>> {
    let rest = ["附录", "附錄", "附件"].iter().find_map(|word| text.strip_prefix(word))?.trim_start();
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || is_han_digit(c))).unwrap_or(rest.len());
    let (number, after) = rest.split_at(end);
    let value = match number.as_bytes() {
        [letter] if letter.is_ascii_uppercase() => place(*letter),
        _ => number_value(number)?,
    };
    Some((Kind::Appendix, vec![value], after.trim_start_matches([' ', '：', ':'])))
}

/// `§ 4`, `§4.2`
fn sign(text: &str) -> Option<Found<'_>> {
    let (_, parts, rest) = decimal(text.strip_prefix('§')?.trim_start())?;
    Some((Kind::Section, parts, rest))
}

/// `（一）`, `(1)`, `（2）`
fn brackets(text: &str) -> Option<Found<'_>> {
    let (inside, rest) = text.strip_prefix(['(', '（'])?.split_once([')', '）'])?;
    let (inside, rest) = (inside.trim(), rest.trim_start());
    if inside.chars().all(is_han_digit) {
        return Some((Kind::HanInBrackets, vec![number_value(inside)?], rest));
    }
    let value = match inside.as_bytes() {
        [letter] if letter.is_ascii_lowercase() => place(*letter),
        // Parsing would accept a sign: `(+5) volts`.
        [b'0'..=b'9', ..] => inside.parse().ok().filter(|&value: &u32| value < 100)?,
        _ => return None,
    };
    Some((Kind::InBrackets, vec![value], rest))
}

/// `一、`
fn han(text: &str) -> Option<Found<'_>> {
    let (number, rest) = text.split_at(text.find(|c: char| !is_han_digit(c))?);
    let rest = rest.strip_prefix(['、', '．', '.'])?;
    Some((Kind::Han, vec![number_value(number)?], rest.trim_start()))
}

/// `1`, `1.`, `1.2`, `1.2.`, `A.1`, `1、`, `1)`; a space or an ideograph must follow.
fn decimal(text: &str) -> Option<Found<'_>> {
    let glued = glued_number(text);
    let end = glued
        .or_else(|| text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '．'))))
        .unwrap_or(text.len());
    let (token, rest) = text.split_at(end);
    let mut parts = Vec::new();
    let mut lettered = false;
    for (i, piece) in token.trim_end_matches(['.', '．']).split(['.', '．']).enumerate() {
        match piece.as_bytes() {
            [letter] if i == 0 && letter.is_ascii_uppercase() => {
                lettered = true;
                parts.push(place(*letter));
            }
            [first, ..]
                if piece.len() <= 3 && (i == 0 || *first != b'0') && piece.bytes().all(|b| b.is_ascii_digit()) =>
            {
                parts.push(piece.parse().ok()?);
            }
            _ => return None,
        }
    }
    if parts.len() > 6 || (lettered && parts.len() < 2) {
        return None;
    }
    if parts.len() == 1
        && let Some(rest) = rest.strip_prefix(['、', ')', '）'])
    {
        return Some((Kind::Listed, parts, rest.trim_start()));
    }
    let fits =
        rest.is_empty() || glued.is_some() || rest.starts_with(|c| matches!(c, ' ' | '\t' | '　') || c > '\u{2E7F}');
    fits.then(|| (Kind::Decimal, parts, rest.trim_start()))
}

/// The length of a number such as `3.8.10` before a title without a space, as in narrow contents pages.
fn glued_number(text: &str) -> Option<usize> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
    let number = &text[..end];
    let fits = number.contains('.') && number.starts_with(|c: char| c.is_ascii_digit()) && !number.ends_with('.');
    (fits && text[end..].starts_with(|c: char| c.is_ascii_uppercase())).then_some(end)
}

/// `II.`, `IV`, `A`, `B.`
fn letters(text: &str) -> Option<Found<'_>> {
    let (token, rest) = text.split_at(text.find(|c: char| !c.is_ascii_uppercase()).unwrap_or(text.len()));
    let rest = rest.strip_prefix('.').unwrap_or(rest);
    if !(rest.is_empty() || rest.starts_with(' ')) {
        return None;
    }
    match (token.as_bytes(), roman(token)) {
        // A single L or C is more likely a letter than a number.
        ([b'I' | b'V' | b'X'] | [_, _, ..], Some(value)) => Some((Kind::Roman, vec![value], rest.trim_start())),
        ([letter], _) => Some((Kind::Letter, vec![place(*letter)], rest.trim_start())),
        _ => None,
    }
}
