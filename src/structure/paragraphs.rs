//! Headings of a Word document that has no heading styles: the typography and numbers of whole paragraphs, judged by
//! the rules for lines of a page.

use std::collections::HashMap;

use super::tree::{Heading, Provenance};
use super::typography;
use crate::load::{Block, BlockKind};
use crate::text::{squeeze, width};

/// The characters of a line, ideographs counted twice.
const OF_A_LINE: usize = 80;
/// Longer paragraphs are text of several lines.
const LONGEST_TITLE: usize = 180;
/// The steps between lines of a paragraph or list, and between paragraphs, in sizes.
const NEAR: f32 = 1.2;
const APART: f32 = 3.2;

/// The headings among paragraphs. Those without looks can only have numbers, as in plain text.
pub(super) fn find(blocks: &[Block]) -> Vec<Heading> {
    let (lines, paragraph_of) = laid_out(blocks);
    let is_first = |line: usize| line == 0 || paragraph_of[line - 1] != paragraph_of[line];
    let of_paragraphs = |heading: Heading| {
        let first = heading.start - heading.heading_blocks;
        let (begin, start) = (paragraph_of[first], paragraph_of[heading.start]);
        let title = squeeze(&heading.title);
        (is_first(first) && is_first(heading.start)).then_some(Heading {
            title,
            page: None,
            start,
            heading_blocks: start - begin,
            ..heading
        })
    };
    let mut found: Vec<Heading> = typography::find(&lines, &[], &[]).into_iter().filter_map(of_paragraphs).collect();
    // A speaker's name or a bold note that returns heads no section.
    let mut times: HashMap<String, usize> = HashMap::new();
    found.iter().for_each(|heading| *times.entry(heading.title.clone()).or_default() += 1);
    found.retain(|heading| heading.provenance == Provenance::Numbering || times[&heading.title] == 1);
    found
}

/// The paragraphs as lines of one page, and the paragraph of each line, with the number of paragraphs last. The first
/// line has all the text; the others only count.
fn laid_out(blocks: &[Block]) -> (Vec<Block>, Vec<usize>) {
    let (mut lines, mut paragraph_of) = (Vec::new(), Vec::new());
    let (mut baseline, mut is_below_bold) = (0.0, false);
    for (i, block) in blocks.iter().enumerate() {
        let mut style = block.style.clone();
        let mut more = 0;
        if let Some(style) = &mut style {
            // The spaces of Word are not known. Bold paragraphs below each other are taken for a block.
            let near = block.kind == BlockKind::Line || (is_below_bold && style.bold);
            baseline += if near { NEAR } else { APART } * style.size;
            style.baseline = baseline;
            more = lines_behind(&block.text);
            baseline += more as f32 * NEAR * style.size;
        }
        is_below_bold = style.as_ref().is_some_and(|style| style.bold);
        lines.push(Block { page: Some(1), style: style.clone(), ..block.clone() });
        lines.extend((1..=more).map(|line| {
            let mut style = style.clone();
            if let Some(style) = &mut style {
                style.baseline += line as f32 * NEAR * style.size;
            }
            Block { style, ..Block::new(BlockKind::Wrapped, "", Some(1)) }
        }));
        paragraph_of.extend(std::iter::repeat_n(i, 1 + more));
    }
    paragraph_of.push(blocks.len());
    (lines, paragraph_of)
}

/// The number of lines of a paragraph after its first.
fn lines_behind(text: &str) -> usize {
    let width = width(text);
    if width <= LONGEST_TITLE { 0 } else { (width - 1) / OF_A_LINE }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structure::tests::line;

    const TEXT: &str = "The station lifts the water of the lower fields into the canal, and stops when the gauge at the \
        sluice shows two metres. A second pump starts when the first one alone does not lower the water within an hour.";

    /// Level, title, first block and blocks of the heading.
    fn found(blocks: &[Block]) -> Vec<(u32, String, usize, usize)> {
        let facts = |heading: Heading| (heading.level, heading.title, heading.start, heading.heading_blocks);
        find(blocks).into_iter().map(facts).collect()
    }

    fn under(title: Block) -> Vec<Block> {
        vec![title, line(TEXT), line(TEXT)]
    }

    #[test]
    fn bold_paragraphs_above_text_are_headings() {
        let blocks = ["Pumps", "Motors", "Screens"].map(|title| under(line(title).bold())).concat();
        let wanted = [(1, "Pumps", 1, 1), (1, "Motors", 4, 1), (1, "Screens", 7, 1)];
        assert_eq!(found(&blocks), wanted.map(|(level, title, start, lines)| (level, title.to_owned(), start, lines)));
        assert_eq!(found(&[blocks[..6].to_vec(), under(line(TEXT).bold())].concat()), [], "two are emphasis");
    }

    #[test]
    fn bold_paragraphs_below_each_other_are_not_headings() {
        let block =
            |name: &str| [under(line(name).bold()), vec![line("Norwick").bold(), line("Tallow").bold()]].concat();
        let blocks = ["Buyer", "Seller", "Bank"].map(block).concat();
        assert!(!found(&blocks).iter().any(|(_, title, ..)| title == "Norwick" || title == "Tallow"));
    }

    #[test]
    fn an_article_whose_text_runs_on_keeps_it() {
        let article = |number: &str| line(&format!("第{number}条　{}", "泵站的供电来自两条十千伏线路。".repeat(9)));
        let blocks = ["一", "二", "三"].map(article);
        let wanted = [(1, "第一条", 0, 0), (1, "第二条", 1, 0), (1, "第三条", 2, 0)];
        assert_eq!(found(&blocks), wanted.map(|(level, title, start, lines)| (level, title.to_owned(), start, lines)));
    }

    #[test]
    fn without_looks_numbers_count_as_in_plain_text() {
        let texts = ["第一条 标的", "乙方供应三台水泵。", "第二条 价款", "总价为三万元。", "第三条 交付", "货到付款。"];
        let titles: Vec<String> = found(&texts.map(Block::paragraph)).into_iter().map(|(_, title, ..)| title).collect();
        assert_eq!(titles, ["第一条 标的", "第二条 价款", "第三条 交付"]);
    }
}
