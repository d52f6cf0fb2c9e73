//! The run itself: loader threads on one side, embedding and publishing on the other, a bounded channel between.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::mpsc::Receiver;

use super::edits::{carry_over, edit_warning, has_more_than_its_source, lost_edits};
use super::index::{Indexer, KnownVectors, Vectors};
use super::lines::LineWriter;
use super::plan::{Existing, Plan, STANDARD_INPUT, Todo, failed, plan};
use super::prepare::{Prepared, SourceFacts, corrected_toc, prepare};
use super::profile::{PROFILED, lacks_profile, with_profiles};
use super::scan::{Candidate, Scan, scan};
use super::source::{parse_bytes, read_steadily};
use super::spread::spread;
use super::{Action, IngestReport, IngestRequest, Progress, SourceReport};
use crate::embed::EngineChoice;
use crate::error::{Error, Result};
use crate::llm::{Configured, Unsaid};
use crate::load::Format;
use crate::load::worker::Worker;
use crate::models::ModelChoice;
use crate::store::{DocumentRow, DocumentTime, ModelRecord, Namespace, Patience, Snapshot, Store, Writer, document_id};

/// What the history calls a file that is the same and has another time of change.
const TOUCHED: &str = "touched";
/// What it calls one that somebody gave another time.
const DATED: &str = "dated";

/// Where to ingest into. The store is made only when there is something to write into it, so that a run in which
/// every file fails leaves nothing behind.
pub struct Target<'a> {
    /// The store, which may not exist yet.
    pub store: Store,
    /// Makes it exist.
    pub create: &'a dyn Fn() -> Result<Store>,
    /// The namespace.
    pub namespace: String,
    /// The language model that says what stands in front of passages, where documents want that.
    pub llm: Configured,
    /// Which model makes the vectors.
    pub model: ModelChoice,
    /// How long to wait for another writer.
    pub patience: Patience,
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
    let mut writer = None;
    loop {
        match attempt(request, target, engine, &progress, writer).await? {
            Attempt::Done(report) => return Ok(IngestReport { seconds: started.elapsed().as_secs_f64(), ..*report }),
            Attempt::Overtaken(theirs) => writer = Some(*theirs),
        }
    }
}

/// How one go at it ended.
enum Attempt {
    /// All is in.
    Done(Box<IngestReport>),
    /// There was nothing to lock when the plan was made, and another process has published since. With the namespace
    /// locked, the plan is to be made again.
    Overtaken(Box<Writer>),
}

async fn attempt(
    request: &IngestRequest,
    target: &Target<'_>,
    engine: &EngineChoice,
    progress: &Arc<dyn Progress>,
    writer: Option<Writer>,
) -> Result<Attempt> {
    let store = &target.store;
    let namespace = store.namespace(&target.namespace)?;
    let Scan { candidates, skipped } = scan(request, store)?;
    if candidates.is_empty() && request.standard_input.is_none() && !request.prune {
        return Err(nothing_to_ingest(request, skipped));
    }
    let model = model_of(&namespace, request, &target.model).await?;
    // A store that is there is locked before it is read, so that the plan holds until it is carried out.
    let writer = match writer {
        None if namespace.exists() && !request.dry_run => {
            Some(Writer::open_or_wait(&namespace, &model, &target.patience).await?)
        }
        writer => writer,
    };
    let snapshot = if namespace.exists() { Some(Snapshot::open(&namespace).await?) } else { None };
    let existing = Arc::new(Existing::new(match &snapshot {
        Some(snapshot) => snapshot.documents().await?,
        None => Vec::new(),
    }));
    let Plan { todo, settled, vanished } = plan(candidates, &existing, request, store);
    for report in settled.iter().filter(|report| report.action == Action::Failed) {
        progress.failed(&report.source, report.error.as_deref().unwrap_or_default());
    }
    let mut report = IngestReport {
        dry_run: request.dry_run,
        sources: settled,
        skipped,
        model: model.name.clone(),
        notes: target.model.note(&model).into_iter().collect(),
        ..IngestReport::default()
    };
    let mut sink = Sink {
        request,
        target,
        engine,
        model,
        progress: progress.clone(),
        writer,
        snapshot,
        indexer_state: None,
        estimates: LineWriter::new(target.llm.clone(), Unsaid::Left),
        overtaken: None,
        taken: existing.rows().map(|row| row.doc_id.clone()).collect(),
        claimed: HashSet::new(),
    };
    progress.begin(todo.len() + usize::from(request.standard_input.is_some()), todo.iter().map(|todo| todo.size).sum());
    let outcome = sink.consume(todo, &existing, vanished, &mut report).await;
    progress.end();
    if let Some(writer) = sink.overtaken.take() {
        return Ok(Attempt::Overtaken(Box::new(writer)));
    }
    outcome?;
    report.sources.sort_by(|a, b| a.source.cmp(&b.source));
    Ok(Attempt::Done(Box::new(report)))
}

