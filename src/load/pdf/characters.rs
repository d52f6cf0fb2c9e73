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
///
/// # Errors
/// If the page cannot be read.
pub fn characters(pdf: &PdfDocument, page: usize) -> pdf_oxide::Result<Vec<TextChar>> {
    let entries = Entries { pdf };
    if !entries.has_replacement_text(page, &pdf.get_page(page)?) {
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
///
/// # Errors
/// If the page cannot be read.
pub fn shown_by_annotations(pdf: &PdfDocument, page: usize, known: &[&str]) -> pdf_oxide::Result<Vec<String>> {
    let entries = Entries { pdf };
    if !entries.has_visible_annotations(&pdf.get_page(page)?) {
        return Ok(Vec::new());
    }
    let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let content: String = known.iter().map(|line| letters(line)).collect();
    let text = pdf.extract_text(page)?;
    let is_new = |line: &&str| !line.trim().is_empty() && !content.contains(&letters(line));
    Ok(text.lines().filter(is_new).map(str::to_owned).collect())
}

/// Resolves entries of dictionaries through references.
struct Entries<'a> {
    pdf: &'a PdfDocument,
}

impl Entries<'_> {
    fn resolve(&self, object: &Object) -> Option<Object> {
        self.pdf.resolve_object(object).ok()
    }

    fn get(&self, object: &Object, key: &str) -> Option<Object> {
        object.as_dict().and_then(|entries| entries.get(key)).and_then(|entry| self.resolve(entry))
    }

    fn has_replacement_text(&self, page: usize, object: &Object) -> bool {
        const KEY: &[u8] = b"ActualText";
        let in_content =
            self.pdf.get_page_content_data(page).is_ok_and(|content| memchr::memmem::find(&content, KEY).is_some());
        // The content may also refer to a property list that has it.
        let properties = self.get(object, "Resources").and_then(|resources| self.get(&resources, "Properties"));
        in_content
            || properties.as_ref().and_then(Object::as_dict).is_some_and(|properties| {
                properties.values().any(|list| {
                    self.resolve(list).as_ref().and_then(Object::as_dict).is_some_and(|l| l.contains_key("ActualText"))
                })
            })
    }

    fn has_visible_annotations(&self, page: &Object) -> bool {
        let annotations = self.get(page, "Annots");
        annotations.as_ref().and_then(Object::as_array).is_some_and(|annotations| {
            annotations.iter().take(MOST_ANNOTATIONS).any(|annotation| {
                let kind = self.resolve(annotation).and_then(|annotation| self.get(&annotation, "Subtype"));
                kind.as_ref().and_then(Object::as_name).is_some_and(|kind| VISIBLE.contains(&kind))
            })
        })
    }
}
