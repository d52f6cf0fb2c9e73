//! Results to tables, Markdown, JSON and paths: the only place that formats.
//!
//! A table is for people at a terminal, and may change. Markdown is for pipes and agents; JSON and JSON Lines are for
//! scripts, and their fields stay. Colours are ANSI codes; the stream removes them outside a terminal.

mod chunks;
mod context;
mod docs;
mod edits;
mod entities;
mod eval;
mod excerpt;
mod explain;
mod format;
mod grid;
mod history;
mod ingest;
mod json;
mod links;
mod models;
mod page;
mod reindex;
mod schema;
mod search;
mod self_check;
mod settings;
mod store;
mod style;
mod tables;
mod toc;
mod wrap;

pub use chunks::{chunk, chunk_list, sections};
pub use context::{MarkdownLayout, prompt_context};
pub use docs::{ListedDocument, described_documents, document_list, documents, opened, removed_documents};
pub use edits::{conflicts, corrected_contents, deleted_chunks, edited_chunks};
pub use entities::{entities, entity_list, set_entities};
pub use eval::{answered_questions, evaluation};
pub use explain::why;
pub use format::{OutputFormat, Screen, message_columns};
pub use history::{diff, log, restored};
pub use ingest::ingested;
pub use models::{
    ModelLine, ModelList, SuggestedModel, added_model, llm_check, model_list, removed_model, suggested_models,
};
pub use page::Page;
pub use reindex::{reembedded, reindexed};
pub use schema::{REFERENCE, schema_of, schemas_of};
pub use search::{nearest, search};
pub use self_check::{SelfCheck, self_checked};
pub use settings::{setting_list, store_not_trusted, store_to_trust, store_trusted};
pub use store::{NamespaceCheck, NamespaceLine, Status};
pub use store::{archived, checks, namespace_list, namespace_removed, namespace_renamed, optimized, status};
pub use toc::{ListedSections, Shown, tables_of_contents, toc};
pub use wrap::wrapped_at_words;
