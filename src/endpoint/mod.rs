//! The connection to a configured endpoint: a language model, embeddings or reranking.
//!
//! Promises: nothing is sent unless the user has named the endpoint. The key goes to its address alone and appears in
//! no output, error or store ([`secret`]).

mod config;
mod connection;
mod failure;
mod secret;
mod settings;

pub use config::{EMBEDDINGS, EndpointConfig, LANGUAGE_MODEL, RERANKING, endpoint_settings, environment};
pub use connection::Connection;
pub use failure::{Failure, Reason, with_retries};
pub use settings::EndpointSettings;
