//! Selects hits from the ranking, as the mode asks: near-duplicates are left out, and hits that differ are preferred.
//!
//! A search in the mode `precise` without further settings reads the parent chunks that it shows, and a few more in
//! case some are duplicates.
//!
//! Texts are compared by shingles: runs of letters and digits in lower case, ignoring everything else. That works for
//! English and Chinese without tokens; hashing a parent chunk of 1000 characters takes some tens of µs.

pub(super) mod documents;
pub(super) mod index;
mod section_hits;
pub(super) mod section_index;
pub(super) mod sections;

use std::cell::OnceCell;
use std::collections::HashMap;
use std::time::Instant;

use super::expand::merge;
use super::hit::{Hit, fetch};
use super::note::NoteCode;
use super::result::Ranked;
use super::shape::{DEFAULT_DIVERSITY, Mode};
use super::trace::{Trace, milliseconds};
use crate::error::{Result, Setting};
use crate::text::han::simplified;
use crate::text::{count, is_contents_page};

/// The length of runs that identify duplicates: unrelated texts share nearly none.
const DUPLICATE_RUN: usize = 8;
/// Parent chunks that share this much of their runs are duplicates.
const LEAST_SIMILARITY: f32 = 0.9;
/// The characters of Chinese numbers, with those of amounts of money. Without 参, a digit that is mostly a word.
const HAN_DIGITS: &str = "〇零一二两三四五六七八九十百千万亿壹贰叁肆伍陆柒捌玖拾佰仟";
/// What a page of contents is worth, as a share of its score.
const CONTENTS_PAGE: f32 = 1.0 / 3.0;
/// The length of runs that identify topics: about a stem, or two Chinese words.
const TOPIC_RUN: usize = 4;
/// Parent chunks of one document count as at least this alike.
const SAME_DOCUMENT: f32 = 0.5;

/// Selects among the ranked parent chunks and reads them.
pub(super) async fn select(ranked: Ranked<'_>, trace: &mut Trace) -> Result<Vec<Hit>> {
    match ranked.request.shape.seeks_sections() {
        true => sections(ranked, trace).await,
        false => parent_chunks(ranked, trace).await,
    }
}

async fn sections(ranked: Ranked<'_>, trace: &mut Trace) -> Result<Vec<Hit>> {
    let Ranked { searcher, request, snapshots, ranking } = ranked;
    let start = Instant::now();
    let indexes = index::sections(searcher, &request.query, &ranking.scopes, ranking.keys()).await?;
    trace.took("titles", milliseconds(start));
    let start = Instant::now();
    let mut sections = sections::find(&indexes, &ranking.scopes, &ranking.candidates, request.limit);
    sections.iter_mut().for_each(|found| found.confidence = found.confidence.min(ranking.max_confidence));
    sections.retain(|found| found.confidence >= request.min_confidence);
    let found = section_hits::FoundSections { indexes: &indexes, ranking, request, sections };
    let all = found.sections.len();
    trace.stage("sections", start, ranking.candidates.len(), all).list(found.traced());
    let start = Instant::now();
    let hits = found.hits(snapshots).await?;
    trace.stage("fetch", start, all, hits.len()).hits(&hits, &ranking.namespaces, true);
    Ok(hits)
}

