//! Sections as hits: whole, or with a preview.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use futures::future::try_join_all;

use super::rank_sections::{FoundSection, rank_sections};
use super::titles::SectionIndex;
use crate::chunk::context::SEPARATOR;
use crate::error::Result;
use crate::retrieve::expand::merge::refresh;
use crate::retrieve::expand::{Source, ids};
use crate::retrieve::fuse::Candidate;
use crate::retrieve::{Hit, SearchRequest, Target, Traced};
use crate::store::{DocumentName, IndexedPassage, Scope, SectionRow, Snapshot};

/// What is read of a namespace.
struct Rows {
    documents: HashMap<String, DocumentName>,
    passages: BTreeMap<(String, u32), IndexedPassage>,
}

/// The best sections for a question.
pub(super) fn find(
    indexes: &[&SectionIndex],
    scopes: &[Scope],
    request: &SearchRequest,
    candidates: &[Candidate],
) -> Vec<FoundSection> {
    let within: Vec<Vec<usize>> = indexes.iter().zip(scopes).map(|(index, scope)| index.within(scope)).collect();
    // Twins from several namespaces take one place.
    let limit = request.limit.saturating_mul(indexes.len());
    rank_sections(indexes, &within, candidates, &request.query, limit)
}

/// The sections that were found, for the trace, each with the passages that speak for it.
pub(super) fn traced(indexes: &[&SectionIndex], candidates: &[Candidate], found: &[FoundSection]) -> Vec<Traced> {
    let traced = |found: &FoundSection| Traced {
        passages: found.matched.iter().map(|&place| candidates[place].chunk_id.clone()).collect(),
        ..Traced::new(indexes[found.namespace].row(found.at).section_id.clone(), found.namespace, found.score)
    };
    found.iter().map(traced).collect()
}

/// Reads sections that were found.
pub(super) async fn fetch_sections(
    snapshots: &[&Snapshot],
    indexes: &[&SectionIndex],
    names: &[String],
    request: &SearchRequest,
    candidates: &[Candidate],
    found: &[FoundSection],
) -> Result<Vec<Hit>> {
    let preview = request.shape.target == Target::Sections;
    let rows = try_join_all(snapshots.iter().enumerate().map(async |(namespace, snapshot)| {
        let own: Vec<&FoundSection> = found.iter().filter(|found| found.namespace == namespace).collect();
        read(snapshot, indexes[namespace], &own, candidates, preview).await
    }))
    .await?;
    let mut hits: Vec<Hit> = Vec::with_capacity(found.len());
    for found in found {
        let (index, rows, name) = (indexes[found.namespace], &rows[found.namespace], &names[found.namespace]);
        let Some(hit) = hit(found, index, rows, name, candidates, request) else { continue };
        let same = |known: &&mut Hit| {
            (&known.section_id, &known.source, &known.content) == (&hit.section_id, &hit.source, &hit.content)
        };
        match hits.iter_mut().find(same) {
            Some(known) => known.also_in.push(hit.namespace),
            None => hits.push(hit),
        }
    }
    hits.truncate(request.limit);
    Ok(hits)
}

async fn read(
    snapshot: &Snapshot,
    index: &SectionIndex,
    found: &[&FoundSection],
    candidates: &[Candidate],
    preview: bool,
) -> Result<Rows> {
    let mut wanted: BTreeSet<String> = BTreeSet::new();
    for found in found {
        if let Some((first, last)) = range(index, found, candidates, preview) {
            wanted.extend(ids(&index.row(found.at).doc_id, first, last));
        }
    }
    let passages = snapshot.passages(&wanted.into_iter().collect::<Vec<String>>())?;
    let mut doc_ids: Vec<String> = found.iter().map(|found| index.row(found.at).doc_id.clone()).collect();
    doc_ids.sort();
    doc_ids.dedup();
    let documents = snapshot.document_names(&doc_ids).await?;
    Ok(Rows {
        documents: documents.into_iter().map(|row| (row.doc_id.clone(), row)).collect(),
        passages: passages.into_iter().map(|row| ((row.doc_id.clone(), row.chunk_index), row)).collect(),
    })
}

/// The numbers of the passages that are read: of the whole span, or of the one that a preview is taken from.
fn range(index: &SectionIndex, found: &FoundSection, candidates: &[Candidate], preview: bool) -> Option<(u32, u32)> {
    let best = found.matched.first().and_then(|&place| number(&candidates[place]));
    let span = index.span(found.at);
    let with_text = || span.iter().filter(|row| row.chunk_end > row.chunk_start);
    let first = with_text().map(|row| row.chunk_start).min();
    match (preview, best.or(first)) {
        (true, one) => one.map(|one| (one, one + 1)),
        (false, _) => Some((first?, with_text().map(|row| row.chunk_end).max()?)),
    }
}

