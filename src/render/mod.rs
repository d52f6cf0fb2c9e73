//! Results to tables, Markdown, JSON and paths: the only place that formats.
//!
//! A table is for people at a terminal, and may change. Markdown is for pipes and agents; JSON and JSON Lines are for
//! scripts, and their fields stay. Colours are written as ANSI codes; the stream takes them out where nobody can see
//! them.

mod check;
mod chunks;
mod context;
mod correction;
mod diff;
mod docs;
mod edits;
mod entities;
mod eval;
mod explain;
mod ingest;
mod lines;
mod llm;
mod log;
mod models;
mod namespaces;
mod query_encoder;
mod reindex;
mod revector;
mod search;
mod section;
mod status;
mod style;
mod toc;
mod toc_list;

use std::borrow::Cow;
use std::io::{IsTerminal, Result, Write};

use serde_json::Value;

use crate::load::Format;

pub use check::{CheckView, NamespaceCheck};
pub use chunks::{ChunkListView, DeletedChunksView};
pub use context::{ContextView, MarkdownLayout};
pub use correction::CorrectionView;
pub use diff::DiffView;
pub use docs::{DocumentList, DocumentView, ListedDocument, RemovedView};
pub use edits::{ConflictsView, EditedChunksView};
pub use entities::{EntitiesSetView, EntityListView, EntityView};
pub use eval::EvalView;
pub use explain::WhyView;
pub use ingest::IngestView;
pub use llm::LlmCheckView;
pub use log::{LogView, RestoredView};
pub use models::{AddedModel, AddedModelView, Machine, ModelLine, ModelList, RemovedModelView};
pub use namespaces::{NamespaceLine, NamespaceList, NamespaceOutcome, NamespaceView};
pub use query_encoder::QueryEncoderView;
pub use reindex::ReindexView;
pub use revector::RevectorView;
pub use search::SearchView;
pub use section::SectionView;
pub use status::{QueryEncoderStatus, Status, StatusView};
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
    /// The terminal's, `COLUMNS` where the user set it, or a width that reads well where there is no terminal.
    pub fn of_terminal() -> Self {
        let set = std::env::var("COLUMNS").ok().filter(|_| std::io::stdout().is_terminal());
        Screen { width: width(set.as_deref(), columns_of_terminal()) }
    }
}

/// Columns where there is no terminal to tell them.
const NO_TERMINAL: usize = 100;

/// Columns, from what `COLUMNS` says and what the terminal says.
fn width(set: Option<&str>, terminal: Option<u16>) -> usize {
    let set = set.and_then(|columns| columns.trim().parse().ok()).filter(|&columns: &u16| columns > 0);
    set.or(terminal).map_or(NO_TERMINAL, usize::from).clamp(20, 200)
}

/// The columns of the first standard stream that is a terminal. Its rows may be unknown (0, as in `script`), which
/// `terminal_size` takes for no terminal at all.
#[cfg(unix)]
fn columns_of_terminal() -> Option<u16> {
    use std::os::fd::AsFd;
    let (out, err, input) = (std::io::stdout(), std::io::stderr(), std::io::stdin());
    [out.as_fd(), err.as_fd(), input.as_fd()]
        .into_iter()
        .filter_map(|stream| rustix::termios::tcgetwinsize(stream).ok())
        .map(|size| size.ws_col)
        .find(|&columns| columns > 0)
}

#[cfg(not(unix))]
fn columns_of_terminal() -> Option<u16> {
    terminal_size::terminal_size().map(|(width, _)| width.0)
}

/// Text of a document in a Markdown view. What is no Markdown must not become headings: `# ls` in a manual is a
/// command.
fn as_markdown<'t>(text: &'t str, format: &str) -> Cow<'t, str> {
    if format == Format::Markdown.name() || !text.contains('#') {
        return Cow::Borrowed(text);
    }
    let mut in_fence = false;
    let mut out = String::with_capacity(text.len() + 16);
    for line in text.split_inclusive('\n') {
        let words = line.trim_start_matches(' ');
        let indent = line.len() - words.len();
        let fence = words.starts_with("```") || words.starts_with("~~~");
        in_fence ^= fence;
        // Further in it is code or goes on with a paragraph, and in a fence the backslash would be seen.
        if words.starts_with('#') && indent < 4 && !in_fence {
            out.push_str(&line[..indent]);
            out.push('\\');
            out.push_str(words);
        } else {
            out.push_str(line);
        }
    }
    Cow::Owned(out)
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

/// What is said of documents that an earlier version had put in.
fn profiled(documents: usize) -> String {
    format!("{} got a profile, without being read again", crate::text::count(documents, "unchanged document"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_width_is_what_the_user_set_or_the_terminal_says() {
        assert_eq!(width(None, Some(60)), 60);
        assert_eq!(width(Some("72"), Some(60)), 72);
        assert_eq!(width(None, None), NO_TERMINAL);
        for nonsense in ["", "0", "-3", "wide"] {
            assert_eq!(width(Some(nonsense), Some(60)), 60, "{nonsense:?}");
        }
        assert_eq!((width(Some("3"), None), width(Some("9999"), None)), (20, 200));
    }

    #[test]
    fn lines_of_other_formats_do_not_become_headings() {
        let text = "As root:\n# chown newowner foo\n  ## twice\n    # far in\nC# is no\n```\n# code\n```\n#include\n";
        let escaped =
            "As root:\n\\# chown newowner foo\n  \\## twice\n    # far in\nC# is no\n```\n# code\n```\n\\#include\n";
        assert_eq!(as_markdown(text, "pdf"), escaped);
        assert_eq!(as_markdown(text, "markdown"), text);
    }
}
