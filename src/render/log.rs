//! The generations of a namespace, and one that was brought back.

use std::io::{Result, Write};

use serde_json::{Value, json};

use super::style::{DIM, TITLE, grid, markdown_grid, paint};
use super::{Screen, View, value};
use crate::store::{LogEntry, Note, Restored};
use crate::text::{count, moment};

/// What `kb log` shows.
pub struct LogView<'a>(pub &'a [LogEntry]);

const HEADER: [&str; 5] = ["generation", "published", "command", "documents", "state"];

/// What is known of a generation that an earlier version of kb published.
const UNKNOWN: &str = "not recorded";

/// `restore of generation 12`.
fn command(note: &Note) -> String {
    match note.restored {
        Some(generation) => format!("{} of generation {generation}", note.command),
        None => note.command.clone(),
    }
}

/// `2 added, 1 removed: a.md, b.md, …`.
fn documents(note: &Note) -> String {
    let counts: Vec<String> = note.counts.iter().map(|(action, count)| format!("{count} {action}")).collect();
    if note.sources.is_empty() {
        return counts.join(", ");
    }
    let more = if note.documents() > note.sources.len() as u64 { ", …" } else { "" };
    format!("{}: {}{more}", counts.join(", "), note.sources.join(", "))
}

impl LogView<'_> {
    fn rows(&self, now: &jiff::Zoned) -> Vec<Vec<String>> {
        self.0
            .iter()
            .map(|entry| {
                let state = match (entry.published, entry.restorable) {
                    (true, _) => "published",
                    (_, true) => "can be restored",
                    _ => "gone",
                };
                vec![
                    entry.generation.to_string(),
                    told(&entry.published_at, now),
                    entry.note.as_ref().map_or_else(|| UNKNOWN.to_owned(), command),
                    entry.note.as_ref().map(documents).unwrap_or_default(),
                    state.to_owned(),
                ]
            })
            .collect()
    }
}

fn told(time: &str, now: &jiff::Zoned) -> String {
    time.parse().map_or_else(|_| time.to_owned(), |time| moment(time, now))
}

impl View for LogView<'_> {
    fn table(&self, screen: Screen, out: &mut dyn Write) -> Result<()> {
        writeln!(out, "{}", grid(screen, &HEADER, &[0], self.rows(&jiff::Zoned::now())))
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        write!(out, "{}", markdown_grid(&HEADER, &self.rows(&jiff::Zoned::now())))
    }

    fn json(&self) -> Value {
        value(&self.0)
    }

    fn paths(&self) -> Vec<String> {
        self.0.iter().map(|entry| entry.generation.to_string()).collect()
    }
}

/// What `kb restore` shows.
pub struct RestoredView<'a> {
    /// What it did.
    pub restored: &'a Restored,
    /// Whether it was only asked.
    pub dry_run: bool,
}

impl RestoredView<'_> {
    /// What was done, and what it comes to.
    fn sentences(&self) -> [String; 2] {
        let restored = self.restored;
        let when = told(&restored.published_at, &jiff::Zoned::now());
        let old = format!("generation {} ({when})", restored.restored);
        let what = match (restored.generation, self.dry_run) {
            (Some(generation), _) => format!("restored {old} as generation {generation}"),
            (None, true) => format!("would restore {old}"),
            (None, false) => format!("{old} is the published one; nothing was done"),
        };
        let counts =
            [(restored.added, "put back"), (restored.changed, "changed back"), (restored.removed, "taken out")];
        let documents = counts.into_iter().filter(|(number, _)| *number > 0);
        let mut counts: Vec<String> =
            documents.map(|(number, what)| format!("{} {what}", count(number, "document"))).collect();
        match restored.entities {
            0 => {}
            1 => counts.push("1 entity put back as it was".to_owned()),
            some => counts.push(format!("{some} entities put back as they were")),
        }
        let counts = if counts.is_empty() { "no document is other than now".to_owned() } else { counts.join(", ") };
        let vectors = restored.model.as_ref().map(|model| format!("; its vectors are of the model {}", model.name));
        [what, format!("{counts}{}", vectors.unwrap_or_default())]
    }
}

impl View for RestoredView<'_> {
    fn table(&self, _screen: Screen, out: &mut dyn Write) -> Result<()> {
        let [what, counts] = self.sentences();
        writeln!(out, "{}; {}", paint(TITLE, what), paint(DIM, counts))
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        writeln!(out, "{}", self.sentences().join("; "))
    }

    fn json(&self) -> Value {
        let mut json = value(self.restored);
        if let Value::Object(fields) = &mut json {
            fields.insert("dry_run".to_owned(), json!(self.dry_run));
        }
        json
    }

    fn paths(&self) -> Vec<String> {
        self.restored.generation.iter().map(u64::to_string).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_told_in_a_line() {
        let mut note = Note::of("ingest").with("added", "a.md").with("updated", "b.md");
        assert_eq!(documents(&note), "1 added, 1 updated: a.md, b.md");
        note.add_many("added", 3);
        assert_eq!(documents(&note), "4 added, 1 updated: a.md, b.md, …");
        let restore = Note { restored: Some(7), ..Note::of("restore") };
        assert_eq!((command(&restore).as_str(), documents(&restore).as_str()), ("restore of generation 7", ""));
    }
}
