//! Reads the tables of a generation.

use std::collections::{BTreeMap, HashMap};

use lancedb::expr::{col, lit};

use super::chunk_list::MOST_BY_ID;
use super::convert::{self, Columns, ENTITIES, SECTIONS, VECTOR, map_rows};
use super::entities::EntityRow;
use super::metadata::Metadata;
use super::read_cache::damaged;
use super::rows::{
    ChunkRow, ChunkType, DocumentCounts, DocumentFacts, DocumentKey, DocumentRow, ParentChunk, SectionRow,
};
use super::scan::{Filter, Wanted, any_of};
use super::snapshot::Snapshot;
use crate::chunk::ChunkConfig;
use crate::error::Result;
use crate::ids::{ChunkId, DocId, SectionId};
use crate::knowledge::profile::Profile;

const FACT_COLUMNS: Wanted =
    Wanted::Named(&["doc_id", "source", "title", "format", "metadata", "ingested_at", "parents", "time", "profile"]);

impl Snapshot {
    /// All documents without their vectors, by source.
    pub async fn documents(&self) -> Result<Vec<DocumentRow>> {
        self.documents_where(None).await
    }

    /// The documents that lack vectors, by source.
    pub async fn documents_without_vectors(&self) -> Result<Vec<DocumentRow>> {
        self.documents_where(Some(lacks_vectors())).await
    }

    /// The ids of the documents that lack vectors, in any order.
    pub async fn ids_without_vectors(&self) -> Result<Vec<DocId>> {
        let id = |columns: &Columns, row| Ok(columns.text("doc_id", row)?.into());
        self.tables.read(&self.tables.documents, Some(lacks_vectors()), Wanted::Named(&["doc_id"]), id).await
    }

    /// The documents with edits, by source.
    pub async fn documents_with_edits(&self) -> Result<Vec<DocumentRow>> {
        self.documents_where(Some(col("edits").not_eq(lit("[]")))).await
    }

    async fn documents_where(&self, filter: Option<Filter>) -> Result<Vec<DocumentRow>> {
        let table = &self.tables.documents;
        let mut rows = self.tables.read(table, filter, Wanted::WithoutVectors, convert::document).await?;
        rows.sort_by(|a, b| a.source.cmp(&b.source));
        Ok(rows)
    }

    /// All documents or those with the given ids, with their vectors, in any order.
    pub async fn documents_with_vectors(&self, ids: Option<&[DocId]>) -> Result<Vec<DocumentRow>> {
        let filter = ids.map(|ids| any_of("doc_id", ids));
        self.tables.read(&self.tables.documents, filter, Wanted::All, convert::document).await
    }

