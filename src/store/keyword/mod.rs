//! The keyword index of a namespace: a tantivy index of its parent chunks.

mod chunks;
mod directory;
mod index;
mod merge;
mod search;
mod statistics;
mod vocabulary;
mod writer;

#[cfg(test)]
pub(crate) use chunks::ChildSpan;
pub use chunks::{IndexedParentChunk, ParentChunkFacts, WordsFound};
pub use index::KeywordField;
pub(super) use index::KeywordReader;
#[cfg(test)]
pub(super) use index::schema;
pub use search::{Phrase, ScoredChunk};
pub use statistics::KeywordStatistics;
pub use vocabulary::OtherName;
pub(super) use writer::KeywordWriter;
