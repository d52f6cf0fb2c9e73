//! Reranks the best candidates by signs that neither retriever sees: how much of the question a chunk and its titles have,
//! and how much of it the titles alone have. On request a cross-encoder then reads the first of them.
//!
//! In BM25 a frequent word makes up for a missing one, and a vector covers everything at once. Which words of the
//! question occur at all is a sign of its own ("coordination level" in the field's older literature). `cargo bench
//! --bench ablation` measures what the signs are worth.
//!
//! Candidates that the cross-encoder did not read, being too far down or out of time, follow in their old order. The
//! model loads while the store opens and the retrievers recall, and stays for the next question.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use tokio::task::JoinHandle;

use super::encoder::{Encoder, LONGEST_ENCODED, joined};
use super::hit::{Candidate, ChunkKey, parent_chunks};
use super::note::NoteCode;
use super::request::{CrossEncoderRerank, Method, Rerank, SearchRequest};
use super::retrievers::KeywordRetriever;
use super::trace::{Trace, milliseconds};
use super::understand::{Question, Route, Understanding};
use crate::chunk::context::{SEPARATOR, embedded_text};
use crate::embed::{CrossEncoder, select};
use crate::error::{Error, NextStep, Result, Setting};
use crate::knowledge::profile::judge;
use crate::llm;
use crate::paths::real;
use crate::store::{IndexedParentChunk, Snapshot, WordsFound};
use crate::text::count;

/// How many candidates are reranked by words; the rest follow in their old order.
const DEPTH: usize = 100;
/// The weight of the share of the question's words that a chunk or the titles above it have; the fused score has 1 …
const COVERAGE: f32 = 0.4;
/// … of their share in the titles alone …
const TITLE: f32 = 0.1;
/// … and of being of the kind that the question surely asks for: steps for "how do I …".
const KIND: f32 = 0.05;
/// Candidates whose text is read to tell its kind.
const KIND_DEPTH: usize = 30;

/// Reranks by the question's words if that can help, then by the requested cross-encoder or endpoint.
pub(super) async fn rerank(
    question: &Question<'_>,
    route: &Route,
    keyword: &KeywordRetriever<'_>,
    snapshots: &[&Snapshot],
    mut candidates: Vec<Candidate>,
    models: Rerankers<'_>,
    trace: &mut Trace,
) -> Result<Vec<Candidate>> {
    let request = question.request;
    let by_words = match request.rerank {
        Rerank::Off => false,
        Rerank::Light => true,
        Rerank::Auto | Rerank::Model(_) | Rerank::Endpoint { .. } => {
            route.rerank && matches!(request.method, Method::Auto | Method::Hybrid)
        }
    };
    if by_words {
        let start = Instant::now();
        let places = keyword.words_found(&candidates[..DEPTH.min(candidates.len())])?;
        let weights: Vec<f32> = keyword.question_words().iter().map(|word| word.weight).collect();
        let preferred = of_kind(&question.understood, snapshots, &candidates)?;
        let kind = KIND * question.understood.sure;
        rank_by_words(&mut candidates, DEPTH, &weights, &places, (&preferred, kind));
        let stage = trace.stage("rerank", start, places.len(), candidates.len());
        stage.ranking(&candidates);
        if !preferred.is_empty() {
            stage.note(format!("{} of the kind that is asked for", count(preferred.len(), "parent chunk")));
        }
    }
    match (&request.rerank, models) {
        (Rerank::Model(settings), Rerankers { cross_encoder: Some(loading), .. }) => {
            read(loading, settings, &request.query, snapshots, candidates, trace).await
        }
        (Rerank::Endpoint { depth, time }, Rerankers { endpoint: Some(reranker), .. }) => {
            ask(reranker, (*depth, *time), &request.query, snapshots, candidates, trace).await
        }
        _ => Ok(candidates),
    }
}

pub(super) struct Rerankers<'a> {
    pub cross_encoder: Option<LoadingCrossEncoder>,
    pub endpoint: Option<&'a llm::Reranker>,
}

