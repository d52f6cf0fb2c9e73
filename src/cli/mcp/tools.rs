//! The tools that an agent has, with the schemas of what goes in and what comes out.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use rmcp::schemars::SchemaGenerator;
use serde_json::{Value, json};

use super::arguments::{
    Arguments, DeleteChunks, EditChunk, Ingest, Line, ListChunks, ListDocuments, Roots, Search, Section, Status, Toc,
    context, line_of,
};
use crate::render::schema_of;

/// What an agent does not need of the hits of a search: how they were found, and their text a second time.
const NOT_OF_SEARCH: &[&str] = &[
    "also_in",
    "chunk_first",
    "chunk_last",
    "duplicates",
    "found_by",
    "keyword_score",
    // A note says it in a line.
    "left_out",
    "matched_chunks",
    "matches",
    "method",
    "mode",
    "namespaces",
    "parent_id",
    "path",
    "provenance",
    "query",
    "score",
    "semantic_score",
    "snippet",
    "sources",
    "stages",
    "tables",
    "timings_ms",
    "understood",
    "weights",
];
/// What it does not need of a context, whose text has the passages.
const NOT_OF_CONTEXT: &[&str] = &[
    "content",
    "kinds",
    "language",
    "left_out",
    "max_tokens",
    "namespaces",
    "path",
    "query",
    "score",
    "stages",
    "summary",
    "tokenizer",
];
/// What it does not need of entries, which are nested, and of sections.
const NOT_OF_SECTIONS: &[&str] =
    &["chunk_first", "chunk_last", "confidence", "left_out", "number", "parent_id", "path", "provenance", "tables"];
/// What it does not need of listed chunks, all of which are parents.
const NOT_OF_CHUNKS: &[&str] =
    &["chunk_index", "chunk_type", "level", "number", "parent_id", "path", "tables", "updated_at"];

/// A tool and how its arguments become a command line. An error says which argument is wrong.
pub(super) struct Definition {
    pub(super) tool: Tool,
    pub(super) line: fn(JsonObject, &Roots) -> Result<Line, String>,
    /// The fields of the command's JSON that are left out.
    left_out: &'static [&'static str],
}

impl Definition {
    /// The same without some fields of the result, at every depth.
    fn without(mut self, fields: &'static [&'static str]) -> Self {
        let mut schema = self.tool.output_schema.as_deref().cloned().map_or(Value::Null, Value::Object);
        leave_out(&mut schema, fields);
        if let Value::Object(schema) = schema {
            self.tool = self.tool.with_raw_output_schema(schema.into());
        }
        Definition { left_out: fields, ..self }
    }

    /// The result of the command as the agent gets it.
    pub(super) fn result(&self, value: Option<Value>) -> Value {
        let mut value = value.unwrap_or_default();
        leave_out(&mut value, self.left_out);
        value
    }
}

/// Leaves fields out of a result or of its schema, at every depth. The metadata of documents has names of its own.
fn leave_out(value: &mut Value, fields: &[&str]) {
    match value {
        Value::Object(object) => {
            object.retain(|name, _| !fields.contains(&name.as_str()));
            if let Some(Value::Array(required)) = object.get_mut("required") {
                required.retain(|name| name.as_str().is_none_or(|name| !fields.contains(&name)));
            }
            let inner = object.iter_mut().filter(|(name, _)| name.as_str() != "metadata");
            inner.for_each(|(_, inner)| leave_out(inner, fields));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| leave_out(item, fields)),
        _ => {}
    }
}

/// `kb_search` and so on, those that write only if `writes`.
pub(super) fn all(writes: bool) -> Vec<Definition> {
    let mut all = vec![
        define::<Search>(
            "kb_search",
            "Search the documents",
            "search",
            "Find the passages that answer a question, with document, section, pages and a confidence from 0 to 1. One call usually suffices: ask in plain words, in the language of the documents. Nothing found means that the documents do not answer it.",
        )
        .without(NOT_OF_SEARCH),
        Definition {
            line: context,
            ..define::<Search>(
                "kb_context",
                "Build a context",
                "context",
                "Like kb_search, as one text within a token limit, with source and confidence in front of each passage, ready to answer from.",
            )
            .without(NOT_OF_CONTEXT)
        },
        define::<Toc>(
            "kb_get_toc",
            "Table of contents",
            "toc",
            "The table of contents of a document, or the top level of every document. Shows what kb_get_section takes.",
        )
        .without(NOT_OF_SECTIONS),
        define::<Section>(
            "kb_get_section",
            "Read sections",
            "section",
            "The whole text of sections and their subsections, by id (safest), printed number or title.",
        )
        .without(NOT_OF_SECTIONS),
        define::<ListDocuments>(
            "kb_list_documents",
            "List the documents",
            "docs",
            "The documents with their files; the structured answer has kind, topics and what they are good for too.",
        ),
        define::<ListChunks>(
            "kb_list_chunks",
            "List chunks",
            "chunks-list",
            "The chunks of a document or a section with their ids and texts.",
        )
        .without(NOT_OF_CHUNKS),
        define::<Status>(
            "kb_status",
            "Status",
            "status",
            "How many documents and chunks there are, and which model reads them.",
        ),
    ];
    if writes {
        all.extend([
            changing(
                define::<Ingest>(
                    "kb_ingest",
                    "Ingest files",
                    "ingest",
                    "Read files or folders into the knowledge base; files that have not changed are skipped.",
                ),
                false,
            ),
            changing(
                define::<EditChunk>(
                    "kb_edit_chunk",
                    "Edit a chunk",
                    "chunk-edit",
                    "Replace the text of a chunk. The file stays as it is, and the edit survives the next ingest.",
                ),
                true,
            ),
            changing(
                define::<DeleteChunks>(
                    "kb_delete_chunks",
                    "Delete chunks",
                    "chunk-delete",
                    "Remove chunks from the knowledge base. The files stay.",
                ),
                true,
            ),
        ]);
    }
    all
}

fn define<A: Arguments>(name: &'static str, title: &str, command: &str, description: &'static str) -> Definition {
    let input = SchemaGenerator::default().into_root_schema_for::<A>();
    let Value::Object(input) = input.to_value() else { unreachable!("the schema of a struct is an object") };
    let annotations = ToolAnnotations::new().read_only(true).open_world(false);
    let tool = Tool::new(name, description, input).with_title(title).with_annotations(annotations);
    Definition { tool: tool.with_raw_output_schema(output_of(command).into()), line: line_of::<A>, left_out: &[] }
}

fn changing(mut definition: Definition, is_destructive: bool) -> Definition {
    let annotations = ToolAnnotations::new().read_only(false).destructive(is_destructive).open_world(false);
    definition.tool = definition.tool.with_annotations(annotations.idempotent(true));
    definition
}

/// The schema of a structured answer: what the command prints as JSON, and what stands beside it.
fn output_of(command: &str) -> JsonObject {
    let mut schema = schema_of(command).unwrap_or_default();
    let mut kinds = schema["anyOf"].take();
    if let Value::Array(kinds) = &mut kinds {
        kinds.push(json!({ "type": "null" }));
    }
    let whole = json!({
        "type": "object",
        "properties": {
            "found": { "type": "boolean", "description": "Whether there is a result" },
            "result": { "anyOf": kinds },
            "messages": { "type": "array", "items": { "type": "string" } },
            "next_cursor": { "type": ["string", "null"] },
        },
        "required": ["found", "result", "messages", "next_cursor"],
        "additionalProperties": false,
        "$defs": schema["$defs"].take(),
    });
    let Value::Object(whole) = whole else { unreachable!("it was written as an object") };
    whole
}
