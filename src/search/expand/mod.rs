//! Expands selected hits: merges adjacent ones, names their best child chunks, adds neighbours or cuts windows.
//!
//! This file reads what the pure functions beside it need, all of it at once.

mod around;
pub(super) mod budget;
pub(super) mod merge;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::Instant;

use futures::future::try_join_all;

use super::Ranking;
use super::searcher::Searcher;
use super::trace::Trace;
use super::{Hit, Mode, SearchRequest};
use crate::embed::TokenCounter;
use crate::error::Result;
use crate::ids::{ChunkId, DocId};
use crate::store::{IndexedParentChunk, LoadedVectors, Scope, Snapshot};
use crate::text::highlight::Terms;
use around::{Known, Question};
use budget::Omitted;

/// Expands selected hits, and leaves out what exceeds the token limit. Its steps are added to the ranking's trace.
pub(super) async fn expand(
    searcher: &Searcher,
    request: &SearchRequest,
    ranking: &mut Ranking,
    mut hits: Vec<Hit>,
) -> Result<(Vec<Hit>, Vec<Omitted>)> {
    let (shape, mut trace) = (&request.shape, std::mem::replace(&mut ranking.trace, Trace::new(false)));
    let names = &ranking.namespaces;
    if !shape.seeks_sections() {
        let snapshots = &searcher.snapshots().await?[..];
        let vectors = if ranking.vector.is_some() { searcher.vectors().await? } else { &[] };
        let from = Expansion { snapshots, request, ranking, vectors };
        let start = Instant::now();
        hits = name_children(&from, hits).await?;
        trace.stage("children", start, hits.len(), hits.len());
        if shape.mode != Mode::Drill && (shape.context > 0 || shape.window.is_some()) {
            hits = trace.step(names, "expand", hits, |hits| add_neighbours(&from, hits))?;
        }
    }
    let mut left_out = Vec::new();
    if let Some(most) = shape.max_tokens {
        let (start, before) = (Instant::now(), hits.len());
        let counter = match &shape.counter {
            Some(counter) => counter.clone(),
            None => TokenCounter::shared()?,
        };
        left_out = budget::fit(&mut hits, most, &counter)?;
        trace.stage("budget", start, before, hits.len()).hits(&hits, names, shape.seeks_sections());
    }
    let start = Instant::now();
    hits.iter_mut().for_each(|hit| hit.find_snippet(&request.query));
    trace.stage("snippets", start, hits.len(), hits.len());
    let mut hits = budget::group(hits, shape.group_by);
    hits.iter_mut().zip(1..).for_each(|(hit, rank)| hit.rank = rank);
    ranking.trace = trace;
    Ok((hits, left_out))
}

/// Where hits are from and what their chunks are compared with.
struct Expansion<'a> {
    snapshots: &'a [&'a Snapshot],
    request: &'a SearchRequest,
    ranking: &'a Ranking,
    /// The vectors of each namespace that are held in memory.
    vectors: &'a [Option<LoadedVectors>],
}

/// Parent chunks that were read, by namespace and document, then by number.
type Chunks = BTreeMap<(String, DocId), BTreeMap<u32, IndexedParentChunk>>;

/// Merges adjacent hits, best first.
pub(super) fn merge_adjacent(snapshots: &[&Snapshot], names: &[String], hits: Vec<Hit>) -> Result<Vec<Hit>> {
    let gaps = hits.iter().enumerate().flat_map(|(at, hit)| {
        let others = hits[..at].iter().filter_map(move |other| merge::gap(other, hit));
        others.map(move |(first, last)| (hit, first, last))
    });
    let known = read(snapshots, names, &gaps.collect::<Vec<_>>())?;
    let before = hits.len();
    let mut merged = merge::merge(hits, |hit, from, to| nothing_between(&known, hit, from, to));
    if merged.len() < before {
        merged.sort_by(|a, b| b.score.total_cmp(&a.score));
    }
    Ok(merged)
}

/// Names the child chunks of each hit that match best. Drilling shows nothing else of its hits.
async fn name_children(from: &Expansion<'_>, mut hits: Vec<Hit>) -> Result<Vec<Hit>> {
    let (shape, route) = (&from.request.shape, &from.ranking.route);
    let drills = shape.mode == Mode::Drill;
    // Without a word of the question, the nearest child chunk is the middle of a window.
    let named = if drills { shape.beam.children } else { shape.children.max(usize::from(shape.window.is_some())) };
    if named > 0 && !hits.is_empty() {
        let names = &from.ranking.namespaces;
        let known = try_join_all((0..names.len()).map(|namespace| known(from, &hits, namespace))).await?;
        let terms = Terms::of(&from.request.query);
        let question = Question { terms, keyword: route.keyword, semantic: route.semantic };
        for hit in &mut hits {
            let Some(place) = names.iter().position(|name| *name == hit.namespace) else { continue };
            around::name_children(&mut hit.sources, &known[place], &question, named);
        }
    }
    for hit in hits.iter_mut().filter(|_| drills) {
        hit.sources.iter_mut().for_each(around::only_children);
        merge::refresh(hit);
    }
    Ok(hits)
}

