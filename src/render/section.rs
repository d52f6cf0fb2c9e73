//! The text of sections.

use std::io::{Result, Write};

use serde_json::{Value, json};

use super::style::{DIM, PLACE, TITLE, paint};
use super::{Screen, View, as_markdown, pages, value};
use crate::retrieve::SectionContent;
use crate::text::count;

/// Sections that were left out are named up to so many.
const MOST_NAMED: usize = 5;

/// What `kb section` shows.
pub struct SectionView<'a>(pub &'a SectionContent);

impl SectionView<'_> {
    /// What did not fit, in one line; `None` where everything did.
    pub fn left_out(&self) -> Option<String> {
        let left_out = &self.0.left_out;
        if left_out.is_empty() {
            return None;
        }
        let chunks: usize = left_out.iter().map(|part| part.chunks).sum();
        let tokens: usize = left_out.iter().map(|part| part.tokens).sum();
        let mut named: Vec<String> = left_out
            .iter()
            .take(MOST_NAMED)
            .map(|part| format!("{} ({}, {})", part.section_id, part.title, count(part.chunks, "passage")))
            .collect();
        if left_out.len() > MOST_NAMED {
            named.push(format!("and {} more", left_out.len() - MOST_NAMED));
        }
        Some(format!("left out: {} of {tokens} tokens, of {}", count(chunks, "passage"), named.join(", ")))
    }
}

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
        if let Some(line) = self.left_out() {
            writeln!(out, "\n[{line}]")?;
        }
        writeln!(out, "\n{}", paint(DIM, format!("{}  {}", self.0.title, self.0.source)))
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        for (i, part) in self.0.parts.iter().enumerate() {
            let section = &part.section;
            if i > 0 {
                writeln!(out)?;
            }
            let level = (part.depth as usize + 1).min(6);
            writeln!(out, "{} {}", "#".repeat(level), section.title)?;
            if part.depth == 0 {
                let place = pages(section.page_start, section.page_end);
                let place = if place.is_empty() { String::new() } else { format!(" · {place}") };
                writeln!(out, "\n`{}` · section `{}`{place}", self.0.source, section.section_id)?;
            }
            if !part.text.is_empty() {
                writeln!(out, "\n{}", as_markdown(&part.text, &self.0.format))?;
            }
        }
        if let Some(line) = self.left_out() {
            writeln!(out, "\n[{line}]")?;
        }
        Ok(())
    }

    fn json(&self) -> Value {
        value(self.0)
    }

    fn lines(&self) -> Vec<Value> {
        let parts = self.0.parts.iter().map(value);
        let left_out = (!self.0.left_out.is_empty()).then(|| json!({ "left_out": self.0.left_out }));
        parts.chain(left_out).collect()
    }

    fn paths(&self) -> Vec<String> {
        self.0.parts.iter().map(|part| part.section.section_id.clone()).collect()
    }
}
