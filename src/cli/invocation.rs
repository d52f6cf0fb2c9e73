//! The input of every command: its options, and the store, models, searcher and output that follow from them.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Once, OnceLock};
use std::time::Duration;

use clap::parser::ValueSource;
use clap::{ArgMatches, FromArgMatches};
use tokio::sync::mpsc::UnboundedSender;

use super::global::{Global, PartArgs, WaitArgs, past_the_end};
use super::output::{Output, write_line};
use crate::config::{Config, KnownStores};
use crate::embed::EngineChoice;
use crate::endpoint::EMBEDDINGS;
use crate::error::{Error, NextStep, Result, Setting};
use crate::ids::DocId;
use crate::llm::LlmConfig;
use crate::models::Models;
use crate::render::{OutputFormat, Page, Screen};
use crate::search::{Encoder, Purpose, Searched, Searcher, Warm, documents_to_resolve, resolve_document, row_of};
use crate::serve::Stream;
use crate::store::{DocumentRow, LockTimeout, Namespace, Snapshot, Store, Writer, namespace_name};
use crate::text::{unique, visible};

/// Why `kb serve` declines: the variables with keys may have any name, so it cannot know whether its own are the same.
pub(super) const ASKS_AN_ENDPOINT: &str = "the command asks an endpoint";

/// Why `kb serve` declines: it has descriptors, a standard input and pipes of its own, so a name may mean another file.
pub(super) const READS_A_FILE: &str = "the command reads a file";

#[derive(Debug)]
pub(super) struct ProgressStep {
    /// The sum of the work: files read, contexts requested, child chunks embedded. It grows with each step.
    pub(super) done: usize,
    pub(super) message: String,
}

/// Takes the progress of a command. `None` if the progress is not shown.
pub(super) type ProgressSender = Option<UnboundedSender<ProgressStep>>;

/// The context of a command in a process that runs many of them.
struct Served {
    warm: Arc<Warm>,
    /// Whether another process asked, which could run the command itself.
    for_another: bool,
    declined: OnceLock<&'static str>,
}

/// The input of every command: the global options and its own arguments.
pub(super) struct Context {
    pub(super) global: Global,
    /// The arguments of the subcommand, environment variables included.
    pub(super) matches: ArgMatches,
    pub(super) screen: Screen,
    pub(super) output: Arc<Output>,
    /// `None` unless `kb serve`, `kb mcp` or `kb browse` runs the command.
    served: Option<Served>,
    /// Where the progress goes, besides standard error.
    pub(super) progress: ProgressSender,
    /// The note on ignored settings of the store is shown once.
    told: Once,
}

impl Context {
    pub(super) fn new(global: Global, matches: ArgMatches, screen: Screen, output: Arc<Output>) -> Self {
        Context { global, matches, screen, output, served: None, progress: None, told: Once::new() }
    }

    /// This context, with the open store of `kb serve`.
    pub(super) fn served_from(self, warm: Arc<Warm>) -> Self {
        Context { served: Some(Served { warm, for_another: true, declined: OnceLock::new() }), ..self }
    }

    /// This context, with the store that this process keeps open between its own commands.
    pub(super) fn keeping_open(self, warm: Arc<Warm>) -> Self {
        Context { served: Some(Served { warm, for_another: false, declined: OnceLock::new() }), ..self }
    }

    /// This context, whose command sends its progress.
    pub(super) fn reporting_to(self, progress: ProgressSender) -> Self {
        Context { progress, ..self }
    }

