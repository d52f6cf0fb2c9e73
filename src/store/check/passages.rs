//! Passages: none missing, the pieces of each joined are its text, and each section knows its own.

use std::collections::{HashMap, HashSet};

use super::finding::{Finding, Part};
use super::ids::parents;
use crate::store::{ChunkRow, NewDocument, children_by_parent};

/// So many gaps are looked for at most.
const MOST_GAPS: usize = 10_000;

/// The passages that were lost. Deleted ones (`kb chunk-delete`) leave gaps too, so two witnesses must speak of more
/// than there is: the document's count, and the spans of its sections. One alone may be what is wrong, and spans that
/// overlap are no witness.
pub(super) fn missing(new: &NewDocument) -> Vec<u32> {
    let there: HashSet<u32> = parents(new).map(|row| row.chunk_index).collect();
    let lost = usize::try_from(new.document.parents).unwrap_or(usize::MAX).saturating_sub(there.len());
    let said = in_order(new.sections.iter().map(|row| (row.position, (row.chunk_start, row.chunk_end))));
    if lost == 0 || overlap(&said) {
        return Vec::new();
    }
    let places = said.into_iter().flat_map(|(start, end)| start..end);
    // A damaged span may be as long as numbers go.
    let mut gaps: Vec<u32> = places.filter(|index| !there.contains(index)).take(MOST_GAPS).collect();
    gaps.sort_unstable();
    gaps.dedup();
    gaps.truncate(lost);
    gaps
}

/// Passages that are missing, or whose pieces are not their text.
pub(super) fn check(new: &NewDocument) -> Vec<Finding> {
    let document = &new.document;
    let mut findings: Vec<Finding> = missing(new)
        .into_iter()
        .map(|index| {
            let id = format!("{}:{index}", document.doc_id);
            Finding::source_needed(document, &id, Part::Passages, "is missing")
        })
        .collect();
    let pieces = children_by_parent(&new.chunks);
    for row in parents(new) {
        let own = pieces.get(row.chunk_id.as_str()).map_or(&[][..], Vec::as_slice);
        if own.iter().map(|piece| piece.content.as_str()).collect::<String>() != row.content {
            let what = "is not what its pieces joined are";
            findings.push(Finding::source_needed(document, &row.chunk_id, Part::Passages, what));
        }
    }
    findings
}

/// For each section the span of its passages; `None` where passages of other sections lie between them.
pub(super) fn spans(new: &NewDocument) -> Vec<Option<(u32, u32)>> {
    let mut own: HashMap<&str, (u32, u32)> = HashMap::new();
    for row in parents(new) {
        let end = row.chunk_index.saturating_add(1);
        let span = own.entry(&row.section_id).or_insert((row.chunk_index, end));
        *span = (span.0.min(row.chunk_index), span.1.max(end));
    }
    let mut in_order: Vec<&ChunkRow> = parents(new).collect();
    in_order.sort_by_key(|row| row.chunk_index);
    let mut begun: HashSet<&str> = HashSet::new();
    let runs = in_order.chunk_by(|a, b| a.section_id == b.section_id);
    let torn: HashSet<&str> =
        runs.map(|run| run[0].section_id.as_str()).filter(|section| !begun.insert(section)).collect();
    new.sections
        .iter()
        .map(|section| section.section_id.as_str())
        .map(|id| (!torn.contains(id)).then(|| own.get(id).copied().unwrap_or((0, 0))))
        .collect()
}

/// Sections that do not know their passages, or are out of order. Where passages are missing, nothing can be said.
pub(super) fn check_sections(new: &NewDocument) -> Vec<Finding> {
    let document = &new.document;
    let mut findings = Vec::new();
    if missing(new).is_empty() {
        for (row, span) in new.sections.iter().zip(spans(new)) {
            match span {
                Some(span) if agrees(row.chunk_start, row.chunk_end, span) => {}
                Some((start, end)) => {
                    let says = format!("says {}, has {}", range(row.chunk_start, row.chunk_end), range(start, end));
                    findings.push(Finding::repairable(&row.section_id, Part::Sections, says));
                }
                None => {
                    let what = "has passages of other sections between its own";
                    findings.push(Finding::structure_needed(document, &row.section_id, Part::Sections, what));
                }
            }
        }
    }
    let mut positions: Vec<u32> = new.sections.iter().map(|row| row.position).collect();
    positions.sort_unstable();
    if !positions.iter().copied().eq(0..u32::try_from(positions.len()).unwrap_or(u32::MAX)) {
        let what = "its sections are not numbered from 0 without gaps";
        findings.push(Finding::structure_needed(document, &document.doc_id, Part::Sections, what));
    }
    let spans = new.sections.iter().zip(spans(new)).filter_map(|(row, span)| Some((row.position, span?)));
    if overlap(&in_order(spans)) {
        let what = "its sections are in another order than their passages";
        findings.push(Finding::structure_needed(document, &document.doc_id, Part::Sections, what));
    }
    findings
}

