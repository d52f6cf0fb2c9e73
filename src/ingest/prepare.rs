//! Makes the rows of a cut document, without vectors. Pure functions, linear in the text.

use std::collections::HashMap;

use super::contexts::wants_model_context;
use super::cut_document::CutDocument;
use crate::chunk::{ChunkConfig, CutChild, CutParent, EmbeddedText, context};
use crate::edits::{Rebased, embedded_texts, rebase, renew_hashes, set_model_situating, set_situating, update_counts};
use crate::error::{Error, NextStep, Result};
use crate::ids::{ChunkId, DocId, SectionId};
use crate::knowledge::profile::Profile;
use crate::load::{Document, OutlineEntry};
use crate::store::{Chunk, DocumentRow, DocumentTime, Metadata, MetadataChanges, NewDocument, ParentChunk, SectionRow};
use crate::structure::{PREAMBLE, STRUCTURE_VERSION, Section};
use crate::text::script::language;
use crate::text::{SharedText, count};

/// The facts about a source, apart from its text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SourceFacts {
    pub source: String,
    pub doc_id: DocId,
    /// blake3 of its bytes, in hex.
    pub content_hash: String,
    /// In bytes.
    pub size: u64,
    /// Time of its last change, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// A person's table of contents, which overrides the one that kb finds.
    pub corrected_toc: Option<Vec<OutlineEntry>>,
    /// A person's date of the content, which overrides the document's own.
    pub time: Option<DocumentTime>,
    /// Metadata from rules, side files and people.
    pub metadata: Metadata,
}

impl SourceFacts {
    /// Those that the store has of a file.
    pub(super) fn of(row: &DocumentRow) -> Self {
        SourceFacts {
            source: row.source.clone(),
            doc_id: row.doc_id.clone(),
            content_hash: row.content_hash.clone(),
            size: row.size,
            mtime_ns: row.mtime_ns,
            ..SourceFacts::default()
        }
    }
}

#[cfg(any(test, feature = "fuzzing"))]
impl SourceFacts {
    /// Facts about a document `abc123` from `docs/guide.md`, for tests and the fuzzer.
    pub(crate) fn sample() -> Self {
        SourceFacts {
            source: "docs/guide.md".into(),
            doc_id: "abc123".into(),
            content_hash: "h".into(),
            size: 1,
            ..SourceFacts::default()
        }
    }
}

/// The table of contents that a person gave a document.
pub fn corrected_toc(row: &DocumentRow) -> Result<Option<Vec<OutlineEntry>>> {
    let parse = |text: &String| {
        serde_json::from_str(text).map_err(|error| {
            Error::failed(format!("the corrected table of contents of {} is damaged: {error}", row.source))
                .hint(format!("drop it with `{}`", NextStep::ResetContents(&row.doc_id)))
        })
    };
    row.corrected_toc.as_ref().map(parse).transpose()
}

/// A document with its rows. The vectors of the chunks are empty.
#[derive(Debug, Clone, PartialEq)]
pub struct Prepared {
    pub new: NewDocument,
    /// The profile of the text; `None` if an edit has changed the text.
    pub(super) profile: Option<Profile>,
}

impl Prepared {
    /// Gives each chunk the hash of its embedded text.
    pub(super) fn of(mut new: NewDocument) -> Self {
        renew_hashes(&mut new);
        Prepared { new, profile: None }
    }

    /// The text to embed for each parent chunk.
    pub fn texts(&self) -> impl Iterator<Item = EmbeddedText> {
        embedded_texts(&self.new)
    }

    /// Sets the chunk contexts of a language model, by the id of the parent chunk, and renews the hashes.
    pub fn with_contexts(mut self, sentences: &HashMap<ChunkId, String>) -> Self {
        set_model_situating(&mut self.new.parents, sentences);
        Prepared { profile: self.profile, ..Prepared::of(self.new) }
    }

