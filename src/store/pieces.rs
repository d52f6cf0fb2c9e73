//! Where the pieces of a passage begin and end, as the keyword index keeps it: its text is theirs joined, so that they are
//! read with it.

use super::rows::ChunkRow;

/// A piece of a passage: a child chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Its number among the pieces; one that was deleted leaves a gap.
    pub index: u32,
    /// The bytes of its text.
    pub bytes: usize,
}

impl Piece {
    /// The children of a passage, in order, in one line: `0:240 1:198 3:77`.
    pub(super) fn record(children: &[&ChunkRow]) -> String {
        let each = children.iter().map(|child| format!("{}:{}", child.chunk_index, child.content.len()));
        each.collect::<Vec<String>>().join(" ")
    }

    /// What such a line says; `None` where it is none.
    pub(super) fn read(record: &str) -> Option<Vec<Piece>> {
        record
            .split_whitespace()
            .map(|piece| {
                let (index, bytes) = piece.split_once(':')?;
                Some(Piece { index: index.parse().ok()?, bytes: bytes.parse().ok()? })
            })
            .collect()
    }
}

/// The pieces of a text, each with its number; `None` where the text is not of these pieces.
pub(super) fn cut<'t>(text: &'t str, pieces: &[Piece]) -> Option<Vec<(u32, &'t str)>> {
    let mut rest = text;
    let mut cut = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let (own, behind) = rest.split_at_checked(piece.bytes)?;
        cut.push((piece.index, own));
        rest = behind;
    }
    rest.is_empty().then_some(cut)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn children(texts: &[&str]) -> Vec<ChunkRow> {
        texts.iter().enumerate().map(|(i, text)| ChunkRow::sample(&format!("d:1.{}", 2 * i), text)).collect()
    }

    #[test]
    fn what_is_no_record_or_does_not_fit_is_refused() {
        assert_eq!(Piece::read("0:3 x"), None);
        assert_eq!(Piece::read(""), Some(Vec::new()));
        let pieces = Piece::read("0:2 1:4").unwrap();
        assert_eq!(cut("灌水", &pieces), None, "inside a character");
        assert_eq!((cut("abcde", &pieces), cut("abcdefg", &pieces)), (None, None));
    }

    proptest! {
        #[test]
        fn a_text_is_cut_into_the_pieces_it_was_made_of(texts in prop::collection::vec("[a-z灌水\\n ]{0,9}", 0..6)) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let rows = children(&texts);
            let pieces = Piece::read(&Piece::record(&rows.iter().collect::<Vec<_>>())).unwrap();
            let joined = texts.concat();
            let found = cut(&joined, &pieces).unwrap();
            prop_assert_eq!(found.iter().map(|(_, text)| *text).collect::<Vec<_>>(), texts);
            prop_assert!(found.iter().zip(&rows).all(|((index, _), row)| *index == row.chunk_index));
        }
    }
}
