//! Chunks as a list: filtered, in an order, a page at a time.
//!
//! Reads the keys of all matching chunks, and the text of one page. If the documents alone tell which chunks are on the
//! page, it reads no other documents.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use super::hit::titles_of_section;
use super::section_name::SectionName;
use crate::error::Result;
use crate::ids::{ChunkId, DocId};
use crate::store::{ChunkFilter, ChunkKey, ChunkRow, ChunkType, DocumentName, Scope, Snapshot};

/// A column that orders a list of chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum ChunkColumn {
    /// By source, as `kb docs` orders documents.
    Document,
    /// The place of the parent in its document.
    Parent,
    /// A parent's place in the document, a child's in the parent.
    Index,
    ChunkId,
    /// Parents before children.
    ChunkType,
    /// The section's path, number by number.
    Section,
    /// When it was last written.
    UpdatedAt,
    /// The first page; chunks without one come first.
    Page,
}

impl ChunkColumn {
    fn compare(self, a: &ChunkKey, b: &ChunkKey, documents: &HashMap<&str, usize>) -> Ordering {
        match self {
            ChunkColumn::Document => {
                let (a, b) = (a.chunk_id.doc_id(), b.chunk_id.doc_id());
                documents.get(a).cmp(&documents.get(b)).then(a.cmp(b))
            }
            ChunkColumn::Parent => a.place.first().cmp(&b.place.first()),
            ChunkColumn::Index => a.place.last().cmp(&b.place.last()),
            ChunkColumn::ChunkId => a.chunk_id.cmp(&b.chunk_id),
            ChunkColumn::ChunkType => a.place.len().cmp(&b.place.len()),
            ChunkColumn::Section => path(a).cmp(path(b)),
            ChunkColumn::UpdatedAt => a.updated_at.cmp(&b.updated_at),
            ChunkColumn::Page => a.page_start.cmp(&b.page_start),
        }
    }
}

/// The numbers of the section's path.
fn path(key: &ChunkKey) -> impl Iterator<Item = u32> {
    let path = key.section_id.path();
    path.split('.').map(|number| number.parse().unwrap_or(u32::MAX))
}

/// Which chunks to list, in which order, and which page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChunkListRequest {
    pub filter: ChunkFilter,
    pub scope: Scope,
    /// Columns, and whether descending; then by document, parent (it, then its children) and index.
    pub order: Vec<(ChunkColumn, bool)>,
    pub offset: usize,
    /// `None` for all.
    pub limit: Option<usize>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ChunkList {
    pub chunks: Vec<ListedChunk>,
    /// The number of chunks on all pages.
    pub total: usize,
}

/// A chunk with what a list shows of its document and section.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedChunk {
    pub row: ChunkRow,
    /// Its document's source.
    pub source: String,
    pub section: SectionName,
}

impl ChunkList {
    /// Reads a page. `documents` has at least those that the filter allows, in the order of the snapshot.
    pub async fn read(snapshot: &Snapshot, documents: &[DocumentName], request: &ChunkListRequest) -> Result<Self> {
        let limit = request.limit.unwrap_or(usize::MAX);
        let Pages { filter, offset, total } = Pages::of(documents, request, limit);
        let wanted: Option<HashSet<&DocId>> = filter.doc_ids.as_ref().map(|ids| ids.iter().collect());
        let is_wanted = |document: &&DocumentName| wanted.as_ref().is_none_or(|ids| ids.contains(&document.doc_id));
        let documents: Vec<&DocumentName> = documents.iter().filter(is_wanted).collect();
        let mut keys = snapshot.chunk_keys(&filter).await?;
        keys.retain(|key| request.scope.admits(key.chunk_id.doc_id(), key.chunk_id.parent_id()));
        sort(&mut keys, &documents, &request.order);
        let total = total.unwrap_or(keys.len());
        let ids: Vec<ChunkId> = keys.into_iter().skip(offset).take(limit).map(|key| key.chunk_id).collect();
        let rows = snapshot.chunks_in_order(&filter, &ids).await?;
        Ok(ChunkList { chunks: listed(documents, rows), total })
    }
}

/// A page of more documents than this is read with all the others: a filter that names each takes longer.
const MOST_DOCUMENTS: usize = 200;

/// What must be read for a page.
#[derive(Debug, PartialEq, Eq)]
struct Pages {
    filter: ChunkFilter,
    /// How many matching chunks come before the page.
    offset: usize,
    /// The number of chunks on all pages, if the documents alone tell.
    total: Option<usize>,
}

