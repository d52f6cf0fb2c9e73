//! A result described once, as blocks that one function writes as a table and another as Markdown.

use std::io::{Result, Write};

use anstyle::Style;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle};
use serde::Serialize;
use serde_json::Value;

use super::format::{OutputFormat, value, values};
use super::style::{DIM, TITLE, paint, visible_but_styles};
use crate::text::visible;

/// Columns that the name of a fact may take before values stop being aligned.
const WIDEST_NAME: usize = 20;

/// A result in every format: blocks for people, values and paths for scripts.
#[derive(Debug, Default)]
pub struct Page {
    blocks: Vec<Block>,
    json: Value,
    lines: Option<Vec<Value>>,
    paths: Vec<String>,
    /// Whether the paths are sources, not ids or names.
    pub has_sources: bool,
    /// Notes beside the result.
    pub notes: Vec<String>,
}

#[derive(Debug)]
enum Block {
    Title(String),
    Heading(String),
    Line(Style, String),
    Item(Style, String),
    Facts(Vec<(String, String)>),
    Quote(String, String),
    Grid(Grid),
    Gap,
    Both { table: String, markdown: String },
}

/// Rows of cells under a header.
#[derive(Debug, Default)]
pub(super) struct Grid {
    pub header: Vec<&'static str>,
    pub rows: Vec<Vec<String>>,
    /// Columns that hold numbers.
    pub right: Vec<usize>,
    /// Columns that are never wrapped, because people copy their values.
    pub whole: Vec<usize>,
}

impl Page {
    pub(super) fn new(json: &(impl Serialize + ?Sized)) -> Self {
        Page { json: value(json), ..Page::default() }
    }

    /// The values of JSON Lines, if they are not the elements of the JSON value.
    pub(super) fn with_lines<T: Serialize>(mut self, lines: impl IntoIterator<Item = T>) -> Self {
        self.lines = Some(values(lines));
        self
    }

    pub(super) fn with_paths(mut self, paths: impl IntoIterator<Item = impl ToString>) -> Self {
        self.paths = paths.into_iter().map(|path| path.to_string()).collect();
        self
    }

    /// Paths that name sources as the store does; `locate` replaces these names.
    pub(super) fn with_sources(self, sources: impl IntoIterator<Item = impl ToString>) -> Self {
        Page { has_sources: true, ..self.with_paths(sources) }
    }

    /// Replaces the names of sources by what `path` gives for them, if anything.
    pub fn locate(&mut self, path: impl Fn(&str) -> Option<String>) {
        self.paths.iter_mut().for_each(|source| *source = path(source).unwrap_or_else(|| std::mem::take(source)));
    }

