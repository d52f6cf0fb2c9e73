//! The outline of a PDF, walked entry by entry.
//!
//! lopdf's own `get_toc` refuses documents whose destinations name a page by number instead of by reference, so the
//! walk is ours and lopdf only resolves objects. Every entry is visited once, whatever circles the file draws.

use std::collections::{HashMap, HashSet};

use lopdf::{Dictionary, Document as Pdf, Object, ObjectId};

use super::{dictionary, resolve, strings, trees};
use crate::load::OutlineEntry;
use crate::text::squeeze;

/// More entries than any real document has; a limit for hostile ones.
const MOST_ENTRIES: usize = 100_000;
/// Deeper nesting is cut off: no document has it, and paths with thousands of parts help nobody.
const DEEPEST_NESTING: u32 = 64;

/// The entries of the outline, depth first. Empty where there is none.
pub fn read(pdf: &Pdf) -> Vec<OutlineEntry> {
    let Ok(catalog) = pdf.catalog() else { return Vec::new() };
    let Some(root) = catalog.get(b"Outlines").ok().and_then(|object| dictionary(pdf, object)) else {
        return Vec::new();
    };
    let pages = pdf.get_pages().into_iter().map(|(number, id)| (id, number)).collect();
    let targets = Targets { pdf, catalog, pages, names: read_names(pdf, catalog) };
    let mut entries = Vec::new();
    let mut seen: HashSet<ObjectId> = HashSet::new();
    // An explicit stack: nesting without end must not end the process.
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
        entries.push(OutlineEntry { level, title: title(pdf, item), page: targets.page_of_item(item) });
        // Last in, first out: the children come before the next sibling.
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
    match item.get(b"Title").ok().and_then(|title| resolve(pdf, title)) {
        Some(Object::String(bytes, _)) => {
            squeeze(&strings::decode(bytes).replace(|c: char| c.is_control() || c == '\u{FEFF}', " "))
        }
        _ => String::new(),
    }
}

/// What destinations lead to.
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
        let action = dictionary(self.pdf, item.get(b"A").ok()?)?;
        match action.get(b"S").ok().and_then(|kind| resolve(self.pdf, kind)) {
            Some(Object::Name(kind)) if kind == b"GoTo" => self.page_of(action.get(b"D").ok()?, 0),
            _ => None,
        }
    }

    /// The page of a destination: an array that starts with the page, a dictionary that holds one, or a name.
    fn page_of(&self, destination: &'a Object, depth: usize) -> Option<u32> {
        if depth > 8 {
            return None;
        }
        match resolve(self.pdf, destination)? {
            Object::Array(array) => self.page_number(array.first()?),
            Object::Dictionary(dictionary) => self.page_of(dictionary.get(b"D").ok()?, depth + 1),
            Object::Name(name) => self.page_of(self.named(name)?, depth + 1),
            Object::String(name, _) => self.page_of(self.named(name)?, depth + 1),
            _ => None,
        }
    }

    fn page_number(&self, page: &Object) -> Option<u32> {
        match page {
            Object::Reference(id) => self.pages.get(id).copied(),
            // By number, from 0, as the standard allows only for other files and many producers write all the same.
            Object::Integer(index) => {
                let number = u32::try_from(*index).ok()?.checked_add(1)?;
                (number as usize <= self.pages.len()).then_some(number)
            }
            _ => None,
        }
    }

    fn named(&self, name: &[u8]) -> Option<&'a Object> {
        if let Some(found) = self.names.get(name) {
            return Some(found);
        }
        let old = dictionary(self.pdf, self.catalog.get(b"Dests").ok()?)?;
        old.get(name).ok()
    }
}

/// The name tree of destinations, flattened.
fn read_names<'a>(pdf: &'a Pdf, catalog: &'a Dictionary) -> HashMap<Vec<u8>, &'a Object> {
    let root =
        catalog.get(b"Names").ok().and_then(|names| dictionary(pdf, names)).and_then(|names| names.get(b"Dests").ok());
    let mut names = HashMap::new();
    for (name, destination) in trees::pairs(pdf, root, b"Names") {
        if let Object::String(name, _) = name {
            names.entry(name.clone()).or_insert(destination);
        }
    }
    names
}
