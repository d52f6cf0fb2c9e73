//! Makes new vectors for a namespace, with the same model or another one.
//!
//! No source is read: the embedded texts come from the store. New vectors of all documents go into a file of their own
//! ([`VectorCache`]), while others read and write the namespace as before. When it is complete, the namespace is
//! locked, documents that were added meanwhile are embedded too, and one generation with the new vectors is published.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;

use super::languages::is_read;
use super::prepare::Prepared;
use super::profile::vector_text;
use super::rebuild::{RebuildOptions, Rebuilder};
use super::request::Progress;
use super::stored::{bytes_of, read_batches, read_prepared};
use super::vectors::LazyEmbedder;
use crate::chunk::EmbeddedText;
use crate::embed::{Coverage, ParentVectors};
use crate::error::Result;
use crate::models::record_of;
use crate::store::{
    DocumentRow, ModelRecord, Namespace, NewDocument, Note, ParentChunk, Snapshot, VectorCache, VectorKey, Writer,
    in_parts, unpublished_vectors,
};

/// Texts to embed before their vectors are written. An interruption loses about this many.
const BATCH: usize = 512;
/// The history's word for a document with new vectors.
const EMBEDDED: &str = "embedded";

/// Which vectors to make.
#[derive(Debug, Clone)]
pub struct RevectorRequest {
    /// The name of the model; `None` means the namespace's.
    pub model: Option<String>,
    /// With the same model, make all vectors again, not only the missing ones.
    pub force: bool,
    /// Report what would happen, without writing.
    pub dry_run: bool,
}

/// What was done, or in a dry run would be done.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RevectorReport {
    pub dry_run: bool,
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

/// Makes vectors again. After an error, what was published before stays, and what was embedded is kept for the next
/// run.
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

/// What is embedded at once: a parent chunk with its child chunks, or the summary of a document.
struct Unit {
    /// The keys of its vectors: the parent chunk's, then its child chunks'.
    keys: Vec<VectorKey>,
    text: UnitText,
}

enum UnitText {
    ParentChunk(EmbeddedText),
    Summary(String),
}

impl Unit {
    /// The number of texts, as reports count them.
    fn texts(&self) -> usize {
        match &self.text {
            UnitText::ParentChunk(text) => text.children.len(),
            UnitText::Summary(_) => 1,
        }
    }
}

fn texts_of(units: &[Unit]) -> usize {
    units.iter().map(Unit::texts).sum()
}

/// The units of a document: the parent chunks that the model reads, and its summary.
fn units_of(document: Prepared, coverage: &Coverage) -> Vec<Unit> {
    let summary = vector_text(&document.new.document)
        .map(|(text, hash)| Unit { keys: vec![key_of(&hash)], text: UnitText::Summary(text) });
    let parents = document.new.parents.iter().zip(document.texts());
    let read = parents.filter(|(parent, _)| is_read(&parent.content, coverage));
    let unit = |(parent, text): (&ParentChunk, EmbeddedText)| Unit {
        keys: parent.hashes().map(key_of).collect(),
        text: UnitText::ParentChunk(text),
    };
    read.map(unit).chain(summary).collect()
}

fn key_of(hash: &str) -> VectorKey {
    *blake3::Hash::from_hex(hash).expect("hashes of texts are made by blake3").as_bytes()
}

