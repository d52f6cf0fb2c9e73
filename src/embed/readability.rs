//! How well a model can read a text, judged by its tokens.
//!
//! A tokenizer always gives tokens. For a language that it was not made for, they are unknown tokens or single letters,
//! and the vector means little. So this counts the letters in words with longer known tokens.

use std::ops::Range;

use tokenizers::Encoding;

use super::tokens::Encode;
use crate::text::script::is_unspaced;

/// The names of unknown tokens.
const UNKNOWN: [&str; 3] = ["[UNK]", "<unk>", "<|unk|>"];
/// A shorter word counts as read even if each letter is a token.
const LEAST_LETTERS: usize = 3;

/// The share of a text's letters, from 0 to 1, in words that the tokenizer knows, whole or in parts. It is 1 for a text
/// without letters, because numbers belong to no language, and if the tokenizer fails.
pub(super) fn readable_share(tokenizer: &impl Encode, text: &str) -> f32 {
    let Ok(encoding) = tokenizer.encoded_by_chars(text) else { return 1.0 };
    let chars: Vec<char> = text.chars().collect();
    let (mut all, mut read) = (0usize, 0usize);
    for word in words(&encoding) {
        let letters = |(start, end): (usize, usize)| {
            chars.get(start..end).unwrap_or_default().iter().filter(|c| c.is_alphabetic()).count()
        };
        let tokens = &encoding.get_offsets()[word.clone()];
        let unknown = encoding.get_tokens()[word].iter().any(|token| UNKNOWN.contains(&token.as_str()));
        let span = (tokens.first().map_or(0, |first| first.0), tokens.last().map_or(0, |last| last.1));
        let own = letters(span);
        let is_spaced = !chars.get(span.0..span.1).unwrap_or_default().iter().any(|c| is_unspaced(*c));
        let is_spelt = is_spaced && own >= LEAST_LETTERS && tokens.iter().all(|token| letters(*token) <= 1);
        all += own;
        if !unknown && !is_spelt {
            read += own;
        }
    }
    if all == 0 { 1.0 } else { read as f32 / all as f32 }
}

/// The tokens of each word.
fn words(encoding: &Encoding) -> impl Iterator<Item = Range<usize>> {
    let mut end = 0;
    encoding.get_word_ids().chunk_by(|a, b| a.is_some() && a == b).map(move |word| {
        end += word.len();
        end - word.len()..end
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::tokens::embedded_tokenizer;

    fn share(text: &str) -> f32 {
        readable_share(&embedded_tokenizer(None), text)
    }

    #[test]
    fn known_words_count_as_read_and_unknown_or_spelt_ones_do_not() {
        assert_eq!(share("How is the centrifugal pump primed?"), 1.0);
        assert!(share("Wie wird die Kreiselpumpe entlüftet?") > 0.9);
        assert!(share("Насос необходимо заполнить водой") < 0.5);
        assert!(share("灌满水后启动离心泵，检查轴承温度") < 0.6);
        let half = share("the pump насос необходимо");
        assert!((0.2..0.8).contains(&half), "{half}");
        assert_eq!((share("E-417 3.5"), share(""), share("12 34")), (1.0, 1.0, 1.0));
    }
}
