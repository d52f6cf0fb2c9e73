//! The sections of documents, and how well a question matches their titles.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use crate::error::Result;
use crate::ids::{DocId, SectionId};
use crate::search::find_section::without_number;
use crate::search::section::with_subsections;
use crate::store::{Scope, SectionRow};
use crate::structure::normalise_title;
use crate::text::stopwords::{informative, is_stopword};
use crate::text::tokens::tokenize;
use crate::text::{fold, squeeze};

/// The weight of a word in a title above the section's own.
const ABOVE: f32 = 0.5;

/// How exactly a question matches a title; later variants are more exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exactness {
    No,
    /// Except for the number before the title.
    WithoutNumber,
    /// Except for punctuation, capitals and widths.
    Letters,
    Whole,
}

/// A title, or a question that is compared with titles.
struct Title {
    whole: String,
    letters: String,
    without_number: String,
    words: BTreeSet<String>,
}

impl Title {
    fn of(title: &str) -> Self {
        Title {
            whole: squeeze(&fold(title)),
            letters: normalise_title(title),
            without_number: normalise_title(without_number(title)),
            words: tokenize(title).into_iter().map(|token| token.text).collect(),
        }
    }
}

/// The sections of some documents, by document and in the order of its table of contents, and how they match a
/// question.
pub struct SectionIndex {
    rows: Vec<SectionRow>,
    titles: Vec<Title>,
    by_document: HashMap<DocId, Range<usize>>,
    by_id: HashMap<SectionId, usize>,
    asked: Title,
    /// The question's words without stopwords, unless it has only those.
    informative: BTreeSet<String>,
    /// The weights of the question's words, and of those that share a title with them.
    rarities: HashMap<String, f32>,
}

impl SectionIndex {
    /// `rarity` is the weight of a word: the fewer titles have it, the more.
    pub fn new(mut rows: Vec<SectionRow>, query: &str, rarity: impl Fn(&str) -> Result<f32>) -> Result<Self> {
        rows.sort_by(|a, b| a.doc_id.cmp(&b.doc_id).then(a.position.cmp(&b.position)));
        let mut by_document: HashMap<DocId, Range<usize>> = HashMap::new();
        for (at, row) in rows.iter().enumerate() {
            by_document.entry(row.doc_id.clone()).or_insert(at..at).end = at + 1;
        }
        let asked = Title::of(query);
        let informative = informative(asked.words.clone());
        let titles: Vec<Title> = rows.iter().map(|row| Title::of(&row.title)).collect();
        let shared = titles.iter().filter(|title| title.words.iter().any(|word| informative.contains(word)));
        let weighed: BTreeSet<&String> = shared.flat_map(|title| &title.words).chain(&informative).collect();
        let weigh = |word: &String| Ok((word.clone(), rarity(word)?));
        let rarities = weighed.into_iter().map(weigh).collect::<Result<_>>()?;
        let by_id = rows.iter().enumerate().map(|(at, row)| (row.section_id.clone(), at)).collect();
        Ok(SectionIndex { rows, titles, by_document, by_id, asked, informative, rarities })
    }

    pub fn row(&self, at: usize) -> &SectionRow {
        &self.rows[at]
    }

    /// The sections in a scope: of its documents, or with its parent chunks in them.
    pub fn within(&self, scope: &Scope) -> Vec<usize> {
        let mut within: Vec<usize> = match scope {
            Scope::Everything => return (0..self.rows.len()).collect(),
            Scope::Documents(ids) => {
                ids.iter().filter_map(|id| self.by_document.get(id)).flat_map(|range| range.clone()).collect()
            }
            Scope::ParentChunks(ids) => {
                let own: BTreeSet<usize> = ids.iter().filter_map(|id| self.section_of(id)).collect();
                own.into_iter().flat_map(|at| self.with_those_above(at)).collect()
            }
        };
        within.sort_unstable();
        within.dedup();
        within
    }

    pub fn of_document(&self, doc_id: &str) -> Range<usize> {
        self.by_document.get(doc_id).cloned().unwrap_or_default()
    }

    /// The section whose own text has the parent chunk `DOC:INDEX`.
    pub fn section_of(&self, chunk_id: &str) -> Option<usize> {
        let (doc_id, index) = chunk_id.split_once(':')?;
        let index: u32 = index.parse().ok()?;
        let mut range = self.by_document.get(doc_id)?.clone();
        range.find(|&at| (self.rows[at].chunk_start..self.rows[at].chunk_end).contains(&index))
    }

