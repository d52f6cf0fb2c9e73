//! What a generation did, in a few words: enough to know it again in a list.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// So many sources are named; the others are counted.
const MOST_SOURCES: usize = 5;

/// What the command that published a generation had done by then.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The command: `ingest`, `chunk-delete`, `check --repair`.
    pub command: String,
    /// The generation that was brought back, of `restore`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restored: Option<u64>,
    /// How many documents had what happen to them: `added`, `updated`, `removed`.
    pub counts: BTreeMap<String, u64>,
    /// The sources of some of them.
    pub sources: Vec<String>,
}

impl Note {
    /// The note of a command that has done nothing yet.
    pub fn of(command: &str) -> Self {
        Note { command: command.to_owned(), ..Note::default() }
    }

    /// The same with something that happened to a document.
    pub fn with(mut self, action: &str, source: &str) -> Self {
        self.add(action, source);
        self
    }

    /// Takes down what happened to a document.
    pub fn add(&mut self, action: &str, source: &str) {
        self.add_many(action, 1);
        if self.sources.len() < MOST_SOURCES && !self.sources.iter().any(|known| known == source) {
            self.sources.push(source.to_owned());
        }
    }

    /// Takes down what happened to so many documents, without naming them.
    pub fn add_many(&mut self, action: &str, documents: u64) {
        if documents > 0 {
            *self.counts.entry(action.to_owned()).or_default() += documents;
        }
    }

    /// This, and what the same run did after it.
    pub(in crate::store) fn and(mut self, later: &Note) -> Self {
        self.command.clone_from(&later.command);
        self.restored = later.restored.or(self.restored);
        for (action, count) in &later.counts {
            self.add_many(action, *count);
        }
        let room = MOST_SOURCES.saturating_sub(self.sources.len());
        let new: Vec<String> = later.sources.iter().filter(|source| !self.sources.contains(source)).cloned().collect();
        self.sources.extend(new.into_iter().take(room));
        // Files are read by several threads; what a note says must not depend on which was faster.
        self.sources.sort();
        self
    }

    /// How many documents are counted.
    pub fn documents(&self) -> u64 {
        self.counts.values().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_batches_of_a_run_add_up_to_one_note() {
        let mut first = Note::of("ingest");
        (0..4).for_each(|i| first.add("added", &format!("{i}.md")));
        let mut second = Note::of("ingest").with("added", "4.md").with("updated", "5.md");
        second.add_many("removed", 0);
        let both = Note::default().and(&first).and(&second);
        assert_eq!(both.command, "ingest");
        assert_eq!(both.counts, BTreeMap::from([("added".to_owned(), 5), ("updated".to_owned(), 1)]));
        assert_eq!(both.sources, ["0.md", "1.md", "2.md", "3.md", "4.md"]);
        assert_eq!(both.documents(), 6);
    }
}
