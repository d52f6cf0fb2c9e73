//! What a reader sees: one generation, whatever writers do meanwhile.

use std::collections::HashMap;
use std::time::Duration;

use futures::TryStreamExt;
use lancedb::DistanceType;
use lancedb::arrow::arrow_array::RecordBatch;
use lancedb::query::{ExecutableQuery, QueryBase, Select};
use tokio::sync::OnceCell;

use super::convert::{self, Columns};
use super::facts::DocumentName;
use super::history::Lease;
use super::indexed::{IndexedParentChunk, WordPlaces};
use super::keyword::{KeywordField, KeywordHit, KeywordReader};
use super::keyword_query::KeywordStatistics;
use super::keyword_query::Phrase;
use super::layout::Namespace;
use super::manifest::{Manifest, ModelRecord};
use super::namespaces::nothing_ingested;
use super::read_cache::{Kept, ReadAhead, ReadCache};
use super::rows::{ChunkRow, DocumentRow, ParentChunk, SectionRow};
use super::scope::Scope;
use super::store_error;
use super::tables::{CHUNKS, MOST_IN_LIST, Tables, in_list};
use super::vectors::{LoadedVectors, VectorHit};
use super::words::OtherName;
use super::writer::Writer;
use crate::error::{Error, Result};
use crate::ids::{ChunkId, DocId, SectionId};

/// All columns of a document but its vector.
pub(super) const DOCUMENT_COLUMNS: &[&str] = &[
    "doc_id",
    "source",
    "title",
    "format",
    "content_hash",
    "size",
    "mtime_ns",
    "language",
    "pages",
    "metadata",
    "chunking",
    "engine",
    "warnings",
    "toc_method",
    "sections",
    "parents",
    "children",
    "ingested_at",
    "corrected_toc",
    "structure_version",
    "embedded",
    "edits",
    "time",
    "profile",
    "embedding_hash",
];
/// All columns of a chunk but its vector.
pub(super) const CHUNK_COLUMNS: &[&str] = &[
    "chunk_id",
    "doc_id",
    "section_id",
    "chunk_type",
    "parent_id",
    "chunk_index",
    "content",
    "titles",
    "page_start",
    "page_end",
    "language",
    "embedding_hash",
    "updated_at",
    "edited",
    "metadata",
    "situating",
];
/// How often opening is tried again when a publication comes in between …
const ATTEMPTS: u32 = 30;
/// … at first after a moment, and once the state looks lasting and is mended, here or by the writer at work, after
/// longer ones.
const QUICK_ATTEMPTS: u32 = 10;
const MOMENT: Duration = Duration::from_millis(5);
const LONGER: Duration = Duration::from_millis(100);

/// How many times more neighbours are read where too few of them are in a scope.
const WIDER: usize = 4;

/// One generation of a namespace, open for reading.
pub struct Snapshot {
    manifest: Manifest,
    pub(super) tables: Tables,
    pub(super) keyword: KeywordReader,
    lease: Option<Lease>,
    /// How its documents are called, where they are not too many.
    pub(super) names: OnceCell<Option<HashMap<DocId, DocumentName>>>,
    cache: ReadCache,
}

impl Snapshot {
    /// Opens the published generation. A keyword index that is missing, damaged or behind is rebuilt first; so is
    /// mended what an interrupted publication left.
    ///
    /// # Errors
    /// Where the namespace does not exist, or something in it is broken beyond that.
    pub async fn open(namespace: &Namespace) -> Result<Self> {
        for attempt in 0..ATTEMPTS {
            if let Some(snapshot) = Snapshot::try_open(namespace).await? {
                return Ok(snapshot);
            }
            // By now it is no passing state: then it is for a writer to mend.
            if attempt == QUICK_ATTEMPTS {
                Writer::mend(namespace).await?;
            }
            tokio::time::sleep(if attempt < QUICK_ATTEMPTS { MOMENT } else { LONGER }).await;
        }
        Err(Error::failed(format!("the keyword index of {} does not match its tables", namespace.root().display()))
            .hint("try again; if it stays so, delete the folder `keyword` in it and run the command once more"))
    }

