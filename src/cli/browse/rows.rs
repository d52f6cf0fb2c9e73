//! The rows of the list, from what commands print as JSON.

use serde_json::Value;

use crate::text::visible;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RowTarget {
    Hit { chunk: String, section: String },
    Document(String),
    Section(String),
    Generation(u64),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    /// How far it is indented.
    pub(super) depth: usize,
    pub(super) title: String,
    /// Shown dimmed behind or below the title.
    pub(super) about: String,
    /// The text on the right, where it is known without asking.
    pub(super) text: Option<String>,
    pub(super) target: RowTarget,
}

fn text(value: &Value) -> String {
    visible(value.as_str().unwrap_or_default()).into_owned()
}

fn pages(of: &Value) -> String {
    of["page_start"].as_u64().map(|page| format!("  p. {page}")).unwrap_or_default()
}

pub(super) fn hit(hit: &Value) -> Row {
    let titles = hit["section"]["titles"].as_array().into_iter().flatten().map(text);
    let titles: Vec<String> = titles.filter(|title| !title.is_empty()).collect();
    let title = titles.last().cloned().unwrap_or_else(|| text(&hit["title"]));
    let confidence = hit["confidence"].as_f64().unwrap_or_default();
    let about = format!("{confidence:.2}{}  {}", pages(hit), text(&hit["source"]));
    let target = RowTarget::Hit { chunk: text(&hit["chunk_id"]), section: text(&hit["section"]["id"]) };
    Row { depth: 0, title, about, text: Some(text(&hit["content"])), target }
}

pub(super) fn document(document: &Value) -> Row {
    let (title, about) = (text(&document["title"]), text(&document["source"]));
    let described = format!("{title}\n{about}\n\n{}", text(&document["profile"]["summary"]));
    let target = RowTarget::Document(text(&document["doc_id"]));
    Row { depth: 0, title, about, text: Some(described), target }
}

pub(super) fn add_sections(entry: &Value, depth: usize, rows: &mut Vec<Row>) {
    let (title, about) = (text(&entry["title"]), pages(entry).trim().to_owned());
    rows.push(Row { depth, title, about, text: None, target: RowTarget::Section(text(&entry["section_id"])) });
    entry["children"].as_array().into_iter().flatten().for_each(|child| add_sections(child, depth + 1, rows));
}

pub(super) fn generation(generation: &Value) -> Row {
    let number = generation["generation"].as_u64().unwrap_or_default();
    let counts = generation["counts"].as_object().into_iter().flatten();
    let counts: Vec<String> = counts.map(|(what, number)| format!("{number} {what}")).collect();
    let sources = generation["sources"].as_array().into_iter().flatten().map(|source| text(source) + "\n");
    let title = format!("{number}  {}  {}", text(&generation["command"]), counts.join(", "));
    let about = text(&generation["published_at"]);
    Row { depth: 0, title, about, text: Some(sources.collect()), target: RowTarget::Generation(number) }
}
