//! Styles and lists of a DOCX: which paragraphs are headings, their letters, and the marks of list items.

use std::collections::HashMap;

use crate::error::Result;
use crate::load::package::{Element, Token, Xml};
use crate::text::lists;

/// The role of a paragraph's style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Body,
    /// The level, from 1.
    Heading(u8),
    Title,
    /// A line of a printed table of contents, which repeats the headings.
    Contents,
}

/// The numbering of a list and the depth in it, from 0.
pub type ListPlace = (String, usize);

/// The weight and size of the letters of a style or a run; `None` is inherited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LetterFormat {
    pub bold: Option<bool>,
    /// In half points.
    pub size: Option<u16>,
}

impl LetterFormat {
    /// Reads a property of letters, and ignores other elements.
    pub fn read(&mut self, element: &Element<'_>) {
        let value = || element.attribute("val");
        match element.name() {
            "b" => self.bold = Some(!value().is_some_and(|value| lists("0 false off", &value))),
            "sz" => self.size = value().and_then(|size| size.parse().ok()),
            _ => {}
        }
    }

    pub fn or(self, usual: LetterFormat) -> LetterFormat {
        LetterFormat { bold: self.bold.or(usual.bold), size: self.size.or(usual.size) }
    }
}

/// What a paragraph or its style says about its place in outlines and lists.
#[derive(Debug, Default)]
pub struct Properties {
    /// From 0; 9 is body text.
    outline: Option<u8>,
    numbering: Option<String>,
    depth: usize,
}

impl Properties {
    /// Reads the value of an element, and ignores unknown ones.
    pub fn read(&mut self, name: &str, value: String) {
        match name {
            "outlineLvl" => self.outline = value.parse().ok(),
            "numId" => self.numbering = Some(value),
            "ilvl" => self.depth = value.parse().unwrap_or(0),
            _ => {}
        }
    }

    /// The role that the outline level gives.
    pub fn role(&self) -> Option<Role> {
        self.outline.map(|level| if level < 9 { Role::Heading(level + 1) } else { Role::Body })
    }

    pub fn list(&self) -> Option<ListPlace> {
        self.numbering.clone().map(|id| (id, self.depth))
    }
}

#[derive(Debug, Default)]
struct Style {
    name: String,
    based_on: Option<String>,
    properties: Properties,
    letter_format: LetterFormat,
}

#[derive(Debug, Default)]
pub struct Styles {
    by_id: HashMap<String, Style>,
    default: Option<String>,
    /// Outside all styles.
    letter_format: LetterFormat,
}

/// The names of heading styles in Word's languages, before their level. Word itself writes `heading 1` in every
/// language; other programs write the translated name.
const HEADING_WORDS: &str = "heading 标题 標題 見出し 제목 überschrift berschrift titre título titulo ttulo titolo заголовок \
    kop rubrik overskrift otsikko nagłówek nadpis başlık";

/// The names of the style of the document's title.
const TITLE_WORDS: &str = "title 标题 標題 文档标题 表題 タイトル 제목 titel titre título titolo название";

/// The names of styles for lines of a printed table of contents, before their level.
const CONTENTS_WORDS: &str = "toc contents 目录 目錄 目次 verzeichnis inhaltsverzeichnis";

/// Longer chains of styles are circles.
const INHERITANCE_LIMIT: usize = 32;

impl Styles {
    /// Reads `styles.xml`.
    pub fn read(name: &str, text: &str) -> Result<Self> {
        let mut styles = Styles::default();
        let mut xml = Xml::new(name, text);
        let mut open: Option<(String, Style)> = None;
        while let Some(token) = xml.next()? {
            match token {
                Token::Start(element) if element.name() == "style" => {
                    let id = element.attribute("styleId").unwrap_or_default();
                    if element.attribute("type").is_some_and(|kind| kind != "paragraph") {
                        xml.skip()?;
                        continue;
                    }
                    if element.attribute("default").is_some_and(|value| value == "1" || value == "true") {
                        styles.default = Some(id.clone());
                    }
                    open = Some((id, Style::default()));
                }
                // Skip the style before a tracked change.
                Token::Start(element) if matches!(element.name(), "pPrChange" | "rPrChange") => xml.skip()?,
                Token::Start(element) => {
                    let Some((_, style)) = &mut open else {
                        styles.letter_format.read(&element);
                        continue;
                    };
                    style.letter_format.read(&element);
                    let Some(value) = element.attribute("val") else { continue };
                    match element.name() {
                        "name" => style.name = value,
                        "basedOn" => style.based_on = Some(value),
                        name => style.properties.read(name, value),
                    }
                }
                Token::End(name) if name == "style" => {
                    if let Some((id, style)) = open.take() {
                        styles.by_id.insert(id, style);
                    }
                }
                _ => {}
            }
        }
        Ok(styles)
    }

