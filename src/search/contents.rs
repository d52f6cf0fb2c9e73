//! Answers a question about structure from tables of contents.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;

use super::confidence::UNCLEAR;
use super::find_section::{Reading, find_sections};
use super::named_documents::{MOST_DOCUMENTS, PlacedDocument, named, names_of_others};
use super::note::NoteCode;
use super::request::{Kind, SearchRequest};
use super::resolve::row_of;
use super::restrict::filter;
use super::retrievers::parent_chunks_with;
use super::searcher::Searcher;
use super::section::with_subsections;
use super::section_number::SectionNumber;
use super::trace::Trace;
use super::understand::{AskedPart, Wanted, section_named};
use crate::error::{NextStep, Result, Setting};
use crate::ids::{DocId, SectionId};
use crate::store::{DocumentName, DocumentRow, SectionRow, Snapshot};
use crate::text::first_of;

/// Among more allowed documents than this, no document is looked for that has a section of a number: reading the
/// sections of all takes seconds.
const MOST_READ: usize = 10_000;
/// The sections of up to so many documents of a namespace are read alone; those of more with the sections of all, from
/// the read cache.
const FEW_DOCUMENTS: usize = 200;

/// A document's table of contents, or a part of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Contents {
    pub namespace: String,
    pub document: DocumentRow,
    /// The name of the requested part; `None` for the whole.
    pub part: Option<String>,
    /// The entries in order, without the text before the first.
    pub sections: Vec<SectionRow>,
    /// How surely the question means it: 1 divided by the number of documents that it may mean and of sections that
    /// fit; at most 0.5 if the part is a guess.
    pub confidence: f32,
    /// Whether the part was found by another name or by its position.
    pub is_guess: bool,
}

impl Contents {
    /// Keeps the entries of the part with a name, and returns whether there are any. If the name fits several sections,
    /// those of all stay. A guess does not count if the part is `of_another_work`: the place of a section says
    /// nothing about another work.
    fn keep_part(&mut self, name: &str, of_another_work: bool, trace: &mut Trace) -> bool {
        let found = find_sections(&DocumentName::from(&self.document), &self.sections, name);
        let note = match &found[..] {
            [] => return false,
            [one] => one.note.clone().map(|note| (NoteCode::ContentsGuessed, note)),
            several => {
                let each = several.iter().map(|one| format!("{} ({})", one.section.section_id, one.section.title));
                let message = format!(
                    "{} sections of {} match {name:?}: {}; `{}` shows one",
                    several.len(),
                    self.document.source,
                    first_of(each),
                    NextStep::Show("ID")
                );
                Some((NoteCode::PartInSeveral, message))
            }
        };
        let is_guess = matches!(note, Some((NoteCode::ContentsGuessed, _)));
        if is_guess && of_another_work {
            return false;
        }
        note.into_iter().for_each(|(code, message)| trace.note(code, message));
        self.confidence /= found.len() as f32;
        if is_guess {
            self.confidence = self.confidence.min(UNCLEAR);
        }
        let within = found.iter().flat_map(|one| with_subsections(&self.sections, one.section));
        let within: HashSet<SectionId> = within.map(|section| section.section_id.clone()).collect();
        self.sections.retain(|section| within.contains(&section.section_id));
        (self.part, self.is_guess) = (Some(name.to_owned()), is_guess);
        true
    }
}

/// What tables of contents say to a question.
#[derive(Default)]
pub(super) struct Answer {
    pub contents: Vec<Contents>,
    /// If no table of contents has the chapter, the documents without one: their text may have it.
    pub without_contents: Vec<DocId>,
}

