//! The embedded model's tokenizer, read as what it is known to be.
//!
//! `Tokenizer::from_bytes` tries every kind of tokenizer that a `tokenizer.json` may hold, which takes 30 ms of a fresh
//! process. The kind is known here: WordPiece with BERT's rules. A test compares both on arbitrary text.

use tokenizers::decoders::wordpiece::WordPiece as WordPieceDecoder;
use tokenizers::models::wordpiece::WordPiece;
use tokenizers::normalizers::BertNormalizer;
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
use tokenizers::processors::template::TemplateProcessing;
use tokenizers::{Tokenizer, TokenizerImpl, TruncationParams};

use super::model::{EMBEDDED, TOKENIZER};
use crate::error::{Error, Result};

type BertTokenizer = TokenizerImpl<WordPiece, BertNormalizer, BertPreTokenizer, TemplateProcessing, WordPieceDecoder>;

/// The tokenizer of the embedded model. It truncates texts to `max_tokens`, if that is given, and never pads them: the
/// file asks for other lengths, left over from training.
///
/// # Errors
/// The file in the program is damaged, which is a fault of the build.
pub(super) fn embedded_tokenizer(max_tokens: Option<usize>) -> Result<Tokenizer> {
    let failed = |error: tokenizers::Error| Error::failed(format!("cannot load the tokenizer of {EMBEDDED}: {error}"));
    let tokenizer: BertTokenizer = serde_json::from_slice(TOKENIZER).map_err(|error| failed(error.into()))?;
    let mut tokenizer = Tokenizer::from(tokenizer);
    let truncation = max_tokens.map(|max_length| TruncationParams { max_length, ..TruncationParams::default() });
    tokenizer.with_truncation(truncation).map_err(failed)?.with_padding(None);
    Ok(tokenizer)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::sense::share_read;
    use super::*;

    fn general(max_tokens: Option<usize>) -> Tokenizer {
        let mut tokenizer = Tokenizer::from_bytes(TOKENIZER).unwrap();
        let truncation = max_tokens.map(|max_length| TruncationParams { max_length, ..TruncationParams::default() });
        tokenizer.with_truncation(truncation).unwrap().with_padding(None);
        tokenizer
    }

    /// Both tokenizers, whole and truncating to few tokens.
    fn pairs() -> [(Tokenizer, Tokenizer); 2] {
        [None, Some(8)].map(|most| (embedded_tokenizer(most).unwrap(), general(most)))
    }

    fn compare(pairs: &[(Tokenizer, Tokenizer)], text: &str) {
        for (own, general) in pairs {
            for special in [true, false] {
                let (own, general) = (own.encode(text, special).unwrap(), general.encode(text, special).unwrap());
                assert_eq!(own.get_ids(), general.get_ids(), "{text:?}");
                assert_eq!(own.get_offsets(), general.get_offsets(), "{text:?}");
            }
            assert_eq!(share_read(own, text), share_read(general, text), "{text:?}");
        }
    }

    #[test]
    fn tokens_are_those_of_the_general_tokenizer() {
        let (long, many) = ("x".repeat(101), "pump valve ".repeat(300));
        for text in [
            "",
            " \t\r\n ",
            "How do I prime the pump?",
            "如何启动水泵？灌满水后启动。",
            "Łódź: naïve façade, Überdruck 3.5 N·m",
            "e\u{301}tude cafe\u{301}",
            "Насос необходимо заполнить водой",
            "हिन्दी ไทย 한국어 日本語 العربية",
            "a\u{0}b\u{fffd}c\u{200b}d\u{7f}e\u{ad}f",
            "👩‍🔧 repairs the 🚰!",
            "[CLS] the [MASK] pump [SEP] [PAD]x[UNK]",
            "unbelievablynonexistentwordzzzz",
            "İstanbul ﬁne Ⅷ ½ ｆｕｌｌ",
            &long,
            &many,
        ] {
            compare(&pairs(), text);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn any_text_has_the_tokens_of_the_general_tokenizer(texts in prop::collection::vec(".{0,40}", 16)) {
            let pairs = pairs();
            texts.iter().for_each(|text| compare(&pairs, text));
        }
    }
}
