//! Abbreviations and their long forms, in prose and in lists, after Schwartz and Hearst, "A simple algorithm for
//! identifying abbreviation definitions in biomedical text" (2003): read from the end, the long form must have every
//! letter of the abbreviation, and the first one at the beginning of a word.

use super::name::{Definition, LISTS, offset_of, trimmed};
use crate::text::is_wide;

/// The length of an abbreviation, in characters.
const SHORTEST: usize = 2;
const LONGEST: usize = 10;

/// The longest Chinese name in a list, in characters.
const LONGEST_IN_LIST: usize = 16;

/// The words without a letter in the abbreviation, and how many others have none.
const SMALL: [&str; 11] = ["of", "and", "the", "for", "in", "to", "on", "a", "an", "by", "with"];
const MOST_WITHOUT_LETTER: usize = 1;

/// Whether a word looks like an abbreviation: at least two capitals, or one and a digit, but no numeral up to XXXIX.
pub(super) fn is_abbreviation(word: &str) -> bool {
    let length = word.chars().count();
    let capitals = word.chars().filter(|c| c.is_uppercase()).count();
    let digits = word.chars().filter(char::is_ascii_digit).count();
    (SHORTEST..=LONGEST).contains(&length)
        && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '/' | '&' | '.'))
        && word.starts_with(|c: char| c.is_ascii_alphanumeric())
        && (capitals >= 2 || (capitals == 1 && digits > 0 && word.starts_with(|c: char| c.is_ascii_uppercase())))
        && !word.chars().all(|c| matches!(c, 'I' | 'V' | 'X'))
}

/// The most words in the long form of an abbreviation.
pub(super) fn most_words(short: &str) -> usize {
    let letters = short.chars().filter(|c| c.is_alphanumeric()).count();
    (letters + 5).min(letters * 2)
}

/// The long form of an abbreviation at the end of `text`; `None` if it lacks the letters.
pub(super) fn long_form<'a>(short: &str, text: &'a str) -> Option<&'a str> {
    let text = text.trim_end();
    let window = text.split_whitespace().rev().take(most_words(short)).last();
    let long = &text[window.map_or(text.len(), |first| offset_of(first, text))..];
    let letters: Vec<char> = short.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    // The plural ending of the abbreviation has no letter in the long form.
    let letters = match letters.split_last() {
        Some(('s', rest)) if short.ends_with('s') && rest.len() >= SHORTEST => rest,
        _ => &letters[..],
    };
    let chars: Vec<(usize, char)> = long.char_indices().collect();
    let mut at = chars.len();
    for (i, letter) in letters.iter().enumerate().rev() {
        loop {
            at = at.checked_sub(1)?;
            let begins = at == 0 || !chars[at - 1].1.is_alphanumeric();
            if chars[at].1.to_lowercase().eq([*letter]) && (i > 0 || begins) {
                break;
            }
        }
    }
    let found = &long[chars.get(at)?.0..];
    // The nearest letters may be inside of words: those of EEI are all in "Electric Institute".
    let found = with_initials(short, long).filter(|exact| exact.len() > found.len()).unwrap_or(found);
    let words = || found.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let longer = found.chars().count() > short.chars().count();
    let says_itself =
        words().any(|word| word.get(..short.len()).is_some_and(|start| start.eq_ignore_ascii_case(short)));
    let of_letters = found.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '/' | '&' | '\'' | '’'));
    // Most letters of a real abbreviation begin words, and most words of its long form have a letter in it: "each of
    // basic net income per share" has the letters of EPS by chance.
    let initials = words().filter(|word| word.chars().any(char::is_alphabetic)).count().min(letters.len());
    let enough = initials * 2 >= letters.len();
    let begins = found.split_whitespace().next().is_some_and(|word| !SMALL.contains(&word));
    let telling = found.split_whitespace().filter(|word| !SMALL.contains(word)).count();
    let few = telling <= letters.len() + MOST_WITHOUT_LETTER;
    (longer && !says_itself && of_letters && enough && begins && few).then_some(found)
}

