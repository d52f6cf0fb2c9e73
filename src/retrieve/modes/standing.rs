//! Where a section stands among all sections that a question finds, and which of its passages speak for it.

use futures::future::try_join_all;
use serde::Serialize;

use super::rank_sections::FoundSection;
use super::section;
use super::titles::{AskedTitle, Exactness, SectionIndex};
use crate::error::Result;
use crate::retrieve::SearchRequest;
use crate::retrieve::kernel::Ranking;
use crate::retrieve::searched::Searched;

/// A passage of a section, or of one below it, that was among the candidates.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evidence {
    /// The passage.
    pub chunk_id: String,
    /// Its place in the ranking of passages, from 1.
    pub place: usize,
    /// Its score there.
    pub score: f32,
    /// The section that it counts for: every passage counts for one only. `None` where it counts for none.
    pub counts_for: Option<String>,
}

/// What speaks for a section.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::retrieve) struct Standing {
    /// Its place among all sections that were found, from 1; `None` where too little speaks for it.
    pub place: Option<usize>,
    /// Its score, where it was found.
    pub score: Option<f32>,
    /// Its title.
    pub title: String,
    /// How far the question is its title, from 0 to 1.
    pub title_likeness: f32,
    /// Its passages among the candidates, best first.
    pub evidence: Vec<Evidence>,
}

/// All sections that a question finds, however many are wanted.
pub(in crate::retrieve) struct Standings<'a> {
    indexes: Vec<&'a SectionIndex>,
    ranking: &'a Ranking,
    found: Vec<FoundSection>,
    asked: AskedTitle,
}

/// Ranks all sections. The ranking is one of all candidates.
pub(in crate::retrieve) async fn standings<'a>(
    searched: &'a [Searched],
    request: &SearchRequest,
    ranking: &'a Ranking,
) -> Result<Standings<'a>> {
    let indexes = try_join_all(searched.iter().map(Searched::sections)).await?;
    let all = SearchRequest { limit: usize::MAX, ..request.clone() };
    let found = section::find(&indexes, &ranking.scopes, &all, &ranking.candidates);
    Ok(Standings { indexes, ranking, found, asked: AskedTitle::of(&request.query) })
}

impl Standings<'_> {
    /// The best standing of a section in any of the namespaces; `None` where there is no such section.
    pub(in crate::retrieve) fn of(&self, section_id: &str) -> Option<Standing> {
        let there = self.indexes.iter().enumerate();
        let there = there.filter_map(|(namespace, index)| Some((namespace, index.at(section_id)?)));
        there
            .map(|(namespace, at)| self.standing(namespace, at))
            .min_by_key(|standing| standing.place.unwrap_or(usize::MAX))
    }

    /// The sections that have a passage in them, from the inside out.
    pub(in crate::retrieve) fn above(&self, chunk_id: &str) -> Vec<String> {
        let mut above: Vec<String> = Vec::new();
        for index in &self.indexes {
            let own = index.section_of(chunk_id).into_iter().flat_map(|own| index.with_those_above(own));
            above.extend(own.map(|at| index.row(at).section_id.clone()));
        }
        above.dedup();
        above
    }

    fn id(&self, found: &FoundSection) -> &str {
        &self.indexes[found.namespace].row(found.at).section_id
    }

    fn standing(&self, namespace: usize, at: usize) -> Standing {
        let index = self.indexes[namespace];
        let row = index.row(at);
        let own = self.found.iter().position(|found| (found.namespace, found.at) == (namespace, at));
        let place = own.map(|own| {
            // Twins of other namespaces take one place.
            let before: std::collections::HashSet<&str> =
                self.found[..own].iter().map(|found| self.id(found)).filter(|id| *id != row.section_id).collect();
            before.len() + 1
        });
        let spans: Vec<&str> = index.span(at).iter().map(|row| row.section_id.as_str()).collect();
        let candidates = self.ranking.candidates.iter().enumerate();
        let within = candidates.filter(|(_, candidate)| {
            let own = index.section_of(&candidate.chunk_id).map(|own| index.row(own).section_id.as_str());
            candidate.namespace == namespace && own.is_some_and(|own| spans.contains(&own))
        });
        let evidence = within.map(|(place, candidate)| Evidence {
            chunk_id: candidate.chunk_id.clone(),
            place: place + 1,
            score: candidate.score,
            counts_for: self
                .found
                .iter()
                .find(|found| found.matched.contains(&place))
                .map(|found| self.id(found).to_owned()),
        });
        let exact = index.exactness(at, &self.asked) > Exactness::No;
        Standing {
            place,
            score: own.map(|own| self.found[own].score),
            title: row.title.clone(),
            title_likeness: if exact { 1.0 } else { index.likeness(at, &self.asked) },
            evidence: evidence.collect(),
        }
    }
}
