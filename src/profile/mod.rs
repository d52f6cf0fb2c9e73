//! What a document is: of which kinds its passages are, what it is about, what it is good for. Pure functions, no
//! model: the same text has the same profile everywhere, and every judgement can say what it rests on.

mod judge;
mod kind;
mod lines;
mod signs;

pub use judge::{Judgement, Sign, judge};
pub use kind::Kind;
