//! Abbreviations and what they stand for, after Schwartz and Hearst, "A simple algorithm for identifying abbreviation
//! definitions in biomedical text" (2003): read from the end, every letter of the abbreviation must be found in the
//! long form, and the first one at the beginning of a word.

/// Characters of an abbreviation.
const SHORTEST: usize = 2;
const LONGEST: usize = 10;

/// Whether a word looks like an abbreviation: at least two capitals, or one and a digit. Numerals up to XXXIX are none.
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

/// How many words the long form of an abbreviation may have.
pub(super) fn most_words(short: &str) -> usize {
    let letters = short.chars().filter(|c| c.is_alphanumeric()).count();
    (letters + 5).min(letters * 2)
}

/// The end of `text` that an abbreviation stands for; `None` where its letters are not found in it.
pub(super) fn long_form<'a>(short: &str, text: &'a str) -> Option<&'a str> {
    let text = text.trim_end();
    let window_start = start_of_last_words(text, most_words(short));
    let long = &text[window_start..];
    let letters: Vec<char> = short.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    // A plural of the abbreviation alone.
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
    let words = || found.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let longer = found.chars().count() > short.chars().count();
    let says_itself =
        words().any(|word| word.get(..short.len()).is_some_and(|start| start.eq_ignore_ascii_case(short)));
    let of_letters = found.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '/' | '&' | '\'' | '’'));
    // Most letters of a real one begin words; with fewer it is chance.
    let initials = words().filter(|word| word.chars().any(char::is_alphabetic)).count().min(letters.len());
    let enough = initials * 2 >= letters.len();
    (longer && !says_itself && of_letters && enough).then_some(found)
}

/// The beginning of `text` that an abbreviation stands for: words whose initials it has, or all of a short text.
pub(super) fn long_form_at_start<'a>(short: &str, text: &'a str) -> Option<&'a str> {
    let text = text.trim();
    let ends = word_ends(text, most_words(short));
    let whole = |end: usize| {
        let found = long_form(short, &text[..end])?;
        (found.len() == end).then_some(&text[..end])
    };
    let letters = short.chars().filter(|c| c.is_alphanumeric()).count();
    let exact = ends.iter().copied().find(|end| {
        let said: Vec<char> = initials(&text[..*end]);
        said.len() == letters
            && said
                .iter()
                .zip(short.chars().filter(|c| c.is_alphanumeric()))
                .all(|(a, b)| a.to_lowercase().eq(b.to_lowercase()))
    });
    match exact {
        Some(end) => whole(end),
        None => ends.last().copied().filter(|end| *end == text.len()).and_then(whole),
    }
}

/// The first letters of words, those of small words left out.
fn initials(text: &str) -> Vec<char> {
    let small = ["of", "and", "the", "for", "in", "to", "on", "a", "an", "by", "with"];
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty() && !small.contains(word));
    words.filter_map(|word| word.chars().next()).collect()
}

/// Where the last `most` words of a text begin.
fn start_of_last_words(text: &str, most: usize) -> usize {
    let mut start = text.len();
    for word in text.split_whitespace().rev().take(most) {
        // Every word is a part of the text.
        start = word.as_ptr() as usize - text.as_ptr() as usize;
    }
    start
}

/// Where each of the first `most` words of a text ends, and the end of the text where there are no more.
fn word_ends(text: &str, most: usize) -> Vec<usize> {
    text.split_whitespace()
        .take(most)
        .map(|word| word.as_ptr() as usize - text.as_ptr() as usize + word.len())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abbreviations_are_told_from_other_words() {
        for good in ["TDO", "mRNA", "H2", "TDOs", "E-PDU", "R&D", "CI", "IPv6"] {
            assert!(is_abbreviation(good), "{good}");
        }
        for bad in ["T", "Order", "see", "II", "XIV", "TRANSPORTABLE", "2019", "a1", "T D", "泵"] {
            assert!(!is_abbreviation(bad), "{bad}");
        }
    }

    #[test]
    fn all_letters_must_be_found_and_the_first_begins_a_word() {
        let long = |short, text| long_form(short, text);
        assert_eq!(long("TDO", "sends a Transport Disconnect Order "), Some("Transport Disconnect Order"));
        assert_eq!(long("HTTP", "the hypertext transfer protocol"), Some("hypertext transfer protocol"));
        assert_eq!(long("TDOs", "all transport disconnect orders"), Some("transport disconnect orders"));
        assert_eq!(long("TDO", "a disconnect order"), None);
        assert_eq!(long("TDO", "the TDO order"), None, "it would stand for itself");
        assert_eq!(long("PDO", "stopped orders"), None, "the first letter begins no word");
        assert_eq!(long("ABCD", "abacadabra"), None, "one word for four letters is chance");
    }

    #[test]
    fn what_follows_an_abbreviation_is_cut_where_its_initials_end() {
        let long = |short, text| long_form_at_start(short, text);
        assert_eq!(long("TDO", "Transport Disconnect Order used here"), Some("Transport Disconnect Order"));
        assert_eq!(long("DOT", "Department of Transport"), Some("Department of Transport"));
        assert_eq!(long("HTTP", "hypertext transfer protocol"), Some("hypertext transfer protocol"));
        assert_eq!(long("TDO", "see the table of contents"), None);
    }
}
