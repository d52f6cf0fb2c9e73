//! What a document is: of which kinds its passages are, what it is about, what it is good for. Pure functions, no
//! model: the same text has the same profile everywhere, and every judgement can say what it rests on.

mod good_for;
mod judge;
mod kind;
mod lines;
mod paragraph;
mod shares;
mod signs;
mod topics;

use serde::{Deserialize, Serialize};

pub use judge::{Judgement, Sign, judge};
pub use kind::Kind;
pub use shares::{Share, in_percent};

/// What makes profiles. A document whose profile an older one made gets another.
pub const PROFILE_VERSION: u32 = 1;

/// What a document is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// What made it.
    pub version: u32,
    /// The kinds of its passages, each with its part of the text, from 0 to 1, the largest first.
    pub kinds: Vec<Share>,
    /// What it is about, the most telling first.
    pub topics: Vec<String>,
    /// All of this in a paragraph, in the language of the document.
    pub summary: String,
}

/// A passage, and the title of the section it is in.
#[derive(Debug, Clone, Copy)]
pub struct PassageText<'a> {
    /// The title.
    pub title: &'a str,
    /// The passage.
    pub text: &'a str,
}

/// A title, and how much text stands under it.
#[derive(Debug, Clone, Copy)]
pub struct TitleText<'a> {
    /// The title.
    pub title: &'a str,
    /// How deep it is, from 1.
    pub level: u32,
    /// The bytes of the text under it, those of its subsections included.
    pub bytes: usize,
}

/// The profile of a document; `language` is BCP 47. `None` where no passage has a character.
pub fn profile(title: &str, language: &str, titles: &[TitleText], passages: &[PassageText]) -> Option<Profile> {
    let kinds = shares::shares(passages);
    if kinds.is_empty() {
        return None;
    }
    let topics = topics::topics(title, titles, passages);
    let summary = paragraph::paragraph(language, &kinds, &topics);
    Some(Profile { version: PROFILE_VERSION, kinds, topics, summary })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `cargo test --lib -- --ignored a_thousand_pages --nocapture` says how long it takes.
    #[test]
    #[ignore = "it measures"]
    fn a_thousand_pages() {
        let labelled = include_str!("../../fixtures/profile/passages.jsonl");
        let rows: Vec<serde_json::Value> = labelled.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let text = |row: &'static serde_json::Value, name: &str| row[name].as_str().unwrap_or_default();
        let rows: &'static Vec<serde_json::Value> = Box::leak(Box::new(rows));
        let all = || rows.iter().cycle().take(6_000);
        let passages: Vec<PassageText> =
            all().map(|row| PassageText { title: text(row, "title"), text: text(row, "text") }).collect();
        let titles: Vec<TitleText> =
            all().step_by(6).map(|row| TitleText { title: text(row, "title"), level: 2, bytes: 2_000 }).collect();
        let bytes: usize = passages.iter().map(|passage| passage.text.len()).sum();
        let start = std::time::Instant::now();
        let profile = profile("Everything", "en", &titles, &passages).unwrap();
        println!("{bytes} bytes in {} passages: {:?}\n{}", passages.len(), start.elapsed(), profile.summary);
    }

    #[test]
    fn a_profile_is_always_the_same_and_nothing_has_none() {
        let passages = [PassageText { title: "Pumps", text: "Open the valve. Close the pump. Pumps and valves." }];
        let titles =
            [TitleText { title: "Pumps", level: 1, bytes: 50 }, TitleText { title: "Valves", level: 1, bytes: 50 }];
        let first = profile("Manual", "en", &titles, &passages);
        assert!((0..20).all(|_| profile("Manual", "en", &titles, &passages) == first));
        assert_eq!(first.unwrap().version, PROFILE_VERSION);
        assert_eq!(profile("Manual", "en", &titles, &[]), None);
        assert_eq!(profile("", "und", &[], &[PassageText { title: "", text: " \n" }]), None);
    }

    #[test]
    fn hostile_text_costs_no_more_than_its_length() {
        let line = "(".repeat(100_000);
        let han = "泵".repeat(100_000);
        for text in
            [line.as_str(), han.as_str(), &"a.".repeat(50_000), &"- \n".repeat(30_000), &"1.1.1.".repeat(20_000)]
        {
            let profile = profile("", "en", &[], &[PassageText { title: "", text }]).unwrap();
            assert!((profile.kinds[0].share - 1.0).abs() < 1e-6);
        }
    }
}
