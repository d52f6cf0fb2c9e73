//! Indexes of the sections and documents that section and drill modes compare with a question: those of the candidates,
//! and at most a hundred by their titles, so that the time does not grow with the store. Topics and summaries rank
//! them, and find no others.

use std::collections::BTreeSet;

use futures::future::try_join_all;

use super::documents::DocumentIndex;
use super::section_index::SectionIndex;
use crate::error::Result;
use crate::ids::{ChunkId, DocId};
use crate::search::searcher::Searcher;
use crate::store::{KeywordField, Scope, SectionRow, Snapshot};

/// All documents of a scope are compared if they are at most this many, otherwise those of the candidates and this many
/// with the question's words in their titles.
const MOST: usize = 100;

/// The sections of each namespace. `scopes` are those of the namespaces, `candidates` parent chunks and the places of
/// their namespaces.
pub async fn sections<'c>(
    searcher: &Searcher,
    query: &str,
    scopes: &[Scope],
    candidates: impl Iterator<Item = (usize, &'c ChunkId)> + Clone,
) -> Result<Vec<SectionIndex>> {
    let each = searcher.snapshots().await?.into_iter().enumerate();
    try_join_all(each.map(async |(place, snapshot)| {
        let own = candidates.clone().filter(|(namespace, _)| *namespace == place);
        let near = documents_of(snapshot, query, &scopes[place], own).await?;
        section_index(snapshot, query, near.as_deref()).await
    }))
    .await
}

/// The sections and documents of each namespace, as [`sections`].
pub async fn documents<'c>(
    searcher: &Searcher,
    query: &str,
    scopes: &[Scope],
    candidates: impl Iterator<Item = (usize, &'c ChunkId)> + Clone,
) -> Result<Vec<(SectionIndex, DocumentIndex)>> {
    let each = searcher.snapshots().await?.into_iter().enumerate();
    try_join_all(each.map(async |(place, snapshot)| {
        let own = candidates.clone().filter(|(namespace, _)| *namespace == place);
        let near = documents_of(snapshot, query, &scopes[place], own).await?;
        // A document's words are those of its title and of its topics, which come from the text.
        let rarity = |word: &str| {
            let [titles, text] =
                [KeywordField::Titles, KeywordField::Content].map(|field| snapshot.keyword().rarity(field, word));
            Ok(titles?.min(text?))
        };
        let rows = snapshot.documents_with_vectors(near.as_deref()).await?;
        let documents = DocumentIndex::new(rows, query, rarity)?;
        Ok((section_index(snapshot, query, near.as_deref()).await?, documents))
    }))
    .await
}

/// The documents of a namespace, given its candidates; `None` for all.
async fn documents_of<'c>(
    snapshot: &Snapshot,
    query: &str,
    scope: &Scope,
    candidates: impl Iterator<Item = (usize, &'c ChunkId)>,
) -> Result<Option<Vec<DocId>>> {
    match scope.documents() {
        Some(ids) if ids.len() <= MOST => return Ok(Some(ids.into_iter().map(DocId::from).collect())),
        None if snapshot.counts().await?[0] <= MOST => return Ok(None),
        _ => {}
    }
    let mut near: BTreeSet<DocId> = candidates.map(|(_, id)| id.doc_id().into()).collect();
    near.extend(snapshot.keyword().documents_by_titles(query, scope, MOST)?);
    Ok(Some(near.into_iter().collect()))
}

async fn section_index(snapshot: &Snapshot, query: &str, doc_ids: Option<&[DocId]>) -> Result<SectionIndex> {
    let rows: Vec<SectionRow> = match doc_ids {
        Some(ids) => snapshot.sections_of(ids).await?,
        None => snapshot.all_sections().await?,
    };
    SectionIndex::new(rows, query, |word| snapshot.keyword().rarity(KeywordField::Titles, word))
}
