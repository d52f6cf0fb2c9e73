//! Rows to Arrow record batches and back.

use std::collections::HashMap;
use std::sync::Arc;

use lancedb::arrow::arrow_array::cast::AsArray;
use lancedb::arrow::arrow_array::types::{Float32Type, Int64Type, UInt32Type, UInt64Type};
use lancedb::arrow::arrow_array::{
    Array, ArrayRef, BooleanArray, FixedSizeListArray, Float32Array, Int64Array, RecordBatch, StringArray, UInt32Array,
    UInt64Array,
};
use lancedb::arrow::arrow_buffer::NullBuffer;
use lancedb::arrow::arrow_schema::{DataType, Field};

use super::rows::{ChildChunk, Chunk, ChunkRow, ChunkType, DocumentRow, ParentChunk, SectionRow};
use super::tables::{CHUNKS, DOCUMENTS, SECTIONS, schema_of};
use crate::error::{Error, Result, Setting};
use crate::ids::ChunkId;

/// A text column from one field of each row.
macro_rules! texts {
    ($rows:expr, $get:expr) => {
        Arc::new(StringArray::from_iter_values($rows.iter().map($get))) as ArrayRef
    };
}

/// A text column with gaps.
macro_rules! optional_texts {
    ($rows:expr, $get:expr) => {
        Arc::new(StringArray::from_iter($rows.iter().map($get))) as ArrayRef
    };
}

/// A column of whole numbers.
macro_rules! numbers {
    ($rows:expr, $get:expr) => {
        Arc::new(UInt32Array::from_iter_values($rows.iter().map($get))) as ArrayRef
    };
}

/// A column of whole numbers with gaps.
macro_rules! optional_numbers {
    ($rows:expr, $get:expr) => {
        Arc::new(UInt32Array::from_iter($rows.iter().map($get))) as ArrayRef
    };
}

pub(super) fn documents_to_batch(rows: &[&DocumentRow], dimension: usize) -> Result<RecordBatch> {
    let vectors = vector_column(rows.iter().map(|row| (row.doc_id.as_str(), &row.vector[..])), dimension)?;
    let columns: Vec<ArrayRef> = vec![
        texts!(rows, |row| &row.doc_id),
        texts!(rows, |row| &row.source),
        texts!(rows, |row| &row.title),
        texts!(rows, |row| &row.format),
        texts!(rows, |row| &row.content_hash),
        Arc::new(UInt64Array::from_iter_values(rows.iter().map(|row| row.size))),
        Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.mtime_ns))),
        texts!(rows, |row| &row.language),
        optional_numbers!(rows, |row| row.pages),
        texts!(rows, |row| to_json(&row.metadata)),
        texts!(rows, |row| to_json(&row.chunking)),
        texts!(rows, |row| &row.engine),
        texts!(rows, |row| to_json(&row.warnings)),
        texts!(rows, |row| &row.toc_method),
        numbers!(rows, |row| row.sections),
        numbers!(rows, |row| row.parents),
        numbers!(rows, |row| row.children),
        texts!(rows, |row| &row.ingested_at),
        optional_texts!(rows, |row| row.corrected_toc.as_ref()),
        numbers!(rows, |row| row.structure_version),
        Arc::new(BooleanArray::from_iter(rows.iter().map(|row| Some(row.embedded)))),
        texts!(rows, |row| to_json(&row.edits)),
        optional_texts!(rows, |row| row.time.as_ref().map(to_json)),
        optional_texts!(rows, |row| row.profile.as_ref().map(to_json)),
        optional_texts!(rows, |row| row.embedding_hash.as_ref()),
        vectors,
    ];
    batch(DOCUMENTS, dimension, columns)
}

pub(super) fn sections_to_batch(rows: &[&SectionRow]) -> Result<RecordBatch> {
    let columns: Vec<ArrayRef> = vec![
        texts!(rows, |row| &row.section_id),
        texts!(rows, |row| &row.doc_id),
        numbers!(rows, |row| row.position),
        optional_texts!(rows, |row| row.parent_id.as_ref()),
        numbers!(rows, |row| row.level),
        texts!(rows, |row| &row.path),
        texts!(rows, |row| &row.title),
        optional_numbers!(rows, |row| row.page_start),
        optional_numbers!(rows, |row| row.page_end),
        numbers!(rows, |row| row.chunk_start),
        numbers!(rows, |row| row.chunk_end),
        texts!(rows, |row| &row.provenance),
        Arc::new(Float32Array::from_iter_values(rows.iter().map(|row| row.confidence))),
    ];
    batch(SECTIONS, 0, columns)
}

