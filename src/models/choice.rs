//! The embedding model of a namespace: the one that made its vectors, or the one for a new namespace.

use std::sync::Arc;

use super::catalogue::{KnownModel, catalogue};
use super::installed::{Models, is_endpoint};
use crate::embed::{EMBEDDED, Model, is_endpoint_model};
use crate::error::{Error, NextStep, Result};
use crate::store::ModelRecord;
use crate::text::script::coverage;

/// The least share of a text that a suggested model reads.
const LEAST_SHARE: f32 = 0.9;

/// What a store records about a model.
pub fn record_of(model: &Model) -> ModelRecord {
    ModelRecord {
        name: model.name.clone(),
        dimension: model.embedding_config.dimension,
        fingerprint: model.fingerprint.clone(),
    }
}

/// The model that a user wants.
#[derive(Debug, Clone)]
pub struct ModelChoice {
    pub models: Models,
    /// Named by a flag or the environment. It must be the model of a namespace's vectors, if there are any.
    pub asked: Option<String>,
    /// Named by `kb.toml`, for a namespace without vectors.
    pub preset: Option<String>,
}

impl ModelChoice {
    /// The record of a namespace's model. `published` is the model of its vectors, if it has any.
    pub fn of_namespace(&self, namespace: &str, published: Option<&ModelRecord>) -> Result<ModelRecord> {
        let Some(published) = published else {
            let name = self.asked.as_deref().or(self.preset.as_deref()).unwrap_or(EMBEDDED);
            return Ok(record_of(&*self.models.find(name)?));
        };
        match &self.asked {
            None => {}
            // The fingerprint is compared at the first request for vectors.
            Some(asked) if is_endpoint(asked) && is_endpoint(&published.name) => {
                if is_endpoint_model(asked) && *asked != published.name {
                    return Err(refusal(namespace, published, asked));
                }
                self.models.at_endpoint(Some(published))?;
            }
            Some(asked) if is_endpoint(asked) => return Err(refusal(namespace, published, asked)),
            Some(asked) => {
                let asked = self.models.find(asked)?;
                if record_of(&asked) != *published {
                    return Err(refusal(namespace, published, &asked.name));
                }
            }
        }
        Ok(published.clone())
    }

    /// A note if `kb.toml` names another model than the one in use.
    pub fn note(&self, used: &ModelRecord) -> Option<String> {
        let preset = self.preset.as_ref().filter(|_| self.asked.is_none())?;
        // A model may have several names, so the names of models are compared.
        let preset = match is_endpoint(preset) {
            true => self.models.endpoint_name().unwrap_or_else(|| preset.clone()),
            false => self.models.find(preset).map_or_else(|_| preset.clone(), |model| model.name.clone()),
        };
        (preset != used.name).then(|| {
            let (used, replace) = (&used.name, NextStep::ReplaceModel(&preset));
            format!("the model {used} made the vectors, but kb.toml names {preset}; `{replace}` replaces them")
        })
    }
}

/// The error for a second model: vectors of two models cannot be compared.
fn refusal(namespace: &str, published: &ModelRecord, asked: &str) -> Error {
    let name = &published.name;
    let by = match name == asked {
        true => format!("another version of {name} than the installed one"),
        false => format!("the model {name}, not by {asked}"),
    };
    Error::failed(format!("the vectors of the namespace {namespace:?} were made by {by}"))
        .hint(format!("re-embed the namespace: `{}`; or use another namespace", NextStep::ReplaceModel(asked)))
}

impl Models {
    pub fn recorded(&self, record: &ModelRecord) -> Result<Arc<Model>> {
        let (model, name) = (self.of_that_name(record)?, &record.name);
        if record_of(&model) == *record {
            return Ok(model);
        }
        Err(Error::failed(format!("the installed model {name} is not the one that made the vectors"))
            .hint(format!("re-embed with the installed one: `{}`", NextStep::ReplaceModel(name))))
    }

    /// The installed model with the recorded name, which may be a different model.
    pub fn of_that_name(&self, record: &ModelRecord) -> Result<Arc<Model>> {
        let name = &record.name;
        if is_endpoint(name) {
            return self.at_endpoint(Some(record));
        }
        if name != EMBEDDED && self.installed(name)?.is_none() {
            let (add, replace) = (NextStep::AddModel(name), NextStep::ReplaceModel("NAME"));
            let hint = format!("add it with `{add}`, or re-embed with another one: `{replace}`");
            return Err(Error::failed(format!("the model {name}, which made the vectors, is not installed")).hint(hint));
        }
        self.find(name)
    }
}

/// The smallest and the best of the embedding models for a text; they may be the same. Scripts decide, so a text in
/// Latin letters needs a model of many languages: English alone would be a guess.
pub fn suggested(text: &str) -> Option<(&'static KnownModel, &'static KnownModel)> {
    let reads = |model: &&KnownModel| coverage(text, &model.scripts) >= LEAST_SHARE;
    let candidates = || catalogue().iter().filter(|model| model.rank.is_some()).filter(reads);
    let small = candidates().min_by_key(|model| (model.megabytes, model.rank))?;
    Some((small, candidates().max_by_key(|model| model.rank)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn other() -> ModelRecord {
        ModelRecord { name: "other".to_owned(), dimension: 4, fingerprint: "f".to_owned() }
    }

    #[test]
    fn a_missing_endpoint_is_not_taken_for_another_model() {
        let choice = ModelChoice { models: Models::open("/nowhere"), asked: Some("endpoint".to_owned()), preset: None };
        let published = ModelRecord { name: "endpoint:words".to_owned(), ..other() };
        let error = choice.of_namespace("n", Some(&published)).unwrap_err();
        assert!(error.to_line().contains("no endpoint for embeddings is configured"), "{error}");
        let error = choice.of_namespace("n", Some(&other())).unwrap_err();
        assert!(error.message().contains("were made by the model other, not by endpoint"), "{error}");
    }

    #[test]
    fn text_in_latin_letters_needs_a_model_of_many_languages() {
        let (small, best) = suggested("Die Pumpe").unwrap();
        assert_eq!((small.name.as_str(), best.name.as_str()), ("multilingual-e5-small", "bge-m3"));
    }
}
