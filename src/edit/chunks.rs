//! Chunks that people change: the rows in, the rows as they shall be out. Pure.
//!
//! A passage that gets another text is cut into pieces as at the ingest; a piece that gets another text stays a piece
//! (or, where it is too long now, becomes several) and its passage is what its pieces joined are. What the source said
//! there is kept with the document, so that the change can be put onto later versions of the source, or taken back.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Serialize;

use super::ChangedDocument;
use crate::chunk::ChunkConfig;
use crate::error::{Error, Result};
use crate::overlay::{Passage, PassageChange, Piece, change_passage, edit_of, mend_counts, passages, pieces_of};
use crate::store::{ChunkRow, ChunkType, NewDocument, children_by_parent};

/// A chunk's text may have so many bytes. What is longer is a document.
const LARGEST_TEXT: usize = 1 << 20;
/// What `kb` itself says of a chunk, so that nobody can note it.
pub(super) const DERIVED: [&str; 4] = ["context", "language", "page_start", "page_end"];

/// The text that a chunk shall have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NewText {
    /// This one.
    Given(String),
    /// The one that the source gives.
    Source,
}

/// What shall become of a chunk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChunkOrder {
    /// The chunk.
    pub chunk_id: String,
    /// Its text; as it is, where `None`.
    pub text: Option<NewText>,
    /// Notes to be added or replaced, and with `None` to be taken away.
    pub metadata: BTreeMap<String, Option<String>>,
}

/// What changing chunks comes to.
#[derive(Debug)]
pub struct Edits {
    /// The documents that change.
    pub changed: Vec<ChangedDocument>,
    /// What happens to each document that was named.
    pub documents: Vec<DocumentEdits>,
}

/// What happens to a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DocumentEdits {
    /// Its id.
    pub doc_id: String,
    /// Its source.
    pub source: String,
    /// The chunks that were named.
    pub named: Vec<String>,
    /// Chunks whose text or notes are other ones now, or whose text is embedded with a changed one.
    pub changed: Vec<String>,
    /// Chunks that there were not before.
    pub added: Vec<String>,
    /// Chunks that there are no more.
    pub gone: Vec<String>,
}

impl DocumentEdits {
    /// Compares a document before and after.
    pub(super) fn between(before: &NewDocument, after: &NewDocument, named: Vec<String>) -> Self {
        let was: HashMap<&str, &ChunkRow> = before.chunks.iter().map(|row| (row.chunk_id.as_str(), row)).collect();
        let is: HashSet<&str> = after.chunks.iter().map(|row| row.chunk_id.as_str()).collect();
        let ids = |rows: &mut dyn Iterator<Item = &ChunkRow>| rows.map(|row| row.chunk_id.clone()).collect::<Vec<_>>();
        let differs = |row: &&ChunkRow| {
            let same = |old: &&ChunkRow| (&old.content, &old.metadata) == (&row.content, &row.metadata);
            was.get(row.chunk_id.as_str()).is_some_and(|old| !same(old))
        };
        DocumentEdits {
            doc_id: before.document.doc_id.clone(),
            source: before.document.source.clone(),
            named,
            changed: ids(&mut after.chunks.iter().filter(differs)),
            added: ids(&mut after.chunks.iter().filter(|row| !was.contains_key(row.chunk_id.as_str()))),
            gone: ids(&mut before.chunks.iter().filter(|row| !is.contains(row.chunk_id.as_str()))),
        }
    }
}

/// Changes chunks of the documents in `stored`. `now` is an RFC 3339 time.
///
/// # Errors
/// Where an id is not among the chunks or is named twice, a text is empty or far too long, a passage and a piece of
/// it shall both have other texts, or a note has a name that is taken. Then nothing is changed.
pub fn edit_chunks(stored: Vec<NewDocument>, orders: &[ChunkOrder], now: &str) -> Result<Edits> {
    let mut seen = HashSet::new();
    if let Some(twice) = orders.iter().find(|order| !seen.insert(&order.chunk_id)) {
        return Err(Error::usage(format!("{:?} is named twice; nothing was changed", twice.chunk_id))
            .hint("give each chunk one new text"));
    }
    orders.iter().try_for_each(check)?;
    let mut edits = Edits { changed: Vec::new(), documents: Vec::new() };
    let mut known: HashSet<String> = HashSet::new();
    for before in stored {
        let (after, named) = ordered(&before, orders, now)?;
        known.extend(named.iter().cloned());
        if named.is_empty() {
            continue;
        }
        edits.documents.push(DocumentEdits::between(&before, &after, named));
        if after != before {
            edits.changed.push(ChangedDocument { before, after });
        }
    }
    if let Some(unknown) = orders.iter().find(|order| !known.contains(&order.chunk_id)) {
        let error = Error::not_found(format!("no chunk {:?}; nothing was changed", unknown.chunk_id));
        return Err(error.hint("`kb chunks-list` shows the ids"));
    }
    Ok(edits)
}

