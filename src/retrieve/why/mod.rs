//! Why a passage or a section is where it is in a result, or is not there at all.
//!
//! Promise: what is said is true of the search itself. The place is the one in the result of that very search, and a
//! remedy is told only after the search was run with it and showed what was asked for. That takes a few searches more,
//! which is why `kb search` does none of this unless somebody wants to know.

mod change;
mod fixes;
mod loss;
mod places;

use std::collections::BTreeSet;

use serde::Serialize;

pub use change::Change;
use loss::{Loss, reached};
use places::{Shown, stages};

use super::kernel::Kernel;
use super::modes::{Evidence, Standing, standings};
use super::rerank::SecondLook;
use super::{ModelLook, Rerank, SearchRequest, SearchResult};
use crate::error::{Error, Result};

/// So many losses, one behind the other, are undone before there is taken to be no remedy.
const MOST_LOSSES: usize = 10;

/// What became of a passage, or of a section.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Why {
    /// What was asked for: a chunk or a section.
    pub id: String,
    /// The passage that the rest is about.
    pub chunk_id: Option<String>,
    /// Its place in the result, from 1; `None` where it is not in it.
    pub rank: Option<usize>,
    /// How it is in the result, where it is not a hit of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown: Option<String>,
    /// The stages it went through.
    pub stages: Vec<WhyStage>,
    /// The stage in which it was lost.
    pub lost_in: Option<String>,
    /// Why it was lost there.
    pub reason: Option<String>,
    /// What would have kept it, or made it a hit of its own; tried, and found to be so.
    pub remedy: Option<String>,
    /// The same for programs.
    pub change: Option<Change>,
    /// Of a section among sections, what speaks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<WhySection>,
}

/// A passage or a section in one stage.
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

/// What speaks for a section among sections.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WhySection {
    /// Its place among all sections that were found, however many are shown.
    pub place: Option<usize>,
    /// Its score there.
    pub score: Option<f32>,
    /// How far the question is its title, from 0 to 1.
    pub title_likeness: f32,
    /// Its passages among the candidates, best first.
    pub evidence: Vec<Evidence>,
}

impl From<Standing> for WhySection {
    fn from(standing: Standing) -> Self {
        let Standing { place, score, title_likeness, evidence, .. } = standing;
        WhySection { place, score, title_likeness, evidence }
    }
}

/// What is asked about: the passages that an id stands for.
struct Asked {
    id: String,
    passages: Vec<String>,
}

impl Asked {
    fn is_section(&self) -> bool {
        self.id.contains('#')
    }
}

/// What is wanted of a remedy.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    /// That it is in the result.
    Shown,
    /// That it is a hit of its own.
    Alone,
}

impl Kernel {
    /// Says for a chunk (`7f3k2m:12`, or a piece of it) or a section (`7f3k2m#3.2`) what became of it.
    ///
    /// # Errors
    /// Where there is no such chunk or section, or the search fails.
    pub async fn why(&self, request: &SearchRequest, id: &str) -> Result<Why> {
        let asked = Asked { id: id.to_owned(), passages: self.passages_of(id).await? };
        let request = SearchRequest { explain: true, ..request.clone() };
        let seen = self.see(&request).await?;
        let shown = places::shown(&seen, &asked, &request);
        let answered = !seen.contents.is_empty();
        let everything = if answered { None } else { Some(self.everything(&request, &seen).await?) };
        let led = seen.trace.led_to_result();
        let passage = shown.as_ref().and_then(|shown| shown.passage.clone());
        let chunk_id = passage.or_else(|| places::furthest(&led, &asked.passages).map(str::to_owned));
        let section = match request.shape.seeks_sections() && asked.is_section() && !answered {
            true => self.standing(&request, id).await?,
            false => None,
        };
        let about = if section.is_some() { Some(id) } else { chunk_id.as_deref() };
        let stages = stages(&led, everything.as_ref(), chunk_id.as_deref(), about);
        let mut why = Why {
            id: id.to_owned(),
            chunk_id,
            rank: shown.as_ref().map(|shown| shown.rank),
            shown: shown.as_ref().and_then(|shown| shown.how.clone()),
            stages,
            lost_in: None,
            reason: None,
            remedy: None,
            change: None,
            section: section.map(WhySection::from),
        };
        let goal = match &shown {
            None => Goal::Shown,
            Some(Shown { how: Some(_), .. }) if !request.shape.seeks_sections() => Goal::Alone,
            Some(_) => return Ok(why),
        };
        let loss = self.loss(&request, &asked, &seen, goal).await?;
        if goal == Goal::Shown {
            (why.lost_in, why.reason) = (Some(loss.stage.clone()), Some(loss.reason.clone()));
        }
        if let Some(kept) = self.kept(&request, &asked, loss, goal).await? {
            let change = Change::between(&request, &kept);
            why.remedy = Some(change.told(goal == Goal::Alone));
            why.change = Some(change);
        }
        Ok(why)
    }

