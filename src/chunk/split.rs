//! Cuts texts between paragraphs if they fit, otherwise between sentences, at worst inside a sentence; and tables
//! between rows.

use std::ops::Range;

use crate::text::sentences::sentences;
use crate::text::tables::{self, Found};
use crate::text::{char_count, first_chars};

/// The most characters of a heading …
const LONGEST_LEADING: usize = 80;
/// … and of a number: `12`, `(iii)`.
const LONGEST_NUMBER: usize = 3;

/// Cuts the text of a section into parents of at most `limit` characters, not counting white space at their ends. A
/// parent has whole paragraphs and whole tables; a paragraph that is too long is cut between sentences, a table between
/// rows.
pub(super) fn parents(text: &str, limit: usize) -> Vec<Range<usize>> {
    let prose = |range: Range<usize>| {
        let cut = |paragraph: Range<usize>| {
            if fits(&text[paragraph.clone()], limit) {
                vec![paragraph]
            } else {
                short_sentences(text, paragraph, limit)
            }
        };
        paragraphs(text, range).into_iter().flat_map(cut).collect()
    };
    pack(text, units(text, limit, prose), limit)
}

/// Cuts a parent into children of about `limit` characters: sentences, short ones joined. A table stays whole up to the
/// length of a parent, because a few rows of figures alone say nothing.
pub(super) fn children(text: &str, limit: usize, parent_limit: usize) -> Vec<Range<usize>> {
    let prose = |range: Range<usize>| short_sentences(text, range, limit);
    pack(text, units(text, parent_limit.max(limit), prose), limit)
}

/// The parts that are not cut further: those of `prose`, and tables with their captions, or as many of their rows as
/// fit.
fn units(text: &str, limit: usize, prose: impl Fn(Range<usize>) -> Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut done = 0;
    for table in tables::find(text) {
        let start = tables::caption(text, table.range.start).start.max(done);
        let end = text.len() - text[table.range.end..].trim_start_matches('\n').len();
        out.extend(prose(done..start));
        out.extend(rows(text, start..end, &table, limit));
        done = end;
    }
    out.extend(prose(done..text.len()));
    out
}

/// A table from its caption to the white space after it, cut between rows if it is too long.
fn rows(text: &str, whole: Range<usize>, table: &Found, limit: usize) -> Vec<Range<usize>> {
    if fits(&text[whole.clone()], limit) {
        return vec![whole];
    }
    // The starts of the heads and of each row; the first unit also has the caption.
    let heads = (!table.heads.is_empty()).then_some(table.heads.start).into_iter();
    let begins = heads.chain(table.rows.iter().map(|row| row.start)).filter(|begin| *begin > whole.start);
    let bounds: Vec<usize> = std::iter::once(whole.start).chain(begins).chain([whole.end]).collect();
    let units = bounds.windows(2).flat_map(|unit| hard_cut(text, unit[0]..unit[1], limit));
    pack(text, units.collect(), limit)
}

/// At most the last `limit` characters of `text`, from the beginning of a word.
pub(super) fn tail(text: &str, limit: usize) -> &str {
    if limit == 0 {
        return "";
    }
    let text = text.trim_end();
    let Some((start, _)) = text.char_indices().rev().nth(limit - 1) else { return text };
    if start == 0 {
        return text;
    }
    let tail = &text[start..];
    tail.find(char::is_whitespace).map_or(tail, |space| tail[space..].trim_start())
}

/// Whether `text` has at most `limit` characters, not counting white space at its end. Reads only the end and `limit`
/// characters, because it is called repeatedly for the rest of a long text.
fn fits(text: &str, limit: usize) -> bool {
    text.trim_end().chars().nth(limit).is_none()
}

/// The paragraphs in `range`, each with the blank lines after it.
fn paragraphs(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let text = &text[..range.end];
    let mut out = Vec::new();
    let mut start = range.start;
    while start < text.len() {
        let behind = text[start..].split_once("\n\n").map_or("", |(_, behind)| behind.trim_start_matches('\n'));
        let end = text.len() - behind.len();
        out.push(start..end);
        start = end;
    }
    out
}

