//! Lines to blocks: which lines continue a sentence, and which begin a paragraph or an item.

use std::collections::HashSet;

use super::lines::Line;
use crate::load::{Block, BlockKind, HeadingTag, most_common};
use crate::text::is_wide;

/// A paragraph begins after a step larger than this many usual steps.
const WIDER_STEP: f32 = 1.3;
/// Lines further right by this share of their size are indented.
const INDENT: f32 = 0.8;
/// A line that ends this share of the width before the right edge was not broken for lack of room.
const SHORT: f32 = 0.2;
/// The largest usual step between baselines, in sizes.
const LARGEST_STEP: f32 = 2.2;

/// Makes blocks of the lines of a document in reading order. Words broken at the end of a line are joined, unless the
/// document writes them with a hyphen elsewhere.
pub fn blocks(lines: Vec<Line>, tag: impl Fn(u32, u32) -> Option<HeadingTag>) -> Vec<Block> {
    let step = usual_step(&lines);
    let hyphenated = hyphenated_words(&lines);
    let edges = right_edges(&lines);
    let mut blocks: Vec<Block> = Vec::with_capacity(lines.len());
    let mut last: Option<(Line, f32)> = None;
    for (line, edge) in lines.into_iter().zip(edges) {
        let mut kind = match &last {
            Some((before, edge)) => relation(before, &line, *edge, step),
            None => BlockKind::Paragraph,
        };
        if kind == BlockKind::Wrapped
            && let Some(block) = blocks.last_mut()
            && let Some(keeps_hyphen) = broken_word(&block.text, &line.text, &hyphenated)
        {
            if !keeps_hyphen {
                block.text.pop();
            }
            kind = BlockKind::Glued;
        }
        let mut style = line.style.clone();
        style.tag = line.mark.and_then(|mark| tag(line.page, mark));
        blocks.push(Block { kind, text: line.text.clone(), page: Some(line.page), style: Some(style) });
        last = Some((line, edge));
    }
    blocks
}

/// The commonest distance of two lines, in sizes.
fn usual_step(lines: &[Line]) -> f32 {
    let steps = lines
        .windows(2)
        .filter(|pair| pair[0].page == pair[1].page && pair[0].style.part == pair[1].style.part)
        .map(|pair| (pair[1].style.baseline - pair[0].style.baseline) / pair[0].style.size.max(1.0) * 20.0)
        .map(|step| step.round() as i32)
        .filter(|&step| step > 16 && step < (LARGEST_STEP * 20.0) as i32);
    most_common(steps).unwrap_or(24) as f32 / 20.0
}

/// For each line the right edge of its part of the page.
fn right_edges(lines: &[Line]) -> Vec<f32> {
    let mut edges = Vec::with_capacity(lines.len());
    for part in lines.chunk_by(|a, b| a.page == b.page && a.style.part == b.style.part) {
        let mut rights: Vec<f32> =
            part.iter().filter(|line| line.style.cells == 1).map(|line| line.style.right).collect();
        rights.sort_by(f32::total_cmp);
        let edge = rights.get(rights.len() * 9 / 10).copied().unwrap_or(f32::MAX);
        edges.extend(std::iter::repeat_n(edge, part.len()));
    }
    edges
}

fn relation(before: &Line, line: &Line, edge: f32, step: f32) -> BlockKind {
    if before.style.table || line.style.table {
        return BlockKind::Paragraph;
    }
    let alike = before.style.is_like(&line.style) && before.style.fixed == line.style.fixed;
    let is_full = before.style.right > edge - SHORT * (edge - before.style.left).max(0.0);
    if before.page != line.page || before.style.part != line.style.part {
        // An unfinished sentence continues in the next column or page.
        let goes_on = alike
            && !line.style.fixed
            && before.style.cells == 1
            && line.style.cells == 1
            && is_full
            && !ends_sentence(&before.text)
            && line.text.starts_with(|c: char| c.is_lowercase() || is_wide(c));
        return if goes_on { BlockKind::Wrapped } else { BlockKind::Paragraph };
    }
    let distance = line.style.baseline - before.style.baseline;
    if distance > WIDER_STEP * step * before.style.size.max(line.style.size) || distance < 0.0 || !alike {
        return BlockKind::Paragraph;
    }
    if line.style.fixed || before.style.cells > 1 || line.style.cells > 2 || starts_item(&line.text) {
        return BlockKind::Line;
    }
    if line.style.left > before.style.left + INDENT * line.style.size {
        // The further lines of a list item are indented and continue it.
        return if starts_item(&before.text) && is_full { BlockKind::Wrapped } else { BlockKind::Paragraph };
    }
    if is_full {
        BlockKind::Wrapped
    } else if ends_sentence(&before.text) {
        BlockKind::Paragraph
    } else {
        BlockKind::Line
    }
}

