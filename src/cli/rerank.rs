//! The flags that say how the best candidates are looked at again: common to `kb search`, `kb context` and `kb eval`.

use std::path::{Component, Path, PathBuf};

use clap::Args;

use crate::embed::CrossEncoder;
use crate::error::Result;
use crate::models::{ModelKind, Models};
use crate::retrieve::{Rerank, RerankBudget, RerankChoice, Settings};

// No doc comment: it would become the description of the command.
#[derive(Debug, Args)]
pub(super) struct RerankArgs {
    /// How the best are looked at again: light, by the question's words in passage and titles; off; or also by a
    /// cross-encoder, named as `kb models` lists it or by its folder (model.onnx, tokenizer.json, … as Hugging Face lays
    /// it out) [default: light, for --method auto and hybrid]
    #[arg(long, value_name = "light|off|MODEL|FOLDER", env = "KB_RERANK", hide_env_values = true, value_hint = clap::ValueHint::DirPath)]
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
    let mut rerank = settings.rerank(budget);
    if let Rerank::Model(look) = &mut rerank {
        look.folder = place(&look.folder)?;
        CrossEncoder::check(&look.folder)?;
    }
    Ok(rerank)
}

/// The folder of the model that was named: one that is there, or else the one of that name among the user's models.
fn place(named: &Path) -> Result<PathBuf> {
    let name = named.to_str().filter(|_| !named.exists() && could_be_a_name(named));
    match name {
        None => Ok(named.to_owned()),
        Some(name) => Models::of_user()?.must_have(name, ModelKind::Rerank).map(|(folder, _)| folder),
    }
}

/// `NAME` or `OWNER/NAME`.
fn could_be_a_name(named: &Path) -> bool {
    let mut parts = named.components();
    named.components().count() <= 2 && parts.all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_paths() {
        assert!(
            ["bge-reranker-base", "BAAI/bge-reranker-base"].into_iter().all(|name| could_be_a_name(Path::new(name)))
        );
        assert!(["./x", "/x", "../x", "a/b/c"].into_iter().all(|path| !could_be_a_name(Path::new(path))));
    }
}
