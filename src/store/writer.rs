//! The one writer: makes the next generation and publishes it.
//!
//! Publishing: Lance tables are written (readers still see the manifest's versions), the history takes down what the
//! generation did, `PENDING.json` names the new versions, tantivy commits with the new number, `PENDING.json` becomes `MANIFEST.json`. A writer that finds
//! `PENDING.json` rolls forward if tantivy carries its number, otherwise back.

use std::borrow::Cow;

use super::convert;
use super::entities::EntityChange;
use super::fault::step;
use super::history::{Keeping, Note, Record, prune, record};
use super::keyword::KeywordWriter;
use super::layout::Namespace;
use super::lock::{LockTimeout, WriterLock};
use super::manifest::{Manifest, ModelRecord};
use super::namespaces::{clear_removed, nothing_ingested};
use super::rows::{ChunkRow, DocumentRow, NewDocument, SectionRow};
use super::snapshot::CHUNK_COLUMNS;
use super::tables::Tables;
use super::versions::DamagedVersion;
use crate::error::{Error, NextStep, Result};
use crate::ids::DocId;

/// What one generation changes. A document that is both removed and added is replaced.
#[derive(Debug, Default)]
pub struct Change {
    /// Ids of documents to take out, with all their sections and chunks.
    pub remove: Vec<DocId>,
    /// Documents to put in.
    pub add: Vec<NewDocument>,
    /// Document rows to replace while sections and chunks stay: moved or touched files, other profiles.
    pub update: Vec<DocumentRow>,
    /// Entities to put in and to take out; of the others, the mentions in the documents above are counted again.
    pub entities: EntityChange,
    /// What it does, for the history.
    pub note: Note,
}

impl Change {
    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.remove.is_empty() && self.add.is_empty() && self.update.is_empty() && self.entities.is_empty()
    }
}

