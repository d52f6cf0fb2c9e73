//! Bytes to text in any encoding, and plain text to paragraphs.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8};

use super::{Block, BlockKind, Document, Format};
use crate::error::{Error, Result, Setting};

/// Reads plain text. Lines stay as they are; a blank line starts a paragraph. No-break spaces, which programs write
/// between the number and the title of a heading, become spaces.
pub fn parse(text: &str) -> Document {
    let mut document = Document::new(Format::Text, "text");
    let text = if text.contains('\u{a0}') { Cow::Owned(text.replace('\u{a0}', " ")) } else { Cow::Borrowed(text) };
    document.blocks = lines_to_blocks(&text, None);
    document
}

/// The lines of `text` as blocks on `page`: the first of each paragraph is a [`BlockKind::Paragraph`], the others are
/// [`BlockKind::Line`].
pub fn lines_to_blocks(text: &str, page: Option<u32>) -> Vec<Block> {
    lines_on_pages(text, |_| page)
}

/// The same for a text on several pages, given the page at a byte.
pub fn lines_on_pages(text: &str, page_at: impl Fn(usize) -> Option<u32>) -> Vec<Block> {
    let (mut blocks, mut kind, mut start) = (Vec::new(), BlockKind::Paragraph, 0);
    for line in text.split_inclusive('\n') {
        let words = line.trim_end();
        if words.is_empty() {
            kind = BlockKind::Paragraph;
        } else {
            blocks.push(Block::new(kind, words, page_at(start)));
            kind = BlockKind::Line;
        }
        start += line.len();
    }
    blocks
}

/// More NUL bytes in a thousand make a file binary. Text has none, but a stray one is forgiven.
const BINARY_NULS_PER_MILLE: usize = 2;

/// The text of `bytes`: by byte order mark; as UTF-8 if they are valid or nearly so; otherwise in the encoding that
/// detection finds most likely (GB18030, Big5, Shift_JIS, windows-1252, …). Line ends become line feeds. Bytes that are
/// such a text already are not copied.
pub fn to_text(bytes: &[u8]) -> Result<Cow<'_, str>> {
    decode(bytes, None)
}

/// Like [`to_text`], but uses the encoding that an HTML page declares in its head.
pub fn html_to_text(bytes: &[u8]) -> Result<Cow<'_, str>> {
    decode(bytes, declared_encoding(bytes))
}

fn decode<'b>(bytes: &'b [u8], declared: Option<&'static Encoding>) -> Result<Cow<'b, str>> {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return Ok(normalise_lines(encoding.decode(bytes).0));
    }
    let nuls = bytes.iter().filter(|&&b| b == 0).count();
    if nuls > 0 && nuls * 1000 > bytes.len() * BINARY_NULS_PER_MILLE {
        return Err(Error::failed("this is binary data, not text")
            .hint(format!("skip it with {}, or give the file the ending of its format", Setting("exclude"))));
    }
    Ok(normalise_lines(if std::str::from_utf8(bytes).is_ok() || nearly_utf8(bytes) {
        String::from_utf8_lossy(bytes)
    } else {
        declared.filter(|&encoding| encoding != UTF_8).unwrap_or_else(|| detect(bytes)).decode(bytes).0
    }))
}

/// Damaged UTF-8 is still UTF-8 if valid multi-byte sequences outnumber invalid ones by far.
fn nearly_utf8(bytes: &[u8]) -> bool {
    let (mut valid, mut invalid) = (0usize, 0usize);
    for chunk in bytes.utf8_chunks() {
        valid += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        invalid += usize::from(!chunk.invalid().is_empty());
    }
    valid > invalid * 4
}

fn detect(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    detector.guess(None, Utf8Detection::Allow)
}

/// The `charset` in the first kilobyte of an HTML page.
fn declared_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(1024)]).to_ascii_lowercase();
    let label = head.split_once("charset=")?.1.trim_start_matches(['"', '\'']);
    let is_other = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':'));
    Encoding::for_label(label.split(is_other).next()?.as_bytes())
}

fn normalise_lines(text: Cow<'_, str>) -> Cow<'_, str> {
    if !text.starts_with('\u{FEFF}') && !text.contains(['\r', '\u{0C}', '\0']) {
        return text;
    }
    // One pass makes one copy, where a replacement for each character would make a copy for each.
    let mut normal = String::with_capacity(text.len());
    let mut before = '\n';
    for c in text.strip_prefix('\u{FEFF}').unwrap_or(&text).chars() {
        match c {
            '\n' if before == '\r' => {}
            '\0' => {}
            '\r' | '\u{0C}' => normal.push('\n'),
            c => normal.push(c),
        }
        before = c;
    }
    Cow::Owned(normal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_start_paragraphs() {
        let document = parse("one\ntwo\n\n \nthree\n");
        let kinds: Vec<(BlockKind, &str)> = document.blocks.iter().map(|b| (b.kind, b.text.as_str())).collect();
        assert_eq!(kinds, [(BlockKind::Paragraph, "one"), (BlockKind::Line, "two"), (BlockKind::Paragraph, "three")]);
    }

    #[test]
    fn no_break_spaces_are_spaces() {
        assert_eq!(parse("第\u{a0}1\u{a0}章\u{a0}定义").blocks[0].text, "第 1 章 定义");
    }

    #[test]
    fn old_encodings_are_detected() {
        let chinese = "启动水泵之前必须先检查阀门的位置，并且确认电源已经接通。检查完成之后再按下启动按钮。";
        let french = "Le système a été vérifié; les pièces détachées sont à l'entrepôt près de la gare.";
        for (encoding, text) in [(encoding_rs::GB18030, chinese), (encoding_rs::WINDOWS_1252, french)] {
            assert_eq!(to_text(&encoding.encode(text).0).unwrap(), text);
        }
    }

    #[test]
    fn line_ends_become_line_feeds() {
        assert_eq!(to_text(b"\xef\xbb\xbfa\r\nb\rc\r\r\nd\x0ce\0f\r\0\n\n\rg").unwrap(), "a\nb\nc\n\nd\nef\n\n\n\ng");
        assert!(matches!(to_text("a\nä".as_bytes()).unwrap(), Cow::Borrowed("a\nä")), "it is such a text already");
    }

    #[test]
    fn damaged_utf8_stays_utf8() {
        let mut bytes = "启动水泵之前必须先检查阀门".as_bytes().to_vec();
        bytes.push(0xFF);
        assert_eq!(to_text(&bytes).unwrap(), "启动水泵之前必须先检查阀门\u{FFFD}");
    }

    #[test]
    fn utf_16_is_recognised_by_its_mark_and_binary_is_refused() {
        let bytes: Vec<u8> =
            [0xFFFE_u16.swap_bytes()].into_iter().chain("泵 A".encode_utf16()).flat_map(u16::to_le_bytes).collect();
        assert_eq!(to_text(&bytes).unwrap(), "泵 A");
        assert!(to_text(&[0, 1, 2, 0, 0, 0, 7, 0]).is_err());
    }

    #[test]
    fn html_declares_its_encoding() {
        let (bytes, _, _) = encoding_rs::GBK.encode("<meta charset=\"gbk\"><p>水泵");
        assert!(html_to_text(&bytes).unwrap().contains("水泵"));
    }
}
