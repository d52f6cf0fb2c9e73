//! Lines over groups of entries, such as `PART II`, which often have no page number of their own.

use super::entries::{Entry, LABEL_OF_GROUPS, is_title_of_list};
use crate::load::{Block, LineStyle};
use crate::structure::numbering::{self, Kind};

/// Longer lines are text, in characters.
const LONGEST: usize = 80;
/// The width of the column of page numbers, in points.
const WIDTH_OF_NUMBERS: f32 = 40.0;
/// The least capitals in a line of capitals.
const FEWEST_CAPITALS: usize = 3;

impl Entry {
    /// Whether it is a line over a group of entries, without a page number.
    pub(super) fn is_group(&self) -> bool {
        self.label == LABEL_OF_GROUPS
    }
}

/// The title of a group of entries: the last of `lines` that could be one. They stand above the first entry and have no
/// page number.
pub(super) fn group(lines: &[usize], entry: &Entry, blocks: &[Block]) -> Option<Entry> {
    let first = &blocks[entry.blocks.0];
    let right = blocks[entry.blocks.1 - 1].style.as_ref()?.right;
    lines.iter().rev().find_map(|&i| {
        let block = &blocks[i];
        let style = block.style.as_ref()?;
        let text = block.words();
        let number = numbering::parse(text);
        let is_part = number.as_ref().is_some_and(|number| number.kind == Kind::Part);
        // A line that ends at the right edge is the head of the column of page numbers.
        let fits = block.page == first.page
            && (style.right < right - WIDTH_OF_NUMBERS || style.cells > 1)
            && text.chars().count() <= LONGEST
            && text.chars().filter(|c| c.is_alphabetic()).count() > 1
            && !is_title_of_list(text);
        let differs = || style.cells == 1 && number.is_none() && stands_out(block, style, entry);
        (fits && (is_part || differs())).then(|| Entry {
            title: without_column_head(text, style),
            label: LABEL_OF_GROUPS.to_owned(),
            left: entry.left,
            bold: style.bold,
            size: style.size,
            part: entry.part,
            blocks: (i, i + 1),
        })
    })
}

/// Whether a line differs in weight, size or capitals from the entry below it.
fn stands_out(block: &Block, style: &LineStyle, entry: &Entry) -> bool {
    let in_capitals = |text: &str| {
        text.chars().filter(|c| c.is_uppercase()).count() >= FEWEST_CAPITALS && !text.contains(char::is_lowercase)
    };
    (style.bold && !entry.bold)
        || style.size > entry.size + 0.6
        || (in_capitals(block.words()) && !in_capitals(&entry.title))
}

/// `PART I. FINANCIAL INFORMATION Page`: the last cell is the head of the column of page numbers.
fn without_column_head(text: &str, style: &LineStyle) -> String {
    let head = ["Page", "page", "PAGE", "页码", "页"].iter().find_map(|head| text.strip_suffix(head));
    head.filter(|_| style.cells > 1).unwrap_or(text).trim().to_owned()
}
