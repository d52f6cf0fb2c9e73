//! XHTML for a parser of HTML: to HTML, `<title/>` begins a title that never ends.

/// Elements that have no content in HTML: their tags need no end.
const VOID: &[&str] =
    &["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"];

/// The text with an end tag behind each tag that ends itself. Comments and scripts are not looked into.
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
            Some(name) => {
                out.push_str(&tag[..tag.len() - 2]);
                out.push_str("></");
                out.push_str(name);
                out.push('>');
            }
            None => out.push_str(tag),
        }
    }
    out.push_str(rest);
    out
}

/// The name of the element, where the tag ends it and HTML would not.
fn self_ended(tag: &str) -> Option<&str> {
    let inner = tag.strip_prefix('<')?.strip_suffix("/>")?;
    let name = inner.split(|c: char| c.is_whitespace() || c == '/').next()?;
    (name.starts_with(|c: char| c.is_ascii_alphabetic()) && !VOID.contains(&name)).then_some(name)
}

/// The byte behind the `>` that ends the tag at the beginning; one in quotation marks does not.
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
    fn tags_that_end_themselves_get_an_end() {
        assert_eq!(
            with_end_tags(r#"<title/><br/><a id="x>" /><!-- <i/> -->1 < 2 <p>"#),
            r#"<title></title><br/><a id="x>" ></a><!-- <i/> -->1 < 2 <p>"#
        );
    }
}
