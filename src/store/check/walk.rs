//! Documents one after the other, with their rows, in one pass over the table of chunks.
//!
//! A document's chunks lie together, because they are written together. Where they do not, the document is read at
//! the end, whole.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::finding::{Finding, Part};
use crate::error::Result;
use crate::store::convert::{self, Columns};
use crate::store::rows::{ChunkRow, DocumentRow, NewDocument, SectionRow};
use crate::store::tables::{CHUNKS, Tables, in_list};
use crate::text::count;

/// The small tables, and which documents were met in the large one.
pub(super) struct Walk<'a> {
    tables: &'a Tables,
    documents: BTreeMap<String, DocumentRow>,
    /// Ids of documents that have several rows.
    pub(super) several: BTreeSet<String>,
    sections: HashMap<String, Vec<SectionRow>>,
    /// How many rows of sections and chunks there are of documents that are not there.
    strangers: BTreeMap<String, (usize, usize)>,
    /// How many rows documents and sections have.
    pub(super) counts: [usize; 2],
}

impl<'a> Walk<'a> {
    pub(super) async fn open(tables: &'a Tables) -> Result<Self> {
        let mut walk = Walk {
            tables,
            documents: BTreeMap::new(),
            several: BTreeSet::new(),
            sections: HashMap::new(),
            strangers: BTreeMap::new(),
            counts: [0; 2],
        };
        for batch in tables.rows(&tables.documents, None, None).await? {
            for row in convert::documents_from_batch(&batch)? {
                walk.counts[0] += 1;
                let id = row.doc_id.clone();
                match walk.documents.entry(id) {
                    Entry::Vacant(place) => {
                        place.insert(row);
                    }
                    Entry::Occupied(place) => {
                        walk.several.insert(place.key().clone());
                    }
                }
            }
        }
        let mut sections = tables.stream(&tables.sections, None, None).await?;
        while let Some(batch) = tables.next(&mut sections).await? {
            for row in convert::sections_from_batch(&batch)? {
                walk.counts[1] += 1;
                if walk.documents.contains_key(&row.doc_id) {
                    walk.sections.entry(row.doc_id.clone()).or_default().push(row);
                } else {
                    walk.strangers.entry(row.doc_id).or_default().0 += 1;
                }
            }
        }
        walk.sections.values_mut().for_each(|rows| rows.sort_by_key(|row| row.position));
        Ok(walk)
    }

    /// Shows every document, whole, to `visit`, and every chunk, on the way, to `each`.
    pub(super) async fn run(
        &mut self,
        mut each: impl FnMut(&ChunkRow) -> Result<()>,
        mut visit: impl FnMut(&NewDocument) -> Result<()>,
    ) -> Result<()> {
        let scattered = self.scattered().await?;
        let mut unseen: BTreeSet<String> = self.documents.keys().cloned().collect();
        let mut current: Vec<ChunkRow> = Vec::new();
        let mut chunks = self.tables.stream(&self.tables.chunks, None, None).await?;
        while let Some(batch) = self.tables.next(&mut chunks).await? {
            for row in convert::chunks_from_batch(&batch)? {
                each(&row)?;
                if !self.documents.contains_key(&row.doc_id) {
                    self.strangers.entry(row.doc_id).or_default().1 += 1;
                } else if !scattered.contains(&row.doc_id) {
                    if current.first().is_some_and(|first| first.doc_id != row.doc_id) {
                        self.show(std::mem::take(&mut current), &mut unseen, &mut visit)?;
                    }
                    current.push(row);
                }
            }
        }
        self.show(current, &mut unseen, &mut visit)?;
        // What was not shown yet is scattered, or has no chunks.
        for id in unseen {
            if let Some(new) = self.whole(&id).await? {
                visit(&new)?;
            }
        }
        Ok(())
    }

    fn show(
        &self,
        chunks: Vec<ChunkRow>,
        unseen: &mut BTreeSet<String>,
        visit: &mut impl FnMut(&NewDocument) -> Result<()>,
    ) -> Result<()> {
        let Some(id) = chunks.first().map(|row| row.doc_id.clone()) else { return Ok(()) };
        unseen.remove(&id);
        self.with(&id, chunks).map_or(Ok(()), |new| visit(&new))
    }

    /// A document with all its rows; `None` where there is none.
    pub(super) async fn whole(&self, id: &str) -> Result<Option<NewDocument>> {
        let filter = in_list("doc_id", &[id.to_owned()]);
        let mut chunks = Vec::new();
        for batch in self.tables.rows(&self.tables.chunks, Some(filter), None).await? {
            chunks.extend(convert::chunks_from_batch(&batch)?);
        }
        Ok(self.with(id, chunks))
    }

    fn with(&self, id: &str, chunks: Vec<ChunkRow>) -> Option<NewDocument> {
        let document = self.documents.get(id)?.clone();
        Some(NewDocument { document, sections: self.sections.get(id).cloned().unwrap_or_default(), chunks })
    }

    /// Documents whose chunks lie in several places.
    async fn scattered(&self) -> Result<HashSet<String>> {
        let (mut begun, mut scattered) = (HashSet::new(), HashSet::new());
        let mut last = String::new();
        let mut ids = self.tables.stream(&self.tables.chunks, None, Some(&["doc_id"])).await?;
        while let Some(batch) = self.tables.next(&mut ids).await? {
            let columns = Columns { table: CHUNKS, batch: &batch };
            for row in 0..batch.num_rows() {
                let id = columns.text("doc_id", row)?;
                if id != last && !begun.insert(id.clone()) {
                    scattered.insert(id.clone());
                }
                last = id;
            }
        }
        Ok(scattered)
    }

    /// Ids that rows of sections and chunks name and no document has.
    pub(super) fn strangers(&self) -> Vec<String> {
        self.strangers.keys().cloned().collect()
    }

    /// What is wrong with the documents' ids.
    pub(super) fn findings(&self) -> Vec<Finding> {
        let several =
            self.several.iter().map(|id| Finding::repairable(id, Part::Ids, "is the id of several documents' rows"));
        let strangers = self.strangers.iter().map(|(id, (sections, chunks))| {
            let (sections, chunks) = (count(*sections, "section"), count(*chunks, "chunk"));
            Finding::repairable(id, Part::Ids, format!("has {sections} and {chunks}, and is no document"))
        });
        several.chain(strangers).collect()
    }
}
