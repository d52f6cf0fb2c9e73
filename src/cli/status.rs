//! `kb status`: the store in figures.

use std::collections::BTreeMap;

use clap::Args;

use super::Context;
use crate::chunk::ChunkConfig;
use crate::embed::query_table::{QUERY_TABLE, QueryTable};
use crate::embed::{Model, select_at_hand};
use crate::error::Result;
use crate::models::Models;
use crate::render::{QueryEncoderStatus, Status, StatusView};
use crate::store::{Holder, Manifest, ModelRecord, Namespace, Snapshot, Store, log};

/// Show what is in the store: generation, counts, sizes, model and engine, and who is writing
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb status
  kb status -n manuals,drafts             of two namespaces; -n all: of every one
  kb status -n all --format json          a list; of one namespace alone, an object")]
pub struct StatusArgs {}

pub async fn run(context: &Context, _args: StatusArgs) -> Result<u8> {
    let store = context.store()?;
    let config = context.config(&store)?;
    let (engine, refused) = select_at_hand(&context.engine(&config))?;
    let engine = AtHand { name: engine.name(), problem: refused.map(|refused| refused.to_line()) };
    let mut each = Vec::new();
    for namespace in store.namespaces_named(&context.global.namespace)? {
        each.push(status(&store, &namespace, &context.models(), &engine).await?);
    }
    context.show(&StatusView(&each))?;
    Ok(0)
}

/// The engine that would run the model, and why not as it was asked for.
struct AtHand {
    name: String,
    problem: Option<String>,
}

/// One namespace in figures.
async fn status(store: &Store, namespace: &Namespace, models: &Models, engine: &AtHand) -> Result<Status> {
    let snapshot = Snapshot::open(namespace).await?;
    let holder = Holder::of(namespace);
    let [documents, sections, chunks] = snapshot.counts().await?;
    let rows = snapshot.documents().await?;
    let mut contexts = BTreeMap::new();
    for row in &rows {
        *contexts.entry(ChunkConfig::of(&row.chunking).context.name()).or_insert(0) += 1;
    }
    let manifest = snapshot.manifest();
    let pending = Manifest::read_pending(namespace)?.map(|pending| pending.generation);
    let size = namespace.size();
    let restorable = log(namespace).await?.iter().filter(|entry| entry.restorable).count();
    let published_bytes = snapshot.data_bytes().await?;
    Ok(Status {
        store: store.root().display().to_string(),
        namespace: namespace.name().to_owned(),
        generation: manifest.generation,
        published_at: manifest.published_at.clone(),
        documents,
        without_vectors: rows.iter().filter(|row| !row.embedded).count(),
        contexts,
        sections,
        parents: rows.iter().map(|row| row.parents as usize).sum(),
        chunks,
        keyword_chunks: snapshot.keyword_count(),
        bytes: size.all,
        tables_bytes: size.tables,
        keyword_bytes: size.keyword,
        history_bytes: size.tables.saturating_sub(published_bytes),
        restorable_generations: restorable,
        model: manifest.model.name.clone(),
        dimension: manifest.model.dimension,
        // Words are searched without it, so that this is a fact to show and no failure.
        model_problem: models.recorded(&manifest.model).err().map(|error| error.to_line()),
        engine: engine.name.clone(),
        engine_problem: engine.problem.clone(),
        query_encoder: query_encoder(namespace, &manifest.model),
        pending_generation: pending.filter(|&pending| pending > manifest.generation),
        writing: holder.is_some(),
        writer: holder.flatten(),
    })
}

/// The query encoder that was fitted to a namespace, and why it is not used where it is not.
fn query_encoder(namespace: &Namespace, model: &ModelRecord) -> Option<QueryEncoderStatus> {
    match QueryTable::about_file(&namespace.root().join(QUERY_TABLE)) {
        Ok(None) => None,
        Ok(Some(about)) => {
            // A record of an earlier version is of the embedded model.
            let fingerprint = model.fingerprint.clone().unwrap_or_else(|| Model::embedded().fingerprint.clone());
            let other = about.fingerprint != fingerprint;
            let passed_over = other.then(|| {
                format!("it stands in for {}; `kb reindex --query-encoder` makes one for {}", about.model, model.name)
            });
            Some(QueryEncoderStatus { about: Some(about), passed_over })
        }
        Err(error) => Some(QueryEncoderStatus { about: None, passed_over: Some(error.to_line()) }),
    }
}
