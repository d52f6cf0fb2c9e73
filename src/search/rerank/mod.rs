//! Reranks the best candidates by signals that neither retriever sees: how much of the question a chunk and its titles
//! have, how much of it the titles alone have, how much of it the label of one row of figures has, whether the chunk is
//! of the kind that answers the question, and whether it is below the statement that the question names. On request a
//! cross-encoder then reads the first of them.
//!
//! In BM25 a frequent word makes up for a missing one, and a vector covers everything at once. Which words of the
//! question occur at all is a signal of its own ("coordination level" in the field's older literature). `cargo bench
//! --bench measure -- ablation` measures what the signals are worth.

mod cross_encoder;

use std::collections::HashMap;
use std::time::Instant;

use super::candidate::{Candidate, ChunkKey};
use super::hit::parent_chunks;
use super::loaded_cross_encoder::LoadingCrossEncoder;
use super::recall::Recalled;
use super::request::{Method, Rerank};
use super::searcher::StageInput;
use super::trace::Trace;
use super::understand::Understanding;
use crate::chunk::context::SEPARATOR;
use crate::error::Result;
use crate::knowledge::profile::classify;
use crate::store::IndexedParentChunk;
use crate::text::{count, tables};
use cross_encoder::read_first;

/// How many candidates are reranked by words; the rest follow in their old order.
const DEPTH: usize = 100;
/// The weight of the share of the question's words that a chunk or the titles above it have; the fused score has 1 …
const COVERAGE: f32 = 0.4;
/// … of their share in the titles alone …
const TITLE: f32 = 0.1;
/// … and of being of the kind that the question surely asks for: steps for "how do I …".
const KIND: f32 = 0.05;
/// … and of the share of the question's words that the label of one row of figures has. Text about a figure has more
/// words of the question, and its vector is nearer, than the table with the figure. With .2 to .5, the right page is
/// first for 108 of 164 questions on annual reports, without it for 90.
const ROW: f32 = 0.3;
/// … and of standing below the title of a statement that the question names: the right page is first for 30 of 34 such
/// questions on annual reports, without it for 14.
const STATEMENT: f32 = 0.2;
/// Candidates whose text is read.
const READ: usize = 30;
/// The names of each statement, in the singular.
const STATEMENTS: [&[&str]; 3] = [
    &["balance sheet", "statement of financial position", "资产负债表", "财务状况表"],
    &["cash flow statement", "statement of cash flow", "现金流量表"],
    &[
        "income statement",
        "P&L",
        "profit and loss statement",
        "statement of income",
        "statement of operation",
        "statement of earning",
        "利润表",
        "损益表",
    ],
];

/// Reranks by the question's words if that can help, then by the requested cross-encoder or endpoint.
pub(super) async fn rerank(
    input: &StageInput<'_, '_>,
    recalled: &Recalled<'_>,
    mut candidates: Vec<Candidate>,
    cross_encoder: Option<LoadingCrossEncoder>,
    trace: &mut Trace,
) -> Result<Vec<Candidate>> {
    let StageInput { question, snapshots, .. } = *input;
    let request = question.request;
    let by_words = match request.rerank {
        Rerank::Off => false,
        Rerank::Light => true,
        Rerank::Auto | Rerank::Model { .. } | Rerank::Endpoint { .. } => {
            recalled.route.rerank && matches!(request.method, Method::Auto | Method::Hybrid)
        }
    };
    if by_words {
        let start = Instant::now();
        let found = recalled.keyword.words_found(&candidates[..DEPTH.min(candidates.len())])?;
        let (counted, mut preferred) = (found.len(), HashMap::new());
        if recalled.coverage.distinguishes() {
            let texts = parent_chunks(snapshots, candidates.iter().take(READ).map(Candidate::key))?;
            preferred = of_kind(&question.understood, &texts);
            let shares = found.into_iter().map(|(key, found)| (key, recalled.coverage.shares(&found)));
            let mut signals = Signals::of_words(shares);
            signals.add(KIND * question.understood.sure, &preferred);
            signals.add(ROW, &best_rows(recalled, &texts));
            signals.add(STATEMENT, &below_statements(&request.query, &texts));
            rank_by_signals(&mut candidates, &signals);
        }
        let stage = trace.stage("rerank", start, counted, candidates.len());
        stage.ranking(&candidates);
        if !preferred.is_empty() {
            stage.note(format!("{} of the requested kind", count(preferred.len(), "parent chunk")));
        }
    }
    read_first(input, cross_encoder, candidates, trace).await
}

/// What speaks for candidates beside their fused score.
struct Signals {
    of: HashMap<ChunkKey, f32>,
    /// The most that a candidate may have, with a fused score of 1.
    most: f32,
}

