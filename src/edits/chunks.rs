//! Changes chunks: rows in, changed rows out. Pure functions.
//!
//! A parent chunk with a new text is cut into child chunks as in an ingest. A child chunk with a new text stays one, or
//! becomes several if it is too long; the text of its parent is that of its children joined. The document keeps the
//! source's text, so that a change can be applied to later versions of the source, or reset.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Serialize;

use super::derived::update_counts;
use super::parent_chunk::{
    NewChild, ParentChange, change_parent, distribute_notes, edit_of, indexes_in_source, new_children, notes_by_text,
    source_parent,
};
use super::request::{ChunkEditRequest, NewText, check, refused, replacement_text, unknown_chunk};
use crate::chunk::ChunkConfig;
use crate::error::{Error, NextStep, Result};
use crate::ids::{ChunkId, DocId};
use crate::store::{Chunk, NewDocument, ParentChunk};

#[derive(Debug, Clone, PartialEq)]
pub struct ChangedDocument {
    pub before: NewDocument,
    /// It stays even without chunks: its edits delete them again when the source is read again.
    pub after: NewDocument,
}

#[derive(Debug)]
pub struct Edits<D = DocumentEdits> {
    pub changed: Vec<ChangedDocument>,
    /// For each named document.
    pub documents: Vec<D>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DocumentEdits {
    pub doc_id: DocId,
    pub source: String,
    /// The chunks of the requests.
    pub named: Vec<String>,
    /// Chunks with another text or other notes.
    pub changed: Vec<ChunkId>,
    pub added: Vec<ChunkId>,
    pub gone: Vec<ChunkId>,
}

impl DocumentEdits {
    pub(super) fn between(before: &NewDocument, after: &NewDocument, named: Vec<String>) -> Self {
        let was: HashMap<&str, &Chunk> = before.chunks().map(|row| (row.chunk_id.as_str(), row)).collect();
        let is: HashSet<&str> = after.chunks().map(|row| row.chunk_id.as_str()).collect();
        let ids = |rows: &mut dyn Iterator<Item = &Chunk>| rows.map(|row| row.chunk_id.clone()).collect::<Vec<_>>();
        let differs = |row: &&Chunk| {
            let same = |old: &&Chunk| (&old.content, &old.metadata) == (&row.content, &row.metadata);
            was.get(row.chunk_id.as_str()).is_some_and(|old| !same(old))
        };
        DocumentEdits {
            doc_id: before.document.doc_id.clone(),
            source: before.document.source.clone(),
            named,
            changed: ids(&mut after.chunks().filter(differs)),
            added: ids(&mut after.chunks().filter(|row| !was.contains_key(row.chunk_id.as_str()))),
            gone: ids(&mut before.chunks().filter(|row| !is.contains(row.chunk_id.as_str()))),
        }
    }
}

/// Changes chunks of the documents in `stored`. `now` is an RFC 3339 time. After an error nothing is changed.
pub fn edit_chunks(stored: Vec<NewDocument>, requests: &[ChunkEditRequest], now: &str) -> Result<Edits> {
    let mut seen = HashSet::new();
    if let Some(twice) = requests.iter().find(|request| !seen.insert(&request.chunk_id)) {
        let what = format!("{:?} is given twice", twice.chunk_id);
        return Err(refused(&what).hint("give each chunk one new text"));
    }
    requests.iter().try_for_each(check)?;
    let by_id: HashMap<&str, &ChunkEditRequest> =
        requests.iter().map(|request| (request.chunk_id.as_str(), request)).collect();
    let mut edits = Edits { changed: Vec::new(), documents: Vec::new() };
    let mut known: HashSet<ChunkId> = HashSet::new();
    for before in stored {
        let (after, named) = apply_requests(&before, &by_id, now)?;
        known.extend(named.iter().cloned());
        if named.is_empty() {
            continue;
        }
        let between = DocumentEdits::between(&before, &after, named.into_iter().map(String::from).collect());
        let has_same_chunks = between.changed.is_empty() && between.added.is_empty() && between.gone.is_empty();
        let has_same_edits = after.document.edits == before.document.edits;
        edits.documents.push(between);
        if !(has_same_chunks && has_same_edits) {
            edits.changed.push(ChangedDocument { before, after });
        }
    }
    if let Some(unknown) = requests.iter().find(|request| !known.contains(&request.chunk_id)) {
        return Err(unknown_chunk(&unknown.chunk_id));
    }
    Ok(edits)
}

/// A document after its requests, and the ids that they name.
fn apply_requests(
    before: &NewDocument,
    by_id: &HashMap<&str, &ChunkEditRequest>,
    now: &str,
) -> Result<(NewDocument, Vec<ChunkId>)> {
    let config = before.document.chunking;
    let mut after = before.clone();
    let mut named = Vec::new();
    for index in indexes_in_source(before) {
        let parent = before.parent(index);
        let children = parent.iter().flat_map(|parent| &parent.children);
        let own: Vec<_> = children.filter_map(|child| by_id.get(child.chunk_id.as_str()).copied()).collect();
        let whole = by_id.get(ChunkId::parent(&before.document.doc_id, index).as_str()).copied();
        if whole.is_none() && own.is_empty() {
            continue;
        }
        refuse_overlap(whole, &own)?;
        let Some(source) = source_parent(before, index) else { continue };
        let change = match (parent, whole) {
            (_, Some(request)) if request.text == Some(NewText::Source) => from_source(before, source, request, now)?,
            (Some(parent), whole) => changed(parent, by_id, whole, source, &config, now)?,
            (None, _) => {
                let id = &source.chunk_id;
                return Err(Error::not_found(format!("{id:?} was deleted; nothing was changed"))
                    .hint(format!("`{}` restores it", NextStep::ResetChunk(id))));
            }
        };
        named.extend(whole.map(|request| request.chunk_id.clone()));
        named.extend(own.iter().map(|request| request.chunk_id.clone()));
        change_parent(&mut after, change, now);
    }
    update_counts(&mut after);
    Ok((after, named))
}

fn refuse_overlap(whole: Option<&ChunkEditRequest>, own: &[&ChunkEditRequest]) -> Result<()> {
    let whole = whole.filter(|request| request.text.is_some());
    let child_chunk = own.iter().find(|request| request.text.is_some());
    if let (Some(whole), Some(child)) = (whole, child_chunk) {
        let what = format!("{:?} is a part of {:?}, and both have new texts", child.chunk_id, whole.chunk_id);
        return Err(refused(&what).hint("change the parent chunk, or its child chunks"));
    }
    Ok(())
}

/// A parent chunk with the source's text and only new notes.
fn from_source(
    before: &NewDocument,
    source: ParentChunk,
    request: &ChunkEditRequest,
    now: &str,
) -> Result<ParentChange> {
    if edit_of(&before.document.edits, source.chunk_index).is_none() {
        return Err(Error::not_found(format!("{:?} was never changed; nothing was reset", request.chunk_id)));
    }
    let metadata = with_note_changes(BTreeMap::new(), &request.metadata);
    let children = new_children(&source.content, &before.document.chunking);
    Ok(ParentChange { source, children, metadata, edited_at: now.to_owned() })
}

/// A parent chunk after its own request and those of its children.
fn changed(
    parent: &ParentChunk,
    by_id: &HashMap<&str, &ChunkEditRequest>,
    whole: Option<&ChunkEditRequest>,
    source: ParentChunk,
    config: &ChunkConfig,
    now: &str,
) -> Result<ParentChange> {
    let none = BTreeMap::new();
    let mut metadata = with_note_changes(parent.metadata.clone(), whole.map_or(&none, |request| &request.metadata));
    let mut kept: Vec<NewChild> = Vec::new();
    for row in &parent.children {
        let request = by_id.get(row.chunk_id.as_str());
        let notes = with_note_changes(row.metadata.clone(), request.map_or(&none, |request| &request.metadata));
        match request.and_then(|request| request.text.as_ref()) {
            None => kept.push(NewChild { metadata: notes, ..NewChild::from(row) }),
            Some(NewText::Given(text)) => {
                let mut cut = new_children(&replacement_text(&row.content, text), config);
                if let Some(first) = cut.first_mut() {
                    first.index = Some(row.chunk_index);
                    first.metadata = notes;
                }
                kept.extend(cut);
            }
            Some(NewText::Source) => {
                return Err(Error::usage(format!("{:?} is a child chunk; nothing was reset", row.chunk_id))
                    .hint(format!("`{}` resets the whole parent chunk", NextStep::ResetChunk(&parent.chunk_id))));
            }
        }
    }
    let children = match whole.and_then(|request| request.text.as_ref()) {
        Some(NewText::Given(text)) if replacement_text(&parent.content, text) != parent.content => {
            let notes = notes_by_text(kept.iter().map(|child| (child.content.as_str(), &child.metadata)));
            let mut cut = new_children(&replacement_text(&parent.content, text), config);
            distribute_notes(&mut cut, notes, &mut metadata);
            cut
        }
        _ => kept,
    };
    Ok(ParentChange { source, children, metadata, edited_at: now.to_owned() })
}

fn with_note_changes(
    mut notes: BTreeMap<String, String>,
    changes: &BTreeMap<String, Option<String>>,
) -> BTreeMap<String, String> {
    for (name, value) in changes {
        match value {
            Some(value) => notes.insert(name.clone(), value.clone()),
            None => notes.remove(name),
        };
    }
    notes
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::error::Kind;
    use crate::ingest::Prepared;
    use proptest::prelude::*;

    /// A document as it is stored, cut so small that every paragraph is a parent chunk of its sentences.
    pub(crate) fn stored(text: &str) -> NewDocument {
        let config = ChunkConfig { parent_chars: 90, child_chars: 20, overlap_chars: 8, ..ChunkConfig::default() };
        let mut new = Prepared::sample(text, &config).new;
        for (i, row) in new.chunks_mut().enumerate() {
            row.vector = if i % 2 == 0 { vec![1.0, 0.0] } else { vec![0.0, 1.0] };
        }
        new.document.embedded = true;
        new
    }

    const TEXT: &str = "First sentence here.\n\nSecond sentence is. Third one stands.\n\n# Two\n\nAlone it is.\n";

    pub(crate) fn request(id: &str, text: &str) -> ChunkEditRequest {
        ChunkEditRequest { chunk_id: id.into(), text: Some(NewText::Given(text.into())), ..ChunkEditRequest::default() }
    }

    /// A request to add or, without a value, to remove a note.
    pub(crate) fn note(id: &str, name: &str, value: Option<&str>) -> ChunkEditRequest {
        let metadata = BTreeMap::from([(name.to_owned(), value.map(str::to_owned))]);
        ChunkEditRequest { chunk_id: id.into(), metadata, ..ChunkEditRequest::default() }
    }

    pub(crate) fn edit(new: &NewDocument, requests: &[ChunkEditRequest]) -> NewDocument {
        edit_chunks(vec![new.clone()], requests, "now").unwrap().changed.remove(0).after
    }

    fn contents(new: &NewDocument) -> Vec<(&str, &str)> {
        new.chunks().map(|row| (row.chunk_id.as_str(), row.content.as_str())).collect()
    }

    #[test]
    fn a_child_chunk_keeps_its_place_and_its_parent_chunk_is_rebuilt() {
        let new = stored(TEXT);
        let after = edit(&new, &[request("abc123:0.1", "Second is other.\r\n")]);
        assert_eq!(
            contents(&after)[..4],
            [
                ("abc123:0", "First sentence here.\n\nSecond is other. Third one stands."),
                ("abc123:0.0", "First sentence here.\n\n"),
                ("abc123:0.1", "Second is other. "),
                ("abc123:0.2", "Third one stands."),
            ]
        );
        let edited: Vec<bool> = after.chunks().map(|row| row.edited).collect();
        assert_eq!(edited, [true, false, true, false, false, false]);
        assert_eq!(after.document.edits[0].original, new.parents[0].content);
        let times: Vec<&str> = after.chunks().map(|row| row.updated_at.as_str()).collect();
        assert_eq!(times[1..3], ["then", "now"]);
    }

    #[test]
    fn a_child_chunk_that_has_grown_becomes_several() {
        let after = edit(&stored(TEXT), &[request("abc123:0.1", "Second sentence is. And one more is. And another.")]);
        let ids: Vec<&str> = after.chunks().map(|row| row.chunk_id.as_str()).collect();
        assert_eq!(ids[..6], ["abc123:0", "abc123:0.0", "abc123:0.1", "abc123:0.2", "abc123:0.3", "abc123:0.4"]);
        assert_eq!(after.chunks().nth(5).unwrap().content, "Third one stands.");
        assert_eq!(after.document.children, 6);
    }

    #[test]
    fn a_parent_chunk_is_cut_again_and_can_be_reset() {
        let new = stored(TEXT);
        let after = edit(&new, &[request("abc123:0", "Other words here. 启动水泵之前检查压力表和阀门。")]);
        let children: Vec<&str> = after.parents[0].children.iter().map(|row| row.content.as_str()).collect();
        assert_eq!(children, ["Other words here. ", "启动水泵之前检查压力表和阀门。"]);
        let text = Some(NewText::Source);
        let reset = ChunkEditRequest { chunk_id: "abc123:0".into(), text, ..ChunkEditRequest::default() };
        let back = edit(&after, &[reset]);
        assert_eq!(contents(&back), contents(&new));
        assert!(back.document.edits.is_empty() && back.chunks().all(|row| !row.edited));
        let typed = edit(&after, &[request("abc123:0", &new.parents[0].content)]);
        assert!(typed.document.edits.is_empty(), "what the source says is no edit");
    }

    #[test]
    fn notes_are_added_replaced_and_removed() {
        let note = |value| note("abc123:0.1", "reviewed", value);
        let new = stored(TEXT);
        let after = edit(&new, &[note(Some("yes"))]);
        assert_eq!(after.parents[0].children[1].metadata["reviewed"], "yes");
        let edited: Vec<bool> = after.chunks().map(|row| row.edited).collect();
        assert_eq!(edited[..3], [true, false, true]);
        // A parent chunk that is cut again takes over the metadata of its child chunks.
        let cut = edit(&after, &[request("abc123:0", "Quite another text.")]);
        assert_eq!(cut.parents[0].metadata["reviewed"], "yes");
        let back = edit(&after, &[note(None)]);
        assert!(back.document.edits.is_empty());
        assert_eq!(contents(&back), contents(&new));
    }

    #[test]
    fn a_note_survives_beside_a_child_chunk_with_the_same_text() {
        let new = stored("Same words here. Same words here. Third one stands.\n");
        let noted = edit(&new, &[note("abc123:0.0", "reviewed", Some("yes"))]);
        let cut = edit(&noted, &[request("abc123:0", "Same words here. Same words here. Another one.")]);
        assert_eq!(cut.parents[0].children[0].metadata["reviewed"], "yes");
    }

    #[test]
    fn an_invalid_request_is_an_error_and_changes_nothing() {
        let fail = |requests: &[ChunkEditRequest]| edit_chunks(vec![stored(TEXT)], requests, "now").unwrap_err();
        assert_eq!(fail(&[request("abc123:7", "x")]).kind(), Kind::NotFound);
        assert!(fail(&[request("abc123:0", " \n")]).next_step().unwrap().contains("DeleteChunk(\"abc123:0\")"));
        assert!(fail(&[request("abc123:0.1", "\u{feff}\0\u{1b}\n")]).message().contains("is empty"));
        assert!(fail(&[request("abc123:0", "x"), request("abc123:0.1", "y")]).message().contains("is a part of"));
        assert!(fail(&[request("abc123:1", "x"), request("abc123:1", "y")]).message().contains("given twice"));
        for name in ["parent_id", "chunk_type", "language", "Title", "tags", "a b", ""] {
            assert_eq!(fail(&[note("abc123:0", name, Some("x"))]).kind(), Kind::Usage, "{name}");
        }
    }

    proptest! {
        #[test]
        fn after_any_edit_the_children_are_the_parent(
            text in "([a-z]{1,12}[ .。\n]|启动水泵|。|\n\n|\n# h\n){1,80}",
            typed in proptest::collection::vec("[a-z启动。. \n]{1,60}", 1..4),
            picks in proptest::collection::vec(any::<prop::sample::Index>(), 1..4),
        ) {
            let new = stored(&text);
            let all: Vec<&ChunkId> = new.chunks().map(|chunk| &chunk.chunk_id).collect();
            prop_assume!(!all.is_empty());
            let mut requests: Vec<ChunkEditRequest> = Vec::new();
            for (pick, text) in picks.iter().zip(&typed) {
                let id = *pick.get(&all);
                let alone = |other: &ChunkEditRequest| other.chunk_id.split('.').next() != id.split('.').next();
                if !text.trim().is_empty() && requests.iter().all(alone) {
                    requests.push(request(id, text));
                }
            }
            prop_assume!(!requests.is_empty());
            let edits = edit_chunks(vec![new.clone()], &requests, "now").unwrap();
            let after = edits.changed.first().map_or(&new, |changed| &changed.after);
            for parent in &after.parents {
                let own = || parent.children.iter();
                prop_assert_eq!(own().map(|row| row.content.as_str()).collect::<String>(), parent.content.as_str());
                prop_assert!(own().zip(own().skip(1)).all(|(a, b)| a.chunk_index < b.chunk_index));
                prop_assert_eq!(parent.edited, edit_of(&after.document.edits, parent.chunk_index).is_some());
            }
            let parents = |new: &NewDocument| new.parents.iter().map(|row| row.chunk_id.clone()).collect::<Vec<_>>();
            prop_assert_eq!(parents(after), parents(&new));
            prop_assert_eq!(after.document.children as usize, after.children().count());
        }
    }
}
