//! Bytes to text, whatever encoding they are in.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8};

use crate::error::{Error, Result};

/// How many NUL bytes in a thousand make a file binary. Text has none; a stray one is forgiven.
const BINARY_NULS_PER_MILLE: usize = 2;

/// The text of `bytes`: by byte order mark, as UTF-8 where they are valid UTF-8 or nearly so, otherwise in the
/// encoding that detection finds most likely (GB18030, Big5, Shift_JIS, windows-1252, …). Line ends become `\n`.
///
/// # Errors
/// Where the bytes are no text at all.
pub fn to_text(bytes: &[u8]) -> Result<String> {
    refuse_binary(bytes)?;
    Ok(normalise_lines(&decode(bytes, None)))
}

/// Like [`to_text`], but heeds the encoding that an HTML page declares in its head.
///
/// # Errors
/// Where the bytes are no text at all.
pub fn html_to_text(bytes: &[u8]) -> Result<String> {
    refuse_binary(bytes)?;
    Ok(normalise_lines(&decode(bytes, declared_encoding(bytes))))
}

fn refuse_binary(bytes: &[u8]) -> Result<()> {
    if Encoding::for_bom(bytes).is_some() {
        return Ok(());
    }
    let nuls = bytes.iter().filter(|&&b| b == 0).count();
    if nuls > 0 && nuls * 1000 > bytes.len() * BINARY_NULS_PER_MILLE {
        return Err(Error::failed("this is binary data, not text")
            .hint("leave it out with --exclude, or give the format it is in with the right file ending"));
    }
    Ok(())
}

fn decode(bytes: &[u8], declared: Option<&'static Encoding>) -> String {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return encoding.decode(bytes).0.into_owned();
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.to_owned();
    }
    if nearly_utf8(bytes) {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    let encoding = declared.filter(|&encoding| encoding != UTF_8).unwrap_or_else(|| detect(bytes));
    encoding.decode(bytes).0.into_owned()
}

/// UTF-8 with a few damaged bytes is still UTF-8: more valid multi-byte sequences than invalid ones, or hardly any
/// invalid byte in much text.
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
    let after = &head[head.find("charset=")? + "charset=".len()..];
    let label: String = after
        .trim_start_matches(['"', '\''])
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':'))
        .collect();
    Encoding::for_label(label.as_bytes())
}

fn normalise_lines(text: &str) -> String {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    text.replace("\r\n", "\n").replace(['\r', '\u{0C}'], "\n").replace('\0', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gb18030_is_detected() {
        let text = "启动水泵之前必须先检查阀门的位置，并且确认电源已经接通。检查完成之后再按下启动按钮。";
        let (bytes, _, _) = encoding_rs::GB18030.encode(text);
        assert_eq!(to_text(&bytes).unwrap(), text);
    }

    #[test]
    fn latin_1_is_detected() {
        let text = "Le système a été vérifié; les pièces détachées sont à l'entrepôt près de la gare.";
        let (bytes, _, _) = encoding_rs::WINDOWS_1252.encode(text);
        assert_eq!(to_text(&bytes).unwrap(), text);
    }

    #[test]
    fn damaged_utf8_stays_utf8() {
        let mut bytes = "启动水泵之前必须先检查阀门".as_bytes().to_vec();
        bytes.push(0xFF);
        assert_eq!(to_text(&bytes).unwrap(), "启动水泵之前必须先检查阀门\u{FFFD}");
    }

    #[test]
    fn utf_16_is_read_by_its_mark_and_binary_is_refused() {
        let bytes: Vec<u8> =
            [0xFFFE_u16.swap_bytes()].into_iter().chain("泵 A".encode_utf16()).flat_map(u16::to_le_bytes).collect();
        assert_eq!(to_text(&bytes).unwrap(), "泵 A");
        assert!(to_text(&[0, 1, 2, 0, 0, 0, 7, 0]).is_err());
    }

    #[test]
    fn html_says_its_own_encoding() {
        let (bytes, _, _) = encoding_rs::GBK.encode("<meta charset=\"gbk\"><p>水泵");
        assert!(html_to_text(&bytes).unwrap().contains("水泵"));
    }
}
