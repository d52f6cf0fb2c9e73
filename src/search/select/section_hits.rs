//! Sections as hits: whole, or with a preview.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use futures::future::try_join_all;

use super::section_index::SectionIndex;
use super::sections::FoundSection;
use crate::chunk::context::SEPARATOR;
use crate::error::Result;
use crate::ids::{ChunkId, DocId};
use crate::search::candidate::Candidate;
use crate::search::hit::{Hit, Source, titles_of_section};
use crate::search::request::SearchRequest;
use crate::search::result::Ranking;
use crate::search::section_name::SectionName;
use crate::search::shape::Target;
use crate::search::trace::Traced;
use crate::store::{DocumentName, IndexedParentChunk, Snapshot};

struct Rows {
    documents: HashMap<DocId, DocumentName>,
    /// By document and number.
    parent_chunks: BTreeMap<(DocId, u32), IndexedParentChunk>,
}

/// Found sections, with what is needed to read them.
pub struct FoundSections<'a> {
    pub indexes: &'a [SectionIndex],
    pub ranking: &'a Ranking,
    pub request: &'a SearchRequest,
    pub sections: Vec<FoundSection>,
}

impl FoundSections<'_> {
    /// The sections with the parent chunks that count for them, for the trace.
    pub fn traced(&self) -> impl Iterator<Item = Traced> {
        self.sections.iter().map(|found| Traced {
            parent_chunks: self.matched(found).map(|candidate| candidate.chunk_id.clone()).collect(),
            ..Traced::new(&self.index(found).row(found.at).section_id, found.namespace, found.score)
        })
    }

    /// Reads the sections; the same section in several namespaces becomes one hit.
    pub async fn hits(&self, snapshots: &[&Snapshot]) -> Result<Vec<Hit>> {
        let rows = try_join_all(snapshots.iter().enumerate().map(async |(at, snapshot)| self.read(at, snapshot).await));
        let rows = rows.await?;
        let mut hits: Vec<Hit> = Vec::with_capacity(self.sections.len());
        for found in &self.sections {
            let Some(hit) = self.hit(found, &rows[found.namespace]) else { continue };
            let same = |known: &&mut Hit| {
                (&known.section.id, &known.source, &known.content) == (&hit.section.id, &hit.source, &hit.content)
            };
            match hits.iter_mut().find(same) {
                Some(known) => known.also_in.push(hit.namespace),
                None => hits.push(hit),
            }
        }
        hits.truncate(self.request.limit);
        Ok(hits)
    }

    fn is_preview(&self) -> bool {
        self.request.shape.target == Target::Sections
    }

    fn index(&self, found: &FoundSection) -> &SectionIndex {
        &self.indexes[found.namespace]
    }

    fn matched(&self, found: &FoundSection) -> impl Iterator<Item = &Candidate> {
        found.matched.iter().map(|&place| &self.ranking.candidates[place])
    }

    async fn read(&self, namespace: usize, snapshot: &Snapshot) -> Result<Rows> {
        let (mut chunk_ids, mut doc_ids) = (BTreeSet::new(), BTreeSet::new());
        for found in self.sections.iter().filter(|found| found.namespace == namespace) {
            let doc_id = &self.index(found).row(found.at).doc_id;
            if let Some((first, last)) = self.range(found, self.is_preview()) {
                chunk_ids.extend((first..last).map(|index| ChunkId::parent(doc_id, index)));
            }
            doc_ids.insert(doc_id.clone());
        }
        let parent_chunks = snapshot.keyword().parent_chunks(&Vec::from_iter(chunk_ids))?;
        let documents = snapshot.document_names(&Vec::from_iter(doc_ids)).await?;
        Ok(Rows {
            documents: documents.into_iter().map(|row| (row.doc_id.clone(), row)).collect(),
            parent_chunks: parent_chunks.into_iter().map(|row| ((row.doc_id.clone(), row.chunk_index), row)).collect(),
        })
    }

    /// The numbers of the parent chunks to read: of the whole section, or of the one that a preview is taken from.
    fn range(&self, found: &FoundSection, preview: bool) -> Option<(u32, u32)> {
        let best = self.matched(found).next().and_then(number);
        let span = self.index(found).span(found.at);
        let with_text = || span.iter().filter(|row| row.chunk_end > row.chunk_start);
        let first = with_text().map(|row| row.chunk_start).min();
        if preview {
            return best.or(first).map(|one| (one, one + 1));
        }
        Some((first?, with_text().map(|row| row.chunk_end).max()?))
    }

    fn hit(&self, found: &FoundSection, rows: &Rows) -> Option<Hit> {
        let section = self.index(found).row(found.at);
        let document = rows.documents.get(&section.doc_id)?;
        let best = self.matched(found).next();
        let sources = if self.is_preview() { self.matching(found) } else { self.whole(found, rows, document) };
        let first_shown = best.and_then(number).or_else(|| sources.first().map(|source| source.index));
        let first_shown = first_shown.or_else(|| self.range(found, true).map(|(first, _)| first));
        let chunk = first_shown.and_then(|number| rows.parent_chunks.get(&(section.doc_id.clone(), number)));
        let chunk_id = best.map(|best| best.chunk_id.clone()).or_else(|| chunk.map(|row| row.chunk_id.clone()));
        let mut hit = Hit {
            score: found.score,
            confidence: found.confidence,
            namespace: self.ranking.namespaces[found.namespace].clone(),
            chunk_id: chunk_id.unwrap_or_default(),
            section: SectionName::new(section.section_id.clone(), titles(self.index(found), found.at, &document.title)),
            keyword_score: best.and_then(|best| best.keyword),
            semantic_score: best.and_then(|best| best.semantic),
            sources,
            ..Hit::in_document(document)
        };
        hit.refresh();
        hit.set_snippet(chunk.map_or("", |row| &row.content), &self.request.query);
        (hit.page_start, hit.page_end) = (section.page_start, section.page_end);
        hit.matched_chunks = found.matched.len();
        if self.is_preview() {
            hit.content.clone_from(&hit.snippet);
        }
        Some(hit)
    }

    /// The parent chunks of a section and all below it, each subsection after its title.
    fn whole(&self, found: &FoundSection, rows: &Rows, document: &DocumentName) -> Vec<Source> {
        let scores: HashMap<&str, f32> =
            self.matched(found).map(|candidate| (candidate.chunk_id.as_str(), candidate.score)).collect();
        let mut sources: Vec<Source> = Vec::new();
        let mut headings: Vec<String> = Vec::new();
        for (at, section) in self.index(found).span(found.at).into_iter().enumerate() {
            headings.extend((at > 0).then(|| section.title.clone()));
            let range = (section.doc_id.clone(), section.chunk_start)..(section.doc_id.clone(), section.chunk_end);
            for (_, row) in rows.parent_chunks.range(range) {
                let source = Source::of(row, &document.title, scores.get(row.chunk_id.as_str()).copied());
                sources.push(Source { headings: std::mem::take(&mut headings), ..source });
            }
        }
        sources
    }

    /// The parent chunks of a section that matched, without text.
    fn matching(&self, found: &FoundSection) -> Vec<Source> {
        let section = self.index(found).row(found.at);
        let source = |candidate: &Candidate| Source {
            chunk_id: candidate.chunk_id.clone(),
            index: number(candidate).unwrap_or_default(),
            section_id: section.section_id.clone(),
            score: Some(candidate.score),
            ..Source::default()
        };
        let mut sources: Vec<Source> = self.matched(found).map(source).collect();
        sources.sort_by_key(|source| source.index);
        sources
    }
}

/// The number of a parent chunk in its document.
fn number(candidate: &Candidate) -> Option<u32> {
    candidate.chunk_id.rsplit_once(':')?.1.parse().ok()
}

/// The titles of a section and those above it, without the document's title.
fn titles(index: &SectionIndex, at: usize, document_title: &str) -> String {
    let rows = index.with_those_above(at).map(|at| index.row(at));
    let mut titles: Vec<&str> =
        rows.filter(|row| row.level > 0 && !row.title.is_empty()).map(|row| row.title.as_str()).collect();
    titles.reverse();
    titles_of_section(&titles.join(SEPARATOR), &index.row(at).section_id, document_title).to_owned()
}
