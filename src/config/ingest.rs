//! The settings of an ingest: flags and the table `[ingest]` in `kb.toml` are these structs.

use std::collections::BTreeMap;
use std::time::Duration;

use clap::Args;
use serde::Deserialize;

use super::values::Whole;
use crate::chunk::context::ContextKind;
use crate::chunk::{ChunkChange, ChunkConfig};
use crate::error::{Error, Result, Setting};
use crate::ingest::MetadataRule;
use crate::ingest::worker::{Limits, Reading};
use crate::load::{LoadOptions, check_ocr_command};
use crate::store::namespace_name;
use crate::threads::cores;

/// Seconds before kb gives up on a file; a real book of 429 pages takes one.
const FILE_TIMEOUT: usize = 120;
/// Seconds before a page is left out.
const PAGE_TIMEOUT: usize = 20;
/// The same if an OCR program reads pages.
const OCR_PAGE_TIMEOUT: usize = 120;
/// Seconds for a file if an OCR program may read every page.
const OCR_FILE_TIMEOUT: usize = 3600;
/// Memory for reading a file, in megabytes, on top of a small multiple of its size. The largest of 356 hostile files
/// and a real book of 429 pages need a tenth of it.
const WORKER_MEMORY: usize = 900;

/// The highest time limit, in seconds.
const DAY: usize = 24 * 60 * 60;
pub const MEGABYTE: u64 = 1 << 20;
/// A terabyte.
const MOST_MEGABYTES: usize = 1 << 20;
/// A number of threads.
pub type Threads = Whole<1, 1024>;

/// The highest limit on the characters of a chunk; a longer one would be a document.
const LONGEST_CHUNK: usize = 20_000;
/// A limit on the characters of a chunk; fewer than 50 do not hold a sentence.
type ChunkChars = Whole<50, LONGEST_CHUNK>;

const READING: &str = "Reading";
const CHUNKS: &str = "Chunks";

// No doc comment: it would become the description of the command.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Args)]
#[serde(deny_unknown_fields)]
pub struct IngestSettings {
    /// Only files in folders that match this glob; repeatable
    #[arg(long, value_name = "GLOB")]
    pub include: Option<Vec<String>>,
    /// Skip files and folders that match this glob; repeatable
    #[arg(long, value_name = "GLOB")]
    pub exclude: Option<Vec<String>>,
    /// The context of parent chunks, which is embedded and indexed with them [default: headings; existing documents
    /// keep theirs]
    #[arg(long, value_enum, value_name = "KIND", env = "KB_INGEST_CONTEXT", hide_short_help = true)]
    pub context: Option<ContextKind>,
    #[arg(skip)]
    pub metadata: Option<Vec<RuleSettings>>,
    /// The lengths of chunks in some namespaces.
    #[arg(skip)]
    pub namespaces: Option<Vec<NamespaceChunks>>,
    #[command(flatten)]
    #[serde(flatten)]
    pub chunks: ChunkSettings,
    /// Reject larger files [default: 500 for PDF, Office files and EPUB, 20 for text]
    #[arg(long, value_name = "MB", hide_short_help = true, help_heading = READING)]
    pub max_file_size: Option<Whole<1, MOST_MEGABYTES>>,
    #[command(flatten)]
    #[serde(flatten)]
    pub reading: ReadingSettings,
}

/// The lengths of chunks in a namespace, or in all below a name (`acme/*`).
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamespaceChunks {
    name: String,
    parent_chars: Option<ChunkChars>,
    child_chars: Option<ChunkChars>,
    overlap_chars: Option<Whole<0, LONGEST_CHUNK>>,
}

impl NamespaceChunks {
    fn is_for(&self, namespace: &str) -> bool {
        match self.name.strip_suffix("/*") {
            Some(above) => {
                let below = namespace_name(above).ok().and_then(|above| namespace.strip_prefix(&above));
                below.is_some_and(|below| below.starts_with('/'))
            }
            None => namespace_name(&self.name).is_ok_and(|own| own == namespace),
        }
    }
}

impl IngestSettings {
    pub(super) fn keys() -> Vec<String> {
        let flags = IngestSettings::augment_args(clap::Command::new(""));
        // A password cannot be set in a file.
        let keys = flags.get_arguments().map(|arg| arg.get_id().to_string()).filter(|key| key != "password");
        keys.chain(["metadata".to_owned(), "namespaces".to_owned()]).collect()
    }

    /// Applies the chunk lengths of a namespace. If several rules match, the last one counts.
    pub fn for_namespace(mut self, namespace: &str) -> Self {
        let namespace = namespace_name(namespace).unwrap_or_default();
        for rule in self.namespaces.iter().flatten().filter(|rule| rule.is_for(&namespace)) {
            let chunks = &mut self.chunks;
            chunks.parent_chars = rule.parent_chars.or(chunks.parent_chars);
            chunks.child_chars = rule.child_chars.or(chunks.child_chars);
            chunks.overlap_chars = rule.overlap_chars.or(chunks.overlap_chars);
        }
        self
    }
}