/// What is wrong with an order whatever the store holds.
fn check(order: &ChunkOrder) -> Result<()> {
    let id = &order.chunk_id;
    if let Some(NewText::Given(text)) = &order.text {
        if text.trim().is_empty() {
            return Err(Error::usage(format!("the new text of {id:?} is empty; nothing was changed"))
                .hint(format!("`kb chunk-delete {id}` takes it out")));
        }
        if text.len() > LARGEST_TEXT {
            let (size, most) = (crate::text::size(text.len() as u64), crate::text::size(LARGEST_TEXT as u64));
            return Err(Error::usage(format!(
                "the new text of {id:?} has {size}, more than {most}; nothing was changed"
            ))
            .hint("ingest it as a document of its own"));
        }
    }
    for name in order.metadata.keys() {
        check_note(name)?;
    }
    Ok(())
}

/// Refuses notes whose name says something that `kb` says itself, or that nobody can type.
fn check_note(name: &str) -> Result<()> {
    if let Some(error) = super::batch::structural(name) {
        return Err(error);
    }
    if DERIVED.contains(&name) {
        return Err(Error::usage(format!("{name:?} is made by kb from the text; nothing was changed"))
            .hint("take another name for the note"));
    }
    let good = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    if name.is_empty() || !name.chars().all(good) || name.chars().count() > 64 {
        return Err(Error::usage(format!("{name:?} cannot be the name of a note; nothing was changed"))
            .hint("use letters, digits, '_', '-' and '.', at most 64"));
    }
    Ok(())
}

/// A document with its orders carried out, and the ids among them.
fn ordered(before: &NewDocument, orders: &[ChunkOrder], now: &str) -> Result<(NewDocument, Vec<String>)> {
    let config = ChunkConfig::of(&before.document.chunking);
    let by_id: HashMap<&str, &ChunkOrder> = orders.iter().map(|order| (order.chunk_id.as_str(), order)).collect();
    let mut after = before.clone();
    let mut named = Vec::new();
    let is_parent = |row: &&ChunkRow| row.chunk_type == ChunkType::Parent;
    let parents: HashMap<u32, &ChunkRow> =
        before.chunks.iter().filter(is_parent).map(|row| (row.chunk_index, row)).collect();
    let mut pieces = children_by_parent(&before.chunks);
    for source in passages(before) {
        let id = format!("{}:{}", before.document.doc_id, source.index);
        let parent = parents.get(&source.index).copied();
        let id = parent.map_or(id, |row| row.chunk_id.clone());
        let children = pieces.remove(id.as_str()).unwrap_or_default();
        let own: Vec<(&ChunkRow, &ChunkOrder)> =
            children.iter().filter_map(|row| Some((*row, *by_id.get(row.chunk_id.as_str())?))).collect();
        let whole = by_id.get(id.as_str()).copied();
        if whole.is_none() && own.is_empty() {
            continue;
        }
        refuse_both(whole, &own)?;
        let change = match (parent, whole) {
            (_, Some(order)) if order.text == Some(NewText::Source) => {
                from_source(before, source, order, &config, now)?
            }
            (Some(parent), whole) => changed(parent, &children, &by_id, whole, source, &config, now)?,
            (None, _) => {
                return Err(Error::not_found(format!("{id:?} was deleted; nothing was changed"))
                    .hint(format!("`kb chunk-edit {id} --reset` brings it back")));
            }
        };
        named.extend(whole.map(|order| order.chunk_id.clone()));
        named.extend(own.iter().map(|(row, _)| row.chunk_id.clone()));
        change_passage(&mut after, change, now);
    }
    mend_counts(&mut after);
    Ok((after, named))
}

