//! Adjacent hits of a section, made one.

use std::cmp::Ordering;

use super::evidence::joined;
use super::sources::{Source, pages_of, text_of};
use crate::retrieve::Hit;

/// Deletions leave gaps in the numbers of passages; hits with up to so many numbers between them are looked at.
pub(in crate::retrieve) const REACH: u32 = 8;

/// Makes one hit of those of a section whose passages overlap or follow each other: their numbers differ by one, or
/// `nothing_between` says that no passage is left between them. It stands at the place of the better one; its score is
/// the [joint](joined) one, and it names the passages of both.
pub(in crate::retrieve) fn merge(hits: Vec<Hit>, nothing_between: impl Fn(&Hit, u32, u32) -> bool) -> Vec<Hit> {
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

/// The numbers between two hits of a section that are near each other: whether there are passages has to be known.
pub(in crate::retrieve) fn gap(a: &Hit, b: &Hit) -> Option<(u32, u32)> {
    if (&a.namespace, &a.section_id) != (&b.namespace, &b.section_id) {
        return None;
    }
    let ((a_first, a_last), (b_first, b_last)) = (span(a)?, span(b)?);
    let (from, to) = if a_last < b_first { (a_last, b_first) } else { (b_last, a_first) };
    (to > from + 1 && to - from <= REACH + 1).then_some((from, to))
}

fn are_adjacent(a: &Hit, b: &Hit, nothing_between: &impl Fn(&Hit, u32, u32) -> bool) -> bool {
    if (&a.namespace, &a.section_id) != (&b.namespace, &b.section_id) {
        return false;
    }
    let (Some((a_first, a_last)), Some((b_first, b_last))) = (span(a), span(b)) else { return false };
    let touch = a_first <= b_last.saturating_add(1) && b_first <= a_last.saturating_add(1);
    touch || gap(a, b).is_some_and(|(from, to)| nothing_between(a, from, to))
}

/// The numbers of its first and its last passage.
fn span(hit: &Hit) -> Option<(u32, u32)> {
    Some((hit.sources.first()?.index, hit.sources.last()?.index))
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
    hit.score = joined(hit.sources.iter().filter_map(|source| source.score));
    hit
}

/// Brings a hit up to its sources: text, pages, count.
pub(in crate::retrieve) fn refresh(hit: &mut Hit) {
    hit.content = text_of(&hit.sources);
    (hit.page_start, hit.page_end) = pages_of(hit.sources.iter());
    hit.matched_chunks = matched(&hit.sources);
}

/// How many of the passages were found themselves.
pub(in crate::retrieve) fn matched(sources: &[Source]) -> usize {
    sources.iter().filter(|source| source.score.is_some()).count()
}

/// Best first; those with equal scores as they were.
pub(in crate::retrieve) fn by_score(a: &Hit, b: &Hit) -> Ordering {
    b.score.total_cmp(&a.score)
}

#[cfg(test)]
mod tests {
    use super::super::sample::{hit, source};
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn ids(hit: &Hit) -> Vec<&str> {
        hit.sources.iter().map(|source| source.chunk_id.as_str()).collect()
    }

    #[test]
    fn neighbours_become_one_with_their_text_in_reading_order() {
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
    fn what_was_deleted_keeps_nothing_apart() {
        let hits = || vec![hit("d:2", "a"), hit("d:5", "b"), hit("d:20", "c")];
        assert_eq!(merge(hits(), |_, from, to| (from, to) == (2, 5)).len(), 2);
        assert_eq!(merge(hits(), |_, _, _| true).len(), 2, "numbers that far apart are not looked at");
        assert_eq!(merge(hits(), |_, _, _| false).len(), 3);
    }

    #[test]
    fn a_hit_between_two_makes_one_of_the_three() {
        let merged = merge(vec![hit("d:1", "a "), hit("d:3", "c"), hit("d:2", "b ")], |_, _, _| false);
        assert_eq!((merged.len(), merged[0].content.as_str()), (1, "a b c"));
    }

    #[test]
    fn what_was_found_is_no_neighbour() {
        let mut left = hit("d:1", "a ");
        left.sources.push(source("d:2", 2, "b ", None));
        let merged = merge(vec![left, hit("d:2", "b ")], |_, _, _| false);
        assert_eq!(merged[0].sources.iter().map(|source| source.score.is_some()).collect::<Vec<_>>(), [true, true]);
        assert_eq!(merged[0].content, "a b");
    }

    proptest! {
        #[test]
        fn merging_keeps_every_passage_once(places in prop::collection::btree_set((0u8..3, 0u32..30), 0..25)) {
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
