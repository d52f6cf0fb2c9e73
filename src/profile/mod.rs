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
pub use shares::Share;

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
