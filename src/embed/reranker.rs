//! Gets scores of texts for a question from a `/rerank` endpoint. Those of Cohere, Jina, Voyage and Text Embeddings
//! Inference differ in the name of the texts and in the form of the answer.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::endpoint::{Connection, EndpointSettings, Failure, Reason};
use crate::error::Result;

/// The most bytes of an answer.
const LARGEST: usize = 8 << 20;
/// Shares of exactly 0 and 1 have no logit.
const NEAREST: f64 = 1e-6;

/// An endpoint that reranks.
#[derive(Debug)]
pub struct Reranker {
    connection: Connection,
    /// Whether it calls the texts `texts`, not `documents`; learnt from a refusal.
    of_texts: AtomicBool,
}

impl Reranker {
    /// # Errors
    /// If the key has a character that no key has, or the system has no certificates.
    pub fn new(settings: &EndpointSettings) -> Result<Self> {
        Ok(Reranker { connection: Connection::new(settings)?, of_texts: AtomicBool::new(false) })
    }

    /// For messages.
    pub fn name(&self) -> String {
        format!("{} at {}", self.connection.settings.model, self.connection.settings.endpoint())
    }

    /// The logits of texts for a question, in their order.
    ///
    /// # Errors
    /// If the endpoint gives no scores, or not one for each text.
    pub async fn logits(&self, question: &str, texts: &[String]) -> Result<Vec<f32>, Failure> {
        let of_texts = self.of_texts.load(Ordering::Relaxed);
        let answer = match self.ask(question, texts, of_texts).await {
            Err(failure) if failure.reason == Reason::Refused && !of_texts && failure.detail.contains("texts") => {
                self.of_texts.store(true, Ordering::Relaxed);
                self.ask(question, texts, true).await?
            }
            answer => answer?,
        };
        read(&answer, texts.len()).map_err(Failure::malformed)
    }

    async fn ask(&self, question: &str, texts: &[String], of_texts: bool) -> Result<Value, Failure> {
        let name = if of_texts { "texts" } else { "documents" };
        let body = json!({ "model": self.connection.settings.model, "query": question, name: texts });
        self.connection.post_until_answered(&body, LARGEST).await
    }
}

/// The logits in an answer: `results` or `data` with a `relevance_score`, or a list with a `score`.
fn read(answer: &Value, texts: usize) -> Result<Vec<f32>, String> {
    let list = [&answer["results"], &answer["data"], answer].into_iter().find_map(Value::as_array);
    let list = list.ok_or("it has no results")?;
    if list.len() != texts {
        return Err(format!("{} scores for {texts} texts", list.len()));
    }
    let (mut scores, mut seen) = (vec![0.0; texts], HashSet::new());
    for entry in list {
        let place = entry["index"].as_u64().and_then(|index| usize::try_from(index).ok()).unwrap_or(usize::MAX);
        let score = entry["relevance_score"].as_f64().or_else(|| entry["score"].as_f64());
        match score.filter(|score| score.is_finite() && place < texts && seen.insert(place)) {
            Some(score) => scores[place] = score,
            None => return Err(format!("a result without an index or a score: {place}")),
        }
    }
    let are_shares = scores.iter().all(|score| (0.0..=1.0).contains(score));
    let logit = |share: f64| {
        let share = share.clamp(NEAREST, 1.0 - NEAREST);
        (share / (1.0 - share)).ln()
    };
    Ok(scores.into_iter().map(|score| if are_shares { logit(score) as f32 } else { score as f32 }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_answer_is_read() {
        let cohere =
            json!({ "results": [{ "index": 1, "relevance_score": 0.9 }, { "index": 0, "relevance_score": 0.1 }] });
        let voyage =
            json!({ "data": [{ "index": 0, "relevance_score": 0.1 }, { "index": 1, "relevance_score": 0.9 }] });
        let raw = json!([{ "index": 0, "score": -3.5 }, { "index": 1, "score": 4.0 }]);
        for answer in [cohere, voyage] {
            let logits = read(&answer, 2).unwrap();
            assert!(logits[0] < -2.0 && logits[1] > 2.0, "{logits:?}");
        }
        assert_eq!(read(&raw, 2).unwrap(), [-3.5, 4.0]);
    }

    #[test]
    fn wrong_answers_are_refused() {
        for bad in [
            json!({}),
            json!([{ "index": 0, "score": 1 }]),
            json!([{ "index": 0, "score": 1 }, { "index": 0, "score": 1 }]),
            json!([{ "index": 0, "score": 1 }, { "index": 7, "score": 1 }]),
            json!([{ "index": 0, "score": 1 }, { "index": 1, "score": "high" }]),
        ] {
            assert!(read(&bad, 2).is_err(), "{bad}");
        }
    }
}
