//! Adds a model: checks it, assembles it beside the others, tries it, and only then renames it to its place.

use std::path::Path;

use super::candidate::{AddOptions, Candidate, TextCandidate};
use super::installed::{Models, check_name};
use super::record::{ModelKind, Record, cannot};
use super::work_folders::{files_in, lock_folder, move_into_place, new_work_folder};
use crate::embed::{CrossEncoder, EMBEDDED, EmbeddingConfig, Engine, GRAPH, Model, ModelFiles, Source, Trial, try_out};
use crate::error::{Error, NextStep, Result, Setting};
use crate::threads::cores;

/// The trial of a reranking model uses this question, and chunks that answer it better and worse.
const QUESTION: &str = "how is air taken out of a pump?";
const CHUNKS: [&str; 3] =
    ["Open the vent and the air leaves the pump.", "The pump is painted green.", "水泵里的空气从排气阀出来。"];

#[derive(Debug)]
pub struct Added {
    pub record: Record,
    /// What kb had to assume.
    pub notes: Vec<String>,
}

/// How files get from their source to the model's folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transfer {
    Copy,
    /// For files that were just downloaded.
    Link,
}

impl Models {
    /// Adds the model in a folder. The folder stays unchanged. After an error nothing is changed.
    pub fn add_folder(&self, folder: &Path, engine: &Engine, options: &AddOptions) -> Result<Added> {
        folder.metadata().map_err(|error| Error::reading(folder, &error))?;
        let name = match &options.name {
            Some(name) => name.clone(),
            None => name_of(folder)?,
        };
        self.check_is_free(&name)?;
        // Checked first: nothing is written for a folder without a model.
        let candidate = Candidate::of(folder, None, options)?;
        let _lock = lock_folder(self.folder())?;
        let from = folder.canonicalize().unwrap_or_else(|_| folder.to_owned()).display().to_string();
        self.add(&name, candidate, from, Transfer::Copy, engine)
    }

    /// Checks that a model of this name may be added.
    pub(super) fn check_is_free(&self, name: &str) -> Result<()> {
        check_name(name)?;
        let other = format!("another one with {} NAME", Setting("name"));
        if name.eq_ignore_ascii_case(EMBEDDED) {
            let taken = Error::usage(format!("{name} is the name of the model that is part of kb"));
            return Err(taken.hint(format!("choose {other}")));
        }
        if self.list()?.iter().any(|one| one.name.eq_ignore_ascii_case(name)) {
            let taken = Error::usage(format!("a model {name} already exists in {}", self.folder().display()));
            return Err(taken.hint(format!("remove it with `{}`, or choose {other}", NextStep::RemoveModel(name))));
        }
        Ok(())
    }

    /// Adds a model. The caller holds the lock of the folder of models.
    pub(super) fn add(
        &self,
        name: &str,
        candidate: Candidate,
        from: String,
        transfer: Transfer,
        engine: &Engine,
    ) -> Result<Added> {
        let work = new_work_folder(self.folder(), name)?;
        put_graph(&candidate, work.path(), transfer)?;
        let (kind, embedding_config, fingerprint, unrelated) = match &candidate.text {
            Some(text) => {
                let model = try_text(text, name, &candidate, work.path(), engine)?;
                (ModelKind::Text, Some(model.embedding_config), Some(model.fingerprint), Some(model.unrelated))
            }
            None => {
                try_reranker(&candidate, work.path(), engine)?;
                (ModelKind::Rerank, None, None, None)
            }
        };
        let record = Record {
            format: Record::FORMAT,
            name: name.to_owned(),
            kind,
            embedding_config,
            languages: candidate.languages.clone(),
            licence: candidate.licence.clone(),
            external: candidate.external(),
            files: files_in(work.path())?,
            fingerprint,
            unrelated,
            from,
        };
        record.write(work.path())?;
        move_into_place(work, self.folder(), name)?;
        Ok(Added { record, notes: candidate.notes })
    }
}

