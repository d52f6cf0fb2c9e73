//! Objects of a PDF through lopdf: references, text strings, name and number trees.

use std::collections::HashSet;

use lopdf::{Dictionary, Document as Pdf, Object, ObjectId};

/// Follows references; `None` for a dangling or circular one.
pub(super) fn resolve<'a>(pdf: &'a Pdf, object: &'a Object) -> Option<&'a Object> {
    pdf.dereference(object).ok().map(|(_, object)| object)
}

pub(super) fn dictionary<'a>(pdf: &'a Pdf, object: &'a Object) -> Option<&'a Dictionary> {
    match resolve(pdf, object)? {
        Object::Dictionary(dictionary) => Some(dictionary),
        Object::Stream(stream) => Some(&stream.dict),
        _ => None,
    }
}

/// The entry of a dictionary under `key`.
pub(super) fn entry<'a>(pdf: &'a Pdf, dictionary: &'a Dictionary, key: &[u8]) -> Option<&'a Object> {
    resolve(pdf, dictionary.get(key).ok()?)
}

/// The text of the string under `key`.
pub(super) fn text_entry(pdf: &Pdf, dictionary: &Dictionary, key: &[u8]) -> Option<String> {
    match entry(pdf, dictionary, key)? {
        Object::String(bytes, _) => Some(decode(bytes)),
        _ => None,
    }
}

/// Deeper levels of a tree are ignored.
const DEEPEST: usize = 32;

/// The pairs of a name or number tree (ISO 32000-1, 7.9.6 and 7.9.7), which its leaves hold under the key `leaves`
/// (`Names` or `Nums`). Every node is visited once, so circular trees end.
pub(super) fn pairs<'a>(pdf: &'a Pdf, root: Option<&'a Object>, leaves: &[u8]) -> Vec<(&'a Object, &'a Object)> {
    let mut found = Vec::new();
    let mut stack: Vec<(&Object, usize)> = root.map(|root| (root, 0)).into_iter().collect();
    let mut seen: HashSet<ObjectId> = HashSet::new();
    while let Some((object, depth)) = stack.pop() {
        if let Object::Reference(id) = object
            && !seen.insert(*id)
        {
            continue;
        }
        let Some(node) = dictionary(pdf, object) else { continue };
        if let Some(Object::Array(pairs)) = entry(pdf, node, leaves) {
            found.extend(pairs.chunks_exact(2).filter_map(|pair| Some((resolve(pdf, &pair[0])?, &pair[1]))));
        }
        if let Some(Object::Array(kids)) = entry(pdf, node, b"Kids")
            && depth < DEEPEST
        {
            stack.extend(kids.iter().map(|kid| (kid, depth + 1)));
        }
    }
    found
}

/// The characters of PDFDocEncoding from 0x18 to 0x1F and from 0x80 to 0xA0 (ISO 32000-1, annex D.3). All others are
/// those of Latin-1.
const LOW: [char; 8] = ['˘', 'ˇ', 'ˆ', '˙', '˝', '˛', '˚', '˜'];
const HIGH: [char; 33] = [
    '•', '†', '‡', '…', '—', '–', 'ƒ', '⁄', '‹', '›', '−', '‰', '„', '“', '”', '‘', '’', '‚', '™', 'ﬁ', 'ﬂ', 'Ł', 'Œ',
    'Š', 'Ÿ', 'Ž', 'ı', 'ł', 'œ', 'š', 'ž', '\u{FFFD}', '€',
];

/// The text of a PDF text string: UTF-16 or UTF-8 by byte order mark, otherwise PDFDocEncoding. Language escapes (`ESC
/// … ESC` in UTF-16) are removed.
fn decode(bytes: &[u8]) -> String {
    match bytes {
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        // Common in practice, although the standard has no UTF-8 without a byte order mark.
        _ if !bytes.is_ascii() && std::str::from_utf8(bytes).is_ok_and(|text| text.chars().any(|c| c > '\u{FF}')) => {
            String::from_utf8_lossy(bytes).into_owned()
        }
        _ => bytes.iter().map(|&byte| pdf_doc(byte)).collect(),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
    let text = String::from_utf16_lossy(&units);
    if !text.contains('\u{1B}') {
        return text;
    }
    text.split('\u{1B}').step_by(2).collect()
}

fn pdf_doc(byte: u8) -> char {
    match byte {
        0x18..=0x1F => LOW[usize::from(byte - 0x18)],
        0x80..=0xA0 => HIGH[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_three_encodings_are_read() {
        assert_eq!(decode(b"\xFE\xFF\x7B\x2C\x4E\x00"), "第一");
        assert_eq!(decode("\u{FEFF}第一".as_bytes()), "第一");
        assert_eq!(decode(b"a\x84b \x9E \xA0 \xE9"), "a—b ž € é");
    }

    #[test]
    fn odd_lengths_and_language_escapes_are_harmless() {
        assert_eq!(decode(b"\xFE\xFF\x00a\x00"), "a");
        assert_eq!(decode(b"\xFE\xFF\x00\x1B\x00e\x00n\x00\x1B\x00a"), "a");
    }
}
