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
    let compared = compared(searcher, query, scopes, candidates).await?;
    try_join_all(compared.iter().map(|(snapshot, ids)| section_index(snapshot, query, ids.as_deref()))).await
}

/// The sections and documents of each namespace, as [`sections`].
pub async fn documents<'c>(
    searcher: &Searcher,
    query: &str,
    scopes: &[Scope],
    candidates: impl Iterator<Item = (usize, &'c ChunkId)> + Clone,
) -> Result<Vec<(SectionIndex, DocumentIndex)>> {
    let compared = compared(searcher, query, scopes, candidates).await?;
    try_join_all(compared.iter().map(async |(snapshot, ids)| {
        // A document's words are those of its title and of its topics, which come from the text.
        let rarity = |word: &str| {
            let [titles, text] =
                [KeywordField::Titles, KeywordField::Content].map(|field| snapshot.keyword().rarity(field, word));
            Ok(titles?.min(text?))
        };
        let rows = snapshot.documents_with_vectors(ids.as_deref()).await?;
        let documents = DocumentIndex::new(rows, query, rarity)?;
        Ok((section_index(snapshot, query, ids.as_deref()).await?, documents))
    }))
    .await
}

/// The generation of each namespace, and the ids of the documents that are compared; `None` for all.
async fn compared<'s, 'c>(
    searcher: &'s Searcher,
    query: &str,
    scopes: &[Scope],
    candidates: impl Iterator<Item = (usize, &'c ChunkId)> + Clone,
) -> Result<Vec<(&'s Snapshot, Option<Vec<DocId>>)>> {
    let each = searcher.snapshots().await?.into_iter().zip(scopes).enumerate();
    try_join_all(each.map(async |(place, (snapshot, scope))| {
        let ids: Option<Vec<DocId>> = match scope.documents() {
            Some(ids) if ids.len() <= MOST => Some(ids.into_iter().map(DocId::from).collect()),
            None if snapshot.counts().await?[0] <= MOST => None,
            _ => {
                let own = candidates.clone().filter(|(namespace, _)| *namespace == place);
                let mut near: BTreeSet<DocId> = own.map(|(_, id)| id.doc_id().into()).collect();
                near.extend(snapshot.keyword().documents_by_titles(query, scope, MOST)?);
                Some(near.into_iter().collect())
            }
        };
        Ok((snapshot, ids))
    }))
    .await
}

async fn section_index(snapshot: &Snapshot, query: &str, doc_ids: Option<&[DocId]>) -> Result<SectionIndex> {
    let rows: Vec<SectionRow> = match doc_ids {
        Some(ids) => snapshot.sections_of(ids).await?,
        None => snapshot.all_sections().await?,
    };
    SectionIndex::new(rows, query, |word| snapshot.keyword().rarity(KeywordField::Titles, word))
}
