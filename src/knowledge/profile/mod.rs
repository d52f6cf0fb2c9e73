//! The profile of a document: the kinds of its parent chunks, its topics and its use. Pure functions without a model:
//! the same text has the same profile everywhere.

mod classify;
pub(crate) mod kind;
mod lines;
mod summary;
mod topics;
mod words;

use serde::{Deserialize, Serialize};

pub use classify::classify;
pub use kind::{Kind, Share, in_percent};
pub use topics::{ParentChunkText, TitleText};

/// The version of the rules. A profile of an older version is replaced.
pub const PROFILE_VERSION: u32 = 1;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// The version of the rules that made it.
    pub version: u32,
    /// The kinds of its parent chunks with their shares of the text, largest first.
    pub kinds: Vec<Share>,
    /// The most significant first.
    pub topics: Vec<String>,
    /// Kinds, topics and use in a paragraph, in the language of the document.
    pub summary: String,
    /// Whether a language model wrote topics and summary.
    #[serde(default)]
    pub by_model: bool,
}

impl Profile {
    /// The text that is indexed; `None` for a profile by rules: its topics are in the text already, and the other words
    /// of its summary are in every summary.
    pub fn indexed(&self) -> Option<String> {
        self.by_model.then(|| format!("{} {}", self.summary, self.topics.join("; ")))
    }
}

/// The profile of a document. `language` is BCP 47. `None` if all parent chunks are empty.
pub fn profile(
    title: &str,
    language: &str,
    titles: &[TitleText],
    parent_chunks: &[ParentChunkText],
) -> Option<Profile> {
    let kinds = shares(parent_chunks);
    if kinds.is_empty() {
        return None;
    }
    let topics = topics::topics(title, titles, parent_chunks);
    let summary = summary::summary(language, &kinds, &topics);
    Some(Profile { version: PROFILE_VERSION, kinds, topics, summary, by_model: false })
}

/// The shares of the kinds among the characters of parent chunks, largest first, without zero shares. They sum to 1;
/// empty if all parent chunks are.
fn shares(parent_chunks: &[ParentChunkText]) -> Vec<Share> {
    let mut sizes = [0usize; Kind::ALL.len()];
    for parent_chunk in parent_chunks {
        let size = parent_chunk.text.chars().filter(|c| !c.is_whitespace()).count();
        sizes[classify(parent_chunk.title, parent_chunk.text).place()] += size;
    }
    let all: usize = sizes.iter().sum();
    let kinds = Kind::ALL.into_iter().zip(sizes).filter(|(_, size)| *size > 0);
    let mut shares: Vec<Share> = kinds.map(|(kind, size)| Share { kind, share: size as f32 / all as f32 }).collect();
    shares.sort_by(|a, b| b.share.total_cmp(&a.share));
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_profile_is_always_the_same_and_an_empty_text_has_none() {
        let parent_chunks =
            [ParentChunkText { title: "Pumps", text: "Open the valve. Close the pump. Pumps and valves." }];
        let titles =
            [TitleText { title: "Pumps", level: 1, bytes: 50 }, TitleText { title: "Valves", level: 1, bytes: 50 }];
        let first = profile("Manual", "en", &titles, &parent_chunks);
        assert!((0..20).all(|_| profile("Manual", "en", &titles, &parent_chunks) == first));
        assert_eq!(first.unwrap().version, PROFILE_VERSION);
        assert_eq!(profile("Manual", "en", &titles, &[]), None);
        assert_eq!(profile("", "und", &[], &[ParentChunkText { title: "", text: " \n" }]), None);
    }

    #[test]
    fn hostile_text_costs_no_more_than_its_length() {
        let line = "(".repeat(100_000);
        let han = "泵".repeat(100_000);
        for text in
            [line.as_str(), han.as_str(), &"a.".repeat(50_000), &"- \n".repeat(30_000), &"1.1.1.".repeat(20_000)]
        {
            let profile = profile("", "en", &[], &[ParentChunkText { title: "", text }]).unwrap();
            assert!((profile.kinds[0].share - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn per_cents_sum_to_a_hundred() {
        let shown = |shares: &[f32]| {
            let shares: Vec<Share> = shares.iter().map(|&share| Share { kind: Kind::Theory, share }).collect();
            in_percent(&shares).join(" ")
        };
        assert_eq!(shown(&[0.675, 0.325]), "68 % 32 %");
        assert_eq!(shown(&[1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0]), "34 % 33 % 33 %");
        assert_eq!(shown(&[0.998, 0.002]), ">99 % <1 %");
        assert_eq!((shown(&[1.0]).as_str(), shown(&[]).as_str()), ("100 %", ""));
    }

    #[test]
    fn shares_are_of_characters_not_of_chunks() {
        let rule = "Members must not smoke. Members must pay. Members must not shout in the hall. It is prohibited.";
        let parent_chunks =
            [("", rule), ("", rule), ("", "Open it.")].map(|(title, text)| ParentChunkText { title, text });
        let shares = shares(&parent_chunks);
        assert_eq!(shares[0].kind, Kind::Policy);
        assert_eq!(shares[1].kind, Kind::Procedure);
        assert!(shares[0].share > 0.9 && shares[1].share < 0.1, "{shares:?}");
    }

    proptest! {
        #[test]
        fn shares_sum_to_one(texts in proptest::collection::vec("(\\PC|\n){0,80}", 0..8)) {
            let parent_chunks: Vec<ParentChunkText> =
                texts.iter().map(|text| ParentChunkText { title: "", text }).collect();
            let shares = shares(&parent_chunks);
            let sum: f32 = shares.iter().map(|share| share.share).sum();
            prop_assert_eq!(shares.is_empty(), texts.iter().all(|text| text.trim().is_empty()));
            prop_assert!(shares.is_empty() || (sum - 1.0).abs() < 1e-5, "{:?}", shares);
        }
    }
}
