//! Other words for those of a question. An unknown word is replaced by the word that it probably misspells, or by its
//! parts; a word with a star after it (`valv*`) stands for the most frequent words that begin with it. On request the
//! prefix and compound matches of all words are added.
//!
//! Words of letters are replaced. Of an identifier only the hyphen is, between its letters and its number (`E417` for
//! `E-417`): another code is something else. Words of scripts without spaces are searched for by their characters
//! anyway.

use std::collections::HashSet;

use super::note::NoteCode;
use super::request::OtherWords;
use super::retrievers::parent_chunks_with;
use super::synonyms::FoundSynonyms;
use super::trace::Trace;
use super::understand::{KeywordTerms, in_all_fields};
use super::vocabulary::{SHORTEST, Vocabulary};
use crate::embed::is_known_word;
use crate::error::Result;
use crate::store::Snapshot;
use crate::text::script::{Script, script_of};
use crate::text::stopwords::is_stopword;
use crate::text::tokens::{Token, TokenKind, tokenize, without_possessive};
use crate::text::{first_of, is_wide};

/// Longer ones are no words, and the forms one letter away from 3,000 letters took 24 s and 700 MB.
const LONGEST: usize = 64;
/// A longer question has enough known words.
const MOST_WORDS: usize = 32;
/// The weight of a replacement; a word of the question has 1.
const REPLACEMENT_WEIGHT: f32 = 0.8;
/// The weight of a word that is added to a known one.
const ADDITION_WEIGHT: f32 = 0.3;

/// Words that are searched for instead of a word of the question, or in addition to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Replacement {
    pub typed: String,
    /// The typed word as it is indexed.
    pub indexed: String,
    /// Whether no chunk has it.
    pub missing: bool,
    /// Whether it is written as a name: with a capital letter inside of the question.
    pub is_name: bool,
    /// The words that are searched for, as they are indexed; none if no other word is near.
    pub words: Vec<String>,
    /// The same as chunks write them, if the typed one is missing.
    pub written: Vec<String>,
}

impl Replacement {
    /// Whether no text has the word, and none was searched for instead.
    pub(super) fn is_absent(&self) -> bool {
        self.missing && self.words.is_empty()
    }
}

/// The question with each misspelt word as it was probably meant; `None` if it has none.
pub(super) fn corrected(query: &str, replacements: &[Replacement]) -> Option<String> {
    let mut text = String::new();
    let mut rest = 0;
    for token in tokenize(query).into_iter().filter(|token| matches!(token.kind, TokenKind::Word | TokenKind::Whole)) {
        // Several words are the parts of a compound, which says the same.
        let meant = replacements.iter().find(|one| one.missing && one.written.len() == 1 && one.indexed == token.text);
        if let Some(meant) = meant.filter(|_| token.start >= rest) {
            text.push_str(&query[rest..token.start]);
            text.push_str(&meant.written[0]);
            rest = token.end;
        }
    }
    (rest > 0).then(|| text + &query[rest..])
}

/// Adds other words to the terms of a question and returns them. Words with synonyms need none. They are looked up in
/// all namespaces together, so that they are the same for each.
pub(super) fn replace_words(
    snapshots: &[&Snapshot],
    query: &str,
    words_wanted: OtherWords,
    synonyms: &[FoundSynonyms],
    terms: &mut KeywordTerms,
) -> Result<Vec<Replacement>> {
    if words_wanted == OtherWords::Off || terms.is_empty() {
        return Ok(Vec::new());
    }
    let vocabulary = Vocabulary(snapshots);
    let mut replacements = Vec::new();
    for Replaceable { token, typed, is_name, starred } in words(query) {
        let missing = parent_chunks_with(snapshots, &token.text)? == 0;
        let known = has_synonym(&token, synonyms);
        let others = words_wanted == OtherWords::All;
        if !starred && ((missing && known) || (!missing && !others)) {
            continue;
        }
        let mut words = Vec::new();
        if starred || others {
            words = vocabulary.beginning(&typed, &token.text)?;
        }
        if token.kind == TokenKind::Word && missing && words.is_empty() {
            // A correctly spelled word is not taken for another, however near.
            let guess = if is_known_word(&typed) { None } else { vocabulary.misspelt(&typed, &token.text)? };
            words.extend(guess);
        }
        if token.kind == TokenKind::Word && (others || words.is_empty()) {
            words.extend(vocabulary.parts(&typed)?);
        }
        let is_new = |word: &&String| !terms.iter().any(|(_, text, _)| text == *word);
        let new: Vec<String> = words.iter().filter(is_new).cloned().collect();
        let weight = if missing { REPLACEMENT_WEIGHT } else { ADDITION_WEIGHT };
        terms.extend(new.iter().flat_map(|word| in_all_fields(word.clone(), weight)));
        // A name in several parts is found by them.
        if !new.is_empty() || (missing && token.kind == TokenKind::Word) {
            // What a misspelt word means may be in the question already.
            let words = if missing { words } else { new };
            let written = words.iter().filter(|_| missing).map(|word| vocabulary.as_written(word, &typed));
            let written = written.collect::<Result<_>>()?;
            replacements.push(Replacement { typed, indexed: token.text, missing, is_name, words, written });
        }
    }
    for Code { token, typed, other } in codes(query) {
        if parent_chunks_with(snapshots, &token.text)? > 0 || parent_chunks_with(snapshots, &other)? == 0 {
            continue;
        }
        terms.extend(in_all_fields(other.clone(), REPLACEMENT_WEIGHT));
        let (words, written) = (vec![other.clone()], vec![vocabulary.as_written(&other, &typed)?]);
        replacements.push(Replacement { typed, indexed: token.text, missing: true, is_name: false, words, written });
    }
    Ok(replacements)
}

