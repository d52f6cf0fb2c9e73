//! What looks like the name of something: capitalised words, capitals, names between 《 and 》.

use super::quantities::Quantity;
use crate::text::stopwords::is_stopword;
use crate::text::tokens::tokenize;

/// Words that may stand between the parts of a name.
const INSIDE: [&str; 9] = ["of", "de", "la", "del", "von", "van", "der", "du", "and"];

/// The candidates for names in a question, in order, each once. What is an identifier or a unit is none.
pub(super) fn entities(query: &str, identifiers: &[String], quantities: &[Quantity]) -> Vec<String> {
    let mut found = titles(query);
    found.extend(runs(query));
    let mut known: Vec<String> = Vec::with_capacity(found.len());
    for name in found {
        let identifier = identifiers.iter().any(|one| one.split(' ').any(|part| part == name) || *one == name);
        let unit = quantities.iter().any(|one| one.unit == name || one.text == name);
        if !identifier && !unit && !known.contains(&name) {
            known.push(name);
        }
    }
    known
}

/// The titles of works and documents: 《泵站维护手册》.
fn titles(query: &str) -> Vec<String> {
    let pieces = query.split('《').skip(1);
    pieces
        .filter_map(|piece| piece.split_once('》'))
        .map(|(title, _)| title.trim().to_owned())
        .filter(|t| !t.is_empty())
        .collect()
}

/// Runs of words with capitals. Without small letters elsewhere, capitals say nothing.
fn runs(query: &str) -> Vec<String> {
    if !query.chars().any(char::is_lowercase) && query.split_whitespace().count() > 1 {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut run: Vec<&str> = Vec::new();
    let mut end = |run: &mut Vec<&str>| {
        while run.last().is_some_and(|last| INSIDE.contains(last)) {
            run.pop();
        }
        if !run.is_empty() {
            found.push(run.join(" "));
        }
        run.clear();
    };
    let mut begins = true;
    for raw in query.split(|c: char| c.is_whitespace() || crate::text::script::is_unspaced(c)) {
        let word = raw.trim_matches(|c: char| !c.is_alphanumeric());
        let word = ["'s", "’s"].iter().find_map(|tail| word.strip_suffix(tail)).unwrap_or(word);
        let capital = word.starts_with(char::is_uppercase);
        // The first word of a sentence has a capital anyway: what cannot be a name there is left out.
        let name = capital && word.chars().count() > 1 && !(says_nothing(word) || (begins && is_common_opening(word)));
        if name || (!run.is_empty() && INSIDE.contains(&word)) {
            run.push(word);
        } else {
            end(&mut run);
        }
        let possessive = raw.ends_with("'s") || raw.ends_with("’s");
        if possessive || raw.ends_with([',', '.', '?', '!', ';', ':', '"', '”']) {
            end(&mut run);
        }
        begins = if word.is_empty() { begins } else { raw.ends_with(['.', '?', '!']) };
    }
    end(&mut run);
    found
}

fn says_nothing(word: &str) -> bool {
    tokenize(word).iter().all(|token| is_stopword(&token.text)) && !word.chars().all(char::is_uppercase)
}

/// Verbs and the like that questions and orders begin with.
fn is_common_opening(word: &str) -> bool {
    const OPENINGS: [&str; 20] = [
        "show",
        "list",
        "give",
        "tell",
        "find",
        "explain",
        "define",
        "describe",
        "compare",
        "name",
        "please",
        "install",
        "configure",
        "set",
        "replace",
        "reset",
        "start",
        "stop",
        "after",
        "before",
    ];
    OPENINGS.contains(&word.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_runs_of_capitals() {
        let names = |query| entities(query, &[], &[]);
        assert_eq!(names("Who founded the Bank of England in London?"), ["Bank of England", "London"]);
        assert_eq!(names("What did Tesla's NASA say"), ["Tesla", "NASA"]);
        assert_eq!(names("Explain how Norwick Pump Station works. The pump is big."), ["Norwick Pump Station"]);
        assert_eq!(names("how is the pump primed?"), [""; 0]);
        assert_eq!(names("HOW IS THE PUMP PRIMED"), [""; 0]);
    }

    #[test]
    fn titles_are_names_and_identifiers_are_not() {
        assert_eq!(entities("《红楼梦》和《泵站 维护手册》的作者", &[], &[]), ["红楼梦", "泵站 维护手册"]);
        assert_eq!(entities("does RFC 2119 say MUST", &["RFC 2119".to_owned()], &[]), ["MUST"]);
    }
}