/// How the next generation comes to be.
#[derive(Clone, Copy)]
pub(super) enum Next<'a> {
    /// By a change of the published one.
    Changed(&'a Change),
    /// The same, with a rebuilt keyword index.
    ChangedWithKeywordAnew(&'a Change),
    /// As what an old one was.
    Restored(&'a Manifest),
    /// With tables that were rewritten already, with the vectors of this model. The text is the same.
    Rewritten(&'a ModelRecord),
}

/// The model of the vectors that a writer is opened for.
#[derive(Clone, Copy)]
enum Wanted<'a> {
    /// This one and no other.
    This(&'a ModelRecord),
    /// Whichever is published; this one where it turns out that nothing is.
    Any(&'a ModelRecord),
}

/// A namespace, open for writing.
pub struct Writer {
    namespace: Namespace,
    manifest: Manifest,
    pub(super) tables: Tables,
    keyword: KeywordWriter,
    /// When the namespace was taken: what one writer publishes is one run.
    begun_at: String,
    /// What the run has done.
    note: Note,
    /// Where warnings about a publication are reported.
    lock_timeout: LockTimeout,
    /// Whether a damaged version was reported.
    told: bool,
    _lock: WriterLock,
}

impl Writer {
    /// Opens a namespace for writing, makes it where it does not exist, and mends what an interrupted publication
    /// left.
    ///
    /// # Errors
    /// Where another process writes, the vectors are another model's, or the disk refuses.
    pub async fn open(namespace: &Namespace, model: &ModelRecord) -> Result<Self> {
        Writer::open_or_wait(namespace, model, &LockTimeout::none()).await
    }

    /// Like [`open`](Self::open), but waits for another writer. What was read before may hold no more.
    ///
    /// # Errors
    /// As for [`open`](Self::open), where another process writes for longer than `lock_timeout` has.
    pub async fn open_or_wait(namespace: &Namespace, model: &ModelRecord, lock_timeout: &LockTimeout) -> Result<Self> {
        let lock = WriterLock::take_or_make(namespace, lock_timeout).await?;
        Writer::open_locked(namespace, Wanted::This(model), lock, lock_timeout).await
    }

    /// Like [`open_or_wait`](Self::open_or_wait) for a namespace that must be there, whatever the model of its vectors is.
    ///
    /// # Errors
    /// As for [`open_or_wait`](Self::open_or_wait), and where nothing was ever published.
    pub async fn open_existing(namespace: &Namespace, lock_timeout: &LockTimeout) -> Result<Self> {
        let lock = WriterLock::take(namespace, lock_timeout).await?;
        let Some(manifest) = Manifest::read(namespace)?.or(Manifest::read_pending(namespace)?) else {
            return Err(nothing_ingested(namespace));
        };
        Writer::open_locked(namespace, Wanted::Any(&manifest.model), lock, lock_timeout).await
    }

    async fn open_locked(
        namespace: &Namespace,
        wanted: Wanted<'_>,
        lock: WriterLock,
        lock_timeout: &LockTimeout,
    ) -> Result<Self> {
        let begun_at = jiff::Timestamp::now().to_string();
        clear_removed(namespace);
        let (mut keyword, generation) = KeywordWriter::open(namespace)?;
        recover_pending(namespace, generation)?;
        let (Wanted::This(model) | Wanted::Any(model)) = wanted;
        let Some(manifest) = Manifest::read(namespace)? else {
            let tables = Tables::create(namespace, model.dimension).await?;
            let manifest = Manifest {
                generation: 0,
                documents: 0,
                sections: 0,
                chunks: 0,
                entities: 0,
                model: model.clone(),
                published_at: String::new(),
            };
            let (namespace, note, lock_timeout) = (namespace.clone(), Note::default(), lock_timeout.clone());
            return Ok(Writer {
                namespace,
                manifest,
                tables,
                keyword,
                begun_at,
                note,
                lock_timeout,
                told: false,
                _lock: lock,
            });
        };
        if matches!(wanted, Wanted::This(_)) && !manifest.model.agrees_with(model) {
            let (theirs, own) = (&manifest.model.name, &model.name);
            return Err(Error::failed(format!(
                "the namespace {:?} holds vectors of the model {theirs}, not of {own}: another process has published them",
                namespace.name()
            ))
            .hint("run the command again"));
        }
        let tables = Tables::open(namespace).await?;
        tables.roll_back_to(&manifest).await?;
        if generation != Some(manifest.generation) {
            rebuild_keyword(&tables, &mut keyword, manifest.generation).await?;
        }
        let (namespace, note, lock_timeout) = (namespace.clone(), Note::default(), lock_timeout.clone());
        Ok(Writer { namespace, manifest, tables, keyword, begun_at, note, lock_timeout, told: false, _lock: lock })
    }

    /// Mends what an interrupted publication left, for a reader that found the indexes in disagreement. Where
    /// another process is writing, it is that one's to mend.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub async fn mend(namespace: &Namespace) -> Result<()> {
        let Some(manifest) = Manifest::read(namespace)?.or(Manifest::read_pending(namespace)?) else {
            return Ok(());
        };
        let Some(lock) = WriterLock::try_take(namespace)? else { return Ok(()) };
        Writer::open_locked(namespace, Wanted::Any(&manifest.model), lock, &LockTimeout::none()).await.map(drop)
    }

    /// The namespace.
    pub(super) fn namespace(&self) -> &Namespace {
        &self.namespace
    }

    /// What was published last.
    pub(super) fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The model of its vectors.
    pub fn model(&self) -> &ModelRecord {
        &self.manifest.model
    }

    /// The number of the published generation; 0 where there is none.
    pub fn generation(&self) -> u64 {
        self.manifest.generation
    }

    /// Publishes a change as the next generation and gives its number. After an error, what was published before is
    /// what readers see, and the next writer mends the rest; unless the error says that the generation is published,
    /// and only old ones could not be removed.
    ///
    /// # Errors
    /// Where the disk refuses, or `kb.toml` says something about the history that cannot be understood.
    pub async fn publish(&mut self, change: &Change) -> Result<u64> {
        self.publish_as(Next::Changed(change), &change.note).await
    }

    /// The same with a keyword index that is rebuilt from the tables.
    pub(super) async fn publish_with_keyword_anew(&mut self, change: &Change) -> Result<u64> {
        self.publish_as(Next::ChangedWithKeywordAnew(change), &change.note).await
    }

    /// Publishes an old generation, whose tables are there, as the next one.
    pub(super) async fn publish_restored(&mut self, old: &Manifest, note: Note) -> Result<u64> {
        self.publish_as(Next::Restored(old), &note).await
    }

    pub(super) async fn publish_as(&mut self, what: Next<'_>, note: &Note) -> Result<u64> {
        // Read first, so that a mistake in the settings stops nothing halfway.
        let keeping = Keeping::of(&self.namespace)?;
        if !matches!(what, Next::Rewritten(_)) {
            step("begun")?;
        }
        match what {
            Next::Changed(change) | Next::ChangedWithKeywordAnew(change) => self.write_tables(change).await?,
            Next::Restored(old) => self.restore_tables(old).await?,
            Next::Rewritten(_) => {}
        }
        let model = match what {
            Next::Changed(_) | Next::ChangedWithKeywordAnew(_) => &self.manifest.model,
            Next::Restored(old) => &old.model,
            Next::Rewritten(model) => model,
        };
        let [documents, sections, chunks, entities] = self.tables.versions().await?;
        let next = Manifest {
            generation: self.manifest.generation + 1,
            documents,
            sections,
            chunks,
            entities,
            model: model.clone(),
            published_at: jiff::Timestamp::now().to_string(),
        };
        match what {
            Next::Changed(change) => self.write_keyword(change)?,
            Next::Rewritten(_) => {}
            Next::ChangedWithKeywordAnew(_) | Next::Restored(_) => {
                if let Err(error) = fill_keyword(&self.tables, &mut self.keyword).await {
                    return Err(self.keyword.given_up(error));
                }
            }
        }
        step("keyword written")?;
        let note = self.note.clone().and(note);
        self.write_history(&next, &note)?;
        step("history written")?;
        if let Err(error) = self.announce_and_commit(&next) {
            // While it is known what went wrong; where the disk refuses this too, the next writer does it.
            drop(recover_pending(&self.namespace, self.keyword.committed()));
            return Err(error);
        }
        Manifest::publish_pending(&self.namespace)?;
        step("published")?;
        (self.manifest, self.note) = (next, note);
        // What was published stands, whatever becomes of this: the next publication tries it again.
        drop(self.keyword.merge());
        let tidied = prune(&self.namespace, &self.tables, &self.manifest, &keeping).await;
        let damaged = tidied.map_err(|error| {
            let generation = self.manifest.generation;
            let what =
                format!("generation {generation} is published, but old ones could not be removed: {}", error.message());
            match error.next_step() {
                Some(hint) => Error::failed(what).hint(hint),
                None => Error::failed(what),
            }
        })?;
        self.tell_of(&damaged);
        Ok(self.manifest.generation)
    }

    /// Tells, once, what keeps old versions from being removed. That is no reason to publish nothing any more.
    fn tell_of(&mut self, damaged: &[DamagedVersion]) {
        if let Some(first) = damaged.first().filter(|_| !std::mem::replace(&mut self.told, true)) {
            self.lock_timeout.tell(&format!("{}: {}; `{}` removes it", first.id(), first.told(), NextStep::Repair));
        }
    }

    /// From here on the next generation stands, though not yet under the name of the published one.
    fn announce_and_commit(&mut self, next: &Manifest) -> Result<()> {
        next.write_pending(&self.namespace)?;
        step("pending written")?;
        self.keyword.commit(next.generation)?;
        step("keyword committed")
    }

    /// Records the next generation and what it does; and the published one where its record was lost.
    fn write_history(&self, next: &Manifest, note: &Note) -> Result<()> {
        if self.manifest.generation > 0 && record(&self.namespace, self.manifest.generation)?.is_none() {
            Record { manifest: self.manifest.clone(), begun_at: None, note: None }.write(&self.namespace)?;
        }
        let (manifest, begun_at) = (next.clone(), Some(self.begun_at.clone()));
        Record { manifest, begun_at, note: Some(note.clone()) }.write(&self.namespace)
    }

    async fn restore_tables(&mut self, old: &Manifest) -> Result<()> {
        self.tables.roll_back_to(old).await?;
        step("tables restored")
    }

    async fn write_tables(&mut self, change: &Change) -> Result<()> {
        let tables = &self.tables;
        let documents = self.with_their_vectors(change).await?;
        let replaced: Vec<DocId> =
            change.remove.iter().cloned().chain(change.update.iter().map(|row| row.doc_id.clone())).collect();
        tables.delete_documents(&tables.documents, &replaced).await?;
        step("documents deleted")?;
        tables.delete_documents(&tables.sections, &change.remove).await?;
        step("sections deleted")?;
        tables.delete_documents(&tables.chunks, &change.remove).await?;
        step("chunks deleted")?;
        let documents: Vec<&DocumentRow> = documents.iter().map(AsRef::as_ref).collect();
        let dimension = self.manifest.model.dimension;
        let sections: Vec<&SectionRow> = change.add.iter().flat_map(|new| &new.sections).collect();
        let parents = change.add.iter().flat_map(|new| &new.parents);
        tables.append(&tables.documents, convert::documents_to_batch(&documents, dimension)?).await?;
        step("documents written")?;
        tables.append(&tables.sections, convert::sections_to_batch(&sections)?).await?;
        step("sections written")?;
        tables.append(&tables.chunks, convert::chunks_to_batch(parents, dimension)?).await?;
        step("chunks written")?;
        tables.write_entities(&change.entities, &change.remove, &change.add).await?;
        step("entities written")?;
        tables.compact().await?;
        step("tables compacted")
    }

    /// The documents to write, those that keep their vectors with them: rows are mostly read without.
    async fn with_their_vectors<'c>(&self, change: &'c Change) -> Result<Vec<Cow<'c, DocumentRow>>> {
        let rows: Vec<&DocumentRow> = change.add.iter().map(|new| &new.document).chain(&change.update).collect();
        let keeps = |row: &DocumentRow| row.embedding_hash.is_some() && row.vector.is_empty();
        let keeping: Vec<DocId> = rows.iter().filter(|row| keeps(row)).map(|row| row.doc_id.clone()).collect();
        let mut kept = self.tables.document_vectors(Some(&keeping)).await?;
        let with_vector = |row: &'c DocumentRow| {
            if !keeps(row) {
                return Cow::Borrowed(row);
            }
            let vector = kept.remove(&row.doc_id).unwrap_or_default();
            let embedding_hash = row.embedding_hash.clone().filter(|_| !vector.is_empty());
            Cow::Owned(DocumentRow { vector, embedding_hash, ..row.clone() })
        };
        Ok(rows.into_iter().map(with_vector).collect())
    }

    fn write_keyword(&mut self, change: &Change) -> Result<()> {
        self.keyword.delete_documents(&change.remove);
        for new in &change.add {
            if let Err(error) = self.keyword.add(&new.parents) {
                return Err(self.keyword.given_up(error));
            }
        }
        Ok(())
    }
}

