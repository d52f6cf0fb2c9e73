//! A question and a passage to a number: how well the one answers the other.
//!
//! An embedder reads them apart, a cross-encoder both at once, so that every word of one can be held against every word
//! of the other. That is better and cannot be prepared: each passage is read for each question, so only the best
//! candidates are, and in the time that there is.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use fastembed::{OnnxSource, RerankInitOptionsUserDefined, TextRerank, UserDefinedRerankingModel};

use super::crash::guarded;
use super::cross_encoder_folder::CrossEncoderFolder;
use super::engine::Engine;
use crate::error::{Error, Result};

/// So many passages go through the model at once: enough to keep it busy, few enough that little of it is padding.
const BATCH: usize = 8;
/// No more sessions than this on tract; each holds all weights.
const MOST_SESSIONS: usize = 4;
/// A model with more bytes gets one session.
const LARGE: u64 = 200 << 20;

/// A loaded cross-encoder.
pub struct CrossEncoder {
    folder: PathBuf,
    engine: Engine,
    /// One per thread that reads; a session can only do one thing at a time.
    sessions: Vec<Mutex<TextRerank>>,
}

impl CrossEncoder {
    /// Whether a folder has a cross-encoder in it, as far as can be told without loading it.
    ///
    /// # Errors
    /// Where it has none, with the file that is missing or wrong.
    pub fn check(folder: &Path) -> Result<()> {
        CrossEncoderFolder::open(folder)?.settings().map(drop)
    }

    /// Loads the cross-encoder in a folder: on tract, which uses one core, for up to `jobs` passages at once; on ONNX
    /// Runtime one session that uses as many cores.
    ///
    /// # Errors
    /// Where the folder has none, or the engine does not take it.
    pub fn load(engine: &Engine, folder: &Path, jobs: usize) -> Result<Self> {
        let files = CrossEncoderFolder::open(folder)?;
        let (sessions, threads) = match engine {
            Engine::Tract if files.bytes > LARGE => (1, 1),
            Engine::Tract => (jobs.clamp(1, MOST_SESSIONS), 1),
            Engine::OnnxRuntime { .. } => (1, jobs.max(1)),
        };
        let load = || load_session(&files, engine, threads);
        let loaded: Result<Vec<TextRerank>> = std::thread::scope(|scope| {
            let begun: Vec<_> = (0..sessions).map(|_| scope.spawn(load)).collect();
            begun.into_iter().map(|session| session.join().unwrap_or_else(|_| Err(stopped(folder)))).collect()
        });
        let sessions = loaded?.into_iter().map(Mutex::new).collect();
        Ok(CrossEncoder { folder: folder.to_owned(), engine: engine.clone(), sessions })
    }

    /// The folder it is from.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The engine that runs it.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// How well passages answer a question: a number each, of any size, the higher the better. They are read in their
    /// order as long as the time lasts, so there may be fewer numbers than passages; where no time is given, all are.
    ///
    /// No passage is begun that would probably not be ended in time, by what the ones before it took; so the time is
    /// passed by one passage at most where all take equally long.
    ///
    /// # Errors
    /// Where the engine fails, or the model gives no number.
    pub fn scores(&self, question: &str, passages: &[String], time: Option<Duration>) -> Result<Vec<f32>> {
        let plan = Mutex::new(Plan { next: 0, all: passages.len(), begun: Instant::now(), time, per_passage: None });
        let work = |session: usize| -> Result<Vec<(usize, Vec<f32>)>> {
            let mut done = Vec::new();
            loop {
                let batch = plan.lock().map_err(|_| stopped(&self.folder))?.take();
                if batch.is_empty() {
                    return Ok(done);
                }
                let (begun, first) = (Instant::now(), batch.start);
                let read = self.read(session, question, &passages[batch]);
                let mut plan = plan.lock().map_err(|_| stopped(&self.folder))?;
                match read {
                    Ok(scores) => {
                        plan.per_passage =
                            Some(begun.elapsed() / u32::try_from(scores.len().max(1)).unwrap_or(u32::MAX));
                        done.push((first, scores));
                    }
                    Err(error) => {
                        plan.next = plan.all;
                        return Err(error);
                    }
                }
            }
        };
        let parts: Result<Vec<_>> = std::thread::scope(|scope| {
            let work = &work;
            let begun: Vec<_> = (0..self.sessions.len()).map(|session| scope.spawn(move || work(session))).collect();
            begun.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err(stopped(&self.folder)))).collect()
        });
        // Batches were taken in order and each was read to its end: together they are the first passages.
        let mut batches: Vec<(usize, Vec<f32>)> = parts?.into_iter().flatten().collect();
        batches.sort_by_key(|(first, _)| *first);
        Ok(batches.into_iter().flat_map(|(_, scores)| scores).collect())
    }

    /// The numbers of some passages that go through the model together.
    fn read(&self, session: usize, question: &str, passages: &[String]) -> Result<Vec<f32>> {
        let mut session = self.sessions[session].lock().map_err(|_| stopped(&self.folder))?;
        let failed = |why: &str| {
            let (folder, engine) = (self.folder.display(), self.engine.name());
            let told = format!("the reranking model in {folder} failed on {engine}: {}", crate::text::squeeze(why));
            Error::failed(told).hint("try the other engine (--onnxruntime), or another model")
        };
        let texts: Vec<&str> = passages.iter().map(String::as_str).collect();
        let results = guarded(&named(&self.folder), || {
            session.rerank(question, &texts, false, Some(texts.len())).map_err(|error| failed(&error.to_string()))
        })?;
        let mut scores = vec![f32::NAN; passages.len()];
        for result in results {
            if let Some(score) = scores.get_mut(result.index) {
                *score = result.score;
            }
        }
        if scores.iter().any(|score| score.is_nan()) {
            Err(failed("it gave no number for a passage"))
        } else {
            Ok(scores)
        }
    }
}

