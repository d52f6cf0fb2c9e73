//! Of a passage only the sentence that matches best, and some around it.

use std::ops::Range;

use super::merge::refresh;
use super::sources::Source;
use crate::retrieve::Hit;
use crate::text::highlight::Terms;
use crate::text::sentences::sentences;

/// Cuts a hit down to the best sentence of each passage that was found and `count` sentences on both sides, into the
/// neighbours that are attached. Neighbours of which nothing is left are taken out.
pub(super) fn window(hit: &mut Hit, terms: &Terms, count: usize) {
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
        let best = best(source, terms);
        let (start, end) = (place.start + best.start, place.start + best.end);
        let within: Vec<usize> = (0..all.len()).filter(|&at| all[at].start < end && all[at].end > start).collect();
        let (Some(first), Some(last)) = (within.first(), within.last()) else { continue };
        let (first, last) = (first.saturating_sub(count), (last + count).min(all.len() - 1));
        shown.push(all[first].start..all[last].end);
    }
    let shown = united(shown);
    for (source, place) in hit.sources.iter_mut().zip(&places) {
        source.text = parts(&text, place, &shown);
    }
    hit.sources.retain(|source| source.score.is_some() || !source.text.trim().is_empty());
    refresh(hit);
}

/// The sentence of a passage with most of the question's words; where there is none, the piece that is nearest to it.
fn best(source: &Source, terms: &Terms) -> Range<usize> {
    let sentences = sentences(&source.text);
    let weights: Vec<usize> = sentences.iter().map(|range| terms.weight_in(&source.text[range.clone()])).collect();
    // First of the best: `max_by_key` would take the last.
    let best = (0..sentences.len()).rev().max_by_key(|&at| weights[at]);
    let by_words = best.filter(|&at| weights[at] > 0).map(|at| sentences[at].clone());
    let by_piece = || {
        let piece = source.children.first()?.text.trim();
        source.text.find(piece).map(|start| start..start + piece.len())
    };
    by_words.or_else(by_piece).or_else(|| sentences.first().cloned()).unwrap_or(0..source.text.len())
}

/// Ranges that overlap or touch, as one.
fn united(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| range.start);
    let mut out: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match out.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => out.push(range),
        }
    }
    out
}

/// What of `shown` lies in `place`; an ellipsis stands for what is left out in front of all but the first.
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
    use super::super::sample::{hit, source};
    use super::*;

    #[test]
    fn the_best_sentence_is_shown_with_those_around_it() {
        let text = "One is here. Two is there. Prime the pump now. Four is far. Five is gone.";
        let shown = |count| {
            let mut hit = hit("d:1", text);
            window(&mut hit, &Terms::of("how to prime a pump"), count);
            hit.content
        };
        assert_eq!(shown(0), "Prime the pump now.");
        assert_eq!(shown(1), "Two is there. Prime the pump now. Four is far.");
        assert_eq!(shown(99), text);
    }

    #[test]
    fn a_window_reaches_into_neighbours_and_drops_those_it_does_not() {
        let mut hit = hit("d:2", "先打开阀门。然后启动水泵。");
        hit.sources.insert(0, source("d:1", 1, "准备工具。", None));
        hit.sources.push(source("d:3", 3, "最后检查。记录。", None));
        window(&mut hit, &Terms::of("启动水泵"), 1);
        assert_eq!(hit.content, "先打开阀门。然后启动水泵。最后检查。");
        let ids: Vec<&str> = hit.sources.iter().map(|source| source.chunk_id.as_str()).collect();
        assert_eq!(ids, ["d:2", "d:3"]);
    }

    #[test]
    fn what_is_left_out_between_two_is_marked() {
        let mut hit = hit("d:1", "Prime the pump. Two. Three. ");
        hit.sources.push(source("d:2", 2, "Four. Five. A pump again.", Some(0.4)));
        window(&mut hit, &Terms::of("pump"), 0);
        assert_eq!(hit.content, "Prime the pump. … A pump again.");
        assert_eq!(hit.matched_chunks, 2);
    }
}
