//! `kb models`: which models there are, adding and removing one.

use std::path::Path;

use clap::{Args, Subcommand};

use super::Context;
use super::download_bar::download_display;
use crate::config::Config;
use crate::embed::{
    Device, Engine, EngineChoice, Habits, Model, Pooling, devices, select, select_at_hand, slow_processor,
};
use crate::error::{Error, Result};
use crate::models::{Added, Hub, Installed, KnownModel, ModelKind, Models, Record, Wanted, Wish, catalogue, nearest};
use crate::render::{AddedModel, AddedModelView, Machine, ModelLine, ModelList, RemovedModelView};
use crate::store::{Manifest, Store};
use crate::text::script::Script;

/// List the models there are; add or remove one
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb models                                all that can be had, what is here, and which one the store uses
  kb models add multilingual-e5-small      download one of them
  kb models add intfloat/e5-small-v2       any other model on the hub that has an ONNX file or safetensors
  kb models add ~/Downloads/my-model       from a folder, without a network
  kb models remove multilingual-e5-small
  kb models --format json | jq '.models[] | select(.here) | .name'

Models lie in KB_MODELS_DIR, or in a folder kb/models among your data. HF_ENDPOINT names a mirror of the hub, HTTPS_PROXY a proxy,
HF_TOKEN a token for models that are not everybody's. A download that broke off goes on where it stopped.")]
pub struct ModelsArgs {
    #[command(subcommand)]
    step: Option<Step>,
}

#[derive(Debug, Subcommand)]
enum Step {
    /// Add a model, from the hub or from a folder
    Add(AddArgs),
    /// Remove a model that was added, or what is left of a download
    Remove {
        /// Its name
        #[arg(value_name = "NAME")]
        name: String,
        /// Even where the store has vectors of it, or may have some
        #[arg(short, long, visible_alias = "force")]
        yes: bool,
    },
}

/// Add a model, from the hub or from a folder
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb models add bge-small-en-v1.5
  kb models add ./all-MiniLM-L6-v2         a folder with model.onnx, tokenizer.json, config.json, … as Hugging Face lays it out
  kb models add ./mine --name ours --query-prefix 'query: ' --passage-prefix 'passage: '

The model is tried before it gets its name: it has to give vectors of one length, different ones for different texts, and the
same ones whatever else is read with a text. What its folder says of pooling, length and prefixes is respected.")]
struct AddArgs {
    /// A name from `kb models`, OWNER/NAME on the hub, or a folder
    #[arg(value_name = "NAME|FOLDER", value_hint = clap::ValueHint::DirPath)]
    model: String,
    /// What it is called here [default: its own name]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// What stands in front of questions [default: what the model says]
    #[arg(long, value_name = "TEXT")]
    query_prefix: Option<String>,
    /// What stands in front of passages [default: what the model says]
    #[arg(long, value_name = "TEXT")]
    passage_prefix: Option<String>,
}

pub async fn run(context: &Context, args: ModelsArgs) -> Result<u8> {
    let models = Models::of_user()?;
    match args.step {
        None => list(context, &models),
        Some(Step::Add(args)) => add(context, &models, args).await,
        Some(Step::Remove { name, yes }) => remove(context, &models, &name, yes),
    }
}

/// A namespace, and the model that its vectors are of.
struct Use {
    namespace: String,
    model: String,
}

/// What the store uses, where there is one, and what is said of namespaces that cannot be read.
fn uses(store: Option<&Store>) -> Result<(Vec<Use>, Vec<String>)> {
    let (mut uses, mut notes) = (Vec::new(), Vec::new());
    let namespaces = store.map_or_else(|| Ok(Vec::new()), Store::namespaces)?;
    for namespace in namespaces {
        match Manifest::read(&namespace) {
            Ok(manifest) => uses.extend(
                manifest.map(|manifest| Use { namespace: namespace.name().to_owned(), model: manifest.model.name }),
            ),
            Err(error) => notes.push(format!("the namespace {} cannot be read: {error}", namespace.name())),
        }
    }
    Ok((uses, notes))
}

/// The store that was named, or the one that is here; models can be looked at without any.
fn store_if_any(context: &Context) -> Result<Option<Store>> {
    if context.global.kb.is_none() && !Store::is_within(&Context::here()?) {
        return Ok(None);
    }
    context.store().map(Some)
}

fn engine(context: &Context, store: Option<&Store>) -> Result<Engine> {
    select(&engine_choice(context, store)?)
}

