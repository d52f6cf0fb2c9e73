//! The facade for programs that read a store; everything else goes through the command line.

use std::path::Path;

use crate::embed::EngineChoice;
use crate::error::Result;
use crate::models::Models;
use crate::search::{Encoder, Hit, SearchRequest, Searcher};
use crate::store::Store;

/// A namespace of a store, opened for questions. The first question loads the embedding model; later ones reuse it.
pub struct KnowledgeBase {
    searcher: Searcher,
}

impl KnowledgeBase {
    /// Opens a namespace of the store in a folder, such as `docs/.kb`. The one that `kb ingest` fills by default is
    /// called `default`.
    ///
    /// # Errors
    /// If the folder is not a store of this format, or the namespace has an invalid name.
    pub fn open(store: &Path, namespace: &str) -> Result<Self> {
        let namespace = Store::open(Some(store), store)?.namespace(namespace)?;
        let encoder = Encoder::new(EngineChoice::Auto, Models::of_user()?);
        Ok(KnowledgeBase { searcher: Searcher::new(namespace, encoder) })
    }

    /// The `limit` best hits for a question, best first, with the defaults of `kb search`.
    ///
    /// # Errors
    /// If the question has no words, nothing was ingested, or the store or the model fails.
    pub async fn search(&self, question: &str, limit: usize) -> Result<Vec<Hit>> {
        let request = SearchRequest { limit, ..SearchRequest::new(question.to_owned()) };
        Ok(self.searcher.search(&request).await?.hits)
    }
}
