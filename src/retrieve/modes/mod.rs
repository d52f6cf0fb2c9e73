//! The ranking to hits: which are chosen is the mode's, what is shown of them is `expand`'s.
//!
//! Everything in here decides with pure functions over what was read; this file and `section` read. A search in the mode
//! `precise`, with nothing else asked for, reads the same passages as it shows, and a few more in case some say the same.

mod about;
mod broad;
pub(super) mod drill;
mod rank_sections;
mod section;
mod standing;
mod titles;

use std::time::Instant;

use futures::future::try_join_all;

use about::AskedDocument;
use drill::Near;

use super::expand::budget::Omitted;
use super::expand::children::only_children;
use super::expand::duplicates::drop_duplicates;
use super::expand::group::group;
use super::expand::merge::refresh;
use super::expand::{Passage, budget, expand, merge_adjacent, name_children};
use super::fetch::fetch;
use super::fuse::Candidate;
use super::kernel::Ranking;
use super::recall::first_different;
use super::searched::Searched;
use super::vector_models::QuestionVectors;
use super::{Hit, Mode, SearchRequest};
use crate::embed::TokenCounter;
use crate::error::Result;
use crate::store::{LoadedVectors, Scope, Snapshot};

pub(super) use about::DocumentIndex;
pub use standing::Evidence;
pub(super) use standing::{Standing, standings};
pub(super) use titles::SectionIndex;

