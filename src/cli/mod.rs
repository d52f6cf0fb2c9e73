//! The command line: one file per command with its options, one library call and a rendering. Nothing behind it sees a flag.

mod check;
mod chunk_delete;
mod chunk_edit;
mod chunks_list;
mod completions;
mod context;
mod diff;
mod docs;
mod entities;
mod entity_set;
mod eval;
mod filter;
mod ingest;
mod input;
mod llm;
mod log;
mod models;
mod namespaces;
mod parse;
mod progress;
mod reindex;
mod remove;
mod restore;
mod search;
mod section;
mod spelling;
mod status;
mod toc;

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, Args, ColorChoice, FromArgMatches, Parser, Subcommand};

use crate::config::Config;
use crate::embed::{Device, EngineChoice};
use crate::error::{Error, Kind, Result};
use crate::models::Models;
use crate::render::{OutputFormat, Page, screen_width};
use crate::search::{Encoder, Purpose, Searcher, resolve_document, resolve_documents};
use crate::store::{DocumentRow, LockTimeout, Namespace, Store};

const EXAMPLES: &str = "\
Examples:
  kb ingest docs/                         read a folder; later runs read only what changed
  kb search \"how is the pump primed?\"     the best parts of documents, with section and page
  kb toc manual.pdf                       a document's table of contents

Exit codes: 0 done or found, 1 found nothing, 2 used wrongly, 3 failed, 4 some files failed";

/// Answers questions with the right section of the right document, offline.
#[derive(Debug, Parser)]
#[command(name = "kb", version, after_help = EXAMPLES, max_term_width = 110, disable_help_flag = true, disable_help_subcommand = true)]
pub struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// The options of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// The store's folder [default: the nearest .kb/ upwards]
    #[arg(long, global = true, value_name = "DIR", env = "KB_DIR", hide_short_help = true)]
    kb: Option<PathBuf>,
    /// The namespace; search, docs and status take several (`manuals,drafts`) or `all`
    #[arg(short, long, global = true, value_name = "NAME", env = "KB_NAMESPACE", default_value = "default")]
    namespace: String,
    /// The output format [default: table on a terminal, markdown in a pipe]
    #[arg(long, global = true, value_enum, value_name = "FORMAT")]
    format: Option<OutputFormat>,
    /// Print only results and errors
    #[arg(short, long, global = true, hide_short_help = true)]
    quiet: bool,
    /// Print the time of each stage, and the causes of an error
    #[arg(short, long, global = true, action = ArgAction::Count, conflicts_with = "quiet", hide_short_help = true)]
    verbose: u8,
    /// When to use colour
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = ColorChoice::Auto, hide_short_help = true)]
    color: ColorChoice,
    /// Hide the progress display
    #[arg(long, global = true, hide_short_help = true)]
    no_progress: bool,
    /// The ONNX Runtime library that runs models, or `off` for pure Rust [default: one that is found]
    #[arg(long, global = true, value_name = "PATH", env = "KB_ONNXRUNTIME", hide_short_help = true)]
    onnxruntime: Option<PathBuf>,
    /// The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "DEVICE",
        env = "KB_DEVICE",
        hide_possible_values = true,
        hide_short_help = true
    )]
    device: Option<Device>,
    /// Print help; --help lists all options
    #[arg(short, long, global = true, action = ArgAction::HelpShort)]
    help: Option<bool>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Ingest(ingest::IngestArgs),
    Search(Box<search::SearchArgs>),
    Context(Box<context::ContextArgs>),
    Toc(toc::TocArgs),
    Section(section::SectionArgs),
    ChunksList(chunks_list::ChunksListArgs),
    ChunkEdit(chunk_edit::ChunkEditArgs),
    ChunkDelete(chunk_delete::ChunkDeleteArgs),
    EntitySet(entity_set::EntitySetArgs),
    Entities(entities::EntitiesArgs),
    Docs(docs::DocsArgs),
    Remove(remove::RemoveArgs),
    Status(status::StatusArgs),
    Log(log::LogArgs),
    Restore(restore::RestoreArgs),
    Diff(diff::DiffArgs),
    Namespaces(namespaces::NamespacesArgs),
    Check(check::CheckArgs),
    Reindex(reindex::ReindexArgs),
    Eval(eval::EvalArgs),
    Models(models::ModelsArgs),
    Llm(llm::LlmArgs),
    Completions(completions::CompletionsArgs),
    /// Parse files for a parent process
    #[command(name = crate::load::worker::SUBCOMMAND, hide = true)]
    ParseWorker,
}

