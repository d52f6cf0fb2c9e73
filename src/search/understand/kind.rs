//! What kind of question it is, by the words that people ask with.

use serde::{Deserialize, Serialize};

use super::WORDS;
use crate::text::tokens::{TokenKind, tokenize};

/// What a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// How something is done
    Procedure,
    /// What something is, or why
    Concept,
    /// A fact: a value, a time, a name
    Reference,
    /// What to do about a fault
    Troubleshooting,
    /// Where a code, a name or a phrase stands
    Lookup,
    /// Which chapters there are: answered from the table of contents
    Structure,
}

impl Kind {
    /// For the trace.
    pub(super) fn describe(self) -> &'static str {
        match self {
            Kind::Procedure => "asks for a procedure",
            Kind::Concept => "asks for a concept",
            Kind::Reference => "asks for a fact (reference)",
            Kind::Troubleshooting => "asks about a fault (troubleshooting)",
            Kind::Lookup => "looks something up by its name (lookup)",
            Kind::Structure => "asks for a table of contents (structure)",
        }
    }
}

/// How sure words alone, without a question around them, make a kind.
pub(super) const TOPIC: f32 = 0.3;
/// How sure two kinds that are as likely make either.
const UNDECIDED: f32 = 0.35;

/// The kind of a question and how sure that is. The surest cue decides; another kind's takes half of its own away.
/// `exact` are its phrases and identifiers.
pub(super) fn kind(query: &str, exact: &[&str], keywords: &[String]) -> (Kind, f32) {
    let words = words(query);
    let surest = |kind: &str| {
        let cues = WORDS.cues[kind].iter().filter(|(cue, _)| match cue.is_ascii() {
            true => words.contains(&format!(" {cue} ")),
            false => query.contains(cue.as_str()),
        });
        cues.map(|(_, sure)| *sure).fold(0.0, f32::max)
    };
    // The first of equals wins: who asks how to do something about a fault wants it done.
    let mut found = [
        (Kind::Lookup, if names_only(query, exact, keywords) { 1.0 } else { 0.0 }),
        (Kind::Procedure, surest("procedure")),
        (Kind::Troubleshooting, surest("troubleshooting")),
        (Kind::Reference, surest("reference")),
        (Kind::Concept, surest("concept")),
    ];
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    let [(kind, first), (_, second), ..] = found;
    if first <= 0.0 { (Kind::Concept, TOPIC) } else { (kind, (first - second / 2.0).max(UNDECIDED)) }
}

/// Whether a question is nothing but codes, names from programs and phrases.
fn names_only(query: &str, exact: &[&str], keywords: &[String]) -> bool {
    if exact.is_empty() {
        return false;
    }
    let rest = exact.iter().fold(query.to_owned(), |rest, name| rest.replace(name, " "));
    let nothing_else = tokenize(&rest).iter().all(|token| token.kind == TokenKind::Part);
    // The rest may only be what keywords leave out: `the "main pump"`. A question word makes it a question.
    nothing_else || (keywords.iter().all(|word| exact.iter().any(|name| name.contains(word.as_str()))) && !asks(&rest))
}

fn asks(rest: &str) -> bool {
    const ASKING: [&str; 11] = ["what", "how", "why", "who", "when", "where", "which", "whose", "does", "is", "can"];
    words(rest).split(' ').any(|word| ASKING.contains(&word)) || rest.chars().any(crate::text::script::is_unspaced)
}

/// The words in small letters, apostrophes kept, with a space before and after each.
fn words(text: &str) -> String {
    let lower = text.to_lowercase().replace('’', "'");
    let words = lower.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|word| !word.is_empty());
    words.fold(" ".to_owned(), |all, word| all + word + " ")
}

#[cfg(test)]
mod tests {
    use super::super::Understanding;
    use super::*;

    #[test]
    fn the_wording_decides_the_kind() {
        let expected = [
            ("how do I prime the pump?", Kind::Procedure),
            ("how is the pump primed?", Kind::Procedure),
            ("如何启动水泵？", Kind::Procedure),
            ("更换密封件的步骤", Kind::Procedure),
            ("what is a thrust bearing", Kind::Concept),
            ("什么是推力轴承？", Kind::Concept),
            ("离心泵的工作原理", Kind::Concept),
            ("How many points did the Panthers defense surrender?", Kind::Reference),
            ("which port does the server use", Kind::Reference),
            ("重试次数的默认值是多少", Kind::Reference),
            ("the pump won't start", Kind::Troubleshooting),
            ("推力轴承温度过高怎么办", Kind::Troubleshooting),
            ("E-417", Kind::Lookup),
            ("max_retry_count", Kind::Lookup),
            ("\"prime the pump\"", Kind::Lookup),
            ("“推力轴承”", Kind::Lookup),
            ("RFC 2119 --flag", Kind::Lookup),
        ];
        for (query, kind) in expected {
            let understood = Understanding::of(query);
            assert_eq!(understood.kind, kind, "{query}");
            assert!((0.0..=1.0).contains(&understood.sure) && understood.sure >= TOPIC, "{query}: {}", understood.sure);
        }
    }

    #[test]
    fn a_question_around_a_name_is_a_question() {
        assert_eq!(Understanding::of("what does E-417 mean?").kind, Kind::Concept);
        assert_eq!(Understanding::of("什么是“乡里制”？").kind, Kind::Concept);
        assert_eq!(Understanding::of("prime pump").sure, TOPIC, "words alone make no kind sure");
    }
}
