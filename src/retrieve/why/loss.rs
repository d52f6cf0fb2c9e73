//! In which stage something was lost, why, and what may keep it.

use super::places::{Named, furthest, is_arm, place_in, traced_in};
use super::{Asked, Goal, fixes};
use crate::embed::TokenCounter;
use crate::error::Result;
use crate::retrieve::kernel::Kernel;
use crate::retrieve::model_look::remedy_for_unread;
use crate::retrieve::modes::{near, standings};
use crate::retrieve::{GroupBy, Mode, SearchRequest, SearchResult, Shape, Target};
use crate::store::doc_id_of;

/// The stages that lose something, in order; what comes later has come further.
const ORDER: [&str; 13] = [
    "contents",
    "filter",
    "phrases",
    "recall",
    "cut",
    "drill",
    "duplicates",
    "merge",
    "per_document",
    "choose",
    "expand",
    "sections",
    "budget",
];

/// How something was lost.
pub(super) struct Loss {
    pub stage: String,
    pub reason: String,
    /// What may keep it, to be tried one after the other.
    pub fixes: Vec<SearchRequest>,
}

impl Loss {
    fn new(stage: &str, reason: impl Into<String>, fixes: Vec<SearchRequest>) -> Self {
        Loss { stage: stage.to_owned(), reason: reason.into(), fixes }
    }
}

/// How far something has come that was lost in a stage.
pub(super) fn reached(stage: &str) -> usize {
    ORDER.iter().position(|known| *known == stage).unwrap_or_default()
}

impl Kernel {
    /// Where it was lost. It is not in the result, or with the goal [`Goal::Alone`] no hit of its own.
    pub(super) async fn loss(
        &self,
        request: &SearchRequest,
        asked: &Asked,
        seen: &SearchResult,
        goal: Goal,
    ) -> Result<Loss> {
        if !seen.contents.is_empty() {
            let reason = "the question is answered from the table of contents, and the text is not searched";
            return Ok(Loss::new("contents", reason, fixes::as_text(request)));
        }
        let doc_id = asked.id.split([':', '#']).next().unwrap_or_default();
        if !self.lets_through(request, doc_id, &asked.passages).await? {
            let reason = "what --filter, --doc or the times let through does not have it";
            return Ok(Loss::new("filter", reason, fixes::unfiltered(request)));
        }
        if !self.keeps_to_phrases(request, &asked.passages).await? {
            let reason = "it does not have what stands in quotation marks";
            return Ok(Loss::new("phrases", reason, fixes::unquoted(request)));
        }
        if request.shape.seeks_sections() {
            self.loss_among_sections(request, asked, seen).await
        } else {
            self.loss_of_passage(request, asked, seen, goal).await
        }
    }

