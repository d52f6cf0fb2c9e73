//! Scanned pages, read by the user's program.

use std::process::{Command, Stdio};

use pdf_oxide::PdfDocument;

use crate::error::{Error, Result, Setting};
use crate::paths::temporary_file;
use crate::text::{first_chars, join_filled, squeeze};

/// The placeholder for the image's path.
const PLACEHOLDER: &str = "{}";
/// In pixels; smaller images are ornaments.
const SMALLEST: u32 = 64 * 64;
/// The most characters of the program's error output.
const LONGEST_COMPLAINT: usize = 200;

/// A program that fails on this many of its first pages would fail on the others too. A scan may have thousands.
pub const MOST_FAILURES: usize = 5;

/// The user's OCR program, while it reads a file.
pub struct Program<'a> {
    command: &'a str,
    /// The pages on which it failed.
    failures: usize,
    /// After one success, a failure is the fault of the page, not of the program.
    works: bool,
    /// Pages without text that were not read after [`MOST_FAILURES`].
    pub untried: usize,
}

impl<'a> Program<'a> {
    pub fn new(command: &'a str) -> Self {
        Program { command, failures: 0, works: false, untried: 0 }
    }

    /// Runs the program on the largest image of a page, counted from 0. `None` if no image is large enough, or after
    /// too many failures. The inner error concerns the page alone: its image cannot be decoded, or the program fails on
    /// it.
    ///
    /// # Errors
    /// If the program cannot be run, or its image cannot be written.
    pub fn read_page(&mut self, pdf: &PdfDocument, page: usize) -> Result<Result<Option<String>>> {
        if !self.works && self.failures >= MOST_FAILURES {
            self.untried += 1;
            return Ok(Ok(None));
        }
        let picture = match picture(pdf, page) {
            Ok(Some(picture)) => picture,
            Ok(None) => return Ok(Ok(None)),
            Err(error) => return Ok(Err(error)),
        };
        let file = temporary_file("kb-page-", ".png", &picture);
        let file =
            file.map_err(|error| Error::temporary(&format!("a file for the image of page {}", page + 1), error))?;
        let read = run(self.command, &file.path().to_string_lossy())?;
        self.works |= read.is_ok();
        self.failures += usize::from(read.is_err());
        Ok(read.map(Some))
    }
}

/// The largest image of a page as PNG.
fn picture(pdf: &PdfDocument, page: usize) -> Result<Option<Vec<u8>>> {
    let fail = |error: pdf_oxide::Error| {
        Error::failed(format!("cannot read the image of page {}: {error}", page + 1))
            .hint("the image is damaged or of an unknown kind; print the file into a new PDF and ingest that")
    };
    let images = pdf.extract_images(page).map_err(fail)?;
    let area = |image: &pdf_oxide::extractors::PdfImage| image.width().saturating_mul(image.height());
    let largest = images.iter().max_by_key(|image| area(image)).filter(|image| area(image) >= SMALLEST);
    largest.map(|image| image.to_png_bytes().map_err(fail)).transpose()
}

/// The inner error concerns the image alone: the program fails on it.
fn run(command: &str, image: &str) -> Result<Result<String>> {
    let words = arguments(command, image)?;
    let (program, arguments) = words.split_first().expect("a command has a word");
    let failed = |what: String| Error::failed(format!("{}: {what}", Setting("ocr_command")));
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output().map_err(|error| {
        failed(format!("cannot run {program}: {error}"))
            .caused_by(error)
            .hint("install it, or write its whole path in the command")
    })?;
    if !output.status.success() {
        let complaint = squeeze(&String::from_utf8_lossy(&output.stderr));
        let status = format!("{program} failed ({})", output.status);
        let error = failed(join_filled([status.as_str(), first_chars(&complaint, LONGEST_COMPLAINT)], ": "));
        return Ok(Err(error.hint("try the command by hand on an image of a page")));
    }
    Ok(Ok(String::from_utf8_lossy(&output.stdout).into_owned()))
}

/// Checks that an OCR command can be split into words.
///
/// # Errors
/// If it is empty or has an unclosed quotation mark.
pub fn check_ocr_command(command: &str) -> Result<()> {
    arguments(command, "page.png").map(drop)
}

/// The words of the command, with the image's path in place of `{}` or at the end.
fn arguments(command: &str, image: &str) -> Result<Vec<String>> {
    let wrong = |what: String| {
        Error::usage(format!("invalid value {command:?} for {}: {what}", Setting("ocr_command")))
            .hint("write it as in a shell, for example 'tesseract {} stdout -l eng'")
    };
    let words = shell_words::split(command).map_err(|error| wrong(error.to_string()))?;
    if words.is_empty() {
        return Err(wrong("it is empty".to_owned()));
    }
    let at_the_end = (!words.iter().any(|word| word.contains(PLACEHOLDER))).then(|| image.to_owned());
    Ok(words.iter().map(|word| word.replace(PLACEHOLDER, image)).chain(at_the_end).collect())
}
