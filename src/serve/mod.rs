//! The server of `kb serve`: it answers the reading commands of other `kb` processes, which saves them opening the
//! store and loading the model.
//!
//! A process sends what it was started with: its arguments, its folder, its screen. The server runs the same command
//! and sends back what it wrote and its exit code. A process that gets no answer runs the command itself: a server that
//! is busy, old or gone costs a moment, and one that hangs in a command ten seconds.
//!
//! - The socket lies in a folder that only its user can enter, and both sides check the user of the other process.
//! - Both sides have the same program, and the same environment as far as it changes answers ([`identity`]).
//! - One request runs at a time, so that it may have the current folder and other state of the process for itself. A
//!   request that would have to wait is declined.
//! - Lengths, times and the number of connections are limited.

#[cfg(unix)]
mod client;
#[cfg(unix)]
mod identity;
#[cfg(unix)]
mod message;
#[cfg(unix)]
mod server;
#[cfg(unix)]
mod socket;

#[cfg(unix)]
pub use client::{ask, stop};
#[cfg(unix)]
pub use message::{Answer, Call};
#[cfg(unix)]
pub use server::{End, Server};

use serde::{Deserialize, Serialize};

/// A stream that a command writes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stream {
    /// Standard output. Styles are removed where it shows none.
    Out,
    /// Standard output, byte for byte.
    Raw,
    /// Standard error. Styles are removed where it shows none.
    Err,
}

/// What is written at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    pub stream: Stream,
    pub text: String,
}
