//! Reports text that the embedding model cannot read. It is not embedded, and the user should know before a search.

use serde::Serialize;

use super::prepare::Prepared;
use crate::embed::{Coverage, Embedder};
use crate::error::Result;
use crate::models::{BetterModel, Models, model_that_reads};
use crate::text::{char_count, truncate};

/// Parent chunks sampled from a document, spread from its beginning to its end.
const SAMPLES: usize = 4;
/// Characters sampled from each.
const SAMPLE_CHARS: usize = 400;
/// Bytes of sampled text, readable and unreadable each, from which a better model is chosen.
const MOST_KEPT: usize = 4000;
/// A text counts as unreadable if the model reads a smaller share of it.
const LEAST_SHARE: f32 = 0.5;
/// A smaller share of text that the model cannot read is not reported.
const LEAST_REPORTED: f32 = 0.1;

/// The text of a run that the model cannot read.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LanguagesReport {
    pub model: String,
    /// Embedded documents.
    pub documents: usize,
    /// Those of which the model reads less than half.
    pub documents_not_read: usize,
    /// The share of their text that it does not read, from 0 to 1.
    pub share_not_read: f32,
    /// A model that reads it; `None` if none is known.
    pub better: Option<BetterModel>,
}

/// Whether a model can read a text. Other text gets no vectors, because they would mean little.
pub(super) fn is_read(text: &str, coverage: &Coverage) -> bool {
    coverage.share(text) >= LEAST_SHARE
}

/// Samples documents as they are embedded.
#[derive(Debug, Default)]
pub(super) struct LanguageSampler {
    model: String,
    documents: usize,
    documents_not_read: usize,
    chars: f64,
    chars_read: f64,
    /// Samples of documents that the model cannot read.
    unread: String,
    /// Samples of documents that it can read, and that a better model must read too.
    read: String,
}

impl LanguageSampler {
    /// # Errors
    /// If the engine has crashed.
    pub(super) fn sample(&mut self, prepared: &Prepared, embedder: &Embedder) -> Result<()> {
        let parents: Vec<&str> = prepared.new.parents.iter().map(|parent| parent.content.as_str()).collect();
        let step = parents.len().div_ceil(SAMPLES).max(1);
        let sample: Vec<String> = parents.iter().step_by(step).map(|text| truncate(text, SAMPLE_CHARS)).collect();
        let sample = sample.join("\n");
        let share = embedder.reads(&sample)?;
        let chars = parents.iter().map(|text| char_count(text)).sum::<usize>() as f64;
        self.model.clone_from(&embedder.model().name);
        self.documents += 1;
        self.chars += chars;
        self.chars_read += chars * f64::from(share);
        let is_read = share >= LEAST_SHARE;
        self.documents_not_read += usize::from(!is_read);
        let kept = if is_read { &mut self.read } else { &mut self.unread };
        if kept.len() < MOST_KEPT {
            kept.push_str(&sample);
            kept.push('\n');
        }
        Ok(())
    }

    /// `None` if the model reads nearly all.
    ///
    /// # Errors
    /// If the list of models is damaged.
    pub(super) fn report(&self, models: &Models) -> Result<Option<LanguagesReport>> {
        if self.chars <= 0.0 || self.documents_not_read == 0 {
            return Ok(None);
        }
        let share_not_read = (1.0 - self.chars_read / self.chars) as f32;
        if share_not_read < LEAST_REPORTED {
            return Ok(None);
        }
        // A few readable documents among many unreadable ones do not count.
        let texts: &[&str] = match share_not_read > 1.0 - LEAST_REPORTED {
            true => &[&self.unread],
            false => &[&self.unread, &self.read],
        };
        Ok(Some(LanguagesReport {
            model: self.model.clone(),
            documents: self.documents,
            documents_not_read: self.documents_not_read,
            share_not_read,
            better: model_that_reads(texts, models),
        }))
    }
}
