//! `kb reindex --query-encoder`: a table that stands in for the model when questions are asked, fitted to the passages of
//! a namespace.
//!
//! What it learns from is bounded whatever the size of the namespace: the vectors of some thousand pieces, which are there
//! already, and some thousand spans and words, which the model reads. The file lies in the namespace's folder and belongs to
//! no generation: it is written whole in the place of the one before, without locking anybody out.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;

use super::Progress;
use super::prepare::Prepared;
use crate::chunk::ChunkConfig;
use crate::embed::query_table::{About, Example, Fit, Lessons, QUERY_TABLE, QueryTable, Teacher, agreement};
use crate::embed::{Embedder, EngineChoice, Model, select};
use crate::error::{Error, Result};
use crate::models::Models;
use crate::store::{ChunkRow, ChunkType, DocumentRow, Namespace, NewDocument, Snapshot};

/// So many documents are read at once.
const AT_ONCE: usize = 100;
/// The vectors of so many pieces are learnt from at most.
const MOST_PIECES: usize = 20_000;
/// What a piece of a passage, a short span and a word count: a word alone is less than a question. With 0.5 and 0.3
/// for pieces and words a table is a little worse (`ARCHITECTURE.md`).
const PIECE_WEIGHT: f32 = 1.0;
const SPAN_WEIGHT: f32 = 1.0;
const WORD_WEIGHT: f32 = 0.5;

/// By what a table is fitted.
#[derive(Debug, Clone)]
pub struct FitOptions {
    /// The models that are here.
    pub models: Models,
    /// What runs them.
    pub engine: EngineChoice,
    /// How many threads.
    pub jobs: usize,
}

/// What was fitted, or with `dry_run` would be.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct QueryEncoderReport {
    /// Whether nothing was written because it was only asked.
    pub dry_run: bool,
    /// The model that the table stands in for.
    pub model: String,
    /// How many pieces of passages it learns from, whose vectors are there.
    pub pieces: usize,
    /// How many spans and words the model reads for it.
    pub texts: usize,
    /// How many spans it is judged by.
    pub held_out: usize,
    /// The mean cosine between its vectors and the model's, of those; `None` where nothing was fitted.
    pub agreement: Option<f32>,
    /// How many rows it has.
    pub rows: usize,
    /// How large its file is.
    pub bytes: usize,
    /// The file.
    pub path: Option<PathBuf>,
    /// How long it took, in seconds.
    pub seconds: f64,
}

/// Fits a table to a namespace.
///
/// # Errors
/// Where there is nothing to learn from, the model is not here or fails, or the disk refuses.
pub async fn fit_query_encoder(
    namespace: &Namespace,
    options: &FitOptions,
    dry_run: bool,
    progress: Arc<dyn Progress>,
) -> Result<QueryEncoderReport> {
    let started = Instant::now();
    let snapshot = Snapshot::open(namespace).await?;
    let model = options.models.recorded(&snapshot.manifest().model)?;
    let mut rows = snapshot.documents().await?;
    // Of a large namespace pieces are taken from some documents, and those that lie beside each other are alike.
    fastrand::Rng::with_seed(1).shuffle(&mut rows);
    let (lessons, pieces) = collect(&snapshot, &model, rows).await?;
    if lessons.spans.is_empty() || lessons.held_out.is_empty() {
        return Err(Error::failed(format!(
            "the namespace {:?} has too little text to fit a query encoder to",
            namespace.name()
        ))
        .hint("ingest documents first; a handful of sentences is asked best with the model"));
    }
    let mut report = QueryEncoderReport {
        dry_run,
        model: model.name.clone(),
        pieces: pieces.len(),
        texts: lessons.spans.len() + lessons.words.len() + lessons.held_out.len(),
        held_out: lessons.held_out.len(),
        ..QueryEncoderReport::default()
    };
    if !dry_run {
        let generation = snapshot.manifest().generation;
        let (options, telling) = (options.clone(), progress.clone());
        let work = move || learn(&lessons, &pieces, &model, generation, &options, telling.as_ref());
        let learnt = tokio::task::spawn_blocking(work).await;
        progress.end();
        let table = learnt.map_err(|error| Error::failed(format!("fitting the query encoder crashed: {error}")))??;
        let path = namespace.root().join(QUERY_TABLE);
        table.write(&path)?;
        (report.rows, report.bytes, report.path) = (table.rows(), table.bytes(), Some(path));
        report.agreement = Some(table.about().agreement);
    }
    report.seconds = started.elapsed().as_secs_f64();
    Ok(report)
}

