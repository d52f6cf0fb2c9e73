//! What each stage of a search took in, gave out and cost.

use std::time::Instant;

use serde::Serialize;

use super::fuse::{Candidate, Scores};

/// The stages of a search, in order.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trace {
    /// The stages.
    pub stages: Vec<Stage>,
    /// Whether the stages keep their candidates.
    #[serde(skip)]
    detailed: bool,
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
}

impl Trace {
    /// An empty trace; `detailed` keeps candidates too.
    pub fn new(detailed: bool) -> Self {
        Trace { stages: Vec::new(), detailed, begun: Instant::now() }
    }

    /// Adds a stage that began at `start` and is over now.
    pub fn stage(&mut self, name: &str, start: Instant, taken: usize, given: usize) -> &mut Stage {
        self.push(name, milliseconds(start), taken, given)
    }

    /// Adds a stage without candidates, of which the milliseconds are known.
    pub fn took(&mut self, name: &str, milliseconds: f64) {
        self.push(name, milliseconds, 0, 0);
    }

    /// Whether the stages keep their candidates.
    pub fn is_detailed(&self) -> bool {
        self.detailed
    }

    /// Milliseconds since the search began.
    pub fn total(&self) -> f64 {
        milliseconds(self.begun)
    }

    fn push(&mut self, name: &str, milliseconds: f64, taken: usize, given: usize) -> &mut Stage {
        let (says, candidates, detailed) = (Vec::new(), Vec::new(), self.detailed);
        self.stages.push(Stage { name: name.to_owned(), milliseconds, taken, given, says, candidates, detailed });
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
            let traced = |(key, score): (&super::searched::PassageKey, &f32)| Traced {
                id: key.chunk_id.clone(),
                namespace: key.namespace,
                score: *score,
            };
            self.candidates = scores.iter().map(traced).collect();
            self.candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
        }
        self
    }

    /// Keeps a ranking.
    pub fn ranking(&mut self, candidates: &[Candidate]) -> &mut Self {
        if self.detailed {
            let traced = |candidate: &Candidate| Traced {
                id: candidate.chunk_id.clone(),
                namespace: candidate.namespace,
                score: candidate.score,
            };
            self.candidates = candidates.iter().map(traced).collect();
        }
        self
    }
}

/// Milliseconds since a moment.
pub(super) fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}
