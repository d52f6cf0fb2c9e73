//! How alike two texts are, by the runs of letters they share.
//!
//! A shingle is a run of so many letters and digits, in lower case and without what stands between them: the same for
//! English and Chinese, and no tokens have to be made. Hashing a passage of 1000 characters takes some 10 µs.

/// The hashes below this, one in sixteen, are a sample of a text's shingles, the same for every text (Broder 1997).
const SAMPLED: u64 = u64::MAX / 16;
/// Samples smaller than this say too little.
const LEAST_SAMPLE: usize = 20;
/// Texts whose samples are so much less alike than is asked for need no closer look: with 20 shingles and more it does not
/// happen by chance.
const SLACK: f32 = 0.4;

/// The shingles of a text, as hashes in order, each once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::retrieve) struct Shingles(Vec<u64>);

impl Shingles {
    /// The runs of `length` letters and digits of `text`; of a shorter one, the whole.
    pub(in crate::retrieve) fn of(text: &str, length: usize) -> Self {
        let letters: Vec<char> = text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        let mut hashes = rolling(&letters, length.clamp(1, letters.len().max(1)));
        hashes.sort_unstable();
        hashes.dedup();
        Shingles(hashes)
    }

    /// The share of all their shingles that both have (Jaccard), from 0 to 1.
    pub(in crate::retrieve) fn jaccard(&self, other: &Shingles) -> f32 {
        jaccard(&self.0, &other.0)
    }

    /// Whether [`jaccard`](Self::jaccard) reaches `least`. Sets of too different sizes are not compared, nor those of which
    /// a sample is not nearly so much alike.
    pub(in crate::retrieve) fn are_alike(&self, other: &Shingles, least: f32) -> bool {
        let (few, many) = (self.0.len().min(other.0.len()), self.0.len().max(other.0.len()));
        let (own, others) = (self.sample(), other.sample());
        let may_be = own.len().min(others.len()) < LEAST_SAMPLE || jaccard(own, others) >= least - SLACK;
        few as f32 >= least * many as f32 && may_be && self.jaccard(other) >= least
    }

    fn sample(&self) -> &[u64] {
        &self.0[..self.0.partition_point(|hash| *hash < SAMPLED)]
    }

    /// The cosine of both as vectors of zeros and ones, from 0 to 1: kinder than Jaccard where one text is longer.
    pub(in crate::retrieve) fn cosine(&self, other: &Shingles) -> f32 {
        let length = (self.0.len() as f32 * other.0.len() as f32).sqrt();
        if length > 0.0 { shared(&self.0, &other.0) as f32 / length } else { 0.0 }
    }
}

fn jaccard(a: &[u64], b: &[u64]) -> f32 {
    let shared = shared(a, b);
    let all = a.len() + b.len() - shared;
    if all == 0 { 1.0 } else { shared as f32 / all as f32 }
}

/// How many hashes are in both of two ordered lists.
fn shared(a: &[u64], b: &[u64]) -> usize {
    let (mut left, mut right, mut shared) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(left), b.get(right)) {
        shared += usize::from(x == y);
        left += usize::from(x <= y);
        right += usize::from(y <= x);
    }
    shared
}

/// The hashes of all runs of `length` letters: Rabin's, as polynomials over the characters, each from the one before it
/// (Karp and Rabin 1987), then mixed so that similar runs differ in all bits. The same on every machine and in every
/// version, so that equal questions have equal answers.
fn rolling(letters: &[char], length: usize) -> Vec<u64> {
    const BASE: u64 = 0x100_0000_01b3;
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    let first_counts = (0..length).fold(1u64, |power, _| power.wrapping_mul(BASE));
    let mut hash = 0u64;
    let mut hashes = Vec::with_capacity(letters.len());
    for (at, &letter) in letters.iter().enumerate() {
        hash = hash.wrapping_mul(BASE).wrapping_add(u64::from(u32::from(letter)));
        if at >= length {
            hash = hash.wrapping_sub(first_counts.wrapping_mul(u64::from(u32::from(letters[at - length]))));
        }
        if at + 1 >= length {
            let mixed = (hash ^ (hash >> 32)).wrapping_mul(MIX);
            hashes.push(mixed ^ (mixed >> 29));
        }
    }
    hashes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_runs_have_equal_hashes_wherever_they_stand() {
        let letters: Vec<char> = "abcabcxabc启动水泵启动水泵".chars().collect();
        for length in 1..=letters.len() {
            let hashes = rolling(&letters, length);
            let runs: Vec<&[char]> = letters.windows(length).collect();
            assert_eq!(hashes.len(), runs.len());
            for (a, first) in hashes.iter().zip(&runs) {
                for (b, second) in hashes.iter().zip(&runs) {
                    assert_eq!(a == b, first == second, "{first:?} {second:?}");
                }
            }
        }
    }

    #[test]
    fn likeness_is_by_shared_runs() {
        let of = |text| Shingles::of(text, 4);
        assert_eq!(of("Prime the pump.").jaccard(&of("prime THE pump")), 1.0);
        assert_eq!(of("启动水泵之前").jaccard(&of("启动水泵之后")), 0.5);
        assert_eq!(of("abcd").jaccard(&of("wxyz")), 0.0);
        assert_eq!(of("ab").jaccard(&of("ab")), 1.0, "shorter than a run");
        assert_eq!((of("").jaccard(&of("")), of("").cosine(&of("abcd"))), (1.0, 0.0));
        let (short, long) = (of("prime the pump"), of("prime the pump and then open the valve"));
        assert!(short.cosine(&long) > short.jaccard(&long));
        assert!(!short.are_alike(&long, 0.9) && short.are_alike(&short, 0.9));
    }

    #[test]
    fn a_sample_hides_nothing_that_is_alike() {
        let text: String = (0..400).map(|i| format!("word{} ", i * i % 97)).collect();
        let whole = Shingles::of(&text, 8);
        assert!(whole.sample().len() >= LEAST_SAMPLE, "{}", whole.sample().len());
        for cut in [0, 20, 60, 90] {
            let other = Shingles::of(&text[cut..], 8);
            assert_eq!(whole.are_alike(&other, 0.9), whole.jaccard(&other) >= 0.9, "{cut}");
        }
    }
}
