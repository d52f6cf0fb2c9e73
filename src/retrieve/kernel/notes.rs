//! What somebody should know who asked for vectors where those could not help.

use futures::future::try_join_all;

use crate::error::Result;
use crate::retrieve::fuse::ArmScores;
use crate::retrieve::query::Route;
use crate::retrieve::{Method, SearchRequest};
use crate::store::Snapshot;

/// Says where the model does not know the question's language.
pub(super) fn language_notes(request: &SearchRequest, route: &Route, model: &str) -> Vec<String> {
    let mut notes = Vec::new();
    if request.method == Method::Hybrid && request.weights.is_none() && !route.model_knows() {
        notes.push(format!("the model {model} does not know this question's language: ranked by keywords alone"));
    }
    if (request.method == Method::Semantic || (request.weights.is_some() && route.semantic > 0.0))
        && !route.model_knows()
    {
        notes.push(format!(
            "the model {model} does not know this question's language: expect poor results, or use --method keyword"
        ));
    }
    notes
}

/// Says where nothing has a word of the question: what is found then is near in meaning, and may be near to nothing.
pub(super) fn meaning_note(route: &Route, scores: &ArmScores) -> Option<String> {
    let by_words = scores.keyword.values().any(|score| *score > 0.0);
    (route.keyword > 0.0 && !by_words && !scores.semantic.is_empty())
        .then(|| "nothing has a word of the question: found by meaning alone".to_owned())
}

/// Says what a search by vectors could not see, where somebody asked for vectors.
pub(super) async fn vector_note(
    request: &SearchRequest,
    snapshots: &[&Snapshot],
    no_vectors: bool,
) -> Result<Option<String>> {
    const REMEDY: &str = "`kb ingest` without --no-embed makes them";
    Ok(match request.method {
        Method::Semantic if no_vectors => {
            Some(format!("nothing that is searched has vectors: use --method keyword, or make them; {REMEDY}"))
        }
        Method::Hybrid if no_vectors => {
            Some(format!("nothing that is searched has vectors: ranked by keywords alone; {REMEDY}"))
        }
        Method::Semantic => {
            let searched = |id: &String| request.documents.as_ref().is_none_or(|ids| ids.contains(id));
            let rows = try_join_all(snapshots.iter().map(|snapshot| snapshot.documents())).await?;
            let without = rows.iter().flatten().filter(|row| !row.embedded && searched(&row.doc_id)).count();
            let have = if without == 1 { "has" } else { "have" };
            let documents = crate::text::count(without, "document");
            (without > 0).then(|| format!("{documents} {have} no vectors and cannot be found this way; {REMEDY}"))
        }
        _ => None,
    })
}
