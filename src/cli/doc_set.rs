//! `kb doc-set`: metadata and tags of documents.

use clap::Args;

use super::global::WaitArgs;
use super::invocation::Context;
use crate::error::{Error, Result};
use crate::render::described_documents;
use crate::store::{Change, DocumentRow, DocumentTime, MetadataChanges, MetadataValue, Note, check_field};

// No doc comment: it would become the description of the command.
#[derive(Debug, Default, Args)]
pub(super) struct DescribeArgs {
    /// Set a field of metadata: a text, a number, true, false, or a list like [a, b]; an empty value removes it;
    /// repeatable
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_field)]
    meta: Vec<(String, Option<MetadataValue>)>,
    /// Add a tag; repeatable
    #[arg(long, value_name = "TAG", value_parser = parse_tag)]
    tag: Vec<String>,
}

impl DescribeArgs {
    pub(super) fn changes(&self) -> MetadataChanges {
        let fields = self.meta.iter().cloned().collect();
        MetadataChanges { fields, tagged: self.tag.iter().cloned().collect(), ..MetadataChanges::default() }
    }
}

/// An empty value is `None`.
fn parse_field(text: &str) -> Result<(String, Option<MetadataValue>), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
    let value = Some(MetadataValue::typed(value)).filter(|_| !value.trim().is_empty());
    check_field(name)?;
    Ok((name.trim().to_owned(), value))
}

fn parse_tag(text: &str) -> Result<String, String> {
    let tag = text.trim();
    let is_one = !tag.is_empty() && !tag.contains([',', ';', '，', '、', '；']);
    is_one.then(|| tag.to_owned()).ok_or_else(|| "expected a tag without commas and semicolons".to_owned())
}

/// Set metadata and tags of documents, for filters
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb doc-set manual.pdf --meta project=apollo --tag safety
  kb doc-set manual.pdf --untag draft --unset project
  kb search valve --filter 'project = apollo and tags = safety'

What you set survives a new ingest and overrides what the document states.")]
pub struct DocSetArgs {
    /// An id or its beginning, a path or its end, or a title
    #[arg(value_name = "DOC", required = true)]
    documents: Vec<String>,
    #[command(flatten)]
    describe: DescribeArgs,
    /// Hide a field, even one that the document states; repeatable
    #[arg(long, value_name = "NAME")]
    unset: Vec<String>,
    /// Remove a tag; repeatable
    #[arg(long, value_name = "TAG", value_parser = parse_tag)]
    untag: Vec<String>,
    /// Show what would change
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    wait: WaitArgs,
}

pub async fn run(context: &Context, args: DocSetArgs) -> Result<u8> {
    let mut changes = args.describe.changes();
    changes.fields.extend(args.unset.iter().map(|name| (name.clone(), None)));
    changes.untagged.extend(args.untag.iter().cloned());
    let is_set = |name: &&String| args.describe.meta.iter().any(|(own, _)| own == *name);
    let both = args.untag.iter().find(|tag| changes.tagged.contains(*tag));
    let both = both.or_else(|| args.unset.iter().find(is_set));
    if let Some(both) = both {
        return Err(Error::usage(format!("{both:?} is both set and removed")).hint("remove one of them"));
    }
    if changes.is_empty() {
        return Err(
            Error::usage("no option says what to set").hint("give --meta NAME=VALUE, --tag, --unset or --untag")
        );
    }
    let (writer, found) = context.documents_to_change(&args.documents, args.dry_run, &args.wait).await?;
    let mut generation = None;
    let described: Vec<_> = found.iter().map(|row| described(row, &changes)).collect();
    let changed: Vec<DocumentRow> =
        described.iter().filter(|(_, is_new)| *is_new).map(|(row, _)| row.clone()).collect();
    if let Some(mut writer) = writer.filter(|_| !changed.is_empty()) {
        let mut note = Note::of("doc-set");
        changed.iter().for_each(|row| note.add("described", &row.source));
        generation = Some(writer.publish(&Change { update: changed, note, ..Change::default() }).await?);
    }
    context.show(described_documents(&described, args.dry_run).at(generation))
}

/// The document with its new metadata, and whether anything changed.
fn described(row: &DocumentRow, changes: &MetadataChanges) -> (DocumentRow, bool) {
    let mut new = row.clone();
    new.metadata.set.extend(&row.metadata.effective(changes));
    let given = new.time.take().filter(DocumentTime::is_given);
    new.time = given.or_else(|| DocumentTime::of(&new.metadata.texts(), new.mtime_ns));
    let is_new = new != *row;
    (new, is_new)
}