/// Whether a Chinese name is long enough for an abbreviation, each of whose letters stands for a word: 编辑器 in front of
/// `(ASCII)` is not what that stands for.
pub(super) fn has_words_for(short: &str, chinese: &str) -> bool {
    chinese.chars().count() >= short.chars().filter(|c| c.is_alphanumeric()).count()
}

/// The long form of an abbreviation at the beginning of `text`: words with its initials, or all of a short text.
pub(super) fn long_form_at_start<'a>(short: &str, text: &'a str) -> Option<&'a str> {
    let text = text.trim();
    let words = text.split_whitespace().take(most_words(short));
    let ends: Vec<usize> = words.map(|word| offset_of(word, text) + word.len()).collect();
    let whole = |end: usize| {
        let found = long_form(short, &text[..end])?;
        (found.len() == end).then_some(&text[..end])
    };
    let exact = ends.iter().copied().find(|end| has_initials(short, &text[..*end]));
    match exact {
        Some(end) => whole(end),
        None => ends.last().copied().filter(|end| *end == text.len()).and_then(whole),
    }
}

/// The shortest end of a text whose words have exactly the letters of an abbreviation as initials.
fn with_initials<'a>(short: &str, text: &'a str) -> Option<&'a str> {
    let ends = text.split_whitespace().rev().map(|word| &text[offset_of(word, text)..]);
    ends.filter(|end| has_initials(short, end))
        .find(|end| !end.split_whitespace().next().is_some_and(|word| SMALL.contains(&word)))
}

/// Whether the letters of an abbreviation are the initials of a text.
fn has_initials(short: &str, text: &str) -> bool {
    let letters = short.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase);
    letters.eq(initials(text).into_iter().flat_map(char::to_lowercase))
}

/// The first letters of words, except function words.
fn initials(text: &str) -> Vec<char> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty() && !SMALL.contains(word));
    words.filter_map(|word| word.chars().next()).collect()
}

/// The names that the lines of a text define, one per line with the abbreviation first. Initials prove an English name;
/// a Chinese name needs an English one beside it, or `titles` that announce a list.
pub(super) fn definitions(text: &str, titles: &str) -> Vec<Definition> {
    let titles = titles.to_lowercase();
    let is_list = LISTS.list_titles.iter().any(|title| titles.contains(title));
    text.lines().flat_map(|line| in_line(line, is_list)).collect()
}

fn in_line(line: &str, is_list: bool) -> Vec<Definition> {
    let Some((short, cells)) = cells(line) else { return Vec::new() };
    let english: Vec<&str> = cells.iter().filter_map(|cell| long_form_at_start(short, first_part(cell))).collect();
    let proven = is_list || !english.is_empty();
    let chinese = cells.iter().filter(|_| proven).filter_map(|cell| {
        let name = trimmed(cell.split(['，', '。', '；', '（', '(', ',']).next()?);
        let length = name.chars().count();
        (name.chars().all(|c| is_wide(c) && c.is_alphanumeric()) && (2..=LONGEST_IN_LIST).contains(&length))
            .then_some(name)
    });
    english.iter().copied().chain(chinese).filter_map(|long| Definition::of(short, long)).collect()
}

/// The abbreviation at the beginning of a line, and the cells after it.
fn cells(line: &str) -> Option<(&str, Vec<&str>)> {
    let line = line.trim().trim_start_matches(['-', '*', '+', '•', '·']).trim_start();
    let mut cells: Vec<&str> = match line.contains('|') {
        true => line.split('|').map(str::trim).filter(|cell| !cell.is_empty()).collect(),
        false => match line.split_once('\t').or_else(|| line.split_once("  ")) {
            Some((first, rest)) => std::iter::once(first).chain(rest.split(['\t'])).map(str::trim).collect(),
            None => {
                let marks = [": ", "：", " – ", " — ", " - ", " = ", "——"].into_iter();
                let (at, length) = marks.filter_map(|mark| Some((line.find(mark)?, mark.len()))).min()?;
                vec![&line[..at], &line[at + length..]]
            }
        },
    };
    let short = trimmed(cells.first()?);
    cells.remove(0);
    (is_abbreviation(short) && !cells.is_empty()).then_some((short, cells))
}