/// The best parent chunks, selected as the mode asks.
async fn parent_chunks(ranked: Ranked<'_>, trace: &mut Trace) -> Result<Vec<Hit>> {
    let Ranked { request, snapshots, ranking, .. } = ranked;
    let (shape, names, start) = (&request.shape, &ranking.namespaces, Instant::now());
    let mut hits = fetch(snapshots, names, &ranking.candidates).await?;
    trace.stage("fetch", start, ranking.candidates.len(), hits.len());
    if !shape.keep_duplicates {
        hits = trace.step(names, "duplicates", hits, drop_duplicates);
    }
    if hits.iter().any(|hit| is_contents_page(&hit.content)) {
        hits = trace.step(names, "contents_pages", hits, contents_pages_behind);
    }
    let merges = shape.merges();
    // If a later step drops hits, all are merged first.
    let merges_first = merges && (shape.mode == Mode::Broad || shape.per_document.is_some());
    if merges_first {
        hits = trace.step(names, "merge", hits, |hits| merge(hits, usize::MAX));
    }
    if let Some(most) = shape.per_document {
        hits = trace.step(names, "per_document", hits, |hits| cap_per_document(hits, most));
    }
    let diversity = if shape.mode == Mode::Broad { shape.diversity.unwrap_or(DEFAULT_DIVERSITY) } else { 0.0 };
    hits = trace.step(names, "choose", hits, |hits| match merges && !merges_first {
        true => merge(hits, request.limit),
        false => diverse(hits, request.limit, diversity),
    });
    let duplicates: usize = hits.iter().map(|hit| hit.duplicates.len()).sum();
    if duplicates > 0 {
        let repeat = if duplicates == 1 { "repeats" } else { "repeat" };
        let chunks = count(duplicates, "parent chunk");
        let shows = Setting("keep_duplicates");
        let message = format!("left out: {chunks} that {repeat} a better hit; {shows} shows them");
        trace.note(NoteCode::DuplicatesLeftOut, message);
    }
    Ok(hits)
}

/// Puts pages of printed contents and of an index behind others: they have the words of every title and answer nothing.
/// They stay before hits of less than a third of their score: these have few of the question's words, and a page that
/// has them at least tells where to read. The hits are in the order of their scores.
fn contents_pages_behind(hits: Vec<Hit>) -> Vec<Hit> {
    let (pages, mut hits): (Vec<Hit>, Vec<Hit>) = hits.into_iter().partition(|hit| is_contents_page(&hit.content));
    for page in pages {
        let at = hits.partition_point(|hit| hit.score >= page.score * CONTENTS_PAGE);
        hits.insert(at, page);
    }
    hits
}

/// Removes hits whose text is nearly that of a better one: 90 % of all runs of 8 letters are the same (Jaccard), and
/// the numbers are the same in the same order, because `5 bar` and `6 bar` differ however long the rest is. The better
/// hit names them.
fn drop_duplicates(hits: Vec<Hit>) -> Vec<Hit> {
    let mut kept: Vec<Kept> = Vec::with_capacity(hits.len());
    for hit in hits {
        let own = Kept { numbers: numbers(&hit.content), shingles: OnceCell::new(), hit };
        match kept.iter_mut().find(|better| better.is_same(&own)) {
            Some(better) => better.hit.duplicates.extend(own.hit.sources.into_iter().map(|source| source.chunk_id)),
            None => kept.push(own),
        }
    }
    kept.into_iter().map(|kept| kept.hit).collect()
}

struct Kept {
    hit: Hit,
    numbers: String,
    /// Made when first needed.
    shingles: OnceCell<Vec<u64>>,
}

impl Kept {
    fn is_same(&self, other: &Kept) -> bool {
        self.hit.content == other.hit.content
            || (self.numbers == other.numbers && are_duplicates(self.shingles(), other.shingles()))
    }

    fn shingles(&self) -> &[u64] {
        self.shingles.get_or_init(|| shingles(&self.hit.content, DUPLICATE_RUN))
    }
}

/// The runs of digits in a text, joined by spaces. `五` is one too.
fn numbers(text: &str) -> String {
    let is_digit = |c: char| c.is_numeric() || (!c.is_ascii() && HAN_DIGITS.contains(simplified(c)));
    let runs = text.split(|c: char| !is_digit(c)).filter(|run| !run.is_empty());
    runs.collect::<Vec<&str>>().join(" ")
}

