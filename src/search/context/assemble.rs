//! Chooses the tables of contents, parent chunks and states of entities that fit into a context.

use std::collections::{BTreeSet, HashSet};

use super::arrange::{Unit, documents, omitted, summary};
use super::layout::{ContextContents, ContextDocument, ContextEntity, ContextParts, Layout};
use crate::embed::TokenCounter;
use crate::error::{Error, Result, Setting};
use crate::search::contents::Contents;
use crate::search::hit::{Hit, nothing_fits};
use crate::search::section_name::SectionName;
use crate::store::SectionRow;

/// From this many tokens on there is room for the summaries of documents.
const ROOMY: usize = 2_000;
/// The states of entities take at most a fifth of the tokens: they add to the parent chunks and do not replace them.
const SHARE_OF_STATES: usize = 5;
/// Tables of contents take at most half of the tokens: a question about a chapter asks for its text too.
const SHARE_OF_CONTENTS: usize = 2;
/// After this many parent chunks that do not fit, no more are counted.
const MOST_MISSES: usize = 6;

pub(super) struct Sources<'a> {
    /// What answers a question about structure.
    pub contents: &'a [Contents],
    pub hits: &'a [Hit],
    pub counter: &'a TokenCounter,
}

#[derive(Debug)]
pub(super) struct Assembled {
    pub parts: ContextParts,
    pub text: String,
    pub tokens: usize,
    /// Why there are only states: not even the first parent chunk fits.
    pub too_little: Option<Error>,
}

/// Takes the parent chunks of the hits, best first, while the layout of all of them has at most `most` tokens.
///
/// Parent chunks and titles are counted one by one to choose, and the whole text in the end, because a tokenizer may
/// count a text differently from its parts; the excess is removed from the end, parent chunks first while there are
/// two. `mentioned` finds the entities that the question and documents mention. Their states have a
/// [share](SHARE_OF_STATES) of the tokens, and tables of contents have [one](SHARE_OF_CONTENTS) before them. If not
/// even the first parent chunk fits, tables of contents and the states of the question's entities stand alone: they may
/// be the answer.
///
/// # Errors
/// If neither the first parent chunk nor a state fits, or layout or tokenizer fail.
pub(super) fn assemble(
    from: &Sources<'_>,
    query: &str,
    most: usize,
    layout: &dyn Layout,
    mentioned: &dyn Fn(&[ContextDocument]) -> Vec<ContextEntity>,
) -> Result<Assembled> {
    let (contents, taken) = fitting_contents(from.contents, most / SHARE_OF_CONTENTS, from.counter)?;
    let room = most.saturating_sub(taken);
    // The chosen parent chunks decide which states are shown, and those take room from the parent chunks.
    let (first, _) = from.choose(room)?;
    let (mut shown, states) = fitting(mentioned(&documents(&first)), room / SHARE_OF_STATES, from.counter)?;
    let (mut chosen, mut rest) = from.choose(room.saturating_sub(states))?;
    let mut missing = None;
    loop {
        let documents = documents(&chosen);
        rest.sort_by_key(|unit| (unit.place, unit.source.index));
        let (entities, others): (Vec<ContextEntity>, Vec<ContextEntity>) =
            mentioned(&documents).into_iter().partition(|entity| shown.contains(entity));
        let entities_left_out = others.into_iter().map(|entity| entity.name).collect();
        let left_out = omitted(&rest);
        let parts = ContextParts { contents: contents.clone(), documents, entities, left_out, entities_left_out };
        // The layout drops details before parent chunks are dropped.
        let mut tokens = 0;
        for detail in layout.details() {
            let text = layout.text(query, &parts, *detail)?;
            tokens = from.counter.count(&text)?;
            if tokens <= most {
                return Ok(Assembled { parts, text, tokens, too_little: missing });
            }
        }
        if chosen.len() < 2 {
            if shown.pop().is_some() && (missing.is_none() || !shown.is_empty() || !contents.is_empty()) {
                continue;
            }
            if !chosen.is_empty() {
                (shown, _) = fitting(mentioned(&[]), room, from.counter)?;
            }
            let error = missing.unwrap_or_else(|| too_little(from.hits, most, tokens));
            if chosen.is_empty() || (shown.is_empty() && contents.is_empty()) {
                return Err(error);
            }
            rest.append(&mut chosen);
            missing = Some(error);
            continue;
        }
        let mut excess = tokens - most;
        while excess > 0 && chosen.len() > 1 {
            let Some(unit) = chosen.pop() else { break };
            rest.push(unit);
            excess = excess.saturating_sub(unit.tokens);
        }
    }
}

