//! `kb ingest`: ingests files and folders.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::Args;

use super::doc_set::DescribeArgs;
use super::global::WaitArgs;
use super::input::{confirm, name_of, not_confirmed, read_text, standard_input};
use super::invocation::Context;
use super::models;
use super::progress::{end_on_interrupt, progress_display};
use crate::chunk::context::ContextKind;
use crate::config::{IngestSettings, MEGABYTE, RuleSettings};
use crate::error::{Error, Kind, Result, Setting};
use crate::ingest::{self, Action, IngestReport, IngestRequest, SourceReport, SuspiciousRemoval, Target};
use crate::load::Format;
use crate::models::{ModelChoice, is_endpoint};
use crate::paths::{read_at_most, real};
use crate::render::{OutputFormat, ingested};
use crate::store::{DocumentTime, Store};
use crate::text::{Period, count};

/// In megabytes; standard input is kept in memory.
const LARGEST_STANDARD_INPUT: u64 = 100;

/// Ingest files and folders; later runs read only changed files
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb ingest docs/ manual.pdf
  kb ingest . --include '*.pdf' --exclude 'drafts/**'
  kb ingest https://example.org/guide.html  only that page; fetched again only if it has changed
  kb ingest docs/ --prune                   also remove documents whose files are gone
  kb ingest docs/ --no-embed                keyword search at once; `kb ingest docs/` adds the vectors later
  git diff --name-only --relative --diff-filter=d -z main -- '*.md' | kb ingest -0 --files-from -
  curl … | kb ingest - --name page.html

Hidden files and those in .gitignore and .kbignore are skipped; source code is read too. Exit code 4 if some files failed.")]
pub struct IngestArgs {
    /// Files, folders and pages on the web (https://…); `-` is standard input, with --name
    #[arg(value_name = "PATH", required_unless_present = "files_from")]
    paths: Vec<PathBuf>,
    /// Also read the files and folders in this list, one per line or, with -0, each terminated by NUL; `-` is standard
    /// input
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    files_from: Option<PathBuf>,
    /// The name of standard input; its extension determines the format
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    name: Option<String>,
    /// Read the files in this format, whatever their names
    #[arg(long = "as", value_enum, value_name = "FORMAT", hide_short_help = true)]
    source_format: Option<Format>,
    /// Remove documents whose files are gone from the given folders
    #[arg(long)]
    prune: bool,
    /// Prune without asking, even if this removes more than a fifth of all documents or all of a folder
    #[arg(long, requires = "prune", hide_short_help = true)]
    yes: bool,
    /// Show what would happen
    #[arg(long)]
    dry_run: bool,
    /// Fetch pages from this machine and private networks too
    #[arg(long, hide_short_help = true)]
    allow_private: bool,
    /// Read unchanged files again
    #[arg(long)]
    force: bool,
    /// Exit with code 4 only if a file fails that did not fail before
    #[arg(long, hide_short_help = true)]
    new_failures: bool,
    /// Read no file outside this folder, even through links; repeatable, for servers that ingest for others
    #[arg(long, value_name = "DIR", hide = true)]
    within: Vec<PathBuf>,
    /// The time of the documents, such as 2026-11-21 or `90d ago` [default: the time in the document, otherwise that of
    /// the file]
    #[arg(long, value_name = "TIME", value_parser = super::filter::parse_time, hide_short_help = true)]
    time: Option<Period>,
    /// Skip the vectors, which take most of the time; `kb reindex --vectors` makes them later
    #[arg(long)]
    no_embed: bool,
    /// The embedding model of a new namespace; `endpoint` is that of [embedding] [default: `model` in kb.toml,
    /// otherwise the built-in one]
    #[arg(long, value_name = "NAME", env = "KB_MODEL")]
    model: Option<String>,
    #[command(flatten)]
    describe: DescribeArgs,
    #[command(flatten)]
    wait: WaitArgs,
    // Declared for help and completions; read from the matches, over kb.toml.
    #[command(flatten)]
    _settings: IngestSettings,
}

pub async fn run(context: &Context, args: IngestArgs) -> Result<u8> {
    let here = Context::here()?;
    let named = context.global.kb.as_deref();
    // If the store cannot be opened, creating it reports why.
    let store = Store::open(named, &here).or_else(|_| Store::planned(named, &here))?;
    // Settings may exist before the store.
    let config = context.config(&store)?;
    let lock_timeout = args.wait.lock_timeout(context);
    let (asked, yes, only_new) = (args.model.clone(), args.yes, args.new_failures);
    let mut args = args;
    if let Some(list) = args.files_from.take() {
        args.paths.extend(listed_paths(&list, context.global.null)?);
        if args.paths.is_empty() {
            context.tell(&format!("{} lists no file", name_of(&list)));
            return Ok(0);
        }
    }
    let settings = config.ingest.clone().for_namespace(&context.global.namespace);
    let request = request(args, context.with_arguments(settings)?)?;
    let llm = context.llm(&store, &config);
    if request.chunks.context == Some(ContextKind::Llm) {
        llm.required(&format!("{} llm", Setting("context")))?;
    }
    let is_new = Cell::new(false);
    let create = || -> Result<Store> {
        let (store, created) = Store::open_or_create(named, &here)?;
        if created {
            is_new.set(true);
            context.tell_new(&store);
            context.remember(store.root());
        }
        Ok(store)
    };
    // A user who names the endpoint agrees to its use.
    let models = match asked.as_deref().is_some_and(is_endpoint) {
        true => context.models(&config),
        false => context.models_of(&store, &config),
    };
    let model = ModelChoice { models, asked, preset: config.model.clone() };
    let namespace = context.global.namespace.clone();
    let confirm = |removal: &SuspiciousRemoval| -> Result<bool> {
        Ok(yes || (std::io::stdin().is_terminal() && confirm(&describe_removal(removal))?))
    };
    let (root, writes) = (store.root().to_owned(), !request.dry_run);
    let target = Target { store, create: &create, namespace, model, llm, lock_timeout, confirm: &confirm };
    let progress = progress_display(context);
    end_on_interrupt(&progress);
    let report = ingest::run(&request, &target, &context.engine(&config), progress).await?;
    if writes && root.is_dir() {
        context.remember(&root);
    }
    show_report(context, &report)?;
    let counts = |one: &SourceReport| one.action == Action::Failed && !(only_new && one.failed_before);
    let is_asked =
        std::io::stdin().is_terminal() && context.output_format() == OutputFormat::Table && !context.global.quiet;
    if is_new.get()
        && report.languages.is_some()
        && is_asked
        && let Err(error) = models::offer(context).await
    {
        // The documents are in the store, and can be found by their words.
        context.global.report(&error);
    }
    Ok(if report.sources.iter().any(counts) { Kind::Partial.exit_code() } else { 0 })
}