/// Lets an endpoint score the first candidates. If it fails, they keep their order and a note says why.
async fn ask(
    reranker: &llm::Reranker,
    (depth, time): (usize, Option<Duration>),
    query: &str,
    snapshots: &[&Snapshot],
    candidates: Vec<Candidate>,
    trace: &mut Trace,
) -> Result<Vec<Candidate>> {
    let start = Instant::now();
    let wanted = head(&candidates, depth);
    let (texts, places) = each_once(texts(snapshots, &candidates[..wanted])?);
    if texts.is_empty() {
        return Ok(candidates);
    }
    let question: String = query.chars().take(LONGEST_ENCODED).collect();
    let answer = reranker.logits(&question, &texts);
    let answer = match time {
        Some(time) => tokio::time::timeout(time, answer).await.unwrap_or_else(|_| Err(llm::Failure::late(time))),
        None => answer.await,
    };
    let scores = answer.unwrap_or_else(|failure| {
        let message =
            format!("{} gave no scores, so the order does not use them: {}", reranker.name(), failure.in_words());
        trace.note(NoteCode::RerankingStopped, message);
        Vec::new()
    });
    let logits: Vec<f32> = places.iter().map_while(|place| scores.get(*place).copied()).collect();
    let (candidates, read) = (ranked(candidates, &logits), logits.len());
    let stage = trace.stage("cross_encoder", start, read, candidates.len());
    stage.note(reranker.name()).note(format!("read {read} of the first {wanted}")).ranking(&candidates);
    Ok(candidates)
}

/// The first candidates whose text is of the kind that answers the question.
fn of_kind(understood: &Understanding, snapshots: &[&Snapshot], candidates: &[Candidate]) -> Result<HashSet<ChunkKey>> {
    let Some(kind) = understood.answered_by() else { return Ok(HashSet::new()) };
    let first = &candidates[..KIND_DEPTH.min(candidates.len())];
    let is_of_kind = |chunk: &IndexedParentChunk| {
        let title = chunk.titles.rsplit(SEPARATOR).next().unwrap_or_default();
        judge(title, &chunk.content) == kind
    };
    let chunks = parent_chunks(snapshots, first.iter().map(Candidate::key))?.into_iter();
    Ok(chunks.filter(|(_, chunk)| is_of_kind(chunk)).map(|(key, _)| key).collect())
}

/// Reranks the first candidates. `weights` are those of the question's words, `places` says which of them each chunk
/// has; `preferred` are the chunks of the kind that is asked for, and `kind` is the weight of that.
fn rank_by_words(
    candidates: &mut [Candidate],
    depth: usize,
    weights: &[f32],
    places: &HashMap<ChunkKey, WordsFound>,
    (preferred, kind): (&HashSet<ChunkKey>, f32),
) {
    let all: f32 = weights.iter().sum();
    if all <= 0.0 {
        return;
    }
    let (first, rest) = candidates.split_at_mut(depth.min(candidates.len()));
    let most = 1.0 + COVERAGE + TITLE + if preferred.is_empty() { 0.0 } else { kind };
    for candidate in &mut *first {
        let key = candidate.key();
        let signs = places.get(&key).map_or(0.0, |found| signs(found, weights) / all);
        let of_kind = if preferred.contains(&key) { kind } else { 0.0 };
        candidate.score = (candidate.score + signs + of_kind) / most;
    }
    // The keys were in order, and sorting leaves equals as they are.
    first.sort_by(|a, b| b.score.total_cmp(&a.score));
    let last = first.last().map_or(0.0, |candidate| candidate.score);
    for candidate in rest {
        candidate.score = (candidate.score / most).min(last);
    }
}

/// The weighted sum of the signs.
fn signs(found: &WordsFound, weights: &[f32]) -> f32 {
    let sum = |is_there: &dyn Fn(usize) -> bool| -> f32 {
        (0..weights.len()).filter(|&word| is_there(word)).map(|word| weights[word]).sum()
    };
    let covered = sum(&|word| found.content[word] || found.titles[word]);
    COVERAGE * covered + TITLE * sum(&|word| found.titles[word])
}

/// A model that is being loaded, and the milliseconds that took.
pub(super) type LoadingCrossEncoder = JoinHandle<Result<(Arc<CrossEncoder>, f64)>>;

/// The last used model.
#[derive(Clone, Default)]
pub(super) struct LoadedCrossEncoder(Arc<Mutex<Option<LastUsed>>>);

struct LastUsed {
    /// What it was loaded from.
    files: Files,
    model: Arc<CrossEncoder>,
}

/// Files with their lengths and times, which change with their content.
type Files = Vec<(PathBuf, u64, Option<SystemTime>)>;

/// The files in a folder and the folders in it. A relative path means another folder in another current folder.
fn files_in(folder: &Path) -> Files {
    let entries = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let all = entries(&real(folder)).flat_map(|path| entries(&path).chain([path]).collect::<Vec<_>>());
    let with_facts = |path: PathBuf| {
        let facts = std::fs::metadata(&path).ok()?;
        Some((path, facts.len(), facts.modified().ok()))
    };
    let mut files: Files = all.filter_map(with_facts).collect();
    files.sort();
    files
}

impl LoadedCrossEncoder {
    /// Begins to load the model that a request names, on another thread.
    pub fn begin(&self, request: &SearchRequest, encoder: &Encoder) -> Option<LoadingCrossEncoder> {
        let Rerank::Model(settings) = &request.rerank else { return None };
        let (loaded, encoder, folder) = (self.clone(), encoder.clone(), settings.folder.clone());
        Some(tokio::task::spawn_blocking(move || {
            let start = Instant::now();
            Ok((loaded.get(&encoder, &folder)?, milliseconds(start)))
        }))
    }

