//! Other ways to write the numbers of a question in Chinese: 第十九条 for 第19条, 五千元 for 5000元, 3天 for 三天.

use std::ops::Range;

use crate::text::han::{half_width, in_han, is_han_digit, number_value};
use crate::text::script::is_han;

/// The most numbers of a question that are searched for in another form.
const MOST_NUMBERS: usize = 4;
/// The parts of laws, rules and books.
const PARTS: &str = "编篇部章节条款项編節條項";
/// The units of numbers that are written in both forms.
const COUNTED: [&str; 15] =
    ["元", "天", "周", "个月", "小时", "分钟", "学时", "人", "名", "次", "倍", "台", "岁", "歲", "年"];
/// From this number on, years are written in digits: 2019年.
const LEAST_YEAR: u32 = 100;
/// One of a thing is no number: 一次.
const LEAST_COUNTED: u32 = 2;

/// The place of each number with its unit, and the other way to write both.
pub(super) fn other_numerals(query: &str) -> Vec<(Range<usize>, String)> {
    if !query.chars().any(is_han) {
        return Vec::new();
    }
    parts(query).chain(shares(query)).chain(amounts(query)).take(MOST_NUMBERS).collect()
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

/// Per cents in Chinese, and in digits: 12% for 百分之十二.
fn shares(query: &str) -> impl Iterator<Item = (Range<usize>, String)> {
    query.match_indices("百分之").filter_map(|(start, share)| {
        let rest = &query[start + share.len()..];
        let end = rest.find(|c| !is_han_digit(c)).unwrap_or(rest.len());
        let value = number_value(&rest[..end])?;
        Some((start..start + share.len() + end, format!("{value}%")))
    })
}

/// Amounts in digits and in Chinese.
fn amounts(query: &str) -> impl Iterator<Item = (Range<usize>, String)> {
    let starts = query.char_indices().filter(|(at, c)| is_of_number(*c) && !query[..*at].ends_with(is_of_number));
    starts.filter_map(|(start, first)| {
        let rest = &query[start..];
        let is_in_digits = half_width(first).is_ascii_digit();
        let goes_on = |c: char| if is_in_digits { half_width(c).is_ascii_digit() } else { is_han_digit(c) };
        let end = rest.find(|c| !goes_on(c))?;
        let number: String = rest[..end].chars().map(half_width).collect();
        let value = number_value(&number).filter(|value| *value >= LEAST_COUNTED)?;
        let unit = unit(&rest[end..])?;
        let other = match unit {
            "%" if is_in_digits => format!("百分之{}", in_han(value)?),
            "%" => return None,
            "年" if value >= LEAST_YEAR => return None,
            _ if !is_in_digits => format!("{value}{unit}"),
            _ if value == 2 => format!("两{unit}"),
            _ => in_han(value)? + unit,
        };
        Some((start..start + end + unit.len(), other))
    })
}

/// Whether a number behind this character is no amount: it is a part of a number or code, or counts parts, as in 第3次.
fn is_of_number(c: char) -> bool {
    half_width(c).is_ascii_alphanumeric() || is_han_digit(c) || "第之.,．点万亿".contains(c)
}

/// The unit at the beginning of a text, with ten thousands in front of it or alone: 元, 万元, 万.
fn unit(text: &str) -> Option<&str> {
    let large = ["万", "亿"].into_iter().find(|large| text.starts_with(large)).map_or(0, str::len);
    let rest = &text[large..];
    let counted = COUNTED.into_iter().chain(["%"]).find(|unit| rest.starts_with(unit)).map_or(0, str::len);
    let is_alone = large > 0 && counted == 0 && !rest.starts_with(is_of_number);
    (counted > 0 || is_alone).then(|| &text[..large + counted])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers with what they are written as, such as `5000元 = 五千元`.
    fn found(query: &str) -> Vec<String> {
        let found = other_numerals(query).into_iter();
        found.map(|(range, written)| format!("{} = {written}", &query[range])).collect()
    }

    #[test]
    fn the_number_of_an_article_is_written_as_laws_print_it() {
        let query = "劳动合同法第１９条和第 1077 条，第3人，第十条，第99999条";
        assert_eq!(found(query), ["第１９条 = 第十九条", "第 1077 条 = 第一千零七十七条"]);
    }

    #[test]
    fn amounts_are_written_in_digits_and_in_chinese() {
        assert_eq!(found("超过5000元谁批"), ["5000元 = 五千元"]);
        assert_eq!(found("十五天内，５万元"), ["十五天 = 15天", "５万元 = 五万元"]);
        assert_eq!(found("满二十人，十万元"), ["二十人 = 20人", "十万元 = 10万元"]);
        assert_eq!(found("罚20万，2年"), ["20万 = 二十万", "2年 = 两年"]);
        assert_eq!(found("24学时，百分之十二"), ["百分之十二 = 12%", "24学时 = 二十四学时"]);
        assert_eq!(found("税率12%"), ["12% = 百分之十二"]);
        for none in "一次 2019年 3月5日 1.5元 3.5万元 五万三千元 E5元 第3次 1,000元 99999元 5 五".split(' ')
        {
            assert_eq!(found(none), [""; 0], "{none}");
        }
    }
}
