//! The hits of a search.

use serde_json::{Value, json};

use super::explain::stages;
use super::format::{unique, value};
use super::page::Page;
use super::style::{DIM, MATCH, PLACE, TITLE, around, as_markdown, marked, pages, paint};
use super::tables::with_tables;
use super::toc::{Shown, add_contents, json_entries};
use crate::chunk::context::SEPARATOR;
use crate::search::{Contents, Hit, Omitted, SearchResult};
use crate::text::highlight::find_matches;
use crate::text::{count, first_of, printable};

/// What `kb search` shows.
pub fn search(result: &SearchResult, width: usize) -> Page {
    let left_out = (!result.left_out.is_empty()).then(|| json!({ "left_out": result.left_out }));
    let contents = || result.contents.iter();
    let sources = contents().map(|contents| &contents.document.source).chain(result.hits.iter().map(|hit| &hit.source));
    let mut page = Page::new(&json(result))
        .with_lines(contents().map(json_contents).chain(hits(result)).chain(left_out))
        .with_paths(unique(sources.cloned()));
    for contents in contents() {
        page.gap();
        add_contents(&mut page, &contents.document, &contents.sections, 1, Shown { provenance: false, width });
    }
    for hit in &result.hits {
        page.gap();
        page.both(table_hit(hit, result, width), markdown_hit(hit, result));
    }
    page.left_out(omitted(&result.left_out));
    if result.trace.detailed {
        page.gap();
        page.heading(format!("Stages of the search ({:.1} ms)", result.trace.total()));
        page.grid(stages(&result.trace));
    }
    page
}

fn hits(result: &SearchResult) -> Vec<Value> {
    result.hits.iter().map(|hit| with_tables(value(hit), &hit.content)).collect()
}

fn json(result: &SearchResult) -> Value {
    let rounded = |ms: f64| json!((ms * 1000.0).round() / 1000.0);
    let mut timings: serde_json::Map<String, Value> =
        result.trace.stages.iter().map(|stage| (stage.name.clone(), rounded(stage.milliseconds))).collect();
    timings.insert("total".to_owned(), rounded(result.trace.total()));
    let mut json = json!({
        "query": result.query,
        "namespaces": result.namespaces,
        "method": result.route.method().name(),
        "weights": { "keyword": result.route.keyword, "semantic": result.route.semantic },
        "understood": result.understood,
        "contents": result.contents.iter().map(json_contents).collect::<Vec<_>>(),
        "mode": result.mode,
        "hits": hits(result),
        "left_out": result.left_out,
        "notes": result.notes,
        "timings_ms": timings,
    });
    if result.trace.detailed {
        json["stages"] = json!(result.trace.stages);
    }
    json
}

fn table_hit(hit: &Hit, result: &SearchResult, width: usize) -> String {
    let place = paint(PLACE, pages(hit.page_start, hit.page_end));
    let snippet = marked(&hit.snippet, &hit.matches, &format!("{MATCH}"), &format!("{MATCH:#}"));
    let lines = textwrap::wrap(&snippet, width.saturating_sub(4));
    let lines: String = lines.iter().map(|line| format!("    {line}\n")).collect();
    let namespaces = around("  in ", &namespaces(hit, result), "");
    let matched = around("  ", &matched(hit, result), "");
    let origin = format!("{}  {}{namespaces}  score {:.2}{matched}", hit.source, hit.section_id, hit.score);
    format!("{:>2}. {}  {place}\n{lines}    {}", hit.rank, paint(TITLE, heading(hit)), paint(DIM, origin))
}

fn markdown_hit(hit: &Hit, result: &SearchResult) -> String {
    let place = around(" (", &pages(hit.page_start, hit.page_end), ")");
    let namespaces = around(" · in ", &namespaces(hit, result), "");
    let matched = around(" · ", &matched(hit, result), "");
    let origin = format!(
        "`{}` · section `{}`{namespaces} · score {:.3}{matched}",
        printable(&hit.source),
        hit.section_id,
        hit.score
    );
    let text = bold_matches(&hit.content, &result.query);
    format!("## {}. {}{place}\n\n{origin}\n\n{}", hit.rank, heading(hit), as_markdown(&text))
}

/// How many parent chunks of a hit match, if it may have more than one.
fn matched(hit: &Hit, result: &SearchResult) -> String {
    if hit.sources.len() <= 1 && !result.seeks_sections() {
        return String::new();
    }
    let verb = if hit.matched_chunks == 1 { "matches" } else { "match" };
    format!("{} {verb}", count(hit.matched_chunks, "parent chunk"))
}

/// The namespaces of a hit, if the search reads several.
fn namespaces(hit: &Hit, result: &SearchResult) -> String {
    if result.namespaces.len() < 2 {
        return String::new();
    }
    std::iter::once(&hit.namespace).chain(&hit.also_in).map(String::as_str).collect::<Vec<&str>>().join(", ")
}

fn json_contents(contents: &Contents) -> Value {
    let document = &contents.document;
    json!({
        "namespace": contents.namespace,
        "doc_id": document.doc_id,
        "source": document.source,
        "title": document.title,
        "part": contents.part,
        "entries": json_entries(&contents.sections, document),
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
    let heading = match hit.section_title.as_str() {
        "" => hit.title.clone(),
        section => format!("{}{SEPARATOR}{section}", hit.title),
    };
    printable(&heading)
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
    fn lines_break_at_their_visible_width() {
        let text = format!("one {MATCH}two{MATCH:#} three");
        let lines = textwrap::wrap(&text, 8);
        let lines: Vec<String> = lines.iter().map(|line| anstream::adapter::strip_str(line).to_string()).collect();
        assert_eq!(lines, ["one two", "three"]);
        assert_eq!(textwrap::wrap("启动水泵之前", 4).len(), 3);
    }

    #[test]
    fn code_is_not_decorated() {
        assert_eq!(bold_matches("the pump", "pump"), "the **pump**");
        assert_eq!(bold_matches("run `pump`", "pump"), "run `pump`");
    }
}
