//! The hits of a search.

use std::io::{Result, Write};

use serde_json::{Value, json};

use super::explain::stages;
use super::style::{DIM, MATCH, PLACE, TITLE, around, as_markdown, first_of, marked, pages, paint, wrap};
use super::toc::{TocView, json_entry};
use super::{Screen, View, unique, value, values};
use crate::chunk::context::SEPARATOR;
use crate::search::{Contents, Hit, Omitted, SearchResult};
use crate::text::count;
use crate::text::highlight::find_matches;

/// What `kb search` shows.
pub struct SearchView<'a>(pub &'a SearchResult);

impl View for SearchView<'_> {
    fn table(&self, screen: Screen, out: &mut dyn Write) -> Result<()> {
        for (i, contents) in self.0.contents.iter().enumerate() {
            if i > 0 {
                writeln!(out)?;
            }
            toc(contents).table(screen, out)?;
        }
        for (i, hit) in self.0.hits.iter().enumerate() {
            if i > 0 {
                writeln!(out)?;
            }
            let place = pages(hit.page_start, hit.page_end);
            let heading = paint(TITLE, heading(hit));
            writeln!(out, "{:>2}. {heading}  {}", hit.rank, paint(PLACE, place))?;
            let snippet = marked(&hit.snippet, &hit.matches, &format!("{MATCH}"), &format!("{MATCH:#}"));
            for line in wrap(&snippet, screen.width.saturating_sub(4)) {
                writeln!(out, "    {line}")?;
            }
            let namespaces = around("  in ", &self.namespaces(hit), "");
            let matched = around("  ", &self.matched(hit), "");
            let origin = format!("{}  {}{namespaces}  score {:.2}{matched}", hit.source, hit.section_id, hit.score);
            writeln!(out, "    {}", paint(DIM, origin))?;
        }
        if let Some(line) = self.left_out() {
            writeln!(out, "\n[{line}]")?;
        }
        if self.0.trace.is_detailed() {
            writeln!(out, "\n{}", paint(TITLE, self.stages_title()))?;
            writeln!(out, "{}", stages(&self.0.trace).table(screen))?;
        }
        Ok(())
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        for (i, contents) in self.0.contents.iter().enumerate() {
            if i > 0 {
                writeln!(out)?;
            }
            toc(contents).markdown(out)?;
        }
        for (i, hit) in self.0.hits.iter().enumerate() {
            if i > 0 {
                writeln!(out)?;
            }
            let place = around(" (", &pages(hit.page_start, hit.page_end), ")");
            writeln!(out, "## {}. {}{place}\n", hit.rank, heading(hit))?;
            let namespaces = around(" · in ", &self.namespaces(hit), "");
            let matched = around(" · ", &self.matched(hit), "");
            let origin = format!("`{}` · section `{}`{namespaces}", hit.source, hit.section_id);
            writeln!(out, "{origin} · score {:.3}{matched}\n", hit.score)?;
            writeln!(out, "{}", as_markdown(&bold_matches(&hit.content, &self.0.query), &hit.format))?;
        }
        if let Some(line) = self.left_out() {
            writeln!(out, "\n[{line}]")?;
        }
        if self.0.trace.is_detailed() {
            writeln!(out, "\n## {}\n", self.stages_title())?;
            write!(out, "{}", stages(&self.0.trace).markdown())?;
        }
        Ok(())
    }

    fn json(&self) -> Value {
        let result = self.0;
        let rounded = |ms: f64| json!((ms * 1000.0).round() / 1000.0);
        let mut timings: serde_json::Map<String, Value> =
            result.trace.stages.iter().map(|stage| (stage.name.clone(), rounded(stage.milliseconds))).collect();
        timings.insert("total".to_owned(), rounded(result.trace.total()));
        let mut json = json!({
            "query": result.query,
            "namespaces": result.namespaces,
            "method": result.route.method().name(),
            "weights": { "keyword": result.route.keyword, "semantic": result.route.semantic },
            "understood": value(&result.understood),
            "contents": result.contents.iter().map(json_contents).collect::<Vec<_>>(),
            "mode": value(&result.mode),
            "hits": value(&result.hits),
            "left_out": value(&result.left_out),
            "notes": result.notes,
            "timings_ms": timings,
        });
        if result.trace.is_detailed() {
            json["stages"] = value(&result.trace.stages);
        }
        json
    }

    fn lines(&self) -> Vec<Value> {
        let left_out = (!self.0.left_out.is_empty()).then(|| json!({ "left_out": self.0.left_out }));
        self.0.contents.iter().map(json_contents).chain(values(&self.0.hits)).chain(left_out).collect()
    }

    fn paths(&self) -> Vec<String> {
        let contents = self.0.contents.iter().map(|contents| &contents.document.source);
        unique(contents.chain(self.0.hits.iter().map(|hit| &hit.source)).cloned())
    }
}

