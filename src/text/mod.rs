//! Text operations: scripts, tokens for the keyword index, sentences, tables, times. Pure functions without I/O.
//!
//! Offsets are byte offsets into UTF-8 on character boundaries. Lengths that limit a chunk count characters, because a
//! byte limit would make Chinese chunks a third as long as English ones.

mod contents_page;
pub mod han;
pub mod highlight;
mod names;
pub mod period;
mod roman;
pub mod script;
pub mod sentences;
mod shared;
pub mod stopwords;
mod strings;
pub mod tables;
pub mod tokens;

pub use contents_page::is_contents_page;
pub use names::{Names, fold_name};
pub use period::{Period, date_or_moment, moment};
pub use roman::{roman, write_roman};
pub use shared::SharedText;
pub use strings::{
    alike, as_number, char_count, count, first_chars, first_of, fold, is_hidden, is_joiner, is_summary, is_wide,
    join_filled, join_line, join_title, join_words, lists, percent, printable, push_escaped, size, squeeze, truncate,
    unique, visible, visible_path, width,
};
