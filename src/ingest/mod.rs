//! Scan, plan, load, chunk, embed, publish.
//!
//! Only what changed is read again, and only chunks whose text changed are embedded again. Files are loaded by
//! several threads and meet the embedder through a bounded channel, so memory does not grow with the folder. Each
//! batch is published as one generation: an interrupted run loses at most the batch it was working on. A file that
//! fails costs itself; what the store held of it stays.

mod edits;
mod index;
mod languages;
mod lines;
mod plan;
mod prepare;
mod profile;
mod query_encoder;
mod rebuild;
mod recontext;
mod reindex;
mod revector;
mod run;
mod scan;
mod source;
mod spread;
mod stored;

use std::path::PathBuf;

use serde::Serialize;

use crate::chunk::ChunkConfig;
use crate::chunk::context::ContextKind;
use crate::load::worker::Limits;
use crate::load::{Format, LoadOptions};
use crate::store::{DocumentRow, DocumentTime};
use crate::structure::Provenance;

pub use index::{Indexer, KnownVectors, Vectors};
pub use languages::LanguagesReport;
pub use lines::{LineWriter, LinesReport};
pub use prepare::{Prepared, SourceFacts, corrected_toc, prepare};
pub use query_encoder::{FitOptions, QueryEncoderReport, fit_query_encoder};
pub use rebuild::{RebuildOptions, Rebuilder, Rebuilt, SourceNow, anew, read_source, read_stored};
pub use recontext::recontext;
pub use reindex::{ReindexReport, ReindexRequest, ReindexedDocument, TextFrom, reindex};
pub use revector::{RevectorReport, RevectorRequest, revector};
pub use run::{Target, run};

/// What to ingest and how.
#[derive(Debug, Clone)]
pub struct IngestRequest {
    /// Files and folders.
    pub paths: Vec<PathBuf>,
    /// Bytes from standard input with the name they get.
    pub standard_input: Option<(String, Vec<u8>)>,
    /// Only files in folders that match one of these globs; all, where there is none.
    pub include: Vec<String>,
    /// Not the files and folders that match one of these globs.
    pub exclude: Vec<String>,
    /// The format of all files, whatever their names say.
    pub format: Option<Format>,
    /// For the loaders.
    pub load: LoadOptions,
    /// How to cut.
    pub chunking: ChunkConfig,
    /// What stands in front of chunks; `None` for what a document has already, or what `chunking` says for a new one.
    pub context: Option<ContextKind>,
    /// Take documents out whose file is gone from the folders.
    pub prune: bool,
    /// Only say what would happen.
    pub dry_run: bool,
    /// Read files again that have not changed.
    pub force: bool,
    /// When what is ingested is from, whatever it says itself.
    pub time: Option<DocumentTime>,
    /// Make vectors. Without, documents are found by their words alone until they are ingested again with.
    pub embed: bool,
    /// Larger files are refused; `None` means [`IngestRequest::largest`]'s defaults.
    pub max_file_bytes: Option<u64>,
    /// A file that takes longer to parse is given up, a page that does is left out.
    pub limits: Limits,
    /// How many threads load, and embed.
    pub jobs: usize,
}

/// The largest PDF, DOCX or EPUB that is read unless more is asked for: they are mostly pictures.
const LARGEST_WITH_PICTURES: u64 = 500 << 20;
/// The largest file of any other format: 20 MB of text are 6,000 pages and an hour of embedding.
const LARGEST_TEXT: u64 = 20 << 20;

impl IngestRequest {
    /// How many bytes a file of this format may have.
    pub fn largest(&self, format: Option<Format>) -> u64 {
        let default = if format.is_some_and(Format::holds_pictures) { LARGEST_WITH_PICTURES } else { LARGEST_TEXT };
        self.max_file_bytes.unwrap_or(default)
    }

    /// Whether a document must be read again although its file has not changed.
    fn must_read(&self, row: &DocumentRow) -> bool {
        // Its sections are those of a correction that was dropped while the source was not at hand.
        let stale = row.corrected_toc.is_none() && row.toc_method == Provenance::Edited.name();
        self.force || stale || self.lacks_vectors(row) || self.places_anew(row)
    }

    /// Whether something else is to stand in front of a document's chunks.
    fn places_anew(&self, row: &DocumentRow) -> bool {
        self.context.is_some_and(|context| ChunkConfig::of(&row.chunking).context != context)
    }

