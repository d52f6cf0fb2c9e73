//! The LanceDB tables: creating them, opening them at a version, writing and deleting rows.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;

use lancedb::arrow::arrow_array::RecordBatch;
use lancedb::database::CreateTableMode;
use lancedb::table::{CompactionOptions, OptimizeAction, ReadParams};
use lancedb::{Connection, Table};

use super::convert::{self, CHUNKS, DOCUMENTS, ENTITIES, SECTIONS};
use super::layout::Namespace;
use super::library_error::store_error;
use super::manifest::Manifest;
use super::pinned::Pinned;
use super::rows::ParentChunk;
use super::version_files::{TABLES, Unreadable, unreadable_version};
use crate::crash;
use crate::error::{Error, NextStep, Result, Setting, root_io};

/// A publication compacts a table with more data files of a size than this.
pub(super) const MOST_SMALL_FILES: usize = 12;
/// Data files with fewer rows than the first of these are joined to files of at least so many, and those to files of
/// the second size. So a change of one document never writes a large table again as a whole, and ten million rows lie
/// in about a hundred files. These are levels as in O'Neil et al. 1996, "The log-structured merge-tree".
const FILE_SIZES: [usize; 2] = [16_384, 131_072];
/// The number of chunks written at once: with the vectors of a large model, some hundred megabytes.
pub(super) const CHUNKS_IN_BATCH: usize = FILE_SIZES[0];

pub(super) struct Tables {
    namespace: Namespace,
    pub(super) documents: Table,
    pub(super) sections: Table,
    pub(super) chunks: Table,
    pub(super) entities: Table,
    /// Whether all files of the indexes exist. If not, no index is used.
    pub(super) indexed: bool,
}

impl Tables {
    /// Opens the tables at the versions of `manifest`; later writes are invisible.
    ///
    /// # Errors
    /// If the tables cannot be read.
    pub(super) async fn open_at(namespace: &Namespace, manifest: &Manifest) -> Result<Self> {
        Tables::try_open_at(namespace, manifest).await?.map_err(|Unreadable(what)| {
            let generation = manifest.generation;
            Error::failed(format!("generation {generation} in {} cannot be read: {what}", namespace.root().display()))
                .hint(format!("repair the namespace with `{}`", NextStep::Repair))
        })
    }

    /// Like [`open_at`](Self::open_at), but returns missing or damaged tables as `Unreadable`. Errors of the system
    /// remain errors.
    pub(super) async fn try_open_at(
        namespace: &Namespace,
        manifest: &Manifest,
    ) -> Result<std::result::Result<Self, Unreadable>> {
        for (table, version) in TABLES.into_iter().zip(manifest.versions()) {
            if let Some(lost) = unreadable_version(namespace, table, version)? {
                return Ok(Err(lost));
            }
        }
        let connection = connect(namespace).await?;
        let mut tables = match Tables::open_with(namespace, &connection, Some(manifest.versions())).await {
            Ok(tables) => tables,
            Err(error) if is_damage(&error) => return Ok(Err(Unreadable(error.message().to_owned()))),
            Err(error) => return Err(error),
        };
        tables.refuse_foreign_files().await?;
        if let Some(lost) = tables.unreadable_file().await? {
            return Ok(Err(lost));
        }
        tables.check_indexes().await?;
        Ok(Ok(tables))
    }

    /// Opens the tables at their newest versions.
    pub(super) async fn open(namespace: &Namespace) -> Result<Self> {
        let connection = connect(namespace).await?;
        let tables = Tables::open_with(namespace, &connection, None).await?;
        tables.refuse_foreign_files().await?;
        tables.drop_incomplete_indexes().await?;
        Ok(tables)
    }

    /// Opens the tables at the given versions, or at their newest.
    async fn open_with(namespace: &Namespace, connection: &Connection, versions: Option<[u64; 4]>) -> Result<Self> {
        let open = async |place: usize| {
            let version = versions.map(|versions| versions[place]);
            open_table(namespace, connection, TABLES[place], version).await
        };
        Ok(Tables {
            namespace: namespace.clone(),
            documents: open(0).await?,
            sections: open(1).await?,
            chunks: open(2).await?,
            entities: open(3).await?,
            indexed: true,
        })
    }

