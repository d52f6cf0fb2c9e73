//! Decides which documents and chunks a filter or a period allows. This happens before recall, so that nothing takes a
//! place in the ranking and is removed later.
//!
//! A filter is parsed ([`parse`]) into tests ([`check`]) and decided on what the store knows of documents ([`facts`]).
//! Chunks are read, without their text, only if documents alone do not decide it. The result is a [`Scope`] for each
//! namespace.

mod check;
pub(super) mod facts;
pub mod headings;
#[cfg(test)]
mod laws;
mod parse;
pub(super) mod syntax;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::error::{Error, NextStep, Result};
use crate::ids::{ChunkId, DocId};
use crate::store::{DocumentFacts, ParentChunkFacts, Scope, Snapshot};
use crate::text::{Period, alike, count, first_of, fold};
use check::{Comparison, Key, Relation, Test};
pub use facts::HeadingForms;
use facts::{ChunkFacts, ChunkNotes, Documents, Facts, Mentions, SectionFields, Titles, above};
use syntax::{Filter, first_or_open};

/// Names less alike than this are not suggested.
const LEAST_LIKENESS: f64 = 0.75;
/// Up to this many documents, only their chunks are read; otherwise all chunks.
const FEW_DOCUMENTS: usize = 200;

/// What a search or a list is restricted to. All fields must hold; `None` allows everything.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Restriction {
    pub filter: Option<Filter>,
    /// Where the filter is set, if the user did not type it.
    pub filter_from: Option<FilterOrigin>,
    /// Documents from before the beginning of this.
    pub before: Option<Period>,
    /// Documents from the beginning of this on.
    pub after: Option<Period>,
    /// Documents from no later than the end of this.
    pub as_of: Option<Period>,
    /// A time on another axis than dates.
    pub time_field: Option<TimeField>,
    /// The forms of headings that state fields.
    pub headings: HeadingForms,
}

/// A place that sets a filter for every search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterOrigin {
    /// A file or a variable.
    pub place: String,
    /// How to search without it.
    pub without: String,
}

/// A time that is a number: the value of a field of the metadata of documents, sections and chunks, and its limits.
#[derive(Debug, Clone, PartialEq)]
pub struct TimeField {
    /// [Folded](fold).
    pub name: String,
    /// Less than this.
    pub before: Option<f64>,
    /// This or more.
    pub after: Option<f64>,
    /// Not more than this, or without the field.
    pub as_of: Option<f64>,
}

impl TimeField {
    /// # Errors
    /// If the name is empty or that of another key.
    pub fn named(name: &str) -> Result<Self, String> {
        match Key::named(name) {
            Key::Other(name) if !name.is_empty() => Ok(TimeField { name, before: None, after: None, as_of: None }),
            _ => Err(format!("{name:?} is no field of metadata with a number, such as story_time")),
        }
    }

    fn tests(&self) -> impl Iterator<Item = Test> {
        let TimeField { name, before, after, as_of } = self;
        let limits = [(before, "<", false), (after, ">=", false), (as_of, "<=", true)];
        limits.into_iter().filter_map(|(limit, sign, timeless)| Some(Test::of_number(name, sign, (*limit)?, timeless)))
    }
}

impl Restriction {
    pub fn is_empty(&self) -> bool {
        conditions(self).is_empty()
    }

    /// The origin of one of the [`conditions`], or of all of them.
    fn origin(&self, at: Option<usize>) -> Option<&FilterOrigin> {
        let of_filter = self.filter.as_ref().map_or(0, |filter| filter.conditions().len());
        self.filter_from.as_ref().filter(|_| at.is_none_or(|at| at < of_filter))
    }

    /// The moment at which ages are taken.
    pub(super) fn seen_from(&self, now: Timestamp) -> Timestamp {
        self.as_of.map_or(now, |period| period.end.min(now))
    }
}

/// Which parent chunks of each namespace may be found.
pub struct Scopes {
    /// By namespace.
    pub each: Vec<Scope>,
    /// How many documents the namespaces have.
    pub all: usize,
    /// How many of them may be found, whole or in part.
    pub documents: usize,
    pub parent_chunks: usize,
    /// Reports a key that no document, section or note has.
    pub note: Option<String>,
}

