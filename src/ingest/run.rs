//! The run itself: loader threads on one side, embedding and publishing on the other, a bounded channel between.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use tokio::sync::mpsc::{Receiver, channel};

use super::index::Indexer;
use super::plan::{Existing, Plan, STANDARD_INPUT, Todo, failed, mtime_ns, plan};
use super::prepare::{Prepared, SourceFacts, prepare};
use super::scan::{Candidate, Scan, scan};
use super::{Action, IngestReport, IngestRequest, Progress, SourceReport};
use crate::embed::{Embedder, EngineChoice, MODEL, select};
use crate::error::{Error, Result};
use crate::load::worker::Worker;
use crate::load::{Format, parse};
use crate::store::{DocumentRow, ModelRecord, Snapshot, Store, Writer, document_id};

/// How many loaded documents may wait for the embedder, per loader thread.
const QUEUE_PER_LOADER: usize = 4;

/// Where to ingest into. The store is made only when there is something to write into it, so that a run in which
/// every file fails leaves nothing behind.
pub struct Target<'a> {
    /// The store, which may not exist yet.
    pub store: Store,
    /// Makes it exist.
    pub create: &'a dyn Fn() -> Result<Store>,
    /// The namespace.
    pub namespace: String,
}

/// Ingests what the request names.
///
/// # Errors
/// Where a path is wrong, nothing was found, or the store refuses. Files that fail are in the report, not errors.
pub async fn run(
    request: &IngestRequest,
    target: &Target<'_>,
    engine: &EngineChoice,
    progress: Arc<dyn Progress>,
) -> Result<IngestReport> {
    let started = Instant::now();
    let store = &target.store;
    let namespace = store.namespace(&target.namespace)?;
    let Scan { candidates, skipped } = scan(request, store)?;
    if candidates.is_empty() && request.standard_input.is_none() && !request.prune {
        return Err(nothing_to_ingest(request, skipped));
    }
    let model = ModelRecord { name: MODEL.name.to_owned(), dimension: MODEL.dimension };
    // A store that is there is locked before it is read, so that the plan holds until it is carried out.
    let writer =
        if namespace.exists() && !request.dry_run { Some(Writer::open(&namespace, &model).await?) } else { None };
    let snapshot = if namespace.exists() { Some(Snapshot::open(&namespace).await?) } else { None };
    let existing = Arc::new(Existing::new(match &snapshot {
        Some(snapshot) => snapshot.documents().await?,
        None => Vec::new(),
    }));
    let Plan { todo, settled, vanished } = plan(candidates, &existing, request, store);
    for report in settled.iter().filter(|report| report.action == Action::Failed) {
        progress.failed(&report.source, report.error.as_deref().unwrap_or_default());
    }
    let mut report = IngestReport { dry_run: request.dry_run, sources: settled, skipped, ..IngestReport::default() };
    let mut sink = Sink {
        request,
        target,
        engine,
        model,
        progress: progress.clone(),
        writer,
        snapshot,
        indexer_state: None,
        taken: existing.rows().map(|row| row.doc_id.clone()).collect(),
        claimed: HashSet::new(),
    };
    progress.begin(todo.len() + usize::from(request.standard_input.is_some()), todo.iter().map(|todo| todo.size).sum());
    let outcome = sink.consume(todo, &existing, vanished, &mut report).await;
    progress.end();
    outcome?;
    report.sources.sort_by(|a, b| a.source.cmp(&b.source));
    report.seconds = started.elapsed().as_secs_f64();
    Ok(report)
}

fn nothing_to_ingest(request: &IngestRequest, skipped: usize) -> Error {
    let names: Vec<String> = request.paths.iter().map(|path| path.display().to_string()).collect();
    let names = names.join(", ");
    if skipped > 0 {
        return Error::not_found(format!("no document found in {names}: {skipped} files are of no known format"))
            .hint(format!("kb reads {}; --as says what the files are", Format::names(", ")));
    }
    Error::not_found(format!("no document found in {names}"))
        .hint("check the path, and .gitignore, .kbignore, --include and --exclude")
}

/// What became of a file in a loader thread.
enum Loaded {
    /// Its bytes are those that the store knows under this source.
    Same { facts: Facts },
    /// It was parsed.
    Parsed { facts: Facts, document: Box<crate::load::Document> },
    /// It failed.
    Failed { source: String, error: Error },
}

struct Facts {
    source: String,
    hash: String,
    size: u64,
    mtime_ns: i64,
}

/// The embedding and publishing side of a run.
struct Sink<'a, 'b> {
    request: &'a IngestRequest,
    target: &'a Target<'b>,
    engine: &'a EngineChoice,
    model: ModelRecord,
    progress: Arc<dyn Progress>,
    writer: Option<Writer>,
    snapshot: Option<Snapshot>,
    indexer_state: Option<Indexer>,
    taken: HashSet<String>,
    claimed: HashSet<String>,
}

