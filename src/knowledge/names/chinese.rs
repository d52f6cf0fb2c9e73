//! Finds names that Chinese prose defines: 以下简称, 又称, 即, and brackets with an abbreviation.

use super::abbreviation::{has_words_for, is_abbreviation, long_form_at_start};
use super::english::brackets;
use super::name::{Definition, LISTS, occurrences, trimmed};
use crate::text::is_wide;

/// The longest name at the start of a text, in characters.
const LONGEST: usize = 24;
/// The longest name without marks in front of its definition, in characters.
const LONGEST_UNMARKED: usize = 12;

/// Characters between a name and its definition.
const IN_BETWEEN: [char; 5] = ['，', '（', '(', ' ', ','];
const ENDS: [char; 22] = [
    '，', '。', '；', '：', '、', '！', '？', '（', '）', '(', ')', ',', ';', ':', '“', '”', '「', '」', '《', '》',
    '"', '|',
];

pub(super) fn definitions(sentence: &str) -> Vec<Definition> {
    if !sentence.contains(is_wide) {
        return Vec::new();
    }
    let mut found: Vec<Definition> =
        brackets(sentence).filter_map(|(before, inside)| bracketed(before, inside)).collect();
    found.extend(occurrences(sentence, &LISTS.chinese.short).filter_map(|(before, after)| shortened(before, after)));
    found.extend(occurrences(sentence, &LISTS.chinese.also).filter_map(|(before, after)| also(before, after)));
    found.extend(that_is(sentence));
    found.extend(abbreviation_of(sentence));
    found
}

/// `变频调速器（VFD）`.
fn bracketed(before: &str, inside: &str) -> Option<Definition> {
    let short = inside.rsplit([',', '，', ';', '；']).next().map(trimmed)?;
    if !is_abbreviation(short)
        || !before.ends_with(|c: char| is_wide(c) && c.is_alphanumeric() || matches!(c, '”' | '》'))
    {
        return None;
    }
    let unmarked = || unmarked_at_end(before).filter(|name| has_words_for(short, name));
    Definition::of(short, marked_at_end(before).or_else(unmarked)?)
}

/// `…环境保护法（以下简称环保法）`.
fn shortened(before: &str, after: &str) -> Option<Definition> {
    let short = name_at_start(after)?;
    if short.starts_with('本') || LISTS.chinese.generic.iter().any(|generic| generic == short) {
        return None;
    }
    // A short name whose characters are not from the long one is accepted only in a bracket.
    let bound = before.trim_end().ends_with(['（', '(']);
    let before = before.trim_end_matches(IN_BETWEEN);
    let unmarked = || {
        let clause = clause_at_end(before);
        let whole = || Some(behind_first_words(clause)).filter(|_| bound);
        made_of(short, clause).or_else(whole).filter(|long| !long.contains(&LISTS.chinese.not_inside[..]))
    };
    let long = marked_at_end(before).or_else(unmarked)?;
    (long.chars().count() <= LONGEST * 2).then(|| Definition::of(short, long))?
}

/// `离心泵又称离心式水泵`.
fn also(before: &str, after: &str) -> Option<Definition> {
    let other = name_at_start(after)?;
    let before = before.trim_end_matches(IN_BETWEEN);
    let unmarked = || {
        let clause = behind_first_words(clause_at_end(before));
        let fits = !clause.contains(&LISTS.chinese.not_inside[..]) && clause.chars().count() <= LONGEST_UNMARKED;
        fits.then_some(clause)
    };
    Definition::of(other, marked_at_end(before).or_else(unmarked)?)
}

/// `PUE，即电能利用效率`. Between two Chinese names 即 has too many other meanings, unless both are in marks.
fn that_is(sentence: &str) -> Option<Definition> {
    let (before, after) = sentence.split_once("，即").or_else(|| sentence.split_once(", 即"))?;
    let after = after.trim_start_matches(['：', ':', ' ']);
    let word = trimmed(before.rsplit(|c: char| is_wide(c) || c.is_whitespace()).next()?);
    if is_abbreviation(word) {
        let english = after.starts_with(|c: char| c.is_ascii_alphabetic());
        let first = after.split(ENDS).next()?;
        return match english {
            true => Definition::of(word, long_form_at_start(word, first)?),
            false => Definition::of(word, name_at_start(after)?),
        };
    }
    let marked = after.starts_with(['“', '「', '《']);
    marked.then(|| Definition::of(name_at_start(after)?, marked_at_end(before)?))?
}

/// `PUE 是 Power Usage Effectiveness 的缩写`, `PUE 的全称是 …`.
fn abbreviation_of(sentence: &str) -> Option<Definition> {
    if let Some((before, after)) = sentence.split_once("全称") {
        let before = before.trim_end_matches(['的', '，', ' ', '英', '文', '（']);
        let word = trimmed(before.rsplit(|c: char| is_wide(c) || c.is_whitespace()).next()?);
        let after = after.trim_start_matches(['是', '为', '：', ':', ' ', '叫']);
        if is_abbreviation(word) {
            return match after.starts_with(is_wide) {
                true => Definition::of(word, name_at_start(after)?),
                false => Definition::of(word, long_form_at_start(word, after.split(ENDS).next()?)?),
            };
        }
    }
    let (before, _) = ["的英文缩写", "的缩写", "的简称"].iter().find_map(|marker| sentence.split_once(marker))?;
    let (short, long) = before.rsplit_once('是').or_else(|| before.rsplit_once('为'))?;
    let short = trimmed(short.rsplit(|c: char| is_wide(c) || c.is_whitespace()).find(|part| !part.is_empty())?);
    let long = trimmed(long);
    let fits = long.starts_with(is_wide) || long_form_at_start(short, long) == Some(long);
    (is_abbreviation(short) && fits && long.chars().count() <= LONGEST * 2).then(|| Definition::of(short, long))?
}

