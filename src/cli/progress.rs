//! The progress of an ingest or a download on standard error: a bar on a terminal, plain lines elsewhere; or as steps
//! for a client that shows it.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError, Weak};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use tokio::sync::mpsc::UnboundedSender;

use super::invocation::{Context, ProgressStep};
use super::output::{write_above, write_line};
use crate::ingest::Progress;
use crate::models::DownloadProgress;
use crate::text::{count, printable, size};

/// The time between two plain lines.
const LINE_INTERVAL: Duration = Duration::from_secs(10);
/// The time between two steps.
const STEP_INTERVAL: Duration = Duration::from_secs(1);
/// The bar of an ingest counts the bytes of all files: the best estimate of the work before they are read. Lines that
/// wrap would leave pieces behind, so the message is last and cut off, and the rest fits 60 columns.
const INGEST: &str = "{bar:12.cyan/dim} {percent:>3} %  {eta} left  {wide_msg}";
const DOWNLOAD: &str = "{percent:>3} %  {bytes} of {total_bytes}  {bytes_per_sec}, {eta} left  {wide_msg}";
const DOWNLOAD_OF_UNKNOWN_SIZE: &str = "{spinner} {bytes}  {bytes_per_sec}  {wide_msg}";

/// The exit code of a process that Ctrl-C ended: 128 and the number of the signal.
const INTERRUPTED: i32 = 130;
/// That of one that was asked to end.
#[cfg(unix)]
const TERMINATED: i32 = 143;

/// The receiver of progress steps, and the last one.
struct Steps {
    to: UnboundedSender<ProgressStep>,
    last: Mutex<Option<(Instant, usize)>>,
}

/// The display that suits standard error.
pub(super) fn progress_display(context: &Context) -> Arc<Display> {
    let quiet = context.global.quiet;
    let shown = !quiet && !context.global.no_progress;
    let on_terminal = std::io::stderr().is_terminal();
    let bar = if shown && on_terminal { ProgressBar::no_length() } else { ProgressBar::hidden() };
    let last_line = (shown && !on_terminal).then(|| Mutex::new(Instant::now()));
    // If both streams go to the terminal, the report names the failures.
    let shows_both = on_terminal && context.screen.is_terminal;
    let names_failures = !(quiet || shows_both);
    let steps = context.progress.clone().map(|to| Steps { to, last: Mutex::default() });
    Arc::new(Display { bar, last_line, steps, names_failures, counts: Counts::default() })
}

/// The display of the command that runs. A process that stays has none between two commands.
static RUNNING: Mutex<Weak<Display>> = Mutex::new(Weak::new());

/// Ends the process on Ctrl-C with the exit code of shells. What was published stays, and the next writer finishes or
/// drops what was being written.
pub(super) fn end_on_interrupt(display: &Arc<Display>) {
    // Once Ctrl-C was caught, the system never ends the process itself again, so one task listens until the end.
    static LISTENS: Once = Once::new();
    *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(display);
    LISTENS.call_once(|| {
        tokio::spawn(async {
            // If the signals cannot be caught, the system ends the process itself.
            let Ok(code) = request_to_end().await else { return };
            let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner).upgrade();
            if let Some(display) = running {
                display.clear();
                // A publication may have ended since the last count.
                let saved = match display.counts.published.load(Ordering::Relaxed) {
                    0 => String::new(),
                    published => format!(": at least {} of this run saved", count(published, "document")),
                };
                write_line(&format!("interrupted{saved}; run the same command again to continue"));
            }
            std::process::exit(code);
        });
    });
}

/// Waits for Ctrl-C, or for the signal by which `timeout`, cron and systemd end a process, and gives the exit code.
#[cfg(unix)]
async fn request_to_end() -> std::io::Result<i32> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    tokio::select! {
        _ = interrupt.recv() => Ok(INTERRUPTED),
        _ = terminate.recv() => Ok(TERMINATED),
    }
}

#[cfg(not(unix))]
async fn request_to_end() -> std::io::Result<i32> {
    tokio::signal::ctrl_c().await.map(|()| INTERRUPTED)
}

pub(super) struct Display {
    /// Hidden if there is no terminal.
    bar: ProgressBar,
    /// When the last plain line was written; `None` if none are written.
    last_line: Option<Mutex<Instant>>,
    /// `None` if the client asked for none.
    steps: Option<Steps>,
    /// Whether failures are named as they happen, besides the report.
    names_failures: bool,
    counts: Counts,
}

#[derive(Default)]
struct Counts {
    files: AtomicUsize,
    total: AtomicUsize,
    texts: AtomicUsize,
    contexts_requested: AtomicUsize,
    published: AtomicUsize,
    /// The sum of all work, which never decreases.
    done: AtomicUsize,
}