    /// The passages that an id stands for. Of a section without text there are none.
    async fn passages_of(&self, id: &str) -> Result<Vec<String>> {
        let mut found = BTreeSet::new();
        let mut known = false;
        for snapshot in self.snapshots().await? {
            let rows = match id.split_once('#') {
                Some((doc_id, path)) => {
                    known |= snapshot.sections(doc_id).await?.iter().any(|section| section.section_id == id);
                    let below = format!("{doc_id}#{path}.");
                    let mut rows = snapshot.chunks_of(doc_id).await?;
                    rows.retain(|row| row.section_id == id || row.section_id.starts_with(&below));
                    rows
                }
                None => snapshot.chunks_by_id(&[id.to_owned()]).await?,
            };
            found.extend(rows.into_iter().map(|row| row.parent_id.unwrap_or(row.chunk_id)));
        }
        if found.is_empty() && !known {
            return Err(Error::not_found(format!("no chunk or section {id:?}")).hint("`kb chunks-list` shows the ids"));
        }
        Ok(found.into_iter().collect())
    }

    /// Searches. Where not even the first passage fits into the tokens, that is a result without hits here.
    async fn see(&self, request: &SearchRequest) -> Result<SearchResult> {
        match self.search(request).await {
            Ok(result) => Ok(result),
            Err(error) => {
                if request.shape.max_tokens.is_none() {
                    return Err(error);
                }
                let mut result = self.search(&fixes::without_budget(request)).await?;
                result.hits.clear();
                Ok(result)
            }
        }
    }

    /// The ranking, had everything been let through. What the search did not look at again is not looked at here.
    async fn everything(&self, request: &SearchRequest, seen: &SearchResult) -> Result<super::Trace> {
        let all = self.count().await?.max(1);
        let looked = seen.trace.led_to_result().iter().any(|(name, _)| *name == "second_look");
        let rerank = match (&request.rerank, request.second_look().filter(|_| looked)) {
            // A cross-encoder that read all passages would take hours: as deep as it was asked, however long it takes.
            (Rerank::Model(look), _) => Rerank::Model(ModelLook { time: None, ..look.clone() }),
            (_, Some(look)) => Rerank::Light(SecondLook { depth: all, ..look }),
            (_, None) => Rerank::Off,
        };
        let fallback = super::Fallback::default();
        let open = SearchRequest { pool: all, limit: all, min_score: None, rerank, fallback, ..request.clone() };
        Ok(self.rank(&open).await?.trace)
    }

    /// What speaks for a section.
    async fn standing(&self, request: &SearchRequest, section_id: &str) -> Result<Option<Standing>> {
        let ranking = self.rank(&SearchRequest { limit: request.depth(), ..request.clone() }).await?;
        Ok(standings(self.searched(), request, &ranking).await?.of(section_id))
    }

    /// The request, changed as little as is found to reach the goal: losses are undone one after the other, and what
    /// turns out not to have been needed is taken back.
    async fn kept(
        &self,
        request: &SearchRequest,
        asked: &Asked,
        first: Loss,
        goal: Goal,
    ) -> Result<Option<SearchRequest>> {
        let (mut now, mut loss) = (request.clone(), first);
        for _ in 0..MOST_LOSSES {
            let mut further = None;
            for fix in std::mem::take(&mut loss.fixes) {
                if fix == now || !fixes::is_possible(&fix) {
                    continue;
                }
                // A change that makes the search itself fail is no remedy.
                let Ok(seen) = self.see(&fix).await else { continue };
                if places::reaches(&seen, asked, &fix, goal) {
                    return self.smallest(request, fix, asked, goal).await.map(Some);
                }
                let next = self.loss(&fix, asked, &seen, goal).await?;
                if reached(&next.stage) > reached(&loss.stage) {
                    further = Some((fix, next));
                    break;
                }
            }
            match further {
                Some(next) => (now, loss) = next,
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Takes back each change that is not needed, and asks for no more hits than are.
    async fn smallest(
        &self,
        request: &SearchRequest,
        kept: SearchRequest,
        asked: &Asked,
        goal: Goal,
    ) -> Result<SearchRequest> {
        let mut smallest = kept;
        for less in fixes::LESS {
            let less = less(request, &smallest);
            if less == smallest || !fixes::is_possible(&less) {
                continue;
            }
            if let Ok(seen) = self.see(&less).await
                && places::reaches(&seen, asked, &less, goal)
            {
                smallest = less;
            }
        }
        let seen = self.see(&smallest).await?;
        if let Some(shown) = places::shown(&seen, asked, &smallest)
            && (request.limit..smallest.limit).contains(&shown.rank)
        {
            let fewer = SearchRequest { limit: shown.rank, ..smallest.clone() };
            if let Ok(seen) = self.see(&fewer).await
                && places::reaches(&seen, asked, &fewer, goal)
            {
                smallest = fewer;
            }
        }
        Ok(smallest)
    }

    async fn count(&self) -> Result<usize> {
        let snapshots = self.snapshots().await?;
        Ok(snapshots.iter().map(|snapshot| usize::try_from(snapshot.keyword_count()).unwrap_or(usize::MAX)).sum())
    }
}
