//! How long each stage of a search takes in a warm process, in stores of 10,000 and 100,000 chunks.
//!
//! ```sh
//! cargo bench --bench measure -- latency --chunks 10000,100000 --runs 60
//! ```
//!
//! Documents and stores are made up (`synthetic`); the questions use their words, English and Chinese in turn. Each is
//! asked in every mode, through the library, in one process that has answered a question already. A stage's figure is
//! the median over the questions; "after recall" is the median of the sums of the stages that follow recall. `--keep
//! DIR` keeps the stores there and uses them again. The engine is tract, unless `KB_ONNXRUNTIME` names a library.

use std::path::{Path, PathBuf};

use crate::synthetic::Random;
use crate::synthetic::stores::{CHUNKS, Options, fail, make};
use kb::internals::embed::EngineChoice;
use kb::internals::models::Models;
use kb::internals::search::{Encoder, Method, Mode, SearchRequest, Searcher, Shape, Target, Trace};
use kb::internals::store::Store;
use kb::{Error, Result};

pub fn run(options: &Options) {
    for &chunks in &options.chunks {
        measure(&options.folder(chunks), chunks, options.runs(60)).unwrap_or_else(|error| fail(&error.to_line()));
    }
}

/// Makes a store of this many chunks, unless it exists, and searches it.
fn measure(folder: &Path, chunks: usize, questions: usize) -> Result<()> {
    make(folder, chunks / CHUNKS)?;
    let runtime = tokio::runtime::Runtime::new()?;
    let (store, _) = Store::open_or_create(None, folder)?;
    let library = std::env::var_os("KB_ONNXRUNTIME").map(PathBuf::from);
    let searcher = Searcher::new(
        store.namespace("default")?,
        Encoder::new(EngineChoice::parse(library.as_deref()), Models::open("")),
    );
    println!("\n## {chunks} chunks, {questions} questions, milliseconds (median, nine of ten)");
    let mut random = Random::of(7);
    for (name, template) in variants() {
        let mut runs: Vec<Trace> = Vec::with_capacity(questions);
        // The first question opens what the others reuse.
        for number in 0..=questions {
            let request = SearchRequest { query: question(&mut random, number % 2 == 1), ..template.clone() };
            let trace = runtime.block_on(searcher.search(&request))?.trace;
            if number > 0 {
                runs.push(trace);
            }
        }
        report(name, &runs)?;
    }
    Ok(())
}

/// Every mode, and the options that make a search read more.
fn variants() -> Vec<(&'static str, SearchRequest)> {
    let request = SearchRequest { method: Method::Hybrid, ..SearchRequest::new("") };
    let shaped = |shape: Shape, pool: usize| SearchRequest { shape, pool, ..request.clone() };
    let mode = |mode: Mode| shaped(Shape { mode, ..Shape::default() }, mode.pool());
    vec![
        ("precise", request.clone()),
        ("keywords alone", SearchRequest { method: Method::Keyword, ..request.clone() }),
        ("broad", mode(Mode::Broad)),
        ("section", mode(Mode::Section)),
        ("drill", mode(Mode::Drill)),
        ("--in sections", shaped(Shape { target: Target::Sections, ..Shape::default() }, request.pool)),
        ("--children 3 --context 1", shaped(Shape { children: 3, context: 1, ..Shape::default() }, request.pool)),
    ]
}

/// Four words that are in the documents.
fn question(random: &mut Random, chinese: bool) -> String {
    if chinese { (0..6).map(|_| random.ideograph()).collect() } else { format!("how does {} work", random.words(4)) }
}

/// Milliseconds of the stages that follow recall; `None` if nothing was recalled.
fn after_recall(trace: &Trace) -> Option<f64> {
    const RECALL: [&str; 4] = ["keyword", "semantic", "by_documents", "keyword_rest"];
    let last = trace.stages.iter().rposition(|stage| RECALL.contains(&stage.name.as_str()))?;
    Some(trace.stages[last + 1..].iter().map(|stage| stage.milliseconds).sum())
}

fn report(name: &str, runs: &[Trace]) -> Result<()> {
    let mut order: Vec<&str> = Vec::new();
    for stage in runs.iter().flat_map(|run| &run.stages) {
        if !order.contains(&stage.name.as_str()) {
            order.push(&stage.name);
        }
    }
    println!("\n{name}");
    for stage in order {
        let of = |run: &Trace| -> f64 {
            run.stages.iter().filter(|one| one.name == stage).map(|one| one.milliseconds).sum()
        };
        line(stage, runs.iter().map(of).collect());
    }
    let after: Option<Vec<f64>> = runs.iter().map(after_recall).collect();
    line("= after recall", after.ok_or_else(|| Error::failed("a search had no stage of recall"))?);
    line("= all", runs.iter().map(|run| run.stages.iter().map(|stage| stage.milliseconds).sum()).collect());
    Ok(())
}

fn line(what: &str, mut times: Vec<f64>) {
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times.get((times.len() as f64 * share) as usize).copied().unwrap_or(0.0);
    println!("    {what:<24} {:>8.2} {:>8.2}", at(0.5), at(0.9));
}
