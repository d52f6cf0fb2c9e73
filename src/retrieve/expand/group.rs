//! Hits that belong together, beside each other.

use crate::retrieve::{GroupBy, Hit};

/// The namespace and the section or document of a hit; `None` for one that stands alone.
type Key = Option<(String, String)>;

/// Puts the hits of a section or a document behind the best of them. The groups are in the order of their best hits, and
/// each keeps the order of its own.
pub(in crate::retrieve) fn group(hits: Vec<Hit>, by: GroupBy) -> Vec<Hit> {
    let key = |hit: &Hit| {
        let id = match by {
            GroupBy::None => return None,
            GroupBy::Section => &hit.section_id,
            GroupBy::Doc => &hit.doc_id,
        };
        Some((hit.namespace.clone(), id.clone()))
    };
    let mut groups: Vec<(Key, Vec<Hit>)> = Vec::new();
    for hit in hits {
        let own = key(&hit);
        match groups.iter_mut().find(|(known, _)| own.is_some() && *known == own) {
            Some((_, group)) => group.push(hit),
            None => groups.push((own, vec![hit])),
        }
    }
    groups.into_iter().flat_map(|(_, group)| group).collect()
}

#[cfg(test)]
mod tests {
    use super::super::sample::hit;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn groups_stand_together_and_keep_their_order(docs in prop::collection::vec(0u8..4, 0..20)) {
            let hits: Vec<Hit> = docs.iter().enumerate().map(|(at, doc)| hit(&format!("d{doc}:{at}"), "x")).collect();
            let grouped = group(hits.clone(), GroupBy::Doc);
            let of = |hits: &[Hit], doc: &str| -> Vec<String> {
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
