//! `kb self-check`: whether this machine has what kb needs.

use std::fs::TryLockError;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use clap::Args;
use serde_json::Value;

use super::invocation::Context;
use crate::embed::{Embedder, EngineChoice, Model, select};
use crate::error::{Error, Kind, Result};
use crate::paths::{is_address, real};
use crate::render::{self, SelfCheck};
use crate::store::Store;
use crate::text::size;
use crate::threads::cores;
use crate::vectors::dot;

/// Check that kb works on this machine
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kb self-check
  kb self-check --device cuda             also try a device
  kb self-check --format json             for a bug report

Ingests a made-up document and searches for it, in a temporary folder at the location of the store. It touches neither
your documents nor your settings nor the network.")]
pub struct SelfCheckArgs {}

/// The document that is ingested and found again, and a question that it answers.
const DOCUMENT: &str = "# Pump\n\n## Priming\n\nFill the casing with water before the first start.\n";
const QUESTION: &str = "how is the pump primed?";
const NAME: &str = "pump.md";
/// A small store needs about as many bytes.
const WRITTEN: usize = 1 << 20;
/// Two texts that mean the same, and one that does not.
const MEANINGS: [&str; 3] =
    ["the pump is filled with water", "water goes into the pump", "the board approved the budget"];

pub fn run(context: &Context, _args: &SelfCheckArgs) -> Result<u8> {
    let place = place(context)?;
    let checks = [
        check("processor", || Ok(processor())),
        check("engine", || engine(context)),
        check("model", || model(context)),
        check("disk", || disk(&place)),
        check("locks", || locks(&place)),
        check("ingest and search", || round_trip(&place)),
    ];
    let works = checks.iter().all(|check| check.ok);
    context.show(render::self_checked(&checks))?;
    Ok(if works { 0 } else { Kind::Failed.exit_code() })
}

fn check(name: &'static str, run: impl FnOnce() -> Result<String>) -> SelfCheck {
    let start = Instant::now();
    let outcome = run();
    let (ok, detail) = (outcome.is_ok(), outcome.unwrap_or_else(|error| error.to_line()));
    SelfCheck { name, ok, detail, milliseconds: u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX) }
}

/// The folder of the store, or the one in which it would be.
fn place(context: &Context) -> Result<PathBuf> {
    let here = Context::here()?;
    let named = context.global.kb.as_deref().filter(|named| !is_address(named));
    let folder = Store::folder(named, &here).unwrap_or_else(|_| here.join(".kb"));
    let existing = folder.ancestors().find(|folder| folder.is_dir());
    Ok(existing.map_or(here, real))
}

fn processor() -> String {
    let threads = cores();
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut, reason = "others have no list of features"))]
    let mut features: Vec<&str> = Vec::new();
    #[cfg(target_arch = "x86_64")]
    for (name, has) in [
        ("AVX2", std::is_x86_feature_detected!("avx2")),
        ("AVX-512", std::is_x86_feature_detected!("avx512f")),
        ("VNNI", std::is_x86_feature_detected!("avx512vnni") || std::is_x86_feature_detected!("avxvnni")),
    ] {
        features.extend(has.then_some(name));
    }
    let features = if features.is_empty() { String::new() } else { format!(", {}", features.join(", ")) };
    format!("{} {}, {threads} threads{features}", std::env::consts::OS, std::env::consts::ARCH)
}

/// The engine for models that were added; the embedded one needs none.
fn engine(context: &Context) -> Result<String> {
    Ok(select(&context.engine(&context.config_or_own()?))?.name())
}

/// Embeds with the embedded model: on the requested accelerator, otherwise without an engine.
fn model(context: &Context) -> Result<String> {
    let (model, requested) = (Model::embedded(), context.engine(&context.config_or_own()?));
    let choice = if matches!(requested, EngineChoice::On(..)) { requested } else { EngineChoice::Auto };
    let embedder = Embedder::load(&choice, &model, 1)?;
    let vectors = embedder.embed_documents(&MEANINGS, &|_| {})?;
    let (same, other) = (dot(&vectors[0], &vectors[1]), dot(&vectors[0], &vectors[2]));
    match same > other + 0.2 {
        true => {
            let (name, engine) = (&model.name, embedder.engine_name());
            Ok(format!("{name}: alike {same:.2}, unlike {other:.2}; computed by {engine}"))
        }
        false => Err(Error::failed(format!("{} gives vectors without meaning", model.name)).hint("install kb again")),
    }
}

