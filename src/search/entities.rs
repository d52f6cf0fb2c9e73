//! The entities of the namespaces, recognised in a question and in parent chunks, with the state they had.
//!
//! People set the states. They are shown but do not affect what is found.

use std::time::Instant;

use jiff::Timestamp;

use super::context::layout::{ContextDocument, ContextEntity};
use super::filter::Restriction;
use super::filter::facts::KnownEntities;
use super::trace::Trace;
use crate::store::{EntityRow, StateTime};

impl ContextEntity {
    fn of(row: &EntityRow, namespace: &str, moment: &StateTime, in_question: bool) -> Option<Self> {
        let state = row.state_at(moment.clone())?;
        Some(ContextEntity {
            name: row.name.clone(),
            kind: row.kind.clone(),
            aliases: row.aliases.clone(),
            namespace: namespace.to_owned(),
            state: state.state.clone(),
            time: state.time.clone(),
            in_question,
        })
    }

    fn is_same(&self, other: &ContextEntity) -> bool {
        self.name == other.name && self.state == other.state && self.time == other.time
    }
}

pub(super) struct Recogniser<'k> {
    /// The searched namespaces, by name.
    known: Vec<(&'k str, &'k KnownEntities)>,
    query: &'k str,
    moment: StateTime,
}

impl<'k> Recogniser<'k> {
    /// States are taken at the end of the period `as_of`, or at its number in the time field; without it, now or at the
    /// end of the field.
    pub(super) fn new(known: Vec<(&'k str, &'k KnownEntities)>, query: &'k str, restriction: &Restriction) -> Self {
        let moment = match &restriction.time_field {
            Some(field) => StateTime::on(&field.name, field.as_of),
            None => restriction.as_of.map_or_else(Timestamp::now, |period| period.last()).into(),
        };
        Recogniser { known, query, moment }
    }

    /// The entities with a state that the question mentions, then those that the documents' parent chunks or titles do,
    /// each once, in the order of their mentions.
    pub(super) fn mentioned(&self, documents: &[ContextDocument]) -> Vec<ContextEntity> {
        let mut found: Vec<ContextEntity> = Vec::new();
        let mut take = |rows: Vec<&EntityRow>, namespace: &str, in_question: bool| {
            for row in rows {
                let entity = ContextEntity::of(row, namespace, &self.moment, in_question);
                found.extend(entity.filter(|entity| !found.iter().any(|known| known.is_same(entity))));
            }
        };
        for (namespace, known) in &self.known {
            take(known.in_text(self.query), namespace, true);
        }
        for document in documents {
            let Some((namespace, known)) = self.known.iter().find(|(name, _)| *name == document.namespace) else {
                continue;
            };
            take(known.in_text(&document.title), namespace, false);
            for parent_chunk in &document.parent_chunks {
                take(known.in_parent_chunk(&parent_chunk.section.titles, &parent_chunk.content), namespace, false);
            }
        }
        found
    }
}

/// Traces which entities the question mentions, with or without a state.
pub(super) fn explain(recogniser: &Recogniser<'_>, start: Instant, trace: &mut Trace) {
    let mut notes = Vec::new();
    for (namespace, known) in &recogniser.known {
        for row in known.in_text(recogniser.query) {
            let note = match ContextEntity::of(row, namespace, &recogniser.moment, true) {
                Some(entity) => format!("{}{}", entity.name, entity.in_words()),
                None => format!("{}, without a state", row.name),
            };
            notes.push(if recogniser.known.len() > 1 { format!("{note} ({namespace})") } else { note });
        }
    }
    let known = recogniser.known.iter().map(|(_, known)| known.rows.len()).sum();
    trace.stage("entities", start, known, notes.len()).notes(notes);
}
