//! `kb toc`: tables of contents, shown and corrected.

use std::collections::HashMap;
use std::path::PathBuf;

use clap::Args;

use super::global::{PartArgs, WaitArgs};
use super::input::{draft_file, edit, keep_draft, name_of, read_text};
use super::invocation::Context;
use super::parse::at_least;
use super::progress::progress_display;
use super::reindex::rebuild_options;
use crate::config::ReadingSettings;
use crate::edits::editable_toc;
use crate::error::{Error, Result};
use crate::ids::DocId;
use crate::ingest::{Place, reset_toc, set_toc};
use crate::render::{ListedSections, Shown, corrected_contents, tables_of_contents, toc};
use crate::search::{Purpose, SectionNames, title_section};
use crate::store::{DocumentRow, SectionRow, Snapshot};
use crate::text::visible;

/// The deepest level shown of one document; JSON has all.
const DEFAULT_LEVEL: u32 = 3;
/// The deepest level shown of all documents.
const DEFAULT_LEVEL_OF_LIST: u32 = 1;

/// Show or correct the table of contents of a document, or list all tables of contents
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
    /// The deepest level to show [default: 3 for one document (in JSON all), 1 for the list of all documents]
    #[arg(long, value_name = "N", value_parser = at_least::<1, u32>)]
    max_level: Option<u32>,
    /// Show the origin of each entry and its confidence, from 0 to 1
    #[arg(long)]
    provenance: bool,
    #[command(flatten)]
    part: PartArgs,
    #[command(flatten)]
    pub(super) correct: CorrectArgs,
    // Declared for help and completions; read from the matches, over kb.toml.
    #[command(flatten)]
    _reading: ReadingSettings,
    #[command(flatten)]
    wait: WaitArgs,
}

/// At most one of these.
#[derive(Debug, Args)]
#[group(multiple = false, requires = "document", conflicts_with_all = ["max_level", "provenance", "limit", "offset"])]
pub struct CorrectArgs {
    /// Correct the table of contents in an editor
    #[arg(long)]
    edit: bool,
    /// Print the table of contents in the form that --edit and --set accept
    #[arg(long)]
    editable: bool,
    /// Replace the table of contents with the one in this file; `-` is standard input
    #[arg(long, value_name = "FILE")]
    set: Option<PathBuf>,
    /// Remove the correction
    #[arg(long)]
    reset: bool,
}

impl CorrectArgs {
    /// Whether it corrects a table of contents.
    pub(super) fn is_change(&self) -> bool {
        self.edit || self.reset || self.set.is_some()
    }
}

pub async fn run(context: &Context, args: TocArgs) -> Result<u8> {
    let is_change = args.correct.is_change();
    if args.wait.is_given() && !is_change {
        return Err(Error::usage("--wait is for corrections; reading never waits").hint("leave it out"));
    }
    let reading = ReadingSettings::augment_args(clap::Command::new(""));
    if let Some(arg) = reading.get_arguments().find(|arg| !is_change && context.is_typed(arg.get_id().as_str())) {
        let flag = arg.get_long().unwrap_or_default();
        let message = format!("--{flag} is for corrections, which read the source again");
        return Err(Error::usage(message).hint("leave it out"));
    }
    let store = context.store()?;
    let reading = context.reading(store.namespace(&context.global.namespace)?);
    let snapshot = reading.snapshot().await?;
    let shown = Shown { provenance: args.provenance, width: context.screen.columns };
    let Some(name) = &args.document else {
        let all = snapshot.all_document_names().await?;
        if all.is_empty() {
            context.tell_no_documents();
        }
        let count = all.len();
        let ids: Vec<DocId> = args.part.of(context, all).into_iter().map(|document| document.doc_id).collect();
        let documents = snapshot.documents_by_id(&ids).await?;
        let only = (ids.len() < count).then_some(&ids[..]);
        return list(context, snapshot, &documents, only, args.max_level, shown).await;
    };
    let purpose = if is_change { Purpose::Change } else { Purpose::Read };
    let document = &context.document_of(snapshot, name, &store, purpose).await?;
    let mut sections = snapshot.sections(&document.doc_id).await?;
    if args.correct.editable {
        let text = editable_toc(document, &sections);
        return context.show_text("toc_editable", ("doc_id", document.doc_id.as_str()), &visible(&text));
    }
    if is_change {
        return correct(context, args.correct, document, &sections, &args.wait).await;
    }
    sections.retain(|section| !section.is_preamble());
    let (all, names) = (sections.len(), SectionNames::of(&sections));
    let default = if context.output_format().is_json() { u32::MAX } else { DEFAULT_LEVEL };
    let deepest = args.max_level.unwrap_or(default);
    sections.retain(|section| section.level <= deepest);
    let deeper = all - sections.len();
    let has_entries = !sections.is_empty();
    let sections = args.part.of(context, sections);
    let contents = ListedSections { document, sections: &sections, names: &names };
    context.show(toc(&contents, deeper, shown).read_from(&[snapshot]))?;
    if all == 0 {
        context.tell(&format!("{} has no table of contents; its whole text is section 0", document.source));
        return Ok(1);
    }
    Ok(u8::from(has_entries && sections.is_empty()))
}

