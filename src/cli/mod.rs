//! The command line: one clap struct and one thin function per subcommand. What was typed becomes a typed request
//! here, and nothing behind it sees a flag.

mod check;
mod chunk_delete;
mod chunk_edit;
mod chunks_list;
mod completions;
mod context;
mod diff;
mod docs;
mod download_bar;
mod editor;
mod entities;
mod entity_set;
mod eval;
mod filter;
mod ingest;
mod llm;
mod log;
mod models;
mod namespaces;
mod progress;
mod reading;
mod reindex;
mod remove;
mod rerank;
mod restore;
mod search;
mod section;
mod shaping;
mod status;
mod toc;
mod toc_edit;
mod waiting;

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgAction, Args, ColorChoice, Parser, Subcommand};

use crate::config::Config;
use crate::embed::{Device, EngineChoice};
use crate::error::{Error, Kind, Result};
use crate::models::Models;
use crate::render::{OutputFormat, Screen, View, render};
use crate::retrieve::{Encoder, Kernel, Purpose, resolve_document, resolve_documents};
use crate::store::{DocumentRow, Store};

const EXAMPLES: &str = "\
Examples:
  kb ingest docs/                         read a folder; later runs read only what changed
  kb search \"how is the pump primed?\"     the best passages, with document, section and page
  kb context \"how is the pump primed?\"    the same for a prompt, within a number of tokens
  kb toc manual.pdf                       a document's table of contents
  kb section manual.pdf 3.2               the whole text of one section
  kb search E-417 --format json | jq .    for scripts

Exit codes: 0 done or found, 1 found nothing, 2 used wrongly, 3 failed, 4 some files failed";

/// A knowledge base on the command line: answers a question with the right section of the right document, offline.
#[derive(Debug, Parser)]
#[command(name = "kb", version, after_help = EXAMPLES, max_term_width = 110)]
pub struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// The flags that every command understands.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// The store's folder [default: the nearest .kb/ upwards]
    #[arg(long, global = true, value_name = "DIR", env = "KB_DIR", hide_env_values = true)]
    kb: Option<PathBuf>,
    /// The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`
    #[arg(
        short,
        long,
        global = true,
        value_name = "NAME",
        env = "KB_NAMESPACE",
        hide_env_values = true,
        default_value = "default"
    )]
    namespace: String,
    /// How results are written [default: table on a terminal, markdown in a pipe]
    #[arg(long, global = true, value_enum, value_name = "FORMAT")]
    format: Option<OutputFormat>,
    /// Only results and errors
    #[arg(short, long, global = true)]
    quiet: bool,
    /// Say more: the method chosen and the time of each stage
    #[arg(short, long, global = true, action = ArgAction::Count, conflicts_with = "quiet")]
    verbose: u8,
    /// When to use colour
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    color: ColorChoice,
    /// No progress display
    #[arg(long, global = true)]
    no_progress: bool,
    /// The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]
    #[arg(long, global = true, value_name = "PATH", env = "KB_ONNXRUNTIME", hide_env_values = true)]
    onnxruntime: Option<PathBuf>,
    /// What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or
    /// openvino; `kb models` says which the library at hand offers [default: auto]
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "DEVICE",
        env = "KB_DEVICE",
        hide_env_values = true,
        hide_possible_values = true
    )]
    device: Option<Device>,
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
    let cli = Cli::parse();
    cli.global.apply_color();
    let json_errors = matches!(cli.global.format, Some(OutputFormat::Json | OutputFormat::Jsonl));
    // Some crashes inside an engine cannot be caught; all of them end the command in the same way.
    crate::embed::on_engine_crash(move |error| {
        report(error, json_errors);
        std::process::exit(i32::from(error.kind().exit_code()));
    });
    match run(cli) {
        Ok(code) => ExitCode::from(code),
        Err(error) if error.is_closed_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            report(&error, json_errors);
            ExitCode::from(error.kind().exit_code())
        }
    }
}