/// The tables of contents that a question asks for, if they are as sure as the request wants: of all documents that the
/// request allows if it names some, otherwise of those that the question names. Notes say why no document was chosen,
/// what a document lacks, and how a name was read.
pub(super) async fn answer(
    searcher: &Searcher,
    request: &SearchRequest,
    wanted: &Wanted,
    trace: &mut Trace,
) -> Result<Answer> {
    let (snapshots, names) = (searcher.snapshots().await?, searcher.names());
    let documents = documents_allowed(searcher, request, trace).await?;
    // "Item 7 of Tesla's 10-K" is not that of the only 10-K here.
    let names_unknown_owner = names_what_no_text_has(&snapshots, &request.query, &documents)?;
    let named = if names_unknown_owner { Vec::new() } else { named(&request.query, wanted, &documents) };
    let part = match wanted {
        Wanted::Part(part) => Some(part),
        Wanted::Whole => None,
    };
    let is_of_another_work = named.is_empty() && part.is_some_and(|part| part.says_of_what);
    let is_chapter_number = part.is_some_and(|part| is_chapter(&part.name));
    // "section 12 of the Clayton Act" is no section of these documents, but their text may be about it. A chapter is
    // always one of a document.
    let is_asked_for = request.documents.is_some() || request.kind == Some(Kind::Structure);
    if !is_asked_for && (names_unknown_owner || is_of_another_work && !is_chapter_number) {
        trace.note(NoteCode::ContentsMissing, text_instead("it names none of the searched documents") + &names_one());
        return Ok(Answer::default());
    }
    // Whether the text of a document may answer although its table of contents does not.
    let text_may_answer = is_of_another_work || !is_chapter_number;
    let mut meant = match request.documents.is_none() && documents.len() != 1 {
        true => MeantDocuments::among(&snapshots, documents, named, part, trace).await?,
        false => MeantDocuments { documents, count: 1, without_contents: Vec::new() },
    };
    let most = if request.documents.is_none() { MOST_DOCUMENTS } else { usize::MAX };
    meant.keep_if_clear(most, part, text_may_answer, trace);
    let mut answer = Answer::default();
    for (place, document) in std::mem::take(&mut meant.documents) {
        let sections = snapshots[place].contents(&document.doc_id).await?;
        if sections.is_empty() {
            trace.note(NoteCode::ContentsMissing, format!("{} has no table of contents", document.source));
            meant.without_contents.push((place, document));
            continue;
        }
        let document = row_of(snapshots[place], &document).await?;
        let (namespace, confidence) = (names[place].clone(), 1.0 / meant.count as f32);
        let mut contents = Contents { namespace, document, part: None, sections, confidence, is_guess: false };
        if let Some(AskedPart { name, .. }) = part
            && !contents.keep_part(name, is_of_another_work, trace)
        {
            let code = if text_may_answer { NoteCode::ContentsMissing } else { NoteCode::PartMissing };
            trace.note(code, format!("{} has no {name:?} in its table of contents", contents.document.source));
            continue;
        }
        answer.contents.push(contents);
    }
    if answer.contents.is_empty() && !text_may_answer {
        answer.without_contents = meant.only_text(trace);
    }
    answer.contents.retain(|contents| contents.confidence >= request.min_confidence);
    Ok(answer)
}

/// The documents whose tables of contents a question means.
struct MeantDocuments {
    documents: Vec<PlacedDocument>,
    /// How many documents it can mean, at least 1.
    count: usize,
    /// Those without a table of contents, whose text may have the part.
    without_contents: Vec<PlacedDocument>,
}

impl MeantDocuments {
    /// Those of `documents` that a question means; it names the documents `named`.
    async fn among(
        snapshots: &[&Snapshot],
        documents: Vec<PlacedDocument>,
        named: Vec<PlacedDocument>,
        part: Option<&AskedPart>,
        trace: &mut Trace,
    ) -> Result<Self> {
        let Some(AskedPart { name, .. }) = part else {
            return Ok(MeantDocuments { documents: named, count: 1, without_contents: Vec::new() });
        };
        let possible = if named.is_empty() { documents } else { named.clone() };
        let mut meant = documents_with_part(snapshots, possible, name, trace).await?;
        if meant.documents.is_empty() {
            meant.documents = named;
        }
        // A document that is named and lacks the part gets a note of its own.
        if !meant.documents.is_empty() {
            meant.without_contents.clear();
        }
        Ok(meant)
    }

    /// Drops the tables of contents if more than `most` are meant. Notes why none is left.
    fn keep_if_clear(&mut self, most: usize, part: Option<&AskedPart>, text_may_answer: bool, trace: &mut Trace) {
        if let Some(AskedPart { name, .. }) = part.filter(|_| self.documents.is_empty() && !text_may_answer) {
            let which = if self.without_contents.is_empty() { "no searched document" } else { "no table of contents" };
            trace.note(NoteCode::PartMissing, format!("{which} has {name:?}"));
        } else if self.documents.is_empty() || self.documents.len() > most {
            trace.note(NoteCode::ContentsMissing, self.why_none(part));
            self.documents.clear();
        }
    }

