//! Finds the section that a user means: by its id, the number printed before its title in any spelling, its path, its
//! title, the unique part of one, or a misspelt title.

use std::collections::HashMap;

use unicode_segmentation::UnicodeSegmentation;

use super::section_name::SectionNames;
use super::section_number::SectionNumber;
use crate::error::{Error, NextStep, Result};
use crate::ids::DocId;
use crate::store::{DocumentName, SectionRow};
use crate::structure::{normalise_title, printed_number, without_printed_number};
use crate::text::{alike, first_of};

/// Titles less alike than this are not suggested.
const LEAST_SIMILARITY: f64 = 0.6;

/// A section that a name stands for.
#[derive(Debug, Clone, PartialEq)]
pub struct Found<'a> {
    pub section: &'a SectionRow,
    /// Reports a guess, or another section that the name can mean.
    pub note: Option<String>,
}

/// The section of a document that a name stands for: an id, the number that its title begins with, a path (`1.2.3`), a
/// title, or the unique part of one. A name that fits none stands for the only title nearly like it.
///
/// # Errors
/// If the name is not found or not unique, with suggestions.
pub fn find_section<'a>(document: &DocumentName, sections: &'a [SectionRow], name: &str) -> Result<Found<'a>> {
    let name = name.trim();
    let (looseness, found) = sections_named(document, sections, name);
    match found[..] {
        [section] if looseness == POSITION => {
            Ok(Found { section, note: Some(using(&format!("no section has the number {name:?}"), section, sections)) })
        }
        [section] => {
            let has_path = |other: &&SectionRow| other.path == name && other.section_id != section.section_id;
            let note = match sections.iter().find(has_path) {
                Some(other) => Some(format!("{name} is also the path of {:?} ({})", other.title, other.section_id)),
                None if looseness == PATH => read_as_path(sections, section),
                None => None,
            };
            Ok(Found { section, note })
        }
        [] => guess(document, sections, name),
        ref many => {
            let by_id = many.iter().map(|section| format!("{} ({})", section.section_id, section.title));
            let hint = format!("name one by its id: {}", first_of(by_id));
            Err(Error::usage(format!("{} sections match {name:?}", many.len())).hint(hint))
        }
    }
}

/// How loosely a name is read: as a path, as a title (from this number on), as a position. A printed number is less
/// loose.
const PATH: usize = 10;
const TITLE: usize = 11;
const POSITION: usize = 20;

/// The sections that a name stands for without a guess, and how loosely it is read: 0 is as an id, lower is more
/// literal.
fn sections_named<'a>(document: &DocumentName, sections: &'a [SectionRow], name: &str) -> (usize, Vec<&'a SectionRow>) {
    let at_path = || sections.iter().find(|section| section.path == name);
    if let Some(section) = sections.iter().find(|section| section.section_id == name) {
        return (0, vec![section]);
    }
    if let Some((fit, printed)) = with_printed_number(sections, name) {
        // A path that is shown is meant.
        let is_shown = |section: &&SectionRow| SectionNames::of(sections).shown(section) == Some(name);
        if let Some(section) = at_path().filter(is_shown) {
            return (PATH, vec![section]);
        }
        // Of several with this printed number, the one at this path is meant.
        let own = at_path().filter(|section| printed.len() > 1 && printed.contains(section));
        return (1 + fit, own.map_or(printed, |section| vec![section]));
    }
    if let Some(section) = at_path() {
        return (PATH, vec![section]);
    }
    let wanted = normalise_title(name);
    // `2` is a path and must not find "Error T-1102".
    let position = || (POSITION, at_position(document, sections, name).into_iter().collect());
    if is_path(name) || wanted.is_empty() {
        return position();
    }
    let parts = SectionNumber::in_front(name).map(|(number, rest)| (number, normalise_title(&rest)));
    let has_parts = |section: &SectionRow| {
        let own = SectionNumber::in_front(&section.title);
        let are_alike = |((number, rest), (own, title)): (&(SectionNumber, String), (SectionNumber, String))| {
            number.fit(&own).is_some() && *rest == normalise_title(&title)
        };
        parts.as_ref().zip(own).is_some_and(are_alike)
    };
    let readings: [&dyn Fn(&SectionRow) -> bool; 5] = [
        &|section| normalise_title(&section.title) == wanted,
        &|section| normalise_title(without_number(&section.title)) == wanted,
        &has_parts,
        &|section| has_run(&section.title, wanted.chars().count(), |run| run == wanted),
        // A part of a number is another number: `1A` is in "8.1 Amendment", and `Part I` in "Part II".
        &|section| {
            !wanted.contains(char::is_numeric)
                && normalise_title(&section.title).contains(&wanted)
                && !SectionNumber::differ(name, &section.title)
        },
    ];
    let read = |reading: &dyn Fn(&SectionRow) -> bool| titled(sections).filter(|section| reading(section)).collect();
    let mut found = readings.into_iter().map(read).enumerate().filter(|(_, found): &(usize, Vec<_>)| !found.is_empty());
    found.next().map_or_else(position, |(reading, found)| (TITLE + reading, found))
}

