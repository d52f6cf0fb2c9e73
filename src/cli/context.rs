//! `kb context`: a prompt context with sources, within a token limit.

use std::path::PathBuf;

use clap::Args;

use super::filter::FILTERS;
use super::invocation::{Context, READS_A_FILE};
use super::search::{QueryArgs, SETTINGS, nothing_found, prepare_request, report};
use crate::config::{DEFAULT_CONTEXT_TOKENS, Output};
use crate::error::Result;
use crate::render::{MarkdownLayout, prompt_context};
use crate::search::{Layout, Target, Template};

const EXAMPLES: &str = "\
Examples:
  kb context how is the pump primed
  kb context how is the pump primed --max-tokens 1500
  kb context retry limit --mode section --doc network-guide.md
  kb context retry limit --template prompt.txt";

const MORE: &str = "\
Documents come in the order of their best chunks, the chunks of each in reading order. In front are
contents, if the question asks for chapters, and the states of mentioned entities (--as-of or now).

A template (Jinja) may use query; contents (title, source, doc_id, part, entries); documents (title,
source, summary, kinds, doc_id, namespace, parent_chunks), a parent chunk having section (id, path,
number, title, titles), page_start, page_end, score, confidence, content, edited, chunk_ids,
children; entities (name, entity_type, aliases, namespace, state, time, in_question); left_out;
entities_left_out:

  {% for document in documents %}{% for chunk in document.parent_chunks %}
  [{{ chunk.section.id }}] {{ chunk.content }}
  {% endfor %}{% endfor %}
  Answer from these documents: {{ query }}";

/// Build a prompt context with sources, within a token limit
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{MORE}\n\n{FILTERS}\n\n{SETTINGS}"))]
pub struct ContextArgs {
    #[command(flatten)]
    query_args: QueryArgs,
    /// Format the context with this template
    #[arg(long, value_name = "FILE", help_heading = "What is shown")]
    template: Option<PathBuf>,
}

pub async fn run(context: &Context, args: ContextArgs) -> Result<u8> {
    if args.template.is_some() {
        context.decline_if_served(READS_A_FILE)?;
    }
    let template = args.template.as_deref().map(Template::read).transpose()?;
    let layout: &dyn Layout = match &template {
        Some(template) => template,
        None => &MarkdownLayout,
    };
    let (searcher, request) = prepare_request(context, args.query_args, Target::Chunks, Output::Prompt).await?;
    let most = request.shape.max_tokens.unwrap_or(DEFAULT_CONTEXT_TOKENS);
    let found = searcher.context(&request, most, layout).await?;
    report(context, &found.notes, &found.route, &found.trace)?;
    let parts = &found.parts;
    let nothing = parts.documents.is_empty() && parts.entities.is_empty() && parts.contents.is_empty();
    if !nothing || context.output_format().is_json() {
        context.show(prompt_context(&found).read_from(&searcher.snapshots().await?))?;
    }
    if nothing {
        return nothing_found(context, &found.query, &found.notes, &found.nearest);
    }
    context.tell_verbose(&format!("{} of {most} tokens, counted by {}", found.tokens, found.tokenizer));
    Ok(0)
}