    /// The documents without a table of contents, whose text alone is searched, as a note says.
    fn only_text(self, trace: &mut Trace) -> Vec<DocId> {
        if !self.without_contents.is_empty() {
            let sources = first_of(self.without_contents.iter().map(|(_, document)| document.source.clone()));
            let message = format!("searched only the text of documents without a table of contents: {sources}");
            trace.note(NoteCode::ContentsMissing, message);
        }
        self.without_contents.into_iter().map(|(_, document)| document.doc_id).collect()
    }

    /// Why no table of contents answers: none is meant, or too many are.
    fn why_none(&self, part: Option<&AskedPart>) -> String {
        let why = match (self.documents.len(), part) {
            (0, Some(AskedPart { name, .. })) => format!("no searched document has {name:?}"),
            (0, None) => "it names no document".to_owned(),
            (many, Some(_)) if self.count > 1 => format!("it may mean any of {many} documents"),
            (many, _) => format!("{many} documents have the name in it"),
        };
        // If several documents can be meant, a note has said how to name one; of very many only for a chapter.
        let is_said = self.count > 1 && (self.count <= MOST_READ || part.is_some_and(|part| is_chapter(&part.name)));
        let remedy = if is_said { String::new() } else { names_one() };
        text_instead(&why) + &remedy
    }
}

