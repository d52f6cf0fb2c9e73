//! Sections and chunks of documents made anew, in place: after a change of the structure code, or for a table of
//! contents that a person corrected.

use std::path::PathBuf;
use std::sync::Arc;

use super::Progress;
use super::edits::carry_over;
use super::index::{Indexer, KnownVectors, Vectors};
use super::lines::{LineWriter, wants_lines};
use super::plan::STANDARD_INPUT;
use super::prepare::{Prepared, SourceFacts, prepare};
use super::profile::{PROFILED, with_profiles};
use super::source::{parse_bytes, read_steadily};
use super::stored::stored_document;
use crate::chunk::ChunkConfig;
use crate::embed::EngineChoice;
use crate::error::Result;
use crate::llm::{Configured, Unsaid};
use crate::load::worker::{Limits, Worker};
use crate::load::{Document, Format, LoadOptions, OutlineEntry};
use crate::models::Models;
use crate::overlay::as_the_source_says;
use crate::store::{DocumentRow, DocumentTime, Namespace, NewDocument, Patience, Snapshot, Store, Writer};

/// How sources are read and texts embedded.
#[derive(Debug, Clone)]
pub struct RebuildOptions {
    /// For the loaders.
    pub load: LoadOptions,
    /// A file that takes longer to parse is given up.
    pub limits: Limits,
    /// Among these is the model that embeds.
    pub models: Models,
    /// The engine that embeds.
    pub engine: EngineChoice,
    /// How many threads load, and embed.
    pub jobs: usize,
    /// The language model that says what stands in front of passages; `None` leaves what was said.
    pub llm: Option<Configured>,
    /// Whether it is asked again about passages of which it has said nothing.
    pub unsaid: Unsaid,
    /// How long to wait for another writer.
    pub patience: Patience,
}

/// A document's source, as it is now.
#[derive(Debug, Clone, PartialEq)]
pub enum SourceNow {
    /// What was ingested, parsed.
    Same(Box<Document>),
    /// The file has other content.
    Changed,
    /// The file is not there.
    Gone,
    /// It came from standard input.
    Piped,
}

/// Whether the source's file has the content that was ingested.
///
/// # Errors
/// Where it is there and cannot be read.
pub(super) fn look_at_source(row: &DocumentRow, store: &Store) -> Result<Result<Vec<u8>, SourceNow>> {
    if row.source.starts_with(STANDARD_INPUT) {
        return Ok(Err(SourceNow::Piped));
    }
    let path: PathBuf = store.source_path(&row.source);
    if !path.exists() {
        return Ok(Err(SourceNow::Gone));
    }
    // The content that was ingested has that size; anything larger is something else.
    if std::fs::metadata(&path).is_ok_and(|facts| facts.len() != row.size) {
        return Ok(Err(SourceNow::Changed));
    }
    let (bytes, _) = read_steadily(&path, u64::MAX)?;
    let same = blake3::hash(&bytes).to_hex().as_str() == row.content_hash;
    Ok(if same { Ok(bytes) } else { Err(SourceNow::Changed) })
}

/// Reads and parses a document's source again, where it still is what was ingested.
///
/// # Errors
/// Where it is there and cannot be read or parsed.
pub fn read_source(row: &DocumentRow, store: &Store, load: &LoadOptions, worker: &mut Worker) -> Result<SourceNow> {
    match look_at_source(row, store)? {
        Ok(bytes) => {
            let document = parse_bytes(&bytes, Format::from_name(&row.format), load, worker)?;
            Ok(SourceNow::Same(Box::new(document)))
        }
        Err(other) => Ok(other),
    }
}

/// The document as the store holds it: its passages without edits, with the titles of its sections in front of them.
///
/// # Errors
/// Where the store cannot be read.
pub async fn read_stored(row: &DocumentRow, snapshot: &Snapshot) -> Result<Document> {
    let sections = snapshot.sections(&row.doc_id).await?;
    let chunks = snapshot.chunks_of(&row.doc_id).await?;
    let stored = NewDocument { document: row.clone(), sections, chunks };
    stored_document(row, &stored.sections, &as_the_source_says(&stored))
}

/// The rows that a stored document gets from its text, read again: all but the vectors.
pub fn anew(row: &DocumentRow, document: &Document, corrected_toc: Option<Vec<OutlineEntry>>) -> Prepared {
    anew_with(row, document, corrected_toc, &ChunkConfig::of(&row.chunking))
}

/// The same, cut as `chunking` says.
pub(super) fn anew_with(
    row: &DocumentRow,
    document: &Document,
    corrected_toc: Option<Vec<OutlineEntry>>,
    chunking: &ChunkConfig,
) -> Prepared {
    let facts = SourceFacts {
        source: row.source.clone(),
        doc_id: row.doc_id.clone(),
        content_hash: row.content_hash.clone(),
        size: row.size,
        mtime_ns: row.mtime_ns,
        corrected_toc,
        time: row.time.clone().filter(DocumentTime::is_given),
    };
    let mut prepared = prepare(document, &facts, chunking, &jiff::Timestamp::now().to_string());
    prepared.new.document.ingested_at = row.ingested_at.clone();
    prepared
}

