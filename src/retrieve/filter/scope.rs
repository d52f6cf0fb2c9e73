//! From what was said to which passages of each namespace may be found.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::Restriction;
use super::check::{Check, One};
use super::facts::{Documents, Facts, Notes, Place, Titles, titles_above};
use super::keys::{Key, fold};
use super::mentions::Mentions;
use super::syntax::{Comparison, Filter};
use crate::error::{Error, Result};
use crate::store::{DocumentFacts, PassageFacts, Scope, Snapshot, doc_id_of};
use crate::text::{Period, count};

/// Names less alike than this are no suggestion.
const LEAST_LIKENESS: f64 = 0.75;
/// Of so many documents at most the passages are read alone, of more those of all.
const FEW_DOCUMENTS: usize = 200;
/// How many names are suggested.
const MOST_NAMED: usize = 8;

/// Which passages of each namespace may be found.
pub(in crate::retrieve) struct Scopes {
    /// By namespace.
    pub(in crate::retrieve) each: Vec<Scope>,
    /// How many documents there are.
    pub(in crate::retrieve) all: usize,
    /// How many of them, or of whose passages, may be found.
    pub(in crate::retrieve) documents: usize,
    /// How many passages may be found.
    pub(in crate::retrieve) passages: usize,
    /// What the user should know about it.
    pub(in crate::retrieve) notes: Vec<String>,
}

/// A part of what is demanded, all of which must hold.
struct Part {
    /// As it is told.
    told: String,
    check: Check,
}

/// What is known of a namespace, as far as the parts speak of it.
struct World<'a> {
    documents: &'a Documents,
    /// Only these, where some were named.
    named: Option<HashSet<&'a str>>,
    /// Of all documents, or of those that a decision needs them for.
    passages: Option<Cow<'a, [PassageFacts]>>,
    languages: Option<&'a HashMap<String, String>>,
    titles: Option<Cow<'a, Titles>>,
    notes: Option<&'a HashMap<String, Vec<Notes>>>,
    mentions: Option<Mentions<'a>>,
}

/// Which passages may be found in each of the namespaces: those that the restriction lets through, in the documents
/// that were named or in all. Times are seen from `now`.
///
/// # Errors
/// Where that is nothing: which part of the restriction is to blame. Where the store cannot be read.
pub(in crate::retrieve) async fn scopes(
    namespaces: &[(&Snapshot, &Facts)],
    restriction: &Restriction,
    named: Option<&[String]>,
    now: Timestamp,
) -> Result<Scopes> {
    let parts = parts(restriction, now);
    let mut worlds = Vec::with_capacity(namespaces.len());
    for (snapshot, facts) in namespaces {
        worlds.push(World::read(snapshot, facts, &parts, named).await?);
    }
    let every: Vec<&Part> = parts.iter().collect();
    let each: Vec<Scope> = worlds.iter().map(|world| world.scope(&every)).collect();
    let unknown = unknown_key(restriction.filter.as_ref(), &worlds);
    if each.iter().all(Scope::is_empty) {
        if let Some(unknown) = unknown {
            return Err(unknown.error());
        }
        // One part alone may leave other documents open than all of them together.
        for (world, (snapshot, facts)) in worlds.iter_mut().zip(namespaces) {
            world.passages = Some(facts.passages(snapshot, None).await?);
            world.languages = Some(facts.languages(snapshot).await?);
            world.titles = Some(facts.titles(snapshot, None).await?);
            if let Some(mentions) = &mut world.mentions {
                let all: Vec<String> = world.documents.rows.iter().map(|row| row.doc_id.clone()).collect();
                mentions.read(snapshot, &all)?;
            }
        }
        return Err(blame(&parts, &worlds));
    }
    let counts = worlds.iter().zip(&each).map(|(world, scope)| world.counts(scope));
    let (documents, passages) = counts.fold((0, 0), |sum, next| (sum.0 + next.0, sum.1 + next.1));
    let all = worlds.iter().map(|world| world.documents.rows.len()).sum();
    Ok(Scopes { each, all, documents, passages, notes: unknown.map(UnknownKey::note).into_iter().collect() })
}

/// Which passages of a namespace a restriction lets through, and what the user should know about that.
///
/// # Errors
/// Where there are none: which part of the restriction is to blame. Where the store cannot be read.
pub async fn scope_within(snapshot: &Snapshot, restriction: &Restriction) -> Result<(Scope, Vec<String>)> {
    let Scopes { each, notes, .. } =
        scopes(&[(snapshot, &Facts::default())], restriction, None, Timestamp::now()).await?;
    Ok((each.into_iter().next().unwrap_or_default(), notes))
}

