//! What lies between two generations, document by document. Rows are read in a stream, so that memory holds ids and
//! hashes of what is compared, and text only of what is shown.

use std::collections::{BTreeMap, HashMap, HashSet};

use lancedb::Table;
use serde::Serialize;

use super::compare::{Counts, EntityDiff, Item, Leftover, Mark, What, document_of, entities_between};
use super::past::Past;
use crate::error::Result;
use crate::ids::DocId;
use crate::store::convert::{Columns, documents_from_batch};
use crate::store::document_time::DocumentTime;
use crate::store::layout::Namespace;
use crate::store::manifest::ModelRecord;
use crate::store::rows::DocumentRow;
use crate::store::snapshot::collect;
use crate::store::tables::{CHUNKS, MOST_IN_LIST, SECTIONS, Tables, in_list};
use crate::text::{squeeze, truncate};

/// So many characters of a chunk are shown.
const BEGINNING: usize = 80;

/// A property of a document that may differ between generations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    /// The bytes of the source.
    Text,
    /// Where it comes from.
    Source,
    /// Its title.
    Title,
    /// How it was read.
    Format,
    /// Its main language.
    Language,
    /// What it says about itself.
    Metadata,
    /// When it is from, unless that is only the time of its file.
    Time,
    /// Where its table of contents comes from, and a correction of it.
    TableOfContents,
    /// Whether its chunks have vectors.
    Vectors,
    /// What people have changed in its chunks, conflicts included.
    Edits,
}

impl Field {
    /// The words used in output.
    pub fn name(self) -> &'static str {
        match self {
            Field::Text => "text",
            Field::Source => "source",
            Field::Title => "title",
            Field::Format => "format",
            Field::Language => "language",
            Field::Metadata => "metadata",
            Field::Time => "time",
            Field::TableOfContents => "table of contents",
            Field::Vectors => "vectors",
            Field::Edits => "edits",
        }
    }

    /// Those in which two rows of a document differ.
    fn between(before: &DocumentRow, after: &DocumentRow) -> Vec<Self> {
        let toc = |row: &DocumentRow| (row.toc_method.clone(), row.corrected_toc.clone());
        let time = |row: &DocumentRow| row.time.clone().filter(|time| time.from != DocumentTime::FILE);
        [
            (before.content_hash != after.content_hash, Field::Text),
            (before.source != after.source, Field::Source),
            (before.title != after.title, Field::Title),
            (before.format != after.format, Field::Format),
            (before.language != after.language, Field::Language),
            (before.metadata != after.metadata, Field::Metadata),
            (time(before) != time(after), Field::Time),
            (toc(before) != toc(after), Field::TableOfContents),
            (before.embedded != after.embedded, Field::Vectors),
            (before.edits != after.edits, Field::Edits),
        ]
        .into_iter()
        .filter_map(|(differs, field)| differs.then_some(field))
        .collect()
    }
}

/// A document that is not what it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DocumentDiff {
    /// Its id.
    pub doc_id: DocId,
    /// Its source; of one that is gone, that which it had.
    pub source: String,
    /// What happened to it.
    pub what: What,
    /// The changed properties; empty unless the document has changed.
    pub fields: Vec<Field>,
    /// The source it had, where that is another.
    pub source_before: Option<String>,
    /// What happened to its sections, preambles included.
    pub sections: Counts,
    /// What happened to its chunks, parents and children.
    pub chunks: Counts,
    /// The sections that were added, have changed or are gone, where they were asked for and the document has changed.
    pub section_items: Vec<Item>,
    /// The chunks, likewise.
    pub chunk_items: Vec<Item>,
}

/// What lies between two generations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GenerationDiff {
    /// The one.
    pub from: u64,
    /// The other.
    pub to: u64,
    /// The documents that are not the same in both, by source.
    pub documents: Vec<DocumentDiff>,
    /// The entities that are not the same in both, by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<EntityDiff>,
    /// The models of the vectors, where they are not of the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub models: Option<ModelDiff>,
}

/// Vectors of another model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModelDiff {
    /// What they were of.
    pub before: ModelRecord,
    /// What they are of.
    pub after: ModelRecord,
}

impl GenerationDiff {
    /// Whether both are the same.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty() && self.entities.is_empty() && self.models.is_none()
    }

    /// How many documents had this happen to them.
    pub fn count(&self, what: What) -> usize {
        self.documents.iter().filter(|document| document.what == what).count()
    }
}

