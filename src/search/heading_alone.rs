//! Advice for a question that a heading without text answers. Its section has no parent chunk, so only a search for
//! sections finds it.

use super::note::NoteCode;
use super::request::SearchRequest;
use super::result::Ranking;
use super::searcher::Searcher;
use super::select::{index, sections};
use super::trace::Trace;
use crate::error::{NextStep, Result};

/// A heading that is less sure to answer is not named.
const LEAST_CONFIDENCE: f32 = 0.5;
/// Sections of each namespace that are looked at.
const MOST: usize = 3;

/// Names the first section whose heading answers and that has no text, not even in its subsections.
pub(super) async fn add_note(
    searcher: &Searcher,
    request: &SearchRequest,
    ranking: &Ranking,
    trace: &mut Trace,
) -> Result<()> {
    // No heading can be surer than the most that the ranking allows.
    if request.shape.seeks_sections() || ranking.most < LEAST_CONFIDENCE {
        return Ok(());
    }
    let indexes = index::sections(searcher, &request.query, &ranking.scopes, ranking.keys()).await?;
    let found = sections::find(&indexes, &ranking.scopes, &ranking.candidates, MOST);
    let alone = found.iter().filter(|one| one.confidence >= LEAST_CONFIDENCE).find(|one| {
        let index = &indexes[one.namespace];
        !index.row(one.at).is_preamble() && index.span(one.at).iter().all(|row| row.chunk_start == row.chunk_end)
    });
    if let Some(one) = alone {
        let row = indexes[one.namespace].row(one.at);
        let (title, contents) = (&row.title, NextStep::ShowContents(&row.doc_id));
        let message = format!("the heading {title:?} has words of the question but no text; `{contents}` shows it");
        trace.note(NoteCode::HeadingAlone, message);
    }
    Ok(())
}