/// A word of a question that may be written with another hyphen.
struct Code {
    token: Token,
    typed: String,
    other: String,
}

/// The codes of a question, each once.
fn codes(query: &str) -> Vec<Code> {
    let mut known = HashSet::new();
    let words = tokenize(query).into_iter().filter(|token| matches!(token.kind, TokenKind::Word | TokenKind::Whole));
    let code = |token: Token| {
        let (typed, other) = (query[token.start..token.end].to_owned(), with_other_hyphen(&token.text)?);
        known.insert(token.text.clone()).then_some(Code { token, typed, other })
    };
    words.filter_map(code).take(MOST_WORDS).collect()
}

/// A code of letters and a number with a hyphen between them, or without the one that it has.
fn with_other_hyphen(code: &str) -> Option<String> {
    let (letters, number) = code.split_at(code.find(|c: char| c.is_ascii_digit())?);
    let plain = letters.strip_suffix('-');
    let is_code = |letters: &str| !letters.is_empty() && letters.chars().all(|c| c.is_ascii_alphabetic());
    let is_one = is_code(plain.unwrap_or(letters)) && number.chars().all(|c| c.is_ascii_digit());
    is_one.then(|| plain.map_or_else(|| format!("{letters}-{number}"), |plain| format!("{plain}{number}")))
}

/// Whether a word belongs to a name with synonyms.
fn has_synonym(token: &Token, synonyms: &[FoundSynonyms]) -> bool {
    synonyms.iter().any(|synonym| tokenize(&synonym.typed).iter().any(|own| own.text == token.text))
}

struct Replaceable {
    token: Token,
    /// As it was typed, in small letters.
    typed: String,
    is_name: bool,
    starred: bool,
}

/// The words of a question that can be replaced, each once.
fn words(query: &str) -> Vec<Replaceable> {
    let mut known = HashSet::new();
    let capitals = capitals_are_names(query);
    tokenize(query)
        .into_iter()
        .filter(|token| matches!(token.kind, TokenKind::Word | TokenKind::Whole) && !is_stopword(&token.text))
        .map(|token| {
            let typed = without_possessive(&query[token.start..token.end].to_lowercase()).to_owned();
            let starred = query[token.end..].starts_with('*');
            let is_capital = query[token.start..].starts_with(char::is_uppercase);
            let is_name = capitals && is_capital && !starts_sentence(query, token.start);
            Replaceable { token, typed, is_name, starred }
        })
        .filter(|Replaceable { token, typed, .. }| {
            let letters = typed.chars().filter(|c| script_of(*c) == Some(Script::Latin)).count();
            let only_letters = letters == typed.chars().count();
            (SHORTEST..=LONGEST).contains(&letters)
                && (only_letters || token.kind == TokenKind::Whole)
                && known.insert(token.text.clone())
        })
        .take(MOST_WORDS)
        .collect()
}

/// Whether a capital letter inside of a sentence tells a name that texts write alike: not in a title, not in German,
/// whose nouns have one, and not in Chinese, which may have its own name for it.
fn capitals_are_names(query: &str) -> bool {
    if query.chars().any(is_wide) {
        return false;
    }
    let words: Vec<&str> = query.split_whitespace().filter(|word| word.starts_with(char::is_alphabetic)).collect();
    words.iter().filter(|word| word.starts_with(char::is_uppercase)).count() * 2 <= words.len()
}

/// Whether a sentence begins at this place.
fn starts_sentence(query: &str, at: usize) -> bool {
    let before = query[..at].trim_end_matches(|c: char| c.is_whitespace() || "\"“'(*-".contains(c));
    before.is_empty() || before.ends_with(['.', '!', '?', ':', ';', '。', '！', '？'])
}

