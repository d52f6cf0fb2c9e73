//! Answers a question about structure from tables of contents.

use std::collections::{HashMap, HashSet};

use super::confidence::{UNCLEAR, is_year};
use super::expand::describe;
use super::find_section::{Reading, find_sections};
use super::glued::glued;
use super::hit::{Hit, Source};
use super::note::NoteCode;
use super::request::{Kind, SearchRequest};
use super::resolve::{file_name, stem};
use super::restrict::filter;
use super::searcher::Searcher;
use super::section::with_subsections;
use super::section_name::SectionName;
use super::section_number::SectionNumber;
use super::trace::Trace;
use super::understand::{AskedPart, Wanted, is_of_any_document, section_named};
use crate::error::{NextStep, Result, Setting};
use crate::ids::{ChunkId, DocId, SectionId};
use crate::store::{DocumentName, DocumentRow, IndexedParentChunk, Scope, SectionRow, Snapshot};
use crate::structure::PREAMBLE;
use crate::text::first_of;
use crate::text::stopwords::is_stopword;
use crate::text::tokens::{TokenKind, tokenize};

/// A question whose words fit the titles of more documents equally well names none of them.
pub(super) const MOST_DOCUMENTS: usize = 3;

/// A document's table of contents, or a part of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Contents {
    pub namespace: String,
    pub document: DocumentRow,
    /// The name of the requested part; `None` for the whole.
    pub part: Option<String>,
    /// The entries in order, without the text before the first.
    pub sections: Vec<SectionRow>,
    /// How sure it is that it is asked for, from 0 to 1: one divided by the number of documents that may be meant and of
    /// sections that fit; at most 0.5 if the part is a guess.
    pub confidence: f32,
    /// Whether the part was found by another name or by its position.
    pub is_guess: bool,
}

/// What tables of contents say to a question.
#[derive(Default)]
pub(super) struct Answer {
    pub contents: Vec<Contents>,
    /// If no table of contents has the chapter, the documents without one: only their text may have it.
    pub unlisted: Vec<DocId>,
}

/// A document with the place of its namespace.
type Placed = (usize, DocumentRow);

