//! What a user calls a section to the section: its path, its title, the unique part of one, or either misspelt.

use unicode_segmentation::UnicodeSegmentation;

use crate::error::{Error, Result};
use crate::store::SectionRow;
use crate::structure::{PREAMBLE, normalise_title};

/// How many suggestions an error names.
const MOST_NAMED: usize = 5;
/// Titles less alike than this are no suggestion.
const LEAST_LIKENESS: f64 = 0.6;

/// A section that a name stands for.
#[derive(Debug, Clone, PartialEq)]
pub struct Found<'a> {
    /// The section.
    pub section: &'a SectionRow,
    /// Where the name was misspelt: what it was taken for.
    pub note: Option<String>,
}

/// The sections of a document that `names` stand for: paths (`1.2.3`), titles, or unique parts of titles. A name that
/// fits none and is nearly one is taken for that one.
///
/// # Errors
/// Where any name is not found or not unique, with suggestions for each.
pub fn find_sections<'a>(sections: &'a [SectionRow], names: &[String]) -> Result<Vec<Found<'a>>> {
    let mut found = Vec::with_capacity(names.len());
    let mut failures = Vec::new();
    for name in names {
        match find_section(sections, name) {
            Ok(one) => found.push(one),
            Err(error) => failures.push(error),
        }
    }
    match failures.len() {
        0 => Ok(found),
        1 => Err(failures.remove(0)),
        _ => {
            let messages: Vec<&str> = failures.iter().map(Error::message).collect();
            let mut hints: Vec<&str> = failures.iter().filter_map(Error::next_step).collect();
            hints.dedup();
            Err(Error::not_found(messages.join(", ")).hint(hints.join("; ")))
        }
    }
}

fn find_section<'a>(sections: &'a [SectionRow], name: &str) -> Result<Found<'a>> {
    let name = name.trim();
    let exactly = |section| Found { section, note: None };
    if let Some(section) = sections.iter().find(|section| section.path == name || section.section_id == name) {
        return Ok(exactly(section));
    }
    // What looks like a path is one: `2` must not find "Error T-1102".
    if name.chars().all(|c| c.is_ascii_digit() || c == '.') {
        return Err(Error::not_found(format!("no section {name:?}")).hint(beside(sections, name)));
    }
    let wanted = normalise_title(name);
    let titled: Vec<&SectionRow> = sections.iter().filter(|section| section.path != PREAMBLE).collect();
    let readings: [&dyn Fn(&SectionRow) -> bool; 3] = [
        &|section| normalise_title(&section.title) == wanted,
        &|section| normalise_title(without_number(&section.title)) == wanted,
        &|section| normalise_title(&section.title).contains(&wanted),
    ];
    if !wanted.is_empty() {
        for reading in readings {
            let found: Vec<&SectionRow> = titled.iter().copied().filter(|section| reading(section)).collect();
            match found.as_slice() {
                [] => {}
                [one] => return Ok(exactly(one)),
                many => {
                    let hint = format!("name one by its path: {}", name_them(many));
                    return Err(Error::not_found(format!("{} sections are called {name:?}", many.len())).hint(hint));
                }
            }
        }
    }
    let near: Vec<&SectionRow> = titled.iter().copied().filter(|section| is_near(&section.title, &wanted)).collect();
    let error = Error::not_found(format!("no section {name:?}"));
    match near.as_slice() {
        [one] => {
            let note = format!("no section {name:?}; taken for {} ({})", one.path, one.title);
            return Ok(Found { section: one, note: Some(note) });
        }
        [] => {}
        many => return Err(error.hint(format!("did you mean {}?", name_them(many)))),
    }
    let mut alike: Vec<(f64, &SectionRow)> = titled
        .iter()
        .map(|section| (strsim::jaro_winkler(&normalise_title(&section.title), &wanted), *section))
        .filter(|(likeness, _)| *likeness >= LEAST_LIKENESS)
        .collect();
    alike.sort_by(|a, b| b.0.total_cmp(&a.0));
    let alike: Vec<&SectionRow> = alike.into_iter().map(|(_, section)| section).collect();
    Err(match alike.as_slice() {
        [] => error.hint("`kb toc DOC` shows the sections"),
        alike => error.hint(format!("did you mean {}?", name_them(alike))),
    })
}

