//! How an agent reads settings and next steps in messages: as arguments and tools instead of options and commands.

use super::super::spelling;
use crate::error::{NextStep, spell_with};

/// Registers these words for the messages of the next command.
pub(super) fn register() {
    spell_with(argument, tool);
}

/// The argument of a tool that a setting is, or what `kb` calls it.
fn argument(setting: &str) -> String {
    match setting {
        "all" => "min_confidence 0".to_owned(),
        "doc" => "documents".to_owned(),
        "offset" => "cursor".to_owned(),
        "filter" | "from" | "limit" | "max_level" | "max_tokens" | "min_confidence" | "mode" | "namespace" => {
            setting.to_owned()
        }
        _ => spelling::flag(setting),
    }
}

/// The tool that does a step, or the command for a person.
fn tool(step: NextStep<'_>) -> String {
    match step {
        NextStep::DescribeDocument(_) | NextStep::ListDocuments => "kb_list_documents".to_owned(),
        NextStep::ListChunks => "kb_list_chunks".to_owned(),
        // The schema of its argument has the operators.
        NextStep::Search | NextStep::ShowFilters => "kb_search".to_owned(),
        NextStep::ShowContents(_) => "kb_get_toc".to_owned(),
        _ => spelling::step(step),
    }
}
