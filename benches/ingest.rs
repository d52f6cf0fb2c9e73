//! How fast documents come in, beside what each step costs alone.
//!
//! ```sh
//! cargo bench --bench measure -- ingest --files 2000 --pdfs DIR
//! ```
//!
//! Makes up `--files` Markdown files (`synthetic`), and takes the PDFs below `--pdfs` as they are. Each of the two sets
//! is read by one library call per file, embedded by the bare model, written by bare LanceDB, and ingested by the
//! program with and without vectors, in this order in one run. The bare steps keep everything in memory, recover
//! nothing and run one after the other, each with as many threads as kb uses; PDFs are also read by `pdftotext`, one
//! process per file. The overhead says how much longer the program takes than the slowest of them.

use std::iter;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::available_parallelism;

use crate::synthetic::stores::{fail, kb, scratch, timed};
use crate::synthetic::write_documents;
use kb::internals::chunk::ChunkConfig;
use kb::internals::embed::{Embedder, EngineChoice, Model};
use kb::internals::ids::DocId;
use kb::internals::ingest::{SourceFacts, prepare};
use kb::internals::load::{Format, LoadOptions, parse};
use lancedb::arrow::arrow_array::{ArrayRef, FixedSizeListArray, Float32Array, RecordBatch, StringArray};
use lancedb::arrow::arrow_buffer::NullBuffer;
use lancedb::arrow::arrow_schema::{DataType, Field};

/// Child chunks of a made-up document.
const CHILDREN: usize = 8;
/// Below this share of a text the model does not read it, and kb makes no vector.
const LEAST_SHARE: f32 = 0.5;
/// Rows that LanceDB gets at once, as many as kb publishes at once.
const ROWS: usize = 4096;

#[derive(clap::Args)]
pub struct Options {
    /// Markdown files to make up.
    #[arg(long, default_value_t = 2000)]
    files: usize,
    /// A folder of PDFs.
    #[arg(long)]
    pdfs: Option<PathBuf>,
}

struct Set {
    name: &'static str,
    folder: PathBuf,
    files: Vec<PathBuf>,
}

/// What the library makes of a file.
struct Read {
    pages: usize,
    prepared: kb::internals::ingest::Prepared,
}

pub fn run(options: &Options) {
    let scratch = scratch();
    for set in sets(options, scratch.path()) {
        measure(&set);
    }
}

fn sets(options: &Options, scratch: &Path) -> Vec<Set> {
    let folder = scratch.join("markdown");
    write_documents(&folder, options.files, CHILDREN).unwrap_or_else(|error| fail(&error.to_line()));
    let mut sets = vec![Set { name: "Markdown", files: files_below(&folder, "md"), folder }];
    sets.extend(options.pdfs.clone().map(|folder| Set { name: "PDF", files: files_below(&folder, "pdf"), folder }));
    sets
}

fn files_below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap_or_else(|error| fail(&format!("{}: {error}", folder.display()))) {
        let path = entry.unwrap_or_else(|error| fail(&error.to_string())).path();
        if path.is_dir() {
            found.extend(files_below(&path, extension));
        } else if path.extension().is_some_and(|given| given.eq_ignore_ascii_case(extension)) {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn measure(set: &Set) {
    let jobs = available_parallelism().map_or(1, usize::from);
    let mut read = Vec::new();
    let reading = timed(|| read = read_all(&set.files, jobs));
    let pages: usize = read.iter().map(|read| read.pages).sum();
    let model = Model::embedded();
    let is_read = |text: &str| model.embedding_config.languages.share(text) >= LEAST_SHARE;
    let all_texts: Vec<_> = read.iter().flat_map(|read| read.prepared.texts()).collect();
    let texts: Vec<_> = all_texts.iter().filter(|text| is_read(&text.text)).collect();
    let parents: Vec<_> = read.iter().flat_map(|read| &read.prepared.new.parents).collect();
    let chunks: usize = parents.iter().map(|parent| 1 + parent.children.len()).sum();
    println!("\n## {}: {} files, {pages} pages, {chunks} chunks, {jobs} jobs", set.name, read.len());
    println!("{:<34} {:>9} {:>9} {:>9} {:>9}", "", "seconds", "files/s", "pages/s", "chunks/s");
    let show = |what: &str, milliseconds: f64| {
        let seconds = milliseconds / 1000.0;
        let per = |count: usize| count as f64 / seconds;
        println!("{what:<34} {seconds:>9.1} {:>9.1} {:>9.1} {:>9.1}", per(read.len()), per(pages), per(chunks));
        seconds
    };
    let reading = show("reading and cutting", reading);
    if set.name == "PDF" {
        match timed_pdftotext(&set.files, jobs) {
            Some(time) => drop(show("pdftotext", time)),
            None => println!("{:<34} not installed", "pdftotext"),
        }
    }
    let embedder = Embedder::load(&EngineChoice::parse(None), &model, jobs);
    let embedder = embedder.unwrap_or_else(|error| fail(&error.to_line()));
    let mut vectors = Vec::new();
    let embedding = show(
        "embedding, the model alone",
        timed(|| vectors = embedder.embed_parents(&texts, &|_| {}).unwrap_or_else(|error| fail(&error.to_line()))),
    );
    let vectors: Vec<&[f32]> =
        vectors.iter().flat_map(|one| iter::once(&one.parent).chain(&one.children)).map(Vec::as_slice).collect();
    // Which text has which vector does not matter here.
    let contents =
        parents.iter().flat_map(|one| iter::once(&one.content).chain(one.children.iter().map(|child| &child.content)));
    let rows: Vec<(&str, Option<&[f32]>)> =
        contents.enumerate().map(|(at, text)| (text.as_str(), vectors.get(at).copied())).collect();
    let writing = show("writing, LanceDB alone", timed(|| write(&rows, model.embedding_config.dimension)));
    let without = show("kb ingest --no-embed", timed(|| ingest(set, &["--no-embed"])));
    let with = show("kb ingest", timed(|| ingest(set, &[])));
    let over = |seconds: f64, slowest: f64| (seconds / slowest - 1.0) * 100.0;
    println!("{:<34} {:>8.0} %", "overhead without vectors", over(without, reading.max(writing)));
    println!("{:<34} {:>8.0} %", "overhead", over(with, reading.max(embedding).max(writing)));
}

/// Reads and cuts files on several threads. Files that cannot be read are left out.
fn read_all(files: &[PathBuf], jobs: usize) -> Vec<Read> {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let reader = || {
            std::iter::from_fn(|| files.get(next.fetch_add(1, Ordering::Relaxed)))
                .filter_map(|file| read(file))
                .collect()
        };
        let readers: Vec<_> = (0..jobs).map(|_| scope.spawn(reader)).collect();
        readers
            .into_iter()
            .flat_map(|reader| reader.join().unwrap_or_else(|_| -> Vec<Read> { fail("a reader crashed") }))
            .collect()
    })
}