impl Display {
    fn draw(&self, template: &str, length: Option<u64>) {
        if !self.bar.is_hidden() {
            // Each change draws the bar, so the style comes first.
            let style = ProgressStyle::with_template(template).expect("the templates above are valid");
            self.bar.set_style(style.progress_chars("━╸─"));
            length.iter().for_each(|length| self.bar.set_length(*length));
            self.bar.enable_steady_tick(Duration::from_millis(200));
            write_above(Some(self.bar.clone()));
        }
    }

    fn clear(&self) {
        write_above(None);
        self.bar.finish_and_clear();
    }

    /// Shows a text beside the bar, or a line if the last one is older than [`LINE_INTERVAL`].
    fn update(&self, beside: String, line: impl FnOnce() -> String) {
        self.bar.set_message(beside);
        let Some(Ok(mut last)) = self.last_line.as_ref().map(Mutex::lock) else { return };
        if last.elapsed() >= LINE_INTERVAL {
            *last = Instant::now();
            write_line(&line());
        }
    }

    /// Sends a step if the last one is older than [`STEP_INTERVAL`].
    fn step(&self) {
        let Some(Steps { to, last }) = &self.steps else { return };
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        let done = self.counts.done.load(Ordering::Relaxed);
        if last.is_none_or(|(at, before)| done > before && at.elapsed() >= STEP_INTERVAL) {
            *last = Some((Instant::now(), done));
            // The client may have gone.
            drop(to.send(ProgressStep { done, message: self.counts() }));
        }
    }

    fn did(&self, work: usize) {
        self.counts.done.fetch_add(work, Ordering::Relaxed);
        self.step();
        self.update(self.counts(), || format!("{}, {:.0} s", self.counts(), self.bar.elapsed().as_secs_f64()));
    }

    fn counts(&self) -> String {
        let Counts { files, total, texts, contexts_requested, .. } = &self.counts;
        let [files, total, texts, contexts] =
            [files, total, texts, contexts_requested].map(|count| count.load(Ordering::Relaxed));
        let rate = texts as f64 / self.bar.elapsed().as_secs_f64().max(0.001);
        let read = if total > 0 { format!("{files}/{total} files read, ") } else { String::new() };
        let asked = match contexts {
            0 => String::new(),
            contexts => format!("model asked about {}, ", count(contexts, "parent chunk")),
        };
        // A run without files may embed texts that are not child chunks.
        let what = if total > 0 { "child chunk" } else { "text" };
        format!("{read}{asked}{} embedded ({rate:.0}/s)", count(texts, what))
    }

    /// Writes a line at once, unless a bar is shown.
    fn announce(&self, line: &str) {
        if self.last_line.is_some() {
            write_line(line);
        }
    }
}

impl Progress for Display {
    fn begin(&self, files: usize, bytes: u64) {
        self.counts.total.store(files, Ordering::Relaxed);
        self.counts.files.store(0, Ordering::Relaxed);
        self.step();
        self.draw(INGEST, Some(bytes.max(1)));
        self.bar.set_position(0);
        self.bar.set_message(self.counts());
    }

    fn file_read(&self) {
        self.counts.files.fetch_add(1, Ordering::Relaxed);
        self.did(1);
    }

    fn embedded(&self, chunks: usize, bytes: u64) {
        self.counts.texts.fetch_add(chunks, Ordering::Relaxed);
        self.bar.inc(bytes);
        self.did(chunks);
    }

    fn contexts_requested(&self, parent_chunks: usize) {
        self.counts.contexts_requested.fetch_add(parent_chunks, Ordering::Relaxed);
        self.did(parent_chunks);
    }

    fn published(&self, documents: usize) {
        self.counts.published.fetch_add(documents, Ordering::Relaxed);
    }

    fn failed(&self, source: &str, reason: &str) {
        if self.names_failures {
            write_line(&format!("failed: {}: {}", printable(source), printable(reason)));
        }
    }

    fn end(&self) {
        self.clear();
    }
}

impl DownloadProgress for Display {
    fn begin(&self, model: &str, bytes: Option<u64>) {
        self.draw(if bytes.is_some() { DOWNLOAD } else { DOWNLOAD_OF_UNKNOWN_SIZE }, bytes);
        let bytes = bytes.map(|bytes| format!(", {}", size(bytes))).unwrap_or_default();
        self.announce(&format!("downloading {model}{bytes}"));
    }

    fn at(&self, file: &str, bytes: u64) {
        // The first bytes are from an earlier run and say nothing about the speed.
        if self.bar.position() == 0 && bytes > 0 {
            self.bar.reset_eta();
        }
        self.bar.set_position(bytes);
        let all = self.bar.length().map(|all| format!(" of {}", size(all))).unwrap_or_default();
        self.update(file.to_owned(), || format!("{}{all} ({file})", size(bytes)));
    }

    fn trying(&self) {
        self.draw("{spinner} {wide_msg}", None);
        self.bar.set_message("trying the model");
        self.announce("trying the model");
    }

    fn end(&self) {
        self.clear();
    }
}
