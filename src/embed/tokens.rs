//! The embedded model's tokenizer, and how many tokens a text has.
//!
//! kb counts with the tokenizer of the embedded model (WordPiece, one token per Han character) and does not estimate
//! from characters. Tokenizers of other models count somewhat differently. The count is for the reader of a result,
//! mostly a language model (`max_tokens`); so it does not use the tokenizer of the store's embedding model, and the
//! setting `tokenizer` names a better one. Chunks are measured in characters, so they do not depend on the embedding
//! model.

use std::sync::{Arc, LazyLock};

use tokenizers::{
    Decoder, Encoding, Model, Normalizer, PostProcessor, PreTokenizer, Tokenizer, TokenizerImpl, TruncationParams,
};

use super::model::EMBEDDED;
use super::wordpiece::{EmbeddedTokenizer, read_tokenizer};
use crate::error::{Error, Result, plain_io};

/// Begins the name of a counter of characters; other names are files.
const CHARACTERS: &str = "chars/";

/// The tokenizer of the embedded model. It truncates texts to `max_tokens`, if given, and never pads them. The lengths
/// in the file are left over from training and are ignored.
pub(super) fn embedded_tokenizer(max_tokens: Option<usize>) -> EmbeddedTokenizer {
    let mut tokenizer = read_tokenizer();
    let truncation = max_tokens.map(|max_length| TruncationParams { max_length, ..TruncationParams::default() });
    tokenizer.with_truncation(truncation).expect("no overlap of cut texts is asked for");
    tokenizer
}

/// Any tokenizer.
pub(super) trait Encode: Send + Sync {
    /// The tokens of a text without special ones, with offsets in bytes.
    fn encoded(&self, text: &str) -> tokenizers::Result<Encoding>;

    /// The same with offsets in characters.
    fn encoded_by_chars(&self, text: &str) -> tokenizers::Result<Encoding>;

    /// How many tokens a text has, without special ones.
    fn counted(&self, text: &str) -> tokenizers::Result<usize>;
}

impl<M, N, PT, PP, D> Encode for TokenizerImpl<M, N, PT, PP, D>
where
    M: Model + Send + Sync,
    N: Normalizer + Send + Sync,
    PT: PreTokenizer + Send + Sync,
    PP: PostProcessor + Send + Sync,
    D: Decoder + Send + Sync,
{
    fn encoded(&self, text: &str) -> tokenizers::Result<Encoding> {
        self.encode(text, false)
    }

    fn encoded_by_chars(&self, text: &str) -> tokenizers::Result<Encoding> {
        self.encode_char_offsets(text, false)
    }

    fn counted(&self, text: &str) -> tokenizers::Result<usize> {
        self.encode_fast(text, false).map(|encoding| encoding.len())
    }
}

/// Counts tokens. Counters with the same name are equal.
pub struct TokenCounter {
    name: String,
    method: Method,
}

enum Method {
    Tokenizer(Box<dyn Encode>),
    /// This many characters are one token.
    Characters(usize),
}

impl TokenCounter {
    /// The counter with the tokenizer of the embedded model, loaded once per process.
    pub fn shared() -> Arc<Self> {
        static LOADED: LazyLock<Arc<TokenCounter>> =
            LazyLock::new(|| Arc::new(TokenCounter::of_tokenizer(embedded_tokenizer(None), EMBEDDED)));
        LOADED.clone()
    }

    /// The counter that the setting `tokenizer` names: `chars/4` counts a token for every four characters; anything
    /// else is the path of a `tokenizer.json` of Hugging Face.
    ///
    /// # Errors
    /// The file cannot be read or is no tokenizer.
    pub fn named(name: &str) -> Result<Self> {
        let usage = |message: String| {
            Error::usage(message).hint("name a tokenizer.json, or chars/N for a token every N characters, like chars/4")
        };
        if let Some(number) = name.strip_prefix(CHARACTERS) {
            let counter = number.parse().ok().and_then(TokenCounter::of_characters);
            return counter.ok_or_else(|| usage(format!("{name:?} is not a way to count tokens")));
        }
        let bytes = std::fs::read(name).map_err(|error| {
            usage(format!("cannot read the tokenizer {name}: {}", plain_io(&error))).caused_by(error)
        })?;
        let failed = |error: tokenizers::Error| usage(format!("cannot load the tokenizer {name}: {error}"));
        let mut tokenizer = Tokenizer::from_bytes(bytes).map_err(failed)?;
        // The file truncates and pads for the model; the count is of the whole text.
        tokenizer.with_truncation(None).map_err(failed)?.with_padding(None);
        Ok(TokenCounter::of_tokenizer(tokenizer.into_inner(), name))
    }

