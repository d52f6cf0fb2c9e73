//! Expands selected hits: merges adjacent ones, names their best child chunks, adds neighbours or cuts windows, and
//! leaves out what exceeds the token limit.
//!
//! This file reads, in one go, what the pure functions of `around` need.

mod around;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::Instant;

use futures::future::try_join_all;

use super::candidate::groups;
use super::hit::{Described, Hit, Omitted, nothing_fits};
use super::request::SearchRequest;
use super::result::Ranked;
use super::shape::SECTION_TOKENS;
use super::trace::Trace;
use crate::embed::TokenCounter;
use crate::error::Result;
use crate::ids::{ChunkId, DocId, SectionId};
use crate::store::{Fields, IndexedParentChunk, MetadataValue, Snapshot};
use crate::text::highlight::Terms;
pub(super) use around::merge;
use around::{ChildScorer, FoundChunks};

/// Expands selected hits, and leaves out what exceeds the token limit.
pub(super) async fn expand(
    ranked: Ranked<'_>,
    mut hits: Vec<Hit>,
    trace: &mut Trace,
) -> Result<(Vec<Hit>, Vec<Omitted>)> {
    let Ranked { request, snapshots, ranking, .. } = ranked;
    let (shape, names) = (&request.shape, &ranking.namespaces);
    if !shape.seeks_sections() {
        let start = Instant::now();
        name_children(ranked, &mut hits).await?;
        trace.stage("children", start, hits.len(), hits.len());
        if shape.context > 0 || shape.window.is_some() {
            let (start, before) = (Instant::now(), hits.len());
            hits = add_neighbours(ranked, hits)?;
            trace.stage("expand", start, before, hits.len()).hits(&hits, names, false);
        }
    }
    let mut left_out = Vec::new();
    if let Some(most) = shape.max_tokens {
        let (start, before) = (Instant::now(), hits.len());
        left_out = fit(&mut hits, most, &shape.counter())?;
        trace.stage("budget", start, before, hits.len()).hits(&hits, names, shape.seeks_sections());
    }
    if shape.describe || shape.drills() {
        let start = Instant::now();
        describe(snapshots, names, &mut hits).await?;
        trace.stage("describe", start, hits.len(), hits.len());
    }
    let start = Instant::now();
    for hit in &mut hits {
        if shape.context > 0 && shape.window.is_none() {
            hit.separate_neighbours();
        }
        hit.find_snippet(&request.query);
    }
    trace.stage("snippets", start, hits.len(), hits.len());
    // A group has the place of its best hit and keeps its order.
    let by = shape.groups_by();
    let in_groups = groups(hits, |a, b| by.id(a).is_some() && by.id(a) == by.id(b));
    let mut hits: Vec<Hit> = in_groups.into_iter().flatten().collect();
    hits.iter_mut().zip(1..).for_each(|(hit, rank)| hit.rank = rank);
    Ok((hits, left_out))
}

/// Fits sections that no search ranked into the limits of a request; returns what it leaves out.
pub(super) fn limit(request: &SearchRequest, hits: &mut Vec<Hit>) -> Result<Vec<Omitted>> {
    hits.truncate(request.limit);
    let most = request.shape.max_tokens.unwrap_or(SECTION_TOKENS);
    let left_out = fit(hits, most, &request.shape.counter())?;
    for (hit, rank) in hits.iter_mut().zip(1..) {
        hit.find_snippet(&request.query);
        hit.rank = rank;
    }
    Ok(left_out)
}

/// Parent chunks that were read, by namespace and document, then by number.
type Chunks = BTreeMap<(String, DocId), BTreeMap<u32, IndexedParentChunk>>;

/// Adds the time, metadata and profile of their documents to hits. Metadata of a section overrides that of its
/// document.
pub(super) async fn describe(snapshots: &[&Snapshot], names: &[String], hits: &mut [Hit]) -> Result<()> {
    for (snapshot, name) in snapshots.iter().zip(names) {
        let own = || hits.iter().filter(|hit| hit.namespace == *name);
        let ids: BTreeSet<DocId> = own().map(|hit| hit.doc_id.clone()).collect();
        if ids.is_empty() {
            continue;
        }
        let section_ids: BTreeSet<SectionId> = own().map(|hit| hit.section.id.clone()).collect();
        let rows = snapshot.documents_by_id(&Vec::from_iter(ids)).await?;
        let stated = snapshot.metadata_of_sections(&Vec::from_iter(section_ids)).await?;
        let stated: HashMap<SectionId, _> = stated.into_iter().collect();
        for hit in hits.iter_mut().filter(|hit| hit.namespace == *name) {
            let row = rows.iter().find(|row| row.doc_id == hit.doc_id);
            hit.described = row.map(|row| Described {
                time: row.time.clone(),
                metadata: metadata(row.metadata.fields(), stated.get(&hit.section.id)),
                language: row.language.clone(),
                profile: row.profile.clone(),
            });
        }
    }
    Ok(())
}

