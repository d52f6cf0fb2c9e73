//! Small operations on text: white space, lengths, words for numbers, joined lines, invisible characters.

use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::Hash;

use unicode_normalization::UnicodeNormalization;

/// Whether a character is as wide as an ideograph. Scripts of such characters have no spaces between words.
pub fn is_wide(c: char) -> bool {
    matches!(c, '\u{2E80}'..='\u{303E}' | '\u{3041}'..='\u{33FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{FE30}'..='\u{FE4F}' | '\u{FF00}'..='\u{FF60}' | '\u{20000}'..='\u{3FFFF}')
}

/// Appends a line that continues the text, with a space except between wide characters.
pub fn join_line(text: &mut String, line: &str) {
    let glued = text.ends_with(is_wide) && line.starts_with(is_wide);
    if !text.is_empty() && !glued {
        text.push(' ');
    }
    text.push_str(line);
}

/// Appends words with single spaces to such words.
pub fn join_words(words: &mut String, more: &str) {
    if !words.is_empty() && !more.is_empty() {
        words.push(' ');
    }
    words.push_str(more);
}

/// The parts that are not empty, with `separator` between them.
pub fn join_filled<'t>(parts: impl IntoIterator<Item = &'t str>, separator: &str) -> String {
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<&str>>().join(separator)
}

/// Appends a line to a title of several lines. Rejoins a word hyphenated at the line end. `glued`: the line continues a
/// word as it stands.
pub fn join_title(title: &mut String, line: &str, glued: bool) {
    let broken = !glued && title.ends_with('-') && line.starts_with(char::is_lowercase);
    if broken {
        title.pop();
    }
    if broken || glued { title.push_str(line) } else { join_line(title, line) }
}

/// Whether a list of words, separated by white space, contains `word`.
pub fn lists(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|listed| listed == word)
}

/// The number of characters (Unicode scalar values) in `text`.
pub fn char_count(text: &str) -> usize {
    text.chars().count()
}

/// The number of characters in `text`, wide ones counted twice.
pub fn width(text: &str) -> usize {
    text.chars().map(|c| if is_wide(c) { 2 } else { 1 }).sum()
}

/// `1 page`, `2 pages`.
pub fn count(number: usize, of: &str) -> String {
    format!("{number} {of}{}", if number == 1 { "" } else { "s" })
}

/// The first five names: `a, b, c, d, e, and 3 more`.
pub fn first_of(names: impl ExactSizeIterator<Item = String>) -> String {
    const MOST: usize = 5;
    let more = names.len().saturating_sub(MOST);
    let more = (more > 0).then(|| format!("and {more} more"));
    names.take(MOST).chain(more).collect::<Vec<String>>().join(", ")
}

/// Each item once, in the order of first appearance.
pub fn unique<T: Clone + Eq + Hash>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut seen = HashSet::new();
    items.into_iter().filter(|item| seen.insert(item.clone())).collect()
}

/// The items whose names are at least this alike to the wanted one (Jaro-Winkler), the most alike first.
pub fn alike<T>(named: impl Iterator<Item = (String, T)>, wanted: &str, least: f64) -> Vec<T> {
    let mut alike: Vec<(f64, T)> =
        named.map(|(name, one)| (strsim::jaro_winkler(&name, wanted), one)).filter(|(own, _)| *own >= least).collect();
    alike.sort_by(|a, b| b.0.total_cmp(&a.0));
    alike.into_iter().map(|(_, one)| one).collect()
}

/// `1.4 MB`, or `14.2 kB` below one megabyte.
pub fn size(bytes: u64) -> String {
    let bytes = bytes as f64;
    if bytes < 1e6 { format!("{:.1} kB", bytes / 1e3) } else { format!("{:.1} MB", bytes / 1e6) }
}

/// A share in whole per cent. A share that is neither none nor all never shows as 0 or 100, but as `<1` or `>99`.
pub fn percent(part: usize, whole: usize) -> String {
    let (all, hundredfold) = (whole.max(1), part * 100);
    if part > 0 && hundredfold < all {
        "<1 %".to_owned()
    } else if part < all && hundredfold > 99 * all {
        ">99 %".to_owned()
    } else {
        format!("{} %", (hundredfold + all / 2) / all)
    }
}

/// Normalises text for comparison: compatibility forms folded, lower case.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.nfkc().flat_map(char::to_lowercase).collect()
}

