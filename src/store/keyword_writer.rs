//! The keyword index as the one writer sees it.
//!
//! An index is rebuilt beside the old one, whole and durable, and takes its place by renaming: until then
//! readers have the old one.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use tantivy::indexer::{LogMergePolicy, MergeCandidate, MergePolicy, NoMergePolicy};
use tantivy::{Index, IndexWriter, TantivyDocument, TantivyError, Term};

use super::convert;
use super::fault::{self, step};
use super::files::{name_of, or_none, paths_in, sync_folder};
use super::indexed::ChildSpan;
use super::keyword_index::{Fields, KeywordReader, generation, schema, unless_damaged, usable, with_tokenizer};
use super::layout::Namespace;
use super::rows::{ChunkRow, ParentChunk};
use super::store_error;
use super::tables::{Tables, Wanted};
use super::words::name_entries;
use crate::error::{Error, Result};
use crate::ids::{DocId, SectionId};
use crate::text::tables::Heads;

const WRITER_MEMORY_BYTES: usize = 64 << 20;
/// How many chunks wait for the index at most while it is filled.
const CHUNKS_AT_ONCE: usize = 4096;

/// Begin the names of an index that is being made, and of one that was replaced.
const NEW: &str = "keyword.new-";
const OLD: &str = "keyword.old-";

pub(super) struct KeywordWriter {
    writer: IndexWriter,
    fields: Fields,
    folder: PathBuf,
    heads: SectionHeads,
}

/// The heads of the table in which the parent chunk before ends, as its next part is indexed with them.
#[derive(Default)]
struct SectionHeads {
    /// The section and the place of that parent chunk.
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
    /// Opens the index for writing and returns its generation; `None` where it is missing, damaged or outdated. First mends
    /// what an interrupted replacement left.
    ///
    /// # Errors
    /// Where the system does not let it be read, which says nothing about the index.
    pub(super) fn open(namespace: &Namespace) -> Result<Option<(Self, Option<u64>)>> {
        let folder = namespace.keyword();
        finish_replacement(namespace)?;
        let open = || {
            let Some(index) = usable(Index::open_in_dir(&folder)?) else { return Ok(None) };
            // Opening an index reads its list of files, and opening a reader the files.
            KeywordReader::of(&index, folder.clone())?;
            let generation = generation(&index)?;
            Ok(Some((index, generation)))
        };
        let Some((index, generation)) = unless_damaged(open(), &folder)? else { return Ok(None) };
        Ok(Some((KeywordWriter::of(&index, folder)?, generation)))
    }

    /// Makes an empty index beside the one that is there, which readers go on with until this one [takes its
    /// place](Self::take_place). Windows cannot rename a folder with open files in it: there, it is made in its place.
    pub(super) fn beside(namespace: &Namespace) -> Result<Self> {
        let folder = match cfg!(windows) {
            true => namespace.keyword(),
            false => namespace.root().join(format!("{NEW}{}", std::process::id())),
        };
        let create = || -> std::io::Result<()> {
            or_none(std::fs::remove_dir_all(&folder))?;
            std::fs::create_dir_all(&folder)
        };
        create().map_err(|error| Error::io("create the keyword index", &folder, &error))?;
        let index = Index::create_in_dir(&folder, schema().0)
            .map_err(|error| store_error("create the keyword index in", &folder, &error))?;
        KeywordWriter::of(&with_tokenizer(index), folder)
    }

    /// Makes an index of the tables beside the one that is there, durable, as the given generation.
    pub(super) async fn rebuild(namespace: &Namespace, tables: &Tables, generation: u64) -> Result<Self> {
        let mut new = KeywordWriter::beside(namespace)?;
        match new.fill_from(tables).await.and_then(|()| new.commit(generation)) {
            Ok(()) => Ok(new),
            Err(error) => {
                // On a full disk, what it takes is needed. Where it cannot be removed, the next writer does.
                drop(std::fs::remove_dir_all(&new.folder));
                Err(error)
            }
        }
    }

    fn of(index: &Index, folder: PathBuf) -> Result<Self> {
        let writer = index
            .writer_with_num_threads(1, WRITER_MEMORY_BYTES)
            .map_err(|error| store_error("write to", &folder, &error))?;
        // A commit that was cut off leaves files behind whose names the next one will use again, and tantivy does not
        // write over a file.
        writer.set_merge_policy(Box::new(NoMergePolicy));
        writer.garbage_collect_files().wait().map_err(|error| store_error("tidy", &folder, &error))?;
        let writer = KeywordWriter { writer, fields: schema().1, folder, heads: SectionHeads::default() };
        writer.remove_strangers()?;
        Ok(writer)
    }

    /// Removes the files that the index does not name. tantivy knows those that its list names, and a power loss may take
    /// the list and leave the files.
    fn remove_strangers(&self) -> Result<()> {
        let named = self.writer.index().load_metas().map_err(|error| self.failed(error))?.list_segment_files();
        for path in paths_in(&self.folder)? {
            let name = name_of(&path);
            let is_own = name == "meta.json" || name == ".managed.json" || name.ends_with(".lock");
            if !is_own && !named.contains(Path::new(name)) && path.is_file() {
                or_none(std::fs::remove_file(&path)).map_err(|error| Error::io("remove", &path, &error))?;
            }
        }
        Ok(())
    }

