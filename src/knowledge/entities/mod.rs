//! Entities (machines, contracts, people) and their states over time: takes a user's requests and gives changed rows.
//!
//! Promise: a request is carried out completely or not at all, and so is a batch. A name belongs to one entity, so a
//! mention is never ambiguous.

mod apply;
mod list;
mod requests;

pub use apply::{EntityOutcome, EntityPlan, Outcome, plan};
pub use list::{EntityFacts, ListedEntity, describe, find, list, nearest};
pub use requests::{EntityAction, EntityRequest, RequestTime, read_batch};
