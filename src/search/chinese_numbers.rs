//! The numbers of a question as Chinese texts also write them: 第十九条 for 第19条, 五千元 for 5000元, 3天 for 三天.

use std::ops::Range;

use crate::text::han::{half_width, in_han, is_han_digit, number_value};

/// The most numbers of a question that are written in another way.
const MOST_NUMBERS: usize = 4;
/// The parts of laws, rules and books.
const PARTS: &str = "编篇部章节条款项編節條項";
/// What is counted in both ways. Years and dates are mostly written in digits.
const COUNTED: &str = "元天周人名次倍岁歲";
/// One of a thing is no number: 一次.
const LEAST_COUNTED: u32 = 2;

/// The place of each number with its unit, and the other way to write both.
pub(super) fn numbers_written_otherwise(query: &str) -> Vec<(Range<usize>, String)> {
    parts(query).chain(amounts(query)).take(MOST_NUMBERS).collect()
}

/// The numbers of parts in digits, and how laws print them.
fn parts(query: &str) -> impl Iterator<Item = (Range<usize>, String)> {
    query.match_indices('第').filter_map(|(start, ordinal)| {
        let rest = &query[start + ordinal.len()..];
        let end = rest.find(|c: char| !(half_width(c).is_ascii_digit() || c == ' '))?;
        let unit = rest[end..].chars().next().filter(|unit| PARTS.contains(*unit))?;
        let digits: String = rest[..end].chars().map(half_width).filter(char::is_ascii_digit).collect();
        let number = in_han(digits.parse().ok()?)?;
        Some((start..start + ordinal.len() + end + unit.len_utf8(), format!("{ordinal}{number}{unit}")))
    })
}

/// Amounts in digits and in Chinese.
fn amounts(query: &str) -> impl Iterator<Item = (Range<usize>, String)> {
    let is_of_number = |c: char| half_width(c).is_ascii_alphanumeric() || is_han_digit(c) || "第.,．点万亿".contains(c);
    let starts = query.char_indices().filter(move |(at, c)| is_of_number(*c) && !query[..*at].ends_with(is_of_number));
    starts.filter_map(move |(start, first)| {
        let rest = &query[start..];
        let is_in_digits = half_width(first).is_ascii_digit();
        let goes_on = |c: char| if is_in_digits { half_width(c).is_ascii_digit() } else { is_han_digit(c) };
        let end = rest.find(|c| !goes_on(c))?;
        let unit: String = rest[end..].chars().take(if rest[end..].starts_with('万') { 2 } else { 1 }).collect();
        unit.chars().next_back().filter(|unit| COUNTED.contains(*unit))?;
        let number: String = rest[..end].chars().map(half_width).collect();
        let value = number_value(&number).filter(|value| *value >= LEAST_COUNTED)?;
        let other = if is_in_digits { in_han(value)? } else { value.to_string() };
        Some((start..start + end + unit.len(), other + &unit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(query: &str) -> Vec<(&str, String)> {
        numbers_written_otherwise(query).into_iter().map(|(range, written)| (&query[range], written)).collect()
    }

    fn wanted(expected: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
        expected.iter().map(|(typed, written)| (*typed, (*written).to_owned())).collect()
    }

    #[test]
    fn the_number_of_an_article_is_written_as_laws_print_it() {
        let query = "劳动合同法第１９条和第 1077 条，第3人，第十条，第99999条";
        assert_eq!(found(query), wanted(&[("第１９条", "第十九条"), ("第 1077 条", "第一千零七十七条")]));
    }

    #[test]
    fn amounts_are_written_in_digits_and_in_chinese() {
        assert_eq!(found("超过5000元谁批"), wanted(&[("5000元", "五千元")]));
        assert_eq!(found("十五天内，５万元"), wanted(&[("十五天", "15天"), ("５万元", "五万元")]));
        assert_eq!(found("满二十人，十万元"), wanted(&[("二十人", "20人"), ("十万元", "10万元")]));
        for none in [
            "一次",
            "2019年",
            "3月5日",
            "1.5元",
            "3.5万元",
            "五万三千元",
            "E5元",
            "第3次",
            "1,000元",
            "99999元",
            "5",
            "五",
        ] {
            assert_eq!(found(none), wanted(&[]), "{none}");
        }
    }
}
