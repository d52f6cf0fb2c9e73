//! The arguments of the tools, and the command line for each call.

use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::command_line::{CommandLine, Roots, in_range, names};

/// How many items of a list are given at a time.
const PAGE: usize = 50;
/// How many entries of a table of contents are given at a time: they are shorter.
const PAGE_OF_CONTENTS: usize = 100;
/// The length of an answer if the agent does not give one, in tokens.
const TOKENS: u32 = 4000;
/// The most that an agent may ask for.
const MOST_TOKENS: u32 = 50_000;
const MOST_HITS: u32 = 50;

/// What an agent reads about filters.
const FILTER: &str = "Only what matches, such as `tags = draft and page < 20`: keys with =, !=, <, <=, >, >=, \
    in (A, B), contains or exists, joined by and, or, not and parentheses; values with spaces in double quotes. Keys: \
    path (a glob, folder or file), source, title, format, kind (procedure, theory, reference, troubleshooting, policy, \
    example, narrative), tags, section, page, language, time (2026-11-21, 2026 or \"90d ago\"), ingested_at, entity, and \
    any metadata field that kb_list_documents shows, such as author.";

/// What an agent reads about `kb_search`.
const SEARCH: &str = "Find the passages that answer a question, with document, section, pages and a confidence from 0 \
    to 1. One call is usually enough: ask in plain words, in the language of the documents. Nothing found means that \
    the documents do not answer it.";

/// The arguments of a tool. An agent reads the comments on them and their fields.
pub(super) trait Arguments: DeserializeOwned + JsonSchema {
    fn command_line(self, roots: &Roots) -> Result<CommandLine, String>;
}

pub(super) fn documents(cursor: Option<String>) -> Result<CommandLine, String> {
    CommandLine::of_list(vec!["docs".to_owned()], None, cursor, PAGE)
}

pub(super) fn namespaces() -> CommandLine {
    CommandLine::new(vec!["namespaces".to_owned()], None)
}

/// How hits are chosen.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Mode {
    /// The best passages.
    Precise,
    /// Varied passages.
    Broad,
    /// Whole sections.
    Section,
    /// The best documents, then their passages.
    Drill,
}

/// What `kb_search` and `kb_context` share.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(description = SEARCH)]
#[serde(deny_unknown_fields)]
pub(super) struct Search {
    /// A question or words.
    query: String,
    /// Only these documents: id, path, title or a part of them.
    #[serde(default)]
    documents: Vec<String>,
    #[schemars(description = FILTER)]
    filter: Option<String>,
    /// How hits are chosen.
    mode: Option<Mode>,
    /// The number of hits.
    #[schemars(range(min = 1, max = MOST_HITS))]
    limit: Option<u32>,
    /// The length of the answer in tokens, 4000 without it.
    #[schemars(range(min = 1, max = MOST_TOKENS))]
    max_tokens: Option<u32>,
    /// Leave out hits of a lower confidence.
    #[schemars(range(min = 0, max = 1))]
    min_confidence: Option<f64>,
    /// Give passages too that repeat a better one.
    #[serde(default)]
    keep_duplicates: bool,
    /// A namespace, several (`manuals,drafts`), `acme/*` or `all`.
    namespace: Option<String>,
}

impl Search {
    /// The command line of `kb search` or `kb context`.
    pub(super) fn of(self, command: &str) -> Result<CommandLine, String> {
        if let Some(least) = self.min_confidence.filter(|least| !(0.0..=1.0).contains(least)) {
            return Err(format!("min_confidence: give a number from 0 to 1, not {least}"));
        }
        let tokens = in_range("max_tokens", self.max_tokens, MOST_TOKENS)?.unwrap_or(TOKENS);
        let mut arguments = vec![command.to_owned(), format!("--max-tokens={tokens}")];
        arguments.extend(names("documents", self.documents)?.iter().map(|document| format!("--doc={document}")));
        arguments.extend(self.filter.map(|filter| format!("--filter={filter}")));
        arguments.extend(self.mode.map(|mode| format!("--mode={}", format!("{mode:?}").to_lowercase())));
        arguments.extend(in_range("limit", self.limit, MOST_HITS)?.map(|limit| format!("--limit={limit}")));
        arguments.extend(self.min_confidence.map(|least| format!("--min-confidence={least}")));
        arguments.extend(self.keep_duplicates.then(|| "--keep-duplicates".to_owned()));
        arguments.extend(["--".to_owned(), self.query]);
        Ok(CommandLine::new(arguments, self.namespace))
    }
}

