//! DOCX, through `zip` and `quick-xml`.
//!
//! No library recognises headings well enough. The nearest, `office_oxide`, which comes with `pdf_oxide`, knows outline
//! levels and styles called `heading 1`, but no names in other languages, no inherited styles, and no titles;
//! `docx-rust` gives only elements; `docx-rs` is made for writing, and `rdocx` brings page layout, PDF and charts
//! along. The part that we need is small: a heading is a paragraph with an outline level (its own, its style's, or that
//! of a style that this is based on), or one whose style has a heading's name in any language. A document without any,
//! such as most contracts, keeps the size and weight of its paragraphs, by which `structure` finds headings.
//!
//! The loader reads the main text with tables, list items, text boxes, foot- and endnotes (after the paragraph that
//! refers to them). It leaves out headers and footers, comments, tracked deletions, and the lines of a printed table of
//! contents, which repeat the headings.

mod body;
mod styles;

use self::body::Notes;
use self::styles::{Numbering, Styles};
use super::package::{Archive, Relation, Token, Xml, target, wrong_format};
use super::{Document, Format};
use crate::error::{Error, Result};
use crate::text::squeeze;

/// The main text, unless the package names another part.
const MAIN_PART: &str = "word/document.xml";

/// Properties to keep: the element in `core.xml`, the name in our metadata.
const PROPERTIES: &[(&str, &str)] = &[
    ("title", "title"),
    ("creator", "author"),
    ("subject", "subject"),
    ("keywords", "keywords"),
    ("description", "description"),
    ("language", "language"),
    ("created", "created"),
    ("modified", "modified"),
];

/// Reads a DOCX file.
///
/// # Errors
/// If it is not a zip archive, has no main text, unpacks to too much, or its XML is broken.
pub fn parse(bytes: &[u8]) -> Result<Document> {
    let mut archive = Archive::open(bytes, "DOCX")?;
    let mut document = Document::new(Format::Docx, "quick-xml");
    let of_package = archive.relations("")?;
    let main = target(&of_package, "officeDocument").unwrap_or(MAIN_PART);
    let Some(text) = archive.text(main)? else {
        return Err(Error::failed(format!("is not a DOCX: it contains no {main}")).hint(wrong_format()));
    };
    let of_main = archive.relations(main)?;
    let beside = main.rfind('/').map_or("", |end| &main[..=end]);
    let mut part = |kind: &str| -> Result<Option<(String, String)>> {
        let name = target(&of_main, kind).map_or_else(|| format!("{beside}{kind}.xml"), str::to_owned);
        Ok(archive.text(&name)?.map(|text| (name, text)))
    };
    let styles = part("styles")?.map(|(name, text)| Styles::read(&name, &text));
    let styles = styles.transpose()?.unwrap_or_default();
    let numbering = part("numbering")?.map(|(name, text)| Numbering::read(&name, &text));
    let numbering = numbering.transpose()?.unwrap_or_default();
    let mut notes = Notes::new();
    for (relation, kind) in [("footnotes", "footnote"), ("endnotes", "endnote")] {
        if let Some((name, text)) = part(relation)? {
            body::read_notes(&name, &text, kind, &mut notes)?;
        }
    }
    let (title, blocks) = body::read(main, &text, styles, numbering, notes)?;
    document.blocks = blocks;
    let stated = read_core(&mut archive, &of_package, &mut document)?;
    document.title = title.or(stated).or_else(|| document.only_top_heading());
    Ok(document)
}

/// Reads `core.xml` into the metadata, except the stated title, which it returns.
fn read_core(archive: &mut Archive<'_>, of_package: &[Relation], document: &mut Document) -> Result<Option<String>> {
    let name = target(of_package, "core-properties").unwrap_or("docProps/core.xml");
    let Some(text) = archive.text(name)? else { return Ok(None) };
    let mut xml = Xml::new(name, &text);
    while let Some(token) = xml.next()? {
        let Token::Start(element) = token else { continue };
        let Some((_, key)) = PROPERTIES.iter().find(|(property, _)| *property == element.name()) else { continue };
        document.add_metadata(key, squeeze(&xml.text()?));
    }
    Ok(document.metadata.remove("title"))
}

