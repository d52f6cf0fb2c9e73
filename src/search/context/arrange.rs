//! Arranges the parent chunks of hits as documents in reading order.

use super::layout::{ContextChild, ContextDocument, ContextParentChunk};
use crate::search::candidate::{groups, joint_score};
use crate::search::hit::{Hit, Omitted, Source, SourceChild, pages_of, text_of};

/// Marks parent chunks that are left out within a section.
const GAP: &str = "\n\n[…]\n\n";

/// A parent chunk of a hit.
#[derive(Clone, Copy)]
pub(super) struct Unit<'h> {
    pub hit: &'h Hit,
    /// The place of its hit.
    pub place: usize,
    pub source: &'h Source,
    pub tokens: usize,
}

/// The documents in the order of their best hits, the parent chunks of each in reading order, those of a section
/// together.
pub(super) fn documents(chosen: &[Unit]) -> Vec<ContextDocument> {
    let of_one = |a: &Unit, b: &Unit| (&a.hit.namespace, &a.hit.doc_id) == (&b.hit.namespace, &b.hit.doc_id);
    groups(chosen.iter().copied(), of_one).into_iter().map(document).collect()
}

fn document(mut own: Vec<Unit>) -> ContextDocument {
    own.sort_by_key(|unit| unit.source.index);
    let hit = own[0].hit;
    let described = hit.described.as_ref();
    ContextDocument {
        doc_id: hit.doc_id.clone(),
        namespace: hit.namespace.clone(),
        title: hit.title.clone(),
        source: hit.source.clone(),
        language: described.map_or_else(String::new, |of| of.language.clone()),
        time: described.and_then(|of| of.time.clone()),
        metadata: described.map(|of| of.metadata.clone()).unwrap_or_default(),
        summary: summary(hit).to_owned(),
        kinds: hit.profile().map(|profile| profile.kinds.clone()).unwrap_or_default(),
        parent_chunks: own.chunk_by(|a, b| a.source.section_id == b.source.section_id).map(of_section).collect(),
    }
}

/// The summary of a hit's document; empty without one.
pub(super) fn summary(hit: &Hit) -> &str {
    hit.profile().map_or("", |profile| &profile.summary)
}

fn of_section(units: &[Unit]) -> ContextParentChunk {
    // The sources of one hit are known to be adjacent, even if deletions left a gap between their numbers.
    let adjacent = |a: &Unit, b: &Unit| is_next(a, b) || a.source.index + 1 == b.source.index;
    let runs = units.chunk_by(adjacent).map(|run| {
        let bare = |unit: &Unit| Source { headings: Vec::new(), ..unit.source.clone() };
        text_of(&run.iter().map(bare).collect::<Vec<_>>())
    });
    let (page_start, page_end) = pages_of(units.iter().map(|unit| unit.source));
    let first = units[0].source;
    let child = |child: &SourceChild| ContextChild {
        chunk_id: child.chunk_id.clone(),
        score: child.score,
        content: child.text.trim().to_owned(),
    };
    ContextParentChunk {
        section: first.section(),
        page_start,
        page_end,
        score: joint_score(units.iter().filter_map(|unit| unit.source.score)),
        confidence: units.iter().map(|unit| unit.hit.confidence).fold(0.0, f32::max),
        content: runs.collect::<Vec<String>>().join(GAP),
        edited: units.iter().any(|unit| unit.hit.has_edited(unit.source)),
        chunk_ids: units.iter().map(|unit| unit.source.chunk_id.clone()).collect(),
        children: units.iter().flat_map(|unit| &unit.source.children).map(child).collect(),
    }
}

/// Whether two parent chunks of one hit have none with text between them.
fn is_next(a: &Unit, b: &Unit) -> bool {
    let from = a.hit.sources.iter().skip_while(|source| !std::ptr::eq(*source, a.source));
    let next = from.skip(1).find(|source| !source.text.trim().is_empty());
    next.is_some_and(|next| std::ptr::eq(next, b.source))
}

/// What was left out, grouped by hit and section.
pub(super) fn omitted(rest: &[Unit]) -> Vec<Omitted> {
    let same = |a: &Unit, b: &Unit| a.place == b.place && a.source.section_id == b.source.section_id;
    let together = rest.chunk_by(same);
    together.filter_map(|units| Omitted::of(&units[0].hit.source, units.iter().map(|unit| unit.source))).collect()
}
