//! The hits of a search.

use anstyle::Style;
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use super::excerpt::excerpt;
use super::explain::{add_stages, found_by};
use super::format::{OutputFormat, Screen};
use super::json::value;
use super::page::Page;
use super::style::{DIM, LEAST_TEXT, PLACE, TITLE, around, cut, edited, markdown_of, pages, paint};
use super::tables::with_tables;
use super::toc::{ListedSections, Shown, add_contents, json_entries};
use super::wrap::{beside, hanging};
use crate::chunk::context::line;
use crate::error::NextStep;
use crate::ids::ChunkId;
use crate::search::{Contents, GroupBy, Hit, Omitted, SearchResult, SectionNames, SourceChild, Trace};
use crate::text::{char_count, count, first_of, printable, squeeze, unique};

/// How the hits of a result are shown.
#[derive(Clone, Copy)]
struct Showing<'r> {
    result: &'r SearchResult,
    screen: Screen,
    /// Whether the lines of hits are needed. Fitting those of a hit into the screen takes as long as finding it.
    is_table: bool,
}

/// What `kb search` shows. Its tables have the texts of hits only if `format` is [`OutputFormat::Table`].
pub fn search(result: &SearchResult, format: OutputFormat, screen: Screen) -> Page {
    let showing = Showing { result, screen, is_table: format == OutputFormat::Table };
    let contents = || result.contents.iter();
    let sources = contents().map(|contents| &contents.document.source).chain(result.hits.iter().map(|hit| &hit.source));
    let groups = result.groups().into_iter().zip(1..);
    let (name, of, found) = match result.shape.groups_by() {
        GroupBy::None => ("hits", "hit", hits(&result.hits, &result.trace)),
        _ => ("groups", "group", groups.clone().map(|(group, rank)| json_group(group, rank, result)).collect()),
    };
    let mut page = Page::new("search", &json(result))
        .with_lines("contents", contents().map(json_contents))
        .with_lines(of, &found)
        .with_fields_in_lines(&["contents"])
        .with_named(name, of, found)
        .with_sources(unique(sources));
    for contents in contents() {
        page.gap();
        let shown = Shown { provenance: false, width: screen.columns };
        let names = SectionNames::of(&contents.sections);
        let (document, sections) = (&contents.document, contents.sections.as_slice());
        add_contents(&mut page, &ListedSections { document, sections, names: &names }, 1, shown);
        if let Some(first) = sections.first().filter(|_| contents.part.is_some()) {
            page.gap();
            page.line(format!("`{}` shows its text", NextStep::Show(&first.section_id)));
        }
    }
    for (group, rank) in groups {
        page.gap();
        let (table, markdown) = showing.group(group, rank);
        page.both(table, markdown);
        for hit in group {
            add_hit(&mut page, hit, DIM, showing.member(hit));
        }
    }
    if result.shape.groups_by() == GroupBy::None {
        for hit in &result.hits {
            add_hit(&mut page, hit, PLACE, showing.hit(hit));
        }
    }
    page.left_out(omitted(&result.left_out));
    if result.trace.detailed {
        add_stages(&mut page, &result.trace, &result.hits.iter().map(parents).collect::<Vec<_>>());
    }
    page
}

