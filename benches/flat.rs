//! Whether work on a few things costs the same in small and large stores.
//!
//! ```sh
//! cargo bench --bench measure -- flat --chunks 10000,100000,1000000 --keep DIR
//! ```
//!
//! Documents and vectors are made up (`synthetic`). Commands run in fresh processes; the best of the runs counts,
//! because other work on the machine only makes them slower. The last column divides the figure of the largest store by
//! that of the smallest: about 1 is flat. What reads a whole store is run once, and shown for each thousand chunks.
//! Every change is undone, so that a kept store can be measured again.

use std::collections::HashSet;
use std::path::Path;

use crate::synthetic::stores::{CHILDREN, CHUNKS, Options, fail, kb, make, source, timed};
use crate::synthetic::{Random, document};
use kb::Result;
use kb::internals::ids::DocId;
use kb::internals::store::{Change, DocumentRow, LockTimeout, Snapshot, Store, Writer};

/// Texts that are looked up at once, about as many as an ingest publishes at once.
const TEXTS: usize = 4096;
/// Documents that are damaged and mended.
const DAMAGED: usize = 500;
/// How often a repair reads everything.
const SURVEYS: f64 = 3.0;

/// The milliseconds of a kind of work.
struct Row {
    what: &'static str,
    best: f64,
}

pub fn run(options: &Options) {
    let mut sizes: Vec<Vec<Row>> = Vec::new();
    for &chunks in &options.chunks {
        let folder = options.folder(chunks);
        sizes.push(measure(&folder, chunks / CHUNKS, options.runs(5)).unwrap_or_else(|error| fail(&error.to_line())));
    }
    let Some((first, last)) = sizes.first().zip(sizes.last()) else { fail("no sizes") };
    let columns = |each: &mut dyn Iterator<Item = String>| each.map(|text| format!("{text:>12}")).collect::<String>();
    println!("{:<56}{}       ratio", "milliseconds", columns(&mut options.chunks.iter().map(usize::to_string)));
    for (at, row) in first.iter().enumerate() {
        let figures = columns(&mut sizes.iter().map(|rows| format!("{:.1}", rows[at].best)));
        println!("{:<56}{figures}{:>12.2}", row.what, last[at].best / row.best.max(f64::MIN_POSITIVE));
    }
}

fn measure(folder: &Path, documents: usize, runs: usize) -> Result<Vec<Row>> {
    make(folder, documents)?;
    // Otherwise the first change would pay for a compaction, and its undo would bring the small files back.
    kb(folder, &["optimize"]);
    let mut rows = reading(folder, documents, runs);
    rows.extend(changing(folder, documents, runs));
    rows.push(tokio::runtime::Runtime::new()?.block_on(known_texts(folder, runs))?);
    rows.extend(whole(folder, documents)?);
    Ok(rows)
}

/// Commands that read a little.
fn reading(folder: &Path, documents: usize, runs: usize) -> Vec<Row> {
    let some = source(documents / 2);
    let mut random = Random::of(7);
    let mut row = |what, args: &[&str]| {
        let times = (0..runs).map(|_| {
            let question = format!("how does {} work", random.words(4));
            let args: Vec<&str> = args.iter().map(|arg| if *arg == "QUESTION" { &question } else { *arg }).collect();
            timed(|| kb(folder, &args))
        });
        Row { what, best: best(times.collect()) }
    };
    let keyword = ["search", "QUESTION", "--method", "keyword"];
    vec![
        row("search --method keyword", &keyword),
        row("search --mode section", &[&keyword[..], &["--mode", "section"]].concat()),
        row("search --mode drill", &[&keyword[..], &["--mode", "drill"]].concat()),
        row("search --filter, 1,000 documents", &["search", "QUESTION", "--filter", "path = docs/000"]),
        row("search", &["search", "QUESTION"]),
        row("chunks-list --limit 20", &["chunks-list", "--limit", "20"]),
        row("chunks-list --doc DOC", &["chunks-list", "--doc", &some]),
    ]
}

