//! The global options, and what commands make of them: the store, models, a searcher, output.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once, OnceLock};
use std::time::Duration;

use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, Args, ColorChoice, FromArgMatches, ValueEnum};

use super::output::{self, Output, end_bar};
use crate::config::{Config, KnownStores, ServeChoice};
use crate::embed::{Device, EngineChoice};
use crate::endpoint::EMBEDDINGS;
use crate::error::{Error, Kind, NextStep, Result, Setting};
use crate::ids::DocId;
use crate::llm::Configured;
use crate::models::Models;
use crate::render::{OutputFormat, Page, Screen};
use crate::search::{Encoder, Purpose, Searched, Searcher, Warm, called, resolve_document};
use crate::serve::{Piece, Stream};
use crate::store::{DocumentName, DocumentRow, LockTimeout, Namespace, Snapshot, Store, Writer, namespace_name};
use crate::text::printable;

/// The variables with keys may have any name, so `kb serve` cannot know whether they are the same.
pub(super) const ASKS_AN_ENDPOINT: &str = "the command asks an endpoint";

/// A server has descriptors, a standard input and pipes of its own, so a name may mean another file to it.
pub(super) const READS_A_FILE: &str = "the command reads a file";

/// The namespace of commands that name none.
pub(super) const DEFAULT_NAMESPACE: &str = "default";

/// The options of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    #[arg(long, global = true, value_name = "DIR", env = "KB_DIR", hide_short_help = true)]
    pub(super) kb: Option<PathBuf>,
    /// The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`
    #[arg(short, long, global = true, value_name = "NAME", env = "KB_NAMESPACE", default_value = DEFAULT_NAMESPACE)]
    pub(super) namespace: String,
    /// The output format [default: table on a terminal, markdown in a pipe]
    #[arg(long, global = true, value_enum, value_name = "FORMAT")]
    format: Option<OutputFormat>,
    /// Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too
    #[arg(short = '0', long, global = true, conflicts_with = "format", hide_short_help = true)]
    pub(super) null: bool,
    /// Print only results and errors
    #[arg(short, long, global = true, hide_short_help = true)]
    pub(super) quiet: bool,
    /// Print the time of each stage, causes of errors, and files left alone
    #[arg(short, long, global = true, action = ArgAction::Count, conflicts_with = "quiet", hide_short_help = true)]
    pub(super) verbose: u8,
    /// When to use colour
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = ColorChoice::Auto, hide_short_help = true)]
    color: ColorChoice,
    /// Hide the progress display
    #[arg(long, global = true, hide_short_help = true)]
    pub(super) no_progress: bool,
    /// The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
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
    /// Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHICH",
        env = "KB_SERVE",
        hide_possible_values = true,
        hide_short_help = true
    )]
    pub(super) serve: Option<ServeChoice>,
    /// Print help; --help lists all options
    #[arg(short, long, global = true, action = ArgAction::HelpShort)]
    help: Option<bool>,
}

impl Global {
    /// The options of a command that an agent asks for: those of this process, with its own namespace if it names one.
    pub(super) fn for_agent(&self, namespace: Option<String>) -> Self {
        let namespace = namespace.unwrap_or_else(|| self.namespace.clone());
        // Commands find out more for JSON, which is given beside the text.
        let format = Some(OutputFormat::Json);
        Global { namespace, format, null: false, quiet: false, verbose: 0, no_progress: true, ..self.clone() }
    }

