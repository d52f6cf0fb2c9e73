//! Edits of chunks: what one did, and those that a changed source has overtaken.

use std::io::{Result, Write};

use serde_json::{Value, json};

use super::style::{DIM, PLACE, paint};
use super::{Screen, View, value};
use crate::edit::{Conflict, DocumentEdits};
use crate::text::count;

/// What `kb chunk-edit` shows.
pub struct EditedChunksView<'a> {
    /// What happened to each document.
    pub edits: &'a [DocumentEdits],
    /// The generation with it; `None` where nothing was published.
    pub generation: Option<u64>,
    /// Pieces embedded; `None` where it was only asked.
    pub embedded: Option<usize>,
}

impl View for EditedChunksView<'_> {
    fn table(&self, _screen: Screen, out: &mut dyn Write) -> Result<()> {
        self.markdown(out)
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        for row in self.edits {
            let parts = [("changed", &row.changed), ("added", &row.added), ("gone", &row.gone)];
            let told: Vec<String> = parts
                .iter()
                .filter(|(_, ids)| !ids.is_empty())
                .map(|(what, ids)| format!("{what} {}", ids.join(", ")))
                .collect();
            let verb = if self.embedded.is_some() { "edited" } else { "would edit" };
            let named = row.named.join(", ");
            match told.as_slice() {
                [] if self.generation.is_some() => writeln!(out, "settled {named} of {}", row.source)?,
                [] => writeln!(out, "nothing to change in {named} of {}", row.source)?,
                some => writeln!(out, "{verb} {named} of {}: {}", row.source, some.join("; "))?,
            }
        }
        if let Some(embedded) = self.embedded.filter(|embedded| *embedded > 0) {
            writeln!(out, "{} embedded", count(embedded, "piece"))?;
        }
        Ok(())
    }

    fn json(&self) -> Value {
        json!({
            "dry_run": self.embedded.is_none(),
            "generation": self.generation,
            "embedded": self.embedded,
            "documents": value(&self.edits),
        })
    }

    fn lines(&self) -> Vec<Value> {
        self.edits.iter().map(value).collect()
    }

    fn paths(&self) -> Vec<String> {
        self.edits.iter().flat_map(|row| row.changed.iter().chain(&row.added).cloned()).collect()
    }
}

/// What `kb chunks-list --conflicts` shows.
pub struct ConflictsView<'a>(pub &'a [Conflict]);

impl View for ConflictsView<'_> {
    fn table(&self, _screen: Screen, out: &mut dyn Write) -> Result<()> {
        for (i, row) in self.0.iter().enumerate() {
            if i > 0 {
                writeln!(out)?;
            }
            let place = row.chunk_id.as_deref().unwrap_or_default();
            writeln!(out, "{}  {}  {}", row.conflict_id, paint(PLACE, place), paint(DIM, &row.source_id))?;
            for (name, text) in texts(row) {
                let mut lines = text.lines();
                writeln!(out, "  {} {}", paint(DIM, format!("{name:<7}")), lines.next().unwrap_or_default())?;
                for line in lines {
                    writeln!(out, "          {line}")?;
                }
            }
        }
        Ok(())
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        for (i, row) in self.0.iter().enumerate() {
            if i > 0 {
                writeln!(out)?;
            }
            writeln!(out, "## {}\n", row.conflict_id)?;
            let place = row.chunk_id.as_ref().map(|id| format!(" · passage `{id}`")).unwrap_or_default();
            writeln!(out, "`{}` · {}{place} · edited {}", row.source_id, row.context, row.edited_at)?;
            for (name, text) in texts(row) {
                writeln!(out, "\n{name}:\n")?;
                for line in text.lines() {
                    writeln!(out, "{}", format!("> {line}").trim_end())?;
                }
            }
        }
        Ok(())
    }

    fn json(&self) -> Value {
        value(&self.0)
    }

    fn paths(&self) -> Vec<String> {
        self.0.iter().map(|row| row.conflict_id.clone()).collect()
    }
}

/// The three versions of a conflict, with words for what is empty, and the notes.
fn texts(row: &Conflict) -> Vec<(&'static str, String)> {
    let or = |text: &str, words: &str| if text.is_empty() { format!("({words})") } else { text.to_owned() };
    let mine = row.mine.as_deref().unwrap_or_default();
    let mut texts = vec![
        ("was", or(&row.original, "nothing: it was put in")),
        ("mine", or(mine, "deleted")),
        ("theirs", or(&row.theirs, "gone: mine would be put in")),
    ];
    if !row.metadata.is_empty() {
        let notes: Vec<String> = row.metadata.iter().map(|(name, value)| format!("{name}={value}")).collect();
        texts.push(("notes", notes.join(", ")));
    }
    texts
}