/// Changes of one document, each undone.
fn changing(folder: &Path, documents: usize, runs: usize) -> Vec<Row> {
    let mut times: [Vec<f64>; 10] = Default::default();
    let mut take = |place: usize, args: &[&str]| times[place].push(timed(|| kb(folder, args)));
    let write = |source: &str, text: &str| {
        let path = folder.join(source);
        let made = path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(&path, text));
        made.unwrap_or_else(|error| fail(&format!("{}: {error}", path.display())));
    };
    for run in 0..runs {
        let number = documents / (runs + 1) * (run + 1);
        let (own, text) = (source(number), document(number, CHILDREN));
        let before = generation(folder);
        write(&own, &format!("{text}\n## Added\n\nRun {run} has added this.\n"));
        take(0, &["ingest", &own, "--no-embed"]);
        take(1, &["search", "added this", "--method", "keyword"]);
        take(2, &["search", "what was added here"]);
        take(3, &["diff", &before, "--stat"]);
        take(4, &["undo"]);
        // The file of a document whose old file does not exist has moved.
        drop(std::fs::remove_file(folder.join(&own)));
        let moved = format!("moved/{number}.md");
        write(&moved, &text);
        take(5, &["ingest", &moved, "--no-embed"]);
        kb(folder, &["undo"]);
        drop(std::fs::remove_file(folder.join(&moved)));
        let list = kb(folder, &["chunks-list", "--doc", &own, "--limit", "2", "--format", "paths"]);
        let child = list.lines().last().unwrap_or_default();
        take(6, &["chunk-edit", child, "--content", &format!("The valve was closed in run {run}.")]);
        kb(folder, &["undo"]);
        take(7, &["entity-set", "Ka Lor", "--state", &format!("seen in run {run}")]);
        take(8, &["entity-set", "Ka Lor", "--state", &format!("seen again in run {run}")]);
        take(9, &["entity-set", "Ka Lor", "--remove"]);
    }
    let what = [
        "ingest, one changed file",
        "  the next search --method keyword",
        "  the next search",
        "  diff",
        "  undo",
        "ingest, one moved file",
        "chunk-edit",
        "entity-set, a new name (counts in all text)",
        "entity-set, a state",
        "entity-set --remove",
    ];
    what.into_iter().zip(times).map(|(what, times)| Row { what, best: best(times) }).collect()
}

/// The number of the published generation.
fn generation(folder: &Path) -> String {
    let log: serde_json::Value =
        serde_json::from_str(&kb(folder, &["log", "--limit", "1", "--format", "json"])).unwrap_or_default();
    log["items"][0]["generation"].to_string()
}

/// Commands that read everything, for each thousand chunks, and the mending of a damaged document beside that.
fn whole(folder: &Path, documents: usize) -> Result<Vec<Row>> {
    let thousands = (documents * CHUNKS) as f64 / 1000.0;
    let check = timed(|| kb(folder, &["check"]));
    let reading = timed(|| kb(folder, &["reindex", "--vectors", "--force", "--dry-run"]));
    tokio::runtime::Runtime::new()?.block_on(damage(folder))?;
    let repair = timed(|| kb(folder, &["check", "--repair"]));
    Ok(vec![
        Row { what: "check, 1,000 chunks", best: check / thousands },
        Row { what: "reindex --vectors, reading 1,000 chunks", best: reading / thousands },
        Row { what: "check --repair, a document", best: (repair - SURVEYS * check) / DAMAGED as f64 },
    ])
}

/// Publishes wrong counts of some documents.
async fn damage(folder: &Path) -> Result<()> {
    let namespace = Store::open_or_create(None, folder)?.0.namespace("default")?;
    let snapshot = Snapshot::open(&namespace).await?;
    let rows = snapshot.documents_by_id(&some_documents(&snapshot, DAMAGED).await?).await?.into_iter();
    let update = rows.map(|row| DocumentRow { children: row.children + 1, ..row }).collect();
    drop(snapshot);
    let mut writer = Writer::open_existing(&namespace, &LockTimeout::none()).await?;
    writer.publish(&Change { update, ..Change::default() }).await.map(drop)
}

/// Looks up the vectors of a batch of texts that are in the store.
async fn known_texts(folder: &Path, runs: usize) -> Result<Row> {
    let namespace = Store::open_or_create(None, folder)?.0.namespace("default")?;
    let snapshot = Snapshot::open(&namespace).await?;
    let ids = some_documents(&snapshot, TEXTS / CHUNKS).await?;
    let parents: Vec<_> = snapshot.parents_of_each(&ids).await?.into_values().flatten().collect();
    let writer = Writer::open_existing(&namespace, &LockTimeout::none()).await?;
    let mut times = Vec::new();
    for _ in 0..runs {
        let hashes: HashSet<&str> = parents.iter().flat_map(|parent| parent.hashes()).collect();
        let start = std::time::Instant::now();
        let found = writer.vectors_of_texts(hashes).await?;
        times.push(start.elapsed().as_secs_f64() * 1000.0);
        assert!(!found.is_empty(), "the texts are in the store");
    }
    Ok(Row { what: "look-up of 4,096 texts in an ingest", best: best(times) })
}

/// Documents from all parts of the store.
async fn some_documents(snapshot: &Snapshot, wanted: usize) -> Result<Vec<DocId>> {
    let names = snapshot.all_document_names().await?;
    Ok(names.iter().step_by((names.len() / wanted).max(1)).take(wanted).map(|name| name.doc_id.clone()).collect())
}

fn best(times: Vec<f64>) -> f64 {
    times.into_iter().fold(f64::INFINITY, f64::min)
}
