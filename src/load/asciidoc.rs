//! AsciiDoc, through `asciidoc-parser`: sections, header attributes, and the source of every block.
//!
//! Conditions (`ifdef`) are followed, includes are not: a document reads no other file. A table of tens of thousands of
//! rows, or a line of as many quotation marks, takes the parser minutes, so AsciiDoc is parsed in a worker process with
//! a time limit.

use asciidoc_parser::blocks::{Block as Node, ContentModel, FindBlocks, IsBlock, SectionType, TableBlock};
use asciidoc_parser::document::InterpretedValue;
use asciidoc_parser::{HasSpan, Parser};

use super::{Block, Document, Format};
use crate::error::{Error, Result, Setting};
use crate::text::{squeeze, tables};

/// Header attributes and the metadata names of other formats for them.
const NAMES: &[(&str, &str)] = &[("revdate", "date"), ("revnumber", "version"), ("lang", "language")];

/// Longer attribute values do not replace their names in the text.
const LONGEST_VALUE: usize = 200;

/// The header's title is the document's; `==` is the first level of sections unless the document has parts (`=`).
///
/// # Errors
/// If the file is a PGP signature, which may have the same ending.
pub fn parse(text: &str) -> Result<Document> {
    if text.trim_start().starts_with("-----BEGIN PGP") {
        return Err(Error::failed("this is a PGP signature or key, not AsciiDoc")
            .hint(format!("skip it with {}", Setting("exclude"))));
    }
    let mut document = Document::new(Format::AsciiDoc, "asciidoc-parser");
    let parsed = Parser::default().parse(text);
    let header = parsed.header();
    document.title = parsed.doctitle().map(plain).filter(|title| !title.is_empty());
    for attribute in header.attributes() {
        if let InterpretedValue::Value(value) = attribute.value() {
            add(&mut document, attribute.name().data(), value);
        }
    }
    let authors: Vec<&str> = parsed.authors().iter().map(|author| author.name()).collect();
    add(&mut document, "author", &authors.join(", "));
    if let Some(revision) = header.revision_line() {
        add(&mut document, "date", revision.revdate());
        add(&mut document, "version", revision.revnumber().unwrap_or_default());
    }
    let mut stack: Vec<&Node<'_>> = parsed.child_blocks().collect();
    stack.reverse();
    while let Some(node) = stack.pop() {
        match node {
            Node::Section(section) => {
                let title = plain(section.section_title());
                if section.section_type() == SectionType::Discrete {
                    document.blocks.push(Block::paragraph(title));
                } else if !title.is_empty() {
                    let level = u8::try_from(section.level() + 1).unwrap_or(u8::MAX);
                    document.blocks.push(Block::heading(level, title));
                }
            }
            Node::Preamble(_) => {}
            Node::Table(table) => {
                push_table(table, &parsed, &mut document);
                continue;
            }
            _ => {
                push_source(node, &parsed, &mut document);
                continue;
            }
        }
        let children: Vec<&Node<'_>> = node.child_blocks().collect();
        stack.extend(children.into_iter().rev());
    }
    Ok(document)
}

fn add(document: &mut Document, name: &str, value: &str) {
    let name = NAMES.iter().find(|(theirs, _)| *theirs == name).map_or(name, |(_, ours)| ours);
    document.add_metadata(name, squeeze(value));
}

/// Adds a table's title and its rows, with the source text of each cell.
fn push_table(table: &TableBlock<'_>, parsed: &asciidoc_parser::Document<'_>, document: &mut Document) {
    document.blocks.extend(table.title().map(plain).filter(|title| !title.is_empty()).map(Block::paragraph));
    let rows = table.header_row().into_iter().chain(table.body_rows()).chain(table.footer_row()).map(|row| {
        let cells = row.cells().iter().flat_map(|cell| {
            let text = with_values(&squeeze(cell.span().data()), parsed);
            std::iter::once(text).chain(tables::behind_wide(cell.colspan()))
        });
        cells.collect()
    });
    document.blocks.extend(tables::write(rows.collect()).map(Block::paragraph));
}