/// The name of a model from its folder. Hugging Face's cache has `models--OWNER--NAME/snapshots/REVISION`.
fn name_of(folder: &Path) -> Result<String> {
    let whole = folder.canonicalize().map_err(cannot("read", folder))?;
    let names: Vec<&str> = whole.iter().rev().filter_map(|part| part.to_str()).take(3).collect();
    let name = match names.as_slice() {
        [_, "snapshots", repository, ..] => repository.rsplit("--").next().unwrap_or_default(),
        [own, ..] => own,
        [] => "",
    };
    check_name(name)?;
    Ok(name.to_owned())
}

/// Puts the graph and the weights beside it into the folder.
fn put_graph(candidate: &Candidate, to: &Path, transfer: Transfer) -> Result<()> {
    let path = to.join(GRAPH);
    match &candidate.whole_graph {
        Some(graph) => std::fs::write(&path, graph).map_err(cannot("write", &path))?,
        None => put_file(&candidate.graph, &path, transfer)?,
    }
    let external = candidate.external();
    external.iter().try_for_each(|name| put_file(&candidate.graph_folder().join(name), &to.join(name), transfer))
}

fn put_file(from: &Path, to: &Path, transfer: Transfer) -> Result<()> {
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder).map_err(cannot("make", folder))?;
    }
    if to.exists() {
        return Err(Error::failed(format!("two files of the model would have the name {}", to.display())));
    }
    // Copying a pipe would wait for a writer.
    if !std::fs::metadata(from).map_err(cannot("copy", from))?.is_file() {
        return Err(Error::failed(format!("cannot copy {}: not a regular file", from.display()))
            .hint("download the folder again, with all its files"));
    }
    match transfer {
        Transfer::Link if std::fs::hard_link(from, to).is_ok() => Ok(()),
        Transfer::Link | Transfer::Copy => std::fs::copy(from, to).map(drop).map_err(cannot("copy", from)),
    }
}

/// Writes the tokenizer's files and tries the model. Returns it with its dimension and fingerprint.
fn try_text(text: &TextCandidate, name: &str, candidate: &Candidate, to: &Path, engine: &Engine) -> Result<Model> {
    let files = &text.files;
    for (file, bytes) in [
        ("tokenizer.json", &files.tokenizer_file),
        ("config.json", &files.config_file),
        ("special_tokens_map.json", &files.special_tokens_map_file),
        ("tokenizer_config.json", &files.tokenizer_config_file),
    ] {
        let path = to.join(file);
        std::fs::write(&path, bytes).map_err(cannot("write", &path))?;
    }
    let files = ModelFiles { folder: to.to_owned(), external: candidate.external() };
    let model = Model {
        name: name.to_owned(),
        embedding_config: text.embedding_config.clone(),
        fingerprint: String::new(),
        source: Source::Folder(files.clone()),
        unrelated: 0.0,
    };
    let Trial { dimension, unrelated } = try_out(engine, &model, &text.tried)?;
    let wanted = model.embedding_config.dimension;
    if wanted != 0 && wanted != dimension {
        let message = format!("{name} gives vectors of {dimension} numbers instead of {wanted}");
        return Err(Error::failed(message).hint("its files belong to another model; check HF_ENDPOINT"));
    }
    let model = Model::in_folder(name, EmbeddingConfig { dimension, ..model.embedding_config }, files)?;
    Ok(Model { unrelated, ..model })
}

/// Copies the small files of a reranking model and tries it.
fn try_reranker(candidate: &Candidate, to: &Path, engine: &Engine) -> Result<()> {
    for file in ["tokenizer.json", "config.json", "tokenizer_config.json", "special_tokens_map.json"] {
        let from = candidate.folder.join(file);
        if from.exists() {
            put_file(&from, &to.join(file), Transfer::Copy)?;
        }
    }
    let scores = CrossEncoder::load(engine, to, cores())?.scores(QUESTION, &CHUNKS.map(str::to_owned), None)?;
    let unusable = |reason: &str| {
        Error::failed(format!("the reranking model in {} cannot be used: {reason}", candidate.folder.display()))
            .hint("its files may not belong together; download it again")
    };
    if scores.iter().any(|score| !score.is_finite()) {
        return Err(unusable("it gives invalid scores"));
    }
    let all_same = scores.windows(2).all(|pair| pair[0] == pair[1]);
    if all_same { Err(unusable("it gives every chunk the same score")) } else { Ok(()) }
}
