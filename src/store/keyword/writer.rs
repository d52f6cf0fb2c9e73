//! Writes the keyword index.
//!
//! A rebuilt index is made beside the old one, complete and durable, and replaces it by renaming. Until then readers
//! use the old one.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use tantivy::index::{SegmentId, SegmentMeta};
use tantivy::indexer::NoMergePolicy;
use tantivy::{Index, IndexSettings, IndexWriter, TantivyDocument, TantivyError, Term};

use super::chunks::ChildSpan;
use super::directory::KeywordDirectory;
use super::index::{Fields, KeywordReader, generation, schema, unless_damaged, usable, with_tokenizer};
use super::merge;
use super::vocabulary::name_entries;
use crate::error::{Error, Result, or_none};
use crate::ids::{DocId, SectionId};
use crate::store::convert;
use crate::store::fault::{Event, record_event, step};
use crate::store::files::{name_of, paths_in, remove_file, sync_folder};
use crate::store::layout::Namespace;
use crate::store::library_error::store_error;
use crate::store::rows::{ChunkRow, DocumentRow, ParentChunk};
use crate::store::scan::Wanted;
use crate::store::tables::Tables;
use crate::text::tables::Heads;

const WRITER_MEMORY_BYTES: usize = 64 << 20;
/// The maximum number of chunks in memory while the index is filled.
const CHUNKS_AT_ONCE: usize = 4096;
/// The number of documents that are read at once to replace their entries.
const DOCUMENTS_AT_ONCE: usize = 256;

/// The prefixes of the folders of an index that is being made, and of a replaced one.
const NEW: &str = "keyword.new-";
const OLD: &str = "keyword.old-";

pub(in crate::store) struct KeywordWriter {
    writer: IndexWriter,
    fields: Fields,
    folder: PathBuf,
    heads: SectionHeads,
}

/// The column heads of the table at the end of the previous parent chunk: the next part of the table is indexed with
/// them.
#[derive(Default)]
struct SectionHeads {
    /// The section and index of that parent chunk.
    last: Option<(SectionId, u32)>,
    heads: Heads,
}

impl SectionHeads {
    fn take(&mut self, chunk: &ParentChunk) -> Option<String> {
        let goes_on = self
            .last
            .as_ref()
            .is_some_and(|(section, index)| *section == chunk.section_id && *index < chunk.chunk_index);
        if !goes_on {
            self.heads = Heads::default();
        }
        self.last = Some((chunk.section_id.clone(), chunk.chunk_index));
        self.heads.take(&chunk.content)
    }
}

impl KeywordWriter {
    /// Opens the index for writing and returns its generation; `None` if it is missing, damaged or outdated. First
    /// repairs what an interrupted replacement left. An error is a refusal of the system, which says nothing about the
    /// index.
    pub(in crate::store) fn open(namespace: &Namespace) -> Result<Option<(Self, Option<u64>)>> {
        let folder = namespace.keyword();
        finish_replacement(namespace)?;
        let open = || {
            let Some(index) = usable(Index::open(KeywordDirectory::open(&folder, true)?)?) else { return Ok(None) };
            // Opening an index reads its list of files, and opening a reader the files.
            KeywordReader::of(&index, folder.clone())?;
            let generation = generation(&index)?;
            Ok(Some((index, generation)))
        };
        let Some((index, generation)) = unless_damaged(&folder, open)? else { return Ok(None) };
        Ok(Some((KeywordWriter::of(&index, folder)?, generation)))
    }

    /// Creates an empty index beside the existing one, which readers use until this one [takes its
    /// place](Self::replace_existing). Windows cannot rename a folder with open files in it, so there the index is
    /// created in place.
    pub(in crate::store) fn create_beside(namespace: &Namespace) -> Result<Self> {
        let folder = match cfg!(windows) {
            true => namespace.keyword(),
            false => namespace.root().join(format!("{NEW}{}", std::process::id())),
        };
        let create = || -> std::io::Result<()> {
            or_none(std::fs::remove_dir_all(&folder))?;
            std::fs::create_dir_all(&folder)
        };
        create().map_err(|error| Error::io("create the keyword index", &folder, &error))?;
        let create = || Index::create(KeywordDirectory::open(&folder, true)?, schema().0, IndexSettings::default());
        let index = create().map_err(|error| store_error("create the keyword index in", &folder, &error))?;
        KeywordWriter::of(&with_tokenizer(index), folder)
    }

