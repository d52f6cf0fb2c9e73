//! Carries out requests on the entities of a namespace: takes rows and gives changed rows.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::Timestamp;
use serde::Serialize;

use super::list::nearest;
use super::requests::{EntityAction, EntityRequest, RequestTime};
use crate::error::{Error, NextStep, Result, Setting};
use crate::store::{EntityChange, EntityRow, EntityState, StateTime};
use crate::text::{count, first_of, fold_name};

/// Entities of a namespace; every context reads all of them.
const MOST_ENTITIES: usize = 50_000;
const MOST_ALIASES: usize = 50;
const MOST_STATES: usize = 10_000;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntityPlan {
    pub change: EntityChange,
    /// One for each named entity, sorted by name.
    pub outcomes: Vec<EntityOutcome>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EntityOutcome {
    pub name: String,
    #[serde(rename = "entity_type")]
    pub kind: String,
    pub outcome: Outcome,
    /// The number of its states after the requests.
    pub states: usize,
    /// Its state now; if it has none, its last state, which is in a time field.
    pub state: Option<String>,
    /// The beginning of that state.
    pub time: Option<StateTime>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    Added,
    Changed,
    Unchanged,
    Removed,
}

impl Outcome {
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Added => "added",
            Outcome::Changed => "changed",
            Outcome::Unchanged => "unchanged",
            Outcome::Removed => "removed",
        }
    }
}

/// Applies requests to the stored entities. Each request comes with its place in the input. If one cannot be carried
/// out, none is.
pub fn plan(rows: &[EntityRow], requests: Vec<(String, EntityRequest)>, now: Timestamp) -> Result<EntityPlan> {
    // Rounded to milliseconds, so that users can type a shown time.
    let now = Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now);
    let mut entities = Entities::new(rows);
    for (place, request) in requests {
        let request = request.checked(now).and_then(|request| entities.carry_out(request, now));
        request.map_err(|error| if place.is_empty() { error } else { error.at(&place) })?;
    }
    if entities.rows.len() > MOST_ENTITIES {
        return Err(Error::usage(format!("the namespace would have {} entities", entities.rows.len()))
            .hint(format!("a namespace has at most {MOST_ENTITIES}; use another one ({})", Setting("namespace"))));
    }
    Ok(entities.result(rows, now))
}

struct Entities {
    rows: BTreeMap<String, EntityRow>,
    /// Folded names to keys of entities.
    owners: HashMap<String, String>,
    touched: BTreeSet<String>,
}

impl Entities {
    fn new(rows: &[EntityRow]) -> Self {
        let names = |row: &EntityRow| row.names().map(|name| (fold_name(name), row.key.clone())).collect::<Vec<_>>();
        Entities {
            owners: rows.iter().flat_map(names).collect(),
            rows: rows.iter().map(|row| (row.key.clone(), row.clone())).collect(),
            touched: BTreeSet::new(),
        }
    }

    fn carry_out(&mut self, request: EntityRequest, now: Timestamp) -> Result<()> {
        let known = self.owners.get(&fold_name(&request.name)).and_then(|key| self.rows.get(key)).cloned();
        match (request.action, known) {
            (EntityAction::Remove, Some(row)) => self.remove(row, &request, now),
            (EntityAction::Remove, None) => Err(self.unknown(&request.name)),
            (EntityAction::Set | EntityAction::Retype, known) => self.set(known, request, now),
        }
    }

    fn unknown(&self, name: &str) -> Error {
        let error = Error::not_found(format!("no entity {name:?}"));
        let names = self.rows.values().flat_map(EntityRow::names);
        match nearest(names, name) {
            Some(near) => error.hint(format!("did you mean {near:?}?")),
            None => error.hint(format!("`{}` lists them", NextStep::ListEntities)),
        }
    }

    fn set(&mut self, known: Option<EntityRow>, request: EntityRequest, now: Timestamp) -> Result<()> {
        let is_new = known.is_none();
        let mut row = known.unwrap_or_else(|| EntityRow::named(&request.name, now));
        let was = row.clone();
        if let Some(kind) = request.kind {
            set_type(&mut row, kind, request.action)?;
        }
        for alias in request.aliases {
            self.add_alias(&mut row, alias)?;
        }
        if row.aliases.len() > MOST_ALIASES {
            return Err(Error::usage(format!("{:?} would have {} aliases", row.name, row.aliases.len()))
                .hint(format!("an entity has at most {MOST_ALIASES}")));
        }
        if let Some(state) = request.state {
            set_state(&mut row, state, request.time, now)?;
        }
        if is_new || row != was {
            row.updated_at = now;
        }
        self.put(row);
        Ok(())
    }

