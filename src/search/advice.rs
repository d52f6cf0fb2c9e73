//! Notes that advise the user: on semantic search that could not help, and on results that lack something.

use std::collections::BTreeSet;

use futures::future::try_join_all;

use super::hit::Hit;
use super::note::NoteCode;
use super::request::{Method, SearchRequest};
use super::result::{Ranked, Ranking};
use super::select::{index, sections};
use super::spelling;
use super::trace::Trace;
use crate::error::{NextStep, Result, Setting};
use crate::ids::DocId;
use crate::store::Scope;
use crate::text::count;
use crate::text::script::language;

/// A heading that is less sure to answer is not named.
const LEAST_CONFIDENCE: f32 = 0.5;
/// No heading is looked for in more parent chunks than this: reading the sections of a million chunks takes 60 ms, longer
/// than the search.
const MOST_PARENT_CHUNKS: u64 = 100_000;
/// Sections of each namespace among which such a heading is looked for.
const MOST_SECTIONS: usize = 3;

/// Notes replaced words, and semantic search that could not help.
pub(super) async fn on_ranking(ranked: Ranked<'_>, trace: &mut Trace) -> Result<()> {
    let Ranked { searcher, request, ranking, .. } = ranked;
    if !ranking.route.model_knows() {
        note_unread_language(searcher.model().await?.name(), request, ranking, trace);
    }
    spelling::add_notes(&ranking.replacements, trace);
    let remedy = format!("`{}` makes them", NextStep::MakeVectors);
    match request.method {
        Method::Semantic | Method::Hybrid if ranking.no_vectors => {
            let message = match searched_without_vectors(ranked).await? {
                0 => {
                    let (model, suggest) = (searcher.model().await?.name(), NextStep::SuggestModels);
                    format!("the model {model} cannot read the searched documents; `{suggest}` names models that do")
                }
                _ => format!("the searched documents have no vectors; {remedy}"),
            };
            trace.note(NoteCode::VectorsMissing, message);
        }
        Method::Semantic => {
            let without = searched_without_vectors(ranked).await?;
            if without > 0 {
                let lack = if without == 1 { "lacks" } else { "lack" };
                let documents = count(without, "document");
                let message = format!("{documents} {lack} vectors and cannot be found this way; {remedy}");
                trace.note(NoteCode::VectorsMissing, message);
            }
        }
        _ => {}
    }
    Ok(())
}

/// The number of searched documents that lack vectors.
async fn searched_without_vectors(ranked: Ranked<'_>) -> Result<usize> {
    let ids = try_join_all(ranked.snapshots.iter().map(|snapshot| snapshot.ids_without_vectors())).await?;
    let searched = |(ids, scope): (&Vec<DocId>, &Scope)| match scope.documents() {
        Some(admitted) => ids.iter().filter(|id| admitted.contains(id.as_str())).count(),
        None => ids.len(),
    };
    Ok(ids.iter().zip(&ranked.ranking.scopes).map(searched).sum())
}

/// Notes why nothing was found, or what the hits lack: words of the question, or vectors.
pub(super) async fn on_hits(ranked: Ranked<'_>, hits: &[Hit], trace: &mut Trace) -> Result<()> {
    if hits.is_empty() {
        note_other_language(ranked, trace).await?;
        return note_heading_alone(ranked, trace).await;
    }
    let ranking = ranked.ranking;
    let by_meaning = |hit: &Hit| hit.semantic_score.is_some() && hit.keyword_score.unwrap_or_default() <= 0.0;
    if ranking.route.keyword > 0.0 && hits.iter().all(by_meaning) {
        trace.note(NoteCode::MeaningAlone, "no text contains a word of the question: found by meaning only");
    } else {
        spelling::note_absent(ranked.snapshots, &ranking.understood.identifiers, &ranking.replacements, trace)?;
    }
    note_without_vectors(ranked, hits, trace).await
}

/// Notes that the model does not read the question.
fn note_unread_language(model: &str, request: &SearchRequest, ranking: &Ranking, trace: &mut Trace) {
    if ranking.route.semantic > 0.0 || request.method == Method::Hybrid {
        let method = Setting("method");
        let message =
            format!("the model {model} does not know the language of this question: only {method} keyword is reliable");
        trace.note(NoteCode::LanguageNotRead, message);
    } else if request.method == Method::Auto && request.weights.is_none() {
        let message = format!(
            "searched by keywords only: the model {model} cannot read this question; `{}` names models that do",
            NextStep::SuggestModels
        );
        trace.note(NoteCode::VectorsLeftOut, message);
    }
}

