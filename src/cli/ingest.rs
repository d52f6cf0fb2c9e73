//! `kb ingest`: files and folders into the knowledge base.

use std::io::Read;
use std::path::PathBuf;

use clap::Args;

use super::Context;
use super::progress::progress_display;
use super::reading::ReadingArgs;
use super::waiting::WaitArgs;
use crate::chunk::ChunkConfig;
use crate::chunk::context::ContextKind;
use crate::error::{Error, Kind, Result};
use crate::ingest::{self, Action, IngestRequest, Target};
use crate::load::Format;
use crate::models::ModelChoice;
use crate::render::IngestView;
use crate::store::{DocumentTime, Store};
use crate::text::Period;

/// In megabytes; what is piped in is kept in memory.
const LARGEST_STANDARD_INPUT: u64 = 100;

/// Read files and folders into the knowledge base; only what changed is read again
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb ingest docs/ manual.pdf
  kb ingest . --include '*.pdf' --exclude 'drafts/**'
  kb ingest docs/ --prune                take out what is gone from the folder
  kb ingest docs/ --no-embed             found by words at once; `kb ingest docs/` makes the vectors later
  kb ingest docs/ --context llm --dry-run   what lines of a language model would cost
  kb ingest docs/ --context subjects     a passage that begins with \"It\" is found by what that is
  kb ingest docs/ --model bge-m3 -n zh   a new namespace with another model; `kb models` lists them
  kb ingest minutes/ --time 2026-03      they are from March 2026, whatever the files say
  curl … | kb ingest - --name page.html

A namespace has the vectors of one model, and remembers which: later commands use it without being told.

Folders: hidden files and those in .gitignore and .kbignore are left out. Exit code 4 where some files failed; the
rest is in.")]
pub struct IngestArgs {
    /// Files and folders; `-` is standard input, with --name
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// The name of what comes from standard input; its ending tells the format
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Only files in folders that match this glob; may be given several times
    #[arg(long, value_name = "GLOB")]
    include: Vec<String>,
    /// Not the files and folders that match this glob; may be given several times
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// The format of the files, whatever their names say
    #[arg(long = "as", value_enum, value_name = "FORMAT")]
    source_format: Option<Format>,
    /// Take documents out whose file is gone from the given folders
    #[arg(long)]
    prune: bool,
    /// Only say what would happen
    #[arg(long)]
    dry_run: bool,
    /// Read files again that have not changed
    #[arg(long)]
    force: bool,
    /// When what is ingested is from, such as 2026-11-21 or `90d ago`, whatever it says itself [default: what the document
    /// says, otherwise the time of the file]
    #[arg(long, value_name = "TIME", value_parser = super::filter::parse_time)]
    time: Option<Period>,
    /// Make no vectors, which takes most of the time: searches use words alone until a run without this makes them, or
    /// `kb reindex --vectors`
    #[arg(long)]
    no_embed: bool,
    /// The model of the vectors, of a new namespace; `kb reindex --vectors` gives one that is there another [default: what the
    /// namespace has, otherwise `model` in kb.toml, otherwise the one in the program]
    #[arg(long, value_name = "NAME", env = "KB_MODEL", hide_env_values = true)]
    model: Option<String>,
    /// What is embedded and indexed in front of passages [default: headings; of documents that are there, what they have]
    #[arg(long, value_enum, value_name = "KIND", env = "KB_INGEST_CONTEXT", hide_env_values = true)]
    context: Option<ContextKind>,
    /// Refuse larger files [default: 500 for PDF, DOCX and EPUB, 20 for text]
    #[arg(long, value_name = "MB")]
    max_file_size: Option<u64>,
    #[command(flatten)]
    wait: WaitArgs,
    #[command(flatten)]
    reading: ReadingArgs,
}

pub async fn run(context: &Context, args: IngestArgs) -> Result<u8> {
    let here = Context::here()?;
    let named = context.global.kb.as_deref();
    // Whatever is wrong with a place that is no store yet is found out when one is made.
    let store = Store::open(named, &here).or_else(|_| Store::planned(named, &here))?;
    // Settings may be there before the store is.
    let config = context.config(&store)?;
    let patience = args.wait.patience(context);
    let asked = args.model.clone();
    let request = request(args, config.ingest.clone())?;
    let llm = context.llm(&store, &config);
    if request.context == Some(ContextKind::Llm) {
        llm.required("--context llm")?;
    }
    let create = || -> Result<Store> {
        let (store, created) = Store::open_or_create(named, &here)?;
        if created {
            context.tell(&format!("made a new knowledge base at {}", store.root().display()));
        }
        Ok(store)
    };
    let model = ModelChoice { models: context.models(), asked, preset: config.model.clone() };
    let namespace = context.global.namespace.clone();
    let target = Target { store, create: &create, namespace, model, llm, patience };
    let progress = progress_display(context);
    let report = ingest::run(&request, &target, &context.engine(&config), progress).await?;
    context.show(&IngestView(&report))?;
    report.notes.iter().for_each(|note| context.tell(note));
    Ok(if report.count(Action::Failed) > 0 { Kind::Partial.exit_code() } else { 0 })
}

fn request(args: IngestArgs, config: crate::config::IngestConfig) -> Result<IngestRequest> {
    let (dashes, paths): (Vec<PathBuf>, Vec<PathBuf>) =
        args.paths.into_iter().partition(|path| path.as_os_str() == "-");
    let max_file_bytes = args.max_file_size.or(config.max_file_size).map(|megabytes| megabytes.saturating_mul(1 << 20));
    let standard_input = match (dashes.is_empty(), args.name) {
        (true, None) => None,
        (true, Some(_)) => {
            return Err(Error::usage("--name is for standard input").hint("add the path `-`, or leave --name out"));
        }
        (false, None) => {
            return Err(Error::usage("standard input has no name").hint("give it one, for example --name notes.md"));
        }
        (false, Some(name)) => {
            Some((name, read_standard_input(max_file_bytes.unwrap_or(LARGEST_STANDARD_INPUT << 20))?))
        }
    };
    let reading = args.reading.or(&config)?;
    let context = args.context.or(config.context);
    let or_config = |typed: Vec<String>, configured: Vec<String>| if typed.is_empty() { configured } else { typed };
    Ok(IngestRequest {
        paths,
        standard_input,
        include: or_config(args.include, config.include),
        exclude: or_config(args.exclude, config.exclude),
        format: args.source_format,
        load: reading.load,
        chunking: ChunkConfig::default(),
        context,
        prune: args.prune,
        dry_run: args.dry_run,
        force: args.force,
        time: args.time.map(|period| DocumentTime::given(period.start)),
        embed: !args.no_embed,
        max_file_bytes,
        limits: reading.limits,
        jobs: reading.jobs,
    })
}

fn read_standard_input(most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Error::failed(format!("cannot read standard input: {}", crate::error::plain_io(&error))))?;
    if bytes.len() as u64 > most {
        return Err(Error::failed(format!("standard input is longer than {} MB", most >> 20))
            .hint("raise the limit with --max-file-size MB"));
    }
    Ok(bytes)
}