/// Which passages are still to be read, and in what time.
struct Plan {
    next: usize,
    all: usize,
    begun: Instant,
    time: Option<Duration>,
    /// What a passage took, when one was last read.
    per_passage: Option<Duration>,
}

impl Plan {
    /// Takes the next batch; empty where there is none, or no time for it.
    fn take(&mut self) -> Range<usize> {
        let rest = self.time.map(|time| time.saturating_sub(self.begun.elapsed()));
        let first = self.next;
        self.next += batch_size(self.all - first, rest, self.per_passage);
        first..self.next
    }
}

/// How many of the `left` passages are read together, with so much time left and when one takes so long.
fn batch_size(left: usize, rest: Option<Duration>, per_passage: Option<Duration>) -> usize {
    let in_time = match (rest, per_passage) {
        (None, _) => BATCH,
        (Some(rest), _) if rest.is_zero() => 0,
        // How long it takes is not known yet: the first one says it.
        (Some(_), None) => 1,
        (Some(rest), Some(each)) => (rest.as_nanos() / each.as_nanos().max(1)).try_into().unwrap_or(BATCH),
    };
    in_time.min(BATCH).min(left)
}

fn load_session(files: &CrossEncoderFolder, engine: &Engine, threads: usize) -> Result<TextRerank> {
    let name = files.model_name();
    let tokenizer = files.tokenizer()?;
    let model = UserDefinedRerankingModel::new(OnnxSource::File(files.model.clone()), tokenizer);
    let options = RerankInitOptionsUserDefined::new()
        .with_intra_threads(threads)
        .with_execution_providers(engine.device().providers());
    guarded(&named(files.folder()), || {
        TextRerank::try_new_from_user_defined(model, options).map_err(|error| {
            let told = error.to_string();
            // The tokenizer is loaded last; what is wrong with it does not speak of the graph.
            let file = if told.contains("tokenizer.json") { "tokenizer.json" } else { &name };
            files
                .wrong(file, &format!("{} does not take it: {told}", engine.name()))
                .hint("download the folder again, or try the other engine (--onnxruntime)")
        })
    })
}

/// How it is called in errors.
fn named(folder: &Path) -> String {
    format!("the reranking model in {}", folder.display())
}

fn stopped(folder: &Path) -> Error {
    Error::failed(format!("{} has stopped working", named(folder)))
        .hint("try the other engine (--onnxruntime), or another model")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_as_large_as_the_time_allows() {
        let ms = |n| Some(Duration::from_millis(n));
        assert_eq!(batch_size(30, None, None), BATCH);
        assert_eq!(batch_size(3, None, ms(5)), 3);
        assert_eq!(batch_size(30, ms(500), None), 1, "the first says how long one takes");
        assert_eq!(batch_size(30, ms(500), ms(1)), BATCH);
        assert_eq!(batch_size(30, ms(500), ms(200)), 2);
        assert_eq!(batch_size(30, ms(100), ms(200)), 0);
        assert_eq!(batch_size(30, ms(0), None), 0);
        assert_eq!(batch_size(30, ms(500), ms(0)), BATCH);
        assert_eq!(batch_size(0, None, None), 0);
    }
}
