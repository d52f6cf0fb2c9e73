//! Hits to documents with passages in reading order, as many as fit.

use std::collections::{HashMap, HashSet};

use super::{ContextDocument, ContextParts, ContextPassage, Layout};
use crate::embed::TokenCounter;
use crate::error::{Error, Result};
use crate::retrieve::entities::ContextEntity;
use crate::retrieve::expand::evidence::joined;
use crate::retrieve::expand::{Source, pages_of, text_of};
use crate::retrieve::{Hit, Omitted};

/// What stands between passages of a section with others in between.
const GAP: &str = "\n\n[…]\n\n";

/// From so many tokens on there is room for what the documents are, beside what they say.
const ROOMY: usize = 2_000;

/// What documents are, in words, by namespace and id.
pub(super) type Summaries = HashMap<(String, String), String>;

fn summary_of<'s>(hit: &Hit, summaries: &'s Summaries) -> &'s str {
    summaries.get(&(hit.namespace.clone(), hit.doc_id.clone())).map_or("", String::as_str)
}

/// The states of entities take at most one part in so many of the tokens: they are to say what the passages cannot,
/// not to stand in their place.
const SHARE_OF_STATES: usize = 5;

/// What was put together.
#[derive(Debug)]
pub(super) struct Assembled {
    pub documents: Vec<ContextDocument>,
    pub entities: Vec<ContextEntity>,
    pub left_out: Vec<Omitted>,
    pub entities_left_out: Vec<String>,
    pub text: String,
    pub tokens: usize,
}

/// A passage of a hit.
struct Unit<'h> {
    hit: &'h Hit,
    /// The place of its hit.
    place: usize,
    source: &'h Source,
    tokens: usize,
}

/// Takes the passages of the hits, best first, as long as all that `layout` makes of them has no more than `most` tokens.
///
/// Passages and titles are counted one by one to choose, and the whole text in the end, because a tokenizer may count a
/// text otherwise than its parts: what is too much then is taken out again from the end, passages first, as long as there
/// are two. `mentioned` gives the entities that the question and documents mention; their states have a
/// [share](SHARE_OF_STATES) of the tokens, in that order.
///
/// # Errors
/// Where not even the first passage fits, or layout or tokenizer fail.
pub(super) fn assemble(
    hits: &[Hit],
    summaries: &Summaries,
    query: &str,
    most: usize,
    counter: &TokenCounter,
    layout: &dyn Layout,
    mentioned: &dyn Fn(&[ContextDocument]) -> Vec<ContextEntity>,
) -> Result<Assembled> {
    // Which passages are there decides which states are told, and those take room from the passages.
    let (first, _) = choose(hits, summaries, most, counter)?;
    let (mut told, states) = within(mentioned(&documents(&first, summaries)), most / SHARE_OF_STATES, counter)?;
    let (mut chosen, rest) = choose(hits, summaries, most.saturating_sub(states), counter)?;
    let mut left_out: Vec<(usize, &Hit, &Source)> = rest;
    loop {
        let documents = documents(&chosen, summaries);
        left_out.sort_by_key(|(place, _, source)| (*place, source.index));
        let omitted = omitted(&left_out);
        let (entities, others): (Vec<ContextEntity>, Vec<ContextEntity>) =
            mentioned(&documents).into_iter().partition(|entity| told.contains(entity));
        let untold: Vec<String> = others.into_iter().map(|entity| entity.name).collect();
        let parts =
            ContextParts { documents: &documents, entities: &entities, left_out: &omitted, entities_left_out: &untold };
        // Less is said of what is left out where more does not fit.
        let mut tokens = 0;
        for detail in layout.details() {
            let text = layout.text(query, &parts, *detail)?;
            tokens = counter.count(&text)?;
            if tokens <= most {
                return Ok(Assembled {
                    documents,
                    entities,
                    left_out: omitted,
                    entities_left_out: untold,
                    text,
                    tokens,
                });
            }
        }
        if chosen.len() < 2 {
            if told.pop().is_some() {
                continue;
            }
            return Err(too_little(hits, most, tokens));
        }
        let mut excess = tokens - most;
        while let Some(unit) = (chosen.len() > 1).then(|| chosen.pop()).flatten() {
            left_out.push((unit.place, unit.hit, unit.source));
            excess = excess.saturating_sub(unit.tokens);
            if excess == 0 {
                break;
            }
        }
    }
}

