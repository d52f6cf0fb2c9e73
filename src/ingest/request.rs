//! The request, the report and the progress of an ingest.

use std::collections::HashSet;
use std::path::PathBuf;

use serde::Serialize;

use super::languages::LanguagesReport;
use super::metadata::{MetadataRule, given};
use super::profile::lacks_profile;
use super::source::standard_input_source;
use super::worker::Reading;
use reqwest::Url;

use crate::chunk::{ChunkChange, ChunkConfig};
use crate::error::{Result, Setting};
use crate::ids::DocId;
use crate::llm::{Estimate, LlmConfig, LlmReport};
use crate::load::Format;
use crate::models::ModelChoice;
use crate::store::{DocumentRow, DocumentTime, LockTimeout, Metadata, MetadataChanges, Store};
use crate::structure::Provenance;

#[derive(Debug, Clone)]
pub struct IngestRequest {
    /// Files and folders.
    pub paths: Vec<PathBuf>,
    /// The folders that all files must lie in, as [`real`](crate::paths::real) paths; empty for any.
    pub within: Vec<PathBuf>,
    /// The name and the bytes of standard input.
    pub standard_input: Option<(String, Vec<u8>)>,
    /// Pages on the web, by their addresses.
    pub pages: Vec<Url>,
    /// Whether pages may be on this machine or in a private network.
    pub allow_private: bool,
    /// Only files in folders that match one of these globs; empty means all.
    pub include: Vec<String>,
    /// Skip files and folders that match one of these globs.
    pub exclude: Vec<String>,
    /// The format of all files, whatever their names.
    pub format: Option<Format>,
    pub reading: Reading,
    /// Changes to how documents are cut, from their stored settings or the defaults.
    pub chunks: ChunkChange,
    /// Metadata by the paths of sources.
    pub rules: Vec<MetadataRule>,
    /// Metadata from the options, for all documents of the run.
    pub metadata: MetadataChanges,
    /// Remove documents whose file is gone from the folders.
    pub prune: bool,
    /// Report what would happen, without writing.
    pub dry_run: bool,
    /// Read unchanged files again.
    pub force: bool,
    /// The date of the content, which overrides the document's own.
    pub time: Option<DocumentTime>,
    /// Make vectors. Without them, keyword search alone finds a document until it is ingested with vectors.
    pub embed: bool,
    /// Larger files are refused; `None` means the defaults of [`IngestRequest::largest`].
    pub max_file_bytes: Option<u64>,
}

/// Where to ingest into. The store is created when there is something to write, so that a run in which every file fails
/// leaves nothing behind.
pub struct Target<'a> {
    /// May not exist yet.
    pub store: Store,
    pub create: &'a dyn Fn() -> Result<Store>,
    pub namespace: String,
    /// The language model that writes chunk contexts, for documents that want them.
    pub llm: LlmConfig,
    pub model: ModelChoice,
    pub lock_timeout: LockTimeout,
    /// Asks whether to remove documents although their files may only be out of reach.
    pub confirm: &'a dyn Fn(&SuspiciousRemoval) -> Result<bool>,
}

/// The largest PDF, DOCX or EPUB by default: they are mostly pictures.
const LARGEST_WITH_PICTURES: u64 = 500 << 20;
/// The largest file of any other format by default: 20 MB of text are 6,000 pages and an hour of embedding.
const LARGEST_TEXT: u64 = 20 << 20;

impl IngestRequest {
    /// The names before those of the sources in the named files and folders.
    pub(super) fn named_sources(&self, store: &Store) -> HashSet<String> {
        self.paths.iter().flat_map(|path| store.names_before(path)).collect()
    }

    /// Standard input and the pages, as the store names sources.
    pub(super) fn sources_besides_files(&self) -> Vec<String> {
        let input = self.standard_input.iter().map(|(name, _)| standard_input_source(name));
        input.chain(self.pages.iter().map(|page| page.as_str().to_owned())).collect()
    }

    /// The largest file of this format, in bytes.
    pub fn largest(&self, format: Option<Format>) -> u64 {
        let default = if format.is_some_and(Format::holds_pictures) { LARGEST_WITH_PICTURES } else { LARGEST_TEXT };
        self.max_file_bytes.unwrap_or(default)
    }

