//! Hashes of lists.

/// The hash of all parts, each with its length, so that no byte can move from one part to the next.
pub fn of_parts<'p>(parts: impl IntoIterator<Item = &'p [u8]>) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    hasher.finalize()
}
