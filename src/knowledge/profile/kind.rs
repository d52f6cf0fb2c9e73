//! The kinds of knowledge that a parent chunk can be, and their shares in a document.

use serde::{Deserialize, Serialize};

/// The purpose of a parent chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// What to do, step by step.
    Procedure,
    /// What something is and why it is so.
    Theory,
    /// Values, parameters, tables to look up.
    Reference,
    /// Faults and their remedies.
    Troubleshooting,
    /// What is required, allowed and forbidden.
    Policy,
    /// A case, a listing, a worked problem.
    Example,
    /// What happened.
    Narrative,
}

impl Kind {
    /// All kinds. Of two with equal scores, the first counts.
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

    /// The index in [`ALL`](Self::ALL).
    pub(super) fn place(self) -> usize {
        self as usize
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

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Share {
    pub kind: Kind,
    /// From 0 to 1.
    pub share: f32,
}

/// Shares in whole per cent, for people. They sum to 100 (largest remainders, after Hamilton), where rounding each
/// alone may give 99 or 101.
pub fn in_percent(shares: &[Share]) -> Vec<String> {
    let exact: Vec<f32> = shares.iter().map(|share| share.share * 100.0).collect();
    let mut whole: Vec<usize> = exact.iter().map(|share| share.floor() as usize).collect();
    let all = exact.iter().sum::<f32>().round() as usize;
    let mut by_remainder: Vec<usize> = (0..shares.len()).collect();
    by_remainder.sort_by(|&a, &b| exact[b].fract().total_cmp(&exact[a].fract()));
    let missing = all.saturating_sub(whole.iter().sum());
    by_remainder.into_iter().take(missing).for_each(|at| whole[at] += 1);
    let shown = |(share, exact): (usize, f32)| match share {
        0 if exact > 0.0 => "<1 %".to_owned(),
        100 if exact < 100.0 => ">99 %".to_owned(),
        share => format!("{share} %"),
    };
    whole.into_iter().zip(exact).map(shown).collect()
}
