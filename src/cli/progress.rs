//! How an ingest is going: a bar on a terminal, plain lines elsewhere, on standard error.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::Context;
use crate::ingest::Progress;
use crate::text::count;

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

/// How far a run is.
struct Counts {
    files: AtomicUsize,
    total: AtomicUsize,
    texts: AtomicUsize,
    placed: AtomicUsize,
    started: Instant,
}

impl Counts {
    fn new() -> Self {
        let [files, total, texts, placed] = [const { AtomicUsize::new(0) }; 4];
        Counts { files, total, texts, placed, started: Instant::now() }
    }

    fn in_words(&self) -> String {
        let [files, total, texts, placed] =
            [&self.files, &self.total, &self.texts, &self.placed].map(|count| count.load(Ordering::Relaxed));
        let rate = texts as f64 / self.started.elapsed().as_secs_f64().max(0.001);
        let read = if total > 0 { format!("{files}/{total} files read, ") } else { String::new() };
        let asked =
            if placed > 0 { format!("model asked about {}, ", count(placed, "passage")) } else { String::new() };
        // Where no files are read, texts may be embedded that are no part of any.
        let what = if total > 0 { "piece" } else { "text" };
        format!("{read}{asked}{} embedded ({rate:.0}/s)", count(texts, what))
    }
}

/// A bar with rate and time left. Its length is the bytes of all files, which is the best guess at the work there is
/// before they are read.
struct Bar {
    bar: ProgressBar,
    counts: Counts,
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
        Bar { bar, counts: Counts::new() }
    }

    fn update(&self) {
        self.bar.set_message(self.counts.in_words());
    }
}

impl Progress for Bar {
    fn begin(&self, files: usize, bytes: u64) {
        self.counts.total.store(files, Ordering::Relaxed);
        self.bar.set_length(bytes.max(1));
        self.update();
    }

    fn file_read(&self, _source: &str) {
        self.counts.files.fetch_add(1, Ordering::Relaxed);
        self.update();
    }

    fn embedded(&self, chunks: usize, bytes: u64) {
        self.counts.texts.fetch_add(chunks, Ordering::Relaxed);
        self.bar.inc(bytes);
        self.update();
    }

    fn placed(&self, passages: usize) {
        self.counts.placed.fetch_add(passages, Ordering::Relaxed);
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
    counts: Counts,
    last: Mutex<Instant>,
}

impl Lines {
    fn new() -> Self {
        Lines { counts: Counts::new(), last: Mutex::new(Instant::now()) }
    }

    fn line_now_and_then(&self) {
        let Ok(mut last) = self.last.lock() else { return };
        if last.elapsed() < LINE_INTERVAL {
            return;
        }
        *last = Instant::now();
        say(&format!("{}, {:.0} s", self.counts.in_words(), self.counts.started.elapsed().as_secs_f64()));
    }
}

impl Progress for Lines {
    fn begin(&self, files: usize, _bytes: u64) {
        self.counts.total.store(files, Ordering::Relaxed);
    }

    fn file_read(&self, _source: &str) {
        self.counts.files.fetch_add(1, Ordering::Relaxed);
        self.line_now_and_then();
    }

    fn embedded(&self, chunks: usize, _bytes: u64) {
        self.counts.texts.fetch_add(chunks, Ordering::Relaxed);
        self.line_now_and_then();
    }

    fn placed(&self, passages: usize) {
        self.counts.placed.fetch_add(passages, Ordering::Relaxed);
        self.line_now_and_then();
    }

    fn failed(&self, source: &str, reason: &str) {
        say(&format!("failed: {source}: {reason}"));
    }

    fn end(&self) {}
}

/// A line on standard error; where it cannot be written, the work goes on.
fn say(text: &str) {
    writeln!(anstream::stderr(), "{text}").unwrap_or_default();
}