/// The model of a namespace. One that is not here is no use to an ingest that makes vectors.
async fn model_of(namespace: &Namespace, request: &IngestRequest, choice: &ModelChoice) -> Result<ModelRecord> {
    let published = Snapshot::model_of(namespace).await?;
    let model = choice.of_namespace(namespace.name(), published.as_ref())?;
    if request.embed {
        choice.models.recorded(&model).map_err(|error| {
            let hint = error.next_step().unwrap_or_default().to_owned();
            error.hint(format!("{hint}; `--no-embed` takes documents in without vectors"))
        })?;
    }
    Ok(model)
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
    /// What lines of a language model would cost, in a dry run.
    estimates: LineWriter,
    /// The namespace, where somebody else has published in it since it was found empty.
    overtaken: Option<Writer>,
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
        let settled = report.sources.iter().filter(|line| line.action == Action::Unchanged);
        let settled: Vec<&DocumentRow> = settled.filter_map(|line| existing.by_source(&line.source)).collect();
        for row in self.described(settled, report).await? {
            let embed = self.request.embed && row.embedded;
            self.indexer().await?.describe(row, embed, PROFILED);
        }
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
            line.warnings.extend(lost_edits(&row));
            report.sources.push(line);
            if !self.request.dry_run {
                self.indexer().await?.remove(&row);
            }
        }
        // Otherwise this would be a reader of what is replaced, and keep it.
        self.snapshot = None;
        if let Some(indexer) = &mut self.indexer_state {
            indexer.flush().await?;
            report.embedded = indexer.embedded;
            report.reused = indexer.reused;
            report.without_vectors = indexer.without_vectors;
            report.generation = indexer.generation;
            report.lines = indexer.lines_report();
            report.languages = indexer.languages_report(&self.target.model.models)?;
        }
        if self.request.dry_run {
            report.lines = self.estimates.report();
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
                let dated = self.request.dates_anew(row);
                let action = if dated { Action::Updated } else { Action::Unchanged };
                let mut line = SourceReport::new(&facts.source, action);
                line.describe(row);
                report.sources.push(line);
                let described = self.described(vec![row], report).await?.pop();
                let action = match (dated, row.mtime_ns != facts.mtime_ns, described.is_some()) {
                    (true, ..) => DATED,
                    (_, true, _) => TOUCHED,
                    (.., true) => PROFILED,
                    _ => return Ok(()),
                };
                if !self.request.dry_run {
                    let time = self.request.time_of(row, facts.mtime_ns);
                    let row = described.unwrap_or_else(|| row.clone());
                    let embed = self.request.embed && row.embedded;
                    let row = DocumentRow { mtime_ns: facts.mtime_ns, time, ..row };
                    self.indexer().await?.describe(row, embed, action);
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
        }
        if let Some(row) = moved.filter(|row| !self.request.must_read(row)) {
            let described = self.described(vec![row], report).await?.pop();
            let row = described.as_ref().unwrap_or(row);
            let row = DocumentRow {
                source: facts.source.clone(),
                size: facts.size,
                mtime_ns: facts.mtime_ns,
                time: self.request.time_of(row, facts.mtime_ns),
                ..row.clone()
            };
            let mut line = SourceReport::new(&facts.source, Action::Moved);
            line.describe(&row);
            report.sources.push(line);
            if !self.request.dry_run {
                let embed = self.request.embed && row.embedded;
                self.indexer().await?.describe(row, embed, Action::Moved.name());
            }
            return Ok(());
        }
        let action = match (known, moved) {
            (Some(row), _) if row.content_hash == facts.hash && self.request.lacks_vectors(row) => Action::Embedded,
            (Some(_), _) => Action::Updated,
            (None, Some(_)) => Action::Moved,
            (None, None) => Action::Added,
        };
        let before = known.or(moved);
        let mut line = SourceReport::new(&facts.source, action);
        let doc_id = match before {
            Some(row) => row.doc_id.clone(),
            None => self.fresh_id(&facts.source),
        };
        // What somebody said of the content holds as long as it is the same.
        let same = before.filter(|row| row.content_hash == facts.hash);
        let given = same.and_then(|row| row.time.clone()).filter(DocumentTime::is_given);
        let corrected_toc = before.map(corrected_toc).transpose()?.flatten();
        let source_facts = SourceFacts {
            source: facts.source,
            doc_id: doc_id.clone(),
            content_hash: facts.hash,
            size: facts.size,
            mtime_ns: facts.mtime_ns,
            corrected_toc,
            time: self.request.time.clone().or(given),
        };
        let now = jiff::Timestamp::now().to_string();
        let mut prepared: Prepared = prepare(&document, &source_facts, &self.request.chunking_of(before), &now);
        line.describe(&prepared.new.document);
        if let (Some(snapshot), Some(row)) = (&self.snapshot, before.filter(|row| has_more_than_its_source(row))) {
            let carried;
            (prepared, carried) = carry_over(row, snapshot.chunks_of(&row.doc_id).await?, prepared);
            line.edits_carried = carried.carried;
            line.edits_in_conflict = carried.conflicts;
            line.warnings.extend(edit_warning(&carried));
        }
        report.sources.push(line);
        if self.request.dry_run {
            self.estimates.estimate(&prepared.new)?;
        } else {
            let vectors = match (&self.snapshot, before) {
                (Some(snapshot), Some(row)) => {
                    KnownVectors::of_texts(snapshot.vectors_by_hash(&doc_id).await?).and_of(row)
                }
                _ => KnownVectors::default(),
            };
            let embed = self.request.embed;
            self.indexer().await?.put(prepared, vectors, embed, action.name()).await?;
        }
        Ok(())
    }

    /// Those of some unchanged documents that lack a profile, with one.
    async fn described(&self, rows: Vec<&DocumentRow>, report: &mut IngestReport) -> Result<Vec<DocumentRow>> {
        let lacking: Vec<DocumentRow> =
            rows.into_iter().filter(|row| lacks_profile(row, self.request.embed)).cloned().collect();
        report.profiled += lacking.len();
        match &self.snapshot {
            Some(snapshot) if !self.request.dry_run => with_profiles(lacking, snapshot).await,
            _ => Ok(Vec::new()),
        }
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
            let (models, record) = (self.target.model.models.clone(), self.model.clone());
            let (engine, jobs) = (self.engine.clone(), self.request.jobs);
            let mut model = Vectors::WhenNeeded { models, record, engine, jobs };
            let writer = match self.writer.take() {
                Some(writer) => writer,
                None => {
                    // What is new here needs vectors. An engine or a model that fails leaves no empty store behind.
                    if self.request.embed {
                        model.embedder()?;
                    }
                    let store = (self.target.create)()?;
                    let namespace = store.namespace(&self.target.namespace)?;
                    let writer = Writer::open_or_wait(&namespace, &self.model, &self.target.patience).await?;
                    if writer.generation() > 0 {
                        self.overtaken = Some(writer);
                        return Err(Error::failed("another process has published meanwhile"));
                    }
                    writer
                }
            };
            let lines = LineWriter::new(self.target.llm.clone(), Unsaid::Left);
            self.indexer_state = Some(Indexer::new(writer, model, "ingest", self.progress.clone()).asking(Some(lines)));
        }
        self.indexer_state.as_mut().ok_or_else(|| Error::failed("the indexer was not made"))
    }
}

