//! Reads one generation as it lies on disk, document by document, and collects everything that is wrong in it.
//!
//! A document's chunks lie together, because they are written together. A document whose chunks are scattered is read at the
//! end, whole.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::Duration;

use super::chunks::StoredRows;
use super::finding::{Finding, Part};
use super::keyword::Entries;
use super::{Checked, audit, entities, history};
use crate::error::Result;
use crate::ids::DocId;
use crate::store::convert::{self, Columns};
use crate::store::entities::MentionCounter;
use crate::store::history::Lease;
use crate::store::keyword::KeywordReader;
use crate::store::layout::Namespace;
use crate::store::lock::Holder;
use crate::store::manifest::{Manifest, ModelRecord, PENDING};
use crate::store::namespaces::nothing_ingested;
use crate::store::rows::{ChunkRow, DocumentRow, SectionRow};
use crate::store::tables::{CHUNKS, Tables, in_list};
use crate::text::count;

/// How often opening is tried again when a publication comes in between.
const ATTEMPTS: usize = 20;
/// The namespace that commands mean where none is named.
const DEFAULT: &str = "default";
/// How the keyword index is called in findings.
pub(super) const KEYWORD: &str = "keyword";

/// What a check found, and what a repair needs to know of it.
pub(super) struct Survey {
    pub(super) checked: Checked,
    pub(super) model: ModelRecord,
    /// Documents in which something can be mended.
    pub(super) mendable: Vec<DocId>,
    /// Ids of documents that rows name and that are not there.
    pub(super) strangers: Vec<DocId>,
}

impl Survey {
    /// Whether something is wrong with a part.
    pub(super) fn finds(&self, part: Part) -> bool {
        self.checked.findings.iter().any(|finding| finding.part == part)
    }
}

/// Reads everything, and changes nothing.
pub(super) async fn survey(namespace: &Namespace) -> Result<Survey> {
    let (manifest, keyword, mut findings) = open(namespace).await?;
    findings.extend(interrupted(namespace)?);
    let _lease = Lease::take(namespace, manifest.generation);
    let tables = Tables::open_at(namespace, &manifest).await?;
    let entity_rows = tables.entity_rows().await?;
    let mut mentions = MentionCounter::new(entities::unique(&entity_rows))?;
    mentions.forget();
    let mut walk = Walk::open(&tables).await?;
    let mut entries = keyword.as_ref().map(Entries::read).transpose()?;
    let (mut chunks, mut in_keyword, mut in_documents) = (0, Vec::new(), Vec::new());
    let mut mendable: Vec<DocId> = walk.several.iter().cloned().collect();
    walk.run(
        |row| {
            chunks += 1;
            if row.parent_id.is_none() {
                mentions.count(&row.doc_id, &row.titles, &row.content);
                if let Some(entries) = &mut entries {
                    in_keyword.extend(entries.compare(row)?);
                }
            }
            Ok(())
        },
        |rows| {
            let (own, new) = audit(rows, manifest.model.dimension);
            if own.iter().any(|finding| finding.repairable) {
                mendable.push(new.document.doc_id.clone());
            }
            in_documents.extend(own);
            if let Some(index) = &keyword {
                in_documents.extend(Entries::compare_child_chunks(index, &new.parents)?);
            }
            Ok(())
        },
    )
    .await?;
    mendable.sort();
    mendable.dedup();
    findings.extend(walk.findings());
    findings.extend(in_documents);
    findings.extend(in_keyword);
    findings.extend(entries.iter().flat_map(Entries::strangers));
    findings.extend(entities::check(&entity_rows, &mentions.into_rows()));
    findings.extend(history::check(namespace, &tables, &manifest).await?);
    if namespace.name() != DEFAULT {
        findings.iter_mut().for_each(|finding| finding.command.push_str(&format!(" -n {}", namespace.name())));
    }
    let [documents, sections] = walk.counts;
    let (namespace, generation) = (namespace.name().to_owned(), manifest.generation);
    let checked = Checked { namespace, generation, documents, sections, chunks, findings };
    Ok(Survey { checked, model: manifest.model, mendable, strangers: walk.strangers() })
}

