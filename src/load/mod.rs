//! Bytes to a [`Document`]: metadata, blocks of text in reading order, and the outline if the format has one.
//!
//! This room does not decide what a section is; [`structure`](crate::structure) does. A loader never guesses at text
//! that it cannot read: it fails with the reason, or records a warning in the document.

mod asciidoc;
mod csv;
mod document;
mod docx;
mod email;
mod epub;
mod excel;
mod format;
mod html;
mod jsonl;
pub mod markdown;
mod notebook;
mod package;
mod parse;
mod pdf;
pub mod plain;
mod powerpoint;
mod restructured_text;
mod rst_tables;
mod source_code;
mod xhtml;

pub use document::{Block, BlockKind, Document, HeadingTag, LineStyle, LoadOptions, OutlineEntry};
pub(crate) use document::{most_common, most_votes};
pub use format::Format;
#[cfg(feature = "fuzzing")]
pub use package::zip_of;
pub use parse::{parse, parse_with};
pub use pdf::check_ocr_command;
#[cfg(feature = "fuzzing")]
pub use pdf::laid_out;
