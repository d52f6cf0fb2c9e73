//! Edits that the source has overtaken: shown, and settled. Pure.

use std::collections::BTreeMap;

use serde::Serialize;

use super::ChangedDocument;
use super::chunks::{ChunkOrder, DocumentEdits, Edits, NewText, edit_chunks};
use crate::error::{Error, Result};
use crate::overlay::{conflict_id, delete_passage, find_conflict, mend_counts, passages, place};
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
    /// The passage where that is.
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
    let place = place(edit, new);
    let theirs = place.as_ref().and_then(|place| {
        let parent = new.chunks.iter().find(|row| row.chunk_id == place.chunk_id)?;
        Some(parent.content[place.range.clone()].trim().to_owned())
    });
    Conflict {
        conflict_id: conflict_id(&new.document.doc_id, edit.number),
        doc_id: new.document.doc_id.clone(),
        source_id: new.document.source.clone(),
        context: edit.context.clone(),
        original: edit.original.clone(),
        mine: edit.content.clone(),
        theirs: theirs.unwrap_or_default(),
        chunk_id: place.map(|place| place.chunk_id),
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
    let parent = before
        .chunks
        .iter()
        .find(|row| row.chunk_type == ChunkType::Parent && row.chunk_id == place.chunk_id)
        .ok_or_else(nowhere)?;
    let mine = edit.content.as_deref().unwrap_or_default();
    // An edit that only noted something changes no text.
    let text = if mine == edit.original { parent.content.clone() } else { with(&parent.content, &place.range, mine) };
    if text.trim().is_empty() {
        let mut after = before.clone();
        let source = passages(before).into_iter().find(|passage| passage.index == place.passage).ok_or_else(nowhere)?;
        delete_passage(&mut after, &source, now);
        mend_counts(&mut after);
        return Ok(after);
    }
    let order = ChunkOrder {
        chunk_id: parent.chunk_id.clone(),
        text: (text != parent.content).then_some(NewText::Given(text)),
        metadata: notes(edit).into_iter().map(|(name, value)| (name, Some(value))).collect(),
    };
    let mut edits = edit_chunks(vec![before.clone()], &[order], now)?;
    Ok(edits.changed.pop().map_or_else(|| before.clone(), |changed| changed.after))
}

/// A text with something else in the place of a part of it, parted from what is around as that was.
fn with(text: &str, range: &std::ops::Range<usize>, mine: &str) -> String {
    let (front, old, behind) = (&text[..range.start], &text[range.clone()], &text[range.end..]);
    let space = &old[old.trim_end().len()..];
    let mine = mine.trim();
    if mine.is_empty() {
        return format!("{front}{behind}");
    }
    let lead = if front.is_empty() || front.ends_with(char::is_whitespace) { "" } else { " " };
    let space =
        if space.is_empty() && !behind.is_empty() && !behind.starts_with(char::is_whitespace) { " " } else { space };
    format!("{front}{lead}{mine}{space}{behind}")
}
