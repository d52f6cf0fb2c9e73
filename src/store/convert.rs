//! Converts rows to Arrow record batches and back. Defines the columns of the tables.

use std::collections::HashMap;
use std::fmt::Display;
use std::sync::Arc;

use lancedb::arrow::arrow_array::cast::AsArray;
use lancedb::arrow::arrow_array::types::{Float32Type, Int64Type, UInt32Type, UInt64Type};
use lancedb::arrow::arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BooleanArray, FixedSizeListArray, Float32Array, Int64Array, PrimitiveArray,
    RecordBatch, StringArray, UInt32Array, UInt64Array,
};
use lancedb::arrow::arrow_buffer::NullBuffer;
use lancedb::arrow::arrow_schema::{DataType, Field};

use super::entities::EntityRow;
use super::rows::{Chunk, ChunkRow, ChunkType, DocumentKey, DocumentRow, ParentChunk, SectionRow};
use crate::error::{Error, Result, Setting};
use crate::ids::ChunkId;

pub(super) const DOCUMENTS: &str = "documents";
pub(super) const SECTIONS: &str = "sections";
pub(super) const CHUNKS: &str = "chunks";
pub(super) const ENTITIES: &str = "entities";
pub(super) const CHUNK_ID: &str = "chunk_id";
/// The column of vectors, by far the largest.
pub(super) const VECTOR: &str = "vector";

/// The name of a column, its values, and whether it may contain nulls.
type Column = (&'static str, ArrayRef, bool);

fn texts<'r, R, T: AsRef<str>>(name: &'static str, rows: &'r [R], of: impl Fn(&'r R) -> T) -> Column {
    (name, Arc::new(StringArray::from_iter_values(rows.iter().map(of))), false)
}

fn optional_texts<'r, R, T: AsRef<str>>(name: &'static str, rows: &'r [R], of: impl Fn(&'r R) -> Option<T>) -> Column {
    (name, Arc::new(StringArray::from_iter(rows.iter().map(of))), true)
}

fn numbers<'r, R>(name: &'static str, rows: &'r [R], of: impl Fn(&'r R) -> u32) -> Column {
    (name, Arc::new(UInt32Array::from_iter_values(rows.iter().map(of))), false)
}

fn optional_numbers<'r, R>(name: &'static str, rows: &'r [R], of: impl Fn(&'r R) -> Option<u32>) -> Column {
    (name, Arc::new(UInt32Array::from_iter(rows.iter().map(of))), true)
}

fn flags<'r, R>(name: &'static str, rows: &'r [R], of: impl Fn(&'r R) -> bool) -> Column {
    (name, Arc::new(BooleanArray::from_iter(rows.iter().map(|row| Some(of(row))))), false)
}

pub(super) fn documents_to_batch(rows: &[&DocumentRow], dimension: usize) -> Result<RecordBatch> {
    let vectors = vector_column(rows.iter().map(|row| (row.doc_id.as_str(), &row.vector[..])), dimension)?;
    let columns = vec![
        texts("doc_id", rows, |row| &row.doc_id),
        texts("source", rows, |row| &row.source),
        texts("title", rows, |row| &row.title),
        texts("format", rows, |row| &row.format),
        texts("content_hash", rows, |row| &row.content_hash),
        ("size", Arc::new(UInt64Array::from_iter_values(rows.iter().map(|row| row.size))), false),
        ("mtime_ns", Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.mtime_ns))), false),
        texts("language", rows, |row| &row.language),
        optional_numbers("pages", rows, |row| row.pages),
        texts("metadata", rows, |row| row.metadata.to_store()),
        texts("chunking", rows, |row| to_json(&row.chunking)),
        texts("engine", rows, |row| &row.engine),
        texts("warnings", rows, |row| to_json(&row.warnings)),
        texts("toc_method", rows, |row| &row.toc_method),
        numbers("sections", rows, |row| row.sections),
        numbers("parents", rows, |row| row.parents),
        numbers("children", rows, |row| row.children),
        texts("ingested_at", rows, |row| &row.ingested_at),
        optional_texts("corrected_toc", rows, |row| row.corrected_toc.as_ref()),
        numbers("structure_version", rows, |row| row.structure_version),
        flags("embedded", rows, |row| row.embedded),
        texts("edits", rows, |row| to_json(&row.edits)),
        optional_texts("time", rows, |row| row.time.as_ref().map(to_json)),
        optional_texts("profile", rows, |row| row.profile.as_ref().map(to_json)),
        optional_texts("embedding_hash", rows, |row| row.embedding_hash.as_ref()),
        (VECTOR, vectors, true),
    ];
    batch(DOCUMENTS, columns)
}

