//! The data that `kb serve` keeps between questions: open generations with their vectors, and loaded models.
//!
//! A question gets the same answer as in a fresh process. So an open generation counts only while the manifest is the
//! one that it was opened with and no other is being published; every question looks again. Between questions no lease
//! is held: pruning may remove a generation that was left open; the next question opens it again.

use std::sync::{Arc, Mutex};

use super::encoder::{Encoder, LoadedModels, locked};
use super::loaded_cross_encoder::LoadedCrossEncoder;
use super::searcher::{Opened, Searched, Searcher};
use crate::embed::EngineChoice;
use crate::store::{Manifest, Namespace};

/// The most namespaces that stay open.
const MOST_OPEN: usize = 8;

pub struct Warm {
    /// The open generations, the most recently used last.
    open: Mutex<Vec<(Namespace, Arc<Opened>)>>,
    models: LoadedModels,
    cross_encoder: LoadedCrossEncoder,
    /// A process has one engine.
    engine: EngineChoice,
}

impl Warm {
    /// Nothing is open yet; models will run on this engine.
    pub fn new(engine: EngineChoice) -> Self {
        Warm { open: Mutex::default(), models: Arc::default(), cross_encoder: LoadedCrossEncoder::default(), engine }
    }

    pub fn has_engine(&self, choice: &EngineChoice) -> bool {
        self.engine == *choice
    }

    /// The generation of a namespace: the open one if it is still the published one. A question that comes while
    /// another opens it waits for that, unless a generation was published since.
    fn opened(&self, namespace: &Namespace) -> Arc<Opened> {
        let mut open = locked(&self.open);
        let place = open.iter().position(|(kept, _)| kept == namespace);
        let kept = place.map(|place| open.remove(place).1);
        let published = || Manifest::read(namespace).ok().flatten();
        let is_current = |kept: &Arc<Opened>| match kept.snapshot.get() {
            Some(own) => own.resume(namespace),
            None => kept.published.is_some() && kept.published == published(),
        };
        let opened = kept.filter(is_current).unwrap_or_else(|| Arc::new(Opened::after(published())));
        open.push((namespace.clone(), opened.clone()));
        opened
    }

    /// Ends a question: releases the leases of generations that no other question reads, and closes the least recently
    /// used ones beyond the limit. Their vectors are in mapped files, whose memory the system takes back when it needs
    /// it.
    pub fn rest(&self) {
        let mut open = locked(&self.open);
        let too_many = open.len().saturating_sub(MOST_OPEN);
        open.drain(..too_many);
        let unused = open.iter().filter(|(_, opened)| Arc::strong_count(opened) == 1);
        unused.filter_map(|(_, opened)| opened.snapshot.get()).for_each(|snapshot| snapshot.release());
    }

    /// Closes everything but the models.
    pub fn close(&self) {
        locked(&self.open).clear();
    }
}

impl Searched {
    /// Takes the open generation from `warm`.
    pub fn warmed(mut self, warm: &Warm) -> Self {
        self.opened = warm.opened(&self.namespace);
        self
    }
}

impl Searcher {
    /// Takes open generations and the loaded cross-encoder from `warm`.
    pub fn warmed(mut self, warm: &Warm) -> Self {
        self.searched = self.searched.into_iter().map(|searched| searched.warmed(warm)).collect();
        self.cross_encoder = warm.cross_encoder.clone();
        self
    }
}

impl Encoder {
    /// Takes the loaded models from `warm`.
    pub fn warmed(mut self, warm: &Warm) -> Self {
        self.loaded = warm.models.clone();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notice;
    use crate::store::{NewDocument, Snapshot, Store, samples};

    async fn publish(namespace: &Namespace, doc_id: &str) {
        let mut new = NewDocument::sample(doc_id, &["text"]);
        new.parents[0].vector = vec![0.0, 1.0, 0.0, 0.0];
        samples::publish(namespace, vec![new]).await;
    }

    #[tokio::test]
    async fn a_generation_keeps_its_lease_while_another_question_reads_it() {
        let (_folder, namespace) = samples::namespace();
        publish(&namespace, "aaaaaa").await;
        let warm = Warm::new(EngineChoice::Auto);
        let opened = warm.opened(&namespace);
        opened.snapshot.get_or_try_init(|| Snapshot::open(&namespace)).await.unwrap();
        warm.rest();
        assert!(opened.snapshot.get().unwrap().is_leased());
        drop(opened);
        warm.rest();
        let open = warm.open.lock().unwrap();
        assert!(!open[0].1.snapshot.get().unwrap().is_leased());
    }

    #[tokio::test]
    async fn questions_beside_each_other_open_a_generation_once_and_all_get_its_notices() {
        let (folder, namespace) = samples::namespace();
        publish(&namespace, "aaaaaa").await;
        std::fs::remove_dir_all(namespace.root().join("keyword")).unwrap();
        // Nobody repairs the store of another user, so the opening gives a notice.
        let of_others = Store::open(None, folder.path()).unwrap().namespace("default").unwrap();
        let warm = Warm::new(EngineChoice::Auto);
        let told: [Arc<Mutex<Vec<String>>>; 2] = Default::default();
        let question = |number: usize| {
            let (to, opened, namespace) = (told[number].clone(), warm.opened(&of_others), of_others.clone());
            notice::with_receiver(move |text| to.lock().unwrap().push(text.to_owned()), async move {
                opened.snapshot(&namespace).await.unwrap();
                opened
            })
        };
        let (first, second) = tokio::join!(question(0), question(1));
        assert!(Arc::ptr_eq(&first, &second));
        for told in told {
            let told = told.lock().unwrap();
            assert!(told.len() == 1 && told[0].contains("keyword index"), "{told:?}");
        }
    }

    #[tokio::test]
    async fn a_question_does_not_wait_for_an_opening_from_before_the_last_publication() {
        let (_folder, namespace) = samples::namespace();
        publish(&namespace, "aaaaaa").await;
        let warm = Warm::new(EngineChoice::Auto);
        let first = warm.opened(&namespace);
        assert!(Arc::ptr_eq(&first, &warm.opened(&namespace)));
        publish(&namespace, "bbbbbb").await;
        assert!(!Arc::ptr_eq(&first, &warm.opened(&namespace)));
    }

    #[tokio::test]
    async fn the_last_used_namespaces_stay_open_until_their_next_generation() {
        let (_folder, store) = samples::store();
        let warm = Warm::new(EngineChoice::Auto);
        let mut each = Vec::new();
        for number in 0..=MOST_OPEN {
            let namespace = store.namespace(&format!("n{number}")).unwrap();
            publish(&namespace, "aaaaaa").await;
            let opened = warm.opened(&namespace);
            opened.snapshot.get_or_try_init(|| Snapshot::open(&namespace)).await.unwrap();
            each.push((namespace, opened));
        }
        warm.rest();
        let is_kept = |(namespace, opened): &(Namespace, Arc<Opened>)| Arc::ptr_eq(&warm.opened(namespace), opened);
        assert!(is_kept(&each[MOST_OPEN]) && is_kept(&each[1]));
        assert!(!is_kept(&each[0]), "too many are open");
        publish(&each[1].0, "bbbbbb").await;
        assert!(!is_kept(&each[1]), "another generation is published");
        std::fs::remove_file(each[2].0.root().join("keyword/meta.json")).unwrap();
        assert!(!is_kept(&each[2]), "its keyword index is another");
    }
}