impl SearchView<'_> {
    /// What did not fit, in one line.
    pub fn left_out(&self) -> Option<String> {
        omitted(&self.0.left_out)
    }

    fn stages_title(&self) -> String {
        format!("Stages of the search ({:.1} ms)", self.0.trace.total())
    }

    /// How many parent chunks of a hit match, if it may have more than one.
    fn matched(&self, hit: &Hit) -> String {
        if hit.sources.len() <= 1 && !self.0.seeks_sections() {
            return String::new();
        }
        let verb = if hit.matched_chunks == 1 { "matches" } else { "match" };
        format!("{} {verb}", count(hit.matched_chunks, "parent chunk"))
    }

    /// The namespaces of a hit, if the search reads several.
    fn namespaces(&self, hit: &Hit) -> String {
        if self.0.namespaces.len() < 2 {
            return String::new();
        }
        std::iter::once(&hit.namespace).chain(&hit.also_in).map(String::as_str).collect::<Vec<&str>>().join(", ")
    }
}

/// A table of contents that answers the question.
fn toc(contents: &Contents) -> TocView<'_> {
    TocView { document: &contents.document, sections: &contents.sections, hidden: 0, provenance: false }
}

fn json_contents(contents: &Contents) -> Value {
    let document = &contents.document;
    let entries: Vec<Value> = contents.sections.iter().map(|section| json_entry(section, document)).collect();
    json!({
        "namespace": contents.namespace,
        "doc_id": document.doc_id,
        "source": document.source,
        "title": document.title,
        "part": contents.part,
        "entries": entries,
    })
}

/// What did not fit, in one line.
pub(super) fn omitted(left_out: &[Omitted]) -> Option<String> {
    if left_out.is_empty() {
        return None;
    }
    let parents: usize = left_out.iter().map(|part| part.chunk_ids.len()).sum();
    let named = left_out.iter().map(|part| {
        let title = around("", &part.section_title, ", ");
        format!("{} ({title}{})", part.section_id, count(part.chunk_ids.len(), "parent chunk"))
    });
    Some(format!("left out: {} of {}", count(parents, "parent chunk"), first_of(named)))
}

fn heading(hit: &Hit) -> String {
    if hit.section_title.is_empty() {
        return hit.title.clone();
    }
    format!("{}{SEPARATOR}{}", hit.title, hit.section_title)
}

/// Matches in bold, except where stars would become part of code or a table.
fn bold_matches(text: &str, query: &str) -> String {
    let is_code = text.contains('`')
        || text.contains('*')
        || text.lines().any(|line| line.starts_with("    ") || line.starts_with('|') || line.starts_with('\t'));
    if is_code {
        return text.to_owned();
    }
    let ranges: Vec<(usize, usize)> = find_matches(text, query).into_iter().map(|r| (r.start, r.end)).collect();
    marked(text, &ranges, "**", "**")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_not_decorated() {
        assert_eq!(bold_matches("the pump", "pump"), "the **pump**");
        assert_eq!(bold_matches("run `pump`", "pump"), "run `pump`");
    }
}