    /// Builds a durable index of the tables beside the existing one, as the given generation.
    pub(in crate::store) async fn rebuild(namespace: &Namespace, tables: &Tables, generation: u64) -> Result<Self> {
        let mut new = KeywordWriter::create_beside(namespace)?;
        match new.fill_from(tables).await.and_then(|()| new.commit(generation)) {
            Ok(()) => Ok(new),
            Err(error) => {
                // On a full disk its space is needed. If it cannot be removed now, the next writer removes it.
                drop(std::fs::remove_dir_all(&new.folder));
                Err(error)
            }
        }
    }

    fn of(index: &Index, folder: PathBuf) -> Result<Self> {
        let writer = index
            .writer_with_num_threads(1, WRITER_MEMORY_BYTES)
            .map_err(|error| store_error("write to", &folder, &error))?;
        // An interrupted commit leaves files whose names the next one will use again, and tantivy does not overwrite
        // files.
        writer.set_merge_policy(Box::new(NoMergePolicy));
        writer.garbage_collect_files().wait().map_err(|error| store_error("tidy", &folder, &error))?;
        let writer = KeywordWriter { writer, fields: schema().1, folder, heads: SectionHeads::default() };
        writer.remove_unlisted_files()?;
        Ok(writer)
    }

    /// Removes the files that the index does not name. tantivy only removes files on its own list, which a power loss
    /// may destroy while the files stay.
    fn remove_unlisted_files(&self) -> Result<()> {
        let named = self.writer.index().load_metas().map_err(|error| self.failed(error))?.list_segment_files();
        for path in paths_in(&self.folder)? {
            let name = name_of(&path);
            let is_own = name == "meta.json" || name == ".managed.json" || name.ends_with(".lock");
            if !is_own && !named.contains(Path::new(name)) && path.is_file() {
                remove_file(&path)?;
            }
        }
        Ok(())
    }

    /// Replaces the existing index by this committed one. Readers of the old one have its files open.
    pub(in crate::store) fn replace_existing(self, namespace: &Namespace) -> Result<Self> {
        let (place, old) = (namespace.keyword(), namespace.root().join(format!("{OLD}{}", std::process::id())));
        if self.folder == place {
            return Ok(self);
        }
        let rename = |from: &Path, to: &Path| {
            or_none(std::fs::rename(from, to)).map_err(|error| Error::io("replace", &place, &error))
        };
        // The writer refers to its files by the old folder, and its lock keeps other writers out.
        let KeywordWriter { writer, folder: new, .. } = self;
        drop(writer);
        rename(&place, &old)?;
        step("keyword moved aside")?;
        rename(&new, &place)?;
        sync_folder(namespace.root())?;
        // The next writer removes possible remains.
        drop(std::fs::remove_dir_all(&old));
        match KeywordWriter::open(namespace)? {
            Some((new, _)) => Ok(new),
            None => Err(Error::failed(format!("the new keyword index in {} cannot be read", place.display()))
                .hint("run the command again: it rebuilds the index")),
        }
    }

    /// Builds an index of the tables in memory, for a reader of a generation without an index on the disk.
    pub(in crate::store) async fn in_memory(tables: &Tables) -> Result<KeywordReader> {
        let folder = tables.namespace().keyword();
        let failed = |error: TantivyError| store_error("read the rows into memory for", &folder, &error);
        let index = with_tokenizer(Index::create_in_ram(schema().0));
        let writer = index.writer_with_num_threads(1, WRITER_MEMORY_BYTES).map_err(failed)?;
        let mut new =
            KeywordWriter { writer, fields: schema().1, folder: folder.clone(), heads: SectionHeads::default() };
        new.fill_from(tables).await?;
        new.writer.commit().map_err(failed)?;
        KeywordReader::of(&index, folder.clone()).map_err(failed)
    }

    /// Empties the index and fills it again in place.
    pub(in crate::store) async fn refill_from(&mut self, tables: &Tables) -> Result<()> {
        self.writer.delete_all_documents().map_err(|error| self.failed(error))?;
        self.fill_from(tables).await
    }

