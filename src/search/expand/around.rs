//! What a hit shows of its parent chunks and around them: neighbours, adjacent hits, the best child chunks, or a window
//! of sentences.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use crate::ids::ChunkId;
use crate::search::hit::{Hit, Source, SourceChild};
use crate::store::IndexedParentChunk;
use crate::text::highlight::{Terms, united};
use crate::text::sentences::sentences;

/// Merges the hits of a section whose parent chunks overlap, or follow each other on the same page: a hit over several
/// pages says less about where the answer is. The merged hit has the place and the score of the better one. Stops at
/// the first hit beyond `most`.
pub fn merge(hits: Vec<Hit>, most: usize) -> Vec<Hit> {
    let mut merged: Vec<Hit> = Vec::with_capacity(hits.len());
    for mut hit in hits {
        let mut place = merged.len();
        if place >= most && !merged.iter().any(|other| are_adjacent(other, &hit)) {
            break;
        }
        // One hit may close the gap between two that were apart.
        while let Some(at) = merged.iter().position(|other| are_adjacent(other, &hit)) {
            let other = merged.remove(at);
            hit = if at < place { join(other, hit) } else { join(hit, other) };
            place = place.min(at);
        }
        merged.insert(place.min(merged.len()), hit);
    }
    merged
}

fn are_adjacent(a: &Hit, b: &Hit) -> bool {
    let gap = u32::from((a.page_start, a.page_end) == (b.page_start, b.page_end));
    let meet = |(a, b): ((u32, u32), (u32, u32))| a.0 <= b.1.saturating_add(gap) && b.0 <= a.1.saturating_add(gap);
    (&a.namespace, &a.section.id) == (&b.namespace, &b.section.id) && span(a).zip(span(b)).is_some_and(meet)
}

/// The numbers of the first and the last parent chunk of a hit.
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
    hit.refresh();
    hit.confidence = hit.confidence.max(other.confidence);
    hit.score = hit.score.max(other.score);
    hit
}

/// The numbers of a hit's parent chunks and of `count` on each side.
pub fn reach(hit: &Hit, count: usize) -> Option<Range<u32>> {
    let (first, last) = span(hit)?;
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    Some(first.saturating_sub(count)..last.saturating_add(count).saturating_add(1))
}

/// Adds up to `count` parent chunks of the same section on each side. `chunks` are those of the document that were
/// read, by number.
pub fn add_neighbours(hit: &mut Hit, chunks: &BTreeMap<u32, IndexedParentChunk>, count: usize) {
    let Some((first, last)) = span(hit) else { return };
    let belongs = |row: &&IndexedParentChunk| row.section_id == hit.section.id;
    let before = chunks.range(..first).rev().map(|(_, row)| row).take_while(belongs).take(count);
    let after = chunks.range(last.saturating_add(1)..).map(|(_, row)| row).take_while(belongs).take(count);
    hit.sources.extend(before.chain(after).map(|row| Source::of(row, &hit.title, None)));
    hit.sources.sort_by_key(|source| source.index);
    hit.refresh();
}

/// Scores child chunks against a question.
pub struct ChildScorer {
    pub terms: Terms,
    /// The weights of keyword and semantic search, as for parent chunks.
    pub keyword: f32,
    pub semantic: f32,
}

impl ChildScorer {
    /// How well a child chunk matches, from 0 to 1: the share of the question's words in it, and its cosine if it has
    /// one.
    fn score(&self, text: &str, cosine: Option<f32>) -> f32 {
        let words = self.terms.share_in(text);
        cosine.map_or(words, |cosine| self.keyword * words + self.semantic * cosine.clamp(0.0, 1.0))
    }
}

/// The parent chunks of a namespace that were found, and the cosines of their child chunks, by id.
pub struct FoundChunks {
    pub chunks: HashMap<ChunkId, IndexedParentChunk>,
    pub cosines: HashMap<ChunkId, f32>,
}

/// Names the best `count` child chunks of each parent chunk that was found, best first. Child chunks that do not match
/// are left out, unless none matches: the parent chunk was found by its title then, and the first child chunk stands
/// for it.
pub fn name_children(sources: &mut [Source], known: &FoundChunks, scorer: &ChildScorer, count: usize) {
    for source in sources.iter_mut().filter(|source| source.score.is_some()) {
        let Some(chunk) = known.chunks.get(&source.chunk_id) else { continue };
        let scored = chunk.children().into_iter().map(|(index, text)| {
            let chunk_id = ChunkId::child(&source.chunk_id, index);
            let score = scorer.score(text, known.cosines.get(&chunk_id).copied());
            SourceChild { chunk_id, score, text: text.to_owned() }
        });
        let mut scored: Vec<SourceChild> = scored.collect();
        // The sort is stable: equals stay in reading order.
        scored.sort_by(|a, b| b.score.total_cmp(&a.score));
        let matching = scored.iter().filter(|child| child.score > 0.0).count().max(1);
        scored.truncate(count.min(matching));
        source.children = scored;
    }
}