impl Pages {
    /// The documents of the page, if chunks are listed document by document and all are wanted; otherwise all that the
    /// request asks for.
    fn of(documents: &[DocumentName], request: &ChunkListRequest, limit: usize) -> Self {
        let (wanted, filter) = (&request.filter, request.filter.clone());
        let by_document = request.order.is_empty() && request.scope == Scope::Everything;
        if !by_document || wanted.section_ids.is_some() || wanted.text.is_some() || wanted.edited {
            return Pages { filter, offset: request.offset, total: None };
        }
        let (mut in_front, mut doc_ids, mut total) = (0, Vec::new(), 0);
        let is_named = |row: &&DocumentName| wanted.doc_ids.as_ref().is_none_or(|ids| ids.contains(&row.doc_id));
        for document in documents.iter().filter(is_named) {
            let chunks = match wanted.chunk_type {
                Some(ChunkType::Parent) => document.parents as usize,
                Some(ChunkType::Child) => document.children as usize,
                None => document.parents as usize + document.children as usize,
            };
            if total + chunks <= request.offset {
                in_front += chunks;
            } else if total < request.offset.saturating_add(limit) {
                doc_ids.push(document.doc_id.clone());
            }
            total += chunks;
        }
        if doc_ids.len() > MOST_DOCUMENTS {
            return Pages { filter, offset: request.offset, total: None };
        }
        let filter = ChunkFilter { doc_ids: Some(doc_ids), ..filter };
        Pages { filter, offset: request.offset.saturating_sub(in_front), total: Some(total) }
    }
}

impl ListedChunk {
    /// The chunk with this id, if there is one.
    pub async fn read(snapshot: &Snapshot, chunk_id: &str) -> Result<Option<Self>> {
        let rows = snapshot.chunks_by_id(&[chunk_id.into()]).await?;
        let doc_ids: Vec<DocId> = rows.iter().map(|row| row.doc_id.clone()).collect();
        Ok(listed(&snapshot.document_names(&doc_ids).await?, rows).pop())
    }
}

fn listed<'a>(documents: impl IntoIterator<Item = &'a DocumentName>, rows: Vec<ChunkRow>) -> Vec<ListedChunk> {
    let documents: HashMap<&str, &DocumentName> = documents.into_iter().map(|row| (row.doc_id.as_str(), row)).collect();
    let listed = |row: ChunkRow| {
        let document = documents.get(row.doc_id.as_str());
        let document_title = document.map_or("", |document| &document.title);
        let titles = titles_of_section(&row.titles, &row.section_id, document_title);
        let section = SectionName::new(row.section_id.clone(), titles);
        ListedChunk { source: document.map(|document| document.source.clone()).unwrap_or_default(), section, row }
    };
    rows.into_iter().map(listed).collect()
}

fn sort(keys: &mut [ChunkKey], documents: &[&DocumentName], order: &[(ChunkColumn, bool)]) {
    let places: HashMap<&str, usize> = documents.iter().enumerate().map(|(i, row)| (row.doc_id.as_str(), i)).collect();
    let rest = [ChunkColumn::Document, ChunkColumn::Parent, ChunkColumn::ChunkType, ChunkColumn::Index];
    let columns: Vec<(ChunkColumn, bool)> = order.iter().copied().chain(rest.map(|column| (column, false))).collect();
    keys.sort_by(|a, b| {
        let by_column = |&(column, reversed): &(ChunkColumn, bool)| {
            let ordering = column.compare(a, b, &places);
            if reversed { ordering.reverse() } else { ordering }
        };
        columns.iter().map(by_column).find(|ordering| ordering.is_ne()).unwrap_or(Ordering::Equal)
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::DocumentRow;

    #[test]
    fn a_page_reads_only_its_documents() {
        let document = |id: &str, parents, children| DocumentName {
            parents,
            children,
            ..DocumentName::from(&DocumentRow::sample(id))
        };
        let documents = [document("a", 1, 2), document("b", 2, 4), document("c", 0, 0), document("d", 1, 1)];
        let pages = |request: ChunkListRequest, limit| {
            let Pages { filter, offset, total } = Pages::of(&documents, &request, limit);
            (filter.doc_ids.map(|ids| ids.iter().map(|id| id.to_string()).collect::<String>()), offset, total)
        };
        let from = |offset| ChunkListRequest { offset, ..ChunkListRequest::default() };
        assert_eq!(pages(from(0), 3), (Some("a".into()), 0, Some(11)));
        assert_eq!(pages(from(2), 2), (Some("ab".into()), 2, Some(11)));
        assert_eq!(pages(from(3), 6), (Some("b".into()), 0, Some(11)));
        assert_eq!(pages(from(10), usize::MAX), (Some("d".into()), 1, Some(11)));
        assert_eq!(pages(from(11), 3), (Some(String::new()), 0, Some(11)));
        let parents = ChunkFilter { chunk_type: Some(ChunkType::Parent), ..ChunkFilter::default() };
        assert_eq!(pages(ChunkListRequest { filter: parents, ..from(3) }, 1), (Some("d".into()), 0, Some(4)));
        let edited = ChunkFilter { edited: true, ..ChunkFilter::default() };
        assert_eq!(pages(ChunkListRequest { filter: edited, ..from(3) }, 1), (None, 3, None));
        let reversed = vec![(ChunkColumn::Document, true)];
        assert_eq!(pages(ChunkListRequest { order: reversed, ..from(3) }, 1), (None, 3, None));
    }
}
