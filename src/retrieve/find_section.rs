//! What a user calls a section to the section: its path, the number printed before its title, its title, the
//! unique part of one, or a title misspelt.

use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

use crate::error::{Error, Result};
use crate::store::SectionRow;
use crate::structure::{PREAMBLE, normalise_title};
use crate::text::han::simplified;

/// How many suggestions an error names.
const MOST_NAMED: usize = 5;
/// Titles less alike than this are no suggestion.
const LEAST_LIKENESS: f64 = 0.6;

/// A section that a name stands for.
#[derive(Debug, Clone, PartialEq)]
pub struct Found<'a> {
    /// The section.
    pub section: &'a SectionRow,
    /// Where the name was misspelt or can mean another section: what it was taken for.
    pub note: Option<String>,
}

/// The sections of a document that `names` stand for: paths (`1.2.3`), numbers that titles begin with, titles, or unique
/// parts of titles. A name that fits none and is nearly one is taken for that one.
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
        return Ok(Found { section, note: printed_elsewhere(sections, section, name) });
    }
    let titled: Vec<&SectionRow> = sections.iter().filter(|section| section.path != PREAMBLE).collect();
    if let Some(found) = by_printed_number(&titled, name) {
        return found;
    }
    // What looks like a path is one: `2` must not find "Error T-1102".
    if is_path(name) {
        return Err(Error::not_found(format!("no section {name:?}")).hint(beside(sections, name)));
    }
    let wanted = normalise_title(name);
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

/// The section whose title begins with the number `name`; an error where several do, nothing where none does or it is
/// no number.
fn by_printed_number<'a>(titled: &[&'a SectionRow], name: &str) -> Option<Result<Found<'a>>> {
    let number = printed_number(name)?;
    let wanted = normalise_title(name);
    let same = |section: &&&SectionRow| normalise_title(&section.title) == wanted;
    if !is_path(name) && titled.iter().filter(same).count() == 1 {
        // It is the whole title.
        return None;
    }
    let found: Vec<&SectionRow> =
        titled.iter().copied().filter(|section| begins_with_number(&section.title, &number)).collect();
    match found.as_slice() {
        [] => None,
        [one] => {
            let why = if is_path(name) { "no section has the path " } else { "the number " };
            let note = format!("{why}{name:?}; taken for {} ({})", one.path, one.title);
            Some(Ok(Found { section: one, note: Some(note) }))
        }
        many => {
            let hint = format!("name one by its path: {}", name_them(many));
            Some(Err(Error::not_found(format!("{} sections are printed as {name:?}", many.len())).hint(hint)))
        }
    }
}

/// Says which other sections are printed with the number that is the path of this one, unless this one is as well.
fn printed_elsewhere(sections: &[SectionRow], taken: &SectionRow, name: &str) -> Option<String> {
    let number = printed_number(name).filter(|_| is_path(name))?;
    let other: Vec<&SectionRow> = sections
        .iter()
        .filter(|section| section.path != PREAMBLE && section.path != taken.path)
        .filter(|section| begins_with_number(&section.title, &number))
        .collect();
    let same = mentions_number(&taken.title, &number) || taken.title.trim_start().starts_with('第');
    if other.is_empty() || same {
        return None;
    }
    let paths: Vec<&str> = other.iter().take(MOST_NAMED).map(|section| section.path.as_str()).collect();
    let more = if other.len() > paths.len() { ", …" } else { "" };
    let (is, has) = if other.len() == 1 { ("section", "has the path") } else { ("sections", "have the paths") };
    Some(format!(
        "{name} is the path of {:?}; the {is} printed as {name} {has} {}{more}",
        taken.title,
        paths.join(", ")
    ))
}

fn is_path(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_digit() || c == '.')
}

/// `name` as titles are compared with it, where it is a number as headings have it: `3.2`, `A.1`, `Chapter 3`,
/// `第三章`, `附录 A`.
fn printed_number(name: &str) -> Option<String> {
    const WORDS: [&str; 7] = ["part", "chapter", "section", "article", "appendix", "annex", "item"];
    let number = plain(name);
    let number = number.trim_end_matches('.');
    let is_number = |text: &str| {
        let mut pieces = text.split('.');
        let letter = |piece: &str| piece.len() == 1 && piece.bytes().all(|byte| byte.is_ascii_alphabetic());
        let digits = |piece: &str| !piece.is_empty() && piece.bytes().all(|byte| byte.is_ascii_digit());
        pieces.next().is_some_and(|first| digits(first) || (letter(first) && text.contains('.'))) && pieces.all(digits)
    };
    let after_word = || {
        let (word, rest) = number.split_once(' ')?;
        let letters = rest.len() <= 5 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric());
        (WORDS.contains(&word) && (letters || is_number(rest))).then_some(())
    };
    let chinese = || {
        let ordinal = number.starts_with('第')
            && (number.ends_with("部分") || number.ends_with(is_unit))
            && number.chars().count() <= 8;
        let appendix = ["附录", "附錄", "附件"].iter().any(|word| number.starts_with(word));
        (ordinal || (appendix && (3..=5).contains(&number.chars().count()))).then_some(())
    };
    (is_number(number) || after_word().or_else(chinese).is_some()).then(|| number.to_owned())
}

