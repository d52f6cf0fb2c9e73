//! How many tokens a text has.
//!
//! Counted with the tokenizer of the embedded model (WordPiece, every Han character one token), not estimated from
//! characters: it is in the program anyway, and loading it adds 60 ms to a command (measured in a development build,
//! where the command itself takes 60). Other models' tokenizers count somewhat differently.
//!
//! These are tokens for whoever reads a result, a language model mostly (`--max-tokens`); so it is not the tokenizer of
//! the model that a store has its vectors of, and `--tokenizer` names a better one. Chunks are measured in characters:
//! they are the same whichever model embeds them.

use std::sync::{Arc, OnceLock};

use tokenizers::Tokenizer;

use super::model;
use crate::error::{Error, Result, plain_io};

/// Counts tokens.
pub struct TokenCounter {
    /// What it was made of.
    name: String,
    way: Way,
}

enum Way {
    Tokenizer(Box<Tokenizer>),
    /// So many characters are one token.
    Characters(usize),
}

impl TokenCounter {
    /// Loads the tokenizer.
    ///
    /// # Errors
    /// Where it cannot be read; it is part of the program, so that would be a fault of the build.
    pub fn load() -> Result<Self> {
        TokenCounter::of_file(model::TOKENIZER, model::EMBEDDED)
    }

    /// The tokenizer of the embedded model, loaded once per process.
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

    /// What `--tokenizer` names: `chars/4` counts every four characters as a token, anything else is a `tokenizer.json`
    /// of Hugging Face.
    ///
    /// # Errors
    /// Where the file cannot be read or is no tokenizer.
    pub fn named(name: &str) -> Result<Self> {
        const HINT: &str = "name a tokenizer.json, or chars/N for a token every N characters, like chars/4";
        if let Some(number) = name.strip_prefix("chars/") {
            return number
                .parse()
                .ok()
                .and_then(TokenCounter::of_characters)
                .ok_or_else(|| Error::usage(format!("{name:?} is no way to count tokens")).hint(HINT));
        }
        let bytes = std::fs::read(name).map_err(|error| {
            Error::usage(format!("cannot read the tokenizer {name}: {}", plain_io(&error))).hint(HINT)
        })?;
        TokenCounter::of_file(&bytes, name).map_err(|error| Error::usage(error.message()).hint(HINT))
    }

    /// Counts every `number` characters as a token, begun ones too; `None` for 0.
    pub fn of_characters(number: usize) -> Option<Self> {
        (number > 0).then(|| TokenCounter { name: format!("chars/{number}"), way: Way::Characters(number) })
    }

    fn of_file(bytes: &[u8], name: &str) -> Result<Self> {
        let fail = |error| Error::failed(format!("cannot load the tokenizer {name}: {error}"));
        let mut tokenizer = Tokenizer::from_bytes(bytes).map_err(fail)?;
        // The file says how texts are cut and filled up for the model; here the whole of them is counted.
        tokenizer.with_truncation(None).map_err(fail)?;
        tokenizer.with_padding(None);
        Ok(TokenCounter { name: name.to_owned(), way: Way::Tokenizer(Box::new(tokenizer)) })
    }

    /// What it was made of: the model, the file, `chars/4`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of tokens in `text`, without those that a model puts around it.
    ///
    /// # Errors
    /// Where the tokenizer fails.
    pub fn count(&self, text: &str) -> Result<usize> {
        match &self.way {
            Way::Characters(number) => Ok(crate::text::char_count(text).div_ceil(*number)),
            Way::Tokenizer(tokenizer) => tokenizer
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

/// Those of the same name count alike.
impl PartialEq for TokenCounter {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_texts_are_counted_and_han_characters_are_one_each() {
        let counter = TokenCounter::load().unwrap();
        assert_eq!(counter.count("prime the pump").unwrap(), 3);
        assert_eq!(counter.count("启动水泵").unwrap(), 4);
        assert_eq!(counter.count(&"pump ".repeat(1000)).unwrap(), 1000, "neither cut nor filled up");
        assert_eq!(counter.count("").unwrap(), 0);
    }

    #[test]
    fn other_ways_to_count_are_named() {
        let by_characters = TokenCounter::named("chars/4").unwrap();
        assert_eq!((by_characters.count("启动水泵!").unwrap(), by_characters.count("").unwrap()), (2, 0));
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path.display().to_string()
        };
        let same = TokenCounter::named(&file("tokenizer.json", model::TOKENIZER)).unwrap();
        assert_eq!(same.count("prime the pump").unwrap(), 3);
        for wrong in ["chars/0", "chars/x", "/nowhere/tokenizer.json", &file("broken.json", b"{}")] {
            let error = TokenCounter::named(wrong).unwrap_err();
            assert!(error.message().contains(wrong) && error.next_step().unwrap().contains("chars/4"), "{error}");
        }
    }
}
