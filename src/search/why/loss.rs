//! Where a search lost a chunk or a section, and why.

use serde::Serialize;

use super::{Case, furthest};
use crate::error::{Result, Setting};
use crate::ids::{ChunkId, SectionId, document_of};
use crate::search::filter::{Restriction, TimeField};
use crate::search::note::{NoteCode, refuses};
use crate::search::request::{Fallback, Rerank, SearchRequest};
use crate::search::select::section_index::SectionIndex;
use crate::search::select::{index, sections};
use crate::search::shape::Mode;
use crate::search::trace::Stage;
use crate::text::count;

/// The stages that recall: a chunk needs to be in one of them.
const RETRIEVERS: [&str; 4] = ["keyword", "semantic", "reworded", "by_documents"];

/// Why a search for a chapter drops all text.
const NO_SUCH_CHAPTER: &str = "no searched document has the chapter that the question asks for";

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

fn lost(stage: &str, at: Option<(usize, f32)>, reason: impl Into<String>, setting: Option<&'static str>) -> Loss {
    let (place, score) = (at.map(|at| at.0), at.map(|at| at.1));
    Loss { lost_in: Some(stage.to_owned()), place, score, reason: Some(reason.into()), setting: setting.map(Setting) }
}

impl Case<'_> {
    pub(super) async fn loss(&self) -> Result<Loss> {
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
}

impl Stage {
    fn is_retriever(&self) -> bool {
        RETRIEVERS.contains(&self.name.as_str())
    }
}
