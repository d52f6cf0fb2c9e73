//! How a request selects, joins and shows hits from the ranking.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::hit::Hit;
use crate::embed::TokenCounter;

/// Candidates per retriever: enough for a parent chunk that both rate well to be found by at least one.
pub const DEFAULT_POOL: usize = 100;
/// The tokens of whole sections, unless a limit is asked for: a chapter may have a hundred pages.
pub const SECTION_TOKENS: usize = 8000;
/// 1 − λ of maximal marginal relevance.
pub const DEFAULT_DIVERSITY: f32 = 0.3;
/// The largest number of branches on one level of a beam.
const LARGEST_BEAM: usize = 1000;

/// How hits are chosen from the ranking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The best parent chunks.
    #[default]
    Precise,
    /// Parent chunks that differ, from several documents, out of a wider pool.
    Broad,
    /// Whole sections, ranked by their titles and parent chunks.
    Section,
    /// The best documents, the best parent chunks of each, the best child chunks of each of those.
    Drill,
}

impl Mode {
    pub fn pool(self) -> usize {
        match self {
            Mode::Precise => DEFAULT_POOL,
            Mode::Broad | Mode::Section | Mode::Drill => 2 * DEFAULT_POOL,
        }
    }
}

/// What is ranked and shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Target {
    /// Parent chunks, or what the mode makes of them.
    #[default]
    Chunks,
    /// Sections: titles, how many of their parent chunks match, and a preview.
    Sections,
}

/// Which hits stand together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum GroupBy {
    /// Each hit at its own rank.
    #[default]
    None,
    /// The hits of a section, at the rank of its best.
    Section,
    /// The hits of a document, at the rank of its best.
    Doc,
}

impl GroupBy {
    /// The namespace and id that the hits of a group share; `None` if hits are not grouped.
    pub(super) fn id(self, hit: &Hit) -> Option<(&str, &str)> {
        match self {
            GroupBy::None => None,
            GroupBy::Section => Some((&hit.namespace, &hit.section.id)),
            GroupBy::Doc => Some((&hit.namespace, &hit.doc_id)),
        }
    }
}

/// How many branches [`Mode::Drill`] follows: documents, parent chunks of each, child chunks of each parent chunk.
/// Written `3,3,3`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beam {
    pub documents: usize,
    /// Of each document.
    pub parents: usize,
    /// Of each parent chunk.
    pub children: usize,
}

impl Default for Beam {
    fn default() -> Self {
        Beam { documents: 3, parents: 3, children: 3 }
    }
}

impl fmt::Display for Beam {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{}", self.documents, self.parents, self.children)
    }
}

impl FromStr for Beam {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let levels = text.split(',').map(|number| number.trim().parse().ok());
        let levels: Option<Vec<usize>> = levels.map(|level| level.filter(|n| (1..=LARGEST_BEAM).contains(n))).collect();
        match levels.as_deref() {
            Some(&[documents, parents, children]) => Ok(Beam { documents, parents, children }),
            _ => Err(format!(
                "expected the documents, the parent chunks of each and the child chunks of each, from 1 to {LARGEST_BEAM}, \
                 like 3,3,3"
            )),
        }
    }
}

/// How hits are chosen from the ranking, joined and shown.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Shape {
    pub mode: Mode,
    pub target: Target,
    /// How many neighbouring parent chunks of the same section are shown on each side of a hit.
    pub context: usize,
    /// Shows only the best sentence of each parent chunk and this many on each side; `None`: the whole parent chunk.
    pub window: Option<usize>,
    /// Whether adjacent hits of a section merge; `None`: yes, except in [`Mode::Drill`]. Overlapping neighbours always
    /// merge.
    pub merge: Option<bool>,
    /// Whether parent chunks that (nearly) repeat a better one stay.
    pub keep_duplicates: bool,
    pub group_by: GroupBy,
    /// The weight of being different against being relevant in [`Mode::Broad`], from 0 to 1; `None`:
    /// `DEFAULT_DIVERSITY`.
    pub diversity: Option<f32>,
    /// The most hits of one document.
    pub per_document: Option<usize>,
    /// The branches of [`Mode::Drill`].
    pub beam: Beam,
    /// How many of the best child chunks are named with each parent chunk.
    pub children: usize,
    /// Whether hits carry the time, the metadata and the profile of their documents.
    pub describe: bool,
    /// The most tokens of all hits together, titles included; hits that do not fit are named.
    pub max_tokens: Option<usize>,
    /// Counts tokens; `None`: the tokenizer of the embedded model.
    pub counter: Option<Arc<TokenCounter>>,
}

impl Shape {
    pub(super) fn counter(&self) -> Arc<TokenCounter> {
        self.counter.clone().unwrap_or_else(TokenCounter::shared)
    }

    pub fn merges(&self) -> bool {
        self.merge.unwrap_or(self.mode != Mode::Drill)
    }

    /// How hits are grouped; a drill groups them by document.
    pub fn groups_by(&self) -> GroupBy {
        if self.drills() { GroupBy::Doc } else { self.group_by }
    }

    /// Whether the search drills from documents to parent chunks to child chunks.
    pub fn drills(&self) -> bool {
        self.mode == Mode::Drill && !self.seeks_sections()
    }

    pub fn seeks_sections(&self) -> bool {
        self.mode == Mode::Section || self.target == Target::Sections
    }
}
