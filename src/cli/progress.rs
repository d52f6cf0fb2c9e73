//! How an ingest is going: a bar on a terminal, plain lines elsewhere, on standard error.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::Context;
use crate::ingest::Progress;

/// Between two plain lines.
const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// The display that fits where standard error leads.
pub(super) fn progress_display(context: &Context) -> Arc<dyn Progress> {
    if !context.shows_progress() {
        Arc::new(Silent { quiet: context.global.quiet })
    } else if std::io::stderr().is_terminal() {
        Arc::new(Bar::new())
    } else {
        Arc::new(Lines::new())
    }
}

/// Nothing but failures, and with `--quiet` not even those: the report names them.
struct Silent {
    quiet: bool,
}

impl Progress for Silent {
    fn begin(&self, _files: usize, _bytes: u64) {}
    fn file_read(&self, _source: &str) {}
    fn embedded(&self, _chunks: usize, _bytes: u64) {}
    fn placed(&self, _passages: usize) {}
    fn failed(&self, source: &str, reason: &str) {
        if !self.quiet {
            say(&format!("failed: {source}: {reason}"));
        }
    }
    fn end(&self) {}
}

/// A bar with rate and time left. Its length is the bytes of all files, which is the best guess at the work there is
/// before they are read.
struct Bar {
    bar: ProgressBar,
    files: AtomicUsize,
    total: AtomicUsize,
    chunks: AtomicUsize,
    placed: AtomicUsize,
    started: Instant,
}

impl Bar {
    fn new() -> Self {
        let bar = ProgressBar::no_length();
        let style =
            ProgressStyle::with_template("{bar:30.cyan/dim} {percent:>3} %  {msg}  {elapsed} elapsed, {eta} left");
        if let Ok(style) = style {
            bar.set_style(style.progress_chars("━╸─"));
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Bar {
            bar,
            files: AtomicUsize::new(0),
            total: AtomicUsize::new(0),
            chunks: AtomicUsize::new(0),
            placed: AtomicUsize::new(0),
            started: Instant::now(),
        }
    }

    fn update(&self) {
        let (files, total) = (self.files.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed));
        let chunks = self.chunks.load(Ordering::Relaxed);
        let rate = chunks as f64 / self.started.elapsed().as_secs_f64().max(0.001);
        let asked = asked_about(self.placed.load(Ordering::Relaxed));
        self.bar.set_message(format!("{files}/{total} files, {asked}{chunks} passages ({rate:.0}/s)"));
    }
}

impl Progress for Bar {
    fn begin(&self, files: usize, bytes: u64) {
        self.total.store(files, Ordering::Relaxed);
        self.bar.set_length(bytes.max(1));
        self.update();
    }

    fn file_read(&self, _source: &str) {
        self.files.fetch_add(1, Ordering::Relaxed);
        self.update();
    }

    fn embedded(&self, chunks: usize, bytes: u64) {
        self.chunks.fetch_add(chunks, Ordering::Relaxed);
        self.bar.inc(bytes);
        self.update();
    }

    fn placed(&self, passages: usize) {
        self.placed.fetch_add(passages, Ordering::Relaxed);
        self.update();
    }

    fn failed(&self, source: &str, reason: &str) {
        self.bar.suspend(|| say(&format!("failed: {source}: {reason}")));
    }

    fn end(&self) {
        self.bar.finish_and_clear();
    }
}

/// A line now and then, for logs.
struct Lines {
    files: AtomicUsize,
    total: AtomicUsize,
    chunks: AtomicUsize,
    placed: AtomicUsize,
    started: Instant,
    last: Mutex<Instant>,
}

impl Lines {
    fn new() -> Self {
        let now = Instant::now();
        Lines {
            files: AtomicUsize::new(0),
            total: AtomicUsize::new(0),
            chunks: AtomicUsize::new(0),
            placed: AtomicUsize::new(0),
            started: now,
            last: Mutex::new(now),
        }
    }

    fn line_now_and_then(&self) {
        let Ok(mut last) = self.last.lock() else { return };
        if last.elapsed() < LINE_INTERVAL {
            return;
        }
        *last = Instant::now();
        let (files, total) = (self.files.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed));
        let chunks = self.chunks.load(Ordering::Relaxed);
        let seconds = self.started.elapsed().as_secs_f64();
        let rate = chunks as f64 / seconds.max(0.001);
        let asked = asked_about(self.placed.load(Ordering::Relaxed));
        say(&format!("{files}/{total} files read, {asked}{chunks} passages embedded ({rate:.0}/s), {seconds:.0} s"));
    }
}

impl Progress for Lines {
    fn begin(&self, files: usize, _bytes: u64) {
        self.total.store(files, Ordering::Relaxed);
    }

    fn file_read(&self, _source: &str) {
        self.files.fetch_add(1, Ordering::Relaxed);
        self.line_now_and_then();
    }

    fn embedded(&self, chunks: usize, _bytes: u64) {
        self.chunks.fetch_add(chunks, Ordering::Relaxed);
        self.line_now_and_then();
    }

    fn placed(&self, passages: usize) {
        self.placed.fetch_add(passages, Ordering::Relaxed);
        self.line_now_and_then();
    }

    fn failed(&self, source: &str, reason: &str) {
        say(&format!("failed: {source}: {reason}"));
    }

    fn end(&self) {}
}

/// How far a language model is, for whoever asks one.
fn asked_about(passages: usize) -> String {
    if passages == 0 { String::new() } else { format!("model asked about {passages}, ") }
}

/// A line on standard error; where it cannot be written, the work goes on.
fn say(text: &str) {
    writeln!(anstream::stderr(), "{text}").unwrap_or_default();
}
