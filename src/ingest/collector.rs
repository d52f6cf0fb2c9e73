//! The embedding and publishing side of an ingest: one function for each outcome of a source.

use std::collections::HashSet;
use std::sync::Arc;

use super::contexts::{ContextWriter, wants_model_context};
use super::cut_document::CutDocument;
use super::existing::Existing;
use super::indexer::Indexer;
use super::known_vectors::{KnownVectors, VectorPrefetcher};
use super::loader::Loaded;
use super::plan::suspicious_removal;
use super::prepare::{SourceFacts, done_by_hand, rows};
use super::request::{Action, IngestReport, IngestRequest, Progress, SourceReport, Target};
use super::vectors::LazyEmbedder;
use crate::embed::EngineChoice;
use crate::error::{Error, NextStep, Result};
use crate::ids::DocId;
use crate::llm::Unanswered;
use crate::store::{DocumentRow, DocumentTime, Metadata, ModelRecord, Snapshot, Writer};
use crate::text::count;

/// The history's word for an unchanged document that a person gave another date.
const DATED: &str = "dated";
/// The same for one with other metadata.
const DESCRIBED: &str = "described";

/// Why a run ends early.
pub(super) enum Stop {
    Failed(Error),
    /// The namespace did not exist when the plan was made, and another process has published in it since. It is locked
    /// now, and needs a new plan.
    Overtaken(Box<Writer>),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Stop::Failed(error)
    }
}

/// Where documents go.
enum Sink {
    /// Nowhere: requests to the language model are counted.
    DryRun(Box<ContextWriter>),
    /// Into a locked namespace.
    Open(Box<Indexer>),
    /// Into a namespace that the first document creates.
    NotCreated,
}

/// The arguments of a run.
pub(super) struct Job<'a, 'b> {
    pub request: &'a IngestRequest,
    pub target: &'a Target<'b>,
    pub engine: &'a EngineChoice,
    pub progress: Arc<dyn Progress>,
}

/// Turns each source into one outcome, and collects the report.
pub(super) struct Collector<'a, 'b> {
    job: &'a Job<'a, 'b>,
    model: ModelRecord,
    existing: Arc<Existing>,
    /// The namespace before the run; `None` if it did not exist, and after the run.
    snapshot: Option<Snapshot>,
    sink: Sink,
    prefetcher: VectorPrefetcher,
    /// The ids of all documents.
    taken: HashSet<DocId>,
    pub report: IngestReport,
}

impl<'a, 'b> Collector<'a, 'b> {
    /// `writer` is `None` in a dry run, and if the namespace does not exist.
    pub(super) fn new(
        job: &'a Job<'a, 'b>,
        model: ModelRecord,
        existing: Arc<Existing>,
        snapshot: Option<Snapshot>,
        writer: Option<Writer>,
        prefetcher: VectorPrefetcher,
        report: IngestReport,
    ) -> Self {
        let taken = existing.keys.iter().map(|key| key.doc_id.clone()).collect();
        let sink = Sink::NotCreated;
        let mut collector = Collector { job, model, existing, snapshot, sink, prefetcher, taken, report };
        collector.sink = match writer {
            _ if job.request.dry_run => {
                Sink::DryRun(Box::new(ContextWriter::new(job.target.llm.clone(), Unanswered::Skip)))
            }
            Some(writer) => Sink::Open(Box::new(collector.indexer(writer, collector.vectors()))),
            None => Sink::NotCreated,
        };
        collector
    }

