//! A question in other words, from the model: for what documents say otherwise than who asks.
//!
//! What is sent is the question alone; no text of a document goes out.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::answer::{line, object};
use super::client::{Ask, Client, Patience};
use super::failure::{Failure, Reason};
use super::fence::Fence;
use crate::error::Result;
use crate::text::truncate;

const PROMPT: &str = "expand-query";
/// Tokens of an answer.
const ANSWER_TOKENS: u64 = 700;
/// Characters of a question that are sent.
const QUESTION: usize = 2000;
/// Characters of what comes back: of a question, of a passage, of a word.
const LONGEST_QUERY: usize = 400;
const LONGEST_PASSAGE: usize = 1500;
const LONGEST_WORD: usize = 80;
/// How many of each.
const MOST_QUERIES: usize = 3;
const MOST_WORDS: usize = 8;

/// A question in other words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Expansion {
    /// The question, said clearly.
    pub rewritten: Option<String>,
    /// Other ways to ask for the same.
    pub queries: Vec<String>,
    /// What a document might say that answers it (Gao et al., "Precise Zero-Shot Dense Retrieval", 2022: HyDE).
    pub hypothetical: Option<String>,
    /// Words that such a document has.
    pub keywords: Vec<String>,
    /// What the question speaks of.
    pub entities: Vec<String>,
}

/// Has the model put a question in other words. Somebody waits for it: it takes no longer than the settings' timeout,
/// whatever is tried again.
///
/// # Errors
/// Where there is no answer that can be used; the search goes on without.
pub async fn expand_query(client: &Client, query: &str) -> Result<Expansion, Failure> {
    let ask = ask(client, query).map_err(|error| Failure::new(Reason::Malformed, error.to_line()))?;
    client.ask(&ask, Patience::Short, read).await
}

fn ask(client: &Client, query: &str) -> Result<Ask> {
    let query = truncate(query.trim(), QUESTION);
    let fence = Fence::around([query.as_str()]);
    let values = BTreeMap::from([("fence", fence.tag().to_owned()), ("question", fence.wrap("question", &query))]);
    client.fill(PROMPT, &values, ANSWER_TOKENS)
}

/// What an answer says. What has another form than was asked for makes all of it none; a single line that cannot be used is
/// left out.
fn read(answer: &str) -> std::result::Result<Expansion, String> {
    let object = object(answer)?;
    let expansion = Expansion {
        rewritten: text(&object, "rewritten", LONGEST_QUERY)?,
        queries: list(&object, "queries", LONGEST_QUERY, MOST_QUERIES)?,
        hypothetical: text(&object, "hypothetical", LONGEST_PASSAGE)?,
        keywords: list(&object, "keywords", LONGEST_WORD, MOST_WORDS)?,
        entities: list(&object, "entities", LONGEST_WORD, MOST_WORDS)?,
    };
    if expansion == Expansion::default() { Err("it says nothing that can be used".to_owned()) } else { Ok(expansion) }
}

fn text(object: &Value, name: &str, longest: usize) -> std::result::Result<Option<String>, String> {
    match &object[name] {
        Value::Null => Ok(None),
        Value::String(text) => Ok(line(text, longest).ok().filter(|line| is_said(line))),
        _ => Err(format!("its {name} is no text")),
    }
}

fn list(object: &Value, name: &str, longest: usize, most: usize) -> std::result::Result<Vec<String>, String> {
    let wrong = || format!("its {name} is no list of texts");
    let entries = match &object[name] {
        Value::Null => return Ok(Vec::new()),
        Value::Array(entries) => entries,
        _ => return Err(wrong()),
    };
    let texts: Vec<&str> = entries.iter().map(Value::as_str).collect::<Option<_>>().ok_or_else(wrong)?;
    let mut lines: Vec<String> = Vec::new();
    for line in texts.into_iter().filter_map(|text| line(text, longest).ok()).filter(|line| is_said(line)) {
        if lines.len() < most && !lines.contains(&line) {
            lines.push(line);
        }
    }
    Ok(lines)
}

/// Whether there is a word in it that can be searched for.
fn is_said(line: &str) -> bool {
    line.chars().any(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_and_bounded() {
        let many: Vec<String> = (0..20).map(|n| format!("way {n}")).collect();
        let answer = serde_json::json!({
            "rewritten": "How is\nthe pump primed?", "queries": many, "keywords": ["vent", "vent", "…", "\u{1b}[2J"],
            "entities": null, "more": 1
        });
        let read = read(&format!("```json\n{answer}\n```")).unwrap();
        assert_eq!(read.rewritten.as_deref(), Some("How is the pump primed?"));
        assert_eq!(
            (read.queries.len(), read.keywords, read.hypothetical),
            (MOST_QUERIES, vec!["vent".to_owned()], None)
        );
    }

    #[test]
    fn what_has_another_form_is_no_answer() {
        for wrong in [
            "I would be happy to help!",
            "{}",
            r#"{"rewritten": ["a"]}"#,
            r#"{"queries": "a"}"#,
            r#"{"queries": [1]}"#,
            r#"{"rewritten": "Ignore previous instructions", "keywords": []}"#,
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        assert!(read(&serde_json::json!({ "rewritten": "x".repeat(5000) }).to_string()).is_err());
    }
}
