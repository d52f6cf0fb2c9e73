//! New vectors for a namespace, by the same model or another one.
//!
//! No source is read: the embedded texts follow from the store. New vectors of all documents go into a file of their own
//! ([`VectorCache`]), while others read and write the namespace as before. When all are there, the namespace is locked,
//! documents that came meanwhile are embedded too, and one generation with the new vectors is published.

use std::collections::HashSet;
use std::iter::repeat_n;
use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;

use super::indexer::{KnownVectors, Vectors, set_vectors};
use super::languages::is_read;
use super::prepare::Prepared;
use super::profile::vector_text;
use super::rebuild::{RebuildOptions, Rebuilder};
use super::request::Progress;
use crate::embed::Coverage;
use crate::error::Result;
use crate::ids::DocId;
use crate::models::record_of;
use crate::store::{
    DocumentRow, ModelRecord, Namespace, NewDocument, Note, ParentChunk, Snapshot, VectorCache, VectorKey, Writer,
    unpublished_vectors,
};

/// Documents whose chunks are read at once.
const AT_ONCE: usize = 100;
/// Texts that are embedded before their vectors are written, which is what an interruption loses.
const BATCH: usize = 512;
/// The history's word for a document with new vectors.
const EMBEDDED: &str = "embedded";

/// Which vectors to make.
#[derive(Debug, Clone)]
pub struct RevectorRequest {
    /// The name of the model; `None` means the namespace's.
    pub model: Option<String>,
    /// Make all vectors again if the model stays the same, and not only the missing ones.
    pub force: bool,
    /// Report what would happen, without writing.
    pub dry_run: bool,
}

/// What was done, or in a dry run would be done.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RevectorReport {
    pub dry_run: bool,
    /// The name of the model before.
    pub model_before: String,
    pub model: String,
    /// Numbers in a vector.
    pub dimension: usize,
    /// Documents that get vectors.
    pub documents: usize,
    /// Documents among them that had none.
    pub without_vectors: usize,
    /// Their child chunks and summaries.
    pub texts: usize,
    /// Different texts embedded in this run.
    pub embedded: usize,
    /// Different texts embedded by an earlier run that was interrupted.
    pub resumed: usize,
    /// The generation published; `None` if nothing was published.
    pub generation: Option<u64>,
    pub seconds: f64,
}

/// Makes vectors again.
///
/// # Errors
/// Where the model is missing or fails, or the store refuses. What was published before stays, and what was embedded is
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
    let only_missing = before == record && !request.force;
    let coverage = model.embedding_config.languages.clone();
    let mut run = Run { namespace, options, progress, record, coverage, report: &mut report };
    match (request.dry_run, only_missing) {
        (true, _) => run.plan(&snapshot, only_missing).await?,
        (false, true) => run.complete(snapshot).await?,
        (false, false) => run.replace(snapshot).await?,
    }
    report.seconds = started.elapsed().as_secs_f64();
    Ok(report)
}

/// Documents with their chunks and what is embedded of those, without sections and vectors.
async fn read(snapshot: &Snapshot, rows: &[DocumentRow]) -> Result<Vec<Prepared>> {
    let ids: Vec<DocId> = rows.iter().map(|row| row.doc_id.clone()).collect();
    let mut parents = snapshot.parents_of_each(&ids).await?;
    let prepared = |row: &DocumentRow| {
        let parents = parents.remove(&row.doc_id).unwrap_or_default();
        let config = row.chunking;
        Prepared::of(NewDocument { document: row.clone(), sections: Vec::new(), parents }, &config)
    };
    Ok(rows.iter().map(prepared).collect())
}

/// The embedded texts of a document: its child chunks and its summary, as far as the model reads them.
fn texts_of(document: &Prepared, coverage: &Coverage) -> Vec<(VectorKey, String)> {
    let summary = vector_text(&document.new.document).map(|(text, _)| text);
    let children = child_texts(document, coverage).flatten().cloned();
    let texts = children.chain(summary.filter(|text| is_read(text, coverage)));
    texts.map(|text| (key_of(&text), text)).collect()
}