/// The tables of contents that a question asks for: of all documents in the scopes if the request names some, otherwise
/// of those that the question names. Notes say why no document was chosen, what a document lacks, and how a name was
/// read.
pub(super) async fn answer(
    snapshots: &[&Snapshot],
    names: &[String],
    request: &SearchRequest,
    wanted: &Wanted,
    scopes: &[Scope],
    trace: &mut Trace,
) -> Result<Answer> {
    let mut rows = admitted(snapshots, scopes).await?;
    let named = named(&request.query, wanted, &rows);
    let is_of_another = named.is_empty() && matches!(wanted, Wanted::Part(part) if part.says_of_what);
    let is_of_chapter = matches!(wanted, Wanted::Part(part) if is_chapter(&part.name));
    // "section 12 of the Clayton Act" is no section of these documents, but their text may be about it. Chapters are
    // those of documents.
    let is_asked_for = is_of_chapter || request.documents.is_some() || request.kind == Some(Kind::Structure);
    if is_of_another && !is_asked_for {
        trace.note(NoteCode::ContentsMissing, text_instead("it names none of the searched documents") + &names_one());
        return Ok(Answer::default());
    }
    // Whether the text of a document may answer although its table of contents does not.
    let text_may_answer = is_of_another || !is_of_chapter;
    let (mut answer, mut unlisted, mut meant) = (Answer::default(), Vec::new(), 1);
    if request.documents.is_none() && rows.len() != 1 {
        rows = match wanted {
            Wanted::Part(AskedPart { name, .. }) => {
                let having = having(snapshots, if named.is_empty() { rows } else { named.clone() }, name).await?;
                let Having { found, others, .. } = having;
                meant = (found.len() + others.len()).max(1);
                if meant > 1 {
                    trace.note(NoteCode::PartInSeveral, in_several(name, &[&found[..], &others].concat()));
                }
                // A document that is named and lacks the part gets a note below.
                if found.is_empty() && named.is_empty() {
                    unlisted = having.unlisted;
                }
                if found.is_empty() { named } else { found }
            }
            Wanted::Whole => named,
        };
    }
    if rows.is_empty()
        && !text_may_answer
        && let Wanted::Part(AskedPart { name, .. }) = wanted
    {
        let which = if unlisted.is_empty() { "no searched document" } else { "no table of contents" };
        trace.note(NoteCode::PartMissing, format!("{which} has {name:?}"));
    } else if rows.is_empty() || (rows.len() > MOST_DOCUMENTS && request.documents.is_none()) {
        let why = match (rows.len(), wanted) {
            (0, Wanted::Part(AskedPart { name, .. })) => format!("none that was searched has {name:?}"),
            (0, Wanted::Whole) => "it names no document".to_owned(),
            (many, Wanted::Part(_)) if meant > 1 => format!("{many} documents have that part"),
            (many, _) => format!("{many} documents have the name in it"),
        };
        let mut message = text_instead(&why);
        // The note about several documents has said it.
        if meant == 1 {
            message.push_str(&names_one());
        }
        trace.note(NoteCode::ContentsMissing, message);
        rows.clear();
    }
    for (place, document) in rows {
        let mut sections = snapshots[place].sections(&document.doc_id).await?;
        sections.retain(|section| section.path != PREAMBLE);
        if sections.is_empty() {
            trace.note(NoteCode::ContentsMissing, format!("{} has no table of contents", document.source));
            unlisted.push((place, document));
            continue;
        }
        let (mut part, mut confidence, mut is_guess) = (None, 1.0 / meant as f32, false);
        if let Wanted::Part(AskedPart { name, .. }) = wanted {
            // The place of a section says nothing about the one of another work.
            let found = part_of(&document, &sections, name).filter(|part| !(part.is_guess && is_of_another));
            let Some(found) = found else {
                let code = if text_may_answer { NoteCode::ContentsMissing } else { NoteCode::PartMissing };
                trace.note(code, format!("{} has no {name:?} in its table of contents", document.source));
                continue;
            };
            found.note.into_iter().for_each(|(code, message)| trace.note(code, message));
            confidence /= found.fitting as f32;
            if found.is_guess {
                confidence = confidence.min(UNCLEAR);
            }
            (sections, part, is_guess) = (found.sections, Some(name.clone()), found.is_guess);
        }
        let namespace = names[place].clone();
        answer.contents.push(Contents { namespace, document, part, sections, confidence, is_guess });
    }
    if answer.contents.is_empty() && !text_may_answer && !unlisted.is_empty() {
        let sources = first_of(unlisted.iter().map(|(_, document)| document.source.clone()));
        let message = format!("searched only the text of what has no table of contents: {sources}");
        trace.note(NoteCode::ContentsMissing, message);
        answer.unlisted = unlisted.into_iter().map(|(_, document)| document.doc_id).collect();
    }
    Ok(answer)
}

fn text_instead(why: &str) -> String {
    format!("the question asks for a table of contents, but {why}; searched the text instead")
}

fn names_one() -> String {
    format!("; {} names a document", Setting("doc"))
}

/// Whether a name is the number of a chapter, which no text can answer for. Laws and programmes have sections, parts and
/// items too, and a text may be about these.
fn is_chapter(name: &str) -> bool {
    SectionNumber::of_name(name).is_some() && (name.starts_with("chapter ") || name.ends_with(['章', '篇']))
}

