//! The flags that say what is made of the ranking: common to `kb search` and `kb context`.

use std::sync::Arc;

use clap::Args;

use crate::config::SearchConfig;
use crate::embed::TokenCounter;
use crate::error::{Error, Result};
use crate::render::OutputFormat;
use crate::retrieve::{Beam, DEFAULT_DIVERSITY, GroupBy, Mode, Shape, Target};

/// Where else these are set, for the help of the commands that have them.
pub(super) const SETTINGS: &str = "\
Settings: what is not typed is taken from the environment, then from [search] in kb.toml. The variable of
a setting is KB_SEARCH_ and its name in capitals, with what its flag takes: KB_SEARCH_METHOD=keyword,
KB_SEARCH_LIMIT=3, KB_SEARCH_WEIGHTS=0.7,0.3, KB_SEARCH_FALLBACK=min_hits=3, KB_SEARCH_KEEP_DUPLICATES=true.
The names: method, limit, min_score, filter, half_life, weights, fusion, rrf_k, pool, kind, expand, synonyms,
fallback, mode, context, window, merge, keep_duplicates, group_by, diversity, per_document, beam, children,
max_tokens, tokenizer. What is typed settles what it contradicts there.";

/// How many hits where nothing is said.
const DEFAULT_LIMIT: usize = 5;
/// The same in the broad mode.
const DEFAULT_BROAD_LIMIT: usize = 10;
/// Pieces named with each passage in JSON where nothing is said; other formats do not show them.
const NAMED_CHILDREN: usize = 2;
/// Tokens of whole sections where nothing is said: a chapter may have a hundred pages.
const DEFAULT_SECTION_TOKENS: usize = 8000;

// No doc comment: it would become the description of the command.
#[derive(Debug, Args)]
#[command(next_help_heading = "What is shown")]
pub(super) struct ShapingArgs {
    /// How hits are chosen [default: precise]
    #[arg(long, value_enum)]
    mode: Option<Mode>,
    /// Show so many neighbouring passages on both sides
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=100))]
    context: Option<u32>,
    /// Neighbours may be of other sections
    #[arg(long)]
    across_sections: bool,
    /// Of each passage only the sentence that matches best, and so many on both sides
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=100))]
    window: Option<u32>,
    /// Make one of adjacent passages of a section [default: in the mode broad]
    #[arg(long, overrides_with = "no_merge")]
    merge: bool,
    /// Leave adjacent passages apart
    #[arg(long, overrides_with = "merge")]
    no_merge: bool,
    /// Show passages that say the same as a better one too
    #[arg(long)]
    keep_duplicates: bool,
    /// Put the hits of a section or a document together, at the place of the best [default: none]
    #[arg(long, value_enum, value_name = "WHAT")]
    group_by: Option<GroupBy>,
    /// How much being different counts in the mode broad, from 0 to 1 [default: 0.3]
    #[arg(long, value_name = "SHARE")]
    diversity: Option<f32>,
    /// At most so many hits of a document
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    per_document: Option<u32>,
    /// How many documents, passages of each and pieces of each the mode drill follows [default: 3,3,3]
    #[arg(long, value_name = "D,P,C")]
    beam: Option<Beam>,
    /// Name so many of the pieces of each passage, those that match best, in JSON [default: 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=100))]
    children: Option<u32>,
    /// At most so many tokens of text and titles; what does not fit is named [default: in the mode section 8000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_tokens: Option<u32>,
    /// What counts them: a tokenizer.json, or `chars/4` for a token every four characters [default: the embedding model's]
    #[arg(long, value_name = "FILE")]
    tokenizer: Option<String>,
}

