//! The tools for an agent, with the schemas of their input and output.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use rmcp::schemars::SchemaGenerator;
use serde_json::{Value, json};

use super::arguments::{
    Arguments, DeleteChunks, EditChunk, Ingest, ListChunks, ListDocuments, Search, Section, Status, Toc,
};
use super::command_line::{CommandLine, Roots, read};
use crate::render::{REFERENCE, schemas_of};
use crate::text::lists;

/// Fields that no result of a tool has: `messages` has the notes.
const LEFT_OUT_OF_ALL: &str = "notes schema";
/// Not needed by an agent: how hits were found, and their text a second time.
const LEFT_OUT_OF_SEARCH: &str = "\
    also_in chunk_first chunk_last duplicates found_by keyword_score left_out level matched_chunks matches method \
    mode namespaces number parent_id path provenance query rank score semantic_score snippet sources stages tables \
    timings_ms understood weights";
/// The text of a context has the passages.
const LEFT_OUT_OF_CONTEXT: &str = "\
    content kinds language left_out max_tokens namespaces number path query score stages summary tokenizer";
const LEFT_OUT_OF_SECTIONS: &str = "chunk_first chunk_last confidence left_out number parent_id path provenance tables";
/// How documents were read and cut.
const LEFT_OUT_OF_DOCUMENTS: &str = "\
    by_model children chunking content_hash context engine structure_version toc_corrected toc_method version";
/// All listed chunks are parents.
const LEFT_OUT_OF_CHUNKS: &str = "chunk_index chunk_type level number parent_id path tables updated_at";
/// How the store is kept.
const LEFT_OUT_OF_STATUS: &str = "\
    contexts dimension engine history_bytes keyword_bytes keyword_chunks pending_generation restorable_generations \
    tables_bytes vector_index writer";
/// The cost of an ingest, and options that an agent does not have.
const LEFT_OUT_OF_INGEST: &str = "contexts dry_run failed_before languages not_removed reused seconds";
const LEFT_OUT_OF_CHANGES: &str = "dry_run";

/// What an agent reads about `kb_context`, which has the arguments of `kb_search`.
const CONTEXT: &str = "Like kb_search, but as one text within a token limit, ready to answer from. Source and \
    confidence precede each passage.";

/// A tool and how its arguments become a command line. An error says which argument is wrong.
pub(super) struct Definition {
    pub(super) tool: Tool,
    pub(super) command_line: fn(JsonObject, &Roots) -> Result<CommandLine, String>,
    /// The fields of the command's JSON that are left out, separated by spaces.
    left_out: &'static str,
}

impl Definition {
    /// The result of the command as the agent gets it.
    pub(super) fn result(&self, value: Option<Value>) -> Value {
        let mut value = value.unwrap_or_default();
        leave_out(&mut value, self.left_out);
        value
    }
}

/// Leaves fields out of a result or of its schema, at every depth, with those of [`LEFT_OUT_OF_ALL`]. The metadata of
/// documents has names of its own.
fn leave_out(value: &mut Value, fields: &str) {
    match value {
        Value::Object(object) => {
            object.retain(|name, _| !lists(fields, name) && !lists(LEFT_OUT_OF_ALL, name));
            let inner = object.iter_mut().filter(|(name, _)| name.as_str() != "metadata");
            inner.for_each(|(_, inner)| leave_out(inner, fields));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| leave_out(item, fields)),
        _ => {}
    }
}