    /// Fills an empty index from the tables, in which its children follow each parent.
    async fn fill_from(&mut self, tables: &Tables) -> Result<()> {
        let mut profiles: HashMap<DocId, String> = HashMap::new();
        tables
            .each(&tables.documents, None, Wanted::WithoutVectors, |columns, row| {
                let document = convert::document(columns, row)?;
                let profile = document.profile.and_then(|profile| profile.indexed());
                profiles.extend(profile.map(|profile| (document.doc_id, profile)));
                Ok(())
            })
            .await?;
        let mut waiting: Vec<ChunkRow> = Vec::new();
        tables
            .each(&tables.chunks, None, Wanted::WithoutVectors, |columns, row| {
                let chunk = convert::chunk(columns, row)?;
                if chunk.parent_id.is_none() && waiting.len() >= CHUNKS_AT_ONCE {
                    self.add(&convert::parents_of_rows(std::mem::take(&mut waiting)), &mut profiles)?;
                }
                waiting.push(chunk);
                Ok(())
            })
            .await?;
        self.add(&convert::parents_of_rows(waiting), &mut profiles)
    }

    /// Replaces the entries of some documents by those of their rows in the tables.
    pub(in crate::store) async fn replace_from(&mut self, tables: &Tables, doc_ids: &[DocId]) -> Result<()> {
        self.delete_documents(doc_ids);
        for some in doc_ids.chunks(DOCUMENTS_AT_ONCE) {
            let (of_some, columns) = (("doc_id", some), Wanted::WithoutVectors);
            let rows = tables.read_with(&tables.documents, of_some, columns, convert::document).await?;
            let profile = |row: DocumentRow| Some((row.doc_id, row.profile?.indexed()?));
            let mut profiles = rows.into_iter().filter_map(profile).collect();
            let chunks = tables.read_with(&tables.chunks, of_some, columns, convert::chunk).await?;
            let mut parents = convert::parents_of_rows(chunks);
            parents.sort_by(|a, b| (&a.doc_id, a.chunk_index).cmp(&(&b.doc_id, b.chunk_index)));
            self.add(&parents, &mut profiles)?;
        }
        Ok(())
    }

    pub(in crate::store) fn delete_documents(&mut self, doc_ids: &[DocId]) {
        for id in doc_ids {
            self.writer.delete_term(Term::from_field_text(self.fields.doc_id, id));
        }
    }

    /// Adds parent chunks, each with the places of its children. The first one of a document takes the indexed text of
    /// its profile from `profiles`.
    pub(in crate::store) fn add(
        &mut self,
        parents: &[ParentChunk],
        profiles: &mut HashMap<DocId, String>,
    ) -> Result<()> {
        for chunk in parents {
            let mut document = TantivyDocument::default();
            document.add_text(self.fields.chunk_id, &chunk.chunk_id);
            document.add_text(self.fields.doc_id, &chunk.doc_id);
            document.add_text(self.fields.content, &chunk.content);
            let titles = chunk.titles_in_front_of(chunk);
            document.add_text(self.fields.titles_in_front, titles);
            if titles.is_empty() {
                document.add_text(self.fields.titles_apart, &chunk.titles);
            }
            document.add_text(self.fields.situating, chunk.situating.as_deref().unwrap_or_default());
            if let Some(heads) = self.heads.take(chunk) {
                document.add_text(self.fields.situating, heads);
            }
            if let Some(profile) = profiles.remove(&chunk.doc_id) {
                document.add_text(self.fields.situating, profile);
            }
            document.add_text(self.fields.titles, &chunk.titles);
            for entry in name_entries(chunk) {
                document.add_text(self.fields.names, &entry);
            }
            document.add_text(self.fields.section_id, &chunk.section_id);
            document.add_u64(self.fields.chunk_index, u64::from(chunk.chunk_index));
            for (field, page) in [(self.fields.page_start, chunk.page_start), (self.fields.page_end, chunk.page_end)] {
                if let Some(page) = page {
                    document.add_u64(field, u64::from(page));
                }
            }
            document.add_text(self.fields.child_chunks, ChildSpan::record(&chunk.children));
            if let Err(error) = self.writer.add_document(document) {
                let cause = self.cause(error);
                return Err(self.failed(cause));
            }
        }
        Ok(())
    }

    /// The cause of an error that only reports the end of a writer thread.
    fn cause(&mut self, error: TantivyError) -> TantivyError {
        match error {
            // Preparing a commit waits for the threads and returns their error.
            TantivyError::ErrorInThread(_) => match self.writer.prepare_commit() {
                Err(cause) => cause,
                Ok(_) => error,
            },
            error => error,
        }
    }

