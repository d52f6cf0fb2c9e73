//! How a download is going: a bar on a terminal, plain lines elsewhere, on standard error.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::Context;
use crate::models::DownloadProgress;
use crate::text::size;

/// Between two plain lines.
const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// The display that fits where standard error leads.
pub(super) fn download_display(context: &Context) -> Box<dyn DownloadProgress> {
    if !context.shows_progress() {
        Box::new(Silent)
    } else if std::io::stderr().is_terminal() {
        Box::new(Bar(ProgressBar::no_length()))
    } else {
        Box::new(Lines(Mutex::new(State { last: Instant::now(), all: None })))
    }
}

struct Silent;

impl DownloadProgress for Silent {
    fn begin(&self, _model: &str, _bytes: Option<u64>) {}
    fn at(&self, _file: &str, _bytes: u64) {}
    fn trying(&self) {}
    fn end(&self) {}
}

struct Bar(ProgressBar);

impl DownloadProgress for Bar {
    fn begin(&self, _model: &str, bytes: Option<u64>) {
        let template = match bytes {
            Some(_) => "{bar:30.cyan/dim} {percent:>3} %  {bytes} of {total_bytes}  {bytes_per_sec}, {eta} left  {msg}",
            None => "{spinner} {bytes}  {bytes_per_sec}  {msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.0.set_style(style.progress_chars("━╸─"));
        }
        bytes.iter().for_each(|bytes| self.0.set_length(*bytes));
        self.0.enable_steady_tick(Duration::from_millis(200));
    }

    fn at(&self, file: &str, bytes: u64) {
        // What an earlier run left was not downloaded in this one's first second.
        if self.0.position() == 0 && bytes > 0 {
            self.0.reset_eta();
        }
        self.0.set_position(bytes);
        self.0.set_message(file.to_owned());
    }

    fn trying(&self) {
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
            self.0.set_style(style);
        }
        self.0.set_message("trying the model");
    }

    fn end(&self) {
        self.0.finish_and_clear();
    }
}

struct State {
    last: Instant,
    all: Option<u64>,
}

/// A line now and then, for logs.
struct Lines(Mutex<State>);

impl DownloadProgress for Lines {
    fn begin(&self, model: &str, bytes: Option<u64>) {
        if let Ok(mut state) = self.0.lock() {
            state.all = bytes;
        }
        let bytes = bytes.map(|bytes| format!(", {}", size(bytes))).unwrap_or_default();
        say(&format!("downloading {model}{bytes}"));
    }

    fn at(&self, file: &str, bytes: u64) {
        let Ok(mut state) = self.0.lock() else { return };
        if state.last.elapsed() >= LINE_INTERVAL {
            state.last = Instant::now();
            let all = state.all.map(|all| format!(" of {}", size(all))).unwrap_or_default();
            say(&format!("{}{all} ({file})", size(bytes)));
        }
    }

    fn trying(&self) {
        say("trying the model");
    }

    fn end(&self) {}
}

/// A line on standard error; where it cannot be written, the work goes on.
fn say(text: &str) {
    writeln!(anstream::stderr(), "{text}").unwrap_or_default();
}
