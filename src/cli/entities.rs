//! `kb entities`: the things that documents speak of, and what they are.

use clap::Args;
use jiff::Timestamp;

use super::Context;
use super::filter::parse_time;
use crate::entities::{EntityFacts, ListedEntity, describe, list, nearest};
use crate::error::{Error, Result};
use crate::render::{EntityListView, EntityView};
use crate::store::{EntityRow, Snapshot};
use crate::text::Period;

const EXAMPLES: &str = "\
Examples:
  kb entities
  kb entities --type pump
  kb entities --as-of 2025-06             what they were at the end of June 2025
  kb entities P12                         all states of one, and the documents that mention it
  kb entities -n manuals,drafts --format json

`kb entity-set` sets them. A passage mentions an entity where its text or a title above it has one of its names as a whole
word, in Chinese as the longest name that stands there; the figures are those of the published generation.";

/// List the things that documents speak of with their states, or tell all about one
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct EntitiesArgs {
    /// Tell all about this one: its name or one of its aliases
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// What they were at the end of this time [default: now]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    as_of: Option<Period>,
    /// Only those of this type
    #[arg(long = "type", value_name = "TYPE", conflicts_with = "name")]
    kind: Option<String>,
}

pub async fn run(context: &Context, args: EntitiesArgs) -> Result<u8> {
    let namespaces = context.store()?.namespaces_named(&context.global.namespace)?;
    let moment = args.as_of.map_or_else(Timestamp::now, |period| period.last());
    let (mut listed, mut found) = (Vec::<ListedEntity>::new(), Vec::<EntityFacts>::new());
    let mut all: Vec<EntityRow> = Vec::new();
    for namespace in &namespaces {
        let snapshot = Snapshot::open(namespace).await?;
        let rows = snapshot.entities().await?;
        match &args.name {
            Some(name) => {
                let documents = snapshot.documents().await?;
                found.extend(describe(&rows, &documents, name, namespace.name(), moment));
            }
            None => listed.extend(list(&rows, namespace.name(), moment, args.kind.as_deref())),
        }
        all.extend(rows);
    }
    let Some(name) = &args.name else {
        if listed.is_empty() {
            let of_type = args.kind.map(|kind| format!(" of the type {kind:?}")).unwrap_or_default();
            context.tell(&format!("there are no entities{of_type}; `kb entity-set NAME --state TEXT` sets one"));
        }
        context.show(&EntityListView { entities: &listed, several: namespaces.len() > 1 })?;
        return Ok(u8::from(listed.is_empty()));
    };
    if found.is_empty() {
        let error = Error::not_found(format!("there is no entity {name:?}"));
        return Err(match nearest(all.iter().flat_map(EntityRow::names), name) {
            Some(near) => error.hint(format!("did you mean {near:?}?")),
            None => error.hint("`kb entities` lists them"),
        });
    }
    context.show(&EntityView { entities: &found, several: namespaces.len() > 1 })?;
    Ok(0)
}
