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