/// What `第三` is followed by.
fn is_unit(c: char) -> bool {
    "编編篇卷部章回讲课講課节節条條".contains(c)
}

/// Text as numbers are compared: small letters, full-width forms as others, and no spaces between what is no Latin.
fn plain(text: &str) -> String {
    let text = crate::text::squeeze(&text.nfkc().flat_map(char::to_lowercase).map(simplified).collect::<String>());
    if text.starts_with(['第', '附']) { text.replace(' ', "") } else { text }
}

/// Whether a title begins with a number that is [`printed_number`], and with no longer one: `3.2` is not in `3.20`.
fn begins_with_number(title: &str, number: &str) -> bool {
    let title = plain(title);
    let Some(rest) = title.strip_prefix(number) else { return false };
    if number.ends_with(is_unit) {
        return true;
    }
    let mut after = rest.strip_prefix('.').unwrap_or(rest).chars();
    match after.next() {
        None => true,
        // `3.2Scope`, as narrow contents pages have it, but not `3.2a`.
        Some(c) if c.is_ascii_alphabetic() => {
            number.contains('.')
                && number.ends_with(|c: char| c.is_ascii_digit())
                && after.next().is_some_and(char::is_alphabetic)
        }
        Some(c) => !c.is_ascii_digit(),
    }
}

/// Whether a title has the number among its first words: `3` is in `Chapter 3: Pumps`.
fn mentions_number(title: &str, number: &str) -> bool {
    let title = plain(title);
    begins_with_number(&title, number)
        || title.split(' ').take(2).any(|word| word.trim_matches(|c: char| !c.is_alphanumeric()) == number)
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

pub(super) fn without_number(title: &str) -> &str {
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
    fn a_number_that_is_printed_and_no_path_is_taken_and_said() {
        let rows = [
            row("1", "第一章 概述"),
            row("2", "第三章 启动水泵"),
            row("3", "3.2 Character protrusion"),
            row("3.1", "3.20 Margins"),
            row("4", "Chapter 7: Fonts, see 第一章"),
            row("5", "Chapter 70 Paper"),
            row("6", "A.1 Sources"),
            row("7", "4.2a Drafts"),
            row("8", "3.2.1 Kerning"),
        ];
        for (name, path) in
            [("3.2", "3"), ("3.2.", "3"), ("第三章", "2"), ("第 一 章", "1"), ("chapter 7", "4"), ("a.1", "6")]
        {
            let found = find_section(&rows, name).unwrap();
            assert_eq!(found.section.path, path, "{name}");
            let note = found.note.unwrap();
            assert!(note.contains(&format!("taken for {path} (")), "{note}");
        }
        for name in ["4.2", "0.2", "3.2.2"] {
            assert!(find_section(&rows, name).is_err(), "{name}");
        }
        let twice = [row("1", "2.1 Left"), row("2", "2.1 Right")];
        let error = find_section(&twice, "2.1").unwrap_err();
        assert!(error.next_step().unwrap().contains("1 (2.1 Left), 2 (2.1 Right)"), "{error}");
    }

    #[test]
    fn a_path_that_is_printed_before_another_title_is_said() {
        let rows = [
            row("1", "Preface"),
            row("3", "Chapter 3: Use"),
            row("3.2", "2.2 Setup"),
            row("5", "3) Pumps"),
            row("5.2", "3.2 Character protrusion"),
            row("5.3", "5.3 Own"),
            row("6", "5.3 Other"),
        ];
        let found = find_section(&rows, "3.2").unwrap();
        assert_eq!(found.section.path, "3.2");
        assert!(found.note.unwrap().contains("the section printed as 3.2 has the path 5.2"));
        for name in ["1", "3", "5.2", "5.3"] {
            assert_eq!(find_section(&rows, name).unwrap().note, None, "{name}");
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