    /// The role of a style; `None` is the default style.
    pub fn role(&self, id: Option<&str>) -> Role {
        for (id, style) in self.ancestry(id) {
            // An outline level says more than a heading's name, and a name more than the parent style. Some Word
            // templates give the title an outline level, and the heading "Contents" has none.
            match (role_in_name(&style.name).or_else(|| role_in_name(id)), style.properties.role()) {
                (Some(role @ (Role::Title | Role::Contents)), _) => return role,
                (_, Some(role)) | (Some(role), None) => return role,
                (None, None) => {}
            }
        }
        // Some programs write no styles but refer to them by name.
        let unknown = id.filter(|id| !self.by_id.contains_key(*id));
        unknown.and_then(role_in_name).unwrap_or(Role::Body)
    }

    /// The letters of a style; `None` is the default style.
    pub fn letter_format(&self, id: Option<&str>) -> LetterFormat {
        let inherited = self.ancestry(id).fold(LetterFormat::default(), |own, (_, style)| own.or(style.letter_format));
        inherited.or(self.letter_format)
    }

    /// The list of a style's paragraphs.
    pub fn list(&self, id: Option<&str>) -> Option<ListPlace> {
        self.ancestry(id).find_map(|(_, style)| style.properties.list())
    }

    fn ancestry<'s>(&'s self, id: Option<&'s str>) -> impl Iterator<Item = (&'s str, &'s Style)> {
        let find = |id: &'s str| self.by_id.get(id).map(|style| (id, style));
        let first = id.or(self.default.as_deref()).and_then(find);
        std::iter::successors(first, move |(_, style)| style.based_on.as_deref().and_then(find)).take(INHERITANCE_LIMIT)
    }
}

/// `Heading 2`, `heading 2,h2`, `标题 2`, `二级标题`, `Title`, `toc 1`.
fn role_in_name(name: &str) -> Option<Role> {
    let name = name.split(',').next()?.trim().to_lowercase();
    if lists(TITLE_WORDS, &name) {
        return Some(Role::Title);
    }
    if let Some(level) = level_behind(&name, HEADING_WORDS) {
        return Some(Role::Heading(level));
    }
    if name == "toc heading" || level_behind(&name, CONTENTS_WORDS).is_some() {
        return Some(Role::Contents);
    }
    let ordinal = ["级标题", "級標題"].iter().find_map(|ending| name.strip_suffix(ending))?;
    level_of(ordinal).map(Role::Heading)
}

fn level_behind(name: &str, words: &str) -> Option<u8> {
    words.split_whitespace().find_map(|word| level_of(name.strip_prefix(word)?.trim_start()))
}

fn level_of(text: &str) -> Option<u8> {
    let mut characters = text.chars();
    let (first, None) = (characters.next()?, characters.next()) else { return None };
    let mut digits = ["123456789", "１２３４５６７８９", "一二三四五六七八九"].into_iter();
    let index = digits.find_map(|digits| digits.chars().position(|digit| digit == first))?;
    u8::try_from(index + 1).ok()
}

/// Word's lists have this many levels.
const LEVELS: usize = 9;

/// The mark of list items at one depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Bullet,
    /// Starts at this number.
    Number(u32),
    Nothing,
}

/// The lists of a document and their counters.
#[derive(Debug, Default)]
pub struct Numbering {
    marks: HashMap<ListPlace, Mark>,
    /// The abstract numbering of each numbering.
    abstract_of: HashMap<String, String>,
    /// The last number of each level, by the numbering.
    counters: HashMap<String, [Option<u32>; LEVELS]>,
}

