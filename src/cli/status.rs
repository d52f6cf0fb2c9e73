//! `kb status`: the store in figures.

use std::path::Path;

use clap::Args;

use super::Context;
use crate::embed::select;
use crate::error::Result;
use crate::render::{Status, StatusView};
use crate::store::Snapshot;

/// Show what is in the store: generation, counts, size, model and engine
#[derive(Debug, Args)]
pub struct StatusArgs {}

pub async fn run(context: &Context, _args: StatusArgs) -> Result<u8> {
    let store = context.store()?;
    let config = context.config(&store)?;
    let namespace = store.namespace(&context.global.namespace)?;
    let snapshot = Snapshot::open(&namespace).await?;
    let [documents, sections, chunks] = snapshot.counts().await?;
    let rows = snapshot.documents().await?;
    let manifest = snapshot.manifest();
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
        bytes: folder_size(namespace.root()),
        model: manifest.model.name.clone(),
        dimension: manifest.model.dimension,
        engine: select(&context.engine(&config))?.name(),
    };
    context.show(&StatusView(&status))?;
    Ok(0)
}

/// The bytes of all files below a folder; what disappears meanwhile counts nothing.
fn folder_size(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.file_type() {
            Ok(kind) if kind.is_dir() => folder_size(&entry.path()),
            Ok(_) => entry.metadata().map_or(0, |facts| facts.len()),
            Err(_) => 0,
        })
        .sum()
}