impl Signals {
    /// The shares of the question's words that are in each candidate or the titles above it, and in the titles alone.
    fn of_words(shares: impl Iterator<Item = (ChunkKey, [f32; 2])>) -> Self {
        let sum = |[anywhere, titles]: [f32; 2]| COVERAGE * anywhere + TITLE * titles;
        Signals { of: shares.map(|(key, shares)| (key, sum(shares))).collect(), most: 1.0 + COVERAGE + TITLE }
    }

    /// Adds a signal that candidates have to a share from 0 to 1. One that none of them has counts for nothing.
    fn add(&mut self, weight: f32, shares: &HashMap<ChunkKey, f32>) {
        if shares.is_empty() {
            return;
        }
        self.most += weight;
        for (key, share) in shares {
            *self.of.entry(key.clone()).or_default() += weight * share;
        }
    }
}

/// The chunks whose text is of the kind that answers the question.
fn of_kind(understood: &Understanding, texts: &HashMap<ChunkKey, IndexedParentChunk>) -> HashMap<ChunkKey, f32> {
    let Some(kind) = understood.answered_by() else { return HashMap::new() };
    let is_of_kind = |chunk: &IndexedParentChunk| classify(own_title(chunk), &chunk.content) == kind;
    texts.iter().filter(|(_, chunk)| is_of_kind(chunk)).map(|(key, _)| (key.clone(), 1.0)).collect()
}

/// The title of a chunk's own section.
fn own_title(chunk: &IndexedParentChunk) -> &str {
    chunk.titles.rsplit(SEPARATOR).next().unwrap_or_default()
}

/// The best share of the question's words that the label of a row of figures has, by chunk.
fn best_rows(recalled: &Recalled<'_>, texts: &HashMap<ChunkKey, IndexedParentChunk>) -> HashMap<ChunkKey, f32> {
    let searched = recalled.keyword.question_words();
    let best = |chunk: &IndexedParentChunk| {
        let labels = labels_of_figures(&chunk.content);
        labels.iter().map(|label| recalled.coverage.share_of(searched, label)).fold(0.0, f32::max)
    };
    texts.iter().map(|(key, chunk)| (key.clone(), best(chunk))).filter(|(_, share)| *share > 0.0).collect()
}

/// The chunks below the title of a statement that the question names.
fn below_statements(query: &str, texts: &HashMap<ChunkKey, IndexedParentChunk>) -> HashMap<ChunkKey, f32> {
    let named = named_statements(query);
    let is_below =
        |chunk: &IndexedParentChunk| named_statements(own_title(chunk)).iter().any(|one| named.contains(one));
    let below = texts.iter().filter(|(_, chunk)| !named.is_empty() && is_below(chunk));
    below.map(|(key, _)| (key.clone(), 1.0)).collect()
}

/// The statements that a question or a title names, by their places: "the cash flow statement" and "Statements of Cash
/// Flows" are the same.
fn named_statements(text: &str) -> Vec<usize> {
    // Off-balance-sheet arrangements are what no balance sheet shows.
    let words = singular(text).replace(" off balance sheet ", " ");
    let is_named = |name: &&str| if name.is_ascii() { words.contains(&singular(name)) } else { words.contains(name) };
    (0..STATEMENTS.len()).filter(|statement| STATEMENTS[*statement].iter().any(is_named)).collect()
}

/// The words in lower case, without the `s` of plurals, each between spaces.
fn singular(text: &str) -> String {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric() && c != '&').filter(|word| !word.is_empty());
    let words: Vec<&str> = words.map(|word| word.strip_suffix('s').unwrap_or(word)).collect();
    format!(" {} ", words.join(" "))
}

/// The first cells of rows that have a figure in another cell.
fn labels_of_figures(text: &str) -> Vec<String> {
    let has_figure = |cell: &String| cell.contains(|c: char| c.is_ascii_digit());
    let label = |row: Vec<String>| {
        let (label, cells) = row.split_first()?;
        cells.iter().any(has_figure).then(|| label.clone())
    };
    tables::find(text).iter().flat_map(|table| table.cells(text)).filter_map(label).collect()
}

