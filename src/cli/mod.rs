//! The command line: one file per command with its options, one library call and a rendering. No other room knows
//! flags.

mod archive;
mod browse;
mod check;
mod chunk_delete;
mod chunk_edit;
mod chunks_list;
mod completions;
mod config;
mod context;
mod doc_set;
mod docs;
mod entities;
mod entity_set;
mod eval;
mod filter;
mod global;
mod history;
mod in_process;
mod ingest;
mod input;
mod invocation;
mod llm;
mod man;
mod mcp;
mod models;
mod namespaces;
mod optimize;
mod output;
mod pager;
mod parse;
mod progress;
mod reindex;
mod remote;
mod remove;
mod schema;
mod search;
mod section;
mod self_check;
mod serve;
mod show;
mod spelling;
mod status;
mod toc;
mod trust;
mod watch;

use std::ffi::OsString;
use std::panic::AssertUnwindSafe;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{ArgMatches, CommandFactory, Parser, Subcommand};

use crate::error::{Error, NextStep, Result};
use crate::paths::is_address;
use crate::render::Screen;
use global::Global;
use invocation::Context;
use output::Output;

const EXAMPLES: &str = "\
Examples:
  kb ingest docs/                         read a folder; later runs read only changed files
  kb search \"how is the pump primed?\"     the best parts of the documents, with section and page
  kb toc manual.pdf                       a document's table of contents

Exit codes: 0 success, 1 nothing found, 2 wrong usage, 3 failure, 4 some files failed, 5 locked";

/// Answers questions with the right section of the right document, offline.
#[derive(Debug, Parser)]
#[command(name = "kb", version, after_help = EXAMPLES, max_term_width = 110, disable_help_flag = true, disable_help_subcommand = true)]
pub struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[command(alias = "add")]
    Ingest(Box<ingest::IngestArgs>),
    #[command(alias = "query")]
    Search(Box<search::SearchArgs>),
    Context(Box<context::ContextArgs>),
    Toc(toc::TocArgs),
    Section(section::SectionArgs),
    Show(show::ShowArgs),
    Open(show::OpenArgs),
    Browse(browse::BrowseArgs),
    #[command(alias = "chunks")]
    ChunksList(chunks_list::ChunksListArgs),
    ChunkEdit(chunk_edit::ChunkEditArgs),
    ChunkDelete(chunk_delete::ChunkDeleteArgs),
    EntitySet(entity_set::EntitySetArgs),
    Entities(entities::EntitiesArgs),
    #[command(aliases = ["list", "ls"])]
    Docs(docs::DocsArgs),
    DocSet(doc_set::DocSetArgs),
    #[command(alias = "rm")]
    Remove(remove::RemoveArgs),
    Status(status::StatusArgs),
    Log(history::LogArgs),
    Undo(history::UndoArgs),
    Restore(history::RestoreArgs),
    Diff(history::DiffArgs),
    Namespaces(namespaces::NamespacesArgs),
    Export(archive::ExportArgs),
    Import(archive::ImportArgs),
    Check(check::CheckArgs),
    Optimize(optimize::OptimizeArgs),
    Config(config::ConfigArgs),
    Trust(trust::TrustArgs),
    Reindex(reindex::ReindexArgs),
    Watch(watch::WatchArgs),
    Serve(serve::ServeArgs),
    Mcp(mcp::McpArgs),
    Eval(eval::EvalArgs),
    Models(models::ModelsArgs),
    Llm(llm::LlmArgs),
    SelfCheck(self_check::SelfCheckArgs),
    Schema(schema::SchemaArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

impl Command {
    /// Whether `kb serve` answers it: it only reads a store.
    fn is_served(&self) -> bool {
        match self {
            Command::Search(_) | Command::Context(_) | Command::Section(_) | Command::Show(_) => true,
            Command::ChunksList(_) | Command::Entities(_) | Command::Docs(_) => true,
            Command::Toc(args) => !args.correct.is_change(),
            _ => false,
        }
    }

    /// Whether it starts other commands of kb, to which it passes the address of the store.
    fn starts_others(&self) -> bool {
        matches!(self, Command::Browse(_) | Command::Mcp(_) | Command::Watch(_))
    }
}

/// Runs the program and gives its exit code.
pub fn main() -> ExitCode {
    give_back_freed_memory();
    fail_at_the_limit_on_file_sizes();
    spelling::register_flags();
    crate::ingest::worker::serve_worker();
    match completions::answer() {
        Ok(false) => {}
        Ok(true) => return ExitCode::SUCCESS,
        Err(error) => {
            output::write_line(&error.to_line());
            return ExitCode::from(error.kind().exit_code());
        }
    }
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let (cli, matches) = parse::parse(&arguments);
    cli.global.apply_color();
    let global = cli.global.clone();
    // Some crashes inside an engine cannot be caught; all of them end the command in the same way.
    let on_crash = global.clone();
    crate::embed::on_engine_crash(move |error| {
        on_crash.report(error);
        std::process::exit(i32::from(error.kind().exit_code()));
    });
    crate::crash::hide_caught_crashes();
    crate::notice::set_receiver(|text| output::write_line(&output::warning(text)));
    // A damaged store can make a library crash.
    let outcome =
        std::panic::catch_unwind(AssertUnwindSafe(|| run(cli, matches, &arguments))).unwrap_or_else(|_| Err(crashed()));
    ExitCode::from(outcome.unwrap_or_else(|error| {
        global.report(&error);
        error.kind().exit_code()
    }))
}

/// Gives blocks of 4 MB and more back to the system when they are freed. By default glibc raises that size to the
/// largest block that was freed, up to 32 MB, and keeps what is smaller: 90 MB more for a log of 50 MB.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn give_back_freed_memory() {
    const LARGE: libc::c_int = 4 << 20;
    // SAFETY: it sets numbers of the allocator, before other threads start. A refusal changes nothing.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
        // Setting the one fixes the other, at a size that would have the heap grow and shrink all the time.
        libc::mallopt(libc::M_TRIM_THRESHOLD, 2 * LARGE);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn give_back_freed_memory() {}

/// Makes a write beyond the limit of `ulimit -f` fail like one on a full disk. Otherwise a signal would end the process
/// without a message.
#[cfg(unix)]
fn fail_at_the_limit_on_file_sizes() {
    let handled = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Default::default());
    // A system that refuses ends the process, as before.
    drop(handled);
}

