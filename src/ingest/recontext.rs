//! `kb reindex --context`: what stands in front of chunks is made anew from what is in the store, and only what is
//! embedded otherwise now is embedded again.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use super::Progress;
use super::index::KnownVectors;
use super::prepare::Prepared;
use super::rebuild::{RebuildOptions, Rebuilder};
use super::reindex::{ReindexReport, ReindexRequest, ReindexedDocument, TextFrom, estimated, open};
use crate::chunk::ChunkConfig;
use crate::chunk::context::ContextKind;
use crate::error::Result;
use crate::overlay::set_leads;
use crate::store::{ChunkRow, ChunkType, DocumentRow, NewDocument, Store};

/// Gives the documents that the request names another context, those that have it already left out unless `force` says
/// otherwise.
///
/// # Errors
/// Where the store refuses or the model fails.
pub async fn recontext(
    request: &ReindexRequest,
    context: ContextKind,
    store: &Store,
    namespace: &str,
    options: &RebuildOptions,
    progress: Arc<dyn Progress>,
) -> Result<ReindexReport> {
    let started = Instant::now();
    let (mut rows, rebuilder) = open(request, &store.namespace(namespace)?, options, &progress).await?;
    let asked = rows.len();
    rows.retain(|row| request.force || ChunkConfig::of(&row.chunking).context != context);
    let lines = estimated(request, &rows, &store.namespace(namespace)?, options).await?;
    let current = asked - rows.len();
    let mut report = ReindexReport { dry_run: request.dry_run, current, lines, ..ReindexReport::default() };
    progress.begin(rows.len(), rows.iter().map(|row| row.size).sum());
    let outcome = place_all(rows, context, rebuilder, &progress, &mut report).await;
    progress.end();
    outcome?;
    Ok(report.ended(started))
}

async fn place_all(
    rows: Vec<DocumentRow>,
    context: ContextKind,
    mut rebuilder: Option<Rebuilder>,
    progress: &Arc<dyn Progress>,
    report: &mut ReindexReport,
) -> Result<()> {
    for row in rows {
        let line = ReindexedDocument { from: Some(TextFrom::Store), ..ReindexedDocument::as_it_was(&row) };
        if let Some(rebuilder) = &mut rebuilder {
            let sections = rebuilder.snapshot().sections(&row.doc_id).await?;
            let chunks = rebuilder.snapshot().chunks_of(&row.doc_id).await?;
            let embed = row.embedded;
            let stored = NewDocument { document: row, sections, chunks };
            let (prepared, known) = placed(stored.clone(), context);
            rebuilder.put_unless_same(prepared, known, embed, stored).await?;
        }
        progress.file_read(&line.source);
        report.documents.push(line);
    }
    report.finish(rebuilder).await
}

/// A document with another context, and the vectors of the texts that are the same. A vector that was made from a text
/// with other titles is kept with them, as it is found by its text's hash.
fn placed(mut new: NewDocument, context: ContextKind) -> (Prepared, KnownVectors) {
    let children = new.chunks.iter_mut().filter(|row| row.chunk_type == ChunkType::Child && !row.vector.is_empty());
    let known: HashMap<String, Vec<f32>> =
        children.map(|row: &mut ChunkRow| (row.content_hash.clone(), std::mem::take(&mut row.vector))).collect();
    new.chunks.iter_mut().for_each(|row| row.vector.clear());
    let config = ChunkConfig { context, ..ChunkConfig::of(&new.document.chunking) };
    if ChunkConfig::of(&new.document.chunking).context != context {
        // A rule's lead is not what a model said.
        new.chunks.iter_mut().for_each(|row| row.lead = None);
    }
    new.document.chunking = config.recorded();
    set_leads(&mut new.chunks, &config);
    let known = KnownVectors::of_texts(known).and_of(&new.document);
    (Prepared::of(new, &config), known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::{SourceFacts, prepare};
    use crate::load::markdown;

    const TEXT: &str = "# 主泵\n\n主泵把水送到水塔。\n\n其额定压力为 5 bar。\n\n# Pump\n\nIt stands in the house.\n";

    fn stored(context: ContextKind) -> NewDocument {
        let config = ChunkConfig { parent_chars: 14, child_chars: 14, overlap_chars: 3, context };
        let mut new = prepare(&markdown::parse(TEXT), &SourceFacts::sample(), &config, "then").new;
        new.chunks.iter_mut().for_each(|row| row.vector = vec![1.0]);
        new
    }

    #[test]
    fn only_what_is_embedded_otherwise_loses_its_vector_and_there_is_a_way_back() {
        let kinds = [ContextKind::None, ContextKind::Headings, ContextKind::Subjects];
        for (from, to) in kinds.into_iter().flat_map(|from| kinds.map(|to| (from, to))) {
            let (before, expected) = (stored(from), stored(to));
            let (prepared, known) = placed(before.clone(), to);
            let fresh = NewDocument { chunks: prepared.new.chunks.clone(), ..expected.clone() };
            let without = |new: &NewDocument| {
                new.chunks.iter().cloned().map(|row| ChunkRow { vector: Vec::new(), ..row }).collect::<Vec<_>>()
            };
            assert_eq!(without(&fresh), without(&expected), "{from:?} to {to:?} is what an ingest makes");
            assert_eq!(prepared.new.document.chunking, expected.document.chunking);
            let all = prepared.new.chunks.iter().filter(|row| row.chunk_type == ChunkType::Child);
            let (kept, lost): (Vec<_>, Vec<_>) = all.partition(|row| known.knows(row));
            match (from, to) {
                _ if from == to => assert!(lost.is_empty()),
                (ContextKind::None, _) | (_, ContextKind::None) => assert!(kept.is_empty()),
                _ => {
                    assert_eq!(lost.iter().map(|row| row.content.trim()).collect::<Vec<_>>(), ["其额定压力为 5 bar。"])
                }
            }
        }
    }
}