    /// The same options for a process of kb that this one starts. Variables reach it anyway.
    pub(super) fn as_arguments(&self) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = vec!["--namespace".into(), self.namespace.clone().into()];
        let mut pair = |flag: &str, value: OsString| arguments.extend([flag.into(), value]);
        if let Some(kb) = &self.kb {
            pair("--kb", kb.into());
        }
        if let Some(library) = &self.onnxruntime {
            pair("--onnxruntime", library.into());
        }
        for (flag, value) in [
            ("--format", self.format.and_then(|format| format.to_possible_value())),
            ("--device", self.device.and_then(|device| device.to_possible_value())),
            ("--color", self.color.to_possible_value()),
        ] {
            if let Some(value) = value {
                pair(flag, value.get_name().into());
            }
        }
        arguments.extend(self.quiet.then(|| "--quiet".into()));
        arguments.extend(self.no_progress.then(|| "--no-progress".into()));
        arguments
    }

    pub(super) fn apply_color(&self) {
        let choice = match self.color {
            ColorChoice::Auto => anstream::ColorChoice::Auto,
            ColorChoice::Always => anstream::ColorChoice::Always,
            ColorChoice::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
    }

    /// Writes an error to standard error.
    pub(super) fn report(&self, error: &Error) {
        if let Some(text) = self.in_words(error) {
            end_bar();
            let bytes = format!("{text}\n").into_bytes();
            // If standard error is closed too, nothing is left to do.
            output::write(&Piece { stream: Stream::Err, bytes }).unwrap_or_default();
        }
    }

    /// An error as it is reported, with its causes under `--verbose`. A closed pipe is reported as `None`.
    pub(super) fn in_words(&self, error: &Error) -> Option<String> {
        Some(match (error.kind(), self.format) {
            (Kind::BrokenPipe, _) => return None,
            (_, Some(format)) if format.is_json() => error_json(error),
            (kind, _) => {
                let (red, reset) = (anstyle::AnsiColor::Red.on_default().bold(), anstyle::Reset);
                let label = if kind == Kind::NotFound { String::new() } else { format!("{red}error:{reset} ") };
                let mut text = format!("{label}{}", error.to_line());
                if self.verbose > 0 {
                    error.causes().for_each(|cause| text.push_str(&format!("\n  caused by: {cause}")));
                }
                text
            }
        })
    }
}

/// An error as JSON.
pub(super) fn error_json(error: &Error) -> String {
    let (kind, message, hint) = (error.kind(), printable(error.message()), error.next_step().map(printable));
    let code = kind.exit_code();
    serde_json::json!({ "error": { "kind": kind, "code": code, "message": message, "hint": hint } }).to_string()
}

/// What a command has in a process that answers many.
struct Served {
    warm: Arc<Warm>,
    /// Whether another process asks, which could run the command itself.
    for_another: bool,
    declined: OnceLock<&'static str>,
}

/// What every command gets: the global options and its own arguments.
pub(super) struct Context {
    pub(super) global: Global,
    /// The arguments of the subcommand, environment variables included.
    pub(super) matches: ArgMatches,
    pub(super) screen: Screen,
    pub(super) output: Arc<Output>,
    /// `None` unless `kb serve` or `kb mcp` runs the command.
    served: Option<Served>,
    /// The note on ignored settings of the store is shown once.
    told: Once,
}

impl Context {
    pub(super) fn new(global: Global, matches: ArgMatches, screen: Screen, output: Arc<Output>) -> Self {
        Context { global, matches, screen, output, served: None, told: Once::new() }
    }

    /// The same with what `kb serve` has open.
    pub(super) fn served_from(self, warm: Arc<Warm>) -> Self {
        Context { served: Some(Served { warm, for_another: true, declined: OnceLock::new() }), ..self }
    }

    /// The same with what this process keeps open between its own commands.
    pub(super) fn keeping_open(self, warm: Arc<Warm>) -> Self {
        Context { served: Some(Served { warm, for_another: false, declined: OnceLock::new() }), ..self }
    }

