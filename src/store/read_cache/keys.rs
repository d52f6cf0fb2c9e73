//! Keys of ids in the read cache: numbers that are found faster than texts. In rare cases two ids have the same key.

use std::ops::Range;

pub(super) fn key_of(id: &str) -> u32 {
    crc32fast::hash(id.as_bytes())
}

/// The places of a key among keys in order.
///
/// Most keys are checksums, so a key lies about where its size says: interpolation search (Peterson 1957, "Addressing
/// for random-access storage"). A binary search reads twice as many parts of a large file. Where keys are not evenly
/// distributed, as those of a few large documents, doubling steps find the place.
pub(super) fn places_of<K: Copy + Ord + Into<u64>>(keys: &[K], key: K) -> Range<usize> {
    const FIRST_STEP: usize = 16;
    let expected = expected_place(keys, key);
    // The keys in front of `low` are smaller, those from `high` on are not.
    let (mut low, mut high, mut step) = (expected, expected, FIRST_STEP);
    while low > 0 && keys[low - 1] >= key {
        (low, high) = (low.saturating_sub(step), low - 1);
        step *= 2;
    }
    while high < keys.len() && keys[high] < key {
        (low, high) = (high + 1, keys.len().min(high + step));
        step *= 2;
    }
    let first = low + keys[low..high].partition_point(|own| *own < key);
    // A key has few places.
    first..first + keys[first..].iter().take_while(|own| **own == key).count()
}

/// Where a key is if the keys are evenly distributed; the end for a larger one.
fn expected_place<K: Copy + Into<u64>>(keys: &[K], key: K) -> usize {
    let [Some(first), Some(last)] = [keys.first(), keys.last()].map(|end| end.map(|key| (*key).into())) else {
        return 0;
    };
    let [to_key, to_last] = [key.into(), last].map(|key: u64| key.saturating_sub(first) as f64);
    // If all keys are the same, this is 0 or the end.
    ((to_key / to_last * keys.len() as f64) as usize).min(keys.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn all_places_of_a_key_are_found() {
        let places = |key: u32| places_of(&[2, 4, 4, 7], key);
        assert_eq!([1, 2, 4, 7, 9].map(places), [0..0, 0..1, 1..3, 3..4, 4..4]);
        assert_eq!(places_of::<u64>(&[], 1), 0..0);
    }

    #[test]
    fn a_checksum_is_expected_near_its_place() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut keys: Vec<u64> = (0..100_000).map(|_| random.u64(..)).collect();
        keys.sort_unstable();
        for place in (0..keys.len()).step_by(97) {
            assert!(expected_place(&keys, keys[place]).abs_diff(place) < 1000);
        }
    }

    proptest! {
        /// Also if they are not evenly distributed.
        #[test]
        fn the_places_are_those_of_a_binary_search(
            mut keys in prop::collection::vec(prop_oneof![0..9u64, 1000..1300u64, any::<u64>()], 0..500),
            others in prop::collection::vec(any::<u64>(), 5),
        ) {
            keys.sort_unstable();
            for key in keys.iter().chain(&others).flat_map(|key| [key.saturating_sub(1), *key]) {
                let [first, end] = [keys.partition_point(|own| *own < key), keys.partition_point(|own| *own <= key)];
                prop_assert_eq!(places_of(&keys, key), first..end);
            }
        }
    }
}
