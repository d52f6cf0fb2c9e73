//! Texts that the embedded model embeds per second: by kb itself, and by a loop around an engine.
//!
//! ```sh
//! cargo bench --bench measure -- embedding --corpus corpus.jsonl --texts 512 --rounds 5 [--onnxruntime PATH]
//! ```
//!
//! The loop does what every embedding needs: texts sorted by length, in the same batches, tokens, the
//! model, the mean over the mask, length one; on tract a session for each thread, on ONNX Runtime one with all threads.
//! Both run in turn, `--rounds` times, so a busy machine slows both; the output is medians. `--corpus` is a file in the
//! BEIR layout; the default repeats the fixture's texts. The engine is tract, unless `--onnxruntime PATH` names a library.
//! The exit code is 1 if kb's vectors differ from those of the loop.

use std::path::{Path, PathBuf};
use std::process::exit;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::available_parallelism;

use crate::synthetic::stores::{fail, median, timed};
use kb::internals::embed::{Embedder, Engine, EngineChoice, Model, select};
use kb_minilm::{ONNX, TOKENIZER};
use ort::session::Session;
use ort::session::builder::GraphOptimizationLevel;
use ort::value::Tensor;
use tokenizers::{PaddingParams, Tokenizer, TruncationParams};

type Fault = Box<dyn std::error::Error + Send + Sync>;

/// Cargo runs benchmarks in the repository.
const FIXTURE: &str = "fixtures/retrieval/corpus.jsonl";
/// As kb does it with other models: see `src/embed/embedder.rs`.
const BATCH: usize = 16;
const MAX_TOKENS: usize = 256;
const ALIKE: f32 = 0.9995;

#[derive(clap::Args)]
pub struct Options {
    /// A file in the BEIR layout.
    #[arg(long, default_value = FIXTURE)]
    corpus: PathBuf,
    #[arg(long, default_value_t = 256)]
    texts: usize,
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    #[arg(long)]
    onnxruntime: Option<PathBuf>,
}

pub fn run(options: &Options) {
    measure(options).unwrap_or_else(|error| fail(&error.to_string()));
}

fn measure(options: &Options) -> Result<(), Fault> {
    let library = options.onnxruntime.as_deref();
    let choice = library.map_or(EngineChoice::Tract, |path| EngineChoice::parse(Some(path)));
    let jobs = available_parallelism().map_or(1, usize::from);
    let engine = select(&choice)?;
    let texts = texts(&options.corpus, options.texts)?;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let embedder = Embedder::load(&choice, &Model::embedded(), jobs)?;
    let bare = Bare::load(&engine, jobs)?;
    println!("{} texts of {}, {jobs} jobs, {}", texts.len(), options.corpus.display(), engine.name());

    // One run that is not timed warms both up and compares their vectors.
    let (ours, theirs) = (embedder.embed_documents(&texts, &|_| {})?, bare.embed(&texts)?);
    let lowest = ours.iter().zip(&theirs).map(|(a, b)| cosine(a, b)).fold(f32::INFINITY, f32::min);
    println!("lowest cosine between the vectors of both: {lowest:.6}");
    if lowest.is_nan() || lowest < ALIKE {
        exit(1);
    }
    let (mut kb, mut loops) = (Vec::new(), Vec::new());
    for _ in 0..options.rounds {
        kb.push(timed(|| embedder.embed_documents(&texts, &|_| {}).unwrap_or_else(|error| fail(&error.to_line()))));
        loops.push(timed(|| bare.embed(&texts).unwrap_or_else(|error| fail(&error.to_string()))));
    }
    let per_second = |milliseconds: Vec<f64>| texts.len() as f64 * 1000.0 / median(milliseconds);
    let (kb, loops) = (per_second(kb), per_second(loops));
    println!("bare loop {loops:.1} texts/s, kb {kb:.1}; kb has {:.0} % of it", kb / loops * 100.0);
    Ok(())
}

/// The loop.
struct Bare {
    tokenizer: Tokenizer,
    sessions: Vec<Mutex<Session>>,
}

