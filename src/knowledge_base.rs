//! The facade for programs that read a store; everything else goes through the command line.

use std::path::Path;

use crate::embed::EngineChoice;
use crate::error::{Error, Result};
use crate::models::Models;
use crate::search::{Encoder, Hit, Purpose, SearchRequest, Searcher, SectionContent, called, resolve_document};
use crate::store::{DocumentRow, SectionRow, Store};

/// A namespace of a store, opened for questions. The first call opens the newest generation, and later ones keep it; the
/// first question loads the embedding model.
pub struct KnowledgeBase {
    store: Store,
    searcher: Searcher,
}

/// A document of a knowledge base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Short and stable, such as `7f3k2m`.
    pub id: String,
    pub title: String,
    /// The path or the address that was ingested.
    pub source: String,
    /// The number of pages; `None` for formats without pages.
    pub pages: Option<u32>,
}

/// An entry of a table of contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The document's id and the path, such as `7f3k2m#3.2`.
    pub id: String,
    /// Its place in the table of contents, such as `3.2`.
    pub path: String,
    /// Its depth, from 1.
    pub level: u32,
    pub title: String,
    /// Its first page and the page on which its last subsection ends, from 1.
    pub pages: Option<(u32, u32)>,
}

/// A section and its own text, without that of its subsections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionText {
    pub section: Section,
    pub text: String,
}

impl KnowledgeBase {
    /// Opens a namespace of the store in a folder, such as `docs/.kb`. The one that `kb ingest` fills by default is
    /// called `default`.
    ///
    /// # Errors
    /// If the folder is not a store of this format, or the namespace has an invalid name.
    pub fn open(store: &Path, namespace: &str) -> Result<Self> {
        let store = Store::open(Some(store), store)?;
        let namespace = store.namespace(namespace)?;
        let encoder = Encoder::new(EngineChoice::Auto, Models::of_user()?);
        Ok(KnowledgeBase { store, searcher: Searcher::new(namespace, encoder) })
    }

    /// All documents, in order of their sources.
    ///
    /// # Errors
    /// If nothing was ingested, or the store fails; the same below.
    pub async fn documents(&self) -> Result<Vec<Document>> {
        let mut rows = self.searcher.snapshot().await?.documents().await?;
        rows.sort_by(|a, b| a.source.cmp(&b.source));
        Ok(rows.iter().map(Document::of).collect())
    }

    /// The table of contents of a document, named by its id, its source, its title or the end of one.
    ///
    /// # Errors
    /// Also if no document or several have the name.
    pub async fn toc(&self, document: &str) -> Result<Vec<Section>> {
        let row = self.document(document).await?;
        let contents = self.searcher.snapshot().await?.contents(&row.doc_id).await?;
        Ok(contents.iter().map(Section::of).collect())
    }

    /// A section and its subsections with their texts, in order, by its id, as hits and tables of contents have it.
    ///
    /// # Errors
    /// Also if there is no such section.
    pub async fn section(&self, id: &str) -> Result<Vec<SectionText>> {
        let missing = || Error::not_found(format!("no section has the id {id:?}"));
        let (doc_id, _) = id.split_once('#').ok_or_else(missing)?;
        let snapshot = self.searcher.snapshot().await?;
        let row = snapshot.documents_by_id(&[doc_id.into()]).await?.pop().ok_or_else(missing)?;
        let sections = snapshot.sections(&row.doc_id).await?;
        let wanted = sections.iter().find(|section| section.section_id == id).ok_or_else(missing)?;
        let content = SectionContent::read(snapshot, &row, &sections, &[wanted], true, 0, None).await?;
        let parts = content.parts.into_iter();
        Ok(parts.map(|part| SectionText { section: Section::of(&part.section), text: part.content }).collect())
    }

    /// The `limit` best hits for a question, best first, with the defaults of `kb search`.
    ///
    /// # Errors
    /// If the question has no words, nothing was ingested, or the store or the model fails.
    pub async fn search(&self, question: &str, limit: usize) -> Result<Vec<Hit>> {
        let request = SearchRequest { limit, ..SearchRequest::new(question.to_owned()) };
        Ok(self.searcher.search(&request).await?.hits)
    }

    async fn document(&self, name: &str) -> Result<DocumentRow> {
        let snapshot = self.searcher.snapshot().await?;
        let names = snapshot.all_document_names().await?;
        let found = resolve_document(&names, name, &self.store, Purpose::Change)?.document;
        let row = snapshot.documents_by_id(std::slice::from_ref(&found.doc_id)).await?.pop();
        row.ok_or_else(|| Error::failed(format!("the document {} is gone", called(found))))
    }
}

impl Document {
    fn of(row: &DocumentRow) -> Self {
        let (title, source) = (row.title.clone(), row.source.clone());
        Document { id: row.doc_id.to_string(), title, source, pages: row.pages }
    }
}

impl Section {
    fn of(row: &SectionRow) -> Self {
        Section {
            id: row.section_id.to_string(),
            path: row.path.clone(),
            level: row.level,
            title: row.title.clone(),
            pages: row.page_start.zip(row.page_end),
        }
    }
}
