//! The kinds of knowledge that a parent chunk can be.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The purpose of a parent chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// What to do, step by step.
    Procedure,
    /// What something is and why it is so.
    Theory,
    /// Values, parameters, tables: what one looks up.
    Reference,
    /// What is wrong and what helps.
    Troubleshooting,
    /// What must be, may be and must not be.
    Policy,
    /// A case, a listing, a worked problem.
    Example,
    /// What happened.
    Narrative,
}

impl Kind {
    /// All of them; of two that are equally likely, the first counts.
    pub const ALL: [Kind; 7] = [
        Kind::Procedure,
        Kind::Theory,
        Kind::Reference,
        Kind::Troubleshooting,
        Kind::Policy,
        Kind::Example,
        Kind::Narrative,
    ];

    /// The name in output and in the store.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Procedure => "procedure",
            Kind::Theory => "theory",
            Kind::Reference => "reference",
            Kind::Troubleshooting => "troubleshooting",
            Kind::Policy => "policy",
            Kind::Example => "example",
            Kind::Narrative => "narrative",
        }
    }

    /// Its place in [`ALL`](Self::ALL).
    pub(super) fn place(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_in_the_list() {
        for (place, kind) in Kind::ALL.into_iter().enumerate() {
            assert_eq!(kind.place(), place);
            assert_eq!(serde_json::to_string(&kind).unwrap(), format!("\"{}\"", kind.name()));
        }
    }
}