/// The tables of contents, down to the deepest level that fits into `most` tokens, and their tokens. If not even the
/// upper level fits, its first entries are taken.
fn fitting_contents(
    contents: &[Contents],
    most: usize,
    counter: &TokenCounter,
) -> Result<(Vec<ContextContents>, usize)> {
    let levels = |contents: &Contents| contents.sections.iter().map(|section| section.level).collect::<BTreeSet<u32>>();
    let all: BTreeSet<u32> = contents.iter().flat_map(levels).collect();
    let mut kept: Vec<Vec<&SectionRow>> = Vec::new();
    let mut used = 0;
    for deepest in all.into_iter().rev() {
        let has_level = |section: &&SectionRow| section.level <= deepest;
        kept = contents.iter().map(|one| one.sections.iter().filter(has_level).collect()).collect();
        used = counter.count(&lines(&kept))?;
        if used <= most {
            break;
        }
    }
    while used > most && kept.iter().any(|own| !own.is_empty()) {
        // A tokenizer is called a few times only, however long the table is.
        kept.iter_mut().for_each(|own| own.truncate(own.len() * 3 / 4));
        used = counter.count(&lines(&kept))?;
    }
    let shown = contents.iter().zip(kept).map(|(contents, own)| ContextContents {
        doc_id: contents.document.doc_id.clone(),
        namespace: contents.namespace.clone(),
        title: contents.document.title.clone(),
        source: contents.document.source.clone(),
        part: contents.part.clone(),
        entries_left_out: contents.sections.len() - own.len(),
        entries: own.iter().map(|row| SectionName::new(row.section_id.clone(), row.title.as_str())).collect(),
    });
    Ok((shown.collect(), used))
}

/// About what a layout writes of entries.
fn lines(kept: &[Vec<&SectionRow>]) -> String {
    kept.iter().flatten().map(|row| format!("{}- {}\n", "  ".repeat(row.level as usize), row.title)).collect()
}

/// The entities whose states fit into `most` tokens, and the tokens of these.
fn fitting(entities: Vec<ContextEntity>, most: usize, counter: &TokenCounter) -> Result<(Vec<ContextEntity>, usize)> {
    let (mut shown, mut used) = (Vec::new(), 0);
    for entity in entities {
        let tokens = counter.count(&format!("{}{}", entity.name, entity.in_words()))?;
        if used + tokens <= most {
            used += tokens;
            shown.push(entity);
        }
    }
    Ok((shown, used))
}

fn too_little(hits: &[Hit], most: usize, least: usize) -> Error {
    if hits.is_empty() {
        return Error::usage(format!("the layout alone has {least} tokens, more than {most}"))
            .hint(format!("raise {}, or shorten the template", Setting("max_tokens")));
    }
    nothing_fits(least, most)
}

