//! Contexts for prompts.

use std::collections::BTreeSet;
use std::io::{Result, Write};

use serde_json::{Value, json};

use super::search::omitted;
use super::{Screen, View, as_markdown, pages, value};
use crate::retrieve::{Context, ContextParts, Detail, Layout, Omitted};
use crate::text::count;

/// The layout that is used where no template is given: Markdown, with the source of everything.
pub struct MarkdownLayout;

impl Layout for MarkdownLayout {
    fn text(&self, _query: &str, parts: &ContextParts<'_>, detail: Detail) -> crate::error::Result<String> {
        let mut text = String::new();
        if !parts.entities.is_empty() {
            text.push_str("# Entities\n\n");
            let namespaces: BTreeSet<&str> = parts.entities.iter().map(|entity| entity.namespace.as_str()).collect();
            for entity in parts.entities {
                let of = if namespaces.len() > 1 { format!(" [{}]", entity.namespace) } else { String::new() };
                text.push_str(&format!("- {}{}{of}\n", entity.name, entity.in_words()));
            }
            text.push('\n');
        }
        for document in parts.documents {
            text.push_str(&format!("# {}\n\n`{}`\n\n", document.title, document.source));
            if detail == Detail::Full && !document.summary.is_empty() {
                text.push_str(&format!("*{}*\n\n", document.summary));
            }
            for passage in &document.passages {
                let titles = if passage.section_title.is_empty() { &document.title } else { &passage.section_title };
                let place = pages(passage.page_start, passage.page_end);
                let place = if place.is_empty() { place } else { format!(", {place}") };
                let shown = as_markdown(&passage.text, &document.format);
                text.push_str(&format!("## {titles} [{}{place}]\n\n{shown}\n\n", passage.section_id));
            }
        }
        let passages: usize = parts.left_out.iter().map(|part| part.chunk_ids.len()).sum();
        let states = parts.entities_left_out.len();
        let line = match detail {
            Detail::Full => left_out(parts.left_out, parts.entities_left_out),
            Detail::Count => {
                let counts = [(passages, "passage"), (states, "state")].into_iter().filter(|(number, _)| *number > 0);
                let counts: Vec<String> = counts.map(|(number, of)| count(number, of)).collect();
                (!counts.is_empty()).then(|| format!("left out: {}", counts.join(", ")))
            }
            Detail::Silent => None,
        };
        if let Some(line) = line {
            text.push_str(&format!("[{line}]\n"));
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
        Ok(text)
    }

    fn details(&self) -> &[Detail] {
        &[Detail::Full, Detail::Count, Detail::Silent]
    }
}

/// So many entities are named whose states did not fit.
const MOST_NAMED: usize = 10;

/// What did not fit, passages and states, in one line.
fn left_out(passages: &[Omitted], entities: &[String]) -> Option<String> {
    let more = if entities.len() > MOST_NAMED { ", …" } else { "" };
    let named: Vec<&str> = entities.iter().take(MOST_NAMED).map(String::as_str).collect();
    let states = (!entities.is_empty()).then(|| {
        let lead = if passages.is_empty() { "left out: " } else { "" };
        format!("{lead}{} of {}{more}", if entities.len() == 1 { "the state" } else { "the states" }, named.join(", "))
    });
    let parts: Vec<String> = omitted(passages).into_iter().chain(states).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// What `kb context` shows.
pub struct ContextView<'a>(pub &'a Context);

impl ContextView<'_> {
    /// What did not fit, in one line; `None` where everything did.
    pub fn left_out(&self) -> Option<String> {
        left_out(&self.0.left_out, &self.0.entities_left_out)
    }
}

impl View for ContextView<'_> {
    fn table(&self, _screen: Screen, out: &mut dyn Write) -> Result<()> {
        self.markdown(out)
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        out.write_all(self.0.text.as_bytes())
    }

    fn json(&self) -> Value {
        value(self.0)
    }

    fn lines(&self) -> Vec<Value> {
        let mut lines = Vec::new();
        for document in &self.0.documents {
            for passage in &document.passages {
                let mut line = value(passage);
                for (name, of_document) in [
                    ("doc_id", &document.doc_id),
                    ("namespace", &document.namespace),
                    ("title", &document.title),
                    ("source", &document.source),
                ] {
                    line[name] = json!(of_document);
                }
                lines.push(line);
            }
        }
        let entities = (!self.0.entities.is_empty()).then(|| json!({ "entities": self.0.entities }));
        let left_out = (!self.0.left_out.is_empty()).then(|| json!({ "left_out": self.0.left_out }));
        let states = &self.0.entities_left_out;
        let states = (!states.is_empty()).then(|| json!({ "entities_left_out": states }));
        lines.into_iter().chain(entities).chain(left_out).chain(states).collect()
    }

    fn paths(&self) -> Vec<String> {
        let mut paths: Vec<String> = Vec::new();
        for document in &self.0.documents {
            if !paths.contains(&document.source) {
                paths.push(document.source.clone());
            }
        }
        paths
    }
}
