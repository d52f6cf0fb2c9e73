//! The embedded model on tract. A process has one engine, so each engine has its own test program.

mod engines;

use kb::internals::embed::EngineChoice;

#[test]
fn tract_gives_the_reference_similarities() {
    engines::agrees_with_the_reference(&EngineChoice::Tract);
}

#[test]
fn batches_do_not_change_vectors_on_tract() {
    engines::alike::in_every_batch(&EngineChoice::Tract);
}
