//! Questions with known answers, asked of a store as it is.
//!
//! A file has a question on each line, as JSON, and what its answer must have: `source`, `section`, `pages`, `text`. A
//! question with none of these has no answer, and should find nothing.

use std::collections::HashMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::figures::{DEPTH, Figures, QUESTION_FIGURES};
use crate::error::{Error, Result, Setting, plain_json};
use crate::ids::{DocId, SectionId};
use crate::paths::read_text;
use crate::search::{Contents, Hit, Note, NoteCode, SearchRequest, Searcher};
use crate::store::SectionRow;
use crate::structure::normalise_title;
use crate::text::{fold_name, truncate};

/// A question and what its answer must have. One hit must have all of it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    pub question: String,
    /// The path of the document, or the end of it.
    source: Option<String>,
    /// The path of a section, its title, or one above it.
    section: Option<String>,
    /// A page, several, or from one to another: `12`, `[12, 13]`, `"12-14"`.
    pages: Option<Pages>,
    /// Words in the text of the hit; white space and case do not count.
    text: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
enum Pages {
    One(u32),
    Some(Vec<u32>),
    Range(String),
}

impl Pages {
    /// Whether one of the pages is from `start` to `end`; `None` if this is not a range.
    fn meet(&self, start: u32, end: u32) -> Option<bool> {
        let is_there = |page: &u32| (start..=end).contains(page);
        Some(match self {
            Pages::One(page) => is_there(page),
            Pages::Some(pages) => pages.iter().any(is_there),
            Pages::Range(range) => {
                let (first, last) = range.split_once('-').unwrap_or((range, range));
                let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
                first <= end && start <= last
            }
        })
    }
}

impl Question {
    /// Whether the documents have an answer.
    fn is_answerable(&self) -> bool {
        self.source.is_some() || self.section.is_some() || self.pages.is_some() || self.text.is_some()
    }

    fn is_of(&self, source: &str) -> bool {
        self.source.as_deref().is_none_or(|own| source == own || source.ends_with(&format!("/{own}")))
    }

    /// Whether a table of contents answers it, which has no text and no pages.
    fn is_answered_by_contents(&self, contents: &Contents) -> bool {
        let has = |wanted: &String| {
            let wanted = normalise_title(wanted);
            contents.sections.iter().any(|entry| normalise_title(&entry.title).contains(&wanted))
        };
        self.is_answerable()
            && self.is_of(&contents.document.source)
            && self.section.as_ref().is_none_or(has)
            && self.pages.is_none()
            && self.text.is_none()
    }

    fn is_answered_by(&self, hit: &Hit) -> bool {
        let on_page = |pages: &Pages| {
            let place = hit.page_start.zip(hit.page_end);
            place.and_then(|(start, end)| pages.meet(start, end)).unwrap_or_default()
        };
        let titles = normalise_title(&hit.section.titles);
        let in_section = |wanted: &str| is_section(wanted, hit.section.id.path(), &titles);
        self.is_of(&hit.source)
            && self.section.as_deref().is_none_or(in_section)
            && self.pages.as_ref().is_none_or(on_page)
            && self.text.as_deref().is_none_or(|text| fold_name(&hit.content).contains(&fold_name(text)))
    }

    /// The source or the section that no document has, so that no search can find the answer.
    fn unknown(&self, documents: &[KnownDocument]) -> Option<Note> {
        let named = format!("which the question {:?} names", truncate(&self.question, 60));
        let own: Vec<&KnownDocument> = documents.iter().filter(|document| self.is_of(&document.source)).collect();
        if let (Some(source), []) = (&self.source, &own[..]) {
            let message = format!("no document has the source {source:?}, {named}");
            return Some(Note { code: NoteCode::SourceUnknown, message });
        }
        let section = self.section.as_ref()?;
        if own.iter().flat_map(|document| &document.sections).any(|(path, titles)| is_section(section, path, titles)) {
            return None;
        }
        let which = self.source.as_ref().map_or_else(|| "no document has a".to_owned(), |own| format!("{own} has no"));
        let message = format!("{which} section {section:?}, {named}");
        Some(Note { code: NoteCode::SectionUnknown, message })
    }
}

/// A document that can answer questions.
struct KnownDocument {
    source: String,
    /// The path of each section, and its titles from the top down, normalised.
    sections: Vec<(String, String)>,
}

