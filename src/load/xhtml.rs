//! XHTML to HTML, which the chapters of a book are read as.

use quick_xml::Reader;
use quick_xml::events::Event;

use crate::text::lists;

/// HTML elements without content, which need no end tag.
const VOID: &str = "area base br col embed hr img input link meta param source track wbr";

/// Makes HTML of XHTML: adds an end tag to every self-closing tag, because `<title/>` would open an endless title. What
/// follows broken markup stays as it is.
pub fn with_end_tags(text: &str) -> String {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    let mut out = String::with_capacity(text.len() + 64);
    let mut done = 0;
    while let Ok(event) = reader.read_event() {
        let end = usize::try_from(reader.buffer_position()).unwrap_or(text.len());
        let source = text.get(done..end).unwrap_or_default();
        match event {
            Event::Eof => break,
            Event::Empty(tag) if stays_open(tag.name().into_inner()) => {
                out.push_str(source.trim_end_matches("/>"));
                out.push_str(&format!("></{}>", tag.name().into_inner()));
            }
            _ => out.push_str(source),
        }
        done = end;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
}

/// Whether HTML would leave a self-closing element open. A `<` of the text has no name behind it.
fn stays_open(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && !lists(VOID, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn self_closing_tags_get_an_end_tag() {
        assert_eq!(
            with_end_tags(r#"<title/><br/><a id="x>" /><!-- <i/> -->AT&T&nbsp;<p>1<b>2</p><i/>1 < 2 <q/>"#),
            r#"<title></title><br/><a id="x>" ></a><!-- <i/> -->AT&T&nbsp;<p>1<b>2</p><i></i>1 < 2 <q/>"#
        );
    }
}
