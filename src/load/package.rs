//! Packages of XML files: DOCX and EPUB are zip archives of them.
//!
//! Nothing is written to disk, and names only select entries of the archive, so that a name like `../../x` leads
//! nowhere. An archive of 40 kilobytes can hold gigabytes, so what is unpacked is limited. XML is read as a stream
//! through `quick-xml`: elements by their local names, text with its references resolved. Entities that a document
//! declares itself are never expanded, so a "billion laughs" stays small, and nesting is limited.

use std::borrow::Cow;
use std::io::{Cursor, Read};

use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::name::QName;
use zip::{CompressionMethod, ZipArchive};

use super::plain;
use crate::error::{Error, Result, Setting};

/// Bytes that one compressed entry may unpack to. The text of a book of 1,000 pages is about 3 MB of XML.
const ENTRY_LIMIT: u64 = 64 << 20;
/// Bytes that all entries together may unpack to; an EPUB is checked with its pictures.
const TOTAL_LIMIT: u64 = 1 << 30;
/// Real documents have far fewer entries.
const ENTRIES_LIMIT: usize = 50_000;

/// The first bytes of an OLE file: Word before 2007, or an Office file with a password.
const OLE_MAGIC: &[u8] = &[0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];

pub struct Archive<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    /// The expected format, for messages: `DOCX`.
    format: &'static str,
    /// Bytes that may still be unpacked.
    left: u64,
    /// Whether an entry unpacked to more than its limit.
    is_bomb: bool,
}

impl<'a> Archive<'a> {
    /// Opens an archive that should be a document of `format`.
    ///
    /// # Errors
    /// If the bytes are not a zip archive, or one with more than [`ENTRIES_LIMIT`] entries.
    pub fn open(bytes: &'a [u8], format: &'static str) -> Result<Self> {
        if bytes.starts_with(OLE_MAGIC) {
            let what = format!("this is not {format} but an Office file with a password or from before 2007");
            let hint = format!("open it in its program and save it as {format} without a password");
            return Err(Error::failed(what).hint(hint));
        }
        let zip = ZipArchive::new(Cursor::new(bytes)).map_err(|error| broken(format, &error.to_string()))?;
        if zip.len() > ENTRIES_LIMIT {
            return Err(Error::failed(format!("contains {} files; {format} files have a few hundred", zip.len()))
                .hint(format!("the file is hostile; skip it with {}", Setting("exclude"))));
        }
        Ok(Archive { zip, format, left: TOTAL_LIMIT, is_bomb: false })
    }

    pub fn has(&self, name: &str) -> bool {
        self.zip.index_for_name(name).is_some()
    }

    pub fn has_any(&self, test: impl Fn(&str) -> bool) -> bool {
        self.zip.file_names().any(|name| name.is_ok_and(|name| test(&name)))
    }

    /// The text of an entry in any encoding; `None` if there is no such entry.
    ///
    /// # Errors
    /// If the entry is damaged, encrypted or unpacks to more than is allowed.
    pub fn text(&mut self, name: &str) -> Result<Option<String>> {
        let Some(index) = self.zip.index_for_name(name) else { return Ok(None) };
        let mut bytes = Vec::new();
        self.unpack(index, &mut bytes)?;
        Ok(Some(plain::to_text(&bytes)?.into_owned()))
    }

    /// The relations of a part to other parts, or of the package if `part` is empty. A part without a list has none.
    pub fn relations(&mut self, part: &str) -> Result<Vec<Relation>> {
        let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
        let name = resolved(folder, &format!("_rels/{file}.rels"));
        let Some(text) = self.text(&name)? else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        let mut xml = Xml::new(&name, &text);
        while let Some(token) = xml.next()? {
            if let Token::Start(element) = token
                && element.name() == "Relationship"
                && let (Some(kind), Some(target)) = (element.attribute("Type"), element.attribute("Target"))
            {
                let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
                let id = element.attribute("Id").unwrap_or_default();
                found.push(Relation { id, kind, target: resolved(folder, &target) });
            }
        }
        Ok(found)
    }

