//! The outline and the page labels of a PDF.
//!
//! lopdf's own `get_toc` refuses destinations that name a page by number, so the walk is ours and lopdf only resolves
//! objects. Every entry is visited once, so circles end.

use std::collections::{BTreeMap, HashMap, HashSet};

use lopdf::{Dictionary, Document as Pdf, Object, ObjectId};

use super::objects::{dictionary, entry, inner, pairs, resolve, text_entry};
use crate::load::OutlineEntry;
use crate::text::{squeeze, write_roman};

/// A limit for hostile outlines; no real document has as many entries.
const MOST_ENTRIES: usize = 100_000;
/// Deeper nesting is cut off: a path with thousands of parts is of no use.
const DEEPEST_NESTING: u32 = 64;

/// The entries of the outline, depth first. An entry beyond page `page_count` leads nowhere: the outline of a damaged
/// file can name pages that cannot be read.
pub fn read(pdf: &Pdf, page_count: u32) -> Vec<OutlineEntry> {
    let Ok(catalog) = pdf.catalog() else { return Vec::new() };
    let Some(root) = inner(pdf, catalog, b"Outlines") else { return Vec::new() };
    let pages = pdf.get_pages().into_iter().map(|(number, id)| (id, number)).collect();
    let targets = Targets { pdf, catalog, pages, names: read_names(pdf, catalog) };
    let page_of = |item| targets.page_of_item(item).filter(|page| *page <= page_count);
    let mut entries = Vec::new();
    let mut seen: HashSet<ObjectId> = HashSet::new();
    // An explicit stack, so that deep nesting does not overflow it.
    let mut stack: Vec<(&Object, u32)> = root.get(b"First").ok().map(|first| (first, 1)).into_iter().collect();
    while let Some((object, level)) = stack.pop() {
        if let Object::Reference(id) = object
            && !seen.insert(*id)
        {
            continue;
        }
        let Some(item) = dictionary(pdf, object) else { continue };
        if entries.len() >= MOST_ENTRIES {
            break;
        }
        entries.push(OutlineEntry { level, title: title(pdf, item), page: page_of(item) });
        // The stack is last in, first out: children come before the next sibling.
        for (key, level) in [("Next", level), ("First", level + 1)] {
            if level <= DEEPEST_NESTING
                && let Ok(next @ Object::Reference(_)) = item.get(key.as_bytes())
            {
                stack.push((next, level));
            }
        }
    }
    entries
}

fn title(pdf: &Pdf, item: &Dictionary) -> String {
    let title = text_entry(pdf, item, b"Title").unwrap_or_default();
    squeeze(&title.replace(|c: char| c.is_control() || c == '\u{FEFF}', " "))
}

/// Resolves destinations.
struct Targets<'a> {
    pdf: &'a Pdf,
    catalog: &'a Dictionary,
    pages: HashMap<ObjectId, u32>,
    names: HashMap<Vec<u8>, &'a Object>,
}

impl<'a> Targets<'a> {
    fn page_of_item(&self, item: &'a Dictionary) -> Option<u32> {
        if let Ok(destination) = item.get(b"Dest") {
            return self.page_of(destination, 0);
        }
        let action = inner(self.pdf, item, b"A")?;
        match entry(self.pdf, action, b"S") {
            Some(Object::Name(kind)) if kind == b"GoTo" => self.page_of(action.get(b"D").ok()?, 0),
            _ => None,
        }
    }

    /// The page of a destination, which is an array that starts with the page, a dictionary that holds one, or a name.
    fn page_of(&self, destination: &'a Object, depth: usize) -> Option<u32> {
        if depth > 8 {
            return None;
        }
        match resolve(self.pdf, destination)? {
            Object::Array(array) => self.page_number(array.first()?),
            Object::Dictionary(dictionary) => self.page_of(dictionary.get(b"D").ok()?, depth + 1),
            Object::Name(name) | Object::String(name, _) => self.page_of(self.named(name)?, depth + 1),
            _ => None,
        }
    }

    fn page_number(&self, page: &Object) -> Option<u32> {
        match page {
            Object::Reference(id) => self.pages.get(id).copied(),
            // From 0. The standard allows numbers only for other files, but many producers write them anyway.
            Object::Integer(index) => {
                let number = u32::try_from(*index).ok()?.checked_add(1)?;
                (number as usize <= self.pages.len()).then_some(number)
            }
            _ => None,
        }
    }

