//! Adding a model: looked at, put together beside the others, tried, and only then given its name.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::catalogue::KnownModel;
use super::lock::{Hold, LOCK, Worker};
use super::offer::{Offer, Subject, TextOffer, Wish, weights_of};
use super::place::check_name;
use super::record::{GRAPH, ModelFile, Record};
use super::remove::remove_folder;
use super::{Models, RECORD};
use crate::embed::{CrossEncoder, EMBEDDED, Engine, Habits, Model, ModelFiles, Source, try_out};
use crate::error::{Error, Result};

/// What the names of folders begin with in which models are put together.
const ADDING: &str = ".adding-";
/// What a reranking model is tried with: a question, and passages that answer it more or less.
const QUESTION: &str = "how is air taken out of a pump?";
const PASSAGES: [&str; 3] =
    ["Open the vent and the air leaves the pump.", "The pump is painted green.", "水泵里的空气从排气阀出来。"];

/// A model that was added.
#[derive(Debug)]
pub struct Added {
    /// What is known of it.
    pub record: Record,
    /// What had to be assumed.
    pub notes: Vec<String>,
}

/// What happens to the files that a model is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Take {
    /// They stay.
    Copy,
    /// They were downloaded for this and are ours.
    Link,
}

/// A model that is being added.
pub(super) struct Adding<'a> {
    /// Where its files are.
    pub folder: &'a Path,
    /// What it is to be called.
    pub name: &'a str,
    /// The entry of the catalogue it was downloaded as.
    pub chosen: Option<&'a KnownModel>,
    /// What else is wished of it.
    pub wish: &'a Wish,
    /// Where it came from, for people.
    pub from: String,
    /// What happens to its files.
    pub take: Take,
}

impl Models {
    /// Adds the model in a folder, which stays as it is.
    ///
    /// # Errors
    /// Where there is no model in it that the engine can run, or one of that name is here. Nothing is changed then.
    pub fn add_folder(&self, folder: &Path, engine: &Engine, wish: &Wish) -> Result<Added> {
        let name = match &wish.name {
            Some(name) => name.clone(),
            None => name_of(folder)?,
        };
        self.must_be_free(&name)?;
        let from = folder.canonicalize().unwrap_or_else(|_| folder.to_owned()).display().to_string();
        self.add(&Adding { folder, name: &name, chosen: None, wish, from, take: Take::Copy }, engine)
    }

    /// Whether a model of this name may be added.
    pub(super) fn must_be_free(&self, name: &str) -> Result<()> {
        check_name(name)?;
        if name.eq_ignore_ascii_case(EMBEDDED) {
            return Err(Error::usage(format!("{name} is the name of the model that is part of kb"))
                .hint("give another one with --name NAME"));
        }
        if self.here()?.iter().any(|one| one.name.eq_ignore_ascii_case(name)) {
            return Err(Error::usage(format!("there is a model {name} already in {}", self.folder().display())).hint(
                format!("take it away with `kb models remove {name}`, or give this one another name with --name NAME"),
            ));
        }
        Ok(())
    }

    /// Looks at a model, puts it together, tries it and gives it its name.
    pub(super) fn add(&self, adding: &Adding<'_>, engine: &Engine) -> Result<Added> {
        let &Adding { folder, name, chosen, wish, take, .. } = adding;
        let weights = if chosen.is_none() { weights_of(folder)? } else { None };
        let (offer, work) = match weights {
            // Nothing is written for a folder that has no model in it.
            None => (Offer::of(folder, None, chosen, wish)?, Workplace::new(self.folder(), name)?),
            Some(weights) => {
                let work = Workplace::new(self.folder(), name)?;
                weights.write(work.path())?;
                let made = work.path().join(GRAPH);
                (Offer::of(folder, Some(&made.to_string_lossy()), None, wish)?, work)
            }
        };
        let external = put_graph(&offer, work.path(), take)?;
        let (habits, fingerprint) = match &offer.subject {
            Subject::Text(text) => {
                let (habits, fingerprint) = try_text(text, name, &external, work.path(), engine)?;
                (Some(habits), fingerprint)
            }
            Subject::Rerank => (None, try_reranker(&offer, work.path(), engine)?),
        };
        if let (Some(habits), Some(known)) = (&habits, chosen)
            && known.dimension.is_some_and(|dimension| dimension != habits.dimension)
        {
            let (is, said) = (habits.dimension, known.dimension.unwrap_or_default());
            return Err(Error::failed(format!("{name} gives vectors of {is} numbers, and should give {said}"))
                .hint("its files are those of another model; look at HF_ENDPOINT"));
        }
        let record = Record {
            format: Record::format(),
            name: name.to_owned(),
            kind: offer.kind(),
            habits,
            languages: offer.languages.clone(),
            licence: offer.licence.clone(),
            external,
            files: files_in(work.path())?,
            fingerprint,
            from: adding.from.clone(),
            added_at: jiff::Timestamp::now().to_string(),
        };
        record.write(work.path())?;
        work.finish(self.folder(), name)?;
        Ok(Added { record, notes: offer.notes })
    }
}