/// Spans that are not empty, by the positions of their sections.
fn in_order(spans: impl Iterator<Item = (u32, (u32, u32))>) -> Vec<(u32, u32)> {
    let mut spans: Vec<(u32, (u32, u32))> = spans.filter(|(_, (start, end))| start < end).collect();
    spans.sort_unstable();
    spans.into_iter().map(|(_, span)| span).collect()
}

/// Whether one of the spans begins before the one in front of it ends.
fn overlap(spans: &[(u32, u32)]) -> bool {
    spans.windows(2).any(|pair| pair[1].0 < pair[0].1)
}

/// Whether a section's span is the one it should have; without passages, any empty one will do.
pub(super) fn agrees(start: u32, end: u32, span: (u32, u32)) -> bool {
    (start, end) == span || (start == end && span.0 == span.1)
}

fn range(start: u32, end: u32) -> String {
    match end.checked_sub(start) {
        Some(0) => "no passages".to_owned(),
        Some(1) => format!("passage {start}"),
        _ => format!("passages {start} to {}", i64::from(end) - 1),
    }
}

/// The counts that the document's row should have: sections, passages, pieces.
pub(super) fn counts(new: &NewDocument) -> [u32; 3] {
    let number = |rows: usize| u32::try_from(rows).unwrap_or(u32::MAX);
    let all = parents(new).count();
    let titled = new.sections.iter().filter(|row| row.level > 0).count();
    [number(titled), number(all), number(new.chunks.len() - all)]
}

/// Counts that are wrong. Where passages are missing, that is what is wrong.
pub(super) fn check_counts(new: &NewDocument) -> Vec<Finding> {
    let document = &new.document;
    let said = [document.sections, document.parents, document.children];
    if !missing(new).is_empty() {
        return Vec::new();
    }
    let names = ["sections", "passages", "pieces"];
    let wrong = said.into_iter().zip(counts(new)).zip(names).filter(|((said, there), _)| said != there);
    wrong
        .map(|((said, there), name)| {
            let what = format!("says it has {said} {name}, has {there}");
            Finding::repairable(&document.doc_id, Part::Counts, what)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::sample::document;
    use super::*;

    #[test]
    fn a_missing_passage_is_told_from_a_wrong_count() {
        let mut wrong = document();
        wrong.document.parents = 7;
        assert!(missing(&wrong).is_empty());
        assert_eq!(check_counts(&wrong)[0].what, "says it has 7 passages, has 2");
        let mut lost = document();
        lost.chunks.truncate(3);
        assert_eq!(missing(&lost), [1]);
        assert!(check_counts(&lost).is_empty());
        let mut first = document();
        first.chunks.drain(..3);
        assert_eq!(missing(&first), [0]);
    }

    #[test]
    fn what_was_deleted_is_not_missing() {
        let mut new = document();
        new.chunks.drain(..3);
        (new.document.parents, new.document.children) = (1, 1);
        (new.sections[0].chunk_start, new.sections[0].chunk_end) = (0, 0);
        assert!(check(&new).is_empty() && check_counts(&new).is_empty() && check_sections(&new).is_empty());
    }

    #[test]
    fn pieces_must_be_the_passage() {
        let mut new = document();
        assert!(check(&new).is_empty());
        new.chunks[2].content = "Four.".into();
        assert_eq!(check(&new)[0].what, "is not what its pieces joined are");
        assert_eq!(check(&new)[0].id, "abc123:0");
        assert_eq!(check(&new)[0].command, "kb ingest --force 'a b.md'");
    }

    #[test]
    fn sections_must_know_their_passages() {
        let mut new = document();
        assert!(check_sections(&new).is_empty());
        new.sections[0].chunk_end = 2;
        assert_eq!(check_sections(&new)[0].what, "says passages 0 to 1, has passage 0");
        let mut swapped = document();
        (swapped.sections[0].position, swapped.sections[1].position) = (1, 0);
        assert!(check_sections(&swapped)[0].what.contains("another order"));
    }
}
