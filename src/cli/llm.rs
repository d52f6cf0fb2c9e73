//! `kb llm`: checks the language model and prints its prompts.

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};

use super::invocation::Context;
use crate::error::{Error, Result};
use crate::llm::{prompt_names, prompt_text};
use crate::render::llm_check;
use crate::store::Store;

/// Check the language model, or print its prompts
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb llm check                                one tiny request: does it answer, and how fast
  KB_LLM_BASE_URL=http://localhost:11434/v1 KB_LLM_MODEL=qwen3 kb llm check
  kb llm prompt expand-query > .kb/prompts/expand-query.md

kb asks no language model unless you configure one in ~/.config/kb/config.toml, or in a .kb/kb.toml that you trust
(`kb trust`):

  [llm]
  base_url = \"https://api.example.com/v1\"     anything with OpenAI's /chat/completions
  model = \"small-model\"
  api_key_env = \"EXAMPLE_API_KEY\"             the variable that holds the key

or by KB_LLM_BASE_URL, KB_LLM_MODEL and KB_LLM_API_KEY; `kb config` lists all settings. If the model does not answer,
kb uses only its rules, and no other command fails.")]
pub struct LlmArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Send one tiny request and report the answer
    Check,
    /// Print a built-in prompt; .kb/prompts/NAME.md overrides it in a trusted store
    Prompt {
        /// Which prompt
        #[arg(value_name = "NAME", value_parser = PossibleValuesParser::new(prompt_names()))]
        name: String,
    },
}

pub async fn run(context: &Context, args: LlmArgs) -> Result<u8> {
    match args.action {
        Action::Check => {
            // A model can be tried before there is a store.
            let store = Store::planned(context.global.kb.as_deref(), &Context::here()?)?;
            let client = context.llm(&store, &context.config(&store)?).required("kb llm check")?;
            context.show(llm_check(&client.check().await?))?;
        }
        Action::Prompt { name } => {
            let text = prompt_text(&name).ok_or_else(|| Error::usage(format!("there is no prompt {name:?}")))?;
            context.show_text("llm_prompt", ("name", &name), text)?;
        }
    }
    Ok(0)
}