impl Scopes {
    /// The counts in words, for the trace.
    pub fn in_words(&self) -> String {
        let chunks = count(self.parent_chunks, "parent chunk");
        format!("{} of {}, {chunks} match", self.documents, count(self.all, "document"))
    }
}

/// The parent chunks that a restriction allows in each namespace, within the `named` documents or all.
///
/// # Errors
/// If nothing matches, with the condition to blame; if the store cannot be read.
pub async fn scopes(
    namespaces: &[(&Snapshot, &Facts)],
    restriction: &Restriction,
    named: Option<&[DocId]>,
) -> Result<Scopes> {
    let conditions = conditions(restriction);
    let every: Vec<&Filter> = conditions.iter().collect();
    let forms = &restriction.headings;
    let mut worlds = Vec::with_capacity(namespaces.len());
    for (snapshot, facts) in namespaces {
        worlds.push(World::read(snapshot, facts, &every, named, forms).await?);
    }
    let each: Vec<Scope> = worlds.iter().map(|world| world.scope(&every)).collect();
    let unknown = unknown_key(&every, &worlds).map(|(at, message, hint)| match restriction.origin(Some(at)) {
        Some(FilterOrigin { place, without }) => {
            (format!("{message}, which the filter in {place} uses"), format!("{without}; {hint}"))
        }
        None => (message, hint),
    });
    if each.iter().all(Scope::is_empty) {
        if let Some((message, hint)) = unknown {
            return Err(Error::usage(message).hint(hint));
        }
        // One condition alone may leave other documents open than all of them together.
        for (world, (snapshot, facts)) in worlds.iter_mut().zip(namespaces) {
            world.read_chunks(snapshot, facts, &every, None).await?;
        }
        return Err(nothing_matches(restriction, &conditions, &worlds));
    }
    let counts = worlds.iter().zip(&each).map(|(world, scope)| world.counts(scope));
    let (documents, parent_chunks) = counts.fold((0, 0), |sum, next| (sum.0 + next.0, sum.1 + next.1));
    let all = worlds.iter().map(|world| world.documents.len()).sum();
    let note = unknown.map(|(message, hint)| format!("{message}; {hint}"));
    Ok(Scopes { each, all, documents, parent_chunks, note })
}

/// The parent chunks that a restriction allows, by namespace, and a note for the user.
///
/// # Errors
/// If nothing matches in any, with the condition to blame; if the store cannot be read.
pub async fn scopes_within(snapshots: &[&Snapshot], restriction: &Restriction) -> Result<(Vec<Scope>, Option<String>)> {
    let facts: Vec<Facts> = snapshots.iter().map(|_| Facts::default()).collect();
    let namespaces: Vec<(&Snapshot, &Facts)> = snapshots.iter().copied().zip(&facts).collect();
    let found = scopes(&namespaces, restriction, None).await?;
    Ok((found.each, found.note))
}

/// The conditions, all of which must hold.
fn conditions(restriction: &Restriction) -> Vec<Filter> {
    let filters = restriction.filter.iter().flat_map(Filter::conditions).cloned();
    let Restriction { before, after, as_of, .. } = *restriction;
    let numbers = restriction.time_field.iter().flat_map(TimeField::tests);
    let last_second = |end: Timestamp| Timestamp::from_second(end.as_second() - 1).unwrap_or(end);
    let times = [
        before.map(|period| Test::of_time(period, "<", &day_or_moment(period.start))),
        after.map(|period| Test::of_time(period, ">=", &day_or_moment(period.start))),
        as_of.map(|period| Test::of_time(period, "<=", &day_or_moment(last_second(period.end)))),
    ];
    filters.chain(times.into_iter().flatten().chain(numbers).map(Filter::Test)).collect()
}

/// The day alone for its first or last second.
fn day_or_moment(moment: Timestamp) -> String {
    let time = moment.to_zoned(TimeZone::UTC);
    let of_day = (time.hour(), time.minute(), time.second());
    if of_day == (0, 0, 0) || of_day == (23, 59, 59) { time.date().to_string() } else { moment.to_string() }
}

