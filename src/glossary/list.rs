//! Lists and tables of abbreviations: a line for each, with the abbreviation in front.

use super::Definition;
use super::abbreviation::{is_abbreviation, long_form_at_start};
use super::names::trimmed;
use crate::text::is_wide;

/// What the title above such a list says.
const TITLES: [&str; 12] = [
    "abbreviation",
    "acronym",
    "glossary",
    "terms",
    "definitions",
    "缩略",
    "缩写",
    "术语",
    "简称",
    "词汇",
    "名词",
    "符号",
];
/// A name in Chinese in such a list has at most so many characters.
const LONGEST: usize = 16;

/// The names that the lines of a text define. By initials they are told anywhere; names in Chinese only beside one in
/// English, or where `titles` say that this is a list of them.
pub(super) fn definitions(text: &str, titles: &str) -> Vec<Definition> {
    let titles = titles.to_lowercase();
    let is_list = TITLES.iter().any(|title| titles.contains(title));
    text.lines().flat_map(|line| in_line(line, is_list)).collect()
}

fn in_line(line: &str, is_list: bool) -> Vec<Definition> {
    let Some((short, cells)) = taken_apart(line) else { return Vec::new() };
    let english: Vec<&str> = cells.iter().filter_map(|cell| long_form_at_start(short, first_part(cell))).collect();
    let told = is_list || !english.is_empty();
    let chinese = cells.iter().filter(|_| told).filter_map(|cell| {
        let name = trimmed(cell.split(['，', '。', '；', '（', '(', ',']).next()?);
        let length = name.chars().count();
        (name.chars().all(|c| is_wide(c) && c.is_alphanumeric()) && (2..=LONGEST).contains(&length)).then_some(name)
    });
    english.iter().copied().chain(chinese).filter_map(|long| Definition::of(short, long)).collect()
}

/// The abbreviation in front of a line, and what stands behind it.
fn taken_apart(line: &str) -> Option<(&str, Vec<&str>)> {
    let line = line.trim().trim_start_matches(['-', '*', '+', '•', '·']).trim_start();
    let mut cells: Vec<&str> = match line.contains('|') {
        true => line.split('|').map(str::trim).filter(|cell| !cell.is_empty()).collect(),
        false => match line.split_once('\t').or_else(|| line.split_once("  ")) {
            Some((first, rest)) => std::iter::once(first).chain(rest.split(['\t'])).map(str::trim).collect(),
            None => {
                let at = [": ", "：", " – ", " — ", " - ", " = ", "——"]
                    .iter()
                    .filter_map(|mark| Some((line.find(mark)?, mark.len())))
                    .min()?;
                vec![&line[..at.0], &line[at.0 + at.1..]]
            }
        },
    };
    let short = trimmed(cells.first()?);
    cells.remove(0);
    (is_abbreviation(short) && !cells.is_empty()).then_some((short, cells))
}

/// A cell up to its first mark.
fn first_part(cell: &str) -> &str {
    trimmed(cell.split(['.', ',', ';', '(', '，', '。', '；', '（', ':', '：']).next().unwrap_or(cell))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str, titles: &str) -> Vec<(String, String)> {
        definitions(text, titles).into_iter().map(|found| (found.short, found.long)).collect()
    }

    #[test]
    fn lines_and_tables_define_abbreviations() {
        let tdo = [("TDO".to_owned(), "Transport Disconnect Order".to_owned())];
        for line in [
            "TDO: Transport Disconnect Order",
            "- **TDO** – Transport Disconnect Order, see 3.2",
            "TDO\tTransport Disconnect Order",
            "TDO   Transport Disconnect Order used at the end",
            "| TDO | Transport Disconnect Order |",
        ] {
            assert_eq!(pairs(line, ""), tdo, "{line}");
        }
        let three = pairs("| PUE | Power Usage Effectiveness | 电能利用效率 |", "");
        assert_eq!(
            three.iter().map(|(_, long)| long.as_str()).collect::<Vec<_>>(),
            ["Power Usage Effectiveness", "电能利用效率"]
        );
    }

    #[test]
    fn names_in_chinese_need_a_title_that_says_so() {
        let line = "PUE：电能利用效率";
        assert_eq!(pairs(line, "手册 › 附录"), []);
        assert_eq!(pairs(line, "手册 › 缩略语")[0], ("PUE".to_owned(), "电能利用效率".to_owned()));
        assert_eq!(pairs("CPU: 8 cores\nNOTE: open the valve\nPUE: 见第 3 章。", ""), []);
    }
}
