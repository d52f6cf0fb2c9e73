//! A second look at the best candidates, by signs that neither arm sees: how much of the question a passage and its
//! titles speak of, whether it does so in one place, and how much of it the titles alone say.
//!
//! BM25 lets a word that is often there make up for one that is missing, and a vector is of everything at once. Which
//! words of the question are there at all is a sign of its own ("coordination level" in the field's older literature).
//! What the signs are worth is in `ARCHITECTURE.md`, by `cargo bench --bench ablation`.

use std::collections::HashMap;

use super::fuse::Candidate;
use super::searched::PassageKey;
use crate::store::WordPlaces;

/// Words this near to each other are in one place.
const WINDOW: u32 = 25;

/// How much each sign counts beside the fused score, which counts 1. Every sign goes from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SecondLook {
    /// The share of the question's words, by their weight, that are in the passage or the titles above it.
    pub coverage: f32,
    /// The largest such share within 25 words of the passage.
    pub proximity: f32,
    /// The share of them that are in the titles.
    pub title: f32,
    /// How many candidates are looked at; the rest follow in their old order.
    pub depth: usize,
}

impl Default for SecondLook {
    fn default() -> Self {
        SecondLook { coverage: 0.4, proximity: 0.0, title: 0.1, depth: 100 }
    }
}

impl SecondLook {
    /// Looks again at the first candidates of a ranking. `weights` are those of the question's words, and `places` says
    /// where they are in each passage.
    pub(super) fn rank(
        &self,
        mut candidates: Vec<Candidate>,
        weights: &[f32],
        places: &HashMap<PassageKey, WordPlaces>,
    ) -> Vec<Candidate> {
        let all: f32 = weights.iter().sum();
        if all <= 0.0 {
            return candidates;
        }
        let depth = self.depth.min(candidates.len());
        let most = 1.0 + self.coverage + self.proximity + self.title;
        for candidate in &mut candidates[..depth] {
            let found = places.get(&candidate.key());
            let signs = found.map_or(0.0, |found| self.signs(found, weights) / all);
            candidate.score = (candidate.score + signs) / most;
        }
        // The keys were in order, and sorting leaves equals as they are.
        candidates[..depth].sort_by(|a, b| b.score.total_cmp(&a.score));
        let last = candidates[..depth].last().map_or(0.0, |candidate| candidate.score);
        for candidate in &mut candidates[depth..] {
            candidate.score = (candidate.score / most).min(last);
        }
        candidates
    }

    /// The weighted sum of the signs.
    fn signs(&self, found: &WordPlaces, weights: &[f32]) -> f32 {
        let sum = |is_there: &dyn Fn(usize) -> bool| -> f32 {
            (0..weights.len()).filter(|&word| is_there(word)).map(|word| weights[word]).sum()
        };
        let mut signs = self.coverage * sum(&|word| !found.content[word].is_empty() || found.context[word]);
        if self.proximity > 0.0 {
            signs += self.proximity * densest(&found.content, weights);
        }
        signs + self.title * sum(&|word| found.context[word])
    }
}

/// The greatest weight of different words within one window.
fn densest(places: &[Vec<u32>], weights: &[f32]) -> f32 {
    let mut all: Vec<(u32, usize)> =
        places.iter().enumerate().flat_map(|(word, places)| places.iter().map(move |place| (*place, word))).collect();
    all.sort_unstable();
    let (mut counts, mut now, mut best, mut first) = (vec![0usize; places.len()], 0.0f32, 0.0f32, 0);
    for &(place, word) in &all {
        counts[word] += 1;
        if counts[word] == 1 {
            now += weights[word];
        }
        while place - all[first].0 > WINDOW {
            let left = all[first].1;
            counts[left] -= 1;
            if counts[left] == 0 {
                now -= weights[left];
            }
            first += 1;
        }
        best = best.max(now);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(chunk_id: &str, score: f32) -> Candidate {
        Candidate { chunk_id: chunk_id.into(), namespace: 0, score, keyword: None, semantic: None }
    }

    fn places(chunk_id: &str, content: [&[u32]; 2], context: [bool; 2]) -> (PassageKey, WordPlaces) {
        let content = content.iter().map(|places| places.to_vec()).collect();
        let places = WordPlaces { chunk_id: chunk_id.into(), content, context: context.to_vec() };
        (PassageKey { chunk_id: chunk_id.to_owned(), namespace: 0 }, places)
    }

    fn ids(candidates: &[Candidate]) -> String {
        candidates.iter().map(|candidate| candidate.chunk_id.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_passage_with_all_the_words_overtakes_one_with_one_of_them() {
        let all = HashMap::from([
            places("often", [&[1, 2, 3, 4], &[]], [false; 2]),
            places("both", [&[1], &[]], [false, true]),
        ]);
        let ranked =
            SecondLook::default().rank(vec![candidate("often", 0.6), candidate("both", 0.5)], &[1.0, 2.0], &all);
        assert_eq!(ids(&ranked), "both often");
        assert!(ranked.iter().all(|candidate| (0.0..=1.0).contains(&candidate.score)));
    }

    #[test]
    fn what_was_not_looked_at_follows_in_its_old_order() {
        let all = HashMap::from([places("b", [&[1], &[2]], [false; 2])]);
        let look = SecondLook { depth: 2, ..SecondLook::default() };
        let before = ["a", "b", "c", "d"].iter().zip([0.5, 0.4, 0.39, 0.38]).map(|(id, score)| candidate(id, score));
        let ranked = look.rank(before.collect(), &[1.0, 1.0], &all);
        assert_eq!(ids(&ranked), "b a c d");
        assert!(ranked.windows(2).all(|pair| pair[0].score >= pair[1].score));
    }

    #[test]
    fn words_in_one_place_count_together() {
        assert_eq!(densest(&[vec![1, 100], vec![50, 110], vec![]], &[1.0, 2.0, 4.0]), 3.0);
        assert_eq!(densest(&[vec![1], vec![50]], &[1.0, 2.0]), 2.0);
    }
}
