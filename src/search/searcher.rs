//! Opens namespaces, vectors, the model and synonyms with the first question, and keeps them.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};

use futures::future::try_join_all;
use tokio::sync::OnceCell;

use super::encoder::{Encoder, VectorModel, locked};
use super::entities::Recogniser;
use super::filter::facts::Facts;
use super::loaded_cross_encoder::LoadedCrossEncoder;
use super::request::SearchRequest;
use super::synonyms::written_out;
use super::understand::Question;
use crate::embed::Reranker;
use crate::error::{Error, Result};
use crate::knowledge::names::synonyms::Synonyms;
use crate::llm;
use crate::notice;
use crate::store::{Manifest, Namespace, SYNONYMS, Snapshot};

/// Answers questions from one namespace, or from several as if they were one.
pub struct Searcher {
    pub(super) searched: Vec<Searched>,
    pub(super) encoder: Encoder,
    model: OnceCell<VectorModel>,
    synonyms: OnceLock<Cow<'static, Synonyms>>,
    pub(super) cross_encoder: LoadedCrossEncoder,
    pub(super) reranker: Option<Arc<Reranker>>,
    pub(super) language_model: Option<Arc<llm::Client>>,
}

impl Searcher {
    pub fn new(namespace: Namespace, encoder: Encoder) -> Self {
        Searcher::over(vec![namespace], encoder)
    }

    /// Searches several different namespaces, whose chunks are ranked together.
    pub fn over(namespaces: Vec<Namespace>, encoder: Encoder) -> Self {
        let searched = namespaces.into_iter().map(Searched::new).collect();
        let (model, synonyms, cross_encoder) = (OnceCell::new(), OnceLock::new(), LoadedCrossEncoder::default());
        Searcher { searched, encoder, model, synonyms, cross_encoder, reranker: None, language_model: None }
    }

    /// Asks a language model for other wordings (`expand = "llm"`).
    pub fn asking(self, client: Arc<llm::Client>) -> Self {
        Searcher { language_model: Some(client), ..self }
    }

    /// Reranks with an endpoint (`rerank = "endpoint"`).
    pub fn reranking(self, reranker: Arc<Reranker>) -> Self {
        Searcher { reranker: Some(reranker), ..self }
    }

    /// The searched generation; with several namespaces, that of the first.
    pub async fn snapshot(&self) -> Result<&Snapshot> {
        self.searched.first().ok_or_else(|| Error::usage("no namespace to search was named"))?.snapshot().await
    }

    /// The searched generations, in the order in which the namespaces were named.
    pub async fn snapshots(&self) -> Result<Vec<&Snapshot>> {
        try_join_all(self.searched.iter().map(Searched::snapshot)).await
    }

    pub(super) async fn model(&self) -> Result<&VectorModel> {
        let read = async || {
            let mut each = Vec::with_capacity(self.searched.len());
            for searched in &self.searched {
                // The manifest is read before the generation is opened, so that the model loads meanwhile.
                let record = match Snapshot::model_of(&searched.namespace).await? {
                    Some(record) => record,
                    None => searched.snapshot().await?.manifest().model.clone(),
                };
                each.push((searched.name(), record));
            }
            VectorModel::new(&each, |record| self.encoder.model_of(record))
        };
        self.model.get_or_try_init(read).await
    }

