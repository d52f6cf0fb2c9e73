//! Entities: the list, all facts about one, and what `kb entity-set` changed.

use serde_json::{Value, json};

use super::grid::{Column, Grid};
use super::json::{value, value_with};
use super::page::{MOST_LISTED, Page};
use super::style::around;
use crate::knowledge::entities::{EntityFacts, EntityOutcome, ListedEntity, Outcome};
use crate::text::count;

/// What `kb entities` shows. `several` namespaces add a column.
pub fn entity_list(entities: &[ListedEntity], several: bool) -> Page {
    let columns: &[Column<'_, ListedEntity>] = &[
        ("name", &|entity| entity.name.clone()),
        ("type", &|entity| entity.kind.clone()),
        ("state", &|entity| entity.state.clone().unwrap_or_default()),
        ("since", &|entity| entity.time.as_ref().map(|time| time.to_string()).unwrap_or_default()),
        ("documents", &|entity| entity.documents.to_string()),
        ("parent chunks", &|entity| entity.parents.to_string()),
        ("namespace", &|entity| entity.namespace.clone()),
    ];
    let columns = &columns[..columns.len() - usize::from(!several)];
    let mut page = Page::list("entities", "entity", entities).with_paths(entities.iter().map(|entity| &entity.name));
    page.grid(Grid::of(entities, &[4, 5], columns));
    page
}

/// What `kb entities NAME` shows: the entity of that name in each namespace that has one.
pub fn entities(entities: &[EntityFacts], several: bool) -> Page {
    let mentions = entities.iter().flat_map(|entity| &entity.mentions);
    let mut page = Page::list("entities", "entity", entities)
        .with_lines("entity", entities.iter().flat_map(states))
        .with_sources(mentions.map(|mention| &mention.source));
    for entity in entities {
        let listed = &entity.listed;
        let mentioned = match listed.parents as usize {
            0 => "nowhere".to_owned(),
            parents => format!("in {} of {}", count(parents, "parent chunk"), count(listed.documents, "document")),
        };
        page.gap();
        page.title(&listed.name);
        page.facts([
            ("type", listed.kind.clone()),
            ("aliases", listed.aliases.join(", ")),
            ("namespace", if several { listed.namespace.clone() } else { String::new() }),
            ("mentioned", mentioned),
        ]);
        if !entity.states.is_empty() {
            page.heading("States");
            page.facts(entity.states.iter().map(|state| (state.time.to_string(), state.state.clone())));
        }
        if !entity.mentions.is_empty() {
            page.heading("Documents");
            page.facts(entity.mentions.iter().map(|mention| {
                let parents = count(mention.parents as usize, "parent chunk");
                (mention.doc_id.as_str(), format!("{} ({parents})", mention.source))
            }));
        }
    }
    page
}

/// A value for each state, in the form that `kb entity-set --from` reads.
fn states(entity: &EntityFacts) -> Vec<Value> {
    let listed = &entity.listed;
    if entity.states.is_empty() {
        return vec![value(listed)];
    }
    let states = entity.states.iter();
    states.map(|state| value_with(&value_with(listed, "state", &state.state), "time", &state.time)).collect()
}

/// What `kb entity-set` shows. `generation` is `None` if nothing was published.
pub fn set_entities(outcomes: &[EntityOutcome], generation: Option<u64>, dry_run: bool) -> Page {
    let mut page = Page::new("entity_set", &json!({ "dry_run": dry_run, "generation": generation }))
        .with_items("entity", outcomes)
        .with_paths(outcomes.iter().map(|outcome| &outcome.name));
    for outcome in outcomes.iter().take(MOST_LISTED) {
        page.line(outcome_line(outcome, dry_run));
    }
    page.count_rest(outcomes.len());
    page
}

fn outcome_line(outcome: &EntityOutcome, dry_run: bool) -> String {
    let verb = match outcome.outcome {
        done if !dry_run => done.name(),
        Outcome::Added => "would add",
        Outcome::Changed => "would change",
        Outcome::Removed => "would remove",
        Outcome::Unchanged => "unchanged",
    };
    let kind = around(" (", &outcome.kind, ")");
    let state = match (&outcome.state, &outcome.time) {
        (Some(state), Some(time)) => format!(": {state}, since {time}"),
        _ => String::new(),
    };
    format!("{verb} {}{kind}{state}", outcome.name)
}
