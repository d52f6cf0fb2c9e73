//! On which level an entry of a contents page is.

use std::collections::HashMap;

use super::entries::{Entry, SAME_INDENT};
use crate::structure::numbering::{self, Kind};

/// What begins so much further right, in points, is another column.
const COLUMN: f32 = 120.0;

/// Levels by what the entries look like: their indent, their size and weight, and the depth of their numbers.
pub(super) fn levels(entries: &[Entry]) -> Vec<u32> {
    let numbers: Vec<Option<numbering::Numbering>> =
        entries.iter().map(|entry| numbering::parse(&entry.title)).collect();
    let lefts = indentation(entries);
    let mut indents: Vec<f32> = Vec::new();
    for &left in &lefts {
        if !indents.iter().any(|indent| (indent - left).abs() < SAME_INDENT) {
            indents.push(left);
        }
    }
    indents.sort_by(f32::total_cmp);
    // What looks alike is alike: kind and depth of number, indent, weight and size.
    let looks: Vec<EntryLook> = entries
        .iter()
        .zip(&numbers)
        .zip(&lefts)
        .map(|((entry, number), left)| {
            let indent = indents.iter().position(|indent| (indent - left).abs() < SAME_INDENT).unwrap_or(0);
            let number = number.as_ref().map(|number| (number.kind, number.depth()));
            (number, indent, entry.bold, (entry.size * 2.0).round() as i32)
        })
        .collect();
    let mut open: Vec<EntryLook> = Vec::new();
    let mut levels = Vec::with_capacity(entries.len());
    for look in &looks {
        while open.last().is_some_and(|above| !is_below(look, above)) {
            open.pop();
        }
        open.push(*look);
        levels.push(open.len() as u32);
    }
    levels
}

/// How far each entry stands from the left edge of the contents, in points; a second column has an edge of its own.
fn indentation(entries: &[Entry]) -> Vec<f32> {
    let left = entries.iter().map(|entry| entry.left).fold(f32::MAX, f32::min);
    let mut edges: HashMap<(u32, u32), f32> = HashMap::new();
    for entry in entries {
        let edge = edges.entry(entry.part).or_insert(entry.left);
        *edge = edge.min(entry.left);
    }
    entries
        .iter()
        .map(|entry| {
            let edge = edges.get(&entry.part).copied().unwrap_or(left);
            entry.left - if edge - left > COLUMN { edge } else { left }
        })
        .collect()
}

type EntryLook = (Option<(Kind, usize)>, usize, bool, i32);

/// Whether an entry that looks like `look` stands below one that looks like `above`.
fn is_below(look: &EntryLook, above: &EntryLook) -> bool {
    let ((number, indent, bold, size), (number_above, indent_above, bold_above, size_above)) = (*look, *above);
    if let (Some((kind, depth)), Some((kind_above, depth_above))) = (number, number_above) {
        if kind == kind_above {
            return depth > depth_above;
        }
        let ordered = |kind: Kind| matches!(kind, Kind::Part | Kind::Chapter | Kind::Section | Kind::Article);
        if ordered(kind) && ordered(kind_above) {
            return kind > kind_above;
        }
        if kind_above == Kind::Decimal && depth_above > 1 && depth == 1 {
            return indent > indent_above;
        }
    }
    if indent != indent_above {
        return indent > indent_above;
    }
    if size != size_above {
        return size < size_above;
    }
    if bold != bold_above {
        return bold_above;
    }
    let rank = |number: Option<(Kind, usize)>| number.map_or(0, |(kind, _)| i32::from(kind == Kind::Decimal));
    rank(number) > rank(number_above)
        && number_above.is_some_and(|(kind, _)| kind < Kind::Decimal && kind != Kind::Appendix)
}
