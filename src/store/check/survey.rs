//! Reads one generation from the disk, some documents at a time, and collects all findings.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use super::chunks::StoredRows;
use super::derived::{self, Entries};
use super::document::audit;
use super::finding::{Checked, Finding, Part};
use super::history;
use crate::error::Result;
use crate::ids::DocId;
use crate::store::convert::{self, Columns};
use crate::store::entities::{EntityChange, MentionCounter};
use crate::store::history::{Lease, older_generations};
use crate::store::keyword::KeywordReader;
use crate::store::layout::{Namespace, PUBLISHED};
use crate::store::lock::Holder;
use crate::store::manifest::{Manifest, PENDING};
use crate::store::recovery::nothing_readable;
use crate::store::rows::{ChunkRow, DocumentRow, SectionRow, in_parts};
use crate::store::scan::Wanted;
use crate::store::tables::{Tables, is_damage};
use crate::store::version_files::Unreadable;
use crate::text::count;

/// The number of attempts to open a generation while publications interfere.
const ATTEMPTS: usize = 20;
/// The pause between two of them.
const PAUSE: Duration = Duration::from_millis(5);
/// About this many chunks are read at once, with their vectors.
const CHUNKS_AT_ONCE: usize = 8192;
/// The id of the keyword index in findings.
pub(super) const KEYWORD: &str = "keyword";

/// The findings of a check and the data that a repair needs.
pub(super) struct Survey {
    pub(super) checked: Checked,
    /// The generation that was read.
    pub(super) manifest: Manifest,
    /// Documents with repairable findings.
    pub(super) repairable: Vec<DocId>,
    /// Documents that rows of sections or chunks name and that have no row.
    pub(super) missing_documents: Vec<DocId>,
}

impl Survey {
    pub(super) fn finds(&self, part: Part) -> bool {
        self.checked.findings.iter().any(|finding| finding.part == part)
    }
}

/// Reads everything and changes nothing. If the published generation cannot be read, surveys the newest completely
/// readable one, with a finding that says so.
pub(super) async fn survey(namespace: &Namespace) -> Result<Survey> {
    let (published, keyword, findings) = open(namespace).await?;
    let Unreadable(why) = match survey_of(namespace, &published, keyword, findings).await? {
        Ok(survey) => return Ok(survey),
        Err(lost) => lost,
    };
    for older in older_generations(namespace, published.generation)? {
        let generation = older.generation;
        let what =
            format!("generation {} cannot be read ({why}), but generation {generation} can", published.generation);
        let finding = Finding::repairable(PUBLISHED, Part::Generation, what);
        if let Ok(survey) = survey_of(namespace, &older, None, vec![finding]).await? {
            return Ok(survey);
        }
    }
    let what = format!("no generation of {} can be read: {why}", namespace.root().display());
    Err(nothing_readable(what))
}

/// The survey of one generation; `Unreadable` if its tables cannot be read.
async fn survey_of(
    namespace: &Namespace,
    manifest: &Manifest,
    keyword: Option<KeywordReader>,
    findings: Vec<Finding>,
) -> Result<std::result::Result<Survey, Unreadable>> {
    let _lease = Lease::take(namespace, manifest.generation);
    let mut tables = match Tables::try_open_at(namespace, manifest).await? {
        Ok(tables) => tables,
        Err(lost) => return Ok(Err(lost)),
    };
    let damaged: Vec<Finding> = tables
        .damaged_indexes()
        .await?
        .into_iter()
        .map(|(table, what)| Finding::repairable(table, Part::Index, what))
        .collect();
    tables.indexed &= damaged.is_empty();
    let findings = [findings, damaged].concat();
    match survey_tables(namespace, manifest, &tables, keyword, findings.clone()).await {
        Err(error) if is_damage(&error) => {
            if let Some(lost) = tables.unreadable().await? {
                return Ok(Err(lost));
            }
            // The tables can be read, so the keyword index is damaged.
            let finding = Finding::repairable(KEYWORD, Part::Keyword, error.message());
            let findings = findings.into_iter().chain([finding]).collect();
            survey_tables(namespace, manifest, &tables, None, findings).await.map(Ok)
        }
        outcome => outcome.map(Ok),
    }
}

