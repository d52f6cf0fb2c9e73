//! Whether a model does what an embedding model does, before anything is trusted to it.
//!
//! A graph that loads may still be of another model than its tokenizer, ignore which tokens are padding, or give the same
//! vector for everything. None of that would ever be seen in a search but as bad results.

use std::borrow::Cow;

use fastembed::TextEmbedding;

use super::crash::guarded;
use super::engine::Engine;
use super::model::{Model, Quantization};
use super::{load_session, named};
use crate::error::{Error, Result};

/// Vectors of more numbers are none that a store could hold.
const LARGEST_DIMENSION: usize = 16_384;
/// Tokens of a long text: more than the places that many models have, no more than what is quickly read.
const LONG: usize = 600;
/// How far the length of a vector may be from 1.
const TOLERANCE: f32 = 1e-3;
/// Vectors of the same text, alone and among others, are at least so alike.
const SAME: f32 = 0.999;
/// Vectors that are more alike than this are the same.
const EQUAL: f32 = 0.999_99;

/// Texts in several languages, so that every model can read some.
const TEXTS: [&str; 6] = [
    "The pump moves water uphill.",
    "A law on the copyright of books was passed in the year 1709, and it has been changed many times since then.",
    "水泵把水抽到高处。",
    "一部关于图书版权的法律于一七〇九年通过。",
    "Насос качает воду.",
    "Закон об авторском праве на книги был принят в 1709 году.",
];

/// Has a model embed some texts, `more` among them, and gives the dimension of its vectors.
///
/// # Errors
/// Where it cannot be loaded, or its vectors are not what vectors have to be.
pub(crate) fn try_out(engine: &Engine, model: &Model, more: &[String]) -> Result<usize> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut session = load_session(engine, model, threads)?;
    let long = "pump ".repeat(model.habits.max_tokens.min(LONG));
    let own = more.iter().map(String::as_str).chain([long.as_str()]);
    let texts: Vec<&str> = TEXTS.into_iter().chain(own).collect();
    let mut alone = Vec::with_capacity(texts.len());
    for text in &texts {
        alone.extend(run(&mut session, engine, model, &[Cow::Borrowed(*text)])?);
    }
    let wrong = |told: String| {
        Error::failed(format!("{} cannot be used: {told}", named(model)))
            .hint("its files may not belong together, or it is no embedding model; download it again")
    };
    let dimension = check(&alone).map_err(wrong)?;
    if alone.len() != texts.len() {
        return Err(wrong(format!("it gave {} vectors for {} texts", alone.len(), texts.len())));
    }
    if model.habits.quantization != Quantization::Dynamic {
        let batch: Vec<Cow<'_, str>> = TEXTS.into_iter().map(Cow::Borrowed).collect();
        let together = run(&mut session, engine, model, &batch)?;
        let least = alone.iter().zip(&together).map(|(a, b)| cosine(a, b)).fold(1.0, f32::min);
        if together.len() != TEXTS.len() || least < SAME {
            let told = "it gives a text another vector when other texts are read with it";
            return Err(wrong(told.to_owned()));
        }
    }
    Ok(dimension)
}

fn run(session: &mut TextEmbedding, engine: &Engine, model: &Model, texts: &[Cow<'_, str>]) -> Result<Vec<Vec<f32>>> {
    guarded(&named(model), || {
        session.embed(texts, Some(texts.len())).map_err(|error| {
            let told = crate::text::squeeze(&error.to_string());
            Error::failed(format!("{} failed on {}: {told}", named(model), engine.name()))
                .hint("try the other engine (--onnxruntime), or another model")
        })
    })
}

/// What is wrong with the vectors of different texts; their dimension where nothing is.
fn check(vectors: &[Vec<f32>]) -> std::result::Result<usize, String> {
    let dimension = vectors.first().map_or(0, Vec::len);
    if dimension == 0 || vectors.iter().any(|vector| vector.len() != dimension) {
        return Err("it gives vectors of different lengths, or empty ones".to_owned());
    }
    if dimension > LARGEST_DIMENSION {
        return Err(format!("it gives vectors of {dimension} numbers"));
    }
    if vectors.iter().flatten().any(|number| !number.is_finite()) {
        return Err("it gives vectors with numbers that are none".to_owned());
    }
    if vectors.iter().any(|vector| (cosine(vector, vector).sqrt() - 1.0).abs() > TOLERANCE) {
        return Err("it gives vectors that are zero".to_owned());
    }
    let different = vectors.iter().any(|vector| cosine(vector, &vectors[0]) < EQUAL);
    if different { Ok(dimension) } else { Err("it gives the same vector for every text".to_owned()) }
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
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
        assert_eq!(try_out(&engine, &model, &["more".to_owned()]).unwrap(), 384);
    }

    #[test]
    fn what_is_no_vector_is_told() {
        let told = |vectors: &[&[f32]]| check(&vectors.iter().map(|v| v.to_vec()).collect::<Vec<_>>());
        assert_eq!(told(&[&[1.0, 0.0], &[0.0, 1.0]]), Ok(2));
        for (vectors, says) in [
            (&[][..], "empty"),
            (&[&[][..]][..], "empty"),
            (&[&[1.0][..], &[1.0, 0.0]][..], "different lengths"),
            (&[&[1.0, 0.0][..], &[f32::NAN, 0.0]][..], "none"),
            (&[&[1.0, 0.0][..], &[0.0, 0.0]][..], "zero"),
            (&[&[1.0, 0.0][..], &[1.0, 0.0]][..], "the same vector"),
        ] {
            assert!(told(vectors).unwrap_err().contains(says), "{says}");
        }
    }
}