/// The fields of a document, overridden by those of a section.
fn metadata(mut fields: Fields, of_section: Option<&BTreeMap<String, String>>) -> Fields {
    let own = of_section.into_iter().flatten();
    fields.extend(own.map(|(name, value)| (name.clone(), MetadataValue::stated(value))));
    fields
}

async fn name_children(from: Ranked<'_>, hits: &mut [Hit]) -> Result<()> {
    let (shape, route) = (&from.request.shape, &from.ranking.route);
    // If no sentence has a word of the question, the window is centred on the nearest child chunk.
    let named =
        if shape.drills() { shape.beam.children } else { shape.children.max(usize::from(shape.window.is_some())) };
    if named > 0 && !hits.is_empty() {
        let names = &from.ranking.namespaces;
        let found = try_join_all((0..names.len()).map(|namespace| found_chunks(from, hits, namespace))).await?;
        let terms = Terms::of(&from.request.query);
        let scorer = ChildScorer { terms, keyword: route.keyword, semantic: route.semantic };
        for hit in &mut *hits {
            let Some(place) = names.iter().position(|name| *name == hit.namespace) else { continue };
            around::name_children(&mut hit.sources, &found[place], &scorer, named);
        }
    }
    Ok(())
}

/// The parent chunks of a namespace that were found, and the cosines of their child chunks.
async fn found_chunks(from: Ranked<'_>, hits: &[Hit], namespace: usize) -> Result<FoundChunks> {
    let (snapshot, name) = (from.snapshots[namespace], &from.ranking.namespaces[namespace]);
    let own = hits.iter().filter(|hit| hit.namespace == *name).flat_map(|hit| &hit.sources);
    let found = own.filter(|source| source.score.is_some());
    let ids: HashSet<ChunkId> = found.map(|source| source.chunk_id.clone()).collect();
    let ids = Vec::from_iter(ids);
    let chunks =
        snapshot.keyword().parent_chunks(&ids)?.into_iter().map(|chunk| (chunk.chunk_id.clone(), chunk)).collect();
    let mut cosines = HashMap::new();
    if let Some(question) = from.ranking.vector.as_deref() {
        let similar = snapshot.similarities(question, &ids).await?;
        cosines.extend(similar.into_iter().map(|hit| (hit.chunk_id, hit.score)));
    }
    Ok(FoundChunks { chunks, cosines })
}

/// Adds neighbours, merges hits that then overlap, and cuts hits down to windows if requested.
fn add_neighbours(from: Ranked<'_>, mut hits: Vec<Hit>) -> Result<Vec<Hit>> {
    let shape = &from.request.shape;
    // A window may reach into the next parent chunk.
    let count = shape.context.max(usize::from(shape.window.is_some()));
    let read = read_around(from, &hits, count)?;
    for hit in &mut hits {
        if let Some(chunks) = read.get(&(hit.namespace.clone(), hit.doc_id.clone())) {
            around::add_neighbours(hit, chunks, count);
        }
    }
    hits = around::merge(hits, usize::MAX);
    if let Some(count) = shape.window {
        let terms = Terms::of(&from.request.query);
        hits.iter_mut().for_each(|hit| around::window(hit, &terms, count));
    }
    Ok(hits)
}

/// Reads the parent chunks of hits and `count` on both sides.
fn read_around(from: Ranked<'_>, hits: &[Hit], count: usize) -> Result<Chunks> {
    let mut read = Chunks::new();
    for (snapshot, name) in from.snapshots.iter().zip(&from.ranking.namespaces) {
        let own = hits.iter().filter(|hit| hit.namespace == *name);
        let ranges = own.filter_map(|hit| Some((&hit.doc_id, around::reach(hit, count)?)));
        let ids: BTreeSet<ChunkId> =
            ranges.flat_map(|(doc_id, range)| range.map(move |index| ChunkId::parent(doc_id, index))).collect();
        for row in snapshot.keyword().parent_chunks(&Vec::from_iter(ids))? {
            read.entry((name.clone(), row.doc_id.clone())).or_default().insert(row.chunk_index, row);
        }
    }
    Ok(read)
}