    /// Why `kb serve` leaves the command to the process that asked, if it does.
    pub(super) fn declined(&self) -> Option<&'static str> {
        self.served.as_ref()?.declined.get().copied()
    }

    /// Ends a command that `kb serve` runs; in a process of its own it goes on.
    pub(super) fn decline_if_served(&self, reason: &'static str) -> Result<()> {
        let Some(served) = self.served.as_ref().filter(|served| served.for_another) else { return Ok(()) };
        Err(Error::failed(*served.declined.get_or_init(|| reason)))
    }

    pub(super) fn here() -> Result<PathBuf> {
        std::env::current_dir().map_err(|error| Error::failed(format!("cannot read the current folder: {error}")))
    }

    /// The file of this program, to start it again.
    pub(super) fn program() -> Result<PathBuf> {
        std::env::current_exe().map_err(|error| Error::failed(format!("cannot find this program: {error}")))
    }

    pub(super) fn store(&self) -> Result<Store> {
        Store::open(self.global.kb.as_deref(), &Context::here()?)
    }

    /// Lays the environment and the command line over the settings of files.
    pub(super) fn over<T: FromArgMatches>(&self, mut file: T) -> Result<T> {
        let updated = file.update_from_arg_matches(&self.matches);
        updated.map_err(|error| Error::usage(error.to_string()))?;
        Ok(file)
    }

    /// Whether an argument was given on the command line.
    pub(super) fn is_typed(&self, id: &str) -> bool {
        self.matches.value_source(id) == Some(ValueSource::CommandLine)
    }

    /// Whether an option was given, on the command line or by its variable.
    pub(super) fn is_given(&self, id: &str) -> bool {
        !matches!(self.matches.value_source(id), None | Some(ValueSource::DefaultValue))
    }

    pub(super) fn config(&self, store: &Store) -> Result<Config> {
        let config = Config::read(store.root())?;
        config.ignored.iter().for_each(|ignored| self.told.call_once(|| self.tell(&ignored.note())));
        Ok(config)
    }

    /// The settings of the store, or the user's own without one.
    ///
    /// # Errors
    /// If a file with settings is not valid.
    pub(super) fn config_or_own(&self) -> Result<Config> {
        match self.store() {
            Ok(store) => self.config(&store),
            Err(_) => Config::of_user(),
        }
    }

    pub(super) fn engine(&self, config: &Config) -> EngineChoice {
        let device = self.global.device.or(config.device).unwrap_or_default();
        EngineChoice::parse(self.global.onnxruntime.as_deref().or(config.onnxruntime.as_deref())).on(device)
    }

    /// The installed models; only the embedded one if no folder for models is known.
    pub(super) fn models(&self, config: &Config) -> Models {
        Models::of_user().unwrap_or_else(|_| Models::open("")).with_endpoint(config.embedding.clone())
    }

    /// The same for what a store records.
    pub(super) fn models_of(&self, store: &Store, config: &Config) -> Models {
        let (models, known) = (self.models(config), KnownStores::of_user());
        if store.is_own() || known.has(store.root()) { models } else { models.for_store_of_others() }
    }

    fn encoder(&self, store: &Store, config: &Config) -> Result<Encoder> {
        let engine = self.engine(config);
        let mut encoder = Encoder::new(engine.clone(), self.models_of(store, config));
        if let Some(Served { warm, .. }) = &self.served {
            if !matches!(config.embedding.settings(EMBEDDINGS), Ok(None)) {
                self.decline_if_served(ASKS_AN_ENDPOINT)?;
            }
            if warm.has_engine(&engine) {
                encoder = encoder.warmed(warm);
            } else {
                self.decline_if_served("it runs models on another engine")?;
            }
        }
        Ok(if store.is_own() { encoder.keeping(store.root()) } else { encoder })
    }

    fn warmed(&self, searcher: Searcher) -> Searcher {
        match &self.served {
            Some(served) => searcher.warmed(&served.warm),
            None => searcher,
        }
    }

    /// A namespace to read without a search.
    pub(super) fn reading(&self, namespace: Namespace) -> Searched {
        let searched = Searched::new(namespace);
        match &self.served {
            Some(served) => searched.warmed(&served.warm),
            None => searched,
        }
    }

    /// The language model that is configured for a store.
    pub(super) fn llm(&self, store: &Store, config: &Config) -> Configured {
        Configured { config: config.llm.clone(), store: store.root().to_owned(), caches: store.is_own() }
    }

    /// A searcher on the selected namespace.
    pub(super) fn searcher(&self, store: &Store) -> Result<Searcher> {
        let namespace = store.namespace(&self.global.namespace)?;
        Ok(self.warmed(Searcher::new(namespace, self.encoder(store, &self.config(store)?)?)))
    }

    /// A searcher on all selected namespaces.
    pub(super) fn searcher_over(&self, store: &Store, config: &Config) -> Result<Searcher> {
        let namespaces = store.namespaces_named(&self.global.namespace)?;
        Ok(self.warmed(Searcher::over(namespaces, self.encoder(store, config)?)))
    }

    /// Finds a document by its name and notes a guess. Reads only the names of the other documents.
    pub(super) async fn document_of(
        &self,
        snapshot: &Snapshot,
        name: &str,
        store: &Store,
        purpose: Purpose,
    ) -> Result<DocumentRow> {
        let names = snapshot.all_document_names().await?;
        let named = resolve_document(&names, name, store, purpose)?;
        named.note.iter().for_each(|note| self.tell(note));
        let doc_id = named.document.doc_id.clone();
        let row = snapshot.documents_by_id(&[doc_id]).await?.pop();
        row.ok_or_else(|| {
            Error::failed(format!("the document {} is gone", called(named.document))).hint("run the command again")
        })
    }

    /// Finds documents by their names, each once, and notes each guess.
    pub(super) fn documents<'a>(
        &self,
        documents: &'a [DocumentName],
        names: &[String],
        store: &Store,
        purpose: Purpose,
    ) -> Result<Vec<&'a DocumentName>> {
        let mut found: Vec<&DocumentName> = Vec::new();
        for name in names {
            let named = resolve_document(documents, name, store, purpose)?;
            named.note.iter().for_each(|note| self.tell(note));
            if !found.iter().any(|known| known.doc_id == named.document.doc_id) {
                found.push(named.document);
            }
        }
        Ok(found)
    }

    /// The named documents and the writer that changes them, or no writer in a dry run. The writer locks the namespace
    /// before the names are resolved, so that they keep their meaning.
    pub(super) async fn documents_to_change(
        &self,
        names: &[String],
        dry_run: bool,
        wait: &WaitArgs,
    ) -> Result<(Option<Writer>, Vec<DocumentRow>)> {
        let store = self.store()?;
        let namespace = store.namespace(&self.global.namespace)?;
        let writer = match dry_run {
            true => None,
            false => Some(Writer::open_existing(&namespace, &wait.lock_timeout(self)).await?),
        };
        let snapshot = Snapshot::open(&namespace).await?;
        let all = snapshot.all_document_names().await?;
        let found = self.documents(&all, names, &store, Purpose::Change)?;
        let ids: Vec<DocId> = found.into_iter().map(|document| document.doc_id.clone()).collect();
        let mut rows = snapshot.documents_by_id(&ids).await?;
        rows.sort_by_key(|row| ids.iter().position(|id| *id == row.doc_id));
        Ok((writer, rows))
    }

    pub(super) fn output_format(&self) -> OutputFormat {
        if self.global.null {
            return OutputFormat::PathsWithNul;
        }
        self.global.format.unwrap_or(if self.screen.is_terminal { OutputFormat::Table } else { OutputFormat::Markdown })
    }

    /// Records that the user has written to a store, so that reading commands may repair it and keep caches in it.
    pub(super) fn remember(&self, root: &Path) {
        if let Err(error) = KnownStores::of_user().add(root) {
            self.tell(&format!(
                "this store could not be remembered, so reading commands will not repair it or keep \
            caches in it: {error}"
            ));
        }
    }

    /// The selected namespace in its stored form; several as they were typed.
    fn namespace_named(&self) -> String {
        let named = &self.global.namespace;
        namespace_name(named).unwrap_or_else(|_| named.clone())
    }

    /// Writes a result to standard output and its notes to standard error. Gives the exit code of success.
    pub(super) fn show(&self, mut page: Page) -> Result<u8> {
        let format = self.output_format();
        if !page.has_no_namespace {
            page.namespace.get_or_insert_with(|| self.namespace_named());
        }
        if page.has_sources && matches!(format, OutputFormat::Paths | OutputFormat::PathsWithNul) {
            let here = Context::here()?;
            // A dry run needs no store; its sources are relative to the folder that would get one.
            if let Ok(store) = self.store() {
                page.locate(|source| from_here(&store, source, &here));
            }
        }
        let mut bytes = Vec::new();
        page.write(format, self.screen, &mut bytes)?;
        if self.output.takes_values() {
            self.output.value(std::mem::take(&mut bytes));
            page.write(OutputFormat::Markdown, self.screen, &mut bytes)?;
        }
        self.output.write(if format == OutputFormat::PathsWithNul { Stream::Raw } else { Stream::Out }, bytes)?;
        page.notes.iter().for_each(|note| self.tell(&note.message));
        Ok(0)
    }

    /// Writes a text unchanged, for other programs. In JSON, `of` says what the text belongs to.
    pub(super) fn show_text(&self, kind: &'static str, of: (&str, &str), text: &str) -> Result<u8> {
        if self.output_format().is_json() {
            return self.show(Page::of_text(kind, of, text));
        }
        self.output.write(Stream::Raw, text.as_bytes().to_vec())?;
        Ok(0)
    }

    pub(super) fn namespace(&self) -> Result<Namespace> {
        self.store()?.namespace(&self.global.namespace)
    }

    /// Writes a note to standard error, unless `--quiet`.
    pub(super) fn tell(&self, text: &str) {
        if !self.global.quiet {
            self.output.line(text);
        }
    }

    /// Says that there are no documents to list.
    pub(super) fn tell_no_documents(&self) {
        self.tell(&format!("no documents; `{}` reads some", NextStep::Ingest("PATH")));
    }

    /// Writes a note under `--verbose`.
    pub(super) fn tell_more(&self, text: &str) {
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
        LockTimeout::new(Duration::from_secs(self.wait.unwrap_or(0)), move |text| {
            if !quiet {
                write_line(text);
            }
        })
    }

    pub(super) fn is_given(&self) -> bool {
        self.wait.is_some()
    }
}