    pub(super) async fn collect(&mut self, source: &str, loaded: Result<Loaded>) -> Result<(), Stop> {
        let Job { request, target, .. } = self.job;
        let before = match &loaded {
            Ok(loaded) => loaded.before(),
            Err(_) => self.existing.get(source),
        };
        let doc_id = before.map(|row| row.doc_id.clone());
        let metadata = |loaded: &Loaded| request.metadata_of(source, &target.store, loaded.before());
        let report = match loaded.and_then(|loaded| Ok((metadata(&loaded)?, loaded))) {
            Err(error) => self.failed(source, &error),
            Ok((metadata, Loaded::Known(facts, row))) => self.known(facts, *row, metadata).await?,
            Ok((metadata, Loaded::Cut { facts, document, before })) => {
                let facts = SourceFacts { metadata, ..facts };
                self.read(facts, *document, before.as_deref()).await?
            }
        };
        if let Some(doc_id) = doc_id {
            self.prefetcher.forget(&doc_id);
        }
        self.report.sources.push(report);
        Ok(())
    }

    fn failed(&self, source: &str, error: &Error) -> SourceReport {
        self.job.progress.failed(source, error.message());
        SourceReport::failed(source, error.message().to_owned(), error.next_step().map(str::to_owned))
    }

    /// A source whose bytes are in the store. Only another path, another date or other metadata change its row: a new
    /// modification time alone, as after a checkout, is no reason to publish.
    async fn known(&mut self, facts: SourceFacts, row: DocumentRow, metadata: Metadata) -> Result<SourceReport, Stop> {
        let request = self.job.request;
        let (action, word) = match (facts.source != row.source, metadata != row.metadata) {
            (true, _) => (Action::Moved, Action::Moved.name()),
            (false, true) => (Action::Updated, DESCRIBED),
            (false, false) if request.changes_date(&row) => (Action::Updated, DATED),
            (false, false) => return Ok(SourceReport::of(&facts.source, request.action_if_unchanged(&row), &row)),
        };
        let SourceFacts { source, size, mtime_ns, .. } = facts;
        let mut row = DocumentRow { source, size, mtime_ns, metadata, ..row };
        row.time = request.time_of(&row, mtime_ns);
        let report = SourceReport::of(&row.source, action, &row);
        if let Sink::Open(indexer) = self.sink().await? {
            indexer.update(row, word);
        }
        Ok(report)
    }

    /// A document that was read: new, changed, or needed again.
    async fn read(
        &mut self,
        facts: SourceFacts,
        document: CutDocument,
        before: Option<&DocumentRow>,
    ) -> Result<SourceReport, Stop> {
        let same = before.filter(|row| row.content_hash == facts.content_hash);
        let action = match before {
            None => Action::Added,
            Some(row) if row.source != facts.source => Action::Moved,
            Some(_) if same.is_some_and(|row| self.job.request.lacks_vectors(row)) => Action::Embedded,
            Some(_) => Action::Updated,
        };
        // A date that a person gave holds as long as the content is the same.
        let given = same.and_then(|row| row.time.clone()).filter(DocumentTime::is_given);
        let facts = SourceFacts {
            doc_id: before.map_or_else(|| self.fresh_id(&facts.source), |row| row.doc_id.clone()),
            time: self.job.request.time.clone().or(given),
            ..facts
        };
        let now = jiff::Timestamp::now().to_string();
        let mut prepared = rows(document, &facts, &self.job.request.chunking_of(before), &now);
        let mut report = SourceReport::of(&facts.source, action, &prepared.new.document);
        let has_more = |row: &&DocumentRow| wants_model_context(row) || !row.edits.is_empty();
        if let (Some(snapshot), Some(row)) = (&self.snapshot, before.filter(has_more)) {
            let rebased;
            (prepared, rebased) = prepared.carrying(row, snapshot.parents_of(&row.doc_id).await?);
            report.parents = prepared.new.document.parents;
            report.edits_carried = rebased.carried;
            report.edits_in_conflict = rebased.conflicts;
            if rebased.conflicts > 0 {
                let edits = count(rebased.conflicts, "edit");
                let list = NextStep::ListConflicts;
                report.warnings.push(format!("{edits} in conflict with the new text: see `{list}`"));
            }
        }
        let known = match (&self.snapshot, before) {
            (Some(snapshot), Some(row)) if !self.job.request.dry_run => {
                KnownVectors::of_texts(self.prefetcher.take(snapshot, &row.doc_id).await?).and_of(row)
            }
            _ => KnownVectors::default(),
        };
        let embed = self.job.request.embed;
        match self.sink().await? {
            Sink::DryRun(contexts) => contexts.estimate(&prepared.new)?,
            Sink::Open(indexer) => indexer.put(prepared, known, embed, action.name(), None).await?,
            Sink::NotCreated => {}
        }
        Ok(report)
    }

