//! How many tokens a text has.
//!
//! Counted with the tokenizer of the embedded model (WordPiece, every Han character one token), not estimated from
//! characters: it is in the program anyway, and loading it adds 60 ms to a command (measured in a development build,
//! where the command itself takes 60). Other models' tokenizers count somewhat differently.

use tokenizers::Tokenizer;

use super::model;
use crate::error::{Error, Result};

/// Counts tokens.
pub struct TokenCounter {
    tokenizer: Tokenizer,
}

impl TokenCounter {
    /// Loads the tokenizer.
    ///
    /// # Errors
    /// Where it cannot be read; it is part of the program, so that would be a fault of the build.
    pub fn load() -> Result<Self> {
        let fail = |error| Error::failed(format!("cannot load the tokenizer of {}: {error}", super::MODEL.name));
        let mut tokenizer = Tokenizer::from_bytes(model::TOKENIZER).map_err(fail)?;
        // The file says how texts are cut and filled up for the model; here the whole of them is counted.
        tokenizer.with_truncation(None).map_err(fail)?;
        tokenizer.with_padding(None);
        Ok(TokenCounter { tokenizer })
    }

    /// The number of tokens in `text`, without those that a model puts around it.
    ///
    /// # Errors
    /// Where the tokenizer fails.
    pub fn count(&self, text: &str) -> Result<usize> {
        self.tokenizer
            .encode_fast(text, false)
            .map(|encoding| encoding.len())
            .map_err(|error| Error::failed(format!("cannot count the tokens of a text: {error}")))
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
}
