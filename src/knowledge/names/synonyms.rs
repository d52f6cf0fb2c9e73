//! Lists of synonyms: the user's `synonyms.txt`, and the built-in list of names that documents use without defining
//! them.
//!
//! A line is a group of equal names, separated by commas. `a => b, c` also searches for `b` and `c` if the question has
//! `a`, but not the other way. `#` begins a comment.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::LazyLock;

use super::name::{LONGEST_NAME, key};
use crate::error::{Error, Result};
use crate::paths::read_bytes;

/// In bytes; every search reads the list.
const LARGEST: usize = 4 << 20;
/// The most names of a group.
const MOST_NAMES: usize = 64;
/// The most other names of a name that a question gets; the first ones are kept.
pub const MOST_OTHERS: usize = 16;

const COMMON: &str = include_str!("common.txt");

/// Synonyms by the key of a name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Synonyms {
    others: HashMap<String, Vec<String>>,
}

impl Synonyms {
    /// Reads a file; `None` if it does not exist.
    pub fn read(path: &Path) -> Result<Option<Self>> {
        let bytes = match read_bytes(path) {
            Ok(bytes) => bytes,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
            Err(error) => return Err(Error::io("read", path, &error)),
        };
        if bytes.len() > LARGEST {
            let most = crate::text::size(LARGEST as u64);
            return Err(Error::usage(format!("{} has more than {most}", path.display()))
                .hint("remove groups that no question needs"));
        }
        let text = String::from_utf8(bytes).map_err(|error| {
            let line = error.as_bytes()[..error.utf8_error().valid_up_to()].iter().filter(|b| **b == b'\n').count() + 1;
            Error::usage(format!("{}, line {line}: not valid UTF-8", path.display())).hint("save the file as UTF-8")
        })?;
        let parsed = Synonyms::parse(&text);
        parsed.map(Some).map_err(|(line, what)| {
            // A link in a store of others may lead to a secret, which the error would quote.
            let what = if path.is_symlink() { "not a group of names".to_owned() } else { what };
            Error::usage(format!("{}, line {line}: {what}", path.display()))
                .hint("a line is `a, b, c` for equal names or `a => b, c` for one way; # begins a comment")
        })
    }

    /// The built-in list.
    pub fn common() -> &'static Self {
        static LIST: LazyLock<Synonyms> =
            LazyLock::new(|| Synonyms::parse(COMMON).expect("a test reads the built-in list"));
        &LIST
    }

    /// An error has the number of a line that is not a group, and the reason.
    pub fn parse(text: &str) -> std::result::Result<Self, (usize, String)> {
        let mut synonyms = Synonyms::default();
        for (line, number) in text.strip_prefix('\u{feff}').unwrap_or(text).lines().zip(1..) {
            let group = line.split('#').next().unwrap_or_default().trim();
            if !group.is_empty() {
                synonyms.add(group).map_err(|what| (number, what))?;
            }
        }
        Ok(synonyms)
    }

    fn add(&mut self, line: &str) -> std::result::Result<(), String> {
        let Some((from, to)) = line.split_once("=>") else {
            let group = names(line)?;
            if group.len() < 2 {
                return Err(format!("{line:?} stands alone; a group has two names or more"));
            }
            self.link(&group, &group);
            return Ok(());
        };
        if to.contains("=>") {
            return Err("it has more than one =>".to_owned());
        }
        self.link(&names(from)?, &names(to)?);
        Ok(())
    }

    /// Adds the names in `to` to each name in `from`.
    fn link(&mut self, from: &[(String, String)], to: &[(String, String)]) {
        for (name, _) in from {
            let known = self.others.entry(name.clone()).or_default();
            let others = to.iter().filter(|(other, _)| other != name).map(|(_, written)| written.clone());
            push_new(known, others);
        }
    }

    /// Adds a group of equal names and skips texts that are not names.
    pub fn add_group(&mut self, group: &[String]) {
        let names: Vec<(String, String)> = group.iter().filter_map(|name| Some((key(name)?, name.clone()))).collect();
        self.link(&names, &names);
    }

    pub fn extend(&mut self, more: Synonyms) {
        for (name, others) in more.others {
            push_new(self.others.entry(name).or_default(), others);
        }
    }

    /// The synonyms of the name with this key.
    pub fn of(&self, key: &str) -> &[String] {
        self.others.get(key).map_or(&[], Vec::as_slice)
    }
}