/// The section at this position, if no numbers are printed. Chapters are counted below the section that is the whole
/// document; a number with a dot is tried as a path first. The second section is no part 2: that may be a part of the
/// subject, such as an exam.
fn at_position<'a>(document: &DocumentName, sections: &'a [SectionRow], name: &str) -> Option<&'a SectionRow> {
    if name.to_lowercase().starts_with("part ") || name.ends_with("部分") {
        return None;
    }
    let path = SectionNumber::of_name(name)?.place()?;
    let inside = title_section(&document.title, sections).map(|title| format!("{}.{path}", title.path));
    let mut paths = [inside.as_deref(), Some(path.as_str())];
    if path.contains('.') {
        paths.reverse();
    }
    let found = paths.into_iter().flatten().find_map(|path| sections.iter().find(|section| section.path == path))?;
    let is_above = |other: &&SectionRow| other.level <= found.level;
    let is_printed = titled(sections).filter(is_above).any(|other| SectionNumber::of_title(&other.title).is_some());
    (!is_printed).then_some(found)
}

/// The section that is the whole document: the only one at the top, with the document's title, and all others below it.
/// `sections` are those of the document, or of its upper levels; the text before the first does not count.
pub fn title_section<'a>(document_title: &str, sections: &'a [SectionRow]) -> Option<&'a SectionRow> {
    let mut tops = sections.iter().filter(|section| section.level == 1);
    let top = tops.next().filter(|_| tops.next().is_none())?;
    let has_others = sections.iter().any(|section| section.level > 1);
    (has_others && normalise_title(&top.title) == normalise_title(document_title)).then_some(top)
}

/// Whether some of the runs of words in a title, normalised, fit. A title may have hundreds of words: only runs of up
/// to `longest` characters are tried.
fn has_run(title: &str, longest: usize, fits: impl Fn(&str) -> bool) -> bool {
    let words: Vec<String> = title.unicode_words().map(normalise_title).collect();
    (0..words.len()).any(|start| {
        let mut run = String::new();
        let mut runs = words[start..].iter().map_while(|word| {
            run.push_str(word);
            (run.chars().count() <= longest).then(|| fits(&run))
        });
        runs.any(|fits| fits)
    })
}

/// The sections with titles of their own.
fn titled(sections: &[SectionRow]) -> impl Iterator<Item = &SectionRow> {
    sections.iter().filter(|section| !section.is_preamble())
}

