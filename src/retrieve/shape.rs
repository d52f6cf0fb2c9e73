//! What is made of the ranking: how hits are chosen, joined and shown.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{DEFAULT_POOL, SearchRequest};
use crate::embed::TokenCounter;
use crate::error::{Error, Result};

/// How hits are chosen from the ranking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The best passages, as they are ranked.
    #[default]
    Precise,
    /// Passages that differ, from several documents, out of a wider pool.
    Broad,
    /// Whole sections, ranked by their titles and passages.
    Section,
    /// The best documents, the best passages of each, the best pieces of each of those.
    Drill,
}

impl Mode {
    /// How many candidates each arm should recall for it.
    pub fn pool(self) -> usize {
        match self {
            Mode::Precise => DEFAULT_POOL,
            Mode::Broad | Mode::Section | Mode::Drill => 2 * DEFAULT_POOL,
        }
    }
}

/// What is ranked and shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// Passages, or what the mode makes of them.
    #[default]
    Passages,
    /// Sections: titles, how many of their passages match, and a preview.
    Sections,
}

/// What stands together among the hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum GroupBy {
    /// Each hit at its own place.
    #[default]
    None,
    /// The hits of a section, at the place of its best.
    Section,
    /// The hits of a document, at the place of its best.
    Doc,
}

/// How many branches [`Mode::Drill`] follows: documents, passages of each, pieces of each passage. Written `3,3,3`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Beam {
    /// Documents.
    pub documents: usize,
    /// Passages of each document.
    pub parents: usize,
    /// Pieces of each passage.
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
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let numbers: Option<Vec<usize>> = text
            .split(',')
            .map(|number| number.trim().parse().ok().filter(|number| (1..=1000).contains(number)))
            .collect();
        match numbers.as_deref() {
            Some(&[documents, parents, children]) => Ok(Beam { documents, parents, children }),
            _ => Err(Error::usage(format!("{text:?} is no beam"))
                .hint("write how many documents, passages of each and pieces of each are followed, like 3,3,3")),
        }
    }
}

impl TryFrom<String> for Beam {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

/// What is made of the ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// How hits are chosen.
    pub mode: Mode,
    /// What is ranked and shown.
    pub target: Target,
    /// How many neighbouring passages are shown on both sides of each hit; of passages only, as the next three.
    pub context: usize,
    /// Whether neighbours may be of other sections.
    pub across_sections: bool,
    /// Of each passage only the sentence that matches best, with so many on both sides; all of it, where `None`.
    pub window: Option<usize>,
    /// Whether adjacent hits of a section become one; as the mode has it, where `None`. Neighbours that overlap always do.
    pub merge: Option<bool>,
    /// Whether passages with the text of a better one, or nearly so, stay.
    pub keep_duplicates: bool,
    /// What stands together.
    pub group_by: GroupBy,
    /// From 0 to 1, how much being different counts beside being relevant in [`Mode::Broad`].
    pub diversity: f32,
    /// At most so many hits of a document.
    pub per_document: Option<usize>,
    /// Of [`Mode::Drill`].
    pub beam: Beam,
    /// How many of its pieces are named with each passage, those that match best.
    pub children: usize,
    /// All hits together have at most so many tokens, titles counted; what does not fit is left out and named.
    pub max_tokens: Option<usize>,
    /// What counts tokens; the tokenizer of the embedded model, where `None`.
    pub counter: Option<Arc<TokenCounter>>,
}

/// How much being different counts where nothing is said: the λ of maximal marginal relevance is 1 less this.
pub const DEFAULT_DIVERSITY: f32 = 0.3;
/// The broad mode chooses among so many times the hits that are wanted, at least …
const BROAD_CHOICE: usize = 5;
/// … so many.
const LEAST_BROAD_CHOICE: usize = 50;
/// Where adjacent hits become one, more are looked at, so that enough are left.
const MERGED_CHOICE: usize = 3;

impl Default for Shape {
    fn default() -> Self {
        Shape {
            mode: Mode::default(),
            target: Target::default(),
            context: 0,
            across_sections: false,
            window: None,
            merge: None,
            keep_duplicates: false,
            group_by: GroupBy::default(),
            diversity: DEFAULT_DIVERSITY,
            per_document: None,
            beam: Beam::default(),
            children: 0,
            max_tokens: None,
            counter: None,
        }
    }
}

impl Shape {
    /// Whether adjacent hits of a section become one.
    pub fn merges(&self) -> bool {
        self.merge.unwrap_or(self.mode == Mode::Broad)
    }

    /// Whether whole sections, or sections as such, are looked for.
    pub fn seeks_sections(&self) -> bool {
        self.mode == Mode::Section || self.target == Target::Sections
    }
}

impl SearchRequest {
    /// How many passages of the ranking are looked at, so that enough hits are left of them.
    pub(super) fn depth(&self) -> usize {
        let shape = &self.shape;
        if shape.seeks_sections() || shape.mode == Mode::Drill || shape.per_document.is_some() {
            return usize::MAX;
        }
        let duplicates = if shape.keep_duplicates { 0 } else { (self.limit / 2).max(5) };
        match shape.mode {
            Mode::Broad => (self.limit * BROAD_CHOICE).max(LEAST_BROAD_CHOICE),
            _ if shape.merges() => self.limit * MERGED_CHOICE + duplicates,
            _ => self.limit + duplicates,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beam_is_three_numbers() {
        assert_eq!("1, 2,3".parse::<Beam>().unwrap(), Beam { documents: 1, parents: 2, children: 3 });
        assert_eq!("4,5,6".parse::<Beam>().unwrap().to_string(), "4,5,6");
        for wrong in ["", "3", "3,3", "3,3,3,3", "0,1,1", "a,b,c", "3,-1,3", "1,1,1001"] {
            let error = wrong.parse::<Beam>().unwrap_err();
            assert!(error.next_step().unwrap().contains("3,3,3"), "{wrong}: {error}");
        }
    }

    #[test]
    fn enough_of_the_ranking_is_looked_at() {
        let depth = |shape: Shape| SearchRequest { limit: 10, shape, ..SearchRequest::new("x") }.depth();
        assert_eq!(depth(Shape { keep_duplicates: true, ..Shape::default() }), 10);
        assert_eq!(depth(Shape::default()), 15);
        assert_eq!(depth(Shape { merge: Some(true), ..Shape::default() }), 35);
        assert_eq!(depth(Shape { mode: Mode::Broad, ..Shape::default() }), 50);
        assert_eq!(depth(Shape { mode: Mode::Section, ..Shape::default() }), usize::MAX);
    }
}