async fn survey_tables(
    namespace: &Namespace,
    manifest: &Manifest,
    tables: &Tables,
    keyword: Option<KeywordReader>,
    mut findings: Vec<Finding>,
) -> Result<Survey> {
    findings.extend(interrupted(namespace)?);
    let entity_rows = tables.entity_rows().await?;
    let mut mentions = MentionCounter::new(EntityChange::default().applied(&entity_rows))?;
    mentions.forget();
    let walk = DocumentRows::open(tables).await?;
    let mut entries = keyword.as_ref().map(Entries::read).transpose()?;
    let (mut in_keyword, mut in_documents) = (Vec::new(), Vec::new());
    let mut repairable: Vec<DocId> = walk.duplicates.iter().cloned().collect();
    let ids: Vec<DocId> = walk.documents.keys().chain(walk.missing_documents.keys()).cloned().collect();
    for some in walk.batches(&ids) {
        let rows = walk.chunks_of(some).await?;
        for row in rows.iter().filter(|row| row.parent_id.is_none()) {
            mentions.count(&row.doc_id, &row.titles, &row.content);
            if let Some(entries) = &mut entries {
                in_keyword.extend(entries.compare(row)?);
            }
        }
        for stored in walk.stored(some, rows) {
            let (new, faults) = audit(stored, manifest.model.dimension);
            if faults.findings.iter().any(|finding| finding.repairable) {
                repairable.push(new.document.doc_id.clone());
            }
            in_documents.extend(faults.findings);
            if let Some(index) = &keyword {
                let what = "is in the keyword index with other child chunks";
                let differing = index.with_other_child_chunks(&new.parents)?;
                in_documents.extend(differing.iter().map(|id| Finding::repairable(id, Part::Keyword, what)));
            }
        }
    }
    repairable.sort();
    repairable.dedup();
    findings.extend(walk.findings());
    findings.extend(in_documents);
    findings.extend(in_keyword);
    findings.extend(entries.iter().flat_map(Entries::extra_entries));
    findings.extend(derived::check_entities(&entity_rows, &mentions.into_rows()));
    findings.extend(history::check(namespace, tables, manifest).await?);
    let [documents, sections, chunks] = walk.counts;
    let (namespace, generation) = (namespace.name().to_owned(), manifest.generation);
    let checked = Checked { namespace, generation, documents, sections, chunks, findings };
    let missing_documents = walk.missing_documents.into_keys().collect();
    Ok(Survey { checked, manifest: manifest.clone(), repairable, missing_documents })
}