    fn add_alias(&self, row: &mut EntityRow, alias: String) -> Result<()> {
        let folded = fold_name(&alias);
        match self.owners.get(&folded) {
            Some(owner) if *owner != row.key => {
                let other = self.rows.get(owner).map_or(owner.as_str(), |row| row.name.as_str());
                return Err(Error::usage(format!("{alias:?} is already a name of {other:?}")).hint(format!(
                    "a name belongs to one entity; remove it there with {} {}",
                    Setting("remove"),
                    Setting("alias")
                )));
            }
            _ if row.names().any(|name| fold_name(name) == folded) => {}
            _ => row.aliases.push(alias),
        }
        Ok(())
    }

    fn put(&mut self, row: EntityRow) {
        self.owners.extend(row.names().map(|name| (fold_name(name), row.key.clone())));
        self.touched.insert(row.key.clone());
        self.rows.insert(row.key.clone(), row);
    }

    fn remove(&mut self, mut row: EntityRow, request: &EntityRequest, now: Timestamp) -> Result<()> {
        self.rows.remove(&row.key);
        self.touched.insert(row.key.clone());
        for name in row.names() {
            self.owners.remove(&fold_name(name));
        }
        if request.time.is_none() && request.aliases.is_empty() {
            return Ok(());
        }
        for alias in &request.aliases {
            remove_alias(&mut row, alias)?;
        }
        if let Some(time) = &request.time {
            remove_state(&mut row, time)?;
        }
        row.updated_at = now;
        self.put(row);
        Ok(())
    }

    fn result(self, before: &[EntityRow], now: Timestamp) -> EntityPlan {
        let known: HashMap<&str, &EntityRow> = before.iter().map(|row| (row.key.as_str(), row)).collect();
        let mut plan = EntityPlan::default();
        for key in &self.touched {
            let (was, is) = (known.get(key.as_str()).copied(), self.rows.get(key));
            let outcome = match (was, is) {
                (None, None) => continue,
                (None, Some(_)) => Outcome::Added,
                (Some(_), None) => Outcome::Removed,
                (Some(was), Some(is)) if was == is => Outcome::Unchanged,
                (Some(_), Some(_)) => Outcome::Changed,
            };
            let Some(row) = is.or(was) else { continue };
            let holding = is.and_then(|row| row.state_at(now).or(row.states.last()));
            plan.outcomes.push(EntityOutcome {
                name: row.name.clone(),
                kind: row.kind.clone(),
                outcome,
                states: is.map_or(0, |row| row.states.len()),
                state: holding.map(|state| state.state.clone()),
                time: holding.map(|state| state.time.clone()),
            });
            match outcome {
                Outcome::Removed => plan.change.remove.push(key.clone()),
                Outcome::Added | Outcome::Changed => plan.change.put.push(row.clone()),
                Outcome::Unchanged => {}
            }
        }
        plan.outcomes.sort_by(|a, b| a.name.cmp(&b.name));
        plan
    }
}

fn set_type(row: &mut EntityRow, kind: String, action: EntityAction) -> Result<()> {
    if fold_name(&row.kind) == fold_name(&kind) {
        return Ok(());
    }
    if !row.kind.is_empty() && action != EntityAction::Retype {
        return Err(Error::usage(format!("{:?} is of the type {:?}, not {kind:?}", row.name, row.kind))
            .hint(format!("leave the type out, or replace it with {}", Setting("retype"))));
    }
    row.kind = kind;
    Ok(())
}

/// Sets a state from a time on; `None` is now.
fn set_state(row: &mut EntityRow, state: String, time: Option<RequestTime>, now: Timestamp) -> Result<()> {
    let is_now = time.is_none();
    let time = time.map_or(now.into(), |time| time.start());
    // A state that already holds now is not set again.
    let holds = row.state_at(time.clone()).is_some_and(|known| known.state == state && (is_now || known.time == time));
    if !holds {
        row.set_state(EntityState { time, state, set_at: now });
    }
    if row.states.len() > MOST_STATES {
        let message = format!("{:?} would have {} states", row.name, row.states.len());
        return Err(Error::usage(message).hint(format!(
            "an entity has at most {MOST_STATES}; remove old ones with {} {} T",
            Setting("remove"),
            Setting("time")
        )));
    }
    Ok(())
}

