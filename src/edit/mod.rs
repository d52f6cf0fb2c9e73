//! What people correct: tables of contents, and chunks.
//!
//! A correction is stored with its document and stands above whatever the structure code finds, now and when the
//! document is ingested again. Nothing is written unless all of it can be.

mod delete;
mod toc;
mod toc_text;

pub use delete::{Deletion, DocumentDeletion, delete_chunks};
pub use toc::{Correction, CorrectionReport, Outcome, Place, editable_toc, reset_toc, set_toc};
