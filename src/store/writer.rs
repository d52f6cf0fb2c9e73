//! The one writer: makes the next generation and publishes it.
//!
//! Publishing: write the Lance tables (readers still see the manifest's versions), record in the history what the
//! generation did, sync all of that, name the new versions in `PENDING.json`, commit tantivy with the new number,
//! rename `PENDING.json` to `MANIFEST.json`. A writer that finds `PENDING.json` rolls forward if tantivy carries its
//! number, otherwise back.

use std::borrow::Cow;
use std::collections::HashMap;

use super::convert::{self, Columns, VECTOR};
use super::durable::{SyncedFiles, sync_above};
use super::entities::EntityChange;
use super::fault::step;
use super::format::Format;
use super::history::{Note, Pruned, Record, Retention, prune, record};
use super::indexes::{fewest_indexed_rows, most_outside};
use super::keyword::KeywordWriter;
use super::layout::Namespace;
use super::lock::{LockTimeout, WriterLock};
use super::manifest::{Manifest, ModelRecord};
use super::recovery::{OlderGeneration, clear_unfinished, recover_pending};
use super::rows::{DocumentRow, NewDocument, SectionRow};
use super::scan::Wanted;
use super::tables::{MOST_SMALL_FILES, Tables};
use super::version_files::remove_unpublished;
use crate::error::{Error, NextStep, Result};
use crate::ids::DocId;
use crate::notice;

/// In the history.
const RECOVERY: &str = "recovery";

/// The changes of one generation. A document that is both removed and added is replaced.
#[derive(Debug, Default)]
pub struct Change {
    /// Documents to remove, with all their sections and chunks.
    pub remove: Vec<DocId>,
    pub add: Vec<NewDocument>,
    /// Document rows to replace without their sections and chunks: moved or touched files, changed profiles.
    pub update: Vec<DocumentRow>,
    /// Entities to put and to remove. The other entities get new counts of mentions in the documents above.
    pub entities: EntityChange,
    pub note: Note,
}

impl Change {
    pub fn is_empty(&self) -> bool {
        self.remove.is_empty() && self.add.is_empty() && self.update.is_empty() && self.entities.is_empty()
    }

    /// Whether a document or chunk brings a vector.
    fn has_vectors(&self) -> bool {
        let mut documents = self.add.iter().map(|new| &new.document).chain(&self.update);
        let mut chunks = self.add.iter().flat_map(NewDocument::chunks);
        documents.any(|row| !row.vector.is_empty()) || chunks.any(|chunk| !chunk.vector.is_empty())
    }
}

