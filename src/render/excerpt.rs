//! The part of a hit that a terminal shows: the whole text if it fits on a third of the screen, otherwise the sentences
//! around the one that answers best.

use std::borrow::Cow;
use std::ops::Range;

use super::format::Screen;
use super::style::{MATCH, paint};
use crate::text::highlight::{around_best, parts_by_match};

/// One hit may take a third of the screen.
const SHARE: usize = 3;
/// Marks where text is left out.
const LEFT_OUT: &str = "[…]";

/// The lines that show `text`, with the matches of `query` in colour, and whether they are the whole text.
pub(super) fn excerpt(text: &str, query: &str, screen: Screen) -> (Vec<String>, bool) {
    let most = (screen.lines / SHARE).max(1);
    let whole = lines(text, query, screen.columns);
    if whole.len() <= most {
        return (whole, true);
    }
    let fits = |part: &str| lines(part, query, screen.columns).len() <= most;
    let range = around_best(text, query, |range| fits(&part(text, range)));
    let mut shown = lines(&part(text, &range), query, screen.columns);
    // A sentence may be longer than the screen.
    if shown.len() > most {
        shown.truncate(most);
        shown.push(LEFT_OUT.to_owned());
    }
    (shown, false)
}

/// A part of a text, with a mark at each end where something is left out.
fn part(text: &str, range: &Range<usize>) -> String {
    let left_out = |rest: &str, mark: String| if rest.trim().is_empty() { String::new() } else { mark };
    let before = left_out(&text[..range.start], format!("{LEFT_OUT} "));
    let after = left_out(&text[range.end..], format!(" {LEFT_OUT}"));
    format!("{before}{}{after}", text[range.clone()].trim())
}

/// The lines of a text without empty ones, wrapped.
fn lines(text: &str, query: &str, columns: usize) -> Vec<String> {
    let painted = |(part, is_match): (&str, bool)| if is_match { paint(MATCH, part) } else { part.to_owned() };
    let marked: String = parts_by_match(text, query).into_iter().map(painted).collect();
    let lines = marked.lines().filter(|line| !line.trim().is_empty());
    lines.flat_map(|line| textwrap::wrap(line.trim_end(), columns)).map(Cow::into_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCREEN: Screen = Screen { columns: 40, lines: 12, is_terminal: true, has_links: false };

    fn shown(text: &str, query: &str) -> Vec<String> {
        let (lines, _) = excerpt(text, query, SCREEN);
        lines.iter().map(|line| anstream::adapter::strip_str(line).to_string()).collect()
    }

    #[test]
    fn a_short_text_is_shown_whole() {
        assert_eq!(
            shown("Close the valve.\n\n1. Turn it.\n2. Wait.", "wait"),
            ["Close the valve.", "1. Turn it.", "2. Wait."]
        );
    }

    #[test]
    fn a_long_text_shows_the_sentences_that_answer_and_marks_the_rest() {
        let text =
            "The house is old and tall. ".repeat(8) + "Prime the pump. Then start it. " + &"Go home now. ".repeat(20);
        let shown = shown(&text, "prime the pump");
        assert!(shown.len() <= 4, "{shown:?}");
        assert!(shown[0].starts_with("[…] Prime the pump. Then start it."), "{shown:?}");
        assert!(shown[shown.len() - 1].ends_with("[…]"), "{shown:?}");
    }

    #[test]
    fn an_answer_at_the_end_is_shown_with_the_text_before_it() {
        let text = "The house is old and tall. ".repeat(9) + "Prime the pump.";
        let shown = shown(&text, "prime the pump");
        assert!(shown.len() > 1 && shown[0].starts_with("[…] The house"), "{shown:?}");
        assert!(shown[shown.len() - 1].ends_with("Prime the pump."), "{shown:?}");
    }

    #[test]
    fn a_sentence_that_is_too_long_is_cut_and_chinese_takes_two_columns() {
        assert_eq!(shown(&"valve ".repeat(200), "valve").len(), 5);
        let chinese = shown(&"启动水泵之前必须灌水。".repeat(30), "水泵");
        assert!(
            chinese.len() <= 5 && chinese.iter().all(|line| textwrap::core::display_width(line) <= 40),
            "{chinese:?}"
        );
    }
}
