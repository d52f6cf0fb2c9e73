//! How an ingest or a download is going: a bar on a terminal, plain lines elsewhere, on standard error.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::Context;
use crate::ingest::Progress;
use crate::models::DownloadProgress;
use crate::text::{count, size};

/// Between two plain lines.
const LINE_INTERVAL: Duration = Duration::from_secs(10);
/// The length of an ingest's bar is the bytes of all files: the best guess at the work before they are read.
const INGEST: &str = "{bar:30.cyan/dim} {percent:>3} %  {msg}  {elapsed} elapsed, {eta} left";
const DOWNLOAD: &str = "{bar:30.cyan/dim} {percent:>3} %  {bytes} of {total_bytes}  {bytes_per_sec}, {eta} left  {msg}";
const DOWNLOAD_OF_UNKNOWN_SIZE: &str = "{spinner} {bytes}  {bytes_per_sec}  {msg}";

/// The display for the place where standard error leads.
pub(super) fn progress_display(context: &Context) -> Arc<Display> {
    let style = if !context.shows_progress() {
        Style::Silent
    } else if std::io::stderr().is_terminal() {
        Style::Bar(ProgressBar::no_length())
    } else {
        Style::Lines(Mutex::new(Instant::now()))
    };
    let [files, total, texts, placed] = [const { AtomicUsize::new(0) }; 4];
    let (started, quiet) = (Instant::now(), context.global.quiet);
    Arc::new(Display { style, quiet, files, total, texts, placed, bytes: AtomicU64::new(0), started })
}

pub(super) struct Display {
    style: Style,
    /// With `--quiet` the report alone names failures.
    quiet: bool,
    files: AtomicUsize,
    total: AtomicUsize,
    texts: AtomicUsize,
    placed: AtomicUsize,
    /// Of the whole download; 0 where it is unknown.
    bytes: AtomicU64,
    started: Instant,
}

enum Style {
    Silent,
    Bar(ProgressBar),
    /// A line now and then, for logs: the time of the last one.
    Lines(Mutex<Instant>),
}

impl Display {
    fn draw(&self, template: &str, length: Option<u64>) {
        if let Style::Bar(bar) = &self.style {
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style.progress_chars("━╸─"));
            }
            length.iter().for_each(|length| bar.set_length(*length));
            bar.enable_steady_tick(Duration::from_millis(200));
        }
    }

    /// Shows how far it is: beside the bar, or as a line where the last one is old.
    fn update(&self, beside: impl FnOnce() -> String, line: impl FnOnce() -> String) {
        match &self.style {
            Style::Silent => {}
            Style::Bar(bar) => bar.set_message(beside()),
            Style::Lines(last) => {
                let Ok(mut last) = last.lock() else { return };
                if last.elapsed() >= LINE_INTERVAL {
                    *last = Instant::now();
                    write_line(&line());
                }
            }
        }
    }

    fn update_counts(&self) {
        let line = || format!("{}, {:.0} s", self.counts(), self.started.elapsed().as_secs_f64());
        self.update(|| self.counts(), line);
    }

    fn counts(&self) -> String {
        let [files, total, texts, placed] =
            [&self.files, &self.total, &self.texts, &self.placed].map(|count| count.load(Ordering::Relaxed));
        let rate = texts as f64 / self.started.elapsed().as_secs_f64().max(0.001);
        let read = if total > 0 { format!("{files}/{total} files read, ") } else { String::new() };
        let asked =
            if placed > 0 { format!("model asked about {}, ", count(placed, "parent chunk")) } else { String::new() };
        // Without files, texts may be embedded that belong to none.
        let what = if total > 0 { "child chunk" } else { "text" };
        format!("{read}{asked}{} embedded ({rate:.0}/s)", count(texts, what))
    }

    fn finish(&self) {
        if let Style::Bar(bar) = &self.style {
            bar.finish_and_clear();
        }
    }
}

impl Progress for Display {
    fn begin(&self, files: usize, bytes: u64) {
        self.total.store(files, Ordering::Relaxed);
        self.draw(INGEST, Some(bytes.max(1)));
        if let Style::Bar(bar) = &self.style {
            bar.set_message(self.counts());
        }
    }

    fn file_read(&self, _source: &str) {
        self.files.fetch_add(1, Ordering::Relaxed);
        self.update_counts();
    }

    fn embedded(&self, chunks: usize, bytes: u64) {
        self.texts.fetch_add(chunks, Ordering::Relaxed);
        if let Style::Bar(bar) = &self.style {
            bar.inc(bytes);
        }
        self.update_counts();
    }

    fn placed(&self, parent_chunks: usize) {
        self.placed.fetch_add(parent_chunks, Ordering::Relaxed);
        self.update_counts();
    }

    fn failed(&self, source: &str, reason: &str) {
        let line = format!("failed: {source}: {reason}");
        match &self.style {
            Style::Bar(bar) => bar.suspend(|| write_line(&line)),
            _ if self.quiet => {}
            _ => write_line(&line),
        }
    }

    fn end(&self) {
        self.finish();
    }
}

impl DownloadProgress for Display {
    fn begin(&self, model: &str, bytes: Option<u64>) {
        self.draw(if bytes.is_some() { DOWNLOAD } else { DOWNLOAD_OF_UNKNOWN_SIZE }, bytes);
        self.bytes.store(bytes.unwrap_or(0), Ordering::Relaxed);
        if let Style::Lines(_) = self.style {
            let bytes = bytes.map(|bytes| format!(", {}", size(bytes))).unwrap_or_default();
            write_line(&format!("downloading {model}{bytes}"));
        }
    }

    fn at(&self, file: &str, bytes: u64) {
        if let Style::Bar(bar) = &self.style {
            // An earlier run downloaded what is there in the first second.
            if bar.position() == 0 && bytes > 0 {
                bar.reset_eta();
            }
            bar.set_position(bytes);
        }
        let line = || match self.bytes.load(Ordering::Relaxed) {
            0 => format!("{} ({file})", size(bytes)),
            all => format!("{} of {} ({file})", size(bytes), size(all)),
        };
        self.update(|| file.to_owned(), line);
    }

    fn trying(&self) {
        self.draw("{spinner} {msg}", None);
        match &self.style {
            Style::Bar(bar) => bar.set_message("trying the model"),
            Style::Lines(_) => write_line("trying the model"),
            Style::Silent => {}
        }
    }

    fn end(&self) {
        self.finish();
    }
}

/// Writes a line to standard error; the work goes on where that fails.
fn write_line(text: &str) {
    writeln!(anstream::stderr(), "{text}").unwrap_or_default();
}
