//! Codes and names that mean one thing only: `E-417`, `max_retry_count`, `v1.2.3`, `RFC 2119`, `--flag`.

use super::quantities::{is_quantity, quantities};
use crate::text::script::is_unspaced;

/// A standard has so many capitals in front of its number at most: `RFC 2119`, `IEEE 802.11`, `GB/T 50265`.
const LONGEST_PUBLISHER: usize = 6;

/// The identifiers of a question as they were typed, in order, each once.
pub(super) fn identifiers(query: &str) -> Vec<String> {
    let measured: Vec<String> = quantities(query).into_iter().map(|one| one.text).collect();
    let pieces: Vec<&str> = pieces(query);
    let mut found: Vec<String> = Vec::new();
    let mut add = |text: String| {
        if !found.contains(&text) {
            found.push(text);
        }
    };
    let mut at = 0;
    while at < pieces.len() {
        let piece = pieces[at];
        let number = pieces.get(at + 1).filter(|next| is_publisher(piece) && is_number(next));
        if let Some(number) = number {
            let text = format!("{piece} {number}");
            // `at 5 A 16` is no standard, nor is `MPa 16`.
            if !measured.iter().any(|one| one.ends_with(piece)) {
                add(text);
                at += 2;
                continue;
            }
        }
        if is_identifier(piece) && !is_quantity(piece) {
            add(piece.to_owned());
        }
        at += 1;
    }
    found
}

/// The runs between spaces, quotation marks and characters of scripts without spaces, without the punctuation around
/// them.
fn pieces(query: &str) -> Vec<&str> {
    let breaks =
        |c: char| c.is_whitespace() || is_unspaced(c) || "\"“”„«»「」『』《》，。、；：？！（）()[]{}<>,;`".contains(c);
    query
        .split(breaks)
        .map(|piece| {
            piece.trim_end_matches(['.', '?', '!', ':', '\'', '’', '-', '/']).trim_start_matches(['\'', '/', ':'])
        })
        .filter(|piece| !piece.is_empty())
        .collect()
}

fn is_identifier(piece: &str) -> bool {
    if let Some(option) = piece.strip_prefix("--") {
        return option.starts_with(|c: char| c.is_ascii_alphabetic());
    }
    let chars: Vec<char> = piece.chars().collect();
    let letters = chars.iter().filter(|c| c.is_alphabetic()).count();
    let digits = chars.iter().filter(|c| c.is_numeric()).count();
    if letters == 0 {
        // Two dots and more are a version or an address, one is a decimal number.
        return digits > 0 && piece.split('.').count() > 2 && piece.split('.').all(|part| !part.is_empty());
    }
    let inside = |joint: &str| {
        piece.split(joint).count() > 1 && piece.split(joint).all(|part| part.contains(|c: char| c.is_alphanumeric()))
    };
    let dotted = inside(".") && piece.split('.').any(|part| part.chars().count() > 1);
    // Only between a small and a capital letter with two letters on each side: TarnClient, maxRetry, but not LaTeX.
    let camel = chars.windows(4).any(|four| {
        four.iter().all(|c| c.is_alphabetic()) && four[0..2].iter().all(|c| c.is_lowercase()) && four[2].is_uppercase()
    });
    piece.contains('_') || inside("::") || dotted || camel || (digits > 0 && !is_ordinal(piece))
}

/// `2nd`, `1990s`, `19th-century`, `3D`, `2n`: words with a number in them.
fn is_ordinal(piece: &str) -> bool {
    let digits = piece.chars().take_while(char::is_ascii_digit).count();
    let rest = piece[digits..].to_lowercase();
    let first = rest.split('-').next().unwrap_or_default();
    digits > 0
        && (["st", "nd", "rd", "th", "s", "d", "'s", "’s"].contains(&first)
            || (first.is_empty() && rest.len() > 2)
            || rest.len() == 1)
}

fn is_publisher(piece: &str) -> bool {
    let letters = piece.chars().filter(|c| c.is_ascii_uppercase()).count();
    (2..=LONGEST_PUBLISHER).contains(&letters) && piece.chars().all(|c| c.is_ascii_uppercase() || c == '/')
}

fn is_number(piece: &str) -> bool {
    piece.starts_with(|c: char| c.is_ascii_digit()) && piece.chars().all(|c| c.is_ascii_digit() || ".-:".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_names_versions_options_and_standards_are_identifiers() {
        let query = "E-417, foo_bar and TarnClient::connect in v1.2.3 of kb.toml with --flag, RFC 2119, GB/T 50265-2022, \
                     CVE-2021-44228, maxRetry, 10.0.0.1, H200?";
        assert_eq!(
            identifiers(query),
            [
                "E-417",
                "foo_bar",
                "TarnClient::connect",
                "v1.2.3",
                "kb.toml",
                "--flag",
                "RFC 2119",
                "GB/T 50265-2022",
                "CVE-2021-44228",
                "maxRetry",
                "10.0.0.1",
                "H200"
            ]
        );
        assert_eq!(identifiers("报警E-417是什么意思？参数max_retry_count呢"), ["E-417", "max_retry_count"]);
    }

    #[test]
    fn words_numbers_and_measures_are_not() {
        let query = "How many people's 2nd pumps in the 1990s, e.g. a well-known 16 MPa pump at 3.14 or 16MPa, don't use LaTeX?";
        assert_eq!(identifiers(query), [""; 0]);
        assert_eq!(identifiers("a 19th-century and a 30-year lease of the US in 1998"), [""; 0]);
        assert_eq!(identifiers("1998年的30天"), [""; 0]);
    }
}
