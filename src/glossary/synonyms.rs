//! Lists of names: a user's own, `synonyms.txt`, and the one that comes with the program, of what documents use without
//! defining it.
//!
//! Groups of equal names on a line each, with commas between; `a => b, c` has `b` and `c` searched for where the question
//! says `a`, and not the other way; what stands behind `#` is a comment.

use std::collections::HashMap;
use std::path::Path;

use super::names::{LONGEST_NAME, key};
use crate::error::{Error, Result};

/// Larger files are refused: the list is read by every search.
const LARGEST: u64 = 4 << 20;
/// A group has at most so many names: each of them brings in all others.
const MOST_NAMES: usize = 64;

/// What comes with the program.
const COMMON: &str = include_str!("common.txt");

/// Other names for names, by their key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Synonyms {
    others: HashMap<String, Vec<String>>,
}

impl Synonyms {
    /// Reads a file; none, where there is none.
    ///
    /// # Errors
    /// Where it cannot be read or a line of it is no group.
    pub fn read(path: &Path) -> Result<Option<Self>> {
        let size = match std::fs::metadata(path) {
            Ok(facts) => facts.len(),
            Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(error) => return Err(Error::io("read", path, &error)),
        };
        if size > LARGEST {
            let (size, most) = (crate::text::size(size), crate::text::size(LARGEST));
            return Err(Error::usage(format!("{} has {size}, more than {most}", path.display()))
                .hint("leave out the groups that no question asks for"));
        }
        let bytes = std::fs::read(path).map_err(|error| Error::io("read", path, &error))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let line = error.as_bytes()[..error.utf8_error().valid_up_to()].iter().filter(|b| **b == b'\n').count() + 1;
            Error::usage(format!("{}, line {line}: this is no UTF-8", path.display())).hint("save the file as UTF-8")
        })?;
        let parsed = Synonyms::parse(&text);
        parsed.map(Some).map_err(|(line, what)| {
            Error::usage(format!("{}, line {line}: {what}", path.display()))
                .hint("a line is `a, b, c` for equal names or `a => b, c` for one way; # begins a comment")
        })
    }

    /// The list that comes with the program.
    ///
    /// # Errors
    /// Where it is broken, which a test rules out.
    pub fn common() -> Result<Self> {
        Synonyms::parse(COMMON)
            .map_err(|(line, what)| Error::failed(format!("the built-in synonyms, line {line}: {what}")))
    }

    /// Reads the text of such a file.
    ///
    /// # Errors
    /// The number of the line that is no group, and what is wrong with it.
    pub fn parse(text: &str) -> std::result::Result<Self, (usize, String)> {
        let mut synonyms = Synonyms::default();
        for (line, number) in text.strip_prefix('\u{feff}').unwrap_or(text).lines().zip(1..) {
            let said = line.split('#').next().unwrap_or_default().trim();
            if !said.is_empty() {
                synonyms.add(said).map_err(|what| (number, what))?;
            }
        }
        Ok(synonyms)
    }

    fn add(&mut self, said: &str) -> std::result::Result<(), String> {
        match said.split_once("=>") {
            Some((from, to)) => {
                if to.contains("=>") {
                    return Err("there is more than one => in it".to_owned());
                }
                let (from, to) = (names(from)?, names(to)?);
                for name in &from {
                    self.link(name, &to);
                }
            }
            None => {
                let group = names(said)?;
                if group.len() < 2 {
                    return Err(format!("{said:?} stands alone; a group has two names or more"));
                }
                for name in &group {
                    self.link(name, &group);
                }
            }
        }
        Ok(())
    }

    fn link(&mut self, (name, _): &(String, String), to: &[(String, String)]) {
        let known = self.others.entry(name.clone()).or_default();
        for (other, written) in to {
            if other != name && !known.contains(written) {
                known.push(written.clone());
            }
        }
    }

    /// Takes over what another list says too.
    pub fn extend(&mut self, more: Synonyms) {
        for (name, others) in more.others {
            let known = self.others.entry(name).or_default();
            for other in others {
                if !known.contains(&other) {
                    known.push(other);
                }
            }
        }
    }

    /// The other names for what is looked up by `key`.
    pub fn of(&self, key: &str) -> &[String] {
        self.others.get(key).map_or(&[], Vec::as_slice)
    }
}

/// The names of a list with commas, each with its key.
fn names(list: &str) -> std::result::Result<Vec<(String, String)>, String> {
    let mut names: Vec<(String, String)> = Vec::new();
    for name in list.split([',', '，']).map(str::trim) {
        if name.is_empty() {
            return Err("a name is missing".to_owned());
        }
        let key = key(name).ok_or_else(|| {
            format!(
                "{:?} is no name: it has no two letters, or more than {LONGEST_NAME} characters",
                crate::text::truncate(name, LONGEST_NAME)
            )
        })?;
        if !names.iter().any(|(known, _)| *known == key) {
            names.push((key, name.to_owned()));
        }
    }
    if names.len() > MOST_NAMES {
        return Err(format!("it has {} names, more than {MOST_NAMES}", names.len()));
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
    fn the_list_of_the_program_holds_what_documents_do_not_define() {
        let common = Synonyms::common().unwrap();
        assert!(others(&common, "PP&E").contains(&"property plant and equipment".to_owned()));
        assert!(others(&common, "capex").contains(&"purchases of property plant and equipment".to_owned()));
        assert!(others(&common, "purchases of property plant and equipment").is_empty());
        assert_eq!(others(&common, "营收"), ["营业收入"]);
    }

    #[test]
    fn what_is_no_group_is_told_with_its_line() {
        let wrong = |text: &str| Synonyms::parse(text).unwrap_err();
        assert_eq!(wrong("a b, c d\n\npump").0, 3);
        assert!(wrong("pump").1.contains("stands alone"));
        assert!(wrong("pump, ").1.contains("missing"));
        assert!(wrong("=> pump").1.contains("missing"));
        assert!(wrong("pump =>").1.contains("missing"));
        assert!(wrong("aa => bb => cc").1.contains("more than one"));
        assert!(wrong("pump, 7").1.contains("no name"));
        assert!(wrong(&format!("pump, {}", "x".repeat(100))).1.contains("80 characters"));
        let many: Vec<String> = (0..100).map(|i| format!("name{i}x")).collect();
        assert!(wrong(&many.join(",")).1.contains("100 names"));
    }

    #[test]
    fn a_file_that_is_none_is_told_and_a_missing_one_is_empty() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("synonyms.txt");
        assert_eq!(Synonyms::read(&path).unwrap(), None);
        std::fs::write(&path, b"pump, valve\n\xff\xfe").unwrap();
        assert!(Synonyms::read(&path).unwrap_err().message().contains("line 2: this is no UTF-8"));
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
