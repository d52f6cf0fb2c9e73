//! Tests that both engines and kb itself must pass with the embedded model: it gives the similarities in
//! `models/reference.json`, which come from the full-precision model in another implementation.

// A failing helper ends the test, as it should.
#![allow(clippy::unwrap_used)]

pub mod alike;

#[path = "../common/repository.rs"]
mod repository;

use kb::internals::embed::{Embedder, EngineChoice, Model, select};
use repository::in_repository;
use serde_json::Value;

/// The embedded model on an engine.
pub fn on_engine(choice: &EngineChoice) -> Embedder {
    Embedder::on_engine(&select(choice).unwrap(), &Model::embedded(), 2).unwrap()
}

pub fn agrees_with_the_reference(embedder: &Embedder) {
    let path = in_repository("models/reference.json");
    let reference: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let allowed = reference["max_deviation"].as_f64().unwrap();
    let pairs = reference["pairs"].as_array().unwrap();
    assert!(pairs.len() >= 10);
    let texts: Vec<&str> =
        pairs.iter().flat_map(|pair| [pair["a"].as_str().unwrap(), pair["b"].as_str().unwrap()]).collect();
    let together = embedder.embed_documents(&texts, &|_| {}).unwrap();
    for (pair, vectors) in pairs.iter().zip(together.chunks(2)) {
        let expected = pair["similarity"].as_f64().unwrap();
        let found = cosine(&vectors[0], &vectors[1]);
        assert!((found - expected).abs() <= allowed, "{pair}: {found}");
    }
    for (text, vector) in texts.iter().zip(&together) {
        assert_eq!(vector.len(), embedder.model().embedding_config.dimension);
        assert!((vector.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-3, "{text:?}");
    }
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum()
}
