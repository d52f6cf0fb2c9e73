//! What the user should know about how a result was found.

use futures::future::try_join_all;
use serde::Serialize;

use super::request::{Method, SearchRequest};
use super::result::Ranking;
use super::searcher::Searcher;
use super::spelling;
use super::trace::Trace;
use crate::error::{NextStep, Result, Setting};
use crate::ids::DocId;
use crate::text::count;

/// A note: the code is for programs, the message for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Note {
    pub code: NoteCode,
    pub message: String,
}

/// What a note is about. The names in JSON are stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteCode {
    /// The model of the vectors does not read the question, so that keywords alone were searched.
    VectorsLeftOut,
    /// The same, but semantic search was asked for.
    LanguageNotRead,
    /// The model of the vectors is not installed.
    ModelMissing,
    /// Documents have no vectors.
    VectorsMissing,
    /// Synonyms were searched for too.
    Synonyms,
    /// Another word was searched for instead of an unknown one.
    WordReplaced,
    /// No parent chunk has the phrase in quotation marks.
    PhraseMissing,
    /// No hit has a word of the question.
    MeaningAlone,
    /// No document has a field of the filter.
    FieldUnknown,
    /// The question is about a table of contents, which does not answer it.
    ContentsMissing,
    /// A part of a table of contents was found by another name.
    ContentsGuessed,
    /// The cross-encoder did not read all candidates that it should, or the endpoint gave no scores.
    RerankingStopped,
    /// The language model was not asked, or failed.
    LanguageModelFailed,
    /// The question is a greeting, and nothing was searched.
    NoSearchNeeded,
    /// The fallback searched again.
    FallbackUsed,
    /// The fallback found no more.
    FallbackFailed,
    /// Parent chunks that repeat a hit were left out.
    DuplicatesLeftOut,
}

/// Adds notes about replaced words, and about semantic search that could not help.
pub(super) async fn add_notes(
    searcher: &Searcher,
    request: &SearchRequest,
    ranking: &Ranking,
    trace: &mut Trace,
) -> Result<()> {
    let snapshots = searcher.snapshots().await?;
    if !ranking.route.model_knows() {
        add_language(searcher, request, ranking, trace).await?;
    }
    spelling::add_notes(&snapshots, &ranking.replacements, trace)?;
    let remedy = format!("`{}` makes them", NextStep::MakeVectors);
    match request.method {
        Method::Semantic | Method::Hybrid if ranking.no_vectors => {
            trace.note(NoteCode::VectorsMissing, format!("the searched documents have no vectors; {remedy}"));
        }
        Method::Semantic => {
            let searched = |id: &DocId| request.documents.as_ref().is_none_or(|ids| ids.contains(id));
            let rows = try_join_all(snapshots.iter().map(|snapshot| snapshot.documents_without_vectors())).await?;
            let without = rows.iter().flatten().filter(|row| searched(&row.doc_id)).count();
            if without > 0 {
                let have = if without == 1 { "has" } else { "have" };
                let documents = count(without, "document");
                let message = format!("{documents} {have} no vectors and cannot be found this way; {remedy}");
                trace.note(NoteCode::VectorsMissing, message);
            }
        }
        _ => {}
    }
    Ok(())
}

/// Notes that the model does not read the question.
async fn add_language(
    searcher: &Searcher,
    request: &SearchRequest,
    ranking: &Ranking,
    trace: &mut Trace,
) -> Result<()> {
    let model = searcher.model().await?.name();
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
    Ok(())
}
