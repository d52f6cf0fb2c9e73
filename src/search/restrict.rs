//! Restricts what may be found by the request's documents, filter and times, and by the question's phrases.

use std::time::Instant;

use futures::future::try_join_all;
use jiff::Timestamp;

use super::candidate::Candidate;
use super::filter::facts::Facts;
use super::filter::{TimeField, scopes};
use super::note::NoteCode;
use super::request::SearchRequest;
use super::retrievers::on_each;
use super::searcher::{Searcher, StageInput};
use super::trace::Trace;
use super::understand::{KeywordTerms, Understanding, keyword_terms};
use crate::error::Result;
use crate::ids::ChunkId;
use crate::store::{Phrase, Scope, Snapshot};
use crate::text::period::duration;

/// What may be found in each namespace.
pub(super) struct Restricted {
    pub scopes: Vec<Scope>,
    /// Whether the scopes hold only parent chunks with the question's phrases.
    pub quoted: bool,
}

pub(super) async fn restrict(input: &StageInput<'_, '_>, trace: &mut Trace) -> Result<Restricted> {
    let StageInput { searcher, question, snapshots } = *input;
    let mut scopes = filter(searcher, question.request, trace).await?;
    let quoted = keep_with_phrases(snapshots, &question.understood, &question.terms, &mut scopes, trace)?;
    Ok(Restricted { scopes, quoted })
}

/// The parent chunks that the request's documents, filter and times allow.
pub(super) async fn filter(searcher: &Searcher, request: &SearchRequest, trace: &mut Trace) -> Result<Vec<Scope>> {
    let named = request.documents.as_deref();
    if request.restriction.is_empty() {
        return Ok(vec![Scope::of_documents(named); searcher.searched.len()]);
    }
    let start = Instant::now();
    let facts = searcher.searched.iter().map(|searched| &searched.facts);
    let namespaces: Vec<(&Snapshot, &Facts)> = searcher.snapshots().await?.into_iter().zip(facts).collect();
    let scopes = scopes(&namespaces, &request.restriction, named).await?;
    trace.stage("filter", start, scopes.all, scopes.documents).note(scopes.in_words());
    if let Some(unknown) = scopes.note {
        trace.note(NoteCode::FieldUnknown, unknown);
    }
    Ok(scopes.each)
}

/// Narrows the scopes to the parent chunks with the question's phrases, and returns whether it did. If no parent chunk
/// has them, a question falls back to its words and a lookup finds nothing; a note says which.
fn keep_with_phrases(
    snapshots: &[&Snapshot],
    understood: &Understanding,
    terms: &KeywordTerms,
    scopes: &mut [Scope],
    trace: &mut Trace,
) -> Result<bool> {
    let start = Instant::now();
    let phrases: Vec<Phrase> = understood.phrases.iter().filter_map(|text| Phrase::of(text)).collect();
    if phrases.is_empty() || scopes.iter().all(Scope::is_empty) {
        return Ok(false);
    }
    let with = on_each(snapshots, |place, snapshot| snapshot.keyword().with_phrases(&phrases, terms, &scopes[place]))?;
    let found = with.iter().map(Vec::len).sum();
    let stage = trace.stage("phrases", start, phrases.len(), found);
    // A lookup should report that the phrase is nowhere; a question should get an answer.
    let instead = found == 0 && understood.is_asked();
    if found == 0 {
        let searched = if instead { "; searched for their words instead" } else { "" };
        stage.note(format!("no parent chunk contains them{searched}"));
        trace.note(NoteCode::PhraseMissing, phrases_missing(&understood.phrases, instead));
    }
    if !instead {
        let with = with.into_iter().map(|ids| Scope::ParentChunks(ids.into_iter().collect()));
        scopes.iter_mut().zip(with).for_each(|(scope, with)| *scope = with);
    }
    Ok(!instead)
}

/// The note that no parent chunk has the phrases. It says whether their words were searched for instead.
fn phrases_missing(phrases: &[String], instead: bool) -> String {
    let quoted: Vec<String> = phrases.iter().map(|phrase| format!("{phrase:?}")).collect();
    let (the, its) = if phrases.len() == 1 { ("the phrase", "its") } else { ("all the phrases", "their") };
    let then = if instead {
        format!("searched for {its} words instead")
    } else {
        format!("remove the quotation marks to search for {its} words")
    };
    format!("no parent chunk contains {the} {}; {then}", quoted.join(", "))
}

