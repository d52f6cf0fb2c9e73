//! Runs an ingest: loader threads send results to the collector through a bounded channel.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use reqwest::Url;

use super::collector::{Collector, Job, Stop};
use super::existing::Existing;
use super::known_vectors::VectorPrefetcher;
use super::loader::{Loaded, Loader, for_standard_input};
use super::plan::{Plan, is_below, plan};
use super::prepare::SourceFacts;
use super::request::{Action, IngestReport, IngestRequest, Progress, SourceReport, Target};
use super::scan::{Candidate, Scan, does_not_exist, scan};
use super::source::standard_input_source;
use super::web::{Allowed, fetch};
use super::worker::Worker;
use crate::embed::EngineChoice;
use crate::error::{Error, NextStep, Result, Setting};
use crate::load::Format;
use crate::models::ModelChoice;
use crate::store::{DocumentRow, ModelRecord, Namespace, Snapshot, Store, Validators, Writer};
use crate::text::{count, first_of};

/// Ingests the sources of the request. Files that fail are in the report, not errors.
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
    let is_named = request.standard_input.is_some() || !request.pages.is_empty();
    let is_empty = candidates.is_empty() && unreadable.is_empty() && !is_named && !request.prune;
    if is_empty && !has_gone(&namespace, request, store).await? {
        return Err(nothing_to_ingest(request, skipped.len()).into());
    }
    let model = model_of(&namespace, request, &target.model).await?;
    // An existing namespace is locked before it is read, so that the plan stays valid.
    let writer = match writer {
        None if namespace.exists() && !request.dry_run => {
            Some(Writer::open_or_wait(&namespace, &model, &target.lock_timeout).await?)
        }
        writer => writer,
    };
    let snapshot = if namespace.exists() { Some(Snapshot::open(&namespace).await?) } else { None };
    let existing = Arc::new(match &snapshot {
        Some(snapshot) => Existing::read(snapshot, &candidates, request, store).await?,
        None => Existing::default(),
    });
    let Plan { todo, bytes, mut settled, vanished, mut left_out } = plan(candidates, &existing, request, store);
    // A path that does not exist and never had documents is misspelt.
    let is_known = |path: &&PathBuf| {
        let names = store.names_before(path).collect();
        vanished.iter().any(|row| is_below(&row.source, &names))
    };
    if let Some(unknown) = gone.iter().find(|path| !is_known(path)) {
        return Err(does_not_exist(unknown).into());
    }
    let unread: HashSet<String> = unreadable.iter().map(|report| report.source.clone()).collect();
    left_out.retain(|source| !is_below(source, &unread));
    settled.extend(unreadable.into_iter().chain(skipped));
    for failed in settled.iter().filter(|report| report.action == Action::Failed) {
        progress.failed(&failed.source, failed.reason.as_deref().unwrap_or_default());
    }
    let to_read = todo.len() + request.pages.len() + usize::from(request.standard_input.is_some());
    let settled_count = settled.len();
    let of_model = target.model.note(&model).map(|note| ("model", note));
    let of_left_out = (request.prune && !left_out.is_empty()).then(|| ("left_out", stays_left_out(left_out)));
    let report = IngestReport {
        dry_run: request.dry_run,
        sources: settled,
        model: model.name.clone(),
        notes: of_model.into_iter().chain(of_left_out).collect(),
        ..IngestReport::default()
    };
    progress.begin(to_read, bytes);
    let mut pages = namespace.pages()?;
    let pages_before = pages.clone();
    let loader = Arc::new(Loader::new((*request).clone(), store.clone(), existing.clone()));
    let ahead = VectorPrefetcher::of(todo.iter().filter_map(|candidate| existing.get(&candidate.source)));
    let mut collector = Collector::new(job, model, existing.clone(), snapshot, writer, ahead, report);
    let outcome = collect_all(job, todo, vanished, &mut pages, &loader, &mut collector).await;
    progress.end();
    let mut report = collector.report;
    if let Err(stop) = outcome {
        return Err(not_reached(stop, to_read.saturating_sub(report.sources.len() - settled_count)));
    }
    report.sources.sort_by(|a, b| a.source.cmp(&b.source));
    compare_failures(&namespace, &request.named_sources(store), &mut report)?;
    if !request.dry_run && pages != pages_before && namespace.exists() {
        namespace.write_pages(&pages)?;
    }
    Ok(report)
}

/// Hands every source to the collector: standard input, pages, files, and documents whose files are gone.
async fn collect_all(
    job: &Job<'_, '_>,
    todo: Vec<Candidate>,
    vanished: Vec<DocumentRow>,
    pages: &mut BTreeMap<String, Validators>,
    loader: &Arc<Loader>,
    collector: &mut Collector<'_, '_>,
) -> Result<(), Stop> {
    let Job { request, progress, .. } = job;
    if let Some((name, bytes)) = &request.standard_input {
        let source = standard_input_source(name);
        let format = request.format.or_else(|| Format::from_path(Path::new(name)));
        let loaded = loader.load(&source, bytes, 0, format, &mut Worker::new(&request.reading));
        collector.collect(&source, loaded.map_err(for_standard_input)).await?;
    }
    for page in &request.pages {
        collect_page(page, pages, loader, collector).await?;
    }
    let mut loaded = loader.clone().start(todo, progress.clone());
    while let Some((candidate, loaded)) = loaded.recv().await {
        collector.collect(&candidate.source, loaded).await?;
    }
    let vanished: Vec<_> = vanished.into_iter().filter(|row| !loader.has_moved(row)).collect();
    match request.prune {
        true => collector.prune(&vanished).await?,
        false => collector.report.sources.extend(vanished.iter().map(SourceReport::stale)),
    }
    collector.finish().await
}