fn engine_choice(context: &Context, store: Option<&Store>) -> Result<EngineChoice> {
    let config = store.map_or_else(|| Ok(Config::default()), |store| context.config(store))?;
    Ok(context.engine(&config))
}

fn list(context: &Context, models: &Models) -> Result<u8> {
    let store = store_if_any(context)?;
    let (uses, notes) = uses(store.as_ref())?;
    let (engine, refused) = select_at_hand(&engine_choice(context, store.as_ref())?)?;
    let here = models.here()?;
    let mut lines = vec![embedded()];
    lines.extend(here.iter().map(of_installed));
    let is_here = |known: &&KnownModel| here.iter().any(|one| one.name.eq_ignore_ascii_case(&known.name));
    lines.extend(catalogue()?.iter().filter(|known| !is_here(known)).map(of_known));
    for used in &uses {
        match lines.iter_mut().find(|line| line.name == used.model) {
            Some(line) => line.used_by.push(used.namespace.clone()),
            None => lines.push(ModelLine {
                name: used.model.clone(),
                kind: ModelKind::Text.name(),
                used_by: vec![used.namespace.clone()],
                ..ModelLine::default()
            }),
        }
    }
    let machine = Machine {
        folder: models.folder().display().to_string(),
        engine: engine.name(),
        devices: in_use_first(devices(&engine), engine.device()),
        notes: refused
            .map(|refused| refused.to_line())
            .into_iter()
            .chain(notes)
            .chain(slow_processor().map(str::to_owned))
            .collect(),
    };
    context.show(&ModelList { models: &lines, machine: &machine })?;
    Ok(0)
}

fn in_use_first(mut devices: Vec<Device>, used: Device) -> Vec<String> {
    // Equals stay as they are.
    devices.sort_by_key(|device| *device != used);
    devices.into_iter().map(|device| device.name().to_owned()).collect()
}

async fn add(context: &Context, models: &Models, args: AddArgs) -> Result<u8> {
    let store = store_if_any(context)?;
    let engine = engine(context, store.as_ref())?;
    let AddArgs { model, name, query_prefix, passage_prefix } = args;
    let wish = Wish { name, query_prefix, passage_prefix };
    let folder = Path::new(&model);
    let added = if folder.exists() || looks_like_a_path(&model) {
        // Reading and trying a model takes long and waits for nothing.
        let (models, folder) = (models.clone(), folder.to_owned());
        let work = tokio::task::spawn_blocking(move || models.add_folder(&folder, &engine, &wish));
        work.await.map_err(|error| Error::failed(format!("adding the model crashed: {error}")))??
    } else {
        let wanted = wanted(&model)?;
        // Where more is wished than that it is here, the model that is may be another one than the one that is wished.
        if wish == Wish::default()
            && let Some(record) = models.has(&wanted)?
        {
            context.show(&AddedModelView(&view(&Added { record, notes: Vec::new() }, true)))?;
            return Ok(0);
        }
        let progress = download_display(context);
        let hub = Hub::of_environment()?;
        models.download(&hub, &wanted, &engine, &wish, &*progress).await?
    };
    context.show(&AddedModelView(&view(&added, false)))?;
    Ok(0)
}

/// What is to be downloaded under a name.
fn wanted(name: &str) -> Result<Wanted> {
    if name.eq_ignore_ascii_case(&Model::embedded().name) {
        return Err(Error::usage(format!("{name} is part of kb and always here")));
    }
    let near = || nearest(name).ok().flatten();
    Wanted::named(name)?.ok_or_else(|| {
        let hint = near().map_or_else(
            || "`kb models` lists those that can be had; others are named OWNER/NAME, or by a folder".to_owned(),
            |near| format!("did you mean {near}? `kb models` lists all"),
        );
        Error::usage(format!("there is no model {name:?}, and no folder of that name")).hint(hint)
    })
}

/// Whether what was typed can only be a path.
fn looks_like_a_path(typed: &str) -> bool {
    typed.starts_with(['.', '/', '~', '\\'])
        || typed.contains('\\')
        || typed.matches('/').count() > 1
        || typed.ends_with('/')
}

