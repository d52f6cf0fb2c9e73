//! `kb`, a command-line knowledge base: it reads folders of documents, finds their real structure, and answers a
//! question with the right section of the right document, on one machine, without a network.
//!
//! The program is the main interface. A program in Rust can use a store too:
//!
//! ```no_run
//! # #[tokio::main]
//! # async fn main() -> kb::Result<()> {
//! // Files of unknown origin are read in copies of this program.
//! kb::serve_worker();
//! let mut manuals = kb::KnowledgeBase::open_or_create("manuals/.kb".as_ref(), "default")?;
//! for file in manuals.ingest(&["manuals".into()]).await? {
//!     println!("{} {} {}", file.source, file.action.name(), file.reason.unwrap_or_default());
//! }
//! for hit in manuals.search("how is the pump primed?", 3).await? {
//!     println!("{} {} (confidence {:.2})\n{}", hit.title, hit.section.titles, hit.confidence, hit.content);
//! }
//! manuals.edit("7f3k2m:12", "Open the vent, then prime the pump.").await?;
//! for document in manuals.documents().await? {
//!     for section in manuals.toc(&document.id).await? {
//!         println!("{} {} {:?}", section.path, section.title, section.pages);
//!         for part in manuals.section(&section.id).await? {
//!             println!("{}\n{}", part.section.title, part.text);
//!         }
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! `docs/architecture.md` walks a page and a question through the rooms.

mod address;
mod chunk;
pub mod cli;
mod config;
mod crash;
mod edits;
mod embed;
mod endpoint;
mod error;
mod eval;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod globs;
mod hash;
mod http;
mod ids;
mod ingest;
mod knowledge;
mod knowledge_base;
mod llm;
mod load;
mod models;
mod notice;
mod paths;
mod remote;
mod render;
#[cfg(test)]
#[path = "../tests/common/repository.rs"]
mod repository;
mod search;
mod serve;
mod store;
mod structure;
mod text;
mod threads;
mod vectors;

pub use error::{Error, Kind, Result};
pub use ingest::Action;
pub use ingest::worker::serve_worker;
pub use knowledge_base::{Document, Ingested, KnowledgeBase, Section, SectionText};
pub use search::{Hit, SectionName, Source};

/// For the tests and benchmarks of this repository. It may change at any time.
#[doc(hidden)]
pub mod internals {
    pub mod chunk {
        pub use crate::chunk::{ChunkConfig, context};
    }
    pub mod config {
        pub use crate::config::KnownStores;
    }
    pub mod embed {
        pub use crate::embed::{
            EMBEDDED, Embedder, EmbeddingConfig, EngineChoice, GRAPH, Model, ModelFiles, TokenCounter, select,
        };
    }
    pub mod endpoint {
        pub use crate::endpoint::EndpointSettings;
    }
    pub mod eval {
        pub use crate::eval::{EvalOptions, EvalStore};
    }
    pub mod ids {
        pub use crate::ids::DocId;
    }
    pub mod ingest {
        pub use crate::ingest::{CutDocument, Prepared, Progress, SourceFacts, prepare};
    }
    pub mod llm {
        pub use crate::llm::{
            Client, ContextDocument, ContextParentChunk, LlmReport, Unanswered, contexts, expand_query,
        };
    }
    pub mod load {
        pub use crate::load::{Document, Format, LoadOptions, OutlineEntry, parse};
    }
    pub mod models {
        pub use crate::models::{ModelFile, ModelKind, Models, Record, record_of};
    }
    pub mod search {
        pub use crate::search::{
            Encoder, Expand, Fusion, Kind, Method, Mode, Rerank, SearchRequest, Searcher, Shape, Target, Trace, Weights,
        };
    }
    pub mod store {
        pub use crate::store::{
            Change, Chunk, DocumentRow, LockTimeout, ModelRecord, Namespace, NewDocument, Note, ParentChunk,
            REWRITE_STEPS, STEPS, SectionRow, Snapshot, Store, Writer, diff, log,
        };
    }
    pub mod structure {
        pub use crate::structure::{normalise_title, sections};
    }
}
