//! `kb reindex --vectors`: all vectors of a namespace anew, by the same model or another one.
//!
//! Texts are not read again: what was embedded of them is made from what is in the store. Vectors are kept in a file of
//! their own as they are made ([`VectorCache`]), while everybody reads and writes the namespace as before; only when all
//! are there, the namespace is locked, what has come meanwhile is embedded too, and the generation with the new vectors is
//! published in one piece.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;

use super::Progress;
use super::index::{KnownVectors, Vectors, set_vectors};
use super::prepare::Prepared;
use super::profile::vector_text;
use super::rebuild::{RebuildOptions, Rebuilder};
use crate::chunk::ChunkConfig;
use crate::error::Result;
use crate::models::record_of;
use crate::store::{
    ChunkRow, DocumentRow, ModelRecord, Namespace, NewDocument, Note, SectionRow, Snapshot, VectorCache, VectorKey,
    Writer, unpublished_vectors,
};

/// So many documents' chunks are read at once.
const AT_ONCE: usize = 100;
/// So many texts are embedded before their vectors are written: what an interruption loses.
const BATCH: usize = 512;
/// What the history calls a document that has got new vectors.
const EMBEDDED: &str = "embedded";

/// Which vectors to make.
#[derive(Debug, Clone)]
pub struct RevectorRequest {
    /// The name of the model; the one that the namespace has, where `None`.
    pub model: Option<String>,
    /// Where the model stays the same: all anew, and not only those that are missing.
    pub force: bool,
    /// Only say what would happen.
    pub dry_run: bool,
}

/// What was done, or with `dry_run` would be done.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RevectorReport {
    /// Whether nothing was written because it was only asked.
    pub dry_run: bool,
    /// The name of the model that the vectors were of.
    pub model_before: String,
    /// That of the one that they are of.
    pub model: String,
    /// How many numbers each has.
    pub dimension: usize,
    /// How many documents get vectors.
    pub documents: usize,
    /// How many of them had none.
    pub without_vectors: usize,
    /// How many pieces and summaries of documents they have.
    pub texts: usize,
    /// How many different texts were embedded in this run, or would be.
    pub embedded: usize,
    /// How many were embedded by an earlier run that was interrupted.
    pub resumed: usize,
    /// The generation published; `None` where nothing was.
    pub generation: Option<u64>,
    /// How long it took, in seconds.
    pub seconds: f64,
}

/// Makes vectors anew.
///
/// # Errors
/// Where the model is not here or fails, or the store refuses. What was published before stays, and what was embedded is
/// kept for the next run.
pub async fn revector(
    request: &RevectorRequest,
    namespace: &Namespace,
    options: &RebuildOptions,
    progress: Arc<dyn Progress>,
) -> Result<RevectorReport> {
    let started = Instant::now();
    let snapshot = Snapshot::open(namespace).await?;
    let before = snapshot.manifest().model.clone();
    let model = match &request.model {
        Some(name) => options.models.find(name)?,
        None => options.models.of_that_name(&before)?,
    };
    let record = record_of(&model);
    let mut report = RevectorReport {
        dry_run: request.dry_run,
        model_before: before.name.clone(),
        model: model.name.clone(),
        dimension: record.dimension,
        ..RevectorReport::default()
    };
    if before.agrees_with(&record) && !request.force {
        complete(snapshot, namespace, options, progress, &mut report).await?;
    } else {
        let mut anew = Anew { namespace, options, progress, record, report: &mut report };
        match request.dry_run {
            true => anew.plan(&snapshot).await?,
            false => anew.make(snapshot).await?,
        }
    }
    report.seconds = started.elapsed().as_secs_f64();
    Ok(report)
}

/// Gives vectors of the namespace's own model to documents that have none.
async fn complete(
    snapshot: Snapshot,
    namespace: &Namespace,
    options: &RebuildOptions,
    progress: Arc<dyn Progress>,
    report: &mut RevectorReport,
) -> Result<()> {
    let lacking = |rows: Vec<DocumentRow>| rows.into_iter().filter(|row| !row.embedded).collect::<Vec<_>>();
    let mut rows = lacking(snapshot.documents().await?);
    (report.documents, report.without_vectors) = (rows.len(), rows.len());
    if report.dry_run || rows.is_empty() {
        let mut keys: HashSet<VectorKey> = HashSet::new();
        for some in rows.chunks(AT_ONCE) {
            for document in read(&snapshot, some).await? {
                report.texts += document.texts.len();
                keys.extend(document.texts.iter().map(|text| key_of(text)));
            }
        }
        report.embedded = keys.len();
        return Ok(());
    }
    drop(snapshot);
    let mut rebuilder = Rebuilder::open(namespace, options, "reindex", progress.clone()).await?;
    rows = lacking(rebuilder.snapshot().documents().await?);
    (report.documents, report.without_vectors) = (rows.len(), rows.len());
    progress.begin(rows.len(), rows.iter().map(|row| row.size).sum());
    for some in rows.chunks(AT_ONCE) {
        let mut sections = sections_of(rebuilder.snapshot(), some).await?;
        for mut document in read(rebuilder.snapshot(), some).await? {
            report.texts += document.texts.len();
            progress.file_read(&document.new.document.source);
            document.new.sections = sections.remove(&document.new.document.doc_id).unwrap_or_default();
            rebuilder.put_rows(document, KnownVectors::default(), true).await?;
        }
    }
    let outcome = rebuilder.finish().await;
    progress.end();
    let indexer = outcome?;
    (report.embedded, report.generation) = (indexer.embedded, indexer.generation);
    Ok(())
}

