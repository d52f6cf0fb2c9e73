//! Words and grammar that indicate the purpose of a sentence, in English and Chinese.
//!
//! The word lists are in `english.toml` and `chinese.toml`. They are general language without subject words: each word
//! fits a pump's manual as well as a software library's.

pub(super) mod chinese;
mod cues;
pub(super) mod english;

use std::sync::LazyLock;

use cues::Lexicon;
pub(super) use cues::Strengths;

/// The upper limit of a strength.
const STRONGEST: f32 = 1.0;

/// How strongly the words of a sentence indicate each kind.
pub(super) fn strengths(sentence: &str) -> Strengths {
    static SENTENCES: LazyLock<Lexicon> =
        LazyLock::new(|| Lexicon::new(&english::LISTS.sentences, &chinese::LISTS.sentences));
    SENTENCES.sum(sentence).map(|strength| strength.min(STRONGEST))
}

/// The same for a title.
pub(super) fn title_strengths(title: &str) -> Strengths {
    static TITLES: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::new(&english::LISTS.titles, &chinese::LISTS.titles));
    TITLES.sum(title).map(|strength| strength.min(STRONGEST))
}