/// Finishes or gives up a publication that was interrupted.
fn recover_pending(namespace: &Namespace, keyword_generation: Option<u64>) -> Result<()> {
    match Manifest::read_pending(namespace)? {
        Some(pending) if keyword_generation == Some(pending.generation) => Manifest::publish_pending(namespace),
        Some(_) => Manifest::drop_pending(namespace),
        None => Ok(()),
    }
}

/// Fills the keyword index from the tables.
async fn rebuild_keyword(tables: &Tables, keyword: &mut KeywordWriter, generation: u64) -> Result<()> {
    fill_keyword(tables, keyword).await?;
    keyword.commit(generation)
}

async fn fill_keyword(tables: &Tables, keyword: &mut KeywordWriter) -> Result<()> {
    keyword.clear()?;
    let mut chunks = tables.stream(&tables.chunks, None, Some(CHUNK_COLUMNS)).await?;
    // Each parent is followed by its children; those of the last one may go on in the next batch.
    let mut waiting: Vec<ChunkRow> = Vec::new();
    while let Some(batch) = tables.next(&mut chunks).await? {
        waiting.extend(convert::chunks_from_batch(&batch)?);
        let last = waiting.iter().rposition(|row| row.parent_id.is_none()).unwrap_or(0);
        let goes_on = waiting.split_off(last);
        keyword.add(&convert::parents_of_rows(std::mem::replace(&mut waiting, goes_on)))?;
    }
    keyword.add(&convert::parents_of_rows(waiting))
}
