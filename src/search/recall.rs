//! Recall: the candidates of both retrievers, of other wordings and of the nearest documents, each with its true score
//! from each retriever, so that nothing is punished for being just outside a list.

use std::time::Instant;

use futures::future::try_join_all;

use super::candidate::{ChunkKey, RetrieverScores, Scores};
use super::confidence::{Alternative, Coverage};
use super::encoder::{Encoded, PendingEncoding, wait_for};
use super::note::NoteCode;
use super::query_expansion::{PendingWordings, RankedWordings};
use super::request::OtherWords;
use super::restrict::Restricted;
use super::retrievers::{KeywordRetriever, semantic};
use super::searcher::StageInput;
use super::select::documents::{DocumentQuery, nearest};
use super::select::index;
use super::spelling::{Replacement, corrected, replace_words};
use super::synonyms::{FoundSynonyms, add_synonyms};
use super::trace::{Trace, milliseconds};
use super::understand::{KeywordTerms, Question, Route};
use crate::error::Result;
use crate::store::Scope;
use crate::text::count;

/// What was recalled for a question.
pub(super) struct Recalled<'s> {
    pub keyword: KeywordRetriever<'s>,
    pub coverage: Coverage,
    pub scopes: Vec<Scope>,
    /// The question's route, adjusted to what the retrievers could do.
    pub route: Route,
    pub scores: RetrieverScores,
    pub wordings: RankedWordings,
    /// Words that were searched for instead of the question's or in addition to them.
    pub replacements: Vec<Replacement>,
    /// The question's vector, if semantic search was used.
    pub vector: Option<Vec<f32>>,
    /// Whether the question wants semantic search and no searched chunk has a vector.
    pub no_vectors: bool,
}

pub(super) async fn recall<'s>(
    input: &StageInput<'_, 's>,
    restricted: Restricted,
    encoding: Option<PendingEncoding>,
    pending_wordings: Option<PendingWordings>,
    trace: &mut Trace,
) -> Result<Recalled<'s>> {
    let StageInput { question, snapshots, .. } = *input;
    let (terms, alternatives, replacements) = other_words(input, trace).await?;
    let Restricted { scopes, quoted } = restricted;
    let keyword = KeywordRetriever::new(snapshots, terms, &scopes)?;
    let mut coverage = Coverage::new(&keyword, &question.terms, &alternatives, question.model);
    coverage.lacks_name = replacements.iter().any(|one| one.is_name && one.is_absent());
    let mut recalled = Recalled {
        coverage,
        keyword,
        scopes,
        route: question.route,
        scores: RetrieverScores::default(),
        wordings: RankedWordings::default(),
        replacements,
        vector: None,
        no_vectors: false,
    };
    recalled.by_keywords(question, quoted, trace)?;
    if let Some(pending_wordings) = pending_wordings {
        recalled.wordings = pending_wordings.recall(input, encoding.is_some(), &recalled.scopes, trace).await;
    }
    // What other wordings recalled gets its scores for the question.
    let reworded = recalled.wordings.rankings.iter().flat_map(|(_, ranking)| ranking);
    let also: Scores = reworded.map(|candidate| (candidate.key(), 0.0)).collect();
    match encoding {
        Some(encoding) => recalled.by_vectors(input, encoding, &also, trace).await?,
        None => recalled.no_vectors = question.embedded_by().is_some() && recalled.can_find(),
    }
    if question.request.shape.drills() {
        recalled.by_documents(input, trace).await?;
    }
    recalled.score_the_rest(&also, trace)?;
    if recalled.no_vectors && recalled.route.keyword > 0.0 {
        recalled.route = recalled.route.keyword_only();
    }
    Ok(recalled)
}

/// The terms of a question with synonyms and other words, how these words count for the confidence, and the
/// replacements for the notes.
async fn other_words(
    input: &StageInput<'_, '_>,
    trace: &mut Trace,
) -> Result<(KeywordTerms, Vec<Alternative>, Vec<Replacement>)> {
    let StageInput { searcher, question, snapshots } = *input;
    let start = Instant::now();
    let mut terms = if question.route.keyword > 0.0 { question.terms.clone() } else { KeywordTerms::new() };
    let (query, expand) = (&question.request.query, question.request.expand);
    let synonyms = match expand.words {
        OtherWords::Off => Vec::new(),
        _ => {
            let listed = [searcher.synonyms()?, &searcher.entity_names().await?];
            add_synonyms(snapshots, listed, query, &mut terms)?
        }
    };
    synonyms.iter().for_each(|synonym| trace.note(NoteCode::Synonyms, synonym.note()));
    let replacements = replace_words(snapshots, query, expand.words, &synonyms, &mut terms)?;
    let stage = trace.stage("words", start, terms.len(), synonyms.len() + replacements.len());
    let note = |one: &Replacement| format!("for {:?} also: {}", one.typed, one.words.join(", "));
    let replaced = replacements.iter().filter(|one| !one.is_absent());
    stage.notes(synonyms.iter().map(FoundSynonyms::note)).notes(replaced.map(note));
    let alternatives = synonyms.iter().map(Alternative::synonym);
    let alternatives = alternatives.chain(replacements.iter().map(Alternative::replacement)).collect();
    Ok((terms, alternatives, replacements))
}

