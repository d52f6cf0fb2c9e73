//! How a search came to its result: its stages, and where it lost one chunk or section.

use crate::search::{Stage, Trace, Why, WhyStage};

use super::page::{Grid, Page};
use super::style::{BAD, TITLE};

/// More candidates of a stage than this are left to JSON.
const MOST_SHOWN: usize = 5;

/// The stages of a search, which follow its result.
pub(super) fn stages(trace: &Trace) -> Grid {
    let row = |stage: &Stage| {
        let first: Vec<String> = stage
            .candidates
            .iter()
            .take(MOST_SHOWN)
            .map(|candidate| format!("{} {:.3}", candidate.id, candidate.score))
            .collect();
        vec![
            stage.name.clone(),
            format!("{:.1}", stage.milliseconds),
            stage.taken.to_string(),
            stage.given.to_string(),
            stage.notes.join("; "),
            first.join(", "),
        ]
    };
    let header = ["stage", "ms", "in", "out", "notes", "first"];
    Grid::new(&header, &[1, 2, 3], trace.stages.iter().map(row).collect())
}

/// What `kb search --why ID` shows. `flag` is the flag of the setting that governs the stage.
pub fn why(why: &Why, flag: Option<&str>) -> Page {
    let mut page = Page::new(why).with_paths(&why.chunk_id);
    page.styled(if why.rank.is_some() { TITLE } else { BAD }, headline(why));
    if let Some(flag) = flag {
        page.line(format!("{flag} governs this stage"));
    }
    let places = why.stages.iter().map(places).collect();
    page.grid(Grid::new(&["stage", "place", "of", "score"], &[1, 2, 3], places));
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

fn places(stage: &WhyStage) -> Vec<String> {
    vec![
        stage.name.clone(),
        stage.place.map_or("–".to_owned(), |place| place.to_string()),
        stage.of.to_string(),
        stage.score.map_or("–".to_owned(), |score| format!("{score:.3}")),
    ]
}
