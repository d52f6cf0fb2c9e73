//! How a search came to its result: its stages, and what became of one passage.

use std::io::{Result, Write};

use serde_json::Value;

use super::style::{BAD, DIM, TITLE, grid, markdown_grid, paint};
use super::{Screen, View, value};
use crate::retrieve::{Trace, Why};

/// So many candidates of a stage are shown; JSON has all of them.
const MOST_SHOWN: usize = 5;
const STAGES: [&str; 6] = ["stage", "ms", "taken", "given", "says", "first"];
const PLACES: [&str; 5] = ["stage", "place", "of", "score", "place of all"];
const EVIDENCE: [&str; 4] = ["passage", "place", "score", "counts for"];

/// The stages of a search, as rows.
fn stages(trace: &Trace) -> Vec<Vec<String>> {
    let row = |stage: &crate::retrieve::Stage| {
        let first: Vec<String> = stage
            .candidates
            .iter()
            .take(MOST_SHOWN)
            .map(|candidate| format!("{} {:.3}", candidate.id, candidate.score))
            .collect();
        vec![
            stage.name.clone(),
            format!("{:.1}", stage.milliseconds),
            stage.taken.to_string(),
            stage.given.to_string(),
            stage.says.join("; "),
            first.join(", "),
        ]
    };
    trace.stages.iter().map(row).collect()
}

/// Writes the stages of a search below its result.
pub(super) fn table(trace: &Trace, screen: Screen, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "\n{}", paint(TITLE, format!("How it was found ({:.1} ms)", trace.total())))?;
    writeln!(out, "{}", grid(screen, &STAGES, &[1, 2, 3], stages(trace)))
}

/// The same in Markdown.
pub(super) fn markdown(trace: &Trace, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "\n## How it was found ({:.1} ms)\n", trace.total())?;
    write!(out, "{}", markdown_grid(&STAGES, &stages(trace)))
}

/// What `kb search --why ID` shows.
pub struct WhyView<'a>(pub &'a Why);

impl WhyView<'_> {
    fn headline(&self) -> String {
        let why = self.0;
        let passage = why.chunk_id.as_ref().filter(|chunk_id| **chunk_id != why.id);
        let best = passage.map(|chunk_id| format!(" (by its passage {chunk_id})")).unwrap_or_default();
        let clause = |text: &Option<String>| text.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
        match (why.rank, &why.lost_in) {
            (Some(rank), _) => format!("{}{best} is at place {rank}{}", why.id, clause(&why.shown)),
            (None, Some(stage)) => format!("{}{best} was lost in the stage {stage}{}", why.id, clause(&why.reason)),
            (None, None) => format!("{}{best} is not in the result", why.id),
        }
    }

    /// What would have kept it.
    fn remedy(&self) -> Option<String> {
        let why = self.0;
        let none = || why.rank.is_none().then(|| "no flag brings it into this result".to_owned());
        why.remedy.clone().or_else(none)
    }

    /// What speaks for a section.
    fn evidence(&self) -> Option<(String, Vec<Vec<String>>)> {
        let section = self.0.section.as_ref()?;
        let place = match (section.place, section.score) {
            (Some(place), Some(score)) => format!("at place {place} of all sections, score {score:.3}"),
            _ => "not among the sections that were found".to_owned(),
        };
        let none = if section.evidence.is_empty() { "; no passage of it was recalled" } else { "" };
        let headline = format!("As a section: {place}; like its title: {:.2}{none}", section.title_likeness);
        let row = |one: &crate::retrieve::Evidence| {
            let counts_for = one.counts_for.clone().unwrap_or_else(|| "–".to_owned());
            vec![one.chunk_id.clone(), one.place.to_string(), format!("{:.3}", one.score), counts_for]
        };
        Some((headline, section.evidence.iter().map(row).collect()))
    }

    fn rows(&self) -> Vec<Vec<String>> {
        let number = |place: Option<usize>| place.map_or("–".to_owned(), |place| place.to_string());
        let row = |stage: &crate::retrieve::WhyStage| {
            vec![
                stage.name.clone(),
                number(stage.place),
                stage.of.to_string(),
                stage.score.map_or("–".to_owned(), |score| format!("{score:.3}")),
                number(stage.place_of_all),
            ]
        };
        self.0.stages.iter().map(row).collect()
    }
}

impl View for WhyView<'_> {
    fn table(&self, screen: Screen, out: &mut dyn Write) -> Result<()> {
        let style = if self.0.rank.is_some() { TITLE } else { BAD };
        writeln!(out, "{}", paint(style, self.headline()))?;
        if let Some(remedy) = self.remedy() {
            writeln!(out, "{remedy}")?;
        }
        if !self.0.stages.is_empty() {
            writeln!(out, "{}", grid(screen, &PLACES, &[1, 2, 3, 4], self.rows()))?;
            writeln!(out, "{}", paint(DIM, "place of all: had every passage been let through"))?;
        }
        let Some((headline, rows)) = self.evidence() else { return Ok(()) };
        writeln!(out, "{headline}")?;
        if !rows.is_empty() {
            writeln!(out, "{}", grid(screen, &EVIDENCE, &[1, 2], rows))?;
        }
        Ok(())
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        writeln!(out, "{}\n", self.headline())?;
        if let Some(remedy) = self.remedy() {
            writeln!(out, "{remedy}\n")?;
        }
        if !self.0.stages.is_empty() {
            write!(out, "{}", markdown_grid(&PLACES, &self.rows()))?;
        }
        let Some((headline, rows)) = self.evidence() else { return Ok(()) };
        writeln!(out, "\n{headline}\n")?;
        if !rows.is_empty() {
            write!(out, "{}", markdown_grid(&EVIDENCE, &rows))?;
        }
        Ok(())
    }

    fn json(&self) -> Value {
        value(self.0)
    }

    fn paths(&self) -> Vec<String> {
        self.0.chunk_id.iter().cloned().collect()
    }
}
