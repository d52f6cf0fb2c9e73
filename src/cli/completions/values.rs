//! Candidates from a store for the word that is being typed.
//!
//! A shell waits for the answer and cannot show messages, so an error gives no candidates.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::OnceLock;

use clap::{Arg, Command};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};

use super::super::invocation::Context;
use crate::config::SEARCH_WORDS;
use crate::embed::EMBEDDED;
use crate::error::Result;
use crate::models::{ModelKind, Models};
use crate::search::SectionNames;
use crate::store::{DocumentName, Snapshot, Store, file_name};
use crate::text::{is_hidden, printable};

/// How names are quoted for the shell that asks.
pub(super) static QUOTING: OnceLock<Quoting> = OnceLock::new();
/// More candidates than anybody reads.
const MOST: usize = 500;

/// The command line, with candidates for its arguments. The name of a value tells what it is.
pub(super) fn completing(command: Command) -> Command {
    let command = command.mut_args(|arg: Arg| {
        let names: Vec<&str> = arg.get_value_names().unwrap_or_default().iter().map(|name| name.as_str()).collect();
        match (names.as_slice(), arg.get_id().as_str()) {
            (["DOC", "SECTION"], _) => arg.add(ArgValueCompleter::new(document_or_sections)),
            (["DOC" | "ID|DOC"], _) => arg.add(ArgValueCompleter::new(documents)),
            (_, "namespace") => arg.add(ArgValueCompleter::new(namespaces)),
            // `kb models add` takes a folder, or a model that is not installed.
            (["NAME"], "model") => arg.add(ArgValueCompleter::new(|typed: &OsStr| models(typed, ModelKind::Text))),
            (_, "rerank") => arg.add(ArgValueCompleter::new(|typed: &OsStr| {
                words_of("rerank", typed).into_iter().chain(models(typed, ModelKind::Rerank)).collect()
            })),
            (_, id) => match SEARCH_WORDS.iter().find(|(name, _)| *name == id) {
                Some((name, _)) => arg.add(ArgValueCompleter::new(|typed: &OsStr| words_of(name, typed))),
                None => arg,
            },
        }
    });
    command.mut_subcommands(completing)
}

fn documents(typed: &OsStr) -> Vec<CompletionCandidate> {
    let names = read(async |snapshot: &Snapshot| snapshot.all_document_names().await).unwrap_or_default();
    documents_beginning(typed, &names)
}

/// `kb section DOC SECTION…`: the sections of the document, once it is typed.
fn document_or_sections(typed: &OsStr) -> Vec<CompletionCandidate> {
    let words = words();
    // Without `kb` and the command.
    let before = words.get(2..words.len().saturating_sub(1)).unwrap_or_default();
    let found = read(async |snapshot: &Snapshot| {
        let names = snapshot.all_document_names().await?;
        let is_named = |name: &&DocumentName| {
            before.iter().any(|word| *word == name.source || *word == *name.doc_id || file_name(&name.source) == *word)
        };
        match names.iter().filter(is_named).collect::<Vec<_>>()[..] {
            [name] => Ok((Vec::new(), snapshot.sections(&name.doc_id).await?)),
            [] => Ok((names, Vec::new())),
            // The name fits several documents.
            _ => Ok((Vec::new(), Vec::new())),
        }
    });
    let (names, sections) = found.unwrap_or_default();
    if sections.is_empty() {
        return documents_beginning(typed, &names);
    }
    let names = SectionNames::of(&sections);
    beginning(typed, sections.iter().map(|section| (names.typed(section), section.title.as_str())))
}

/// Documents by their sources, or by their file names if no source begins with the typed text.
fn documents_beginning(typed: &OsStr, names: &[DocumentName]) -> Vec<CompletionCandidate> {
    let by_source = beginning(typed, names.iter().map(|name| (name.source.as_str(), name.title.as_str())));
    if !by_source.is_empty() {
        return by_source;
    }
    let mut counts: HashMap<&str, usize> = HashMap::new();
    names.iter().for_each(|name| *counts.entry(file_name(&name.source)).or_default() += 1);
    let only = names.iter().filter(|name| counts[file_name(&name.source)] == 1);
    beginning(typed, only.map(|name| (file_name(&name.source), name.title.as_str())))
}

fn namespaces(typed: &OsStr) -> Vec<CompletionCandidate> {
    let namespaces = store().and_then(|store| store.namespaces()).unwrap_or_default();
    beginning(typed, namespaces.iter().map(|namespace| (namespace.name(), "")))
}

fn models(typed: &OsStr, kind: ModelKind) -> Vec<CompletionCandidate> {
    let installed = Models::of_user().and_then(|models| models.list()).unwrap_or_default();
    let of_kind = installed.iter().filter(|model| model.record.as_ref().is_ok_and(|record| record.kind == kind));
    let embedded = Some(EMBEDDED).filter(|_| kind == ModelKind::Text);
    beginning(typed, of_kind.map(|model| model.name.as_str()).chain(embedded).map(|name| (name, "")))
}

fn words_of(setting: &str, typed: &OsStr) -> Vec<CompletionCandidate> {
    let words = SEARCH_WORDS.iter().find(|(name, _)| *name == setting).map_or(&[][..], |(_, words)| words);
    beginning(typed, words.iter().map(|word| (*word, "")))
}