    /// Carries over what a stored document has in addition to its source: edits, and a language model's chunk contexts.
    /// `parents` are the stored parent chunks of `row`.
    pub(super) fn carrying(mut self, row: &DocumentRow, parents: Vec<ParentChunk>) -> (Self, Rebased) {
        if wants_model_context(row) && wants_model_context(&self.new.document) {
            self = self.with_contexts_of(&parents);
            // What the model wrote stays true while the content is the same.
            if row.content_hash == self.new.document.content_hash {
                self.new.document.profile = row.profile.clone().filter(|profile| profile.by_model);
            }
        }
        if row.edits.is_empty() {
            return (self, Rebased::default());
        }
        let stored = NewDocument { document: row.clone(), sections: Vec::new(), parents };
        let rebased = rebase(&stored, &mut self.new, &jiff::Timestamp::now().to_string());
        set_situating(&mut self.new);
        (Prepared::of(self.new), rebased)
    }

    /// Gives parent chunks the contexts of stored ones with the same text.
    fn with_contexts_of(self, before: &[ParentChunk]) -> Self {
        let known: HashMap<&str, &String> =
            before.iter().filter_map(|row| Some((row.content.trim_end(), row.situating.as_ref()?))).collect();
        let context = |row: &ParentChunk| known.get(row.content.trim_end()).map(|context| (*context).clone());
        let parents = self.new.parents.iter();
        let kept: HashMap<_, _> = parents.filter_map(|row| Some((row.chunk_id.clone(), context(row)?))).collect();
        if kept.is_empty() { self } else { self.with_contexts(&kept) }
    }
}

#[cfg(test)]
impl Prepared {
    /// The document of [`SourceFacts::sample`] with a text in Markdown.
    pub(crate) fn sample(text: &str, config: &ChunkConfig) -> Self {
        prepare(&crate::load::markdown::parse(text), &SourceFacts::sample(), config, "then")
    }
}

/// What people have done to a stored document, in words; its source alone would not bring that back.
pub(super) fn done_by_hand(row: &DocumentRow) -> Vec<String> {
    let MetadataChanges { fields, tagged, untagged } = &row.metadata.set;
    let contents = row.corrected_toc.iter().map(|_| "corrected contents".to_owned());
    let counted = |number: usize, of: &str| (number > 0).then(|| count(number, of));
    let described = [counted(fields.len(), "field"), counted(tagged.len() + untagged.len(), "tag")];
    let dated = row.time.iter().filter(|time| time.is_given()).map(|_| "date".to_owned());
    let described = described.into_iter().flatten().chain(dated);
    described.chain(contents).chain(counted(row.edits.len(), "edit")).collect()
}

/// Finds the sections of a document, cuts it and makes its rows, in this process. `now` is an RFC 3339 time.
pub fn prepare(document: &Document, facts: &SourceFacts, config: &ChunkConfig, now: &str) -> Prepared {
    let cut = CutDocument::of(document.clone(), &facts.source, facts.corrected_toc.as_deref(), config);
    rows(cut, facts, config, now)
}