/// The text of the parts that a question asks for, without those that are a guess: a hit for each section that has some.
/// Those of several documents take turns, so that a token limit leaves room for the beginning of each.
pub(super) async fn text_of_parts(
    searcher: &Searcher,
    request: &SearchRequest,
    contents: &[Contents],
) -> Result<Vec<Hit>> {
    let (snapshots, names) = (searcher.snapshots().await?, searcher.names());
    // The search has noted what is unknown in the filter.
    let scopes = filter(searcher, request, &snapshots, &mut Trace::new(false)).await?;
    let mut placed = Vec::new();
    for own in contents.iter().filter(|contents| contents.part.is_some() && !contents.is_guess) {
        let Some(namespace) = names.iter().position(|name| *name == own.namespace) else { continue };
        for (place, section) in own.sections.iter().enumerate() {
            let ids = (section.chunk_start..section.chunk_end).map(|index| ChunkId::parent(&section.doc_id, index));
            let ids: Vec<ChunkId> = ids.filter(|id| scopes[namespace].admits_chunk(id)).collect();
            let mut chunks = snapshots[namespace].keyword().parent_chunks(&ids)?;
            chunks.sort_by_key(|chunk| chunk.chunk_index);
            placed.extend(text_of_section(own, &chunks).map(|hit| (place, hit)));
        }
    }
    placed.sort_by_key(|(place, _)| *place);
    let mut hits: Vec<Hit> = placed.into_iter().map(|(_, hit)| hit).collect();
    describe(&snapshots, &names, &mut hits).await?;
    Ok(hits)
}

/// A section with the parent chunks of its own text; `None` without any.
fn text_of_section(own: &Contents, chunks: &[IndexedParentChunk]) -> Option<Hit> {
    let source = |chunk: &IndexedParentChunk| Source::of(chunk, &own.document.title, Some(own.confidence));
    let sources: Vec<Source> = chunks.iter().map(source).collect();
    let first = sources.first()?;
    let mut hit = Hit {
        score: own.confidence,
        confidence: own.confidence,
        namespace: own.namespace.clone(),
        chunk_id: first.chunk_id.clone(),
        section: SectionName::new(first.section_id.clone(), first.section_title.clone()),
        sources,
        ..Hit::in_document(&DocumentName::from(&own.document))
    };
    hit.refresh();
    Some(hit)
}

/// The documents that are called so: by their title, or their file with or without its ending.
pub(super) async fn documents_called(snapshots: &[&Snapshot], name: &str) -> Result<Vec<DocId>> {
    let mut called = Vec::new();
    for snapshot in snapshots {
        let rows = snapshot.all_document_names().await?.into_iter();
        let has_name = |row: &DocumentName| {
            let names = [row.title.as_str(), file_name(&row.source), stem(&row.source)];
            names.iter().any(|own| own.to_lowercase() == name)
        };
        called.extend(rows.filter(has_name).map(|row| row.doc_id));
    }
    Ok(called)
}

/// The documents of the scopes.
async fn admitted(snapshots: &[&Snapshot], scopes: &[Scope]) -> Result<Vec<Placed>> {
    let mut rows = Vec::new();
    for (place, snapshot) in snapshots.iter().enumerate() {
        let admitted = scopes[place].documents();
        let is_admitted = |row: &DocumentRow| admitted.as_ref().is_none_or(|ids| ids.contains(row.doc_id.as_str()));
        rows.extend(snapshot.documents().await?.into_iter().filter(is_admitted).map(|row| (place, row)));
    }
    Ok(rows)
}

/// Notes that a question which is the number of a section, and no more, fits several documents: `Item 7`, `第三章`.
pub(super) async fn note_ambiguous_section(
    searcher: &Searcher,
    request: &SearchRequest,
    trace: &mut Trace,
) -> Result<()> {
    let Some(name) = section_named(&request.query).filter(|_| request.documents.is_none()) else { return Ok(()) };
    let snapshots = searcher.snapshots().await?;
    // The search filters again and notes what is unknown in the filter.
    let scopes = filter(searcher, request, &snapshots, &mut Trace::new(false)).await?;
    let Having { found, others, .. } = having(&snapshots, admitted(&snapshots, &scopes).await?, &name).await?;
    if found.len() + others.len() > 1 {
        trace.note(NoteCode::PartInSeveral, in_several(&name, &[found, others].concat()));
    }
    Ok(())
}

fn in_several(name: &str, documents: &[Placed]) -> String {
    let sources = first_of(documents.iter().map(|(_, document)| document.source.clone()));
    format!("{} documents have {name:?}: {sources}; {} names one", documents.len(), Setting("doc"))
}

