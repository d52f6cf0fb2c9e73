//! The topics of a document: phrases of its section titles and of its text, the most significant first.
//!
//! A title's phrase counts by the amount of text under the title, a phrase in the text by the number of its parent
//! chunks. Longer phrases count more. Generic words are left out. Of phrases that share a word, one is kept.

mod phrases;

use std::collections::{HashMap, HashSet};

use crate::text::squeeze;
use phrases::{Interner, Phrase, phrases};

/// Topics of a document.
const MOST: usize = 6;
/// The factor for each level further down.
const PER_LEVEL: f32 = 0.75;
/// The weight of a phrase in all parent chunks, relative to a title over the whole text.
const SPREAD: f32 = 0.8;
/// The factors for one, two and three words.
const BY_LENGTH: [f32; 3] = [1.0, 1.7, 1.8];
/// The factor for a phrase of words from the document's title, which is shown beside the topics.
const OF_THE_TITLE: f32 = 0.5;
/// The factor for a common word in a title.
const COMMON: f32 = 0.5;
/// The factor for a phrase without a title …
const UNTITLED: f32 = 0.7;
/// … which counts only in at least this many parent chunks …
const LEAST_PARENT_CHUNKS: u32 = 2;
/// … and at least this many times.
const LEAST_TIMES: u32 = 3;

/// The most parent chunks that are read. Of a longer document, such as a log of 50 MB, only every second or third one
/// is read, which bounds the memory for phrases.
const MOST_PARENT_CHUNKS: usize = 5_000;

/// Occurrences of a phrase whose spellings are counted; more would not change the result.
const SPELLINGS: u32 = 500;
/// A spelling is rare below one in this many.
const RARELY: u32 = 5;

/// A parent chunk and the title of its section.
#[derive(Debug, Clone, Copy)]
pub struct ParentChunkText<'a> {
    pub title: &'a str,
    pub text: &'a str,
}

/// A title and the amount of text under it.
#[derive(Debug, Clone, Copy)]
pub struct TitleText<'a> {
    pub title: &'a str,
    /// The top level is 1.
    pub level: u32,
    /// The bytes of the text under it, including subsections.
    pub bytes: usize,
}

#[derive(Debug, Default)]
struct Evidence {
    /// The weight from titles.
    titles: f32,
    /// Occurrences in the text.
    times: u32,
    /// Parent chunks that contain it.
    parent_chunks: u32,
    /// The index of the last of them.
    last: u32,
}

#[derive(Debug, Default)]
struct Spelling {
    /// The spellings in the text with their counts.
    in_text: HashMap<String, u32>,
    /// Occurrences in the text that were read.
    times: u32,
    /// The spelling in a title, without title case.
    in_title: String,
}

/// The topics of a document, the most significant first.
pub(super) fn topics(title: &str, titles: &[TitleText], parent_chunks: &[ParentChunkText]) -> Vec<String> {
    let mut interner = Interner::default();
    let mut all: HashMap<Phrase, Evidence> = HashMap::new();
    let mut spellings: HashMap<Phrase, Spelling> = HashMap::new();
    let size: usize = parent_chunks.iter().map(|parent_chunk| parent_chunk.text.len()).sum();
    // The document's own title is not a topic; it is often the first heading too.
    for section in titles.iter().filter(|section| squeeze(section.title) != squeeze(title)) {
        let share = section.bytes as f32 / size.max(1) as f32;
        let weight = share.min(1.0).sqrt() * PER_LEVEL.powi(section.level.clamp(1, 9) as i32 - 1);
        let mut seen = HashSet::new();
        phrases(section.title, &mut interner, &mut |phrase, written| {
            if seen.insert(phrase) {
                all.entry(phrase).or_default().titles += weight;
            }
            let spelling = spellings.entry(phrase).or_default();
            if spelling.in_title.is_empty() {
                spelling.in_title = without_capitals(written);
            }
        });
    }
    let step = parent_chunks.len().div_ceil(MOST_PARENT_CHUNKS).max(1);
    let read = || parent_chunks.iter().step_by(step);
    for (place, parent_chunk) in (0..).zip(read()) {
        phrases(parent_chunk.text, &mut interner, &mut |phrase, _| {
            all.entry(phrase).or_default().occurs_in(place);
        });
    }
    let mut own = HashSet::new();
    phrases(title, &mut interner, &mut |phrase, _| own.extend(phrase.words()));
    let scores: HashMap<Phrase, f32> = all
        .into_iter()
        .filter_map(|(phrase, evidence)| Some((phrase, score(phrase, &evidence, read().len(), &own)?)))
        .collect();
    // Most phrases of a text are there once, so only the spellings of those with a score are kept.
    for parent_chunk in read() {
        phrases(parent_chunk.text, &mut interner, &mut |phrase, written| {
            if scores.contains_key(&phrase) {
                spellings.entry(phrase).or_default().read(written);
            }
        });
    }
    let usual = |phrase: Phrase| spellings.get(&phrase).map(Spelling::most_usual).unwrap_or_default();
    let ranked = scores.into_iter().map(|(phrase, score)| (score, phrase, usual(phrase)));
    let mut ranked: Vec<(f32, Phrase, String)> = ranked.collect();
    // The order of a hash map is random, so ties are broken by spelling.
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.2.cmp(&b.2)));
    choose(ranked.into_iter().map(|(_, phrase, written)| (phrase, written)))
}

/// The first topics of a ranking. Of phrases that share a word, the first is kept.
fn choose(ranked: impl Iterator<Item = (Phrase, String)>) -> Vec<String> {
    let mut chosen: Vec<(Phrase, String)> = Vec::new();
    for (phrase, written) in ranked {
        if chosen.len() == MOST {
            break;
        }
        if !chosen.iter().any(|(other, text)| phrase.overlaps(other) || says_the_same(text, &written)) {
            chosen.push((phrase, written));
        }
    }
    chosen.into_iter().map(|(_, written)| written).collect()
}

