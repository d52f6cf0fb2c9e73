//! Tries an embedding model before it is added.
//!
//! A graph that loads may still belong to another tokenizer, ignore the padding mask, or give the same vector for every
//! text. A search would only show bad results.

use std::borrow::Cow;

use super::engine::Engine;
use super::model::{LARGEST_DIMENSION, Model, Quantization};
use super::sessions::{embed, load_session, named};
use crate::error::{Error, Result};
use crate::threads::cores;
use crate::vectors::dot;

/// Tokens of the long text: more than the positions of many models, few enough to run quickly.
const LONG: usize = 600;
/// The largest difference of a vector's length from 1.
const TOLERANCE: f32 = 1e-3;
/// The least cosine of a text's vectors alone and in a batch.
const SAME: f32 = 0.999;
/// Vectors with at least this cosine are the same.
const EQUAL: f32 = 0.999_99;

/// Two unrelated texts in each of several languages, so that every model can read some.
const TEXTS: [&str; 6] = [
    "The pump moves water uphill.",
    "A law on the copyright of books was passed in the year 1709, and it has been changed many times since then.",
    "水泵把水抽到高处。",
    "一部关于图书版权的法律于一七〇九年通过。",
    "Насос качает воду.",
    "Закон об авторском праве на книги был принят в 1709 году.",
];

/// What a model gave for test texts.
pub(crate) struct Trial {
    pub(crate) dimension: usize,
    /// The cosine of unrelated texts in the language in which the model separates them best.
    pub(crate) unrelated: f32,
}

/// Embeds test texts and `more`, and checks the vectors.
///
/// # Errors
/// The model cannot be loaded, or its vectors are unusable.
pub(crate) fn try_out(engine: &Engine, model: &Model, more: &[String]) -> Result<Trial> {
    let mut session = load_session(engine, model, cores())?;
    let long = "pump ".repeat(model.embedding_config.max_tokens.min(LONG));
    let own = more.iter().map(String::as_str).chain([long.as_str()]);
    let texts: Vec<&str> = TEXTS.into_iter().chain(own).collect();
    let alone = texts.iter().map(|text| embed(&mut session, engine, model, &[Cow::Borrowed(*text)]));
    let alone = alone.collect::<Result<Vec<_>>>()?.concat();
    let wrong = |reason: String| {
        Error::failed(format!("{} cannot be used: {reason}", named(model)))
            .hint("its files may not belong together, or it is not an embedding model; download it again")
    };
    let dimension = check(&alone).map_err(wrong)?;
    if alone.len() != texts.len() {
        return Err(wrong(format!("it gave {} vectors for {} texts", alone.len(), texts.len())));
    }
    if model.embedding_config.quantization != Quantization::Dynamic {
        let batch: Vec<Cow<'_, str>> = TEXTS.into_iter().map(Cow::Borrowed).collect();
        let together = embed(&mut session, engine, model, &batch)?;
        let least = alone.iter().zip(&together).map(|(a, b)| dot(a, b)).fold(1.0, f32::min);
        if together.len() != TEXTS.len() || least < SAME {
            return Err(wrong("it gives a text a different vector when other texts are in the batch".to_owned()));
        }
    }
    // The two texts of a language are neighbours.
    let unrelated = alone[..TEXTS.len()].chunks_exact(2).map(|pair| dot(&pair[0], &pair[1])).fold(1.0, f32::min);
    Ok(Trial { dimension, unrelated })
}

/// The dimension of the vectors of different texts, or the reason why they are unusable.
fn check(vectors: &[Vec<f32>]) -> Result<usize, String> {
    let dimension = vectors.first().map_or(0, Vec::len);
    if dimension == 0 || vectors.iter().any(|vector| vector.len() != dimension) {
        return Err("it gives vectors of different lengths, or empty ones".to_owned());
    }
    if dimension > LARGEST_DIMENSION {
        return Err(format!("it gives vectors of {dimension} numbers"));
    }
    if vectors.iter().flatten().any(|number| !number.is_finite()) {
        return Err("it gives vectors with invalid numbers".to_owned());
    }
    if vectors.iter().any(|vector| (dot(vector, vector).sqrt() - 1.0).abs() > TOLERANCE) {
        return Err("it gives vectors that are zero".to_owned());
    }
    let different = vectors.iter().any(|vector| dot(vector, &vectors[0]) < EQUAL);
    if different { Ok(dimension) } else { Err("it gives the same vector for every text".to_owned()) }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::embed::{EngineChoice, select};

    #[test]
    fn the_embedded_model_passes() {
        let engine = select(&EngineChoice::Tract).unwrap();
        let model: Arc<Model> = Model::embedded();
        let Trial { dimension, unrelated } = try_out(&engine, &model, &["more".to_owned()]).unwrap();
        assert_eq!(dimension, 384);
        assert!((unrelated - model.unrelated).abs() < 0.005, "{unrelated}");
    }

    #[test]
    fn vectors_of_no_length_or_of_several_are_refused() {
        for vectors in [vec![], vec![vec![]], vec![vec![1.0], vec![1.0, 0.0]]] {
            assert!(check(&vectors).unwrap_err().contains("different lengths, or empty ones"), "{vectors:?}");
        }
    }
}
