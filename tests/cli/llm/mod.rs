//! The language model, against a server on this machine that is slow, broken, limited or lying.

mod client;
mod commands;
mod contexts;
mod hostile;
pub mod server;
