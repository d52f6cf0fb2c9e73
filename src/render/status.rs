//! The store in figures.

use std::collections::BTreeMap;
use std::io::{Result, Write};

use serde::Serialize;
use serde_json::Value;

use super::style::{DIM, paint};
use super::{Screen, View, value};
use crate::embed::query_table::About;
use crate::store::Holder;
use crate::text::{count, moment, size};

/// The figures.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Status {
    /// The store's folder.
    pub store: String,
    /// The namespace.
    pub namespace: String,
    /// The published generation.
    pub generation: u64,
    /// When it was published.
    pub published_at: String,
    /// Documents.
    pub documents: usize,
    /// Of these, how many have chunks without vectors.
    pub without_vectors: usize,
    /// How many have what in front of their passages, as `kb ingest --context` names it.
    pub contexts: BTreeMap<&'static str, usize>,
    /// Sections, preambles included.
    pub sections: usize,
    /// Parent chunks.
    pub parents: usize,
    /// All chunks, parents and children.
    pub chunks: usize,
    /// Parent chunks in the keyword index.
    pub keyword_chunks: u64,
    /// Bytes on disk.
    pub bytes: u64,
    /// Of these, those of the tables.
    pub tables_bytes: u64,
    /// Those of the keyword index.
    pub keyword_bytes: u64,
    /// Of those of the tables, those that the published generation does not consist of.
    pub history_bytes: u64,
    /// How many old generations can be restored.
    pub restorable_generations: usize,
    /// The model of the vectors.
    pub model: String,
    /// Numbers per vector.
    pub dimension: usize,
    /// Why the vectors cannot be asked, and what to do; `None` where they can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_problem: Option<String>,
    /// What runs the model here.
    pub engine: String,
    /// Why it does not do so on the device that was asked for; `None` where it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine_problem: Option<String>,
    /// What stands in for the model when questions are asked, where somebody had it made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query_encoder: Option<QueryEncoderStatus>,
    /// The generation that is being published, or whose publication was interrupted; the next writer settles it.
    pub pending_generation: Option<u64>,
    /// Whether a process is writing.
    pub writing: bool,
    /// Which, where it can be told.
    pub writer: Option<Holder>,
}

/// A table of `kb reindex --query-encoder`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QueryEncoderStatus {
    /// What it was made of.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub about: Option<About>,
    /// Why it is not used; `None` where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passed_over: Option<String>,
}

impl QueryEncoderStatus {
    fn in_words(&self, generation: u64) -> String {
        let Some(About { agreement, generation: of, .. }) = &self.about else {
            return format!("none that can be used: {}", self.passed_over.as_deref().unwrap_or_default());
        };
        let since = match generation.saturating_sub(*of) {
            0 => String::new(),
            since => format!(", {} ago", count(since as usize, "generation")),
        };
        let used = match &self.passed_over {
            Some(why) => format!("not used: {why}"),
            None => format!("mean cosine to the model {agreement:.3}"),
        };
        format!("fitted to generation {of}{since}; {used}")
    }
}

/// What `kb status` shows, of each namespace that was named.
pub struct StatusView<'a>(pub &'a [Status]);

impl Status {
    fn facts(&self) -> Vec<(&'static str, String)> {
        let status = self;
        let now = jiff::Zoned::now();
        let published = match status.published_at.parse() {
            Ok(time) => moment(time, &now),
            Err(_) => status.published_at.clone(),
        };
        let contexts: Vec<String> =
            status.contexts.iter().map(|(context, documents)| format!("{context} {documents}")).collect();
        let mut facts = vec![
            ("store", status.store.clone()),
            ("namespace", status.namespace.clone()),
            ("generation", format!("{}, published {published}", status.generation)),
            (
                "documents",
                match status.without_vectors {
                    0 => status.documents.to_string(),
                    some => format!("{} ({some} without vectors; `kb ingest` makes them)", status.documents),
                },
            ),
            ("contexts", contexts.join(", ")),
            ("sections", status.sections.to_string()),
            ("passages", format!("{} (in {})", status.parents, count(status.chunks - status.parents, "piece"))),
            (
                "size",
                format!(
                    "{} (tables {}, keyword index {})",
                    size(status.bytes),
                    size(status.tables_bytes),
                    size(status.keyword_bytes)
                ),
            ),
            (
                "history",
                match status.restorable_generations {
                    0 => format!("no generation that can be restored ({})", size(status.history_bytes)),
                    some => format!(
                        "{} that can be restored ({}); `kb log` lists them",
                        count(some, "generation"),
                        size(status.history_bytes)
                    ),
                },
            ),
            (
                "model",
                match &status.model_problem {
                    None => format!("{}, {} dimensions", status.model, status.dimension),
                    Some(problem) => {
                        let (name, dimension) = (&status.model, status.dimension);
                        format!("{name}, {dimension} dimensions; searches go by words alone: {problem}")
                    }
                },
            ),
            (
                "engine",
                match &status.engine_problem {
                    None => status.engine.clone(),
                    Some(problem) => format!("{}; not as asked for: {problem}", status.engine),
                },
            ),
        ];
        if let Some(encoder) = &status.query_encoder {
            facts.push(("questions", format!("by a table {}", encoder.in_words(status.generation))));
        }
        if status.writing {
            let who = status.writer.as_ref().map_or_else(|| "another kb".to_owned(), |writer| writer.in_words(&now));
            facts.push(("writing", who));
        }
        if let Some(pending) = status.pending_generation {
            let how = if status.writing {
                "is being published"
            } else {
                "was not finished; the next command that writes settles it"
            };
            facts.push(("pending", format!("generation {pending} {how}")));
        }
        facts.retain(|(_, value)| !value.is_empty());
        facts
    }
}

impl View for StatusView<'_> {
    fn table(&self, _screen: Screen, out: &mut dyn Write) -> Result<()> {
        for (at, status) in self.0.iter().enumerate() {
            if at > 0 {
                writeln!(out)?;
            }
            for (name, value) in status.facts() {
                writeln!(out, "{} {value}", paint(DIM, format!("{name:<11}")))?;
            }
        }
        Ok(())
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        for (at, status) in self.0.iter().enumerate() {
            if at > 0 {
                writeln!(out)?;
            }
            for (name, value) in status.facts() {
                writeln!(out, "- {name}: {value}")?;
            }
        }
        Ok(())
    }

    fn json(&self) -> Value {
        match self.0 {
            [only] => value(only),
            several => value(&several),
        }
    }

    fn paths(&self) -> Vec<String> {
        let mut paths: Vec<String> = self.0.iter().map(|status| status.store.clone()).collect();
        paths.dedup();
        paths
    }
}
