//! File names as text, and back. A name in UTF-8 is its own text. Control characters, and bytes of another encoding
//! (such as GBK in archives packed on Chinese systems), are escaped as in URLs: `caf%E9.txt`. So no two files share a
//! name, each file is found again, and each name is one line of output. A `%` becomes `%25` only where the name would
//! otherwise look escaped.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};

use crate::text::push_escaped;

/// The prefix of the names of sources from standard input.
pub const STANDARD_INPUT: &str = "stdin:";

/// The name of a source's file; the last part of an address. The read cache has names in this form and that of
/// [`stem`], so a change needs a new `LAYOUT` of it.
pub fn file_name(source: &str) -> &str {
    source.rsplit(['/', ':']).next().unwrap_or(source)
}

/// The name of a file without its ending.
pub fn stem(source: &str) -> &str {
    let name = file_name(source);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// The text for one part of a path.
pub(super) fn text_of(name: &OsStr) -> Cow<'_, str> {
    let bytes = name.as_encoded_bytes();
    match std::str::from_utf8(bytes) {
        Ok(text) if !is_mistakable(text) => Cow::Borrowed(text),
        _ => Cow::Owned(escaped(bytes)),
    }
}

/// The part of a path for a text.
pub(super) fn name_of(text: &str) -> OsString {
    let bytes = unescaped(text);
    if std::str::from_utf8(&bytes).is_ok() && !is_mistakable(text) {
        return text.into();
    }
    os_string(bytes)
}

/// Whether unescaping a text, once or repeatedly, gives control characters or bytes that are not UTF-8.
fn is_mistakable(text: &str) -> bool {
    let mut text = Cow::Borrowed(text);
    loop {
        match String::from_utf8(unescaped(&text)) {
            Err(_) => return true,
            Ok(text) if text.contains(char::is_control) => return true,
            Ok(same) if same == text => return false,
            Ok(shorter) => text = Cow::Owned(shorter),
        }
    }
}

fn escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + 8);
    for chunk in bytes.utf8_chunks() {
        for (at, c) in chunk.valid().char_indices() {
            if c.is_control() {
                push_escaped(&mut text, c.encode_utf8(&mut [0; 4]).as_bytes());
                continue;
            }
            text.push(c);
            if c == '%' && leads_to_byte(&chunk.valid().as_bytes()[at + 1..]) {
                text.push_str("25");
            }
        }
        push_escaped(&mut text, chunk.invalid());
    }
    text
}

/// Reverses [`escaped`].
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        rest = behind;
        match (first, escaped_byte(behind), behind.strip_prefix(b"25")) {
            (b'%', Some(byte), _) => {
                bytes.push(byte);
                rest = &behind[2..];
            }
            (b'%', None, Some(behind)) if leads_to_byte(behind) => {
                bytes.push(first);
                rest = behind;
            }
            _ => bytes.push(first),
        }
    }
    bytes
}

/// Whether the digits after a `%` are those of an escaped byte, directly or after any number of `25`.
fn leads_to_byte(mut behind: &[u8]) -> bool {
    while let Some(shorter) = behind.strip_prefix(b"25") {
        behind = shorter;
    }
    escaped_byte(behind).is_some()
}

/// The byte with these hex digits, if it is not ASCII or is a control character.
fn escaped_byte(digits: &[u8]) -> Option<u8> {
    let digit = |byte: &u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    };
    let byte = digit(digits.first()?)? << 4 | digit(digits.get(1)?)?;
    (!byte.is_ascii() || byte.is_ascii_control()).then_some(byte)
}

#[cfg(unix)]
fn os_string(bytes: Vec<u8>) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes)
}

/// On other systems names are not bytes, and a name that is not text cannot be restored.
#[cfg(not(unix))]
fn os_string(bytes: Vec<u8>) -> OsString {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::ffi::OsStrExt;

    use proptest::prelude::*;

    use super::*;

    fn text(name: &[u8]) -> String {
        text_of(OsStr::from_bytes(name)).into_owned()
    }

    #[test]
    fn only_names_in_other_encodings_are_escaped() {
        assert_eq!([text(b"caf\xe8.txt"), text(b"caf\xe9.txt")], ["caf%E8.txt", "caf%E9.txt"]);
        // 你好 in GBK.
        assert_eq!(text(b"\xc4\xe3\xba\xc3.txt"), "%C4%E3%BA%C3.txt");
        for same in ["café.txt", "100%.txt", "a%20b.md", "%25.md", "%E4%BD%A0.html", "%e9.txt", "你好.txt"] {
            assert_eq!(text(same.as_bytes()), same);
        }
        assert_eq!([text(b"a\nb.md"), text(b"a%0Ab.md")], ["a%0Ab.md", "a%250Ab.md"]);
        assert_eq!([text(b"caf%E9.txt"), text(b"caf%25E9.txt")], ["caf%25E9.txt", "caf%2525E9.txt"]);
    }

    proptest! {
        #[test]
        fn each_name_has_its_own_text(parts in proptest::collection::vec(prop_oneof![
            Just(b"%".to_vec()), Just(b"25".to_vec()), Just(b"E9".to_vec()), Just(b"%E4%BD%A0".to_vec()), Just(b"%41".to_vec()),
            Just("你".as_bytes().to_vec()), Just(vec![0xe9]), Just(vec![0xbd]), proptest::collection::vec(1u8.., 0..4),
        ], 0..8)) {
            let name = parts.concat();
            let again = name_of(&text(&name));
            prop_assert_eq!(again.as_bytes(), &name);
        }

        #[test]
        fn a_name_without_percent_signs_is_its_own_text(name in r"[^%\p{Cc}]{0,12}") {
            prop_assert_eq!(text(name.as_bytes()), name);
        }
    }
}