/// The sentences in `range`; those longer than `limit` are cut further.
fn short_sentences(text: &str, range: Range<usize>, limit: usize) -> Vec<Range<usize>> {
    sentences(&text[range.clone()])
        .into_iter()
        .flat_map(|sentence| hard_cut(text, range.start + sentence.start..range.start + sentence.end, limit))
        .collect()
}

/// Cuts a text that is too long without sentence boundaries: at a line end, a comma or a space in the second half of
/// the limit, at worst at a character.
fn hard_cut(text: &str, range: Range<usize>, limit: usize) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = range.start;
    let words = range.start + text[range.clone()].trim_end().len();
    while start < words && !fits(&text[start..words], limit) {
        let window = first_chars(&text[start..range.end], limit);
        let middle = first_chars(window, limit / 2).len();
        let after = |at: usize| at + window[at..].chars().next().map_or(0, char::len_utf8);
        let cut = window
            .rfind('\n')
            .filter(|&at| at >= middle)
            .or_else(|| window.rfind(['，', '；', '、', ',', ';']).filter(|&at| at >= middle))
            .or_else(|| window.rfind(char::is_whitespace).filter(|&at| at >= middle))
            .map_or(window.len(), after);
        out.push(start..start + cut.max(1));
        start += cut.max(1);
    }
    if start < range.end {
        out.push(start..range.end);
    }
    out
}

/// The length of units in characters.
#[derive(Clone, Copy, Default)]
struct Length {
    all: usize,
    /// Without white space at the end.
    words: usize,
}

impl Length {
    fn of(text: &str) -> Self {
        Length { all: char_count(text), words: char_count(text.trim_end()) }
    }

    /// With the units that follow.
    fn and(self, next: Length) -> Self {
        let words = if next.words == 0 { self.words } else { self.all + next.words };
        Length { all: self.all + next.all, words }
    }
}

/// Joins neighbouring units while they fit into `limit`. Units that lead to the next one go with it. Each unit is
/// counted once, because a parent may have hundreds.
fn pack(text: &str, units: Vec<Range<usize>>, limit: usize) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut last = Length::default();
    // The start and the length of the leading units at the end of what is joined so far.
    let mut leading: Option<(usize, Length)> = None;
    for unit in units {
        let (start, unit_text) = (unit.start, &text[unit.clone()]);
        let (own, leads) = (Length::of(unit_text), leads(unit_text));
        let led = leading.map(|(start, length)| (start, length.and(own))).filter(|(_, length)| length.words <= limit);
        let joined = last.and(own);
        match (out.last_mut(), led) {
            (Some(range), _) if joined.words <= limit => {
                range.end = unit.end;
                last = joined;
            }
            (Some(range), Some((start, length))) if start > range.start => {
                range.end = start;
                out.push(start..unit.end);
                last = length;
            }
            _ => {
                out.push(unit);
                last = own;
                leading = None;
            }
        }
        // Many of them are a list, whose lines stand for themselves.
        leading = leads
            .then(|| leading.map_or((start, own), |(first, length)| (first, length.and(own))))
            .filter(|(_, length)| length.words <= LONGEST_LEADING.max(limit / 4));
    }
    out
}