/// The ids of the documents that a restriction lets through, or a passage of which, by namespace, and what the user should
/// know about that.
///
/// # Errors
/// Where there are none in any: which part of the restriction is to blame. Where the store cannot be read.
pub async fn documents_within(
    snapshots: &[&Snapshot],
    restriction: &Restriction,
) -> Result<(Vec<HashSet<String>>, Vec<String>)> {
    let facts: Vec<Facts> = snapshots.iter().map(|_| Facts::default()).collect();
    let namespaces: Vec<(&Snapshot, &Facts)> = snapshots.iter().copied().zip(&facts).collect();
    let Scopes { each, notes, .. } = scopes(&namespaces, restriction, None, Timestamp::now()).await?;
    let mut within = Vec::with_capacity(each.len());
    for (scope, snapshot) in each.into_iter().zip(snapshots) {
        within.push(match scope {
            Scope::Everything => snapshot.document_facts().await?.into_iter().map(|facts| facts.doc_id).collect(),
            Scope::Documents(ids) => ids,
            Scope::Passages(ids) => ids.iter().map(|id| doc_id_of(id).to_owned()).collect(),
        });
    }
    Ok((within, notes))
}

fn parts(restriction: &Restriction, now: Timestamp) -> Vec<Part> {
    let filter = restriction.filter.iter().flat_map(Filter::parts);
    let mut parts: Vec<Part> =
        filter.map(|part| Part { told: format!("`{part}`"), check: Check::new(part, now) }).collect();
    let times = [
        (restriction.before, Comparison::Less, "a time before", restriction.before.map(|period| period.start)),
        (restriction.after, Comparison::AtLeast, "a time from", restriction.after.map(|period| period.start)),
        (restriction.as_of, Comparison::AtMost, "a time no later than", restriction.as_of.map(last_moment)),
    ];
    for (period, comparison, words, shown) in times {
        if let (Some(period), Some(shown)) = (period, shown) {
            let told = format!("{words} {}", day_or_moment(shown));
            parts.push(Part { told, check: Check::One(One::of_time(period, comparison)) });
        }
    }
    parts
}

/// The last second of a stretch of time.
fn last_moment(period: Period) -> Timestamp {
    Timestamp::from_second(period.end.as_second() - 1).unwrap_or(period.end)
}

/// The day alone, where a moment is its first or its last.
fn day_or_moment(moment: Timestamp) -> String {
    let time = moment.to_zoned(TimeZone::UTC);
    let of_day = (time.hour(), time.minute(), time.second());
    if of_day == (0, 0, 0) || of_day == (23, 59, 59) { time.date().to_string() } else { moment.to_string() }
}