fn with_vectors(
    document: Prepared,
    coverage: &Coverage,
    mut vector: impl FnMut(&str) -> Result<Vec<f32>>,
) -> Result<(DocumentRow, Vec<ParentChunk>)> {
    let NewDocument { mut document, mut parents, .. } = document.new;
    for parent in &mut parents {
        let is_read = is_read(&parent.content, coverage);
        for chunk in parent.chunks_mut() {
            chunk.vector = if is_read { vector(&chunk.embedding_hash)? } else { Vec::new() };
        }
    }
    document.embedded = true;
    document.embedding_hash = vector_text(&document).map(|(_, hash)| hash);
    document.vector = document.embedding_hash.as_deref().map(vector).transpose()?.unwrap_or_default();
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
        let mut known = HashSet::new();
        // Only a replacement of all vectors takes over those of an interrupted run.
        let unpublished =
            if only_missing { HashSet::new() } else { unpublished_vectors(self.namespace, &self.record)? };
        for some in read_batches(&rows) {
            let mut units = self.units(snapshot, some).await?;
            units.retain(|unit| !only_missing || matches!(unit.text, UnitText::ParentChunk(_)));
            let lacking = self.lacking(units, &mut known, |key| unpublished.contains(key));
            self.report.embedded += texts_of(&lacking);
        }
        Ok(())
    }

    async fn units(&self, snapshot: &Snapshot, rows: &[DocumentRow]) -> Result<Vec<Unit>> {
        let documents = read_prepared(snapshot, rows).await?.into_iter();
        Ok(documents.flat_map(|document| units_of(document, &self.coverage)).collect())
    }

    /// The first unit of each text, without those that an earlier run embedded. Counts all texts, and those.
    fn lacking(
        &mut self,
        units: Vec<Unit>,
        known: &mut HashSet<VectorKey>,
        has: impl Fn(&VectorKey) -> bool,
    ) -> Vec<Unit> {
        self.report.texts += texts_of(&units);
        let first = units.into_iter().filter(|unit| known.insert(unit.keys[0]));
        let (there, lacking): (Vec<Unit>, Vec<Unit>) = first.partition(|unit| unit.keys.iter().all(&has));
        self.report.resumed += texts_of(&there);
        lacking
    }

    /// The documents that get vectors, counted.
    async fn documents(&mut self, snapshot: &Snapshot, only_missing: bool) -> Result<Vec<DocumentRow>> {
        let rows =
            if only_missing { snapshot.documents_without_vectors().await? } else { snapshot.documents().await? };
        self.report.documents = rows.len();
        self.report.without_vectors = rows.iter().filter(|row| !row.embedded).count();
        Ok(rows)
    }

    /// Makes missing vectors with the namespace's own model.
    async fn complete(&mut self, snapshot: Snapshot) -> Result<()> {
        if self.documents(&snapshot, true).await?.is_empty() {
            return Ok(());
        }
        drop(snapshot);
        let opened = Rebuilder::open(self.namespace, self.options, "reindex", self.progress.clone()).await?;
        let Rebuilder { snapshot, mut indexer } = opened;
        let rows = self.documents(&snapshot, true).await?;
        // An open snapshot would keep the replaced data on the disk.
        drop(snapshot);
        self.report.texts = rows.iter().map(|row| row.children as usize).sum();
        let outcome = indexer.finish(&rows.iter().map(|row| row.source.as_str()).collect(), true).await;
        self.progress.end();
        outcome?;
        (self.report.embedded, self.report.generation) = (indexer.embedded(), indexer.generation);
        Ok(())
    }

    async fn replace(&mut self, snapshot: Snapshot) -> Result<()> {
        let mut cache = VectorCache::open(self.namespace, &self.record)?;
        let mut vectors = self.options.vectors(self.record.clone());
        let rows = self.documents(&snapshot, false).await?;
        self.progress.begin(rows.len(), bytes_of(&rows));
        let made = self.embed(&snapshot, &rows, &mut cache, &mut vectors).await;
        self.progress.end();
        made?;
        let resumed = self.report.resumed;
        drop(snapshot);

        let writer = Writer::open_existing(self.namespace, &self.options.lock_timeout).await?;
        let snapshot = Snapshot::open(self.namespace).await?;
        let rows = self.documents(&snapshot, false).await?;
        // Documents that were added meanwhile.
        self.embed(&snapshot, &rows, &mut cache, &mut vectors).await?;
        self.report.resumed = resumed;
        let mut note = Note::of("reindex");
        let mut rewrite = writer.rewrite(&self.record).await?;
        for some in read_batches(&rows) {
            for document in read_prepared(&snapshot, some).await? {
                note.add(EMBEDDED, &document.new.document.source);
                let vector = |hash: &str| cache.get(&key_of(hash));
                let (document, parents) = with_vectors(document, &self.coverage, vector)?;
                rewrite.put(document, parents).await?;
            }
        }
        // An open snapshot would keep the replaced data on the disk.
        drop(snapshot);
        self.report.generation = Some(rewrite.publish(&note).await?);
        cache.clear(self.namespace)
    }

    /// Embeds what the cache lacks. Counts all texts, and those that it has.
    async fn embed(
        &mut self,
        snapshot: &Snapshot,
        rows: &[DocumentRow],
        cache: &mut VectorCache,
        vectors: &mut LazyEmbedder,
    ) -> Result<()> {
        (self.report.texts, self.report.resumed) = (0, 0);
        let mut known = HashSet::new();
        for some in read_batches(rows) {
            let units = self.units(snapshot, some).await?;
            for _ in some {
                self.progress.file_read();
            }
            let lacking = self.lacking(units, &mut known, |key| cache.has(key));
            self.embed_units(&lacking, bytes_of(some), cache, vectors)?;
        }
        Ok(())
    }

    /// Embeds units. `bytes` is the size of the files that are done with them.
    fn embed_units(
        &mut self,
        units: &[Unit],
        bytes: u64,
        cache: &mut VectorCache,
        vectors: &mut LazyEmbedder,
    ) -> Result<()> {
        if units.is_empty() {
            self.progress.embedded(0, bytes);
            return Ok(());
        }
        let (total, progress) = (texts_of(units) as u64, &self.progress);
        let report = |count: usize| progress.embedded(count, bytes * count as u64 / total);
        let embedder = vectors.embedder()?;
        for some in in_parts(units, BATCH, Unit::texts) {
            let mut parents: Vec<&EmbeddedText> = Vec::new();
            let mut summaries: Vec<&str> = Vec::new();
            for unit in some {
                match &unit.text {
                    UnitText::ParentChunk(text) => parents.push(text),
                    UnitText::Summary(text) => summaries.push(text),
                }
            }
            let mut parents = embedder.embed_parents(&parents, &report)?.into_iter();
            let mut summaries = embedder.embed_documents(&summaries, &report)?.into_iter();
            let made = some.iter().flat_map(|unit| match unit.text {
                UnitText::ParentChunk(_) => parents.next().map_or_else(Vec::new, ParentVectors::in_order),
                UnitText::Summary(_) => summaries.next().into_iter().collect(),
            });
            let keys = some.iter().flat_map(|unit| unit.keys.iter().copied());
            cache.put(&keys.zip(made).collect::<Vec<_>>())?;
            self.report.embedded += texts_of(some);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::ChunkConfig;
    use crate::knowledge::profile::{ParentChunkText, profile};

    #[test]
    fn chunks_get_the_vectors_of_their_hashes() {
        let config = ChunkConfig { parent_chars: 40, child_chars: 20, ..ChunkConfig::default() };
        let text =
            "# Pump\n\nOpen the valve. Close the drain. Start the pump. Wait for it.\n\n启动水泵之前检查压力表。";
        let mut prepared = Prepared::sample(text, &config);
        prepared.new.document.profile = profile("Pump", "en", &[], &[ParentChunkText { title: "", text }]);
        let coverage = Coverage::latin();
        let units = units_of(prepared.clone(), &coverage);
        assert_eq!(units.len(), prepared.texts().count(), "the summary too, and not what the model does not read");
        let of = |hash: &str| vec![f32::from(hash.as_bytes()[0]), f32::from(hash.as_bytes()[1])];
        let (document, parents) = with_vectors(prepared.clone(), &coverage, |hash| Ok(of(hash))).unwrap();
        assert!(document.embedded && document.embedding_hash.is_some() && document.vector.len() == 2);
        let (unread, read) = parents.split_last().unwrap();
        assert!(unread.vector.is_empty() && unread.children.iter().all(|child| child.vector.is_empty()));
        for chunk in read.iter().flat_map(ParentChunk::chunks) {
            assert_eq!(chunk.vector, of(&chunk.embedding_hash), "{}", chunk.content);
        }
        assert!(with_vectors(prepared, &coverage, |_| Err(crate::Error::failed("none"))).is_err());
    }
}
