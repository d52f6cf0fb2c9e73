//! The facts of a namespace about its documents and chunks. Each is read when a filter first needs it and kept: a
//! generation does not change.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::str::FromStr;
use std::sync::OnceLock;

use tokio::sync::OnceCell;

use crate::error::Result;
use crate::ids::{ChunkId, DocId, SectionId};
use crate::search::find_section::without_number;
use crate::store::{DocumentFacts, EntityRow, ParentChunkFacts, Snapshot};
use crate::structure::{normalise_title, printed_number};
use crate::text::{Names, as_number, fold, fold_name, squeeze};

/// Stands for the value in the form of a heading.
const VALUE: &str = "{}";

#[derive(Default)]
pub struct Facts {
    documents: OnceCell<Documents>,
    chunks: OnceCell<Vec<ParentChunkFacts>>,
    languages: OnceCell<HashMap<ChunkId, String>>,
    titles: OnceCell<Titles>,
    notes: OnceCell<ChunkNotes>,
    fields: OnceCell<SectionFields>,
    entities: OnceCell<KnownEntities>,
}

pub type Titles = HashMap<SectionId, SectionTitle>;
/// Notes by [folded](fold) name.
pub type Notes = BTreeMap<String, String>;
/// The notes about each parent chunk and its children.
pub type ChunkNotes = HashMap<ChunkId, Vec<Notes>>;

/// The fields of sections, by folded name.
pub type SectionFields = HashMap<SectionId, Notes>;
/// The forms of headings that state a field, by the folded name of the field.
pub type HeadingForms = BTreeMap<String, Vec<HeadingForm>>;

/// The documents by id; the names of their metadata are [folded](fold).
pub type Documents = BTreeMap<DocId, DocumentFacts>;

/// The form of headings that state a field: with `Year {}` for `story_time`, a section "Year 1200" and those below it
/// have the field `story_time` with the value 1200.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadingForm {
    before: String,
    behind: String,
}

impl FromStr for HeadingForm {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let folded = fold(&squeeze(text));
        match folded.split_once(VALUE) {
            Some((before, behind)) if !behind.contains(VALUE) => {
                Ok(HeadingForm { before: before.to_owned(), behind: behind.to_owned() })
            }
            _ => Err(format!(
                "{text:?} is not the form of a heading: expected one {VALUE} for the value, as in \"Year {VALUE}\""
            )),
        }
    }
}

impl HeadingForm {
    /// The number that a [folded](fold) title has in this form.
    pub fn value<'t>(&self, title: &'t str) -> Option<&'t str> {
        let value = title.trim().strip_prefix(&self.before)?.strip_suffix(&self.behind)?.trim();
        // "Year 1250: the fall" has the value 1250.
        let end = value.find(|c: char| !(c.is_ascii_digit() || matches!(c, '-' | '+' | '.'))).unwrap_or(value.len());
        let number = value[..end].trim_end_matches('.');
        let is_whole = !value[end..].starts_with(char::is_alphanumeric);
        (is_whole && as_number(number).is_some()).then_some(number)
    }
}

/// A section title in the forms that are compared.
#[derive(Clone)]
pub struct SectionTitle {
    title: String,
    /// Made on first use, like the others.
    folded: OnceLock<String>,
    /// Normalised: the whole, without the number before it, and that number if it has words.
    normal: OnceLock<[String; 3]>,
}

impl SectionTitle {
    /// As filters compare text.
    pub fn folded(&self) -> &str {
        self.folded.get_or_init(|| fold(&self.title))
    }

    /// Whether it is a normalised title, with or without the number before it, or that number: `Chapter 3`, `第三章`. A
    /// number alone is a path.
    pub fn is(&self, title: &str) -> bool {
        let make = || {
            let number = printed_number(&self.title).filter(|number| number.contains(char::is_alphabetic));
            [&self.title, without_number(&self.title), number.unwrap_or_default()].map(normalise_title)
        };
        self.normal.get_or_init(make).iter().any(|normal| normal == title)
    }
}

/// A parent chunk with everything that a filter may ask about it. What no test needs stays empty.
pub struct ChunkFacts<'a> {
    pub row: &'a ParentChunkFacts,
    pub language: &'a str,
    /// The titles of its section and those above it.
    pub titles: Vec<&'a SectionTitle>,
    pub notes: &'a [Notes],
    /// The fields of its section and those above it, the nearest first.
    pub fields: Vec<&'a Notes>,
    /// The folded names of the entities that it mentions.
    pub entities: &'a [String],
}