/// A section whose title is nearly the name.
fn guess<'a>(document: &DocumentName, sections: &'a [SectionRow], name: &str) -> Result<Found<'a>> {
    let missing = || Error::not_found(format!("no section {name:?}"));
    let list = || format!("`{}` shows the sections", NextStep::ShowContents(&document.doc_id));
    if is_path(name) {
        return Err(missing().hint(list()));
    }
    let (titled, wanted): (Vec<&SectionRow>, String) = (titled(sections).collect(), normalise_title(name));
    // Appendix B is no misspelt Appendix A.
    let is_near = |title: &str| is_near(title, &wanted) && !SectionNumber::differ(name, title);
    let near: Vec<&SectionRow> = titled.iter().copied().filter(|section| is_near(&section.title)).collect();
    if let [section] = near[..] {
        return Ok(Found { section, note: Some(using(&format!("no section {name:?}"), section, sections)) });
    }
    let titles = titled.iter().map(|section| (normalise_title(&section.title), *section));
    let suggested = if near.is_empty() { alike(titles, &wanted, LEAST_SIMILARITY) } else { near };
    Err(missing().hint(match suggested.is_empty() {
        true => list(),
        false => {
            let names = SectionNames::of(sections);
            let named = |section: &&SectionRow| format!("{} ({})", names.typed(section), section.title);
            format!("did you mean {}?", first_of(suggested.iter().map(named)))
        }
    }))
}

/// The sections that a name stands for: the one that [`find_section`] finds, or all that it fits equally well.
pub(super) fn find_sections<'a>(document: &DocumentName, sections: &'a [SectionRow], name: &str) -> Vec<Found<'a>> {
    match find_section(document, sections, name) {
        Ok(found) => vec![found],
        Err(_) => {
            let (_, found) = sections_named(document, sections, name.trim());
            found.into_iter().map(|section| Found { section, note: None }).collect()
        }
    }
}

/// How a name must be read to stand for a section of a document. Of two readings the lesser is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Reading {
    /// Lower is more literal.
    looseness: usize,
    fits_several: bool,
}

impl Reading {
    /// `None` if the name fits no section.
    pub fn of(document: &DocumentName, sections: &[SectionRow], name: &str) -> Option<Self> {
        let (looseness, found) = sections_named(document, sections, name.trim());
        (!found.is_empty()).then_some(Reading { looseness, fits_several: found.len() > 1 })
    }

    /// Whether two readings are of the same kind, both as a printed number or both as the same other thing.
    pub fn is_like(self, other: Self) -> bool {
        self.looseness == other.looseness || (self.looseness < PATH && other.looseness < PATH)
    }
}

/// The only document that has a section of this name, or has it most literally; `sections` are those of all documents.
///
/// # Errors
/// If none or several do.
pub fn document_with<'a>(
    documents: &'a [DocumentName],
    sections: &[SectionRow],
    name: &str,
) -> Result<&'a DocumentName> {
    let mut by_document: HashMap<&DocId, Vec<SectionRow>> = HashMap::new();
    for section in sections {
        by_document.entry(&section.doc_id).or_default().push(section.clone());
    }
    let reading = |document: &DocumentName| Reading::of(document, by_document.get(&document.doc_id)?, name);
    let named = documents.iter().filter_map(|own| Some((reading(own)?.looseness, own)));
    let named: Vec<(usize, &DocumentName)> = named.collect();
    let best = named.iter().map(|(looseness, _)| *looseness).min();
    let found: Vec<&DocumentName> =
        named.into_iter().filter(|(looseness, _)| Some(*looseness) == best).map(|(_, own)| own).collect();
    match found[..] {
        [one] => Ok(one),
        [] => {
            let end = format!("/{name}");
            let is_named = |own: &&DocumentName| own.doc_id == name || own.source == name || own.source.ends_with(&end);
            let hint = match documents.iter().find(is_named) {
                Some(own) => {
                    let contents = NextStep::ShowContents(&own.doc_id);
                    format!("it is a document: name a section too; `{contents}` shows them")
                }
                None => format!("`{}` shows the sections of a document", NextStep::ShowContents("DOC")),
            };
            Err(Error::not_found(format!("no document has a section {name:?}")).hint(hint))
        }
        _ => {
            let sources = first_of(found.iter().map(|document| document.source.clone()));
            let message = format!("{} documents have a section {name:?}", found.len());
            Err(Error::usage(message).hint(format!("name the document first: {sources}")))
        }
    }
}

fn using(why: &str, section: &SectionRow, sections: &[SectionRow]) -> String {
    format!("{why}; using {} ({})", SectionNames::of(sections).typed(section), section.title)
}