    /// The documents with the given ids, which differ, without their vectors, in their order.
    /// [`document_names`](Self::document_names) takes a fraction of the time.
    pub async fn documents_by_id(&self, ids: &[DocId]) -> Result<Vec<DocumentRow>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        if ids.len() > MOST_BY_ID {
            let places: HashMap<&str, usize> = ids.iter().zip(0..).map(|(id, place)| (id.as_str(), place)).collect();
            let mut rows = Vec::new();
            let add = |columns: &Columns, row| {
                if let Some(place) = places.get(columns.str("doc_id", row)?) {
                    rows.push((place, convert::document(columns, row)?));
                }
                Ok(())
            };
            self.tables.each(&self.tables.documents, None, Wanted::WithoutVectors, add).await?;
            rows.sort_unstable_by_key(|(place, _)| *place);
            return Ok(rows.into_iter().map(|(_, row)| row).collect());
        }
        let (table, addresses) = (&self.tables.documents, self.addresses_of(ids).await?);
        let rows = self.tables.read_at(table, &addresses, Wanted::WithoutVectors, convert::document).await?;
        // Commands change and remove the documents that they find here.
        let mut wanted = ids.iter();
        if !rows.iter().all(|row| wanted.any(|id| *id == row.doc_id)) {
            return Err(damaged("has other documents than the table"));
        }
        Ok(rows)
    }

    /// The documents with the given ids, which all exist and differ, without their vectors, in their order.
    pub async fn stored_documents(&self, ids: &[DocId]) -> Result<Vec<DocumentRow>> {
        let rows = self.documents_by_id(ids).await?;
        // A writer would take one that is left out for a new document.
        if rows.len() == ids.len() { Ok(rows) } else { Err(damaged("lacks documents of the table")) }
    }

    /// Counts over all documents.
    pub async fn document_counts(&self) -> Result<DocumentCounts> {
        let columns = Wanted::Named(&["chunking", "parents", "embedded"]);
        let mut counts = DocumentCounts::default();
        let add = |columns: &Columns, row| {
            let chunking: ChunkConfig = columns.json("chunking", row)?;
            *counts.contexts.entry(chunking.context.name()).or_default() += 1;
            counts.parents += columns.number("parents", row)? as usize;
            counts.without_vectors += usize::from(!columns.flag("embedded", row)?);
            Ok(())
        };
        self.tables.each(&self.tables.documents, None, columns, add).await?;
        Ok(counts)
    }

    /// The keys of all documents, in any order.
    pub async fn document_keys(&self) -> Result<Vec<DocumentKey>> {
        let columns = Wanted::Named(&["doc_id", "source", "content_hash", "size", "embedded"]);
        self.tables.read(&self.tables.documents, None, columns, convert::document_key).await
    }

    /// The facts of all documents that filters need, in any order.
    pub async fn document_facts(&self) -> Result<Vec<DocumentFacts>> {
        self.tables.read(&self.tables.documents, None, FACT_COLUMNS, document_facts).await
    }

    /// All entities, by key.
    pub async fn entities(&self) -> Result<Vec<EntityRow>> {
        self.tables.entity_rows().await
    }

    pub async fn entity_names(&self) -> Result<Vec<Vec<String>>> {
        let rows = self.cached("entities", &self.tables.entities, Wanted::Named(&["name", "aliases"])).await?;
        map_rows(ENTITIES, &rows, |columns, row| {
            let mut names = vec![columns.text("name", row)?];
            names.extend(columns.json::<Vec<String>>("aliases", row)?);
            Ok(names)
        })
    }

    /// The sections of a document, in the order of its table of contents.
    pub async fn sections(&self, doc_id: &str) -> Result<Vec<SectionRow>> {
        let mut rows = self.read_sections(any_of("doc_id", &[doc_id])).await?;
        rows.sort_by_key(|row| row.position);
        Ok(rows)
    }

    /// The table of contents of a document: its sections without the preamble, in order.
    pub async fn contents(&self, doc_id: &str) -> Result<Vec<SectionRow>> {
        let mut rows = self.sections(doc_id).await?;
        rows.retain(|row| !row.is_preamble());
        Ok(rows)
    }

    /// The sections of all documents or of a few, down to a level, without the preambles, by document and in order.
    pub async fn sections_to_level(&self, doc_ids: Option<&[DocId]>, deepest: u32) -> Result<Vec<SectionRow>> {
        let to_level = is_in_contents().and(col("level").lt_eq(lit(deepest)));
        let mut rows = self.read_sections(among(to_level, "doc_id", doc_ids)).await?;
        rows.sort_by(|a, b| a.doc_id.cmp(&b.doc_id).then(a.position.cmp(&b.position)));
        Ok(rows)
    }

    async fn read_sections(&self, filter: Filter) -> Result<Vec<SectionRow>> {
        self.tables.read(&self.tables.sections, Some(filter), Wanted::All, convert::section).await
    }

    /// The sections with the given ids, in any order.
    pub async fn sections_by_id(&self, ids: &[SectionId]) -> Result<Vec<SectionRow>> {
        self.tables.read_with(&self.tables.sections, ("section_id", ids), Wanted::All, convert::section).await
    }

    /// The sections of some documents, in any order.
    pub async fn sections_of(&self, doc_ids: &[DocId]) -> Result<Vec<SectionRow>> {
        self.tables.read_with(&self.tables.sections, ("doc_id", doc_ids), Wanted::All, convert::section).await
    }

    /// The sections of all documents, in any order.
    pub async fn all_sections(&self) -> Result<Vec<SectionRow>> {
        let rows = self.cached("sections", &self.tables.sections, Wanted::All).await?;
        map_rows(SECTIONS, &rows, convert::section)
    }

    /// The ids and titles of all sections, or of those of a few documents, without the preambles, in any order.
    pub async fn section_titles(&self, doc_ids: Option<&[DocId]>) -> Result<Vec<(SectionId, String)>> {
        let filter = among(is_in_contents(), "doc_id", doc_ids);
        let columns = Wanted::Named(&["section_id", "title"]);
        let title = |columns: &Columns, row| Ok((columns.text("section_id", row)?.into(), columns.text("title", row)?));
        self.tables.read(&self.tables.sections, Some(filter), columns, title).await
    }

    /// The parent chunks of a document, by index, with all vectors.
    pub async fn parents_of(&self, doc_id: &str) -> Result<Vec<ParentChunk>> {
        let each = self.parents_by_document(&[doc_id.into()], Wanted::All).await?;
        Ok(each.into_values().next().unwrap_or_default())
    }

    /// The parent chunks of some documents, by index, without vectors.
    pub async fn parents_of_each(&self, doc_ids: &[DocId]) -> Result<HashMap<DocId, Vec<ParentChunk>>> {
        self.parents_by_document(doc_ids, Wanted::WithoutVectors).await
    }

    async fn parents_by_document(
        &self,
        doc_ids: &[DocId],
        columns: Wanted<'_>,
    ) -> Result<HashMap<DocId, Vec<ParentChunk>>> {
        let mut each: HashMap<DocId, Vec<ParentChunk>> = HashMap::new();
        let rows = self.tables.read_with(&self.tables.chunks, ("doc_id", doc_ids), columns, convert::chunk).await?;
        for parent in convert::parents_of_rows(rows) {
            each.entry(parent.doc_id.clone()).or_default().push(parent);
        }
        each.values_mut().for_each(|parents| parents.sort_by_key(|parent| parent.chunk_index));
        Ok(each)
    }

    /// The chunks with the given ids, without their vectors, in any order.
    pub async fn chunks_by_id(&self, ids: &[ChunkId]) -> Result<Vec<ChunkRow>> {
        let wanted = ("chunk_id", ids);
        self.tables.read_with(&self.tables.chunks, wanted, Wanted::WithoutVectors, convert::chunk).await
    }

    /// The chunks that match a filter, without their vectors, in any order.
    pub(super) async fn chunks_where(&self, filter: Option<Filter>) -> Result<Vec<ChunkRow>> {
        self.tables.read(&self.tables.chunks, filter, Wanted::WithoutVectors, convert::chunk).await
    }

    /// The parent chunks of a document with an index from `start` to before `end`, in order, without their vectors.
    pub async fn parents_between(&self, doc_id: &str, start: u32, end: u32) -> Result<Vec<ChunkRow>> {
        let index = col("chunk_index");
        let between = index.clone().gt_eq(lit(start)).and(index.lt(lit(end)));
        let filter = any_of("doc_id", &[doc_id]).and(is_parent()).and(between);
        let mut rows = self.chunks_where(Some(filter)).await?;
        rows.sort_by_key(|row| row.chunk_index);
        Ok(rows)
    }

    /// The texts of at most `most` parent chunks, spread over the documents.
    pub async fn sampled_texts(&self, most: usize) -> Result<Vec<String>> {
        let columns = Wanted::Named(&["chunk_id"]);
        let rows = self.tables.read(&self.tables.chunks, Some(is_parent()), columns, |columns, row| {
            Ok(ChunkId::from(columns.text("chunk_id", row)?))
        });
        let mut ids = rows.await?;
        ids.sort();
        let step = ids.len().div_ceil(most).max(1);
        let sampled: Vec<ChunkId> = ids.into_iter().step_by(step).collect();
        Ok(self.chunks_by_id(&sampled).await?.iter().map(|row| row.content.to_string()).collect())
    }

    /// The main languages of all documents, BCP 47.
    pub async fn document_languages(&self) -> Result<Vec<(DocId, String)>> {
        let columns = Wanted::Named(&["doc_id", "language"]);
        let language =
            |columns: &Columns, row| Ok((columns.text("doc_id", row)?.into(), columns.text("language", row)?));
        self.tables.read(&self.tables.documents, None, columns, language).await
    }

    /// The main languages of all parent chunks, BCP 47.
    pub async fn parent_chunk_languages(&self) -> Result<HashMap<ChunkId, String>> {
        let columns = Wanted::Named(&["chunk_id", "language"]);
        let rows = self.tables.read(&self.tables.chunks, Some(is_parent()), columns, |columns, row| {
            Ok((columns.text("chunk_id", row)?.into(), columns.text("language", row)?))
        });
        Ok(rows.await?.into_iter().collect())
    }

    /// The notes of people on parent chunks and their child chunks, with the ids of the parents. Most have none.
    pub async fn parent_chunk_notes(&self) -> Result<Vec<(ChunkId, BTreeMap<String, String>)>> {
        let noted = Some(col("metadata").is_not_null());
        let columns = Wanted::Named(&["chunk_id", "parent_id", "metadata"]);
        let notes = |columns: &Columns, row| {
            let parent = columns.optional_text("parent_id", row)?;
            let parent_id = parent.map_or_else(|| columns.text("chunk_id", row), Ok)?;
            Ok((parent_id.into(), columns.json("metadata", row)?))
        };
        self.tables.read(&self.tables.chunks, noted, columns, notes).await
    }

    /// The vectors of the chunks of some documents, by the hash of the text that was embedded. Chunks without a vector
    /// are left out.
    pub async fn vectors_by_hash(&self, doc_ids: &[DocId]) -> Result<HashMap<DocId, HashMap<String, Vec<f32>>>> {
        let columns = Wanted::Named(&["doc_id", "embedding_hash", VECTOR]);
        let rows = self.tables.read_with(&self.tables.chunks, ("doc_id", doc_ids), columns, |columns, row| {
            let doc_id: DocId = columns.text("doc_id", row)?.into();
            Ok((doc_id, columns.text("embedding_hash", row)?, columns.vector(VECTOR, row)?))
        });
        let mut vectors: HashMap<DocId, HashMap<String, Vec<f32>>> = HashMap::new();
        for (doc_id, hash, vector) in rows.await? {
            if let Some(vector) = vector {
                vectors.entry(doc_id).or_default().insert(hash, vector);
            }
        }
        Ok(vectors)
    }
}

