//! One look: a question to a ranking, stage by stage.

use std::time::Instant;

use futures::future::try_join_all;
use jiff::Timestamp;
use tokio::task::JoinHandle;

use super::notes::meaning_note;
use super::{Kernel, Ranking};
use crate::error::{Error, Result};
use crate::retrieve::by_documents::{ByDocuments, NearDocument};
use crate::retrieve::entities;
use crate::retrieve::fuse::{ArmScores, Candidate, Scores, fuse_by};
use crate::retrieve::meanings::{Meaning, add_meanings, written_out};
use crate::retrieve::model_look;
use crate::retrieve::phrases::confine;
use crate::retrieve::query::{Route, keyword_terms, weigh_titles};
use crate::retrieve::recall::{KeywordArm, Terms, first_different, semantic};
use crate::retrieve::rewordings::{Reworded, Searching};
use crate::retrieve::searched::Searched;
use crate::retrieve::settings::Expand;
use crate::retrieve::trace::{Trace, milliseconds};
use crate::retrieve::understand::Understanding;
use crate::retrieve::vector_models::{Asked, Asking, QuestionVectors, VectorModels};
use crate::retrieve::words::{Other, add_others};
use crate::retrieve::{Mode, Rerank, SearchRequest, rewordings};
use crate::store::{Scope, Snapshot};
use crate::text::count;

/// The question's vectors, on their way from another thread.
type Encoding = JoinHandle<Result<Asked>>;

/// A look at work: what is known of the question so far.
struct Look<'k> {
    kernel: &'k Kernel,
    request: &'k SearchRequest,
    now: Timestamp,
    understood: Understanding,
    models: &'k VectorModels,
    asking: Asking,
    route: Route,
    notes: Vec<String>,
    trace: Trace,
}

impl Kernel {
    /// Ranks once, as it is asked.
    pub(in crate::retrieve) async fn look(&self, request: &SearchRequest) -> Result<Ranking> {
        if !request.query.chars().any(char::is_alphanumeric) {
            return Err(Error::usage("the query has no word in it")
                .hint("ask for something, for example kb search \"error E-417\""));
        }
        let (mut look, mut terms) = Look::begin(self, request).await?;
        let asked = rewordings::ask(self.model.as_ref(), request, &look.understood, &mut look.notes);
        // The model is loaded and run on another thread while the store is opened and the keyword arm works.
        let encoding = look.encode()?;
        let reranker = self.reranker.begin(request, &self.encoder);
        let snapshots = look.open(encoding.is_some()).await?;
        let (scopes, quoted) = look.restrict(&snapshots, &terms).await?;
        let others = look.add_words(&snapshots, &mut terms)?;
        let keyword = look.keyword_arm(&snapshots, terms)?;
        let mut scores = ArmScores { keyword: look.by_words(&keyword, &scopes, quoted)?, ..ArmScores::default() };
        let reworded = match asked {
            Some(asked) => look.by_other_words(asked, encoding.is_some(), &snapshots, &scopes).await?,
            None => Reworded::default(),
        };
        let also = reworded.passages();
        let (mut vector, mut no_vectors) = (None, false);
        if let Some(encoding) = encoding {
            (vector, no_vectors) = look.by_vectors(encoding, &snapshots, &scopes, &also, &mut scores).await?;
        }
        look.by_documents(&keyword, vector.as_ref(), &snapshots, &scopes, &mut scores).await?;
        look.score_the_rest(&keyword, &also, vector.is_some(), &mut scores)?;
        if no_vectors && look.route.keyword > 0.0 {
            look.route = Route { keyword: 1.0, semantic: 0.0, ..look.route };
        }
        look.notes.extend(meaning_note(&look.route, &scores));
        let mut candidates = look.fuse(&scores, &reworded);
        candidates = look.look_again(&keyword, candidates)?;
        let Look { mut trace, mut notes, now, understood, route, .. } = look;
        if let Some(loading) = reranker {
            model_look::look(loading, request, &snapshots, &mut candidates, &mut trace, &mut notes).await?;
        }
        self.decay(request, &snapshots, now, &mut candidates, &mut trace).await?;
        cut(request, &mut candidates, &mut trace);
        let namespaces = self.names();
        Ok(Ranking { namespaces, understood, route, others, notes, candidates, vector, scopes, no_vectors, trace })
    }
}

impl<'k> Look<'k> {
    /// Understands the question; with the words to search for.
    async fn begin(kernel: &'k Kernel, request: &'k SearchRequest) -> Result<(Self, Terms)> {
        let (mut trace, mut notes) = (Trace::new(request.explain), Vec::new());
        let start = Instant::now();
        let understood = Understanding::of_kind(&request.query, request.kind);
        let models = kernel.models().await?;
        let route = Route::choose(&understood, request, models.coverage(&request.query));
        let route = models.allow(route, &mut notes)?;
        let terms = keyword_terms(&request.query, &understood.identifiers);
        let said = understood.in_words().into_iter().chain(route.in_words());
        said.fold(trace.stage("understand", start, 1, terms.len()), |stage, words| stage.say(words));
        let asking = models.asking(request, &kernel.encoder);
        let now = Timestamp::now();
        Ok((Look { kernel, request, now, understood, models, asking, route, notes, trace }, terms))
    }