    pub(super) fn title(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Title(text.into()));
    }

    pub(super) fn heading(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Heading(text.into()));
    }

    pub(super) fn line(&mut self, text: impl Into<String>) {
        self.styled(Style::new(), text);
    }

    pub(super) fn styled(&mut self, style: Style, text: impl Into<String>) {
        self.blocks.push(Block::Line(style, text.into()));
    }

    /// One of several alike: a line of a table, an item of a Markdown list.
    pub(super) fn item(&mut self, style: Style, text: impl Into<String>) {
        self.blocks.push(Block::Item(style, text.into()));
    }

    /// Named values; those without a value are left out.
    pub(super) fn facts<N: Into<String>>(&mut self, facts: impl IntoIterator<Item = (N, String)>) {
        let facts = facts.into_iter().filter(|(_, value)| !value.is_empty());
        let facts: Vec<(String, String)> = facts.map(|(name, value)| (name.into(), value)).collect();
        if !facts.is_empty() {
            self.blocks.push(Block::Facts(facts));
        }
    }

    /// A text of several lines under a name.
    pub(super) fn quote(&mut self, name: &str, text: impl Into<String>) {
        self.blocks.push(Block::Quote(name.to_owned(), text.into()));
    }

    /// A grid; nothing if it has no rows.
    pub(super) fn grid(&mut self, grid: Grid) {
        if !grid.rows.is_empty() {
            self.blocks.push(Block::Grid(grid));
        }
    }

    /// Text that differs between a table and Markdown; an empty one is left out.
    pub(super) fn both(&mut self, table: impl Into<String>, markdown: impl Into<String>) {
        self.blocks.push(Block::Both { table: table.into(), markdown: markdown.into() });
    }

    /// Text as it is, the same in both.
    pub(super) fn verbatim(&mut self, text: &str) {
        let text = text.strip_suffix('\n').unwrap_or(text);
        self.both(text, text);
    }

    /// What did not fit, in one line, if anything: below the result and beside it.
    pub(super) fn left_out(&mut self, line: Option<String>) {
        if let Some(line) = line {
            self.gap();
            self.verbatim(&format!("[{line}]"));
            self.notes.push(line);
        }
    }

    /// An empty line between two results; nothing in front of the first.
    pub(super) fn gap(&mut self) {
        if !self.blocks.is_empty() {
            self.blocks.push(Block::Gap);
        }
    }

    /// Writes the result, without invisible characters: text of documents, file names and foreign rows control neither the
    /// terminal nor the model that reads the output.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write(&self, format: OutputFormat, width: usize, out: &mut dyn Write) -> Result<()> {
        let mut shown = Vec::new();
        match format {
            OutputFormat::Json => return writeln!(out, "{:#}", visible_json(&self.json)),
            OutputFormat::Jsonl => {
                return match (&self.lines, &self.json) {
                    (Some(lines), _) | (None, Value::Array(lines)) => {
                        lines.iter().try_for_each(|line| writeln!(out, "{}", visible_json(line)))
                    }
                    (None, value) => writeln!(out, "{}", visible_json(value)),
                };
            }
            OutputFormat::Table => self.table(width, &mut shown)?,
            OutputFormat::Markdown => self.markdown(&mut shown)?,
            OutputFormat::Paths => self.paths.iter().try_for_each(|path| writeln!(shown, "{path}"))?,
            OutputFormat::PathsWithNul => {
                return self.paths.iter().try_for_each(|path| write!(out, "{}\0", visible(path)));
            }
        }
        out.write_all(visible_but_styles(&String::from_utf8_lossy(&shown)).as_bytes())
    }

    fn table(&self, width: usize, out: &mut dyn Write) -> Result<()> {
        let indent = if self.blocks.iter().any(|block| matches!(block, Block::Title(_))) { "  " } else { "" };
        for block in &self.blocks {
            match block {
                Block::Title(text) | Block::Heading(text) => writeln!(out, "{}", paint(TITLE, text))?,
                Block::Line(style, text) | Block::Item(style, text) => writeln!(out, "{}", paint(*style, text))?,
                Block::Facts(facts) => {
                    let widest = facts.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
                    let widest = widest.min(WIDEST_NAME);
                    for (name, value) in facts {
                        writeln!(out, "{indent}{} {value}", paint(DIM, format!("{name:<widest$}")))?;
                    }
                }
                Block::Quote(name, text) => {
                    let mut lines = text.lines();
                    let first = lines.next().unwrap_or_default();
                    writeln!(out, "  {} {first}", paint(DIM, format!("{name:<7}")))?;
                    lines.try_for_each(|line| writeln!(out, "          {line}"))?;
                }
                Block::Grid(grid) => writeln!(out, "{}", grid.table(width))?,
                Block::Gap => writeln!(out)?,
                Block::Both { table, .. } if table.is_empty() => {}
                Block::Both { table, .. } => writeln!(out, "{table}")?,
            }
        }
        Ok(())
    }

    /// An empty line separates blocks of different kinds.
    pub(super) fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        let mut before: Option<&Block> = None;
        let empty = |block: &&Block| matches!(block, Block::Both { markdown, .. } if markdown.is_empty());
        for block in self.blocks.iter().filter(|block| !empty(block)) {
            let joined = before.is_none_or(|before| match (before, block) {
                (Block::Gap, _) | (_, Block::Gap) => true,
                (Block::Quote(..), Block::Quote(..)) => false,
                (before, block) => std::mem::discriminant(before) == std::mem::discriminant(block),
            });
            if !joined {
                writeln!(out)?;
            }
            match block {
                Block::Title(text) => writeln!(out, "# {text}")?,
                Block::Heading(text) => writeln!(out, "## {text}")?,
                Block::Line(_, text) => writeln!(out, "{text}")?,
                Block::Item(_, text) => writeln!(out, "- {text}")?,
                Block::Facts(facts) => {
                    facts.iter().try_for_each(|(name, value)| writeln!(out, "- {name}: {value}"))?;
                }
                Block::Quote(name, text) => writeln!(out, "{name}:\n\n{}", quoted(text))?,
                Block::Grid(grid) => write!(out, "{}", grid.markdown())?,
                Block::Gap => writeln!(out)?,
                Block::Both { markdown, .. } => writeln!(out, "{markdown}")?,
            }
            before = Some(block);
        }
        Ok(())
    }
}

