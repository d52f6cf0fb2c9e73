//! Keys of ids in the read cache: numbers that are found faster than texts. In rare cases two ids have the same key.

use std::ops::Range;

pub(super) fn key_of(id: &str) -> u32 {
    crc32fast::hash(id.as_bytes())
}

/// The places of a key among keys in order.
pub(super) fn places_of<K: Ord>(keys: &[K], key: &K) -> Range<usize> {
    let first = keys.partition_point(|own| own < key);
    // A key has few places.
    first..first + keys[first..].iter().take_while(|own| *own == key).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_places_of_a_key_are_found() {
        let places = |key: u32| places_of(&[2, 4, 4, 7], &key);
        assert_eq!([1, 2, 4, 7, 9].map(places), [0..0, 0..1, 1..3, 3..4, 4..4]);
        assert_eq!(places_of(&[], &1), 0..0);
    }
}
