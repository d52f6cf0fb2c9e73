//! Parsing in worker processes of the same binary.
//!
//! A hostile file can hang or crash the library that reads it, or fill the memory. In a worker it harms only itself: the
//! worker ends, that file is reported as failed, and the next file gets a new worker. A worker serves one file after the
//! other over its standard input and output. A request is one JSON line and the file's bytes. The answer is one JSON line,
//! after a line for each page that the worker begins, so that a stuck page differs from a long file. Lines without
//! the marker are noise from libraries and are skipped.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::document::{Document, Format, LoadOptions};
use super::parse::parse_with;
use crate::error::{Error, Result, Setting};

/// The hidden subcommand that turns a process into a worker.
pub const SUBCOMMAND: &str = "parse-worker";

/// The beginning of an answer.
const MARKER: &str = "\u{1}kb\u{1}";

/// Copies of a file's bytes that may be in memory: as read, as the engines keep them, unpacked.
const COPIES: u64 = 4;
/// Pages that may take too long before the file is given up.
const MOST_SKIPPED: usize = 3;

/// How long a worker may take, and how much memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// For a file.
    pub file: Duration,
    /// For a page, in formats with pages. A page that takes longer is left out.
    pub page: Duration,
    /// In bytes, in addition to a small multiple of the file's size.
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
    /// The worker begins this page; 0 after the last.
    Page(u32),
    Parsed(Box<Document>),
    Refused(String, Option<String>),
}

/// Serves requests from standard input until it ends. Called in a worker process only.
///
/// # Errors
/// If the pipe to the parent process breaks.
pub fn serve() -> Result<()> {
    end_with_parent();
    // Panics are reported as errors; their backtraces would only confuse the user of the parent.
    std::panic::set_hook(Box::new(|_| {}));
    let mut input = BufReader::new(std::io::stdin().lock());
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        let request: Request = serde_json::from_str(&line)
            .map_err(|error| Error::failed(format!("the worker got something else than a request: {error}")))?;
        let mut bytes = vec![0; request.length];
        input.read_exact(&mut bytes)?;
        limit_memory(Some(request.memory.saturating_add(bytes.len() as u64 * COPIES)));
        // A parent that is gone needs no page numbers.
        let on_page = |page| drop(send(&Answer::Page(page)));
        let parsed = std::panic::catch_unwind(|| parse_with(&bytes, request.format, &request.options, &on_page));
        let answer = match parsed {
            Ok(Ok(document)) => Answer::Parsed(Box::new(document)),
            Ok(Err(error)) => Answer::Refused(error.message().to_owned(), error.next_step().map(str::to_owned)),
            Err(_) => Answer::Refused("the parser crashed on this file".to_owned(), None),
        };
        limit_memory(None);
        send(&answer)?;
        line.clear();
    }
    Ok(())
}

fn send(answer: &Answer) -> Result<()> {
    let answer = json(answer)?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "\n{MARKER}{answer}")?;
    out.flush()?;
    Ok(())
}

fn json(message: &impl Serialize) -> Result<String> {
    serde_json::to_string(message)
        .map_err(|error| Error::failed(format!("cannot write a message between worker and parent: {error}")))
}

/// Limits the memory of the process, in bytes; `None` lifts the limit for work that is not the file's. The limit is on
/// data, not on address space, because the program maps far more than it touches.
#[cfg(unix)]
fn limit_memory(bytes: Option<u64>) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let maximum = getrlimit(Resource::Data).maximum;
    let current = bytes.into_iter().chain(maximum).min();
    // A system that refuses has a limit of its own.
    setrlimit(Resource::Data, Rlimit { current, maximum }).unwrap_or_default();
}

#[cfg(not(unix))]
fn limit_memory(_bytes: Option<u64>) {}

/// A worker that hangs must not outlive a parent that was killed.
#[cfg(target_os = "linux")]
fn end_with_parent() {
    use rustix::process::{Signal, set_parent_process_death_signal};
    // Without it a worker still ends when its input closes, unless it hangs at that moment.
    set_parent_process_death_signal(Some(Signal::KILL)).unwrap_or_default();
}