/// The published generation and its keyword index; without one, and with the reason, where it is not of that
/// generation. A [`Snapshot`](crate::store::Snapshot) would mend that first and hide it.
async fn open(namespace: &Namespace) -> Result<(Manifest, Option<KeywordReader>, Vec<Finding>)> {
    let mut attempt = 0;
    loop {
        let manifest = Manifest::read(namespace)?;
        let pending = Manifest::read_pending(namespace)?;
        let keyword = KeywordReader::open(namespace);
        let carried = keyword.as_ref().map(|(_, generation)| *generation);
        let both = [manifest.clone(), pending].into_iter().flatten().find(|one| Some(one.generation) == carried);
        if let (Some(manifest), Some((keyword, _))) = (both, keyword) {
            return Ok((manifest, Some(keyword), Vec::new()));
        }
        attempt += 1;
        // A publication may have come in between.
        if attempt < ATTEMPTS {
            tokio::time::sleep(Duration::from_millis(5)).await;
            continue;
        }
        let manifest = manifest.ok_or_else(|| nothing_ingested(namespace))?;
        let finding = match carried {
            None => Finding::repairable(KEYWORD, Part::Keyword, "the keyword index is missing or damaged"),
            Some(other) => {
                let what = format!("carries generation {other}, the manifest {}", manifest.generation);
                Finding::repairable(KEYWORD, Part::Generation, what)
            }
        };
        return Ok((manifest, None, vec![finding]));
    }
}

/// A publication that was announced and that nobody is carrying out.
fn interrupted(namespace: &Namespace) -> Result<Option<Finding>> {
    let Some(pending) = Manifest::read_pending(namespace)? else { return Ok(None) };
    // Read again when nobody writes: between the two, somebody may have finished.
    if Holder::of(namespace).is_some() || Manifest::read_pending(namespace)?.as_ref() != Some(&pending) {
        return Ok(None);
    }
    let what = format!("the publication of generation {} was interrupted", pending.generation);
    Ok(Some(Finding::repairable(PENDING, Part::Generation, what)))
}

/// The small tables, and which documents were met in the large one.
pub(super) struct Walk<'a> {
    tables: &'a Tables,
    documents: BTreeMap<DocId, DocumentRow>,
    /// Ids of documents that have several rows.
    pub(super) several: BTreeSet<DocId>,
    sections: HashMap<DocId, Vec<SectionRow>>,
    /// How many rows of sections and chunks there are of documents that are not there.
    strangers: BTreeMap<DocId, (usize, usize)>,
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
        mut visit: impl FnMut(StoredRows) -> Result<()>,
    ) -> Result<()> {
        let scattered = self.scattered().await?;
        let mut unseen: BTreeSet<DocId> = self.documents.keys().cloned().collect();
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
                visit(new)?;
            }
        }
        Ok(())
    }

    fn show(
        &self,
        chunks: Vec<ChunkRow>,
        unseen: &mut BTreeSet<DocId>,
        visit: &mut impl FnMut(StoredRows) -> Result<()>,
    ) -> Result<()> {
        let Some(id) = chunks.first().map(|row| row.doc_id.clone()) else { return Ok(()) };
        unseen.remove(&id);
        self.with(&id, chunks).map_or(Ok(()), |new| visit(new))
    }

    /// A document with all its rows; `None` where there is none.
    pub(super) async fn whole(&self, id: &str) -> Result<Option<StoredRows>> {
        let filter = in_list("doc_id", &[id]);
        let mut chunks = Vec::new();
        for batch in self.tables.rows(&self.tables.chunks, Some(filter), None).await? {
            chunks.extend(convert::chunks_from_batch(&batch)?);
        }
        Ok(self.with(id, chunks))
    }

    fn with(&self, id: &str, chunks: Vec<ChunkRow>) -> Option<StoredRows> {
        let document = self.documents.get(id)?.clone();
        Some(StoredRows { document, sections: self.sections.get(id).cloned().unwrap_or_default(), chunks })
    }

    /// Documents whose chunks lie in several places.
    async fn scattered(&self) -> Result<HashSet<DocId>> {
        let (mut begun, mut scattered) = (HashSet::new(), HashSet::new());
        let mut last = DocId::default();
        let mut ids = self.tables.stream(&self.tables.chunks, None, Some(&["doc_id"])).await?;
        while let Some(batch) = self.tables.next(&mut ids).await? {
            let columns = Columns { table: CHUNKS, batch: &batch };
            for row in 0..batch.num_rows() {
                let id = DocId::from(columns.text("doc_id", row)?);
                if id != last && !begun.insert(id.clone()) {
                    scattered.insert(id.clone());
                }
                last = id;
            }
        }
        Ok(scattered)
    }

    /// Ids that rows of sections and chunks name and no document has.
    pub(super) fn strangers(&self) -> Vec<DocId> {
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
