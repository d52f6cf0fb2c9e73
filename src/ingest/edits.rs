//! Edits of a document that is in the store, put onto its new text.

use super::lines::wants_lines;
use super::prepare::Prepared;
use crate::chunk::ChunkConfig;
use crate::overlay::{Carried, carry, embedded_texts, renew_hashes, set_leads};
use crate::store::{ChunkRow, DocumentRow, NewDocument};
use crate::text::count;

/// Puts what the store has of a document besides its source onto what its source gives now: what a language model said of its
/// passages, and edits. `chunks` are those of `row` in the store.
pub(super) fn carry_over(row: &DocumentRow, chunks: Vec<ChunkRow>, mut prepared: Prepared) -> (Prepared, Carried) {
    if wants_lines(row) && wants_lines(&prepared.new.document) {
        prepared = prepared.with_lines_of(&chunks);
    }
    let carried = carry_edits(row, chunks, &mut prepared);
    (prepared, carried)
}

/// Whether there is something to carry over, for which the chunks have to be read.
pub(super) fn has_more_than_its_source(row: &DocumentRow) -> bool {
    wants_lines(row) || !row.edits.is_empty()
}

fn carry_edits(row: &DocumentRow, chunks: Vec<ChunkRow>, prepared: &mut Prepared) -> Carried {
    if row.edits.is_empty() {
        return Carried::default();
    }
    let stored = NewDocument { document: row.clone(), sections: Vec::new(), chunks };
    let new = &mut prepared.new;
    let config = ChunkConfig::of(&new.document.chunking);
    let carried = carry(&stored, new, &config, &jiff::Timestamp::now().to_string());
    set_leads(&mut new.chunks, &config);
    prepared.texts = embedded_texts(&new.chunks, &config);
    renew_hashes(&mut new.chunks, &prepared.texts, |_, _| false);
    carried
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
