//! What people correct: tables of contents, and chunks.
//!
//! A correction is stored with its document and stands above whatever the source says, now and when the document is
//! ingested again. Nothing is written unless all of it can be.

mod batch;
mod chunks;
mod conflicts;
mod delete;
mod publish;
mod toc;
mod toc_text;

pub use batch::read_batch;
pub use chunks::{ChunkOrder, DocumentEdits, Edits, NewText, edit_chunks};
pub use conflicts::{Conflict, Side, conflicts, settle};
pub use delete::{Deletion, DocumentDeletion, delete_chunks};
pub use publish::{ChangedDocument, documents_of, publish};
pub use toc::{Correction, CorrectionReport, Outcome, Place, editable_toc, reset_toc, set_toc};