    /// How a document is cut that was in the store as `before`.
    fn chunking_of(&self, before: Option<&DocumentRow>) -> ChunkConfig {
        let known = before.map(|row| ChunkConfig::of(&row.chunking).context);
        ChunkConfig { context: self.context.or(known).unwrap_or(self.chunking.context), ..self.chunking }
    }

    /// The time that a document with unchanged content gets or keeps, its file's being `mtime_ns`.
    fn time_of(&self, row: &DocumentRow, mtime_ns: i64) -> Option<DocumentTime> {
        let given = self.time.clone().or_else(|| row.time.clone().filter(DocumentTime::is_given));
        given.or_else(|| DocumentTime::of(&row.metadata, mtime_ns))
    }

    /// Whether a document with unchanged content gets another time.
    fn dates_anew(&self, row: &DocumentRow) -> bool {
        self.time.is_some() && self.time != row.time
    }

    fn lacks_vectors(&self, row: &DocumentRow) -> bool {
        self.embed && !row.embedded
    }
}

/// What happened to a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Was not there before.
    Added,
    /// Was there with other content.
    Updated,
    /// Was there under another path.
    Moved,
    /// Was there, the same, without vectors; now it has them.
    Embedded,
    /// Was there, the same.
    Unchanged,
    /// Is gone and was taken out.
    Removed,
    /// Could not be read; what was there before still is.
    Failed,
}

impl Action {
    /// All of them, in the order in which summaries name them.
    pub const ALL: [Action; 7] = [
        Action::Added,
        Action::Updated,
        Action::Moved,
        Action::Embedded,
        Action::Unchanged,
        Action::Removed,
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
            Action::Failed => "failed",
        }
    }
}

/// One line of the report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SourceReport {
    /// The source.
    pub source: String,
    /// What happened to it.
    pub action: Action,
    /// The document's id, where there is one.
    pub doc_id: Option<String>,
    /// Its pages.
    pub pages: Option<u32>,
    /// Its sections.
    pub sections: u32,
    /// Its parent chunks.
    pub parents: u32,
    /// Edits of its chunks that stand on the new text.
    pub edits_carried: usize,
    /// Edits that the new text has overtaken.
    pub edits_in_conflict: usize,
    /// Why it failed.
    pub error: Option<String>,
    /// The next step after a failure.
    pub hint: Option<String>,
    /// What a person should know about it.
    pub warnings: Vec<String>,
}

impl SourceReport {
    fn new(source: &str, action: Action) -> Self {
        SourceReport {
            source: source.to_owned(),
            action,
            doc_id: None,
            pages: None,
            sections: 0,
            parents: 0,
            edits_carried: 0,
            edits_in_conflict: 0,
            error: None,
            hint: None,
            warnings: Vec::new(),
        }
    }
}

/// What an ingest did, or with `dry_run` would do.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct IngestReport {
    /// Whether nothing was written because it was only asked.
    pub dry_run: bool,
    /// A line per source, by source.
    pub sources: Vec<SourceReport>,
    /// Files in the folders that are of no format we read.
    pub skipped: usize,
    /// Child chunks embedded in this run.
    pub embedded: usize,
    /// Child chunks whose vectors were there already.
    pub reused: usize,
    /// Documents among them that were put in without vectors.
    pub without_vectors: usize,
    /// Unchanged documents that got a profile, because an earlier version put them in.
    pub profiled: usize,
    /// The name of the model of the namespace's vectors.
    pub model: String,
    /// The generation published last; `None` where nothing was published.
    pub generation: Option<u64>,
    /// What the model of the vectors could not read of what it embedded; `None` where that is little.
    pub languages: Option<LanguagesReport>,
    /// What a language model was asked to say of passages, or would be; `None` where no document wants it.
    pub lines: Option<LinesReport>,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// What a person should know about the run.
    pub notes: Vec<String>,
}

impl IngestReport {
    /// How many sources had this happen to them.
    pub fn count(&self, action: Action) -> usize {
        self.sources.iter().filter(|report| report.action == action).count()
    }
}

/// Is told how an ingest goes. Called from several threads.
pub trait Progress: Send + Sync {
    /// So many files of so many bytes together are to be read.
    fn begin(&self, files: usize, bytes: u64);
    /// A file is read, or was found to need no reading; so many are.
    fn file_read(&self, source: &str);
    /// Child chunks were embedded that stand for so many bytes of files.
    fn embedded(&self, chunks: usize, bytes: u64);
    /// A language model was asked about so many passages.
    fn placed(&self, passages: usize);
    /// A file failed.
    fn failed(&self, source: &str, reason: &str);
    /// It is over.
    fn end(&self);
}