/// The number of a passage in its document.
fn number(candidate: &Candidate) -> Option<u32> {
    candidate.chunk_id.rsplit_once(':')?.1.parse().ok()
}

fn hit(
    found: &FoundSection,
    index: &SectionIndex,
    rows: &Rows,
    namespace: &str,
    candidates: &[Candidate],
    request: &SearchRequest,
) -> Option<Hit> {
    let section = index.row(found.at);
    let document = rows.documents.get(&section.doc_id)?;
    let matched: HashMap<&str, &Candidate> =
        found.matched.iter().map(|&place| (candidates[place].chunk_id.as_str(), &candidates[place])).collect();
    let best = found.matched.first().map(|&place| &candidates[place]);
    let preview = request.shape.target == Target::Sections;
    let mut sources = if preview { Vec::new() } else { whole(index, found, rows, document, &matched) };
    if preview {
        sources = found.matched.iter().map(|&place| bare(&candidates[place], section)).collect();
        sources.sort_by_key(|source| source.index);
    }
    let shown = best.and_then(number).or_else(|| sources.first().map(|source| source.index));
    let shown = shown.or_else(|| range(index, found, candidates, true).map(|(first, _)| first));
    let passage = shown.and_then(|number| rows.passages.get(&(section.doc_id.clone(), number)));
    let chunk_id = best.map(|best| best.chunk_id.clone()).or_else(|| passage.map(|row| row.chunk_id.clone()));
    let mut hit = Hit {
        rank: 0,
        score: found.score,
        namespace: namespace.to_owned(),
        also_in: Vec::new(),
        chunk_id: chunk_id.unwrap_or_default(),
        doc_id: section.doc_id.clone(),
        source: document.source.clone(),
        title: document.title.clone(),
        format: document.format.clone(),
        section_id: section.section_id.clone(),
        section: section.path.clone(),
        section_title: titles(index, found.at, &document.title),
        page_start: section.page_start,
        page_end: section.page_end,
        keyword_score: best.and_then(|best| best.keyword),
        semantic_score: best.and_then(|best| best.semantic),
        content: String::new(),
        snippet: String::new(),
        matches: Vec::new(),
        matched_chunks: 0,
        duplicates: Vec::new(),
        sources,
    };
    refresh(&mut hit);
    hit.set_snippet(passage.map_or("", |row| &row.content), &request.query);
    (hit.page_start, hit.page_end) = (section.page_start, section.page_end);
    hit.matched_chunks = found.matched.len();
    if preview {
        hit.content.clone_from(&hit.snippet);
    }
    Some(hit)
}

/// The passages of a section and all below it, each subsection behind its title.
fn whole(
    index: &SectionIndex,
    found: &FoundSection,
    rows: &Rows,
    document: &DocumentName,
    matched: &HashMap<&str, &Candidate>,
) -> Vec<Source> {
    let mut sources: Vec<Source> = Vec::new();
    let mut headings: Vec<String> = Vec::new();
    for (at, section) in index.span(found.at).into_iter().enumerate() {
        if at > 0 {
            headings.push(section.title.clone());
        }
        let range = (section.doc_id.clone(), section.chunk_start)..(section.doc_id.clone(), section.chunk_end);
        for (_, row) in rows.passages.range(range) {
            let score = matched.get(row.chunk_id.as_str()).map(|candidate| candidate.score);
            let source = Source { headings: std::mem::take(&mut headings), ..Source::of(row, &document.title, score) };
            sources.push(source);
        }
    }
    sources
}

/// A passage that matched and is not shown.
fn bare(candidate: &Candidate, section: &SectionRow) -> Source {
    Source {
        chunk_id: candidate.chunk_id.clone(),
        index: number(candidate).unwrap_or_default(),
        section_id: section.section_id.clone(),
        score: Some(candidate.score),
        page_start: None,
        page_end: None,
        children: Vec::new(),
        section_title: String::new(),
        headings: Vec::new(),
        text: String::new(),
    }
}

/// The titles of a section and those above it, the document's left out where it is the first of them.
fn titles(index: &SectionIndex, at: usize, document_title: &str) -> String {
    let mut titles: Vec<&str> = index
        .with_those_above(at)
        .map(|at| index.row(at))
        .filter(|row| row.level > 0 && !row.title.is_empty())
        .map(|row| row.title.as_str())
        .collect();
    titles.reverse();
    let all = titles.join(SEPARATOR);
    match all.strip_prefix(document_title) {
        Some("") => all,
        Some(rest) => rest.strip_prefix(SEPARATOR).unwrap_or(&all).to_owned(),
        None => all,
    }
}
