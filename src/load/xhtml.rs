//! XHTML to HTML, for the chapters of a book.

use crate::text::lists;

/// HTML elements without content, which need no end tag.
const VOID: &str = "area base br col embed hr img input link meta param source track wbr";

/// Makes HTML of XHTML: adds an end tag to every self-closing tag, because `<title/>` would open an endless title.
/// Skips comments, scripts and styles.
pub fn with_end_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 64);
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        out.push_str(&rest[..start]);
        rest = &rest[start..];
        let end = if rest.starts_with("<!--") {
            rest.find("-->").map_or(rest.len(), |end| end + 3)
        } else if rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')) {
            end_of_tag(rest)
        } else {
            1
        };
        let (tag, behind) = rest.split_at(end);
        rest = behind;
        match self_ended(tag) {
            Some(name) => out.push_str(&format!("{}></{name}>", &tag[..tag.len() - 2])),
            None => {
                out.push_str(tag);
                let script = code_end(tag).map_or(0, |end| rest.find(end).unwrap_or(rest.len()));
                out.push_str(&rest[..script]);
                rest = &rest[script..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// The end tag of the script or style that a tag begins.
fn code_end(tag: &str) -> Option<&'static str> {
    let begins = |name: &str| {
        let rest = tag.strip_prefix('<').and_then(|tag| tag.strip_prefix(name));
        rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_whitespace() || c == '>'))
    };
    [("script", "</script"), ("style", "</style")].into_iter().find(|(name, _)| begins(name)).map(|(_, end)| end)
}

/// The element of a self-closing tag that HTML would leave open.
fn self_ended(tag: &str) -> Option<&str> {
    let inner = tag.strip_prefix('<')?.strip_suffix("/>")?;
    let name = inner.split(|c: char| c.is_whitespace() || c == '/').next()?;
    (name.starts_with(|c: char| c.is_ascii_alphabetic()) && !lists(VOID, name)).then_some(name)
}

/// The end of the tag at the beginning. A `>` in quotation marks does not count.
fn end_of_tag(text: &str) -> usize {
    let mut quote = None;
    for (i, byte) in text.bytes().enumerate() {
        match (byte, quote) {
            (b'>', None) => return i + 1,
            (b'"' | b'\'', None) => quote = Some(byte),
            (byte, Some(open)) if byte == open => quote = None,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn self_closing_tags_get_an_end_tag() {
        assert_eq!(
            with_end_tags(r#"<title/><br/><a id="x>" /><!-- <i/> -->1 < 2 <p>"#),
            r#"<title></title><br/><a id="x>" ></a><!-- <i/> -->1 < 2 <p>"#
        );
        let script = r#"<script>write('<i/>')</script><b></b>"#;
        assert_eq!(with_end_tags(&script.replace("<b></b>", "<b/>")), script);
    }
}
