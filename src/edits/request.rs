//! A request to change a chunk: its valid contents, and the errors for invalid ones.

use std::collections::BTreeMap;

use crate::error::{Error, NextStep, Result};
use crate::ids::ChunkId;
use crate::store::check_field_of_part;

/// The longest new text, in bytes. A longer one belongs into a document of its own.
const LARGEST_TEXT: usize = 1 << 20;
/// The longest name of a note, in characters.
const LONGEST_NAME: usize = 64;
/// Names that a note cannot have, because kb derives them.
pub(super) const DERIVED: [&str; 4] = ["titles", "language", "page_start", "page_end"];

/// The structural fields of a chunk: the field, why it cannot change, and what to do instead.
const STRUCTURAL: [(&str, &str, &str); 7] = [
    ("chunk_id", "a chunk keeps its id as long as it exists", "edit the content"),
    ("doc_id", "a chunk belongs to its document", "edit a chunk of the other document"),
    ("source", "a chunk belongs to its source", "ingest the file at its new place"),
    ("section", "sections come from the table of contents", "correct the table of contents"),
    ("chunk_type", "parent and child chunks come from cutting the text", "edit the parent chunk, which is cut again"),
    ("parent_id", "a child chunk belongs to its parent chunk", "edit the texts of both parent chunks"),
    ("chunk_index", "places come from the order of the text", "edit the texts of the parent chunks"),
];

/// The error for a request with which no chunk is changed.
pub(super) fn refused(what: &str) -> Error {
    Error::usage(format!("{what}; nothing was changed"))
}

/// The error for a change of a structural field; `None` for any other name.
pub(super) fn structural(name: &str) -> Option<Error> {
    let (field, why, instead) = STRUCTURAL.iter().find(|(field, ..)| *field == name)?;
    Some(refused(&format!("{field} cannot be changed: {why}")).hint(*instead))
}

pub(super) fn derived(name: &str) -> Error {
    refused(&format!("{name:?} cannot be set, because kb derives it from the text"))
}

pub(super) fn unknown_chunk(id: &ChunkId) -> Error {
    Error::not_found(format!("no chunk {id:?}; nothing was changed"))
        .hint(format!("`{}` shows the ids", NextStep::ListChunks))
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NewText {
    Given(String),
    Source,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChunkEditRequest {
    pub chunk_id: ChunkId,
    /// `None` keeps the text.
    pub text: Option<NewText>,
    /// Notes to add or replace, or with `None` to remove.
    pub metadata: BTreeMap<String, Option<String>>,
}

/// Refuses a request that is invalid for any store.
pub(super) fn check(request: &ChunkEditRequest) -> Result<()> {
    let id = &request.chunk_id;
    if let Some(NewText::Given(text)) = &request.text {
        if replacement_text("", text).is_empty() {
            return Err(refused(&format!("the new text of {id:?} is empty"))
                .hint(format!("`{}` deletes it", NextStep::DeleteChunk(id))));
        }
        if text.len() > LARGEST_TEXT {
            let (size, most) = (crate::text::size(text.len() as u64), crate::text::size(LARGEST_TEXT as u64));
            let what = format!("the new text of {id:?} has {size}, more than {most}");
            return Err(refused(&what).hint("ingest it as a document of its own"));
        }
    }
    request.metadata.keys().try_for_each(|name| check_note(name))
}

/// Refuses reserved names of notes, and names that are hard to type.
fn check_note(name: &str) -> Result<()> {
    if let Some(error) = structural(name) {
        return Err(error);
    }
    if DERIVED.contains(&name) {
        return Err(derived(name).hint("use another name for the note"));
    }
    let good = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    if name.is_empty() || !name.chars().all(good) || name.chars().count() > LONGEST_NAME {
        return Err(refused(&format!("{name:?} cannot be the name of a note"))
            .hint(format!("use letters, digits, '_', '-' and '.', at most {LONGEST_NAME}")));
    }
    check_field_of_part(name).map_err(|reason| refused(&reason).hint("use another name for the note"))
}

/// A new text, normalised as loaders do it, with the white space at the end of the old one.
pub(super) fn replacement_text(old: &str, new: &str) -> String {
    let new = new.strip_prefix('\u{feff}').unwrap_or(new).replace("\r\n", "\n").replace('\r', "\n");
    let mut text: String = new.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    text.truncate(text.trim_end().len());
    let text = text.trim_start_matches('\n');
    format!("{text}{}", &old[old.trim_end().len()..])
}
