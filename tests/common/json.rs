//! The parts of a command's JSON that tests look at.

use serde_json::Value;

/// A text in JSON; empty if there is none.
pub fn text<'v>(json: &'v Value, field: &str) -> &'v str {
    json[field].as_str().unwrap_or_default()
}

/// A text of each element of a list in JSON, by its pointer: `/source`, `/section/title`.
pub fn texts<'v>(list: &'v Value, pointer: &str) -> Vec<&'v str> {
    let text = |one: &'v Value| one.pointer(pointer).and_then(Value::as_str).expect(pointer);
    list.as_array().expect("a list").iter().map(text).collect()
}

/// The row of a list whose field has this value.
#[track_caller]
pub fn row<'v>(list: &'v Value, field: &str, value: &str) -> &'v Value {
    let found = list.as_array().expect("a list").iter().find(|row| row[field] == value);
    found.unwrap_or_else(|| panic!("no {field} is {value:?}: {list}"))
}

/// The hits of a search, in groups or not.
pub fn hits(result: &Value) -> Vec<Value> {
    let groups = result["groups"].as_array().into_iter().flatten().map(|group| &group["hits"]);
    std::iter::once(&result["hits"]).chain(groups).filter_map(Value::as_array).flatten().cloned().collect()
}

/// A text of each hit.
pub fn of_hits(result: &Value, field: &str) -> Vec<String> {
    hits(result).iter().map(|hit| text(hit, field).to_owned()).collect()
}

/// A stage of a search with `--explain`.
pub fn stage<'v>(result: &'v Value, name: &str) -> &'v Value {
    row(&result["stages"], "name", name)
}

pub fn has_stage(result: &Value, name: &str) -> bool {
    texts(&result["stages"], "/name").contains(&name)
}

/// The titles of the sections of hits.
pub fn titles(result: &Value) -> Vec<&str> {
    texts(&result["hits"], "/section/title")
}

/// The titles of a table of contents, each before those below it.
pub fn titles_of(entries: &Value) -> Vec<String> {
    let of_entry = |entry: &Value| {
        let own = entry["title"].as_str().unwrap().to_owned();
        std::iter::once(own).chain(titles_of(&entry["children"])).collect::<Vec<_>>()
    };
    entries.as_array().unwrap().iter().flat_map(of_entry).collect()
}
