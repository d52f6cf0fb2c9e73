//! Which scripts a model was taught: as its card says, or else as its vocabulary shows.

use tokenizers::Tokenizer;

use crate::text::script::{Script, script_of};

/// Languages that are written in Latin letters, by their codes.
const LATIN: &str = "af az bs ca ceb cs cy da de en eng eo es et eu fi fil fr ga gd gl ha hr ht hu id ig is it jv la lb lt lv \
                     mg mi ms mt nb nl nn no pl pt ro sk sl sm so sq su sv sw tl tr uz vi xh yo zu";

/// So many tokens of a script in a vocabulary are there because it was taught: English vocabularies have some hundred
/// letters of every script, which only keep odd texts from being unknown altogether.
const ENOUGH: [(Script, usize); 5] =
    [(Script::Latin, 1500), (Script::Han, 3000), (Script::Kana, 500), (Script::Hangul, 1000), (Script::Other, 3000)];

/// The scripts of some languages by their codes; `None` where those do not say it.
pub(super) fn of_codes(codes: &[String]) -> Option<Vec<Script>> {
    let mut scripts = Vec::new();
    for code in codes {
        let base = code.split(['-', '_']).next().unwrap_or_default();
        let own: &[Script] = match base {
            "multilingual" | "mul" => return None,
            "code" => &[],
            "zh" | "zho" | "yue" | "wuu" => &[Script::Han],
            "ja" | "jpn" => &[Script::Kana, Script::Han],
            "ko" | "kor" => &[Script::Hangul],
            _ if LATIN.split_whitespace().any(|latin| latin == base) => &[Script::Latin],
            _ => &[Script::Other],
        };
        own.iter().for_each(|script| {
            if !scripts.contains(script) {
                scripts.push(*script)
            }
        });
    }
    (!scripts.is_empty()).then_some(scripts)
}

/// The languages of a card for people.
pub(super) fn in_words(codes: &[String]) -> Option<String> {
    match codes.len() {
        0 => None,
        1..=5 => Some(codes.join(", ")),
        many => Some(many.to_string()),
    }
}

/// The scripts of which a vocabulary has more than letters.
pub(super) fn of_vocabulary(tokenizer: &Tokenizer) -> Vec<Script> {
    let mut counts = [0; ENOUGH.len()];
    for (token, id) in tokenizer.get_vocab(false) {
        // Tokens of bytes only say what they mean when they are decoded.
        let text = tokenizer.decode(&[id], false).unwrap_or(token);
        let script = text.chars().find_map(script_of);
        if let Some(place) = ENOUGH.iter().position(|(known, _)| Some(*known) == script) {
            counts[place] += 1;
        }
    }
    ENOUGH.iter().zip(counts).filter(|((_, enough), count)| count >= enough).map(|((script, _), _)| *script).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::in_repository;

    fn codes(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn codes_stand_for_scripts() {
        assert_eq!(of_codes(&codes("en de")), Some(vec![Script::Latin]));
        assert_eq!(of_codes(&codes("zh-Hant en")), Some(vec![Script::Han, Script::Latin]));
        assert_eq!(of_codes(&codes("ja ru")), Some(vec![Script::Kana, Script::Han, Script::Other]));
        assert_eq!(of_codes(&codes("en multilingual")), None);
        assert_eq!((of_codes(&codes("code")), of_codes(&[])), (None, None));
        assert_eq!(in_words(&codes("en zh")), Some("en, zh".to_owned()));
        assert_eq!(in_words(&codes("a b c d e f")), Some("6".to_owned()));
    }

    #[test]
    fn the_vocabulary_of_the_embedded_model_is_english() {
        let file = in_repository("models/tokenizer.json");
        assert_eq!(of_vocabulary(&Tokenizer::from_file(file).unwrap()), [Script::Latin]);
    }
}
