//! Knowledge about documents: their profiles, the names that they define, and the entities that users keep. Pure
//! functions over text and rows.

pub mod entities;
pub mod names;
pub mod profile;
