//! The embedded model's tokenizer. Its vocabulary borrows from the file in the program.
//!
//! The library's own WordPiece copies the 30,000 entries into two maps, which takes 10 ms in a fresh process. The
//! library still normalises, splits into words and adds special tokens. A test compares both on arbitrary text.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use tokenizers::decoders::wordpiece::WordPiece as WordPieceDecoder;
use tokenizers::models::wordpiece::WordPieceTrainer;
use tokenizers::normalizers::BertNormalizer;
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
use tokenizers::processors::template::TemplateProcessing;
use tokenizers::{AddedToken, Model, Token, TokenizerImpl};

use super::model::TOKENIZER;

/// The initial capacity.
const ENTRIES: usize = 30_522;

pub(super) type EmbeddedTokenizer =
    TokenizerImpl<Vocabulary, BertNormalizer, BertPreTokenizer, TemplateProcessing, WordPieceDecoder>;

/// The tokenizer in the program. It neither truncates nor pads.
pub(super) fn read_tokenizer() -> EmbeddedTokenizer {
    let file: File<'static> = serde_json::from_slice(TOKENIZER).expect("the tokenizer in the program is valid");
    let mut tokenizer = EmbeddedTokenizer::new(Vocabulary(Arc::new(file.model)));
    tokenizer.with_normalizer(Some(file.normalizer)).expect("no token is normalised yet");
    tokenizer.with_pre_tokenizer(Some(file.pre_tokenizer)).with_post_processor(Some(file.post_processor));
    tokenizer.add_special_tokens(file.added_tokens).expect("the special tokens are in the vocabulary");
    tokenizer
}

/// The parts of `tokenizer.json`.
#[derive(Deserialize)]
struct File<'f> {
    added_tokens: Vec<AddedToken>,
    normalizer: BertNormalizer,
    pre_tokenizer: BertPreTokenizer,
    post_processor: TemplateProcessing,
    #[serde(borrow)]
    model: WordPiece<'f>,
}

#[derive(Deserialize)]
struct WordPiece<'f> {
    #[serde(borrow)]
    vocab: Entries<'f>,
    unk_token: String,
    continuing_subword_prefix: String,
    max_input_chars_per_word: usize,
}

/// The ids of tokens.
struct Entries<'f>(HashMap<Cow<'f, str>, u32>);

/// A token; one with an escape cannot be borrowed.
#[derive(Deserialize, PartialEq, Eq, Hash)]
struct Entry<'f>(#[serde(borrow)] Cow<'f, str>);

impl<'de: 'f, 'f> Deserialize<'de> for Entries<'f> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EntriesVisitor;

        impl<'de> Visitor<'de> for EntriesVisitor {
            type Value = HashMap<Cow<'de, str>, u32>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("tokens with their ids")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut ids = HashMap::with_capacity(ENTRIES);
                while let Some((Entry(token), id)) = map.next_entry()? {
                    ids.insert(token, id);
                }
                Ok(ids)
            }
        }

        deserializer.deserialize_map(EntriesVisitor).map(Entries)
    }
}

/// WordPiece (Schuster and Nakajima, 2012): takes the longest entry at the beginning of a word, then the longest at the
/// beginning of the rest, and so on. Entries that continue a word have a prefix.
#[derive(Clone)]
pub(super) struct Vocabulary(Arc<WordPiece<'static>>);

impl Vocabulary {
    fn unknown(&self, word: &str) -> tokenizers::Result<Vec<Token>> {
        let unknown = &self.0.unk_token;
        let id = self.token_to_id(unknown).ok_or("the vocabulary has no token for unknown words")?;
        Ok(vec![Token::new(id, unknown.clone(), (0, word.len()))])
    }

    fn longest(&self, word: &str, start: usize) -> Option<Token> {
        let prefix = if start == 0 { "" } else { &self.0.continuing_subword_prefix };
        let mut entry = format!("{prefix}{}", &word[start..]);
        while entry.len() > prefix.len() {
            if let Some(id) = self.token_to_id(&entry) {
                let end = start + entry.len() - prefix.len();
                return Some(Token::new(id, entry, (start, end)));
            }
            entry.pop();
        }
        None
    }
}

impl Model for Vocabulary {
    type Trainer = WordPieceTrainer;

    fn tokenize(&self, word: &str) -> tokenizers::Result<Vec<Token>> {
        if word.chars().count() > self.0.max_input_chars_per_word {
            return self.unknown(word);
        }
        let (mut tokens, mut start) = (Vec::new(), 0);
        while start < word.len() {
            let Some(token) = self.longest(word, start) else { return self.unknown(word) };
            start = token.offsets.1;
            tokens.push(token);
        }
        Ok(tokens)
    }

    fn token_to_id(&self, token: &str) -> Option<u32> {
        self.0.vocab.0.get(token).copied()
    }

    fn id_to_token(&self, id: u32) -> Option<String> {
        self.0.vocab.0.iter().find(|(_, own)| **own == id).map(|(token, _)| token.to_string())
    }

    fn get_vocab(&self) -> HashMap<String, u32> {
        self.0.vocab.0.iter().map(|(token, id)| (token.to_string(), *id)).collect()
    }

    fn get_vocab_size(&self) -> usize {
        self.0.vocab.0.len()
    }

    /// Never called.
    fn save(&self, _folder: &Path, _prefix: Option<&str>) -> tokenizers::Result<Vec<PathBuf>> {
        Err("the vocabulary in the program is not saved".into())
    }

    fn get_trainer(&self) -> WordPieceTrainer {
        WordPieceTrainer::default()
    }
}
