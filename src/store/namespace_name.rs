//! The names of namespaces, and of their folders.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::error::{Error, NextStep, Result};

/// Means every namespace where several can be named, in upper or lower case.
pub(super) const ALL: &str = "all";
/// Separates names where several can be given.
pub(super) const SEPARATOR: char = ',';

/// The longest name, in characters.
pub const LONGEST_NAMESPACE: usize = 64;
/// Replaces `/` in the name of a folder; no namespace has it in its name.
const SLASH: &str = "%2F";
/// Names of devices on Windows, and those that a digit follows.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];
const NUMBERED_DEVICES: [&str; 2] = ["com", "lpt"];

/// The folder name of a namespace. All folders are siblings, because `a` and `a/b` may both have documents.
pub(super) fn folder_of_name(name: &str) -> String {
    name.replace('/', SLASH)
}

pub(super) fn name_of_folder(folder: &str) -> Option<String> {
    let name = folder.replace(SLASH, "/");
    namespace_name(&name).ok().filter(|own| *own == name)
}

/// Checks a namespace's name and normalises it to lower case and composed characters, so that it means the same on
/// every file system. A name is a path of parts: letters of any language, digits, `-`, `_` and `.` inside, at most 64
/// characters in all. It becomes a folder's name, so it must not lead out of one.
pub fn namespace_name(name: &str) -> Result<String> {
    if name.eq_ignore_ascii_case(ALL) {
        return Err(Error::usage(format!("{name:?} means every namespace and cannot be the name of one"))
            .hint(format!("name one; `{}` takes all of them", NextStep::Search)));
    }
    if name.contains(SEPARATOR) {
        return Err(Error::usage(format!("{name:?} names several namespaces, but this command takes one"))
            .hint(format!("name one; `{}` takes several", NextStep::Search)));
    }
    // Words of many languages contain marks that are no letters, such as the tone marks of Thai.
    let good = |c: char| c.is_alphanumeric() || is_combining_mark(c) || matches!(c, '-' | '_' | '.');
    let own: String = name.to_lowercase().nfc().collect();
    let is_device = |part: &str| {
        let stem = part.split('.').next().unwrap_or_default();
        let digits = NUMBERED_DEVICES.iter().find_map(|device| stem.strip_prefix(device)).map(str::as_bytes);
        DEVICES.contains(&stem) || matches!(digits, Some([b'0'..=b'9']))
    };
    let is_name = |part: &str| {
        part.starts_with(char::is_alphanumeric) && !part.ends_with('.') && part.chars().all(good) && !is_device(part)
    };
    if (1..=LONGEST_NAMESPACE).contains(&own.chars().count()) && own.split('/').all(is_name) {
        return Ok(own);
    }
    Err(Error::usage(format!("{name:?} cannot be a namespace's name")).hint(
        "use letters, digits, '-', '_' and '.', at most 64, with '/' between levels, as in acme/reports; \
        Windows reserves names of devices such as nul and com1",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_out_of_the_folder_are_refused() {
        for bad in
            ["", "..", ".hidden", "a//b", "/a", "a/", "a/../b", "a/.b", "a\\b", "a b", "x.", "-x", "NUL", "a/com1.x"]
        {
            assert!(namespace_name(bad).is_err(), "{bad:?}");
        }
        for good in ["default", "客户-2026", "v1.2_x", "all-of-it", "acme/reports/2026", "console", "com/acme", "con5"]
        {
            assert_eq!(namespace_name(good).unwrap(), good);
            assert_eq!(name_of_folder(&folder_of_name(good)).as_deref(), Some(good));
        }
        assert_eq!(name_of_folder("Acme"), None, "a folder that kb did not make");
    }

    #[test]
    fn names_may_be_words_with_marks() {
        for good in ["हिन्दी", "ที่", "עִברִית"] {
            assert_eq!(name_of_folder(&folder_of_name(&namespace_name(good).unwrap())), namespace_name(good).ok());
        }
    }
}
