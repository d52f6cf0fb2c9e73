//! Words too common to distinguish questions. The index keeps them, because phrases need them; keyword queries leave
//! them out unless the question has no other words.

use std::collections::BTreeSet;

/// English function and question words in their indexed (stemmed) form, sorted.
const ENGLISH: &[&str] = &[
    "a", "about", "all", "am", "an", "and", "ani", "any", "are", "as", "at", "be", "becaus", "been", "but", "by",
    "can", "could", "did", "do", "doe", "does", "done", "each", "for", "from", "had", "has", "have", "he", "her",
    "hers", "him", "his", "how", "i", "if", "in", "into", "is", "it", "its", "just", "me", "mine", "more", "most",
    "my", "no", "nor", "not", "of", "on", "one", "or", "our", "out", "over", "she", "should", "so", "some", "such",
    "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "too", "under",
    "up", "us", "was", "we", "were", "what", "when", "where", "whi", "which", "while", "who", "whom", "whose", "will",
    "with", "would", "you", "your",
];

/// Verbs before the ending `n't` or `nt`, as in `won't` and `isnt`.
const NEGATED: [&str; 15] =
    ["are", "ca", "could", "did", "do", "does", "had", "has", "have", "is", "should", "was", "were", "wo", "would"];

/// Chinese function words in indexed form: bigrams and single characters.
const CHINESE: &[&str] = &[
    "的", "了", "是", "在", "和", "与", "及", "吗", "呢", "吧", "啊", "么", "什", "哪", "谁", "啥", "怎", "这", "那",
    "之", "也", "都", "就", "而", "被", "把", "从", "对", "于", "以", "为", "其", "个", "们", "着", "过", "会", "能",
    "有", "什么", "怎么", "怎样", "如何", "哪些", "哪个", "哪里", "是否", "多少", "为什", "么是", "是什", "的是",
    "了什", "么样", "这个", "那个", "我们", "你们", "他们",
];

/// Characters that are hardly ever more than a function word.
const FUNCTION_CHARACTERS: &str = "的了是吗呢吧啊么什怎哪谁啥这那就都也";

/// Whether an indexed pair of characters mostly spans two words, because one of them is a function word.
pub fn spans_words(pair: &str) -> bool {
    pair.contains(|c: char| FUNCTION_CHARACTERS.contains(c))
}

/// Whether an indexed token is a function word.
pub fn is_stopword(token: &str) -> bool {
    let negated = token.strip_suffix("n't").or_else(|| token.strip_suffix("nt"));
    ENGLISH.binary_search(&token).is_ok()
        || CHINESE.contains(&token)
        || negated.is_some_and(|verb| NEGATED.contains(&verb))
}

/// The words that distinguish a question: those that are no function words, unless it has only those.
pub fn informative(words: BTreeSet<String>) -> BTreeSet<String> {
    let informative: BTreeSet<String> = words.iter().filter(|word| !is_stopword(word)).cloned().collect();
    if informative.is_empty() { words } else { informative }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokens::{TokenKind, tokenize};

    #[test]
    fn the_english_list_is_sorted() {
        assert!(ENGLISH.is_sorted());
    }

    #[test]
    fn function_words_are_stopwords_and_subjects_are_not() {
        let words = tokenize("Why won't it start, and wont it stop? It doesn’t, isnt, can't.");
        for word in words.iter().filter(|word| word.kind != TokenKind::Part) {
            assert!(is_stopword(&word.text) || ["start", "stop"].contains(&word.text.as_str()), "{word:?}");
        }
        assert!(is_stopword("the") && is_stopword("whi") && is_stopword("什么"));
        assert!(!is_stopword("pump") && !is_stopword("水泵"));
    }
}