/// Notes which words were searched for instead of missing ones.
pub(super) fn add_notes(replacements: &[Replacement], trace: &mut Trace) {
    for one in replacements.iter().filter(|one| one.missing && !one.words.is_empty()) {
        let written: Vec<String> = one.written.iter().map(|word| format!("{word:?}")).collect();
        let message = format!("no text contains {:?}; searched for {}", one.typed, written.join(", "));
        trace.note(NoteCode::WordReplaced, message);
    }
}

/// Notes which words of a question no text has, for one that was answered without them.
pub(super) fn note_absent(
    snapshots: &[&Snapshot],
    identifiers: &[String],
    replacements: &[Replacement],
    trace: &mut Trace,
) -> Result<()> {
    // `please` is no subject.
    let tells = |one: &&Replacement| one.is_absent() && (one.is_name || !is_known_word(&one.typed));
    let mut absent: Vec<String> = replacements.iter().filter(tells).map(|one| format!("{:?}", one.typed)).collect();
    // What is found for `E99` may be about `E05`. The number of a code may stand apart from its letters.
    let is_replaced = |code: &str| replacements.iter().any(|one| one.typed == code);
    let codes = identifiers.iter().filter(|code| code.contains(|c: char| c.is_ascii_digit()) && !is_replaced(code));
    for code in codes {
        let has_digit = |token: &Token| token.text.contains(|c: char| c.is_ascii_digit());
        let forms: Vec<Token> = tokenize(code).into_iter().filter(has_digit).collect();
        let mut is_there = forms.is_empty();
        for form in forms {
            is_there |= parent_chunks_with(snapshots, &form.text)? > 0;
        }
        if !is_there {
            absent.push(format!("{code:?}"));
        }
    }
    if !absent.is_empty() {
        trace.note(NoteCode::WordMissing, format!("no text contains {}", first_of(absent.into_iter())));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_for_a_word_is_not_replaced() {
        let of = |length: usize| words(&"x".repeat(length)).len();
        assert_eq!([of(SHORTEST - 1), of(SHORTEST), of(LONGEST), of(LONGEST + 1), of(100_000)], [0, 1, 1, 0, 0]);
    }

    #[test]
    fn a_part_of_a_word_with_a_synonym_has_none() {
        let synonyms = [FoundSynonyms::new("Support desk", vec!["help line".into()])];
        let known = |word: &str| has_synonym(&words(word)[0].token, &synonyms);
        assert!(known("support") && known("desks") && !known("port"));
    }

    #[test]
    fn only_words_of_letters_and_names_from_programs_are_replaced() {
        let found = |query| words(query).into_iter().map(|one| one.typed).collect::<Vec<_>>();
        assert_eq!(found("How is the Primming of 水泵 E-417 max_retry H200?"), ["primming", "max_retry"]);
    }

    #[test]
    fn a_code_is_written_with_a_hyphen_or_without() {
        let other = |code| with_other_hyphen(code);
        assert_eq!((other("e417"), other("e-417")), (Some("e-417".into()), Some("e417".into())));
        for code in ["417", "e", "e-417a", "v1.2", "-417", "e417-2"] {
            assert_eq!(other(code), None, "{code}");
        }
    }

    #[test]
    fn a_capital_inside_of_a_sentence_tells_a_name() {
        let names = |query: &str| -> Vec<String> {
            words(query).into_iter().filter(|one| one.is_name).map(|one| one.typed).collect()
        };
        assert_eq!(names("What was Tesla's revenue in the year of Kraft?"), ["tesla", "kraft"]);
        assert_eq!(names("My pump beeps. \"Please explain how to silence it\""), [] as [&str; 0]);
        assert_eq!(names("WHAT IS THE WARRANTY PERIOD"), [] as [&str; 0]);
        assert_eq!(names("谁是Tesla的总裁"), [] as [&str; 0]);
        assert_eq!(names("Welche Garantiezeit hat die Pumpe Modell Sieben"), [] as [&str; 0]);
    }

    #[test]
    fn misspelt_words_of_a_question_are_corrected_and_others_stay() {
        let one = |typed: &str, written: &[&str]| Replacement {
            typed: typed.into(),
            indexed: tokenize(typed)[0].text.clone(),
            missing: true,
            written: written.iter().map(|word| (*word).to_owned()).collect(),
            ..Replacement::default()
        };
        let found = [one("bakup", &["backup"]), one("waterpump", &["water", "pump"])];
        assert_eq!(corrected("When is the Bakup of 水泵?", &found).as_deref(), Some("When is the backup of 水泵?"));
        assert_eq!(corrected("waterpump", &found), None);
        assert_eq!(corrected("a bakup, two bakups", &found).as_deref(), Some("a backup, two backup"));
        assert_eq!(corrected("backups", &found), None);
    }
}
