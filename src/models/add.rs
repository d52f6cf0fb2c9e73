//! Adds a model: checks it, assembles it beside the others, tries it, and only then renames it to its place.

use std::path::Path;

use super::installed::{Models, check_name};
use super::offer::{Offer, TextOffer, Wish};
use super::record::{ModelKind, Record, cannot};
use super::workplace::{Hold, files_in, finish, new_workplace};
use crate::embed::{CrossEncoder, EMBEDDED, EmbeddingConfig, Engine, GRAPH, Model, ModelFiles, Source, Tried, try_out};
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
pub(super) enum Take {
    Copy,
    /// For files that were just downloaded.
    Link,
}

impl Models {
    /// Adds the model in a folder. The folder stays unchanged. After an error nothing is changed.
    pub fn add_folder(&self, folder: &Path, engine: &Engine, wish: &Wish) -> Result<Added> {
        folder.metadata().map_err(|error| Error::reading(folder, &error))?;
        let name = match &wish.name {
            Some(name) => name.clone(),
            None => name_of(folder)?,
        };
        self.must_be_free(&name)?;
        // Checked first: nothing is written for a folder without a model.
        let offer = Offer::of(folder, None, wish)?;
        let _hold = Hold::of(self.folder())?;
        let from = folder.canonicalize().unwrap_or_else(|_| folder.to_owned()).display().to_string();
        self.add(&name, offer, from, Take::Copy, engine)
    }

    /// Checks that a model of this name may be added.
    pub(super) fn must_be_free(&self, name: &str) -> Result<()> {
        check_name(name)?;
        let other = format!("another one with {} NAME", Setting("name"));
        if name.eq_ignore_ascii_case(EMBEDDED) {
            let taken = Error::usage(format!("{name} is the name of the model that is part of kb"));
            return Err(taken.hint(format!("choose {other}")));
        }
        if self.here()?.iter().any(|one| one.name.eq_ignore_ascii_case(name)) {
            let taken = Error::usage(format!("a model {name} already exists in {}", self.folder().display()));
            return Err(taken.hint(format!("remove it with `{}`, or choose {other}", NextStep::RemoveModel(name))));
        }
        Ok(())
    }

    /// Adds a model. The caller holds the lock of the folder of models.
    pub(super) fn add(&self, name: &str, offer: Offer, from: String, take: Take, engine: &Engine) -> Result<Added> {
        let work = new_workplace(self.folder(), name)?;
        put_graph(&offer, work.path(), take)?;
        let (kind, embedding_config, fingerprint, unrelated) = match &offer.text {
            Some(text) => {
                let model = try_text(text, name, &offer, work.path(), engine)?;
                (ModelKind::Text, Some(model.embedding_config), Some(model.fingerprint), Some(model.unrelated))
            }
            None => {
                try_reranker(&offer, work.path(), engine)?;
                (ModelKind::Rerank, None, None, None)
            }
        };
        let record = Record {
            format: Record::FORMAT,
            name: name.to_owned(),
            kind,
            embedding_config,
            languages: offer.languages.clone(),
            licence: offer.licence.clone(),
            external: offer.external(),
            files: files_in(work.path())?,
            fingerprint,
            unrelated,
            from,
        };
        record.write(work.path())?;
        finish(work, self.folder(), name)?;
        Ok(Added { record, notes: offer.notes })
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
fn put_graph(offer: &Offer, to: &Path, take: Take) -> Result<()> {
    let path = to.join(GRAPH);
    match &offer.made {
        Some(made) => std::fs::write(&path, made).map_err(cannot("write", &path))?,
        None => put_file(&offer.graph, &path, take)?,
    }
    offer.external().iter().try_for_each(|name| put_file(&offer.beside().join(name), &to.join(name), take))
}

fn put_file(from: &Path, to: &Path, take: Take) -> Result<()> {
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
    match take {
        Take::Link if std::fs::hard_link(from, to).is_ok() => Ok(()),
        Take::Link | Take::Copy => std::fs::copy(from, to).map(drop).map_err(cannot("copy", from)),
    }
}

/// Writes the tokenizer's files and tries the model. Returns it with its dimension and fingerprint.
fn try_text(text: &TextOffer, name: &str, offer: &Offer, to: &Path, engine: &Engine) -> Result<Model> {
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
    let files = ModelFiles { folder: to.to_owned(), external: offer.external() };
    let model = Model {
        name: name.to_owned(),
        embedding_config: text.embedding_config.clone(),
        fingerprint: String::new(),
        source: Source::Folder(files.clone()),
        unrelated: 0.0,
    };
    let Tried { dimension, unrelated } = try_out(engine, &model, &text.tried)?;
    let wanted = model.embedding_config.dimension;
    if wanted != 0 && wanted != dimension {
        let message = format!("{name} gives vectors of {dimension} numbers instead of {wanted}");
        return Err(Error::failed(message).hint("its files belong to another model; check HF_ENDPOINT"));
    }
    let model = Model::in_folder(name, EmbeddingConfig { dimension, ..model.embedding_config }, files)?;
    Ok(Model { unrelated, ..model })
}

/// Copies the small files of a reranking model and tries it.
fn try_reranker(offer: &Offer, to: &Path, engine: &Engine) -> Result<()> {
    for file in ["tokenizer.json", "config.json", "tokenizer_config.json", "special_tokens_map.json"] {
        let from = offer.folder.join(file);
        if from.exists() {
            put_file(&from, &to.join(file), Take::Copy)?;
        }
    }
    let scores = CrossEncoder::load(engine, to, cores())?.scores(QUESTION, &CHUNKS.map(str::to_owned), None)?;
    let unusable = |reason: &str| {
        Error::failed(format!("the reranking model in {} cannot be used: {reason}", offer.folder.display()))
            .hint("its files may not belong together; download it again")
    };
    if scores.iter().any(|score| !score.is_finite()) {
        return Err(unusable("it gives invalid scores"));
    }
    if scores.windows(2).all(|pair| pair[0] == pair[1]) {
        return Err(unusable("it gives every chunk the same score"));
    }
    Ok(())
}
