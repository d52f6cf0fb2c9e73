//! Whether the language model answers.

use std::io::{Result, Write};

use serde_json::Value;

use super::{Screen, View, value};
use crate::llm::Checked;

/// What `kb llm check` shows.
pub struct LlmCheckView<'a>(pub &'a Checked);

impl View for LlmCheckView<'_> {
    fn table(&self, _screen: Screen, out: &mut dyn Write) -> Result<()> {
        self.markdown(out)
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        let Checked { model, endpoint, with_key, milliseconds, answer, tokens } = self.0;
        let key = if *with_key { "with a key" } else { "without a key" };
        let counted = tokens.map_or_else(
            || "; it does not say how many tokens".to_owned(),
            |(sent, answered)| format!("; {sent} tokens sent, {answered} answered"),
        );
        writeln!(out, "{model} answers in {milliseconds:.0} ms: {answer:?}")?;
        writeln!(out, "asked at {endpoint}, {key}{counted}")
    }

    fn json(&self) -> Value {
        value(self.0)
    }

    fn paths(&self) -> Vec<String> {
        vec![self.0.endpoint.clone()]
    }
}
