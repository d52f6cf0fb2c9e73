//! LanceDB tables and a tantivy index on local disk, published together.
//!
//! Promises: a reader sees the tables and the keyword index of exactly one generation and is never blocked; a crash at
//! any point leaves the last or the next generation; one writer works at a time. This room knows rows: it does not
//! parse, chunk or embed. `docs/architecture.md` lists the files of a store.

mod archive;
mod cache_folder;
mod cached_reading;
pub mod check;
mod chunk_list;
mod code_recall;
mod convert;
mod document_time;
mod durable;
mod entities;
mod entity_table;
mod fault;
mod file_list;
mod files;
mod format;
mod history;
mod indexes;
mod keyword;
mod layout;
mod library_error;
mod lock;
mod manifest;
mod metadata;
mod namespace_name;
mod namespaces;
mod optimize;
mod pinned;
#[cfg(all(debug_assertions, unix))]
mod power_loss;
mod read_cache;
mod reading;
mod recovery;
mod replica;
mod rewrite;
mod rows;
#[cfg(test)]
pub(crate) mod samples;
mod scan;
mod scope;
mod sink;
mod smallest;
mod snapshot;
mod source_name;
mod source_pattern;
mod tables;
mod untrusted;
mod vector_cache;
mod vectors;
mod version_files;
mod versions;
mod writer;

pub use archive::{Archived, export, import};
pub use cache_folder::CacheFolder;
pub use chunk_list::{ChunkFilter, ChunkKey};
pub use code_recall::CodeRecall;
pub use document_time::DocumentTime;
pub use entities::{EntityChange, EntityRow, EntityState, StateTime};
pub use fault::{REWRITE_STEPS, STEPS};
pub use file_list::{FileList, ListedFile};
#[cfg(feature = "fuzzing")]
pub use history::record_is_readable;
pub use history::{
    ChangeKind, Counts, DocumentDiff, GenerationDiff, Item, LogEntry, Note, Restored, TextChange, diff, log,
    plan_restore,
};
#[cfg(test)]
pub(crate) use keyword::ChildSpan;
pub use keyword::{
    IndexedParentChunk, KeywordField, KeywordStatistics, OtherName, ParentChunkFacts, Phrase, ScoredChunk, WordsFound,
};
pub use layout::{Namespace, SYNONYMS, Store};
pub use lock::{Holder, LockTimeout};
pub use manifest::{Manifest, ModelRecord};
pub use metadata::{
    Fields, Metadata, MetadataChanges, MetadataValue, add_fields, check_field, check_field_of_part, parts,
};
pub use namespace_name::{LONGEST_NAMESPACE, namespace_name};
pub use namespaces::{NamespacePattern, Validators};
pub use optimize::Optimized;
pub use replica::{Replica, Upload};
pub use rows::{
    Chunk, ChunkRow, ChunkType, DocumentCounts, DocumentFacts, DocumentKey, DocumentName, DocumentRow, Edit,
    NewDocument, ParentChunk, SectionRow, in_parts,
};
pub use scope::Scope;
pub use snapshot::Snapshot;
pub use source_name::{STANDARD_INPUT, file_name, stem};
pub use source_pattern::SourcePattern;
pub use vector_cache::{VectorCache, VectorKey, unpublished_vectors};
pub use writer::{Change, Writer};
