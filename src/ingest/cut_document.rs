//! Cuts a document into sections and chunks, which have no ids yet. Pure functions.
//!
//! The author of a document controls their cost, so files are cut in a [worker process](super::worker).

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::profile::profile_of_cut;
use crate::chunk::{ChunkConfig, CutParent, cut};
use crate::knowledge::profile::Profile;
use crate::load::{BlockKind, Document, Format, OutlineEntry};
use crate::store::STANDARD_INPUT;
use crate::structure::{PREAMBLE, Section, SectionText, is_contents_title, not_found, sections};
use crate::text::script::language;
use crate::text::{squeeze, truncate, visible};

/// In characters.
const LONGEST_TITLE: usize = 200;
/// The most characters above the first section that are taken for a title and what belongs to it.
const LONGEST_TITLE_BLOCK: usize = 200;
/// Letters in dates and page numbers.
const NUMBERING: &str = "年月日第页共";
/// Stands in place of a title.
const STAMPS: [&str; 9] = ["confidential", "internal", "draft", "copy", "机密", "保密", "内部", "内部资料", "草稿"];
/// What lines begin with that stand where a title would: page numbers and salutations.
const NO_TITLE: [&str; 3] = ["page ", "dear ", "尊敬的"];
/// The first parent chunks, from which the language of the document is detected.
const LANGUAGE_PARENTS: usize = 20;

/// A document after cutting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CutDocument {
    pub title: String,
    pub format: Format,
    pub metadata: BTreeMap<String, String>,
    pub pages: Option<u32>,
    pub engine: String,
    pub warnings: Vec<String>,
    /// BCP 47.
    pub language: String,
    /// Without text: the parents hold it.
    pub sections: Vec<Section>,
    pub parents: Vec<CutParent>,
    pub profile: Option<Profile>,
    /// Indices of the corrected table of contents' entries that the document lacks.
    pub not_found: Vec<usize>,
}

impl CutDocument {
    /// Cuts a document. A document without a title gets the name of its source, and what is printed like a title.
    pub fn of(mut document: Document, source: &str, corrected: Option<&[OutlineEntry]>, config: &ChunkConfig) -> Self {
        let (own, name) = (own_title(&document), name_of(&document, source));
        let title = own.as_ref().unwrap_or(&name).clone();
        let mut sections = sections(&document, &title, corrected);
        let not_found = corrected.map(|entries| not_found(&document, entries)).unwrap_or_default();
        // The sections have the text of the blocks, and the chunks will have that of the sections.
        document.blocks = Vec::new();
        let printed = own.is_none().then(|| printed_title(document.format, &sections, &name)).flatten();
        if let (Some(printed), Some(preamble)) = (&printed, sections.first_mut()) {
            preamble.title.clone_from(printed);
        }
        let title = printed.unwrap_or(title);
        let parents = cut(&sections, config);
        sections.iter_mut().for_each(|section| section.text = SectionText::default());
        let beginning: String = parents.iter().take(LANGUAGE_PARENTS).map(|parent| parent.content.as_str()).collect();
        let language = language(&beginning);
        CutDocument {
            profile: profile_of_cut(&title, language, &sections, &parents),
            title,
            format: document.format,
            metadata: document.metadata,
            pages: document.pages,
            engine: document.engine,
            warnings: document.warnings,
            language: language.to_owned(),
            sections,
            parents,
            not_found,
        }
    }

    /// Whether every index is valid: a compromised worker must not crash its parent.
    pub(super) fn has_valid_indices(&self) -> bool {
        let above = |(i, section): (usize, &Section)| section.parent.is_none_or(|above| above < i);
        self.sections.iter().enumerate().all(above)
            && self.parents.iter().all(|parent| parent.section < self.sections.len() && parent.has_whole_children())
    }
}

/// The document's own title, unless a program made it up; otherwise the first top-level heading. Where the first
/// heading names only the first of many parts (code, records, messages), it is skipped.
fn own_title(document: &Document) -> Option<String> {
    let given = document.title.as_deref().map(squeeze).filter(|title| !is_default_title(title));
    let heading = || {
        if document.format.is_code() || matches!(document.format, Format::Jsonl | Format::Mbox) {
            return None;
        }
        let first = document.blocks.iter().find(|block| matches!(block.kind, BlockKind::Heading(1)))?;
        Some(first.text.clone()).filter(|text| !visible(text).trim().is_empty())
    };
    given.or_else(heading).map(|title| truncate(&title, LONGEST_TITLE))
}

/// The name of the file without its extension, which source code keeps.
fn name_of(document: &Document, source: &str) -> String {
    let path = source.strip_prefix(STANDARD_INPUT).unwrap_or(source).trim_end_matches('/');
    let name = path.rsplit('/').next().unwrap_or(path);
    // An address that ends with a slash names no file, but a folder or a host.
    let is_whole = document.format.is_code() || source.ends_with('/');
    let kept = if is_whole { None } else { Path::new(name).file_stem() };
    truncate(&kept.map_or_else(|| name.into(), |stem| stem.to_string_lossy()), LONGEST_TITLE)
}