fn ends_sentence(text: &str) -> bool {
    text.trim_end_matches(['"', '”', '’', ')', '）', '」', '』'])
        .ends_with(['.', '!', '?', '。', '！', '？', ':', '：', ';', '；'])
}

pub fn starts_item(text: &str) -> bool {
    let mut chars = text.chars();
    match chars.next() {
        Some('•' | '◦' | '▪' | '■' | '●' | '○' | '–' | '—' | '·' | '*' | '-' | '‣' | '➢' | '✓' | '□') => {
            chars.next().is_some_and(|c| c == ' ' || is_wide(c))
        }
        Some('(' | '（') => text.chars().skip(1).take(4).any(|c| matches!(c, ')' | '）')),
        Some(c) if c.is_ascii_alphanumeric() => {
            let end = text.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len());
            end <= 2 && (text[end..].starts_with([')', '）', '、']) || text[end..].starts_with(". "))
        }
        _ => false,
    }
}

/// Words with a hyphen inside a line, in lower case.
fn hyphenated_words(lines: &[Line]) -> HashSet<String> {
    let words = lines.iter().flat_map(|line| line.text.split_whitespace());
    let bare = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    bare.filter(|word| word.contains('-')).map(str::to_lowercase).collect()
}

/// For a word that is broken at the end of a line, whether its hyphen belongs to it.
fn broken_word(text: &str, next: &str, hyphenated: &HashSet<String>) -> Option<bool> {
    let head = text.strip_suffix(['-', '‐']).filter(|head| head.ends_with(char::is_alphabetic))?;
    let head = head.rsplit(|c: char| c.is_whitespace()).next().unwrap_or(head);
    let tail: String = next.chars().take_while(|c| c.is_alphanumeric() || *c == '-').collect();
    // `comma- and tab-separated`: another word has the rest.
    if tail.is_empty() || matches!(tail.as_str(), "and" | "or" | "to" | "und" | "oder") {
        return None;
    }
    let whole = format!("{head}-{tail}").to_lowercase();
    let is_written_so = hyphenated.contains(whole.trim_matches(|c: char| !c.is_alphanumeric()));
    Some(is_written_so || !next.starts_with(char::is_lowercase))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::{sample, stacked};
    use super::*;

    fn read(lines: Vec<Line>) -> Vec<(BlockKind, String)> {
        blocks(lines, |_, _| None).into_iter().map(|block| (block.kind, block.text)).collect()
    }

    fn kinds(lines: &[&str]) -> Vec<BlockKind> {
        read(stacked(lines.iter().map(|text| sample(text)), 100.0)).into_iter().map(|(kind, _)| kind).collect()
    }

    use BlockKind::{Glued, Line as NewLine, Paragraph, Wrapped};

    #[test]
    fn full_lines_continue_and_a_short_one_ends_the_paragraph() {
        let lines = [
            "The water enters by gravity through two screens and",
            "collects in the wet well, from which it is drawn up",
            "by pumps.",
            "They cannot fill themselves, and each must be primed",
            "by the vacuum set before it is started every morning.",
        ];
        assert_eq!(kinds(&lines), [Paragraph, Wrapped, Wrapped, Paragraph, Wrapped]);
    }

    #[test]
    fn space_indent_or_another_style_begin_a_paragraph() {
        let full = "collects in the wet well, from which it is drawn up by";
        let mut lines = stacked((0..6).map(|_| sample(full)), 100.0);
        lines[2] = lines[2].clone().at(90.0, lines[2].style.baseline);
        lines[3] = lines[3].clone().at(72.0, lines[3].style.baseline);
        for line in &mut lines[4..] {
            line.style.baseline += 10.0;
        }
        lines[5] = lines[5].clone().bold();
        let found: Vec<BlockKind> = read(lines).into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(found, [Paragraph, Wrapped, Paragraph, Wrapped, Paragraph, Paragraph]);
    }

    #[test]
    fn hyphenated_words_keep_their_hyphen() {
        let lines = [
            "A self-priming pump needs no vacuum set of its own.",
            "before the vacuum set is started it must be a self-",
            "priming pump of the larger size, or",
        ];
        let read = read(stacked(lines.map(sample), 100.0));
        assert_eq!(read[1].1, lines[1]);
        assert_eq!(read[2].0, Glued, "without a space behind the hyphen");
    }

    #[test]
    fn a_hyphen_before_and_is_no_broken_word() {
        let lines = ["before the vacuum set is started look at comma-", "and tab-separated files of it"];
        let read = read(stacked(lines.map(sample), 100.0));
        assert_eq!((read[0].1.as_str(), read[1].0), (lines[0], Wrapped));
    }

    #[test]
    fn a_dash_and_a_name_keep_their_hyphens() {
        let (name, dash) =
            (["the lines between the stations Norwick-", "Tallow and others"], ["he paused -", "then went"]);
        for (lines, kind) in [(name, Glued), (dash, Wrapped)] {
            let read = read(stacked(lines.map(sample), 100.0));
            assert_eq!((read[0].1.as_str(), read[1].0), (lines[0], kind));
        }
    }

    #[test]
    fn items_of_a_list_begin_new_lines() {
        let lines = [
            "• Close the discharge valve of the pump completely.",
            "• Open the priming valve, which has a blue wheel by",
            "four turns, and wait.",
            "1. Watch the sight tube until water without bubbles",
            "2) has flowed for ten seconds, and not only for five",
        ];
        assert_eq!(kinds(&lines), [Paragraph, NewLine, Wrapped, NewLine, NewLine]);
    }

    #[test]
    fn list_items_are_recognised() {
        for item in ["• one", "- one", "— one", "1. one", "a) one", "(1) one", "（一）项", "1、项", "·项"] {
            assert!(starts_item(item), "{item}");
        }
        for text in ["-5 degrees", "one", "1.5 litres", "a dog", "100. one", "(see the chapter on valves)", ""] {
            assert!(!starts_item(text), "{text}");
        }
    }

    #[test]
    fn a_sentence_continues_across_columns_and_pages() {
        let full = "collects in the wet well, from which it is drawn up by";
        let over = |next: &str| {
            let mut lines = stacked([full, full, full].map(sample), 700.0);
            lines.extend(stacked([next, full].map(|text| sample(text).on_page(2)), 100.0));
            read(lines)[3].0
        };
        assert_eq!(over("the pumps above it"), Wrapped);
        assert_eq!(over("Pumps stand above it"), Paragraph, "a capital begins something");
        let mut lines = stacked([full, full, full].map(sample), 700.0);
        lines.extend(stacked([full, full].map(|text| sample(text).in_part(1)), 100.0));
        assert_eq!(read(lines)[3].0, Wrapped, "a column");
    }

    #[test]
    fn lines_have_the_tag_of_their_mark() {
        let tag = HeadingTag { level: 2, number: 7 };
        let mut lines = vec![sample("Scope"), sample("Text")];
        lines[0].mark = Some(3);
        let blocks = blocks(lines, |page, mark| (page == 1 && mark == 3).then_some(tag));
        let tags: Vec<Option<HeadingTag>> =
            blocks.into_iter().map(|block| block.style.and_then(|style| style.tag)).collect();
        assert_eq!(tags, [Some(tag), None]);
    }

    proptest! {
        #[test]
        fn no_letter_is_lost(
            lines in prop::collection::vec(("[a-zA-Z ,.•一-三()1-9-]{1,60}", 60.0f32..200.0, -5.0f32..60.0, 1u32..3, 0u32..3), 0..30)
        ) {
            let mut baseline = 0.0;
            let lines: Vec<Line> = lines.into_iter().map(|(text, left, step, page, part)| {
                baseline += step;
                sample(&text).at(left, baseline).on_page(page).in_part(part)
            }).collect();
            let letters = |texts: &mut dyn Iterator<Item = &str>| -> String {
                texts.flat_map(str::chars).filter(|c| *c != '-').collect()
            };
            let before = letters(&mut lines.iter().map(|line| line.text.as_str()));
            let texts: Vec<String> = lines.iter().map(|line| line.text.clone()).collect();
            let blocks = blocks(lines, |_, _| None);
            prop_assert_eq!(blocks.len(), texts.len());
            prop_assert_eq!(letters(&mut blocks.iter().map(|block| block.text.as_str())), before);
            // A hyphen disappears only inside a word.
            for (pair, text) in blocks.windows(2).zip(&texts) {
                let is_in_word = pair[1].kind == Glued && pair[1].text.starts_with(char::is_lowercase);
                prop_assert!(pair[0].text == *text || is_in_word);
            }
        }
    }
}
