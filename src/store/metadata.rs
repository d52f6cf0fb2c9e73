//! The metadata of a document: fields that it states, that rules and side files add, and that a person sets.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Number;

use crate::text::fold;

/// The field with a list of tags.
const TAGS: &str = "tags";
/// What filters take from the document itself, apart from its time, by their names for it.
const FOUND: [&str; 9] = ["format", "path", "source", "title", "kind", "section", "page", "language", "entity"];

/// Refuses the name of a field of a document that filters would not see. Documents may state such fields. The error is
/// the reason.
pub fn check_field(name: &str) -> Result<(), String> {
    match fold(name.trim()).as_str() {
        "" => Err("the name of a field is empty".to_owned()),
        "time" => Err("the time of a document comes from a field such as date: set date".to_owned()),
        "title" => Err("the title of a document comes from its source: correct it there".to_owned()),
        found if FOUND.contains(&found) => Err(unseen(name)),
        _ => Ok(()),
    }
}

/// The same for a field of a section or a note on a chunk: only documents have tags and a time.
pub fn check_field_of_part(name: &str) -> Result<(), String> {
    match fold(name.trim()).as_str() {
        TAGS | "tag" | "time" | "title" => Err(unseen(name)),
        _ => check_field(name),
    }
}

fn unseen(name: &str) -> String {
    format!("filters take {} from the document and would not see a field of this name", name.trim())
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum MetadataValue {
    Truth(bool),
    Number(Number),
    Text(String),
    List(Vec<MetadataValue>),
}

impl MetadataValue {
    /// Parses a value that a document states: a number, `true`, `false`, a JSON list, otherwise text.
    pub fn stated(text: &str) -> Self {
        if text.starts_with('[') {
            return serde_json::from_str(text).unwrap_or_else(|_| MetadataValue::from(text));
        }
        MetadataValue::typed(text)
    }

    /// Parses a typed value: `true`, `3.5`, a list in brackets, otherwise text.
    pub fn typed(text: &str) -> Self {
        let text = text.trim();
        if let Some(list) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            let values = list.split(',').map(str::trim).filter(|value| !value.is_empty());
            return MetadataValue::List(values.map(MetadataValue::typed).collect());
        }
        match text {
            "true" => MetadataValue::Truth(true),
            "false" => MetadataValue::Truth(false),
            _ => match serde_json::from_str::<Number>(text) {
                // 1.10 is a version, and 007 a name.
                Ok(number) if number.to_string() == text => MetadataValue::Number(number),
                _ => MetadataValue::from(text),
            },
        }
    }

    /// The values of a list, the comma-separated parts of a text, or the value itself.
    fn parts(&self) -> Vec<MetadataValue> {
        match self {
            MetadataValue::List(values) => values.clone(),
            MetadataValue::Text(text) => parts(text).map(MetadataValue::from).collect(),
            other => vec![other.clone()],
        }
    }
}

impl From<&str> for MetadataValue {
    fn from(text: &str) -> Self {
        MetadataValue::Text(text.to_owned())
    }
}

impl fmt::Display for MetadataValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MetadataValue::Truth(truth) => truth.fmt(f),
            MetadataValue::Number(number) => number.fmt(f),
            MetadataValue::Text(text) => text.fmt(f),
            MetadataValue::List(values) => {
                let values: Vec<String> = values.iter().map(ToString::to_string).collect();
                values.join(", ").fmt(f)
            }
        }
    }
}

/// The parts of a text with a list: `a, b`, `["a", "b"]`, `甲、乙`.
pub fn parts(value: &str) -> impl Iterator<Item = &str> {
    let inner = value.trim().strip_prefix('[').and_then(|value| value.strip_suffix(']')).unwrap_or(value);
    inner
        .split([',', ';', '，', '、', '；'])
        .map(|part| part.trim().trim_matches(['"', '\'']).trim())
        .filter(|part| !part.is_empty())
}

pub type Fields = BTreeMap<String, MetadataValue>;

/// The metadata of a document. If several sources have the same field, the value of a person wins, then the given one,
/// then the stated one. Tags are combined.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(from = "Stored")]
pub struct Metadata {
    /// Fields that the document states.
    pub stated: BTreeMap<String, String>,
    /// Fields from the rules in `kb.toml` and the side file.
    pub given: Fields,
    /// The changes of a person.
    pub set: MetadataChanges,
}

/// The changes of a person to the metadata of a document.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MetadataChanges {
    /// The fields that were set; `None` hides the field.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, Option<MetadataValue>>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub tagged: BTreeSet<String>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub untagged: BTreeSet<String>,
}

impl MetadataChanges {
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty() && self.tagged.is_empty() && self.untagged.is_empty()
    }

    pub fn extend(&mut self, later: &MetadataChanges) {
        self.fields.extend(later.fields.clone());
        self.tagged.retain(|tag| !later.untagged.contains(tag));
        self.untagged.retain(|tag| !later.tagged.contains(tag));
        self.tagged.extend(later.tagged.iter().cloned());
        self.untagged.extend(later.untagged.iter().cloned());
    }
}

