//! Reports text that the embedding model cannot read. It is not embedded, and the user should know before a search.

use serde::Serialize;

use crate::embed::{Coverage, Embedder};
use crate::error::Result;
use crate::store::ParentChunk;
use crate::text::{char_count, truncate};

/// Parent chunks sampled from a document, spread from its beginning to its end.
const SAMPLES: usize = 4;
/// Characters sampled from each.
const SAMPLE_CHARS: usize = 400;
/// A text counts as unreadable if the model reads a smaller share of it.
const LEAST_SHARE: f32 = 0.5;
/// If the model cannot read smaller shares of the text and of the documents, this is not reported.
const LEAST_REPORTED: f32 = 0.1;

/// The text of a run that the model cannot read.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LanguagesReport {
    pub model: String,
    /// Embedded documents.
    pub documents: usize,
    /// Those of which the model reads less than half.
    pub documents_not_read: usize,
    /// The share of their text that it does not read, from 0 to 1.
    pub share_not_read: f32,
}

/// Whether a model can read a text. Other text gets no vectors, because they would mean little.
pub(super) fn is_read(text: &str, coverage: &Coverage) -> bool {
    coverage.share(text) >= LEAST_SHARE
}

/// Samples documents as they are embedded.
#[derive(Debug, Default)]
pub(super) struct LanguageSampler {
    /// Its share is computed at the end.
    report: LanguagesReport,
    chars: f64,
    chars_read: f64,
}

impl LanguageSampler {
    pub(super) fn sample(&mut self, parents: &[ParentChunk], embedder: &Embedder) -> Result<()> {
        let parents: Vec<&str> = parents.iter().map(|parent| parent.content.as_str()).collect();
        let step = parents.len().div_ceil(SAMPLES).max(1);
        let sample: Vec<String> = parents.iter().step_by(step).map(|text| truncate(text, SAMPLE_CHARS)).collect();
        let share = embedder.readability(&sample.join("\n"))?;
        let chars = parents.iter().map(|text| char_count(text)).sum::<usize>() as f64;
        self.report.model.clone_from(&embedder.model().name);
        self.report.documents += 1;
        self.chars += chars;
        self.chars_read += chars * f64::from(share);
        self.report.documents_not_read += usize::from(share < LEAST_SHARE);
        Ok(())
    }

    /// `None` if the model reads nearly all.
    pub(super) fn report(&self) -> Option<LanguagesReport> {
        let share_not_read = (1.0 - self.chars_read / self.chars.max(1.0)) as f32;
        // A few short documents are little of the text, but no search finds them by meaning.
        let LanguagesReport { documents, documents_not_read, .. } = self.report;
        let share_of_documents = documents_not_read as f32 / documents.max(1) as f32;
        let is_much = share_not_read.max(share_of_documents) >= LEAST_REPORTED;
        let is_reported = self.chars > 0.0 && documents_not_read > 0 && is_much;
        is_reported.then(|| LanguagesReport { share_not_read, ..self.report.clone() })
    }
}