/// What lies between the generation `from` and the generation `to`, or else the published one. With `items`, the
/// sections and chunks of changed documents are listed one by one.
///
/// # Errors
/// Where one of them cannot be had, or the disk refuses.
pub async fn diff(namespace: &Namespace, from: u64, to: Option<u64>, items: bool) -> Result<GenerationDiff> {
    let before = Past::open(namespace, from).await?;
    let after = match to {
        Some(to) => Past::open(namespace, to).await?,
        None => Past::published(namespace).await?,
    };
    between(&before, &after, items).await
}

/// The same of two that are open.
pub(super) async fn between(before: &Past, after: &Past, items: bool) -> Result<GenerationDiff> {
    let versions = |past: &Past| (past.manifest.documents, past.manifest.sections, past.manifest.chunks);
    let mut found = GenerationDiff {
        from: before.manifest.generation,
        to: after.manifest.generation,
        documents: Vec::new(),
        entities: entities_between(before, after).await?,
        models: models(&before.manifest.model, &after.manifest.model),
    };
    if versions(before) == versions(after) {
        return Ok(found);
    }
    let (rows_before, rows_after) = (documents(before).await?, documents(after).await?);
    let mut sections = SECTION.leftovers(before, after).await?;
    let mut chunks = CHUNK.leftovers(before, after).await?;
    let ids: HashSet<&DocId> = rows_before.keys().chain(rows_after.keys()).collect();
    for id in ids {
        let sections = sections.remove(id.as_str()).unwrap_or_default().settle();
        let chunks = chunks.remove(id.as_str()).unwrap_or_default().settle();
        found.documents.extend(document(rows_before.get(id), rows_after.get(id), sections, chunks));
    }
    found.documents.sort_by(|a, b| (&a.source, &a.doc_id).cmp(&(&b.source, &b.doc_id)));
    if items {
        SECTION.texts(before, after, &mut found.documents, |document| &mut document.section_items).await?;
        CHUNK.texts(before, after, &mut found.documents, |document| &mut document.chunk_items).await?;
    } else {
        for document in &mut found.documents {
            document.section_items.clear();
            document.chunk_items.clear();
        }
    }
    Ok(found)
}

fn models(before: &ModelRecord, after: &ModelRecord) -> Option<ModelDiff> {
    (!before.agrees_with(after)).then(|| ModelDiff { before: before.clone(), after: after.clone() })
}

async fn documents(past: &Past) -> Result<BTreeMap<DocId, DocumentRow>> {
    let batches = past.tables.rows(&past.tables.documents, None, None).await?;
    let rows = collect(&batches, documents_from_batch)?;
    Ok(rows.into_iter().map(|row| (row.doc_id.clone(), row)).collect())
}

type Settled = (Counts, Vec<(What, String)>);

/// What happened to one document; `None` where nothing did.
fn document(
    before: Option<&DocumentRow>,
    after: Option<&DocumentRow>,
    sections: Settled,
    chunks: Settled,
) -> Option<DocumentDiff> {
    let row = after.or(before)?;
    let (what, fields) = match (before, after) {
        (None, _) => (What::Added, Vec::new()),
        (_, None) => (What::Gone, Vec::new()),
        (Some(before), Some(after)) => (What::Changed, Field::between(before, after)),
    };
    if what == What::Changed && fields.is_empty() && sections.0.is_empty() && chunks.0.is_empty() {
        return None;
    }
    // All sections and chunks of an added or removed document share its fate: counts are enough.
    let items = |items: Vec<(What, String)>| match what {
        What::Changed => items.into_iter().map(|(what, id)| Item { what, id, text: String::new() }).collect(),
        _ => Vec::new(),
    };
    Some(DocumentDiff {
        doc_id: row.doc_id.clone(),
        source: row.source.clone(),
        what,
        source_before: before.filter(|before| before.source != row.source).map(|before| before.source.clone()),
        fields,
        sections: sections.0,
        chunks: chunks.0,
        section_items: items(sections.1),
        chunk_items: items(chunks.1),
    })
}

/// How the rows of a table are compared and shown.
struct Kind {
    table: fn(&Tables) -> &Table,
    name: &'static str,
    id: &'static str,
    text: &'static str,
    compared: &'static [&'static str],
    mark: fn(&Columns, usize) -> Result<Mark>,
}