/// Reports that a name was read as a path, which is also the printed number of other sections.
fn read_as_path(sections: &[SectionRow], taken: &SectionRow) -> Option<String> {
    let (_, printed) = with_printed_number(sections, &taken.path)?;
    let number = |other: &&SectionRow| printed_number(&other.title).unwrap_or(&other.title).to_owned();
    let others = first_of(printed.iter().map(|other| format!("{} is {}", number(other), other.section_id)));
    Some(format!("read as path {} ({}); {others}", taken.path, taken.title))
}

/// The sections whose printed number fits `name` best, and how well it fits; `None` if `name` is not a number, or is a
/// whole title.
fn with_printed_number<'a>(sections: &'a [SectionRow], name: &str) -> Option<(usize, Vec<&'a SectionRow>)> {
    let wanted = SectionNumber::of_name(name)?;
    let title = normalise_title(name);
    if !is_path(name) && titled(sections).filter(|section| normalise_title(&section.title) == title).count() == 1 {
        return None;
    }
    // The letters of an index are no Roman numbers: `V` stands among `A`, `B` and others there.
    let letter = |section: &&SectionRow| matches!(section.title.as_bytes(), [b'A'..=b'Z']);
    let has_index = titled(sections).filter(letter).any(|section| !"IVXLCDM".contains(&section.title));
    let fitting = titled(sections).filter(|section| !(has_index && letter(section))).filter_map(|section| {
        let fit = wanted.fit(&SectionNumber::of_title(&section.title)?)?;
        Some((fit, section))
    });
    let fitting: Vec<(usize, &SectionRow)> = fitting.collect();
    let best = fitting.iter().map(|(fit, _)| *fit).min()?;
    Some((best, fitting.into_iter().filter(|(fit, _)| *fit == best).map(|(_, section)| section).collect()))
}

fn is_path(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_digit() || c == '.')
}

/// Whether a title or a run of its words is `wanted` (normalised) except for a few letters.
fn is_near(title: &str, wanted: &str) -> bool {
    // How many letters may be wrong, missing, extra or swapped. One letter makes another word of a short one.
    let allowed = match wanted.chars().count() {
        0..=3 => 0,
        4..=7 => 1,
        8..=15 => 2,
        _ => 3,
    };
    let digits = |text: &str| text.chars().filter(|c| c.is_numeric()).collect::<String>();
    let number = digits(wanted);
    // A number that is one digit off is another number.
    let is_like = |run: &str| strsim::osa_distance(run, wanted) <= allowed && digits(run) == number;
    // A longer run has more letters too many.
    allowed > 0 && has_run(title, wanted.chars().count() + allowed, is_like)
}

