//! Scan, plan, load, chunk, embed, publish.
//!
//! Only changed files are read again, and only parent chunks with a changed text are embedded again. Several threads
//! load files and hand them to the collector through a bounded channel, so memory does not grow with the folder. Each
//! batch is published as one generation: an interrupted run loses at most the current batch. A file that fails stays in
//! the store as it was, and stops no other file. Every source gets one [`Action`].

mod collector;
mod contexts;
mod cut_document;
mod edited;
mod existing;
mod indexer;
mod known_vectors;
mod languages;
mod loader;
mod metadata;
mod plan;
mod prepare;
mod profile;
mod rebuild;
mod reindex;
mod request;
mod revector;
mod run;
mod scan;
mod source;
mod stored;
mod toc_correction;
mod vectors;
mod web;
pub mod worker;
mod worker_threads;

pub use cut_document::CutDocument;
pub use edited::{documents_of, publish};
pub use indexer::Indexer;
pub use known_vectors::KnownVectors;
pub use languages::LanguagesReport;
pub use metadata::MetadataRule;
pub use prepare::{Prepared, SourceFacts, prepare};
pub use rebuild::{RebuildOptions, Rebuilder, Stale, stale};
pub use reindex::{ReindexReport, ReindexRequest, ReindexedDocument, TextFrom, reindex};
pub use request::{
    Action, ContextsReport, IngestReport, IngestRequest, Progress, SourceReport, SuspiciousRemoval, Target,
};
pub use revector::{RevectorReport, RevectorRequest, revector};
pub use run::run;
pub use toc_correction::{CorrectionReport, Outcome, Place, reset_toc, set_toc};
pub use vectors::LazyEmbedder;
pub use web::{address, is_page};