/// The documents with a part of some name or number.
#[derive(Default)]
struct Having {
    /// Those that have it most literally and, if there are some, only once.
    found: Vec<Placed>,
    /// The others that have the same number.
    others: Vec<Placed>,
    /// Those without a table of contents: they may have the part all the same.
    unlisted: Vec<Placed>,
}

/// Those of `rows` with a part of this name or number.
async fn having(snapshots: &[&Snapshot], rows: Vec<Placed>, name: &str) -> Result<Having> {
    let mut sections: HashMap<(usize, DocId), Vec<SectionRow>> = HashMap::new();
    for (place, snapshot) in snapshots.iter().enumerate() {
        for row in snapshot.all_sections().await?.into_iter().filter(|row| row.path != PREAMBLE) {
            sections.entry((place, row.doc_id.clone())).or_default().push(row);
        }
    }
    let sections_of = |(place, row): &Placed| sections.get(&(*place, row.doc_id.clone()));
    let (listed, unlisted): (Vec<Placed>, _) = rows.into_iter().partition(|placed| sections_of(placed).is_some());
    let reading = |placed: &Placed| Reading::of(&placed.1, sections_of(placed)?, name);
    let named: Vec<(Reading, Placed)> = listed.into_iter().filter_map(|row| Some((reading(&row)?, row))).collect();
    let Some(best) = named.iter().map(|(reading, _)| *reading).min() else {
        return Ok(Having { unlisted, ..Having::default() });
    };
    let alike = named.into_iter().filter(|(reading, _)| reading.is_like(best));
    let (found, others): (Vec<_>, Vec<_>) = alike.partition(|(reading, _)| *reading == best);
    let rows = |named: Vec<(Reading, Placed)>| named.into_iter().map(|(_, row)| row).collect();
    Ok(Having { found: rows(found), others: rows(others), unlisted })
}

/// The weight of a year among the words that name documents: the least.
const YEAR: usize = 1;

/// The documents that a question names: by file name or title, otherwise those whose titles have most of its words, by
/// their rarity. For a whole table of contents, words that fit too many documents name none; a part may tell these apart.
fn named(query: &str, wanted: &Wanted, rows: &[Placed]) -> Vec<Placed> {
    let mut asked = naming_words(query);
    if let Wanted::Part(AskedPart { name, .. }) = wanted {
        let part = naming_words(name);
        asked.retain(|word| !part.contains(word));
    }
    let kinds: HashSet<String> = asked.iter().filter(|word| is_of_any_document(word)).cloned().collect();
    // "Manual" names a document only in "chapters of the manual", which says nothing else, or if it is the whole name.
    let kinds_name = *wanted == Wanted::Whole && kinds.len() == asked.len();
    let may_name = |word: &String| kinds_name || !is_of_any_document(word);
    asked.retain(may_name);
    // A year only tells documents of one name apart.
    let least = if asked.iter().all(|word| is_year(word)) { YEAR } else { YEAR + 1 };
    asked.extend(glued(query).into_iter().map(|name| name.word));
    let lower = query.to_lowercase();
    let those = |is: &dyn Fn(&DocumentRow) -> bool| -> Vec<Placed> {
        rows.iter().filter(|(_, row)| is(row)).cloned().collect()
    };
    // The address of a website may end in a slash, with no file name after it.
    let is_telling = |name: &str| {
        let words = naming_words(name);
        words.is_empty() || words.iter().any(may_name)
    };
    let has = |name: &str| name.chars().count() > 2 && lower.contains(&name.to_lowercase()) && is_telling(name);
    let names: [fn(&DocumentRow) -> &str; 3] =
        [|row| row.source.as_str(), |row| file_name(&row.source), |row| row.title.as_str()];
    if let Some(found) = names.map(|name| those(&|row| has(name(row)))).into_iter().find(|found| !found.is_empty()) {
        return found;
    }
    let words_of =
        |document: &DocumentRow| naming_words(&format!("{} {}", document.title, file_name(&document.source)));
    let own: Vec<HashSet<String>> = rows.iter().map(|(_, document)| words_of(document)).collect();
    let mut having: HashMap<&str, usize> = HashMap::new();
    for word in own.iter().flatten().filter(|word| asked.contains(*word)) {
        *having.entry(word.as_str()).or_default() += 1;
    }
    let weight = |word: &String| {
        let having = having.get(word.as_str()).copied().unwrap_or(1);
        if is_year(word) { YEAR } else { (YEAR + 1) * own.len() / having }
    };
    let weights: Vec<(&String, usize)> = asked.iter().map(|word| (word, weight(word))).collect();
    // The rarest word decides, then all of them.
    let matched = |own: &HashSet<String>| -> (usize, usize) {
        let weights = || weights.iter().filter(|(word, _)| own.contains(*word)).map(|(_, weight)| *weight);
        (weights().max().unwrap_or(0), weights().sum())
    };
    let matched: Vec<(usize, usize)> = own.iter().map(matched).collect();
    let most = matched.iter().copied().max().unwrap_or_default();
    let best = rows.iter().zip(&matched).filter(|(_, own)| most.0 >= least && **own == most);
    let found: Vec<Placed> = best.map(|(row, _)| row.clone()).collect();
    if !found.is_empty() {
        return if found.len() > MOST_DOCUMENTS && *wanted == Wanted::Whole { Vec::new() } else { found };
    }
    // "Chapter 2 of the handbook" is that of handbook.md, if no other document is called so.
    let is_kind = |name: &str| {
        let words = naming_words(name);
        !words.is_empty() && words.is_subset(&kinds)
    };
    let found = those(&|row| is_kind(stem(&row.source)) || is_kind(&row.title));
    if found.len() == 1 { found } else { Vec::new() }
}

