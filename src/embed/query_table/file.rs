//! A table as a file.
//!
//! ```text
//! KBQTABLE            8 bytes
//! version             u32; all numbers little-endian
//! hash                32 bytes: blake3 of all that follows
//! length, About       u32, JSON
//! dimension           u32
//! length, pieces      u32, UTF-8: the vocabulary's pieces, one behind the other
//! count, ends         u32, u32 each: where each piece ends
//! count, features     u32, u32 each: which features have a row, rising
//! scales              f32 for each row
//! rows                i8, dimension for each row
//! ```
//!
//! The hash is looked at first, so what is checked behind it is what this program could have written wrongly, not what a
//! disk or somebody else did; but it is checked all the same, because the hash keeps nobody from writing another file
//! with another hash.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::Path;

use super::features::most_features;
use super::pieces::Vocabulary;
use super::{About, QueryTable};
use crate::error::{Error, Result};

const MAGIC: &[u8; 8] = b"KBQTABLE";
const VERSION: u32 = 1;
/// Magic, version and hash.
const FRONT: usize = 8 + 4 + 32;
/// No table is as large: 91,567 rows of 4096 numbers would be.
const LARGEST_FILE: u64 = 400 << 20;
const HINT: &str = "make it again with `kb reindex --query-encoder`";

pub(super) fn open(path: &Path) -> Result<Option<QueryTable>> {
    let told = |error: std::io::Error| Error::io("read", path, &error);
    match std::fs::metadata(path) {
        Ok(facts) if facts.len() > LARGEST_FILE => return Err(damaged(path, "it is too large")),
        Ok(_) => {}
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        Err(error) => return Err(told(error)),
    }
    let bytes = std::fs::read(path).map_err(told)?;
    read(&bytes).map(Some).map_err(|wrong| match wrong {
        Wrong::Damaged(how) => damaged(path, how),
        Wrong::Newer(version) => Error::failed(format!(
            "the query encoder {} is of version {version}, and this kb reads version {VERSION}",
            path.display()
        ))
        .hint(HINT),
    })
}

pub(super) fn write(table: &QueryTable, path: &Path) -> Result<()> {
    let told = |error: std::io::Error| Error::io("write", path, &error);
    let folder = path.parent().unwrap_or(Path::new("."));
    let named = |path: &Path| File::create_new(path);
    // Not as tempfile makes it by itself, which only the owner may read: a store may be shared.
    let mut file = tempfile::Builder::new().prefix(".writing-").make_in(folder, named).map_err(told)?;
    file.write_all(&bytes_of(table)).and_then(|()| file.as_file().sync_all()).map_err(told)?;
    file.persist(path).map_err(|error| told(error.error))?;
    Ok(())
}

fn damaged(path: &Path, how: &str) -> Error {
    Error::failed(format!("the query encoder {} is damaged: {how}", path.display())).hint(HINT)
}

/// How many bytes the file of a table has.
pub(super) fn length(table: &QueryTable) -> usize {
    let (text, ends) = table.vocabulary.parts();
    let about = serde_json::to_vec(&table.about).unwrap_or_default();
    FRONT + about.len() + text.len() + 4 * (5 + ends.len() + 2 * table.features.len()) + table.rows.len()
}

fn bytes_of(table: &QueryTable) -> Vec<u8> {
    let (text, ends) = table.vocabulary.parts();
    let mut bytes = Vec::with_capacity(length(table));
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&[0; 32]);
    // Plain data always has a JSON form.
    let about = serde_json::to_vec(&table.about).unwrap_or_default();
    let number = |bytes: &mut Vec<u8>, number: usize| bytes.extend_from_slice(&(number as u32).to_le_bytes());
    number(&mut bytes, about.len());
    bytes.extend_from_slice(&about);
    number(&mut bytes, table.dimension);
    number(&mut bytes, text.len());
    bytes.extend_from_slice(text.as_bytes());
    number(&mut bytes, ends.len());
    bytes.extend(ends.iter().flat_map(|end| end.to_le_bytes()));
    number(&mut bytes, table.features.len());
    bytes.extend(table.features.iter().flat_map(|feature| feature.to_le_bytes()));
    bytes.extend(table.scales.iter().flat_map(|scale| scale.to_le_bytes()));
    bytes.extend_from_slice(&table.rows);
    let hash = blake3::hash(&bytes[FRONT..]);
    bytes[FRONT - 32..FRONT].copy_from_slice(hash.as_bytes());
    bytes
}

