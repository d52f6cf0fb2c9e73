//! The optional language model: a client, and the three tasks it is used for.
//!
//! Promises: nothing is sent unless `[llm]` is configured. A model never makes another command fail: a missing or
//! unusable answer becomes `None` or a [`Failure`](crate::endpoint::Failure), the caller falls back to its rules, and
//! [`LlmReport`] counts it. Answers are cached on disk by model, prompt and input. Text from documents is fenced and
//! answers are validated ([`guard`]). A request holds text of one document only, so a hostile document can spoil
//! nothing but its own answers.
//!
//! A task ([`contexts`], [`write_profile`], [`expand_query`]) fills a prompt ([`prompts`]); [`client`] checks the
//! cache, reserves the tokens that the request may use ([`usage`]) and sends it ([`chat`]); the task validates the
//! answer.

mod chat;
mod client;
mod contexts;
mod expand_query;
mod guard;
mod profile;
mod prompts;
mod usage;

pub use client::{Checked, Client, LlmConfig};
pub use contexts::{ContextDocument, ContextParentChunk, Unanswered, contexts, estimate_contexts};
#[cfg(feature = "fuzzing")]
pub use expand_query::read as read_answer;
pub use expand_query::{Expansion, expand_query};
pub use profile::{WrittenProfile, estimate_profile, write_profile};
#[cfg(feature = "fuzzing")]
pub use prompts::check_prompts;
pub use prompts::{names as prompt_names, text_of as prompt_text};
pub use usage::{Estimate, LlmReport};
