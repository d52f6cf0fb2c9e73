//! Checksums of parts of a file of the read cache: a CRC, because a cryptographic hash took longer than the search.
//! Each covers what the file is for, so that one that was copied to the name of another is not taken for that.

use crc32fast::Hasher;

/// The length of a checksum, in bytes.
pub(super) const LENGTH: usize = size_of::<u32>();

#[derive(Clone)]
pub(super) struct Checksums(Hasher);

impl Checksums {
    /// Those of a file for this.
    pub(super) fn of_file(description: &str) -> Self {
        let mut hasher = Hasher::new();
        hasher.update(description.as_bytes());
        Checksums(hasher)
    }

    pub(super) fn of(&self, bytes: &[u8]) -> [u8; LENGTH] {
        let mut hasher = self.0.clone();
        hasher.update(bytes);
        hasher.finalize().to_le_bytes()
    }

    /// The bytes in front of their checksum; `None` if they are damaged.
    pub(super) fn checked<'b>(&self, bytes: &'b [u8]) -> Option<&'b [u8]> {
        let (contents, checksum) = bytes.split_last_chunk()?;
        (*checksum == self.of(contents)).then_some(contents)
    }
}
