//! The LanceDB tables: schemas, opening at a version, writing and deleting rows.

use std::sync::Arc;
use std::time::Duration;

use futures::TryStreamExt;
use lancedb::arrow::SendableRecordBatchStream;
use lancedb::arrow::arrow_array::RecordBatch;
use lancedb::arrow::arrow_schema::{DataType, Field, Schema, SchemaRef};
use lancedb::query::{ExecutableQuery, QueryBase, Select};
use lancedb::table::{CompactionOptions, OptimizeAction};
use lancedb::{Connection, Table};

use super::entities::entities_schema;
use super::layout::Namespace;
use super::manifest::Manifest;
use super::store_error;
use crate::error::Result;
use crate::ids::DocId;

/// A table with more small data files than this is compacted when a generation is published.
const MOST_SMALL_FILES: usize = 12;
/// From so many rows on a data file is large: others are not merged into it. So a change of one document never writes
/// the whole of a large table again; in docs/architecture.md is what that costs.
const ROWS_OF_A_LARGE_FILE: usize = 16_384;
/// How often opening is tried when a publication comes in between, and how long after one another.
const ATTEMPTS: usize = 3;
const MOMENT: Duration = Duration::from_millis(5);

pub(super) const DOCUMENTS: &str = "documents";
pub(super) const SECTIONS: &str = "sections";
pub(super) const CHUNKS: &str = "chunks";
pub(super) const ENTITIES: &str = "entities";

/// The tables of a namespace.
pub(super) struct Tables {
    namespace: Namespace,
    pub(super) documents: Table,
    pub(super) sections: Table,
    pub(super) chunks: Table,
    pub(super) entities: Table,
}

impl Tables {
    /// Opens the tables at the versions of `manifest`; later writes by others do not show.
    pub(super) async fn open_at(namespace: &Namespace, manifest: &Manifest) -> Result<Self> {
        // A table is opened through its latest version, and that may be one of a publication at work, which is taken
        // away when the next one is there.
        for _ in 1..ATTEMPTS {
            if let Ok(tables) = Tables::try_open_at(namespace, manifest).await {
                return Ok(tables);
            }
            tokio::time::sleep(MOMENT).await;
        }
        Tables::try_open_at(namespace, manifest).await
    }

    async fn try_open_at(namespace: &Namespace, manifest: &Manifest) -> Result<Self> {
        let tables = Tables::open(namespace).await?;
        for (table, version) in tables.versions_of(manifest) {
            table.checkout(version).await.map_err(|error| {
                store_error("open the published version of a table in", &namespace.tables(), &error)
            })?;
        }
        Ok(tables)
    }

    /// Opens the tables as they were last written.
    pub(super) async fn open(namespace: &Namespace) -> Result<Self> {
        let connection = connect(namespace).await?;
        let open = async |name: &str| {
            connection
                .open_table(name)
                .execute()
                .await
                .map_err(|error| store_error("open a table in", &namespace.tables(), &error))
        };
        Ok(Tables {
            namespace: namespace.clone(),
            documents: open(DOCUMENTS).await?,
            sections: open(SECTIONS).await?,
            chunks: open(CHUNKS).await?,
            entities: open(ENTITIES).await?,
        })
    }

    /// Makes the tables, empty; those that an interrupted first publication left behind are replaced.
    pub(super) async fn create(namespace: &Namespace, dimension: usize) -> Result<Self> {
        let connection = connect(namespace).await?;
        let create = async |name: &str, schema: SchemaRef| create_table(namespace, &connection, name, schema).await;
        Ok(Tables {
            namespace: namespace.clone(),
            documents: create(DOCUMENTS, documents_schema(dimension)).await?,
            sections: create(SECTIONS, sections_schema()).await?,
            chunks: create(CHUNKS, chunks_schema(dimension)).await?,
            entities: create(ENTITIES, entities_schema()).await?,
        })
    }

    /// Empties the tables that have vectors, as later versions of themselves, for vectors of another width.
    pub(super) async fn empty_those_with_vectors(&mut self, dimension: usize) -> Result<()> {
        let connection = connect(&self.namespace).await?;
        self.documents = create_table(&self.namespace, &connection, DOCUMENTS, documents_schema(dimension)).await?;
        self.chunks = create_table(&self.namespace, &connection, CHUNKS, chunks_schema(dimension)).await?;
        Ok(())
    }

    /// The namespace.
    pub(super) fn namespace(&self) -> &Namespace {
        &self.namespace
    }

    fn versions_of(&self, manifest: &Manifest) -> [(&Table, u64); 4] {
        [
            (&self.documents, manifest.documents),
            (&self.sections, manifest.sections),
            (&self.chunks, manifest.chunks),
            (&self.entities, manifest.entities),
        ]
    }

