//! The text of a section.

use std::io::{Result, Write};

use serde_json::Value;

use super::style::{DIM, PLACE, TITLE, paint};
use super::{Screen, View, pages, value};
use crate::retrieve::SectionContent;

/// What `kb section` shows.
pub struct SectionView<'a>(pub &'a SectionContent);

impl View for SectionView<'_> {
    fn table(&self, _screen: Screen, out: &mut dyn Write) -> Result<()> {
        for (i, part) in self.0.parts.iter().enumerate() {
            let section = &part.section;
            if i > 0 {
                writeln!(out)?;
            }
            let place = pages(section.page_start, section.page_end);
            writeln!(out, "{} {}  {}", paint(DIM, &section.path), paint(TITLE, &section.title), paint(PLACE, place))?;
            if !part.text.is_empty() {
                writeln!(out, "\n{}", part.text)?;
            }
        }
        writeln!(out, "\n{}", paint(DIM, format!("{}  {}", self.0.title, self.0.source)))
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        let base = self.0.parts.first().map_or(0, |part| part.section.level);
        for (i, part) in self.0.parts.iter().enumerate() {
            let section = &part.section;
            if i > 0 {
                writeln!(out)?;
            }
            let level = (section.level.saturating_sub(base) as usize + 1).min(6);
            writeln!(out, "{} {}", "#".repeat(level), section.title)?;
            if i == 0 {
                let place = pages(section.page_start, section.page_end);
                let place = if place.is_empty() { String::new() } else { format!(" · {place}") };
                writeln!(out, "\n`{}` · section `{}`{place}", self.0.source, section.section_id)?;
            }
            if !part.text.is_empty() {
                writeln!(out, "\n{}", part.text)?;
            }
        }
        Ok(())
    }

    fn json(&self) -> Value {
        value(self.0)
    }

    fn lines(&self) -> Vec<Value> {
        self.0.parts.iter().map(value).collect()
    }

    fn paths(&self) -> Vec<String> {
        self.0.parts.iter().map(|part| part.section.section_id.clone()).collect()
    }
}
