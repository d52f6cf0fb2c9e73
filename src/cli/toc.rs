//! `kb toc`: tables of contents, shown and corrected.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use clap::Args;

use super::reading::ReadingArgs;
use super::waiting::WaitArgs;
use super::{Context, toc_edit};
use crate::error::{Error, Result};
use crate::render::{OutputFormat, TocListView, TocView};
use crate::retrieve::{Purpose, title_section};
use crate::store::{DocumentRow, Snapshot};
use crate::structure::PREAMBLE;

/// How deep the tree is drawn where nothing is said; JSON is always whole.
const DEFAULT_LEVEL: u32 = 3;
/// How deep in the list of all documents.
const DEFAULT_LEVEL_OF_LIST: u32 = 1;

/// Show a document's table of contents, or those of all documents; or correct one
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb toc                                  all documents with their top-level entries
  kb toc manual.pdf --max-level 1
  kb toc manual.pdf --provenance          where each entry came from, and how sure it is
  kb toc 7f3k2m --format json
  kb toc manual.pdf --edit                correct it in $VISUAL or $EDITOR
  kb toc manual.pdf --editable > toc.txt; …; kb toc manual.pdf --set toc.txt
  kb toc scan.pdf --set toc.txt --ocr-command 'tesseract {} stdout'   the source is read again for it

A correction is kept with the document, also when that is ingested again; sections and passages are made anew at once.")]
pub struct TocArgs {
    /// An id or its beginning, a path or its end, a title or (only to show it) a part of one; all documents, where there
    /// is none
    #[arg(value_name = "DOC")]
    document: Option<String>,
    /// How deep [default: 3, for all documents 1; in JSON of one, all of it]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_level: Option<u32>,
    /// Show where each entry came from and how sure it is, from 0 to 1
    #[arg(long)]
    provenance: bool,
    #[command(flatten)]
    correct: CorrectArgs,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    wait: WaitArgs,
}

/// What is done beyond showing; one of these at most.
#[derive(Debug, Args)]
#[group(multiple = false, requires = "document", conflicts_with_all = ["max_level", "provenance"])]
pub struct CorrectArgs {
    /// Correct the table of contents in an editor
    #[arg(long)]
    edit: bool,
    /// Print it in the form that --edit shows and --set takes
    #[arg(long)]
    editable: bool,
    /// Take the corrected one from a file; `-` is standard input
    #[arg(long, value_name = "FILE")]
    set: Option<PathBuf>,
    /// Drop the correction
    #[arg(long)]
    reset: bool,
}

impl CorrectArgs {
    fn into_step(self) -> Option<toc_edit::Step> {
        match (self.edit, self.editable, self.set, self.reset) {
            (true, ..) => Some(toc_edit::Step::Edit),
            (_, true, ..) => Some(toc_edit::Step::Print),
            (_, _, Some(file), _) => Some(toc_edit::Step::Set(file)),
            (_, _, _, true) => Some(toc_edit::Step::Reset),
            _ => None,
        }
    }
}

pub async fn run(context: &Context, args: TocArgs) -> Result<u8> {
    let step = args.correct.into_step();
    if args.wait.is_given() && matches!(step, None | Some(toc_edit::Step::Print)) {
        return Err(Error::usage("--wait is for corrections: what only reads waits for nobody").hint("leave it out"));
    }
    if let (Some(flag), None | Some(toc_edit::Step::Print)) = (args.reading.given(), &step) {
        return Err(
            Error::usage(format!("{flag} is for corrections, which read the source again")).hint("leave it out")
        );
    }
    let store = context.store()?;
    let snapshot = Snapshot::open(&store.namespace(&context.global.namespace)?).await?;
    let documents = snapshot.documents().await?;
    let Some(name) = &args.document else {
        return list(context, &snapshot, &documents, args.max_level, args.provenance).await;
    };
    let purpose = match &step {
        None | Some(toc_edit::Step::Print) => Purpose::Read,
        Some(_) => Purpose::Change,
    };
    let document = context.document(&documents, name, &store, purpose)?;
    let mut sections = snapshot.sections(&document.doc_id).await?;
    if let Some(step) = step {
        return toc_edit::run(context, step, document, &sections, args.reading, &args.wait).await;
    }
    sections.retain(|section| section.path != PREAMBLE);
    let all = sections.len();
    let whole = matches!(context.output_format(), OutputFormat::Json | OutputFormat::Jsonl);
    let deepest = args.max_level.or((!whole).then_some(DEFAULT_LEVEL)).unwrap_or(u32::MAX);
    sections.retain(|section| section.level <= deepest);
    let hidden = all - sections.len();
    context.show(&TocView { document, sections: &sections, hidden, provenance: args.provenance })?;
    if all == 0 {
        context.tell(&format!("{} has no table of contents; its whole text is section 0", document.source));
        return Ok(1);
    }
    Ok(0)
}

async fn list(
    context: &Context,
    snapshot: &Snapshot,
    documents: &[DocumentRow],
    max_level: Option<u32>,
    provenance: bool,
) -> Result<u8> {
    let deepest = max_level.unwrap_or(DEFAULT_LEVEL_OF_LIST);
    let mut sections = snapshot.sections_to_level(deepest.saturating_add(1)).await?;
    // A section that is the whole document says nothing that its title does not: its levels are counted below it.
    let by_document: HashMap<&str, &DocumentRow> = documents.iter().map(|row| (row.doc_id.as_str(), row)).collect();
    let whole: HashSet<String> = sections
        .chunk_by(|a, b| a.doc_id == b.doc_id)
        .filter_map(|own| title_section(by_document.get(own[0].doc_id.as_str())?, own))
        .map(|section| section.doc_id.clone())
        .collect();
    sections.retain(|section| match whole.contains(&section.doc_id) {
        true => section.level > 1,
        false => section.level <= deepest,
    });
    context.show(&TocListView { documents, sections: &sections, provenance })?;
    Ok(u8::from(documents.is_empty()))
}