    /// Whether a document must be read again although its file has not changed.
    pub(super) fn must_read(&self, row: &DocumentRow) -> bool {
        // A correction of its sections was dropped while the source was missing.
        let stale = row.corrected_toc.is_none() && row.toc_method == Provenance::Edited.name();
        let other_context = self.chunks.context.is_some_and(|context| row.chunking.context != context);
        let other_format = self.format.is_some_and(|format| format.name() != row.format);
        self.force || stale || lacks_profile(row, self.embed) || other_context || other_format
    }

    /// How to cut a document that is in the store as `before`.
    pub(super) fn chunking_of(&self, before: Option<&DocumentRow>) -> ChunkConfig {
        before.map_or_else(ChunkConfig::default, |row| row.chunking).with(&self.chunks)
    }

    /// The time of a document with unchanged content, whose file has `mtime_ns`.
    pub(super) fn time_of(&self, row: &DocumentRow, mtime_ns: i64) -> Option<DocumentTime> {
        let given = self.time.clone().or_else(|| row.time.clone().filter(DocumentTime::is_given));
        given.or_else(|| DocumentTime::of(&row.metadata.texts(), mtime_ns))
    }

    /// Whether a document with unchanged content gets another date.
    pub(super) fn changes_date(&self, row: &DocumentRow) -> bool {
        self.time.is_some() && self.time != row.time
    }

    /// The metadata of a source: what rules and the file beside it give now, what people set, the options included, and
    /// what the stored document `before` states.
    pub(super) fn metadata_of(&self, source: &str, store: &Store, before: Option<&DocumentRow>) -> Result<Metadata> {
        let mut metadata = before.map(|row| row.metadata.clone()).unwrap_or_default();
        metadata.given = given(&self.rules, &self.within, source, store)?;
        metadata.set.extend(&self.metadata);
        Ok(metadata)
    }

    /// Whether the metadata of a stored document changes, or cannot be read.
    pub(super) fn changes_metadata(&self, row: &DocumentRow, store: &Store) -> bool {
        self.metadata_of(&row.source, store, Some(row)).map_or(true, |metadata| metadata != row.metadata)
    }

    /// Whether a document gets the vectors that it lacks.
    pub(super) fn lacks_vectors(&self, row: &DocumentRow) -> bool {
        self.embed && !row.embedded
    }

    /// What is done with a document whose file has not changed.
    pub(super) fn action_if_unchanged(&self, row: &DocumentRow) -> Action {
        if self.lacks_vectors(row) { Action::Embedded } else { Action::Unchanged }
    }
}

/// The outcome of a source.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Action {
    #[default]
    Added,
    /// With other content than before.
    Updated,
    /// Known under another path.
    Moved,
    /// Unchanged, and got its missing vectors.
    Embedded,
    Unchanged,
    /// Its file is gone.
    Removed,
    /// Its file is gone, and it stays.
    Stale,
    /// A file in a folder, of a format that kb does not read.
    Skipped,
    /// Not readable; the store keeps what it had.
    Failed,
}

impl Action {
    /// In the order of summaries.
    pub const ALL: [Action; 9] = [
        Action::Added,
        Action::Updated,
        Action::Moved,
        Action::Embedded,
        Action::Unchanged,
        Action::Removed,
        Action::Stale,
        Action::Skipped,
        Action::Failed,
    ];

