//! Explains the place of a chunk or section in a result, or the stage that dropped it.
//!
//! Promise: places and scores are those of the original search. A second ranking is made if its trace cannot show the
//! place: beyond the pool of a retriever, or among all sections.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};

use serde::Serialize;

use super::filter::{Restriction, TimeField};
use super::hit::Hit;
use super::note::{NoteCode, refuses};
use super::request::{Fallback, Rerank, SearchRequest};
use super::result::SearchResult;
use super::searcher::Searcher;
use super::select::section_index::SectionIndex;
use super::select::{index, sections};
use super::shape::{Mode, Target};
use super::trace::Stage;
use crate::error::{Error, NextStep, Result, Setting};
use crate::ids::{ChunkId, SectionId, document_of};
use crate::text::count;

/// The stages that recall: a chunk needs to be in one of them.
const RETRIEVERS: [&str; 4] = ["keyword", "semantic", "reworded", "by_documents"];

/// Why a search for a chapter drops all text.
const NO_SUCH_CHAPTER: &str = "no searched document has the chapter that the question asks for";

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

/// Where something was lost; empty if it is in the result.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Loss {
    pub lost_in: Option<String>,
    /// The place that it had there, from 1.
    pub place: Option<usize>,
    /// The score that it had there.
    pub score: Option<f32>,
    pub reason: Option<String>,
    /// The setting that governs the stage in which it was lost, or joined to another hit.
    pub setting: Option<Setting>,
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

