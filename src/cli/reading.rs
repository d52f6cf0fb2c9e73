//! What the commands that read sources have in common: limits and the program for pages that are pictures.

use std::time::Duration;

use clap::Args;

use super::cores;
use crate::config::IngestConfig;
use crate::error::Result;
use crate::load::worker::Limits;
use crate::load::{LoadOptions, check_ocr_command};

/// Seconds after which a file is given up: a real book of 429 pages takes one.
const FILE_TIMEOUT: u64 = 120;
/// Seconds after which a page is left out.
const PAGE_TIMEOUT: u64 = 20;
/// The same where another program reads pages that are pictures.
const OCR_PAGE_TIMEOUT: u64 = 120;
/// Seconds for a file of which every page may be such a picture.
const OCR_FILE_TIMEOUT: u64 = 3600;

/// Megabytes that reading a file may take beside a small multiple of its own size. The largest of 356 hostile files
/// and a real book of 429 pages need a tenth of it.
const WORKER_MEMORY: u64 = 900;

/// How sources are read.
#[derive(Debug, Default, Args)]
pub struct ReadingArgs {
    /// The password of encrypted PDFs
    #[arg(long, value_name = "PASSWORD", env = "KB_PASSWORD", hide_env_values = true)]
    password: Option<String>,
    /// Give up on a file (not Markdown or plain text) that takes longer to parse [default: 120, with --ocr-command 3600]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    file_timeout: Option<u64>,
    /// Leave out a page that takes longer [default: 20, with --ocr-command 120]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    page_timeout: Option<u64>,
    /// Memory that reading a file may take, beside four times its size [default: 900]
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..))]
    worker_memory: Option<u64>,
    /// Read pages without text by a program: it gets the path of the page's image for {} and prints the text
    #[arg(
        long,
        value_name = "COMMAND",
        long_help = "Read pages without text by a program. It is run for each such page of a PDF, with the path of the page's image, \
a PNG file, in the place of {} or behind everything else, and prints the text, for example 'tesseract {} stdout -l chi_sim+eng'"
    )]
    ocr_command: Option<String>,
    /// Threads that read and embed [default: one per core]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
}

/// How sources are read, with `kb.toml` and the defaults where nothing was typed.
pub(super) struct Reading {
    pub(super) load: LoadOptions,
    pub(super) limits: Limits,
    pub(super) jobs: usize,
}

impl ReadingArgs {
    /// The first flag that was typed. A password may stand in the environment, and counts as none.
    pub(super) fn given(&self) -> Option<&'static str> {
        let flags = [
            (self.file_timeout.is_some(), "--file-timeout"),
            (self.page_timeout.is_some(), "--page-timeout"),
            (self.worker_memory.is_some(), "--worker-memory"),
            (self.ocr_command.is_some(), "--ocr-command"),
            (self.jobs.is_some(), "--jobs"),
        ];
        flags.into_iter().find(|(given, _)| *given).map(|(_, flag)| flag)
    }

    /// What was typed, otherwise what is configured, otherwise the defaults.
    ///
    /// # Errors
    /// Where the command for pictures cannot be one.
    pub(super) fn or(self, config: &IngestConfig) -> Result<Reading> {
        let ocr_command = self.ocr_command.or_else(|| config.ocr_command.clone());
        if let Some(command) = &ocr_command {
            check_ocr_command(command)?;
        }
        let load = LoadOptions { password: self.password, ocr_command, ..LoadOptions::default() };
        let limits = limits(
            self.file_timeout.or(config.file_timeout),
            self.page_timeout.or(config.page_timeout),
            self.worker_memory.or(config.worker_memory),
            &load,
        );
        Ok(Reading { load, limits, jobs: self.jobs.or(config.jobs).unwrap_or_else(cores).max(1) })
    }
}

/// How long reading may take and with how much memory: what was asked for, in seconds and megabytes, or the defaults.
fn limits(file: Option<u64>, page: Option<u64>, memory: Option<u64>, load: &LoadOptions) -> Limits {
    let (default_file, default_page) = match load.ocr_command {
        Some(_) => (OCR_FILE_TIMEOUT, OCR_PAGE_TIMEOUT),
        None => (FILE_TIMEOUT, PAGE_TIMEOUT),
    };
    Limits {
        file: Duration::from_secs(file.unwrap_or(default_file)),
        page: Duration::from_secs(page.unwrap_or(default_page)),
        memory: memory.unwrap_or(WORKER_MEMORY).saturating_mul(1 << 20),
    }
}