/// A title without the number printed before it: `1.2`, `Chapter 3`, `第三章`.
pub fn without_number(title: &str) -> &str {
    without_printed_number(title)
        .trim_start_matches(|c: char| c.is_numeric() || c.is_whitespace() || ".:：、".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::hit::sample::{document, section as row};
    use proptest::prelude::*;

    fn guide() -> DocumentName {
        DocumentName::from(&document("d", "guide.md", "Guide"))
    }

    fn path_of(rows: &[SectionRow], name: &str) -> Result<String> {
        find_section(&guide(), rows, name).map(|found| found.section.path.clone())
    }

    fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
        text.lines().filter_map(|line| line.split_once('\t'))
    }

    /// The table lists tables of contents, each with names of its sections, and with names of none.
    #[test]
    fn sections_are_found_by_all_names_that_people_give_them() {
        let table = include_str!("../../fixtures/section_names.tsv");
        let (mut names, mut wrong) = (0, Vec::new());
        for document in table.split("== ").skip(1) {
            let (contents, named) = document.split_once("-- names\n").unwrap();
            let rows: Vec<SectionRow> = pairs(contents).map(|(path, title)| row(path, title)).collect();
            for (name, path) in pairs(named) {
                names += 1;
                let found = path_of(&rows, name);
                if found.as_deref().ok() != Some(path).filter(|path| *path != "-") {
                    wrong.push(format!("{name:?} is {path}, not {found:?}"));
                }
            }
        }
        assert!(names >= 200 && wrong.is_empty(), "{} of {names}:\n{}", wrong.len(), wrong.join("\n"));
    }

    #[test]
    fn another_section_that_a_name_can_mean_is_noted() {
        let rows = [row("1", "3.2 Character protrusion"), row("3.1", "3.20 Margins"), row("3.2", "2.2 Setup")];
        let note = find_section(&guide(), &rows, "3.2").unwrap().note.unwrap();
        assert!(note.contains("also the path of \"2.2 Setup\" (d#3.2)"), "{note}");
        assert_eq!(find_section(&guide(), &rows, "3.1").unwrap().note, None);
        let items = [row("5.3", "ITEM 7. DISCUSSION"), row("7", "PART IV")];
        assert!(find_section(&guide(), &items, "7").unwrap().note.unwrap().contains("path of \"PART IV\" (d#7)"));
        let shown = [row("5.3", "Item 7. Discussion"), row("7", "Signatures")];
        let note = find_section(&guide(), &shown, "7").unwrap().note.unwrap();
        assert_eq!(note, "read as path 7 (Signatures); Item 7 is d#5.3");
        let roman = [row("1", "Abstract"), row("2", "I. Introduction")];
        assert!(find_section(&guide(), &roman, "1").unwrap().note.is_some());
    }

    #[test]
    fn a_document_of_another_name_has_one_chapter() {
        let rows = [row("1", "GUIDE"), row("1.1", "Install"), row("1.2", "Configure")];
        let pumps = DocumentName::from(&document("d", "pumps.md", "Pumps"));
        assert_eq!(find_section(&pumps, &rows, "chapter 1").unwrap().section.path, "1");
        assert!(find_section(&pumps, &rows, "chapter 2").is_err());
    }

    #[test]
    fn missing_and_ambiguous_names_get_suggestions() {
        let twice = [row("1", "2.1 Left"), row("2", "2.1 Right")];
        let error = find_section(&guide(), &twice, "2.1").unwrap_err();
        assert!(error.next_step().unwrap().contains("d#1 (2.1 Left), d#2 (2.1 Right)"), "{error}");
        let rows = [row("1", "Installation"), row("2.1", "Notes"), row("3.1", "Notes"), row("3", "Start")];
        let error = find_section(&guide(), &rows, "notes").unwrap_err();
        assert!(error.next_step().unwrap().contains("3.1"));
        assert_eq!(error.kind().exit_code(), 2, "as for ambiguous documents");
        // Two near ones: neither is taken.
        let error = find_section(&guide(), &rows, "Notse").unwrap_err();
        assert!(error.next_step().unwrap().contains("2.1") && error.next_step().unwrap().contains("3.1"));
        let error = find_section(&guide(), &rows, "Installing").unwrap_err();
        assert!(error.next_step().unwrap().contains("Installation"), "{error}");
        assert_eq!(error.kind().exit_code(), 1);
    }

    proptest! {
        /// Titles that look like the paths and numbers of other sections do not take their place.
        #[test]
        fn every_section_is_found_by_its_id(
            levels in prop::collection::vec((1usize..4, "([0-9]{1,2}(\\.[0-9]){0,2} ?|第[一二三]章 |Chapter [1-4]: |)([A-Za-z]{0,6}|阀门)"), 0..24),
        ) {
            let mut counters: Vec<u32> = Vec::new();
            let rows: Vec<SectionRow> = levels.iter().map(|(level, title)| {
                counters.truncate(*level);
                if counters.len() < *level { counters.push(1) } else if let Some(last) = counters.last_mut() { *last += 1 }
                row(&counters.iter().map(u32::to_string).collect::<Vec<_>>().join("."), title)
            }).collect();
            for row in &rows {
                prop_assert_eq!(&path_of(&rows, &row.section_id).unwrap(), &row.path);
            }
        }
    }
}