#[cfg(not(target_os = "linux"))]
fn end_with_parent() {}

/// A worker process, started when it is first needed and again after it had to be ended.
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
        // An error only means that the process was gone before.
        if self.child.kill().is_ok() {
            self.child.wait().map(drop).unwrap_or_default();
        }
    }
}

impl Worker {
    pub fn new(limits: Limits) -> Self {
        Worker { running: None, limits }
    }

    /// Parses `bytes` in the worker process. A page that takes too long is left out, with a warning.
    ///
    /// # Errors
    /// Those of [`parse_with`], and if the file takes too long or makes the worker crash.
    pub fn parse(&mut self, bytes: &[u8], format: Format, options: &LoadOptions) -> Result<Document> {
        let deadline = Instant::now() + self.limits.file;
        let mut options = options.clone();
        loop {
            match self.ask(bytes, format, &options, deadline)? {
                Ok(document) => return Ok(*document),
                Err(page) if options.skip_pages.len() < MOST_SKIPPED => options.skip_pages.push(page),
                Err(_) => {
                    let seconds = self.limits.page.as_secs();
                    return Err(Error::failed(format!(
                        "more than {MOST_SKIPPED} pages took more than {seconds} s each"
                    ))
                    .hint(format!(
                        "raise {}, or skip the file with {}",
                        Setting("page_timeout"),
                        Setting("exclude")
                    )));
                }
            }
        }
    }

    /// The document, or the page on which the worker got stuck and was ended.
    fn ask(
        &mut self,
        bytes: &[u8],
        format: Format,
        options: &LoadOptions,
        deadline: Instant,
    ) -> Result<std::result::Result<Box<Document>, u32>> {
        let mut running = self.running.take().map_or_else(start, Ok)?;
        let request = Request { format, options: options.clone(), length: bytes.len(), memory: self.limits.memory };
        let sent = writeln!(running.input, "{}", json(&request)?)
            .and_then(|()| running.input.write_all(bytes))
            .and_then(|()| running.input.flush());
        sent.map_err(|_| crashed())?;
        let mut page: Option<u32> = None;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            // Only while a page is being read: opening and assembling the file may use the file's whole time.
            let wait = if page.is_some() { left.min(self.limits.page) } else { left };
            let answer = match (running.answers.recv_timeout(wait), page) {
                (Ok(answer), _) => answer,
                (Err(RecvTimeoutError::Timeout), Some(page)) if wait < left => return Ok(Err(page)),
                (Err(RecvTimeoutError::Timeout), _) => return Err(too_slow(self.limits.file)),
                (Err(RecvTimeoutError::Disconnected), _) => return Err(crashed()),
            };
            let answer: Answer = serde_json::from_str(&answer)
                .map_err(|error| Error::failed(format!("cannot read the worker's answer: {error}")))?;
            let parsed = match answer {
                Answer::Page(number) => {
                    page = (number > 0).then_some(number);
                    continue;
                }
                Answer::Parsed(document) => Ok(Ok(document)),
                Answer::Refused(message, Some(hint)) => Err(Error::failed(message).hint(hint)),
                Answer::Refused(message, None) => Err(Error::failed(message)),
            };
            self.running = Some(running);
            return parsed;
        }
    }
}

fn too_slow(limit: Duration) -> Error {
    Error::failed(format!("gave no text within {} s", limit.as_secs())).hint(format!(
        "raise {}, or skip the file with {}",
        Setting("file_timeout"),
        Setting("exclude")
    ))
}

fn crashed() -> Error {
    Error::failed("the parser crashed or ran out of memory on this file").hint(format!(
        "the file is damaged or hostile: skip it with {}, or raise {}",
        Setting("exclude"),
        Setting("worker_memory")
    ))
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
    let input = child.stdin.take().expect("it was spawned with a pipe");
    let output = child.stdout.take().expect("it was spawned with a pipe");
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
