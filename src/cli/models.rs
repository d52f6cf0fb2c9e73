//! `kb models`: lists, adds and removes models.

use std::path::Path;

use clap::{Args, Subcommand};
use futures::future::try_join_all;

use super::input::{NOT_CONFIRMED, confirm};
use super::invocation::Context;
use super::progress::progress_display;
use super::reindex;
use crate::config::Config;
use crate::embed::{Device, EmbeddingConfig, EngineChoice, Model, devices, select, select_available, slow_processor};
use crate::error::{Error, NextStep, Result};
use crate::models::{
    AddOptions, Added, Hub, HubModel, Installed, KnownModel, ModelKind, Models, Record, catalogue, nearest, suggested,
};
use crate::render::{ModelLine, ModelList, SuggestedModel, added_model, model_list, removed_model, suggested_models};
use crate::store::{Manifest, Snapshot, Store};
use crate::text::script::{Script, coverage};
use crate::text::unique;

/// Parent chunks of a namespace from whose text models are suggested.
const SAMPLES: usize = 1000;

/// List, add or remove models
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb models                                available and installed models, and the one in use
  kb models suggest                        two that read the documents of the store
  kb models add multilingual-e5-small      download one of them
  kb models add intfloat/e5-small-v2       any other model on the hub that has an ONNX file
  kb models add ~/Downloads/my-model       from a folder, without a network
  kb models remove multilingual-e5-small
  kb models --format json | jq '.items[] | select(.here) | .name'

Models are in KB_MODELS_DIR, by default in kb/models in your data folder. HF_ENDPOINT names a mirror of the hub,
HTTPS_PROXY a proxy, HF_TOKEN a token. An interrupted download continues where it stopped.")]
pub struct ModelsArgs {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Suggest two models that read the documents of the store, the smallest and the best
    Suggest,
    /// Add a model, from the hub or from a folder
    Add(AddArgs),
    /// Remove an added model, or a partial download
    Remove {
        /// Its name
        #[arg(value_name = "NAME")]
        name: String,
        /// Remove it even if the store has vectors of it
        #[arg(short, long, visible_alias = "force")]
        yes: bool,
    },
}

/// Add a model, from the hub or from a folder
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb models add bge-small-en-v1.5
  kb models add ./all-MiniLM-L6-v2         a folder with model.onnx, tokenizer.json, config.json, …
  kb models add ./mine --name ours --query-prefix 'query: ' --document-prefix 'passage: '

A model is tried before it is added: its vectors must have one length, differ between texts, and not depend on the rest
of a batch. Pooling, length and prefixes come from its folder.")]
struct AddArgs {
    /// A name from `kb models`, OWNER/NAME on the hub, or a folder
    #[arg(value_name = "NAME|FOLDER", value_hint = clap::ValueHint::DirPath)]
    model: String,
    /// Its name in kb [default: its own]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The prefix of questions [default: the model's]
    #[arg(long, value_name = "TEXT")]
    query_prefix: Option<String>,
    /// The prefix of parent chunks [default: the model's]
    #[arg(long, value_name = "TEXT")]
    document_prefix: Option<String>,
}

pub async fn run(context: &Context, args: ModelsArgs) -> Result<u8> {
    let models = Models::of_user()?;
    match args.action {
        None => list(context, &models),
        Some(Action::Suggest) => suggest(context, &models).await,
        Some(Action::Add(args)) => add(context, &models, args).await,
        Some(Action::Remove { name, yes }) => remove(context, &models, &name, yes),
    }
}

/// The models that made the vectors of a store's namespaces.
#[derive(Default)]
struct ModelUses {
    /// Pairs of namespace and model.
    models: Vec<(String, String)>,
    /// One for each namespace that cannot be read.
    notes: Vec<String>,
}

impl ModelUses {
    fn of(store: Option<&Store>) -> Result<Self> {
        let mut uses = ModelUses::default();
        for namespace in store.map_or_else(|| Ok(Vec::new()), Store::namespaces)? {
            let name = namespace.name();
            match Manifest::read(&namespace) {
                Ok(manifest) => uses.models.extend(manifest.map(|manifest| (name.to_owned(), manifest.model.name))),
                Err(error) => uses.notes.push(format!("the namespace {name} cannot be read: {error}")),
            }
        }
        Ok(uses)
    }
}

/// The named store, or the nearest one upwards. Models can be listed without a store.
fn store_if_any(context: &Context) -> Result<Option<Store>> {
    if context.global.kb.is_none() && !Store::is_within(&Context::here()?) {
        return Ok(None);
    }
    context.store().map(Some)
}

fn engine_choice(context: &Context, store: Option<&Store>) -> Result<EngineChoice> {
    let config = store.map_or_else(Config::of_user, |store| context.config(store))?;
    Ok(context.engine(&config))
}

