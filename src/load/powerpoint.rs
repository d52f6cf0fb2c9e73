//! PowerPoint presentations, through `zip` and `quick-xml`: each slide is a section with its title, its texts, tables
//! and notes. No library reads only slides.

use std::collections::{HashMap, HashSet};

use super::package::{Archive, Token, Xml, target, wrong_format};
use super::{Block, BlockKind, Document, Format};
use crate::error::{Error, Result};
use crate::text::tables::is_row;
use crate::text::{char_count, join_words, squeeze, tables};

const MAIN_PART: &str = "ppt/presentation.xml";
/// A longer first line, in characters, is not a title.
const LONGEST_NAME: usize = 100;

/// Reads a PPTX file.
///
/// # Errors
/// If it is not a presentation, unpacks to too much, or its XML is broken.
pub fn parse(bytes: &[u8]) -> Result<Document> {
    let mut archive = Archive::open(bytes, "PPTX")?;
    let mut document = Document::new(Format::PowerPoint, "quick-xml");
    let Some(main) = archive.text(MAIN_PART)? else {
        return Err(Error::failed(format!("is not a PPTX: it contains no {MAIN_PART}")).hint(wrong_format()));
    };
    let relations = archive.relations(MAIN_PART)?.into_iter();
    let targets: HashMap<String, String> = relations.map(|relation| (relation.id, relation.target)).collect();
    // A hostile file shows a long slide, or its notes, many times.
    let mut known: HashSet<String> = HashSet::new();
    for (number, id) in slide_ids(&main)?.iter().enumerate() {
        let Some(part) = targets.get(id).filter(|part| known.insert((*part).clone())) else { continue };
        let Some(text) = archive.text(part)? else { continue };
        let mut slide = Slide::read(part, &text)?;
        let page = u32::try_from(number + 1).unwrap_or(u32::MAX);
        let title = slide.name().unwrap_or_else(|| page.to_string());
        document.blocks.push(Block::new(BlockKind::Heading(1), title, Some(page)));
        document.blocks.extend(slide.blocks.into_iter().map(|block| Block { page: Some(page), ..block }));
        let relations = archive.relations(part)?;
        if let Some(part) = target(&relations, "notesSlide").filter(|part| known.insert((*part).to_owned()))
            && let Some(text) = archive.text(part)?
        {
            let notes = Slide::read(part, &text)?.blocks;
            document.blocks.extend(notes.into_iter().map(|block| Block { page: Some(page), ..block }));
        }
        document.pages = Some(page);
    }
    Ok(document)
}

/// The ids of the slides' relations, in slide order.
fn slide_ids(text: &str) -> Result<Vec<String>> {
    let mut ids = Vec::new();
    let mut xml = Xml::new(MAIN_PART, text);
    while let Some(token) = xml.next()? {
        if let Token::Start(element) = token
            && element.name() == "sldId"
        {
            ids.extend(element.prefixed("r:id"));
        }
    }
    Ok(ids)
}

#[derive(Default)]
struct Slide {
    title: String,
    blocks: Vec<Block>,
}

/// The place of a shape on the slide's layout.
#[derive(Clone, Copy, PartialEq)]
enum Placeholder {
    Text,
    Title,
    /// Date, slide number, footer: the same on each slide.
    Repeated,
}

impl Slide {
    fn read(name: &str, text: &str) -> Result<Self> {
        let mut slide = Slide::default();
        let mut placeholder = Placeholder::Text;
        let mut paragraph = String::new();
        let mut rows: Option<Vec<tables::Row>> = None;
        let mut is_first = true;
        let mut xml = Xml::new(name, text);
        while let Some(token) = xml.next()? {
            match token {
                Token::Start(element) => match element.name() {
                    "sp" => (placeholder, is_first) = (Placeholder::Text, true),
                    "ph" => {
                        placeholder = match element.attribute("type").as_deref() {
                            Some("title" | "ctrTitle") => Placeholder::Title,
                            Some("dt" | "sldNum" | "ftr" | "hdr" | "sldImg") => Placeholder::Repeated,
                            _ => Placeholder::Text,
                        }
                    }
                    "tbl" => rows = Some(Vec::new()),
                    "tr" => rows.iter_mut().for_each(|rows| rows.push(Vec::new())),
                    "tc" => paragraph.clear(),
                    "t" => paragraph.push_str(&xml.text()?),
                    "br" => paragraph.push(' '),
                    // Repeats the content for older programs.
                    "Fallback" => xml.skip()?,
                    _ => {}
                },
                Token::End(name) => match (name.as_str(), &mut rows) {
                    ("p", Some(_)) => paragraph.push(' '),
                    ("p", None) => {
                        slide.add(placeholder, &squeeze(&std::mem::take(&mut paragraph)), &mut is_first);
                    }
                    ("tc", Some(rows)) => {
                        if let Some(row) = rows.last_mut() {
                            row.push(squeeze(&std::mem::take(&mut paragraph)));
                        }
                    }
                    ("tbl", _) => {
                        slide.blocks.extend(rows.take().and_then(tables::write).map(Block::paragraph));
                    }
                    _ => {}
                },
                Token::Text(_) => {}
            }
        }
        Ok(slide)
    }