    /// Makes the tables what they were at `manifest`, as new versions: takes back the rest of a publication that was
    /// interrupted, or all that was published since.
    pub(super) async fn roll_back_to(&self, manifest: &Manifest) -> Result<()> {
        let fail = |error: lancedb::Error| store_error("roll back", &self.namespace.tables(), &error);
        for (table, version) in self.versions_of(manifest) {
            if table.version().await.map_err(fail)? != version {
                table.checkout(version).await.map_err(fail)?;
                table.restore().await.map_err(fail)?;
            }
        }
        Ok(())
    }

    /// The current versions, in the order documents, sections, chunks, entities.
    pub(super) async fn versions(&self) -> Result<[u64; 4]> {
        let version = async |table: &Table| {
            table.version().await.map_err(|error| store_error("read", &self.namespace.tables(), &error))
        };
        Ok([
            version(&self.documents).await?,
            version(&self.sections).await?,
            version(&self.chunks).await?,
            version(&self.entities).await?,
        ])
    }

    /// Appends rows.
    pub(super) async fn append(&self, table: &Table, rows: RecordBatch) -> Result<()> {
        if rows.num_rows() == 0 {
            return Ok(());
        }
        table
            .add(rows)
            .execute()
            .await
            .map(drop)
            .map_err(|error| store_error("write to", &self.namespace.tables(), &error))
    }

    /// Deletes the rows of the given documents.
    pub(super) async fn delete_documents(&self, table: &Table, doc_ids: &[DocId]) -> Result<()> {
        self.delete(table, "doc_id", doc_ids).await
    }

    /// Deletes the rows that have one of the values in a column.
    pub(super) async fn delete(&self, table: &Table, column: &str, values: &[impl AsRef<str>]) -> Result<()> {
        for some in values.chunks(MOST_IN_LIST) {
            table
                .delete(in_list(column, some).as_str())
                .await
                .map_err(|error| store_error("delete from", &self.namespace.tables(), &error))?;
        }
        Ok(())
    }

    /// Compacts tables that have fallen into many small files.
    pub(super) async fn compact(&self) -> Result<()> {
        let fail = |error: lancedb::Error| store_error("compact", &self.namespace.tables(), &error);
        for table in self.all() {
            let small_files = match table.as_native() {
                Some(native) => native.num_small_files(ROWS_OF_A_LARGE_FILE).await.map_err(fail)?,
                None => 0,
            };
            if small_files > MOST_SMALL_FILES {
                let options = CompactionOptions {
                    target_rows_per_fragment: ROWS_OF_A_LARGE_FILE,
                    ..CompactionOptions::default()
                };
                table.optimize(OptimizeAction::Compact { options, remap_options: None }).await.map_err(fail)?;
            }
        }
        Ok(())
    }

    /// The rows that a filter (SQL) lets through, all columns or those named.
    pub(super) async fn rows(
        &self,
        table: &Table,
        filter: Option<String>,
        columns: Option<&[&str]>,
    ) -> Result<Vec<RecordBatch>> {
        let fail = |error: lancedb::Error| store_error("read", &self.namespace.tables(), &error);
        self.stream(table, filter, columns).await?.try_collect().await.map_err(fail)
    }

    /// The rows that have one of the values in a column, all columns or those named.
    pub(super) async fn rows_with(
        &self,
        table: &Table,
        column: &str,
        values: &[impl AsRef<str>],
        columns: Option<&[&str]>,
    ) -> Result<Vec<RecordBatch>> {
        let mut batches = Vec::new();
        for some in values.chunks(MOST_IN_LIST) {
            batches.extend(self.rows(table, Some(in_list(column, some)), columns).await?);
        }
        Ok(batches)
    }

    /// The rows that a filter lets through, to be read with [`next`](Self::next) in the order of the table: for tables that need not fit
    /// into memory.
    pub(super) async fn stream(
        &self,
        table: &Table,
        filter: Option<String>,
        columns: Option<&[&str]>,
    ) -> Result<SendableRecordBatchStream> {
        let mut query = table.query();
        if let Some(filter) = filter {
            query = query.only_if(filter);
        }
        if let Some(columns) = columns {
            query = query.select(Select::columns(columns));
        }
        query.execute().await.map_err(|error| store_error("read", &self.namespace.tables(), &error))
    }

    /// The next rows of a stream.
    pub(super) async fn next(&self, stream: &mut SendableRecordBatchStream) -> Result<Option<RecordBatch>> {
        stream.try_next().await.map_err(|error| store_error("read", &self.namespace.tables(), &error))
    }
}