/// The rows of a document that was cut as `config` says, with its profile. `now` is an RFC 3339 time.
pub(super) fn rows(cut: CutDocument, facts: &SourceFacts, config: &ChunkConfig, now: &str) -> Prepared {
    let (title, sections) = (&cut.title, &cut.sections);
    let doc_id = &facts.doc_id;
    let parents = parent_chunks(cut.parents, title, sections, doc_id, now);
    let section_rows = sections.iter().zip(0..).map(|(section, position)| SectionRow {
        section_id: SectionId::new(doc_id, &section.path),
        doc_id: doc_id.clone(),
        position,
        parent_id: section.parent.map(|above| SectionId::new(doc_id, &sections[above].path)),
        level: section.level,
        path: section.path.clone(),
        title: section.title.clone(),
        page_start: section.page_start,
        page_end: section.page_end,
        chunk_start: 0,
        chunk_end: 0,
        provenance: section.provenance.name().to_owned(),
        confidence: section.confidence,
        metadata: section.metadata.clone(),
    });
    let toc = sections.iter().find(|section| section.path != PREAMBLE);
    let corrected = facts.corrected_toc.as_deref();
    let metadata = Metadata { stated: cut.metadata, ..facts.metadata.clone() };
    let row = DocumentRow {
        doc_id: doc_id.clone(),
        source: facts.source.clone(),
        title: title.clone(),
        format: cut.format.name().to_owned(),
        content_hash: facts.content_hash.clone(),
        size: facts.size,
        mtime_ns: facts.mtime_ns,
        language: cut.language,
        pages: cut.pages,
        time: facts.time.clone().or_else(|| DocumentTime::of(&metadata.texts(), facts.mtime_ns)),
        metadata,
        chunking: *config,
        engine: cut.engine,
        warnings: cut.warnings.into_iter().chain(lost_entries(cut.pages, corrected, &cut.not_found)).collect(),
        toc_method: toc.map_or("none", |section| section.provenance.name()).to_owned(),
        sections: u32::try_from(sections.iter().filter(|s| s.path != PREAMBLE).count()).unwrap_or(u32::MAX),
        ingested_at: now.to_owned(),
        corrected_toc: corrected.map(|entries| serde_json::to_string(entries).expect("plain data has a JSON form")),
        structure_version: STRUCTURE_VERSION,
        // The chunks are counted below; edits, profile and vectors come later.
        ..DocumentRow::default()
    };
    let mut new = NewDocument { document: row, sections: section_rows.collect(), parents };
    set_situating(&mut new);
    update_counts(&mut new);
    Prepared { profile: cut.profile, ..Prepared::of(new) }
}

/// The parent chunks of a cut document, with ids.
fn parent_chunks(
    parents: Vec<CutParent>,
    title: &str,
    sections: &[Section],
    doc_id: &DocId,
    now: &str,
) -> Vec<ParentChunk> {
    let now = SharedText::from(now);
    let chunk = |chunk_id: ChunkId, chunk_index: u32, content: SharedText, pages: Option<(u32, u32)>| Chunk {
        chunk_id,
        chunk_index,
        page_start: pages.map(|(first, _)| first),
        page_end: pages.map(|(_, last)| last),
        language: language(&content).into(),
        content,
        updated_at: now.clone(),
        ..Chunk::default()
    };
    let with_ids = |(parent, index): (CutParent, u32)| {
        let id = ChunkId::parent(doc_id, index);
        let child =
            |((text, child), at): ((SharedText, &CutChild), u32)| chunk(ChunkId::child(&id, at), at, text, child.pages);
        // Collecting would double a list as it grows, because the iterator does not know its length.
        let mut children = Vec::with_capacity(parent.children.len());
        children.extend(parent.child_texts().zip(&parent.children).zip(0..).map(child));
        ParentChunk {
            doc_id: doc_id.clone(),
            section_id: SectionId::new(doc_id, &sections[parent.section].path),
            titles: context::line(title, &context::section_titles(sections, parent.section)),
            children,
            chunk: chunk(id, index, parent.content, parent.pages),
        }
    };
    parents.into_iter().zip(0..).map(with_ids).collect()
}

/// The beginning of the warning from [`lost_entries`].
pub(super) const LOST_ENTRIES: &str = "entries of the corrected table of contents are not found any more";

