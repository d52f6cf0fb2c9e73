//! The lists and actions of the browser, and the command of kb for each.

/// Hits that are listed.
const HITS: usize = 20;

/// The kinds of rows in the list on the left.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListKind {
    #[default]
    Hits,
    Documents,
    History,
}

impl ListKind {
    pub(super) const ALL: [ListKind; 3] = [ListKind::Hits, ListKind::Documents, ListKind::History];

    pub(super) fn name(self) -> &'static str {
        match self {
            ListKind::Hits => "Search",
            ListKind::Documents => "Documents",
            ListKind::History => "History",
        }
    }

    pub(super) fn next(self) -> Self {
        let at = ListKind::ALL.iter().position(|one| *one == self).unwrap_or_default();
        ListKind::ALL[(at + 1) % ListKind::ALL.len()]
    }
}

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Task {
    Search(String),
    Documents,
    Contents(String),
    Section(String),
    History,
    Changes { from: u64, to: u64 },
    Open(String),
    Delete(String),
    Undo,
    Edit(String),
    Leave,
}

impl Task {
    /// The command that does it, if there is one.
    pub(super) fn arguments(&self) -> Option<Vec<String>> {
        let of = |words: &[&str]| Some(words.iter().map(|word| (*word).to_owned()).collect());
        match self {
            Task::Search(query) => of(&["search", &format!("--limit={HITS}"), "--", query]),
            Task::Documents => of(&["docs"]),
            Task::Contents(document) => of(&["toc", "--", document]),
            Task::Section(id) => of(&["show", "--", id]),
            Task::History => of(&["log"]),
            Task::Changes { from, to } => of(&["diff", &from.to_string(), &to.to_string()]),
            Task::Open(id) => of(&["open", "--", id]),
            Task::Delete(chunk) => of(&["chunk-delete", "--yes", "--", chunk]),
            Task::Undo => of(&["undo"]),
            Task::Edit(_) | Task::Leave => None,
        }
    }
}
