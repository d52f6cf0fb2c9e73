//! How well a model can read a text, by what its tokenizer makes of it.
//!
//! A tokenizer always gives something. Of a language that it was not made for it gives unknown tokens, or falls back to
//! single letters, and the vector that comes of those says little. So the letters are counted that stand in words of which it
//! knows more than that.

use tokenizers::{Encoding, Tokenizer};

use crate::text::script::is_unspaced;

/// What tokenizers call a token that they do not know.
const UNKNOWN: [&str; 3] = ["[UNK]", "<unk>", "<|unk|>"];
/// Shorter words may well be one letter each.
const LEAST_LETTERS: usize = 3;

/// The share of a text's letters, from 0 to 1, that are in words which a tokenizer knows, whole or in pieces. Of text without
/// letters that is all: numbers belong to no language. Where the tokenizer fails, nothing is known against the text.
pub(super) fn share_read(tokenizer: &Tokenizer, text: &str) -> f32 {
    let Ok(encoding) = tokenizer.encode_char_offsets(text, false) else { return 1.0 };
    let chars: Vec<char> = text.chars().collect();
    let (mut all, mut read) = (0usize, 0usize);
    for word in words(&encoding) {
        let letters = |(start, end): (usize, usize)| {
            chars.get(start..end).unwrap_or_default().iter().filter(|c| c.is_alphabetic()).count()
        };
        let pieces = &encoding.get_offsets()[word.clone()];
        let unknown = encoding.get_tokens()[word].iter().any(|token| UNKNOWN.contains(&token.as_str()));
        let span = (pieces.first().map_or(0, |first| first.0), pieces.last().map_or(0, |last| last.1));
        let own = letters(span);
        let is_spaced = !chars.get(span.0..span.1).unwrap_or_default().iter().any(|c| is_unspaced(*c));
        let is_spelt = is_spaced && own >= LEAST_LETTERS && pieces.iter().all(|piece| letters(*piece) <= 1);
        all += own;
        if !unknown && !is_spelt {
            read += own;
        }
    }
    if all == 0 { 1.0 } else { read as f32 / all as f32 }
}

/// The tokens of each word.
fn words(encoding: &Encoding) -> Vec<std::ops::Range<usize>> {
    let mut words: Vec<std::ops::Range<usize>> = Vec::new();
    let mut last = None;
    for (at, word) in encoding.get_word_ids().iter().enumerate() {
        match words.last_mut() {
            Some(open) if last == Some(*word) && word.is_some() => open.end = at + 1,
            _ => words.push(at..at + 1),
        }
        last = Some(*word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::model::TOKENIZER;

    fn share(text: &str) -> f32 {
        let mut tokenizer = Tokenizer::from_bytes(TOKENIZER).unwrap();
        tokenizer.with_truncation(None).unwrap().with_padding(None);
        share_read(&tokenizer, text)
    }

    #[test]
    fn words_that_are_known_in_pieces_are_read_and_spelt_ones_are_not() {
        assert_eq!(share("How is the centrifugal pump primed?"), 1.0);
        assert!(share("Wie wird die Kreiselpumpe entlüftet?") > 0.9);
        assert!(share("Насос необходимо заполнить водой") < 0.5);
        assert!(share("灌满水后启动离心泵，检查轴承温度") < 0.6);
        let half = share("the pump насос необходимо");
        assert!((0.2..0.8).contains(&half), "{half}");
        assert_eq!((share("E-417 3.5"), share(""), share("12 34")), (1.0, 1.0, 1.0));
    }
}