/// A batch of parent chunks, each followed by its children.
pub(super) fn chunks_to_batch<'p>(
    parents: impl IntoIterator<Item = &'p ParentChunk>,
    dimension: usize,
) -> Result<RecordBatch> {
    let with_children = |parent: &'p ParentChunk| {
        let children = parent.children.iter().map(move |child| (parent, Some(&parent.chunk_id), child));
        std::iter::once((parent, None, &parent.chunk)).chain(children)
    };
    let rows: Vec<(&ParentChunk, Option<&ChunkId>, &Chunk)> = parents.into_iter().flat_map(with_children).collect();
    let vectors = vector_column(rows.iter().map(|(.., row)| (row.chunk_id.as_str(), &row.vector[..])), dimension)?;
    let chunk_type = |parent_id: Option<&ChunkId>| parent_id.map_or(ChunkType::Parent, |_| ChunkType::Child).name();
    let columns: Vec<ArrayRef> = vec![
        texts!(rows, |(.., row)| &row.chunk_id),
        texts!(rows, |(parent, ..)| &parent.doc_id),
        texts!(rows, |(parent, ..)| &parent.section_id),
        texts!(rows, |(_, parent_id, _)| chunk_type(*parent_id)),
        optional_texts!(rows, |(_, parent_id, _)| *parent_id),
        numbers!(rows, |(.., row)| row.chunk_index),
        texts!(rows, |(.., row)| &row.content),
        texts!(rows, |(parent, ..)| &parent.titles),
        optional_numbers!(rows, |(.., row)| row.page_start),
        optional_numbers!(rows, |(.., row)| row.page_end),
        texts!(rows, |(.., row)| &row.language),
        texts!(rows, |(.., row)| &row.embedding_hash),
        texts!(rows, |(.., row)| &row.updated_at),
        vectors,
        Arc::new(BooleanArray::from_iter(rows.iter().map(|(.., row)| Some(row.edited)))),
        optional_texts!(rows, |(.., row)| (!row.metadata.is_empty()).then(|| to_json(&row.metadata))),
        optional_texts!(rows, |(.., row)| row.situating.as_ref()),
    ];
    batch(CHUNKS, dimension, columns)
}

/// The vectors of rows, named by id; null where one is empty.
fn vector_column<'r>(rows: impl Iterator<Item = (&'r str, &'r [f32])> + Clone, dimension: usize) -> Result<ArrayRef> {
    if let Some((id, vector)) = rows.clone().find(|(_, vector)| !vector.is_empty() && vector.len() != dimension) {
        return Err(Error::failed(format!("the vector of {id} has {} numbers instead of {dimension}", vector.len())));
    }
    // A list of fixed size has its numbers also where it is null.
    let numbers = rows.clone().flat_map(|(_, vector)| (0..dimension).map(|i| vector.get(i).copied().unwrap_or(0.0)));
    let values = Float32Array::from_iter_values(numbers);
    let present = NullBuffer::from_iter(rows.map(|(_, vector)| !vector.is_empty()));
    let item = Arc::new(Field::new("item", DataType::Float32, true));
    let length = i32::try_from(dimension).unwrap_or(i32::MAX);
    let vectors = FixedSizeListArray::try_new(item, length, Arc::new(values), Some(present))
        .map_err(|error| Error::failed(format!("cannot write vectors: {error}")))?;
    Ok(Arc::new(vectors))
}

fn batch(table: &str, dimension: usize, columns: Vec<ArrayRef>) -> Result<RecordBatch> {
    RecordBatch::try_new(schema_of(table, dimension), columns)
        .map_err(|error| Error::failed(format!("cannot write rows of {table}: {error}")))
}