impl Metadata {
    /// The effective values, by field.
    pub fn fields(&self) -> Fields {
        let mut all: Fields =
            self.stated.iter().map(|(name, text)| (name.clone(), MetadataValue::stated(text))).collect();
        for (name, value) in &self.given {
            let value = match name.as_str() {
                TAGS => MetadataValue::List(tags_with(&all, value.parts())),
                _ => value.clone(),
            };
            all.insert(name.clone(), value);
        }
        for (name, value) in &self.set.fields {
            match value {
                Some(value) => all.insert(name.clone(), value.clone()),
                None => all.remove(name),
            };
        }
        let MetadataChanges { tagged, untagged, .. } = &self.set;
        if !tagged.is_empty() || !untagged.is_empty() {
            let added = tagged.iter().map(|tag| MetadataValue::from(tag.as_str()));
            let mut tags = tags_with(&all, added.collect());
            tags.retain(|tag| !untagged.contains(&tag.to_string()));
            match tags.is_empty() {
                true => all.remove(TAGS),
                false => all.insert(TAGS.to_owned(), MetadataValue::List(tags)),
            };
        }
        all
    }

    /// The part of these changes that has an effect: what the document does not have cannot be taken away.
    pub fn effective(&self, changes: &MetadataChanges) -> MetadataChanges {
        let fields = self.fields();
        let tags: Vec<String> =
            fields.get(TAGS).into_iter().flat_map(MetadataValue::parts).map(|tag| tag.to_string()).collect();
        let mut effective = changes.clone();
        effective.fields.retain(|name, value| value.is_some() || fields.contains_key(name));
        effective.untagged.retain(|tag| tags.contains(tag));
        effective
    }

    /// The effective values as text.
    pub fn texts(&self) -> BTreeMap<String, String> {
        self.fields().into_iter().map(|(name, value)| (name, value.to_string())).collect()
    }
}

/// Adds fields to others, replacing values. Tags are combined.
pub fn add_fields(all: &mut Fields, more: Fields) {
    for (name, value) in more {
        let is_more = name == TAGS && all.contains_key(TAGS);
        let value = if is_more { MetadataValue::List(tags_with(all, value.parts())) } else { value };
        all.insert(name, value);
    }
}

/// The tags among some fields and more of them, each once.
fn tags_with(all: &Fields, more: Vec<MetadataValue>) -> Vec<MetadataValue> {
    let mut tags = all.get(TAGS).map(MetadataValue::parts).unwrap_or_default();
    for tag in more {
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    tags
}

/// The effective values, for people and programs.
impl Serialize for Metadata {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.fields().serialize(serializer)
    }
}

/// The stored form: all fields by origin, or the stated fields if there are no others.
#[derive(Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Stored {
    Whole { stated: BTreeMap<String, String>, given: Fields, set: MetadataChanges },
    Stated(BTreeMap<String, String>),
}

impl From<Stored> for Metadata {
    fn from(stored: Stored) -> Self {
        match stored {
            Stored::Whole { stated, given, set } => Metadata { stated, given, set },
            Stored::Stated(stated) => Metadata { stated, ..Metadata::default() },
        }
    }
}

impl Metadata {
    pub(super) fn to_store(&self) -> String {
        let Metadata { stated, given, set } = self.clone();
        let stored = match given.is_empty() && set.is_empty() {
            true => Stored::Stated(stated),
            false => Stored::Whole { stated, given, set },
        };
        serde_json::to_string(&stored).expect("plain data has a JSON form")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_types() {
        let json = |text: &str| serde_json::to_string(&MetadataValue::typed(text)).unwrap();
        assert_eq!((json("3"), json("-2.5"), json("true")), ("3".into(), "-2.5".into(), "true".into()));
        assert_eq!(json("[a, 2, false]"), r#"["a",2,false]"#);
        for text in ["1.10", "007", "2026-11-21", "3 bar", "[a", "", "1e3"] {
            assert!(matches!(MetadataValue::typed(text), MetadataValue::Text(_)), "{text}");
        }
        assert_eq!(MetadataValue::typed("[a, 2]").to_string(), "a, 2");
    }

    #[test]
    fn metadata_that_only_the_document_states_is_stored_as_before() {
        let stated = Metadata { stated: [("stated".to_owned(), "so".to_owned())].into(), ..Metadata::default() };
        assert_eq!(stated.to_store(), r#"{"stated":"so"}"#);
        assert_eq!(serde_json::from_str::<Metadata>(&stated.to_store()).unwrap(), stated);
    }

    #[test]
    fn later_changes_override_earlier_ones() {
        let of = |tagged: &[&str], untagged: &[&str]| MetadataChanges {
            tagged: tagged.iter().map(|tag| (*tag).to_owned()).collect(),
            untagged: untagged.iter().map(|tag| (*tag).to_owned()).collect(),
            ..MetadataChanges::default()
        };
        let mut all = of(&["a", "b"], &["c"]);
        all.extend(&of(&["c"], &["a"]));
        assert_eq!(all, of(&["b", "c"], &["a"]));
    }
}
