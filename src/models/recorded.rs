//! Which model a namespace has its vectors of, and which one it gets.

use std::sync::Arc;

use super::Models;
use crate::embed::{EMBEDDED, Model};
use crate::error::{Error, Result};
use crate::store::ModelRecord;

/// What a store writes down of a model.
pub fn record_of(model: &Model) -> ModelRecord {
    ModelRecord {
        name: model.name.clone(),
        dimension: model.habits.dimension,
        fingerprint: Some(model.fingerprint.clone()),
    }
}

/// Which model a user wants.
#[derive(Debug, Clone)]
pub struct ModelChoice {
    /// Where models are looked for.
    pub models: Models,
    /// The one that was named, by a flag or in the environment. Vectors of another one are refused.
    pub asked: Option<String>,
    /// The one that `kb.toml` names: for a namespace that has no vectors yet, where none was asked for.
    pub preset: Option<String>,
}

impl ModelChoice {
    /// The record of the model for a namespace that has its vectors of `published`, or nothing published yet.
    ///
    /// # Errors
    /// Where another model was asked for than the namespace has, or one that is not here.
    pub fn of_namespace(&self, namespace: &str, published: Option<&ModelRecord>) -> Result<ModelRecord> {
        let Some(published) = published else {
            let name = self.asked.as_deref().or(self.preset.as_deref()).unwrap_or(EMBEDDED);
            return Ok(record_of(&*self.models.find(name)?));
        };
        if let Some(asked) = &self.asked {
            let asked = self.models.find(asked)?;
            if !record_of(&asked).agrees_with(published) {
                return Err(refusal(namespace, published, &asked.name));
            }
        }
        Ok(published.clone())
    }

    /// What a user should know where `kb.toml` names another model than that which is used.
    pub fn note(&self, used: &ModelRecord) -> Option<String> {
        let preset = self.preset.as_ref().filter(|_| self.asked.is_none())?;
        // A model may go by several names.
        let preset = self.models.find(preset).map_or_else(|_| preset.clone(), |model| model.name.clone());
        if preset == used.name {
            return None;
        }
        let used = &used.name;
        Some(format!(
            "the vectors are of the model {used}, and kb.toml names {preset}: `kb reindex --vectors --model {preset}` changes that"
        ))
    }
}

/// Vectors of two models cannot be compared, so a namespace has those of one.
fn refusal(namespace: &str, published: &ModelRecord, asked: &str) -> Error {
    let name = &published.name;
    let told = if name == asked {
        format!("the namespace {namespace:?} holds vectors of another {name} than that which is here")
    } else {
        format!("the namespace {namespace:?} holds vectors of the model {name}, and {asked} was asked for")
    };
    Error::failed(told).hint(format!(
        "make all of them anew with `kb reindex --vectors --model {asked} -n {namespace}`, or take another namespace"
    ))
}

impl Models {
    /// The model of a record.
    ///
    /// # Errors
    /// Where there is none of that name, or it is another one than what made the vectors.
    pub fn recorded(&self, record: &ModelRecord) -> Result<Arc<Model>> {
        let (model, name) = (self.of_that_name(record)?, &record.name);
        if record_of(&model).agrees_with(record) {
            return Ok(model);
        }
        Err(Error::failed(format!("the model {name} here is another one than that which made the vectors"))
            .hint(format!("make them anew with the one that is here: `kb reindex --vectors --model {name}`")))
    }

    /// The model that has the name of a record, whether it is the same one or not.
    ///
    /// # Errors
    /// Where there is none.
    pub fn of_that_name(&self, record: &ModelRecord) -> Result<Arc<Model>> {
        let name = &record.name;
        if name != EMBEDDED && self.installed(name)?.is_none() {
            return Err(Error::failed(format!("the model {name}, which made the vectors, is not here")).hint(format!(
                "add it with `kb models add {name}`, or make vectors with another: `kb reindex --vectors --model NAME`"
            )));
        }
        self.find(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(asked: Option<&str>, preset: Option<&str>) -> ModelChoice {
        let own = |name: Option<&str>| name.map(str::to_owned);
        ModelChoice { models: Models::open("/nowhere"), asked: own(asked), preset: own(preset) }
    }

    fn other() -> ModelRecord {
        ModelRecord { name: "other".to_owned(), dimension: 4, fingerprint: Some("f".to_owned()) }
    }

    #[test]
    fn what_is_published_is_used_and_a_preset_is_for_what_is_new() {
        let embedded = record_of(&Model::embedded());
        assert_eq!(choice(None, None).of_namespace("n", None).unwrap(), embedded);
        assert_eq!(choice(None, Some(EMBEDDED)).of_namespace("n", Some(&other())).unwrap(), other());
        assert_eq!(choice(Some(EMBEDDED), Some("gone")).of_namespace("n", None).unwrap(), embedded);
        assert!(choice(None, Some("gone")).of_namespace("n", None).is_err());
        let note = choice(None, Some(EMBEDDED)).note(&other()).unwrap();
        assert!(note.contains(&format!("kb reindex --vectors --model {EMBEDDED}")), "{note}");
        assert_eq!(choice(None, Some(EMBEDDED)).note(&embedded), None);
    }

    #[test]
    fn another_model_than_the_published_one_is_refused_with_what_helps() {
        let error = choice(Some(EMBEDDED), None).of_namespace("n", Some(&other())).unwrap_err();
        assert!(error.to_line().contains("vectors of the model other") && error.kind().exit_code() == 3, "{error}");
        assert!(error.next_step().unwrap().contains(&format!("kb reindex --vectors --model {EMBEDDED} -n n")));
        let same_name = ModelRecord { fingerprint: Some("f".to_owned()), ..record_of(&Model::embedded()) };
        let error = choice(Some(EMBEDDED), None).of_namespace("n", Some(&same_name)).unwrap_err();
        assert!(error.message().contains("another all-MiniLM"), "{error}");
    }

    #[test]
    fn a_record_leads_to_its_model_or_says_why_not() {
        let models = Models::open("/nowhere");
        let embedded = record_of(&Model::embedded());
        let of_earlier_version = ModelRecord { fingerprint: None, ..embedded.clone() };
        assert_eq!(models.recorded(&of_earlier_version).unwrap().name, EMBEDDED);
        let error = models.recorded(&other()).unwrap_err();
        assert!(error.to_line().contains("kb models add other") && error.kind().exit_code() == 3, "{error}");
        let changed = ModelRecord { fingerprint: Some("f".to_owned()), ..embedded };
        assert!(models.recorded(&changed).unwrap_err().to_line().contains("is another one"));
    }
}
