//! PDF text strings: UTF-16 with a byte order mark, UTF-8 with one (PDF 2.0), otherwise PDFDocEncoding.

/// What the bytes of PDFDocEncoding from 0x18 to 0x1F and from 0x80 to 0xA0 stand for (ISO 32000-1, annex D.3). All
/// others are those of Latin-1.
const LOW: [char; 8] = ['˘', 'ˇ', 'ˆ', '˙', '˝', '˛', '˚', '˜'];
const HIGH: [char; 33] = [
    '•', '†', '‡', '…', '—', '–', 'ƒ', '⁄', '‹', '›', '−', '‰', '„', '“', '”', '‘', '’', '‚', '™', 'ﬁ', 'ﬂ', 'Ł', 'Œ',
    'Š', 'Ÿ', 'Ž', 'ı', 'ł', 'œ', 'š', 'ž', '\u{FFFD}', '€',
];

/// The text of a PDF text string. Language escapes (`ESC … ESC` in UTF-16) are left out.
pub fn decode(bytes: &[u8]) -> String {
    match bytes {
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        // Common in the wild, though the standard knows no UTF-8 without a mark.
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
    fn odd_lengths_and_language_escapes_do_no_harm() {
        assert_eq!(decode(b"\xFE\xFF\x00a\x00"), "a");
        assert_eq!(decode(b"\xFE\xFF\x00\x1B\x00e\x00n\x00\x1B\x00a"), "a");
    }
}