/// A JSON value whose names and texts have no invisible characters.
fn visible_json(json: &Value) -> Value {
    match json {
        Value::String(text) => Value::String(visible(text).into_owned()),
        Value::Array(values) => values.iter().map(visible_json).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (visible(name).into_owned(), visible_json(value))).collect()
        }
        other => other.clone(),
    }
}

/// A text as a Markdown quotation, so that its headings do not become headings of the page.
pub(super) fn quoted(text: &str) -> String {
    text.lines().map(|line| format!("> {line}").trim_end().to_owned()).collect::<Vec<String>>().join("\n")
}

impl Grid {
    pub fn new(header: &[&'static str], right: &[usize], rows: Vec<Vec<String>>) -> Self {
        Grid { header: header.to_vec(), rows, right: right.to_vec(), ..Grid::default() }
    }

    fn table(&self, width: usize) -> Table {
        let mut table = Table::new();
        table.load_style(TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─')));
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(u16::try_from(width).unwrap_or(u16::MAX));
        table.set_header(&self.header);
        table.add_rows(&self.rows);
        for (index, column) in table.column_iter_mut().enumerate() {
            if self.right.contains(&index) {
                column.set_cell_alignment(CellAlignment::Right);
            }
            if self.whole.contains(&index) {
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
        }
        table
    }

    fn markdown(&self) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|").replace('\n', " ")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let header: Vec<String> = self.header.iter().map(|cell| (*cell).to_owned()).collect();
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        format!("{}|{}\n{rows}", line(&header), " --- |".repeat(self.header.len()))
    }
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    fn markdown(page: &Page) -> String {
        let mut out = Vec::new();
        page.markdown(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn markdown_separates_blocks_of_different_kinds() {
        let mut page = Page::default();
        page.grid(Grid::new(&["id"], &[], vec![vec!["a|b".to_owned()]]));
        page.item(DIM, "one");
        page.item(DIM, "two");
        page.line("both done");
        assert_eq!(markdown(&page), "| id |\n| --- |\n| a\\|b |\n\n- one\n- two\n\nboth done\n");
    }

    #[test]
    fn nothing_invisible_is_written_in_any_format() {
        let hostile = "a\u{1b}]0;x\u{7}b\u{1b}[8mc\u{202e}d\u{9b}2Je";
        let mut page = Page::new(&serde_json::json!({ hostile: [hostile] })).with_paths([hostile]);
        page.title(hostile);
        page.facts([(hostile, hostile.to_owned())]);
        page.grid(Grid::new(&["id"], &[], vec![vec![hostile.to_owned()]]));
        for format in OutputFormat::value_variants() {
            let mut out = Vec::new();
            page.write(*format, 80, &mut out).unwrap();
            let out = String::from_utf8(out).unwrap();
            let plain = anstream::adapter::strip_str(&out).to_string();
            assert!(plain.contains("a]0;xb[8mcd2Je"), "{format:?}: {out:?}");
            assert!(!plain.replace('\n', "").contains(crate::text::is_hidden), "{format:?}: {out:?}");
            assert!(!out.contains("\\u00"), "{format:?}: {out:?}");
        }
    }

    #[test]
    fn empty_facts_and_empty_grids_are_left_out() {
        let mut page = Page::default();
        page.gap();
        page.facts([("id", "a".to_owned()), ("pages", String::new())]);
        page.grid(Grid::new(&["id"], &[], Vec::new()));
        assert_eq!(markdown(&page), "- id: a\n");
        let mut table = Vec::new();
        page.table(80, &mut table).unwrap();
        assert_eq!(anstream::adapter::strip_bytes(&table).into_vec(), b"id a\n");
    }
}
