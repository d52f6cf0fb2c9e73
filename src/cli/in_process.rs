//! Runs commands inside a long-lived process with the store open and the model loaded, and collects their results.

use std::ffi::OsString;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use serde_json::Value;

use super::global::Global;
use super::invocation::{Context, ProgressSender};
use super::output::Output;
use super::parse::{self, Spell};
use super::remote;
use crate::error::{Error, Kind, Result};
use crate::notice;
use crate::render::Screen;
use crate::search::Warm;
use crate::serve::Stream;

/// The width of tables in an answer.
const COLUMNS: usize = 100;
/// What to do while another process writes: only a command line can wait.
const LATER: &str = "try again later";

/// The outcome of a command.
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// The result as Markdown.
    pub(super) text: String,
    /// The result as JSON, if there is one.
    pub(super) value: Option<Value>,
    /// Notes, or what failed.
    pub(super) messages: Vec<String>,
    pub(super) code: u8,
    /// Whether it ended with an error, such as an unknown name. To find nothing is no error.
    pub(super) is_refused: bool,
}

impl Answer {
    pub(super) fn found(&self) -> bool {
        matches!(self.code, 0 | 4)
    }

    pub(super) fn failed(&self) -> bool {
        !matches!(self.code, 0 | 1 | 4)
    }

    fn of(error: &Error) -> Self {
        Answer { code: error.kind().exit_code(), messages: vec![error.to_line()], ..Answer::default() }
    }
}

/// Runs a command, and returns `None` if it crashed.
pub(super) async fn run_catching_crash(warm: &Warm, command: LocalBoxFuture<'_, Result<u8>>) -> Option<Result<u8>> {
    let mut guard = WarmGuard { warm, keeps_open: false };
    let outcome = AssertUnwindSafe(command).catch_unwind().await.ok()?;
    // Notices come from opening the store. It must be opened again for the next command to get them too.
    guard.keeps_open = !notice::was_given();
    Some(outcome)
}

/// Ends the use of the open store by a command. If the command crashed or gave notices, the store is closed. Otherwise
/// its snapshot is released, and only what takes too much memory is closed.
struct WarmGuard<'w> {
    warm: &'w Warm,
    keeps_open: bool,
}

impl Drop for WarmGuard<'_> {
    fn drop(&mut self) {
        if !self.keeps_open {
            self.warm.close();
        }
        self.warm.rest();
    }
}

/// Runs commands, one after the other.
pub(super) struct InProcess {
    own: Global,
    warm: Arc<Warm>,
    parser: clap::Command,
    spell: Spell,
}

impl InProcess {
    /// `own` are the global options of this process. `spell` registers how messages name settings; it applies to the whole
    /// process.
    pub(super) fn new(own: Global, warm: Arc<Warm>, spell: Spell) -> Self {
        InProcess { own, warm, parser: parse::command(false), spell }
    }

    /// Runs a command as a process of its own would, in the named namespace or that of this process.
    pub(super) async fn run(
        &mut self,
        arguments: Vec<String>,
        namespace: Option<String>,
        progress: ProgressSender,
    ) -> Answer {
        let arguments: Vec<OsString> =
            std::iter::once("kb".into()).chain(arguments.into_iter().map(Into::into)).collect();
        let (cli, matches) = match parse::try_parse(&mut self.parser, &arguments, self.spell) {
            Ok(parsed) => parsed,
            Err(error) => return Answer::of(&parse::as_usage(&error.to_string())),
        };
        let global = self.own.for_namespace(namespace);
        let output = Arc::new(Output::collecting_value());
        let warnings = Arc::new(Mutex::new(Vec::new()));
        let told = warnings.clone();
        let tell = move |text: &str| told.lock().unwrap_or_else(PoisonError::into_inner).push(text.to_owned());
        let (to, kept) = (output.clone(), self.warm.clone());
        let screen = Screen { columns: COLUMNS, lines: 0, is_terminal: false, has_links: false };
        let context =
            |global, matches| Context::new(global, matches, screen, to).keeping_open(kept).reporting_to(progress);
        let running = remote::answer_at(global, cli.command, matches, context, |_, _| Ok(None));
        let running = run_catching_crash(&self.warm, running.boxed_local());
        let outcome = notice::with_receiver(tell, running).await.unwrap_or_else(|| {
            Err(Error::failed("kb crashed, which a damaged store can cause").hint("`kb check` finds damage"))
        });
        let warnings = std::mem::take(&mut *warnings.lock().unwrap_or_else(PoisonError::into_inner));
        let (mut text, mut messages) = (String::new(), warnings);
        for piece in output.take() {
            match piece.stream {
                Stream::Err => messages.extend(piece.text.lines().map(str::to_owned)),
                Stream::Out | Stream::Raw => text.push_str(&piece.text),
            }
        }
        let value = serde_json::from_str(&output.take_value()).ok();
        let is_refused = outcome.as_ref().is_err_and(|error| !error.is_answer());
        let code = outcome.unwrap_or_else(|error| {
            let error = if error.kind() == Kind::Locked { error.hint(LATER) } else { error };
            messages.push(error.to_line());
            error.kind().exit_code()
        });
        Answer { text, value, messages, code, is_refused }
    }
}