/// The facts of a namespace that the conditions need.
struct World<'a> {
    documents: &'a Documents,
    /// Only these documents, if any were named.
    named: Option<HashSet<&'a str>>,
    /// Of all documents, or of those that need them for a decision.
    chunks: Option<Cow<'a, [ParentChunkFacts]>>,
    languages: Option<&'a HashMap<ChunkId, String>>,
    titles: Option<Cow<'a, Titles>>,
    notes: Option<&'a ChunkNotes>,
    fields: Option<&'a SectionFields>,
    /// By name of a field or note: the documents with a part that has one of its own.
    noted: HashMap<&'a str, HashSet<&'a str>>,
    mentions: Option<Mentions<'a>>,
}

impl<'a> World<'a> {
    async fn read(
        snapshot: &Snapshot,
        facts: &'a Facts,
        conditions: &[&Filter],
        named: Option<&'a [DocId]>,
        forms: &HeadingForms,
    ) -> Result<World<'a>> {
        let mut world = World {
            documents: facts.documents(snapshot).await?,
            named: named.map(|ids| ids.iter().map(DocId::as_str).collect()),
            chunks: None,
            languages: None,
            titles: None,
            notes: None,
            fields: None,
            noted: HashMap::new(),
            mentions: None,
        };
        if any_test(conditions, |test| matches!(test.key, Key::Other(_))) {
            let (notes, fields) = (facts.notes(snapshot).await?, facts.fields(snapshot, forms).await?);
            let notes_of = notes.iter().flat_map(|(id, each)| each.iter().map(|notes| (id.doc_id(), notes)));
            for (doc_id, notes) in notes_of.chain(fields.iter().map(|(id, fields)| (id.doc_id(), fields))) {
                for name in notes.keys() {
                    world.noted.entry(name).or_default().insert(doc_id);
                }
            }
            (world.notes, world.fields) = (Some(notes), Some(fields));
        }
        if any_test(conditions, |test| test.key == Key::Entity) {
            world.mentions = Some(Mentions::of_documents(facts.entities(snapshot).await?));
        }
        let open = world.with_open_chunks(conditions);
        if !open.is_empty() {
            world.read_chunks(snapshot, facts, conditions, Some(&open)).await?;
        }
        Ok(world)
    }

    /// Reads what the conditions need to know about the chunks of some documents, or of all.
    async fn read_chunks(
        &mut self,
        snapshot: &Snapshot,
        facts: &'a Facts,
        conditions: &[&Filter],
        doc_ids: Option<&[DocId]>,
    ) -> Result<()> {
        let few = doc_ids.filter(|ids| ids.len() <= FEW_DOCUMENTS);
        self.chunks = Some(facts.chunks(snapshot, few).await?);
        if let Some(mentions) = &mut self.mentions {
            let all = || self.documents.values().map(|row| row.doc_id.clone()).collect();
            mentions.read(snapshot, &doc_ids.map_or_else(all, <[DocId]>::to_vec))?;
        }
        if any_test(conditions, |test| test.key == Key::Language) {
            self.languages = Some(facts.languages(snapshot).await?);
        }
        if any_test(conditions, Test::compares_titles) {
            self.titles = Some(facts.titles(snapshot, few).await?);
        }
        Ok(())
    }

    /// Whether chunks of a document can differ in this key.
    fn is_of_chunks(&self, key: &Key, doc_id: &str) -> bool {
        match key {
            Key::Section | Key::Page | Key::Language | Key::Entity => true,
            Key::Other(name) => self.noted.get(name.as_str()).is_some_and(|documents| documents.contains(doc_id)),
            _ => false,
        }
    }

    /// What a document alone decides; `None` if its chunks may differ.
    fn verdict(&self, conditions: &[&Filter], document: &DocumentFacts) -> Option<bool> {
        if self.named.as_ref().is_some_and(|named| !named.contains(document.doc_id.as_str())) {
            return Some(false);
        }
        all_hold(conditions, &|test| {
            if let (Key::Entity, Some(mentions)) = (&test.key, &self.mentions) {
                // A chunk mentions some of the entities of its document. If all and none give the same verdict, that is
                // decided.
                let nothing = test.holds_of_entities(&[]);
                let all = test.holds_of_entities(mentions.of_document(&document.doc_id));
                return (all == nothing).then_some(nothing);
            }
            (!self.is_of_chunks(&test.key, &document.doc_id)).then(|| test.holds_of_document(document))
        })
    }

    /// The documents whose chunks have to be read: if any document is open, it and all that match.
    fn with_open_chunks(&self, conditions: &[&Filter]) -> Vec<DocId> {
        let verdicts = self.documents.values().map(|document| (document, self.verdict(conditions, document)));
        let possible: Vec<_> = verdicts.filter(|(_, verdict)| *verdict != Some(false)).collect();
        if possible.iter().all(|(_, verdict)| verdict.is_some()) {
            return Vec::new();
        }
        possible.into_iter().map(|(document, _)| document.doc_id.clone()).collect()
    }

    /// The scope that meets all conditions.
    fn scope(&self, conditions: &[&Filter]) -> Scope {
        let (mut matching, mut open) = (HashSet::new(), HashSet::new());
        for document in self.documents.values() {
            match self.verdict(conditions, document) {
                Some(true) => drop(matching.insert(document.doc_id.as_str())),
                Some(false) => {}
                None => drop(open.insert(document.doc_id.as_str())),
            }
        }
        if matching.len() == self.documents.len() {
            return Scope::Everything;
        }
        let Some(chunks) = self.chunks.as_ref().filter(|_| !open.is_empty()) else {
            return Scope::Documents(matching.into_iter().map(DocId::from).collect());
        };
        let holds = |chunk: &&ParentChunkFacts| {
            let id = chunk.chunk_id.doc_id();
            matching.contains(id) || (open.contains(id) && self.holds_of_chunk(conditions, id, chunk))
        };
        Scope::ParentChunks(chunks.iter().filter(holds).map(|chunk| chunk.chunk_id.clone()).collect())
    }

    fn holds_of_chunk(&self, conditions: &[&Filter], doc_id: &str, row: &ParentChunkFacts) -> bool {
        let Some(document) = self.documents.get(doc_id) else { return false };
        let id = &row.chunk_id;
        let chunk = ChunkFacts {
            row,
            language: self.languages.and_then(|languages| languages.get(id)).map_or("", String::as_str),
            titles: self.titles.as_ref().map_or_else(Vec::new, |titles| above(&row.section_id, titles)),
            fields: self.fields.map_or_else(Vec::new, |fields| above(&row.section_id, fields)),
            notes: self.notes.and_then(|notes| notes.get(id)).map_or(&[], Vec::as_slice),
            entities: self.mentions.as_ref().map_or(&[], |mentions| mentions.of_chunk(id)),
        };
        all_hold(conditions, &|test| Some(test.holds_of_chunk(document, &chunk))) == Some(true)
    }

    /// How many documents and parent chunks a scope has.
    fn counts(&self, scope: &Scope) -> (usize, usize) {
        if let Scope::ParentChunks(ids) = scope {
            return (ids.iter().map(|id| id.doc_id()).collect::<HashSet<_>>().len(), ids.len());
        }
        let admitted = self.documents.values().filter(|row| scope.admits(&row.doc_id, ""));
        admitted.fold((0, 0), |(documents, chunks), row| (documents + 1, chunks + row.parents as usize))
    }
}

