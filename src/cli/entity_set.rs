//! `kb entity-set`: records entities and their states.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use clap::Args;
use jiff::Timestamp;

use super::filter::{Limit, parse_limit};
use super::global::WaitArgs;
use super::input::name_of;
use super::invocation::Context;
use crate::error::{Error, Result};
use crate::knowledge::entities::{EntityAction, EntityPlan, EntityRequest, Outcome, plan, read_batch};
use crate::render::set_entities;
use crate::search::TimeField;
use crate::store::{Change, Namespace, Note, Snapshot, Writer};

const EXAMPLES: &str = "\
Examples:
  kb entity-set \"Pump P-12\" --type pump --alias P12 --alias 一号泵 --state \"in service\" --time 2024-03-01
  kb entity-set P12 --state \"out of order since the bearing failed\"
  kb entity-set P12 --remove --time 2024-03-01      remove one state
  kb entity-set P12 --remove --alias 一号泵         remove one alias
  kb entity-set P12 --remove                        remove the entity
  kb entity-set --from assets.jsonl --dry-run       show what would change
  kb entities --format jsonl | kb entity-set --from - -n copy";

const MORE: &str = "\
A state holds from its time until the next one. A day, a month or a year means its first moment in UTC; future times are
refused. A second state for the same time replaces the first. Case, full-width forms and extra spaces do not matter in
names; each name belongs to one entity.

With --time-field story_time, --time 1200 is a number in that field; these states are kept apart from dated ones.

A line of --from is {\"name\": \"…\", \"entity_type\": \"…\", \"aliases\": [\"…\"], \"state\": \"…\", \"time\": \"…\"}; only the name is required,
and \"remove\": true removes. If one line is wrong, none is applied.";

/// Record the state of a thing (machine, contract, person) from a date on
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{MORE}"))]
pub struct EntitySetArgs {
    /// Its name, or one of its aliases
    #[arg(value_name = "NAME", required_unless_present = "from")]
    name: Option<String>,
    /// Its type: pump, person, contract
    #[arg(long = "type", value_name = "TYPE", conflicts_with_all = ["from", "remove"])]
    kind: Option<String>,
    /// Its state from --time on, in one line
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["from", "remove"])]
    state: Option<String>,
    /// Another name; repeatable
    #[arg(long, value_name = "NAME", conflicts_with = "from")]
    alias: Vec<String>,
    /// When the state begins, such as 2026-11-21 or "2 weeks ago" [default: now]; with --remove, which state to remove
    #[arg(long, value_name = "TIME", value_parser = parse_limit, allow_hyphen_values = true, conflicts_with = "from")]
    time: Option<Limit>,
    /// The time is a number in this metadata field, such as story_time
    #[arg(long, value_name = "FIELD", value_parser = TimeField::named, requires = "time")]
    time_field: Option<TimeField>,
    /// Replace an existing type with --type
    #[arg(long, requires = "kind")]
    retype: bool,
    /// Remove the state of --time and each --alias; without these, the whole entity
    #[arg(long, conflicts_with = "from")]
    remove: bool,
    /// Read many entities from this file, one JSON object per line; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "name")]
    from: Option<PathBuf>,
    /// Show what would change
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    wait: WaitArgs,
}

pub async fn run(context: &Context, args: EntitySetArgs) -> Result<u8> {
    let namespace = context.namespace()?;
    let now = Timestamp::now();
    // Reads before it locks the namespace: standard input may take long.
    let requests = requests(&args, now)?;
    if args.dry_run {
        let planned = planned(&namespace, requests, now).await?;
        return context.show(set_entities(&planned.outcomes, None, true));
    }
    let mut writer = Writer::open_existing(&namespace, &args.wait.lock_timeout(context)).await?;
    let EntityPlan { change, outcomes } = planned(&namespace, requests, now).await?;
    let mut generation = None;
    if !change.is_empty() {
        let mut note = Note::of("entity-set");
        for outcome in outcomes.iter().filter(|outcome| outcome.outcome != Outcome::Unchanged) {
            note.add(outcome.outcome.name(), &outcome.name);
        }
        generation = Some(writer.publish(&Change { entities: change, note, ..Change::default() }).await?);
    }
    context.show(set_entities(&outcomes, generation, false))
}

async fn planned(namespace: &Namespace, requests: Vec<(String, EntityRequest)>, now: Timestamp) -> Result<EntityPlan> {
    let rows = Snapshot::open(namespace).await?.entities().await?;
    plan(&rows, requests, now)
}

/// The requests from the command line or the file, each with its place there.
fn requests(args: &EntitySetArgs, now: Timestamp) -> Result<Vec<(String, EntityRequest)>> {
    if let Some(file) = &args.from {
        let name = name_of(file);
        let requests = read_batch(&mut *input(file)?, &name, now)?;
        if requests.is_empty() {
            return Err(
                Error::usage(format!("{name} is empty")).hint("write one JSON object per line, one for each entity")
            );
        }
        return Ok(requests);
    }
    let request = EntityRequest {
        name: args.name.clone().unwrap_or_default(),
        kind: args.kind.clone(),
        aliases: args.alias.clone(),
        state: args.state.clone(),
        time: args.time.map(|time| time.of_state(args.time_field.as_ref())).transpose()?,
        action: match (args.remove, args.retype) {
            (true, _) => EntityAction::Remove,
            (_, true) => EntityAction::Retype,
            _ => EntityAction::Set,
        },
    };
    Ok(vec![(String::new(), request)])
}

/// Opens the file for parsing line by line. A batch has limits, so an endless file is not read whole first.
fn input(file: &Path) -> Result<Box<dyn BufRead>> {
    if file == Path::new("-") {
        return Ok(Box::new(std::io::stdin().lock()));
    }
    let open = File::open(file).map_err(|error| Error::reading(file, &error))?;
    Ok(Box::new(BufReader::new(open)))
}
