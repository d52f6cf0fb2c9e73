//! Chinese: orders and the past.

use std::sync::LazyLock;

use serde::Deserialize;

use super::Cues;
use crate::text::script::is_han;

/// The word lists of `chinese.toml`, documented there.
#[derive(Debug, Deserialize)]
pub(super) struct Lists {
    pub(super) sentences: Vec<Cues>,
    pub(super) titles: Vec<Cues>,
    verbs: Vec<String>,
    fillers: Vec<String>,
    general: Vec<String>,
    ended: Vec<String>,
}

pub(super) static LISTS: LazyLock<Lists> =
    LazyLock::new(|| toml::from_str(include_str!("chinese.toml")).expect("chinese.toml is part of the program"));

/// The share of a sentence, from 0 to 1, in clauses that give an order.
pub(in crate::knowledge::profile) fn share_of_orders(sentence: &str) -> f32 {
    let clauses = sentence.split(['，', '；', '：', '。', '、', ',', ';']).filter(|clause| clause.chars().any(is_han));
    let (mut orders, mut all) = (0usize, 0usize);
    for clause in clauses {
        let size = clause.chars().filter(|c| is_han(*c)).count();
        all += size;
        orders += if is_order(clause) { size } else { 0 };
    }
    orders as f32 / all.max(1) as f32
}

fn is_order(clause: &str) -> bool {
    let mut rest = clause.trim_start();
    while let Some(after) = LISTS.fillers.iter().find_map(|filler| rest.strip_prefix(filler.as_str())) {
        rest = after.trim_start();
    }
    LISTS.verbs.iter().any(|verb| rest.starts_with(verb.as_str()))
}

/// Whether a sentence reports the past: it has a date or a word like `了` or `曾`, and makes no rule.
pub(in crate::knowledge::profile) fn is_past(sentence: &str) -> bool {
    if LISTS.general.iter().any(|word| sentence.contains(word.as_str())) {
        return false;
    }
    LISTS.ended.iter().any(|word| sentence.contains(word.as_str())) || has_date(sentence)
}

/// `1902 年`, `三月`, `两点十四分`; not `零点` and `百日`, which are seldom dates.
fn has_date(sentence: &str) -> bool {
    let mut before: Vec<char> = Vec::new();
    for c in sentence.chars().filter(|c| !c.is_whitespace()) {
        let digit = |c: &char| c.is_ascii_digit() || "〇一二三四五六七八九十两".contains(*c);
        let digits = before.iter().rev().take_while(|c| digit(c)).count();
        match c {
            '年' if digits >= 4 => return true,
            '月' | '日' | '点' if (1..=3).contains(&digits) => return true,
            _ => before.push(c),
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_that_begins_with_a_verb_is_an_order() {
        assert_eq!(share_of_orders("先切断电源，打开阀门。"), 1.0);
        assert_eq!(share_of_orders("阀门由电机驱动。"), 0.0);
        assert!((share_of_orders("打开阀门，水便流出。") - 0.5).abs() < 0.01);
        assert_eq!(share_of_orders("1234"), 0.0);
    }

    #[test]
    fn the_past_shows_in_a_date_or_a_word() {
        assert!(is_past("1902 年，兄弟二人开了一间作坊。"));
        assert!(is_past("会议于三月十四日召开。"));
        assert!(is_past("会议决定将重试次数上限由三次改为五次。"));
        assert!(!is_past("员工应于每月五日前提交。"));
        assert!(!is_past("压力取决于温度。"));
    }
}