    fn get(&self, encoder: &Encoder, folder: &Path) -> Result<Arc<CrossEncoder>> {
        // Held while it loads, so that two questions do not load it twice.
        // A model is kept once it is whole, so a crash while one was loaded leaves the lock sound.
        let mut loaded = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let files = files_in(folder);
        if let Some(last) = loaded.as_ref().filter(|last| last.files == files) {
            return Ok(last.model.clone());
        }
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        let model = Arc::new(CrossEncoder::load(&select(&encoder.choice)?, folder, jobs)?);
        *loaded = Some(LastUsed { files, model: model.clone() });
        Ok(model)
    }
}

/// Lets the model read the first candidates, and ranks them by its scores.
async fn read(
    loading: LoadingCrossEncoder,
    settings: &CrossEncoderRerank,
    query: &str,
    snapshots: &[&Snapshot],
    candidates: Vec<Candidate>,
    trace: &mut Trace,
) -> Result<Vec<Candidate>> {
    let (model, load_ms) = joined("reranking", loading).await?;
    trace.took("cross_encoder_load", load_ms);
    let start = Instant::now();
    let wanted = head(&candidates, settings.depth);
    let (texts, places) = each_once(texts(snapshots, &candidates[..wanted])?);
    let question: String = query.chars().take(LONGEST_ENCODED).collect();
    let (reader, time) = (model.clone(), settings.time);
    let scores =
        joined("reranking", tokio::task::spawn_blocking(move || reader.scores(&question, &texts, time))).await?;
    let logits: Vec<f32> = places.iter().map_while(|place| scores.get(*place).copied()).collect();
    let candidates = ranked(candidates, &logits);
    let read = logits.len();
    let stage = trace.stage("cross_encoder", start, read, candidates.len());
    stage.note(format!("{} on {}", settings.folder.display(), model.engine().name()));
    stage.note(format!("read {read} of the first {wanted}")).ranking(&candidates);
    if let Some(time) = settings.time.filter(|_| read < wanted) {
        let message = format!(
            "the reranking model read {read} of the first {wanted} parent chunks in {time:?}; the rest keep their \
             order; {} gives it more time",
            Setting("rerank_budget")
        );
        trace.note(NoteCode::RerankingStopped, message);
    }
    Ok(candidates)
}

/// The text that the model reads of each candidate: its titles, and below them its text.
fn texts(snapshots: &[&Snapshot], candidates: &[Candidate]) -> Result<Vec<String>> {
    let chunks = parent_chunks(snapshots, candidates.iter().map(Candidate::key))?;
    let text = |candidate: &Candidate| match chunks.get(&candidate.key()) {
        Some(chunk) => Ok(embedded_text(&chunk.titles, &chunk.content)),
        None => Err(Error::failed(format!("the chunk {} was found but cannot be read", candidate.chunk_id))
            .hint(format!("`{}` shows what is wrong with the namespace", NextStep::Check))),
    };
    candidates.iter().map(text).collect()
}

/// How many of the first candidates are read: as many as have `depth` different chunks.
fn head(candidates: &[Candidate], depth: usize) -> usize {
    let mut known: HashSet<&str> = HashSet::with_capacity(depth);
    let mut fits = |id| known.contains(id) || (known.len() < depth && known.insert(id));
    candidates.iter().map(|candidate| candidate.chunk_id.as_str()).take_while(|id| fits(id)).count()
}

/// The different texts in order, and which of them each is: a chunk of several namespaces is read once.
fn each_once(texts: Vec<String>) -> (Vec<String>, Vec<usize>) {
    let mut known: HashMap<String, usize> = HashMap::with_capacity(texts.len());
    let mut different = Vec::with_capacity(texts.len());
    let mut places = Vec::with_capacity(texts.len());
    for text in texts {
        let place = *known.entry(text).or_insert_with_key(|text| {
            different.push(text.clone());
            different.len() - 1
        });
        places.push(place);
    }
    (different, places)
}

/// Ranks the first candidates, which the model has read, by their logits. Their scores become the model's, from 0 to 1;
/// those of the rest are scaled to lie below.
fn ranked(mut candidates: Vec<Candidate>, logits: &[f32]) -> Vec<Candidate> {
    let rest = candidates.split_off(logits.len().min(candidates.len()));
    let mut read: Vec<(f32, Candidate)> = logits.iter().copied().zip(candidates).collect();
    // By the logits themselves: large ones all come near to 1. Sorting leaves equals as they are.
    read.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let least = read.last().map_or(1.0, |(number, _)| probability(*number));
    let read = read.into_iter().map(|(number, candidate)| Candidate { score: probability(number), ..candidate });
    let rest = rest.into_iter().map(|candidate| Candidate { score: candidate.score * least, ..candidate });
    read.chain(rest).collect()
}

