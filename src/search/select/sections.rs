//! Ranks sections by their titles and parent chunks.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use super::section_index::{Exactness, SectionIndex};
use crate::ids::SectionId;
use crate::search::candidate::{Candidate, joint_score};
use crate::search::confidence::confidence;
use crate::search::result::Ranking;
use crate::store::Scope;

/// The weight of the title beside the parent chunks, unless the question is the title itself.
const TITLE_WEIGHT: f32 = 0.4;
/// The weight of a parent chunk for the section above its own, and again for the one above that.
const ABOVE: f32 = 0.5;
/// The highest score of a section whose title is not the question.
const TOP_WITHOUT_TITLE: f32 = 0.99;
/// Sections below this score are not found.
const LEAST: f32 = 0.02;

#[derive(Debug, Clone, PartialEq)]
pub struct FoundSection {
    /// The place of its namespace among the searched ones.
    pub namespace: usize,
    /// Its place in the index of the namespace.
    pub at: usize,
    /// From 0 to 1; 1 if the question is its title.
    pub score: f32,
    /// That of its best candidate or of its title.
    pub confidence: f32,
    /// Its candidates and those of its subsections, best first, by their places in the ranking.
    pub matched: Vec<usize>,
}

struct Rated {
    namespace: usize,
    at: usize,
    exactness: Exactness,
    similarity: f32,
    /// The places of its parent chunks in the ranking, and the weight of each.
    parent_chunks: Vec<(usize, f32)>,
}

/// The best `limit` sections of each namespace together.
///
/// Sections whose title is the question come first: exactly, then except for punctuation, then except for the number. A
/// section scores by its title and by the [joint score](joint_score) of its parent chunks; those of subsections count
/// half for each level between. Every parent chunk counts for one hit only: once a section is found, its chunks count
/// for no other, so the chapter of a found section needs matches of its own.
pub fn find(indexes: &[SectionIndex], scopes: &[Scope], candidates: &[Candidate], limit: usize) -> Vec<FoundSection> {
    let rated = rate(indexes, scopes, candidates);
    let mut used = vec![false; candidates.len()];
    // The sections that each parent chunk counts for: only they get another score once it is used.
    let mut sections_of: Vec<Vec<usize>> = vec![Vec::new(); candidates.len()];
    for (at, one) in rated.iter().enumerate() {
        one.parent_chunks.iter().for_each(|&(place, _)| sections_of[place].push(at));
    }
    let mut scores: Vec<Option<f32>> = rated.iter().map(|one| Some(score(one, candidates, &used))).collect();
    let mut found: Vec<FoundSection> = Vec::new();
    // The same section in several namespaces takes one place.
    while found.len() < limit.saturating_mul(indexes.len()) {
        let left = scores.iter().enumerate().filter_map(|(at, score)| Some((at, (*score)?)));
        // The first of the best: `max_by` alone takes the last.
        let better =
            |a: &(usize, f32), b: &(usize, f32)| compare(&rated[a.0], a.1, &rated[b.0], b.1).then(b.0.cmp(&a.0));
        let Some((best, score_of_best)) = left.max_by(better).filter(|(_, score)| *score >= LEAST) else { break };
        scores[best] = None;
        let taken = &rated[best];
        let matched: Vec<usize> = taken.parent_chunks.iter().map(|&(place, _)| place).collect();
        let unused: Vec<usize> = matched.iter().copied().filter(|&place| !used[place]).collect();
        unused.iter().for_each(|&place| used[place] = true);
        let sharing: HashSet<usize> = unused.iter().flat_map(|&place| &sections_of[place]).copied().collect();
        for at in sharing {
            scores[at] = scores[at].map(|_| score(&rated[at], candidates, &used));
        }
        let title = if taken.exactness > Exactness::No { 1.0 } else { confidence(Some(taken.similarity), None) };
        let confidence = matched.iter().map(|&place| candidates[place].confidence).fold(title, f32::max);
        let (namespace, at) = (taken.namespace, taken.at);
        found.push(FoundSection { namespace, at, score: score_of_best, confidence, matched });
    }
    found
}