/// A piece as it was embedded, with its vector.
type Piece = (String, Vec<f32>);

/// What there is to learn from.
async fn collect(snapshot: &Snapshot, model: &Model, rows: Vec<DocumentRow>) -> Result<(Lessons, Vec<Piece>)> {
    let (mut teacher, mut pieces) = (Teacher::default(), Vec::new());
    // Where a question is put to the model otherwise than a passage is, a passage's vector is not that of a question.
    let alike = model.habits.query_prefix == model.habits.passage_prefix;
    for some in rows.chunks(AT_ONCE) {
        let ids: Vec<String> = some.iter().map(|row| row.doc_id.clone()).collect();
        let with_vectors = alike && pieces.len() < MOST_PIECES;
        let mut chunks = match with_vectors {
            true => snapshot.chunks_with_vectors_of_each(&ids).await?,
            false => snapshot.chunks_of_each(&ids).await?,
        };
        for row in some {
            let chunks = chunks.remove(&row.doc_id).unwrap_or_default();
            chunks.iter().filter(|row| row.chunk_type == ChunkType::Parent).for_each(|row| teacher.read(&row.content));
            if with_vectors {
                pieces.extend(pieces_of(row, chunks));
            }
        }
    }
    pieces.truncate(MOST_PIECES);
    Ok((teacher.lessons(), pieces))
}

/// The pieces of a document that have vectors.
fn pieces_of(row: &DocumentRow, chunks: Vec<ChunkRow>) -> impl Iterator<Item = Piece> {
    let new = NewDocument { document: row.clone(), sections: Vec::new(), chunks };
    let Prepared { new, texts } = Prepared::of(new, &ChunkConfig::of(&row.chunking));
    let children = new.chunks.into_iter().filter(|row| row.chunk_type == ChunkType::Child);
    texts.into_iter().zip(children.map(|row| row.vector)).filter(|(_, vector)| !vector.is_empty())
}

/// Lets the model read, and fits the table.
fn learn(
    lessons: &Lessons,
    pieces: &[Piece],
    model: &Arc<Model>,
    generation: u64,
    options: &FitOptions,
    progress: &dyn Progress,
) -> Result<QueryTable> {
    let all: Vec<&str> =
        [&lessons.spans, &lessons.words, &lessons.held_out].into_iter().flatten().map(String::as_str).collect();
    progress.begin(0, all.len() as u64);
    let embedder = Embedder::for_documents(&select(&options.engine)?, model, options.jobs)?;
    let mut vectors = embedder.embed_queries(&all, &|count| progress.embedded(count, count as u64))?;
    let held_out_vectors = vectors.split_off(lessons.spans.len() + lessons.words.len());
    let spans = all.iter().zip(&vectors).enumerate().map(|(place, (text, vector))| {
        let weight = if place < lessons.spans.len() { SPAN_WEIGHT } else { WORD_WEIGHT };
        Example { text, vector, weight }
    });
    let read = pieces.iter().map(|(text, vector)| Example { text, vector, weight: PIECE_WEIGHT });
    let examples: Vec<Example<'_>> = spans.chain(read).collect();
    let about = About {
        model: model.name.clone(),
        fingerprint: model.fingerprint.clone(),
        generation,
        made_at: jiff::Timestamp::now().to_string(),
        texts: examples.len(),
        agreement: 0.0,
        held_out: lessons.held_out.len(),
    };
    let table = Fit::new(model.habits.dimension, options.jobs)?.table(&examples, about, &|_| ())?;
    let held_out: Vec<&str> = lessons.held_out.iter().map(String::as_str).collect();
    let agreed = agreement(&table, &held_out, &held_out_vectors);
    Ok(table.judged(agreed))
}
