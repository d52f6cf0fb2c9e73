//! Finds names that English prose defines.

use super::abbreviation::{is_abbreviation, long_form, long_form_at_start};
use super::name::{Definition, LISTS, occurrences, offset_of, trimmed};

/// The longest bracket, in bytes.
const LONGEST_BRACKET: usize = 160;
/// The most words of a name without proof by initials.
const MOST_WORDS: usize = 5;

pub(super) fn definitions(sentence: &str) -> Vec<Definition> {
    let mut found: Vec<Definition> =
        brackets(sentence).filter_map(|(before, inside)| bracketed(before, inside)).collect();
    found.extend(occurrences(sentence, &LISTS.english.stands_for).filter_map(|(before, after)| {
        let short = last_word(before);
        let after = trimmed(after.split([',', ';', '(']).next()?);
        is_abbreviation(short).then(|| Definition::of(short, long_form_at_start(short, after)?))?
    }));
    found.extend(occurrences(sentence, &LISTS.english.also).filter_map(|(before, after)| {
        Definition::of(name_at_start(after)?, name_at_end(before.trim_end_matches([' ', ',', '(']))?)
    }));
    found.extend(
        occurrences(sentence, &LISTS.english.hereinafter)
            .filter_map(|(before, after)| hereinafter(before.trim_end_matches([' ', ',', '(']), after)),
    );
    found
}

/// The text before each bracket and the text in it.
pub(super) fn brackets(sentence: &str) -> impl Iterator<Item = (&str, &str)> {
    sentence.match_indices(['(', '（']).filter_map(|(at, open)| {
        let rest = &sentence[at + open.len()..];
        let end = rest.find([')', '）']).filter(|end| *end <= LONGEST_BRACKET)?;
        Some((sentence[..at].trim_end(), rest[..end].trim()))
    })
}

/// `Long Form (LF)`, `LF (Long Form)`, `长名 (Long Form, LF)`.
fn bracketed(before: &str, inside: &str) -> Option<Definition> {
    let first = inside.split([',', ';', '，', '；']).next().map(trimmed)?;
    if is_abbreviation(first) {
        return Definition::of(first, long_form(first, before)?);
    }
    let last = inside.rsplit([',', ';', '，', '；']).next().map(trimmed)?;
    if is_abbreviation(last) {
        return Definition::of(last, long_form(last, first)?);
    }
    let word = last_word(before);
    if !is_abbreviation(word) {
        return None;
    }
    let long = long_form(word, first).filter(|long| long.len() == first.len())?;
    Definition::of(word, long)
}

fn hereinafter(before: &str, after: &str) -> Option<Definition> {
    let short = trimmed(after.split([')', '）', ',', ';', '.']).next()?.trim_start());
    let short = short.strip_prefix("as ").map_or(short, trimmed);
    if short.split_whitespace().count() > MOST_WORDS || LISTS.english.generic.contains(&short.to_lowercase()) {
        return None;
    }
    let long = if is_abbreviation(short) { long_form(short, before) } else { None };
    Definition::of(short, long.or_else(|| capitalised_at_end(before))?)
}

fn last_word(text: &str) -> &str {
    trimmed(text.split_whitespace().next_back().unwrap_or_default())
}

/// The name in capitals at the end of a text: `Acme Pumps of Hull Limited`.
fn capitalised_at_end(text: &str) -> Option<&str> {
    let small = ["of", "and", "the", "for", "in", "on"];
    let mut start = None;
    for word in text.split_whitespace().rev().take(MOST_WORDS * 2) {
        if word.starts_with(char::is_uppercase) && !word.ends_with([',', '.', ';', ':']) {
            start = Some(offset_of(word, text));
        } else if !small.contains(&word) {
            break;
        }
    }
    start.map(|start| &text[start..])
}

/// The name at the end of a text: the words after an article, or the whole text.
fn name_at_end(text: &str) -> Option<&str> {
    let mut words = 0;
    let mut start = text.len();
    for word in text.split_whitespace().rev() {
        if matches!(word.to_lowercase().as_str(), "a" | "an" | "the") {
            return (words > 0).then(|| &text[start..]);
        }
        let ends = word.ends_with([',', ';', ':', ')']) || is_function_word(word);
        words += 1;
        if ends || words > MOST_WORDS {
            return None;
        }
        start = offset_of(word, text);
    }
    (words > 0).then(|| &text[start..])
}

/// The name at the beginning of a text, up to punctuation or a function word.
fn name_at_start(text: &str) -> Option<&str> {
    let text = trimmed(text.split([',', ';', '.', '(', ')', ':', '（', '）', '，', '。']).next()?);
    let mut end = 0;
    for (i, word) in text.split_whitespace().enumerate() {
        if is_function_word(word) {
            break;
        }
        if i == MOST_WORDS {
            return None;
        }
        end = offset_of(word, text) + word.len();
    }
    (end > 0).then(|| &text[..end])
}

fn is_function_word(word: &str) -> bool {
    LISTS.english.function_words.contains(&word.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::super::tests::found;

    #[test]
    fn brackets_define_in_either_order() {
        let tdo = "TDO = Transport Disconnect Order".to_owned();
        for text in [
            "The server sends a Transport Disconnect Order (TDO) first.",
            "TDO (Transport Disconnect Order) ends it.",
            "A TDO (the Transport Disconnect Order, see 3.2) ends it.",
            "It is a Transport Disconnect Order (TDO; see 3.2).",
            "传输断开 (Transport Disconnect Order, TDO) 见下",
            "TDO stands for Transport Disconnect Order, as said.",
            "TDO is short for Transport Disconnect Order.",
            "The Transport Disconnect Order, abbreviated TDO, ends it.",
            "A Transport Disconnect Order (abbreviated as \"TDO\") ends it.",
            "The Transport Disconnect Order (hereinafter referred to as the \"TDO\") ends it.",
        ] {
            assert!(found(text).contains(&tdo), "{text}: {:?}", found(text));
        }
    }

    #[test]
    fn other_names_end_at_their_last_word() {
        let known_as = "The centrifugal pump, also known as a radial pump, moves water.";
        assert_eq!(found(known_as), ["radial pump = centrifugal pump"]);
        assert_eq!(found("Gate valves (also called sluice valves) are slow."), ["sluice valves = Gate valves"]);
        let party = "This is between Acme Pumps of Hull Limited, hereinafter referred to as Acme, and others.";
        assert_eq!(found(party), ["Acme = Acme Pumps of Hull Limited"]);
    }
}