#[cfg(not(unix))]
fn fail_at_the_limit_on_file_sizes() {}

fn crashed() -> Error {
    Error::failed("kb crashed, which a damaged store can cause; nothing was published")
        .hint(format!("`{}` repairs the store; if it is sound, please report this", NextStep::Repair))
}

fn run(cli: Cli, matches: ArgMatches, arguments: &[OsString]) -> Result<u8> {
    if let Command::Completions(args) = &cli.command {
        return completions::run(args, &mut Cli::command());
    }
    if let Command::Schema(args) = &cli.command {
        return schema::run(args, &Cli::command());
    }
    let start =
        || tokio::runtime::Runtime::new().map_err(|error| Error::failed(format!("cannot start the runtime: {error}")));
    let Cli { global, command } = cli;
    let output = if command.only_reads() { Output::paging() } else { Output::default() };
    let context = |global, matches| Context::new(global, matches, Screen::of_output(), Arc::new(output));
    if global.kb.as_deref().is_some_and(is_address) && !command.starts_others() {
        let elsewhere = |context: &Context, command: &Command| ask_server(context, command, arguments);
        return start()?.block_on(remote::answer_at(global, command, matches, context, elsewhere));
    }
    let context = context(global, matches);
    // A command that `kb serve` answers needs no runtime.
    match ask_server(&context, &command, arguments)? {
        Some(code) => Ok(code),
        None => start()?.block_on(answer(&context, command)),
    }
}

/// Asks `kb serve` to run the command. `None` if this process has to run it.
#[cfg_attr(not(unix), expect(unused_variables, reason = "only Unix has kb serve"))]
fn ask_server(context: &Context, command: &Command, arguments: &[OsString]) -> Result<Option<u8>> {
    #[cfg(unix)]
    return serve::ask(context, command, arguments);
    #[cfg(not(unix))]
    Ok(None)
}

/// Runs a command and gives the exit code of its success.
async fn answer(context: &Context, command: Command) -> Result<u8> {
    match command {
        Command::Ingest(args) => ingest::run(context, *args).await,
        Command::Search(args) => search::run(context, *args).await,
        Command::Context(args) => context::run(context, *args).await,
        Command::Toc(args) => toc::run(context, args).await,
        Command::Section(args) => section::run(context, args).await,
        Command::Show(args) => show::run(context, args).await,
        Command::Open(args) => show::open(context, args).await,
        Command::Browse(args) => browse::run(context, args).await,
        Command::ChunkEdit(args) => chunk_edit::run(context, args).await,
        Command::ChunkDelete(args) => chunk_delete::run(context, args).await,
        Command::ChunksList(args) => chunks_list::run(context, args).await,
        Command::EntitySet(args) => entity_set::run(context, args).await,
        Command::Entities(args) => entities::run(context, args).await,
        Command::Docs(args) => docs::run(context, args).await,
        Command::DocSet(args) => doc_set::run(context, args).await,
        Command::Remove(args) => remove::run(context, args).await,
        Command::Status(args) => status::run(context, args).await,
        Command::Log(args) => history::log(context, args).await,
        Command::Undo(args) => history::undo(context, args).await,
        Command::Restore(args) => history::restore(context, args).await,
        Command::Diff(args) => history::diff(context, args).await,
        Command::Namespaces(args) => namespaces::run(context, args).await,
        Command::Export(args) => archive::export(context, args).await,
        Command::Import(args) => archive::import(context, args).await,
        Command::Check(args) => check::run(context, args).await,
        Command::Optimize(args) => optimize::run(context, args).await,
        Command::Config(args) => config::run(context, &args),
        Command::Trust(args) => trust::run(context, args).await,
        Command::Reindex(args) => reindex::run(context, args).await,
        Command::Watch(args) => watch::run(context, args).await,
        Command::Serve(args) => serve::run(context, args).await,
        Command::Mcp(args) => mcp::run(context, args).await,
        Command::Eval(args) => eval::run(context, args).await,
        Command::Models(args) => models::run(context, args).await,
        Command::Llm(args) => llm::run(context, args).await,
        Command::Man(args) => man::run(context, &args, parse::command(true)),
        Command::SelfCheck(args) => self_check::run(context, &args),
        Command::Completions(_) | Command::Schema(_) => Ok(0),
    }
}