/// The name of a model by its folder. In a cache of Hugging Face, that is `models--OWNER--NAME/snapshots/REVISION`.
fn name_of(folder: &Path) -> Result<String> {
    let whole = folder.canonicalize().map_err(|error| Error::io("read", folder, &error))?;
    let names: Vec<&str> = whole.iter().rev().filter_map(|part| part.to_str()).take(3).collect();
    let name = match names.as_slice() {
        [_, "snapshots", repository, ..] => repository.rsplit("--").next().unwrap_or_default(),
        [own, ..] => own,
        [] => "",
    };
    check_name(name)?;
    Ok(name.to_owned())
}

/// A folder in which a model is put together. It goes when this does, and what a process left that was killed goes when
/// the next one begins.
struct Workplace {
    folder: tempfile::TempDir,
    /// Closing it lets the next process know that nobody works here.
    lock: File,
}

impl Workplace {
    fn new(models: &Path, name: &str) -> Result<Self> {
        let hold = Hold::of(models)?;
        clear(models, &hold)?;
        let folder = tempfile::Builder::new()
            .prefix(&format!("{ADDING}{name}-"))
            .tempdir_in(models)
            .map_err(|error| Error::io("write in", models, &error))?;
        let lock = hold.claim(folder.path())?;
        let lock = lock.ok_or_else(|| Error::failed(format!("{} is locked", folder.path().display())))?;
        Ok(Workplace { folder, lock })
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Gives the folder its name among the models.
    fn finish(self, models: &Path, name: &str) -> Result<()> {
        let Workplace { folder, lock } = self;
        let (from, to) = (folder.path(), models.join(name));
        // Takes long, and may be broken off: the folder is claimed until it is done.
        for file in files_in(from)?.iter().map(|file| file.path.as_str()).chain([RECORD]) {
            let path = from.join(file);
            File::open(&path).and_then(|file| file.sync_all()).map_err(|error| Error::io("write", &path, &error))?;
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // Temporary folders are the user's alone; this one is like those that the user makes.
            std::fs::set_permissions(from, std::fs::Permissions::from_mode(0o755))
                .map_err(|error| Error::io("change", from, &error))?;
        }
        // Between claim and name it looks like one that was left, and some systems rename no folder with an open file in it.
        let _hold = Hold::of(models)?;
        let path = from.join(LOCK);
        std::fs::remove_file(&path).map_err(|error| Error::io("remove", &path, &error))?;
        drop(lock);
        std::fs::rename(from, &to).map_err(|error| Error::io("make", &to, &error))?;
        // Its name is another one now, so there is nothing left to be taken away.
        let _kept = folder.keep();
        Ok(())
    }
}

/// Takes away what processes have left that were killed.
fn clear(models: &Path, hold: &Hold) -> Result<()> {
    let entries = std::fs::read_dir(models).map_err(|error| Error::io("read", models, &error))?;
    for entry in entries.flatten() {
        let is_workplace = entry.file_name().to_str().is_some_and(|name| name.starts_with(ADDING));
        if is_workplace && hold.worker(&entry.path()) == Worker::Nobody {
            remove_folder(&entry.path())?;
        }
    }
    Ok(())
}

/// Puts the graph into the folder, and weights that stay beside it, which are named.
fn put_graph(offer: &Offer, to: &Path, take: Take) -> Result<Vec<String>> {
    let path = to.join(GRAPH);
    if offer.graph == path {
        // It was made here.
        return Ok(offer.kept.iter().cloned().collect());
    }
    match &offer.made {
        Some(made) => std::fs::write(&path, made).map_err(|error| Error::io("write", &path, &error))?,
        None => put_file(&offer.graph, &path, take)?,
    }
    for name in &offer.kept {
        put_file(&offer.beside().join(name), &to.join(name), take)?;
    }
    Ok(offer.kept.iter().cloned().collect())
}

fn put_file(from: &Path, to: &Path, take: Take) -> Result<()> {
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder).map_err(|error| Error::io("make", folder, &error))?;
    }
    if to.exists() {
        return Err(Error::failed(format!("{} is wanted twice, under different names", to.display())));
    }
    // Copying a pipe would wait for somebody to write to it.
    if !std::fs::metadata(from).map_err(|error| Error::io("copy", from, &error))?.is_file() {
        return Err(Error::failed(format!("cannot copy {}: it is no file", from.display()))
            .hint("download the folder again, with all its files"));
    }
    match take {
        Take::Link if std::fs::hard_link(from, to).is_ok() => Ok(()),
        Take::Link | Take::Copy => std::fs::copy(from, to).map(drop).map_err(|error| Error::io("copy", from, &error)),
    }
}