/// The text in the marks at the end of a text: `…《泵站管理办法》`.
fn marked_at_end(text: &str) -> Option<&str> {
    let (open, close) =
        [('《', '》'), ('“', '”'), ('「', '」')].into_iter().find(|(_, close)| text.ends_with(*close))?;
    let inside = &text[..text.len() - close.len_utf8()];
    let start = inside.rfind(open)? + open.len_utf8();
    Some(&inside[start..])
}

/// The text after the last punctuation mark.
fn clause_at_end(text: &str) -> &str {
    text.rsplit(ENDS).next().unwrap_or(text).trim()
}

/// A clause without the words before its name: `泵站条例` of `根据泵站条例`.
fn behind_first_words(clause: &str) -> &str {
    let mut rest = clause;
    while let Some(shorter) = LISTS.chinese.in_front.iter().find_map(|word| rest.strip_prefix(word.as_str())) {
        rest = shorter;
    }
    rest
}

/// The name without marks at the end of a text: the characters after the last word that can precede a name.
fn unmarked_at_end(text: &str) -> Option<&str> {
    let clause = clause_at_end(text);
    let wide = clause.char_indices().rev().take_while(|(_, c)| is_wide(*c)).last().map_or(clause.len(), |(at, _)| at);
    let run = &clause[wide..];
    let ends = LISTS.chinese.in_front.iter().filter_map(|word| run.rfind(word.as_str()).map(|at| at + word.len()));
    let name = &run[ends.max().unwrap_or(0)..];
    let length = name.chars().count();
    let proven = !name.starts_with(&LISTS.chinese.no_beginning[..])
        && !name.contains(&LISTS.chinese.not_inside[..])
        && !LISTS.chinese.empty.iter().any(|word| word == name);
    (proven && (2..=LONGEST_UNMARKED).contains(&length)).then_some(name)
}

/// The shortest end of a clause that has all characters of a short name in order and begins with the first.
fn made_of<'a>(short: &str, clause: &'a str) -> Option<&'a str> {
    let mut end = clause.len();
    for c in short.chars().rev() {
        end = clause[..end].rfind(c)?;
    }
    let long = &clause[end..];
    (long.chars().count() > short.chars().count()).then_some(long)
}

/// The name at the beginning of a text: in marks, or up to the next punctuation mark.
fn name_at_start(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(['：', ':', ' ', '为', '作']);
    let marked = [('“', '”'), ('「', '」'), ('《', '》'), ('"', '"')].into_iter().find_map(|(open, close)| {
        let inside = text.strip_prefix(open)?;
        inside.find(close).map(|end| &inside[..end])
    });
    let unmarked = || {
        let name = text.split(ENDS).next()?;
        // The sentence may go on without punctuation.
        let words = ["的", "是", "和", "与", "或", "及", "等", "应", "可以", "用于"];
        let end = words.iter().filter_map(|word| name.find(word)).min();
        Some(&name[..end.unwrap_or(name.len())])
    };
    let name = trimmed(marked.or_else(unmarked)?);
    (!name.contains('、') && (2..=LONGEST).contains(&name.chars().count())).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::super::tests::found;

    #[test]
    fn short_names_are_found_with_what_they_stand_for() {
        for (text, short, long) in [
            ("根据中华人民共和国环境保护法（以下简称环保法），", "环保法", "环境保护法"),
            ("本规程依据《泵站技术管理规程》（以下简称《规程》）制定。", "规程", "泵站技术管理规程"),
            ("北京云泵科技有限公司（以下简称“云泵”）负责。", "云泵", "云泵科技有限公司"),
            ("电能利用效率（简称：能效比）不大于 1.4。", "能效比", "电能利用效率"),
            ("南水北调工程，以下简称南调，全长千里。", "南调", "南水北调工程"),
            ("离心泵又称离心式水泵，用于排水。", "离心式水泵", "离心泵"),
            ("闸阀（也称闸板阀）启闭缓慢。", "闸板阀", "闸阀"),
            ("能耗用 PUE，即电能利用效率，来衡量。", "PUE", "电能利用效率"),
            ("PUE，即 Power Usage Effectiveness，越小越好。", "PUE", "Power Usage Effectiveness"),
            ("PUE 是 Power Usage Effectiveness 的缩写。", "PUE", "Power Usage Effectiveness"),
            ("PUE 的全称是电能利用效率。", "PUE", "电能利用效率"),
            ("该校推出了通用字符集（UCS）。", "UCS", "通用字符集"),
            ("每台水泵采用变频调速器（VFD）控制。", "VFD", "变频调速器"),
            ("变频调速器（Variable Frequency Drive，VFD）控制。", "VFD", "变频调速器"),
            ("变频调速器（Variable Frequency Drive，VFD）控制。", "VFD", "Variable Frequency Drive"),
        ] {
            assert!(found(text).contains(&format!("{short} = {long}")), "{text}: {:?}", found(text));
        }
    }
}