impl Arguments for Search {
    fn command_line(self, _roots: &Roots) -> Result<CommandLine, String> {
        self.of("search")
    }
}

/// The table of contents of a document, or the top level of every document. Shows what kb_get_section takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Toc {
    /// A document: id, path, title or a part of them. Without it, all documents.
    document: Option<String>,
    /// The deepest level to show; 3 without it, and 1 for all documents.
    #[schemars(range(min = 1))]
    max_level: Option<u32>,
    /// `next_cursor` of the call before.
    cursor: Option<String>,
    namespace: Option<String>,
}

impl Arguments for Toc {
    fn command_line(self, _roots: &Roots) -> Result<CommandLine, String> {
        let (default, size) = if self.document.is_some() { (3, PAGE_OF_CONTENTS) } else { (1, PAGE) };
        let level = in_range("max_level", self.max_level, u32::MAX)?.unwrap_or(default);
        let arguments = vec!["toc".to_owned(), format!("--max-level={level}")];
        let mut command_line = CommandLine::of_list(arguments, self.namespace, self.cursor, size)?;
        command_line.arguments.extend(self.document.into_iter().flat_map(|document| ["--".to_owned(), document]));
        Ok(command_line)
    }
}

/// The whole text of sections and their subsections, by id (safest), printed number or title.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Section {
    /// A document: id, path, title or a part of them. Ids of sections need none.
    document: Option<String>,
    /// Section ids as results have them (`7f3k2m#3.2`), printed numbers or titles.
    sections: Vec<String>,
    /// Begin at this chunk, such as that of a hit (`7f3k2m:12`), or where the answer before stopped.
    from: Option<String>,
    /// The length of the answer in tokens, 4000 without it.
    #[schemars(range(min = 1, max = MOST_TOKENS))]
    max_tokens: Option<u32>,
    namespace: Option<String>,
}

impl Arguments for Section {
    fn command_line(self, _roots: &Roots) -> Result<CommandLine, String> {
        if self.sections.is_empty() {
            return Err("sections: name at least one; kb_get_toc shows them".to_owned());
        }
        let tokens = in_range("max_tokens", self.max_tokens, MOST_TOKENS)?.unwrap_or(TOKENS);
        let mut arguments = vec!["section".to_owned(), format!("--max-tokens={tokens}")];
        arguments.extend(self.from.map(|from| format!("--from={from}")));
        arguments.push("--".to_owned());
        arguments.extend(self.document);
        arguments.extend(names("sections", self.sections)?);
        Ok(CommandLine::new(arguments, self.namespace))
    }
}

/// The documents with their files; the structured answer also has kinds, topics and summaries.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListDocuments {
    #[schemars(description = FILTER)]
    filter: Option<String>,
    /// `next_cursor` of the call before.
    cursor: Option<String>,
    /// A namespace, several (`manuals,drafts`), `acme/*` or `all`.
    namespace: Option<String>,
}

impl Arguments for ListDocuments {
    fn command_line(self, _roots: &Roots) -> Result<CommandLine, String> {
        let mut arguments = vec!["docs".to_owned()];
        arguments.extend(self.filter.map(|filter| format!("--filter={filter}")));
        CommandLine::of_list(arguments, self.namespace, self.cursor, PAGE)
    }
}

/// The chunks of a document or a section with their ids and texts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListChunks {
    /// Only this document: id, path, title or a part of them.
    document: Option<String>,
    /// Only this section of it, with its subsections; an id (`7f3k2m#3.2`) needs no document.
    section: Option<String>,
    /// `next_cursor` of the call before.
    cursor: Option<String>,
    namespace: Option<String>,
}

impl Arguments for ListChunks {
    fn command_line(self, _roots: &Roots) -> Result<CommandLine, String> {
        let mut arguments = vec!["chunks-list".to_owned(), "--type=parent".to_owned()];
        // The id of a section begins with that of its document and has a number; a title may have `#` too.
        let parts = self.section.as_ref().and_then(|section| section.split_once('#'));
        let is_document = |id: &str| !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric());
        let is_id =
            |(id, path): &(&str, &str)| is_document(id) && path.starts_with(|first: char| first.is_ascii_digit());
        let document = self.document.or(parts.filter(is_id).map(|(id, _)| id.to_owned()));
        if self.section.is_some() && document.is_none() {
            return Err("section: name its document too, or give the id of the section".to_owned());
        }
        arguments.extend(document.map(|document| format!("--doc={document}")));
        arguments.extend(self.section.map(|section| format!("--section={section}")));
        CommandLine::of_list(arguments, self.namespace, self.cursor, PAGE)
    }
}

