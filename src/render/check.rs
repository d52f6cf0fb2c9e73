//! What a check found, and what a repair did.

use std::io::{Result, Write};

use serde::Serialize;
use serde_json::{Value, json};

use super::style::{BAD, DIM, paint};
use super::{Screen, View, value};
use crate::store::check::{Checked, Finding, Mended};
use crate::text::count;

/// A namespace that was checked, and with `--repair` mended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NamespaceCheck {
    /// What was found.
    #[serde(flatten)]
    pub found: Checked,
    /// What was mended; nothing, where no repair was asked for.
    pub mended: Vec<Mended>,
    /// What is found after a repair; `None` where none was asked for.
    pub left: Option<Checked>,
}

impl NamespaceCheck {
    /// What is wrong now.
    fn now(&self) -> &Checked {
        self.left.as_ref().unwrap_or(&self.found)
    }

    /// Whether nothing is wrong now.
    pub fn is_sound(&self) -> bool {
        self.now().findings.is_empty()
    }
}

/// What `kb check` shows.
pub struct CheckView<'a>(pub &'a [NamespaceCheck]);

enum Line {
    Wrong(String),
    Done(String),
}

fn wrong(finding: &Finding) -> Line {
    let (id, part) = (&finding.id, finding.part.name());
    Line::Wrong(format!("{part}: {id} {}; {}", finding.what, finding.command))
}

impl CheckView<'_> {
    /// A line a finding: those found, then what was done, then those left.
    fn lines_of(check: &NamespaceCheck) -> Vec<Line> {
        match &check.left {
            None => check.found.findings.iter().map(wrong).collect(),
            Some(left) => {
                let was = check.found.findings.iter().filter(|finding| !left.findings.contains(finding));
                let was = was.map(|one| Line::Done(format!("was wrong: {}: {} {}", one.part.name(), one.id, one.what)));
                let done = check.mended.iter().map(|one| Line::Done(format!("mended: {}: {}", one.id, one.what)));
                was.chain(done).chain(left.findings.iter().map(wrong)).collect()
            }
        }
    }

    fn summary(check: &NamespaceCheck) -> String {
        let now = check.now();
        let state = match now.findings.len() {
            0 => "sound".to_owned(),
            some => format!("{} found", count(some, "fault")),
        };
        format!(
            "{}: {state}; generation {}, {}, {}, {}",
            now.namespace,
            now.generation,
            count(now.documents, "document"),
            count(now.sections, "section"),
            count(now.chunks, "chunk")
        )
    }
}

impl View for CheckView<'_> {
    fn table(&self, _screen: Screen, out: &mut dyn Write) -> Result<()> {
        for check in self.0 {
            for line in CheckView::lines_of(check) {
                match line {
                    Line::Wrong(text) => writeln!(out, "{}", paint(BAD, text))?,
                    Line::Done(text) => writeln!(out, "{}", paint(DIM, text))?,
                }
            }
            writeln!(out, "{}", CheckView::summary(check))?;
        }
        Ok(())
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        for check in self.0 {
            for Line::Wrong(text) | Line::Done(text) in CheckView::lines_of(check) {
                writeln!(out, "- {text}")?;
            }
            writeln!(out, "{}", CheckView::summary(check))?;
        }
        Ok(())
    }

    fn json(&self) -> Value {
        let sound = self.0.iter().all(NamespaceCheck::is_sound);
        json!({ "sound": sound, "namespaces": self.0.iter().map(value).collect::<Vec<_>>() })
    }

    fn lines(&self) -> Vec<Value> {
        let one = |check: &NamespaceCheck, finding: &Finding| {
            let mut line = value(finding);
            if let Value::Object(fields) = &mut line {
                fields.insert("namespace".to_owned(), json!(check.found.namespace));
            }
            line
        };
        self.0.iter().flat_map(|check| check.now().findings.iter().map(move |finding| one(check, finding))).collect()
    }

    fn paths(&self) -> Vec<String> {
        self.0.iter().flat_map(|check| &check.now().findings).map(|finding| finding.id.clone()).collect()
    }
}
