//! The folder of models and what is installed in it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::catalogue::{known, nearest};
use super::record::{ModelKind, Record, cannot};
use super::work_folders::{downloads, lock_folder, remove_folder, remove_model, size_of};
use crate::embed::{EMBEDDED, Model, endpoint_model_name, is_endpoint_model};
use crate::endpoint::{EMBEDDINGS, EndpointConfig};
use crate::error::{Error, NextStep, Result, Setting, or_none};
use crate::store::ModelRecord;

/// The variable that names the folder of models.
const VARIABLE: &str = "KB_MODELS_DIR";

/// The name that users type for the model behind the endpoint.
pub const ENDPOINT: &str = "endpoint";

/// Whether a name means the model behind the endpoint, as users type it or as stores record it.
pub fn is_endpoint(name: &str) -> bool {
    name.eq_ignore_ascii_case(ENDPOINT) || is_endpoint_model(name)
}

#[derive(Debug, Clone)]
pub struct Models {
    folder: PathBuf,
    endpoint: Option<Arc<ConfiguredEndpoint>>,
    /// Whether another person may have written what the store records.
    of_others: bool,
}

/// `[embedding]`, and the model behind it once it was asked.
#[derive(Debug)]
struct ConfiguredEndpoint {
    config: EndpointConfig,
    found: OnceLock<Arc<Model>>,
}

/// A model in the folder of models.
#[derive(Debug)]
pub struct Installed {
    /// The name of its folder.
    pub name: String,
    pub folder: PathBuf,
    /// An error if the model cannot be used.
    pub record: Result<Record>,
}

impl Models {
    /// The models in the folder that `KB_MODELS_DIR` names, by default among the user's data.
    pub fn of_user() -> Result<Self> {
        Ok(Models::open(user_folder(std::env::var_os(VARIABLE), dirs::data_local_dir().as_deref())?))
    }

    /// The models in a folder, which may not exist.
    pub fn open(folder: impl Into<PathBuf>) -> Self {
        Models { folder: folder.into(), endpoint: None, of_others: false }
    }

    /// Adds the configured endpoint.
    pub fn with_endpoint(self, config: EndpointConfig) -> Self {
        Models { endpoint: Some(Arc::new(ConfiguredEndpoint { config, found: OnceLock::new() })), ..self }
    }

    /// For a store that the user has neither written to nor trusts: a model that it records sends no text to the
    /// endpoint.
    pub fn for_store_of_others(self) -> Self {
        Models { of_others: true, ..self }
    }

    /// The model behind the endpoint: with `record`, as a store recorded it; otherwise as it is now.
    pub(super) fn at_endpoint(&self, record: Option<&ModelRecord>) -> Result<Arc<Model>> {
        let endpoint = self.endpoint.as_ref();
        let settings = endpoint.map(|endpoint| endpoint.config.settings(EMBEDDINGS)).transpose()?.flatten();
        let (Some(endpoint), Some(settings)) = (endpoint, settings) else {
            return Err(Error::failed("no endpoint for embeddings is configured")
                .hint("set base_url and model in [embedding] of your config.toml"));
        };
        let Some(record) = record else {
            if let Some(found) = endpoint.found.get() {
                return Ok(found.clone());
            }
            let found = Arc::new(Model::at_endpoint(&settings)?);
            return Ok(endpoint.found.get_or_init(|| found).clone());
        };
        if record.name != endpoint_model_name(&settings.model) {
            let message = format!("the vectors were made by {}, but [embedding] names {}", record.name, settings.model);
            let replace = NextStep::ReplaceModel(ENDPOINT);
            return Err(Error::failed(message).hint(format!("name that model, or re-embed the namespace: `{replace}`")));
        }
        if self.of_others {
            let why = "this store is not trusted: kb would send text to your endpoint";
            let (trust, model) = (NextStep::Trust, Setting("model"));
            return Err(Error::failed(format!("the vectors were made by {}, and {why}", record.name))
                .hint(format!("trust the store with `{trust}`, or name the model yourself with {model}")));
        }
        Ok(Arc::new(Model::at_endpoint_as_recorded(&settings, record.dimension, &record.fingerprint)))
    }

