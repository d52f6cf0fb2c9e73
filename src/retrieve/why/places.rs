//! Where something is in a result, and in the stages that led to it. Pure functions over results and traces.

use std::collections::HashSet;

use super::{Asked, Goal, WhyStage};
use crate::retrieve::trace::{Stage, Trace, Traced};
use crate::retrieve::{Hit, SearchRequest, SearchResult, Target};

/// The stages that recall: a passage needs to be in one of them.
const ARMS: [&str; 4] = ["keyword", "semantic", "reworded", "by_documents"];

/// How something is in a result.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Shown {
    /// The place of the hit, from 1.
    pub rank: usize,
    /// The passage that is told of.
    pub passage: Option<String>,
    /// In words, where it is not a hit of its own.
    pub how: Option<String>,
}

/// Where what is asked about is in a result: the first hit that is it, or shows it.
pub(super) fn shown(result: &SearchResult, asked: &Asked, request: &SearchRequest) -> Option<Shown> {
    let sections = request.shape.seeks_sections();
    if sections && asked.is_section() {
        return shown_section(result, asked, request);
    }
    let found = |hit: &Hit| {
        let own = asked.passages.iter().find(|id| **id == hit.chunk_id && (!sections || has(hit, id)));
        let best = || {
            let there = hit.sources.iter().filter(|source| asked.passages.contains(&source.chunk_id));
            there.max_by(|a, b| a.score.unwrap_or(-1.0).total_cmp(&b.score.unwrap_or(-1.0))).map(|best| &best.chunk_id)
        };
        own.or_else(best).cloned()
    };
    let (hit, passage) = result.hits.iter().find_map(|hit| Some((hit, found(hit)?)))?;
    let score = hit.sources.iter().find(|source| source.chunk_id == passage).and_then(|source| source.score);
    let how = match (sections, score) {
        (true, Some(_)) => Some(format!("it speaks for the section {}", hit.section_id)),
        (true, None) => Some(format!("it is shown within the section {}", hit.section_id)),
        (false, _) if hit.chunk_id == passage => None,
        (false, Some(_)) => Some(format!("it was merged with its neighbour {}", hit.chunk_id)),
        (false, None) => Some(format!("it is shown as a neighbour of {}", hit.chunk_id)),
    };
    Some(Shown { rank: hit.rank, passage: Some(passage), how })
}

fn has(hit: &Hit, chunk_id: &str) -> bool {
    hit.sources.iter().any(|source| source.chunk_id == chunk_id)
}

/// A section among sections: the hit that is it, otherwise one that shows it whole among the sections of its chapter.
fn shown_section(result: &SearchResult, asked: &Asked, request: &SearchRequest) -> Option<Shown> {
    let own = |hit: &&Hit| hit.section_id == asked.id;
    if let Some(hit) = result.hits.iter().find(own) {
        let passage = Some(hit.chunk_id.clone()).filter(|id| !id.is_empty());
        return Some(Shown { rank: hit.rank, passage, how: None });
    }
    if request.shape.target == Target::Sections {
        return None;
    }
    let shows = |hit: &&Hit| {
        asked.id.starts_with(&format!("{}.", hit.section_id))
            && (asked.passages.is_empty() || asked.passages.iter().any(|id| has(hit, id)))
    };
    let hit = result.hits.iter().find(shows)?;
    let passage = asked.passages.iter().find(|id| has(hit, id)).cloned();
    Some(Shown { rank: hit.rank, passage, how: Some(format!("it is shown within the section {}", hit.section_id)) })
}

/// Whether a result is what a remedy should lead to.
pub(super) fn reaches(result: &SearchResult, asked: &Asked, request: &SearchRequest, goal: Goal) -> bool {
    match goal {
        Goal::Shown => shown(result, asked, request).is_some(),
        Goal::Alone => result.hits.iter().any(|hit| asked.passages.contains(&hit.chunk_id)),
    }
}

/// A stage with its name in the look that counts.
pub(super) type Named<'t> = (&'t str, &'t Stage);

/// Whether a stage is one that recalls.
pub(super) fn is_arm(name: &str) -> bool {
    ARMS.contains(&name)
}