/// Cuts a hit down to the best sentence of each parent chunk that was found and `count` sentences on each side,
/// reaching into added neighbours. Empty neighbours are removed.
pub fn window(hit: &mut Hit, terms: &Terms, count: usize) {
    let mut text = String::new();
    let mut places: Vec<Range<usize>> = Vec::with_capacity(hit.sources.len());
    for source in &hit.sources {
        let start = text.len();
        text.push_str(&source.text);
        places.push(start..text.len());
    }
    let all = sentences(&text);
    let mut shown: Vec<Range<usize>> = Vec::new();
    for (source, place) in hit.sources.iter().zip(&places).filter(|(source, _)| source.score.is_some()) {
        let best = best_sentence(source, terms);
        let (start, end) = (place.start + best.start, place.start + best.end);
        let overlaps = |range: &Range<usize>| range.start < end && range.end > start;
        let (Some(first), Some(last)) = (all.iter().position(overlaps), all.iter().rposition(overlaps)) else {
            continue;
        };
        shown.push(all[first.saturating_sub(count)].start..all[(last + count).min(all.len() - 1)].end);
    }
    let shown = united(shown);
    for (source, place) in hit.sources.iter_mut().zip(&places) {
        source.text = parts(&text, place, &shown);
    }
    hit.sources.retain(|source| source.score.is_some() || !source.text.trim().is_empty());
    hit.refresh();
}

/// The sentence of a parent chunk with the most words of the question; without any, the child chunk nearest to it.
fn best_sentence(source: &Source, terms: &Terms) -> Range<usize> {
    let sentences = sentences(&source.text);
    let best = terms.best_in(&source.text, &sentences).map(|at| sentences[at].clone());
    let by_child = || {
        let child = source.children.first()?.text.trim();
        source.text.find(child).map(|start| start..start + child.len())
    };
    best.or_else(by_child).or_else(|| sentences.first().cloned()).unwrap_or(0..source.text.len())
}