    /// The name used in output.
    pub fn name(self) -> &'static str {
        match self {
            Action::Added => "added",
            Action::Updated => "updated",
            Action::Moved => "moved",
            Action::Embedded => "embedded",
            Action::Unchanged => "unchanged",
            Action::Removed => "removed",
            Action::Stale => "stale",
            Action::Skipped => "skipped",
            Action::Failed => "failed",
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SourceReport {
    pub source: String,
    pub action: Action,
    /// `None` for a source that failed.
    pub doc_id: Option<DocId>,
    pub pages: Option<u32>,
    pub sections: u32,
    pub parents: u32,
    /// Edits that apply to the new text.
    pub edits_carried: usize,
    /// Edits that conflict with the new text.
    pub edits_in_conflict: usize,
    /// Why it failed, is stale or was skipped.
    pub reason: Option<String>,
    pub hint: Option<String>,
    /// Whether it failed in the run before too.
    pub failed_before: bool,
    pub warnings: Vec<String>,
}

impl SourceReport {
    /// The outcome of a source whose document is `row`.
    pub(super) fn of(source: &str, action: Action, row: &DocumentRow) -> Self {
        SourceReport {
            source: source.to_owned(),
            action,
            doc_id: Some(row.doc_id.clone()),
            pages: row.pages,
            sections: row.sections,
            parents: row.parents,
            warnings: row.warnings.clone(),
            ..SourceReport::default()
        }
    }

    pub(super) fn failed(source: &str, reason: String, hint: Option<String>) -> Self {
        let (source, reason) = (source.to_owned(), Some(reason));
        SourceReport { source, action: Action::Failed, reason, hint, ..SourceReport::default() }
    }

    /// A file in a folder that is not read.
    pub(super) fn skipped(source: String) -> Self {
        let reason = Some("kb does not read its format".to_owned());
        let hint = Some(format!("{} names the format of files", Setting("as")));
        SourceReport { source, action: Action::Skipped, reason, hint, ..SourceReport::default() }
    }

    /// A document that stays although its file is gone.
    pub(super) fn stale(row: &DocumentRow) -> Self {
        let reason = Some("its file is gone".to_owned());
        let hint = Some(format!("{} removes it", Setting("prune")));
        SourceReport { reason, hint, warnings: Vec::new(), ..SourceReport::of(&row.source, Action::Stale, row) }
    }
}

/// What an ingest did, or in a dry run would do.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct IngestReport {
    pub dry_run: bool,
    /// In order of their names.
    pub sources: Vec<SourceReport>,
    /// Child chunks embedded in this run.
    pub embedded: usize,
    /// Child chunks that kept or shared a vector.
    pub reused: usize,
    pub without_vectors: usize,
    /// The name of the namespace's embedding model.
    pub model: String,
    /// The generation published last; `None` if nothing was published.
    pub generation: Option<u64>,
    /// The text that the embedding model cannot read; `None` if it is little.
    pub languages: Option<LanguagesReport>,
    /// The chunk contexts of the language model; `None` if no document wants them.
    pub contexts: Option<ContextsReport>,
    /// Documents that stay although their files are gone: their removal was not confirmed.
    pub not_removed: Option<SuspiciousRemoval>,
    pub seconds: f64,
    /// Notes for the user about the whole run, each with its code.
    pub notes: Vec<(&'static str, String)>,
}

/// What a run asked of the language model, or would ask.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ContextsReport {
    /// Parent chunks that want a context.
    pub parents: usize,
    /// Those that got none. They keep the old one, or get the one of the rules.
    pub without: usize,
    /// The requests; `None` if no model is configured.
    pub model: Option<LlmReport>,
    /// The requests that a dry run counted.
    pub estimate: Option<Estimate>,
}

impl IngestReport {
    pub fn count(&self, action: Action) -> usize {
        self.sources.iter().filter(|report| report.action == action).count()
    }
}

/// Documents whose files are gone: so many that their folder or disk may only be out of reach.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SuspiciousRemoval {
    pub documents: usize,
    /// All documents of the namespace.
    pub of: usize,
    /// The named folder that has no file left, if there is one.
    pub emptied: Option<String>,
}

/// Receives the progress of an ingest, from several threads.
pub trait Progress: Send + Sync {
    /// Reading begins. `bytes` is the size of all files.
    fn begin(&self, files: usize, bytes: u64);
    /// A file was read, or found unchanged.
    fn file_read(&self);
    /// Child chunks were embedded. `bytes` is the corresponding size of files.
    fn embedded(&self, chunks: usize, bytes: u64);
    /// The language model was asked for the contexts of these parent chunks.
    fn contexts_requested(&self, parent_chunks: usize);
    /// Documents were published. They stay even if the run fails.
    fn published(&self, documents: usize);
    fn failed(&self, source: &str, reason: &str);
    fn end(&self);
}

/// Shows nothing.
impl Progress for () {
    fn begin(&self, _files: usize, _bytes: u64) {}
    fn file_read(&self) {}
    fn embedded(&self, _chunks: usize, _bytes: u64) {}
    fn contexts_requested(&self, _parent_chunks: usize) {}
    fn published(&self, _documents: usize) {}
    fn failed(&self, _source: &str, _reason: &str) {}
    fn end(&self) {}
}
