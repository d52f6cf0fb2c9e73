//! Compares two generations, document by document. Reads only the rows that both do not share, so the cost grows with
//! what has changed. Streams them, so that memory holds only ids and hashes, and the beginnings of texts if
//! they are shown. Then reads the texts of changed chunks again, some at a time, to show where they differ.

use std::collections::{HashMap, HashSet};

use lancedb::Table;
use serde::Serialize;

use super::compare::{ChangeKind, Content, Counts, EntityDiff, Item, PLACE, PROPERTIES, Unmatched, compare_entities};
use super::generations::OpenGeneration;
use super::text_change::TextChange;
use crate::error::Result;
use crate::ids::{DocId, document_of};
use crate::store::convert::{self, Columns};
use crate::store::document_time::DocumentTime;
use crate::store::layout::Namespace;
use crate::store::manifest::ModelRecord;
use crate::store::rows::DocumentRow;
use crate::store::scan::Wanted;
use crate::store::tables::Tables;
use crate::text::{squeeze, truncate};

/// The number of characters of a chunk that are shown.
const BEGINNING: usize = 80;
/// The number of changed chunks whose texts are read at once.
const CHUNKS_AT_ONCE: usize = 4096;

/// A document that was added, has changed or is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DocumentDiff {
    pub doc_id: DocId,
    pub source: String,
    pub what: ChangeKind,
    /// The changed properties; empty unless the document has changed.
    pub fields: Vec<&'static str>,
    /// The earlier source, if it has changed.
    pub source_before: Option<String>,
    /// Sections, preambles included.
    pub sections: Counts,
    /// Chunks, parents and children.
    pub chunks: Counts,
    /// Sections that were added, have changed or are gone; on request, and of changed documents only.
    pub section_items: Vec<Item>,
    /// The same for chunks.
    pub chunk_items: Vec<Item>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GenerationDiff {
    pub from: u64,
    pub to: u64,
    /// The differing documents, by source.
    pub documents: Vec<DocumentDiff>,
    /// The differing entities, by name.
    pub entities: Vec<EntityDiff>,
    /// The models of the vectors, if they differ.
    pub models: Option<ModelDiff>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModelDiff {
    pub before: ModelRecord,
    pub after: ModelRecord,
}

impl GenerationDiff {
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty() && self.entities.is_empty() && self.models.is_none()
    }

    pub fn count(&self, what: ChangeKind) -> usize {
        self.documents.iter().filter(|document| document.what == what).count()
    }
}

/// How the generation `to` (by default the published one) differs from the generation `from`. With `items`, lists the
/// sections and chunks of changed documents.
pub async fn diff(namespace: &Namespace, from: u64, to: Option<u64>, items: bool) -> Result<GenerationDiff> {
    let before = OpenGeneration::open(namespace, from).await?;
    let after = match to {
        Some(to) => OpenGeneration::open(namespace, to).await?,
        None => OpenGeneration::published(namespace).await?,
    };
    between(&before, &after, items).await
}

pub(super) async fn between(before: &OpenGeneration, after: &OpenGeneration, items: bool) -> Result<GenerationDiff> {
    let models = (&before.manifest.model, &after.manifest.model);
    let mut found = GenerationDiff {
        from: before.manifest.generation,
        to: after.manifest.generation,
        documents: Vec::new(),
        entities: Vec::new(),
        models: (models.0 != models.1).then(|| ModelDiff { before: models.0.clone(), after: models.1.clone() }),
    };
    let [.., entities_before] = before.manifest.versions();
    let [.., entities_after] = after.manifest.versions();
    if entities_before != entities_after {
        found.entities = compare_entities(&before.tables.entity_rows().await?, &after.tables.entity_rows().await?);
    }
    let mut sections = SECTION.unmatched(before, after, items).await?;
    let mut chunks = CHUNK.unmatched(before, after, items).await?;
    let (mut rows_before, mut rows_after) = (documents(before, after).await?, documents(after, before).await?);
    let known: HashSet<DocId> = rows_before.keys().chain(rows_after.keys()).cloned().collect();
    let differing = sections.keys().chain(chunks.keys()).filter(|id| !known.contains(*id));
    let more: Vec<DocId> = differing.cloned().collect::<HashSet<DocId>>().into_iter().collect();
    rows_before.extend(documents_by_id(before, &more).await?);
    rows_after.extend(documents_by_id(after, &more).await?);
    for id in known.iter().chain(&more) {
        let sections = sections.remove(id).unwrap_or_default();
        let chunks = chunks.remove(id).unwrap_or_default();
        found.documents.extend(document(rows_before.get(id), rows_after.get(id), sections, chunks, items));
    }
    found.documents.sort_by(|a, b| (&a.source, &a.doc_id).cmp(&(&b.source, &b.doc_id)));
    compare_texts(before, after, &mut found.documents).await?;
    Ok(found)
}

