//! Pages that are pictures, read by a program that the user names.

use std::io::Write;
use std::process::{Command, Stdio};

use pdf_oxide::PdfDocument;

use crate::error::{Error, Result};
use crate::text::squeeze;

/// What stands for the image's path in the command.
const PLACEHOLDER: &str = "{}";
/// Smaller images, in pixels, are ornaments and no pages.
const SMALLEST: u32 = 64 * 64;
/// How much of what the program complained about is told.
const LONGEST_COMPLAINT: usize = 200;

/// The text that `command` reads on the largest image of a page, counted from 0. `None` where the page has no image
/// that could be a page.
///
/// # Errors
/// Where the image cannot be decoded, or the program cannot be run or fails.
pub fn read_page(pdf: &PdfDocument, page: usize, command: &str) -> Result<Option<String>> {
    let fail = |error: pdf_oxide::Error| Error::failed(format!("the image of page {}: {error}", page + 1));
    let images = pdf.extract_images(page).map_err(fail)?;
    let area = |image: &pdf_oxide::extractors::PdfImage| image.width().saturating_mul(image.height());
    let Some(image) = images.iter().max_by_key(|image| area(image)).filter(|image| area(image) >= SMALLEST) else {
        return Ok(None);
    };
    let mut file =
        tempfile::Builder::new().prefix("kb-page-").suffix(".png").tempfile().map_err(|error| {
            Error::failed(format!("cannot make a file for the image of page {}: {error}", page + 1))
        })?;
    file.write_all(&image.to_png_bytes().map_err(fail)?)?;
    file.flush()?;
    run(command, &file.path().to_string_lossy()).map(Some)
}

fn run(command: &str, image: &str) -> Result<String> {
    let words = arguments(command, image)?;
    let (program, arguments) = words.split_first().ok_or_else(|| Error::usage("--ocr-command is empty"))?;
    let output = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| Error::failed(format!("--ocr-command: cannot run {program}: {error}")))?;
    if !output.status.success() {
        let complaint = squeeze(&String::from_utf8_lossy(&output.stderr));
        let complaint: String = complaint.chars().take(LONGEST_COMPLAINT).collect();
        let complaint = if complaint.is_empty() { complaint } else { format!(": {complaint}") };
        return Err(Error::failed(format!("--ocr-command: {program} failed ({}){complaint}", output.status)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The words of the command with the image's path in the place of `{}`, or behind all others.
///
/// # Errors
/// Where a quotation mark is not closed.
pub fn arguments(command: &str, image: &str) -> Result<Vec<String>> {
    let words = shell_words::split(command).map_err(|error| {
        Error::usage(format!("--ocr-command {command:?}: {error}"))
            .hint("write it as in a shell, for example 'tesseract {} stdout -l eng'")
    })?;
    if words.is_empty() {
        return Err(Error::usage("--ocr-command is empty").hint("for example 'tesseract {} stdout -l eng'"));
    }
    if words.iter().any(|word| word.contains(PLACEHOLDER)) {
        return Ok(words.iter().map(|word| word.replace(PLACEHOLDER, image)).collect());
    }
    Ok(words.into_iter().chain(std::iter::once(image.to_owned())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_image_takes_the_place_of_the_braces_or_comes_last() {
        assert_eq!(arguments("ocr {} out -l 'a b'", "x.png").unwrap(), ["ocr", "x.png", "out", "-l", "a b"]);
        assert_eq!(arguments("ocr -q", "x.png").unwrap(), ["ocr", "-q", "x.png"]);
        assert!(arguments("ocr 'open", "x.png").is_err());
        assert!(arguments(" ", "x.png").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_fails_is_an_error_that_names_it() {
        let error = run("false", "x.png").unwrap_err();
        assert_eq!(error.message(), "--ocr-command: false failed (exit status: 1)", "it said nothing");
        let error = run("sh -c 'echo no language pack >&2; exit 3'", "x.png").unwrap_err();
        assert!(error.message().ends_with("(exit status: 3): no language pack"), "{}", error.message());
        assert!(run("no-such-program-anywhere", "x.png").is_err());
    }
}