    /// Why `kb serve` declines the command, if it does.
    pub(super) fn declined(&self) -> Option<&'static str> {
        self.served.as_ref()?.declined.get().copied()
    }

    /// An error that makes `kb serve` decline the command. Does nothing in another process.
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

    /// The settings of files, overridden by the environment and the command line.
    pub(super) fn with_arguments<T: FromArgMatches>(&self, mut file: T) -> Result<T> {
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

    /// The models that a store may name. A store of other people cannot use all of them.
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
        Ok(if store.is_own() { encoder.with_cache(store.root()) } else { encoder })
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
    pub(super) fn llm(&self, store: &Store, config: &Config) -> LlmConfig {
        LlmConfig { config: config.llm.clone(), store: store.root().to_owned(), caches: store.is_own() }
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

    /// Finds a document by its name and notes a guess.
    pub(super) async fn document_of(
        &self,
        snapshot: &Snapshot,
        name: &str,
        store: &Store,
        purpose: Purpose,
    ) -> Result<DocumentRow> {
        let names = documents_to_resolve(snapshot, &[name], store).await?;
        let named = resolve_document(&names, name, store, purpose)?;
        named.note.iter().for_each(|note| self.tell(note));
        row_of(snapshot, named.document).await
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
        let ids = ids_to_change(&store, &snapshot, names).await?;
        Ok((writer, snapshot.documents_by_id(&ids).await?))
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

    /// Writes a result to standard output, and the notes that its text lacks to standard error. Returns the exit code
    /// 0.
    pub(super) fn show(&self, mut page: Page) -> Result<u8> {
        let format = self.output_format();
        if !page.has_no_namespace {
            // In its stored form; several names as they were typed.
            let named = &self.global.namespace;
            page.namespace.get_or_insert_with(|| namespace_name(named).unwrap_or_else(|_| named.clone()));
        }
        if page.has_sources && matches!(format, OutputFormat::Paths | OutputFormat::PathsWithNul) {
            let here = Context::here()?;
            // A dry run needs no store; its sources are relative to the folder that would get one.
            if let Ok(store) = self.store() {
                page.locate(|source| from_here(&store, source, &here));
            }
        }
        if format == OutputFormat::Table && self.screen.has_links && page.has_links() {
            let store = self.store()?;
            page.locate_links(|source| address_of(&store.source_path(source)));
        }
        let mut text = page.text(format, self.screen);
        if self.output.takes_value() {
            self.output.keep_value(text);
            text = page.text(OutputFormat::Markdown, self.screen);
        }
        // People and agents read the text, programs the JSON. `Page::left_out` writes its note into the text too.
        let is_read = !format.is_json() || self.output.takes_value();
        page.notes.retain(|note| !(is_read && text.contains(&note.message)));
        let stream = if format == OutputFormat::PathsWithNul { Stream::Raw } else { Stream::Out };
        self.output.write(stream, text)?;
        page.notes.iter().for_each(|note| self.tell(&note.message));
        Ok(0)
    }

    /// Writes a text unchanged, for other programs. In JSON, `of` says what the text belongs to.
    pub(super) fn show_text(&self, kind: &'static str, of: (&str, &str), text: &str) -> Result<u8> {
        if self.output_format().is_json() {
            return self.show(Page::of_text(kind, of, text));
        }
        self.output.write(Stream::Raw, text.to_owned())?;
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

    /// Says that a command has made a store.
    pub(super) fn tell_new(&self, store: &Store) {
        self.tell(&format!("made a new knowledge base at {}", store.root().display()));
    }

    /// Says that there are no documents to list.
    pub(super) fn tell_no_documents(&self) {
        self.tell(&format!("no documents; `{}` reads some", NextStep::Ingest("PATH")));
    }

    /// Writes a note under `--verbose`.
    pub(super) fn tell_verbose(&self, text: &str) {
        if self.global.verbose > 0 {
            self.tell(text);
        }
    }
}

/// The ids of the named documents, each once. A name for a change is never a guess.
pub(super) async fn ids_to_change(store: &Store, snapshot: &Snapshot, names: &[String]) -> Result<Vec<DocId>> {
    let known = documents_to_resolve(snapshot, names, store).await?;
    let named = names.iter().map(|name| resolve_document(&known, name, store, Purpose::Change));
    let named = named.collect::<Result<Vec<_>>>()?;
    Ok(unique(named.iter().map(|named| named.document.doc_id.clone())))
}

/// The path of a source relative to the current folder. `None` if the source is an absolute path or has no file, or if
/// the path cannot be shown: it is not UTF-8 or has invisible characters.
fn from_here(store: &Store, source: &str, here: &Path) -> Option<String> {
    let file = store.source_path(source);
    let is_relative = !Path::new(source).is_absolute() && file.exists();
    let path = is_relative.then(|| pathdiff::diff_paths(&file, here)).flatten();
    path?.to_str().filter(|path| visible(path) == **path).map(str::to_owned)
}

/// The address of a file on this machine; `None` if there is no such file.
fn address_of(file: &Path) -> Option<String> {
    let address = if file.is_file() { reqwest::Url::from_file_path(file).ok() } else { None };
    address.map(String::from)
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
}