/// A warning for entries of a corrected table of contents that a changed document has lost. The correction keeps them,
/// because the next version can contain them again.
fn lost_entries(pages: Option<u32>, corrected: Option<&[OutlineEntry]>, not_found: &[usize]) -> Option<String> {
    let entries = corrected?;
    // In a document with pages, an entry without a page never had a place.
    let had_place = |entry: &&OutlineEntry| pages.is_none() || entry.page.is_some();
    let lost = not_found.iter().filter_map(|&i| entries.get(i)).filter(had_place);
    let lost: Vec<String> = lost.map(|entry| format!("{:?}", entry.title)).collect();
    (!lost.is_empty()).then(|| format!("{LOST_ENTRIES}: {}; see `{}`", lost.join(", "), NextStep::EditContents("DOC")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::context::ContextKind;
    use crate::load::markdown;
    use proptest::prelude::*;

    #[test]
    fn rows_refer_to_each_other_by_id() {
        let text = "# Guide\n\nIntro.\n\n## Start\n\nPrime the pump. Then start it.";
        let prepared = Prepared::sample(text, &ChunkConfig::default());
        let new = &prepared.new;
        assert_eq!((new.document.title.as_str(), new.document.sections, new.document.parents), ("Guide", 2, 2));
        assert_eq!(new.sections[1].parent_id.as_deref(), Some("abc123#1"));
        assert_eq!((new.sections[1].chunk_start, new.sections[1].chunk_end), (1, 2));
        let parent = &new.parents[1];
        assert_eq!((parent.chunk_id.as_str(), parent.children[0].chunk_id.as_str()), ("abc123:1", "abc123:1.0"));
        assert_eq!(parent.titles, "Guide › Start");
        assert_eq!(prepared.texts().count(), 2);
    }

    #[test]
    fn chunk_contexts_are_embedded_and_kept_apart_from_the_content() {
        let text = "# Pump\n\nThe main pump moves water.\n\nIt must be vented.";
        let texts = |context: ContextKind, child_chars: usize| {
            let config = ChunkConfig { parent_chars: 30, child_chars, overlap_chars: 10, context };
            Prepared::sample(text, &config)
        };
        let read = |prepared: &Prepared| -> Vec<String> {
            prepared.texts().flat_map(|text| (0..text.children.len()).map(move |child| text.alone(child))).collect()
        };
        let headings = texts(ContextKind::Headings, 30);
        assert_eq!(read(&headings), ["Pump\nThe main pump moves water.", "Pump\nwater.\nIt must be vented."]);
        assert_eq!(read(&texts(ContextKind::None, 30)), ["The main pump moves water.", "water.\nIt must be vented."]);
        let written = HashMap::from([("abc123:1".into(), "How the pump is vented.".to_owned())]);
        let llm = texts(ContextKind::Llm, 30).with_contexts(&written);
        assert_eq!(read(&llm)[1], "Pump › How the pump is vented.\nwater.\nIt must be vented.");
        for prepared in [&headings, &llm] {
            assert!(prepared.new.parents.iter().all(|row| row.titles == "Pump"));
            let contents: String = prepared.new.chunks().map(|row| row.content.as_str()).collect();
            assert!(!contents.contains("How") && prepared.texts().next() == headings.texts().next());
        }
        let hash = |prepared: &Prepared, at: usize| prepared.new.chunks().nth(at).unwrap().embedding_hash.clone();
        assert_eq!(hash(&headings, 1), hash(&llm, 1), "a vector that stays right is kept");
        assert_ne!(hash(&headings, 3), hash(&llm, 3));
    }

    proptest! {
        /// Ids depend on the document's id and the place in it, not on the time. Appended text changes no earlier id.
        #[test]
        fn ids_are_stable(
            text in "([a-z]{1,12}[ .。\n]|启动水泵。|\n\n|\n\n# h\n\n){1,80}",
            more in "([a-z]{1,12}[ .。\n]|\n\n## g\n\n){1,20}",
        ) {
            let config = ChunkConfig { parent_chars: 60, child_chars: 20, ..ChunkConfig::default() };
            let rows = |text: &str, now: &str| prepare(&markdown::parse(text), &SourceFacts::sample(), &config, now).new;
            let ids = |new: &NewDocument| new.chunks().map(|row| row.chunk_id.to_string()).collect::<Vec<_>>();
            let before = rows(&text, "now");
            prop_assert_eq!(ids(&before), ids(&rows(&text, "later")));
            let mut each = ids(&before);
            each.sort_unstable();
            each.dedup();
            prop_assert_eq!(each.len(), before.chunks().count(), "every id once");
            let after = rows(&format!("{text}\n\n# Appended\n\n{more}"), "later");
            let said = |new: &NewDocument| new.parents.iter().map(|row| (row.chunk_id.to_string(), row.content.clone())).collect::<Vec<_>>();
            prop_assert!(said(&after).starts_with(&said(&before)));
        }
    }
}