/// Adds the source of a block, with its title and attribute lines.
fn push_source(node: &Node<'_>, parsed: &asciidoc_parser::Document<'_>, document: &mut Document) {
    if matches!(node.raw_context().as_ref(), "comment" | "attribute" | "thematic_break" | "page_break" | "toc") {
        return;
    }
    let source = node.span().data();
    let source: Vec<&str> = source.lines().filter(|line| !is_comment(line)).map(str::trim_end).collect();
    let mut text = source.join("\n").trim_matches('\n').to_owned();
    // Listings do not expand attributes.
    if matches!(node.content_model(), ContentModel::Simple | ContentModel::Compound | ContentModel::Table) {
        text = with_values(&text, parsed);
    }
    if !text.trim().is_empty() {
        document.blocks.push(Block::paragraph(text));
    }
}

fn is_comment(line: &str) -> bool {
    line.starts_with("//") && !line.starts_with("///")
}

/// Replaces `{name}` by the value of the attribute.
fn with_values(text: &str, parsed: &asciidoc_parser::Document<'_>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        out.push_str(&rest[..start]);
        rest = &rest[start..];
        // Looks no further than the name; otherwise many brackets would take quadratic time.
        let is_other = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
        let name = rest[1..].find(is_other).map(|end| &rest[1..=end]);
        let name = name.filter(|name| rest[1 + name.len()..].starts_with('}'));
        match name.map(|name| (name, parsed.attribute_value(name))) {
            Some((name, InterpretedValue::Value(value))) if value.len() <= LONGEST_VALUE => {
                out.push_str(&value);
                rest = &rest[name.len() + 2..];
            }
            _ => {
                out.push('{');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// The text of a title, which the parser gives as HTML.
fn plain(html: &str) -> String {
    squeeze(&dom_query::Document::fragment(html).text())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_and_attributes_are_read_but_not_inside_listings() {
        let document = parse(
            "= The Guide\nAnn Author <a@example.org>; Bo Other\nv1.2, 2026-03-04\n:product: Norwick P1\n:lang: en\n\n\
             Preamble of {product}.\n\n== Starting {product} & *more*\n\ntext\n// remark\nmore\n\n\
             ----\n== {product} no section\n----\n\n=== 附录 <deep>\n\n.Settings\n|===\n|a |b\n|===\n\n////\n== no\n////\n",
        )
        .unwrap();
        assert_eq!(document.title.as_deref(), Some("The Guide"));
        assert_eq!(document.metadata["author"], "Ann Author, Bo Other");
        assert_eq!(document.metadata["date"], "2026-03-04");
        assert_eq!(document.metadata["language"], "en");
        let listing = "----\n== {product} no section\n----";
        let first = ["Preamble of Norwick P1.", "## Starting Norwick P1 & more", "text\nmore", listing];
        let second = ["### 附录 <deep>", "Settings", "| a | b |\n| --- | --- |"];
        assert_eq!(document.blocks, Block::in_markdown(first.into_iter().chain(second)));
    }

    #[test]
    fn parts_are_above_chapters_and_other_files_are_left_alone() {
        let document =
            parse("= Book\n\n= Part\n\n== Chapter\n\ninclude::/etc/passwd[]\n\n[discrete]\n== Aside\n").unwrap();
        assert_eq!(document.headings().collect::<Vec<_>>(), [(1, "Part"), (2, "Chapter")]);
        assert!(!document.blocks.iter().any(|block| block.text.contains("root:")));
    }

    #[test]
    fn brackets_without_end_cost_no_more_than_their_length() {
        let text = "{".repeat(500_000);
        assert_eq!(with_values(&text, &Parser::default().parse("")), text);
    }

    #[test]
    fn a_signature_is_refused() {
        assert!(parse("-----BEGIN PGP SIGNATURE-----\n\nabc\n").is_err());
    }
}