/// Shows the report, and fails if a removal was not confirmed.
fn show_report(context: &Context, report: &IngestReport) -> Result<()> {
    context.show(ingested(report, context.global.verbose > 0))?;
    report.notes.iter().for_each(|(_, note)| context.tell(note));
    if let Some(removal) = &report.not_removed {
        return Err(not_confirmed(&describe_removal(removal)).hint(format!(
            "check that the folder and its disk are there; {} lists the documents, and {} confirms; everything else is done",
            Setting("dry_run"),
            Setting("yes")
        )));
    }
    Ok(())
}

fn listed_paths(list: &Path, with_nul: bool) -> Result<Vec<PathBuf>> {
    let text = read_text(list)?;
    let paths: Vec<&str> = if with_nul { text.split('\0').collect() } else { text.lines().collect() };
    let paths: Vec<PathBuf> = paths.into_iter().filter(|path| !path.is_empty()).map(PathBuf::from).collect();
    // Standard input would be read a second time, as a document.
    match paths.iter().find(|path| path.as_os_str() == "-") {
        Some(_) => Err(Error::usage(format!("{} lists `-`, which is not a file", name_of(list))).hint("leave it out")),
        None => Ok(paths),
    }
}

/// A removal that needs a confirmation, in words.
fn describe_removal(removal: &SuspiciousRemoval) -> String {
    let documents = format!("remove {} of {}", removal.documents, count(removal.of, "document"));
    match &removal.emptied {
        Some(folder) => format!("{documents}, because nothing is left in {folder}"),
        None => format!("{documents}, because their files are gone"),
    }
}

fn request(args: IngestArgs, settings: IngestSettings) -> Result<IngestRequest> {
    let (dashes, paths): (Vec<PathBuf>, Vec<PathBuf>) =
        args.paths.into_iter().partition(|path| path.as_os_str() == "-");
    let (pages, paths): (Vec<PathBuf>, Vec<PathBuf>) =
        paths.into_iter().partition(|path| path.to_str().is_some_and(ingest::is_page));
    // Each page once: fragments are not part of its address.
    let pages = pages.iter().filter_map(|page| page.to_str()).map(ingest::address);
    let pages: BTreeSet<_> = pages.collect::<Result<_>>()?;
    let max_file_bytes = settings.max_file_size.map(|megabytes| megabytes.get() as u64 * MEGABYTE);
    let standard_input = match (dashes.is_empty(), args.name) {
        (true, None) => None,
        (true, Some(_)) => {
            return Err(Error::usage("--name is for standard input").hint("add the path `-`, or leave --name out"));
        }
        (false, None) => {
            return Err(Error::usage("standard input has no name").hint("give it one, for example --name notes.md"));
        }
        (false, Some(name)) => Some((name, piped_document(max_file_bytes.unwrap_or(LARGEST_STANDARD_INPUT << 20))?)),
    };
    Ok(IngestRequest {
        paths,
        within: args.within.iter().map(|folder| real(folder)).collect(),
        pages: pages.into_iter().collect(),
        allow_private: args.allow_private,
        standard_input,
        include: settings.include.unwrap_or_default(),
        exclude: settings.exclude.unwrap_or_default(),
        format: args.source_format,
        reading: settings.reading.reading()?,
        chunks: settings.chunks.change(settings.context)?,
        rules: settings.metadata.unwrap_or_default().into_iter().map(RuleSettings::rule).collect::<Result<_>>()?,
        metadata: args.describe.changes(),
        prune: args.prune,
        dry_run: args.dry_run,
        force: args.force,
        time: args.time.map(|period| DocumentTime::given(period.start)),
        embed: !args.no_embed,
        max_file_bytes,
    })
}

/// The bytes of standard input, at most `most`.
fn piped_document(most: u64) -> Result<Vec<u8>> {
    standard_input(|input| read_at_most(most, input))?.ok_or_else(|| {
        Error::failed(format!("standard input is longer than {} MB", most >> 20))
            .hint("raise the limit with --max-file-size MB")
    })
}