/// The words that may name a document: all but those that questions about structure share, and numbers that are no year.
fn naming_words(text: &str) -> HashSet<String> {
    const ASKING: [&str; 41] = [
        "chapter", "section", "subsect", "item", "say", "discuss", "head", "tabl", "content", "toc", "list", "show",
        "give", "name", "outlin", "mani", "part", "appendic", "appendix", "cover", "describ", "contain", "includ",
        "explain", "overview", "summar", "summari", "summaris", "tell", "pleas", "目录", "章节", "哪些", "有哪",
        "些章", "几章", "大纲", "内容", "什么", "讲什", "多少",
    ];
    tokenize(text)
        .into_iter()
        .filter(|token| token.kind != TokenKind::Single)
        .map(|token| token.text)
        .filter(|word| {
            let is_number = word.bytes().all(|b| b.is_ascii_digit());
            !is_stopword(word) && !ASKING.contains(&word.as_str()) && (!is_number || is_year(word))
        })
        .collect()
}

/// The part of a document that a name stands for.
struct Part {
    /// Its entries in order. If the name fits several sections, those of all.
    sections: Vec<SectionRow>,
    /// How many sections the name fits.
    fitting: usize,
    is_guess: bool,
    /// Tells a guess, or that the name fits several.
    note: Option<(NoteCode, String)>,
}

fn part_of(document: &DocumentRow, sections: &[SectionRow], name: &str) -> Option<Part> {
    let found = find_sections(document, sections, name);
    let note = match &found[..] {
        [] => return None,
        [one] => one.note.clone().map(|note| (NoteCode::ContentsGuessed, note)),
        several => {
            let each = several.iter().map(|one| format!("{} ({})", one.section.section_id, one.section.title));
            let message = format!(
                "{} sections of {} match {name:?}: {}; `{}` shows one",
                several.len(),
                document.source,
                first_of(each),
                NextStep::Show("ID")
            );
            Some((NoteCode::PartInSeveral, message))
        }
    };
    let within = found.iter().flat_map(|one| with_subsections(sections, one.section));
    let within: HashSet<&SectionId> = within.map(|section| &section.section_id).collect();
    let own = sections.iter().filter(|section| within.contains(&section.section_id)).cloned().collect();
    let is_guess = matches!(note, Some((NoteCode::ContentsGuessed, _)));
    Some(Part { sections: own, fitting: found.len(), is_guess, note })
}

