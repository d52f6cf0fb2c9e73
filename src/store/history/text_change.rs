//! The first place where two versions of a text differ, with what stands around it.

use serde::Serialize;

use crate::text::{is_wide, squeeze, truncate};

/// At most this much of the text before that place is shown, in columns.
const COLUMNS_BEFORE: usize = 24;
/// The number of characters of each version that are shown.
const LONGEST: usize = 80;

/// Two versions of a text, each on one line from shortly before the first difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TextChange {
    pub before: String,
    pub after: String,
}

impl TextChange {
    /// `None` if nothing differs but white space.
    pub(super) fn between(before: &str, after: &str) -> Option<Self> {
        let (before, after) = (squeeze(before), squeeze(after));
        if before == after {
            return None;
        }
        let same = before.chars().zip(after.chars()).take_while(|(was, is)| was == is);
        let same: usize = same.map(|(c, _)| c.len_utf8()).sum();
        let start = beginning(&before[..same]);
        let mark = if start > 0 { "…" } else { "" };
        let shown = |text: &str| format!("{mark}{}", truncate(&text[start..], LONGEST));
        Some(TextChange { before: shown(&before), after: shown(&after) })
    }
}

/// Where the shown part of a text begins: at a word, if there is one near the end.
fn beginning(text: &str) -> usize {
    let mut columns = 0;
    let is_near = |(_, c): &(usize, char)| {
        columns += if is_wide(*c) { 2 } else { 1 };
        columns <= COLUMNS_BEFORE
    };
    let near: Vec<usize> = text.char_indices().rev().take_while(is_near).map(|(at, _)| at).collect();
    let begins_word = |at: usize| at == 0 || text[..at].ends_with(' ') || text[at..].starts_with(is_wide);
    near.iter().rev().copied().find(|at| begins_word(*at)).or(near.last().copied()).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(before: &str, after: &str) -> [String; 2] {
        let TextChange { before, after } = TextChange::between(before, after).unwrap();
        [before, after]
    }

    #[test]
    fn both_versions_begin_shortly_before_the_difference() {
        assert_eq!(
            between("Close it\nslowly. Wait.", "Close it at once."),
            ["Close it slowly. Wait.", "Close it at once."]
        );
        let old = "The pump stands in the old hall. Close the valve slowly.";
        assert_eq!(
            between(old, &old.replace("slowly", "at once")),
            ["…hall. Close the valve slowly.", "…hall. Close the valve at once."]
        );
        assert_eq!(between("see /a/path/that/has/no/spaces/one", "see /a/path/that/has/no/spaces/two")[0].len(), 30);
        assert_eq!(between("Wait.", &format!("Wait. {}", "Then go. ".repeat(20)))[1].chars().count(), 81);
    }

    #[test]
    fn other_white_space_is_no_difference() {
        assert_eq!(TextChange::between("Close it.\n\nWait.", "Close it. Wait."), None);
    }
}
