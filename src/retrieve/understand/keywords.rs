//! The words that say what a question is about, as they were typed.

use crate::text::script::is_unspaced;
use crate::text::stopwords::is_stopword;
use crate::text::tokens::{TokenKind, tokenize};

/// What stands between the words of a Chinese question; longer ones first.
const FUNCTION_WORDS: &[&str] = &[
    "为什么",
    "什么时候",
    "怎么办",
    "怎么样",
    "是什么",
    "有哪些",
    "哪一个",
    "什么",
    "怎么",
    "怎样",
    "如何",
    "哪些",
    "哪个",
    "哪里",
    "多少",
    "是否",
    "这个",
    "那个",
    "我们",
    "你们",
    "他们",
    "可以",
    "应该",
    "需要",
    "的",
    "了",
    "是",
    "在",
    "和",
    "与",
    "及",
    "吗",
    "呢",
    "吧",
    "啊",
    "把",
    "被",
    "从",
    "于",
    "以",
    "其",
    "也",
    "都",
    "就",
    "而",
];

/// Each word once, in order.
pub(super) fn keywords(query: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut add = |word: &str| {
        if !word.is_empty() && !found.iter().any(|known| known == word) {
            found.push(word.to_owned());
        }
    };
    let mut run: Option<(usize, usize)> = None;
    for token in tokenize(query) {
        match token.kind {
            TokenKind::Single => {
                run = match run {
                    Some((start, end)) if end == token.start => Some((start, token.end)),
                    other => {
                        words_of(query, other).into_iter().for_each(&mut add);
                        Some((token.start, token.end))
                    }
                };
            }
            TokenKind::Word | TokenKind::Whole => {
                words_of(query, run.take()).into_iter().for_each(&mut add);
                if !is_stopword(&token.text) {
                    add(&query[token.start..token.end]);
                }
            }
            TokenKind::Part | TokenKind::Bigram => {}
        }
    }
    words_of(query, run).into_iter().for_each(&mut add);
    found
}

/// What is left of a run of Chinese without its function words.
fn words_of(query: &str, run: Option<(usize, usize)>) -> Vec<&str> {
    let Some((start, end)) = run else { return Vec::new() };
    debug_assert!(query[start..end].chars().all(is_unspaced));
    let (mut words, mut from, mut at) = (Vec::new(), start, start);
    while at < end {
        let rest = &query[at..end];
        if let Some(function) = FUNCTION_WORDS.iter().find(|word| rest.starts_with(**word)) {
            words.push(&query[from..at]);
            at += function.len();
            from = at;
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    words.push(&query[from..end]);
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn function_words_are_left_out() {
        assert_eq!(keywords("How do I prime the pump?"), ["prime", "pump"]);
        assert_eq!(keywords("如何启动水泵的电机？"), ["启动水泵", "电机"]);
        assert_eq!(keywords("max_retry_count的默认值是多少"), ["max_retry_count", "默认值"]);
        assert_eq!(keywords("什么是什么"), [""; 0]);
    }
}