fn refuse_both(whole: Option<&ChunkOrder>, own: &[(&ChunkRow, &ChunkOrder)]) -> Result<()> {
    let whole = whole.filter(|order| order.text.is_some());
    let piece = own.iter().find(|(_, order)| order.text.is_some());
    if let (Some(whole), Some((row, _))) = (whole, piece) {
        let what = format!("{:?} is a piece of {:?}, and both shall have other texts", row.chunk_id, whole.chunk_id);
        return Err(Error::usage(format!("{what}; nothing was changed")).hint("change the passage, or its pieces"));
    }
    Ok(())
}

/// A passage as its source gives it, without notes but for new ones.
fn from_source(
    before: &NewDocument,
    source: Passage,
    order: &ChunkOrder,
    config: &ChunkConfig,
    now: &str,
) -> Result<PassageChange> {
    if edit_of(&before.document.edits, source.index).is_none() {
        return Err(Error::not_found(format!("{:?} was never changed; nothing was reset", order.chunk_id)));
    }
    let metadata = noted(BTreeMap::new(), &order.metadata);
    Ok(PassageChange { pieces: pieces_of(&source.text, config), source, metadata, edited_at: now.to_owned() })
}

/// A passage with its own order and those of its pieces carried out.
fn changed(
    parent: &ChunkRow,
    children: &[&ChunkRow],
    by_id: &HashMap<&str, &ChunkOrder>,
    whole: Option<&ChunkOrder>,
    source: Passage,
    config: &ChunkConfig,
    now: &str,
) -> Result<PassageChange> {
    let none = BTreeMap::new();
    let mut metadata = noted(parent.metadata.clone(), whole.map_or(&none, |order| &order.metadata));
    let mut kept: Vec<Piece> = Vec::new();
    for row in children {
        let order = by_id.get(row.chunk_id.as_str());
        let notes = noted(row.metadata.clone(), order.map_or(&none, |order| &order.metadata));
        match order.and_then(|order| order.text.as_ref()) {
            None => kept.push(Piece { index: Some(row.chunk_index), content: row.content.clone(), metadata: notes }),
            Some(NewText::Given(text)) => {
                let mut pieces = pieces_of(&instead_of(&row.content, text), config);
                if let Some(first) = pieces.first_mut() {
                    first.index = Some(row.chunk_index);
                    first.metadata = notes;
                }
                kept.extend(pieces);
            }
            Some(NewText::Source) => {
                return Err(Error::usage(format!("{:?} is a piece; nothing was reset", row.chunk_id))
                    .hint(format!("`kb chunk-edit {} --reset` gives the whole passage back", parent.chunk_id)));
            }
        }
    }
    let pieces = match whole.and_then(|order| order.text.as_ref()) {
        Some(NewText::Given(text)) if instead_of(&parent.content, text) != parent.content => {
            let mut notes: HashMap<String, BTreeMap<String, String>> =
                kept.into_iter().map(|piece| (piece.content.trim().to_owned(), piece.metadata)).collect();
            let mut pieces = pieces_of(&instead_of(&parent.content, text), config);
            for piece in &mut pieces {
                piece.metadata = notes.remove(piece.content.trim()).unwrap_or_default();
            }
            // The piece is gone; what was noted about it is not lost.
            for (name, value) in notes.into_values().flatten() {
                metadata.entry(name).or_insert(value);
            }
            pieces
        }
        _ => kept,
    };
    Ok(PassageChange { source, pieces, metadata, edited_at: now.to_owned() })
}

fn noted(mut notes: BTreeMap<String, String>, changes: &BTreeMap<String, Option<String>>) -> BTreeMap<String, String> {
    for (name, value) in changes {
        match value {
            Some(value) => notes.insert(name.clone(), value.clone()),
            None => notes.remove(name),
        };
    }
    notes
}