enum Wrong {
    Damaged(&'static str),
    Newer(u32),
}

fn read(bytes: &[u8]) -> std::result::Result<QueryTable, Wrong> {
    let cut = Wrong::Damaged;
    if bytes.len() < FRONT || &bytes[..8] != MAGIC {
        return Err(cut("it is no query encoder"));
    }
    let version = u32::from_le_bytes([bytes[8], bytes[9], bytes[10], bytes[11]]);
    if version != VERSION {
        return Err(Wrong::Newer(version));
    }
    if blake3::hash(&bytes[FRONT..]).as_bytes() != &bytes[FRONT - 32..FRONT] {
        return Err(cut("its content is not what was written"));
    }
    parse(&bytes[FRONT..]).ok_or(cut("its parts do not fit together"))
}

/// What stands behind the hash; `None` where it is no table.
fn parse(bytes: &[u8]) -> Option<QueryTable> {
    let mut rest = Rest(bytes);
    let about_length = rest.number()?;
    let about: About = serde_json::from_slice(rest.take(about_length)?).ok()?;
    let dimension = rest.number()?;
    let text_length = rest.number()?;
    let text = std::str::from_utf8(rest.take(text_length)?).ok()?.to_owned();
    let ends_count = rest.number()?;
    let ends = rest.numbers(ends_count)?;
    let vocabulary = Vocabulary::joined(text, ends)?;
    let count = rest.number()?;
    let features = rest.numbers(count)?;
    let rising = features.windows(2).all(|pair| pair[0] < pair[1]);
    let known = features.last().is_none_or(|&last| (last as usize) < most_features(&vocabulary));
    let scales: Vec<f32> = rest.numbers(count)?.into_iter().map(f32::from_bits).collect();
    let rows = rest.take(count.checked_mul(dimension)?)?.to_vec();
    let whole = rest.0.is_empty() && dimension > 0 && rising && known;
    let finite = scales.iter().all(|scale| scale.is_finite());
    (whole && finite).then_some(QueryTable { about, dimension, vocabulary, features, scales, rows })
}

/// What was not read yet.
struct Rest<'b>(&'b [u8]);

impl<'b> Rest<'b> {
    fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<usize> {
        self.take(4)?.try_into().ok().map(|bytes| u32::from_le_bytes(bytes) as usize)
    }

    fn numbers(&mut self, count: usize) -> Option<Vec<u32>> {
        let bytes = self.take(count.checked_mul(4)?)?;
        Some(bytes.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::fit::tests::small;
    use super::*;

    fn opened(bytes: &[u8]) -> Result<Option<QueryTable>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t");
        std::fs::write(&path, bytes).unwrap();
        open(&path)
    }

    fn with_hash(mut bytes: Vec<u8>) -> Vec<u8> {
        let hash = blake3::hash(&bytes[FRONT..]);
        bytes[FRONT - 32..FRONT].copy_from_slice(hash.as_bytes());
        bytes
    }

    #[test]
    fn a_table_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t");
        assert_eq!(open(&path).unwrap(), None);
        write(&small(), &path).unwrap();
        write(&small(), &path).unwrap();
        assert_eq!(open(&path).unwrap(), Some(small()));
        assert_eq!(std::fs::metadata(&path).unwrap().len(), length(&small()) as u64);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left lying about");
    }

    #[test]
    fn a_damaged_file_is_told_wherever_it_is_cut_or_bent() {
        let whole = bytes_of(&small());
        for length in 0..whole.len() {
            let error = opened(&whole[..length]).unwrap_err();
            assert!(error.message().contains("damaged") && error.next_step().is_some(), "{length}: {error}");
        }
        for at in 0..whole.len() {
            let mut bent = whole.clone();
            bent[at] ^= 0x41;
            assert!(opened(&bent).is_err(), "{at}");
        }
    }

    #[test]
    fn a_file_that_somebody_made_up_is_no_table_or_one_that_works() {
        let whole = bytes_of(&small());
        for at in FRONT..whole.len() {
            for bit in [0x01, 0x80, 0xff] {
                let mut bent = whole.clone();
                bent[at] ^= bit;
                // A table that can be read can be asked.
                if let Ok(Some(table)) = opened(&with_hash(bent)) {
                    let encoded = table.encode("pump ##s valve water");
                    let is_fine = |vector: Vec<f32>| vector.iter().all(|number| number.abs() <= 1.001);
                    assert!(encoded.unknown <= 5 && encoded.vector.is_none_or(is_fine));
                }
            }
        }
        for length in FRONT..whole.len() {
            assert!(opened(&with_hash(whole[..length].to_vec())).is_err(), "{length}");
        }
    }

    #[test]
    fn a_newer_version_is_said_to_be_one() {
        let mut newer = bytes_of(&small());
        newer[8] = 9;
        let error = opened(&newer).unwrap_err();
        assert!(error.message().contains("version 9"), "{error}");
    }
}