fn names_what_no_text_has(snapshots: &[&Snapshot], query: &str, documents: &[PlacedDocument]) -> Result<bool> {
    for name in names_of_others(query, documents) {
        if parent_chunks_with(snapshots, &name)? == 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

fn text_instead(why: &str) -> String {
    format!("the question asks for a table of contents, but {why}; searched the text instead")
}

fn names_one() -> String {
    format!("; {} names a document", Setting("doc"))
}

/// Whether a name is the number of a chapter: no text is about it if no document has it. Laws and programmes have
/// sections, parts and items too, and a text may be about these.
fn is_chapter(name: &str) -> bool {
    SectionNumber::of_name(name).is_some() && (name.starts_with("chapter ") || name.ends_with(['章', '篇']))
}

/// The documents of all namespaces in which a request allows any text, by source.
async fn documents_allowed(
    searcher: &Searcher,
    request: &SearchRequest,
    trace: &mut Trace,
) -> Result<Vec<PlacedDocument>> {
    let scopes = filter(searcher, request, trace).await?;
    let mut documents = Vec::new();
    for (place, snapshot) in searcher.snapshots().await?.into_iter().enumerate() {
        let names = match scopes[place].documents() {
            Some(ids) => {
                let mut names = snapshot.document_names(&ids.into_iter().map(DocId::from).collect::<Vec<_>>()).await?;
                names.sort_by(|a, b| a.source.cmp(&b.source));
                names
            }
            None => snapshot.all_document_names().await?,
        };
        documents.extend(names.into_iter().map(|name| (place, name)));
    }
    Ok(documents)
}

/// Notes that a question that is only the number of a section fits several documents: `Item 7`, `第三章`.
pub(super) async fn note_ambiguous_section(
    searcher: &Searcher,
    request: &SearchRequest,
    trace: &mut Trace,
) -> Result<()> {
    let Some(name) = section_named(&request.query).filter(|_| request.documents.is_none()) else { return Ok(()) };
    // The search filters again and notes what is unknown in the filter.
    let documents = documents_allowed(searcher, request, &mut Trace::new(false)).await?;
    if are_too_many(documents.len(), &name) {
        note_too_many(documents.len(), &name, trace);
        return Ok(());
    }
    documents_with_part(&searcher.snapshots().await?, documents, &name, trace).await?;
    Ok(())
}

/// Whether a name is a number, and there are too many documents to look for those that have it.
fn are_too_many(documents: usize, name: &str) -> bool {
    documents > MOST_READ && SectionNumber::of_name(name).is_some()
}

fn note_too_many(documents: usize, name: &str, trace: &mut Trace) {
    let message = format!("any of {documents} documents may have {name:?}; {} names one", Setting("doc"));
    trace.note(NoteCode::PartInSeveral, message);
}

/// Those of `documents` that have a part of this name or number most literally, if possible only once. If several have
/// it, also by the same number in another form, a note names them.
async fn documents_with_part(
    snapshots: &[&Snapshot],
    documents: Vec<PlacedDocument>,
    name: &str,
    trace: &mut Trace,
) -> Result<MeantDocuments> {
    let count = documents.len();
    if are_too_many(count, name) {
        // A text may be about a section or an item that no document has.
        if is_chapter(name) {
            note_too_many(count, name, trace);
        }
        return Ok(MeantDocuments { documents, count, without_contents: Vec::new() });
    }
    let mut sections: HashMap<(usize, DocId), Vec<SectionRow>> = HashMap::new();
    for (place, snapshot) in snapshots.iter().enumerate() {
        let own = documents.iter().filter(|(own, _)| *own == place).map(|(_, document)| document.doc_id.clone());
        let own: Vec<DocId> = own.collect();
        let rows = match own.len() {
            0 => continue,
            few if few <= FEW_DOCUMENTS => snapshot.sections_of(&own).await?,
            _ => snapshot.all_sections().await?,
        };
        for row in rows.into_iter().filter(|row| !row.is_preamble()) {
            sections.entry((place, row.doc_id.clone())).or_default().push(row);
        }
    }
    let sections_of = |(place, row): &PlacedDocument| sections.get(&(*place, row.doc_id.clone()));
    let (with_contents, without_contents): (Vec<PlacedDocument>, _) =
        documents.into_iter().partition(|placed| sections_of(placed).is_some());
    let reading = |placed: &PlacedDocument| Reading::of(&placed.1, sections_of(placed)?, name);
    let named = with_contents.into_par_iter().filter_map(|placed| Some((reading(&placed)?, placed)));
    let named: Vec<(Reading, PlacedDocument)> = named.collect();
    let most_literal = named.iter().map(|(reading, _)| *reading).min();
    let alike = named.into_iter().filter(|(reading, _)| most_literal.is_some_and(|best| reading.is_like(best)));
    let (best, others): (Vec<_>, Vec<_>) = alike.partition(|(reading, _)| Some(*reading) == most_literal);
    let many = best.len() + others.len();
    if many > 1 {
        let sources = best.iter().chain(&others).map(|(_, (_, document))| document.source.clone());
        let sources = first_of(sources.collect::<Vec<String>>().into_iter());
        let message = format!("{many} documents have {name:?}: {sources}; {} names one", Setting("doc"));
        trace.note(NoteCode::PartInSeveral, message);
    }
    let documents = best.into_iter().map(|(_, document)| document).collect();
    Ok(MeantDocuments { documents, count: many.max(1), without_contents })
}

#[cfg(test)]
mod tests {
    use super::super::hit::sample::document;
    use super::*;

    #[tokio::test]
    async fn a_number_means_no_document_among_very_many() {
        let one = DocumentName::from(&document("d", "d.md", "D"));
        for (count, name, left, noted) in [
            (MOST_READ, "chapter 7", 0, &[][..]),
            (MOST_READ + 1, "chapter 7", MOST_READ + 1, &[NoteCode::PartInSeveral]),
            (MOST_READ + 1, "section 230", MOST_READ + 1, &[]),
            (MOST_READ + 1, "installation", 0, &[]),
        ] {
            let (mut trace, documents) = (Trace::new(false), vec![(0, one.clone()); count]);
            let mut meant = documents_with_part(&[], documents, name, &mut trace).await.unwrap();
            assert_eq!(meant.documents.len(), left, "{name}");
            assert!(trace.notes.iter().map(|note| note.code).eq(noted.iter().copied()), "{name}");
            if left > 0 {
                let part = AskedPart { name: name.to_owned(), says_of_what: false };
                meant.keep_if_clear(MOST_DOCUMENTS, Some(&part), false, &mut trace);
                assert!(meant.documents.is_empty());
                let last = trace.notes.last().unwrap();
                assert_eq!(
                    (last.code, last.message.contains("names a document")),
                    (NoteCode::ContentsMissing, noted.is_empty())
                );
            }
        }
    }
}
