//! What a paragraph style makes of a paragraph: a heading, the title, an entry of a printed table of contents.

use std::collections::HashMap;

use crate::error::Result;
use crate::load::xml::{Token, Xml};

/// What a paragraph is, by its style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Text.
    Body,
    /// A heading of the given level, from 1.
    Heading(u8),
    /// The document's title.
    Title,
    /// A line of a printed table of contents: it repeats the headings.
    Contents,
}

/// A reference to a list: the id of its numbering and the depth in it, from 0.
pub type ListPlace = (String, usize);

#[derive(Debug, Default)]
struct Style {
    name: String,
    based_on: Option<String>,
    /// From 0; 9 is body text.
    outline: Option<u8>,
    numbering: Option<String>,
    depth: usize,
}

/// The paragraph styles of a document.
#[derive(Debug, Default)]
pub struct Styles {
    by_id: HashMap<String, Style>,
    default: Option<String>,
}

/// What headings are called in Word's languages, in front of their level. Word itself writes `heading 1` in every
/// language, other programs what they show.
const HEADING_WORDS: &[&str] = &[
    "heading",
    "标题",
    "標題",
    "見出し",
    "제목",
    "überschrift",
    "berschrift",
    "titre",
    "título",
    "titulo",
    "ttulo",
    "titolo",
    "заголовок",
    "kop",
    "rubrik",
    "overskrift",
    "otsikko",
    "nagłówek",
    "nadpis",
    "başlık",
];

/// What the style of the document's title is called.
const TITLE_WORDS: &[&str] = &[
    "title",
    "标题",
    "標題",
    "文档标题",
    "表題",
    "タイトル",
    "제목",
    "titel",
    "titre",
    "título",
    "titolo",
    "название",
];

/// What entries of a printed table of contents are called, in front of their level.
const CONTENTS_WORDS: &[&str] = &["toc", "contents", "目录", "目錄", "目次", "verzeichnis", "inhaltsverzeichnis"];

/// Styles are based on each other a few deep; more is a circle.
const INHERITANCE_LIMIT: usize = 32;

impl Styles {
    /// Reads `styles.xml`.
    ///
    /// # Errors
    /// Where it is not well-formed.
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
                // What the style was before somebody changed it.
                Token::Start(element) if element.name() == "pPrChange" => xml.skip()?,
                Token::Start(element) => {
                    let Some((_, style)) = &mut open else { continue };
                    let Some(value) = element.attribute("val") else { continue };
                    match element.name() {
                        "name" => style.name = value,
                        "basedOn" => style.based_on = Some(value),
                        "outlineLvl" => style.outline = value.parse().ok(),
                        "numId" => style.numbering = Some(value),
                        "ilvl" => style.depth = value.parse().unwrap_or(0),
                        _ => {}
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

    /// What paragraphs of this style are; `None` asks for the default style.
    pub fn role(&self, id: Option<&str>) -> Role {
        for (id, style) in self.ancestry(id) {
            // Its own outline level says more than a heading's name, and its name more than what it is based on. The
            // title has an outline level in some of Word's templates, and the heading "Contents" has none.
            match (role_in_name(&style.name).or_else(|| role_in_name(id)), style.outline) {
                (Some(role @ (Role::Title | Role::Contents)), _) => return role,
                (_, Some(level @ 0..=8)) => return Role::Heading(level + 1),
                (_, Some(_)) => return Role::Body,
                (Some(role), None) => return role,
                (None, None) => {}
            }
        }
        // Some programs write no styles at all and still name them.
        let unknown = id.filter(|id| !self.by_id.contains_key(*id));
        unknown.and_then(role_in_name).unwrap_or(Role::Body)
    }

    /// The list that paragraphs of this style belong to.
    pub fn list(&self, id: Option<&str>) -> Option<ListPlace> {
        self.ancestry(id).find_map(|(_, style)| Some((style.numbering.clone()?, style.depth)))
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
    if TITLE_WORDS.contains(&name.as_str()) {
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

fn level_behind(name: &str, words: &[&str]) -> Option<u8> {
    words.iter().find_map(|word| level_of(name.strip_prefix(word)?.trim_start()))
}

fn level_of(text: &str) -> Option<u8> {
    let mut characters = text.chars();
    let (first, None) = (characters.next()?, characters.next()) else { return None };
    let position = |digits: &str| digits.chars().position(|digit| digit == first);
    let index =
        position("123456789").or_else(|| position("１２３４５６７８９")).or_else(|| position("一二三四五六七八九"))?;
    u8::try_from(index + 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn styles(inner: &str) -> Styles {
        Styles::read("styles.xml", &format!("<w:styles>{inner}</w:styles>")).unwrap()
    }

    #[test]
    fn names_in_several_languages_tell_the_role() {
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
}