/// Adds the number of files that a failed run has not reached.
fn not_reached(stop: Stop, files: usize) -> Stop {
    match stop {
        Stop::Failed(error) if files > 0 => {
            let files = count(files, "file");
            let next = match error.next_step() {
                Some(hint) => format!("{hint}; {files} not reached"),
                None => format!("{files} not reached; run the command again once this is solved"),
            };
            Stop::Failed(error.hint(next))
        }
        stop => stop,
    }
}

/// Fetches a page, reads it if it changed, and keeps its validators for the next run.
async fn collect_page(
    url: &Url,
    known: &mut BTreeMap<String, Validators>,
    loader: &Loader,
    collector: &mut Collector<'_, '_>,
) -> Result<(), Stop> {
    let source = url.as_str();
    let request = &loader.request;
    let largest = |format| request.largest(request.format.or(format));
    let allowed = Allowed { largest: &largest, private: request.allow_private, time: request.reading.limits.file };
    let row = loader.existing.get(source).filter(|row| !request.must_read(row));
    let stored = known.get(source).zip(row).filter(|(before, row)| before.content_hash == row.content_hash);
    let mut validators = stored.map(|(before, _)| before.clone());
    let fetched = fetch(url, validators.as_ref(), allowed).await;
    let loaded = match (fetched, stored) {
        (Err(error), _) => Err(error),
        (Ok(None), Some((_, row))) => Ok(Loaded::Known(SourceFacts::of(row), Box::new(row.clone()))),
        (Ok(None), None) => Err(Error::failed("says that it has not changed, although kb did not ask")),
        (Ok(Some(page)), _) => {
            validators = Some(page.validators);
            if let Some(to) = page.moved_to {
                collector.report.notes.push(("redirected", format!("{url} redirects to {to}")));
            }
            let format = request.format.or(page.format);
            loader.load(source, &page.bytes, page.mtime_ns, format, &mut Worker::new(&request.reading))
        }
    };
    collector.collect(source, loaded).await?;
    let has_failed = collector.report.sources.last().is_none_or(|report| report.action == Action::Failed);
    match validators.filter(|_| !has_failed) {
        Some(validators) => drop(known.insert(source.to_owned(), validators)),
        None => drop(known.remove(source)),
    }
    Ok(())
}

/// Whether a document below the named paths has lost its file.
async fn has_gone(namespace: &Namespace, request: &IngestRequest, store: &Store) -> Result<bool> {
    if !namespace.exists() {
        return Ok(false);
    }
    let existing = Existing::read(&Snapshot::open(namespace).await?, &[], request, store).await?;
    Ok(existing.rows().next().is_some())
}

/// Marks the failures that earlier runs had too, and records those of this run.
fn compare_failures(namespace: &Namespace, named: &HashSet<String>, report: &mut IngestReport) -> Result<()> {
    let before = namespace.failures()?;
    // An earlier failure below a named path that this run did not meet is gone.
    let is_elsewhere = |source: &&String| !is_below(source, named);
    let mut now: BTreeSet<String> = before.iter().filter(is_elsewhere).cloned().collect();
    for one in &mut report.sources {
        one.failed_before = one.action == Action::Failed && before.contains(&one.source);
        match one.action {
            Action::Failed => now.insert(one.source.clone()),
            _ => now.remove(&one.source),
        };
    }
    if report.dry_run || now == before || !namespace.exists() {
        return Ok(());
    }
    namespace.write_failures(&now)
}

/// The model of the namespace. An ingest that makes vectors needs it to be installed.
async fn model_of(namespace: &Namespace, request: &IngestRequest, choice: &ModelChoice) -> Result<ModelRecord> {
    let model = choice.of_namespace(namespace.name(), Snapshot::model_of(namespace).await?.as_ref())?;
    if request.embed {
        choice.models.recorded(&model).map_err(|error| {
            let hint = error.next_step().unwrap_or_default().to_owned();
            error.hint(format!("{hint}; `{}` ingests documents without vectors", Setting("no_embed")))
        })?;
    }
    Ok(model)
}

/// Why documents stay that a person may expect to be pruned.
fn stays_left_out(mut sources: Vec<String>) -> String {
    sources.sort();
    let documents = count(sources.len(), "document");
    let (stay, them) = if sources.len() == 1 { ("stays", "it") } else { ("stay", "them") };
    let (remove, sources) = (NextStep::RemoveDocument("DOC"), first_of(sources.into_iter()));
    format!("{documents} {stay}, although this run skips the files: {sources}; `{remove}` removes {them}")
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
