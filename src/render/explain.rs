//! Explains a search: its stages, and where it lost a chunk or section.

use crate::ids::ChunkId;
use crate::search::{Stage, Trace, Why, WhyStage};
use crate::text::printable;

use super::grid::{Column, Grid};
use super::page::Page;
use super::style::{BAD, TITLE, around};

/// The most candidates shown of a stage; JSON has all.
const MOST_SHOWN: usize = 3;

/// Adds what each stage did, and where each method found the hits. `hits` has the parent chunks of each hit.
pub(super) fn add_stages(page: &mut Page, trace: &Trace, hits: &[Vec<&ChunkId>]) {
    page.gap();
    page.heading(format!("Stages of the search ({:.1} ms)", trace.total()));
    page.grid(stages(trace));
    page.gap();
    page.heading("Places of the hits");
    let row = |(ids, rank): (&Vec<&ChunkId>, usize)| {
        let places = found_by(trace, ids).map(|place| place.map_or("–".to_owned(), |place| place.to_string()));
        let first = ids.first().map(ToString::to_string).unwrap_or_default();
        [rank.to_string(), first].into_iter().chain(places).collect()
    };
    let header = ["hit", "parent chunk", "by keywords", "by meaning"];
    page.grid(Grid::new(&header, &[0, 2, 3], hits.iter().zip(1..).map(row)));
}

/// The place of a hit in keyword and in semantic search.
pub(super) fn found_by(trace: &Trace, ids: &[&ChunkId]) -> [Option<usize>; 2] {
    ["keyword", "semantic"].map(|stage| trace.place(stage, ids))
}

fn stages(trace: &Trace) -> Grid {
    let first = |stage: &Stage| {
        let first = stage.candidates.iter().take(MOST_SHOWN).map(|candidate| {
            format!("{} {:.3}{}", candidate.id, candidate.score, around(" “", &printable(&candidate.begins), "”"))
        });
        first.collect::<Vec<_>>().join("\n")
    };
    let columns: &[Column<'_, Stage>] = &[
        ("stage", &|stage| stage.name.clone()),
        ("ms", &|stage| format!("{:.1}", stage.milliseconds)),
        ("in", &|stage| stage.taken.to_string()),
        ("out", &|stage| stage.given.to_string()),
        ("notes", &|stage| stage.notes.join("; ")),
        ("first candidates", &first),
    ];
    Grid::of(&trace.stages, &[1, 2, 3], columns)
}

/// What `kb search --why ID` shows.
pub fn why(why: &Why) -> Page {
    let mut page = Page::new("why", why).with_paths(&why.chunk_id);
    page.styled(if why.rank.is_some() { TITLE } else { BAD }, headline(why));
    if let Some(setting) = why.loss.setting {
        page.line(format!("{setting} controls this stage"));
    }
    let columns: &[Column<'_, WhyStage>] = &[
        ("stage", &|stage| stage.name.clone()),
        ("place", &|stage| stage.place.map_or("–".to_owned(), |place| place.to_string())),
        ("of", &|stage| stage.of.to_string()),
        ("score", &|stage| stage.score.map_or("–".to_owned(), |score| format!("{score:.3}"))),
    ];
    page.grid(Grid::of(&why.stages, &[1, 2, 3], columns));
    page
}

fn headline(why: &Why) -> String {
    let parent = why.chunk_id.as_ref().filter(|chunk_id| ***chunk_id != why.id);
    let best = parent.map(|chunk_id| format!(" (by its parent chunk {chunk_id})")).unwrap_or_default();
    let clause = |text: &Option<String>| text.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
    let loss = &why.loss;
    let at = match (loss.place, loss.score) {
        (Some(place), Some(score)) => format!(" at place {place} with score {score:.3}"),
        _ => String::new(),
    };
    match (why.rank, &loss.lost_in) {
        (Some(rank), _) => format!("{}{best} is at place {rank}{}", why.id, clause(&why.shown)),
        (None, Some(stage)) => format!("{}{best} was lost in the stage {stage}{at}{}", why.id, clause(&loss.reason)),
        (None, None) => format!("{}{best} is not in the result", why.id),
    }
}
