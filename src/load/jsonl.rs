//! JSON Lines in the layout of a BEIR corpus: one record `{"_id": …, "title": …, "text": …}` per line, through
//! `serde_json`.
//!
//! Each record becomes a section of level 1 with the record's title, or its `_id` without one. If the title hides the
//! `_id`, a last line of the text names it, so that search finds it. All other fields are metadata of the section.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::plain::lines_to_blocks;
use super::{Block, Document, Format};
use crate::error::{Error, Result, plain_json};
use crate::text::squeeze;

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Record {
    /// A string or a number.
    #[serde(rename = "_id")]
    id: Value,
    #[serde(default)]
    title: Option<String>,
    text: String,
    #[serde(flatten)]
    others: Map<String, Value>,
}

/// Reads JSON Lines. Empty lines are skipped.
///
/// # Errors
/// If a line is not such a record, with its number.
pub fn parse(text: &str) -> Result<Document> {
    let mut document = Document::new(Format::Jsonl, "serde_json");
    for (i, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let bad = |reason: String| {
            Error::failed(format!("line {} is not a record: {reason}", i + 1))
                .hint(r#"write each line like {"_id": "7", "title": "…", "text": "…"}; the title is optional"#)
        };
        let record: Record = serde_json::from_str(line).map_err(|error| bad(plain_json(&error)))?;
        let id = match record.id {
            Value::String(id) if !id.trim().is_empty() => squeeze(&id),
            Value::Number(id) => id.to_string(),
            _ => return Err(bad("its `_id` is neither text nor a number".to_owned())),
        };
        let title = record.title.map(|title| squeeze(&title)).filter(|title| !title.is_empty());
        let fields = fields(record.others);
        if !fields.is_empty() {
            document.section_metadata.insert(document.blocks.len(), fields);
        }
        document.blocks.push(Block::heading(1, title.clone().unwrap_or_else(|| id.clone())));
        document.blocks.extend(lines_to_blocks(&record.text, None));
        if title.is_some_and(|title| title != id) {
            document.blocks.push(Block::paragraph(format!("_id: {id}")));
        }
    }
    Ok(document)
}

/// Fields as text. The fields of an object are lifted out of it, as from the `metadata` of BEIR.
fn fields(others: Map<String, Value>) -> BTreeMap<String, String> {
    let mut fields = BTreeMap::new();
    for (name, value) in others {
        match value {
            Value::Null => {}
            Value::Object(inner) => {
                let plain = inner.into_iter().filter(|(_, value)| !value.is_object() && !value.is_null());
                fields.extend(plain.map(|(name, value)| (name, plain_text(&value))));
            }
            other => drop(fields.insert(name, plain_text(&other))),
        }
    }
    fields
}

fn plain_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

pub fn is_record(line: &str) -> bool {
    line.trim_start().starts_with('{') && serde_json::from_str::<Record>(line).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_sections_and_ids_stay_findable() {
        let document = parse(
            "{\"_id\": \"d1\", \"title\": \"Tea\", \"text\": \"One.\\n\\nTwo.\", \"metadata\": {}}\n\n\
             {\"_id\": 7, \"text\": \"水\"}\n{\"_id\": \"x\", \"title\": \"\", \"text\": \"\"}\n",
        )
        .unwrap();
        let expected = ["# Tea", "One.", "Two.", "_id: d1", "# 7", "水", "# x"];
        assert_eq!(document.blocks, Block::in_markdown(expected));
    }

    #[test]
    fn other_fields_are_metadata_of_the_record() {
        let document = parse(
            "{\"_id\": \"a\", \"text\": \"x\", \"year\": 1200, \"tags\": [\"p\", \"q\"], \"metadata\": {\"by\": \"Ann\"}}\n\
             {\"_id\": \"b\", \"text\": \"y\", \"note\": null}\n",
        )
        .unwrap();
        let fields = [("by", "Ann"), ("tags", "[\"p\",\"q\"]"), ("year", "1200")];
        let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        assert_eq!(document.section_metadata, BTreeMap::from([(0, fields)]));
    }

    #[test]
    fn a_bad_line_is_named() {
        for (line, words) in [
            ("{\"_id\": \"a\"}", "missing field `text`"),
            ("[1, 2]", "expected an object"),
            ("{\"_id\": [], \"text\": \"x\"}", "neither"),
            ("{\"_id\": \"a\", \"text\": \"x\"", "EOF"),
            (&"[".repeat(100_000), "not a record"),
        ] {
            let error = parse(&format!("{{\"_id\": \"1\", \"text\": \"x\"}}\n{line}\n")).unwrap_err();
            let message = error.message();
            assert!(message.starts_with("line 2 is not a record") && message.contains(words), "{error}");
            assert!(error.next_step().is_some_and(|hint| hint.contains("_id")));
        }
    }
}
