//! Which models the vectors that are searched are of, and a question as each of them sees it.
//!
//! A namespace remembers the model of its vectors, and several that are searched together may have several. Each is
//! asked by its own model, and cosines of two models are never compared: what the one calls near, the other may call
//! far. So the scores of each are scaled by themselves, as those of each arm are, and it is the words, which mean the same
//! everywhere, that tell the namespaces apart. Where only cosines would count, nothing could tell them apart: that is
//! refused.

use std::path::PathBuf;
use std::sync::Arc;

use super::encoder::Encoder;
use super::query::{COVERAGE_FROM, Route};
use super::query_encoder::{QueryEncoder, TableAt};
use super::searched::Searched;
use super::{Method, SearchRequest};
use crate::embed::Model;
use crate::embed::query_table::QUERY_TABLE;
use crate::error::{Error, Result};
use crate::store::{ModelRecord, Snapshot};

/// The models of some namespaces.
pub(super) struct VectorModels {
    /// Those that are here, each once.
    models: Vec<Arc<Model>>,
    /// The record of each namespace, and the place of its model in `models`; `None` where that is not here.
    each: Vec<(ModelRecord, Option<usize>)>,
    /// The namespaces whose model is not here.
    missing: Vec<Missing>,
    /// Of each of `models`, where the table is that stands in for it.
    tables: Vec<TableAt>,
}

/// A namespace whose vectors cannot be asked.
struct Missing {
    namespace: String,
    /// Why not.
    told: String,
    /// The next step.
    hint: String,
}

impl VectorModels {
    /// The models of namespaces, by what is published now. That is read before they are opened, so that a model can be
    /// loaded meanwhile; [`check`](Self::check) tells whether it was the same then.
    ///
    /// # Errors
    /// Where what is published cannot be read.
    pub(super) async fn of(namespaces: &[Searched], encoder: &Encoder) -> Result<Self> {
        let mut all = VectorModels { models: Vec::new(), each: Vec::new(), missing: Vec::new(), tables: Vec::new() };
        for searched in namespaces {
            let namespace = searched.namespace();
            // Where nothing is published, opening it says so.
            let Some(record) = Snapshot::model_of(namespace).await? else { continue };
            let place = match encoder.model_of(&record) {
                Ok(model) => Some(all.place_of(model, || namespace.root().join(QUERY_TABLE))),
                Err(error) => {
                    let (told, hint) = (error.message().to_owned(), error.next_step().unwrap_or_default().to_owned());
                    all.missing.push(Missing { namespace: namespace.name().to_owned(), told, hint });
                    None
                }
            };
            all.each.push((record, place));
        }
        Ok(all)
    }

    /// The place of a model that another namespace has, whose table would be there.
    fn place_of(&mut self, model: Arc<Model>, table: impl Fn() -> PathBuf) -> usize {
        let known = self.models.iter().position(|known| known.fingerprint == model.fingerprint);
        if let Some(place) = known {
            self.tables[place] = TableAt::Several;
            return place;
        }
        self.models.push(model);
        self.tables.push(TableAt::File(table()));
        self.models.len() - 1
    }

    /// The share of a question's words that the model covers which covers most of them.
    pub(super) fn coverage(&self, query: &str) -> f32 {
        let shares = self.models.iter().map(|model| model.habits.languages.share(query));
        // Without any model there is none that could not read it.
        shares.reduce(f32::max).unwrap_or(1.0)
    }

    /// Their names, for people.
    pub(super) fn names(&self) -> String {
        let mut names: Vec<&str> = self.models.iter().map(|model| model.name.as_str()).collect();
        names.dedup();
        names.join(" and ")
    }

    /// The route as far as the models allow it: by words alone where none is here.
    ///
    /// # Errors
    /// Where vectors alone were asked for, and some cannot be asked or not be compared.
    pub(super) fn allow(&self, route: Route, notes: &mut Vec<String>) -> Result<Route> {
        if route.semantic <= 0.0 {
            return Ok(route);
        }
        if route.keyword <= 0.0 {
            if let Some(Missing { namespace, told, hint }) = self.missing.first() {
                let told = format!("the vectors of the namespace {namespace:?} cannot be asked: {told}");
                return Err(Error::failed(told).hint(format!("{hint}; or use --method keyword")));
            }
            if self.models.len() > 1 {
                let told = format!(
                    "these namespaces have vectors of several models ({}), whose scores cannot be compared",
                    self.names()
                );
                return Err(Error::failed(told)
                    .hint("search them one by one, or leave --method out: then the words tell them apart"));
            }
        }
        for Missing { namespace, told, hint } in &self.missing {
            notes.push(format!("searched in {namespace:?} by words alone: {told}; {hint}"));
        }
        match self.models.is_empty() {
            true => Ok(Route { keyword: 1.0, semantic: 0.0, why: "the model of the vectors is not here", ..route }),
            false => Ok(route),
        }
    }