/// Lowers the score of each candidate by its age, if requested, and sorts again. A candidate without a time keeps its
/// score.
pub(super) async fn decay_scores(
    input: &StageInput<'_, '_>,
    mut candidates: Vec<Candidate>,
    trace: &mut Trace,
) -> Result<Vec<Candidate>> {
    let question = input.question;
    let Some(half_life) = question.request.half_life else { return Ok(candidates) };
    let start = Instant::now();
    let restriction = &question.request.restriction;
    let (ages, seen_from, length) = match &restriction.time_field {
        Some(TimeField { name, as_of: Some(now), .. }) => {
            let numbers = numbers(input, name, &candidates).await?;
            let ages = numbers.into_iter().map(|number| number.map(|number| now - number)).collect();
            (ages, format!("{name} {now}"), half_life.age.to_string())
        }
        _ => {
            let now = restriction.seen_from(question.now);
            let ages = ages_in_seconds(input, now, &candidates).await?;
            (ages, format!("{now:.0}"), duration(half_life.age))
        }
    };
    for (candidate, age) in candidates.iter_mut().zip(&ages) {
        candidate.score *= age.map_or(1.0, |age| half_life.share_left(age));
    }
    // The sort is stable: equals keep their order.
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
    let undated = ages.iter().filter(|age| age.is_none()).count();
    let note = format!("half-life {length}, seen from {seen_from}; {undated} without a time");
    trace.stage("decay", start, candidates.len(), candidates.len()).note(note).ranking(&candidates);
    Ok(candidates)
}

/// The ages of the candidates' documents in seconds at a moment; `None` without a time.
async fn ages_in_seconds(
    input: &StageInput<'_, '_>,
    now: Timestamp,
    candidates: &[Candidate],
) -> Result<Vec<Option<f64>>> {
    let each = input.searcher.searched.iter().zip(input.snapshots);
    let documents = try_join_all(each.map(|(searched, snapshot)| searched.facts.documents(snapshot))).await?;
    let age = |candidate: &Candidate| {
        let document = documents.get(candidate.namespace)?.get(candidate.chunk_id.doc_id())?;
        Some(now.duration_since(document.time.as_ref()?.at).as_secs_f64())
    };
    Ok(candidates.iter().map(age).collect())
}

/// The numbers that the candidates have in a time field; `None` without one.
async fn numbers(input: &StageInput<'_, '_>, field: &str, candidates: &[Candidate]) -> Result<Vec<Option<f64>>> {
    let forms = &input.question.request.restriction.headings;
    let mut numbers = vec![None; candidates.len()];
    for (place, (searched, snapshot)) in input.searcher.searched.iter().zip(input.snapshots).enumerate() {
        let own: Vec<usize> = (0..candidates.len()).filter(|&at| candidates[at].namespace == place).collect();
        let ids: Vec<ChunkId> = own.iter().map(|&at| candidates[at].chunk_id.clone()).collect();
        let found = searched.facts.numbers(snapshot, forms, field, &ids).await?;
        own.into_iter().zip(found).for_each(|(at, number)| numbers[at] = number);
    }
    Ok(numbers)
}

impl Searcher {
    /// The stage that excludes all of these parent chunks, or the document if it has none: `filter` or `phrases`.
    pub(super) async fn restricting_stage(
        &self,
        request: &SearchRequest,
        doc_id: &str,
        chunk_ids: &[ChunkId],
    ) -> Result<Option<&'static str>> {
        let (snapshots, mut trace) = (self.snapshots().await?, Trace::new(false));
        let mut scopes = filter(self, request, &mut trace).await?;
        let any = |scopes: &[Scope]| scopes.iter().any(|scope| chunk_ids.iter().any(|id| scope.admits_chunk(id)));
        let is_let_through = match chunk_ids {
            [] => scopes.iter().any(|scope| scope.admits_document(doc_id)),
            _ => any(&scopes),
        };
        if !is_let_through {
            return Ok(Some("filter"));
        }
        let understood = Understanding::of_kind(&request.query, request.kind);
        let terms = keyword_terms(&request.query, &understood.identifiers);
        keep_with_phrases(&snapshots, &understood, &terms, &mut scopes, &mut trace)?;
        Ok((!chunk_ids.is_empty() && !any(&scopes)).then_some("phrases"))
    }
}
