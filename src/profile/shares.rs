//! What part of a document is of each kind.

use serde::{Deserialize, Serialize};

use super::kind::Kind;
use super::{PassageText, judge};

/// A kind with its part of the document.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// The kind.
    pub kind: Kind,
    /// From 0 to 1.
    pub share: f32,
}

/// The shares of the kinds among the characters of some passages, the largest first; those that there are not are left
/// out. They sum to 1, unless no passage has a character.
pub(super) fn shares(passages: &[PassageText]) -> Vec<Share> {
    let mut sizes = [0usize; Kind::ALL.len()];
    for passage in passages {
        let size = passage.text.chars().filter(|c| !c.is_whitespace()).count();
        sizes[judge(passage.title, passage.text).kind.place()] += size;
    }
    let all: usize = sizes.iter().sum();
    let mut shares: Vec<Share> = Kind::ALL
        .into_iter()
        .zip(sizes)
        .filter(|(_, size)| *size > 0)
        .map(|(kind, size)| Share { kind, share: size as f32 / all as f32 })
        .collect();
    shares.sort_by(|a, b| b.share.total_cmp(&a.share));
    shares
}

/// Shares in whole per cent, for people: they sum to 100 (largest remainders, after Hamilton), where rounding each for
/// itself may give 99 or 101.
pub fn in_percent(shares: &[Share]) -> Vec<String> {
    let exact: Vec<f32> = shares.iter().map(|share| share.share * 100.0).collect();
    let mut whole: Vec<usize> = exact.iter().map(|share| share.floor() as usize).collect();
    let all = exact.iter().sum::<f32>().round() as usize;
    let mut by_remainder: Vec<usize> = (0..shares.len()).collect();
    by_remainder.sort_by(|&a, &b| exact[b].fract().total_cmp(&exact[a].fract()));
    let missing = all.saturating_sub(whole.iter().sum());
    by_remainder.into_iter().take(missing).for_each(|at| whole[at] += 1);
    let tell = |(share, exact): (usize, f32)| match share {
        0 if exact > 0.0 => "<1 %".to_owned(),
        100 if exact < 100.0 => ">99 %".to_owned(),
        share => format!("{share} %"),
    };
    whole.into_iter().zip(exact).map(tell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn per_cents_sum_to_a_hundred() {
        let told = |shares: &[f32]| {
            let shares: Vec<Share> = shares.iter().map(|&share| Share { kind: Kind::Theory, share }).collect();
            in_percent(&shares).join(" ")
        };
        assert_eq!(told(&[0.675, 0.325]), "68 % 32 %");
        assert_eq!(told(&[1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0]), "34 % 33 % 33 %");
        assert_eq!(told(&[0.998, 0.002]), ">99 % <1 %");
        assert_eq!((told(&[1.0]).as_str(), told(&[]).as_str()), ("100 %", ""));
    }

    #[test]
    fn characters_count_and_not_passages() {
        let rule = "Members must not smoke. Members must pay. Members must not shout in the hall. It is prohibited.";
        let passages = [("", rule), ("", rule), ("", "Open it.")].map(|(title, text)| PassageText { title, text });
        let shares = shares(&passages);
        assert_eq!(shares[0].kind, Kind::Policy);
        assert_eq!(shares[1].kind, Kind::Procedure);
        assert!(shares[0].share > 0.9 && shares[1].share < 0.1, "{shares:?}");
    }

    proptest! {
        #[test]
        fn shares_sum_to_one(texts in proptest::collection::vec("(\\PC|\n){0,80}", 0..8)) {
            let passages: Vec<PassageText> =
                texts.iter().map(|text| PassageText { title: "", text }).collect();
            let shares = shares(&passages);
            let sum: f32 = shares.iter().map(|share| share.share).sum();
            prop_assert_eq!(shares.is_empty(), texts.iter().all(|text| text.trim().is_empty()));
            prop_assert!(shares.is_empty() || (sum - 1.0).abs() < 1e-5, "{:?}", shares);
        }
    }
}
