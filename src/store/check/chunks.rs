//! Checks that ids are unique, well formed and lead to rows, that no parent chunk is missing, that child chunks add up
//! to their parent's text, and that each section names its parent chunks.

use std::collections::{HashMap, HashSet};

use super::finding::{Faults, Finding, Fix, Part};
use crate::ids::{ChunkId, SectionId};
use crate::store::{ChunkRow, DocumentRow, NewDocument, ParentChunk, SectionRow, convert};

/// The rows of a document in the tables, perhaps with duplicate ids and missing parents.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StoredRows {
    pub document: DocumentRow,
    pub sections: Vec<SectionRow>,
    pub chunks: Vec<ChunkRow>,
}

impl StoredRows {
    /// Keeps the first row of each id, and returns the duplicate ids with their numbers of rows.
    pub(super) fn remove_duplicates(&mut self) -> Vec<(String, usize)> {
        let mut seen: HashMap<String, usize> = HashMap::new();
        let mut first = |id: &str| {
            let times = seen.entry(id.to_owned()).or_default();
            *times += 1;
            *times == 1
        };
        self.sections.retain(|row| first(&row.section_id));
        self.chunks.retain(|row| first(&row.chunk_id));
        let mut duplicates: Vec<(String, usize)> = seen.into_iter().filter(|(_, times)| *times > 1).collect();
        duplicates.sort();
        duplicates
    }

    /// The child chunks without a parent chunk.
    pub(super) fn orphans(&self) -> HashSet<ChunkId> {
        let parents: HashSet<&ChunkId> =
            self.chunks.iter().filter(|row| row.parent_id.is_none()).map(|row| &row.chunk_id).collect();
        let lost = |row: &&ChunkRow| row.parent_id.as_ref().is_some_and(|id| !parents.contains(id));
        self.chunks.iter().filter(lost).map(|row| row.chunk_id.clone()).collect()
    }

    /// The document of these rows, without orphans.
    pub(super) fn into_document(self) -> NewDocument {
        let mut parents = convert::parents_of_rows(self.chunks);
        parents.sort_by_key(|parent| parent.chunk_index);
        NewDocument { document: self.document, sections: self.sections, parents }
    }
}

/// Malformed ids, and ids that lead nowhere. The orphans are not in the document of these rows.
pub(super) fn check_ids(new: &StoredRows, orphans: &HashSet<ChunkId>) -> Faults {
    let document = &new.document;
    let doc_id = &document.doc_id;
    let mut faults = Faults::default();
    let sections: HashSet<&str> = new.sections.iter().map(|row| row.section_id.as_str()).collect();
    for row in &new.sections {
        if row.section_id != SectionId::new(doc_id, &row.path) || !is_path(&row.path) {
            let what = format!("is not the id of a section of {doc_id} with the path {:?}", row.path);
            faults.findings.push(Finding::structure_needed(document, &row.section_id, Part::Ids, what));
        }
        if let Some(parent) = row.parent_id.as_deref().filter(|id| !sections.contains(id)) {
            let what = format!("is in the section {parent}, which does not exist");
            faults.findings.push(Finding::structure_needed(document, &row.section_id, Part::Ids, what));
        }
    }
    for row in &new.chunks {
        if let Some(parent) = row.parent_id.as_ref().filter(|_| orphans.contains(&row.chunk_id)) {
            let what = format!("is a child chunk of the parent chunk {parent}, which does not exist");
            faults.repaired(&row.chunk_id, Part::Ids, what, "removed: its parent chunk does not exist");
            continue;
        }
        let expected = match &row.parent_id {
            Some(parent) => ChunkId::child(parent, row.chunk_index),
            None => ChunkId::parent(doc_id, row.chunk_index),
        };
        if row.chunk_id != expected {
            let what = format!("should be called {expected}");
            faults.findings.push(Finding::source_needed(document, &row.chunk_id, Part::Ids, what));
        }
        if !sections.contains(row.section_id.as_str()) {
            let what = format!("is in the section {}, which does not exist", row.section_id);
            faults.findings.push(Finding::source_needed(document, &row.chunk_id, Part::Ids, what));
        }
    }
    faults
}

