//! `kb context`: what a prompt needs to answer a question.

use std::path::PathBuf;

use clap::Args;

use super::Context;
use super::search::{AskedArgs, ask, tell};
use super::shaping::SETTINGS;
use crate::error::Result;
use crate::render::{ContextView, MarkdownLayout};
use crate::retrieve::{Layout, Target, Template};

/// Tokens where nothing is said.
const DEFAULT_TOKENS: usize = 4000;

const EXAMPLES: &str = "\
Examples:
  kb context how is the pump primed
  kb context how is the pump primed --max-tokens 1500
  kb context retry limit --mode section --doc network-guide.md
  kb context retry limit --mode broad -n manuals,drafts
  kb context retry limit --tokenizer llama/tokenizer.json --max-tokens 8000
  kb context retry limit --template prompt.txt      laid out as you like it

Documents come in the order of their best passages, the passages of each in reading order, each section with its
titles, id and pages. The whole text is counted and never has more tokens than asked for; what was found and did not
fit is named in its last line, where there is room, and on standard error.

A template is written in Jinja (https://docs.rs/minijinja). It may use query; documents, each with title, source,
doc_id, namespace and passages; of each passage section_title, section_id, page_start, page_end, score, text and
chunk_ids; and left_out, each with source, section_id, section_title and chunk_ids:

  {% for document in documents %}
  <document title=\"{{ document.title }}\" source=\"{{ document.source }}\">
  {% for passage in document.passages %}
  [{{ passage.section_id }}] {{ passage.text }}
  {% endfor %}
  </document>
  {% endfor %}
  Answer from these documents: {{ query }}";

/// Put a context for a prompt together: the passages that answer a question, with their sources, in so many tokens
#[derive(Debug, Args)]
#[command(
    about = "Put a context for a prompt together: the passages that answer a question, with their sources, in so many tokens",
    after_help = format!("{EXAMPLES}\n\n{SETTINGS}")
)]
pub struct ContextArgs {
    #[command(flatten)]
    asked: AskedArgs,
    /// Lay the context out with this template
    #[arg(long, value_name = "FILE")]
    template: Option<PathBuf>,
}

pub async fn run(context: &Context, args: ContextArgs) -> Result<u8> {
    let template = args.template.as_deref().map(Template::read).transpose()?;
    let layout: &dyn Layout = match &template {
        Some(template) => template,
        None => &MarkdownLayout,
    };
    let (kernel, request) = ask(context, args.asked, Target::Passages, Some(DEFAULT_TOKENS)).await?;
    let most = request.shape.max_tokens.unwrap_or(DEFAULT_TOKENS);
    let found = kernel.context(&request, most, layout).await?;
    tell(context, &found.notes, &found.route, &found.trace);
    if found.documents.is_empty() {
        context.tell(&format!("nothing found for {:?}", crate::text::truncate(&found.query, 80)));
        return Ok(1);
    }
    let view = ContextView(&found);
    context.show(&view)?;
    if let Some(line) = view.left_out() {
        context.tell(&line);
    }
    context.tell_more(&format!("{} of {most} tokens, counted by {}", found.tokens, found.tokenizer));
    Ok(0)
}
