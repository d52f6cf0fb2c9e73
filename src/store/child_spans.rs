//! Where the child chunks of a parent chunk begin and end, as the keyword index keeps it: its text is theirs joined, so that they are
//! read with it.

use super::rows::ChildChunk;

/// The place of a child chunk in the text of its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChildSpan {
    /// Its number among the child chunks; one that was deleted leaves a gap.
    pub index: u32,
    /// The bytes of its text.
    pub bytes: usize,
}

impl ChildSpan {
    /// The children of a parent chunk, in order, in one line: `0:240 1:198 3:77`.
    pub(super) fn record(children: &[ChildChunk]) -> String {
        let each = children.iter().map(|child| format!("{}:{}", child.chunk_index, child.content.len()));
        each.collect::<Vec<String>>().join(" ")
    }

    /// Reads such a line; unusable lines become `None`.
    pub(super) fn read(record: &str) -> Option<Vec<ChildSpan>> {
        record
            .split_whitespace()
            .map(|child_chunk| {
                let (index, bytes) = child_chunk.split_once(':')?;
                Some(ChildSpan { index: index.parse().ok()?, bytes: bytes.parse().ok()? })
            })
            .collect()
    }
}

/// The child chunks of a text, each with its number; `None` where the text is not of these child chunks.
pub(super) fn cut<'t>(text: &'t str, child_chunks: &[ChildSpan]) -> Option<Vec<(u32, &'t str)>> {
    let mut rest = text;
    let mut cut = Vec::with_capacity(child_chunks.len());
    for child_chunk in child_chunks {
        let (own, behind) = rest.split_at_checked(child_chunk.bytes)?;
        cut.push((child_chunk.index, own));
        rest = behind;
    }
    rest.is_empty().then_some(cut)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn children(texts: &[&str]) -> Vec<ChildChunk> {
        texts.iter().enumerate().map(|(i, text)| ChildChunk::sample(&format!("d:1.{}", 2 * i), text)).collect()
    }

    #[test]
    fn what_is_no_record_or_does_not_fit_is_refused() {
        assert_eq!(ChildSpan::read("0:3 x"), None);
        assert_eq!(ChildSpan::read(""), Some(Vec::new()));
        let child_chunks = ChildSpan::read("0:2 1:4").unwrap();
        assert_eq!(cut("灌水", &child_chunks), None, "inside a character");
        assert_eq!((cut("abcde", &child_chunks), cut("abcdefg", &child_chunks)), (None, None));
    }

    proptest! {
        #[test]
        fn a_text_is_cut_into_the_child_chunks_it_was_made_of(texts in prop::collection::vec("[a-z灌水\\n ]{0,9}", 0..6)) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let rows = children(&texts);
            let child_chunks = ChildSpan::read(&ChildSpan::record(&rows)).unwrap();
            let joined = texts.concat();
            let found = cut(&joined, &child_chunks).unwrap();
            prop_assert_eq!(found.iter().map(|(_, text)| *text).collect::<Vec<_>>(), texts);
            prop_assert!(found.iter().zip(&rows).all(|((index, _), row)| *index == row.chunk_index));
        }
    }
}
