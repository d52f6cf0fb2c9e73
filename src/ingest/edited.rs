//! Publishes edited documents: decides what is embedded again.

use std::collections::HashMap;

use super::indexer::Indexer;
use super::known_vectors::KnownVectors;
use super::prepare::Prepared;
use super::rebuild::Rebuilder;
use super::stored::read_rows;
use crate::chunk::EmbeddedText;
use crate::edits::{ChangedDocument, embedded_texts, set_situating};
use crate::error::Result;
use crate::ids::DocId;
use crate::store::{NewDocument, ParentChunk, Snapshot};

/// The documents of chunks or conflicts with all their rows, in order of their sources.
pub async fn documents_of(snapshot: &Snapshot, ids: &[impl AsRef<str>]) -> Result<Vec<NewDocument>> {
    let mut doc_ids: Vec<DocId> =
        ids.iter().filter_map(|id| id.as_ref().split_once([':', '~'])).map(|(doc_id, _)| doc_id.into()).collect();
    doc_ids.sort_unstable();
    doc_ids.dedup();
    let mut documents = Vec::with_capacity(doc_ids.len());
    for document in snapshot.documents_by_id(&doc_ids).await? {
        documents.push(read_rows(snapshot, document).await?);
    }
    documents.sort_by(|a, b| a.document.source.cmp(&b.document.source));
    Ok(documents)
}

/// Publishes changed documents. Embeds parent chunks with a new text, and those after a changed one, because their
/// embedded text begins with its end. A document without vectors gets none. Returns the indexer with its counts.
pub async fn publish(mut rebuilder: Rebuilder, changed: Vec<ChangedDocument>) -> Result<Indexer> {
    for ChangedDocument { before, after } in changed {
        let embed = before.document.embedded;
        let (prepared, known) = with_hashes(&before, after);
        rebuilder.indexer.put(prepared, known, embed, "updated", None).await?;
    }
    rebuilder.finish().await
}

/// The changed document, and the vectors that still fit.
fn with_hashes(before: &NewDocument, mut after: NewDocument) -> (Prepared, KnownVectors) {
    let texts_before = before.parents.iter().zip(embedded_texts(before));
    let was: HashMap<&str, (&ParentChunk, EmbeddedText)> =
        texts_before.map(|pair| (pair.0.chunk_id.as_str(), pair)).collect();
    set_situating(&mut after);
    // A change of metadata leaves the text as it was, and then the vectors fit.
    let same = |(parent, text): (&ParentChunk, EmbeddedText)| {
        let (was, text_before) = was.get(parent.chunk_id.as_str())?;
        (*text_before == text && was.has_vectors()).then_some(*was)
    };
    let kept: Vec<Option<&ParentChunk>> = after.parents.iter().zip(embedded_texts(&after)).map(same).collect();
    let known = KnownVectors::of_chunks(kept.iter().copied().flatten());
    let mut prepared = Prepared::of(after);
    for (parent, was) in prepared.new.parents.iter_mut().zip(kept) {
        // Kept vectors may be of texts with other titles, and hashes say of which.
        let chunks = parent.chunks_mut().zip(was.into_iter().flat_map(ParentChunk::chunks));
        chunks.for_each(|(chunk, was)| chunk.embedding_hash.clone_from(&was.embedding_hash));
    }
    prepared.new.chunks_mut().for_each(|row| row.vector.clear());
    (prepared, known.and_of(&before.document))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edits::samples::{edit, note, request, stored};

    #[test]
    fn only_a_changed_parent_chunk_and_the_next_one_are_embedded_again() {
        let new = stored(
            "First sentence here.\n\nSecond sentence is. Third one stands.\n\nFourth one follows them, and it is a long one.\n\nFifth one comes last, and it is as long as that.\n",
        );
        let (prepared, known) = with_hashes(&new, edit(&new, &[request("abc123:0.2", "Third is other.")]));
        let fresh = prepared.new.parents.iter().filter(|row| known.of(row).is_none());
        let fresh: Vec<&str> = fresh.map(|row| row.chunk_id.as_str()).collect();
        assert_eq!(fresh, ["abc123:0", "abc123:1"]);
        let texts: Vec<EmbeddedText> = prepared.texts().collect();
        assert!(texts[0].text.contains("other."), "{texts:?}");
    }

    #[test]
    fn a_change_of_metadata_embeds_nothing() {
        let new = stored("First sentence here.\n\nSecond sentence is. Third one stands.\n");
        let (prepared, known) = with_hashes(&new, edit(&new, &[note("abc123:0", "reviewed", Some("yes"))]));
        assert!(prepared.new.parents.iter().all(|parent| known.of(parent).is_some()));
    }
}
