//! Markdown, through `pulldown-cmark`: front matter, headings, and the source text of everything between them.
//!
//! The source keeps lists and code readable. Only headings lose their markup, and tables are written as in all formats.

use pulldown_cmark::{Event, MetadataBlockKind, Options, Parser, Tag, TagEnd};

use super::html;
use super::{Block, Document, Format};
use crate::text::{squeeze, tables};

/// Lines that begin with `#` inside a code fence are code, not headings.
pub fn parse(text: &str) -> Document {
    let mut document = Document::new(Format::Markdown, "pulldown-cmark");
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_MATH;
    let mut depth = 0usize;
    let mut heading: Option<(u8, String)> = None;
    let mut front_matter: Option<MetadataBlockKind> = None;
    let mut rows: Option<Vec<tables::Row>> = None;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match &event {
            Event::Start(Tag::Heading { level, .. }) if depth == 0 => heading = Some((*level as u8, String::new())),
            Event::End(TagEnd::Heading(_)) if depth == 1 => {
                let whole = heading.take().map(|(level, title)| Block::heading(level, squeeze(&title)));
                document.blocks.extend(whole.filter(|heading| !heading.text.is_empty()));
            }
            Event::Start(Tag::MetadataBlock(kind)) => front_matter = Some(*kind),
            Event::End(TagEnd::MetadataBlock(_)) => front_matter = None,
            Event::Text(words) if front_matter.is_some() => {
                read_front_matter(words, front_matter, &mut document);
            }
            Event::Text(words) | Event::Code(words) | Event::InlineMath(words) => {
                heading.iter_mut().for_each(|(_, title)| title.push_str(words));
            }
            Event::SoftBreak | Event::HardBreak => {
                heading.iter_mut().for_each(|(_, title)| title.push(' '));
            }
            Event::Start(Tag::HtmlBlock) if depth == 0 => push_html(&text[range.clone()], &mut document),
            Event::Start(Tag::Table(_)) if depth == 0 => rows = Some(Vec::new()),
            Event::Start(Tag::TableHead | Tag::TableRow) => {
                rows.iter_mut().for_each(|rows| rows.push(Vec::new()));
            }
            Event::Start(Tag::TableCell) => {
                if let Some(row) = rows.as_mut().and_then(|rows| rows.last_mut()) {
                    row.push(text[range.clone()].trim_matches(['|', ' ']).replace("\\|", "|"));
                }
            }
            Event::End(TagEnd::Table) => {
                document.blocks.extend(rows.take().and_then(tables::write).map(Block::paragraph));
            }
            // Other blocks at the top level keep their source.
            Event::Start(tag) if depth == 0 && !matches!(tag, Tag::Heading { .. } | Tag::MetadataBlock(_)) => {
                push_source(&text[range.clone()], &mut document);
            }
            _ => {}
        }
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    document.title = document.title.take().or_else(|| document.only_top_heading());
    document
}

fn push_source(source: &str, document: &mut Document) {
    let source = source.trim_end().trim_start_matches('\n');
    if !source.trim().is_empty() {
        document.blocks.push(Block::paragraph(source));
    }
}

/// Longer HTML blocks stay as they are, because the parser takes quadratic time for nesting.
const LONGEST_HTML: usize = 10_000;

/// Adds an HTML block, parsed if it has headings: many READMEs have their title in `<h1 align="center">`. Leaves out
/// comments.
fn push_html(source: &str, document: &mut Document) {
    let lower = source.to_ascii_lowercase();
    if source.len() <= LONGEST_HTML && (1..=6).any(|level| lower.contains(&format!("<h{level}"))) {
        document.blocks.extend(html::parse(source).blocks);
    } else if !(lower.trim_start().starts_with("<!--") && lower.trim_end().ends_with("-->")) {
        push_source(source, document);
    }
}