/// What is made of a ranking.
pub(super) struct Answer {
    pub hits: Vec<Hit>,
    /// What did not fit into the tokens that were asked for.
    pub left_out: Vec<Omitted>,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// Chooses among the ranked passages and reads what is shown. The stages are added to the ranking's trace.
pub(super) async fn answer(
    searched: &[Searched],
    vectors: &[Option<LoadedVectors>],
    request: &SearchRequest,
    ranking: &mut Ranking,
) -> Result<Answer> {
    let snapshots = try_join_all(searched.iter().map(Searched::snapshot)).await?;
    let mut notes = Vec::new();
    let hits = if request.shape.seeks_sections() {
        sections(searched, &snapshots, request, ranking).await?
    } else {
        if request.shape.mode == Mode::Drill {
            drill_down(searched, request, ranking).await?;
        }
        passages(&snapshots, vectors, request, ranking, &mut notes).await?
    };
    finish(hits, request, ranking, notes)
}

/// The best sections.
async fn sections(
    searched: &[Searched],
    snapshots: &[&Snapshot],
    request: &SearchRequest,
    ranking: &mut Ranking,
) -> Result<Vec<Hit>> {
    let start = Instant::now();
    let indexes = try_join_all(searched.iter().map(Searched::sections)).await?;
    ranking.trace.took("titles", super::trace::milliseconds(start));
    let start = Instant::now();
    let Ranking { namespaces: names, scopes, candidates, trace, .. } = ranking;
    let found = section::find(&indexes, scopes, request, candidates);
    trace.stage("sections", start, candidates.len(), found.len()).list(section::traced(&indexes, candidates, &found));
    let start = Instant::now();
    let hits = section::fetch_sections(snapshots, &indexes, names, request, candidates, &found).await?;
    trace.stage("fetch", start, found.len(), hits.len()).hits(&hits, names, true);
    Ok(hits)
}

/// Leaves of the candidates what is on the paths through the best documents.
async fn drill_down(searched: &[Searched], request: &SearchRequest, ranking: &mut Ranking) -> Result<()> {
    let start = Instant::now();
    let near = near(searched, &request.query, ranking.vector.as_ref(), &ranking.candidates).await?;
    let paths = drill::paths(&ranking.candidates, &near, request.shape.beam);
    let (all, beam) = (ranking.candidates.len(), format!("beam {}", request.shape.beam));
    ranking.candidates = paths.passages;
    let stage = ranking.trace.stage("drill", start, all, ranking.candidates.len()).say(beam);
    paths.told.into_iter().fold(stage, |stage, told| stage.say(told)).ranking(&ranking.candidates);
    Ok(())
}

/// The `most` documents of the scopes that are nearest to a question, of which the vector may be known, by all but their
/// passages, nearest first: the places of their namespaces, their ids and their scores.
pub(super) async fn nearest(
    searched: &[Searched],
    query: &str,
    vectors: Option<&QuestionVectors>,
    scopes: &[Scope],
    most: usize,
) -> Result<Vec<(usize, String, f32)>> {
    let mut all: Vec<(usize, String, f32)> = Vec::new();
    for (namespace, (searched, scope)) in searched.iter().zip(scopes).enumerate() {
        let (sections, documents) = (searched.sections().await?, searched.documents().await?);
        let asked = AskedDocument::of(query, vectors.and_then(|vectors| vectors.of(namespace)));
        let near = documents.nearest(sections, &asked, scope, most, drill::score_of_itself);
        all.extend(near.into_iter().map(|(doc_id, score)| (namespace, doc_id, score)));
    }
    all.sort_by(|a, b| b.2.total_cmp(&a.2).then_with(|| (&a.1, a.0).cmp(&(&b.1, b.0))));
    // A document that is in several namespaces takes one place.
    first_different(&mut all, most, |(_, doc_id, _)| doc_id);
    Ok(all)
}

/// How near the documents of candidates are to a question, of which the vector may be known.
pub(super) async fn near(
    searched: &[Searched],
    query: &str,
    vectors: Option<&QuestionVectors>,
    candidates: &[Candidate],
) -> Result<Near> {
    let mut all = Near::new();
    for (namespace, searched) in searched.iter().enumerate() {
        let (sections, documents) = (searched.sections().await?, searched.documents().await?);
        let asked = AskedDocument::of(query, vectors.and_then(|vectors| vectors.of(namespace)));
        let of = |id: String| (id.clone(), documents.nearness(&id, sections, &asked));
        all.push(drill::documents(candidates, namespace).into_iter().map(of).collect());
    }
    Ok(all)
}

/// The best passages, chosen as the mode has it, with what is shown around them.
async fn passages(
    snapshots: &[&Snapshot],
    vectors: &[Option<LoadedVectors>],
    request: &SearchRequest,
    ranking: &mut Ranking,
    notes: &mut Vec<String>,
) -> Result<Vec<Hit>> {
    let shape = &request.shape;
    let Ranking { namespaces: names, candidates, trace, .. } = ranking;
    let start = Instant::now();
    let mut hits = fetch(snapshots, names, candidates).await?;
    trace.stage("fetch", start, candidates.len(), hits.len());
    if !shape.keep_duplicates {
        let (start, before) = (Instant::now(), hits.len());
        let dropped = drop_duplicates(&mut hits);
        trace.stage("duplicates", start, before, before - dropped).hits(&hits, names, false);
    }
    if shape.merges() && shape.mode != Mode::Drill {
        let (start, before) = (Instant::now(), hits.len());
        hits = merge_adjacent(snapshots, names, hits)?;
        trace.stage("merge", start, before, hits.len()).hits(&hits, names, false);
    }
    if let Some(most) = shape.per_document {
        let (start, before) = (Instant::now(), hits.len());
        broad::cap_per_document(&mut hits, most);
        trace.stage("per_document", start, before, hits.len()).hits(&hits, names, false);
    }
    let (start, before) = (Instant::now(), hits.len());
    match shape.mode {
        Mode::Broad => hits = broad::diverse(hits, request.limit, shape.diversity),
        Mode::Precise | Mode::Section | Mode::Drill => hits.truncate(request.limit),
    }
    trace.stage("choose", start, before, hits.len()).hits(&hits, names, false);
    let duplicates: usize = hits.iter().map(|hit| hit.duplicates.len()).sum();
    if duplicates > 0 {
        let passages = crate::text::count(duplicates, "passage");
        let say = if duplicates == 1 { "says" } else { "say" };
        notes.push(format!("left out: {passages} that {say} the same as one shown; --keep-duplicates shows them"));
    }
    let asked = ranking.vector.as_ref();
    let question = Passage { snapshots, names, request, asked, vectors, route: ranking.route };
    let start = Instant::now();
    name_children(&question, &mut hits).await?;
    ranking.trace.stage("children", start, hits.len(), hits.len());
    if shape.mode == Mode::Drill {
        for hit in &mut hits {
            hit.sources.iter_mut().for_each(only_children);
            refresh(hit);
        }
    }
    if shape.mode != Mode::Drill && (shape.context > 0 || shape.window.is_some()) {
        let (start, before) = (Instant::now(), hits.len());
        hits = expand(&question, hits)?;
        ranking.trace.stage("expand", start, before, hits.len()).hits(&hits, names, false);
    }
    Ok(hits)
}

/// What all modes end with: the budget, groups, ranks.
fn finish(mut hits: Vec<Hit>, request: &SearchRequest, ranking: &mut Ranking, notes: Vec<String>) -> Result<Answer> {
    let shape = &request.shape;
    let mut left_out = Vec::new();
    if let Some(most) = shape.max_tokens {
        let (start, before) = (Instant::now(), hits.len());
        let counter = match &shape.counter {
            Some(counter) => counter.clone(),
            None => TokenCounter::shared()?,
        };
        left_out = budget::fit(&mut hits, most, &counter)?;
        let (names, sections) = (&ranking.namespaces, shape.seeks_sections());
        ranking.trace.stage("budget", start, before, hits.len()).hits(&hits, names, sections);
    }
    let start = Instant::now();
    hits.iter_mut().for_each(|hit| hit.find_snippet(&request.query));
    ranking.trace.stage("snippets", start, hits.len(), hits.len());
    let mut hits = group(hits, shape.group_by);
    hits.iter_mut().zip(1..).for_each(|(hit, rank)| hit.rank = rank);
    Ok(Answer { hits, left_out, notes })
}