    /// Starts to make the question's vectors; nothing, where none are asked.
    fn encode(&self) -> Result<Option<Encoding>> {
        if self.route.semantic <= 0.0 {
            return Ok(None);
        }
        let wording = match self.request.expand {
            Expand::Off => self.request.query.clone(),
            _ => written_out(&self.request.query, self.kernel.synonyms()?),
        };
        self.kernel.read_vectors_ahead();
        let asking = self.asking.clone();
        Ok(Some(tokio::task::spawn_blocking(move || asking.encode(&wording))))
    }

    /// Opens what is searched.
    async fn open(&mut self, by_vectors: bool) -> Result<Vec<&'k Snapshot>> {
        let start = Instant::now();
        let snapshots = self.kernel.snapshots().await?;
        if by_vectors {
            self.models.check(&snapshots)?;
        }
        self.trace.stage("open", start, self.kernel.searched.len(), snapshots.len());
        if self.request.explain {
            entities::explain(&self.kernel.searched, self.request, &mut self.trace).await?;
        }
        Ok(snapshots)
    }

    /// What may be found in each namespace, and whether that is what has a quoted phrase.
    async fn restrict(&mut self, snapshots: &[&Snapshot], terms: &Terms) -> Result<(Vec<Scope>, bool)> {
        let (mut scopes, told) = self.kernel.scopes(self.request, snapshots, self.now, &mut self.trace).await?;
        self.notes.extend(told);
        let quoted = confine(snapshots, &self.understood, terms, &mut scopes, &mut self.notes, &mut self.trace)?;
        Ok((scopes, quoted))
    }

    /// Adds other names and other words to those that are searched for.
    fn add_words(&mut self, snapshots: &[&Snapshot], terms: &mut Terms) -> Result<Vec<Other>> {
        let start = Instant::now();
        if self.route.keyword <= 0.0 {
            terms.clear();
        }
        let (query, expand) = (&self.request.query, self.request.expand);
        let meanings = match expand {
            Expand::Off => Vec::new(),
            _ => add_meanings(snapshots, self.kernel.synonyms()?, query, terms)?,
        };
        self.notes.extend(meanings.iter().map(Meaning::told));
        let others = add_others(snapshots, query, expand, &meanings, terms)?;
        let stage = self.trace.stage("words", start, terms.len(), meanings.len() + others.len());
        let stage = meanings.iter().fold(stage, |stage, meaning| stage.say(meaning.told()));
        let told = |other: &Other| format!("for {:?} also: {}", other.typed, other.words.join(", "));
        others.iter().fold(stage, |stage, other| stage.say(told(other)));
        Ok(others)
    }

    fn keyword_arm<'s>(&self, snapshots: &'s [&'s Snapshot], mut terms: Terms) -> Result<KeywordArm<'s>> {
        weigh_titles(&mut terms, self.request.title_weight);
        KeywordArm::new(snapshots, terms)
    }

    /// Recalls by words.
    fn by_words(&mut self, keyword: &KeywordArm<'_>, scopes: &[Scope], quoted: bool) -> Result<Scores> {
        if self.route.keyword <= 0.0 {
            return Ok(Scores::new());
        }
        let (start, pool) = (Instant::now(), self.request.pool);
        let mut scores = keyword.recall(scopes, pool)?;
        if quoted {
            keyword.add_without_words(scopes, pool, &mut scores);
        }
        self.trace.stage("keyword", start, pool, scores.len()).scores(&scores);
        Ok(scores)
    }

    /// Recalls by what a language model says instead.
    async fn by_other_words(
        &mut self,
        asked: rewordings::Asked<'_>,
        by_vectors: bool,
        snapshots: &[&Snapshot],
        scopes: &[Scope],
    ) -> Result<Reworded> {
        let vectors = if by_vectors { self.kernel.vectors().await? } else { &[] };
        let (models, asking, request, route) = (self.models, &self.asking, self.request, &self.route);
        let with = Searching { snapshots, vectors, scopes, models, asking, request, route };
        Ok(asked.recall(&with, &mut self.trace, &mut self.notes).await)
    }

    /// Recalls by vectors, and scores by them what words have recalled. With the question's vectors, where they were of
    /// use, and whether there were none to compare them with.
    async fn by_vectors(
        &mut self,
        encoding: Encoding,
        snapshots: &[&Snapshot],
        scopes: &[Scope],
        also: &Scores,
        scores: &mut ArmScores,
    ) -> Result<(Option<QuestionVectors>, bool)> {
        let start = Instant::now();
        let vectors = self.kernel.vectors().await?;
        self.trace.stage("vectors", start, snapshots.len(), vectors.iter().flatten().count());
        let Asked { vectors: question, load_ms, encode_ms, told, notes } =
            encoding.await.map_err(|error| Error::failed(format!("the embedding model crashed: {error}")))??;
        self.trace.took("model_load", load_ms);
        told.into_iter().fold(self.trace.took("encode", encode_ms), |stage, words| stage.say(words));
        self.notes.extend(notes);
        self.route = self.route.as_read(question.share(), self.request);
        // What the model could only spell is left to the words.
        if self.route.semantic <= 0.0 {
            return Ok((None, false));
        }
        let start = Instant::now();
        let mut wanted = also.clone();
        wanted.extend(scores.keyword.iter().map(|(key, score)| (key.clone(), *score)));
        let recalled = semantic(snapshots, vectors, &question, scopes, &wanted, self.request.pool).await?;
        scores.semantic = recalled.scores;
        scores.models = question.models();
        self.trace.stage("semantic", start, self.request.pool, scores.semantic.len()).scores(&scores.semantic);
        Ok((Some(question), recalled.no_vectors && !scopes.iter().all(Scope::is_empty)))
    }

    /// Recalls from the documents that are nearest themselves, in the mode that goes from documents to passages.
    async fn by_documents(
        &mut self,
        keyword: &KeywordArm<'_>,
        question: Option<&QuestionVectors>,
        snapshots: &[&Snapshot],
        scopes: &[Scope],
        scores: &mut ArmScores,
    ) -> Result<()> {
        let (query, shape, searched) = (self.request.query.as_str(), &self.request.shape, self.kernel.searched());
        if shape.mode != Mode::Drill || shape.seeks_sections() {
            return Ok(());
        }
        let start = Instant::now();
        try_join_all(searched.iter().map(Searched::sections)).await?;
        try_join_all(searched.iter().map(Searched::documents)).await?;
        self.trace.took("documents", milliseconds(start));
        let start = Instant::now();
        let vectors = if question.is_some() { self.kernel.vectors().await? } else { &[] };
        let beam = shape.beam;
        let from = ByDocuments { searched, snapshots, scopes, vectors, keyword, question, query, beam };
        let (documents, added) = from.recall(scores).await?;
        let told = |one: &NearDocument| {
            let of = if searched.len() > 1 { format!(" of {}", searched[one.namespace].name()) } else { String::new() };
            format!("{}{of}: {:.3} by itself, {} more of it", one.doc_id, one.score, count(one.recalled, "passage"))
        };
        let stage = self.trace.stage("by_documents", start, documents.len(), added.len());
        documents.iter().fold(stage, |stage, one| stage.say(told(one))).scores(&added);
        Ok(())
    }

    /// Scores by words what was recalled otherwise: each passage gets its true score from each arm.
    fn score_the_rest(
        &mut self,
        keyword: &KeywordArm<'_>,
        also: &Scores,
        by_vectors: bool,
        scores: &mut ArmScores,
    ) -> Result<()> {
        let recalled = scores.semantic.keys().chain(also.keys().filter(|key| !scores.semantic.contains_key(*key)));
        let unscored: Vec<_> = recalled.filter(|key| !scores.keyword.contains_key(*key)).collect();
        if by_vectors || !unscored.is_empty() {
            let start = Instant::now();
            let rest = keyword.score(unscored.iter().copied())?;
            self.trace.stage("keyword_rest", start, unscored.len(), rest.len());
            scores.keyword.extend(rest);
        }
        Ok(())
    }

    /// Both arms, and other wordings, to one ranking.
    fn fuse(&mut self, scores: &ArmScores, reworded: &Reworded) -> Vec<Candidate> {
        let (start, route) = (Instant::now(), &self.route);
        let candidates = reworded.join(fuse_by(route.fusion, scores, route.keyword, route.semantic));
        let recalled = scores.keyword.len() + scores.semantic.len();
        self.trace.stage("fuse", start, recalled, candidates.len()).ranking(&candidates);
        candidates
    }

    /// Looks at the best a second time, by where the question's words are in them.
    fn look_again(&mut self, keyword: &KeywordArm<'_>, candidates: Vec<Candidate>) -> Result<Vec<Candidate>> {
        let asked = self.route.rerank || matches!(self.request.rerank, Rerank::Light(_));
        let Some(look) = self.request.second_look().filter(|_| asked) else { return Ok(candidates) };
        let start = Instant::now();
        let looked_at = &candidates[..look.depth.min(candidates.len())];
        let (weights, places) = (keyword.weights()?, keyword.places(looked_at)?);
        let taken = places.len();
        let candidates = look.rank(candidates, &weights, &places);
        self.trace.stage("second_look", start, taken, candidates.len()).ranking(&candidates);
        Ok(candidates)
    }
}

/// Leaves as many as are wanted, and none that scores too little.
fn cut(request: &SearchRequest, candidates: &mut Vec<Candidate>, trace: &mut Trace) {
    let (start, all) = (Instant::now(), candidates.len());
    first_different(candidates, request.limit, |candidate| &candidate.chunk_id);
    if let Some(least) = request.min_score {
        candidates.retain(|candidate| candidate.score >= least);
    }
    trace.stage("cut", start, all, candidates.len()).ranking(candidates);
}