fn any_test(conditions: &[&Filter], wanted: impl Fn(&Test) -> bool) -> bool {
    conditions.iter().any(|condition| condition.tests().into_iter().any(&wanted))
}

fn all_hold(conditions: &[&Filter], test: &dyn Fn(&Test) -> Option<bool>) -> Option<bool> {
    first_or_open(conditions.iter().map(|condition| condition.decide(test)), false)
}

/// Blames one condition alone, or all of them together.
fn nothing_matches(restriction: &Restriction, conditions: &[Filter], worlds: &[World<'_>]) -> Error {
    let nothing = |some: &[&Filter]| worlds.iter().all(|world| world.scope(some).is_empty());
    let document = match worlds.iter().any(|world| world.named.is_some()) {
        true => "none of the named documents",
        false => "no document",
    };
    let alone = conditions.iter().position(|condition| nothing(&[condition]));
    let blamed = alone.map_or(conditions, |at| &conditions[at..=at]);
    let words: Vec<String> = blamed.iter().map(|condition| format!("`{condition}`")).collect();
    let (from, without) = match restriction.origin(alone) {
        Some(FilterOrigin { place, without }) => (format!(" (the filter in {place})"), without.as_str()),
        None => (String::new(), "leave that condition out"),
    };
    let fields = NextStep::DescribeDocument("DOC");
    let hint = match alone.and_then(|at| other_value(&conditions[at], worlds)) {
        Some(other) => format!("{other} `{fields}` shows the fields of a document; {without}"),
        None => format!("`{fields}` shows the fields of a document; {without}"),
    };
    Error::not_found(format!("{document} matches {}{from}", words.join(" and "))).hint(hint).as_answer()
}

/// What to ask for instead of a value that no document has: a text that contains it, or the nearest value.
fn other_value(condition: &Filter, worlds: &[World<'_>]) -> Option<String> {
    let Filter::Test(test) = condition else { return None };
    let Relation::Is(Comparison::Equal, typed) = &test.relation else { return None };
    let values: BTreeSet<&str> = worlds
        .iter()
        .flat_map(|world| world.documents.values())
        .filter_map(|row| match &test.key {
            Key::Source => Some(row.source.as_str()),
            Key::Title => Some(row.title.as_str()),
            Key::Other(name) => row.metadata.get(name).map(String::as_str),
            _ => None,
        })
        .collect();
    if let Some((key, value)) = test.text.split_once('=').filter(|_| !typed.folded.is_empty())
        && values.iter().any(|value| fold(value).contains(&typed.folded))
    {
        return Some(format!("try `{} contains {}`;", key.trim_end(), value.trim_start()));
    }
    let file_name = |value: &str| value.rsplit('/').next().unwrap_or(value).to_owned();
    let named = values.iter().flat_map(|value| [(fold(value), *value), (fold(&file_name(value)), *value)]);
    alike(named, &typed.folded, LEAST_LIKENESS).first().map(|value| format!("did you mean {value:?}?"))
}

/// The first key of the conditions that no document, section or note has: the place of its condition, a message, and a
/// hint with similar names or all names.
fn unknown_key(conditions: &[&Filter], worlds: &[World<'_>]) -> Option<(usize, String, String)> {
    let tests = conditions
        .iter()
        .zip(0..)
        .flat_map(|(condition, at)| condition.tests().into_iter().map(move |test| (at, test)));
    let name =
        |(at, test): (usize, &'_ Test)| if let Key::Other(name) = &test.key { Some((at, name.clone())) } else { None };
    let mut others = tests.filter_map(name).peekable();
    others.peek()?;
    let fields = worlds.iter().flat_map(|world| world.documents.values().flat_map(|row| row.metadata.keys()));
    let notes = worlds.iter().flat_map(|world| world.noted.keys().copied());
    let names: BTreeSet<&str> = fields.map(String::as_str).chain(notes).collect();
    let (at, key) = others.find(|(_, key)| !names.contains(key.as_str()))?;
    let own = names.iter().filter(|name| matches!(Key::named(name), Key::Other(_)));
    let known: Vec<String> = Key::names().chain(own.map(|name| (*name).to_owned())).collect();
    let alike = alike(known.iter().map(|known| (known.clone(), known)), &key, LEAST_LIKENESS);
    let hint = match alike.is_empty() {
        true => format!("the keys are {}", known.join(", ")),
        false => format!("did you mean {}?", first_of(alike.into_iter().cloned())),
    };
    Some((at, format!("no document, section or note has the key {key:?}"), hint))
}
