//! As many passages as fit into so many tokens.

use serde::Serialize;

use super::merge::refresh;
use crate::embed::TokenCounter;
use crate::error::{Error, Result};
use crate::retrieve::Hit;

/// What did not fit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Omitted {
    /// The passages.
    pub chunk_ids: Vec<String>,
    /// The document's source.
    pub source: String,
    /// The section of the first of them.
    pub section_id: String,
    /// Its titles.
    pub section_title: String,
}

/// Cuts hits so that titles and text together have at most `most` tokens: whole passages, in the order of the hits, and of
/// each hit none behind the first that does not fit. Gives what was left out.
///
/// # Errors
/// Where not even the first passage fits, or the tokenizer fails.
pub(in crate::retrieve) fn fit(hits: &mut Vec<Hit>, most: usize, counter: &TokenCounter) -> Result<Vec<Omitted>> {
    let (mut used, mut left_out, mut least) = (0, Vec::new(), None);
    let mut fitting: Vec<Hit> = Vec::with_capacity(hits.len());
    for mut hit in hits.drain(..) {
        // Nothing that comes now can fit, and need not be counted.
        let mut taken = 0;
        if used < most {
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
        if taken == hit.sources.len() && (taken > 0 || used < most) {
            fitting.push(hit);
            continue;
        }
        let rest = hit.sources.split_off(taken);
        if let Some(first) = rest.first() {
            left_out.push(Omitted {
                chunk_ids: rest.iter().map(|source| source.chunk_id.clone()).collect(),
                source: hit.source.clone(),
                section_id: first.section_id.clone(),
                section_title: first.section_title.clone(),
            });
        }
        if taken > 0 {
            refresh(&mut hit);
            fitting.push(hit);
        }
    }
    *hits = fitting;
    match least {
        Some(least) if hits.is_empty() => {
            Err(Error::not_found(format!("not even the first passage fits into {most} tokens"))
                .hint(format!("with its titles it has {least}; ask for more with --max-tokens")))
        }
        _ => Ok(left_out),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{hit, source};
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
    fn a_hit_is_cut_between_passages_and_a_smaller_one_still_fits() {
        let mut first = hit("d:1", "aaaaa");
        first.sources.push(source("d:2", 2, &"b".repeat(50), None));
        let mut hits = vec![first, hit("e:1", "cc")];
        // 5 of titles and 5 of text, then 5 and 2.
        let left_out = fit(&mut hits, 17, &counter()).unwrap();
        assert_eq!(hits.iter().map(|hit| hit.content.as_str()).collect::<Vec<_>>(), ["aaaaa", "cc"]);
        assert_eq!((left_out.len(), &left_out[0].chunk_ids[..]), (1, &["d:2".to_owned()][..]));
        let error = fit(&mut vec![hit("d:1", "aaaaa")], 9, &counter()).unwrap_err();
        assert!(error.message().contains("9 tokens") && error.next_step().unwrap().contains("10"), "{error}");
        assert_eq!(fit(&mut Vec::new(), 9, &counter()).unwrap(), []);
    }

    proptest! {
        #[test]
        fn the_budget_is_kept_and_everything_is_shown_or_named(
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
            let ids = |hits: &[Hit]| -> Vec<String> {
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
}