/// Rates every section that has anything to do with the question, in a fixed order.
fn rate(indexes: &[SectionIndex], scopes: &[Scope], candidates: &[Candidate]) -> Vec<Rated> {
    let mut parent_chunks: HashMap<(usize, usize), Vec<(usize, f32)>> = HashMap::new();
    for (place, candidate) in candidates.iter().enumerate() {
        let index = &indexes[candidate.namespace];
        let Some(own) = index.section_of(&candidate.chunk_id) else { continue };
        let mut share = 1.0;
        for at in index.with_those_above(own) {
            parent_chunks.entry((candidate.namespace, at)).or_default().push((place, share));
            share *= ABOVE;
        }
    }
    let mut rated = Vec::new();
    for (namespace, (index, scope)) in indexes.iter().zip(scopes).enumerate() {
        for at in index.within(scope) {
            let (exactness, similarity) = (index.exactness(at), index.similarity(at));
            let parent_chunks = parent_chunks.remove(&(namespace, at)).unwrap_or_default();
            if exactness > Exactness::No || similarity > 0.0 || !parent_chunks.is_empty() {
                rated.push(Rated { namespace, at, exactness, similarity, parent_chunks });
            }
        }
    }
    rated
}

fn score(one: &Rated, candidates: &[Candidate], used: &[bool]) -> f32 {
    if one.exactness > Exactness::No {
        return 1.0;
    }
    let unused = one.parent_chunks.iter().filter(|(place, _)| !used[*place]);
    let parent_chunks = joint_score(unused.map(|&(place, share)| share * candidates[place].score.clamp(0.0, 1.0)));
    (TITLE_WEIGHT * one.similarity + (1.0 - TITLE_WEIGHT) * parent_chunks).min(TOP_WITHOUT_TITLE)
}

/// By exactness, then by score; of sections with the same title, the one whose best parent chunk is ranked first.
fn compare(a: &Rated, a_score: f32, b: &Rated, b_score: f32) -> Ordering {
    let best = |one: &Rated| one.parent_chunks.first().map_or(usize::MAX, |&(place, _)| place);
    a.exactness.cmp(&b.exactness).then(a_score.total_cmp(&b_score)).then(best(b).cmp(&best(a)))
}

/// All sections that a question finds, whatever the limit, with their scores. The same section in several namespaces
/// takes one place.
pub fn all(indexes: &[SectionIndex], ranking: &Ranking) -> Vec<(SectionId, f32)> {
    let mut known = HashSet::new();
    let found = find(indexes, &ranking.scopes, &ranking.candidates, usize::MAX).into_iter();
    let named = found.map(|one| (indexes[one.namespace].row(one.at).section_id.clone(), one.score));
    named.filter(|(id, _)| known.insert(id.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::super::section_index::tests::index;
    use super::*;
    use crate::search::hit::sample::candidate;

    fn ranked(sections: &[(&str, &str)], found: &[(u32, f32)], query: &str) -> Vec<(String, f32, usize)> {
        let indexes = [index(sections, query)];
        let candidates: Vec<Candidate> =
            found.iter().map(|(index, score)| candidate(&format!("d:{index}"), *score)).collect();
        let found = find(&indexes, &[Scope::Everything], &candidates, 10).into_iter();
        found.map(|one| (indexes[0].row(one.at).path.clone(), one.score, one.matched.len())).collect()
    }

    fn paths(ranked: &[(String, f32, usize)]) -> Vec<&str> {
        ranked.iter().map(|(path, ..)| path.as_str()).collect()
    }

    const MANUAL: [(&str, &str); 6] = [
        ("1", "1 Pumps"),
        ("1.1", "1.1 Introduction"),
        ("1.2", "1.2 Priming"),
        ("1.3", "1.3 Bearings"),
        ("2", "2 Valves"),
        ("2.1", "Introduction"),
    ];

    #[test]
    fn every_parent_chunk_counts_for_one_section() {
        let one = ranked(&MANUAL, &[(2, 1.0)], "fill the casing");
        assert_eq!(paths(&one), ["1.2"], "the chapter of a found section is not found");
        let several = ranked(&MANUAL, &[(2, 1.0), (3, 0.9), (1, 0.9)], "fill the casing");
        assert_eq!(paths(&several), ["1.2", "1.3", "1.1"], "{several:?}");
        let spread = ranked(&MANUAL, &[(0, 0.9), (2, 0.8), (3, 0.8)], "fill the casing");
        assert_eq!((paths(&spread)[0], spread[0].2, spread.len()), ("1", 3, 1), "own text and subsections: {spread:?}");
    }

    #[test]
    fn the_title_counts_beside_the_parent_chunks() {
        let ranked = ranked(&MANUAL, &[(3, 0.9), (2, 0.8)], "priming of a thing");
        assert_eq!(paths(&ranked), ["1.2", "1.3"]);
        assert_eq!(paths(&super::tests::ranked(&MANUAL, &[], "bearings and grease")), ["1.3"]);
        assert_eq!(paths(&super::tests::ranked(&MANUAL, &[], "nothing of it")), [""; 0]);
    }
}
