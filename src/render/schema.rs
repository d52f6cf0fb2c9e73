//! The JSON Schema of what each command prints.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// The schemas of all kinds of results and of their parts, by name.
const SCHEMAS: &str = include_str!("schema.json");
/// The commands that print several kinds of results, or a kind with another name.
const KINDS: [(&str, &[&str]); 11] = [
    ("chunks-list", &["chunks", "conflicts"]),
    ("error", &["error"]),
    ("eval", &["eval", "eval_questions"]),
    ("llm", &["llm", "llm_prompt"]),
    ("models", &["models", "model", "model_removed", "suggested_models"]),
    ("namespaces", &["namespaces", "namespace"]),
    ("reindex", &["reindex", "reindex_vectors"]),
    ("search", &["search", "why"]),
    ("show", &["chunk", "section", "docs"]),
    ("toc", &["toc", "tocs", "toc_edit", "toc_editable"]),
    ("undo", &["restore"]),
];
/// The beginning of every reference to a part.
pub const REFERENCE: &str = "#/$defs/";

/// The JSON Schema of what a command prints; `None` for a command without one.
pub fn schema_of(command: &str) -> Option<Value> {
    let all = all();
    let listed = KINDS.iter().find(|(name, _)| *name == command).map(|(_, kinds)| kinds.to_vec());
    let own = command.replace('-', "_");
    let kinds = match listed {
        Some(kinds) => kinds,
        None if is_kind(&all, &own) => vec![own.as_str()],
        None => return None,
    };
    let defs = with_parts(&kinds, all);
    let kinds: Vec<Value> = kinds.iter().map(|kind| json!({ "$ref": format!("{REFERENCE}{kind}") })).collect();
    Some(json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("kb {command} --format json"),
        "anyOf": kinds,
        "$defs": defs,
    }))
}

/// The schemas of kinds of results and of the parts that they refer to, by name, after each was changed.
pub fn schemas_of(kinds: &[&str], change: impl Fn(&mut Value)) -> Map<String, Value> {
    let mut all = all();
    all.values_mut().for_each(change);
    with_parts(kinds, all)
}

fn all() -> Map<String, Value> {
    serde_json::from_str(SCHEMAS).expect("the schemas are JSON, which a test reads")
}

/// The schemas of `kinds` and of the parts that they refer to.
fn with_parts(kinds: &[&str], mut all: Map<String, Value>) -> Map<String, Value> {
    let mut needed = BTreeSet::new();
    kinds.iter().for_each(|kind| add(kind, &all, &mut needed));
    all.retain(|name, _| needed.contains(name));
    all
}

/// Whether a schema describes a result, not a part of one.
fn is_kind(all: &Map<String, Value>, name: &str) -> bool {
    all.get(name).is_some_and(|schema| schema["properties"]["kind"]["const"] == name)
}

/// Adds a schema and those that it refers to.
fn add(name: &str, all: &Map<String, Value>, needed: &mut BTreeSet<String>) {
    if all.contains_key(name) && needed.insert(name.to_owned()) {
        for_each_reference(&all[name], &mut |other| add(other, all, needed));
    }
}

fn for_each_reference(schema: &Value, found: &mut dyn FnMut(&str)) {
    match schema {
        Value::Array(values) => values.iter().for_each(|value| for_each_reference(value, found)),
        Value::Object(fields) => {
            if let Some(name) = fields.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix(REFERENCE))
            {
                found(name);
            }
            fields.values().for_each(|value| for_each_reference(value, found));
        }
        _ => {}
    }
}
