//! Chinese characters: folds traditional to simplified ones and full-width letters to plain ones, and reads numbers.
//!
//! The table of forms is OpenCC's (`TSCharacters`, from the crate hanconv). It maps single characters, so the result
//! does not depend on neighbours, and parts of a text fold as the whole text does. Of several simplified forms, the
//! first is taken. Words that differ in more than characters stay different.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The simplified form of a character; other characters stay.
pub fn simplified(c: char) -> char {
    // Characters below are not Chinese.
    if c < '\u{3400}' {
        return c;
    }
    static FORMS: LazyLock<HashMap<char, char>> = LazyLock::new(forms);
    FORMS.get(&c).copied().unwrap_or(c)
}

/// The text in simplified characters and half-width letters and digits, with the same number of characters.
pub fn in_simplified(text: &str) -> String {
    text.chars().map(simplified).map(half_width).collect()
}

/// The plain form of a full-width letter or digit; other characters stay.
pub fn half_width(c: char) -> char {
    match c {
        '０'..='９' | 'Ａ'..='Ｚ' | 'ａ'..='ｚ' => {
            char::from_u32(u32::from(c) - u32::from('０') + u32::from('0')).unwrap_or(c)
        }
        _ => c,
    }
}

/// The ways to write each digit; 参 is the simplified form of 參.
const DIGITS: [&str; 10] = ["〇零", "一壹", "二两兩贰貳", "三叁參参", "四肆", "五伍", "六陆陸", "七柒", "八捌", "九玖"];

/// The numbers of items and captions up to ten.
pub const ONE_TO_TEN: &str = "一二三四五六七八九十";

fn han_digit(c: char) -> Option<u32> {
    let value = DIGITS.iter().position(|forms| forms.contains(c))?;
    u32::try_from(value).ok()
}

/// Whether numbers are written with a character: a digit, ten, a hundred or a thousand.
pub fn is_han_digit(c: char) -> bool {
    matches!(c, '十' | '拾' | '百' | '千') || han_digit(c).is_some()
}

/// The value of `12`, `十二`, `一百零三`.
pub fn number_value(text: &str) -> Option<u32> {
    if text.is_empty() || text.chars().count() > 7 {
        return None;
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().ok();
    }
    let (mut total, mut digit) = (0u32, 0u32);
    let mut positional = String::new();
    for c in text.chars() {
        let unit = match c {
            '十' | '拾' => 10,
            '百' => 100,
            '千' => 1000,
            _ => {
                digit = han_digit(c)?;
                positional.push(char::from_digit(digit, 10)?);
                continue;
            }
        };
        total += digit.max(1) * unit;
        digit = 0;
        positional.clear();
    }
    // `二〇` is written digit by digit.
    if total == 0 && positional.len() > 1 { positional.parse().ok() } else { Some(total + digit) }
}

/// A number from 1 to 9999 as laws print it: 一千零七十七.
pub fn in_han(number: u32) -> Option<String> {
    if !(1..10_000).contains(&number) {
        return None;
    }
    let (mut text, mut skipped) = (String::new(), false);
    for (value, name) in [(1000, "千"), (100, "百"), (10, "十"), (1, "")] {
        let digit = number / value % 10;
        if digit > 0 {
            text.push_str(if skipped { "零" } else { "" });
            // 12 is 十二.
            let is_told = digit > 1 || value != 10 || !text.is_empty();
            text.extend(ONE_TO_TEN.chars().nth(digit as usize - 1).filter(|_| is_told));
            text.push_str(name);
        }
        skipped = digit == 0 && !text.is_empty();
    }
    Some(text)
}

fn forms() -> HashMap<char, char> {
    let single = |text: &str| {
        let mut chars = text.chars();
        chars.next().filter(|_| chars.next().is_none())
    };
    let pairs = hanconv::RawDictionary::TSCharacters.iter();
    let pairs = pairs.filter_map(|(from, to)| Some((single(from)?, single(to)?))).filter(|(from, to)| from != to);
    let once: HashMap<char, char> = pairs.collect();
    // Some characters are simplified in two steps.
    let twice = once.iter().map(|(&from, to)| (from, once.get(to).copied().unwrap_or(*to)));
    twice.filter(|(from, to)| from != to).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traditional_characters_become_simplified_ones() {
        assert_eq!(in_simplified("維護保養：啟動設備採購、壓力傳感器"), "维护保养：启动设备采购、压力传感器");
        assert_eq!(in_simplified("启动 pump-12 かな 한국어"), "启动 pump-12 かな 한국어");
        assert_eq!(in_simplified("第１０章　ＴＤＯ，ｐｕｍｐ"), "第10章　TDO，pump");
    }

    #[test]
    fn numbers_are_written_as_laws_print_them() {
        let numbers = [9, 10, 12, 20, 103, 110, 1000, 1010, 1077, 1259].map(|number| in_han(number).unwrap());
        let printed = "九 十 十二 二十 一百零三 一百一十 一千 一千零一十 一千零七十七 一千二百五十九";
        assert_eq!(numbers.join(" "), printed);
        assert_eq!([in_han(0), in_han(10_000)], [None, None]);
    }

    #[test]
    fn folding_is_final() {
        let forms = forms();
        assert!(forms.len() > 3_500, "{}", forms.len());
        for (from, to) in forms {
            assert_eq!(simplified(to), to, "{from} to {to}");
        }
    }
}
