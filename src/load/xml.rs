//! XML as a stream of tokens, through `quick-xml`: elements by their local names, text with its references resolved.
//!
//! Entities that a document declares itself are never expanded, so that a "billion laughs" stays as small as it is;
//! nesting is limited.

use std::borrow::Cow;

use quick_xml::events::{BytesRef, BytesStart, Event};

use crate::error::{Error, Result};

/// Elements inside each other. Word nests tables about twenty deep before it gives up.
const NESTING_LIMIT: usize = 1_000;

/// What comes next in the stream.
pub enum Token<'a> {
    /// An element begins. An empty element begins and ends.
    Start(Element<'a>),
    /// The innermost open element of this local name ends.
    End(String),
    /// A piece of text; one text may come in several pieces.
    Text(Cow<'a, str>),
}

/// The beginning of an element.
pub struct Element<'a>(BytesStart<'a>);

impl Element<'_> {
    /// Its name without the prefix: `p` for `<w:p>`.
    pub fn name(&self) -> &str {
        self.0.local_name().into_inner()
    }

    /// The value of the first attribute of this local name.
    pub fn attribute(&self, name: &str) -> Option<String> {
        let mut attributes = self.0.attributes();
        // The check for doubled names takes time that grows with their square.
        attributes.with_checks(false);
        let attribute = attributes.flatten().find(|attribute| attribute.key.local_name().into_inner() == name)?;
        attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0).ok().map(Cow::into_owned)
    }
}

/// Reads one XML text.
pub struct Xml<'a> {
    reader: quick_xml::Reader<&'a [u8]>,
    /// The name of the text, for messages: `word/document.xml`.
    name: &'a str,
    depth: usize,
}

impl<'a> Xml<'a> {
    /// A reader of `text`, which is called `name` in messages.
    pub fn new(name: &'a str, text: &'a str) -> Self {
        let mut reader = quick_xml::Reader::from_str(text);
        reader.config_mut().expand_empty_elements = true;
        Xml { reader, name, depth: 0 }
    }

    /// The next token; `None` at the end.
    ///
    /// # Errors
    /// Where the text is not well-formed, ends too early or is nested more than [`NESTING_LIMIT`] deep.
    pub fn next(&mut self) -> Result<Option<Token<'a>>> {
        loop {
            let event = self.reader.read_event().map_err(|error| self.malformed(&error.to_string()))?;
            return Ok(Some(match event {
                Event::Start(start) => {
                    self.depth += 1;
                    if self.depth > NESTING_LIMIT {
                        return Err(self.malformed("its elements are nested more than 1,000 deep"));
                    }
                    Token::Start(Element(start))
                }
                Event::End(end) => {
                    self.depth = self.depth.saturating_sub(1);
                    Token::End(end.local_name().into_inner().to_owned())
                }
                Event::Text(text) => Token::Text(text.xml10_content()),
                Event::CData(text) => Token::Text(text.xml10_content()),
                Event::GeneralRef(reference) => Token::Text(Cow::Owned(resolve(&reference))),
                Event::Eof if self.depth > 0 => return Err(self.malformed("it ends before its elements do")),
                Event::Eof => return Ok(None),
                _ => continue,
            }));
        }
    }

    /// Leaves the element that has just begun, with all that is in it.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    pub fn skip(&mut self) -> Result<()> {
        let outside = self.depth.saturating_sub(1);
        while self.depth > outside && self.next()?.is_some() {}
        Ok(())
    }

    /// The text up to the end of the element that has just begun.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    pub fn text(&mut self) -> Result<String> {
        let outside = self.depth.saturating_sub(1);
        let mut text = String::new();
        while self.depth > outside {
            match self.next()? {
                Some(Token::Text(piece)) => text.push_str(&piece),
                Some(_) => {}
                None => break,
            }
        }
        Ok(text)
    }

    fn malformed(&self, reason: &str) -> Error {
        let place = self.reader.buffer_position();
        Error::failed(format!("{} in it cannot be read at byte {place}: {reason}", self.name))
            .hint("the file is damaged; open it in its program and save it again")
    }
}

fn resolve(reference: &BytesRef<'_>) -> String {
    match reference.resolve_char_ref() {
        Ok(Some(c)) => c.to_string(),
        // An entity of the document's own: what it stands for is left out.
        _ => quick_xml::escape::resolve_predefined_entity(reference).unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(xml: &str) -> Result<String> {
        let mut xml = Xml::new("a.xml", xml);
        let mut text = String::new();
        while let Some(token) = xml.next()? {
            match token {
                Token::Start(element) if element.name() == "skip" => xml.skip()?,
                Token::Start(element) => text.push_str(&element.attribute("v").unwrap_or_default()),
                Token::Text(piece) => text.push_str(&piece),
                Token::End(_) => {}
            }
        }
        Ok(text)
    }

    #[test]
    fn text_and_attributes_are_unescaped() {
        let xml = r#"<w:a w:v="1&amp;2"><b/> &lt;x&#20013;<![CDATA[<y>]]><skip>no<skip/>no</skip></w:a>"#;
        assert_eq!(text_of(xml).unwrap(), "1&2 <x中<y>");
    }

    #[test]
    fn entities_of_its_own_are_not_expanded() {
        let laughs = r#"<!DOCTYPE a [<!ENTITY l "ha"><!ENTITY m "&l;&l;">]><a>x&m;y</a>"#;
        assert_eq!(text_of(laughs).unwrap(), "xy");
    }

    #[test]
    fn broken_and_bottomless_texts_are_refused_with_the_place() {
        for bad in ["<a><b></a>", "<a>", "<a", &"<a>".repeat(2_000)] {
            let error = text_of(bad).unwrap_err();
            assert!(error.message().contains("a.xml in it cannot be read at byte"), "{error}");
        }
    }
}
