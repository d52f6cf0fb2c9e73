//! One section, found by its path or its title, with its whole text.

use serde::Serialize;

use crate::error::{Error, Result};
use crate::store::{DocumentRow, SectionRow, Snapshot};
use crate::structure::{PREAMBLE, normalise_title};

/// How many suggestions an error names.
const MOST_NAMED: usize = 5;
/// Titles less alike than this are no suggestion.
const LEAST_LIKENESS: f64 = 0.6;

/// A section with its text and that of its subsections.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SectionContent {
    /// The document's id.
    pub doc_id: String,
    /// The document's source.
    pub source: String,
    /// The document's title.
    pub title: String,
    /// The section and its subsections in order, each with its own text.
    pub parts: Vec<SectionPart>,
}

/// A section's own text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SectionPart {
    /// The section.
    #[serde(flatten)]
    pub section: SectionRow,
    /// Its text, edits included, without its subsections'.
    pub text: String,
}

/// The section of a document that `name` stands for: a path (`1.2.3`), a title, or the unique part of one.
///
/// # Errors
/// Not found or not unique, with suggestions.
pub fn find_section<'a>(sections: &'a [SectionRow], name: &str) -> Result<&'a SectionRow> {
    let name = name.trim();
    if let Some(section) = sections.iter().find(|section| section.path == name || section.section_id == name) {
        return Ok(section);
    }
    // What looks like a path is one: `2` must not find "Error T-1102".
    if name.chars().all(|c| c.is_ascii_digit() || c == '.') {
        return Err(Error::not_found(format!("no section {name:?}")).hint("`kb toc DOC` shows the sections"));
    }
    let wanted = normalise_title(name);
    let titled: Vec<&SectionRow> = sections.iter().filter(|section| section.path != PREAMBLE).collect();
    let without_number = |title: &str| {
        normalise_title(title.trim_start_matches(|c: char| c.is_numeric() || matches!(c, '.' | ' ' | '、')))
    };
    let readings: [&dyn Fn(&SectionRow) -> bool; 3] = [
        &|section| normalise_title(&section.title) == wanted,
        &|section| without_number(&section.title) == wanted,
        &|section| normalise_title(&section.title).contains(&wanted),
    ];
    if !wanted.is_empty() {
        for reading in readings {
            let found: Vec<&&SectionRow> = titled.iter().filter(|section| reading(section)).collect();
            match found.as_slice() {
                [] => {}
                [one] => return Ok(one),
                many => {
                    let hint = format!("name one by its path: {}", name_them(many.iter().map(|section| **section)));
                    return Err(Error::not_found(format!("{} sections are called {name:?}", many.len())).hint(hint));
                }
            }
        }
    }
    let mut alike: Vec<(f64, &SectionRow)> = titled
        .iter()
        .map(|section| (strsim::jaro_winkler(&normalise_title(&section.title), &wanted), *section))
        .filter(|(likeness, _)| *likeness >= LEAST_LIKENESS)
        .collect();
    alike.sort_by(|a, b| b.0.total_cmp(&a.0));
    let error = Error::not_found(format!("no section {name:?}"));
    Err(if alike.is_empty() {
        error.hint("`kb toc DOC` shows the sections")
    } else {
        error.hint(format!("did you mean {}?", name_them(alike.into_iter().map(|(_, section)| section))))
    })
}

fn name_them<'a>(sections: impl Iterator<Item = &'a SectionRow>) -> String {
    let named: Vec<String> =
        sections.take(MOST_NAMED).map(|section| format!("{} ({})", section.path, section.title)).collect();
    named.join(", ")
}

impl SectionContent {
    /// Reads a section's text and that of its subsections.
    ///
    /// # Errors
    /// Where the store cannot be read.
    pub async fn read(
        snapshot: &Snapshot,
        document: &DocumentRow,
        sections: &[SectionRow],
        section: &SectionRow,
    ) -> Result<Self> {
        let below = format!("{}.", section.path);
        let wanted: Vec<&SectionRow> =
            sections.iter().filter(|other| other.path == section.path || other.path.starts_with(&below)).collect();
        let start = wanted.iter().filter(|s| s.chunk_end > s.chunk_start).map(|s| s.chunk_start).min().unwrap_or(0);
        let end = wanted.iter().map(|s| s.chunk_end).max().unwrap_or(0);
        let chunks = snapshot.parents_between(&document.doc_id, start, end).await?;
        let parts = wanted
            .into_iter()
            .map(|section| {
                let own = chunks.iter().filter(|chunk| chunk.section_id == section.section_id);
                let text: String = own.map(|chunk| chunk.content.as_str()).collect();
                SectionPart { section: section.clone(), text: text.trim_end().to_owned() }
            })
            .collect();
        Ok(SectionContent {
            doc_id: document.doc_id.clone(),
            source: document.source.clone(),
            title: document.title.clone(),
            parts,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(path: &str, title: &str) -> SectionRow {
        SectionRow {
            section_id: format!("d#{path}"),
            doc_id: "d".into(),
            position: 0,
            parent_id: None,
            level: 1,
            path: path.into(),
            title: title.into(),
            page_start: None,
            page_end: None,
            chunk_start: 0,
            chunk_end: 0,
            provenance: "markup".into(),
            confidence: 1.0,
        }
    }

    #[test]
    fn sections_are_found_by_path_title_and_part_of_a_title() {
        let rows = [row("1", "1 Introduction"), row("1.1", "1.1 Scope"), row("2", "第二章 启动水泵")];
        for (name, path) in [("1.1", "1.1"), ("introduction", "1"), ("SCOPE", "1.1"), ("启动", "2")] {
            assert_eq!(find_section(&rows, name).unwrap().path, path, "{name}");
        }
    }

    #[test]
    fn what_is_not_found_or_not_unique_gets_suggestions() {
        let rows = [row("1", "Installation"), row("2.1", "Notes"), row("3.1", "Notes")];
        let error = find_section(&rows, "notes").unwrap_err();
        assert!(error.next_step().unwrap().contains("3.1"));
        assert!(find_section(&[row("1", "Error T-1102")], "2").is_err());
        let error = find_section(&rows, "Instalation").unwrap_err();
        assert!(error.next_step().unwrap().contains("Installation"));
        assert_eq!(error.kind().exit_code(), 1);
    }
}
