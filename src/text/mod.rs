//! Text as text: scripts, tokens for the keyword index, sentence boundaries. Pure functions, no I/O.
//!
//! Offsets in here are byte offsets into UTF-8 and always lie on character boundaries; lengths that limit a chunk are
//! counted in characters, because a limit in bytes would make Chinese chunks a third as long as English ones.

pub mod highlight;
pub mod script;
pub mod sentences;
pub mod stopwords;
pub mod tokens;

/// The number of characters (Unicode scalar values) in `text`.
pub fn char_count(text: &str) -> usize {
    text.chars().count()
}

/// `text` with every run of white space made one space, and none at the ends.
pub fn squeeze(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Cuts `text` after at most `limit` characters, with an ellipsis where something was cut.
pub fn truncate(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
    }
}
