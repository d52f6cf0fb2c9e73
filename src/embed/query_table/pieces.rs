//! A text as pieces of a vocabulary: words that are known as a whole, and others by their longest known beginnings.
//!
//! The vocabulary is that of the embedded model, whatever model a table stands in for: here a piece is only what has a
//! row. So the cut need not be that model's to the last accent, only the same when a table is fitted and when it is
//! asked, and a table carries the vocabulary that it was fitted with. It lies there as one sorted text that is searched
//! by halves: there is nothing to build when a table is opened.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::error::{Error, Result};

/// What stands in front of a piece that goes on with a word.
const GOES_ON: &str = "##";
/// Longer words are no words, as for the tokenizer of the embedded model.
pub(super) const LONGEST_WORD: usize = 100;
/// Shorter words may well be one letter each.
const LEAST_SPELT: usize = 3;

/// Known pieces, each by its place in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Vocabulary {
    /// One behind the other, sorted.
    text: String,
    /// Where each ends.
    ends: Vec<u32>,
}

/// A text, cut.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Pieces {
    /// The places of its pieces.
    pub known: Vec<u32>,
    /// How many words and signs are not made of any.
    pub unknown: usize,
    /// How many letters it has.
    pub letters: usize,
    /// How many of them are in words of which more is known than single letters.
    pub read: usize,
}

impl Vocabulary {
    /// The vocabulary in a `tokenizer.json` of Hugging Face.
    ///
    /// # Errors
    /// Where it has none.
    pub fn of_tokenizer(json: &[u8]) -> Result<Self> {
        let read: serde_json::Value = serde_json::from_slice(json)
            .map_err(|error| Error::failed(format!("the tokenizer of the embedded model cannot be read: {error}")))?;
        let words = read["model"]["vocab"].as_object();
        let words = words.ok_or_else(|| Error::failed("the tokenizer of the embedded model has no vocabulary"))?;
        Ok(Vocabulary::of(words.keys().map(String::as_str)))
    }

    /// A vocabulary of these pieces.
    pub fn of<'p>(pieces: impl Iterator<Item = &'p str>) -> Self {
        let mut pieces: Vec<&str> = pieces.filter(|piece| !piece.is_empty()).collect();
        pieces.sort_unstable();
        pieces.dedup();
        let mut vocabulary = Vocabulary { text: String::new(), ends: Vec::with_capacity(pieces.len()) };
        for piece in pieces {
            vocabulary.text.push_str(piece);
            vocabulary.ends.push(vocabulary.text.len() as u32);
        }
        vocabulary
    }

    /// The vocabulary of this text, cut at these ends; `None` where they are not such.
    pub fn joined(text: String, ends: Vec<u32>) -> Option<Self> {
        let mut start = 0;
        for &end in &ends {
            if end <= start || !text.is_char_boundary(end as usize) {
                return None;
            }
            start = end;
        }
        (start as usize == text.len()).then_some(Vocabulary { text, ends })
    }

    /// The text of all pieces and where each ends, as [`joined`](Self::joined) takes them.
    pub fn parts(&self) -> (&str, &[u32]) {
        (&self.text, &self.ends)
    }

    /// How many pieces it has.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    fn piece(&self, place: usize) -> &str {
        let start = if place == 0 { 0 } else { self.ends[place - 1] as usize };
        &self.text[start..self.ends[place] as usize]
    }

    fn find(&self, piece: &str) -> Option<u32> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = (low + high) / 2;
            match self.piece(middle).cmp(piece) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(middle as u32),
            }
        }
        None
    }

    /// Cuts a text, as far as `most` pieces; where more follows, that is not known.
    pub fn cut(&self, text: &str, most: usize) -> Pieces {
        let mut pieces = Pieces::default();
        for word in words(text) {
            if pieces.known.len() >= most {
                pieces.unknown += 1;
                break;
            }
            let known = pieces.known.len();
            let letters = word.chars().filter(|c| c.is_alphabetic()).count();
            pieces.letters += letters;
            if self.cut_word(&word, &mut pieces.known) {
                // As the model judges its own tokens: what is only spelt it has never learnt.
                let is_spelt = letters >= LEAST_SPELT && pieces.known.len() - known >= letters;
                pieces.read += if is_spelt { 0 } else { letters };
            } else {
                pieces.known.truncate(known);
                pieces.unknown += 1;
            }
        }
        pieces.unknown += usize::from(pieces.known.len() > most);
        pieces.known.truncate(most);
        pieces
    }

    /// Adds the pieces of a word; whether it is made of pieces.
    fn cut_word(&self, word: &str, known: &mut Vec<u32>) -> bool {
        if word.chars().count() > LONGEST_WORD {
            return false;
        }
        let mut start = 0;
        let mut looked_for = String::with_capacity(word.len() + GOES_ON.len());
        while start < word.len() {
            let ends = word[start..].char_indices().map(|(at, c)| start + at + c.len_utf8());
            let longest = ends.rev().find_map(|end| {
                looked_for.clear();
                if start > 0 {
                    looked_for.push_str(GOES_ON);
                }
                looked_for.push_str(&word[start..end]);
                Some((self.find(&looked_for)?, end))
            });
            let Some((place, end)) = longest else { return false };
            known.push(place);
            start = end;
        }
        true
    }
}

