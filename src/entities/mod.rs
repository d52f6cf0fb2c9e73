//! Entities and their states over time: what a person says of them in, rows out. Pure, but for [`read_batch`], which
//! reads lines from whatever it is given.
//!
//! Promise: an order is carried out whole or not at all, and so is a batch of them. A name belongs to one entity, so
//! that whoever is mentioned is never a matter of chance.

mod apply;
mod batch;
mod list;
mod order;

pub use apply::{EntityOutcome, EntityPlan, Outcome, plan};
pub use batch::read_batch;
pub use list::{EntityFacts, EntityMention, ListedEntity, describe, list, nearest};
pub use order::{EntityOrder, What};