/// Sets where the texts of listed chunks differ.
async fn compare_texts(before: &OpenGeneration, after: &OpenGeneration, documents: &mut [DocumentDiff]) -> Result<()> {
    let items = documents.iter_mut().flat_map(|document| &mut document.chunk_items);
    let has_changed = |item: &&mut Item| item.what == ChangeKind::Changed && item.fields.contains(&"text");
    let mut changed: Vec<&mut Item> = items.filter(has_changed).collect();
    for some in changed.chunks_mut(CHUNKS_AT_ONCE) {
        let ids: Vec<String> = some.iter().map(|item| item.id.clone()).collect();
        let (was, is) = (texts(before, &ids).await?, texts(after, &ids).await?);
        for item in some {
            let both = was.get(&item.id).zip(is.get(&item.id));
            item.change = both.and_then(|(was, is)| TextChange::between(was, is));
        }
    }
    Ok(())
}

/// The texts of some chunks, by id.
async fn texts(past: &OpenGeneration, ids: &[String]) -> Result<HashMap<String, String>> {
    let text = |columns: &Columns, row| Ok((columns.text(CHUNK.id, row)?, columns.text(CHUNK.text, row)?));
    let (wanted, columns) = ((CHUNK.id, ids), Wanted::Named(&["chunk_id", "content"]));
    Ok(past.tables.read_with(&past.tables.chunks, wanted, columns, text).await?.into_iter().collect())
}

/// The documents of a generation that may differ in `other`.
async fn documents(past: &OpenGeneration, other: &OpenGeneration) -> Result<HashMap<DocId, DocumentRow>> {
    let mut rows = HashMap::new();
    let show = |columns: &Columns, row| {
        let document = convert::document(columns, row)?;
        rows.insert(document.doc_id.clone(), document);
        Ok(())
    };
    past.tables.each_unshared(|tables| &tables.documents, &other.tables, Wanted::WithoutVectors, show).await?;
    Ok(rows)
}

async fn documents_by_id(past: &OpenGeneration, ids: &[DocId]) -> Result<Vec<(DocId, DocumentRow)>> {
    let (table, wanted) = (&past.tables.documents, ("doc_id", ids));
    let rows = past.tables.read_with(table, wanted, Wanted::WithoutVectors, convert::document).await?;
    Ok(rows.into_iter().map(|row| (row.doc_id.clone(), row)).collect())
}

/// The difference of one document; `None` if it has not changed.
fn document(
    before: Option<&DocumentRow>,
    after: Option<&DocumentRow>,
    sections: Unmatched,
    chunks: Unmatched,
    items: bool,
) -> Option<DocumentDiff> {
    let row = after.or(before)?;
    let (what, mut fields) = match (before, after) {
        (None, _) => (ChangeKind::Added, Vec::new()),
        (_, None) => (ChangeKind::Gone, Vec::new()),
        (Some(before), Some(after)) => (ChangeKind::Changed, changed_fields(before, after)),
    };
    let (sections, section_items, of_sections) = sections.count_and_list();
    let (chunks, chunk_items, of_chunks) = chunks.count_and_list();
    // Another place is counted; it is no property of the document.
    let has_changed = PROPERTIES.iter().copied().filter(|name| of_sections.contains(name) || of_chunks.contains(name));
    fields.extend(has_changed.filter(|name| *name != PLACE));
    if what == ChangeKind::Changed && fields.is_empty() && sections.is_empty() && chunks.is_empty() {
        return None;
    }
    // For an added or removed document, counts are enough: all its sections and chunks were added or removed.
    let shown = |list: Vec<Item>| if items && what == ChangeKind::Changed { list } else { Vec::new() };
    Some(DocumentDiff {
        doc_id: row.doc_id.clone(),
        source: row.source.clone(),
        what,
        source_before: before.filter(|before| before.source != row.source).map(|before| before.source.clone()),
        fields,
        sections,
        chunks,
        section_items: shown(section_items),
        chunk_items: shown(chunk_items),
    })
}