impl<'a> World<'a> {
    async fn read(
        snapshot: &Snapshot,
        facts: &'a Facts,
        parts: &[Part],
        named: Option<&'a [String]>,
    ) -> Result<World<'a>> {
        let any = |wanted: &dyn Fn(&One) -> bool| parts.iter().any(|part| part.check.any(wanted));
        let noted = any(&|test| matches!(test.key, Key::Other(_)));
        let mentioned = any(&|test| test.key == Key::Entity);
        let mut world = World {
            documents: facts.documents(snapshot).await?,
            named: named.map(|ids| ids.iter().map(String::as_str).collect()),
            passages: None,
            languages: None,
            titles: None,
            notes: if noted { Some(facts.notes(snapshot).await?) } else { None },
            mentions: match mentioned {
                true => Some(Mentions::of_documents(facts.entities(snapshot).await?)),
                false => None,
            },
        };
        let needed = world.needed(&parts.iter().collect::<Vec<_>>());
        if !needed.is_empty() {
            let of = (needed.len() <= FEW_DOCUMENTS).then_some(needed.as_slice());
            world.passages = Some(facts.passages(snapshot, of).await?);
            if let Some(mentions) = &mut world.mentions {
                mentions.read(snapshot, &needed)?;
            }
            if any(&|test| test.key == Key::Language) {
                world.languages = Some(facts.languages(snapshot).await?);
            }
            if any(&One::compares_titles) {
                world.titles = Some(facts.titles(snapshot, of).await?);
            }
        }
        Ok(world)
    }

    /// Whether a key tells passages of one document apart.
    fn is_of_passages(&self, key: &Key) -> bool {
        match key {
            Key::Section | Key::Page | Key::Language | Key::Entity => true,
            Key::Other(name) => self.is_noted(name),
            _ => false,
        }
    }

    /// Whether a person noted something under this name.
    fn is_noted(&self, name: &str) -> bool {
        self.notes.is_some_and(|notes| notes.values().flatten().any(|notes| notes.contains_key(name)))
    }

    fn admits(&self, document: &DocumentFacts) -> bool {
        self.named.as_ref().is_none_or(|named| named.contains(document.doc_id.as_str()))
    }

    /// What a document alone says to some parts.
    fn verdict(&self, parts: &[&Part], document: &DocumentFacts) -> Option<bool> {
        if !self.admits(document) {
            return Some(false);
        }
        all_hold(parts, &|test| {
            if let (Key::Entity, Some(mentions)) = (&test.key, &self.mentions) {
                // A passage mentions some of what its document does; where that makes no difference, it is settled.
                let nothing = test.holds_of_entities(&[]);
                let all = test.holds_of_entities(mentions.of_document(&document.doc_id));
                return (all == nothing).then_some(nothing);
            }
            (!self.is_of_passages(&test.key)).then(|| test.holds_of_document(document))
        })
    }

    /// The documents whose passages are needed: where some parts leave a document open, it and all that are let through.
    fn needed(&self, parts: &[&Part]) -> Vec<String> {
        let verdicts = self.documents.rows.iter().map(|document| (document, self.verdict(parts, document)));
        let let_in: Vec<_> = verdicts.filter(|(_, verdict)| *verdict != Some(false)).collect();
        if let_in.iter().all(|(_, verdict)| verdict.is_some()) {
            return Vec::new();
        }
        let_in.into_iter().map(|(document, _)| document.doc_id.clone()).collect()
    }

    /// What all of some parts let through.
    fn scope(&self, parts: &[&Part]) -> Scope {
        let (mut admitted, mut open) = (HashSet::new(), HashSet::new());
        for document in &self.documents.rows {
            match self.verdict(parts, document) {
                Some(true) => drop(admitted.insert(document.doc_id.as_str())),
                Some(false) => {}
                None => drop(open.insert(document.doc_id.as_str())),
            }
        }
        if admitted.len() == self.documents.rows.len() {
            return Scope::Everything;
        }
        let Some(passages) = self.passages.as_ref().filter(|_| !open.is_empty()) else {
            return Scope::Documents(admitted.into_iter().map(str::to_owned).collect());
        };
        let holds = |passage: &&PassageFacts| {
            let id = doc_id_of(&passage.chunk_id);
            admitted.contains(id) || (open.contains(id) && self.holds_of_passage(parts, id, passage))
        };
        Scope::Passages(passages.iter().filter(holds).map(|passage| passage.chunk_id.clone()).collect())
    }

    fn holds_of_passage(&self, parts: &[&Part], id: &str, passage: &PassageFacts) -> bool {
        let Some(document) = self.documents.get(id) else { return false };
        let titles = self.titles.as_ref().map(|titles| titles_above(&passage.section_id, titles)).unwrap_or_default();
        let language = self.languages.and_then(|languages| languages.get(&passage.chunk_id)).map_or("", String::as_str);
        let notes = self.notes.and_then(|notes| notes.get(&passage.chunk_id)).map_or(&[][..], Vec::as_slice);
        let entities = self.mentions.as_ref().map_or(&[][..], |mentions| mentions.of_passage(&passage.chunk_id));
        let place = Place { passage, language, titles, notes, entities };
        all_hold(parts, &|test| Some(test.holds_of_passage(document, &place))) == Some(true)
    }

    /// How many documents and passages a scope lets through.
    fn counts(&self, scope: &Scope) -> (usize, usize) {
        let rows = &self.documents.rows;
        match scope {
            Scope::Passages(ids) => (ids.iter().map(|id| doc_id_of(id)).collect::<HashSet<_>>().len(), ids.len()),
            _ => {
                let admitted = rows.iter().filter(|row| scope.admits(&row.doc_id, ""));
                admitted.fold((0, 0), |(documents, passages), row| (documents + 1, passages + row.parents as usize))
            }
        }
    }

    /// The names of the metadata and the notes.
    fn names(&self) -> impl Iterator<Item = &str> {
        let stated = self.documents.rows.iter().flat_map(|row| row.metadata.keys());
        let noted = self.notes.into_iter().flat_map(|notes| notes.values().flatten()).flat_map(Notes::keys);
        stated.chain(noted).map(String::as_str)
    }
}

