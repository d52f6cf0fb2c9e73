//! The messages of a client, corrected before the protocol reads them.

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream};

/// In bytes. `rmcp` leaves longer messages out, so these may be passed on in pieces.
const LONGEST_MESSAGE: u64 = 16 << 20;

/// Passes messages on, a line each, until one side is closed. Half characters in them are replaced.
pub(super) async fn pass_on(input: impl AsyncRead + Unpin, mut output: DuplexStream) -> std::io::Result<()> {
    let mut input = BufReader::new(input);
    let mut message = Vec::new();
    while (&mut input).take(LONGEST_MESSAGE).read_until(b'\n', &mut message).await? > 0 {
        replace_half_characters(&mut message);
        output.write_all(&message).await?;
        message.clear();
    }
    Ok(())
}

/// Replaces single halves of surrogate pairs by U+FFFD. A client that cuts a text inside an emoji sends them, JSON for
/// Rust has no such text, and `rmcp` does not answer what it cannot read, so the agent would wait for ever.
fn replace_half_characters(json: &mut [u8]) {
    let mut at = 0;
    while let Some(found) = json.get(at..).and_then(|rest| memchr::memchr(b'\\', rest)) {
        at += found;
        at += match (code_unit(json, at), code_unit(json, at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                json[at + 2..at + 6].copy_from_slice(b"fffd");
                6
            }
            // The second byte may be a backslash, too.
            _ => 2,
        };
    }
}

/// The number in an escape such as `\ud83d` at this byte.
fn code_unit(json: &[u8], at: usize) -> Option<u16> {
    let digits = json.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_characters_are_replaced_and_others_kept() {
        for (sent, passed_on) in [
            (r#"{"a":"\ud83d\ude00 \uD83D y"}"#, r#"{"a":"\ud83d\ude00 \ufffd y"}"#),
            (r#""\ude00\ud83d\ud83d\ude00""#, r#""\ufffd\ufffd\ud83d\ude00""#),
            (r#""\\ud83d \u6cf5 \n""#, r#""\\ud83d \u6cf5 \n""#),
            (r#""\ud83"#, r#""\ud83"#),
            (r"\", r"\"),
        ] {
            let mut message = sent.as_bytes().to_vec();
            replace_half_characters(&mut message);
            assert_eq!(String::from_utf8(message).unwrap(), passed_on);
        }
    }
}