/// Whether a unit says nothing without the next one: a heading that was not recognised as one, the number of a list
/// item on its own line, a line that ends in a colon.
fn leads(unit: &str) -> bool {
    let line = unit.trim();
    if line.is_empty()
        || line.contains('\n')
        || line.starts_with(['|', '-', '*', '•', '·'])
        || !fits(line, LONGEST_LEADING)
    {
        return false;
    }
    let number = line.trim_start_matches(['(', '（']).trim_end_matches(['.', ')', '）', '、']);
    let is_number = !number.is_empty()
        && number.len() < line.len()
        && (number.chars().count() == 1
            || (number.len() <= LONGEST_NUMBER && number.chars().all(|c| c.is_ascii_digit() || "ivxIVX".contains(c))));
    let is_open = !line.ends_with(['.', '!', '?', ';', ',', '。', '！', '？', '；', '，', '…', '"', '”', ')', '）']);
    is_number || line.ends_with([':', '：']) || (is_open && unit.ends_with("\n\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, ranges: Vec<Range<usize>>) -> Vec<&str> {
        ranges.into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn whole_paragraphs_are_kept_together() {
        let text = "one two.\n\nthree four.\n\nfive six seven.";
        assert_eq!(cut(text, parents(text, 22)), ["one two.\n\nthree four.\n\n", "five six seven."]);
    }

    #[test]
    fn a_heading_or_a_number_does_not_end_a_chunk() {
        let text = "One two three four.\n\nThe valves\n\nOpen them slowly, one by one.";
        let wanted = ["One two three four.\n\n", "The valves\n\nOpen them slowly, one by one."];
        assert_eq!(cut(text, parents(text, 45)), wanted);
        let text = "It is done as follows here.\n\n2.\n\nOpen the valve.";
        assert_eq!(cut(text, children(text, 32, 100)), ["It is done as follows here.\n\n", "2.\n\nOpen the valve."]);
        let text = "A heading\n\nA second one\n\nIt is longer than both.";
        assert_eq!(cut(text, parents(text, 25)).concat(), text, "nothing is lost where they do not fit together");
    }

    #[test]
    fn a_long_paragraph_is_cut_between_sentences() {
        let text = "First sentence here. Second sentence here. Third one.";
        assert_eq!(cut(text, parents(text, 25)), ["First sentence here. ", "Second sentence here. ", "Third one."]);
    }

    /// A caption and a table with this many rows.
    fn table(rows: usize) -> String {
        let rows: Vec<String> = (0..rows).map(|row| format!("| Season {row} | {} |", row * 7)).collect();
        format!(
            "Text before it.\n\nTurns of the crank\n\n| Season | Turns |\n| --- | --- |\n{}\n\nText behind it.",
            rows.join("\n")
        )
    }

    #[test]
    fn a_list_of_short_paragraphs_is_no_heading() {
        let text = format!("Parts in the box are these.\n\n{}", "Gasket ring number 10\n\n".repeat(12));
        let cut = cut(&text, children(&text, 300, 1000));
        assert!(cut.len() == 2 && cut[0].contains("Gasket"), "{cut:?}");
    }

    #[test]
    fn a_table_that_fits_is_in_one_chunk_with_its_caption() {
        let text = table(4);
        let cut = cut(&text, parents(&text, 130));
        assert_eq!(cut[0], "Text before it.\n\n");
        assert!(cut[1].starts_with("Turns of the crank\n\n| Season") && cut[1].contains("Season 3"), "{cut:?}");
        assert_eq!(children(cut[1], 30, 130).len(), 1, "longer than other children");
    }

    #[test]
    fn a_long_table_is_cut_between_rows() {
        let text = table(40);
        for (ranges, most) in [(parents(&text, 200), 200), (children(&text, 60, 200), 200)] {
            let parts = cut(&text, ranges);
            assert!(parts.len() > 3 && parts.iter().all(|part| char_count(part.trim_end()) <= most), "{parts:?}");
            for part in &parts[2..parts.len() - 1] {
                assert!(part.starts_with("| ") && part.trim_end().ends_with(" |"), "{part}");
            }
            assert_eq!(parts.concat(), text);
        }
    }

    #[test]
    fn text_without_boundaries_is_cut_at_characters() {
        let text = "启".repeat(25);
        let lengths: Vec<usize> = parents(&text, 10).into_iter().map(|r| char_count(&text[r])).collect();
        assert_eq!(lengths, [10, 10, 5]);
    }

    #[test]
    fn the_overlap_begins_at_a_word() {
        assert_eq!(tail("alpha beta gamma", 8), "gamma");
        assert_eq!(tail("short", 80), "short");
        assert_eq!(tail("启动水泵", 2), "水泵");
    }

    #[test]
    fn a_long_line_costs_no_more_than_its_length() {
        for text in [
            "a".repeat(1_000_000),
            format!("{}{}", "a".repeat(500_000), " ".repeat(500_000)),
            ". ".repeat(300_000),
            format!("a{}b", " ".repeat(1_000_000)),
        ] {
            let parents = parents(&text, 1000);
            assert_eq!(parents.iter().map(Range::len).sum::<usize>(), text.len());
        }
    }
}