/// Chooses `limit` hits by maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998): each time the hit with the
/// highest score minus its similarity to the most similar hit already chosen. `diversity`, from 0 to 1, is the weight
/// of the similarity, and 1 − `diversity` (the paper's `λ`) that of the score. Hits keep their scores.
fn diverse(hits: Vec<Hit>, limit: usize, diversity: f32) -> Vec<Hit> {
    if diversity <= 0.0 {
        return hits.into_iter().take(limit).collect();
    }
    struct Waiting {
        hit: Hit,
        shingles: Vec<u64>,
        /// To the most similar hit that is chosen.
        similarity: f32,
    }
    let waiting = |hit: Hit| Waiting { shingles: shingles(&hit.content, TOPIC_RUN), hit, similarity: 0.0 };
    let mut waiting: Vec<Waiting> = hits.into_iter().map(waiting).collect();
    let mut chosen: Vec<Hit> = Vec::with_capacity(limit.min(waiting.len()));
    while chosen.len() < limit {
        let worth = |one: &Waiting| (1.0 - diversity) * one.hit.score - diversity * one.similarity;
        // The first of the best: `max_by` alone takes the last.
        let best = (0..waiting.len()).rev().max_by(|&a, &b| worth(&waiting[a]).total_cmp(&worth(&waiting[b])));
        let Some(best) = best else { break };
        let taken = waiting.remove(best);
        for other in &mut waiting {
            let floor = if other.hit.doc_id == taken.hit.doc_id { SAME_DOCUMENT } else { 0.0 };
            other.similarity = other.similarity.max(floor).max(cosine(&other.shingles, &taken.shingles));
        }
        chosen.push(taken.hit);
    }
    chosen
}

fn cap_per_document(mut hits: Vec<Hit>, most: usize) -> Vec<Hit> {
    let mut counts = HashMap::new();
    hits.retain(|hit| {
        let count = counts.entry((hit.namespace.clone(), hit.doc_id.clone())).or_insert(0);
        *count += 1;
        *count <= most
    });
    hits
}

/// The runs of `length` letters and digits of a text, as hashes in order, each once; a shorter text is one run.
fn shingles(text: &str, length: usize) -> Vec<u64> {
    let letters: Vec<char> = text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let runs = letters.windows(length.clamp(1, letters.len().max(1)));
    let mut hashes: Vec<u64> = runs.map(hash).collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

/// The FNV-1a hash of a run, by characters instead of bytes. The standard library's hash took most of the time of a
/// comparison.
fn hash(run: &[char]) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x100_0000_01b3;
    run.iter().fold(OFFSET, |hash, c| (hash ^ u64::from(*c)).wrapping_mul(PRIME))
}

/// Whether [`jaccard`] reaches [`LEAST_SIMILARITY`]. The sizes rule most pairs out first.
fn are_duplicates(a: &[u64], b: &[u64]) -> bool {
    let (few, many) = (a.len().min(b.len()), a.len().max(b.len()));
    few as f32 >= LEAST_SIMILARITY * many as f32 && jaccard(a, b) >= LEAST_SIMILARITY
}

/// The cosine of both as vectors of zeros and ones, from 0 to 1: higher than Jaccard if one text is longer.
fn cosine(a: &[u64], b: &[u64]) -> f32 {
    let length = (a.len() as f32 * b.len() as f32).sqrt();
    if length > 0.0 { shared(a, b) as f32 / length } else { 0.0 }
}

/// The share of all shingles that both have, from 0 to 1.
fn jaccard(a: &[u64], b: &[u64]) -> f32 {
    let shared = shared(a, b);
    let all = a.len() + b.len() - shared;
    if all == 0 { 1.0 } else { shared as f32 / all as f32 }
}