fn is_path(path: &str) -> bool {
    path.split('.').all(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The maximum number of gaps that are searched for.
const MOST_GAPS: usize = 10_000;

/// The lost parent chunks. Deletions (`kb chunk-delete`) leave gaps too, so both the document's count and the spans of
/// its sections must tell of more. One of them alone may be wrong, and overlapping spans prove nothing.
pub(super) fn missing(new: &NewDocument) -> Vec<u32> {
    let there: HashSet<u32> = new.parents.iter().map(|row| row.chunk_index).collect();
    let lost = usize::try_from(new.document.parents).unwrap_or(usize::MAX).saturating_sub(there.len());
    let said = in_order(new.sections.iter().map(|row| (row.position, (row.chunk_start, row.chunk_end))));
    if lost == 0 || overlap(&said) {
        return Vec::new();
    }
    let places = said.into_iter().flat_map(|(start, end)| start..end);
    // A damaged span may be extremely long.
    let mut gaps: Vec<u32> = places.filter(|index| !there.contains(index)).take(MOST_GAPS).collect();
    gaps.sort_unstable();
    gaps.dedup();
    gaps.truncate(lost);
    gaps
}

/// Missing parent chunks, and those whose child chunks do not add up to their text.
pub(super) fn check(new: &NewDocument) -> Vec<Finding> {
    let document = &new.document;
    let mut findings: Vec<Finding> = missing(new)
        .into_iter()
        .map(|index| {
            let id = format!("{}:{index}", document.doc_id);
            Finding::source_needed(document, &id, Part::ParentChunks, "is missing")
        })
        .collect();
    for row in &new.parents {
        if row.children.iter().map(|child| child.content.as_str()).collect::<String>() != row.content {
            let what = "differs from its child chunks joined";
            findings.push(Finding::source_needed(document, &row.chunk_id, Part::ParentChunks, what));
        }
    }
    findings
}

/// The span of parent chunks of each section; `None` if parent chunks of other sections lie in between.
fn spans(new: &NewDocument) -> Vec<Option<(u32, u32)>> {
    let mut own: HashMap<&str, (u32, u32)> = HashMap::new();
    for row in &new.parents {
        let end = row.chunk_index.saturating_add(1);
        let span = own.entry(&row.section_id).or_insert((row.chunk_index, end));
        *span = (span.0.min(row.chunk_index), span.1.max(end));
    }
    let mut begun: HashSet<&str> = HashSet::new();
    let runs = new.parents.chunk_by(|a: &ParentChunk, b| a.section_id == b.section_id);
    let torn: HashSet<&str> =
        runs.map(|run| run[0].section_id.as_str()).filter(|section| !begun.insert(section)).collect();
    new.sections
        .iter()
        .map(|section| section.section_id.as_str())
        .map(|id| (!torn.contains(id)).then(|| own.get(id).copied().unwrap_or((0, 0))))
        .collect()
}

/// Sections with wrong spans, which are corrected, or out of order. Skips the spans if parent chunks are missing.
pub(super) fn check_sections(new: &mut NewDocument, is_complete: bool) -> Faults {
    let mut faults = Faults::default();
    let spans = spans(new);
    let NewDocument { document, sections, .. } = new;
    if is_complete {
        for (row, span) in sections.iter_mut().zip(&spans) {
            match *span {
                Some(span) if agrees(row.chunk_start, row.chunk_end, span) => {}
                Some((start, end)) => {
                    let says =
                        format!("states {} but has {}", range(row.chunk_start, row.chunk_end), range(start, end));
                    faults.repaired(&row.section_id, Part::Sections, says, "its parent chunks counted again");
                    (row.chunk_start, row.chunk_end) = (start, end);
                }
                None => {
                    let what = "has parent chunks of other sections between its own";
                    faults.findings.push(Finding::structure_needed(document, &row.section_id, Part::Sections, what));
                }
            }
        }
    }
    let mut positions: Vec<u32> = sections.iter().map(|row| row.position).collect();
    positions.sort_unstable();
    if !positions.iter().copied().eq(0..u32::try_from(positions.len()).unwrap_or(u32::MAX)) {
        let what = "its sections are not numbered from 0 without gaps";
        faults.findings.push(Finding::structure_needed(document, &document.doc_id, Part::Sections, what));
    }
    let spans = sections.iter().zip(spans).filter_map(|(row, span)| Some((row.position, span?)));
    if overlap(&in_order(spans)) {
        let what = "its sections are in another order than their parent chunks";
        faults.findings.push(Finding::structure_needed(document, &document.doc_id, Part::Sections, what));
    }
    faults
}

/// The spans that are not empty, by the positions of their sections.
fn in_order(spans: impl Iterator<Item = (u32, (u32, u32))>) -> Vec<(u32, u32)> {
    let mut spans: Vec<(u32, (u32, u32))> = spans.filter(|(_, (start, end))| start < end).collect();
    spans.sort_unstable();
    spans.into_iter().map(|(_, span)| span).collect()
}

/// Whether a span begins before the previous one ends.
fn overlap(spans: &[(u32, u32)]) -> bool {
    spans.windows(2).any(|pair| pair[1].0 < pair[0].1)
}

/// Whether a section's span is right. Without parent chunks, any empty span is.
fn agrees(start: u32, end: u32, span: (u32, u32)) -> bool {
    (start, end) == span || (start == end && span.0 == span.1)
}

fn range(start: u32, end: u32) -> String {
    match end.checked_sub(start) {
        Some(0) => "no parent chunks".to_owned(),
        Some(1) => format!("parent chunk {start}"),
        _ => format!("parent chunks {start} to {}", i64::from(end) - 1),
    }
}

/// Wrong counts of sections, parent chunks and child chunks in the document's row, which are corrected.
pub(super) fn check_counts(new: &mut NewDocument) -> Faults {
    let mut faults = Faults::default();
    let number = |rows: usize| u32::try_from(rows).unwrap_or(u32::MAX);
    let titled = new.sections.iter().filter(|row| row.level > 0).count();
    let right = [number(titled), number(new.parents.len()), number(new.children().count())];
    let document = &mut new.document;
    let said = [document.sections, document.parents, document.children];
    let names = ["sections", "parent chunks", "child chunks"];
    let wrong = said.into_iter().zip(right).zip(names).filter(|((said, there), _)| said != there);
    for ((said, there), name) in wrong {
        let what = format!("states {said} {name} but has {there}");
        faults.findings.push(Finding::repairable(&document.doc_id, Part::Counts, what));
    }
    if said != right {
        [document.sections, document.parents, document.children] = right;
        faults.fixes.push(Fix::new(&document.doc_id, "its counts corrected"));
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::super::tests::{document, rows};
    use super::*;

    fn whats(new: &StoredRows) -> Vec<(String, bool)> {
        check_ids(new, &new.orphans()).findings.into_iter().map(|finding| (finding.id, finding.repairable)).collect()
    }

    #[test]
    fn dangling_ids_are_found() {
        let mut new = rows();
        assert!(whats(&new).is_empty());
        new.sections[1].parent_id = Some("abc123#9".into());
        new.chunks[4].section_id = "abc123#7".into();
        new.chunks[1].parent_id = Some("abc123:8".into());
        let expected = [("abc123#1", false), ("abc123:0.0", true), ("abc123:1.0", false)];
        assert_eq!(whats(&new), expected.map(|(id, repairable)| (id.to_owned(), repairable)));
    }

    #[test]
    fn malformed_ids_are_found() {
        let mut new = rows();
        new.chunks[0].chunk.chunk_id = "abc123:00".into();
        new.sections[1].path = "1.".into();
        assert!(whats(&new).contains(&("abc123:00".to_owned(), false)));
        assert!(whats(&new).contains(&("abc123#1".to_owned(), false)));
    }

    #[test]
    fn missing_parent_chunks_differ_from_wrong_counts() {
        let mut wrong = document();
        wrong.document.parents = 7;
        assert!(missing(&wrong).is_empty());
        assert_eq!(check_counts(&mut wrong).findings[0].what, "states 7 parent chunks but has 2");
        let mut lost = document();
        lost.parents.truncate(1);
        assert_eq!(missing(&lost), [1]);
        let mut first = document();
        first.parents.remove(0);
        assert_eq!(missing(&first), [0]);
    }

    #[test]
    fn deleted_parent_chunks_are_not_missing() {
        let mut new = document();
        new.parents.remove(0);
        (new.document.parents, new.document.children) = (1, 1);
        (new.sections[0].chunk_start, new.sections[0].chunk_end) = (0, 0);
        assert!(check(&new).is_empty());
        assert_eq!([check_counts(&mut new), check_sections(&mut new, true)], [Faults::default(), Faults::default()]);
    }

    #[test]
    fn sections_must_name_their_parent_chunks() {
        let mut new = document();
        assert_eq!(check_sections(&mut new, true), Faults::default());
        new.sections[0].chunk_end = 2;
        let found = check_sections(&mut new, true).findings;
        assert_eq!(found[0].what, "states parent chunks 0 to 1 but has parent chunk 0");
        let mut swapped = document();
        (swapped.sections[0].position, swapped.sections[1].position) = (1, 0);
        assert!(check_sections(&mut swapped, true).findings[0].what.contains("another order"));
    }
}
