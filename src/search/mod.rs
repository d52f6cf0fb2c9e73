//! A search turns a question into hits. [`run`] lists the stages: understand, recall, fuse, rerank, select, expand.
//! Several namespaces are searched as if they were one.
//!
//! Promise: the weaker retriever never spoils the better one. A retriever that cannot judge a question (a model asked
//! in a language it was not trained on) gets no weight and does not run.

mod advice;
mod candidate;
mod chinese_numbers;
mod confidence;
mod contents;
mod context;
mod encoder;
mod entities;
mod expand;
mod fallback;
mod filter;
mod find_section;
mod fuse;
mod hit;
mod joined_words;
mod list_chunks;
mod loaded_cross_encoder;
mod named_documents;
mod note;
mod query_expansion;
mod recall;
mod request;
mod rerank;
mod resolve;
mod restrict;
mod result;
mod retrievers;
mod run;
mod searcher;
mod section;
mod section_name;
mod section_number;
mod select;
mod shape;
mod short_forms;
mod spelling;
mod synonyms;
mod trace;
mod understand;
mod vocabulary;
mod warm;
mod why;
mod without_search;

pub use candidate::Candidate;
pub use contents::Contents;
pub use context::Context;
pub use context::layout::{
    ContextContents, ContextDocument, ContextParentChunk, ContextParts, Detail, Layout, Template,
};
pub use encoder::Encoder;
pub use filter::syntax::Filter;
pub use filter::{FilterOrigin, HeadingForm, HeadingForms, Restriction, TimeField, scopes_within};
pub use find_section::{document_with, find_section, title_section};
pub use hit::{Hit, Omitted, Source, SourceChild};
pub use list_chunks::{ChunkColumn, ChunkList, ChunkListRequest, ListedChunk};
pub use note::{Note, NoteCode};
pub use request::{
    DEFAULT_LIMIT, DEFAULT_RERANK_DEPTH, DEFAULT_RERANK_TIME, Decay, Expand, Fallback, Fusion, HalfLife, Kind,
    LARGEST_LIMIT, LARGEST_POOL, Method, Rerank, SearchRequest, Weights,
};
pub use resolve::{Purpose, documents_to_resolve, resolve_document, resolve_each, row_of};
pub use result::SearchResult;
pub use searcher::{Searched, Searcher};
pub use section::{SectionContent, SectionPart, with_subsections};
pub use section_name::{SectionName, SectionNames};
pub use shape::{Beam, DEFAULT_DIVERSITY, DEFAULT_POOL, GroupBy, Mode, SECTION_TOKENS, Shape, Target};
pub use trace::{Stage, Trace};
pub use understand::Route;
#[cfg(feature = "fuzzing")]
pub use understand::{Understanding, keyword_terms};
pub use warm::Warm;
pub use why::{Why, WhyStage};
