//! The facade for programs in Rust: it uses the defaults of the command line, and reads no `kb.toml`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::chunk::ChunkChange;
use crate::config::ReadingSettings;
use crate::edits::{ChunkEditRequest, NewText, edit_chunks};
use crate::embed::EngineChoice;
use crate::endpoint::EndpointConfig;
use crate::error::{Error, Result};
use crate::ingest::{
    self, Action, IngestRequest, RebuildOptions, Rebuilder, SourceReport, Target, documents_of, publish, worker,
};
use crate::llm::{LlmConfig, Unanswered};
use crate::models::{ModelChoice, Models};
use crate::search::{
    Encoder, Hit, Purpose, SearchRequest, Searcher, SectionContent, documents_to_resolve, resolve_document, row_of,
};
use crate::store::{DocumentRow, LockTimeout, MetadataChanges, Namespace, SectionRow, Store};

/// A namespace of a store. The first question or listing opens the newest generation, which later ones keep until this
/// value itself ingests or edits. The first question loads the embedding model.
pub struct KnowledgeBase {
    store: Store,
    namespace: Namespace,
    encoder: Encoder,
    searcher: Searcher,
}

/// The outcome of a file in an ingest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ingested {
    /// The path, as the store names it.
    pub source: String,
    pub action: Action,
    /// The id of its document; `None` if it failed or was skipped.
    pub document: Option<String>,
    /// Why it failed, is stale or was skipped.
    pub reason: Option<String>,
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
        KnowledgeBase::of(Store::open(Some(store), store)?, namespace)
    }

    /// As [`open`](Self::open), and creates the store if the folder does not exist.
    ///
    /// # Errors
    /// If the folder exists and is not a store of this format, cannot be created, or the namespace has an invalid name.
    pub fn open_or_create(store: &Path, namespace: &str) -> Result<Self> {
        KnowledgeBase::of(Store::open_or_create(Some(store), store)?.0, namespace)
    }

    fn of(store: Store, namespace: &str) -> Result<Self> {
        let namespace = store.namespace(namespace)?;
        let encoder = Encoder::new(EngineChoice::Auto, Models::of_user()?);
        let searcher = Searcher::new(namespace.clone(), encoder.clone());
        Ok(KnowledgeBase { store, namespace, encoder, searcher })
    }

    /// Ingests files and folders: reads those that are new or have changed, and embeds them. Each file has an outcome,
    /// and a file that fails stops no other.
    ///
    /// Files are read in copies of the running program, so its `main` must begin with
    /// [`serve_worker`](crate::serve_worker).
    ///
    /// # Errors
    /// If the program did not call [`serve_worker`](crate::serve_worker), a path does not exist, another process writes
    /// to the namespace, or the store or the model fails.
    pub async fn ingest(&mut self, paths: &[PathBuf]) -> Result<Vec<Ingested>> {
        worker::require_served()?;
        let request = IngestRequest {
            paths: paths.to_vec(),
            within: Vec::new(),
            standard_input: None,
            pages: Vec::new(),
            allow_private: false,
            include: Vec::new(),
            exclude: Vec::new(),
            format: None,
            reading: ReadingSettings::default().reading()?,
            chunks: ChunkChange::default(),
            rules: Vec::new(),
            metadata: MetadataChanges::default(),
            prune: false,
            dry_run: false,
            force: false,
            time: None,
            embed: true,
            max_file_bytes: None,
        };
        let root = self.store.root().to_owned();
        let target = Target {
            store: self.store.clone(),
            create: &|| Ok(self.store.clone()),
            namespace: self.namespace.name().to_owned(),
            llm: LlmConfig { config: EndpointConfig::default(), store: root, caches: true },
            model: ModelChoice { models: Models::of_user()?, asked: None, preset: None },
            lock_timeout: LockTimeout::none(),
            confirm: &|_| Ok(false),
        };
        let report = ingest::run(&request, &target, &EngineChoice::Auto, Arc::new(())).await;
        // A run that fails may have published some of its documents.
        self.reopen();
        Ok(report?.sources.into_iter().map(Ingested::of).collect())
    }

    /// Replaces the text of a chunk, by its id. The file does not change. The edit survives when the file is ingested
    /// again.
    ///
    /// # Errors
    /// If no chunk has the id, the text is empty, another process writes to the namespace, or the store or the model
    /// fails.
    pub async fn edit(&mut self, chunk: &str, text: &str) -> Result<()> {
        let options = RebuildOptions {
            reading: ReadingSettings::default().reading()?,
            models: Models::of_user()?,
            engine: EngineChoice::Auto,
            llm: None,
            unanswered: Unanswered::Skip,
            lock_timeout: LockTimeout::none(),
        };
        let rebuilder = Rebuilder::open(&self.namespace, &options, "chunk-edit", Arc::new(())).await?;
        let request = ChunkEditRequest {
            chunk_id: chunk.into(),
            text: Some(NewText::Given(text.to_owned())),
            metadata: BTreeMap::new(),
        };
        let documents = documents_of(&rebuilder.snapshot, &[chunk]).await?;
        let edits = edit_chunks(documents, &[request], &jiff::Timestamp::now().to_string())?;
        publish(rebuilder, edits.changed).await?;
        self.reopen();
        Ok(())
    }

    /// Lets the next call open the newest generation. A loaded model stays loaded.
    fn reopen(&mut self) {
        self.searcher = Searcher::new(self.namespace.clone(), self.encoder.clone());
    }

    /// All documents, in order of their sources.
    ///
    /// # Errors
    /// If nothing was ingested, or the store fails; the same below.
    pub async fn documents(&self) -> Result<Vec<Document>> {
        let rows = self.searcher.snapshot().await?.documents().await?;
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
        let names = documents_to_resolve(snapshot, &[name], &self.store).await?;
        row_of(snapshot, resolve_document(&names, name, &self.store, Purpose::Change)?.document).await
    }
}

impl Ingested {
    fn of(report: SourceReport) -> Self {
        let SourceReport { source, action, doc_id, reason, .. } = report;
        Ingested { source, action, document: doc_id.map(|id| id.to_string()), reason }
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
