//! A text's vector is the same in every batch, on every engine and without one.

use kb::internals::embed::Embedder;
use serde_json::Value;

use super::cosine;
use super::repository::in_repository;

/// Least cosine of two vectors of the same text.
const ALIKE: f64 = 0.99999;
/// The number of odd texts; they follow the first.
const ODD: usize = 7;

/// The vectors of all texts, after comparing them in different batches.
pub fn in_every_batch(embedder: &Embedder) -> Vec<Vec<f32>> {
    let texts = texts();
    let embed = |texts: &[&str]| embedder.embed_documents(texts, &|_| {}).unwrap();
    let all: Vec<&str> = texts.iter().map(String::as_str).collect();
    let alone: Vec<Vec<f32>> = all.iter().map(|text| embedder.embed_query(text).unwrap()).collect();
    let reversed: Vec<&str> = all.iter().rev().copied().collect();
    let batches = [
        ("together", embed(&all)),
        ("reversed", embed(&reversed).into_iter().rev().collect()),
        ("in fives", all.chunks(5).flat_map(embed).collect()),
    ];
    for (how, vectors) in &batches {
        same(how, &alone, vectors);
    }
    let beside: Vec<Vec<f32>> = all[1..=ODD].iter().map(|text| embed(&[text, all[0]]).swap_remove(0)).collect();
    same("beside a long one", &alone[1..=ODD], &beside);
    alone
}

/// Asserts that the vectors of the texts are the same.
pub fn same(how: &str, ones: &[Vec<f32>], others: &[Vec<f32>]) {
    assert!(!ones.is_empty() && ones.len() == others.len());
    for (number, (one, other)) in ones.iter().zip(others).enumerate() {
        let found = cosine(one, other);
        assert!(found >= ALIKE, "{how}: {found} for text {number}");
    }
}

/// Texts of all lengths, the first the longest: more than the model takes.
fn texts() -> Vec<String> {
    let path = in_repository("models/reference.json");
    let reference: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let pairs = reference["pairs"].as_array().unwrap();
    let of_pairs = pairs.iter().flat_map(|pair| [&pair["a"], &pair["b"]]).map(|text| text.as_str().unwrap().to_owned());
    let odd =
        ["", " ", "pump", "启动水泵之前先打开排气阀。", "E-417", "🚢🚢🚢", "\u{7f}\u{0}control"].map(str::to_owned);
    let mut texts = vec!["Before the pump is started, the vent is opened. ".repeat(60)];
    texts.extend(odd);
    texts.extend(of_pairs);
    texts
}
