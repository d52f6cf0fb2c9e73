//! Chooses the documents that section and drill modes compare with a question: those of the candidates, and at most a
//! hundred by their titles, so that the time does not grow with the store. Topics and summaries rank them, and find no
//! others.

use std::collections::BTreeSet;

use futures::future::try_join_all;

use super::documents::DocumentIndex;
use super::titles::SectionIndex;
use crate::error::Result;
use crate::ids::{ChunkId, DocId};
use crate::search::searcher::Searcher;
use crate::store::{KeywordField, Scope, SectionRow, Snapshot};

/// All documents of a scope are compared if they are at most this many, otherwise those of the candidates and this many
/// with the question's words in their titles.
const MOST: usize = 100;

/// A question whose documents are compared.
#[derive(Clone, Copy)]
pub struct Near<'a> {
    pub query: &'a str,
    /// Of each namespace.
    pub scopes: &'a [Scope],
}

impl Near<'_> {
    /// The sections of each namespace. `candidates` are parent chunks and the places of their namespaces.
    pub async fn sections<'c>(
        self,
        searcher: &Searcher,
        candidates: impl Iterator<Item = (usize, &'c ChunkId)> + Clone,
    ) -> Result<Vec<SectionIndex>> {
        let each = searcher.snapshots().await?.into_iter().enumerate();
        try_join_all(each.map(async |(place, snapshot)| {
            let near = self.documents_of(place, snapshot, candidates.clone()).await?;
            self.section_index(snapshot, near.as_deref()).await
        }))
        .await
    }

    /// The sections and documents of each namespace.
    pub async fn documents<'c>(
        self,
        searcher: &Searcher,
        candidates: impl Iterator<Item = (usize, &'c ChunkId)> + Clone,
    ) -> Result<Vec<(SectionIndex, DocumentIndex)>> {
        let each = searcher.snapshots().await?.into_iter().enumerate();
        try_join_all(each.map(async |(place, snapshot)| {
            let near = self.documents_of(place, snapshot, candidates.clone()).await?;
            // A document's words are those of its title and of its topics, which come from the text.
            let rarity = |word: &str| {
                let [titles, text] =
                    [KeywordField::Titles, KeywordField::Content].map(|field| snapshot.keyword().rarity(field, word));
                Ok(titles?.min(text?))
            };
            let rows = snapshot.documents_with_vectors(near.as_deref()).await?;
            let documents = DocumentIndex::new(rows, self.query, rarity)?;
            Ok((self.section_index(snapshot, near.as_deref()).await?, documents))
        }))
        .await
    }

    /// The documents of a namespace; `None` for all.
    async fn documents_of<'c>(
        self,
        place: usize,
        snapshot: &Snapshot,
        candidates: impl Iterator<Item = (usize, &'c ChunkId)>,
    ) -> Result<Option<Vec<DocId>>> {
        let scope = &self.scopes[place];
        match scope.documents() {
            Some(ids) if ids.len() <= MOST => return Ok(Some(ids.into_iter().map(DocId::from).collect())),
            None if snapshot.counts().await?[0] <= MOST => return Ok(None),
            _ => {}
        }
        let own = candidates.filter(|(namespace, _)| *namespace == place).map(|(_, id)| id.doc_id().into());
        let mut near: BTreeSet<DocId> = own.collect();
        near.extend(snapshot.keyword().documents_by_titles(self.query, scope, MOST)?);
        Ok(Some(near.into_iter().collect()))
    }

    async fn section_index(self, snapshot: &Snapshot, doc_ids: Option<&[DocId]>) -> Result<SectionIndex> {
        let rows: Vec<SectionRow> = match doc_ids {
            Some(ids) => snapshot.sections_of(ids).await?,
            None => snapshot.all_sections().await?,
        };
        SectionIndex::new(rows, self.query, |word| snapshot.keyword().rarity(KeywordField::Titles, word))
    }
}
