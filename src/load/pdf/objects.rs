//! Objects of a PDF through lopdf: references, text strings, name and number trees.

use std::collections::HashSet;

use encoding_rs::{Encoding, UTF_8};
use lopdf::{Dictionary, Document as Pdf, Object, ObjectId, decode_text_string};

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

pub(super) fn entry<'a>(pdf: &'a Pdf, dictionary: &'a Dictionary, key: &[u8]) -> Option<&'a Object> {
    resolve(pdf, dictionary.get(key).ok()?)
}

/// The dictionary under `key`.
pub(super) fn inner<'a>(pdf: &'a Pdf, outer: &'a Dictionary, key: &[u8]) -> Option<&'a Dictionary> {
    dictionary(pdf, outer.get(key).ok()?)
}

pub(super) fn text_entry(pdf: &Pdf, dictionary: &Dictionary, key: &[u8]) -> Option<String> {
    decode(entry(pdf, dictionary, key)?)
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

/// The text of a PDF text string: UTF-16 or UTF-8 by byte order mark, otherwise PDFDocEncoding. Language escapes (`ESC
/// … ESC`) are removed.
fn decode(string: &Object) -> Option<String> {
    let Object::String(bytes, _) = string else { return None };
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        // A byte left over at the end of UTF-16 is no character.
        let end = if encoding == UTF_8 { bytes.len() } else { bytes.len() / 2 * 2 };
        let text = encoding.decode_without_bom_handling(&bytes[mark..end]).0;
        return Some(text.split('\u{1B}').step_by(2).collect());
    }
    // Common in practice, although the standard has no UTF-8 without a byte order mark.
    match std::str::from_utf8(bytes) {
        Ok(text) if text.chars().any(|c| c > '\u{FF}') => Some(text.to_owned()),
        _ => decode_text_string(string).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> String {
        decode(&Object::string_literal(bytes)).unwrap()
    }

    #[test]
    fn all_three_encodings_are_read() {
        assert_eq!(read(b"\xFE\xFF\x7B\x2C\x4E\x00"), "第一");
        assert_eq!(read("\u{FEFF}第一".as_bytes()), "第一");
        assert_eq!(read(b"a\x84b \x9E \xA0 \xE9"), "a—b ž € é");
    }

    #[test]
    fn odd_lengths_and_language_escapes_are_harmless() {
        assert_eq!(read(b"\xFE\xFF\x00a\x00"), "a");
        assert_eq!(read(b"\xFE\xFF\x00\x1B\x00e\x00n\x00\x1B\x00a"), "a");
    }
}