fn disk(place: &Path) -> Result<String> {
    let mut file = tempfile::tempfile_in(place).map_err(|error| Error::io("write to", place, &error))?;
    file.write_all(&vec![0; WRITTEN]).map_err(|error| Error::io("write to", place, &error))?;
    file.sync_all().map_err(|error| Error::io("sync a file in", place, &error))?;
    #[cfg(unix)]
    if let Ok(disk) = rustix::fs::statvfs(place) {
        return Ok(format!("{} free at {}", size(disk.f_bavail.saturating_mul(disk.f_frsize)), place.display()));
    }
    Ok(format!("writable at {}", place.display()))
}

/// Two holders of one lock would both write.
fn locks(place: &Path) -> Result<String> {
    let file = tempfile::NamedTempFile::new_in(place).map_err(|error| Error::io("write to", place, &error))?;
    let other = file.reopen().map_err(|error| Error::io("open", file.path(), &error))?;
    let without = |why: &str| {
        Error::failed(format!("the file system at {} {why}", place.display())).hint("keep the store on a local disk")
    };
    file.as_file().try_lock().map_err(|_| without("has no locks"))?;
    match other.try_lock() {
        Err(TryLockError::WouldBlock) => Ok("one writer at a time".to_owned()),
        Ok(()) => Err(without("gives a lock twice")),
        Err(TryLockError::Error(error)) => Err(without("fails at locks").caused_by(error)),
    }
}

/// Runs this program as a user would: with a worker process, the model, LanceDB and the keyword index.
fn round_trip(place: &Path) -> Result<String> {
    let folder = tempfile::Builder::new().prefix(".kb-self-check-").tempdir_in(place);
    let folder = folder.map_err(|error| Error::io("write to", place, &error))?;
    for (name, text) in [(NAME, DOCUMENT), ("config.toml", "")] {
        let path = folder.path().join(name);
        std::fs::write(&path, text).map_err(|error| Error::io("write", &path, &error))?;
    }
    let start = Instant::now();
    kb(folder.path(), &["ingest", NAME])?;
    let (ingested, start) = (start.elapsed(), Instant::now());
    let found = kb(folder.path(), &["search", QUESTION])?;
    let hit = &found["hits"][0];
    let is_found = hit["source"] == NAME && hit["keyword_score"].is_number() && hit["semantic_score"].is_number();
    if !is_found {
        return Err(Error::failed("the ingested document was not found by words and by meaning")
            .hint("report this with the output of --format json"));
    }
    Ok(format!("ingested in {} ms, found in {} ms", ingested.as_millis(), start.elapsed().as_millis()))
}

/// What a command prints in a store of its own, without the settings of the user.
fn kb(folder: &Path, arguments: &[&str]) -> Result<Value> {
    let mut command = Command::new(Context::program()?);
    let is_of_user = |name: &str| name.starts_with("KB_") || name.starts_with("XDG_");
    for (name, _) in std::env::vars_os().filter(|(name, _)| is_of_user(&name.to_string_lossy())) {
        command.env_remove(name);
    }
    let store = folder.join(".kb");
    command.args(arguments).arg("--kb").arg(store).args(["--format", "json", "--serve", "off", "--no-progress"]);
    command.env("KB_CONFIG", folder.join("config.toml")).env("HOME", folder).current_dir(folder).stdin(Stdio::null());
    let output = command.output().map_err(|error| Error::failed(format!("cannot start kb: {error}")))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(Error::failed(format!("`kb {}` failed: {said}", arguments[0])));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| Error::failed(format!("`kb {}`: {error}", arguments[0])))
}
