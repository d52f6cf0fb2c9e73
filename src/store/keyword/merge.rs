//! Chooses the segments of the index that are merged after a publication.

use tantivy::index::{SegmentId, SegmentMeta};
use tantivy::indexer::{LogMergePolicy, MergePolicy};

/// Segments with more entries stay, so that no merge takes long or maps all of a large index.
const MOST_ENTRIES: usize = 100_000;
const AT_ONCE: usize = 8;

/// Groups of segments of similar size, each to be merged into one. tantivy's policy puts all of a size into one group,
/// which after a rebuild can be the whole index.
pub(super) fn merges(segments: &[SegmentMeta]) -> Vec<Vec<SegmentId>> {
    let mut policy = LogMergePolicy::default();
    policy.set_min_num_segments(AT_ONCE);
    policy.set_max_docs_before_merge(MOST_ENTRIES);
    let candidates = policy.compute_merge_candidates(segments);
    candidates.iter().flat_map(|candidate| candidate.0.chunks_exact(AT_ONCE)).map(<[SegmentId]>::to_vec).collect()
}

#[cfg(test)]
mod tests {
    use tantivy::Index;
    use tantivy::schema::Schema;

    use super::*;

    /// The numbers of entries of the segments of each group.
    fn merged(entries: &[u32]) -> Vec<Vec<u32>> {
        let index = Index::create_in_ram(Schema::builder().build());
        let segment = |entries: &u32| index.new_segment_meta(SegmentId::generate_random(), *entries);
        let segments: Vec<SegmentMeta> = entries.iter().map(segment).collect();
        let size = |id: SegmentId| segments.iter().find(|segment| segment.id() == id).unwrap().max_doc();
        merges(&segments).into_iter().map(|ids| ids.into_iter().map(size).collect()).collect()
    }

    #[test]
    fn eight_segments_of_similar_size_become_one() {
        assert!(merged(&[2_000; 7]).is_empty());
        assert_eq!(merged(&[2_000; 8]), [[2_000; 8]]);
        assert_eq!(merged(&[2_000; 23]), [[2_000; 8]; 2], "the rest waits for more");
        let mixed = [[30_000; 8], [2_000; 8]].concat();
        assert_eq!(merged(&mixed), [[30_000; 8], [2_000; 8]]);
    }

    #[test]
    fn large_segments_stay() {
        assert_eq!(merged(&[100_000; 8]), [[100_000; 8]]);
        assert!(merged(&[100_001; 30]).is_empty());
    }
}