fn run(cli: Cli) -> Result<u8> {
    if matches!(cli.command, Command::ParseWorker) {
        return crate::load::worker::serve().map(|()| 0);
    }
    if let Command::Completions(args) = &cli.command {
        return completions::run(args);
    }
    let runtime =
        tokio::runtime::Runtime::new().map_err(|error| Error::failed(format!("cannot start the runtime: {error}")))?;
    let context = Context { global: cli.global };
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

/// Tells an error, on standard error. That this cannot be written either leaves nothing to be done.
fn report(error: &Error, json: bool) {
    let text = if json {
        let body = serde_json::json!({
            "error": { "kind": error.kind().name(), "message": error.message(), "hint": error.next_step() }
        });
        body.to_string()
    } else if error.kind() == Kind::NotFound {
        error.to_line()
    } else {
        let (red, reset) = (anstyle::AnsiColor::Red.on_default().bold(), anstyle::Reset);
        format!("{red}error:{reset} {}", error.to_line())
    };
    let figure = error.shown().filter(|_| !json).map(|lines| format!("\n{lines}")).unwrap_or_default();
    writeln!(anstream::stderr(), "{text}{figure}").unwrap_or_default();
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
}

/// What every command needs: the flags, and what they lead to.
pub(crate) struct Context {
    global: Global,
}

impl Context {
    fn here() -> Result<PathBuf> {
        std::env::current_dir().map_err(|error| Error::failed(format!("cannot tell the current folder: {error}")))
    }

    fn store(&self) -> Result<Store> {
        Store::open(self.global.kb.as_deref(), &Context::here()?)
    }

    fn config(&self, store: &Store) -> Result<Config> {
        Config::read(store.root())
    }

    fn engine(&self, config: &Config) -> EngineChoice {
        let device = self.global.device.or(config.device).unwrap_or_default();
        EngineChoice::parse(self.global.onnxruntime.as_deref().or(config.onnxruntime.as_deref())).on(device)
    }

    /// The models that are here. Where nothing says where they would be, there is the one in the program alone.
    fn models(&self) -> Models {
        Models::of_user().unwrap_or_else(|_| Models::open(""))
    }

    fn encoder(&self, store: &Store, config: &Config) -> Encoder {
        Encoder::new(self.engine(config), self.models()).keeping(store.root())
    }

    /// A kernel on the namespace that was named.
    fn kernel(&self, store: &Store, config: &Config) -> Result<Kernel> {
        Ok(Kernel::new(store.namespace(&self.global.namespace)?, self.encoder(store, config)))
    }

    /// A kernel on all namespaces that were named.
    fn kernel_over(&self, store: &Store, config: &Config) -> Result<Kernel> {
        let kernel = Kernel::over(store.namespaces_named(&self.global.namespace)?, self.encoder(store, config));
        Ok(kernel.with_synonyms(config.search.synonyms.as_ref().map(|path| store.root().join(path))))
    }

    /// The document that was named; what was guessed is told.
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

    /// The documents that were named, each once; what was guessed is told.
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

    /// Writes a result to standard output.
    fn show(&self, view: &dyn View) -> Result<()> {
        let mut out = anstream::AutoStream::auto(std::io::stdout()).lock();
        render(view, self.output_format(), Screen::of_terminal(), &mut out)?;
        out.flush()?;
        Ok(())
    }

    /// Tells something beside the result, on standard error, unless only results are wanted.
    fn tell(&self, text: &str) {
        if !self.global.quiet {
            // Where even this cannot be written, the result still can.
            writeln!(anstream::stderr(), "{text}").unwrap_or_default();
        }
    }

    /// Tells something that only `--verbose` asks for.
    fn tell_more(&self, text: &str) {
        if self.global.verbose > 0 {
            self.tell(text);
        }
    }

    fn shows_progress(&self) -> bool {
        !self.global.quiet && !self.global.no_progress
    }
}

/// How many threads the machine offers.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
