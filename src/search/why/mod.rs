//! Explains the place of a chunk or section in a result, or the stage that dropped it.
//!
//! Promise: places and scores are those of the original search. A second ranking is made if its trace cannot show the
//! place: beyond the pool of a retriever, or among all sections.

mod loss;

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};

use serde::Serialize;

use super::hit::Hit;
use super::request::SearchRequest;
use super::result::SearchResult;
use super::searcher::Searcher;
use super::shape::Target;
use super::trace::Stage;
use crate::error::{Error, NextStep, Result, Setting};
use crate::ids::ChunkId;
use loss::Loss;

/// What happened to a chunk or a section.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Why {
    pub id: String,
    /// Of the parent chunks that the id stands for, the one that came furthest.
    pub chunk_id: Option<ChunkId>,
    /// Its place in the result, from 1; `None` if it is not there.
    pub rank: Option<usize>,
    /// How the result shows it, if it is not a hit of its own.
    pub shown: Option<String>,
    pub stages: Vec<WhyStage>,
    #[serde(flatten)]
    pub loss: Loss,
}

/// A chunk or a section in one stage.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WhyStage {
    pub name: String,
    /// Its place there, from 1; `None` if it did not come out.
    pub place: Option<usize>,
    /// How many came out.
    pub of: usize,
    pub score: Option<f32>,
}

impl Searcher {
    /// Explains what happened to a chunk (`7f3k2m:12`, or a part of it) or a section (`7f3k2m#3.2`).
    pub async fn why(&self, request: &SearchRequest, id: &str) -> Result<Why> {
        let request = SearchRequest { explain: true, ..request.clone() };
        let parents = self.parents_of(id).await?;
        let found = self.search(&request).await?;
        let case = Case { searcher: self, request: &request, found: &found, id, parents: &parents };
        let shown = case.shown();
        let traced = &found.trace.stages;
        let parent = shown.as_ref().and_then(|shown| shown.parent.clone());
        let chunk_id = parent.or_else(|| furthest(traced, &parents).map(ChunkId::from));
        let among_sections = request.shape.seeks_sections() && case.is_section();
        let about = if among_sections { Some(id) } else { chunk_id.as_deref() };
        let stages = why_stages(traced, chunk_id.as_deref(), about);
        let loss = match &shown {
            Some(shown) => Loss { setting: shown.setting.map(Setting), ..Loss::default() },
            None => case.loss().await?,
        };
        let (rank, shown) = shown.map_or((None, None), |shown| (Some(shown.rank), shown.how));
        Ok(Why { id: id.to_owned(), chunk_id, rank, shown, stages, loss })
    }

    /// The parent chunks that an id stands for; none for a section without text.
    async fn parents_of(&self, id: &str) -> Result<Vec<ChunkId>> {
        let mut found = BTreeSet::new();
        let mut known = false;
        for snapshot in self.snapshots().await? {
            match id.split_once('#') {
                Some((doc_id, path)) => {
                    known |= snapshot.sections(doc_id).await?.iter().any(|section| section.section_id == id);
                    let below = format!("{doc_id}#{path}.");
                    let mut parents = snapshot.parents_of(doc_id).await?;
                    parents.retain(|parent| parent.section_id == id || parent.section_id.starts_with(&below));
                    found.extend(parents.into_iter().map(|parent| parent.chunk.chunk_id));
                }
                None => {
                    let rows = snapshot.chunks_by_id(&[id.into()]).await?;
                    found.extend(rows.into_iter().map(|row| row.parent_id.unwrap_or(row.chunk.chunk_id)));
                }
            }
        }
        if found.is_empty() && !known {
            return Err(Error::not_found(format!("no chunk or section {id:?}"))
                .hint(format!("`{}` shows the ids", NextStep::ListChunks)));
        }
        Ok(found.into_iter().collect())
    }
}

/// A chunk or section in question, with the search and its result.
struct Case<'s> {
    searcher: &'s Searcher,
    request: &'s SearchRequest,
    found: &'s SearchResult,
    id: &'s str,
    /// The parent chunks that the id stands for.
    parents: &'s [ChunkId],
}