impl Numbering {
    /// Reads `numbering.xml`.
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
                // Overrides of single lists are ignored.
                "lvlOverride" => xml.skip()?,
                _ => {}
            }
        }
        Ok(numbering)
    }

    /// The indented mark of the next item at this place: `- `, `  2. `. Numbers are always decimal, whatever Word
    /// shows.
    pub fn next_mark(&mut self, (id, depth): &ListPlace) -> String {
        let followed = self.abstract_of.get(id).unwrap_or(id).clone();
        let depth = (*depth).min(LEVELS - 1);
        let indent = "  ".repeat(depth);
        match self.marks.get(&(followed, depth)).copied().unwrap_or(Mark::Bullet) {
            Mark::Bullet => format!("{indent}- "),
            Mark::Nothing => indent,
            Mark::Number(start) => {
                let counters = self.counters.entry(id.clone()).or_default();
                let number = counters[depth].map_or(start, |last| last.saturating_add(1));
                counters[depth] = Some(number);
                counters[depth + 1..].fill(None);
                format!("{indent}{number}. ")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn styles(inner: &str) -> Styles {
        Styles::read("styles.xml", &format!("<w:styles>{inner}</w:styles>")).unwrap()
    }

    #[test]
    fn names_in_several_languages_give_the_role() {
        for (name, role) in [
            ("heading 1", Role::Heading(1)),
            ("Heading 3,h3,Sub", Role::Heading(3)),
            ("标题 1", Role::Heading(1)),
            ("标题２", Role::Heading(2)),
            ("标题", Role::Title),
            ("三级标题", Role::Heading(3)),
            ("Überschrift 2", Role::Heading(2)),
            ("Title", Role::Title),
            ("toc 2", Role::Contents),
            ("目录 1", Role::Contents),
            ("TOC Heading", Role::Contents),
        ] {
            assert_eq!(role_in_name(name), Some(role), "{name}");
        }
        for name in ["Subtitle", "Heading 10", "heading", "Body Text", "标题 1 字符"] {
            assert_eq!(role_in_name(name), None, "{name}");
        }
    }

    #[test]
    fn levels_are_inherited_and_overridden() {
        let styles = styles(
            r#"<w:style w:type="paragraph" w:default="1" w:styleId="a"><w:name w:val="Normal"/></w:style>
            <w:style w:type="paragraph" w:styleId="1"><w:name w:val="heading 1"/><w:basedOn w:val="a"/></w:style>
            <w:style w:type="paragraph" w:styleId="Chapter"><w:name w:val="Chapter"/><w:basedOn w:val="1"/></w:style>
            <w:style w:type="paragraph" w:styleId="Box"><w:name w:val="Box"/><w:basedOn w:val="1"/>
              <w:pPr><w:outlineLvl w:val="9"/></w:pPr></w:style>
            <w:style w:type="paragraph" w:styleId="Clause"><w:name w:val="Clause"/>
              <w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>
            <w:style w:type="paragraph" w:styleId="x"><w:name w:val="x"/><w:basedOn w:val="y"/></w:style>
            <w:style w:type="paragraph" w:styleId="y"><w:name w:val="y"/><w:basedOn w:val="x"/></w:style>
            <w:style w:type="paragraph" w:styleId="t"><w:name w:val="Title"/>
              <w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>
            <w:style w:type="character" w:styleId="c"><w:name w:val="heading 1"/></w:style>"#,
        );
        assert_eq!(styles.role(Some("Chapter")), Role::Heading(1));
        assert_eq!(styles.role(Some("Box")), Role::Body);
        assert_eq!(styles.role(Some("Clause")), Role::Heading(3));
        assert_eq!(styles.role(Some("x")), Role::Body);
        assert_eq!(styles.role(Some("t")), Role::Title);
        assert_eq!(styles.role(Some("c")), Role::Body);
        assert_eq!(styles.role(None), Role::Body);
        assert_eq!(styles.role(Some("Heading2")), Role::Heading(2));
    }

    #[test]
    fn looks_are_inherited_and_overridden() {
        let styles = styles(
            r#"<w:docDefaults><w:rPrDefault><w:rPr><w:sz w:val="22"/></w:rPr></w:rPrDefault></w:docDefaults>
            <w:style w:type="paragraph" w:styleId="a"><w:rPr><w:b/><w:sz w:val="28"/></w:rPr></w:style>
            <w:style w:type="paragraph" w:styleId="b"><w:basedOn w:val="a"/>
              <w:rPr><w:b w:val="0"/><w:rPrChange><w:rPr><w:sz w:val="99"/></w:rPr></w:rPrChange></w:rPr></w:style>
            <w:style w:type="character" w:styleId="c"><w:rPr><w:sz w:val="99"/></w:rPr></w:style>"#,
        );
        assert_eq!(styles.letter_format(Some("a")), LetterFormat { bold: Some(true), size: Some(28) });
        assert_eq!(styles.letter_format(Some("b")), LetterFormat { bold: Some(false), size: Some(28) });
        assert_eq!(styles.letter_format(Some("c")), LetterFormat { bold: None, size: Some(22) });
        assert_eq!(styles.letter_format(None), LetterFormat { bold: None, size: Some(22) });
    }

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

    #[test]
    fn many_lists_take_linear_time() {
        let lists: String =
            (0..200_000).map(|id| format!(r#"<num numId="{id}"><abstractNumId val="7"/></num>"#)).collect();
        let level = r#"<abstractNum abstractNumId="7"><lvl ilvl="0"><numFmt val="decimal"/></lvl></abstractNum>"#;
        let mut numbering = Numbering::read("numbering.xml", &format!("<n>{level}{lists}</n>")).unwrap();
        for id in 0..200_000 {
            assert_eq!(numbering.next_mark(&(id.to_string(), 0)), "1. ");
        }
    }
}