fn all_hold(parts: &[&Part], one: &dyn Fn(&One) -> Option<bool>) -> Option<bool> {
    let mut open = false;
    for part in parts {
        match part.check.decide(one) {
            Some(true) => {}
            Some(false) => return Some(false),
            None => open = true,
        }
    }
    (!open).then_some(true)
}

/// Which part lets nothing through: one alone, or the first with which nothing is left.
fn blame(parts: &[Part], worlds: &[World<'_>]) -> Error {
    let nothing = |parts: &[&Part]| worlds.iter().all(|world| world.scope(parts).is_empty());
    let within =
        if worlds.iter().any(|world| world.named.is_some()) { " in the documents that were named" } else { "" };
    let entities: Vec<String> =
        worlds.iter().filter_map(|world| world.mentions.as_ref()).flat_map(Mentions::names).collect();
    let error = match parts.iter().find(|part| nothing(&[part])) {
        Some(part) if part.check.any(&|test| test.asks_for_none_of(&entities)) => {
            return Error::not_found(format!("nothing is let through{within}: there is no such entity: {}", part.told))
                .hint("`kb entities` lists those that there are, `kb entity-set` adds one; or leave that part out");
        }
        Some(part) => Error::not_found(format!("nothing is let through{within}: nothing has {}", part.told)),
        None => {
            let until = (1..=parts.len()).find(|&end| nothing(&parts[..end].iter().collect::<Vec<_>>()));
            let end = until.unwrap_or(parts.len());
            let told: Vec<&str> = parts[..end].iter().map(|part| part.told.as_str()).collect();
            let (last, before) = told.split_last().unwrap_or((&"it", &[]));
            let before = before.join(" and ");
            Error::not_found(format!("nothing is let through{within}: there is {before}, but nothing of it has {last}"))
        }
    };
    error.hint("`kb docs DOC` shows what a document has; leave that part out")
}

/// A key that nothing has.
struct UnknownKey {
    key: String,
    /// Names that are like it, otherwise names that there are.
    hint: String,
}

/// The first key of a filter that no document and no note has.
fn unknown_key(filter: Option<&Filter>, worlds: &[World<'_>]) -> Option<UnknownKey> {
    let mut keys = Vec::new();
    filter?.each_test(&mut |test| {
        if let Key::Other(name) = Key::named(&test.key) {
            keys.push((name, test.key.clone()));
        }
    });
    if keys.is_empty() {
        return None;
    }
    let names: BTreeSet<&str> = worlds.iter().flat_map(World::names).collect();
    let (name, key) = keys.into_iter().find(|(name, _)| !names.contains(name.as_str()))?;
    let mut alike: Vec<(f64, &str)> = names
        .iter()
        .copied()
        .chain(Key::names())
        .map(|known| (strsim::jaro_winkler(known, &fold(&name)), known))
        .filter(|(likeness, _)| *likeness >= LEAST_LIKENESS)
        .collect();
    alike.sort_by(|a, b| b.0.total_cmp(&a.0));
    let alike: Vec<&str> = alike.into_iter().map(|(_, known)| known).take(MOST_NAMED).collect();
    let hint = if alike.is_empty() {
        let mut known: Vec<&str> = Key::names().collect();
        known.extend(names.iter().filter(|name| matches!(Key::named(name), Key::Other(_))));
        let more = if known.len() > 2 * MOST_NAMED { ", …" } else { "" };
        known.truncate(2 * MOST_NAMED);
        format!("there are {}{more}", known.join(", "))
    } else {
        format!("did you mean {}?", alike.join(", "))
    };
    Some(UnknownKey { key, hint })
}

impl UnknownKey {
    fn error(self) -> Error {
        Error::usage(format!("no document or note has the key {:?} that the filter names", self.key)).hint(self.hint)
    }

    fn note(self) -> String {
        format!("no document or note has the key {:?} that the filter names; {}", self.key, self.hint)
    }
}

impl Scopes {
    /// What is left, in words.
    pub(in crate::retrieve) fn told(&self) -> String {
        format!(
            "{} of {}, {} may be found",
            self.documents,
            count(self.all, "document"),
            count(self.passages, "passage")
        )
    }
}
