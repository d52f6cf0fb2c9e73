//! The key of an endpoint, which never appears in an output, an error, a trace, the cache or the store.
//!
//! It has no `Display`, and its `Debug` hides it. All text from a server goes through [`Secret::redact`], because
//! servers echo the key or a part of it.

use std::fmt;

use crate::error::{Error, Result};

/// The shortest part of a key that is hidden, in characters. Shorter sequences may be words.
const PART: usize = 8;
const MARK: &str = "[key]";

/// An API key. People write short ones (`none`, `EMPTY`) for servers without keys; those are not redacted.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// A key that the environment variable `variable` holds. The error does not repeat the key.
    pub fn new(key: &str, variable: &str) -> Result<Self> {
        let key = key.trim();
        if key.is_empty() || !key.chars().all(|c| c.is_ascii_graphic()) {
            return Err(Error::usage(format!("the key in {variable} is empty or contains an invalid character"))
                .hint("set it to the key and nothing else"));
        }
        Ok(Secret(key.to_owned()))
    }

    /// For the one header that carries it.
    pub(super) fn expose(&self) -> &str {
        &self.0
    }

    /// `text` without the key and its parts, in any case.
    pub fn redact(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for (start, end) in self.places(text) {
            out.push_str(&text[done..start]);
            out.push_str(MARK);
            done = end;
        }
        out.push_str(&text[done..]);
        out
    }

    /// Whether a text contains the key or a part of it.
    pub fn is_in(&self, text: &str) -> bool {
        !self.places(text).is_empty()
    }

    /// Byte ranges of the key's parts. They do not touch each other. The key is ASCII, so the ranges end between
    /// characters.
    fn places(&self, text: &str) -> Vec<(usize, usize)> {
        let (key, text) = (self.0.to_ascii_lowercase(), text.to_ascii_lowercase());
        let parts: Vec<&[u8]> = key.as_bytes().windows(PART).collect();
        let mut places: Vec<(usize, usize)> = Vec::new();
        for (start, window) in text.as_bytes().windows(PART).enumerate() {
            if !parts.contains(&window) {
                continue;
            }
            match places.last_mut() {
                Some(last) if start <= last.1 => last.1 = start + PART,
                _ => places.push((start, start + PART)),
            }
        }
        places
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_hidden_whole_and_in_parts() {
        let key = Secret::new("sk-Abcdef123456789", "KEY").unwrap();
        assert_eq!(key.redact("bad key sk-Abcdef123456789, 泵"), "bad key [key], 泵");
        assert_eq!(key.redact("SK-ABCDEF123456789!"), "[key]!");
        assert_eq!(key.redact("ends in 23456789"), "ends in [key]");
        assert_eq!(key.redact("sk-Abcd…6789"), "sk-Abcd…6789", "too short to be useful");
        assert!(!key.is_in("x3456789y") && key.is_in("x23456789y"));
        assert_eq!(format!("{key:?}"), "Secret(…)");
    }

    #[test]
    fn placeholders_are_not_redacted_and_bad_keys_are_not_repeated() {
        assert_eq!(Secret::new("none", "KEY").unwrap().redact("none of it"), "none of it");
        for bad in ["", "sk-with space", "sk-ключ-12345678"] {
            let error = Secret::new(bad, "MY_KEY").unwrap_err();
            assert!(
                error.message().contains("MY_KEY") && (bad.is_empty() || !error.to_line().contains(bad)),
                "{error}"
            );
        }
    }
}
