//! What the commands that read sources have in common: limits and the program for pages that are pictures.

use std::time::Duration;

use crate::error::Result;
use crate::load::worker::TimeLimits;
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

/// How long reading may take: what was asked for, in seconds, or the defaults.
pub(super) fn time_limits(file: Option<u64>, page: Option<u64>, load: &LoadOptions) -> TimeLimits {
    let (default_file, default_page) = match load.ocr_command {
        Some(_) => (OCR_FILE_TIMEOUT, OCR_PAGE_TIMEOUT),
        None => (FILE_TIMEOUT, PAGE_TIMEOUT),
    };
    TimeLimits {
        file: Duration::from_secs(file.unwrap_or(default_file)),
        page: Duration::from_secs(page.unwrap_or(default_page)),
    }
}