    /// Whether a name stands for a file.
    pub fn is_file(name: &str) -> bool {
        !name.starts_with(CHARACTERS)
    }

    /// Counts a token for every `number` characters, rounded up; `None` for 0.
    pub fn of_characters(number: usize) -> Option<Self> {
        (number > 0).then(|| TokenCounter { name: format!("{CHARACTERS}{number}"), method: Method::Characters(number) })
    }

    fn of_tokenizer(tokenizer: impl Encode + 'static, name: &str) -> Self {
        TokenCounter { name: name.to_owned(), method: Method::Tokenizer(Box::new(tokenizer)) }
    }

    /// The name of the model, the path of the file, or `chars/4`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of tokens in `text`, without special ones.
    ///
    /// # Errors
    /// The tokenizer fails.
    pub fn count(&self, text: &str) -> Result<usize> {
        match &self.method {
            Method::Characters(number) => Ok(crate::text::char_count(text).div_ceil(*number)),
            Method::Tokenizer(tokenizer) => tokenizer
                .counted(text)
                .map_err(|error| Error::failed(format!("cannot count the tokens of a text: {error}"))),
        }
    }
}

/// The number of tokens in a text by kb's own tokenizer; that of a model behind an endpoint counts slightly
/// differently.
pub fn token_count(text: &str) -> u64 {
    // No text has more tokens than characters.
    TokenCounter::shared().count(text).unwrap_or_else(|_| crate::text::char_count(text)) as u64
}

impl std::fmt::Debug for TokenCounter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("TokenCounter").field(&self.name).finish()
    }
}

impl PartialEq for TokenCounter {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::embed::model::TOKENIZER;
    use crate::embed::readability::readable_share;

    #[test]
    fn whole_texts_are_counted_and_han_characters_are_one_each() {
        let counter = TokenCounter::shared();
        assert_eq!(counter.count("prime the pump").unwrap(), 3);
        assert_eq!(counter.count("启动水泵").unwrap(), 4);
        assert_eq!(counter.count(&"pump ".repeat(1000)).unwrap(), 1000, "neither truncated nor padded");
        assert_eq!(counter.count("").unwrap(), 0);
    }

    #[test]
    fn a_counter_can_be_named_by_characters_or_by_file() {
        let by_characters = TokenCounter::named("chars/4").unwrap();
        assert_eq!((by_characters.count("启动水泵!").unwrap(), by_characters.count("").unwrap()), (2, 0));
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path.display().to_string()
        };
        let same = TokenCounter::named(&file("tokenizer.json", TOKENIZER)).unwrap();
        assert_eq!(same.count("prime the pump").unwrap(), 3);
        for wrong in ["chars/0", "chars/x", "/nowhere/tokenizer.json", &file("broken.json", b"{}")] {
            let error = TokenCounter::named(wrong).unwrap_err();
            assert!(error.message().contains(wrong) && error.next_step().unwrap().contains("chars/4"), "{error}");
        }
    }

    fn general(max_tokens: Option<usize>) -> Tokenizer {
        let mut tokenizer = Tokenizer::from_bytes(TOKENIZER).unwrap();
        let truncation = max_tokens.map(|max_length| TruncationParams { max_length, ..TruncationParams::default() });
        tokenizer.with_truncation(truncation).unwrap().with_padding(None);
        tokenizer
    }

    /// Both tokenizers, without truncation and with truncation to few tokens.
    fn pairs() -> [(EmbeddedTokenizer, Tokenizer); 2] {
        [None, Some(8)].map(|most| (embedded_tokenizer(most), general(most)))
    }

    fn compare(pairs: &[(EmbeddedTokenizer, Tokenizer)], text: &str) {
        for (own, general) in pairs {
            for special in [true, false] {
                let (own, general) = (own.encode(text, special).unwrap(), general.encode(text, special).unwrap());
                assert_eq!(own.get_ids(), general.get_ids(), "{text:?}");
                assert_eq!(own.get_offsets(), general.get_offsets(), "{text:?}");
            }
            assert_eq!(readable_share(own, text), readable_share(&**general, text), "{text:?}");
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
