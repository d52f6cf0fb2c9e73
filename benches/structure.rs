//! How well PDFs are read: tables of contents found without their outlines, and speed.
//!
//! ```sh
//! cargo bench --bench measure -- structure FOLDER
//! ```
//!
//! For each PDF in the folder with an outline of at least five entries, the bench hides the outline, finds the
//! structure without it and compares both. An entry is found if one with the same title (or 85 % equal letters),
//! without numbers, is on its page or the next; levels are right if neighbours rise or fall as they should. At the end
//! the time of `kb ingest --no-embed --jobs 1` stands beside that of `pdftotext`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crate::synthetic::stores::{fail, kb, scratch};
use kb::internals::load::{Document, Format, LoadOptions, OutlineEntry, parse};
use kb::internals::structure::{normalise_title, sections};

/// The least entries of an outline to measure by.
const FEWEST_ENTRIES: usize = 5;
/// Titles with this share of equal letters match.
const SAME_TITLE: f64 = 0.85;

#[derive(Default)]
struct Score {
    found: usize,
    wanted: usize,
    given: usize,
    levels_right: usize,
    levels: usize,
}

#[derive(clap::Args)]
pub struct Options {
    /// A folder of PDFs.
    folder: String,
}

pub fn run(options: &Options) {
    let folder = &options.folder;
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| fail(&format!("{folder}: {error}")))
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| Format::from_path(path) == Some(Format::Pdf))
        .collect();
    files.sort();
    let mut totals: HashMap<&str, Score> = HashMap::new();
    println!("{:<44} {:>6} {:>6} {:>6}", "", "P", "R", "F1");
    for path in &files {
        let document = match read(path) {
            Ok(document) => document,
            Err(reason) => {
                println!("{:<44} {reason}", name(path));
                continue;
            }
        };
        if document.outline.len() < FEWEST_ENTRIES {
            println!("{:<44} {:>20}", name(path), "no outline");
            continue;
        }
        let score = score(&document);
        println!("{:<44} {}", name(path), ratios(&score));
        let language = if is_chinese(&document.outline) { "Chinese" } else { "English" };
        let total = totals.entry(language).or_default();
        total.found += score.found;
        total.wanted += score.wanted;
        total.given += score.given;
        total.levels_right += score.levels_right;
        total.levels += score.levels;
    }
    for (language, score) in &totals {
        let order = score.levels_right as f64 / score.levels.max(1) as f64;
        println!("\n{language}: {} level order {order:.3} ({} entries)", ratios(score).trim(), score.wanted);
    }
    println!("\n{}", speed(folder, &files));
}

fn read(path: &Path) -> Result<Document, String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    parse(&bytes, Format::Pdf, &LoadOptions::default()).map_err(|error| error.message().to_owned())
}

fn score(document: &Document) -> Score {
    let wanted: Vec<(String, u32, u32)> = document
        .outline
        .iter()
        .filter_map(|entry| Some((bare_title(&entry.title), entry.page?, entry.level)))
        .filter(|(title, ..)| !title.is_empty())
        .collect();
    let without = Document { outline: Vec::new(), ..document.clone() };
    let given: Vec<(String, u32, u32)> = sections(&without, "", None)
        .into_iter()
        .filter(|section| section.level > 0)
        .map(|section| (bare_title(&section.title), section.page_start.unwrap_or(0), section.level))
        .filter(|(title, ..)| !title.is_empty())
        .collect();
    let mut used = vec![false; given.len()];
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for (title, page, level) in &wanted {
        let same = |(i, (other, at, _)): &(usize, &(String, u32, u32))| {
            !used[*i] && page.abs_diff(*at) <= 1 && strsim::normalized_levenshtein(title, other) >= SAME_TITLE
        };
        if let Some((i, (_, _, found_level))) = given.iter().enumerate().find(same) {
            used[i] = true;
            pairs.push((*level, *found_level));
        }
    }
    let levels_right = pairs.windows(2).filter(|pair| pair[0].0.cmp(&pair[1].0) == pair[0].1.cmp(&pair[1].1)).count();
    Score {
        found: pairs.len(),
        wanted: wanted.len(),
        given: given.len(),
        levels_right,
        levels: pairs.len().saturating_sub(1),
    }
}

/// A title without its number, reduced to letters and digits.
fn bare_title(title: &str) -> String {
    let rest = title.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ' ' | '§'));
    let rest = if rest.is_empty() { title } else { rest };
    normalise_title(rest)
}

fn is_chinese(outline: &[OutlineEntry]) -> bool {
    let titles: String = outline.iter().map(|entry| entry.title.as_str()).collect();
    let ideographs = titles.chars().filter(|c| ('\u{4E00}'..='\u{9FFF}').contains(c)).count();
    ideographs * 6 > titles.chars().count()
}

fn ratios(score: &Score) -> String {
    let precision = score.found as f64 / score.given.max(1) as f64;
    let recall = score.found as f64 / score.wanted.max(1) as f64;
    let f1 = 2.0 * precision * recall / (precision + recall).max(f64::EPSILON);
    format!("{precision:>6.3} {recall:>6.3} {f1:>6.3}")
}

/// Pages per second of `kb ingest --no-embed` on one core, and of `pdftotext`, over the same files.
fn speed(folder: &str, files: &[PathBuf]) -> String {
    let scratch = scratch();
    let store = scratch.path().join("store");
    let start = Instant::now();
    let args = ["ingest", folder, "--no-embed", "--jobs", "1", "--include", "*.pdf", "--format", "json", "-q", "--kb"];
    let printed = kb(Path::new("."), &[&args[..], &[&*store.to_string_lossy()]].concat());
    let ours = start.elapsed().as_secs_f64();
    let report: serde_json::Value = serde_json::from_str(&printed).unwrap_or_default();
    let pages: u64 = report["items"].as_array().into_iter().flatten().filter_map(|row| row["pages"].as_u64()).sum();
    let line = format!("kb ingest --no-embed --jobs 1: {:.0} pages a second ({pages} pages)", pages as f64 / ours);
    let start = Instant::now();
    let all_ran = files.iter().all(|file| Command::new("pdftotext").arg(file).arg("/dev/null").output().is_ok());
    if !all_ran {
        return format!("{line}; pdftotext is not installed");
    }
    format!("{line}; pdftotext: {:.0}", pages as f64 / start.elapsed().as_secs_f64())
}

fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
