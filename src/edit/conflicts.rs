//! Edits that the source has overtaken: shown, and settled. Pure.

use std::collections::BTreeMap;

use serde::Serialize;

use super::ChangedDocument;
use super::chunks::{ChunkOrder, DocumentEdits, Edits, NewText, edit_chunks};
use crate::error::{Error, Result};
use crate::overlay::{
    ConflictPart, conflict_id, delete_passage, exchange, find_conflict, mend_counts, passages, place,
};
use crate::store::{ChunkType, Edit, NewDocument};

/// Whose text holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The person's.
    Mine,
    /// The source's.
    Theirs,
}

/// A conflict as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Conflict {
    /// Its id, as `kb chunk-edit ID --resolve` takes it.
    pub conflict_id: String,
    /// The document's id.
    pub doc_id: String,
    /// The document's source.
    pub source_id: String,
    /// The titles above it when it was made.
    pub context: String,
    /// What the source said when it was made; empty for something put in between.
    pub original: String,
    /// What the person said instead; `None` for something deleted.
    pub mine: Option<String>,
    /// What the source says there now; empty where it says nothing, and mine would be put in.
    pub theirs: String,
    /// The passage where that is, or begins.
    pub chunk_id: Option<String>,
    /// What the person noted there.
    pub metadata: BTreeMap<String, String>,
    /// When the edit was made, RFC 3339.
    pub edited_at: String,
}

/// The conflicts of a document, by number.
pub fn conflicts(new: &NewDocument) -> Vec<Conflict> {
    let mut of: Vec<&Edit> = new.document.edits.iter().filter(|edit| edit.passage.is_none()).collect();
    of.sort_by_key(|edit| edit.number);
    of.into_iter().map(|edit| shown(edit, new)).collect()
}

fn shown(edit: &Edit, new: &NewDocument) -> Conflict {
    let parts = place(edit, new).map(|place| place.parts).unwrap_or_default();
    let said = |part: &ConflictPart| {
        let parent = new.chunks.iter().find(|row| row.chunk_id == part.chunk_id)?;
        Some(&parent.content[part.range.clone()])
    };
    let theirs: String = parts.iter().filter_map(said).collect();
    Conflict {
        conflict_id: conflict_id(&new.document.doc_id, edit.number),
        doc_id: new.document.doc_id.clone(),
        source_id: new.document.source.clone(),
        context: edit.context.clone(),
        original: edit.original.clone(),
        mine: edit.content.clone(),
        theirs: theirs.trim().to_owned(),
        chunk_id: parts.into_iter().next().map(|part| part.chunk_id),
        metadata: notes(edit),
        edited_at: edit.edited_at.clone(),
    }
}

/// All that was noted with an edit.
fn notes(edit: &Edit) -> BTreeMap<String, String> {
    let mut notes: BTreeMap<String, String> = edit.piece_metadata.values().flat_map(BTreeMap::clone).collect();
    notes.extend(edit.metadata.clone());
    notes
}

/// Settles conflicts of the documents in `stored`: mine is put where it belongs, theirs is left as it is. `now` is an
/// RFC 3339 time.
///
/// # Errors
/// Where there is no such conflict, or the document has no text to put it into. Then nothing is changed.
pub fn settle(stored: Vec<NewDocument>, ids: &[String], side: Side, now: &str) -> Result<Edits> {
    let mut afters = stored.clone();
    let mut named: Vec<Vec<String>> = vec![Vec::new(); stored.len()];
    for id in ids {
        let unknown = || {
            Error::not_found(format!("no conflict {id:?}; nothing was changed"))
                .hint("`kb chunks-list --conflicts` shows those that there are")
        };
        let at = afters.iter().position(|new| find_conflict(new, id).is_some()).ok_or_else(unknown)?;
        afters[at] = settled(&afters[at], id, side, now)?;
        named[at].push(id.clone());
    }
    let mut edits = Edits { changed: Vec::new(), documents: Vec::new() };
    for ((before, after), named) in stored.into_iter().zip(afters).zip(named) {
        if !named.is_empty() {
            edits.documents.push(DocumentEdits::between(&before, &after, named));
            edits.changed.push(ChangedDocument { before, after });
        }
    }
    Ok(edits)
}

fn settled(before: &NewDocument, id: &str, side: Side, now: &str) -> Result<NewDocument> {
    let Some(edit) = find_conflict(before, id) else { return Ok(before.clone()) };
    let mut after = match side {
        Side::Theirs => before.clone(),
        Side::Mine => with_mine(before, edit, now)?,
    };
    after.document.edits.retain(|other| !(other.passage.is_none() && other.number == edit.number));
    Ok(after)
}

fn with_mine(before: &NewDocument, edit: &Edit, now: &str) -> Result<NewDocument> {
    let nowhere = || {
        Error::failed(format!("{} has no text to put it into; nothing was changed", before.document.source))
            .hint("keep the source's text with --resolve theirs")
    };
    let place = place(edit, before).ok_or_else(nowhere)?;
    let mine = edit.content.as_deref().unwrap_or_default();
    let mut after = before.clone();
    for (i, part) in place.parts.iter().enumerate() {
        let parent = after
            .chunks
            .iter()
            .find(|row| row.chunk_type == ChunkType::Parent && row.chunk_id == part.chunk_id)
            .ok_or_else(nowhere)?;
        // An edit that only noted something changes no text.
        let text = match mine == edit.original {
            true => parent.content.clone(),
            false => exchange(&parent.content, part.sentences.clone(), if i == 0 { mine } else { "" }),
        };
        if text.trim().is_empty() {
            let source =
                passages(&after).into_iter().find(|passage| passage.index == part.passage).ok_or_else(nowhere)?;
            delete_passage(&mut after, &source, now);
            mend_counts(&mut after);
            continue;
        }
        let notes = if i == 0 { notes(edit) } else { BTreeMap::new() };
        let order = ChunkOrder {
            chunk_id: parent.chunk_id.clone(),
            text: (text != parent.content).then_some(NewText::Given(text)),
            metadata: notes.into_iter().map(|(name, value)| (name, Some(value))).collect(),
        };
        let mut edits = edit_chunks(vec![after.clone()], &[order], now)?;
        after = edits.changed.pop().map_or(after, |changed| changed.after);
    }
    Ok(after)
}
