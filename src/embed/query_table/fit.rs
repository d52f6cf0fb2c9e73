//! Examples to a table: ridge regression, and rows rounded to bytes.

use super::features::{Features, features_of, most_features};
use super::pieces::Vocabulary;
use super::solve::{Problem, Sparse, solve};
use super::{About, QueryTable};
use crate::embed::model::TOKENIZER;
use crate::error::{Error, Result};

/// How strongly rows are held towards 0. What few examples have is held more, in effect.
const RIDGE: f32 = 0.05;
/// More steps of the solver change the third digit of the cosine, and fit what is rare too closely.
const STEPS: usize = 20;
/// The largest number of a row.
const LARGEST: f32 = 127.0;

/// A text and where the model puts it.
#[derive(Debug, Clone, Copy)]
pub struct Example<'e> {
    /// The text.
    pub text: &'e str,
    /// Its vector, of length 1.
    pub vector: &'e [f32],
    /// How much it counts.
    pub weight: f32,
}

/// Fits tables.
pub struct Fit {
    vocabulary: Vocabulary,
    dimension: usize,
    /// How many threads.
    jobs: usize,
}

impl Fit {
    /// A fit of tables whose rows have so many numbers, by so many threads.
    ///
    /// # Errors
    /// Where the vocabulary cannot be read; it is part of the program, so that would be a fault of the build.
    pub fn new(dimension: usize, jobs: usize) -> Result<Self> {
        Ok(Fit { vocabulary: Vocabulary::of_tokenizer(TOKENIZER)?, dimension, jobs })
    }

    #[cfg(test)]
    pub(super) fn with(vocabulary: Vocabulary, dimension: usize) -> Self {
        Fit { vocabulary, dimension, jobs: 2 }
    }