    /// Refuses generations that were published with other vectors since the models were told.
    ///
    /// # Errors
    /// Where there is one.
    pub(super) fn check(&self, snapshots: &[&Snapshot]) -> Result<()> {
        let same =
            |((record, _), snapshot): (&(ModelRecord, _), &&Snapshot)| record.agrees_with(&snapshot.manifest().model);
        if self.each.len() == snapshots.len() && self.each.iter().zip(snapshots).all(same) {
            return Ok(());
        }
        Err(Error::failed("the vectors of another model were published just now").hint("ask once more"))
    }

    /// What makes the vectors of a question, for another thread.
    pub(super) fn asking(&self, request: &SearchRequest, encoder: &Encoder) -> Asking {
        // A model that cannot read the question is left out where another one can, as it would be were it alone.
        let by_language = matches!(request.method, Method::Auto | Method::Hybrid) && request.weights.is_none();
        let reads = |model: &Model| model.habits.languages.share(&request.query) >= COVERAGE_FROM;
        let some_reads = self.models.iter().any(|model| reads(model));
        let asked = |model: &Arc<Model>| (!by_language || !some_reads || reads(model)).then(|| model.clone());
        Asking {
            models: self.models.iter().map(asked).collect(),
            places: self.each.iter().map(|(_, place)| *place).collect(),
            encoder: encoder.clone(),
            choice: request.query_encoder,
            tables: self.tables.clone(),
        }
    }
}

/// Makes the vectors of questions.
#[derive(Clone)]
pub(super) struct Asking {
    /// `None` for those that are not asked.
    models: Vec<Option<Arc<Model>>>,
    /// Of each namespace, the place of its model.
    places: Vec<Option<usize>>,
    encoder: Encoder,
    choice: QueryEncoder,
    /// Of each model, where its table is.
    tables: Vec<TableAt>,
}

/// The vectors of a question, and how they came about.
pub(super) struct Asked {
    pub vectors: QuestionVectors,
    /// The milliseconds that loading models and tables took, and running them.
    pub load_ms: f64,
    pub encode_ms: f64,
    /// By what each was made.
    pub told: Vec<String>,
    /// What is wrong with tables that were not used.
    pub notes: Vec<String>,
}

impl Asking {
    /// The vectors of a question.
    ///
    /// # Errors
    /// Where a model cannot be loaded or fails, or a table was asked for that is not there.
    pub(super) fn encode(&self, query: &str) -> Result<Asked> {
        let vectors = Vec::with_capacity(self.models.len());
        let vectors = QuestionVectors { vectors, places: self.places.clone(), share: 0.0 };
        let mut asked = Asked { vectors, load_ms: 0.0, encode_ms: 0.0, told: Vec::new(), notes: Vec::new() };
        for (model, table) in self.models.iter().zip(&self.tables) {
            let encoded = match model {
                Some(model) => Some(self.encoder.encode_by(self.choice, table, model, query)?),
                None => None,
            };
            asked.vectors.vectors.push(encoded.map(|encoded| {
                asked.load_ms += encoded.load_ms;
                asked.encode_ms += encoded.encode_ms;
                asked.told.push(format!("the question's vector: by {}", encoded.told));
                asked.notes.extend(encoded.wrong);
                asked.vectors.share = asked.vectors.share.max(encoded.read.share);
                encoded.read.vector
            }));
        }
        Ok(asked)
    }
}

/// A question as the models see it that the vectors are of.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionVectors {
    /// By model; `None` of one that was not asked.
    vectors: Vec<Option<Vec<f32>>>,
    /// Of each namespace, the place of its model.
    places: Vec<Option<usize>>,
    /// How well the model could read the question that could best.
    share: f32,
}

impl QuestionVectors {
    /// How well the model could read the question that could best, from 0 to 1.
    pub(super) fn share(&self) -> f32 {
        self.share
    }

    /// The question for the vectors of a namespace, by its place; `None` where those cannot be asked.
    pub fn of(&self, namespace: usize) -> Option<&[f32]> {
        let place = self.places.get(namespace).copied().flatten()?;
        self.vectors.get(place)?.as_deref()
    }

