//! An ingest: loader threads on one side, the collector on the other, a bounded channel between.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::mpsc::Receiver;

use super::collector::{Collector, Facts, Job, Loaded, Stop};
use super::plan::{Candidate, Existing, Plan, STANDARD_INPUT, Scan, Todo, does_not_exist, is_below, plan, scan};
use super::request::{Action, IngestReport, IngestRequest, Progress, Target};
use super::source::{parse_bytes, read_steadily, spread};
use crate::embed::EngineChoice;
use crate::error::{Error, Result, Setting};
use crate::load::Format;
use crate::load::worker::Worker;
use crate::models::ModelChoice;
use crate::store::{ModelRecord, Namespace, Snapshot, Writer};
use crate::text::count;

/// Ingests the sources of the request.
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
    let job = Job { request, target, engine, progress };
    let mut writer = None;
    loop {
        match attempt(&job, writer).await {
            Ok(report) => return Ok(IngestReport { seconds: started.elapsed().as_secs_f64(), ..report }),
            Err(Stop::Failed(error)) => return Err(error),
            Err(Stop::Overtaken(theirs)) => writer = Some(*theirs),
        }
    }
}

async fn attempt(job: &Job<'_, '_>, writer: Option<Writer>) -> Result<IngestReport, Stop> {
    let Job { request, target, progress, .. } = job;
    let store = &target.store;
    let namespace = store.namespace(&target.namespace)?;
    let Scan { candidates, skipped, unreadable, gone } = scan(request, store)?;
    if candidates.is_empty() && unreadable.is_empty() && request.standard_input.is_none() && !request.prune {
        return Err(nothing_to_ingest(request, skipped).into());
    }
    let model = model_of(&namespace, request, &target.model).await?;
    // A namespace that exists is locked before it is read, so that the plan holds until it is carried out.
    let writer = match writer {
        None if namespace.exists() && !request.dry_run => {
            Some(Writer::open_or_wait(&namespace, &model, &target.lock_timeout).await?)
        }
        writer => writer,
    };
    let snapshot = if namespace.exists() { Some(Snapshot::open(&namespace).await?) } else { None };
    let rows = match &snapshot {
        Some(snapshot) => snapshot.documents().await?,
        None => Vec::new(),
    };
    let existing: Arc<Existing> = Arc::new(rows.into_iter().map(|row| (row.source.clone(), row)).collect());
    let Plan { todo, mut settled, vanished } = plan(candidates, &existing, request, store);
    // A path that does not exist and never had documents is misspelt.
    let is_known = |path: &&PathBuf| vanished.iter().any(|row| is_below(&row.source, &store.source_name(path)));
    if let Some(unknown) = gone.iter().find(|path| !is_known(path)) {
        return Err(does_not_exist(unknown).into());
    }
    settled.extend(unreadable);
    for failed in settled.iter().filter(|report| report.action == Action::Failed) {
        progress.failed(&failed.source, failed.error.as_deref().unwrap_or_default());
    }
    let to_read = todo.len() + usize::from(request.standard_input.is_some());
    let settled_count = settled.len();
    let report = IngestReport {
        dry_run: request.dry_run,
        sources: settled,
        skipped,
        model: model.name.clone(),
        notes: target.model.note(&model).into_iter().collect(),
        ..IngestReport::default()
    };
    progress.begin(to_read, todo.iter().map(|todo| todo.size).sum());
    let mut collector = Collector::new(job, model, existing.clone(), snapshot, writer, report);
    let outcome = async {
        if let Some((name, bytes)) = &request.standard_input {
            let source = format!("{STANDARD_INPUT}{name}");
            let format = request.format.or_else(|| Format::from_path(Path::new(name)));
            let mut worker = Worker::new(request.limits);
            let loaded = loaded(&source, bytes, 0, format, &existing, request, &mut worker).map_err(of_a_pipe);
            collector.collect(&source, loaded).await?;
        }
        let mut loaded = start_loaders(todo, &existing, request, progress);
        while let Some((todo, loaded)) = loaded.recv().await {
            collector.collect(&todo.candidate.source, loaded).await?;
        }
        collector.prune(&vanished).await?;
        collector.finish().await
    };
    let outcome = outcome.await;
    progress.end();
    let mut report = collector.report;
    match outcome {
        Ok(()) => {
            report.sources.sort_by(|a, b| a.source.cmp(&b.source));
            Ok(report)
        }
        Err(Stop::Failed(error)) => {
            let not_reached = to_read.saturating_sub(report.sources.len() - settled_count);
            Err(Stop::Failed(match not_reached {
                0 => error,
                some => {
                    let files = count(some, "file");
                    let next = match error.next_step() {
                        Some(hint) => format!("{hint}; {files} not reached"),
                        None => format!("{files} not reached; run the command again once this is solved"),
                    };
                    error.hint(next)
                }
            }))
        }
        Err(overtaken) => Err(overtaken),
    }
}

