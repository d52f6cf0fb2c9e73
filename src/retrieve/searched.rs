//! The namespaces that one question is asked of, and work on all of them at once.

use std::sync::{Mutex, PoisonError};

use tokio::sync::OnceCell;

use super::entities::KnownEntities;
use super::filter::Facts;
use super::modes::{DocumentIndex, SectionIndex};
use crate::error::{Error, Result};
use crate::store::{Namespace, ReadAhead, Snapshot};

/// A namespace that is searched. Its generation is opened with the first question and kept.
pub(super) struct Searched {
    namespace: Namespace,
    snapshot: OnceCell<Snapshot>,
    facts: Facts,
    /// Read with the first question that asks for sections.
    sections: OnceCell<SectionIndex>,
    /// Read with the first question that goes from documents to passages.
    documents: OnceCell<DocumentIndex>,
    /// Its vectors, on their way from the disk.
    ahead: Mutex<Option<ReadAhead>>,
}

impl Searched {
    pub(super) fn new(namespace: Namespace) -> Self {
        let (snapshot, sections, documents) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Searched { namespace, snapshot, facts: Facts::default(), sections, documents, ahead: Mutex::default() }
    }

    /// Begins to read its vectors.
    pub(super) fn read_ahead(&self) {
        *self.ahead.lock().unwrap_or_else(PoisonError::into_inner) = Snapshot::read_ahead(&self.namespace);
    }

    /// The vectors that are on their way.
    pub(super) fn taken_ahead(&self) -> Option<ReadAhead> {
        self.ahead.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    pub(super) fn namespace(&self) -> &Namespace {
        &self.namespace
    }

    pub(super) fn name(&self) -> &str {
        self.namespace.name()
    }

    /// What filters decide on.
    pub(super) fn facts(&self) -> &Facts {
        &self.facts
    }

    pub(super) async fn snapshot(&self) -> Result<&Snapshot> {
        self.snapshot.get_or_try_init(|| Snapshot::open(&self.namespace)).await
    }

    pub(super) async fn sections(&self) -> Result<&SectionIndex> {
        let load = async || Ok(SectionIndex::new(self.snapshot().await?.all_sections().await?));
        self.sections.get_or_try_init(load).await
    }

    pub(super) async fn documents(&self) -> Result<&DocumentIndex> {
        let load = async || DocumentIndex::read(self.snapshot().await?).await;
        self.documents.get_or_try_init(load).await
    }

    pub(super) async fn entities(&self) -> Result<&KnownEntities> {
        self.facts.entities(self.snapshot().await?).await
    }
}

/// A passage among all that are searched: the same file has the same ids in each namespace it is in.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct PassageKey {
    /// The parent chunk.
    pub chunk_id: String,
    /// The place of its namespace among those that are searched.
    pub namespace: usize,
}

/// Does `work` for each of `items`, given with its place: one alone on the spot, several on as many threads as there
/// are cores. The results are in the order of the items.
pub(super) fn on_each<'i, T: Sync, R: Send>(
    items: &'i [T],
    work: impl Fn(usize, &'i T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    if let [only] = items {
        return Ok(vec![work(0, only)?]);
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(items.len()).max(1);
    let work = &work;
    // Every thread takes each so-manieth item, so that neighbours of a like size are shared out.
    let done = std::thread::scope(|scope| -> Result<Vec<Vec<(usize, R)>>> {
        let begun: Vec<_> = (0..threads)
            .map(|first| {
                scope.spawn(move || {
                    let own = items.iter().enumerate().skip(first).step_by(threads);
                    own.map(|(place, item)| Ok((place, work(place, item)?))).collect::<Result<Vec<_>>>()
                })
            })
            .collect();
        let ended: Vec<_> = begun.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
        ended.into_iter().map(|end| end.unwrap_or_else(|_| Err(Error::failed("a search thread crashed")))).collect()
    })?;
    let mut results: Vec<(usize, R)> = done.into_iter().flatten().collect();
    results.sort_by_key(|(place, _)| *place);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        for count in [0, 1, 2, 7, 100] {
            let items: Vec<usize> = (0..count).collect();
            let squares = on_each(&items, |place, item| Ok(place * item)).unwrap();
            assert_eq!(squares, items.iter().map(|item| item * item).collect::<Vec<_>>());
        }
    }

    #[test]
    fn what_fails_for_one_fails_for_all() {
        let work = |place: usize, _: &()| if place == 3 { Err(Error::failed("no")) } else { Ok(()) };
        assert_eq!(on_each(&[(); 9], work).unwrap_err().message(), "no");
    }
}