async fn known_documents(searcher: &Searcher) -> Result<Vec<KnownDocument>> {
    let mut documents = Vec::new();
    for snapshot in searcher.snapshots().await? {
        let (names, rows) = (snapshot.all_document_names().await?, snapshot.all_sections().await?);
        let by_id: HashMap<&SectionId, &SectionRow> = rows.iter().map(|row| (&row.section_id, row)).collect();
        let mut sections: HashMap<&DocId, Vec<(String, String)>> = HashMap::new();
        for row in &rows {
            let above = std::iter::successors(Some(row), |row| by_id.get(row.parent_id.as_ref()?).copied());
            // A damaged store could have a circle.
            let mut titles: Vec<&str> = above.take(row.level as usize + 1).map(|row| row.title.as_str()).collect();
            titles.reverse();
            sections.entry(&row.doc_id).or_default().push((row.path.clone(), normalise_title(&titles.join(" "))));
        }
        documents.extend(names.into_iter().map(|name| KnownDocument {
            sections: sections.remove(&name.doc_id).unwrap_or_default(),
            source: name.source,
        }));
    }
    Ok(documents)
}

/// Whether a section is the wanted one: by its path, or by its title or one above it. `titles` are normalised.
fn is_section(wanted: &str, path: &str, titles: &str) -> bool {
    let is_title = wanted.chars().any(char::is_alphabetic);
    path == wanted || (is_title && titles.contains(&normalise_title(wanted)))
}

/// Reads the questions of a file.
///
/// # Errors
/// If the file cannot be read, has no question, or a line is wrong.
pub fn read_questions(file: &Path) -> Result<Vec<Question>> {
    let text = read_text(file).map_err(|error| Error::reading(file, &error))?;
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    let read = |(line, number): (&str, usize)| {
        let question: Question =
            serde_json::from_str(line).map_err(|error| wrong(file, number, &plain_json(&error)))?;
        if !question.question.chars().any(char::is_alphanumeric) {
            return Err(wrong(file, number, "the question contains no word"));
        }
        match &question.pages {
            Some(pages) if pages.meet(1, 1).is_none() => {
                Err(wrong(file, number, "pages are like 12, [12, 13] or \"12-14\""))
            }
            _ => Ok(question),
        }
    };
    let questions: Vec<Question> = lines.map(read).collect::<Result<_>>()?;
    if questions.is_empty() {
        return Err(Error::usage(format!("{} has no question", file.display()))
            .hint("write one on each line: {\"question\": \"how is the pump primed\", \"source\": \"manual.pdf\"}"));
    }
    Ok(questions)
}

