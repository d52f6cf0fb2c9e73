//! Contexts for prompts.

use std::io::{Result, Write};

use serde_json::{Value, json};

use super::search::omitted;
use super::{Screen, View, as_markdown, pages, value};
use crate::retrieve::{Context, ContextDocument, Detail, Layout, Omitted};
use crate::text::count;

/// The layout that is used where no template is given: Markdown, with the source of everything.
pub struct MarkdownLayout;

impl Layout for MarkdownLayout {
    fn text(
        &self,
        _query: &str,
        documents: &[ContextDocument],
        left_out: &[Omitted],
        detail: Detail,
    ) -> crate::error::Result<String> {
        let mut text = String::new();
        for document in documents {
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
        let passages: usize = left_out.iter().map(|part| part.chunk_ids.len()).sum();
        let line = match detail {
            Detail::Full => omitted(left_out),
            Detail::Count => (passages > 0).then(|| format!("left out: {}", count(passages, "passage"))),
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

/// What `kb context` shows.
pub struct ContextView<'a>(pub &'a Context);

impl ContextView<'_> {
    /// What did not fit, in one line; `None` where everything did.
    pub fn left_out(&self) -> Option<String> {
        omitted(&self.0.left_out)
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
        let left_out = (!self.0.left_out.is_empty()).then(|| json!({ "left_out": self.0.left_out }));
        lines.into_iter().chain(left_out).collect()
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
