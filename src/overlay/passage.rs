//! One passage of a document, changed: its rows and its edit.

use std::collections::BTreeMap;

use super::base::Passage;
use crate::chunk::{ChunkConfig, pieces};
use crate::store::{ChunkRow, ChunkType, Edit, NewDocument};
use crate::text::script::language;

/// A piece of a passage as it shall be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Piece {
    /// The index it has already; a new piece gets the next.
    pub index: Option<u32>,
    /// Its text, with the space behind it.
    pub content: String,
    /// What a person noted about it.
    pub metadata: BTreeMap<String, String>,
}

/// A passage as it shall be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassageChange {
    /// The passage as the source gives it.
    pub source: Passage,
    /// Its pieces, in order; joined they are its text.
    pub pieces: Vec<Piece>,
    /// What a person noted about it.
    pub metadata: BTreeMap<String, String>,
    /// When the person did it, RFC 3339.
    pub edited_at: String,
}

/// The pieces that a text is cut into.
pub fn pieces_of(text: &str, config: &ChunkConfig) -> Vec<Piece> {
    pieces(text, config).into_iter().map(|content| Piece { content: content.to_owned(), ..Piece::default() }).collect()
}

/// The edit of a passage, where there is one.
pub fn edit_of(edits: &[Edit], passage: u32) -> Option<&Edit> {
    edits.iter().find(|edit| edit.passage == Some(passage))
}

/// Makes a passage what `change` says, and keeps that as an edit; none is kept where it says what the source says.
/// Pieces whose text is as before keep their vectors. `now` is an RFC 3339 time.
pub fn change_passage(new: &mut NewDocument, change: PassageChange, now: &str) {
    let PassageChange { source, pieces, metadata, edited_at } = change;
    let before: Vec<ChunkRow> = rows_of(&new.chunks, source.index).cloned().collect();
    let content: String = pieces.iter().map(|piece| piece.content.as_str()).collect();
    let noted = !metadata.is_empty() || pieces.iter().any(|piece| !piece.metadata.is_empty());
    let edited = noted || !same(&content, &source.text);
    let mut parent = parent_row(&new.document.doc_id, &source, now);
    // By rule it is made anew; what a model said of the passage as it was still is the best that is known.
    parent.lead = before.first().and_then(|row| row.lead.clone());
    parent.edited = edited;
    let children = child_rows(&parent, &source, pieces, &before);
    set_text(&mut parent, content, &children);
    parent.metadata = metadata;
    if let Some(same) = before.iter().find(|row| row.chunk_id == parent.chunk_id && is_as_before(row, &parent)) {
        parent.updated_at = same.updated_at.clone();
    }
    let edit = edited.then(|| Edit {
        passage: Some(source.index),
        content: Some(parent.content.clone()),
        metadata: parent.metadata.clone(),
        piece_metadata: children
            .iter()
            .filter(|row| !row.metadata.is_empty())
            .map(|row| (row.content.trim().to_owned(), row.metadata.clone()))
            .collect(),
        ..edit_at(&source, &edited_at)
    });
    replace_rows(&mut new.chunks, source.index, std::iter::once(parent).chain(children).collect());
    record(&mut new.document.edits, source.index, edit);
}

/// Takes a passage out.
pub fn delete_passage(new: &mut NewDocument, source: &Passage, edited_at: &str) {
    replace_rows(&mut new.chunks, source.index, Vec::new());
    let edit = Edit { passage: Some(source.index), content: None, ..edit_at(source, edited_at) };
    record(&mut new.document.edits, source.index, Some(edit));
}

/// The number of the next edit.
pub(super) fn next_number(edits: &[Edit]) -> u32 {
    edits.iter().map(|edit| edit.number).max().unwrap_or(0).saturating_add(1)
}

/// Whether two texts are the same but for the space at their ends.
pub(super) fn same(a: &str, b: &str) -> bool {
    a.trim_end() == b.trim_end()
}

/// The rows of a passage: the parent, then its children.
pub(super) fn rows_of(chunks: &[ChunkRow], index: u32) -> impl Iterator<Item = &ChunkRow> {
    let id = parent_id(chunks, index);
    chunks.iter().filter(move |row| id.is_some_and(|id| row.chunk_id == id || row.parent_id.as_deref() == Some(id)))
}

fn parent_id(chunks: &[ChunkRow], index: u32) -> Option<&str> {
    let is_it = |row: &&ChunkRow| row.chunk_type == ChunkType::Parent && row.chunk_index == index;
    chunks.iter().find(is_it).map(|row| row.chunk_id.as_str())
}