/// Reads `key: value` lines (YAML) or a TOML table into the metadata. Nested values stay as written.
fn read_front_matter(text: &str, kind: Option<MetadataBlockKind>, document: &mut Document) {
    let mut add = |key: &str, value: &str| {
        let value = value.trim().trim_matches(['"', '\'']).to_owned();
        if key == "title" && !value.is_empty() {
            document.title = Some(value.clone());
        }
        document.add_metadata(key, value);
    };
    match kind {
        Some(MetadataBlockKind::PlusesStyle) => match text.parse::<toml::Table>() {
            Ok(table) => table.iter().for_each(|(key, value)| match value {
                toml::Value::String(value) => add(key, value),
                other => add(key, &other.to_string()),
            }),
            Err(error) => document.warnings.push(format!("front matter is not TOML: {}", squeeze(error.message()))),
        },
        _ => front_matter(text.lines()).for_each(|(key, value)| add(&key, &value)),
    }
}

/// The keys and values of front matter in YAML: `key: value`, `key: [a, b]`, or `- a` on the lines below `key:`. Nested
/// values stay as written.
pub fn front_matter<'t>(lines: impl Iterator<Item = &'t str>) -> impl Iterator<Item = (String, String)> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    let mut in_list = false;
    for line in lines {
        if let Some(item) = line.trim_start().strip_prefix("- ").filter(|_| in_list) {
            found.last_mut().expect("a list has a key").1.push(item.trim().trim_matches(['"', '\'']).to_owned());
        } else if let Some((key, value)) = line.split_once(':').filter(|_| !line.starts_with([' ', '\t', '#'])) {
            let value = without_comment(value.trim());
            in_list = value.is_empty();
            let values =
                if in_list { Vec::new() } else { vec![value.trim_start_matches('[').trim_end_matches(']').to_owned()] };
            found.push((key.trim().to_owned(), values));
        }
    }
    found.into_iter().map(|(key, values)| (key, values.join(", ")))
}

/// A YAML value without the comment after it. Quoted text has no comments.
fn without_comment(value: &str) -> &str {
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let is_whole = |at: &usize| {
        let before = value[..*at].trim_end();
        quote.is_none_or(|quote| before.len() > 1 && before.ends_with(quote) && !before.ends_with("\\\""))
    };
    let mut comments = value.match_indices(" #").map(|(at, _)| at);
    let comment = if value.starts_with('#') { Some(0) } else { comments.find(is_whole) };
    value[..comment.unwrap_or(value.len())].trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_of_both_kinds_are_found_and_code_is_not_a_heading() {
        let document = parse("# One\n\ntext\n\n```sh\n# not a heading\n```\n\nTwo *b*\n------\n\nmore");
        assert_eq!(document.headings().collect::<Vec<_>>(), [(1, "One"), (2, "Two b")]);
        assert!(document.blocks.iter().any(|b| b.text == "```sh\n# not a heading\n```"));
    }

    #[test]
    fn front_matter_gives_title_and_metadata() {
        let document = parse(
            "---\ntitle: \"Guide #1\" # no \"draft\"\ntags:\n  - a\n  - b\ndate: 2026-01-02 # a day\nlink: \"a #b\"\n---\n\n# H\n\nx",
        );
        assert_eq!(document.title.as_deref(), Some("Guide #1"));
        assert_eq!(document.metadata["tags"], "a, b");
        assert_eq!((&*document.metadata["date"], &*document.metadata["link"]), ("2026-01-02", "a #b"));
        assert_eq!(document.blocks.len(), 2);
    }

    #[test]
    fn tables_and_lists_stay_whole() {
        let document = parse("a | b\n--|:-:\n1 | `2\\|3`\n4\n\n- x\n  - y\n- z\n");
        assert_eq!(document.blocks.len(), 2);
        assert_eq!(document.blocks[0].text, "| a | b |\n| --- | --- |\n| 1 | `2\\|3` |\n| 4 |  |");
        assert_eq!(document.blocks[1].text, "- x\n  - y\n- z");
    }

    #[test]
    fn headings_in_html_count_and_comments_and_attributes_are_not_shown() {
        let document = parse("<h1 align=center>Top</h1>\n\n<!-- remark -->\n\n## Sub {#sub}\n\n<details>x</details>\n");
        assert_eq!(document.texts(), ["Top", "Sub", "<details>x</details>"]);
        assert_eq!(document.headings().next(), Some((1, "Top")));
    }

    #[test]
    fn only_a_single_top_heading_is_the_title() {
        assert_eq!(parse("# A\n\n## B\n\n## C").title.as_deref(), Some("A"));
        assert_eq!(parse("# A\n\n# B").title, None);
    }
}