    /// A section and those above it, from the inside out.
    pub fn with_those_above(&self, at: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(at), |&at| self.by_id.get(self.rows[at].parent_id.as_ref()?).copied())
    }

    /// A section and all below it, in order.
    pub fn span(&self, at: usize) -> Vec<&SectionRow> {
        let Some(range) = self.by_document.get(&self.rows[at].doc_id) else { return Vec::new() };
        with_subsections(&self.rows[range.clone()], &self.rows[at])
    }

    /// How exactly the question matches the title of a section.
    pub fn exactness(&self, at: usize) -> Exactness {
        let (title, asked) = (&self.titles[at], &self.asked);
        if self.rows[at].is_preamble() {
            Exactness::No
        } else if title.whole == asked.whole {
            Exactness::Whole
        } else if !asked.letters.is_empty() && title.letters == asked.letters {
            Exactness::Letters
        } else if !asked.letters.is_empty() && title.without_number == asked.letters {
            Exactness::WithoutNumber
        } else {
            Exactness::No
        }
    }

    /// How similar a question and the title of a section are, from 0 to 1: the harmonic mean of the share of the
    /// question's words in the title, or with less weight in those above it, and the share of the title's words in the
    /// question. Rare words count more. 0 without a word in the section's own title.
    pub fn similarity(&self, at: usize) -> f32 {
        let (title, informative) = (&self.titles[at], &self.informative);
        let own: f32 =
            title.words.iter().filter(|word| informative.contains(*word)).map(|word| self.rarity(word)).sum();
        if own <= 0.0 || self.rows[at].is_preamble() {
            return 0.0;
        }
        let all: f32 = informative.iter().map(|word| self.rarity(word)).sum();
        let counts = |word: &&String| !is_stopword(word) || informative.contains(*word);
        let whole: f32 = title.words.iter().filter(counts).map(|word| self.rarity(word)).sum();
        let missing = informative.iter().filter(|word| !title.words.contains(*word));
        let above: Vec<usize> = self.with_those_above(at).skip(1).collect();
        let named_above = missing.filter(|word| above.iter().any(|&at| self.titles[at].words.contains(*word)));
        let above: f32 = named_above.map(|word| ABOVE * self.rarity(word)).sum();
        let (asked_share, title_share) = ((own + above) / all, own / whole);
        2.0 * asked_share * title_share / (asked_share + title_share)
    }

    fn rarity(&self, word: &str) -> f32 {
        self.rarities.get(word).copied().unwrap_or_default()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::search::hit::sample::section;

    /// Sections `path title`, each with one parent chunk, and how they match a question.
    pub(in crate::search) fn index(sections: &[(&str, &str)], query: &str) -> SectionIndex {
        let rows = sections.iter().zip(0u32..).map(|((path, title), position)| SectionRow {
            position,
            parent_id: path.rsplit_once('.').map(|(above, _)| SectionId::new("d", above)),
            chunk_start: position,
            chunk_end: position + 1,
            ..section(path, title)
        });
        let rarity = |word: &str| {
            let with =
                sections.iter().filter(|(_, title)| Title::of(title).words.iter().any(|own| own == word)).count();
            Ok(((1 + sections.len()) as f32 / (1 + with) as f32).ln() + 1.0)
        };
        SectionIndex::new(rows.collect(), query, rarity).unwrap()
    }

    #[test]
    fn a_question_matches_a_title_more_or_less_exactly() {
        let titles = [("1", "3.2 Priming: the Pump"), ("2", "C++"), ("3", "第一章 启动水泵")];
        let exactness = |at, query: &str| index(&titles, query).exactness(at);
        assert_eq!(exactness(0, "3.2  priming: the pump"), Exactness::Whole);
        assert_eq!(exactness(0, "3.2 Priming the pump"), Exactness::Letters);
        assert_eq!(exactness(0, "priming the pump"), Exactness::WithoutNumber);
        assert_eq!(exactness(0, "priming a pump"), Exactness::No);
        assert_eq!((exactness(1, "c++"), exactness(1, "C")), (Exactness::Whole, Exactness::Letters));
        assert_eq!(exactness(2, "第一章　启动水泵"), Exactness::Whole);
    }

    #[test]
    fn titles_are_alike_by_their_words_and_by_those_above() {
        let titles = [
            ("1", "Pumps"),
            ("1.1", "Introduction"),
            ("2", "Valves"),
            ("2.1", "Introduction"),
            ("3", "启动水泵"),
            ("3.1", "停止水泵"),
        ];
        let like = |query: &str| -> Vec<f32> { (0..6).map(|at| index(&titles, query).similarity(at)).collect() };
        let valves = like("introduction to valves");
        assert!(valves[3] > valves[1] && valves[3] > valves[0] && valves[1] > 0.0, "{valves:?}");
        let exact = like("valves");
        assert!((exact[2] - 1.0).abs() < 1e-6 && exact[3] == 0.0, "{exact:?}");
        let chinese = like("怎样启动水泵");
        assert!(chinese[4] > chinese[5] && chinese[5] > 0.0, "{chinese:?}");
    }

    #[test]
    fn chunks_belong_to_sections_and_sections_to_those_above() {
        let index = index(&[("1", "a"), ("1.1", "b"), ("1.1.1", "c"), ("2", "d")], "");
        assert_eq!(index.section_of("d:2"), Some(2));
        assert_eq!((index.section_of("d:9"), index.section_of("e:0"), index.section_of("d")), (None, None, None));
        assert_eq!(index.with_those_above(2).collect::<Vec<_>>(), [2, 1, 0]);
        assert_eq!(index.span(1).iter().map(|row| row.path.as_str()).collect::<Vec<_>>(), ["1.1", "1.1.1"]);
        let documents = |id: &str| Scope::of_documents(Some(&[id.into()]));
        assert_eq!((index.within(&documents("e")).len(), index.within(&documents("d")).len()), (0, 4));
        assert_eq!(index.within(&Scope::Everything).len(), 4);
        let parent_chunks = Scope::ParentChunks(["d:1".into(), "d:3".into()].into());
        assert_eq!(index.within(&parent_chunks), [0, 1, 3], "those above have the parent chunk too");
    }
}
