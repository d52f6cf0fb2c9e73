//! The embedded model on tract. A process has one engine, so each has a test program of its own.

mod engines;

use kb::embed::EngineChoice;

#[test]
fn tract_gives_the_reference_similarities() {
    engines::agrees_with_the_reference(&EngineChoice::Tract);
}

#[test]
fn tract_gives_what_networks_are_defined_to_give() {
    engines::weights::agree_with_the_definition(&EngineChoice::Tract);
}

#[test]
fn batches_make_no_difference_on_tract() {
    engines::alike::in_every_batch(&EngineChoice::Tract);
}
