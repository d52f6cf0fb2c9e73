//! Why a passage is where it is in a result, or is not there at all.
//!
//! The question is asked twice: as it was, and with pools and limits that let everything through. The first shows the
//! stage in which the passage was lost, the second what would have kept it.

use serde::Serialize;

use super::kernel::Kernel;
use super::model_look::remedy_for_unread;
use super::trace::{Stage, Trace};
use super::{ModelLook, Rerank, SearchRequest, SecondLook};
use crate::error::{Error, Result};

/// The stages that recall: a passage needs to be in one of them.
const ARMS: [&str; 2] = ["keyword", "semantic"];

/// What became of a passage, or of the best passage of a section.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Why {
    /// What was asked for: a chunk or a section.
    pub id: String,
    /// The passage that the rest is about.
    pub chunk_id: Option<String>,
    /// Its place in the result, from 1; `None` where it is not in it.
    pub rank: Option<usize>,
    /// The stages it went through.
    pub stages: Vec<WhyStage>,
    /// The stage in which it was lost.
    pub lost_in: Option<String>,
    /// What would have kept it.
    pub remedy: Option<String>,
}

/// A passage in one stage.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WhyStage {
    /// The stage.
    pub name: String,
    /// Its place there, from 1; `None` where it did not come out.
    pub place: Option<usize>,
    /// How many came out.
    pub of: usize,
    /// Its score there.
    pub score: Option<f32>,
    /// Its place, had everything been let through.
    pub place_of_all: Option<usize>,
}

impl Kernel {
    /// Says for a chunk (`7f3k2m:12`, or a piece of it) or a section (`7f3k2m#3.2`) what became of it.
    ///
    /// # Errors
    /// Where there is no such chunk or section, or the search fails.
    pub async fn why(&self, request: &SearchRequest, id: &str) -> Result<Why> {
        let ids = self.passages_of(id).await?;
        let lost = if !self.lets_through(request, &ids).await? {
            Some(("filter", "what --filter, --doc or the times let through does not have it; ask without them"))
        } else if !self.keeps_to_phrases(request, &ids).await? {
            Some(("phrases", "it does not have what stands in quotation marks; ask without them"))
        } else {
            None
        };
        if let Some((stage, remedy)) = lost {
            let (lost_in, remedy) = (Some(stage.to_owned()), Some(remedy.to_owned()));
            let (id, chunk_id) = (id.to_owned(), ids.into_iter().next());
            return Ok(Why { id, chunk_id, rank: None, stages: Vec::new(), lost_in, remedy });
        }
        let asked = SearchRequest { explain: true, ..request.clone() };
        let ranking = self.rank(&asked).await?;
        let all = self.count().await?.max(1);
        let rerank = match &request.rerank {
            // A cross-encoder that read all passages would take hours: as deep as it was asked, however long it takes.
            Rerank::Model(look) => Rerank::Model(ModelLook { time: None, ..look.clone() }),
            _ => request.second_look().map_or(Rerank::Off, |look| Rerank::Light(SecondLook { depth: all, ..look })),
        };
        let open = SearchRequest { pool: all, limit: all, min_score: None, rerank, ..asked };
        let everything = self.rank(&open).await?;
        Ok(explained(id, &ids, request, &ranking.trace, &everything.trace))
    }

    /// The parents that an id stands for.
    async fn passages_of(&self, id: &str) -> Result<Vec<String>> {
        let unknown = || Error::not_found(format!("no chunk or section {id:?}")).hint("`kb chunks-list` shows the ids");
        let mut found = Vec::new();
        for snapshot in self.snapshots().await? {
            let rows = match id.split_once('#') {
                Some((doc_id, path)) => {
                    let below = format!("{doc_id}#{path}.");
                    let own = |section: &str| section == id || section.starts_with(&below);
                    let mut rows = snapshot.chunks_of(doc_id).await?;
                    rows.retain(|row| own(&row.section_id));
                    rows
                }
                None => snapshot.chunks_by_id(&[id.to_owned()]).await?,
            };
            found.extend(rows.into_iter().map(|row| row.parent_id.unwrap_or(row.chunk_id)));
        }
        found.sort();
        found.dedup();
        if found.is_empty() { Err(unknown()) } else { Ok(found) }
    }

    async fn count(&self) -> Result<usize> {
        let snapshots = self.snapshots().await?;
        Ok(snapshots.iter().map(|snapshot| usize::try_from(snapshot.keyword_count()).unwrap_or(usize::MAX)).sum())
    }
}

