//! A result described once, as blocks that one function writes as a table and another as Markdown.

use anstyle::Style;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::format::{OutputFormat, Screen};
use super::grid::Grid;
use super::json::{for_programs, typed, value, values};
use super::links::{Links, visible_but_styles};
use super::style::{DIM, TITLE, paint};
use super::wrap::{hanging, lines};
use crate::store::Snapshot;
use crate::text::visible_path;

/// The most columns of a fact's name; after a longer one the value is not aligned.
const WIDEST_NAME: usize = 20;

/// The longest list of what a command changed.
pub(super) const MOST_LISTED: usize = 40;

/// The version of the JSON; its fields stay as long as it does.
const SCHEMA: &str = "kb/1";

/// A result in every format: blocks for people, values and paths for scripts.
#[derive(Debug, Default)]
pub struct Page {
    blocks: Vec<Block>,
    /// The name of the schema of the JSON.
    kind: &'static str,
    /// The namespace; several as they were typed.
    pub namespace: Option<String>,
    /// The generation that was read or published; `None` for several namespaces, or if nothing was published.
    pub generation: Option<u64>,
    /// Whether the result belongs to no namespace.
    pub has_no_namespace: bool,
    fields: Map<String, Value>,
    items: Option<List>,
    /// The values of JSON Lines, each with its type; `None` if they are the elements of the list.
    lines: Option<Vec<(&'static str, Value)>>,
    /// The fields whose elements are among these values.
    in_lines: &'static [&'static str],
    paths: Vec<String>,
    /// Whether the paths are sources, not ids or names.
    pub has_sources: bool,
    links: Links,
    /// Notes beside the result.
    pub notes: Vec<Note>,
}

#[derive(Debug)]
struct List {
    name: &'static str,
    /// The type of its elements in JSON Lines.
    of: &'static str,
    items: Vec<Value>,
}

/// A note beside a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Note {
    /// For programs; it does not change.
    pub code: &'static str,
    pub message: String,
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

impl Page {
    /// A result with the fields of a JSON object. The fields `namespace` and `generation` become those of the result.
    pub(super) fn new(kind: &'static str, json: &impl Serialize) -> Self {
        let Value::Object(mut fields) = value(json) else { unreachable!("a result is an object") };
        let namespace = fields.shift_remove("namespace").and_then(|name| name.as_str().map(str::to_owned));
        let generation = fields.shift_remove("generation").and_then(|number| number.as_u64());
        Page { kind, namespace, generation, fields, ..Page::default() }
    }

    /// A result whose list is in a field of its JSON object. In JSON Lines each element has the type `of`.
    pub(super) fn listing(kind: &'static str, json: &impl Serialize, field: &str, of: &'static str) -> Self {
        let mut page = Page::new(kind, json);
        let Some(Value::Array(items)) = page.fields.shift_remove(field) else { unreachable!("the field is a list") };
        page.items = Some(List { name: "items", of, items });
        page
    }

    /// A result that is a list. In JSON Lines each element has the type `of`.
    pub(super) fn list<T: Serialize>(kind: &'static str, of: &'static str, items: impl IntoIterator<Item = T>) -> Self {
        Page { kind, ..Page::default() }.with_items(of, items)
    }

    /// The list of the result, as `items`.
    pub(super) fn with_items<T: Serialize>(self, of: &'static str, items: impl IntoIterator<Item = T>) -> Self {
        self.with_named("items", of, items)
    }

    /// The list of the result, under a name of its own.
    pub(super) fn with_named<T: Serialize>(
        self,
        name: &'static str,
        of: &'static str,
        items: impl IntoIterator<Item = T>,
    ) -> Self {
        Page { items: Some(List { name, of, items: values(items) }), ..self }
    }

    /// Sets a field of the JSON object.
    pub(super) fn with_field(mut self, name: &str, field: impl Serialize) -> Self {
        self.fields.insert(name.to_owned(), value(&field));
        self
    }

    /// Marks the result as belonging to no namespace.
    pub(super) fn without_namespace(self) -> Self {
        Page { has_no_namespace: true, ..self }
    }