    /// The name that a store records for the model behind the endpoint. Sends no request.
    pub(super) fn endpoint_name(&self) -> Option<String> {
        let settings = self.endpoint.as_ref()?.config.settings(EMBEDDINGS).ok()??;
        Some(endpoint_model_name(&settings.model))
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The installed models, sorted by name. A damaged one does not hide the others.
    pub fn list(&self) -> Result<Vec<Installed>> {
        let unreadable =
            |error| cannot("read", &self.folder)(error).hint(format!("name another folder with {VARIABLE}"));
        let entries = or_none(std::fs::read_dir(&self.folder)).map_err(unreadable)?;
        let mut here = Vec::new();
        for entry in entries.into_iter().flatten() {
            let folder = entry.map_err(unreadable)?.path();
            let Some(name) = folder.file_name().and_then(|name| name.to_str()).map(str::to_owned) else { continue };
            // The names of work and download folders begin with a dot.
            if !name.starts_with('.') && folder.is_dir() {
                here.push(Installed { record: Record::read(&folder), name, folder });
            }
        }
        here.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(here)
    }

    /// The installed model with a name: its own name, or any that the catalogue has for it.
    pub fn installed(&self, name: &str) -> Result<Option<Installed>> {
        let here = self.list()?;
        let place = |name: &str| here.iter().position(|one| one.name.eq_ignore_ascii_case(name));
        let place = place(name).or_else(|| known(name).and_then(|model| place(&model.name)));
        Ok(place.and_then(|place| here.into_iter().nth(place)))
    }

    pub fn find(&self, name: &str) -> Result<Arc<Model>> {
        if name.eq_ignore_ascii_case(EMBEDDED) {
            return Ok(Model::embedded());
        }
        if is_endpoint(name) {
            let configured = self.endpoint_name().filter(|own| is_endpoint_model(name) && own != name);
            return match configured {
                Some(own) => Err(Error::usage(format!("no such embedding model {name:?}; [embedding] names {own:?}"))
                    .hint(format!("name that one, {ENDPOINT:?}, or another model in [embedding] of your config.toml"))),
                None => self.at_endpoint(None),
            };
        }
        let (folder, record) = self.required(name, ModelKind::Text)?;
        let model = record.model(&folder).map(Arc::new);
        model.ok_or_else(|| {
            Error::failed(format!("the record of the model {name} lacks its settings")).hint("add it again")
        })
    }

    /// The installed model with a name and a kind. The error names what is installed and how to add a model.
    pub fn required(&self, name: &str, kind: ModelKind) -> Result<(PathBuf, Record)> {
        let Some(found) = self.installed(name)? else { return Err(self.missing(name, kind)?) };
        let record = found.record?;
        if record.kind == kind {
            return Ok((found.folder, record));
        }
        let is = match kind {
            ModelKind::Rerank => "an embedding model, not a reranking model",
            ModelKind::Text => "a reranking model, not an embedding model",
        };
        Err(Error::usage(format!("{name} is {is}")).hint(format!("`{}` lists them by kind", NextStep::ListModels)))
    }

    fn missing(&self, name: &str, kind: ModelKind) -> Result<Error> {
        let hint = match (known(name).filter(|model| model.kind == kind), nearest(name)) {
            (Some(model), _) => format!("download it with `{}`", NextStep::AddModel(&model.name)),
            (None, Some(near)) => format!("did you mean {near}? `{}` lists all", NextStep::ListModels),
            (None, None) => {
                format!("add one with `{}`; `{}` lists them", NextStep::AddModel("NAME|FOLDER"), NextStep::ListModels)
            }
        };
        let usable = |one: &Installed| one.record.as_ref().is_ok_and(|record| record.kind == kind);
        let here: Vec<String> = self.list()?.into_iter().filter(usable).map(|one| one.name).collect();
        let here = if here.is_empty() { "none".to_owned() } else { here.join(", ") };
        let (what, folder) = (kind.name(), self.folder.display());
        let missing = match kind {
            // Users may also name a reranking model by its folder.
            ModelKind::Rerank => format!("no such folder and no such {what} model {name:?}"),
            ModelKind::Text => format!("no such {what} model {name:?}"),
        };
        Ok(Error::usage(format!("{missing}; installed in {folder}: {here}")).hint(hint))
    }

    /// Removes the unfinished download of a model that is not installed. Returns the model's name and the freed bytes;
    /// `None` if there was none.
    pub fn remove_download(&self, name: &str) -> Result<Option<(String, u64)>> {
        let name = known(name).map_or(name, |model| model.name.as_str());
        if check_name(name).is_err() || self.installed(name)?.is_some() {
            return Ok(None);
        }
        let folder = downloads(&self.folder, name);
        if !folder.is_dir() {
            return Ok(None);
        }
        let _lock = lock_folder(&self.folder)?;
        let bytes = size_of(&folder);
        remove_folder(&folder)?;
        Ok(Some((name.to_owned(), bytes)))
    }

    /// The installed model with a name, which may be removed.
    pub fn removable(&self, name: &str) -> Result<Installed> {
        if name.eq_ignore_ascii_case(EMBEDDED) {
            return Err(Error::usage(format!("{EMBEDDED} is built into kb and cannot be removed")));
        }
        let missing = || {
            Error::usage(format!("no such model {name:?} in {}", self.folder.display()))
                .hint(format!("`{}` lists the installed ones", NextStep::ListModels))
        };
        self.installed(name)?.ok_or_else(missing)
    }

    /// Removes a model and its unfinished downloads. Returns the freed bytes.
    pub fn remove(&self, model: &Installed) -> Result<u64> {
        let _lock = lock_folder(&self.folder)?;
        remove_folder(&downloads(&self.folder, &model.name))?;
        let bytes = size_of(&model.folder);
        remove_model(&self.folder, &model.folder, &model.name)?;
        Ok(bytes)
    }
}

fn user_folder(named: Option<OsString>, data: Option<&Path>) -> Result<PathBuf> {
    if let Some(named) = named.filter(|named| !named.is_empty()) {
        return Ok(PathBuf::from(named));
    }
    data.map(|data| data.join("kb").join("models")).ok_or_else(|| {
        Error::failed("this system has no folder for user data to keep models in")
            .hint(format!("name a folder with {VARIABLE}"))
    })
}

/// Checks that a model can have this name, which must be a valid folder name on every system.
pub(super) fn check_name(name: &str) -> Result<()> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let good = (1..=100).contains(&name.len())
        && name.chars().all(allowed)
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && !name.ends_with('.');
    let taken = ["light", "off", "auto", "none", ENDPOINT].iter().any(|word| name.eq_ignore_ascii_case(word));
    let reason = match (good, taken) {
        (_, true) => {
            format!("the word has another meaning as a value of {} or {}", Setting("rerank"), Setting("model"))
        }
        (false, _) => "a name consists of letters, digits and .-_".to_owned(),
        (true, false) => return Ok(()),
    };
    let hint = format!("choose another one with {} NAME", Setting("name"));
    Err(Error::usage(format!("invalid model name {name:?}: {reason}")).hint(hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(models: &Models, name: &str, kind: ModelKind) {
        let folder = models.folder().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("model.onnx"), "abc").unwrap();
        Record { kind, ..crate::models::record::tests::record(name) }.write(&folder).unwrap();
    }

    #[test]
    fn models_are_listed_by_name_without_working_folders() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Models::open(folder.path().join("none")).list().unwrap().is_empty());
        let models = Models::open(folder.path());
        put(&models, "b", ModelKind::Text);
        put(&models, "a", ModelKind::Rerank);
        put(&models, ".adding-x", ModelKind::Text);
        std::fs::write(folder.path().join("README"), "").unwrap();
        std::fs::create_dir(folder.path().join("damaged")).unwrap();
        let here = models.list().unwrap();
        let names: Vec<(&str, bool)> = here.iter().map(|one| (one.name.as_str(), one.record.is_ok())).collect();
        assert_eq!(names, [("a", true), ("b", true), ("damaged", false)]);
    }

    #[test]
    fn a_model_is_found_by_its_names_and_a_missing_one_lists_the_installed_ones() {
        let folder = tempfile::tempdir().unwrap();
        let models = Models::open(folder.path());
        let find =
            |name, kind| models.required(name, kind).map_or_else(|error| error.to_line(), |(_, found)| found.name);
        assert!(find("bge-m3", ModelKind::Text).contains(": none; download it with `AddModel(\"bge-m3\")`"));
        put(&models, "bge-m3", ModelKind::Text);
        put(&models, "mine", ModelKind::Rerank);
        assert_eq!(find("BAAI/BGE-M3", ModelKind::Text), "bge-m3");
        assert_eq!(find("mine", ModelKind::Rerank), "mine");
        assert!(find("bge-m3", ModelKind::Rerank).contains("is an embedding model, not a reranking model"));
        assert!(find("bge-m4", ModelKind::Text).contains(": bge-m3; did you mean bge-m3?"));
        assert!(find("bge-reranker-bose", ModelKind::Rerank).contains("did you mean bge-reranker-base"));
    }

    #[test]
    fn the_variable_overrides_the_users_data_folder() {
        let data = Path::new("/home/x/.local/share");
        assert_eq!(user_folder(None, Some(data)).unwrap(), data.join("kb/models"));
        assert_eq!(user_folder(Some("".into()), Some(data)).unwrap(), data.join("kb/models"));
        assert_eq!(user_folder(Some("models".into()), Some(data)).unwrap(), Path::new("models"));
        assert!(user_folder(None, None).unwrap_err().to_line().contains(VARIABLE));
    }

    #[test]
    fn names_stay_within_their_folder() {
        for good in ["bge-small-en-v1.5", "E5_x", "7b"] {
            assert!(check_name(good).is_ok(), "{good}");
        }
        for bad in ["", ".", "..", ".x", "a/b", "a\\b", "a b", "-x", "水泵", "x.", "light", "Off", &"x".repeat(101)] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
    }
}
