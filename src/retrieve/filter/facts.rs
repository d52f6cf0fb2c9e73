//! What a namespace knows of its documents and passages, read when a filter first asks for it and kept: a generation
//! does not change.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

use tokio::sync::OnceCell;

use super::keys::fold;
use crate::error::Result;
use crate::retrieve::entities::KnownEntities;
use crate::store::{DocumentFacts, PassageFacts, Snapshot};
use crate::structure::normalise_title;

/// The facts of one namespace.
#[derive(Default)]
pub(in crate::retrieve) struct Facts {
    documents: OnceCell<Documents>,
    passages: OnceCell<Vec<PassageFacts>>,
    languages: OnceCell<HashMap<String, String>>,
    titles: OnceCell<Titles>,
    notes: OnceCell<HashMap<String, Vec<Notes>>>,
    entities: OnceCell<KnownEntities>,
}

/// Titles by the ids of their sections.
pub(super) type Titles = HashMap<String, SectionTitle>;

/// Notes by their [folded](fold) names.
pub(super) type Notes = BTreeMap<String, String>;

/// The documents, the names of their metadata [folded](fold), and where each stands.
pub(in crate::retrieve) struct Documents {
    pub(super) rows: Vec<DocumentFacts>,
    places: HashMap<String, usize>,
}

impl Documents {
    pub(super) fn get(&self, doc_id: &str) -> Option<&DocumentFacts> {
        self.places.get(doc_id).map(|&place| &self.rows[place])
    }
}

/// The title of a section, in the forms that it is compared in.
#[derive(Clone)]
pub(super) struct SectionTitle {
    pub(super) folded: String,
    /// The same without what is no letter and no digit, and without the number in front; made when it is first asked for.
    normal: OnceLock<[String; 2]>,
}

impl SectionTitle {
    pub(super) fn new(title: &str) -> Self {
        SectionTitle { folded: fold(title), normal: OnceLock::new() }
    }

    /// Whether it is a title, given as titles are compared, with or without the number in front of it.
    pub(super) fn is(&self, title: &str) -> bool {
        let make = || {
            let unnumbered = self.folded.trim_start_matches(|c: char| c.is_numeric() || matches!(c, '.' | ' ' | '、'));
            [normalise_title(&self.folded), normalise_title(unnumbered)]
        };
        self.normal.get_or_init(make).iter().any(|normal| normal == title)
    }
}

/// A passage with what is known around it.
pub(super) struct Place<'a> {
    pub(super) passage: &'a PassageFacts,
    /// Its main language, where it was asked for.
    pub(super) language: &'a str,
    /// The titles of its section and those above it, where they were asked for.
    pub(super) titles: Vec<&'a SectionTitle>,
    /// What people noted about it and its pieces.
    pub(super) notes: &'a [Notes],
    /// The names of the entities that it mentions, where they were asked for.
    pub(super) entities: &'a [String],
}

fn folded(fields: BTreeMap<String, String>) -> BTreeMap<String, String> {
    fields.into_iter().map(|(name, value)| (fold(name.trim()), value)).collect()
}

impl Facts {
    /// What is known of the documents.
    pub(in crate::retrieve) async fn documents(&self, snapshot: &Snapshot) -> Result<&Documents> {
        let read = async || {
            let mut rows = snapshot.document_facts().await?;
            rows.iter_mut().for_each(|row| row.metadata = folded(std::mem::take(&mut row.metadata)));
            let places = rows.iter().enumerate().map(|(place, row)| (row.doc_id.clone(), place)).collect();
            Ok(Documents { rows, places })
        };
        self.documents.get_or_try_init(read).await
    }

    /// What is known of the passages; where only those of a few documents are needed, perhaps of those alone.
    pub(super) async fn passages(&self, snapshot: &Snapshot, of: Option<&[String]>) -> Result<Cow<'_, [PassageFacts]>> {
        match (of, self.passages.get()) {
            (Some(doc_ids), None) => snapshot.passage_facts(Some(doc_ids)).map(Cow::Owned),
            _ => {
                let read = async || snapshot.passage_facts(None);
                self.passages.get_or_try_init(read).await.map(|passages| Cow::Borrowed(passages.as_slice()))
            }
        }
    }

    /// The languages of the passages, by their ids.
    pub(super) async fn languages(&self, snapshot: &Snapshot) -> Result<&HashMap<String, String>> {
        self.languages.get_or_try_init(|| snapshot.passage_languages()).await
    }

    /// The titles of the sections; where only those of a few documents are needed, perhaps of those alone.
    pub(super) async fn titles(&self, snapshot: &Snapshot, of: Option<&[String]>) -> Result<Cow<'_, Titles>> {
        let read = async |of: Option<&[String]>| -> Result<Titles> {
            let rows = snapshot.section_titles(of).await?;
            Ok(rows.into_iter().map(|(id, title)| (id, SectionTitle::new(&title))).collect())
        };
        match (of, self.titles.get()) {
            (Some(_), None) => read(of).await.map(Cow::Owned),
            _ => self.titles.get_or_try_init(|| read(None)).await.map(Cow::Borrowed),
        }
    }

    /// The entities, ready to be recognised.
    pub(in crate::retrieve) async fn entities(&self, snapshot: &Snapshot) -> Result<&KnownEntities> {
        self.entities.get_or_try_init(|| KnownEntities::read(snapshot)).await
    }

    /// What people noted, by passage.
    pub(super) async fn notes(&self, snapshot: &Snapshot) -> Result<&HashMap<String, Vec<Notes>>> {
        let read = async || {
            let mut notes: HashMap<String, Vec<Notes>> = HashMap::new();
            for noted in snapshot.passage_notes().await? {
                notes.entry(noted.parent_id).or_default().push(folded(noted.notes));
            }
            Ok(notes)
        };
        self.notes.get_or_try_init(read).await
    }
}

/// The titles of a section and those above it.
pub(super) fn titles_above<'a>(section_id: &str, titles: &'a HashMap<String, SectionTitle>) -> Vec<&'a SectionTitle> {
    let mut found = Vec::new();
    let mut id = section_id;
    loop {
        found.extend(titles.get(id));
        match id.rsplit_once('.') {
            Some((above, number)) if !number.contains('#') => id = above,
            _ => return found,
        }
    }
}
