//! What a document is about: phrases of its section titles and of its text, the telling ones first.
//!
//! A title's phrase counts by how much text stands under it, a phrase of the text by how many passages have it. Longer
//! phrases count more, because they say more; words that stand in every document are left out, and of phrases with the
//! same words one is kept.

mod common;
mod phrases;

use std::collections::{HashMap, HashSet};

use super::{PassageText, TitleText};
use crate::text::squeeze;
use phrases::{Interner, Phrase, phrases};

/// So many topics are named at most.
const MOST: usize = 6;
/// What a level further down counts less.
const PER_LEVEL: f32 = 0.75;
/// What being spread over all passages counts, beside a title over the whole text.
const SPREAD: f32 = 0.8;
/// What a phrase of one, two and three words counts.
const BY_LENGTH: [f32; 3] = [1.0, 1.7, 1.8];
/// What a phrase counts whose words are all in the document's own title, which is shown beside it anyway.
const OF_THE_TITLE: f32 = 0.5;
/// What one of the words counts that are in any text, where a title has it.
const COMMON: f32 = 0.5;
/// What stands in no title counts so much less …
const UNTITLED: f32 = 0.7;
/// … and nothing, unless it is in so many passages …
const LEAST_PASSAGES: u32 = 2;
/// … so often.
const LEAST_TIMES: u32 = 3;

/// How a phrase is written is looked at so often: the rest is alike.
const LOOKED_AT: u32 = 500;
/// One in so many is rare.
const RARELY: u32 = 5;

#[derive(Debug, Default)]
struct Evidence {
    /// From titles.
    titles: f32,
    /// How often it is in the text.
    times: u32,
    /// In how many passages.
    passages: u32,
    /// The last passage that it was counted for.
    last: usize,
    /// How it is written in the text, and how often.
    written: HashMap<String, u32>,
    /// How a title has it, where its capitals say nothing.
    in_title: String,
}

/// The topics of a document, the most telling first.
pub(super) fn topics(title: &str, titles: &[TitleText], passages: &[PassageText]) -> Vec<String> {
    let mut interner = Interner::default();
    let mut all: HashMap<Phrase, Evidence> = HashMap::new();
    let size: usize = passages.iter().map(|passage| passage.text.len()).sum();
    // A document's own title, which many have as their first heading, says nothing beside itself.
    for section in titles.iter().filter(|section| squeeze(section.title) != squeeze(title)) {
        let share = section.bytes as f32 / size.max(1) as f32;
        let weight =
            share.min(1.0).sqrt() * PER_LEVEL.powi(i32::try_from(section.level).unwrap_or(i32::MAX).clamp(1, 9) - 1);
        let mut seen = HashSet::new();
        phrases(section.title, &mut interner, &mut |phrase, written| {
            let evidence = all.entry(phrase).or_default();
            if seen.insert(phrase) {
                evidence.titles += weight;
            }
            if evidence.in_title.is_empty() {
                evidence.in_title = without_capitals(written);
            }
        });
    }
    for (place, passage) in passages.iter().enumerate() {
        phrases(passage.text, &mut interner, &mut |phrase, written| {
            let evidence = all.entry(phrase).or_default();
            evidence.times += 1;
            if evidence.passages == 0 || evidence.last != place {
                evidence.passages += 1;
                evidence.last = place;
            }
            if evidence.times <= LOOKED_AT {
                *evidence.written.entry(written.to_owned()).or_default() += 1;
            }
        });
    }
    let mut own = HashSet::new();
    phrases(title, &mut interner, &mut |phrase, _| own.extend(phrase.words()));
    let mut ranked: Vec<(f32, Phrase, String)> = all
        .into_iter()
        .filter_map(|(phrase, evidence)| {
            let score = score(phrase, &evidence, passages.len(), &own)?;
            Some((score, phrase, as_written(&evidence)))
        })
        .collect();
    // The order of a hash map is another one each time.
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.2.cmp(&b.2)));
    let mut chosen: Vec<(Phrase, String)> = Vec::new();
    for (_, phrase, written) in ranked {
        if chosen.len() == MOST {
            break;
        }
        if !chosen.iter().any(|(other, text)| phrase.overlaps(other) || says_the_same(text, &written)) {
            chosen.push((phrase, written));
        }
    }
    chosen.into_iter().map(|(_, written)| written).collect()
}

fn score(phrase: Phrase, evidence: &Evidence, passages: usize, own: &HashSet<u32>) -> Option<f32> {
    let titled = evidence.titles > 0.0;
    if !titled && (evidence.passages < LEAST_PASSAGES || evidence.times < LEAST_TIMES || phrase.is_common()) {
        return None;
    }
    let spread = (evidence.passages as f32 / passages.max(1) as f32).sqrt() * SPREAD;
    let length = BY_LENGTH[phrase.length().clamp(1, BY_LENGTH.len()) - 1];
    let own = if phrase.words().all(|word| own.contains(&word)) { OF_THE_TITLE } else { 1.0 };
    let common = if phrase.length() == 1 && phrase.is_common() { COMMON } else { 1.0 };
    let untitled = if titled { 1.0 } else { UNTITLED };
    Some((evidence.titles + spread) * length * own * common * untitled)
}

/// Chinese phrases of which one is a part of the other.
fn says_the_same(a: &str, b: &str) -> bool {
    let wide = |text: &str| text.contains(crate::text::is_wide);
    (wide(a) || wide(b)) && (a.contains(b) || b.contains(a))
}

/// How a phrase is written: as it mostly is in the text, without capitals where that is not rare there; otherwise as in
/// a title.
fn as_written(evidence: &Evidence) -> String {
    let lower = |text: &str| !text.chars().any(char::is_uppercase);
    let small: u32 = evidence.written.iter().filter(|(text, _)| lower(text)).map(|(_, times)| times).sum();
    let prefer_small = small * RARELY >= evidence.times.min(LOOKED_AT);
    let forms = evidence.written.iter().filter(|(text, _)| !prefer_small || lower(text));
    let most = forms.max_by_key(|(text, times)| (**times, std::cmp::Reverse((*text).clone())));
    most.map_or(&evidence.in_title, |(text, _)| text).clone()
}

/// A phrase of a title, where words begin with capitals that do not in the text. `PDF` and `LaTeX` stay.
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
        let passages: Vec<PassageText> = sections.iter().map(|(title, text)| PassageText { title, text }).collect();
        topics(title, &titles, &passages)
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
    fn the_title_of_the_document_is_no_topic_of_it() {
        let found = of("泵站手册", &[("泵站手册", "本手册介绍。"), ("机械密封", "端面。")]);
        assert_eq!(found, ["机械密封"]);
    }

    #[test]
    fn nothing_is_about_nothing() {
        assert_eq!(of("", &[]), [""; 0]);
        assert_eq!(of("12", &[("§ 3", "1234 567 !!! ---")]), [""; 0]);
    }
}