    /// Where a passage was lost among passages.
    async fn loss_of_passage(
        &self,
        request: &SearchRequest,
        asked: &Asked,
        seen: &SearchResult,
        goal: Goal,
    ) -> Result<Loss> {
        let led = seen.trace.led_to_result();
        let Some(id) = furthest(&led, &asked.passages).map(str::to_owned) else {
            return Ok(Loss::new("recall", "it has no text", Vec::new()));
        };
        if led.iter().filter(|(name, _)| is_arm(name)).all(|(_, stage)| place_in(stage, &id).is_none()) {
            return self.loss_in_recall(request, seen, &id).await;
        }
        let came_out = |(_, stage): &Named<'_>| match goal {
            Goal::Shown => place_in(stage, &id).is_some(),
            Goal::Alone => stage.candidates.iter().any(|one| one.id == id),
        };
        let listed: Vec<Named<'_>> =
            led.into_iter().filter(|(name, stage)| !is_arm(name) && stage.is_listed()).collect();
        let at = listed.iter().position(|stage| !came_out(stage));
        let Some(at) = at.filter(|&at| listed[at].0 != "budget") else {
            return self.loss_in_budget(request, asked).await;
        };
        let (name, stage) = listed[at];
        let Some((_, before)) = at.checked_sub(1).map(|before| listed[before]) else {
            return Ok(Loss::new(name, "the arms found it, but it was not fused", Vec::new()));
        };
        let place = place_in(before, &id).unwrap_or(before.candidates.len());
        let score = traced_in(before, &id).map_or(0.0, |one| one.score);
        let of = before.candidates.len();
        let mut loss = match name {
            "cut" => cut(request, &listed[..at], &id, place, score),
            "drill" => {
                let candidates = fixes::candidates(&before.candidates);
                // The question's vector, which counts little, is not known here; whether the beam leads there is tried.
                let near = near(self.searched(), &request.query, None, &candidates).await?;
                let wider = fixes::wider_beam(request, &candidates, &near, &id);
                let reason = format!("the beam {} does not lead to it", request.shape.beam);
                Loss::new(name, reason, wider.into_iter().collect())
            }
            "duplicates" => {
                let same = stage.candidates.iter().find(|one| one.duplicates.contains(&id));
                let of = same.map_or_else(String::new, |one| format!(" as {}", one.id));
                Loss::new(name, format!("it says the same{of}, which is better"), vec![fixes::with_duplicates(request)])
            }
            "merge" => {
                let into = traced_in(stage, &id).map_or_else(String::new, |one| format!(" {}", one.id));
                Loss::new(name, format!("it was merged with its neighbour{into}"), vec![fixes::unmerged(request)])
            }
            "per_document" => {
                let document = doc_id_of(&id);
                let own = before.candidates.iter().take_while(|one| !one.has(&id));
                let better = own.filter(|one| doc_id_of(&one.id) == document).count();
                let reason = format!("{} of its document are better", crate::text::count(better, "hit"));
                Loss::new(name, reason, vec![fixes::more_of_document(request, better + 1)])
            }
            "choose" => choose(request, place, of),
            "expand" => Loss::new(name, "a neighbour that shows it became one hit with it", vec![fixes::bare(request)]),
            _ => Loss::new(name, "it did not come out of this stage", Vec::new()),
        };
        if let Some(unread) = remedy_for_unread(&seen.trace, &id).filter(|_| matches!(name, "cut" | "choose")) {
            loss.reason = format!("{}; {unread}", loss.reason);
        }
        Ok(loss)
    }

    /// Neither arm recalled it.
    async fn loss_in_recall(&self, request: &SearchRequest, seen: &SearchResult, id: &str) -> Result<Loss> {
        let all = self.count().await?.max(1);
        let fallback = crate::retrieve::Fallback::default();
        let rerank = crate::retrieve::Rerank::Off;
        let open = SearchRequest { pool: all, limit: all, min_score: None, fallback, rerank, ..request.clone() };
        let everything = self.rank(&open).await?.trace;
        let arms = everything.stages.iter().filter(|stage| is_arm(&stage.name));
        let nearest = arms.filter_map(|stage| Some((place_in(stage, id)?, stage.name.as_str()))).min();
        let reason = match nearest {
            Some((place, arm)) => {
                format!("the {arm} arm has it at place {place}, and {} are recalled", request.pool)
            }
            None => "it has no word of the question, and no vector that was asked".to_owned(),
        };
        let mut fixes = fixes::recalled(request, nearest.map(|(place, _)| place), all);
        if nearest.is_none() {
            fixes = fixes::with_more_words(request, all);
            // The model would be loaded for nothing where it does not know the language, or has no vectors to compare.
            if seen.route.model_knows() && seen.route.semantic <= 0.0 && self.has_vectors().await? {
                fixes.extend(fixes::with_both_arms(request, all));
            }
        }
        Ok(Loss::new("recall", reason, fixes))
    }

    async fn has_vectors(&self) -> Result<bool> {
        for snapshot in self.snapshots().await? {
            if snapshot.documents().await?.iter().any(|document| document.embedded) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Where a section, or a passage, was lost among sections.
    async fn loss_among_sections(&self, request: &SearchRequest, asked: &Asked, seen: &SearchResult) -> Result<Loss> {
        let ranking = self.rank(&SearchRequest { limit: request.depth(), ..request.clone() }).await?;
        let all = standings(self.searched(), request, &ranking).await?;
        let shows = |section: &String| {
            // A preview shows no passages; a passage is in it that speaks for the section.
            let speaks = |standing: &crate::retrieve::modes::Standing| {
                request.shape.target == Target::Passages
                    || standing.evidence.iter().any(|one| asked.passages.contains(&one.chunk_id))
            };
            all.of(section).filter(speaks).and_then(|standing| standing.place)
        };
        let sections: Vec<String> = match asked.is_section() {
            true => vec![asked.id.clone()],
            false => asked.passages.iter().flat_map(|id| all.above(id)).collect(),
        };
        match sections.iter().filter_map(shows).min() {
            Some(place) if place > request.limit => {
                let reason = format!(
                    "the section is at place {place} of those that were found, and {} are shown",
                    request.limit
                );
                let more = [place, place.saturating_mul(2)].map(|limit| fixes::more_hits(request, limit));
                return Ok(Loss::new("sections", reason, more.into()));
            }
            Some(_) if request.shape.max_tokens.is_some() => return self.loss_in_budget(request, asked).await,
            _ => {}
        }
        let own = sections.first().and_then(|section| all.of(section));
        let by_title = own.as_ref().and_then(|own| fixes::by_title(request, &own.title));
        let evidence = own.map(|own| own.evidence).unwrap_or_default();
        if evidence.is_empty() && !asked.passages.is_empty() {
            // It was lost before sections were ranked.
            let loss = self.loss_of_passage(request, asked, seen, Goal::Shown).await?;
            if reached(&loss.stage) <= reached("cut") {
                let reason = format!(
                    "nothing speaks for the section: its title is another, and of its passages, {}",
                    loss.reason
                );
                let fixes = loss.fixes.into_iter().chain(by_title).collect();
                return Ok(Loss { reason, fixes, ..loss });
            }
        }
        let other = evidence.iter().find_map(|one| one.counts_for.as_ref()).filter(|other| !sections.contains(other));
        let reason = match other {
            Some(other) => format!("what is found of it counts for {other}: a passage counts for one section only"),
            None => "too little speaks for the section".to_owned(),
        };
        Ok(Loss::new("sections", reason, by_title.into_iter().collect()))
    }

    /// It did not fit into the tokens.
    async fn loss_in_budget(&self, request: &SearchRequest, asked: &Asked) -> Result<Loss> {
        let Some(most) = request.shape.max_tokens else {
            return Ok(Loss::new("fetch", "it came to the end and is not shown", Vec::new()));
        };
        // The budget takes hits in the order of their scores, and groups are made afterwards.
        let ungrouped = Shape { group_by: GroupBy::None, max_tokens: None, ..request.shape.clone() };
        let whole = self.search(&SearchRequest { shape: ungrouped, ..request.clone() }).await?;
        let counter = match &request.shape.counter {
            Some(counter) => counter.clone(),
            None => TokenCounter::shared()?,
        };
        let needed = fixes::tokens_up_to(&whole.hits, &counter, |hit, chunk_id| {
            asked.passages.iter().any(|id| id == chunk_id) || hit.section_id == asked.id
        })?;
        let reason = match needed {
            Some(needed) => format!("with what stands before it it has {needed} tokens, and {most} are shown"),
            None => format!("it does not fit into {most} tokens"),
        };
        Ok(Loss::new("budget", reason, fixes::larger_budget(request, needed)))
    }
}

/// Its score was too low, or its place.
fn cut(request: &SearchRequest, before: &[Named<'_>], id: &str, place: usize, score: f32) -> Loss {
    let undecayed =
        before.iter().rposition(|(name, _)| *name == "decay").and_then(|at| Some(before[at.checked_sub(1)?].1));
    let undecayed = undecayed.and_then(|stage| Some((place_in(stage, id)?, traced_in(stage, id)?.score)));
    let mut fixes = Vec::new();
    let reason = match request.min_score {
        Some(least) if score < least => {
            let decay = undecayed.filter(|(_, score)| *score >= least);
            fixes.extend(decay.map(|_| fixes::undecayed(request)));
            fixes.push(fixes::lower_score(request, score));
            let was = decay.map_or_else(String::new, |(_, was)| format!("; it was {was:.3} before the decay"));
            format!("its score {score:.3} is below --min-score {least}{was}")
        }
        _ => {
            let looked_at = request.depth();
            let decay = undecayed.filter(|(place, _)| *place <= looked_at);
            fixes.extend(decay.map(|_| fixes::undecayed(request)));
            fixes.extend([place, usize::MAX].map(|limit| fixes::more_hits(request, limit)));
            let was = decay.map_or_else(String::new, |(was, _)| format!("; it was at place {was} before the decay"));
            format!("it is at place {place}, and the first {looked_at} are looked at{was}")
        }
    };
    Loss::new("cut", reason, fixes)
}

/// Better ones took the places, or in the broad mode such as differ more.
fn choose(request: &SearchRequest, place: usize, of: usize) -> Loss {
    let more = [place, of].map(|limit| fixes::more_hits(request, limit));
    if request.shape.mode == Mode::Broad && place <= request.limit {
        let reason = format!("it is at place {place} by its score, but is too like others that were chosen");
        let fixes = [vec![fixes::undiversified(request)], more.into()].concat();
        return Loss::new("choose", reason, fixes);
    }
    Loss::new("choose", format!("it is at place {place} of {of}, and {} are shown", request.limit), more.into())
}
