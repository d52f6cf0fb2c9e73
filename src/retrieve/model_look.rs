//! The best candidates read by a cross-encoder, where one is named: `--rerank FOLDER`.
//!
//! Promise: what the model has not read, because it was too far down or the time was over, follows what it has, in its
//! old order. The model is loaded while the store is opened and the arms recall, and stays for the next question.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;

use super::encoder::{Encoder, LONGEST_ENCODED};
use super::fuse::Candidate;
use super::searched::PassageKey;
use super::trace::{Trace, milliseconds};
use super::{Rerank, SearchRequest};
use crate::embed::CrossEncoder;
use crate::error::{Error, Result};
use crate::store::Snapshot;

/// How many candidates a cross-encoder reads where nothing is said: about what a small one reads in the time it has.
pub const DEFAULT_RERANK_DEPTH: usize = 30;
/// And how long it may.
pub const DEFAULT_RERANK_TIME: Duration = Duration::from_millis(500);

/// A cross-encoder's look at the best candidates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelLook {
    /// The folder with the model, as Hugging Face lays it out.
    pub folder: PathBuf,
    /// How many candidates it reads; the rest follow in their old order.
    pub depth: usize,
    /// How long it may read, loading it aside; as long as it takes, where `None`.
    pub time: Option<Duration>,
}

impl ModelLook {
    /// A look by the model in `folder`, with the defaults.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        ModelLook { folder: folder.into(), depth: DEFAULT_RERANK_DEPTH, time: Some(DEFAULT_RERANK_TIME) }
    }
}

/// A model that is being loaded, and the milliseconds that took.
pub(super) type Loading = JoinHandle<Result<(Arc<CrossEncoder>, f64)>>;

/// The model that was last used.
#[derive(Clone, Default)]
pub(super) struct Kept(Arc<Mutex<Option<Arc<CrossEncoder>>>>);

impl Kept {
    /// Begins to load the model that a request names, on another thread.
    pub fn begin(&self, request: &SearchRequest, encoder: &Encoder) -> Option<Loading> {
        let Rerank::Model(look) = &request.rerank else { return None };
        let (kept, encoder, folder) = (self.clone(), encoder.clone(), look.folder.clone());
        Some(tokio::task::spawn_blocking(move || {
            let start = Instant::now();
            Ok((kept.get(&encoder, &folder)?, milliseconds(start)))
        }))
    }

    fn get(&self, encoder: &Encoder, folder: &Path) -> Result<Arc<CrossEncoder>> {
        // Held while it is loaded, so that two questions do not load it twice.
        let mut kept = self.0.lock().map_err(|_| Error::failed("loading the reranking model crashed earlier"))?;
        if let Some(model) = kept.as_ref().filter(|model| model.folder() == folder) {
            return Ok(model.clone());
        }
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        let model = Arc::new(CrossEncoder::load(&encoder.engine()?, folder, jobs)?);
        *kept = Some(model.clone());
        Ok(model)
    }
}

/// Has the model read the first candidates, and ranks them by what it says.
pub(super) async fn look(
    loading: Loading,
    request: &SearchRequest,
    snapshots: &[&Snapshot],
    candidates: &mut Vec<Candidate>,
    trace: &mut Trace,
    notes: &mut Vec<String>,
) -> Result<()> {
    let Rerank::Model(look) = &request.rerank else { return Ok(()) };
    let stopped = |error| Error::failed(format!("the reranking model crashed: {error}"));
    let (model, load_ms) = loading.await.map_err(stopped)??;
    trace.took("rerank_load", load_ms);
    let start = Instant::now();
    let wanted = head(candidates, look.depth);
    let (texts, places) = each_once(texts(snapshots, &candidates[..wanted])?);
    let question: String = request.query.chars().take(LONGEST_ENCODED).collect();
    let (reader, time) = (model.clone(), look.time);
    let read = tokio::task::spawn_blocking(move || reader.scores(&question, &texts, time));
    let scores = read.await.map_err(stopped)??;
    let numbers: Vec<f32> = places.iter().map_while(|place| scores.get(*place).copied()).collect();
    *candidates = ranked(std::mem::take(candidates), &numbers);
    let read = numbers.len();
    let stage = trace.stage("rerank", start, read, candidates.len());
    stage.say(format!("{} on {}", look.folder.display(), model.engine().name()));
    stage.say(format!("read {read} of the first {wanted}")).ranking(candidates);
    if let Some(time) = look.time.filter(|_| read < wanted) {
        notes.push(format!(
            "the reranking model read {read} of the first {wanted} passages in {time:?}, the rest follow as they were; \
             --rerank-budget gives it more time"
        ));
    }
    Ok(())
}