/// Reads both traces. Of several passages the one that came furthest, and there was best, is told of.
fn explained(id: &str, ids: &[String], request: &SearchRequest, trace: &Trace, everything: &Trace) -> Why {
    let best = ids.iter().max_by_key(|id| {
        let came_to = trace.stages.iter().rposition(|stage| place_in(stage, id).is_some());
        let place = came_to.and_then(|at| place_in(&trace.stages[at], id));
        let anywhere = everything.stages.iter().filter_map(|stage| place_in(stage, id)).min();
        (came_to, std::cmp::Reverse(place), std::cmp::Reverse(anywhere))
    });
    let Some(chunk_id) = best else {
        return Why { id: id.to_owned(), chunk_id: None, rank: None, stages: Vec::new(), lost_in: None, remedy: None };
    };
    let stages: Vec<WhyStage> = trace
        .stages
        .iter()
        .filter(|stage| ARMS.contains(&stage.name.as_str()) || !stage.candidates.is_empty())
        .map(|stage| {
            let of_all = everything.stages.iter().find(|other| other.name == stage.name);
            let place = place_in(stage, chunk_id);
            WhyStage {
                name: stage.name.clone(),
                place,
                of: stage.candidates.len(),
                score: place.map(|place| stage.candidates[place - 1].score),
                place_of_all: of_all.and_then(|stage| place_in(stage, chunk_id)),
            }
        })
        .collect();
    let (lost_in, mut remedy) = lost(&stages, request);
    if lost_in.as_deref() == Some("cut")
        && let Some(unread) = remedy_for_unread(trace, chunk_id)
    {
        remedy = Some(remedy.map_or_else(|| unread.clone(), |remedy| format!("{remedy}; {unread}")));
    }
    let rank = stages.last().filter(|_| lost_in.is_none()).and_then(|stage| stage.place);
    Why { id: id.to_owned(), chunk_id: Some(chunk_id.clone()), rank, stages, lost_in, remedy }
}

fn place_in(stage: &Stage, chunk_id: &str) -> Option<usize> {
    stage.candidates.iter().position(|candidate| candidate.id == chunk_id).map(|at| at + 1)
}

/// Where a passage was lost, and what would have kept it.
fn lost(stages: &[WhyStage], request: &SearchRequest) -> (Option<String>, Option<String>) {
    let is_arm = |stage: &&WhyStage| ARMS.contains(&stage.name.as_str());
    if stages.iter().filter(is_arm).all(|stage| stage.place.is_none()) {
        let nearest = stages.iter().filter(is_arm).filter_map(|stage| stage.place_of_all).min();
        let remedy = match nearest {
            Some(place) => format!("--pool {} recalls it", place.max(request.pool + 1)),
            None => "it has no word of the question, and no vector that was asked".to_owned(),
        };
        return (Some("recall".to_owned()), Some(remedy));
    }
    let Some(lost) = stages.iter().filter(|stage| !is_arm(stage)).find(|stage| stage.place.is_none()) else {
        return (None, None);
    };
    let before = stages.iter().take_while(|stage| stage.name != lost.name).last();
    let remedy = before.filter(|_| lost.name == "cut").and_then(|stage| Some((stage.place?, stage.score?)));
    let remedy = remedy.map(|(place, score)| match request.min_score {
        Some(least) if score < least => format!("its score {score:.3} is below --min-score {least}"),
        _ => format!("-k {place} shows it"),
    });
    (Some(lost.name.clone()), remedy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::retrieve::trace::Traced;
    use std::time::Instant;

    fn trace(stages: &[(&str, &[&str])]) -> Trace {
        let mut trace = Trace::new(true);
        for (name, ids) in stages {
            let stage = trace.stage(name, Instant::now(), ids.len(), ids.len());
            let traced =
                |(i, id): (usize, &&str)| Traced { id: (*id).into(), namespace: 0, score: 0.9 - i as f32 / 10.0 };
            stage.candidates = ids.iter().enumerate().map(traced).collect();
        }
        trace
    }

    fn why(id: &str, min_score: Option<f32>) -> Why {
        let asked =
            trace(&[("keyword", &["a", "b"]), ("semantic", &["c", "a"]), ("fuse", &["a", "c", "b"]), ("cut", &["a"])]);
        let all = trace(&[
            ("keyword", &["a", "b", "c", "d"]),
            ("semantic", &["c", "a", "b"]),
            ("fuse", &["a", "c", "b", "d"]),
            ("cut", &["a", "c", "b", "d"]),
        ]);
        let request = SearchRequest { pool: 2, limit: 1, min_score, ..SearchRequest::new("x") };
        explained(id, &[id.to_owned()], &request, &asked, &all)
    }

    #[test]
    fn what_is_found_has_its_place() {
        let found = why("a", None);
        assert_eq!((found.rank, found.lost_in), (Some(1), None));
        assert_eq!(found.stages[1].place, Some(2));
    }

    #[test]
    fn what_was_lost_says_where_and_what_would_have_kept_it() {
        let cut = why("b", None);
        assert_eq!(
            (cut.rank, cut.lost_in.as_deref(), cut.remedy.as_deref()),
            (None, Some("cut"), Some("-k 3 shows it"))
        );
        assert!(why("c", Some(0.85)).remedy.unwrap().contains("--min-score"));
        let far = why("d", None);
        assert_eq!((far.lost_in.as_deref(), far.remedy.as_deref()), (Some("recall"), Some("--pool 4 recalls it")));
        assert!(why("e", None).remedy.unwrap().contains("no word"));
    }
}
