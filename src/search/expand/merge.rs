//! The parent chunks that a hit is made of, and adjacent hits of a section merged into one.

use serde::Serialize;

use crate::chunk::context::SEPARATOR;
use crate::ids::{ChunkId, SectionId};
use crate::search::Hit;
use crate::store::IndexedParentChunk;

/// Deletions leave gaps in the numbers of parent chunks; hits may be adjacent with up to so many numbers between them.
pub const REACH: u32 = 8;
/// The next best score adds this share of what the best leaves open; the one after it this share of that, and so on.
const NEXT: f32 = 0.25;

/// The section titles in a context line, without the document's title in front.
pub fn section_title(context: &str, document_title: &str) -> String {
    match context.strip_prefix(document_title) {
        Some(rest) => rest.strip_prefix(SEPARATOR).unwrap_or(rest).to_owned(),
        None => context.to_owned(),
    }
}

/// A parent chunk that a hit is made of.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Source {
    pub chunk_id: ChunkId,
    /// Its place in the document.
    pub index: u32,
    pub section_id: SectionId,
    /// `None` for a neighbour, which was not found itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f32>,
    pub page_start: Option<u32>,
    pub page_end: Option<u32>,
    /// The child chunks that match best, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<SourceChild>,
    /// The titles of its section and those above it.
    #[serde(skip)]
    pub section_title: String,
    /// The titles of the subsections that begin with it; the hit shows them in front of it.
    #[serde(skip)]
    pub headings: Vec<String>,
    /// What the hit shows of it, with the space behind it.
    #[serde(skip)]
    pub text: String,
}

/// A child chunk of a parent chunk.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SourceChild {
    pub chunk_id: ChunkId,
    /// How well it matches, from 0 to 1.
    pub score: f32,
    /// Its place in the parent chunk.
    #[serde(skip)]
    pub index: u32,
    #[serde(skip)]
    pub text: String,
}

impl Source {
    pub fn of(row: &IndexedParentChunk, document_title: &str, score: Option<f32>) -> Self {
        Source {
            chunk_id: row.chunk_id.clone(),
            index: row.chunk_index,
            section_id: row.section_id.clone(),
            score,
            page_start: row.page_start,
            page_end: row.page_end,
            section_title: section_title(&row.titles, document_title),
            text: row.content.clone(),
            ..Source::default()
        }
    }
}

/// The text of parent chunks in the given order. Chunks are cut without loss, so only titles are put between them.
pub fn text_of(sources: &[Source]) -> String {
    let mut text = String::with_capacity(sources.iter().map(|source| source.text.len()).sum());
    for source in sources {
        for heading in &source.headings {
            text.truncate(text.trim_end().len());
            if !text.is_empty() {
                text.push_str("\n\n");
            }
            text.push_str(heading);
            text.push_str("\n\n");
        }
        text.push_str(&source.text);
    }
    text.truncate(text.trim_end().len());
    text
}

/// The first and the last page of parent chunks.
pub fn pages_of<'s>(sources: impl Iterator<Item = &'s Source>) -> (Option<u32>, Option<u32>) {
    sources.fold((None, None), |(first, last), source| {
        let lower = [first, source.page_start].into_iter().flatten().min();
        (lower, last.max(source.page_end))
    })
}

/// The joint score of several scores from 0 to 1, for a section, a document or merged hits.
///
/// The best counts whole; each further one adds a quarter of what the one before it could, of what is left up to 1:
/// `s₁ + (1 − s₁)(s₂/4 + s₃/16 + …)`. So the result is never below the best and never above 1, two good parent chunks are
/// better than one, and many middling ones cannot outdo a good one: a long section is not a better one.
pub fn joint_score(scores: impl IntoIterator<Item = f32>) -> f32 {
    let mut scores: Vec<f32> = scores.into_iter().collect();
    scores.sort_by(|a, b| b.total_cmp(a));
    let Some((&best, rest)) = scores.split_first() else { return 0.0 };
    let (added, _) =
        rest.iter().fold((0.0, NEXT), |(sum, share), score| (sum + share * score.clamp(0.0, 1.0), share * NEXT));
    best + (1.0 - best).max(0.0) * added
}

