//! Understands a question by rules alone: its kind, and the words, phrases, identifiers and quantities in it. English
//! and Chinese alike. Pure functions: the question in, plain data out.
//!
//! It feeds the route ([`Route`]), and the caller can override each part of that.

mod contents;
mod kind;
mod part;
mod route;
mod words;

use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;
use serde::Serialize;

pub use contents::Wanted;
pub(super) use contents::{contents_of, document_named};
pub use part::AskedPart;
pub(super) use part::{section_named, section_of_document};
pub use route::{KeywordTerms, Route, keyword_terms};
pub(super) use route::{in_all_fields, is_in_capitals};
pub(super) use words::is_of_any_document;

use super::encoder::VectorModel;
use super::note::NoteCode;
use super::request::{Kind, Method, SearchRequest};
use super::trace::Trace;
use crate::embed::Model;
use crate::error::{Error, NextStep, Result};
use crate::knowledge::profile;
use crate::text::han::in_simplified;

/// From this certainty on, a question prefers text of its kind.
const SURE: f32 = 0.7;

/// A question as the stages of a search see it.
pub(super) struct Question<'s> {
    pub request: &'s SearchRequest,
    pub understood: Understanding,
    pub route: Route,
    pub terms: KeywordTerms,
    pub model: &'s VectorModel,
    pub now: Timestamp,
}

impl Question<'_> {
    /// The model that embeds it; `None` if it is left to keyword search.
    pub(super) fn embedded_by(&self) -> Option<&Arc<Model>> {
        self.model.model().filter(|_| self.route.semantic > 0.0)
    }

    /// Takes the language model's kind, if the wording leaves it open and the caller named none.
    pub(super) fn decide(&mut self, kind: Option<Kind>, trace: &mut Trace) {
        let open = self.request.kind.is_none() && self.understood.sure <= kind::UNDECIDED;
        if let Some(kind) = kind.filter(|kind| open && *kind != Kind::Structure) {
            let start = Instant::now();
            (self.understood.kind, self.understood.sure) = (kind, SURE);
            trace.stage("kind", start, 1, 1).note(format!("{}, as the language model says", kind.name()));
        }
    }
}

/// Understands a question and chooses its route.
///
/// # Errors
/// If it has no word in it, or asks for semantic search that cannot run.
pub(super) fn understand<'s>(
    request: &'s SearchRequest,
    model: &'s VectorModel,
    trace: &mut Trace,
) -> Result<Question<'s>> {
    if !request.query.chars().any(char::is_alphanumeric) {
        return Err(Error::usage("the query contains no word")
            .hint(format!("ask for something, for example {} \"error E-417\"", NextStep::Search)));
    }
    let start = Instant::now();
    let understood = Understanding::of_kind(&request.query, request.kind);
    let mut route = Route::choose(understood.kind, request, model.coverage(&request.query));
    if route.semantic > 0.0
        && let Some(note) = model.usable(route.keyword <= 0.0)?
    {
        trace.note(NoteCode::ModelMissing, note);
        route = Route { why: "the model that made the vectors is not installed", ..route.keyword_only() };
    }
    let terms = keyword_terms(&request.query, &understood.identifiers);
    trace.stage("understand", start, 1, terms.len()).notes(understood.in_words()).notes(route.in_words(request));
    Ok(Question { request, understood, route, terms, model, now: Timestamp::now() })
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Understanding {
    pub kind: Kind,
    /// How sure that is, from 0 to 1.
    pub sure: f32,
    /// For a question about structure, the part of the table of contents that it asks for.
    pub wanted: Option<Wanted>,
    /// The words that say what it is about, in simplified characters.
    pub keywords: Vec<String>,
    /// Text in quotation marks, found only word for word.
    pub phrases: Vec<String>,
    /// Codes, names from programs, standards, options: `E-417`, `max_retry_count`, `RFC 2119`, `--flag`.
    pub identifiers: Vec<String>,
    /// Numbers with units.
    pub quantities: Vec<String>,
}

