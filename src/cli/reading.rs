//! What the commands that read sources have in common: limits and the program for pages that are pictures.

use std::time::Duration;

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

/// The options for the loaders, checked.
///
/// # Errors
/// Where the command for pictures cannot be one.
pub(super) fn load_options(password: Option<String>, ocr_command: Option<String>) -> Result<LoadOptions> {
    if let Some(command) = &ocr_command {
        check_ocr_command(command)?;
    }
    Ok(LoadOptions { password, ocr_command, ..LoadOptions::default() })
}

/// Megabytes that reading a file may take beside a small multiple of its own size. The largest of 356 hostile files
/// and a real book of 429 pages need a tenth of it.
const WORKER_MEMORY: u64 = 900;

/// How long reading may take and with how much memory: what was asked for, in seconds and megabytes, or the defaults.
pub(super) fn limits(file: Option<u64>, page: Option<u64>, memory: Option<u64>, load: &LoadOptions) -> Limits {
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
