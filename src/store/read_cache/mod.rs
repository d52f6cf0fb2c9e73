//! The read cache: the data that every reader of a generation needs, such as codes of vectors and names of documents.
//!
//! In a process that asks one question, planning and running a query of the tables takes longer than everything else.
//! The first reader writes the rows of each fragment of a table, deleted ones included, into a [file](files) beside the
//! tables (`read-cache/NAME-HASH`). Readers leave out the deleted rows. A deletion or a publication makes no file stale:
//! the next reader only adds files for new fragments.
//!
//! Codes and vectors of chunks have files of their own form ([`code_file`], [`half_vectors`]).
//!
//! Readers write nothing into a store of others: its cache lies in the user's folder of caches.

mod batches;
mod binary_codes;
mod checksum;
mod chunk_files;
mod chunk_rows;
mod code_file;
mod document_names;
mod files;
mod fragments;
mod half_vectors;
mod keys;
mod parent_rows;
mod partitions;
mod section_metadata;

pub(super) use chunk_rows::{ChunkRows, Cosines};
#[cfg(test)]
pub(super) use document_names::{DOC_ID, with_places};
pub(super) use document_names::{DocumentNames, NAMES};
pub(super) use files::{ReadCache, damaged};
pub(super) use fragments::{CachedFragment, CachedRows, without_deleted};
pub(super) use section_metadata::{METADATA, METADATA_COLUMNS, SectionsWithMetadata, WITH_METADATA, metadata};