    /// Removes the documents whose files are gone. Asks first if that may be a mistake.
    pub(super) async fn prune(&mut self, vanished: &[DocumentRow]) -> Result<(), Stop> {
        let Job { request, target, .. } = self.job;
        let removal = suspicious_removal(vanished, &self.existing, &request.paths, &target.store);
        let removal = removal.filter(|_| !request.dry_run);
        if let Some(removal) = removal
            && !(target.confirm)(&removal)?
        {
            self.report.not_removed = Some(removal);
            return Ok(());
        }
        for row in vanished {
            let mut report = SourceReport::of(&row.source, Action::Removed, row);
            let lost = done_by_hand(row);
            if !lost.is_empty() {
                report.warnings.push(format!("{} removed with it", lost.join(", ")));
            }
            self.report.sources.push(report);
            if let Sink::Open(indexer) = self.sink().await? {
                indexer.remove(row);
            }
        }
        Ok(())
    }

    /// Publishes what waits, and completes the report.
    pub(super) async fn finish(&mut self) -> Result<(), Stop> {
        // An open snapshot would keep the replaced data on the disk.
        self.snapshot = None;
        match &mut self.sink {
            Sink::DryRun(contexts) => self.report.contexts = contexts.report(),
            Sink::Open(indexer) => {
                let lacking = self.job.request.embed && self.existing.keys.iter().any(|key| !key.embedded);
                let sources = self.report.sources.iter().map(|report| report.source.as_str()).collect();
                indexer.finish(&sources, lacking).await?;
                self.report.embedded = indexer.embedded();
                self.report.reused = indexer.vectors.reused;
                self.report.without_vectors = indexer.without_vectors;
                self.report.generation = indexer.generation;
                self.report.contexts = indexer.contexts_report();
                self.report.languages = indexer.vectors.languages.report();
            }
            Sink::NotCreated => {}
        }
        Ok(())
    }

    fn fresh_id(&mut self, source: &str) -> DocId {
        let mut ids = (0..).map(|attempt| DocId::of_source(source, attempt));
        ids.find(|id| self.taken.insert(id.clone())).expect("attempts do not end")
    }

    /// The sink for a document. The first document creates a namespace that does not exist.
    async fn sink(&mut self) -> Result<&mut Sink, Stop> {
        if matches!(self.sink, Sink::NotCreated) {
            let mut vectors = self.vectors();
            // Loaded first: an engine or a model that fails leaves no empty store behind.
            if self.job.request.embed {
                vectors.embedder()?;
            }
            let namespace = (self.job.target.create)()?.namespace(&self.job.target.namespace)?;
            let writer = Writer::open_or_wait(&namespace, &self.model, &self.job.target.lock_timeout).await?;
            if writer.generation() > 0 {
                return Err(Stop::Overtaken(Box::new(writer)));
            }
            self.sink = Sink::Open(Box::new(self.indexer(writer, vectors)));
        }
        Ok(&mut self.sink)
    }

    fn vectors(&self) -> LazyEmbedder {
        let (models, record) = (self.job.target.model.models.clone(), self.model.clone());
        LazyEmbedder::NotLoaded { models, record, engine: self.job.engine.clone(), jobs: self.job.request.reading.jobs }
    }

    fn indexer(&self, writer: Writer, vectors: LazyEmbedder) -> Indexer {
        let mut indexer = Indexer::new(writer, vectors, "ingest", self.job.progress.clone());
        indexer.contexts = Some(ContextWriter::new(self.job.target.llm.clone(), Unanswered::Skip));
        indexer.keywords_first = true;
        indexer
    }
}