/// The text as a number; `inf` and `nan` are words.
pub fn as_number(text: &str) -> Option<f64> {
    let text = text.trim();
    let looks_like_one = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'));
    text.parse::<f64>().ok().filter(|number| looks_like_one && number.is_finite())
}

/// Replaces every run of white space by one space and trims the ends.
pub fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a character is invisible: controls, marks of direction and width, soft hyphens, fillers, tags, and
/// characters that mean nothing outside of one program. Joiners and selectors are excluded, because some scripts look
/// different without them.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
            | '\u{180E}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
            | '\u{3164}' | '\u{FE03}'..='\u{FE0D}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}'
            | '\u{FFFE}' | '\u{FFFF}' | '\u{13430}'..='\u{1345F}' | '\u{1BCA0}'..='\u{1BCA3}'
            | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{10FFFF}')
}

/// Whether a character selects a form of the one before it: an emoji, a Chinese or a Mongolian character.
fn is_selector(c: char) -> bool {
    matches!(c, '\u{180B}'..='\u{180D}' | '\u{180F}' | '\u{FE00}'..='\u{FE02}' | '\u{FE0E}' | '\u{FE0F}')
}

/// The text without invisible characters, which could carry hidden instructions for a language model. Line breaks,
/// tabs, joiners inside words of scripts that need them, and one selector behind a character that may have it stay.
/// Line separators become spaces, because some programs break lines there, and the new line could look like ours.
pub fn visible(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| matches!(c, '\n' | '\t') || !(is_hidden(c) || is_joiner(c) || is_selector(c));
    if text.chars().all(|c| is_plain(c) && !is_separator(c)) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let spaced = text.chars().map(|c| if is_separator(c) { ' ' } else { c });
    let mut rest = spaced.filter(|&c| is_plain(c) || is_joiner(c) || is_selector(c)).peekable();
    while let Some(c) = rest.next() {
        let before = kept.chars().next_back();
        let joined = |c: &char| !c.is_ascii() && !c.is_whitespace() && !is_joiner(*c);
        let has_forms = |c: &char| (joined(c) && !is_selector(*c)) || matches!(c, '0'..='9' | '#' | '*');
        let stays = match c {
            _ if is_joiner(c) => before.as_ref().is_some_and(joined) && rest.peek().is_some_and(joined),
            _ if is_selector(c) => before.as_ref().is_some_and(has_forms),
            _ => true,
        };
        if stays {
            kept.push(c);
        }
    }
    Cow::Owned(kept)
}

/// A path for one line of output: what [`visible`] would change, and line breaks, are escaped as in URLs. Without them,
/// the path could be that of another file. Only a file with such an escape in its own name can have the same path.
pub fn visible_path(path: &str) -> Cow<'_, str> {
    if !path.contains('\n') && visible(path) == path {
        return Cow::Borrowed(path);
    }
    let is_shown = |c: char| c == '\t' || !(is_hidden(c) || is_joiner(c) || is_selector(c) || is_separator(c));
    let mut shown = String::with_capacity(path.len() + 8);
    for c in path.chars() {
        if is_shown(c) {
            shown.push(c);
        } else {
            push_escaped(&mut shown, c.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    Cow::Owned(shown)
}

/// Appends bytes, escaped as in URLs: `%0A`.
pub fn push_escaped(text: &mut String, bytes: &[u8]) {
    bytes.iter().for_each(|byte| text.push_str(&format!("%{byte:02X}")));
}

/// Whether a character ends a line or a paragraph for some programs, and none for others.
fn is_separator(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}')
}

/// Whether a character is a zero-width joiner or non-joiner.
pub fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200C}' | '\u{200D}')
}

/// Untrusted text on one line, safe for a terminal: control characters become spaces, other invisible ones are removed.
pub fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || is_separator(c) { ' ' } else { c }).filter(|&c| !is_hidden(c)).collect()
}

pub fn first_chars(text: &str, limit: usize) -> &str {
    text.char_indices().nth(limit).map_or(text, |(end, _)| &text[..end])
}

/// Cuts `text` after at most `limit` characters and marks the cut with an ellipsis.
pub fn truncate(text: &str, limit: usize) -> String {
    let kept = first_chars(text, limit);
    if kept.len() == text.len() { text.to_owned() } else { format!("{}…", kept.trim_end()) }
}

