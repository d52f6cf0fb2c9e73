//! How the command line spells settings and next steps for the other rooms.

use std::collections::HashMap;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

use crate::error::{NextStep, spell_with};

/// Registers the spelling for messages before a subcommand is known, and for workers.
pub(super) fn register_flags() {
    spell_with(flag, step);
}

/// Registers the spelling for the subcommand that runs.
pub(super) fn register(command: &Command, matches: &ArgMatches) {
    let known: HashMap<String, String> =
        command.get_arguments().filter_map(|arg| Some((arg.get_id().to_string(), setting(arg, matches)?))).collect();
    let spelled = move |name: &str| known.get(name).cloned().unwrap_or_else(|| flag(name));
    spell_with(spelled, step);
}

/// The flag of a setting that the command at hand does not have.
pub(super) fn flag(setting: &str) -> String {
    format!("--{}", setting.replace('_', "-"))
}

/// The flag of an argument, or the variable that sets it.
fn setting(arg: &Arg, matches: &ArgMatches) -> Option<String> {
    match (matches.value_source(arg.get_id().as_str()), arg.get_env()) {
        (Some(ValueSource::EnvVariable), Some(variable)) => Some(variable.to_string_lossy().into_owned()),
        _ => arg.get_long().map(|long| format!("--{long}")),
    }
}

pub(super) fn step(step: NextStep<'_>) -> String {
    match step {
        NextStep::AddModel(name) => format!("kb models add {name}"),
        NextStep::Check => "kb check".to_owned(),
        NextStep::CheckLanguageModel => "kb llm check".to_owned(),
        NextStep::DeleteChunk(id) => format!("kb chunk-delete {id}"),
        NextStep::DescribeDocument(name) => format!("kb docs {name}"),
        NextStep::EditContents(id) => format!("kb toc {id} --edit"),
        NextStep::FindSectionsAgain(id) => format!("kb reindex --structure --force {id}"),
        NextStep::Ingest(path) => format!("kb ingest {path}"),
        NextStep::IngestAgain(path) => format!("kb ingest --force {path}"),
        NextStep::IngestStandardInputAgain(name) => format!("kb ingest --force - --name {name}"),
        NextStep::ListChunks => "kb chunks-list".to_owned(),
        NextStep::ListChunksAsJsonLines => "kb chunks-list --format jsonl".to_owned(),
        NextStep::ListConflicts => "kb chunks-list --conflicts".to_owned(),
        NextStep::ListDocuments => "kb docs".to_owned(),
        NextStep::ListDocumentsOf(namespace) => format!("kb docs -n {namespace}"),
        NextStep::ListEntities => "kb entities".to_owned(),
        NextStep::ListGenerations => "kb log".to_owned(),
        NextStep::ListModels => "kb models".to_owned(),
        NextStep::SuggestModels => "kb models suggest".to_owned(),
        NextStep::MakeVectors => "kb reindex --vectors".to_owned(),
        NextStep::PrintPrompt(name) => format!("kb llm prompt {name}"),
        NextStep::RemoveDocument(name) => format!("kb remove {name}"),
        NextStep::RemoveModel(name) => format!("kb models remove {name}"),
        NextStep::ListNamespaces => "kb namespaces".to_owned(),
        NextStep::RemoveNamespace => "kb namespaces remove".to_owned(),
        NextStep::Repair => "kb check --repair".to_owned(),
        NextStep::ReplaceModel(name) => format!("kb reindex --vectors --model {name}"),
        NextStep::RequestContextsAgain => "kb reindex --context llm --force".to_owned(),
        NextStep::ResetChunk(id) => format!("kb chunk-edit {id} --reset"),
        NextStep::ResetContents(id) => format!("kb toc {id} --reset"),
        NextStep::Show(id) => format!("kb show {id}"),
        NextStep::Search => "kb search".to_owned(),
        NextStep::ShowContents(name) => format!("kb toc {name}"),
        NextStep::ShowFilters => "kb search --help".to_owned(),
        NextStep::StopServer => "kb serve --stop".to_owned(),
        NextStep::ShowUntrusted => "kb trust --dry-run".to_owned(),
        NextStep::Trust => "kb trust".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use clap::error::ErrorKind;

    #[test]
    fn every_next_step_is_a_command_that_parses() {
        let steps = include_str!("spelling.rs").split("#[cfg(test)]").next().unwrap();
        let steps: Vec<&str> = steps.split("\"kb ").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
        assert!(steps.len() > 30, "{steps:?}");
        for step in steps {
            // A name of the user's stands in braces; prompts have names of their own.
            let words = step.split(' ').map(|word| match word.starts_with('{') {
                true if step.starts_with("llm prompt") => "expand-query",
                true => "x",
                false => word,
            });
            let parsed = crate::cli::parse::command(true).try_get_matches_from(["kb"].into_iter().chain(words));
            // These name a command alone: its argument is the user's.
            let is_part = ["search", "namespaces remove"].contains(&step);
            let parses = parsed.err().is_none_or(|error| match error.kind() {
                ErrorKind::MissingRequiredArgument => is_part,
                _ => !error.use_stderr(),
            });
            assert!(parses, "{step}");
        }
    }
}
