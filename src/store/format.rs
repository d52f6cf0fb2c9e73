//! The format of a store: `kb.json`, whose presence makes a folder a store.
//!
//! It names two numbers, as Delta Lake does: what a program must know to read the store, and to write to it. A program that
//! knows less refuses, so that two versions never take each other's rows away. Whoever changes what is stored (a column, a
//! field of the keyword index, a file) raises [`WRITER`], and [`READER`] too where older programs would misread it. A test
//! holds the numbers to the columns and fields.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::files::{read_json, write_json};
use crate::error::{Error, NextStep, Result, Setting};

/// The file, in the store's folder.
pub(super) const FORMAT_FILE: &str = "kb.json";
/// What this program can read, and what others must know to read what it writes.
const READER: u32 = 2;
/// Older formats were never released.
const OLDEST: u32 = 2;
/// What this program can write to, and what others must know to write beside it.
const WRITER: u32 = 2;

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Format {
    /// The least that a reader must know. Unreleased versions have not written it.
    min_reader: Option<u32>,
    /// The least that a writer must know.
    min_writer: Option<u32>,
    /// The version of kb.
    created_by: String,
}

impl Format {
    /// The format of the store in a folder; `None` where there is no store.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub(super) fn read(root: &Path) -> Result<Option<Self>> {
        read_json(&root.join(FORMAT_FILE))
    }

    /// Makes a folder a store of this program's format.
    pub(super) fn write(root: &Path) -> Result<()> {
        write_json(&root.join(FORMAT_FILE), &Format::own())
    }

    /// The format of this program.
    pub(super) fn own() -> Self {
        let created_by = env!("CARGO_PKG_VERSION").to_owned();
        Format { min_reader: Some(READER), min_writer: Some(WRITER), created_by }
    }

    /// Whether this program knows enough to write.
    pub(super) fn is_writable(&self) -> bool {
        self.min_writer.is_some_and(|least| least <= WRITER)
    }

    /// # Errors
    /// Where the store needs another program to be read.
    pub(super) fn must_be_readable(&self, root: &Path) -> Result<()> {
        match (self.min_reader, self.min_writer) {
            (Some(least), Some(_)) if (OLDEST..=READER).contains(&least) => Ok(()),
            (Some(least), Some(_)) if least > READER => Err(self.too_new(root, "read", least, READER)),
            _ => Err(Error::failed(format!("the store at {} is of an unreleased kb", root.display())).hint(again(""))),
        }
    }

    /// # Errors
    /// Where the store needs another program to be written to.
    pub(super) fn must_be_writable(&self, root: &Path) -> Result<()> {
        match self.min_writer {
            Some(least) if least > WRITER => Err(self.too_new(root, "write to", least, WRITER)),
            _ => self.must_be_readable(root),
        }
    }

    fn too_new(&self, root: &Path, verb: &str, least: u32, own: u32) -> Error {
        let (root, version) = (root.display(), &self.created_by);
        Error::failed(format!(
            "this kb cannot {verb} the store at {root}: that needs format {least} (the store was made by kb {version}), and \
             this kb knows format {own}"
        ))
        .hint(again("install a newer kb, or "))
    }
}

fn again(before: &str) -> String {
    format!("{before}ingest the documents again into a new store: `{} {}`", NextStep::Ingest("PATH…"), Setting("kb"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::convert;
    use crate::store::keyword_index::schema;

    fn format(reader: u32, writer: u32) -> Format {
        Format { min_reader: Some(reader), min_writer: Some(writer), created_by: "9.0.0".to_owned() }
    }

    #[test]
    fn a_higher_number_is_refused_to_readers_or_writers_alone() {
        let root = Path::new("/here/.kb");
        assert!(format(READER, WRITER).must_be_writable(root).is_ok());
        let other = format(READER, WRITER + 1);
        assert!(other.must_be_readable(root).is_ok(), "a change that readers need not know");
        let error = other.must_be_writable(root).unwrap_err();
        for part in ["cannot write to the store at /here/.kb", "kb 9.0.0", &format!("needs format {}", WRITER + 1)] {
            assert!(error.message().contains(part), "{part}: {error}");
        }
        let error = format(READER + 1, WRITER + 1).must_be_readable(root).unwrap_err();
        assert!(error.message().contains("cannot read"), "{error}");
        assert!(error.next_step().is_some_and(|hint| hint.contains("install a newer kb")), "{error}");
    }

    #[test]
    fn a_store_of_an_unreleased_version_is_refused_with_the_way_to_ingest_again() {
        let first: Format = serde_json::from_str(r#"{"format": 2, "created_by": "0.1.0"}"#).unwrap();
        for old in [first, format(OLDEST - 1, OLDEST - 1)] {
            let error = old.must_be_readable(Path::new("/here/.kb")).unwrap_err();
            assert!(error.message().contains("/here/.kb is of an unreleased kb"), "{error}");
            assert!(error.next_step().is_some_and(|hint| hint.starts_with("ingest the documents again")), "{error}");
        }
    }

    #[test]
    fn a_change_of_what_is_stored_raises_a_number() {
        let tables = [
            convert::documents_to_batch(&[], 4).unwrap(),
            convert::sections_to_batch(&[]).unwrap(),
            convert::chunks_to_batch([], 4).unwrap(),
            convert::entities_to_batch(&[]).unwrap(),
        ];
        let columns: Vec<String> = tables
            .iter()
            .flat_map(|table| table.schema().fields().iter().map(|field| format!("{field:?}")).collect::<Vec<_>>())
            .collect();
        let keyword = serde_json::to_string(&schema().0).unwrap();
        let stored = blake3::hash(format!("{columns:?}{keyword}").as_bytes()).to_hex();
        assert_eq!(
            (READER, WRITER, &stored[..16]),
            (2, 2, "2fad31ca73fe0efa"),
            "columns or keyword fields have changed: raise WRITER, and READER where older programs would misread them"
        );
    }
}
