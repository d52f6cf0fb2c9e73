//! The model that is compiled into the program. `models/README.md` says where it comes from and how it was made.

use crate::text::script::Script;

/// The ONNX graph, about 23 MB.
pub(super) const ONNX: &[u8] = include_bytes!("../../models/all-MiniLM-L6-v2-int8.onnx");
pub(super) const TOKENIZER: &[u8] = include_bytes!("../../models/tokenizer.json");
pub(super) const CONFIG: &[u8] = include_bytes!("../../models/config.json");
pub(super) const SPECIAL_TOKENS: &[u8] = include_bytes!("../../models/special_tokens_map.json");
pub(super) const TOKENIZER_CONFIG: &[u8] = include_bytes!("../../models/tokenizer_config.json");

/// What must be known of a model.
#[derive(Debug)]
pub struct Model {
    /// Its name.
    pub name: &'static str,
    /// How many numbers a vector has.
    pub dimension: usize,
    /// Longer texts are cut to this many tokens.
    pub max_tokens: usize,
    /// The scripts of the languages it was taught. Text in others gets a vector that means little.
    pub scripts: &'static [Script],
}

/// The embedded default model.
pub const MODEL: Model =
    Model { name: "all-MiniLM-L6-v2-int8", dimension: 384, max_tokens: 256, scripts: &[Script::Latin] };

/// Whether something is an English word that the embedded model knows as a whole; so are some thousand names and the
/// commoner words of other languages. In small letters. The vocabulary is looked through where it stands, which takes
/// microseconds; reading it takes longer than a search by keywords.
pub fn is_known_word(word: &str) -> bool {
    !word.is_empty()
        && word.bytes().all(|byte| byte.is_ascii_lowercase())
        && memchr::memmem::find(TOKENIZER, format!("\"{word}\":").as_bytes()).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_known_as_a_whole() {
        assert!(["please", "decimal", "pump"].into_iter().all(is_known_word));
        assert!(["pleese", "decimall", "##s", "", "水泵", "Please"].into_iter().all(|word| !is_known_word(word)));
    }
}
