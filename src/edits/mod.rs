//! People's corrections of tables of contents and chunks: pure functions on the rows of documents, which
//! [`ingest`](crate::ingest) publishes.
//!
//! The chunks of a document are the text of its source after cutting, with its [`Edit`](crate::store::Edit)s applied.
//! Each edit names a parent chunk, the source's text there, and the text that replaces it. When the source is read
//! again, [`rebase`] applies the edits to the new text, sentence by sentence. If the source changed what a person had
//! changed, the edit becomes a conflict.
//!
//! Promise: whatever happens to the source, each sentence that a person typed is in the text, in a conflict, or in the
//! source itself. A change is written whole or not at all.

mod batch;
mod chunks;
mod conflicts;
mod delete;
mod derived;
mod parent_chunk;
mod rebase;
mod request;
mod sentences;
#[cfg(test)]
mod tests;
mod toc;

pub use batch::read_batch;
#[cfg(test)]
pub(crate) use chunks::tests as samples;
pub use chunks::{ChangedDocument, DocumentEdits, Edits, edit_chunks};
pub use conflicts::{Conflict, Side, conflicts, resolve_conflicts};
pub use delete::{Deletion, DocumentDeletion, delete_chunks};
pub use derived::{embedded_texts, renew_hashes, set_model_situating, set_situating, update_counts};
pub use parent_chunk::source_parents;
pub use rebase::{Rebased, rebase};
pub use request::{ChunkEditRequest, NewText};
pub use toc::{TocLine, editable_toc, entries_of, parse_toc};