/// Which part of a list is shown.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct PartArgs {
    /// Show at most N
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) limit: Option<u32>,
    /// Skip the first N
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(super) offset: u32,
}

impl PartArgs {
    /// Takes the requested part of a list and notes how many items follow, or that all come before it.
    pub(super) fn of<T>(self, context: &Context, mut all: Vec<T>) -> Vec<T> {
        if !all.is_empty() && self.offset as usize >= all.len() {
            context.tell(&past_the_end(self.offset as usize, all.len()));
        }
        all.drain(..all.len().min(self.offset as usize));
        let most = self.limit.map_or(usize::MAX, |limit| limit as usize);
        let behind = all.len().saturating_sub(most);
        if behind > 0 {
            let next = self.offset as usize + most;
            context.tell(&format!("{behind} more: {} {next} shows them", Setting("offset")));
        }
        all.truncate(most);
        all
    }

    /// Refuses these options where documents are named.
    pub(super) fn refuse(self) -> Result<()> {
        if self.limit.is_some() || self.offset > 0 {
            return Err(Error::usage("--limit and --offset are for the list of all documents").hint("leave them out"));
        }
        Ok(())
    }
}

/// Why a part of a list is empty.
pub(super) fn past_the_end(offset: usize, all: usize) -> String {
    format!("{} {offset} is past the end of the list, which has {all}", Setting("offset"))
}

/// The path of a source relative to the current folder. `None` if the source is an absolute path, has no file, or the path
/// is not UTF-8.
fn from_here(store: &Store, source: &str, here: &Path) -> Option<String> {
    let file = store.source_path(source);
    let is_relative = !Path::new(source).is_absolute() && file.exists();
    let path = is_relative.then(|| pathdiff::diff_paths(&file, here)).flatten();
    path?.to_str().map(str::to_owned)
}

/// A warning as it is shown, even with `--quiet`: it is as serious as an error.
pub(super) fn warning(text: &str) -> String {
    format!("warning: {}", printable(text))
}

/// Writes a line to standard error of this process.
pub(super) fn write_line(text: &str) {
    Output::default().line(text);
}
