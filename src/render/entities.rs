//! Entities: the list, all about one, and what setting some did.

use std::io::{Result, Write};

use serde_json::{Value, json};

use super::style::{DIM, TITLE, grid, markdown_grid, paint};
use super::{Screen, View, value};
use crate::entities::{EntityFacts, EntityOutcome, ListedEntity, Outcome};
use crate::text::count;

/// What `kb entities` shows.
pub struct EntityListView<'a> {
    /// The entities.
    pub entities: &'a [ListedEntity],
    /// Whether they are of several namespaces.
    pub several: bool,
}

const HEADER: [&str; 6] = ["name", "type", "state", "since", "documents", "passages"];
/// The columns that hold numbers.
const NUMBERS: [usize; 2] = [4, 5];

impl EntityListView<'_> {
    fn header(&self) -> Vec<&'static str> {
        HEADER.into_iter().chain(self.several.then_some("namespace")).collect()
    }

    fn rows(&self) -> Vec<Vec<String>> {
        let row = |entity: &ListedEntity| {
            let mut cells = vec![
                entity.name.clone(),
                entity.kind.clone(),
                entity.state.clone().unwrap_or_default(),
                entity.time.map(|time| time.to_string()).unwrap_or_default(),
                entity.documents.to_string(),
                entity.passages.to_string(),
            ];
            cells.extend(self.several.then(|| entity.namespace.clone()));
            cells
        };
        self.entities.iter().map(row).collect()
    }
}

impl View for EntityListView<'_> {
    fn table(&self, screen: Screen, out: &mut dyn Write) -> Result<()> {
        if self.entities.is_empty() {
            return Ok(());
        }
        writeln!(out, "{}", grid(screen, &self.header(), &NUMBERS, self.rows()))
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        if self.entities.is_empty() {
            return Ok(());
        }
        write!(out, "{}", markdown_grid(&self.header(), &self.rows()))
    }

    fn json(&self) -> Value {
        value(&self.entities)
    }

    fn paths(&self) -> Vec<String> {
        self.entities.iter().map(|entity| entity.name.clone()).collect()
    }
}

/// What `kb entities NAME` shows: the entity of that name in each namespace that has one.
pub struct EntityView<'a> {
    /// The entities.
    pub entities: &'a [EntityFacts],
    /// Whether several namespaces were asked.
    pub several: bool,
}

impl EntityView<'_> {
    fn facts(&self, entity: &EntityFacts) -> Vec<(&'static str, String)> {
        let listed = &entity.listed;
        let passages = usize::try_from(listed.passages).unwrap_or(usize::MAX);
        let mentioned = match passages {
            0 => "nowhere".to_owned(),
            _ => format!("in {} of {}", count(passages, "passage"), count(listed.documents, "document")),
        };
        [
            ("type", listed.kind.clone()),
            ("aliases", listed.aliases.join(", ")),
            ("namespace", if self.several { listed.namespace.clone() } else { String::new() }),
            ("mentioned", mentioned),
        ]
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .collect()
    }
}

