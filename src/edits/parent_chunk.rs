//! Changes one parent chunk of a document: its rows and its edit.

use std::collections::{BTreeMap, BTreeSet};

use crate::chunk::{ChunkConfig, child_chunks};
use crate::ids::ChunkId;
use crate::store::{Chunk, Edit, NewDocument, ParentChunk};
use crate::text::script::language;

/// The parent chunks of a document without its edits, in order, the deleted ones included.
pub fn source_parents(new: &NewDocument) -> Vec<ParentChunk> {
    indexes_in_source(new).into_iter().filter_map(|index| source_parent(new, index)).collect()
}

/// The indexes of the parent chunks that the source has, the deleted ones included.
pub(super) fn indexes_in_source(new: &NewDocument) -> BTreeSet<u32> {
    let edited = new.document.edits.iter().filter_map(|edit| edit.parent_chunk);
    new.parents.iter().map(|parent| parent.chunk_index).chain(edited).collect()
}

/// A parent chunk without its edit. An edited one has a single child with all of its text, because its former children
/// are not stored.
pub(super) fn source_parent(new: &NewDocument, index: u32) -> Option<ParentChunk> {
    let Some(edit) = edit_of(&new.document.edits, index) else { return new.parent(index).cloned() };
    let chunk = Chunk {
        chunk_id: ChunkId::parent(&new.document.doc_id, index),
        chunk_index: index,
        content: edit.original.as_str().into(),
        page_start: edit.page_start,
        page_end: edit.page_end,
        language: language(&edit.original).into(),
        ..Chunk::default()
    };
    let child = Chunk { chunk_id: ChunkId::child(&chunk.chunk_id, 0), chunk_index: 0, ..chunk.clone() };
    let (doc_id, section_id) = (new.document.doc_id.clone(), edit.section_id.clone());
    Some(ParentChunk { doc_id, section_id, titles: edit.titles.clone(), chunk, children: vec![child] })
}

/// A child chunk after a change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewChild {
    /// Its index; `None` takes the next one.
    pub index: Option<u32>,
    /// With the space after it.
    pub content: String,
    /// The notes of a person.
    pub metadata: BTreeMap<String, String>,
}

