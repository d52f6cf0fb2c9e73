//! `kb toc`: tables of contents, shown and corrected.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use super::input::{edit, forget_nothing, keep, read_text};
use super::progress::progress_display;
use super::reindex::rebuild_options;
use super::{Context, WaitArgs};
use crate::config::ReadingSettings;
use crate::edits::{Correction, Place, editable_toc, reset_toc, set_toc};
use crate::error::{Error, Result};
use crate::ids::DocId;
use crate::render::{OutputFormat, TocListView, TocView, corrected_contents};
use crate::search::{Purpose, title_section};
use crate::store::{DocumentRow, SectionRow, Snapshot};
use crate::structure::PREAMBLE;

/// The deepest level shown of one document; JSON has all.
const DEFAULT_LEVEL: u32 = 3;
/// The deepest level shown of all documents.
const DEFAULT_LEVEL_OF_LIST: u32 = 1;

/// Show or correct the table of contents of a document, or list those of all
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb toc                                  all documents with their top-level entries
  kb toc manual.pdf --max-level 1
  kb toc manual.pdf --provenance          the origin and confidence of each entry
  kb toc 7f3k2m --format json
  kb toc manual.pdf --edit                correct it in $VISUAL or $EDITOR
  kb toc manual.pdf --editable > toc.txt; …; kb toc manual.pdf --set toc.txt
  kb toc scan.pdf --set toc.txt --ocr-command 'tesseract {} stdout'   reads the source again

A correction stays with the document when it is ingested again.")]
pub struct TocArgs {
    /// An id, path or title, or a part of them [default: all documents]
    #[arg(value_name = "DOC")]
    document: Option<String>,
    /// The deepest level [default: 3, of all documents 1, in JSON all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_level: Option<u32>,
    /// Show the origin of each entry and its confidence, from 0 to 1
    #[arg(long)]
    provenance: bool,
    #[command(flatten)]
    correct: CorrectArgs,
    // Declared for help and completions; read from the matches, over kb.toml.
    #[command(flatten)]
    _reading: ReadingSettings,
    #[command(flatten)]
    wait: WaitArgs,
}

/// At most one of these.
#[derive(Debug, Args)]
#[group(multiple = false, requires = "document", conflicts_with_all = ["max_level", "provenance"])]
pub struct CorrectArgs {
    /// Correct it in an editor
    #[arg(long)]
    edit: bool,
    /// Print it in the form of --edit and --set
    #[arg(long)]
    editable: bool,
    /// Replace it by the one in a file; `-` is standard input
    #[arg(long, value_name = "FILE")]
    set: Option<PathBuf>,
    /// Drop the correction
    #[arg(long)]
    reset: bool,
}

impl CorrectArgs {
    fn step(self) -> Option<Step> {
        match (self.edit, self.editable, self.set, self.reset) {
            (true, ..) => Some(Step::Edit),
            (_, true, ..) => Some(Step::Print),
            (_, _, Some(file), _) => Some(Step::Set(file)),
            (_, _, _, true) => Some(Step::Reset),
            _ => None,
        }
    }
}

/// What is done with a table of contents beyond showing it.
enum Step {
    Edit,
    Print,
    Set(PathBuf),
    Reset,
}

pub async fn run(context: &Context, args: TocArgs) -> Result<u8> {
    let step = args.correct.step();
    if args.wait.is_given() && matches!(step, None | Some(Step::Print)) {
        return Err(Error::usage("--wait is for corrections; reading never waits").hint("leave it out"));
    }
    let reading = ReadingSettings::augment_args(clap::Command::new(""));
    let typed = reading.get_arguments().find(|arg| context.is_typed(arg.get_id().as_str()));
    if let (Some(arg), None | Some(Step::Print)) = (typed, &step) {
        let flag = arg.get_long().unwrap_or_default();
        let message = format!("--{flag} is for corrections, which read the source again");
        return Err(Error::usage(message).hint("leave it out"));
    }
    let store = context.store()?;
    let snapshot = Snapshot::open(&store.namespace(&context.global.namespace)?).await?;
    let documents = snapshot.documents().await?;
    let Some(name) = &args.document else {
        return list(context, &snapshot, &documents, args.max_level, args.provenance).await;
    };
    let purpose = match &step {
        None | Some(Step::Print) => Purpose::Read,
        Some(_) => Purpose::Change,
    };
    let document = context.document(&documents, name, &store, purpose)?;
    let mut sections = snapshot.sections(&document.doc_id).await?;
    if let Some(step) = step {
        return correct(context, step, document, &sections, &args.wait).await;
    }
    sections.retain(|section| section.path != PREAMBLE);
    let all = sections.len();
    let whole = matches!(context.output_format(), OutputFormat::Json | OutputFormat::Jsonl);
    let deepest = args.max_level.or((!whole).then_some(DEFAULT_LEVEL)).unwrap_or(u32::MAX);
    sections.retain(|section| section.level <= deepest);
    context.show(&TocView {
        document,
        sections: &sections,
        hidden: all - sections.len(),
        provenance: args.provenance,
    })?;
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
    // A section that is the whole document only repeats its title: levels are counted below it.
    let by_document: HashMap<&str, &DocumentRow> = documents.iter().map(|row| (row.doc_id.as_str(), row)).collect();
    let whole: HashSet<DocId> = sections
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

/// Prints the editable form, or takes a correction from the editor or a file to the store.
async fn correct(
    context: &Context,
    step: Step,
    document: &DocumentRow,
    sections: &[SectionRow],
    wait: &WaitArgs,
) -> Result<u8> {
    if let Step::Print = step {
        let mut out = std::io::stdout().lock();
        out.write_all(editable_toc(document, sections).as_bytes())?;
        out.flush()?;
        return Ok(0);
    }
    let store = context.store()?;
    let namespace = store.namespace(&context.global.namespace)?;
    let options = rebuild_options(context, wait)?;
    let place = Place { store, namespace, options };
    let progress = progress_display(context);
    let (text, kept) = match &step {
        Step::Set(file) => (read_text(file)?, None),
        Step::Edit => {
            let kept = keep(&editable_toc(document, sections), &format!("kb-toc-{}-", document.doc_id))?;
            let text = edit(kept.path(), "use --editable and --set")?;
            (text, Some(kept))
        }
        Step::Print | Step::Reset => {
            context.show(&corrected_contents(&reset_toc(&place, document, progress).await?))?;
            return Ok(0);
        }
    };
    if text.trim().is_empty() {
        let what = match &step {
            Step::Set(file) if file.as_os_str() == "-" => "standard input".to_owned(),
            Step::Set(file) => file.display().to_string(),
            _ => "the table of contents".to_owned(),
        };
        return Err(Error::usage(format!("{what} is empty; nothing was changed"))
            .hint(format!("`kb toc {} --editable` prints the expected form", document.doc_id)));
    }
    match set_toc(&place, Correction { document, sections }, &text, progress).await {
        Ok(report) => {
            context.show(&corrected_contents(&report))?;
            Ok(0)
        }
        Err(error) => Err(forget_nothing(error, kept, "--set")),
    }
}
