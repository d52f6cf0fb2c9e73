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
fn a_question_has_the_same_vector_on_several_cores() {
    let on_all_cores = Embedder::load_for_questions(&EngineChoice::Tract, &Model::embedded()).unwrap();
    let questions = ["pump", "How is the pump started before the first winter?", "启动水泵之前先打开排气阀。"];
    for question in questions {
        let [all, one] = [&on_all_cores, &without_engine()].map(|embedder| embedder.embed_query(question).unwrap());
        assert_eq!(all, one, "{question}");
    }
}

#[test]
fn vectors_of_kb_itself_are_alike_in_every_batch_and_those_of_tract() {
    let own = engines::alike::in_every_batch(&without_engine());
    engines::alike::same("on tract", &own, &engines::alike::in_every_batch(&engines::on_engine(&EngineChoice::Tract)));
}