/// The parent chunks of a namespace that were found, and the cosines of their child chunks.
async fn known(from: &Expansion<'_>, hits: &[Hit], namespace: usize) -> Result<Known> {
    let (snapshot, name) = (from.snapshots[namespace], &from.ranking.namespaces[namespace]);
    let own = hits.iter().filter(|hit| hit.namespace == *name).flat_map(|hit| &hit.sources);
    let found = own.filter(|source| source.score.is_some());
    let ids: HashSet<ChunkId> = found.map(|source| source.chunk_id.clone()).collect();
    let list: Vec<ChunkId> = ids.iter().cloned().collect();
    let chunks =
        snapshot.keyword().parent_chunks(&list)?.into_iter().map(|chunk| (chunk.chunk_id.clone(), chunk)).collect();
    let mut cosines = HashMap::new();
    if let Some(question) = from.ranking.vector.as_deref() {
        match from.vectors.get(namespace).and_then(Option::as_ref) {
            Some(vectors) => vectors.each(question, &Scope::ParentChunks(ids), |chunk_id, _, cosine| {
                cosines.extend([(ChunkId::from(chunk_id), cosine)]);
            })?,
            None => {
                let similar = snapshot.similarities(question, &list).await?;
                cosines.extend(similar.into_iter().map(|hit| (hit.chunk_id, hit.score)));
            }
        }
    }
    Ok(Known { chunks, cosines })
}

/// Adds neighbours or cuts down to windows, and merges what overlaps then.
fn add_neighbours(from: &Expansion<'_>, mut hits: Vec<Hit>) -> Result<Vec<Hit>> {
    let shape = &from.request.shape;
    // A window may reach into the next parent chunk.
    let count = shape.context.max(usize::from(shape.window.is_some()));
    let ranges = hits.iter().filter_map(|hit| around::reach(hit, count).map(|(first, last)| (hit, first, last)));
    let known = read(from.snapshots, &from.ranking.namespaces, &ranges.collect::<Vec<_>>())?;
    for hit in &mut hits {
        if let Some(chunks) = chunks_of(&known, hit) {
            around::add_neighbours(hit, chunks, count);
        }
    }
    hits = merge::merge(hits, |hit, from, to| nothing_between(&known, hit, from, to));
    if let Some(count) = shape.window {
        let terms = Terms::of(&from.request.query);
        hits.iter_mut().for_each(|hit| around::window(hit, &terms, count));
    }
    Ok(hits)
}

/// Reads parent chunks of the documents of hits, with numbers from the first to before the last.
fn read(snapshots: &[&Snapshot], names: &[String], ranges: &[(&Hit, u32, u32)]) -> Result<Chunks> {
    let mut read = Chunks::new();
    for (snapshot, name) in snapshots.iter().zip(names) {
        let own = ranges.iter().filter(|(hit, ..)| hit.namespace == *name);
        let ids: BTreeSet<ChunkId> = own.flat_map(|(hit, first, last)| ids(&hit.doc_id, *first, *last)).collect();
        for row in snapshot.keyword().parent_chunks(&ids.into_iter().collect::<Vec<_>>())? {
            read.entry((name.clone(), row.doc_id.clone())).or_default().insert(row.chunk_index, row);
        }
    }
    Ok(read)
}

/// The ids of the parent chunks with a number from `first` to before `last`.
pub(super) fn ids(doc_id: &str, first: u32, last: u32) -> impl Iterator<Item = ChunkId> {
    (first..last).map(move |index| ChunkId::parent(doc_id, index))
}

fn chunks_of<'c>(chunks: &'c Chunks, hit: &Hit) -> Option<&'c BTreeMap<u32, IndexedParentChunk>> {
    chunks.get(&(hit.namespace.clone(), hit.doc_id.clone()))
}

/// Whether no parent chunk is left between two numbers; those between them were read.
fn nothing_between(known: &Chunks, hit: &Hit, from: u32, to: u32) -> bool {
    chunks_of(known, hit).is_none_or(|chunks| chunks.range(from + 1..to).next().is_none())
}