/// How many hashes are in both of two ordered lists.
fn shared(a: &[u64], b: &[u64]) -> usize {
    let (mut left, mut right, mut shared) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(left), b.get(right)) {
        shared += usize::from(x == y);
        left += usize::from(x <= y);
        right += usize::from(y <= x);
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::hit::sample::hit;

    #[test]
    fn pages_of_printed_contents_come_behind_all_but_far_worse_hits() {
        let contents = "Scope ........ 3\nTerms ........ 7\nRules ........ 12\nIndex ........ 40";
        let hits = vec![
            scored("a:0", 0.9, contents),
            scored("a:1", 0.8, "Rules apply."),
            scored("b:0", 0.6, contents),
            scored("b:1", 0.4, "Terms apply."),
            scored("c:0", 0.25, "Rules and terms."),
            scored("c:1", 0.1, "It rains."),
        ];
        assert_eq!(ids(&contents_pages_behind(hits)), ["a:1", "b:1", "a:0", "c:0", "b:0", "c:1"]);
    }

    #[test]
    fn duplicates_are_removed_and_the_better_hit_names_them() {
        let text =
            "Before the pump is started the casing has to be filled and the vent valve has to be opened by hand. "
                .repeat(6);
        let hits = vec![
            hit("a:0", &text),
            hit("b:0", &format!("{text}!")),
            hit("c:0", &format!("{text} After 5 minutes it is closed.")),
            hit("d:0", &format!("{text} After 6 minutes it is closed.")),
            hit("e:0", "启动水泵之前必须打开排气阀。"),
            hit("f:0", "启动水泵之前必须打开排气阀。"),
            hit("g:0", &text.replace("started", "stopped").replace("filled", "drained")),
        ];
        let hits = drop_duplicates(hits);
        let left: Vec<&str> = hits.iter().map(|hit| hit.chunk_id.as_str()).collect();
        assert_eq!(left, ["a:0", "c:0", "d:0", "e:0", "g:0"], "another number or other words are something else");
        assert_eq!((&hits[0].duplicates[..], &hits[3].duplicates[..]), (&["b:0".into()][..], &["f:0".into()][..]));
    }

    #[test]
    fn another_chinese_number_is_something_else() {
        let clause: String = ('\u{5200}'..'\u{5400}').collect();
        for (one, other, left) in [("五千", "六千", 2), ("伍仟", "陸仟", 2), ("五千", "五千", 1)] {
            let of = |rent: &str, end: &str| hit("a:0", &format!("{clause}租金{rent}元{end}"));
            assert_eq!(drop_duplicates(vec![of(one, ""), of(other, "。")]).len(), left, "{one} and {other}");
        }
    }

    fn scored(chunk_id: &str, score: f32, text: &str) -> Hit {
        Hit { score, ..hit(chunk_id, text) }
    }

    fn ids(hits: &[Hit]) -> Vec<&str> {
        hits.iter().map(|hit| hit.chunk_id.as_str()).collect()
    }

    fn hits() -> Vec<Hit> {
        vec![
            scored("a:0", 1.0, "Prime the pump before it is started."),
            scored("a:1", 0.9, "Prime the pump before it is stopped."),
            scored("b:0", 0.8, "Prime the pump after it was started."),
            scored("c:0", 0.6, "Grease all bearings every month."),
        ]
    }

    #[test]
    fn different_hits_come_before_more_of_the_same() {
        assert_eq!(ids(&diverse(hits(), 9, 0.0)), ["a:0", "a:1", "b:0", "c:0"]);
        assert_eq!(ids(&diverse(hits(), 9, 0.5)), ["a:0", "c:0", "b:0", "a:1"]);
        assert_eq!(ids(&diverse(hits(), 2, 0.5)), ["a:0", "c:0"]);
        assert_eq!(diverse(hits(), 2, 1.0).len(), 2);
        assert_eq!(ids(&diverse(hits(), 0, 0.5)), [""; 0]);
    }

    #[test]
    fn another_document_counts_as_different() {
        let hits = vec![
            scored("a:0", 1.0, "Abcdefg hijk."),
            scored("a:1", 0.9, "Lmnop qrstu."),
            scored("b:0", 0.8, "Vwxyz zyxwv."),
        ];
        assert_eq!(ids(&diverse(hits, 3, 0.3)), ["a:0", "b:0", "a:1"]);
    }

    #[test]
    fn likeness_is_by_shared_runs() {
        let of = |text| shingles(text, 4);
        assert_eq!(jaccard(&of("Prime the pump."), &of("prime THE pump")), 1.0);
        assert_eq!(jaccard(&of("启动水泵之前"), &of("启动水泵之后")), 0.5);
        assert_eq!(jaccard(&of("abcd"), &of("wxyz")), 0.0);
        assert_eq!(jaccard(&of("ab"), &of("ab")), 1.0, "shorter than a run");
        assert_eq!((jaccard(&of(""), &of("")), cosine(&of(""), &of("abcd"))), (1.0, 0.0));
        let (short, long) = (of("prime the pump"), of("prime the pump and then open the valve"));
        assert!(cosine(&short, &long) > jaccard(&short, &long));
        assert!(!are_duplicates(&short, &long) && are_duplicates(&short, &short));
    }
}