fn lost(stage: &str, at: Option<(usize, f32)>, reason: impl Into<String>, setting: Option<&'static str>) -> Loss {
    let (place, score) = (at.map(|at| at.0), at.map(|at| at.1));
    Loss { lost_in: Some(stage.to_owned()), place, score, reason: Some(reason.into()), setting: setting.map(Setting) }
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

    async fn loss(&self) -> Result<Loss> {
        let (searcher, request) = (self.searcher, self.request);
        if self.found.notes.iter().any(|note| note.code == NoteCode::NoSearchNeeded) {
            let reason = "the question is a greeting, so nothing was searched; in quotation marks it is searched for";
            return Ok(lost("understand", None, reason, None));
        }
        if !self.found.contents.is_empty() {
            let reason = "the table of contents answers this question, so the text was not searched";
            return Ok(lost("contents", None, reason, Some("kind")));
        }
        if self.lacks_chapter().await? {
            let reason = "its table of contents lacks the chapter that the question asks for";
            return Ok(lost("contents", None, reason, Some("kind")));
        }
        match searcher.restricting_stage(request, document_of(self.id), self.parents).await? {
            Some("phrases") => {
                return Ok(lost("phrases", None, "it lacks a quoted phrase of the question", None));
            }
            Some(stage) => return Ok(lost(stage, None, "the filters exclude it", self.restricting_setting())),
            None => {}
        }
        match request.shape.seeks_sections() {
            true if refuses(&self.found.notes) && self.found.hits.is_empty() => {
                Ok(lost("confidence", None, NO_SUCH_CHAPTER, Some("kind")))
            }
            true => self.loss_among_sections().await,
            false => self.loss_of_chunk().await,
        }
    }

    /// Whether only documents without a table of contents were searched, and this has one.
    async fn lacks_chapter(&self) -> Result<bool> {
        let has = |code: NoteCode| self.found.notes.iter().any(|note| note.code == code);
        if !(has(NoteCode::PartMissing) && has(NoteCode::ContentsMissing)) {
            return Ok(false);
        }
        for snapshot in self.searcher.snapshots().await? {
            if !snapshot.contents(document_of(self.id)).await?.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The setting that restricts the search, if there is exactly one.
    fn restricting_setting(&self) -> Option<&'static str> {
        let Restriction { filter, before, after, as_of, time_field, filter_from: _, headings: _ } =
            &self.request.restriction;
        let on = |limit: fn(&TimeField) -> Option<f64>| time_field.as_ref().and_then(limit).is_some();
        let all = [
            ("doc", self.request.documents.is_some()),
            ("filter", filter.is_some()),
            ("as_of", as_of.is_some() || on(|field| field.as_of)),
            ("after", after.is_some() || on(|field| field.after)),
            ("before", before.is_some() || on(|field| field.before)),
        ];
        let mut set = all.into_iter().filter(|(_, is_set)| *is_set).map(|(setting, _)| setting);
        set.next().filter(|_| set.next().is_none())
    }

    /// Where a chunk was lost among chunks.
    async fn loss_of_chunk(&self) -> Result<Loss> {
        let traced = &self.found.trace.stages;
        let Some(id) = furthest(traced, self.parents) else { return Ok(lost("recall", None, "it has no text", None)) };
        let (retrievers, later): (Vec<&Stage>, Vec<&Stage>) = traced.iter().partition(|stage| stage.is_retriever());
        if retrievers.iter().all(|stage| stage.place_of(id).is_none()) {
            return self.loss_in_recall(id).await;
        }
        let later: Vec<&Stage> = later.into_iter().filter(|stage| stage.is_listed).collect();
        Ok(match later.iter().position(|stage| stage.place_of(id).is_none()) {
            Some(at) => self.loss_in_stage(later[at], &later[..at], id),
            None => self.loss_in_budget(),
        })
    }

    /// Why a stage dropped a chunk that came out of the earlier ones.
    fn loss_in_stage(&self, stage: &Stage, earlier: &[&Stage], id: &str) -> Loss {
        let (request, name) = (self.request, stage.name.as_str());
        let Some(before) = earlier.last() else {
            return lost(name, None, "the retrievers found it, but it was not fused", None);
        };
        let (place, score) = before.place_of(id).unwrap_or((before.candidates.len(), 0.0));
        let lost = |reason: String, setting| lost(name, Some((place, score)), reason, setting);
        match name {
            "cut" => {
                let (reason, setting) = self.cut(earlier, id);
                lost(reason, Some(setting))
            }
            "confidence" if refuses(&self.found.notes) => lost(NO_SUCH_CHAPTER.to_owned(), Some("kind")),
            "confidence" => {
                let dropped = self.found.unsure.iter().filter(|candidate| candidate.chunk_id == *id);
                let own = dropped.map(|candidate| candidate.confidence).fold(0.0, f32::max);
                let reason = format!("its confidence {own:.3} is below {}", request.min_confidence);
                lost(reason, Some("min_confidence"))
            }
            "drill" => lost(format!("the beam {} does not lead to it", request.shape.beam), Some("mode")),
            "duplicates" => {
                let same = stage.candidates.iter().find(|one| one.duplicates.iter().any(|own| own == id));
                let of = same.map_or_else(String::new, |one| format!(" {}", one.id));
                lost(format!("it repeats{of}, which is better"), Some("keep_duplicates"))
            }
            "per_document" => {
                let own = before.candidates.iter().take_while(|one| !one.has(id));
                let better = own.filter(|one| document_of(&one.id) == document_of(id)).count();
                lost(format!("its document has {}", count(better, "better hit")), Some("per_document"))
            }
            "choose" if request.shape.mode == Mode::Broad && place <= request.limit => {
                lost("it is too similar to others that were chosen".to_owned(), Some("mode"))
            }
            "choose" => lost(format!("the result has at most {}", count(request.limit, "hit")), Some("limit")),
            "budget" => self.loss_in_budget(),
            _ => lost("this stage dropped it".to_owned(), None),
        }
    }

    /// Where a chunk was lost that no retriever recalled.
    async fn loss_in_recall(&self, id: &str) -> Result<Loss> {
        let (request, snapshots) = (self.request, self.searcher.snapshots().await?);
        let all = snapshots.iter().map(|snapshot| usize::try_from(snapshot.keyword().count()).unwrap_or(usize::MAX));
        let all = all.sum::<usize>().max(1);
        let (fallback, rerank) = (Fallback::default(), Rerank::Off);
        let open = SearchRequest { pool: all, limit: all, min_confidence: 0.0, fallback, rerank, ..request.clone() };
        let (_, everything) = self.searcher.rank(&open).await?;
        let retrievers = everything.stages.iter().filter(|stage| stage.is_retriever());
        let there = |stage: &Stage| Some((stage.place_of(id)?, stage.name.clone()));
        Ok(match retrievers.filter_map(there).min_by_key(|((place, _), _)| *place) {
            Some(((place, score), retriever)) => {
                let reason =
                    format!("it is at place {place} of the {retriever} retriever, which recalled {}", request.pool);
                lost("recall", Some((place, score)), reason, Some("pool"))
            }
            None => {
                let alone = self.found.route.semantic <= 0.0 && self.found.route.model_knows();
                let setting = if alone { "method" } else { "expand" };
                lost("recall", None, "it has no word of the question, and no vector near it", Some(setting))
            }
        })
    }

    /// Where a section, or a chunk, was lost among sections.
    async fn loss_among_sections(&self) -> Result<Loss> {
        let request = self.request;
        let (ranking, _) = self.searcher.rank(&SearchRequest { limit: request.depth(), ..request.clone() }).await?;
        let own = self.parents.iter().flat_map(|id| (0..ranking.scopes.len()).map(move |place| (place, id)));
        let candidates = ranking.keys().chain(own);
        let indexes = index::sections(self.searcher, &request.query, &ranking.scopes, candidates).await?;
        let above = |index: &SectionIndex, id: &ChunkId| -> Vec<SectionId> {
            let own = index.section_of(id).into_iter().flat_map(|own| index.with_those_above(own));
            own.map(|at| index.row(at).section_id.clone()).collect()
        };
        let own: Vec<SectionId> = match self.is_section() {
            true => vec![self.id.into()],
            false => {
                self.parents.iter().flat_map(|id| indexes.iter().flat_map(move |index| above(index, id))).collect()
            }
        };
        let found = sections::all(&indexes, &ranking);
        let at = found.iter().position(|(id, _)| own.contains(id)).map(|at| (at + 1, found[at].1));
        Ok(match at {
            Some((place, _)) if place > request.limit => lost(
                "sections",
                at,
                format!("the result has at most {}", count(request.limit, "section")),
                Some("limit"),
            ),
            Some(_) if request.shape.max_tokens.is_some() => self.loss_in_budget(),
            Some(_) => lost("sections", None, "its document was not compared", None),
            None => {
                let reason = "its title and chunks do not match well enough, or its chunks count for another section";
                lost("sections", at, reason, None)
            }
        })
    }

    fn loss_in_budget(&self) -> Loss {
        match self.request.shape.max_tokens {
            Some(most) => lost("budget", None, format!("it does not fit into {most} tokens"), Some("max_tokens")),
            None => lost("fetch", None, "it passed every stage but is not shown", None),
        }
    }

    /// Why its place was too low, and the setting.
    fn cut(&self, earlier: &[&Stage], id: &str) -> (String, &'static str) {
        let depth = self.request.depth();
        let reason = format!("the first {depth} are taken");
        let decay = earlier.iter().rposition(|stage| stage.name == "decay");
        let undecayed = decay.and_then(|at| Some(earlier[at.checked_sub(1)?]));
        match undecayed.and_then(|stage| stage.place_of(id)) {
            Some((place, score)) if place <= depth => {
                let decayed = format!("{reason}; before the decay it was at place {place} with score {score:.3}");
                (decayed, "half_life")
            }
            _ => (reason, "limit"),
        }
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

impl Stage {
    fn is_retriever(&self) -> bool {
        RETRIEVERS.contains(&self.name.as_str())
    }
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