/// The candidates that begin with what was typed. Names come from stores that others may have made: none of them may
/// control a terminal or be run by the shell.
fn beginning<'n>(typed: &OsStr, candidates: impl Iterator<Item = (&'n str, &'n str)>) -> Vec<CompletionCandidate> {
    let quoting = QUOTING.get().copied().unwrap_or(Quoting::OfShell);
    let typed = quoting.unquoted(&typed.to_string_lossy());
    let fitting = candidates.filter(|(name, _)| name.starts_with(&typed) && !name.contains(is_hidden));
    let candidate = |(name, about): (&str, &str)| {
        let about = Some(printable(about)).filter(|about| !about.is_empty());
        CompletionCandidate::new(quoting.quoted(name)).help(about.map(Into::into))
    };
    fitting.take(MOST).map(candidate).collect()
}

/// Reads the namespace that the typed command would use.
fn read<T>(ask: impl AsyncFnOnce(&Snapshot) -> Result<T>) -> Result<T> {
    let namespace =
        store()?.namespace(&option("namespace", Some('n'), "KB_NAMESPACE").unwrap_or_else(|| "default".into()))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async { ask(&Snapshot::open(&namespace).await?).await })
}

/// The store that the typed command would use; an error for one in object storage, for which a shell does not wait.
fn store() -> Result<Store> {
    let named = option("kb", None, "KB_DIR").map(PathBuf::from);
    Store::open(named.as_deref(), &Context::here()?)
}

/// The words typed so far, kb's own name included.
fn words() -> Vec<String> {
    let words = std::env::args_os().skip_while(|word| word != "--").skip(1);
    // Those before the last one come as they were typed from some shells.
    words.map(|word| Quoting::Bash.unquoted(&word.to_string_lossy())).collect()
}

/// How the names that a shell inserts are quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoting {
    /// The shell does.
    OfShell,
    /// Bash inserts what it gets, and gives words as they were typed.
    Bash,
    /// PowerShell inserts what it gets.
    PowerShell,
}

impl Quoting {
    fn quoted(self, name: &str) -> String {
        let is_plain = |c: char| c.is_alphanumeric() || "-_./:@%+,".contains(c);
        match self {
            Quoting::Bash => shell_words::quote(name).into_owned(),
            Quoting::PowerShell if !name.chars().all(is_plain) => format!("'{}'", name.replace('\'', "''")),
            Quoting::PowerShell | Quoting::OfShell => name.to_owned(),
        }
    }

    fn unquoted(self, typed: &str) -> String {
        if self != Quoting::Bash {
            return typed.to_owned();
        }
        // A quote may still be open.
        let closed = ["", "'", "\""].map(|end| format!("{typed}{end}"));
        let words = closed.iter().find_map(|typed| shell_words::split(typed).ok());
        words.map_or_else(|| typed.to_owned(), |words| words.join(" "))
    }
}

/// The value of an option among the words, or of its variable.
fn option(long: &str, short: Option<char>, variable: &str) -> Option<String> {
    typed_option(&words(), long, short).or_else(|| std::env::var(variable).ok().filter(|value| !value.is_empty()))
}

/// A command line that is still being typed cannot be parsed as a whole.
fn typed_option(words: &[String], long: &str, short: Option<char>) -> Option<String> {
    let (long, short) = (format!("--{long}"), short.map(|short| format!("-{short}")));
    words.iter().enumerate().rev().find_map(|(at, word)| {
        if *word == long || Some(word) == short.as_ref() {
            // Bash splits words at "=".
            let value = words.get(at + 1).filter(|next| *next != "=").or_else(|| words.get(at + 2));
            return value.cloned();
        }
        let joined = word.strip_prefix(&long).and_then(|rest| rest.strip_prefix('='));
        let close =
            || short.as_ref().filter(|_| !word.starts_with("--")).and_then(|short| word.strip_prefix(short.as_str()));
        joined.or_else(close).map(|value| value.trim_start_matches('=').to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::parse;

    #[test]
    fn completed_words_are_valid() {
        for (setting, words) in SEARCH_WORDS {
            for word in words {
                let typed = ["kb", "search", "x", &format!("--{setting}={word}")].map(std::ffi::OsString::from);
                let parsed = parse::command(true).try_get_matches_from(typed);
                assert!(parsed.is_ok(), "{setting} {word}");
            }
        }
    }

    #[test]
    fn a_name_cannot_be_run_by_the_shell_that_inserts_it() {
        for (name, bash, powershell) in [
            ("a b.md", "'a b.md'", "'a b.md'"),
            ("$(reboot).md", "'$(reboot).md'", "'$(reboot).md'"),
            ("it's;x", "'it'\\''s;x'", "'it''s;x'"),
            ("手册/a.md", "'手册/a.md'", "手册/a.md"),
        ] {
            assert_eq!(Quoting::PowerShell.quoted(name), powershell);
            let quoted = Quoting::Bash.quoted(name);
            assert!(quoted == bash || quoted == name && !name.contains([' ', '$', ';']), "{quoted}");
            assert_eq!(Quoting::Bash.unquoted(&quoted), name);
            assert_eq!(Quoting::OfShell.quoted(name), name);
        }
        assert_eq!(Quoting::Bash.unquoted("'a b"), "a b");
        assert_eq!(Quoting::Bash.unquoted("a\\ b"), "a b");
    }

    #[test]
    fn an_option_is_found_in_each_of_its_forms() {
        let of = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            typed_option(&words, "namespace", Some('n'))
        };
        let lines = "kb toc -n a |kb -na toc|kb toc --namespace=a x|kb --namespace a toc|kb -n b -n a\
            |kb --namespace = a";
        for line in lines.split('|') {
            assert_eq!(of(line).as_deref(), Some("a"), "{line}");
        }
        assert_eq!(of("kb toc --namespaces"), None);
        assert_eq!(of("kb toc --no-progress"), None);
    }
}