fn remove(context: &Context, models: &Models, name: &str, yes: bool) -> Result<u8> {
    if let Some((name, bytes)) = models.remove_download(name)? {
        context.show(&RemovedModelView { name, bytes })?;
        return Ok(0);
    }
    let found = models.removable(name)?;
    let store = store_if_any(context)?;
    let (uses, notes) = uses(store.as_ref())?;
    let of_it: Vec<String> =
        uses.into_iter().filter(|used| used.model == found.name).map(|used| used.namespace).collect();
    if let Some(store) = store.filter(|_| !yes) {
        refuse_where_used(&found.name, &store, &of_it, &notes)?;
    }
    notes.iter().for_each(|note| context.tell(note));
    let bytes = models.remove(&found)?;
    context.show(&RemovedModelView { name: found.name, bytes })?;
    Ok(0)
}

/// Refuses to remove a model that namespaces of a store have vectors of, or may have: `notes` are of those that cannot be
/// read.
fn refuse_where_used(name: &str, store: &Store, namespaces: &[String], notes: &[String]) -> Result<()> {
    let (root, notes) = (store.root().display(), notes.join("; "));
    if !namespaces.is_empty() {
        let unread = if notes.is_empty() { notes } else { format!("; {notes}") };
        let namespaces = namespaces.join(", ");
        return Err(Error::usage(format!("the store {root} has vectors of {name} (namespaces: {namespaces}){unread}")).hint(
            "say --yes if you mean it; `kb reindex --vectors --model NAME` makes its vectors with another model first",
        ));
    }
    if !notes.is_empty() {
        return Err(Error::usage(format!("the store {root} may have vectors of {name}: {notes}"))
            .hint("say --yes if you mean it"));
    }
    Ok(())
}

fn view(added: &Added, was_here: bool) -> AddedModel {
    let record = &added.record;
    let habits = record.habits.as_ref();
    let text = |prefix: fn(&Habits) -> &String| habits.map(|habits| prefix(habits).clone()).unwrap_or_default();
    AddedModel {
        was_here,
        model: of_record(record),
        query_prefix: text(|habits| &habits.query_prefix),
        passage_prefix: text(|habits| &habits.passage_prefix),
        pooling: habits.map(|habits| match habits.pooling {
            Pooling::Mean => "mean",
            Pooling::Cls => "cls",
        }),
        notes: added.notes.clone(),
    }
}

fn embedded() -> ModelLine {
    let model = Model::embedded();
    ModelLine {
        kind: ModelKind::Text.name(),
        dimension: Some(model.habits.dimension),
        max_tokens: Some(model.habits.max_tokens),
        languages: Some("English".to_owned()),
        scripts: scripts(&model.habits.languages.scripts),
        bytes: Some(Model::embedded_bytes()),
        licence: Some("Apache-2.0".to_owned()),
        here: true,
        from: Some("part of kb".to_owned()),
        name: model.name.clone(),
        ..ModelLine::default()
    }
}

fn of_installed(one: &Installed) -> ModelLine {
    match &one.record {
        Ok(record) => ModelLine { name: one.name.clone(), ..of_record(record) },
        Err(error) => ModelLine {
            name: one.name.clone(),
            kind: ModelKind::Text.name(),
            error: Some(error.to_line()),
            ..ModelLine::default()
        },
    }
}

fn of_record(record: &Record) -> ModelLine {
    let habits = record.habits.as_ref();
    ModelLine {
        name: record.name.clone(),
        kind: record.kind.name(),
        dimension: habits.map(|habits| habits.dimension),
        max_tokens: habits.map(|habits| habits.max_tokens),
        languages: record.languages.clone(),
        scripts: habits.map(|habits| scripts(&habits.languages.scripts)).unwrap_or_default(),
        bytes: Some(record.bytes()),
        licence: record.licence.clone(),
        here: true,
        from: Some(record.from.clone()),
        ..ModelLine::default()
    }
}

fn of_known(known: &KnownModel) -> ModelLine {
    ModelLine {
        name: known.name.clone(),
        kind: known.kind.name(),
        dimension: known.dimension,
        max_tokens: Some(known.max_tokens),
        languages: Some(known.languages.clone()),
        scripts: scripts(&known.scripts),
        bytes: known.bytes,
        licence: known.licence.clone(),
        from: Some(known.repository.clone()),
        ..ModelLine::default()
    }
}

fn scripts(scripts: &[Script]) -> Vec<&'static str> {
    let name = |script: &Script| match script {
        Script::Latin => "Latin",
        Script::Han => "Han",
        Script::Kana => "Kana",
        Script::Hangul => "Hangul",
        Script::Other => "others",
    };
    scripts.iter().map(name).collect()
}
