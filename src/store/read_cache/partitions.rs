//! Divides binary codes into partitions of neighbours, so that a search can leave out those that are far from its
//! question: k-means (Lloyd 1982, "Least squares quantization in PCM") with the number of different bits as distance
//! and the majority of each bit as centre.

use rayon::prelude::*;

use super::binary_codes::{bytes_of, distances};

/// About this many codes share a partition. Of 54,000 real vectors, the nearest eighth in partitions of 64 had .997 of
/// the ten nearest, in partitions of 256 .98 and in partitions of 1024 .93.
const CODES_IN_PARTITION: usize = 64;
/// The maximum number of partitions. Every code is compared with each centre.
const MOST_PARTITIONS: usize = 2048;
/// With two rounds, made-up vectors needed half as many partitions as with one for the same recall.
const ROUNDS: usize = 2;
/// One in so many codes moves the centres. Of a million made-up vectors, as many of the nearest were found as with all.
const CODES_FOR_EACH_SAMPLED: usize = 4;

/// Codes that are near each other.
pub(super) struct Partition {
    pub(super) centre: Vec<u64>,
    /// The places of the codes.
    pub(super) members: Vec<usize>,
}

/// Divides codes of a length, one behind the other. The same codes are always divided in the same way.
pub(super) fn partitions(codes: &[u64], length: usize) -> Vec<Partition> {
    let count = codes.len() / length;
    let wanted = count.div_ceil(CODES_IN_PARTITION).min(MOST_PARTITIONS);
    let sampled = sample(codes, length);
    let mut centres: Vec<u64> = sampled[..wanted * length].to_vec();
    for _ in 0..ROUNDS {
        let own = nearest_centres(&sampled, &centres, length);
        move_to_majority(&mut centres, &sampled, &own, length);
    }
    let each = centres.chunks_exact(length);
    let mut parts: Vec<Partition> =
        each.map(|centre| Partition { centre: centre.to_vec(), members: Vec::new() }).collect();
    let own = nearest_centres(codes, &centres, length);
    own.into_iter().enumerate().for_each(|(place, part)| parts[part].members.push(place));
    parts.retain(|part| !part.members.is_empty());
    parts
}

/// Some of the codes, in random order. Every fourth would not do: documents of the same form repeat themselves.
fn sample(codes: &[u64], length: usize) -> Vec<u64> {
    let mut codes: Vec<&[u64]> = codes.chunks_exact(length).collect();
    fastrand::Rng::with_seed(codes.len() as u64).shuffle(&mut codes);
    codes.truncate(codes.len().div_ceil(CODES_FOR_EACH_SAMPLED));
    codes.concat()
}

/// The place of the nearest centre to each code, the first of several.
fn nearest_centres(codes: &[u64], centres: &[u64], length: usize) -> Vec<usize> {
    let centres = bytes_of(centres);
    let nearest = |code: &[u64]| {
        let each = distances(code, &centres, 0).into_iter().enumerate();
        each.min_by_key(|(_, distance)| *distance).map_or(0, |(place, _)| place)
    };
    codes.par_chunks_exact(length).map(nearest).collect()
}

/// Sets each bit of a centre that most of its codes have. One without codes stays.
fn move_to_majority(centres: &mut [u64], codes: &[u64], own: &[usize], length: usize) {
    const BITS: usize = u64::BITS as usize;
    let mut counts = vec![0u32; centres.len() * BITS];
    let mut members = vec![0u32; centres.len() / length];
    for (code, part) in codes.chunks_exact(length).zip(own) {
        members[*part] += 1;
        let counts = counts[part * length * BITS..].chunks_exact_mut(BITS);
        for (word, counts) in code.iter().zip(counts) {
            counts.iter_mut().enumerate().for_each(|(bit, count)| *count += (word >> bit & 1) as u32);
        }
    }
    for (place, (word, counts)) in centres.iter_mut().zip(counts.chunks_exact(BITS)).enumerate() {
        let members = members[place / length];
        if members > 0 {
            *word = counts.iter().rev().fold(0, |word, count| word << 1 | u64::from(2 * count > members));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_in_one_partition() {
        let mut random = fastrand::Rng::with_seed(3);
        for (count, length) in [(0, 1), (1, 2), (63, 1), (64, 1), (65, 3), (1000, 2)] {
            let codes: Vec<u64> = (0..count * length).map(|_| random.u64(..)).collect();
            let parts = partitions(&codes, length);
            assert!(parts.len() <= count.div_ceil(CODES_IN_PARTITION));
            assert!(parts.iter().all(|part| part.centre.len() == length && !part.members.is_empty()));
            let mut places: Vec<usize> = parts.into_iter().flat_map(|part| part.members).collect();
            places.sort_unstable();
            assert!(places.into_iter().eq(0..count));
        }
    }

    #[test]
    fn codes_that_differ_in_few_bits_share_a_partition() {
        let mut random = fastrand::Rng::with_seed(5);
        let codes: Vec<u64> = (0..100).map(|place| [0, u64::MAX][place % 2] ^ 1 << random.u32(0..64)).collect();
        let parts = partitions(&codes, 1);
        let mut centres: Vec<u64> = parts.iter().map(|part| part.centre[0]).collect();
        centres.sort_unstable();
        assert_eq!(centres, [0, u64::MAX]);
        for part in parts {
            assert!(part.members.len() == 50 && part.members.iter().all(|place| place % 2 == part.members[0] % 2));
        }
    }
}
