//! Contexts for prompts.

use std::collections::BTreeSet;

use serde_json::json;

use super::explain::add_stages;
use super::json::value;
use super::page::{Note, Page};
use super::search::omitted;
use super::style::{around, markdown_of, pages};
use crate::ids::ChunkId;
use crate::search::{
    Context, ContextContents, ContextDocument, ContextParentChunk, ContextParts, Detail, Layout, Omitted,
};
use crate::store::DocumentTime;
use crate::text::{count, first_of, printable, unique};

/// The default layout: Markdown with the source of every chunk.
pub struct MarkdownLayout;

impl Layout for MarkdownLayout {
    fn text(&self, _query: &str, parts: &ContextParts, detail: Detail) -> crate::error::Result<String> {
        let mut text = String::new();
        parts.contents.iter().for_each(|contents| text.push_str(&contents_text(contents)));
        if !parts.entities.is_empty() {
            text.push_str("# Entities\n\n");
            let namespaces: BTreeSet<&str> = parts.entities.iter().map(|entity| entity.namespace.as_str()).collect();
            for entity in &parts.entities {
                let of = if namespaces.len() > 1 { format!(" [{}]", entity.namespace) } else { String::new() };
                text.push_str(&format!("- {}{}{of}\n", entity.name, entity.in_words()));
            }
            text.push('\n');
        }
        for document in &parts.documents {
            let title = printable(&document.title);
            text.push_str(&format!("# {title}\n\n"));
            if detail == Detail::Full && !document.summary.is_empty() {
                text.push_str(&format!("*{}*\n\n", printable(&document.summary)));
            }
            for parent in &document.parent_chunks {
                let title = if parent.section.titles.is_empty() { &document.title } else { &parent.section.titles };
                let (title, origin) = (printable(title), origin(document, parent));
                let content = markdown_of(&document.source, &parent.content);
                text.push_str(&format!("## {title}\n{origin}\n\n{content}\n\n"));
                let ids: Vec<String> = parent.children.iter().map(|child| format!("`{}`", child.chunk_id)).collect();
                text.push_str(&around("Matching child chunks: ", &ids.join(", "), "\n\n"));
            }
        }
        let parents: usize = parts.left_out.iter().map(|part| part.chunk_ids.len()).sum();
        let states = parts.entities_left_out.len();
        let line = match detail {
            Detail::Full => left_out(&parts.left_out, &parts.entities_left_out),
            Detail::Count => {
                let counts =
                    [(parents, "parent chunk"), (states, "state")].into_iter().filter(|(number, _)| *number > 0);
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

/// A table of contents with its origin.
fn contents_text(contents: &ContextContents) -> String {
    let of_part = around(": ", &printable(contents.part.as_deref().unwrap_or_default()), "");
    let (title, source) = (printable(&contents.title), printable(&contents.source));
    let mut text = format!("# Contents of {title}{of_part}\n[source: {source} · document {}]\n\n", contents.doc_id);
    let top = contents.entries.iter().map(|entry| entry.id.level()).min().unwrap_or_default();
    for entry in &contents.entries {
        let indent = "  ".repeat(entry.id.level().saturating_sub(top));
        text.push_str(&format!("{indent}- {}\n", printable(entry.title())));
    }
    if contents.entries_left_out > 0 {
        text.push_str(&format!("[left out: {} of the entries]\n", contents.entries_left_out));
    }
    text + "\n"
}

/// Where a parent chunk is from and how sure it is that it answers, in the language of its document.
fn origin(document: &ContextDocument, parent: &ContextParentChunk) -> String {
    let is_chinese = document.language.starts_with("zh");
    let [source, section, edited, stated, of_file, sure] = match is_chinese {
        true => ["来源：", "章节 ", "已编辑", "时间 ", "文件修改于 ", "置信度 "],
        false => ["source: ", "section ", "edited", "time ", "file changed ", "confidence "],
    };
    let place = match (is_chinese, parent.page_start, parent.page_end) {
        (true, Some(start), Some(end)) if end > start => format!("第 {start}–{end} 页"),
        (true, Some(start), _) => format!("第 {start} 页"),
        (_, start, end) => pages(start, end),
    };
    // A file's own time says little about its content, and nothing if it was copied.
    let time = document.time.as_ref().map(|known| {
        let what = if known.from == DocumentTime::FILE { of_file } else { stated };
        format!("{what}{}", known.at.strftime("%Y-%m-%d"))
    });
    let sure = format!("{sure}{:.2}", parent.confidence);
    let edited = if parent.edited { edited.to_owned() } else { String::new() };
    let rest = [place, edited, time.unwrap_or_default(), sure].map(|part| around(" · ", &part, "")).concat();
    format!("[{source}{} · {section}{}{rest}]", printable(&document.source), parent.section.id)
}

/// What did not fit, parent chunks and states, in one line.
fn left_out(parents: &[Omitted], entities: &[String]) -> Option<String> {
    let states = (!entities.is_empty()).then(|| {
        let prefix = if parents.is_empty() { "left out: " } else { "" };
        let states = if entities.len() == 1 { "the state" } else { "the states" };
        format!("{prefix}{states} of {}", first_of(entities.iter().cloned()))
    });
    let parts: Vec<String> = omitted(parents).into_iter().chain(states).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// What `kb context` shows.
pub fn prompt_context(context: &Context) -> Page {
    let ContextParts { contents, documents, entities, left_out, entities_left_out: states } = &context.parts;
    let passage = |(document, parent): (&ContextDocument, &ContextParentChunk)| {
        let mut line = value(parent);
        line["doc_id"] = json!(document.doc_id);
        line["namespace"] = json!(document.namespace);
        line["title"] = json!(document.title);
        line["source"] = json!(document.source);
        line["time"] = json!(document.time);
        line["metadata"] = json!(document.metadata);
        line
    };
    let chunks = || documents.iter().flat_map(|document| document.parent_chunks.iter().map(move |one| (document, one)));
    let sources = contents.iter().map(|contents| &contents.source);
    let mut page = Page::listing("context", context, "documents", "document")
        .with_lines("contents", contents)
        .with_lines("passage", chunks().map(passage))
        .with_lines("entity", entities)
        .with_fields_in_lines(&["contents", "entities"])
        .with_sources(unique(sources.chain(documents.iter().map(|document| &document.source))));
    page.verbatim(&context.text);
    if context.trace.detailed {
        page = page.with_field("stages", &context.trace.stages);
        let hits: Vec<Vec<&ChunkId>> = chunks().map(|(_, parent)| parent.chunk_ids.iter().collect()).collect();
        add_stages(&mut page, &context.trace, &hits);
    }
    page.notes.extend(self::left_out(left_out, states).map(|message| Note { code: "left_out", message }));
    page
}