#[cfg(test)]
mod tests {
    use super::super::hit::sample::{self, section as row};
    use super::*;

    fn document(source: &str, title: &str) -> DocumentRow {
        sample::document("d", source, title)
    }

    #[test]
    fn documents_are_named_by_file_or_title() {
        let rows = [
            (0, document("docs/pump.pdf", "Norwick Pump Station Manual")),
            (1, document("docs/net.md", "Network Guide")),
            (2, document("docs/泵站.pdf", "泵站维护手册")),
            (3, document("https://example.org/", "Example Domain")),
        ];
        let named = |query| named(query, &Wanted::Whole, &rows).into_iter().map(|(place, _)| place).collect::<Vec<_>>();
        assert_eq!(named("what chapters does pump.pdf have?"), [0]);
        assert_eq!(named("table of contents of the network guide"), [1]);
        assert_eq!(named("which chapters are in the Norwick manual"), [0]);
        assert_eq!(named("维护手册有哪些章节"), [2]);
        assert_eq!(named("table of contents"), [0; 0]);
        assert_eq!(named("chapters of https://example.org/"), [3]);
    }

    #[test]
    fn a_year_and_a_glued_name_tell_reports_apart() {
        let names =
            ["ACMEPUMPS_2021_10K", "ACMEPUMPS_2022_10K", "ACMEPUMPS_2023_10K", "ACMEPUMPS_2024_10K", "NORWICK_2022"];
        let rows: Vec<Placed> =
            names.iter().enumerate().map(|(place, name)| (place, document(&format!("{name}.pdf"), name))).collect();
        let named = |query, wanted: &Wanted| {
            named(query, wanted, &rows).into_iter().map(|(place, _)| place).collect::<Vec<_>>()
        };
        let part = Wanted::Part(AskedPart { name: "item 7".to_owned(), says_of_what: true });
        assert_eq!(named("what does item 7 of Acme Pumps 2022 say", &part), [1]);
        assert_eq!(named("what does item 7 of Acme Pumps say", &part), [0, 1, 2, 3], "the part may tell them apart");
        assert_eq!(named("table of contents of Acme Pumps", &Wanted::Whole), [0; 0]);
        assert_eq!(named("what does item 7 say", &part), [0; 0]);
    }

    #[test]
    fn a_kind_of_document_or_a_word_of_many_titles_names_none() {
        let rows = [
            (0, document("PEPSICO_2022_10K.pdf", "PepsiCo 2022 annual report 10-K")),
            (1, document("VERIZON_2021_10K.pdf", "VERIZON_2021_10K")),
            (2, document("boeing.pdf", "Boeing: statements of cash flows")),
            (3, document("ford.pdf", "Statements of cash flows of Ford")),
        ];
        let named = |query, wanted: &Wanted| {
            named(query, wanted, &rows).into_iter().map(|(place, _)| place).collect::<Vec<_>>()
        };
        let part = Wanted::Part(AskedPart { name: "item 7".to_owned(), says_of_what: true });
        assert_eq!(named("what does item 7 of Verizon's 10-K say", &part), [1]);
        assert_eq!(named("what does item 7 of the annual report of Verizon say", &part), [1]);
        assert_eq!(named("what does item 7 of Tesla's 10-K say", &part), [0; 0]);
        assert_eq!(named("please summarise item 7 of Tesla's 2022 10-K", &part), [0; 0]);
        assert_eq!(named("please summarise item 7 of the 2022 report", &part), [0]);
        assert_eq!(named("what does item 7 of the 10-K say", &part), [0; 0]);
        assert_eq!(named("what does item 7 of Verizon's cash flows say", &part), [1]);
        assert_eq!(named("what does item 7 of Verizon 2022 say", &part), [1]);
        assert_eq!(named("table of contents of the 10-K", &Wanted::Whole), [0]);
    }