impl Understanding {
    pub fn of(query: &str) -> Self {
        // The lists of words are in simplified characters.
        let simplified = in_simplified(query);
        let phrases: Vec<String> =
            words::quotes(query).into_iter().map(|range| query[range].trim().to_owned()).collect();
        let quantities = words::quantities(&simplified);
        let identifiers = words::identifiers(query, &quantities);
        let keywords = words::keywords(&simplified);
        let (kind, sure, wanted) = match contents::wanted(&simplified) {
            Some((wanted, sure)) => (Kind::Structure, sure, Some(wanted)),
            None => {
                let exact: Vec<String> = phrases.iter().chain(&identifiers).map(|text| in_simplified(text)).collect();
                let exact: Vec<&str> = exact.iter().map(String::as_str).collect();
                let (kind, sure) = kind::kind(&simplified, &exact, &keywords);
                (kind, sure, None)
            }
        };
        Understanding { kind, sure, wanted, keywords, phrases, identifiers, quantities }
    }

    /// As [`of`](Self::of), with the kind that the caller names.
    pub fn of_kind(query: &str, kind: Option<Kind>) -> Self {
        let mut understood = Understanding::of(query);
        let Some(kind) = kind else { return understood };
        (understood.kind, understood.sure) = (kind, 1.0);
        let wanted = understood.wanted.unwrap_or(Wanted::Whole);
        understood.wanted = (kind == Kind::Structure).then_some(wanted);
        understood
    }

    /// Whether there is nothing to search for: a greeting, thanks. One that is quoted, or comes with a kind or a
    /// method, is searched for.
    pub(super) fn needs_no_search(request: &SearchRequest) -> bool {
        request.kind.is_none()
            && request.method == Method::Auto
            && words::quotes(&request.query).is_empty()
            && kind::is_greeting(&in_simplified(&request.query))
    }

    /// Whether it is worded as a question, not only words and names.
    pub fn is_asked(&self) -> bool {
        self.kind != Kind::Lookup && self.sure > kind::TOPIC
    }

    /// The kind of text that answers it, if there is one.
    pub(in crate::search) fn answered_by(&self) -> Option<profile::Kind> {
        let kind = match self.kind {
            Kind::Procedure => profile::Kind::Procedure,
            Kind::Reference => profile::Kind::Reference,
            Kind::Troubleshooting => profile::Kind::Troubleshooting,
            Kind::Concept | Kind::Lookup | Kind::Structure => return None,
        };
        (self.sure >= SURE).then_some(kind)
    }

    /// What was understood, in words, for the trace.
    pub fn in_words(&self) -> Vec<String> {
        let quoted = |texts: &[String]| texts.iter().map(|text| format!("{text:?}")).collect::<Vec<_>>().join(", ");
        let mut words = vec![format!("kind: {} (sure {:.2})", self.kind.name(), self.sure)];
        let lists = [
            ("keywords", self.keywords.join(", ")),
            ("phrases, found only word for word", quoted(&self.phrases)),
            ("identifiers", self.identifiers.join(", ")),
            ("quantities", self.quantities.join(", ")),
        ];
        words.extend(lists.into_iter().filter(|(_, list)| !list.is_empty()).map(|(of, list)| format!("{of}: {list}")));
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_and_letters_of_a_question_may_be_full_width() {
        let one = Understanding::of("手册第６章讲什么？");
        let part = AskedPart { name: "第6章".to_owned(), says_of_what: false };
        assert_eq!((one.kind, one.wanted), (Kind::Structure, Some(Wanted::Part(part))));
        assert!(Understanding::of("压力超过１６ ＭＰａ").in_words().contains(&"quantities: 16 MPa".to_owned()));
    }

    #[test]
    fn the_wording_says_what_is_asked_for() {
        let table = include_str!("../../../fixtures/question_kinds.tsv");
        let rows: Vec<(&str, &str)> = table.lines().filter_map(|line| line.split_once('\t')).collect();
        assert!(rows.len() >= 90, "{}", rows.len());
        for (query, expected) in rows {
            let Understanding { kind, sure, wanted, .. } = Understanding::of(query);
            let asked_for = match wanted {
                Some(Wanted::Whole) => "contents".to_owned(),
                Some(Wanted::Part(part)) => part.name,
                None if expected == "text" => expected.to_owned(),
                None => kind.name(),
            };
            assert_eq!(asked_for, expected, "{query}");
            assert!((kind::TOPIC..=1.0).contains(&sure), "{query}: {sure}");
        }
        assert_eq!(Understanding::of("prime pump").sure, kind::TOPIC, "words alone make no kind sure");
    }
}