pub(super) fn sections_to_batch(rows: &[&SectionRow]) -> Result<RecordBatch> {
    let columns = vec![
        texts("section_id", rows, |row| &row.section_id),
        texts("doc_id", rows, |row| &row.doc_id),
        numbers("position", rows, |row| row.position),
        optional_texts("parent_id", rows, |row| row.parent_id.as_ref()),
        numbers("level", rows, |row| row.level),
        texts("path", rows, |row| &row.path),
        texts("title", rows, |row| &row.title),
        optional_numbers("page_start", rows, |row| row.page_start),
        optional_numbers("page_end", rows, |row| row.page_end),
        numbers("chunk_start", rows, |row| row.chunk_start),
        numbers("chunk_end", rows, |row| row.chunk_end),
        texts("provenance", rows, |row| &row.provenance),
        ("confidence", Arc::new(Float32Array::from_iter_values(rows.iter().map(|row| row.confidence))), false),
        optional_texts("metadata", rows, |row| (!row.metadata.is_empty()).then(|| to_json(&row.metadata))),
    ];
    batch(SECTIONS, columns)
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
    let columns = vec![
        texts("chunk_id", &rows, |(.., row)| &row.chunk_id),
        texts("doc_id", &rows, |(parent, ..)| &parent.doc_id),
        texts("section_id", &rows, |(parent, ..)| &parent.section_id),
        texts("chunk_type", &rows, |(_, parent_id, _)| chunk_type(*parent_id)),
        optional_texts("parent_id", &rows, |(_, parent_id, _)| *parent_id),
        numbers("chunk_index", &rows, |(.., row)| row.chunk_index),
        texts("content", &rows, |(.., row)| &row.content),
        texts("titles", &rows, |(parent, ..)| &parent.titles),
        optional_numbers("page_start", &rows, |(.., row)| row.page_start),
        optional_numbers("page_end", &rows, |(.., row)| row.page_end),
        texts("language", &rows, |(.., row)| &row.language),
        texts("embedding_hash", &rows, |(.., row)| &row.embedding_hash),
        texts("updated_at", &rows, |(.., row)| &row.updated_at),
        (VECTOR, vectors, true),
        flags("edited", &rows, |(.., row)| row.edited),
        optional_texts("metadata", &rows, |(.., row)| (!row.metadata.is_empty()).then(|| to_json(&row.metadata))),
        optional_texts("situating", &rows, |(.., row)| row.situating.as_ref()),
    ];
    batch(CHUNKS, columns)
}

pub(super) fn entities_to_batch(rows: &[&EntityRow]) -> Result<RecordBatch> {
    let columns = vec![
        texts("entity", rows, |row| &row.key),
        texts("name", rows, |row| &row.name),
        texts("type", rows, |row| &row.kind),
        texts("aliases", rows, |row| to_json(&row.aliases)),
        texts("states", rows, |row| to_json(&row.states)),
        texts("mentions", rows, |row| to_json(&row.mentions)),
        texts("updated_at", rows, |row| row.updated_at.to_string()),
    ];
    batch(ENTITIES, columns)
}

/// The vectors of rows, with their ids for errors. Empty vectors become null.
fn vector_column<'r>(rows: impl Iterator<Item = (&'r str, &'r [f32])> + Clone, dimension: usize) -> Result<ArrayRef> {
    if let Some((id, vector)) = rows.clone().find(|(_, vector)| !vector.is_empty() && vector.len() != dimension) {
        return Err(Error::failed(format!("the vector of {id} has {} numbers instead of {dimension}", vector.len())));
    }
    // A list of fixed size needs numbers even for null. Zeros from the system take memory only where
    // something is written over them.
    let mut numbers = vec![0.0; rows.clone().count() * dimension];
    for ((_, vector), place) in rows.clone().zip(numbers.chunks_exact_mut(dimension.max(1))) {
        place[..vector.len()].copy_from_slice(vector);
    }
    let values = Float32Array::from(numbers);
    let present = NullBuffer::from_iter(rows.map(|(_, vector)| !vector.is_empty()));
    let item = Arc::new(Field::new("item", DataType::Float32, true));
    let length = i32::try_from(dimension).expect("a vector has a few thousand numbers at most");
    let vectors = FixedSizeListArray::try_new(item, length, Arc::new(values), Some(present))
        .map_err(|error| Error::failed(format!("cannot write vectors: {error}")))?;
    Ok(Arc::new(vectors))
}

fn batch(table: &str, columns: Vec<Column>) -> Result<RecordBatch> {
    RecordBatch::try_from_iter_with_nullable(columns)
        .map_err(|error| Error::failed(format!("cannot write rows of {table}: {error}")))
}