/// Metadata of the documents whose path matches.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct RuleSettings {
    /// A path or a glob.
    path: String,
    #[serde(flatten)]
    fields: BTreeMap<String, toml::Value>,
}

impl RuleSettings {
    /// # Errors
    /// If the glob cannot be read, or a field cannot be set.
    pub fn rule(self) -> Result<MetadataRule> {
        MetadataRule::new(&self.path, self.fields)
    }
}

// No doc comment, as above.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Args)]
pub struct ChunkSettings {
    /// The maximum length of a parent chunk, in characters [default: 1000; existing documents keep theirs]
    #[arg(long, value_name = "N", hide_short_help = true, help_heading = CHUNKS)]
    pub parent_chars: Option<ChunkChars>,
    /// The maximum length of a child chunk, in characters [default: 300]
    #[arg(long, value_name = "N", hide_short_help = true, help_heading = CHUNKS)]
    pub child_chars: Option<ChunkChars>,
    /// Characters before a child chunk that are embedded with it, for models that read each child alone [default: 100]
    #[arg(long, value_name = "N", hide_short_help = true, help_heading = CHUNKS)]
    pub overlap_chars: Option<Whole<0, LONGEST_CHUNK>>,
}

impl ChunkSettings {
    /// What these settings change, with the context that chunks get.
    ///
    /// # Errors
    /// If a child chunk would be longer than its parent.
    pub fn change(&self, context: Option<ContextKind>) -> Result<ChunkChange> {
        let change = ChunkChange {
            parent_chars: self.parent_chars.map(Whole::get),
            child_chars: self.child_chars.map(Whole::get),
            overlap_chars: self.overlap_chars.map(Whole::get),
            context,
        };
        let parent = change.parent_chars.unwrap_or(ChunkConfig::default().parent_chars);
        for (setting, chars) in [("child_chars", change.child_chars), ("overlap_chars", change.overlap_chars)] {
            if let Some(chars) = chars.filter(|chars| *chars > parent) {
                let (setting, whole) = (Setting(setting), Setting("parent_chars"));
                let message = format!("{setting} {chars} is longer than a parent chunk of {parent} characters");
                return Err(Error::usage(message).hint(format!("lower it, or raise {whole}")));
            }
        }
        Ok(change)
    }
}

// No doc comment, as above.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Args)]
pub struct ReadingSettings {
    /// The password of encrypted PDFs
    #[arg(long, value_name = "PASSWORD", env = "KB_PASSWORD", hide_short_help = true, help_heading = READING)]
    #[serde(skip)]
    pub password: Option<String>,
    /// Give up on a file that takes longer to parse [default: 120, with OCR 3600]
    #[arg(long, value_name = "SECONDS", hide_short_help = true, help_heading = READING)]
    pub file_timeout: Option<Whole<1, DAY>>,
    /// Skip a page that takes longer [default: 20, with OCR 120]
    #[arg(long, value_name = "SECONDS", hide_short_help = true, help_heading = READING)]
    pub page_timeout: Option<Whole<1, DAY>>,
    /// Memory for reading a file, on top of four times its size [default: 900]
    #[arg(long, value_name = "MB", hide_short_help = true, help_heading = READING)]
    pub worker_memory: Option<Whole<1, MOST_MEGABYTES>>,
    /// The program that reads PDF pages without text: {} stands for the path of the page's PNG image, and it prints the
    /// text, for example 'tesseract {} stdout -l chi_sim+eng'
    #[arg(long, value_name = "COMMAND", hide_short_help = true, help_heading = READING)]
    pub ocr_command: Option<String>,
    /// Threads that read and embed [default: one per core]
    #[arg(long, value_name = "N", hide_short_help = true, help_heading = READING)]
    pub jobs: Option<Threads>,
}

impl ReadingSettings {
    /// These settings with their defaults.
    ///
    /// # Errors
    /// If the OCR command is unusable.
    pub fn reading(self) -> Result<Reading> {
        self.ocr_command.as_deref().map(check_ocr_command).transpose()?;
        let (file, page) = match self.ocr_command {
            Some(_) => (OCR_FILE_TIMEOUT, OCR_PAGE_TIMEOUT),
            None => (FILE_TIMEOUT, PAGE_TIMEOUT),
        };
        let seconds = |own: Option<Whole<1, DAY>>, default| Duration::from_secs(own.map_or(default, Whole::get) as u64);
        let limits = Limits {
            file: seconds(self.file_timeout, file),
            page: seconds(self.page_timeout, page),
            memory: self.worker_memory.map_or(WORKER_MEMORY, Whole::get) as u64 * MEGABYTE,
        };
        let jobs = self.jobs.map_or_else(cores, Whole::get);
        let load = LoadOptions { password: self.password, ocr_command: self.ocr_command, ..LoadOptions::default() };
        Ok(Reading { load, limits, jobs })
    }
}