    /// Unpacks every entry and drops it; afterwards another library may read the archive.
    ///
    /// # Errors
    /// If an entry, or all together, unpack to more than is allowed.
    pub fn refuse_bomb(&mut self) -> Result<()> {
        for index in 0..self.zip.len() {
            // A damaged entry may be a picture, which is not read; if it is read later, that reports the damage.
            match self.unpack(index, &mut std::io::sink()) {
                Err(error) if self.is_bomb => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    fn unpack(&mut self, index: usize, out: &mut impl std::io::Write) -> Result<()> {
        let format = self.format;
        let entry = self.zip.by_index(index).map_err(|error| broken(format, &error.to_string()))?;
        let name = entry.name().map(|name| name.into_owned()).unwrap_or_default();
        // Entries without compression cannot be larger than the file.
        let stored = entry.compression() == CompressionMethod::Stored;
        let limit = if stored { self.left } else { self.left.min(ENTRY_LIMIT) };
        let unpacked = std::io::copy(&mut entry.take(limit + 1), out)
            .map_err(|error| broken(format, &format!("{name}: {error}")))?;
        if unpacked > limit {
            let message = format!("{name} in it unpacks to more than {} MB", limit >> 20);
            self.is_bomb = true;
            let hint = format!("no document needs that; skip the file with {}", Setting("exclude"));
            return Err(Error::failed(message).hint(hint));
        }
        self.left -= unpacked;
        Ok(())
    }
}

/// A relation of a part of an Office file to another part.
pub struct Relation {
    pub id: String,
    /// The end of the URL that names the kind: `styles`.
    pub kind: String,
    /// The name of the other part.
    pub target: String,
}

/// The name of the first part with a relation of this kind.
pub fn target<'r>(relations: &'r [Relation], kind: &str) -> Option<&'r str> {
    relations.iter().find(|relation| relation.kind == kind).map(|relation| relation.target.as_str())
}

/// Resolves a target relative to a folder: `../notesSlides/notesSlide1.xml`.
fn resolved(folder: &str, target: &str) -> String {
    if let Some(absolute) = target.strip_prefix('/') {
        return absolute.to_owned();
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The hint for a file that is not what its name says.
pub(super) fn wrong_format() -> String {
    format!("name its format with {}, or skip it with {}", Setting("as"), Setting("exclude"))
}

fn broken(format: &str, reason: &str) -> Error {
    Error::failed(format!("cannot be read as {format}: {reason}"))
        .hint("the file is damaged or of another format; try to open it in its program")
}

/// The deepest nesting of elements. Word allows about twenty nested tables.
const NESTING_LIMIT: usize = 1_000;

pub enum Token<'a> {
    /// Empty elements begin and end too.
    Start(Element<'a>),
    /// The end of the innermost element of this local name.
    End(String),
    /// A text may come in several tokens.
    Text(Cow<'a, str>),
}

pub struct Element<'a>(BytesStart<'a>);

impl Element<'_> {
    /// The name without the prefix: `p` for `<w:p>`.
    pub fn name(&self) -> &str {
        self.0.local_name().into_inner()
    }

    /// The attribute of this whole name, with its prefix.
    pub fn prefixed(&self, name: &str) -> Option<String> {
        self.value(|key| key.into_inner() == name)
    }

    /// The first attribute of this local name.
    pub fn attribute(&self, name: &str) -> Option<String> {
        self.value(|key| key.local_name().into_inner() == name)
    }

    fn value(&self, is_it: impl Fn(QName<'_>) -> bool) -> Option<String> {
        let mut attributes = self.0.attributes();
        // The check for duplicate names takes quadratic time.
        attributes.with_checks(false);
        let attribute = attributes.flatten().find(|attribute| is_it(attribute.key))?;
        attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0).ok().map(Cow::into_owned)
    }
}

pub struct Xml<'a> {
    reader: quick_xml::Reader<&'a [u8]>,
    /// For messages: `word/document.xml`.
    name: &'a str,
    depth: usize,
}

impl<'a> Xml<'a> {
    /// `name` is for messages.
    pub fn new(name: &'a str, text: &'a str) -> Self {
        let mut reader = quick_xml::Reader::from_str(text);
        reader.config_mut().expand_empty_elements = true;
        Xml { reader, name, depth: 0 }
    }

