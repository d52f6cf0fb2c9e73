//! What each stage of a search took in, gave out and cost, and the notes for the user.

use std::time::Instant;

use serde::Serialize;

use super::Hit;
use super::candidate::{Candidate, ChunkKey, Scores};
use crate::error::Result;
use crate::ids::ChunkId;

/// The stages that recall; what comes behind the last of them works on what was found.
const RECALL: [&str; 4] = ["keyword", "semantic", "by_documents", "keyword_rest"];

/// The stages of a search, in order.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trace {
    pub stages: Vec<Stage>,
    /// What the user should know about how the result was found.
    #[serde(skip)]
    pub notes: Vec<String>,
    /// Whether the stages keep their candidates.
    #[serde(skip)]
    detailed: bool,
    /// The fallback step whose ranking counts: the prefix of its stages.
    #[serde(skip)]
    fallback: Option<&'static str>,
    #[serde(skip)]
    begun: Instant,
}

/// A stage of a search.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stage {
    pub name: String,
    pub milliseconds: f64,
    /// How many it took: candidates, or the size of a retriever's pool.
    pub taken: usize,
    /// How many came out.
    pub given: usize,
    /// What it decided, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
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
    /// The parent chunks it is made of, or a section's that speak for it, where that is not just itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parent_chunks: Vec<ChunkId>,
    /// The parent chunks that were left out because it says the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub duplicates: Vec<ChunkId>,
}

impl Traced {
    /// A single parent chunk or a section.
    pub(super) fn new(id: impl Into<String>, namespace: usize, score: f32) -> Self {
        Traced { id: id.into(), namespace, score, parent_chunks: Vec::new(), duplicates: Vec::new() }
    }

    /// Whether it is something, or made of it.
    pub(super) fn has(&self, id: &str) -> bool {
        self.id == id || self.parent_chunks.iter().any(|parent_chunk| parent_chunk == id)
    }
}

impl Trace {
    /// An empty trace; `detailed` keeps candidates too.
    pub fn new(detailed: bool) -> Self {
        Trace { stages: Vec::new(), notes: Vec::new(), detailed, fallback: None, begun: Instant::now() }
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

    /// Marks the fallback step whose ranking counts, by the prefix of its stages.
    pub(super) fn counts(&mut self, fallback: &'static str) {
        self.fallback = Some(fallback);
    }

    /// The stages that led to the result, without their prefix and without those of other fallback steps.
    pub(super) fn led_to_result(&self) -> Vec<(&str, &Stage)> {
        let last = self.stages.iter().rposition(|stage| stage.name.starts_with("fallback_"));
        let Some((step, last)) = self.fallback.zip(last) else {
            let plain = self.stages.iter().filter(|stage| !stage.name.starts_with("fallback_"));
            return plain.map(|stage| (stage.name.as_str(), stage)).collect();
        };
        let of_step = |stage: &'_ Stage| stage.name.starts_with(step) && stage.name[step.len()..].starts_with('.');
        let own = self.stages.iter().filter(|stage| of_step(stage));
        let own = own.map(|stage| (&stage.name[step.len() + 1..], stage));
        own.chain(self.stages[last + 1..].iter().map(|stage| (stage.name.as_str(), stage))).collect()
    }

    /// Runs a stage from hits to hits. `names` are those of the namespaces that are searched.
    pub(super) fn step(
        &mut self,
        names: &[String],
        name: &str,
        hits: Vec<Hit>,
        run: impl FnOnce(Vec<Hit>) -> Result<Vec<Hit>>,
    ) -> Result<Vec<Hit>> {
        let (start, before) = (Instant::now(), hits.len());
        let hits = run(hits)?;
        self.stage(name, start, before, hits.len()).hits(&hits, names, false);
        Ok(hits)
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
        let (notes, candidates, detailed) = (Vec::new(), Vec::new(), self.detailed);
        let (name, lists) = (name.to_owned(), false);
        self.stages.push(Stage { name, milliseconds, taken, given, notes, candidates, lists, detailed });
        let last = self.stages.len() - 1;
        &mut self.stages[last]
    }
}

impl Stage {
    /// Adds what it decided.
    pub fn note(&mut self, note: impl Into<String>) -> &mut Self {
        self.notes.push(note.into());
        self
    }

    /// Keeps the scores of a retriever.
    pub(super) fn scores(&mut self, scores: &Scores) -> &mut Self {
        if self.detailed {
            let traced = |(key, score): (&ChunkKey, &f32)| Traced::new(key.chunk_id.clone(), key.namespace, *score);
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

    /// Keeps hits, each with the parent chunks that it is made of. `names` are those of the namespaces that were searched.
    pub(super) fn hits(&mut self, hits: &[Hit], names: &[String], sections: bool) -> &mut Self {
        if self.detailed {
            let traced = |hit: &Hit| {
                let id = if sections { hit.section_id.as_str() } else { hit.chunk_id.as_str() };
                let namespace = names.iter().position(|name| *name == hit.namespace).unwrap_or_default();
                let made_of = hit.sources.iter().map(|source| &source.chunk_id);
                let parent_chunks: Vec<ChunkId> = made_of.cloned().collect();
                let parent_chunks =
                    if parent_chunks.len() == 1 && parent_chunks[0] == *id { Vec::new() } else { parent_chunks };
                Traced { parent_chunks, duplicates: hit.duplicates.clone(), ..Traced::new(id, namespace, hit.score) }
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
