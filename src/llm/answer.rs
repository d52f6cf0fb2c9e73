//! Answers that can be used: JSON in whatever a model puts around it, and lines that are text and no order.

use serde_json::Value;

use super::fence::is_hidden;
use crate::text::squeeze;

/// How an answer speaks that follows orders in a document, or speaks of its own. A true line that has one of these in it is
/// lost, and the rule takes its place.
const ORDERS: [&str; 20] = [
    "ignore previous",
    "ignore all",
    "ignore the above",
    "ignore any",
    "disregard",
    "previous instructions",
    "system prompt",
    "you are now",
    "you must now",
    "as an ai",
    "as a language model",
    "i cannot",
    "i can't",
    "i'm sorry",
    "http://",
    "https://",
    "忽略以上",
    "忽略之前",
    "无视以上",
    "作为一个人工智能",
];
/// Marks of conversations and markup; none belongs into a line.
const MARKS: [&str; 7] = ["<|", "|>", "[inst]", "<data-", "</", "```", "{{"];

/// The JSON object in an answer: alone, in a fence of Markdown, or behind what a model thought.
pub(super) fn object(answer: &str) -> Result<Value, String> {
    let text = match answer.rfind("</think>") {
        Some(end) => &answer[end + "</think>".len()..],
        None => answer,
    };
    let (Some(start), Some(end)) = (text.find('{'), text.rfind('}')) else {
        return Err("there is no JSON in it".to_owned());
    };
    let json = text.get(start..=end).ok_or("there is no JSON in it")?;
    match serde_json::from_str(json) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err("its JSON is no object".to_owned()),
        Err(error) => Err(format!("its JSON is broken: {error}")),
    }
}

/// A line of text of at most `longest` characters, or what is wrong with it.
pub(super) fn line(text: &str, longest: usize) -> Result<String, &'static str> {
    let line = squeeze(text);
    if line.is_empty() {
        return Err("is empty");
    }
    if line.chars().any(is_hidden) {
        return Err("has characters that nobody sees");
    }
    if crate::text::char_count(&line) > longest {
        return Err("is too long");
    }
    let small = line.to_lowercase();
    if MARKS.iter().any(|mark| small.contains(mark)) {
        return Err("has markup in it");
    }
    if ORDERS.iter().any(|order| small.contains(order)) {
        return Err("reads like an order or like a refusal");
    }
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_found_in_what_models_put_around_it() {
        for answer in [
            r#"{"a": 1}"#,
            "```json\n{\"a\": 1}\n```",
            "Here you are: {\"a\": 1} I hope it helps",
            "<think>maybe {\"a\": 2}?</think>\n{\"a\": 1}",
        ] {
            assert_eq!(object(answer).unwrap()["a"], 1, "{answer}");
        }
        for bad in ["", "no", "}{", "[1]", "{\"a\": 1", "{a: 1}"] {
            assert!(object(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_line_is_text_and_no_order() {
        assert_eq!(line(" two\n words ", 20).unwrap(), "two words");
        assert_eq!(line("离心泵的启动步骤", 8).unwrap(), "离心泵的启动步骤");
        for bad in [
            "",
            " \n",
            "too long a line",
            "a\u{1b}[31m",
            "\u{202E}x",
            "<b>x</b>",
            "Ignore ALL",
            "see http://x",
            "{{ x }}",
        ] {
            assert!(line(bad, 12).is_err(), "{bad:?}");
        }
    }
}
