//! What a question is, by rules alone: of which kind, with which words, phrases, identifiers, quantities and names in it,
//! in which scripts. English and Chinese alike. Pure functions: the question in, plain data out.
//!
//! Promise: nothing in here decides alone what is found. It feeds the route ([`super::query`]), and each part of that
//! can be overridden by the caller.

mod entities;
mod identifiers;
mod keywords;
mod kind;
mod quantities;
mod quotes;
mod structure;

use serde::Serialize;

pub use kind::Kind;
pub use quantities::Quantity;
pub use structure::Wanted;

pub(super) use quotes::without_quotes;

use crate::text::han::in_simplified;
use crate::text::script::{Script, script_of};

/// What a question is understood as.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Understanding {
    /// What it asks for.
    pub kind: Kind,
    /// How sure that is, from 0 to 1.
    pub sure: f32,
    /// Of a question about structure, what of the table of contents is wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wanted: Option<Wanted>,
    /// The words that say what it is about, as they were typed.
    pub keywords: Vec<String>,
    /// What stands in quotation marks and is to be found as it stands.
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
        let quotes = quotes::quotes(query);
        let phrases: Vec<String> = quotes.iter().map(|range| query[range.clone()].trim().to_owned()).collect();
        let quantities = quantities::quantities(&simplified);
        let identifiers = identifiers::identifiers(query);
        let keywords = keywords::keywords(&simplified);
        let (kind, sure, wanted) = match structure::wanted(&simplified) {
            Some((wanted, sure)) => (Kind::Structure, sure, Some(wanted)),
            None => {
                let named = kind::Named { phrases: &phrases, identifiers: &identifiers, keywords: &keywords };
                let (kind, sure) = kind::kind(&simplified, &named);
                (kind, sure, None)
            }
        };
        Understanding {
            kind,
            sure,
            wanted,
            entities: entities::entities(query, &identifiers, &quantities),
            keywords,
            phrases,
            identifiers,
            quantities,
            scripts: scripts(query),
        }
    }

    /// The same, where the caller says of which kind the question is.
    pub fn of_kind(query: &str, kind: Option<Kind>) -> Self {
        let mut understood = Understanding::of(query);
        let Some(kind) = kind else { return understood };
        (understood.kind, understood.sure) = (kind, 1.0);
        understood.wanted = match kind {
            Kind::Structure => Some(understood.wanted.unwrap_or(Wanted::Whole)),
            _ => None,
        };
        understood
    }

    /// Whether it is asked as a question, and is more than words and names.
    pub fn is_asked(&self) -> bool {
        self.kind != Kind::Lookup && self.sure > kind::TOPIC
    }

    /// What was understood, in words, for the trace.
    pub fn in_words(&self) -> Vec<String> {
        let quoted = |texts: &[String]| texts.iter().map(|text| format!("{text:?}")).collect::<Vec<_>>().join(", ");
        let mut words = vec![format!("{} (sure {:.2})", self.kind.describe(), self.sure)];
        let lists = [
            ("keywords", self.keywords.join(", ")),
            ("phrases, found only as they stand", quoted(&self.phrases)),
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
    let all = [
        (Script::Latin, "latin"),
        (Script::Han, "han"),
        (Script::Kana, "kana"),
        (Script::Hangul, "hangul"),
        (Script::Other, "other"),
    ];
    let mut words = [0.0f32; 5];
    let mut before = None;
    for c in query.chars() {
        let script = script_of(c);
        if let Some(place) = all.iter().position(|(known, _)| Some(*known) == script) {
            words[place] += match all[place].0 {
                Script::Han | Script::Kana => 0.5,
                _ if before == script => 0.0,
                _ => 1.0,
            };
        }
        before = script;
    }
    let sum: f32 = words.iter().sum();
    let mut shares: Vec<ScriptShare> = all
        .iter()
        .zip(words)
        .filter(|(_, words)| *words > 0.0)
        .map(|((_, script), words)| ScriptShare { script, share: words / sum })
        .collect();
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
    fn so_is_a_chinese_one() {
        let one = Understanding::of("《泵站维护手册》里“推力轴承”超过 16 MPa 时报警 E-417 怎么办？");
        assert_eq!(one.kind, Kind::Troubleshooting);
        assert_eq!(one.phrases, ["推力轴承"]);
        assert_eq!(one.identifiers, ["E-417"]);
        assert_eq!(one.quantities[0].unit, "MPa");
        assert_eq!(one.entities, ["泵站维护手册"]);
        assert_eq!(one.scripts[0].script, "han");
    }

    #[test]
    fn the_caller_may_say_of_which_kind_it_is() {
        let forced = Understanding::of_kind("目录", Some(Kind::Concept));
        assert_eq!((forced.kind, forced.wanted), (Kind::Concept, None));
        let forced = Understanding::of_kind("pump", Some(Kind::Structure));
        assert_eq!((forced.kind, forced.wanted), (Kind::Structure, Some(Wanted::Whole)));
    }
}
