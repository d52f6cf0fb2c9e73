//! `kb status`: the store in figures.

use clap::Args;

use super::invocation::Context;
use crate::embed::select_available;
use crate::error::Result;
use crate::models::Models;
use crate::render::{self, Status};
use crate::store::{DocumentCounts, Holder, Manifest, Namespace, Snapshot, Store, log};

/// Show counts, sizes, model, engine and the current writer
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb status
  kb status -n manuals,drafts             two namespaces; -n all: every one
  kb status -n all --format json")]
pub struct StatusArgs {}

pub async fn run(context: &Context, _args: StatusArgs) -> Result<u8> {
    let store = context.store()?;
    let config = context.config(&store)?;
    let (engine, refused) = select_available(&context.engine(&config))?;
    let engine_problem = refused.map(|refused| refused.to_line());
    let mut each = Vec::new();
    for namespace in store.namespaces_named(&context.global.namespace)? {
        let figures = figures(&store, &namespace, &context.models_of(&store, &config)).await?;
        each.push(Status { engine: engine.name(), engine_problem: engine_problem.clone(), ..figures });
    }
    context.show(render::status(&each))
}

async fn figures(store: &Store, namespace: &Namespace, models: &Models) -> Result<Status> {
    let snapshot = Snapshot::open(namespace).await?;
    let holder = Holder::of(namespace);
    let ([documents, chunks], sections) = (snapshot.counts().await?, snapshot.section_count().await?);
    let DocumentCounts { without_vectors, parents, contexts } = snapshot.document_counts().await?;
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
        without_vectors,
        contexts,
        sections,
        parents,
        chunks,
        keyword_chunks: snapshot.keyword().count(),
        code_recall: snapshot.code_recall().await?,
        bytes: size.all,
        tables_bytes: size.tables,
        keyword_bytes: size.keyword,
        history_bytes: size.tables.saturating_sub(published_bytes),
        restorable_generations: restorable,
        model: manifest.model.name.clone(),
        dimension: manifest.model.dimension,
        // Keyword search works without the model, so this is shown and does not fail the command.
        model_problem: models.recorded(&manifest.model).err().map(|error| error.to_line()),
        pending_generation: pending.filter(|&pending| pending > manifest.generation),
        writing: holder.is_some(),
        writer: holder.flatten(),
        ..Status::default()
    })
}
