//! The number of a section in every spelling: `14`, `Chapter 14`, `第14章`, `第十四章`, `XIV`, `§ 14`.

use unicode_normalization::UnicodeNormalization;

use crate::structure::{NumberKind, item_number, parse_number};
use crate::text::han::simplified;

/// A section number, at the start of a title or as a name.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SectionNumber {
    kind: NumberKind,
    parts: Vec<u32>,
    /// Whether it begins with a letter of the alphabet: `B.2`, `Appendix B`.
    lettered: bool,
}

impl SectionNumber {
    /// The number of a name that is only a number, in either case. Only items of a report have numbers like `7A`.
    pub fn of_name(name: &str) -> Option<Self> {
        let name = written_out(&plain(name));
        let name = name.trim().trim_end_matches('.');
        let is_item = name.starts_with(|c: char| c.is_ascii_digit()) && !name.contains('.');
        let item = is_item.then(|| format!("Item {name}"));
        [name.to_owned(), name.to_uppercase()].iter().chain(&item).find_map(|text| {
            let (number, length) = read(text)?;
            (length == text.len()).then_some(number)
        })
    }

    /// The number as a path, if it counts sections.
    pub fn place(&self) -> Option<String> {
        let counts = !self.lettered && self.kind.counts_sections();
        let parts: Vec<String> = self.parts.iter().map(u32::to_string).collect();
        counts.then(|| parts.join("."))
    }

    /// The number at the start of a title.
    pub fn of_title(title: &str) -> Option<Self> {
        Some(Self::in_front(title)?.0)
    }

    /// The number at the start of a title, and the rest.
    pub fn in_front(title: &str) -> Option<(Self, String)> {
        let title = plain(title);
        let (number, length) = read(&title)?;
        Some((number, title[length..].to_owned()))
    }

    /// Whether a name and a title begin with different numbers. A name may be in small letters.
    pub fn differ(name: &str, title: &str) -> bool {
        let in_capitals = || Self::in_front(&name.to_uppercase()).filter(|(number, _)| is_named(number.kind));
        let numbers = Self::in_front(name).or_else(in_capitals).zip(Self::in_front(title));
        numbers.is_some_and(|((own, _), (other, _))| own.fit(&other).is_none())
    }

    /// The number as one of an item, if it is that or a bare number.
    fn as_item(&self) -> Option<u32> {
        match (self.kind, &self.parts[..]) {
            (NumberKind::Item, [item]) => Some(*item),
            (NumberKind::Decimal, [number]) => item_number(*number, 0),
            _ => None,
        }
    }

    /// How loosely this number must be read to mean a title with `other`: 0 is literal, `None` is no match. `14` may
    /// mean Chapter 14 or Item 14; `Section 14` does not.
    pub fn fit(&self, other: &SectionNumber) -> Option<usize> {
        if self.kind != other.kind && [self.kind, other.kind].contains(&NumberKind::Item) {
            return (self.as_item()? == other.as_item()?).then_some(1);
        }
        if self.parts != other.parts || self.lettered != other.lettered {
            return None;
        }
        let loosely = |named: NumberKind, bare: NumberKind| match (named, bare) {
            // Where parts have Roman numbers, the chapters inside them have the digits.
            (NumberKind::Part, NumberKind::Roman) => 1,
            (NumberKind::Part | NumberKind::Note | NumberKind::Section | NumberKind::Article, NumberKind::Decimal) => 2,
            (_, NumberKind::Decimal | NumberKind::Letter) => 1,
            _ => 3,
        };
        match (self.kind, other.kind) {
            (own, other) if own == other => Some(0),
            (own, other) if is_named(own) && is_named(other) => None,
            (own, other) if is_named(own) => Some(loosely(own, other)),
            (own, other) if is_named(other) => Some(loosely(other, own)),
            _ => Some(2),
        }
    }
}

/// Whether a word or a sign says what kind of section it is.
fn is_named(kind: NumberKind) -> bool {
    kind <= NumberKind::Appendix
}

/// Normalises full-width and traditional characters, and writes a spelt-out number after its kind in digits.
fn plain(text: &str) -> String {
    let text: String = text.nfkc().map(simplified).collect();
    let mut words = text.split(' ');
    let (Some(kind), Some(number)) = (words.next(), words.next()) else { return text };
    let spelt = number.trim_end_matches(|c: char| !c.is_alphanumeric());
    let place = NUMBERS.iter().chain(&MORE_NUMBERS).position(|word| word.eq_ignore_ascii_case(spelt));
    match place.filter(|_| KINDS.iter().any(|word| word.eq_ignore_ascii_case(kind))) {
        Some(place) => format!("{kind} {}{}", place + 1, &text[kind.len() + 1 + spelt.len()..]),
        None => text,
    }
}

