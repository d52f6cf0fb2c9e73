//! The input, output and cost of each stage of a search, and the notes for the user.

use std::collections::HashSet;
use std::time::Instant;

use serde::Serialize;

use super::candidate::{Candidate, Scores};
use super::hit::Hit;
use super::note::{Note, NoteCode};
use crate::ids::ChunkId;

#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    pub stages: Vec<Stage>,
    /// What the user should know about how the result was found.
    pub notes: Vec<Note>,
    /// Whether the stages keep their candidates.
    pub detailed: bool,
    pub(super) begun: Instant,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Stage {
    pub name: String,
    pub milliseconds: f64,
    /// How many it took: candidates, or the size of a retriever's pool.
    pub taken: usize,
    /// How many came out.
    pub given: usize,
    /// Its decisions, in words.
    pub notes: Vec<String>,
    /// What came out, best first, if the trace is detailed.
    pub candidates: Vec<Traced>,
    /// Whether `candidates` lists all that came out, even if that is nothing.
    #[serde(skip)]
    pub(super) is_listed: bool,
    #[serde(skip)]
    detailed: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Traced {
    /// The chunk or the section.
    pub id: String,
    /// The place of its namespace among the searched ones.
    pub namespace: usize,
    pub score: f32,
    /// The first words of a parent chunk.
    pub begins: String,
    /// The parent chunks it is made of, or that count for a section; empty if that is only itself.
    pub parent_chunks: Vec<ChunkId>,
    /// The parent chunks that were left out because they repeat it.
    pub duplicates: Vec<ChunkId>,
}

impl Traced {
    /// A single parent chunk or a section.
    pub(super) fn new(id: &str, namespace: usize, score: f32) -> Self {
        Traced { id: id.to_owned(), namespace, score, ..Traced::default() }
    }

    /// A hit with the parent chunks that it is made of. `names` are those of the searched namespaces.
    fn hit(hit: &Hit, names: &[String], is_section: bool) -> Self {
        let id = if is_section { hit.section.id.as_str() } else { hit.chunk_id.as_str() };
        let namespace =
            names.iter().position(|name| *name == hit.namespace).expect("a hit is from a searched namespace");
        let mut parent_chunks: Vec<ChunkId> = hit.sources.iter().map(|source| source.chunk_id.clone()).collect();
        if let [only] = &parent_chunks[..]
            && *only == *id
        {
            parent_chunks.clear();
        }
        Traced { parent_chunks, duplicates: hit.duplicates.clone(), ..Traced::new(id, namespace, hit.score) }
    }

    /// Whether it is the chunk or section with this id, or contains it.
    pub(super) fn has(&self, id: &str) -> bool {
        self.id == id || self.parent_chunks.iter().any(|parent_chunk| parent_chunk == id)
    }
}

impl Trace {
    /// An empty trace; `detailed` keeps candidates too.
    pub fn new(detailed: bool) -> Self {
        Trace { stages: Vec::new(), notes: Vec::new(), detailed, begun: Instant::now() }
    }

    pub fn note(&mut self, code: NoteCode, message: impl Into<String>) {
        self.notes.push(Note { code, message: message.into() });
    }

    /// Adds a stage that began at `start` and ends now.
    pub fn stage(&mut self, name: &str, start: Instant, taken: usize, given: usize) -> &mut Stage {
        let (name, milliseconds, detailed) = (name.to_owned(), milliseconds(start), self.detailed);
        self.stages.push(Stage { name, milliseconds, taken, given, detailed, ..Stage::default() });
        self.stages.last_mut().expect("a stage was pushed")
    }

    /// Adds a stage without candidates that took this long.
    pub fn took(&mut self, name: &str, milliseconds: f64) {
        self.stage(name, Instant::now(), 0, 0).milliseconds = milliseconds;
    }

    /// Runs a stage from hits to hits. `names` are those of the searched namespaces.
    pub(super) fn step(
        &mut self,
        names: &[String],
        name: &str,
        hits: Vec<Hit>,
        run: impl FnOnce(Vec<Hit>) -> Vec<Hit>,
    ) -> Vec<Hit> {
        let (start, before) = (Instant::now(), hits.len());
        let hits = run(hits);
        self.stage(name, start, before, hits.len()).hits(&hits, names, false);
        hits
    }

    /// The place of the best of some parent chunks, from 1, among all that came out of a stage.
    pub fn place(&self, stage: &str, ids: &[&ChunkId]) -> Option<usize> {
        let stage = self.stages.iter().find(|one| one.name == stage)?;
        ids.iter().filter_map(|id| stage.place_of(id)).map(|(place, _)| place).min()
    }

    /// Milliseconds since the search began.
    pub fn total(&self) -> f64 {
        milliseconds(self.begun)
    }
}

impl Stage {
    /// The place of a chunk or section, from 1, and its score. The same chunk in another namespace takes no place.
    pub(super) fn place_of(&self, id: &str) -> Option<(usize, f32)> {
        let at = self.candidates.iter().position(|one| one.has(id))?;
        let before: HashSet<&str> = self.candidates[..at].iter().map(|one| one.id.as_str()).collect();
        Some((before.len() + 1, self.candidates[at].score))
    }

    pub fn note(&mut self, note: impl Into<String>) -> &mut Self {
        self.notes([note.into()])
    }

    pub(super) fn notes(&mut self, notes: impl IntoIterator<Item = String>) -> &mut Self {
        self.notes.extend(notes);
        self
    }

    pub(super) fn scores(&mut self, scores: &Scores) {
        self.list(scores.iter().map(|(key, score)| Traced::new(&key.chunk_id, key.namespace, *score)));
        self.candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    }

    pub fn ranking(&mut self, candidates: &[Candidate]) {
        self.list(candidates.iter().map(|one| Traced::new(&one.chunk_id, one.namespace, one.score)));
    }

    /// Keeps hits. `names` are those of the searched namespaces.
    pub(super) fn hits(&mut self, hits: &[Hit], names: &[String], are_sections: bool) {
        self.list(hits.iter().map(|hit| Traced::hit(hit, names, are_sections)));
    }

    /// Keeps the output, if the trace is detailed.
    pub(super) fn list(&mut self, candidates: impl Iterator<Item = Traced>) {
        if self.detailed {
            (self.candidates, self.is_listed) = (candidates.collect(), true);
        }
    }
}

pub(super) fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}