impl Showing<'_> {
    /// A hit as a table and as Markdown.
    fn hit(self, hit: &Hit) -> (String, String) {
        let Showing { result, screen, .. } = self;
        let (heading, place, section) = (heading(hit), pages(hit.page_start, hit.page_end), &hit.section.id);
        let (lines, whole) = self.lines(hit, "    ");
        let (edited, matched) = (edited(hit.is_edited()), matched(hit, result));
        let namespaces = around("in ", &namespaces(hit, result), "");
        let (chunks, quoted_chunks) = match joined(hit, result) {
            Some((first, last)) => (format!("{first} to {last}"), format!(" · chunks `{first}` to `{last}`")),
            // A section without text has none.
            None => (hit.chunk_id.to_string(), around(" · chunk `", &hit.chunk_id, "`")),
        };
        let title = [(TITLE, heading.as_str()), (PLACE, place.as_str())];
        let title = parts_behind(&format!("{:>2}. ", hit.rank), &title, screen);
        let confidence = bar(hit.confidence);
        let origin = dim([&hit.source, section, &chunks, edited, &namespaces, &confidence, &matched, &whole]);
        let table = format!("{title}\n{lines}{}", parts_behind("    ", &origin, screen));
        let [edited, namespaces, matched] = [edited, &namespaces, &matched].map(|part| around(" · ", part, ""));
        let (source, confidence) = (printable(&hit.source), hit.confidence);
        let origin = format!("`{source}` · section `{section}`{quoted_chunks}{edited}{namespaces}");
        let origin = format!("{origin} · confidence {confidence:.2}{matched}");
        let (rank, place, text) = (hit.rank, around(" (", &place, ")"), hit.text());
        (table, format!("## {rank}. {heading}{place}\n\n{origin}\n\n{}", markdown_of(&hit.source, &text)))
    }

    /// The heading of a group as a table and as Markdown.
    fn group(self, group: &[Hit], rank: usize) -> (String, String) {
        let Showing { result, screen, .. } = self;
        let (best, confidence) = (&group[0], confidence(group));
        let (what, title, id): (&str, String, &str) = match result.shape.groups_by() {
            GroupBy::Section => ("section", heading(best), &best.section.id),
            _ => ("document", printable(&best.title), &best.doc_id),
        };
        let (source, namespaces) = (printable(&best.source), around("in ", &namespaces(best, result), ""));
        let summary = best.profile().filter(|_| result.shape.drills()).map(|profile| printable(&profile.summary));
        let summary = summary.filter(|summary| !summary.is_empty());
        let head = parts_behind(&format!("{rank:>2}. "), &[(TITLE, title.as_str())], screen);
        let origin = parts_behind("    ", &dim([&best.source, id, &namespaces, &bar(confidence)]), screen);
        let below = summary.as_ref().map(|summary| format!("\n{}", hanging("    ", "    ", summary, screen.line())));
        let table = format!("{head}\n{origin}{}", below.unwrap_or_default());
        let namespaces = around(" · ", &namespaces, "");
        let origin = format!("`{source}` · {what} `{id}`{namespaces} · confidence {confidence:.2}");
        let summary = summary.map_or_else(String::new, |summary| format!("\n\n*{summary}*"));
        (table, format!("## {rank}. {title}\n\n{origin}{summary}"))
    }

    /// A hit below the heading of its group, as a table and as Markdown; in the mode drill with matching child chunks.
    fn member(self, hit: &Hit) -> (String, String) {
        let Showing { result, screen, .. } = self;
        let (lines, whole) = self.lines(hit, "      ");
        let (place, edited, confidence) =
            (pages(hit.page_start, hit.page_end), edited(hit.is_edited()), hit.confidence);
        // The heading of a group may name the section.
        let is_named = result.shape.groups_by() == GroupBy::Section;
        let section = if is_named { String::new() } else { printable(&hit.section.titles) };
        let bar = bar(confidence);
        let about = parts_behind("      ", &dim([&hit.chunk_id, &section, &place, edited, &bar, &whole]), screen);
        let mut table = format!("{lines}{about}");
        let facts = [section.as_str(), &place, edited].map(|fact| around(" · ", fact, "")).concat();
        let text = hit.text();
        let text = markdown_of(&hit.source, &text);
        let mut markdown = format!("`{}`{facts} · confidence {confidence:.2}\n\n{text}", hit.chunk_id);
        if result.shape.drills() {
            let room = screen.columns.saturating_sub(8).max(LEAST_TEXT);
            let mut matching = String::new();
            for child in children(hit) {
                let (id, text) = (&child.chunk_id, squeeze(&child.text));
                let fitting = cut(&text, room.saturating_sub(char_count(id) + 1));
                table.push_str(&format!("\n        {} {fitting}", paint(PLACE, id)));
                matching.push_str(&format!("\n- `{id}` ({:.2}): {}", child.score, printable(&text)));
            }
            markdown.push_str(&around("\n\nMatching child chunks:\n", &matching, ""));
        }
        (table, markdown)
    }

    /// The indented lines of a hit for a table, and the command that shows the rest, if any.
    fn lines(self, hit: &Hit, indent: &str) -> (String, String) {
        if !self.is_table {
            return Default::default();
        }
        let Showing { result, screen, .. } = self;
        let beside = Screen { columns: screen.columns.saturating_sub(indent.len()), ..screen };
        let (lines, is_whole) = excerpt(&hit.text(), &result.query, beside);
        let lines = lines.iter().map(|line| format!("{indent}{line}\n")).collect();
        (lines, if is_whole { String::new() } else { NextStep::Show(&hit.chunk_id).to_string() })
    }
}

/// Adds a hit as a table and as Markdown; its place in the table, which has this style, becomes a link.
fn add_hit(page: &mut Page, hit: &Hit, style: Style, (table, markdown): (String, String)) {
    page.gap();
    let place = paint(style, pages(hit.page_start, hit.page_end));
    let table = page.linked(&table, &place, &hit.source, hit.page_start);
    page.both(table, markdown);
}

fn hits(hits: &[Hit], trace: &Trace) -> Vec<Value> {
    let json = |hit: &Hit| {
        let mut json = with_tables(value(hit), &hit.content);
        json["edited"] = json!(hit.is_edited());
        // A section without text has no chunk.
        if hit.chunk_id.is_empty() {
            json["chunk_id"] = Value::Null;
        }
        if trace.detailed {
            let [keyword, semantic] = found_by(trace, &parents(hit));
            json["found_by"] = json!({ "keyword": keyword, "semantic": semantic });
        }
        json
    };
    hits.iter().map(json).collect()
}

