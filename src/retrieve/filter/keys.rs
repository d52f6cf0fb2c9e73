//! What a key stands for.

use unicode_normalization::UnicodeNormalization;

/// A key: one of those that every document or passage has, or a field of its metadata or a person's note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Key {
    /// The name of the format.
    Format,
    /// The source as a path, for globs.
    Path,
    /// The source as text.
    Source,
    /// The document's title.
    Title,
    /// The tags in the document's metadata.
    Tags,
    /// The section of the passage, with those above it.
    Section,
    /// The pages of the passage.
    Page,
    /// The main language of the passage.
    Language,
    /// When the document is from.
    Time,
    /// The entities that the passage mentions.
    Entity,
    /// A field of the metadata, or a note, [folded](fold).
    Other(String),
}

/// The keys that are always there.
const NAMES: [(&str, Key); 10] = [
    ("format", Key::Format),
    ("path", Key::Path),
    ("source", Key::Source),
    ("title", Key::Title),
    ("tags", Key::Tags),
    ("section", Key::Section),
    ("page", Key::Page),
    ("language", Key::Language),
    ("time", Key::Time),
    ("entity", Key::Entity),
];

impl Key {
    /// What a name stands for.
    pub(super) fn named(name: &str) -> Self {
        let folded = fold(name.trim());
        let known = NAMES.into_iter().find(|(known, _)| *known == folded || (*known == "tags" && folded == "tag"));
        known.map_or(Key::Other(folded), |(_, key)| key)
    }

    /// The names that are always there.
    pub(super) fn names<'a>() -> impl Iterator<Item = &'a str> {
        NAMES.iter().map(|(name, _)| *name)
    }
}

/// Text as it is compared: full-width forms as others, and small letters.
pub(super) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.nfkc().flat_map(char::to_lowercase).collect()
}