/// The published generation and its keyword index, or a finding if the index does not match it. A
/// [`Snapshot`](crate::store::Snapshot) would repair and hide that.
async fn open(namespace: &Namespace) -> Result<(Manifest, Option<KeywordReader>, Vec<Finding>)> {
    let mut attempt = 0;
    loop {
        let manifest = Manifest::read(namespace)?;
        let pending = Manifest::read_pending(namespace)?;
        let keyword = KeywordReader::open(namespace)?;
        let carried = keyword.as_ref().map(|(_, generation)| *generation);
        let both = [manifest.clone(), pending].into_iter().flatten().find(|one| Some(one.generation) == carried);
        if let (Some(manifest), Some((keyword, _))) = (both, keyword) {
            if keyword.is_whole() {
                return Ok((manifest, Some(keyword), Vec::new()));
            }
            let finding = Finding::repairable(KEYWORD, Part::Keyword, "a file of the keyword index is damaged");
            return Ok((manifest, None, vec![finding]));
        }
        attempt += 1;
        // A publication may have interfered.
        if attempt < ATTEMPTS {
            tokio::time::sleep(PAUSE).await;
            continue;
        }
        let manifest = manifest.ok_or_else(|| namespace.nothing_ingested())?;
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

/// A publication that was announced and that no process is carrying out.
fn interrupted(namespace: &Namespace) -> Result<Option<Finding>> {
    let Some(pending) = Manifest::read_pending(namespace)? else { return Ok(None) };
    // Read it again: the publication may have finished before the lock was checked.
    if Holder::of(namespace).is_some() || Manifest::read_pending(namespace)?.as_ref() != Some(&pending) {
        return Ok(None);
    }
    let what = format!("the publication of generation {} was interrupted", pending.generation);
    Ok(Some(Finding::repairable(PENDING, Part::Generation, what)))
}

/// The rows of all documents and sections; reads those of the chunks for some documents at a time.
pub(super) struct DocumentRows<'a> {
    tables: &'a Tables,
    documents: BTreeMap<DocId, DocumentRow>,
    /// Documents with several rows.
    pub(super) duplicates: BTreeSet<DocId>,
    sections: HashMap<DocId, Vec<SectionRow>>,
    /// The numbers of section and chunk rows that name a missing document.
    missing_documents: BTreeMap<DocId, [usize; 2]>,
    /// The numbers of rows of documents, sections and chunks.
    counts: [usize; 3],
}

impl<'a> DocumentRows<'a> {
    pub(super) async fn open(tables: &'a Tables) -> Result<Self> {
        let (mut documents, mut duplicates) = (BTreeMap::new(), BTreeSet::new());
        let rows = tables.read(&tables.documents, None, Wanted::All, convert::document).await?;
        let mut counts = [rows.len(), 0, 0];
        for row in rows {
            match documents.entry(row.doc_id.clone()) {
                Entry::Vacant(place) => drop(place.insert(row)),
                Entry::Occupied(place) => drop(duplicates.insert(place.key().clone())),
            }
        }
        let mut sections: HashMap<DocId, Vec<SectionRow>> = HashMap::new();
        let mut missing_documents: BTreeMap<DocId, [usize; 2]> = BTreeMap::new();
        let mut rows = tables.read(&tables.sections, None, Wanted::All, convert::section).await?;
        rows.sort_by_key(|row| row.position);
        counts[1] = rows.len();
        for row in rows {
            if documents.contains_key(&row.doc_id) {
                sections.entry(row.doc_id.clone()).or_default().push(row);
            } else {
                missing_documents.entry(row.doc_id).or_default()[0] += 1;
            }
        }
        let count = |columns: &Columns, row| {
            let id = columns.str("doc_id", row)?;
            counts[2] += 1;
            if !documents.contains_key(id) {
                missing_documents.entry(id.into()).or_default()[1] += 1;
            }
            Ok(())
        };
        tables.each(&tables.chunks, None, Wanted::Named(&["doc_id"]), count).await?;
        Ok(DocumentRows { tables, documents, duplicates, sections, missing_documents, counts })
    }

    /// Batches of documents whose chunks are read at once.
    pub(super) fn batches<'i>(&self, ids: &'i [DocId]) -> Vec<&'i [DocId]> {
        let chunks = |id: &DocId| self.documents.get(id).map_or(1, DocumentRow::chunks);
        in_parts(ids, CHUNKS_AT_ONCE, chunks)
    }

    pub(super) async fn chunks_of(&self, ids: &[DocId]) -> Result<Vec<ChunkRow>> {
        self.tables.read_with(&self.tables.chunks, ("doc_id", ids), Wanted::All, convert::chunk).await
    }

    /// Some documents with all their rows; `chunks` are their chunk rows. Ids without a document are left out.
    pub(super) fn stored(&self, ids: &[DocId], chunks: Vec<ChunkRow>) -> Vec<StoredRows> {
        let mut each: HashMap<DocId, Vec<ChunkRow>> = HashMap::new();
        for row in chunks {
            each.entry(row.doc_id.clone()).or_default().push(row);
        }
        let rows = |(id, document): (&DocId, &DocumentRow)| StoredRows {
            document: document.clone(),
            sections: self.sections.get(id).cloned().unwrap_or_default(),
            chunks: each.remove(id).unwrap_or_default(),
        };
        ids.iter().filter_map(|id| self.documents.get_key_value(id)).map(rows).collect()
    }

    /// The findings on the documents' ids.
    pub(super) fn findings(&self) -> Vec<Finding> {
        let duplicates =
            self.duplicates.iter().map(|id| Finding::repairable(id, Part::Ids, "is the id of several documents' rows"));
        let missing_documents = self.missing_documents.iter().map(|(id, [sections, chunks])| {
            let (sections, chunks) = (count(*sections, "section"), count(*chunks, "chunk"));
            Finding::repairable(id, Part::Ids, format!("has {sections} and {chunks} but is not a document"))
        });
        duplicates.chain(missing_documents).collect()
    }
}
