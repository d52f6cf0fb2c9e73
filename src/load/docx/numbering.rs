//! The marks in front of list items: bullets or running numbers.

use std::collections::HashMap;

use super::styles::ListPlace;
use crate::error::Result;
use crate::load::xml::{Token, Xml};

/// What stands in front of the items of one depth of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Bullet,
    /// Numbers, the first of which is given.
    Number(u32),
    Nothing,
}

/// The lists of a document, and how far each has been counted.
#[derive(Debug, Default)]
pub struct Numbering {
    marks: HashMap<ListPlace, Mark>,
    /// The abstract numbering that a numbering follows.
    abstract_of: HashMap<String, String>,
    counters: HashMap<ListPlace, u32>,
}

impl Numbering {
    /// Reads `numbering.xml`.
    ///
    /// # Errors
    /// Where it is not well-formed.
    pub fn read(name: &str, text: &str) -> Result<Self> {
        let mut numbering = Numbering::default();
        let mut xml = Xml::new(name, text);
        let (mut place, mut start, mut concrete): (ListPlace, u32, Option<String>) = ((String::new(), 0), 1, None);
        while let Some(token) = xml.next()? {
            let Token::Start(element) = token else { continue };
            let value = || element.attribute("val").unwrap_or_default();
            match element.name() {
                "abstractNum" => place.0 = element.attribute("abstractNumId").unwrap_or_default(),
                "lvl" => {
                    place.1 = element.attribute("ilvl").and_then(|depth| depth.parse().ok()).unwrap_or(0);
                    start = 1;
                }
                "start" => start = value().parse().unwrap_or(1),
                "numFmt" => {
                    let mark = match value().as_str() {
                        "bullet" => Mark::Bullet,
                        "none" => Mark::Nothing,
                        _ => Mark::Number(start),
                    };
                    numbering.marks.insert(place.clone(), mark);
                }
                "num" => concrete = element.attribute("numId"),
                "abstractNumId" => {
                    if let Some(id) = &concrete {
                        numbering.abstract_of.insert(id.clone(), value());
                    }
                }
                // Exceptions of one list from its numbering are not followed.
                "lvlOverride" => xml.skip()?,
                _ => {}
            }
        }
        Ok(numbering)
    }

    /// The mark of the next item at this place, with indentation: `- `, `  2. `. Numbers are told as decimal numbers,
    /// whatever digits or letters Word shows.
    pub fn next_mark(&mut self, place: &ListPlace) -> String {
        let (id, depth) = place;
        let followed = self.abstract_of.get(id).unwrap_or(id).clone();
        let indent = "  ".repeat((*depth).min(8));
        match self.marks.get(&(followed, *depth)).copied().unwrap_or(Mark::Bullet) {
            Mark::Bullet => format!("{indent}- "),
            Mark::Nothing => indent,
            Mark::Number(start) => {
                let number = self.counters.get(place).map_or(start, |last| last.saturating_add(1));
                self.counters.insert(place.clone(), number);
                self.counters.retain(|(other, deeper), _| other != id || deeper <= depth);
                format!("{indent}{number}. ")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_counted_by_depth() {
        let mut numbering = Numbering::read(
            "numbering.xml",
            r#"<n><abstractNum abstractNumId="7"><lvl ilvl="0"><start val="3"/><numFmt val="decimal"/></lvl>
            <lvl ilvl="1"><numFmt val="lowerLetter"/></lvl><lvl ilvl="2"><numFmt val="bullet"/></lvl></abstractNum>
            <num numId="1"><abstractNumId val="7"/></num></n>"#,
        )
        .unwrap();
        let marks: Vec<String> =
            [0, 1, 1, 2, 0, 1].iter().map(|&depth| numbering.next_mark(&("1".to_owned(), depth))).collect();
        assert_eq!(marks, ["3. ", "  1. ", "  2. ", "    - ", "4. ", "  1. "]);
    }
}
