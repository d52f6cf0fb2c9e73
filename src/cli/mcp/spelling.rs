//! Spells settings and next steps in messages for agents: as arguments and tools instead of options and commands.

use clap::{ArgMatches, Command};

use super::super::spelling;
use crate::error::{NextStep, spell_with};

/// Registers this spelling, whatever the command.
pub(super) fn register(_command: &Command, _arguments: &ArgMatches) {
    spell_with(argument, tool);
}

/// The same for an agent that may write.
pub(super) fn register_for_writer(_command: &Command, _arguments: &ArgMatches) {
    spell_with(argument, tool_of_writer);
}

/// The argument of a tool that a setting is. An agent sets no others.
fn argument(setting: &str) -> String {
    match setting {
        "all" => "min_confidence 0".to_owned(),
        "doc" => "documents".to_owned(),
        "offset" => "cursor".to_owned(),
        // Of an ingest, whose structured answer names all files.
        "verbose" => "the structured answer".to_owned(),
        "filter" | "from" | "keep_duplicates" | "limit" | "max_level" | "max_tokens" | "min_confidence" | "mode"
        | "namespace" | "no_embed" => setting.to_owned(),
        _ => format!("the user's setting {setting}"),
    }
}

/// The tool that does a step, or the command for a person.
fn tool(step: NextStep<'_>) -> String {
    match step {
        NextStep::DescribeDocument(_) | NextStep::ListDocuments | NextStep::ListDocumentsOf(_) => {
            "kb_list_documents".to_owned()
        }
        NextStep::ListChunks | NextStep::Show(_) => "kb_list_chunks".to_owned(),
        NextStep::ListNamespaces => "kb_status with namespace all".to_owned(),
        // The schema of its argument has the operators.
        NextStep::Search | NextStep::ShowFilters => "kb_search".to_owned(),
        NextStep::ShowContents(_) => "kb_get_toc".to_owned(),
        _ => spelling::step(step),
    }
}

fn tool_of_writer(step: NextStep<'_>) -> String {
    match step {
        NextStep::DeleteChunk(_) => "kb_delete_chunks".to_owned(),
        // Without no_embed it also makes the vectors that are missing.
        NextStep::Ingest(_) | NextStep::MakeVectors => "kb_ingest".to_owned(),
        _ => tool(step),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_reads_of_no_option_and_of_a_command_only_where_no_tool_does_the_step() {
        for setting in ["keep_duplicates", "prune", "offset", "method", "exclude", "verbose", "rerank_budget"] {
            assert!(!argument(setting).contains("--"), "{}", argument(setting));
        }
        assert_eq!(tool(NextStep::Ingest("docs")), "kb ingest docs");
        assert_eq!(tool_of_writer(NextStep::Ingest("docs")), "kb_ingest");
        assert_eq!(tool_of_writer(NextStep::ShowContents("x")), "kb_get_toc");
    }
}