    /// Makes the changes durable, as the given generation.
    ///
    /// tantivy syncs each file when it closes it, and the folder before it renames `meta.json`, but not afterwards: a
    /// power loss could undo the decisive renaming.
    pub(in crate::store) fn commit(&mut self, generation: u64) -> Result<()> {
        let mut commit_as = || {
            let mut commit = self.writer.prepare_commit()?;
            commit.set_payload(&generation.to_string());
            commit.commit().map(drop)
        };
        commit_as().map_err(|error| self.failed(error))?;
        paths_in(&self.folder)?.iter().for_each(|file| record_event(Event::SyncedFile, file));
        sync_folder(&self.folder)
    }

    /// Merges small segments of the index. Content and generation stay.
    ///
    /// tantivy merges after a commit in its own thread, which dies with a process that publishes once and ends. Without
    /// this, a store with many small corrections would get more and more segments.
    pub(in crate::store) fn merge(&mut self) -> Result<()> {
        let groups = merge::after_publication(&self.parts()?);
        self.merge_groups(groups)
    }

    fn merge_groups(&mut self, groups: Vec<Vec<SegmentId>>) -> Result<()> {
        for ids in groups {
            self.writer.merge(&ids).wait().map_err(|error| self.failed(error))?;
        }
        Ok(())
    }

    /// The segments. tantivy keeps their files while their descriptions are held.
    fn parts(&self) -> Result<Vec<SegmentMeta>> {
        self.writer.index().searchable_segment_metas().map_err(|error| self.failed(error))
    }

    pub(in crate::store) fn segments(&self) -> Result<usize> {
        Ok(self.parts()?.len())
    }

    /// Merges segments into as few as possible without the parent chunks that were deleted, whose text stays in a
    /// segment until then, and returns their number. Content and generation stay.
    pub(in crate::store) fn merge_all(&mut self) -> Result<usize> {
        let parts = self.parts()?;
        let deleted = parts.iter().map(SegmentMeta::num_deleted_docs).sum::<u32>() as usize;
        let groups = merge::of_all(&parts);
        drop(parts);
        self.merge_groups(groups)?;
        Ok(deleted)
    }

    fn failed(&self, error: TantivyError) -> Error {
        store_error("write to", &self.folder, &error)
    }

    /// The generation of the last commit.
    pub(in crate::store) fn committed(&self) -> Option<u64> {
        generation(self.writer.index()).ok().flatten()
    }

    /// Drops the changes since the last commit and returns the error that caused this. If the disk refuses this too,
    /// the next writer starts from the last commit.
    pub(in crate::store) fn roll_back(&mut self, reason: Error) -> Error {
        drop(self.writer.rollback());
        reason
    }
}

#[cfg(test)]
impl KeywordWriter {
    pub(super) fn index_of(namespace: &Namespace, parents: &[ParentChunk]) -> KeywordReader {
        KeywordWriter::index_without(namespace, parents, &[])
    }

    /// An index of these parent chunks from which some documents were deleted.
    pub(super) fn index_without(namespace: &Namespace, parents: &[ParentChunk], deleted: &[DocId]) -> KeywordReader {
        let mut writer = KeywordWriter::create_beside(namespace).unwrap();
        writer.add(parents, &mut HashMap::new()).unwrap();
        writer.commit(0).unwrap();
        writer.delete_documents(deleted);
        writer.commit(1).unwrap();
        drop(writer.replace_existing(namespace).unwrap());
        let (reader, generation) = KeywordReader::open(namespace).unwrap().unwrap();
        assert_eq!(generation, 1);
        reader
    }
}

/// Finishes or gives up an interrupted replacement: restores the old index if none is in its place, and removes the
/// other leftovers.
fn finish_replacement(namespace: &Namespace) -> Result<()> {
    let place = namespace.keyword();
    for path in paths_in(namespace.root())? {
        let name = name_of(&path);
        if name.starts_with(OLD) && !place.exists() {
            std::fs::rename(&path, &place).map_err(|error| Error::io("rename", &path, &error))?;
        } else if name.starts_with(NEW) || name.starts_with(OLD) {
            or_none(std::fs::remove_dir_all(&path)).map_err(|error| Error::io("remove", &path, &error))?;
        }
    }
    Ok(())
}