async fn create_table(namespace: &Namespace, connection: &Connection, name: &str, schema: SchemaRef) -> Result<Table> {
    connection
        .create_empty_table(name, schema)
        .mode(lancedb::database::CreateTableMode::Overwrite)
        .execute()
        .await
        .map_err(|error| store_error("create a table in", &namespace.tables(), &error))
}

async fn connect(namespace: &Namespace) -> Result<Connection> {
    let folder = namespace.tables();
    lancedb::connect(&folder.to_string_lossy()).execute().await.map_err(|error| store_error("open", &folder, &error))
}

/// So many values are named in one filter at most: it is parsed, and a parser has a stack.
pub(super) const MOST_IN_LIST: usize = 200;

/// The filter `column IN ('a', 'b')`, with quotes made harmless.
pub(super) fn in_list(column: &str, values: &[impl AsRef<str>]) -> String {
    let quoted: Vec<String> = values.iter().map(|value| format!("'{}'", value.as_ref().replace('\'', "''"))).collect();
    format!("{column} IN ({})", quoted.join(", "))
}

fn text(name: &str) -> Field {
    Field::new(name, DataType::Utf8, false)
}

fn optional_text(name: &str) -> Field {
    Field::new(name, DataType::Utf8, true)
}

fn number(name: &str) -> Field {
    Field::new(name, DataType::UInt32, false)
}

fn optional_number(name: &str) -> Field {
    Field::new(name, DataType::UInt32, true)
}

fn vector(dimension: usize) -> Field {
    let item = Arc::new(Field::new("item", DataType::Float32, true));
    // A dimension is a few hundred; the conversion cannot fail for any model that exists.
    let length = i32::try_from(dimension).unwrap_or(i32::MAX);
    Field::new("vector", DataType::FixedSizeList(item, length), true)
}

fn documents_schema(dimension: usize) -> SchemaRef {
    Arc::new(Schema::new(vec![
        text("doc_id"),
        text("source"),
        text("title"),
        text("format"),
        text("content_hash"),
        Field::new("size", DataType::UInt64, false),
        Field::new("mtime_ns", DataType::Int64, false),
        text("language"),
        optional_number("pages"),
        text("metadata"),
        text("chunking"),
        text("engine"),
        text("warnings"),
        text("toc_method"),
        number("sections"),
        number("parents"),
        number("children"),
        text("ingested_at"),
        optional_text("corrected_toc"),
        number("structure_version"),
        Field::new("embedded", DataType::Boolean, false),
        text("edits"),
        optional_text("time"),
        optional_text("profile"),
        optional_text("embedding_hash"),
        vector(dimension),
    ]))
}

fn sections_schema() -> SchemaRef {
    Arc::new(Schema::new(vec![
        text("section_id"),
        text("doc_id"),
        number("position"),
        optional_text("parent_id"),
        number("level"),
        text("path"),
        text("title"),
        optional_number("page_start"),
        optional_number("page_end"),
        number("chunk_start"),
        number("chunk_end"),
        text("provenance"),
        Field::new("confidence", DataType::Float32, false),
    ]))
}

fn chunks_schema(dimension: usize) -> SchemaRef {
    Arc::new(Schema::new(vec![
        text("chunk_id"),
        text("doc_id"),
        text("section_id"),
        text("chunk_type"),
        optional_text("parent_id"),
        number("chunk_index"),
        text("content"),
        text("titles"),
        optional_number("page_start"),
        optional_number("page_end"),
        text("language"),
        text("embedding_hash"),
        text("updated_at"),
        vector(dimension),
        Field::new("edited", DataType::Boolean, false),
        optional_text("metadata"),
        optional_text("situating"),
    ]))
}

pub(super) fn schema_of(table: &str, dimension: usize) -> SchemaRef {
    match table {
        DOCUMENTS => documents_schema(dimension),
        SECTIONS => sections_schema(),
        ENTITIES => entities_schema(),
        _ => chunks_schema(dimension),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_with_all_columns_but_vectors() {
        use crate::store::snapshot::{CHUNK_COLUMNS, DOCUMENT_COLUMNS};
        for (table, read) in [(DOCUMENTS, DOCUMENT_COLUMNS), (CHUNKS, CHUNK_COLUMNS)] {
            let schema = schema_of(table, 1);
            let mut all: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
            all.retain(|name| *name != "vector");
            let mut read = read.to_vec();
            all.sort_unstable();
            read.sort_unstable();
            assert_eq!(read, all);
        }
    }

    #[test]
    fn quotes_in_a_filter_are_harmless() {
        assert_eq!(in_list("a", &["x", "o'y"]), "a IN ('x', 'o''y')");
    }
}