    /// Creates empty tables, over possible leftovers of an interrupted first publication.
    pub(super) async fn create(namespace: &Namespace, dimension: usize) -> Result<Self> {
        let connection = connect(namespace).await?;
        let create = async |name, rows| create_table(namespace, &connection, name, rows).await;
        Ok(Tables {
            namespace: namespace.clone(),
            documents: create(DOCUMENTS, convert::documents_to_batch(&[], dimension)?).await?,
            sections: create(SECTIONS, convert::sections_to_batch(&[])?).await?,
            chunks: create(CHUNKS, convert::chunks_to_batch([], dimension)?).await?,
            entities: create(ENTITIES, convert::entities_to_batch(&[])?).await?,
            indexed: true,
        })
    }

    /// Empties the tables with vectors, as later versions of themselves, for vectors of another length.
    pub(super) async fn empty_those_with_vectors(&mut self, dimension: usize) -> Result<()> {
        let connection = connect(&self.namespace).await?;
        let documents = convert::documents_to_batch(&[], dimension)?;
        self.documents = create_table(&self.namespace, &connection, DOCUMENTS, documents).await?;
        let chunks = convert::chunks_to_batch([], dimension)?;
        self.chunks = create_table(&self.namespace, &connection, CHUNKS, chunks).await?;
        self.forget_recall().await
    }

    pub(super) fn namespace(&self) -> &Namespace {
        &self.namespace
    }

    pub(super) fn folder_of(&self, table: &Table) -> PathBuf {
        self.namespace.tables().join(format!("{}.lance", table.name()))
    }

    /// All tables, in the order documents, sections, chunks, entities.
    pub(super) fn all(&self) -> impl Iterator<Item = &Table> {
        [&self.documents, &self.sections, &self.chunks, &self.entities].into_iter()
    }

    /// Restores the tables of `manifest` as new versions.
    pub(super) async fn restore(&self, manifest: &Manifest) -> Result<()> {
        let fail = |error: lancedb::Error| self.failed("restore", &error);
        for (table, version) in self.all().zip(manifest.versions()) {
            if table.version().await.map_err(fail)? != version {
                table.checkout(version).await.map_err(fail)?;
                self.refuse_foreign_files().await?;
                table.restore().await.map_err(fail)?;
            }
        }
        Ok(())
    }

    /// The current versions, in the order documents, sections, chunks, entities.
    pub(super) async fn versions(&self) -> Result<[u64; 4]> {
        let mut versions = [0; 4];
        for (table, version) in self.all().zip(&mut versions) {
            let read = table.version().await;
            *version = read.map_err(|error| self.failed("read", &error))?;
        }
        Ok(versions)
    }

    pub(super) async fn append(&self, table: &Table, rows: RecordBatch) -> Result<()> {
        if rows.num_rows() == 0 {
            return Ok(());
        }
        table.add(rows).execute().await.map(drop).map_err(|error| self.failed("write to", &error))
    }