/// Cuts hits so that titles and text together have at most `most` tokens: whole parent chunks, in the order of the
/// hits, and of each hit none after the first that does not fit. Returns what was left out.
///
/// # Errors
/// If not even the first parent chunk fits, or the tokenizer fails.
fn fit(hits: &mut Vec<Hit>, most: usize, counter: &TokenCounter) -> Result<Vec<Omitted>> {
    let (mut used, mut left_out, mut least) = (0, Vec::new(), None);
    let mut fitting: Vec<Hit> = Vec::with_capacity(hits.len());
    for mut hit in hits.drain(..) {
        let full = used >= most;
        let mut taken = 0;
        // Nothing fits once the limit is reached, so nothing more is counted.
        if !full {
            let mut cost = counter.count(&format!("{}\n{}", hit.title, hit.section.titles))?;
            while let Some(source) = hit.sources.get(taken) {
                cost += counter.count(&source.text)? + counter.count(&source.headings.join("\n"))?;
                least.get_or_insert(cost);
                if used + cost > most {
                    break;
                }
                (used, cost, taken) = (used + cost, 0, taken + 1);
            }
        }
        let rest = hit.sources.split_off(taken);
        if taken > 0 && !rest.is_empty() {
            hit.refresh();
        }
        left_out.extend(Omitted::of(&hit.source, &rest));
        if taken > 0 || (rest.is_empty() && !full) {
            fitting.push(hit);
        }
    }
    *hits = fitting;
    match least {
        Some(least) if hits.is_empty() => Err(nothing_fits(least, most)),
        _ => Ok(left_out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::hit::sample::{hit, source};
    use proptest::prelude::*;

    fn counter() -> TokenCounter {
        TokenCounter::of_characters(1).unwrap()
    }

    fn cost(hit: &Hit) -> usize {
        let titles = hit.title.len() + 1 + hit.section.titles.len();
        titles + hit.sources.iter().map(|source| source.text.len()).sum::<usize>()
    }

    #[test]
    fn a_hit_is_cut_between_parent_chunks_and_a_smaller_one_still_fits() {
        let mut first = hit("d:1", "aaaaa");
        first.sources.push(source("d:2", 2, &"b".repeat(50), None));
        let mut hits = vec![first, hit("e:1", "cc")];
        // 5 of titles and 5 of text, then 5 and 2.
        let left_out = fit(&mut hits, 17, &counter()).unwrap();
        assert_eq!(hits.iter().map(|hit| hit.content.as_str()).collect::<Vec<_>>(), ["aaaaa", "cc"]);
        assert_eq!((left_out.len(), &left_out[0].chunk_ids[..]), (1, &["d:2".into()][..]));
        let error = fit(&mut vec![hit("d:1", "aaaaa")], 9, &counter()).unwrap_err();
        assert!(error.message().contains("9 tokens") && error.next_step().unwrap().contains("10"), "{error}");
        assert_eq!(fit(&mut Vec::new(), 9, &counter()).unwrap(), []);
    }

    proptest! {
        #[test]
        fn the_limit_holds_and_every_chunk_is_shown_or_reported(
            lengths in prop::collection::vec(prop::collection::vec(0usize..40, 1..5), 1..8),
            most in 0usize..200,
        ) {
            let hits: Vec<Hit> = lengths.iter().enumerate().map(|(doc, lengths)| {
                let mut hit = hit(&format!("d{doc}:0"), "");
                hit.sources = lengths.iter().zip(0u32..).map(|(&length, index)| {
                    source(&format!("d{doc}:{index}"), index, &"x".repeat(length), Some(0.5))
                }).collect();
                hit
            }).collect();
            let ids = |hits: &[Hit]| -> Vec<ChunkId> {
                hits.iter().flat_map(|hit| hit.sources.iter().map(|source| source.chunk_id.clone())).collect()
            };
            let mut all = ids(&hits);
            let mut cut = hits.clone();
            if let Ok(left_out) = fit(&mut cut, most, &counter()) {
                prop_assert!(cut.iter().map(cost).sum::<usize>() <= most);
                let mut there = ids(&cut);
                there.extend(left_out.into_iter().flat_map(|left_out| left_out.chunk_ids));
                all.sort();
                there.sort();
                prop_assert_eq!(there, all);
            } else {
                prop_assert!(hits.iter().all(|hit| hit.title.len() + 4 + hit.sources[0].text.len() > most));
            }
        }
    }
}