const SECTION: Kind = Kind {
    table: |tables| &tables.sections,
    name: SECTIONS,
    id: "section_id",
    text: "title",
    compared: &["section_id", "title", "level", "page_start", "page_end"],
    mark: |columns, row| {
        let place = (
            columns.number("level", row)?,
            columns.optional_number("page_start", row)?,
            columns.optional_number("page_end", row)?,
        );
        Ok(Mark { own: hash(&columns.text("title", row)?), rest: hash(&format!("{place:?}")) })
    },
};

const CHUNK: Kind = Kind {
    table: |tables| &tables.chunks,
    name: CHUNKS,
    id: "chunk_id",
    text: "content",
    compared: &["chunk_id", "content", "titles", "page_start", "page_end"],
    mark: |columns, row| {
        let pages = (columns.optional_number("page_start", row)?, columns.optional_number("page_end", row)?);
        let rest = format!("{pages:?}{}", columns.text("titles", row)?);
        Ok(Mark { own: hash(&columns.text("content", row)?), rest: hash(&rest) })
    },
};

fn hash(text: &str) -> [u8; 16] {
    let mut short = [0; 16];
    short.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
    short
}

impl Kind {
    /// What is not the same in both, by document.
    async fn leftovers(&self, before: &Past, after: &Past) -> Result<HashMap<String, Leftover>> {
        let mut marks: HashMap<String, Mark> = HashMap::new();
        self.each(before, None, self.compared, |id, columns, row| {
            marks.insert(id, (self.mark)(columns, row)?);
            Ok(())
        })
        .await?;
        let mut leftovers: HashMap<String, Leftover> = HashMap::new();
        self.each(after, None, self.compared, |id, columns, row| {
            let mark = (self.mark)(columns, row)?;
            let was = marks.remove(&id);
            if was != Some(mark) {
                let leftover = leftovers.entry(document_of(&id).to_owned()).or_default();
                leftover.before.extend(was.map(|was| (id.clone(), was)));
                leftover.after.push((id, mark));
            }
            Ok(())
        })
        .await?;
        for (id, mark) in marks {
            leftovers.entry(document_of(&id).to_owned()).or_default().before.push((id, mark));
        }
        // Tables are read in no order, and equal texts are matched in the order of the lists.
        for leftover in leftovers.values_mut() {
            leftover.sort();
        }
        Ok(leftovers)
    }

    /// Gives the items of changed documents their text.
    async fn texts(
        &self,
        before: &Past,
        after: &Past,
        documents: &mut [DocumentDiff],
        items: fn(&mut DocumentDiff) -> &mut Vec<Item>,
    ) -> Result<()> {
        for some in documents.chunks_mut(MOST_IN_LIST) {
            for (past, is_after) in [(before, false), (after, true)] {
                let (mut wanted, mut of) = (HashMap::new(), Vec::new());
                for document in some.iter_mut() {
                    let doc_id = document.doc_id.clone();
                    let there = |item: &&mut Item| (item.what != What::Gone) == is_after;
                    let found = wanted.len();
                    wanted.extend(items(document).iter_mut().filter(there).map(|item| (item.id.clone(), item)));
                    if wanted.len() > found {
                        of.push(doc_id);
                    }
                }
                if of.is_empty() {
                    continue;
                }
                self.each(past, Some(in_list("doc_id", &of)), &[self.id, self.text], |id, columns, row| {
                    if let Some(item) = wanted.get_mut(&id) {
                        item.text = truncate(&squeeze(&columns.text(self.text, row)?), BEGINNING);
                    }
                    Ok(())
                })
                .await?;
            }
        }
        Ok(())
    }

    /// Shows each row that a filter lets through.
    async fn each(
        &self,
        past: &Past,
        filter: Option<String>,
        columns: &[&str],
        mut show: impl FnMut(String, &Columns, usize) -> Result<()>,
    ) -> Result<()> {
        let tables = &past.tables;
        let mut stream = tables.stream((self.table)(tables), filter, Some(columns)).await?;
        while let Some(batch) = tables.next(&mut stream).await? {
            let columns = Columns { table: self.name, batch: &batch };
            for row in 0..batch.num_rows() {
                show(columns.text(self.id, row)?, &columns, row)?;
            }
        }
        Ok(())
    }
}