/// The sections of documents, by document and in order.
async fn sections_of(snapshot: &Snapshot, rows: &[DocumentRow]) -> Result<HashMap<String, Vec<SectionRow>>> {
    let ids: Vec<String> = rows.iter().map(|row| row.doc_id.clone()).collect();
    let mut each: HashMap<String, Vec<SectionRow>> = HashMap::new();
    for section in snapshot.sections_of(&ids).await? {
        each.entry(section.doc_id.clone()).or_default().push(section);
    }
    each.values_mut().for_each(|sections| sections.sort_by_key(|section| section.position));
    Ok(each)
}

/// Documents with their chunks and what is embedded of those, without sections and vectors.
async fn read(snapshot: &Snapshot, rows: &[DocumentRow]) -> Result<Vec<Prepared>> {
    let ids: Vec<String> = rows.iter().map(|row| row.doc_id.clone()).collect();
    let mut chunks = snapshot.chunks_of_each(&ids).await?;
    let prepared = |row: &DocumentRow| {
        let chunks = chunks.remove(&row.doc_id).unwrap_or_default();
        let config = ChunkConfig::of(&row.chunking);
        Prepared::of(NewDocument { document: row.clone(), sections: Vec::new(), chunks }, &config)
    };
    Ok(rows.iter().map(prepared).collect())
}

/// What is embedded of a document: its pieces, and the summary of it.
fn texts_of(document: &Prepared) -> Vec<(VectorKey, String)> {
    let summary = vector_text(&document.new.document).map(|(text, _)| text);
    let texts = document.texts.iter().cloned().chain(summary);
    texts.map(|text| (key_of(&text), text)).collect()
}

fn key_of(text: &str) -> VectorKey {
    *blake3::hash(text.as_bytes()).as_bytes()
}

/// A document with its vectors.
fn with_vectors(
    document: Prepared,
    mut vector: impl FnMut(&str) -> Result<Vec<f32>>,
) -> Result<(DocumentRow, Vec<ChunkRow>)> {
    let Prepared { new: NewDocument { mut document, mut chunks, .. }, texts } = document;
    let vectors: Vec<Vec<f32>> = texts.iter().map(|text| vector(text)).collect::<Result<_>>()?;
    set_vectors(&mut chunks, vectors);
    document.embedded = true;
    (document.vector_of, document.vector) = match vector_text(&document) {
        Some((text, hash)) => (Some(hash), vector(&text)?),
        None => (None, Vec::new()),
    };
    Ok((document, chunks))
}

/// All vectors of a namespace, anew.
struct Anew<'a> {
    namespace: &'a Namespace,
    options: &'a RebuildOptions,
    progress: Arc<dyn Progress>,
    record: ModelRecord,
    report: &'a mut RevectorReport,
}

