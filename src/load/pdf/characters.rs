//! The characters of a page, by the fastest way that misses nothing.
//!
//! pdf_oxide has three ways. The fastest reads only the page's content and decodes replacement text (`/ActualText`)
//! with the font of the replaced glyphs, which gives nonsense in symbol and CJK fonts. Extracting spans decodes it
//! well. Only the slowest also reads form fields and notes, without places. Most pages need the fastest only.

use pdf_oxide::PdfDocument;
use pdf_oxide::layout::{TextChar, TextSpan};
use pdf_oxide::object::Object;

/// Annotations with visible text.
const VISIBLE: &[&str] = &["Widget", "FreeText", "Stamp"];
/// The most annotations that are checked; index pages have hundreds of links.
const MOST_ANNOTATIONS: usize = 500;

/// The characters of a page's content. Pages count from 0.
pub fn characters(pdf: &PdfDocument, page: usize) -> pdf_oxide::Result<Vec<TextChar>> {
    if !has_replacement_text(pdf, page)? {
        return pdf.extract_chars(page);
    }
    let mut chars: Vec<TextChar> = pdf.extract_spans(page)?.iter().flat_map(TextSpan::to_chars).collect();
    if pdf.get_page_rotation(page).is_ok_and(|degrees| degrees != 0) {
        // On a rotated page, spans are placed as shown, but keep the angle of the content.
        chars.iter_mut().for_each(|c| (c.rotation_degrees, c.matrix) = (0.0, None));
    }
    Ok(chars)
}

/// The lines of form fields and notes that are not among `known`, the lines of the content.
pub fn shown_by_annotations(pdf: &PdfDocument, page: usize, known: &[&str]) -> pdf_oxide::Result<Vec<String>> {
    if !has_visible_annotations(pdf, page)? {
        return Ok(Vec::new());
    }
    let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let content: String = known.iter().map(|line| letters(line)).collect();
    let text = pdf.extract_text(page)?;
    let is_new = |line: &&str| !line.trim().is_empty() && !content.contains(&letters(line));
    Ok(text.lines().filter(is_new).map(str::to_owned).collect())
}

fn entry(pdf: &PdfDocument, object: &Object, key: &str) -> Option<Object> {
    pdf.resolve_object(object.as_dict()?.get(key)?).ok()
}

fn has_replacement_text(pdf: &PdfDocument, page: usize) -> pdf_oxide::Result<bool> {
    const KEY: &str = "ActualText";
    let in_content =
        pdf.get_page_content_data(page).is_ok_and(|content| memchr::memmem::find(&content, KEY.as_bytes()).is_some());
    // The content may also refer to a property list that has it.
    let properties = entry(pdf, &pdf.get_page(page)?, "Resources").and_then(|it| entry(pdf, &it, "Properties"));
    let has_it =
        |list: &Object| pdf.resolve_object(list).is_ok_and(|l| l.as_dict().is_some_and(|l| l.contains_key(KEY)));
    Ok(in_content || properties.as_ref().and_then(Object::as_dict).is_some_and(|lists| lists.values().any(has_it)))
}

fn has_visible_annotations(pdf: &PdfDocument, page: usize) -> pdf_oxide::Result<bool> {
    let annotations = entry(pdf, &pdf.get_page(page)?, "Annots");
    let is_visible = |annotation: &Object| {
        let kind = pdf.resolve_object(annotation).ok().and_then(|annotation| entry(pdf, &annotation, "Subtype"));
        kind.as_ref().and_then(Object::as_name).is_some_and(|kind| VISIBLE.contains(&kind))
    };
    let annotations = annotations.as_ref().and_then(Object::as_array);
    Ok(annotations.is_some_and(|annotations| annotations.iter().take(MOST_ANNOTATIONS).any(is_visible)))
}