/// The parent chunks of a hit that were found; the first gives the hit its id.
fn parents(hit: &Hit) -> Vec<&ChunkId> {
    let found = hit.sources.iter().filter(|source| source.score.is_some()).map(|source| &source.chunk_id);
    std::iter::once(&hit.chunk_id).chain(found).collect()
}

fn json_group(group: &[Hit], rank: usize, result: &SearchResult) -> Value {
    let best = &group[0];
    let mut json = json!({
        "rank": rank,
        "confidence": confidence(group),
        "namespace": best.namespace,
        "doc_id": best.doc_id,
        "source": best.source,
        "title": best.title,
    });
    if result.shape.groups_by() == GroupBy::Section {
        json["section"] = json!(best.section);
    }
    let mut hits = hits(group, &result.trace);
    if result.shape.drills() {
        let profile = best.profile();
        json["summary"] = json!(profile.map(|profile| &profile.summary));
        json["kinds"] = json!(profile.map(|profile| &profile.kinds));
        json["topics"] = json!(profile.map(|profile| &profile.topics));
        for (json, hit) in hits.iter_mut().zip(group) {
            json["children"] = children(hit).map(json_child).collect();
        }
    }
    json["hits"] = json!(hits);
    json
}

fn children(hit: &Hit) -> impl Iterator<Item = &SourceChild> {
    hit.sources.iter().flat_map(|source| &source.children)
}

fn json_child(child: &SourceChild) -> Value {
    json!({ "chunk_id": child.chunk_id, "score": child.score, "content": child.text.trim() })
}

fn confidence(group: &[Hit]) -> f32 {
    group.iter().map(|hit| hit.confidence).fold(0.0, f32::max)
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
        "mode": result.shape.mode,
        "confidence": result.confidence(),
        "nearest": result.nearest.iter().map(json_nearest).collect::<Vec<_>>(),
        "left_out": result.left_out,
        "notes": result.notes,
        "timings_ms": timings,
    });
    if result.trace.detailed {
        json["stages"] = json!(result.trace.stages);
    }
    json
}

/// Parts beside each other behind `first`, and in further lines below it.
fn parts_behind(first: &str, parts: &[(Style, &str)], screen: Screen) -> String {
    let indent = first.width();
    let columns = screen.line().map(|columns| columns.saturating_sub(indent).max(LEAST_TEXT));
    let next = format!("\n{}", " ".repeat(indent));
    format!("{first}{}", beside(parts, columns).join(next.as_str()))
}

fn dim<const N: usize>(parts: [&str; N]) -> [(Style, &str); N] {
    parts.map(|part| (DIM, part))
}

/// A confidence from 0 to 1 at a glance.
fn bar(confidence: f32) -> String {
    const CELLS: f32 = 5.0;
    let full = (confidence * CELLS).round().clamp(0.0, CELLS) as usize;
    format!("confidence {}{} {confidence:.2}", "▰".repeat(full), "▱".repeat(CELLS as usize - full))
}

/// A hit below the confidence limit, in a few words.
pub fn nearest(hit: &Hit) -> String {
    format!("{} in {}, confidence {:.2}", heading(hit), printable(&hit.source), hit.confidence)
}

fn json_nearest(hit: &Hit) -> Value {
    json!({ "chunk_id": hit.chunk_id, "source": hit.source, "section": hit.section, "confidence": hit.confidence })
}

/// The first and the last parent chunk of a hit that joins several: who edits it has to edit each.
fn joined<'h>(hit: &'h Hit, result: &SearchResult) -> Option<(&'h ChunkId, &'h ChunkId)> {
    match &hit.sources[..] {
        [first, .., last] if !result.shape.seeks_sections() => Some((&first.chunk_id, &last.chunk_id)),
        _ => None,
    }
}

/// How many parent chunks of a hit match, if it may have more than one.
fn matched(hit: &Hit, result: &SearchResult) -> String {
    if hit.sources.len() <= 1 && !result.shape.seeks_sections() {
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
        "entries": json_entries(&contents.sections),
    })
}

/// What did not fit, in one line.
pub(super) fn omitted(left_out: &[Omitted]) -> Option<String> {
    if left_out.is_empty() {
        return None;
    }
    let parents: usize = left_out.iter().map(|part| part.chunk_ids.len()).sum();
    let named = left_out.iter().map(|part| {
        // The number of a single part is said in front.
        let chunks = (left_out.len() > 1).then(|| count(part.chunk_ids.len(), "parent chunk"));
        let facts = [Some(part.section.titles.as_str()).filter(|titles| !titles.is_empty()), chunks.as_deref()];
        let facts: Vec<&str> = facts.into_iter().flatten().collect();
        format!("{}{}", part.section.id, around(" (", &facts.join(", "), ")"))
    });
    Some(format!("left out: {} of {}", count(parents, "parent chunk"), first_of(named)))
}

fn heading(hit: &Hit) -> String {
    printable(&line(&hit.title, &hit.section.titles))
}
