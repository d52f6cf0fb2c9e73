//! A section as results name it.

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use crate::chunk::context::SEPARATOR;
use crate::ids::SectionId;
use crate::structure::printed_number;

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