/// How the keyword index changes in the next generation.
pub(super) enum KeywordStep<'a> {
    Change(&'a Change),
    /// Replaces these documents by those of the tables.
    Replace(&'a [DocId]),
    Rebuild,
    /// Only sets the new number, because the text is the same.
    Same,
}

/// A namespace, open for writing.
pub struct Writer {
    namespace: Namespace,
    manifest: Manifest,
    pub(super) tables: Tables,
    /// Whether anything in the tables may have a vector.
    pub(super) may_have_vectors: bool,
    durable: SyncedFiles,
    pub(super) keyword: KeywordWriter,
    /// When the writer opened the namespace. All publications of one writer are one run.
    begun_at: String,
    /// What the run has done.
    note: Note,
    /// Where warnings about a publication are reported.
    lock_timeout: LockTimeout,
    /// Whether a warning about old generations that stay was given.
    reported: bool,
    _lock: WriterLock,
}

impl Writer {
    /// Opens a namespace for writing, creates it if it does not exist, and repairs what an interrupted publication
    /// left.
    pub async fn open(namespace: &Namespace, model: &ModelRecord) -> Result<Self> {
        Writer::open_or_wait(namespace, model, &LockTimeout::none()).await
    }

    /// Like [`open`](Self::open), but waits for another writer. Data read before may then be out of date.
    pub async fn open_or_wait(namespace: &Namespace, model: &ModelRecord, lock_timeout: &LockTimeout) -> Result<Self> {
        let lock = WriterLock::take_or_create(namespace, lock_timeout).await?;
        let writer = Writer::open_locked(namespace, model, lock, lock_timeout).await?;
        if writer.manifest.model != *model {
            let (theirs, own) = (&writer.manifest.model.name, &model.name);
            return Err(Error::failed(format!(
                "the namespace {:?} has vectors of the model {theirs}, not of {own}: another process published them",
                namespace.name()
            ))
            .hint("run the command again"));
        }
        Ok(writer)
    }

    /// Like [`open_or_wait`](Self::open_or_wait) for an existing namespace with vectors of any model.
    pub async fn open_existing(namespace: &Namespace, lock_timeout: &LockTimeout) -> Result<Self> {
        let lock = WriterLock::take(namespace, lock_timeout).await?;
        let Some(manifest) = Manifest::read(namespace)?.or(Manifest::read_pending(namespace)?) else {
            return Err(namespace.nothing_ingested());
        };
        Writer::open_locked(namespace, &manifest.model, lock, lock_timeout).await
    }

    /// Opens a namespace. `model` is the model of the vectors if nothing is published.
    async fn open_locked(
        namespace: &Namespace,
        model: &ModelRecord,
        lock: WriterLock,
        lock_timeout: &LockTimeout,
    ) -> Result<Self> {
        let begun_at = jiff::Timestamp::now().to_string();
        Format::raise(namespace.store())?;
        namespace.clear_removed();
        clear_unfinished(namespace);
        // Lists the files before the recovery, whose changes have to be synced like those of a publication.
        let durable = SyncedFiles::of(namespace)?;
        let (keyword, carried) = KeywordWriter::open(namespace)?.unzip();
        let carried = carried.flatten();
        recover_pending(namespace, carried)?;
        let published = Manifest::read(namespace)?;
        let older = match &published {
            Some(published) => OlderGeneration::if_needed(namespace, published).await?,
            None => None,
        };
        match &older {
            Some(older) => older.discard_newer_versions(namespace).await?,
            None => remove_unpublished(namespace, published.as_ref())?,
        }
        let tables = match &published {
            None => Tables::create(namespace, model.dimension).await?,
            Some(_) => Tables::open(namespace).await?,
        };
        // Publishing an older generation again rebuilds the keyword index anyway.
        let is_of_published = carried == published.as_ref().map(|published| published.generation);
        let keyword = keyword.filter(|_| older.is_some() || is_of_published);
        let keyword = match (keyword, &published, &older) {
            (Some(keyword), ..) => keyword,
            (None, Some(published), None) => {
                KeywordWriter::rebuild(namespace, &tables, published.generation).await?.replace_existing(namespace)?
            }
            (None, ..) => KeywordWriter::create_beside(namespace)?.replace_existing(namespace)?,
        };
        let mut writer = Writer {
            namespace: namespace.clone(),
            may_have_vectors: published.as_ref().is_some_and(|published| published.may_have_vectors),
            manifest: published.unwrap_or_else(|| Manifest::unpublished(model)),
            tables,
            durable,
            keyword,
            begun_at,
            note: Note::default(),
            lock_timeout: lock_timeout.clone(),
            reported: false,
            _lock: lock,
        };
        if let Some(older) = older {
            let generation = writer.publish_again(&older.manifest).await?;
            let text = format!("{}; {} is published again as generation {generation}", older.what, older.in_words());
            notice::give(&text);
        }
        Ok(writer)
    }

    /// Publishes an old generation in place of an unreadable one.
    pub(super) async fn publish_again(&mut self, old: &Manifest) -> Result<u64> {
        let note = Note { restored: Some(old.generation), ..Note::of(RECOVERY) };
        self.publish_restored(old, KeywordStep::Rebuild, &note).await
    }

    /// Repairs what an interrupted publication left, for a reader that found tables and keyword index in disagreement.
    /// Does nothing while another process writes, because that process repairs it.
    pub async fn recover(namespace: &Namespace) -> Result<()> {
        let Some(manifest) = Manifest::read(namespace)?.or(Manifest::read_pending(namespace)?) else {
            return Ok(());
        };
        let Some(lock) = WriterLock::try_take(namespace)? else { return Ok(()) };
        Writer::open_locked(namespace, &manifest.model, lock, &LockTimeout::none()).await.map(drop)
    }

    pub fn namespace(&self) -> &Namespace {
        &self.namespace
    }

    /// The published generation.
    pub(super) fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The model of the published vectors.
    pub fn model(&self) -> &ModelRecord {
        &self.manifest.model
    }

    /// The number of the published generation; 0 if there is none.
    pub fn generation(&self) -> u64 {
        self.manifest.generation
    }

    /// Publishes a change as the next generation and returns its number. After an error readers see the previous
    /// generation, and the next writer repairs the rest.
    pub async fn publish(&mut self, change: &Change) -> Result<u64> {
        self.publish_with(change, KeywordStep::Change(change)).await
    }

    /// Publishes a change of the tables with another step of the keyword index.
    pub(super) async fn publish_with(&mut self, change: &Change, keyword: KeywordStep<'_>) -> Result<u64> {
        self.begin()?;
        self.write_tables(change).await?;
        self.finish(self.manifest.model.clone(), keyword, &change.note).await
    }

    /// Publishes an old generation, whose tables must exist, as the next one.
    pub(super) async fn publish_restored(
        &mut self,
        old: &Manifest,
        keyword: KeywordStep<'_>,
        note: &Note,
    ) -> Result<u64> {
        self.begin()?;
        self.tables.restore(old).await?;
        self.may_have_vectors |= old.may_have_vectors;
        step("tables restored")?;
        self.finish(old.model.clone(), keyword, note).await
    }

    /// Begins a publication. A mistake in the settings stops it here instead of halfway.
    pub(super) fn begin(&self) -> Result<()> {
        Retention::of(&self.namespace)?;
        step("begun")
    }

    /// Publishes the current state of the tables.
    pub(super) async fn finish(&mut self, model: ModelRecord, keyword: KeywordStep<'_>, note: &Note) -> Result<u64> {
        let retention = Retention::of(&self.namespace)?;
        let [documents, sections, chunks, entities] = self.tables.versions().await?;
        let published_at = jiff::Timestamp::now().to_string();
        let generation = self.manifest.generation.checked_add(1).ok_or_else(|| {
            Error::failed("the published generation has the highest possible number")
                .hint(format!("kb did not write this manifest: restore it from a copy, or see `{}`", NextStep::Check))
        })?;
        let may_have_vectors = self.may_have_vectors;
        let next =
            Manifest { generation, documents, sections, chunks, entities, model, may_have_vectors, published_at };
        let written = self.write_keyword(keyword, generation).await;
        let rebuilt = written.map_err(|error| self.keyword.roll_back(error))?;
        step("keyword written")?;
        let note = self.note.clone().and(note);
        self.write_history(&next, &note)?;
        step("history written")?;
        self.durable.sync()?;
        if self.manifest.generation == 0 {
            sync_above(&self.namespace)?;
        }
        step("tables synced")?;
        if let Err(error) = self.announce_and_commit(&next, rebuilt) {
            // If the disk refuses this too, the next writer does it.
            drop(recover_pending(&self.namespace, self.keyword.committed()));
            return Err(error);
        }
        Manifest::publish_pending(&self.namespace)?;
        step("published")?;
        (self.manifest, self.note) = (next, note);
        // The generation is published, even if this fails: the next publication tries again.
        drop(self.keyword.merge());
        self.tidy(&retention).await;
        Ok(generation)
    }

    /// Changes the keyword index. A rebuilt one is returned, and takes its place instead of a commit.
    async fn write_keyword(&mut self, keyword: KeywordStep<'_>, generation: u64) -> Result<Option<KeywordWriter>> {
        match keyword {
            KeywordStep::Same => {}
            KeywordStep::Replace(doc_ids) => self.keyword.replace_from(&self.tables, doc_ids).await?,
            // On Windows, readers would prevent the exchange of the folder.
            KeywordStep::Rebuild if cfg!(windows) => self.keyword.refill_from(&self.tables).await?,
            KeywordStep::Rebuild => {
                return KeywordWriter::rebuild(&self.namespace, &self.tables, generation).await.map(Some);
            }
            KeywordStep::Change(change) => {
                self.keyword.delete_documents(&change.remove);
                let profile = |new: &NewDocument| {
                    let row = &new.document;
                    Some((row.doc_id.clone(), row.profile.as_ref()?.indexed()?))
                };
                let mut profiles = change.add.iter().filter_map(profile).collect();
                change.add.iter().try_for_each(|new| self.keyword.add(&new.parents, &mut profiles))?;
            }
        }
        Ok(None)
    }

    /// Removes old generations. A failure is only reported, because the generation is already published.
    async fn tidy(&mut self, retention: &Retention) {
        let generation = self.manifest.generation;
        let stays = match prune(&self.namespace, &self.tables, &self.manifest, retention).await {
            Err(error) => {
                // Reported every time, because the reason may be a new one.
                self.lock_timeout.tell(&format!(
                    "generation {generation} is published, but old ones could not be removed: {}; the next publication tries again",
                    error.to_line()
                ));
                return;
            }
            Ok(Pruned { without_locks: true, .. }) => Some(format!(
                "old generations stay in {}: the file system has no locks, so kb cannot tell whether a reader needs \
                 them",
                self.namespace.root().display()
            )),
            Ok(Pruned { damaged, .. }) => damaged
                .first()
                .map(|first| format!("{}: {}; `{}` removes it", first.id(), first.problem(), NextStep::Repair)),
        };
        if let Some(stays) = stays.filter(|_| !std::mem::replace(&mut self.reported, true)) {
            self.lock_timeout.tell(&stays);
        }
    }

    /// The commit decides: after it, the next generation counts as published, although the manifest does not name it
    /// yet.
    fn announce_and_commit(&mut self, next: &Manifest, rebuilt: Option<KeywordWriter>) -> Result<()> {
        next.write_pending(&self.namespace)?;
        step("pending written")?;
        match rebuilt {
            Some(rebuilt) => self.keyword = rebuilt.replace_existing(&self.namespace)?,
            None => self.keyword.commit(next.generation)?,
        }
        step("keyword committed")
    }

    /// Writes the record of the next generation, and that of the published one if it was lost and that one can be read.
    fn write_history(&self, next: &Manifest, note: &Note) -> Result<()> {
        let is_readable = self.manifest.generation > 0 && note.command != RECOVERY;
        if is_readable && record(&self.namespace, self.manifest.generation)?.is_none() {
            Record::of_unknown(&self.manifest).write(&self.namespace)?;
        }
        let (manifest, begun_at) = (next.clone(), Some(self.begun_at.clone()));
        Record { manifest, begun_at, note: Some(note.clone()) }.write(&self.namespace)
    }

    async fn write_tables(&mut self, change: &Change) -> Result<()> {
        self.may_have_vectors |= change.has_vectors();
        let tables = &self.tables;
        let documents = self.with_their_vectors(change).await?;
        let replaced: Vec<DocId> =
            change.remove.iter().cloned().chain(change.update.iter().map(|row| row.doc_id.clone())).collect();
        tables.delete(&tables.documents, "doc_id", &replaced).await?;
        step("documents deleted")?;
        tables.delete(&tables.sections, "doc_id", &change.remove).await?;
        step("sections deleted")?;
        tables.delete(&tables.chunks, "doc_id", &change.remove).await?;
        step("chunks deleted")?;
        let documents: Vec<&DocumentRow> = documents.iter().map(AsRef::as_ref).collect();
        let dimension = self.manifest.model.dimension;
        let sections: Vec<&SectionRow> = change.add.iter().flat_map(|new| &new.sections).collect();
        let parents = change.add.iter().flat_map(|new| &new.parents);
        tables.append(&tables.documents, convert::documents_to_batch(&documents, dimension)?).await?;
        step("documents written")?;
        tables.append(&tables.sections, convert::sections_to_batch(&sections)?).await?;
        step("sections written")?;
        tables.append_chunks(parents, dimension).await?;
        step("chunks written")?;
        tables.write_entities(&change.entities, &change.remove, &change.add).await?;
        step("entities written")?;
        self.tidy_tables().await
    }

    /// Joins many small files, and makes and extends indexes.
    pub(super) async fn tidy_tables(&self) -> Result<()> {
        self.tables.compact(MOST_SMALL_FILES).await?;
        step("tables compacted")?;
        let fewest = fewest_indexed_rows();
        self.tables.index(fewest, most_outside(fewest)).await?;
        step("tables indexed")
    }

    /// The document rows to write. Rows are mostly read without their vectors, so rows that keep theirs get it from the
    /// table.
    async fn with_their_vectors<'c>(&self, change: &'c Change) -> Result<Vec<Cow<'c, DocumentRow>>> {
        let rows: Vec<&DocumentRow> = change.add.iter().map(|new| &new.document).chain(&change.update).collect();
        let keeps = |row: &DocumentRow| row.embedding_hash.is_some() && row.vector.is_empty();
        let keeping: Vec<DocId> = rows.iter().filter(|row| keeps(row)).map(|row| row.doc_id.clone()).collect();
        let (wanted, columns) = (("doc_id", &keeping[..]), Wanted::Named(&["doc_id", VECTOR]));
        let read = |columns: &Columns, row| Ok((columns.text("doc_id", row)?, columns.vector(VECTOR, row)?));
        let kept = self.tables.read_with(&self.tables.documents, wanted, columns, read).await?;
        let mut kept: HashMap<String, Option<Vec<f32>>> = kept.into_iter().collect();
        let with_vector = |row: &'c DocumentRow| {
            if !keeps(row) {
                return Cow::Borrowed(row);
            }
            Cow::Owned(match kept.remove(row.doc_id.as_str()).flatten() {
                Some(vector) => DocumentRow { vector, ..row.clone() },
                None => DocumentRow { embedding_hash: None, ..row.clone() },
            })
        };
        Ok(rows.into_iter().map(with_vector).collect())
    }
}
