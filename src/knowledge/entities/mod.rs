//! Entities (machines, contracts, people) and their states over time: orders of a person in, rows out.
//!
//! Promise: an order is carried out whole or not at all, and so is a batch. A name belongs to one entity, so a mention is
//! never ambiguous.

mod apply;
mod list;
mod orders;

pub use apply::{EntityOutcome, EntityPlan, Outcome, plan};
pub use list::{EntityFacts, ListedEntity, describe, list, nearest};
pub use orders::{EntityOrder, OrderTime, What, read_batch};
