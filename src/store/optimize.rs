//! Does immediately what publications do from time to time: merges small files, and creates and extends indexes.

use serde::Serialize;

use super::fault::step;
use super::history::Note;
use super::indexes::fewest_indexed_rows;
use super::writer::{KeywordStep, Writer};
use crate::error::Result;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Optimized {
    /// The generation published; `None` if the tables stay as they are.
    pub generation: Option<u64>,
    /// The data files of all tables.
    pub files_before: usize,
    pub files_after: usize,
    /// The indexes that were made or extended, as `TABLE.COLUMN`.
    pub indexes: Vec<String>,
    /// The segments of the keyword index.
    pub segments_before: usize,
    pub segments_after: usize,
    /// The deleted parent chunks whose text left the keyword index.
    pub deleted_parent_chunks: usize,
}

impl Optimized {
    pub fn is_nothing(&self) -> bool {
        self.generation.is_none() && self.segments_before == self.segments_after && self.deleted_parent_chunks == 0
    }
}

impl Writer {
    /// Joins small data files and segments of the keyword index, drops deleted text from that index, and brings the
    /// indexes of large tables up to date. Publishes a generation if the tables change. Memory does not grow with the
    /// store: rows are streamed. After an error the published generation stays.
    pub async fn optimize(&mut self) -> Result<Optimized> {
        self.begin()?;
        let (files_before, versions) = (self.tables.data_files().await?, self.tables.versions().await?);
        self.tables.compact(1).await?;
        step("tables compacted")?;
        let indexes = self.tables.index(fewest_indexed_rows(), 1).await?;
        step("tables indexed")?;
        let segments_before = self.keyword.segments()?;
        let mut generation = None;
        if self.tables.versions().await? != versions {
            generation = Some(self.finish(self.model().clone(), KeywordStep::Same, &Note::of("optimize")).await?);
        }
        let deleted_parent_chunks = self.keyword.merge_all()?;
        let (files_after, segments_after) = (self.tables.data_files().await?, self.keyword.segments()?);
        Ok(Optimized {
            generation,
            files_before,
            files_after,
            indexes,
            segments_before,
            segments_after,
            deleted_parent_chunks,
        })
    }
}