/// Adds the names that are not known, until there are [`MOST_OTHERS`].
fn push_new(known: &mut Vec<String>, others: impl IntoIterator<Item = String>) {
    for other in others {
        if known.len() < MOST_OTHERS && !known.contains(&other) {
            known.push(other);
        }
    }
}

/// The keys and names of a list separated by commas, each key once.
fn names(list: &str) -> std::result::Result<Vec<(String, String)>, String> {
    let written = list.split([',', '，']).count();
    if written > MOST_NAMES {
        return Err(format!("it has {written} names, more than {MOST_NAMES}"));
    }
    let mut names: Vec<(String, String)> = Vec::new();
    for name in list.split([',', '，']).map(str::trim) {
        if name.is_empty() {
            return Err("a name is missing".to_owned());
        }
        let key = key(name).ok_or_else(|| {
            format!(
                "{:?} is not a name: it has fewer than two letters, or more than {LONGEST_NAME} characters",
                crate::text::truncate(name, LONGEST_NAME)
            )
        })?;
        if !names.iter().any(|(known, _)| *known == key) {
            names.push((key, name.to_owned()));
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn others(synonyms: &Synonyms, name: &str) -> Vec<String> {
        synonyms.of(&key(name).unwrap()).to_vec()
    }

    #[test]
    fn groups_hold_both_ways_and_arrows_one() {
        let text = "\u{feff}# mine\n\npump, 水泵，centrifugal pump  # all the same\r\nTDO => Transport Disconnect Order, order\n";
        let synonyms = Synonyms::parse(text).unwrap();
        assert_eq!(others(&synonyms, "Pumps"), ["水泵", "centrifugal pump"]);
        assert_eq!(others(&synonyms, "水泵"), ["pump", "centrifugal pump"]);
        assert_eq!(others(&synonyms, "tdo"), ["Transport Disconnect Order", "order"]);
        assert!(others(&synonyms, "order").is_empty());
    }

    #[test]
    fn the_built_in_list_has_names_that_documents_do_not_define() {
        let common = Synonyms::common();
        assert!(others(common, "PP&E").contains(&"property plant and equipment".to_owned()));
        assert!(others(common, "capex").contains(&"purchases of property plant and equipment".to_owned()));
        assert!(others(common, "purchases of property plant and equipment").is_empty());
        assert_eq!(others(common, "营收"), ["营业收入"]);
    }

    #[test]
    fn an_invalid_group_is_reported_with_its_line() {
        let wrong = |text: &str| Synonyms::parse(text).unwrap_err();
        assert_eq!(wrong("a b, c d\n\npump").0, 3);
        assert!(wrong("pump").1.contains("stands alone"));
        assert!(wrong("pump, ").1.contains("missing"));
        assert!(wrong("=> pump").1.contains("missing"));
        assert!(wrong("pump =>").1.contains("missing"));
        assert!(wrong("aa => bb => cc").1.contains("more than one"));
        assert!(wrong("pump, 7").1.contains("is not a name"));
        assert!(wrong(&format!("pump, {}", "x".repeat(100))).1.contains("80 characters"));
        let many: Vec<String> = (0..100).map(|i| format!("name{i}x")).collect();
        assert!(wrong(&many.join(",")).1.contains("100 names"));
    }

    #[test]
    fn a_long_list_costs_no_more_than_its_length() {
        // A look at each pair of names would take hours.
        let many: Vec<String> = (0..200_000).map(|i| format!("name{i}x")).collect();
        assert!(Synonyms::parse(&many.join(",")).unwrap_err().1.contains("200000 names"));
        let lines: String = (0..20_000).map(|i| format!("pump, one{i}x, two{i}x\n")).collect();
        assert_eq!(others(&Synonyms::parse(&lines).unwrap(), "pump").len(), MOST_OTHERS);
    }

    #[test]
    fn an_invalid_file_is_reported_and_a_missing_one_is_empty() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("synonyms.txt");
        assert_eq!(Synonyms::read(&path).unwrap(), None);
        std::fs::write(&path, b"pump, valve\n\xff\xfe").unwrap();
        assert!(Synonyms::read(&path).unwrap_err().message().contains("line 2: not valid UTF-8"));
        std::fs::write(&path, "pump, valve\npump\n").unwrap();
        assert!(Synonyms::read(&path).unwrap_err().message().contains("synonyms.txt, line 2"));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "([a-z]{1,3}|水泵|,|，|=>|#| |\n|\\PC){0,60}") {
            if let Err((line, _)) = Synonyms::parse(&text) {
                prop_assert!(line >= 1 && line <= text.lines().count());
            }
        }
    }
}