/// The part of `shown` that lies in `place`, with an ellipsis for the gap before each range but the first.
fn parts(text: &str, place: &Range<usize>, shown: &[Range<usize>]) -> String {
    let mut out = String::new();
    for (at, range) in shown.iter().enumerate() {
        let (start, end) = (range.start.max(place.start), range.end.min(place.end));
        if start >= end {
            continue;
        }
        if at > 0 && start == range.start {
            out.truncate(out.trim_end().len());
            out.push_str(if out.is_empty() { "… " } else { " … " });
        }
        out.push_str(&text[start..end]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::hit::sample::{hit, source};
    use crate::store::ChildSpan;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn ids(hit: &Hit) -> Vec<&str> {
        hit.sources.iter().map(|source| source.chunk_id.as_str()).collect()
    }

    fn row(index: u32, section: &str) -> IndexedParentChunk {
        IndexedParentChunk {
            chunk_id: format!("d:{index}").into(),
            doc_id: "d".into(),
            section_id: format!("d#{section}").into(),
            chunk_index: index,
            content: format!("{index} "),
            titles: "d › One".into(),
            page_start: Some(index),
            page_end: Some(index),
            child_chunks: Vec::new(),
        }
    }

    #[test]
    fn neighbours_stay_in_the_section_and_skip_deleted_chunks() {
        // 3 and 4 were deleted; 8 begins another section.
        let sections = [(1, "1"), (2, "1"), (5, "1"), (6, "1"), (7, "1"), (8, "2"), (9, "2")];
        let parent_chunks = BTreeMap::from(sections.map(|(index, section)| (index, row(index, section))));
        let content = |index: u32, count| {
            let mut hit = hit(&format!("d:{index}"), &format!("{index} "));
            add_neighbours(&mut hit, &parent_chunks, count);
            (hit.content, hit.matched_chunks, hit.page_end)
        };
        assert_eq!(content(5, 1), ("2 5 6".to_owned(), 1, Some(6)));
        assert_eq!(content(7, 2).0, "5 6 7");
        assert_eq!(content(1, 0).0, "1");
        assert_eq!(reach(&hit("d:5", "5"), 2), Some(3..8));
    }

    /// The child chunks of the parent chunk `d:1`, each with its cosine.
    fn named(texts: &[(&str, f32)], semantic: bool, count: usize) -> Source {
        let scorer = ChildScorer { terms: Terms::of("prime the pump"), keyword: 0.5, semantic: 0.5 };
        let content: String = texts.iter().map(|(text, _)| *text).collect();
        let each = texts.iter().zip(0u32..);
        let child_chunks = each.clone().map(|((text, _), index)| ChildSpan { index, bytes: text.len() }).collect();
        let parent_chunk = IndexedParentChunk { content, child_chunks, ..row(1, "1") };
        let cosines = each
            .filter(|_| semantic)
            .map(|((_, cosine), index)| (ChunkId::from(format!("d:1.{index}")), *cosine))
            .collect();
        let known = FoundChunks { chunks: HashMap::from([("d:1".into(), parent_chunk)]), cosines };
        let mut sources = [source("d:1", 1, "whole", Some(0.7)), source("d:2", 2, "neighbour", None)];
        name_children(&mut sources, &known, &scorer, count);
        assert!(sources[1].children.is_empty());
        sources[0].clone()
    }

    fn children(source: &Source) -> Vec<&str> {
        source.children.iter().map(|child| child.chunk_id.as_str()).collect()
    }

    #[test]
    fn the_best_child_chunks_are_named_by_words_and_vectors() {
        let texts =
            [("Open the valve. ", 1.0), ("Grease it. ", 0.0), ("Prime the pump. ", 0.0), ("The pump is red.", 0.6)];
        assert_eq!(children(&named(&texts, false, 9)), ["d:1.2", "d:1.3"], "a child without a word is left out");
        assert_eq!(children(&named(&texts, true, 3)), ["d:1.3", "d:1.0", "d:1.2"]);
        assert_eq!(children(&named(&texts[..2], false, 2)), ["d:1.0"], "found by its title");
    }

    #[test]
    fn a_window_reaches_into_neighbours_and_drops_the_others() {
        let mut hit = hit("d:2", "先打开阀门。然后启动水泵。");
        hit.sources.insert(0, source("d:1", 1, "准备工具。", None));
        hit.sources.push(source("d:3", 3, "最后检查。记录。", None));
        window(&mut hit, &Terms::of("启动水泵"), 1);
        assert_eq!(hit.content, "先打开阀门。然后启动水泵。最后检查。");
        assert_eq!(ids(&hit), ["d:2", "d:3"]);
    }

    #[test]
    fn an_ellipsis_marks_a_gap() {
        let mut hit = hit("d:1", "Prime the pump. Two. Three. ");
        hit.sources.push(source("d:2", 2, "Four. Five. A pump again.", Some(0.4)));
        window(&mut hit, &Terms::of("pump"), 0);
        assert_eq!(hit.content, "Prime the pump. … A pump again.");
        assert_eq!(hit.matched_chunks, 2);
    }

    #[test]
    fn a_hit_that_closes_a_gap_is_named_after_the_best() {
        let scored = |id: &str, score| Hit { score, ..hit(id, "x ") };
        let merged = merge(vec![scored("d:1", 0.9), scored("d:3", 0.8), scored("d:2", 0.7)], usize::MAX);
        assert_eq!((merged.len(), merged[0].chunk_id.as_str(), merged[0].score), (1, "d:1", 0.9));
    }

    #[test]
    fn hits_on_different_pages_stay_apart_unless_they_overlap() {
        let on = |page, id: &str| Hit { page_start: Some(page), page_end: Some(page), ..hit(id, "x ") };
        let merged = merge(vec![on(4, "d:2"), on(4, "d:1"), on(5, "d:3")], usize::MAX);
        assert_eq!(merged.iter().map(ids).collect::<Vec<_>>(), [vec!["d:1", "d:2"], vec!["d:3"]]);
        let mut wide = on(4, "d:2");
        wide.sources.push(source("d:3", 3, "x ", None));
        assert_eq!(merge(vec![wide, on(5, "d:3")], usize::MAX).len(), 1);
    }

    #[test]
    fn a_found_chunk_replaces_the_same_neighbour() {
        let mut left = hit("d:1", "a ");
        left.sources.push(source("d:2", 2, "b ", None));
        let merged = merge(vec![left, hit("d:2", "b ")], usize::MAX);
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
            let merged = merge(order.iter().map(|name| hit(name, "x ")).collect(), usize::MAX);
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
