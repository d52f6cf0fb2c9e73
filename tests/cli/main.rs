//! The program as its users run it: one module for each command or subject, each test one behaviour.

// A failing helper ends the test, as it should.
#![allow(clippy::expect_used, clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;

/// A test on the engine in pure Rust, and one on ONNX Runtime, which is ignored unless it is asked for.
macro_rules! on_both_engines {
    ($test:ident) => {
        mod $test {
            #[test]
            fn on_tract() {
                super::$test("off");
            }

            #[test]
            #[ignore = "needs ONNX Runtime: name its library in KB_TEST_ONNXRUNTIME and run with --include-ignored"]
            fn on_onnxruntime() {
                super::$test(&crate::common::onnxruntime());
            }
        }
    };
}

mod archive;
mod bad_input;
mod browse;
mod check;
mod chunks;
mod completions;
mod config;
mod context;
mod document_profile;
mod edits;
mod embedding_endpoint;
mod entities;
mod eval;
mod examples;
mod formats;
mod found_store;
mod generations;
mod history;
mod indexes;
mod ingest;
mod ingest_context;
mod ingest_moved;
mod ingest_no_embed;
mod ingest_prune;
mod laws;
mod llm;
mod locking;
mod mcp;
mod mcp_http;
mod metadata;
mod models;
mod namespaces;
mod optimize;
mod output;
mod progress;
mod read_cache;
mod recovery;
mod reindex_structure;
mod reindex_vectors;
mod remote;
mod remove;
mod reranking_endpoint;
mod schema;
mod search;
mod search_confidence;
mod search_contents;
mod search_explain;
mod search_filter;
mod search_modes;
mod search_namespaces;
mod search_query;
mod search_rerank;
mod section;
mod self_check;
mod serve;
mod show;
mod structure;
mod synonyms;
mod tables;
mod time_field;
mod toc;
mod trust;
mod watch;
mod web;
mod worker;
