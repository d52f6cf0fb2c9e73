//! What a table sees of a text: which pieces it has and how often, which is the first and which the last, and how long
//! it is.
//!
//! A text of n pieces has each of them with n^-0.75, which lies between their mean, which makes a word of a long text
//! count as much as all of a short one, and their sum by its root. The first and the last piece have a row of their own
//! beside the common one: they tell a question from a title. What remains is the same in every text.

use super::pieces::{Pieces, Vocabulary};

/// Texts are read as far as this many pieces.
const MOST_PIECES: usize = 256;
/// How fast the weight of a piece falls with the number of pieces.
const BY_LENGTH: f32 = 0.75;

/// What a text is made of: rows of a table with weights, by their numbers.
pub(super) type Features = Vec<(u32, f32)>;

/// The features of a text, and how much of it is unknown.
pub(super) struct Seen {
    /// In the order of their numbers, each once.
    pub features: Features,
    /// Words and signs that no piece of the vocabulary is of.
    pub unknown: usize,
    /// The share of its letters that are in words of which more is known than letters; 1 where it has none.
    pub share: f32,
}

/// How many different features there can be.
pub(super) fn most_features(vocabulary: &Vocabulary) -> usize {
    3 * vocabulary.len() + 1
}

/// Whether a feature is a piece itself, at any place.
pub(super) fn is_piece(vocabulary: &Vocabulary, feature: u32) -> bool {
    (feature as usize) < vocabulary.len()
}

/// What a table sees of a text.
pub(super) fn features_of(vocabulary: &Vocabulary, text: &str) -> Seen {
    let Pieces { known, unknown, letters, read } = vocabulary.cut(text, MOST_PIECES);
    let share = if letters == 0 { 1.0 } else { read as f32 / letters as f32 };
    let (Some(&first), Some(&last)) = (known.first(), known.last()) else {
        return Seen { features: Vec::new(), unknown, share };
    };
    let pieces = vocabulary.len() as u32;
    let count = known.len() as f32;
    let weight = count.powf(-BY_LENGTH);
    let mut all: Features = known.into_iter().map(|piece| (piece, weight)).collect();
    all.extend([(pieces + first, weight), (2 * pieces + last, weight), (3 * pieces, count * weight)]);
    all.sort_unstable_by_key(|(feature, _)| *feature);
    let mut features: Features = Vec::with_capacity(all.len());
    for (feature, weight) in all {
        match features.last_mut() {
            Some((known, sum)) if *known == feature => *sum += weight,
            _ => features.push((feature, weight)),
        }
    }
    Seen { features, unknown, share }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_its_pieces_its_ends_and_its_length() {
        let vocabulary = Vocabulary::of(["a", "b", "c"].into_iter());
        let seen = features_of(&vocabulary, "a b b x");
        let weight = 3f32.powf(-0.75);
        let numbers: Vec<u32> = seen.features.iter().map(|(feature, _)| *feature).collect();
        assert_eq!(numbers, [0, 1, 3, 7, 9], "a, b, a first, b last, any text");
        assert_eq!(seen.features[1].1, 2.0 * weight);
        assert!((seen.features[4].1 - 3f32.powf(0.25)).abs() < 1e-6);
        assert_eq!(seen.unknown, 1);
        assert_eq!(most_features(&vocabulary), 10);
        assert!(is_piece(&vocabulary, 2) && !is_piece(&vocabulary, 3));
    }

    #[test]
    fn a_text_without_a_known_piece_has_no_features() {
        let seen = features_of(&Vocabulary::of(["a"].into_iter()), "x y");
        assert!(seen.features.is_empty() && seen.unknown == 2);
    }
}