/// Starts the threads that read and parse, and gives the end of the channel where the files come out.
fn start_loaders(
    todo: Vec<Todo>,
    existing: &Arc<Existing>,
    request: &IngestRequest,
    progress: &Arc<dyn Progress>,
) -> Receiver<Loaded> {
    let (existing, progress, jobs) = (existing.clone(), progress.clone(), request.jobs);
    let request = Arc::new(request.clone());
    spread(todo, jobs, request.limits, move |todo, worker| {
        let loaded = load(&todo.candidate, &existing, &request, worker);
        progress.file_read(&todo.candidate.source);
        loaded
    })
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
        Some(row) if row.content_hash == facts.hash && !request.must_read(row) => return Loaded::Same { facts },
        _ => {}
    }
    match parse_bytes(&bytes, candidate.format, &request.load, worker) {
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
    let known = existing.by_source(&source).filter(|row| row.content_hash == facts.hash);
    if known.is_some_and(|row| !request.must_read(row)) {
        return Loaded::Same { facts };
    }
    let format = request.format.or_else(|| Format::from_path(Path::new(name)));
    let mut worker = Worker::new(request.limits);
    match parse_bytes(bytes, format, &request.load, &mut worker) {
        Ok(document) => Loaded::Parsed { facts, document: Box::new(document) },
        Err(error) => Loaded::Failed { source, error: of_a_pipe(error) },
    }
}

/// What came through a pipe is no file that could be left out or deleted.
fn of_a_pipe(error: Error) -> Error {
    const LEFT_OUT: &str = "leave it out with --exclude";
    let Some(hint) = error.next_step().filter(|hint| hint.contains(LEFT_OUT)).map(str::to_owned) else { return error };
    error.hint(match hint.strip_suffix(LEFT_OUT).and_then(|rest| rest.strip_suffix(", or ")) {
        Some(rest) => rest.to_owned(),
        None => "look at what is piped in, and whether --name ends as its format does".to_owned(),
    })
}