    /// The next token; `None` at the end.
    ///
    /// # Errors
    /// If the text is malformed, ends too early or is nested more than [`NESTING_LIMIT`] deep.
    pub fn next(&mut self) -> Result<Option<Token<'a>>> {
        loop {
            let event = self.reader.read_event().map_err(|error| self.malformed(&error.to_string()))?;
            return Ok(Some(match event {
                Event::Start(start) => {
                    self.depth += 1;
                    if self.depth > NESTING_LIMIT {
                        return Err(self.malformed("elements are nested more than 1,000 deep"));
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
                Event::Eof if self.depth > 0 => {
                    return Err(self.malformed("the text ends before all elements are closed"));
                }
                Event::Eof => return Ok(None),
                _ => continue,
            }));
        }
    }

    /// Skips the rest of the element that has just begun.
    pub fn skip(&mut self) -> Result<()> {
        let outside = self.depth.saturating_sub(1);
        while self.depth > outside && self.next()?.is_some() {}
        Ok(())
    }

    /// The text up to the end of the element that has just begun.
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
        Error::failed(format!("cannot read {} in it at byte {place}: {reason}", self.name))
            .hint("the file is damaged; open it in its program and save it again")
    }
}

fn resolve(reference: &BytesRef<'_>) -> String {
    match reference.resolve_char_ref() {
        Ok(Some(c)) => c.to_string(),
        // The document's own entities are left out.
        _ => quick_xml::escape::resolve_predefined_entity(reference).unwrap_or_default().to_owned(),
    }
}

/// An archive, for tests and the fuzzer.
#[cfg(any(test, feature = "fuzzing"))]
pub fn zip_of(entries: &[(&str, &str)]) -> Vec<u8> {
    use std::io::Write;
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in entries {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).expect("memory");
        zip.write_all(content.as_bytes()).expect("memory");
    }
    zip.finish().expect("memory").into_inner()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_only_by_name() {
        let bytes = zip_of(&[("a.xml", "<a/>"), ("../../etc/passwd", "x")]);
        let mut archive = Archive::open(&bytes, "DOCX").unwrap();
        assert_eq!(archive.text("a.xml").unwrap().as_deref(), Some("<a/>"));
        assert_eq!(archive.text("/etc/passwd").unwrap(), None);
        assert!(archive.has_any(|name| name.starts_with("a.")));
    }

    #[test]
    fn a_bomb_is_refused_before_it_unfolds() {
        let bytes = zip_of(&[("bomb.xml", &" ".repeat((ENTRY_LIMIT + 1) as usize))]);
        assert!(bytes.len() < 1 << 20);
        let error = Archive::open(&bytes, "DOCX").unwrap().text("bomb.xml").unwrap_err();
        assert!(error.message().contains("bomb.xml") && error.message().contains("64 MB"), "{error}");
        assert!(Archive::open(&bytes, "EPUB").unwrap().refuse_bomb().is_err());
        let bytes = zip_of(&[("a", "12345"), ("b", "12345")]);
        let mut archive = Archive::open(&bytes, "EPUB").unwrap();
        archive.left = 9;
        assert!(archive.refuse_bomb().is_err(), "each is small enough, both together are not");
    }

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
    fn declared_entities_are_not_expanded() {
        let laughs = r#"<!DOCTYPE a [<!ENTITY l "ha"><!ENTITY m "&l;&l;">]><a>x&m;y</a>"#;
        assert_eq!(text_of(laughs).unwrap(), "xy");
    }

    #[test]
    fn broken_and_bottomless_texts_are_refused_with_the_place() {
        for bad in ["<a><b></a>", "<a>", "<a", &"<a>".repeat(2_000)] {
            let error = text_of(bad).unwrap_err();
            assert!(error.message().contains("cannot read a.xml in it at byte"), "{error}");
        }
    }
}