/// The entities whose states fit into so many tokens, and the tokens these have.
fn within(entities: Vec<ContextEntity>, most: usize, counter: &TokenCounter) -> Result<(Vec<ContextEntity>, usize)> {
    let (mut told, mut used) = (Vec::new(), 0);
    for entity in entities {
        let tokens = counter.count(&format!("{}{}", entity.name, entity.in_words()))?;
        if used + tokens <= most {
            used += tokens;
            told.push(entity);
        }
    }
    Ok((told, used))
}

fn too_little(hits: &[Hit], most: usize, least: usize) -> Error {
    if hits.is_empty() {
        return Error::usage(format!("the layout alone has {least} tokens, more than {most}"))
            .hint("ask for more with --max-tokens, or shorten the template");
    }
    Error::not_found(format!("not even the first passage fits into {most} tokens"))
        .hint(format!("with titles and source it has {least}; ask for more with --max-tokens"))
}

type Rest<'h> = Vec<(usize, &'h Hit, &'h Source)>;

/// The passages that fit by their own tokens and those of the titles above them, and the others. The first is always
/// chosen. Once half a dozen did not fit, no more are counted.
fn choose<'h>(
    hits: &'h [Hit],
    summaries: &Summaries,
    most: usize,
    counter: &TokenCounter,
) -> Result<(Vec<Unit<'h>>, Rest<'h>)> {
    const PATIENCE: usize = 6;
    let mut known: HashSet<(&str, &str)> = HashSet::new();
    let mut titled: HashSet<(&str, &str)> = HashSet::new();
    let (mut chosen, mut rest): (Vec<Unit>, Rest) = (Vec::new(), Vec::new());
    let mut used = 0;
    for (place, hit) in hits.iter().enumerate() {
        for source in hit.sources.iter().filter(|source| !source.text.trim().is_empty()) {
            if !known.insert((&hit.namespace, &source.chunk_id)) {
                continue;
            }
            if rest.len() >= PATIENCE || (used >= most && !chosen.is_empty()) {
                rest.push((place, hit, source));
                continue;
            }
            let mut tokens = counter.count(&source.text)?;
            if most >= ROOMY && !titled.contains(&(hit.namespace.as_str(), hit.doc_id.as_str())) {
                tokens += counter.count(summary_of(hit, summaries))?;
            }
            for (id, titles) in [(&hit.doc_id, &hit.title), (&source.section_id, &source.section_title)] {
                if !titled.contains(&(hit.namespace.as_str(), id.as_str())) {
                    tokens += counter.count(titles)?;
                }
            }
            if used + tokens > most && !chosen.is_empty() {
                rest.push((place, hit, source));
                continue;
            }
            used += tokens;
            titled.insert((&hit.namespace, &hit.doc_id));
            titled.insert((&hit.namespace, &source.section_id));
            chosen.push(Unit { hit, place, source, tokens });
        }
    }
    Ok((chosen, rest))
}

/// The documents in the order of their best hits, the passages of each in reading order, those of a section together.
fn documents(chosen: &[Unit], summaries: &Summaries) -> Vec<ContextDocument> {
    let mut order: Vec<(&str, &str)> = Vec::new();
    let mut units: HashMap<(&str, &str), Vec<&Unit>> = HashMap::new();
    for unit in chosen {
        let key = (unit.hit.namespace.as_str(), unit.hit.doc_id.as_str());
        if !units.contains_key(&key) {
            order.push(key);
        }
        units.entry(key).or_default().push(unit);
    }
    order
        .into_iter()
        .filter_map(|key| {
            let mut own = units.remove(&key)?;
            own.sort_by_key(|unit| unit.source.index);
            let hit = own.first()?.hit;
            Some(ContextDocument {
                doc_id: hit.doc_id.clone(),
                namespace: hit.namespace.clone(),
                title: hit.title.clone(),
                source: hit.source.clone(),
                format: hit.format.clone(),
                summary: summary_of(hit, summaries).to_owned(),
                passages: own.chunk_by(|a, b| a.source.section_id == b.source.section_id).map(passage).collect(),
            })
        })
        .collect()
}

