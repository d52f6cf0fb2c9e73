//! Chooses the segments of the index that are merged. The entries of a merge are limited: it maps all that it reads,
//! and a publication waits for it.

use std::collections::BTreeMap;

use tantivy::index::{SegmentId, SegmentMeta};

/// Segments with more entries are not merged with others.
const MOST_ENTRIES: u32 = 100_000;
const AT_ONCE: usize = 8;
/// The maximum number of entries that are merged into one segment.
const MOST_TOGETHER: u32 = AT_ONCE as u32 * MOST_ENTRIES;
/// Segments with fewer entries count as equally large.
const FEW_ENTRIES: u32 = 10_000;

/// The groups of segments that are merged after a publication, each into one: eight of similar size, and alone a large
/// one of which most is deleted.
pub(super) fn after_publication(segments: &[SegmentMeta]) -> Vec<Vec<SegmentId>> {
    let (small, large): (Vec<_>, Vec<_>) = segments.iter().partition(|segment| is_small(segment));
    let mut by_size: BTreeMap<u32, Vec<SegmentId>> = BTreeMap::new();
    for segment in small {
        by_size.entry(segment.num_docs().max(FEW_ENTRIES).ilog2()).or_default().push(segment.id());
    }
    let similar = by_size.values().flat_map(|ids| ids.chunks_exact(AT_ONCE)).map(<[SegmentId]>::to_vec);
    let is_mostly_deleted = |segment: &&SegmentMeta| segment.num_deleted_docs() > segment.num_docs();
    similar.chain(large.into_iter().filter(is_mostly_deleted).map(|segment| vec![segment.id()])).collect()
}

/// The groups that leave as few segments as possible, without deleted entries.
pub(super) fn of_all(segments: &[SegmentMeta]) -> Vec<Vec<SegmentId>> {
    let (small, large): (Vec<_>, Vec<_>) = segments.iter().partition(|segment| is_small(segment));
    let (mut groups, mut entries): (Vec<Vec<&SegmentMeta>>, u32) = (Vec::new(), 0);
    for segment in small {
        entries += segment.num_docs();
        match groups.last_mut().filter(|_| entries <= MOST_TOGETHER) {
            Some(group) => group.push(segment),
            None => {
                entries = segment.num_docs();
                groups.push(vec![segment]);
            }
        }
    }
    groups.extend(large.into_iter().map(|segment| vec![segment]));
    groups.retain(|group| group.len() > 1 || group.iter().any(|segment| segment.num_deleted_docs() > 0));
    groups.into_iter().map(|group| group.into_iter().map(SegmentMeta::id).collect()).collect()
}

fn is_small(segment: &SegmentMeta) -> bool {
    segment.num_docs() <= MOST_ENTRIES
}

#[cfg(test)]
mod tests {
    use tantivy::Index;
    use tantivy::schema::Schema;

    use super::*;

    /// The numbers of entries of the segments of each group, of segments with these entries, and with so many deleted.
    fn groups(choose: fn(&[SegmentMeta]) -> Vec<Vec<SegmentId>>, segments: &[(u32, u32)]) -> Vec<Vec<u32>> {
        let index = Index::create_in_ram(Schema::builder().build());
        let segment = |(entries, deleted): &(u32, u32)| {
            index.new_segment_meta(SegmentId::generate_random(), *entries).with_delete_meta(*deleted, 0)
        };
        let segments: Vec<SegmentMeta> = segments.iter().map(segment).collect();
        let size = |id: SegmentId| segments.iter().find(|segment| segment.id() == id).unwrap().max_doc();
        choose(&segments).into_iter().map(|ids| ids.into_iter().map(size).collect()).collect()
    }

    fn merged(segments: &[(u32, u32)]) -> Vec<Vec<u32>> {
        groups(after_publication, segments)
    }

    #[test]
    fn eight_segments_of_similar_size_become_one() {
        assert!(merged(&[(2_000, 0); 7]).is_empty());
        assert_eq!(merged(&[(2_000, 0); 8]), [[2_000; 8]]);
        assert_eq!(merged(&[(2_000, 0); 23]), [[2_000; 8]; 2], "the rest waits for more");
        let mixed = [[(30_000, 0); 8], [(2_000, 0); 8]].concat();
        assert_eq!(merged(&mixed), [[2_000; 8], [30_000; 8]]);
        assert!(merged(&[[(90_000, 0); 4], [(20_000, 0); 4]].concat()).is_empty());
    }

    #[test]
    fn large_segments_stay_while_most_of_them_is_there() {
        assert_eq!(merged(&[(100_000, 0); 8]), [[100_000; 8]]);
        assert!(merged(&[(100_001, 0); 30]).is_empty());
        assert!(merged(&[(300_000, 150_000)]).is_empty());
        assert_eq!(merged(&[(300_000, 150_001), (300_000, 0)]), [[300_000]]);
        let by_what_is_there = merged(&[&[(300_000, 299_500)][..], &[(2_000, 0); 8]].concat());
        assert_eq!(by_what_is_there, [[&[300_000][..], &[2_000; 7]].concat()]);
    }

    #[test]
    fn all_segments_are_merged_in_bounded_groups() {
        let all = |segments: &[(u32, u32)]| groups(of_all, segments);
        assert_eq!(all(&[(2_000, 5), (30_000, 0), (10, 10)]), [[2_000, 30_000, 10]]);
        assert_eq!(all(&[(100_000, 0); 20]), [vec![100_000; 8], vec![100_000; 8], vec![100_000; 4]]);
        assert_eq!(all(&[(2_000, 0), (200_000, 1), (200_000, 0)]), [[200_000]], "which has a deleted entry");
        assert!(all(&[(2_000, 0)]).is_empty() && all(&[]).is_empty());
        assert_eq!(all(&[(2_000, 1)]), [[2_000]]);
    }
}