    /// Writes chunks in batches, so that memory does not grow with the length of a document.
    pub(super) async fn append_chunks<'p>(
        &self,
        parents: impl IntoIterator<Item = &'p ParentChunk>,
        dimension: usize,
    ) -> Result<()> {
        let (mut some, mut chunks) = (Vec::new(), 0);
        for parent in parents {
            some.push(parent);
            chunks += 1 + parent.children.len();
            if chunks >= CHUNKS_IN_BATCH {
                self.append(&self.chunks, convert::chunks_to_batch(some.drain(..), dimension)?).await?;
                chunks = 0;
            }
        }
        self.append(&self.chunks, convert::chunks_to_batch(some, dimension)?).await
    }

    pub(super) async fn delete(&self, table: &Table, column: &str, values: &[impl AsRef<str>]) -> Result<()> {
        for some in values.chunks(MOST_IN_LIST) {
            table.delete(in_list(column, some).as_str()).await.map_err(|error| self.failed("delete from", &error))?;
        }
        Ok(())
    }

    /// Compacts tables with more than `most` files of a size.
    pub(super) async fn compact(&self, most: usize) -> Result<()> {
        for table in self.all() {
            self.join_files(table, most, FILE_SIZES).await?;
        }
        Ok(())
    }

    /// Joins more than `most` files with fewer rows than one of these sizes, and at least as many as the one before.
    async fn join_files(&self, table: &Table, most: usize, sizes: [usize; 2]) -> Result<()> {
        let mut fewest = 0;
        for rows in sizes {
            let files = self.fragments(table).await?;
            let joined = files.iter().filter_map(|file| file.metadata().physical_rows);
            if joined.filter(|own| (fewest..rows).contains(own)).count() > most {
                let options = CompactionOptions { target_rows_per_fragment: rows, ..CompactionOptions::default() };
                let compact = table.optimize(OptimizeAction::Compact { options, remap_options: None });
                compact.await.map_err(|error| self.failed("compact", &error))?;
            }
            fewest = rows;
        }
        Ok(())
    }

    /// An error of Lance or LanceDB on these tables.
    pub(super) fn failed(&self, doing: &str, error: &(dyn std::error::Error + 'static)) -> Error {
        store_error(doing, &self.namespace.tables(), error)
    }

    pub(super) fn read_error(&self, error: &lance::Error) -> Error {
        let error = self.failed("read", error);
        if is_damage(&error) {
            error.hint(format!("`{}` goes back to a generation that can be read", NextStep::Repair))
        } else {
            error
        }
    }
}

/// Whether an error means that data is missing or makes no sense. Other refusals of the system, such as too many open
/// files, say nothing about the data.
pub(super) fn is_damage(error: &Error) -> bool {
    root_io(error).is_none_or(|io| io.raw_os_error().is_none() || io.kind() == ErrorKind::NotFound)
}

/// Creates an empty table with the columns of `rows`, in place of an existing one.
async fn create_table(namespace: &Namespace, connection: &Connection, name: &str, rows: RecordBatch) -> Result<Table> {
    let new = connection.create_empty_table(name, rows.schema()).mode(CreateTableMode::Overwrite);
    new.execute().await.map_err(|error| store_error("create a table in", &namespace.tables(), &error))
}

/// Opens a table at a version, or at its newest. If a byte of the version changed, Lance may crash, at the latest when
/// it makes Arrow types of the columns.
pub(super) async fn open_table(
    namespace: &Namespace,
    connection: &Connection,
    name: &str,
    version: Option<u64>,
) -> Result<Table> {
    let mut open = connection.open_table(name);
    if let Some(version) = version {
        let pinned = Arc::new(Pinned(version));
        open = open.lance_read_params(ReadParams { commit_handler: Some(pinned), ..ReadParams::default() });
    }
    let open = async {
        let table = open.execute().await?;
        table.schema().await?;
        Ok::<Table, lancedb::Error>(table)
    };
    let folder = namespace.tables();
    match crash::catch_crash_in(open).await {
        Some(opened) => opened.map_err(|error| store_error("open a table in", &folder, &error)),
        None => Err(Error::failed(format!("the table {name} in {} is damaged", folder.display()))
            .hint(format!("repair the namespace with `{}`", NextStep::Repair))),
    }
}

pub(super) async fn connect(namespace: &Namespace) -> Result<Connection> {
    let folder = namespace.tables();
    // LanceDB takes `~/x` for the user's home and `a:b` for an address. It takes an absolute path as it is.
    let path = std::path::absolute(&folder).map_err(|error| Error::io("open", &folder, &error))?;
    let refused = |what: &str| {
        Error::failed(format!("the path {} {what}", folder.display()))
            .hint(format!("rename that folder, or name another place with {}", Setting("kb")))
    };
    let path = path.to_str().ok_or_else(|| refused("is not UTF-8"))?;
    if path.contains(|c: char| c.is_ascii_control()) {
        return Err(refused("has a control character in a name"));
    }
    lancedb::connect(path).execute().await.map_err(|error| store_error("open", &folder, &error))
}