/// Passages of one section as one.
fn passage(units: &[&Unit]) -> ContextPassage {
    // What is of one hit was found to be adjacent.
    let adjacent = |a: &&Unit, b: &&Unit| a.place == b.place || a.source.index + 1 == b.source.index;
    let runs = units.chunk_by(adjacent).map(|run| {
        let sources: Vec<Source> =
            run.iter().map(|unit| Source { headings: Vec::new(), ..unit.source.clone() }).collect();
        text_of(&sources)
    });
    let (page_start, page_end) = pages_of(units.iter().map(|unit| unit.source));
    let first = units.first().map(|unit| unit.source);
    ContextPassage {
        section_id: first.map(|source| source.section_id.clone()).unwrap_or_default(),
        section_title: first.map(|source| source.section_title.clone()).unwrap_or_default(),
        page_start,
        page_end,
        score: joined(units.iter().filter_map(|unit| unit.source.score)),
        text: runs.collect::<Vec<String>>().join(GAP),
        chunk_ids: units.iter().map(|unit| unit.source.chunk_id.clone()).collect(),
    }
}

/// What was left out, those of a hit and a section together.
fn omitted(left_out: &[(usize, &Hit, &Source)]) -> Vec<Omitted> {
    left_out
        .chunk_by(|a, b| a.0 == b.0 && a.2.section_id == b.2.section_id)
        .filter_map(|together| {
            let (_, hit, first) = together.first()?;
            Some(Omitted {
                chunk_ids: together.iter().map(|(.., source)| source.chunk_id.clone()).collect(),
                source: hit.source.clone(),
                section_id: first.section_id.clone(),
                section_title: first.section_title.clone(),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::Detail;
    use super::*;
    use crate::retrieve::expand::sample::{hit, source};
    use proptest::prelude::*;

    /// Titles and texts, and a line that says how many are left out.
    struct Plain;

    impl Layout for Plain {
        fn text(&self, _: &str, parts: &ContextParts<'_>, detail: Detail) -> Result<String> {
            let mut text = String::new();
            for entity in parts.entities {
                text.push_str(&format!("{}{}\n", entity.name, entity.in_words()));
            }
            for document in parts.documents {
                text.push_str(&format!("= {}\n", document.title));
                for passage in &document.passages {
                    text.push_str(&format!("== {}\n{}\n", passage.section_title, passage.text));
                }
            }
            if detail != Detail::Silent && !parts.left_out.is_empty() {
                text.push_str(&format!("[{}]", parts.left_out.len()));
            }
            Ok(text)
        }

        fn details(&self) -> &[Detail] {
            &[Detail::Full, Detail::Silent]
        }
    }

    fn assembled(hits: &[Hit], most: usize) -> Result<Assembled> {
        assembled_with(hits, most, &|_| Vec::new())
    }

    fn assembled_with(
        hits: &[Hit],
        most: usize,
        mentioned: &dyn Fn(&[ContextDocument]) -> Vec<ContextEntity>,
    ) -> Result<Assembled> {
        assemble(hits, &Summaries::new(), "q", most, &TokenCounter::of_characters(1).unwrap(), &Plain, mentioned)
    }

    fn in_section(mut hit: Hit, section: &str) -> Hit {
        hit.sources[0].section_id = format!("{}#{section}", hit.doc_id);
        hit.sources[0].section_title = section.to_owned();
        hit
    }

    #[test]
    fn passages_stand_in_reading_order_under_their_documents() {
        let hits = [
            in_section(hit("b:4", "four. "), "2"),
            in_section(hit("a:1", "A one."), "1"),
            in_section(hit("b:1", "one. "), "1"),
            in_section(hit("b:5", "five. "), "2"),
            in_section(hit("b:9", "nine."), "2"),
            in_section(hit("b:5", "five. "), "2"),
        ];
        let all = assembled(&hits, 1000).unwrap();
        assert_eq!(all.text, "= b\n== 1\none.\n== 2\nfour. five.\n\n[…]\n\nnine.\n= a\n== 1\nA one.\n");
        assert_eq!(all.documents[0].passages[1].chunk_ids, ["b:4", "b:5", "b:9"]);
        assert_eq!((all.left_out.len(), all.tokens), (0, all.text.chars().count()));
    }

    #[test]
    fn what_does_not_fit_is_named_and_the_best_stays() {
        let hits = [hit("a:1", "first"), hit("b:1", &"x".repeat(60)), hit("c:1", "third")];
        // Two small ones with titles have 2 × 16, the line 3.
        let cut = assembled(&hits, 40).unwrap();
        assert_eq!(cut.text, "= a\n== One\nfirst\n= c\n== One\nthird\n[1]");
        assert_eq!(cut.left_out[0].chunk_ids, ["b:1"]);
        assert_eq!(assembled(&hits, 18).unwrap().text, "= a\n== One\nfirst\n", "no room for the line");
        let error = assembled(&hits, 10).unwrap_err();
        assert!(error.message().contains("not even the first passage fits into 10 tokens"), "{error}");
    }

    /// Entities whose states are so long; the first is the question's, the others are each mentioned by a document.
    fn states(lengths: &[usize]) -> impl Fn(&[ContextDocument]) -> Vec<ContextEntity> {
        move |documents: &[ContextDocument]| {
            let entity = |place: usize| ContextEntity {
                name: format!("E{place}"),
                kind: String::new(),
                aliases: Vec::new(),
                namespace: "default".to_owned(),
                state: "s".repeat(lengths[place]),
                time: jiff::Timestamp::UNIX_EPOCH,
                in_question: place == 0,
            };
            let there =
                |place: &usize| *place == 0 || documents.iter().any(|document| document.doc_id == format!("d{place}"));
            (0..lengths.len()).filter(there).map(entity).collect()
        }
    }

    #[test]
    fn states_have_a_share_of_the_tokens_and_go_with_their_passages() {
        let hits = [hit("d1:1", "first"), hit("d2:1", &"x".repeat(300))];
        let names = |all: &Assembled| all.entities.iter().map(|one| one.name.clone()).collect::<Vec<_>>();
        let all = assembled_with(&hits, 1000, &states(&[9, 9, 9])).unwrap();
        assert_eq!((names(&all), all.entities_left_out.len()), (vec!["E0".into(), "E1".into(), "E2".into()], 0));
        assert!(all.text.starts_with("E0: sssssssss, since 1970-01-01\nE1"), "{}", all.text);
        let all = assembled_with(&hits, 1000, &states(&[9, 500, 9])).unwrap();
        assert_eq!(
            (names(&all), all.entities_left_out.clone()),
            (vec!["E0".into(), "E2".into()], vec!["E1".to_owned()])
        );
        // The long passage does not fit, so that nothing is told of what it alone mentions.
        let all = assembled_with(&hits, 250, &states(&[9, 9, 9])).unwrap();
        assert_eq!((names(&all), all.entities_left_out.len()), (vec!["E0".to_owned()], 1));
        // One passage stays, whatever is told of the question.
        let all = assembled_with(&hits[..1], 40, &states(&[1])).unwrap();
        assert_eq!((names(&all), all.entities_left_out.clone()), (vec![], vec!["E0".to_owned()]));
        // Where nothing was found, the state may be the answer.
        assert_eq!(names(&assembled_with(&[], 1000, &states(&[9])).unwrap()), ["E0"]);
    }

    proptest! {
        #[test]
        fn states_never_exceed_the_budget(
            lengths in prop::collection::vec(0usize..80, 1..4),
            texts in prop::collection::vec(1usize..80, 1..5),
            most in 1usize..500,
        ) {
            let hits: Vec<Hit> =
                texts.iter().enumerate().map(|(place, length)| hit(&format!("d{place}:1"), &"x".repeat(*length))).collect();
            let mentioned = states(&lengths);
            if let Ok(context) = assembled_with(&hits, most, &mentioned) {
                prop_assert!(context.text.chars().count() <= most);
                let all: Vec<String> = mentioned(&context.documents).into_iter().map(|one| one.name).collect();
                let mut told: Vec<String> = context.entities.iter().map(|one| one.name.clone()).collect();
                told.extend(context.entities_left_out.clone());
                told.sort();
                prop_assert_eq!(told, all);
            }
        }

        #[test]
        fn the_budget_is_never_exceeded_and_nothing_is_lost(
            places in prop::collection::vec((0u8..3, 0u32..12, 1usize..50), 1..15),
            most in 1usize..400,
        ) {
            let hits: Vec<Hit> = places.iter().map(|(doc, index, length)| {
                let mut hit = hit(&format!("d{doc}:{index}"), &"x".repeat(*length));
                hit.sources.push(source(&format!("d{doc}:{}", index + 1), index + 1, "y", None));
                hit
            }).collect();
            if let Ok(context) = assembled(&hits, most) {
                prop_assert!(context.text.chars().count() <= most);
                let shown = context.documents.iter().flat_map(|document| &document.passages);
                let shown = shown.flat_map(|passage| &passage.chunk_ids).cloned();
                let named = context.left_out.iter().flat_map(|left_out| &left_out.chunk_ids).cloned();
                let mut there: Vec<String> = shown.chain(named).collect();
                there.sort();
                let mut all: Vec<String> =
                    hits.iter().flat_map(|hit| hit.sources.iter().map(|source| source.chunk_id.clone())).collect();
                all.sort();
                all.dedup();
                prop_assert_eq!(there, all);
            }
        }
    }
}
