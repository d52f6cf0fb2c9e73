//! Deletes chunks: rows in, the remaining rows out. Pure functions.
//!
//! Ids stay as they are, so indexes have gaps afterwards. The text of a parent chunk that lost children, the ranges of
//! sections and the counts of the document are updated. A deletion is kept as an edit, which applies again when the
//! source is read again.

use std::collections::HashSet;

use serde::Serialize;

use super::chunks::{ChangedDocument, Edits};
use super::derived::update_counts;
use super::parent_chunk::{NewChild, ParentChange, change_parent, delete_parent, source_parent};
use super::sentences::{trailing_space, widen};
use crate::error::{Error, NextStep, Result, Setting};
use crate::ids::{ChunkId, DocId};
use crate::store::{Chunk, NewDocument};
use crate::text::first_of;

pub type Deletion = Edits<DocumentDeletion>;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DocumentDeletion {
    pub doc_id: DocId,
    pub source: String,
    /// The deleted chunks, including those that were not named.
    pub deleted: Vec<ChunkId>,
    /// The parents that lost some of their children.
    pub rebuilt: Vec<ChunkId>,
    /// Whether no chunk is left. The document stays, so that the source does not come back as a new one.
    pub emptied: bool,
    pub parents: u32,
    pub children: u32,
}

/// Deletes chunks of the documents in `stored`: a deleted parent takes its children along, the last child its parent.
/// `now` is an RFC 3339 time.
pub fn delete_chunks(stored: Vec<NewDocument>, ids: &[String], cascade: bool, now: &str) -> Result<Deletion> {
    let known: HashSet<&str> = stored.iter().flat_map(NewDocument::chunks).map(|row| row.chunk_id.as_str()).collect();
    let unknown: Vec<&str> = ids.iter().map(String::as_str).filter(|id| !known.contains(id)).collect();
    if !unknown.is_empty() {
        let error = Error::not_found(format!("no chunk {}; nothing was deleted", first_ids(&unknown)));
        return Err(error.hint(format!("`{}` shows the ids", NextStep::ListChunks)));
    }
    let named: HashSet<&str> = ids.iter().map(String::as_str).collect();
    if !cascade {
        let parents = stored.iter().flat_map(|new| &new.parents).filter(|parent| named.contains(&*parent.chunk_id));
        let children = parents.flat_map(|parent| &parent.children).map(|child| child.chunk_id.as_str());
        let orphans: Vec<&str> = children.filter(|id| !named.contains(id)).collect();
        if !orphans.is_empty() {
            let children = if orphans.len() == 1 { "a child" } else { "children" };
            return Err(Error::usage(format!("parents with {children}: {}; nothing was deleted", first_ids(&orphans)))
                .hint(format!("leave {} out to delete them too", Setting("no_cascade"))));
        }
    }
    let mut deletion = Deletion { changed: Vec::new(), documents: Vec::new() };
    for new in stored {
        let (after, going, rebuilt) = without(&new, &named, now);
        if going.is_empty() {
            continue;
        }
        deletion.documents.push(DocumentDeletion {
            doc_id: new.document.doc_id.clone(),
            source: new.document.source.clone(),
            deleted: going,
            rebuilt,
            emptied: after.parents.is_empty(),
            parents: after.document.parents,
            children: after.document.children,
        });
        deletion.changed.push(ChangedDocument { before: new, after });
    }
    Ok(deletion)
}

fn first_ids(ids: &[&str]) -> String {
    first_of(ids.iter().map(|id| format!("{id:?}")))
}