impl Sink<'_, '_> {
    async fn consume(
        &mut self,
        todo: Vec<Todo>,
        existing: &Arc<Existing>,
        vanished: Vec<DocumentRow>,
        report: &mut IngestReport,
    ) -> Result<()> {
        if let Some((name, bytes)) = &self.request.standard_input {
            let loaded = load_standard_input(name, bytes, existing, self.request);
            self.take(loaded, existing, report).await?;
        }
        let mut loaded = start_loaders(todo, existing, self.request, &self.progress);
        while let Some(loaded) = loaded.recv().await {
            self.take(loaded, existing, report).await?;
        }
        for row in vanished {
            if self.claimed.contains(&row.doc_id) {
                continue;
            }
            let mut line = SourceReport::new(&row.source, Action::Removed);
            line.describe(&row);
            report.sources.push(line);
            if !self.request.dry_run {
                self.indexer().await?.remove(&row.doc_id);
            }
        }
        if let Some(indexer) = &mut self.indexer_state {
            indexer.finish().await?;
            report.embedded = indexer.embedded;
            report.reused = indexer.reused;
            report.generation = indexer.generation;
        }
        Ok(())
    }

    /// Takes one loaded file in.
    async fn take(&mut self, loaded: Loaded, existing: &Existing, report: &mut IngestReport) -> Result<()> {
        let (facts, document) = match loaded {
            Loaded::Failed { source, error } => {
                self.progress.failed(&source, error.message());
                let hint = error.next_step().map(str::to_owned);
                report.sources.push(failed(&source, error.message().to_owned(), hint));
                return Ok(());
            }
            Loaded::Same { facts } => {
                let Some(row) = existing.by_source(&facts.source) else {
                    return Err(Error::failed(format!("the plan for {} does not hold any more", facts.source)));
                };
                let mut line = SourceReport::new(&facts.source, Action::Unchanged);
                line.describe(row);
                report.sources.push(line);
                if !self.request.dry_run && (row.mtime_ns != facts.mtime_ns) {
                    let row = DocumentRow { mtime_ns: facts.mtime_ns, ..row.clone() };
                    self.indexer().await?.update(row);
                }
                return Ok(());
            }
            Loaded::Parsed { facts, document } => (facts, document),
        };
        let known = existing.by_source(&facts.source);
        let moved = match known {
            None => {
                existing.moved_from(&facts.hash, &self.target.store).filter(|row| !self.claimed.contains(&row.doc_id))
            }
            Some(_) => None,
        };
        if let Some(row) = moved {
            self.claimed.insert(row.doc_id.clone());
            let row =
                DocumentRow { source: facts.source.clone(), size: facts.size, mtime_ns: facts.mtime_ns, ..row.clone() };
            let mut line = SourceReport::new(&facts.source, Action::Moved);
            line.describe(&row);
            report.sources.push(line);
            if !self.request.dry_run {
                self.indexer().await?.update(row);
            }
            return Ok(());
        }
        let action = if known.is_some() { Action::Updated } else { Action::Added };
        let mut line = SourceReport::new(&facts.source, action);
        let doc_id = match known {
            Some(row) => row.doc_id.clone(),
            None => self.fresh_id(&facts.source),
        };
        let source_facts = SourceFacts {
            source: facts.source,
            doc_id: doc_id.clone(),
            content_hash: facts.hash,
            size: facts.size,
            mtime_ns: facts.mtime_ns,
        };
        let now = jiff::Timestamp::now().to_string();
        let prepared: Prepared = prepare(&document, &source_facts, &self.request.chunking, &now);
        line.describe(&prepared.new.document);
        report.sources.push(line);
        if !self.request.dry_run {
            let vectors = match (&self.snapshot, known) {
                (Some(snapshot), Some(_)) => snapshot.vectors_by_hash(&doc_id).await?,
                _ => HashMap::new(),
            };
            self.indexer().await?.put(prepared, vectors).await?;
        }
        Ok(())
    }

    fn fresh_id(&mut self, source: &str) -> String {
        let mut attempt = 0;
        loop {
            let id = document_id(source, attempt);
            if self.taken.insert(id.clone()) {
                return id;
            }
            attempt += 1;
        }
    }

    /// The indexer, with the store and the model behind it, made when first needed.
    async fn indexer(&mut self) -> Result<&mut Indexer> {
        if self.indexer_state.is_none() {
            let writer = match self.writer.take() {
                Some(writer) => writer,
                None => {
                    let store = (self.target.create)()?;
                    Writer::open(&store.namespace(&self.target.namespace)?, &self.model).await?
                }
            };
            let embedder = Embedder::for_documents(&select(self.engine)?, self.request.jobs)?;
            self.indexer_state = Some(Indexer::new(writer, Arc::new(embedder), self.progress.clone()));
        }
        self.indexer_state.as_mut().ok_or_else(|| Error::failed("the indexer was not made"))
    }
}