/// Runs the program and gives its exit code.
pub fn main() -> ExitCode {
    let (cli, matches) = parse::parse();
    cli.global.apply_color();
    let global = cli.global.clone();
    // Some crashes inside an engine cannot be caught; all of them end the command in the same way.
    let on_crash = global.clone();
    crate::embed::on_engine_crash(move |error| {
        on_crash.report(error);
        std::process::exit(i32::from(error.kind().exit_code()));
    });
    match run(cli, matches) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            global.report(&error);
            ExitCode::from(error.kind().exit_code())
        }
    }
}

fn run(cli: Cli, matches: ArgMatches) -> Result<u8> {
    if matches!(cli.command, Command::ParseWorker) {
        return crate::load::worker::serve().map(|()| 0);
    }
    if let Command::Completions(args) = &cli.command {
        return completions::run(args);
    }
    let runtime =
        tokio::runtime::Runtime::new().map_err(|error| Error::failed(format!("cannot start the runtime: {error}")))?;
    let context = Context { global: cli.global, matches };
    runtime.block_on(async {
        match cli.command {
            Command::Ingest(args) => ingest::run(&context, args).await,
            Command::Search(args) => search::run(&context, *args).await,
            Command::Context(args) => context::run(&context, *args).await,
            Command::Toc(args) => toc::run(&context, args).await,
            Command::Section(args) => section::run(&context, args).await,
            Command::ChunkEdit(args) => chunk_edit::run(&context, args).await,
            Command::ChunkDelete(args) => chunk_delete::run(&context, args).await,
            Command::ChunksList(args) => chunks_list::run(&context, args).await,
            Command::EntitySet(args) => entity_set::run(&context, args).await,
            Command::Entities(args) => entities::run(&context, args).await,
            Command::Docs(args) => docs::run(&context, args).await,
            Command::Remove(args) => remove::run(&context, args).await,
            Command::Status(args) => status::run(&context, args).await,
            Command::Log(args) => log::run(&context, args).await,
            Command::Restore(args) => restore::run(&context, args).await,
            Command::Diff(args) => diff::run(&context, args).await,
            Command::Namespaces(args) => namespaces::run(&context, args).await,
            Command::Check(args) => check::run(&context, args).await,
            Command::Reindex(args) => reindex::run(&context, args).await,
            Command::Eval(args) => eval::run(&context, args).await,
            Command::Models(args) => models::run(&context, args).await,
            Command::Llm(args) => llm::run(&context, args).await,
            Command::Completions(_) | Command::ParseWorker => Ok(0),
        }
    })
}

impl Global {
    fn apply_color(&self) {
        let choice = match self.color {
            ColorChoice::Auto => anstream::ColorChoice::Auto,
            ColorChoice::Always => anstream::ColorChoice::Always,
            ColorChoice::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
    }

    /// Writes an error to standard error, with its causes under `--verbose`.
    fn report(&self, error: &Error) {
        let text = match (error.kind(), self.format) {
            (Kind::BrokenPipe, _) => return,
            (_, Some(OutputFormat::Json | OutputFormat::Jsonl)) => error_json(error),
            (kind, _) => {
                let (red, reset) = (anstyle::AnsiColor::Red.on_default().bold(), anstyle::Reset);
                let label = if kind == Kind::NotFound { String::new() } else { format!("{red}error:{reset} ") };
                let mut text = format!("{label}{}", error.to_line());
                error.shown().iter().for_each(|figure| text.push_str(&format!("\n{figure}")));
                if self.verbose > 0 {
                    error.causes().for_each(|cause| text.push_str(&format!("\n  caused by: {cause}")));
                }
                text
            }
        };
        // Nothing is left to do where standard error is closed too.
        writeln!(anstream::stderr(), "{text}").unwrap_or_default();
    }
}

/// An error where results are JSON.
fn error_json(error: &Error) -> String {
    let (kind, message, hint) = (error.kind().name(), error.message(), error.next_step());
    serde_json::json!({ "error": { "kind": kind, "message": message, "hint": hint } }).to_string()
}

/// The global options, and what they lead to.
pub(crate) struct Context {
    global: Global,
    /// What was typed after the subcommand, with its variables.
    matches: ArgMatches,
}

impl Context {
    fn here() -> Result<PathBuf> {
        std::env::current_dir().map_err(|error| Error::failed(format!("cannot read the current folder: {error}")))
    }

    fn store(&self) -> Result<Store> {
        Store::open(self.global.kb.as_deref(), &Context::here()?)
    }

