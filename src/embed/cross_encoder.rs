//! Scores how well a chunk answers a question.
//!
//! An embedder reads question and chunk separately; a cross-encoder reads both at once and compares every word of one
//! with every word of the other. That is better but cannot be prepared, so it reads only the best candidates, within a
//! time limit.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fastembed::{OnnxSource, RerankInitOptionsUserDefined, TextRerank, UserDefinedRerankingModel};

use super::crash::catch_crash;
use super::cross_encoder_folder::CrossEncoderFolder;
use super::engine::{Engine, other_engine};
use crate::error::{Error, Result, Setting};
use crate::threads::in_threads;

/// Chunks in a batch: enough to keep the model busy, few enough to pad little.
const BATCH: usize = 8;
/// The most sessions on tract; each holds all weights.
const MOST_SESSIONS: usize = 4;
/// In bytes. A larger model gets one session.
const LARGE: u64 = 200 << 20;

pub struct CrossEncoder {
    folder: PathBuf,
    engine: Engine,
    /// One per worker thread; a session runs one batch at a time.
    sessions: Vec<Mutex<TextRerank>>,
}

impl CrossEncoder {
    /// Checks that a folder holds a cross-encoder, without loading it.
    ///
    /// # Errors
    /// The folder holds none; the error names the missing or wrong file.
    pub fn check(folder: &Path) -> Result<()> {
        CrossEncoderFolder::open(folder)?.tokenizer().map(drop)
    }

    /// Loads the cross-encoder in a folder: on tract up to `jobs` sessions of one core each; on ONNX Runtime one
    /// session on `jobs` cores.
    ///
    /// # Errors
    /// The folder holds none, or the engine rejects it.
    pub fn load(engine: &Engine, folder: &Path, jobs: usize) -> Result<Self> {
        let files = CrossEncoderFolder::open(folder)?;
        let (sessions, threads) = match engine {
            Engine::Tract if files.bytes > LARGE => (1, 1),
            Engine::Tract => (jobs.clamp(1, MOST_SESSIONS), 1),
            Engine::OnnxRuntime { .. } => (1, jobs.max(1)),
        };
        let loaded = in_threads(sessions, |_| load_session(&files, engine, threads), || stopped(folder))?;
        let sessions = loaded.into_iter().map(Mutex::new).collect();
        Ok(CrossEncoder { folder: folder.to_owned(), engine: engine.clone(), sessions })
    }

    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// How well chunks answer a question: one unbounded score each, higher is better. With a time limit, chunks are
    /// scored in order until it is over, so there may be fewer scores than chunks.
    ///
    /// A chunk that would probably exceed the limit, by the time of the chunks before it, is not started. If all take
    /// equally long, the limit is exceeded by at most one chunk.
    ///
    /// # Errors
    /// The engine fails, or the model gives no score for a chunk.
    pub fn scores(&self, question: &str, chunks: &[String], time: Option<Duration>) -> Result<Vec<f32>> {
        let (next, begun) = (AtomicUsize::new(0), Instant::now());
        let work = |session: usize| -> Result<Vec<(usize, Vec<f32>)>> {
            let (mut done, mut per_chunk) = (Vec::new(), None);
            loop {
                let rest = time.map(|time| time.saturating_sub(begun.elapsed()));
                let end = |first: usize| first + batch_size(chunks.len() - first, rest, per_chunk);
                let take = |first| Some(end(first)).filter(|end| *end > first);
                let Ok(first) = next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take) else { return Ok(done) };
                let (batch, begun) = (&chunks[first..end(first)], Instant::now());
                // After an error, no thread starts another batch.
                let scores =
                    self.read(session, question, batch).inspect_err(|_| next.store(chunks.len(), Ordering::Relaxed))?;
                per_chunk = Some(begun.elapsed() / batch.len() as u32);
                done.push((first, scores));
            }
        };
        let parts = in_threads(self.sessions.len(), work, || stopped(&self.folder))?;
        // Batches are taken in order and scored completely, so together they are the first chunks.
        let mut batches: Vec<(usize, Vec<f32>)> = parts.into_iter().flatten().collect();
        batches.sort_by_key(|(first, _)| *first);
        Ok(batches.into_iter().flat_map(|(_, scores)| scores).collect())
    }

    /// The scores of chunks in one batch.
    fn read(&self, session: usize, question: &str, chunks: &[String]) -> Result<Vec<f32>> {
        let mut session = self.sessions[session].lock().map_err(|_| stopped(&self.folder))?;
        let failed =
            |reason: &str| Error::failed(format!("{} failed on {}: {reason}", named(&self.folder), self.engine.name()));
        let texts: Vec<&str> = chunks.iter().map(String::as_str).collect();
        let results = catch_crash(&named(&self.folder), || {
            session
                .rerank(question, &texts, false, Some(texts.len()))
                .map_err(|error| self.engine.failure(error, failed, other_engine))
        })?;
        let mut scores = vec![f32::NAN; chunks.len()];
        for result in results {
            if let Some(score) = scores.get_mut(result.index) {
                *score = result.score;
            }
        }
        let lacks_one = scores.iter().any(|score| score.is_nan());
        if lacks_one { Err(failed("it gave no number for a chunk").hint(other_engine())) } else { Ok(scores) }
    }
}