/// Kinds of sections whose numbers may be spelt out.
const KINDS: [&str; 3] = ["chapter", "part", "section"];
/// The numbers from 1, spelt out.
pub(super) const NUMBERS: [&str; 10] = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
/// The numbers after [`NUMBERS`].
const MORE_NUMBERS: [&str; 10] =
    ["eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"];

/// Writes a name the way titles are written: expands abbreviations, adds a missing `第`, and turns `第1.1节` into `§ 1.1`.
fn written_out(name: &str) -> String {
    let name = name.trim();
    for (short, long) in [("ch", "chapter"), ("chap", "chapter"), ("sec", "section"), ("app", "appendix")] {
        let rest =
            name.get(..short.len()).filter(|start| start.eq_ignore_ascii_case(short)).map(|_| &name[short.len()..]);
        let rest = rest.and_then(|rest| rest.strip_prefix(['.', ' ']));
        if let Some(rest) = rest {
            return format!("{long} {}", rest.trim_start());
        }
    }
    let Some(unit) = name.chars().last().filter(|unit| "章节条部篇".contains(*unit)) else {
        return name.to_owned();
    };
    let number = name.trim_end_matches(unit).trim();
    let bare = number.strip_prefix('第').unwrap_or(number).trim();
    if bare.contains('.') { format!("§ {bare}") } else { format!("第{bare}{unit}") }
}

/// The number at the start of a text, and its length including the separator after it.
fn read(text: &str) -> Option<(SectionNumber, usize)> {
    let found = parse_number(text)?;
    let number = text[..found.length].trim_end_matches(|c: char| !c.is_alphanumeric());
    let first = number.rsplit(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).next().unwrap_or_default();
    let lettered = match found.kind {
        // `Section I` has a Roman number, whose value is not the place of the letter; that of `IX` is the place of its I.
        NumberKind::Decimal | NumberKind::Letter | NumberKind::Appendix | NumberKind::Section | NumberKind::Part => {
            let letters: Vec<u8> = first.bytes().take_while(u8::is_ascii_alphabetic).collect();
            matches!(letters[..], [letter] if found.parts.first() == Some(&u32::from(letter.to_ascii_uppercase() - b'A' + 1)))
        }
        _ => false,
    };
    Some((SectionNumber { kind: found.kind, parts: found.parts, lettered }, found.length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(name: &str, title: &str) -> Option<usize> {
        SectionNumber::of_name(name)?.fit(&SectionNumber::of_title(title)?)
    }

    /// `fixtures/section_names.tsv` has more spellings, as names of sections.
    #[test]
    fn a_number_is_known_in_other_spellings_and_as_no_other_kind() {
        for (name, title) in [
            ("21.", "第二十一章 TDO"),
            ("第 21 章", "CHAPTER XXI TDO"),
            ("Chapter XXI", "第２１章 TDO"),
            ("附录 B", "附錄B 表格"),
            ("part 2", "第二部分 操作"),
            ("第三条", "第三條 範圍"),
            ("iv", "IV. Results"),
            ("chapter 4", "IV. Results"),
            ("item 7", "7. Management's discussion"),
            ("2", "二、安全"),
            ("part d", "Part D Drugs"),
            ("part 9", "PART IX"),
            ("section 9", "Section IX"),
        ] {
            assert!(fit(name, title).is_some(), "{name} is {title}");
        }
        for (name, title) in [
            ("14", "第4章 TDO操作"),
            ("chapter 1", "第二十一章 TDO"),
            ("section 14", "第14章 TDO操作"),
            ("1.14", "第14章 TDO操作"),
            ("附录四", "第四章 阀门"),
            ("3.2", "3.20 Margins"),
            ("4.2", "4.2a Drafts"),
            ("1", "Appendix A Sources"),
            ("2", "Error T-1102"),
            ("scope", "1.1 Scope"),
            ("第三章", "第三节 范围"),
            ("7.1", "Item 7A. Market risk"),
            ("4.2a", "Item 4B. Staff"),
            ("7", "Item 7A. Market risk"),
            ("7A", "225 Ways to prime a pump"),
            ("section 7", "Item 7. Discussion"),
            ("part d", "PART IV"),
            ("part a", "PART I"),
        ] {
            assert_eq!(fit(name, title), None, "{name} is not {title}");
        }
    }

    #[test]
    fn a_number_printed_the_same_way_fits_best() {
        assert!(fit("第四章", "第四章 阀门") < fit("第四章", "4 阀门"));
        assert!(fit("4", "4 Valves") < fit("4", "Chapter 4 Valves"));
        assert!(fit("4", "Chapter 4 Valves") < fit("4", "Article 4"));
        assert!(fit("Part III", "III Valves") < fit("Part III", "3 Pumps"));
        assert!(fit("part 3", "PART III") < fit("part 3", "III Valves"));
    }
}