impl Anew<'_> {
    /// Says what would be done.
    async fn plan(&mut self, snapshot: &Snapshot) -> Result<()> {
        let rows = self.look_at(snapshot).await?;
        let mut keys: HashSet<VectorKey> = HashSet::new();
        for some in rows.chunks(AT_ONCE) {
            for document in read(snapshot, some).await? {
                let texts = texts_of(&document);
                self.report.texts += texts.len();
                keys.extend(texts.into_iter().map(|(key, _)| key));
            }
        }
        // What was made of texts that are not there any more helps nothing.
        self.report.resumed = unpublished_vectors(self.namespace, &self.record)?.intersection(&keys).count();
        self.report.embedded = keys.len() - self.report.resumed;
        Ok(())
    }

    /// The documents, counted.
    async fn look_at(&mut self, snapshot: &Snapshot) -> Result<Vec<DocumentRow>> {
        let rows = snapshot.documents().await?;
        self.report.documents = rows.len();
        self.report.without_vectors = rows.iter().filter(|row| !row.embedded).count();
        Ok(rows)
    }

    /// Does it.
    async fn make(&mut self, snapshot: Snapshot) -> Result<()> {
        let mut cache = VectorCache::open(self.namespace, &self.record)?;
        let (models, record) = (self.options.models.clone(), self.record.clone());
        let (engine, jobs) = (self.options.engine.clone(), self.options.jobs);
        let mut vectors = Vectors::WhenNeeded { models, record, engine, jobs };
        let rows = self.look_at(&snapshot).await?;
        self.progress.begin(rows.len(), rows.iter().map(|row| row.size).sum());
        let made = self.embed(&snapshot, &rows, &mut cache, &mut vectors).await;
        self.progress.end();
        self.report.resumed = made?;
        drop(snapshot);

        let writer = Writer::open_existing(self.namespace, &self.options.patience).await?;
        let snapshot = Snapshot::open(self.namespace).await?;
        let rows = self.look_at(&snapshot).await?;
        // What has come since.
        self.embed(&snapshot, &rows, &mut cache, &mut vectors).await?;
        let mut note = Note::of("reindex");
        let mut rewrite = writer.rewrite(&self.record).await?;
        for some in rows.chunks(AT_ONCE) {
            for document in read(&snapshot, some).await? {
                self.report.texts += texts_of(&document).len();
                note.add(EMBEDDED, &document.new.document.source);
                let vector = |text: &str| cache.get(&key_of(text));
                let (document, chunks) = with_vectors(document, vector)?;
                rewrite.put(document, chunks).await?;
            }
        }
        // Otherwise this would be a reader of what is replaced, and keep it.
        drop(snapshot);
        self.report.generation = Some(rewrite.publish(&note).await?);
        cache.clear(self.namespace)
    }

    /// Embeds what is not in the cache yet, and gives how many texts an earlier run has embedded.
    async fn embed(
        &mut self,
        snapshot: &Snapshot,
        rows: &[DocumentRow],
        cache: &mut VectorCache,
        vectors: &mut Vectors,
    ) -> Result<usize> {
        let mut waiting = Waiting::default();
        let mut resumed: HashSet<VectorKey> = HashSet::new();
        let mut fresh: HashSet<VectorKey> = HashSet::new();
        for some in rows.chunks(AT_ONCE) {
            for document in read(snapshot, some).await? {
                for (key, text) in texts_of(&document) {
                    if fresh.contains(&key) {
                        continue;
                    }
                    if cache.has(&key) {
                        resumed.insert(key);
                    } else {
                        fresh.insert(key);
                        waiting.texts.push((key, text));
                    }
                }
                waiting.bytes += document.new.document.size;
                self.progress.file_read(&document.new.document.source);
                if waiting.texts.len() >= BATCH {
                    self.embed_waiting(std::mem::take(&mut waiting), cache, vectors)?;
                }
            }
        }
        self.embed_waiting(waiting, cache, vectors)?;
        Ok(resumed.len())
    }

    fn embed_waiting(&mut self, waiting: Waiting, cache: &mut VectorCache, vectors: &mut Vectors) -> Result<()> {
        let Waiting { texts, bytes } = waiting;
        if texts.is_empty() {
            self.progress.embedded(0, bytes);
            return Ok(());
        }
        let mut left = bytes;
        // A long document has more texts than an interruption may lose.
        for some in texts.chunks(BATCH) {
            let share = bytes * some.len() as u64 / texts.len() as u64;
            left = left.saturating_sub(share);
            let inputs: Vec<&str> = some.iter().map(|(_, text)| text.as_str()).collect();
            let (total, progress) = (inputs.len() as u64, &self.progress);
            let tell = |count: usize| progress.embedded(count, share * count as u64 / total);
            let made = vectors.embedder()?.embed_passages(&inputs, &tell)?;
            let keyed: Vec<(VectorKey, Vec<f32>)> = some.iter().map(|(key, _)| *key).zip(made).collect();
            cache.put(&keyed)?;
            self.report.embedded += keyed.len();
        }
        self.progress.embedded(0, left);
        Ok(())
    }
}

/// Texts that are to be embedded, and the bytes of the documents they are of.
#[derive(Default)]
struct Waiting {
    texts: Vec<(VectorKey, String)>,
    bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::{SourceFacts, prepare};
    use crate::load::markdown;
    use crate::profile::{PassageText, profile};
    use crate::store::ChunkType;

    #[test]
    fn each_piece_gets_the_vector_of_its_text_and_a_passage_their_mean() {
        let config = ChunkConfig { parent_chars: 40, child_chars: 20, ..ChunkConfig::default() };
        let text = "# Pump\n\nOpen the valve. Close the drain. Start the pump. Wait for it.\n";
        let mut prepared = prepare(&markdown::parse(text), &SourceFacts::sample(), &config, "now");
        prepared.new.document.profile = profile("Pump", "en", &[], &[PassageText { title: "", text }]);
        let all = texts_of(&prepared);
        assert_eq!(all.len(), prepared.texts.len() + 1, "the summary too");
        // A vector that tells its text.
        let of = |text: &str| if text.contains("valve") { vec![1.0, 0.0] } else { vec![0.0, 1.0] };
        let (document, chunks) = with_vectors(prepared.clone(), |text| Ok(of(text))).unwrap();
        assert!(document.embedded && document.vector_of.is_some() && document.vector.len() == 2);
        let mut texts = prepared.texts.iter();
        for chunk in &chunks {
            match chunk.chunk_type {
                ChunkType::Child => assert_eq!(chunk.vector, of(texts.next().unwrap()), "{}", chunk.content),
                ChunkType::Parent => {
                    let length: f32 = chunk.vector.iter().map(|x| x * x).sum();
                    assert!((length - 1.0).abs() < 1e-6);
                }
            }
        }
        assert!(with_vectors(prepared, |_| Err(crate::Error::failed("none"))).is_err());
    }
}