#[cfg(test)]
mod tests {
    use super::super::package::zip_of;
    use super::super::{Block, BlockKind};
    use super::*;

    fn parse_body(body: &str) -> Document {
        let styles = r#"<w:styles><w:style w:type="paragraph" w:styleId="1"><w:name w:val="heading 1"/></w:style>
            <w:style w:type="paragraph" w:styleId="Chapter"><w:name w:val="Chapter"/><w:basedOn w:val="1"/></w:style>
            <w:style w:type="paragraph" w:styleId="T"><w:name w:val="Title"/></w:style>
            <w:style w:type="paragraph" w:styleId="toc1"><w:name w:val="toc 1"/></w:style></w:styles>"#;
        let notes = r#"<w:footnotes><w:footnote w:type="separator" w:id="0"><w:p/></w:footnote>
            <w:footnote w:id="2"><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:footnote></w:footnotes>"#;
        let main = format!("<w:document><w:body>{body}</w:body></w:document>");
        parse(&zip_of(&[("word/document.xml", &main), ("word/styles.xml", styles), ("word/footnotes.xml", notes)]))
            .unwrap()
    }

    fn p(properties: &str, text: &str) -> String {
        format!("<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
    }

    #[test]
    fn styles_and_outline_levels_make_headings_and_the_title() {
        let paragraphs = [
            p(r#"<w:pStyle w:val="T"/>"#, "The"),
            p(r#"<w:pStyle w:val="T"/>"#, "Title"),
            p(r#"<w:pStyle w:val="toc1"/>"#, "One 3"),
            p(r#"<w:pStyle w:val="Chapter"/>"#, "One"),
            p("", "text"),
            p(r#"<w:outlineLvl w:val="1"/>"#, "Two"),
            p(r#"<w:pStyle w:val="1"/><w:outlineLvl w:val="9"/>"#, "no heading"),
        ];
        let document = parse_body(&paragraphs.concat());
        assert_eq!(document.title.as_deref(), Some("The Title"));
        assert_eq!(document.blocks, Block::in_markdown(["# One", "text", "## Two", "no heading"]));
    }

    /// A paragraph all in bold, of a size in half points.
    fn bold(size: u16, text: &str) -> String {
        format!(r#"<w:p><w:r><w:rPr><w:b/><w:sz w:val="{size}"/></w:rPr><w:t>{text}</w:t></w:r></w:p>"#)
    }

    #[test]
    fn bold_paragraphs_are_headings_where_no_style_is_one() {
        let titles = |parts: &[String]| -> Vec<String> {
            let sections = crate::structure::sections(&parse_body(&parts.concat()), "t", None);
            sections.iter().filter(|it| it.level > 0).map(|it| format!("{}: {}", it.level, it.title)).collect()
        };
        let contract = [
            bold(32, "采购合同"),
            p("", "甲方：柳溪水务。乙方：北桥泵业。"),
            bold(20, "第一条 标的"),
            p("", "乙方供应三台水泵。"),
            bold(20, "第二条 价款"),
            p("", "总价为三万元。"),
            bold(20, "第三条 交付"),
            p("", "货到付款。"),
        ];
        assert_eq!(titles(&contract), ["1: 第一条 标的", "1: 第二条 价款", "1: 第三条 交付"]);
        let lease = [
            bold(28, "1. Purpose"),
            p("", "The tenant stores nets and ropes in the shed."),
            bold(28, "2. Term"),
            bold(28, "2.1 Termination"),
            p("", "Either side may end the lease at the end of a month."),
        ];
        assert_eq!(titles(&lease), ["1: 1. Purpose", "1: 2. Term", "2: 2.1 Termination"]);
        let warning = [p("", "Open it."), bold(20, "Close the valve"), p("", "Then wait for the lamp.")];
        assert_eq!(titles(&warning), [""; 0], "emphasis");
    }

    #[test]
    fn looks_are_kept_only_where_they_may_tell_headings() {
        let part = r#"<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>Note</w:t></w:r><w:r><w:t> more</w:t></w:r></w:p>"#;
        let formats = |body: &str| -> Vec<Option<(bool, f32)>> {
            let blocks = parse_body(body).blocks;
            blocks.into_iter().map(|block| block.style.map(|style| (style.bold, style.size))).collect()
        };
        let wanted = [Some((false, 10.0)), Some((true, 14.0)), Some((false, 10.0))];
        assert_eq!(formats(&[part, &bold(28, "Title"), &p("", "text")].concat()), wanted);
        assert_eq!(formats(&[part, &p("", "text")].concat()), [None, None], "all look the same");
        let styled = p(r#"<w:pStyle w:val="1"/>"#, "Heading");
        assert_eq!(formats(&[styled, bold(28, "Title"), p("", "text")].concat()), [None, None, None]);
    }

    #[test]
    fn tables_become_markdown_and_nested_ones_words() {
        let cell = |inner: &str| format!("<w:tc>{inner}</w:tc>");
        let wide = format!(r#"<w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>{}</w:tc>"#, p("", "wide"));
        let inner = format!("<w:tbl><w:tr>{}{}</w:tr></w:tbl>", cell(&p("", "in")), cell(&p("", "side")));
        let row = cell(&(p("", "a") + &p("", "b|c"))) + &cell(&inner);
        let document = parse_body(&format!("<w:tbl><w:tr>{wide}</w:tr><w:tr>{row}</w:tr></w:tbl>"));
        assert_eq!(document.blocks, [Block::paragraph("| wide |  |\n| --- | --- |\n| a b\\|c | in side |")]);
    }

    #[test]
    fn notes_follow_their_paragraph_and_deleted_text_is_gone() {
        let document = parse_body(
            r#"<w:p><w:r><w:t xml:space="preserve">One </w:t><w:tab/><w:t>two</w:t></w:r>
            <w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins><w:r><w:t>!</w:t></w:r></w:ins>
            <w:r><w:footnoteReference w:id="2"/></w:r></w:p>"#,
        );
        assert_eq!(document.blocks, [Block::paragraph("One \ttwo![^1]"), Block::paragraph("[^1]: A note.")]);
    }

    #[test]
    fn a_note_is_printed_once_however_often_it_is_referred_to() {
        let reference = r#"<w:r><w:footnoteReference w:id="2"/></w:r>"#;
        let heading = format!(
            r#"<w:p><w:pPr><w:pStyle w:val="1"/></w:pPr><w:r><w:t>One</w:t></w:r>{reference}<w:r><w:t> part</w:t></w:r></w:p>"#
        );
        let document = parse_body(&format!("{heading}<w:p><w:r><w:t>text</w:t></w:r>{}</w:p>", reference.repeat(3)));
        assert_eq!(document.blocks, Block::in_markdown(["# One part", "[^1]: A note.", "text"]));
    }

    #[test]
    fn list_items_are_lines_and_text_boxes_come_before_their_paragraph() {
        let item = r#"<w:numPr><w:ilvl w:val="1"/><w:numId w:val="4"/></w:numPr>"#;
        let boxed = format!("<w:p><w:r><w:t>around</w:t><w:txbxContent>{}</w:txbxContent></w:r></w:p>", p("", "box"));
        let document = parse_body(&(p(item, "item") + &boxed));
        assert_eq!(document.blocks[0], Block::new(BlockKind::Line, "  - item", None));
        assert_eq!(document.blocks[1..], Block::in_markdown(["box", "around"]));
    }

    #[test]
    fn the_package_names_its_parts() {
        let document = parse(&zip_of(&[
            ("_rels/.rels", r#"<R><Relationship Type="http://x/officeDocument" Target="/text/main.xml"/></R>"#),
            ("text/main.xml", r#"<d><p><pPr><pStyle val="K"/></pPr><r><t>H</t></r></p></d>"#),
            ("text/_rels/main.xml.rels", r#"<R><Relationship Type="http://x/styles" Target="../looks.xml"/></R>"#),
            ("looks.xml", r#"<s><style type="paragraph" styleId="K"><name val="标题 2"/></style></s>"#),
            ("docProps/core.xml", "<c><dc:title>Stated</dc:title><dc:creator>Ann</dc:creator></c>"),
        ]))
        .unwrap();
        assert_eq!(document.blocks, [Block::heading(2, "H")]);
        assert_eq!(document.title.as_deref(), Some("Stated"));
        assert_eq!(document.metadata["author"], "Ann");
    }
}