    /// The table of some examples. `progress` is told of the share that is done, from several threads.
    ///
    /// # Errors
    /// Where there is nothing to learn from, or a vector is none.
    pub fn table(self, examples: &[Example<'_>], about: About, progress: &(dyn Fn(f64) + Sync)) -> Result<QueryTable> {
        let Fit { vocabulary, dimension, jobs } = self;
        let mut kept: Vec<(Features, &Example<'_>)> = Vec::with_capacity(examples.len());
        let mut places = vec![None; most_features(&vocabulary)];
        for example in examples {
            if example.vector.len() != dimension || !example.vector.iter().all(|number| number.is_finite()) {
                return Err(Error::failed("a vector that the query encoder was to learn from is none"));
            }
            let features = features_of(&vocabulary, example.text).features;
            // Its length alone teaches nothing.
            if !features.is_empty() {
                features.iter().for_each(|(feature, _)| places[*feature as usize] = Some(0u32));
                kept.push((features, example));
            }
        }
        if kept.is_empty() {
            return Err(Error::failed("no text has a word that a query encoder could learn"));
        }
        let mut features = Vec::new();
        for (feature, place) in places.iter_mut().enumerate().filter(|(_, place)| place.is_some()) {
            *place = Some(features.len() as u32);
            features.push(feature as u32);
        }
        let mut matrix = Sparse::of_width(features.len());
        let mut wanted = Vec::with_capacity(kept.len() * dimension);
        for (seen, example) in kept {
            let root = example.weight.max(0.0).sqrt();
            let place = |(feature, weight): (u32, f32)| Some((places[feature as usize]?, weight * root));
            matrix.push(seen.into_iter().filter_map(place));
            wanted.extend(example.vector.iter().map(|number| number * root));
        }
        let problem = Problem { examples: &matrix, wanted: &wanted, dimension, ridge: RIDGE, steps: STEPS };
        let solved = solve(&problem, jobs, progress)?;
        let (scales, rows) = rounded(&solved, dimension);
        Ok(QueryTable { about, dimension, vocabulary, features, scales, rows })
    }
}

/// Rows as bytes, each with its scale.
fn rounded(rows: &[f32], dimension: usize) -> (Vec<f32>, Vec<u8>) {
    let mut scales = Vec::with_capacity(rows.len() / dimension.max(1));
    let mut bytes = Vec::with_capacity(rows.len());
    for row in rows.chunks_exact(dimension) {
        let largest = row.iter().fold(0.0f32, |largest, number| largest.max(number.abs()));
        let scale = largest / LARGEST;
        scales.push(scale);
        // In range by the scale; a row of zeros stays one.
        bytes.extend(row.iter().map(|number| if scale > 0.0 { (number / scale).round() as i8 as u8 } else { 0 }));
    }
    (scales, bytes)
}

/// The mean cosine between a table's vectors of texts and the model's. Of a text that it knows nothing of it is 0.
pub fn agreement(table: &QueryTable, texts: &[&str], vectors: &[Vec<f32>]) -> f32 {
    let cosine = |(text, wanted): (&&str, &Vec<f32>)| -> f32 {
        table.encode(text).vector.map_or(0.0, |vector| vector.iter().zip(wanted).map(|(a, b)| a * b).sum())
    };
    let sum: f32 = texts.iter().zip(vectors).map(cosine).sum();
    sum / texts.len().max(1) as f32
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(in super::super) fn about() -> About {
        About {
            model: "m".to_owned(),
            fingerprint: "f".to_owned(),
            generation: 3,
            made_at: "2026-01-01T00:00:00Z".to_owned(),
            texts: 4,
            agreement: 0.9,
            held_out: 2,
        }
    }

    const WORDS: [&str; 6] = ["pump", "valve", "water", "seal", "stop", "open"];

    /// A table of a teacher that adds up fixed vectors of words.
    pub(in super::super) fn small() -> QueryTable {
        taught(3, 8).0
    }

    fn taught(seed: u64, dimension: usize) -> (QueryTable, Vec<(String, Vec<f32>)>) {
        let mut random = fastrand::Rng::with_seed(seed);
        let rows: Vec<Vec<f32>> = WORDS.iter().map(|_| (0..dimension).map(|_| random.f32() - 0.5).collect()).collect();
        let text = |random: &mut fastrand::Rng| {
            let words: Vec<usize> = (0..random.usize(1..5)).map(|_| random.usize(..WORDS.len())).collect();
            let mut vector = vec![0.0; dimension];
            words.iter().for_each(|&word| vector.iter_mut().zip(&rows[word]).for_each(|(sum, one)| *sum += one));
            let length = (words.len() as f32).powf(0.75);
            vector.iter_mut().for_each(|number| *number /= length);
            (words.iter().map(|&word| WORDS[word]).collect::<Vec<_>>().join(" "), vector)
        };
        let known: Vec<(String, Vec<f32>)> = (0..400).map(|_| text(&mut random)).collect();
        let new: Vec<(String, Vec<f32>)> = (0..20).map(|_| text(&mut random)).collect();
        let example = |one: &'_ (String, Vec<f32>)| -> (String, Vec<f32>) { one.clone() };
        let known: Vec<_> = known.iter().map(example).collect();
        let examples: Vec<Example<'_>> =
            known.iter().map(|(text, vector)| Example { text, vector, weight: 1.0 }).collect();
        let fit = Fit::with(Vocabulary::of(WORDS.into_iter()), dimension);
        (fit.table(&examples, about(), &|_| ()).unwrap(), new)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn a_teacher_that_adds_up_words_is_learnt(seed in 0u64..500) {
            let (table, new) = taught(seed, 8);
            for (text, vector) in &new {
                let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
                let wanted: Vec<f32> = vector.iter().map(|number| number / length).collect();
                prop_assert!(length < 0.05 || agreement(&table, &[text.as_str()], &[wanted]) > 0.98, "{text}");
            }
        }
    }

    #[test]
    fn what_was_never_seen_is_unknown() {
        let table = small();
        assert_eq!(table.encode("pump water").unknown, 0);
        assert_eq!(table.encode("pump rattles").unknown, 1);
        let nothing = table.encode("rattles ?");
        assert_eq!((nothing.vector, nothing.unknown), (None, 2));
        let length: f32 = table.encode("seal").vector.unwrap().iter().map(|number| number * number).sum();
        assert!((length - 1.0).abs() < 1e-5);
        assert_eq!(agreement(&table, &["rattles"], &[vec![1.0; 8]]), 0.0);
    }

    #[test]
    fn nothing_to_learn_from_and_vectors_that_are_none_are_refused() {
        let fit = || Fit::with(Vocabulary::of(WORDS.into_iter()), 2);
        let refused = |text: &str, vector: &[f32]| {
            fit().table(&[Example { text, vector, weight: 1.0 }], about(), &|_| ()).unwrap_err().to_string()
        };
        assert!(refused("rattles", &[1.0, 0.0]).contains("no text"));
        assert!(refused("pump", &[1.0]).contains("vector"));
        assert!(refused("pump", &[f32::NAN, 0.0]).contains("vector"));
    }
}