/// A namespace that is open for rebuilding; nobody else writes to it meanwhile.
pub struct Rebuilder {
    snapshot: Snapshot,
    indexer: Indexer,
}

/// What a rebuilt document has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rebuilt {
    /// Sections, the preamble not counted.
    pub sections: u32,
    /// Parent chunks.
    pub parents: u32,
    /// Edits that have become conflicts.
    pub conflicts: usize,
}

impl Rebuilder {
    /// Opens a namespace that exists, for the command that the history names.
    ///
    /// # Errors
    /// Where another process writes to it, or it cannot be read.
    pub async fn open(
        namespace: &Namespace,
        options: &RebuildOptions,
        command: &str,
        progress: Arc<dyn Progress>,
    ) -> Result<Self> {
        // Locked before it is read, so that what is read holds until it is replaced.
        let writer = Writer::open_existing(namespace, &options.patience).await?;
        let snapshot = Snapshot::open(namespace).await?;
        let (models, record) = (options.models.clone(), writer.model().clone());
        let vectors = Vectors::WhenNeeded { models, record, engine: options.engine.clone(), jobs: options.jobs };
        let lines = options.llm.clone().map(|llm| LineWriter::new(llm, options.unsaid));
        Ok(Rebuilder { snapshot, indexer: Indexer::new(writer, vectors, command, progress).asking(lines) })
    }

    /// What is published while nothing was rebuilt yet.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Replaces a document's sections and chunks by what [`anew`] made of it, with its edits on top. Vectors are reused as
    /// [`KnownVectors::of_chunks`] says, and by their texts alone where another context was asked for or a model writes it; a document without vectors stays without.
    ///
    /// # Errors
    /// Where the store or the model fail.
    pub async fn put(&mut self, row: &DocumentRow, prepared: Prepared) -> Result<Rebuilt> {
        let chunks = self.snapshot.chunks_of(&row.doc_id).await?;
        let context = |row: &DocumentRow| ChunkConfig::of(&row.chunking).context;
        let known = KnownVectors::of_chunks(&chunks).and_of(row);
        // What a model says is as much of the embedded text as the passage itself.
        let by_content = context(row) == context(&prepared.new.document) && !wants_lines(row);
        let known = if by_content { known } else { known.by_text_alone() };
        let (prepared, carried) = carry_over(row, chunks, prepared);
        let conflicts = carried.conflicts;
        let document = &prepared.new.document;
        let rebuilt = Rebuilt { sections: document.sections, parents: document.parents, conflicts };
        self.indexer.put(prepared, known, row.embedded, "rebuilt").await?;
        Ok(rebuilt)
    }

    /// Replaces a document by rows that are ready but for vectors that `known` does not have; those are made where
    /// `embed` says so.
    ///
    /// # Errors
    /// Where the store or the model fail.
    pub async fn put_rows(&mut self, prepared: Prepared, known: KnownVectors, embed: bool) -> Result<()> {
        self.indexer.put(prepared, known, embed, "updated").await
    }

    /// The same, unless it comes to what is `stored`: then nothing is published of it.
    ///
    /// # Errors
    /// As for [`put_rows`](Self::put_rows).
    pub async fn put_unless_same(
        &mut self,
        prepared: Prepared,
        known: KnownVectors,
        embed: bool,
        stored: NewDocument,
    ) -> Result<()> {
        self.indexer.put_unless_same(prepared, known, embed, "updated", stored).await
    }

    /// Takes a document out.
    pub fn remove(&mut self, row: &DocumentRow) {
        self.indexer.remove(row);
    }

    /// Replaces a document's row; its sections and chunks stay.
    pub fn update(&mut self, row: DocumentRow) {
        self.indexer.update(row, "kept");
    }

    /// Gives documents whose chunks stay profiles of what the store holds of them.
    ///
    /// # Errors
    /// Where the store cannot be read.
    pub(super) async fn describe(&mut self, rows: Vec<DocumentRow>) -> Result<()> {
        for row in with_profiles(rows, &self.snapshot).await? {
            let embed = row.embedded;
            self.indexer.describe(row, embed, PROFILED);
        }
        Ok(())
    }

    /// Publishes what is left and gives the indexer with its counts.
    ///
    /// # Errors
    /// Where the store or the model fail; what was published before stays.
    pub async fn finish(self) -> Result<Indexer> {
        let Rebuilder { snapshot, mut indexer } = self;
        // Otherwise this would be a reader of what is replaced, and keep it.
        drop(snapshot);
        indexer.flush().await?;
        Ok(indexer)
    }
}