pub(super) fn document(columns: &Columns, i: usize) -> Result<DocumentRow> {
    Ok(DocumentRow {
        doc_id: columns.text("doc_id", i)?.into(),
        source: columns.text("source", i)?,
        title: columns.text("title", i)?,
        format: columns.text("format", i)?,
        content_hash: columns.text("content_hash", i)?,
        size: columns.primitive::<UInt64Type>("size", i)?,
        mtime_ns: columns.primitive::<Int64Type>("mtime_ns", i)?,
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
        vector: columns.vector(VECTOR, i)?.unwrap_or_default(),
    })
}

pub(super) fn document_key(columns: &Columns, i: usize) -> Result<DocumentKey> {
    Ok(DocumentKey {
        doc_id: columns.text("doc_id", i)?.into(),
        source: columns.text("source", i)?,
        content_hash: columns.text("content_hash", i)?,
        size: columns.primitive::<UInt64Type>("size", i)?,
        embedded: columns.flag("embedded", i)?,
    })
}

pub(super) fn section(columns: &Columns, i: usize) -> Result<SectionRow> {
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
        confidence: columns.float("confidence", i)?,
        metadata: columns.optional_json("metadata", i)?.unwrap_or_default(),
    })
}

pub(super) fn chunk(columns: &Columns, i: usize) -> Result<ChunkRow> {
    let chunk = Chunk {
        chunk_id: columns.text("chunk_id", i)?.into(),
        chunk_index: columns.number("chunk_index", i)?,
        content: columns.str("content", i)?.into(),
        situating: columns.optional_text("situating", i)?,
        page_start: columns.optional_number("page_start", i)?,
        page_end: columns.optional_number("page_end", i)?,
        language: columns.text("language", i)?.into(),
        embedding_hash: columns.text("embedding_hash", i)?,
        updated_at: columns.str("updated_at", i)?.into(),
        edited: columns.flag("edited", i)?,
        metadata: columns.optional_json("metadata", i)?.unwrap_or_default(),
        vector: columns.vector(VECTOR, i)?.unwrap_or_default(),
    };
    Ok(ChunkRow {
        doc_id: columns.text("doc_id", i)?.into(),
        section_id: columns.text("section_id", i)?.into(),
        parent_id: columns.optional_text("parent_id", i)?.map(Into::into),
        titles: columns.text("titles", i)?,
        chunk,
    })
}

pub(super) fn entity(columns: &Columns, row: usize) -> Result<EntityRow> {
    let damaged = |_| Error::failed(format!("the column updated_at of the table {ENTITIES} is damaged"));
    Ok(EntityRow {
        key: columns.text("entity", row)?,
        name: columns.text("name", row)?,
        kind: columns.text("type", row)?,
        aliases: columns.json("aliases", row)?,
        states: columns.json("states", row)?,
        mentions: columns.json("mentions", row)?,
        updated_at: columns.str("updated_at", row)?.parse().map_err(damaged)?,
    })
}

