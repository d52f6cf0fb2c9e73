//! The format of a store: `kb.json`, whose presence makes a folder a store.
//!
//! It contains two numbers, as in Delta Lake: the format that a program must know to read the store, and to write to
//! it. A program that knows less refuses, so two versions never remove each other's rows. Raise [`WRITER`] with every
//! change of the stored data (a column, a field of the keyword index, a file), and [`READER`] too if older programs
//! would misread it. A test compares the numbers with the columns and fields.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::files::{read_json, write_json};
use crate::error::{Error, NextStep, Result, Setting};

/// The file in the store's folder.
pub(super) const FORMAT_FILE: &str = "kb.json";
/// The format that this program can read, and that others must know to read its stores.
const READER: u32 = 2;
/// The format that this program can write, and that others must know to write to its stores.
const WRITER: u32 = 4;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Format {
    /// The format that a reader must know at least.
    min_reader: u32,
    /// The format that a writer must know at least.
    min_writer: u32,
    /// The version of kb.
    created_by: String,
}

impl Format {
    /// The format of the store in a folder; `None` if there is no store.
    pub(super) fn read(root: &Path) -> Result<Option<Self>> {
        read_json(&root.join(FORMAT_FILE))
    }

    /// Makes a folder a store in this program's format.
    pub(super) fn write(root: &Path) -> Result<()> {
        write_json(&root.join(FORMAT_FILE), &Format::own())
    }

    /// Raises the format of a store that this program is about to write to, so that programs that know less leave it
    /// alone from now on.
    pub(super) fn raise(root: &Path) -> Result<()> {
        match Format::read(root)? {
            Some(format) if format.min_writer < WRITER => Format::write(root),
            _ => Ok(()),
        }
    }

    /// The format of this program.
    pub(super) fn own() -> Self {
        Format { min_reader: READER, min_writer: WRITER, created_by: env!("CARGO_PKG_VERSION").to_owned() }
    }

    /// Whether this program may write to the store.
    pub(super) fn is_writable(&self) -> bool {
        self.min_writer <= WRITER
    }

    pub(super) fn must_be_readable(&self, root: &Path) -> Result<()> {
        if self.min_reader > READER { Err(self.too_new(root, "read", self.min_reader, READER)) } else { Ok(()) }
    }

    pub(super) fn must_be_writable(&self, root: &Path) -> Result<()> {
        if self.min_writer > WRITER {
            return Err(self.too_new(root, "write to", self.min_writer, WRITER));
        }
        self.must_be_readable(root)
    }

    fn too_new(&self, root: &Path, verb: &str, least: u32, own: u32) -> Error {
        let (root, version) = (root.display(), &self.created_by);
        Error::failed(format!(
            "this kb cannot {verb} the store at {root}: that needs format {least} (the store was made by kb {version}), and \
             this kb knows format {own}"
        ))
        .hint(format!(
            "install a newer kb, or ingest the documents again into a new store: `{} {}`",
            NextStep::Ingest("PATH…"),
            Setting("kb")
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::convert;
    use crate::store::keyword::schema;

    #[test]
    fn a_schema_change_raises_a_format_number() {
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
            (2, 4, "7449fcb9ba3effbc"),
            "columns or keyword fields have changed: raise WRITER, and READER where older programs would misread them"
        );
    }
}
