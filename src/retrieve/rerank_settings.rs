//! What a caller can set about the second looks: by what, how deep, how long.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use serde::Deserialize;

use super::settings::{Contradiction, Settings};
use super::{DEFAULT_RERANK_DEPTH, DEFAULT_RERANK_TIME, ModelLook, Rerank, SecondLook};
use crate::text::period;

/// The most candidates that a cross-encoder is asked to read.
const LARGEST_DEPTH: usize = 1000;

/// How the best candidates are looked at again, as it is typed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum RerankChoice {
    /// By the question's words.
    Light,
    /// Not at all.
    Off,
    /// By a cross-encoder too: the one in this folder, or of this name in the folder of models.
    Model(PathBuf),
}

impl FromStr for RerankChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "light" => Ok(RerankChoice::Light),
            "off" => Ok(RerankChoice::Off),
            _ if text.trim().is_empty() => {
                Err("light, off or a reranking model is wanted, by its name or its folder".to_owned())
            }
            folder => Ok(RerankChoice::Model(PathBuf::from(folder))),
        }
    }
}

impl TryFrom<String> for RerankChoice {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

/// How long a cross-encoder may read; as long as it takes, where `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct RerankBudget(pub Option<Duration>);

impl FromStr for RerankBudget {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.trim().eq_ignore_ascii_case("none") {
            return Ok(RerankBudget(None));
        }
        let time = period::seconds(text).and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let time = time.filter(|time| !time.is_zero());
        time.map(|time| RerankBudget(Some(time)))
            .ok_or_else(|| format!("{text:?} is no duration above 0; say for example 500ms, 2s or none"))
    }
}

impl TryFrom<String> for RerankBudget {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl Settings {
    /// The second looks in effect. `time` is how long a cross-encoder may read where nothing is said.
    pub fn rerank(&self, time: RerankBudget) -> Rerank {
        match &self.rerank {
            None => Rerank::Auto,
            Some(RerankChoice::Off) => Rerank::Off,
            Some(RerankChoice::Light) => Rerank::Light(SecondLook::default()),
            Some(RerankChoice::Model(folder)) => Rerank::Model(ModelLook {
                folder: folder.clone(),
                depth: self.rerank_depth.unwrap_or(DEFAULT_RERANK_DEPTH),
                time: self.rerank_budget.unwrap_or(time).0,
            }),
        }
    }

    pub(super) fn rerank_contradiction(&self) -> Option<Contradiction> {
        let wrong = |setting, message: String| Some(Contradiction { setting, message });
        if !matches!(self.rerank, Some(RerankChoice::Model(_))) {
            let of_models =
                [("rerank_depth", self.rerank_depth.is_some()), ("rerank_budget", self.rerank_budget.is_some())];
            let (setting, _) = of_models.into_iter().find(|(_, said)| *said)?;
            let told = format!("{{{setting}}} says something only to a reranking model; {{rerank}} must name one");
            return wrong(setting, told);
        }
        let depth = self.rerank_depth.filter(|depth| !(1..=LARGEST_DEPTH).contains(depth))?;
        wrong("rerank_depth", format!("{{rerank_depth}} is {depth}, which is not from 1 to {LARGEST_DEPTH}"))
    }

    /// What the second looks are set to by these, and where they are silent by `file`. Another look than a model's, said
    /// here, drops what the file says to a model.
    pub(super) fn merge_rerank(&mut self, file: &Settings) {
        let of_model = !matches!(self.rerank, Some(RerankChoice::Light | RerankChoice::Off));
        self.rerank_depth = self.rerank_depth.or(file.rerank_depth.filter(|_| of_model));
        self.rerank_budget = self.rerank_budget.or(file.rerank_budget.filter(|_| of_model));
        self.rerank = self.rerank.take().or_else(|| file.rerank.clone());
    }
}

/// How long a cross-encoder may read for a person who waits.
pub const SEARCH_BUDGET: RerankBudget = RerankBudget(Some(DEFAULT_RERANK_TIME));

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> Option<RerankChoice> {
        "models/x".parse().ok()
    }

    fn wrong(settings: Settings) -> String {
        settings.contradiction().map_or_else(String::new, |found| found.told(|setting| format!("--{setting}")))
    }

    #[test]
    fn looks_and_budgets_are_read() {
        assert_eq!("light".parse(), Ok(RerankChoice::Light));
        assert_eq!("./off".parse(), Ok(RerankChoice::Model("./off".into())));
        assert!(" ".parse::<RerankChoice>().is_err());
        let budget = |text: &str| text.parse::<RerankBudget>().map(|budget| budget.0);
        assert_eq!(budget("500ms"), Ok(Some(Duration::from_millis(500))));
        assert_eq!(budget("1.5 s"), Ok(Some(Duration::from_millis(1500))));
        assert_eq!(budget("none"), Ok(None));
        for bad in ["0s", "-1s", "soon", "500", ""] {
            assert!(budget(bad).unwrap_err().contains("500ms"), "{bad}");
        }
    }

    #[test]
    fn depth_and_budget_need_a_model() {
        let budget = "1s".parse().ok();
        let none = Settings::default;
        assert!(wrong(Settings { rerank_budget: budget, ..none() }).contains("--rerank must name one"));
        let light = Settings { rerank_depth: Some(10), rerank: Some(RerankChoice::Light), ..none() };
        assert!(wrong(light).contains("--rerank_depth says something only"));
        assert_eq!(wrong(Settings { rerank_budget: budget, rerank_depth: Some(10), rerank: model(), ..none() }), "");
        assert!(wrong(Settings { rerank_depth: Some(0), rerank: model(), ..none() }).contains("not from 1 to 1000"));
    }

    #[test]
    fn what_is_typed_settles_what_the_file_says_to_a_model() {
        let file = Settings {
            rerank: model(),
            rerank_depth: Some(10),
            rerank_budget: "2s".parse().ok(),
            ..Settings::default()
        };
        let merged = Settings { rerank_depth: Some(5), ..Settings::default() }.or(file.clone());
        let look = ModelLook { depth: 5, time: Some(Duration::from_secs(2)), ..ModelLook::new("models/x") };
        assert_eq!(merged.rerank(SEARCH_BUDGET), Rerank::Model(look));
        let merged = Settings { rerank: Some(RerankChoice::Off), ..Settings::default() }.or(file);
        assert_eq!((merged.rerank(SEARCH_BUDGET), merged.contradiction()), (Rerank::Off, None));
    }
}