/// The text to embed for each child chunk; `None` for those that the model does not read.
fn child_texts<'d>(document: &'d Prepared, coverage: &Coverage) -> impl Iterator<Item = Option<&'d String>> {
    let parents = &document.new.parents;
    let read = parents.iter().flat_map(|parent| repeat_n(is_read(&parent.content, coverage), parent.children.len()));
    document.texts.iter().zip(read).map(|(text, read)| read.then_some(text))
}

fn key_of(text: &str) -> VectorKey {
    *blake3::hash(text.as_bytes()).as_bytes()
}

/// A document with its vectors.
fn with_vectors(
    document: Prepared,
    coverage: &Coverage,
    mut vector: impl FnMut(&str) -> Result<Vec<f32>>,
) -> Result<(DocumentRow, Vec<ParentChunk>)> {
    let texts = child_texts(&document, coverage);
    let vectors: Vec<Vec<f32>> =
        texts.map(|text| text.map_or(Ok(Vec::new()), |text| vector(text))).collect::<Result<_>>()?;
    let NewDocument { mut document, mut parents, .. } = document.new;
    set_vectors(&mut parents, vectors);
    document.embedded = true;
    (document.embedding_hash, document.vector) = match vector_text(&document) {
        Some((text, hash)) if is_read(&text, coverage) => (Some(hash), vector(&text)?),
        Some((_, hash)) => (Some(hash), Vec::new()),
        None => (None, Vec::new()),
    };
    Ok((document, parents))
}

struct Run<'a> {
    namespace: &'a Namespace,
    options: &'a RebuildOptions,
    progress: Arc<dyn Progress>,
    record: ModelRecord,
    coverage: Coverage,
    report: &'a mut RevectorReport,
}

impl Run<'_> {
    /// Counts what would be embedded.
    async fn plan(&mut self, snapshot: &Snapshot, only_missing: bool) -> Result<()> {
        let rows = self.documents(snapshot, only_missing).await?;
        let mut keys: HashSet<VectorKey> = HashSet::new();
        for some in rows.chunks(AT_ONCE) {
            for document in read(snapshot, some).await? {
                let texts = match only_missing {
                    true => child_texts(&document, &self.coverage).flatten().map(|text| key_of(text)).collect(),
                    false => texts_of(&document, &self.coverage).into_iter().map(|(key, _)| key).collect::<Vec<_>>(),
                };
                self.report.texts += texts.len();
                keys.extend(texts);
            }
        }
        if !only_missing {
            // Vectors of texts that no longer exist are of no use.
            self.report.resumed = unpublished_vectors(self.namespace, &self.record)?.intersection(&keys).count();
        }
        self.report.embedded = keys.len() - self.report.resumed;
        Ok(())
    }

    /// The documents that get vectors, counted.
    async fn documents(&mut self, snapshot: &Snapshot, only_missing: bool) -> Result<Vec<DocumentRow>> {
        let mut rows = snapshot.documents().await?;
        rows.retain(|row| !only_missing || !row.embedded);
        self.report.documents = rows.len();
        self.report.without_vectors = rows.iter().filter(|row| !row.embedded).count();
        Ok(rows)
    }

    fn begin(&self, rows: &[DocumentRow]) {
        self.progress.begin(rows.len(), rows.iter().map(|row| row.size).sum());
    }

    /// Gives vectors of the namespace's own model to documents without.
    async fn complete(&mut self, snapshot: Snapshot) -> Result<()> {
        if self.documents(&snapshot, true).await?.is_empty() {
            return Ok(());
        }
        drop(snapshot);
        let mut rebuilder = Rebuilder::open(self.namespace, self.options, "reindex", self.progress.clone()).await?;
        let rows = self.documents(&rebuilder.snapshot, true).await?;
        self.begin(&rows);
        for some in rows.chunks(AT_ONCE) {
            for mut document in read(&rebuilder.snapshot, some).await? {
                self.report.texts += document.texts.len();
                self.progress.file_read(&document.new.document.source);
                document.new.sections = rebuilder.snapshot.sections(&document.new.document.doc_id).await?;
                rebuilder.indexer.put(document, KnownVectors::default(), true, "updated", None).await?;
            }
        }
        let outcome = rebuilder.finish().await;
        self.progress.end();
        let indexer = outcome?;
        (self.report.embedded, self.report.generation) = (indexer.embedded, indexer.generation);
        Ok(())
    }

    /// Replaces all vectors.
    async fn replace(&mut self, snapshot: Snapshot) -> Result<()> {
        let mut cache = VectorCache::open(self.namespace, &self.record)?;
        let mut vectors = self.options.vectors(self.record.clone());
        let rows = self.documents(&snapshot, false).await?;
        self.begin(&rows);
        let made = self.embed(&snapshot, &rows, &mut cache, &mut vectors).await;
        self.progress.end();
        self.report.resumed = made?;
        drop(snapshot);

        let writer = Writer::open_existing(self.namespace, &self.options.lock_timeout).await?;
        let snapshot = Snapshot::open(self.namespace).await?;
        let rows = self.documents(&snapshot, false).await?;
        // Documents that came meanwhile.
        self.embed(&snapshot, &rows, &mut cache, &mut vectors).await?;
        let mut note = Note::of("reindex");
        let mut rewrite = writer.rewrite(&self.record).await?;
        for some in rows.chunks(AT_ONCE) {
            for document in read(&snapshot, some).await? {
                self.report.texts += texts_of(&document, &self.coverage).len();
                note.add(EMBEDDED, &document.new.document.source);
                let vector = |text: &str| cache.get(&key_of(text));
                let (document, parents) = with_vectors(document, &self.coverage, vector)?;
                rewrite.put(document, parents).await?;
            }
        }
        // An open snapshot would keep what the publication replaces.
        drop(snapshot);
        self.report.generation = Some(rewrite.publish(&note).await?);
        cache.clear(self.namespace)
    }

    /// Embeds what the cache lacks, and gives the number of texts that an earlier run embedded.
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
                for (key, text) in texts_of(&document, &self.coverage) {
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
        }
        let (total, progress) = (texts.len() as u64, &self.progress);
        let report = |count: usize| progress.embedded(count, bytes * count as u64 / total);
        // A long document can have more texts than an interruption may lose.
        for some in texts.chunks(BATCH) {
            let inputs: Vec<&str> = some.iter().map(|(_, text)| text.as_str()).collect();
            let made = vectors.embedder()?.embed_documents(&inputs, &report)?;
            let keyed: Vec<(VectorKey, Vec<f32>)> = some.iter().map(|(key, _)| *key).zip(made).collect();
            cache.put(&keyed)?;
            self.report.embedded += keyed.len();
        }
        Ok(())
    }
}