impl ShapingArgs {
    /// What is asked for by flags, otherwise by the settings. For a context, `context_tokens` says how many it has where
    /// nothing is said.
    pub(super) fn shape(
        &self,
        config: &SearchConfig,
        target: Target,
        context_tokens: Option<usize>,
        format: OutputFormat,
    ) -> Result<Shape> {
        let number = |flag: Option<u32>| flag.map(|number| number as usize);
        let mode = self.mode.or(config.mode).unwrap_or_default();
        self.check(mode, target)?;
        let diversity = self.diversity.or(config.diversity).unwrap_or(DEFAULT_DIVERSITY);
        if !(0.0..=1.0).contains(&diversity) {
            return Err(Error::usage("--diversity is no number from 0 to 1").hint("for example --diversity 0.5"));
        }
        let whole_sections = mode == Mode::Section && target == Target::Passages;
        let default_tokens = context_tokens.or(whole_sections.then_some(DEFAULT_SECTION_TOKENS));
        let max_tokens = number(self.max_tokens).or(config.max_tokens).or(default_tokens);
        let tokenizer = self.tokenizer.as_ref().or(config.tokenizer.as_ref());
        if self.tokenizer.is_some() && max_tokens.is_none() {
            return Err(Error::usage("--tokenizer counts nothing here").hint("say how many tokens with --max-tokens"));
        }
        let counter = match tokenizer.filter(|_| max_tokens.is_some()) {
            Some(name) => Some(Arc::new(TokenCounter::named(name)?)),
            None => None,
        };
        let merge = self.merge.then_some(true).or(self.no_merge.then_some(false));
        // A context does not name them, nor do formats for people.
        let names_children = context_tokens.is_none() && matches!(format, OutputFormat::Json | OutputFormat::Jsonl);
        let children = number(self.children).or(config.children).unwrap_or(NAMED_CHILDREN);
        if self.children.is_some() && !names_children {
            return Err(Error::usage("--children names pieces only in JSON").hint("add --format json to kb search"));
        }
        Ok(Shape {
            mode,
            target,
            context: number(self.context).or(config.context).unwrap_or(0),
            across_sections: self.across_sections,
            window: number(self.window).or(config.window),
            // In a context passages that follow each other are read as one.
            merge: merge.or(config.merge).or(context_tokens.map(|_| true)),
            keep_duplicates: self.keep_duplicates || config.keep_duplicates.unwrap_or(false),
            group_by: self.group_by.or(config.group_by).unwrap_or_default(),
            diversity,
            per_document: number(self.per_document).or(config.per_document),
            beam: self.beam.or(config.beam).unwrap_or_default(),
            children: if names_children { children } else { 0 },
            max_tokens: max_tokens.filter(|_| target == Target::Passages),
            counter,
        })
    }

    /// Refuses flags that would do nothing. Settings of the file are for the modes they belong to.
    fn check(&self, mode: Mode, target: Target) -> Result<()> {
        let sections = mode == Mode::Section || target == Target::Sections;
        let whole_passages = [
            (self.context.is_some(), "--context"),
            (self.across_sections, "--across-sections"),
            (self.window.is_some(), "--window"),
            (self.merge || self.no_merge, "--merge"),
        ];
        let passages = [
            (self.keep_duplicates, "--keep-duplicates"),
            (self.per_document.is_some(), "--per-document"),
            (self.children.is_some(), "--children"),
        ];
        let refuse = |flags: &[(bool, &str)], why: &str, hint: &str| match flags.iter().find(|(given, _)| *given) {
            Some((_, flag)) => Err(Error::usage(format!("{flag} does nothing {why}")).hint(hint)),
            None => Ok(()),
        };
        let another = "leave it out, or choose another --mode";
        if sections {
            refuse(&whole_passages, "where sections are looked for", another)?;
            refuse(&passages, "where sections are looked for", another)?;
        }
        if target == Target::Sections {
            let budget = [(self.max_tokens.is_some(), "--max-tokens"), (self.tokenizer.is_some(), "--tokenizer")];
            refuse(&budget, "with --in sections", "use --mode section for the text of sections")?;
        }
        if mode == Mode::Drill {
            refuse(&whole_passages, "in the mode drill, which shows pieces of passages", another)?;
            refuse(&[passages[2]], "in the mode drill", "its beam says how many pieces there are: --beam 3,3,3")?;
        } else {
            refuse(&[(self.beam.is_some(), "--beam")], "in this mode", "add --mode drill")?;
        }
        if mode != Mode::Broad || sections {
            refuse(&[(self.diversity.is_some(), "--diversity")], "in this mode", "add --mode broad")?;
        }
        if self.across_sections && self.context.is_none() && self.window.is_none() {
            return Err(Error::usage("--across-sections does nothing without neighbours")
                .hint("say how many passages with --context N, or sentences with --window N"));
        }
        Ok(())
    }
}

/// How many hits are wanted where nothing is said.
pub(super) fn default_limit(shape: &Shape) -> usize {
    match shape.mode {
        Mode::Broad => DEFAULT_BROAD_LIMIT,
        Mode::Drill => shape.beam.documents.saturating_mul(shape.beam.parents),
        Mode::Precise | Mode::Section => DEFAULT_LIMIT,
    }
}

/// How many hits a context of so many tokens is put together from, where nothing is said: some more than fit, a passage
/// having 200 tokens or so.
pub(super) fn context_limit(max_tokens: usize) -> usize {
    (max_tokens / 100).clamp(10, 200)
}