impl From<&Chunk> for NewChild {
    fn from(child: &Chunk) -> Self {
        NewChild {
            index: Some(child.chunk_index),
            content: child.content.to_string(),
            metadata: child.metadata.clone(),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct ParentChange {
    /// As the source gives it.
    pub source: ParentChunk,
    /// In order; joined they are its text.
    pub children: Vec<NewChild>,
    /// The notes of a person.
    pub metadata: BTreeMap<String, String>,
    /// RFC 3339.
    pub edited_at: String,
}

pub fn new_children(text: &str, config: &ChunkConfig) -> Vec<NewChild> {
    let cut = child_chunks(text, config).into_iter();
    cut.map(|content| NewChild { content: content.to_owned(), ..NewChild::default() }).collect()
}

/// The notes of child chunks by their trimmed text. Child chunks with one text share them.
pub(super) fn notes_by_text<'a>(
    children: impl Iterator<Item = (&'a str, &'a BTreeMap<String, String>)>,
) -> BTreeMap<String, BTreeMap<String, String>> {
    let mut notes: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for (text, own) in children.filter(|(_, own)| !own.is_empty()) {
        notes.entry(text.trim().to_owned()).or_default().extend(own.clone());
    }
    notes
}

/// Gives children the notes of the same texts. The notes of texts that are gone go to the parent.
pub(super) fn distribute_notes(
    children: &mut [NewChild],
    mut notes: BTreeMap<String, BTreeMap<String, String>>,
    parent: &mut BTreeMap<String, String>,
) {
    for child in children {
        child.metadata = notes.remove(child.content.trim()).unwrap_or_default();
    }
    for (name, value) in notes.into_values().flatten() {
        parent.entry(name).or_insert(value);
    }
}

pub fn edit_of(edits: &[Edit], parent_chunk: u32) -> Option<&Edit> {
    edits.iter().find(|edit| edit.parent_chunk == Some(parent_chunk))
}

/// Changes a parent chunk and keeps the change as an edit, unless the result equals the source. Child chunks with an
/// unchanged text keep their vectors. `now` is an RFC 3339 time.
pub fn change_parent(new: &mut NewDocument, change: ParentChange, now: &str) {
    let ParentChange { source, children, metadata, edited_at } = change;
    let before = new.parent(source.chunk_index);
    let content: String = children.iter().map(|child| child.content.as_str()).collect();
    let noted = !metadata.is_empty() || children.iter().any(|child| !child.metadata.is_empty());
    let mut parent = ParentChunk {
        doc_id: source.doc_id.clone(),
        section_id: source.section_id.clone(),
        titles: source.titles.clone(),
        chunk: Chunk {
            chunk_id: source.chunk_id.clone(),
            chunk_index: source.chunk_index,
            // A rule sets it again; the sentence of a language model is kept.
            situating: before.and_then(|row| row.situating.clone()),
            language: language(&content).into(),
            edited: noted || !same_text(&content, &source.content),
            updated_at: now.into(),
            ..Chunk::default()
        },
        children: Vec::new(),
    };
    set_children(&mut parent, &source, children, before);
    parent.page_start = parent.children.iter().filter_map(|row| row.page_start).min();
    parent.page_end = parent.children.iter().filter_map(|row| row.page_end).max();
    parent.content = content.into();
    parent.metadata = metadata;
    if let Some(same) = before.filter(|row| row.chunk_id == parent.chunk_id && is_as_before(row, &parent)) {
        parent.updated_at = same.updated_at.clone();
    }
    let edit = parent.edited.then(|| Edit {
        parent_chunk: Some(source.chunk_index),
        content: Some(parent.content.to_string()),
        metadata: parent.metadata.clone(),
        child_chunk_metadata: notes_by_text(parent.children.iter().map(|row| (row.content.as_str(), &row.metadata))),
        ..edit_at(&source, &edited_at)
    });
    replace(&mut new.parents, source.chunk_index, Some(parent));
    record_edit(&mut new.document.edits, source.chunk_index, edit);
}

pub fn delete_parent(new: &mut NewDocument, source: &ParentChunk, edited_at: &str) {
    replace(&mut new.parents, source.chunk_index, None);
    let edit = Edit { parent_chunk: Some(source.chunk_index), content: None, ..edit_at(source, edited_at) };
    record_edit(&mut new.document.edits, source.chunk_index, Some(edit));
}

pub(super) fn next_number(edits: &[Edit]) -> u32 {
    edits.iter().map(|edit| edit.number).max().unwrap_or(0).saturating_add(1)
}

/// Whether two texts are equal, apart from the space at their ends.
pub(super) fn same_text(a: &str, b: &str) -> bool {
    a.trim_end() == b.trim_end()
}

fn set_children(parent: &mut ParentChunk, source: &ParentChunk, children: Vec<NewChild>, before: Option<&ParentChunk>) {
    let before = before.map_or(&[][..], |before| &before.children);
    let mut next = 0;
    for child in children {
        let index = child.index.unwrap_or(next).max(next);
        next = index.saturating_add(1);
        let alike = before.iter().find(|row| same_text(&row.content, &child.content));
        let mut row = Chunk {
            chunk_id: ChunkId::child(&parent.chunk_id, index),
            chunk_index: index,
            page_start: alike.map_or(source.page_start, |row| row.page_start),
            page_end: alike.map_or(source.page_end, |row| row.page_end),
            language: language(&child.content).into(),
            edited: parent.edited && (!child.metadata.is_empty() || !source.content.contains(child.content.trim())),
            metadata: child.metadata,
            content: child.content.into(),
            ..parent.chunk.clone()
        };
        if let Some(same) = before.iter().find(|other| other.chunk_id == row.chunk_id && other.content == row.content) {
            row.embedding_hash = same.embedding_hash.clone();
            row.vector = same.vector.clone();
            if is_as_before(same, &row) {
                row.updated_at = same.updated_at.clone();
            }
        }
        parent.children.push(row);
    }
}

fn is_as_before(before: &Chunk, now: &Chunk) -> bool {
    (&before.content, &before.metadata, before.edited) == (&now.content, &now.metadata, now.edited)
}

fn edit_at(source: &ParentChunk, edited_at: &str) -> Edit {
    Edit {
        section_id: source.section_id.clone(),
        titles: source.titles.clone(),
        page_start: source.page_start,
        page_end: source.page_end,
        original: source.content.to_string(),
        edited_at: edited_at.to_owned(),
        ..Edit::default()
    }
}

fn replace(parents: &mut Vec<ParentChunk>, index: u32, parent: Option<ParentChunk>) {
    let range = match parents.binary_search_by_key(&index, |row| row.chunk_index) {
        Ok(at) => at..at + 1,
        Err(at) => at..at,
    };
    parents.splice(range, parent);
}

/// Replaces the edit of a parent chunk; its number stays, and its time too if nothing else changes.
fn record_edit(edits: &mut Vec<Edit>, parent_chunk: u32, edit: Option<Edit>) {
    let at = edits.iter().position(|edit| edit.parent_chunk == Some(parent_chunk));
    match (at, edit) {
        (Some(at), Some(edit)) => {
            let known = &edits[at];
            let same = Edit { number: known.number, edited_at: known.edited_at.clone(), ..edit.clone() };
            if same != *known {
                edits[at] = Edit { number: known.number, ..edit };
            }
        }
        (Some(at), None) => {
            edits.remove(at);
        }
        (None, Some(edit)) => edits.push(Edit { number: next_number(edits), ..edit }),
        (None, None) => {}
    }
}