/// What is read of each candidate: its titles, and below them its text.
fn texts(snapshots: &[&Snapshot], candidates: &[Candidate]) -> Result<Vec<String>> {
    let mut texts: HashMap<PassageKey, String> = HashMap::with_capacity(candidates.len());
    for (namespace, snapshot) in snapshots.iter().enumerate() {
        let own = candidates.iter().filter(|candidate| candidate.namespace == namespace);
        let ids: Vec<String> = own.map(|candidate| candidate.chunk_id.clone()).collect();
        for passage in snapshot.passages(&ids)? {
            let text = crate::chunk::context::embedded_text(&passage.context, "", &passage.content);
            texts.insert(PassageKey { chunk_id: passage.chunk_id, namespace }, text);
        }
    }
    let text = |candidate: &Candidate| {
        texts.remove(&candidate.key()).ok_or_else(|| {
            Error::failed(format!("the chunk {} was found but cannot be read", candidate.chunk_id))
                .hint("`kb check` says what is wrong with the namespace")
        })
    };
    candidates.iter().map(text).collect()
}

/// How many of the first candidates are read: as many as there are before one passage too many. One that is in several
/// namespaces counts once.
fn head(candidates: &[Candidate], depth: usize) -> usize {
    let mut known: HashSet<&str> = HashSet::with_capacity(depth);
    let mut fits = |id| known.contains(id) || (known.len() < depth && known.insert(id));
    candidates.iter().map(|candidate| candidate.chunk_id.as_str()).take_while(|id| fits(id)).count()
}

/// The different ones of some texts in the order in which they come, and which of them each is: what is in several
/// namespaces is read once.
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

/// Ranks the candidates that have been read, which are the first, by their numbers. Scores become what the model says,
/// from 0 to 1; those of the rest are scaled below.
fn ranked(mut candidates: Vec<Candidate>, numbers: &[f32]) -> Vec<Candidate> {
    let rest = candidates.split_off(numbers.len().min(candidates.len()));
    let mut read: Vec<(f32, Candidate)> = numbers.iter().copied().zip(candidates).collect();
    // By the numbers themselves: large ones all come near to 1. Sorting leaves equals as they are.
    read.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let least = read.last().map_or(1.0, |(number, _)| probability(*number));
    let read = read.into_iter().map(|(number, candidate)| Candidate { score: probability(number), ..candidate });
    let rest = rest.into_iter().map(|candidate| Candidate { score: candidate.score * least, ..candidate });
    read.chain(rest).collect()
}

/// A logit as a share of 1.
fn probability(logit: f32) -> f32 {
    1.0 / (1.0 + (-logit).exp())
}

/// What would have had the model read a passage that it did not, where one was asked.
pub(super) fn remedy_for_unread(trace: &Trace, chunk_id: &str) -> Option<String> {
    let stage = trace.stages.iter().find(|stage| stage.name == "rerank")?;
    let place = stage.candidates.iter().position(|candidate| candidate.id == chunk_id)? + 1;
    (place > stage.taken).then(|| {
        format!(
            "the reranking model read {}, and this is at place {place}; --rerank-depth {place} with enough --rerank-budget \
             has it read",
            crate::text::count(stage.taken, "passage")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates(scores: &[f32]) -> Vec<Candidate> {
        let candidate = |(i, score): (usize, &f32)| Candidate {
            chunk_id: i.to_string(),
            namespace: 0,
            score: *score,
            keyword: None,
            semantic: None,
        };
        scores.iter().enumerate().map(candidate).collect()
    }

    fn ids(candidates: &[Candidate]) -> String {
        candidates.iter().map(|candidate| candidate.chunk_id.as_str()).collect()
    }

    #[test]
    fn what_was_read_is_ranked_and_the_rest_follows_in_its_old_order() {
        let found = ranked(candidates(&[0.9, 0.8, 0.7, 0.6, 0.6, 0.1]), &[-2.0, 30.0, 20.0]);
        assert_eq!(ids(&found), "120345");
        assert!(found.windows(2).all(|pair| pair[0].score >= pair[1].score), "{found:?}");
        assert!(found.iter().all(|candidate| (0.0..=1.0).contains(&candidate.score)));
        assert_eq!(found[2].score, probability(-2.0));
    }

    #[test]
    fn what_several_namespaces_have_is_read_once() {
        let twins: Vec<Candidate> = ["a", "a", "b", "c", "b"]
            .into_iter()
            .zip(candidates(&[0.0; 5]))
            .map(|(id, candidate)| Candidate { chunk_id: id.to_owned(), ..candidate })
            .collect();
        assert_eq!([0, 1, 2, 3, 9].map(|depth| head(&twins, depth)), [0, 2, 3, 5, 5]);
        let (different, places) = each_once(["x", "x", "y", "x"].map(str::to_owned).to_vec());
        assert_eq!((different.join(" "), places), ("x y".to_owned(), vec![0, 0, 1, 0]));
    }

    #[test]
    fn equals_and_what_nobody_read_stay_as_they_are() {
        assert_eq!(ids(&ranked(candidates(&[0.9, 0.8, 0.7]), &[1.0, 1.0, 1.0])), "012");
        let unread = ranked(candidates(&[0.9, 0.8]), &[]);
        assert_eq!(unread, candidates(&[0.9, 0.8]));
        assert!(ranked(Vec::new(), &[]).is_empty());
        let infinite = ranked(candidates(&[0.9, 0.8]), &[f32::NEG_INFINITY, f32::INFINITY]);
        assert_eq!((ids(&infinite), infinite[0].score, infinite[1].score), ("10".to_owned(), 1.0, 0.0));
    }
}