fn remove_alias(row: &mut EntityRow, alias: &str) -> Result<()> {
    let folded = fold_name(alias);
    let before = row.aliases.len();
    row.aliases.retain(|known| fold_name(known) != folded);
    if row.aliases.len() == before {
        return Err(Error::not_found(format!("{alias:?} is not an alias of {:?}", row.name))
            .hint(format!("its aliases: {}", row.aliases.join(", "))));
    }
    Ok(())
}

/// Removes the one state that begins at a time.
fn remove_state(row: &mut EntityRow, time: &RequestTime) -> Result<()> {
    let all: Vec<StateTime> = row.states.iter().map(|state| state.time.clone()).collect();
    let meant: Vec<StateTime> = all.iter().filter(|own| time.has(own)).cloned().collect();
    let times = |times: &[StateTime]| first_of(times.iter().map(StateTime::to_string));
    match meant.as_slice() {
        [one] => {
            row.states.retain(|state| state.time != *one);
            Ok(())
        }
        [] => {
            let error = Error::not_found(format!("{:?} has no state at that time", row.name));
            Err(match all.is_empty() {
                true => error.hint("it has no states"),
                false => error.hint(format!("its states begin at {}", times(&all))),
            })
        }
        several => {
            let states = count(several.len(), "state");
            Err(Error::usage(format!("{:?} has {states} at that time", row.name))
                .hint(format!("give one of these times: {}", times(several))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Period;
    use proptest::prelude::*;

    fn now() -> Timestamp {
        "2026-11-21T12:00:00Z".parse().unwrap()
    }

    fn request(name: &str) -> EntityRequest {
        EntityRequest { name: name.to_owned(), ..EntityRequest::default() }
    }

    fn state(name: &str, state: &str, time: &str) -> EntityRequest {
        let time = Period::parse_at(time, now()).map(RequestTime::Period);
        EntityRequest { state: Some(state.to_owned()), time, ..request(name) }
    }

    fn alias(name: &str, alias: &str) -> EntityRequest {
        EntityRequest { aliases: vec![alias.to_owned()], ..request(name) }
    }

    fn typed(name: &str, kind: &str) -> EntityRequest {
        EntityRequest { kind: Some(kind.to_owned()), ..request(name) }
    }

    fn removal(request: EntityRequest) -> EntityRequest {
        EntityRequest { action: EntityAction::Remove, ..request }
    }

    /// The rows after carrying out requests.
    fn after(rows: &[EntityRow], requests: &[EntityRequest]) -> Vec<EntityRow> {
        let placed = requests.iter().cloned().map(|request| (String::new(), request));
        let plan = plan(rows, placed.collect(), now()).unwrap();
        let gone = |row: &&EntityRow| {
            !plan.change.remove.contains(&row.key) && plan.change.put.iter().all(|put| put.key != row.key)
        };
        rows.iter().filter(gone).chain(&plan.change.put).cloned().collect()
    }

    proptest! {
        /// A removed entity leaves nothing behind, and its names are free again.
        #[test]
        fn an_entity_that_is_set_and_removed_leaves_nothing(
            said in proptest::collection::vec((0..3usize, 0..4usize, 1..12u8), 1..10),
        ) {
            let names = ["Pump", "一号泵", "P 1"];
            let requests: Vec<EntityRequest> = said.iter().map(|(name, what, month)| match what {
                0 => typed("Pump", "machine"),
                1 => alias("Pump", names[*name]),
                _ => state("pump", &format!("state {name}"), &format!("2026-{month:02}")),
            }).collect();
            let is_past = |request: &EntityRequest| request.time.as_ref().is_none_or(|time| time.start() < now().into());
            let requests: Vec<EntityRequest> = requests.into_iter().filter(is_past).collect();
            let rows = after(&[], &requests);
            let removed = after(&rows, &[removal(request("Pump"))]);
            prop_assert_eq!(&removed, &[]);
            // The same in one batch; then another entity takes a freed name.
            let more = [request("Pump"), removal(request("Pump")), alias("Other", "pump")];
            let all: Vec<EntityRequest> = requests.into_iter().chain(more).collect();
            let other = after(&[], &all);
            prop_assert_eq!(other.len(), 1);
            prop_assert_eq!(other[0].states.len(), 0);
        }
    }
}