/// A cell before its first punctuation mark.
fn first_part(cell: &str) -> &str {
    trimmed(cell.split(['.', ',', ';', '(', '，', '。', '；', '（', ':', '：']).next().unwrap_or(cell))
}

#[cfg(test)]
mod tests {
    use super::super::tests::pairs;
    use super::*;

    #[test]
    fn other_words_are_not_abbreviations() {
        for good in ["TDO", "mRNA", "H2", "TDOs", "E-PDU", "R&D", "CI", "IPv6"] {
            assert!(is_abbreviation(good), "{good}");
        }
        for bad in ["T", "Order", "see", "II", "XIV", "TRANSPORTABLE", "2019", "a1", "T D", "泵"] {
            assert!(!is_abbreviation(bad), "{bad}");
        }
    }

    #[test]
    fn all_letters_must_be_found_and_the_first_begins_a_word() {
        assert_eq!(long_form("TDO", "sends a Transport Disconnect Order "), Some("Transport Disconnect Order"));
        assert_eq!(long_form("HTTP", "the hypertext transfer protocol"), Some("hypertext transfer protocol"));
        assert_eq!(long_form("TDOs", "all transport disconnect orders"), Some("transport disconnect orders"));
        assert_eq!(long_form("TDO", "a disconnect order"), None);
        assert_eq!(long_form("TDO", "the TDO order"), None, "it would stand for itself");
        assert_eq!(long_form("PDO", "stopped orders"), None, "the first letter begins no word");
        assert_eq!(long_form("ABCD", "abacadabra"), None, "one word for four letters is chance");
        assert_eq!(long_form("EEI", "of the Edison Electric Institute"), Some("Edison Electric Institute"));
        assert_eq!(long_form("OCA", "the office of ConsumerAdvocate"), None, "it begins with a function word");
        assert_eq!(long_form("EPS", "earnings per common share"), Some("earnings per common share"));
        assert_eq!(long_form("EPS", "each of basic net income per share"), None, "so are six words for three letters");
    }

    #[test]
    fn a_long_form_ends_with_the_initials() {
        let long = |short, text| long_form_at_start(short, text);
        assert_eq!(long("TDO", "Transport Disconnect Order used here"), Some("Transport Disconnect Order"));
        assert_eq!(long("DOT", "Department of Transport"), Some("Department of Transport"));
        assert_eq!(long("HTTP", "hypertext transfer protocol"), Some("hypertext transfer protocol"));
        assert_eq!(long("TDO", "see the table of contents"), None);
    }

    fn found(text: &str, titles: &str) -> Vec<String> {
        pairs(definitions(text, titles))
    }

    #[test]
    fn lines_and_tables_define_abbreviations() {
        for line in [
            "TDO: Transport Disconnect Order",
            "- **TDO** – Transport Disconnect Order, see 3.2",
            "TDO\tTransport Disconnect Order",
            "TDO   Transport Disconnect Order used at the end",
            "| TDO | Transport Disconnect Order |",
        ] {
            assert_eq!(found(line, ""), ["TDO = Transport Disconnect Order"], "{line}");
        }
        let three = found("| PUE | Power Usage Effectiveness | 电能利用效率 |", "");
        assert_eq!(three, ["PUE = Power Usage Effectiveness", "PUE = 电能利用效率"]);
    }

    #[test]
    fn names_in_chinese_need_a_title_that_announces_them() {
        let line = "PUE：电能利用效率";
        assert_eq!(found(line, "手册 › 附录"), [""; 0]);
        assert_eq!(found(line, "手册 › 缩略语"), ["PUE = 电能利用效率"]);
        assert_eq!(found("CPU: 8 cores\nNOTE: open the valve\nPUE: 见第 3 章。", ""), [""; 0]);
    }
}
