//! The flags that say how the best candidates are looked at again: common to `kb search`, `kb context` and `kb eval`.

use clap::Args;

use crate::embed::CrossEncoder;
use crate::error::Result;
use crate::retrieve::{Rerank, RerankBudget, RerankChoice, Settings};

// No doc comment: it would become the description of the command.
#[derive(Debug, Args)]
pub(super) struct RerankArgs {
    /// How the best are looked at again: light, by the question's words in passage and titles; off; or also by the
    /// cross-encoder in a folder (model.onnx, tokenizer.json, … as Hugging Face lays it out)
    /// [default: light, for --method auto and hybrid]
    #[arg(long, value_name = "light|off|FOLDER", env = "KB_RERANK", hide_env_values = true, value_hint = clap::ValueHint::DirPath)]
    rerank: Option<RerankChoice>,
    /// How many of the best a cross-encoder reads; the rest follow in their old order [default: 30]
    #[arg(long, value_name = "N")]
    rerank_depth: Option<usize>,
    /// How long it may read, loading it aside: 500ms, 2s, or none for as long as it takes; what it did not come to
    /// follows in its old order [default: 500ms; none for `kb eval`]
    #[arg(long, value_name = "DURATION")]
    rerank_budget: Option<RerankBudget>,
}

impl RerankArgs {
    /// What was typed, in the settings.
    pub(super) fn put_into(&self, settings: Settings) -> Settings {
        Settings {
            rerank: self.rerank.clone(),
            rerank_depth: self.rerank_depth,
            rerank_budget: self.rerank_budget,
            ..settings
        }
    }
}

/// The second looks that settings ask for, with the model they name looked at: what is wrong with it is said before
/// anything is searched.
///
/// # Errors
/// Where there is no such model.
pub(super) fn rerank(settings: &Settings, budget: RerankBudget) -> Result<Rerank> {
    let rerank = settings.rerank(budget);
    if let Rerank::Model(look) = &rerank {
        CrossEncoder::check(&look.folder)?;
    }
    Ok(rerank)
}
