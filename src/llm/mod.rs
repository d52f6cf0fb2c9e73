//! The language model that a user may name: a client for any OpenAI-compatible endpoint, and what it is asked for.
//!
//! Promises: nothing is sent unless `[llm]` is configured. A model never makes a command fail: what it does not
//! answer, or answers badly, is `None` or a [`Failure`], the caller goes on by its rules, and the [`LlmReport`] counts
//! it. An answer is paid for once: it is kept on disk by model, prompt and input ([`cache`]). The key appears in no
//! output, error, trace, cache entry or store ([`secret`]). Text from documents is fenced ([`fence`]), answers are
//! validated ([`answer`]), and one request has the text of one document only, so that a hostile one can spoil nothing
//! but itself.
//!
//! The way of a request: a room per use ([`contexts`], [`expand_query`]) fills a prompt ([`prompts`]) →
//! [`client`] looks into the cache, holds what it may cost at most back from the ceilings ([`budget`]) and asks
//! ([`wire`], and again as [`retry`] says) → the room's own check of the answer → cache and report.

mod answer;
mod budget;
mod cache;
mod check;
mod client;
mod configured;
mod contexts;
mod estimate;
mod expand_query;
mod failure;
mod fence;
mod prompts;
mod report;
mod retry;
mod secret;
mod settings;
mod wire;

pub use check::{Checked, check};
pub use client::{Ask, Client};
pub use configured::Configured;
pub use contexts::{ContextDocument, ContextPassage, Unsaid, contexts, estimate_contexts};
pub use estimate::Estimate;
pub use expand_query::{Expansion, expand_query};
pub use failure::{Failure, Reason};
pub use prompts::{Prompts, names as prompt_names, text_of as prompt_text};
pub use report::LlmReport;
pub use settings::{LlmConfig, LlmSettings, Prices};
