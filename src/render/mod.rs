//! Results to tables, Markdown, JSON and paths: the only place that formats.
//!
//! A table is for people at a terminal, and may change. Markdown is for pipes and agents; JSON and JSON Lines are for
//! scripts, and their fields stay. Colours are written as ANSI codes; the stream takes them out where nobody can see
//! them.

mod correction;
mod docs;
mod eval;
mod ingest;
mod reindex;
mod search;
mod section;
mod status;
mod style;
mod toc;
mod toc_list;

use std::io::{Result, Write};

use serde_json::Value;

pub use correction::CorrectionView;
pub use docs::{DocumentList, DocumentView, RemovedView};
pub use eval::EvalView;
pub use ingest::IngestView;
pub use reindex::ReindexView;
pub use search::SearchView;
pub use section::SectionView;
pub use status::{Status, StatusView};
pub use toc::TocView;
pub use toc_list::TocListView;

/// How a result is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum OutputFormat {
    /// For a terminal
    Table,
    /// For a pipe, and for agents
    Markdown,
    /// One JSON value
    Json,
    /// A JSON value a line
    Jsonl,
    /// Only paths or ids, one a line
    Paths,
}

/// What is known of where the output goes.
#[derive(Debug, Clone, Copy)]
pub struct Screen {
    /// Columns.
    pub width: usize,
}

impl Screen {
    /// The terminal's, or a width that reads well where there is none.
    pub fn of_terminal() -> Self {
        let width = terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0));
        Screen { width: width.clamp(40, 200) }
    }
}

/// A result that can be written in every format.
pub trait View {
    /// For people.
    fn table(&self, screen: Screen, out: &mut dyn Write) -> Result<()>;
    /// For pipes and agents.
    fn markdown(&self, out: &mut dyn Write) -> Result<()>;
    /// For scripts, as one value.
    fn json(&self) -> Value;
    /// For scripts, a value a line.
    fn lines(&self) -> Vec<Value> {
        match self.json() {
            Value::Array(values) => values,
            value => vec![value],
        }
    }
    /// Paths or ids.
    fn paths(&self) -> Vec<String>;
}

/// Writes a result.
///
/// # Errors
/// Where `out` cannot be written.
pub fn render(view: &dyn View, format: OutputFormat, screen: Screen, out: &mut dyn Write) -> Result<()> {
    match format {
        OutputFormat::Table => view.table(screen, out),
        OutputFormat::Markdown => view.markdown(out),
        OutputFormat::Json => writeln!(out, "{:#}", view.json()),
        OutputFormat::Jsonl => view.lines().iter().try_for_each(|value| writeln!(out, "{value}")),
        OutputFormat::Paths => view.paths().iter().try_for_each(|path| writeln!(out, "{path}")),
    }
}

/// `p. 4`, `pp. 4–6`, or nothing.
fn pages(start: Option<u32>, end: Option<u32>) -> String {
    match (start, end) {
        (Some(start), Some(end)) if end > start => format!("pp. {start}–{end}"),
        (Some(start), _) => format!("p. {start}"),
        _ => String::new(),
    }
}

/// The value of anything that can be serialised; our types all can.
fn value<T: serde::Serialize>(of: &T) -> Value {
    serde_json::to_value(of).unwrap_or(Value::Null)
}