impl Recalled<'_> {
    /// Whether the scopes admit any chunk.
    fn can_find(&self) -> bool {
        !self.scopes.iter().all(Scope::is_empty)
    }

    fn by_keywords(&mut self, question: &Question<'_>, quoted: bool, trace: &mut Trace) -> Result<()> {
        if self.route.keyword <= 0.0 {
            return Ok(());
        }
        let (start, pool) = (Instant::now(), question.request.pool);
        let mut scores = self.keyword.recall(&self.scopes, pool)?;
        if quoted {
            self.keyword.add_without_words(&self.scopes, pool, &mut scores);
        }
        trace.stage("keyword", start, pool, scores.len()).scores(&scores);
        self.scores.keyword = scores;
        Ok(())
    }

    /// Recalls by vectors, and scores by vectors what keywords and other wordings recalled.
    async fn by_vectors(
        &mut self,
        input: &StageInput<'_, '_>,
        encoding: PendingEncoding,
        also: &Scores,
        trace: &mut Trace,
    ) -> Result<()> {
        let StageInput { searcher, question, snapshots } = *input;
        let start = Instant::now();
        try_join_all(snapshots.iter().map(|snapshot| snapshot.prepare_search())).await?;
        trace.stage("vectors", start, snapshots.len(), snapshots.len());
        let mut encoded = wait_for("embedding", encoding).await?;
        // The spelling is known only now. A misspelt word has another vector than the word that was meant.
        if let (Some(model), Some(text)) =
            (question.embedded_by(), corrected(&question.request.query, &self.replacements))
        {
            let before = encoded;
            let text = searcher.written_out(&text).await?;
            encoded = wait_for("embedding", searcher.encoder.begin(model, text)).await?;
            encoded.load_ms += before.load_ms;
            encoded.encode_ms += before.encode_ms;
        }
        let Encoded { vector, share, load_ms, encode_ms } = encoded;
        trace.took("model_load", load_ms);
        trace.took("encode", encode_ms);
        self.route = self.route.as_read(share, question.request);
        // A question that the model cannot read as words is left to keyword search.
        if self.route.semantic <= 0.0 {
            return Ok(());
        }
        let (start, pool) = (Instant::now(), question.request.pool);
        let wanted = also.iter().chain(&self.scores.keyword).map(|(key, score)| (key.clone(), *score)).collect();
        let recalled = semantic(snapshots, &vector, &self.scopes, &wanted, pool).await?;
        self.scores.semantic = recalled.scores;
        trace.stage("semantic", start, pool, self.scores.semantic.len()).scores(&self.scores.semantic);
        self.no_vectors = recalled.no_vectors && self.can_find();
        self.vector = Some(vector);
        Ok(())
    }

    /// Recalls from the nearest documents, even if none of their chunks is among the best: titles and summary may match
    /// a question that no single chunk answers in few words. If fewer chunks of a document were recalled than the beam
    /// follows, its best by each retriever are added.
    async fn by_documents(&mut self, input: &StageInput<'_, '_>, trace: &mut Trace) -> Result<()> {
        let StageInput { searcher, question, .. } = *input;
        let (beam, start) = (question.request.shape.beam, Instant::now());
        let keys = self.scores.keys().map(|key| (key.namespace, &key.chunk_id));
        let indexes = index::documents(searcher, &question.request.query, &self.scopes, keys).await?;
        trace.took("documents", milliseconds(start));
        let (start, mut added, mut notes) = (Instant::now(), Scores::new(), Vec::new());
        let query = DocumentQuery { kind: question.understood.answered_by(), vector: self.vector.as_deref() };
        for (namespace, doc_id, score) in nearest(&indexes, query, &self.scopes, beam.documents) {
            let known = self.scores.keys().filter(|key| key.namespace == namespace && key.chunk_id.doc_id() == doc_id);
            let before = added.len();
            if known.take(beam.parents).count() < beam.parents {
                let mut scopes = vec![Scope::of_documents(Some(&[])); self.scopes.len()];
                scopes[namespace] = self.scopes[namespace].within(&doc_id);
                added.extend(self.recall_within(input, &scopes, beam.parents).await?);
            }
            let names = searcher.names();
            let of = if names.len() > 1 { format!(" of {}", names[namespace]) } else { String::new() };
            let more = count(added.len() - before, "parent chunk");
            notes.push(format!("{doc_id}{of}: {score:.3} by itself, {more} more of it"));
        }
        trace.stage("by_documents", start, notes.len(), added.len()).notes(notes).scores(&added);
        Ok(())
    }

    /// Adds the best parent chunks of some scopes; returns the new ones.
    async fn recall_within(&mut self, input: &StageInput<'_, '_>, scopes: &[Scope], most: usize) -> Result<Scores> {
        let by_words = self.keyword.recall(scopes, most)?;
        let by_vectors = match &self.vector {
            Some(vector) => semantic(input.snapshots, vector, scopes, &by_words, most).await?.scores,
            None => Scores::new(),
        };
        let scores = &mut self.scores;
        let is_new = |key: &ChunkKey| !scores.keyword.contains_key(key) && !scores.semantic.contains_key(key);
        let all = by_vectors.iter().chain(&by_words);
        let new = all.filter(|(key, _)| is_new(key)).map(|(key, score)| (key.clone(), *score)).collect();
        scores.keyword.extend(by_words);
        scores.semantic.extend(by_vectors);
        Ok(new)
    }

    /// Scores by keywords the chunks that were recalled otherwise.
    fn score_the_rest(&mut self, also: &Scores, trace: &mut Trace) -> Result<()> {
        let scores = &mut self.scores;
        let recalled = scores.semantic.keys().chain(also.keys().filter(|key| !scores.semantic.contains_key(*key)));
        let unscored: Vec<&ChunkKey> = recalled.filter(|key| !scores.keyword.contains_key(*key)).collect();
        if self.vector.is_some() || !unscored.is_empty() {
            let start = Instant::now();
            let rest = self.keyword.score(unscored.iter().copied())?;
            trace.stage("keyword_rest", start, unscored.len(), rest.len());
            scores.keyword.extend(rest);
        }
        Ok(())
    }
}
