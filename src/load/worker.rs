//! Parsing in worker processes of the same binary.
//!
//! A PDF can hang, crash or balloon the library that reads it. In a worker it costs itself: the pool ends a worker
//! that takes too long or dies, reports that file as failed, and starts another. Workers serve one file after the
//! other over their standard input and output; the protocol is one JSON line and the file's bytes in, one JSON line
//! out, and before it one for each page, so that a page that hangs can be told from a long file. Lines without the marker are noise that some library printed, and are skipped.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::{Document, Format, LoadOptions, parse_with};
use crate::error::{Error, Result};

/// The hidden subcommand that turns a process into a worker.
pub const SUBCOMMAND: &str = "parse-worker";

/// What a worker's answer starts with.
const MARKER: &str = "\u{1}kb\u{1}";

/// How often a file's bytes may be in memory besides: as they came, as the engines keep them, unpacked.
const COPIES: u64 = 4;
/// A file may have so many pages that take too long before it is given up.
const MOST_SKIPPED: usize = 3;

/// How long a worker may take, and how much memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// For a file.
    pub file: Duration,
    /// For a page of it, where the format has pages. A page that takes longer is left out.
    pub page: Duration,
    /// In bytes, besides a small multiple of the file's own size.
    pub memory: u64,
}

#[derive(Serialize, Deserialize)]
struct Request {
    format: Format,
    options: LoadOptions,
    length: usize,
    memory: u64,
}

#[derive(Serialize, Deserialize)]
enum Answer {
    /// The worker begins to read this page.
    Page(u32),
    Parsed(Box<Document>),
    Refused {
        message: String,
        hint: Option<String>,
    },
}

/// Serves requests from standard input until it ends. Called in a worker process only.
///
/// # Errors
/// Where the pipe to the parent process breaks.
pub fn serve() -> Result<()> {
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
        limit_memory(Some(request.memory.saturating_add(bytes.len() as u64 * COPIES)));
        let tell = |page| drop(send(&Answer::Page(page)));
        let parsed = std::panic::catch_unwind(|| parse_with(&bytes, request.format, &request.options, &tell));
        let answer = match parsed {
            Ok(Ok(document)) => Answer::Parsed(Box::new(document)),
            Ok(Err(error)) => {
                Answer::Refused { message: error.message().to_owned(), hint: error.next_step().map(str::to_owned) }
            }
            Err(_) => Answer::Refused { message: "the parser crashed on this file".to_owned(), hint: None },
        };
        limit_memory(None);
        send(&answer)?;
        line.clear();
    }
    Ok(())
}

fn send(answer: &Answer) -> Result<()> {
    let answer = serde_json::to_string(answer)
        .map_err(|error| Error::failed(format!("the worker's answer cannot be written: {error}")))?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "\n{MARKER}{answer}")?;
    out.flush()?;
    Ok(())
}

/// Limits what the process may allocate, in bytes; `None` lifts the limit for what is not the file's doing. The limit
/// is on data, not on address space: the program maps far more than it touches.
#[cfg(unix)]
fn limit_memory(bytes: Option<u64>) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let maximum = getrlimit(Resource::Data).maximum;
    let current = match (bytes, maximum) {
        (Some(bytes), Some(maximum)) => Some(bytes.min(maximum)),
        (Some(bytes), None) => Some(bytes),
        (None, maximum) => maximum,
    };
    // Where the system refuses, it has a limit of its own.
    setrlimit(Resource::Data, Rlimit { current, maximum }).unwrap_or_default();
}

#[cfg(not(unix))]
fn limit_memory(_bytes: Option<u64>) {}

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
    limits: Limits,
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
    /// A worker that may take as long and as much as `limits` say.
    pub fn new(limits: Limits) -> Self {
        Worker { running: None, limits }
    }

    /// Parses `bytes` in the worker process. A page that takes too long is left out, with a warning.
    ///
    /// # Errors
    /// What [`parse_with`] says; or that the file took too long or made the worker crash.
    pub fn parse(&mut self, bytes: &[u8], format: Format, options: &LoadOptions) -> Result<Document> {
        let deadline = Instant::now() + self.limits.file;
        let mut options = options.clone();
        loop {
            match self.ask(bytes, format, &options, deadline)? {
                Outcome::Parsed(document) => return Ok(*document),
                Outcome::Stuck(page) if options.skip_pages.len() < MOST_SKIPPED => options.skip_pages.push(page),
                Outcome::Stuck(_) => {
                    let seconds = self.limits.page.as_secs();
                    return Err(Error::failed(format!(
                        "more than {MOST_SKIPPED} pages took more than {seconds} s each"
                    ))
                    .hint("give them longer with --page-timeout SECONDS, or leave the file out with --exclude"));
                }
            }
        }
    }

    fn ask(&mut self, bytes: &[u8], format: Format, options: &LoadOptions, deadline: Instant) -> Result<Outcome> {
        let mut running = match self.running.take() {
            Some(running) => running,
            None => start()?,
        };
        let request = Request { format, options: options.clone(), length: bytes.len(), memory: self.limits.memory };
        let header = serde_json::to_string(&request)
            .map_err(|error| Error::failed(format!("cannot make a request for the worker: {error}")))?;
        let sent = writeln!(running.input, "{header}")
            .and_then(|()| running.input.write_all(bytes))
            .and_then(|()| running.input.flush());
        if sent.is_err() {
            return Err(crashed());
        }
        let mut page: Option<u32> = None;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            // Only while a page is being read: opening the file and putting it together have the file's time.
            let patience = if page.is_some() { left.min(self.limits.page) } else { left };
            let answer = match running.answers.recv_timeout(patience) {
                Ok(answer) => answer,
                Err(RecvTimeoutError::Timeout) => match page {
                    Some(page) if patience < left => return Ok(Outcome::Stuck(page)),
                    _ => return Err(too_slow(self.limits.file)),
                },
                Err(RecvTimeoutError::Disconnected) => return Err(crashed()),
            };
            match serde_json::from_str(&answer) {
                // 0 stands for all pages having been read.
                Ok(Answer::Page(number)) => page = (number > 0).then_some(number),
                Ok(Answer::Parsed(document)) => {
                    self.running = Some(running);
                    return Ok(Outcome::Parsed(document));
                }
                Ok(Answer::Refused { message, hint }) => {
                    self.running = Some(running);
                    let error = Error::failed(message);
                    return Err(match hint {
                        Some(hint) => error.hint(hint),
                        None => error,
                    });
                }
                Err(error) => return Err(Error::failed(format!("the worker's answer cannot be read: {error}"))),
            }
        }
    }
}

/// How a question to a worker ended, if not in an error.
enum Outcome {
    Parsed(Box<Document>),
    /// It got stuck on this page and was ended.
    Stuck(u32),
}

fn too_slow(limit: Duration) -> Error {
    Error::failed(format!("gave no text within {} s", limit.as_secs()))
        .hint("give it longer with --file-timeout SECONDS, or leave it out with --exclude")
}

fn crashed() -> Error {
    Error::failed("the parser crashed or ran out of memory on this file")
        .hint("the file is damaged or hostile: leave it out with --exclude; or give it more with --worker-memory MB")
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
