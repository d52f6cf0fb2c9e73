//! An embedding model behind an endpoint that speaks OpenAI's `/embeddings`: Ollama, vLLM, Text Embeddings Inference, a
//! vendor.
//!
//! kb cannot see the model's files, and the same name may mean another model. So the vectors of two short texts are its
//! fingerprint, recorded when a namespace begins. The first request of each process compares them again.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, OnceLock};

use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::model::{Coverage, EmbeddingConfig, LARGEST_DIMENSION, Model, Pooling, Quantization, Source, VectorOutput};
use super::tokens::token_count;
use crate::endpoint::{Connection, EndpointSettings, Failure, Reason};
use crate::error::{Error, NextStep, Result};
use crate::text::script::Script;
use crate::vectors::{dot, normalised};

/// The prefix of these models' names in kb; the endpoint's name for the model follows.
const NAME_PREFIX: &str = "endpoint:";
/// The largest answer in bytes: enough for a batch of vectors of 4,096 numbers.
const LARGEST: usize = 32 << 20;
/// The most tokens of a text. The endpoint truncates it.
const MOST_TOKENS: usize = 8192;
/// Two unrelated texts.
const PROBES: [&str; 2] = ["The pump is primed before it starts.", "Parliament passed the law on Tuesday."];
/// The numbers of each probe's vector that the fingerprint keeps.
const KEPT: usize = 256;
/// The least cosine of two vectors of one text and one model, on different hardware or software.
const SAME: f32 = 0.995;

/// All requests run here: a client belongs to the runtime that it started in, and callers are on many threads.
static RUNTIME: LazyLock<Result<Runtime, String>> = LazyLock::new(|| {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .map_err(|error| error.to_string())
});

/// kb's name for an endpoint's model.
pub fn endpoint_model_name(model: &str) -> String {
    format!("{NAME_PREFIX}{model}")
}

pub fn is_endpoint_model(name: &str) -> bool {
    name.starts_with(NAME_PREFIX)
}

impl Model {
    /// The model behind an endpoint. Asks the endpoint for the probes.
    ///
    /// # Errors
    /// The endpoint does not answer, or not as the protocol says.
    pub fn at_endpoint(settings: &EndpointSettings) -> Result<Model> {
        let probes = Endpoint::new(settings, "")?.ask(&PROBES)?;
        Ok(Model::at_endpoint_as_recorded(settings, probes[0].len(), &fingerprint(&probes)))
    }

    /// The model behind an endpoint as a store recorded it. Sends no request.
    pub fn at_endpoint_as_recorded(settings: &EndpointSettings, dimension: usize, fingerprint: &str) -> Model {
        let scripts = vec![Script::Latin, Script::Han, Script::Kana, Script::Hangul, Script::Other];
        let unrelated = if let [one, other] = &probes(fingerprint)[..] { cosine(one, other) } else { 0.0 };
        Model {
            name: endpoint_model_name(&settings.model),
            embedding_config: EmbeddingConfig {
                dimension,
                max_tokens: MOST_TOKENS,
                pooling: Pooling::Cls,
                quantization: Quantization::None,
                query_prefix: settings.query_prefix.clone(),
                document_prefix: settings.document_prefix.clone(),
                languages: Coverage { scripts },
                output: VectorOutput::Usual,
            },
            fingerprint: fingerprint.to_owned(),
            source: Source::Endpoint(Box::new(settings.clone())),
            unrelated,
        }
    }
}

/// The probes' vectors as text: the first numbers of each, scaled to the largest and rounded to 127 steps.
fn fingerprint(probes: &[Vec<f32>]) -> String {
    let of = |vector: &Vec<f32>| -> String {
        let kept = &vector[..vector.len().min(KEPT)];
        let largest = kept.iter().fold(f32::MIN_POSITIVE, |largest, number| largest.max(number.abs()));
        kept.iter().map(|number| format!("{:02x}", ((number / largest * 127.0).round() as i8) as u8)).collect()
    };
    probes.iter().map(of).collect::<Vec<_>>().join("-")
}

