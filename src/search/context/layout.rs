//! The parts of a context, and how they are laid out: [`Layout`], and a Jinja template as one.

use std::path::Path;

use minijinja::{Environment, UndefinedBehavior, context};
use serde::Serialize;

use crate::error::{Error, Result};
use crate::ids::{ChunkId, DocId};
use crate::knowledge::profile::Share;
use crate::search::hit::Omitted;
use crate::search::section_name::SectionName;
use crate::store::{DocumentTime, Fields, StateTime};

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ContextParts {
    /// The tables of contents, or parts of them, that the question asks for.
    pub contents: Vec<ContextContents>,
    /// The documents in the order of their best hits.
    pub documents: Vec<ContextDocument>,
    /// The states of the entities that the question or the chunks mention, those of the question first.
    pub entities: Vec<ContextEntity>,
    /// Parent chunks that were found but did not fit.
    pub left_out: Vec<Omitted>,
    /// The names of entities whose states did not fit.
    pub entities_left_out: Vec<String>,
}

/// A document's table of contents, or a part of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ContextContents {
    pub doc_id: DocId,
    pub namespace: String,
    pub title: String,
    pub source: String,
    /// The name of the requested part; `None` for the whole.
    pub part: Option<String>,
    /// In order; `titles` is the entry's own.
    pub entries: Vec<SectionName>,
    /// How many entries did not fit, deeper ones first.
    pub entries_left_out: usize,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ContextDocument {
    pub doc_id: DocId,
    pub namespace: String,
    pub title: String,
    pub source: String,
    /// BCP 47.
    pub language: String,
    pub time: Option<DocumentTime>,
    pub metadata: Fields,
    /// From its profile; empty without one.
    pub summary: String,
    /// The kinds of its parent chunks with their shares, from its profile.
    pub kinds: Vec<Share>,
    /// Its parent chunks, in reading order.
    pub parent_chunks: Vec<ContextParentChunk>,
}

/// The chosen parent chunks of a section.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ContextParentChunk {
    pub section: SectionName,
    pub page_start: Option<u32>,
    pub page_end: Option<u32>,
    /// The joint score of its parent chunks.
    pub score: f32,
    /// The confidence of the best hit that they are of.
    pub confidence: f32,
    /// The text, with `[…]` for parent chunks between them that are left out.
    pub content: String,
    /// Whether a person changed any of its parent chunks.
    pub edited: bool,
    pub chunk_ids: Vec<ChunkId>,
    /// The child chunks that match best, in the mode drill.
    pub children: Vec<ContextChild>,
}

/// A child chunk that matches.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ContextChild {
    pub chunk_id: ChunkId,
    /// From 0 to 1.
    pub score: f32,
    pub content: String,
}

/// How much a layout writes in addition to the text of chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// What was left out, and the summaries of documents.
    Full,
    /// How much was left out.
    Count,
    Silent,
}

pub trait Layout {
    /// # Errors
    /// If the layout uses something that does not exist.
    fn text(&self, query: &str, parts: &ContextParts, detail: Detail) -> Result<String>;

    /// The details that it knows, the fullest first.
    fn details(&self) -> &[Detail];
}

/// An entity that a question or a parent chunk mentions, with its state at the requested moment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ContextEntity {
    pub name: String,
    /// Its type; empty if it has none.
    #[serde(rename = "entity_type")]
    pub kind: String,
    pub aliases: Vec<String>,
    pub namespace: String,
    pub state: String,
    /// When the state began.
    pub time: StateTime,
    /// Whether the question mentions it; otherwise a parent chunk does.
    pub in_question: bool,
}

impl ContextEntity {
    /// Its description without its name: `(pump, also 一号泵): out of order, since 2026-03-01`.
    pub fn in_words(&self) -> String {
        let also = (!self.aliases.is_empty()).then(|| format!("also {}", self.aliases.join(", ")));
        let kind = (!self.kind.is_empty()).then(|| self.kind.clone());
        let parts: Vec<String> = kind.into_iter().chain(also).collect();
        let parts = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join("; ")) };
        format!("{parts}: {}, since {}", self.state, self.time.in_words())
    }
}

/// The hint of every error about templates.
const HINT: &str = "it may use query, contents (title, source, doc_id, namespace, part, entries, entries_left_out), documents (title, source, language, time, metadata, summary, kinds, doc_id, namespace, \
    parent_chunks) with time (at, from), kinds (kind, share) and parent_chunks (section, page_start, page_end, score, confidence, content, edited, chunk_ids, children (chunk_id, \
    score, content)), entities (name, entity_type, aliases, namespace, state, time, \
    in_question), left_out (source, section, chunk_ids), each section and entry with id, path, number, title, titles and level, and entities_left_out (names)";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    name: String,
    text: String,
}

impl Template {
    pub fn read(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| {
            Error::usage(format!("cannot read the template {name}: {}", crate::error::plain_io(&error)))
        })?;
        Template::new(&name, &text)
    }

    /// Parses a template; errors show its name.
    pub fn new(name: &str, text: &str) -> Result<Self> {
        let template = Template { name: name.to_owned(), text: text.to_owned() };
        environment().template_from_str(text).map_err(|error| template.error(&error))?;
        Ok(template)
    }

    fn error(&self, error: &minijinja::Error) -> Error {
        let line = error.line().unwrap_or(1);
        let text = self.text.lines().nth(line.saturating_sub(1)).unwrap_or_default().trim();
        let what = match error.kind() {
            minijinja::ErrorKind::UndefinedError => "uses an unknown placeholder".to_owned(),
            _ => error.detail().map_or_else(|| error.kind().to_string(), str::to_owned),
        };
        Error::usage(format!("the template {}, line {line}: {what}: {text}", self.name)).hint(HINT)
    }
}

impl Layout for Template {
    fn text(&self, query: &str, parts: &ContextParts, _: Detail) -> Result<String> {
        let variables = context! { query, ..minijinja::Value::from_serialize(parts) };
        environment().render_str(&self.text, variables).map_err(|error| self.error(&error))
    }

    fn details(&self) -> &[Detail] {
        &[Detail::Full]
    }
}

/// Unknown placeholders are errors; the line break after a tag is not part of the text.
fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_keep_trailing_newline(true);
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    environment
}
