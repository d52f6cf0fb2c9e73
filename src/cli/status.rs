//! `kb status`: the store in figures.

use clap::Args;

use super::Context;
use crate::embed::select;
use crate::error::Result;
use crate::render::{Status, StatusView};
use crate::store::{Holder, Manifest, Snapshot, log};

/// Show what is in the store: generation, counts, sizes, model and engine, and who is writing
#[derive(Debug, Args)]
pub struct StatusArgs {}

pub async fn run(context: &Context, _args: StatusArgs) -> Result<u8> {
    let store = context.store()?;
    let config = context.config(&store)?;
    let namespace = store.namespace(&context.global.namespace)?;
    let snapshot = Snapshot::open(&namespace).await?;
    let holder = Holder::of(&namespace);
    let [documents, sections, chunks] = snapshot.counts().await?;
    let rows = snapshot.documents().await?;
    let manifest = snapshot.manifest();
    let pending = Manifest::read_pending(&namespace)?.map(|pending| pending.generation);
    let size = namespace.size();
    let restorable = log(&namespace).await?.iter().filter(|entry| entry.restorable).count();
    let published_bytes = snapshot.data_bytes().await?;
    let status = Status {
        store: store.root().display().to_string(),
        namespace: namespace.name().to_owned(),
        generation: manifest.generation,
        published_at: manifest.published_at.clone(),
        documents,
        without_vectors: rows.iter().filter(|row| !row.embedded).count(),
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
        engine: select(&context.engine(&config))?.name(),
        pending_generation: pending.filter(|&pending| pending > manifest.generation),
        writing: holder.is_some(),
        writer: holder.flatten(),
    };
    context.show(&StatusView(&status))?;
    Ok(0)
}