    /// Settings of `kb.toml` under those of the environment and the command line.
    fn over<T: FromArgMatches>(&self, mut file: T) -> Result<T> {
        let updated = file.update_from_arg_matches(&self.matches);
        updated.map_err(|error| Error::usage(error.to_string()))?;
        Ok(file)
    }

    /// Whether an argument stands on the command line.
    fn is_typed(&self, id: &str) -> bool {
        self.matches.value_source(id) == Some(ValueSource::CommandLine)
    }

    fn config(&self, store: &Store) -> Result<Config> {
        Config::read(store.root())
    }

    fn engine(&self, config: &Config) -> EngineChoice {
        let device = self.global.device.or(config.device).unwrap_or_default();
        EngineChoice::parse(self.global.onnxruntime.as_deref().or(config.onnxruntime.as_deref())).on(device)
    }

    /// The installed models; the embedded one alone where no folder for models is known.
    fn models(&self) -> Models {
        Models::of_user().unwrap_or_else(|_| Models::open(""))
    }

    fn encoder(&self, store: &Store, config: &Config) -> Encoder {
        Encoder::new(self.engine(config), self.models()).keeping(store.root())
    }

    /// A searcher on the namespace that was named.
    fn searcher(&self, store: &Store) -> Result<Searcher> {
        Ok(Searcher::new(store.namespace(&self.global.namespace)?, self.encoder(store, &self.config(store)?)))
    }

    /// A searcher on all namespaces that were named.
    fn searcher_over(&self, store: &Store, config: &Config) -> Result<Searcher> {
        let searcher = Searcher::over(store.namespaces_named(&self.global.namespace)?, self.encoder(store, config));
        Ok(searcher.with_synonyms(config.search.synonyms.clone()))
    }

    /// The named document, with a note on a guess.
    fn document<'a>(
        &self,
        documents: &'a [DocumentRow],
        name: &str,
        store: &Store,
        purpose: Purpose,
    ) -> Result<&'a DocumentRow> {
        let named = resolve_document(documents, name, store, purpose)?;
        named.note.iter().for_each(|note| self.tell(note));
        Ok(named.document)
    }

    /// The named documents, each once, with a note on each guess.
    fn documents<'a>(
        &self,
        documents: &'a [DocumentRow],
        names: &[String],
        store: &Store,
        purpose: Purpose,
    ) -> Result<Vec<&'a DocumentRow>> {
        let named = resolve_documents(documents, names, store, purpose)?;
        named.iter().filter_map(|named| named.note.as_deref()).for_each(|note| self.tell(note));
        Ok(named.into_iter().map(|named| named.document).collect())
    }

    fn output_format(&self) -> OutputFormat {
        self.global.format.unwrap_or(if std::io::stdout().is_terminal() {
            OutputFormat::Table
        } else {
            OutputFormat::Markdown
        })
    }

    /// Writes a result to standard output and its notes to standard error. Gives the exit code of success.
    fn show(&self, page: Page) -> Result<u8> {
        let mut out = anstream::AutoStream::auto(std::io::stdout()).lock();
        page.write(self.output_format(), screen_width(), &mut out)?;
        out.flush()?;
        page.notes.iter().for_each(|note| self.tell(note));
        Ok(0)
    }

    fn namespace(&self) -> Result<Namespace> {
        self.store()?.namespace(&self.global.namespace)
    }

    /// Writes a note to standard error, unless `--quiet`.
    fn tell(&self, text: &str) {
        tell(self.global.quiet, text);
    }

    /// Writes a note under `--verbose`.
    fn tell_more(&self, text: &str) {
        if self.global.verbose > 0 {
            self.tell(text);
        }
    }
}

/// Common to the commands that write.
#[derive(Debug, Default, Args)]
pub struct WaitArgs {
    /// Wait this long while another kb writes to the namespace [default: 0]
    #[arg(long, value_name = "SECONDS", hide_short_help = true)]
    wait: Option<u64>,
}

impl WaitArgs {
    pub(super) fn lock_timeout(&self, context: &Context) -> LockTimeout {
        let quiet = context.global.quiet;
        LockTimeout::new(Duration::from_secs(self.wait.unwrap_or(0)), move |text| tell(quiet, text))
    }

    pub(super) fn is_given(&self) -> bool {
        self.wait.is_some()
    }
}

/// Writes a note; the work can still be done where that fails.
fn tell(quiet: bool, text: &str) {
    if !quiet {
        writeln!(anstream::stderr(), "{text}").unwrap_or_default();
    }
}
