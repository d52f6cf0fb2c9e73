//! Links from places to pages of files, on terminals that show them (the ANSI code OSC 8), and text that has no codes
//! other than these and styles.
//!
//! The text of a result has the number of a link instead of its address. So a document that contains such codes can
//! link to nothing but the pages that the result names anyway.

use anstyle::Style;

use super::style::{ESCAPE, STYLES};
use crate::text::visible;

/// Begins a link, behind [`ESCAPE`]; its address follows. Without an address it ends one.
const LINK: &str = "]8;;";
/// Ends a number. The end of an address would begin with [`ESCAPE`] too.
const BELL: char = '\u{7}';

#[derive(Debug, Default)]
pub(super) struct Links(Vec<Link>);

#[derive(Debug)]
struct Link {
    source: String,
    /// From 1.
    page: u32,
    /// `None` if it is shown without a link.
    address: Option<String>,
}

impl Links {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn add(&mut self, source: &str, page: u32, text: &str) -> String {
        let number = self.0.len();
        self.0.push(Link { source: source.to_owned(), page, address: None });
        format!("{ESCAPE}{LINK}{number}{BELL}{text}{ESCAPE}{LINK}{BELL}")
    }

    /// Sets the addresses, from those of the sources.
    pub(super) fn locate(&mut self, address: impl Fn(&str) -> Option<String>) {
        for link in &mut self.0 {
            link.address = address(&link.source).map(|file| format!("{file}#page={}", link.page));
        }
    }

    /// Reads the text behind an [`ESCAPE`]: the code of the link that begins or ends there, and the rest of the text.
    /// `None` if the text begins with anything else.
    pub(super) fn resolve<'t>(&self, text: &'t str) -> Option<(String, &'t str)> {
        let (number, rest) = text.strip_prefix(LINK)?.split_once(BELL)?;
        let address = match number {
            "" => self.0.iter().any(|link| link.address.is_some()).then_some(""),
            _ => self.0.get(number.parse::<usize>().ok()?)?.address.as_deref(),
        };
        Some((address.map_or_else(String::new, |address| format!("{ESCAPE}{LINK}{address}{ESCAPE}\\")), rest))
    }
}

/// The text without invisible characters, except the codes of styles and of `links`.
pub(super) fn visible_but_styles(text: &str, links: &Links) -> String {
    let styles: String = STYLES.iter().map(Style::to_string).collect();
    // A style may be several codes.
    let codes: Vec<String> = format!("{styles}{}", anstyle::Reset).split(ESCAPE).skip(1).map(str::to_owned).collect();
    let mut parts = text.split(ESCAPE);
    let mut shown = visible(parts.next().unwrap_or_default()).into_owned();
    for part in parts {
        if let Some((code, rest)) = links.resolve(part) {
            shown.push_str(&code);
            shown.push_str(&visible(rest));
            continue;
        }
        shown.extend(codes.iter().any(|code| part.starts_with(code)).then_some(ESCAPE));
        shown.push_str(&visible(part));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_link_to_pages_and_other_codes_to_nothing() {
        let mut links = Links::default();
        let text = links.add("a.pdf", 4, "p. 4") + &links.add("gone.pdf", 1, "p. 1");
        assert_eq!(visible_but_styles(&text, &links), "p. 4p. 1", "no address");
        links.locate(|source| (source == "a.pdf").then(|| "file:///d/a.pdf".to_owned()));
        let end = "\u{1b}]8;;\u{1b}\\";
        let linked = format!("\u{1b}]8;;file:///d/a.pdf#page=4\u{1b}\\p. 4{end}p. 1{end}");
        assert_eq!(visible_but_styles(&text, &links), linked);
        for hostile in
            ["\u{1b}]8;;file:///etc/passwd\u{7}x", "\u{1b}]8;;file:///etc/passwd\u{1b}\\x", "\u{1b}]8;;9\u{7}x"]
        {
            assert!(!visible_but_styles(hostile, &links).contains(ESCAPE), "{hostile:?}");
        }
    }
}