fn with_folded_names(fields: BTreeMap<String, String>) -> Notes {
    fields.into_iter().map(|(name, value)| (fold(name.trim()), value)).collect()
}

impl Facts {
    pub async fn documents(&self, snapshot: &Snapshot) -> Result<&Documents> {
        let read = async || {
            let rows = snapshot.document_facts().await?.into_iter();
            let folded = |row: DocumentFacts| DocumentFacts { metadata: with_folded_names(row.metadata), ..row };
            Ok(rows.map(|row| (row.doc_id.clone(), folded(row))).collect())
        };
        self.documents.get_or_try_init(read).await
    }

    /// The parent chunks; only those of these documents, unless all are read already.
    pub async fn chunks(&self, snapshot: &Snapshot, of: Option<&[DocId]>) -> Result<Cow<'_, [ParentChunkFacts]>> {
        if of.is_some() && !self.chunks.initialized() {
            return snapshot.keyword().parent_chunk_facts(of).map(Cow::Owned);
        }
        let all = self.chunks.get_or_try_init(async || snapshot.keyword().parent_chunk_facts(None)).await?;
        Ok(Cow::Borrowed(all))
    }

    pub async fn languages(&self, snapshot: &Snapshot) -> Result<&HashMap<ChunkId, String>> {
        self.languages.get_or_try_init(|| snapshot.parent_chunk_languages()).await
    }

    /// The section titles; only those of these documents, unless all are read already.
    pub async fn titles(&self, snapshot: &Snapshot, of: Option<&[DocId]>) -> Result<Cow<'_, Titles>> {
        let read = async |of: Option<&[DocId]>| -> Result<Titles> {
            let title = |title: String| SectionTitle { title, folded: OnceLock::new(), normal: OnceLock::new() };
            Ok(snapshot.section_titles(of).await?.into_iter().map(|(id, text)| (id, title(text))).collect())
        };
        if of.is_some() && !self.titles.initialized() {
            return read(of).await.map(Cow::Owned);
        }
        self.titles.get_or_try_init(|| read(None)).await.map(Cow::Borrowed)
    }

    pub async fn entities(&self, snapshot: &Snapshot) -> Result<&KnownEntities> {
        self.entities.get_or_try_init(async || KnownEntities::new(snapshot.entities().await?)).await
    }

    pub async fn notes(&self, snapshot: &Snapshot) -> Result<&ChunkNotes> {
        let read = async || {
            let mut notes = ChunkNotes::new();
            for (parent_id, own) in snapshot.parent_chunk_notes().await? {
                notes.entry(parent_id).or_default().push(with_folded_names(own));
            }
            Ok(notes)
        };
        self.notes.get_or_try_init(read).await
    }

    /// The fields of sections: those that documents state, and those in headings of the given forms.
    pub async fn fields(&self, snapshot: &Snapshot, forms: &HeadingForms) -> Result<&SectionFields> {
        let read = async || {
            let mut fields = SectionFields::new();
            if !forms.is_empty() {
                for (id, title) in self.titles(snapshot, None).await?.iter() {
                    for (name, forms) in forms {
                        if let Some(value) = forms.iter().find_map(|form| {
                            form.value(title.folded()).or_else(|| form.value(without_number(title.folded())))
                        }) {
                            fields.entry(id.clone()).or_default().insert(name.clone(), value.to_owned());
                        }
                    }
                }
            }
            for (id, stated) in snapshot.section_metadata().await? {
                fields.entry(id).or_default().extend(with_folded_names(stated));
            }
            Ok(fields)
        };
        self.fields.get_or_try_init(read).await
    }

    /// The number that each parent chunk has in a field: of its notes, otherwise of its section, otherwise of its
    /// document.
    pub async fn numbers(
        &self,
        snapshot: &Snapshot,
        forms: &HeadingForms,
        field: &str,
        chunk_ids: &[ChunkId],
    ) -> Result<Vec<Option<f64>>> {
        let (documents, notes) = (self.documents(snapshot).await?, self.notes(snapshot).await?);
        let fields = self.fields(snapshot, forms).await?;
        let doc_ids: BTreeSet<DocId> = chunk_ids.iter().map(|id| id.doc_id().into()).collect();
        let sections: HashMap<ChunkId, SectionId> = match fields.is_empty() {
            true => HashMap::new(),
            false => {
                let rows = snapshot.keyword().parent_chunk_facts(Some(&Vec::from_iter(doc_ids)))?;
                rows.into_iter().map(|row| (row.chunk_id, row.section_id)).collect()
            }
        };
        let number = |id: &ChunkId| {
            let of_section = || sections.get(id).map(|section| above(section, fields)).unwrap_or_default();
            let noted = notes.get(id).into_iter().flatten().chain(of_section());
            let stated = documents.get(id.doc_id()).map(|document| &document.metadata);
            noted.chain(stated).find_map(|fields| as_number(fields.get(field)?))
        };
        Ok(chunk_ids.iter().map(number).collect())
    }
}

