//! Tells the kind of a question by its wording.

use super::words::WORDS;
use crate::search::request::Kind;
use crate::text::tokens::{TokenKind, tokenize};

/// How sure a kind is from words alone, without a question around them.
pub(super) const TOPIC: f32 = 0.3;
/// Two kinds that are equally likely are as sure as this. The kind of a question is open unless it is surer.
pub(super) const UNDECIDED: f32 = 0.35;

/// The kind of a question and how sure that is. The surest cue decides, less half of the second kind's. `exact` are its
/// phrases and identifiers.
pub(super) fn kind(query: &str, exact: &[&str], keywords: &[String]) -> (Kind, f32) {
    let words = words(query);
    let surest = |kind: &str| {
        let is_there = |cue: &String| match cue.is_ascii() {
            true => words.contains(&format!(" {cue} ")),
            false => query.contains(cue.as_str()),
        };
        let found = WORDS.cues[kind].iter().filter(|cues| cues.words.iter().any(is_there));
        found.map(|cues| cues.sure).fold(0.0, f32::max)
    };
    // The first of equals wins: "how to" about a fault asks for a procedure.
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

/// Whether a question consists only of codes, names from programs and phrases.
fn names_only(query: &str, exact: &[&str], keywords: &[String]) -> bool {
    if exact.is_empty() {
        return false;
    }
    let rest = exact.iter().fold(query.to_owned(), |rest, name| rest.replace(name, " "));
    let nothing_else = tokenize(&rest).iter().all(|token| token.kind == TokenKind::Part);
    // The rest may only be words that keywords leave out: `the "main pump"`. A question word makes it a question.
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

/// Whether a question is a greeting, thanks or a question for the program itself: nothing that documents answer.
pub(super) fn is_greeting(query: &str) -> bool {
    let said = words(query);
    WORDS.greetings.iter().any(|greeting| greeting == said.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greetings_are_not_questions() {
        for greeting in ["Hello!", "hi there", "Thank you very much.", "你好！", "谢谢", "What can you do?"] {
            assert!(is_greeting(greeting), "{greeting}");
        }
        for question in ["hello world example", "how are pumps primed", "thanks to whom", "你好吗 协议", "hi-fi"] {
            assert!(!is_greeting(question), "{question}");
        }
    }
}
