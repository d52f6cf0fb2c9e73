//! Search settings whose value is a word with parameters.

use std::path::PathBuf;
use std::str::FromStr;

use super::values::{Seconds, Share, Whole};
use crate::search::{Beam, DEFAULT_DIVERSITY, Mode};

/// The words that such settings begin with, for completions.
pub const SEARCH_WORDS: [(&str, &[&str]); 4] = [
    ("mode", &["precise", "broad", "section", "drill"]),
    ("fusion", &["weighted", "rrf"]),
    ("expand", &["off", "missing", "all", "llm"]),
    ("rerank", &["light", "off", "endpoint"]),
];

/// The most candidates that a cross-encoder reads.
const LARGEST_DEPTH: usize = 1000;

/// A mode with its parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModeSetting {
    pub mode: Mode,
    pub diversity: f32,
    pub beam: Beam,
}

impl Default for ModeSetting {
    fn default() -> Self {
        ModeSetting { mode: Mode::default(), diversity: DEFAULT_DIVERSITY, beam: Beam::default() }
    }
}

impl FromStr for ModeSetting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let default = ModeSetting::default();
        match text.split_once(':').map_or((text, None), |(name, parameter)| (name, Some(parameter))) {
            ("precise", None) => Ok(default),
            ("broad", None) => Ok(ModeSetting { mode: Mode::Broad, ..default }),
            ("broad", Some(share)) => {
                Ok(ModeSetting { mode: Mode::Broad, diversity: share.parse::<Share>()?.0, ..default })
            }
            ("section", None) => Ok(ModeSetting { mode: Mode::Section, ..default }),
            ("drill", None) => Ok(ModeSetting { mode: Mode::Drill, ..default }),
            ("drill", Some(beam)) => Ok(ModeSetting { mode: Mode::Drill, beam: beam.parse()?, ..default }),
            _ => Err("expected precise, broad, broad:0.3, section, drill or drill:3,3,3".to_owned()),
        }
    }
}

/// How the best candidates are reranked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RerankChoice {
    /// By the question's words.
    Light,
    Off,
    /// By the model behind the endpoint of `[reranking]` too.
    Endpoint,
    /// By a cross-encoder too: the one in this folder, or of this name among the user's models.
    Model(PathBuf),
}

impl FromStr for RerankChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "light" => Ok(RerankChoice::Light),
            "off" => Ok(RerankChoice::Off),
            "endpoint" => Ok(RerankChoice::Endpoint),
            _ if text.trim().is_empty() => {
                Err("expected light, off, endpoint, or the name or folder of a model".to_owned())
            }
            folder => Ok(RerankChoice::Model(PathBuf::from(folder))),
        }
    }
}

/// How many candidates a cross-encoder reads, and for how long.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RerankBudget {
    pub depth: Option<usize>,
    pub time: Option<Seconds>,
}

impl FromStr for RerankBudget {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut budget = RerankBudget::default();
        for part in text.split(',').map(str::trim) {
            if part.chars().all(|char| char.is_ascii_digit()) {
                budget.depth = Some(part.parse::<Whole<1, LARGEST_DEPTH>>()?.get());
            } else {
                budget.time = Some(part.parse()?);
            }
        }
        Ok(budget)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_may_have_a_parameter() {
        let mode = |text: &str| text.parse::<ModeSetting>();
        assert_eq!(mode("precise"), Ok(ModeSetting::default()));
        assert_eq!(mode("broad:0.7").map(|mode| mode.diversity), Ok(0.7));
        assert_eq!(mode("drill:1,2,3").map(|mode| mode.beam.parents), Ok(2));
        for (wrong, expected) in [("drill:3", "3,3,3"), ("broad:2", "0 to 1"), ("section:1", "section"), ("", "drill")]
        {
            assert!(mode(wrong).unwrap_err().contains(expected), "{wrong}");
        }
    }

    #[test]
    fn a_rerank_budget_is_a_number_a_time_or_both() {
        let budget = |text: &str| text.parse::<RerankBudget>().map(|budget| (budget.depth, budget.time));
        assert_eq!(budget("50"), Ok((Some(50), None)));
        assert_eq!(budget("2s"), Ok((None, Some(Seconds(Some(2.0))))));
        assert_eq!(budget("50, none"), Ok((Some(50), Some(Seconds(None)))));
        for wrong in ["", "0", "1001", "0s", "soon"] {
            assert!(budget(wrong).is_err(), "{wrong}");
        }
        assert_eq!("./off".parse(), Ok(RerankChoice::Model("./off".into())));
        assert!(" ".parse::<RerankChoice>().is_err());
    }
}