/// Reranks the first candidates.
fn rank_by_signals(candidates: &mut [Candidate], signals: &Signals) {
    let (first, rest) = candidates.split_at_mut(DEPTH.min(candidates.len()));
    for candidate in &mut *first {
        let signal = signals.of.get(&candidate.key()).copied().unwrap_or_default();
        candidate.score = (candidate.score + signal) / signals.most;
    }
    // The keys were in order, and sorting leaves equals as they are.
    first.sort_by(|a, b| b.score.total_cmp(&a.score));
    let last = first.last().map_or(0.0, |candidate| candidate.score);
    for candidate in rest {
        candidate.score = (candidate.score / signals.most).min(last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::hit::sample::{candidate, ids};

    #[test]
    fn candidates_below_the_depth_keep_their_order() {
        let key = |id: &str| ChunkKey { chunk_id: id.into(), namespace: 0 };
        let signals = Signals::of_words(["1", "101"].map(|id| (key(id), [1.0, 0.0])).into_iter());
        let before = (0..102u8).map(|place| candidate(&place.to_string(), 0.5 - f32::from(place) / 1000.0));
        let mut ranked: Vec<Candidate> = before.collect();
        rank_by_signals(&mut ranked, &signals);
        assert_eq!((ids(&ranked[..3]), ids(&ranked[DEPTH..])), ("102".to_owned(), "100101".to_owned()));
        assert!(ranked.windows(2).all(|pair| pair[0].score >= pair[1].score));
    }

    #[test]
    fn a_signal_that_no_candidate_has_counts_for_nothing() {
        let key = |id: &str| ChunkKey { chunk_id: id.into(), namespace: 0 };
        let rank = |rows: HashMap<ChunkKey, f32>| {
            let mut signals = Signals::of_words(std::iter::empty());
            signals.add(ROW, &rows);
            let mut ranked = vec![candidate("text", 0.9), candidate("table", 0.75)];
            rank_by_signals(&mut ranked, &signals);
            (ids(&ranked), ranked[0].score)
        };
        assert_eq!(rank(HashMap::new()), ("texttable".to_owned(), 0.9 / (1.0 + COVERAGE + TITLE)));
        let of_table = (0.75 + ROW * 0.8) / (1.0 + COVERAGE + TITLE + ROW);
        assert_eq!(rank(HashMap::from([(key("table"), 0.8)])), ("tabletext".to_owned(), of_table));
    }

    #[test]
    fn chunks_below_the_named_statement_are_found() {
        let titles = ["Norwick 2021 › Item 8 › Consolidated Balance Sheets", "Norwick 2021 › Balance sheets › Notes"];
        let chunk = |(titles, chunk_index): (&&str, u32)| IndexedParentChunk {
            chunk_id: format!("d:{chunk_index}").into(),
            doc_id: "d".into(),
            section_id: "d#1".into(),
            chunk_index,
            content: String::new(),
            titles: (*titles).to_owned(),
            page_start: None,
            page_end: None,
            child_chunks: Vec::new(),
        };
        let keyed = |chunk: IndexedParentChunk| (ChunkKey { chunk_id: chunk.chunk_id.clone(), namespace: 0 }, chunk);
        let texts: HashMap<ChunkKey, IndexedParentChunk> = titles.iter().zip(0..).map(chunk).map(keyed).collect();
        let below = |query: &str| -> Vec<String> {
            below_statements(query, &texts).into_keys().map(|key| key.chunk_id.as_str().to_owned()).collect()
        };
        assert_eq!(below("What are the inventories in the balance sheet?"), ["d:0"]);
        assert!(below("What are the inventories?").is_empty() && below("Use the cash flow statement.").is_empty());
    }

    #[test]
    fn statements_have_several_names() {
        for (text, statements) in [
            ("Using only the statement of financial position and the P&L statement", &[0usize, 2][..]),
            ("CONSOLIDATED BALANCE SHEETS", &[0]),
            ("Analysis of the Consolidated Statements of Cash Flows", &[1]),
            ("Condensed Consolidated Statements of Operations", &[2]),
            ("according to the profit and loss statement", &[2]),
            ("合并现金流量表（续）", &[1]),
            ("Off-balance-sheet arrangements", &[]),
            ("Cash flows, income and the balance of operations", &[]),
            ("", &[]),
        ] {
            assert_eq!(named_statements(text), statements, "{text}");
        }
    }

    #[test]
    fn rows_of_figures_have_labels() {
        let text = "Assets of the year\n\n| Item | 2021 |\n| --- | --- |\n| Inventories | 9,059 |\n| Notes | none |";
        assert_eq!(labels_of_figures(text), ["Item", "Inventories"]);
        assert_eq!(labels_of_figures("| Net sales | 24,977 |\n| | 3 |\n\nIt sold 7."), ["Net sales", ""], "cut off");
        for without in ["| 1 |\n| --- |\n| 2 |", "|\n|", "||\n||\n||"] {
            assert!(labels_of_figures(without).is_empty(), "{without}");
        }
    }
}