/// Merges the hits of a section whose parent chunks overlap or follow each other: their numbers differ by one, or
/// `nothing_between` confirms that no parent chunk is left between them. The merged hit takes the place of the better one
/// and has the [joint score](joint_score).
pub fn merge(hits: Vec<Hit>, nothing_between: impl Fn(&Hit, u32, u32) -> bool) -> Vec<Hit> {
    let mut merged: Vec<Hit> = Vec::with_capacity(hits.len());
    for mut hit in hits {
        let mut place = merged.len();
        // One hit may close the gap between two that were apart.
        while let Some(at) = merged.iter().position(|other| are_adjacent(other, &hit, &nothing_between)) {
            place = place.min(at);
            hit = join(merged.remove(at), hit);
        }
        merged.insert(place.min(merged.len()), hit);
    }
    merged
}

/// The numbers between two near hits of a section, of which has to be known whether they are parent chunks.
pub fn gap(a: &Hit, b: &Hit) -> Option<(u32, u32)> {
    let (a, b) = spans(a, b)?;
    let (from, to) = if a.1 < b.0 { (a.1, b.0) } else { (b.1, a.0) };
    (to > from + 1 && to - from <= REACH + 1).then_some((from, to))
}

fn are_adjacent(a: &Hit, b: &Hit, nothing_between: &impl Fn(&Hit, u32, u32) -> bool) -> bool {
    spans(a, b).is_some_and(|(own, other)| own.0 <= other.1.saturating_add(1) && other.0 <= own.1.saturating_add(1))
        || gap(a, b).is_some_and(|(from, to)| nothing_between(a, from, to))
}

/// The numbers of the first and the last parent chunk of a hit.
type Span = (u32, u32);

/// The spans of two hits of the same section.
fn spans(a: &Hit, b: &Hit) -> Option<(Span, Span)> {
    let span = |hit: &Hit| Some((hit.sources.first()?.index, hit.sources.last()?.index));
    ((&a.namespace, &a.section_id) == (&b.namespace, &b.section_id)).then(|| span(a).zip(span(b))).flatten()
}

fn join(better: Hit, other: Hit) -> Hit {
    let mut hit = better;
    for source in other.sources {
        match hit.sources.iter_mut().find(|known| known.chunk_id == source.chunk_id) {
            // A neighbour of one may be what the other found.
            Some(known) if known.score.is_none() => *known = source,
            Some(_) => {}
            None => hit.sources.push(source),
        }
    }
    hit.sources.sort_by_key(|source| source.index);
    hit.also_in.retain(|name| other.also_in.contains(name));
    hit.duplicates.extend(other.duplicates);
    refresh(&mut hit);
    hit.score = joint_score(hit.sources.iter().filter_map(|source| source.score));
    hit
}

/// Updates the text, pages and count of a hit after its sources changed.
pub fn refresh(hit: &mut Hit) {
    hit.content = text_of(&hit.sources);
    (hit.page_start, hit.page_end) = pages_of(hit.sources.iter());
    hit.matched_chunks = hit.sources.iter().filter(|source| source.score.is_some()).count();
}

/// Hits for tests.
#[cfg(test)]
pub mod sample {
    use super::{Hit, Source};

    /// A hit on the parent chunk `DOC:INDEX`, in the section `1` of its document.
    pub fn hit(chunk_id: &str, text: &str) -> Hit {
        let (doc_id, index) = chunk_id.split_once(':').unwrap();
        Hit {
            score: 0.5,
            namespace: "default".to_owned(),
            chunk_id: chunk_id.into(),
            doc_id: doc_id.into(),
            source: format!("{doc_id}.md"),
            title: doc_id.to_owned(),
            format: "markdown".to_owned(),
            section_id: format!("{doc_id}#1").into(),
            section: "1".to_owned(),
            section_title: "One".to_owned(),
            content: text.trim_end().to_owned(),
            matched_chunks: 1,
            sources: vec![source(chunk_id, index.parse().unwrap(), text, Some(0.5))],
            ..Hit::default()
        }
    }