/// The size of the next batch, for `left` chunks, `rest` of the time, and `per_chunk` for each.
fn batch_size(left: usize, rest: Option<Duration>, per_chunk: Option<Duration>) -> usize {
    let in_time = match (rest, per_chunk) {
        (None, _) => BATCH,
        (Some(rest), _) if rest.is_zero() => 0,
        // The first chunk measures the time.
        (Some(_), None) => 1,
        (Some(rest), Some(each)) => (rest.as_nanos() / each.as_nanos().max(1)).try_into().unwrap_or(BATCH),
    };
    in_time.min(BATCH).min(left)
}

fn load_session(files: &CrossEncoderFolder, engine: &Engine, threads: usize) -> Result<TextRerank> {
    let folder = &files.files.folder;
    let graph = OnnxSource::File(folder.join(files.graph));
    let model = UserDefinedRerankingModel::new(graph, files.tokenizer()?);
    let options = RerankInitOptionsUserDefined::new()
        .with_intra_threads(threads)
        .with_execution_providers(engine.device().providers());
    catch_crash(&named(folder), || {
        TextRerank::try_new_from_user_defined(model, options).map_err(|error| {
            let message = |reason: &str| {
                // The tokenizer loads last; errors about it do not mention the graph.
                let file = if reason.contains("tokenizer.json") { "tokenizer.json" } else { files.graph };
                files.files.unusable(file, &format!("{} rejects it: {reason}", engine.name()))
            };
            engine.failure(error, message, || {
                format!("download the folder again, or try the other engine ({})", Setting("onnxruntime"))
            })
        })
    })
}

/// The model's name in errors.
fn named(folder: &Path) -> String {
    format!("the reranking model in {}", folder.display())
}

fn stopped(folder: &Path) -> Error {
    Error::failed(format!("{} has stopped working", named(folder))).hint(other_engine())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_as_large_as_the_time_allows() {
        let ms = |n| Some(Duration::from_millis(n));
        assert_eq!(batch_size(30, None, None), BATCH);
        assert_eq!(batch_size(3, None, ms(5)), 3);
        assert_eq!(batch_size(30, ms(500), None), 1, "the first chunk measures the time");
        assert_eq!(batch_size(30, ms(500), ms(1)), BATCH);
        assert_eq!(batch_size(30, ms(500), ms(200)), 2);
        assert_eq!(batch_size(30, ms(100), ms(200)), 0);
        assert_eq!(batch_size(30, ms(0), None), 0);
        assert_eq!(batch_size(30, ms(500), ms(0)), BATCH);
        assert_eq!(batch_size(0, None, None), 0);
    }
}
