//! `kb entity-set`: what things are, and since when.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use clap::Args;
use jiff::Timestamp;

use super::Context;
use super::filter::parse_time;
use super::waiting::WaitArgs;
use crate::entities::{EntityOrder, EntityPlan, Outcome, What, plan, read_batch};
use crate::error::{Error, Result};
use crate::render::EntitiesSetView;
use crate::store::{Change, Namespace, Note, Snapshot, Writer};
use crate::text::Period;

const EXAMPLES: &str = "\
Examples:
  kb entity-set \"Pump P-12\" --type pump --alias P12 --alias 一号泵 --state \"in service\" --time 2024-03-01
  kb entity-set P12 --state \"out of order since the bearing failed\"
  kb entity-set P12 --remove --time 2024-03-01      take one state out
  kb entity-set P12 --remove --alias 一号泵         take one alias out
  kb entity-set P12 --remove                        take the entity out
  kb entity-set --from assets.jsonl --dry-run       say what would be done
  kb entities --format jsonl | kb entity-set --from - -n copy

A state holds from its time on until the next one. Without --time it holds from now on; of a day, a month or a year
the first moment counts, in UTC; a time to come is refused. A second state of the same time takes the place of the
first. `kb context` tells the states of the entities that a question or its passages mention.

Names are compared without case, full-width forms and extra spaces; each belongs to one entity. A line of --from is
{\"name\": \"…\", \"type\": \"…\", \"aliases\": [\"…\"], \"state\": \"…\", \"time\": \"…\"}; only the name must be there, and
\"remove\": true takes out. All lines are carried out or, where one is wrong, none.";

/// Set what a thing that documents speak of is, and since when
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct EntitySetArgs {
    /// Its name, or one of its aliases
    #[arg(value_name = "NAME", required_unless_present = "from")]
    name: Option<String>,
    /// Of which type it is: pump, person, contract
    #[arg(long = "type", value_name = "TYPE", conflicts_with_all = ["from", "remove"])]
    kind: Option<String>,
    /// What it is from --time on, on one line
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["from", "remove"])]
    state: Option<String>,
    /// Another name of it; may be given several times
    #[arg(long, value_name = "NAME", conflicts_with = "from")]
    alias: Vec<String>,
    /// From when on the state holds, such as 2026-11-21 or "2 weeks ago" [default: now]; with --remove, of when it is
    #[arg(long, value_name = "TIME", value_parser = parse_time, conflicts_with = "from")]
    time: Option<Period>,
    /// Give it --type although it has another
    #[arg(long, requires = "kind")]
    retype: bool,
    /// Take out the state of --time and each --alias; without these, the entity with all its states
    #[arg(long, conflicts_with = "from")]
    remove: bool,
    /// Read many from this file, a line of JSON each; - for standard input
    #[arg(long, value_name = "FILE", conflicts_with = "name")]
    from: Option<PathBuf>,
    /// Only say what would be done
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    wait: WaitArgs,
}

pub async fn run(context: &Context, args: EntitySetArgs) -> Result<u8> {
    let namespace = context.store()?.namespace(&context.global.namespace)?;
    let now = Timestamp::now();
    // Read before the namespace is locked: standard input may take its time.
    let orders = orders(&args, now)?;
    if args.dry_run {
        let planned = planned(&namespace, orders, now).await?;
        context.show(&EntitiesSetView { outcomes: &planned.outcomes, generation: None, dry_run: true })?;
        return Ok(0);
    }
    let mut writer = Writer::open_existing(&namespace, &args.wait.patience(context)).await?;
    let EntityPlan { change, outcomes } = planned(&namespace, orders, now).await?;
    let mut generation = None;
    if !change.is_empty() {
        let mut note = Note::of("entity-set");
        for outcome in outcomes.iter().filter(|outcome| outcome.outcome != Outcome::Unchanged) {
            note.add(outcome.outcome.name(), &outcome.name);
        }
        generation = Some(writer.publish(&Change { entities: change, note, ..Change::default() }).await?);
    }
    context.show(&EntitiesSetView { outcomes: &outcomes, generation, dry_run: false })?;
    Ok(0)
}

async fn planned(namespace: &Namespace, orders: Vec<(String, EntityOrder)>, now: Timestamp) -> Result<EntityPlan> {
    let rows = Snapshot::open(namespace).await?.entities().await?;
    plan(&rows, orders, now)
}

/// What was typed, or stands in the file, each with its place in that.
fn orders(args: &EntitySetArgs, now: Timestamp) -> Result<Vec<(String, EntityOrder)>> {
    if let Some(file) = &args.from {
        let name = if file == Path::new("-") { "standard input".to_owned() } else { file.display().to_string() };
        let orders = read_batch(&mut *input(file)?, &name, now)?;
        if orders.is_empty() {
            return Err(Error::usage(format!("{name} has no lines")).hint("give a line of JSON for each entity"));
        }
        return Ok(orders);
    }
    let order = EntityOrder {
        name: args.name.clone().unwrap_or_default(),
        kind: args.kind.clone(),
        aliases: args.alias.clone(),
        state: args.state.clone(),
        time: args.time,
        what: match (args.remove, args.retype) {
            (true, _) => What::Remove,
            (_, true) => What::Retype,
            _ => What::Set,
        },
    };
    Ok(vec![(String::new(), order)])
}

fn input(file: &Path) -> Result<Box<dyn BufRead>> {
    if file == Path::new("-") {
        return Ok(Box::new(std::io::stdin().lock()));
    }
    let open = File::open(file).map_err(|error| Error::io("read", file, &error))?;
    Ok(Box::new(BufReader::new(open)))
}