/// How many documents and chunks there are, and which model reads them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Status {
    /// A namespace, several (`manuals,drafts`), `acme/*` or `all`.
    namespace: Option<String>,
}

impl Arguments for Status {
    fn command_line(self, _roots: &Roots) -> Result<CommandLine, String> {
        Ok(CommandLine::new(vec!["status".to_owned()], self.namespace))
    }
}

/// Read files or folders into the knowledge base; files that have not changed are skipped.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Ingest {
    /// Files and folders, relative to the first folder that files may be ingested from.
    paths: Vec<String>,
    /// Skip the vectors, which take most of the time; only keywords find the documents then.
    #[serde(default)]
    no_embed: bool,
    namespace: Option<String>,
}

impl Arguments for Ingest {
    fn command_line(self, roots: &Roots) -> Result<CommandLine, String> {
        if self.paths.is_empty() {
            return Err("paths: name at least one file or folder".to_owned());
        }
        let mut arguments = vec!["ingest".to_owned()];
        // The paths are checked again when they are read: links may change meanwhile.
        arguments.extend(roots.0.iter().map(|root| format!("--within={}", root.display())));
        arguments.extend(self.no_embed.then(|| "--no-embed".to_owned()));
        arguments.push("--".to_owned());
        for path in &names("paths", self.paths)? {
            arguments.push(roots.within(path)?);
        }
        Ok(CommandLine::new(arguments, self.namespace))
    }
}

/// Replace the text of a chunk. The file stays as it is, and the edit survives the next ingest.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EditChunk {
    /// The id of a chunk, as kb_search and kb_list_chunks show it. A hit may join several; kb_list_chunks has the text
    /// of each.
    chunk_id: String,
    /// The new text.
    content: String,
    namespace: Option<String>,
}

impl Arguments for EditChunk {
    fn command_line(self, _roots: &Roots) -> Result<CommandLine, String> {
        let content = format!("--content={}", self.content);
        Ok(CommandLine::new(vec!["chunk-edit".to_owned(), content, "--".to_owned(), self.chunk_id], self.namespace))
    }
}

/// Remove chunks from the knowledge base. The files stay.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DeleteChunks {
    /// The ids of chunks.
    chunk_ids: Vec<String>,
    namespace: Option<String>,
}

