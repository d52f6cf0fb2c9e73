//! Words that tell what a sentence is for, in English and Chinese, and the grammar that does.
//!
//! The lists are general language and name no subject: what a pump's manual and a library's have in common.

pub(super) mod chinese;
pub(super) mod english;
mod lexicon;

use super::kind::Kind;
use lexicon::Lexicon;

/// What a list of words says: of which kind they speak, how strongly, and the words and phrases ([`listed`]).
pub(super) type Cues = (Kind, f32, &'static str);

/// The words and phrases of a list, which stand between commas.
fn listed(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.split([',', '、']).map(str::trim)
}

/// What a sentence says of each kind, in the order of [`Kind::ALL`].
pub(super) type Strengths = [f32; Kind::ALL.len()];

/// A sentence speaks for a kind no more strongly than this.
const STRONGEST: f32 = 1.0;

/// How strongly a sentence speaks for each kind by its words.
pub(super) fn strengths(sentence: &str) -> Strengths {
    bounded(Lexicon::of_sentences(), sentence)
}

/// The same for a title.
pub(super) fn title_strengths(title: &str) -> Strengths {
    bounded(Lexicon::of_titles(), title)
}

fn bounded(lexicon: &Lexicon, text: &str) -> Strengths {
    lexicon.sum(text).map(|strength| strength.min(STRONGEST))
}