impl Bare {
    fn load(engine: &Engine, jobs: usize) -> Result<Self, Fault> {
        let (sessions, threads) = match engine {
            Engine::Tract => (jobs, 1),
            Engine::OnnxRuntime { .. } => (1, jobs),
        };
        let session = || -> Result<_, Fault> {
            let mut builder = Session::builder()?
                .with_optimization_level(GraphOptimizationLevel::Level3)
                .map_err(|error| error.to_string())?
                .with_intra_threads(threads)
                .map_err(|error| error.to_string())?;
            Ok(Mutex::new(builder.commit_from_memory(ONNX)?))
        };
        let mut tokenizer = Tokenizer::from_bytes(TOKENIZER)?;
        tokenizer.with_padding(Some(PaddingParams::default()));
        tokenizer.with_truncation(Some(TruncationParams { max_length: MAX_TOKENS, ..TruncationParams::default() }))?;
        Ok(Bare { tokenizer, sessions: (0..sessions).map(|_| session()).collect::<Result<_, _>>()? })
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Fault> {
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(|&text| std::cmp::Reverse(texts[text].len()));
        let batches: Vec<&[usize]> = order.chunks(BATCH).collect();
        let (next, done) = (AtomicUsize::new(0), Mutex::new(vec![Vec::new(); texts.len()]));
        let work = |session: &Mutex<Session>| -> Result<(), Fault> {
            let mut session = session.lock().map_err(|_| "a thread has panicked")?;
            while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                let vectors = self.vectors(&mut session, batch.iter().map(|&text| texts[text]).collect())?;
                let mut done = done.lock().map_err(|_| "a thread has panicked")?;
                for (&text, vector) in batch.iter().zip(vectors) {
                    done[text] = vector;
                }
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = self.sessions.iter().map(|session| scope.spawn(|| work(session))).collect();
            threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| "a thread has panicked")?)
        })?;
        Ok(done.into_inner().map_err(|_| "a thread has panicked")?)
    }

    fn vectors(&self, session: &mut Session, texts: Vec<&str>) -> Result<Vec<Vec<f32>>, Fault> {
        let encodings = self.tokenizer.encode_batch(texts, true)?;
        let length = encodings.first().map_or(0, |encoding| encoding.len());
        let shape = [encodings.len(), length];
        let numbers = |of: fn(&tokenizers::Encoding) -> &[u32]| -> Vec<i64> {
            encodings.iter().flat_map(|encoding| of(encoding).iter().map(|&number| i64::from(number))).collect()
        };
        let mask = numbers(tokenizers::Encoding::get_attention_mask);
        let outputs = session.run(ort::inputs![
            "input_ids" => Tensor::from_array((shape, numbers(tokenizers::Encoding::get_ids)))?,
            "attention_mask" => Tensor::from_array((shape, mask.clone()))?,
            "token_type_ids" => Tensor::from_array((shape, numbers(tokenizers::Encoding::get_type_ids)))?,
        ])?;
        let (shape, hidden) = outputs["last_hidden_state"].try_extract_tensor::<f32>()?;
        let size = *shape.last().ok_or("no dimensions")? as usize;
        Ok(hidden
            .chunks(length * size)
            .zip(mask.chunks(length))
            .map(|(text, mask)| unit(mean(text, mask, size)))
            .collect())
    }
}

fn mean(hidden: &[f32], mask: &[i64], size: usize) -> Vec<f32> {
    let mut sum = vec![0.0; size];
    for (token, _) in hidden.chunks(size).zip(mask).filter(|(_, mask)| **mask == 1) {
        sum.iter_mut().zip(token).for_each(|(sum, value)| *sum += value);
    }
    sum
}

fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|value| *value /= length);
    vector
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// This many texts, spread over the whole corpus.
fn texts(corpus: &Path, wanted: usize) -> Result<Vec<String>, Fault> {
    let mut texts = Vec::new();
    for line in std::fs::read_to_string(corpus).map_err(|error| format!("{}: {error}", corpus.display()))?.lines() {
        let record: serde_json::Value = serde_json::from_str(line)?;
        let part = |name: &str| record[name].as_str().unwrap_or_default().to_owned();
        texts.push(format!("{} {}", part("title"), part("text")).trim().to_owned());
    }
    if texts.is_empty() {
        return Err(format!("{} has no texts", corpus.display()).into());
    }
    let step = (texts.len() / wanted.max(1)).max(1);
    Ok(texts.iter().step_by(step).cycle().take(wanted).cloned().collect())
}