/// The properties in which two rows of a document differ. Ignores the time of a file.
fn changed_fields(before: &DocumentRow, after: &DocumentRow) -> Vec<&'static str> {
    let toc = |row: &DocumentRow| (row.toc_method.clone(), row.corrected_toc.clone());
    let time = |row: &DocumentRow| row.time.clone().filter(|time| time.from != DocumentTime::FILE);
    let differing = [
        ("text", before.content_hash != after.content_hash),
        ("source", before.source != after.source),
        ("title", before.title != after.title),
        ("format", before.format != after.format),
        ("language", before.language != after.language),
        ("metadata", before.metadata != after.metadata),
        ("time", time(before) != time(after)),
        ("table_of_contents", toc(before) != toc(after)),
        ("vectors", before.embedded != after.embedded),
        ("edits", before.edits != after.edits),
    ];
    differing.into_iter().filter_map(|(field, differs)| differs.then_some(field)).collect()
}

/// How the rows of a table are compared and listed.
struct Kind {
    table: fn(&Tables) -> &Table,
    id: &'static str,
    text: &'static str,
    columns: &'static [&'static str],
    /// Its pages, and the titles above it.
    place: fn(&Columns, usize) -> Result<String>,
    /// Whether its rows have situating sentences.
    is_situated: bool,
}

const SECTION: Kind = Kind {
    table: |tables| &tables.sections,
    id: "section_id",
    text: "title",
    columns: &["section_id", "title", "level", "page_start", "page_end", "metadata"],
    place: |columns, row| {
        let [level, start, end] = ["level", "page_start", "page_end"].map(|name| columns.optional_number(name, row));
        Ok(format!("{:?}", (level?, start?, end?)))
    },
    is_situated: false,
};

const CHUNK: Kind = Kind {
    table: |tables| &tables.chunks,
    id: "chunk_id",
    text: "content",
    columns: &["chunk_id", "content", "titles", "page_start", "page_end", "metadata", "situating"],
    place: |columns, row| {
        let [start, end] = ["page_start", "page_end"].map(|name| columns.optional_number(name, row));
        Ok(format!("{:?}{}", (start?, end?), columns.str("titles", row)?))
    },
    is_situated: true,
};

fn hash(text: &str) -> [u8; 16] {
    *blake3::hash(text.as_bytes()).as_bytes().first_chunk().expect("a hash has 32 bytes")
}

impl Kind {
    /// The differing rows, by document.
    async fn unmatched(
        &self,
        before: &OpenGeneration,
        after: &OpenGeneration,
        texts: bool,
    ) -> Result<HashMap<DocId, Unmatched>> {
        let content = |columns: &Columns, row| -> Result<(String, Content)> {
            let text = columns.str(self.text, row)?;
            let notes = columns.optional_text("metadata", row)?.unwrap_or_default();
            let situating = if self.is_situated { columns.optional_text("situating", row)? } else { None };
            let place = (self.place)(columns, row)?;
            let (own, rest) = (hash(text), [&place, &notes, &situating.unwrap_or_default()].map(|part| hash(part)));
            let text = if texts { truncate(&squeeze(text), BEGINNING) } else { String::new() };
            Ok((columns.text(self.id, row)?, Content { own, rest, text }))
        };
        let mut contents: HashMap<String, Content> = HashMap::new();
        let wanted = Wanted::Named(self.columns);
        let keep = |columns: &Columns, row| {
            contents.extend([content(columns, row)?]);
            Ok(())
        };
        before.tables.each_unshared(self.table, &after.tables, wanted, keep).await?;
        let mut unmatched: HashMap<DocId, Unmatched> = HashMap::new();
        let mut differs = |id: &str, was, is| unmatched.entry(document_of(id).into()).or_default().add(id, was, is);
        let compare = |columns: &Columns, row| {
            let (id, is) = content(columns, row)?;
            let was = contents.remove(&id);
            if was.as_ref() != Some(&is) {
                differs(&id, was, Some(is));
            }
            Ok(())
        };
        after.tables.each_unshared(self.table, &before.tables, wanted, compare).await?;
        contents.into_iter().for_each(|(id, was)| differs(&id, Some(was), None));
        Ok(unmatched)
    }
}
