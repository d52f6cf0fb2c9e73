//! The embedded model on tract, and without an engine. A process has one engine, so each engine has its own test
//! program.

// A failing helper ends the test, as it should.
#![allow(clippy::unwrap_used)]

mod engines;

use kb::internals::embed::{Embedder, EngineChoice, Model};

#[test]
fn tract_gives_the_reference_similarities() {
    engines::agrees_with_the_reference(&engines::on_engine(&EngineChoice::Tract));
}

/// The embedded model as kb computes it.
fn without_engine() -> Embedder {
    Embedder::load(&EngineChoice::Tract, &Model::embedded(), 2).unwrap()
}

#[test]
fn kb_itself_gives_the_reference_similarities() {
    engines::agrees_with_the_reference(&without_engine());
}

#[test]
fn vectors_of_kb_itself_are_alike_in_every_batch_and_those_of_tract() {
    let own = engines::alike::in_every_batch(&without_engine());
    engines::alike::same("on tract", &own, &engines::alike::in_every_batch(&engines::on_engine(&EngineChoice::Tract)));
}
