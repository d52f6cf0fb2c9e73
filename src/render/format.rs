//! The formats of a result, and the width of the screen.

use std::io::IsTerminal;

use serde::{Deserialize, Serialize};

/// How a result is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum OutputFormat {
    /// For a terminal
    Table,
    /// For a pipe, and for agents
    Markdown,
    /// One JSON value
    Json,
    /// One JSON value per line
    Jsonl,
    /// Only paths or ids, one per line
    Paths,
    /// Only paths or ids, each with a NUL behind it
    #[value(skip)]
    PathsWithNul,
}

impl OutputFormat {
    pub fn is_json(self) -> bool {
        matches!(self, OutputFormat::Json | OutputFormat::Jsonl)
    }
}

const WITHOUT_TERMINAL: usize = 100;
const LINES_WITHOUT_TERMINAL: usize = 24;

/// What results are shown on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Screen {
    /// In characters: `COLUMNS` if the user set it, else the terminal's, else 100.
    pub columns: usize,
    pub lines: usize,
    /// Whether standard output is a terminal.
    pub is_terminal: bool,
    /// Whether the terminal shows links.
    pub has_links: bool,
}

impl Screen {
    /// The screen of this process.
    pub fn of_output() -> Self {
        let (is_terminal, size) = (std::io::stdout().is_terminal(), terminal_size::terminal_size());
        let set = std::env::var("COLUMNS").ok().filter(|_| is_terminal);
        let columns = width(set.as_deref(), size.map(|(columns, _)| columns.0));
        let lines = size.map_or(LINES_WITHOUT_TERMINAL, |(_, lines)| usize::from(lines.0));
        let has_links = is_terminal && supports_hyperlinks::on(supports_hyperlinks::Stream::Stdout);
        Screen { columns, lines, is_terminal, has_links }
    }

    /// The columns at which lines are wrapped: none without a terminal.
    pub(super) fn line(self) -> Option<usize> {
        self.is_terminal.then_some(self.columns)
    }
}

/// The columns of standard error, if it is a terminal.
pub fn message_columns() -> Option<usize> {
    let (columns, _) = terminal_size::terminal_size_of(std::io::stderr())?;
    Some(width(std::env::var("COLUMNS").ok().as_deref(), Some(columns.0)))
}

fn width(set: Option<&str>, terminal: Option<u16>) -> usize {
    let set = set.and_then(|columns| columns.trim().parse().ok()).filter(|&columns: &u16| columns > 0);
    set.or(terminal).map_or(WITHOUT_TERMINAL, usize::from).clamp(20, 200)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_sets_the_width_or_the_terminal_does() {
        assert_eq!(width(None, Some(60)), 60);
        assert_eq!(width(Some("72"), Some(60)), 72);
        assert_eq!(width(None, None), WITHOUT_TERMINAL);
        for nonsense in ["", "0", "-3", "wide"] {
            assert_eq!(width(Some(nonsense), Some(60)), 60, "{nonsense:?}");
        }
        assert_eq!((width(Some("3"), None), width(Some("9999"), None)), (20, 200));
    }
}