/// A passage's parent as the source gives it.
pub(super) fn parent_row(doc_id: &str, source: &Passage, now: &str) -> ChunkRow {
    ChunkRow {
        chunk_id: format!("{doc_id}:{}", source.index),
        doc_id: doc_id.to_owned(),
        section_id: source.section_id.clone(),
        chunk_type: ChunkType::Parent,
        parent_id: None,
        chunk_index: source.index,
        content: source.text.clone(),
        context: source.context.clone(),
        lead: None,
        page_start: source.page_start,
        page_end: source.page_end,
        language: language(&source.text).to_owned(),
        content_hash: blake3::hash(source.text.as_bytes()).to_hex().to_string(),
        updated_at: now.to_owned(),
        edited: false,
        metadata: BTreeMap::new(),
        vector: Vec::new(),
    }
}

fn set_text(parent: &mut ChunkRow, content: String, children: &[ChunkRow]) {
    parent.language = language(&content).to_owned();
    parent.content_hash = blake3::hash(content.as_bytes()).to_hex().to_string();
    parent.page_start = children.iter().filter_map(|row| row.page_start).min();
    parent.page_end = children.iter().filter_map(|row| row.page_end).max();
    parent.content = content;
}

fn child_rows(parent: &ChunkRow, source: &Passage, pieces: Vec<Piece>, before: &[ChunkRow]) -> Vec<ChunkRow> {
    let mut next = 0;
    let mut rows = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let index = piece.index.unwrap_or(next).max(next);
        next = index.saturating_add(1);
        let alike = before.iter().find(|row| row.chunk_type == ChunkType::Child && same(&row.content, &piece.content));
        let mut row = ChunkRow {
            chunk_id: format!("{}.{index}", parent.chunk_id),
            chunk_type: ChunkType::Child,
            parent_id: Some(parent.chunk_id.clone()),
            chunk_index: index,
            page_start: alike.map_or(source.page_start, |row| row.page_start),
            page_end: alike.map_or(source.page_end, |row| row.page_end),
            language: language(&piece.content).to_owned(),
            edited: parent.edited && (!piece.metadata.is_empty() || !source.text.contains(piece.content.trim())),
            metadata: piece.metadata,
            content: piece.content,
            ..parent.clone()
        };
        if let Some(same) = before.iter().find(|other| other.chunk_id == row.chunk_id && other.content == row.content) {
            row.content_hash = same.content_hash.clone();
            row.vector = same.vector.clone();
            if is_as_before(same, &row) {
                row.updated_at = same.updated_at.clone();
            }
        }
        rows.push(row);
    }
    rows
}

fn is_as_before(before: &ChunkRow, now: &ChunkRow) -> bool {
    (&before.content, &before.metadata, before.edited) == (&now.content, &now.metadata, now.edited)
}

fn edit_at(source: &Passage, edited_at: &str) -> Edit {
    Edit {
        section_id: source.section_id.clone(),
        context: source.context.clone(),
        page_start: source.page_start,
        page_end: source.page_end,
        original: source.text.clone(),
        edited_at: edited_at.to_owned(),
        ..Edit::default()
    }
}

/// Puts the rows of a passage in the place of those that are there.
fn replace_rows(chunks: &mut Vec<ChunkRow>, index: u32, rows: Vec<ChunkRow>) {
    if let Some(id) = parent_id(chunks, index).map(str::to_owned) {
        chunks.retain(|row| row.chunk_id != id && row.parent_id.as_ref() != Some(&id));
    }
    let behind = |row: &ChunkRow| row.chunk_type == ChunkType::Parent && row.chunk_index > index;
    let at = chunks.iter().position(behind).unwrap_or(chunks.len());
    chunks.splice(at..at, rows);
}

/// Puts an edit in the place of the passage's earlier one, whose number it takes over.
fn record(edits: &mut Vec<Edit>, passage: u32, edit: Option<Edit>) {
    let at = edits.iter().position(|edit| edit.passage == Some(passage));
    match (at, edit) {
        (Some(at), Some(edit)) => edits[at] = Edit { number: edits[at].number, ..edit },
        (Some(at), None) => {
            edits.remove(at);
        }
        (None, Some(edit)) => edits.push(Edit { number: next_number(edits), ..edit }),
        (None, None) => {}
    }
}
