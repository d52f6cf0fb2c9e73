//! The keyword index as the one writer sees it.

use std::path::PathBuf;

use tantivy::indexer::{LogMergePolicy, MergeCandidate, MergePolicy, NoMergePolicy};
use tantivy::{Index, IndexWriter, TantivyDocument, TantivyError, Term};

use super::indexed::ChildSpan;
use super::keyword_index::{Fields, create_index, generation, schema, usable};
use super::layout::Namespace;
use super::rows::ParentChunk;
use super::store_error;
use super::words::name_entries;
use crate::error::{Error, Result};
use crate::ids::DocId;

const WRITER_MEMORY_BYTES: usize = 64 << 20;

pub(super) struct KeywordWriter {
    writer: IndexWriter,
    fields: Fields,
    folder: PathBuf,
}

impl KeywordWriter {
    /// Opens the index for writing and returns its generation; makes an empty one, of no generation, where it is missing or
    /// damaged.
    pub(super) fn open(namespace: &Namespace) -> Result<(Self, Option<u64>)> {
        let folder = namespace.keyword();
        let (index, generation) = match Index::open_in_dir(&folder).ok().and_then(usable) {
            Some(index) => {
                let generation = generation(&index);
                (index, generation)
            }
            None => (create_index(&folder)?, None),
        };
        let writer = index
            .writer_with_num_threads(1, WRITER_MEMORY_BYTES)
            .map_err(|error| store_error("write to", &folder, &error))?;
        // A commit that was cut off leaves files behind whose names the next one will use again, and tantivy does not
        // write over a file.
        writer.set_merge_policy(Box::new(NoMergePolicy));
        writer.garbage_collect_files().wait().map_err(|error| store_error("tidy", &folder, &error))?;
        Ok((KeywordWriter { writer, fields: schema().1, folder }, generation))
    }

    pub(super) fn clear(&mut self) -> Result<()> {
        self.writer.delete_all_documents().map(drop).map_err(|error| self.failed(error))
    }

    pub(super) fn delete_documents(&mut self, doc_ids: &[DocId]) {
        for id in doc_ids {
            self.writer.delete_term(Term::from_field_text(self.fields.doc_id, id));
        }
    }

    /// Adds parent chunks, each with the places of its children.
    pub(super) fn add(&mut self, parents: &[ParentChunk]) -> Result<()> {
        for chunk in parents {
            let mut document = TantivyDocument::default();
            document.add_text(self.fields.chunk_id, &chunk.chunk_id);
            document.add_text(self.fields.doc_id, &chunk.doc_id);
            document.add_text(self.fields.content, &chunk.content);
            document.add_text(self.fields.titles_in_front, chunk.titles_in_front_of(chunk));
            document.add_text(self.fields.situating, chunk.situating.as_deref().unwrap_or_default());
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
    pub(super) fn commit(&mut self, generation: u64) -> Result<()> {
        let mut commit_as = || {
            let mut commit = self.writer.prepare_commit()?;
            commit.set_payload(&generation.to_string());
            commit.commit().map(drop)
        };
        commit_as().map_err(|error| self.failed(error))
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
        generation(self.writer.index())
    }

    /// Forgets the changes since the last commit, and returns the error that was the reason. Where the disk refuses this
    /// too, the next writer begins at the last commit.
    pub(super) fn given_up(&mut self, reason: Error) -> Error {
        drop(self.writer.rollback());
        reason
    }
}
