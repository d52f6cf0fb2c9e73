//! A section as results name it, and what leads to it.

use std::collections::{HashMap, HashSet};

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use crate::chunk::context::SEPARATOR;
use crate::ids::SectionId;
use crate::store::SectionRow;
use crate::structure::{NumberKind, parse_number, printed_number};

/// A section with the titles above it. In JSON it is `{id, path, number, title, titles, level}`: `number` as the title
/// prints it, or `null`; `titles` from the top down to its own; `level` from 1, and 0 for text before the first
/// section.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SectionName {
    /// Like `doc#path`.
    pub id: SectionId,
    /// The titles from the top down to its own, joined by ` › `; empty for text without a section.
    pub titles: String,
}

impl SectionName {
    pub fn new(id: SectionId, titles: impl Into<String>) -> Self {
        SectionName { id, titles: titles.into() }
    }

    /// Its own title.
    pub fn title(&self) -> &str {
        self.titles.rsplit(SEPARATOR).next().unwrap_or_default()
    }
}

impl Serialize for SectionName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let titles: Vec<&str> = self.titles.split(SEPARATOR).filter(|title| !title.is_empty()).collect();
        let mut fields = serializer.serialize_struct("SectionName", 6)?;
        fields.serialize_field("id", &self.id)?;
        fields.serialize_field("path", self.id.path())?;
        fields.serialize_field("number", &printed_number(self.title()))?;
        fields.serialize_field("title", self.title())?;
        fields.serialize_field("titles", &titles)?;
        fields.serialize_field("level", &self.id.level())?;
        fields.end()
    }
}

/// What leads to each section of a document.
#[derive(Debug)]
pub struct SectionNames {
    /// How many titles have each printed number.
    printed: HashMap<(NumberKind, Vec<u32>), usize>,
    /// The printed numbers that a path can be taken for.
    like_paths: HashSet<Vec<u32>>,
}

impl SectionNames {
    /// `sections` are all of the document.
    pub fn of(sections: &[SectionRow]) -> Self {
        SectionNames::among(sections.iter().map(|section| section.title.as_str()))
    }

    /// `titles` are those of all sections of the document.
    pub fn among<'t>(titles: impl IntoIterator<Item = &'t str>) -> Self {
        let (mut printed, mut like_paths) = (HashMap::new(), HashSet::new());
        for number in titles.into_iter().filter_map(parse_number) {
            if number.kind.counts_sections() {
                like_paths.insert(number.parts.clone());
            }
            *printed.entry((number.kind, number.parts)).or_default() += 1;
        }
        SectionNames { printed, like_paths }
    }

    /// What is shown before a title. `None` if the number in it leads to the section: a second one would contradict it.
    /// Otherwise the path, or the id if the path is the printed number of another section, which comes first where a
    /// section is asked for.
    pub fn shown<'s>(&self, section: &'s SectionRow) -> Option<&'s str> {
        if printed_number(&section.title).is_some() {
            let is_repeated = parse_number(&section.title)
                .is_some_and(|number| self.printed.get(&(number.kind, number.parts)).is_some_and(|count| *count > 1));
            return is_repeated.then_some(section.section_id.as_str());
        }
        let path: Vec<u32> = section.path.split('.').filter_map(|part| part.parse().ok()).collect();
        Some(if self.like_paths.contains(&path) { section.section_id.as_str() } else { &section.path })
    }

    /// What is typed for a section: its printed number, or what is shown before its title.
    pub fn typed<'s>(&self, section: &'s SectionRow) -> &'s str {
        self.shown(section).or_else(|| printed_number(&section.title)).unwrap_or(&section.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_has_its_number_and_its_titles_in_json() {
        let json = |id: &str, titles: &str| serde_json::to_value(SectionName::new(id.into(), titles)).unwrap();
        let expected = serde_json::json!({
            "id": "d#3.1", "path": "3.1", "number": "第十四章", "title": "第十四章 启动", "titles": ["Operation", "第十四章 启动"],
            "level": 2
        });
        assert_eq!(json("d#3.1", "Operation › 第十四章 启动"), expected);
        let none =
            serde_json::json!({ "id": "d#0", "path": "0", "number": null, "title": "", "titles": [], "level": 0 });
        assert_eq!(json("d#0", ""), none);
    }
}