    /// The title, or else the first line, which is then removed from the text.
    fn name(&mut self) -> Option<String> {
        if !self.title.is_empty() {
            return Some(std::mem::take(&mut self.title));
        }
        let is_name = |block: &Block| !is_row(&block.text) && char_count(&block.text) <= LONGEST_NAME;
        self.blocks.first().is_some_and(is_name).then(|| self.blocks.remove(0).text)
    }

    /// Adds a paragraph. The paragraphs of one shape are lines of one block, like list items.
    fn add(&mut self, placeholder: Placeholder, text: &str, is_first: &mut bool) {
        if text.is_empty() || placeholder == Placeholder::Repeated {
            return;
        }
        if placeholder == Placeholder::Title {
            join_words(&mut self.title, text);
            return;
        }
        let kind = if std::mem::take(is_first) { BlockKind::Paragraph } else { BlockKind::Line };
        self.blocks.push(Block::new(kind, text, None));
    }
}

#[cfg(test)]
mod tests {
    use super::super::package::zip_of;
    use super::*;

    fn shape(placeholder: &str, paragraphs: &[&str]) -> String {
        let text: String = paragraphs.iter().map(|text| format!("<a:p><a:r><a:t>{text}</a:t></a:r></a:p>")).collect();
        format!("<p:sp><p:nvSpPr><p:nvPr>{placeholder}</p:nvPr></p:nvSpPr><p:txBody>{text}</p:txBody></p:sp>")
    }

    fn presentation(slides: &[&str], notes: &str) -> Vec<u8> {
        let ids: String = (1..=slides.len()).map(|n| format!(r#"<p:sldId id="{n}" r:id="rId{n}"/>"#)).collect();
        let relations: String = (1..=slides.len())
            .map(|n| format!(r#"<Relationship Id="rId{n}" Type="x/slide" Target="slides/slide{n}.xml"/>"#))
            .collect();
        let of_first = r#"<Relationship Id="r1" Type="x/notesSlide" Target="../notesSlides/notesSlide1.xml"/>"#;
        let parts = [
            (MAIN_PART, format!("<p:presentation><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>")),
            ("ppt/_rels/presentation.xml.rels", format!("<Relationships>{relations}</Relationships>")),
            ("ppt/slides/_rels/slide1.xml.rels", format!("<Relationships>{of_first}</Relationships>")),
            ("ppt/notesSlides/notesSlide1.xml", format!("<p:notes>{notes}</p:notes>")),
        ];
        let names: Vec<String> = (1..=slides.len()).map(|n| format!("ppt/slides/slide{n}.xml")).collect();
        let slides: Vec<String> = slides.iter().map(|slide| format!("<p:sld>{slide}</p:sld>")).collect();
        let slides = names.iter().zip(&slides).map(|(name, text)| (name.as_str(), text.as_str()));
        zip_of(&parts.iter().map(|(name, text)| (*name, text.as_str())).chain(slides).collect::<Vec<_>>())
    }

    #[test]
    fn slides_are_sections_with_texts_tables_and_notes() {
        let table = "<a:tbl><a:tr><a:tc><a:p><a:r><a:t>泵</a:t></a:r></a:p></a:tc><a:tc><a:p/></a:tc></a:tr></a:tbl>";
        let first = [
            shape(r#"<p:ph type="title"/>"#, &["Priming", "the pump"]),
            shape("", &["Open the vent.", "Fill the casing."]),
            shape(r#"<p:ph type="sldNum"/>"#, &["1"]),
            table.to_owned(),
        ];
        let bytes = presentation(&[&first.concat(), &shape("", &["Thanks"])], &shape("", &["Say it slowly."]));
        let document = parse(&bytes).unwrap();
        let text = ["# Priming the pump", "Open the vent.", "Fill the casing.", "| 泵 |  |\n| --- | --- |"];
        let mut expected = Block::in_markdown(text.into_iter().chain(["Say it slowly.", "# Thanks"]));
        expected[2].kind = BlockKind::Line;
        expected.iter_mut().zip([1, 1, 1, 1, 1, 2]).for_each(|(block, page)| block.page = Some(page));
        assert_eq!(document.blocks, expected);
        assert_eq!(document.pages, Some(2));
    }

    #[test]
    fn a_slide_that_is_shown_a_thousand_times_is_read_once() {
        let relation = r#"<Relationship Id="r" Type="x/slide" Target="slide.xml"/>"#;
        let slides = r#"<p:sldId r:id="r"/>"#.repeat(1_000);
        let bytes = zip_of(&[
            (MAIN_PART, &format!("<p:presentation>{slides}</p:presentation>")),
            ("ppt/_rels/presentation.xml.rels", &format!("<Relationships>{relation}</Relationships>")),
            ("ppt/slide.xml", &format!("<p:sld>{}</p:sld>", shape("", &["Open the vent.", "Fill the casing."]))),
        ]);
        assert_eq!(parse(&bytes).unwrap().blocks.len(), 2);
    }

    #[test]
    fn other_files_and_broken_xml_are_refused() {
        let error = parse(&zip_of(&[("a.txt", "x")])).unwrap_err();
        assert!(error.message().contains("is not a PPTX"), "{error}");
        assert!(parse(&presentation(&["<p:sp>"], "")).is_err(), "broken XML");
    }
}