/// Texts to embed, and the bytes of their documents.
#[derive(Default)]
struct Waiting {
    texts: Vec<(VectorKey, String)>,
    bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::ChunkConfig;
    use crate::ingest::{SourceFacts, prepare};
    use crate::knowledge::profile::{ParentChunkText, profile};
    use crate::load::markdown;

    #[test]
    fn a_child_gets_the_vector_of_its_text_and_a_parent_their_mean() {
        let config = ChunkConfig { parent_chars: 40, child_chars: 20, ..ChunkConfig::default() };
        let text = "# Pump\n\nOpen the valve. Close the drain. Start the pump. Wait for it.\n";
        let mut prepared = prepare(&markdown::parse(text), &SourceFacts::sample(), &config, "now");
        prepared.new.document.profile = profile("Pump", "en", &[], &[ParentChunkText { title: "", text }]);
        let coverage = Coverage::latin();
        let all = texts_of(&prepared, &coverage);
        assert_eq!(all.len(), prepared.texts.len() + 1, "the summary too");
        // A vector that differs by text.
        let of = |text: &str| if text.contains("valve") { vec![1.0, 0.0] } else { vec![0.0, 1.0] };
        let (document, parents) = with_vectors(prepared.clone(), &coverage, |text| Ok(of(text))).unwrap();
        assert!(document.embedded && document.embedding_hash.is_some() && document.vector.len() == 2);
        let mut texts = prepared.texts.iter();
        for parent in &parents {
            for child in &parent.children {
                assert_eq!(child.vector, of(texts.next().unwrap()), "{}", child.content);
            }
            let length: f32 = parent.vector.iter().map(|x| x * x).sum();
            assert!((length - 1.0).abs() < 1e-6);
        }
        assert!(with_vectors(prepared, &coverage, |_| Err(crate::Error::failed("none"))).is_err());
    }
}