fn read(file: &Path) -> Option<Read> {
    let bytes = std::fs::read(file).ok()?;
    let document = parse(&bytes, Format::from_path(file)?, &LoadOptions::default()).ok()?;
    let source = file.display().to_string();
    let facts = SourceFacts { doc_id: DocId::of_source(&source, 0), source, ..SourceFacts::default() };
    let prepared = prepare(&document, &facts, &ChunkConfig::default(), &jiff::Timestamp::now().to_string());
    Some(Read { pages: prepared.new.document.pages.map_or(0, |pages| pages as usize), prepared })
}

/// The milliseconds that `pdftotext` takes; `None` if it is not installed.
fn timed_pdftotext(files: &[PathBuf], jobs: usize) -> Option<f64> {
    Command::new("pdftotext").arg("-v").output().ok()?;
    let next = AtomicUsize::new(0);
    Some(timed(|| {
        std::thread::scope(|scope| {
            for _ in 0..jobs {
                scope.spawn(|| {
                    while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                        // A file that it cannot read costs it little.
                        drop(Command::new("pdftotext").arg(file).arg("/dev/null").output());
                    }
                });
            }
        });
    }))
}

/// Writes texts and vectors into a table of their own.
fn write(rows: &[(&str, Option<&[f32]>)], dimension: usize) {
    let folder = scratch();
    let runtime = tokio::runtime::Runtime::new().unwrap_or_else(|error| fail(&error.to_string()));
    let written = runtime.block_on(async {
        let connection = lancedb::connect(&folder.path().to_string_lossy()).execute().await?;
        let mut batches = rows.chunks(ROWS).map(|rows| batch(rows, dimension));
        let Some(first) = batches.next() else { return Ok(()) };
        let table = connection.create_table("chunks", first).execute().await?;
        for batch in batches {
            table.add(batch).execute().await?;
        }
        Ok::<(), lancedb::Error>(())
    });
    written.unwrap_or_else(|error| fail(&format!("LanceDB: {error}")));
}

fn batch(rows: &[(&str, Option<&[f32]>)], dimension: usize) -> RecordBatch {
    let texts: StringArray = rows.iter().map(|(text, _)| Some(*text)).collect();
    let zeros = vec![0.0; dimension];
    let numbers = rows.iter().flat_map(|(_, vector)| vector.unwrap_or(&zeros)).copied();
    let numbers = Float32Array::from_iter_values(numbers);
    let item = Arc::new(Field::new("item", DataType::Float32, true));
    let present = NullBuffer::from_iter(rows.iter().map(|(_, vector)| vector.is_some()));
    let length = i32::try_from(dimension).unwrap_or_default();
    let vectors = FixedSizeListArray::new(item, length, Arc::new(numbers), Some(present));
    let columns: [(&str, ArrayRef, bool); 2] = [("text", Arc::new(texts), false), ("vector", Arc::new(vectors), true)];
    RecordBatch::try_from_iter_with_nullable(columns).unwrap_or_else(|error| fail(&error.to_string()))
}

/// Ingests a set into a new store.
fn ingest(set: &Set, flags: &[&str]) {
    let store = scratch();
    let folder = set.folder.canonicalize().unwrap_or_else(|error| fail(&format!("{}: {error}", set.folder.display())));
    let folder = folder.display().to_string();
    kb(store.path(), &[&["ingest", folder.as_str(), "--kb", ".kb"], flags].concat());
}