/// Notes which hits were found by words alone, because their documents lack vectors while others have: they may hide
/// better ones.
async fn note_without_vectors(ranked: Ranked<'_>, hits: &[Hit], trace: &mut Trace) -> Result<()> {
    let ranking = ranked.ranking;
    if ranking.vector.is_none() || ranking.no_vectors {
        return Ok(());
    }
    let mut without = 0;
    for (snapshot, namespace) in ranked.snapshots.iter().zip(&ranking.namespaces) {
        let by_words = hits.iter().filter(|hit| hit.semantic_score.is_none() && hit.namespace == *namespace);
        let found: BTreeSet<DocId> = by_words.map(|hit| hit.doc_id.clone()).collect();
        let found: Vec<DocId> = found.into_iter().collect();
        without += snapshot.documents_by_id(&found).await?.iter().filter(|row| !row.embedded).count();
    }
    if without > 0 {
        let of = count(without, "document");
        let message = format!(
            "{of} of the hits: found by keywords only, because they lack vectors; `{}` makes them",
            NextStep::MakeVectors
        );
        trace.note(NoteCode::VectorsMissing, message);
    }
    Ok(())
}

/// Notes that nothing was found because the documents are in another language, unless the model compared both.
async fn note_other_language(ranked: Ranked<'_>, trace: &mut Trace) -> Result<()> {
    let Ranked { request, snapshots, ranking, .. } = ranked;
    if ranking.route.semantic > 0.0 && ranking.route.model_knows() && !ranking.no_vectors {
        return Ok(());
    }
    let mut languages: BTreeSet<String> = BTreeSet::new();
    for (snapshot, scope) in snapshots.iter().zip(&ranking.scopes) {
        let each = snapshot.document_languages().await?.into_iter();
        languages.extend(each.filter(|(id, _)| scope.admits_document(id)).map(|(_, language)| language));
    }
    if let Some(message) = other_language(language(&request.query), &languages) {
        trace.note(NoteCode::OtherLanguage, message);
    }
    Ok(())
}

/// `None` if a document is in the language of the question, or one of the languages is not known.
fn other_language(asked: &str, languages: &BTreeSet<String>) -> Option<String> {
    let documents: Vec<&str> = languages.iter().map(|language| in_words(language)).collect::<Option<_>>()?;
    if documents.is_empty() || documents.contains(&in_words(asked)?) {
        return None;
    }
    Some(format!(
        "the searched documents are in another language: ask in {}; `{}` names models that read them",
        documents.join(", or in "),
        NextStep::SuggestModels
    ))
}

/// The languages that [`language`] tells.
fn in_words(code: &str) -> Option<&'static str> {
    match code {
        "zh" => Some("Chinese"),
        "ja" => Some("Japanese"),
        "ko" => Some("Korean"),
        "en" => Some("English or another in Latin letters"),
        _ => None,
    }
}

/// Names the first section whose heading answers the question and that has no text, not even in its subsections. It has
/// no parent chunk, so only a search for sections finds it.
async fn note_heading_alone(ranked: Ranked<'_>, trace: &mut Trace) -> Result<()> {
    let Ranked { searcher, request, snapshots, ranking } = ranked;
    // No heading can be surer than the ranking allows.
    if request.shape.seeks_sections() || ranking.max_confidence < LEAST_CONFIDENCE {
        return Ok(());
    }
    if snapshots.iter().map(|snapshot| snapshot.keyword().count()).sum::<u64>() > MOST_PARENT_CHUNKS {
        return Ok(());
    }
    let indexes = index::sections(searcher, &request.query, &ranking.scopes, ranking.keys()).await?;
    let found = sections::find(&indexes, &ranking.scopes, &ranking.candidates, MOST_SECTIONS);
    let alone = found.iter().filter(|one| one.confidence >= LEAST_CONFIDENCE).find(|one| {
        let index = &indexes[one.namespace];
        !index.row(one.at).is_preamble() && index.span(one.at).iter().all(|row| row.chunk_start == row.chunk_end)
    });
    if let Some(one) = alone {
        let row = indexes[one.namespace].row(one.at);
        let (title, contents) = (&row.title, NextStep::ShowContents(&row.doc_id));
        let message = format!("the heading {title:?} has words of the question but no text; `{contents}` shows it");
        trace.note(NoteCode::HeadingAlone, message);
    }
    Ok(())
}