impl Arguments for DeleteChunks {
    fn command_line(self, _roots: &Roots) -> Result<CommandLine, String> {
        if self.chunk_ids.is_empty() {
            return Err("chunk_ids: name at least one".to_owned());
        }
        let mut arguments = vec!["chunk-delete".to_owned(), "--yes".to_owned(), "--".to_owned()];
        arguments.extend(names("chunk_ids", self.chunk_ids)?);
        Ok(CommandLine::new(arguments, self.namespace))
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use serde_json::{Value, json};

    use super::super::super::filter::FILTERS;
    use super::*;

    fn command_line_for(name: &str, arguments: Value, roots: &Roots) -> Result<CommandLine, String> {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let definition =
            super::super::tools::all(true).into_iter().find(|definition| definition.tool.name == name).unwrap();
        (definition.command_line)(arguments, roots)
    }

    #[test]
    fn text_of_an_agent_is_never_an_option() {
        let roots = Roots(vec![PathBuf::from("/")]);
        let arguments = json!({ "query": "--format=paths", "documents": ["--all"], "filter": "-n x" });
        let command_line = command_line_for("kb_search", arguments, &roots).unwrap();
        assert_eq!(command_line.arguments[2..], ["--doc=--all", "--filter=-n x", "--", "--format=paths"]);
        let arguments = json!({ "document": "-v", "sections": ["--edit"] });
        let command_line = command_line_for("kb_get_section", arguments, &roots).unwrap();
        assert_eq!(command_line.arguments[2..], ["--", "-v", "--edit"]);
    }

    #[test]
    fn an_agent_reads_every_key_of_a_filter() {
        // As the help of the command line lists them, with what each takes in parentheses.
        let (_, keys) = FILTERS.split_once("Keys: ").unwrap();
        let keys = keys.split_once(", any metadata field").unwrap().0.split(['(', ')']).step_by(2).collect::<String>();
        for key in keys.split(',') {
            assert!(
                FILTER.contains(&format!("{},", key.trim())) || FILTER.contains(&format!("{} (", key.trim())),
                "{key}"
            );
        }
        for tool in super::super::tools::all(false).iter().filter(|tool| tool.tool.name != "kb_status") {
            let filter = &tool.tool.input_schema["properties"]["filter"];
            assert!(filter.is_null() || filter["description"] == FILTER, "{}", tool.tool.name);
        }
    }

    #[test]
    fn chunks_of_a_section_are_listed_by_its_id_alone() {
        let arguments = json!({ "section": "7f3k2m#3.2" });
        let command_line = command_line_for("kb_list_chunks", arguments, &Roots(Vec::new())).unwrap();
        assert_eq!(command_line.arguments[2..4], ["--doc=7f3k2m", "--section=7f3k2m#3.2"]);
    }

    #[test]
    fn only_calls_of_tools_that_change_the_store_write() {
        let roots = Roots(vec![PathBuf::from("/")]);
        for tool in super::super::tools::all(true).into_iter().map(|definition| definition.tool) {
            let arguments = match &*tool.name {
                "kb_search" | "kb_context" => json!({ "query": "x" }),
                "kb_get_section" => json!({ "sections": ["1"] }),
                "kb_ingest" => json!({ "paths": ["x"] }),
                "kb_edit_chunk" => json!({ "chunk_id": "x:1", "content": "y" }),
                "kb_delete_chunks" => json!({ "chunk_ids": ["x:1"] }),
                _ => json!({}),
            };
            let command_line = command_line_for(&tool.name, arguments, &roots).unwrap();
            assert_eq!(tool.annotations.unwrap().read_only_hint, Some(!command_line.writes()), "{}", tool.name);
        }
    }

    #[test]
    fn wrong_arguments_are_named() {
        let roots = Roots(vec![PathBuf::from("/")]);
        for (name, arguments, tells) in [
            ("kb_search", json!({}), "query"),
            ("kb_search", json!({ "query": 7 }), "query: invalid type: integer `7`, expected a string"),
            ("kb_search", json!({ "query": "x", "documents": ["a", 2] }), "documents[1]: invalid type"),
            ("kb_search", json!({ "query": "x", "limit": 0 }), "limit: give a number from 1 to 50, not 0"),
            ("kb_context", json!({ "query": "x", "max_tokens": 50001 }), "max_tokens: give a number from 1 to 50000"),
            ("kb_search", json!({ "query": "x", "min_confidence": 7 }), "min_confidence: give a number from 0 to 1"),
            ("kb_get_toc", json!({ "max_level": 0 }), "max_level"),
            ("kb_get_section", json!({ "sections": vec!["1"; 101] }), "sections: give at most 100 at a time, not 101"),
            ("kb_search", json!({ "query": "x", "depth": 1 }), "depth"),
            ("kb_get_section", json!({ "document": "x", "sections": [] }), "sections"),
            ("kb_list_documents", json!({ "cursor": "-1" }), "cursor"),
            ("kb_list_chunks", json!({ "section": "3.2" }), "section: name its document too"),
            ("kb_get_section", json!({ "sections": ["x".repeat(4001)] }), "sections: give at most 4000 bytes"),
            ("kb_status", json!({ "namespace": "x".repeat(1 << 20) }), "namespace: give at most 4000 bytes"),
            ("kb_list_chunks", json!({ "section": "Item #1 Safety" }), "section: name its document too"),
        ] {
            let error = command_line_for(name, arguments, &roots).unwrap_err();
            assert!(error.contains(tells), "{name}: {error}");
        }
    }

    #[test]
    fn files_are_ingested_from_the_named_folders_alone() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("docs");
        std::fs::create_dir(&root).unwrap();
        let roots = Roots(vec![root.clone()]);
        let ingest = |path: &str| command_line_for("kb_ingest", json!({ "paths": [path] }), &roots);
        assert_eq!(ingest("a.md").unwrap().arguments[1], format!("--within={}", root.display()));
        assert_eq!(ingest("a.md").unwrap().arguments[3], root.join("a.md").to_str().unwrap());
        #[cfg(unix)]
        std::os::unix::fs::symlink("/etc", root.join("link")).unwrap();
        std::fs::write(root.join("b.md"), "").unwrap();
        // The name of the source in results.
        assert_eq!(ingest("docs/b.md").unwrap().arguments[3], root.join("b.md").to_str().unwrap());
        for bad in ["/etc/passwd", "../x", "a/../../x", "link/passwd", "https://example.org"] {
            match bad {
                // It is a file of that name.
                "https://example.org" => assert!(ingest(bad).unwrap().arguments[3].starts_with(root.to_str().unwrap())),
                _ => assert!(ingest(bad).unwrap_err().contains("only from there"), "{bad}"),
            }
        }
    }
}