/// The values of a section and those above it, the nearest first.
pub fn above<'a, T>(section_id: &str, each: &'a HashMap<SectionId, T>) -> Vec<&'a T> {
    let above = |id: &&str| id.rfind('.').filter(|&dot| !id[dot..].contains('#'));
    let ids = std::iter::successors(Some(section_id), |id| above(id).map(|dot| &id[..dot]));
    ids.filter_map(|id| each.get(id)).collect()
}

/// The entities of a namespace, ready to be recognised.
pub struct KnownEntities {
    pub rows: Vec<EntityRow>,
    names: Names,
}

impl KnownEntities {
    pub fn new(rows: Vec<EntityRow>) -> Result<Self> {
        Ok(KnownEntities { names: EntityRow::names_of(&rows)?, rows })
    }

    /// The entities that a parent chunk mentions, in its text or in the titles above it.
    pub fn in_parent_chunk(&self, titles: &str, text: &str) -> Vec<&EntityRow> {
        self.names.in_parent_chunk(titles, text).into_iter().map(|place| &self.rows[place]).collect()
    }

    pub fn in_text(&self, text: &str) -> Vec<&EntityRow> {
        self.names.in_text(text).into_iter().map(|place| &self.rows[place]).collect()
    }
}

/// The entities that documents and chunks mention, by their folded names.
pub struct Mentions<'a> {
    known: &'a KnownEntities,
    documents: HashMap<&'a str, Vec<String>>,
    /// Of the documents that were read.
    chunks: HashMap<ChunkId, Vec<String>>,
}

impl<'a> Mentions<'a> {
    /// The entities of documents, known without reading their text.
    pub fn of_documents(known: &'a KnownEntities) -> Self {
        let mut documents: HashMap<&str, Vec<String>> = HashMap::new();
        for row in &known.rows {
            for doc_id in row.mentions.keys() {
                documents.entry(doc_id).or_default().extend(row.names().map(fold_name));
            }
        }
        Mentions { known, documents, chunks: HashMap::new() }
    }

    /// Reads the chunks of documents and finds the entities in each: the store only has counts.
    pub fn read(&mut self, snapshot: &Snapshot, doc_ids: &[DocId]) -> Result<()> {
        snapshot.keyword().each_parent_chunk(Some(doc_ids), &mut |chunk| {
            let mentioned = self.known.in_parent_chunk(&chunk.titles, &chunk.content);
            if !mentioned.is_empty() {
                let names = mentioned.iter().flat_map(|row| row.names()).map(fold_name);
                self.chunks.insert(chunk.chunk_id, names.collect());
            }
        })
    }

    pub fn of_document(&self, doc_id: &str) -> &[String] {
        self.documents.get(doc_id).map_or(&[], Vec::as_slice)
    }

    pub fn of_chunk(&self, chunk_id: &str) -> &[String] {
        self.chunks.get(chunk_id).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_of_the_form_has_a_value() {
        let value =
            |form: &str, title: &str| form.parse::<HeadingForm>().unwrap().value(&fold(title)).map(str::to_owned);
        assert_eq!(value("Year {}", "YEAR 1200").as_deref(), Some("1200"));
        assert_eq!(value("第{}年", "第１２年").as_deref(), Some("12"));
        assert_eq!(value("Year {}", "Year"), None);
        assert_eq!(value("Year {}", "Year of plenty"), None);
        assert_eq!(value("Year {}", "Year 1250: the fall").as_deref(), Some("1250"));
        assert_eq!(value("Year {}", "Year 12th"), None);
        assert_eq!(value("Year {}", "Years"), None);
        assert!("Year".parse::<HeadingForm>().is_err() && "{} to {}".parse::<HeadingForm>().is_err());
    }
}
