//! A query encoder that needs no transformer: a table with a row for each word piece, fitted so that the weighted sum of
//! a question's rows lands where the full model puts the question.
//!
//! It is fitted to one store, by the store's own passages ([`teaching`], [`fit`]), because that is what carries it: a
//! table for any text whatever is far worse (`ARCHITECTURE.md` has the figures). A table is opened in milliseconds,
//! makes a vector in microseconds, and knows what it does not know: a question with a piece that it has no row for is one
//! for the model. Documents are always embedded by the model.
//!
//! A table is bound to the model it was fitted to by that model's fingerprint. It is never a source of truth: one that is
//! missing, damaged or another model's is passed over, and made again by `kb reindex --query-encoder`.

mod features;
mod file;
mod fit;
mod pieces;
mod solve;
mod teaching;

use std::path::Path;

use serde::{Deserialize, Serialize};

pub use fit::{Example, Fit, agreement};
pub use teaching::{Lessons, Teacher};

use features::{features_of, is_piece};
use pieces::Vocabulary;

use crate::error::Result;

/// The name of the file, in the folder of a namespace.
pub const QUERY_TABLE: &str = "query-encoder.table";

/// What a table was made of, and how good it came out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// The name of the model that it stands in for.
    pub model: String,
    /// That model's fingerprint.
    pub fingerprint: String,
    /// The generation that it was fitted to.
    pub generation: u64,
    /// When, RFC 3339.
    pub made_at: String,
    /// How many texts it was fitted to.
    pub texts: usize,
    /// The mean cosine between its vectors and the model's, of spans of sentences that it was not fitted to; it may have been
    /// fitted to whole pieces that have those sentences in them.
    pub agreement: f32,
    /// How many those were.
    pub held_out: usize,
}

/// A fitted table.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryTable {
    about: About,
    dimension: usize,
    vocabulary: Vocabulary,
    /// The features that have a row, in order.
    features: Vec<u32>,
    /// What a row's numbers are multiplied by.
    scales: Vec<f32>,
    /// The rows, one behind the other, as they stand in the file: each byte a signed number.
    rows: Vec<u8>,
}

/// A question's vector by a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Encoded {
    /// Of length 1; `None` where the table knows nothing of the question.
    pub vector: Option<Vec<f32>>,
    /// How many pieces and words of the question have no row.
    pub unknown: usize,
    /// The share of the question's letters that are in words, and not spelt letter by letter.
    pub share: f32,
}

impl QueryTable {
    /// Opens the table in a file; `None` where there is no file.
    ///
    /// # Errors
    /// Where the file cannot be read, is damaged, or of a newer version.
    pub fn open(path: &Path) -> Result<Option<Self>> {
        file::open(path)
    }

    /// Reads what a table was made of; `None` where there is no file.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub fn about_file(path: &Path) -> Result<Option<About>> {
        Ok(file::open(path)?.map(|table| table.about))
    }

    /// Writes it to a file, which has the whole of it or what it had before.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn write(&self, path: &Path) -> Result<()> {
        file::write(self, path)
    }

    /// What it was made of.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The same, with what was found of how good it is.
    pub fn judged(mut self, agreement: f32) -> Self {
        self.about.agreement = agreement;
        self
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.features.len()
    }

    /// How many numbers its vectors have.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// How many bytes its file has.
    pub fn bytes(&self) -> usize {
        file::length(self)
    }

    /// A question's vector.
    pub fn encode(&self, question: &str) -> Encoded {
        let seen = features_of(&self.vocabulary, question);
        let mut unknown = seen.unknown;
        let mut vector = vec![0.0f32; self.dimension];
        for (feature, weight) in seen.features {
            let Ok(row) = self.features.binary_search(&feature) else {
                // Which piece is first or last may be new; that it is there must not be.
                unknown += usize::from(is_piece(&self.vocabulary, feature));
                continue;
            };
            let weight = weight * self.scales[row];
            let row = &self.rows[row * self.dimension..(row + 1) * self.dimension];
            vector.iter_mut().zip(row).for_each(|(sum, &number)| *sum += weight * f32::from(number as i8));
        }
        let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
        // A table that somebody made up may be of numbers whose sum is none.
        let vector = (length > f32::EPSILON && length.is_finite()).then(|| {
            vector.iter_mut().for_each(|number| *number /= length);
            vector
        });
        Encoded { vector, unknown, share: seen.share }
    }
}
