//! Reads sources in worker processes of the same binary.
//!
//! A hostile file can hang or crash its parser, or fill the memory. In a worker it harms only itself: the worker ends,
//! that file is reported as failed, and the next file gets a new worker. So all work on the content of a file happens
//! there: parsing, sections, chunks, the profile. A worker serves one file after the other over its standard input and
//! output, in the protocol of [`message`] and within the limits of [`confine`].

mod confine;
mod message;
mod serve;

use std::io::{BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::cut_document::CutDocument;
use super::source::skip;
use crate::chunk::ChunkConfig;
use crate::error::{Error, Result, Setting};
use crate::load::{Document, Format, LoadOptions, OutlineEntry};
use message::{Answer, Content, Received, Request, json, receive};

pub use serve::{require_served, serve_worker};

/// The first argument of a worker process.
const WORKER: &str = "parse-worker";

/// Copies of a file's bytes that may be in memory at once: as read, in the parser, unpacked.
const COPIES: u64 = 4;
/// In bytes, in addition to [`COPIES`] times the file's size.
const LONGEST_ANSWER: u64 = 256 << 20;
/// Answers in the queue. The bound stops a worker that writes page numbers without end.
const MOST_WAITING: usize = 16;
/// Slow pages that are left out before the file fails.
const MOST_SKIPPED: usize = 3;
/// How long to wait for a worker that has answered to read the rest of its request.
const WAIT_FOR_READING: Duration = Duration::from_secs(1);

/// How sources are read and texts embedded.
#[derive(Debug, Clone)]
pub struct Reading {
    pub load: LoadOptions,
    /// A file that takes longer to parse fails, a page that does is left out.
    pub limits: Limits,
    /// Threads that load, and that embed.
    pub jobs: usize,
}

/// Limits on the time and the memory of a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// For a file.
    pub file: Duration,
    /// For a page, in formats with pages. A page that takes longer is left out.
    pub page: Duration,
    /// In bytes, in addition to a small multiple of the file's size.
    pub memory: u64,
}

#[derive(Debug, Clone, Copy)]
pub struct CutOptions<'a> {
    pub source: &'a str,
    pub chunking: ChunkConfig,
    /// A person's table of contents, which overrides the one that kb finds.
    pub corrected: Option<&'a [OutlineEntry]>,
}

/// A worker process. It starts when it is first needed, and again after it was ended.
pub struct Worker {
    running: Option<Running>,
    load: LoadOptions,
    limits: Limits,
}

struct Running {
    /// `None` after it was ended.
    child: Option<Child>,
    input: ChildStdin,
    answers: Receiver<Received>,
    /// The longest answer, in bytes.
    most: Arc<AtomicU64>,
    /// The worker's folder for temporary files. A killed worker cannot remove its own.
    _temporary: TempDir,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.child.take().into_iter().for_each(confine::end);
    }
}

enum Outcome {
    /// The document, or why the worker refuses the file.
    Answered(Result<Box<CutDocument>>),
    /// The page on which the worker got stuck.
    Stuck(u32),
    /// Why the worker had to be ended.
    Ended(Error),
}

impl Worker {
    pub fn new(reading: &Reading) -> Self {
        Worker { running: None, load: reading.load.clone(), limits: reading.limits }
    }

    /// Reads and cuts the bytes of a file in the worker process. Without a format the first bytes decide. A page that
    /// takes too long is left out, with a warning.
    pub fn cut_file(&mut self, bytes: &[u8], format: Option<Format>, how: CutOptions<'_>) -> Result<CutDocument> {
        let deadline = Instant::now() + self.limits.file;
        let mut options = self.load.clone();
        loop {
            match self.ask(bytes, Content::File(format, options.clone()), how, deadline)? {
                Ok(document) => return Ok(*document),
                Err(page) if options.skip_pages.len() < MOST_SKIPPED => options.skip_pages.push(page),
                Err(_) => {
                    let seconds = self.limits.page.as_secs();
                    let what = format!("more than {MOST_SKIPPED} pages took more than {seconds} s each");
                    return Err(Error::failed(what).hint(raise_or_skip("page_timeout")));
                }
            }
        }
    }

    /// Cuts a document that was read back from the store in the worker process.
    pub fn cut_stored(&mut self, document: &Document, how: CutOptions<'_>) -> Result<CutDocument> {
        let cut = self.ask(&json(document)?, Content::Stored, how, Instant::now() + self.limits.file)?;
        cut.map(|document| *document).map_err(|_| crashed())
    }

