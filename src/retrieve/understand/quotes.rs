//! What stands in quotation marks.

use std::ops::Range;

/// What opens and what closes. Apostrophes are none: they stand in the middle of words.
const PAIRS: [(char, &str); 7] =
    [('"', "\"”"), ('“', "”\"“"), ('”', "”“"), ('„', "“”"), ('«', "»"), ('「', "」"), ('『', "』")];

/// The byte ranges between quotation marks, in order, those with a word in them.
pub(super) fn quotes(query: &str) -> Vec<Range<usize>> {
    let chars: Vec<(usize, char)> = query.char_indices().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let (start, open) = chars[at];
        let closers = PAIRS.iter().find(|(known, _)| *known == plain(open)).map(|(_, closers)| *closers);
        // A mark behind a digit is an inch: 5" pipe.
        let measure = plain(open) == '"' && at > 0 && chars[at - 1].1.is_numeric();
        let close = closers
            .filter(|_| !measure)
            .and_then(|closers| (at + 1..chars.len()).find(|&next| closers.contains(plain(chars[next].1))));
        let Some(close) = close else {
            at += 1;
            continue;
        };
        let range = start + open.len_utf8()..chars[close].0;
        if query[range.clone()].chars().any(char::is_alphanumeric) {
            found.push(range);
        }
        at = close + 1;
    }
    found
}

/// A question without its quotation marks, so that what they hold is asked for by its words.
pub(in crate::retrieve) fn without_quotes(query: &str) -> String {
    let (mut plain, mut from) = (String::with_capacity(query.len()), 0);
    for range in quotes(query) {
        let open = query[..range.start].chars().next_back().map_or(0, char::len_utf8);
        let close = query[range.end..].chars().next().map_or(0, char::len_utf8);
        plain.push_str(&query[from..range.start - open]);
        plain.push_str(&query[range.clone()]);
        from = range.end + close;
    }
    plain.push_str(&query[from..]);
    plain
}

/// The full-width quotation mark is the plain one.
fn plain(c: char) -> char {
    if c == '＂' { '"' } else { c }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(query: &str) -> Vec<&str> {
        quotes(query).into_iter().map(|range| &query[range]).collect()
    }

    #[test]
    fn the_marks_of_several_languages_quote() {
        assert_eq!(found("who wrote \"the pump\" and “the valve”"), ["the pump", "the valve"]);
        assert_eq!(found("什么是“乡里制”？「推力轴承」和『阀门』"), ["乡里制", "推力轴承", "阀门"]);
        assert_eq!(found("„Pumpe“ und «pompe»"), ["Pumpe", "pompe"]);
        assert_eq!(found("为什么又叫”角瓜“？"), ["角瓜"], "marks the wrong way round");
    }

    #[test]
    fn marks_are_taken_away_and_nothing_else() {
        assert_eq!(without_quotes("who wrote \"the pump\" and “the valve”"), "who wrote the pump and the valve");
        assert_eq!(without_quotes("什么是“乡里制”？"), "什么是乡里制？");
        assert_eq!(without_quotes("a 5\" pipe"), "a 5\" pipe");
    }

    #[test]
    fn inches_apostrophes_and_lonely_marks_do_not() {
        assert_eq!(found("a 5\" and a 6\" pipe"), [""; 0]);
        assert_eq!(found("the pump's valve isn't open"), [""; 0]);
        assert_eq!(found("a \" b"), [""; 0]);
        assert_eq!(found("an empty \"\" or \"…\" quote"), [""; 0]);
    }
}