/// The vectors in a fingerprint; empty if it is damaged.
fn probes(fingerprint: &str) -> Vec<Vec<f32>> {
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let number = |pair: &[u8]| Some(f32::from(byte(pair)? as i8));
    let vector = |text: &str| text.as_bytes().chunks(2).map(number).collect::<Option<Vec<f32>>>();
    fingerprint.split('-').map(vector).collect::<Option<_>>().unwrap_or_default()
}

fn cosine(one: &[f32], other: &[f32]) -> f32 {
    let lengths = (dot(one, one) * dot(other, other)).sqrt();
    if one.len() == other.len() && lengths > 0.0 { dot(one, other) / lengths } else { 0.0 }
}

/// Whether the vectors of all probes are those that were `kept`. A damaged fingerprint has none, which proves nothing.
fn are_same(now: &[Vec<f32>], kept: &[Vec<f32>]) -> bool {
    let is_same = |(now, was): (&Vec<f32>, &Vec<f32>)| cosine(&now[..now.len().min(KEPT)], was) >= SAME;
    now.len() == kept.len() && now.iter().zip(kept).all(is_same)
}

pub(super) struct Endpoint {
    connection: Connection,
    /// The first numbers of the probes' vectors.
    probes: Vec<Vec<f32>>,
    /// Set once the endpoint has given the same probes.
    checked: OnceLock<()>,
    /// Tokens sent in this run, counted if it has a limit.
    sent: AtomicU64,
}

impl Endpoint {
    /// `fingerprint` is that of the expected model.
    pub(super) fn new(settings: &EndpointSettings, fingerprint: &str) -> Result<Self> {
        Ok(Endpoint {
            connection: Connection::new(settings)?,
            probes: probes(fingerprint),
            checked: OnceLock::new(),
            sent: AtomicU64::new(0),
        })
    }

    pub(super) fn name(&self) -> String {
        self.connection.settings.endpoint().to_owned()
    }

    /// Concurrent requests.
    pub(super) fn workers(&self) -> usize {
        self.connection.settings.concurrency
    }

    /// The vectors of texts, of length 1. The first request asks for the probes too.
    ///
    /// # Errors
    /// The endpoint does not answer, or its model has changed.
    pub(super) fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        if self.checked.get().is_some() {
            return self.ask(texts);
        }
        let mut vectors = self.ask(&[texts, &PROBES].concat())?;
        let now = vectors.split_off(texts.len());
        if !are_same(&now, &self.probes) {
            let what = "returns other vectors than at the first ingest of the namespace: its model has changed";
            let name = endpoint_model_name(&self.connection.settings.model);
            let replace = NextStep::ReplaceModel(&name);
            return Err(Error::failed(format!("{} {what}", self.name()))
                .hint(format!("configure the model that made them, or re-embed the namespace: `{replace}`")));
        }
        self.checked.get_or_init(|| ());
        Ok(vectors)
    }

    fn ask(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        self.within_limit(texts).map_err(|failure| self.failed(&failure))?;
        let body = json!({ "model": self.connection.settings.model, "input": texts, "encoding_format": "float" });
        let runtime = RUNTIME.as_ref().map_err(|error| Error::failed(format!("cannot start the runtime: {error}")))?;
        // On a thread of its own: `block_on` panics on a thread of an asynchronous runtime.
        let answer = std::thread::scope(|scope| {
            scope.spawn(|| runtime.block_on(self.connection.post_until_answered(&body, LARGEST))).join()
        });
        let answer = answer.map_err(|_| Error::failed("the request for vectors crashed"))?;
        let vectors = answer.and_then(|answer| read(&answer, texts.len()).map_err(Failure::malformed));
        vectors.map_err(|failure| self.failed(&failure))
    }

    /// Counts the tokens of a request and refuses it if the run exceeds its limit.
    fn within_limit(&self, texts: &[&str]) -> Result<(), Failure> {
        // Counting takes time.
        let Some(most) = self.connection.settings.max_tokens else { return Ok(()) };
        let own = texts.iter().map(|text| token_count(text)).sum::<u64>();
        let is_over = self.sent.fetch_add(own, Ordering::Relaxed) + own > most;
        if is_over { Err(Failure::new(Reason::TokenLimit, format!("{most} tokens in this run"))) } else { Ok(()) }
    }

    fn failed(&self, failure: &Failure) -> Error {
        let (model, endpoint) = (&self.connection.settings.model, self.connection.settings.endpoint());
        Error::failed(format!("{model} at {endpoint} gave no vectors: {}", failure.in_words()))
            .hint(failure.reason.hint(&self.connection.settings))
    }
}