    /// The document, or the page on which the worker got stuck and was ended.
    fn ask(
        &mut self,
        bytes: &[u8],
        content: Content,
        how: CutOptions<'_>,
        deadline: Instant,
    ) -> Result<Result<Box<CutDocument>, u32>> {
        let mut running = self.running.take().map_or_else(start, Ok)?;
        let request = json(&Request {
            source: how.source.to_owned(),
            content,
            chunking: how.chunking,
            corrected: how.corrected.map(<[OutlineEntry]>::to_vec),
            length: bytes.len(),
            memory: self.limits.memory,
        })?;
        let most = LONGEST_ANSWER.saturating_add((bytes.len() as u64).saturating_mul(COPIES));
        running.most.store(most, Ordering::Relaxed);
        let Running { child, input, answers, .. } = &mut running;
        // Another thread writes, because a worker that does not read would block this one for ever.
        let (outcome, sent) = std::thread::scope(|scope| {
            let sent = scope.spawn(|| {
                input.write_all(&request)?;
                input.write_all(b"\n")?;
                input.write_all(bytes)?;
                input.flush()
            });
            let outcome = wait(answers, deadline, self.limits);
            let answered = Instant::now();
            let whole = matches!(outcome, Outcome::Answered(_));
            while whole && !sent.is_finished() && answered.elapsed() < WAIT_FOR_READING {
                std::thread::sleep(Duration::from_millis(1));
            }
            if !whole || !sent.is_finished() {
                child.take().into_iter().for_each(confine::end);
            }
            (outcome, sent.join())
        });
        // A worker that answers before it has read everything, or with wrong indices, is not trusted.
        let is_wrong = matches!(&outcome, Outcome::Answered(Ok(document)) if !document.has_valid_indices());
        let is_trusted = matches!(sent, Ok(Ok(()))) && !is_wrong;
        match outcome {
            Outcome::Answered(_) if !is_trusted => Err(crashed()),
            Outcome::Answered(answer) => {
                self.running = Some(running);
                answer.map(Ok)
            }
            Outcome::Ended(error) => Err(error),
            Outcome::Stuck(page) => Ok(Err(page)),
        }
    }
}

/// Waits for the answer to a request.
fn wait(answers: &Receiver<Received>, deadline: Instant, limits: Limits) -> Outcome {
    let too_slow = || {
        let message = format!("gave no text within {} s", limits.file.as_secs());
        Outcome::Ended(Error::failed(message).hint(raise_or_skip("file_timeout")))
    };
    let mut page: Option<u32> = None;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return too_slow();
        }
        // Only while a page is being read: opening and assembling the file may use the file's whole time.
        let wait = if page.is_some() { left.min(limits.page) } else { left };
        let answer = match (answers.recv_timeout(wait), page) {
            (Ok(Received::Answer(answer)), _) => answer,
            (Ok(Received::TooLong), _) => return Outcome::Ended(too_much_text()),
            (Ok(Received::Unreadable(why)), _) => {
                return Outcome::Ended(Error::failed(format!("cannot read the worker's answer: {why}")));
            }
            (Err(RecvTimeoutError::Timeout), Some(page)) if wait < left => return Outcome::Stuck(page),
            (Err(RecvTimeoutError::Timeout), _) => return too_slow(),
            (Ok(Received::End) | Err(RecvTimeoutError::Disconnected), _) => return Outcome::Ended(crashed()),
        };
        match answer {
            Answer::Page(number) => page = (number > 0).then_some(number),
            Answer::Cut(document) => return Outcome::Answered(Ok(document)),
            Answer::Refused(message, Some(hint)) => return Outcome::Answered(Err(Error::failed(message).hint(hint))),
            Answer::Refused(message, None) => return Outcome::Answered(Err(Error::failed(message))),
        }
    }
}

fn raise_or_skip(limit: &'static str) -> String {
    format!("raise {}, or skip the file with {}", Setting(limit), Setting("exclude"))
}

fn crashed() -> Error {
    let hint = format!("the file is damaged or hostile: {}, or raise {}", skip(), Setting("worker_memory"));
    Error::failed("the parser crashed or ran out of memory on this file").hint(hint)
}

fn too_much_text() -> Error {
    Error::failed("has more text and sections than kb accepts from one file").hint(format!("split it, or {}", skip()))
}

fn start() -> Result<Running> {
    let program = std::env::current_exe()
        .map_err(|error| Error::failed(format!("cannot find the program's own file to start a worker: {error}")))?;
    let mut command = Command::new(&program);
    command.arg(WORKER).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let temporary = tempfile::Builder::new().prefix("kb-worker-").tempdir();
    let temporary = temporary.map_err(|error| Error::temporary("a folder for a worker", error))?;
    confine::prepare(&mut command, temporary.path());
    let mut child = command.spawn().map_err(|error| Error::io("start a worker from", &program, &error))?;
    let input = child.stdin.take().expect("it was spawned with a pipe");
    let output = child.stdout.take().expect("it was spawned with a pipe");
    let (sender, answers) = sync_channel(MOST_WAITING);
    let most = Arc::new(AtomicU64::new(LONGEST_ANSWER));
    let longest = most.clone();
    std::thread::spawn(move || {
        let mut output = BufReader::new(output);
        loop {
            let received = receive(&mut output, &longest).unwrap_or(Received::End);
            let goes_on = matches!(received, Received::Answer(_));
            // The parent does not listen any more, or no answer follows.
            if sender.send(received).is_err() || !goes_on {
                break;
            }
        }
    });
    Ok(Running { child: Some(child), input, answers, most, _temporary: temporary })
}