/// The document without the named chunks; the ids of all deleted chunks, and of the parents that lost some children.
fn without(before: &NewDocument, named: &HashSet<&str>, now: &str) -> (NewDocument, Vec<ChunkId>, Vec<ChunkId>) {
    let mut after = before.clone();
    let (mut deleted, mut rebuilt) = (Vec::new(), Vec::new());
    let goes = |chunk: &Chunk| named.contains(&*chunk.chunk_id);
    for parent in before.parents.iter().filter(|parent| parent.chunks().any(goes)) {
        let Some(source) = source_parent(before, parent.chunk_index) else { continue };
        let left = children_left(&parent.children, goes);
        if goes(parent) || left.is_empty() {
            deleted.push(parent.chunk_id.clone());
            deleted.extend(parent.children.iter().map(|child| child.chunk_id.clone()));
            delete_parent(&mut after, &source, now);
        } else {
            deleted.extend(parent.children.iter().filter(|child| goes(child)).map(|child| child.chunk_id.clone()));
            rebuilt.push(parent.chunk_id.clone());
            let (children, metadata) = (left, parent.metadata.clone());
            change_parent(&mut after, ParentChange { source, children, metadata, edited_at: now.to_owned() }, now);
        }
    }
    update_counts(&mut after);
    (after, deleted, rebuilt)
}

/// The children that stay. The end of a paragraph belongs to the child before it. If that one is deleted, the child
/// before it gets the end, so that two paragraphs do not become one.
fn children_left(children: &[Chunk], goes: impl Fn(&Chunk) -> bool) -> Vec<NewChild> {
    let mut left: Vec<NewChild> = Vec::new();
    for row in children {
        if !goes(row) {
            left.push(NewChild::from(row));
        } else if let Some(before) = left.last_mut() {
            widen(&mut before.content, trailing_space(&row.content));
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edits::chunks::tests::stored;
    use proptest::prelude::*;

    #[test]
    fn a_deletion_keeps_paragraphs_apart() {
        let new = stored("Alpha beta gamma. Delta epsilon ok.\n\nZeta eta theta iota.");
        let deletion = delete_chunks(vec![new], &["abc123:0.1".to_owned()], true, "now").unwrap();
        assert_eq!(deletion.changed[0].after.parents[0].content, "Alpha beta gamma.\n\nZeta eta theta iota.");
    }

    proptest! {
        #[test]
        fn rows_and_counts_agree_after_any_deletion(
            text in "([a-z]{1,12}[ .。\n]|启动水泵|。|\n\n|\n# h\n){1,120}",
            picks in proptest::collection::vec(any::<prop::sample::Index>(), 1..8),
        ) {
            let new = stored(&text);
            let all: Vec<&ChunkId> = new.chunks().map(|chunk| &chunk.chunk_id).collect();
            prop_assume!(!all.is_empty());
            let ids: Vec<String> = picks.iter().map(|pick| pick.get(&all).to_string()).collect();
            let deletion = delete_chunks(vec![new.clone()], &ids, true, "now").unwrap();
            let report = &deletion.documents[0];
            let after = &deletion.changed[0].after;
            prop_assert_eq!(report.emptied, after.parents.is_empty());
            prop_assert_eq!(report.deleted.len() + after.chunks().count(), all.len());
            for id in &ids {
                prop_assert!(after.chunks().all(|row| *row.chunk_id != **id && row.chunk_id.strip_prefix(id.as_str()).is_none_or(|rest| !rest.starts_with('.'))));
            }
            let parents = &after.parents;
            for parent in parents {
                let own = || parent.children.iter();
                prop_assert!(own().count() > 0);
                let untouched = !parent.edited && parent.updated_at == "then";
                prop_assert!(untouched || report.rebuilt.contains(&parent.chunk_id));
                prop_assert_eq!(own().map(|row| row.content.as_str()).collect::<String>(), parent.content.as_str());
            }
            let children = after.children().count();
            prop_assert_eq!(after.document.parents as usize, parents.len());
            prop_assert_eq!(after.document.children as usize, children);
            for section in &after.sections {
                let own: Vec<u32> = parents.iter().filter(|row| row.section_id == section.section_id)
                    .map(|row| row.chunk_index).collect();
                let span = own.first().map_or((0, 0), |first| (*first, own[own.len() - 1] + 1));
                prop_assert_eq!((section.chunk_start, section.chunk_end), span);
            }
        }
    }
}
