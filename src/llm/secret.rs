//! The key of an endpoint: never in an output, an error, a trace, the cache or the store.
//!
//! It has no `Display`, and its `Debug` hides it. Whatever comes from a server goes through [`Secret::redact`], because
//! servers echo the key they were sent, some of them in part.

use std::fmt;

use crate::error::{Error, Result};

/// So many characters of a key in a row are a part of it. Shorter ones are words.
const PART: usize = 8;
/// What stands where it was.
const MARK: &str = "[key]";

/// An API key. One shorter than eight characters is what people write for a server that wants none (`none`, `EMPTY`), and
/// is not looked for.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The key that the environment variable `variable` holds.
    ///
    /// # Errors
    /// Where it has a character that no HTTP header can have; it is not repeated.
    pub fn new(key: &str, variable: &str) -> Result<Self> {
        let key = key.trim();
        if key.is_empty() || !key.chars().all(|c| c.is_ascii_graphic()) {
            return Err(Error::usage(format!("the key in {variable} has a space or a letter that no key has"))
                .hint("set it to the key alone"));
        }
        Ok(Secret(key.to_owned()))
    }

    /// The key, for the one header that carries it.
    pub(super) fn expose(&self) -> &str {
        &self.0
    }

    /// `text` without the key and without parts of it, in whatever case.
    pub fn redact(&self, text: &str) -> String {
        let hidden = self.places(text);
        if hidden.is_empty() {
            return text.to_owned();
        }
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for (start, end) in hidden {
            out.push_str(&text[done..start]);
            out.push_str(MARK);
            done = end;
        }
        out.push_str(&text[done..]);
        out
    }

    /// Whether the key or a part of it is in a text.
    pub fn is_in(&self, text: &str) -> bool {
        !self.places(text).is_empty()
    }

    /// Where it is, as byte ranges that do not touch. The key is ASCII, so that they lie between characters.
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
        assert_eq!(key.redact("sk-Abcd…6789"), "sk-Abcd…6789", "what is too short to be of use");
        assert!(!key.is_in("x3456789y") && key.is_in("x23456789y"));
        assert_eq!(format!("{key:?}"), "Secret(…)");
    }

    #[test]
    fn a_placeholder_is_no_secret_and_a_broken_key_is_not_repeated() {
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