fn wrong(file: &Path, line: usize, what: &str) -> Error {
    Error::usage(format!("{}, line {line}: {what}", file.display()))
        .hint("write a question on each line, with any of source, section, pages and text of its answer")
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answered {
    pub question: String,
    pub answerable: bool,
    /// The place of the answer among the hits, from 1; `None` if it is not among them.
    pub place: Option<usize>,
    pub hits: usize,
    pub confidence: f32,
    /// The first hit.
    pub first: Option<String>,
}

impl Answered {
    /// How well it was answered; less is better.
    fn rank(&self) -> usize {
        if self.answerable { self.place.unwrap_or(usize::MAX) } else { self.hits.min(1) }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QuestionsReport {
    pub questions: Vec<Answered>,
    pub figures: Figures,
    /// What changed since an earlier run.
    pub baseline: Option<Comparison>,
    /// The conditions that are not met, in words.
    pub unmet: Vec<String>,
    /// Answers that no search can find.
    pub notes: Vec<Note>,
}

/// Compares a run with an earlier one, by the questions that both have.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Comparison {
    pub better: Vec<String>,
    pub worse: Vec<String>,
    /// Questions that only this run has.
    pub new: usize,
}

/// The part of a report that a later run is compared with.
#[derive(Deserialize)]
struct Baseline {
    items: Vec<Answered>,
}

/// Asks each question like `template`, and compares the places of the answers with those of an earlier report in JSON.
pub async fn ask_questions(
    searcher: &Searcher,
    questions: &[Question],
    template: &SearchRequest,
    baseline: Option<&Path>,
) -> Result<QuestionsReport> {
    let earlier = baseline.map(read_baseline).transpose()?;
    let mut answered = Vec::with_capacity(questions.len());
    for question in questions {
        let request = SearchRequest { query: question.question.clone(), limit: DEPTH, ..template.clone() };
        answered.push(answer(searcher, question, &request).await?);
    }
    let baseline = earlier.map(|earlier| compare(&answered, &earlier));
    let is_missed = |one: &Answered| one.answerable && one.place.is_none();
    let mut notes = Vec::new();
    if answered.iter().any(is_missed) {
        let documents = known_documents(searcher).await?;
        let missed = questions.iter().zip(&answered).filter(|(_, one)| is_missed(one));
        notes.extend(missed.filter_map(|(question, _)| question.unknown(&documents)));
    }
    Ok(QuestionsReport { figures: figures(&answered), questions: answered, baseline, unmet: Vec::new(), notes })
}

async fn answer(searcher: &Searcher, question: &Question, request: &SearchRequest) -> Result<Answered> {
    let found = searcher.search(request).await?;
    let (place, hits, first) = match &found.contents[..] {
        [] => (
            found.hits.iter().position(|hit| question.is_answered_by(hit)),
            found.hits.len(),
            found.hits.first().map(|hit| format!("{} {}", hit.source, truncate(&hit.section.titles, 60))),
        ),
        [first, ..] => (
            found.contents.iter().position(|own| question.is_answered_by_contents(own)),
            found.contents.len(),
            Some(format!("{} table of contents", first.document.source)),
        ),
    };
    let (question, answerable) = (question.question.clone(), question.is_answerable());
    let (place, confidence) = (place.map(|at| at + 1), found.confidence());
    Ok(Answered { question, answerable, place, hits, confidence, first })
}

fn figures(answered: &[Answered]) -> Figures {
    let (with, without): (Vec<&Answered>, Vec<&Answered>) = answered.iter().partition(|one| one.answerable);
    let mean = |of: &[&Answered], value: &dyn Fn(&Answered) -> f64| {
        let sum: f64 = of.iter().map(|one| value(one)).sum();
        if of.is_empty() { None } else { Some(sum / of.len() as f64) }
    };
    let among = |most: usize| mean(&with, &|one| f64::from(u8::from(one.place.is_some_and(|place| place <= most))));
    let reciprocal = mean(&with, &|one| one.place.map_or(0.0, |place| 1.0 / place as f64));
    let refused = mean(&without, &|one| f64::from(u8::from(one.hits == 0)));
    let values = [among(1), among(5), among(DEPTH), reciprocal, refused];
    Figures(QUESTION_FIGURES.into_iter().zip(values).filter_map(|(name, value)| Some((name, value?))).collect())
}

fn read_baseline(file: &Path) -> Result<Vec<Answered>> {
    let text = read_text(file).map_err(|error| Error::reading(file, &error))?;
    let read: Baseline = serde_json::from_str(&text).map_err(|error| {
        Error::usage(format!("{} is not a report of earlier questions: {error}", file.display()))
            .hint(format!("write one with {} json", Setting("format")))
            .caused_by(error)
    })?;
    Ok(read.items)
}

fn compare(now: &[Answered], earlier: &[Answered]) -> Comparison {
    let mut comparison = Comparison::default();
    for one in now {
        match earlier.iter().find(|before| before.question == one.question) {
            None => comparison.new += 1,
            Some(before) if one.rank() < before.rank() => comparison.better.push(one.question.clone()),
            Some(before) if one.rank() > before.rank() => comparison.worse.push(one.question.clone()),
            Some(_) => {}
        }
    }
    comparison
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::SectionName;

    fn hit() -> Hit {
        Hit {
            source: "docs/manual.pdf".to_owned(),
            section: SectionName::new("d#2.1".into(), "Operation › 2.1 Priming"),
            page_start: Some(12),
            page_end: Some(13),
            content: "Open the\nupper VENT first.".to_owned(),
            ..Hit::default()
        }
    }

    #[test]
    fn one_hit_must_meet_all_conditions() {
        let holds = |expected: &str| {
            let line = format!("{{\"question\": \"q\", {expected}}}");
            serde_json::from_str::<Question>(&line).unwrap().is_answered_by(&hit())
        };
        for right in [
            r#""source": "manual.pdf""#,
            r#""section": "2.1""#,
            r#""section": "priming""#,
            r#""pages": 13"#,
            r#""pages": [1, 12]"#,
            r#""pages": "10-12""#,
            r#""text": "upper vent""#,
            r#""source": "docs/manual.pdf", "text": "open the upper""#,
        ] {
            assert!(holds(right), "{right}");
        }
        for wrong in [
            r#""source": "anual.pdf""#,
            r#""section": "2""#,
            r#""pages": 11"#,
            r#""pages": "14-20""#,
            r#""text": "lower vent""#,
            r#""source": "manual.pdf", "pages": 3"#,
        ] {
            assert!(!holds(wrong), "{wrong}");
        }
    }

    fn answered(question: &str, answerable: bool, place: Option<usize>, hits: usize) -> Answered {
        Answered { question: question.to_owned(), answerable, place, hits, confidence: 0.0, first: None }
    }

    #[test]
    fn each_figure_counts_only_its_own_questions() {
        let all = [answered("a", true, Some(1), 3), answered("b", true, Some(4), 5), answered("c", false, None, 0)];
        let Figures(values) = figures(&all);
        assert_eq!(values, [("hit@1", 0.5), ("hit@5", 1.0), ("hit@10", 1.0), ("mrr@10", 0.625), ("refused", 1.0)]);
        assert_eq!(figures(&all[..2]).0.len(), 4, "nothing could be refused");
        let earlier = [answered("a", true, Some(2), 3), answered("c", false, None, 0), answered("b", true, None, 5)];
        let comparison = compare(&all, &earlier[..2]);
        assert_eq!((comparison.better, comparison.worse, comparison.new), (vec!["a".to_owned()], vec![], 1));
        assert_eq!(compare(&earlier, &all).worse, ["a", "b"]);
    }
}