/// Gives parent chunks their children, in the order of the parents' rows. Children without a parent are left out.
pub(super) fn parents_of_rows(rows: Vec<ChunkRow>) -> Vec<ParentChunk> {
    let mut parents = Vec::new();
    let mut children: HashMap<ChunkId, Vec<Chunk>> = HashMap::new();
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

/// Reads a value from each row of some batches of a table.
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

    /// A whole column as the type that `of` casts it to; an error if it has another type, as a damaged store may have.
    fn typed<T>(&self, name: &str, what: impl Display, of: impl FnOnce(&'a ArrayRef) -> Option<T>) -> Result<T> {
        let error = || Error::failed(format!("the column {name} of the table {} is not {what}", self.table));
        of(self.get(name)?).ok_or_else(error)
    }

    fn is_null(&self, name: &str, row: usize) -> Result<bool> {
        Ok(self.get(name)?.is_null(row))
    }

    pub(super) fn flag(&self, name: &str, row: usize) -> Result<bool> {
        self.typed(name, "true or false", |column| column.as_boolean_opt()).map(|column| column.value(row))
    }

    pub(super) fn primitive<T: ArrowPrimitiveType>(&self, name: &str, row: usize) -> Result<T::Native> {
        self.primitives::<T>(name).map(|column| column.value(row))
    }

    /// A whole column of numbers.
    pub(super) fn primitives<T: ArrowPrimitiveType>(&self, name: &str) -> Result<&'a PrimitiveArray<T>> {
        self.typed(name, T::DATA_TYPE, |column| column.as_primitive_opt())
    }

    pub(super) fn number(&self, name: &str, row: usize) -> Result<u32> {
        self.primitive::<UInt32Type>(name, row)
    }

    pub(super) fn optional_number(&self, name: &str, row: usize) -> Result<Option<u32>> {
        if self.is_null(name, row)? { Ok(None) } else { self.number(name, row).map(Some) }
    }

    pub(super) fn float(&self, name: &str, row: usize) -> Result<f32> {
        self.primitive::<Float32Type>(name, row)
    }

    /// A whole column of texts.
    pub(super) fn texts(&self, name: &str) -> Result<&'a StringArray> {
        self.typed(name, "text", |column| column.as_string_opt::<i32>())
    }

    pub(super) fn str(&self, name: &str, row: usize) -> Result<&'a str> {
        self.texts(name).map(|column| column.value(row))
    }

    pub(super) fn text(&self, name: &str, row: usize) -> Result<String> {
        self.str(name, row).map(str::to_owned)
    }

    pub(super) fn optional_text(&self, name: &str, row: usize) -> Result<Option<String>> {
        if self.is_null(name, row)? { Ok(None) } else { self.text(name, row).map(Some) }
    }

    /// A vector; `None` if the row has none or the column was not read.
    pub(super) fn vector(&self, name: &str, row: usize) -> Result<Option<Vec<f32>>> {
        if self.batch.column_by_name(name).is_none_or(|column| column.is_null(row)) {
            return Ok(None);
        }
        let (lists, numbers) = self.lists::<Float32Type>(name)?;
        let length = lists.value_length() as usize;
        Ok(Some(numbers[row * length..][..length].to_vec()))
    }

    /// All vectors of a column, concatenated, and which of them exist (`None`: all). Each has `length` numbers.
    pub(super) fn vectors(&self, name: &str, length: usize) -> Result<(&'a [f32], Option<&'a NullBuffer>)> {
        let (lists, numbers) = self.lists::<Float32Type>(name)?;
        if lists.value_length() as usize != length {
            return Err(Error::failed(format!(
                "the vectors of the table {} have {} numbers instead of {length}",
                self.table,
                lists.value_length()
            )));
        }
        Ok((numbers, lists.nulls()))
    }

    /// A column of lists of one length, with their numbers.
    pub(super) fn lists<T: ArrowPrimitiveType>(&self, name: &str) -> Result<(&'a FixedSizeListArray, &'a [T::Native])> {
        self.typed(name, format_args!("lists of {}", T::DATA_TYPE), |column| {
            let lists = column.as_fixed_size_list_opt()?;
            Some((lists, &lists.values().as_primitive_opt::<T>()?.values()[..]))
        })
    }

    pub(super) fn json<T: serde::de::DeserializeOwned>(&self, name: &str, row: usize) -> Result<T> {
        serde_json::from_str(self.str(name, row)?).map_err(|error| {
            Error::failed(format!("the column {name} of the table {} is damaged: {error}", self.table)).caused_by(error)
        })
    }

    pub(super) fn optional_json<T: serde::de::DeserializeOwned>(&self, name: &str, row: usize) -> Result<Option<T>> {
        if self.is_null(name, row)? { Ok(None) } else { self.json(name, row).map(Some) }
    }
}

pub(super) fn to_json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("rows hold maps with text keys and finite numbers")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_another_type_are_errors() {
        let column = Arc::new(StringArray::from_iter_values(["x"])) as ArrayRef;
        let batch = RecordBatch::try_from_iter([("c", column)]).unwrap();
        let columns = Columns { table: CHUNKS, batch: &batch };
        let errors = [
            columns.flag("c", 0).map(drop),
            columns.number("c", 0).map(drop),
            columns.float("c", 0).map(drop),
            columns.vector("c", 0).map(drop),
            columns.vectors("c", 4).map(drop),
        ];
        let lists = "lists of Float32";
        for (error, what) in errors.into_iter().zip(["true or false", "UInt32", "Float32", lists, lists]) {
            let error = error.unwrap_err();
            assert_eq!(error.message(), format!("the column c of the table chunks is not {what}"));
        }
        let numbers = Arc::new(UInt64Array::from_iter_values([1])) as ArrayRef;
        let batch = RecordBatch::try_from_iter([("c", numbers)]).unwrap();
        assert!(Columns { table: CHUNKS, batch: &batch }.texts("c").is_err());
    }

    #[test]
    fn each_row_has_its_own_vector() {
        let vectors: [(&str, &[f32]); 3] = [("a", &[1.0, 2.0]), ("b", &[]), ("c", &[3.0, 4.0])];
        let column = vector_column(vectors.into_iter(), 2).unwrap();
        let batch = RecordBatch::try_from_iter_with_nullable([(VECTOR, column, true)]).unwrap();
        let last = batch.slice(1, 2);
        let read = |batch, row| Columns { table: CHUNKS, batch }.vector(VECTOR, row).unwrap();
        assert_eq!([0, 1, 2].map(|row| read(&batch, row)), [Some(vec![1.0, 2.0]), None, Some(vec![3.0, 4.0])]);
        assert_eq!([0, 1].map(|row| read(&last, row)), [None, Some(vec![3.0, 4.0])]);
    }
}
