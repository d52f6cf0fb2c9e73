//! Page labels: the numbers that a PDF says its pages bear.

use std::collections::BTreeMap;

use lopdf::{Dictionary, Document as Pdf, Object};

use super::{dictionary, resolve, strings, trees};
use crate::text::write_roman;

/// Letters repeat for the next round of the alphabet; more rounds than this are nonsense.
const MOST_ROUNDS: u32 = 8;

/// Fills in the labels of pages whose print does not say one, as long as the file's labels do not contradict what is
/// printed: some producers number the file and not the book.
pub fn fill(pdf: &Pdf, printed: &mut [Option<String>]) {
    let ranges = ranges(pdf);
    if ranges.is_empty() {
        return;
    }
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

/// A style with a prefix and a first number, from a page on.
struct Range {
    style: Option<u8>,
    prefix: String,
    first: u32,
}

fn ranges(pdf: &Pdf) -> BTreeMap<usize, Range> {
    let root = pdf.catalog().ok().and_then(|catalog| catalog.get(b"PageLabels").ok());
    let range = |(page, range): (&Object, &Object)| match page {
        Object::Integer(page) => Some((usize::try_from(*page).ok()?, read_range(pdf, dictionary(pdf, range)?))),
        _ => None,
    };
    trees::pairs(pdf, root, b"Nums").into_iter().filter_map(range).collect()
}

fn read_range(pdf: &Pdf, range: &Dictionary) -> Range {
    let style = match range.get(b"S").ok().and_then(|style| resolve(pdf, style)) {
        Some(Object::Name(name)) => name.first().copied(),
        _ => None,
    };
    let prefix = match range.get(b"P").ok().and_then(|prefix| resolve(pdf, prefix)) {
        Some(Object::String(bytes, _)) => strings::decode(bytes),
        _ => String::new(),
    };
    let first = match range.get(b"St").ok().and_then(|first| resolve(pdf, first)) {
        Some(Object::Integer(first)) => u32::try_from(*first).unwrap_or(1),
        _ => 1,
    };
    Range { style, prefix, first }
}

/// The label of a page, counted from 0.
fn label(ranges: &BTreeMap<usize, Range>, page: usize) -> Option<String> {
    let (&start, range) = ranges.range(..=page).next_back()?;
    let number = range.first.checked_add(u32::try_from(page - start).ok()?)?;
    let text = match range.style {
        Some(b'D') => number.to_string(),
        // Upper and lower case alike: what is printed in a contents page is compared without case.
        Some(b'R' | b'r') if number < 1000 => write_roman(number),
        Some(b'A' | b'a') => letters(number)?,
        _ => String::new(),
    };
    let label = format!("{}{text}", range.prefix);
    (!label.is_empty()).then_some(label)
}

/// `a` to `z`, then `aa` to `zz`.
fn letters(number: u32) -> Option<String> {
    let index = number.checked_sub(1)?;
    let rounds = index / 26 + 1;
    let letter = char::from(b'a' + u8::try_from(index % 26).ok()?);
    (rounds <= MOST_ROUNDS).then(|| std::iter::repeat_n(letter, rounds as usize).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(style: u8, first: u32) -> Range {
        Range { style: Some(style), prefix: String::new(), first }
    }

    #[test]
    fn each_range_counts_in_its_own_style() {
        let ranges = BTreeMap::from([(0, range(b'r', 1)), (4, range(b'D', 1)), (9, range(b'A', 26))]);
        let labels: Vec<Option<String>> = [0, 3, 4, 8, 9, 10].iter().map(|&page| label(&ranges, page)).collect();
        assert_eq!(labels, ["i", "iv", "1", "5", "z", "aa"].map(|label| Some(label.to_owned())));
    }

    #[test]
    fn a_page_before_the_first_range_has_none() {
        assert_eq!(label(&BTreeMap::from([(2, range(b'D', 1))]), 1), None);
        assert_eq!(label(&BTreeMap::from([(0, range(b'D', u32::MAX))]), 1), None);
    }
}
