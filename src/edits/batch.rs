//! Batches of edits: a line of JSON each, in the format of a list of chunks.
//!
//! A user can write a list to a file, change it there and give it back. A line with the same text and notes changes
//! nothing. All other fields must stay the same. A chunk that changed in the store meanwhile is an error.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::request::{ChunkEditRequest, DERIVED, NewText, derived, refused, structural, unknown_chunk};
use crate::error::{NextStep, Result, plain_json};
use crate::ids::ChunkId;
use crate::store::{Chunk, NewDocument, ParentChunk};
use crate::text::is_summary;

#[derive(Debug, Deserialize)]
struct Line {
    chunk_id: ChunkId,
    content: Option<String>,
    #[serde(default)]
    metadata: Map<String, Value>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// The lines of a batch with their numbers.
fn lines(text: &str) -> Result<Vec<(usize, Line)>> {
    let numbered = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    numbered
        .filter(|(_, line)| !is_summary(line))
        .map(|(i, line)| {
            let parsed = serde_json::from_str(line).map_err(|error| {
                let list = NextStep::ListChunksAsJsonLines;
                refused(&format!("line {} of the batch: {}", i + 1, plain_json(&error)))
                    .hint(format!("write lines as `{list}` does: {{\"chunk_id\": \"…\", \"content\": \"…\"}}"))
            })?;
            Ok((i + 1, parsed))
        })
        .collect()
}

/// The requests of a batch. `stored` gives the documents of its chunks. An error has the number of its line.
pub fn read_batch(text: &str, stored: &[NewDocument]) -> Result<Vec<ChunkEditRequest>> {
    let parents = stored.iter().flat_map(|new| new.parents.iter().map(move |parent| (new, parent)));
    let chunks = parents.flat_map(|(new, parent)| parent.chunks().map(move |chunk| (new, parent, chunk)));
    let known: HashMap<&str, _> = chunks.map(|found| (found.2.chunk_id.as_str(), found)).collect();
    let mut requests = Vec::new();
    for (number, line) in lines(text)? {
        let found = known.get(line.chunk_id.as_str()).copied().ok_or_else(|| unknown_chunk(&line.chunk_id));
        let request = found.and_then(|(new, parent, chunk)| request(line, parent, chunk, &new.document.source));
        requests.extend(request.map_err(|error| error.at(&format!("line {number} of the batch")))?);
    }
    Ok(requests)
}

impl ChunkEditRequest {
    pub fn ids_of_batch(text: &str) -> Result<Vec<ChunkId>> {
        Ok(lines(text)?.into_iter().map(|(_, line)| line.chunk_id).collect())
    }
}

/// The request of a line; `None` if it changes nothing.
fn request(line: Line, parent: &ParentChunk, chunk: &Chunk, source: &str) -> Result<Option<ChunkEditRequest>> {
    line.rest.iter().try_for_each(|(name, value)| must_be_same(name, value, parent, chunk, source))?;
    let metadata = changed_notes(line.metadata, parent, chunk)?;
    let content = line.content.filter(|content| content.trim_end() != chunk.content.trim_end());
    let nothing = content.is_none() && metadata.is_empty();
    Ok((!nothing).then(|| ChunkEditRequest { chunk_id: line.chunk_id, text: content.map(NewText::Given), metadata }))
}

/// Refuses another value of a field than the chunk has.
fn must_be_same(name: &str, value: &Value, parent: &ParentChunk, chunk: &Chunk, source: &str) -> Result<()> {
    let is_parent = chunk.chunk_id == parent.chunk_id;
    let given = value.as_str().map(str::to_owned).or_else(|| value.as_u64().map(|number| number.to_string()));
    let says = |what: &str| given.as_deref() == Some(what);
    let is_same = match name {
        "doc_id" => says(&parent.doc_id),
        "source" => says(source),
        "section" => value["id"] == *parent.section_id,
        "chunk_type" => says(if is_parent { "parent" } else { "child" }),
        "parent_id" => given == (!is_parent).then(|| parent.chunk_id.to_string()),
        "chunk_index" => says(&chunk.chunk_index.to_string()),
        // The list adds these for its reader.
        "type" | "tables" | "edited" => return Ok(()),
        "updated_at" if !says(&chunk.updated_at) => {
            return Err(refused(&format!("{:?} has changed since it was listed", chunk.chunk_id))
                .hint("list the chunks again and make your changes in the new list"));
        }
        "updated_at" => return Ok(()),
        other => {
            return Err(refused(&format!("a chunk has no field {other:?}"))
                .hint("notes go into \"metadata\": {\"name\": \"value\"}"));
        }
    };
    structural(name).filter(|_| !is_same).map_or(Ok(()), Err)
}

/// The notes that differ from those of the chunk; `None` removes one.
fn changed_notes(
    given: Map<String, Value>,
    parent: &ParentChunk,
    chunk: &Chunk,
) -> Result<BTreeMap<String, Option<String>>> {
    let mut changed = BTreeMap::new();
    for (name, value) in given {
        if DERIVED.contains(&name.as_str()) {
            if !is_derived(&name, &value, parent, chunk) {
                return Err(derived(&name).hint("edit the text, or the table of contents"));
            }
            continue;
        }
        let given = match value {
            Value::Null => None,
            Value::String(text) => Some(text),
            Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
            Value::Array(_) | Value::Object(_) => {
                return Err(refused(&format!("the note {name:?} is neither a text nor a number"))
                    .hint("give it one value, or null to remove it"));
            }
        };
        if given.as_ref() != chunk.metadata.get(&name) {
            changed.insert(name, given);
        }
    }
    Ok(changed)
}

fn is_derived(name: &str, value: &Value, parent: &ParentChunk, chunk: &Chunk) -> bool {
    let page = |page: Option<u32>| value.as_u64() == page.map(u64::from) && (page.is_some() || value.is_null());
    match name {
        "titles" => value.as_str() == Some(&parent.titles),
        "language" => value.as_str() == Some(&chunk.language),
        "page_start" => page(chunk.page_start),
        _ => page(chunk.page_end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edits::chunks::tests::stored;

    #[test]
    fn values_of_notes_become_text() {
        let line = r#"{"chunk_id": "abc123:0", "metadata": {"reviewed": true, "old": null}}"#;
        let requests = read_batch(line, &[stored("First sentence here.\n\nSecond sentence is.\n")]).unwrap();
        assert_eq!(requests[0].metadata, BTreeMap::from([("reviewed".to_owned(), Some("true".to_owned()))]));
    }
}