pub(super) fn documents_from_batch(batch: &RecordBatch) -> Result<Vec<DocumentRow>> {
    let columns = Columns { table: DOCUMENTS, batch };
    (0..batch.num_rows())
        .map(|i| {
            Ok(DocumentRow {
                doc_id: columns.text("doc_id", i)?.into(),
                source: columns.text("source", i)?,
                title: columns.text("title", i)?,
                format: columns.text("format", i)?,
                content_hash: columns.text("content_hash", i)?,
                size: columns.get("size")?.as_primitive::<UInt64Type>().value(i),
                mtime_ns: columns.get("mtime_ns")?.as_primitive::<Int64Type>().value(i),
                language: columns.text("language", i)?,
                pages: columns.optional_number("pages", i)?,
                metadata: columns.json("metadata", i)?,
                chunking: columns.json("chunking", i)?,
                engine: columns.text("engine", i)?,
                warnings: columns.json("warnings", i)?,
                toc_method: columns.text("toc_method", i)?,
                sections: columns.number("sections", i)?,
                parents: columns.number("parents", i)?,
                children: columns.number("children", i)?,
                ingested_at: columns.text("ingested_at", i)?,
                corrected_toc: columns.optional_text("corrected_toc", i)?,
                structure_version: columns.number("structure_version", i)?,
                embedded: columns.flag("embedded", i)?,
                edits: columns.json("edits", i)?,
                time: columns.optional_json("time", i)?,
                profile: columns.optional_json("profile", i)?,
                embedding_hash: columns.optional_text("embedding_hash", i)?,
                vector: columns.vector_if_read("vector", i)?,
            })
        })
        .collect()
}

pub(super) fn sections_from_batch(batch: &RecordBatch) -> Result<Vec<SectionRow>> {
    let columns = Columns { table: SECTIONS, batch };
    (0..batch.num_rows())
        .map(|i| {
            Ok(SectionRow {
                section_id: columns.text("section_id", i)?.into(),
                doc_id: columns.text("doc_id", i)?.into(),
                position: columns.number("position", i)?,
                parent_id: columns.optional_text("parent_id", i)?.map(Into::into),
                level: columns.number("level", i)?,
                path: columns.text("path", i)?,
                title: columns.text("title", i)?,
                page_start: columns.optional_number("page_start", i)?,
                page_end: columns.optional_number("page_end", i)?,
                chunk_start: columns.number("chunk_start", i)?,
                chunk_end: columns.number("chunk_end", i)?,
                provenance: columns.text("provenance", i)?,
                confidence: columns.get("confidence")?.as_primitive::<Float32Type>().value(i),
            })
        })
        .collect()
}

/// Chunks without their vectors, unless the batch has that column.
pub(super) fn chunks_from_batch(batch: &RecordBatch) -> Result<Vec<ChunkRow>> {
    let columns = Columns { table: CHUNKS, batch };
    (0..batch.num_rows())
        .map(|i| {
            let chunk = Chunk {
                chunk_id: columns.text("chunk_id", i)?.into(),
                chunk_index: columns.number("chunk_index", i)?,
                content: columns.text("content", i)?,
                situating: columns.optional_text("situating", i)?,
                page_start: columns.optional_number("page_start", i)?,
                page_end: columns.optional_number("page_end", i)?,
                language: columns.text("language", i)?,
                embedding_hash: columns.text("embedding_hash", i)?,
                updated_at: columns.text("updated_at", i)?,
                edited: columns.flag("edited", i)?,
                metadata: columns.optional_json("metadata", i)?.unwrap_or_default(),
                vector: columns.vector_if_read("vector", i)?,
            };
            Ok(ChunkRow {
                doc_id: columns.text("doc_id", i)?.into(),
                section_id: columns.text("section_id", i)?.into(),
                parent_id: columns.optional_text("parent_id", i)?.map(Into::into),
                titles: columns.text("titles", i)?,
                chunk,
            })
        })
        .collect()
}

/// Gives parent chunks their children, in the order of the parents' rows. Children without a parent are left out.
pub(super) fn parents_of_rows(rows: Vec<ChunkRow>) -> Vec<ParentChunk> {
    let mut parents = Vec::new();
    let mut children: HashMap<ChunkId, Vec<ChildChunk>> = HashMap::new();
    for ChunkRow { doc_id, section_id, parent_id, titles, chunk } in rows {
        match parent_id {
            Some(parent_id) => children.entry(parent_id).or_default().push(chunk),
            None => parents.push(ParentChunk { doc_id, section_id, titles, chunk, children: Vec::new() }),
        }
    }
    for parent in &mut parents {
        parent.children = children.remove(&parent.chunk.chunk_id).unwrap_or_default();
        parent.children.sort_by_key(|child| child.chunk_index);
    }
    parents
}

/// Makes something of each row of some batches of a table.
pub(super) fn map_rows<T>(
    table: &str,
    batches: &[RecordBatch],
    of: impl Fn(&Columns, usize) -> Result<T>,
) -> Result<Vec<T>> {
    let mut all = Vec::with_capacity(batches.iter().map(RecordBatch::num_rows).sum());
    for batch in batches {
        let columns = Columns { table, batch };
        for row in 0..batch.num_rows() {
            all.push(of(&columns, row)?);
        }
    }
    Ok(all)
}

