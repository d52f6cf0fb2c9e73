//! Edits of a document that is in the store, put onto its new text.

use super::prepare::Prepared;
use crate::chunk::ChunkConfig;
use crate::error::Result;
use crate::overlay::{Carried, carry, embedded_texts, renew_hashes};
use crate::store::{DocumentRow, NewDocument, Snapshot};
use crate::text::count;

/// Puts the edits of `row` onto what its source gives now.
///
/// # Errors
/// Where the store cannot be read.
pub(super) async fn carry_edits(row: &DocumentRow, snapshot: &Snapshot, prepared: &mut Prepared) -> Result<Carried> {
    if row.edits.is_empty() {
        return Ok(Carried::default());
    }
    let chunks = snapshot.chunks_of(&row.doc_id).await?;
    let stored = NewDocument { document: row.clone(), sections: Vec::new(), chunks };
    let new = &mut prepared.new;
    let config: ChunkConfig = serde_json::from_str(&new.document.chunking).unwrap_or_default();
    let carried = carry(&stored, new, &config, &jiff::Timestamp::now().to_string());
    prepared.texts = embedded_texts(&new.chunks, &config);
    renew_hashes(&mut new.chunks, &prepared.texts, |_, _| false);
    Ok(carried)
}

/// What a person should know about their edits; nothing, where all is as it was.
pub(super) fn edit_warning(carried: &Carried) -> Option<String> {
    (carried.conflicts > 0).then(|| {
        let edits = count(carried.conflicts, "edit");
        format!("{edits} in conflict with the new text: see kb chunks-list --conflicts")
    })
}

/// What a person should know about edits that go with their document.
pub(super) fn lost_edits(row: &DocumentRow) -> Option<String> {
    (!row.edits.is_empty()).then(|| format!("{} went with it", count(row.edits.len(), "edit")))
}
