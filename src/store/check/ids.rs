//! Ids: unique, of the form that says whose they are, and leading somewhere.

use std::collections::{HashMap, HashSet};

use super::finding::{Finding, Part};
use crate::store::{ChunkRow, ChunkType, NewDocument};

/// The document with each id once, the first row of each kept; and the ids that there were several of.
pub(super) fn unique(mut new: NewDocument) -> (NewDocument, Vec<(String, usize)>) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut first = |id: &str| {
        let times = seen.entry(id.to_owned()).or_default();
        *times += 1;
        *times == 1
    };
    new.sections.retain(|row| first(&row.section_id));
    new.chunks.retain(|row| first(&row.chunk_id));
    let mut several: Vec<(String, usize)> = seen.into_iter().filter(|(_, times)| *times > 1).collect();
    several.sort();
    (new, several)
}

/// The pieces whose passage is not there.
pub(super) fn without_parent(new: &NewDocument) -> HashSet<String> {
    let parents: HashSet<&str> = parents(new).map(|row| row.chunk_id.as_str()).collect();
    let lost = |row: &&ChunkRow| {
        row.chunk_type == ChunkType::Child && row.parent_id.as_deref().is_none_or(|id| !parents.contains(id))
    };
    new.chunks.iter().filter(lost).map(|row| row.chunk_id.clone()).collect()
}

/// Ids of the wrong form, and ids that lead nowhere.
pub(super) fn check(new: &NewDocument) -> Vec<Finding> {
    let document = &new.document;
    let doc_id = &document.doc_id;
    let mut findings = Vec::new();
    let sections: HashSet<&str> = new.sections.iter().map(|row| row.section_id.as_str()).collect();
    for row in &new.sections {
        if row.section_id != format!("{doc_id}#{}", row.path) || !is_path(&row.path) {
            let what = format!("is no id of a section of {doc_id} with the path {:?}", row.path);
            findings.push(Finding::structure_needed(document, &row.section_id, Part::Ids, what));
        }
        if let Some(parent) = row.parent_id.as_deref().filter(|id| !sections.contains(id)) {
            let what = format!("lies in the section {parent}, which is not there");
            findings.push(Finding::structure_needed(document, &row.section_id, Part::Ids, what));
        }
    }
    let orphans = without_parent(new);
    for row in &new.chunks {
        if orphans.contains(&row.chunk_id) {
            let parent = row.parent_id.as_deref().unwrap_or("without a name");
            let what = format!("is a piece of the passage {parent}, which is not there");
            findings.push(Finding::repairable(&row.chunk_id, Part::Ids, what));
            continue;
        }
        let expected = match &row.parent_id {
            Some(parent) => format!("{parent}.{}", row.chunk_index),
            None => format!("{doc_id}:{}", row.chunk_index),
        };
        if row.chunk_id != expected {
            let what = format!("should be called {expected}");
            findings.push(Finding::source_needed(document, &row.chunk_id, Part::Ids, what));
        }
        if !sections.contains(row.section_id.as_str()) {
            let what = format!("lies in the section {}, which is not there", row.section_id);
            findings.push(Finding::source_needed(document, &row.chunk_id, Part::Ids, what));
        }
    }
    findings
}

/// The document's passages.
pub(super) fn parents(new: &NewDocument) -> impl Iterator<Item = &ChunkRow> {
    new.chunks.iter().filter(|row| row.chunk_type == ChunkType::Parent)
}

fn is_path(path: &str) -> bool {
    path.split('.').all(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::super::sample::document;
    use super::*;

    fn whats(new: &NewDocument) -> Vec<(String, bool)> {
        check(new).into_iter().map(|finding| (finding.id, finding.repairable)).collect()
    }

    #[test]
    fn ids_that_lead_nowhere_are_named() {
        let mut new = document();
        assert!(whats(&new).is_empty());
        new.sections[1].parent_id = Some("abc123#9".into());
        new.chunks[4].section_id = "abc123#7".into();
        new.chunks[1].parent_id = Some("abc123:8".into());
        let expected = [("abc123#1", false), ("abc123:0.0", true), ("abc123:1.0", false)];
        assert_eq!(whats(&new), expected.map(|(id, repairable)| (id.to_owned(), repairable)));
    }

    #[test]
    fn ids_of_another_form_are_named() {
        let mut new = document();
        new.chunks[0].chunk_id = "abc123:00".into();
        new.sections[1].path = "1.".into();
        assert!(whats(&new).contains(&("abc123:00".to_owned(), false)));
        assert!(whats(&new).contains(&("abc123#1".to_owned(), false)));
    }

    #[test]
    fn the_first_of_several_rows_stays() {
        let mut new = document();
        new.chunks.push(new.chunks[0].clone());
        let (unique, several) = unique(new);
        assert_eq!((unique, several), (document(), vec![("abc123:0".to_owned(), 2)]));
    }
}