    /// Whether a searched chunk may have a vector. Read from the manifests, before a generation is opened.
    pub(super) fn may_have_vectors(&self) -> Result<bool> {
        for Searched { namespace, .. } in &self.searched {
            let manifests = [Manifest::read(namespace)?, Manifest::read_pending(namespace)?];
            if manifests.into_iter().flatten().any(|manifest| manifest.may_have_vectors) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The names of the namespaces, in the order of [`snapshots`](Self::snapshots).
    pub fn names(&self) -> Vec<String> {
        self.searched.iter().map(|searched| searched.name().to_owned()).collect()
    }

    /// Recognises the entities of the namespaces in a question and in its answers.
    pub(super) async fn recogniser<'s>(&'s self, request: &'s SearchRequest) -> Result<Recogniser<'s>> {
        let read = async |searched: &'s Searched| searched.facts.entities(searched.snapshot().await?).await;
        let known = try_join_all(self.searched.iter().map(read)).await?;
        let known = self.searched.iter().map(Searched::name).zip(known).collect();
        Ok(Recogniser::new(known, &request.query, &request.restriction))
    }

    /// A question as the model reads it: with the other names that are listed for what it names.
    pub(super) async fn written_out(&self, query: &str) -> Result<String> {
        Ok(written_out(query, [self.synonyms()?, &self.entity_names().await?]))
    }

    /// The names of entities, as people set them. They apply to all namespaces.
    pub(super) async fn entity_names(&self) -> Result<Synonyms> {
        let mut all = Synonyms::default();
        let each = self.searched.iter().map(|searched| Manifest::read(&searched.namespace));
        let published: Vec<Option<Manifest>> = each.collect::<Result<_>>()?;
        // Without entities the store need not be open before the question is embedded.
        if published.iter().all(|manifest| manifest.as_ref().is_some_and(|manifest| !manifest.may_have_entities())) {
            return Ok(all);
        }
        for snapshot in self.snapshots().await? {
            snapshot.entity_names().await?.iter().for_each(|names| all.add_group(names));
        }
        Ok(all)
    }

    /// The program's synonyms, the user's and those of the namespaces. They apply to all namespaces, because there is
    /// one question.
    pub(super) fn synonyms(&self) -> Result<&Synonyms> {
        if let Some(known) = self.synonyms.get() {
            return Ok(known);
        }
        let each = || self.searched.iter().map(|searched| &searched.namespace);
        let mut paths: Vec<PathBuf> = each().map(|namespace| namespace.store().join(SYNONYMS)).collect();
        paths.extend(each().map(|namespace| namespace.root().join(SYNONYMS)));
        paths.dedup();
        let mut all = Cow::Borrowed(Synonyms::common());
        for path in paths {
            if let Some(list) = Synonyms::read(&path)? {
                all.to_mut().extend(list);
            }
        }
        Ok(self.synonyms.get_or_init(|| all))
    }
}

/// The input of stages that need more than the question.
#[derive(Clone, Copy)]
pub(super) struct StageInput<'q, 's> {
    pub searcher: &'q Searcher,
    pub question: &'q Question<'q>,
    pub snapshots: &'s [&'s Snapshot],
}

/// The generation of a namespace that is read. Each part is opened with the first question that needs it; others wait.
#[derive(Default)]
pub(super) struct Opened {
    /// What was published before it was opened; `None` if nothing was, or no other question waits for it.
    pub(super) published: Option<Manifest>,
    pub(super) snapshot: OnceCell<Snapshot>,
    notices: Arc<Mutex<Vec<String>>>,
}

impl Opened {
    pub(super) fn after(published: Option<Manifest>) -> Self {
        Opened { published, ..Opened::default() }
    }

    /// The generation, opened if it is not yet. Each question gets the notices of the opening, whichever opened it.
    pub(super) async fn snapshot(&self, namespace: &Namespace) -> Result<&Snapshot> {
        let open = || {
            let notices = self.notices.clone();
            locked(&notices).clear();
            let keep = move |text: &str| locked(&notices).push(text.to_owned());
            notice::with_receiver(keep, Snapshot::open(namespace))
        };
        let snapshot = self.snapshot.get_or_try_init(open).await;
        locked(&self.notices).iter().for_each(|text| notice::give(text));
        snapshot
    }
}

/// A searched namespace. Each part is read with the first question that needs it.
pub struct Searched {
    pub(super) namespace: Namespace,
    pub(super) opened: Arc<Opened>,
    /// The facts that filters test.
    pub(super) facts: Facts,
}

impl Searched {
    pub fn new(namespace: Namespace) -> Self {
        Searched { namespace, opened: Arc::default(), facts: Facts::default() }
    }

    pub(super) fn name(&self) -> &str {
        self.namespace.name()
    }

    /// The generation, opened if it is not yet.
    pub async fn snapshot(&self) -> Result<&Snapshot> {
        self.opened.snapshot(&self.namespace).await
    }
}