fn score(phrase: Phrase, evidence: &Evidence, parent_chunks: usize, own: &HashSet<u32>) -> Option<f32> {
    let titled = evidence.titles > 0.0;
    if !titled && (evidence.parent_chunks < LEAST_PARENT_CHUNKS || evidence.times < LEAST_TIMES || phrase.is_common) {
        return None;
    }
    let spread = (evidence.parent_chunks as f32 / parent_chunks.max(1) as f32).sqrt() * SPREAD;
    let length = BY_LENGTH[phrase.length().clamp(1, BY_LENGTH.len()) - 1];
    let own = if phrase.words().all(|word| own.contains(&word)) { OF_THE_TITLE } else { 1.0 };
    let common = if phrase.length() == 1 && phrase.is_common { COMMON } else { 1.0 };
    let untitled = if titled { 1.0 } else { UNTITLED };
    Some((evidence.titles + spread) * length * own * common * untitled)
}

/// Whether one of two phrases contains the other and one has Chinese characters.
fn says_the_same(a: &str, b: &str) -> bool {
    let wide = |text: &str| text.contains(crate::text::is_wide);
    (wide(a) || wide(b)) && (a.contains(b) || b.contains(a))
}

impl Evidence {
    fn occurs_in(&mut self, parent_chunk: u32) {
        self.times += 1;
        if self.parent_chunks == 0 || self.last != parent_chunk {
            self.parent_chunks += 1;
            self.last = parent_chunk;
        }
    }
}

impl Spelling {
    fn read(&mut self, written: &str) {
        if self.times < SPELLINGS {
            self.times += 1;
            *self.in_text.entry(written.to_owned()).or_default() += 1;
        }
    }

    /// The most frequent spelling in the text, without capitals if that is not rare there; otherwise that in a title.
    fn most_usual(&self) -> String {
        let lower = |text: &str| !text.chars().any(char::is_uppercase);
        let small: u32 = self.in_text.iter().filter(|(text, _)| lower(text)).map(|(_, times)| times).sum();
        let prefer_small = small * RARELY >= self.times;
        let forms = self.in_text.iter().filter(|(text, _)| !prefer_small || lower(text));
        let most = forms.max_by_key(|(text, times)| (**times, std::cmp::Reverse((*text).clone())));
        most.map_or(&self.in_title, |(text, _)| text).clone()
    }
}

/// A phrase without title case. `PDF` and `LaTeX` stay.
fn without_capitals(phrase: &str) -> String {
    let words = phrase.split(' ').map(|word| {
        let capitals = word.chars().filter(|c| c.is_uppercase()).count();
        if capitals == 1 && word.starts_with(char::is_uppercase) { word.to_lowercase() } else { word.to_owned() }
    });
    words.collect::<Vec<String>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(title: &str, sections: &[(&str, &str)]) -> Vec<String> {
        let titles: Vec<TitleText> =
            sections.iter().map(|(title, text)| TitleText { title, level: 1, bytes: text.len() }).collect();
        let parent_chunks: Vec<ParentChunkText> =
            sections.iter().map(|(title, text)| ParentChunkText { title, text }).collect();
        topics(title, &titles, &parent_chunks)
    }

    #[test]
    fn topics_come_from_titles_by_the_text_under_them() {
        let long = "The bearing carries the shaft. ".repeat(30);
        let found = of(
            "Manual",
            &[
                ("1 Introduction", "This is about everything."),
                ("2 Mechanical seals", &long),
                ("3 Spare parts", "Order them."),
            ],
        );
        assert_eq!(found[0], "mechanical seals", "{found:?}");
        assert!(found.contains(&"spare parts".to_owned()), "{found:?}");
        assert!(!found.iter().any(|topic| topic.to_lowercase().contains("introduction")), "{found:?}");
    }

    #[test]
    fn one_thing_is_one_topic() {
        let text = "Pumps are pumped by a pump. The pumps run. A pump stops.";
        let found = of("", &[("Pumps", text), ("The pump", text)]);
        assert_eq!(found.iter().filter(|topic| topic.contains("pump")).count(), 1, "{found:?}");
    }

    #[test]
    fn chinese_titles_give_phrases_without_the_words_of_every_title() {
        let found = of(
            "泵站手册",
            &[
                ("第一章 概述", "本章介绍泵站。"),
                ("第二章 机械密封的安装", "安装机械密封之前，先检查机械密封的端面。安装时注意方向。"),
                ("2.1 API 调用", "通过接口读取数据。"),
            ],
        );
        assert!(found.contains(&"机械密封".to_owned()), "{found:?}");
        assert!(found.contains(&"API 调用".to_owned()), "{found:?}");
        assert!(!found.iter().any(|topic| topic.contains("概述") || topic.contains("章")), "{found:?}");
    }

    #[test]
    fn parts_of_a_very_long_document_tell_its_topics() {
        let log = vec![("", "The bearing carries the shaft."); 3 * MOST_PARENT_CHUNKS];
        assert_eq!(of("", &log), of("", &log[..10]));
    }

    #[test]
    fn the_title_of_a_document_is_not_its_topic() {
        let found = of("泵站手册", &[("泵站手册", "本手册介绍。"), ("机械密封", "端面。")]);
        assert_eq!(found, ["机械密封"]);
    }

    #[test]
    fn an_empty_document_has_no_topics() {
        assert_eq!(of("", &[]), [""; 0]);
        assert_eq!(of("12", &[("§ 3", "1234 567 !!! ---")]), [""; 0]);
    }
}
