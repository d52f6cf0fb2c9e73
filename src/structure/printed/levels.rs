//! The levels of the entries of a contents page.

use std::collections::HashMap;

use super::entries::{Entry, SAME_INDENT};
use crate::structure::levels::nested;
use crate::structure::numbering::{self, Kind};

/// The least distance of another column, in points.
const COLUMN: f32 = 120.0;

/// Levels by indent, size, weight and depth of number.
pub(super) fn levels(entries: &[Entry]) -> Vec<u32> {
    let lefts = indentation(entries);
    let mut indents: Vec<f32> = Vec::new();
    for &left in &lefts {
        if !indents.iter().any(|indent| (indent - left).abs() < SAME_INDENT) {
            indents.push(left);
        }
    }
    indents.sort_by(f32::total_cmp);
    // Entries with the same features share a level: kind and depth of number, indent, weight and size.
    let style = |(entry, left): (&Entry, &f32)| {
        let indent = indents.iter().position(|indent| (indent - left).abs() < SAME_INDENT).unwrap_or(0);
        let number = numbering::parse(&entry.title).map(|number| (number.kind, number.depth()));
        EntryStyle {
            group: entry.is_group(),
            number,
            indent,
            bold: entry.style.bold,
            size: (entry.style.size * 2.0).round() as i32,
        }
    };
    nested(entries.iter().zip(&lefts).map(style), is_below)
}

/// The indent of each entry, in points; a second column has its own edge.
fn indentation(entries: &[Entry]) -> Vec<f32> {
    let left = entries.iter().map(|entry| entry.style.left).fold(f32::MAX, f32::min);
    let part = |entry: &Entry| (entry.page, entry.style.part);
    let mut edges: HashMap<(u32, u32), f32> = HashMap::new();
    for entry in entries {
        let edge = edges.entry(part(entry)).or_insert(entry.style.left);
        *edge = edge.min(entry.style.left);
    }
    let indent = |entry: &Entry| {
        let edge = edges.get(&part(entry)).copied().unwrap_or(left);
        entry.style.left - if edge - left > COLUMN { edge } else { left }
    };
    entries.iter().map(indent).collect()
}

#[derive(Clone, Copy)]
struct EntryStyle {
    group: bool,
    number: Option<(Kind, usize)>,
    indent: usize,
    bold: bool,
    size: i32,
}

/// Whether an entry with these features is below one with those of `above`.
fn is_below(entry: EntryStyle, above: EntryStyle) -> bool {
    let kinds = entry.number.zip(above.number);
    if entry.group || above.group {
        return !entry.group && kinds.is_none_or(|((kind, _), (kind_above, _))| kind > kind_above);
    }
    if let Some(((kind, depth), (kind_above, depth_above))) = kinds {
        if kind == kind_above {
            return depth > depth_above;
        }
        let ordered = |kind: Kind| kind <= Kind::Article;
        if ordered(kind) && ordered(kind_above) {
            return kind > kind_above;
        }
        if kind_above == Kind::Decimal && depth_above > 1 && depth == 1 {
            return entry.indent > above.indent;
        }
    }
    if entry.indent != above.indent {
        return entry.indent > above.indent;
    }
    if entry.size != above.size {
        return entry.size < above.size;
    }
    if entry.bold != above.bold {
        return above.bold;
    }
    let rank = |number: Option<(Kind, usize)>| number.map_or(0, |(kind, _)| i32::from(kind == Kind::Decimal));
    rank(entry.number) > rank(above.number)
        && above.number.is_some_and(|(kind, _)| kind < Kind::Decimal && kind != Kind::Appendix)
}