fn list(context: &Context, models: &Models) -> Result<u8> {
    let store = store_if_any(context)?;
    let uses = ModelUses::of(store.as_ref())?;
    let (engine, refused) = select_available(&engine_choice(context, store.as_ref())?)?;
    let here = models.list()?;
    let mut lines = vec![embedded()];
    lines.extend(here.iter().map(of_installed));
    let is_here = |known: &&KnownModel| here.iter().any(|one| one.name.eq_ignore_ascii_case(&known.name));
    lines.extend(catalogue().iter().filter(|known| !is_here(known)).map(of_known));
    for (namespace, model) in uses.models {
        match lines.iter_mut().find(|line| line.name == model) {
            Some(line) => line.used_by.push(namespace),
            None => lines.push(ModelLine { used_by: vec![namespace], ..line(&model) }),
        }
    }
    let mut devices = devices(&engine);
    devices.sort_by_key(|device| *device != engine.device());
    let refused = refused.map(|refused| refused.to_line());
    context.show(model_list(&ModelList {
        models: lines,
        folder: models.folder().display().to_string(),
        engine: engine.name(),
        devices: devices.into_iter().map(Device::name).collect(),
        notes: refused.into_iter().chain(uses.notes).chain(slow_processor().map(str::to_owned)).collect(),
    }))
}

async fn add(context: &Context, models: &Models, args: AddArgs) -> Result<u8> {
    let store = store_if_any(context)?;
    let engine = select(&engine_choice(context, store.as_ref())?)?;
    let AddArgs { model, name, query_prefix, document_prefix } = args;
    let options = AddOptions { name, query_prefix, document_prefix };
    let show = |Added { record, notes }: &Added, was_here| {
        context.show(added_model(&of_record(record), was_here, record.embedding_config.as_ref(), notes))
    };
    let folder = Path::new(&model);
    if folder.exists() || looks_like_a_path(&model) {
        // Reading and trying a model takes long and would block other tasks.
        let (models, folder) = (models.clone(), folder.to_owned());
        let work = tokio::task::spawn_blocking(move || models.add_folder(&folder, &engine, &options));
        return show(&work.await.map_err(|error| Error::failed(format!("adding the model crashed: {error}")))??, false);
    }
    let hub_model = hub_model(&model)?;
    // An installed model may lack the requested name or prefixes.
    if options == AddOptions::default()
        && let Some(record) = models.has(&hub_model)?
    {
        return show(&Added { record, notes: Vec::new() }, true);
    }
    let progress = progress_display(context);
    show(&models.download(&Hub::of_environment()?, &hub_model, &engine, &options, &*progress).await?, false)
}

/// Asks, after the first ingest of a store, whether to fetch a model that reads its documents.
pub(super) async fn offer(context: &Context) -> Result<()> {
    let text = sampled(&[&Snapshot::open(&context.namespace()?).await?]).await?;
    let Some((small, _)) = suggested(&text) else { return Ok(()) };
    let size = small.megabytes.map_or_else(String::new, |megabytes| format!(" (about {megabytes} MB)"));
    let (name, from) = (&small.name, &small.repository);
    if confirm(&format!("download the model {name}{size} from {from} and compute vectors with it"))? {
        let args = AddArgs { model: name.clone(), name: None, query_prefix: None, document_prefix: None };
        add(context, &Models::of_user()?, args).await?;
        reindex::replace_vectors(context, name).await?;
    }
    Ok(())
}

/// Text of the documents.
async fn sampled(snapshots: &[&Snapshot]) -> Result<String> {
    let texts = try_join_all(snapshots.iter().map(|snapshot| snapshot.sampled_texts(SAMPLES))).await?;
    Ok(texts.concat().join("\n"))
}

async fn suggest(context: &Context, models: &Models) -> Result<u8> {
    let store = context.store()?;
    let searcher = context.searcher_over(&store, &context.config(&store)?)?;
    let snapshots = searcher.snapshots().await?;
    let in_use: Vec<&str> = unique(snapshots.iter().map(|snapshot| snapshot.manifest().model.name.as_str()));
    let text = sampled(&snapshots).await?;
    if text.is_empty() {
        return Err(Error::usage("there is no text in the store that a model could read")
            .hint(format!("ingest documents first: `{}`", NextStep::Ingest("PATH"))));
    }
    let used = in_use.iter().map(|name| {
        // The name alone does not say which model it is, if it is not installed.
        let reads = models.find(name).ok().map(|model| model.embedding_config.languages.share(&text));
        SuggestedModel::in_use(name, reads)
    });
    let mut lines: Vec<SuggestedModel> = used.collect();
    let both = suggested(&text).into_iter().flat_map(|(small, best)| [("small", small), ("best", best)]);
    for (choice, known) in both.filter(|(_, known)| !in_use.contains(&known.name.as_str())) {
        lines.push(SuggestedModel {
            name: known.name.clone(),
            choice,
            languages: Some(known.languages.clone()),
            bytes: known.megabytes.map(|megabytes| megabytes * 1_000_000),
            reads: Some(coverage(&text, &known.scripts)),
            installed: models.installed(&known.name)?.is_some(),
            from: Some(known.repository.clone()),
        });
    }
    context.show(suggested_models(&lines))
}

