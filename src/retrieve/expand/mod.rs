//! What is shown of hits: neighbours, windows, their best pieces; adjacent ones merged, duplicates dropped, grouped, and
//! as much as fits.
//!
//! The files beside this one are pure functions over hits; this one reads what they need, all of it at once.

pub(super) mod budget;
pub(super) mod children;
pub(super) mod duplicates;
pub(super) mod evidence;
pub(super) mod group;
pub(super) mod merge;
mod neighbours;
#[cfg(test)]
pub(super) mod sample;
pub(super) mod shingles;
mod sources;
mod window;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use futures::future::try_join_all;

use super::vector_models::QuestionVectors;
use super::{Hit, Mode, Route, SearchRequest};
use crate::error::Result;
use crate::store::{IndexedPassage, LoadedVectors, Scope, Snapshot};
use crate::text::highlight::Terms;
use children::{Pieces, Question};

pub use sources::{Source, SourceChild};
pub(super) use sources::{pages_of, text_of};

/// The question and where its hits are from.
pub(super) struct Passage<'a> {
    pub snapshots: &'a [&'a Snapshot],
    pub names: &'a [String],
    pub request: &'a SearchRequest,
    /// The question's vectors, where the semantic arm was asked.
    pub asked: Option<&'a QuestionVectors>,
    /// The vectors of each namespace, where they are held in memory.
    pub vectors: &'a [Option<LoadedVectors>],
    pub route: Route,
}

/// Passages of a document that are to be read, those that there are.
struct Wanted {
    namespace: String,
    doc_id: String,
    first: u32,
    last: u32,
}

impl Wanted {
    fn of(hit: &Hit, first: u32, last: u32) -> Self {
        Wanted { namespace: hit.namespace.clone(), doc_id: hit.doc_id.clone(), first, last }
    }
}

/// Passages that were read, by the names of their namespaces and documents.
type Read<'r> = BTreeMap<(&'r str, &'r str), BTreeMap<u32, &'r IndexedPassage>>;

/// Makes one hit of adjacent ones, best first.
pub(super) fn merge_adjacent(snapshots: &[&Snapshot], names: &[String], hits: Vec<Hit>) -> Result<Vec<Hit>> {
    let mut gaps: Vec<Wanted> = Vec::new();
    for (at, hit) in hits.iter().enumerate() {
        for (first, last) in hits[..at].iter().filter_map(|other| merge::gap(other, hit)) {
            gaps.push(Wanted::of(hit, first, last));
        }
    }
    let rows = read(snapshots, names, &gaps)?;
    let known = by_place(names, &rows);
    let before = hits.len();
    let mut merged = merge::merge(hits, |hit, from, to| nothing_between(&known, hit, from, to));
    if merged.len() < before {
        merged.sort_by(merge::by_score);
    }
    Ok(merged)
}

/// Names the pieces of each hit that match best.
pub(super) async fn name_children(asked: &Passage<'_>, hits: &mut [Hit]) -> Result<()> {
    let shape = &asked.request.shape;
    let count = match shape.mode {
        Mode::Drill => shape.beam.children,
        // Where no word tells which sentence a window is around, the nearest piece does.
        _ => shape.children.max(usize::from(shape.window.is_some())),
    };
    if count == 0 || hits.is_empty() {
        return Ok(());
    }
    let known = try_join_all((0..asked.names.len()).map(|namespace| known(asked, hits, namespace))).await?;
    let question = Question {
        terms: Terms::of(&asked.request.query),
        keyword: asked.route.keyword,
        semantic: asked.route.semantic,
    };
    for hit in hits {
        let Some(place) = asked.names.iter().position(|name| *name == hit.namespace) else { continue };
        children::name_children(&mut hit.sources, &known[place], &question, count);
    }
    Ok(())
}

