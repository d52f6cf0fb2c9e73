//! Selects hits from the ranking, as the mode asks.
//!
//! The functions decide; only this file and `section_hits` read. A search in the mode `precise` without further settings reads
//! the parent chunks that it shows, and a few more in case some are duplicates.

mod documents;
mod duplicates;
mod section_hits;
mod sections;
mod titles;

use std::time::Instant;

use futures::future::try_join_all;

use super::Ranking;
use super::expand::merge_adjacent;
use super::fetch::fetch;
use super::searcher::{Searched, Searcher};
use super::trace::Trace;
use super::{Hit, Mode, SearchRequest};
use crate::error::{Result, Setting};
use crate::store::Snapshot;
use crate::text::count;

pub(super) use documents::{DocumentIndex, nearest};
pub use sections::{ChunkRank, SectionRank};
pub(super) use sections::{SectionRanks, rank_all_sections};
pub(super) use titles::SectionIndex;

/// Selects among the ranked parent chunks and reads them. Its steps are added to the ranking's trace.
pub(super) async fn select(searcher: &Searcher, request: &SearchRequest, ranking: &mut Ranking) -> Result<Vec<Hit>> {
    let (searched, snapshots) = (searcher.searched(), searcher.snapshots().await?);
    if request.shape.seeks_sections() {
        return sections(searched, &snapshots, request, ranking).await;
    }
    if request.shape.mode == Mode::Drill {
        documents::drill_down(searched, request, ranking).await?;
    }
    parent_chunks(&snapshots, request, ranking).await
}

/// The best sections.
async fn sections(
    searched: &[Searched],
    snapshots: &[&Snapshot],
    request: &SearchRequest,
    ranking: &mut Ranking,
) -> Result<Vec<Hit>> {
    let mut trace = take_trace(ranking);
    let start = Instant::now();
    let indexes = try_join_all(searched.iter().map(Searched::sections)).await?;
    trace.took("titles", super::trace::milliseconds(start));
    let start = Instant::now();
    let sections = sections::find(&indexes, ranking, &request.query, request.limit);
    let found = section_hits::Found { indexes: &indexes, ranking, request, sections };
    let all = found.sections.len();
    trace.stage("sections", start, ranking.candidates.len(), all).list(found.traced());
    let start = Instant::now();
    let hits = found.hits(snapshots).await?;
    trace.stage("fetch", start, all, hits.len()).hits(&hits, &ranking.namespaces, true);
    ranking.trace = trace;
    Ok(hits)
}

/// The best parent chunks, selected as the mode asks.
async fn parent_chunks(snapshots: &[&Snapshot], request: &SearchRequest, ranking: &mut Ranking) -> Result<Vec<Hit>> {
    let shape = &request.shape;
    let Ranking { namespaces: names, candidates, trace, .. } = ranking;
    let start = Instant::now();
    let mut hits = fetch(snapshots, names, candidates).await?;
    trace.stage("fetch", start, candidates.len(), hits.len());
    if !shape.keep_duplicates {
        hits = trace.step(names, "duplicates", hits, |hits| Ok(duplicates::drop_duplicates(hits)))?;
    }
    if shape.merges() && shape.mode != Mode::Drill {
        hits = trace.step(names, "merge", hits, |hits| merge_adjacent(snapshots, names, hits))?;
    }
    if let Some(most) = shape.per_document {
        hits = trace.step(names, "per_document", hits, |hits| Ok(duplicates::cap_per_document(hits, most)))?;
    }
    let diversity = if shape.mode == Mode::Broad { shape.diversity } else { 0.0 };
    hits = trace.step(names, "choose", hits, |hits| Ok(duplicates::diverse(hits, request.limit, diversity)))?;
    let duplicates: usize = hits.iter().map(|hit| hit.duplicates.len()).sum();
    if duplicates > 0 {
        let repeat = if duplicates == 1 { "repeats" } else { "repeat" };
        let chunks = count(duplicates, "parent chunk");
        let shows = Setting("keep_duplicates");
        trace.notes.push(format!("left out: {chunks} that {repeat} one shown; {shows} shows them"));
    }
    Ok(hits)
}

/// The trace, to be added to while the rest of the ranking is read.
fn take_trace(ranking: &mut Ranking) -> Trace {
    std::mem::replace(&mut ranking.trace, Trace::new(false))
}