/// Sections of the table of contents: a preamble has level 0.
fn is_in_contents() -> Filter {
    col("level").gt_eq(lit(1u32))
}

fn lacks_vectors() -> Filter {
    col("embedded").eq(lit(false))
}

pub(super) fn is_parent() -> Filter {
    col("chunk_type").eq(lit(ChunkType::Parent.name()))
}

/// The rows of a filter that have one of `values` in a column, or all of them without values.
fn among(filter: Filter, column: &str, values: Option<&[impl AsRef<str>]>) -> Filter {
    match values {
        Some(values) => filter.and(any_of(column, values)),
        None => filter,
    }
}

fn document_facts(columns: &Columns, row: usize) -> Result<DocumentFacts> {
    let mut metadata = columns.json::<Metadata>("metadata", row)?.texts();
    metadata.entry("ingested_at".to_owned()).or_insert(columns.text("ingested_at", row)?);
    Ok(DocumentFacts {
        doc_id: columns.text("doc_id", row)?.into(),
        source: columns.text("source", row)?,
        title: columns.text("title", row)?,
        format: columns.text("format", row)?,
        parents: columns.number("parents", row)?,
        time: columns.optional_json("time", row)?,
        metadata,
        kinds: columns.optional_json("profile", row)?.map(|profile: Profile| profile.kinds).unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::NewDocument;
    use crate::store::samples::{namespace, publish};

    #[tokio::test]
    async fn documents_come_in_the_order_of_few_or_many_ids() {
        let (_folder, namespace) = namespace();
        publish(&namespace, Vec::from(["aaaaaa", "bbbbbb"].map(|id| NewDocument::sample(id, &["text"])))).await;
        let snapshot = Snapshot::open(&namespace).await.unwrap();
        let few = ["bbbbbb", "dddddd", "aaaaaa"].map(DocId::from);
        let unknown = (0..MOST_BY_ID).map(|number| DocId::from(format!("x{number}").as_str()));
        for ids in [few.to_vec(), few.iter().cloned().chain(unknown).collect()] {
            let found = snapshot.documents_by_id(&ids).await.unwrap();
            assert!(found.iter().map(|row| row.doc_id.as_str()).eq(["bbbbbb", "aaaaaa"]), "{} ids", ids.len());
        }
    }
}
