//! Lines to blocks: which line goes on with the sentence of the one before it, and which begins something.

use std::collections::HashSet;

use super::lines::Line;
use crate::load::{Block, BlockKind, HeadingTag};
use crate::text::is_wide;

/// Lines of one paragraph have sizes that differ by less than this, in points.
const SAME_SIZE: f32 = 0.6;
/// A step between baselines of more than the usual one times this begins a paragraph.
const WIDER_STEP: f32 = 1.3;
/// A line that begins further right than this share of its size is indented.
const INDENT: f32 = 0.8;
/// A line that ends this share of its part's width before the right edge was not broken for want of room.
const SHORT: f32 = 0.2;
/// Usual steps between baselines, in sizes, are taken to be at most this.
const LARGEST_STEP: f32 = 2.2;

/// Makes blocks of the lines of a document, in reading order. Words broken at the end of a line are put together
/// again, unless the document writes them with a hyphen elsewhere.
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
            && ends_in_broken_word(&block.text, &line.text, &hyphenated)
        {
            block.text.pop();
            kind = BlockKind::Glued;
        }
        let mut look = line.look.clone();
        look.tag = line.mark.and_then(|mark| tag(line.page, mark));
        blocks.push(Block { kind, text: line.text.clone(), page: Some(line.page), look: Some(look) });
        last = Some((line, edge));
    }
    blocks
}

/// The commonest distance of two lines in a paragraph, in sizes.
fn usual_step(lines: &[Line]) -> f32 {
    let mut steps: Vec<i32> = lines
        .windows(2)
        .filter(|pair| pair[0].page == pair[1].page && pair[0].look.part == pair[1].look.part)
        .map(|pair| {
            ((pair[1].look.baseline - pair[0].look.baseline) / pair[0].look.size.max(1.0) * 20.0).round() as i32
        })
        .filter(|&step| step > 16 && step < (LARGEST_STEP * 20.0) as i32)
        .collect();
    steps.sort_unstable();
    let commonest = steps.chunk_by(|a, b| a == b).max_by_key(|group| group.len()).map_or(24, |group| group[0]);
    commonest as f32 / 20.0
}

/// For each line, where the lines of its part of the page end.
fn right_edges(lines: &[Line]) -> Vec<f32> {
    let mut edges = Vec::with_capacity(lines.len());
    for part in lines.chunk_by(|a, b| a.page == b.page && a.look.part == b.look.part) {
        let mut rights: Vec<f32> =
            part.iter().filter(|line| line.look.cells == 1).map(|line| line.look.right).collect();
        rights.sort_by(f32::total_cmp);
        let edge = rights.get(rights.len() * 9 / 10).copied().unwrap_or(f32::MAX);
        edges.extend(std::iter::repeat_n(edge, part.len()));
    }
    edges
}

fn relation(before: &Line, line: &Line, edge: f32, step: f32) -> BlockKind {
    let alike = (before.look.size - line.look.size).abs() < SAME_SIZE
        && before.look.bold == line.look.bold
        && before.look.fixed == line.look.fixed;
    let is_full = before.look.right > edge - SHORT * (edge - before.look.left).max(0.0);
    if before.page != line.page || before.look.part != line.look.part {
        // Over the edge of a column or page a sentence goes on if it had not ended.
        let goes_on = alike
            && !line.look.fixed
            && before.look.cells == 1
            && line.look.cells == 1
            && is_full
            && !ends_sentence(&before.text)
            && line.text.starts_with(|c: char| c.is_lowercase() || is_wide(c));
        return if goes_on { BlockKind::Wrapped } else { BlockKind::Paragraph };
    }
    let distance = line.look.baseline - before.look.baseline;
    if distance > WIDER_STEP * step * before.look.size.max(line.look.size) || distance < 0.0 || !alike {
        return BlockKind::Paragraph;
    }
    if line.look.fixed || before.look.cells > 1 || line.look.cells > 2 || starts_item(&line.text) {
        return BlockKind::Line;
    }
    if line.look.left > before.look.left + INDENT * line.look.size {
        // What follows the first line of a list item is indented too, and goes on with it.
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

/// Whether a line begins with the mark of a list item.
pub fn starts_item(text: &str) -> bool {
    let mut chars = text.chars();
    match chars.next() {
        Some('•' | '◦' | '▪' | '■' | '●' | '○' | '–' | '—' | '·' | '*' | '-' | '‣' | '➢' | '✓' | '□') => {
            chars.next().is_some_and(|c| c == ' ' || is_wide(c))
        }
        Some('(' | '（') => text.chars().skip(1).take(4).any(|c| matches!(c, ')' | '）')),
        Some(c) if c.is_ascii_alphanumeric() => {
            let end = text.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len());
            let is_short = end <= 2;
            is_short && text[end..].starts_with([')', '）', '、']) || (is_short && text[end..].starts_with(". "))
        }
        _ => false,
    }
}

/// Words that the document writes with a hyphen inside a line, in lower case.
fn hyphenated_words(lines: &[Line]) -> HashSet<String> {
    lines
        .iter()
        .flat_map(|line| line.text.split_whitespace())
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| word.contains('-'))
        .map(str::to_lowercase)
        .collect()
}

fn ends_in_broken_word(text: &str, next: &str, hyphenated: &HashSet<String>) -> bool {
    let Some(head) = text.strip_suffix(['-', '‐']) else { return false };
    if !head.ends_with(char::is_alphabetic) || !next.starts_with(char::is_lowercase) {
        return false;
    }
    let head = head.rsplit(|c: char| c.is_whitespace()).next().unwrap_or(head);
    let tail: String = next.chars().take_while(|c| c.is_alphanumeric() || *c == '-').collect();
    let whole = format!("{head}-{tail}").to_lowercase();
    !hyphenated.contains(whole.trim_matches(|c: char| !c.is_alphanumeric()))
}