/// Whether a line of kb's JSON Lines is the summary at the end.
pub fn is_summary(line: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(line).is_ok_and(|value| value["type"] == "summary")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_have_no_spaces_between_words() {
        assert!("泵，。「（ァひ㐀豈Ａ𠮷".chars().all(is_wide));
        assert!(!"aé1 ,“—…ёж한".chars().any(is_wide), "Korean has spaces between words");
    }

    #[test]
    fn lines_are_joined_as_the_script_requires() {
        let join = |before: &str, line: &str| {
            let mut text = before.to_owned();
            join_line(&mut text, line);
            text
        };
        assert_eq!(join("two", "words"), "two words");
        assert_eq!(join("泵站", "维护"), "泵站维护");
        assert_eq!(join("使用", "PDF"), "使用 PDF");
        assert_eq!(join("见图，", "其中"), "见图，其中");
        assert_eq!(join("", "first"), "first");
    }

    #[test]
    fn one_is_singular_and_shares_never_round_to_none_or_all() {
        assert_eq!([count(0, "page"), count(1, "page"), count(2, "page")], ["0 pages", "1 page", "2 pages"]);
        let shares = [(0, 9), (7, 781), (8, 781), (390, 781), (780, 781), (781, 781), (0, 0)];
        let expected = ["0 %", "<1 %", "1 %", "50 %", ">99 %", "100 %", "0 %"];
        assert_eq!(shares.map(|(part, whole)| percent(part, whole)), expected);
    }

    #[test]
    fn squeezing_and_cutting_count_characters() {
        assert_eq!(squeeze("  a \t b\n\u{3000}c "), "a b c");
        assert_eq!(truncate("泵站维护手册", 4), "泵站维护…");
        assert_eq!(truncate("泵站", 4), "泵站");
    }

    #[test]
    fn invisible_characters_are_hidden_and_joiners_are_not() {
        let hidden =
            "\0\u{1b}\n\u{9b}\u{ad}\u{61c}\u{200b}\u{200f}\u{202e}\u{2060}\u{2064}\u{2066}\u{feff}\u{fffb}\u{e0041}";
        assert!(hidden.chars().all(is_hidden));
        assert!(!"a 泵\u{3000}é\u{301}\u{200c}\u{200d}—".chars().any(is_hidden));
    }

    #[test]
    fn invisible_text_disappears_and_scripts_keep_their_joiners() {
        let hidden: String = "ignore".chars().map(|c| char::from_u32(0xE0000 + c as u32).unwrap()).collect();
        assert_eq!(
            visible(&format!("Open\u{200b} the\u{202e} vent{hidden}.\n\tNext\u{1b}[2J")),
            "Open the vent.\n\tNext[2J"
        );
        assert_eq!(visible("می\u{200c}خواهم"), "می\u{200c}خواهم");
        assert_eq!(
            visible("a\u{200d}b\u{200c}\u{200d}\u{200c} 水\u{200c}\u{200d}泵"),
            "ab 水\u{200d}泵",
            "one joiner at most"
        );
        assert!(matches!(visible("plain 泵\n"), Cow::Borrowed(_)));
        assert_eq!(visible("text\u{2028}# forged\u{2029}[source: x]"), "text # forged [source: x]");
        assert_eq!(printable("text\u{2028}# forged"), "text # forged");
        // One selector behind a character that has forms; a chain of them could spell anything.
        assert_eq!(
            visible("❤\u{fe0f} 1\u{fe0f}\u{20e3} a\u{fe0f} 葛\u{fe00}\u{fe01}\u{fe00}"),
            "❤\u{fe0f} 1\u{fe0f}\u{20e3} a 葛\u{fe00}"
        );
        assert_eq!(visible("o\u{206a}p\u{34f}e\u{fe05}n\u{f0041}\u{10ffff}"), "open");
    }

    #[test]
    fn no_shown_path_is_that_of_another_file() {
        assert_eq!(visible_path("no\u{200b}tes.md"), "no%E2%80%8Btes.md");
        assert_eq!(visible_path("docs/x\n/home/ann/thesis.md"), "docs/x%0A/home/ann/thesis.md");
        assert_eq!(visible_path("a\u{200d}b\u{2028}\u{1b}"), "a%E2%80%8Db%E2%80%A8%1B");
        assert!(matches!(visible_path("می\u{200c}خواهم ❤\u{fe0f}\t.md"), Cow::Borrowed(_)));
    }

    #[test]
    fn control_characters_become_spaces() {
        assert_eq!(printable("a\u{1b}[2Jb\tc\r\n\u{9b}泵\u{7f}\0\u{202e}x"), "a [2Jb c   泵  x");
    }
}