/// A new text as the loaders would give it, with the space behind it that the old one has.
fn instead_of(old: &str, new: &str) -> String {
    let new = new.strip_prefix('\u{feff}').unwrap_or(new).replace("\r\n", "\n").replace('\r', "\n");
    let mut text: String = new.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    text.truncate(text.trim_end().len());
    let text = text.trim_start_matches('\n');
    format!("{text}{}", &old[old.trim_end().len()..])
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::error::Kind;
    use crate::ingest::{SourceFacts, prepare};
    use crate::load::markdown;
    use proptest::prelude::*;

    /// A document as it is stored, cut so small that every paragraph is a passage of its sentences.
    pub(in crate::edit) fn stored(text: &str) -> NewDocument {
        let config = ChunkConfig { parent_chars: 90, child_chars: 20, overlap_chars: 8, ..ChunkConfig::default() };
        let mut new = prepare(&markdown::parse(text), &SourceFacts::sample(), &config, "then").new;
        for (i, row) in new.chunks.iter_mut().enumerate().filter(|(_, row)| row.chunk_type == ChunkType::Child) {
            row.vector = if i % 2 == 0 { vec![1.0, 0.0] } else { vec![0.0, 1.0] };
        }
        new.document.embedded = true;
        new
    }

    const TEXT: &str = "First sentence here.\n\nSecond sentence is. Third one stands.\n\n# Two\n\nAlone it is.\n";

    fn order(id: &str, text: &str) -> ChunkOrder {
        ChunkOrder { chunk_id: id.into(), text: Some(NewText::Given(text.into())), ..ChunkOrder::default() }
    }

    fn edit(new: &NewDocument, orders: &[ChunkOrder]) -> NewDocument {
        edit_chunks(vec![new.clone()], orders, "now").unwrap().changed.remove(0).after
    }

    fn contents(new: &NewDocument) -> Vec<(&str, &str)> {
        new.chunks.iter().map(|row| (row.chunk_id.as_str(), row.content.as_str())).collect()
    }

    #[test]
    fn a_piece_keeps_its_place_and_its_passage_is_rebuilt() {
        let new = stored(TEXT);
        let after = edit(&new, &[order("abc123:0.1", "Second is other.\r\n")]);
        assert_eq!(
            contents(&after)[..4],
            [
                ("abc123:0", "First sentence here.\n\nSecond is other. Third one stands."),
                ("abc123:0.0", "First sentence here.\n\n"),
                ("abc123:0.1", "Second is other. "),
                ("abc123:0.2", "Third one stands."),
            ]
        );
        let edited: Vec<bool> = after.chunks.iter().map(|row| row.edited).collect();
        assert_eq!(edited, [true, false, true, false, false, false]);
        assert_eq!(after.document.edits[0].original, new.chunks[0].content);
        assert_eq!((after.chunks[1].updated_at.as_str(), after.chunks[2].updated_at.as_str()), ("then", "now"));
    }

    #[test]
    fn a_piece_that_has_grown_becomes_several() {
        let after = edit(&stored(TEXT), &[order("abc123:0.1", "Second sentence is. And one more is. And another.")]);
        let ids: Vec<&str> = after.chunks.iter().map(|row| row.chunk_id.as_str()).collect();
        assert_eq!(ids[..6], ["abc123:0", "abc123:0.0", "abc123:0.1", "abc123:0.2", "abc123:0.3", "abc123:0.4"]);
        assert_eq!(after.chunks[5].content, "Third one stands.");
        assert_eq!(after.document.children, 6);
    }

    #[test]
    fn a_passage_is_cut_anew_and_can_be_taken_back() {
        let new = stored(TEXT);
        let after = edit(&new, &[order("abc123:0", "Other words here. 启动水泵之前检查压力表和阀门。")]);
        let children: Vec<&str> = after
            .chunks
            .iter()
            .filter(|row| row.parent_id.as_deref() == Some("abc123:0"))
            .map(|row| row.content.as_str())
            .collect();
        assert_eq!(children, ["Other words here. ", "启动水泵之前检查压力表和阀门。"]);
        let reset = ChunkOrder { chunk_id: "abc123:0".into(), text: Some(NewText::Source), ..ChunkOrder::default() };
        let back = edit(&after, &[reset]);
        assert_eq!(contents(&back), contents(&new));
        assert!(back.document.edits.is_empty() && back.chunks.iter().all(|row| !row.edited));
        let typed = edit(&after, &[order("abc123:0", &new.chunks[0].content)]);
        assert!(typed.document.edits.is_empty(), "what the source says is no edit");
    }

    #[test]
    fn notes_are_added_replaced_and_taken_away() {
        let note = |value: Option<&str>| ChunkOrder {
            chunk_id: "abc123:0.1".into(),
            metadata: BTreeMap::from([("reviewed".to_owned(), value.map(str::to_owned))]),
            ..ChunkOrder::default()
        };
        let new = stored(TEXT);
        let after = edit(&new, &[note(Some("yes"))]);
        assert_eq!(after.chunks[2].metadata["reviewed"], "yes");
        assert!(after.chunks[0].edited && after.chunks[2].edited && !after.chunks[1].edited);
        // A passage that is cut anew hands on the notes of its pieces.
        let cut = edit(&after, &[order("abc123:0", "Quite another text.")]);
        assert_eq!(cut.chunks[0].metadata["reviewed"], "yes");
        let back = edit(&after, &[note(None)]);
        assert!(back.document.edits.is_empty());
        assert_eq!(contents(&back), contents(&new));
    }

    #[test]
    fn what_cannot_be_done_is_said_and_nothing_is_done() {
        let fail = |orders: &[ChunkOrder]| edit_chunks(vec![stored(TEXT)], orders, "now").unwrap_err();
        assert_eq!(fail(&[order("abc123:7", "x")]).kind(), Kind::NotFound);
        assert!(fail(&[order("abc123:0", " \n")]).next_step().unwrap().contains("kb chunk-delete abc123:0"));
        assert!(fail(&[order("abc123:0", "x"), order("abc123:0.1", "y")]).message().contains("is a piece of"));
        assert!(fail(&[order("abc123:1", "x"), order("abc123:1", "y")]).message().contains("named twice"));
        let note = |name: &str| ChunkOrder {
            chunk_id: "abc123:0".into(),
            metadata: BTreeMap::from([(name.to_owned(), Some("x".to_owned()))]),
            ..ChunkOrder::default()
        };
        for name in ["parent_id", "chunk_type", "language", "a b", ""] {
            assert_eq!(fail(&[note(name)]).kind(), Kind::Usage, "{name}");
        }
    }

    proptest! {
        #[test]
        fn after_any_edit_the_pieces_are_the_passage(
            text in "([a-z]{1,12}[ .。\n]|启动水泵|。|\n\n|\n# h\n){1,80}",
            typed in proptest::collection::vec("[a-z启动。. \n]{1,60}", 1..4),
            picks in proptest::collection::vec(any::<prop::sample::Index>(), 1..4),
        ) {
            let new = stored(&text);
            prop_assume!(!new.chunks.is_empty());
            let mut orders: Vec<ChunkOrder> = Vec::new();
            for (pick, text) in picks.iter().zip(&typed) {
                let id = &pick.get(&new.chunks).chunk_id;
                let alone = |other: &ChunkOrder| other.chunk_id.split('.').next() != id.split('.').next();
                if !text.trim().is_empty() && orders.iter().all(alone) {
                    orders.push(order(id, text));
                }
            }
            prop_assume!(!orders.is_empty());
            let edits = edit_chunks(vec![new.clone()], &orders, "now").unwrap();
            let after = edits.changed.first().map_or(&new, |changed| &changed.after);
            for parent in after.chunks.iter().filter(|row| row.chunk_type == ChunkType::Parent) {
                let own = || after.chunks.iter().filter(|row| row.parent_id.as_ref() == Some(&parent.chunk_id));
                prop_assert_eq!(own().map(|row| row.content.as_str()).collect::<String>(), parent.content.as_str());
                prop_assert!(own().zip(own().skip(1)).all(|(a, b)| a.chunk_index < b.chunk_index));
                prop_assert_eq!(parent.edited, edit_of(&after.document.edits, parent.chunk_index).is_some());
            }
            let parents = |new: &NewDocument| new.chunks.iter().filter(|row| row.parent_id.is_none()).map(|row| row.chunk_id.clone()).collect::<Vec<_>>();
            prop_assert_eq!(parents(after), parents(&new));
            prop_assert_eq!(after.document.children as usize, after.chunks.len() - parents(after).len());
        }
    }
}