impl View for EntityView<'_> {
    fn table(&self, _screen: Screen, out: &mut dyn Write) -> Result<()> {
        for entity in self.entities {
            writeln!(out, "{}", paint(TITLE, &entity.listed.name))?;
            for (name, value) in self.facts(entity) {
                writeln!(out, "  {} {value}", paint(DIM, format!("{name:<10}")))?;
            }
            for state in &entity.states {
                writeln!(out, "  {}  {}", paint(DIM, state.time), state.state)?;
            }
            for mention in &entity.mentions {
                let passages = count(mention.passages as usize, "passage");
                writeln!(out, "  {}  {}  {}", paint(DIM, &mention.doc_id), mention.source, paint(DIM, passages))?;
            }
        }
        Ok(())
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        for entity in self.entities {
            writeln!(out, "# {}\n", entity.listed.name)?;
            for (name, value) in self.facts(entity) {
                writeln!(out, "- {name}: {value}")?;
            }
            if !entity.states.is_empty() {
                writeln!(out, "\n## States\n")?;
            }
            for state in &entity.states {
                writeln!(out, "- {}: {}", state.time, state.state)?;
            }
            if !entity.mentions.is_empty() {
                writeln!(out, "\n## Documents\n")?;
            }
            for mention in &entity.mentions {
                let passages = count(mention.passages as usize, "passage");
                writeln!(out, "- `{}` ({}): {passages}", mention.source, mention.doc_id)?;
            }
        }
        Ok(())
    }

    fn json(&self) -> Value {
        value(&self.entities)
    }

    /// A state a line, as `kb entity-set --from` takes it.
    fn lines(&self) -> Vec<Value> {
        let mut lines = Vec::new();
        for entity in self.entities {
            let line = value(&entity.listed);
            if entity.states.is_empty() {
                lines.push(line.clone());
            }
            for state in &entity.states {
                let mut line = line.clone();
                line["state"] = json!(state.state);
                line["time"] = json!(state.time);
                lines.push(line);
            }
        }
        lines
    }

    fn paths(&self) -> Vec<String> {
        self.entities.iter().flat_map(|entity| &entity.mentions).map(|mention| mention.source.clone()).collect()
    }
}

/// What `kb entity-set` shows.
pub struct EntitiesSetView<'a> {
    /// What became of each entity that was named.
    pub outcomes: &'a [EntityOutcome],
    /// The generation with it; `None` where nothing was published.
    pub generation: Option<u64>,
    /// Whether it was only asked.
    pub dry_run: bool,
}

/// So many entities are told one by one.
const MOST_TOLD: usize = 20;

impl EntitiesSetView<'_> {
    fn line(&self, outcome: &EntityOutcome) -> String {
        let verb = match (outcome.outcome, self.dry_run) {
            (Outcome::Added, false) => "added",
            (Outcome::Added, true) => "would add",
            (Outcome::Changed, false) => "changed",
            (Outcome::Changed, true) => "would change",
            (Outcome::Removed, false) => "removed",
            (Outcome::Removed, true) => "would remove",
            (Outcome::Unchanged, _) => "unchanged",
        };
        let kind = if outcome.kind.is_empty() { String::new() } else { format!(" ({})", outcome.kind) };
        let state = match (&outcome.state, outcome.time) {
            (Some(state), Some(time)) => format!(": {state}, since {time}"),
            _ => String::new(),
        };
        format!("{verb} {}{kind}{state}", outcome.name)
    }
}

impl View for EntitiesSetView<'_> {
    fn table(&self, _screen: Screen, out: &mut dyn Write) -> Result<()> {
        self.markdown(out)
    }

    fn markdown(&self, out: &mut dyn Write) -> Result<()> {
        for outcome in self.outcomes.iter().take(MOST_TOLD) {
            writeln!(out, "{}", self.line(outcome))?;
        }
        if self.outcomes.len() > MOST_TOLD {
            let number = |wanted| self.outcomes.iter().filter(|outcome| outcome.outcome == wanted).count();
            let all = [Outcome::Added, Outcome::Changed, Outcome::Removed, Outcome::Unchanged];
            let told: Vec<String> = all
                .into_iter()
                .filter(|outcome| number(*outcome) > 0)
                .map(|outcome| format!("{} {}", number(outcome), outcome.name()))
                .collect();
            let entities = format!("{} entities", self.outcomes.len());
            let would = if self.dry_run { " (nothing was written)" } else { "" };
            writeln!(out, "… of {entities} in all: {}{would}", told.join(", "))?;
        }
        Ok(())
    }

    fn json(&self) -> Value {
        json!({ "dry_run": self.dry_run, "generation": self.generation, "entities": value(&self.outcomes) })
    }

    fn lines(&self) -> Vec<Value> {
        self.outcomes.iter().map(value).collect()
    }

    fn paths(&self) -> Vec<String> {
        self.outcomes.iter().map(|outcome| outcome.name.clone()).collect()
    }
}
