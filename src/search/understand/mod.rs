//! Understands a question by rules alone: its kind, and the words, phrases, identifiers, quantities, names and scripts
//! in it. English and Chinese alike. Pure functions: the question in, plain data out.
//!
//! Nothing in here alone decides what is found. It feeds the route ([`Route`]), and the caller can override each
//! part of that.

mod exact;
mod kind;
mod names;
mod route;
mod structure;

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

pub use exact::Quantity;
pub use kind::Kind;
pub use route::Route;
pub(super) use route::{Question, Terms, in_all_fields, keyword_terms, understand, weigh_titles};
pub use structure::Wanted;

use crate::text::han::in_simplified;
use crate::text::script::{Script, script_of};

/// The word lists of `words.toml`.
#[derive(Deserialize)]
struct Words {
    units: Vec<String>,
    function_words: Vec<String>,
    openings: Vec<String>,
    documents: Vec<String>,
    asks_for_contents: Vec<String>,
    asks_for_part: Vec<String>,
    cues: HashMap<String, HashMap<String, f32>>,
}

static WORDS: LazyLock<Words> =
    LazyLock::new(|| toml::from_str(include_str!("words.toml")).expect("words.toml is part of the program"));

/// What a question is understood as.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Understanding {
    /// What it asks for.
    pub kind: Kind,
    /// How sure that is, from 0 to 1.
    pub sure: f32,
    /// Of a question about structure, the part of the table of contents that it asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wanted: Option<Wanted>,
    /// The words that say what it is about, as they were typed.
    pub keywords: Vec<String>,
    /// Text in quotation marks, found only word for word.
    pub phrases: Vec<String>,
    /// Codes, names from programs, standards, options: `E-417`, `max_retry_count`, `RFC 2119`, `--flag`.
    pub identifiers: Vec<String>,
    /// Numbers with units.
    pub quantities: Vec<Quantity>,
    /// What looks like the name of something.
    pub entities: Vec<String>,
    /// The scripts it is written in, with their shares of its words, largest first.
    pub scripts: Vec<ScriptShare>,
}

/// How much of a question is written in a script.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScriptShare {
    /// `latin`, `han`, `kana`, `hangul` or `other`.
    pub script: &'static str,
    /// From 0 to 1; a Han or Kana character counts as half a word.
    pub share: f32,
}

impl Understanding {
    /// Understands a question.
    pub fn of(query: &str) -> Self {
        // The words that tell kinds apart are simplified.
        let simplified = in_simplified(query);
        let phrases: Vec<String> =
            exact::quotes(query).into_iter().map(|range| query[range].trim().to_owned()).collect();
        let quantities = exact::quantities(&simplified);
        let identifiers = exact::identifiers(query, &quantities);
        let keywords = names::keywords(&simplified);
        let (kind, sure, wanted) = match structure::wanted(&simplified) {
            Some((wanted, sure)) => (Kind::Structure, sure, Some(wanted)),
            None => {
                let exact: Vec<&str> = phrases.iter().chain(&identifiers).map(String::as_str).collect();
                let (kind, sure) = kind::kind(&simplified, &exact, &keywords);
                (kind, sure, None)
            }
        };
        Understanding {
            kind,
            sure,
            wanted,
            entities: names::names(query, &identifiers, &quantities),
            keywords,
            phrases,
            identifiers,
            quantities,
            scripts: scripts(query),
        }
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

    /// Whether it is worded as a question and is more than words and names.
    pub fn is_asked(&self) -> bool {
        self.kind != Kind::Lookup && self.sure > kind::TOPIC
    }

    /// What was understood, in words, for the trace.
    pub fn in_words(&self) -> Vec<String> {
        let quoted = |texts: &[String]| texts.iter().map(|text| format!("{text:?}")).collect::<Vec<_>>().join(", ");
        let mut words = vec![format!("{} (sure {:.2})", self.kind.describe(), self.sure)];
        let lists = [
            ("keywords", self.keywords.join(", ")),
            ("phrases, found only word for word", quoted(&self.phrases)),
            ("identifiers", self.identifiers.join(", ")),
            ("quantities", self.quantities.iter().map(|one| one.text.as_str()).collect::<Vec<_>>().join(", ")),
            ("names", self.entities.join(", ")),
        ];
        words.extend(lists.into_iter().filter(|(_, list)| !list.is_empty()).map(|(of, list)| format!("{of}: {list}")));
        let scripts: Vec<String> =
            self.scripts.iter().map(|one| format!("{} {:.0} %", one.script, one.share * 100.0)).collect();
        if !scripts.is_empty() {
            words.push(format!("written in {}", scripts.join(", ")));
        }
        words
    }
}

/// The shares of the scripts, counted as [`coverage`](crate::text::script::coverage) does.
fn scripts(query: &str) -> Vec<ScriptShare> {
    let mut words: [(Script, &'static str, f32); 5] = [
        (Script::Latin, "latin", 0.0),
        (Script::Han, "han", 0.0),
        (Script::Kana, "kana", 0.0),
        (Script::Hangul, "hangul", 0.0),
        (Script::Other, "other", 0.0),
    ];
    let mut before = None;
    for c in query.chars() {
        let script = script_of(c);
        if let Some((known, _, words)) = words.iter_mut().find(|(known, ..)| Some(*known) == script) {
            *words += match known {
                Script::Han | Script::Kana => 0.5,
                _ if before == script => 0.0,
                _ => 1.0,
            };
        }
        before = script;
    }
    let sum: f32 = words.iter().map(|(.., words)| words).sum();
    let present = words.into_iter().filter(|(.., words)| *words > 0.0);
    let mut shares: Vec<ScriptShare> =
        present.map(|(_, script, words)| ScriptShare { script, share: words / sum }).collect();
    shares.sort_by(|a, b| b.share.total_cmp(&a.share));
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_taken_apart() {
        let one = Understanding::of("How do I reset error E-417 on the \"main pump\" at 16 MPa in Norwick?");
        assert_eq!(one.kind, Kind::Procedure);
        assert_eq!(one.phrases, ["main pump"]);
        assert_eq!(one.identifiers, ["E-417"]);
        assert_eq!(one.quantities[0].text, "16 MPa");
        assert_eq!(one.entities, ["Norwick"]);
        let words = one.in_words().join("; ");
        assert!(words.contains("procedure") && words.contains("\"main pump\"") && words.contains("latin 100 %"));
    }

    #[test]
    fn a_chinese_question_is_taken_apart() {
        let one = Understanding::of("《泵站维护手册》里“推力轴承”超过 16 MPa 时报警 E-417 怎么办？");
        assert_eq!(one.kind, Kind::Troubleshooting);
        assert_eq!(one.phrases, ["推力轴承"]);
        assert_eq!(one.identifiers, ["E-417"]);
        assert_eq!(one.quantities[0].unit, "MPa");
        assert_eq!(one.entities, ["泵站维护手册"]);
        assert_eq!(one.scripts[0].script, "han");
    }

    #[test]
    fn the_caller_may_name_the_kind() {
        let forced = Understanding::of_kind("目录", Some(Kind::Concept));
        assert_eq!((forced.kind, forced.wanted), (Kind::Concept, None));
        let forced = Understanding::of_kind("pump", Some(Kind::Structure));
        assert_eq!((forced.kind, forced.wanted), (Kind::Structure, Some(Wanted::Whole)));
    }
}