    #[test]
    fn a_kind_of_document_names_the_only_one_that_is_called_so() {
        let rows = [
            (0, document("docs/handbook.md", "Working at Norwick")),
            (1, document("policy.md", "Policy")),
            (2, document("手册.md", "泵站维护")),
            (3, document("pump.pdf", "Guide")),
            (4, document("report.md", "Report")),
            (5, document("old/report.md", "Report")),
        ];
        let part = |name: &str| Wanted::Part(AskedPart { name: name.to_owned(), says_of_what: false });
        for (query, name, expected) in [
            ("what does chapter 2 of the handbook say", "chapter 2", &[0][..]),
            ("手册第三章讲什么", "第三章", &[2][..]),
            ("what does chapter 2 of the guide say", "chapter 2", &[3][..]),
            ("what does chapter 2 of the report say", "chapter 2", &[][..]),
            ("what does chapter 2 of the policy handbook say", "chapter 2", &[1][..]),
            ("what does chapter 2 of the book say", "chapter 2", &[][..]),
        ] {
            let found: Vec<usize> = named(query, &part(name), &rows).into_iter().map(|(place, _)| place).collect();
            assert_eq!(found, expected, "{query}");
        }
    }

    #[test]
    fn a_part_comes_with_what_is_below_it() {
        let sections = [row("1", "第一章 概述"), row("2", "第二章 启动"), row("2.1", "检查"), row("3", "附录")];
        let part = |sections: &[SectionRow], name| {
            part_of(&document("guide.md", "Guide"), sections, name)
                .map(|part| part.sections.into_iter().map(|section| section.path).collect::<Vec<_>>())
        };
        assert_eq!(part(&sections, "第二章"), Some(vec!["2".to_owned(), "2.1".to_owned()]));
        assert_eq!(part(&sections, "第九章"), None);
        let plain = [row("1", "Priming"), row("2", "Bearings"), row("2.1", "Grease")];
        assert_eq!(part(&plain, "chapter 2"), Some(vec!["2".to_owned(), "2.1".to_owned()]));
        assert_eq!(part(&plain, "chapter two"), part(&plain, "第二章"));
        assert_eq!(part(&plain, "chapter 7"), None);
    }

    #[test]
    fn a_number_that_begins_anew_in_each_part_means_all_sections_with_it() {
        let sections = [
            row("1", "I Start"),
            row("1.1", "1 History"),
            row("2", "II Fonts"),
            row("2.1", "1 Commands"),
            row("2.1.1", "1.1 Names"),
        ];
        let part = part_of(&document("fonts.pdf", "Fonts"), &sections, "chapter 1").unwrap();
        let paths: Vec<&str> = part.sections.iter().map(|section| section.path.as_str()).collect();
        assert_eq!((paths, part.fitting), (vec!["1.1", "2.1", "2.1.1"], 2));
        let (code, message) = part.note.unwrap();
        assert_eq!(code, NoteCode::PartInSeveral);
        assert!(
            message.starts_with("2 sections of fonts.pdf match \"chapter 1\": d#1.1 (1 History), d#2.1"),
            "{message}"
        );
    }

    #[test]
    fn chapters_are_counted_below_the_title_of_the_document() {
        let sections = [row("1", "Guide"), row("1.1", "Install"), row("1.2", "Configure"), row("1.2.1", "Ports")];
        let part = |title: &str, name: &str| {
            part_of(&document("guide.md", title), &sections, name).map(|part| part.sections[0].title.clone())
        };
        for (name, expected) in [
            ("chapter 2", "Configure"),
            ("第二章", "Configure"),
            ("chapter 1", "Install"),
            ("section 1.2", "Configure"),
            ("section 2.1", "Ports"),
        ] {
            assert_eq!(part("GUIDE", name).as_deref(), Some(expected), "{name}");
        }
        assert_eq!(part("Guide", "chapter 3"), None);
        // A document of another name has one chapter.
        assert_eq!((part("Pumps", "chapter 1").as_deref(), part("Pumps", "chapter 2")), (Some("Guide"), None));
    }
}