/// The model of the namespace. An ingest that makes vectors needs it to be installed.
async fn model_of(namespace: &Namespace, request: &IngestRequest, choice: &ModelChoice) -> Result<ModelRecord> {
    let published = Snapshot::model_of(namespace).await?;
    let model = choice.of_namespace(namespace.name(), published.as_ref())?;
    if request.embed {
        choice.models.recorded(&model).map_err(|error| {
            let hint = error.next_step().unwrap_or_default().to_owned();
            error.hint(format!("{hint}; `{}` ingests documents without vectors", Setting("no_embed")))
        })?;
    }
    Ok(model)
}

fn nothing_to_ingest(request: &IngestRequest, skipped: usize) -> Error {
    let names: Vec<String> = request.paths.iter().map(|path| path.display().to_string()).collect();
    let names = names.join(", ");
    if skipped > 0 {
        let hint = format!("kb reads {}; {} names the format of the files", Format::names(", "), Setting("as"));
        let skipped = count(skipped, "file");
        return Error::not_found(format!("no document found in {names}: kb does not read the format of {skipped}"))
            .hint(hint);
    }
    let settings = format!("{} and {}", Setting("include"), Setting("exclude"));
    Error::not_found(format!("no document found in {names}"))
        .hint(format!("check the path, .gitignore, .kbignore, {settings}"))
}

/// Starts the threads that read and parse. Their results come out of the channel.
fn start_loaders(
    todo: Vec<Todo>,
    existing: &Arc<Existing>,
    request: &IngestRequest,
    progress: &Arc<dyn Progress>,
) -> Receiver<(Todo, Result<Loaded>)> {
    let (existing, progress, jobs) = (existing.clone(), progress.clone(), request.jobs);
    let request = Arc::new(request.clone());
    spread(todo, jobs, request.limits, move |todo, worker| {
        let Candidate { path, source, format } = &todo.candidate;
        let bytes = read_steadily(path, request.largest(*format));
        let loaded =
            bytes.and_then(|(bytes, mtime_ns)| loaded(source, &bytes, mtime_ns, *format, &existing, &request, worker));
        progress.file_read(source);
        loaded
    })
}

/// Parses bytes, unless the store has them under this source.
fn loaded(
    source: &str,
    bytes: &[u8],
    mtime_ns: i64,
    format: Option<Format>,
    existing: &Existing,
    request: &IngestRequest,
    worker: &mut Worker,
) -> Result<Loaded> {
    let hash = blake3::hash(bytes).to_hex().to_string();
    let known = existing.get(source).filter(|row| row.content_hash == hash);
    let facts = Facts { source: source.to_owned(), hash, size: bytes.len() as u64, mtime_ns };
    if known.is_some_and(|row| !request.must_read(row)) {
        return Ok(Loaded::Same(facts));
    }
    Ok(Loaded::Parsed(facts, Box::new(parse_bytes(bytes, format, &request.load, worker)?)))
}

/// An error on standard input, without the hint to skip the file.
fn of_a_pipe(error: Error) -> Error {
    let skip = format!("skip it with {}", Setting("exclude"));
    let Some(hint) = error.next_step().filter(|hint| hint.contains(&skip)).map(str::to_owned) else {
        return error;
    };
    error.hint(match hint.strip_suffix(&skip).and_then(|rest| rest.strip_suffix(", or ")) {
        Some(rest) => rest.to_owned(),
        None => format!("check what is piped in, and that {} ends as its format does", Setting("name")),
    })
}