/// The logistic function.
fn probability(logit: f32) -> f32 {
    1.0 / (1.0 + (-logit).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::hit::sample::candidate;

    fn found(chunk_id: &str, content: [bool; 2], titles: [bool; 2]) -> (ChunkKey, WordsFound) {
        let found = WordsFound { chunk_id: chunk_id.into(), content: content.to_vec(), titles: titles.to_vec() };
        (ChunkKey { chunk_id: chunk_id.into(), namespace: 0 }, found)
    }

    #[test]
    fn a_parent_chunk_with_all_the_words_overtakes_one_with_one_of_them() {
        let all =
            HashMap::from([found("often", [true, false], [false; 2]), found("both", [true, false], [false, true])]);
        let mut ranked = vec![candidate("often", 0.6), candidate("both", 0.5)];
        rank_by_words(&mut ranked, 9, &[1.0, 2.0], &all, (&HashSet::new(), 0.0));
        assert_eq!(ids(&ranked), "bothoften");
        assert!(ranked.iter().all(|candidate| (0.0..=1.0).contains(&candidate.score)));
    }

    #[test]
    fn candidates_below_the_depth_keep_their_order() {
        let all = HashMap::from([found("b", [true; 2], [false; 2])]);
        let before = ["a", "b", "c", "d"].iter().zip([0.5, 0.4, 0.39, 0.38]).map(|(id, score)| candidate(id, score));
        let mut ranked: Vec<Candidate> = before.collect();
        rank_by_words(&mut ranked, 2, &[1.0, 1.0], &all, (&HashSet::new(), 0.0));
        assert_eq!(ids(&ranked), "bacd");
        assert!(ranked.windows(2).all(|pair| pair[0].score >= pair[1].score));
    }

    #[test]
    fn of_equals_the_one_of_the_requested_kind_comes_first() {
        let all = HashMap::from([found("a", [true; 2], [false; 2]), found("b", [true; 2], [false; 2])]);
        let mut ranked = vec![candidate("a", 0.5), candidate("b", 0.47)];
        let preferred = HashSet::from([ranked[1].key()]);
        rank_by_words(&mut ranked, 9, &[1.0, 1.0], &all, (&preferred, KIND));
        assert_eq!(ids(&ranked), "ba");
        assert!(ranked.iter().all(|candidate| (0.0..=1.0).contains(&candidate.score)));
    }

    fn candidates(scores: &[f32]) -> Vec<Candidate> {
        scores.iter().enumerate().map(|(i, score)| candidate(&i.to_string(), *score)).collect()
    }

    fn ids(candidates: &[Candidate]) -> String {
        candidates.iter().map(|candidate| candidate.chunk_id.as_str()).collect()
    }

    #[test]
    fn unread_candidates_follow_in_their_old_order() {
        let found = ranked(candidates(&[0.9, 0.8, 0.7, 0.6, 0.6, 0.1]), &[-2.0, 30.0, 20.0]);
        assert_eq!(ids(&found), "120345");
        assert!(found.windows(2).all(|pair| pair[0].score >= pair[1].score), "{found:?}");
        assert!(found.iter().all(|candidate| (0.0..=1.0).contains(&candidate.score)));
        assert_eq!(found[2].score, probability(-2.0));
    }

    #[test]
    fn a_chunk_of_several_namespaces_is_read_once() {
        let twins = ["a", "a", "b", "c", "b"].map(|id| candidate(id, 0.0));
        assert_eq!([0, 1, 2, 3, 9].map(|depth| head(&twins, depth)), [0, 2, 3, 5, 5]);
        let (different, places) = each_once(["x", "x", "y", "x"].map(str::to_owned).to_vec());
        assert_eq!((different.join(" "), places), ("x y".to_owned(), vec![0, 0, 1, 0]));
    }

    #[test]
    fn equals_and_unread_candidates_stay_as_they_are() {
        assert_eq!(ids(&ranked(candidates(&[0.9, 0.8, 0.7]), &[1.0, 1.0, 1.0])), "012");
        let unread = ranked(candidates(&[0.9, 0.8]), &[]);
        assert_eq!(unread, candidates(&[0.9, 0.8]));
        assert!(ranked(Vec::new(), &[]).is_empty());
        let infinite = ranked(candidates(&[0.9, 0.8]), &[f32::NEG_INFINITY, f32::INFINITY]);
        assert_eq!((ids(&infinite), infinite[0].score, infinite[1].score), ("10".to_owned(), 1.0, 0.0));
    }
}