async fn list(
    context: &Context,
    snapshot: &Snapshot,
    documents: &[DocumentRow],
    only: Option<&[DocId]>,
    max_level: Option<u32>,
    shown: Shown,
) -> Result<u8> {
    let deepest = max_level.unwrap_or(DEFAULT_LEVEL_OF_LIST);
    let mut sections: HashMap<DocId, Vec<SectionRow>> = HashMap::new();
    for section in snapshot.sections_to_level(only, deepest.saturating_add(1)).await? {
        sections.entry(section.doc_id.clone()).or_default().push(section);
    }
    let mut titles: HashMap<DocId, Vec<String>> = HashMap::new();
    for (section_id, title) in snapshot.section_titles(only).await? {
        titles.entry(section_id.doc_id().into()).or_default().push(title);
    }
    let listed = documents.iter().map(|document| {
        let mut own = sections.remove(&document.doc_id).unwrap_or_default();
        // A section that spans the whole document repeats its title, so levels count from below it.
        match title_section(&document.title, &own) {
            Some(_) => own.retain(|section| section.level > 1),
            None => own.retain(|section| section.level <= deepest),
        }
        let titles = titles.get(&document.doc_id).map_or(&[][..], Vec::as_slice);
        (document, own, SectionNames::among(titles.iter().map(String::as_str)))
    });
    let listed: Vec<_> = listed.collect();
    let contents = listed.iter().map(|(document, sections, names)| ListedSections { document, sections, names });
    context.show(tables_of_contents(&contents.collect::<Vec<_>>(), shown).read_from(&[snapshot]))?;
    Ok(u8::from(documents.is_empty()))
}

/// Stores a correction from the editor or a file, or drops the stored one.
async fn correct(
    context: &Context,
    args: CorrectArgs,
    document: &DocumentRow,
    sections: &[SectionRow],
    wait: &WaitArgs,
) -> Result<u8> {
    let (store, namespace) = (context.store()?, context.namespace()?);
    let place = Place { store, namespace, options: rebuild_options(context, wait)? };
    let progress = progress_display(context);
    if args.reset {
        return context.show(corrected_contents(&reset_toc(&place, document, progress).await?));
    }
    let (text, kept) = match &args.set {
        Some(file) => (read_text(file)?, None),
        None => {
            let kept = draft_file(&editable_toc(document, sections), &format!("kb-toc-{}-", document.doc_id))?;
            (edit(kept.path(), "use --editable and --set")?, Some(kept))
        }
    };
    if text.trim().is_empty() {
        let what = args.set.as_deref().map_or_else(|| "the table of contents".to_owned(), name_of);
        return Err(Error::usage(format!("{what} is empty; nothing was changed"))
            .hint(format!("`kb toc {} --editable` prints the expected form", document.doc_id)));
    }
    let set = set_toc(&place, document, sections, &text, progress).await;
    context.show(corrected_contents(&set.map_err(|error| keep_draft(error, kept, "--set"))?))
}
