//! Parsing in worker processes of the same binary.
//!
//! A PDF can hang, crash or balloon the library that reads it. In a worker it costs itself: the pool ends a worker
//! that takes too long or dies, reports that file as failed, and starts another. Workers serve one file after the
//! other over their standard input and output; the protocol is one JSON line and the file's bytes in, one JSON line
//! out. Lines without the marker are noise that some library printed, and are skipped.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Document, Format, LoadOptions, parse};
use crate::error::{Error, Result};

/// The hidden subcommand that turns a process into a worker.
pub const SUBCOMMAND: &str = "parse-worker";

/// What a worker's answer starts with.
const MARKER: &str = "\u{1}kb\u{1}";

/// The address space of a worker. The largest of 356 hostile files needs far less; a real book of 2,000 pages about a
/// quarter of it.
#[cfg(unix)]
const MEMORY_LIMIT_BYTES: u64 = 4 << 30;

#[derive(Serialize, Deserialize)]
struct Request {
    format: Format,
    options: LoadOptions,
    length: usize,
}

#[derive(Serialize, Deserialize)]
enum Answer {
    Parsed(Box<Document>),
    Refused { message: String, hint: Option<String> },
}

/// Serves requests from standard input until it ends. Called in a worker process only.
///
/// # Errors
/// Where the pipe to the parent process breaks.
pub fn serve() -> Result<()> {
    limit_memory();
    end_with_parent();
    // Panics are caught and told as errors; their backtraces would only confuse the user of the parent.
    std::panic::set_hook(Box::new(|_| {}));
    let mut input = BufReader::new(std::io::stdin().lock());
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        let request: Request = serde_json::from_str(&line)
            .map_err(|error| Error::failed(format!("the worker was sent something else than a request: {error}")))?;
        let mut bytes = vec![0; request.length];
        input.read_exact(&mut bytes)?;
        let parsed = std::panic::catch_unwind(|| parse(&bytes, request.format, &request.options));
        let answer = match parsed {
            Ok(Ok(document)) => Answer::Parsed(Box::new(document)),
            Ok(Err(error)) => {
                Answer::Refused { message: error.message().to_owned(), hint: error.next_step().map(str::to_owned) }
            }
            Err(_) => Answer::Refused { message: "the parser crashed on this file".to_owned(), hint: None },
        };
        let answer = serde_json::to_string(&answer)
            .map_err(|error| Error::failed(format!("the worker's answer cannot be written: {error}")))?;
        let mut out = std::io::stdout().lock();
        writeln!(out, "\n{MARKER}{answer}")?;
        out.flush()?;
        line.clear();
    }
    Ok(())
}

#[cfg(unix)]
fn limit_memory() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let limit = Rlimit { current: Some(MEMORY_LIMIT_BYTES), maximum: Some(MEMORY_LIMIT_BYTES) };
    // Where the system refuses the limit (it is lower already), the lower one holds.
    setrlimit(Resource::As, limit).unwrap_or_default();
}

#[cfg(not(unix))]
fn limit_memory() {}

/// A worker that hangs must not outlive a parent that was killed and cannot end it any more.
#[cfg(target_os = "linux")]
fn end_with_parent() {
    use rustix::process::{Signal, set_parent_process_death_signal};
    // Without it a worker still ends when its input closes, unless it hangs at that moment.
    set_parent_process_death_signal(Some(Signal::KILL)).unwrap_or_default();
}

#[cfg(not(target_os = "linux"))]
fn end_with_parent() {}

/// One worker process, started when it is first needed and again after it had to be ended.
pub struct Worker {
    running: Option<Running>,
    time_limit: Duration,
}

struct Running {
    child: Child,
    input: ChildStdin,
    answers: Receiver<String>,
}

impl Drop for Running {
    fn drop(&mut self) {
        // An idle worker ends by itself when its input closes; one that hangs must be ended. Either way the process
        // is gone afterwards, and an error here only means that it was gone before.
        if self.child.kill().is_ok() {
            self.child.wait().map(drop).unwrap_or_default();
        }
    }
}

impl Worker {
    /// A worker that may take `time_limit` for a file.
    pub fn new(time_limit: Duration) -> Self {
        Worker { running: None, time_limit }
    }

    /// Parses `bytes` in the worker process.
    ///
    /// # Errors
    /// What [`parse`] says; or that the file took too long or made the worker crash.
    pub fn parse(&mut self, bytes: &[u8], format: Format, options: &LoadOptions) -> Result<Document> {
        let mut running = match self.running.take() {
            Some(running) => running,
            None => start()?,
        };
        let request = Request { format, options: options.clone(), length: bytes.len() };
        let header = serde_json::to_string(&request)
            .map_err(|error| Error::failed(format!("cannot make a request for the worker: {error}")))?;
        let sent = writeln!(running.input, "{header}")
            .and_then(|()| running.input.write_all(bytes))
            .and_then(|()| running.input.flush());
        if sent.is_err() {
            return Err(crashed());
        }
        let answer = match running.answers.recv_timeout(self.time_limit) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout) => {
                return Err(Error::failed(format!("gave no text within {} s", self.time_limit.as_secs()))
                    .hint("give it longer with --file-timeout SECONDS, or leave it out with --exclude"));
            }
            Err(RecvTimeoutError::Disconnected) => return Err(crashed()),
        };
        self.running = Some(running);
        match serde_json::from_str(&answer) {
            Ok(Answer::Parsed(document)) => Ok(*document),
            Ok(Answer::Refused { message, hint }) => {
                let error = Error::failed(message);
                Err(match hint {
                    Some(hint) => error.hint(hint),
                    None => error,
                })
            }
            Err(error) => Err(Error::failed(format!("the worker's answer cannot be read: {error}"))),
        }
    }
}

fn crashed() -> Error {
    Error::failed("the parser crashed or ran out of memory on this file")
        .hint("the file is damaged or hostile; leave it out with --exclude")
}

fn start() -> Result<Running> {
    let program = std::env::current_exe()
        .map_err(|error| Error::failed(format!("cannot find the program's own file to start a worker: {error}")))?;
    let mut child = Command::new(&program)
        .arg(SUBCOMMAND)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| Error::io("start a worker from", &program, &error))?;
    let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(Error::failed("a worker was started without its pipes"));
    };
    let (sender, answers) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(std::result::Result::ok) {
            if let Some(answer) = line.strip_prefix(MARKER)
                && sender.send(answer.to_owned()).is_err()
            {
                break;
            }
        }
    });
    Ok(Running { child, input, answers })
}