/// The vectors in an answer, in the order of the texts.
fn read(answer: &Value, texts: usize) -> Result<Vec<Vec<f32>>, String> {
    let data = answer["data"].as_array().ok_or("it has no data")?;
    if data.len() != texts {
        return Err(format!("{} vectors for {texts} texts", data.len()));
    }
    let mut vectors: Vec<Vec<f32>> = vec![Vec::new(); texts];
    let mut seen = HashSet::new();
    for (at, entry) in data.iter().enumerate() {
        let place = entry["index"].as_u64().map_or(at, |index| usize::try_from(index).unwrap_or(usize::MAX));
        if place >= texts || !seen.insert(place) {
            return Err(format!("an index of {place}"));
        }
        let numbers = entry["embedding"].as_array().ok_or("an entry without a vector")?;
        let vector: Vec<f32> = numbers.iter().filter_map(Value::as_f64).map(|number| number as f32).collect();
        let is_vector = vector.len() == numbers.len()
            && (1..=LARGEST_DIMENSION).contains(&vector.len())
            && vector.iter().all(|number| number.is_finite())
            && vector.iter().any(|number| *number != 0.0);
        if !is_vector {
            return Err("an invalid vector".to_owned());
        }
        vectors[place] = normalised(vector);
    }
    let one_length = vectors.windows(2).all(|two| two[0].len() == two[1].len());
    if one_length { Ok(vectors) } else { Err("vectors of several lengths".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_tells_a_model_from_another_and_from_rounding() {
        let vector = |seed: f32| -> Vec<f32> { normalised((0..384).map(|i| (i as f32 * seed).sin()).collect()) };
        let made = vec![vector(0.37), vector(0.91)];
        let kept = probes(&fingerprint(&made));
        let rounded: Vec<f32> = made[0].iter().map(|x| (x * 500.0).round() / 500.0).collect();
        assert!(cosine(&rounded[..KEPT], &kept[0]) >= SAME);
        assert!(cosine(&made[1][..KEPT], &kept[0]) < SAME);
        assert!(probes("zz-1").is_empty());
        assert!(are_same(&made, &kept) && !are_same(&made, &[]) && !are_same(&made, &kept[..1]));
    }

    #[test]
    fn answers_in_another_form_are_refused() {
        let good = json!({ "data": [{ "index": 1, "embedding": [0, 2] }, { "index": 0, "embedding": [3, 4] }] });
        assert_eq!(read(&good, 2).unwrap(), [vec![0.6, 0.8], vec![0.0, 1.0]]);
        for bad in [
            json!({}),
            json!({ "data": [] }),
            json!({ "data": [{ "index": 0, "embedding": [1] }, { "index": 0, "embedding": [1] }] }),
            json!({ "data": [{ "index": 0, "embedding": [1] }, { "index": 9, "embedding": [1] }] }),
            json!({ "data": [{ "embedding": [1] }, { "embedding": [1, 2] }] }),
            json!({ "data": [{ "embedding": [0, 0] }, { "embedding": [1, 2] }] }),
            json!({ "data": [{ "embedding": ["a"] }, { "embedding": [1] }] }),
            json!({ "data": [{ "embedding": "AAAA" }, { "embedding": [1] }] }),
        ] {
            assert!(read(&bad, 2).is_err(), "{bad}");
        }
    }
}
