//! Rows of tables, which are never headings: lines with figures in cells, headers of columns, labels between rows.

use crate::load::{Block, LineStyle};
use crate::structure::numbering;

/// A line this far below another, in sizes of the larger, is not in the same table.
const LARGEST_STEP: f32 = 2.4;

/// Whether a word is a figure of a table: `4,132`, `$`, `(12.5)%`, `—`.
fn is_figure(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_digit() || ".,()%+-−–—/".contains(c) || "$€£¥".contains(c))
}

/// The figures at the end of a line; signs without digits count only among others.
pub fn figures(text: &str) -> usize {
    let last = text.split_whitespace().rev().take_while(|word| is_figure(word));
    last.filter(|word| word.contains(|c: char| c.is_ascii_digit())).count()
}

/// The number of cells of a line, without that of a number before its title.
fn cells(text: &str, style: &LineStyle) -> u32 {
    style.cells - u32::from(style.cells > 1 && numbering::parse(text).is_some())
}

/// Whether a line has figures in cells of their own.
pub fn is_row(block: &Block) -> bool {
    let text = block.words();
    let figures = figures(text);
    let alone = figures > 0 && text.split_whitespace().all(is_figure);
    figures > 0 && block.style.as_ref().is_some_and(|style| alone || cells(text, style) > 1)
}

/// Whether a line has several cells, as the header over the columns of a table has.
pub(super) fn has_columns(block: &Block) -> bool {
    block.style.as_ref().is_some_and(|style| cells(block.words(), style) > 1)
}

/// Whether a row names years or dates only, as the first rows of a table do.
fn is_header(block: &Block) -> bool {
    let is_year = |word: &str| word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
    let mut words = block.words().split_whitespace().filter(|word| word.contains(|c: char| c.is_ascii_digit()));
    words.all(|word| is_year(word.trim_matches(|c: char| !c.is_ascii_digit())) || word.contains('/'))
}

/// Whether the blocks from `start` to `end` stand between two rows of one table.
pub(super) fn is_between_rows(blocks: &[Block], start: usize, end: usize) -> bool {
    let (Some(above), Some(below)) = (start.checked_sub(1).map(|i| &blocks[i]), blocks.get(end)) else { return false };
    is_row(above)
        && is_row(below)
        && !is_header(below)
        && is_near(above, &blocks[start])
        && is_near(&blocks[end - 1], below)
}

fn is_near(above: &Block, below: &Block) -> bool {
    let (Some(a), Some(b)) = (&above.style, &below.style) else { return false };
    let step = b.baseline - a.baseline;
    above.page == below.page && a.part == b.part && step >= 0.0 && step < LARGEST_STEP * a.size.max(b.size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structure::tests::{line, page};

    #[test]
    fn lines_with_figures_in_cells_are_rows() {
        for text in ["Net revenue $ 22,322 $ 20,225", "Other — (13) — (3,335)", "Total 12.5% 3 %"] {
            assert!(is_row(&line(text).cells(3)), "{text}");
        }
        assert!(is_row(&line("5,969 5,222")), "figures alone need no cells");
        assert!(is_row(&line("1.2 Pumps 45").cells(3)), "behind the number there is a second cell");
        for text in ["1.2 Pumps 45", "3 Scope", "Revenue Volume"] {
            assert!(!is_row(&line(text).cells(2)), "{text}");
        }
        assert!(!is_row(&line("Outlook for 2024")), "a title may end in a year");
    }

    #[test]
    fn a_label_between_rows_is_in_the_table_and_a_title_above_one_is_not() {
        let row = || line("Net income 4,715 5,719").cells(3).below();
        let label = line("Investing Activities").bold();
        let blocks = page(1, [vec![row(), label.clone(), row()]]);
        assert!(is_between_rows(&blocks, 1, 2));
        let years = line("2023 2022").cells(2);
        let blocks = page(1, [vec![row(), label.clone(), years, row()]]);
        assert!(!is_between_rows(&blocks, 1, 2), "the years begin another table");
        let blocks = page(1, [vec![line("What was before."), label, row()]]);
        assert!(!is_between_rows(&blocks, 1, 2));
        assert!(!is_between_rows(&blocks, 0, 1), "nothing is above the first line");
    }
}
