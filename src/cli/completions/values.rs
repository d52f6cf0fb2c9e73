//! What a store has for the word that is being typed.
//!
//! A shell waits for the answer and has no place for messages: whatever fails gives no candidates.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::{Arg, Command};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};

use super::super::global::Context;
use crate::embed::EMBEDDED;
use crate::error::Result;
use crate::models::{ModelKind, Models};
use crate::paths::is_address;
use crate::store::{DocumentName, Snapshot, Store};

/// Words of settings that take more than a word, so that the command line has no list of them.
const WORDS: [(&str, &[&str]); 4] = [
    ("mode", &["precise", "broad", "section", "drill"]),
    ("fusion", &["weighted", "rrf"]),
    ("expand", &["off", "missing", "all", "llm"]),
    ("rerank", &["light", "off"]),
];
/// More candidates than anybody reads.
const MOST: usize = 500;

/// The command line whose arguments know their values. The name of a value says what it is.
pub(super) fn completing(command: Command) -> Command {
    let command = command.mut_args(|arg: Arg| {
        let names: Vec<&str> = arg.get_value_names().unwrap_or_default().iter().map(|name| name.as_str()).collect();
        match (names.as_slice(), arg.get_id().as_str()) {
            (["DOC", "SECTION"], _) => arg.add(ArgValueCompleter::new(document_or_sections)),
            (["DOC" | "ID|DOC"], _) => arg.add(ArgValueCompleter::new(documents)),
            (_, "namespace") => arg.add(ArgValueCompleter::new(namespaces)),
            (_, "model") => arg.add(ArgValueCompleter::new(|typed: &OsStr| models(typed, ModelKind::Text))),
            (_, "rerank") => arg.add(ArgValueCompleter::new(|typed: &OsStr| {
                words_of("rerank", typed).into_iter().chain(models(typed, ModelKind::Rerank)).collect()
            })),
            (_, id) => match WORDS.iter().find(|(name, _)| *name == id) {
                Some((name, _)) => arg.add(ArgValueCompleter::new(|typed: &OsStr| words_of(name, typed))),
                None => arg,
            },
        }
    });
    command.mut_subcommands(completing)
}

fn documents(typed: &OsStr) -> Vec<CompletionCandidate> {
    let names = read(async |snapshot: &Snapshot| snapshot.all_document_names().await).unwrap_or_default();
    let candidates =
        names.iter().map(|name| CompletionCandidate::new(&name.source).help(Some(name.title.clone().into())));
    beginning(typed, candidates)
}

/// `kb section DOC SECTION…`: the sections of the document, once it is typed.
fn document_or_sections(typed: &OsStr) -> Vec<CompletionCandidate> {
    let words = words();
    let before = &words[..words.len().saturating_sub(1)];
    let rows = read(async |snapshot: &Snapshot| {
        let names = snapshot.all_document_names().await?;
        let is_named = |name: &&DocumentName| before.iter().any(|word| *word == name.source || *word == *name.doc_id);
        match names.iter().find(is_named) {
            Some(name) => snapshot.sections(&name.doc_id).await.map(Some),
            None => Ok(None),
        }
    });
    let Ok(Some(rows)) = rows else { return documents(typed) };
    beginning(typed, rows.iter().map(|row| CompletionCandidate::new(&row.path).help(Some(row.title.clone().into()))))
}

fn namespaces(typed: &OsStr) -> Vec<CompletionCandidate> {
    let namespaces = store().and_then(|store| store.namespaces()).unwrap_or_default();
    beginning(typed, namespaces.iter().map(|namespace| CompletionCandidate::new(namespace.name())))
}

fn models(typed: &OsStr, kind: ModelKind) -> Vec<CompletionCandidate> {
    let installed = Models::of_user().and_then(|models| models.here()).unwrap_or_default();
    let of_kind = installed.iter().filter(|model| model.record.as_ref().is_ok_and(|record| record.kind == kind));
    let embedded = Some(EMBEDDED).filter(|_| kind == ModelKind::Text);
    beginning(typed, of_kind.map(|model| model.name.as_str()).chain(embedded).map(CompletionCandidate::new))
}

fn words_of(setting: &str, typed: &OsStr) -> Vec<CompletionCandidate> {
    let words = WORDS.iter().find(|(name, _)| *name == setting).map_or(&[][..], |(_, words)| words);
    beginning(typed, words.iter().map(CompletionCandidate::new))
}

fn beginning(typed: &OsStr, candidates: impl Iterator<Item = CompletionCandidate>) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy();
    candidates.filter(|one| one.get_value().to_string_lossy().starts_with(&*typed)).take(MOST).collect()
}

/// Reads the namespace that the typed command would use.
fn read<T>(ask: impl AsyncFnOnce(&Snapshot) -> Result<T>) -> Result<T> {
    let namespace =
        store()?.namespace(&option("namespace", Some('n'), "KB_NAMESPACE").unwrap_or_else(|| "default".into()))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async { ask(&Snapshot::open(&namespace).await?).await })
}

/// The store that the typed command would use. A shell does not wait for object storage.
fn store() -> Result<Store> {
    let named = option("kb", None, "KB_DIR").map(PathBuf::from).filter(|named| !is_address(named));
    Store::open(named.as_deref(), &Context::here()?)
}

/// The words typed so far, kb's own name included.
fn words() -> Vec<String> {
    let words = std::env::args_os().skip_while(|word| word != "--").skip(1);
    words.map(|word| word.to_string_lossy().into_owned()).collect()
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
            return words.get(at + 1).cloned();
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
    use crate::cli::{Cli, parse};

    #[test]
    fn completed_words_are_valid() {
        for (setting, words) in WORDS {
            for word in words {
                let typed = ["kb", "search", "x", &format!("--{setting}={word}")].map(std::ffi::OsString::from);
                let mut command = parse::command::<Cli>(true);
                assert!(parse::try_parse::<Cli>(&mut command, &typed).is_ok(), "{setting} {word}");
            }
        }
    }

    #[test]
    fn an_option_is_found_in_each_of_its_forms() {
        let of = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            typed_option(&words, "namespace", Some('n'))
        };
        for line in ["kb toc -n a ", "kb -na toc", "kb toc --namespace=a x", "kb --namespace a toc", "kb -n b -n a"] {
            assert_eq!(of(line).as_deref(), Some("a"), "{line}");
        }
        assert_eq!(of("kb toc --namespaces"), None);
        assert_eq!(of("kb toc --no-progress"), None);
    }
}
