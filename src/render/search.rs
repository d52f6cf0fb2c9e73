//! The passages that a search found.

use std::io::{Result, Write};

use serde_json::{Value, json};

use super::style::{DIM, MATCH, PLACE, TITLE, paint};
use super::toc::{TocView, json_entry};
use super::{Screen, View, as_markdown, explain, pages, value};
use crate::chunk::context::SEPARATOR;
use crate::retrieve::{Contents, Hit, Omitted, SearchResult};
use crate::text::count;
use crate::text::highlight::find_matches;

/// What did not fit is named up to so many sections.
const MOST_NAMED: usize = 5;

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
            let place = self.namespaces(hit).map_or_else(String::new, |names| format!("  in {names}"));
            let matched = self.matched(hit).map_or_else(String::new, |matched| format!("  {matched}"));
            let origin = format!("{}  {}{place}  score {:.2}{matched}", hit.source, hit.section_id, hit.score);
            writeln!(out, "    {}", paint(DIM, origin))?;
        }
        if let Some(line) = self.left_out() {
            writeln!(out, "\n[{line}]")?;
        }
        if self.0.trace.is_detailed() {
            explain::table(&self.0.trace, screen, out)?;
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
            let place = pages(hit.page_start, hit.page_end);
            let place = if place.is_empty() { String::new() } else { format!(" ({place})") };
            writeln!(out, "## {}. {}{place}\n", hit.rank, heading(hit))?;
            let names = self.namespaces(hit).map_or_else(String::new, |names| format!(" · in {names}"));
            let matched = self.matched(hit).map_or_else(String::new, |matched| format!(" · {matched}"));
            let origin = format!("`{}` · section `{}`{names}", hit.source, hit.section_id);
            writeln!(out, "{origin} · score {:.3}{matched}\n", hit.score)?;
            writeln!(out, "{}", as_markdown(&bold_matches(&hit.content, &self.0.query), &hit.format))?;
        }
        if let Some(line) = self.left_out() {
            writeln!(out, "\n[{line}]")?;
        }
        if self.0.trace.is_detailed() {
            explain::markdown(&self.0.trace, out)?;
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
        let hits = self.0.hits.iter().map(value);
        self.0.contents.iter().map(json_contents).chain(hits).chain(left_out).collect()
    }

    fn paths(&self) -> Vec<String> {
        let mut paths: Vec<String> = Vec::new();
        let contents = self.0.contents.iter().map(|contents| &contents.document.source);
        for source in contents.chain(self.0.hits.iter().map(|hit| &hit.source)) {
            if !paths.contains(source) {
                paths.push(source.clone());
            }
        }
        paths
    }
}

impl SearchView<'_> {
    /// What did not fit, in one line; `None` where everything did.
    pub fn left_out(&self) -> Option<String> {
        omitted(&self.0.left_out)
    }

    /// How many passages were found in a hit, where it is made of more than one.
    fn matched(&self, hit: &Hit) -> Option<String> {
        let several = hit.sources.len() > 1 || self.0.seeks_sections();
        several.then(|| {
            let passages = count(hit.matched_chunks, "passage");
            let verb = if hit.matched_chunks == 1 { "matches" } else { "match" };
            format!("{passages} {verb}")
        })
    }

    /// The namespaces that a hit is in, where it could be in more than one.
    fn namespaces(&self, hit: &Hit) -> Option<String> {
        let names: Vec<&str> = std::iter::once(&hit.namespace).chain(&hit.also_in).map(String::as_str).collect();
        (self.0.namespaces.len() > 1).then(|| names.join(", "))
    }
}

/// An answer from a table of contents: that, as `kb toc` shows it.
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

/// What did not fit, in one line; `None` where everything did.
pub(super) fn omitted(left_out: &[Omitted]) -> Option<String> {
    if left_out.is_empty() {
        return None;
    }
    let passages: usize = left_out.iter().map(|part| part.chunk_ids.len()).sum();
    let mut named: Vec<String> = left_out
        .iter()
        .take(MOST_NAMED)
        .map(|part| {
            let title = if part.section_title.is_empty() { String::new() } else { format!("{}, ", part.section_title) };
            format!("{} ({title}{})", part.section_id, count(part.chunk_ids.len(), "passage"))
        })
        .collect();
    if left_out.len() > MOST_NAMED {
        named.push(format!("and {} more", left_out.len() - MOST_NAMED));
    }
    Some(format!("left out: {}, of {}", count(passages, "passage"), named.join(", ")))
}

fn heading(hit: &Hit) -> String {
    if hit.section_title.is_empty() {
        return hit.title.clone();
    }
    format!("{}{SEPARATOR}{}", hit.title, hit.section_title)
}

/// `text` with the given byte ranges between two marks.
fn marked(text: &str, ranges: &[(usize, usize)], open: &str, close: &str) -> String {
    let mut out = String::with_capacity(text.len() + ranges.len() * (open.len() + close.len()));
    let mut done = 0;
    for &(start, end) in ranges {
        let (Some(before), Some(inside)) = (text.get(done..start), text.get(start..end)) else { continue };
        out.push_str(before);
        out.push_str(open);
        out.push_str(inside);
        out.push_str(close);
        done = end;
    }
    out.push_str(&text[done..]);
    out
}

/// Matches in bold, except where stars would become part of code or a table.
fn bold_matches(text: &str, query: &str) -> String {
    let looks_like_code = text.contains('`')
        || text.contains('*')
        || text.lines().any(|line| line.starts_with("    ") || line.starts_with('|') || line.starts_with('\t'));
    if looks_like_code {
        return text.to_owned();
    }
    let ranges: Vec<(usize, usize)> = find_matches(text, query).into_iter().map(|r| (r.start, r.end)).collect();
    marked(text, &ranges, "**", "**")
}

/// Breaks a line at spaces, or between characters where there are none; ANSI codes have no width.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for piece in pieces(text) {
        let columns = visible_width(piece);
        if used + columns > width && used > 0 {
            lines.push(String::new());
            used = 0;
        }
        if used == 0 && piece == " " {
            continue;
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(piece);
        }
        used += columns;
    }
    lines
}

/// Words, spaces, and single characters of scripts without spaces; an ANSI code stays with what follows.
fn pieces(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut in_code = false;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c == '\u{1b}' {
            in_code = true;
        } else if in_code {
            in_code = c != 'm';
        } else {
            let end = at + c.len_utf8();
            let next = chars.peek().map(|&(_, next)| next);
            let breaks = c == ' ' || crate::text::script::is_unspaced(c) || next == Some(' ');
            if breaks {
                out.push(&text[start..end]);
                start = end;
            }
        }
    }
    if start < text.len() {
        out.push(&text[start..]);
    }
    out
}

fn visible_width(text: &str) -> usize {
    let stripped = anstream::adapter::strip_str(text).to_string();
    unicode_width::UnicodeWidthStr::width(stripped.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_at_their_visible_width() {
        let text = format!("one {MATCH}two{MATCH:#} three");
        let lines: Vec<String> = wrap(&text, 8).iter().map(|l| anstream::adapter::strip_str(l).to_string()).collect();
        assert_eq!(lines, ["one two ", "three"]);
        assert_eq!(wrap("启动水泵之前", 4).len(), 3);
    }

    #[test]
    fn code_is_not_decorated() {
        assert_eq!(bold_matches("the pump", "pump"), "the **pump**");
        assert_eq!(bold_matches("run `pump`", "pump"), "run `pump`");
    }
}