    /// A parent chunk of the section `1`.
    pub fn source(chunk_id: &str, index: u32, text: &str, score: Option<f32>) -> Source {
        Source {
            chunk_id: chunk_id.into(),
            index,
            section_id: format!("{}#1", chunk_id.split(':').next().unwrap()).into(),
            score,
            section_title: "One".to_owned(),
            text: text.to_owned(),
            ..Source::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::sample::{hit, source};
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn two_scores_beat_one_and_many_middling_ones_do_not() {
        assert_eq!(joint_score([]), 0.0);
        assert_eq!(joint_score([0.5]), 0.5);
        assert_eq!(joint_score([0.4, 0.6]), 0.6 + 0.4 * 0.1);
        assert!(joint_score([0.5; 50]) < joint_score([0.6]));
    }

    proptest! {
        #[test]
        fn the_joint_score_lies_between_the_best_and_one(scores in prop::collection::vec(0.0f32..=1.0, 1..30)) {
            let best = scores.iter().copied().fold(0.0, f32::max);
            let mut turned = scores.clone();
            turned.reverse();
            let joint = joint_score(scores);
            prop_assert!((best..=1.0).contains(&joint));
            prop_assert_eq!(joint, joint_score(turned));
        }
    }

    fn ids(hit: &Hit) -> Vec<&str> {
        hit.sources.iter().map(|source| source.chunk_id.as_str()).collect()
    }

    #[test]
    fn adjacent_hits_merge_in_reading_order() {
        let mut second = hit("d:3", "Second. ");
        second.score = 0.4;
        second.sources[0].score = Some(0.4);
        let merged =
            merge(vec![hit("d:4", "Third."), hit("e:4", "Other."), second, hit("d:7", "Far.")], |_, _, _| false);
        assert_eq!(merged.len(), 3);
        assert_eq!((merged[0].content.as_str(), ids(&merged[0])), ("Second. Third.", vec!["d:3", "d:4"]));
        assert_eq!((merged[0].chunk_id.as_str(), merged[0].matched_chunks), ("d:4", 2), "named after the better one");
        assert!((merged[0].score - (0.5 + 0.5 * 0.4 / 4.0)).abs() < 1e-6);
        assert_eq!(ids(&merged[2]), ["d:7"]);
    }

    #[test]
    fn deleted_chunks_keep_no_hits_apart() {
        let hits = || vec![hit("d:2", "a"), hit("d:5", "b"), hit("d:20", "c")];
        assert_eq!(merge(hits(), |_, from, to| (from, to) == (2, 5)).len(), 2);
        assert_eq!(merge(hits(), |_, _, _| true).len(), 2, "these numbers are too far apart");
        assert_eq!(merge(hits(), |_, _, _| false).len(), 3);
    }

    #[test]
    fn a_hit_between_two_merges_all_three() {
        let merged = merge(vec![hit("d:1", "a "), hit("d:3", "c"), hit("d:2", "b ")], |_, _, _| false);
        assert_eq!((merged.len(), merged[0].content.as_str()), (1, "a b c"));
    }

    #[test]
    fn a_found_chunk_replaces_the_same_neighbour() {
        let mut left = hit("d:1", "a ");
        left.sources.push(source("d:2", 2, "b ", None));
        let merged = merge(vec![left, hit("d:2", "b ")], |_, _, _| false);
        assert_eq!(merged[0].sources.iter().map(|source| source.score.is_some()).collect::<Vec<_>>(), [true, true]);
        assert_eq!(merged[0].content, "a b");
    }

    proptest! {
        #[test]
        fn merging_keeps_every_parent_chunk_once(places in prop::collection::btree_set((0u8..3, 0u32..30), 0..25)) {
            let names: Vec<String> = places.iter().map(|(doc, index)| format!("d{doc}:{index}")).collect();
            // In some other order than that of the document.
            let mut order = names.clone();
            order.sort_by_key(|name| name.chars().rev().collect::<String>());
            let merged = merge(order.iter().map(|name| hit(name, "x ")).collect(), |_, _, _| false);
            let after: Vec<String> = merged.iter().flat_map(|hit| ids(hit)).map(str::to_owned).collect();
            prop_assert_eq!(after.len(), names.len());
            prop_assert_eq!(after.into_iter().collect::<BTreeSet<_>>(), names.into_iter().collect::<BTreeSet<_>>());
            for hit in &merged {
                prop_assert!(hit.sources.windows(2).all(|pair| pair[0].index + 1 == pair[1].index));
                prop_assert_eq!(hit.content.split(' ').count(), hit.sources.len());
            }
        }
    }
}
