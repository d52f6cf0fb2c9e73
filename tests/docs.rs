//! What README.md, CONTRIBUTING.md and docs/ promise: every command runs, every link leads somewhere, every search
//! option is in the table of settings.
//!
//! A block ```` ```sh ```` is run line by line; of a block ```` ```sh no-run ```` (it needs a network, a model or an
//! endpoint) only the options are checked. `CHUNK` stands for the id of a parent chunk.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::collections::BTreeSet;
use std::path::PathBuf;

use common::repository::in_repository;
use common::{Sandbox, copy_files, files_below, fixtures};

/// The pages, relative to the repository.
fn pages() -> Vec<String> {
    let docs = std::fs::read_dir(in_repository("docs")).unwrap().map(|entry| entry.unwrap().file_name());
    let mut pages: Vec<String> = docs.map(|name| format!("docs/{}", name.to_str().unwrap())).collect();
    pages.sort();
    pages.extend(["README.md", "CONTRIBUTING.md"].map(str::to_owned));
    pages
}

fn text(page: &str) -> String {
    std::fs::read_to_string(in_repository(page)).unwrap()
}

/// The shell lines of a page, each with whether it is run.
fn shell_lines(page: &str) -> Vec<(String, bool)> {
    let (mut lines, mut block) = (Vec::new(), None);
    for line in text(page).lines() {
        match (line.strip_prefix("```"), block) {
            (Some("sh"), None) => block = Some(Some(true)),
            (Some("sh no-run"), None) => block = Some(Some(false)),
            (Some(_), None) => block = Some(None),
            (Some(_), Some(_)) => block = None,
            (None, Some(Some(run))) => lines.push((line.to_owned(), run)),
            (None, _) => {}
        }
    }
    lines
}

/// The arguments of each call of kb in a line of shell, and whether it starts with `cargo run`, in a fresh clone.
fn calls(line: &str) -> Vec<(Vec<String>, bool)> {
    let code = line.split(" #").next().unwrap();
    let commands = code.split("&&").map(|command| shell_words::split(command).expect("a line of shell"));
    commands
        .filter_map(|words| match words.first()?.as_str() {
            "kb" => Some((words[1..].to_vec(), false)),
            "cargo" if words.get(1)? == "run" => {
                Some((words[words.iter().position(|word| word == "--")? + 1..].to_vec(), true))
            }
            _ => None,
        })
        .collect()
}

#[test]
fn every_command_in_the_docs_runs() {
    let mut commands = 0;
    for page in pages() {
        let (sandbox, clone) = (Sandbox::with_fixtures(), Sandbox::new());
        let chunk = format!("{}:0", sandbox.id("network-guide.md"));
        copy_files(&fixtures().join("docs"), &clone.path("fixtures/docs"));
        for (line, is_run) in shell_lines(&page) {
            for (mut call, in_clone) in calls(&line) {
                call.iter_mut().for_each(|word| *word = word.replace("CHUNK", &chunk));
                if !is_run {
                    call.push("--help".to_owned());
                }
                let arguments: Vec<&str> = call.iter().map(String::as_str).collect();
                let run = if in_clone { clone.kb(&arguments) } else { sandbox.kb(&arguments) };
                assert_eq!(run.code, 0, "{page}: {line}\n{}", run.err);
                assert!(!run.out.is_empty() || !run.err.is_empty(), "{page}: {line} prints nothing");
                commands += 1;
            }
        }
    }
    assert!(commands > 80, "only {commands} commands were found");
}

#[test]
fn every_link_in_the_docs_leads_to_a_file() {
    for page in pages() {
        let from = PathBuf::from(&page);
        let text = text(&page);
        for link in text.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
            let target = link.split('#').next().unwrap();
            if target.is_empty() || target.starts_with("http") {
                continue;
            }
            let path = from.parent().unwrap().join(target);
            assert!(in_repository(path.to_str().unwrap()).exists(), "{page} links to {link}");
        }
    }
}

/// Each threat in docs/security.md names the tests that hold its answer.
#[test]
fn every_test_that_the_security_page_names_exists() {
    let files = ["src", "tests"].into_iter().flat_map(|folder| files_below(&in_repository(folder)));
    let rust = files.filter(|path| path.extension().is_some_and(|ending| ending == "rs"));
    let code: String = rust.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let text = text("docs/security.md");
    let threats = text.split("## Threats").nth(1).unwrap().split("\n## ").next().unwrap();
    let rows: Vec<&str> = threats.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    assert!(rows.len() > 20, "{rows:?}");
    for row in rows {
        let tests: Vec<&str> = row.rsplit(" | ").next().unwrap().split('`').skip(1).step_by(2).collect();
        assert!(!tests.is_empty(), "no test: {row}");
        for test in tests {
            assert!(code.contains(&format!("fn {test}(")), "there is no test {test}: {row}");
        }
    }
}

/// The long options that a help text lists; `...` after one says that it may be repeated.
fn options(help: &[&str]) -> BTreeSet<String> {
    let help = Sandbox::new().kb(help).out;
    let rows = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let long = rows.filter_map(|row| row.split([' ', ',', '=', '[']).find(|word| word.starts_with("--")));
    long.map(|option| option.trim_end_matches('.').to_owned()).collect()
}

#[test]
fn the_tables_of_settings_have_every_search_option() {
    let text = text("docs/configuration.md");
    let cells = text.lines().filter_map(|line| line.strip_prefix("| `--")?.split('|').next());
    let in_tables: BTreeSet<String> =
        cells.flat_map(|cell| cell.split(['`', ' '])).filter(|word| !word.is_empty()).map(long).collect();
    assert_eq!(in_tables, options(&["search", "--help"]));
}

/// The long option for `limit`, as in a cell, or for `--after`.
fn long(word: &str) -> String {
    format!("--{}", word.trim_start_matches('-'))
}

#[test]
fn the_pages_stay_short() {
    for (page, most) in [("README.md", 10_000), ("docs/architecture.md", 20_000)] {
        let length = text(page).len();
        assert!(length <= most, "{page} has {length} bytes, more than {most}");
    }
}
