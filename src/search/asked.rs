//! A question with everything that it is asked of.

use super::searcher::Searcher;
use super::understand::Question;
use crate::store::Snapshot;

/// The input of stages that need more than the question.
#[derive(Clone, Copy)]
pub(super) struct Asked<'q, 's> {
    pub searcher: &'q Searcher,
    pub question: &'q Question<'q>,
    pub snapshots: &'s [&'s Snapshot],
}