/// Whether a title or a run of its words is `wanted` (normalised) but for a few letters.
fn is_near(title: &str, wanted: &str) -> bool {
    let allowed = allowed_errors(wanted);
    if allowed == 0 {
        return false;
    }
    let words: Vec<String> = title.unicode_words().map(normalise_title).collect();
    (0..words.len()).any(|start| {
        let mut run = String::new();
        words[start..].iter().any(|word| {
            run.push_str(word);
            strsim::osa_distance(&run, wanted) <= allowed
        })
    })
}

/// How many letters may be wrong, missing, too many or swapped: in a short word one changes the word.
fn allowed_errors(wanted: &str) -> usize {
    match wanted.chars().count() {
        0..=3 => 0,
        4..=7 => 1,
        8..=15 => 2,
        _ => 3,
    }
}

fn without_number(title: &str) -> &str {
    title.trim_start_matches(|c: char| c.is_numeric() || matches!(c, '.' | ' ' | '、'))
}

/// For a path that is not there: what there is beside it.
fn beside(sections: &[SectionRow], path: &str) -> String {
    let mut above = path;
    while let Some((shorter, _)) = above.rsplit_once('.') {
        above = shorter;
        if sections.iter().any(|section| section.path == above) {
            let id_of_above =
                |section: &&SectionRow| section.path.rsplit_once('.').is_some_and(|(parent, _)| parent == above);
            let children: Vec<&SectionRow> = sections.iter().filter(id_of_above).collect();
            return match children.as_slice() {
                [] => format!("{above} has no subsections"),
                children => format!("{above} has {}", name_them(children)),
            };
        }
    }
    "`kb toc DOC` shows the sections".to_owned()
}

fn name_them(sections: &[&SectionRow]) -> String {
    let mut named: Vec<String> =
        sections.iter().take(MOST_NAMED).map(|section| format!("{} ({})", section.path, section.title)).collect();
    if sections.len() > MOST_NAMED {
        named.push(format!("and {} more", sections.len() - MOST_NAMED));
    }
    named.join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::section::tests::row;
    use super::*;

    fn path_of(rows: &[SectionRow], name: &str) -> Result<String> {
        find_section(rows, name).map(|found| found.section.path.clone())
    }

    #[test]
    fn sections_are_found_by_path_title_and_part_of_a_title() {
        let rows = [row("1", "1 Introduction"), row("1.1", "1.1 Scope"), row("2", "第二章 启动水泵")];
        for (name, path) in [("1.1", "1.1"), ("introduction", "1"), ("SCOPE", "1.1"), ("启动", "2")] {
            assert_eq!(path_of(&rows, name).unwrap(), path, "{name}");
        }
    }

    #[test]
    fn a_misspelling_with_one_near_title_is_taken_and_said() {
        let rows = [row("1", "Installation"), row("2", "Priming the pump"), row("3", "启动循环水泵")];
        for (name, path) in [("Instalation", "1"), ("priming teh pump", "2"), ("teh pump", "2"), ("启动循坏水泵", "3")]
        {
            let found = find_section(&rows, name).unwrap();
            assert_eq!(found.section.path, path, "{name}");
            assert!(found.note.unwrap().contains(name));
        }
        assert_eq!(find_section(&rows, "installation").unwrap().note, None);
    }

    #[test]
    fn what_is_not_found_or_not_unique_gets_suggestions() {
        let rows = [row("1", "Installation"), row("2.1", "Notes"), row("3.1", "Notes"), row("3", "Start")];
        let error = find_section(&rows, "notes").unwrap_err();
        assert!(error.next_step().unwrap().contains("3.1"));
        assert!(find_section(&[row("1", "Error T-1102")], "2").is_err());
        // Two near ones: neither is taken.
        let error = find_section(&rows, "Notse").unwrap_err();
        assert!(error.next_step().unwrap().contains("2.1") && error.next_step().unwrap().contains("3.1"));
        let error = find_section(&rows, "Installing").unwrap_err();
        assert!(error.next_step().unwrap().contains("Installation"), "{error}");
        assert_eq!(error.kind().exit_code(), 1);
        let error = find_section(&rows, "3.7").unwrap_err();
        assert!(error.next_step().unwrap().contains("3.1 (Notes)"), "{error}");
    }

    #[test]
    fn every_name_that_is_not_found_is_told() {
        let rows = [row("1", "Installation")];
        let error = find_sections(&rows, &["1".into(), "9".into(), "zzz".into()]).unwrap_err();
        assert!(error.message().contains("\"9\"") && error.message().contains("\"zzz\""), "{error}");
    }
}
