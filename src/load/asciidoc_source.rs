//! Puts aside what the parser of AsciiDoc would take quadratic time for: tables, and in long documents the text of
//! paragraphs, lists and listings. A line with a mark stands in for each. Only the source of these blocks is needed.

use super::asciidoc_tables;
use crate::text::tables::Row;

/// Of longer documents, in bytes, the text is put aside.
const LONG: usize = 64 << 10;
/// In longer documents, a longer line, in bytes, is text whatever it begins with.
const LONGEST_LINE: usize = 2_000;
/// Lines of a header that are no attributes: title, authors, revision.
const MOST_IN_HEADER: usize = 8;
/// Begins a line that stands in for something. A number follows.
const MARK: char = '\u{F0000}';

/// What a line stands in for.
pub enum Aside {
    Table(Vec<Row>),
    Text(String),
}

/// A document for the parser, and what was put aside.
pub struct Source {
    pub text: String,
    aside: Vec<Aside>,
}

impl Source {
    pub fn of(text: &str) -> Self {
        // The marks of other programs mean nothing here.
        let cleaned = text.replace(MARK, "");
        let mut reader = Reader {
            source: Source { text: String::with_capacity(text.len()), aside: Vec::new() },
            is_long: text.len() > LONG,
            run: Vec::new(),
        };
        reader.read(&cleaned);
        reader.source
    }

    /// What a line of a block stands in for; `None` for a line of the document.
    pub fn aside(&self, line: &str) -> Option<&Aside> {
        self.aside.get(line.trim().strip_prefix(MARK)?.parse::<usize>().ok()?)
    }
}

struct Reader<'t> {
    source: Source,
    is_long: bool,
    /// The lines of the current text.
    run: Vec<&'t str>,
}

impl<'t> Reader<'t> {
    fn read(&mut self, text: &'t str) {
        let mut lines = text.lines();
        let mut in_header = text.trim_start().starts_with(['=', ':', '/']);
        let mut header = 0;
        let mut attributes = "";
        let mut before = "";
        while let Some(line) = lines.next() {
            let trimmed = line.trim_end();
            let is_continued = before.starts_with(':') && before.ends_with(['\\', '+']);
            if asciidoc_tables::is_delimiter(trimmed) {
                self.end_run();
                self.table(trimmed, attributes, &mut lines);
            } else if let Some(end) = end_of_listing(trimmed) {
                self.end_run();
                self.line(line);
                let closing = lines.by_ref().find(|line| {
                    let is_end = line.trim_end() == end;
                    if !is_end {
                        self.run.push(*line);
                    }
                    is_end
                });
                self.end_run();
                closing.into_iter().for_each(|line| self.line(line));
            } else if trimmed.is_empty() {
                in_header &= header == 0;
                self.end_run();
                self.line("");
            } else if in_header && header < MOST_IN_HEADER && trimmed.len() <= LONGEST_LINE {
                header += usize::from(!trimmed.starts_with([':', '/']));
                self.line(line);
            } else if is_continued || trimmed.len() <= LONGEST_LINE && is_structure(trimmed, self.run.is_empty()) {
                self.end_run();
                self.line(line);
            } else {
                self.run.push(line);
            }
            attributes = if trimmed.starts_with('[') {
                trimmed
            } else if trimmed.starts_with('.') {
                attributes
            } else {
                ""
            };
            before = if is_continued && trimmed.ends_with(['\\', '+']) { before } else { trimmed };
        }
        self.end_run();
    }

    fn line(&mut self, line: &str) {
        self.source.text.push_str(line);
        self.source.text.push('\n');
    }

    fn put_aside(&mut self, aside: Aside) {
        self.line(&format!("{MARK}{}", self.source.aside.len()));
        self.source.aside.push(aside);
    }

    fn end_run(&mut self) {
        let run = std::mem::take(&mut self.run);
        match self.is_long && !run.is_empty() {
            true => self.put_aside(Aside::Text(run.join("\n"))),
            false => run.into_iter().for_each(|line| self.line(line)),
        }
    }

    /// Puts a table aside, whose first line was read.
    fn table(&mut self, delimiter: &str, attributes: &str, lines: &mut std::str::Lines<'_>) {
        let inside: Vec<&str> = lines.by_ref().take_while(|line| line.trim_end() != delimiter).collect();
        self.put_aside(Aside::Table(asciidoc_tables::rows(delimiter, attributes, &inside.join("\n"))));
        // The line after it is no line of its paragraph.
        self.line("");
    }
}

/// The line that ends the listing or comment that a line begins.
fn end_of_listing(line: &str) -> Option<&str> {
    if line.starts_with("```") {
        return Some("```");
    }
    let first = line.chars().next().filter(|c| matches!(c, '-' | '.' | '+' | '/'))?;
    (line.len() >= 4 && line.chars().all(|c| c == first)).then_some(line)
}

/// Whether a line is more than text. Inside a paragraph, only few lines are.
fn is_structure(line: &str, begins: bool) -> bool {
    const DIRECTIVES: [&str; 6] = ["ifdef::", "ifndef::", "ifeval::", "endif::", "include::", "toc::"];
    let is_delimiter =
        line == "--" || line.len() >= 4 && ['=', '*', '_'].iter().any(|mark| line.trim_matches(*mark).is_empty());
    is_delimiter
        || line.starts_with('[') && line.ends_with(']')
        || DIRECTIVES.iter().any(|directive| line.starts_with(directive))
        || begins
            && (line.starts_with(['=', '#', ':'])
                || matches!(line, "'''" | "<<<")
                || line.starts_with('.') && !line.starts_with(". ") && !line.starts_with(".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_long_documents_and_all_tables_are_put_aside() {
        let part = "== Title\n\n.Name\n[cols=2]\n|===\n|a |b\n|===\ntext\n* item\n\n----\n== code\n----\n\n:a: b\n";
        let short = Source::of(part);
        assert!(short.text.contains("[cols=2]\n\u{F0000}0\n\ntext\n* item\n\n----\n== code\n----"), "{}", short.text);
        let long = Source::of(&part.repeat(LONG / part.len() + 1));
        assert!(
            long.text.starts_with(
                "== Title\n\n.Name\n[cols=2]\n\u{F0000}0\n\n\u{F0000}1\n\n----\n\u{F0000}2\n----\n\n:a: b\n"
            ),
            "{:.200}",
            long.text
        );
        assert!(matches!(long.aside("\u{F0000}1"), Some(Aside::Text(text)) if text == "text\n* item"));
        assert!(
            long.aside("text").is_none()
                && long.aside("\u{F0000}x").is_none()
                && long.aside("\u{F0000}99999999").is_none()
        );
    }
}
