//! The read cache of a namespace: what a search needs of the tables, in files that a fresh process reads at once.
//!
//! Each fragment of a table, a file that never changes, has files of its own. They are written by the first reader.

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
mod reading;
mod section_metadata;
mod smallest;

pub(super) use chunk_rows::{ChunkRows, Cosines};
pub(super) use document_names::DocumentNames;
pub(super) use files::{ReadCache, damaged};
pub(super) use parent_rows::CHUNK_ID;
pub(super) use section_metadata::SectionsWithMetadata;
pub(super) use smallest::Smallest;
