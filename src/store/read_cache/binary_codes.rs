//! Binary codes of vectors: the sign of each number. The angle between two vectors grows with the number of signs in
//! which they differ (Charikar 2002, "Similarity estimation techniques from rounding algorithms").

/// The binary code of a vector: a bit for each number, set where it is positive.
pub(super) fn code_of(vector: &[f32]) -> Vec<u64> {
    let word = |numbers: &[f32]| numbers.iter().rev().fold(0, |word, number| word << 1 | u64::from(*number > 0.0));
    vector.chunks(u64::BITS as usize).map(word).collect()
}

/// The number of signs in which two vectors differ, from a code and the bytes of another.
fn distance(a: &[u64], b: &[u8]) -> u32 {
    a.iter().zip(b.as_chunks().0).map(|(a, b)| (a ^ u64::from_le_bytes(*b)).count_ones()).sum()
}

/// The distances of a code to others of its length, one behind the other, with so many bytes `in_front` of each.
pub(super) fn distances(code: &[u64], others: &[u8], in_front: usize) -> Vec<u32> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("popcnt") {
        // SAFETY: the processor has the instruction.
        return unsafe { distances_by_popcnt(code, others, in_front) };
    }
    each_distance(code, others, in_front)
}

/// With the instruction that counts bits: half the time. Programs for every processor do without it.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn distances_by_popcnt(code: &[u64], others: &[u8], in_front: usize) -> Vec<u32> {
    each_distance(code, others, in_front)
}

/// Inlined, and a loop, so that it is compiled for the processor of its caller; `collect` would not be.
#[inline(always)]
fn each_distance(code: &[u64], others: &[u8], in_front: usize) -> Vec<u32> {
    let each = others.chunks_exact(in_front + size_of_val(code));
    let mut distances = vec![0; each.len()];
    for (other, own) in each.zip(&mut distances) {
        *own = distance(code, &other[in_front..]);
    }
    distances
}

/// The bytes of codes, one behind the other.
pub(super) fn bytes_of(codes: &[u64]) -> Vec<u8> {
    codes.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_has_a_bit_for_each_number() {
        let mut vector = vec![-1.0; 70];
        [0, 3, 63, 64, 69].into_iter().for_each(|place: usize| vector[place] = 0.5);
        assert_eq!(code_of(&vector), [1 << 63 | 0b1001, 0b100001]);
        assert_eq!(distance(&code_of(&vector), &bytes_of(&code_of(&[-1.0; 70]))), 5);
    }

    #[test]
    fn each_of_many_codes_has_its_distance() {
        let mut random = fastrand::Rng::with_seed(7);
        for length in 1..9 {
            let codes: Vec<u64> = (0..50 * length).map(|_| random.u64(..)).collect();
            let code = codes[..length].to_vec();
            let others: Vec<Vec<u8>> = codes.chunks(length).map(bytes_of).collect();
            let one_by_one: Vec<u32> = others.iter().map(|other| distance(&code, other)).collect();
            assert_eq!(distances(&code, &others.concat(), 0), one_by_one);
            assert_eq!(each_distance(&code, &others.concat(), 0), one_by_one);
            let behind: Vec<u8> = others.iter().flat_map(|other| [&[7; 4], &other[..]].concat()).collect();
            assert_eq!(distances(&code, &behind, 4), one_by_one);
        }
    }
}