    fn named(&self, name: &[u8]) -> Option<&'a Object> {
        // Before PDF 1.2, they were in a dictionary of the catalog.
        let old = || inner(self.pdf, self.catalog, b"Dests")?.get(name).ok();
        self.names.get(name).copied().or_else(old)
    }
}

fn read_names<'a>(pdf: &'a Pdf, catalog: &'a Dictionary) -> HashMap<Vec<u8>, &'a Object> {
    let root = inner(pdf, catalog, b"Names").and_then(|names| names.get(b"Dests").ok());
    let mut names = HashMap::new();
    for (name, destination) in pairs(pdf, root, b"Names") {
        if let Object::String(name, _) = name {
            names.entry(name.clone()).or_insert(destination);
        }
    }
    names
}

/// Adds the file's labels to pages without a printed number, unless they contradict the printed ones: some producers
/// number the file, not the book.
pub fn fill_labels(pdf: &Pdf, printed: &mut [Option<String>]) {
    let ranges = ranges(pdf);
    let labels: Vec<Option<String>> = (0..printed.len()).map(|page| label(&ranges, page)).collect();
    let both = || printed.iter().zip(&labels).filter(|(printed, _)| printed.is_some());
    let agreeing = both().filter(|(printed, label)| printed == label).count();
    if agreeing * 2 < both().count() {
        return;
    }
    for (printed, label) in printed.iter_mut().zip(labels) {
        if printed.is_none() {
            *printed = label;
        }
    }
}

/// How a range of pages is numbered. Other labels, with letters or a prefix, are in no contents page.
#[derive(Clone, Copy)]
struct Range {
    is_roman: bool,
    first: u32,
}

/// The ranges by their first pages, `None` for one with other labels.
fn ranges(pdf: &Pdf) -> BTreeMap<usize, Option<Range>> {
    let root = pdf.catalog().ok().and_then(|catalog| catalog.get(b"PageLabels").ok());
    let range = |(page, range): (&Object, &Object)| match page {
        Object::Integer(page) => Some((usize::try_from(*page).ok()?, read_range(pdf, dictionary(pdf, range)?))),
        _ => None,
    };
    pairs(pdf, root, b"Nums").into_iter().filter_map(range).collect()
}

fn read_range(pdf: &Pdf, range: &Dictionary) -> Option<Range> {
    let Object::Name(style) = entry(pdf, range, b"S")? else { return None };
    let has_prefix = text_entry(pdf, range, b"P").is_some_and(|prefix| !prefix.is_empty());
    let first = match entry(pdf, range, b"St") {
        Some(Object::Integer(first)) => u32::try_from(*first).unwrap_or(1),
        _ => 1,
    };
    let is_roman = matches!(style.first(), Some(b'R' | b'r'));
    (!has_prefix && (is_roman || style.first() == Some(&b'D'))).then_some(Range { is_roman, first })
}

/// Pages count from 0. Always lower case, because contents pages are compared without case.
fn label(ranges: &BTreeMap<usize, Option<Range>>, page: usize) -> Option<String> {
    let (&start, range) = ranges.range(..=page).next_back()?;
    let Range { is_roman, first } = (*range)?;
    let number = first.checked_add(u32::try_from(page - start).ok()?)?;
    match is_roman {
        true => (number < 1000).then(|| write_roman(number)),
        false => Some(number.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(is_roman: bool, first: u32) -> Option<Range> {
        Some(Range { is_roman, first })
    }

    #[test]
    fn each_range_counts_in_its_own_style() {
        let ranges = BTreeMap::from([(0, range(true, 1)), (4, range(false, 1)), (9, None)]);
        let labels: Vec<Option<String>> = [0, 3, 4, 8, 9, 10].iter().map(|&page| label(&ranges, page)).collect();
        let known = ["i", "iv", "1", "5"].map(|label| Some(label.to_owned()));
        assert_eq!(labels, [&known[..], &[None, None]].concat());
    }

    #[test]
    fn a_page_before_the_first_range_has_none() {
        assert_eq!(label(&BTreeMap::from([(2, range(false, 1))]), 1), None);
        assert_eq!(label(&BTreeMap::from([(0, range(false, u32::MAX))]), 1), None);
    }
}
