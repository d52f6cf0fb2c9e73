//! `kb entities`: lists entities with their states.

use clap::Args;

use super::filter::MomentArgs;
use super::invocation::Context;
use crate::error::{Error, Result};
use crate::ids::DocId;
use crate::knowledge::entities::{EntityFacts, ListedEntity, describe, find, list, nearest};
use crate::render;
use crate::store::{EntityRow, Snapshot};

/// List the entities in documents with their states, or describe one
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb entities
  kb entities --type pump
  kb entities --as-of 2025-06             their states at the end of June 2025
  kb entities P12                         all states of one, and the documents that mention it
  kb entities -n manuals,drafts --format json

A parent chunk mentions an entity if its text or a title above it contains one of the entity's names: as a whole word, in
Chinese as the longest name that matches.")]
pub struct EntitiesArgs {
    /// Describe this entity, by its name or an alias
    #[arg(value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    moment: MomentArgs,
    /// Only this type
    #[arg(long = "type", value_name = "TYPE", conflicts_with = "name")]
    kind: Option<String>,
}

pub async fn run(context: &Context, args: EntitiesArgs) -> Result<u8> {
    let namespaces = context.store()?.namespaces_named(&context.global.namespace)?;
    let moment = args.moment.of()?;
    let (mut listed, mut found) = (Vec::<ListedEntity>::new(), Vec::<EntityFacts>::new());
    let mut all: Vec<EntityRow> = Vec::new();
    let each: Vec<_> = namespaces.iter().cloned().map(|namespace| context.reading(namespace)).collect();
    let mut snapshots: Vec<&Snapshot> = Vec::new();
    for (namespace, reading) in namespaces.iter().zip(&each) {
        let snapshot = reading.snapshot().await?;
        let rows = snapshot.entities().await?;
        match &args.name {
            Some(name) => {
                if let Some(row) = find(&rows, name) {
                    let mentioning: Vec<DocId> = row.mentions.keys().cloned().collect();
                    let documents = snapshot.document_names(&mentioning).await?;
                    found.push(describe(row, &documents, namespace.name(), &moment));
                }
            }
            None => listed.extend(list(&rows, namespace.name(), &moment, args.kind.as_deref())),
        }
        all.extend(rows);
        snapshots.push(snapshot);
    }
    let Some(name) = &args.name else {
        if listed.is_empty() {
            let of_type = args.kind.map(|kind| format!(" of the type {kind:?}")).unwrap_or_default();
            context.tell(&format!("no entities{of_type}; `kb entity-set NAME --state TEXT` records one"));
        }
        context.show(render::entity_list(&listed, namespaces.len() > 1).read_from(&snapshots))?;
        return Ok(u8::from(listed.is_empty()));
    };
    if found.is_empty() {
        let error = Error::not_found(format!("no entity {name:?}"));
        return Err(match nearest(all.iter().flat_map(EntityRow::names), name) {
            Some(near) => error.hint(format!("did you mean {near:?}?")),
            None => error.hint("`kb entities` lists them"),
        });
    }
    context.show(render::entities(&found, namespaces.len() > 1).read_from(&snapshots))
}
