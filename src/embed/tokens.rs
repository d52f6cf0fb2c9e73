//! How many tokens a text has.
//!
//! Counted with the tokenizer of the embedded model (WordPiece, every Han character one token), not estimated from
//! characters. Tokenizers of other models count somewhat differently. The count is for the reader of a result, mostly a
//! language model (`max_tokens`); so it does not use the tokenizer of the store's embedding model, and the setting
//! `tokenizer` names a better one. Chunks are measured in characters: they are the same whichever model embeds them.

use std::sync::{Arc, OnceLock};

use tokenizers::Tokenizer;

use super::model::EMBEDDED;
use super::wordpiece::embedded_tokenizer;
use crate::error::{Error, Result, plain_io};

/// Counts tokens. Counters of the same name count alike.
pub struct TokenCounter {
    name: String,
    method: Method,
}

enum Method {
    Tokenizer(Box<Tokenizer>),
    /// This many characters are one token.
    Characters(usize),
}

impl TokenCounter {
    /// Counts with the tokenizer of the embedded model.
    ///
    /// # Errors
    /// The file in the program is damaged, which is a fault of the build.
    pub fn load() -> Result<Self> {
        embedded_tokenizer(None).map(|tokenizer| TokenCounter::of_tokenizer(tokenizer, EMBEDDED))
    }

    /// As [`load`](Self::load), once per process.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    pub fn shared() -> Result<Arc<Self>> {
        static LOADED: OnceLock<Arc<TokenCounter>> = OnceLock::new();
        if let Some(counter) = LOADED.get() {
            return Ok(counter.clone());
        }
        let counter = Arc::new(TokenCounter::load()?);
        Ok(LOADED.get_or_init(|| counter).clone())
    }

    /// The counter that the setting `tokenizer` names: `chars/4` counts every four characters as a token, anything else is
    /// the path of a `tokenizer.json` of Hugging Face.
    ///
    /// # Errors
    /// The file cannot be read or is no tokenizer.
    pub fn named(name: &str) -> Result<Self> {
        let usage = |message: String| {
            Error::usage(message).hint("name a tokenizer.json, or chars/N for a token every N characters, like chars/4")
        };
        if let Some(number) = name.strip_prefix("chars/") {
            let counter = number.parse().ok().and_then(TokenCounter::of_characters);
            return counter.ok_or_else(|| usage(format!("{name:?} is not a way to count tokens")));
        }
        let bytes = std::fs::read(name).map_err(|error| {
            usage(format!("cannot read the tokenizer {name}: {}", plain_io(&error))).caused_by(error)
        })?;
        let failed = |error: tokenizers::Error| usage(format!("cannot load the tokenizer {name}: {error}"));
        let mut tokenizer = Tokenizer::from_bytes(bytes).map_err(failed)?;
        // The file says how texts are truncated and padded for the model; here the whole text counts.
        tokenizer.with_truncation(None).map_err(failed)?.with_padding(None);
        Ok(TokenCounter::of_tokenizer(tokenizer, name))
    }

    /// Counts every `number` characters as a token, rounded up; `None` for 0.
    pub fn of_characters(number: usize) -> Option<Self> {
        (number > 0).then(|| TokenCounter { name: format!("chars/{number}"), method: Method::Characters(number) })
    }

    fn of_tokenizer(tokenizer: Tokenizer, name: &str) -> Self {
        TokenCounter { name: name.to_owned(), method: Method::Tokenizer(Box::new(tokenizer)) }
    }

    /// The model, the file, or `chars/4`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of tokens in `text`, without those that a model puts around it.
    ///
    /// # Errors
    /// The tokenizer fails.
    pub fn count(&self, text: &str) -> Result<usize> {
        match &self.method {
            Method::Characters(number) => Ok(crate::text::char_count(text).div_ceil(*number)),
            Method::Tokenizer(tokenizer) => tokenizer
                .encode_fast(text, false)
                .map(|encoding| encoding.len())
                .map_err(|error| Error::failed(format!("cannot count the tokens of a text: {error}"))),
        }
    }
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
    use super::*;
    use crate::embed::model::TOKENIZER;

    #[test]
    fn whole_texts_are_counted_and_han_characters_are_one_each() {
        let counter = TokenCounter::load().unwrap();
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
}
