//! Whether the model that makes the vectors can read the documents that are put in: otherwise their vectors say little, and
//! somebody should know before they search.

use serde::Serialize;

use super::Prepared;
use crate::embed::Embedder;
use crate::error::Result;
use crate::models::{Models, model_that_reads};
use crate::store::ChunkType;
use crate::text::{char_count, truncate};

/// So many of a document's passages are looked at, from its beginning to its end …
const SAMPLES: usize = 4;
/// … and so many characters of each.
const SAMPLE_CHARS: usize = 400;
/// Bytes of text that the model cannot read, and as many of text that it can, by which another one is chosen.
const MOST_KEPT: usize = 4000;
/// A document of which the model reads less is one that it does not know the language of.
const LEAST_SHARE: f32 = 0.5;
/// Less than this share of text that cannot be read is not worth telling.
const LEAST_TOLD: f32 = 0.1;

/// What the model cannot read of the documents that it has embedded.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LanguagesReport {
    /// The model.
    pub model: String,
    /// Documents that were embedded.
    pub documents: usize,
    /// Those of whose text it reads less than half.
    pub documents_not_read: usize,
    /// The share of all their text that it does not read, from 0 to 1.
    pub share_not_read: f32,
    /// A model that reads it; `None` where none is known.
    pub better: Option<String>,
}

/// Looks at documents as they are embedded.
#[derive(Debug, Default)]
pub(super) struct LanguageSense {
    model: String,
    documents: usize,
    documents_not_read: usize,
    chars: f64,
    chars_read: f64,
    /// Samples of documents that it does not read …
    unread: String,
    /// … and of those that it does: another model must not lose these.
    read: String,
}

impl LanguageSense {
    /// Looks at a document that a model embeds.
    ///
    /// # Errors
    /// Where the engine has crashed.
    pub(super) fn look(&mut self, prepared: &Prepared, embedder: &Embedder) -> Result<()> {
        let parents: Vec<&str> = prepared
            .new
            .chunks
            .iter()
            .filter(|row| row.chunk_type == ChunkType::Parent)
            .map(|row| row.content.as_str())
            .collect();
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

    /// What it could not read; `None` where that is little.
    ///
    /// # Errors
    /// Where the list of models is damaged.
    pub(super) fn report(&self, models: &Models) -> Result<Option<LanguagesReport>> {
        if self.chars <= 0.0 || self.documents_not_read == 0 {
            return Ok(None);
        }
        let share_not_read = (1.0 - self.chars_read / self.chars) as f32;
        if share_not_read < LEAST_TOLD {
            return Ok(None);
        }
        // A few documents that it reads among many that it does not are no reason to look for more.
        let texts: &[&str] = match share_not_read > 1.0 - LEAST_TOLD {
            true => &[&self.unread],
            false => &[&self.unread, &self.read],
        };
        Ok(Some(LanguagesReport {
            model: self.model.clone(),
            documents: self.documents,
            documents_not_read: self.documents_not_read,
            share_not_read,
            better: model_that_reads(texts, models)?,
        }))
    }
}