    /// Sets the generation that was read, if there is one snapshot.
    pub fn read_from(self, snapshots: &[&Snapshot]) -> Self {
        let only = if let [only] = snapshots { Some(only.manifest().generation) } else { None };
        self.at(only)
    }

    /// A text and what it belongs to, for JSON.
    pub fn of_text(kind: &'static str, (name, of): (&str, &str), text: &str) -> Self {
        Page::new(kind, &json!({ name: of, "text": text }))
    }

    /// Sets the generation that was read or published.
    pub fn at(self, generation: Option<u64>) -> Self {
        Page { generation, ..self }
    }

    /// Adds values of one type to JSON Lines, which then do not have the elements of the list.
    pub(super) fn with_lines<T: Serialize>(mut self, of: &'static str, lines: impl IntoIterator<Item = T>) -> Self {
        self.lines.get_or_insert_default().extend(lines.into_iter().map(|line| (of, value(&line))));
        self
    }

    /// Names the fields whose elements are among the values of JSON Lines: the summary does not repeat them.
    pub(super) fn with_fields_in_lines(self, in_lines: &'static [&'static str]) -> Self {
        Page { in_lines, ..self }
    }

    pub(super) fn with_paths(mut self, paths: impl IntoIterator<Item = impl ToString>) -> Self {
        self.paths = paths.into_iter().map(|path| path.to_string()).collect();
        self
    }

    /// Sets the paths to names of sources in the store; `locate` replaces them.
    pub(super) fn with_sources(self, sources: impl IntoIterator<Item = impl ToString>) -> Self {
        Page { has_sources: true, ..self.with_paths(sources) }
    }

    /// Replaces the names of sources by what `path` returns, if anything.
    pub fn locate(&mut self, path: impl Fn(&str) -> Option<String>) {
        self.paths.iter_mut().for_each(|source| *source = path(source).unwrap_or_else(|| std::mem::take(source)));
    }

    /// `text` with `place` in it as a link to the page of a source, if there is one.
    pub(super) fn linked(&mut self, text: &str, place: &str, source: &str, page: Option<u32>) -> String {
        match page {
            Some(page) => text.replacen(place, &self.links.add(source, page, place), 1),
            None => text.to_owned(),
        }
    }

    /// Whether places link to pages, where `locate_links` gives them addresses.
    pub fn has_links(&self) -> bool {
        !self.links.is_empty()
    }

    /// Sets the addresses of links, from what `address` returns for their sources. Without one, a place is plain text.
    pub fn locate_links(&mut self, address: impl Fn(&str) -> Option<String>) {
        self.links.locate(address);
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

    pub(super) fn quote(&mut self, name: &str, text: impl Into<String>) {
        self.blocks.push(Block::Quote(name.to_owned(), text.into()));
    }

    /// A grid; nothing if it has no rows.
    pub(super) fn grid(&mut self, grid: Grid) {
        if !grid.rows.is_empty() {
            self.blocks.push(Block::Grid(grid));
        }
    }

    /// Counts the rest of a list of which only [`MOST_LISTED`] are shown.
    pub(super) fn count_rest(&mut self, all: usize) {
        if all > MOST_LISTED {
            self.line(format!("… and {} more", all - MOST_LISTED));
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

    /// Says in one line what did not fit, if anything, below the result and as a note.
    pub(super) fn left_out(&mut self, line: Option<String>) {
        if let Some(line) = line {
            self.gap();
            self.verbatim(&format!("[{line}]"));
            self.notes.push(Note { code: "left_out", message: line });
        }
    }

    /// An empty line between two results; nothing before the first.
    pub(super) fn gap(&mut self) {
        if !self.blocks.is_empty() {
            self.blocks.push(Block::Gap);
        }
    }

    /// The result without invisible characters: documents, file names and rows from others must not control the
    /// terminal or the model that reads the output.
    pub fn text(&self, format: OutputFormat, screen: Screen) -> String {
        let shown = match format {
            OutputFormat::Json => {
                let items = self.items.iter().map(|list| (list.name.to_owned(), json!(list.items)));
                return format!("{:#}\n", for_programs(self.summary(items)));
            }
            OutputFormat::Jsonl => {
                let mut summary = self.summary(None);
                if let Value::Object(fields) = &mut summary {
                    fields.retain(|name, _| !self.in_lines.contains(&name.as_str()));
                }
                let mut out = String::new();
                let mut add = |of: &str, line: &Value| out += &format!("{}\n", for_programs(typed(of, line)));
                match (&self.lines, &self.items) {
                    (Some(lines), _) => lines.iter().for_each(|(of, line)| add(of, line)),
                    (None, Some(list)) => list.items.iter().for_each(|item| add(list.of, item)),
                    (None, None) => {}
                }
                add("summary", &summary);
                return out;
            }
            OutputFormat::Table => self.table(screen),
            OutputFormat::Markdown => self.markdown(),
            OutputFormat::Paths => self.paths.iter().map(|path| format!("{}\n", visible_path(path))).collect(),
            OutputFormat::PathsWithNul => {
                // NUL ends a path, so a line break may be part of it.
                let shown = |path: &str| path.split('\n').map(visible_path).collect::<Vec<_>>().join("\n");
                return self.paths.iter().map(|path| format!("{}\0", shown(path))).collect();
            }
        };
        visible_but_styles(&shown, &self.links)
    }

    /// The JSON object, with `items` before the notes: those in the fields, then those beside the result.
    fn summary(&self, items: impl IntoIterator<Item = (String, Value)>) -> Value {
        let first = [
            ("schema", json!(SCHEMA)),
            ("kind", json!(self.kind)),
            ("namespace", json!(self.namespace)),
            ("generation", json!(self.generation)),
        ];
        let first = first.map(|(name, value)| (name.to_owned(), value)).into_iter();
        let fields = self.fields.clone().into_iter().filter(|(name, _)| name != "notes");
        let own = self.fields.get("notes").and_then(Value::as_array).into_iter().flatten().cloned();
        let notes = ("notes".to_owned(), own.chain(values(&self.notes)).collect());
        Value::Object(first.chain(fields).chain(items).chain([notes]).collect())
    }

    fn table(&self, screen: Screen) -> String {
        let columns = screen.line();
        let painted = |style: Style, text: &str| -> String {
            lines(text, columns).iter().map(|line| paint(style, line) + "\n").collect()
        };
        let indent = if self.blocks.iter().any(|block| matches!(block, Block::Title(_))) { "  " } else { "" };
        let mut out = String::new();
        for block in &self.blocks {
            match block {
                Block::Title(text) | Block::Heading(text) => out += &painted(TITLE, text),
                Block::Line(style, text) | Block::Item(style, text) => out += &painted(*style, text),
                Block::Facts(facts) => {
                    let widest = facts.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
                    let widest = widest.min(WIDEST_NAME);
                    let rest = " ".repeat(indent.len() + widest + 1);
                    for (name, value) in facts {
                        let name = format!("{indent}{} ", paint(DIM, format!("{name:<widest$}")));
                        out += &(hanging(&name, &rest, value, columns) + "\n");
                    }
                }
                Block::Quote(name, text) => {
                    let (name, rest) = (format!("  {} ", paint(DIM, format!("{name:<7}"))), " ".repeat(10));
                    let mut lines = text.lines();
                    out += &(hanging(&name, &rest, lines.next().unwrap_or_default(), columns) + "\n");
                    lines.for_each(|line| out += &(hanging(&rest, &rest, line, columns) + "\n"));
                }
                Block::Grid(grid) => match columns.filter(|columns| grid.divides_words(*columns)) {
                    Some(columns) => out += &grid.lines(columns),
                    None => out += &format!("{}\n", grid.table(screen.columns)),
                },
                Block::Gap => out += "\n",
                Block::Both { table, .. } if table.is_empty() => {}
                Block::Both { table, .. } => out += &format!("{table}\n"),
            }
        }
        out
    }

    /// An empty line separates blocks of different kinds.
    pub(super) fn markdown(&self) -> String {
        let mut out = String::new();
        let mut before: Option<&Block> = None;
        let empty = |block: &&Block| matches!(block, Block::Both { markdown, .. } if markdown.is_empty());
        for block in self.blocks.iter().filter(|block| !empty(block)) {
            let joined = before.is_none_or(|before| match (before, block) {
                (Block::Gap, _) | (_, Block::Gap) => true,
                (Block::Quote(..), Block::Quote(..)) => false,
                (before, block) => std::mem::discriminant(before) == std::mem::discriminant(block),
            });
            if !joined {
                out += "\n";
            }
            let shown: String = match block {
                Block::Title(text) => format!("# {text}\n"),
                Block::Heading(text) => format!("## {text}\n"),
                Block::Line(_, text) => format!("{text}\n"),
                Block::Item(_, text) => format!("- {text}\n"),
                Block::Facts(facts) => facts.iter().map(|(name, value)| format!("- {name}: {value}\n")).collect(),
                Block::Quote(name, text) => format!("{name}:\n\n{}\n", quoted(text)),
                Block::Grid(grid) => grid.markdown(),
                Block::Gap => "\n".to_owned(),
                Block::Both { markdown, .. } => format!("{markdown}\n"),
            };
            out += &shown;
            before = Some(block);
        }
        out
    }
}

/// A text as a Markdown quotation, so that its headings do not become headings of the page.
pub(super) fn quoted(text: &str) -> String {
    text.lines().map(|line| format!("> {line}").trim_end().to_owned()).collect::<Vec<String>>().join("\n")
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    const SCREEN: Screen = Screen { columns: 80, lines: 24, is_terminal: false, has_links: false };

    /// A table without its colours.
    fn table(page: &Page, screen: Screen) -> String {
        anstream::adapter::strip_str(&page.table(screen)).to_string()
    }

    #[test]
    fn markdown_separates_blocks_of_different_kinds() {
        let mut page = Page::default();
        page.grid(Grid::new(&["id"], &[], vec![vec!["a|b".to_owned()]]));
        page.item(DIM, "one");
        page.item(DIM, "two");
        page.line("both done");
        assert_eq!(page.markdown(), "| id |\n| --- |\n| a\\|b |\n\n- one\n- two\n\nboth done\n");
    }

    #[test]
    fn nothing_invisible_is_written_in_any_format() {
        let hostile = "a\u{1b}]0;x\u{7}b\u{1b}[8mc\u{202e}d\u{9b}2Je";
        let mut page = Page::new("docs", &json!({ hostile: [hostile] })).with_paths([hostile]);
        page.title(hostile);
        page.facts([(hostile, hostile.to_owned())]);
        page.grid(Grid::new(&["id"], &[], vec![vec![hostile.to_owned()]]));
        for format in OutputFormat::value_variants() {
            let out = page.text(*format, SCREEN);
            let plain = anstream::adapter::strip_str(&out).to_string();
            let shown = match format {
                OutputFormat::Paths => "a%1B]0;x%07b%1B[8mc%E2%80%AEd%C2%9B2Je",
                _ => "a]0;xb[8mcd2Je",
            };
            assert!(plain.contains(shown), "{format:?}: {out:?}");
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
        assert_eq!(page.markdown(), "- id: a\n");
        assert_eq!(table(&page, SCREEN), "id a\n");
    }

    #[test]
    fn a_table_that_would_divide_words_becomes_lines() {
        let mut page = Page::default();
        let row = vec!["small".to_owned(), "bge-small-zh".to_owned(), "Xenova/bge-small-zh".to_owned()];
        page.grid(Grid { whole: vec![0, 1], ..Grid::new(&["choice", "model", "from"], &[], [row]) });
        let shown = |columns, is_terminal| table(&page, Screen { columns, is_terminal, ..SCREEN });
        assert_eq!(shown(36, true), "small  model bge-small-zh\n    from Xenova/bge-small-zh\n");
        assert!(shown(60, true).contains("choice") && shown(36, false).contains("choice"));
    }

    #[test]
    fn a_terminal_shows_whole_words_of_long_lines() {
        let mut page = Page::default();
        page.line("the whole of the note");
        page.facts([("id", String::from("a")), ("summary", String::from("prime the pump"))]);
        let shown = |is_terminal| table(&page, Screen { columns: 18, is_terminal, ..SCREEN });
        assert_eq!(shown(true), "the whole of the\nnote\nid      a\nsummary prime the\n        pump\n");
        assert_eq!(shown(false), "the whole of the note\nid      a\nsummary prime the pump\n");
    }
}