/// Starts the threads that read and parse, and gives the end of the channel where the files come out. When that end
/// is dropped, the threads stop.
fn start_loaders(
    todo: Vec<Todo>,
    existing: &Arc<Existing>,
    request: &IngestRequest,
    progress: &Arc<dyn Progress>,
) -> Receiver<Loaded> {
    let jobs = request.jobs.max(1).min(todo.len().max(1));
    let (sender, receiver) = channel(jobs * QUEUE_PER_LOADER);
    let todo = Arc::new(todo);
    let next = Arc::new(AtomicUsize::new(0));
    let request = Arc::new(request.clone());
    for _ in 0..jobs {
        let (todo, next, request) = (todo.clone(), next.clone(), request.clone());
        let (existing, progress, sender) = (existing.clone(), progress.clone(), sender.clone());
        tokio::task::spawn_blocking(move || {
            let mut worker = Worker::new(request.file_timeout);
            while let Some(todo) = todo.get(next.fetch_add(1, Ordering::Relaxed)) {
                let loaded = load(&todo.candidate, &existing, &request, &mut worker);
                progress.file_read(&todo.candidate.source);
                // The other end is gone only where it failed, and then there is nothing left to do.
                if sender.blocking_send(loaded).is_err() {
                    break;
                }
            }
        });
    }
    receiver
}

fn load(candidate: &Candidate, existing: &Existing, request: &IngestRequest, worker: &mut Worker) -> Loaded {
    let fail = |error: Error| Loaded::Failed { source: candidate.source.clone(), error };
    let (bytes, mtime_ns) = match read_steadily(&candidate.path, request.largest(candidate.format)) {
        Ok(read) => read,
        Err(error) => return fail(error),
    };
    let facts = Facts {
        source: candidate.source.clone(),
        hash: blake3::hash(&bytes).to_hex().to_string(),
        size: bytes.len() as u64,
        mtime_ns,
    };
    match existing.by_source(&candidate.source) {
        Some(row) if row.content_hash == facts.hash && !request.force => return Loaded::Same { facts },
        _ => {}
    }
    match parse_bytes(&bytes, candidate.format, request, worker) {
        Ok(document) => Loaded::Parsed { facts, document: Box::new(document) },
        Err(error) => fail(error),
    }
}

fn load_standard_input(name: &str, bytes: &[u8], existing: &Existing, request: &IngestRequest) -> Loaded {
    let source = format!("{STANDARD_INPUT}{name}");
    let facts = Facts {
        source: source.clone(),
        hash: blake3::hash(bytes).to_hex().to_string(),
        size: bytes.len() as u64,
        mtime_ns: 0,
    };
    if existing.by_source(&source).is_some_and(|row| row.content_hash == facts.hash) && !request.force {
        return Loaded::Same { facts };
    }
    let format = request.format.or_else(|| Format::from_path(Path::new(name)));
    let mut worker = Worker::new(request.file_timeout);
    match parse_bytes(bytes, format, request, &mut worker) {
        Ok(document) => Loaded::Parsed { facts, document: Box::new(document) },
        Err(error) => Loaded::Failed { source, error },
    }
}

fn parse_bytes(
    bytes: &[u8],
    format: Option<Format>,
    request: &IngestRequest,
    worker: &mut Worker,
) -> Result<crate::load::Document> {
    if bytes.is_empty() {
        return Err(Error::failed("the file is empty").hint("leave it out with --exclude, or delete it"));
    }
    let format = format.or_else(|| Format::sniff(bytes)).ok_or_else(|| {
        Error::failed("cannot tell what format this is")
            .hint(format!("say what it is with --as {}", Format::names("|")))
    })?;
    let document = match format {
        _ if format.needs_worker() => worker.parse(bytes, format, &request.load)?,
        _ => parse(bytes, format, &request.load)?,
    };
    if !document.has_text() {
        return Err(Error::failed("there is no text in it").hint("leave it out with --exclude, or delete it"));
    }
    Ok(document)
}

/// Reads a file that must not change meanwhile, and the time of its last change.
fn read_steadily(path: &Path, most: u64) -> Result<(Vec<u8>, i64)> {
    let facts = |path: &Path| std::fs::metadata(path).map_err(|error| Error::io("read", path, &error));
    for _ in 0..3 {
        let before = facts(path)?;
        if before.len() > most {
            return Err(
                Error::failed("grew over the limit while it was read").hint("raise the limit with --max-file-size MB")
            );
        }
        let bytes = std::fs::read(path).map_err(|error| {
            let plain = crate::error::plain_io(&error);
            Error::failed(format!("cannot be read: {plain}"))
                .hint("check its permissions, or leave it out with --exclude")
        })?;
        let after = facts(path)?;
        if before.len() == after.len() && bytes.len() as u64 == after.len() && mtime_ns(&before) == mtime_ns(&after) {
            return Ok((bytes, mtime_ns(&after)));
        }
    }
    Err(Error::failed("changes while it is read").hint("run the command again when nothing writes to it"))
}