/// The download that a name stands for.
fn hub_model(name: &str) -> Result<HubModel> {
    if name.eq_ignore_ascii_case(&Model::embedded().name) {
        return Err(Error::usage(format!("{name} is built into kb and always installed")));
    }
    HubModel::named(name).ok_or_else(|| {
        let hint = nearest(name).map_or_else(
            || "`kb models` lists the known ones; name others OWNER/NAME, or by a folder".to_owned(),
            |near| format!("did you mean {near}? `kb models` lists all"),
        );
        Error::usage(format!("no such model or folder {name:?}")).hint(hint)
    })
}

/// Whether the text can only be a path.
fn looks_like_a_path(typed: &str) -> bool {
    typed.starts_with(['.', '/', '~', '\\'])
        || typed.contains('\\')
        || typed.matches('/').count() > 1
        || typed.ends_with('/')
}

fn remove(context: &Context, models: &Models, name: &str, yes: bool) -> Result<u8> {
    if let Some((name, bytes)) = models.remove_download(name)? {
        return context.show(removed_model(&name, bytes));
    }
    let found = models.removable(name)?;
    let store = store_if_any(context)?;
    let ModelUses { models: used, notes } = ModelUses::of(store.as_ref())?;
    let namespaces: Vec<String> =
        used.into_iter().filter(|(_, model)| *model == found.name).map(|(namespace, _)| namespace).collect();
    if let Some(store) = store.filter(|_| !yes && (!namespaces.is_empty() || !notes.is_empty())) {
        let (root, name, unread) = (store.root().display(), &found.name, notes.join("; "));
        let error = match namespaces.as_slice() {
            [] => Error::new(NOT_CONFIRMED, format!("the store {root} may have vectors of {name}: {unread}"))
                .hint("confirm with --yes"),
            some => {
                let (some, unread) = (some.join(", "), if notes.is_empty() { unread } else { format!("; {unread}") });
                let message = format!("the store {root} has vectors of {name} (namespaces: {some}){unread}");
                Error::new(NOT_CONFIRMED, message)
                    .hint("confirm with --yes, or replace the vectors first with `kb reindex --vectors --model NAME`")
            }
        };
        return Err(error);
    }
    notes.iter().for_each(|note| context.tell(note));
    let bytes = models.remove(&found)?;
    context.show(removed_model(&found.name, bytes))
}

/// An embedding model of which only the name is known.
fn line(name: &str) -> ModelLine {
    ModelLine { name: name.to_owned(), kind: ModelKind::Text.name(), ..ModelLine::default() }
}

/// An installed model with its embedding settings.
fn configured(name: &str, config: Option<&EmbeddingConfig>) -> ModelLine {
    ModelLine {
        dimension: config.map(|config| config.dimension),
        max_tokens: config.map(|config| config.max_tokens),
        scripts: config.map_or_else(Vec::new, |config| scripts(&config.languages.scripts)),
        here: true,
        ..line(name)
    }
}

fn embedded() -> ModelLine {
    let model = Model::embedded();
    ModelLine {
        languages: Some("English".to_owned()),
        bytes: Some(Model::embedded_bytes()),
        licence: Some("Apache-2.0".to_owned()),
        from: Some("part of kb".to_owned()),
        ..configured(&model.name, Some(&model.embedding_config))
    }
}

fn of_installed(one: &Installed) -> ModelLine {
    match &one.record {
        Ok(record) => ModelLine { name: one.name.clone(), ..of_record(record) },
        Err(error) => ModelLine { error: Some(error.to_line()), ..line(&one.name) },
    }
}

fn of_record(record: &Record) -> ModelLine {
    ModelLine {
        kind: record.kind.name(),
        languages: record.languages.clone(),
        bytes: Some(record.bytes()),
        licence: record.licence.clone(),
        from: Some(record.from.clone()),
        ..configured(&record.name, record.embedding_config.as_ref())
    }
}

fn of_known(known: &KnownModel) -> ModelLine {
    ModelLine {
        kind: known.kind.name(),
        dimension: known.dimension,
        max_tokens: Some(known.max_tokens),
        languages: Some(known.languages.clone()),
        scripts: scripts(&known.scripts),
        bytes: known.megabytes.map(|megabytes| megabytes * 1_000_000),
        licence: known.licence.clone(),
        from: Some(known.repository.clone()),
        ..line(&known.name)
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