impl<'h> Sources<'h> {
    /// The parent chunks that fit by their own tokens and those of the titles above them, and the others. The first is
    /// always chosen.
    fn choose(&self, most: usize) -> Result<(Vec<Unit<'h>>, Vec<Unit<'h>>)> {
        let (mut known, mut titled) = (HashSet::new(), HashSet::new());
        let (mut chosen, mut rest): (Vec<Unit>, Vec<Unit>) = (Vec::new(), Vec::new());
        let mut used = 0;
        for (place, hit) in self.hits.iter().enumerate() {
            for source in hit.sources.iter().filter(|source| !source.text.trim().is_empty()) {
                if !known.insert((&hit.namespace, &source.chunk_id)) {
                    continue;
                }
                let mut unit = Unit { hit, place, source, tokens: 0 };
                if rest.len() >= MOST_MISSES || (used >= most && !chosen.is_empty()) {
                    rest.push(unit);
                    continue;
                }
                unit.tokens = self.counter.count(&source.text)?;
                if most >= ROOMY && !titled.contains(&(&hit.namespace, hit.doc_id.as_str())) {
                    unit.tokens += self.counter.count(summary(hit))?;
                }
                for (id, titles) in
                    [(hit.doc_id.as_str(), &hit.title), (source.section_id.as_str(), &source.section_title)]
                {
                    if !titled.contains(&(&hit.namespace, id)) {
                        unit.tokens += self.counter.count(titles)?;
                    }
                }
                if used + unit.tokens > most && !chosen.is_empty() {
                    rest.push(unit);
                    continue;
                }
                used += unit.tokens;
                titled.extend([(&hit.namespace, hit.doc_id.as_str()), (&hit.namespace, source.section_id.as_str())]);
                chosen.push(unit);
            }
        }
        Ok((chosen, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::Detail;
    use super::*;
    use crate::ids::ChunkId;
    use crate::search::hit::sample::{document, hit, section, source};
    use proptest::prelude::*;

    /// Titles and texts, and a line that says how many are left out.
    struct Plain;

    impl Layout for Plain {
        fn text(&self, _: &str, parts: &ContextParts, detail: Detail) -> Result<String> {
            let mut text = String::new();
            for entry in parts.contents.iter().flat_map(|contents| &contents.entries) {
                text.push_str(&format!("- {}\n", entry.title()));
            }
            for entity in &parts.entities {
                text.push_str(&format!("{}{}\n", entity.name, entity.in_words()));
            }
            for document in &parts.documents {
                text.push_str(&format!("= {}\n", document.title));
                for parent_chunk in &document.parent_chunks {
                    text.push_str(&format!("== {}\n{}\n", parent_chunk.section.titles, parent_chunk.content));
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
        let counter = TokenCounter::of_characters(1).unwrap();
        let from = Sources { contents: &[], hits, counter: &counter };
        assemble(&from, "q", most, &Plain, mentioned)
    }

    fn in_section(mut hit: Hit, section: &str) -> Hit {
        hit.sources[0].section_id = format!("{}#{section}", hit.doc_id).into();
        hit.sources[0].section_title = section.to_owned();
        hit
    }

    #[test]
    fn parent_chunks_stand_in_reading_order_under_their_documents() {
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
        assert_eq!(all.parts.documents[0].parent_chunks[1].chunk_ids, ["b:4", "b:5", "b:9"]);
        assert_eq!((all.parts.left_out.len(), all.tokens), (0, all.text.chars().count()));
    }

    #[test]
    fn a_gap_within_a_hit_is_marked() {
        let mut long = hit("a:1", "first. ");
        long.sources.push(source("a:2", 2, &"x".repeat(60), Some(0.5)));
        // A deletion took 3.
        long.sources.push(source("a:4", 4, "fourth. ", Some(0.5)));
        long.sources.push(source("a:6", 6, "sixth.", Some(0.5)));
        let whole = assembled(&[long.clone()], 1000).unwrap().text;
        assert!(whole.ends_with("xfourth. sixth.\n"), "{whole}");
        let cut = assembled(&[long], 60).unwrap();
        assert_eq!(cut.text, "= a\n== One\nfirst.\n\n[…]\n\nfourth. sixth.\n[1]");
    }

    #[test]
    fn chunks_that_do_not_fit_are_named_and_the_best_stays() {
        let hits = [hit("a:1", "first"), hit("b:1", &"x".repeat(60)), hit("c:1", "third")];
        // Two small ones with titles have 2 × 16, the line 3.
        let cut = assembled(&hits, 40).unwrap();
        assert_eq!(cut.text, "= a\n== One\nfirst\n= c\n== One\nthird\n[1]");
        assert_eq!(cut.parts.left_out[0].chunk_ids, ["b:1"]);
        assert_eq!(assembled(&hits, 18).unwrap().text, "= a\n== One\nfirst\n", "no room for the line");
        let error = assembled(&hits, 10).unwrap_err();
        assert!(error.message().contains("not even the first parent chunk fits into 10 tokens"), "{error}");
    }

    /// Entities whose states are so long; the first is the question's, the others are each mentioned by a document.
    fn states(lengths: &[usize]) -> impl Fn(&[ContextDocument]) -> Vec<ContextEntity> {
        move |documents: &[ContextDocument]| {
            let entity = |place: usize| ContextEntity {
                name: format!("E{place}"),
                state: "s".repeat(lengths[place]),
                in_question: place == 0,
                ..ContextEntity::default()
            };
            let there =
                |place: &usize| *place == 0 || documents.iter().any(|document| *document.doc_id == format!("d{place}"));
            (0..lengths.len()).filter(there).map(entity).collect()
        }
    }

    #[test]
    fn states_have_a_share_of_the_tokens_and_go_with_their_parent_chunks() {
        let hits = [hit("d1:1", "first"), hit("d2:1", &"x".repeat(300))];
        // The names of the entities that are shown, and of those that are left out.
        let names = |all: &Assembled| {
            let shown: Vec<&str> = all.parts.entities.iter().map(|one| one.name.as_str()).collect();
            [shown.join(" "), all.parts.entities_left_out.join(" ")]
        };
        let all = assembled_with(&hits, 1000, &states(&[9, 9, 9])).unwrap();
        assert_eq!(names(&all), ["E0 E1 E2", ""]);
        assert!(all.text.starts_with("E0: sssssssss, since 1970-01-01\nE1"), "{}", all.text);
        let all = assembled_with(&hits, 1000, &states(&[9, 500, 9])).unwrap();
        assert_eq!(names(&all), ["E0 E2", "E1"]);
        let all = assembled_with(&hits, 250, &states(&[9, 9, 9])).unwrap();
        assert_eq!(names(&all), ["E0", "E1"], "only the long parent chunk, which does not fit, mentions E2");
        let all = assembled_with(&hits[..1], 40, &states(&[1])).unwrap();
        assert_eq!(names(&all), ["", "E0"], "one parent chunk stays, whatever states the question has");
        // If nothing was found, or nothing that was found fits, the state may be the answer.
        let all = assembled_with(&hits[1..], 40, &states(&[9, 9])).unwrap();
        assert_eq!((names(&all)[0].as_str(), all.parts.documents.len(), all.parts.left_out.len()), ("E0", 0, 1));
        assert!(all.too_little.unwrap().message().contains("not even the first parent chunk fits into 40 tokens"));
        assert!(assembled_with(&hits[1..], 20, &states(&[9])).is_err());
        assert_eq!(names(&assembled_with(&[], 1000, &states(&[9])).unwrap()), ["E0", ""]);
    }

    #[test]
    fn contents_come_first_and_lose_their_deeper_levels() {
        let document = document("d", "guide.md", "Guide");
        let rows = ["1 Start", "1.1 Unpack", "1.2 Look", "2 Run"].map(|title| {
            let (path, _) = title.split_once(' ').unwrap();
            section(path, title)
        });
        let sections = rows.to_vec();
        let namespace = "default".to_owned();
        let contents = [Contents { namespace, document, part: None, sections, confidence: 1.0, is_guess: false }];
        let counter = TokenCounter::of_characters(1).unwrap();
        let hits = [hit("d1:1", &"x".repeat(20))];
        let shown = |most: usize| {
            let from = Sources { contents: &contents, hits: &hits, counter: &counter };
            assemble(&from, "q", most, &Plain, &|_| Vec::new())
                .map(|all| (all.text, all.parts.contents[0].entries_left_out))
        };
        let text = "= d1\n== One\nxxxxxxxxxxxxxxxxxxxx\n";
        assert_eq!(shown(200).unwrap(), (format!("- 1 Start\n- 1.1 Unpack\n- 1.2 Look\n- 2 Run\n{text}"), 0));
        assert_eq!(shown(60).unwrap(), (format!("- 1 Start\n- 2 Run\n{text}"), 2));
        // Contents stand alone where no parent chunk fits.
        let (alone, left_out) = shown(46).unwrap();
        assert_eq!((alone.lines().take(2).collect::<Vec<_>>(), left_out), (vec!["- 1 Start", "- 2 Run"], 2));
        assert!(!alone.contains("xxx"));
    }

    proptest! {
        #[test]
        fn the_budget_is_never_exceeded_and_nothing_is_lost(
            lengths in prop::collection::vec(0usize..80, 0..4),
            places in prop::collection::vec((0u8..3, 0u32..12, 1usize..80), 1..15),
            most in 1usize..500,
        ) {
            let hits: Vec<Hit> = places.iter().map(|(doc, index, length)| {
                let mut hit = hit(&format!("d{doc}:{index}"), &"x".repeat(*length));
                hit.sources.push(source(&format!("d{doc}:{}", index + 1), index + 1, "y", None));
                hit
            }).collect();
            let mentioned = states(&lengths);
            if let Ok(Assembled { parts, text, .. }) = assembled_with(&hits, most, &mentioned) {
                prop_assert!(text.chars().count() <= most);
                let shown = parts.documents.iter().flat_map(|document| &document.parent_chunks);
                let shown = shown.flat_map(|parent_chunk| &parent_chunk.chunk_ids);
                let mut there: Vec<&ChunkId> = shown.chain(parts.left_out.iter().flat_map(|one| &one.chunk_ids)).collect();
                there.sort();
                let all: BTreeSet<&ChunkId> = hits.iter().flat_map(|hit| &hit.sources).map(|source| &source.chunk_id).collect();
                prop_assert_eq!(there, Vec::from_iter(all));
                let shown = parts.entities.iter().map(|entity| entity.name.clone());
                let mut there: Vec<String> = shown.chain(parts.entities_left_out).collect();
                there.sort();
                let all = mentioned(&parts.documents).into_iter().map(|entity| entity.name);
                prop_assert_eq!(there, all.collect::<Vec<String>>());
            }
        }
    }
}