    /// Puts a committed index in the place of the one that is there. Who reads that one has its files open.
    pub(super) fn take_place(self, namespace: &Namespace) -> Result<Self> {
        let (place, old) = (namespace.keyword(), namespace.root().join(format!("{OLD}{}", std::process::id())));
        if self.folder == place {
            return Ok(self);
        }
        let rename = |from: &Path, to: &Path| {
            or_none(std::fs::rename(from, to)).map_err(|error| Error::io("replace", &place, &error))
        };
        // It knows its files by the folder in which they were, and lets no other writer in.
        let KeywordWriter { writer, folder: new, .. } = self;
        drop(writer);
        rename(&place, &old)?;
        step("keyword moved aside")?;
        rename(&new, &place)?;
        sync_folder(namespace.root())?;
        // The next writer removes what is left of it.
        drop(std::fs::remove_dir_all(&old));
        match KeywordWriter::open(namespace)? {
            Some((new, _)) => Ok(new),
            None => Err(Error::failed(format!("the new keyword index in {} cannot be read", place.display()))
                .hint("run the command again: it makes the index once more")),
        }
    }

    /// An index in memory of what tables hold, for a reader of a generation that has none on the disk.
    pub(super) async fn in_memory(tables: &Tables) -> Result<KeywordReader> {
        let folder = tables.namespace().keyword();
        let failed = |error: TantivyError| store_error("read into memory what belongs into", &folder, &error);
        let index = with_tokenizer(Index::create_in_ram(schema().0));
        let writer = index.writer_with_num_threads(1, WRITER_MEMORY_BYTES).map_err(failed)?;
        let mut new =
            KeywordWriter { writer, fields: schema().1, folder: folder.clone(), heads: SectionHeads::default() };
        new.fill_from(tables).await?;
        new.writer.commit().map_err(failed)?;
        KeywordReader::of(&index, folder.clone()).map_err(failed)
    }

    /// Fills the index in its place from nothing.
    pub(super) async fn refill_from(&mut self, tables: &Tables) -> Result<()> {
        self.writer.delete_all_documents().map_err(|error| self.failed(error))?;
        self.fill_from(tables).await
    }

    /// Fills an empty index from the tables, where each parent is followed by its children.
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

    pub(super) fn delete_documents(&mut self, doc_ids: &[DocId]) {
        for id in doc_ids {
            self.writer.delete_term(Term::from_field_text(self.fields.doc_id, id));
        }
    }

    /// Adds parent chunks, each with the places of its children. The first one of a document takes what is indexed of its
    /// profile from `profiles`.
    pub(super) fn add(&mut self, parents: &[ParentChunk], profiles: &mut HashMap<DocId, String>) -> Result<()> {
        for chunk in parents {
            let mut document = TantivyDocument::default();
            document.add_text(self.fields.chunk_id, &chunk.chunk_id);
            document.add_text(self.fields.doc_id, &chunk.doc_id);
            document.add_text(self.fields.content, &chunk.content);
            document.add_text(self.fields.titles_in_front, chunk.titles_in_front_of(chunk));
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

    /// The cause of an error that only reports that a thread of the writer has ended.
    fn cause(&mut self, error: TantivyError) -> TantivyError {
        match error {
            // Preparing a commit waits for the threads and passes on what they ended with.
            TantivyError::ErrorInThread(_) => match self.writer.prepare_commit() {
                Err(cause) => cause,
                Ok(_) => error,
            },
            error => error,
        }
    }

    /// Makes the changes durable, as the given generation.
    ///
    /// tantivy syncs the data of each file when it closes it, and the folder before it renames `meta.json`, but not
    /// after that: the name that decides would be the one to be lost.
    pub(super) fn commit(&mut self, generation: u64) -> Result<()> {
        let mut commit_as = || {
            let mut commit = self.writer.prepare_commit()?;
            commit.set_payload(&generation.to_string());
            commit.commit().map(drop)
        };
        commit_as().map_err(|error| self.failed(error))?;
        paths_in(&self.folder)?.iter().for_each(|file| fault::synced(file));
        sync_folder(&self.folder)
    }

    /// Merges small parts of the index; content and generation stay.
    ///
    /// tantivy merges after a commit in a thread of its own, which dies with a process that publishes once and ends. A store
    /// with many small corrections would then fall into ever more parts.
    pub(super) fn merge(&mut self) -> Result<()> {
        let parts = self.writer.index().searchable_segment_metas().map_err(|error| self.failed(error))?;
        for MergeCandidate(ids) in LogMergePolicy::default().compute_merge_candidates(&parts) {
            self.writer.merge(&ids).wait().map_err(|error| self.failed(error))?;
        }
        Ok(())
    }

    fn failed(&self, error: TantivyError) -> Error {
        store_error("write to", &self.folder, &error)
    }

    /// The generation that was committed last.
    pub(super) fn committed(&self) -> Option<u64> {
        generation(self.writer.index()).ok().flatten()
    }

    /// Forgets the changes since the last commit, and returns the error that was the reason. Where the disk refuses this
    /// too, the next writer begins at the last commit.
    pub(super) fn given_up(&mut self, reason: Error) -> Error {
        drop(self.writer.rollback());
        reason
    }
}

#[cfg(test)]
impl KeywordWriter {
    /// The index of a namespace that holds these parent chunks alone.
    pub(super) fn index_of(namespace: &Namespace, parents: &[ParentChunk]) -> KeywordReader {
        let mut writer = KeywordWriter::beside(namespace).unwrap();
        writer.add(parents, &mut HashMap::new()).unwrap();
        writer.commit(1).unwrap();
        drop(writer.take_place(namespace).unwrap());
        let (reader, generation) = KeywordReader::open(namespace).unwrap().unwrap();
        assert_eq!(generation, 1);
        reader
    }
}

/// Finishes or gives up a replacement that was interrupted: the old index comes back where there is none in its place, and
/// what else lies beside goes.
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