/// Typed access to the columns of a batch by name.
pub(super) struct Columns<'a> {
    pub(super) table: &'a str,
    pub(super) batch: &'a RecordBatch,
}

impl<'a> Columns<'a> {
    fn get(&self, name: &str) -> Result<&'a ArrayRef> {
        self.batch.column_by_name(name).ok_or_else(|| {
            Error::failed(format!("the table {} of this store has no column {name}", self.table))
                .hint(format!("ingest the documents into a new store with {}", Setting("kb")))
        })
    }

    /// Whether a row has no value in a column.
    pub(super) fn is_null(&self, name: &str, row: usize) -> Result<bool> {
        Ok(self.get(name)?.is_null(row))
    }

    fn flag(&self, name: &str, row: usize) -> Result<bool> {
        Ok(self.get(name)?.as_boolean().value(row))
    }

    /// A text, where it stands.
    pub(super) fn str(&self, name: &str, row: usize) -> Result<&str> {
        self.texts(name).map(|column| column.value(row))
    }

    /// A column of texts, for all its rows.
    pub(super) fn texts(&self, name: &str) -> Result<&'a StringArray> {
        self.get(name)?
            .as_string_opt::<i32>()
            .ok_or_else(|| Error::failed(format!("the column {name} of the table {} is no text", self.table)))
    }

    /// The numbers of rows, where they were asked for.
    pub(super) fn row_ids(&self, name: &str) -> Result<&'a UInt64Array> {
        self.get(name)?
            .as_primitive_opt::<UInt64Type>()
            .ok_or_else(|| Error::failed(format!("the column {name} of the table {} has no numbers", self.table)))
    }

    /// Which rows of a column have a value; `None` for all.
    pub(super) fn are_there(&self, name: &str) -> Result<Option<&'a NullBuffer>> {
        Ok(self.get(name)?.nulls())
    }

    pub(super) fn text(&self, name: &str, row: usize) -> Result<String> {
        self.str(name, row).map(str::to_owned)
    }

    pub(super) fn optional_text(&self, name: &str, row: usize) -> Result<Option<String>> {
        if self.get(name)?.is_null(row) { Ok(None) } else { self.text(name, row).map(Some) }
    }

    pub(super) fn number(&self, name: &str, row: usize) -> Result<u32> {
        Ok(self.get(name)?.as_primitive::<UInt32Type>().value(row))
    }

    pub(super) fn optional_number(&self, name: &str, row: usize) -> Result<Option<u32>> {
        if self.get(name)?.is_null(row) { Ok(None) } else { self.number(name, row).map(Some) }
    }

    pub(super) fn float(&self, name: &str, row: usize) -> Result<f32> {
        Ok(self.get(name)?.as_primitive::<Float32Type>().value(row))
    }

    pub(super) fn vector(&self, name: &str, row: usize) -> Result<Vec<f32>> {
        let list = self.get(name)?.as_fixed_size_list().value(row);
        Ok(list.as_primitive::<Float32Type>().values().to_vec())
    }

    /// All vectors of a column, one behind the other.
    pub(super) fn vectors(&self, name: &str) -> Result<&'a [f32]> {
        Ok(self.get(name)?.as_fixed_size_list().values().as_primitive::<Float32Type>().values())
    }

    /// A vector; empty where the row has none or the column was not read.
    fn vector_if_read(&self, name: &str, row: usize) -> Result<Vec<f32>> {
        match self.batch.column_by_name(name) {
            Some(column) if !column.is_null(row) => self.vector(name, row),
            _ => Ok(Vec::new()),
        }
    }

    pub(super) fn optional_json<T: serde::de::DeserializeOwned>(&self, name: &str, row: usize) -> Result<Option<T>> {
        if self.is_null(name, row)? { Ok(None) } else { self.json(name, row).map(Some) }
    }

    pub(super) fn json<T: serde::de::DeserializeOwned>(&self, name: &str, row: usize) -> Result<T> {
        let text = self.text(name, row)?;
        serde_json::from_str(&text).map_err(|error| {
            Error::failed(format!("the column {name} of the table {} is damaged: {error}", self.table)).caused_by(error)
        })
    }
}

pub(super) fn to_json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("rows hold maps with text keys and finite numbers")
}
