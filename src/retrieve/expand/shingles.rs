//! How alike two texts are, by the runs of letters they share.
//!
//! A shingle is a run of so many letters and digits, in lower case and without what stands between them: the same for
//! English and Chinese, and no tokens have to be made. Hashing a passage of 1000 characters takes some 10 µs.

/// The shingles of a text, as hashes in order, each once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::retrieve) struct Shingles(Vec<u64>);

impl Shingles {
    /// The runs of `length` letters and digits of `text`; of a shorter one, the whole.
    pub(in crate::retrieve) fn of(text: &str, length: usize) -> Self {
        let letters: Vec<char> = text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        let mut hashes: Vec<u64> = letters.windows(length.clamp(1, letters.len().max(1))).map(hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        Shingles(hashes)
    }

    /// The share of all their shingles that both have (Jaccard), from 0 to 1.
    pub(in crate::retrieve) fn jaccard(&self, other: &Shingles) -> f32 {
        let shared = self.shared(other);
        let all = self.0.len() + other.0.len() - shared;
        if all == 0 { 1.0 } else { shared as f32 / all as f32 }
    }

    /// Whether [`jaccard`](Self::jaccard) reaches `least`; sets of too different sizes are not compared.
    pub(in crate::retrieve) fn are_alike(&self, other: &Shingles, least: f32) -> bool {
        let (few, many) = (self.0.len().min(other.0.len()), self.0.len().max(other.0.len()));
        few as f32 >= least * many as f32 && self.jaccard(other) >= least
    }

    /// The cosine of both as vectors of zeros and ones, from 0 to 1: kinder than Jaccard where one text is longer.
    pub(in crate::retrieve) fn cosine(&self, other: &Shingles) -> f32 {
        let length = (self.0.len() as f32 * other.0.len() as f32).sqrt();
        if length > 0.0 { self.shared(other) as f32 / length } else { 0.0 }
    }

    fn shared(&self, other: &Shingles) -> usize {
        let (mut left, mut right, mut shared) = (0, 0, 0);
        while let (Some(a), Some(b)) = (self.0.get(left), other.0.get(right)) {
            shared += usize::from(a == b);
            left += usize::from(a <= b);
            right += usize::from(b <= a);
        }
        shared
    }
}

/// FNV-1a over characters: the same on every machine and in every version, so that equal questions have equal answers.
fn hash(letters: &[char]) -> u64 {
    letters
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &c| (hash ^ u64::from(u32::from(c))).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