/// Writes what tells words from each other, tries the model, and gives its habits with the dimension that they lacked,
/// and its fingerprint.
fn try_text(text: &TextOffer, name: &str, external: &[String], to: &Path, engine: &Engine) -> Result<(Habits, String)> {
    let files = &text.files;
    for (file, bytes) in [
        ("tokenizer.json", &files.tokenizer_file),
        ("config.json", &files.config_file),
        ("special_tokens_map.json", &files.special_tokens_map_file),
        ("tokenizer_config.json", &files.tokenizer_config_file),
    ] {
        write(to, file, bytes)?;
    }
    let files = ModelFiles { folder: to.to_owned(), graph: GRAPH.to_owned(), external: external.to_vec() };
    let source = Source::Folder(files);
    let model = Model {
        name: name.to_owned(),
        habits: text.habits.clone(),
        fingerprint: String::new(),
        source: source.clone(),
    };
    let habits = Habits { dimension: try_out(engine, &model, &text.tried)?, ..text.habits.clone() };
    let fingerprint = Model::fingerprint_of(&habits, &source)?;
    Ok((habits, fingerprint))
}

/// The same for a reranking model, whose own files say all there is to it.
fn try_reranker(offer: &Offer, to: &Path, engine: &Engine) -> Result<String> {
    for file in ["tokenizer.json", "config.json", "tokenizer_config.json", "special_tokens_map.json"] {
        let from = offer.folder.join(file);
        if from.exists() {
            put_file(&from, &to.join(file), Take::Copy)?;
        }
    }
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let model = CrossEncoder::load(engine, to, jobs)?;
    let scores = model.scores(QUESTION, &PASSAGES.map(str::to_owned), None)?;
    let wrong = |told: &str| {
        Error::failed(format!("the reranking model in {} cannot be used: {told}", offer.folder.display()))
            .hint("its files may not belong together; download it again")
    };
    if scores.iter().any(|score| !score.is_finite()) {
        return Err(wrong("it gives scores that are no numbers"));
    }
    if scores.windows(2).all(|pair| pair[0] == pair[1]) {
        return Err(wrong("it gives every passage the same score"));
    }
    let mut hasher = blake3::Hasher::new();
    for file in files_in(to)? {
        hasher.update(file.path.as_bytes());
        let path = to.join(&file.path);
        let unreadable = |error: &std::io::Error| Error::io("read", &path, error);
        let content = File::open(&path).map_err(|error| unreadable(&error))?;
        hasher.update_reader(content).map_err(|error| unreadable(&error))?;
    }
    Ok(hasher.finalize().to_hex().to_string())
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    let path = folder.join(name);
    std::fs::write(&path, bytes).map_err(|error| Error::io("write", &path, &error))
}

/// The files of a model in a folder, by name; weights may lie one folder further in.
fn files_in(folder: &Path) -> Result<Vec<ModelFile>> {
    let mut files = Vec::new();
    let mut left: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(next) = left.pop() {
        let unreadable = |error: &std::io::Error| Error::io("read", &next, error);
        for entry in std::fs::read_dir(&next).map_err(|error| unreadable(&error))? {
            let path = entry.map_err(|error| unreadable(&error))?.path();
            if path.is_dir() {
                left.push(path);
                continue;
            }
            let bytes = std::fs::metadata(&path).map_err(|error| unreadable(&error))?.len();
            let within = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            if within != LOCK && within != RECORD {
                files.push(ModelFile { path: within, bytes });
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(models: &Path) -> Vec<String> {
        let names = std::fs::read_dir(models).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name != LOCK).collect()
    }

    #[test]
    fn what_a_killed_process_left_goes_and_what_is_worked_in_stays() {
        let models = tempfile::tempdir().unwrap();
        let left = |name: &str| {
            let folder = models.path().join(format!("{ADDING}{name}"));
            std::fs::create_dir(&folder).unwrap();
            folder
        };
        // Killed before it had a lock, and later.
        left("early");
        std::fs::write(left("late").join(LOCK), "").unwrap();
        // As on a file system without locks: it may be worked in or not.
        std::fs::create_dir(left("unknown").join(LOCK)).unwrap();
        let first = Workplace::new(models.path(), "first").unwrap();
        let second = Workplace::new(models.path(), "second").unwrap();
        assert!(first.path().is_dir() && second.path().is_dir());
        assert_eq!(folders(models.path()).len(), 3, "{:?}", folders(models.path()));
        drop((first, second));
        assert_eq!(folders(models.path()), [".adding-unknown"]);
    }

    #[test]
    fn many_at_once_take_nothing_from_each_other() {
        let models = tempfile::tempdir().unwrap();
        let work = |thread: usize| {
            for round in 0..20 {
                let name = format!("{thread}-{round}");
                let work = Workplace::new(models.path(), &name).unwrap();
                write(work.path(), RECORD, b"x").unwrap();
                work.finish(models.path(), &name).unwrap();
            }
        };
        std::thread::scope(|scope| {
            (0..8).for_each(|thread| drop(scope.spawn(move || work(thread))));
        });
        assert_eq!(folders(models.path()).len(), 160);
    }
}
