//! The passages before and behind a hit.

use std::collections::BTreeMap;

use super::merge::{REACH, refresh};
use super::sources::Source;
use crate::retrieve::Hit;
use crate::store::IndexedPassage;

/// The numbers among which `count` neighbours on both sides are looked for, deleted ones allowed for.
pub(super) fn reach(hit: &Hit, count: usize) -> Option<(u32, u32)> {
    let (first, last) = (hit.sources.first()?.index, hit.sources.last()?.index);
    let count = u32::try_from(count).unwrap_or(u32::MAX).saturating_add(REACH);
    Some((first.saturating_sub(count), last.saturating_add(count).saturating_add(1)))
}

/// Adds up to `count` passages on both sides, of the same section unless `across` others. `passages` are those of the
/// document by their numbers, as far as they were read.
pub(super) fn attach(hit: &mut Hit, passages: &BTreeMap<u32, &IndexedPassage>, count: usize, across: bool) {
    let (Some(first), Some(last)) = (hit.sources.first(), hit.sources.last()) else { return };
    let (first, last) = (first.index, last.index);
    let belongs = |row: &&&IndexedPassage| across || row.section_id == hit.section_id;
    let before = passages.range(..first).rev().map(|(_, row)| row).take_while(belongs).take(count);
    let behind = passages.range(last.saturating_add(1)..).map(|(_, row)| row).take_while(belongs).take(count);
    let mut sources: Vec<Source> = before.chain(behind).map(|row| Source::of(row, &hit.title, None)).collect();
    hit.sources.append(&mut sources);
    hit.sources.sort_by_key(|source| source.index);
    refresh(hit);
}

#[cfg(test)]
mod tests {
    use super::super::sample::hit;
    use super::*;

    fn row(index: u32, section: &str) -> IndexedPassage {
        IndexedPassage {
            chunk_id: format!("d:{index}"),
            doc_id: "d".into(),
            section_id: format!("d#{section}"),
            chunk_index: index,
            content: format!("{index} "),
            context: "d › One".into(),
            page_start: Some(index),
            page_end: Some(index),
            pieces: Vec::new(),
        }
    }

    #[test]
    fn neighbours_are_of_the_section_and_deleted_ones_are_passed_over() {
        // 3 and 4 were deleted; 8 begins another section.
        let rows: Vec<IndexedPassage> = [(1, "1"), (2, "1"), (5, "1"), (6, "1"), (7, "1"), (8, "2"), (9, "2")]
            .map(|(index, section)| row(index, section))
            .to_vec();
        let passages: BTreeMap<u32, &IndexedPassage> = rows.iter().map(|row| (row.chunk_index, row)).collect();
        let content = |index: u32, count, across| {
            let mut hit = hit(&format!("d:{index}"), &format!("{index} "));
            attach(&mut hit, &passages, count, across);
            (hit.content, hit.matched_chunks, hit.page_end)
        };
        assert_eq!(content(5, 1, false), ("2 5 6".to_owned(), 1, Some(6)));
        assert_eq!(content(7, 2, false).0, "5 6 7");
        assert_eq!(content(7, 2, true).0, "5 6 7 8 9");
        assert_eq!(content(1, 0, true).0, "1");
        assert_eq!(reach(&hit("d:5", "5"), 2), Some((0, 16)));
    }
}
