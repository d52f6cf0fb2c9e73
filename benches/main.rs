//! What kb costs and how good its answers are, for `docs/measurements.md`. All measures are in one program, because
//! each program that is linked with optimisation takes half an hour.
//!
//! ```sh
//! cargo bench --bench measure -- MEASURE [OPTIONS]
//! ```

mod ablation;
mod flat;
mod ingest;
mod latency;
mod namespaces;
mod scale;
mod search;
mod sections;
mod structure;
mod synthetic;
mod worst_cases;

use clap::Parser;

use synthetic::stores;

#[derive(Parser)]
#[command(name = "measure")]
enum Measure {
    /// Measures what each part of the ranking contributes: nDCG@10 of variants, on sets in the BEIR layout.
    Ablation(ablation::Options),
    /// Whether work on a few things costs the same in small and large stores.
    Flat(stores::Options),
    /// How fast documents come in, beside what each step costs alone.
    Ingest(ingest::Options),
    /// How long each stage of a search takes in a warm process, in stores of 10,000 and 100,000 chunks.
    Latency(stores::Options),
    /// What one of many namespaces costs, and twenty of them at once.
    Namespaces(stores::Options),
    /// What stores of 10,000 to ten million chunks cost: making them, their size, and searches in fresh processes.
    Scale(stores::Options),
    /// How long a search takes in a fresh process, by stage, beside the start of a process that does nothing.
    Search(search::Options),
    /// Whether titles lead to their sections.
    Sections(sections::Options),
    /// How well PDFs are read: tables of contents found without their outlines, and speed.
    Structure(structure::Options),
    /// What hostile text costs: milliseconds per megabyte to read, cut and profile it, for three sizes of each case.
    WorstCases(worst_cases::Options),
}

fn main() {
    // `cargo bench` adds `--bench` to what was typed.
    match Measure::parse_from(std::env::args().filter(|argument| argument != "--bench")) {
        Measure::Ablation(options) => ablation::run(&options),
        Measure::Flat(options) => flat::run(&options),
        Measure::Ingest(options) => ingest::run(&options),
        Measure::Latency(options) => latency::run(&options),
        Measure::Namespaces(options) => namespaces::run(&options),
        Measure::Scale(options) => scale::run(&options),
        Measure::Search(options) => search::run(&options),
        Measure::Sections(options) => sections::run(&options),
        Measure::Structure(options) => structure::run(&options),
        Measure::WorstCases(options) => worst_cases::run(&options),
    }
}
