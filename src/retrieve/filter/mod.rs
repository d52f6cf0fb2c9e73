//! Which documents and passages may be found at all: what a filter or a span of time lets through, decided before
//! anything is recalled, so that a place among the best is never spent on what would be taken out later.
//!
//! A filter is parsed ([`parse`]) to what was said ([`syntax`]), made ready for comparing ([`check`]) and decided on
//! what the store knows of documents ([`facts`]). Where that does not settle it, passages are read too, without their
//! text. What comes out is a [`Scope`](crate::store::Scope) for each namespace ([`scope`]).

mod check;
mod decay;
mod facts;
mod keys;
mod mentions;
mod parse;
mod scope;
mod syntax;
mod tokens;
mod values;

pub use parse::LONGEST_FILTER;
pub use scope::{documents_within, scope_within};
pub use syntax::{Comparison, Filter, Relation, Test};

pub(super) use decay::decay;
pub(super) use facts::Facts;
pub(super) use scope::scopes;

use jiff::Timestamp;

use crate::text::Period;

/// What a search or a list is restricted to. What is `None` lets everything through.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Restriction {
    /// Documents and passages of which this holds.
    pub filter: Option<Filter>,
    /// Documents from before the beginning of this.
    pub before: Option<Period>,
    /// Documents from the beginning of this on.
    pub after: Option<Period>,
    /// Documents that were there at the end of this: nothing later.
    pub as_of: Option<Period>,
}

impl Restriction {
    /// Whether it lets everything through.
    pub fn is_empty(&self) -> bool {
        *self == Restriction::default()
    }

    /// The moment that ages are counted to.
    pub(super) fn seen_from(&self, now: Timestamp) -> Timestamp {
        self.as_of.map_or(now, |period| period.end.min(now))
    }
}