    /// Of each namespace, the number of its model: cosines are compared only among namespaces of the same.
    pub(super) fn models(&self) -> Vec<usize> {
        // Those without one have no cosines.
        self.places.iter().map(|place| place.unwrap_or(0)).collect()
    }
}

#[cfg(test)]
impl From<Vec<f32>> for QuestionVectors {
    /// One for all of up to eight namespaces, for tests.
    fn from(vector: Vec<f32>) -> Self {
        QuestionVectors { vectors: vec![Some(vector)], places: vec![Some(0); 8], share: 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::{Coverage, Habits};
    use crate::retrieve::understand::Understanding;

    fn model(name: &str, languages: Coverage) -> Arc<Model> {
        let embedded = Model::embedded();
        let habits = Habits { languages, ..embedded.habits.clone() };
        Arc::new(Model { name: name.to_owned(), fingerprint: name.to_owned(), habits, source: embedded.source.clone() })
    }

    /// Namespaces of the given models; `None` for one that is not here.
    fn models(of: &[Option<Arc<Model>>]) -> VectorModels {
        let mut all = VectorModels { models: Vec::new(), each: Vec::new(), missing: Vec::new(), tables: Vec::new() };
        for model in of {
            let place = model.clone().map(|model| all.place_of(model, PathBuf::new));
            if place.is_none() {
                let (namespace, told, hint) = ("n".to_owned(), "m is not here".to_owned(), "add it".to_owned());
                all.missing.push(Missing { namespace, told, hint });
            }
            all.each.push((ModelRecord { name: "m".to_owned(), dimension: 1, fingerprint: None }, place));
        }
        all
    }

    fn route(all: &VectorModels, query: &str, method: Method) -> Result<(Method, Vec<String>)> {
        let request = SearchRequest { method, ..SearchRequest::new(query) };
        let route = Route::choose(&Understanding::of(query), &request, all.coverage(query));
        let mut notes = Vec::new();
        all.allow(route, &mut notes).map(|route| (route.method(), notes))
    }

    const QUESTION: &str = "how to prime the pump";

    #[test]
    fn without_the_model_words_alone_are_searched_and_vectors_alone_refused() {
        let all = models(&[None]);
        let (method, notes) = route(&all, QUESTION, Method::Auto).unwrap();
        assert_eq!((method, notes.len()), (Method::Keyword, 1));
        assert!(notes[0].contains("by words alone: m is not here; add it"), "{notes:?}");
        let error = route(&all, QUESTION, Method::Semantic).unwrap_err();
        assert!(error.kind().exit_code() == 3 && error.to_line().contains("--method keyword"), "{error}");
        assert_eq!(route(&all, QUESTION, Method::Keyword).unwrap(), (Method::Keyword, Vec::new()));
    }

    #[test]
    fn a_namespace_without_its_model_does_not_take_the_vectors_from_others() {
        let all = models(&[Some(model("a", Coverage::latin())), None]);
        let (method, notes) = route(&all, QUESTION, Method::Auto).unwrap();
        assert_eq!((method, notes.len()), (Method::Hybrid, 1));
    }

    #[test]
    fn vectors_of_several_models_are_asked_together_with_words_only() {
        let all = models(&[Some(model("a", Coverage::latin())), Some(model("b", Coverage::everything()))]);
        assert_eq!(route(&all, QUESTION, Method::Auto).unwrap().0, Method::Hybrid);
        let error = route(&all, QUESTION, Method::Semantic).unwrap_err();
        assert!(error.message().contains("a and b"), "{error}");
        // The one can read Chinese, the other is not asked for it.
        assert_eq!(route(&all, "如何启动水泵", Method::Auto).unwrap().0, Method::Hybrid);
        let asking = all.asking(&SearchRequest::new("如何启动水泵"), &Encoder::without_model());
        assert_eq!(asking.models.iter().map(Option::is_some).collect::<Vec<_>>(), [false, true]);
        let same = models(&[Some(model("a", Coverage::latin())), Some(model("a", Coverage::latin()))]);
        assert_eq!(route(&same, QUESTION, Method::Semantic).unwrap().0, Method::Semantic);
    }

    #[test]
    fn each_namespace_has_the_vector_of_its_model() {
        let vectors = QuestionVectors {
            vectors: vec![Some(vec![1.0]), None],
            places: vec![Some(0), Some(1), None, Some(0)],
            share: 1.0,
        };
        let of: Vec<bool> = (0..5).map(|namespace| vectors.of(namespace).is_some()).collect();
        assert_eq!(of, [true, false, false, true, false]);
        assert_eq!(vectors.models(), [0, 1, 0, 0]);
    }
}
