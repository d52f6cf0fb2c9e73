//! The end of every selection: as many parent chunks as fit into a token limit, and hits grouped.

use serde::Serialize;

use super::merge::refresh;
use crate::embed::TokenCounter;
use crate::error::{Error, Result, Setting};
use crate::ids::{ChunkId, SectionId};
use crate::search::{GroupBy, Hit};

/// Parent chunks of a hit and a section that did not fit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Omitted {
    pub chunk_ids: Vec<ChunkId>,
    /// The document's source.
    pub source: String,
    /// The section of the first of them.
    pub section_id: SectionId,
    /// The titles of that section and those above it.
    pub section_title: String,
}

/// Cuts hits so that titles and text together have at most `most` tokens: whole parent chunks, in the order of the hits, and
/// of each hit none after the first that does not fit. Returns what was left out.
///
/// # Errors
/// Where not even the first parent chunk fits, or the tokenizer fails.
pub fn fit(hits: &mut Vec<Hit>, most: usize, counter: &TokenCounter) -> Result<Vec<Omitted>> {
    let (mut used, mut left_out, mut least) = (0, Vec::new(), None);
    let mut fitting: Vec<Hit> = Vec::with_capacity(hits.len());
    for mut hit in hits.drain(..) {
        let full = used >= most;
        let mut taken = 0;
        // Nothing fits once the limit is reached, so nothing more is counted.
        if !full {
            let mut cost = counter.count(&format!("{}\n{}", hit.title, hit.section_title))?;
            while let Some(source) = hit.sources.get(taken) {
                cost += counter.count(&source.text)? + counter.count(&source.headings.join("\n"))?;
                least.get_or_insert(cost);
                if used + cost > most {
                    break;
                }
                (used, cost, taken) = (used + cost, 0, taken + 1);
            }
        }
        let rest = hit.sources.split_off(taken);
        if let Some(first) = rest.first() {
            left_out.push(Omitted {
                chunk_ids: rest.iter().map(|source| source.chunk_id.clone()).collect(),
                source: hit.source.clone(),
                section_id: first.section_id.clone(),
                section_title: first.section_title.clone(),
            });
            if taken > 0 {
                refresh(&mut hit);
            }
        }
        if taken > 0 || (rest.is_empty() && !full) {
            fitting.push(hit);
        }
    }
    *hits = fitting;
    match least {
        Some(least) if hits.is_empty() => {
            Err(Error::not_found(format!("not even the first parent chunk fits into {most} tokens"))
                .hint(format!("with its titles it has {least}; raise {}", Setting("max_tokens"))))
        }
        _ => Ok(left_out),
    }
}

/// Puts the hits of a section or a document behind the best of them. Groups follow their best hits; each keeps its order.
pub fn group(hits: Vec<Hit>, by: GroupBy) -> Vec<Hit> {
    let id = |hit: &Hit| match by {
        GroupBy::None => None,
        GroupBy::Section => Some((hit.namespace.clone(), hit.section_id.to_string())),
        GroupBy::Doc => Some((hit.namespace.clone(), hit.doc_id.to_string())),
    };
    let mut groups: Vec<Vec<Hit>> = Vec::new();
    for hit in hits {
        let own = id(&hit);
        match groups.iter_mut().find(|group| own.is_some() && id(&group[0]) == own) {
            Some(group) => group.push(hit),
            None => groups.push(vec![hit]),
        }
    }
    groups.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::super::merge::sample::{hit, source};
    use super::*;
    use proptest::prelude::*;

    fn counter() -> TokenCounter {
        TokenCounter::of_characters(1).unwrap()
    }

    fn cost(hit: &Hit) -> usize {
        let titles = hit.title.len() + 1 + hit.section_title.len();
        titles + hit.sources.iter().map(|source| source.text.len()).sum::<usize>()
    }

    #[test]
    fn a_hit_is_cut_between_parent_chunks_and_a_smaller_one_still_fits() {
        let mut first = hit("d:1", "aaaaa");
        first.sources.push(source("d:2", 2, &"b".repeat(50), None));
        let mut hits = vec![first, hit("e:1", "cc")];
        // 5 of titles and 5 of text, then 5 and 2.
        let left_out = fit(&mut hits, 17, &counter()).unwrap();
        assert_eq!(hits.iter().map(|hit| hit.content.as_str()).collect::<Vec<_>>(), ["aaaaa", "cc"]);
        assert_eq!((left_out.len(), &left_out[0].chunk_ids[..]), (1, &["d:2".into()][..]));
        let error = fit(&mut vec![hit("d:1", "aaaaa")], 9, &counter()).unwrap_err();
        assert!(error.message().contains("9 tokens") && error.next_step().unwrap().contains("10"), "{error}");
        assert_eq!(fit(&mut Vec::new(), 9, &counter()).unwrap(), []);
    }

    proptest! {
        #[test]
        fn the_limit_holds_and_every_chunk_is_shown_or_reported(
            lengths in prop::collection::vec(prop::collection::vec(0usize..40, 1..5), 1..8),
            most in 0usize..200,
        ) {
            let hits: Vec<Hit> = lengths.iter().enumerate().map(|(doc, lengths)| {
                let mut hit = hit(&format!("d{doc}:0"), "");
                hit.sources = lengths.iter().zip(0u32..).map(|(&length, index)| {
                    source(&format!("d{doc}:{index}"), index, &"x".repeat(length), Some(0.5))
                }).collect();
                hit
            }).collect();
            let ids = |hits: &[Hit]| -> Vec<ChunkId> {
                hits.iter().flat_map(|hit| hit.sources.iter().map(|source| source.chunk_id.clone())).collect()
            };
            let mut all = ids(&hits);
            let mut cut = hits.clone();
            if let Ok(left_out) = fit(&mut cut, most, &counter()) {
                prop_assert!(cut.iter().map(cost).sum::<usize>() <= most);
                let mut there = ids(&cut);
                there.extend(left_out.into_iter().flat_map(|left_out| left_out.chunk_ids));
                all.sort();
                there.sort();
                prop_assert_eq!(there, all);
            } else {
                prop_assert!(hits.iter().all(|hit| hit.title.len() + 4 + hit.sources[0].text.len() > most));
            }
        }
    }

    proptest! {
        #[test]
        fn groups_stand_together_and_keep_their_order(docs in prop::collection::vec(0u8..4, 0..20)) {
            let hits: Vec<Hit> = docs.iter().enumerate().map(|(at, doc)| hit(&format!("d{doc}:{at}"), "x")).collect();
            let grouped = group(hits.clone(), GroupBy::Doc);
            let of = |hits: &[Hit], doc: &str| -> Vec<ChunkId> {
                hits.iter().filter(|hit| hit.doc_id == doc).map(|hit| hit.chunk_id.clone()).collect()
            };
            let mut order: Vec<&str> = grouped.iter().map(|hit| hit.doc_id.as_str()).collect();
            order.dedup();
            let mut first: Vec<&str> = Vec::new();
            for hit in &hits {
                if !first.contains(&hit.doc_id.as_str()) {
                    first.push(&hit.doc_id);
                }
            }
            prop_assert_eq!(&order, &first, "each once, by its best");
            for doc in first {
                prop_assert_eq!(of(&hits, doc), of(&grouped, doc));
            }
            prop_assert_eq!(group(hits.clone(), GroupBy::None), hits);
        }
    }
}