/// `kb_search` and so on, those that write only if `writes`.
pub(super) fn all(writes: bool) -> Vec<Definition> {
    let mut for_prompts = define::<Search>("kb_context", "Build a context", &["context"], LEFT_OUT_OF_CONTEXT);
    for_prompts.command_line = |arguments, _| read::<Search>(arguments)?.of("context");
    for_prompts.tool.description = Some(CONTEXT.into());
    let mut all = vec![
        define::<Search>("kb_search", "Search the documents", &["search"], LEFT_OUT_OF_SEARCH),
        for_prompts,
        define::<Toc>("kb_get_toc", "Table of contents", &["toc", "tocs"], LEFT_OUT_OF_SECTIONS),
        define::<Section>("kb_get_section", "Read sections", &["section"], LEFT_OUT_OF_SECTIONS),
        define::<ListDocuments>("kb_list_documents", "List the documents", &["docs"], LEFT_OUT_OF_DOCUMENTS),
        define::<ListChunks>("kb_list_chunks", "List chunks", &["chunks"], LEFT_OUT_OF_CHUNKS),
        define::<Status>("kb_status", "Status", &["status"], LEFT_OUT_OF_STATUS),
    ];
    if writes {
        let ingest = define::<Ingest>("kb_ingest", "Ingest files", &["ingest"], LEFT_OUT_OF_INGEST);
        let edit = define::<EditChunk>("kb_edit_chunk", "Edit a chunk", &["chunk_edit"], LEFT_OUT_OF_CHANGES);
        let delete =
            define::<DeleteChunks>("kb_delete_chunks", "Delete chunks", &["chunk_delete"], LEFT_OUT_OF_CHANGES);
        all.extend([changing(ingest, false), changing(edit, true), changing(delete, true)]);
    }
    all
}

/// A tool that reads: its result is of one of these kinds, without some fields. The comment on its arguments describes
/// it.
fn define<A: Arguments>(name: &'static str, title: &str, kinds: &[&str], left_out: &'static str) -> Definition {
    let input = SchemaGenerator::default().into_root_schema_for::<A>();
    let description = input.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
    let Value::Object(mut input) = input.to_value() else { unreachable!("the schema of a struct is an object") };
    // The tool has a name of its own, and the protocol says which JSON Schema it is.
    input.retain(|name, _| !["$schema", "description", "title"].contains(&name.as_str()));
    let annotations = ToolAnnotations::new().read_only(true).open_world(false);
    let tool = Tool::new(name, description, input).with_title(title).with_annotations(annotations);
    let tool = tool.with_raw_output_schema(output_of(kinds, left_out).into());
    Definition { tool, command_line: |arguments, roots| read::<A>(arguments)?.command_line(roots), left_out }
}

fn changing(mut definition: Definition, is_destructive: bool) -> Definition {
    let annotations = ToolAnnotations::new().read_only(false).destructive(is_destructive).open_world(false);
    definition.tool = definition.tool.with_annotations(annotations.idempotent(true));
    definition
}

/// The schema of a structured answer: the JSON of the command and the fields around it. It does not say which fields of
/// the result are required, which would take a tenth of its length.
fn output_of(kinds: &[&str], left_out: &str) -> JsonObject {
    let left_out = format!("{left_out} required");
    let definitions = schemas_of(kinds, |schema| leave_out(schema, &left_out));
    let kinds = kinds.iter().map(|kind| json!({ "$ref": format!("{REFERENCE}{kind}") }));
    let result: Vec<Value> = kinds.chain([json!({ "type": "null" })]).collect();
    let whole = json!({
        "type": "object",
        "properties": {
            "found": { "type": "boolean" },
            "result": { "anyOf": result },
            "messages": { "type": "array", "items": { "type": "string" } },
            "next_cursor": { "type": ["string", "null"] },
        },
        "required": ["found", "result", "messages", "next_cursor"],
        "additionalProperties": false,
        "$defs": definitions,
    });
    let Value::Object(whole) = whole else { unreachable!("it was written as an object") };
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_tools_takes_little_of_an_agents_window() {
        let tools: Vec<Tool> = all(true).into_iter().map(|definition| definition.tool).collect();
        let bytes = serde_json::to_string(&tools).unwrap().len();
        assert!(bytes < 25 << 10, "{bytes}");
        let describes = |tool: &Tool| tool.description.as_ref().is_some_and(|text| !text.is_empty());
        assert!(tools.iter().all(describes), "the arguments of a tool have a comment");
    }

    #[test]
    fn every_reference_of_a_schema_has_its_definition() {
        for Definition { tool, .. } in all(true) {
            let schema = tool.output_schema.unwrap();
            let text = serde_json::to_string(&schema).unwrap();
            for reference in text.split(REFERENCE).skip(1).map(|rest| rest.split('"').next().unwrap()) {
                assert!(schema["$defs"][reference].is_object(), "{}: {reference}", tool.name);
            }
        }
    }
}