/// What is known of the passages of a namespace that were found.
async fn known(asked: &Passage<'_>, hits: &[Hit], namespace: usize) -> Result<Pieces> {
    let (snapshot, name) = (asked.snapshots[namespace], &asked.names[namespace]);
    let own = hits.iter().filter(|hit| hit.namespace == *name).flat_map(|hit| &hit.sources);
    let found = own.filter(|source| source.score.is_some());
    let ids: HashSet<String> = found.map(|source| source.chunk_id.clone()).collect();
    let passages = snapshot.passages(&ids.iter().cloned().collect::<Vec<String>>())?;
    let mut cosines = HashMap::new();
    if let Some(question) = asked.asked.and_then(|asked| asked.of(namespace)) {
        match asked.vectors.get(namespace).and_then(Option::as_ref) {
            Some(vectors) => {
                let scope = Scope::Passages(ids);
                vectors
                    .each(question, &scope, |chunk_id, _, cosine| cosines.extend([(chunk_id.to_owned(), cosine)]))?;
            }
            None => {
                let hits = snapshot.similarities(question, &ids.into_iter().collect::<Vec<String>>()).await?;
                cosines.extend(hits.into_iter().map(|hit| (hit.chunk_id, hit.score)));
            }
        }
    }
    let passages = passages.into_iter().map(|passage| (passage.chunk_id.clone(), passage)).collect();
    Ok(Pieces { passages, cosines })
}

/// Adds neighbours, or cuts down to windows; what overlaps then becomes one.
pub(super) fn expand(asked: &Passage<'_>, mut hits: Vec<Hit>) -> Result<Vec<Hit>> {
    let shape = &asked.request.shape;
    // A window may reach into the next passage.
    let count = shape.context.max(usize::from(shape.window.is_some()));
    let ranges: Vec<Wanted> = hits
        .iter()
        .filter_map(|hit| {
            let (first, last) = neighbours::reach(hit, count)?;
            Some(Wanted::of(hit, first, last))
        })
        .collect();
    let rows = read(asked.snapshots, asked.names, &ranges)?;
    let known = by_place(asked.names, &rows);
    for hit in &mut hits {
        let place = (hit.namespace.clone(), hit.doc_id.clone());
        if let Some(passages) = known.get(&(place.0.as_str(), place.1.as_str())) {
            neighbours::attach(hit, passages, count, shape.across_sections);
        }
    }
    hits = merge::merge(hits, |hit, from, to| nothing_between(&known, hit, from, to));
    if let Some(count) = shape.window {
        let terms = Terms::of(&asked.request.query);
        hits.iter_mut().for_each(|hit| window::window(hit, &terms, count));
    }
    Ok(hits)
}

/// Reads passages from the namespaces they are in.
fn read(snapshots: &[&Snapshot], names: &[String], wanted: &[Wanted]) -> Result<Vec<Vec<IndexedPassage>>> {
    let each = snapshots.iter().zip(names);
    each.map(|(snapshot, name)| {
        let own = wanted.iter().filter(|wanted| wanted.namespace == *name);
        let ids: BTreeSet<String> = own.flat_map(|wanted| ids(&wanted.doc_id, wanted.first, wanted.last)).collect();
        snapshot.passages(&ids.into_iter().collect::<Vec<String>>())
    })
    .collect()
}

/// The ids of the passages with a number from `first` to before `last`.
pub(super) fn ids(doc_id: &str, first: u32, last: u32) -> impl Iterator<Item = String> {
    (first..last).map(move |index| format!("{doc_id}:{index}"))
}

fn by_place<'r>(names: &'r [String], rows: &'r [Vec<IndexedPassage>]) -> Read<'r> {
    let mut read: Read = BTreeMap::new();
    for (name, rows) in names.iter().zip(rows) {
        for row in rows {
            read.entry((name, &row.doc_id)).or_default().insert(row.chunk_index, row);
        }
    }
    read
}

/// Whether no passage is left between two numbers. What is between them was read.
fn nothing_between(known: &Read, hit: &Hit, from: u32, to: u32) -> bool {
    known
        .get(&(hit.namespace.as_str(), hit.doc_id.as_str()))
        .is_none_or(|passages| passages.range(from + 1..to).next().is_none())
}