/// The maximum number of values in one filter that is written as SQL: its parser needs stack for each.
const MOST_IN_LIST: usize = 200;

/// The filter `column IN ('a', 'b')` as SQL, with escaped quotes.
fn in_list(column: &str, values: &[impl AsRef<str>]) -> String {
    let quoted: Vec<String> = values.iter().map(|value| format!("'{}'", value.as_ref().replace('\'', "''"))).collect();
    format!("{column} IN ({})", quoted.join(", "))
}

#[cfg(test)]
mod tests {
    use super::super::scan::Wanted;
    use super::*;
    use crate::store::Chunk;
    use crate::store::samples::namespace;

    #[test]
    fn quotes_in_a_filter_are_escaped() {
        assert_eq!(in_list("a", &["x", "o'y"]), "a IN ('x', 'o''y')");
    }

    /// A table of Lance may list files of another folder, even on another machine, and Lance then reads them.
    #[tokio::test]
    async fn a_table_that_names_another_folder_is_refused() {
        let (folder, namespace) = namespace();
        drop(Tables::create(&namespace, 2).await.unwrap());
        let (own, elsewhere) = (namespace.tables().join("documents.lance"), folder.path().join("elsewhere.lance"));
        std::fs::rename(&own, &elsewhere).unwrap();
        let mut theirs = lance::Dataset::open(elsewhere.to_str().unwrap()).await.unwrap();
        let version = theirs.version().version;
        theirs.shallow_clone(own.to_str().unwrap(), version, None).await.unwrap();
        let error = Tables::open(&namespace).await.map(drop).unwrap_err();
        assert!(error.message().ends_with("documents.lance names files outside of it"), "{error}");
    }

    #[tokio::test]
    async fn the_chunks_of_a_long_document_are_written_in_batches() {
        let (_folder, namespace) = namespace();
        let tables = Tables::create(&namespace, 2).await.unwrap();
        let parent = |number: usize| ParentChunk {
            children: vec![Chunk::sample(&format!("d:{number}.0"), "text")],
            ..ParentChunk::sample(&format!("d:{number}"), "text")
        };
        let parents: Vec<ParentChunk> = (0..CHUNKS_IN_BATCH / 2 + 3).map(parent).collect();
        tables.append_chunks(&parents, 2).await.unwrap();
        assert_eq!(rows_of_files(&tables).await, [CHUNKS_IN_BATCH, 6]);
        let read =
            tables.read(&tables.chunks, None, Wanted::WithoutVectors, |columns, row| columns.text("chunk_id", row));
        let written = parents.iter().flat_map(ParentChunk::chunks).map(|chunk| chunk.chunk_id.to_string());
        assert_eq!(read.await.unwrap(), written.collect::<Vec<_>>());
    }

    /// Files of all sizes would make the first search slow, and one large file would be written again by each change.
    #[tokio::test]
    async fn files_are_joined_level_by_level() {
        let (_folder, namespace) = namespace();
        let tables = Tables::create(&namespace, 2).await.unwrap();
        let mut of_files = Vec::new();
        for number in 0..14 {
            tables.append_chunks(&[ParentChunk::sample(&format!("d:{number}"), "text")], 2).await.unwrap();
            tables.join_files(&tables.chunks, 1, [2, 6]).await.unwrap();
            of_files.push(rows_of_files(&tables).await);
        }
        assert_eq!(of_files[0..6], [vec![1], vec![2], vec![2, 1], vec![4], vec![4, 1], vec![6]]);
        assert_eq!(of_files[6..10], [vec![6, 1], vec![6, 2], vec![6, 2, 1], vec![6, 4]]);
        assert_eq!(of_files[13], [6, 6, 2]);
    }

    async fn rows_of_files(tables: &Tables) -> Vec<usize> {
        let files = tables.fragments(&tables.chunks).await.unwrap();
        files.iter().map(|file| file.metadata().num_rows().unwrap_or_default()).collect()
    }
}
