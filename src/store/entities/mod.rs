//! Entities: things that documents speak of, with names, a type and states over time.
//!
//! They are a table of the generation like the others, so that what is published, crashed, restored or removed takes
//! them along. A row is a whole entity, with all its states. It also counts the passages of each document that mention
//! it. Those counts are made in the same publication as the passages and names they follow from ([`mentions`]), so
//! that they are never of another generation; `kb check` counts again.

mod mentions;
mod rows;
mod table;
#[cfg(test)]
mod tests;

pub(super) use mentions::MentionCounter;
pub use rows::{EntityChange, EntityRow, EntityState};
pub(super) use table::entities_schema;
