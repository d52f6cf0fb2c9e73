//! What each stage of a search took in, gave out and cost.

use std::time::Instant;

use serde::Serialize;

use super::Hit;
use super::fuse::{Candidate, Scores};

/// The stages that recall; what comes behind the last of them works on what was found.
const RECALL: [&str; 4] = ["keyword", "semantic", "by_documents", "keyword_rest"];

/// The stages of a search, in order.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trace {
    /// The stages.
    pub stages: Vec<Stage>,
    /// Whether the stages keep their candidates.
    #[serde(skip)]
    detailed: bool,
    /// Where it was looked again: what stands in front of the names of the stages whose ranking counts.
    #[serde(skip)]
    look: Option<&'static str>,
    #[serde(skip)]
    begun: Instant,
}

/// A stage of a search.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stage {
    /// Its name.
    pub name: String,
    /// What it took.
    pub milliseconds: f64,
    /// How many it was given: candidates, or of the arms the size of the pool.
    pub taken: usize,
    /// How many came out.
    pub given: usize,
    /// What it decided, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub says: Vec<String>,
    /// What came out, best first, where that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Traced>,
    /// Whether `candidates` are all that came out, even where they are none.
    #[serde(skip)]
    lists: bool,
    #[serde(skip)]
    detailed: bool,
}

/// A candidate as a stage gave it out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Traced {
    /// The chunk or the section.
    pub id: String,
    /// The place of its namespace among those that were searched.
    pub namespace: usize,
    /// Its score in this stage.
    pub score: f32,
    /// The passages it is made of, or a section's that speak for it, where that is not just itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub passages: Vec<String>,
    /// The passages that were left out because it says the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub duplicates: Vec<String>,
}

impl Traced {
    /// A single passage or a section.
    pub(super) fn new(id: impl Into<String>, namespace: usize, score: f32) -> Self {
        Traced { id: id.into(), namespace, score, passages: Vec::new(), duplicates: Vec::new() }
    }

    /// Whether it is something, or made of it.
    pub(super) fn has(&self, id: &str) -> bool {
        self.id == id || self.passages.iter().any(|passage| passage == id)
    }
}

impl Trace {
    /// An empty trace; `detailed` keeps candidates too.
    pub fn new(detailed: bool) -> Self {
        Trace { stages: Vec::new(), detailed, look: None, begun: Instant::now() }
    }

    /// Adds a stage that began at `start` and is over now.
    pub fn stage(&mut self, name: &str, start: Instant, taken: usize, given: usize) -> &mut Stage {
        self.push(name, milliseconds(start), taken, given)
    }

    /// Adds a stage without candidates, of which the milliseconds are known.
    pub fn took(&mut self, name: &str, milliseconds: f64) -> &mut Stage {
        self.push(name, milliseconds, 0, 0)
    }

    /// Whether the stages keep their candidates.
    pub fn is_detailed(&self) -> bool {
        self.detailed
    }

    /// Says of which look the ranking counts, by what stands in front of the names of its stages.
    pub(super) fn counts(&mut self, look: &'static str) {
        self.look = Some(look);
    }

    /// The stages that led to the result, with their names in the look that counts, without those of other looks.
    pub(super) fn led_to_result(&self) -> Vec<(&str, &Stage)> {
        let last = self.stages.iter().rposition(|stage| stage.name.starts_with("fallback_"));
        let Some((look, last)) = self.look.zip(last) else {
            let plain = self.stages.iter().filter(|stage| !stage.name.starts_with("fallback_"));
            return plain.map(|stage| (stage.name.as_str(), stage)).collect();
        };
        let of_look = |stage: &'_ Stage| stage.name.starts_with(look) && stage.name[look.len()..].starts_with('.');
        let own = self.stages.iter().filter(|stage| of_look(stage));
        let own = own.map(|stage| (&stage.name[look.len() + 1..], stage));
        own.chain(self.stages[last + 1..].iter().map(|stage| (stage.name.as_str(), stage))).collect()
    }

    /// Milliseconds since the search began.
    pub fn total(&self) -> f64 {
        milliseconds(self.begun)
    }

    /// Milliseconds of the stages that follow recall; `None` where nothing was recalled.
    pub fn after_recall(&self) -> Option<f64> {
        let last = self.stages.iter().rposition(|stage| RECALL.contains(&stage.name.as_str()))?;
        Some(self.stages[last + 1..].iter().map(|stage| stage.milliseconds).sum())
    }

    fn push(&mut self, name: &str, milliseconds: f64, taken: usize, given: usize) -> &mut Stage {
        let (says, candidates, detailed) = (Vec::new(), Vec::new(), self.detailed);
        let (name, lists) = (name.to_owned(), false);
        self.stages.push(Stage { name, milliseconds, taken, given, says, candidates, lists, detailed });
        let last = self.stages.len() - 1;
        &mut self.stages[last]
    }
}

impl Stage {
    /// Adds what it decided.
    pub fn say(&mut self, words: impl Into<String>) -> &mut Self {
        self.says.push(words.into());
        self
    }

    /// Keeps the scores of an arm.
    pub(super) fn scores(&mut self, scores: &Scores) -> &mut Self {
        if self.detailed {
            let traced = |(key, score): (&super::searched::PassageKey, &f32)| {
                Traced::new(key.chunk_id.clone(), key.namespace, *score)
            };
            self.list(scores.iter().map(traced).collect());
            self.candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
        }
        self
    }

    /// Keeps a ranking.
    pub fn ranking(&mut self, candidates: &[Candidate]) -> &mut Self {
        if self.detailed {
            let traced =
                |candidate: &Candidate| Traced::new(candidate.chunk_id.clone(), candidate.namespace, candidate.score);
            self.list(candidates.iter().map(traced).collect());
        }
        self
    }

    /// Keeps hits, each with the passages that it is made of. `names` are those of the namespaces that were searched.
    pub(super) fn hits(&mut self, hits: &[Hit], names: &[String], sections: bool) -> &mut Self {
        if self.detailed {
            let traced = |hit: &Hit| {
                let id = if sections { &hit.section_id } else { &hit.chunk_id };
                let namespace = names.iter().position(|name| *name == hit.namespace).unwrap_or_default();
                let made_of = hit.sources.iter().map(|source| &source.chunk_id);
                let passages: Vec<String> = made_of.cloned().collect();
                let passages = if passages.len() == 1 && passages[0] == *id { Vec::new() } else { passages };
                Traced { passages, duplicates: hit.duplicates.clone(), ..Traced::new(id.clone(), namespace, hit.score) }
            };
            self.list(hits.iter().map(traced).collect());
        }
        self
    }

    /// Keeps what came out.
    pub(super) fn list(&mut self, candidates: Vec<Traced>) -> &mut Self {
        if self.detailed {
            (self.candidates, self.lists) = (candidates, true);
        }
        self
    }

    /// Whether its candidates are all that came out.
    pub(super) fn is_listed(&self) -> bool {
        self.lists
    }
}

/// Milliseconds since a moment.
pub(super) fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}