impl Case<'_> {
    fn is_section(&self) -> bool {
        self.id.contains('#')
    }

    /// The first hit that is the chunk or section in question, or shows it.
    fn shown(&self) -> Option<Shown> {
        let sections = self.request.shape.seeks_sections();
        if sections && self.is_section() {
            return self.shown_section();
        }
        let found = |hit: &Hit| {
            let own = self.parents.iter().find(|id| **id == hit.chunk_id && (!sections || has(hit, id)));
            let best = || {
                let there = hit.sources.iter().filter(|source| self.parents.contains(&source.chunk_id));
                let score = |score: Option<f32>| score.unwrap_or(-1.0);
                there.max_by(|a, b| score(a.score).total_cmp(&score(b.score))).map(|best| &best.chunk_id)
            };
            own.or_else(best).cloned()
        };
        let (hit, parent) = self.found.hits.iter().find_map(|hit| Some((hit, found(hit)?)))?;
        let score = hit.sources.iter().find(|source| source.chunk_id == parent).and_then(|source| source.score);
        let around = if self.request.shape.window.is_some() { "window" } else { "context" };
        let (how, setting) = match (sections, score) {
            (true, Some(_)) => (Some(format!("it counts for the section {}", hit.section.id)), None),
            (true, None) => (Some(format!("it is shown within the section {}", hit.section.id)), None),
            (false, _) if hit.chunk_id == parent => (None, None),
            (false, Some(_)) => (Some(format!("it was merged with its neighbour {}", hit.chunk_id)), Some("merge")),
            (false, None) => (Some(format!("it is shown as a neighbour of {}", hit.chunk_id)), Some(around)),
        };
        Some(Shown { rank: hit.rank, parent: Some(parent), how, setting })
    }

    /// A section among sections: its own hit, otherwise the hit of a section above it that shows it whole.
    fn shown_section(&self) -> Option<Shown> {
        if let Some(hit) = self.found.hits.iter().find(|hit| *hit.section.id == *self.id) {
            let parent = Some(hit.chunk_id.clone()).filter(|id| !id.is_empty());
            return Some(Shown { rank: hit.rank, parent, how: None, setting: None });
        }
        if self.request.shape.target == Target::Sections {
            return None;
        }
        let shows = |hit: &&Hit| {
            self.id.starts_with(&format!("{}.", hit.section.id))
                && (self.parents.is_empty() || self.parents.iter().any(|id| has(hit, id)))
        };
        let hit = self.found.hits.iter().find(shows)?;
        let parent = self.parents.iter().find(|id| has(hit, id)).cloned();
        let how = Some(format!("it is shown within the section {}", hit.section.id));
        Some(Shown { rank: hit.rank, parent, how, setting: None })
    }
}

fn has(hit: &Hit, chunk_id: &str) -> bool {
    hit.sources.iter().any(|source| source.chunk_id == chunk_id)
}

struct Shown {
    /// The place of the hit, from 1.
    rank: usize,
    parent: Option<ChunkId>,
    /// In words, if it is not a hit of its own.
    how: Option<String>,
    /// The setting that joined it to that hit.
    setting: Option<&'static str>,
}

/// Of several parent chunks the one that came furthest; of equals the best there.
fn furthest<'i>(traced: &[Stage], ids: &'i [ChunkId]) -> Option<&'i str> {
    let best = ids.iter().max_by_key(|id| {
        let came_to = traced.iter().rposition(|stage| stage.place_of(id).is_some());
        let place = came_to.and_then(|at| traced[at].place_of(id)).map_or(usize::MAX, |(place, _)| place);
        (came_to, Reverse(place), Reverse(id.as_str()))
    });
    best.map(ChunkId::as_str)
}

/// The stages that a parent chunk went through; from the ranking of sections on, those of the section.
fn why_stages(traced: &[Stage], parent: Option<&str>, about: Option<&str>) -> Vec<WhyStage> {
    let mut of_sections = false;
    let listed = traced.iter().filter(|stage| stage.is_listed).map(|stage| {
        of_sections |= stage.name == "sections";
        let at = if of_sections { about } else { parent }.and_then(|id| stage.place_of(id));
        WhyStage {
            name: stage.name.clone(),
            place: at.map(|(place, _)| place),
            of: stage.candidates.iter().map(|one| one.id.as_str()).collect::<HashSet<&str>>().len(),
            score: at.map(|(_, score)| score),
        }
    });
    listed.collect()
}

#[cfg(test)]
mod tests {
    use super::super::trace::{Trace, Traced};
    use super::*;
    use std::time::Instant;

    fn trace(stages: &[(&str, &[&str])]) -> Trace {
        let mut trace = Trace::new(true);
        for (name, ids) in stages {
            let stage = trace.stage(name, Instant::now(), ids.len(), ids.len());
            stage.list(ids.iter().zip(1u8..).map(|(id, at)| Traced::new(id, 0, 1.0 - f32::from(at) / 10.0)));
        }
        trace
    }

    #[test]
    fn a_chunk_has_a_place_in_each_stage_that_it_came_to() {
        let asked = trace(&[("keyword", &["a", "b"]), ("fuse", &["a", "c", "b"]), ("cut", &[])]);
        let places: Vec<_> =
            why_stages(&asked.stages, Some("b"), Some("b")).into_iter().map(|stage| (stage.place, stage.of)).collect();
        assert_eq!(places, [(Some(2), 2), (Some(3), 3), (None, 0)]);
        let ids = ["c", "b"].map(ChunkId::from);
        assert_eq!(furthest(&asked.stages, &ids), Some("c"), "the better of those that came as far");
    }

    #[test]
    fn a_twin_takes_no_place() {
        let twice = trace(&[("fuse", &["a", "a", "b", "c"])]);
        assert_eq!(twice.stages[0].place_of("b").map(|(place, _)| place), Some(2));
        // Where the hits are listed too.
        assert_eq!(twice.place("fuse", &[&"c".into(), &"b".into()]), Some(2));
        assert_eq!((twice.place("fuse", &[&"d".into()]), twice.place("keyword", &[&"b".into()])), (None, None));
    }
}
