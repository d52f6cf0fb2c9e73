//! What people changed in documents, as a layer over what their sources say.
//!
//! A document's chunks are its source's text, cut, with its [`Edit`](crate::store::Edit)s on top: each names a
//! passage, what the source says there and what shall stand there instead. When the source is read again, the layer
//! is put onto the new text: sentence by sentence, where the source has not changed what a person changed; where it
//! has, the edit is kept aside as a conflict. Rows in, rows out: pure functions, known to `ingest` and `edit`.
//!
//! Law: whatever happens to the source, each sentence that a person typed is in the text, in a conflict, or in the
//! source itself. And what becomes a conflict is settled where the sentences stand that it is about.

mod align;
mod base;
mod carry;
mod conflict;
mod counts;
mod exchange;
mod lines;
mod passage;
mod windows;

pub use base::{Passage, as_the_source_says, passages};
pub use carry::{Carried, carry};
pub use conflict::{ConflictPart, ConflictPlace, conflict_id, find_conflict, place};
pub use counts::mend_counts;
pub use exchange::{exchange, space_behind, widen};
pub use lines::{set_leads, set_said};
pub use passage::{PassageChange, Piece, change_passage, delete_passage, edit_of, pieces_of};
pub use windows::{embedded_texts, renew_hashes};