    /// `None` where tables and keyword index were of different generations at this moment.
    async fn try_open(namespace: &Namespace) -> Result<Option<Self>> {
        let manifest = Manifest::read(namespace)?;
        let pending = Manifest::read_pending(namespace)?;
        let Some((keyword, generation)) = KeywordReader::open(namespace) else {
            return match manifest {
                Some(_) => Ok(None),
                None => Err(nothing_ingested(namespace)),
            };
        };
        // Between tantivy's commit and the renaming, the pending generation is the one both indexes have.
        let Some(manifest) = [manifest, pending].into_iter().flatten().find(|m| m.generation == generation) else {
            return if namespace.exists() { Ok(None) } else { Err(nothing_ingested(namespace)) };
        };
        let lease = Lease::take(namespace, manifest.generation);
        // Without a lease, it is one that has no record, or was replaced and taken away before it could be leased.
        if lease.is_none() && Manifest::read(namespace)?.is_some_and(|now| now.generation > manifest.generation) {
            return Ok(None);
        }
        let tables = Tables::open_at(namespace, &manifest).await?;
        let cache = ReadCache::of(namespace, &manifest);
        Ok(Some(Snapshot { manifest, tables, keyword, lease, names: OnceCell::new(), cache }))
    }

    /// The model of the vectors that are published; `None` where nothing is. As a rule, nothing is opened for it.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub async fn model_of(namespace: &Namespace) -> Result<Option<ModelRecord>> {
        match (Manifest::read(namespace)?, Manifest::read_pending(namespace)?) {
            (Some(published), Some(pending)) if !published.model.agrees_with(&pending.model) => {
                // The indexes decide which of them is published.
                Ok(Some(Snapshot::open(namespace).await?.manifest.model))
            }
            (published, pending) => Ok(published.or(pending).map(|manifest| manifest.model)),
        }
    }

    /// Its tables, without the keyword index.
    pub(super) fn into_parts(self) -> (Manifest, Tables, Option<Lease>) {
        (self.manifest, self.tables, self.lease)
    }

    /// What was published.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// How many parent chunks the keyword index holds.
    pub fn keyword_count(&self) -> u64 {
        self.keyword.count()
    }

    /// All documents without their vectors, by source.
    ///
    /// # Errors
    /// Where the table cannot be read; so for all that follow.
    pub async fn documents(&self) -> Result<Vec<DocumentRow>> {
        let batches = self.tables.rows(&self.tables.documents, None, Some(DOCUMENT_COLUMNS)).await?;
        let mut rows: Vec<DocumentRow> = collect(&batches, convert::documents_from_batch)?;
        rows.sort_by(|a, b| a.source.cmp(&b.source));
        Ok(rows)
    }

    /// The documents with the given ids without their vectors, in any order. Who needs no more than what they are called asks for
    /// [`document_names`](Self::document_names), which takes a fraction of the time.
    pub async fn documents_by_id(&self, ids: &[DocId]) -> Result<Vec<DocumentRow>> {
        let batches = self.tables.rows_with(&self.tables.documents, "doc_id", ids, Some(DOCUMENT_COLUMNS)).await?;
        collect(&batches, convert::documents_from_batch)
    }

    /// The sections of a document, in the order of its table of contents.
    pub async fn sections(&self, doc_id: &str) -> Result<Vec<SectionRow>> {
        let filter = in_list("doc_id", &[doc_id]);
        let batches = self.tables.rows(&self.tables.sections, Some(filter), None).await?;
        let mut rows: Vec<SectionRow> = collect(&batches, convert::sections_from_batch)?;
        rows.sort_by_key(|row| row.position);
        Ok(rows)
    }

    /// The sections of all documents down to a level, the preambles left out, by document and in order.
    pub async fn sections_to_level(&self, deepest: u32) -> Result<Vec<SectionRow>> {
        let filter = format!("level >= 1 AND level <= {deepest}");
        let batches = self.tables.rows(&self.tables.sections, Some(filter), None).await?;
        let mut rows: Vec<SectionRow> = collect(&batches, convert::sections_from_batch)?;
        rows.sort_by(|a, b| a.doc_id.cmp(&b.doc_id).then(a.position.cmp(&b.position)));
        Ok(rows)
    }

    /// The sections with the given ids, in any order.
    pub async fn sections_by_id(&self, ids: &[SectionId]) -> Result<Vec<SectionRow>> {
        let batches = self.tables.rows_with(&self.tables.sections, "section_id", ids, None).await?;
        collect(&batches, convert::sections_from_batch)
    }

    /// The parent chunks of a document with an index from `start` to before `end`, in order.
    pub async fn parents_between(&self, doc_id: &str, start: u32, end: u32) -> Result<Vec<ChunkRow>> {
        let document = in_list("doc_id", &[doc_id]);
        let filter = format!("{document} AND chunk_type = 'parent' AND chunk_index >= {start} AND chunk_index < {end}");
        let batches = self.tables.rows(&self.tables.chunks, Some(filter), Some(CHUNK_COLUMNS)).await?;
        let mut rows: Vec<ChunkRow> = collect(&batches, convert::chunks_from_batch)?;
        rows.sort_by_key(|row| row.chunk_index);
        Ok(rows)
    }

    /// The sections of all documents, in any order.
    pub async fn all_sections(&self) -> Result<Vec<SectionRow>> {
        let rows = self.tables.rows(&self.tables.sections, None, None);
        collect(&self.cached(Kept::Sections, rows).await?, convert::sections_from_batch)
    }

    /// The chunks with the given ids, without their vectors, in any order.
    pub async fn chunks_by_id(&self, ids: &[ChunkId]) -> Result<Vec<ChunkRow>> {
        let batches = self.tables.rows_with(&self.tables.chunks, "chunk_id", ids, Some(CHUNK_COLUMNS)).await?;
        collect(&batches, convert::chunks_from_batch)
    }

    /// The vectors of a document's child chunks by the hash of the text that was embedded. Chunks without one are
    /// left out.
    pub async fn vectors_by_hash(&self, doc_id: &str) -> Result<HashMap<String, Vec<f32>>> {
        let filter = format!("{} AND chunk_type = 'child'", in_list("doc_id", &[doc_id]));
        let columns = ["embedding_hash", "vector"];
        let batches = self.tables.rows(&self.tables.chunks, Some(filter), Some(&columns)).await?;
        let mut vectors = HashMap::new();
        for batch in &batches {
            let columns = Columns { table: CHUNKS, batch };
            for row in 0..batch.num_rows() {
                if columns.is_null("vector", row)? {
                    continue;
                }
                vectors.insert(columns.text("embedding_hash", row)?, columns.vector("vector", row)?);
            }
        }
        Ok(vectors)
    }

    /// The parent chunks of a document, by index, with all vectors.
    pub async fn parents_of(&self, doc_id: &str) -> Result<Vec<ParentChunk>> {
        let each = self.parents_by_document(&[doc_id.into()], "", None).await?;
        Ok(each.into_values().next().unwrap_or_default())
    }

    /// The parent chunks of some documents, by index, without vectors.
    pub async fn parents_of_each(&self, doc_ids: &[DocId]) -> Result<HashMap<DocId, Vec<ParentChunk>>> {
        self.parents_by_document(doc_ids, "", Some(CHUNK_COLUMNS)).await
    }

    /// The parent chunks of some documents, by index, without children and vectors.
    pub async fn childless_parents_of_each(&self, doc_ids: &[DocId]) -> Result<HashMap<DocId, Vec<ParentChunk>>> {
        self.parents_by_document(doc_ids, " AND chunk_type = 'parent'", Some(CHUNK_COLUMNS)).await
    }

    async fn parents_by_document(
        &self,
        doc_ids: &[DocId],
        also: &str,
        columns: Option<&[&str]>,
    ) -> Result<HashMap<DocId, Vec<ParentChunk>>> {
        let mut each: HashMap<DocId, Vec<ParentChunk>> = HashMap::new();
        for ids in doc_ids.chunks(MOST_IN_LIST) {
            let filter = format!("{}{also}", in_list("doc_id", ids));
            let batches = self.tables.rows(&self.tables.chunks, Some(filter), columns).await?;
            for parent in convert::parents_of_rows(collect(&batches, convert::chunks_from_batch)?) {
                each.entry(parent.doc_id.clone()).or_default().push(parent);
            }
        }
        each.values_mut().for_each(|parents| parents.sort_by_key(|parent| parent.chunk_index));
        Ok(each)
    }

    /// How many rows `documents`, `sections` and `chunks` have.
    pub async fn counts(&self) -> Result<[usize; 3]> {
        let sections = count_rows(&self.tables.sections);
        let (documents, sections, chunks) =
            futures::future::try_join3(self.count_documents(), sections, self.count_chunks()).await?;
        Ok([documents, sections, chunks])
    }

    /// How many documents there are.
    pub async fn count_documents(&self) -> Result<usize> {
        count_rows(&self.tables.documents).await
    }

    /// How many chunks there are, parents and children.
    pub async fn count_chunks(&self) -> Result<usize> {
        count_rows(&self.tables.chunks).await
    }

    /// The bytes of the tables' data, without those of other generations.
    pub async fn data_bytes(&self) -> Result<u64> {
        self.tables.data_bytes().await
    }

    /// The `limit` chunks of a scope whose vectors are nearest to `vector`.
    pub async fn nearest(&self, vector: &[f32], scope: &Scope, limit: usize) -> Result<Vec<VectorHit>> {
        if scope.is_empty() {
            return Ok(Vec::new());
        }
        let filter = scope.sql();
        if filter.is_some() || *scope == Scope::Everything {
            return self.vector_search(vector, filter, limit).await;
        }
        // A scope of more ids than SQL can hold is looked for among the nearest, ever more of them, until there are
        // enough or these were all.
        let mut wide = limit.saturating_mul(WIDER);
        loop {
            let near = self.vector_search(vector, None, wide).await?;
            let all = near.len() < wide;
            let mut hits: Vec<VectorHit> = near.into_iter().filter(|hit| scope.admits_chunk(&hit.parent_id)).collect();
            if all || hits.len() >= limit {
                hits.truncate(limit);
                return Ok(hits);
            }
            wide = wide.saturating_mul(WIDER);
        }
    }

    /// The cosines of all chunks of the given parents, children and the parents themselves.
    pub async fn similarities(&self, vector: &[f32], parent_ids: &[ChunkId]) -> Result<Vec<VectorHit>> {
        if parent_ids.is_empty() {
            return Ok(Vec::new());
        }
        let filter = format!("({} OR {})", in_list("chunk_id", parent_ids), in_list("parent_id", parent_ids));
        // A parent has some ten children at most on average; far more than there can be.
        self.vector_search(vector, Some(filter), parent_ids.len() * 200).await
    }

    /// Begins to read the vectors of what is published, as a reader before has kept them, on another thread: opening the
    /// generation takes as long. `None` where nothing is published, or that cannot be read: opening it says so.
    pub fn read_ahead(namespace: &Namespace) -> Option<ReadAhead> {
        let manifest = Manifest::read(namespace).ok().flatten()?;
        Some(ReadAhead::begin(ReadCache::of(namespace, &manifest), Kept::Vectors))
    }

    /// All vectors of the generation, for scoring them in memory; those that were read ahead, if they are of it.
    pub async fn load_vectors(&self, ahead: Option<ReadAhead>) -> Result<LoadedVectors> {
        if let Some(ahead) = ahead
            && let Some(batches) = ahead.of(&self.cache).await
        {
            return Ok(LoadedVectors::new(batches));
        }
        let columns = ["chunk_id", "parent_id", "doc_id", "vector"];
        let rows = self.tables.rows(&self.tables.chunks, None, Some(&columns));
        Ok(LoadedVectors::new(self.cached(Kept::Vectors, rows).await?))
    }

    /// Batches as the first reader of this generation has read them from the tables.
    pub(super) async fn cached(
        &self,
        what: Kept,
        read: impl Future<Output = Result<Vec<RecordBatch>>>,
    ) -> Result<Vec<RecordBatch>> {
        if let Some(kept) = self.cache.get(what) {
            return Ok(kept);
        }
        let batches = read.await?;
        // A store that cannot be written to is read as well; the next reader goes to the tables again.
        self.cache.put(what, &batches).unwrap_or_default();
        Ok(batches)
    }

    async fn vector_search(&self, vector: &[f32], filter: Option<String>, limit: usize) -> Result<Vec<VectorHit>> {
        let fail = |error: lancedb::Error| store_error("search", std::path::Path::new("the vectors"), &error);
        let mut query = self
            .tables
            .chunks
            .query()
            .nearest_to(vector)
            .map_err(fail)?
            .distance_type(DistanceType::Cosine)
            .limit(limit)
            .select(Select::columns(&["chunk_id", "parent_id", "_distance"]));
        if let Some(filter) = filter {
            query = query.only_if(filter);
        }
        let batches: Vec<RecordBatch> = query.execute().await.map_err(fail)?.try_collect().await.map_err(fail)?;
        convert::map_rows(CHUNKS, &batches, |columns, row| {
            let chunk_id = columns.text("chunk_id", row)?;
            let parent_id = columns.optional_text("parent_id", row)?.unwrap_or_else(|| chunk_id.clone());
            Ok(VectorHit {
                chunk_id: chunk_id.into(),
                parent_id: parent_id.into(),
                score: 1.0 - columns.float("_distance", row)?,
            })
        })
    }

    /// The best `limit` parent chunks of a scope by BM25 for weighted terms. Where several
    /// snapshots are searched, `statistics` are their joint ones.
    pub fn keyword(
        &self,
        terms: &[(KeywordField, String, f32)],
        statistics: Option<&KeywordStatistics>,
        scope: &Scope,
        limit: usize,
    ) -> Result<Vec<KeywordHit>> {
        self.keyword.search(terms, statistics, scope, limit)
    }

    /// The BM25 scores of the given parent chunks, with statistics as for [`keyword`](Self::keyword).
    pub fn keyword_scores(
        &self,
        terms: &[(KeywordField, String, f32)],
        statistics: Option<&KeywordStatistics>,
        chunk_ids: &[ChunkId],
    ) -> Result<Vec<KeywordHit>> {
        self.keyword.scores(terms, statistics, chunk_ids)
    }

    /// The parent chunks in a scope that have all the phrases in their text or titles, the best by `terms` first; of more than
    /// [`MOST_WITH_PHRASE`](super::MOST_WITH_PHRASE) those.
    pub fn with_phrases(
        &self,
        phrases: &[Phrase],
        terms: &[(KeywordField, String, f32)],
        scope: &Scope,
    ) -> Result<Vec<ChunkId>> {
        self.keyword.with_phrases(phrases, terms, scope)
    }

    /// How many parent chunks have a word, given as it is indexed, in their text or titles.
    pub fn parent_chunks_with(&self, word: &str) -> Result<u64> {
        self.keyword.parent_chunks_with(word)
    }

    /// The indexed words that begin with a letter and that `wanted` takes, each with the number of parent chunks that have
    /// it.
    pub fn words_beginning(&self, start: char, wanted: &dyn Fn(&str) -> bool) -> Result<HashMap<String, u64>> {
        self.keyword.words_beginning(start, wanted)
    }

    /// Other names for those with the given [`key`](crate::knowledge::names::key)s, as its parent chunks define them; names that have
    /// none are left out.
    pub fn other_names(&self, keys: &[String]) -> Result<HashMap<String, Vec<OtherName>>> {
        self.keyword.other_names(keys)
    }

    /// The share of its keyword index in the joint statistics of several.
    pub fn keyword_statistics(&self, terms: &[(KeywordField, String, f32)]) -> Result<KeywordStatistics> {
        self.keyword.statistics(terms)
    }

    /// The parent chunks with the given ids as they are shown, in any order; from the keyword index, in no time.
    pub fn parent_chunks(&self, chunk_ids: &[ChunkId]) -> Result<Vec<IndexedParentChunk>> {
        self.keyword.parent_chunks(chunk_ids)
    }

    /// Where words, as [`tokenize`](crate::text::tokens::tokenize) gives them, are in the given parent chunks.
    pub fn word_places(&self, words: &[String], chunk_ids: &[ChunkId]) -> Result<Vec<WordPlaces>> {
        self.keyword.word_places(words, chunk_ids)
    }
}

pub(super) fn collect<T>(batches: &[RecordBatch], convert: fn(&RecordBatch) -> Result<Vec<T>>) -> Result<Vec<T>> {
    let mut rows = Vec::new();
    for batch in batches {
        rows.extend(convert(batch)?);
    }
    Ok(rows)
}

async fn count_rows(table: &lancedb::Table) -> Result<usize> {
    let count = table.count_rows(None).await;
    count.map_err(|error| store_error("read", std::path::Path::new("the tables"), &error))
}
