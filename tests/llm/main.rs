//! The language model, against a server on this machine that is slow, broken, limited or lying.

// What goes wrong in the helpers ends the test, as it should.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../common/mod.rs"]
mod common;

mod client;
mod commands;
mod contexts;
mod hostile;
mod server;
