//! Zip archives that one did not make: DOCX and EPUB are such.
//!
//! Nothing is ever written to disk and names are only looked up inside the archive, so that a name like `../../x`
//! leads nowhere. An archive of 40 kilobytes can hold gigabytes: what is taken out of one is limited.

use std::io::{Cursor, Read};

use zip::{CompressionMethod, ZipArchive};

use super::decode;
use crate::error::{Error, Result};

/// Bytes that one compressed entry may unpack to. The text of a book of 1,000 pages is about 3 MB of XML.
const ENTRY_LIMIT: u64 = 64 << 20;
/// Bytes that all entries together may unpack to: pictures are taken along when an EPUB is looked through.
const TOTAL_LIMIT: u64 = 1 << 30;
/// An archive with more entries is no document.
const ENTRIES_LIMIT: usize = 50_000;

/// The first bytes of an OLE file: Word before 2007, and every Office file with a password.
const OLE_MAGIC: &[u8] = &[0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];

/// An archive in memory.
pub struct Archive<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    /// What the archive should be, for messages: `DOCX`.
    format: &'static str,
    /// Bytes that may still be unpacked.
    left: u64,
}

impl<'a> Archive<'a> {
    /// Opens the archive in `bytes`, which should be a document of the given format (its name, for messages).
    ///
    /// # Errors
    /// Where the bytes are no zip archive, or one with more than [`ENTRIES_LIMIT`] entries.
    pub fn open(bytes: &'a [u8], format: &'static str) -> Result<Self> {
        if bytes.starts_with(OLE_MAGIC) {
            return Err(Error::failed(format!(
                "this is no {format} but an Office file with a password, or one in the format before 2007"
            ))
            .hint(format!("open it in its program and save it as {format} without a password")));
        }
        let zip = ZipArchive::new(Cursor::new(bytes)).map_err(|error| broken(format, &error.to_string()))?;
        if zip.len() > ENTRIES_LIMIT {
            return Err(Error::failed(format!("holds {} files; a {format} has a few hundred", zip.len()))
                .hint("the file is hostile; leave it out with --exclude"));
        }
        Ok(Archive { zip, format, left: TOTAL_LIMIT })
    }

    /// Whether there is an entry of this name.
    pub fn has(&self, name: &str) -> bool {
        self.zip.index_for_name(name).is_some()
    }

    /// Whether the name of any entry passes the test.
    pub fn has_any(&self, test: impl Fn(&str) -> bool) -> bool {
        self.zip.file_names().any(|name| name.is_ok_and(|name| test(&name)))
    }

    /// The text of an entry, in whatever encoding it is; `None` where there is no such entry.
    ///
    /// # Errors
    /// Where the entry is damaged, encrypted or unpacks to more than is allowed.
    pub fn text(&mut self, name: &str) -> Result<Option<String>> {
        let Some(index) = self.zip.index_for_name(name) else { return Ok(None) };
        let mut bytes = Vec::new();
        self.unpack(index, &mut bytes)?;
        Ok(Some(decode::to_text(&bytes)?))
    }

    /// Unpacks every entry and throws it away: afterwards another reader may be trusted with the archive.
    ///
    /// # Errors
    /// Where an entry, or all together, unpack to more than is allowed.
    pub fn refuse_bomb(&mut self) -> Result<()> {
        for index in 0..self.zip.len() {
            // A damaged entry may be a picture that nobody asks for; who needs the entry will be told.
            match self.unpack(index, &mut std::io::sink()) {
                Err(error) if error.next_step() == Some(BOMB_HINT) => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    fn unpack(&mut self, index: usize, out: &mut impl std::io::Write) -> Result<()> {
        let format = self.format;
        let entry = self.zip.by_index(index).map_err(|error| broken(format, &error.to_string()))?;
        let name = entry.name().map(|name| name.into_owned()).unwrap_or_default();
        // What is stored as it is cannot be larger than the file.
        let stored = entry.compression() == CompressionMethod::Stored;
        let limit = if stored { self.left } else { self.left.min(ENTRY_LIMIT) };
        let unpacked = std::io::copy(&mut entry.take(limit + 1), out)
            .map_err(|error| broken(format, &format!("{name}: {error}")))?;
        if unpacked > limit {
            let message = format!("{name} in it unpacks to more than {} MB", limit >> 20);
            return Err(Error::failed(message).hint(BOMB_HINT));
        }
        self.left -= unpacked;
        Ok(())
    }
}

const BOMB_HINT: &str = "no document needs that; leave the file out with --exclude";

fn broken(format: &str, reason: &str) -> Error {
    Error::failed(format!("cannot be read as {format}: {reason}"))
        .hint("the file is damaged, or of another format; see whether its own program opens it")
}

/// The archive of the given entries, for tests.
#[cfg(test)]
pub fn zip_of(entries: &[(&str, &str)]) -> Vec<u8> {
    use std::io::Write;
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in entries {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(content.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_by_name_and_nowhere_else() {
        let bytes = zip_of(&[("a.xml", "<a/>"), ("../../etc/passwd", "x")]);
        let mut archive = Archive::open(&bytes, "DOCX").unwrap();
        assert_eq!(archive.text("a.xml").unwrap().as_deref(), Some("<a/>"));
        assert_eq!(archive.text("/etc/passwd").unwrap(), None);
        assert!(archive.has_any(|name| name.starts_with("a.")));
    }

    #[test]
    fn a_bomb_is_refused_before_it_unfolds() {
        let bytes = zip_of(&[("bomb.xml", &" ".repeat((ENTRY_LIMIT + 1) as usize))]);
        assert!(bytes.len() < 1 << 20);
        let error = Archive::open(&bytes, "DOCX").unwrap().text("bomb.xml").unwrap_err();
        assert!(error.message().contains("bomb.xml") && error.message().contains("64 MB"), "{error}");
        assert!(Archive::open(&bytes, "EPUB").unwrap().refuse_bomb().is_err());
        let bytes = zip_of(&[("a", "12345"), ("b", "12345")]);
        let mut archive = Archive::open(&bytes, "EPUB").unwrap();
        archive.left = 9;
        assert!(archive.refuse_bomb().is_err(), "each is small enough, both together are not");
    }

    #[test]
    fn what_is_no_archive_is_told_as_that() {
        let error = Archive::open(b"PK\x03\x04 and then nothing", "DOCX").err().unwrap();
        assert!(error.message().contains("cannot be read as DOCX"), "{error}");
        let error = Archive::open(OLE_MAGIC, "DOCX").err().unwrap();
        assert!(error.message().contains("password"), "{error}");
    }
}