/// The place of something in a stage, from 1: what several namespaces have counts once.
pub(super) fn place_in(stage: &Stage, id: &str) -> Option<usize> {
    let at = stage.candidates.iter().position(|one| one.has(id))?;
    let before: HashSet<&str> = stage.candidates[..at].iter().map(|one| one.id.as_str()).collect();
    Some(before.len() + 1)
}

/// Something in a stage.
pub(super) fn traced_in<'t>(stage: &'t Stage, id: &str) -> Option<&'t Traced> {
    stage.candidates.iter().find(|one| one.has(id))
}

/// Of several passages the one that came furthest, and is best there.
pub(super) fn furthest<'i>(led: &[Named<'_>], ids: &'i [String]) -> Option<&'i str> {
    let best = ids.iter().max_by_key(|id| {
        let came_to = led.iter().rposition(|(_, stage)| place_in(stage, id).is_some());
        let place = came_to.and_then(|at| place_in(led[at].1, id));
        (came_to, std::cmp::Reverse(place.unwrap_or(usize::MAX)), std::cmp::Reverse(id.as_str()))
    });
    best.map(String::as_str)
}

/// The stages as something went through them: a passage, from where sections are ranked on the section.
pub(super) fn stages(
    led: &[Named<'_>],
    everything: Option<&Trace>,
    passage: Option<&str>,
    about: Option<&str>,
) -> Vec<WhyStage> {
    let mut of_sections = false;
    let told = led.iter().filter(|(_, stage)| stage.is_listed()).map(|&(name, stage)| {
        of_sections |= name == "sections";
        let id = if of_sections { about } else { passage };
        let place = id.and_then(|id| place_in(stage, id));
        let all = everything.and_then(|all| all.stages.iter().find(|other| other.name == name));
        WhyStage {
            name: name.to_owned(),
            place,
            of: stage.candidates.iter().map(|one| one.id.as_str()).collect::<HashSet<&str>>().len(),
            score: id.and_then(|id| traced_in(stage, id)).map(|one| one.score),
            place_of_all: all.zip(id).and_then(|(all, id)| place_in(all, id)),
        }
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn trace(stages: &[(&str, &[&str])]) -> Trace {
        let mut trace = Trace::new(true);
        for (name, ids) in stages {
            let stage = trace.stage(name, Instant::now(), ids.len(), ids.len());
            stage.list(ids.iter().zip(1u8..).map(|(id, at)| Traced::new(*id, 0, 1.0 - f32::from(at) / 10.0)).collect());
        }
        trace
    }

    #[test]
    fn a_passage_has_a_place_in_each_stage_that_it_came_to() {
        let asked = trace(&[("keyword", &["a", "b"]), ("fuse", &["a", "c", "b"]), ("cut", &[])]);
        let all = trace(&[("keyword", &["a", "b"]), ("fuse", &["a", "c", "b"]), ("cut", &["a", "c", "b"])]);
        let told = stages(&asked.led_to_result(), Some(&all), Some("b"), Some("b"));
        let places: Vec<_> = told.iter().map(|stage| (stage.place, stage.of, stage.place_of_all)).collect();
        assert_eq!(places, [(Some(2), 2, Some(2)), (Some(3), 3, Some(3)), (None, 0, Some(3))]);
        let ids = ["c", "b"].map(str::to_owned);
        assert_eq!(furthest(&asked.led_to_result(), &ids), Some("c"), "the better of those that came as far");
    }

    #[test]
    fn what_stands_twice_counts_once() {
        let twice = trace(&[("fuse", &["a", "a", "b"])]);
        assert_eq!(place_in(&twice.stages[0], "b"), Some(2));
    }

    #[test]
    fn the_stages_of_the_look_that_counts_are_told() {
        let names = |trace: &Trace| -> Vec<String> {
            trace.led_to_result().into_iter().map(|(name, _)| name.to_owned()).collect()
        };
        let mut again = trace(&[
            ("fuse", &["a"]),
            ("cut", &["a"]),
            ("fallback_pool", &[]),
            ("fallback_pool.fuse", &["a", "b"]),
            ("fallback_pool.cut", &["a", "b"]),
            ("choose", &["a"]),
        ]);
        assert_eq!(names(&again), ["fuse", "cut", "choose"], "the other look was no better");
        again.counts("fallback_pool");
        assert_eq!(names(&again), ["fuse", "cut", "choose"]);
        assert_eq!(again.led_to_result()[0].1.candidates.len(), 2);
    }
}