/// The file's name with the line above the first section, if that looks like a title: a few words alone. The product
/// that a data sheet is about may stand only there.
fn printed_title(format: Format, sections: &[Section], name: &str) -> Option<String> {
    let [first, _, _, ..] = sections else { return None };
    let has_titles = matches!(format, Format::Pdf | Format::Docx | Format::Text);
    let block = Some(first.text.text.trim()).filter(|text| text.chars().count() <= LONGEST_TITLE_BLOCK);
    let line = squeeze(block.filter(|_| has_titles && first.path == PREAMBLE)?.lines().next()?);
    let is_title = line.contains(|c: char| c.is_alphabetic() && !NUMBERING.contains(c))
        && !line.ends_with(['.', ',', ':', ';', '。', '，', '：', '；'])
        && !is_contents_title(&line)
        && !STAMPS.contains(&line.to_lowercase().as_str())
        && !NO_TITLE.iter().any(|beginning| line.to_lowercase().starts_with(beginning));
    let named = line.to_lowercase().contains(&name.to_lowercase());
    is_title.then(|| truncate(&if named { line } else { format!("{name}: {line}") }, LONGEST_TITLE))
}

/// Whether a title is a program's default, a file's name or without a letter.
fn is_default_title(title: &str) -> bool {
    let lower = title.to_lowercase();
    !title.contains(char::is_alphabetic)
        || lower.starts_with("microsoft word")
        || lower.starts_with("untitled")
        || ["title", "(anonymous)", "powerpoint presentation", "powerpoint 演示文稿"].contains(&lower.trim())
        || [".doc", ".docx", ".dvi", ".tex", ".indd", ".qxd", ".pdf", ".ps"].iter().any(|end| lower.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::{Block, markdown};

    fn cut_of(document: Document) -> CutDocument {
        CutDocument::of(document, "docs/guide.md", None, &ChunkConfig::default())
    }

    #[test]
    fn a_default_title_is_replaced_by_the_file_name() {
        let mut document = markdown::parse("text");
        for title in
            ["Microsoft Word - draft.doc", "0000078003-22-000027", "(anonymous)", "PowerPoint Presentation", ""]
        {
            document.title = Some(title.into());
            assert_eq!(cut_of(document.clone()).title, "guide", "{title:?}");
        }
    }

    #[test]
    fn a_document_without_a_title_has_the_name_of_its_source() {
        let document = markdown::parse("text");
        for (source, title) in [
            ("https://example.org/", "example.org"),
            ("https://example.org/docs/", "docs"),
            ("https://example.org/docs/guide.html", "guide"),
            ("stdin:guide.md", "guide"),
            ("mail/Re: Pump.md", "Re: Pump"),
        ] {
            let cut = CutDocument::of(document.clone(), source, None, &ChunkConfig::default());
            assert_eq!(cut.title, title, "{source}");
        }
    }

    #[test]
    fn a_line_above_the_first_section_titles_a_document_without_a_title() {
        for (source, block, title) in [
            ("DS-0417.docx", "HX-200 Pressure Transmitter\nDatasheet DS-0417", "DS-0417: HX-200 Pressure Transmitter"),
            ("pump.docx", "The Pump", "The Pump"),
            ("KL-30.docx", "螺杆空压机", "KL-30: 螺杆空压机"),
            ("note.docx", "Keep this sheet beside the machine.", "note"),
            ("note.docx", "2026-11-26", "note"),
            ("note.docx", "2026年11月26日", "note"),
            ("note.docx", "Page 1 of 12", "note"),
            ("note.docx", "CONFIDENTIAL", "note"),
            ("note.docx", "目录", "note"),
            ("note.docx", &"A long beginning ".repeat(20), "note"),
        ] {
            let mut document = Document::new(Format::Docx, "engine");
            document.blocks = vec![Block::paragraph(block)];
            for heading in ["Scope", "Warranty"] {
                document.blocks.extend([Block::heading(2, heading), Block::paragraph("Two years from delivery.")]);
            }
            let cut = CutDocument::of(document, source, None, &ChunkConfig::default());
            assert_eq!(cut.sections.len(), 3, "{source}");
            assert_eq!(cut.title, title, "{source}");
        }
    }

    #[test]
    fn records_and_messages_do_not_title_their_file() {
        for format in [Format::Jsonl, Format::Mbox] {
            let mut document = Document::new(format, "engine");
            document.blocks = vec![Block::heading(1, "White tea"), Block::paragraph("Keep it dry.")];
            let cut = cut_of(document);
            assert_eq!((cut.title.as_str(), cut.sections[0].title.as_str()), ("guide", "White tea"), "{format:?}");
        }
    }

    #[test]
    fn a_cut_document_survives_serialization() {
        let cut = cut_of(markdown::parse("# Guide\n\nIntro.\n\n## Start\n\nPrime the pump. Then start it."));
        let back: CutDocument = serde_json::from_str(&serde_json::to_string(&cut).unwrap()).unwrap();
        assert_eq!(back, cut);
        assert!(back.has_valid_indices() && back.profile.is_some());
    }

    #[test]
    fn invalid_indices_are_detected() {
        let whole = cut_of(markdown::parse("# Guide\n\nIntro."));
        let mut lost = whole.clone();
        lost.parents[0].section = 7;
        let mut longer = whole.clone();
        longer.parents[0].children[0].length += 1;
        let mut round = whole.clone();
        round.sections[0].parent = Some(0);
        assert!(whole.has_valid_indices());
        assert!([lost, longer, round].iter().all(|wrong| !wrong.has_valid_indices()));
    }
}
