//! `kb`, a command-line knowledge base: it reads folders of documents, keeps their structure, and answers a question
//! with the right section of the right document, in one call, on one machine, with no network.
//!
//! The rooms, in the order in which data meets them:
//!
//! - [`load`]: bytes to a [`load::Document`], one module per format; PDF work runs in worker processes
//! - [`structure`]: blocks to a table of contents
//! - [`chunk`]: sections to parent chunks, parents to child chunks, and the context line in front of them
//! - [`glossary`]: other names for the same thing, as documents define them and users list them
//! - [`text`]: scripts, tokens, sentences; pure functions
//! - [`embed`]: embedding models and the engine that runs them
//! - [`models`]: models that people choose: which there are, how one gets here, and which one a store has its vectors of
//! - [`store`]: LanceDB tables, the tantivy index, generations and the lock
//! - [`overlay`]: what people changed, as a layer over what the sources say; pure functions
//! - [`profile`]: what a document is: kinds of passages, topics, a paragraph; pure functions
//! - [`ingest`]: scan, plan, load, chunk, embed, publish
//! - [`edit`]: what people correct: tables of contents, chunks
//! - [`retrieve`]: a question to ranked passages
//! - [`llm`]: the language model that a user may name, off unless one is
//! - [`eval`]: measured quality on queries with known answers
//! - [`render`]: results to tables, Markdown and JSON; the only place that formats
//! - [`cli`]: one clap struct and one thin function per subcommand
//!
//! `ARCHITECTURE.md` walks a page and a question through them.

mod address;
pub mod chunk;
pub mod cli;
pub mod config;
pub mod edit;
pub mod embed;
pub mod entities;
pub mod error;
pub mod eval;
pub mod glossary;
pub mod ingest;
pub mod llm;
pub mod load;
pub mod models;
pub mod overlay;
pub mod profile;
pub mod render;
#[cfg(test)]
#[path = "../tests/common/repository.rs"]
mod repository;
pub mod retrieve;
pub mod store;
pub mod structure;
pub mod text;

pub use error::{Error, Result};
