//! Phrases in the keyword index: words that stand one behind the other, in a passage's text or in its titles.
//!
//! Tokens carry positions: a word one, an identifier one for each of its parts (the whole has that of its first part), a
//! character of a script without spaces one, with the pair that it begins. So a phrase is its words, whole identifiers
//! with their parts, and pairs. As everywhere in the index, capitals and endings do not count.

use std::collections::HashSet;

use tantivy::Term;
use tantivy::query::{BooleanQuery, ConstScoreQuery, Occur, PhraseQuery, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption};

use super::keyword::{KeywordField, KeywordReader};
use super::scope::Scope;
use crate::error::Result;
use crate::text::tokens::{TokenKind, tokenize};

/// Of more passages than this that have a phrase, the best by their words are taken: it tells too little to be worth
/// reading them all.
pub const MOST_WITH_PHRASE: usize = 5_000;

/// Words with their places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase {
    words: Vec<(usize, String)>,
}

impl Phrase {
    /// The phrase that a text is; `None` where it has no word.
    pub fn of(text: &str) -> Option<Self> {
        let tokens = tokenize(text);
        // A character has its say only where it is in no pair.
        let pairs = tokens.iter().filter(|token| token.kind == TokenKind::Bigram);
        let paired: HashSet<usize> = pairs.flat_map(|token| [token.position, token.position + 1]).collect();
        let first = tokens.first()?.position;
        let words = tokens
            .iter()
            .filter(|token| token.kind != TokenKind::Single || !paired.contains(&token.position))
            .map(|token| (token.position - first, token.text.clone()))
            .collect();
        Some(Phrase { words })
    }

    fn query(&self, field: Field) -> Box<dyn Query> {
        let mut terms: Vec<(usize, Term)> =
            self.words.iter().map(|(place, text)| (*place, Term::from_field_text(field, text))).collect();
        if terms.len() == 1 {
            return Box::new(TermQuery::new(terms.remove(0).1, IndexRecordOption::Basic));
        }
        Box::new(PhraseQuery::new_with_offset(terms))
    }
}

impl KeywordReader {
    /// The parent chunks that have all the phrases, each in their text or in their titles, of those in a scope. The
    /// best by `terms` come first.
    pub(super) fn with_phrases(
        &self,
        phrases: &[Phrase],
        terms: &[(KeywordField, String, f32)],
        scope: &Scope,
    ) -> Result<Vec<String>> {
        let fields = [KeywordField::Content, KeywordField::Context].map(|field| self.field(field));
        let has = |phrase: &Phrase| -> Box<dyn Query> {
            let somewhere = fields.iter().map(|field| (Occur::Should, phrase.query(*field))).collect();
            // It only says which passages: their scores are those of the words.
            Box::new(ConstScoreQuery::new(Box::new(BooleanQuery::new(somewhere)), 0.0))
        };
        let mut clauses: Vec<(Occur, Box<dyn Query>)> =
            phrases.iter().map(|phrase| (Occur::Must, has(phrase))).collect();
        clauses.push((Occur::Should, Box::new(self.query(terms, &Scope::Everything))));
        clauses.extend(self.among(scope).map(|among| (Occur::Must, among)));
        let hits = self.top(&BooleanQuery::new(clauses), None, MOST_WITH_PHRASE)?;
        Ok(hits.into_iter().map(|hit| hit.chunk_id).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<(usize, String)> {
        Phrase::of(text).map_or_else(Vec::new, |phrase| phrase.words)
    }

    #[test]
    fn a_phrase_is_words_with_their_places() {
        let expected =
            |list: &[(usize, &str)]| list.iter().map(|(at, text)| (*at, (*text).to_owned())).collect::<Vec<_>>();
        assert_eq!(words("prime the Pump"), expected(&[(0, "prime"), (1, "the"), (2, "pump")]));
        assert_eq!(words("启动水泵"), expected(&[(0, "启动"), (1, "动水"), (2, "水泵")]));
        assert_eq!(words("泵"), expected(&[(0, "泵")]));
        assert_eq!(words("用LaTeX排版"), expected(&[(0, "用"), (1, "latex"), (2, "排版")]));
        assert_eq!(words("error E-417"), expected(&[(0, "error"), (1, "e-417"), (1, "e"), (2, "417")]));
        assert_eq!(Phrase::of("…"), None);
    }
}