/// The words of a text in small letters without accents; every sign and every ideograph is one.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> {
    let mut words: Vec<String> = Vec::new();
    let mut within = false;
    for c in text.nfd().filter(|&c| !is_combining_mark(c)).flat_map(char::to_lowercase) {
        let alone = crate::text::is_wide(c) || !c.is_alphanumeric();
        if c.is_whitespace() || c.is_control() {
            within = false;
        } else if let (true, false, Some(word)) = (within, alone, words.last_mut()) {
            word.push(c);
        } else {
            words.push(c.to_string());
            within = !alone;
        }
    }
    words.into_iter()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::embed::model::TOKENIZER;

    fn small() -> Vocabulary {
        Vocabulary::of(["pump", "##s", "##ing", "the", "?", "泵", "p", "##u", "", "pump"].into_iter())
    }

    fn cut(vocabulary: &Vocabulary, text: &str) -> (Vec<String>, usize) {
        let pieces = vocabulary.cut(text, 100);
        (pieces.known.iter().map(|&place| vocabulary.piece(place as usize).to_owned()).collect(), pieces.unknown)
    }

    #[test]
    fn words_are_cut_into_their_longest_known_pieces() {
        let of = |text| cut(&small(), text);
        assert_eq!(of("The PÚMPS?"), (vec!["the".into(), "pump".into(), "##s".into(), "?".into()], 0));
        assert_eq!(of("pumping pu"), (vec!["pump".into(), "##ing".into(), "p".into(), "##u".into()], 0));
        assert_eq!(of("水泵"), (vec!["泵".into()], 1), "every ideograph is a word");
        assert_eq!(of("pumpy valve"), (Vec::new(), 2), "a word that has no end has no beginning either");
        assert_eq!(of(""), (Vec::new(), 0));
        let (cut, whole) = (small().cut("the the the", 2), small().cut("the the the", 3));
        assert_eq!((cut.known.len(), cut.unknown, whole.unknown), (2, 1, 0), "what was cut off is not known");
        let spelt = Vocabulary::of(["p", "##u", "##m", "pum"].into_iter());
        assert_eq!((spelt.cut("pum", 9).read, spelt.cut("pumpu", 9).read, spelt.cut("pu", 9).read), (3, 0, 2));
        assert_eq!(
            (spelt.cut("puu pum x", 9).read, spelt.cut("puu pum x", 9).letters),
            (3, 7),
            "spelt, whole, unknown"
        );
    }

    #[test]
    fn a_vocabulary_is_its_parts() {
        let (text, ends) = (small().text, small().ends);
        assert_eq!(Vocabulary::joined(text.clone(), ends.clone()), Some(small()));
        for wrong in [vec![], vec![1], vec![3, 2], vec![u32::MAX], [ends.clone(), vec![99]].concat()] {
            assert_eq!(Vocabulary::joined(text.clone(), wrong), None);
        }
        assert_eq!(Vocabulary::joined("泵".to_owned(), vec![1, 3]), None, "not within a character");
    }

    #[test]
    fn english_is_cut_as_the_tokenizer_of_the_model_cuts_it() {
        let vocabulary = Vocabulary::of_tokenizer(TOKENIZER).unwrap();
        let tokenizer = tokenizers::Tokenizer::from_bytes(TOKENIZER).unwrap();
        for text in
            ["What is the aeroelastic similarity of heated, high-speed aircraft?", "Łódź: naïve façade, 3.5 N·m"]
        {
            let theirs: Vec<String> = tokenizer
                .encode(text, false)
                .unwrap()
                .get_tokens()
                .iter()
                .filter(|one| *one != "[PAD]")
                .cloned()
                .collect();
            assert_eq!(cut(&vocabulary, text).0, theirs);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_cut_without_an_end_in_the_middle(text in "\\PC{0,60}") {
            let vocabulary = small();
            let pieces = vocabulary.cut(&text, 50);
            prop_assert!(pieces.known.iter().all(|&place| (place as usize) < vocabulary.len()));
            prop_assert!(pieces.known.len() + pieces.unknown <= text.nfd().count() * 3);
        }
    }
}
